//! Impact dynamics (H): every contact is a collision, even lying still.
//!
//! Hahn (1988) has no contact forces, no constraints and no accelerations. Bodies move freely for a frame of 1/24 or 1/30 s; then those that
//! overlap get the velocities they would have after an impact, and are backed up to where they touch. What rests on the floor
//! has gained momentum during the frame and loses it again in an impact: the impulse of that is the force of the floor times the frame. So rest,
//! rolling and sliding come out of one formula, and friction knows stick and slip.
//!
//! A step:
//!
//! 1. **move** by Runge–Kutta on Euler's equations; scripted bodies follow their scripts, or a blend (`control`);
//! 2. **detect** overlaps; where corners meet, the normal is the mean of their neighbours' (`normals`);
//! 3. **respond**, breadth first from what does not move (`graph`): the points of a pair that approach each other are hit together in the
//!    middle, then each for itself (`equations`), over and over until none approaches; impacts slower than the rest speed do not bounce;
//! 4. **back up** in the same order: bodies that stick go back the way they came (H's ray along the relative velocity), others along the normal.
//!    The pair that closes a cycle is shared, so that nobody is backed into a neighbour.
//!
//! H takes the vertices inside the other polyhedron for the points of contact; here they are those of the contact manifold, which exist for
//! every shape. Bodies that fly through each other within a frame are not noticed, as in the document.
//!
//! What it is good for: animation with few frames, believable tumbling, piles that settle. What it is not: joints (there are none; a chain is made
//! of interlocking links), bounces of the right height (the moment of impact is known to a frame), tall stacks in few rounds.

mod control;
mod equations;
pub(in crate::method) mod graph;
mod normals;

pub use control::{Blend, Schedule};
pub use equations::{Impact, Side};

use self::control::Properties;
use self::graph::{Edge, breadth_first};
use super::classic::{Classic, Pair, Rule, Step};
use crate::force::Wrenches;
use crate::integrator::{Integrator, RungeKutta4};
use crate::parts::free_motion::FreeMotion;
use crate::parts::{forces, scripts};
use crate::report::Stopwatch;
use crate::schema::JsonSchema;
use crate::{BodyState, Id, ModelError, State, StepError};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Impact dynamics. See the module's documentation.
pub type ImpactDynamics = Classic<ImpactSettings>;

/// How near surfaces are that take part, as a part of the size of the smaller collider.
const MARGIN: f64 = 2e-3;

/// How often pairs are backed up in a step.
const BACKING_ROUNDS: usize = 8;

/// Surfaces that approach slower than this part of the rest speed do not.
const CALM: f64 = 1e-3;

/// Numbers that govern impact dynamics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImpactSettings {
    /// Impacts slower than this do not bounce: continuous contact, in m/s; `null` (default) for twice what the forces change the speed by in a
    /// step.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub rest_speed: Option<f64>,
    /// How often all contacts are gone through at most. Default 200.
    #[schemars(range(min = 1, max = 100000))]
    pub rounds: u32,
    /// Whether no impact may gain energy, which Newton's rule allows in rare cases with friction. Default false, as in the document.
    pub bound_energy: bool,
    /// Properties of bodies as functions of time. Default: none.
    pub schedules: Vec<Schedule>,
    /// Scripted bodies that impacts move too. Default: none.
    pub blends: Vec<Blend>,
}

impl Default for ImpactSettings {
    fn default() -> Self {
        Self { rest_speed: None, rounds: 200, bound_energy: false, schedules: Vec::new(), blends: Vec::new() }
    }
}

/// Room to work in.
#[derive(Debug, Default)]
pub struct Room {
    wrenches: Wrenches,
    properties: Vec<Properties>,
    before: Vec<BodyState>,
    /// By slot: how far a body was backed up.
    shifts: Vec<DVec3>,
    /// By number of the pair: how the second body approached the first, and whether they stuck.
    ways: Vec<(DVec3, bool)>,
}

/// What a response needs to know of the step.
#[derive(Clone, Copy, Debug)]
struct Response {
    rest_speed: f64,
    /// Whether nothing bounces any more.
    quiet: bool,
    bound_energy: bool,
}

impl Rule for ImpactSettings {
    const NAME: &'static str = "impact";
    type Mark = ();
    type Memory = ();
    type Room = Room;

    fn advance(&self, step: &mut Step<'_, Self>, room: &mut Room) -> Result<(), StepError> {
        step.refuse_joints("\"retroactive\", \"realtime\", \"verlet\" and \"penalty\"")?;
        let watch = Stopwatch::start();
        self.move_freely(step, room);
        step.check_finite()?;
        step.report.times.integrate = watch.elapsed();

        let watch = Stopwatch::start();
        step.contacts.find_pairs(step.model, step.state, 0.0, step.roster, step.index);
        step.contacts.find_points(step.model, step.state, MARGIN);
        average_normals(step);
        let touching = step.contacts.list.iter().enumerate().filter(|(_, pair)| !pair.points.is_empty());
        let ends: Vec<_> = touching.map(|(index, pair)| (index, pair.bodies.map(Id::slot))).collect();
        let properties = &room.properties;
        let order = breadth_first(step.state.bodies.len(), &ends, |slot| properties[slot].inverse_mass > 0.0);
        step.report.times.detect = watch.elapsed();

        let watch = Stopwatch::start();
        self.respond(step, room, &order);
        back_up(step, room, &order);
        step.report.times.solve = watch.elapsed();
        Ok(())
    }
}

