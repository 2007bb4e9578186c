//! Each kind of plug-in does what its formula says, beside and like built-in parts, and is saved and resumed bit for bit.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use tumble_dynamics::constraint::{Attach, BodyView, JointView, Row};
use tumble_dynamics::force::{ForceContext, Wrenches};
use tumble_dynamics::method::{Accurate, Retroactive};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{Body, BodyId, SavedWorld, StepError, Workers, World};
use tumble_geometry::math::rotation_from_vector;

use tumble_geometry::{Shape, Transform};
use tumble_plugin::{Plugin, template};

/// The built-in parts and the templates.
fn registry() -> Registry {
    let mut registry = Registry::default();
    for (name, text) in [
        ("force.wat", template::FORCE),
        ("joint.wat", template::JOINT),
        ("shape.wat", template::SHAPE),
        ("method.wat", template::METHOD),
    ] {
        Plugin::read(name, text.as_bytes()).unwrap().register(&mut registry).unwrap();
    }
    registry
}

fn superellipsoid(registry: &Registry, properties: Value) -> Shape {
    let map = registry.shapes.create("superellipsoid", &properties).unwrap();
    Shape::Custom(tumble_geometry::shape::Custom::new(map).unwrap())
}

#[test]
fn a_force_follows_its_formula_and_its_potential() {
    let registry = registry();
    let force = registry.forces.create("updraft", &json!({ "strength": 3.0, "height": 1.5 })).unwrap();
    let mut world = World::new();
    for height in [-1.0, 0.25, 4.0] {
        world.add_body(Body::particle(2.0).at([1.0, height, -3.0])).unwrap();
    }
    let energy = |world: &World| {
        let context = ForceContext { model: world.model(), time: 0.0, bodies: &world.state().bodies };
        force.potential_energy(&context).unwrap()
    };
    let context = ForceContext { model: world.model(), time: 0.0, bodies: &world.state().bodies };
    let mut wrenches = Wrenches::zero(3);
    force.apply(&context, &mut wrenches);
    for (body, wrench) in world.state().bodies.iter().zip(wrenches.as_slice()) {
        let expected = 3.0 * libm::exp(-body.position.y / 1.5);
        assert_eq!(wrench.force, DVec3::Y * expected);
        assert_eq!(wrench.torque, DVec3::ZERO);
    }
    // F = -dE/dy for one of them.
    let lifted = |by: f64| {
        let mut world = World::new();
        world.add_body(Body::particle(2.0).at([0.0, 0.25 + by, 0.0])).unwrap();
        energy(&world)
    };
    let slope = (lifted(1e-5) - lifted(-1e-5)) / 2e-5;
    assert!((slope + wrenches.as_slice()[1].force.y).abs() < 1e-8);
}

#[test]
fn a_force_acts_on_its_targets_alone() {
    let registry = registry();
    let mut world = World::new();
    let light = world.add_body(Body::particle(1.0).named("light")).unwrap();
    let other = world.add_body(Body::particle(1.0).at([2.0, 0.0, 0.0])).unwrap();
    let on = json!({ "strength": 9.81, "height": 1e6, "on": { "named": "light" } });
    world.add_force(registry.forces.create("updraft", &on).unwrap());
    world.step(1.0 / 60.0).unwrap();
    assert!(world.body(light).unwrap().velocity().y.abs() < 1e-6);
    assert!(world.body(other).unwrap().velocity().y < -0.1);
}

/// Two bodies somewhere, turned and moving.
fn views() -> [BodyView; 2] {
    let view = |k: f64| BodyView {
        pose: Transform::new(
            DQuat::from_xyzw(0.1 + k, -0.3, 0.2 * k, 0.9).normalize(),
            DVec3::new(0.3, -0.2 + k, 0.5 * k),
        ),
        center: DVec3::new(0.4 - k, 0.1, 0.2 + 0.3 * k),
        velocity: DVec3::new(1.0, -0.5 * k, 0.7),
        angular_velocity: DVec3::new(-0.4, 0.9, 0.3 + k),
    };
    [view(0.2), view(0.7)]
}

