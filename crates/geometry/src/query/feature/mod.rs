//! The features that make a contact point, by name: a corner on a face, an edge across an edge, a rim on a plane.
//!
//! A [`FeatureId`](super::FeatureId) only says whether two points are the same contact. Beside it every
//! [`ContactPoint`](super::ContactPoint) carries a [`Feature`] of each shape, from which the geometry of the contact is recovered
//! ([`Feature::geometry`]): with it the gap between the shapes is a function of their poses that holds as long as the
//! same features are opposite each other, and that can be differentiated.
//!
//! The two differ where a manifold prefers steady names to exact ones: a point within 1 % of a corner bears the corner's id,
//! while its features still say what it is made of; and a corner that slides over a mesh keeps its id, while its
//! features tell which triangle it is over.

mod geometry;

pub use geometry::FeatureGeometry;
pub(crate) use geometry::RIM;

use crate::primitive::TriangleFeature;

/// An end of the y axis along which capsules, cylinders and cones lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Pole {
    /// The end at `+half_height`.
    Top,
    /// The end at `−half_height`.
    Bottom,
}

/// A part of a shape's surface. Numbers are those of the shape; for a compound those of the member that touches, whose number is
/// the manifold's `part_a` or `part_b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// A point of the surface of which nothing else is known: of a flat part of a user-defined shape, or where surfaces
    /// overlap so deep that no features are opposite each other.
    #[default]
    Spot,
    /// A corner of a box or hull. Bit 0, 1, 2 of a box's corner tells whether its x, y, z is positive; a hull's corners are
    /// those of [`Hull::vertices`](crate::shape::Hull::vertices).
    Vertex(u32),
    /// The line between two corners of a box or hull, the lower number first. On faces with very many corners, which are
    /// thinned out, it may cut off a few.
    Edge([u32; 2]),
    /// A face of a box (+x, −x, +y, −y, +z, −z) or of a hull.
    Face(u32),
    /// A part of a triangle of a mesh or height field.
    Triangle {
        /// The number of the triangle.
        triangle: u32,
        /// Which part of it.
        part: TriangleFeature,
    },
    /// The plane of a half-space.
    Plane,
    /// The surface of a sphere.
    Ball,
    /// The rounded end of a capsule.
    End(Pole),
    /// The round side of a capsule.
    Segment,
    /// The round side of a cylinder or cone.
    Side,
    /// The flat end of a cylinder, or the base of a cone (at the bottom).
    Cap(Pole),
    /// The edge of a cap: its point that reaches farthest towards the other shape, wherever on the rim that is.
    Rim(Pole),
    /// One of eight points fixed on a rim, at angles of k · 45°: from +x towards +z at the bottom, towards −z at the top.
    RimPoint(Pole, u8),
    /// The tip of a cone.
    Apex,
    /// The surface of a user-defined shape where it is round.
    Round,
}

impl Feature {
    /// A feature of a triangle, numbered as if that were a shape of its own, as a part of the surface it belongs to.
    pub(crate) fn of_triangle(self, triangle: u32) -> Self {
        let part = match self {
            Self::Vertex(corner) => TriangleFeature::Vertex(corner as u8),
            Self::Edge([0, 1]) => TriangleFeature::Edge(0),
            Self::Edge([1, 2]) => TriangleFeature::Edge(1),
            Self::Edge(_) => TriangleFeature::Edge(2),
            Self::Face(_) => TriangleFeature::Face,
            other => return other,
        };
        Self::Triangle { triangle, part }
    }

    /// Whether it is a single point that stays the same while the shapes move a little (a corner, the tip of a cone), or nearly so (where a
    /// round surface reaches farthest); not a point of an edge or of something flat.
    pub fn is_tip(self) -> bool {
        match self {
            Self::Spot | Self::Edge(_) | Self::Face(_) | Self::Plane | Self::Cap(_) => false,
            Self::Triangle { part, .. } => matches!(part, TriangleFeature::Vertex(_)),
            Self::Vertex(_) | Self::RimPoint(..) | Self::Apex => true,
            Self::Ball | Self::End(_) | Self::Segment | Self::Side | Self::Rim(_) | Self::Round => true,
        }
    }

    /// Whether it is flat: what touches it may slide along it, and its normal turns with it.
    pub fn is_flat(self) -> bool {
        matches!(self, Self::Face(_) | Self::Plane | Self::Cap(_) | Self::Triangle { part: TriangleFeature::Face, .. })
    }

    /// The line between two corners.
    pub(crate) fn edge(v: u32, w: u32) -> Self {
        Self::Edge([v.min(w), v.max(w)])
    }
}