impl ImpactSettings {
    /// Refuses what makes no sense.
    pub fn validate(&self) -> Result<(), ModelError> {
        self.schedules.iter().try_for_each(Schedule::validate)
    }

    /// Moves all bodies as if nothing were in their way.
    fn move_freely(&self, step: &mut Step<'_, Self>, room: &mut Room) {
        let (model, dt) = (step.model, step.dt);
        let time = step.state.time_after(dt);
        room.before.clone_from(&step.state.bodies);
        forces::sum(model, step.state.time, &step.state.bodies, &mut room.wrenches);
        let mut bodies = std::mem::take(&mut step.state.bodies);
        let free = FreeMotion::with_bodies(model, step.state, &bodies);
        RungeKutta4::default().advance(&free, step.state.time, dt, &mut bodies);
        scripts::follow(model, &step.roster.scripted, time, &mut bodies);
        control::blend(model, step.roster, &self.blends, &room.before, dt, &mut bodies);
        step.state.bodies = bodies;
        let none = Properties { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO, restitution: 1.0, friction: 1.0 };
        room.properties.clear();
        room.properties.resize(step.state.bodies.len(), none);
        for (id, body) in model.bodies().iter() {
            let state = &step.state.bodies[id.slot()];
            room.properties[id.slot()] = Properties::of(body, state, time, &self.schedules, &self.blends);
        }
    }

    /// Impacts, until no surfaces approach each other.
    fn respond(&self, step: &mut Step<'_, Self>, room: &mut Room, order: &[Edge]) {
        let accelerations = room.wrenches.as_slice().iter().zip(&room.properties);
        let pull = accelerations.map(|(wrench, body)| (wrench.force * body.inverse_mass).length());
        let pull = pull.filter(|pull| pull.is_finite()).fold(0.0, f64::max);
        let rest_speed = self.rest_speed.unwrap_or(2.0 * pull * step.dt).max(1e-9);
        room.ways.clear();
        room.ways.extend(step.contacts.list.iter().map(|pair| (approach(pair, step.state), true)));
        for round in 0..2 * self.rounds {
            let quiet = round >= self.rounds;
            let response = Response { rest_speed, quiet, bound_energy: self.bound_energy };
            let mut fastest = 0.0_f64;
            for edge in order {
                let pair = &mut step.contacts.list[edge.pair];
                let (speed, slipped) = hit(pair, step.state, &room.properties, &response);
                fastest = fastest.max(speed);
                room.ways[edge.pair].1 &= !slipped;
            }
            step.report.solved.sweeps = round as usize + 1;
            step.report.solved.residual = fastest;
            if fastest <= CALM * rest_speed {
                return;
            }
        }
    }
}

/// The relative velocity of the deepest point of a pair.
fn approach(pair: &Pair<()>, state: &State) -> DVec3 {
    let deepest = pair.points.iter().min_by(|a, b| a.geometry.gap.total_cmp(&b.geometry.gap));
    let [a, b] = pair.bodies.map(|id| &state.bodies[id.slot()]);
    deepest.map_or(DVec3::ZERO, |point| {
        b.velocity_at(point.geometry.position) - a.velocity_at(point.geometry.position)
    })
}

/// Where corners meet, the normal is the mean of their neighbours'.
fn average_normals(step: &mut Step<'_, ImpactSettings>) {
    for pair in &mut step.contacts.list {
        let [Some(a), Some(b)] = pair.colliders.map(|id| step.model.colliders().get(id)) else { continue };
        let turned = [a, b].map(|collider| step.state.bodies[collider.body.slot()].rotation * collider.center_pose.rotation);
        for point in &mut pair.points {
            if let Some(normal) = normals::averaged([a, b], point.features, turned) {
                point.geometry.normal = normal;
            }
        }
    }
}

