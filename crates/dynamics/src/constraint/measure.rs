//! Measures: numbers that depend on where two bodies are, with the derivatives a constraint needs.
//!
//! A constraint says that some number c (a distance, an angle, a dot product) is zero, or at least zero. It needs c, its
//! Jacobian J (`ċ = J ẋ`) and `J̇ẋ`, the part of c̈ that is there without accelerations. Instead of deriving them by hand for
//! every joint, they are carried along by the rules of calculus. A [`Measure`] holds
//!
//! ```text
//! c,    J,    ċ = J ẋ,    J̇ẋ = c̈ while both bodies keep their velocities.
//! ```
//!
//! and for `f(c)` the chain rule gives `f′ J`, `f′ ċ` and `f′ c̈ + f″ ċ²`, for a product `u v` the product rule
//! `u J_v + v J_u`, `u v̇ + v u̇` and `u v̈ + 2 u̇ v̇ + v ü`. Where it all begins are vectors that move with the bodies
//! ([`Arrow`]), whose dot products are measures, and the quaternion of their relative rotation ([`relative_rotation`]).
//!
//! ```
//! use tumble_dynamics::constraint::{Arrow, BodyView, End, Row};
//! use glam::DVec3;
//!
//! /// The axis of a universal joint: an axis of the first body stays perpendicular to one of the second.
//! fn cross(bodies: &[BodyView; 2], rows: &mut Vec<Row>) {
//!     let a = Arrow::axis(bodies, End::First, DVec3::X);
//!     let b = Arrow::axis(bodies, End::Second, DVec3::Z);
//!     rows.push(a.dot(&b).equals_zero());
//! }
//! # let mut rows = Vec::new();
//! # cross(&[BodyView::WORLD; 2], &mut rows);
//! # assert_eq!(rows[0].error, 0.0);
//! ```

use super::{BodyView, Jacobian, Limit, Row};
use glam::{DQuat, DVec3};
use std::ops::{Add, Mul, Neg, Sub};

/// What an arrow or a point is fixed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The first body.
    First,
    /// The second body.
    Second,
    /// The world, which does not move.
    World,
}

/// A vector that moves with the bodies, e.g. an axis of one of them, or from a point of one to a point of the other.
///
/// When body k moves by δxₖ and turns by δθₖ, it changes by `Σ shareₖ δxₖ + δθₖ × leverₖ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// The vector in world coordinates.
    pub value: DVec3,
    share: [f64; 2],
    lever: [DVec3; 2],
    rate: DVec3,
    curvature: DVec3,
}

impl Arrow {
    /// A direction given in the frame of a body (or the world) that turns with it.
    pub fn axis(bodies: &[BodyView; 2], end: End, direction: DVec3) -> Self {
        let fixed = Self {
            value: direction,
            share: [0.0; 2],
            lever: [DVec3::ZERO; 2],
            rate: DVec3::ZERO,
            curvature: DVec3::ZERO,
        };
        let index = match end {
            End::First => 0,
            End::Second => 1,
            End::World => return fixed,
        };
        let value = bodies[index].pose.vector(direction);
        let omega = bodies[index].angular_velocity;
        let rate = omega.cross(value);
        let mut arrow = Self { value, rate, curvature: omega.cross(rate), ..fixed };
        arrow.lever[index] = value;
        arrow
    }

    /// From `points[0]`, in the frame of the first body, to `points[1]`, in that of the second.
    #[inline]
    pub fn between(bodies: &[BodyView; 2], points: [DVec3; 2]) -> Self {
        let world = [bodies[0].pose.point(points[0]), bodies[1].pose.point(points[1])];
        let levers = [world[0] - bodies[0].center, world[1] - bodies[1].center];
        Self {
            value: world[1] - world[0],
            share: [-1.0, 1.0],
            lever: [-levers[0], levers[1]],
            rate: bodies[1].velocity_at(world[1]) - bodies[0].velocity_at(world[0]),
            curvature: bodies[1].centripetal(levers[1]) - bodies[0].centripetal(levers[0]),
        }
    }

    /// From a point of the world to the point `to` of a body, given in its frame (or to another of the world).
    pub fn from_world(bodies: &[BodyView; 2], from: DVec3, end: End, to: DVec3) -> Self {
        let still = Self::axis(bodies, End::World, to - from);
        let index = match end {
            End::First => 0,
            End::Second => 1,
            End::World => return still,
        };
        let body = &bodies[index];
        let point = body.pose.point(to);
        let lever = point - body.center;
        let mut arrow =
            Self { value: point - from, rate: body.velocity_at(point), curvature: body.centripetal(lever), ..still };
        (arrow.share[index], arrow.lever[index]) = (1.0, lever);
        arrow
    }

