//! Saved worlds: everything comes back to the last bit from the bytes alone, and what is not of a world is refused.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tumble_dynamics::constraint::{Ball, Drive, Freedom, Hinge, Slider, Wheel};
use tumble_dynamics::curve::{Aim, Expression, KeyFrames};
use tumble_dynamics::force::{Drag, FnForce, Force, ForceContext, PointForce, Spring, Wrenches};
use tumble_dynamics::geometry::shape::SupportMap;
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::integrator::RungeKutta4;
use tumble_dynamics::method::{Method, Realtime, Retroactive};
use tumble_dynamics::model::{CollisionFilter, Joint, JointEnd, MaterialMixing, Mix, MixingRules, Script};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::solver::SequentialImpulses;
use tumble_dynamics::{Body, Collider, Id, Material, SavedState, SavedWorld, StepError, World};

const DT: f64 = 1.0 / 60.0;

const METHODS: [fn() -> Box<dyn Method>; 3] = [
    || Box::new(Retroactive::new()),
    || Box::new(Retroactive::new().with_integrator(RungeKutta4::default()).with_solver(SequentialImpulses::default())),
    || Box::new(Realtime::new()),
];

/// A force of one's own.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Breeze {
    strength: f64,
}

impl Force for Breeze {
    fn apply(&self, _context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        wrenches.add_force(1, DVec3::X * self.strength);
    }
}

/// A path of one's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Circle(f64);

impl Script for Circle {
    fn pose(&self, time: f64) -> Transform {
        let (sin, cos) = libm::sincos(time);
        Transform::from_translation(DVec3::new(self.0 * cos, 0.3, self.0 * sin))
    }
}

/// A shape of one's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Egg(DVec3);

impl SupportMap for Egg {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * (self.0 * direction).normalize_or_zero()
    }
}

fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.forces.register("breeze", |force: Breeze| Ok(Arc::new(force) as _));
    registry.scripts.register_saved("circle", |script: Circle| Ok(Arc::new(script) as _));
    registry.shapes.register_saved("egg", |egg: Egg| Ok(Arc::new(egg) as _));
    registry
}

