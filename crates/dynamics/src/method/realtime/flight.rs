//! Bodies in flight: what touches nothing follows its parabola in one step, and turns as a free top by power series.
//!
//! In its principal axes the angular velocity ω of a free body obeys Euler's equations, and the rotation q from these axes to the world
//! follows it:
//!
//! ```text
//! ω̇₁ = a₁ ω₂ ω₃,  a₁ = (I₂ − I₃)/I₁,  and so on in a circle;      q̇ = ½ q ω.
//! ```
//!
//! Both sides are products, so the Taylor coefficients follow one from the other (Taylor's method for quadratic equations):
//!
//! ```text
//! (k+1) ω₁[k+1] = a₁ Σ ω₂[j] ω₃[k−j],      (k+1) q[k+1] = ½ Σ q[j] ω[k−j].
//! ```
//!
//! No |aᵢ| of a rigid body is greater than one, so the coefficients of ω fall at least like |ω|^{k+1}: where a body turns by no more than
//! [`TURN`] in a part of the step, [`TERMS`] terms leave an error of the size of rounding. In how many parts it goes depends on how it
//! spins and on nothing else: what flies past something at a hair's breadth flies as if nothing were there, and energy and angular
//! momentum are kept to rounding. Four bodies turn at once, each by itself, so it does not matter who flies with whom.

use super::bodies::{Body, Spin};
use fearless_simd::{Level, Simd, dispatch, f64x4, prelude::*};
use glam::{DQuat, DVec3};

/// How many bodies turn at once.
const TOPS: usize = 4;

/// The terms of the series after the first.
const TERMS: usize = 12;

/// By how much a body turns at most in a part of the step, in radians, times the largest |aᵢ| if that is greater than one.
const TURN: f64 = 0.12;

/// What would need more parts than this goes with the others, by a splitting that is never wild ([`Body::drift`]).
const MOST_PARTS: f64 = 32.0;

/// A number of each of four bodies.
type Four = [f64; TOPS];

/// Four bodies in their principal axes.
#[derive(Clone, Copy, Debug, Default)]
struct Tops {
    /// From the principal axes to the world: x, y, z, w.
    rotation: [Four; 4],
    /// The angular velocity times the length of a part.
    turn: [Four; 3],
    /// a₁, a₂, a₃.
    ratios: [Four; 3],
    /// In how many parts each of them goes.
    parts: Four,
}

/// A body whose turn is under way: which, from its principal axes to its frame, and the length of a part in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Turning {
    number: usize,
    axes: DQuat,
    h: f64,
}

/// Lets bodies pass `part` seconds alone, those that `fly`; others would take them in `most` substeps.
pub(super) fn fly(bodies: &mut [Body], part: f64, most: u32, level: Level) {
    let (mut tops, mut turning, mut count) = (Tops::default(), [Turning::default(); TOPS], 0);
    for number in 0..bodies.len() {
        let body = &mut bodies[number];
        if !body.flies() {
            continue;
        }
        match body.begin_turn(&mut tops, count, part) {
            Some(begun) => {
                turning[count] = Turning { number, ..begun };
                count += 1;
            }
            None => body.fly_in_parts(part, most),
        }
        if count == TOPS {
            finish(bodies, &mut tops, &turning, part, level);
            count = 0;
        }
    }
    if count > 0 {
        tops.parts[count..].fill(0.0);
        finish(bodies, &mut tops, &turning[..count], part, level);
    }
}

fn finish(bodies: &mut [Body], tops: &mut Tops, turning: &[Turning], part: f64, level: Level) {
    dispatch!(level, simd => turn(simd, tops));
    for (lane, turning) in turning.iter().enumerate() {
        bodies[turning.number].end_turn(tops, lane, turning, part);
    }
}

impl Body {
    /// Goes alone for `part` seconds: at once, since a parabola is exact in one step, or in `most` substeps if it spins very fast, or if air or
    /// a torque bend its way.
    fn fly_in_parts(&mut self, part: f64, most: u32) {
        let tumbles = matches!(self.spin, Spin::Euler { .. }) && self.angular_velocity != DVec3::ZERO;
        let substeps = if tumbles || self.is_bent() { most } else { 1 };
        let h = part / f64::from(substeps);
        for _ in 0..substeps {
            self.kick(h);
            self.drift(h);
        }
    }

