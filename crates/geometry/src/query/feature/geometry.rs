//! Where a feature is: as a point, line, plane, circle, cone or ellipsoid, each with its place in the frame of the shape.
//!
//! Round features are swollen ones: a sphere is a point with a radius, the side of a capsule or cylinder a line with a
//! radius, a torus a circle with the radius of its tube. A user-defined shape is known by its support mapping s(d) alone; where it is round it is replaced by the ball that
//! touches it from inside at the same place, with the mean radius of curvature,
//!
//! ```text
//! ρ = ½ Σ u·(s(n + δu) − s(n − δu)) / 2δ     over two directions u across the normal n,
//! ```
//!
//! since the support point of a surface with the radii of curvature ρᵢ moves by ρᵢ per radian. Place and normal are
//! exact, and so is the curvature if it is the same in all directions.

use super::{Feature, Pole};
use crate::math::orthonormal_pair;
use crate::primitive::TriangleFeature;
use crate::shape::{Bow, BowFeature, Convex, Custom, Ellipsoid};
use crate::{Shape, Transform};
use glam::DVec3;

/// How far off the normal a user-defined shape is asked for its curvature, in radians.
const FEEL: f64 = 1e-4;

/// The geometry of a feature, in the frame of its shape. Lengths in metres, directions of unit length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FeatureGeometry {
    /// A corner (radius zero) or a ball around a point.
    Point {
        /// The corner or the centre.
        point: DVec3,
        /// The radius around it.
        radius: f64,
    },
    /// An edge (radius zero) or a cylinder around a line. Where it ends is not said.
    Line {
        /// A point of the line.
        point: DVec3,
        /// Its direction.
        direction: DVec3,
        /// The radius around it.
        radius: f64,
    },
    /// A plane.
    Plane {
        /// A point of the plane.
        point: DVec3,
        /// The normal, outwards.
        normal: DVec3,
    },
    /// A circular edge, or a tube around a circle.
    Circle {
        /// The centre.
        center: DVec3,
        /// The direction across the circle's plane.
        axis: DVec3,
        /// The radius of the circle.
        radius: f64,
        /// The radius of the tube around it: zero for an edge.
        tube: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// The centre.
        center: DVec3,
        /// The three semi-axes as vectors from the centre to the surface.
        axes: [DVec3; 3],
        /// The centre of the ball that touches it from inside where it looks along the contact's normal.
        inner: DVec3,
        /// The radius of that ball: the mean radius of curvature.
        radius: f64,
    },
    /// The side of a cone, which is made of lines through the apex.
    Cone {
        /// The tip.
        apex: DVec3,
        /// From the apex towards the base.
        axis: DVec3,
        /// The sine and cosine of the angle between the axis and the side.
        sin_cos: [f64; 2],
    },
}