/// Every kind of shape, joints with motors, drives and curves, parts of one's own, removed bodies, names, groups, a filter.
fn menagerie(method: Box<dyn Method>) -> World {
    let mut world = World::new();
    world.set_boxed_method(method);
    world.set_gravity([0.1, -9.0, 0.0]);
    let slope = DVec3::new(0.02, 1.0, -0.013);
    world.add_body(Body::fixed().named("floor").with_shape(Shape::half_space(slope).unwrap())).unwrap();
    let mut random = fastrand::Rng::with_seed(3);
    let mut point = |size: f64| DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * size;
    let points: Vec<DVec3> = (0..30).map(|_| point(0.9)).collect();
    let hull = Shape::hull(&points).unwrap();
    let tetrahedron = [[0.0, 0.0, 0.0], [0.6, 0.0, 0.0], [0.0, 0.6, 0.0], [0.0, 0.0, 0.6]].map(DVec3::from_array);
    let mesh = Shape::mesh(tetrahedron.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    let tilted = Transform::new(DQuat::from_xyzw(0.3, 0.1, -0.2, 0.9).normalize(), DVec3::new(0.4, 0.0, 0.1));
    let compound = vec![(tilted, hull.clone()), (Transform::IDENTITY, Shape::sphere(0.2).unwrap())];
    let shapes = [
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid([0.3, 0.2, 0.25]).unwrap(),
        Shape::capsule(0.2, 0.15).unwrap(),
        Shape::cylinder(0.2, 0.3).unwrap(),
        Shape::cone(0.2, 0.3).unwrap(),
        hull.clone(),
        hull,
        mesh,
        Shape::compound(compound).unwrap(),
        Shape::custom(Egg(DVec3::new(0.2, 0.3, 0.25))).unwrap(),
    ];
    let mut ids = Vec::new();
    for (index, shape) in shapes.into_iter().enumerate() {
        let x = index as f64;
        let body = Body::dynamic().named(format!("body {index}")).at([1.1 * x, 0.8, 0.0]).with_shape(shape);
        let body = body.with_material(Material::WOOD).with_angular_damping(0.01 * x).in_group("things");
        ids.push(world.add_body(body).unwrap());
    }
    world.remove_body(ids[3]).unwrap();
    let heights = (0..9).map(|i| 0.05 * f64::from(i % 4)).collect();
    let field = Shape::height_field(3, 3, heights, [1.0, 1.0]).unwrap();
    world.add_body(Body::fixed().at([0.0, -0.5, 5.0]).with_shape(field)).unwrap();
    world.add_body(Body::scripted(Circle(2.0)).with_shape(Shape::sphere(0.1).unwrap())).unwrap();
    world.add_body(Body::particle(0.2).at([0.0, 3.0, 0.0])).unwrap();
    let sensor = Collider::new(Shape::cuboid([3.0, 1.0, 1.0]).unwrap()).as_sensor();
    world.add_body(Body::fixed().with_collider(sensor)).unwrap();

    world.add_joint(Joint::new(ids[0], ids[1], Ball::at([0.55, 0.8, 0.0])).named("chain")).unwrap();
    let drive =
        Freedom::between(-1.0, 1.0).with_drive(Drive { target: 0.3, max_force: Some(50.0), ..Drive::default() });
    let door =
        world.add_joint(Joint::new(JointEnd::World, ids[4], Hinge::at([4.4, 0.8, 0.0], DVec3::Z).with_turn(drive)));
    world.joint_mut(door.unwrap()).unwrap().set_freedom("turn", drive.with_friction(0.5)).unwrap();
    let slide = Joint::new(JointEnd::World, ids[5], Slider::at([5.5, 0.8, 0.0], DVec3::X).with_slide(Freedom::FREE));
    world.add_joint(slide.following("slide", Aim::Speed, Expression::new("0.5 * sin(4 * t)").unwrap())).unwrap();
    let frames = KeyFrames::new([(0.0, 0.0), (1.0, 0.1)]).unwrap();
    let wheel = Joint::new(ids[6], ids[7], Wheel::at([7.7, 0.8, 0.0], DVec3::Y, DVec3::Z));
    world.add_joint(wheel.following("travel", Aim::Target, frames)).unwrap();
    world.add_force(Drag::default());
    world.add_force(Breeze { strength: 0.7 });
    world.add_force(Spring::new(ids[5], ids[6]).with_rest_length(1.0).with_damping(2.0));
    world.add_force(PointForce { on: ids[2].into(), force: DVec3::Z, ..PointForce::default() });
    let spare = world.add_body(Body::particle(1.0).at([0.0, 20.0, 0.0])).unwrap();
    world.remove_body(spare).unwrap();
    world.set_filter(CollisionFilter::new().ignore(("things", "others")).except_ignore((ids[0], ids[2])));
    world
}

#[test]
fn a_world_goes_on_from_its_bytes_alone() {
    let registry = registry();
    for method in METHODS {
        let mut world = menagerie(method());
        (0..40).for_each(|_| world.step(DT).unwrap());
        let mut other = again(&world, &registry);
        go_on_alike(&mut world, &mut other, 60);
        // Ids mean the same, also of what is made later.
        let [a, b] = [&mut world, &mut other].map(|world| {
            let id = world.add_body(Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).at([0.0, 9.0, 0.0]));
            world.set_gravity([0.0, -3.0, 0.0]);
            id.unwrap()
        });
        assert_eq!(a, b);
        assert_eq!((a.slot(), a.generation()), (14, 1), "the slot of the removed body is used again");
        (0..30).for_each(|_| [&mut world, &mut other].into_iter().for_each(|world| world.step(DT).unwrap()));
        assert_eq!(world.state().fingerprint(), other.state().fingerprint());
    }
}

/// The same world, made anew from nothing but its bytes.
fn again(world: &World, registry: &Registry) -> World {
    let bytes = world.save_whole(registry).unwrap().to_bytes();
    let other = World::from_saved(&SavedWorld::from_bytes(&bytes).unwrap(), registry).unwrap();
    other.validate().unwrap();
    assert_eq!(world.model().fingerprint(), other.model().fingerprint());
    assert_eq!(world.method().name(), other.method().name());
    other
}