    /// Whether something else than a uniform force acts on it.
    fn is_bent(&self) -> bool {
        self.damping != [0.0; 2] || self.angular_acceleration != DVec3::ZERO
    }

    /// Puts how it turns into a lane; none if it does not tumble, or not as a free top of moderate spin.
    fn begin_turn(&self, tops: &mut Tops, lane: usize, part: f64) -> Option<Turning> {
        let Spin::Euler { moments, axes } = self.spin else { return None };
        if self.is_bent() || self.angular_velocity == DVec3::ZERO {
            return None;
        }
        let (first, second) =
            (DVec3::new(moments.y, moments.z, moments.x), DVec3::new(moments.z, moments.x, moments.y));
        let ratios = (first - second) / moments;
        let turn = self.angular_velocity.length() * part * ratios.abs().max_element().max(1.0);
        let parts = (turn / TURN).ceil().max(1.0);
        if parts.is_nan() || parts > MOST_PARTS {
            return None;
        }
        let rotation = self.rotation * axes;
        let h = part / parts;
        let omega = rotation.conjugate() * self.angular_velocity * h;
        put(&mut tops.rotation, lane, rotation.to_array());
        put(&mut tops.turn, lane, omega.to_array());
        put(&mut tops.ratios, lane, ratios.to_array());
        tops.parts[lane] = parts;
        Some(Turning { number: 0, axes, h })
    }

    /// It has turned; it moves, and is as fast as it then is.
    fn end_turn(&mut self, tops: &Tops, lane: usize, turning: &Turning, part: f64) {
        let rotation = DQuat::from_array(take(&tops.rotation, lane)).normalize();
        let before = self.angular_velocity;
        self.angular_velocity = rotation * DVec3::from_array(take(&tops.turn, lane)) / turning.h;
        self.rotation = (rotation * turning.axes.conjugate()).normalize();
        self.turn += (before + self.angular_velocity) * (0.5 * part);
        self.velocity += self.acceleration * part;
        let way = (self.velocity - self.acceleration * (0.5 * part)) * part;
        self.position += way;
        self.shift += way;
        self.free = true;
    }
}

fn put<const N: usize>(lanes: &mut [Four; N], lane: usize, values: [f64; N]) {
    lanes.iter_mut().zip(values).for_each(|(lanes, value)| lanes[lane] = value);
}

fn take<const N: usize>(lanes: &[Four; N], lane: usize) -> [f64; N] {
    lanes.map(|lanes| lanes[lane])
}

#[inline(always)]
fn load<S: Simd, const N: usize>(simd: S, lanes: &[Four; N]) -> [f64x4<S>; N] {
    let mut loaded = [f64x4::splat(simd, 0.0); N];
    for (loaded, lanes) in loaded.iter_mut().zip(lanes) {
        *loaded = f64x4::from_slice(simd, lanes);
    }
    loaded
}

/// The sum of a series, the small terms first, where `going` is below its limit; where it is not, the first term stays.
#[inline(always)]
fn sum<S: Simd, const N: usize>(
    series: &[[f64x4<S>; N]; TERMS + 1],
    going: f64x4<S>,
    limit: f64x4<S>,
    lanes: &mut [Four; N],
) {
    let under_way = going.simd_lt(limit);
    for (part, lanes) in lanes.iter_mut().enumerate() {
        let mut total = series[TERMS][part];
        for term in (0..TERMS).rev() {
            total += series[term][part];
        }
        under_way.select(total, series[0][part]).store_array(lanes);
    }
}

