//! The Verlet loop keeps the laws of its document: damping ξⁿ, second order without velocities, order of the list as strength, and
//! ropes that do not explode.

use glam::DVec3;
use tumble_dynamics::constraint::limit::AxisLimits;
use tumble_dynamics::constraint::{Ball, Distance, Hinge, Softness};
use tumble_dynamics::force::Spring;
use tumble_dynamics::geometry::{MassProperties, Shape};
use tumble_dynamics::method::verlet::{Form, Order};
use tumble_dynamics::method::{VerletLoop, VerletSettings};
use tumble_dynamics::model::filter::Scope;
use tumble_dynamics::model::{CollisionFilter, Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Material, World};

const FORMS: [Form; 2] = [Form::Velocity, Form::VelocityLess];

fn world(settings: VerletSettings, gravity: f64) -> World {
    let mut world = World::with_method(VerletLoop::new(settings));
    world.set_gravity([0.0, -gravity, 0.0]);
    world
}

fn run(world: &mut World, dt: f64, seconds: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

fn settings(form: Form) -> VerletSettings {
    VerletSettings { form, ..VerletSettings::default() }
}

/// B 4.1, 4.6: after n passes without forces ξⁿ of a velocity is left, linear and angular, in both forms.
#[test]
fn damping_leaves_xi_to_the_nth() {
    for form in FORMS {
        let own = VerletSettings { keep_velocity: 0.9, keep_angular_velocity: 0.8, ..settings(form) };
        let mut world = world(own, 0.0);
        let ball = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap());
        let id = world.add_body(ball.with_velocity([2.0, 1.0, 0.0]).with_angular_velocity([0.0, 0.0, 3.0])).unwrap();
        run(&mut world, 1.0 / 60.0, 0.5);
        let body = world.body(id).unwrap();
        let (left, turning) = (libm::pow(0.9, 30.0), libm::pow(0.8, 30.0));
        assert!((body.velocity() - DVec3::new(2.0, 1.0, 0.0) * left).length() < 1e-13, "{form:?} {}", body.velocity());
        assert!((body.angular_velocity() - DVec3::Z * (3.0 * turning)).length() < 1e-12, "{form:?}");
    }
}

#[test]
fn a_thrown_ball_follows_its_parabola() {
    for form in FORMS {
        let mut world = world(settings(form), 9.81);
        let id = world.add_body(Body::particle(1.0).with_velocity([3.0, 4.0, 0.0])).unwrap();
        run(&mut world, 1.0 / 60.0, 1.0);
        let at = world.body(id).unwrap().position();
        assert!((at - DVec3::new(3.0, 4.0 - 0.5 * 9.81, 0.0)).length() < 1e-11, "{form:?}: {at}");
    }
}

/// The error of a mass on a spring after a second, against the cosine.
fn spring_error(form: Form, dt: f64) -> f64 {
    let mut world = world(VerletSettings { frequency: 0.0, ..settings(form) }, 0.0);
    let id = world.add_body(Body::particle(1.0).at([1.0, 0.0, 0.0])).unwrap();
    world.add_force(Spring::new(JointEnd::World, id).with_stiffness(4.0));
    run(&mut world, dt, 1.0);
    (world.body(id).unwrap().position().x - libm::cos(2.0)).abs()
}

#[test]
fn without_velocities_it_is_of_second_order_on_a_spring_and_with_them_of_first() {
    let ratio = |form| spring_error(form, 0.02) / spring_error(form, 0.01);
    let (without, with) = (ratio(Form::VelocityLess), ratio(Form::Velocity));
    assert!((without - 4.0).abs() < 0.1, "{without}");
    assert!((with - 2.0).abs() < 0.1, "{with}");
}

/// Particles in a row, joined by rods, the first held.
fn rope(world: &mut World, count: usize, spacing: f64, softness: Softness) -> Vec<BodyId> {
    let place = |i: usize| DVec3::new(spacing * i as f64, 0.0, 0.0);
    let ids: Vec<BodyId> = (0..count).map(|i| world.add_body(Body::particle(0.01).at(place(i))).unwrap()).collect();
    world.add_joint(Joint::new(JointEnd::World, ids[0], Ball::at(DVec3::ZERO))).unwrap();
    for i in 1..count {
        let rod = Distance::rod(place(i - 1), place(i)).with_softness(softness);
        world.add_joint(Joint::new(ids[i - 1], ids[i], rod)).unwrap();
    }
    ids
}

