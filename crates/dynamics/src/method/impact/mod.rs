//! Impact dynamics (H): every contact is a collision, even lying still.
//!
//! Hahn (1988) has no contact forces, no constraints and no accelerations. Bodies move freely for a frame of 1/24 or 1/30 s; then those that
//! overlap get the velocities they would have after an impact, and are backed up to where they touch. What rests on the floor
//! has gained momentum during the frame and loses it again in an impact: the impulse of that is the force of the floor times the frame. So rest,
//! rolling and sliding come out of one formula, and friction knows stick and slip.
//!
//! A step:
//!
//! 1. **move** by Runge–Kutta on Euler's equations; figures bend as they are told and turn as momentum wants (`figure`); scripted bodies
//!    follow their scripts, or a blend (`control`);
//! 2. **detect** overlaps; where corners meet, the normal is the mean of their neighbours' (`normals`);
//! 3. **respond**, breadth first from what does not move (`graph`): the points of a pair that meet fast are hit together in the middle, then each
//!    for itself (`equations`); those slower than the rest speed are in continuous contact and do not bounce; over and over until nothing changes;
//! 4. **back up** in the same order: bodies that stick go back the way they came (H's ray along the relative velocity), others along the normal.
//!    The pair that closes a cycle is shared, so that nobody is backed into a neighbour;
//! 5. **check**: who was backed into somebody it did not touch before is detected and answered in the same way, a few times at most.
//!
//! H takes the vertices inside the other polyhedron for the points of contact; here they are those of the contact manifold, which exist for
//! every shape. Bodies that fly through each other within a frame are not noticed, as in the document.
//!
//! What it is good for: animation with few frames, believable tumbling, piles that settle. What it is not: joints (there are none but those of driven
//! figures; a chain is made of interlocking links), bounces of the right height (the moment of impact is known to a frame), tall stacks in few rounds.

mod control;
mod equations;
mod figure;
pub(in crate::method) mod graph;
mod normals;

pub use control::{Blend, Schedule};
pub use equations::{Impact, Side};
pub use figure::{Figure, Link};

use self::control::Properties;
use self::figure::Cast;
use self::graph::{Edge, breadth_first};
use super::classic::{Classic, Pair, Point, Rule, Step};
use crate::constraint::contact::ContactGeometry;
use crate::contact::ContactImpulse;
use crate::force::Wrenches;
use crate::integrator::{Integrator, RungeKutta4};
use crate::parts::free_motion::FreeMotion;
use crate::parts::{forces, scripts};
use crate::report::Stopwatch;
use crate::schema::JsonSchema;
use crate::{BodyState, Id, ModelError, State, StepError};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Impact dynamics. See the module's documentation.
pub type ImpactDynamics = Classic<ImpactSettings>;

/// How near surfaces are that take part, as a part of the size of the smaller collider.
const MARGIN: f64 = 2e-3;

/// How often pairs are backed up in a step.
const BACKING_ROUNDS: usize = 8;

/// How often it is looked whether somebody was backed into a neighbour, and answered.
const CHECKS: usize = 4;

/// Surfaces that approach slower than this part of the rest speed do not.
const CALM: f64 = 1e-4;

/// Surfaces that move along each other faster than this part of the rest speed slide; others stick and are backed up the way they came.
const SLIDING: f64 = 0.02;

/// Every contact is a collision: what rests does so on a series of tiny ones (Hahn 1988). A classic, for comparison.
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
    /// Figures whose joints follow given angles. Default: none.
    pub figures: Vec<Figure>,
}

impl Default for ImpactSettings {
    fn default() -> Self {
        let (schedules, blends, figures) = Default::default();
        Self { rest_speed: None, rounds: 200, bound_energy: false, schedules, blends, figures }
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
    /// By number of the pair: what its points at rest have exerted.
    sums: Vec<Vec<ContactImpulse>>,
    /// By number of the pair: how the second body approached the first, and whether they stuck.
    ways: Vec<(DVec3, bool)>,
    /// The figures with their bodies found, and what they were made of.
    figures: Vec<Cast>,
    made_of: Vec<Figure>,
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
        step.refuse_joints("\"retroactive\", \"realtime\", \"accurate\", \"verlet\" and \"penalty\"")?;
        let watch = Stopwatch::start();
        self.find_figures(step, room)?;
        control::check_blends(step.model, &self.blends, Self::NAME)?;
        self.move_freely(step, room);
        step.check_finite()?;
        step.report.times.integrate = watch.elapsed();

        for check in 0..=CHECKS {
            let watch = Stopwatch::start();
            step.contacts.find_pairs(step.model, step.state, 0.0, step.roster, step.index)?;
            step.contacts.find_points(step.model, step.state, MARGIN);
            ignore_inside_figures(step, &room.properties);
            average_normals(step);
            step.report.times.detect += watch.elapsed();
            if check > 0 && !backed_into_somebody(step) {
                break;
            }
            let watch = Stopwatch::start();
            let touching = step.contacts.list.iter().enumerate().filter(|(_, pair)| !pair.points.is_empty());
            let ends: Vec<_> = touching.map(|(index, pair)| (index, room.nodes(pair))).collect();
            let properties = &room.properties;
            let order = breadth_first(step.state.bodies.len(), &ends, |slot| properties[slot].inverse_mass > 0.0);
            self.respond(step, room, &order);
            back_up(step, room, &order);
            step.report.times.solve += watch.elapsed();
        }
        Ok(())
    }
}

