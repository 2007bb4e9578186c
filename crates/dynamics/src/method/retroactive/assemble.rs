//! From constraints to solver rows, and the solved impulses back to where they are remembered.
//!
//! A constraint row `(J, c, J̇ẋ, bounds, softness)` becomes a solver row `J v + γ λ = −b` that depends on the stage:
//!
//! | row | positions (v is the mean velocity of the step) | push (on top of that) | velocities, at the end |
//! |---|---|---|---|
//! | rigid equality | [aimed](Assembly::aim) | b += β c/h | b = −target rate |
//! | limit of a joint, c ≥ 0 | aimed | b += β c/h for an error | b = −target rate |
//! | contact, c ≥ 0 | b = c/h for a gap, 0 for an overlap | b += β c/h for an overlap | b = −target rate |
//! | spring, damper | by Newmark's method (`soft.rs`) | – | what the spring still has to give |
//! | friction, motor | b = ½ h J̇ẋ − target rate | – | b = −target rate |
//!
//! The impulses of positions and velocities are what the constraint exerts in reality, and those of the last step are a
//! good start for the next (warm starting). The push is a split impulse with Baumgarte's term β c/h: it only removes errors of
//! position. It must not be a start for the next step: the sum over steps of an impulse proportional to the error is an
//! integral controller, and long stacks driven by one start to swing.

use super::RetroactiveSettings;
use super::contact::{PairState, PointState};
use super::soft::{Began, Soft};
use crate::constraint::contact::{ContactGeometry, ContactRows, contact_rows};
use crate::constraint::{BodyView, Jacobian, JointView, Limit, Row, Softness};
use crate::contact::ContactImpulse;
use crate::event::Reaction;
use crate::model::JointEnd;
use crate::parts::islands::Island;
use crate::solver::{Bounds, SolverBody, SolverRow};
use crate::{BodyId, BodyState, Id, JointId, Model, State};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tumble_geometry::math::orthonormal_pair;

/// Which of the two solves of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// At the beginning of the step, for the positions at its end.
    Position,
    /// At the end of the step, for the velocities there.
    Velocity,
}

/// The impulses of a joint's rows in the last step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct JointMemory {
    /// The joint they belong to; another one in the same slot starts anew.
    pub(super) joint: Option<JointId>,
    pub(super) start: Vec<f64>,
    pub(super) end: Vec<f64>,
    /// The speed of approach −J v of each row at the beginning of the step, in m/s or rad/s. For a limit of rotations J is
    /// that of the end of the step.
    pub(super) approach: Vec<f64>,
    /// The value of each row at the beginning of the step, in metres or radians.
    pub(super) errors: Vec<f64>,
    /// What these impulses were together on the second end, at the beginning and at the end, in N s and N m s.
    pub(super) impulses: [Reaction; 2],
    /// The length of the step, or of the part of it, that they belong to.
    pub(super) dt: f64,
    /// Which rows are limits that pushed in the step.
    pub(super) limits: Vec<bool>,
    /// Which of them did in the step before.
    pub(super) limits_before: Vec<bool>,
}

impl JointMemory {
    /// What the joint exerted during the step.
    pub(super) fn reaction(&self) -> Reaction {
        let [start, end] = self.impulses;
        Reaction { force: (start.force + end.force) / self.dt, torque: (start.torque + end.torque) / self.dt }
    }

    /// Adds what was given once more at the end of a step of `dt` seconds that was taken in parts.
    fn add(&mut self, impulse: Reaction, rows: impl Iterator<Item = f64>, dt: f64) {
        let part = self.dt / dt;
        self.impulses[1].force += impulse.force * part;
        self.impulses[1].torque += impulse.torque * part;
        self.end.iter_mut().zip(rows).for_each(|(end, more)| *end += more);
    }
}

/// Where a run of rows comes from.
enum Source {
    /// With the lever from the centre of mass of the second end to its anchor.
    Joint {
        id: JointId,
        lever: DVec3,
        approach: Vec<f64>,
        /// Whether it has ended the step already.
        finished: bool,
    },
    Contact {
        contact: usize,
        point: usize,
        rows: ContactRows,
        normal: DVec3,
        finished: bool,
    },
}

