//! The scenes that show one constraint each: every registered joint has one, they load and run to their end, their joints stay
//! closed, what they allow moves, and what they forbid does not happen.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use glam::{DQuat, DVec3};
use tumble_dynamics::constraint::Limit;
use tumble_dynamics::geometry::math::angle_between;
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{BodyRef, World};
use tumble_scene::gallery::{Entry, SCENES, find};
use tumble_scene::{Loader, Scene};

fn scenes() -> impl Iterator<Item = &'static Entry> {
    SCENES.iter().filter(|entry| entry.group == "constraints")
}

fn load(name: &str) -> Scene {
    let entry = find(&format!("constraints/{name}")).unwrap_or_else(|| panic!("there is no scene {name}"));
    entry.load(&Loader::new()).unwrap_or_else(|report| panic!("{report}"))
}

fn body<'a>(world: &'a World, name: &str) -> BodyRef<'a> {
    world.body(world.body_named(name).unwrap_or_else(|| panic!("no body {name}"))).unwrap()
}

fn angle(world: &World, joint: &str) -> f64 {
    world.joint(world.joint_named(joint).unwrap()).unwrap().angle().unwrap()
}

/// Runs a scene to its end and looks at every step.
fn watch(name: &str, mut look: impl FnMut(&World)) -> Scene {
    let mut scene = load(name);
    look(&scene.world);
    while scene.world.time() + 1e-3 * scene.dt < scene.duration {
        scene.world.step(scene.dt).unwrap_or_else(|error| panic!("{name}: {error}"));
        look(&scene.world);
    }
    scene
}

/// The largest and the smallest value of something during a scene.
fn range(name: &str, of: impl Fn(&World) -> f64) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    watch(name, |world| {
        let now = of(world);
        range = [range[0].min(now), range[1].max(now)];
    });
    range
}

#[track_caller]
fn within(what: &str, value: f64, low: f64, high: f64) {
    assert!((low..=high).contains(&value), "{what}: {value} is not between {low} and {high}");
}

/// The angle by which a body's axis has left where it was at the beginning, in degrees; it began unturned.
fn tilt(world: &World, name: &str, axis: DVec3) -> f64 {
    angle_between(body(world, name).rotation() * axis, axis).to_degrees()
}

fn turned(rotation: DQuat) -> f64 {
    2.0 * libm::atan2(rotation.xyz().length(), rotation.w.abs()).to_degrees()
}

#[test]
fn every_registered_joint_has_a_scene() {
    for part in Registry::default().joints.parts() {
        let entry = find(&format!("constraints/{}", part.name));
        let entry = entry.unwrap_or_else(|| panic!("no scene shows the joint {}", part.name));
        let used =
            entry.text.lines().any(|line| line.starts_with(&part.name) || line.contains(&format!(".{}]", part.name)));
        assert!(used, "{} does not use it", entry.name);
    }
}

/// By how much the joints of a scene may open and its limits be passed, in metres and radians: what is soft gives way, what is
/// for study does not hold.
fn allowed_error(name: &str) -> f64 {
    match name {
        "softness" | "six_axes" => f64::INFINITY,
        "study_cross_hinge" | "study_quaternion_lock" | "study_cross_matrix_hinge" => f64::INFINITY,
        _ => 5e-3,
    }
}

#[test]
fn every_constraint_scene_runs_with_its_joints_closed() {
    for entry in scenes() {
        let name = entry.name.strip_prefix("constraints/").unwrap();
        let start = load(name);
        let (mut worst, mut moved) = (0.0_f64, 0.0_f64);
        let scene = watch(name, |world| {
            let whole = world.joints().filter(|(_, joint)| !joint.is_broken());
            worst = whole.map(|(_, joint)| joint.error()).fold(worst, f64::max);
            for ((_, now), (_, before)) in
                world.bodies().zip(start.world.bodies()).filter(|(now, _)| now.1.mass() > 0.0)
            {
                let turn = turned(now.rotation() * before.rotation().conjugate()).to_radians();
                moved = moved.max((now.position() - before.position()).length()).max(turn);
            }
        });
        println!("{name}: open by {worst:.1e}, moved by {moved:.2}");
        assert!(scene.world.bodies().all(|(_, body)| body.state().is_finite()), "{name}");
        assert!(worst < allowed_error(name), "{name} opened by {worst:e}");
        assert!(moved > 0.1, "{name}: nothing moves, {moved}");
    }
}

