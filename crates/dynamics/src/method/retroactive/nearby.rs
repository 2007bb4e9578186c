//! Solving again in the neighbourhood of a contact that came or went, starting from the solution without it: bodies further away in
//! the island hardly change.
//!
//! The rows that take part are those of the bodies concerned and of their neighbours. What they did to the velocities is taken
//! back, and they are solved with their impulses to start from. The bodies beyond feel the impulses, so that momentum is
//! conserved, and what that makes them miss is found at the end of the step.

use crate::solver::{Bounds, ConstraintSolver, Convergence, Problem, SolverBody, SolverRow};

/// Solves the rows near the bodies that are marked. `rows` must have been solved with `bodies`, but for those that came or went.
pub(super) fn solve_nearby(
    solver: &mut dyn ConstraintSolver,
    bodies: &mut [SolverBody],
    rows: &mut [SolverRow],
    marked: &mut [bool],
) -> Convergence {
    let neighbors: Vec<[usize; 2]> = rows.iter().filter(|row| touches(row, marked)).map(|row| row.bodies).collect();
    for body in neighbors.into_iter().flatten() {
        marked[body] |= bodies[body].inverse_mass > 0.0;
    }
    let numbers: Vec<usize> = (0..rows.len()).filter(|&number| touches(&rows[number], marked)).collect();
    let mut near: Vec<SolverRow> = Vec::with_capacity(numbers.len());
    for (place, &number) in numbers.iter().enumerate() {
        let row = &rows[number];
        for (side, &index) in row.bodies.iter().enumerate() {
            let body = &mut bodies[index];
            // Nothing moves it; but zero times a lever beyond all numbers is not zero.
            if body.inverse_mass == 0.0 {
                continue;
            }
            body.velocity -= row.jacobian.linear[side] * (body.inverse_mass * row.impulse);
            body.angular_velocity -= body.inverse_inertia * row.jacobian.angular[side] * row.impulse;
        }
        let bounds = match row.bounds {
            // All rows of a contact are between the same bodies, and so all of them are there.
            Bounds::Cone { normal, rows, stick, slip } => {
                Bounds::Cone { normal: place - (number - normal), rows, stick, slip }
            }
            bounds => bounds,
        };
        near.push(SolverRow { bounds, ..*row });
    }
    let reached = solver.solve(&mut Problem { bodies, rows: &mut near });
    for (&number, row) in numbers.iter().zip(&near) {
        rows[number].impulse = row.impulse;
    }
    reached
}

fn touches(row: &SolverRow, marked: &[bool]) -> bool {
    row.bodies.iter().any(|&body| marked[body])
}