/// A rope of a thousand particles at full strength falls and swings: no particle is ever faster than a fall from the highest to the lowest
/// place explains, and the energy does not grow.
#[test]
fn a_rope_of_a_thousand_particles_does_not_explode() {
    for form in FORMS {
        let mut world = world(VerletSettings { iterations: 4, ..settings(form) }, 9.81);
        let ids = rope(&mut world, 1000, 0.01, Softness::Rigid);
        let start = world.energy().total();
        for _ in 0..180 {
            world.step(1.0 / 60.0).unwrap();
            let energy = world.energy().total();
            assert!(energy < start + 0.5, "{form:?}: {energy} J at {} s", world.time());
        }
        let fastest = ids.iter().map(|&id| world.body(id).unwrap().velocity().length()).fold(0.0, f64::max);
        assert!(fastest < 40.0, "{form:?}: {fastest} m/s");
    }
}

/// How far the longest rod of a hanging rope is from its length, after two seconds.
fn stretch(iterations: u32, strength: f64) -> f64 {
    let mut world = world(VerletSettings { iterations, ..VerletSettings::default() }, 9.81);
    let softness = if strength < 1.0 { Softness::Baumgarte { beta: strength } } else { Softness::Rigid };
    let ids = rope(&mut world, 12, 0.1, softness);
    run(&mut world, 1.0 / 60.0, 2.0);
    let at = |i: usize| world.body(ids[i]).unwrap().position();
    (1..12).map(|i| ((at(i) - at(i - 1)).length() - 0.1).abs()).fold(0.0, f64::max)
}

#[test]
fn more_iterations_and_more_strength_make_a_rope_stiffer() {
    let (few, more, many) = (stretch(1, 1.0), stretch(4, 1.0), stretch(30, 1.0));
    assert!(few > 2.0 * more && more > 2.0 * many && many < 1e-3, "{few} {more} {many}");
    assert!(stretch(4, 0.3) > 1.5 * more, "{} {more}", stretch(4, 0.3));
}

/// B 10: of two constraints that contradict each other the later one has its way.
#[test]
fn the_last_constraint_in_the_list_is_the_strongest() {
    for lengths in [[1.0, 2.0], [2.0, 1.0]] {
        let mut world = world(settings(Form::VelocityLess), 0.0);
        let id = world.add_body(Body::particle(1.0).at([1.5, 0.0, 0.0])).unwrap();
        for length in lengths {
            let rod = Distance::rod(DVec3::ZERO, [1.5, 0.0, 0.0]).between(length, length);
            world.add_joint(Joint::new(JointEnd::World, id, rod)).unwrap();
        }
        run(&mut world, 1.0 / 60.0, 0.5);
        assert!((world.body(id).unwrap().position().length() - lengths[1]).abs() < 1e-9);
    }
}

/// Collisions, too, are as strong as their place in the list: a ball pinned a tenth of a metre deep in the floor comes to lie on it, or stays.
#[test]
fn collisions_are_as_strong_as_their_place_in_the_list() {
    for (order, height) in [(Order::CollisionsLast, 0.5), (Order::CollisionsFirst, 0.4)] {
        let mut world = world(VerletSettings { order, ..settings(Form::Velocity) }, 0.0);
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
        let ball = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).at([0.0, 0.4, 0.0]);
        let ball = world.add_body(ball).unwrap();
        world.add_joint(Joint::new(JointEnd::World, ball, Ball::at(DVec3::Y * 0.4))).unwrap();
        run(&mut world, 1.0 / 60.0, 0.5);
        let y = world.body(ball).unwrap().position().y;
        assert!((y - height).abs() < 1e-9, "{order:?}: {y}");
    }
}

