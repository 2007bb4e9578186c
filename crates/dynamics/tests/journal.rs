//! The journal of changes: every setter of a world writes down what it did, and a step reads it once.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use tumble_dynamics::constraint::{Ball, Freedom, Hinge, Motor};
use tumble_dynamics::force::Drag;
use tumble_dynamics::geometry::{MassProperties, Shape, Transform};
use tumble_dynamics::journal::{BodyChange, Change, ColliderChange, ForceChange, JointChange};
use tumble_dynamics::model::{
    BodyKind, Breaking, CollisionFilter, Joint, JointEnd, Layers, Locks, MaterialMixing, Sleep,
};
use tumble_dynamics::{Body, BodyId, Collider, ColliderId, ForceId, JointId, Material, Snapshot, World};

const DT: f64 = 1.0 / 60.0;

/// A cube on the ground, one that hangs on a hinge, and a force.
struct Rig {
    world: World,
    cube: BodyId,
    collider: ColliderId,
    joint: JointId,
    force: ForceId,
    start: Snapshot,
}

fn rig() -> Rig {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let cube = || Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap());
    let rests = world.add_body(cube().at([0.0, 0.5, 0.0])).unwrap();
    let hangs = world.add_body(cube().at([5.0, 5.0, 0.0])).unwrap();
    let hinge = Hinge::at([5.0, 6.0, 0.0], DVec3::Z);
    let joint = world.add_joint(Joint::new(JointEnd::World, hangs, hinge)).unwrap();
    let force = world.add_force(Drag { linear: 0.1, ..Drag::default() });
    for _ in 0..5 {
        world.step(DT).unwrap();
    }
    let collider = world.body(rests).unwrap().model().colliders[0];
    let start = world.snapshot();
    Rig { world, cube: rests, collider, joint, force, start }
}

