//! A rag-doll of fifteen bodies, dropped in random poses on the ground and on stairs: it never explodes, and its joints come
//! back to their limits at once.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use tumble_dynamics::constraint::limit::SwingTwist;
use tumble_dynamics::constraint::{Freedom, Hinge};
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{CollisionFilter, Joint};
use tumble_dynamics::{Body, BodyId, JointId, World};

const DT: f64 = 1.0 / 240.0;

/// How a part hangs on the one before it.
#[derive(Clone, Copy)]
enum Hold {
    /// The first part.
    Nothing,
    /// About an axis, from no angle to one in radians.
    Hinge(DVec3, f64),
    /// Swing and twist: along which axis the part points, a direction across it, the largest angles of swing towards that and
    /// across, and the largest twist to either side, in radians.
    SwingTwist(DVec3, DVec3, [f64; 2], f64),
}

struct Part {
    /// The part it hangs on.
    parent: usize,
    /// Where, in the pose in which the doll stands with its arms spread.
    anchor: DVec3,
    hold: Hold,
    center: DVec3,
    shape: Shape,
    /// From the axes of the shape to those of the doll.
    turn: DQuat,
}

/// The doll, standing with its arms spread: x to its left, y up, z ahead.
fn parts() -> Vec<Part> {
    let [x, y, z] = DVec3::AXES;
    let along = |axis: DVec3, swing: [f64; 2], twist: f64| Hold::SwingTwist(axis, z, swing, twist);
    let boxed = |x: f64, y: f64, z: f64| Shape::cuboid([x, y, z]).unwrap();
    let capsule = |half: f64, radius: f64| Shape::capsule(half, radius).unwrap();
    let part = |parent, anchor: [f64; 3], hold, center: [f64; 3], shape| Part {
        parent,
        anchor: anchor.into(),
        hold,
        center: center.into(),
        shape,
        turn: DQuat::IDENTITY,
    };
    let mut parts = vec![
        part(0, [0.0; 3], Hold::Nothing, [0.0, 1.0, 0.0], boxed(0.16, 0.1, 0.1)),
        part(0, [0.0, 1.1, 0.0], along(y, [0.5, 0.3], 0.4), [0.0, 1.3, 0.0], boxed(0.18, 0.18, 0.11)),
        part(1, [0.0, 1.5, 0.0], along(y, [0.6, 0.4], 0.8), [0.0, 1.65, 0.0], capsule(0.05, 0.09)),
    ];
    for side in [1.0, -1.0] {
        let arm = parts.len();
        let across = DQuat::from_rotation_arc(y, x);
        let limb = |parent, from: f64, hold, half: f64, radius: f64| Part {
            turn: across,
            ..part(
                parent,
                [side * from, 1.42, 0.0],
                hold,
                [side * (from + half), 1.42, 0.0],
                capsule(half - radius, radius),
            )
        };
        parts.push(limb(1, 0.22, along(side * x, [0.9, 0.9], 0.8), 0.14, 0.05));
        parts.push(limb(arm, 0.5, Hold::Hinge(-side * y, 2.4), 0.13, 0.04));
        parts.push(limb(arm + 1, 0.76, along(side * x, [0.5, 0.8], 0.2), 0.08, 0.04));
        let leg = parts.len();
        let at = side * 0.1;
        parts.push(part(0, [at, 0.9, 0.0], along(-y, [0.9, 0.5], 0.4), [at, 0.7, 0.0], capsule(0.13, 0.07)));
        parts.push(part(leg, [at, 0.5, 0.0], Hold::Hinge(x, 2.4), [at, 0.3, 0.0], capsule(0.14, 0.06)));
        parts.push(part(
            leg + 1,
            [at, 0.1, 0.0],
            Hold::SwingTwist(z, y, [0.6, 0.3], 0.3),
            [at, 0.05, 0.05],
            boxed(0.05, 0.04, 0.13),
        ));
    }
    parts
}

/// Ground, or stairs down along x.
fn ground(world: &mut World, stairs: bool) {
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    for step in 0..if stairs { 6 } else { 0 } {
        let height = 0.09 * f64::from(6 - step);
        let shape = Shape::cuboid([0.15, height, 2.0]).unwrap();
        world.add_body(Body::fixed().with_shape(shape).at([0.3 * f64::from(step) - 0.6, height, 0.0])).unwrap();
    }
}

struct Doll {
    world: World,
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
}