impl ImpactSettings {
    /// Refuses what makes no sense.
    pub fn validate(&self) -> Result<(), ModelError> {
        self.schedules.iter().try_for_each(Schedule::validate)?;
        self.figures.iter().try_for_each(Figure::validate)
    }

    /// Finds the bodies of figures, after anything was changed.
    fn find_figures(&self, step: &Step<'_, Self>, room: &mut Room) -> Result<(), StepError> {
        if step.changed || room.made_of != self.figures || room.figures.len() != self.figures.len() {
            room.figures.clear();
            room.made_of.clone_from(&self.figures);
            for figure in &self.figures {
                room.figures.push(Cast::find(figure, step.model, Self::NAME)?);
            }
        }
        Ok(())
    }

    /// Moves all bodies as if nothing were in their way.
    fn move_freely(&self, step: &mut Step<'_, Self>, room: &mut Room) {
        let (model, dt) = (step.model, step.dt);
        let time = step.state.time_after(dt);
        room.before.clone_from(&step.state.bodies);
        forces::sum(model, step.state.time, &step.state.bodies, &mut room.wrenches);
        let mut bodies = std::mem::take(&mut step.state.bodies);
        let mut moves = FreeMotion::with_bodies(model, step.state, &bodies).into_moves();
        let in_figures = room.figures.iter().flat_map(|cast| &cast.slots);
        in_figures.for_each(|&slot| moves[slot] = false);
        let free = FreeMotion::of_some(model, step.state, &moves);
        let loads = (room.wrenches.as_slice(), &step.state.applied);
        for (cast, figure) in room.figures.iter_mut().zip(&self.figures) {
            cast.advance(figure, &mut bodies, loads, (step.state.time, dt));
        }
        RungeKutta4::default().advance(&free, step.state.time, dt, &mut bodies);
        scripts::follow(model, &step.roster.scripted, time, &mut bodies);
        control::blend(model, step.roster, &self.blends, &room.before, dt, &mut bodies);
        step.state.bodies = bodies;
        let none = Properties::of_nothing();
        room.properties.clear();
        room.properties.resize(step.state.bodies.len(), none);
        for (id, body) in model.bodies().iter() {
            let state = &step.state.bodies[id.slot()];
            room.properties[id.slot()] = Properties::of(body, state, time, &self.schedules, &self.blends);
        }
        for (number, cast) in room.figures.iter_mut().enumerate() {
            cast.show(number, &step.state.bodies, &mut room.properties);
        }
    }

    /// Impacts, until no surfaces approach each other.
    fn respond(&self, step: &mut Step<'_, Self>, room: &mut Room, order: &[Edge]) {
        let wrenches = room.wrenches.as_slice();
        let accelerations = wrenches.iter().zip(&room.properties).filter(|(_, body)| body.figure.is_none());
        let alone = accelerations.map(|(wrench, body)| (wrench.force * body.inverse_mass).length());
        let together = room.figures.iter().map(|cast| {
            let force: DVec3 = cast.slots.iter().map(|&slot| wrenches[slot].force).sum();
            (force * room.properties[cast.slots[0]].inverse_mass).length()
        });
        let pull = alone.chain(together).filter(|pull| pull.is_finite()).fold(0.0, f64::max);
        let rest_speed = self.rest_speed.unwrap_or(2.0 * pull * step.dt).max(1e-9);
        room.ways.clear();
        room.ways.extend(step.contacts.list.iter().map(|pair| (approach(pair, step.state), true)));
        room.sums.clear();
        room.sums.extend(step.contacts.list.iter().map(|pair| vec![ContactImpulse::default(); pair.points.len()]));
        for round in 0..2 * self.rounds {
            let quiet = round >= self.rounds;
            let response = Response { rest_speed, quiet, bound_energy: self.bound_energy };
            let mut fastest = 0.0_f64;
            for edge in order {
                let (pair, sums) = (&mut step.contacts.list[edge.pair], &mut room.sums[edge.pair]);
                fastest = fastest.max(hit(pair, sums, step.state, (&room.properties, &room.figures), &response));
            }
            step.report.solved.sweeps = round as usize + 1;
            step.report.solved.residual = fastest;
            if fastest <= CALM * rest_speed {
                break;
            }
        }
        for ((pair, sums), way) in step.contacts.list.iter_mut().zip(&room.sums).zip(&mut room.ways) {
            pair.points.iter_mut().zip(sums).for_each(|(point, sum)| point.impulse = point.impulse + *sum);
            way.1 = slip(pair, step.state) < SLIDING * rest_speed;
        }
    }
}