/// What a setter must write, by a name for it.
type Setter = (&'static str, fn(&mut Rig), fn(&Rig) -> Change);

fn body(rig: &Rig, change: BodyChange) -> Change {
    Change::Body(rig.cube, change)
}

const SETTERS: &[Setter] = &[
    ("set_pose", |r| r.body(|b| b.set_pose(Transform::from_translation(DVec3::Y))), |r| body(r, BodyChange::Moved)),
    ("set_position", |r| r.body(|b| b.set_position([0.0, 2.0, 0.0])), |r| body(r, BodyChange::Moved)),
    (
        "set_rotation",
        |r| r.body(|b| b.set_rotation(DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0))),
        |r| body(r, BodyChange::Moved),
    ),
    ("set_velocity", |r| r.body(|b| b.set_velocity([1.0, 0.0, 0.0])), |r| body(r, BodyChange::Pushed)),
    ("set_angular_velocity", |r| r.body(|b| b.set_angular_velocity([1.0, 0.0, 0.0])), |r| body(r, BodyChange::Pushed)),
    ("apply_impulse", |r| r.body(|b| b.apply_impulse([1.0, 0.0, 0.0])), |r| body(r, BodyChange::Pushed)),
    (
        "apply_impulse_at",
        |r| r.body(|b| b.apply_impulse_at([1.0, 0.0, 0.0], [0.0; 3])),
        |r| body(r, BodyChange::Pushed),
    ),
    ("apply_force", |r| r.body(|b| b.apply_force([1.0, 0.0, 0.0])), |r| body(r, BodyChange::Loaded)),
    ("apply_force_at", |r| r.body(|b| b.apply_force_at([1.0, 0.0, 0.0], [0.0; 3])), |r| body(r, BodyChange::Loaded)),
    ("apply_torque", |r| r.body(|b| b.apply_torque([1.0, 0.0, 0.0])), |r| body(r, BodyChange::Loaded)),
    ("clear_forces", |r| r.body(|b| done(b, |b| b.clear_forces())), |r| body(r, BodyChange::Loaded)),
    ("sleep", |r| r.body(|b| done(b, |b| b.sleep())), |r| body(r, BodyChange::Slept)),
    ("set_name", |r| r.body(|b| done(b, |b| b.set_name("cube"))), |r| body(r, BodyChange::Name)),
    ("set_damping", |r| r.body(|b| b.set_damping(0.1, 0.2)), |r| body(r, BodyChange::Damping)),
    ("set_gravity_scale", |r| r.body(|b| b.set_gravity_scale(0.5)), |r| body(r, BodyChange::GravityScale)),
    ("set_sleep", |r| r.body(|b| done(b, |b| b.set_sleep(Sleep::Never))), |r| body(r, BodyChange::SleepAllowed)),
    ("teleport", |r| r.body(|b| b.teleport(Transform::from_translation(DVec3::Y))), |r| body(r, BodyChange::Moved)),
    ("set_locks", |r| r.body(|b| b.set_locks(Locks::PLANE_XY)), |r| body(r, BodyChange::Locks)),
    ("set_user_data", |r| r.body(|b| done(b, |b| b.set_user_data(7))), |r| body(r, BodyChange::UserData)),
    ("make_kinematic", |r| r.body(|b| b.make_kinematic()), |r| body(r, BodyChange::Kind)),
    (
        "move_to",
        |r| {
            r.body(|b| b.make_kinematic());
            r.body(|b| b.move_to(Transform::from_translation(DVec3::Y), DT));
        },
        |r| body(r, BodyChange::Pushed),
    ),
    ("set_groups", |r| r.body(|b| done(b, |b| b.set_groups(["a"]))), |r| body(r, BodyChange::Groups)),
    ("set_material", |r| r.body(|b| b.set_material(Material::RUBBER)), |r| collider(r, ColliderChange::Material)),
    ("set_mass", |r| r.body(|b| b.set_mass(2.0)), |r| body(r, BodyChange::Mass)),
    (
        "set_mass_properties",
        |r| r.body(|b| b.set_mass_properties(MassProperties::point(1.0, DVec3::ZERO))),
        |r| body(r, BodyChange::Mass),
    ),
    ("set_mass_from_colliders", |r| r.body(|b| b.set_mass_from_colliders()), |r| body(r, BodyChange::Mass)),
    ("set_kind", |r| r.body(|b| b.set_kind(BodyKind::Fixed)), |r| body(r, BodyChange::Kind)),
    ("set_shape", |r| r.collider(|c| c.set_shape(Shape::sphere(0.5).unwrap())), |r| collider(r, ColliderChange::Shape)),
    (
        "set_pose of a collider",
        |r| r.collider(|c| c.set_pose(Transform::from_translation(DVec3::X))),
        |r| collider(r, ColliderChange::Pose),
    ),
    ("set_density", |r| r.collider(|c| c.set_density(7.0)), |r| collider(r, ColliderChange::Material)),
    (
        "set_material of a collider",
        |r| r.collider(|c| c.set_material(Material::RUBBER)),
        |r| collider(r, ColliderChange::Material),
    ),
    ("set_layers", |r| r.collider(|c| c.set_layers(Layers::new(2, 2))), |r| collider(r, ColliderChange::Layers)),
    ("set_user_data of a collider", |r| r.collider(|c| c.set_user_data(7)), |r| collider(r, ColliderChange::UserData)),
    ("make_solid", |r| r.collider(|c| c.make_solid()), |r| collider(r, ColliderChange::Sensor)),
    (
        "make_sensor",
        |r| {
            r.world.body_mut(r.cube).unwrap().set_mass(1.0).unwrap();
            r.collider(|c| c.make_sensor());
        },
        |r| collider(r, ColliderChange::Sensor),
    ),
    ("set_name of a joint", |r| r.joint(|j| done(j, |j| j.set_name("hinge"))), |r| joint(r, JointChange::Name)),
    ("set_breaking", |r| r.joint(|j| j.set_breaking(Breaking::default())), |r| joint(r, JointChange::Breaking)),
    ("let_collide", |r| r.joint(|j| done(j, |j| j.let_collide())), |r| joint(r, JointChange::Collision)),
    (
        "keep_from_colliding",
        |r| r.joint(|j| done(j, |j| j.keep_from_colliding())),
        |r| joint(r, JointChange::Collision),
    ),
    ("snap", |r| r.joint(|j| done(j, |j| j.snap())), |r| joint(r, JointChange::Broken)),
    ("mend", |r| r.joint(|j| done(j, |j| j.mend())), |r| joint(r, JointChange::Mended)),
    (
        "set_freedom",
        |r| {
            let motor = Some(Motor { speed: 1.0, ..Motor::default() });
            r.joint(|j| j.set_freedom("turn", Freedom { motor, ..Freedom::default() }));
        },
        |r| joint(r, JointChange::Steered),
    ),
    ("attach", |r| r.joint(|j| j.attach(Ball::at([5.0, 6.0, 0.0]))), |r| joint(r, JointChange::Attached)),
    ("remove_joint", |r| r.world.remove_joint(r.joint).unwrap(), |r| joint(r, JointChange::Removed)),
    (
        "replace_force",
        |r| r.world.replace_force(r.force, Drag::default()).unwrap(),
        |r| force(r, ForceChange::Replaced),
    ),
    ("remove_force", |r| r.world.remove_force(r.force).unwrap(), |r| force(r, ForceChange::Removed)),
    ("set_filter", |r| r.world.set_filter(CollisionFilter::new()), |_| Change::Filter),
    ("set_mixing", |r| r.world.set_mixing(MaterialMixing::default()), |_| Change::Mixing),
    ("set_contact_rule", |r| r.world.set_contact_rule(|_, _| {}), |_| Change::ContactRule),
    ("remove_contact_rule", |r| r.world.remove_contact_rule(), |_| Change::ContactRule),
    ("remove_collider", |r| r.remove_collider(), |r| collider(r, ColliderChange::Removed)),
    ("remove_body", |r| r.world.remove_body(r.cube).unwrap(), |r| body(r, BodyChange::Removed)),
];

