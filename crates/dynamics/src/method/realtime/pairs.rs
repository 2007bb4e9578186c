//! Broad and narrow phase: which colliders are near each other, and where they touch.
//!
//! A pair lives as long as the regions its colliders may reach overlap. It remembers what its contact points bore, so that each
//! solve begins where the last one ended (warm starting), and while it has hardly moved its points are kept and only their gaps
//! measured anew: points that are found anew in every step flicker, and what flickers never comes to rest.

use super::RealtimeSettings;
use super::apart::clearance;
use super::awake::is_still;
use super::load::Burden;
use super::stations::{Station, Stations, keep_apart, parted, prediction};
use super::wide::Link;
use crate::contact::{self, Contact, ContactImpulse, ContactPoints};
use crate::event::Grip;
use crate::model::{ColliderModel, ContactMaterial};
use crate::parts::adjacency::Adjacency;
use crate::parts::notices::Touch;
use crate::parts::regions::relocate;
use crate::parts::roster::Roster;
use crate::parts::{pairs, perturbation};
use crate::{BodyId, Cancel, ColliderId, ColliderIndex, Id, Model, State, StepError, Workers};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use tumble_geometry::broad_phase::{ProxyId, ProxyPair};
use tumble_geometry::query::{self, ContactPoint, Feature, FeatureId, Manifold, ManifoldOptions, PairCache};
use tumble_geometry::{Shape, Transform};

/// The fewest pairs that are worth a thread of their own.
const LEAST_SHARE: usize = 64;

/// Within a step, points are taken along while surfaces have moved against each other by this many times the share of their size by
/// which they may from step to step ([`RealtimeSettings::keep`]).
const WAIT: f64 = 4.0;

thread_local! {
    /// Room for the manifolds of a pair: threads keep it from step to step.
    static MANIFOLDS: RefCell<Vec<Manifold>> = const { RefCell::new(Vec::new()) };
}

/// A point of a patch, in world coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Spot {
    pub(super) feature: FeatureId,
    pub(super) features: [Feature; 2],
    /// Half-way between the surfaces.
    pub(super) position: DVec3,
    /// In metres; negative for overlap.
    pub(super) gap: f64,
    /// The force along the normal in the last substep, in newtons.
    pub(super) load: f64,
    /// The impulse along the normal during the step, in N s.
    pub(super) exerted: f64,
    /// How fast it was hit during the step, in m/s; zero if it was not.
    pub(super) hit: f64,
}

/// Up to four points with a common normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Patch {
    /// The parts of the shapes that touch.
    pub(super) parts: [u32; 2],
    /// Out of the first body into the second.
    pub(super) normal: DVec3,
    /// How round the two surfaces are where they touch: their radii of curvature in metres, zero for corners and edges.
    pub(super) round: [f64; 2],
    spots: [Spot; 4],
    count: u8,
    /// Friction in the last substep: a force in newtons, a torque about the normal, and one against rolling in N m.
    pub(super) friction: DVec3,
    pub(super) twist: f64,
    pub(super) roll: DVec3,
    /// The impulse of friction during the step, in N s.
    pub(super) dragged: DVec3,
    /// Whether it is in doubt, and whether it is in the way of nobody (`ghosts`); found anew with every look at the contacts.
    #[serde(skip)]
    pub(super) doubtful: bool,
    #[serde(skip)]
    pub(super) ghost: bool,
    /// Whether it is asked just now if it is a ghost, and not answered yet.
    #[serde(skip)]
    pub(super) open: bool,
    /// The side whose surface runs along itself, and the number of the belt that stands for it (`bodies`); none if nothing runs.
    #[serde(skip)]
    pub(super) belt: Option<(u8, u32)>,
}

impl Patch {
    #[inline]
    pub(super) fn spots(&self) -> &[Spot] {
        &self.spots[..usize::from(self.count)]
    }

    pub(super) fn spots_mut(&mut self) -> &mut [Spot] {
        &mut self.spots[..usize::from(self.count)]
    }

    /// Whether the surfaces touch in one of its points.
    fn touches(&self, touch_distance: f64) -> bool {
        self.spots().iter().any(|spot| spot.gap <= touch_distance)
    }
}

impl Patch {
    /// With the points of a manifold in the frame of a `pose`; what the points of another patch bore goes over to those of the same name.
    fn new(manifold: &Manifold, normal: DVec3, round: [f64; 2], pose: &Transform, before: Option<&Self>) -> Self {
        let parts = [manifold.part_a, manifold.part_b];
        let mut patch = Self { parts, normal, round, count: manifold.points().len() as u8, ..Self::default() };
        for (spot, point) in patch.spots.iter_mut().zip(manifold.points()) {
            let same = before.and_then(|patch| patch.spots().iter().find(|spot| spot.feature == point.feature));
            *spot = Spot {
                feature: point.feature,
                features: point.features,
                position: pose.point(point.position),
                gap: -point.depth,
                ..same.copied().unwrap_or_default()
            };
        }
        if let Some(before) = before {
            (patch.friction, patch.twist, patch.roll) = (before.friction, before.twist, before.roll);
            patch.dragged = before.dragged;
        }
        patch
    }

