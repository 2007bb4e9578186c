//! The gap between two features that are lines or made of lines: edges, sides of capsules, cylinders and cones, rims.
//!
//! **Two lines** (K B.4.6), through points w apart with directions u and v:
//!
//! ```text
//! C = w·m / |m|,     m = u × v
//! ```
//!
//! which is signed, and smooth where the lines pass through each other. K writes out its second derivative over a page, in
//! which signs and hats have suffered; here it comes from composing [`Measure`]s.
//!
//! **A family of lines.** A rim has a tangent u(θ) at each of its points p(θ), a cone has a line u(θ) of its side through the
//! apex p. The gap to the rim or cone is the distance C of the one line of the family for which it is stationary:
//! differentiating, with p′ ∥ u or p′ = 0,
//!
//! ```text
//! |m| ∂C/∂θ = G = w·m′ − C (m·m′)/|m|,     m′ = u′ × v
//! ```
//!
//! vanishes exactly where the connection of the nearest points is perpendicular to the surface. Newton's method finds θ; its
//! matrix `K = ∂G/∂θ` is needed anyway. As the bodies move θ follows. In the first derivative of `C(x, θ(x))` this does not
//! show, since ∂C/∂θ = 0: J is that of the two lines at hand. In the second it does, by the Schur complement
//!
//! ```text
//! c̈ = C̈ − Ċ_θᵀ (C_θθ)⁻¹ Ċ_θ = C̈ − Ġᵀ K⁻¹ Ġ / |m|,
//! ```
//!
//! dots at constant θ. Two such features have two angles, and G and K two rows.

use crate::constraint::{Arrow, BodyView, End, Measure};
use glam::DVec3;
use tumble_geometry::math::orthonormal_pair;

/// A line, or a family of lines, in the frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// A point of the line, the centre of the rim, or the apex of the cone.
    pub point: DVec3,
    /// The unit vector along the line, across the plane of the rim, or from the apex of the cone to its base.
    pub axis: DVec3,
    /// Which of these it is.
    pub kind: CurveKind,
}

/// What a [`Curve`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurveKind {
    /// One line.
    Line,
    /// The tangents of a circle of this radius in metres.
    Circle(f64),
    /// The lines of a cone, with the sine and cosine of the angle between them and the axis.
    Cone([f64; 2]),
}

/// One line of a family: its point and direction with their derivatives by the angle.
#[derive(Clone, Copy)]
struct Member {
    p: DVec3,
    p1: DVec3,
    u: DVec3,
    u1: DVec3,
    u2: DVec3,
}

impl Curve {
    /// The angle of the member that passes a point, in radians.
    pub fn angle_towards(&self, point: DVec3) -> f64 {
        let (x, y) = orthonormal_pair(self.axis);
        let offset = point - self.point;
        libm::atan2(y.dot(offset), x.dot(offset))
    }

    fn is_family(&self) -> bool {
        self.kind != CurveKind::Line
    }

    fn member(&self, angle: f64) -> Member {
        let (x, y) = orthonormal_pair(self.axis);
        let (sin, cos) = libm::sincos(angle);
        let (out, around) = (x * cos + y * sin, y * cos - x * sin);
        let (p, o) = (self.point, DVec3::ZERO);
        match self.kind {
            CurveKind::Line => Member { p, p1: o, u: self.axis, u1: o, u2: o },
            CurveKind::Circle(r) => Member { p: p + out * r, p1: around * r, u: around, u1: -out, u2: -around },
            CurveKind::Cone([sin, cos]) => {
                Member { p, p1: o, u: self.axis * cos + out * sin, u1: around * sin, u2: -out * sin }
            }
        }
    }
}

/// Where the distance of two members is stationary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stationary {
    angles: [f64; 2],
    /// m / |m| in world coordinates.
    pub(super) normal: DVec3,
    /// |m|.
    sine: f64,
    /// K⁻¹, with zeros for what is a single line.
    inverse: [[f64; 2]; 2],
}

/// Lines more parallel than this (sine) have no common perpendicular of their own.
const PARALLEL: f64 = 1e-4;
/// |det K| below this share of what it is made of: touching along a line, or all around.
const SINGULAR: f64 = 1e-3;
/// The longest step of an angle, in radians.
const MAX_STEP: f64 = 0.3;
const MAX_STEPS: usize = 60;
/// A step of the angles after which no other is needed, in radians.
const CONVERGED: f64 = 1e-13;

