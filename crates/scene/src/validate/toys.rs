//! Contacts that roll, slide and knock all at once: Euler's disc, the tippe top, dominoes.

use super::findings::{Findings, within};
use super::lab::{Lab, Trial};
use super::{Cost, Problem, SMOOTH, Trouble, reference_scene};
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, TAU};
use tumble_dynamics::event::{ContactEvent, Phase};

const G: f64 = 9.81;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "euler_disk_steady",
        about: "a coin rolls on its rim around a centre that does not move",
        cost: Cost::Quick,
        measure: euler_disc,
    },
    Problem {
        name: "tippe_top",
        about: "a spinning ball with its weight low turns upside down",
        cost: Cost::Quick,
        measure: tippe_top,
    },
    Problem {
        name: "domino_wave_h0.0433_d0.0075_s0.02",
        about: "speed of the wave along small dominoes",
        cost: Cost::Slow,
        measure: |lab, found| {
            let mut trial = lab.scene(reference_scene!("domino_wave_h0.0433_d0.0075_s0.02"))?;
            trial.scene.dt = lab.either(0.01, trial.scene.dt);
            dominoes(
                trial,
                found,
                0.0275,
                [0.244_113_953_624_084_56, 0.975_860_288_441_926, 1.111_582_360_919_556_3],
                1.111_678_835_946_188_9,
            )
        },
    },
    Problem {
        name: "domino_wave_h1_d0.1_s0.5",
        about: "speed of the wave along large dominoes",
        cost: Cost::Slow,
        measure: |lab, found| {
            let mut trial = lab.scene(reference_scene!("domino_wave_h1_d0.1_s0.5"))?;
            trial.scene.dt = lab.either(0.05, trial.scene.dt);
            dominoes(
                trial,
                found,
                0.6,
                [0.804_347_145_799_573, 4.748_552_816_348_898, 5.363_450_043_550_32],
                5.363_864_203_169_419_5,
            )
        },
    },
];

/// The point of contact goes round with Ω² sin α = 4g/a while the centre stays; ω = Ω sin α along the diameter through it.
fn euler_disc(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let a = 0.0375;
    for alpha in [0.5_f64, 0.1, 0.02] {
        // The thinner the coin, the nearer it is to the formula, and the more so the less it leans; the rims of both of its faces have to stay
        // apart.
        let half = lab.either(if alpha < 0.05 { 1e-8 } else { 1e-9 }, 1e-6);
        let (sin, cos) = libm::sincos(alpha);
        let rate = (4.0 * G / (a * sin)).sqrt();
        let omega = rate * sin;
        let settings = [
            format!("bodies.disc.position=[0.0, {:?}, 0.0]", a * sin + half * cos),
            format!("bodies.disc.rotation.z_deg={:?}", -alpha.to_degrees()),
            format!("bodies.disc.angular_velocity=[{:?}, {:?}, 0.0]", -omega * cos, omega * sin),
            format!("dt={:?}", TAU / rate / lab.either(400.0, 40_000.0)),
            format!("bodies.disc.shape.cylinder={{ radius = {a:?}, height = {:?} }}", 2.0 * half),
        ];
        let mut trial = lab.scene_with(reference_scene!("euler_disk_steady"), &settings)?;
        let (mut turned, mut before, mut lean, mut moved) = (0.0, 0.0, 0.0_f64, 0.0_f64);
        // Once around.
        trial.watch(TAU / rate, |trial| {
            let normal = trial.body("disc")?.rotation() * DVec3::Y;
            let azimuth = libm::atan2(-normal.z, normal.x);
            turned += libm::remainder(azimuth - before, TAU);
            before = azimuth;
            let tilt = libm::atan2(libm::hypot(normal.x, normal.z), normal.y);
            lean = lean.max((tilt - alpha).abs());
            let place = trial.position("disc")?;
            moved = moved.max(libm::hypot(place.x, place.z) / a);
            Ok(())
        })?;
        let speed = trial.angular_velocity("disc")?.length();
        let tolerance = within(1e-8, SMOOTH);
        found.relative(format!("α = {alpha}: Ω, rad/s"), turned / trial.time(), rate, tolerance);
        found.relative(format!("α = {alpha}: ω, rad/s"), speed, omega, tolerance);
        found.relative(format!("α = {alpha}: change of α, of α"), 1.0 + lean / alpha, 1.0, tolerance);
        found.absolute(format!("α = {alpha}: centre moves, in radii"), moved, 0.0, tolerance);
    }
    Ok(())
}

