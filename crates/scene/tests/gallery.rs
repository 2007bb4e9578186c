//! Every scene of the gallery loads, runs to its end, stays finite, and does what its description says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod clock;

use clock::within;
use glam::DVec3;
use std::time::Duration;
use tumble_dynamics::{BodyRef, World};
use tumble_geometry::math::angle_between;
use tumble_scene::gallery::{GROUPS, SCENES, find};
use tumble_scene::{Loader, Scene};

fn load(name: &str) -> Scene {
    let entry = find(name).unwrap_or_else(|| panic!("there is no scene {name}"));
    entry.load(&Loader::new()).unwrap_or_else(|report| panic!("{report}"))
}

fn body<'a>(world: &'a World, name: &str) -> BodyRef<'a> {
    world.body(world.body_named(name).unwrap_or_else(|| panic!("no body {name}"))).unwrap()
}

fn position(world: &World, name: &str) -> DVec3 {
    body(world, name).position()
}

/// The positions of all bodies whose names start with a text, in order.
fn positions(world: &World, start: &str) -> Vec<DVec3> {
    world.bodies().filter(|(_, body)| body.model().name.starts_with(start)).map(|(_, body)| body.position()).collect()
}

/// Runs a scene to its end and looks at every step.
fn watch(scene: &mut Scene, mut look: impl FnMut(&World)) {
    look(&scene.world);
    while scene.world.time() + 1e-3 * scene.dt < scene.duration {
        scene.world.step(scene.dt).unwrap();
        look(&scene.world);
    }
    assert!(scene.world.bodies().all(|(_, body)| body.state().is_finite()));
}

/// Runs a scene to its end.
fn run(name: &str) -> Scene {
    let mut scene = load(name);
    watch(&mut scene, |_| {});
    scene
}

#[test]
fn the_first_part_of_a_name_means_the_first_of_its_kind() {
    let name = |name: &str| find(name).map(|entry| entry.name);
    assert_eq!([name("cradle"), name("pendulum"), name("pile")], [Some("cradle-1"), Some("pendulum-2"), Some("pile")]);
    assert_eq!([name("crad"), name(""), name("cradle-")], [None; 3]);
}

#[test]
fn every_scene_says_what_it_is() {
    for entry in SCENES {
        let scene = load(entry.name);
        assert!(!scene.title.is_empty() && scene.description.ends_with('.'), "{}", entry.name);
        assert!(scene.camera.is_some(), "{} has no camera", entry.name);
        assert!((1.0..=20.0).contains(&scene.duration), "{}", entry.name);
        assert_eq!(entry.summary(), (scene.title, scene.description));
    }
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let in_folder = |folder: &str| {
        let files = std::fs::read_dir(format!("{scenes}/{folder}")).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).count()
    };
    for group in GROUPS {
        let entries = || SCENES.iter().filter(|entry| entry.group == group.name);
        let folder = if group.name == "scenes" { "" } else { group.name };
        assert_eq!(entries().count(), in_folder(folder), "every file of {} is in the gallery", group.name);
        assert!(entries().map(|entry| entry.name).is_sorted(), "{} by name", group.name);
    }
}

#[test]
fn scenes_start_within_a_tenth_of_a_second() {
    for entry in SCENES {
        within(Duration::from_millis(100), entry.name, || load(entry.name));
    }
}

/// The energy of a pendulum stays within a fraction of what its fall can set free: all of it hangs below the first rod, which leans by 45°.
fn keeps_its_energy(name: &str, rods: f64, fraction: f64) {
    let mut scene = load(name);
    scene.duration = scene.duration.min(5.0);
    let mass: f64 = scene.world.bodies().map(|(_, body)| body.mass()).sum();
    let length = scene.world.bodies().map(|(_, body)| 2.0 * body.position().length()).fold(f64::INFINITY, f64::min);
    let (start, mut worst) = (scene.world.energy().total(), 0.0_f64);
    watch(&mut scene, |world| worst = worst.max((world.energy().total() - start).abs()));
    let scale = mass * 9.81 * length * (1.0 - 0.5 / rods) * (1.0 - 0.5_f64.sqrt());
    assert!(worst < fraction * scale, "{name}: {worst} J of {scale} J");
}

