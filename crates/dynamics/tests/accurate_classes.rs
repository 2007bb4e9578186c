//! Further problems of the classes that the reference problems stand for, each against a formula, an integral or a law of its own:
//! belts, round things at edges, redundant loops, heavy bobs, and crowds that must not hang.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use tumble_dynamics::constraint::Hinge;
use tumble_dynamics::event::{Grip, Phase, StormCause};
use tumble_dynamics::force::{FnForce, ForceContext, Wrenches};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::method::{Accurate, AccurateSettings};
use tumble_dynamics::model::{ContactChange, ContactPair, Joint, JointEnd, Locks};
use tumble_dynamics::{Body, BodyId, Material, World};

const G: f64 = 9.81;

fn with(settings: AccurateSettings) -> World {
    World::with_method(Accurate::new().with_settings(settings).unwrap())
}

fn world(tolerance: f64) -> World {
    with(AccurateSettings { tolerance, ..AccurateSettings::default() })
}

fn material(restitution: f64, friction: f64) -> Material {
    Material { restitution, static_friction: friction, dynamic_friction: friction, ..Material::default() }
}

fn block(world: &mut World, at: [f64; 3], material: Material) -> BodyId {
    let body = Body::dynamic().with_shape(Shape::cuboid([0.1; 3]).unwrap()).with_mass(1.0);
    world.add_body(body.with_material(material).at(at)).unwrap()
}

/// The integral of a smooth function, by Simpson's rule and Richardson's extrapolation of it (Romberg).
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let trapezoids = |n: u32| {
        let h = (to - from) / f64::from(n);
        h * (0.5 * (f(from) + f(to)) + (1..n).map(|k| f(from + h * f64::from(k))).sum::<f64>())
    };
    let mut row: Vec<f64> = (0..9).map(|k| trapezoids(1 << k)).collect();
    for order in 1..row.len() {
        let factor = f64::from(4_u32.pow(order as u32));
        for k in (order..row.len()).rev() {
            row[k] += (row[k] - row[k - 1]) / (factor - 1.0);
        }
    }
    row[8]
}

/// A floor that carries what lies on it along x.
fn belt(world: &mut World, speed: f64, material: Material) {
    let ground = Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_user_data(1);
    world.add_body(ground.with_material(material)).unwrap();
    world.set_contact_rule(move |pair: &ContactPair<'_>, change: &mut ContactChange| {
        let is_belt = |side: usize| pair.body(side).user_data == 1;
        let sign = f64::from(u8::from(is_belt(0))) - f64::from(u8::from(is_belt(1)));
        change.surface_velocity = DVec3::X * speed * sign;
    });
}

/// A block is laid on a belt: it slides until it is as fast, after v/(μ g), and then is carried along.
#[test]
fn a_block_is_carried_by_a_belt() {
    let mut world = world(1e-10);
    let rough = material(0.0, 0.4);
    belt(&mut world, 2.0, rough);
    let id = block(&mut world, [0.0, 0.1, 0.0], rough);
    let holds = 2.0 / (0.4 * G);
    let mut held = None;
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
        assert_eq!(world.events().storms, []);
        held = held.or(world.events().grips.iter().find(|event| event.grip == Grip::Stick).map(|event| event.time));
    }
    let body = world.body(id).unwrap();
    let exact = 0.5 * 2.0 * holds + 2.0 * (1.0 - holds);
    println!("belt: {:e} s, {:e} m", held.unwrap() - holds, body.position().x - exact);
    assert!((held.unwrap() - holds).abs() < 1e-10, "{held:?} {holds}");
    assert!((body.position().x - exact).abs() < 1e-9, "{} {exact}", body.position().x);
    assert!((body.position().y - 0.1).abs() < 1e-12 && body.angular_velocity().length() < 1e-10);
}

