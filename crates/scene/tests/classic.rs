//! The scenes of the classic methods do what their documents show, and every method runs them or says why not.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail, and tells what it measured"
)]

use glam::DVec3;
use tumble_dynamics::{StepError, World};
use tumble_scene::gallery::{SCENES, find};
use tumble_scene::{Loader, Scene};

fn load(name: &str, settings: &[&str]) -> Scene {
    let loader = settings.iter().fold(Loader::new(), |loader, setting| loader.with_setting(*setting));
    find(name).unwrap().load(&loader).unwrap_or_else(|report| panic!("{report}"))
}

fn run(scene: &mut Scene, seconds: f64, mut look: impl FnMut(&World)) {
    while scene.world.time() + 1e-3 * scene.dt < seconds {
        scene.world.step(scene.dt).unwrap();
        look(&scene.world);
    }
    assert!(scene.world.bodies().all(|(_, body)| body.state().is_finite()));
}

/// How far the pins and angle limits of the rag-doll are off at most, in metres and degrees.
fn rag_doll(iterations: u32) -> (f64, f64) {
    let mut scene = load("classic/rag-doll", &[&format!("method.verlet.iterations={iterations}")]);
    let (mut pins, mut angles) = (0.0_f64, 0.0_f64);
    run(&mut scene, 6.0, |world| {
        for (_, joint) in world.joints() {
            let worst = if joint.model().name.ends_with("_pin") { &mut pins } else { &mut angles };
            *worst = worst.max(joint.error());
        }
    });
    let lowest = scene.world.bodies().map(|(_, body)| body.position().y).fold(f64::INFINITY, f64::min);
    assert!(lowest > -0.6, "nothing falls through: {lowest}");
    (pins, angles.to_degrees())
}

/// B 11: eighteen bodies, seventeen pins and seventeen angles at 30 Hz; two iterations hold them within 2 cm and 5°, more hold them better.
#[test]
fn the_rag_doll_of_the_document_holds_together() {
    let scene = load("classic/rag-doll", &[]);
    let masses: Vec<f64> = scene.world.bodies().map(|(_, body)| body.mass()).filter(|&mass| mass > 0.0).collect();
    let mass: f64 = masses.iter().sum();
    assert_eq!((masses.len(), scene.world.model().joints().len()), (18, 34));
    assert!((mass - 4.0 * 14.5939).abs() < 1e-3, "{mass}");
    let (few, many) = (rag_doll(2), rag_doll(8));
    println!("2 iterations: {:.4} m, {:.2}°; 8 iterations: {:.4} m, {:.2}°", few.0, few.1, many.0, many.1);
    assert!(few.0 < 0.02 && few.1 < 5.0, "{few:?}");
    assert!(many.0 < few.0 && many.1 < few.1 + 0.1, "{few:?} {many:?}");
}

#[test]
fn ropes_cloth_jelly_and_water_stay_together() {
    for (name, seconds) in
        [("classic/rope", 4.0), ("classic/cloth", 1.5), ("classic/jelly", 3.0), ("classic/water", 2.0)]
    {
        let mut scene = load(name, &[]);
        let mut fastest = 0.0_f64;
        run(&mut scene, seconds, |world| {
            fastest = world.bodies().map(|(_, body)| body.velocity().length()).fold(fastest, f64::max);
        });
        let worst = scene.world.joints().map(|(_, joint)| joint.error()).fold(0.0, f64::max);
        println!("{name}: at most {fastest:.2} m/s, rods off by {worst:.4} m");
        assert!(fastest < 12.0 && worst < 0.15, "{name}: {fastest} m/s, {worst} m");
        assert!(scene.world.bodies().all(|(_, body)| body.position().length() < 20.0), "{name}");
    }
}

/// The deepest overlap that contacts of the last step show, in metres.
fn deepest(world: &World) -> f64 {
    world
        .contacts()
        .flat_map(|contact| contact.points().map(|point| -point.gap).collect::<Vec<_>>())
        .fold(0.0, f64::max)
}

/// H's scenes run to their ends without explosion, at their frames, and bodies that are about half a metre across overlap by less than a
/// centimetre.
#[test]
fn scenes_of_impacts_run_without_explosion() {
    for name in ["classic/cars", "classic/stacks", "classic/rocket", "classic/tops", "classic/chain"] {
        let mut scene = load(name, &[]);
        let start = scene.world.energy().total();
        let (mut deep, mut energy) = (0.0_f64, f64::NEG_INFINITY);
        let seconds = scene.duration.min(10.0);
        run(&mut scene, seconds, |world| {
            deep = deep.max(deepest(world));
            energy = energy.max(world.energy().total());
        });
        println!("{name}: {:.1} mm deep, energy from {start:.1} J to at most {energy:.1} J", 1e3 * deep);
        assert!(scene.world.bodies().all(|(_, body)| body.position().length() < 100.0), "{name}");
        assert!(deep < 0.01, "{name}: {deep} m deep");
    }
}

#[test]
fn slow_tops_stay_up_if_their_inertia_is_enlarged() {
    let mut scene = load("classic/tops", &[]);
    run(&mut scene, 6.0, |_| {});
    let upright =
        |name: &str| (scene.world.body(scene.world.body_named(name).unwrap()).unwrap().rotation() * DVec3::Y).y;
    println!("{} {} {}", upright("enlarged"), upright("usual"), upright("larger"));
    assert!(upright("enlarged") > 0.8 && upright("larger") > 0.8 && upright("usual") < 0.8);
}

/// Every method takes a few steps of every classic scene, or says what it cannot do and who can.
#[test]
fn every_method_runs_every_scene_or_says_why_not() {
    for entry in SCENES.iter().filter(|entry| entry.group == "classic") {
        for method in ["retroactive", "realtime", "verlet", "impact", "penalty", "advancing"] {
            if ["classic/cloth", "classic/water"].contains(&entry.name) && method != "verlet" && method != "impact" {
                // Thousands of rods: what others take minutes for.
                continue;
            }
            let setting = format!("method={method}");
            let mut scene = load(entry.name, &[&setting]);
            for _ in 0..2 {
                match scene.world.step(scene.dt) {
                    Ok(()) => {}
                    Err(error @ StepError::Cannot { .. }) => {
                        let text = error.to_string();
                        assert!(text.contains(method) && text.ends_with(" can"), "{text}");
                        break;
                    }
                    Err(error) => panic!("{} with {method}: {error}", entry.name),
                }
            }
        }
    }
}
