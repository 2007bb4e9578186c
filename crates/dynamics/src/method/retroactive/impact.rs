//! Impacts that are passed on (K 3.3.3).
//!
//! Newton's law, "surfaces separate at e times the speed at which they met", says nothing of a contact that is hit from
//! behind: of five touching balls, the last may leave or all may move on together. K's answer is that an impact takes no
//! time, but impacts come one after the other:
//!
//! 1. all contacts that approach collide at once, in one system with the joints, and with nobody else;
//! 2. if others approach now, they collide next, and so on until nobody does.
//!
//! So the impulse runs through the row of balls and only the last one leaves. Here the rounds are played with the
//! velocities at the beginning of the step. What they tell is how fast each contact separates in the end; the solve for the
//! velocities at the end of the step then demands that. Elastic bodies packed between walls would hand the impulse to and
//! fro for ever (K Fig. 3.7); after a given number of rounds it stays where it is.

use crate::solver::{Bounds, ConstraintSolver, Problem, SolverBody, SolverRow};

/// Whether a row demands that bodies separate.
pub(super) fn bounces(row: &SolverRow) -> bool {
    row.bias < 0.0 && row.bounds == Bounds::NonNegative
}

/// Whether a row holds whatever happens; a spring or a motor does not act in no time.
fn is_rigid_joint(row: &SolverRow) -> bool {
    row.bounds == Bounds::Free && row.gamma == 0.0
}

/// How impacts are passed on.
pub(super) struct Impacts<'a> {
    pub(super) solver: &'a mut dyn ConstraintSolver,
    /// Slower approaches do not bounce, in m/s.
    pub(super) threshold: f64,
    /// How many rounds at most.
    pub(super) rounds: u32,
}

impl Impacts<'_> {
    /// Plays the rounds with `bodies`, which have the velocities before the impact and get those after it, and has the rows
    /// demand the outcome: how fast what took part separates.
    pub(super) fn pass_on(&mut self, bodies: &mut [SolverBody], rows: &mut [SolverRow], restitution: &[f64]) {
        let mut impulses = vec![0.0; rows.len()];
        for round in 0..self.rounds {
            let separation = |row: &SolverRow, restitution: f64| {
                let approach = -row.rate(bodies);
                match round {
                    0 => bounces(row).then_some(-row.bias),
                    _ => (row.bounds == Bounds::NonNegative && approach > self.threshold)
                        .then_some(restitution * approach),
                }
            };
            let separations: Vec<_> = rows.iter().zip(restitution).map(|(row, &e)| separation(row, e)).collect();
            if separations.iter().all(Option::is_none) {
                break;
            }
            let (numbers, mut colliding) = select(rows, &separations);
            self.solver.solve(&mut Problem { bodies, rows: &mut colliding });
            numbers.iter().zip(&colliding).for_each(|(&number, row)| impulses[number] += row.impulse);
        }
        for (row, impulse) in rows.iter_mut().zip(impulses) {
            let takes_part = impulse > 0.0;
            if row.bounds == Bounds::NonNegative && (takes_part || row.bias < 0.0) {
                let rate = row.rate(bodies).max(0.0);
                row.bias = -if takes_part { rate } else { rate.min(-row.bias) };
            }
        }
    }
}

/// The joints and the contacts that collide, with the speed at which each is to separate; and which rows they are.
fn select(rows: &[SolverRow], separations: &[Option<f64>]) -> (Vec<usize>, Vec<SolverRow>) {
    let (mut numbers, mut selected): (Vec<usize>, Vec<SolverRow>) = (Vec::new(), Vec::new());
    // Where the normal row of the contact under way is among the selected.
    let mut normal_row = None;
    for (number, (row, separation)) in rows.iter().zip(separations).enumerate() {
        let (bias, bounds) = match row.bounds {
            Bounds::Free | Bounds::NonNegative | Bounds::Range { .. } | Bounds::Nothing => {
                normal_row = separation.map(|_| selected.len());
                match separation {
                    Some(speed) => (-speed, row.bounds),
                    None if is_rigid_joint(row) => (row.bias, row.bounds),
                    None => continue,
                }
            }
            Bounds::Cone { rows, stick, slip, .. } => match normal_row {
                Some(normal) => (row.bias, Bounds::Cone { normal, rows, stick, slip }),
                None => continue,
            },
            Bounds::ConeMember if normal_row.is_some() => (row.bias, row.bounds),
            Bounds::ConeMember => continue,
        };
        numbers.push(number);
        selected.push(SolverRow { bias, bounds, impulse: 0.0, ..*row });
    }
    (numbers, selected)
}