/// A ball that cannot turn on a belt, held back by a spring: it is carried along until the spring pulls it off, slides, and is caught again. While it
/// slides it swings about the point where spring and friction balance; where it is as fast as the belt once more, it holds.
#[test]
fn a_body_on_a_belt_sticks_and_slips() {
    let (stiffness, speed, stick, slip) = (100.0_f64, 0.5, 0.6 * G, 0.4 * G);
    let omega = stiffness.sqrt();
    let mut world = world(1e-10);
    let rough = Material { dynamic_friction: 0.4, ..material(0.0, 0.6) };
    belt(&mut world, speed, rough);
    let body = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_mass(1.0).with_material(rough);
    let body = body.with_locks(Locks::TURNS).at([0.0, 0.1, 0.0]).with_velocity([speed, 0.0, 0.0]);
    world.add_body(body).unwrap();
    world.add_force(FnForce::new("spring", move |context: &ForceContext<'_>, wrenches: &mut Wrenches| {
        let slot = context.bodies.len() - 1;
        wrenches.add_force(slot, DVec3::X * (-stiffness * context.bodies[slot].position.x));
    }));
    // It gives way where k x = μ_s m g. Then x = x_s + R cos(ωt − φ) with k x_s = μ_k m g and R (cos φ, sin φ) = (a, v/ω); it is as fast as the
    // belt again where sin(ωt − φ) = −sin φ, at ωt = π + 2φ.
    let (gives, rest) = (stick / stiffness, slip / stiffness);
    let phase = libm::atan2(speed / omega, gives - rest);
    let sliding = (std::f64::consts::PI + 2.0 * phase) / omega;
    // It is caught at 2 x_s − x, and carried from there.
    let carried = 2.0 * (gives - rest) / speed;
    let mut expected = vec![(gives / speed, Grip::Slip)];
    for _ in 0..3 {
        let last = expected[expected.len() - 1].0;
        expected.push((last + sliding, Grip::Stick));
        expected.push((last + sliding + carried, Grip::Slip));
    }
    let mut found = Vec::new();
    while world.time() < expected[6].0 + 0.01 {
        world.step(1.0 / 60.0).unwrap();
        assert_eq!(world.events().storms, []);
        found.extend(world.events().grips.iter().map(|event| (event.time, event.grip)));
    }
    println!("{found:?}\n{expected:?}");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found.0 - expected.0).abs() < 1e-9 && found.1 == expected.1, "{found:?} {expected:?}");
    }
}

/// The same block as a box, as the hull of its corners, and as a mesh of twelve triangles.
fn blocks(half: [f64; 3]) -> [Shape; 3] {
    let half = DVec3::from_array(half);
    let corner = |i: usize| half * DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 1 { 1.0 } else { -1.0 }));
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let quads = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    [Shape::cuboid(half).unwrap(), Shape::hull(&corners).unwrap(), Shape::mesh(corners, triangles).unwrap()]
}

/// A table with an edge at x = 0, and a cylinder across it that comes along at a speed.
fn table_and_cylinder(world: &mut World, table: Shape, friction: f64, [start, speed, spin]: [f64; 3]) -> BodyId {
    let surface = material(0.0, friction);
    let table = Body::fixed().with_shape(table).at([-1.0, -0.5, 0.0]);
    world.add_body(table.with_material(surface)).unwrap();
    let shape = Shape::cylinder(0.2, 0.1).unwrap();
    let body = Body::dynamic().with_shape(shape).with_mass(1.0).with_material(surface).at([start, 0.1, 0.0]);
    let lies = body.rotated(rotation_about(DVec3::X, std::f64::consts::FRAC_PI_2));
    world.add_body(lies.with_velocity([speed, 0.0, 0.0]).with_angular_velocity([0.0, 0.0, -spin])).unwrap()
}

/// A cylinder slides over the edge of a table without friction. From there on its axis goes round the edge, until nothing presses any more:
/// g cos θ = r θ̇².
#[test]
fn a_cylinder_slides_over_an_edge() {
    let (start, speed, r) = (-0.2, 0.5, 0.1);
    let edge = -start / speed;
    let square = |theta: f64| {
        let half = libm::sin(0.5 * theta);
        (speed / r) * (speed / r) + 4.0 * G / r * half * half
    };
    let leaves = libm::acos((speed * speed / (G * r) + 2.0) / 3.0);
    let exact = edge + integral(0.0, leaves, |theta| 1.0 / square(theta).sqrt());
    for table in blocks([1.0, 0.5, 1.0]).into_iter().take(2) {
        let mut world = world(1e-12);
        table_and_cylinder(&mut world, table, 0.0, [start, speed, 0.0]);
        let mut left = None;
        for _ in 0..60 {
            world.step(0.01).unwrap();
            assert_eq!(world.events().storms, []);
            let end = world.events().contacts.iter().find(|event| event.phase == Phase::End).map(|event| event.time);
            left = left.or(end);
        }
        println!("{:e}", left.unwrap() - exact);
        assert!((left.unwrap() - exact).abs() < 1e-12, "{left:?} {exact}");
    }
}