impl Room {
    /// The body that stands for another one: the root of its figure, or itself.
    fn leader(&self, slot: usize) -> usize {
        self.properties[slot].figure.map_or(slot, |number| self.figures[number].slots[0])
    }

    /// What a pair joins.
    fn nodes(&self, pair: &Pair<()>) -> [usize; 2] {
        pair.bodies.map(|id| self.leader(id.slot()))
    }
}

/// The links of a figure do not touch each other: their joints say where they are.
fn ignore_inside_figures(step: &mut Step<'_, ImpactSettings>, properties: &[Properties]) {
    for pair in &mut step.contacts.list {
        let [a, b] = pair.bodies.map(|id| properties[id.slot()].figure);
        if a.is_some() && a == b {
            pair.points.clear();
        }
    }
}

/// Whether bodies overlap by more than what counts as touching.
fn backed_into_somebody(step: &Step<'_, ImpactSettings>) -> bool {
    let deep = |pair: &Pair<()>| pair.points.iter().any(|point| point.geometry.gap < -MARGIN * pair.size);
    step.contacts.list.iter().any(deep)
}

/// The relative velocity of the deepest point of a pair.
fn approach(pair: &Pair<()>, state: &State) -> DVec3 {
    let deepest = pair.points.iter().min_by(|a, b| a.geometry.gap.total_cmp(&b.geometry.gap));
    let [a, b] = pair.bodies.map(|id| &state.bodies[id.slot()]);
    deepest.map_or(DVec3::ZERO, |point| b.velocity_at(point.geometry.position) - a.velocity_at(point.geometry.position))
}

/// How fast the surfaces of a pair slide over each other where they press, in m/s.
fn slip(pair: &Pair<()>, state: &State) -> f64 {
    let [a, b] = pair.bodies.map(|id| &state.bodies[id.slot()]);
    let pressing = pair.points.iter().filter(|point| point.impulse.normal > 0.0);
    let slips = pressing.map(|point| {
        let (at, normal) = (point.geometry.position, point.geometry.normal);
        let velocity = b.velocity_at(at) - a.velocity_at(at);
        (velocity - normal * velocity.dot(normal)).length()
    });
    slips.fold(0.0, f64::max)
}

/// Where corners meet, the normal is the mean of their neighbours'.
fn average_normals(step: &mut Step<'_, ImpactSettings>) {
    for pair in &mut step.contacts.list {
        let [Some(a), Some(b)] = pair.colliders.map(|id| step.model.colliders().get(id)) else { continue };
        let turned =
            [a, b].map(|collider| step.state.bodies[collider.body.slot()].rotation * collider.center_pose.rotation);
        for point in &mut pair.points {
            if let Some(normal) = normals::averaged([a, b], point.features, turned) {
                point.geometry.normal = normal;
            }
        }
    }
}

/// What a pair needs to know for its impacts.
struct Struck<'a> {
    places: [usize; 2],
    properties: &'a [Properties],
    figures: &'a [Cast],
    restitution: f64,
    /// Static and dynamic.
    frictions: [f64; 2],
    response: &'a Response,
}

