//! Rolling.

use super::findings::{Findings, within};
use super::lab::Lab;
use super::{Cost, EXACT, Problem, Trouble, reference_scene};

const G: f64 = 9.81;
const R: f64 = 0.1;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "sphere_slide_to_roll",
        about: "a ball pushed off without spin slides until it rolls",
        cost: Cost::Quick,
        measure: slide_to_roll,
    },
    Problem {
        name: "rolling_down_incline",
        about: "ball, cylinder, hollow ball and hoop on a slope of 30°",
        cost: Cost::Quick,
        measure: down_slope,
    },
    Problem {
        name: "rolling_resistance_sphere",
        about: "a ball rolls to a stop",
        cost: Cost::Quick,
        measure: resistance,
    },
];

/// Rolls from t = 2 v₀/(7 μ g) on, with 5/7 v₀, after 12 v₀²/(49 μ g).
fn slide_to_roll(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let (v0, mu) = (7.0, 0.3);
    let mut trial = lab.scene(reference_scene!("sphere_slide_to_roll"))?;
    let start = trial.energy();
    let (mut rolling, mut gripped) = (None, None);
    trial.watch(trial.scene.duration, |trial| {
        if lab.conditions().is_accurate() && gripped.is_none() {
            gripped = trial.scene.world.events().grips.first().map(|event| event.time);
        }
        let (v, omega) = (trial.velocity("ball")?.x, trial.angular_velocity("ball")?.z);
        if rolling.is_none() && v + omega * R < 1e-9 {
            rolling = Some((trial.time(), trial.position("ball")?.x));
        }
        Ok(())
    })?;
    let mut rolls = rolling;
    if let Some(time) = gripped {
        // A method that knows the moment: where the ball is then.
        let mut again = lab.scene(reference_scene!("sphere_slide_to_roll"))?;
        again.run_to(time)?;
        rolls = Some((time, again.position("ball")?.x));
    }
    let (time, way) = rolls.ok_or("the ball never rolls")?;
    let (exact_time, v) = (2.0 * v0 / (7.0 * mu * G), 5.0 / 7.0 * v0);
    let exact_way = 12.0 * v0 * v0 / (49.0 * mu * G);
    let dt = trial.scene.dt;
    found.relative("speed in the end, m/s", trial.velocity("ball")?.x, v, within(1e-9, EXACT));
    // That it rolls is seen at the end of a step.
    found.absolute("moment from which it rolls, s", time, exact_time, within(1e-9 * exact_time, dt));
    found.absolute("way until it rolls, m", way, exact_way, within(1e-9, dt * v));
    // In the step in which sliding ends the force is as if it ended at one of its ends: off by up to (μ g h) h.
    let exact = exact_way + v * (3.0 - exact_time);
    found.relative("place after 3 s, m", trial.position("ball")?.x, exact, within(1e-9, mu * G * dt * dt));
    let lost = 1.0 - trial.energy() / start;
    // The potential energy of a ball that lies is 0.981 J of 25.481 J and stays.
    found.relative("share of the energy lost", lost, 2.0 / 7.0 * 24.5 / (24.5 + G * R), within(1e-9, EXACT));
    Ok(())
}

/// a = g sin θ/(1 + k) with the moment of inertia k m R²; rolls if μ ≥ tan θ k/(1 + k).
fn down_slope(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let text = reference_scene!("rolling_down_incline");
    let mut trial = lab.scene(text)?;
    trial.scene.dt = lab.either(0.1, trial.scene.dt);
    trial.run()?;
    for (name, k) in [("sphere", 0.4), ("cylinder", 0.5), ("shell", 2.0 / 3.0), ("hoop", 1.0)] {
        let a = 0.5 * G / (1.0 + k);
        let within_exact = within(1e-10, EXACT);
        found.relative(format!("{name}: acceleration, m/s²"), trial.velocity(name)?.x / 2.0, a, within_exact);
        found.relative(format!("{name}: way in 2 s, m"), trial.position(name)?.x, 2.0 * a, within_exact);
        let slips = |mu: f64| -> Result<bool, Trouble> {
            let mut trial = lab.scene_with(text, &[format!("materials.rough.friction={mu:?}")])?;
            trial.scene.dt = lab.either(0.1, trial.scene.dt);
            trial.run_to(0.2)?;
            let rolled = -trial.angular_velocity(name)?.z * R / trial.velocity(name)?.x;
            Ok(rolled < 1.0 - lab.either(1e-11, 1e-8))
        };
        let exact = k / (1.0 + k) / 3.0_f64.sqrt();
        let least = lab.threshold([0.1, 0.4], |mu| Ok(!slips(mu)?))?;
        // In steps as far as the threshold is looked for, and slipping is told from rolling.
        found.relative(format!("{name}: least friction for rolling"), least, exact, within(1e-10, 1e-5));
    }
    Ok(())
}

/// A lever arm c R slows a ball by 5/7 c g, to a stop after v₀/a and v₀²/2a.
fn resistance(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let a = 5.0 / 7.0 * 0.01 * G;
    let mut trial = lab.scene(reference_scene!("rolling_resistance_sphere"))?;
    trial.run_to(10.0)?;
    let slowed = (1.0 - trial.velocity("ball")?.x) / 10.0;
    found.relative("deceleration, m/s²", slowed, a, within(1e-9, EXACT));
    let mut stopped = None;
    trial.watch(trial.scene.duration, |trial| {
        if stopped.is_none() && trial.velocity("ball")?.x < 1e-9 {
            stopped = Some(trial.time());
        }
        Ok(())
    })?;
    let seen = stopped.ok_or("the ball never stops")?;
    // A method that is exact within a step: from the speed before.
    let mut before = lab.scene(reference_scene!("rolling_resistance_sphere"))?;
    before.run_to(14.0)?;
    let from_before = 14.0 + before.velocity("ball")?.x / slowed;
    let time = if lab.conditions().is_accurate() { from_before } else { seen };
    // That it has stopped is seen at the end of a step; the way is off by a (h)².
    found.absolute("moment at which it stops, s", time, 1.0 / a, within(1e-9, trial.scene.dt));
    found.relative("way until then, m", trial.position("ball")?.x, 0.5 / a, within(1e-9, 1e-6));
    found.absolute("speed afterwards, m/s", trial.velocity("ball")?.x, 0.0, within(1e-12, EXACT));
    Ok(())
}