    /// The dot product of two arrows.
    #[inline]
    pub fn dot(&self, other: &Self) -> Measure {
        let mut jacobian = Jacobian::default();
        self.add_change_along(other.value, &mut jacobian);
        other.add_change_along(self.value, &mut jacobian);
        Measure {
            value: self.value.dot(other.value),
            jacobian,
            rate: self.rate.dot(other.value) + self.value.dot(other.rate),
            curvature: self.curvature.dot(other.value)
                + 2.0 * self.rate.dot(other.rate)
                + self.value.dot(other.curvature),
        }
    }

    /// The triple product `self · (b × c)`.
    pub fn triple(&self, b: &Self, c: &Self) -> Measure {
        let a = self;
        let normals = [b.value.cross(c.value), c.value.cross(a.value), a.value.cross(b.value)];
        let mut jacobian = Jacobian::default();
        for (arrow, normal) in [a, b, c].into_iter().zip(normals) {
            arrow.add_change_along(normal, &mut jacobian);
        }
        let sum =
            |of: fn(&Self) -> DVec3| -> f64 { [a, b, c].into_iter().zip(normals).map(|(x, n)| of(x).dot(n)).sum() };
        let mixed =
            a.rate.dot(b.rate.cross(c.value)) + a.rate.dot(b.value.cross(c.rate)) + a.value.dot(b.rate.cross(c.rate));
        Measure {
            value: a.value.dot(normals[0]),
            jacobian,
            rate: sum(|arrow| arrow.rate),
            curvature: sum(|arrow| arrow.curvature) + 2.0 * mixed,
        }
    }

    /// The length; its derivatives are zero where it is.
    pub fn length(&self) -> Measure {
        self.dot(self).sqrt()
    }

    /// Adds the Jacobian of `δarrow · direction`.
    fn add_change_along(&self, direction: DVec3, jacobian: &mut Jacobian) {
        for k in 0..2 {
            jacobian.linear[k] += self.share[k] * direction;
            jacobian.angular[k] += self.lever[k].cross(direction);
        }
    }
}

impl Add for Arrow {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            share: [self.share[0] + other.share[0], self.share[1] + other.share[1]],
            lever: [self.lever[0] + other.lever[0], self.lever[1] + other.lever[1]],
            rate: self.rate + other.rate,
            curvature: self.curvature + other.curvature,
        }
    }
}

impl Mul<f64> for Arrow {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            share: self.share.map(|share| share * factor),
            lever: self.lever.map(|lever| lever * factor),
            rate: self.rate * factor,
            curvature: self.curvature * factor,
        }
    }
}

impl Sub for Arrow {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

/// A number that depends on the positions of two bodies, with its derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    /// c, in metres, radians or without unit.
    pub value: f64,
    /// J: `ċ = J ẋ`.
    pub jacobian: Jacobian,
    /// ċ at the present velocities.
    pub rate: f64,
    /// J̇ẋ: what c̈ is while the velocities stay as they are.
    pub curvature: f64,
}

impl Measure {
    /// A number that does not depend on the bodies.
    pub fn constant(value: f64) -> Self {
        Self { value, ..Self::default() }
    }

    /// `f(c)`, given f, f′ and f″ at c.
    pub fn map(self, value: f64, first: f64, second: f64) -> Self {
        Self {
            value,
            jacobian: scaled(&self.jacobian, first),
            rate: first * self.rate,
            curvature: first * self.curvature + second * self.rate * self.rate,
        }
    }

    /// The square root; of zero it has no derivatives, and they are given as zero.
    pub fn sqrt(self) -> Self {
        let root = self.value.max(0.0).sqrt();
        if root > 0.0 { self.map(root, 0.5 / root, -0.25 / (root * root * root)) } else { Self::default() }
    }

    /// One divided by it.
    pub fn recip(self) -> Self {
        let value = 1.0 / self.value;
        self.map(value, -value * value, 2.0 * value * value * value)
    }

    /// Its sine.
    pub fn sin(self) -> Self {
        let (sin, cos) = libm::sincos(self.value);
        self.map(sin, cos, -sin)
    }

    /// Its cosine.
    pub fn cos(self) -> Self {
        let (sin, cos) = libm::sincos(self.value);
        self.map(cos, -sin, -cos)
    }

