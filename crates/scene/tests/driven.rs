//! Figures whose joints follow given angles: the gallery's cat, skater, diver, and the walker that trips.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use glam::DVec3;
use tumble_dynamics::World;
use tumble_scene::gallery::find;
use tumble_scene::goal::{Goal, Watch};
use tumble_scene::{Loader, Scene};

fn load(name: &str) -> Scene {
    find(name).unwrap().load(&Loader::new()).unwrap_or_else(|report| panic!("{report}"))
}

/// The angular momentum of everything that moves about its common centre of mass.
fn spin(world: &World) -> DVec3 {
    let moving = || world.bodies().filter(|(_, body)| body.model().kind.is_movable());
    let mass: f64 = moving().map(|(_, body)| body.model().mass.mass).sum();
    let mean = |of: &dyn Fn(&tumble_dynamics::BodyState) -> DVec3| -> DVec3 {
        moving().map(|(_, body)| of(body.state()) * body.model().mass.mass).sum::<DVec3>() / mass
    };
    let (center, velocity) = (mean(&|state| state.position), mean(&|state| state.velocity));
    moving()
        .map(|(_, body)| {
            let (state, model) = (body.state(), body.model());
            let orbital = (state.position - center).cross(state.velocity - velocity) * model.mass.mass;
            orbital + model.world_inertia(state.rotation) * state.angular_velocity
        })
        .sum()
}

/// Steps a scene for so long and looks at it after every step.
fn watch(scene: &mut Scene, until: f64, mut look: impl FnMut(&World)) {
    while scene.world.time() < until - 1e-9 {
        scene.world.step(scene.dt).unwrap();
        look(&scene.world);
    }
}

/// Each cycle of the joints turns the middle rod by the angle that the connection of angular momentum gives (80-bit reference).
#[test]
fn the_cat_turns_by_the_reference_in_every_cycle() {
    const TURN: f64 = 0.0904810383526525;
    let mut scene = load("classic/falling-cat");
    let middle = scene.body_named("middle").unwrap();
    for cycle in 1..=10 {
        watch(&mut scene, f64::from(cycle), |world| assert!(spin(world).length() < 1e-10));
        let q = scene.world.body(middle).unwrap().rotation();
        let turned = 2.0 * libm::atan2(q.z, q.w);
        let expected = f64::from(cycle) * TURN;
        assert!((turned - expected).abs() < 1e-6, "cycle {cycle}: {turned} instead of {expected}");
    }
}

/// Formulas and key frames are the same motion; formulas come closer with longer steps.
#[test]
fn the_cat_hardly_depends_on_the_step() {
    for dt in [0.01, 0.005] {
        let mut scene = load("classic/falling-cat");
        scene.dt = dt;
        watch(&mut scene, 1.0, |_| {});
        let q = scene.world.body(scene.body_named("middle").unwrap()).unwrap().rotation();
        let error = (2.0 * libm::atan2(q.z, q.w) - 0.0904810383526525).abs();
        // Fourth order: 10⁻⁵ at a hundredth of a second would be too much already.
        let finer = dt / 0.01;
        assert!(error < 1e-5 * finer * finer * finer * finer, "{error} with steps of {dt} s");
    }
}

#[test]
fn the_skater_spins_faster_with_her_arms_drawn_in() {
    let mut scene = load("classic/skater");
    let trunk = scene.body_named("skater.trunk").unwrap();
    let start = spin(&scene.world);
    let keeps = |world: &World| {
        let now = spin(world);
        assert!((now - start).length() < 1e-10 * start.length(), "{now} instead of {start}");
    };
    let rate = |scene: &Scene| scene.world.body(trunk).unwrap().angular_velocity().y;
    let slow = rate(&scene);
    watch(&mut scene, 3.0, keeps);
    let fast = rate(&scene);
    watch(&mut scene, 10.0, keeps);
    assert!(fast > 3.0 * slow && fast < 4.0 * slow, "{slow} and {fast} rad/s");
    assert!((rate(&scene) - slow).abs() < 1e-6, "with the arms out again she spins as before");
}

#[test]
fn the_diver_twists_only_while_her_arms_differ() {
    let mut scene = load("classic/diver");
    let trunk = scene.body_named("diver.trunk").unwrap();
    let start = spin(&scene.world);
    let own = |world: &World| {
        let body = world.body(trunk).unwrap();
        body.rotation().conjugate() * body.angular_velocity()
    };
    let (mut twisted, mut turned, dt) = (0.0, 0.0, scene.dt);
    let mut until = |scene: &mut Scene, time: f64| {
        let before = twisted;
        watch(scene, time, |world| {
            let now = spin(world);
            assert!((now - start).length() < 1e-10 * start.length(), "{now} instead of {start}");
            let rate = own(world);
            twisted += rate.y * dt;
            turned += libm::hypot(rate.x, rate.z) * dt;
        });
        twisted - before
    };
    let (first, middle, last) = (until(&mut scene, 0.3), until(&mut scene, 1.6), until(&mut scene, 1.9));
    assert!(first.abs() < 0.01, "no twist at first: {first}");
    assert!(middle.abs() > 2.0 * std::f64::consts::TAU, "two twists: {middle}");
    assert!(last.abs() < 0.02 * middle.abs(), "it ends with the arms: {last}");
    // For ten seconds, had she so long to fall.
    until(&mut scene, 10.0);
}

/// The walker follows its walk, trips, lies, and walks on: `follow` goes from 1 to 0 and back.
#[test]
fn the_walker_trips_falls_and_walks_again() {
    let mut scene = load("tripped");
    let trunk = scene.body_named("walker.trunk").unwrap();
    let height = |scene: &Scene| scene.world.body(trunk).unwrap().center_of_mass().y;
    let x = |scene: &Scene| scene.world.body(trunk).unwrap().center_of_mass().x;
    let mut open = 0.0_f64;
    let mut until = |scene: &mut Scene, time: f64| {
        watch(scene, time, |world| {
            let gap = |[a, b]: [DVec3; 2]| a.distance(b);
            let worst = world.joints().map(|(_, joint)| gap(joint.anchors())).fold(0.0, f64::max);
            open = open.max(worst);
        });
    };
    until(&mut scene, 1.2);
    assert!(height(&scene) > 1.0 && x(&scene) > 1.2, "it walks");
    until(&mut scene, 4.0);
    assert!(height(&scene) < 0.3, "it lies: {}", height(&scene));
    let lying = x(&scene);
    until(&mut scene, 9.0);
    assert!(height(&scene) > 1.0, "it stands: {}", height(&scene));
    assert!(x(&scene) > lying + 1.5, "it walks on: {} to {}", lying, x(&scene));
    let said = scene.world.take_messages();
    assert!(said.len() == 2 && said[0].contains("trips") && said[1].contains("walks again"), "{said:?}");
    assert!(open < 0.02, "its joints hold: {open} m");
}

/// H's Fig 9, as the search found it: off the ramp, off the roof of the second car, into the third.
#[test]
fn the_car_that_was_aimed_does_what_it_was_aimed_at() {
    let mut scene = load("classic/cars-aimed");
    let goal = "first/body touches ramp then first/body touches second/body and first/body.y > 0.7 \
                then first/body touches third/body";
    let goal = Goal::read(goal, &scene).unwrap();
    let mut goes = Watch::new(&goal);
    watch(&mut scene, 5.0, |world| goes.look(world));
    assert!(goes.is_done(), "{} of {} stages, {} m short", goes.reached(), goal.stages(), goes.gap());
}
