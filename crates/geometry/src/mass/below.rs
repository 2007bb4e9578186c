//! How much of a shape lies below a plane, and where: what a fluid displaces.
//!
//! | shape | how | error |
//! |---|---|---|
//! | sphere | the cap: π k² (3r − k)/3 with k its height | rounding |
//! | box, hull, closed mesh | the divergence theorem over the clipped triangles | rounding |
//! | cylinder, cone | circular segments, summed along the axis by Gauss' rule | rounding |
//! | capsule | a cylinder and two half balls in closed form | rounding |
//! | compound | sum over the parts, overlaps twice | that of its parts |
//! | half-space, open mesh, height field, custom | none: they enclose nothing, or nothing that is known exactly | |
//!
//! Rounding means a few 1e-15 of the volume of the whole shape, and as much of its size for `volume × center`.

use super::{below_polyhedron, below_round};
use crate::shape::Cuboid;
use crate::{Plane, Shape, Transform, Triangle};
use glam::DVec3;

/// The part of a shape below a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Submerged {
    /// Its volume in m³.
    pub volume: f64,
    /// Its centroid in the frame of the shape, in metres; the origin if there is no volume.
    pub center: DVec3,
}

impl Submerged {
    /// Nothing at all.
    pub const NOTHING: Self = Self { volume: 0.0, center: DVec3::ZERO };

    /// From a volume and `∫(x − reference) dV`. Where rounding leaves no volume there is none.
    pub(super) fn new(volume: f64, moment: DVec3, reference: DVec3) -> Self {
        if volume > 0.0 { Self { volume, center: reference + moment / volume } } else { Self::NOTHING }
    }

    /// Both parts as one.
    pub fn combined(&self, other: &Self) -> Self {
        let volume = self.volume + other.volume;
        // From the first centre, so that parts near each other and far from the origin lose no digits.
        let moment = (other.center - self.center) * other.volume;
        if self.volume > 0.0 { Self::new(volume, moment, self.center) } else { *other }
    }

    /// The same part in outer coordinates, its shape placed there by `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        Self { volume: self.volume, center: pose.point(self.center) }
    }
}

impl Shape {
    /// Volume and centroid of the part of the shape on the side of `plane` that its normal points away from; all in the
    /// shape's frame. The normal must have unit length.
    ///
    /// `None` for shapes that enclose no known volume: half-space, open mesh, height field, custom shapes, and compounds
    /// with such a part; and for a plane that is not finite.
    ///
    /// ```
    /// use tumble_geometry::{Plane, Shape, glam::DVec3};
    ///
    /// // A raft of 4 m × 1 m × 2 m in water up to 10 cm below its middle.
    /// let raft = Shape::cuboid([2.0, 0.5, 1.0])?;
    /// let wet = raft.below(&Plane { normal: DVec3::Y, offset: -0.1 }).unwrap();
    /// assert!((wet.volume - 4.0 * 0.4 * 2.0).abs() < 1e-14);
    /// assert!((wet.center.y - -0.3).abs() < 1e-15);
    /// # Ok::<(), tumble_geometry::GeometryError>(())
    /// ```
    pub fn below(&self, plane: &Plane) -> Option<Submerged> {
        if !(plane.normal.is_finite() && plane.offset.is_finite()) {
            return None;
        }
        match self {
            Self::Sphere(sphere) => Some(below_round::sphere(sphere, plane)),
            Self::Cuboid(cuboid) => {
                let corners = cuboid_triangles(cuboid);
                Some(below_polyhedron::below(corners.into_iter(), plane))
            }
            Self::Capsule(capsule) => Some(below_round::capsule(capsule, plane)),
            Self::Cylinder(cylinder) => Some(below_round::cylinder(cylinder, plane)),
            Self::Cone(cone) => Some(below_round::cone(cone, plane)),
            Self::Hull(hull) => {
                let fan = |face: usize| {
                    let corners = hull.face_vertices(face);
                    corners[1..].windows(2).map(|side| [corners[0], side[0], side[1]].map(|v| hull.vertex(v)))
                };
                let triangles = (0..hull.face_count()).flat_map(fan).map(|vertices| Triangle { vertices });
                Some(below_polyhedron::below(triangles, plane))
            }
            Self::Mesh(mesh) if mesh.is_closed() && mesh.is_oriented() => {
                // A mesh that is inside out is turned around.
                let outwards = mesh.signed_volume() >= 0.0;
                let triangles = (0..mesh.triangles().len()).map(|index| {
                    let triangle = mesh.triangle(index);
                    let [a, b, c] = triangle.vertices;
                    if outwards { triangle } else { Triangle { vertices: [a, c, b] } }
                });
                Some(below_polyhedron::below(triangles, plane))
            }
            Self::Compound(compound) => compound.parts().iter().try_fold(Submerged::NOTHING, |sum, (pose, part)| {
                let wet = part.below(&plane.transformed(&pose.inverse()))?;
                Some(sum.combined(&wet.transformed(pose)))
            }),
            Self::Custom(_) | Self::HalfSpace(_) | Self::Mesh(_) | Self::HeightField(_) => None,
        }
    }
}

/// The twelve triangles of a box, counter-clockwise as seen from outside.
fn cuboid_triangles(cuboid: &Cuboid) -> [Triangle; 12] {
    let half = cuboid.half_extents();
    // The six faces: outward axis u, and v, w with v × w = u.
    let faces = [(0, 1, 2), (1, 2, 0), (2, 0, 1)];
    std::array::from_fn(|index| {
        let ((u, v, w), side) = (faces[index / 4], if index / 2 % 2 == 0 { 1.0 } else { -1.0 });
        let corner = |a: f64, b: f64| {
            let mut corner = half;
            corner[u] *= side;
            corner[v] *= a * side;
            corner[w] *= b;
            corner
        };
        let (first, last) = (corner(-1.0, -1.0), corner(1.0, 1.0));
        let vertices = if index % 2 == 0 { [first, corner(1.0, -1.0), last] } else { [first, last, corner(-1.0, 1.0)] };
        Triangle { vertices }
    })
}
