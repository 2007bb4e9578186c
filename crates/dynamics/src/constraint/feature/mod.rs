//! Contacts as constraint functions: the gap between the features that touch, with its derivatives (K B.4.5, B.4.6).
//!
//! A contact row ([`contact`](super::contact)) says how the gap at a point changes now: `J`. Which way the gap bends, `J̇ẋ`, depends on
//! what touches: a corner on a face, a ball in a corner and a rim on a table have the same J and bend differently. A method
//! that integrates accelerations, or looks for the moment when a gap becomes zero, needs the function itself:
//!
//! ```text
//! c(x) = gap ≥ 0,     ċ = J ẋ,     c̈ = J ẍ + J̇ẋ
//! ```
//!
//! **How a method uses it.** Contact points are found as ever; every point tells which features make it
//! ([`ContactPoint::features`]). [`ContactFeature::new`] turns one into a gap function, fixed in the frames of the two bodies. It
//! holds as long as the same features are opposite each other: evaluate it at all stages and trial times of a step
//! ([`ContactFeature::measure`], [`ContactFeature::row`]), then ask for new points.
//!
//! The gap is measured along the features' own normal: across the face, along the common perpendicular of two edges. Where a
//! manifold measures all its points along one normal n, its depth is `−c / (n·n_c)`, with n_c the gap's own normal: nearly the
//! same, with the same sign, and zero together. A rim differs to first order in the angle between n and n_c, since its lowest
//! point moves along it.
//!
//! **What is exact.** All gaps between the features of boxes, hulls, triangles, spheres, capsules, cylinders, cones, tori, half-spaces, and
//! of ellipsoids with anything flat are, with the following exceptions:
//!
//! - A user-defined shape, and an ellipsoid beside anything that is not flat, is replaced by the ball that touches it from inside (see
//!   [`Feature::geometry`](tumble_geometry::query::Feature::geometry)): c and J are exact, J̇ẋ if it curves the same in all directions.
//! - A point of a line or side within a plane (an edge flat on a face, or across a cap) is fixed in its body: the line
//!   stays on the face wherever along it one looks.
//! - Parallel lines are a point of the first beside the second, where one of them has a radius.
//! - Where no gap of features is to be had — parallel edges, a face that ends before the lowest point of a torus, corners that touch corners, [`Feature::Spot`], or features
//!   whose own normal is more than 37° from that of the contact — a point of the second body is held above a plane of the first
//!   through the contact point: c and J are those of the contact row, J̇ẋ is that of a corner on a face.

mod curves;
mod gap;
mod place;

pub use curves::{Curve, CurveKind};
pub use gap::Gap;

use super::{BodyView, End, Measure, Row};
use glam::DVec3;
use tumble_geometry::query::{ContactPoint, Feature, FeatureGeometry, Manifold};
use tumble_geometry::{Shape, Transform};

/// A shape and its place in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub struct ContactSide<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Its pose in the frame of the body.
    pub frame: Transform,
}

/// A contact point as a constraint function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFeature {
    /// What touches.
    pub features: [Feature; 2],
    /// How far apart it is.
    pub gap: Gap,
    /// The radii around the two features: of balls, and of the sides of capsules and cylinders.
    radii: [f64; 2],
}

/// The cosine of the angle between a gap's own normal and that of the contact up to which it is one of the contact.
const WITHIN: f64 = 0.8;
/// How far the gap of a torus may be from that of the contact point, as a share of its size.
const ELSEWHERE: f64 = 1e-3;
/// A rim that lies on a plane to this angle (sine) has no lowest point.
const LEVEL: f64 = 1e-4;
/// Lines at less than this angle (sine) have no common perpendicular.
const PARALLEL: f64 = 1e-6;
/// Features without radius that are closer than this, in metres, have no direction.
const TOUCHING: f64 = 1e-9;

impl ContactFeature {
    /// The gap function of one point of a manifold of two shapes; `b_in_a` is where the second shape was in the frame of the
    /// first when the manifold was found.
    pub fn new(sides: [ContactSide; 2], b_in_a: &Transform, manifold: &Manifold, point: &ContactPoint) -> Self {
        let half = manifold.normal * (0.5 * point.depth);
        // The shapes' frames as seen from that of the first.
        let poses = [Transform::IDENTITY, *b_in_a];
        let place = Place {
            spots: [0, 1].map(|k| {
                let surface = if k == 0 { point.position + half } else { point.position - half };
                sides[k].frame.point(poses[k].inverse_point(surface))
            }),
            normals: [0, 1].map(|k| {
                let outward = if k == 0 { manifold.normal } else { -manifold.normal };
                sides[k].frame.vector(poses[k].inverse_vector(outward))
            }),
            bodies: [0, 1].map(|k| BodyView { pose: poses[k] * sides[k].frame.inverse(), ..BodyView::WORLD }),
            depth: point.depth,
            features: point.features,
        };
        let parts = [manifold.part_a, manifold.part_b];
        let geometry = [0, 1].map(|k| {
            let ContactSide { shape, frame } = sides[k];
            let outward = frame.inverse_vector(place.normals[k]);
            Some(point.features[k].geometry(shape, parts[k], outward)?.moved(&frame))
        });
        let is_sound = |gap: &Gap| place.is_along(gap) && place.is_here(gap, &geometry);
        let gap = place.gap(geometry).filter(is_sound).unwrap_or_else(|| place.sample());
        let radii = geometry.map(|geometry| geometry.as_ref().map_or(0.0, what_radius));
        Self { features: point.features, gap, radii }
    }

