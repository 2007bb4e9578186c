//! Mechanisms against their reference values: closed-form kinematics, and motions integrated elsewhere to more digits than a
//! time-stepping method can have.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::{FRAC_PI_3, PI, TAU};
use tumble_dynamics::constraint::{
    Ball, ConstantVelocity, Distance, Freedom, Hinge, Motor, Slider, Softness, Universal,
};
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::geometry::{MassProperties, Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, JointId, World};

const DT: f64 = 1.0 / 240.0;

/// A thin rod between two points of the plane z = 0.
fn rod(world: &mut World, mass: f64, from: DVec3, to: DVec3) -> BodyId {
    let along = to - from;
    let moment = mass * along.length_squared() / 12.0;
    // About its own axis a thin rod has no inertia; a little keeps it a body.
    let inertia = DMat3::from_diagonal(DVec3::new(1e-3 * moment, moment, moment));
    let properties = MassProperties { mass, center: DVec3::ZERO, inertia };
    let turn = rotation_from_vector(DVec3::Z * libm::atan2(along.y, along.x));
    let body = Body::dynamic().with_mass_properties(properties).at((from + to) / 2.0).rotated(turn);
    world.add_body(body.without_sleep()).unwrap()
}

fn pin(world: &mut World, first: impl Into<JointEnd>, second: impl Into<JointEnd>, at: DVec3) -> JointId {
    world.add_joint(Joint::new(first, second, Hinge::at(at, DVec3::Z))).unwrap()
}

/// Turns at a speed with as much torque as it takes.
fn motor(speed: f64) -> Freedom {
    Freedom { motor: Some(Motor { speed, max_force: None }), ..Freedom::FREE }
}

fn run_to(world: &mut World, time: f64, dt: f64) {
    while world.time() < time - 0.5 * dt {
        world.step(dt).unwrap();
    }
}

/// A shaft along a direction through the origin.
fn shaft(world: &mut World, along: DVec3) -> BodyId {
    let turn = DQuat::from_rotation_arc(DVec3::X, along);
    let body = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.1, 0.1]).unwrap()).with_mass(1.0);
    world.add_body(body.with_pose(Transform::new(turn, along * 0.5)).without_sleep()).unwrap()
}

/// The largest difference between the ratio of the speeds of two shafts and what it should be, over a turn.
fn ratio_error(world: &mut World, shafts: [BodyId; 2], axes: [DVec3; 2], turn: JointId, ratio: fn(f64) -> f64) -> f64 {
    let mut worst: f64 = 0.0;
    while world.time() < TAU / 10.0 {
        world.step(DT).unwrap();
        let speed = |k: usize| world.body(shafts[k]).unwrap().angular_velocity().dot(axes[k]);
        let theta = world.joint(turn).unwrap().angle().unwrap();
        assert!((theta - 10.0 * world.time()).abs() < 1e-9, "{theta}");
        worst = worst.max((speed(1) / speed(0) - ratio(theta)).abs());
    }
    worst
}

/// ω₂/ω₁ = cos β/(1 − sin²β cos²θ), with the first arm in the plane of the shafts at θ = 0.
#[test]
fn a_universal_joint_turns_unevenly() {
    let mut world = World::with_method(Retroactive::new());
    world.set_gravity(DVec3::ZERO);
    let beta = PI / 6.0;
    let axes = [DVec3::NEG_X, DVec3::new(libm::cos(beta), libm::sin(beta), 0.0)];
    let shafts = axes.map(|axis| shaft(&mut world, axis));
    let drive = Hinge::at(DVec3::NEG_X, DVec3::X).with_turn(motor(10.0));
    let turn = world.add_joint(Joint::new(JointEnd::World, shafts[0], drive)).unwrap();
    world.add_joint(Joint::new(JointEnd::World, shafts[1], Hinge::at(axes[1], axes[1]))).unwrap();
    let cross = Universal::at(DVec3::ZERO, DVec3::Y, DVec3::Z);
    world.add_joint(Joint::new(shafts[0], shafts[1], cross)).unwrap();
    let exact = |theta: f64| {
        let (s, c) = (libm::sin(PI / 6.0), libm::cos(theta));
        libm::cos(PI / 6.0) / (1.0 - s * s * c * c)
    };
    // The reference values.
    assert!((exact(0.0) - 1.154_700_538_379_251_5).abs() < 1e-12);
    assert!((exact(PI / 4.0) - 0.989_743_318_610_787).abs() < 1e-12);
    let error = ratio_error(&mut world, shafts, [DVec3::X, axes[1]], turn, exact);
    assert!(error < 1e-9, "{error:e}");
}

