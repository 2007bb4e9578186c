//! Lines that end: edges, and the sides of capsules and cylinders.
//!
//! The gap between two lines, and that between a ball and a line, know nothing of where the lines end. What slides along an edge comes to its
//! corner at a moment of its own, and the round side of a capsule that tips across an edge is followed by its round end. So the place
//! of contact is within a slab between two planes for a line, and beyond a plane for the end of a capsule:
//!
//! ```text
//! inward · (place − point) ≥ 0
//! ```

use crate::constraint::BodyView;
use crate::constraint::feature::{ContactFeature, ContactSide, Gap};
use glam::DVec3;
use tumble_geometry::primitive::TriangleFeature;
use tumble_geometry::query::{Feature, FeatureGeometry, Pole};

/// A plane that the place of contact does not pass while the same features touch, in the frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    /// Which of the two bodies it is of.
    side: usize,
    point: DVec3,
    /// The unit vector to where the place may be.
    inward: DVec3,
}

impl Bound {
    /// The bounds of a contact; `parts` are the members of compounds that touch. None where something flat touches: what lies there
    /// may lie with its whole length.
    pub(super) fn of(feature: &ContactFeature, sides: &[ContactSide<'_>; 2], parts: [u32; 2]) -> Vec<Self> {
        if !matches!(feature.gap, Gap::Curves { .. } | Gap::PointLine { .. } | Gap::PointPoint { .. }) {
            return Vec::new();
        }
        (0..2).flat_map(|side| of_feature(feature.features[side], side, &sides[side], parts[side])).collect()
    }

    /// How far inside a place in the world is, in metres.
    pub(super) fn within(&self, place: DVec3, views: &[BodyView; 2]) -> f64 {
        (views[self.side].pose.inverse_point(place) - self.point).dot(self.inward)
    }
}

fn of_feature(feature: Feature, side: usize, of: &ContactSide<'_>, part: u32) -> Vec<Bound> {
    // The features at the two ends of a line, or the end itself and the other one of its capsule.
    let (ends, is_line) = match feature {
        Feature::Edge([a, b]) => ([Feature::Vertex(a), Feature::Vertex(b)], true),
        Feature::Triangle { triangle, part: TriangleFeature::Edge(edge) } => {
            let corner = |k: u8| Feature::Triangle { triangle, part: TriangleFeature::Vertex(k % 3) };
            ([corner(edge), corner(edge + 1)], true)
        }
        Feature::Segment => ([Feature::End(Pole::Top), Feature::End(Pole::Bottom)], true),
        Feature::Side => ([Feature::Rim(Pole::Top), Feature::Rim(Pole::Bottom)], true),
        Feature::End(Pole::Top) => ([Feature::End(Pole::Top), Feature::End(Pole::Bottom)], false),
        Feature::End(Pole::Bottom) => ([Feature::End(Pole::Bottom), Feature::End(Pole::Top)], false),
        _ => return Vec::new(),
    };
    let point = |end: Feature| match end.geometry(of.shape, part, DVec3::Y)? {
        FeatureGeometry::Point { point, .. } | FeatureGeometry::Circle { center: point, .. } => {
            Some(of.frame.point(point))
        }
        _ => None,
    };
    let [Some(a), Some(b)] = ends.map(point) else { return Vec::new() };
    let Some(along) = (b - a).try_normalize() else { return Vec::new() };
    if is_line {
        vec![Bound { side, point: a, inward: along }, Bound { side, point: b, inward: -along }]
    } else {
        vec![Bound { side, point: a, inward: -along }]
    }
}
