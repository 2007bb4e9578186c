//! A pair of colliders near each other, remembered from step to step.

use crate::constraint::contact::ContactGeometry;
use crate::contact::{Contact, ContactImpulse, ContactPoint, ContactPoints};
use crate::event::Grip;
use crate::model::ContactMaterial;
use crate::parts::notices::Touch;
use crate::parts::pairs;
use crate::{BodyId, ColliderId, Model};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::query::{Feature, FeatureId, PairCache};

/// Surfaces that are nearer than this fraction of the touch distance have no room between them.
pub(super) const NO_ROOM: f64 = 1e-3;

/// A contact point and what is remembered of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PointState {
    /// Its parts and its name: the point is the same as one of the step before if these are.
    pub(super) key: (u32, u32, FeatureId),
    /// What touches.
    pub(super) features: [Feature; 2],
    /// Where, in world coordinates.
    pub(super) geometry: ContactGeometry,
    /// The impulses at the beginning of the step, which keep the bodies apart.
    pub(super) start: ContactImpulse,
    /// The impulses at the end of the step, which stop their approach or let them bounce.
    pub(super) end: ContactImpulse,
    /// How fast the surfaces would meet, in m/s: their approach before the step, at the moment of touching.
    pub(super) impact_speed: f64,
    /// How fast forces accelerate the surfaces towards each other, in m/s².
    pub(super) acceleration: f64,
    /// How long after the beginning of the step that would be, in seconds; infinite if they do not meet.
    pub(super) meeting_time: f64,
    /// The velocity of the point itself through space in the last step, in m/s; none for a new point.
    pub(super) velocity: Option<DVec3>,
    /// How the gap bends in the step that begins, in m/s² (`rim.rs`).
    #[serde(skip)]
    pub(super) bend: f64,
    /// Whether the surfaces touch there at the end of the step and yet the motion does not lead to it: a ghost (`speculate.rs`).
    #[serde(skip)]
    pub(super) ghost: bool,
}

impl PointState {
    pub(super) fn new(key: (u32, u32, FeatureId), features: [Feature; 2], geometry: ContactGeometry) -> Self {
        let none = ContactImpulse::default();
        Self {
            key,
            features,
            geometry,
            start: none,
            end: none,
            impact_speed: 0.0,
            acceleration: 0.0,
            meeting_time: f64::INFINITY,
            velocity: None,
            bend: 0.0,
            ghost: false,
        }
    }

    /// The same point after a step of `dt` seconds.
    pub(super) fn moved_to(&self, features: [Feature; 2], geometry: ContactGeometry, dt: f64) -> Self {
        let velocity = (geometry.position - self.geometry.position) / dt;
        Self { features, geometry, velocity: velocity.is_finite().then_some(velocity), bend: 0.0, ..*self }
    }
}

impl PointState {
    /// Whether it acts at the end of a step: surfaces that were kept apart at its beginning, or touch.
    pub(super) fn acts(&self, touch_distance: f64) -> bool {
        !self.ghost && (self.start.normal > 0.0 || self.geometry.gap <= touch_distance)
    }

    /// How fast surfaces separate after an impact with restitution e, in m/s, where they are now. At the surface that would be
    /// e times the speed at which they meet there; across a gap g that is still open, with the acceleration a that closes it, it is
    /// √((e v)² − 2 a g): otherwise what hops by less than the touch distance would hop for ever.
    pub(super) fn rebound(&self, restitution: f64) -> f64 {
        let speed = restitution * self.impact_speed;
        (speed * speed - 2.0 * self.acceleration * self.geometry.gap.max(0.0)).clamp(0.0, f64::MAX).sqrt()
    }
}

