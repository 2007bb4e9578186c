//! The answers of the queries.

use super::Feature;
use crate::Transform;
use glam::DVec3;

/// Two shapes and the shortest connection between them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoints {
    /// The distance in metres; zero if the shapes touch or overlap.
    pub distance: f64,
    /// The closest point of the first shape. Where the shapes overlap, a point they share.
    pub point_a: DVec3,
    /// The closest point of the second shape, in the frame of the first.
    pub point_b: DVec3,
}

/// How deep two shapes overlap: moving the second by `depth · normal` makes them just touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// The length of the shortest translation that separates the shapes, in metres, not negative.
    pub depth: f64,
    /// The direction of that translation for the second shape: a unit vector out of the first.
    pub normal: DVec3,
    /// The point of the first shape that lies deepest in the second.
    pub point_a: DVec3,
    /// The point of the second shape that lies deepest in the first: `point_a − depth · normal`.
    pub point_b: DVec3,
}

/// Which features of the two shapes make a contact point. Equal ids in two manifolds of the same parts of the same
/// pair mean the same contact, a moment later; what was known about it (its impulse) carries over. What the features are is told
/// by [`ContactPoint::features`].
///
/// Manifolds with meshes and height fields are merged from several triangles, and as a shape slides its manifold passes from
/// some to others. There, equal ids in manifolds of the pair whose normals agree mean the same contact, whatever the part
/// numbers: a corner of the moving shape keeps its id from triangle to triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeatureId(pub u64);

/// One point of a contact manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// Half-way between the two surfaces, in the frame of the first shape. The surface of the first lies at
    /// `position + ½ depth · normal`, that of the second at `position − ½ depth · normal`.
    pub position: DVec3,
    /// How deep the surfaces overlap along the normal, in metres; negative for a gap.
    pub depth: f64,
    /// Whether it is the same contact as another one.
    pub feature: FeatureId,
    /// What of the first shape touches what of the second.
    pub features: [Feature; 2],
}

/// Where two shapes, or two parts of them, touch: up to four points with a common normal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "Listed", into = "Listed"))]
pub struct Manifold {
    /// The unit contact normal, out of the first shape into the second.
    pub normal: DVec3,
    /// The part of the first shape that touches: the smooth patch of a mesh or height field, by its lowest triangle (see
    /// [`Mesh::patch`](crate::shape::Mesh::patch); of several, the lowest), the member of a compound; zero for a convex
    /// shape. Parts and feature of a point together are unique in a pair, and stay the same while the same features touch.
    pub part_a: u32,
    /// The part of the second shape that touches.
    pub part_b: u32,
    points: [ContactPoint; Manifold::MAX_POINTS],
    count: u8,
}

impl Manifold {
    /// How many points a manifold has at most.
    pub const MAX_POINTS: usize = 4;

    /// A manifold without points yet.
    pub fn new(normal: DVec3) -> Self {
        Self { normal, part_a: 0, part_b: 0, points: [ContactPoint::default(); Self::MAX_POINTS], count: 0 }
    }

    /// The contact points.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..usize::from(self.count)]
    }

    /// The contact points, to be changed.
    pub fn points_mut(&mut self) -> &mut [ContactPoint] {
        &mut self.points[..usize::from(self.count)]
    }

    /// Adds a point; `false` (and nothing added) if there are four already.
    pub fn push(&mut self, point: ContactPoint) -> bool {
        let free = usize::from(self.count) < Self::MAX_POINTS;
        if free {
            self.points[usize::from(self.count)] = point;
            self.count += 1;
        }
        free
    }

    /// Leaves the points that are wanted.
    pub(crate) fn retain(&mut self, is_wanted: impl Fn(&ContactPoint) -> bool) {
        let mut kept = 0;
        for i in 0..usize::from(self.count) {
            if is_wanted(&self.points[i]) {
                self.points[kept] = self.points[i];
                kept += 1;
            }
        }
        self.points[kept..].fill(ContactPoint::default());
        self.count = kept as u8;
    }

    /// The same manifold with first and second shape exchanged: seen from the frame of the second, whose pose in the
    /// frame of the first is `b_in_a`.
    pub fn flipped(&self, b_in_a: &Transform) -> Self {
        let mut flipped = *self;
        flipped.normal = b_in_a.inverse_vector(-self.normal);
        (flipped.part_a, flipped.part_b) = (self.part_b, self.part_a);
        for point in flipped.points_mut() {
            point.position = b_in_a.inverse_point(point.position);
            point.features.reverse();
        }
        flipped
    }

    /// The greatest depth of its points; minus infinity if there are none.
    pub fn max_depth(&self) -> f64 {
        self.points().iter().fold(f64::NEG_INFINITY, |deepest, p| deepest.max(p.depth))
    }
}

/// A manifold as it is saved: with the points it has, and no room for more.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Listed {
    normal: DVec3,
    part_a: u32,
    part_b: u32,
    points: Vec<ContactPoint>,
}

#[cfg(feature = "serde")]
impl From<Manifold> for Listed {
    fn from(manifold: Manifold) -> Self {
        let Manifold { normal, part_a, part_b, .. } = manifold;
        Self { normal, part_a, part_b, points: manifold.points().to_vec() }
    }
}

#[cfg(feature = "serde")]
impl From<Listed> for Manifold {
    fn from(Listed { normal, part_a, part_b, points }: Listed) -> Self {
        let mut manifold = Self { part_a, part_b, ..Self::new(normal) };
        for point in points {
            manifold.push(point);
        }
        manifold
    }
}

/// Where a ray meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The distance along the ray in metres; zero if the ray starts inside a solid shape.
    pub distance: f64,
    /// The unit normal of the surface there, on the side the ray comes from; the reverse of the ray's direction if the
    /// ray starts inside.
    pub normal: DVec3,
    /// The part that was hit: the triangle of a mesh or height field, the member of a compound; zero otherwise.
    pub part: u32,
}

impl RayHit {
    /// This local hit in the outer coordinates of `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        Self { normal: pose.vector(self.normal), ..*self }
    }
}

/// The point of a shape's surface closest to some other point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointProjection {
    /// The closest point of the surface.
    pub point: DVec3,
    /// The distance from it in metres; negative if the other point lies inside a solid.
    pub distance: f64,
    /// The unit vector along which the distance grows: out of the solid, or on the side of an open surface where the
    /// other point lies. The other point is `point + distance · normal`.
    pub normal: DVec3,
    /// The part the point lies on: the triangle of a mesh or height field, the member of a compound; zero otherwise.
    pub part: u32,
}

impl PointProjection {
    /// This local projection in the outer coordinates of `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        Self { point: pose.point(self.point), normal: pose.vector(self.normal), ..*self }
    }
}
