//! Every joint of tumble as a position constraint: c and J are enough.
//!
//! B's constraints are special cases of one step of Newton's method on a row `c(x) = 0`, with the masses as metric:
//!
//! ```text
//! λ = −k c / (J W Jᵀ),   δx = W Jᵀ λ,      λ_v = −k (J v − target) / (J W Jᵀ),   δv = W Jᵀ λ_v
//! ```
//!
//! A distance has one row along d̂, a pin has three along the world's axes where B takes one along the gap. Bounds `c ≥ 0` act where they
//! are violated. Motors, brakes and springs are forces and no constraints: they change velocities once, by no more than their strength
//! allows in a pass; a spring by implicit Euler, `J v + γ (h k c + λ) = 0` with `γ = 1/(h (h k + d))` (T 2.9), which no stiffness makes
//! unstable.

use super::bodies::Bodies;
use crate::Wrench;
use crate::constraint::{BodyView, Constraint, JointView, Limit, Row, Softness};
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;
use tumble_geometry::Transform;

/// A joint by its rows.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) bodies: [u32; 2],
    /// The centres of mass in the body frames.
    pub(super) centers: [DVec3; 2],
    pub(super) constraint: Arc<dyn Constraint>,
    /// Where its limited impulses of the pass begin in the list of all.
    pub(super) spent: usize,
}

/// What a pass knows when it corrects rows.
pub(super) struct Pass<'a> {
    pub(super) h: f64,
    /// The angle of the joint at the end of the last step.
    pub(super) angle: f64,
    /// Whether velocities are corrected too.
    pub(super) with_velocities: bool,
    /// Whether positions are.
    pub(super) with_positions: bool,
    /// What motors and springs of all joints have given in this pass.
    pub(super) spent: &'a mut Vec<f64>,
    /// Room to work in.
    pub(super) rows: &'a mut Vec<Row>,
}

/// The effect of an impulse along a row.
struct Response {
    linear: [DVec3; 2],
    angular: [DVec3; 2],
    mobility: f64,
}

impl Rows {
    fn places(&self) -> [usize; 2] {
        self.bodies.map(|i| i as usize)
    }

    /// The joint as its bodies stand.
    pub(super) fn view(&self, bodies: &Bodies, angle: f64) -> JointView {
        let view = |k: usize| {
            let i = self.bodies[k] as usize;
            let pose = Transform::new(bodies.q[i], bodies.x[i] - bodies.q[i] * self.centers[k]);
            BodyView { pose, center: bodies.x[i], velocity: bodies.v[i], angular_velocity: bodies.w[i] }
        };
        JointView { bodies: [view(0), view(1)], angle }
    }

    fn response(&self, bodies: &Bodies, row: &Row) -> Response {
        let places = self.places();
        let linear = [0, 1].map(|k| row.jacobian.linear[k] * bodies.inverse_mass[places[k]]);
        let angular = [0, 1].map(|k| bodies.turn(places[k], row.jacobian.angular[k]));
        Response { linear, angular, mobility: row.jacobian.dot(linear, angular) }
    }

