//! A change wakes what it touches, and nothing else.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::model::{BodyKind, Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Material, World};

/// Two stacks of three boxes on a shelf each, and two chains of two weights, all asleep.
struct Scene {
    world: World,
    shelves: [BodyId; 2],
    stacks: [[BodyId; 3]; 2],
    chains: [[BodyId; 2]; 2],
    /// The joints between the weights.
    links: [tumble_dynamics::JointId; 2],
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step(1.0 / 60.0).unwrap();
    }
}

fn cube() -> Body {
    Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5]).unwrap())
}

fn sleeping() -> Scene {
    let mut world = World::new();
    let shelf = Shape::cuboid([1.0, 0.5, 1.0]).unwrap();
    let shelves =
        [0.0, 5.0].map(|x| world.add_body(Body::fixed().with_shape(shelf.clone()).at([x, -0.5, 0.0])).unwrap());
    let stacks = [0.0, 5.0].map(|x| [0.5, 1.5, 2.5].map(|y| world.add_body(cube().at([x, y, 0.0])).unwrap()));
    let chains = [10.0, 15.0].map(|x| [-2.0, -4.0].map(|y| world.add_body(cube().at([x, y, 0.0])).unwrap()));
    for [upper, _] in chains {
        let at = world.body(upper).unwrap().position() + DVec3::Y;
        world.add_joint(Joint::new(upper, JointEnd::World, Ball::at(at))).unwrap();
    }
    let links = chains.map(|[upper, lower]| {
        let at = world.body(lower).unwrap().position() + DVec3::Y;
        world.add_joint(Joint::new(upper, lower, Ball::at(at))).unwrap()
    });
    run(&mut world, 200);
    let scene = Scene { world, shelves, stacks, chains, links };
    assert_eq!(scene.awake(), [], "everything sleeps");
    scene
}

impl Scene {
    fn awake(&self) -> Vec<BodyId> {
        let awake = |(id, body): (BodyId, tumble_dynamics::BodyRef<'_>)| {
            (!body.is_asleep() && body.model().kind.is_movable()).then_some(id)
        };
        self.world.bodies().filter_map(awake).collect()
    }

    /// Does something and says who is awake after the next step.
    fn after(mut self, change: impl FnOnce(&mut Scene)) -> Vec<BodyId> {
        change(&mut self);
        self.world.step(1.0 / 60.0).unwrap();
        self.awake()
    }
}

#[test]
fn removing_a_body_wakes_its_stack_only() {
    let scene = sleeping();
    let [a, b, c] = scene.stacks[0];
    assert_eq!(scene.after(|scene| scene.world.remove_body(b).unwrap()), [a, c]);
    let scene = sleeping();
    let shelf = scene.shelves[0];
    assert_eq!(scene.after(|scene| scene.world.remove_body(shelf).unwrap()), [a, b, c]);
    let scene = sleeping();
    let [upper, lower] = scene.chains[0];
    assert_eq!(scene.after(|scene| scene.world.remove_body(upper).unwrap()), [lower]);
}

#[test]
fn what_lost_its_support_falls() {
    let mut scene = sleeping();
    scene.world.remove_body(scene.shelves[1]).unwrap();
    run(&mut scene.world, 60);
    let height = |id| scene.world.body(id).unwrap().position().y;
    assert!(height(scene.stacks[1][2]) < -2.0);
    assert!((height(scene.stacks[0][2]) - 2.5).abs() < 1e-3);
}

/// A refused step makes the method forget who touches whom; to be safe, a change then wakes everybody.
#[test]
fn what_lost_its_support_after_a_refused_step_falls() {
    let mut scene = sleeping();
    let grain = scene.world.add_body(Body::particle(1e-6).at([0.0, 50.0, 0.0])).unwrap();
    scene.world.body_mut(grain).unwrap().apply_force([1e308, 0.0, 0.0]).unwrap();
    assert!(scene.world.step(1.0 / 60.0).is_err());
    scene.world.body_mut(grain).unwrap().clear_forces();
    scene.world.remove_body(scene.shelves[1]).unwrap();
    run(&mut scene.world, 60);
    assert!(scene.world.body(scene.stacks[1][2]).unwrap().position().y < -2.0);
}

#[test]
fn moving_the_ground_wakes_what_stands_on_it_only() {
    let scene = sleeping();
    let (shelf, stack) = (scene.shelves[0], scene.stacks[0]);
    let moved = scene.after(|scene| scene.world.body_mut(shelf).unwrap().set_position([0.0, -9.0, 0.0]).unwrap());
    assert_eq!(moved, stack);
    let scene = sleeping();
    let slippery = scene.after(|scene| scene.world.body_mut(shelf).unwrap().set_material(Material::ICE).unwrap());
    assert_eq!(slippery, stack);
    let scene = sleeping();
    let shape = Shape::cuboid([0.2, 0.5, 0.2]).unwrap();
    let smaller = scene.after(|scene| {
        let collider = scene.world.body(shelf).unwrap().model().colliders[0];
        scene.world.collider_mut(collider).unwrap().set_shape(shape).unwrap();
    });
    assert_eq!(smaller, stack);
}

#[test]
fn joints_wake_what_they_connect_only() {
    let scene = sleeping();
    let (link, chain) = (scene.links[1], scene.chains[1]);
    assert_eq!(scene.after(|scene| scene.world.remove_joint(link).unwrap()), chain);
    let scene = sleeping();
    assert_eq!(scene.after(|scene| scene.world.joint_mut(link).unwrap().snap()), chain);
    let scene = sleeping();
    let top = scene.stacks[1][2];
    let stack = scene.stacks[1];
    let joint = Joint::new(top, JointEnd::World, Ball::at([5.0, 3.0, 0.0]));
    assert_eq!(scene.after(|scene| assert!(scene.world.add_joint(joint).is_ok())), stack);
}

#[test]
fn what_is_put_into_sleepers_wakes_them() {
    let scene = sleeping();
    let stack = scene.stacks[0];
    let wedge = Body::fixed().with_shape(Shape::cuboid([0.1, 0.1, 0.1]).unwrap()).at([0.55, 1.0, 0.0]);
    assert_eq!(scene.after(|scene| assert!(scene.world.add_body(wedge).is_ok())), stack);
    // Far away from everybody nothing happens.
    let wedge = Body::fixed().with_shape(Shape::cuboid([0.1, 0.1, 0.1]).unwrap()).at([0.0, 20.0, 0.0]);
    assert_eq!(sleeping().after(|scene| assert!(scene.world.add_body(wedge).is_ok())), []);
}

#[test]
fn touching_a_sleeper_wakes_its_island_only() {
    let scene = sleeping();
    let stack = scene.stacks[0];
    assert_eq!(scene.after(|scene| scene.world.body_mut(stack[0]).unwrap().set_mass(2.0).unwrap()), stack);
    let scene = sleeping();
    let away = scene.after(|scene| scene.world.body_mut(stack[0]).unwrap().set_position([-9.0, 0.0, 0.0]).unwrap());
    assert_eq!(away, stack);
    let scene = sleeping();
    let (shelf, fixed) = (scene.shelves[0], BodyKind::Fixed);
    let same = scene.after(|scene| scene.world.body_mut(shelf).unwrap().set_kind(fixed).unwrap());
    assert_eq!(same, stack);
}