    /// Whether a manifold has the same points in the same order.
    fn has_points_of(&self, manifold: &Manifold) -> bool {
        let points = manifold.points();
        self.parts == [manifold.part_a, manifold.part_b]
            && self.spots().len() == points.len()
            && self.spots().iter().zip(points).all(|(spot, point)| spot.feature == point.feature)
    }

    /// Whether it can be taken along. Where two round surfaces touch, the normal depends on where they are, and where a cylinder lies over
    /// a border, or a ball rolls from triangle to triangle, so do the points.
    fn can_be_carried(&self) -> bool {
        let is_ball = |feature: Feature| matches!(feature, Feature::Ball | Feature::End(_) | Feature::Segment);
        let is_face = |feature: Feature| feature.is_flat() && !matches!(feature, Feature::Triangle { .. });
        let ball_on_face = |spot: &Spot| {
            let [a, b] = spot.features;
            is_face(a) && is_ball(b) || is_ball(a) && is_face(b)
        };
        self.round == [0.0; 2] || self.spots().iter().all(ball_on_face)
    }

    /// Takes its points along with the colliders: a corner goes with its shape, what is round with the centre of its curvature, a normal
    /// with the face it is perpendicular to.
    fn carry_along(&mut self, [first, second]: [&Station; 2]) {
        let (normal, round) = (self.normal, self.round);
        let half_way = |flat: [bool; 2], from: DVec3, to: DVec3| match flat {
            [true, false] => to,
            [false, true] => from,
            _ => 0.5 * (from + to),
        };
        let flat = self.spots().first().map_or([false; 2], |spot| spot.features.map(Feature::is_flat));
        for spot in self.spots_mut() {
            let from = first.way_of_point(spot.position - normal * round[0]);
            let to = second.way_of_point(spot.position + normal * round[1]);
            spot.gap += normal.dot(to - from);
            spot.position += half_way(spot.features.map(Feature::is_flat), from, to);
        }
        // The face is the one on which the corners of the other stand.
        let turned = half_way([flat[1], flat[0]], first.way_of_direction(normal), second.way_of_direction(normal));
        self.normal = (normal + turned).normalize_or(normal);
        (self.ghost, self.belt) = (false, None);
    }

    /// Puts the points to where they are now.
    fn carry(&mut self, manifold: &Manifold, normal: DVec3, round: [f64; 2], pose: &Transform) {
        (self.normal, self.round, self.ghost, self.belt) = (normal, round, false, None);
        for (spot, point) in self.spots_mut().iter_mut().zip(manifold.points()) {
            (spot.features, spot.position, spot.gap) = (point.features, pose.point(point.position), -point.depth);
        }
    }
}

/// The patches of a pair, nearly always one or none. They lie apart: most stages ask pairs only whether they have any.
pub(super) type Patches = Vec<Patch>;

/// Two colliders near each other: what every stage asks for first, what only some ask for after it, and what only the narrow phase needs
/// elsewhere ([`Details`]). Pairs lie side by side in memory, and there are tens of thousands of them in a heap.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)]
pub(super) struct Pair {
    /// The colliders, the smaller id first.
    pub(super) colliders: [ColliderId; 2],
    pub(super) bodies: [BodyId; 2],
    pub(super) patches: Patches,
    /// How far apart its colliders were when the step began, at least, in metres; zero if that is not known.
    #[serde(skip)]
    clear: f64,
    /// How far its surfaces have moved against each other since its points were found, within a step, in metres.
    #[serde(skip)]
    parted: f64,
    /// How many of its patches are no ghosts, whether one of these touches or is in the way, and whether one is in doubt (`ghosts`).
    #[serde(skip)]
    pub(super) real: u32,
    #[serde(skip)]
    pub(super) acts: bool,
    #[serde(skip)]
    pub(super) doubtful: bool,
    /// Whether nothing is known of how they touch; what is loaded has to be looked at.
    #[serde(skip)]
    blank: bool,
    /// Whether nothing was worth remembering of it before the step under way.
    #[serde(skip)]
    was_bare: bool,
    /// Whether its points were recognised, all of them, when it was looked at last.
    #[serde(skip)]
    pub(super) recycled: bool,
    /// Whether they touch (for sensors: overlap).
    pub(super) touch: Touch,
    /// Whether they hold or slide along each other, while they touch.
    pub(super) grip: Option<Grip>,
    pub(super) sensor: bool,
    pub(super) first_is_sensor: bool,
    pub(super) unrest: Unrest,
    /// Where it is solved if it is in a heap (`wide`).
    #[serde(skip)]
    pub(super) link: Option<Link>,
    /// What there is to tell of it after a step.
    #[serde(skip)]
    pub(super) news: News,
    /// What it has to bear (`load`).
    pub(super) burden: Burden,
    /// When and how fast its surfaces meet in the step under way, if they did not touch before it.
    #[serde(skip)]
    pub(super) meeting: Option<Meeting>,
    /// The length of the step the impulses belong to, in seconds.
    pub(super) dt: f64,
    /// The revisions of the shapes that are known.
    #[serde(skip)]
    shapes: [u64; 2],
    pub(super) material: ContactMaterial,
    /// How fast the surface of the first runs along itself over that of the second, in m/s: belts.
    pub(super) surface_velocity: DVec3,
    /// None while the colliders have not come to touch.
    details: Option<Box<Details>>,
}

