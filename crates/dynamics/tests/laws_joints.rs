//! Laws of jointed motion, each against its formula.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DVec3};
use std::f64::consts::PI;
use tumble_dynamics::constraint::{Ball, Distance};
use tumble_dynamics::geometry::MassProperties;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Breaking, Joint, JointEnd};
use tumble_dynamics::{Body, World};

const G: f64 = 9.81;

/// A point mass on a rod of one metre from the origin.
fn pendulum(start: DVec3, breaking: Breaking) -> (World, tumble_dynamics::BodyId) {
    let mut world = World::with_method(Retroactive::new());
    let bob = world.add_body(Body::particle(1.0).at(start).without_sleep()).unwrap();
    let rod = Joint::new(JointEnd::World, bob, Distance::rod(DVec3::ZERO, start));
    world.add_joint(rod.breaking(breaking)).unwrap();
    (world, bob)
}

/// A simple pendulum released from the horizontal: sin(θ/2) = k cd(ω₀ t, k). After 10 s it is at (−0.27509, −0.96142).
#[test]
fn simple_pendulum_after_ten_seconds() {
    let exact = DVec3::new(-0.275_087_462_576_116_9, -0.961_419_205_099_125, 0.0);
    let error = |steps: usize| {
        let (mut world, bob) = pendulum(DVec3::NEG_X, Breaking::default());
        for _ in 0..steps {
            world.step(10.0 / steps as f64).unwrap();
        }
        (world.body(bob).unwrap().position() - exact).length()
    };
    let (coarse, fine) = (error(2400), error(4800));
    // Of second order in phase, 1.05 mm at 240 steps per second; the energy is kept (see the tests of constraints).
    assert!(coarse < 1.2e-3, "{coarse:e}");
    assert!((coarse / fine - 4.0).abs() < 0.1, "{coarse:e}, {fine:e}");
}

/// The rod of a pendulum released from the horizontal pulls with 3 m g sin φ. If it breaks at 2 m g, it does so after
/// 0.3892114848553873 s, and the bob flies off at a tangent and falls on the level y = −3 at x = −0.38218623247710604.
#[test]
fn a_pendulum_breaks_at_twice_its_weight() {
    let breaking = Breaking { force: 2.0 * G, ..Breaking::default() };
    let (mut world, bob) = pendulum(DVec3::X, breaking);
    let dt = 1.0 / 4800.0;
    let (mut broke, mut landed) = (None, None);
    while landed.is_none() && world.time() < 2.0 {
        let before = world.body(bob).unwrap().position();
        world.step(dt).unwrap();
        if !world.events().broken.is_empty() {
            broke = Some(world.time());
        }
        let after = world.body(bob).unwrap().position();
        if after.y < -3.0 {
            let share = (before.y + 3.0) / (before.y - after.y);
            landed = Some((world.time() - dt + share * dt, before.x + share * (after.x - before.x)));
        }
    }
    let (broke, (time, x)) = (broke.unwrap(), landed.unwrap());
    // It is noticed at the end of the step in which it happens: all is of first order in the step.
    assert!((broke - 0.389_211_484_855_387_3).abs() < 2.0 * dt, "{broke}");
    assert!((time - 0.856_860_691_244_270_4).abs() < dt, "{time}");
    assert!((x + 0.382_186_232_477_106_04).abs() < 10.0 * dt, "{x}");
}

/// A disc that spins at 20 turns per second on an arm held at its end precesses steadily: level, with Ω = m g l/(I₃ ω₃), once
/// around in exactly 8 s.
#[test]
fn gyroscope_precesses_once_in_eight_seconds() {
    let (l, spin) = (0.050_303_794_093_217_93, 40.0 * PI);
    // m g l/(I₃ ω₃) = π/4 rad/s.
    let precession = G * l / (0.005 * spin);
    assert!((precession - PI / 4.0).abs() < 1e-15);
    let error = |dt: f64| {
        let mut world = World::with_method(Retroactive::new());
        // The axis along x; it is carried around y.
        let inertia = DMat3::from_diagonal(DVec3::new(0.005, 0.0025, 0.0025));
        let disc = Body::dynamic().with_mass_properties(MassProperties { mass: 1.0, center: DVec3::ZERO, inertia });
        let disc = disc.at([l, 0.0, 0.0]).with_velocity([0.0, 0.0, -precession * l]).without_sleep();
        let disc = world.add_body(disc.with_angular_velocity([spin, precession, 0.0])).unwrap();
        world.add_joint(Joint::new(JointEnd::World, disc, Ball { anchor: DVec3::ZERO, ..Ball::default() })).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..(8.0 / dt).round() as usize {
            world.step(dt).unwrap();
            worst = worst.max(world.body(disc).unwrap().position().y.abs() / l);
        }
        ((world.body(disc).unwrap().position() / l - DVec3::X).length(), worst)
    };
    let (angle, height) = error(1.0 / 1000.0);
    assert!(angle < 1e-3 && height < 1e-3, "{angle:e} rad off after a turn, {height:e} out of the level");
}