/// A pair of colliders near each other.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PairState {
    /// The colliders, the smaller id first.
    pub(super) colliders: [ColliderId; 2],
    /// Their bodies.
    pub(super) bodies: [BodyId; 2],
    /// The contact points; empty if they are too far apart, or one is a sensor.
    pub(super) points: Vec<PointState>,
    /// What the two materials give, or the contact rule.
    pub(super) material: ContactMaterial,
    /// How fast the surface of the first runs along itself over that of the second, in m/s: belts.
    pub(super) surface_velocity: DVec3,
    /// Whether they touch (for sensors: overlap).
    pub(super) touch: Touch,
    /// Whether they hold or slide along each other, while they touch.
    pub(super) grip: Option<Grip>,
    pub(super) sensor: bool,
    pub(super) first_is_sensor: bool,
    pub(super) cache: PairCache,
    /// The revisions of the shapes the cache is about.
    #[serde(skip)]
    pub(super) shapes: [u64; 2],
    /// The length of the step the impulses belong to, in seconds.
    pub(super) dt: f64,
    /// The tilt of the normals by rough surfaces, drawn when the contact began.
    pub(super) tilt: DVec3,
}

impl pairs::Pair for PairState {
    fn colliders(&self) -> [ColliderId; 2] {
        self.colliders
    }

    fn new(model: &Model, colliders: [ColliderId; 2]) -> Option<Self> {
        let [a, b] = [model.colliders().get(colliders[0])?, model.colliders().get(colliders[1])?];
        Some(Self {
            colliders,
            bodies: [a.body, b.body],
            points: Vec::new(),
            material: model.mixing().mix(&a.material, &b.material),
            surface_velocity: DVec3::ZERO,
            touch: Touch::default(),
            grip: None,
            sensor: a.sensor || b.sensor,
            first_is_sensor: a.sensor,
            cache: PairCache::default(),
            shapes: [a.shape_revision, b.shape_revision],
            dt: 0.0,
            tilt: DVec3::ZERO,
        })
    }
}

/// A copy that uses the memory of what it replaces.
impl Clone for PairState {
    fn clone(&self) -> Self {
        Self { points: self.points.clone(), cache: self.cache.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        let mut points = std::mem::take(&mut self.points);
        points.clone_from(&other.points);
        let mut cache = std::mem::take(&mut self.cache);
        cache.clone_from(&other.cache);
        *self = Self { points, cache, ..*other };
    }
}

impl ContactPoints for PairState {
    fn count(&self) -> usize {
        self.points.len()
    }

    fn point(&self, index: usize) -> ContactPoint {
        let PointState { key, features, geometry, start, end, .. } = self.points[index];
        let ContactGeometry { position, normal, gap } = geometry;
        ContactPoint { position, normal, gap, impulse: start + end, parts: [key.0, key.1], feature: key.2, features }
    }
}

impl PairState {
    /// What others see of it.
    pub(super) fn view(&self) -> Contact<'_> {
        Contact::new(self.colliders, self.bodies, self.material, self.dt, self)
    }

    /// Whether they touch in at least one point.
    pub(super) fn touches(&self) -> bool {
        self.touch.now && !self.points.is_empty()
    }

    /// Decides, with the impulses of the step, whether they touch: surfaces that press on each other, or between which there
    /// is no room at all. A gap that opens is no contact from its beginning, however small it still is.
    pub(super) fn settle_touch(&mut self, touch_distance: f64) {
        if !self.sensor {
            let touches = |point: &PointState| {
                let gap = point.geometry.gap;
                let pressed = point.start.normal + point.end.normal > 0.0;
                (pressed && gap <= touch_distance) || gap <= NO_ROOM * touch_distance
            };
            self.touch.now = self.points.iter().any(touches);
        }
    }

    /// The normal of a rough surface whose ideal normal this is.
    pub(super) fn tilted(&self, ideal: DVec3, here: DVec3) -> DVec3 {
        let tilt = self.tilt + here;
        if tilt == DVec3::ZERO { ideal } else { (ideal + tilt).normalize_or(ideal) }
    }

    /// Forgets what was found for shapes other than those of these revisions.
    pub(super) fn forget_other_shapes(&mut self, shapes: [u64; 2]) {
        if self.shapes != shapes {
            (self.shapes, self.cache) = (shapes, PairCache::default());
            self.points.clear();
        }
    }

    /// The colliders, a sensor first.
    pub(super) fn sensor_first(&self) -> [ColliderId; 2] {
        let [a, b] = self.colliders;
        if self.first_is_sensor { [a, b] } else { [b, a] }
    }
}
