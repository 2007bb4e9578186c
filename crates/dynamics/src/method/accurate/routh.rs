//! A single point hits: Routh's method (1860), the path through an impact.
//!
//! An impact is short and takes no time, but it has a course. With the normal impulse p as its clock, the velocity u of the point changes
//! by
//!
//! ```text
//! du/dp = K (n + f),     K the inverse mass that the point feels,
//! ```
//!
//! with friction f = −μ û while it slips, and while it sticks the f that keeps it so, if that is within the cone; otherwise it slips again, in the
//! direction in which it then gathers speed. So within one impact a point may slip, stop, stick or slip back. It is over when a law says
//! so: Newton's by the speed, u_n = −e u_n⁰; Poisson's by the impulse, p = (1 + e) p_c; Stronge's by the work, W = (1 − e²) W_c, where c
//! is the moment of greatest compression, u_n = 0. The last two cannot create energy.
//!
//! Where the direction of slip stays what it is, u is linear in p, and stops, compression and end are found exactly. Where it turns (three
//! dimensions, a body that is not a ball), it is followed in small steps of fourth order.

use super::settings::ImpactLaw;
use glam::{DMat2, DMat3, DVec2, DVec3};
use std::f64::consts::TAU;

/// A point that hits, in axes of which the first is the normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// K.
    pub(super) mobility: DMat3,
    /// u⁰.
    pub(super) velocity: DVec3,
    /// The coefficients of friction while it sticks and while it slips.
    pub(super) stick: f64,
    pub(super) slip: f64,
    /// e.
    pub(super) restitution: f64,
}

/// Directions are followed in steps in which they turn by no more than about this many radians.
const TURN: f64 = 0.01;

/// The most steps.
const STEPS: usize = 20_000;

/// How the tangential velocity is at a point of the path.
enum Phase {
    /// Slips in a direction.
    Slip(DVec2),
    /// Sticks, with this friction per normal impulse.
    Stick(DVec2),
}

