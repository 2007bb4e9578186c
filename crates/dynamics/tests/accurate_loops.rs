//! The accurate method on closed loops and on joints that say more than they need to: rows that repeat others, positions in which a loop
//! could go on two ways. Each against a formula, a law of conservation, or the rigid body that the joints amount to.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DQuat, DVec3};
use tumble_dynamics::constraint::{Ball, Hinge, Nail};
use tumble_dynamics::geometry::MassProperties;
use tumble_dynamics::method::{Accurate, AccurateSettings};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, World};

const G: f64 = 9.81;

fn world(tolerance: f64) -> World {
    let settings = AccurateSettings { tolerance, ..AccurateSettings::default() };
    World::with_method(Accurate::new().with_settings(settings).unwrap())
}

/// A thin rod between two points.
fn rod(world: &mut World, [a, b]: [DVec3; 2], mass: f64) -> BodyId {
    let length = a.distance(b);
    let moment = mass * length * length / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(1e-4 * moment, moment, moment));
    let mass = MassProperties { mass, center: DVec3::ZERO, inertia };
    let turn = DQuat::from_rotation_arc(DVec3::X, (b - a) / length);
    world.add_body(Body::dynamic().with_mass_properties(mass).at(a.midpoint(b)).rotated(turn)).unwrap()
}

fn hinge(world: &mut World, a: JointEnd, b: BodyId, at: DVec3, axis: DVec3) {
    world.add_joint(Joint::new(a, b, Hinge::at(at, axis))).unwrap();
}

/// Runs in steps of the world and looks at it after each; none may be stumbled through.
fn run(world: &mut World, seconds: f64, dt: f64, mut look: impl FnMut(&World)) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
        assert_eq!(world.events().storms, [], "at {}", world.time());
        look(world);
    }
}

/// Bricard's linkage (1897): six hinges, each perpendicular to both rods that it joins, along edges of a box. Thirty rows for thirty
/// coordinates of five rods, and yet it moves, since one row repeats the others. It never loses its mobility, or its energy, and
/// comes back the way it went.
fn bricard(size: f64, mass: f64, tolerance: f64) -> (World, Vec<BodyId>) {
    let mut world = world(tolerance);
    let corners = [[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]];
    let corners = corners.map(|[x, y, z]| DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * size);
    let rods: Vec<BodyId> = (0..5).map(|k| rod(&mut world, [corners[k], corners[k + 1]], mass)).collect();
    for k in 0..6 {
        let edge = |from: usize| corners[(from + 1) % 6] - corners[from % 6];
        let axis = edge(k + 5).cross(edge(k)).normalize();
        match k {
            0 => hinge(&mut world, JointEnd::World, rods[0], corners[0], axis),
            5 => hinge(&mut world, JointEnd::World, rods[4], corners[5], axis),
            _ => hinge(&mut world, rods[k - 1].into(), rods[k], corners[k], axis),
        }
    }
    (world, rods)
}

#[test]
fn bricards_linkage_moves() {
    for (size, mass) in [(1.0, 1.0), (0.2, 30.0)] {
        let places = |[tolerance, dt]: [f64; 2]| {
            let (mut world, rods) = bricard(size, mass, tolerance);
            let energy = world.energy().total();
            let (mut drift, mut lost, mut moved) = (0.0_f64, 0.0_f64, 0.0_f64);
            let start = world.body(rods[2]).unwrap().position();
            run(&mut world, 2.0, dt, |world| {
                drift = drift.max(world.report().accuracy.drift);
                lost = lost.max((world.energy().total() - energy).abs() / (mass * G * size));
                moved = moved.max(world.body(rods[2]).unwrap().position().distance(start));
            });
            println!("size {size}, tolerance {tolerance:e}, dt {dt}: moved {moved}, energy {lost:e}, joints {drift:e}");
            assert!(moved > 0.5 * size, "{moved}");
            assert!(lost < 1e-9 && drift < 1e-6 * size, "{lost:e} {drift:e}");
            rods.iter().map(|&id| world.body(id).unwrap().position()).collect::<Vec<_>>()
        };
        let (fine, coarse) = (places([1e-12, 0.01]), places([1e-10, 0.1]));
        let apart = fine.iter().zip(&coarse).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        println!("size {size}: {apart:e} m apart");
        assert!(apart < 1e-8 * size, "{apart:e}");
    }
}

/// A flight of stairs on three nails, nine rows for six coordinates: it stays, and the nails carry it.
#[test]
fn three_nails_hold_what_they_carry() {
    for points in
        [[[0.0, 0.0, 0.0], [2.0, 1.0, 0.0], [1.0, 0.5, 1.5]], [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]]]
    {
        let mut world = world(1e-10);
        let inertia = DMat3::from_diagonal(DVec3::new(30.0, 40.0, 50.0));
        let mass = MassProperties { mass: 100.0, center: DVec3::ZERO, inertia };
        let stairs = world.add_body(Body::dynamic().with_mass_properties(mass).at([1.0, 0.2, 0.4])).unwrap();
        let nails: Vec<_> =
            points.map(|at| world.add_joint(Joint::new(JointEnd::World, stairs, Nail::at(at))).unwrap()).into();
        let line = points[1][0] == points[1][1];
        run(&mut world, if line { 0.0 } else { 3.0 }, 0.1, |_| {});
        if line {
            // Three nails in a line are a hinge: it swings, and keeps its energy.
            let energy = world.energy().total();
            run(&mut world, 3.0, 0.1, |world| {
                assert!((world.energy().total() - energy).abs() < 1e-6, "{:e}", world.energy().total() - energy);
            });
            assert!(world.body(stairs).unwrap().angular_velocity().length() > 0.1);
            continue;
        }
        assert!(world.body(stairs).unwrap().position().distance(DVec3::new(1.0, 0.2, 0.4)) < 1e-12);
        let carried: DVec3 = nails.iter().map(|&id| world.joint(id).unwrap().reaction().force).sum();
        assert!((carried - DVec3::Y * 100.0 * G).length() < 1e-9, "{carried}");
    }
}