#[test]
fn held_points_stay_and_the_rest_is_free() {
    let mut spin = [0.0_f64; 3];
    watch("nail", |world| {
        let rotation = body(world, "board").rotation();
        for (most, axis) in spin.iter_mut().zip(DVec3::AXES) {
            *most = most.max(angle_between(rotation * axis, axis));
        }
    });
    assert!(spin.iter().all(|&turn| turn > 0.5), "the board turns in every way: {spin:?}");
    // The two bars of the ball joints leave their plane, and the lower one spins.
    let [low, high] = range("ball", |world| body(world, "lower").position().z);
    assert!(high - low > 0.3, "{low} to {high}");
    // The door swings by the ball and nothing else.
    let door = watch("hinge", |world| within("door", tilt(world, "door", DVec3::Y), 0.0, 0.1));
    assert!(angle(&door.world, "hinge").abs() > 0.5, "{}", angle(&door.world, "hinge"));
}

#[test]
fn all_forms_of_a_hinge_swing_alike() {
    watch("hinge_forms", |world| {
        let angles = ["dot_product", "two_positions", "quaternion", "two_joysticks"].map(|form| angle(world, form));
        assert!(angles.iter().all(|other| (other - angles[0]).abs() < 1e-3), "{angles:?}");
    });
}

#[test]
fn a_hinge_counts_its_turns() {
    let [low, high] = range("hinge_limit", |world| angle(world, "hinge").to_degrees());
    within("lower", low, -500.5, -499.0);
    within("upper", high, 499.0, 500.5);
}

#[test]
fn motors_drives_and_friction_do_as_they_are_told() {
    let scene = watch("hinge_motor", |_| {});
    // Where half of the torque of the bar's weight is enough: sin θ = 1/2.
    within("weak", angle(&scene.world, "weak").to_degrees(), 29.5, 30.5);
    within("strong", angle(&scene.world, "strong"), 2.0 * scene.duration - 0.3, 2.0 * scene.duration);
    let [_, springy] = range("hinge_drive", |world| angle(world, "springy").to_degrees());
    // A damping ratio ζ overshoots by exp(−πζ/√(1−ζ²)).
    let overshoot = libm::exp(-std::f64::consts::PI * 0.1 / 0.99_f64.sqrt());
    within("overshoot", springy, 90.0 * (1.0 + overshoot) - 1.0, 90.0 * (1.0 + overshoot) + 1.0);
    let [_, critical] = range("hinge_drive", |world| angle(world, "critical").to_degrees());
    within("critical", critical, 89.0, 90.1);
    let mut last = [0.0; 3];
    let scene = watch("hinge_friction", |world| {
        last = ["free", "rubbing", "stiff"].map(|name| body(world, name).angular_velocity().length());
    });
    let hanging = -90.0;
    assert!(last[0] > 0.5 && last[2] < 1e-3, "{last:?}");
    within("rubbing", angle(&scene.world, "rubbing").to_degrees(), hanging - 10.0, hanging + 10.0);
    // The work of the friction is that of the weight: 9.81 sin θ = 8.5 θ.
    within("stiff", angle(&scene.world, "stiff").to_degrees(), -54.0, -50.0);
    let mut speed = 0.0;
    let scene = watch("slider_motor", |world| {
        if (0.9..1.1).contains(&world.time()) {
            speed = body(world, "platform").velocity().y;
        }
    });
    within("lift", speed, 0.49, 0.51);
    within("top", body(&scene.world, "platform").position().y, 1.895, 1.905);
    within("crate", body(&scene.world, "crate").position().y, 2.24, 2.26);
}

