//! Nothing a user can do makes a world panic, hang or leaves it with a motion that is not finite: bodies of all shapes,
//! joints and forces are added, removed, moved, changed and broken at random between steps, with NaN, infinities, zeros,
//! overlapping starts, distances of 10⁶ m and mass ratios of 10⁶ thrown in, under every integrator, solver and broad
//! phase. What is refused is refused with an error, and then nothing has changed.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod swarm;
mod things;

use glam::DVec3;
use serde_json::json;
use things::Chaos;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::force::{Force, ForceContext, Wrenches};
use tumble_dynamics::geometry::{Ray, Shape, Transform};
use tumble_dynamics::instrument::{InstrumentFlags, Recorder};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{MaterialMixing, Sleep};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{Body, BodyId, ForceId, JointId, StepError, World};

/// How many worlds: a default, or the number in the environment.
pub(crate) fn cases(default: u64) -> u64 {
    std::env::var("TUMBLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

const MOST_BODIES: usize = 40;

/// A world and all ids that ever were, so that things long gone are asked for too.
struct Victim {
    world: World,
    /// The name and the properties of its method.
    method: (&'static str, serde_json::Value),
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
    forces: Vec<ForceId>,
}

/// A force whose kind is not known when the program is written.
#[derive(Debug)]
struct Boxed(std::sync::Arc<dyn Force>);

impl Force for Boxed {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        self.0.apply(context, wrenches);
    }

    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        self.0.potential_energy(context)
    }
}

impl Victim {
    fn new(chaos: &mut Chaos, method: &'static str) -> Self {
        let mut world = World::with_method(Retroactive::new());
        let registry = Registry::default();
        let properties = match method {
            "realtime" => {
                json!({ "substeps": chaos.pick(&[1, 2, 4, 7]), "exact_contacts": chaos.pick(&[0, 10, 64, 1000]) })
            }
            _ => Self::parts(chaos, &registry),
        };
        world.set_boxed_method(registry.method(method, &properties).unwrap());
        let method = (method, properties);
        let mut victim = Self { world, method, bodies: Vec::new(), joints: Vec::new(), forces: Vec::new() };
        if !chaos.once_in(4) {
            let ground = Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap());
            victim.bodies.push(victim.world.add_body(ground).unwrap());
        }
        (0..20).for_each(|_| victim.add_body(chaos));
        victim
    }

    /// Any parts of the retroactive method, the usual ones more often.
    fn parts(chaos: &mut Chaos, registry: &Registry) -> serde_json::Value {
        let name = |chaos: &mut Chaos, usual: &str, parts: Vec<String>| {
            let unusual = &parts[chaos.random.usize(0..parts.len())];
            json!({ "name": if chaos.once_in(2) { usual } else { unusual } })
        };
        let integrators = registry.integrators.parts().map(|part| part.name.clone()).collect();
        let solvers = registry.solvers.parts().map(|part| part.name.clone()).collect();
        let broad_phases = registry.broad_phases.parts().map(|part| part.name.clone()).collect();
        let mut integrator = name(chaos, "velocity_verlet", integrators);
        if integrator["name"] == "cash_karp" {
            // As many parts as there are by default take very long where motions are wild.
            integrator["properties"] = json!({ "max_parts": 100 });
        }
        json!({
            "integrator": integrator,
            "solver": name(chaos, "direct", solvers),
            "broad_phase": name(chaos, "dynamic_tree", broad_phases),
        })
    }

    fn add_body(&mut self, chaos: &mut Chaos) {
        if self.world.model().bodies().len() < MOST_BODIES {
            self.bodies.extend(self.world.add_body(chaos.body()));
        }
    }

    /// One random change; whether it is accepted or refused does not matter here.
    fn meddle(&mut self, chaos: &mut Chaos) {
        match chaos.random.u32(0..22) {
            0..=5 => self.add_body(chaos),
            6..=7 => self.remove_something(chaos),
            8..=10 => self.move_a_body(chaos),
            11..=12 => self.change_a_body(chaos),
            13 => self.change_a_collider(chaos),
            14..=16 => {
                let joint = chaos.joint(&self.bodies);
                self.joints.extend(self.world.add_joint(joint));
            }
            17 => self.change_a_joint(chaos),
            18 => self.change_the_rules(chaos),
            19 => self.go_back_in_time(chaos),
            20 => self.refuse_steps(),
            _ => self.ask(chaos),
        }
    }

    fn some_body(&mut self, chaos: &mut Chaos) -> Option<BodyId> {
        self.bodies.get(chaos.random.usize(0..self.bodies.len().max(1))).copied()
    }

    fn remove_something(&mut self, chaos: &mut Chaos) {
        let Some(id) = self.some_body(chaos) else { return };
        let world = &mut self.world;
        match chaos.random.u32(0..3) {
            0 => {
                let existed = world.body(id).is_ok();
                assert_eq!(world.remove_body(id).is_ok(), existed, "removal of {id:?}");
                assert!(world.body(id).is_err());
            }
            1 => {
                let collider = world.body(id).ok().and_then(|body| body.model().colliders.first().copied());
                let _ = collider.map(|collider| world.remove_collider(collider));
            }
            _ => {
                let joint = self.joints.get(chaos.random.usize(0..self.joints.len().max(1)));
                let _ = joint.map(|&joint| world.remove_joint(joint));
            }
        }
    }

    fn move_a_body(&mut self, chaos: &mut Chaos) {
        let Some(mut body) = self.some_body(chaos).and_then(|id| self.world.body_mut(id).ok()) else { return };
        let _ = match chaos.random.u32(0..9) {
            0 => body.set_pose(chaos.pose(2.0)),
            1 => body.set_position(chaos.vector(2.0)),
            2 => body.set_velocity(chaos.vector(10.0)),
            3 => body.set_angular_velocity(chaos.vector(10.0)),
            4 => body.apply_force_at(chaos.vector(1e3), chaos.vector(1.0)),
            5 => body.apply_impulse_at(chaos.vector(10.0), chaos.vector(1.0)),
            6 => body.apply_torque(chaos.vector(100.0)),
            7 => body.apply_impulse(chaos.vector(10.0)).and(body.apply_force(chaos.vector(1e3))),
            _ => {
                body.sleep();
                Ok(())
            }
        };
    }

    fn change_a_body(&mut self, chaos: &mut Chaos) {
        let Some(mut body) = self.some_body(chaos).and_then(|id| self.world.body_mut(id).ok()) else { return };
        let _ = match chaos.random.u32(0..9) {
            0 => body.set_mass(chaos.positive(1.0)),
            1 => body.set_mass_properties(chaos.mass_properties()),
            2 => body.set_mass_from_colliders(),
            3 => body.set_kind(chaos.kind()),
            4 => body.set_material(chaos.material()),
            5 => body.set_damping(chaos.positive(1.0), chaos.positive(1.0)),
            6 => body.set_gravity_scale(chaos.signed(1.0)),
            7 => {
                body.set_sleep(chaos.pick(&[Sleep::Allowed, Sleep::Never]));
                Ok(())
            }
            _ => {
                body.set_groups([chaos.pick(&["a", "b", "c", ""])]);
                Ok(())
            }
        };
    }

    fn change_a_collider(&mut self, chaos: &mut Chaos) {
        let Some(id) = self.some_body(chaos) else { return };
        if chaos.once_in(3) {
            let _ = chaos.collider().map(|collider| self.world.add_collider(id, collider));
            return;
        }
        let collider = self.world.body(id).ok().and_then(|body| body.model().colliders.first().copied());
        let Some(mut collider) = collider.and_then(|id| self.world.collider_mut(id).ok()) else { return };
        let _ = match chaos.random.u32(0..6) {
            0 => collider.set_pose(chaos.pose(0.3)),
            1 => collider.set_density(chaos.positive(1e3)),
            2 => collider.set_material(chaos.material()),
            3 => collider.make_sensor(),
            4 => collider.make_solid(),
            _ => chaos.shape().map_or(Ok(()), |shape| collider.set_shape(shape)),
        };
    }

    fn change_a_joint(&mut self, chaos: &mut Chaos) {
        let id = self.joints.get(chaos.random.usize(0..self.joints.len().max(1)));
        let Some(mut joint) = id.and_then(|&id| self.world.joint_mut(id).ok()) else { return };
        match chaos.random.u32(0..6) {
            0 => joint.snap(),
            1 => joint.mend(),
            2 => joint.let_collide(),
            3 => joint.keep_from_colliding(),
            4 => drop(joint.set_breaking(chaos.breaking())),
            _ => drop(joint.attach(Ball::at(chaos.vector(1.0)))),
        }
    }

    fn change_the_rules(&mut self, chaos: &mut Chaos) {
        match chaos.random.u32(0..4) {
            0 => self.world.set_filter(chaos.filter(&self.bodies)),
            1 => self.world.set_mixing(chaos.mixing()),
            2 => self.world.set_gravity(chaos.vector(10.0)),
            _ => {
                let force = Boxed(chaos.force(&self.bodies));
                self.forces.push(self.world.add_force(force));
            }
        }
    }

    /// Whatever was done in between, a world that went back is where it was, and a world resumed from a file takes the same
    /// step.
    fn go_back_in_time(&mut self, chaos: &mut Chaos) {
        let (snapshot, state) = (self.world.snapshot(), self.world.state().clone());
        if chaos.once_in(2) {
            let mut other = World::with_method(Retroactive::new());
            other.restore(&snapshot);
            other.set_boxed_method(Registry::default().method(self.method.0, &self.method.1).unwrap());
            other.load(&self.world.save()).unwrap();
            assert_eq!(other.validate(), Ok(()));
            assert_eq!(self.world.step(1.0 / 60.0), other.step(1.0 / 60.0));
            assert_eq!(self.world.state().fingerprint(), other.state().fingerprint());
        } else {
            self.remove_something(chaos);
            let _ = self.world.step(1.0 / 60.0);
        }
        self.world.restore(&snapshot);
        assert_eq!(*self.world.state(), state);
    }

    fn refuse_steps(&mut self) {
        let before = self.world.state().clone();
        for dt in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(self.world.step(dt), Err(StepError::BadTimeStep(_))));
        }
        assert_eq!(*self.world.state(), before);
    }

    /// Questions, numbers and drawings.
    fn ask(&mut self, chaos: &mut Chaos) {
        let world = &self.world;
        let ray = Ray { origin: chaos.vector(5.0), direction: chaos.vector(1.0) };
        let _ = world.cast_ray_all(&ray, chaos.positive(10.0), |_| true);
        let _ = Ray::towards(chaos.vector(5.0), chaos.vector(5.0)).map(|ray| world.cast_ray(&ray, 1e3, |_| true));
        if let Some(shape) = chaos.shape() {
            let _ = world.cast_shape(&shape, &chaos.pose(2.0), chaos.vector(2.0), |_| true);
            let _ = world.overlaps(&shape, &chaos.pose(2.0), |_| true);
        }
        let _ = world.closest_to(chaos.vector(3.0), chaos.positive(5.0), |_| true);
        let _ = (world.energy(), world.momentum(), world.angular_momentum(chaos.vector(1.0)));
        for id in &self.bodies {
            let _ = world.contact_wrench(*id);
        }
        for (_, joint) in world.joints() {
            let _ = (joint.reaction(), joint.error(), joint.anchors());
        }
        world.draw(InstrumentFlags::ALL, &mut Recorder::default());
    }

    /// Takes a step and checks what must hold, be it taken or refused.
    fn step(&mut self, chaos: &mut Chaos, tally: &mut Tally) {
        let dt = match chaos.random.u32(0..60) {
            0 => chaos.pick(&[1e-12, 1e-6, 1.0, 100.0, 1e6, 1e300, f64::MIN_POSITIVE]),
            _ => 1.0 / 60.0,
        };
        let (before, changes) = (self.world.state().clone(), self.world.changes().clone());
        match self.world.step(dt) {
            Ok(()) => tally.taken += 1,
            Err(error) => {
                tally.refused += 1;
                assert_eq!(self.world.changes(), &changes, "a refused step forgot changes");
                assert_eq!(*self.world.state(), before, "a refused step changed the state");
                self.calm(&error);
            }
        }
        let report = self.world.report();
        tally.contacts += report.contact_points;
        tally.slowest = tally.slowest.max(report.times.total.as_secs_f64());
        assert_eq!(self.world.validate(), Ok(()));
    }

    /// Removes what made a step impossible: the error names a body, a joint or a force that exists.
    fn calm(&mut self, error: &StepError) {
        match error {
            StepError::NotFinite { body, .. } => self.world.remove_body(*body).unwrap(),
            StepError::JointOpens { joint, .. } => self.world.remove_joint(*joint).unwrap(),
            StepError::ForceNotFinite { force, body, .. } => {
                assert!(self.world.body(*body).is_ok() && self.world.model().forces().get(*force).is_some(), "{error}");
            }
            _ => unreachable!("{error}"),
        }
        for force in self.forces.drain(..) {
            let _ = self.world.remove_force(force);
        }
        self.world.set_gravity(DVec3::NEG_Y * 9.81);
        self.world.set_mixing(MaterialMixing::Standard);
    }
}

