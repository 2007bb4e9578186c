//! Free rotation in closed form (H 4.1; Landau and Lifshitz, Mechanics §37): Jacobi's elliptic functions.
//!
//! In the principal axes of a body the angular momentum l goes round a closed curve, where the sphere |l| = L meets the ellipsoid of the energy
//! E. With 3 the axis it goes round (that of the largest moment if L² > 2 E I₂, else of the smallest), 2 the middle one and u = p t,
//!
//! ```text
//! l₁ = a₁ cn u,  l₂ = ς a₂ sn u,  l₃ = σ a₃ dn u
//! a₁² = I₁ (2EI₃ − L²)/(I₃ − I₁),  a₂² = I₂ (2EI₃ − L²)/(I₃ − I₂),  a₃² = I₃ (L² − 2EI₁)/(I₃ − I₁)
//! p² = (I₃ − I₂)(L² − 2EI₁)/(I₁ I₂ I₃),   m = (I₂ − I₁)(2EI₃ − L²) / ((I₃ − I₂)(L² − 2EI₁))
//! ```
//!
//! Where on the curve a step begins is known from l itself, and the addition theorem gives the values at u + p h from those at u and at p h, so that no
//! elliptic integral has to be inverted. Axis 3 meanwhile goes round L in space by the angle `∫ L (l₁²/I₁ + l₂²/I₂)/(l₁² + l₂²) dt`; it is
//! Legendre's third kind and is found by Gauss's quadrature of the closed form, to rounding. So a free body turns exactly however long the step.
//! Forces and torques act in kicks of half a step before and after, as in velocity Verlet: second order.

use super::decay::{Decay, undamped};
use super::{Acceleration, EquationsOfMotion, Integrator};
use crate::BodyState;
use crate::model::BodyModel;
use crate::schema::JsonSchema;
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use tumble_geometry::math::rotation_from_vector;

/// Like `velocity_verlet`, but bodies that turn freely do so exactly, by Jacobi's elliptic functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EllipticTop {}

/// Rounds of the arithmetic-geometric mean: more than enough for 53 bits.
const ROUNDS: usize = 10;

/// Nodes and weights of Gauss and Legendre's rule with five points on (−1, 1).
const NODES: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// The quadrature is divided so that u grows by no more than this in a panel.
const PANEL: f64 = 0.15;

/// The most panels: a period has fewer, however near m is to 1.
const MOST_PANELS: f64 = 400.0;

