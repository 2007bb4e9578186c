//! Inverse dynamics: which forces of motors follow a given motion (H 6, 8).
//!
//! The motion is what the curves of a scene's joints say: each coordinate q of a joint that follows a target has its curve q(t).
//! The other rows of the joints are zero. With C the column of all of these, one row for each degree of freedom there is, and
//! J = ∂C/∂x,
//!
//! ```text
//! C(x) = q(t)                      where the bodies are, by Newton's method from where they were
//! J v = q̇(t)                       their velocities
//! J a = q̈(t) − J̇ v                 their accelerations
//! Jᵀ λ = M a + ω × I ω − f         what the rows exert: λ of a followed coordinate is the force of its motor
//! ```
//!
//! J must be square: every joint of a tree of bodies that hangs on the world (or on scripted bodies) follows a curve or is rigid. A
//! closed chain has more rows than unknowns, and a body that nothing guides fewer; both are refused. Contacts, limits, and friction
//! and springs in joints are left out: what a motor has to bear of these comes on top.

mod matrix;

use glam::DVec3;
use matrix::Factors;
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_dynamics::constraint::{
    BodyView, Constraint, Coordinate, Freedom, Jacobian, JointView, Limit, Row, Softness,
};
use tumble_dynamics::curve::{Aim, Curve};
use tumble_dynamics::force::Wrenches;
use tumble_dynamics::model::{BodyKind, JointEnd};
use tumble_dynamics::parts::forces;
use tumble_dynamics::{BodyId, BodyState, Id, World};
use tumble_geometry::math::rotation_from_vector;

/// The most bodies there may be: the matrices are full.
const MOST_BODIES: usize = 200;
/// How far a coordinate goes in one of the steps that Newton's method takes, in metres or radians.
const STRIDE: f64 = 0.2;
/// By how much rows may be off, in metres or radians, and how often Newton's method tries.
const TOLERANCE: f64 = 1e-11;
const TRIES: usize = 50;
/// The time between the values of a curve from which its derivatives are taken, in seconds.
const APART: f64 = 1e-3;

/// A coordinate that follows a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The name of its joint.
    pub joint: String,
    /// Its own name.
    pub coordinate: String,
}

/// A coordinate at a time: metres or radians, and newtons or newton metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Where it is.
    pub position: f64,
    /// How fast it moves.
    pub speed: f64,
    /// How fast that changes.
    pub acceleration: f64,
    /// The force or torque its motor must exert.
    pub force: f64,
}

/// A scene whose joints follow curves.
#[derive(Debug)]
pub struct Inverse {
    /// Who follows, in the order of the joints.
    pub followed: Vec<Followed>,
    world: World,
    joints: Vec<Guided>,
    /// The movable bodies, and the place of each among the unknowns, by slot.
    bodies: Vec<BodyId>,
    place: BTreeMap<usize, usize>,
    states: Vec<BodyState>,
    time: f64,
}

/// A joint with its curves.
#[derive(Debug)]
struct Guided {
    ends: [JointEnd; 2],
    constraint: Arc<dyn Constraint>,
    angle: f64,
    curves: Vec<(String, Arc<dyn Curve>)>,
}

/// The rows of all joints in a state: their Jacobians, values and J̇v, those of followed coordinates last of each joint.
struct Rows {
    jacobians: Vec<([JointEnd; 2], Jacobian)>,
    values: Vec<f64>,
    curvatures: Vec<f64>,
    /// Which rows are followed coordinates, in the order of `followed`.
    followed: Vec<usize>,
}