/// The inclination of the axis, from the equations of motion with sliding friction, which is smoothed below s = 1 mm/s: μ N v/√(v² + s²);
/// integrated elsewhere. That is what lets the top rise. While it stands, its slow wobble depends on it, too. The method with error control
/// knows that law; the others have Coulomb's.
fn tippe_top(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let smoothed = ["dt=0.002".to_owned(), "method.accurate.friction_smoothing=0.001".to_owned()];
    let settings: &[String] = if lab.conditions().is_accurate() { &smoothed } else { &[] };
    let mut trial = lab.scene_with(reference_scene!("tippe_top"), settings)?;
    let mut upside_down = None;
    let lean = |trial: &Trial| -> Result<f64, Trouble> {
        let axis = trial.body("top")?.rotation() * DVec3::Y;
        Ok(libm::acos(axis.y.clamp(-1.0, 1.0)))
    };
    trial.run_to(0.5)?;
    // For methods that do not smooth, the same equations with friction smoothed below 0.1 mm/s only.
    let [accurate, stepping] = [("", 0.028_620_020_459_211_547), (", hardly smoothed", 0.0311)];
    let (how, expected) = if lab.conditions().is_accurate() { accurate } else { stepping };
    found.relative(format!("inclination after 0.5 s{how}, rad"), lean(&trial)?, expected, within(0.05, 0.05));
    trial.watch(trial.scene.duration, |trial| {
        if upside_down.is_none() && lean(trial)? > FRAC_PI_2 {
            upside_down = Some(trial.time());
        }
        Ok(())
    })?;
    // At the end, if not before.
    let time = upside_down.unwrap_or(trial.time());
    let reason = "the reference smooths friction below 1 mm/s, which lets the top rise; with 0.3 mm/s or less, and here, it does not";
    let tolerance = |known_error| within(0.05, 0.05).not_reached(reason, known_error);
    // 4 s instead of 2.98 s, and nearly upright instead of nearly upside down.
    found.relative("moment at which it lies on its side, s", time, 2.98, tolerance(0.34));
    found.absolute("inclination after 4 s, rad", lean(&trial)?, 2.779_120_779_699_704_6, tolerance(2.75));
    Ok(())
}

/// Each domino turns about its lower front edge, without friction between them and without bouncing. The speed between one
/// first contact and the next, in a model in which all that have fallen keep leaning on each other: of the first interval,
/// the 6th, the 21st, and in the long run.
fn dominoes(
    mut trial: Trial,
    found: &mut Findings,
    pitch: f64,
    [first, sixth, twenty_first]: [f64; 3],
    long_run: f64,
) -> Result<(), Trouble> {
    let mut tiles = vec![trial.id("first/tile")?];
    for index in 0..22 {
        tiles.push(trial.id(&format!("row/{index}/tile"))?);
    }
    let mut contacts = vec![0.0];
    trial.watch(trial.scene.duration, |trial| {
        let events = &trial.scene.world.events().contacts;
        while let Some(pair) = tiles.get(contacts.len() - 1..contacts.len() + 1) {
            let touch =
                |event: &&ContactEvent| event.phase == Phase::Begin && pair.iter().all(|id| event.bodies.contains(id));
            let Some(event) = events.iter().find(touch) else { break };
            contacts.push(event.time);
        }
        Ok(())
    })?;
    let speed = |interval: usize| match contacts.get(interval - 1..=interval) {
        Some(&[from, to]) => pitch / (to - from),
        _ => f64::NAN,
    };
    for (name, interval, exact) in
        [("first", 1, first), ("6th", 6, sixth), ("21st", 21, twenty_first), ("22nd (long run)", 22, long_run)]
    {
        found.relative(format!("speed in the {name} interval, m/s"), speed(interval), exact, within(0.02, 0.02));
    }
    found.absolute("dominoes that were hit", contacts.len() as f64 - 1.0, 22.0, within(0.0, 0.0));
    Ok(())
}
