//! Conservative advancement (G 4.5, 6.2.5; Mirtich 1996): from contact to contact, and never into each other.
//!
//! Other methods take a step and then see what overlaps. This one asks when the next two bodies will touch (`path`), moves everybody to
//! that moment and no further, resolves the impact, and asks again, until the step is over. Bodies are never inside each other, and the times of
//! impacts are known to ten digits.
//!
//! **Rest is a train of tiny hops** (micro-collisions): an impact slower than the hop speed is answered with the hop speed, at which a body comes
//! back as fast as it left. On the mean the impulses of the hops are the weight, and friction holds what it can hold. The hops are a hundred-thousandth
//! of a body's size; a box at rest makes some dozens in a sixtieth of a second. So stacks are slow, and many bodies at rest together
//! are more than a step can follow; then it is refused.
//!
//! What it is good for: few fast bodies and exact bounces. What it is not: rest, stacks, joints.

mod path;

use self::path::{Approach, Path};
use super::classic::notify::HIT;
use super::classic::{Classic, Contacts, Rule, Step};
use super::impact::{Impact, Side};
use crate::event::ImpactEvent;
use crate::force::Wrenches;
use crate::parts::{forces, scripts};
use crate::report::Stopwatch;
use crate::schema::JsonSchema;
use crate::{Id, Model, State, StepError};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Conservative advancement. See the module's documentation.
pub type Advancing = Classic<AdvancingSettings>;

/// Points closer than this, relative to the size of the smaller collider, take part in an impact.
const TOUCHING: f64 = 1e-6;

/// How often, for each contact that a step may follow, it is asked when two bodies will touch: many bodies near each other make every
/// moment dear.
const QUESTIONS: u64 = 4;

/// How often the points of one moment are hit at most.
const ROUNDS: usize = 500;

/// From one impact to the next, for things that fly and collide; nothing rests and there are no joints (conservative advancement). A
/// classic, for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdvancingSettings {
    /// How high what rests hops, as a part of the size of the smaller collider. Default 1e-5.
    #[schemars(range(min = 1e-9, max = 0.1), extend("unit" = "1"))]
    pub hop: f64,
    /// How many moments of contact a step follows at most before it is refused. Default 20000.
    #[schemars(range(min = 1, max = 1000000000))]
    pub most_contacts: u32,
}

impl Default for AdvancingSettings {
    fn default() -> Self {
        Self { hop: 1e-5, most_contacts: 20_000 }
    }
}

/// Room to work in.
#[derive(Debug, Default)]
pub struct Room {
    wrenches: Wrenches,
    paths: Vec<Path>,
}

impl Rule for AdvancingSettings {
    const NAME: &'static str = "advancing";
    type Mark = ();
    type Memory = ();
    type Room = Room;

    fn advance(&self, step: &mut Step<'_, Self>, room: &mut Room) -> Result<(), StepError> {
        step.refuse_joints("\"retroactive\", \"realtime\", \"accurate\", \"verlet\" and \"penalty\"")?;
        let watch = Stopwatch::start();
        step.contacts.smooth = true;
        let start = step.state.time;
        let mut elapsed = 0.0;
        let mut questions = 0;
        let mut result = Ok(());
        step.contacts.find_pairs(step.model, step.state, step.dt, step.roster, step.index)?;
        for moment in 0.. {
            step.state.time = start + elapsed;
            room.plan(step.model, step.state, step.dt - elapsed);
            let left = step.dt - elapsed;
            let meeting = first_meeting(step, &room.paths, left);
            let wait = meeting.unwrap_or(left);
            for (body, path) in step.state.bodies.iter_mut().zip(&room.paths) {
                *body = path.at(wait);
            }
            elapsed = if meeting.is_some() { elapsed + wait } else { step.dt };
            result = step.check_finite();
            if meeting.is_none() || result.is_err() {
                break;
            }
            questions += step.contacts.list.len() as u64;
            if moment >= self.most_contacts || questions > QUESTIONS * u64::from(self.most_contacts) {
                let what = match moment >= self.most_contacts {
                    true => {
                        format!("follow more than {} contacts within one step of {} s", self.most_contacts, step.dt)
                    }
                    false => format!(
                        "follow {} pairs of bodies through {moment} contacts in a step",
                        step.contacts.list.len()
                    ),
                };
                let instead = "shorter steps or other methods";
                result = Err(StepError::Cannot { method: Self::NAME, what, instead });
                break;
            }
            step.report.solved.sweeps += 1;
            step.contacts.find_points(step.model, step.state, TOUCHING);
            self.collide(step, room, (start, elapsed));
            step.state.time = start + elapsed;
            step.observer.moment(step.state.time, step.state);
            result = step.contacts.find_pairs(step.model, step.state, step.dt - elapsed, step.roster, step.index);
            if result.is_err() {
                break;
            }
        }
        step.state.time = start;
        result?;
        scripts::follow(step.model, &step.roster.scripted, step.state.time_after(step.dt), &mut step.state.bodies);
        step.contacts.find_points(step.model, step.state, TOUCHING);
        step.report.times.solve = watch.elapsed();
        Ok(())
    }
}

