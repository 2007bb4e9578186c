//! Distance, closest points, overlap and penetration of convex pairs.
//!
//! One number describes how two convex shapes lie: their **signed distance**, positive for a gap, negative for the depth
//! of an overlap. [`separation`] finds it, with the normal and the two points, for anything [`Convex`]:
//!
//! 1. [`gjk`] finds the distance of the cores. If they are apart, the radii of round shapes are subtracted from it and the
//!    answer is exact, also for round shapes that overlap less than their radii.
//! 2. If the cores overlap, [`epa`] finds the direction of the shortest way out, and
//! 3. [`depth`] measures the depth along it from outside.
//!
//! Distances of curved cores get their last digits in [`polish`]. Spheres and pairs of capsules ([`round`]) and half-spaces
//! ([`half_space`]) need none of this: they have closed formulas.

mod depth;
mod difference;
mod epa;
mod gjk;
mod half_space;
mod polish;
mod polytope;
mod round;
mod simplex;

use super::{ClosestPoints, Penetration};
use crate::shape::Convex;
use crate::{Shape, Transform};
use difference::Difference;
use gjk::Gap;
use glam::DVec3;

/// How two convex shapes lie, in the frame of the first.
#[derive(Clone, Copy, Debug)]
pub struct Separation {
    /// The distance, or minus the depth of the overlap.
    pub distance: f64,
    /// The unit normal from the first to the second: moving the second by `−distance · normal` makes them just touch.
    pub normal: DVec3,
    /// The point of the first closest to, or deepest in, the second.
    pub point_a: DVec3,
    /// The point of the second: `point_a + distance · normal`.
    pub point_b: DVec3,
}

impl Separation {
    /// The same with first and second shape exchanged, in the frame of the second.
    pub fn flipped(&self, b_in_a: &Transform) -> Self {
        Self {
            distance: self.distance,
            normal: b_in_a.inverse_vector(-self.normal),
            point_a: b_in_a.inverse_point(self.point_b),
            point_b: b_in_a.inverse_point(self.point_a),
        }
    }

    fn of_cores(distance: f64, normal: DVec3, (point_a, point_b): (DVec3, DVec3)) -> Self {
        Self { distance, normal, point_a, point_b }
    }

    /// This separation of two cores for the shapes swollen by their radii.
    fn swollen<A: Convex + ?Sized, B: Convex + ?Sized>(&self, difference: &Difference<A, B>) -> Self {
        let (radius_a, radius_b) = difference.radii();
        Self {
            distance: self.distance - radius_a - radius_b,
            normal: self.normal,
            point_a: self.point_a + self.normal * radius_a,
            point_b: self.point_b - self.normal * radius_b,
        }
    }

    /// Without the depth: the closest points, or one both shapes hold.
    fn closest_points(&self) -> ClosestPoints {
        if self.distance > 0.0 {
            return ClosestPoints { distance: self.distance, point_a: self.point_a, point_b: self.point_b };
        }
        let shared = 0.5 * (self.point_a + self.point_b);
        ClosestPoints { distance: 0.0, point_a: shared, point_b: shared }
    }
}

/// Whether a pose can be computed with: finite, and not so far away that squares overflow.
pub(super) fn is_usable(pose: &Transform) -> bool {
    pose.is_valid() && pose.translation.abs().max_element() < 1e60
}

/// The signed distance of two convex shapes, with normal and points. `None` if the pose or a support point is not
/// finite.
pub fn separation<A, B>(a: &A, b: &B, b_in_a: &Transform) -> Option<Separation>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    separation_within(a, b, b_in_a, f64::INFINITY)
}

/// The signed distance if it is at most `limit` (in metres); `None`, and found sooner, if it is more.
pub fn separation_within<A, B>(a: &A, b: &B, b_in_a: &Transform, limit: f64) -> Option<Separation>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    if !is_usable(b_in_a) {
        return None;
    }
    let difference = Difference::new(a, b, b_in_a);
    let (radius_a, radius_b) = difference.radii();
    let cores = match gjk::gap(&difference, difference.centers(), limit + radius_a + radius_b) {
        Gap::Apart { distance, normal, simplex, certain: true } => {
            Separation::of_cores(distance, normal, simplex.witnesses())
        }
        Gap::Apart { normal, certain: false, .. } => depth::measure(&difference, normal)?.into(),
        Gap::Overlap { simplex } => {
            let direction = epa::shortest_way_out(&difference, &simplex);
            let deepest: Separation = depth::measure(&difference, direction)?.into();
            // The cores share a point: a gap is rounding.
            Separation { distance: deepest.distance.min(0.0), ..deepest }
        }
        Gap::Beyond | Gap::Undefined => return None,
    };
    Some(cores.swollen(&difference)).filter(|s| s.distance <= limit)
}

