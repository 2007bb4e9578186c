//! What the joints of the real-time method hold at the step of a game, 1/60 s, at default settings: chains and loops, which are
//! eliminated, nets, which are swept, and figures.
//!
//! Each test prints what it measures; `cargo test -p tumble-dynamics --test realtime_joints -- --nocapture` shows it.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DQuat, DVec3};
use tumble_dynamics::constraint::limit::SwingTwist;
use tumble_dynamics::constraint::{Ball, Freedom, Hinge};
use tumble_dynamics::geometry::{MassProperties, Shape};
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::model::{CollisionFilter, Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, JointId, World};

const DT: f64 = 1.0 / 60.0;

fn world() -> World {
    let settings = RealtimeSettings { time_to_sleep: f64::INFINITY, ..RealtimeSettings::default() };
    World::with_method(Realtime::new().with_settings(settings))
}

/// A body with a mass and moments of inertia.
fn body(mass: f64, moments: DVec3) -> Body {
    let properties = MassProperties { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) };
    Body::dynamic().with_mass_properties(properties)
}

/// A bar of some length along x.
fn bar(mass: f64, length: f64) -> Body {
    let across = mass * (length * length + 0.01) / 12.0;
    body(mass, DVec3::new(0.02 * mass / 12.0, across, across))
}

fn ball(world: &mut World, a: impl Into<JointEnd>, b: impl Into<JointEnd>, at: DVec3) -> JointId {
    world.add_joint(Joint::new(a.into(), b.into(), Ball::at(at))).unwrap()
}

/// What became of a world.
#[derive(Debug, Default)]
struct Worst {
    /// The largest error of a joint, in metres or radians.
    gap: f64,
    /// The most that the energy rose and fell since the beginning, and the largest kinetic energy, in joules.
    rise: f64,
    fall: f64,
    kinetic: f64,
}

fn run(world: &mut World, seconds: f64) -> Worst {
    let joints: Vec<JointId> = world.joints().map(|(id, _)| id).collect();
    let start = world.energy().total();
    let mut worst = Worst::default();
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
        let energy = world.energy();
        worst.rise = worst.rise.max(energy.total() - start);
        worst.fall = worst.fall.max(start - energy.total());
        worst.kinetic = worst.kinetic.max(energy.kinetic);
        worst.gap = joints.iter().map(|&joint| world.joint(joint).unwrap().error()).fold(worst.gap, f64::max);
    }
    worst
}

/// A chain of bars of the given masses along a direction, hung up at the origin.
fn chain(masses: &[f64], length: f64, along: DVec3) -> World {
    let mut world = world();
    let mut last = JointEnd::World;
    for (k, &mass) in masses.iter().enumerate() {
        let turn = DQuat::from_rotation_arc(DVec3::X, along);
        let link = bar(mass, length).at(along * (length * (k as f64 + 0.5))).rotated(turn);
        let link = world.add_body(link).unwrap();
        ball(&mut world, last, link, along * (length * k as f64));
        last = link.into();
    }
    world
}

#[test]
fn pendulums_keep_their_energy() {
    let mut one = chain(&[1.0], 1.0, DVec3::X);
    let worst = run(&mut one, 60.0);
    let range = 9.81 * 0.5;
    eprintln!("pendulum, 60 s: energy −{:.1e} +{:.1e}, gap {:.1e}", worst.fall / range, worst.rise / range, worst.gap);
    assert!(worst.fall < 0.01 * range && worst.rise < 0.01 * range && worst.gap < 1e-5, "{worst:?}");

    let mut five = chain(&[1.0; 5], 0.2, DVec3::X);
    let worst = run(&mut five, 30.0);
    let range = 9.81 * 0.2 * 12.5;
    eprintln!(
        "five links, 30 s: energy −{:.1e} +{:.1e}, gap {:.1e}",
        worst.fall / range,
        worst.rise / range,
        worst.gap
    );
    assert!(worst.fall < 0.05 * range && worst.rise < 0.05 * range && worst.gap < 1e-4, "{worst:?}");
}

