//! The suspension of a car: its frequency is that of the mass it carries, whatever the car weighs.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::f64::consts::TAU;
use tumble_dynamics::constraint::{Drive, Freedom, Softness, Wheel};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::{Method, Realtime, Retroactive};
use tumble_dynamics::model::Joint;
use tumble_dynamics::{Body, BodyId, JointId, Material, World};

const DT: f64 = 1.0 / 120.0;

const METHODS: [fn() -> Box<dyn Method>; 2] = [|| Box::new(Retroactive::new()), || Box::new(Realtime::new())];

fn spring(frequency: f64, damping_ratio: f64) -> Freedom {
    let spring = Softness::Spring { frequency, damping_ratio };
    Freedom::between(-0.3, 0.3).with_drive(Drive { spring, ..Drive::default() })
}

/// A chassis of so many kilograms with wheels of others at these places, on a floor.
fn car(
    method: fn() -> Box<dyn Method>,
    mass: f64,
    wheel: f64,
    places: &[[f64; 2]],
    travel: Freedom,
) -> (World, BodyId, Vec<JointId>) {
    let mut world = World::new();
    world.set_boxed_method(method());
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let chassis = Body::dynamic().at([0.0, 0.8, 0.0]).with_shape(Shape::cuboid([1.8, 0.2, 0.7]).unwrap());
    let chassis = world.add_body(chassis.with_mass(mass).without_sleep()).unwrap();
    let mut wheels = Vec::new();
    for &[x, z] in places {
        let center = DVec3::new(x, 0.35, z);
        let tyre = Body::dynamic().at(center).with_shape(Shape::sphere(0.35).unwrap()).with_material(Material::RUBBER);
        let tyre = world.add_body(tyre.with_mass(wheel).without_sleep()).unwrap();
        let joint = Wheel::at(center, DVec3::Y, DVec3::Z).with_travel(travel);
        wheels.push(world.add_joint(Joint::new(chassis, tyre, joint)).unwrap());
    }
    (world, chassis, wheels)
}

const CORNERS: [[f64; 2]; 4] = [[1.3, 0.8], [1.3, -0.8], [-1.3, 0.8], [-1.3, -0.8]];

/// `g/(2π f)²`: 62 mm at 2 Hz, whatever the chassis and the wheels weigh.
#[test]
fn a_car_sags_by_what_its_frequency_says() {
    for method in METHODS {
        for (mass, wheel, frequency) in
            [(300.0, 12.0, 2.0), (1500.0, 20.0, 1.5), (40.0, 10.0, 3.0), (20_000.0, 60.0, 2.0)]
        {
            let (mut world, chassis, wheels) = car(method, mass, wheel, &CORNERS, spring(frequency, 1.0));
            (0..240).for_each(|_| world.step(DT).unwrap());
            let sag = 0.8 - world.body(chassis).unwrap().position().y;
            let expected = 9.81 / (TAU * frequency * TAU * frequency);
            assert!(
                (sag - expected).abs() < 0.03 * expected,
                "{mass} kg at {frequency} Hz sags {sag} m, not {expected} m"
            );
            for &wheel in &wheels {
                let travel = world.joint(wheel).unwrap().coordinate("travel").unwrap().position();
                assert!((travel - expected).abs() < 0.05 * expected, "{travel}");
            }
        }
    }
}

/// A loosely damped car bounces at its frequency.
#[test]
fn a_car_bounces_at_its_frequency() {
    for method in METHODS {
        let (mut world, chassis, _) = car(method, 1000.0, 5.0, &CORNERS, spring(2.0, 0.02));
        let mut crossings = Vec::new();
        let mut before = f64::NAN;
        for _ in 0..600 {
            world.step(DT).unwrap();
            let speed = world.body(chassis).unwrap().velocity().y;
            if before < 0.0 && speed >= 0.0 {
                crossings.push(world.time() - DT * speed / (speed - before));
            }
            before = speed;
        }
        let periods = (crossings.len() - 1) as f64;
        let frequency = periods / (crossings[crossings.len() - 1] - crossings[0]);
        assert!((frequency - 2.0).abs() < 0.06, "{frequency} Hz");
    }
}

