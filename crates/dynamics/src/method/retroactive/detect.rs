//! Collision detection: which colliders are near each other (broad phase), where they touch (narrow phase), and which of
//! the contact points are those of the step before (warm starting needs to know).
//!
//! Contacts are found at the end of a step for the next one, with points also where there is still a gap that the next step
//! may close: speculative contacts. They are the continuous collision detection of this method, what keeps fast bodies from
//! passing through thin walls (tunnelling). Before a step, contacts are found anew only for what the user changed.

use super::RetroactiveSettings;
use super::contact::{PairState, PointState};
use crate::constraint::BodyView;
use crate::constraint::contact::{ContactGeometry, point_jacobian};
use crate::force::Wrenches;
use crate::journal::{BodyChange, Change, JointChange, Journal};
use crate::model::JointEnd;
use crate::parts::regions::{reach, relocate, world_pose};
use crate::parts::roster::Roster;
use crate::parts::{forces, pairs, perturbation};
use crate::{BodyId, Cancel, ColliderId, ColliderIndex, Id, Model, State, StepError, Workers};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tumble_geometry::query::{self, Manifold, ManifoldOptions, PairCache};

/// The fewest contacts that are worth a thread of their own.
const LEAST_SHARE: usize = 64;

/// The contacts, remembered from step to step.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Contacts {
    /// Sorted by the ids of the colliders.
    pub(super) list: Vec<PairState>,
    /// Contacts that ceased to exist since the last report.
    pub(super) ended: Vec<PairState>,
    /// The longest step they were found for, in seconds.
    found_for: f64,
    /// Room to work in.
    #[serde(skip)]
    near: Vec<[ColliderId; 2]>,
}

/// What of them goes into a file: the fields of [`Contacts`] by the same names.
#[derive(Serialize)]
pub(super) struct ContactsToSave<'a> {
    list: Vec<Cow<'a, PairState>>,
    ended: &'a [PairState],
    found_for: f64,
}

/// A copy that uses the memory of what it replaces.
impl Clone for Contacts {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), ended: self.ended.clone(), found_for: self.found_for, near: Vec::new() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
        self.ended.clone_from(&other.ended);
        self.found_for = other.found_for;
    }
}

/// Where the bodies are, and how long the next step or part of it is.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) dt: f64,
    pub(super) settings: &'a RetroactiveSettings,
}

/// What detection looks at.
#[derive(Clone, Copy)]
pub(super) struct Scenery<'a> {
    pub(super) moment: Moment<'a>,
    pub(super) roster: &'a Roster,
    pub(super) workers: &'a Workers,
    pub(super) cancel: &'a Cancel,
}

/// Whose contacts are to be found.
#[derive(Clone, Debug, PartialEq)]
enum Scope {
    All,
    /// Of these bodies, by slot.
    Bodies(Vec<bool>),
}

impl Scope {
    fn includes(&self, id: BodyId) -> bool {
        match self {
            Self::All => true,
            Self::Bodies(chosen) => chosen.get(id.slot()).copied().unwrap_or(false),
        }
    }
}

impl Contacts {
    /// Finds contacts anew for what the user changed, or for all if the step became longer since the last time.
    pub(super) fn refresh(
        &mut self,
        world: &Scenery<'_>,
        changes: &Journal,
        index: &mut ColliderIndex,
    ) -> Result<(), StepError> {
        let scope =
            if world.moment.dt > self.found_for { Some(Scope::All) } else { touched(world.moment.model, changes) };
        scope.map_or(Ok(()), |scope| self.find(world, index, &scope))
    }

    /// Finds all contacts for the bodies where they are now; the step length tells how far they may move until the next
    /// time.
    pub(super) fn detect(&mut self, world: &Scenery<'_>, index: &mut ColliderIndex) -> Result<(), StepError> {
        self.find(world, index, &Scope::All)
    }

    fn find(&mut self, world: &Scenery<'_>, index: &mut ColliderIndex, scope: &Scope) -> Result<(), StepError> {
        let Moment { model, state, dt, .. } = world.moment;
        relocate(model, state, dt, world.roster.movers(), index);
        pairs::follow(model, index, &mut self.list, &mut self.ended, &mut self.near)?;
        world.workers.for_each(&mut self.list, LEAST_SHARE, Vec::new, |manifolds, pair| {
            if pair.bodies.iter().any(|&id| scope.includes(id)) && !world.cancel.is_cancelled() {
                update(pair, &world.moment, manifolds);
            }
        });
        self.found_for = dt;
        Ok(())
    }

