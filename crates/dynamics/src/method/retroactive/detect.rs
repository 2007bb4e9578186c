//! Collision detection: which colliders are near each other (broad phase), where they touch (narrow phase), and which of
//! the contact points are those of the step before.

use super::RetroactiveSettings;
use super::contact::{Contact, ContactPointState};
use crate::constraint::BodyView;
use crate::constraint::contact::{ContactGeometry, point_jacobian};
use crate::force::{ForceContext, Wrenches};
use crate::model::{ColliderModel, JointEnd};
use crate::{BodyId, BodyState, ColliderId, Id, Model, State};
use glam::DVec3;
use std::collections::BTreeSet;
use tumble_geometry::broad_phase::{BroadPhase, Mobility, ProxyId};
use tumble_geometry::query::{self, Manifold, ManifoldOptions, PairCache};
use tumble_geometry::{Aabb, Transform};

/// A collider in the broad phase.
#[derive(Clone, Debug)]
struct Proxy {
    collider: ColliderId,
    id: ProxyId,
    mobility: Mobility,
}

/// Finds contacts and remembers them from step to step.
#[derive(Debug)]
pub(super) struct Detector {
    broad_phase: Box<dyn BroadPhase>,
    /// By slot of the collider.
    proxies: Vec<Option<Proxy>>,
    /// By number of the proxy.
    colliders: Vec<ColliderId>,
    /// Sorted by the ids of the colliders.
    contacts: Vec<Contact>,
    /// Contacts that ceased to exist since the last report.
    ended: Vec<Contact>,
    /// The motions the contacts were found for; anything else means that somebody moved a body between the steps.
    detected_for: Vec<BodyState>,
    /// The revision of the model and the step length they were found for.
    detected_at: (u64, f64),
    manifolds: Vec<Manifold>,
}

impl Clone for Detector {
    fn clone(&self) -> Self {
        Self {
            broad_phase: self.broad_phase.clone_box(),
            proxies: self.proxies.clone(),
            colliders: self.colliders.clone(),
            contacts: self.contacts.clone(),
            ended: self.ended.clone(),
            detected_for: self.detected_for.clone(),
            detected_at: self.detected_at,
            manifolds: Vec::new(),
        }
    }
}

impl Detector {
    pub(super) fn new(broad_phase: Box<dyn BroadPhase>) -> Self {
        Self {
            broad_phase,
            proxies: Vec::new(),
            colliders: Vec::new(),
            contacts: Vec::new(),
            ended: Vec::new(),
            detected_for: Vec::new(),
            detected_at: (u64::MAX, 0.0),
            manifolds: Vec::new(),
        }
    }

    pub(super) fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    pub(super) fn contacts_mut(&mut self) -> &mut [Contact] {
        &mut self.contacts
    }

    /// The contacts that ceased to exist since this was last asked.
    pub(super) fn take_ended(&mut self) -> Vec<Contact> {
        std::mem::take(&mut self.ended)
    }

    pub(super) fn broad_phase(&self) -> &dyn BroadPhase {
        self.broad_phase.as_ref()
    }

    /// Forgets contacts and impulses.
    pub(super) fn reset(&mut self) {
        self.contacts.clear();
        self.ended.clear();
        self.detected_for.clear();
    }

    /// The step length the contacts were found for, if they are still those of the model.
    pub(super) fn current_for(&self, model: &Model) -> Option<f64> {
        (self.detected_at.0 == model.revision()).then_some(self.detected_at.1)
    }

    /// The motions the contacts were found for.
    pub(super) fn detected_for(&self) -> &[BodyState] {
        &self.detected_for
    }

    /// Takes over contacts found by another detector, for motions and, if they are up to date, a step length.
    pub(super) fn load(&mut self, model: &Model, mut contacts: Vec<Contact>, bodies: Vec<BodyState>, dt: Option<f64>) {
        self.reset();
        contacts.retain_mut(|contact| {
            let [Some(a), Some(b)] = contact.colliders.map(|id| model.colliders().get(id)) else { return false };
            contact.shapes = [a.shape_revision, b.shape_revision];
            contact.bodies == [a.body, b.body]
        });
        contacts.sort_by_key(|contact| contact.colliders);
        (self.contacts, self.detected_for) = (contacts, bodies);
        self.detected_at = dt.map_or((u64::MAX, 0.0), |dt| (model.revision(), dt));
    }