#[test]
fn a_constant_velocity_joint_turns_evenly() {
    let mut world = World::with_method(Retroactive::new());
    world.set_gravity(DVec3::ZERO);
    let first = shaft(&mut world, DVec3::NEG_X);
    let second = shaft(&mut world, DVec3::X);
    // Made straight, then bent by 30°.
    world.add_joint(Joint::new(first, second, ConstantVelocity::at(DVec3::ZERO, DVec3::X))).unwrap();
    let bend = rotation_from_vector(DVec3::Z * PI / 6.0);
    let pose = Transform::new(bend, bend * DVec3::X * 0.5);
    world.body_mut(second).unwrap().set_pose(pose).unwrap();
    let drive = Hinge::at(DVec3::NEG_X, DVec3::X).with_turn(motor(10.0));
    let turn = world.add_joint(Joint::new(JointEnd::World, first, drive)).unwrap();
    let axis = bend * DVec3::X;
    world.add_joint(Joint::new(JointEnd::World, second, Hinge::at(axis, axis))).unwrap();
    let error = ratio_error(&mut world, [first, second], [DVec3::X, axis], turn, |_| 1.0);
    assert!(error < 1e-9, "{error:e}");
}

/// A crank of 0.5 m, a rod of 1.5 m and a piston along x; the crank's body, its hinge, and the piston.
fn slider_crank(theta: f64, turn: Freedom) -> (World, BodyId, JointId, BodyId) {
    let mut world = World::with_method(Retroactive::new());
    let end = DVec3::new(libm::cos(theta), libm::sin(theta), 0.0) * 0.5;
    let piston_at = DVec3::X * piston(theta);
    let crank = rod(&mut world, 1.0, DVec3::ZERO, end);
    let conrod = rod(&mut world, 2.0, end, piston_at);
    let block = Body::dynamic().with_shape(Shape::cuboid([0.1, 0.1, 0.1]).unwrap()).with_mass(1.5);
    let block = world.add_body(block.at(piston_at).without_sleep()).unwrap();
    let hinge = Hinge::at(DVec3::ZERO, DVec3::Z).with_turn(turn);
    let hinge = world.add_joint(Joint::new(JointEnd::World, crank, hinge)).unwrap();
    pin(&mut world, crank, conrod, end);
    pin(&mut world, conrod, block, piston_at);
    world.add_joint(Joint::new(JointEnd::World, block, Slider::at(piston_at, DVec3::X))).unwrap();
    (world, crank, hinge, block)
}

/// x = r cos θ + √(l² − r² sin²θ).
fn piston(theta: f64) -> f64 {
    let s = 0.5 * libm::sin(theta);
    0.5 * libm::cos(theta) + (2.25 - s * s).sqrt()
}

#[test]
fn a_slider_crank_moves_its_piston_as_geometry_says() {
    let (mut world, _, hinge, block) = slider_crank(0.0, motor(10.0));
    let (mut position_error, mut speed_error): (f64, f64) = (0.0, 0.0);
    while world.time() < TAU / 10.0 {
        world.step(DT).unwrap();
        let theta = world.joint(hinge).unwrap().angle().unwrap();
        let block = world.body(block).unwrap();
        let s = 0.5 * libm::sin(theta);
        let slope = -s - s * 0.5 * libm::cos(theta) / (2.25 - s * s).sqrt();
        assert!((theta - 10.0 * world.time()).abs() < 1e-9);
        position_error = position_error.max((block.position().x - piston(theta)).abs());
        speed_error = speed_error.max((block.velocity().x - 10.0 * slope).abs());
    }
    assert!((piston(PI / 4.0) - 1.811_291_364_304_599).abs() < 1e-12, "the reference value");
    assert!(position_error < 1e-9 && speed_error < 1e-6, "{position_error:e} m, {speed_error:e} m/s");
}