impl Hit {
    /// The impulse on the second body.
    pub(super) fn impulse(&self, law: ImpactLaw) -> DVec3 {
        let mut impulse = self.path(law, self.restitution);
        if law == ImpactLaw::Newton && self.gain(impulse) > 0.0 {
            // Newton's law creates energy: the largest restitution that does not.
            let (mut low, mut high) = (0.0, self.restitution);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if self.gain(self.path(law, middle)) > 0.0 { high = middle } else { low = middle }
            }
            impulse = self.path(law, low);
        }
        impulse
    }

    /// The kinetic energy that an impulse brings.
    fn gain(&self, impulse: DVec3) -> f64 {
        impulse.dot(self.velocity) + 0.5 * impulse.dot(self.mobility * impulse)
    }

    fn normal(&self) -> f64 {
        self.mobility.x_axis.x
    }

    /// K_tn and K_tt.
    fn tangential(&self) -> (DVec2, DMat2) {
        let k = &self.mobility;
        let coupling = DVec2::new(k.x_axis.y, k.x_axis.z);
        let matrix = DMat2::from_cols(DVec2::new(k.y_axis.y, k.y_axis.z), DVec2::new(k.z_axis.y, k.z_axis.z));
        (coupling, matrix)
    }

    /// What a point at rest along the surface does.
    fn at_rest(&self) -> Phase {
        let (coupling, matrix) = self.tangential();
        let holding = -(matrix.inverse() * coupling);
        // At the bound sticking and slipping are the same.
        let holds = holding.is_finite() && holding.length() <= self.stick * (1.0 + 1e-12);
        if coupling == DVec2::ZERO || holds {
            return Phase::Stick(if holding.is_finite() { holding } else { DVec2::ZERO });
        }
        // The direction d in which slipping gathers speed: K_tn − μ K_tt d along d.
        let gathers = |angle: f64| {
            let (sin, cos) = libm::sincos(angle);
            let d = DVec2::new(cos, sin);
            let change = coupling - self.slip * (matrix * d);
            (d, d.perp_dot(change), d.dot(change))
        };
        let mut best = (coupling.normalize_or_zero(), f64::NEG_INFINITY);
        const PARTS: usize = 180;
        for part in 0..PARTS {
            let [mut low, mut high] = [part, part + 1].map(|part| TAU * part as f64 / PARTS as f64);
            let [at_low, at_high] = [gathers(low).1, gathers(high).1];
            if at_low * at_high > 0.0 || (at_high == 0.0 && at_low != 0.0) {
                continue;
            }
            if at_low == 0.0 {
                high = low;
            }
            let sign = at_low.signum();
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if gathers(middle).1 * sign >= 0.0 { low = middle } else { high = middle }
            }
            let (d, _, speed) = gathers(low);
            if speed > best.1 {
                best = (d, speed);
            }
        }
        Phase::Slip(best.0)
    }

    fn path(&self, law: ImpactLaw, e: f64) -> DVec3 {
        let (coupling, matrix) = self.tangential();
        let start = -self.velocity.x;
        let mut impulse = DVec3::ZERO;
        let mut compression: Option<(f64, f64)> = None;
        let mut work = 0.0;
        let tiny = 1e-14 * self.velocity.length();
        let mut phase = None;
        for _ in 0..STEPS {
            let velocity = self.velocity + self.mobility * impulse;
            let slip = DVec2::new(velocity.y, velocity.z);
            let now = phase.take().unwrap_or_else(|| {
                if self.slip > 0.0 && slip.length() > tiny { Phase::Slip(slip / slip.length()) } else { self.at_rest() }
            });
            let friction = match now {
                Phase::Slip(d) => -self.slip * d,
                Phase::Stick(f) => f,
            };
            let normal_rate = self.normal() + coupling.dot(friction);
            let change = coupling + matrix * friction;
            if compression.is_some() && velocity.x < -1e-12 * start.abs() {
                // Friction has turned it round: it is compressed once more.
                compression = None;
            }
            // How far this goes on: until slipping stops, ...
            let mut length = f64::INFINITY;
            let (mut stops, mut bends) = (false, false);
            if let Phase::Slip(d) = now {
                let slowing = -d.dot(change);
                if slowing > 0.0 && slip.length() > tiny {
                    (length, stops) = (slip.length() / slowing, true);
                }
                let across = d.perp_dot(change).abs();
                let stiffness = self.slip * matrix.x_axis.length().max(matrix.y_axis.length());
                // Within rounding of a direction that stays: it is that one.
                let turns = across > 1e-12 * (coupling.length() + stiffness);
                bends = turns;
                if turns && slowing > 0.0 && slip.length() <= 1e-9 * self.velocity.length() {
                    // It spirals to a stop: that is one.
                    (length, stops) = (0.0, true);
                } else if turns && slip.length() > tiny {
                    // A thin body answers across far more than along: the steps have to be short for that, too.
                    let turning = (TURN / across).min(1.0 / stiffness) * slip.length();
                    if turning < length {
                        (length, stops) = (turning, false);
                    }
                }
            }
            // ... until the greatest compression, ...
            let un = velocity.x;
            let until_compressed =
                if compression.is_none() && normal_rate > 0.0 { (-un / normal_rate).max(0.0) } else { f64::INFINITY };
            // ... or the end.
            let until_over = compression.map_or(f64::INFINITY, |(pc, wc)| {
                self.until_over(law, e, [pc, wc, start], [impulse.x, un, work], normal_rate)
            });
            let shortest = length.min(until_compressed).min(until_over);
            if shortest.is_infinite() {
                // Friction presses without end: it jams (Painlevé). What is left is to hold.
                return -(self.mobility.inverse() * self.velocity);
            }
            let (compresses, ends) = (shortest == until_compressed, shortest == until_over);
            let mut by = self.advance(bends, impulse, shortest, friction);
            if compresses || (ends && law == ImpactLaw::Newton) {
                // A direction that turns bends the course of the speed: until it is what it should be.
                let wanted = if compresses { 0.0 } else { e * start };
                for _ in 0..4 {
                    let speed = (self.velocity + self.mobility * (impulse + by)).x;
                    let length = by.x - (speed - wanted) / normal_rate;
                    if length < 0.0 || speed == wanted {
                        break;
                    }
                    by = self.advance(bends, impulse, length, friction);
                }
            }
            impulse += by;
            work += 0.5 * (un + (self.velocity + self.mobility * impulse).x) * by.x;
            if ends {
                return impulse;
            }
            if compresses {
                compression = Some((impulse.x, work));
                if e == 0.0 {
                    return impulse;
                }
            }
            if shortest == length && stops {
                phase = Some(self.at_rest());
            } else if let Phase::Stick(f) = now {
                phase = Some(Phase::Stick(f));
            } else if slip.length() <= tiny {
                phase = Some(now);
            }
        }
        // It has gone round and round: what is left is to hold.
        let left = self.velocity + self.mobility * impulse;
        if left.x < 0.0 { impulse - self.mobility.inverse() * left } else { impulse }
    }

    /// How much normal impulse is left after the greatest compression.
    fn until_over(&self, law: ImpactLaw, e: f64, [pc, wc, start]: [f64; 3], [p, un, work]: [f64; 3], rate: f64) -> f64 {
        let left = match law {
            ImpactLaw::Newton if rate > 0.0 => (e * start - un) / rate,
            ImpactLaw::Newton => return if un >= e * start { 0.0 } else { f64::INFINITY },
            ImpactLaw::Poisson => (1.0 + e) * pc - p,
            ImpactLaw::Energetic => {
                // un Δ + ½ rate Δ² = what is left of the work.
                let left = (1.0 - e * e) * wc - work;
                let root = (un * un + 2.0 * rate * left).max(0.0).sqrt();
                if un + root > 0.0 { 2.0 * left / (un + root) } else { 0.0 }
            }
        };
        if left.is_nan() { 0.0 } else { left.max(0.0) }
    }

    /// The impulse of a part of the path with this much normal impulse, along which the direction of friction may turn.
    fn advance(&self, bends: bool, impulse: DVec3, length: f64, friction: DVec2) -> DVec3 {
        let step = |friction: DVec2| DVec3::new(length, friction.x * length, friction.y * length);
        if !bends {
            return step(friction);
        }
        let at = |part: f64, friction: DVec2| {
            let velocity = self.velocity + self.mobility * (impulse + step(friction) * part);
            let slip = DVec2::new(velocity.y, velocity.z);
            let speed = slip.length();
            if speed > 1e-14 * self.velocity.length() { -self.slip * slip / speed } else { friction }
        };
        // Runge and Kutta's method.
        let second = at(0.5, friction);
        let third = at(0.5, second);
        let fourth = at(1.0, third);
        let aligned = |other: DVec2| if other.dot(friction) < 0.0 { friction } else { other };
        step((friction + 2.0 * aligned(second) + 2.0 * aligned(third) + aligned(fourth)) / 6.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball: slips throughout or leaves rolling, by the textbook's formula.
    #[test]
    fn balls() {
        for (u, mu, e) in
            [(5.0, 0.1, 1.0), (5.0, 0.5, 1.0), (5.0, 0.1, 0.5), (5.0, 0.3, 0.5), (-8.0, 0.2, 0.8), (-8.0, 0.9, 0.8)]
        {
            for law in [ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Energetic] {
                let mobility = DMat3::from_diagonal(DVec3::new(1.0, 3.5, 3.5));
                let velocity = DVec3::new(-5.0, 0.6 * u, 0.8 * u);
                let impulse = Hit { mobility, velocity, stick: mu, slip: mu, restitution: e }.impulse(law);
                let normal = 5.0 * (1.0 + e);
                let friction = (mu * normal).min(u.abs() / 3.5);
                let expected = DVec3::new(normal, -0.6 * u.signum() * friction, -0.8 * u.signum() * friction);
                assert!((impulse - expected).length() < 1e-13, "{law:?}: {impulse} {expected}");
            }
        }
    }

    /// No law creates energy, whatever hits.
    #[test]
    fn energy_is_never_created() {
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..2000 {
            let mut number = || 2.0 * random.f64() - 1.0;
            let j = DMat3::from_cols(
                DVec3::new(number(), number(), number()),
                DVec3::new(number(), number(), number()),
                DVec3::new(number(), number(), number()),
            );
            let mobility = j * j.transpose() + DMat3::IDENTITY * 0.1;
            let velocity = DVec3::new(-0.1 - number().abs(), number(), number());
            let (mu, e) = (number().abs(), number().abs());
            let hit = Hit { mobility, velocity, stick: mu, slip: mu, restitution: e };
            for law in [ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Energetic] {
                let impulse = hit.impulse(law);
                let after = velocity + mobility * impulse;
                assert!(hit.gain(impulse) < 1e-9, "{law:?}: {} of {hit:?}", hit.gain(impulse));
                assert!(after.x > -1e-9, "{law:?}: still approaches, {hit:?}");
            }
        }
    }

    /// A thin rod that hits with its end answers six hundred times as much across as along: it stays in its plane, and obeys Routh's plane
    /// formulas, here for sliding that stops and turns round.
    #[test]
    fn thin_rods_stay_in_their_plane() {
        let (t, n, coupling) = (1.75, 3.25, 3.0_f64.sqrt() * 0.75);
        let mobility = DMat3::from_cols(
            DVec3::new(n, -coupling, 1e-17),
            DVec3::new(-coupling, t, -3e-17),
            DVec3::new(1e-17, -3e-17, 626.0),
        );
        let (mu, e) = (0.6, 1.0);
        let hit = Hit { mobility, velocity: DVec3::new(-1.0, 0.5, 1e-17), stick: mu, slip: mu, restitution: e };
        // Forwards until it stops, then backwards, towards which the normal impulse drives it.
        let stop = 0.5 / (coupling + mu * t);
        let speed = 1.0 - (n + mu * coupling) * stop;
        let compressed = stop + speed / (n - mu * coupling);
        let p = (1.0 + e) * compressed;
        let expected = DVec3::new(p, -mu * stop + mu * (p - stop), 0.0);
        let impulse = hit.impulse(ImpactLaw::Poisson);
        assert!((impulse - expected).length() < 1e-13, "{impulse} {expected}");
    }
}