/// The distance of shapes and a direction in which they are apart, as good as a search that comes closer step by step needs
/// it: the gap along the normal is the distance up to a thousandth of it and up to `accuracy` (in metres). `start` is a
/// guess of the normal. Overlaps are measured in full.
pub(crate) fn rough_separation<A, B>(
    a: &A,
    b: &B,
    b_in_a: &Transform,
    start: Option<DVec3>,
    accuracy: f64,
) -> Option<Separation>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    if !is_usable(b_in_a) {
        return None;
    }
    let difference = Difference::new(a, b, b_in_a);
    let (radius_a, radius_b) = difference.radii();
    let radii = radius_a + radius_b;
    let start = start.unwrap_or_else(|| difference.centers());
    let enough = |distance: f64, bound: f64| distance - bound <= accuracy + 1e-3 * (bound - radii).max(0.0);
    match gjk::gap_until(&difference, start, f64::INFINITY, enough) {
        Gap::Apart { distance, normal, simplex, .. } => {
            Some(Separation::of_cores(distance, normal, simplex.witnesses()).swollen(&difference))
        }
        Gap::Overlap { .. } => separation(a, b, b_in_a),
        Gap::Beyond | Gap::Undefined => None,
    }
}

/// The signed distance of shapes that almost touch, measured along the best direction near `normal`.
///
/// Where the gap is no wider than a few rounding errors its direction cannot be told from the closest points; from farther
/// away it can.
pub(crate) fn separation_near<A, B>(a: &A, b: &B, b_in_a: &Transform, normal: DVec3) -> Option<Separation>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let difference = Difference::new(a, b, b_in_a);
    let cores: Separation = depth::measure(&difference, normal)?.into();
    Some(cores.swollen(&difference))
}

/// The distance and closest points of two convex shapes; faster than their separation if they overlap.
fn closest_points<A, B>(a: &A, b: &B, b_in_a: &Transform) -> Option<ClosestPoints>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let difference = Difference::new(a, b, b_in_a);
    match gjk::gap(&difference, difference.centers(), f64::INFINITY) {
        Gap::Apart { distance, normal, simplex, certain: true } => {
            Some(Separation::of_cores(distance, normal, simplex.witnesses()).swollen(&difference).closest_points())
        }
        Gap::Overlap { simplex } => {
            let (shared, _) = simplex.witnesses();
            Some(ClosestPoints { distance: 0.0, point_a: shared, point_b: shared })
        }
        Gap::Apart { .. } => Some(separation(a, b, b_in_a)?.closest_points()),
        Gap::Beyond | Gap::Undefined => None,
    }
}

/// Whether two convex shapes share a point.
pub(crate) fn overlap<A, B>(a: &A, b: &B, b_in_a: &Transform) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    if !is_usable(b_in_a) {
        return false;
    }
    let difference = Difference::new(a, b, b_in_a);
    let (radius_a, radius_b) = difference.radii();
    match gjk::gap(&difference, difference.centers(), radius_a + radius_b) {
        Gap::Apart { distance, certain: true, .. } => distance <= radius_a + radius_b,
        Gap::Overlap { .. } => true,
        Gap::Apart { .. } => separation_within(a, b, b_in_a, 0.0).is_some(),
        Gap::Beyond | Gap::Undefined => false,
    }
}

/// The convex set a shape is, if it is one with a support mapping.
pub(crate) fn as_convex(shape: &Shape) -> Option<&dyn Convex> {
    match shape {
        Shape::Sphere(sphere) => Some(sphere),
        Shape::Cuboid(cuboid) => Some(cuboid),
        Shape::Capsule(capsule) => Some(capsule),
        Shape::Cylinder(cylinder) => Some(cylinder),
        Shape::Cone(cone) => Some(cone),
        Shape::Ellipsoid(ellipsoid) => Some(ellipsoid),
        Shape::Hull(hull) => Some(hull.as_ref()),
        Shape::Custom(custom) => Some(custom),
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Torus(_) | Shape::Compound(_) => None,
    }
}

/// The signed distance of pairs with a closed formula, unless a support mapping answers nonsense.
fn closed_form(a: &Shape, b: &Shape, b_in_a: &Transform) -> Option<Separation> {
    let found = ordered_closed_form(a, b, b_in_a).or_else(|| {
        let a_in_b = b_in_a.inverse();
        ordered_closed_form(b, a, &a_in_b).map(|flipped| flipped.flipped(&a_in_b))
    });
    found.filter(|s| (s.point_a.abs() + s.point_b.abs()).element_sum() < f64::MAX && !s.distance.is_nan())
}