/// The bodies after so many seconds with the velocities they have.
fn after(bodies: &[BodyView; 2], time: f64) -> [BodyView; 2] {
    bodies.map(|body| {
        let turn = rotation_from_vector(body.angular_velocity * time);
        let center = body.center + body.velocity * time;
        let arm = turn * (body.pose.translation - body.center);
        BodyView { pose: Transform::new(turn * body.pose.rotation, center + arm), center, ..body }
    })
}

#[test]
fn the_rows_of_a_joint_agree_with_numerical_differentiation() {
    let registry = registry();
    let properties = json!({ "anchor": [0.1, 0.2, 0.3], "axis": [1, 2, 0.5], "bend": 0.8 });
    let joint = registry.joints.create("parabola", &properties).unwrap();
    let rest = views();
    let constraint = joint.attach(&rest).unwrap();
    let rows = |bodies: &[BodyView; 2]| {
        let mut rows: Vec<Row> = Vec::new();
        constraint.rows(&JointView { bodies: *bodies, angle: 0.0 }, &mut rows);
        rows
    };
    assert!(rows(&rest).iter().all(|row| row.error.abs() < 1e-15), "it holds where it was made");
    // Somewhere else, so that all terms count.
    let bodies = after(&rest, 0.4);
    let rate = |bodies: &[BodyView; 2], row: &Row| {
        row.jacobian.dot(bodies.map(|body| body.velocity), bodies.map(|body| body.angular_velocity))
    };
    let h = 1e-4;
    for (k, row) in rows(&bodies).iter().enumerate() {
        let error = |time: f64| rows(&after(&bodies, time))[k].error;
        let slope = (8.0 * (error(h) - error(-h)) - (error(2.0 * h) - error(-2.0 * h))) / (12.0 * h);
        assert!((slope - rate(&bodies, row)).abs() < 1e-10, "J: {slope} and {}", rate(&bodies, row));
        let speed = |time: f64| {
            let moved = after(&bodies, time);
            rate(&moved, &rows(&moved)[k])
        };
        let change = (8.0 * (speed(h) - speed(-h)) - (speed(2.0 * h) - speed(-2.0 * h))) / (12.0 * h);
        assert!((change - row.jdot_v).abs() < 1e-8 * change.abs().max(1.0), "J̇ẋ: {change} and {}", row.jdot_v);
    }
}

#[test]
fn a_bead_on_a_parabola_swings_with_the_period_of_theory() {
    let registry = registry();
    let mut world = World::with_method(Accurate::default());
    let bead = world.add_body(Body::dynamic().with_shape(Shape::sphere(0.1).unwrap())).unwrap();
    let wire = registry.joints.create("parabola", &json!({ "bend": 0.5 })).unwrap();
    world.add_joint(Joint::new(JointEnd::World, bead, wire)).unwrap();
    world.body_mut(bead).unwrap().set_velocity([0.01, 0.0, 0.0]).unwrap();
    // Near the bottom y = k x² is a well with ω² = 2 g k; x passes zero after half a period.
    let half = std::f64::consts::PI / (2.0 * 9.81 * 0.5_f64).sqrt();
    let steps = 100;
    for _ in 0..steps {
        world.step(half / f64::from(steps)).unwrap();
    }
    let body = world.body(bead).unwrap();
    assert!(body.position().x.abs() < 1e-6, "{}", body.position());
    assert!((body.velocity().x + 0.01).abs() < 1e-7);
}

#[test]
fn a_superellipsoid_with_exponent_two_is_an_ellipsoid() {
    let registry = registry();
    let radii = DVec3::new(0.5, 0.2, 0.3);
    let shape =
        registry.shapes.create("superellipsoid", &json!({ "radii": [0.5, 0.2, 0.3], "exponent": 2.0 })).unwrap();
    for k in 0..200 {
        let k = f64::from(k);
        let direction = DVec3::new(libm::sin(k), libm::cos(1.7 * k), libm::sin(0.3 * k + 1.0)) * (1.0 + k);
        let expected = radii * (radii * direction).normalize();
        assert!(shape.support(direction).distance(expected) < 1e-14);
    }
}

