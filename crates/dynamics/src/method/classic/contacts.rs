//! The contacts of a classic method: pairs of colliders near each other, found anew wherever the bodies are.
//!
//! Points keep their names as long as the same features touch, and with its name a point keeps its *mark*: whatever the method wants
//! to remember of it, such as the anchor of a friction spring.

use crate::constraint::contact::ContactGeometry;
use crate::contact::{Contact, ContactImpulse, ContactPoint, ContactPoints};
use crate::event::{Grip, ImpactEvent};
use crate::model::ContactMaterial;
use crate::parts::course::size;
use crate::parts::notices::Touch;
use crate::parts::regions::{relocate, world_pose};
use crate::parts::roster::Roster;
use crate::parts::{pairs, perturbation};
use crate::{BodyId, ColliderId, ColliderIndex, Model, State, StepError};
use glam::DVec3;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use tumble_geometry::query::{self, Feature, FeatureId, Manifold, ManifoldOptions, PairCache};

/// Surfaces closer than this count as touching, in metres.
pub(super) const TOUCHING: f64 = 1e-5;

/// What a method remembers of a contact point.
pub trait Mark: Copy + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync {
    /// Whether all of its numbers are finite.
    fn is_finite(&self) -> bool;
}

/// Nothing.
impl Mark for () {
    fn is_finite(&self) -> bool {
        true
    }
}

/// A contact point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Point<M: Mark> {
    /// Its parts and its name: the point is the same as one found before if these are.
    pub key: (u32, u32, FeatureId),
    /// What touches.
    pub features: [Feature; 2],
    /// Where, in world coordinates, with the normal out of the first body into the second.
    pub geometry: ContactGeometry,
    /// What it exerted on the second body so far in this step.
    pub impulse: ContactImpulse,
    /// How fast the surfaces met in this step, in m/s; zero if they did not.
    pub met: f64,
    /// What the method remembers of it.
    pub mark: M,
}

/// Two colliders near each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Pair<M: Mark> {
    /// The colliders, the smaller id first.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// The contact points; none if they are too far apart, or one is a sensor.
    pub points: Vec<Point<M>>,
    /// What the two materials give.
    pub material: ContactMaterial,
    /// The radius of the smaller collider in metres.
    pub size: f64,
    pub(super) touch: Touch,
    pub(super) grip: Option<Grip>,
    pub(super) sensor: bool,
    first_is_sensor: bool,
    cache: PairCache,
    /// The revisions of the shapes the cache is about.
    #[serde(skip)]
    shapes: [u64; 2],
    /// The tilt of the normals by rough surfaces, drawn when the contact began.
    tilt: DVec3,
    /// The length of the step the impulses belong to, in seconds.
    pub(super) dt: f64,
}

impl<M: Mark> pairs::Pair for Pair<M> {
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
            size: size([a, b]),
            touch: Touch::default(),
            grip: None,
            sensor: a.sensor || b.sensor,
            first_is_sensor: a.sensor,
            cache: PairCache::default(),
            shapes: [a.shape_revision, b.shape_revision],
            tilt: DVec3::ZERO,
            dt: 0.0,
        })
    }
}

impl<M: Mark> ContactPoints for Pair<M> {
    fn count(&self) -> usize {
        self.points.len()
    }

    fn point(&self, index: usize) -> ContactPoint {
        let Point { key, features, geometry, impulse, .. } = self.points[index];
        let ContactGeometry { position, normal, gap } = geometry;
        ContactPoint { position, normal, gap, impulse, parts: [key.0, key.1], feature: key.2, features }
    }
}