#[test]
fn sliders_keep_to_their_rails() {
    let along = DVec3::new(libm::cos(0.314_159_265), -libm::sin(0.314_159_265), 0.0);
    for (name, moving) in [("slider", "block"), ("slider_limits", "carriage")] {
        let start = body(&load(name).world, moving).position();
        let mut ways = Vec::new();
        watch(name, |world| {
            let block = body(world, moving);
            let way = block.position() - start;
            ways.push(way.dot(along));
            within(name, (way - along * way.dot(along)).length(), 0.0, 1e-3);
            within(name, turned(block.rotation()) - 18.0, -0.05, 0.05);
        });
        within(name, ways.iter().copied().fold(0.0, f64::max), 2.98, 3.005);
        within(name, ways.iter().copied().fold(0.0, f64::min), -0.005, 0.0);
        let backwards = ways.windows(2).filter(|pair| pair[1] < pair[0] - 1e-4).count();
        assert_eq!(backwards > 50, name == "slider_limits", "{name}: {backwards}");
    }
    // The nut sinks by 0.25 m for every turn.
    let scene = watch("screw", |world| {
        let nut = body(world, "nut");
        within("screw", nut.velocity().y - 0.25 / std::f64::consts::TAU * nut.angular_velocity().y, -1e-6, 1e-6);
    });
    within("nut", body(&scene.world, "nut").position().y, -5.0, 1.5);
}

#[test]
fn sleeves_discs_and_cubes_move_only_as_allowed() {
    let shaft = DVec3::new(libm::cos(0.314_159_265), -libm::sin(0.314_159_265), 0.0);
    let scene = watch("cylindrical", |world| {
        let axis = body(world, "sleeve").rotation() * DVec3::X;
        within("sleeve", angle_between(axis, shaft), 0.0, 1e-3);
    });
    assert!(body(&scene.world, "sleeve").position().x > 1.0);
    let [low, high] = range("planar", |world| body(world, "disc").position().z);
    within("plane", low.abs().max(high.abs()), 0.0, 1e-4);
    let [_, tipped] = range("planar", |world| tilt(world, "disc", DVec3::Z));
    within("plane", tipped, 0.0, 0.1);
    let [_, locked] = range("orientation_lock", |world| turned(body(world, "locked").rotation()));
    let [_, free] = range("orientation_lock", |world| turned(body(world, "free").rotation()));
    assert!(locked < 0.1 && free > 30.0, "{locked}, {free}");
    let moved = watch("orientation_lock", |_| {});
    assert!(body(&moved.world, "locked").position().x > 0.5);
}

#[test]
fn welds_hold() {
    let start = load("weld");
    let end = watch("weld", |_| {});
    for name in ["block_1", "block_2", "block_3", "block_4"] {
        let way = body(&end.world, name).position() - body(&start.world, name).position();
        within(name, way.length(), 0.0, 0.002);
    }
    let shape = |world: &World| (body(world, "east").position() - body(world, "north").position()).length();
    let [low, high] = range("weld_three_points", shape);
    within("cross", high - low, 0.0, 0.002);
}

#[test]
fn a_universal_joint_runs_unevenly_and_a_constant_velocity_joint_does_not() {
    let axis = |degrees: f64| {
        let (sin, cos) = libm::sincos(degrees.to_radians());
        DVec3::new(cos, 0.0, -sin)
    };
    let ratio = |world: &World| {
        let speed = |name: &str, axis: DVec3| body(world, name).angular_velocity().dot(axis);
        if world.time() < 0.1 { 1.0 } else { speed("driven", axis(35.0)) / speed("driving", DVec3::X) }
    };
    let [low, high] = range("universal", ratio);
    let cos = libm::cos(35.0_f64.to_radians());
    within("slowest", low, cos - 2e-3, cos + 2e-3);
    within("fastest", high, 1.0 / cos - 2e-3, 1.0 / cos + 2e-3);
    let [low, high] = range("constant_velocity", ratio);
    within("even", (low - 1.0).abs().max((high - 1.0).abs()), 0.0, 2e-3);
}