/// Two wheels, three, six, and a load that is not in the middle: each bears its share, and the chassis stays level enough.
#[test]
fn any_number_of_wheels_bears_the_car() {
    let tricycle = [[1.3, 0.0], [-0.65, 0.8], [-0.65, -0.8]];
    let lorry = [[1.5, 0.8], [1.5, -0.8], [-0.3, 0.8], [-0.3, -0.8], [-1.2, 0.8], [-1.2, -0.8]];
    for places in [&tricycle[..], &lorry[..]] {
        let (mut world, chassis, _) = car(METHODS[0], 900.0, 15.0, places, spring(2.0, 1.0));
        (0..240).for_each(|_| world.step(DT).unwrap());
        let body = world.body(chassis).unwrap();
        assert!(body.pose().vector(DVec3::Y).y > 0.9999, "{places:?} tips: {}", body.pose().vector(DVec3::Y));
        let sag = 0.8 - body.position().y;
        assert!((sag - 0.0621).abs() < 0.006, "{places:?} sags {sag} m");
    }
}

/// Cargo that is put on the chassis, and a wheel that is lost, change what the springs bear.
#[test]
fn loads_follow_the_car() {
    let (mut world, chassis, _) = car(METHODS[0], 500.0, 15.0, &CORNERS, spring(2.0, 1.0));
    world.body_mut(chassis).unwrap().set_mass(2000.0).unwrap();
    (0..240).for_each(|_| world.step(DT).unwrap());
    let sag = 0.8 - world.body(chassis).unwrap().position().y;
    assert!((sag - 0.0621).abs() < 0.002, "{sag}");
}

/// A car that drives at 5 m/s, straight on or with its front wheels turned by an angle to the left: the world after four seconds of it,
/// and how much work a step of the last second was: sweeps of the solver, and substeps.
fn drive(method: fn() -> Box<dyn Method>, angle: f64) -> (World, BodyId, f64) {
    let (mut world, chassis, wheels) = car(method, 1000.0, 20.0, &CORNERS, spring(1.5, 0.4));
    for (index, &wheel) in wheels.iter().enumerate() {
        let mut joint = world.joint_mut(wheel).unwrap();
        joint.set_freedom("spin", Freedom::FREE.with_motor(-5.0 / 0.35, 400.0)).unwrap();
        let steering = Softness::Spring { frequency: 5.0, damping_ratio: 1.0 };
        let target = if index < 2 { angle } else { 0.0 };
        joint
            .set_freedom("steering", Freedom::FREE.with_drive(Drive { target, spring: steering, max_force: None }))
            .unwrap();
    }
    let mut work = 0;
    for step in 0..480 {
        world.step(DT).unwrap();
        let report = world.report();
        if step >= 360 {
            work += report.solved.sweeps + report.work.exact_substeps + report.work.heap_substeps;
        }
    }
    (world, chassis, work as f64 / 120.0)
}

/// Straight on it goes straight on; with the wheels turned it goes round a circle of the radius `b / tan δ` about its rear axle, keeps all
/// wheels on the ground and hardly leans; and a bend is not much more work than a straight road.
#[test]
fn a_car_drives_as_a_car_should() {
    for method in METHODS {
        let (world, chassis, straight) = drive(method, 0.0);
        let body = world.body(chassis).unwrap();
        assert!((body.velocity() - DVec3::X * 5.0).length() < 0.02, "{}", body.velocity());
        // It began at rest and was brought to its speed by its wheels.
        assert!(body.position().z.abs() < 5e-3 && (15.0..20.0).contains(&body.position().x), "{}", body.position());
        let (world, chassis, bend) = drive(method, 0.2);
        let body = world.body(chassis).unwrap();
        let name = world.method().name();
        let radius = 2.6 / libm::tan(0.2);
        // The middle of the chassis is half a wheelbase before the rear axle.
        let speed = body.velocity().length();
        let expected = speed / DVec3::new(radius, 0.0, 1.3).length();
        let turns = body.angular_velocity().y;
        println!("{name}: {turns} rad/s, expected {expected}; work {straight} and {bend} a step");
        assert!((turns - expected).abs() < 0.1 * expected, "{name}: {turns} rad/s, expected {expected}");
        assert!(speed > 4.5 && speed < 5.5, "{name}: {speed} m/s");
        assert!(body.pose().vector(DVec3::Y).y > 0.999, "{name} leans: {}", body.pose().vector(DVec3::Y));
        assert!(bend < 3.0 * straight + 3.0, "{name}: {bend} instead of {straight}");
    }
}
