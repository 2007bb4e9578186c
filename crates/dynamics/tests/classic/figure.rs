//! Driven figures (H 4.3): conservation of momentum, a falling cat, and a figure that lands.

use glam::{DMat3, DVec3};
use std::f64::consts::TAU;
use tumble_dynamics::geometry::{MassProperties, Shape, Transform};
use tumble_dynamics::method::impact::{Figure, Link};
use tumble_dynamics::method::{ImpactDynamics, ImpactSettings};
use tumble_dynamics::{Body, BodyId, Collider, World};

fn world(figure: Figure, gravity: f64) -> World {
    let figures = vec![figure];
    let mut world = World::with_method(ImpactDynamics::new(ImpactSettings { figures, ..ImpactSettings::default() }));
    world.set_gravity([0.0, -gravity, 0.0]);
    world
}

fn body(mass: f64, inertia: [f64; 3]) -> MassProperties {
    MassProperties { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(DVec3::from_array(inertia)) }
}

/// The planar falling cat: three uniform rods of 1 m and 1 kg whose hinges are bent in a cycle, φ_left = A sin s and φ_right = A (1 − cos s). The
/// centre rod turns by what the connection of angular momentum says (80-bit reference), though there never is any.
#[test]
fn a_falling_cat_turns_without_angular_momentum() {
    let steps = 4000;
    let dt = 1.0 / f64::from(steps);
    for (amplitude, turned) in [(0.5, 0.009293591009793167), (1.0, 0.0904810383526525), (1.5, 0.34138103578611895)] {
        let times: Vec<f64> = (0..=steps).map(|k| f64::from(k) * dt).collect();
        let phase = |u: f64| TAU * u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
        let bend = |of: &dyn Fn(f64) -> f64| times.iter().map(|&u| (amplitude * of(phase(u))).to_degrees()).collect();
        let link = |on: &str, x: f64, degrees: Vec<f64>| Link {
            on: on.into(),
            to: "middle".into(),
            anchor: DVec3::new(x, 0.0, 0.0),
            own_anchor: DVec3::new(-x, 0.0, 0.0),
            axis: DVec3::Z,
            times: times.clone(),
            degrees,
            ..Link::default()
        };
        let links = vec![link("left", -0.5, bend(&libm::sin)), link("right", 0.5, bend(&|s| 1.0 - libm::cos(s)))];
        let mut world = world(Figure { root: "middle".into(), links }, 0.0);
        let mut add = |name: &str, x: f64| {
            let rod = Body::dynamic().with_mass_properties(body(1.0, [1e-4, 1.0 / 12.0, 1.0 / 12.0]));
            world.add_body(rod.named(name).at([x, 0.0, 0.0])).unwrap()
        };
        let [_, middle, _] = [("left", -1.0), ("middle", 0.0), ("right", 1.0)].map(|(name, x)| add(name, x));
        for _ in 0..steps {
            world.step(dt).unwrap();
            assert!(world.angular_momentum(DVec3::ZERO).length() < 1e-10);
        }
        let q = world.body(middle).unwrap().rotation();
        let angle = 2.0 * libm::atan2(q.z, q.w);
        assert!((angle - turned).abs() < 1e-6, "A = {amplitude}: {angle} instead of {turned}");
    }
}

/// A body with a chain of links that writhe, tumbling through the air.
fn writhing(links: usize) -> (World, Vec<BodyId>) {
    let name = |k: usize| format!("link {k}");
    let times: Vec<f64> = (0..=100).map(|k| 0.1 * f64::from(k)).collect();
    let link = |k: usize| Link {
        on: name(k),
        to: name(if k.is_multiple_of(3) { k / 2 } else { k - 1 }),
        anchor: DVec3::new(0.2, 0.1, 0.0),
        own_anchor: DVec3::new(-0.2, 0.0, 0.05),
        axis: DVec3::new((k % 2) as f64, 1.0, (k % 5) as f64),
        times: times.clone(),
        degrees: times.iter().map(|&t| 60.0 * libm::sin(2.0 * t + k as f64)).collect(),
        ..Link::default()
    };
    let mut world = world(Figure { root: name(0), links: (1..links).map(link).collect() }, 9.8);
    let bodies = (0..links).map(|k| {
        let properties = body(1.0 + 0.1 * k as f64, [0.02, 0.03 + 0.001 * k as f64, 0.04]);
        let body = Body::dynamic().with_mass_properties(properties).named(name(k));
        let body = body.at([0.1 * k as f64, 0.0, 0.0]).with_velocity([1.0, 5.0, 0.3 * k as f64]);
        world.add_body(body.with_angular_velocity([0.5, 2.0, -1.0])).unwrap()
    });
    let bodies = bodies.collect();
    (world, bodies)
}