impl Room {
    /// The paths of all bodies from now on, with the accelerations of this moment. Scripted bodies are carried to where their scripts are at
    /// the end.
    fn plan(&mut self, model: &Model, state: &State, left: f64) {
        forces::sum(model, state.time, &state.bodies, &mut self.wrenches);
        self.paths.clear();
        self.paths.extend(state.bodies.iter().map(|&start| Path { start, acceleration: [DVec3::ZERO; 2] }));
        for (id, body) in model.bodies().iter() {
            let path = &mut self.paths[id.slot()];
            if body.kind.is_movable() {
                let mut wrench = self.wrenches.as_slice()[id.slot()];
                wrench += state.applied.get(id.slot());
                let BodyRates { linear, angular } = rates(body, &path.start, wrench);
                path.acceleration = [linear, angular];
            } else if let crate::model::BodyKind::Scripted(script) = &body.kind {
                follow(path, body, &**script, state.time, left);
            }
        }
    }
}

struct BodyRates {
    linear: DVec3,
    angular: DVec3,
}

/// The accelerations of a body under a force and a torque, with its damping and the gyroscopic torque.
fn rates(body: &crate::model::BodyModel, state: &crate::BodyState, wrench: crate::Wrench) -> BodyRates {
    let linear = wrench.force * body.inverse_mass - state.velocity * body.linear_damping;
    if body.inverse_inertia == DMat3::ZERO {
        return BodyRates { linear, angular: DVec3::ZERO };
    }
    let omega = state.angular_velocity;
    let gyroscopic = omega.cross(body.world_inertia(state.rotation) * omega);
    let pushed = body.world_inverse_inertia(state.rotation) * (wrench.torque - gyroscopic);
    BodyRates { linear, angular: pushed - omega * body.angular_damping }
}

/// A scripted body moves evenly from where it is to where its script is at the end of the step.
fn follow(path: &mut Path, body: &crate::model::BodyModel, script: &dyn crate::model::Script, time: f64, left: f64) {
    if left <= 0.0 {
        return;
    }
    let pose = script.pose(time + left).normalized();
    let center = pose.point(body.mass.center);
    path.start.velocity = (center - path.start.position) / left;
    let turn = tumble_geometry::math::rotation_vector(pose.rotation * path.start.rotation.conjugate());
    path.start.angular_velocity = turn / left;
}

/// After how many seconds the first two bodies meet; none if nobody does within `left`.
fn first_meeting(step: &Step<'_, AdvancingSettings>, paths: &[Path], left: f64) -> Option<f64> {
    let solid = |id| step.model.colliders().get(id).is_some_and(|collider| !collider.sensor);
    let pairs = step.contacts.list.iter().filter(|pair| pair.colliders.into_iter().all(solid));
    let mut first: Option<f64> = None;
    for pair in pairs {
        let Some(approach) = Approach::new(step.model, pair.colliders, paths) else { continue };
        let met = approach.meeting(first.unwrap_or(left));
        first = met.or(first);
    }
    first
}

impl AdvancingSettings {
    /// Hits all points that touch and approach, over and over until none does.
    fn collide(&self, step: &mut Step<'_, Self>, room: &Room, (start, elapsed): (f64, f64)) {
        let (model, state) = (step.model, &mut *step.state);
        let side = |state: &State, slot: usize, at: DVec3| {
            let body = model.bodies().in_slot(slot);
            let turned = state.bodies[slot].rotation;
            Side {
                inverse_mass: body.map_or(0.0, |body| body.inverse_mass),
                inverse_inertia: body.map_or(DMat3::ZERO, |body| body.world_inverse_inertia(turned)),
                lever: at - state.bodies[slot].position,
            }
        };
        for round in 0..ROUNDS {
            let mut any = false;
            let Contacts { list, hits, .. } = &mut *step.contacts;
            for pair in list {
                let places = pair.bodies.map(Id::slot);
                let pull = (room.paths[places[1]].acceleration[0] - room.paths[places[0]].acceleration[0]).length();
                let hop = (2.0 * pull * self.hop * pair.size.min(1.0)).sqrt();
                for point in &mut pair.points {
                    let (at, normal) = (point.geometry.position, point.geometry.normal);
                    let [first, second] = places.map(|slot| &state.bodies[slot]);
                    let velocity = second.velocity_at(at) - first.velocity_at(at);
                    let speed = -velocity.dot(normal);
                    if speed <= 1e-12 {
                        continue;
                    }
                    any = true;
                    // What comes back slower than a hop comes back with a hop; after many rounds nothing bounces any more.
                    let bounce = (pair.material.restitution * speed).max(if round < ROUNDS / 2 { hop } else { 0.0 });
                    let restitution = bounce / speed;
                    let sides = [side(state, places[0], at), side(state, places[1], at)];
                    let solve = |friction| Impact::between(sides, velocity, normal, restitution, friction).impulse();
                    let [stick, slip] = [pair.material.static_friction, pair.material.dynamic_friction];
                    let found = solve(stick).filter(|(_, sticks)| *sticks).or_else(|| solve(slip));
                    let Some((impulse, _)) = found else { continue };
                    for (slot, side, push) in [(places[0], sides[0], -impulse), (places[1], sides[1], impulse)] {
                        let body = &mut state.bodies[slot];
                        body.velocity += push * side.inverse_mass;
                        body.angular_velocity += side.inverse_inertia * side.lever.cross(push);
                    }
                    let along = impulse.dot(normal);
                    point.impulse.normal += along;
                    point.impulse.friction += impulse - normal * along;
                    if speed > HIT && round == 0 {
                        let (colliders, bodies, position) = (pair.colliders, pair.bodies, at);
                        let time = start + elapsed;
                        hits.push(ImpactEvent { time, colliders, bodies, position, normal, speed, impulse });
                    }
                }
            }
            if !any {
                return;
            }
        }
    }
}