/// B 7: eight particles and twelve distances beside a rigid box. In free flight both centres follow the same parabola, and the edges keep
/// their lengths.
#[test]
fn a_box_of_particles_flies_like_a_rigid_one() {
    let mut world = world(VerletSettings { iterations: 30, ..VerletSettings::default() }, 9.81);
    let (spin, throw) = (DVec3::new(0.0, 0.0, 2.0), DVec3::new(1.0, 5.0, 0.0));
    let corner = |i: usize| DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 }));
    let mut ids = Vec::new();
    for i in 0..8 {
        let body = Body::particle(1.0).at(corner(i)).with_velocity(throw + spin.cross(corner(i)));
        ids.push(world.add_body(body).unwrap());
    }
    for i in 0..8 {
        for k in (0..3).filter(|k| i >> k & 1 == 0) {
            let j = i | 1 << k;
            world.add_joint(Joint::new(ids[i], ids[j], Distance::rod(corner(i), corner(j)))).unwrap();
        }
    }
    assert_eq!(world.model().joints().len(), 12);
    let rigid = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).with_mass(8.0).at([5.0, 0.0, 0.0]);
    let rigid = world.add_body(rigid.with_velocity(throw).with_angular_velocity(spin)).unwrap();
    run(&mut world, 1.0 / 60.0, 1.0);
    let at = |id: BodyId| world.body(id).unwrap().position();
    let center = ids.iter().map(|&id| at(id)).sum::<DVec3>() / 8.0;
    assert!((center + DVec3::X * 5.0 - at(rigid)).length() < 1e-9, "{center} and {}", at(rigid));
    let edge = (at(ids[0]) - at(ids[1])).length();
    assert!((edge - 1.0).abs() < 0.01, "{edge}");
}

/// c and J are enough: a door on a hinge, which B does not know, swings and stays on its axis.
#[test]
fn any_joint_is_a_position_constraint() {
    for form in FORMS {
        let mut world = world(VerletSettings { iterations: 8, frequency: 240.0, ..settings(form) }, 9.81);
        let body = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.05, 0.05]).unwrap()).at([0.5, 0.0, 0.0]);
        let id = world.add_body(body).unwrap();
        let hinge = world.add_joint(Joint::new(JointEnd::World, id, Hinge::at(DVec3::ZERO, DVec3::Z))).unwrap();
        let (mut lowest, mut error) = (0.0_f64, 0.0_f64);
        for _ in 0..120 {
            world.step(1.0 / 60.0).unwrap();
            lowest = lowest.min(world.body(id).unwrap().position().y);
            error = error.max(world.joint(hinge).unwrap().error());
        }
        assert!(lowest < -0.49 && error < 2e-3, "{form:?}: {lowest} {error}");
    }
}

/// A pin with angle limits at the end of a swinging arm: the limits hold, and both ways to share a correction agree for equal bodies.
#[test]
fn angle_limits_hold_axis_by_axis() {
    let mut world = world(VerletSettings { iterations: 4, ..VerletSettings::default() }, 9.81);
    let properties =
        MassProperties { mass: 2.0, center: DVec3::ZERO, inertia: glam::DMat3::from_diagonal(DVec3::splat(0.02)) };
    let mut add = |at: DVec3| world.add_body(Body::dynamic().with_mass_properties(properties).at(at)).unwrap();
    let (upper, lower) = (add(DVec3::X * 0.2), add(DVec3::X * 0.6));
    world.add_joint(Joint::new(JointEnd::World, upper, Ball::at(DVec3::ZERO))).unwrap();
    world.add_joint(Joint::new(upper, lower, Ball::at(DVec3::X * 0.4))).unwrap();
    let limits = AxisLimits::between([0.0, 0.0, -0.3], [0.0, 0.0, 0.5]);
    world.add_joint(Joint::new(upper, lower, limits)).unwrap();
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    for _ in 0..300 {
        world.step(1.0 / 60.0).unwrap();
        let [a, b] = [upper, lower].map(|id| world.body(id).unwrap().rotation());
        let q = a.conjugate() * b;
        let angle = 2.0 * libm::asin((q.z * q.w.signum()).clamp(-1.0, 1.0));
        (least, most) = (least.min(angle), most.max(angle));
    }
    assert!(least > -0.3 - 0.09 && most < 0.5 + 0.09, "{least} to {most}");
    assert!(most > 0.1 || least < -0.1, "the limits are reached: {least} to {most}");
}