/// In flight the angular momentum about the centre of mass is kept to rounding, whatever the joints do, and the centre of mass follows its
/// parabola: at thirty frames a second, for ten seconds and twenty links. The joints do what they are told.
#[test]
fn momentum_is_kept_whatever_the_joints_do() {
    let (mut world, bodies) = writhing(20);
    let dt = 1.0 / 30.0;
    let center = |world: &World| {
        let parts = || bodies.iter().map(|&id| world.body(id).unwrap());
        let mass: f64 = parts().map(|body| body.model().mass.mass).sum();
        (parts().map(|body| body.position() * body.model().mass.mass).sum::<DVec3>() / mass, mass)
    };
    let (start, mass) = center(&world);
    let (before, momentum) = (world.angular_momentum(start), world.momentum());
    for step in 1..=300 {
        world.step(dt).unwrap();
        let (now, t) = (center(&world).0, f64::from(step) * dt);
        let parabola = start + momentum / mass * t - DVec3::Y * (4.9 * t * t);
        assert!((now - parabola).length() < 1e-9, "{now} instead of {parabola}");
        let apart = (world.angular_momentum(now) - before).length();
        // Rounding: the centre of mass is half a kilometre down and moves at 100 m/s.
        assert!(apart < 1e-10 * before.length(), "{apart} of {before} after {t} s");
    }
    let [root, first] = [bodies[0], bodies[1]].map(|id| world.body(id).unwrap().rotation());
    let relative = root.conjugate() * first;
    let angle = 2.0 * libm::acos(relative.w.abs());
    assert!((angle - (60.0 * libm::sin(21.0)).to_radians().abs()).abs() < 1e-9, "{angle}");
}

/// A figure whose joints are still bounces like one rigid body of the same shape and mass: impacts see the whole.
#[test]
fn a_stiff_figure_lands_like_one_body() {
    let ball = || Shape::sphere(0.2).unwrap();
    let link = |on: &str, x: f64| {
        let (on, to, anchor) = (on.into(), "middle".into(), DVec3::new(x, 0.0, 0.0));
        Link { on, to, anchor, ..Link::default() }
    };
    let links = vec![link("left", -0.5), link("right", 0.5)];
    let world = |figures: Vec<Figure>| {
        let rest_speed = Some(0.1);
        World::with_method(ImpactDynamics::new(ImpactSettings { rest_speed, figures, ..ImpactSettings::default() }))
    };
    let (mut jointed, mut whole) = (world(vec![Figure { root: "middle".into(), links }]), world(Vec::new()));
    for world in [&mut jointed, &mut whole] {
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    }
    let (spin, velocity) = (DVec3::new(0.0, 0.0, 2.0), DVec3::new(1.0, 0.0, 0.0));
    let ids = [("left", -0.5), ("middle", 0.0), ("right", 0.5)].map(|(name, x)| {
        let body = Body::dynamic().with_shape(ball()).with_mass(1.0).named(name).at([x, 1.0, 0.0]);
        let out = DVec3::new(x, 0.0, 0.0);
        jointed.add_body(body.with_velocity(velocity + spin.cross(out)).with_angular_velocity(spin)).unwrap()
    });
    let colliders =
        [-0.5, 0.0, 0.5].map(|x| Collider::new(ball()).with_pose(Transform::from_translation(DVec3::new(x, 0.0, 0.0))));
    let body = colliders.into_iter().fold(Body::dynamic().with_mass(3.0), Body::with_collider);
    let body = body.at([0.0, 1.0, 0.0]).with_velocity(velocity).with_angular_velocity(spin);
    let one = whole.add_body(body).unwrap();
    let mut highest = 0.0_f64;
    for _ in 0..60 {
        jointed.step(1.0 / 30.0).unwrap();
        whole.step(1.0 / 30.0).unwrap();
        let [figure, single] = [jointed.body(ids[1]).unwrap(), whole.body(one).unwrap()];
        highest = highest.max(single.velocity().y);
        assert!((figure.position() - single.position()).length() < 1e-6, "at {} s", whole.time());
        assert!((figure.velocity() - single.velocity()).length() < 1e-6, "at {} s", whole.time());
    }
    assert!(highest > 0.1, "it did not bounce");
}

/// A figure of bodies that are not there is refused by name.
#[test]
fn figures_of_nobody_are_refused() {
    let mut world = world(Figure { root: "nobody".into(), links: Vec::new() }, 9.8);
    world.add_body(Body::particle(1.0).named("somebody")).unwrap();
    let error = world.step(0.01).unwrap_err().to_string();
    assert!(error.contains("\"nobody\"") && error.contains("impact"), "{error}");
}