/// What only the narrow phase asks for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Details {
    cache: PairCache,
    /// The tilt of the normals by rough surfaces, drawn when the contact began.
    tilt: DVec3,
    /// How the pair was before the step under way.
    #[serde(skip)]
    before: Before,
}

/// An exact solve was not worth it: for how many steps it is not tried again, and whether it was so since the pair was last at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Unrest {
    pub(super) steps: u8,
    pub(super) lasts: bool,
}

impl Unrest {
    pub(super) const BEGINS: Self = Self { steps: 15, lasts: true };
}

/// Surfaces meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// In seconds after the beginning of the step.
    pub(super) time: f64,
    /// In m/s.
    pub(super) speed: f64,
}

/// What a step has brought.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    /// Whether there is something to tell.
    pub(super) any: bool,
    pub(super) grip_before: Option<Grip>,
    /// In how many points it touches.
    pub(super) points: u32,
}

/// What a step that fails puts back.
#[derive(Clone, Debug, Default)]
struct Before {
    patches: Patches,
    /// The cache, if it has changed.
    has_cache: bool,
    cache: Option<Box<PairCache>>,
    shapes: [u64; 2],
    tilt: DVec3,
    dt: f64,
    touch: Touch,
    burden: Burden,
    unrest: Unrest,
}

impl ContactPoints for Pair {
    fn count(&self) -> usize {
        self.patches.iter().map(|patch| patch.spots().len()).sum()
    }

    fn point(&self, index: usize) -> contact::ContactPoint {
        let all = self.patches.iter().flat_map(|patch| patch.spots().iter().map(move |spot| (patch, spot)));
        let Some((patch, spot)) = all.clone().nth(index) else { return contact::ContactPoint::default() };
        let total: f64 = patch.spots().iter().map(|spot| spot.exerted).sum();
        // Friction acts at the middle of the patch; each point is told its share of the pressure.
        let share = if total > 0.0 { spot.exerted / total } else { 0.0 };
        let impulse = ContactImpulse {
            normal: spot.exerted,
            friction: patch.dragged * share,
            rolling: patch.roll * (share * self.dt),
            spinning: patch.twist * (share * self.dt),
        };
        contact::ContactPoint {
            position: spot.position,
            normal: patch.normal,
            gap: spot.gap,
            impulse,
            parts: patch.parts,
            feature: spot.feature,
            features: spot.features,
        }
    }
}

impl pairs::Pair for Pair {
    fn colliders(&self) -> [ColliderId; 2] {
        self.colliders
    }

    fn new(model: &Model, colliders: [ColliderId; 2]) -> Option<Self> {
        let [a, b] = [model.colliders().get(colliders[0])?, model.colliders().get(colliders[1])?];
        Some(Pair {
            colliders,
            bodies: [a.body, b.body],
            patches: Patches::new(),
            clear: 0.0,
            parted: 0.0,
            real: 0,
            acts: false,
            doubtful: false,
            blank: true,
            was_bare: true,
            recycled: false,
            touch: Touch::default(),
            grip: None,
            sensor: a.sensor || b.sensor,
            first_is_sensor: a.sensor,
            unrest: Unrest::default(),
            link: None,
            news: News::default(),
            burden: Burden::default(),
            meeting: None,
            dt: 0.0,
            shapes: [a.shape_revision, b.shape_revision],
            material: model.mixing().mix(&a.material, &b.material),
            surface_velocity: DVec3::ZERO,
            details: None,
        })
    }
}

