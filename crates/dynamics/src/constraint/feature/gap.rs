//! The gap functions: how far apart two features are, positive apart and negative overlapping.
//!
//! | features | gap | |
//! |---|---|---|
//! | point, plane | `w·n − r` | K B.4.5; w from a point of the plane to the point |
//! | point, point | `\|w\| − r₁ − r₂` | |
//! | point, line | `√(w² − (w·u)²) − r₁ − r₂` | |
//! | point, rim | `√(y² + (ρ − R)²) − r` | y = w·a along the rim's axis, ρ = √(w² − y²) across it |
//! | point, cone | `ρ cos α − y sin α − r` | y = w·a from the apex along the axis |
//! | rim, plane | `w·n − R √(1 − (n·a)²) − r` | the rim's lowest point |
//! | ellipsoid, plane | `w·n − √(Σ (n·fᵢ)²)` | fᵢ its semi-axes as vectors |
//! | lines, rims, cones | stationary `w·(u × v)/\|u × v\|` less the radii | K B.4.6, see [`curves`](super::curves) |
//!
//! A corner is a point with radius r = 0, a sphere or the end of a capsule one with a radius; an edge is a line without, the side
//! of a capsule or cylinder a line with a radius; a torus is a rim with the radius of its tube.
//!
//! Gaps with a root are distances: at zero they have no direction. With a radius that never happens at the surface. Without
//! one (a corner against a corner or an edge) it does where they touch, but then they touch their faces too.

use super::curves::{self, Curve};
use crate::constraint::{Arrow, BodyView, End, Measure};
use glam::DVec3;

/// The gap between a feature of each of two bodies. Places are in the frames of the bodies, in metres; directions are of unit
/// length; `on` is the body that holds the second-named feature, the other holds the point or rim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gap {
    /// A corner or ball above a plane.
    PointPlane {
        /// The body with the plane.
        on: End,
        /// A point of the plane.
        plane: DVec3,
        /// Its normal, outwards.
        normal: DVec3,
        /// The corner or centre.
        point: DVec3,
        /// The ball's radius.
        reach: f64,
    },
    /// Two corners or balls.
    PointPoint {
        /// The corner or centre of each body.
        points: [DVec3; 2],
        /// The sum of the radii.
        reach: f64,
    },
    /// A corner or ball beside a line.
    PointLine {
        /// The body with the line.
        on: End,
        /// A point of the line.
        line: DVec3,
        /// Its direction.
        direction: DVec3,
        /// The corner or centre.
        point: DVec3,
        /// The sum of the radii.
        reach: f64,
    },
    /// A corner or ball beside a rim.
    PointCircle {
        /// The body with the rim.
        on: End,
        /// The rim's centre.
        center: DVec3,
        /// Its axis.
        axis: DVec3,
        /// Its radius.
        radius: f64,
        /// The corner or centre.
        point: DVec3,
        /// The ball's radius.
        reach: f64,
    },
    /// A corner or ball beside a cone.
    PointCone {
        /// The body with the cone.
        on: End,
        /// Its tip.
        apex: DVec3,
        /// From there to the base.
        axis: DVec3,
        /// Sine and cosine of the angle between axis and side.
        sin_cos: [f64; 2],
        /// The corner or centre.
        point: DVec3,
        /// The ball's radius.
        reach: f64,
    },
    /// A rim above a plane.
    CirclePlane {
        /// The body with the plane.
        on: End,
        /// A point of the plane.
        plane: DVec3,
        /// Its normal, outwards.
        normal: DVec3,
        /// The rim's centre.
        center: DVec3,
        /// Its axis.
        axis: DVec3,
        /// Its radius.
        radius: f64,
        /// The radius of the tube around it, if it is that of a torus.
        reach: f64,
    },
    /// An ellipsoid above a plane.
    EllipsoidPlane {
        /// The body with the plane.
        on: End,
        /// A point of the plane.
        plane: DVec3,
        /// Its normal, outwards.
        normal: DVec3,
        /// The ellipsoid's centre.
        center: DVec3,
        /// Its semi-axes, as vectors.
        axes: [DVec3; 3],
    },
    /// Two lines, rims or cones.
    Curves {
        /// Those of the two bodies.
        curves: [Curve; 2],
        /// Near which angles on them they are closest, in radians; for a line without meaning.
        angles: [f64; 2],
        /// 1 if the common perpendicular `u × v` points out of the first body, −1 if it points into it.
        sign: f64,
        /// The sum of the radii.
        reach: f64,
    },
}

impl Gap {
    /// The gap with its derivatives. Curves that have become parallel have none; they keep the value zero without
    /// derivatives.
    pub fn measure(&self, bodies: &[BodyView; 2]) -> Measure {
        match *self {
            Self::PointPlane { on, plane, normal, point, reach } => {
                away(bodies, on, plane, point).dot(&Arrow::axis(bodies, on, normal)) - reach
            }
            Self::PointPoint { points, reach } => Arrow::between(bodies, points).length() - reach,
            Self::PointLine { on, line, direction, point, reach } => {
                let (_, across) = along_and_across(bodies, on, line, direction, point);
                across - reach
            }
            Self::PointCircle { on, center, axis, radius, point, reach } => {
                let (y, rho) = along_and_across(bodies, on, center, axis, point);
                let beyond = rho - radius;
                (y * y + beyond * beyond).sqrt() - reach
            }
            Self::PointCone { on, apex, axis, sin_cos: [sin, cos], point, reach } => {
                let (y, rho) = along_and_across(bodies, on, apex, axis, point);
                rho * cos - y * sin - reach
            }
            Self::CirclePlane { on, plane, normal, center, axis, radius, reach } => {
                let n = Arrow::axis(bodies, on, normal);
                let cos = n.dot(&Arrow::axis(bodies, other(on), axis));
                away(bodies, on, plane, center).dot(&n) - (-(cos * cos) + 1.0).sqrt() * radius - reach
            }
            Self::EllipsoidPlane { on, plane, normal, center, axes } => {
                let n = Arrow::axis(bodies, on, normal);
                let [x, y, z] = axes.map(|axis| n.dot(&Arrow::axis(bodies, other(on), axis)));
                away(bodies, on, plane, center).dot(&n) - (x * x + y * y + z * z).sqrt()
            }
            Self::Curves { curves, angles, sign, reach } => match curves::solve(&curves, bodies, angles) {
                Some(at) => curves::distance(&curves, bodies, &at) * sign - reach,
                None => Measure::default(),
            },
        }
    }
}

/// From a point of the body `on` to a point of the other.
fn away(bodies: &[BodyView; 2], on: End, from: DVec3, to: DVec3) -> Arrow {
    match on {
        End::Second => Arrow::between(bodies, [to, from]) * -1.0,
        End::First | End::World => Arrow::between(bodies, [from, to]),
    }
}

fn other(end: End) -> End {
    match end {
        End::Second => End::First,
        End::First | End::World => End::Second,
    }
}

/// Where a point of the other body is along an axis of the body `on`, and how far from it.
fn along_and_across(bodies: &[BodyView; 2], on: End, origin: DVec3, axis: DVec3, point: DVec3) -> (Measure, Measure) {
    let w = away(bodies, on, origin, point);
    let y = w.dot(&Arrow::axis(bodies, on, axis));
    (y, (w.dot(&w) - y * y).sqrt())
}