/// Steps two worlds and compares every bit of their states.
#[track_caller]
fn go_on_alike(world: &mut World, other: &mut World, steps: usize) {
    for step in 0..steps {
        world.step(DT).unwrap();
        other.step(DT).unwrap();
        let name = world.method().name();
        assert_eq!(world.state().fingerprint(), other.state().fingerprint(), "{name}, step {step}");
    }
}

/// What every method can do: things that fall, roll, touch and are moved along, a force, a path and materials that mix by rules of
/// the scene's own.
fn meadow(method: Box<dyn Method>) -> World {
    let mut world = World::new();
    world.set_boxed_method(method);
    let sum = MixingRules { restitution: Mix::Largest, friction: Mix::Product, ..MixingRules::default() };
    world.set_mixing(MaterialMixing::Rules(sum));
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::new(0.05, 1.0, 0.0)).unwrap())).unwrap();
    let shapes =
        [Shape::sphere(0.3).unwrap(), Shape::cuboid([0.3, 0.2, 0.25]).unwrap(), Shape::capsule(0.2, 0.2).unwrap()];
    for (index, shape) in shapes.iter().cycle().take(6).enumerate() {
        let material = if index % 2 == 0 { Material::RUBBER } else { Material::WOOD };
        let body = Body::dynamic().at([0.7 * index as f64, 0.9 + 0.2 * index as f64, 0.0]).with_shape(shape.clone());
        world.add_body(body.with_material(material).with_angular_velocity([0.3, 1.0, -0.2])).unwrap();
    }
    world.add_body(Body::scripted(Circle(2.0)).with_shape(Shape::sphere(0.3).unwrap())).unwrap();
    world.add_force(Breeze { strength: 0.7 });
    world
}

#[test]
fn with_every_method() {
    let registry = registry();
    let names: Vec<String> = registry.methods.parts().map(|part| part.name.clone()).collect();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let mut world = meadow(registry.method(&name, &serde_json::Value::Null).unwrap());
        let [a, b] = [1, 2].map(|index| world.model().bodies().ids().nth(index).unwrap());
        let chain = world.add_joint(Joint::new(a, b, Ball::at([0.35, 1.0, 0.0]))).unwrap();
        if matches!(world.step(DT), Err(StepError::Cannot { .. })) {
            world.remove_joint(chain).unwrap();
        }
        (0..40).for_each(|_| world.step(DT).unwrap());
        let mut other = again(&world, &registry);
        go_on_alike(&mut world, &mut other, 20);
    }
}

/// Whether all that is said in `small` is said in `large`, too.
fn contains(large: &serde_json::Value, small: &serde_json::Value) -> bool {
    match small {
        serde_json::Value::Object(entries) => {
            entries.iter().all(|(key, value)| large.get(key).is_some_and(|other| contains(other, value)))
        }
        other => large == other,
    }
}

