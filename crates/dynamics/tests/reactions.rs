//! What joints and contacts exert, against statics.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::{Ball, Distance, Hinge, Softness, Weld};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::instrument::{ACCELERATION_SCALE, Drawn, InstrumentFlags, Recorder};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Breaking, Joint, JointEnd};
use tumble_dynamics::{Body, World};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
}

fn cube(mass: f64) -> Body {
    Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5]).unwrap()).with_mass(mass)
}

fn assert_near(value: DVec3, expected: DVec3, tolerance: f64) {
    assert!((value - expected).length() < tolerance, "{value} instead of {expected}");
}

#[test]
fn a_hanging_weight_pulls_with_its_weight() {
    let mut world = World::with_method(Retroactive::new());
    let weight = world.add_body(cube(3.0).at([0.0, -2.0, 0.0])).unwrap();
    let joint = world.add_joint(Joint::new(JointEnd::World, weight, Ball::at([0.0, 0.0, 0.0]))).unwrap();
    assert_eq!(world.joint(joint).unwrap().reaction().force, DVec3::ZERO);
    run(&mut world, 10);
    let reaction = world.joint(joint).unwrap().reaction();
    assert_near(reaction.force, DVec3::Y * 3.0 * G, 1e-9);
    assert_near(reaction.torque, DVec3::ZERO, 1e-9);
    // Asleep it still hangs there.
    run(&mut world, 120);
    assert!(world.body(weight).unwrap().is_asleep());
    assert_near(world.joint(joint).unwrap().reaction().force, DVec3::Y * 3.0 * G, 1e-9);
    world.joint_mut(joint).unwrap().snap();
    assert_eq!(world.joint(joint).unwrap().reaction().force, DVec3::ZERO);
}

#[test]
fn a_swinging_weight_pulls_with_its_weight_and_the_centripetal_force() {
    let mut world = World::with_method(Retroactive::new());
    let (length, speed) = (2.0, 3.0);
    let weight = Body::particle(0.7).at([0.0, -length, 0.0]).with_velocity([speed, 0.0, 0.0]);
    let weight = world.add_body(weight).unwrap();
    let rope = Distance::rod([0.0, 0.0, 0.0], [0.0, -length, 0.0]);
    let joint = world.add_joint(Joint::new(JointEnd::World, weight, rope)).unwrap();
    let dt = 1e-4;
    world.step(dt).unwrap();
    let expected = 0.7 * (G + speed * speed / length);
    let reaction = world.joint(joint).unwrap().reaction();
    assert!((reaction.force.length() - expected).abs() < 1e-3 * expected, "{} N, not {expected}", reaction.force);
}

#[test]
fn contact_forces_on_a_box_at_rest_sum_to_its_weight() {
    let mut world = World::with_method(Retroactive::new());
    let ground = world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let lower = world.add_body(cube(5.0).at([0.0, 0.5, 0.0])).unwrap();
    let upper = world.add_body(cube(2.0).at([0.2, 1.5, 0.0])).unwrap();
    run(&mut world, 20);
    assert_near(world.contact_wrench(upper).unwrap().force, DVec3::Y * 2.0 * G, 1e-6);
    assert_near(world.contact_wrench(lower).unwrap().force, DVec3::Y * 5.0 * G, 1e-6);
    assert_near(world.contact_wrench(ground).unwrap().force, DVec3::NEG_Y * 7.0 * G, 1e-6);
    // Nothing turns, so the torques about the centres of mass vanish.
    assert_near(world.contact_wrench(upper).unwrap().torque, DVec3::ZERO, 1e-6);
    assert_near(world.contact_wrench(lower).unwrap().torque, DVec3::ZERO, 1e-6);
    for contact in world.contacts_of(upper) {
        let sum: DVec3 = contact.points().map(|point| contact.force_at(&point)).sum();
        assert_near(sum, DVec3::Y * 2.0 * G, 1e-6);
        assert_near(contact.impulse(), DVec3::Y * 2.0 * G * DT, 1e-7);
    }
}