/// What a row demands of the positions at the end of the step.
#[derive(Clone, Copy, Debug)]
struct Goal {
    /// The value of the constraint then: an error stays what it is, a gap may close.
    value: f64,
    /// The rate in m/s or rad/s at which a push removes the error.
    push: f64,
    /// The Jacobian at the beginning of the step.
    jacobian: Jacobian,
    /// Whether the row is a limit of rotations.
    limits_rotation: bool,
}

impl Goal {
    /// Whether the way back to a limit of rotations is another one ahead than at the beginning of the step. Then the limit is
    /// not a plane any more that Newton's method could shift, and gets further planes (see `positions.rs`).
    fn has_turned(&self, ahead: &Jacobian) -> bool {
        let turned = || (ahead.angular[1] - self.jacobian.angular[1]).length();
        self.limits_rotation && turned() > MUCH_TURNED * ahead.angular[1].length()
    }
}

/// By how much, in radians, the direction of a limit may turn within a step before it makes a difference.
const MUCH_TURNED: f64 = 0.2;

/// By how much joints miss what they demand of the positions at the end of a step, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Miss {
    /// In m/s or rad/s.
    pub(super) speed: f64,
    /// As a part of the joint's lever, or in radians. Limits are not counted: a limit that is passed does not open a joint.
    pub(super) relative: f64,
}

impl Miss {
    fn note(&mut self, speed: f64, row: &Row, lever: f64, dt: f64) {
        self.speed = self.speed.max(speed);
        if row.limit == Limit::Equality {
            self.relative = self.relative.max(speed * dt / size(row, lever));
        }
    }
}

/// The longest lever of a joint's rows, in metres, a centimetre at least.
pub(super) fn lever(rows: &[Row]) -> f64 {
    let holds_a_point = |row: &&Row| row.jacobian.linear != [DVec3::ZERO; 2];
    let lever = |row: &Row| row.jacobian.angular[0].length().max(row.jacobian.angular[1].length());
    rows.iter().filter(holds_a_point).map(lever).fold(0.01, f64::max)
}

/// What the value of a row is to be compared with: the lever of its joint, or a radian.
pub(super) fn size(row: &Row, lever: f64) -> f64 {
    if row.jacobian.linear == [DVec3::ZERO; 2] { 1.0 } else { lever }
}

/// The rows of an island.
pub(super) struct Assembly {
    pub(super) rows: Vec<SolverRow>,
    /// How much each row bounces, 0 to 1.
    pub(super) restitution: Vec<f64>,
    /// One for each row.
    goals: Vec<Option<Goal>>,
    /// The rows after those of the sources are planes that limits were given on the way ahead: the limits' indices.
    planes: Vec<usize>,
    sources: Vec<(Source, Range<usize>)>,
}

/// What all conversions of one solve need.
#[derive(Clone, Copy)]
pub(super) struct Assembler<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    /// The step length h.
    pub(super) dt: f64,
    pub(super) stage: Stage,
    pub(super) settings: &'a RetroactiveSettings,
    /// Whether the solver heeds the weights of rows by itself.
    pub(super) weighed: bool,
    pub(super) bodies: &'a [SolverBody],
    /// By slot of the body, whether its joints have already ended the step, which they took in parts: springs and motors have given
    /// what they had to give. Empty if none have.
    pub(super) finished: &'a [bool],
}

