//! The hierarchies leave out nothing: the earliest impact of composite shapes is the earliest of all their parts.

use super::approach::Search;
use super::parts::{Part, Parts};
use super::reach::Solid;
use super::relative::Relative;
use super::*;
use crate::math::rotation_from_vector;
use crate::shape::mesh::samples::torus;
use std::sync::Arc;

struct Rng(fastrand::Rng);

impl Rng {
    fn vector(&mut self, scale: f64) -> DVec3 {
        DVec3::new(self.0.f64() - 0.5, self.0.f64() - 0.5, self.0.f64() - 0.5) * (2.0 * scale)
    }

    fn pose(&mut self, scale: f64) -> Transform {
        Transform::new(rotation_from_vector(self.vector(3.0)), self.vector(scale))
    }

    fn composite(&mut self, kind: usize) -> Shape {
        match kind {
            0 => Shape::Mesh(Arc::new(torus(0.6, 0.3, 12, 8))),
            1 => {
                let heights = (0..13 * 9).map(|_| 0.3 * self.0.f64()).collect();
                Shape::height_field(13, 9, heights, [0.2, 0.15]).unwrap()
            }
            _ => {
                let box_and_ball = [Shape::cuboid([0.4, 0.1, 0.2]).unwrap(), Shape::sphere(0.2).unwrap()];
                let mut parts: Vec<_> = (0..12).map(|i| (self.pose(0.8), box_and_ball[i % 2].clone())).collect();
                parts.push((self.pose(0.8), self.composite(0)));
                parts.push((self.pose(0.8), self.composite(1)));
                Shape::compound(parts).unwrap()
            }
        }
    }

    fn simple(&mut self) -> Shape {
        match self.0.usize(0..4) {
            0 => Shape::sphere(0.3),
            1 => Shape::cuboid([0.5, 0.02, 0.2]),
            2 => Shape::capsule(0.5, 0.05),
            _ => Shape::half_space(self.vector(1.0)),
        }
        .unwrap()
    }
}

/// Calls `visit` with every part, and the parts of parts, and the pose of each in the whole.
fn each_part(shape: &Shape, pose: &Transform, visit: &mut dyn FnMut(Solid, &Transform)) {
    let solid = Solid::Shape(shape);
    let Some(parts) = Parts::of(solid) else { return visit(solid, pose) };
    for &item in parts.bvh().items() {
        parts.each(item, &mut |_, part| match part {
            Part::Triangle(triangle) => visit(Solid::Triangle(&triangle), pose),
            Part::Placed(inner, shape) => each_part(shape, &(*pose * *inner), visit),
        });
    }
}

fn earliest_of_all_parts(a: &Shape, b: &Shape, motion: &Relative, options: &ImpactOptions) -> Option<f64> {
    let mut earliest: Option<f64> = None;
    each_part(a, &Transform::IDENTITY, &mut |part_a, pose_a| {
        each_part(b, &Transform::IDENTITY, &mut |part_b, pose_b| {
            let motion = motion.of_part_a(pose_a).of_part_b(pose_b);
            let mut search = Search::new(options, usize::MAX);
            let until = earliest.unwrap_or(options.max_time);
            if let Some(impact) = simple_impact(part_a, part_b, &motion, 0.0, until, &mut search) {
                earliest = Some(until.min(impact.time));
            }
        });
    });
    earliest
}

#[test]
fn composite_shapes_meet_when_the_first_of_their_parts_do() {
    let mut rng = Rng(fastrand::Rng::with_seed(3));
    let (mut hits, mut early) = (0, 0);
    for i in 0..120 {
        let a = rng.composite(i % 3);
        let b = if i % 4 == 0 { rng.composite(i / 3 % 3) } else { rng.simple() };
        let (a, b) = if i % 5 == 0 { (b, a) } else { (a, b) };
        let mut motion = |distance: f64, spin: f64| {
            let linear = rng.vector(4.0);
            let angular = if rng.0.bool() { DVec3::ZERO } else { rng.vector(spin) };
            let start = Transform::new(rotation_from_vector(rng.vector(3.0)), rng.vector(0.5) - linear * distance);
            Motion { start, center: rng.vector(0.3), linear, angular }
        };
        let (motion_a, motion_b) = (motion(0.7, 3.0), motion(0.7, 20.0));
        let options = ImpactOptions::default();
        let relative = Relative::new(&motion_a, &motion_b);
        let mut search = Search::new(&options, usize::MAX);
        let found = composite::impact(Solid::Shape(&a), Solid::Shape(&b), &relative, 0.0, 1.0, &mut search);
        let expected = earliest_of_all_parts(&a, &b, &relative, &options);
        let (Some(impact), Some(time)) = (found, expected) else {
            assert!(found.is_none() && expected.is_none(), "case {i}: {found:?} instead of {expected:?}");
            continue;
        };
        assert!((impact.time - time).abs() < 1e-9, "case {i}: {impact:?} instead of {time}");
        let touching = impact.point_a.distance(impact.point_b) < 1e-9 || impact.time == 0.0;
        assert!(touching, "case {i}: {impact:?}");
        (hits, early) = (hits + 1, early + usize::from(time == 0.0));
    }
    assert!(hits > 50 && early < hits / 2, "{hits} hits, {early} at time zero");
}