impl<M: Mark> Pair<M> {
    pub(super) fn view(&self) -> Contact<'_> {
        Contact::new(self.colliders, self.bodies, self.material, self.dt, self)
    }

    pub(super) fn touches(&self) -> bool {
        self.touch.now && !self.points.is_empty()
    }

    /// Decides whether they touch: surfaces that pressed on each other in this step and are still near, or without room between.
    pub(super) fn settle_touch(&mut self) {
        if !self.sensor {
            let near = 1e-3 * self.size.min(1.0);
            self.touch.now = self.points.iter().any(|point| {
                let gap = point.geometry.gap;
                gap <= TOUCHING || (point.impulse.normal > 0.0 && gap <= near)
            });
        }
    }

    /// The colliders, a sensor first.
    pub(super) fn sensor_first(&self) -> [ColliderId; 2] {
        let [a, b] = self.colliders;
        if self.first_is_sensor { [a, b] } else { [b, a] }
    }

    fn forget_other_shapes(&mut self, shapes: [u64; 2]) {
        if self.shapes != shapes {
            (self.shapes, self.cache) = (shapes, PairCache::default());
            self.points.clear();
        }
    }

    /// Finds the points that are closer than `margin` times the size of the smaller collider, and recognises those known before.
    fn update(&mut self, model: &Model, state: &State, (margin, smooth): (f64, bool), manifolds: &mut Vec<Manifold>) {
        let [Some(a), Some(b)] = self.colliders.map(|id| model.colliders().get(id)) else { return };
        self.forget_other_shapes([a.shape_revision, b.shape_revision]);
        (self.sensor, self.first_is_sensor) = (a.sensor || b.sensor, a.sensor);
        (self.material, self.size) = (model.mixing().mix(&a.material, &b.material), size([a, b]));
        let slot = |id: BodyId| crate::Id::slot(id);
        let pose_a = world_pose(a, &state.bodies[slot(a.body)]);
        let b_in_a = pose_a.to_local(&world_pose(b, &state.bodies[slot(b.body)]));
        if self.sensor {
            self.touch.now = query::intersects(&a.shape, &b.shape, &b_in_a);
            self.points.clear();
            return;
        }
        let prediction = (margin * self.size).min(1e6);
        let options = ManifoldOptions { prediction, ..ManifoldOptions::default() };
        manifolds.clear();
        query::contact_manifolds(&a.shape, &b.shape, &b_in_a, &options, &mut self.cache, manifolds);
        if manifolds.is_empty() {
            // What is remembered of a pair must not depend on how early the broad phase found it.
            (self.cache, self.tilt) = (PairCache::default(), DVec3::ZERO);
        }
        let old = std::mem::take(&mut self.points);
        let rough = if smooth { 0.0 } else { self.material.perturbation };
        if let (true, Some(first), true) = (old.is_empty(), manifolds.first(), rough > 0.0) {
            let ideal = pose_a.vector(first.normal);
            self.tilt = perturbation::begin(model, state, self.colliders, rough, ideal);
        }
        for manifold in manifolds.iter() {
            let ideal = pose_a.vector(manifold.normal);
            for point in manifold.points() {
                let key = (manifold.part_a, manifold.part_b, point.feature);
                let position = pose_a.point(point.position);
                let tilt = self.tilt + perturbation::here(model, state, rough, position);
                let normal = if tilt == DVec3::ZERO { ideal } else { (ideal + tilt).normalize_or(ideal) };
                let geometry = ContactGeometry { position, normal, gap: -point.depth };
                let known = old.iter().find(|old| old.key == key);
                let fresh = Point {
                    key,
                    features: point.features,
                    geometry,
                    impulse: ContactImpulse::default(),
                    met: 0.0,
                    mark: M::default(),
                };
                let kept = |known: &Point<M>| Point { features: point.features, geometry, ..*known };
                self.points.push(known.map_or(fresh, kept));
            }
        }
        self.touch.now = self.points.iter().any(|point| point.geometry.gap <= TOUCHING);
    }
}

