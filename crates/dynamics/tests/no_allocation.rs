//! A step needs no memory once the lists have grown to their size: nothing is allocated by the world, its journal, its index and
//! its events, nor by whoever reads what happened. Methods can keep to that; the two here do.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::{Ball, Hinge};
use tumble_dynamics::contact::{Contact, ContactPoint, ContactPoints};
use tumble_dynamics::event::Phase;
use tumble_dynamics::force::{Drag, FnForce, ForceContext, Wrenches};
use tumble_dynamics::geometry::{Ray, Shape, Transform};
use tumble_dynamics::method::{Method, StepContext};
use tumble_dynamics::model::{Joint, JointEnd, Script};
use tumble_dynamics::parts::{forces, notices, pairs, scripts};
use tumble_dynamics::{Body, BodyId, ColliderId, Id, StepError, Workers, World};

const DT: f64 = 1.0 / 64.0;

/// Lets time pass and nothing happen.
#[derive(Clone, Debug)]
struct Idle;

impl Method for Idle {
    fn name(&self) -> &'static str {
        "idle"
    }

    fn step(&mut self, _: &mut StepContext<'_>) -> Result<(), StepError> {
        Ok(())
    }

    fn reset(&mut self) {}

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

/// Swings the bodies to and fro, each about where it was, and tells which boxes of their colliders meet.
#[derive(Clone, Debug, Default)]
struct Swing {
    bodies: Vec<BodyId>,
    homes: Vec<DVec3>,
    wrenches: Wrenches,
    meetings: Vec<Meeting>,
    before: Vec<Meeting>,
}

/// Two colliders that meet.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    colliders: [ColliderId; 2],
    bodies: [BodyId; 2],
    point: ContactPoint,
}

impl ContactPoints for Meeting {
    fn count(&self) -> usize {
        1
    }

    fn point(&self, _: usize) -> ContactPoint {
        self.point
    }
}

impl Meeting {
    fn view(&self) -> Contact<'_> {
        let material = tumble_dynamics::model::ContactMaterial {
            restitution: 0.0,
            static_friction: 0.0,
            dynamic_friction: 0.0,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            perturbation: 0.0,
        };
        Contact::new(self.colliders, self.bodies, material, DT, self)
    }
}

impl Method for Swing {
    fn name(&self) -> &'static str {
        "swing"
    }

    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let StepContext { model, changes, state, dt, index, events, tell_ongoing, workers, .. } = context;
        if changes.is_everything() {
            self.bodies = model.bodies().iter().filter(|(_, body)| body.kind.moves()).map(|(id, _)| id).collect();
            self.homes = self.bodies.iter().map(|id| state.bodies[id.slot()].position).collect();
        }
        index.refresh(model, state);
        let time = state.time + *dt;
        forces::sum(model, time, &state.bodies, &mut self.wrenches);
        for (id, home) in self.bodies.iter().zip(&self.homes) {
            let phase = id.slot() as f64;
            state.bodies[id.slot()].position = *home + DVec3::X * (0.4 * libm::sin(4.0 * time + phase));
        }
        scripts::follow(model, &self.bodies, time, &mut state.bodies);
        workers.for_each(&mut state.bodies, 1, || (), |(), body| body.quiet_time += 1.0);
        for (id, collider) in model.colliders().iter() {
            let body = &state.bodies[collider.body.slot()];
            index.relocate(id, &collider.shape.aabb(&(body.center_pose() * collider.center_pose)), DVec3::ZERO);
        }
        std::mem::swap(&mut self.meetings, &mut self.before);
        self.meetings.clear();
        let meetings = &mut self.meetings;
        index.pairs(model, |colliders| {
            if pairs::may_meet(model, colliders) {
                let bodies = colliders.map(|id| model.colliders().get(id).unwrap().body);
                meetings.push(Meeting { colliders, bodies, point: ContactPoint::default() });
            }
        })?;
        meetings.sort_unstable_by_key(|meeting| meeting.colliders);
        let is_in = |list: &[Meeting], meeting: &Meeting| {
            list.binary_search_by_key(&meeting.colliders, |other| other.colliders).is_ok()
        };
        for meeting in &self.meetings {
            let phase = if is_in(&self.before, meeting) { Phase::Persist } else { Phase::Begin };
            notices::tell_contact(events, time, phase, *tell_ongoing, &meeting.view());
        }
        for meeting in self.before.iter().filter(|meeting| !is_in(&self.meetings, meeting)) {
            notices::tell_contact(events, time, Phase::End, *tell_ongoing, &meeting.view());
        }
        events.sort();
        Ok(())
    }

    fn visit_contacts<'a>(&'a self, visit: &mut dyn FnMut(Contact<'a>)) {
        self.meetings.iter().for_each(|meeting| visit(meeting.view()));
    }

    fn reset(&mut self) {}

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