#[derive(Debug, Default)]
struct Tally {
    taken: usize,
    refused: usize,
    contacts: usize,
    slowest: f64,
}

/// One of four shares of the worlds, which are tried side by side: a few, or as many as `TUMBLE_CASES` says.
fn a_world_survives(share: u64, method: &'static str) {
    let mut tally = Tally::default();
    // The reference takes ten times as long.
    let worlds = if method == "retroactive" { 32 } else { 80 };
    for seed in (share..cases(worlds)).step_by(4) {
        let mut chaos = Chaos::new(seed);
        let mut victim = Victim::new(&mut chaos, method);
        for _ in 0..150 {
            for _ in 0..chaos.random.u32(0..4) {
                victim.meddle(&mut chaos);
            }
            victim.step(&mut chaos, &mut tally);
        }
    }
    eprintln!("{tally:?}");
    // It is a test only if much happens: most steps are taken, with many contacts.
    assert!(tally.refused * 5 < tally.taken, "{tally:?}");
    assert!(tally.contacts > 5 * tally.taken, "{tally:?}");
}

#[test]
fn a_world_survives_whatever_is_done_to_it() {
    a_world_survives(0, "retroactive");
}

#[test]
fn a_world_survives_whatever_else_is_done_to_it() {
    a_world_survives(1, "retroactive");
}