impl Inverse {
    /// Reads a world whose joints follow targets; refused if that does not say how everything moves.
    pub fn new(world: World) -> Result<Self, String> {
        let model = world.model();
        let bodies: Vec<BodyId> =
            model.bodies().iter().filter(|(_, body)| body.kind.is_movable()).map(|(id, _)| id).collect();
        if bodies.is_empty() || bodies.len() > MOST_BODIES {
            return Err(format!("there are {} bodies that move, but must be from 1 to {MOST_BODIES}", bodies.len()));
        }
        let place = bodies.iter().enumerate().map(|(place, id)| (id.slot(), place)).collect();
        let (mut followed, mut joints) = (Vec::new(), Vec::new());
        for (_, joint) in model.joints().iter() {
            let mut constraint = joint.constraint.clone();
            let mut curves = Vec::new();
            for program in &joint.programs {
                if program.aim == Aim::Speed {
                    return Err(format!(
                        "the {} of the joint \"{}\" follows a speed; give its `target` instead",
                        program.coordinate, joint.name
                    ));
                }
                if let Some(free) = constraint.with_freedom(&program.coordinate, Freedom::FREE) {
                    constraint = free;
                }
                followed.push(Followed { joint: joint.name.clone(), coordinate: program.coordinate.clone() });
                curves.push((program.coordinate.clone(), program.curve.clone()));
            }
            joints.push(Guided { ends: joint.ends, constraint, angle: 0.0, curves });
        }
        let (states, time) = (world.state().bodies.clone(), world.time());
        let mut inverse = Self { followed, joints, bodies, place, states, time, world };
        inverse.check_count()?;
        for joint in &mut inverse.joints {
            let views = joint.ends.map(|end| BodyView::of(inverse.world.model(), &inverse.states, end));
            joint.angle = joint.constraint.angle(&views).unwrap_or(0.0);
        }
        Ok(inverse)
    }

    /// Whether there is one row for each unknown.
    fn check_count(&self) -> Result<(), String> {
        let (rows, unknowns) = (self.rows().values.len(), 6 * self.bodies.len());
        let help = "every joint follows a `target` or is rigid, and the bodies are a tree that hangs on the world or on scripted bodies";
        if self.followed.is_empty() {
            return Err(format!("no joint follows a target, such as follow.turn.target_deg = \"30 * sin(t)\"; {help}"));
        }
        match rows.cmp(&unknowns) {
            std::cmp::Ordering::Less => {
                Err(format!("{} of {unknowns} degrees of freedom are not guided: {help}", unknowns - rows))
            }
            std::cmp::Ordering::Greater => {
                Err(format!("{} conditions are too many, as in a closed chain: {help}", rows - unknowns))
            }
            std::cmp::Ordering::Equal => Ok(()),
        }
    }

    /// The efforts at a time, in the order of `followed`. Times that are near each other are found quickly.
    pub fn at(&mut self, time: f64) -> Result<Vec<Effort>, String> {
        self.time = time;
        let kinematic = self.place_scripted(time);
        let wanted: Vec<[f64; 3]> = self
            .joints
            .iter()
            .flat_map(|joint| joint.curves.iter().map(|(_, curve)| derivatives(curve.as_ref(), time)))
            .collect();
        if let Some((who, _)) = self.followed.iter().zip(&wanted).find(|(_, w)| w.iter().any(|x| !x.is_finite())) {
            return Err(format!("the curve of \"{}\" has no value at {time} s", who.joint));
        }
        self.go_to(&wanted)?;
        let rows = self.rows();
        let factors = self.factors(&rows)?;
        let count = rows.values.len();
        // J v = q̇, without what scripted bodies contribute.
        let mut speeds = vec![0.0; count];
        for (row, (ends, jacobian)) in rows.jacobians.iter().enumerate() {
            speeds[row] = -self
                .contribution(ends, jacobian, |slot| [self.states[slot].velocity, self.states[slot].angular_velocity]);
        }
        for (&row, [_, speed, _]) in rows.followed.iter().zip(&wanted) {
            speeds[row] += speed;
        }
        let velocities = factors.solve(&speeds);
        for (place, id) in self.bodies.iter().enumerate() {
            let state = &mut self.states[id.slot()];
            state.velocity = vector(&velocities, 6 * place);
            state.angular_velocity = vector(&velocities, 6 * place + 3);
        }
        // J a = q̈ − J̇ v.
        let rows = self.rows();
        let mut rates: Vec<f64> = rows.curvatures.iter().map(|curvature| -curvature).collect();
        for (row, (ends, jacobian)) in rows.jacobians.iter().enumerate() {
            rates[row] -= self.contribution(ends, jacobian, |slot| kinematic.get(&slot).copied().unwrap_or_default());
        }
        for (&row, [_, _, acceleration]) in rows.followed.iter().zip(&wanted) {
            rates[row] += acceleration;
        }
        let accelerations = factors.solve(&rates);
        let lambda = factors.solve_transposed(&self.wrenches(&accelerations));
        let effort = |(&row, &[position, speed, acceleration]): (&usize, &[f64; 3])| Effort {
            position,
            speed,
            acceleration,
            force: lambda[row],
        };
        Ok(rows.followed.iter().zip(&wanted).map(effort).collect())
    }