/// Up and down.
#[derive(Debug)]
struct Lift;

impl Script for Lift {
    fn pose(&self, time: f64) -> Transform {
        Transform::from_translation(DVec3::new(-3.0, libm::sin(4.0 * time), 0.0))
    }
}

/// Boxes in rows, some of them in joints, fixed ones between them, a scripted one, forces of several kinds.
fn build(method: impl Method + 'static) -> (World, Vec<BodyId>) {
    let mut world = World::with_method(method);
    let shape = Shape::cuboid([0.4; 3]).unwrap();
    let mut moving = Vec::new();
    for number in 0..200 {
        let at = DVec3::new(f64::from(number % 10), f64::from(number / 10 % 5), f64::from(number / 50));
        let body = if number % 4 == 3 { Body::fixed() } else { Body::dynamic() };
        let id = world.add_body(body.with_shape(shape.clone()).at(at)).unwrap();
        match number % 4 {
            0 => world.add_joint(Joint::new(JointEnd::World, id, Hinge::at(at, DVec3::Z))).map(drop).unwrap(),
            1 => world.add_joint(Joint::new(JointEnd::World, id, Ball::at(at))).map(drop).unwrap(),
            2 => moving.push(id),
            _ => (),
        }
    }
    world.add_body(Body::scripted(Lift).with_shape(shape)).unwrap();
    world.add_force(Drag { linear: 1.0, ..Drag::default() });
    world.add_force(FnForce::new("wind", |context: &ForceContext<'_>, wrenches: &mut Wrenches| {
        (0..context.bodies.len()).for_each(|slot| wrenches.add_force(slot, DVec3::X));
    }));
    (world, moving)
}

/// A frame of a game: pushes, a step, then everything that can be asked.
fn frame(world: &mut World, moving: &[BodyId]) -> usize {
    for &id in moving {
        let mut body = world.body_mut(id).unwrap();
        body.apply_force([0.0, 1.0, 0.0]).unwrap();
        body.set_velocity([0.0, 0.1, 0.0]).unwrap();
    }
    world.step(DT).unwrap();
    let mut seen = 0;
    for event in &world.events().contacts {
        seen += 1 + world.events().points(event).len();
    }
    world.visit_contacts(|contact| seen += contact.points().len());
    world.visit_contacts_of(moving[0], |contact| seen += contact.points().len());
    world.contact_wrench(moving[0]).unwrap();
    let ray = Ray::new(DVec3::new(-9.0, 0.1, 0.1), DVec3::X).unwrap();
    seen + usize::from(world.cast_ray(&ray, 100.0, |_| true).is_some())
}

fn check(mut world: World, moving: &[BodyId], name: &str) {
    world.set_contact_rate(20.0).unwrap();
    world.set_workers(Workers::new(1));
    for _ in 0..500 {
        frame(&mut world, moving);
    }
    let mut seen = 0;
    for number in 0..300 {
        let info = allocation_counter::measure(|| seen += frame(&mut world, moving));
        assert_eq!(info.count_total, 0, "{name}, frame {number}: {info:?}");
    }
    assert!(seen >= 300, "{name}: {seen}");
}

#[test]
fn a_step_of_a_method_that_does_nothing_allocates_nothing() {
    let (world, moving) = build(Idle);
    check(world, &moving, "idle");
}

#[test]
fn a_step_with_the_index_forces_scripts_and_events_allocates_nothing() {
    let (mut world, moving) = build(Swing::default());
    world.step(DT).unwrap();
    let told = (0..100).map(|_| {
        world.step(DT).unwrap();
        let phases = [Phase::Begin, Phase::Persist, Phase::End];
        phases.map(|phase| world.events().contacts.iter().filter(|event| event.phase == phase).count())
    });
    let told = told.fold([0; 3], |sum, told| [sum[0] + told[0], sum[1] + told[1], sum[2] + told[2]]);
    assert!(told.iter().all(|&count| count > 10), "{told:?}");
    check(world, &moving, "swing");
}