    /// Finds contacts anew if bodies were moved, anything was added or removed, or the step became longer since the last
    /// time.
    pub(super) fn refresh(&mut self, model: &Model, state: &mut State, dt: f64, settings: &RetroactiveSettings) {
        let (revision, longest) = self.detected_at;
        if revision != model.revision() || dt > longest || self.detected_for != state.bodies {
            self.detect(model, state, dt, settings);
        }
    }

    /// Finds all contacts for the bodies where they are now; `dt` tells how far they may move until the next time.
    pub(super) fn detect(&mut self, model: &Model, state: &mut State, dt: f64, settings: &RetroactiveSettings) {
        self.update_proxies(model, state, dt);
        self.update_pairs(model);
        let mut manifolds = std::mem::take(&mut self.manifolds);
        for contact in &mut self.contacts {
            update_contact(contact, model, state, dt, settings, &mut manifolds);
        }
        self.manifolds = manifolds;
    }

    /// Notes for which motions the contacts are valid, at the end of a step.
    pub(super) fn mark_current(&mut self, model: &Model, state: &State, dt: f64) {
        self.detected_for.clone_from(&state.bodies);
        self.detected_at = (model.revision(), dt);
    }

    /// Brings the boxes of the broad phase up to date with the colliders.
    fn update_proxies(&mut self, model: &Model, state: &State, dt: f64) {
        self.proxies.resize(model.colliders().slot_count(), None);
        for slot in 0..self.proxies.len() {
            let current = model.colliders().id_in_slot(slot);
            let mobility = current.and_then(|id| mobility(model, id));
            let stale = |proxy: &Proxy| Some(proxy.collider) != current || Some(proxy.mobility) != mobility;
            if let Some(proxy) = self.proxies[slot].take_if(|proxy| stale(proxy)) {
                self.broad_phase.remove(proxy.id);
            }
            let (Some(id), Some(mobility)) = (current, mobility) else { continue };
            let Some(collider) = model.colliders().get(id) else { continue };
            let body = &state.bodies[collider.body.slot()];
            let reach = reach(collider, body, dt);
            let here = collider.shape.aabb(&world_pose(collider, body)).expanded(reach);
            let travel = body.velocity * dt;
            let aabb = here.merged(&Aabb::new(here.min + travel, here.max + travel));
            match &self.proxies[slot] {
                Some(proxy) => {
                    self.broad_phase.relocate(proxy.id, aabb, travel);
                }
                None => {
                    let proxy = self.broad_phase.insert(aabb, mobility);
                    self.colliders.resize(self.colliders.len().max(proxy.0 as usize + 1), id);
                    self.colliders[proxy.0 as usize] = id;
                    self.proxies[slot] = Some(Proxy { collider: id, id: proxy, mobility });
                }
            }
        }
    }

    /// Whether the boxes of two proxies overlap, without the margin that depends on where they were before.
    fn may_meet(&self, a: ProxyId, b: ProxyId) -> bool {
        let [a, b] = [a, b].map(|id| self.broad_phase.aabb(id));
        a.zip(b).is_some_and(|(a, b)| a.overlaps(&b))
    }

    /// Keeps one contact for each pair of near colliders that may collide.
    fn update_pairs(&mut self, model: &Model) {
        self.broad_phase.update_pairs();
        let jointed = bodies_that_joints_keep_from_colliding(model);
        let mut pairs: Vec<[ColliderId; 2]> = self
            .broad_phase
            .pairs()
            .iter()
            .filter(|&&(a, b)| self.may_meet(a, b))
            .map(|&(a, b)| [self.colliders[a.0 as usize], self.colliders[b.0 as usize]])
            .map(|[a, b]| if a < b { [a, b] } else { [b, a] })
            .filter(|&pair| may_collide(model, pair, &jointed))
            .collect();
        pairs.sort_unstable();
        let mut old = std::mem::take(&mut self.contacts).into_iter().peekable();
        for pair in pairs {
            while let Some(lost) = old.next_if(|contact| contact.colliders < pair) {
                self.ended.push(lost);
            }
            let contact = old.next_if(|contact| contact.colliders == pair);
            self.contacts.extend(contact.or_else(|| new_contact(model, pair)));
        }
        self.ended.extend(old);
    }