    /// Where the bodies are at the time last asked about, by slot.
    pub fn states(&self) -> &[BodyState] {
        &self.states
    }

    /// M a + ω × I ω − f for all bodies that move.
    fn wrenches(&self, accelerations: &[f64]) -> Vec<f64> {
        let model = self.world.model();
        let mut applied = Wrenches::default();
        forces::sum(model, self.time, &self.states, &mut applied);
        let mut wrenches = Vec::with_capacity(6 * self.bodies.len());
        for (place, id) in self.bodies.iter().enumerate() {
            let (Some(body), state) = (model.bodies().get(*id), &self.states[id.slot()]) else { continue };
            let outside = applied.as_slice()[id.slot()];
            let inertia = body.world_inertia(state.rotation);
            let omega = state.angular_velocity;
            let force = body.mass.mass * vector(accelerations, 6 * place) - outside.force;
            let turning = inertia * vector(accelerations, 6 * place + 3) + omega.cross(inertia * omega);
            wrenches.extend(force.to_array());
            wrenches.extend((turning - outside.torque).to_array());
        }
        wrenches
    }

    /// Puts scripted bodies where their scripts say; gives the accelerations of their centres of mass, by slot.
    fn place_scripted(&mut self, time: f64) -> BTreeMap<usize, [DVec3; 2]> {
        let mut accelerations = BTreeMap::new();
        for (id, body) in self.world.model().bodies().iter() {
            let BodyKind::Scripted(script) = &body.kind else { continue };
            let motion = script.motion(time);
            let arm = motion.pose.rotation * body.mass.center;
            let (omega, alpha) = (motion.angular_velocity, motion.angular_acceleration);
            let state = &mut self.states[id.slot()];
            (state.position, state.rotation) = (motion.pose.translation + arm, motion.pose.rotation);
            (state.velocity, state.angular_velocity) = (motion.velocity + omega.cross(arm), omega);
            let acceleration = motion.acceleration + alpha.cross(arm) + omega.cross(omega.cross(arm));
            accelerations.insert(id.slot(), [acceleration, alpha]);
        }
        accelerations
    }

    /// What the ends of a row that are not unknown (scripted bodies) contribute to a product with its Jacobian.
    fn contribution(&self, ends: &[JointEnd; 2], jacobian: &Jacobian, of: impl Fn(usize) -> [DVec3; 2]) -> f64 {
        let mut sum = 0.0;
        for (end, side) in ends.iter().zip(0..) {
            if let JointEnd::Body(id) = end
                && !self.place.contains_key(&id.slot())
            {
                let [linear, angular] = of(id.slot());
                sum += jacobian.linear[side].dot(linear) + jacobian.angular[side].dot(angular);
            }
        }
        sum
    }

    /// Newton's method, in strides: C(x) = q.
    fn go_to(&mut self, wanted: &[[f64; 3]]) -> Result<(), String> {
        let from: Vec<f64> = {
            let rows = self.rows();
            rows.followed.iter().map(|&row| rows.values[row]).collect()
        };
        let farthest = from.iter().zip(wanted).map(|(from, [to, ..])| (to - from).abs()).fold(0.0, f64::max);
        let strides = (farthest / STRIDE).ceil().clamp(1.0, 1e5);
        let mut stride = 0.0;
        while stride < strides {
            stride += 1.0;
            let share = stride / strides;
            let goals: Vec<f64> = from.iter().zip(wanted).map(|(from, [to, ..])| from + share * (to - from)).collect();
            self.newton(&goals)?;
        }
        Ok(())
    }