impl Pair {
    /// What others see of it.
    pub(super) fn view(&self) -> Contact<'_> {
        Contact::new(self.colliders, self.bodies, self.material, self.dt, self)
    }

    /// Whether there is nothing to remember of it.
    fn is_bare(&self) -> bool {
        self.blank
            && self.patches.is_empty()
            && self.touch == Touch::default()
            && (self.burden, self.unrest) == Default::default()
    }

    /// Notes how it is before a step of `dt` seconds, and forgets what its points exerted in the one before.
    fn begin(&mut self, dt: f64) {
        let old_dt = std::mem::replace(&mut self.dt, dt);
        self.meeting = None;
        (self.clear, self.parted) = (0.0, 0.0);
        self.was_bare = self.is_bare();
        if self.was_bare {
            return;
        }
        let Details { before, tilt, .. } = &mut **self.details.get_or_insert_default();
        before.patches.clone_from(&self.patches);
        before.has_cache = false;
        (before.shapes, before.tilt, before.dt, before.touch) = (self.shapes, *tilt, old_dt, self.touch);
        (before.burden, before.unrest) = (self.burden, self.unrest);
        self.unrest.steps = self.unrest.steps.saturating_sub(1);
        for patch in &mut self.patches {
            patch.dragged = DVec3::ZERO;
            patch.spots_mut().iter_mut().for_each(|spot| (spot.exerted, spot.hit) = (0.0, 0.0));
        }
    }

    /// The cache, which is about to change.
    fn cache_mut(&mut self) -> &mut PairCache {
        let Details { cache, before, .. } = &mut **self.details.get_or_insert_default();
        if !self.was_bare && !std::mem::replace(&mut before.has_cache, true) {
            match &mut before.cache {
                Some(before) => (**before).clone_from(cache),
                none => *none = Some(Box::new(cache.clone())),
            }
        }
        cache
    }

    /// The tilt of its normals.
    fn tilt(&self) -> DVec3 {
        self.details.as_ref().map_or(DVec3::ZERO, |details| details.tilt)
    }

    fn tilt_by(&mut self, tilt: DVec3) {
        self.details.get_or_insert_default().tilt = tilt;
    }

    /// Forgets where the surfaces touched. What is remembered of a pair must not depend on how early the broad phase found it.
    fn forget(&mut self) {
        if !std::mem::replace(&mut self.blank, true) {
            *self.cache_mut() = PairCache::default();
            self.tilt_by(DVec3::ZERO);
            self.patches.clear();
        }
    }

    /// Puts back what was before the step.
    fn undo(&mut self) {
        if self.was_bare {
            self.patches.clear();
            (self.touch, self.burden, self.unrest) = Default::default();
            (self.details, self.blank) = (None, true);
            return;
        }
        let Some(details) = &mut self.details else { return };
        let Details { cache, tilt, before } = &mut **details;
        std::mem::swap(&mut self.patches, &mut before.patches);
        if let Some(known) = before.cache.as_mut().filter(|_| before.has_cache) {
            std::mem::swap(cache, known);
        }
        *tilt = before.tilt;
        (self.shapes, self.dt, self.touch) = (before.shapes, before.dt, before.touch);
        (self.burden, self.unrest) = (before.burden, before.unrest);
        self.blank = false;
    }

    /// Counts the patches that are no ghosts, and finds out whether one of them touches or is in the way.
    pub(super) fn take_stock(&mut self, touch_distance: f64) {
        let real = || self.patches.iter().filter(|patch| !patch.ghost);
        let acts = real().any(|patch| patch.doubtful || patch.touches(touch_distance));
        (self.real, self.acts) = (real().count() as u32, acts);
    }

    /// Its patches that are no ghosts.
    pub(super) fn real_patches(&self) -> impl Iterator<Item = usize> {
        let all = self.real as usize == self.patches.len();
        (0..self.patches.len()).filter(move |&patch| all || !self.patches[patch].ghost)
    }

    /// Whether they touch in at least one point.
    pub(super) fn touches(&self) -> bool {
        self.touch.now && !self.patches.is_empty()
    }

    /// All points.
    pub(super) fn spots(&self) -> impl Iterator<Item = &Spot> {
        self.patches.iter().flat_map(Patch::spots)
    }

    /// The colliders, a sensor first.
    pub(super) fn sensor_first(&self) -> [ColliderId; 2] {
        let [a, b] = self.colliders;
        if self.first_is_sensor { [a, b] } else { [b, a] }
    }

    /// Whether it need not be looked at again in this step: it is still out of reach, or its points have been taken along.
    fn waits(&mut self, world: &Scenery<'_>, stations: [&Station; 2], size: f64) -> bool {
        if self.blank {
            return keep_apart(stations, self.clear, world.dt);
        }
        self.parted += parted(stations);
        let can_be_carried = self.patches.iter().all(Patch::can_be_carried);
        if self.sensor || self.patches.is_empty() || world.model.has_contact_rule() || !can_be_carried {
            return false;
        }
        let is_near = self.parted <= WAIT * world.settings.keep * size;
        if !is_near {
            return false;
        }
        for patch in &mut self.patches {
            patch.carry_along(stations);
        }
        true
    }

    /// Looks at it, for the first time in a step if one `begins`.
    fn look(&mut self, world: &Scenery<'_>, stations: &Stations, begins: Option<f64>, manifolds: &mut Vec<Manifold>) {
        if let Some(dt) = begins {
            self.begin(dt);
        }
        let Scenery { model, state, dt, .. } = *world;
        let moving = self.colliders.map(|id| stations.get(id));
        let at_rest = moving.iter().all(Option::is_none);
        if (at_rest && !self.patches.is_empty()) || world.cancel.is_cancelled() {
            return;
        }
        let [Some(a), Some(b)] = self.colliders.map(|id| model.colliders().get(id)) else { return };
        let both: [Station; 2];
        let stations = match moving {
            [Some(first), Some(second)] => [first, second],
            _ => {
                let still = |side: usize, collider: &ColliderModel| {
                    let body = &state.bodies[collider.body.slot()];
                    moving[side]
                        .copied()
                        .unwrap_or_else(|| Station::new(model, self.colliders[side], collider, body, dt))
                };
                both = [still(0, a), still(1, b)];
                both.each_ref()
            }
        };
        let size = a.bounding_sphere.radius.min(b.bounding_sphere.radius);
        if begins.is_none() && self.waits(world, stations, size) {
            return;
        }
        let known = std::mem::take(&mut self.clear);
        self.parted = 0.0;
        self.update(world, [a, b], stations, manifolds);
        if begins.is_none() {
            self.clear = known;
        }
    }

    /// Takes over what a contact has of its colliders but for their shapes.
    fn mix(&mut self, model: &Model) {
        let [Some(a), Some(b)] = self.colliders.map(|id| model.colliders().get(id)) else { return };
        (self.sensor, self.first_is_sensor) = (a.sensor || b.sensor, a.sensor);
        self.material = model.mixing().mix(&a.material, &b.material);
    }

    /// Finds where the colliders touch, and recognises the points of the last time.
    fn update(
        &mut self,
        world: &Scenery<'_>,
        [a, b]: [&ColliderModel; 2],
        stations: [&Station; 2],
        manifolds: &mut Vec<Manifold>,
    ) {
        let Scenery { model, state, dt, settings, .. } = *world;
        let shapes = [a.shape_revision, b.shape_revision];
        if self.shapes != shapes {
            self.shapes = shapes;
            *self.cache_mut() = PairCache::default();
            self.patches.clear();
        }
        let pose = stations[0].pose;
        let b_in_a = pose.to_local(&stations[1].pose);
        if self.sensor {
            self.touch.now = query::intersects(&a.shape, &b.shape, &b_in_a);
            self.patches.clear();
            return;
        }
        manifolds.clear();
        // Points are wanted up to the gap that the surfaces can close until the next time.
        let prediction = prediction(stations, dt);
        let options = ManifoldOptions { prediction, recycling: settings.keep, ..ManifoldOptions::default() };
        if self.blank {
            self.look_for_first([a, b], &b_in_a, &options, manifolds);
        } else if !self.recycle([a, b], &b_in_a, &options, manifolds) {
            query::contact_manifolds(&a.shape, &b.shape, &b_in_a, &options, self.cache_mut(), manifolds);
        }
        if manifolds.is_empty() {
            return self.forget();
        }
        let rough = self.material.perturbation;
        if self.patches.is_empty() && rough > 0.0 {
            let ideal = pose.vector(manifolds[0].normal);
            self.tilt_by(perturbation::begin(model, state, self.colliders, rough, ideal));
        }
        let tilt = self.tilt();
        let normal = |manifold: &Manifold| {
            let ideal = pose.vector(manifold.normal);
            let here = |point: &ContactPoint| perturbation::here(model, state, rough, pose.point(point.position));
            let tilt = tilt + manifold.points().first().map_or(DVec3::ZERO, here);
            if tilt == DVec3::ZERO { ideal } else { (ideal + tilt).normalize_or(ideal) }
        };
        self.adopt(manifolds, &pose, normal, |manifold| roundness(manifold, [&a.shape, &b.shape], &b_in_a));
        self.ask_rule(model, state);
    }

    /// Finds the points of the last time again, if the pair has hardly moved.
    fn recycle(
        &self,
        [a, b]: [&ColliderModel; 2],
        b_in_a: &Transform,
        options: &ManifoldOptions,
        manifolds: &mut Vec<Manifold>,
    ) -> bool {
        let cache = self.details.as_ref().map(|details| &details.cache);
        cache.is_some_and(|cache| cache.recycle([&a.shape, &b.shape], b_in_a, options, manifolds))
    }

    /// Finds where colliders come to touch that did not; of most of them there is nothing to remember.
    fn look_for_first(
        &mut self,
        [a, b]: [&ColliderModel; 2],
        b_in_a: &Transform,
        options: &ManifoldOptions,
        manifolds: &mut Vec<Manifold>,
    ) {
        if let Some(clear) = clearance([a, b], b_in_a).filter(|&clear| clear > options.prediction) {
            self.clear = clear;
            return;
        }
        let mut cache = PairCache::default();
        query::contact_manifolds(&a.shape, &b.shape, b_in_a, options, &mut cache, manifolds);
        if !manifolds.is_empty() {
            *self.cache_mut() = cache;
            self.blank = false;
        }
    }

    /// Lets the contact rule of the model have its say.
    fn ask_rule(&mut self, model: &Model, state: &State) {
        self.surface_velocity = DVec3::ZERO;
        if !model.has_contact_rule() {
            return;
        }
        self.mix(model);
        let spots = self.patches.iter().flat_map(|patch| patch.spots().iter().map(|spot| (patch.normal, spot.gap)));
        let Some(nearest) = spots.min_by(|a, b| a.1.total_cmp(&b.1)) else { return };
        let Some(change) = model.contact_change(state, self.colliders, self.material, nearest) else { return };
        (self.material, self.surface_velocity) = (change.material, change.surface_velocity);
        if !change.solid {
            self.forget();
        }
    }

    /// Replaces the patches; what a point bore goes over to the point of the same name.
    fn adopt(
        &mut self,
        manifolds: &[Manifold],
        pose: &Transform,
        normal: impl Fn(&Manifold) -> DVec3,
        round: impl Fn(&Manifold) -> [f64; 2],
    ) {
        let known = self.patches.len();
        self.recycled = false;
        if known == manifolds.len() && self.patches.iter().zip(manifolds).all(|(patch, now)| patch.has_points_of(now)) {
            for (patch, manifold) in self.patches.iter_mut().zip(manifolds) {
                patch.carry(manifold, normal(manifold), round(manifold), pose);
            }
            self.recycled = true;
            return;
        }
        let heir = |old: &[Patch], manifold: &Manifold| {
            let normal = normal(manifold);
            let parts = [manifold.part_a, manifold.part_b];
            let before = old.iter().find(|patch| patch.parts == parts && patch.normal.dot(normal) > 0.9);
            Patch::new(manifold, normal, round(manifold), pose, before)
        };
        if let (0..=1, [manifold]) = (known, manifolds) {
            let patch = heir(&self.patches, manifold);
            self.patches.clear();
            return self.patches.push(patch);
        }
        let mut patches = std::mem::take(&mut self.patches);
        for manifold in manifolds {
            let patch = heir(&patches[..known], manifold);
            patches.push(patch);
        }
        patches.drain(..known);
        self.patches = patches;
    }
}