/// All pairs of colliders near each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Contacts<M: Mark> {
    /// Sorted by the ids of the colliders.
    pub list: Vec<Pair<M>>,
    /// Pairs that parted since the last report.
    pub(super) ended: Vec<Pair<M>>,
    /// Whether rough surfaces are taken for smooth ones, for methods that cannot let bodies come closer along the true normal.
    #[serde(skip)]
    pub smooth: bool,
    /// Impacts within the step under way, for methods that go through several moments of it.
    #[serde(skip)]
    pub hits: Vec<ImpactEvent>,
    #[serde(skip)]
    near: Vec<[ColliderId; 2]>,
    #[serde(skip)]
    manifolds: Vec<Manifold>,
}

impl<M: Mark> Contacts<M> {
    /// Finds the pairs that may meet within `dt` seconds (broad phase). An error if there are too many.
    pub fn find_pairs(
        &mut self,
        model: &Model,
        state: &State,
        dt: f64,
        roster: &Roster,
        index: &mut ColliderIndex,
    ) -> Result<(), StepError> {
        relocate(model, state, dt, roster.movers(), index);
        pairs::follow(model, index, &mut self.list, &mut self.ended, &mut self.near)
    }

    /// Finds the points of all pairs where the bodies are now (narrow phase): those that touch and those that are nearer than
    /// `margin` times the size of the smaller collider.
    pub fn find_points(&mut self, model: &Model, state: &State, margin: f64) {
        self.find_points_of(model, state, margin, &|_| true);
    }

    /// Like [`find_points`](Self::find_points), for some pairs.
    pub fn find_points_of(&mut self, model: &Model, state: &State, margin: f64, chosen: &dyn Fn(&Pair<M>) -> bool) {
        for pair in self.list.iter_mut().filter(|pair| chosen(pair)) {
            pair.update(model, state, (margin, self.smooth), &mut self.manifolds);
        }
    }

    /// Forgets what contacts exerted in the step before.
    pub(super) fn begin_step(&mut self) {
        self.hits.clear();
        for point in self.list.iter_mut().flat_map(|pair| &mut pair.points) {
            (point.impulse, point.met) = (ContactImpulse::default(), 0.0);
        }
    }

    /// Leaves out what leaves no trace.
    pub(super) fn prepare_to_save(&mut self, model: &Model) {
        self.hits.clear();
        self.near.clear();
        self.manifolds.clear();
        self.list.retain_mut(|pair| {
            let revision = |id| model.colliders().get(id).map(|collider| collider.shape_revision);
            let [Some(a), Some(b)] = pair.colliders.map(revision) else { return false };
            pair.forget_other_shapes([a, b]);
            !pair.points.is_empty() || pair.touch.now || pair.touch.before
        });
    }

    /// Takes over contacts that were saved: forgets those of colliders that are not there.
    pub(super) fn adopt(&mut self, model: &Model) {
        self.list.retain_mut(|pair| {
            let [Some(a), Some(b)] = pair.colliders.map(|id| model.colliders().get(id)) else { return false };
            pair.shapes = [a.shape_revision, b.shape_revision];
            pair.bodies == [a.body, b.body]
        });
        self.ended.retain(|pair| pair.touch.before);
    }

    /// Says what is not sound: numbers that are not finite, pairs out of order.
    pub(super) fn validate(&self) -> Result<(), String> {
        let sound = |point: &Point<M>| {
            let ContactGeometry { position, normal, gap } = point.geometry;
            let ContactImpulse { normal: push, friction, .. } = point.impulse;
            let finite = position.is_finite() && normal.is_finite() && gap.is_finite();
            finite && push.is_finite() && friction.is_finite() && point.met.is_finite() && point.mark.is_finite()
        };
        match self.list.iter().find(|pair| !pair.points.iter().all(sound)) {
            Some(pair) => Err(format!("the contact of {:?} has a point that is not finite", pair.colliders)),
            None if !self.list.is_sorted_by(|a, b| a.colliders < b.colliders) => {
                Err("the contacts are not in the order of their colliders".into())
            }
            None => Ok(()),
        }
    }
}