    /// A point of the second shape above a plane of the first through the contact point, whatever touches: `normal` is that of the plane,
    /// out of the first shape and in its frame. For contacts whose plane was found in some other way.
    pub fn on_plane(sides: [ContactSide; 2], b_in_a: &Transform, normal: DVec3, point: &ContactPoint) -> Self {
        let half = normal * (0.5 * point.depth);
        let [plane, other] = [point.position + half, b_in_a.inverse_point(point.position - half)];
        let gap = Gap::PointPlane {
            on: End::First,
            plane: sides[0].frame.point(plane),
            normal: sides[0].frame.vector(normal),
            point: sides[1].frame.point(other),
            reach: 0.0,
        };
        Self { features: point.features, gap, radii: [0.0; 2] }
    }

    /// The same features with another gap, and the radii around what it is measured between.
    pub(crate) fn with_gap(self, gap: Gap, radii: [f64; 2]) -> Self {
        Self { gap, radii, ..self }
    }

    /// The gap in metres with its derivatives.
    pub fn measure(&self, bodies: &[BodyView; 2]) -> Measure {
        self.gap.measure(bodies)
    }

    /// Where the surfaces touch, in world coordinates, and how fast that place moves, in m/s. It moves over both surfaces where they roll:
    /// the friction that holds them together needs to know.
    pub fn place(&self, bodies: &[BodyView; 2]) -> (DVec3, DVec3) {
        place::place(&self.gap, self.radii, bodies)
    }

    /// The row that keeps the gap from becoming negative.
    pub fn row(&self, bodies: &[BodyView; 2]) -> Row {
        self.measure(bodies).at_least_zero()
    }
}

/// Where a contact is.
struct Place {
    /// The points of the two surfaces, in the frames of the bodies.
    spots: [DVec3; 2],
    /// The normal out of each body, in its frame.
    normals: [DVec3; 2],
    /// The bodies at rest where they were, in the frame of the first shape.
    bodies: [BodyView; 2],
    depth: f64,
    features: [Feature; 2],
}

impl Place {
    /// A point of the second body above a plane of the first.
    fn sample(&self) -> Gap {
        let [plane, point] = self.spots;
        Gap::PointPlane { on: End::First, plane, normal: self.normals[0], point, reach: 0.0 }
    }

    /// Whether a gap's own normal is near that of the contact.
    fn is_along(&self, gap: &Gap) -> bool {
        let normal = self.bodies[0].pose.vector(self.normals[0]);
        gap.measure(&self.bodies).jacobian.linear[1].dot(normal) > WITHIN
    }

    /// Whether a gap is that of this contact. A torus is not convex: where a part of it is near a face, the lowest point of the
    /// whole ring may be beyond the face's border.
    fn is_here(&self, gap: &Gap, geometry: &[Option<FeatureGeometry>; 2]) -> bool {
        geometry.iter().flatten().all(|geometry| match geometry {
            FeatureGeometry::Circle { radius, tube, .. } if *tube > 0.0 => {
                (gap.measure(&self.bodies).value + self.depth).abs() < ELSEWHERE * (radius + tube)
            }
            _ => true,
        })
    }

    fn gap(&self, geometry: [Option<FeatureGeometry>; 2]) -> Option<Gap> {
        use FeatureGeometry::{Circle, Cone, Ellipsoid, Line, Plane, Point};
        match geometry {
            [Some(Plane { point, normal }), other] => Some(self.above(End::First, point, normal, other)),
            [other, Some(Plane { point, normal })] => Some(self.above(End::Second, point, normal, other)),
            [Some(Point { point, radius } | Ellipsoid { inner: point, radius, .. }), Some(other)] => {
                self.beside(End::Second, other, point, radius)
            }
            [Some(other), Some(Point { point, radius } | Ellipsoid { inner: point, radius, .. })] => {
                self.beside(End::First, other, point, radius)
            }
            [Some(a @ (Line { .. } | Circle { .. } | Cone { .. })), Some(b)] => self.between(a, b),
            [None, _] | [_, None] => None,
        }
    }

