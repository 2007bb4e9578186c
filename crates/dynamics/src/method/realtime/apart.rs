//! Separating planes: convex shapes with a plane between them do not touch.
//!
//! Most pairs of a heap are near each other and never touch. The plane across the line between their middles tells nearly all of them apart
//! at the price of two support points, where finding the distance of curved shapes takes dozens. It needs no memory, so what is found does
//! not depend on what was asked before.

use crate::model::ColliderModel;
use tumble_geometry::shape::Convex;
use tumble_geometry::{Shape, Transform};

/// The part of the shapes' sizes by which rounding may make them seem farther apart than they are.
const ROUNDING: f64 = 1e-9;

/// How far apart a plane shows two shapes to be, at least, in metres; none if it does not.
pub(super) fn clearance([a, b]: [&ColliderModel; 2], b_in_a: &Transform) -> Option<f64> {
    let [first, second] = [convex(&a.shape)?, convex(&b.shape)?];
    let [near, far] = [a.bounding_sphere, b.bounding_sphere];
    let way = b_in_a.point(far.center) - near.center;
    let distance = way.length();
    let normal = (distance > 0.0 && distance.is_finite()).then(|| way / distance)?;
    let top = first.support(normal).dot(normal) + first.radius();
    let bottom = b_in_a.point(second.support(b_in_a.inverse_vector(-normal))).dot(normal) - second.radius();
    Some(bottom - top - ROUNDING * (near.radius + far.radius + distance)).filter(|&clear| clear > 0.0)
}

fn convex(shape: &Shape) -> Option<&dyn Convex> {
    match shape {
        Shape::Sphere(sphere) => Some(sphere),
        Shape::Cuboid(cuboid) => Some(cuboid),
        Shape::Capsule(capsule) => Some(capsule),
        Shape::Cylinder(cylinder) => Some(cylinder),
        Shape::Cone(cone) => Some(cone),
        Shape::Hull(hull) => Some(&**hull),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, World};
    use glam::DVec3;
    use tumble_geometry::math::rotation_from_vector;
    use tumble_geometry::query;

    /// Of shapes of all kinds in all positions, those that a plane tells apart are as far from each other as it says, and most of those
    /// that are far are told apart.
    #[test]
    fn what_a_plane_tells_apart_is_apart() {
        let mut random = fastrand::Rng::with_seed(4);
        let corners: Vec<DVec3> =
            (0..12).map(|_| DVec3::from([0; 3].map(|_| random.f64() - 0.5)).normalize() * 0.4).collect();
        let shapes = [
            Shape::sphere(0.3).unwrap(),
            Shape::cuboid([0.4, 0.1, 0.3]).unwrap(),
            Shape::capsule(0.3, 0.2).unwrap(),
            Shape::cylinder(0.3, 0.2).unwrap(),
            Shape::cone(0.3, 0.2).unwrap(),
            Shape::hull(&corners).unwrap(),
        ];
        let mut world = World::new();
        let bodies = shapes.clone().map(|shape| world.add_body(Body::dynamic().with_shape(shape)).unwrap());
        let collider = |id| world.collider(world.body(id).unwrap().model().colliders[0]).unwrap().model();
        let colliders = bodies.map(collider);
        let (mut told, mut far) = (0, 0);
        for _ in 0..20_000 {
            let mut place = || DVec3::from([0; 3].map(|_| random.f64() - 0.5)) * 2.0;
            let pose = Transform::new(rotation_from_vector(place() * 2.0), place());
            let [i, j] = [0; 2].map(|_| random.usize(0..shapes.len()));
            let gap = 0.1 * random.f64();
            let distance = query::distance(&shapes[i], &shapes[j], &pose).distance;
            let apart = clearance([colliders[i], colliders[j]], &pose).is_some_and(|clear| clear > gap);
            assert!(!apart || distance > gap, "{:?} {:?} {pose:?}: {distance} {gap}", shapes[i], shapes[j]);
            told += usize::from(apart);
            far += usize::from(distance > gap);
        }
        assert!(far > 5000 && 10 * told > 8 * far, "{told} of {far}");
    }
}