/// How round the surfaces are where they touch.
fn roundness(manifold: &Manifold, shapes: [&Shape; 2], b_in_a: &Transform) -> [f64; 2] {
    let is_round =
        |shape: &Shape| matches!(shape, Shape::Sphere(_) | Shape::Capsule(_) | Shape::Cylinder(_) | Shape::Cone(_));
    if !shapes.into_iter().any(is_round) {
        return [0.0; 2];
    }
    let normals = [manifold.normal, b_in_a.inverse_vector(manifold.normal)];
    [0, 1].map(|side| {
        let radius = |point: &ContactPoint| curvature(shapes[side], point.features[side], normals[side]);
        manifold.points().iter().map(radius).fold(0.0, f64::max)
    })
}

/// The radius of curvature of a feature, in metres, where the normal is this one in the frame of the shape. What rolls on it turns about
/// the centre of that circle without a gap or an overlap.
fn curvature(shape: &Shape, feature: Feature, normal: DVec3) -> f64 {
    let across = || (1.0 - normal.y * normal.y).max(0.0).sqrt();
    match (shape, feature) {
        (Shape::Sphere(sphere), _) => sphere.radius(),
        (Shape::Capsule(capsule), _) => capsule.radius(),
        (Shape::Cylinder(cylinder), Feature::Side) => cylinder.radius(),
        (Shape::Cylinder(cylinder), Feature::Rim(_)) => cylinder.radius() * across(),
        (Shape::Cone(cone), Feature::Rim(_)) => cone.radius() * across(),
        _ => 0.0,
    }
}

