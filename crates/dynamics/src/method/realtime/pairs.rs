//! Broad and narrow phase: which colliders are near each other, and where they touch.
//!
//! A pair lives as long as the regions its colliders may reach overlap. It remembers what its contact points bore, so that each
//! solve begins where the last one ended (warm starting), and while it has hardly moved its points are kept and only their gaps
//! measured anew: points that are found anew in every step flicker, and what flickers never comes to rest.

use super::RealtimeSettings;
use crate::contact::{self, Contact, ContactImpulse, ContactPoints};
use crate::event::Grip;
use crate::model::ContactMaterial;
use crate::parts::notices::Touch;
use crate::parts::regions::{reach, relocate, world_pose};
use crate::parts::roster::Roster;
use crate::parts::{pairs, perturbation};
use crate::{BodyId, Cancel, ColliderId, ColliderIndex, Id, Model, State, Workers};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::query::{self, ContactPoint, Feature, FeatureId, Manifold, ManifoldOptions, PairCache};
use tumble_geometry::{Shape, Transform};

/// The fewest pairs that are worth a thread of their own.
const LEAST_SHARE: usize = 64;

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
    /// Whether it is in the way of nobody (`ghosts`); found anew with every look at the contacts.
    #[serde(skip)]
    pub(super) ghost: bool,
    /// The side whose surface runs along itself, and the number of the belt that stands for it (`bodies`); none if nothing runs.
    #[serde(skip)]
    pub(super) belt: Option<(u8, u32)>,
}

impl Patch {
    pub(super) fn spots(&self) -> &[Spot] {
        &self.spots[..usize::from(self.count)]
    }

    pub(super) fn spots_mut(&mut self) -> &mut [Spot] {
        &mut self.spots[..usize::from(self.count)]
    }
}

/// Two colliders near each other.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Pair {
    /// The colliders, the smaller id first.
    pub(super) colliders: [ColliderId; 2],
    pub(super) bodies: [BodyId; 2],
    pub(super) material: ContactMaterial,
    /// How fast the surface of the first runs along itself over that of the second, in m/s: belts.
    pub(super) surface_velocity: DVec3,
    pub(super) patches: Vec<Patch>,
    /// Whether they touch (for sensors: overlap).
    pub(super) touch: Touch,
    /// Whether they hold or slide along each other, while they touch.
    pub(super) grip: Option<Grip>,
    pub(super) sensor: bool,
    pub(super) first_is_sensor: bool,
    cache: PairCache,
    /// The revisions of the shapes the cache is about.
    #[serde(skip)]
    shapes: [u64; 2],
    /// The tilt of the normals by rough surfaces, drawn when the contact began.
    tilt: DVec3,
    /// The length of the step the impulses belong to, in seconds.
    pub(super) dt: f64,
}

/// A copy that uses the memory of what it replaces.
impl Clone for Pair {
    fn clone(&self) -> Self {
        Self { patches: self.patches.clone(), cache: self.cache.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        let mut patches = std::mem::take(&mut self.patches);
        patches.clone_from(&other.patches);
        let mut cache = std::mem::take(&mut self.cache);
        cache.clone_from(&other.cache);
        *self = Self { patches, cache, ..*other };
    }
}

impl ContactPoints for Pair {
    fn count(&self) -> usize {
        self.patches.iter().map(|patch| patch.spots().len()).sum()
    }

