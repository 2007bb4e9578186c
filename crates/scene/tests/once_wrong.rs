//! Scenes that once went wrong, in the form in which they were found, with what they have to do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use glam::DVec3;
use tumble_dynamics::{BodyState, Id};
use tumble_scene::{Loader, Scene};

#[track_caller]
fn load(text: &str) -> Scene {
    // As it was found: with the reference method, whatever the default is.
    let loader = Loader::new();
    let loader = if text.contains("method.") { loader } else { loader.with_setting("method='retroactive'") };
    loader.load_text("scene.toml", text).unwrap_or_else(|report| panic!("{report}"))
}

fn state(scene: &Scene, name: &str) -> BodyState {
    scene.world.state().bodies[scene.world.body_named(name).unwrap().slot()]
}

/// Steps to the end of the scene, with a look at it after every step.
fn run(scene: &mut Scene, mut look: impl FnMut(&Scene)) {
    for _ in 0..(scene.duration / scene.dt).round() as usize {
        scene.world.step(scene.dt).unwrap();
        look(scene);
    }
}

/// A ball that loses half of its speed whenever it hits the floor lies still after √(2h/g) (1 + e)/(1 − e) = 1.355 s. It hopped for
/// ever, 12 µm high, at 7 mm/s: it left at e times the speed it would have had at the floor, but from above it.
#[test]
fn a_ball_comes_to_rest() {
    let mut scene = load(
        "title = 'Bouncing ball'\nduration = 3\ndt = 0.0001\n[materials.ball]\nrestitution = 0.5\n\
         [bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\nmaterial = 'ball'\n\
         [bodies.ball]\nsleep = false\nshape.sphere.radius = 0.1\nposition = [0, 1.1, 0]\nmass = 1\nmaterial = 'ball'\n\
         [method.retroactive.settings]\nrestitution_threshold = 0.001\n",
    );
    let mut fastest = 0.0_f64;
    run(&mut scene, |scene| {
        let ball = state(scene, "ball");
        if scene.world.time() > 1.5 {
            fastest = fastest.max(ball.velocity.length());
            assert!((ball.position.y - 0.1).abs() < 1e-5, "at {} s: {}", scene.world.time(), ball.position.y);
        }
    });
    assert!(fastest < 1e-9, "{fastest} m/s");
}

/// Two hinges, across each other, on a body of a milligram between two of a kilogram: the second opened by 9° without a word.
#[test]
fn a_light_body_between_hinges_holds() {
    holds(
        "title = 'Light body between hinges'\nduration = 1\ndt = 0.001\ngravity = [0, 0, 0]\nfilter.default = 'ignore'\n\
         [bodies.a]\nangular_velocity = [3, 1, 0]\nposition = [-0.5, 0, 0]\nmass_properties = { mass = 1, inertia = [0.1, 0.1, 0.1] }\n\
         [bodies.light]\nmass_properties = { mass = 1e-6, inertia = [1e-9, 1e-9, 1e-9] }\n\
         [bodies.b]\nposition = [0.5, 0, 0]\nvelocity = [0, 0, 1]\nmass_properties = { mass = 1, inertia = [0.1, 0.1, 0.1] }\n\
         [joints.first]\nbetween = ['a', 'light']\nhinge = { anchor = [0, 0, 0], axis = [1, 0, 0] }\n\
         [joints.second]\nbetween = ['light', 'b']\nhinge = { anchor = [0, 0, 0], axis = [0, 1, 0] }\n",
    );
}

/// A falling cat: two halves turned against each other by motors, and a cross of a microgram in between. It came apart by 120°.
#[test]
fn a_cat_with_a_light_spine_holds() {
    holds(
        "title = 'Falling cat'\nduration = 1\ndt = 0.001\ngravity = [0, 0, 0]\nfilter.default = 'ignore'\n\
         [bodies.lower]\nsleep = false\nposition = [0.125, 0, -0.21650635094610968]\n\
         rotation = { quaternion = [0, -0.25881904510252074, 0, 0.9659258262890683] }\n\
         angular_velocity = [3.141592653589793, 0, -2.6024077834664863]\n\
         mass_properties = { mass = 1, inertia = [0.023333333333333334, 0.023333333333333334, 0.005] }\n\
         [bodies.upper]\nsleep = false\nposition = [0.125, 0, 0.21650635094610968]\n\
         rotation = { quaternion = [0, 0.25881904510252074, 0, 0.9659258262890683] }\n\
         angular_velocity = [-3.141592653589793, 0, -2.6024077834664863]\n\
         mass_properties = { mass = 1, inertia = [0.023333333333333334, 0.023333333333333334, 0.005] }\n\
         [bodies.cross]\nsleep = false\nangular_velocity = [0, 0, 2.8389903092361677]\nvelocity = [0, -0.3548737886545209, 0]\n\
         mass_properties = { mass = 1e-9, inertia = [1e-11, 1e-11, 1e-11] }\n\
         [joints.first]\nbetween = ['lower', 'cross']\n\
         hinge = { anchor = [0, 0, 0], axis = [-0.5, 0, 0.8660254037844387], turn.motor.speed = 6.283185307179586 }\n\
         [joints.second]\nbetween = ['cross', 'upper']\n\
         hinge = { anchor = [0, 0, 0], axis = [0.5, 0, 0.8660254037844387], turn.motor.speed = -6.283185307179586 }\n",
    );
}

/// No joint opens by more than 1e-6 m or rad.
#[track_caller]
fn holds(text: &str) {
    let mut scene = load(text);
    let mut worst = 0.0_f64;
    run(&mut scene, |scene| {
        worst = scene.world.joints().map(|(_, joint)| joint.error()).fold(worst, f64::max);
    });
    assert!(worst < 1e-6, "opens by {worst}");
}

/// A plate on y = A sin(ωt) has the velocity A ω cos(ωt). It was a difference over 2 ms, and 0 at first.
#[test]
fn a_script_tells_its_velocity() {
    let mut scene = load(
        "title = 'Velocity of a script'\nduration = 0.1\ndt = 0.0001\n\
         [bodies.plate]\nshape.box.size = [1, 0.1, 1]\nscript.swing = { amplitude = [0, 0.1, 0], period = 0.41887902047863906 }\n",
    );
    let exact = |time: f64| DVec3::Y * (0.1 * 15.0 * libm::cos(15.0 * time));
    assert!((state(&scene, "plate").velocity - exact(0.0)).length() < 1e-12);
    run(&mut scene, |scene| {
        let error = (state(scene, "plate").velocity - exact(scene.world.time())).length();
        assert!(error < 1e-11, "off by {error} m/s at {} s", scene.world.time());
    });
}

/// A body that turns about two axes, the third locked, keeps its energy past a quarter turn. It had 8e7 J in the end.
#[test]
fn six_axes_make_no_energy() {
    let mut scene = load(
        "title = 'Six axes'\nduration = 10\ngravity = [0, 0, 0]\n\
         [bodies.b]\nshape.box.size = [0.6, 0.5, 0.4]\nangular_velocity = [0.3, 3, 0]\n\
         [joints.j]\nbetween = ['world', 'b']\nsix_axes.anchor = [0, 0, 0]\nsix_axes.turn = [{}, {}, { min_deg = 0, max_deg = 0 }]\n",
    );
    let start = scene.world.energy().kinetic;
    run(&mut scene, |scene| {
        let kept = scene.world.energy().kinetic / start;
        assert!((kept - 1.0).abs() < 1e-2, "{kept} of the energy at {} s", scene.world.time());
    });
}
