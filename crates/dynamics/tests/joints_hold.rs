//! Every joint holds and leaves free exactly what it promises.
//!
//! A joint is made at the origin with its main axis along x. From then on each body carries a copy of that frame, and what a
//! joint forbids is a statement about the second copy as the first sees it: where it is, d, and how it is turned, q. These
//! statements are written here once more, as geometry and not by the joint's own rows.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3, Vec3Swizzles};
use std::f64::consts::TAU;
use std::sync::Arc;
use tumble_dynamics::constraint::{
    Attach, Ball, ConstantVelocity, Cylindrical, Distance, Hinge, HingeForm, Joystick, Lines, Nail, OnPlane,
    OrientationLock, Planar, Screw, Slider, Universal, Weld,
};
use tumble_dynamics::geometry::math::{rotation_from_vector, rotation_vector};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, World};

const DT: f64 = 1.0 / 240.0;
const PITCH: f64 = 0.3;

/// By how much a joint is open, in metres or radians, seen from the frames it was made in.
type Opening = fn(DVec3, DQuat) -> f64;

struct Case {
    name: &'static str,
    joint: Arc<dyn Attach>,
    /// How many ways to move against each other it takes away.
    takes: usize,
    opening: Opening,
    /// How strong the forces are that drive it, in N.
    force: f64,
    /// The stiffness in N m/rad of a damped torque that turns the bodies back to how they were: with a weaker drive it keeps
    /// lines from becoming parallel, where what they demand makes no sense.
    upright: f64,
}

fn case(name: &'static str, joint: impl Attach + 'static, takes: usize, opening: Opening) -> Case {
    Case { name, joint: Arc::new(joint), takes, opening, force: 50.0, upright: 0.0 }
}

/// By how much an axis has left its own direction.
fn tilt(q: DQuat) -> f64 {
    (q * DVec3::X - DVec3::X).length()
}

fn angle(q: DQuat) -> f64 {
    2.0 * q.xyz().length()
}

/// The ends of the rod, in the frame of the joint.
const ROD: [DVec3; 2] = [DVec3::new(-0.2, 0.1, 0.0), DVec3::new(0.5, 0.2, 0.3)];

fn rod_length(d: DVec3, q: DQuat) -> f64 {
    (d + q * ROD[1] - ROD[0]).length()
}

/// The directions of two lines through the origin.
const LINES: [DVec3; 2] = [DVec3::X, DVec3::Z];

fn cases() -> Vec<Case> {
    const O: DVec3 = DVec3::ZERO;
    const X: DVec3 = DVec3::X;
    let hinge = |form| Hinge::at(O, X).with_form(form);
    let opening_of_hinge: Opening = |d, q| d.length().max(tilt(q));
    let opening_of_weld: Opening = |d, q| d.length().max(angle(q));
    vec![
        case("ball", Ball::at(O), 3, |d, _| d.length()),
        case("nail", Nail::at(O), 3, |d, _| d.length()),
        case("rod", Distance::rod(ROD[0], ROD[1]), 1, |d, q| (rod_length(d, q) - rod_length(O, DQuat::IDENTITY)).abs()),
        case("hinge, dot products", hinge(HingeForm::DotProduct), 5, opening_of_hinge),
        case("hinge, two positions", hinge(HingeForm::TwoPositions), 5, opening_of_hinge),
        case("hinge, quaternion", hinge(HingeForm::Quaternion), 5, opening_of_hinge),
        case("hinge, two joysticks", hinge(HingeForm::TwoJoysticks), 5, opening_of_hinge),
        case("weld", Weld::at(O), 6, opening_of_weld),
        case("weld, three points", Weld::at(O).by_three_points(), 6, opening_of_weld),
        case("slider", Slider::at(O, X), 5, |d, q| d.yz().length().max(angle(q))),
        case("cylindrical", Cylindrical::at(O, X), 4, |d, q| d.yz().length().max(tilt(q))),
        case("planar", Planar::at(O, X), 3, |d, q| d.x.abs().max(tilt(q))),
        case("screw", Screw::at(O, X, PITCH), 5, |d, q| {
            // Up to whole turns.
            let turns = d.x / PITCH - 2.0 * libm::atan2(q.x, q.w) / TAU;
            d.yz().length().max(tilt(q)).max(PITCH * (turns - turns.round()).abs())
        }),
        case("universal", Universal::at(O, X, DVec3::Y), 4, |d, q| d.length().max(X.dot(q * DVec3::Y).abs())),
        case("constant velocity", ConstantVelocity::at(O, X), 4, |d, q| {
            d.length().max((DVec3::Y.dot(q * DVec3::Z) - DVec3::Z.dot(q * DVec3::Y)).abs())
        }),
        case("joystick", Joystick::about(X), 1, |_, q| 2.0 * q.x.abs()),
        case("orientation lock", OrientationLock::default(), 3, |_, q| angle(q)),
        case("on plane", OnPlane::at(O, X), 1, |d, _| d.x.abs()),
        Case {
            force: 10.0,
            upright: 30.0,
            ..case("lines", Lines { directions: LINES, ..Lines::default() }, 1, |d, q| {
                d.dot(LINES[0].cross(q * LINES[1]).normalize()).abs()
            })
        },
    ]
}

/// A joint between two bodies, or the world and one, without gravity.
struct Rig {
    world: World,
    bodies: Vec<BodyId>,
    /// The frame of the joint as each end carries it.
    frames: [Transform; 2],
    /// How the bodies were turned at the start.
    starts: Vec<DQuat>,
}

