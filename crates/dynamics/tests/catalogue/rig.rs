//! A joint of the catalogue between two bodies, or the world and one, to be driven about.

use super::{Beside, Case, SECOND_CENTER};
use glam::{DQuat, DVec3};
use tumble_dynamics::geometry::math::{rotation_from_vector, rotation_vector};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Breaking, Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, JointId, World};

pub(crate) const DT: f64 = 1.0 / 240.0;

/// A joint between two bodies, or the world and one, without gravity.
pub(crate) struct Rig {
    pub(crate) world: World,
    pub(crate) bodies: Vec<BodyId>,
    pub(crate) joint: JointId,
    /// The frame of the joint as each end carries it.
    frames: [Transform; 2],
    /// How the bodies were turned at the start.
    starts: Vec<DQuat>,
}

impl Rig {
    pub(crate) fn new(case: &Case, with_world: bool, breaking: Breaking) -> Self {
        let mut world = World::with_method(Retroactive::new());
        world.set_gravity(DVec3::ZERO);
        let body = |half: [f64; 3], pose: Transform| {
            let body = Body::dynamic().with_shape(Shape::cuboid(half).unwrap()).with_mass(1.0).with_pose(pose);
            body.without_sleep()
        };
        let poses = [
            Transform::new(rotation_from_vector(DVec3::new(0.3, -0.2, 0.9)), DVec3::new(-0.4, 0.1, 0.2)),
            Transform::new(rotation_from_vector(DVec3::new(-1.1, 0.5, 0.4)), SECOND_CENTER),
        ];
        let first = (!with_world).then(|| world.add_body(body([0.3, 0.2, 0.4], poses[0])).unwrap());
        let second = world.add_body(body([0.4, 0.3, 0.2], poses[1])).unwrap();
        let ends = [first.map_or(JointEnd::World, JointEnd::Body), JointEnd::Body(second)];
        let joint = world.add_joint(Joint::new(ends[0], ends[1], case.joint.clone()).breaking(breaking)).unwrap();
        for (what, beside) in &case.beside {
            let ends = match what {
                Beside::Each => ends,
                Beside::WorldAndFirst => [JointEnd::World, ends[0]],
                Beside::WorldAndSecond => [JointEnd::World, ends[1]],
            };
            world.add_joint(Joint::new(ends[0], ends[1], beside.clone())).unwrap();
        }
        let frame = |pose: Transform| pose.to_local(&Transform::IDENTITY);
        let frames = [if with_world { Transform::IDENTITY } else { frame(poses[0]) }, frame(poses[1])];
        let bodies: Vec<BodyId> = first.into_iter().chain([second]).collect();
        let starts = bodies.iter().map(|&id| world.body(id).unwrap().rotation()).collect();
        Self { world, bodies, joint, frames, starts }
    }

    /// The copies of the joint's frame that the ends carry.
    fn copies(&self) -> [Transform; 2] {
        let pose = |end: usize| match (end, self.bodies.len()) {
            (0, 1) => Transform::IDENTITY,
            (end, count) => self.world.body(self.bodies[end + count - 2]).unwrap().pose(),
        };
        [0, 1].map(|end| {
            let Transform { rotation, translation } = self.frames[end];
            Transform::new(pose(end).rotation * rotation, pose(end).point(translation))
        })
    }

    /// By how much the joint is open.
    pub(crate) fn opening(&self, case: &Case) -> f64 {
        (case.opening)(&self.copies())
    }

    /// Drives it for some seconds with random forces and torques, up to five times the weight, that change twenty times a
    /// second. A weak pull to where it all began keeps what can slide from sliding away. `look` sees each moment.
    pub(crate) fn shake(&mut self, case: &Case, seconds: f64, mut look: impl FnMut(&Self)) {
        let mut random = fastrand::Rng::with_seed(7);
        let mut vector = |size: f64| DVec3::from_array([0; 3].map(|_| (2.0 * random.f64() - 1.0) * size));
        let mut driving = [[DVec3::ZERO; 2]; 2];
        for step in 0..(seconds / DT) as usize {
            if step % 12 == 0 {
                driving = [0, 1].map(|_| [vector(case.force), vector(3.0)]);
            }
            for (index, (&id, [force, torque])) in self.bodies.iter().zip(driving).enumerate() {
                let mut body = self.world.body_mut(id).unwrap();
                let (position, velocity) = (body.read().position(), body.read().velocity());
                let spin = body.read().angular_velocity();
                body.apply_force(force - 10.0 * position - 2.0 * velocity).unwrap();
                let turned = rotation_vector(body.read().rotation() * self.starts[index].conjugate());
                body.apply_torque(torque - 0.1 * spin - case.upright * (turned + 0.03 * spin)).unwrap();
            }
            self.world.step(DT).unwrap();
            look(self);
        }
    }

    /// What the joint exerted in the last step: force and torque.
    pub(crate) fn effort(&self) -> [f64; 2] {
        let reaction = self.world.joint(self.joint).unwrap().reaction();
        [reaction.force.length(), reaction.torque.length()]
    }
}
