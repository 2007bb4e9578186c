//! Putting errors right: after a step, positions and velocities go back to where all constraints hold, by the shortest way in the metric of
//! the masses. For displacements δ and velocities v these are the equations of `tree.rs` and `touch.rs` once more:
//!
//! ```text
//! J δ + c = 0     (repeated, since J changes)          J v − target = 0
//! ```

use super::element::{Element, Grip, Mode, What};
use super::equations::{Equations, Kind, Scenery, motion, view};
use super::line::{Line, Twist};
use super::touch::TouchRow;
use crate::BodyState;
use tumble_geometry::math::rotation_from_vector;

/// How often positions are put right at most.
const ROUNDS: usize = 4;

/// Rows with pivots below this are left as they are. A linkage that is stretched out could go on two ways, φ θ = 0 with θ the way it goes
/// and φ the way it could: there, errors of rounding ε are φ = ε/θ, and with them φ̇ = −φ θ̇/θ, which grows beyond all bounds. A moment
/// later these rows are as good as ever.
const NEARLY_REDUNDANT: f64 = 1e-7;

/// Errors below this part of the size of the scene are left alone: it is rounding.
const ROUNDING: f64 = 4e-16;

impl Equations {
    /// Puts positions and velocities right. The largest error of a position there was, in metres or radians.
    pub(super) fn project(
        &mut self,
        scenery: &Scenery<'_>,
        length: f64,
        bodies: &mut [BodyState],
        elements: &[Element],
    ) -> f64 {
        let mut first = 0.0;
        let mut last = f64::INFINITY;
        let mut prepared = false;
        for round in 0..ROUNDS {
            self.prepare_but(scenery, bodies, NEARLY_REDUNDANT);
            prepared = true;
            let worst = self.gaps(scenery, bodies, elements);
            if round == 0 {
                first = worst;
            }
            if worst <= ROUNDING * length || worst >= 0.5 * last || worst.is_nan() {
                break;
            }
            (last, prepared) = (worst, false);
            let mut moves = vec![Twist::default(); bodies.len()];
            self.solve(
                &mut moves,
                |_, row, kind| if kind == (Kind::Hold { position: true }) { row.error } else { 0.0 },
            );
            for &slot in &self.movable {
                let (body, by) = (&mut bodies[slot], &moves[slot]);
                body.position += by.linear;
                body.rotation = (rotation_from_vector(by.angular) * body.rotation).normalize();
            }
        }
        if !prepared {
            self.prepare_but(scenery, bodies, NEARLY_REDUNDANT);
        }
        self.project_velocities(scenery, bodies, elements);
        first
    }

    /// The rows of elements whose values hold, with their errors as b; the largest error of those and of joints.
    fn gaps(&mut self, scenery: &Scenery<'_>, bodies: &[BodyState], elements: &[Element]) -> f64 {
        let mut worst = 0.0_f64;
        for joint in &self.joints {
            for (row, kind) in joint.rows.iter().zip(&joint.kinds) {
                if *kind == (Kind::Hold { position: true }) {
                    worst = worst.max(row.error.abs());
                }
            }
        }
        self.rows.clear();
        for (index, element) in elements.iter().enumerate().filter(|(_, element)| element.mode == Mode::On) {
            let (line, error) = match &element.what {
                What::Stop { joint, row } => {
                    let Some(joint) = self.joints.get(*joint) else { continue };
                    (Line::new(joint.slots, &joint.rows[*row].jacobian), joint.rows[*row].error)
                }
                What::Contact(contact) => {
                    let gap = contact.feature.measure(&contact.bodies.map(|id| view(scenery.model, bodies, id)));
                    (Line::new(contact.slots, &gap.jacobian), gap.value)
                }
                What::Motor { .. } => continue,
            };
            let bias = error - element.offset;
            worst = worst.max(bias.abs());
            self.rows.push(TouchRow { element: index, line, push: line, skewed: false, bias, wanted: 0.0 });
        }
        worst
    }

    /// Puts velocities right, once the joints are [prepared](Self::prepare_but): joints and what presses do not move apart, what holds does not slide.
    fn project_velocities(&mut self, scenery: &Scenery<'_>, bodies: &mut [BodyState], elements: &[Element]) {
        self.assemble(scenery.model, bodies, elements);
        for row in &mut self.rows {
            (row.push, row.skewed, row.bias) = (row.line, false, -row.wanted);
        }
        let mut velocities: Vec<Twist> = bodies.iter().map(motion).collect();
        self.solve(&mut velocities, |_, row, _| -row.target_rate);
        for &slot in &self.movable {
            (bodies[slot].velocity, bodies[slot].angular_velocity) =
                (velocities[slot].linear, velocities[slot].angular);
        }
    }
}

/// Keeps the directions of what slips as they are now, so that the next turning point is told from them. What has become fast enough
/// has its own direction; what is slow, in m/s, keeps the one it had. How fast what has got a direction of its own was across the one it
/// began with, which nothing held against, in m/s.
pub(super) fn follow_slips(
    scenery: &Scenery<'_>,
    bodies: &[BodyState],
    elements: &mut [Element],
    [slow, fast]: [f64; 2],
) -> f64 {
    let mut across = 0.0_f64;
    for element in elements.iter_mut().filter(|element| element.mode == Mode::On) {
        let What::Contact(contact) = &mut element.what else { continue };
        let views = contact.bodies.map(|id| view(scenery.model, bodies, id));
        let reading = contact.read(&views);
        for friction in &mut contact.frictions {
            if let Grip::Slip { direction, nascent } = friction.grip {
                let velocity = reading.speed(friction.against);
                let speed = velocity.length();
                if speed > if nascent { fast } else { slow } {
                    if nascent {
                        across = across.max((velocity - direction * velocity.dot(direction)).length());
                    }
                    friction.grip = Grip::Slip { direction: velocity / speed, nascent: false };
                }
            }
        }
    }
    across
}
