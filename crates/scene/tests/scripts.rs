//! Scripts of a scene file: velocities and accelerations are the derivatives of the poses, exactly, from the start on.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use glam::DVec3;
use std::sync::Arc;
use tumble_dynamics::geometry::Transform;
use tumble_dynamics::geometry::math::rotation_vector;
use tumble_dynamics::model::{BodyKind, Script};
use tumble_scene::{Loader, Scene};

#[track_caller]
fn load(text: &str) -> Scene {
    match Loader::new().load_text("scene.toml", text) {
        Ok(scene) => scene,
        Err(report) => panic!("{report}"),
    }
}

fn script(scene: &Scene, name: &str) -> Arc<dyn Script> {
    let id = scene.world.body_named(name).unwrap();
    match &scene.world.model().bodies().get(id).unwrap().kind {
        BodyKind::Scripted(script) => script.clone(),
        kind => panic!("{kind:?}"),
    }
}

/// A script of which only the poses are known, which is differentiated.
#[derive(Debug)]
struct PosesOf(Arc<dyn Script>);

impl Script for PosesOf {
    fn pose(&self, time: f64) -> Transform {
        self.0.pose(time)
    }

    fn next_break(&self, after: f64) -> Option<f64> {
        self.0.next_break(after)
    }
}

/// A plate swings by 0.1 m sin 15 t: after 0.1 s its velocity is 1.5 cos 1.5 m/s, in the first row of the table 1.5 m/s.
#[test]
fn a_plate_has_the_velocity_of_its_swing() {
    let mut scene = load(
        "title = 'Velocity of a script'\nduration = 0.1\ndt = 0.0001\n[bodies.plate]\nshape.box.size = [1, 0.1, 1]\n\
         script.swing = { amplitude = [0, 0.1, 0], period = 0.41887902047863906 }\n",
    );
    let plate = scene.world.body_named("plate").unwrap();
    let velocity = |scene: &Scene| scene.world.body(plate).unwrap().velocity();
    assert!((velocity(&scene) - DVec3::Y * 1.5).length() < 1e-14, "{}", velocity(&scene));
    for _ in 0..1000 {
        scene.world.step(scene.dt).unwrap();
    }
    let exact = 1.5 * libm::cos(15.0 * scene.world.time());
    assert!((exact - 0.106_105_803).abs() < 1e-9);
    assert!((velocity(&scene) - DVec3::Y * exact).length() < 1e-14, "{}", velocity(&scene));
}

/// Every kind of path, alone and as a copy within a turned instance.
#[test]
fn motions_are_the_derivatives_of_poses() {
    let frames = "[{ time = 0.1, position = [0, 0, 0] }, \
         { time = 0.5, position = [1, 2, 0], rotation.y_deg = 100 }, \
         { time = 0.7, position = [1, 2, 3], rotation = { axis = [1, 2, 3], angle_deg = -170 } }, \
         { time = 1.3, position = [0, -1, 3] }]";
    let paths = [
        "turn = { rate = 7, axis = [1, 2, -1] }".to_owned(),
        "turn = { rate = -9, axis = [0, 2, 1], about = [1, 0.5, 0] }".to_owned(),
        "swing = { amplitude = [0.3, 1, -0.5], period = 0.7, phase_deg = 30 }".to_owned(),
        format!("key_frames = {{ frames = {frames} }}"),
        format!("key_frames = {{ frames = {frames}, again = true }}"),
    ];
    let mut random = fastrand::Rng::with_seed(5);
    for path in paths {
        let body =
            format!("{{ shape.box.size = [1, 1, 1], position = [0.2, 0.1, 0.4], rotation.x_deg = 20, script.{path} }}");
        let scene = load(&format!(
            "title = 'Paths'\n[bodies]\nalone = {body}\n[templates.part]\nbodies.copied = {body}\n\
             [instances.many]\ntemplate = 'part'\nposition = [1, 2, 3]\nrotation.z_deg = 50\n\
             repeat.ring = {{ count = 3, radius = 2 }}\n"
        ));
        for name in ["alone", "many/1/copied"] {
            let script = script(&scene, name);
            let poses = PosesOf(script.clone());
            for _ in 0..300 {
                let time = 2.0 * random.f64();
                let (exact, measured) = (script.motion(time), poses.motion(time));
                assert_eq!(exact.pose, script.pose(time));
                let close = |a: DVec3, b: DVec3, tolerance: f64| (a - b).length() < tolerance * (1.0 + a.length());
                let fits = close(exact.velocity, measured.velocity, 1e-10)
                    && close(exact.angular_velocity, measured.angular_velocity, 1e-10)
                    && close(exact.acceleration, measured.acceleration, 1e-7)
                    && close(exact.angular_acceleration, measured.angular_acceleration, 1e-7);
                assert!(fits, "{path} {name} at {time}: {exact:?}, by differences {measured:?}");
            }
        }
    }
}

/// Between breaks poses are smooth; a break is where the next piece begins, and there the motion is that of the next piece.
#[test]
fn breaks_are_where_motions_jump() {
    let scene = load(
        "title = 'Lift'\n[bodies.lift]\nshape.box.size = [1, 1, 1]\nscript.key_frames.frames = \
         [{ time = 1, position = [0, 0, 0] }, { time = 2, position = [0, 3, 0], rotation.y_deg = 90 }]\n",
    );
    let lift = script(&scene, "lift");
    assert_eq!(
        [-1.0, 0.0, 1.0, 1.5, 2.0].map(|time| lift.next_break(time)),
        [Some(1.0), Some(1.0), Some(2.0), Some(2.0), None]
    );
    // 3u² − 2u³ starts with the second derivative 6 and ends with −6, 3 m and π/2 times.
    let starts = lift.motion(1.0);
    assert!((starts.acceleration - DVec3::Y * 18.0).length() < 1e-12 && starts.velocity == DVec3::ZERO);
    assert!((starts.angular_acceleration.y - 3.0 * std::f64::consts::PI).abs() < 1e-12);
    let ends = lift.motion(2.0);
    assert_eq!((ends.acceleration, ends.angular_acceleration), (DVec3::ZERO, DVec3::ZERO));
    assert!((rotation_vector(ends.pose.rotation).y - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
}