#[test]
fn another_world_survives_whatever_is_done_to_it() {
    a_world_survives(2, "retroactive");
}

#[test]
fn another_world_survives_whatever_else_is_done_to_it() {
    a_world_survives(3, "retroactive");
}

#[test]
fn a_world_in_real_time_survives_whatever_is_done_to_it() {
    (0..2).for_each(|share| a_world_survives(share, "realtime"));
}

#[test]
fn a_world_in_real_time_survives_whatever_else_is_done_to_it() {
    (2..4).for_each(|share| a_world_survives(share, "realtime"));
}

/// The extremes of a scene that makes sense: a grain of 1 mg on a block of 1 t, far from the origin.
#[test]
fn a_grain_lies_on_a_block_a_thousand_kilometres_away() {
    let mut world = World::with_method(Retroactive::new());
    let far = DVec3::new(1e6, 0.0, -1e6);
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let block = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).with_mass(1000.0);
    let block = world.add_body(block.at(far + DVec3::Y * 0.5)).unwrap();
    let grain = Body::dynamic().with_shape(Shape::cuboid([0.01; 3]).unwrap()).with_mass(1e-6);
    let grain = world.add_body(grain.with_pose(Transform::from_translation(far + DVec3::Y * 1.01))).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
    }
    let at = |id| world.body(id).unwrap().position() - far;
    assert!((at(block) - DVec3::Y * 0.5).length() < 1e-3, "{}", at(block));
    assert!((at(grain) - DVec3::Y * 1.01).length() < 1e-3, "{}", at(grain));
}