impl Feature {
    /// The geometry of this feature of `shape`, or of member `part` if that is a compound. `outward` is the contact normal as it
    /// points out of this shape, in its frame: it tells the two sides of a triangle apart, and where a user-defined shape
    /// is touched. None for a [`Feature::Spot`], and for a feature the shape does not have.
    pub fn geometry(self, shape: &Shape, part: u32, outward: DVec3) -> Option<FeatureGeometry> {
        match shape {
            Shape::Compound(_) | Shape::Torus(_) => {
                let (pose, member) = shape.as_compound()?.parts().get(part as usize)?;
                Some(self.geometry(member, 0, pose.inverse_vector(outward))?.moved(pose))
            }
            Shape::Ellipsoid(ellipsoid) if self == Self::Round => of_ellipsoid(ellipsoid, outward),
            Shape::Cuboid(cuboid) => {
                let h = cuboid.half_extents();
                let side = |corner: u32, bit: u32, length: f64| if corner >> bit & 1 == 1 { length } else { -length };
                let vertex = |i: u32| Some(DVec3::new(side(i, 0, h.x), side(i, 1, h.y), side(i, 2, h.z)));
                let face = |i: u32| {
                    let axis = *DVec3::AXES.get(i as usize / 2)?;
                    let normal = if i.is_multiple_of(2) { axis } else { -axis };
                    Some((normal * h, normal))
                };
                self.of_polyhedron(vertex, face)
            }
            Shape::Hull(hull) => {
                let face = |i: u32| {
                    let plane = hull.face_planes().get(i as usize)?;
                    Some((plane.normal * plane.offset, plane.normal))
                };
                self.of_polyhedron(|i| hull.vertices().get(i as usize).copied(), face)
            }
            Shape::Mesh(mesh) => self.of_surface(mesh.triangles().len(), |i| mesh.triangle(i), outward),
            Shape::HeightField(field) => self.of_surface(field.triangle_count(), |i| field.triangle(i), outward),
            Shape::HalfSpace(ground) if self == Self::Plane => {
                Some(FeatureGeometry::Plane { point: DVec3::ZERO, normal: ground.normal() })
            }
            Shape::Sphere(sphere) if self == Self::Ball => {
                Some(FeatureGeometry::Point { point: DVec3::ZERO, radius: sphere.radius() })
            }
            Shape::Capsule(capsule) => {
                let radius = capsule.radius();
                match self {
                    Self::End(pole) => Some(FeatureGeometry::Point { point: at(pole, capsule.half_height()), radius }),
                    Self::Segment => Some(FeatureGeometry::Line { point: DVec3::ZERO, direction: DVec3::Y, radius }),
                    _ => None,
                }
            }
            Shape::Cylinder(cylinder) => {
                let (half_height, radius) = (cylinder.half_height(), cylinder.radius());
                match self {
                    Self::Side => Some(FeatureGeometry::Line { point: DVec3::ZERO, direction: DVec3::Y, radius }),
                    _ => self.of_cap(half_height, radius),
                }
            }
            Shape::Cone(cone) => {
                let (half_height, radius) = (cone.half_height(), cone.radius());
                let apex = at(Pole::Top, half_height);
                match self {
                    Self::Apex => Some(FeatureGeometry::Point { point: apex, radius: 0.0 }),
                    Self::Side => {
                        let slope = (4.0 * half_height * half_height + radius * radius).sqrt();
                        let sin_cos = [radius / slope, 2.0 * half_height / slope];
                        Some(FeatureGeometry::Cone { apex, axis: DVec3::NEG_Y, sin_cos })
                    }
                    _ => self.of_cap(half_height, radius),
                }
            }
            Shape::Custom(custom) => match Bow::of(custom) {
                Some(bow) if self == Self::Round => Some(of_bow(bow, outward)),
                None if self == Self::Round => inscribed_ball(custom, outward),
                _ => None,
            },
            Shape::HalfSpace(_) | Shape::Sphere(_) | Shape::Ellipsoid(_) => None,
        }
    }

    fn of_polyhedron(
        self,
        vertex: impl Fn(u32) -> Option<DVec3>,
        face: impl Fn(u32) -> Option<(DVec3, DVec3)>,
    ) -> Option<FeatureGeometry> {
        match self {
            Self::Vertex(i) => Some(FeatureGeometry::Point { point: vertex(i)?, radius: 0.0 }),
            Self::Edge([i, j]) => edge(vertex(i)?, vertex(j)?),
            Self::Face(i) => face(i).map(|(point, normal)| FeatureGeometry::Plane { point, normal }),
            _ => None,
        }
    }

    fn of_surface(
        self,
        count: usize,
        triangle: impl Fn(usize) -> crate::Triangle,
        outward: DVec3,
    ) -> Option<FeatureGeometry> {
        let Self::Triangle { triangle: index, part } = self else { return None };
        if index as usize >= count {
            return None;
        }
        let triangle = triangle(index as usize);
        let corner = |i: u8| triangle.vertices[usize::from(i) % 3];
        match part {
            TriangleFeature::Vertex(i) => Some(FeatureGeometry::Point { point: corner(i), radius: 0.0 }),
            TriangleFeature::Edge(i) => edge(corner(i), corner(i % 3 + 1)),
            TriangleFeature::Face => {
                let normal = triangle.normal()?;
                let normal = if normal.dot(outward) < 0.0 { -normal } else { normal };
                Some(FeatureGeometry::Plane { point: corner(0), normal })
            }
        }
    }