/// Twenty links of a kilogram bear a tonne: hanging, swinging from the level, swinging from 45°; and light links between heavy ones.
#[test]
fn chains_bear_a_thousand_times_their_links() {
    let mut loaded = vec![1.0; 20];
    loaded.push(1000.0);
    let light: Vec<f64> = (0..12).map(|k| if k % 2 == 0 { 1.0 } else { 300.0 }).collect();
    for (name, masses) in [("a tonne", &loaded), ("light between heavy", &light)] {
        for along in [-DVec3::Y, DVec3::X, DVec3::new(1.0, -1.0, 0.0).normalize()] {
            let mut world = chain(masses, 0.2, along);
            let last = world.bodies().last().unwrap().0;
            let end = |world: &World| world.body(last).unwrap().position().length();
            let whole = end(&world);
            let mut stretch: f64 = 0.0;
            let mut gap: f64 = 0.0;
            for _ in 0..4 {
                gap = gap.max(run(&mut world, 1.0).gap);
                stretch = stretch.max(end(&world) / whole - 1.0);
            }
            eprintln!("{name}, along {along:.1}: stretch {stretch:.1e}, gap {gap:.1e}");
            assert!(stretch < 0.01 && gap < 0.01 * 0.2, "{name} {along}: {stretch} {gap}");
        }
    }
}

/// A four-bar linkage that turns over, and a door on two hinges.
#[test]
fn loops_hold() {
    let mut world = world();
    let (crank, rocker) = (bar(1.0, 0.3).at([0.15, 0.0, 0.0]), bar(1.0, 1.0).at([0.8, 0.0, 0.0]));
    let z = |at: [f64; 3]| Hinge::at(at, DVec3::Z);
    let crank = world.add_body(crank.with_angular_velocity([0.0, 0.0, 12.0]).with_velocity([0.0, 1.8, 0.0])).unwrap();
    let rocker = world.add_body(rocker).unwrap();
    let last = bar(1.0, 1.0).at([1.3, -0.5, 0.0]).rotated(DQuat::from_rotation_arc(DVec3::X, DVec3::Y));
    let last = world.add_body(last).unwrap();
    world.add_joint(Joint::new(JointEnd::World, crank, z([0.0; 3]))).unwrap();
    world.add_joint(Joint::new(crank, rocker, z([0.3, 0.0, 0.0]))).unwrap();
    world.add_joint(Joint::new(rocker, last, z([1.3, 0.0, 0.0]))).unwrap();
    world.add_joint(Joint::new(last, JointEnd::World, z([1.3, -1.0, 0.0]))).unwrap();
    let worst = run(&mut world, 5.0);
    eprintln!(
        "four bars: gap {:.1e}, energy −{:.2} +{:.2} of {:.2} J",
        worst.gap, worst.fall, worst.rise, worst.kinetic
    );
    assert!(worst.gap < 1e-3 && worst.rise < 0.02 * worst.kinetic, "{worst:?}");

    let mut world = self::world();
    let door = body(20.0, DVec3::new(7.0, 8.0, 1.1)).at([0.5, 0.0, 0.0]).with_angular_velocity([0.0, 3.0, 0.0]);
    let door = world.add_body(door.with_velocity([0.0, 0.0, -1.5])).unwrap();
    for height in [-0.8, 0.8] {
        let hinge = Hinge::at([0.0, height, 0.0], DVec3::Y);
        world.add_joint(Joint::new(JointEnd::World, door, hinge)).unwrap();
    }
    let worst = run(&mut world, 5.0);
    eprintln!("door on two hinges: gap {:.1e}, energy −{:.1e} of {:.1}", worst.gap, worst.fall, worst.kinetic);
    assert!(worst.gap < 1e-5 && worst.fall < 0.01 * worst.kinetic && worst.rise < 0.01 * worst.kinetic, "{worst:?}");
}

/// What joins the nodes of a net.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Ball,
    Hinge,
}

/// A level net of n by n bodies of a kilogram, half a metre apart, joined half-way; some are fixed.
fn net(n: usize, kind: Kind, moments: DVec3, fixed: impl Fn(usize, usize) -> bool) -> World {
    let mut world = world();
    let place = |k: usize| 0.5 * DVec3::new((k % n) as f64, 0.0, (k / n) as f64);
    let add = |k: usize| match fixed(k / n, k % n) {
        true => world.add_body(Body::fixed().at(place(k))).unwrap(),
        false => world.add_body(body(1.0, moments).at(place(k))).unwrap(),
    };
    let ids: Vec<BodyId> = (0..n * n).map(add).collect();
    let mut join = |a: usize, b: usize, axis: DVec3| {
        let at = 0.5 * (place(a) + place(b));
        let ends = [ids[a], ids[b]];
        let joint = match kind {
            Kind::Ball => Joint::new(ends[0], ends[1], Ball::at(at)),
            Kind::Hinge => Joint::new(ends[0], ends[1], Hinge::at(at, axis)),
        };
        world.add_joint(joint).unwrap();
    };
    for k in 0..n * n {
        if k % n + 1 < n && !(fixed(k / n, k % n) && fixed(k / n, k % n + 1)) {
            join(k, k + 1, DVec3::Z);
        }
        if k / n + 1 < n {
            join(k, k + n, DVec3::X);
        }
    }
    world
}