    fn point(&self, index: usize) -> contact::ContactPoint {
        let all = self.patches.iter().flat_map(|patch| patch.spots().iter().map(move |spot| (patch, spot)));
        let Some((patch, spot)) = all.clone().nth(index) else { return contact::ContactPoint::default() };
        let total: f64 = patch.spots().iter().map(|spot| spot.load).sum();
        // Friction acts at the middle of the patch; each point is told its share of the pressure.
        let share = if total > 0.0 { spot.load / total * self.dt } else { 0.0 };
        let impulse = ContactImpulse {
            normal: spot.exerted,
            friction: patch.friction * share,
            rolling: patch.roll * share,
            spinning: patch.twist * share,
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
        Some(Self {
            colliders,
            bodies: [a.body, b.body],
            material: model.mixing().mix(&a.material, &b.material),
            surface_velocity: DVec3::ZERO,
            patches: Vec::new(),
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

impl Pair {
    /// What others see of it.
    pub(super) fn view(&self) -> Contact<'_> {
        Contact::new(self.colliders, self.bodies, self.material, self.dt, self)
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

    /// Finds where the colliders touch, and recognises the points of the last time.
    fn update(&mut self, world: &Scenery<'_>, manifolds: &mut Vec<Manifold>) {
        let Scenery { model, state, dt, settings, .. } = *world;
        let [Some(a), Some(b)] = self.colliders.map(|id| model.colliders().get(id)) else { return };
        let shapes = [a.shape_revision, b.shape_revision];
        if self.shapes != shapes {
            (self.shapes, self.cache) = (shapes, PairCache::default());
            self.patches.clear();
        }
        (self.sensor, self.first_is_sensor) = (a.sensor || b.sensor, a.sensor);
        self.material = model.mixing().mix(&a.material, &b.material);
        let motions = [&state.bodies[a.body.slot()], &state.bodies[b.body.slot()]];
        let pose = world_pose(a, motions[0]);
        let b_in_a = pose.to_local(&world_pose(b, motions[1]));
        if self.sensor {
            self.touch.now = query::intersects(&a.shape, &b.shape, &b_in_a);
            self.patches.clear();
            return;
        }
        manifolds.clear();
        // Points are wanted up to the gap that the surfaces can close until the next time.
        let speed = (motions[1].velocity - motions[0].velocity).length();
        let prediction = (speed * dt + reach(model, a, motions[0], dt) + reach(model, b, motions[1], dt)).min(f64::MAX);
        let options = ManifoldOptions { prediction, recycling: settings.keep, ..ManifoldOptions::default() };
        query::contact_manifolds(&a.shape, &b.shape, &b_in_a, &options, &mut self.cache, manifolds);
        if manifolds.is_empty() {
            // What is remembered of a pair must not depend on how early the broad phase found it.
            (self.cache, self.tilt) = (PairCache::default(), DVec3::ZERO);
            self.patches.clear();
            return;
        }
        if self.patches.is_empty() && self.material.perturbation > 0.0 {
            self.tilt = perturbation::tilt(state.random, state.steps, self.colliders, self.material.perturbation);
        }
        self.adopt(manifolds, &pose, |manifold| roundness(manifold, [&a.shape, &b.shape], &b_in_a));
        self.ask_rule(model, state);
    }

    /// Lets the contact rule of the model have its say.
    fn ask_rule(&mut self, model: &Model, state: &State) {
        let spots = self.patches.iter().flat_map(|patch| patch.spots().iter().map(|spot| (patch.normal, spot.gap)));
        let Some(nearest) = spots.min_by(|a, b| a.1.total_cmp(&b.1)) else { return };
        self.surface_velocity = DVec3::ZERO;
        let Some(change) = model.contact_change(state, self.colliders, self.material, nearest) else { return };
        (self.material, self.surface_velocity) = (change.material, change.surface_velocity);
        if !change.solid {
            self.patches.clear();
            (self.cache, self.tilt) = (PairCache::default(), DVec3::ZERO);
        }
    }

    /// Replaces the patches; what a point bore goes over to the point of the same name.
    fn adopt(&mut self, manifolds: &[Manifold], pose: &Transform, round: impl Fn(&Manifold) -> [f64; 2]) {
        let mut old = std::mem::take(&mut self.patches);
        let known = old.len();
        for manifold in manifolds {
            let ideal = pose.vector(manifold.normal);
            let normal = if self.tilt == DVec3::ZERO { ideal } else { (ideal + self.tilt).normalize_or(ideal) };
            let parts = [manifold.part_a, manifold.part_b];
            let before = old[..known].iter().find(|patch| patch.parts == parts && patch.normal.dot(normal) > 0.9);
            let mut patch = Patch { parts, normal, round: round(manifold), ..Patch::default() };
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
            patch.count = manifold.points().len() as u8;
            if let Some(before) = before {
                (patch.friction, patch.twist, patch.roll) = (before.friction, before.twist, before.roll);
            }
            old.push(patch);
        }
        old.drain(..known);
        self.patches = old;
    }
}

/// How round the surfaces are where they touch.
fn roundness(manifold: &Manifold, shapes: [&Shape; 2], b_in_a: &Transform) -> [f64; 2] {
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
    pub(super) workers: Workers,
    pub(super) cancel: &'a Cancel,
}

/// All pairs, sorted by the ids of the colliders.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Pairs {
    pub(super) list: Vec<Pair>,
    /// Pairs that ceased to exist since the last report.
    pub(super) ended: Vec<Pair>,
}

/// A copy that uses the memory of what it replaces.
impl Clone for Pairs {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), ended: self.ended.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
        self.ended.clone_from(&other.ended);
    }
}

impl Pairs {
    /// Broad phase: finds the pairs of colliders that may touch within the step.
    pub(super) fn find(&mut self, world: &Scenery<'_>, index: &mut ColliderIndex, near: &mut Vec<[ColliderId; 2]>) {
        relocate(world.model, world.state, world.dt, world.roster, index);
        pairs::follow(world.model, index, &mut self.list, &mut self.ended, near);
    }

    /// Narrow phase: finds the points of all pairs of which one moves, where the bodies are now.
    pub(super) fn touch(&mut self, world: &Scenery<'_>) {
        let still = |id: BodyId| {
            let fixed = || world.model.bodies().get(id).is_none_or(|body| !body.kind.moves());
            world.state.bodies[id.slot()].asleep || fixed()
        };
        world.workers.for_each(&mut self.list, LEAST_SHARE, Vec::new, |manifolds, pair| {
            let moves = !pair.bodies.into_iter().all(still) || pair.patches.is_empty();
            if moves && !world.cancel.is_cancelled() {
                pair.update(world, manifolds);
            }
        });
    }

    /// Forgets what the points exerted in the step before.
    pub(super) fn begin(&mut self, dt: f64) {
        for pair in &mut self.list {
            pair.dt = dt;
            pair.patches.iter_mut().flat_map(Patch::spots_mut).for_each(|spot| (spot.exerted, spot.hit) = (0.0, 0.0));
        }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.ended.clear();
    }

    /// The part of it that leaves a trace.
    pub(super) fn retain_what_matters(&mut self, model: &Model) {
        self.list.retain(|pair| {
            let revision = |id| model.colliders().get(id).map(|collider| collider.shape_revision);
            let alive = pair.colliders.map(revision) == pair.shapes.map(Some);
            alive && (!pair.patches.is_empty() || pair.touch.now || pair.touch.before)
        });
    }

    /// Takes over pairs that were saved: forgets those of colliders that are not there.
    pub(super) fn adopt(&mut self, model: &Model) {
        self.list.retain_mut(|pair| {
            let [Some(a), Some(b)] = pair.colliders.map(|id| model.colliders().get(id)) else { return false };
            pair.shapes = [a.shape_revision, b.shape_revision];
            pair.bodies == [a.body, b.body]
        });
        self.list.sort_by_key(|pair| pair.colliders);
        self.list.dedup_by_key(|pair| pair.colliders);
        self.ended.retain(|pair| pair.touch.before);
    }
}