impl Struck<'_> {
    /// The bodies at a contact: each at the point of its own surface, where they touch once they are backed up.
    fn sides(&self, state: &State, geometry: &ContactGeometry) -> ([Side; 2], DVec3) {
        let half = geometry.normal * (0.5 * geometry.gap);
        let points = [geometry.position - half, geometry.position + half];
        let sides = [0, 1].map(|k| Side {
            inverse_mass: self.properties[self.places[k]].inverse_mass,
            inverse_inertia: self.properties[self.places[k]].inverse_inertia,
            lever: points[k] - self.center(state, k),
        });
        let [first, second] = self.places.map(|slot| &state.bodies[slot]);
        (sides, second.velocity_at(points[1]) - first.velocity_at(points[0]))
    }

    /// The figure that one of the bodies belongs to.
    fn figure(&self, k: usize) -> Option<&Cast> {
        self.properties[self.places[k]].figure.map(|number| &self.figures[number])
    }

    /// The centre of mass of what is hit.
    fn center(&self, state: &State, k: usize) -> DVec3 {
        self.figure(k).map_or(state.bodies[self.places[k]].position, |figure| figure.center)
    }

    fn push(&self, state: &mut State, sides: &[Side; 2], impulse: DVec3) {
        for (k, push) in [(0, -impulse), (1, impulse)] {
            let side = sides[k];
            let (faster, turning) = (push * side.inverse_mass, side.inverse_inertia * side.lever.cross(push));
            match self.figure(k) {
                Some(figure) => figure.push(&mut state.bodies, faster, turning),
                None => {
                    let body = &mut state.bodies[self.places[k]];
                    body.velocity += faster;
                    body.angular_velocity += turning;
                }
            }
        }
    }

    /// An impact (H 8–13), if the surfaces approach faster than rest; the impulse and how fast they met.
    fn collide(&self, state: &mut State, geometry: &ContactGeometry) -> Option<(DVec3, f64)> {
        let (sides, velocity) = self.sides(state, geometry);
        let speed = -velocity.dot(geometry.normal);
        if speed <= self.response.rest_speed {
            return None;
        }
        let solve = |friction: f64| {
            let impact = Impact::between(sides, velocity, geometry.normal, self.restitution, friction);
            if self.response.bound_energy { impact.bounded() } else { impact.impulse() }
        };
        // What holds within the static cone sticks; beyond it the dynamic coefficient slows it down.
        let sticking = solve(self.frictions[0]).filter(|(_, sticks)| *sticks);
        let (impulse, _) = sticking.or_else(|| solve(self.frictions[1]))?;
        self.push(state, &sides, impulse);
        Some((impulse, speed))
    }

    /// Continuous contact (H 5.2): the same equations without restitution, with the impulses of one point summed up over the rounds, so that what an
    /// earlier round gave too much is taken back. How much it changed the velocity.
    fn rest(&self, state: &mut State, geometry: &ContactGeometry, sum: &mut ContactImpulse) -> f64 {
        let (sides, velocity) = self.sides(state, geometry);
        let (n, response) = (geometry.normal, sides[0].response() + sides[1].response());
        let along = n.dot(response * n);
        if along <= f64::MIN_POSITIVE {
            return 0.0;
        }
        let normal = (sum.normal - velocity.dot(n) / along).max(0.0);
        let change = normal - sum.normal;
        sum.normal = normal;
        self.push(state, &sides, n * change);
        let (_, velocity) = self.sides(state, geometry);
        let slip = velocity - n * velocity.dot(n);
        let direction = slip.normalize_or_zero();
        let across = direction.dot(response * direction).max(f64::MIN_POSITIVE);
        let wanted = sum.friction - slip / across;
        let size = wanted.length();
        let slips = size > self.frictions[0] * normal;
        let friction = if slips { wanted * (self.frictions[1] * normal / size) } else { wanted };
        let rub = if slip == DVec3::ZERO && !slips { DVec3::ZERO } else { friction - sum.friction };
        sum.friction += rub;
        self.push(state, &sides, rub);
        (change.abs() * along).max(rub.length() * across)
    }
}

/// One round for a pair: the points that meet fast are hit together in their middle, then each that still does; those at rest push as much as
/// it takes. How much a velocity changed.
fn hit(
    pair: &mut Pair<()>,
    sums: &mut [ContactImpulse],
    state: &mut State,
    (properties, figures): (&[Properties], &[Cast]),
    response: &Response,
) -> f64 {
    let places = pair.bodies.map(Id::slot);
    let [a, b] = places.map(|slot| properties[slot]);
    let restitution = (pair.material.restitution * a.restitution * b.restitution).min(1.0);
    let frictions =
        [pair.material.static_friction, pair.material.dynamic_friction].map(|mu| mu * a.friction * b.friction);
    let struck = Struck { places, properties, figures, restitution, frictions, response };
    let mut fastest = 0.0_f64;
    if !response.quiet {
        fastest = collide_together(pair, &struck, state);
        for point in &mut pair.points {
            if let Some((impulse, speed)) = struck.collide(state, &point.geometry) {
                note(point, impulse, 1.0, speed);
                fastest = fastest.max(speed);
            }
        }
    }
    rest_together(pair, sums, &struck, state);
    for (point, sum) in pair.points.iter().zip(sums) {
        fastest = fastest.max(struck.rest(state, &point.geometry, sum));
    }
    fastest
}