/// B 5: a ball at rest on the floor sinks by 4 g h² and stays; a box rests on four points; what falls fast bounces by its restitution.
#[test]
fn bodies_rest_on_automatic_springs_and_bounce_by_impulses() {
    let h = 1.0 / 60.0;
    let mut world = world(VerletSettings::default(), 9.81);
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let mut add = |shape: Shape, at: [f64; 3], mass: f64| {
        world.add_body(Body::dynamic().with_shape(shape).with_mass(mass).at(at)).unwrap()
    };
    let balls = [1.0, 1000.0].map(|mass| add(Shape::sphere(0.5).unwrap(), [mass, 0.5, 0.0], mass));
    let block = add(Shape::cuboid([0.5; 3]).unwrap(), [-3.0, 0.5, 0.0], 5.0);
    let rubber = Material { restitution: 1.0, ..Material::default() };
    let bouncing = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).with_material(rubber).at([-6.0, 2.5, 0.0]);
    let bouncing = world.add_body(bouncing).unwrap();
    let mut highest = 0.0_f64;
    for step in 0..600 {
        world.step(h).unwrap();
        if step > 45 && step < 90 {
            highest = highest.max(world.body(bouncing).unwrap().position().y);
        }
    }
    for ball in balls {
        let sunk = 0.5 - world.body(ball).unwrap().position().y;
        assert!((sunk - 4.0 * 9.81 * h * h).abs() < 1e-6, "{sunk}");
    }
    let body = world.body(block).unwrap();
    assert!(body.velocity().length() < 1e-3 && body.position().y > 0.4, "{} {}", body.position(), body.velocity());
    // Half of the sum of both materials' restitutions: 0.5, of 2 m.
    assert!((highest - 1.0).abs() < 0.12, "{highest}");
}

/// A figure of bodies with balls for ends: a random tree of pins with limits of angles, of any size, mass and inertia.
fn figure(world: &mut World, random: &mut fastrand::Rng, size: f64, at: DVec3, velocity: DVec3) -> Vec<BodyId> {
    let mut vector = |length: f64| DVec3::from([0; 3].map(|_| length * (2.0 * random.f64() - 1.0)));
    let spin = vector(2.0) / size.max(0.3);
    let mut places = vec![at];
    let mut parents = vec![0];
    for i in 1..15 {
        // A trunk of three, and limbs of three bodies each.
        let parent = if i < 3 || i % 3 != 0 { i - 1 } else { i / 3 % 3 };
        let away = vector(1.0).normalize() * (0.3 * size);
        places.push(places[parent] + away);
        parents.push(parent);
    }
    let mut chance = || random.f64();
    let ids: Vec<BodyId> = places
        .iter()
        .map(|&place| {
            let (mass, radius) = (1.0 + 9.0 * chance(), (0.04 + 0.06 * chance()) * size);
            // Between that of a ball and B's, which is larger than that of any limb.
            let radius_of_gyration = size * (0.1 + 0.6 * chance());
            let inertia = mass * radius_of_gyration * radius_of_gyration;
            let inertia = glam::DMat3::from_diagonal(DVec3::new(inertia, inertia * (0.5 + 0.5 * chance()), inertia));
            let properties = MassProperties { mass, center: DVec3::ZERO, inertia };
            let body = Body::dynamic().with_shape(Shape::sphere(radius).unwrap()).with_mass_properties(properties);
            let velocity = velocity + spin.cross(place - at);
            world
                .add_body(body.at(place).with_velocity(velocity).with_angular_velocity(spin).in_group("figure"))
                .unwrap()
        })
        .collect();
    for i in 1..ids.len() {
        let parent = parents[i];
        let anchor = 0.5 * (places[i] + places[parent]);
        // Every third is a hinge about x, as a knee is.
        let (least, most) = if i % 3 == 2 { (0.0, 0.0) } else { (-0.5, 0.7) };
        let limits = AxisLimits::between([-0.2, least, least], [1.5, most, most]);
        world.add_joint(Joint::new(ids[parent], ids[i], limits)).unwrap();
        world.add_joint(Joint::new(ids[parent], ids[i], Ball::at(anchor))).unwrap();
    }
    ids
}