/// K(m), the complete elliptic integral of the first kind, by the arithmetic-geometric mean: π / (2 agm(1, √(1 − m))).
fn quarter_period(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).max(0.0).sqrt());
    for _ in 0..ROUNDS {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// sn, cn and dn of u with the parameter m.
fn jacobi(u: f64, m: f64) -> [f64; 3] {
    let (mut a, mut b) = (1.0, (1.0 - m).max(0.0).sqrt());
    let mut ratios = [0.0; ROUNDS];
    for ratio in &mut ratios {
        let next = 0.5 * (a + b);
        *ratio = 0.5 * (a - b) / next;
        (a, b) = (next, (a * b).sqrt());
    }
    let mut phi = a * u * f64::from(1_u32 << ROUNDS);
    for ratio in ratios.into_iter().rev() {
        phi = 0.5 * (phi + libm::asin((ratio * libm::sin(phi)).clamp(-1.0, 1.0)));
    }
    let (sn, cn) = libm::sincos(phi);
    [sn, cn, (1.0 - m * sn * sn).max(0.0).sqrt()]
}

/// The functions at a sum, from those at the summands.
fn sum([s, c, d]: [f64; 3], [t, e, f]: [f64; 3], m: f64) -> [f64; 3] {
    let denominator = 1.0 - m * s * s * t * t;
    [s * e * f + t * c * d, c * e - s * t * d * f, d * f - m * s * t * c * e].map(|x| x / denominator)
}

/// 1 if the axes in this order are a right-handed frame, −1 if a left-handed one.
fn handedness(order: [usize; 3]) -> f64 {
    if (order[1] + 3 - order[0]) % 3 == 1 { 1.0 } else { -1.0 }
}

/// The curve of the angular momentum in principal axes.
struct Polhode {
    /// Which principal axis is the first, the middle and the one that is gone round.
    order: [usize; 3],
    moments: [f64; 3],
    amplitudes: [f64; 3],
    signs: [f64; 3],
    rate: f64,
    parameter: f64,
    start: [f64; 3],
}

impl Polhode {
    /// The curve through l; none if l is along a principal axis, or all moments are alike: then the body turns steadily.
    fn through(moments: DVec3, l: DVec3) -> Option<Self> {
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| moments[a].total_cmp(&moments[b]));
        let square = l.length_squared();
        let energy: f64 = (0..3).map(|k| l[k] * l[k] / moments[k]).sum();
        if square <= energy * moments[order[1]] {
            order.swap(0, 2);
        }
        let [i1, i2, i3] = order.map(|k| moments[k]);
        let [l1, l2, l3] = order.map(|k| l[k]);
        let across = l1 * l1 + l2 * l2;
        if across < 1e-24 * square || i3 == i2 || i3 == i1 {
            return None;
        }
        // 2EI₃ − L² and L² − 2EI₁ without cancellation.
        let outer = l1 * l1 * (i3 - i1) / i1 + l2 * l2 * (i3 - i2) / i2;
        let inner = l2 * l2 * (i2 - i1) / i2 + l3 * l3 * (i3 - i1) / i3;
        let amplitudes = [i1 * outer / (i3 - i1), i2 * outer / (i3 - i2), i3 * inner / (i3 - i1)].map(f64::sqrt);
        let rate = ((i3 - i2) * inner / (i1 * i2 * i3)).sqrt();
        let parameter = ((i2 - i1) * outer / ((i3 - i2) * inner)).clamp(0.0, 1.0 - 1e-15);
        let sigma = 1.0_f64.copysign(l3);
        // Euler's equations change their signs with the handedness of the axes.
        let hand = handedness(order);
        let signs = [1.0, hand * sigma * 1.0_f64.copysign(i3 - i2), sigma];
        let (sn, cn) = (signs[1] * l2 / amplitudes[1], l1 / amplitudes[0]);
        let scale = 1.0 / (sn * sn + cn * cn).sqrt();
        let (sn, cn) = (sn * scale, cn * scale);
        let start = [sn, cn, (1.0 - parameter * sn * sn).max(0.0).sqrt()];
        let usable =
            rate.is_finite() && amplitudes.iter().all(|a| a.is_finite()) && start.iter().all(|x| x.is_finite());
        usable.then_some(Self { order, moments: [i1, i2, i3], amplitudes, signs, rate, parameter, start })
    }

    /// The angular momentum after t seconds, along the ordered axes.
    fn at(&self, t: f64) -> [f64; 3] {
        let [sn, cn, dn] = sum(self.start, jacobi(self.rate * t, self.parameter), self.parameter);
        let [a1, a2, a3] = self.amplitudes;
        [a1 * cn * self.signs[0], a2 * sn * self.signs[1], a3 * dn * self.signs[2]]
    }

    /// By how much axis 3 goes round L within t seconds, in radians. Its speed repeats itself after 2K of u, K being the complete integral
    /// of the first kind, so that no more than one period has to be integrated, and what is left of one.
    fn precession(&self, t: f64, momentum: f64) -> f64 {
        let period = 2.0 * quarter_period(self.parameter) / self.rate;
        let turns = (t / period).floor();
        if !(turns >= 1.0 && turns.is_finite()) {
            return self.precession_within(t, momentum);
        }
        turns * self.precession_within(period, momentum) + self.precession_within(t % period, momentum)
    }

    /// The same within a period.
    fn precession_within(&self, t: f64, momentum: f64) -> f64 {
        let panels = (self.rate * t / PANEL).abs().ceil().clamp(1.0, MOST_PANELS);
        let width = t / panels;
        let speed = |time: f64| {
            let [l1, l2, _] = self.at(time);
            momentum * (l1 * l1 / self.moments[0] + l2 * l2 / self.moments[1]) / (l1 * l1 + l2 * l2)
        };
        let panel = |index: u32| {
            let middle = width * (f64::from(index) + 0.5);
            NODES.iter().map(|(node, weight)| weight * speed(middle + 0.5 * width * node)).sum::<f64>()
        };
        (0..panels as u32).map(panel).sum::<f64>() * 0.5 * width
    }
}