/// Lets the points of a face at rest push alike, as much as their middle needs: what stands flat is carried at once and does not begin to rock.
fn rest_together(pair: &Pair<()>, sums: &mut [ContactImpulse], struck: &Struck<'_>, state: &mut State) {
    let Some(normal) = pair.points.first().map(|point| point.geometry.normal) else { return };
    if pair.points.len() < 2 || !pair.points.iter().all(|point| point.geometry.normal.dot(normal) > 0.999) {
        return;
    }
    let count = pair.points.len() as f64;
    let position = pair.points.iter().map(|point| point.geometry.position).sum::<DVec3>() / count;
    let gap = pair.points.iter().map(|point| point.geometry.gap).sum::<f64>() / count;
    let (sides, velocity) = struck.sides(state, &ContactGeometry { position, normal, gap });
    let along = normal.dot((sides[0].response() + sides[1].response()) * normal);
    if along <= f64::MIN_POSITIVE {
        return;
    }
    let share = -velocity.dot(normal) / (along * count);
    for (point, sum) in pair.points.iter().zip(sums) {
        let pushed = (sum.normal + share).max(0.0);
        let (sides, _) = struck.sides(state, &point.geometry);
        struck.push(state, &sides, normal * (pushed - sum.normal));
        sum.normal = pushed;
    }
}

/// Gives a point its share of an impulse.
fn note(point: &mut Point<()>, impulse: DVec3, share: f64, speed: f64) {
    let normal = point.geometry.normal;
    let along = impulse.dot(normal);
    point.impulse.normal += along * share;
    point.impulse.friction += (impulse - normal * along) * share;
    point.met = point.met.max(speed);
}

/// Hits the points of a face that meet fast in their middle, weighed by their speeds: what lands flat bounces without turning. How fast they met.
fn collide_together(pair: &mut Pair<()>, struck: &Struck<'_>, state: &mut State) -> f64 {
    let speed = |geometry: &ContactGeometry| (-struck.sides(state, geometry).1.dot(geometry.normal)).max(0.0);
    let weights: Vec<f64> = pair.points.iter().map(|point| speed(&point.geometry)).collect();
    let total: f64 = weights.iter().sum();
    let Some(normal) = pair.points.first().map(|point| point.geometry.normal) else { return 0.0 };
    let one_plane = pair.points.iter().all(|point| point.geometry.normal.dot(normal) > 0.999);
    if !one_plane || weights.iter().filter(|&&weight| weight > 0.0).count() < 2 {
        return 0.0;
    }
    let mean = |of: &dyn Fn(&Point<()>) -> DVec3| {
        pair.points.iter().zip(&weights).map(|(point, &weight)| of(point) * weight).sum::<DVec3>() / total
    };
    let position = mean(&|point| point.geometry.position);
    let gap = mean(&|point| DVec3::X * point.geometry.gap).x;
    let Some((impulse, speed)) = struck.collide(state, &ContactGeometry { position, normal, gap }) else { return 0.0 };
    for (point, weight) in pair.points.iter_mut().zip(&weights) {
        note(point, impulse, weight / total, *weight);
    }
    speed
}

/// Moves bodies back to where they touch, outward from what does not move.
fn back_up(step: &mut Step<'_, ImpactSettings>, room: &mut Room, order: &[Edge]) {
    let mut shifts = std::mem::take(&mut room.shifts);
    shifts.clear();
    shifts.resize(step.state.bodies.len(), DVec3::ZERO);
    let Room { properties, ways, .. } = &*room;
    for round in 0..BACKING_ROUNDS {
        let mut moved = false;
        for edge in order {
            let pair = &step.contacts.list[edge.pair];
            let places = room.nodes(pair);
            let gap_of = |normal: DVec3, gap: f64| gap + (shifts[places[1]] - shifts[places[0]]).dot(normal);
            let gaps = pair
                .points
                .iter()
                .map(|point| (gap_of(point.geometry.normal, point.geometry.gap), point.geometry.normal));
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
    for (slot, body) in step.state.bodies.iter_mut().enumerate() {
        body.position += shifts[room.leader(slot)];
    }
    for pair in &mut step.contacts.list {
        let [a, b] = room.nodes(pair).map(|node| shifts[node]);
        for point in &mut pair.points {
            point.geometry.gap += (b - a).dot(point.geometry.normal);
            point.geometry.position += 0.5 * (a + b);
        }
    }
    room.figures.iter_mut().for_each(|cast| cast.center += shifts[cast.slots[0]]);
    room.shifts = shifts;
}