/// A cylinder rolls over the edge of a table: θ̈ = 2g/(3r) sin θ, friction is ⅓ m g sin θ, and where that is μ N it begins to slide.
#[test]
fn a_cylinder_rolls_over_an_edge() {
    let (start, speed, r, mu) = (-0.2, 0.5, 0.1, 0.5);
    let square = |theta: f64| {
        let half = libm::sin(0.5 * theta);
        (speed / r) * (speed / r) + 8.0 / 3.0 * G / r * half * half
    };
    // Where it slides, by bisection.
    let (mut low, mut high) = (0.0, 1.5);
    for _ in 0..60 {
        let theta = 0.5 * (low + high);
        let holds = G * libm::sin(theta) / 3.0 < mu * (G * libm::cos(theta) - r * square(theta));
        if holds { low = theta } else { high = theta }
    }
    let exact = -start / speed + integral(0.0, low, |theta| 1.0 / square(theta).sqrt());
    for table in blocks([1.0, 0.5, 1.0]) {
        let mut world = world(1e-12);
        table_and_cylinder(&mut world, table, mu, [start, speed, speed / r]);
        let mut slips = None;
        for _ in 0..60 {
            world.step(0.01).unwrap();
            assert_eq!(world.events().storms, []);
            let slip = world.events().grips.iter().find(|event| event.grip == Grip::Slip);
            slips = slips.or(slip.map(|event| event.time));
        }
        println!("{:e}", slips.unwrap() - exact);
        assert!((slips.unwrap() - exact).abs() < 1e-12, "{slips:?} {exact}");
    }
}

/// What slides over the edge of a table without friction, straight or askew, begins to tip, and nothing ever hits anything: no energy is lost.
fn slides_over_the_edge_smoothly(shape: &Shape, height: f64, turn: DQuat) {
    for table in blocks([1.0, 0.1, 1.0]).into_iter().take(2) {
        let mut world = world(1e-10);
        let smooth = material(0.0, 0.0);
        world.add_body(Body::fixed().with_shape(table).at([-1.0, -0.1, 0.0]).with_material(smooth)).unwrap();
        let body = Body::dynamic().with_shape(shape.clone()).with_mass(1.0).with_material(smooth);
        let body = body.at([-0.5, height, 0.1]).rotated(turn).with_velocity([1.5, 0.0, 0.3]);
        let id = world.add_body(body).unwrap();
        let energy = world.energy().total();
        for _ in 0..70 {
            world.step(0.01).unwrap();
            assert_eq!((world.events().storms.len(), world.events().impacts.len()), (0, 0), "at {} s", world.time());
        }
        assert!(world.body(id).unwrap().position().y < height - 0.1);
        let change = world.energy().total() - energy;
        println!("{change:e} J");
        assert!(change.abs() < 1e-8, "{change:e} J");
    }
}

#[test]
fn a_block_slides_over_an_edge_smoothly() {
    slides_over_the_edge_smoothly(&Shape::cuboid([0.15, 0.1, 0.15]).unwrap(), 0.1, DQuat::IDENTITY);
}

#[test]
fn a_block_slides_over_an_edge_askew() {
    slides_over_the_edge_smoothly(&Shape::cuboid([0.15, 0.1, 0.15]).unwrap(), 0.1, rotation_about(DVec3::Y, 0.35));
}

/// Where a body is at last that slides over the edge of a table without friction, askew, in steps of the world of a length.
fn tipped(shape: &Shape, height: f64, turn: DQuat, [tolerance, dt]: [f64; 2]) -> DVec3 {
    let mut world = world(tolerance);
    let smooth = material(0.0, 0.0);
    let table = Shape::cuboid([1.0, 0.5, 1.5]).unwrap();
    world.add_body(Body::fixed().with_shape(table).at([-1.0, -0.5, 0.0]).with_material(smooth)).unwrap();
    let body = Body::dynamic().with_shape(shape.clone()).with_mass(1.0).with_material(smooth);
    let body = body.at([-0.35, height, 0.0]).rotated(turn).with_velocity([1.0, 0.0, 0.0]);
    let id = world.add_body(body).unwrap();
    let end = 0.6;
    while world.time() < end - 1e-9 {
        world.step(dt.min(end - world.time())).unwrap();
        assert_eq!(world.events().storms, []);
    }
    world.body(id).unwrap().position()
}