#[test]
fn a_joystick_does_not_turn_about_itself() {
    let about_y = |world: &World, name: &str| (2.0 * body(world, name).rotation().y).abs();
    let [_, held] = range("joystick", |world| about_y(world, "joystick"));
    let [_, free] = range("joystick", |world| about_y(world, "free"));
    let [_, lean] = range("joystick", |world| tilt(world, "joystick", DVec3::Y));
    assert!(held < 1e-3 && free > 1.0 && lean > 20.0, "{held}, {free}, {lean}");
}

#[test]
fn points_stay_on_planes_and_lines() {
    let scene = watch("on_plane", |_| {});
    assert!(body(&scene.world, "box").position().x > 0.3);
    let scene = watch("lines", |_| {});
    assert!(body(&scene.world, "bar").position().x > 0.0, "{}", body(&scene.world, "bar").position());
    let height = |world: &World| {
        let stick = body(world, "stick");
        (stick.position() + stick.rotation() * DVec3::new(0.0, -0.4, 0.0)).y - 1.0
    };
    let [low, high] = range("on_plane_one_sided", height);
    within("below", low, -5e-3, 0.01);
    assert!(high > 0.2, "it leaves the plane: {high}");
    let [fallen, _] = range("on_plane_one_sided", |world| body(world, "stick").position().y);
    assert!(fallen < 0.95, "the rest falls through: {fallen}");
}

#[test]
fn rods_ropes_and_struts_keep_their_distance() {
    let from = |world: &World, name: &str, at: DVec3, local: DVec3| {
        let body = body(world, name);
        (body.position() + body.rotation() * local - at).length()
    };
    let [low, high] = range("distance", |world| from(world, "weight", DVec3::new(0.0, 1.5, 0.0), DVec3::ZERO));
    within("rod", (low - 1.0).abs().max((high - 1.0).abs()), 0.0, 1e-3);
    let [lowest, highest] = range("distance", |world| body(world, "weight").position().y);
    assert!(lowest < 0.51 && highest > 2.49, "all the way round: {lowest} to {highest}");
    let rope = |world: &World| from(world, "weight", DVec3::new(0.0, 2.0, 0.0), DVec3::new(0.0, 0.15, 0.0));
    let [low, high] = range("rope", rope);
    assert!(low < 0.8 && high > 1.09, "{low} to {high}");
    within("rope", high, 1.09, 1.102);
    let [low, high] = range("strut", |world| from(world, "ball", DVec3::new(0.0, 1.2, 0.0), DVec3::ZERO));
    within("strut", low, 0.795, 0.81);
    assert!(high > 1.0);
}

#[test]
fn springs_sag_as_far_as_they_should() {
    // A spring of frequency f gives way by g/(2πf)², and without damping swings by as much to both sides.
    let sag = |frequency: f64| 9.81 / libm::pow(std::f64::consts::TAU * frequency, 2.0);
    for (name, frequency) in [("stiff", 2.0), ("soft", 1.0)] {
        let [low, _] = range("softness", |world| body(world, name).position().y);
        let deepest = 1.9 - sag(frequency) * (1.0 + libm::exp(-std::f64::consts::PI * 0.1 / 0.99_f64.sqrt()));
        within(name, low, deepest - 0.01, deepest + 0.01);
    }
    let [low, _] = range("softness", |world| body(world, "rigid").position().y);
    within("rigid", low, 1.899, 1.901);
    let mut end = [0.0; 2];
    watch("spring", |world| end = ["bouncing", "damped"].map(|name| body(world, name).position().y));
    within("damped", end[1], 1.9 - 10.0 * 9.81 / 250.0 - 0.01, 1.9 - 10.0 * 9.81 / 250.0 + 0.01);
    let [low, high] = range("spring", |world| body(world, "bouncing").position().y);
    within("bouncing", high - low, 2.0 * 10.0 * 9.81 / 250.0 - 0.01, 2.0 * 10.0 * 9.81 / 250.0 + 0.01);
}

