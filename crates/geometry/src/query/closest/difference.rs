//! The Minkowski difference of two convex cores, the one set all algorithms here work on.
//!
//! `D = A − B = { a − b }` with `B` placed in the frame of `A`. The cores share a point exactly if D holds the origin;
//! their distance is that of the origin from D, and their penetration depth that of the origin, inside D, from the
//! boundary of D. All that is known of D is its support mapping: `max_D n·x = max_A n·a + max_B (−n)·b`.

use crate::Transform;
use crate::shape::Convex;
use glam::{DMat3, DVec3};

/// A point of the difference and the two points it is the difference of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    /// On the first core.
    pub(crate) a: DVec3,
    /// On the second core, in the frame of the first.
    pub(crate) b: DVec3,
    /// `a − b`.
    pub(crate) point: DVec3,
}

impl Vertex {
    /// An upper estimate of the numbers that entered the point; its rounding error is a few ulps of this.
    pub(super) fn magnitude(&self) -> f64 {
        self.a.abs().max_element() + self.b.abs().max_element()
    }

    /// Whether it can be computed with: no NaN, and squares are finite too.
    pub(super) fn is_usable(&self) -> bool {
        (self.a.abs() + self.b.abs()).element_sum() < 1e150
    }
}

/// The set `A − B` of the cores of two shapes.
pub(crate) struct Difference<'a, A: ?Sized, B: ?Sized> {
    a: &'a A,
    b: &'a B,
    rotation: DMat3,
    inverse: DMat3,
    translation: DVec3,
}

impl<'a, A: Convex + ?Sized, B: Convex + ?Sized> Difference<'a, A, B> {
    pub(crate) fn new(a: &'a A, b: &'a B, b_in_a: &Transform) -> Self {
        let rotation = b_in_a.matrix3();
        Self { a, b, rotation, inverse: rotation.transpose(), translation: b_in_a.translation }
    }

    /// The difference after the second shape has moved by `shift`.
    pub(super) fn moved(&self, shift: DVec3) -> Self {
        Self { translation: self.translation + shift, ..*self }
    }

    /// The sum of the two radii by which the cores are swollen.
    pub(super) fn radii(&self) -> (f64, f64) {
        (self.a.radius(), self.b.radius())
    }

    /// From a point inside the first core to one inside the second: a first guess of the normal, not normalised.
    pub(super) fn centers(&self) -> DVec3 {
        self.rotation * self.b.center() + self.translation - self.a.center()
    }

    /// The point of the difference farthest along `normal`: where the cores overlap deepest if pushed apart that way.
    pub(super) fn support(&self, normal: DVec3) -> Vertex {
        let a = self.a.support(normal);
        let b = self.rotation * self.b.support(self.inverse * -normal) + self.translation;
        Vertex { a, b, point: a - b }
    }

    /// How deep the cores overlap along the unit vector `normal` (negative: the gap a slab of that normal would show).
    pub(super) fn overlap(&self, normal: DVec3) -> f64 {
        self.support(normal).point.dot(normal)
    }
}