/// What touches is not the same all the way: the round side of a capsule across the edge is followed by its end, an edge of a block by a corner.
/// Each change has its moment, whatever the steps: else the places would differ by a millimetre.
#[test]
fn what_tips_over_an_edge_askew_does_so_whatever_the_steps() {
    let lying = rotation_about(DVec3::X, std::f64::consts::FRAC_PI_2);
    let shapes = [
        ("capsule", Shape::capsule(0.15, 0.05).unwrap(), 0.05, lying),
        ("cylinder", Shape::cylinder(0.15, 0.05).unwrap(), 0.05, lying),
        ("block", Shape::cuboid([0.15, 0.05, 0.1]).unwrap(), 0.05, DQuat::IDENTITY),
    ];
    for (name, shape, height, lies) in shapes {
        for askew in [0.3, 0.5, 0.8, 1.2] {
            let turn = rotation_about(DVec3::Y, askew) * lies;
            let finest = tipped(&shape, height, turn, [1e-11, 0.007]);
            for choice in [[1e-8, 0.02], [1e-9, 0.01], [1e-10, 0.6]] {
                let error = tipped(&shape, height, turn, choice).distance(finest);
                println!("{name}, {askew} rad, {choice:?}: {error:e} m");
                assert!(error < 1e-6, "{name}, {askew} rad, {choice:?}: {error:e} m");
            }
        }
    }
}

/// A block is pulled aside by a steady force and ahead by a growing one, until friction gives way; from then on the direction in which it
/// slides turns, quickly at first.
fn dragged(tolerance: f64, dt: f64) -> DVec3 {
    let mut world = world(tolerance);
    let rough = material(0.0, 0.5);
    let ground = Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap());
    world.add_body(ground.with_material(rough)).unwrap();
    let id = block(&mut world, [0.0, 0.1, 0.0], rough);
    let pull = move |context: &ForceContext<'_>, wrenches: &mut Wrenches| {
        wrenches.add_force(1, DVec3::new(10.0 * context.time, 0.0, 4.0));
    };
    world.add_force(FnForce::new("pull", pull));
    // It tips over unless it is kept upright.
    world.body_mut(id).unwrap().set_locks(Locks::TURNS).unwrap();
    while world.time() < 1.0 - 1e-9 {
        world.step(dt).unwrap();
        assert_eq!(world.events().storms, []);
    }
    world.body(id).unwrap().position()
}

/// The same by integration of speed s and direction φ, for a mass of 1 kg: ṡ = F·û − μ g, s φ̇ = F·n̂. Where s is nothing yet, φ follows
/// the direction of F, which it lags behind by s φ̇/|F|.
fn dragged_by_formula() -> DVec3 {
    let hold = 0.5 * G;
    let pull = |t: f64| [10.0 * t, 4.0];
    let onset = (hold * hold - 16.0).sqrt() / 10.0;
    let growth = 100.0 * onset / hold;
    let turning = |t: f64| -40.0 / (100.0 * t * t + 16.0);
    let rates = |t: f64, [_, _, s, phi]: [f64; 4]| {
        let ([x, z], (sin, cos)) = (pull(t), libm::sincos(phi));
        [s * cos, s * sin, x * cos + z * sin - hold, (z * cos - x * sin) / s]
    };
    let mut t = onset + 1e-4;
    let speed = 0.5 * growth * 1e-8;
    let mut y = [0.0, 0.0, speed, libm::atan2(4.0, 10.0 * t) - speed * turning(t) / hold];
    while t < 1.0 {
        // φ catches up at the rate |F|/s: no step is longer than a tenth of that time.
        let h = (0.1 * y[2] / hold).min(1e-4).min(1.0 - t).max(1e-12);
        let at = |k: [f64; 4], share: f64| std::array::from_fn(|i| y[i] + share * h * k[i]);
        let k1 = rates(t, y);
        let k2 = rates(t + 0.5 * h, at(k1, 0.5));
        let k3 = rates(t + 0.5 * h, at(k2, 0.5));
        let k4 = rates(t + h, at(k3, 1.0));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        t += h;
    }
    DVec3::new(y[0], 0.1, y[1])
}

/// The onset of sliding: there the direction of a speed that is nothing yet turns quickly. Its error follows the root of the tolerance.
#[test]
fn sliding_begins_in_a_direction_that_follows_the_tolerance() {
    let exact = dragged_by_formula();
    for (tolerance, within) in [(1e-6, 3e-5), (1e-8, 3e-6), (1e-10, 3e-7), (1e-12, 3e-8)] {
        let error = dragged(tolerance, 0.1).distance(exact);
        println!("{tolerance:e}: {error:e} m");
        assert!(error < within, "{tolerance:e}: {error:e} m");
    }
}

