//! Runge–Kutta methods: the classic one of fourth order (G 2.4.3) and the adaptive pair of Cash and Karp (K 2.2).
//!
//! Rotations are advanced on the group: a stage's orientation is `exp(σ) q` with a rotation vector σ from the start of
//! the step, and σ obeys `σ̇ = dexp⁻¹(σ) ω`, so that the order is that of the method and the quaternion's length needs no
//! repair. Damping is exact by an integrating factor (Lawson 1967, see `decay`): with F the accelerations without it, and F₀ that at the
//! start, the stage at the time c has
//!
//! ```text
//! v = e^{−ξch} v₀ + c h φ(ξch) F₀ + h Σ aⱼ e^{−ξ(c − cⱼ)h} (Fⱼ − F₀)
//! ```

use super::decay::{Decay, undamped};
use super::rotation::angular_acceleration;
use super::{EquationsOfMotion, Integrator};
use crate::BodyState;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::math::rotation_from_vector;

/// The classic Runge–Kutta method of fourth order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RungeKutta4 {}

/// Cash and Karp's method of fifth order with an error estimate of fourth: each step is divided until the error of every
/// part is below the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CashKarp {
    /// The error allowed per part of a step, in metres, m/s, radians and rad/s, relative to the larger of 1 and the
    /// quantity. Default 1e-9.
    #[schemars(range(min = 1e-15, max = 1.0))]
    pub tolerance: f64,
    /// How many parts a step is divided into at most; more than 100000 count as 100000. Default 10000.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_parts: usize,
}

impl Default for CashKarp {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_parts: 10_000 }
    }
}

/// The most parts of a step: beyond, a part is too short for its result to differ from a shorter one's.
const MOST_PARTS: usize = 100_000;

/// How the motion of a body changes: `(ẋ, σ̇, v̇ + ξv, ω̇ + ξω)`, velocities without damping; also what that amounts to in some time.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    position: DVec3,
    turn: DVec3,
    velocity: DVec3,
    angular_velocity: DVec3,
}

impl Rate {
    /// The motion that comes from `start` with this, when damping leaves the fractions `kept` of its velocities.
    fn applied_to(&self, start: &BodyState, kept: [f64; 2]) -> BodyState {
        BodyState {
            position: start.position + self.position,
            rotation: (rotation_from_vector(self.turn) * start.rotation).normalize(),
            velocity: start.velocity * kept[0] + self.velocity,
            angular_velocity: start.angular_velocity * kept[1] + self.angular_velocity,
            ..*start
        }
    }
}

/// The coefficients of an explicit Runge–Kutta method: when and from what each stage is computed, and the weights of the
/// result and of its error estimate.
struct Tableau<const S: usize> {
    times: [f64; S],
    stages: [[f64; S]; S],
    weights: [f64; S],
    error: [f64; S],
}

