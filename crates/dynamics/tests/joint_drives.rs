//! Motors, drives, friction and limits of the free coordinate of a joint, each against its formula, about a hinge and along a
//! slider.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::f64::consts::TAU;
use tumble_dynamics::constraint::{Drive, Freedom, Hinge, Motor, Slider, Softness};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, JointId, World};

const DT: f64 = 1.0 / 240.0;

/// A body with one coordinate: it turns about x, through its centre, or slides along x.
struct Rig {
    world: World,
    body: BodyId,
    joint: JointId,
    turns: bool,
    /// The moment of inertia about the axis, or the mass.
    inertia: f64,
}

impl Rig {
    fn new(turns: bool, freedom: Freedom) -> Self {
        let mut world = World::with_method(Retroactive::new());
        world.set_gravity(DVec3::ZERO);
        let shape = Shape::cuboid([0.5, 0.3, 0.4]).unwrap();
        let body = world.add_body(Body::dynamic().with_shape(shape).with_mass(3.0).without_sleep()).unwrap();
        let hinge = Hinge::at(DVec3::ZERO, DVec3::X).with_turn(freedom);
        let slider = Slider::at(DVec3::ZERO, DVec3::X).with_slide(freedom);
        let joint =
            if turns { Joint::new(JointEnd::World, body, hinge) } else { Joint::new(JointEnd::World, body, slider) };
        let joint = world.add_joint(joint).unwrap();
        // m (b² + c²)/3 with half sizes b and c.
        let inertia = if turns { 0.3 * 0.3 + 0.4 * 0.4 } else { 3.0 };
        Self { world, body, joint, turns, inertia }
    }

    fn moving(mut self, speed: f64) -> Self {
        let mut body = self.world.body_mut(self.body).unwrap();
        let velocity = DVec3::X * speed;
        if self.turns {
            body.set_angular_velocity(velocity).unwrap()
        } else {
            body.set_velocity(velocity).unwrap()
        }
        self
    }

    fn position(&self) -> f64 {
        let along = self.world.body(self.body).unwrap().position().x;
        if self.turns { self.world.joint(self.joint).unwrap().angle().unwrap() } else { along }
    }

    fn speed(&self) -> f64 {
        let body = self.world.body(self.body).unwrap();
        if self.turns { body.angular_velocity().x } else { body.velocity().x }
    }

    /// A step with a force or torque on it.
    fn step(&mut self, load: f64) {
        let mut body = self.world.body_mut(self.body).unwrap();
        let load = DVec3::X * load;
        if self.turns {
            body.apply_torque(load).unwrap()
        } else {
            body.apply_force(load).unwrap()
        }
        self.world.step(DT).unwrap();
    }
}

/// With the largest force f the speed v is reached after I v/f; then it is held against any load up to f, and against a larger
/// load l it gives way with (l − f)/I.
#[test]
fn a_motor_reaches_its_speed_and_holds_it() {
    for (turns, sign) in [(true, 1.0), (true, -1.0), (false, 1.0), (false, -1.0)] {
        let mut rig = Rig::new(turns, Freedom::FREE.with_motor(4.0 * sign, 2.0));
        let reached = rig.inertia * 4.0 / 2.0;
        while rig.world.time() < reached - DT {
            rig.step(0.0);
            assert!((sign * rig.speed() - rig.world.time() * 2.0 / rig.inertia).abs() < 1e-9, "{}", rig.speed());
        }
        for load in [0.0, -1.9, 1.9, -0.5] {
            // The step in which the speed is reached, or the load changes, may end anywhere below it.
            for step in 0..100 {
                rig.step(load);
                assert!(step < 2 || (sign * rig.speed() - 4.0).abs() < 1e-9, "{load} N: {}", rig.speed());
            }
        }
        for step in 1..=20 {
            rig.step(-3.0 * sign);
            let expected = 4.0 - f64::from(step) * DT * (3.0 - 2.0) / rig.inertia;
            assert!((sign * rig.speed() - expected).abs() < 1e-9, "{} instead of {expected}", rig.speed());
        }
    }
}