    /// The angle of the point (x, y) in radians, between −π and π. At the origin, where there is none, zero without
    /// derivatives.
    pub fn atan2(y: Self, x: Self) -> Self {
        let square = x.value * x.value + y.value * y.value;
        if square <= f64::MIN_POSITIVE {
            return Self::default();
        }
        // dφ = (x dy − y dx)/r². Once more: φ̈ = ((x ÿ − y ẍ) − 2 φ̇ (x ẋ + y ẏ))/r².
        let (u, v) = (x.value / square, y.value / square);
        let rate = u * y.rate - v * x.rate;
        Self {
            value: libm::atan2(y.value, x.value),
            jacobian: sum(&scaled(&y.jacobian, u), &scaled(&x.jacobian, -v)),
            rate,
            curvature: u * y.curvature - v * x.curvature - 2.0 * rate * (u * x.rate + v * y.rate),
        }
    }

    /// The row that keeps it zero.
    pub fn equals_zero(self) -> Row {
        self.row(Limit::Equality)
    }

    /// The row that keeps it from becoming negative.
    pub fn at_least_zero(self) -> Row {
        self.row(Limit::AtLeastZero)
    }

    /// A row about it.
    pub fn row(self, limit: Limit) -> Row {
        Row { jacobian: self.jacobian, error: self.value, jdot_v: self.curvature, limit, ..Row::default() }
    }
}

impl Neg for Measure {
    type Output = Self;

    fn neg(self) -> Self {
        self * -1.0
    }
}

impl Add for Measure {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            jacobian: sum(&self.jacobian, &other.jacobian),
            rate: self.rate + other.rate,
            curvature: self.curvature + other.curvature,
        }
    }
}

impl Sub for Measure {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Add<f64> for Measure {
    type Output = Self;

    fn add(self, constant: f64) -> Self {
        Self { value: self.value + constant, ..self }
    }
}

impl Sub<f64> for Measure {
    type Output = Self;

    fn sub(self, constant: f64) -> Self {
        self + -constant
    }
}

impl Mul<f64> for Measure {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        self.map(self.value * factor, factor, 0.0)
    }
}

impl Mul for Measure {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            jacobian: sum(&scaled(&self.jacobian, other.value), &scaled(&other.jacobian, self.value)),
            rate: self.rate * other.value + self.value * other.rate,
            curvature: self.curvature * other.value + 2.0 * self.rate * other.rate + self.value * other.curvature,
        }
    }
}

/// The quaternion `[x, y, z, w]` of the rotation of a frame fixed to the second body as seen from a frame fixed to the first;
/// `frames` are the rotations of these frames in the frames of their bodies.
///
/// With the relative angular velocity w, seen from the first frame, `q̇ = ½ w q`. Both signs are the same rotation; the one
/// given is the product of the bodies' own quaternions, which change continuously, so that two whole turns can be told
/// apart.
pub fn relative_rotation(bodies: &[BodyView; 2], frames: [DQuat; 2]) -> [Measure; 4] {
    let to_world = [bodies[0].pose.rotation * frames[0], bodies[1].pose.rotation * frames[1]];
    let q = to_world[0].conjugate() * to_world[1];
    let [omega_1, omega_2] = bodies.map(|body| body.angular_velocity);
    let into_first = |v: DVec3| to_world[0].conjugate() * v;
    let w = into_first(omega_2 - omega_1);
    // The first frame turns, and with it the components of w: ẇ = −ω₁ × w.
    let w_rate = -into_first(omega_1).cross(w);
    let half = |w: DVec3, q: DQuat| DQuat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0) * q;
    let rate = half(w, q);
    let curvature = half(w_rate, q) + half(w, rate);
    // Component k of ½ w q is w·g, and g = to_world · (its three partial derivatives).
    let columns = DVec3::AXES.map(|axis| half(axis, q));
    let component = |of: fn(DQuat) -> f64| {
        let gradient = to_world[0] * DVec3::new(of(columns[0]), of(columns[1]), of(columns[2]));
        Measure {
            value: of(q),
            jacobian: Jacobian { linear: [DVec3::ZERO; 2], angular: [-gradient, gradient] },
            rate: of(rate),
            curvature: of(curvature),
        }
    };
    [component(|q| q.x), component(|q| q.y), component(|q| q.z), component(|q| q.w)]
}

fn scaled(jacobian: &Jacobian, factor: f64) -> Jacobian {
    Jacobian { linear: jacobian.linear.map(|v| v * factor), angular: jacobian.angular.map(|v| v * factor) }
}

fn sum(a: &Jacobian, b: &Jacobian) -> Jacobian {
    Jacobian {
        linear: [a.linear[0] + b.linear[0], a.linear[1] + b.linear[1]],
        angular: [a.angular[0] + b.angular[0], a.angular[1] + b.angular[1]],
    }
}