    /// Finds the points of some contacts anew.
    pub(super) fn find_again(&mut self, moment: &Moment<'_>, contacts: &[usize]) {
        let mut manifolds = Vec::new();
        contacts.iter().for_each(|&index| update(&mut self.list[index], moment, &mut manifolds));
    }

    /// Notes how fast the surfaces of each contact will meet: with approach speed v, gap g and the relative acceleration a
    /// that forces cause, `v² + 2 a g` is the square of the speed at the moment of touching.
    pub(super) fn remember_approach(&mut self, moment: &Moment<'_>) {
        note_approach(moment, self.list.iter_mut());
    }

    /// The same for some contacts.
    pub(super) fn remember_approach_of(&mut self, moment: &Moment<'_>, contacts: &[usize]) {
        let Self { list, .. } = self;
        note_approach(
            moment,
            list.iter_mut().enumerate().filter(|(index, _)| contacts.contains(index)).map(|(_, c)| c),
        );
    }

    /// Those that leave a trace.
    pub(super) fn to_save(&self, model: &Model) -> ContactsToSave<'_> {
        let revision = |id| model.colliders().get(id).map(|collider| collider.shape_revision);
        let to_save = |contact| -> Option<Cow<'_, PairState>> {
            let contact: &PairState = contact;
            let [Some(a), Some(b)] = contact.colliders.map(revision) else { return None };
            let mut contact = Cow::Borrowed(contact);
            if contact.shapes != [a, b] {
                contact.to_mut().forget_other_shapes([a, b]);
            }
            let leaves_a_trace = !contact.points.is_empty() || contact.touch.now || contact.touch.before;
            leaves_a_trace.then_some(contact)
        };
        let list = self.list.iter().filter_map(to_save).collect();
        ContactsToSave { list, ended: &self.ended, found_for: self.found_for }
    }

    /// Takes over contacts that were saved: forgets those of colliders that are not there.
    pub(super) fn adopt(&mut self, model: &Model) {
        let Self { list, ended, .. } = self;
        list.retain_mut(|contact| {
            let [Some(a), Some(b)] = contact.colliders.map(|id| model.colliders().get(id)) else { return false };
            contact.shapes = [a.shape_revision, b.shape_revision];
            contact.bodies == [a.body, b.body]
        });
        list.sort_by_key(|contact| contact.colliders);
        list.dedup_by_key(|contact| contact.colliders);
        ended.retain(|contact| contact.touch.before);
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.ended.clear();
        self.found_for = 0.0;
    }
}

/// Notes how fast the surfaces of contacts will meet, and when.
fn note_approach<'a>(moment: &Moment<'_>, contacts: impl Iterator<Item = &'a mut PairState>) {
    let Moment { model, state, dt, settings } = *moment;
    let mut wrenches = Wrenches::default();
    forces::sum(model, state.time, &state.bodies, &mut wrenches);
    for contact in contacts.filter(|contact| !contact.points.is_empty()) {
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
            let meets = point.geometry.gap - closed <= settings.touch_distance;
            let speed = square.max(0.0).sqrt().min(f64::MAX);
            point.impact_speed = if approach > 0.0 && meets { speed } else { 0.0 };
            point.acceleration = if acceleration.is_finite() { acceleration } else { 0.0 };
            // g = v t + a t²/2, solved without cancellation.
            let time = 2.0 * point.geometry.gap.max(0.0) / (approach + speed);
            point.meeting_time = if approach > 0.0 && time <= dt { time } else { f64::INFINITY };
        }
    }
}

/// The bodies whose contacts have to be found anew after changes; none if there are none.
fn touched(model: &Model, changes: &Journal) -> Option<Scope> {
    if changes.is_everything() {
        return Some(Scope::All);
    }
    let mut chosen: Option<Vec<bool>> = None;
    let mut choose = |id: BodyId| {
        let chosen = chosen.get_or_insert_with(|| vec![false; model.bodies().slot_count()]);
        if let Some(chosen) = chosen.get_mut(id.slot()) {
            *chosen = true;
        }
    };
    for change in changes.iter() {
        match change {
            Change::Filter | Change::Mixing | Change::ContactRule => return Some(Scope::All),
            Change::Body(
                id,
                BodyChange::Added
                | BodyChange::Removed
                | BodyChange::Moved
                | BodyChange::Pushed
                | BodyChange::Mass
                | BodyChange::Kind
                | BodyChange::Groups
                | BodyChange::Slept
                | BodyChange::Woken,
            ) => choose(id),
            Change::Collider(id, _) => match model.colliders().get(id) {
                Some(collider) => choose(collider.body),
                None => return Some(Scope::All),
            },
            Change::Joint(id, JointChange::Added | JointChange::Removed | JointChange::Collision) => {
                match model.joints().get(id) {
                    Some(joint) => joint.ends.into_iter().for_each(|end| match end {
                        JointEnd::Body(id) => choose(id),
                        JointEnd::World => {}
                    }),
                    None => return Some(Scope::All),
                }
            }
            Change::Body(..) | Change::Joint(..) | Change::Force(..) => {}
        }
    }
    chosen.map(Scope::Bodies)
}