#[test]
fn a_superellipsoid_comes_to_rest_on_its_flat_side() {
    let registry = registry();
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space([0.0, 1.0, 0.0]).unwrap())).unwrap();
    let shape = superellipsoid(&registry, json!({ "radii": [0.5, 0.2, 0.3], "exponent": 8.0 }));
    let stone = world.add_body(Body::dynamic().with_shape(shape).at([0.0, 0.4, 0.0])).unwrap();
    for _ in 0..180 {
        world.step(1.0 / 60.0).unwrap();
    }
    let body = world.body(stone).unwrap();
    assert!((body.position().y - 0.2).abs() < 2e-3, "{}", body.position());
}

/// An oscillator of 1 Hz as the method moves it in a second: how far it is from where it began.
fn gap(registry: &Registry, steps: u32) -> f64 {
    let mut world = World::new();
    world.set_boxed_method(registry.method("leapfrog", &Value::Null).unwrap());
    world.set_gravity(DVec3::ZERO);
    let stiffness = std::f64::consts::TAU * std::f64::consts::TAU;
    world.add_force(registry.forces.create("vortex", &json!({ "axis": [0, 1, 0], "pull": stiffness })).unwrap());
    let ball = world.add_body(Body::particle(1.0).at([1.0, 0.0, 0.0])).unwrap();
    for _ in 0..steps {
        world.step(1.0 / f64::from(steps)).unwrap();
    }
    world.body(ball).unwrap().position().distance(DVec3::X)
}

#[test]
fn a_method_has_the_order_it_should_have() {
    let registry = registry();
    let (coarse, fine) = (gap(&registry, 100), gap(&registry, 200));
    assert!(coarse < 5e-2 && fine > 0.0);
    let order = (coarse / fine).log2();
    // The phase error of h² makes a distance along x of its square at the turning point: measure along the motion instead.
    assert!(order > 1.9, "{coarse} {fine}: order {order}");
}

#[test]
fn a_method_that_holds_no_joints_says_so() {
    let registry = registry();
    let mut world = World::new();
    world.set_boxed_method(registry.method("leapfrog", &Value::Null).unwrap());
    let bob = world.add_body(Body::dynamic().with_mass(1.0)).unwrap();
    world.add_joint(Joint::new(JointEnd::World, bob, tumble_dynamics::constraint::Ball::at([0.0; 3]))).unwrap();
    let error = world.step(0.01).unwrap_err();
    assert!(
        matches!(&error, StepError::Part(text) if text.contains("\"leapfrog\"") && text.contains("joints")),
        "{error}"
    );
}

/// A world with a part of every kind that a world can have at once.
fn everything(registry: &Registry) -> World {
    let mut world = World::with_method(Retroactive::new());
    world.add_body(Body::fixed().with_shape(Shape::half_space([0.0, 1.0, 0.0]).unwrap())).unwrap();
    let shape = superellipsoid(registry, json!({ "radii": [0.3, 0.2, 0.25], "exponent": 3.0 }));
    for k in 0..6 {
        let at = [0.1 * f64::from(k), 0.4 + 0.6 * f64::from(k), 0.03 * f64::from(k)];
        world.add_body(Body::dynamic().with_shape(shape.clone()).at(at)).unwrap();
    }
    let bead = world.add_body(Body::dynamic().with_mass(1.0).at([5.0, 2.0, 0.0])).unwrap();
    let wire = registry.joints.create("parabola", &json!({ "anchor": [5, 2, 0], "bend": 0.3 })).unwrap();
    world.add_joint(Joint::new(JointEnd::World, bead, wire)).unwrap();
    world.body_mut(bead).unwrap().set_velocity([1.0, 0.0, 0.0]).unwrap();
    world.add_force(registry.forces.create("updraft", &json!({ "strength": 50.0 })).unwrap());
    world
}

#[test]
fn worlds_with_plug_ins_are_resumed_bit_for_bit() {
    let registry = registry();
    let mut world = everything(&registry);
    for _ in 0..40 {
        world.step(1.0 / 60.0).unwrap();
    }
    let snapshot = world.snapshot();
    let bytes = world.save_whole(&registry).unwrap().to_bytes();
    let mut other = World::from_saved(&SavedWorld::from_bytes(&bytes).unwrap(), &registry).unwrap();
    for _ in 0..40 {
        world.step(1.0 / 60.0).unwrap();
        other.step(1.0 / 60.0).unwrap();
    }
    assert_eq!(world.state().fingerprint(), other.state().fingerprint());
    other.restore(&snapshot);
    for _ in 0..40 {
        other.step(1.0 / 60.0).unwrap();
    }
    assert_eq!(world.state(), other.state());
}