/// Settings that are not the defaults, and parts that are chosen by name, come back too.
#[test]
fn with_every_part_of_a_method() {
    let registry = registry();
    let integrators =
        registry.integrators.parts().map(|part| format!(r#"{{"integrator": {{"name": "{}"}}}}"#, part.name));
    let solvers = registry.solvers.parts().map(|part| format!(r#"{{"solver": {{"name": "{}"}}}}"#, part.name));
    let trees = registry.broad_phases.parts().map(|part| format!(r#"{{"broad_phase": {{"name": "{}"}}}}"#, part.name));
    let of_retroactive = integrators.chain(solvers).chain(trees).map(|settings| ("retroactive", settings));
    let others = [
        ("realtime", r#"{"substeps": 7, "time_to_sleep": "never"}"#),
        ("accurate", r#"{"tolerance": 1e-6}"#),
        ("retroactive", r#"{"settings": {"impact_rounds": 3}}"#),
        ("retroactive", r#"{"contact_model": "penalty", "penalty": {"sink": 0.02}}"#),
        ("retroactive", r#"{"broad_phase": {"name": "kd_tree", "properties": {"relative": 0.3, "stretch": 1.0}}}"#),
        ("retroactive", r#"{"broad_phase": {"name": "hash_grid", "properties": {"cell_size": 0.7, "minimum": 0.02}}}"#),
    ];
    let others = others.map(|(name, settings)| (name, settings.to_owned()));
    for (name, settings) in of_retroactive.chain(others) {
        let properties = serde_json::from_str(&settings).unwrap();
        let mut world = meadow(registry.method(name, &properties).unwrap());
        (0..20).for_each(|_| world.step(DT).unwrap());
        let mut other = again(&world, &registry);
        let told = registry.properties_of(world.method()).unwrap();
        assert!(contains(&told, &properties), "{settings} is told as {told}");
        assert_eq!(registry.properties_of(world.method()), registry.properties_of(other.method()), "{settings}");
        go_on_alike(&mut world, &mut other, 10);
    }
}

#[test]
fn what_cannot_come_back_is_refused_when_it_is_saved() {
    let says = |world: &World, registry: &Registry, part: &str| {
        let message = world.save_whole(registry).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    };
    let world = menagerie(METHODS[0]());
    says(&world, &Registry::default(), "the script of");
    let mut world = World::new();
    world.add_force(FnForce::new("magnet", |_: &ForceContext<'_>, _: &mut Wrenches| {}));
    says(&world, &registry(), "magnet");
    let mut world = World::new();
    world.set_filter(CollisionFilter::new().asking(|_, _| None));
    says(&world, &registry(), "filter");
}

/// A state belongs to its model: other masses, other joints, other forces are another model.
#[test]
fn a_state_of_another_model_is_refused() {
    let mut world = menagerie(METHODS[0]());
    (0..10).for_each(|_| world.step(DT).unwrap());
    let saved = SavedState::from_bytes(&world.save().to_bytes()).unwrap();
    menagerie(METHODS[0]()).load(&saved).unwrap();
    let changes: [fn(&mut World); 5] = [
        |world| world.set_gravity([0.0, -9.0, 0.0]),
        |world| world.set_mixing(MaterialMixing::Rules(MixingRules { friction: Mix::Sum, ..MixingRules::default() })),
        |world| world.body_mut(world.body_named("body 0").unwrap()).unwrap().set_mass(3.0).unwrap(),
        |world| world.remove_joint(world.joint_named("chain").unwrap()).unwrap(),
        |world| {
            let body = world.body_named("body 1").unwrap();
            world.add_collider(body, Collider::new(Shape::sphere(0.1).unwrap()).as_sensor()).unwrap();
        },
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let mut other = menagerie(METHODS[0]());
        change(&mut other);
        assert!(other.load(&saved).is_err(), "change {index} is not noticed");
    }
}

/// Damaged bytes are refused, whatever is damaged; bytes with a right checksum that no world wrote do not do harm either.
#[test]
fn damaged_worlds_are_refused() {
    let registry = registry();
    let mut world = menagerie(METHODS[0]());
    world.step(DT).unwrap();
    let bytes = world.save_whole(&registry).unwrap().to_bytes();
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..200 {
        let mut damaged = bytes.clone();
        let at = random.usize(..damaged.len());
        damaged[at] ^= 1 << random.u8(..8);
        assert!(SavedWorld::from_bytes(&damaged).is_err());
        assert!(SavedWorld::from_bytes(&bytes[..at]).is_err());
    }
    // The checksum put right again: CRC-32 of all that follows the first twelve bytes.
    let mut read = 0;
    for _ in 0..400 {
        let mut forged = bytes.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(12..forged.len());
            forged[at] = random.u8(..);
        }
        let sum = crc32fast::hash(&forged[12..]).to_le_bytes();
        forged[8..12].copy_from_slice(&sum);
        if let Ok(saved) = SavedWorld::from_bytes(&forged)
            && let Ok(mut world) = World::from_saved(&saved, &registry)
        {
            read += 1;
            let _any = world.step(DT);
        }
    }
    println!("{read} of 400 forged worlds could be read");
}