/// Turns a free body for `dt`: `rotation` takes principal axes to the world, `momentum` is in the world.
pub(super) fn turn_freely(moments: DVec3, rotation: DQuat, momentum: DVec3, dt: f64) -> DQuat {
    let l = rotation.conjugate() * momentum;
    let size = momentum.length();
    let omega = l / moments;
    let Some(polhode) = Polhode::through(moments, l).filter(|_| size > 0.0) else {
        // A sphere, or a rotation about a principal axis; a symmetric top turns about L and about its own axis.
        return steady(moments, rotation, momentum, omega, dt);
    };
    let [l1, l2, l3] = polhode.at(dt);
    let up = momentum / size;
    let angle = polhode.precession(dt, size);
    let axes = DMat3::from_quat(rotation);
    // Azimuth of axis 3 about L, moved on; its inclination follows from l₃.
    let third = axes.col(polhode.order[2]);
    let across = (third - up * third.dot(up)).normalize_or_zero();
    let across = rotation_from_vector(up * angle) * across;
    let cosine = (l3 / size).clamp(-1.0, 1.0);
    let third = up * cosine + across * (1.0 - cosine * cosine).max(0.0).sqrt();
    let towards = (up - third * cosine).normalize_or_zero();
    let flat = (l1 * l1 + l2 * l2).sqrt();
    let hand = handedness(polhode.order);
    let side = third.cross(towards) * hand;
    let first = (towards * l1 - side * l2) / flat;
    let second = (towards * l2 + side * l1) / flat;
    let mut columns = [DVec3::ZERO; 3];
    for (k, column) in [first, second, third].into_iter().enumerate() {
        columns[polhode.order[k]] = column;
    }
    let turned = DQuat::from_mat3(&DMat3::from_cols_array_2d(&columns.map(|column| column.to_array()))).normalize();
    if turned.is_finite() { turned } else { steady(moments, rotation, momentum, omega, dt) }
}

/// The rotation of a top with two equal moments (or three): about L with L/I, and about its own axis with what is left.
fn steady(moments: DVec3, rotation: DQuat, momentum: DVec3, omega: DVec3, dt: f64) -> DQuat {
    let pairs = [(0, 1, 2), (1, 2, 0), (2, 0, 1)];
    let odd = pairs
        .into_iter()
        .min_by(|a, b| (moments[a.0] - moments[a.1]).abs().total_cmp(&(moments[b.0] - moments[b.1]).abs()));
    let Some((a, _, axis)) = odd else { return rotation };
    let own = DVec3::AXES[axis] * (omega[axis] * (1.0 - moments[axis] / moments[a]));
    let about = rotation_from_vector(momentum * (dt / moments[a]));
    (about * rotation * rotation_from_vector(own * dt)).normalize()
}

fn drift(body: &mut BodyState, model: &BodyModel, dt: f64) {
    body.position += body.velocity * dt;
    if model.inverse_inertia == DMat3::ZERO || body.angular_velocity == DVec3::ZERO {
        return;
    }
    let principal = model.principal();
    let momentum = model.world_inertia(body.rotation) * body.angular_velocity;
    let least = principal.moments.min_element();
    if least <= 1e-12 * principal.moments.max_element() {
        // A rod without thickness has no third moment.
        body.rotation = (rotation_from_vector(body.angular_velocity * dt) * body.rotation).normalize();
        return;
    }
    let turned = turn_freely(principal.moments, body.rotation * principal.axes, momentum, dt);
    body.rotation = (turned * principal.axes.conjugate()).normalize();
    body.angular_velocity = model.world_inverse_inertia(body.rotation) * momentum;
}

