//! Shape casts: a shape moves in a straight line, without turning, until it meets another. A ray cast with a thick ray.

use super::{Impact, ImpactOptions, ImpactStatus, Motion, time_of_impact};
use crate::{Shape, Transform};
use glam::DVec3;

/// Where a shape that was moved in a straight line first meets another. All in the frame of the other, the first shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeHit {
    /// How much of the translation is possible, 0 to 1; never more than to the first contact.
    pub fraction: f64,
    /// How far that is in metres.
    pub distance: f64,
    /// The unit normal of the surface that was hit, on the side the moved shape comes from: out of the first shape into the
    /// moved one.
    pub normal: DVec3,
    /// The point of the first shape that is hit.
    pub point_a: DVec3,
    /// The point of the moved shape that hits it, after the move; within the tolerance of the other.
    pub point_b: DVec3,
    /// The part that was hit: the triangle of a mesh or height field, the member of a compound; zero otherwise.
    pub part_a: u32,
    /// The part of the moved shape that hit it.
    pub part_b: u32,
    /// Whether the shapes overlap or touch to begin with; what else is known.
    pub status: ImpactStatus,
}

/// Moves `b` from its pose by `translation` (in metres, both in the frame of `a`) until it meets `a`; `None` if it does not.
///
/// The rules are those of [`time_of_impact`], with the fraction of the translation in place of time:
/// `options.max_time` is the greatest fraction looked for, by default 1. Shapes that touch and come apart, or slide
/// along each other, do not stop the move; shapes that overlap do at once, as a ray does that starts inside.
///
/// ```
/// use tumble_geometry::{Shape, Transform, glam::DVec3, query::{ImpactOptions, cast_shape}};
///
/// let wall = Shape::cuboid([1.0, 5.0, 5.0])?;
/// let ball = Shape::sphere(0.5)?;
/// let pose = Transform::from_translation(DVec3::new(4.0, 2.0, 0.0));
/// let hit = cast_shape(&wall, &ball, &pose, DVec3::X * -10.0, &ImpactOptions::default()).expect("the wall is in the way");
/// assert!((hit.distance - 2.5).abs() < 1e-9);
/// assert!((hit.normal - DVec3::X).length() < 1e-9);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn cast_shape(
    a: &Shape,
    b: &Shape,
    b_in_a: &Transform,
    translation: DVec3,
    options: &ImpactOptions,
) -> Option<ShapeHit> {
    let still = Motion::still(Transform::IDENTITY);
    let moving = Motion::translating(*b_in_a, translation);
    let Impact { time, normal, point_a, point_b, part_a, part_b, status, .. } =
        time_of_impact(a, &still, b, &moving, options)?;
    let distance = time * translation.length();
    Some(ShapeHit { fraction: time, distance, normal, point_a, point_b, part_a, part_b, status })
}

impl Shape {
    /// Moves another shape from its pose by `translation` (in metres, both in the frame of this shape) until it meets this
    /// one: [`cast_shape`] to the last digits.
    pub fn cast_shape(&self, other: &Shape, other_in_self: &Transform, translation: DVec3) -> Option<ShapeHit> {
        cast_shape(self, other, other_in_self, translation, &ImpactOptions::default())
    }
}