/// Turns four bodies through all their parts.
#[inline(always)]
fn turn<S: Simd>(simd: S, tops: &mut Tops) {
    let zero = f64x4::splat(simd, 0.0);
    let ratios = load(simd, &tops.ratios);
    let limit = f64x4::from_slice(simd, &tops.parts);
    let mut most = 0.0;
    for parts in tops.parts {
        if parts > most {
            most = parts;
        }
    }
    for part in 0..most as u32 {
        let mut omega = [[zero; 3]; TERMS + 1];
        let mut rotation = [[zero; 4]; TERMS + 1];
        omega[0] = load(simd, &tops.turn);
        rotation[0] = load(simd, &tops.rotation);
        for k in 0..TERMS {
            let (mut rate, mut swing) = ([zero; 3], [zero; 4]);
            for j in 0..=k {
                let ([a, b, c], [x, y, z]) = (omega[j], omega[k - j]);
                rate[0] += b * z;
                rate[1] += c * x;
                rate[2] += a * y;
                let [i, j, k, r] = rotation[j];
                swing[0] += r * x + (j * z - k * y);
                swing[1] += r * y + (k * x - i * z);
                swing[2] += r * z + (i * y - j * x);
                swing[3] -= i * x + j * y + k * z;
            }
            let share = 1.0 / (k + 1) as f64;
            for axis in 0..3 {
                omega[k + 1][axis] = ratios[axis] * rate[axis] * f64x4::splat(simd, share);
            }
            for entry in 0..4 {
                rotation[k + 1][entry] = swing[entry] * f64x4::splat(simd, 0.5 * share);
            }
        }
        let going = f64x4::splat(simd, f64::from(part));
        sum(&omega, going, limit, &mut tops.turn);
        sum(&rotation, going, limit, &mut tops.rotation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    fn top(moments: DVec3, omega: DVec3) -> Body {
        let spin = Spin::Euler { moments, axes: DQuat::IDENTITY };
        let inverse_inertia = DMat3::from_diagonal(DVec3::ONE / moments);
        Body { spin, angular_velocity: omega, inverse_mass: 1.0, inverse_inertia, ..Body::default() }
    }

    fn momentum(body: &Body) -> DVec3 {
        let Spin::Euler { moments, .. } = body.spin else { return DVec3::ZERO };
        body.rotation * ((body.rotation.conjugate() * body.angular_velocity) * moments)
    }

    fn random_tops(random: &mut fastrand::Rng, count: usize) -> Vec<Body> {
        let mut tops = vec![Body::default()];
        for _ in 0..count {
            let size = [0; 3].map(|_| libm::exp2(-5.0 * random.f64()));
            let square = |i: usize| size[i] * size[i] / 12.0;
            let moments = DVec3::new(square(1) + square(2), square(2) + square(0), square(0) + square(1));
            let omega = DVec3::from([0; 3].map(|_| random.f64() - 0.5)) * 60.0 * random.f64();
            tops.push(top(moments, omega));
        }
        tops
    }

    /// Energy and angular momentum of bodies from needles to plates after ten seconds at 60 Hz.
    #[test]
    fn energy_and_angular_momentum_are_kept_to_rounding() {
        let mut random = fastrand::Rng::with_seed(9);
        let mut bodies = random_tops(&mut random, 50);
        let before: Vec<Body> = bodies.clone();
        for _ in 0..600 {
            fly(&mut bodies, 1.0 / 60.0, 8, Level::new());
        }
        for (now, before) in bodies.iter().zip(&before).skip(1) {
            let (l, l0) = (momentum(now), momentum(before));
            assert!((l - l0).length() < 1e-11 * l0.length(), "{:?}: {l} {l0}", before.spin);
            let [e, e0] = [l.dot(now.angular_velocity), l0.dot(before.angular_velocity)];
            assert!((e - e0).abs() < 1e-11 * e0, "{:?}: {e} {e0}", before.spin);
        }
    }

    /// However a step is divided, the body gets to the same place, and alone as well as with others.
    #[test]
    fn a_flight_does_not_depend_on_steps_and_company() {
        let mut random = fastrand::Rng::with_seed(10);
        let start = random_tops(&mut random, 11);
        let [mut whole, mut parts] = [start.clone(), start.clone()];
        fly(&mut whole, 0.02, 8, Level::new());
        for _ in 0..5 {
            fly(&mut parts, 0.004, 8, Level::new());
        }
        for number in 1..start.len() {
            let mut alone = vec![Body::default(), start[number]];
            fly(&mut alone, 0.02, 8, Level::baseline());
            let [a, b, c] = [whole[number], parts[number], alone[1]];
            assert!((a.rotation - b.rotation).length() < 1e-13, "{a:?} {b:?}");
            assert_eq!((a.rotation, a.angular_velocity), (c.rotation, c.angular_velocity));
        }
    }
}
