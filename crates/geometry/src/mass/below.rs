//! How much of a shape lies below a plane, and where: what a fluid displaces.
//!
//! | shape | how | error |
//! |---|---|---|
//! | sphere | the cap: π k² (3r − k)/3 with k its height | rounding |
//! | box, hull, closed mesh | the divergence theorem over the clipped triangles | rounding |
//! | cylinder, cone | circular segments, summed along the axis by Gauss' rule | rounding |
//! | capsule | a cylinder and two half balls in closed form | rounding |
//! | ellipsoid | a sphere, stretched | rounding |
//! | torus | circular segments of its tube in 512 planes through the axis | 1e-6 |
//! | compound | sum over the parts, overlaps twice | that of its parts |
//! | half-space, open mesh, height field, custom | none: they enclose nothing, or nothing that is known exactly | |
//!
//! Numbers are shares of the volume, rounding means a few 1e-15 of the volume of the whole shape, and as much of its size for `volume × center`.

use super::{below_polyhedron, below_round, below_torus};
use crate::{Plane, Shape, Transform};
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
            Self::Cuboid(_) | Self::Hull(_) => Some(below_polyhedron::below(self, plane)),
            Self::Capsule(capsule) => Some(below_round::capsule(capsule, plane)),
            Self::Cylinder(cylinder) => Some(below_round::cylinder(cylinder, plane)),
            Self::Cone(cone) => Some(below_round::cone(cone, plane)),
            Self::Ellipsoid(ellipsoid) => Some(below_round::ellipsoid(ellipsoid, plane)),
            Self::Torus(torus) => Some(below_torus::torus(torus, plane)),
            Self::Mesh(mesh) if mesh.is_closed() && mesh.is_oriented() => Some(below_polyhedron::below(self, plane)),
            Self::Compound(compound) => compound.members().iter().try_fold(Submerged::NOTHING, |sum, (pose, part)| {
                let wet = part.below(&plane.transformed(&pose.inverse()))?;
                Some(sum.combined(&wet.transformed(pose)))
            }),
            Self::Custom(_) | Self::HalfSpace(_) | Self::Mesh(_) | Self::HeightField(_) => None,
        }
    }
}