impl Assembler<'_> {
    /// The rows of all joints and contacts of an island, starting from the impulses of the step before.
    pub(super) fn assemble(&self, island: &Island, contacts: &[PairState], joints: &[JointMemory]) -> Assembly {
        let points: usize = island.contacts.iter().map(|&index| contacts[index].points.len()).sum();
        let mut assembly = Assembly {
            rows: Vec::with_capacity(3 * points),
            restitution: Vec::with_capacity(3 * points),
            goals: Vec::with_capacity(3 * points),
            planes: Vec::new(),
            sources: Vec::with_capacity(points),
        };
        let mut rows = Vec::new();
        for &id in &island.joints {
            self.add_joint(id, &joints[id.slot()], &mut rows, &mut assembly);
        }
        for &index in &island.contacts {
            for point in 0..contacts[index].points.len() {
                self.add_contact_point(&contacts[index], index, point, &mut rows, &mut assembly);
            }
        }
        assembly
    }

    fn add_joint(&self, id: JointId, memory: &JointMemory, rows: &mut Vec<Row>, assembly: &mut Assembly) {
        let Some(joint) = self.model.joints().get(id) else { return };
        let Some(views) = JointView::of(self.model, &self.state.bodies, &self.state.angles, id) else { return };
        rows.clear();
        joint.constraint.rows(&views, rows);
        let remembered = |list: &[f64], index: usize| {
            if memory.joint == Some(id) { list.get(index).copied().unwrap_or(0.0) } else { 0.0 }
        };
        let indices = joint.ends.map(|end| self.index(end));
        let finished = self.finishes(joint.ends);
        let anchors = joint.constraint.anchors(&views);
        let turn = self.dt * f64::max(turning(&views[0], anchors[0]), turning(&views[1], anchors[1]));
        let first = assembly.rows.len();
        for (index, row) in rows.iter().enumerate() {
            let given = remembered(&memory.start, index);
            // Each solve continues where the last one ended.
            let warm = match self.stage {
                Stage::Position => remembered(&memory.end, index),
                Stage::Velocity => given,
            };
            let mut row = *row;
            let approach = remembered(&memory.approach, index);
            // A limit may also be reached to the point at the end of the step, without an impulse at its beginning.
            let reached = given > 0.0 || row.error <= self.settings.touch_distance;
            let bounces = row.limit == Limit::AtLeastZero && reached && approach > self.settings.restitution_threshold;
            if self.stage == Stage::Velocity && bounces {
                row.target_rate = row.restitution * approach;
            }
            let began = Began { impulse: given, error: remembered(&memory.errors, index) };
            let solver_row = SolverRow { turn, ..self.solver_row(&row, indices, first, began, warm) };
            let gave = |row: &SolverRow| matches!(row.bounds, Bounds::Range { .. } | Bounds::Cone { .. });
            assembly.rows.push(match finished {
                true if gave(&solver_row) => SolverRow { bounds: Bounds::Nothing, impulse: 0.0, ..solver_row },
                true => SolverRow { impulse: 0.0, ..solver_row },
                false => solver_row,
            });
            assembly.restitution.push(row.restitution);
            assembly.goals.push(self.goal(&row, self.settings.joint_correction));
        }
        let lever = anchors[1] - views[1].center;
        let approach = rows.iter().map(|row| approach_along(&row.jacobian, &views)).collect();
        assembly.sources.push((Source::Joint { id, lever, approach, finished }, first..assembly.rows.len()));
    }

    fn add_contact_point(
        &self,
        contact: &PairState,
        index: usize,
        point: usize,
        rows: &mut Vec<Row>,
        assembly: &mut Assembly,
    ) {
        let state = &contact.points[point];
        // At the end of the step only what touches counts.
        if self.stage == Stage::Velocity && !state.acts(self.settings.touch_distance) {
            return;
        }
        rows.clear();
        let ends = contact.bodies.map(JointEnd::Body);
        let geometry = self.at_the_surface(&state.geometry, contact.bodies);
        let count = contact_rows(&ends.map(|end| self.view(end)), &geometry, &contact.material, rows);
        if self.stage == Stage::Velocity && state.impact_speed > self.settings.restitution_threshold {
            rows[0].target_rate = state.rebound(contact.material.restitution);
        }
        if contact.surface_velocity != DVec3::ZERO {
            let (u, v) = orthonormal_pair(geometry.normal);
            (rows[1].target_rate, rows[2].target_rate) =
                (u.dot(contact.surface_velocity), v.dot(contact.surface_velocity));
        }
        if self.stage == Stage::Position {
            rows[0].jdot_v = state.bend;
            let slip_rate = slip_rate(&ends.map(|end| self.view(end)), state);
            let (u, v) = orthonormal_pair(geometry.normal);
            (rows[1].jdot_v, rows[2].jdot_v) = (u.dot(slip_rate), v.dot(slip_rate));
        }
        let warm = match self.stage {
            // Each solve continues where the last one ended.
            Stage::Position => state.end,
            Stage::Velocity => state.start,
        };
        let warm = to_rows(&warm, state.geometry.normal, &count);
        let first = assembly.rows.len();
        for (k, row) in rows.iter().enumerate() {
            let given = if k == 0 { state.start.normal } else { 0.0 };
            let began = Began { impulse: given, ..Began::default() };
            assembly.rows.push(self.solver_row(row, ends.map(|end| self.index(end)), first, began, warm[k]));
            assembly.restitution.push(contact.material.restitution);
            assembly.goals.push(self.goal(row, self.settings.contact_correction));
        }
        let finished = self.finishes(ends);
        let source = Source::Contact { contact: index, point, rows: count, normal: state.geometry.normal, finished };
        assembly.sources.push((source, first..assembly.rows.len()));
    }

    /// Where the impulses of a contact act. Half-way between the surfaces they keep the angular momentum of two bodies; but
    /// if only one of them can be moved, its own surface is the right place.
    fn at_the_surface(&self, geometry: &ContactGeometry, bodies: [BodyId; 2]) -> ContactGeometry {
        let [first, second] = bodies.map(|id| self.bodies[id.slot()].inverse_mass > 0.0);
        let towards_second = match (first, second) {
            (false, true) => 0.5,
            (true, false) => -0.5,
            _ => 0.0,
        };
        ContactGeometry { position: geometry.position + towards_second * geometry.gap * geometry.normal, ..*geometry }
    }

    /// The solver row of a constraint row. `first` is where the constraint's rows begin, `began` what this row had at the
    /// beginning of the step, `warm` the impulse to start from.
    fn solver_row(&self, row: &Row, bodies: [usize; 2], first: usize, began: Began, warm: f64) -> SolverRow {
        let soft = Soft::new(row, self.mobility(row, bodies), self.dt);
        let bounds = self.bounds(row, first, began.impulse);
        let (bias, gamma, bounds, impulse) = match (self.stage, soft) {
            (Stage::Position, Some(soft)) => {
                let (bias, gamma) = soft.start(self.dt, row.error);
                (bias, gamma, bounds, warm)
            }
            (Stage::Velocity, Some(soft)) => {
                let end = bounds.clamp(soft.end(self.dt, began, row.error));
                (0.0, 0.0, Bounds::Range { min: end, max: end }, end)
            }
            (Stage::Position, None) => (self.position_bias(row), self.lag(row, bodies), bounds, warm),
            (Stage::Velocity, None) => (-row.target_rate, self.lag(row, bodies), bounds, warm),
        };
        let weight = if let Softness::Baumgarte { beta } = row.softness { beta } else { 1.0 };
        SolverRow { bodies, jacobian: row.jacobian, bias, gamma, bounds, error: row.error, weight, turn: 0.0, impulse }
    }

    /// The γ with which a row that wants a rate only makes up the part β of what is lacking: `1/(1 + γ/J W Jᵀ) = β`.
    fn lag(&self, row: &Row, bodies: [usize; 2]) -> f64 {
        match (row.limit, row.softness) {
            (Limit::Force { .. }, Softness::Baumgarte { beta }) if row.target_rate != 0.0 && !self.weighed => {
                self.mobility(row, bodies) * (1.0 / beta.max(1e-6) - 1.0)
            }
            _ => 0.0,
        }
    }

    fn position_bias(&self, row: &Row) -> f64 {
        let curvature = 0.5 * self.dt * row.jdot_v;
        match row.limit {
            Limit::AtLeastZero => row.error.max(0.0) / self.dt + curvature,
            Limit::Equality => curvature - row.target_rate,
            Limit::Force { .. } | Limit::Cone { .. } | Limit::ConeMember => curvature - row.target_rate,
        }
    }

    /// What a row demands of the positions at the end of the step; none for a soft row and for friction.
    fn goal(&self, row: &Row, correction: f64) -> Option<Goal> {
        let value = match row.limit {
            Limit::Equality => row.error + self.dt * row.target_rate,
            Limit::AtLeastZero => row.error.min(0.0),
            Limit::Force { .. } | Limit::Cone { .. } | Limit::ConeMember => return None,
        };
        let correction = match (row.softness, row.limit) {
            (Softness::Spring { .. } | Softness::Stiffness { .. } | Softness::Coefficients { .. }, _) => return None,
            (Softness::Baumgarte { beta }, _) => beta,
            (Softness::Rigid, _) => correction,
        };
        // A gap is no error.
        let error = if row.limit == Limit::AtLeastZero { row.error.min(0.0) } else { row.error };
        let speed = self.settings.max_push_speed;
        let push = (correction * error / self.dt).clamp(-speed, speed);
        let limits_rotation = row.limit == Limit::AtLeastZero && row.jacobian.linear == [DVec3::ZERO; 2];
        Some(Goal { value, push, jacobian: row.jacobian, limits_rotation })
    }

    fn bounds(&self, row: &Row, first: usize, given: f64) -> Bounds {
        let apart = row.error > self.settings.touch_distance && given <= 0.0;
        match row.limit {
            Limit::Equality => Bounds::Free,
            Limit::AtLeastZero if self.stage == Stage::Velocity && apart => Bounds::Nothing,
            Limit::AtLeastZero => Bounds::NonNegative,
            // Half of the impulse the force could give in a step, in each of its two solves.
            Limit::Force { min, max } => Bounds::between(0.5 * self.dt * min, 0.5 * self.dt * max),
            Limit::Cone { normal, rows, stick, slip } => Bounds::Cone { normal: first + normal, rows, stick, slip },
            Limit::ConeMember => Bounds::ConeMember,
        }
    }

    /// `J W Jᵀ`; zero if nothing moves.
    fn mobility(&self, row: &Row, bodies: [usize; 2]) -> f64 {
        let [a, b] = bodies.map(|index| &self.bodies[index]);
        let linear = [row.jacobian.linear[0] * a.inverse_mass, row.jacobian.linear[1] * b.inverse_mass];
        let angular = [a.inverse_inertia * row.jacobian.angular[0], b.inverse_inertia * row.jacobian.angular[1]];
        row.jacobian.dot(linear, angular)
    }

    /// The row of a joint's end among the solver's bodies; the world comes last.
    fn index(&self, end: JointEnd) -> usize {
        match end {
            JointEnd::Body(id) => id.slot(),
            JointEnd::World => self.bodies.len() - 1,
        }
    }

    /// Whether what is between two bodies has already ended the step.
    fn finishes(&self, ends: [JointEnd; 2]) -> bool {
        ends.into_iter().any(|end| match end {
            JointEnd::Body(id) => self.finished.get(id.slot()).copied().unwrap_or(false),
            JointEnd::World => false,
        })
    }

    fn view(&self, end: JointEnd) -> BodyView {
        BodyView::of(self.model, &self.state.bodies, end)
    }
}