#[test]
fn a_world_with_a_method_that_is_a_plug_in_is_resumed_bit_for_bit() {
    let registry = registry();
    let mut world = World::new();
    world.set_boxed_method(registry.method("leapfrog", &Value::Null).unwrap());
    world.add_body(Body::particle(1.0).with_velocity([0.3, 1.0, 0.0])).unwrap();
    world.add_force(registry.forces.create("updraft", &Value::Null).unwrap());
    world.step(0.01).unwrap();
    let saved = world.save_whole(&registry).unwrap();
    let mut other = World::from_saved(&saved, &registry).unwrap();
    assert_eq!(other.method().name(), "leapfrog");
    for _ in 0..50 {
        world.step(0.01).unwrap();
        other.step(0.01).unwrap();
    }
    assert_eq!(world.state(), other.state());
}

#[test]
fn a_saved_world_asks_for_the_program_it_was_made_with() {
    let registry = registry();
    let saved = everything(&registry).save_whole(&registry).unwrap();
    let mut changed = Registry::default();
    for (name, text) in [
        ("f", template::FORCE.replace("i32.const 168", "i32.const 160")),
        ("j", template::JOINT.into()),
        ("s", template::SHAPE.into()),
    ] {
        Plugin::read(name, text.as_bytes()).unwrap().register(&mut changed).unwrap();
    }
    let error = World::from_saved(&saved, &changed).unwrap_err().to_string();
    assert!(error.contains("updraft") && error.contains("program"), "{error}");
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let registry = registry();
    let run = |threads: usize| {
        let mut world = World::new();
        world.set_workers(Workers::new(threads));
        world.add_body(Body::fixed().with_shape(Shape::half_space([0.0, 1.0, 0.0]).unwrap())).unwrap();
        let shape = superellipsoid(&registry, json!({ "exponent": 4.0 }));
        for k in 0..8 {
            let (row, column) = (f64::from(k / 4), f64::from(k % 4));
            let at = [1.05 * column, 0.6 + 1.02 * row, 0.05 * column];
            world.add_body(Body::dynamic().with_shape(shape.clone()).at(at)).unwrap();
        }
        for _ in 0..8 {
            world.step(1.0 / 60.0).unwrap();
        }
        world.state().fingerprint()
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn properties_are_described_and_checked_like_those_of_built_in_parts() {
    let registry = registry();
    let part = registry.forces.part("updraft").unwrap();
    let strength = part.properties.iter().find(|property| property.name == "strength").unwrap();
    assert_eq!((strength.unit.as_deref(), strength.minimum, &strength.default), (Some("N"), Some(0.0), &json!(5.0)));
    let error = |properties: Value| registry.forces.create("updraft", &properties).unwrap_err().to_string();
    assert!(error(json!({ "strength": -1.0 })).contains("`strength` is -1, but must be at least 0"));
    assert!(error(json!({ "strength": "much" })).contains("`strength` is \"much\", but must be a number"));
    assert!(error(json!({ "strenght": 1.0 })).contains("no property `strenght`"));
    assert!(error(json!([1])).contains("must be a table"));
    let error = registry.shapes.create("superellipsoid", &json!({ "radii": [1, -2, 3] })).unwrap_err().to_string();
    assert!(error.contains("superellipsoid") && error.contains("-2"), "{error}");
    let error = registry.shapes.create("superellipsoid", &json!({ "radii": [1, 2] })).unwrap_err().to_string();
    assert!(error.contains("three numbers"), "{error}");
    let far = registry.joints.create("parabola", &json!({ "axis": [0, 0, 0] })).unwrap();
    assert!(far.attach(&views()).unwrap_err().to_string().contains("axis"));
    let names = |list: Vec<&str>| list.contains(&"leapfrog");
    assert!(names(registry.methods.parts().map(|part| part.name.as_str()).collect()));
}

#[test]
fn a_body_keeps_its_id_in_a_world_that_was_resumed() {
    let registry = registry();
    let world = everything(&registry);
    let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
    let other = World::from_saved(&world.save_whole(&registry).unwrap(), &registry).unwrap();
    assert_eq!(ids, other.bodies().map(|(id, _)| id).collect::<Vec<_>>());
}