/// What detection looks at.
#[derive(Clone, Copy)]
pub(super) struct Scenery<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) dt: f64,
    pub(super) settings: &'a RealtimeSettings,
    pub(super) roster: &'a Roster,
    /// The movable bodies that are awake.
    pub(super) awake: &'a [BodyId],
    pub(super) workers: &'a Workers,
    pub(super) cancel: &'a Cancel,
}

/// Pairs, side by side.
pub(super) type PairList = Vec<Pair>;

/// All pairs, sorted by the ids of the colliders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Pairs {
    pub(super) list: PairList,
    /// Pairs that ceased to exist since the last report.
    pub(super) ended: PairList,
    /// Pairs of which no body moves, sorted too: nobody looks at them.
    pub(super) still: PairList,
    #[serde(skip)]
    candidates: Candidates,
    #[serde(skip)]
    spare: Spare,
    #[serde(skip)]
    stations: Stations,
    /// The still pairs of each body, and how many of them touch, in how many points.
    #[serde(skip)]
    of_still: Adjacency,
    #[serde(skip)]
    pub(super) still_contacts: [usize; 2],
}

/// The colliders that may be near each other of which one may move, sorted; none if they are not known. They go with the index of a world,
/// so a copy for another time or world does not know them.
#[derive(Debug, Default)]
struct Candidates(Option<Vec<[ColliderId; 2]>>);