/// Two bodies nailed to each other three times are one: spinning freely, they go the way of one body with their mass.
#[test]
fn bodies_nailed_together_three_times_are_one() {
    let omega = DVec3::new(0.3, 4.0, -1.0);
    let [left, right] = [DVec3::new(-0.6, 0.1, 0.0), DVec3::new(0.3, -0.05, 0.0)];
    let own = [DMat3::from_diagonal(DVec3::new(0.02, 0.05, 0.04)), DMat3::from_diagonal(DVec3::new(0.1, 0.03, 0.08))];
    let shifted = |mass: f64, at: DVec3| {
        let square = DMat3::from_cols(at * at.x, at * at.y, at * at.z);
        (DMat3::from_diagonal(DVec3::splat(at.length_squared())) - square) * mass
    };
    let body = |mass: f64, inertia: DMat3, at: DVec3| {
        let body = Body::dynamic().with_mass_properties(MassProperties { mass, center: DVec3::ZERO, inertia });
        body.at(at).with_velocity(omega.cross(at)).with_angular_velocity(omega)
    };
    let mut pair = world(1e-11);
    pair.set_gravity([0.0; 3]);
    let a = pair.add_body(body(1.0, own[0], left)).unwrap();
    let b = pair.add_body(body(2.0, own[1], right)).unwrap();
    for at in [[0.0, 0.0, 0.0], [0.1, 0.3, 0.0], [-0.1, 0.1, 0.4]] {
        pair.add_joint(Joint::new(a, b, Ball::at(at))).unwrap();
    }
    let mut whole = world(1e-13);
    whole.set_gravity([0.0; 3]);
    let inertia = own[0] + own[1] + shifted(1.0, left) + shifted(2.0, right);
    let one = whole.add_body(body(3.0, inertia, DVec3::ZERO)).unwrap();
    for _ in 0..10 {
        run(&mut pair, 0.5, 0.1, |_| {});
        run(&mut whole, 0.5, 0.5, |_| {});
        let turn = whole.body(one).unwrap().rotation();
        for (id, at) in [(a, left), (b, right)] {
            let off = pair.body(id).unwrap().position().distance(turn * at);
            assert!(off < 1e-9, "{off:e} at {}", pair.time());
        }
    }
}

/// A parallelogram of rods without weight turns at a constant rate, through the positions in which it is stretched out and could go on as
/// an antiparallelogram as well: smooth motion goes straight on. It comes back after a turn.
#[test]
fn a_parallelogram_goes_straight_on_where_it_is_stretched() {
    for (crank, coupler, rate, dt) in [(0.5, 0.8, 3.0, 0.1), (0.1, 0.35, 10.0, 0.05), (1.0, 1.0, 2.0, 0.25)] {
        let mut world = world(1e-10);
        world.set_gravity([0.0; 3]);
        let [o, p] = [DVec3::ZERO, DVec3::X * coupler];
        let up = DVec3::Y * crank;
        let bars = [[o, o + up], [o + up, p + up], [p, p + up]].map(|ends| rod(&mut world, ends, 1.0));
        let spin = DVec3::Z * rate;
        for (bar, velocity, turns) in [
            (bars[0], spin.cross(0.5 * up), spin),
            (bars[1], spin.cross(up), DVec3::ZERO),
            (bars[2], spin.cross(0.5 * up), spin),
        ] {
            let mut body = world.body_mut(bar).unwrap();
            body.set_velocity(velocity).unwrap();
            body.set_angular_velocity(turns).unwrap();
        }
        hinge(&mut world, JointEnd::World, bars[0], o, DVec3::Z);
        hinge(&mut world, bars[0].into(), bars[1], o + up, DVec3::Z);
        hinge(&mut world, bars[1].into(), bars[2], p + up, DVec3::Z);
        hinge(&mut world, JointEnd::World, bars[2], p, DVec3::Z);
        let mut worst = 0.0_f64;
        run(&mut world, 6.0 / rate, dt / rate, |world| {
            let angle = rate * world.time();
            let arm = DVec3::new(-libm::sin(angle), libm::cos(angle), 0.0) * crank;
            let middle = world.body(bars[1]).unwrap().position();
            worst = worst.max(middle.distance(arm + 0.5 * p));
        });
        println!("crank {crank}, coupler {coupler}: {worst:e} m off");
        assert!(worst < 1e-5 * crank, "{worst:e}");
    }
}