impl Integrator for EllipticTop {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        kick(equations, time, 0.5 * dt, bodies);
        for (index, body) in bodies.iter_mut().enumerate().filter(|(index, _)| equations.moves(*index)) {
            if let Some(model) = equations.model().bodies().in_slot(index) {
                drift(body, model, dt);
            }
        }
        kick(equations, time + dt, 0.5 * dt, bodies);
    }

    fn keeps_energy(&self) -> bool {
        true
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(*self)
    }
}

/// Lets forces and damping act on the velocities for `dt`.
fn kick(equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
    let accelerations: Vec<Acceleration> = undamped(equations, time, bodies);
    for (index, body) in bodies.iter_mut().enumerate().filter(|(index, _)| equations.moves(*index)) {
        let Some(model) = equations.model().bodies().in_slot(index) else { continue };
        let (linear, angular) = (Decay::over(model.linear_damping, dt), Decay::over(model.angular_damping, dt));
        body.velocity = body.velocity * linear.kept + accelerations[index].linear * (dt * linear.mean);
        let push = model.world_inverse_inertia(body.rotation) * accelerations[index].torque;
        body.angular_velocity = body.angular_velocity * angular.kept + push * (dt * angular.mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One step of three seconds is three thousand of a millisecond, and both are what a fine Runge–Kutta integration of Euler's equations gives.
    #[test]
    fn a_long_step_is_many_short_ones() {
        let mut random = fastrand::Rng::with_seed(5);
        for case in 0..40 {
            let [a, b, c] = [0; 3].map(|_| 0.2 + random.f64());
            let moments = DVec3::new(b + c, c + a, a + b);
            let momentum = DVec3::from([0; 3].map(|_| 6.0 * random.f64() - 3.0));
            let start = rotation_from_vector(DVec3::from([0; 3].map(|_| 3.0 * random.f64())));
            let long = turn_freely(moments, start, momentum, 3.0);
            let mut short = start;
            (0..300).for_each(|_| short = turn_freely(moments, short, momentum, 0.01));
            let mut fine = start;
            let steps = 30_000;
            let h = 3.0 / f64::from(steps);
            for _ in 0..steps {
                // The exponential midpoint rule on q̇ = ½ ω q.
                let omega = |q: DQuat| q * ((q.conjugate() * momentum) / moments);
                let middle = (rotation_from_vector(omega(fine) * (0.5 * h)) * fine).normalize();
                fine = (rotation_from_vector(omega(middle) * h) * fine).normalize();
            }
            let apart = |p: DQuat, q: DQuat| 1.0 - p.dot(q).abs();
            assert!(apart(long, short) < 1e-14, "case {case}: {:e}", apart(long, short));
            assert!(apart(long, fine) < 1e-12, "case {case}: {:e} of {moments} {momentum}", apart(long, fine));
        }
    }

    #[test]
    fn symmetric_tops_and_spheres_turn_steadily() {
        let momentum = DVec3::new(1.0, 2.0, 0.5);
        for moments in [DVec3::splat(2.0), DVec3::new(1.0, 1.0, 1.9), DVec3::new(2.0, 1.0, 2.0)] {
            let once = turn_freely(moments, DQuat::IDENTITY, momentum, 0.4);
            let half = turn_freely(moments, DQuat::IDENTITY, momentum, 0.2);
            let twice = turn_freely(moments, half, momentum, 0.2);
            assert!(1.0 - once.dot(twice).abs() < 1e-15, "{moments}");
        }
    }
}