/// Closed formulas, each for one order of the pair.
fn ordered_closed_form(a: &Shape, b: &Shape, b_in_a: &Transform) -> Option<Separation> {
    match (a, b) {
        (Shape::HalfSpace(a), Shape::HalfSpace(b)) => Some(half_space::against_half_space(a, b, b_in_a)),
        (Shape::HalfSpace(a), b) => Some(half_space::against_convex(a, as_convex(b)?, b_in_a)),
        (a, Shape::Sphere(b)) => round::with_sphere(a, b, b_in_a),
        (Shape::Capsule(a), Shape::Capsule(b)) => Some(round::capsules(a, b, b_in_a)),
        _ => None,
    }
}

pub(super) fn convex_intersects(a: &Shape, b: &Shape, b_in_a: &Transform) -> bool {
    if !is_usable(b_in_a) {
        return false;
    }
    match (closed_form(a, b, b_in_a), as_convex(a), as_convex(b)) {
        (Some(s), ..) => s.distance <= 0.0,
        (None, Some(a), Some(b)) => overlap(a, b, b_in_a),
        _ => false,
    }
}

pub(super) fn convex_distance(a: &Shape, b: &Shape, b_in_a: &Transform) -> ClosestPoints {
    let nowhere = ClosestPoints { distance: f64::INFINITY, point_a: DVec3::ZERO, point_b: DVec3::ZERO };
    if !is_usable(b_in_a) {
        return nowhere;
    }
    match (closed_form(a, b, b_in_a), as_convex(a), as_convex(b)) {
        (Some(s), ..) => s.closest_points(),
        (None, Some(a), Some(b)) => closest_points(a, b, b_in_a).unwrap_or(nowhere),
        _ => nowhere,
    }
}

pub(super) fn convex_penetration(a: &Shape, b: &Shape, b_in_a: &Transform) -> Option<Penetration> {
    if !is_usable(b_in_a) {
        return None;
    }
    let found = match closed_form(a, b, b_in_a) {
        Some(s) => s,
        None => separation_within(as_convex(a)?, as_convex(b)?, b_in_a, 0.0)?,
    };
    // Two half-spaces overlap without a shortest way out: their depth is infinite.
    (found.distance <= 0.0 && found.distance.is_finite()).then_some(Penetration {
        depth: -found.distance,
        normal: found.normal,
        point_a: found.point_a,
        point_b: found.point_b,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_about;
    use crate::shape::{Cuboid, Cylinder, Sphere};

    fn at(x: f64, y: f64, z: f64) -> Transform {
        Transform::from_translation(DVec3::new(x, y, z))
    }

    #[test]
    fn boxes_face_to_face() {
        let a = Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let b = Cuboid::new(DVec3::splat(0.5)).unwrap();
        for (x, expected) in [(2.0, 0.5), (1.5, 0.0), (1.25, -0.25), (0.0, -1.5)] {
            let s = separation(&a, &b, &at(x, 0.3, 0.2)).unwrap();
            assert!((s.distance - expected).abs() < 1e-14, "{x}: {s:?}");
            assert!((s.normal.length() - 1.0).abs() < 1e-14);
            assert!((s.point_b - s.point_a - s.normal * s.distance).length() < 1e-14, "{s:?}");
            assert_eq!(overlap(&a, &b, &at(x, 0.3, 0.2)), expected <= 0.0);
        }
    }

    #[test]
    fn a_box_edge_in_a_cylinder() {
        let a = Cylinder::new(1.0, 0.5).unwrap();
        let b = Cuboid::new(DVec3::new(0.5, 0.1, 0.5)).unwrap();
        let turned = Transform::new(rotation_about(DVec3::Y, std::f64::consts::FRAC_PI_4), DVec3::new(1.1, 0.0, 0.0));
        let s = separation(&a, &b, &turned).unwrap();
        assert!((s.distance - (1.1 - 0.5 - 0.5_f64.sqrt())).abs() < 1e-14, "{s:?}");
        assert!((s.normal - DVec3::X).length() < 1e-7, "{s:?}");
    }

    #[test]
    fn concentric_shapes_have_a_finite_depth_and_a_unit_normal() {
        let sphere = Sphere::new(2.0).unwrap();
        let cuboid = Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let s = separation(&sphere, &sphere, &Transform::IDENTITY).unwrap();
        assert!(s.distance == -4.0 && (s.normal.length() - 1.0).abs() < 1e-15);
        let s = separation(&cuboid, &cuboid, &Transform::IDENTITY).unwrap();
        assert!((s.distance + 2.0).abs() < 1e-14 && (s.normal.length() - 1.0).abs() < 1e-15);
        let s = separation(&sphere, &cuboid, &Transform::IDENTITY).unwrap();
        assert!((s.distance + 3.0).abs() < 1e-14 && (s.normal.length() - 1.0).abs() < 1e-15);
    }
}