impl Assembly {
    /// By how much the joints' rows miss their goals at the end of the step, `ahead` being where the bodies get
    /// with the impulses so far: the largest miss. Corrects the biases for another solve to hit them.
    pub(super) fn aim(&mut self, assembler: &Assembler<'_>, ahead: &[BodyState]) -> Miss {
        let mut largest = Miss::default();
        let mut rows = Vec::new();
        for (source, range) in &mut self.sources {
            let Source::Joint { id, approach, .. } = source else { continue };
            let Some(joint) = assembler.model.joints().get(*id) else { continue };
            let began = joint.ends.map(|end| assembler.view(end));
            let Some(views) = JointView::of(assembler.model, ahead, &assembler.state.angles, *id) else { continue };
            rows.clear();
            joint.constraint.rows(&views, &mut rows);
            // A limit that comes or goes on the way is left to the next step.
            if rows.len() != range.len() {
                continue;
            }
            let lever = lever(&rows);
            for (index, ahead) in range.clone().zip(&rows) {
                let Some(goal) = self.goals[index] else { continue };
                if goal.limits_rotation {
                    approach[index - range.start] = approach_along(&ahead.jacobian, &began);
                }
                let miss = (ahead.error - goal.value) / assembler.dt;
                if goal.has_turned(&ahead.jacobian) {
                    self.rows[index].bias = (self.rows[index].error - goal.value) / assembler.dt;
                    if miss < 0.0 {
                        largest.note(-miss, ahead, lever, assembler.dt);
                        self.rows.push(plane(&self.rows[index], ahead, miss, assembler.bodies));
                        self.planes.push(index);
                    }
                } else {
                    let row = &mut self.rows[index];
                    let released = row.bounds == Bounds::NonNegative && row.impulse <= 0.0;
                    let missed = if released { -miss } else { miss.abs() };
                    largest.note(missed, ahead, lever, assembler.dt);
                    row.bias = miss - row.rate(assembler.bodies);
                }
            }
        }
        largest
    }