pub(super) fn view(model: &Model, state: &State, id: BodyId) -> BodyView {
    model.bodies().get(id).map_or(BodyView::WORLD, |body| BodyView::new(body, &state.bodies[id.slot()]))
}

/// Finds the contact points of a pair and recognises those of the step before.
fn update(pair: &mut PairState, moment: &Moment<'_>, manifolds: &mut Vec<Manifold>) {
    let Moment { model, state, dt, settings } = *moment;
    let [Some(a), Some(b)] = pair.colliders.map(|id| model.colliders().get(id)) else { return };
    let still =
        |id: BodyId| state.bodies[id.slot()].asleep || model.bodies().get(id).is_some_and(|body| !body.kind.moves());
    let shapes = [a.shape_revision, b.shape_revision];
    if pair.bodies.iter().all(|&id| still(id)) && !pair.points.is_empty() && pair.shapes == shapes {
        return;
    }
    pair.forget_other_shapes(shapes);
    (pair.sensor, pair.first_is_sensor) = (a.sensor || b.sensor, a.sensor);
    pair.material = model.mixing().mix(&a.material, &b.material);
    let (body_a, body_b) = (&state.bodies[a.body.slot()], &state.bodies[b.body.slot()]);
    let pose_a = world_pose(a, body_a);
    let b_in_a = pose_a.to_local(&world_pose(b, body_b));
    if pair.sensor {
        pair.touch.now = query::intersects(&a.shape, &b.shape, &b_in_a);
        pair.points.clear();
        return;
    }
    manifolds.clear();
    // Points are wanted up to the gap that the surfaces can close within a step.
    let speed = (body_b.velocity - body_a.velocity).length();
    let prediction = (speed * dt + reach(model, a, body_a, dt) + reach(model, b, body_b, dt)).min(f64::MAX);
    let options = ManifoldOptions { prediction, ..ManifoldOptions::default() };
    query::contact_manifolds(&a.shape, &b.shape, &b_in_a, &options, &mut pair.cache, manifolds);
    if manifolds.is_empty() {
        // What is remembered of a pair must not depend on how early the broad phase found it.
        (pair.cache, pair.tilt) = (PairCache::default(), DVec3::ZERO);
    }
    let old = std::mem::take(&mut pair.points);
    let rough = pair.material.perturbation;
    if let (true, Some(first), true) = (old.is_empty(), manifolds.first(), rough > 0.0) {
        pair.tilt = perturbation::begin(model, state, pair.colliders, rough, pose_a.vector(first.normal));
    }
    for manifold in manifolds.iter() {
        let ideal = pose_a.vector(manifold.normal);
        for point in manifold.points() {
            let key = (manifold.part_a, manifold.part_b, point.feature);
            let position = pose_a.point(point.position);
            let normal = pair.tilted(ideal, perturbation::here(model, state, rough, position));
            let geometry = ContactGeometry { position, normal, gap: -point.depth };
            let known = old.iter().find(|old| old.key == key);
            pair.points.push(match known {
                Some(known) => known.moved_to(point.features, geometry, dt),
                None => PointState::new(key, point.features, geometry),
            });
        }
    }
    ask_rule(pair, model, state);
    pair.touch.now = pair.points.iter().any(|point| point.geometry.gap <= settings.touch_distance);
}

/// Applies the contact rule of the model, if there is one.
fn ask_rule(pair: &mut PairState, model: &Model, state: &State) {
    let nearest = pair.points.iter().map(|point| (point.geometry.normal, point.geometry.gap));
    let Some(nearest) = nearest.min_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    pair.surface_velocity = DVec3::ZERO;
    let Some(change) = model.contact_change(state, pair.colliders, pair.material, nearest) else { return };
    (pair.material, pair.surface_velocity) = (change.material, change.surface_velocity);
    if !change.solid {
        pair.points.clear();
        (pair.cache, pair.tilt) = (PairCache::default(), DVec3::ZERO);
    }
}