#[test]
fn pendulums_keep_their_energy() {
    keeps_its_energy("pendulum-2", 2.0, 1e-3);
    keeps_its_energy("pendulum-3", 3.0, 1e-3);
    keeps_its_energy("pendulum-8", 8.0, 5e-3);
}

/// It bends by no more than its joints allow, hits the ground, and neither that nor the nail gives way.
#[test]
fn the_rope_is_stiff_and_hits_the_ground() {
    let mut scene = load("pendulum-25");
    scene.duration = 1.0;
    let start = scene.world.energy().total();
    let (mut bend, mut lowest, mut moved, mut highest) = (0.0_f64, f64::INFINITY, 0.0_f64, f64::NEG_INFINITY);
    watch(&mut scene, |world| {
        let axis = |k: usize| body(world, &format!("rope/{k}/rod")).rotation() * DVec3::Y;
        bend = (1..25).map(|k| angle_between(axis(k), axis(k - 1))).fold(bend, f64::max);
        lowest = positions(world, "rope").iter().map(|at| at.y).fold(lowest, f64::min);
        moved = moved.max(position(world, "ground").length());
        highest = highest.max(world.energy().total() - start);
    });
    assert!((14.0..16.5).contains(&bend.to_degrees()), "it bends by {}°", bend.to_degrees());
    assert!((0.02..0.04).contains(&lowest), "its lowest point is {lowest} m high");
    assert!(moved < 1e-3 && highest < 1.0, "the ground moved by {moved} m, {highest} J came out of nothing");
}