/// Let go at 60°: the piston after 0.5, 1, 2 and 5 s.
#[test]
fn a_slider_crank_falls_as_its_equation_of_motion_says() {
    const TIMES: [f64; 4] = [0.5, 1.0, 2.0, 5.0];
    // The angle and rate of the crank.
    let exact = [
        (0.366_034_323_777_971_07, -4.335_602_934_360_735),
        (-2.612_218_698_610_662_6, -7.599_105_029_476_599),
        (-3.053_614_391_738_132, 7.452_566_704_512_57),
        (-3.429_689_596_851_002_6, 5.536_979_656_440_435),
    ];
    let errors = |dt: f64| {
        let (mut world, crank, hinge, block) = slider_crank(FRAC_PI_3, Freedom::FREE);
        let mut at = |time: f64, (theta, omega): (f64, f64)| {
            run_to(&mut world, time, dt);
            let angle = FRAC_PI_3 + world.joint(hinge).unwrap().angle().unwrap();
            let rate = world.body(crank).unwrap().angular_velocity().z;
            assert!((rate - omega).abs() < 1e3 * dt * dt, "{rate} instead of {omega} rad/s");
            let off = (world.body(block).unwrap().position().x - piston(theta)).abs();
            println!("slider-crank at {dt:.5}: {:.2e} rad, piston {off:.2e} m", (angle - theta).abs());
            assert!(dt < DT || off < 1e-3, "the piston is off by {off} m");
            (angle - theta).abs()
        };
        [0, 1, 2, 3].map(|k| at(TIMES[k], exact[k]))
    };
    let (coarse, fine) = (errors(DT), errors(DT / 4.0));
    for k in 0..4 {
        assert!(coarse[k] < 2e-3 && fine[k] < 1.2e-4, "{coarse:?}, {fine:?} rad");
        assert!((coarse[k] / fine[k] - 16.0).abs() < 2.0, "of second order: {coarse:?}, {fine:?}");
    }
}

/// Where the crank of 0.5 m has turned by θ, the joint between the coupler (1.5 m) and the rocker (1.6 m, held 2 m away).
fn four_bar(theta: f64) -> DVec3 {
    let (p, b) = (DVec3::new(libm::cos(theta), libm::sin(theta), 0.0) * 0.5, DVec3::X * 2.0);
    let apart = p.distance(b);
    let along = (1.5 * 1.5 - 1.6 * 1.6 + apart * apart) / (2.0 * apart);
    let x = (b - p) / apart;
    p + x * along + DVec3::Z.cross(x) * (1.5 * 1.5 - along * along).sqrt()
}

#[test]
fn a_four_bar_linkage_moves_as_geometry_says() {
    let references = [
        (0.0, 1.146_666_666_666_666_5, 1.353_448_270_981_282_3),
        (60.0, 1.343_943_026_170_113_7, 1.459_311_223_519_223_2),
        (180.0, 0.688, 0.915_781_633_360_267_9),
        (300.0, 0.739_133_896_906_809_3, 0.984_995_771_600_361_4),
    ];
    for (degrees, x, y) in references {
        assert!((four_bar(f64::to_radians(degrees)) - DVec3::new(x, y, 0.0)).length() < 1e-10);
    }
    let mut world = World::with_method(Retroactive::new());
    let (p, q, b) = (DVec3::X * 0.5, four_bar(0.0), DVec3::X * 2.0);
    let crank = rod(&mut world, 1.0, DVec3::ZERO, p);
    let coupler = rod(&mut world, 1.0, p, q);
    let rocker = rod(&mut world, 1.0, q, b);
    let drive = Hinge::at(DVec3::ZERO, DVec3::Z).with_turn(motor(5.0));
    let drive = world.add_joint(Joint::new(JointEnd::World, crank, drive)).unwrap();
    pin(&mut world, crank, coupler, p);
    pin(&mut world, JointEnd::World, rocker, b);
    let joint = pin(&mut world, coupler, rocker, q);
    let mut worst: f64 = 0.0;
    while world.time() < 2.0 * TAU / 5.0 {
        world.step(DT).unwrap();
        let theta = world.joint(drive).unwrap().angle().unwrap();
        assert!((theta - 5.0 * world.time()).abs() < 1e-8);
        worst = worst.max((world.joint(joint).unwrap().anchors()[0] - four_bar(theta)).length());
    }
    assert!(worst < 1e-9, "{worst:e} m");
}