/// Figures of all sizes fall over a step onto the floor in passes of 1/30 s with two iterations. Pins are closed and limits hold in every frame, though a
/// ball that hits the floor at 5 m/s is 17 cm inside it when it is found; none falls through, and no energy comes out of nothing: a hundredth is what
/// differences for velocities miss, and what is pushed out rises by.
#[test]
fn two_iterations_hold_figures_of_any_size() {
    let mut random = fastrand::Rng::with_seed(3);
    for case in 0..24 {
        let (form, size) = (FORMS[case % 2], [0.5, 1.0, 2.0][case / 2 % 3]);
        let mut world = world(VerletSettings { frequency: 30.0, iterations: 2, ..settings(form) }, 9.81);
        let within = Scope::Groups(["figure".into(), "figure".into()]);
        world.set_filter(CollisionFilter::new().ignore(within));
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
        let step = Shape::cuboid([2.0, 0.25 * size, 2.0]).unwrap();
        world.add_body(Body::fixed().with_shape(step).at([-2.0, 0.25 * size, 0.0])).unwrap();
        let ids = figure(&mut world, &mut random, size, DVec3::Y * (2.2 * size), DVec3::X);
        let start = world.energy().total();
        let (mut pins, mut limits, mut deep) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..150 {
            world.step(1.0 / 30.0).unwrap();
            for (index, (_, joint)) in world.joints().enumerate() {
                let worst = if index % 2 == 0 { &mut limits } else { &mut pins };
                *worst = worst.max(joint.error());
            }
            deep = ids.iter().map(|&id| -world.body(id).unwrap().position().y).fold(deep, f64::max);
            let energy = world.energy().total();
            assert!(energy < 1.01 * start, "{case}: {energy} J of {start} J");
        }
        assert!(pins < 1e-9 && limits < 1e-6, "{case}, {form:?}, {size} m: {pins} m, {limits}");
        assert!(deep < 0.1, "{case}, {form:?}, {size} m: {deep} m under the floor");
    }
}

/// A figure that flies keeps its momentum: its centre of mass follows the parabola, whatever its joints do.
#[test]
fn the_center_of_a_flying_figure_follows_its_parabola() {
    for form in FORMS {
        let mut random = fastrand::Rng::with_seed(8);
        let mut world = world(VerletSettings { frequency: 30.0, ..settings(form) }, 9.81);
        let ids = figure(&mut world, &mut random, 1.0, DVec3::ZERO, DVec3::new(1.0, 3.0, 0.0));
        let mass = |id: BodyId| world_mass(&world, id);
        let total: f64 = ids.iter().map(|&id| mass(id)).sum();
        let masses: Vec<f64> = ids.iter().map(|&id| mass(id)).collect();
        let center = |world: &World| {
            let sum = |(&id, &m): (&BodyId, &f64)| world.body(id).unwrap().position() * m;
            ids.iter().zip(&masses).map(sum).sum::<DVec3>() / total
        };
        let momentum =
            ids.iter().zip(&masses).map(|(&id, &m)| world.body(id).unwrap().velocity() * m).sum::<DVec3>() / total;
        let start = center(&world);
        run(&mut world, 1.0 / 30.0, 1.0);
        let expected = start + momentum - DVec3::Y * (0.5 * 9.81);
        assert!((center(&world) - expected).length() < 1e-9, "{form:?}: {} instead of {expected}", center(&world));
    }
}

fn world_mass(world: &World, id: BodyId) -> f64 {
    world.body(id).unwrap().model().mass.mass
}

/// A foot that is stopped is felt by the whole figure at once: a chain of twenty links that falls upright onto a floor stops there, its pins closed.
#[test]
fn a_chain_that_hits_the_floor_stops_as_a_whole() {
    for form in FORMS {
        let mut world = world(VerletSettings { frequency: 30.0, iterations: 1, ..settings(form) }, 9.81);
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
        let place = |i: usize| DVec3::Y * (0.3 * i as f64 + 0.15);
        let link = || Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_velocity([0.0, -5.0, 0.0]);
        let ids: Vec<BodyId> = (0..20).map(|i| world.add_body(link().at(place(i))).unwrap()).collect();
        for i in 1..20 {
            let anchor = 0.5 * (place(i - 1) + place(i));
            world.add_joint(Joint::new(ids[i - 1], ids[i], Ball::at(anchor))).unwrap();
        }
        world.step(1.0 / 30.0).unwrap();
        for &id in &ids {
            let speed = world.body(id).unwrap().velocity().y;
            assert!(speed > -1.6, "{form:?}: {speed}");
        }
        let open = world.joints().map(|(_, joint)| joint.error()).fold(0.0, f64::max);
        assert!(open < 1e-9, "{form:?}: {open}");
    }
}