fn collider(rig: &Rig, change: ColliderChange) -> Change {
    Change::Collider(rig.collider, change)
}

fn joint(rig: &Rig, change: JointChange) -> Change {
    Change::Joint(rig.joint, change)
}

fn force(rig: &Rig, change: ForceChange) -> Change {
    Change::Force(rig.force, change)
}

/// A setter that never refuses, as one that might.
fn done<T>(thing: &mut T, set: impl FnOnce(&mut T)) -> Refusable {
    set(thing);
    Ok(())
}

type Refusable = Result<(), tumble_dynamics::ModelError>;

impl Rig {
    fn body(&mut self, set: impl FnOnce(&mut tumble_dynamics::BodyMut<'_>) -> Refusable) {
        set(&mut self.world.body_mut(self.cube).unwrap()).unwrap();
    }

    fn collider(&mut self, set: impl FnOnce(&mut tumble_dynamics::ColliderMut<'_>) -> Refusable) {
        set(&mut self.world.collider_mut(self.collider).unwrap()).unwrap();
    }

    fn joint(&mut self, set: impl FnOnce(&mut tumble_dynamics::JointMut<'_>) -> Refusable) {
        set(&mut self.world.joint_mut(self.joint).unwrap()).unwrap();
    }

    fn remove_collider(&mut self) {
        self.body(|body| body.set_mass(1.0));
        self.world.remove_collider(self.collider).unwrap();
    }
}

#[test]
fn every_setter_is_in_the_journal_and_a_step_empties_it() {
    let mut rig = rig();
    for (name, set, expected) in SETTERS {
        rig.world.restore(&rig.start.clone());
        assert!(rig.world.changes().is_empty(), "{name}");
        set(&mut rig);
        let expected = expected(&rig);
        assert!(rig.world.changes().iter().any(|change| change == expected), "{name}: {:?}", rig.world.changes());
        rig.world.step(DT).unwrap();
        assert!(rig.world.changes().is_empty(), "{name}");
        rig.world.validate().unwrap_or_else(|problem| panic!("{name}: {problem}"));
    }
}

#[test]
fn what_is_added_is_in_the_journal() {
    let mut world = rig().world;
    let id = world.add_body(Body::dynamic().with_shape(Shape::sphere(1.0).unwrap()).at([9.0; 3])).unwrap();
    let first = world.body(id).unwrap().model().colliders[0];
    let second = world.add_collider(id, Collider::new(Shape::sphere(2.0).unwrap())).unwrap();
    let joint = world.add_joint(Joint::new(JointEnd::World, id, Ball::at([9.0; 3]))).unwrap();
    let force = world.add_force(Drag::default());
    world.set_gravity([0.0; 3]);
    let expected = [
        Change::Body(id, BodyChange::Added),
        Change::Collider(first, ColliderChange::Added),
        Change::Collider(second, ColliderChange::Added),
        Change::Body(id, BodyChange::Mass),
        Change::Joint(joint, JointChange::Added),
        Change::Force(force, ForceChange::Added),
    ];
    let changes: Vec<Change> = world.changes().iter().collect();
    assert_eq!(changes[..expected.len()], expected);
    assert!(matches!(changes[expected.len()..], [Change::Force(_, ForceChange::Replaced)]), "{changes:?}");
}

/// Nobody reads the journal of a world that takes no steps.
#[test]
fn a_journal_that_nobody_reads_does_not_grow_for_ever() {
    let Rig { mut world, cube, .. } = rig();
    for i in 0..100_000 {
        let mut body = world.body_mut(cube).unwrap();
        body.set_velocity([f64::from(i), 0.0, 0.0]).unwrap();
        body.set_position([0.0, 2.0, 0.0]).unwrap();
    }
    assert!(world.changes().is_everything() && world.changes().iter().count() == 0);
    world.step(DT).unwrap();
    assert!(world.changes().is_empty());
}

/// A refused change is none.
#[test]
fn what_is_refused_is_not_written_down() {
    let Rig { mut world, cube, joint, collider, .. } = rig();
    assert!(world.body_mut(cube).unwrap().set_velocity([f64::NAN; 3]).is_err());
    assert!(world.body_mut(cube).unwrap().set_mass(-1.0).is_err());
    assert!(world.joint_mut(joint).unwrap().set_freedom("no such thing", Freedom::default()).is_err());
    assert!(world.collider_mut(collider).unwrap().set_density(f64::NAN).is_err());
    assert!(world.changes().is_empty(), "{:?}", world.changes());
}