    /// Something of the other body above a plane of the body `on`.
    fn above(&self, on: End, plane: DVec3, normal: DVec3, other: Option<FeatureGeometry>) -> Gap {
        let (k, o) = if on == End::First { (0, 1) } else { (1, 0) };
        let spot = self.spots[o];
        let over = |point, reach| Gap::PointPlane { on, plane, normal, point, reach };
        match other {
            Some(FeatureGeometry::Point { point, radius }) => over(point, radius),
            Some(FeatureGeometry::Line { point, direction, radius }) => {
                let center = point + direction * direction.dot(spot - point);
                match self.features[o] {
                    // The cross-section of a cylinder is a circle; across a capsule, which ends in balls, it is a ball.
                    Feature::Side => {
                        Gap::CirclePlane { on, plane, normal, center, axis: direction, radius, reach: 0.0 }
                    }
                    _ => over(center, radius),
                }
            }
            Some(FeatureGeometry::Ellipsoid { center, axes, .. }) => {
                Gap::EllipsoidPlane { on, plane, normal, center, axes }
            }
            Some(FeatureGeometry::Circle { center, axis, radius, tube }) => {
                let tilt = self.bodies[k].pose.vector(normal).cross(self.bodies[o].pose.vector(axis)).length();
                if tilt > LEVEL {
                    Gap::CirclePlane { on, plane, normal, center, axis, radius, reach: tube }
                } else {
                    over(spot, 0.0)
                }
            }
            Some(FeatureGeometry::Plane { .. } | FeatureGeometry::Cone { .. }) | None => over(spot, 0.0),
        }
    }

    /// A corner or ball of the other body beside something of the body `on` that is not flat.
    fn beside(&self, on: End, what: FeatureGeometry, point: DVec3, radius: f64) -> Option<Gap> {
        let gap = match what {
            FeatureGeometry::Point { point: center, radius: more }
            | FeatureGeometry::Ellipsoid { inner: center, radius: more, .. } => {
                let points = if on == End::First { [center, point] } else { [point, center] };
                Gap::PointPoint { points, reach: radius + more }
            }
            FeatureGeometry::Line { point: line, direction, radius: more } => {
                Gap::PointLine { on, line, direction, point, reach: radius + more }
            }
            FeatureGeometry::Circle { center, axis, radius: rim, tube } => {
                Gap::PointCircle { on, center, axis, radius: rim, point, reach: radius + tube }
            }
            FeatureGeometry::Cone { apex, axis, sin_cos } => {
                return Some(Gap::PointCone { on, apex, axis, sin_cos, point, reach: radius });
            }
            FeatureGeometry::Plane { .. } => return None,
        };
        let distance = -self.depth + radius + what_radius(&what);
        (distance > TOUCHING).then_some(gap)
    }

    /// Whether directions of the two bodies are parallel.
    fn are_parallel(&self, a: DVec3, b: DVec3) -> bool {
        self.bodies[0].pose.vector(a).cross(self.bodies[1].pose.vector(b)).length() < PARALLEL
    }

    /// Two lines, rims or cones.
    fn between(&self, a: FeatureGeometry, b: FeatureGeometry) -> Option<Gap> {
        let (radii, [a, b]) = ([what_radius(&a), what_radius(&b)], [curve(&a)?, curve(&b)?]);
        let (curves, reach) = ([a, b], radii[0] + radii[1]);
        if curves.iter().all(|curve| curve.kind == CurveKind::Line) && self.are_parallel(a.axis, b.axis) {
            // Side by side: a point of the first where they touch, beside the second.
            let point = a.point + a.axis * a.axis.dot(self.spots[0] - a.point);
            let distance = reach - self.depth;
            let gap = Gap::PointLine { on: End::Second, line: b.point, direction: b.axis, point, reach };
            return (distance > TOUCHING).then_some(gap);
        }
        let angles = [a.angle_towards(self.spots[0]), b.angle_towards(self.spots[1])];
        let at = curves::solve(&curves, &self.bodies, angles)?;
        let along = at.normal.dot(self.bodies[0].pose.vector(self.normals[0]));
        Some(Gap::Curves { curves, angles, sign: 1.0_f64.copysign(along), reach })
    }
}

/// The radius around a point or line.
fn what_radius(geometry: &FeatureGeometry) -> f64 {
    match geometry {
        FeatureGeometry::Point { radius, .. } | FeatureGeometry::Line { radius, .. } => *radius,
        FeatureGeometry::Circle { tube, .. } => *tube,
        FeatureGeometry::Ellipsoid { radius, .. } => *radius,
        FeatureGeometry::Plane { .. } | FeatureGeometry::Cone { .. } => 0.0,
    }
}

fn curve(geometry: &FeatureGeometry) -> Option<Curve> {
    match *geometry {
        FeatureGeometry::Line { point, direction, .. } => Some(Curve { point, axis: direction, kind: CurveKind::Line }),
        FeatureGeometry::Circle { center, axis, radius, .. } => {
            Some(Curve { point: center, axis, kind: CurveKind::Circle(radius) })
        }
        FeatureGeometry::Cone { apex, axis, sin_cos } => {
            Some(Curve { point: apex, axis, kind: CurveKind::Cone(sin_cos) })
        }
        FeatureGeometry::Point { .. } | FeatureGeometry::Plane { .. } | FeatureGeometry::Ellipsoid { .. } => None,
    }
}
