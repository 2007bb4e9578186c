//! A step that fails has not happened: state, memory, events and journal are as before, and what follows is what would have
//! followed without it, to the last bit.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tumble_dynamics::constraint::{Ball, Hinge};
use tumble_dynamics::force::{Force, ForceContext, Wrenches};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::integrator::Verlet;
use tumble_dynamics::method::{Method, Realtime, Retroactive};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Cancel, Id, Material, StepError, World};

const DT: f64 = 1.0 / 60.0;

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

/// Boxes that bounce about, a chain, a door, bodies asleep: contacts and joints alive.
fn world(on: &Arc<AtomicBool>, method: Box<dyn Method>) -> (World, BodyId) {
    let mut world = World::with_method(Retroactive::new());
    world.set_boxed_method(method);
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let mut random = fastrand::Rng::with_seed(8);
    let material = Material { restitution: 0.4, perturbation: 0.05, ..Material::default() };
    let mut last = None;
    for i in 0..24 {
        let at = DVec3::new(random.f64() * 2.0 - 1.0, 0.4 + 0.4 * f64::from(i), random.f64() * 2.0 - 1.0);
        let shape = if i % 3 == 0 { Shape::capsule(0.2, 0.2) } else { Shape::cuboid([0.3, 0.2, 0.25]) };
        let body = Body::dynamic().with_shape(shape.unwrap()).with_material(material).at(at);
        let id = world.add_body(body).unwrap();
        if let Some((before, place)) = last.filter(|_| i % 4 != 0) {
            world.add_joint(Joint::new(before, id, Ball::at(0.5 * (place + at)))).unwrap();
        }
        last = Some((id, at));
    }
    let door = Body::dynamic().with_shape(Shape::cuboid([0.5, 1.0, 0.05]).unwrap()).at([4.0, 1.1, 0.0]);
    let door = world.add_body(door.with_angular_velocity([0.0, 2.0, 0.0])).unwrap();
    world.add_joint(Joint::new(JointEnd::World, door, Hinge::at([3.5, 1.0, 0.0], DVec3::Y))).unwrap();
    world.add_force(Fault { on: on.clone(), body: door });
    (world, door)
}

/// The methods that a step is taken back with.
const METHODS: [fn() -> Box<dyn Method>; 3] = [
    || Box::new(Retroactive::new()),
    || Box::new(Retroactive::new().with_integrator(Verlet::default())),
    || Box::new(Realtime::new()),
];

/// Everything there is to see of a world after a step.
fn look(world: &World) -> (u64, usize, u64) {
    let hash =
        |bytes: &[u8]| bytes.iter().fold(7_u64, |hash, &byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let events = format!("{:?}", world.events());
    (
        world.state().fingerprint(),
        world.events().contacts.len(),
        hash(&world.save().to_bytes()) ^ hash(events.as_bytes()),
    )
}

#[test]
fn a_failed_step_leaves_no_trace() {
    for method in METHODS {
        let (on, never) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let ((mut failing, door), (mut smooth, _)) = (world(&on, method()), world(&never, method()));
        for step in 0..240 {
            if step % 7 == 3 {
                let before = look(&failing);
                on.store(true, Ordering::Relaxed);
                for _ in 0..2 {
                    let error = failing.step(DT).unwrap_err();
                    assert!(matches!(error, StepError::ForceNotFinite { body, .. } if body == door), "{error}");
                    assert_eq!(look(&failing), before, "step {step}");
                    failing.validate().unwrap();
                }
                on.store(false, Ordering::Relaxed);
            }
            failing.step(DT).unwrap();
            smooth.step(DT).unwrap();
            assert_eq!(look(&failing), look(&smooth), "step {step}");
        }
        assert!(smooth.contacts().count() > 5, "there are contacts to lose");
    }
}

/// Changes made before a step that fails are still new to the step after it.
#[test]
fn a_failed_step_does_not_swallow_changes() {
    for method in METHODS {
        let on = Arc::new(AtomicBool::new(false));
        let ((mut failing, _), (mut smooth, _)) = (world(&on, method()), world(&Arc::default(), method()));
        let mut random = fastrand::Rng::with_seed(2);
        let ids: Vec<BodyId> = smooth.bodies().map(|(id, _)| id).skip(1).collect();
        for step in 0..120 {
            if step % 5 == 0 {
                let id = ids[random.usize(..ids.len())];
                let at = DVec3::new(random.f64(), 1.0 + random.f64(), random.f64());
                for world in [&mut failing, &mut smooth] {
                    world.body_mut(id).unwrap().set_position(at).unwrap();
                    world.body_mut(id).unwrap().set_velocity(DVec3::ZERO).unwrap();
                }
                let changes = failing.changes().clone();
                on.store(true, Ordering::Relaxed);
                assert!(failing.step(DT).is_err());
                on.store(false, Ordering::Relaxed);
                assert_eq!(*failing.changes(), changes);
            }
            failing.step(DT).unwrap();
            smooth.step(DT).unwrap();
            assert_eq!(look(&failing), look(&smooth), "step {step}");
        }
    }
}

/// Ends the step under way when forces are asked for the n-th time: a moment inside the step that does not depend on clocks.
#[derive(Debug)]
struct Interrupter {
    /// How many more times they are asked for until then; none: never.
    countdown: Arc<AtomicUsize>,
    cancel: Cancel,
}

impl Force for Interrupter {
    fn apply(&self, _context: &ForceContext<'_>, _wrenches: &mut Wrenches) {
        let before = self.countdown.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if before == Ok(1) {
            self.cancel.cancel();
        }
    }
}

/// Whoever interrupts a step, early or late in it, has not changed a bit of what comes after.
#[test]
fn an_interrupted_step_leaves_no_trace() {
    for method in METHODS {
        let countdown = Arc::new(AtomicUsize::new(0));
        let add = |world: &mut World, countdown: &Arc<AtomicUsize>| {
            let cancel = world.cancel().clone();
            world.add_force(Interrupter { countdown: countdown.clone(), cancel });
        };
        let ((mut interrupted, _), (mut smooth, _)) =
            (world(&Arc::default(), method()), world(&Arc::default(), method()));
        add(&mut interrupted, &countdown);
        add(&mut smooth, &Arc::default());
        let mut ended = 0;
        for step in 0..120 {
            if step % 3 == 1 {
                let before = look(&interrupted);
                countdown.store(1 + step / 3 % 3, Ordering::Relaxed);
                // A step that asks less often than that is not interrupted; then there is nothing to compare.
                let known = interrupted.snapshot();
                match interrupted.step(DT) {
                    Err(error) => {
                        assert_eq!(error, StepError::Cancelled);
                        assert_eq!(look(&interrupted), before, "step {step}");
                        interrupted.validate().unwrap();
                        ended += 1;
                    }
                    Ok(()) => interrupted.restore(&known),
                }
                countdown.store(0, Ordering::Relaxed);
                interrupted.cancel().clear();
            }
            interrupted.step(DT).unwrap();
            smooth.step(DT).unwrap();
            assert_eq!(look(&interrupted), look(&smooth), "step {step}");
        }
        assert!(ended >= 20, "{ended} steps were interrupted");
    }
}