impl Clone for Candidates {
    fn clone(&self) -> Self {
        Self(None)
    }
}

/// Room to bring the list up to date in, of which copies have none.
#[derive(Debug, Default)]
struct Spare(PairList);

impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Pairs {
    /// Broad phase: finds the pairs of colliders that may touch within the step.
    pub(super) fn find(
        &mut self,
        world: &Scenery<'_>,
        index: &mut ColliderIndex,
        near: &mut Vec<[ColliderId; 2]>,
    ) -> Result<(), StepError> {
        let movers = [world.awake, &world.roster.scripted[..]];
        relocate(world.model, world.state, world.dt, movers, index);
        self.find_candidates(world, index)?;
        near.clear();
        near.extend(self.candidates.0.iter().flatten().filter(|&&pair| index.meet(pair)));
        pairs::merge(world.model, near, &mut self.list, &mut self.spare.0, &mut self.ended);
        Ok(())
    }

    /// Brings the candidates up to date.
    fn find_candidates(&mut self, world: &Scenery<'_>, index: &mut ColliderIndex) -> Result<(), StepError> {
        let Scenery { model, state, .. } = *world;
        let still = &self.still;
        let pair = |&(a, b): &ProxyPair| {
            let [Some(a), Some(b)] = [a, b].map(|proxy| model.colliders().id_in_slot(proxy.0 as usize)) else {
                return None;
            };
            let moves = |id: ColliderId| model.colliders().get(id).is_some_and(|c| !is_still(model, state, c.body));
            // Those that do not move are looked at once.
            let is_known = |pair: &[ColliderId; 2]| still.binary_search_by_key(pair, |known| known.colliders).is_ok();
            let wanted = |pair: &[ColliderId; 2]| pair.iter().any(|&id| moves(id)) || !is_known(pair);
            Some([a, b]).filter(|pair| wanted(pair) && pairs::may_meet(model, *pair))
        };
        let changes = index.changed_pairs()?;
        match &mut self.candidates.0 {
            Some(list) => {
                let slots = |[a, b]: &[ColliderId; 2]| (ProxyId(a.slot() as u32), ProxyId(b.slot() as u32));
                if !changes.lost.is_empty() {
                    list.retain(|pair| changes.lost.binary_search(&slots(pair)).is_err());
                }
                if !changes.new.is_empty() {
                    list.extend(changes.new.iter().filter_map(pair));
                    list.sort_unstable();
                }
            }
            unknown => *unknown = Some(index.all_pairs().iter().filter_map(pair).collect()),
        }
        Ok(())
    }

    /// Bodies have fallen asleep or woken, or things have changed: parts the pairs that move from those that do not. Those that come to move
    /// within a step of `begins` seconds begin it. Those that do not touch are to be looked at once more if something was moved `by_hand`.
    pub(super) fn sort_out(&mut self, model: &Model, state: &State, begins: Option<f64>, by_hand: bool) {
        self.candidates.0 = None;
        let is_alive = |pair: &Pair| {
            let revision = |id| model.colliders().get(id).map(|collider| collider.shape_revision);
            pair.colliders.map(revision) == pair.shapes.map(Some) && pairs::may_meet(model, pair.colliders)
        };
        let rests = |pair: &Pair| {
            pair.bodies.iter().all(|&id| is_still(model, state, id))
                && !(by_hand && pair.patches.is_empty())
                && is_alive(pair)
        };
        let mut woken: PairList = self.still.extract_if(.., |pair| !rests(pair)).collect();
        if let Some(dt) = begins {
            woken.iter_mut().for_each(|pair| pair.begin(dt));
        }
        self.still.extend(self.list.extract_if(.., |pair| rests(pair)));
        self.still.sort_by_key(|pair| pair.colliders);
        self.list.append(&mut woken);
        self.list.sort_by_key(|pair| pair.colliders);
        let still = self.still.iter().enumerate();
        self.of_still.rebuild(state.bodies.len(), still.map(|(index, pair)| (index as u32, pair.bodies)));
        let touching = || self.still.iter().filter(|pair| pair.touches());
        self.still_contacts = [touching().count(), touching().map(|pair| pair.spots().count()).sum()];
    }

    /// The pairs of a body that do not move.
    pub(super) fn still_of(&self, body: BodyId) -> impl Iterator<Item = &Pair> {
        self.of_still.of(body).iter().map(|&index| &self.still[index as usize])
    }

    /// A pair by its number: those that move, then the others.
    pub(super) fn numbered(&self, number: usize) -> &Pair {
        self.list.get(number).unwrap_or_else(|| &self.still[number - self.list.len()])
    }

    /// All pairs with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &Pair)> + Clone {
        self.list.iter().chain(&self.still).enumerate()
    }

    /// Calls `visit` with all pairs in the order of their colliders.
    pub(super) fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Pair)) {
        let mut still = self.still.iter().peekable();
        for pair in &self.list {
            while let Some(before) = still.next_if(|still| still.colliders < pair.colliders) {
                visit(before);
            }
            visit(pair);
        }
        still.for_each(visit);
    }

    /// Whether something that moves touches something that sleeps.
    pub(super) fn touch_sleepers(&self, state: &State) -> bool {
        let asleep = |id: &BodyId| state.bodies[id.slot()].asleep;
        self.list.iter().any(|pair| !pair.patches.is_empty() && pair.bodies.iter().any(asleep))
    }

    /// Narrow phase: finds the points of all pairs of which one moves, where the bodies are now. `begins` is the length of the step that
    /// begins with it, if one does.
    pub(super) fn touch(&mut self, world: &Scenery<'_>, begins: Option<f64>) {
        let movers = world.awake.iter().chain(&world.roster.scripted);
        self.stations.look((world.model, world.state), movers, world.dt, begins.is_some());
        let (stations, members) = (&self.stations, self.list.len() / LEAST_SHARE);
        world.workers.shares(members, &mut self.list, |_, pairs| {
            MANIFOLDS.with_borrow_mut(|manifolds| {
                pairs.iter_mut().for_each(|pair| pair.look(world, stations, begins, manifolds));
            });
        });
    }

    /// Colliders have changed, or how materials are mixed.
    pub(super) fn mix(&mut self, model: &Model) {
        self.list.iter_mut().chain(&mut self.still).for_each(|pair| pair.mix(model));
    }

    /// How far the colliders of a pair move relative to each other in `dt` seconds at most, relative to the size of the smaller one; what is
    /// more than `enough` is as good as that.
    pub(super) fn liveliest(&self, model: &Model, state: &State, dt: f64, enough: f64) -> f64 {
        let mut most = 0.0;
        for pair in &self.list {
            let [Some(a), Some(b)] = pair.colliders.map(|id| model.colliders().get(id)) else { continue };
            let [first, second] = pair.bodies.map(|id| &state.bodies[id.slot()]);
            let turn = |collider: &ColliderModel, spin: DVec3| match spin == DVec3::ZERO {
                true => 0.0,
                false => spin.length() * (collider.center_pose.translation.length() + collider.bounding_sphere.radius),
            };
            let speed = (second.velocity - first.velocity).length()
                + turn(a, first.angular_velocity)
                + turn(b, second.angular_velocity);
            most = f64::max(most, speed * dt / a.bounding_sphere.radius.min(b.bounding_sphere.radius));
            if most > enough {
                break;
            }
        }
        most
    }

    /// Puts back what was before the step under way, which has found its pairs and looked at them.
    pub(super) fn undo(&mut self) {
        self.candidates.0 = None;
        self.list.iter_mut().for_each(Pair::undo);
        self.list.append(&mut self.ended);
        self.list.sort_by_key(|pair| pair.colliders);
    }

    /// The part of it that leaves a trace. Where a shape has been replaced since, what its surface touched is forgotten, as the next step
    /// would, and what the pair bore is not.
    pub(super) fn retain_what_matters(&mut self, model: &Model) {
        let matters = |pair: &mut Pair| {
            let revision = |id| model.colliders().get(id).map(|collider| collider.shape_revision);
            let [Some(a), Some(b)] = pair.colliders.map(revision) else { return false };
            if pair.shapes != [a, b] {
                pair.patches.clear();
                if let Some(details) = &mut pair.details {
                    details.cache = PairCache::default();
                }
            }
            let leaves = pair.touch.now || pair.touch.before || (pair.burden, pair.unrest) != Default::default();
            !pair.patches.is_empty() || leaves
        };
        self.list.retain_mut(matters);
        self.still.retain_mut(matters);
    }

    /// Takes over pairs that were saved: forgets those of colliders that are not there.
    pub(super) fn adopt(&mut self, model: &Model) {
        self.candidates.0 = None;
        self.list.append(&mut self.still);
        self.list.retain_mut(|pair| {
            let [Some(a), Some(b)] = pair.colliders.map(|id| model.colliders().get(id)) else { return false };
            pair.shapes = [a.shape_revision, b.shape_revision];
            pair.bodies == [a.body, b.body]
        });
        self.mix(model);
        self.list.sort_by_key(|pair| pair.colliders);
        self.list.dedup_by_key(|pair| pair.colliders);
        self.ended.retain(|pair| pair.touch.before);
    }
}