    /// The rows of the contact points with these numbers, in the order in which they were assembled.
    pub(super) fn rows_of_points(&self, points: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.sources.partition_point(|(source, _)| matches!(source, Source::Joint { .. }));
        self.sources[first..][points].iter().map(|(_, rows)| rows.clone())
    }

    /// What the impulses of contact points changed the velocities of their bodies by, linear and angular; none if they did not push.
    pub(super) fn share_of_points(&self, points: Range<usize>, bodies: &[SolverBody]) -> Option<[[DVec3; 2]; 2]> {
        let mut share = [[DVec3::ZERO; 2]; 2];
        let mut pushed = false;
        for row in self.rows_of_points(points).flatten().map(|row| &self.rows[row]) {
            pushed |= row.impulse > 0.0 && row.bounds == Bounds::NonNegative;
            for (side, [linear, angular]) in share.iter_mut().enumerate() {
                let body = &bodies[row.bodies[side]];
                *linear += row.jacobian.linear[side] * (body.inverse_mass * row.impulse);
                *angular += body.inverse_inertia * row.jacobian.angular[side] * row.impulse;
            }
        }
        pushed.then_some(share)
    }

    /// Lets contact points act, or not.
    pub(super) fn let_act(&mut self, points: Range<usize>, act: bool) {
        for rows in self.rows_of_points(points).collect::<Vec<_>>() {
            self.rows[rows.start].bounds = if act { Bounds::NonNegative } else { Bounds::Nothing };
        }
    }

