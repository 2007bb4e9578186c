//! Shapes and poses nobody would make on purpose: whatever comes in, an answer comes out, and it is one.

use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use tumble_geometry::glam::{DQuat, DVec3};
use tumble_geometry::shape::SupportMap;
use tumble_geometry::{Shape, Transform, query};

/// A support mapping that behaves until it has been asked often enough, and then answers nonsense.
#[derive(Debug)]
struct Liar {
    asked: AtomicUsize,
    patience: usize,
    nonsense: DVec3,
}

impl SupportMap for Liar {
    fn support(&self, direction: DVec3) -> DVec3 {
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.patience { direction.normalize() } else { self.nonsense }
    }
}

/// Lengths from the smallest to the largest that is allowed.
fn length() -> impl Strategy<Value = f64> {
    prop_oneof![(-9.0..9.0_f64).prop_map(libm::exp10), Just(1e-9), Just(1e9), Just(1.0), 0.1..2.0_f64]
}

/// Any number at all, the ugly ones more often.
fn number() -> impl Strategy<Value = f64> {
    let ugly = [0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 1e-300, 1e155];
    prop_oneof![
        4 => -2.0..2.0_f64,
        1 => any::<f64>(),
        1 => prop::sample::select(ugly.to_vec()),
        1 => (-12.0..12.0_f64).prop_map(libm::exp10)
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    let points = prop::collection::vec((length(), -1.0..1.0_f64, -1.0..1.0_f64), 4..12);
    prop_oneof![
        length().prop_map(|r| Shape::sphere(r).expect("within the range")),
        (length(), length(), length()).prop_map(|h| Shape::cuboid(DVec3::from(h)).expect("within the range")),
        (length(), length()).prop_map(|(h, r)| Shape::capsule(h, r).expect("within the range")),
        (length(), length()).prop_map(|(h, r)| Shape::cylinder(h, r).expect("within the range")),
        (length(), length()).prop_map(|(h, r)| Shape::cone(h, r).expect("within the range")),
        (number(), number(), number()).prop_filter_map("zero", |n| Shape::half_space(DVec3::from(n)).ok()),
        points.prop_filter_map("flat", |points| {
            let points: Vec<_> = points.into_iter().map(DVec3::from).collect();
            Shape::hull(&points).ok()
        }),
        (100..400_usize, number(), number()).prop_filter_map("refused", |(patience, x, y)| {
            let nonsense = DVec3::new(x, y, 0.0);
            Shape::custom(Liar { asked: AtomicUsize::new(0), patience, nonsense }).ok()
        }),
    ]
}

fn pose() -> impl Strategy<Value = Transform> {
    let rotation = prop_oneof![
        3 => (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64, 0.01..1.0_f64)
            .prop_map(|(x, y, z, w)| DQuat::from_xyzw(x, y, z, w).normalize()),
        1 => Just(DQuat::IDENTITY),
        1 => (number(), number(), number(), number()).prop_map(|(x, y, z, w)| DQuat::from_xyzw(x, y, z, w)),
    ];
    (rotation, (number(), number(), number())).prop_map(|(q, t)| Transform::new(q, DVec3::from(t)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

    #[test]
    fn every_pair_in_every_pose_gets_an_answer(a in shape(), b in shape(), b_in_a in pose()) {
        let closest = query::distance(&a, &b, &b_in_a);
        prop_assert!(closest.distance >= 0.0, "{closest:?}");
        prop_assert!(closest.point_a.is_finite() && closest.point_b.is_finite(), "{closest:?}");
        let touching = query::intersects(&a, &b, &b_in_a);
        prop_assert!(!(touching && closest.distance.is_infinite()));
        if let Some(deep) = query::penetration(&a, &b, &b_in_a) {
            prop_assert!(deep.depth >= 0.0 && deep.depth.is_finite(), "{deep:?}");
            // A rotation that is not quite one scales the normal with it.
            let scale = (b_in_a.rotation.length_squared() - 1.0).abs();
            prop_assert!((deep.normal.length() - 1.0).abs() <= 1e-9 + 2.0 * scale, "{deep:?}");
            prop_assert!(deep.point_a.is_finite() && deep.point_b.is_finite(), "{deep:?}");
        }
        if !(b_in_a.translation.is_finite() && b_in_a.rotation.is_finite()) {
            prop_assert!(!touching && closest.distance.is_infinite());
        }
    }
}

#[test]
fn half_spaces_meet_unless_they_face_each_other_across_a_gap() {
    let ground = Shape::half_space(DVec3::Y).unwrap();
    let ceiling = Shape::half_space(-DVec3::Y).unwrap();
    let up = |y| Transform::from_translation(DVec3::new(3.0, y, -2.0));
    assert!(!query::intersects(&ground, &ceiling, &up(0.25)));
    assert_eq!(query::distance(&ground, &ceiling, &up(0.25)).distance, 0.25);
    assert!(query::intersects(&ground, &ceiling, &up(-0.25)));
    let wall = Shape::half_space(DVec3::X).unwrap();
    for (a, b, pose) in [(&ground, &ceiling, up(-0.25)), (&ground, &wall, up(5.0)), (&ground, &ground, up(7.0))] {
        let shared = query::distance(a, b, &pose);
        assert_eq!((shared.distance, shared.point_a), (0.0, shared.point_b));
        assert!(shared.point_a.y <= 1e-12, "in the ground");
        // No translation is the shortest: a slab of any thickness may be meant.
        assert!(query::penetration(a, b, &pose).is_none());
    }
}

/// The distance of both orders of a pair must be the depth that symmetry tells.
fn assert_depth(a: &Shape, b: &Shape, b_in_a: Transform, depth: f64, size: f64) {
    for (a, b, pose) in [(a, b, b_in_a), (b, a, b_in_a.inverse())] {
        let found = query::penetration(a, b, &pose).expect("they overlap").depth;
        assert!((found - depth).abs() < 1e-9 * size, "depth {found}, not {depth}, of {a:?} and {b:?} at {pose:?}");
    }
}

#[test]
fn an_almost_central_capsule_in_a_cylinder_leaves_sideways() {
    let (cylinder, capsule) = (Shape::cylinder(1.0, 1.0).unwrap(), Shape::capsule(1.0, 1.0).unwrap());
    for z in [0.0, 1e-15, 5.62518835067749e-7, 1e-4, 0.1] {
        assert_depth(&cylinder, &capsule, Transform::from_translation(DVec3::Z * z), 2.0 - z, 1.0);
    }
}

#[test]
fn a_tiny_capsule_at_the_middle_of_a_large_cylinder() {
    let (cylinder, capsule) = (Shape::cylinder(100.0, 100.0).unwrap(), Shape::capsule(0.001, 0.001).unwrap());
    let rotation = DQuat::from_xyzw(0.7028228516040848, -0.3945942567569503, -0.5918913851354255, 0.0);
    // The capsule's axis, in the cylinder: what it adds to the way out is least straight up or across its lower end.
    let axis = (rotation * DVec3::Y).abs() * 0.001;
    let up = 100.0 + 0.001 + axis.y;
    let sideways = 100.0 + 0.001;
    let depth = up.min(sideways);
    let pose = Transform::new(rotation, DVec3::new(-4e-12, -8e-12, 0.0));
    assert_depth(&cylinder, &capsule, pose, depth, 100.0);
}
