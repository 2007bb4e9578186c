//! Where two features touch, and how fast that place moves.
//!
//! Surfaces that hold each other have no relative velocity `u = v₂ + ω₂×(p − x₂) − v₁ − ω₁×(p − x₁)` at the place p where they
//! touch. Keeping it so needs its derivative, and in that the velocity ṗ of the place:
//!
//! ```text
//! u̇ = a₂ + α₂×(p − x₂) + ω₂×(ṗ − v₂) − a₁ − α₁×(p − x₁) − ω₁×(ṗ − v₁)
//! ```
//!
//! A corner on a face takes the place along, ṗ is its own velocity; under a ball that rolls it moves with the centre. The formulas for p are
//! written once, in numbers that carry their derivative along ([`Moving`]).

use super::curves::{self, Curve, CurveKind};
use super::gap::Gap;
use crate::constraint::{BodyView, End};
use glam::DVec3;
use std::ops::{Add, Mul, Sub};

/// A vector and its rate of change.
#[derive(Clone, Copy, Debug)]
struct Moving {
    value: DVec3,
    rate: DVec3,
}

impl Moving {
    /// A point of a body, given in its frame.
    fn point(body: &BodyView, point: DVec3) -> Self {
        let value = body.pose.point(point);
        Self { value, rate: body.velocity_at(value) }
    }

    /// A direction of a body, given in its frame.
    fn axis(body: &BodyView, direction: DVec3) -> Self {
        let value = body.pose.vector(direction);
        Self { value, rate: body.angular_velocity.cross(value) }
    }

    /// The dot product with its rate.
    fn dot(self, other: Self) -> [f64; 2] {
        [self.value.dot(other.value), self.rate.dot(other.value) + self.value.dot(other.rate)]
    }

    fn times(self, [factor, rate]: [f64; 2]) -> Self {
        Self { value: self.value * factor, rate: self.rate * factor + self.value * rate }
    }

    fn cross(self, other: Self) -> Self {
        let rate = self.rate.cross(other.value) + self.value.cross(other.rate);
        Self { value: self.value.cross(other.value), rate }
    }

    /// Of unit length; zero stays zero.
    fn unit(self) -> Self {
        let length = self.value.length();
        if length > f64::MIN_POSITIVE {
            let value = self.value / length;
            Self { value, rate: (self.rate - value * value.dot(self.rate)) / length }
        } else {
            Self { value: DVec3::ZERO, rate: DVec3::ZERO }
        }
    }

    /// Less its part along a unit vector.
    fn across(self, axis: Self) -> Self {
        self - axis.times(self.dot(axis))
    }
}

impl Add for Moving {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, rate: self.rate + other.rate }
    }
}

impl Sub for Moving {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, rate: self.rate - other.rate }
    }
}

impl Mul<f64> for Moving {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { value: self.value * factor, rate: self.rate * factor }
    }
}

/// The body with the second-named feature, and the other.
fn sides(bodies: &[BodyView; 2], on: End) -> [&BodyView; 2] {
    match on {
        End::Second => [&bodies[1], &bodies[0]],
        End::First | End::World => [&bodies[0], &bodies[1]],
    }
}

