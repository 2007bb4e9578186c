//! Shock propagation (Guendelman, Bridson and Fedkiw 2003; G 4.5): what stands on the floor carries the rest, level by level.
//!
//! Sweeps carry a weight down a stack by one body per sweep, and few sweeps leave the lowest contacts too weak. Shock propagation goes the other way,
//! once: with the level of a body the least number of contacts and joints between it and something immovable, the rows of level 1 are solved,
//! then the bodies of level 1 are taken for immovable and the rows of level 2 are solved, and so on. Each body finds firm ground under it, so
//! that nothing sinks, however high the stack and however heavy what lies on it.
//!
//! A body that is taken for immovable does not feel the impulse from above, so momentum is not conserved: what stands on it weighs nothing to it. Sweeps
//! that come first (`iterations`) carry as much of the weight as they can.

use super::{Bounds, ConstraintSolver, Convergence, Problem, SequentialImpulses, SolverBody, SolverRow};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Sweeps, and then level by level from the floor upwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShockPropagation {
    /// How many sweeps over all rows come first. Default 20.
    #[schemars(range(min = 0, max = 10000))]
    pub iterations: usize,
    /// How many sweeps over the rows of each level. Default 20.
    #[schemars(range(min = 1, max = 10000))]
    pub level_iterations: usize,
}

impl Default for ShockPropagation {
    fn default() -> Self {
        Self { iterations: 20, level_iterations: 20 }
    }
}

/// The level of a body that nothing connects to the floor.
const AFLOAT: u32 = u32::MAX;

impl ConstraintSolver for ShockPropagation {
    fn solve(&mut self, problem: &mut Problem<'_>) -> Convergence {
        let mut sweeps = SequentialImpulses { iterations: self.iterations, ..SequentialImpulses::default() };
        let mut reached = sweeps.solve(problem);
        let levels = levels(problem);
        let highest = levels.iter().copied().filter(|&level| level != AFLOAT).max().unwrap_or(0);
        let level_of = |row: &SolverRow| {
            let [a, b] = row.bodies.map(|body| levels[body]);
            if a == AFLOAT || b == AFLOAT { None } else { Some(a.max(b)) }
        };
        let mut by_level: Vec<Vec<usize>> = vec![Vec::new(); highest as usize + 1];
        for (index, row) in problem.rows.iter().enumerate() {
            if let Some(level) = level_of(row) {
                by_level[level as usize].push(index);
            }
        }
        for (level, rows) in by_level.iter().enumerate().skip(1) {
            let held = |body: usize| levels[body] < level as u32;
            for _ in 0..self.level_iterations {
                let residual = sweep(problem, rows, &held);
                reached.residual = reached.residual.max(residual);
                reached.sweeps += 1;
                if residual <= 1e-10 {
                    break;
                }
            }
        }
        reached
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(self.clone())
    }
}

/// By body: how many rows it is away from something immovable.
fn levels(problem: &Problem<'_>) -> Vec<u32> {
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); problem.bodies.len()];
    for row in problem.rows.iter() {
        let [a, b] = row.bodies;
        neighbors[a].push(b);
        neighbors[b].push(a);
    }
    let mut levels = vec![AFLOAT; problem.bodies.len()];
    let mut queue: Vec<usize> = (0..problem.bodies.len()).filter(|&i| problem.bodies[i].inverse_mass == 0.0).collect();
    queue.iter().for_each(|&body| levels[body] = 0);
    let mut next = 0;
    while let Some(&body) = queue.get(next) {
        next += 1;
        for &other in &neighbors[body] {
            if levels[other] == AFLOAT {
                levels[other] = levels[body] + 1;
                queue.push(other);
            }
        }
    }
    levels
}

/// One sweep of projected Gauss–Seidel over some rows, in which bodies that are `held` do not move; how much it changed a row's velocity at most.
pub(super) fn sweep(problem: &mut Problem<'_>, chosen: &[usize], held: &dyn Fn(usize) -> bool) -> f64 {
    let mut residual = 0.0_f64;
    let mut index = 0;
    while index < chosen.len() {
        let row = chosen[index];
        match problem.rows[row].bounds {
            Bounds::Cone { normal, rows, stick, slip } => {
                let members = row..(row + rows).min(problem.rows.len());
                index += members.len();
                let wanted: Vec<f64> =
                    members.clone().map(|i| problem.rows[i].impulse + correction(problem, i, held)).collect();
                let load = problem.rows[normal].impulse.max(0.0);
                let size = wanted.iter().map(|x| x * x).sum::<f64>().sqrt();
                let scale = if size <= stick * load { 1.0 } else { slip * load / size };
                for (i, wanted) in members.zip(wanted) {
                    residual = residual.max(apply(problem, i, wanted * scale, held));
                }
            }
            Bounds::ConeMember => index += 1,
            bounds => {
                index += 1;
                let wanted = bounds.clamp(problem.rows[row].impulse + correction(problem, row, held));
                residual = residual.max(apply(problem, row, wanted, held));
            }
        }
    }
    residual
}

/// What an impulse along a row does to its bodies.
fn response(body: &SolverBody, row: &SolverRow, k: usize, is_held: bool) -> (DVec3, DVec3) {
    match is_held {
        true => (DVec3::ZERO, DVec3::ZERO),
        false => (row.jacobian.linear[k] * body.inverse_mass, body.inverse_inertia * row.jacobian.angular[k]),
    }
}

fn mobility(problem: &Problem<'_>, row: &SolverRow, held: &dyn Fn(usize) -> bool) -> f64 {
    let of = |k: usize| {
        let body = row.bodies[k];
        let (linear, angular) = response(&problem.bodies[body], row, k, held(body));
        row.jacobian.linear[k].dot(linear) + row.jacobian.angular[k].dot(angular)
    };
    of(0) + of(1)
}

/// The impulse that alone would satisfy a row.
fn correction(problem: &Problem<'_>, index: usize, held: &dyn Fn(usize) -> bool) -> f64 {
    let row = &problem.rows[index];
    let gives = mobility(problem, row, held) + row.gamma;
    if gives <= f64::MIN_POSITIVE {
        return 0.0;
    }
    -(row.rate(problem.bodies) + row.bias + row.gamma * row.impulse) / gives
}

/// Gives a row an impulse; by how much that changed its velocity.
pub(super) fn apply(problem: &mut Problem<'_>, index: usize, impulse: f64, held: &dyn Fn(usize) -> bool) -> f64 {
    let row = problem.rows[index];
    let change = impulse - row.impulse;
    if change == 0.0 || !change.is_finite() {
        return 0.0;
    }
    problem.rows[index].impulse = impulse;
    for k in 0..2 {
        let body = row.bodies[k];
        let (linear, angular) = response(&problem.bodies[body], &row, k, held(body));
        problem.bodies[body].velocity += linear * change;
        problem.bodies[body].angular_velocity += angular * change;
    }
    (change * mobility(problem, &row, held)).abs()
}