    /// Notes how fast the surfaces of each contact will meet: with approach speed v, gap g and the relative acceleration a
    /// that forces cause, `v² + 2 a g` is the square of the speed at the moment of touching.
    pub(super) fn remember_approach(&mut self, model: &Model, state: &State, dt: f64, touch_distance: f64) {
        let mut wrenches = Wrenches::zero(state.bodies.len());
        let context = ForceContext { model, time: state.time, bodies: &state.bodies };
        for (_, force) in model.forces().iter() {
            force.apply(&context, &mut wrenches);
        }
        for contact in self.contacts.iter_mut().filter(|contact| contact.material.restitution > 0.0) {
            let views = contact.bodies.map(|id| view(model, state, id));
            let accelerations = contact.bodies.map(|id| {
                let mass = model.bodies().get(id).map_or(0.0, |body| body.inverse_mass);
                wrenches.as_slice()[id.slot()].force * mass
            });
            for point in &mut contact.points {
                let normal = point.geometry.normal;
                let jacobian = point_jacobian(&views, point.geometry.position, normal);
                let approach = -jacobian.dot(views.map(|v| v.velocity), views.map(|v| v.angular_velocity));
                let acceleration = (accelerations[0] - accelerations[1]).dot(normal);
                let square = approach * approach + 2.0 * acceleration * point.geometry.gap;
                // Only what will touch within the step meets at all.
                let closed = approach * dt + 0.5 * acceleration * dt * dt;
                let meets = point.geometry.gap - closed <= touch_distance;
                point.impact_speed = if approach > 0.0 && meets { square.max(0.0).sqrt().min(f64::MAX) } else { 0.0 };
            }
        }
    }
}

fn view(model: &Model, state: &State, id: BodyId) -> BodyView {
    model.bodies().get(id).map_or(BodyView::WORLD, |body| BodyView::new(body, &state.bodies[id.slot()]))
}

fn world_pose(collider: &ColliderModel, body: &BodyState) -> Transform {
    body.center_pose() * collider.center_pose
}

/// How much farther than its speed says a collider may get within a step: by turning, by accelerating (up to 50 m/s²),
/// and a hundredth of its size for good measure.
fn reach(collider: &ColliderModel, body: &BodyState, dt: f64) -> f64 {
    let radius = radius(collider);
    if radius.is_finite() { dt * body.angular_velocity.length() * radius + 0.01 * radius + 25.0 * dt * dt } else { 0.0 }
}

/// How far a collider reaches from its body's centre of mass.
fn radius(collider: &ColliderModel) -> f64 {
    let sphere = &collider.bounding_sphere;
    collider.center_pose.point(sphere.center).length() + sphere.radius
}

fn mobility(model: &Model, id: ColliderId) -> Option<Mobility> {
    let body = model.bodies().get(model.colliders().get(id)?.body)?;
    Some(if body.kind.moves() { Mobility::Moving } else { Mobility::Fixed })
}

fn bodies_that_joints_keep_from_colliding(model: &Model) -> BTreeSet<[BodyId; 2]> {
    let pair = |ends: [JointEnd; 2]| match ends {
        [JointEnd::Body(a), JointEnd::Body(b)] => Some([a.min(b), a.max(b)]),
        _ => None,
    };
    model.joints().iter().filter(|(_, joint)| !joint.collide).filter_map(|(_, joint)| pair(joint.ends)).collect()
}

fn may_collide(model: &Model, pair: [ColliderId; 2], jointed: &BTreeSet<[BodyId; 2]>) -> bool {
    let [Some(a), Some(b)] = pair.map(|id| model.colliders().get(id)) else { return false };
    let bodies = [a.body.min(b.body), a.body.max(b.body)];
    let movable = bodies.iter().any(|&id| model.bodies().get(id).is_some_and(|body| body.kind.is_movable()));
    bodies[0] != bodies[1]
        && (movable || a.sensor || b.sensor)
        && !jointed.contains(&bodies)
        && model.may_collide(bodies)
}