/// A beam of mass m and length l that is fixed at one end: the force m g and the torque m g l/2 about that end.
#[test]
fn a_cantilever_is_held_by_force_and_torque() {
    let mut world = World::with_method(Retroactive::new());
    let beam = Body::dynamic().with_shape(Shape::cuboid([1.0, 0.1, 0.1]).unwrap()).with_mass(4.0).at([1.0, 0.0, 0.0]);
    let beam = world.add_body(beam).unwrap();
    let joint = world.add_joint(Joint::new(JointEnd::World, beam, Weld::at([0.0, 0.0, 0.0]))).unwrap();
    run(&mut world, 10);
    let reaction = world.joint(joint).unwrap().reaction();
    assert_near(reaction.force, DVec3::Y * 4.0 * G, 1e-6);
    assert_near(reaction.torque, DVec3::Z * 4.0 * G * 1.0, 1e-6);
    // Seen from the other end it is the opposite, about the same anchor.
    world.remove_joint(joint).unwrap();
    let joint = world.add_joint(Joint::new(beam, JointEnd::World, Weld::at([0.0, 0.0, 0.0]))).unwrap();
    run(&mut world, 10);
    let reaction = world.joint(joint).unwrap().reaction();
    assert_near(reaction.force, DVec3::NEG_Y * 4.0 * G, 1e-6);
    assert_near(reaction.torque, DVec3::NEG_Z * 4.0 * G * 1.0, 1e-6);
}

/// A horizontal hinge axis through the middle of a door of mass m that leans out by l/2: force m g, torque across the axis
/// only.
#[test]
fn a_hinge_bears_the_torque_across_its_axis() {
    let mut world = World::with_method(Retroactive::new());
    let door = Body::dynamic().with_shape(Shape::cuboid([0.5, 1.0, 0.05]).unwrap()).with_mass(20.0).at([0.5, 0.0, 0.0]);
    let door = world.add_body(door).unwrap();
    let joint =
        world.add_joint(Joint::new(JointEnd::World, door, Hinge::at([0.0, 0.0, 0.0], [0.0, 1.0, 0.0]))).unwrap();
    world.body_mut(door).unwrap().set_angular_velocity([0.0, 0.0, 0.0]).unwrap();
    run(&mut world, 10);
    let reaction = world.joint(joint).unwrap().reaction();
    assert_near(reaction.force, DVec3::Y * 20.0 * G, 1e-6);
    assert_near(reaction.torque, DVec3::Z * 20.0 * G * 0.5, 1e-6);
}

#[test]
fn a_joint_breaks_just_above_what_it_bears() {
    for (factor, breaks) in [(0.99, true), (1.01, false)] {
        let mut world = World::with_method(Retroactive::new());
        let weight = world.add_body(cube(3.0).at([0.0, -2.0, 0.0])).unwrap();
        let breaking = Breaking { force: factor * 3.0 * G, ..Breaking::default() };
        let joint = Joint::new(JointEnd::World, weight, Ball::at([0.0, 0.0, 0.0])).breaking(breaking);
        let joint = world.add_joint(joint).unwrap();
        run(&mut world, 10);
        assert_eq!(world.joint(joint).unwrap().is_broken(), breaks);
    }
}