/// A mass on a soft joint of 5 Hz and ζ = 0.3, let go: x = −s (1 − e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t)), s = g/ω².
#[test]
fn a_soft_joint_sags_swings_and_decays() {
    let softness = Softness::Spring { frequency: 5.0, damping_ratio: 0.3 };
    let (omega, zeta) = (10.0 * PI, 0.3);
    let sag = 9.81 / (omega * omega);
    let damped = omega * (1.0_f64 - zeta * zeta).sqrt();
    let exact = |t: f64| {
        let swing = libm::cos(damped * t) + zeta * omega / damped * libm::sin(damped * t);
        -sag * (1.0 - libm::exp(-zeta * omega * t) * swing)
    };
    assert!((sag - 0.009_939_608_115_313_336).abs() < 1e-15 && (exact(0.1) + 0.013_596_568_755_695_993).abs() < 1e-12);
    for distance in [false, true] {
        let error = |dt: f64| {
            let mut world = World::with_method(Retroactive::new());
            let body = world.add_body(Body::particle(2.0).at([0.0, -1.0, 0.0]).without_sleep()).unwrap();
            let rod = Distance::rod([0.0; 3], [0.0, -1.0, 0.0]).with_softness(softness);
            let ball = Ball { anchor: DVec3::NEG_Y, softness };
            let joint = |world: &mut World| match distance {
                true => world.add_joint(Joint::new(JointEnd::World, body, rod)),
                false => world.add_joint(Joint::new(JointEnd::World, body, ball)),
            };
            joint(&mut world).unwrap();
            let mut worst: f64 = 0.0;
            while world.time() < 2.0 {
                world.step(dt).unwrap();
                worst = worst.max((world.body(body).unwrap().position().y + 1.0 - exact(world.time())).abs());
            }
            let at_rest = world.body(body).unwrap().position().y + 1.0;
            assert!((at_rest / -sag - 1.0).abs() < 1e-6, "sags by {at_rest}");
            worst / sag
        };
        let (coarse, fine) = (error(DT), error(DT / 2.0));
        println!("soft joint: {coarse:e}, {fine:e} of the sag");
        assert!(coarse < 6e-4 && fine < 1.5e-4, "{coarse:e}, {fine:e} of the sag");
        assert!((coarse / fine - 4.0).abs() < 0.4, "of second order: {coarse:e}, {fine:e}");
    }
}

/// Rods that hang from each other, let go level: the largest error of the tip at some times, in rod lengths.
fn chain_error(count: usize, length: f64, mass: f64, tips: &[(f64, f64, f64)], dt: f64) -> Vec<f64> {
    let mut world = World::with_method(Retroactive::new());
    let mut last = JointEnd::World;
    for link in 0..count {
        let at = |k: usize| DVec3::X * (k as f64 * length);
        let body = rod(&mut world, mass, at(link), at(link + 1));
        pin(&mut world, last, body, at(link));
        last = body.into();
    }
    let JointEnd::Body(last) = last else { return Vec::new() };
    let mut errors = Vec::new();
    for &(time, x, y) in tips {
        run_to(&mut world, time, dt);
        let tip = world.body(last).unwrap().pose().point(DVec3::X * length / 2.0);
        errors.push((tip - DVec3::new(x, y, 0.0)).length() / length);
    }
    errors
}

#[test]
fn a_double_pendulum_of_rods() {
    let tips = [
        (1.0, -1.662_115_135_816_127_7, -1.041_466_637_193_224_6),
        (2.0, 0.313_524_776_450_181_7, -1.914_746_617_562_305_1),
        (3.0, 1.330_436_825_144_049_3, -1.398_644_860_519_203_7),
    ];
    let (coarse, fine) = (chain_error(2, 1.0, 1.0, &tips, 1.0 / 500.0), chain_error(2, 1.0, 1.0, &tips, 1.0 / 2000.0));
    assert!(fine.iter().all(|error| *error < 3e-5), "{fine:?}");
    for (coarse, fine) in coarse.iter().zip(&fine) {
        assert!((coarse / fine - 16.0).abs() < 3.0, "of second order: {coarse:e}, {fine:e}");
    }
}

#[test]
fn a_chain_of_three_rods() {
    let tips = [
        (0.5, -0.465_731_458_353_077_9, -0.373_587_879_926_316_15),
        (1.0, -0.243_747_394_067_077_9, -0.261_623_771_997_228_14),
    ];
    let (coarse, fine) = (chain_error(3, 0.2, 0.1, &tips, 1.0 / 1000.0), chain_error(3, 0.2, 0.1, &tips, 1.0 / 4000.0));
    assert!(fine.iter().all(|error| *error < 3e-5), "{fine:?}");
    for (coarse, fine) in coarse.iter().zip(&fine) {
        assert!((coarse / fine - 16.0).abs() < 3.0, "of second order: {coarse:e}, {fine:e}");
    }
}
