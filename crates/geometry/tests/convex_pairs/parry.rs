//! A third voice: parry3d-f64, on the shapes it has too.
//!
//! The answers themselves are proven by bounds from both sides in the other tests of this folder; this one guards against
//! an error that those proofs and the library have in common. Its searches stop early now and then (a capsule on a box may
//! be off by 1e-6 of the size, deep capsules by 1e-4), so a few differences are expected and counted.

use crate::bodies::{Body, Form, Kind};
use crate::{Category, Hulls, answer, case};
use fastrand::Rng;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::SharedShape;
use tumble_geometry::Shape;

fn parry_shape(body: &Body) -> SharedShape {
    let (x, y, z) = (body.lengths.x, body.lengths.y, body.lengths.z);
    match (&body.form, body.kind) {
        (_, Kind::Sphere) => SharedShape::ball(x),
        (_, Kind::Cuboid) => SharedShape::cuboid(x, y, z),
        (_, Kind::Capsule) => SharedShape::capsule_y(y, x),
        (_, Kind::Cylinder) => SharedShape::cylinder(y, x),
        (_, Kind::Cone) => SharedShape::cone(y, x),
        (Form::Shape(Shape::Hull(hull)), _) => {
            let points: Vec<_> = hull.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
            SharedShape::convex_hull(&points).expect("a hull is a hull")
        }
        _ => unreachable!("parry has no {:?}", body.kind),
    }
}

#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    differ: usize,
}

#[test]
fn parry_agrees_but_for_few() {
    let kinds = [Kind::Sphere, Kind::Cuboid, Kind::Capsule, Kind::Cylinder, Kind::Cone, Kind::Hull];
    let mut rng = Rng::with_seed(11);
    let hulls = Hulls::new(&mut rng);
    let (mut apart, mut deep) = (Tally::default(), Tally::default());
    for (i, &a) in kinds.iter().enumerate() {
        for &b in &kinds[i..] {
            for _ in 0..150 {
                let case = case((a, b), Category::Generic, &hulls, &mut rng);
                let size = case.a.size().max(case.b.size());
                let ours = answer(&case, 1e-9 * size).expect("an answer").distance;
                let (q, t) = (case.b_in_a.rotation, case.b_in_a.translation);
                let pose = Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w));
                let (shape_a, shape_b) = (parry_shape(&case.a), parry_shape(&case.b));
                let theirs = if ours > 0.0 {
                    query::distance(&Pose::IDENTITY, &*shape_a, &pose, &*shape_b).expect("supported").distance
                } else {
                    let contact = query::contact(&Pose::IDENTITY, &*shape_a, &pose, &*shape_b, 0.0).expect("supported");
                    contact.map_or(0.0, |contact| contact.dist)
                };
                let tally = if ours > 0.0 { &mut apart } else { &mut deep };
                tally.cases += 1;
                tally.differ += usize::from((ours - theirs).abs() > 1e-5 * size);
            }
        }
    }
    assert!(apart.cases > 500 && deep.cases > 500, "too few cases: {apart:?} apart, {deep:?} deep");
    assert!(apart.differ * 100 < apart.cases, "distances: {apart:?}");
    assert!(deep.differ * 20 < deep.cases, "depths: {deep:?}");
}