fn new_contact(model: &Model, colliders: [ColliderId; 2]) -> Option<Contact> {
    let a = model.colliders().get(colliders[0])?;
    let b = model.colliders().get(colliders[1])?;
    Some(Contact {
        colliders,
        bodies: [a.body, b.body],
        points: Vec::new(),
        material: model.mixing().mix(&a.material, &b.material),
        touching: false,
        touched_before: false,
        sensor: a.sensor || b.sensor,
        first_is_sensor: a.sensor,
        cache: PairCache::default(),
        shapes: [a.shape_revision, b.shape_revision],
        dt: 0.0,
        tilt: DVec3::ZERO,
    })
}

/// Finds the contact points of a pair and recognises those of the step before.
fn update_contact(
    contact: &mut Contact,
    model: &Model,
    state: &mut State,
    dt: f64,
    settings: &RetroactiveSettings,
    manifolds: &mut Vec<Manifold>,
) {
    let [Some(a), Some(b)] = contact.colliders.map(|id| model.colliders().get(id)) else { return };
    let still =
        |id: BodyId| state.bodies[id.slot()].asleep || model.bodies().get(id).is_some_and(|body| !body.kind.moves());
    if contact.bodies.iter().all(|&id| still(id)) && !contact.points.is_empty() {
        return;
    }
    contact.forget_other_shapes([a.shape_revision, b.shape_revision]);
    (contact.sensor, contact.first_is_sensor) = (a.sensor || b.sensor, a.sensor);
    contact.material = model.mixing().mix(&a.material, &b.material);
    let (body_a, body_b) = (state.bodies[a.body.slot()], state.bodies[b.body.slot()]);
    let pose_a = world_pose(a, &body_a);
    let b_in_a = pose_a.to_local(&world_pose(b, &body_b));
    if contact.sensor {
        contact.touching = query::intersects(&a.shape, &b.shape, &b_in_a);
        contact.points.clear();
        return;
    }
    manifolds.clear();
    let prediction = prediction([a, b], [&body_a, &body_b], dt);
    let options = ManifoldOptions { prediction, ..ManifoldOptions::default() };
    query::contact_manifolds(&a.shape, &b.shape, &b_in_a, &options, &mut contact.cache, manifolds);
    if manifolds.is_empty() {
        // What is remembered of a pair must not depend on how early the broad phase found it.
        (contact.cache, contact.tilt) = (PairCache::default(), DVec3::ZERO);
    }
    let old = std::mem::take(&mut contact.points);
    if old.is_empty() && !manifolds.is_empty() && contact.material.perturbation > 0.0 {
        contact.tilt = random_tilt(&mut state.random, contact.material.perturbation);
    }
    for manifold in manifolds.iter() {
        let normal = contact.tilted(pose_a.vector(manifold.normal));
        for point in manifold.points() {
            let key = (manifold.part_a, manifold.part_b, point.feature);
            let geometry = ContactGeometry { position: pose_a.point(point.position), normal, gap: -point.depth };
            let known = old.iter().find(|old| old.key == key);
            contact.points.push(match known {
                Some(known) => known.moved_to(geometry, dt),
                None => ContactPointState::new(key, geometry),
            });
        }
    }
    contact.touching = contact.points.iter().any(|point| point.geometry.gap <= settings.touch_distance);
}

/// Up to which gap contact points are wanted: what the surfaces can approach each other by within a step.
fn prediction(colliders: [&ColliderModel; 2], bodies: [&BodyState; 2], dt: f64) -> f64 {
    let speed = (bodies[1].velocity - bodies[0].velocity).length();
    (speed * dt + reach(colliders[0], bodies[0], dt) + reach(colliders[1], bodies[1], dt)).min(f64::MAX)
}

/// A vector with each coordinate uniform in ±ε (G 2.6.5), from the generator in the state (splitmix64).
fn random_tilt(random: &mut u64, epsilon: f64) -> DVec3 {
    let mut uniform = || {
        *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    epsilon * DVec3::new(uniform(), uniform(), uniform())
}