/// The place and its velocity.
pub(super) fn place(gap: &Gap, radii: [f64; 2], bodies: &[BodyView; 2]) -> (DVec3, DVec3) {
    let place = match *gap {
        Gap::PointPlane { on, normal, point, reach, .. } => {
            let [flat, other] = sides(bodies, on);
            Moving::point(other, point) - Moving::axis(flat, normal) * reach
        }
        Gap::PointPoint { points, .. } => {
            let [a, b] = [0, 1].map(|k| Moving::point(&bodies[k], points[k]));
            a + (b - a).unit() * radii[0]
        }
        Gap::PointLine { on, line, direction, point, .. } => {
            let [straight, other] = sides(bodies, on);
            let radius = if on == End::Second { radii[0] } else { radii[1] };
            let (point, axis) = (Moving::point(other, point), Moving::axis(straight, direction));
            point - (point - Moving::point(straight, line)).across(axis).unit() * radius
        }
        Gap::PointCircle { on, center, axis, radius, point, .. } => {
            let [round, other] = sides(bodies, on);
            let reach = if on == End::Second { radii[0] } else { radii[1] };
            let (point, center, axis) =
                (Moving::point(other, point), Moving::point(round, center), Moving::axis(round, axis));
            let rim = center + (point - center).across(axis).unit() * radius;
            point - (point - rim).unit() * reach
        }
        Gap::PointCone { on, apex, axis, sin_cos: [sin, cos], point, reach } => {
            let [cone, other] = sides(bodies, on);
            let (point, axis) = (Moving::point(other, point), Moving::axis(cone, axis));
            let out = (point - Moving::point(cone, apex)).across(axis).unit();
            point - (out * cos - axis * sin) * reach
        }
        Gap::CirclePlane { on, normal, center, axis, radius, reach, .. } => {
            let [flat, other] = sides(bodies, on);
            let (center, axis) = (Moving::point(other, center), Moving::axis(other, axis));
            let normal = Moving::axis(flat, normal);
            center - normal.across(axis).unit() * radius - normal * reach
        }
        Gap::EllipsoidPlane { on, normal, center, axes, .. } => {
            // p = c − Σ fᵢ (n·fᵢ)/h, with h = √(Σ (n·fᵢ)²).
            let [flat, other] = sides(bodies, on);
            let normal = Moving::axis(flat, normal);
            let axes = axes.map(|axis| Moving::axis(other, axis));
            let parts = axes.map(|axis| axis.dot(normal));
            let h = parts.iter().map(|[part, _]| part * part).sum::<f64>().sqrt();
            let h_rate = parts.iter().map(|[part, rate]| part * rate).sum::<f64>() / h;
            let center = Moving::point(other, center);
            axes.iter().zip(parts).fold(center, |place, (axis, [part, rate])| {
                place - axis.times([part / h, (rate - part / h * h_rate) / h])
            })
        }
        Gap::Curves { curves, angles, sign, .. } => between(curves, angles, sign * radii[0], bodies),
    };
    (place.value, place.rate)
}

/// How far ahead and back, in radians or relative to its size, a place that follows from angles is looked for, to differentiate it.
const SPAN: f64 = 2e-4;

/// The nearest point of the first of two curves to the other, `radius` along their common perpendicular away from it.
fn between(curves: [Curve; 2], angles: [f64; 2], radius: f64, bodies: &[BodyView; 2]) -> Moving {
    let here = |bodies: &[BodyView; 2]| {
        let members = curves::nearest(&curves, bodies, angles)?;
        Some(on_lines(members, radius, bodies))
    };
    let Some(place) = here(bodies) else { return Moving::point(&bodies[0], curves[0].point) };
    if curves.iter().all(|curve| curve.kind == CurveKind::Line) {
        return place;
    }
    // The angles follow the motion: by central differences, of fourth order.
    let speed = |body: &BodyView| body.angular_velocity.length() + body.velocity.length();
    let span = SPAN / bodies.iter().map(speed).fold(1.0, f64::max);
    let ahead = |time: f64| here(&bodies.map(|body| advanced(&body, time))).map_or(place.value, |place| place.value);
    let rate = (8.0 * (ahead(span) - ahead(-span)) - (ahead(2.0 * span) - ahead(-2.0 * span))) / (12.0 * span);
    Moving { value: place.value, rate }
}

/// The body after it has kept its velocities for some time.
fn advanced(body: &BodyView, time: f64) -> BodyView {
    let turn = tumble_geometry::math::rotation_from_vector(body.angular_velocity * time);
    let center = body.center + body.velocity * time;
    let translation = center + turn * (body.pose.translation - body.center);
    BodyView { pose: tumble_geometry::Transform::new(turn * body.pose.rotation, translation), center, ..*body }
}

/// The nearest point of the first of two lines, given by a point and a direction in the frames of the bodies.
fn on_lines([[p, u], [q, v]]: [[DVec3; 2]; 2], radius: f64, bodies: &[BodyView; 2]) -> Moving {
    let (p, u) = (Moving::point(&bodies[0], p), Moving::axis(&bodies[0], u));
    let (q, v) = (Moving::point(&bodies[1], q), Moving::axis(&bodies[1], v));
    let m = u.cross(v);
    // s = ((q − p) × v)·m/m².
    let [top, top_rate] = (q - p).cross(v).dot(m);
    let [below, below_rate] = m.dot(m);
    let s = top / below;
    p + u.times([s, (top_rate - s * below_rate) / below]) + m.unit() * radius
}