    /// The features that cylinders and cones have in common.
    fn of_cap(self, half_height: f64, radius: f64) -> Option<FeatureGeometry> {
        match self {
            Self::Cap(pole) => Some(FeatureGeometry::Plane { point: at(pole, half_height), normal: at(pole, 1.0) }),
            Self::Rim(pole) => {
                let (center, axis) = (at(pole, half_height), at(pole, 1.0));
                Some(FeatureGeometry::Circle { center, axis, radius, tube: 0.0 })
            }
            Self::RimPoint(pole, k) => {
                let (x, z) = *RIM.get(usize::from(k))?;
                let turn = if pole == Pole::Top { -1.0 } else { 1.0 };
                let across = DVec3::new(x, 0.0, turn * z) * radius;
                Some(FeatureGeometry::Point { point: at(pole, half_height) + across, radius: 0.0 })
            }
            _ => None,
        }
    }
}

const D: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The x and ±z of the eight points that stand for a rim of radius 1.
pub(crate) const RIM: [(f64, f64); 8] =
    [(1.0, 0.0), (D, D), (0.0, 1.0), (-D, D), (-1.0, 0.0), (-D, -D), (0.0, -1.0), (D, -D)];

/// The point of the y axis at an end.
fn at(pole: Pole, half_height: f64) -> DVec3 {
    match pole {
        Pole::Top => DVec3::new(0.0, half_height, 0.0),
        Pole::Bottom => DVec3::new(0.0, -half_height, 0.0),
    }
}

fn edge(start: DVec3, end: DVec3) -> Option<FeatureGeometry> {
    let direction = (end - start).try_normalize()?;
    Some(FeatureGeometry::Line { point: start, direction, radius: 0.0 })
}

fn of_bow(bow: &Bow, outward: DVec3) -> FeatureGeometry {
    match bow.feature(outward) {
        BowFeature::Tube { radius, tube } => {
            FeatureGeometry::Circle { center: DVec3::ZERO, axis: DVec3::Y, radius, tube }
        }
        BowFeature::End { point, tube } => FeatureGeometry::Point { point, radius: tube },
    }
}

fn of_ellipsoid(ellipsoid: &Ellipsoid, outward: DVec3) -> Option<FeatureGeometry> {
    let normal = outward.try_normalize()?;
    let radius = ellipsoid.mean_radius(normal);
    let axes = [0, 1, 2].map(|i| DVec3::AXES[i] * ellipsoid.radii()[i]);
    let inner = ellipsoid.support(normal) - normal * radius;
    Some(FeatureGeometry::Ellipsoid { center: DVec3::ZERO, axes, inner, radius })
}

/// The ball that touches a user-defined shape from inside where it looks along `outward`; see the top of this file.
fn inscribed_ball(custom: &Custom, outward: DVec3) -> Option<FeatureGeometry> {
    let normal = outward.try_normalize()?;
    let (u, v) = orthonormal_pair(normal);
    let bend = |u: DVec3| {
        let moved = custom.support(normal + u * FEEL) - custom.support(normal - u * FEEL);
        u.dot(moved) / (2.0 * FEEL)
    };
    let radius = (0.5 * (bend(u) + bend(v))).max(0.0);
    let point = custom.support(normal) - normal * radius;
    (point.is_finite() && radius.is_finite()).then_some(FeatureGeometry::Point { point, radius })
}

impl FeatureGeometry {
    /// The same in the outer coordinates of `pose`.
    pub fn moved(self, pose: &Transform) -> Self {
        match self {
            Self::Point { point, radius } => Self::Point { point: pose.point(point), radius },
            Self::Line { point, direction, radius } => {
                Self::Line { point: pose.point(point), direction: pose.vector(direction), radius }
            }
            Self::Plane { point, normal } => Self::Plane { point: pose.point(point), normal: pose.vector(normal) },
            Self::Circle { center, axis, radius, tube } => {
                Self::Circle { center: pose.point(center), axis: pose.vector(axis), radius, tube }
            }
            Self::Ellipsoid { center, axes, inner, radius } => Self::Ellipsoid {
                center: pose.point(center),
                axes: axes.map(|axis| pose.vector(axis)),
                inner: pose.point(inner),
                radius,
            },
            Self::Cone { apex, axis, sin_cos } => {
                Self::Cone { apex: pose.point(apex), axis: pose.vector(axis), sin_cos }
            }
        }
    }
}