/// Hits the points of a pair that approach each other: together in their middle, then each that still does. How fast the fastest was, and whether
/// any slipped.
fn hit(pair: &mut Pair<()>, state: &mut State, properties: &[Properties], response: &Response) -> (f64, bool) {
    let places = pair.bodies.map(Id::slot);
    let [a, b] = places.map(|slot| properties[slot]);
    let restitution = (pair.material.restitution * a.restitution * b.restitution).min(1.0);
    let frictions = [pair.material.static_friction, pair.material.dynamic_friction].map(|mu| mu * a.friction * b.friction);
    let mut strike = |state: &mut State, at: DVec3, normal: DVec3| -> Option<(DVec3, f64, bool)> {
        let [first, second] = places.map(|slot| &state.bodies[slot]);
        let velocity = second.velocity_at(at) - first.velocity_at(at);
        let speed = -velocity.dot(normal);
        if speed <= 0.1 * CALM * response.rest_speed {
            return None;
        }
        let sides = [0, 1].map(|k| Side {
            inverse_mass: properties[places[k]].inverse_mass,
            inverse_inertia: properties[places[k]].inverse_inertia,
            lever: at - state.bodies[places[k]].position,
        });
        let e = if speed > response.rest_speed && !response.quiet { restitution } else { 0.0 };
        let solve = |friction: f64| {
            let impact = Impact::between(sides, velocity, normal, e, friction);
            if response.bound_energy { impact.bounded() } else { impact.impulse() }
        };
        // What holds within the static cone sticks; beyond it the dynamic coefficient slows it down.
        let (impulse, sticks) = solve(frictions[0]).filter(|(_, sticks)| *sticks).or_else(|| solve(frictions[1]))?;
        for (slot, side, push) in [(places[0], sides[0], -impulse), (places[1], sides[1], impulse)] {
            let body = &mut state.bodies[slot];
            body.velocity += push * side.inverse_mass;
            body.angular_velocity += side.inverse_inertia * side.lever.cross(push);
        }
        Some((impulse, speed, !sticks))
    };
    let speed_at = |state: &State, at: DVec3, normal: DVec3| {
        let [first, second] = places.map(|slot| &state.bodies[slot]);
        (first.velocity_at(at) - second.velocity_at(at)).dot(normal).max(0.0)
    };
    let (mut fastest, mut slipped) = (0.0_f64, false);
    let weights: Vec<f64> =
        pair.points.iter().map(|point| speed_at(state, point.geometry.position, point.geometry.normal)).collect();
    let total: f64 = weights.iter().sum();
    let normal = pair.points.first().map_or(DVec3::Y, |point| point.geometry.normal);
    let one_plane = pair.points.iter().all(|point| point.geometry.normal.dot(normal) > 0.999);
    if one_plane && weights.iter().filter(|&&weight| weight > 0.0).count() > 1 {
        let middle = pair.points.iter().zip(&weights).map(|(point, &weight)| point.geometry.position * weight);
        let middle = middle.sum::<DVec3>() / total;
        if let Some((impulse, speed, slips)) = strike(state, middle, normal) {
            (fastest, slipped) = (speed, slips);
            let along = impulse.dot(normal);
            for (point, weight) in pair.points.iter_mut().zip(&weights) {
                point.impulse.normal += along * weight / total;
                point.impulse.friction += (impulse - normal * along) * (weight / total);
                point.met = point.met.max(*weight);
            }
        }
    }
    for point in &mut pair.points {
        let (at, normal) = (point.geometry.position, point.geometry.normal);
        if let Some((impulse, speed, slips)) = strike(state, at, normal) {
            let along = impulse.dot(normal);
            point.impulse.normal += along;
            point.impulse.friction += impulse - normal * along;
            point.met = point.met.max(speed);
            fastest = fastest.max(speed);
            slipped |= slips;
        }
    }
    (fastest, slipped)
}

/// Moves bodies back to where they touch, outward from what does not move.
fn back_up(step: &mut Step<'_, ImpactSettings>, room: &mut Room, order: &[Edge]) {
    let Room { shifts, properties, ways, .. } = room;
    shifts.clear();
    shifts.resize(step.state.bodies.len(), DVec3::ZERO);
    for round in 0..BACKING_ROUNDS {
        let mut moved = false;
        for edge in order {
            let pair = &step.contacts.list[edge.pair];
            let places = pair.bodies.map(Id::slot);
            let gap_of = |normal: DVec3, gap: f64| gap + (shifts[places[1]] - shifts[places[0]]).dot(normal);
            let gaps = pair.points.iter().map(|point| (gap_of(point.geometry.normal, point.geometry.gap), point.geometry.normal));
            let Some((gap, normal)) = gaps.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            if gap >= 0.0 {
                continue;
            }
            moved = true;
            let (way, stuck) = ways[edge.pair];
            let speed = -way.dot(normal);
            // The way the second body came, as far as it went within this step.
            let back = match stuck && round == 0 && speed > 0.0 && -gap <= speed * step.dt {
                true => -way * (-gap / speed),
                false => normal * -gap,
            };
            let masses = places.map(|slot| properties[slot].inverse_mass);
            let [first, second] = match edge.far {
                Some(1) => [0.0, 1.0],
                Some(_) => [1.0, 0.0],
                None => masses.map(|mass| mass / (masses[0] + masses[1]).max(f64::MIN_POSITIVE)),
            };
            shifts[places[0]] -= back * first;
            shifts[places[1]] += back * second;
        }
        if !moved {
            break;
        }
    }
    for (body, shift) in step.state.bodies.iter_mut().zip(&*shifts) {
        body.position += *shift;
    }
    for pair in &mut step.contacts.list {
        let [a, b] = pair.bodies.map(|id| shifts[id.slot()]);
        for point in &mut pair.points {
            point.geometry.gap += (b - a).dot(point.geometry.normal);
            point.geometry.position += 0.5 * (a + b);
        }
    }
}