/// A coupler on three equal parallel cranks: a closed loop with a crank too many, and in space with many rows too many. The coupler goes round
/// without turning: (I + M) l² θ̈ = −(½ Σm + M) g l sin θ with I = ⅓ Σm.
#[test]
fn a_redundant_parallelogram_swings_like_a_pendulum() {
    let mut world = world(1e-11);
    let (length, lean) = (0.5_f64, 1.0_f64);
    let turn = rotation_about(DVec3::Z, lean);
    let arm = turn * DVec3::new(0.0, -length, 0.0);
    let coupler = Body::dynamic().with_shape(Shape::cuboid([0.6, 0.02, 0.02]).unwrap()).with_mass(2.0);
    let coupler = world.add_body(coupler.at(arm)).unwrap();
    for x in [-0.5, 0.0, 0.5] {
        let nail = DVec3::new(x, 0.0, 0.0);
        let inertia = glam::DMat3::from_diagonal(DVec3::new(1.0, 1e-3, 1.0) * (length * length / 12.0));
        let mass = tumble_dynamics::geometry::MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
        let crank = Body::dynamic().with_mass_properties(mass).at(nail + arm * 0.5).rotated(turn);
        let crank = world.add_body(crank).unwrap();
        world.add_joint(Joint::new(JointEnd::World, crank, Hinge::at(nail, DVec3::Z))).unwrap();
        world.add_joint(Joint::new(crank, coupler, Hinge::at(nail + arm, DVec3::Z))).unwrap();
    }
    // A quarter of a period: with θ = lean sin s the integral is smooth (√(cos θ − cos lean) has a root at the end).
    let rate = 2.0 * G / length * (1.5 + 2.0) / (1.0 + 2.0);
    let quarter = integral(0.0, std::f64::consts::FRAC_PI_2, |s| {
        // θ with sin(θ/2) = sin(lean/2) sin s: dθ/√(2(cos θ − cos lean)) = ds/√(1 − k² sin² s).
        let k = libm::sin(0.5 * lean) * libm::sin(s);
        1.0 / (0.5 * rate).sqrt() / (1.0 - k * k).sqrt()
    });
    world.step(4.0 * quarter).unwrap();
    let body = world.body(coupler).unwrap();
    println!("{:e} m after a period of {} s", body.position().distance(arm), 4.0 * quarter);
    assert!(body.position().distance(arm) < 1e-9, "{} {arm}", body.position());
    assert!(body.rotation().angle_between(glam::DQuat::IDENTITY) < 1e-7);
}

/// Smoothed friction holds nothing: a block on a slope creeps at the speed v at which μ v/√(v² + s²) is tan α.
#[test]
fn smoothed_friction_creeps() {
    let settings = AccurateSettings { tolerance: 1e-11, friction_smoothing: Some(0.01), ..AccurateSettings::default() };
    let (mut world, rough, alpha) = (with(settings), material(0.0, 0.6), 0.4);
    let tilt = rotation_about(DVec3::Z, alpha);
    let slope = Body::fixed().with_shape(Shape::half_space(tilt * DVec3::Y).unwrap());
    world.add_body(slope.with_material(rough)).unwrap();
    let body = Body::dynamic().with_shape(Shape::cuboid([0.1; 3]).unwrap()).with_mass(1.0).with_material(rough);
    let block = world.add_body(body.at(tilt * DVec3::Y * 0.1).rotated(tilt)).unwrap();
    world.step(1.0).unwrap();
    assert_eq!(world.events().storms, []);
    let part = libm::tan(alpha) / 0.6;
    let exact = tilt * DVec3::NEG_X * (0.01 * part / (1.0 - part * part).sqrt());
    let off = world.body(block).unwrap().velocity().distance(exact);
    assert!(off < 1e-9, "{off:e}");
}