    /// The rows that remove errors of position, on top of the impulses found; none if there are no errors.
    pub(super) fn push_rows(&self) -> Vec<SolverRow> {
        if self.goals.iter().flatten().all(|goal| goal.push == 0.0) {
            return Vec::new();
        }
        // Friction has no goal, and what does not act needs no push.
        let push = |(row, goal): (&SolverRow, &Option<Goal>)| {
            let goal = goal.as_ref().filter(|_| row.bounds != Bounds::Nothing)?;
            Some(SolverRow { bias: row.bias + goal.push, impulse: 0.0, ..*row })
        };
        self.rows.iter().zip(&self.goals).filter_map(push).collect()
    }

    /// Puts the solved impulses of a step of `dt` seconds where the next step finds them.
    pub(super) fn store(&self, stage: Stage, dt: f64, contacts: &mut [PairState], joints: &mut [JointMemory]) {
        for (source, range) in &self.sources {
            let rows = &self.rows[range.clone()];
            let solved = rows.iter().map(|row| row.impulse);
            let planes = self.rows[self.goals.len()..].iter().zip(&self.planes);
            let planes = planes.filter(|(_, limit)| range.contains(limit));
            match source {
                Source::Joint { id, lever, approach, finished } => {
                    let memory = &mut joints[id.slot()];
                    if stage == Stage::Position {
                        memory.approach.clone_from(approach);
                        memory.errors.clear();
                        // A limit may be further away than numbers reach.
                        memory.errors.extend(rows.iter().map(|row| finite(row.error)));
                    }
                    let impulse = on_second_end(rows.iter().chain(planes.clone().map(|(row, _)| row)), *lever);
                    if *finished {
                        memory.add(impulse, solved, dt);
                        continue;
                    }
                    (memory.joint, memory.dt) = (Some(*id), dt);
                    let index = usize::from(stage != Stage::Position);
                    memory.impulses[index] = impulse;
                    let list = if index == 0 { &mut memory.start } else { &mut memory.end };
                    list.clear();
                    list.extend(solved);
                    planes.for_each(|(row, limit)| list[limit - range.start] += row.impulse);
                    if stage == Stage::Velocity {
                        let pushed = memory.start.iter().zip(&memory.end).map(|(start, end)| start + end > 0.0);
                        memory.limits.clear();
                        memory.limits.extend(
                            rows.iter().zip(pushed).map(|(row, pushed)| row.bounds == Bounds::NonNegative && pushed),
                        );
                    }
                }
                Source::Contact { contact, point, rows, normal, finished } => {
                    let mut impulses = [0.0; MAX_CONTACT_ROWS];
                    impulses.iter_mut().zip(solved).for_each(|(slot, impulse)| *slot = impulse);
                    let point = &mut contacts[*contact].points[*point];
                    let solved = from_rows(&impulses, *normal, rows);
                    if *finished {
                        point.end = point.end + solved;
                        continue;
                    }
                    *(if stage == Stage::Position { &mut point.start } else { &mut point.end }) = solved;
                    contacts[*contact].dt = dt;
                }
            }
        }
    }
}

