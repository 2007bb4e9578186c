//! What every method promises: a failed step leaves no trace, a saved run goes on bit for bit, and what it cannot do it says.

use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tumble_dynamics::constraint::{Ball, Hinge};
use tumble_dynamics::force::{Force, ForceContext, Wrenches};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::verlet::Form;
use tumble_dynamics::method::{
    Advancing, ContactModel, ImpactDynamics, Method, Penalty, PenaltySettings, Retroactive, VerletLoop, VerletSettings,
};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Id, Material, SavedState, StepError, World};

const DT: f64 = 1.0 / 60.0;

/// All classic methods, and whether they have joints.
fn methods() -> Vec<(Box<dyn Method>, bool)> {
    let without = VerletSettings { form: Form::VelocityLess, ..VerletSettings::default() };
    vec![
        (Box::new(VerletLoop::default()), true),
        (Box::new(VerletLoop::new(without)), true),
        (Box::new(Penalty::default()), true),
        (Box::new(ImpactDynamics::default()), false),
        (Box::new(Advancing::default()), false),
    ]
}

/// Pulls at one body with a force that is not finite, while a switch is on.
#[derive(Debug)]
struct Fault {
    on: Arc<AtomicBool>,
    body: BodyId,
}

impl Force for Fault {
    fn apply(&self, _context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        if self.on.load(Ordering::Relaxed) {
            wrenches.add_force(self.body.slot(), DVec3::splat(f64::NAN));
        }
    }
}

/// A few bodies that fall onto the floor, with a chain and a door if the method has joints.
fn world(on: &Arc<AtomicBool>, method: Box<dyn Method>, joints: bool) -> World {
    let mut world = World::new();
    world.set_boxed_method(method);
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let material = Material { restitution: 0.6, perturbation: 0.05, ..Material::default() };
    let mut last = None;
    for i in 0..6 {
        let at = DVec3::new(0.45 * f64::from(i), 0.6 + 0.1 * f64::from(i), 0.1 * f64::from(i % 2));
        let shape = if i % 3 == 0 { Shape::capsule(0.2, 0.2) } else { Shape::cuboid([0.2, 0.15, 0.2]) };
        let id = world.add_body(Body::dynamic().with_shape(shape.unwrap()).with_material(material).at(at)).unwrap();
        if let Some((before, place)) = last.filter(|_| joints && i % 3 != 0) {
            world.add_joint(Joint::new(before, id, Ball::at(0.5 * (place + at)))).unwrap();
        }
        last = Some((id, at));
    }
    let door = Body::dynamic().with_shape(Shape::cuboid([0.5, 1.0, 0.05]).unwrap()).at([5.0, 3.1, 0.0]);
    let door = world.add_body(door.with_angular_velocity([0.0, 2.0, 0.0])).unwrap();
    if joints {
        world.add_joint(Joint::new(JointEnd::World, door, Hinge::at([4.5, 3.0, 0.0], DVec3::Y))).unwrap();
    }
    world.add_force(Fault { on: on.clone(), body: door });
    world
}

#[test]
fn a_failed_step_leaves_no_trace_and_a_saved_run_goes_on_bit_for_bit() {
    let springs = ContactModel::Penalty(PenaltySettings::default());
    let on_springs: Box<dyn Method> = Box::new(Retroactive::new().with_contact_model(springs));
    for (method, joints) in methods().into_iter().chain([(on_springs, true)]) {
        let name = method.name();
        let on = Arc::new(AtomicBool::new(false));
        let mut through = world(&on, method.clone_box(), joints);
        let mut interrupted = world(&on, method.clone_box(), joints);
        let mut touched = false;
        for step in 0..36 {
            through.step(DT).unwrap();
            touched |= through.contacts().count() > 0;
            if step % 9 == 4 {
                on.store(true, Ordering::Relaxed);
                let before = (interrupted.save().to_bytes(), format!("{:?}", interrupted.events()));
                assert!(interrupted.step(DT).is_err(), "{name}");
                assert_eq!(before, (interrupted.save().to_bytes(), format!("{:?}", interrupted.events())), "{name}");
                on.store(false, Ordering::Relaxed);
                let saved = SavedState::from_bytes(&interrupted.save().to_bytes()).unwrap();
                interrupted = world(&on, method.clone_box(), joints);
                interrupted.load(&saved).unwrap();
            }
            interrupted.step(DT).unwrap();
            interrupted.validate().unwrap();
            assert_eq!(through.state().fingerprint(), interrupted.state().fingerprint(), "{name} at step {step}");
        }
        assert!(touched || name == "advancing", "{name}: they touch");
    }
}

#[test]
fn methods_without_joints_say_so_and_name_others() {
    for (method, _) in methods().into_iter().filter(|(_, joints)| !joints) {
        let name = method.name();
        let mut world = world(&Arc::new(AtomicBool::new(false)), method, true);
        let error = world.step(DT).unwrap_err();
        assert!(matches!(error, StepError::Cannot { .. }));
        let text = error.to_string();
        assert!(text.contains(name) && text.contains("joints") && text.contains("retroactive"), "{text}");
    }
}

#[test]
fn what_sleeps_wakes_up() {
    for (method, _) in methods() {
        let mut world = World::new();
        let id = world.add_body(Body::dynamic().with_shape(Shape::sphere(0.5).unwrap())).unwrap();
        world.body_mut(id).unwrap().sleep();
        world.set_boxed_method(method);
        world.step(DT).unwrap();
        assert!(!world.body(id).unwrap().is_asleep() && world.events().woke.len() == 1);
    }
}