#[test]
fn transmissions_keep_their_ratio() {
    let scene = watch("gear", |_| {});
    let (small, large) = (angle(&scene.world, "motor"), angle(&scene.world, "axle"));
    within("gear", small + 2.0 * large, -1e-3, 1e-3);
    within("gear", small, 9.5, 10.5);
    let start = body(&load("rack_and_pinion").world, "rack").position().x;
    let scene = watch("rack_and_pinion", |_| {});
    let way = body(&scene.world, "rack").position().x - start;
    within("rack", way - 0.4 * angle(&scene.world, "motor"), -1e-3, 1e-3);
    assert!(way > 1.4);
    // Atwood's machine: a = g (M − m)/(M + m).
    let (mut way, start) = (0.0, 1.3);
    watch("pulley", |world| {
        if world.time() <= 1.5 + 1e-9 {
            way = start - body(world, "heavy").position().y;
        }
    });
    let expected = 0.5 * 9.81 * 0.5 / 10.5 * 1.5 * 1.5;
    within("pulley", way, expected - 0.01, expected + 0.01);
    let [low, high] = range("pulley", |world| {
        let rope = |name: &str, half: f64| 2.9 - body(world, name).position().y - half;
        rope("heavy", 0.2) + rope("light", 0.18)
    });
    within("rope", high, 3.70, 3.73);
    assert!(low < 3.7, "it goes slack: {low}");
}

#[test]
fn six_axes_and_wheels_do_each_as_they_are_told() {
    watch("six_axes", |world| {
        let cart = body(world, "cart");
        within("slide", cart.position().x, -0.91, 0.91);
        within("locked", cart.position().z, -1e-4, 1e-4);
        within("locked", tilt(world, "cart", DVec3::Z), 0.0, 0.05);
    });
    let [low, high] = range("six_axes", |world| body(world, "cart").position().x);
    assert!(low < -0.88 && high > 0.88, "{low} to {high}");
    let [low, high] = range("six_axes", |world| body(world, "cart").position().y);
    assert!(high - low > 0.3, "it rides on its spring");
    let scene = watch("wheel", |world| {
        within("upright", (body(world, "chassis").rotation() * DVec3::Y).y, 0.97, 1.001);
        for wheel in ["front_left", "front_right", "rear_left", "rear_right"] {
            let (chassis, wheel) = (body(world, "chassis"), body(world, wheel));
            let travel = (chassis.rotation().conjugate() * (wheel.position() - chassis.position())).y + 0.4;
            within("travel", travel, -0.15, 0.15);
        }
    });
    assert!(body(&scene.world, "chassis").position().x > 3.0, "{}", body(&scene.world, "chassis").position());
}

/// The arm of a scene about limits comes close to its limit and hardly beyond, by 3 degrees for less than 0.1 s.
fn limited(name: &str, joints: &[&str]) {
    let (mut closest, mut beyond, mut long) = (f64::INFINITY, 0.0_f64, 0.0);
    let scene = watch(name, |world| {
        for joint in joints {
            let joint = world.joint(world.joint_named(joint).unwrap()).unwrap();
            let views = joint
                .model()
                .ends
                .map(|end| tumble_dynamics::constraint::BodyView::of(world.model(), &world.state().bodies, end));
            let mut rows = Vec::new();
            let view = tumble_dynamics::constraint::JointView { bodies: views, angle: joint.angle().unwrap_or(0.0) };
            joint.model().constraint.rows(&view, &mut rows);
            let room = rows.iter().filter(|row| row.limit == Limit::AtLeastZero).map(|row| row.error);
            let room = room.fold(f64::INFINITY, f64::min).to_degrees();
            closest = closest.min(room);
            beyond = beyond.max(-room);
            if room < -1.0 {
                long += 1.0 / 240.0;
            }
        }
    });
    println!("{name}: beyond its limits by {beyond:.3}° at most");
    assert!(beyond < 3.0 && long < 0.1, "{name}: {beyond}° beyond, {long} s");
    assert!(closest < 0.5, "{name}: it never reaches its limit, {closest}° are left");
    assert!(scene.world.time() > 1.0);
}