/// Nets of ball joints, of round and of long bodies, hold on a side and on two corners, and nets of hinges on a side. Hung on two corners,
/// nets of balls gain some energy where they whip, and nets of hinges open by a centimetre.
#[test]
fn nets_hold() {
    let round = DVec3::splat(0.02);
    let long = DVec3::new(0.004, 0.02, 0.02);
    for (kind, ways) in [(Kind::Ball, 2), (Kind::Hinge, 1)] {
        for (hung, name) in [(0, "side"), (1, "corners")].into_iter().take(ways) {
            for moments in [round, long] {
                let fixed = |row: usize, column: usize| row == 0 && (hung == 0 || column.is_multiple_of(11));
                let mut world = net(12, kind, moments, fixed);
                let worst = run(&mut world, 2.0);
                eprintln!(
                    "net of {kind:?} on its {name}: gap {:.2} mm, energy +{:.1e} of {:.0} J",
                    worst.gap * 1e3,
                    worst.rise / worst.kinetic.max(1.0),
                    worst.kinetic
                );
                assert!(worst.gap < 5e-3, "{kind:?} {name}: {worst:?}");
                assert!(worst.rise < [0.01, 0.05][hung] * worst.kinetic.max(1.0), "{kind:?} {name}: {worst:?}");
            }
        }
    }
}

/// Nothing damps the bodies: what is lost is lost in the joints.
#[test]
fn a_net_calms_down() {
    let mut world = net(10, Kind::Ball, DVec3::splat(0.02), |row, _| row == 0);
    let peak = run(&mut world, 2.0).kinetic;
    run(&mut world, 28.0);
    let left = world.energy().kinetic;
    eprintln!("net of 10 by 10: {peak:.0} J of motion at most, {left:.1e} J after half a minute");
    assert!(left < 0.15 * peak, "{left} of {peak}");
}

/// The same bits from the same beginning, and from a snapshot.
#[test]
fn nets_are_reproducible() {
    let make = || net(10, Kind::Hinge, DVec3::new(0.01, 0.02, 0.02), |row, _| row == 0);
    let (mut one, mut other) = (make(), make());
    for _ in 0..30 {
        one.step(DT).unwrap();
        other.step(DT).unwrap();
    }
    assert_eq!(one.state(), other.state());
    let snapshot = one.snapshot();
    (0..20).for_each(|_| one.step(DT).unwrap());
    other.restore(&snapshot);
    (0..20).for_each(|_| other.step(DT).unwrap());
    assert_eq!(one.state(), other.state());
}

/// A ball of fifty times the weight of a node falls into a net with slack.
#[test]
fn a_net_catches_a_heavy_ball() {
    let mut world = net(12, Kind::Ball, DVec3::splat(0.02), |row, column| row % 11 == 0 && column.is_multiple_of(11));
    let nodes: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
    for id in nodes {
        world.add_collider(id, tumble_dynamics::Collider::new(Shape::sphere(0.2).unwrap())).unwrap();
    }
    let heavy = Body::dynamic().with_shape(Shape::sphere(1.0).unwrap()).with_mass(50.0);
    let heavy = world.add_body(heavy.at([2.8, 1.5, 2.7])).unwrap();
    let worst = run(&mut world, 3.0);
    let height = world.body(heavy).unwrap().position().y;
    eprintln!("heavy ball in a net: gap {:.1} mm, at {height:.2} m", worst.gap * 1e3);
    assert!(worst.gap < 0.03 && height > -4.0, "{worst:?} {height}");
}