/// Balls that bounce without loss in a narrow box never come to an end of events. With little patience the run goes on in small steps, tells
/// why, and names those involved.
#[test]
fn what_costs_too_much_is_told() {
    let mut world = with(AccurateSettings { tolerance: 1e-6, patience: 0.01, ..AccurateSettings::default() });
    let springy = material(1.0, 0.0);
    for (normal, at) in
        [(DVec3::Y, 0.0), (DVec3::X, -0.3), (DVec3::NEG_X, -0.3), (DVec3::Z, -0.3), (DVec3::NEG_Z, -0.3)]
    {
        let wall = Body::fixed().with_shape(Shape::half_space(normal).unwrap()).with_material(springy);
        world.add_body(wall.at(normal * at)).unwrap();
    }
    let mut balls = Vec::new();
    for k in 0..12 {
        let at = [0.25 * f64::from(k % 2) - 0.12, 0.15 + 0.22 * f64::from(k / 2), 0.03 * f64::from(k % 3)];
        let ball = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_mass(1.0).with_material(springy);
        balls.push(world.add_body(ball.at(at)).unwrap());
    }
    let mut storms = Vec::new();
    for _ in 0..90 {
        world.step(1.0 / 60.0).unwrap();
        storms.extend(world.events().storms.iter().copied());
    }
    assert!(storms.iter().any(|storm| storm.cause == StormCause::Work), "{storms:?}");
    assert!(storms.iter().all(|storm| storm.until > storm.time && storm.until <= world.time() + 1e-9));
    assert!(storms.iter().flat_map(|storm| storm.bodies).flatten().all(|body| balls.contains(&body)));
    assert!(storms[0].cause.advice().contains("patience"));
}

/// More points on each other than are solved exactly: the tower stands still in small steps, contacts go on being told, and their forces carry
/// the weight.
#[test]
fn a_crowd_stands_and_its_forces_carry_it() {
    let mut world = world(1e-8);
    let rough = material(0.0, 0.6);
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(rough)).unwrap();
    let blocks: Vec<BodyId> = (0..16).map(|k| block(&mut world, [0.0, 0.1 + 0.2 * f64::from(k), 0.0], rough)).collect();
    let (mut begun, mut ended) = (0, 0);
    for _ in 0..6 {
        world.step(1.0 / 60.0).unwrap();
        let count = |phase: Phase| world.events().contacts.iter().filter(|event| event.phase == phase).count();
        (begun, ended) = (begun + count(Phase::Begin), ended + count(Phase::End));
    }
    assert!(world.events().storms.iter().all(|storm| storm.cause == StormCause::Crowd));
    assert!((world.report().accuracy.stumbled - 1.0 / 60.0).abs() < 1e-9);
    assert_eq!((begun, ended), (16, 0));
    for id in blocks {
        let force = world.contact_wrench(id).unwrap().force;
        assert!((force.y - G).abs() < 1e-3 * G, "{force}");
    }
}

/// Twenty blocks that stand apart are eighty points, but none presses on another: they are followed exactly, and none creeps.
#[test]
fn blocks_that_stand_apart_are_no_crowd() {
    let mut world = world(1e-8);
    let rough = material(0.0, 0.6);
    let tilt = rotation_about(DVec3::Z, 0.4);
    let slope = Body::fixed().with_shape(Shape::half_space(tilt * DVec3::Y).unwrap());
    world.add_body(slope.with_material(rough)).unwrap();
    let at = |k: u32| tilt * DVec3::new(0.3 * f64::from(k % 5), 0.1, 0.3 * f64::from(k / 5));
    let blocks: Vec<BodyId> = (0..20)
        .map(|k| {
            let body = Body::dynamic().with_shape(Shape::cuboid([0.1; 3]).unwrap()).with_mass(1.0);
            world.add_body(body.with_material(rough).at(at(k)).rotated(tilt)).unwrap()
        })
        .collect();
    for _ in 0..10 {
        world.step(0.1).unwrap();
        assert_eq!(world.events().storms, []);
    }
    for (k, id) in (0..).zip(blocks) {
        let moved = world.body(id).unwrap().position().distance(at(k));
        assert!(moved < 1e-12, "{k}: {moved:e}");
    }
}

/// Smooth motion is not hurried, however little patience there is.
#[test]
fn smooth_motion_takes_what_it_takes() {
    let mut world = with(AccurateSettings { tolerance: 1e-12, patience: 0.01, ..AccurateSettings::default() });
    let mut last = JointEnd::World;
    for k in 0..6 {
        let x = 0.2 * f64::from(k);
        let inertia = glam::DMat3::from_diagonal(DVec3::new(1e-4, 3e-3, 3e-3));
        let mass = tumble_dynamics::geometry::MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
        let body = Body::dynamic().with_mass_properties(mass).at([x + 0.1, 0.0, 0.0]);
        let id = world.add_body(body).unwrap();
        world.add_joint(Joint::new(last, id, Hinge::at([x, 0.0, 0.0], DVec3::Z))).unwrap();
        last = id.into();
    }
    let energy = world.energy().total();
    for _ in 0..30 {
        world.step(1.0 / 60.0).unwrap();
        assert_eq!(world.events().storms, []);
    }
    assert!((world.energy().total() - energy).abs() < 1e-9);
}