#[test]
fn the_gyroscope_goes_round_once_in_eight_seconds() {
    let mut scene = load("gyroscope");
    let (mut angle, mut last, mut lowest) = (0.0, 0.0, 0.0_f64);
    watch(&mut scene, |world| {
        let at = position(world, "disc");
        let now = libm::atan2(-at.z, at.x);
        angle += (now - last + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        last = now;
        lowest = lowest.min(at.y);
    });
    let period = scene.world.time() * std::f64::consts::TAU / angle;
    assert!((period - 8.0).abs() < 0.02, "once in {period} s");
    assert!(lowest > -1e-3, "the axis stays level, but sank by {lowest} m");
}

/// Of five balls, `raised` are let go; as many leave on the other side and rise as high.
fn cradle(name: &str, raised: usize) {
    let mut scene = load(name);
    let count = 5;
    let height = |world: &World, ball: usize| {
        let all: Vec<DVec3> = [positions(world, "raised"), positions(world, "hanging")].concat();
        all[ball].y + 1.0
    };
    let start = height(&scene.world, 0);
    let mut highest = [0.0_f64; 5];
    watch(&mut scene, |world| {
        // A pendulum of one metre takes about a second to the other side.
        if (0.6..1.4).contains(&world.time()) {
            for (ball, highest) in highest.iter_mut().enumerate() {
                *highest = highest.max(height(world, ball));
            }
        }
    });
    for (ball, &highest) in highest.iter().enumerate() {
        let expected = if ball >= count - raised { start } else { 0.0 };
        assert!(
            (highest - expected).abs() < 0.05 * start,
            "{name}: ball {ball} rose to {highest} instead of {expected}"
        );
    }
}

#[test]
fn as_many_balls_leave_the_cradle_as_hit_it() {
    cradle("cradle-1", 1);
    cradle("cradle-2", 2);
    cradle("cradle-3", 3);
}

#[test]
fn lossy_cradles_lose_energy_and_end_up_swinging_together() {
    for name in ["cradle-1-lossy", "cradle-2-lossy", "cradle-3-lossy"] {
        let mut scene = load(name);
        let (start, mut last) = (scene.world.energy().total(), f64::INFINITY);
        let mut swing = [0.0_f64; 5];
        watch(&mut scene, |world| {
            if world.time() > 6.0 {
                let all = [positions(world, "raised"), positions(world, "hanging")].concat();
                for (ball, at) in all.iter().enumerate() {
                    swing[ball] = swing[ball].max((at.x - 0.2 * ball as f64).abs());
                }
            }
            let now = world.energy().total();
            assert!(now <= last + 1e-4 * start.abs(), "{name}: energy grew at {} s", world.time());
            last = last.min(now);
        });
        // Of the energy above that of five balls at rest, some is left.
        let mass: f64 = scene.world.bodies().map(|(_, body)| body.mass()).sum();
        let rest = -mass * 9.81;
        let left = (scene.world.energy().total() - rest) / (start - rest);
        assert!((0.05..0.9).contains(&left), "{name}: {left} of the energy is left");
        // In the beginning those in the middle hardly move; in the end all swing.
        assert!(swing.iter().all(|&way| way > 0.05), "{name}: {swing:?}");
    }
}

/// Without friction nothing stops them once they lie flat, and three nails hold the table where it is.
#[test]
fn boxes_glide_over_the_table_and_the_floor() {
    let scene = run("boxes-table");
    let boxes: Vec<_> =
        scene.world.bodies().filter(|(_, body)| body.model().name.starts_with("box")).map(|(_, body)| body).collect();
    assert_eq!(boxes.len(), 10);
    let lies = |y: f64| (y - 0.15).abs() < 0.01 || (y - 1.2).abs() < 0.01;
    let gliding = boxes.iter().filter(|at| {
        let v = at.velocity();
        lies(at.position().y) && v.y.abs() < 0.05 && v.length() > 0.1
    });
    assert!(gliding.count() >= 7, "{:?}", boxes.iter().map(|at| at.position()).collect::<Vec<_>>());
    assert!(position(&scene.world, "table").distance(DVec3::Y) < 1e-3);
    assert!(body(&scene.world, "table").rotation().angle_between(glam::DQuat::IDENTITY) < 1e-3);
}

#[test]
fn elastic_boxes_keep_jumping() {
    let mut scene = load("boxes-table-elastic");
    let start = scene.world.energy().total();
    watch(&mut scene, |_| {});
    let change = (scene.world.energy().total() - start) / start;
    assert!(change.abs() < 0.05, "energy changed by {change}");
}

#[test]
fn boxes_tumble_down_the_stairs() {
    let scene = run("stairs");
    let boxes = positions(&scene.world, "box");
    let down = boxes.iter().filter(|at| at.y < 0.5 && at.x > 3.5).count();
    assert!(down >= 4, "only {down} reached the floor: {boxes:?}");
    assert!(boxes.iter().all(|at| at.y > 0.1), "none fell through: {boxes:?}");
}

#[test]
fn the_counterweight_keeps_the_balance() {
    let scene = run("counterweight");
    let plank = body(&scene.world, "plank");
    assert!((plank.position() - DVec3::new(0.0, 0.85, 0.0)).length() < 0.02, "{}", plank.position());
    assert!((position(&scene.world, "box/4").y - 2.7).abs() < 0.02);
    // Without it the plank tips over.
    let loader = Loader::new().with_setting("bodies.weight.position=[9, 0.3, 0]");
    let mut alone = find("counterweight").unwrap().load(&loader).unwrap();
    watch(&mut alone, |_| {});
    assert!(position(&alone.world, "box/4").y < 1.5);
}

#[test]
fn all_dominoes_fall() {
    let scene = run("dominoes");
    for (_, tile) in scene.world.bodies().filter(|(_, body)| body.model().name.ends_with("tile")) {
        let upright = (tile.rotation() * DVec3::Y).y;
        assert!(upright < 0.6, "{} still stands: {upright}", tile.model().name);
    }
}

#[test]
fn the_vortex_lifts_and_turns_everything() {
    let scene = run("vortex");
    let flying = scene.world.bodies().filter(|(_, body)| body.mass() > 0.0);
    let (mut count, mut high, mut turning) = (0, 0, 0);
    for (_, body) in flying {
        let (at, v) = (body.position(), body.velocity());
        count += 1;
        high += usize::from(at.y > 1.0);
        turning += usize::from(at.cross(v).y > 0.0);
    }
    assert!(high > count * 9 / 10 && turning > count * 9 / 10, "{high} high and {turning} turning of {count}");
}

#[test]
fn the_ball_runs_down_the_spiral_track() {
    let mut scene = load("spiral-track");
    let (mut angle, mut last) = (0.0, None);
    watch(&mut scene, |world| {
        let at = position(world, "ball");
        let now = libm::atan2(-at.z, at.x);
        if at.y > 0.4 {
            let change = now - last.unwrap_or(now);
            angle += (change + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        }
        last = Some(now);
    });
    let turns = angle / std::f64::consts::TAU;
    assert!(turns > 1.8, "it went round {turns} times and is at {}", position(&scene.world, "ball"));
}

#[test]
fn the_top_goes_round_and_stays_up() {
    let mut scene = load("top");
    let (mut angle, mut last, mut lowest) = (0.0, None, f64::INFINITY);
    watch(&mut scene, |world| {
        let axis = body(world, "top/body").rotation() * DVec3::Y;
        lowest = f64::min(lowest, axis.y);
        let now = libm::atan2(-axis.z, axis.x);
        let change: f64 = now - last.unwrap_or(now);
        angle += (change + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        last = Some(now);
    });
    assert!(lowest > 0.85, "it leans: {lowest}");
    assert!(angle.abs() > std::f64::consts::TAU, "it went round {} times", angle / std::f64::consts::TAU);
}

/// The stone of Kane and Levinson turns round; its mirror image, spun the same way, goes on.
#[test]
fn the_rattleback_turns_to_the_right() {
    let spin = |scene: &Scene| body(&scene.world, "stone").angular_velocity().y;
    let mut scene = load("rattleback");
    let begun = spin(&scene);
    scene.world.step(scene.dt).unwrap();
    let touching = scene.world.energy();
    watch(&mut scene, |_| {});
    assert!(begun == 5.0 && spin(&scene) < -4.5, "from {begun} to {}", spin(&scene));
    // It rolls: nothing is lost by it.
    let lost = 1.0 - scene.world.energy().total() / touching.total();
    assert!(lost.abs() < 0.02, "{lost}");
    let mirrored = Loader::new().with_setting("bodies.stone.mass_properties.products=[0, 2e-5, 0]");
    let mut scene = find("rattleback").unwrap().load(&mirrored).unwrap_or_else(|report| panic!("{report}"));
    watch(&mut scene, |_| {});
    assert!(spin(&scene) > 4.5, "{}", spin(&scene));
}

#[test]
fn the_stack_stands() {
    let scene = run("stack");
    for (index, at) in positions(&scene.world, "box").into_iter().enumerate() {
        let expected = DVec3::new(0.0, 0.25 + 0.5 * index as f64, 0.0);
        assert!((at - expected).length() < 0.01, "box {index} is at {at}");
    }
}

#[test]
fn the_blocks_tumble_to_the_floor() {
    let scene = run("tumbling-blocks");
    let blocks = positions(&scene.world, "block");
    let down = blocks.iter().filter(|at| at.y < 0.8).count();
    assert!(down >= 14, "only {down} of 16 fell: {blocks:?}");
    assert!(blocks.iter().all(|at| at.y > 0.1), "none fell through: {blocks:?}");
}

#[test]
fn the_pyramid_stands() {
    let before = load("pyramid");
    let after = run("pyramid");
    for (a, b) in positions(&before.world, "row").into_iter().zip(positions(&after.world, "row")) {
        assert!((a - b).length() < 0.02, "{a} moved to {b}");
    }
}

#[test]
fn the_ball_breaks_through_the_wall() {
    let scene = run("wall");
    let ball = position(&scene.world, "ball");
    assert!(ball.x > 1.5, "the ball is at {ball}");
    let bricks = [positions(&scene.world, "even"), positions(&scene.world, "odd")].concat();
    let moved = bricks.iter().filter(|at| at.x > 0.5).count();
    assert!(moved >= 5, "only {moved} bricks were thrown");
    assert!(bricks.iter().all(|at| at.y > 0.05), "none fell through the floor");
}

#[test]
fn the_mixed_pile_settles() {
    let scene = run("pile");
    let moving: Vec<BodyRef<'_>> =
        scene.world.bodies().map(|(_, body)| body).filter(|body| body.mass() > 0.0).collect();
    assert_eq!(moving.len(), 60);
    let quiet = moving.iter().filter(|body| body.velocity().length() < 0.3).count();
    assert!(quiet >= 50, "only {quiet} of 60 are quiet");
    assert!(moving.iter().all(|body| body.position().y > 0.1), "none fell through");
}

#[test]
fn the_pile_of_a_thousand_falls() {
    // A quarter of a second is enough to see that it falls and collides; the whole takes its time.
    let mut scene = load("pile-1000");
    assert_eq!(scene.world.model().bodies().len(), 1001);
    scene.duration = 0.25;
    let start = scene.world.energy().total();
    watch(&mut scene, |_| {});
    assert!(scene.world.energy().total() <= start);
    assert!(scene.world.contacts().count() > 50);
}

#[test]
fn boxes_slide_if_the_slope_is_steeper_than_their_friction() {
    let before = load("incline");
    let after = run("incline");
    let way = |name: &str| {
        let name = format!("{name}/box");
        (position(&after.world, &name) - position(&before.world, &name)).length()
    };
    let (sin, cos) = libm::sincos(20.0_f64.to_radians());
    for (name, friction) in [("slick", 0.1), ("smooth", 0.3), ("middling", 0.35)] {
        let time = after.world.time();
        let expected = 0.5 * 9.81 * (sin - friction * cos) * time * time;
        // The fastest reaches the end of the ramp.
        assert!(
            (way(name) - expected).abs() < 0.02 * expected || way(name) > 4.5,
            "{name}: {} of {expected}",
            way(name)
        );
    }
    assert!(way("rough") < 1e-3 && way("sticky") < 1e-3, "{} {}", way("rough"), way("sticky"));
}

#[test]
fn balls_rise_to_their_restitution_squared() {
    let mut scene = load("bouncing-balls");
    let (mut highest, mut bounced) = ([0.0_f64; 6], [0; 6]);
    let mut was_falling = [false; 6];
    watch(&mut scene, |world| {
        for ball in 0..6 {
            let body = body(world, &format!("ball{ball}/ball"));
            let falling = body.velocity().y < 0.0;
            bounced[ball] += usize::from(was_falling[ball] && !falling);
            was_falling[ball] = falling;
            if bounced[ball] == 1 {
                highest[ball] = highest[ball].max(body.position().y - 0.2);
            }
        }
    });
    for (highest, restitution) in highest.into_iter().zip([0.25, 0.35, 0.45, 0.55, 0.65, 0.75]) {
        let expected = 2.0 * restitution * restitution;
        assert!((highest - expected).abs() < 0.03 * expected, "ε = {restitution}: {highest} instead of {expected}");
    }
}

#[test]
fn cubes_float_as_deep_as_they_are_dense() {
    let scene = run("buoyancy");
    for (name, density) in [("cork", 0.24), ("oak", 0.7), ("ice", 0.917)] {
        let cube = body(&scene.world, &format!("{name}/cube"));
        let volume_below = {
            let collider = scene.world.model().colliders().get(cube.model().colliders[0]).unwrap();
            let normal = cube.pose().inverse_vector(DVec3::Y);
            let surface = tumble_geometry::Plane { normal, offset: -cube.position().y };
            collider.shape.below(&surface).unwrap().volume / 0.512
        };
        assert!((volume_below - density).abs() < 0.03, "{name}: {volume_below} under water instead of {density}");
    }
    assert!(position(&scene.world, "steel/cube").y < -2.5, "steel sinks");
}

#[test]
fn two_spheres_topple_over_and_drive_in_a_circle() {
    let mut scene = load("two-spheres");
    let motor = scene.world.joint_named("motor").unwrap();
    let (mut heading, mut last, mut round) = (0.0, None, 0.0);
    let (mut upright, mut lowest, mut speeds) = (false, f64::INFINITY, Vec::new());
    watch(&mut scene, |world| {
        let [lower, upper] = ["lower/ball", "upper/ball"].map(|name| body(world, name));
        let apart = upper.position() - lower.position();
        assert!((apart.length() - 2.0).abs() < 0.05, "the motor holds them 2 m apart: {}", apart.length());
        let relative = (upper.angular_velocity() - lower.angular_velocity()).dot(apart.normalize());
        if world.time() > 3.0 {
            speeds.push(relative);
        }
        upright |= world.time() > 0.5 && apart.y > 1.9;
        lowest = f64::min(lowest, apart.y.abs());
        if world.time() > 5.0 {
            heading = libm::atan2(-apart.z, apart.x);
            let change: f64 = heading - last.unwrap_or(heading);
            round += (change + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
            last = Some(heading);
        }
    });
    assert!(upright && lowest < 0.1, "they stand at first and fall over: {upright}, {lowest}");
    // The studs bump, and the motor gives way to them; on the mean it keeps its speed.
    let mean = speeds.iter().sum::<f64>() / speeds.len() as f64;
    assert!((mean - 3.1412).abs() < 0.05, "they turn at {mean} rad/s");
    let angle = scene.world.joint(motor).unwrap().angle().unwrap();
    assert!((angle - 3.1412 * scene.duration).abs() < 0.1 * angle, "the motor turned by {angle}");
    // Rolling without slipping, each with half of the motor's speed and opposite: v = r ω/2 = 0.785 m/s, 1 m from the middle.
    let speed = round.abs() / (scene.duration - 5.0);
    assert!((speed - 0.785).abs() < 0.15, "they go round at {speed} rad/s");
}

#[test]
fn the_rag_doll_tumbles_down_the_stairs_within_its_limits() {
    let mut scene = load("rag-doll");
    assert_eq!(scene.world.bodies().filter(|(_, body)| body.mass() > 0.0).count(), 15);
    assert_eq!(scene.world.model().joints().len(), 14);
    let (mut opened, mut fastest, mut long) = (0.0_f64, 0.0_f64, [0.0_f64; 14]);
    let dt = scene.dt;
    watch(&mut scene, |world| {
        for (index, (_, joint)) in world.joints().enumerate() {
            opened = opened.max(joint.error());
            long[index] += if joint.error() > 3.0_f64.to_radians() { dt } else { 0.0 };
        }
        fastest = world.bodies().map(|(_, body)| body.velocity().length()).fold(fastest, f64::max);
    });
    println!("opened by {opened}, at most {fastest} m/s, {long:?}");
    assert!(long.iter().all(|&long| long < 0.1), "beyond 3 degrees for {long:?} s");
    assert!(fastest < 12.0, "{fastest} m/s");
    let doll: Vec<BodyRef<'_>> = scene.world.bodies().map(|(_, body)| body).filter(|body| body.mass() > 0.0).collect();
    assert!(doll.iter().all(|part| part.position().y > 0.0), "none fell through");
    let chest = position(&scene.world, "doll/chest");
    assert!(chest.y < 0.6 && chest.x > 1.5, "it lies at the foot of the stairs: {chest}");
    assert!(doll.iter().all(|part| part.velocity().length() < 0.3), "it has come to rest");
}

/// Hinges and wheels of machines stay closed, and what walks or drives stays upright.
fn most_open(world: &World) -> f64 {
    world.joints().map(|(_, joint)| joint.error()).fold(0.0, f64::max)
}

#[test]
fn the_car_drives_over_the_bump_and_through_the_boxes() {
    let mut scene = load("car");
    let (mut over, mut fastest, mut open) = (0.0_f64, 0.0_f64, 0.0_f64);
    let boxes = positions(&scene.world, "box");
    watch(&mut scene, |world| {
        let car = body(world, "chassis");
        assert!((car.rotation() * DVec3::Y).y > 0.5, "upright at {} s", world.time());
        if (car.position().x - 3.0).abs() < 2.5 && world.time() < 4.0 {
            over = over.max(car.position().y);
        }
        fastest = fastest.max(car.velocity().length());
        open = open.max(most_open(world));
    });
    assert!(over > 0.66, "over the bump: {over} m");
    assert!((5.0..20.0).contains(&fastest), "{fastest} m/s");
    assert!(open < 0.02, "{open}");
    let now = positions(&scene.world, "box");
    let pushed = boxes.iter().zip(&now).filter(|(before, now)| before.distance(**now) > 0.5).count();
    assert!(pushed >= 5, "{pushed} boxes");
    println!(
        "over {over:.3} m, fastest {fastest:.1} m/s, open {open:.1e}, boxes {pushed}, {}",
        position(&scene.world, "chassis")
    );
}

/// Each key does what it says, from rest: ahead, back, left, right, and the brake stops it.
#[test]
fn the_car_obeys_its_keys() {
    let drive = |gas: f64, steer: f64, brake_after: f64| {
        let mut scene = load("car");
        scene.world.set_input("steer", steer).unwrap();
        scene.world.set_input("brake", 0.0).unwrap();
        while scene.world.time() < 4.0 {
            scene.world.set_input("gas", if scene.world.time() < brake_after { gas } else { 0.0 }).unwrap();
            scene.world.set_input("brake", f64::from(scene.world.time() >= brake_after)).unwrap();
            scene.world.step(scene.dt).unwrap();
        }
        let car = body(&scene.world, "chassis");
        (car.position(), car.velocity().length(), car.rotation() * DVec3::X)
    };
    let (start, _, _) = drive(0.0, 0.0, 9.0);
    assert!((start.x + 6.0).abs() < 0.2, "stands {start}");
    let (ahead, speed, _) = drive(0.5, 0.0, 9.0);
    assert!(ahead.x > 2.0 && ahead.z.abs() < 0.3 && speed > 3.0, "{ahead} {speed}");
    let (back, _, _) = drive(-0.5, 0.0, 9.0);
    assert!(back.x < -10.0, "{back}");
    let (_, _, left) = drive(0.5, 1.0, 9.0);
    let (_, _, right) = drive(0.5, -1.0, 9.0);
    assert!(left.z < -0.3 && right.z > 0.3, "{left} {right}");
    let (_, stopped, _) = drive(0.5, 0.0, 2.0);
    assert!(stopped < 0.05, "{stopped} m/s");
}

/// A minute at 1/60 s with the method it has by default.
#[test]
fn the_quadruped_walks_for_a_minute() {
    let mut scene = load("quadruped");
    assert_eq!((scene.world.method().name(), scene.dt), ("realtime", 1.0 / 60.0));
    let (mut lowest, mut tilted, mut open) = (f64::INFINITY, 1.0_f64, 0.0_f64);
    while scene.world.time() < 60.0 {
        scene.world.step(scene.dt).unwrap();
        let trunk = body(&scene.world, "trunk");
        if scene.world.time() > 0.5 {
            lowest = lowest.min(trunk.position().y);
        }
        tilted = tilted.min((trunk.rotation() * DVec3::Y).y);
        open = open.max(most_open(&scene.world));
    }
    let end = position(&scene.world, "trunk");
    println!("walked {end}, lowest {lowest:.3} m, upright {tilted:.3}, open {open:.1e}");
    assert!(end.x > 8.0 && end.z.abs() < 0.2 * end.x, "walked to {end}");
    assert!(lowest > 0.35 && tilted > 0.9, "lowest {lowest} m, upright {tilted}");
    assert!(open < 0.01, "{open}");
}

#[test]
fn the_quadruped_stands_and_goes_back_when_told() {
    let walk = |pace: f64| {
        let mut scene = load("quadruped");
        scene.world.set_input("pace", pace).unwrap();
        (0..600).for_each(|_| scene.world.step(scene.dt).unwrap());
        position(&scene.world, "trunk")
    };
    let stands = walk(0.0);
    assert!(stands.with_y(0.0).length() < 0.05, "{stands}");
    let back = walk(-1.0);
    assert!(back.x < -1.0, "{back}");
}

#[test]
fn plates_of_the_shooting_gallery_fall_count_and_stand_up_again() {
    let mut scene = load("shooting-gallery");
    let feet: Vec<_> = scene.world.joints().map(|(id, _)| id).collect();
    let tilts = |world: &World| -> Vec<f64> {
        feet.iter().map(|&foot| world.joint(foot).unwrap().coordinate("turn").unwrap().position()).collect()
    };
    let (mut most, mut said) = (0, Vec::new());
    while scene.world.time() < scene.duration {
        scene.world.step(scene.dt).unwrap();
        most = most.max(tilts(&scene.world).iter().filter(|&&tilt| tilt < -1.2).count());
        said.extend(scene.world.take_messages());
    }
    println!("{said:?}");
    // Eight shots; each hits its plate.
    assert_eq!(said.last().map(String::as_str), Some("8 of 8"));
    assert!(most >= 2, "{most} at once");
    // Those that were hit first stand again.
    let standing = tilts(&scene.world).iter().filter(|tilt| tilt.abs() < 0.1).count();
    assert!(standing >= 5, "{standing} stand");
}