/// A motor at rest with no bound holds everything.
#[test]
fn a_brake_holds() {
    for turns in [true, false] {
        let brake = Freedom { motor: Some(Motor { speed: 0.0, max_force: None }), ..Freedom::FREE };
        let mut rig = Rig::new(turns, brake).moving(5.0);
        for _ in 0..100 {
            rig.step(1e3);
            assert!(rig.speed().abs() < 1e-6, "{}", rig.speed());
        }
    }
}

/// q = q₀ e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t) about the target.
fn decaying(start: f64, omega: f64, zeta: f64, t: f64) -> f64 {
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    start * libm::exp(-zeta * omega * t) * (libm::cos(damped * t) + zeta * omega / damped * libm::sin(damped * t))
}

#[test]
fn a_drive_is_a_spring_of_its_frequency_and_damping() {
    for turns in [true, false] {
        let (frequency, damping_ratio) = (2.0, 0.2);
        let spring = Softness::Spring { frequency, damping_ratio };
        let drive = Drive { target: 0.5, spring, max_force: None };
        let mut rig = Rig::new(turns, Freedom::FREE.with_drive(drive));
        let mut worst: f64 = 0.0;
        while rig.world.time() < 2.0 {
            rig.step(0.0);
            let expected = 0.5 + decaying(-0.5, TAU * frequency, damping_ratio, rig.world.time());
            worst = worst.max((rig.position() - expected).abs());
        }
        // Measured: 2.1e-4.
        assert!(worst < 3e-4, "{worst:e}");
    }
}

/// A controller by stiffness k and damping d gives way by the load over k.
#[test]
fn a_controller_sags_by_the_load_over_its_stiffness() {
    for turns in [true, false] {
        let spring = Softness::Stiffness { stiffness: 200.0, damping: 30.0 };
        let mut rig = Rig::new(turns, Freedom::FREE.with_drive(Drive { target: 0.1, spring, max_force: None }));
        while rig.world.time() < 4.0 {
            rig.step(-8.0);
        }
        assert!((rig.position() - (0.1 - 8.0 / 200.0)).abs() < 1e-9, "{}", rig.position());
    }
    // With its weight on it: m g/k.
    let spring = Softness::Stiffness { stiffness: 500.0, damping: 60.0 };
    let slide = Freedom::FREE.with_drive(Drive { target: 0.0, spring, max_force: None });
    let mut world = World::with_method(Retroactive::new());
    let body = Body::dynamic().with_shape(Shape::cuboid([0.1, 0.1, 0.1]).unwrap()).with_mass(3.0).without_sleep();
    let body = world.add_body(body).unwrap();
    let slider = Slider::at(DVec3::ZERO, DVec3::Y).with_slide(slide);
    world.add_joint(Joint::new(JointEnd::World, body, slider)).unwrap();
    for _ in 0..1200 {
        world.step(DT).unwrap();
    }
    let sag = world.body(body).unwrap().position().y;
    assert!((sag + 3.0 * 9.81 / 500.0).abs() < 1e-9, "{sag}");
}

/// A drive that may not pull harder than f gives way to any load above f, and stands against any below.
#[test]
fn a_drive_pulls_no_harder_than_it_may() {
    for turns in [true, false] {
        let spring = Softness::Spring { frequency: 4.0, damping_ratio: 1.0 };
        let mut rig = Rig::new(turns, Freedom::FREE.with_drive(Drive { target: 0.0, spring, max_force: Some(2.0) }));
        for _ in 0..480 {
            rig.step(1.9);
        }
        let held = rig.position();
        assert!(rig.speed().abs() < 1e-6, "{}", rig.speed());
        for _ in 0..240 {
            rig.step(3.0);
        }
        assert!(rig.position() > held + 0.1);
        let before = rig.speed();
        rig.step(3.0);
        assert!((rig.speed() - before - DT * (3.0 - 2.0) / rig.inertia).abs() < 1e-9);
    }
}

