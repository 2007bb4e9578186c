//! A line segment, and the closest points of two segments.

use crate::{Aabb, Transform};
use glam::DVec3;

/// The straight line between two points, which may coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Segment {
    /// The start.
    pub a: DVec3,
    /// The end.
    pub b: DVec3,
}

/// The shortest connection of two segments.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SegmentPair {
    /// Where on the first segment, 0 at its start to 1 at its end.
    pub parameter_a: f64,
    /// Where on the second segment.
    pub parameter_b: f64,
    /// The closest point of the first segment.
    pub point_a: DVec3,
    /// The closest point of the second segment.
    pub point_b: DVec3,
}

impl SegmentPair {
    /// The squared length of the connection in m².
    pub fn distance_squared(&self) -> f64 {
        self.point_a.distance_squared(self.point_b)
    }

    /// The length of the connection in metres.
    pub fn distance(&self) -> f64 {
        self.point_a.distance(self.point_b)
    }
}

impl Segment {
    /// The segment from `a` to `b`.
    pub const fn new(a: DVec3, b: DVec3) -> Self {
        Self { a, b }
    }

    /// The vector from start to end.
    pub fn offset(&self) -> DVec3 {
        self.b - self.a
    }

    /// The squared length in m².
    pub fn length_squared(&self) -> f64 {
        self.offset().length_squared()
    }

    /// The length in metres.
    pub fn length(&self) -> f64 {
        self.offset().length()
    }

    /// The unit vector from start to end; `None` if they coincide.
    pub fn direction(&self) -> Option<DVec3> {
        self.offset().try_normalize()
    }

    /// The point half-way.
    pub fn midpoint(&self) -> DVec3 {
        0.5 * (self.a + self.b)
    }

    /// The point at `parameter`: the start at 0, the end at 1.
    pub fn at(&self, parameter: f64) -> DVec3 {
        self.a + self.offset() * parameter
    }

    /// The same segment run backwards.
    pub fn reversed(&self) -> Self {
        Self::new(self.b, self.a)
    }

    /// The segment in the outer coordinates of `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        Self::new(pose.point(self.a), pose.point(self.b))
    }

    /// The smallest axis-aligned box around the segment.
    pub fn aabb(&self) -> Aabb {
        Aabb::new(self.a.min(self.b), self.a.max(self.b))
    }

    /// The parameter in [0, 1] of the point closest to `point`; 0 for a segment without length.
    pub fn closest_parameter(&self, point: DVec3) -> f64 {
        let offset = self.offset();
        let length_squared = offset.length_squared();
        if length_squared > 0.0 { ((point - self.a).dot(offset) / length_squared).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The point of the segment closest to `point`.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.at(self.closest_parameter(point))
    }

    /// The distance of `point` from the segment in metres.
    pub fn distance(&self, point: DVec3) -> f64 {
        self.closest_point(point).distance(point)
    }

    /// The shortest connection of two segments, exact to rounding for parallel and degenerate ones too. Where it is
    /// not unique (parallel segments), any of the shortest.
    ///
    /// With `u`, `v` the offsets, `r` the vector between the starts and `n = u × v`, the lines are closest at
    /// `s = (r × v)·n / n²`. The squared distance is a convex function on the square of parameters: its least value
    /// lies at that point if it is inside, and otherwise on the border, where one parameter is an end point.
    pub fn closest_to_segment(&self, other: &Segment) -> SegmentPair {
        let (u, v, r) = (self.offset(), other.offset(), other.a - self.a);
        let n = u.cross(v);
        let n_squared = n.length_squared();
        let mut best = None;
        if n_squared > 0.0 {
            let s = r.cross(v).dot(n) / n_squared;
            let t = (self.at(s) - other.a).dot(v) / v.length_squared();
            if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                // t belongs to s as rounded, so that an error in s changes the distance by no more than its sine.
                let inside = self.pair(other, s, t);
                // Within 1e-8 of parallel, s may be off so far that a border point is closer.
                if n_squared > 1e-16 * u.length_squared() * v.length_squared() {
                    return inside;
                }
                best = Some(inside);
            }
        }
        let ends = [
            self.pair(other, 0.0, other.closest_parameter(self.a)),
            self.pair(other, 1.0, other.closest_parameter(self.b)),
            self.pair(other, self.closest_parameter(other.a), 0.0),
            self.pair(other, self.closest_parameter(other.b), 1.0),
        ];
        let first = best.unwrap_or(ends[0]);
        ends.into_iter()
            .fold(first, |best, end| if end.distance_squared() < best.distance_squared() { end } else { best })
    }

    /// The distance of two segments in metres.
    pub fn distance_to_segment(&self, other: &Segment) -> f64 {
        self.closest_to_segment(other).distance()
    }

    fn pair(&self, other: &Segment, s: f64, t: f64) -> SegmentPair {
        // The end point itself rather than a + 1·(b − a), which may be rounded.
        let at = |segment: &Segment, parameter: f64| if parameter == 1.0 { segment.b } else { segment.at(parameter) };
        SegmentPair { parameter_a: s, parameter_b: t, point_a: at(self, s), point_b: at(other, t) }
    }
}