const CLASSIC: Tableau<4> = Tableau {
    times: [0.0, 0.5, 0.5, 1.0],
    stages: [[0.0; 4], [0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
    weights: [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    error: [0.0; 4],
};

const CASH_KARP: Tableau<6> = Tableau {
    times: [0.0, 0.2, 0.3, 0.6, 1.0, 0.875],
    stages: [
        [0.0; 6],
        [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
        [0.3, -0.9, 1.2, 0.0, 0.0, 0.0],
        [-11.0 / 54.0, 2.5, -70.0 / 27.0, 35.0 / 27.0, 0.0, 0.0],
        [1631.0 / 55296.0, 175.0 / 512.0, 575.0 / 13824.0, 44275.0 / 110592.0, 253.0 / 4096.0, 0.0],
    ],
    weights: [37.0 / 378.0, 0.0, 250.0 / 621.0, 125.0 / 594.0, 0.0, 512.0 / 1771.0],
    error: [
        37.0 / 378.0 - 2825.0 / 27648.0,
        0.0,
        250.0 / 621.0 - 18575.0 / 48384.0,
        125.0 / 594.0 - 13525.0 / 55296.0,
        -277.0 / 14336.0,
        512.0 / 1771.0 - 0.25,
    ],
};

impl<const S: usize> Tableau<S> {
    /// The motions after `dt` and the largest error, relative to the larger of 1 and the quantity.
    fn step(
        &self,
        equations: &dyn EquationsOfMotion,
        time: f64,
        dt: f64,
        start: &[BodyState],
    ) -> (Vec<BodyState>, f64) {
        let damping = |body: usize| {
            let model = equations.model().bodies().in_slot(body).filter(|_| equations.moves(body));
            model.map_or([0.0; 2], |model| [model.linear_damping, model.angular_damping])
        };
        let kept = |body: usize, time: f64| damping(body).map(|rate| Decay::over(rate, time).kept);
        let mut rates: Vec<Vec<Rate>> = Vec::with_capacity(S);
        for stage in 0..S {
            let part = Part { rates: &rates, times: &self.times, until: self.times[stage], dt };
            let offset = |body: usize| part.combine(&self.stages[stage][..stage], body, damping(body));
            let offsets: Vec<Rate> = (0..start.len()).map(offset).collect();
            let moved = |(body, (state, offset)): (usize, (&BodyState, &Rate))| {
                offset.applied_to(state, kept(body, part.until * dt))
            };
            let bodies: Vec<BodyState> = start.iter().zip(&offsets).enumerate().map(moved).collect();
            let rates_there = stage_rates(equations, time + self.times[stage] * dt, &bodies, &offsets);
            rates.push(rates_there);
        }
        let part = Part { rates: &rates, times: &self.times, until: 1.0, dt };
        let mut worst: f64 = 0.0;
        let end = start.iter().enumerate().map(|(body, state)| {
            let error = part.combine(&self.error, body, damping(body));
            let end = part.combine(&self.weights, body, damping(body)).applied_to(state, kept(body, dt));
            let relative = |error: DVec3, value: DVec3| error.length() / value.length().max(1.0);
            worst = worst
                .max(relative(error.position, end.position - state.position))
                .max(error.turn.length())
                .max(relative(error.velocity, end.velocity))
                .max(relative(error.angular_velocity, end.angular_velocity));
            end
        });
        (end.collect(), worst)
    }
}

/// The stages of a step of `dt` seconds so far, at the fractions `times` of it, seen from the fraction `until`.
struct Part<'a> {
    rates: &'a [Vec<Rate>],
    times: &'a [f64],
    until: f64,
    dt: f64,
}

impl Part<'_> {
    /// What the rates of one body amount to with some weights, `h Σ weightⱼ rateⱼ`, when its velocities are damped.
    fn combine(&self, weights: &[f64], body: usize, damping: [f64; 2]) -> Rate {
        let sum = |value: fn(&Rate) -> DVec3| self.sum(weights, |stage| value(&self.rates[stage][body]));
        let damped = |rate: f64, value: fn(&Rate) -> DVec3| {
            if rate > 0.0 {
                self.damped_sum(weights, rate, |stage| value(&self.rates[stage][body]))
            } else {
                sum(value)
            }
        };
        Rate {
            position: sum(|rate| rate.position),
            turn: sum(|rate| rate.turn),
            velocity: damped(damping[0], |rate| rate.velocity),
            angular_velocity: damped(damping[1], |rate| rate.angular_velocity),
        }
    }

    /// `h Σ weightⱼ valueⱼ`.
    fn sum(&self, weights: &[f64], value: impl Fn(usize) -> DVec3) -> DVec3 {
        let terms = weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
        terms.fold(DVec3::ZERO, |sum, (stage, weight)| sum + value(stage) * (weight * self.dt))
    }

    /// `h φ(ξch) value₀ Σ weightⱼ + h Σ weightⱼ e^{−ξ(c − cⱼ)h} (valueⱼ − value₀)`.
    fn damped_sum(&self, weights: &[f64], rate: f64, value: impl Fn(usize) -> DVec3) -> DVec3 {
        if weights.is_empty() {
            return DVec3::ZERO;
        }
        let (first, total) = (value(0), weights.iter().sum::<f64>());
        let mean = Decay::over(rate, self.until * self.dt).mean;
        first * (total * self.dt * mean)
            + self.sum(weights, |stage| {
                // A stage that lies later than this one is only worth something where damping is slow.
                let exponent = -rate * (self.until - self.times[stage]) * self.dt;
                (value(stage) - first) * libm::exp(exponent.min(1.0))
            })
    }
}

/// The rates of all bodies in the motions of a stage, whose orientations differ from those at the start by `offsets`.
fn stage_rates(equations: &dyn EquationsOfMotion, time: f64, bodies: &[BodyState], offsets: &[Rate]) -> Vec<Rate> {
    let accelerations = undamped(equations, time, bodies);
    let rate = |(index, body): (usize, &BodyState)| match equations.model().bodies().in_slot(index) {
        Some(model) if equations.moves(index) => Rate {
            position: body.velocity,
            turn: inverse_dexp(offsets[index].turn, body.angular_velocity),
            velocity: accelerations[index].linear,
            angular_velocity: angular_acceleration(
                model,
                body.rotation,
                body.angular_velocity,
                accelerations[index].torque,
            ),
        },
        _ => Rate::default(),
    };
    bodies.iter().enumerate().map(rate).collect()
}

/// `dexp⁻¹(σ) ω = ω − ½ σ×ω + c σ×(σ×ω)` with `c = (1 − (θ/2) cot(θ/2)) / θ²`, θ = |σ|.
fn inverse_dexp(sigma: DVec3, omega: DVec3) -> DVec3 {
    let square = sigma.length_squared();
    let c = if square < 1e-4 {
        1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    } else {
        let half = 0.5 * square.sqrt();
        (1.0 - half / libm::tan(half)) / square
    };
    let cross = sigma.cross(omega);
    omega - cross * 0.5 + sigma.cross(cross) * c
}

impl Integrator for RungeKutta4 {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        let (end, _) = CLASSIC.step(equations, time, dt, bodies);
        bodies.copy_from_slice(&end);
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(*self)
    }
}

impl Integrator for CashKarp {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        let (mut done, mut part) = (0.0, dt);
        let smallest = dt / self.max_parts.clamp(1, MOST_PARTS) as f64;
        while done < dt {
            part = part.min(dt - done);
            let (end, error) = CASH_KARP.step(equations, time + done, part, bodies);
            let excess = error / self.tolerance;
            if excess <= 1.0 || part <= smallest || !error.is_finite() {
                bodies.copy_from_slice(&end);
                // A remainder lost in rounding is no remainder.
                done = if dt - (done + part) <= 1e-14 * dt { dt } else { done + part };
            }
            // The error grows with the fifth power of the step; never more than fivefold at once.
            let factor = if excess > 0.0 { 0.9 * libm::pow(excess, -0.2) } else { 5.0 };
            part = (part * factor.clamp(0.2, 5.0)).max(smallest);
        }
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(*self)
    }
}