/// The speed of approach −J v of a row; zero, and so without restitution, if it is not finite.
fn approach_along(jacobian: &Jacobian, bodies: &[BodyView; 2]) -> f64 {
    let speed = -jacobian.dot(bodies.map(|body| body.velocity), bodies.map(|body| body.angular_velocity));
    if speed.is_finite() { speed } else { 0.0 }
}

/// How fast the lever of a body to a point turns, in rad/s. One without length, or of what is not finite, does not.
pub(super) fn turning(body: &BodyView, point: DVec3) -> f64 {
    let lever = point - body.center;
    let speed = body.angular_velocity.cross(lever).length() / lever.length();
    if speed.is_finite() { speed } else { 0.0 }
}

/// Keeps a limit that is missed by a rate on its right side where it lies ahead.
fn plane(limit: &SolverRow, ahead: &Row, miss: f64, bodies: &[SolverBody]) -> SolverRow {
    let plane = SolverRow { jacobian: ahead.jacobian, error: ahead.error, impulse: 0.0, ..*limit };
    SolverRow { bias: miss - plane.rate(bodies), ..plane }
}

/// How fast the slip `u = v₂ + ω₂×(p − x₂) − v₁ − ω₁×(p − x₁)` at a contact point p changes while the bodies keep their
/// velocities: `u̇ = ω₂×(ṗ − v₂) − ω₁×(ṗ − v₁)`. A body that is carried around by a turntable follows the circle with it, not
/// the tangent.
fn slip_rate(bodies: &[BodyView; 2], point: &PointState) -> DVec3 {
    let relative = |body: &BodyView, velocity: DVec3| body.angular_velocity.cross(velocity - body.velocity);
    let speeds = bodies.map(|body| body.velocity_at(point.geometry.position).length().max(body.velocity.length()));
    match point.velocity {
        // A point that moves faster than the bodies has jumped: another part of the surfaces touches.
        Some(velocity) if velocity.length() <= 2.0 * speeds[0].max(speeds[1]) => {
            relative(&bodies[1], velocity) - relative(&bodies[0], velocity)
        }
        _ => DVec3::ZERO,
    }
}

/// What the impulses of a joint's rows are together on its second end, `Σ Jᵀ λ`, with the torque about its anchor.
fn on_second_end<'a>(rows: impl Iterator<Item = &'a SolverRow> + Clone, lever: DVec3) -> Reaction {
    let force: DVec3 = rows.clone().map(|row| row.jacobian.linear[1] * row.impulse).sum();
    let torque: DVec3 = rows.map(|row| row.jacobian.angular[1] * row.impulse).sum();
    Reaction { force: representable(force), torque: representable(torque - lever.cross(force)) }
}

/// The nearest finite vector, where levers or impulses beyond 1e150 overflow: only states are refused for that, not what is
/// merely told about them.
fn representable(vector: DVec3) -> DVec3 {
    DVec3::new(finite(vector.x), finite(vector.y), finite(vector.z))
}

/// The nearest finite number; zero for none.
fn finite(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) }
}

/// Normal, two of friction, two of rolling, one of spinning.
const MAX_CONTACT_ROWS: usize = 6;

/// The impulses of a contact point as the λ of its rows.
fn to_rows(impulses: &ContactImpulse, normal: DVec3, rows: &ContactRows) -> [f64; MAX_CONTACT_ROWS] {
    let (u, v) = orthonormal_pair(normal);
    let mut list = [0.0; MAX_CONTACT_ROWS];
    list[0] = impulses.normal;
    (list[1], list[2]) = (impulses.friction.dot(u), impulses.friction.dot(v));
    if rows.rolling {
        (list[3], list[4]) = (impulses.rolling.dot(u), impulses.rolling.dot(v));
    }
    if rows.spinning {
        list[rows.count - 1] = impulses.spinning;
    }
    list
}

/// The inverse of `to_rows`.
fn from_rows(list: &[f64; MAX_CONTACT_ROWS], normal: DVec3, rows: &ContactRows) -> ContactImpulse {
    let (u, v) = orthonormal_pair(normal);
    ContactImpulse {
        normal: list[0],
        friction: u * list[1] + v * list[2],
        rolling: if rows.rolling { u * list[3] + v * list[4] } else { DVec3::ZERO },
        spinning: if rows.spinning { list[rows.count - 1] } else { 0.0 },
    }
}