#[test]
fn forces_of_contacts_and_joints_are_drawn_as_the_accelerations_they_cause() {
    let mut world = World::with_method(Retroactive::new());
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    world.add_body(cube(5.0).at([0.0, 0.5, 0.0])).unwrap();
    let hanging = world.add_body(cube(3.0).at([9.0, 5.0, 0.0])).unwrap();
    world.add_joint(Joint::new(hanging, JointEnd::World, Ball::at([9.0, 7.0, 0.0]))).unwrap();
    run(&mut world, 10);
    let arrows = |flags| {
        let mut recorder = Recorder::default();
        world.draw(flags, &mut recorder);
        let arrow = |drawn: &Drawn| match drawn {
            Drawn::Arrow(from, along, _) => (*from, *along),
            other => panic!("{other:?}"),
        };
        recorder.drawn.iter().map(arrow).collect::<Vec<_>>()
    };
    let contacts = arrows(InstrumentFlags { contact_forces: true, ..Default::default() });
    assert_eq!(contacts.len(), 4);
    assert_near(contacts.iter().map(|arrow| arrow.1).sum(), DVec3::Y * G * ACCELERATION_SCALE, 1e-6);
    let reactions = arrows(InstrumentFlags { reactions: true, ..Default::default() });
    assert_eq!(reactions.len(), 1);
    assert_near(reactions[0].0, DVec3::new(9.0, 7.0, 0.0), 1e-9);
    assert_near(reactions[0].1, DVec3::Y * G * ACCELERATION_SCALE, 1e-6);
}

#[test]
fn a_report_counts_what_a_step_did() {
    let mut world = World::with_method(Retroactive::new());
    assert_eq!(world.report(), Default::default());
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    world.add_body(cube(5.0).at([0.0, 0.5, 0.0])).unwrap();
    world.add_body(cube(5.0).at([3.0, 0.5, 0.0])).unwrap();
    run(&mut world, 5);
    let report = world.report();
    assert_eq!((report.dt, report.awake, report.asleep, report.islands), (DT, 2, 0, 2));
    assert_eq!((report.contacts, report.contact_points), (2, 8));
    assert!(report.solved.sweeps > 0 && report.solved.residual < 1e-9, "{report:?}");
    assert!(report.times.total >= report.times.detect + report.times.solve + report.times.integrate);
    run(&mut world, 100);
    let report = world.report();
    assert_eq!((report.awake, report.asleep, report.solved.sweeps), (0, 2, 0));
}

/// Each of the three measures breaks a joint just above its threshold, not below, with one event and no reaction afterwards: a
/// beam of 4 kg that reaches 2 m out weighs on its seam with m g and m g l/2, and a soft seam opens by what it sags.
#[test]
fn a_joint_breaks_by_force_torque_or_error_at_its_threshold() {
    let softness = Softness::Stiffness { stiffness: 1000.0, damping: 300.0 };
    let (force, torque, sag) = (4.0 * G, 4.0 * G * 1.0, 4.0 * G / 1000.0);
    let never = Breaking::default();
    for (factor, breaks) in [(1.0 - 1e-6, true), (1.0 + 1e-6, false)] {
        let cases = [
            (false, Breaking { force: factor * force, ..never }),
            (false, Breaking { torque: factor * torque, ..never }),
            (true, Breaking { error: factor * sag, ..never }),
        ];
        for (soft, breaking) in cases {
            let mut world = World::with_method(Retroactive::new());
            let beam = Body::dynamic().with_shape(Shape::cuboid([1.0, 0.1, 0.1]).unwrap()).with_mass(4.0);
            let beam = world.add_body(beam.at([1.0, 0.0, 0.0]).without_sleep()).unwrap();
            let joint = if soft {
                Joint::new(JointEnd::World, beam, Ball { anchor: DVec3::X, softness })
            } else {
                Joint::new(JointEnd::World, beam, Weld::at(DVec3::ZERO))
            };
            let joint = world.add_joint(joint.breaking(breaking)).unwrap();
            let mut events = 0;
            for _ in 0..600 {
                world.step(DT).unwrap();
                events += world.events().broken.iter().filter(|event| event.joint == joint).count();
            }
            assert_eq!(
                (world.joint(joint).unwrap().is_broken(), events),
                (breaks, usize::from(breaks)),
                "{breaking:?}"
            );
            let still_held = world.joint(joint).unwrap().reaction().force.length() > 0.0;
            assert_eq!(still_held, !breaks);
        }
    }
}