#[test]
fn limits_are_reached_and_kept() {
    limited("cone_limit", &["cone"]);
    limited("elliptic_cone_limit", &["cone"]);
    limited("wedge_limit", &["wedge"]);
    limited("reach_cone", &["reach"]);
    limited("twist_limit", &["twist"]);
    limited("swing_twist", &["shoulder"]);
    limited("joystick_limits", &["about_x", "about_y", "about_z"]);
    limited("angular_limit", &["limit"]);
    limited("hinge_limit", &["hinge"]);
    limited("slider_limits", &["slider"]);
    // A wedge lets the arm swing along its planes, a twist limit lets it swing to all sides.
    let [_, along] = range("wedge_limit", |world| tilt(world, "arm", DVec3::Y));
    assert!(along > 30.0, "{along}");
    let [_, swing] = range("twist_limit", |world| tilt(world, "arm", DVec3::Y));
    assert!(swing > 15.0, "{swing}");
}

#[test]
fn the_rod_breaks_where_its_tension_is_too_much() {
    // Let go level, a pendulum's rod bears 3 m g cos θ: it breaks at cos θ = 2.5/3.
    let mut at = None;
    let scene = watch("breakable", |world| {
        if at.is_none() && world.joints().any(|(_, joint)| joint.is_broken()) {
            at = Some(body(world, "weight").position());
        }
    });
    let at = at.unwrap_or_else(|| panic!("it held"));
    within("where", (2.0 - at.y) / (DVec3::new(0.0, 2.0, 0.0) - at).length(), 2.5 / 3.0 - 0.01, 2.5 / 3.0 + 0.02);
    assert!(body(&scene.world, "weight").position().x > 0.3);
}

#[test]
fn what_is_for_study_shows_what_is_wrong_with_it() {
    let [_, proper] = range("study_cross_hinge", |world| tilt(world, "proper", DVec3::Z));
    let [_, study] = range("study_cross_hinge", |world| tilt(world, "study", DVec3::Z));
    assert!(proper < 0.05 && study > 2.0, "{proper}, {study}");
    let [_, proper] = range("study_quaternion_lock", |world| turned(body(world, "proper").rotation()));
    let [_, study] = range("study_quaternion_lock", |world| turned(body(world, "study").rotation()));
    assert!(proper < 0.05 && study > 4.0, "{proper}, {study}");
    let [_, proper] = range("study_cross_matrix_hinge", |world| tilt(world, "proper", DVec3::Z));
    let [_, study] = range("study_cross_matrix_hinge", |world| tilt(world, "study", DVec3::Z));
    assert!(proper < 0.05 && study < 0.1, "{proper}, {study}");
    // The Jacobians of its three rows lie in a plane, so that no matrix of theirs has an inverse.
    let scene = load("study_cross_matrix_hinge");
    let joint = scene.world.joint(scene.world.joint_named("study").unwrap()).unwrap();
    let views = joint
        .model()
        .ends
        .map(|end| tumble_dynamics::constraint::BodyView::of(scene.world.model(), &scene.world.state().bodies, end));
    let mut rows = Vec::new();
    joint.model().constraint.rows(&tumble_dynamics::constraint::JointView { bodies: views, angle: 0.0 }, &mut rows);
    let [a, b, c] = [3, 4, 5].map(|row| rows[row].jacobian.angular[1]);
    assert!(a.cross(b).dot(c).abs() < 1e-12, "{a}, {b}, {c}");
}

#[test]
fn pairs_of_points_make_joints_and_motors() {
    let scene = watch("discrepancy", |world| {
        within("hinge", tilt(world, "hinge", DVec3::Z), 0.0, 0.2);
        within("rigid", turned(body(world, "rigid").rotation()), 0.0, 0.2);
    });
    assert!(scene.world.time() > 1.0);
    let [_, ball] = range("discrepancy", |world| tilt(world, "ball", DVec3::Z));
    assert!(ball > 10.0, "{ball}");
    let [_, swing] = range("discrepancy", |world| turned(body(world, "hinge").rotation()));
    assert!(swing > 60.0, "{swing}");
    let scene = watch("discrepancy_motor", |_| {});
    within("fan", body(&scene.world, "fan").angular_velocity().z, 3.999, 4.001);
    within("turned", angle(&scene.world, "motor"), 4.0 * scene.duration - 0.05, 4.0 * scene.duration + 0.05);
}
