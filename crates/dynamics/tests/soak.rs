//! A world that goes on for very long while bodies, joints and forces come and go at random: nothing panics, nothing becomes NaN, nothing
//! flies away, no energy comes out of nothing, and the memory does not grow.
//!
//! The suite takes some thousand steps; `TUMBLE_CASES=1000000 cargo test -p tumble-dynamics --release --test soak` a million.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::{Ball, Hinge};
use tumble_dynamics::force::{Drag, FnForce, ForceContext, Spring, Wrenches};
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, EnergyWatch, ForceId, JointId, Material, Workers, World};

const DT: f64 = 1.0 / 60.0;

/// The most bodies, joints and forces there are at once.
const MOST: [usize; 3] = [60, 12, 4];

fn steps() -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|steps| steps.parse().ok()).unwrap_or(1500)
}

/// A pit with things in it that come and go.
struct Pit {
    world: World,
    random: fastrand::Rng,
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
    forces: Vec<ForceId>,
}

impl Pit {
    /// A floor, four walls, and nothing in between.
    fn new(seed: u64) -> Self {
        let mut world = World::new();
        // What other threads allocate is not counted.
        world.set_workers(Workers::new(1));
        world.set_energy_watch(EnergyWatch::Warn);
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
        for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            let wall = Shape::half_space(DVec3::new(-x, 0.0, -z)).unwrap();
            world.add_body(Body::fixed().with_shape(wall).at([3.0 * x, 0.0, 3.0 * z])).unwrap();
        }
        let random = fastrand::Rng::with_seed(seed);
        Self { world, random, bodies: Vec::new(), joints: Vec::new(), forces: Vec::new() }
    }

    /// Between −1 and 1.
    fn any(&mut self) -> f64 {
        2.0 * self.random.f64() - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.any(), self.any(), self.any())
    }

    fn body(&mut self) -> Option<BodyId> {
        (!self.bodies.is_empty()).then(|| self.bodies[self.random.usize(..self.bodies.len())])
    }

    fn shape(&mut self) -> Shape {
        let size = 0.15 + 0.25 * self.random.f64();
        let made = match self.random.u8(..6) {
            0 => Shape::sphere(size),
            1 => Shape::capsule(0.7 * size, 0.5 * size),
            2 => Shape::cylinder(0.8 * size, 0.7 * size),
            3 => Shape::hull(&(0..12).map(|_| self.vector().normalize_or(DVec3::Y) * size).collect::<Vec<_>>()),
            _ => Shape::cuboid([size, 0.7 * size, 0.8 * size]),
        };
        made.unwrap()
    }

    /// A body in the air, where nothing is yet.
    fn add_body(&mut self) {
        let shape = self.shape();
        let at = 2.0 * self.vector() + DVec3::Y * 6.0;
        let pose = Transform::new(rotation_from_vector(3.0 * self.vector()), at);
        if !self.world.overlaps(&shape, &pose, |_| true).is_empty() {
            return;
        }
        let restitution = if self.random.u8(..4) == 0 { 0.6 } else { 0.0 };
        let share = self.random.f64();
        let mass = share * share * share;
        let body = Body::dynamic().with_shape(shape).with_material(Material { restitution, ..Material::default() });
        let body = body.with_mass(0.5 + 20.0 * mass).with_velocity(3.0 * self.vector());
        let body = body.at(pose.translation).rotated(pose.rotation).with_angular_velocity(5.0 * self.vector());
        self.bodies.push(self.world.add_body(body).unwrap());
    }

    fn remove_body(&mut self) {
        if !self.bodies.is_empty() {
            let id = self.bodies.swap_remove(self.random.usize(..self.bodies.len()));
            self.world.remove_body(id).unwrap();
            self.joints.retain(|&joint| self.world.joint(joint).is_ok());
        }
    }

    /// Joins two neighbours, or a body to the world.
    fn add_joint(&mut self) {
        let (Some(a), Some(b)) = (self.body(), self.body()) else { return };
        let [at, other] = [a, b].map(|id| self.world.body(id).unwrap().position());
        let joint = match self.random.u8(..3) {
            0 => Joint::new(JointEnd::World, a, Ball::at(at)),
            1 if a != b && at.distance(other) < 1.5 => Joint::new(a, b, Ball::at(0.5 * (at + other))),
            2 if a != b && at.distance(other) < 1.5 => Joint::new(a, b, Hinge::at(0.5 * (at + other), DVec3::Z)),
            _ => return,
        };
        self.joints.push(self.world.add_joint(joint).unwrap());
    }

    fn remove_joint(&mut self) {
        if !self.joints.is_empty() {
            let id = self.joints.swap_remove(self.random.usize(..self.joints.len()));
            self.world.remove_joint(id).unwrap();
        }
    }

    fn add_force(&mut self) {
        let wind = 5.0 * self.vector();
        let force = match (self.random.u8(..3), self.body()) {
            (0, Some(body)) => self.world.add_force(Spring { stiffness: 20.0, ..Spring::new(JointEnd::World, body) }),
            (1, _) => self.world.add_force(Drag { linear: self.random.f64(), ..Drag::default() }),
            _ => self.world.add_force(FnForce::new("wind", move |context: &ForceContext<'_>, to: &mut Wrenches| {
                (0..context.bodies.len()).for_each(|slot| to.add_force(slot, wind));
            })),
        };
        self.forces.push(force);
    }

    fn remove_force(&mut self) {
        if !self.forces.is_empty() {
            let id = self.forces.swap_remove(self.random.usize(..self.forces.len()));
            // The force of a body that is gone may be gone with it.
            let _gone = self.world.remove_force(id);
        }
    }

    fn push(&mut self) {
        let (way, Some(id)) = (10.0 * self.vector(), self.body()) else { return };
        let mut body = self.world.body_mut(id).unwrap();
        body.apply_force(way * 20.0).unwrap();
        body.apply_torque(way).unwrap();
    }

    fn change_something(&mut self) {
        match self.random.u8(..100) {
            0..8 if self.bodies.len() < MOST[0] => self.add_body(),
            8..14 => self.remove_body(),
            14..17 if self.joints.len() < MOST[1] => self.add_joint(),
            17..19 => self.remove_joint(),
            19 if self.forces.len() < MOST[2] => self.add_force(),
            20 => self.remove_force(),
            21..25 => self.push(),
            _ => (),
        }
    }

    /// Changes something, takes a step, and looks at everything.
    fn step(&mut self, number: usize) {
        self.change_something();
        self.world.step(DT).unwrap_or_else(|error| unreachable!("step {number}: {error}"));
        for (id, body) in self.world.bodies() {
            assert!(body.state().is_finite(), "step {number}: {id:?} {:?}", body.state());
            let (at, speed) = (body.position(), body.velocity().length());
            assert!(at.abs().max_element() < 30.0 && speed < 60.0, "step {number}: {id:?} at {at} with {speed} m/s");
        }
        let energy = &self.world.events().energy;
        assert!(energy.is_empty(), "step {number}: {energy:?}");
    }
}

#[test]
fn a_world_goes_on_while_things_come_and_go() {
    let mut pit = Pit::new(20);
    let half = steps() / 2;
    (0..half).for_each(|number| pit.step(number));
    let grown = allocation_counter::measure(|| (half..2 * half).for_each(|number| pit.step(number)));
    pit.world.validate().unwrap();
    assert!(pit.bodies.len() > 10 && pit.world.report().contacts > 10, "{:?}", pit.world.report());
    eprintln!("{} steps: {} bytes more than half-way", 2 * half, grown.bytes_current);
    assert!(grown.bytes_current < 1 << 20, "{grown:?}");
}