impl Doll {
    fn random(random: &mut fastrand::Rng, stairs: bool) -> Self {
        let mut world = World::with_method(Retroactive::new());
        ground(&mut world, stairs);
        world.set_filter(CollisionFilter::new().ignore(("doll", "doll")));
        let parts = parts();
        let add = |part: &Part| {
            let body = Body::dynamic().with_shape(part.shape.clone()).with_pose(Transform::new(part.turn, part.center));
            world.add_body(body.in_group("doll")).unwrap()
        };
        let bodies: Vec<BodyId> = parts.iter().map(add).collect();
        let mut joints = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let (parent, child) = (bodies[part.parent], bodies[index]);
            match part.hold {
                Hold::Nothing => {}
                Hold::Hinge(axis, max) => {
                    let hinge = Hinge::at(part.anchor, axis).with_turn(Freedom::between(0.0, max));
                    joints.push(world.add_joint(Joint::new(parent, child, hinge)).unwrap());
                }
                Hold::SwingTwist(axis, towards, [most, across], twist) => {
                    let limits = SwingTwist::at(part.anchor, axis, towards);
                    let limits = limits.with_swing(most, across).with_twist(-twist, twist);
                    joints.push(world.add_joint(Joint::new(parent, child, limits)).unwrap());
                }
            }
        }
        let mut doll = Self { world, bodies, joints };
        doll.pose(&parts, random);
        doll
    }

    /// Turns every joint at random within its limits, and the whole doll, and throws it.
    fn pose(&mut self, parts: &[Part], random: &mut fastrand::Rng) {
        let mut poses: Vec<Transform> = parts.iter().map(|part| Transform::new(part.turn, part.center)).collect();
        let mut anchors: Vec<DVec3> = parts.iter().map(|part| part.anchor).collect();
        let mut turn = |root: usize, rotation: DQuat, poses: &mut [Transform]| {
            let about = anchors[root];
            let moved = |point: DVec3| about + rotation * (point - about);
            let mut part_of = vec![false; parts.len()];
            for index in root..parts.len() {
                part_of[index] = index == root || (parts[index].parent != index && part_of[parts[index].parent]);
                if part_of[index] {
                    let Transform { rotation: old, translation } = poses[index];
                    poses[index] = Transform::new((rotation * old).normalize(), moved(translation));
                    anchors[index] = moved(anchors[index]);
                }
            }
        };
        let mut signed = |size: f64| (2.0 * random.f64() - 1.0) * size;
        // From the ends inwards, so that the axes are still those of the standing doll.
        for index in (1..parts.len()).rev() {
            let rotation = match parts[index].hold {
                Hold::Nothing => DQuat::IDENTITY,
                Hold::Hinge(axis, max) => rotation_from_vector(axis * (0.5 * max + signed(0.5 * max))),
                Hold::SwingTwist(axis, towards, angles, twist) => {
                    // A point of the ellipse that the projection of the cone is.
                    let (sin, cos) = libm::sincos(signed(PI));
                    let [a, b] = angles.map(|angle| 0.95 * libm::tan(0.5 * angle));
                    let to = (towards * (a * cos) + axis.cross(towards) * (b * sin)) * signed(1.0).abs().sqrt();
                    let swing = 2.0 * libm::atan(to.length());
                    rotation_from_vector(axis.cross(to.normalize()) * swing)
                        * rotation_from_vector(axis * 0.95 * signed(twist))
                }
            };
            turn(index, rotation, &mut poses);
        }
        let whole = DVec3::new(signed(3.0), signed(3.0), signed(3.0));
        turn(0, rotation_from_vector(whole), &mut poses);
        let lowest = poses.iter().map(|pose| pose.translation.y).fold(f64::INFINITY, f64::min);
        let lift = DVec3::new(signed(0.3), 2.0 - lowest, signed(0.3));
        let (velocity, spin) =
            (DVec3::new(signed(2.0), signed(2.0), signed(2.0)), DVec3::new(signed(4.0), signed(4.0), signed(4.0)));
        let middle = poses[0].translation;
        for (&id, pose) in self.bodies.iter().zip(&poses) {
            let mut body = self.world.body_mut(id).unwrap();
            body.set_pose(Transform::new(pose.rotation, pose.translation + lift)).unwrap();
            body.set_velocity(velocity + spin.cross(pose.translation - middle)).unwrap();
            body.set_angular_velocity(spin).unwrap();
        }
    }
}

/// How many drops; `TUMBLE_CASES=100` for the whole hundred, which takes some minutes.
fn drops() -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

/// What the worst moments of a drop were.
#[derive(Default)]
struct Worst {
    /// The largest angle by which a joint was beyond a limit, in degrees.
    beyond: f64,
    /// The longest time for which a joint was beyond a limit by more than a tenth of a degree, in seconds.
    time: f64,
    /// The largest speed of a part, in m/s.
    speed: f64,
}

fn drop_doll(doll: &mut Doll) -> Worst {
    let mut worst = Worst::default();
    let mut beyond_since = vec![0.0; doll.joints.len()];
    while doll.world.time() < 1.5 {
        doll.world.step(DT).unwrap();
        for (&id, since) in doll.joints.iter().zip(&mut beyond_since) {
            let beyond = doll.world.joint(id).unwrap().error().to_degrees();
            *since = if beyond > 0.1 { *since + DT } else { 0.0 };
            (worst.beyond, worst.time) = (worst.beyond.max(beyond), worst.time.max(*since));
        }
        for &id in &doll.bodies {
            let body = doll.world.body(id).unwrap();
            assert!(body.state().is_finite());
            worst.speed = worst.speed.max(body.velocity().length());
        }
    }
    worst
}

#[test]
fn a_rag_doll_dropped_in_random_poses_stays_in_one_piece() {
    let mut random = fastrand::Rng::with_seed(5);
    for drop in 0..drops() {
        let mut doll = Doll::random(&mut random, drop % 2 == 1);
        assert_eq!(doll.bodies.len(), 15);
        let Worst { beyond, time, speed } = drop_doll(&mut doll);
        println!("drop {drop}: {beyond:.3}° beyond a limit, {time:.3} s long; {speed:.1} m/s");
        assert!(beyond < 3.0 && time < 0.1 && speed < 30.0, "drop {drop}: {beyond}° beyond, {time} s, {speed} m/s");
    }
}