    fn newton(&mut self, goals: &[f64]) -> Result<(), String> {
        for _ in 0..TRIES {
            let mut rows = self.rows();
            for (&row, goal) in rows.followed.iter().zip(goals) {
                rows.values[row] -= goal;
            }
            if rows.values.iter().all(|value| value.abs() < TOLERANCE) {
                self.count_turns();
                return Ok(());
            }
            let factors = self.factors(&rows)?;
            let back: Vec<f64> = rows.values.iter().map(|value| -value).collect();
            let change = factors.solve(&back);
            for (place, id) in self.bodies.iter().enumerate() {
                let state = &mut self.states[id.slot()];
                state.position += vector(&change, 6 * place);
                let turn = vector(&change, 6 * place + 3).clamp_length_max(0.5);
                state.rotation = (rotation_from_vector(turn) * state.rotation).normalize();
            }
        }
        Err(format!("at {} s the joints cannot be where their curves want them", self.time))
    }

    /// On which turn the angles of joints are.
    fn count_turns(&mut self) {
        for joint in &mut self.joints {
            let views = joint.ends.map(|end| BodyView::of(self.world.model(), &self.states, end));
            if let Some(angle) = joint.constraint.angle(&views) {
                joint.angle = tumble_dynamics::constraint::continued(angle, joint.angle);
            }
        }
    }

    fn rows(&self) -> Rows {
        let mut all = Rows { jacobians: Vec::new(), values: Vec::new(), curvatures: Vec::new(), followed: Vec::new() };
        let mut rows: Vec<Row> = Vec::new();
        for joint in &self.joints {
            let bodies = joint.ends.map(|end| BodyView::of(self.world.model(), &self.states, end));
            let view = JointView { bodies, angle: joint.angle };
            rows.clear();
            joint.constraint.rows(&view, &mut rows);
            for row in rows.iter().filter(|row| row.limit == Limit::Equality && row.softness == Softness::Rigid) {
                all.push(joint.ends, row.jacobian, row.error, row.jdot_v);
            }
            let coordinates: Vec<Coordinate> = joint.constraint.coordinates(&view);
            for (name, _) in &joint.curves {
                if let Some(coordinate) = coordinates.iter().find(|coordinate| coordinate.name == name) {
                    let measure = coordinate.measure;
                    all.followed.push(all.values.len());
                    all.push(joint.ends, measure.jacobian, measure.value, measure.curvature);
                }
            }
        }
        all
    }

    fn factors(&self, rows: &Rows) -> Result<Factors, String> {
        let size = rows.values.len();
        let mut matrix = vec![0.0; size * size];
        for (row, (ends, jacobian)) in rows.jacobians.iter().enumerate() {
            for (end, side) in ends.iter().zip(0..) {
                let JointEnd::Body(id) = end else { continue };
                let Some(&place) = self.place.get(&id.slot()) else { continue };
                let entries = [jacobian.linear[side].to_array(), jacobian.angular[side].to_array()].concat();
                for (column, entry) in entries.into_iter().enumerate() {
                    matrix[size * row + 6 * place + column] += entry;
                }
            }
        }
        let singular =
            || format!("at {} s the joints do not guide all that moves: they are in a singular position", self.time);
        Factors::of(matrix, size).ok_or_else(singular)
    }
}

impl Rows {
    fn push(&mut self, ends: [JointEnd; 2], jacobian: Jacobian, value: f64, curvature: f64) {
        self.jacobians.push((ends, jacobian));
        self.values.push(value);
        self.curvatures.push(curvature);
    }
}

/// Three numbers of a column as a vector.
fn vector(column: &[f64], at: usize) -> DVec3 {
    DVec3::new(column[at], column[at + 1], column[at + 2])
}

/// The value of a curve and its first two derivatives, by central differences of fourth order.
fn derivatives(curve: &dyn Curve, time: f64) -> [f64; 3] {
    let [a, b, c, d, e] = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|steps| curve.value(time + steps * APART));
    let first = (a - 8.0 * b + 8.0 * d - e) / (12.0 * APART);
    let second = (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / (12.0 * APART * APART);
    [c, first, second]
}