/// A doll of eleven capsules, standing with its arms spread; its joints.
fn doll(world: &mut World, at: DVec3, turn: DQuat) -> Vec<JointId> {
    let [x, y, z] = DVec3::AXES;
    let place = |point: DVec3| at + turn * (point - DVec3::Y);
    let mut add = |from: DVec3, to: DVec3, radius: f64| {
        let way = to - from;
        let shape = Shape::capsule((0.5 * way.length() - radius).max(0.01), radius).unwrap();
        let rotation = turn * DQuat::from_rotation_arc(y, way.normalize());
        let body = Body::dynamic().with_shape(shape).at(place(0.5 * (from + to))).rotated(rotation);
        world.add_body(body.in_group("doll")).unwrap()
    };
    let pelvis = add(DVec3::new(-0.15, 1.0, 0.0), DVec3::new(0.15, 1.0, 0.0), 0.1);
    let chest = add(DVec3::new(0.0, 1.05, 0.0), DVec3::new(0.0, 1.5, 0.0), 0.12);
    let head = add(DVec3::new(0.0, 1.5, 0.0), DVec3::new(0.0, 1.8, 0.0), 0.1);
    let mut round = vec![(pelvis, chest, DVec3::new(0.0, 1.05, 0.0), y, 0.5), (chest, head, y * 1.5, y, 0.6)];
    let mut hinges = Vec::new();
    for side in [1.0, -1.0] {
        let (shoulder, elbow) = (DVec3::new(0.2 * side, 1.42, 0.0), DVec3::new(0.5 * side, 1.42, 0.0));
        let (upper, lower) = (add(shoulder, elbow, 0.06), add(elbow, elbow + 0.3 * side * x, 0.05));
        let (hip, knee) = (DVec3::new(0.1 * side, 0.9, 0.0), DVec3::new(0.1 * side, 0.5, 0.0));
        let (thigh, shin) = (add(hip, knee, 0.08), add(knee, knee - 0.45 * y, 0.06));
        round.extend([(chest, upper, shoulder, side * x, 1.2), (pelvis, thigh, hip, -y, 0.9)]);
        hinges.extend([(upper, lower, elbow, -side * y), (thigh, shin, knee, x)]);
    }
    let mut joints = Vec::new();
    for (a, b, anchor, axis, swing) in round {
        let limits = SwingTwist::at(place(anchor), turn * axis, turn * z);
        let limits = limits.with_swing(swing, 0.7 * swing).with_twist(-0.5, 0.5);
        joints.push(world.add_joint(Joint::new(a, b, limits)).unwrap());
    }
    for (a, b, anchor, axis) in hinges {
        let hinge = Hinge::at(place(anchor), turn * axis).with_turn(Freedom::between(0.0, 2.3));
        joints.push(world.add_joint(Joint::new(a, b, hinge)).unwrap());
    }
    joints
}

/// By how much joints are apart, in metres, and limits passed, in degrees.
fn looseness(world: &World, joints: &[JointId]) -> (f64, f64) {
    let joint = |&id: &JointId| world.joint(id).unwrap();
    let apart = |id: &JointId| {
        let [a, b] = joint(id).anchors();
        (b - a).length()
    };
    let gap = joints.iter().map(apart).fold(0.0, f64::max);
    (gap, joints.iter().map(|id| joint(id).error()).fold(0.0, f64::max).to_degrees())
}

#[test]
fn a_rag_doll_falls_down_the_stairs() {
    for case in 0..4 {
        let mut world = world();
        world.set_filter(CollisionFilter::new().ignore(("doll", "doll")));
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
        for step in 0..6 {
            let height = 0.09 * f64::from(6 - step);
            let shape = Shape::cuboid([0.15, height, 2.0]).unwrap();
            world.add_body(Body::fixed().with_shape(shape).at([0.3 * f64::from(step), height, 0.0])).unwrap();
        }
        let turn = DQuat::from_xyzw(0.3 * f64::from(case), 0.4, 0.2 - 0.3 * f64::from(case), 1.0).normalize();
        let joints = doll(&mut world, DVec3::new(0.3, 2.4, 0.0), turn);
        let (mut gap, mut beyond) = (0.0_f64, 0.0_f64);
        for _ in 0..180 {
            world.step(DT).unwrap();
            let now = looseness(&world, &joints);
            (gap, beyond) = (gap.max(now.0), beyond.max(now.1));
        }
        eprintln!("rag-doll on stairs {case}: joints {:.3} mm apart, limits passed by {beyond:.2}°", gap * 1e3);
        assert!(gap < 2e-3 && beyond < 3.0, "{case}: {gap} m, {beyond}°");
    }
}

/// Dolls that fall upon each other lie in one heap: their joints hold, and they come to rest.
#[test]
fn dolls_in_a_heap_stay_in_one_piece() {
    let mut world = world();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let mut joints = Vec::new();
    for k in 0..6 {
        let turn = DQuat::from_xyzw(0.3 * f64::from(k), 0.4, 0.2, 1.0).normalize();
        joints.extend(doll(&mut world, DVec3::new(0.1 * f64::from(k), 1.2 + 0.7 * f64::from(k), 0.0), turn));
    }
    let (mut gap, mut beyond) = (0.0_f64, 0.0_f64);
    for _ in 0..240 {
        world.step(DT).unwrap();
        let now = looseness(&world, &joints);
        (gap, beyond) = (gap.max(now.0), beyond.max(now.1));
    }
    let fastest = world.bodies().map(|(_, body)| body.velocity().length()).fold(0.0, f64::max);
    eprintln!("dolls in a heap: {:.2} mm apart, limits passed by {beyond:.1}°, {fastest:.2} m/s left", gap * 1e3);
    assert!(gap < 0.02 && beyond < 15.0 && fastest < 3.0, "{gap} {beyond} {fastest}");
}