    /// Corrects positions and velocities row by row; the impulse on the second body.
    pub(super) fn correct(&self, bodies: &mut Bodies, pass: &mut Pass<'_>) -> Wrench {
        let [a, b] = self.places();
        let mut rows = std::mem::take(pass.rows);
        rows.clear();
        self.constraint.rows(&self.view(bodies, pass.angle), &mut rows);
        let mut moved = ([DVec3::ZERO; 2], [DVec3::ZERO; 2]);
        let mut exerted = Wrench::default();
        for (index, row) in rows.iter().enumerate() {
            let response = self.response(bodies, row);
            if response.mobility <= f64::MIN_POSITIVE {
                continue;
            }
            let error = row.error + row.jacobian.dot(moved.0, moved.1);
            let is_hard = matches!(row.softness, Softness::Rigid | Softness::Baumgarte { .. });
            let acts = match row.limit {
                Limit::Equality => true,
                Limit::AtLeastZero => error < 0.0,
                Limit::Force { .. } | Limit::Cone { .. } | Limit::ConeMember => false,
            };
            if pass.with_velocities {
                let rate = row.jacobian.dot([bodies.v[a], bodies.v[b]], [bodies.w[a], bodies.w[b]]);
                let spent = pass.spent.get_mut(self.spent + index);
                let lambda = velocity_impulse(row, error, rate, response.mobility, (pass.h, acts && is_hard), spent);
                bodies.v[a] += response.linear[0] * lambda;
                bodies.v[b] += response.linear[1] * lambda;
                bodies.w[a] += response.angular[0] * lambda;
                bodies.w[b] += response.angular[1] * lambda;
                exerted.force += row.jacobian.linear[1] * lambda;
                exerted.torque += row.jacobian.angular[1] * lambda;
            }
            if pass.with_positions && acts && is_hard {
                let lambda = -strength(row.softness) * error / response.mobility;
                for (k, i) in [a, b].into_iter().enumerate() {
                    let (shift, turn) = (response.linear[k] * lambda, response.angular[k] * lambda);
                    bodies.x[i] += shift;
                    bodies.rotate(i, turn);
                    moved.0[k] += shift;
                    moved.1[k] += turn;
                }
            }
        }
        *pass.rows = rows;
        exerted
    }
}

/// The part of an error that one correction makes up for: B's strength.
pub(super) fn strength(softness: Softness) -> f64 {
    match softness {
        Softness::Baumgarte { beta } => beta,
        _ => 1.0,
    }
}

/// The impulse along a row that gives it the rate it should have; `hard` says whether it must. `spent` is what a force of limited strength
/// has given before.
fn velocity_impulse(
    row: &Row,
    error: f64,
    rate: f64,
    mobility: f64,
    (h, hard): (f64, bool),
    spent: Option<&mut f64>,
) -> f64 {
    if hard {
        let wanted = match row.limit {
            Limit::AtLeastZero if rate >= 0.0 => rate,
            Limit::AtLeastZero => -row.restitution * rate,
            _ => row.target_rate,
        };
        return strength(row.softness) * (wanted - rate) / mobility;
    }
    let Some(spent) = spent else { return 0.0 };
    let (min, max) = match row.limit {
        Limit::Equality => (f64::NEG_INFINITY, f64::INFINITY),
        Limit::AtLeastZero if error < 0.0 => (0.0, f64::INFINITY),
        Limit::Force { min, max } => (min * h, max * h),
        Limit::AtLeastZero | Limit::Cone { .. } | Limit::ConeMember => return 0.0,
    };
    let (bias, gamma) = softened(row.softness, error, mobility, h);
    let wanted = -(rate - row.target_rate + bias + gamma * *spent) / (mobility + gamma);
    let total = (*spent + wanted).max(min).min(max);
    total - std::mem::replace(spent, total)
}

/// Bias b and softness γ of `J v + b + γ λ = 0` for a row in a pass of h seconds: springs and dampers by implicit Euler.
fn softened(softness: Softness, error: f64, mobility: f64, h: f64) -> (f64, f64) {
    let spring = |k: f64, d: f64| {
        let gamma = 1.0 / (h * (h * k + d)).max(f64::MIN_POSITIVE);
        (error * h * k * gamma, gamma)
    };
    match softness {
        Softness::Rigid | Softness::Baumgarte { .. } => (0.0, 0.0),
        Softness::Coefficients { gamma, beta } => (beta * error / h, gamma / h),
        Softness::Stiffness { stiffness, damping } => spring(stiffness, damping),
        Softness::Spring { frequency, damping_ratio } => {
            let omega = TAU * frequency;
            spring(omega * omega / mobility, 2.0 * damping_ratio * omega / mobility)
        }
    }
}