impl Rig {
    fn new(case: &Case, with_world: bool) -> Self {
        let mut world = World::new();
        world.set_gravity(DVec3::ZERO);
        let body = |half: [f64; 3], pose: Transform| {
            let body = Body::dynamic().with_shape(Shape::cuboid(half).unwrap()).with_mass(1.0).with_pose(pose);
            body.without_sleep()
        };
        let poses = [
            Transform::new(rotation_from_vector(DVec3::new(0.3, -0.2, 0.9)), DVec3::new(-0.4, 0.1, 0.2)),
            Transform::new(rotation_from_vector(DVec3::new(-1.1, 0.5, 0.4)), DVec3::new(0.5, 0.2, -0.1)),
        ];
        let first = (!with_world).then(|| world.add_body(body([0.3, 0.2, 0.4], poses[0])).unwrap());
        let second = world.add_body(body([0.4, 0.3, 0.2], poses[1])).unwrap();
        let ends = [first.map_or(JointEnd::World, JointEnd::Body), JointEnd::Body(second)];
        world.add_joint(Joint::new(ends[0], ends[1], case.joint.clone())).unwrap();
        let frame = |pose: Transform| pose.to_local(&Transform::IDENTITY);
        let frames = [if with_world { Transform::IDENTITY } else { frame(poses[0]) }, frame(poses[1])];
        let bodies: Vec<BodyId> = first.into_iter().chain([second]).collect();
        let starts = bodies.iter().map(|&id| world.body(id).unwrap().rotation()).collect();
        Self { world, bodies, frames, starts }
    }

    /// The second copy of the joint's frame as seen from the first.
    fn relative(&self) -> (DVec3, DQuat) {
        let pose = |end: usize| match (end, self.bodies.len()) {
            (0, 1) => Transform::IDENTITY,
            (end, count) => self.world.body(self.bodies[end + count - 2]).unwrap().pose(),
        };
        let [first, second] = [0, 1].map(|end| {
            let Transform { rotation, translation } = self.frames[end];
            Transform::new(pose(end).rotation * rotation, pose(end).point(translation))
        });
        let relative = first.to_local(&second);
        (relative.translation, relative.rotation)
    }

    /// Drives it for some seconds with random forces and torques, up to five times the weight, that change twenty times a
    /// second. A weak pull to where it all began keeps what can slide from sliding away. The largest opening.
    fn shake(&mut self, case: &Case, seconds: f64, seed: u64) -> f64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut vector = |size: f64| DVec3::from_array([0; 3].map(|_| (2.0 * random.f64() - 1.0) * size));
        let mut driving = [[DVec3::ZERO; 2]; 2];
        let mut worst: f64 = 0.0;
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
            let (d, q) = self.relative();
            worst = worst.max((case.opening)(d, q));
        }
        worst
    }

    /// The ways left to move: the rank of the velocities that unit forces and torques along and about the axes of the world
    /// cause within one step from rest.
    fn freedoms(&mut self) -> usize {
        let world = &mut self.world;
        for &id in &self.bodies {
            let mut body = world.body_mut(id).unwrap();
            body.set_velocity(DVec3::ZERO).unwrap();
            body.set_angular_velocity(DVec3::ZERO).unwrap();
        }
        let still = world.snapshot();
        let mut responses = Vec::new();
        for &pushed in &self.bodies {
            for (axis, is_torque) in DVec3::AXES.into_iter().flat_map(|axis| [(axis, false), (axis, true)]) {
                world.restore(&still);
                let mut body = world.body_mut(pushed).unwrap();
                if is_torque {
                    body.apply_torque(axis).unwrap()
                } else {
                    body.apply_force(axis).unwrap()
                }
                world.step(DT).unwrap();
                let velocities = |&id: &BodyId| {
                    let body = world.body(id).unwrap();
                    [body.velocity().to_array(), body.angular_velocity().to_array()].concat()
                };
                responses.push(self.bodies.iter().flat_map(velocities).map(|v| v / DT).collect::<Vec<f64>>());
            }
        }
        // What is forbidden answers with less than 1e-3, what is free with 0.7 at least.
        rank(responses, 1e-2)
    }
}

/// The number of linearly independent vectors, by orthogonalization with the longest remaining first; what is shorter than
/// `nothing` counts as zero.
fn rank(mut vectors: Vec<Vec<f64>>, nothing: f64) -> usize {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut rank = 0;
    vectors.sort_by(|a, b| dot(a, a).total_cmp(&dot(b, b)));
    while let Some(pivot) = vectors.pop() {
        let square = dot(&pivot, &pivot);
        if square < nothing * nothing {
            break;
        }
        rank += 1;
        for vector in &mut vectors {
            let share = dot(vector, &pivot) / square;
            vector.iter_mut().zip(&pivot).for_each(|(v, p)| *v -= share * p);
        }
        vectors.sort_by(|a, b| dot(a, a).total_cmp(&dot(b, b)));
    }
    rank
}

#[test]
fn unit_forces_find_the_ways_left_to_move() {
    for case in cases() {
        for with_world in [false, true] {
            let mut rig = Rig::new(&case, with_world);
            let ways = 6 * rig.bodies.len() - case.takes;
            assert_eq!(rig.freedoms(), ways, "{} where it was made", case.name);
            // And anywhere else.
            rig.shake(&case, 2.0, 3);
            assert_eq!(rig.freedoms(), ways, "{} after a while", case.name);
        }
    }
}

/// Measured: below 2e-7 for all of them, and below 1e-9 for most. The bodies are about a metre in size.
#[test]
fn a_minute_of_random_driving_opens_no_joint() {
    for case in cases() {
        for with_world in [false, true] {
            let opening = Rig::new(&case, with_world).shake(&case, 60.0, 7);
            assert!(opening < 1e-6, "{} opened by {opening:e}", case.name);
        }
    }
}
