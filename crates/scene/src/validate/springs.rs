//! Springs with damping, as forces and as soft joints.

use super::findings::{Findings, Worst, within};
use super::lab::{Lab, Trial};
use super::{Cost, Problem, SMOOTH, Trouble, reference_scene};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "spring_mass_damper_zeta0",
        about: "a mass on a spring without damping",
        cost: Cost::Quick,
        measure: |lab, found| spring(lab, found, 0.0),
    },
    Problem {
        name: "spring_mass_damper_zeta0.1",
        about: "a mass on a spring with a tenth of the critical damping",
        cost: Cost::Quick,
        measure: |lab, found| spring(lab, found, 0.1),
    },
    Problem {
        name: "spring_mass_damper_zeta1",
        about: "a mass on a spring with critical damping",
        cost: Cost::Quick,
        measure: |lab, found| spring(lab, found, 1.0),
    },
    Problem {
        name: "soft_constraint_5Hz_z0.3",
        about: "a mass on a soft joint: sag, frequency, decay",
        cost: Cost::Quick,
        measure: soft_joint,
    },
];

/// What starts at 1 at rest and swings about 0: e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t), ω_d = ω √(1 − ζ²).
fn decaying(omega: f64, zeta: f64, t: f64) -> f64 {
    let decay = libm::exp(-zeta * omega * t);
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    if damped == 0.0 {
        return decay * (1.0 + omega * t);
    }
    decay * (libm::cos(damped * t) + zeta * omega / damped * libm::sin(damped * t))
}

fn spring(lab: &Lab, found: &mut Findings, zeta: f64) -> Result<(), Trouble> {
    let settings = [format!("joints.spring.spring.damping={:?}", 20.0 * zeta)];
    let mut trial = lab.scene_with(reference_scene!("spring_mass_damper"), &settings)?;
    let mut worst = Worst::default();
    for time in [0.1, 0.5, 1.0, 2.0] {
        trial.run_to(time)?;
        worst.see(format!("{time} s"), trial.position("mass")?.x, decaying(10.0, zeta, time));
    }
    found.worst("place, m", worst, within(1e-12, SMOOTH));
    Ok(())
}

/// About the place where it comes to rest, g/ω² down, the mass swings as [`decaying`] says.
fn soft_joint(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let (omega, zeta): (f64, f64) = (TAU * 5.0, 0.3);
    let (sag, damped) = (G / (omega * omega), omega * (1.0 - zeta * zeta).sqrt());
    let mut trial = lab.scene(reference_scene!("soft_constraint_5Hz_z0.3"))?;
    // In sags, from where it comes to rest: it starts at 1.
    let (mut passages, mut lowest, mut highest, mut at_tenth) = (Vec::new(), 0.0_f64, 0.0_f64, 0.0);
    let mut before: (f64, f64) = (0.0, 1.0);
    trial.watch(0.6, |trial| {
        let now = (trial.time(), 1.0 + (trial.position("mass")?.y + 1.0) / sag);
        if before.1.signum() != now.1.signum() {
            passages.push(before.0 + (now.0 - before.0) * before.1 / (before.1 - now.1));
        }
        match passages.len() {
            1 => lowest = lowest.min(now.1),
            2 => highest = highest.max(now.1),
            _ => {}
        }
        if (now.0 - 0.1).abs() < 0.5 * trial.scene.dt {
            at_tenth = trial.position("mass")?.y + 1.0;
        }
        before = now;
        Ok(())
    })?;
    if lab.conditions().is_accurate() {
        (passages, lowest, highest) = exact_moments(lab, sag)?;
    }
    let half_period = super::lab::mean_period(passages.get(..5).unwrap_or(&[]));
    trial.run_to(lab.either(2.0, 1.0) * trial.scene.duration)?;
    let sunk = -(trial.position("mass")?.y + 1.0);
    // Over half a period it decays to e^(−πζ/√(1 − ζ²)).
    let decrement = PI * zeta / (1.0 - zeta * zeta).sqrt();
    let tolerance = within(1e-9, SMOOTH);
    found.relative("sag, m", sunk, sag, tolerance);
    found.relative("stiffness m g/sag, N/m", 2.0 * G / sunk, 2.0 * omega * omega, tolerance);
    found.relative("frequency, Hz", 0.5 / half_period, damped / TAU, tolerance);
    found.relative("overshoot, in sags", -lowest, libm::exp(-decrement), tolerance);
    let log_decrement = -2.0 * libm::log(highest / -lowest);
    found.relative("logarithmic decrement", log_decrement, 2.0 * decrement, tolerance);
    // c = 2 m ζω, from the decay over a period.
    let damping = 2.0 * 2.0 * log_decrement / (2.0 * half_period);
    found.relative("damping, N s/m", damping, 2.0 * 2.0 * zeta * omega, tolerance);
    found.relative("place after 0.1 s, m", at_tenth, sag * (decaying(omega, zeta, 0.1) - 1.0), tolerance);
    Ok(())
}

/// When the mass passes the place where it comes to rest, and its lowest and highest place, in sags from there: by interpolation between
/// samples, and by a look at the very moments at which it turns.
fn exact_moments(lab: &Lab, sag: f64) -> Result<(Vec<f64>, f64, f64), Trouble> {
    let text = reference_scene!("soft_constraint_5Hz_z0.3");
    let place = |trial: &Trial| -> Result<f64, Trouble> { Ok(1.0 + (trial.position("mass")?.y + 1.0) / sag) };
    let mut passages = lab.scene(text)?.rises(0.6, place)?;
    passages.extend(lab.scene(text)?.rises(0.6, |trial| Ok(-place(trial)?))?);
    passages.sort_by(f64::total_cmp);
    let turn = |sign: f64| -> Result<f64, Trouble> {
        let turns = lab.scene(text)?.rises(0.3, |trial| Ok(sign * trial.velocity("mass")?.y))?;
        let mut trial = lab.scene(text)?;
        trial.run_to(turns.first().copied().unwrap_or(0.0))?;
        place(&trial)
    };
    Ok((passages, turn(1.0)?, turn(-1.0)?))
}