/// Friction f slows down with f/I, stops, and holds against any load below f.
#[test]
fn friction_stops_a_joint_evenly() {
    for turns in [true, false] {
        let mut rig = Rig::new(turns, Freedom::FREE.with_friction(1.5)).moving(3.0);
        let stops = 3.0 * rig.inertia / 1.5;
        while rig.world.time() < stops - DT {
            rig.step(0.0);
            let expected = 3.0 - rig.world.time() * 1.5 / rig.inertia;
            assert!((rig.speed() - expected).abs() < 1e-9, "{} instead of {expected}", rig.speed());
        }
        for load in [0.0, 0.0, 1.4, -1.4] {
            rig.step(load);
        }
        let (held, way) = (rig.position(), 0.5 * 3.0 * stops);
        assert!((held - way).abs() < 2.0 * DT * DT * 1.5 / rig.inertia, "stopped after {held} instead of {way}");
        for load in [1.4, -1.4].repeat(20) {
            rig.step(load);
            assert!(rig.speed().abs() < 1e-12 && (rig.position() - held).abs() < 1e-9, "{}", rig.speed());
        }
    }
}

/// A limit with the restitution e gives back e times the speed, and is not passed.
#[test]
fn limits_bounce_as_much_as_they_say() {
    for turns in [true, false] {
        for restitution in [0.0, 0.3, 0.8, 1.0] {
            let limits = Freedom { restitution, ..Freedom::between(-0.4, 0.6) };
            let mut rig = Rig::new(turns, limits).moving(2.0);
            let (mut highest, mut lowest) = (0.0_f64, 0.0_f64);
            let mut speeds = vec![2.0];
            for _ in 0..480 {
                rig.step(0.0);
                (highest, lowest) = (highest.max(rig.position()), lowest.min(rig.position()));
                if (rig.speed() - speeds.last().unwrap()).abs() > 1e-6 {
                    speeds.push(rig.speed());
                }
            }
            assert!(highest < 0.6 + 1e-6 && lowest > -0.4 - 1e-6, "from {lowest} to {highest}");
            for pair in speeds.windows(2) {
                assert!((pair[1] + restitution * pair[0]).abs() < 1e-6, "{restitution}: {speeds:?}");
            }
        }
    }
}

/// A limit holds against a load, and lets go when it is pulled away from.
#[test]
fn limits_hold_on_one_side_only() {
    for turns in [true, false] {
        let mut rig = Rig::new(turns, Freedom::between(-1.0, 0.0));
        for _ in 0..240 {
            rig.step(50.0);
        }
        assert!(rig.position().abs() < 1e-9 && rig.speed().abs() < 1e-9, "{}", rig.position());
        for _ in 0..10 {
            rig.step(-5.0);
        }
        let expected = -10.0 * DT * 5.0 / rig.inertia;
        assert!((rig.speed() - expected).abs() < 1e-9, "{} instead of {expected}", rig.speed());
    }
}

/// An undamped spring, as soft or as stiff as may be, at a coarse step, does not make the body swing wider. Nor do a dozen of them side
/// by side.
#[test]
fn no_spring_is_too_stiff() {
    let widest = |stiffness: f64, count: usize| {
        let spring = Softness::Stiffness { stiffness, damping: 0.0 };
        let slide = Freedom::FREE.with_drive(Drive { target: 0.1, spring, max_force: None });
        let mut rig = Rig::new(false, slide);
        for _ in 1..count {
            let slider = Slider::at(DVec3::ZERO, DVec3::X).with_slide(slide);
            rig.world.add_joint(Joint::new(JointEnd::World, rig.body, slider)).unwrap();
        }
        let mut widest: f64 = 0.0;
        for _ in 0..600 {
            rig.world.step(1.0 / 60.0).unwrap();
            widest = widest.max((rig.position() - 0.1).abs());
        }
        widest
    };
    // Alone, and twelve on one body.
    let exponents = (-4..=12).map(|exponent| (exponent, 1)).chain([(-2, 12), (4, 12), (6, 12), (12, 12)]);
    for (exponent, count) in exponents {
        let stiffness = libm::exp2(2.0 * f64::from(exponent));
        let widest = widest(stiffness, count);
        assert!(widest < 0.1001, "{count} of {stiffness} N/m: from 0.1 to {widest}");
    }
}
