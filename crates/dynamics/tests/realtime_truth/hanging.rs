//! What hangs on joints: a heavy load at the end of a light chain, and large nets.

use super::{DT, G, world};
use glam::DVec3;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::model::{CollisionFilter, Joint, JointEnd};
use tumble_dynamics::{Body, JointId, World};

/// By how much all joints together are apart, in metres, and the widest of them.
fn gaps(world: &World, joints: &[JointId]) -> (f64, f64) {
    let gaps = joints.iter().map(|&id| {
        let [a, b] = world.joint(id).unwrap().anchors();
        (b - a).length()
    });
    gaps.fold((0.0, 0.0), |(sum, most), gap| (sum + gap, f64::max(most, gap)))
}

/// Twenty links of a kilogram, with shapes that meet nothing, and a ball of up to 100 000 kg at the end: let go at several angles, the
/// chain stretches by less than a hundredth of its length.
#[test]
fn chains_do_not_stretch() {
    for (load, length, degrees) in
        [(1000.0, 0.2, 0.0_f64), (1000.0, 0.2, 60.0), (1000.0, 0.5, 90.0), (100.0, 0.1, 90.0), (1e5, 0.2, 45.0)]
    {
        let mut world = world();
        let turn = rotation_about(DVec3::Z, degrees.to_radians());
        let down = turn * DVec3::NEG_Y;
        let mut joints = Vec::new();
        let mut last = JointEnd::World;
        let links = 20;
        for k in 0..=links {
            let along = length * f64::from(k);
            let body = match k {
                20 => Body::dynamic().with_shape(Shape::sphere(0.3).unwrap()).with_mass(load).at(down * (along + 0.3)),
                _ => Body::dynamic()
                    .with_shape(Shape::cuboid([0.03, 0.5 * length, 0.03]).unwrap())
                    .with_mass(1.0)
                    .at(down * (along + 0.5 * length)),
            };
            let body = world.add_body(body.rotated(turn).in_group("chain")).unwrap();
            joints.push(world.add_joint(Joint::new(last, body, Ball::at(down * along))).unwrap());
            last = body.into();
        }
        world.set_filter(CollisionFilter::new().ignore(("chain", "chain")));
        let (mut stretch, whole) = (0.0_f64, f64::from(links) * length);
        for _ in 0..600 {
            world.step(DT).unwrap();
            stretch = stretch.max(gaps(&world, &joints).0 / whole);
        }
        eprintln!("chain with {load} kg from {degrees}°: stretches by {stretch:.1e} of its length");
        assert!(stretch < 0.01, "{load} kg, {degrees}°: {stretch}");
    }
}

/// Chains of one and five links of several lengths, let go level, keep 99 % of their energy for a minute and 95 % for half a minute.
#[test]
fn pendulums_keep_their_energy() {
    for (links, length, seconds, bound) in [(1, 1.0, 60.0, 0.01), (1, 0.3, 60.0, 0.01), (5, 1.0, 30.0, 0.05)] {
        let mut world = world();
        let mut last = JointEnd::World;
        for k in 0..links {
            let rod = Body::dynamic().with_shape(Shape::cuboid([0.5 * length, 0.05, 0.05]).unwrap()).with_mass(1.0);
            let rod = rod.at([length * (f64::from(k) + 0.5), 0.0, 0.0]).in_group("rods");
            let rod = world.add_body(rod).unwrap();
            world.add_joint(Joint::new(last, rod, Ball::at(DVec3::X * (length * f64::from(k))))).unwrap();
            last = rod.into();
        }
        world.set_filter(CollisionFilter::new().ignore(("rods", "rods")));
        let range: f64 = (0..links).map(|k| G * length * (f64::from(k) + 0.5)).sum();
        let (start, mut worst) = (world.energy().total(), 0.0_f64);
        for _ in 0..(seconds / DT) as usize {
            world.step(DT).unwrap();
            worst = worst.max((world.energy().total() - start).abs() / range);
        }
        eprintln!("{links} links of {length} m: energy within {worst:.1e} for {seconds} s");
        assert!(worst < bound, "{links} {length}: {worst}");
    }
}

/// A net of 100 by 100 balls, held at one side, swings down: no joint opens by more than 5 mm.
#[test]
fn a_large_net_holds() {
    let n = 100;
    let mut world = world();
    let ball = Shape::sphere(0.4).unwrap();
    let mut ids = Vec::new();
    let mut joints = Vec::new();
    for k in 0..n * n {
        let (x, z) = (k % n, k / n);
        let at = DVec3::new(f64::from(x), 0.0, f64::from(z));
        let node = if z == 0 { Body::fixed() } else { Body::dynamic() }.with_shape(ball.clone()).at(at);
        ids.push(world.add_body(node).unwrap());
        let mut join = |other: i32, at: DVec3| {
            let joint = Joint::new(ids[other as usize], ids[k as usize], Ball::at(at));
            joints.push(world.add_joint(joint).unwrap());
        };
        if x > 0 && z > 0 {
            join(k - 1, at - DVec3::X * 0.5);
        }
        if z > 0 {
            join(k - n, at - DVec3::Z * 0.5);
        }
    }
    let mut widest = 0.0_f64;
    for _ in 0..130 {
        world.step(DT).unwrap();
        widest = widest.max(gaps(&world, &joints).1);
    }
    eprintln!("net of 100 by 100: joints open by {:.2} mm", 1e3 * widest);
    assert!(widest < 5e-3, "{widest}");
}