/// Finds the stationary distance near `angles`; none for lines that are parallel, and where curves touch along a line.
pub(super) fn solve(curves: &[Curve; 2], bodies: &[BodyView; 2], mut angles: [f64; 2]) -> Option<Stationary> {
    for round in 0..MAX_STEPS {
        let [a, b] = [0, 1].map(|k| curves[k].member(angles[k]).seen_from_world(&bodies[k]));
        let w = b.p - a.p;
        let (m, size) = (a.u.cross(b.u), 1.0 + w.length());
        let sine = m.length();
        if sine.is_nan() || sine < PARALLEL {
            return None;
        }
        let n = m / sine;
        let distance = w.dot(n);
        // m by the angles: once each, twice the first, both, twice the second.
        let first = [a.u1.cross(b.u), a.u.cross(b.u1)];
        let (aa, ab, bb) = (a.u2.cross(b.u), a.u1.cross(b.u1), a.u.cross(b.u2));
        let moved = [-a.p1, b.p1];
        let gradient = |i: usize| w.dot(first[i]) - distance * n.dot(first[i]);
        let matrix = |i: usize, j: usize, second: DVec3| {
            let bend = first[i].dot(first[j]) + m.dot(second) - n.dot(first[i]) * n.dot(first[j]);
            w.dot(second) + moved[j].dot(first[i]) - distance * bend / sine
        };
        let g = [gradient(0), gradient(1)];
        let k = [[matrix(0, 0, aa), matrix(0, 1, ab)], [matrix(1, 0, ab), matrix(1, 1, bb)]];
        let inverse = inverse(curves, k, size)?;
        let step = [0, 1].map(|i| -(inverse[i][0] * g[0] + inverse[i][1] * g[1]));
        let longest = step[0].abs().max(step[1].abs());
        let share = (MAX_STEP / longest).min(1.0);
        angles = [angles[0] + share * step[0], angles[1] + share * step[1]];
        // All digits; or as many as rounding leaves, where the bodies are far from the origin.
        if longest < CONVERGED || round > 20 && longest < 100.0 * CONVERGED {
            return Some(Stationary { angles, normal: n, sine, inverse });
        }
    }
    None
}

/// The members whose distance is stationary near `angles`, each as a point and a direction in the frame of its body.
pub(super) fn nearest(curves: &[Curve; 2], bodies: &[BodyView; 2], angles: [f64; 2]) -> Option<[[DVec3; 2]; 2]> {
    let at = solve(curves, bodies, angles)?;
    Some([0, 1].map(|k| {
        let member = curves[k].member(at.angles[k]);
        [member.p, member.u]
    }))
}

impl Member {
    fn seen_from_world(self, body: &BodyView) -> Self {
        let turn = |v: DVec3| body.pose.vector(v);
        Self { p: body.pose.point(self.p), p1: turn(self.p1), u: turn(self.u), u1: turn(self.u1), u2: turn(self.u2) }
    }
}

/// K⁻¹ in the angles that there are.
fn inverse(curves: &[Curve; 2], k: [[f64; 2]; 2], size: f64) -> Option<[[f64; 2]; 2]> {
    let alone = |x: f64| (x.abs() > SINGULAR * size).then(|| 1.0 / x);
    match [curves[0].is_family(), curves[1].is_family()] {
        [false, false] => Some([[0.0; 2]; 2]),
        [true, false] => alone(k[0][0]).map(|inverse| [[inverse, 0.0], [0.0; 2]]),
        [false, true] => alone(k[1][1]).map(|inverse| [[0.0; 2], [0.0, inverse]]),
        [true, true] => {
            let determinant = k[0][0] * k[1][1] - k[0][1] * k[1][0];
            let inverse = 1.0 / determinant;
            let is_regular = determinant.abs() > SINGULAR * size * size;
            is_regular.then(|| [[k[1][1] * inverse, -k[0][1] * inverse], [-k[1][0] * inverse, k[0][0] * inverse]])
        }
    }
}

/// C, with m from the first line to the second as `u × v` has it.
pub(super) fn distance(curves: &[Curve; 2], bodies: &[BodyView; 2], at: &Stationary) -> Measure {
    let [a, b] = [0, 1].map(|k| curves[k].member(at.angles[k]));
    let w = Arrow::between(bodies, [a.p, b.p]);
    let [u, u1] = [a.u, a.u1].map(|v| Arrow::axis(bodies, End::First, v));
    let [v, v1] = [b.u, b.u1].map(|v| Arrow::axis(bodies, End::Second, v));
    // |u × v|² and (u × v)·(u′ × v) by the identity of Lagrange.
    let cos = u.dot(&v);
    let per_sine = (-(cos * cos) + u.dot(&u) * v.dot(&v)).sqrt().recip();
    let distance = w.triple(&u, &v) * per_sine;
    let bend_a = u.dot(&u1) * v.dot(&v) - cos * u1.dot(&v);
    let bend_b = v.dot(&v1) * u.dot(&u) - cos * u.dot(&v1);
    let g = [
        w.triple(&u1, &v) - distance * bend_a * per_sine, //
        w.triple(&u, &v1) - distance * bend_b * per_sine,
    ]
    .map(|measure| measure.rate);
    let k = &at.inverse;
    let follow = g[0] * (k[0][0] * g[0] + k[0][1] * g[1]) + g[1] * (k[1][0] * g[0] + k[1][1] * g[1]);
    Measure { curvature: distance.curvature - follow / at.sine, ..distance }
}
