//! Pendulums of one piece.

use super::elliptic::{complete, functions, integral};
use super::findings::{Findings, Worst, within};
use super::lab::{Lab, mean_period};
use super::{Cost, Problem, SMOOTH, Trouble, reference_scene};

const G: f64 = 9.81;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "physical_pendulum_rod_10deg",
        about: "period of a rod that swings by 10°",
        cost: Cost::Quick,
        measure: |lab, found| rod(lab, found, 10.0),
    },
    Problem {
        name: "physical_pendulum_rod_90deg",
        about: "period of a rod that swings by 90°",
        cost: Cost::Quick,
        measure: |lab, found| rod(lab, found, 90.0),
    },
    Problem {
        name: "iftomm_A01_simple_pendulum",
        about: "a point mass on a rod, let go level: period, and place after 10 s",
        cost: Cost::Quick,
        measure: simple,
    },
    Problem {
        name: "breakable_joint_pendulum",
        about: "a pendulum whose rod breaks at twice its weight",
        cost: Cost::Quick,
        measure: breaking,
    },
];

/// T = 4 K(sin²(θ₀/2))/ω₀ with ω₀² = m g (L/2)/(m L²/3) = 3g/2L.
fn rod(lab: &Lab, found: &mut Findings, degrees: f64) -> Result<(), Trouble> {
    let settings = [format!("instances.p.rotation.z_deg={degrees:?}")];
    let mut trial = lab.scene_with(reference_scene!("physical_pendulum_rod"), &settings)?;
    let passages = trial.rises(trial.scene.duration, |trial| Ok(trial.position("p/rod")?.x))?;
    let k = libm::sin(degrees.to_radians() / 2.0);
    let exact = 4.0 * complete(k * k) / (1.5 * G).sqrt();
    found.relative("period, s", mean_period(&passages), exact, within(1e-9, SMOOTH));
    Ok(())
}

/// sin(θ/2) = k cd(ω₀ t), k = sin 45°.
fn simple(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let text = reference_scene!("iftomm_A01_simple_pendulum");
    let mut trial = lab.scene(text)?;
    trial.run()?;
    let [_, cn, dn] = functions(G.sqrt() * 10.0, 0.5);
    let half_sine = 0.5_f64.sqrt() * cn / dn;
    let bob = trial.position("bob")?;
    let mut worst = Worst::default();
    // x = −sin θ and y = −cos θ by the half angle.
    worst.see("x", bob.x, -2.0 * half_sine * (1.0 - half_sine * half_sine).sqrt());
    worst.see("y", bob.y, 2.0 * half_sine * half_sine - 1.0);
    found.worst("place after 10 s, m", worst, within(1e-9, SMOOTH));
    let passages = lab.scene(text)?.rises(20.0, |trial| Ok(trial.position("bob")?.x))?;
    found.absolute("period, s", mean_period(&passages), 4.0 * complete(0.5) / G.sqrt(), within(1e-9, SMOOTH));
    Ok(())
}

/// The rod pulls with 3 m g sin φ, φ from the level, and breaks at sin φ = 2/3, after ∫ dφ/√(2 g sin φ). Then the mass flies.
fn breaking(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let phi = libm::asin(2.0 / 3.0);
    // With φ = s² the integrand has no pole: 2/√(2 g sin s²/s²).
    let sinc = |x: f64| if x < 1e-8 { 1.0 } else { libm::sin(x) / x };
    let time = integral([0.0, phi.sqrt()], |s| 2.0 / (2.0 * G * sinc(s * s)).sqrt());
    let speed = (4.0 * G / 3.0).sqrt();
    let (x, vx, vy) = (libm::cos(phi), -speed * libm::sin(phi), -speed * libm::cos(phi));
    // From y = −2/3 down to −3.
    let flight = (vy + (vy * vy + 2.0 * G * (3.0 - 2.0 / 3.0)).sqrt()) / G;
    let mut trial = lab.scene(reference_scene!("breakable_joint_pendulum"))?;
    let (mut broken, mut landed, mut before) = (None, None, (0.0, trial.position("bob")?));
    trial.watch(trial.scene.duration, |trial| {
        let now = (trial.time(), trial.position("bob")?);
        if let Some(event) = trial.scene.world.events().broken.first() {
            broken = Some((event.time, now.1, trial.velocity("bob")?));
        }
        if now.1.y <= -3.0 && landed.is_none() {
            let share = (before.1.y + 3.0) / (before.1.y - now.1.y);
            landed = Some((before.0 + share * (now.0 - before.0), before.1.lerp(now.1, share).x));
        }
        before = now;
        Ok(())
    })?;
    let (t, mut place, mut velocity) = broken.ok_or("the rod did not break")?;
    let (mut t_land, mut x_land) = landed.ok_or("the mass did not land")?;
    if lab.conditions().is_accurate() {
        // A method that knows the moments: where the mass is then.
        let mut again = lab.scene(reference_scene!("breakable_joint_pendulum"))?;
        again.run_to(t)?;
        (place, velocity) = (again.position("bob")?, again.velocity("bob")?);
        let falls = again.rises(t_land + 0.05, |trial| Ok(-3.0 - trial.position("bob")?.y))?;
        t_land = falls.first().copied().unwrap_or(f64::NAN);
        let mut again = lab.scene(reference_scene!("breakable_joint_pendulum"))?;
        again.run_to(t_land)?;
        x_land = again.position("bob")?.x;
    }
    // It is noticed at the end of the step: everything is late by up to a step or two. That is 2 dt, times the speed for
    // places, times g for velocities.
    let late = 2.0 * trial.scene.dt;
    found.absolute("time of breaking, s", t, time, within(1e-9, late));
    let mut worst = Worst::default();
    worst.see("x", place.x, x);
    worst.see("y", place.y, -2.0 / 3.0);
    found.worst("place of breaking, m", worst, within(1e-9, late * speed));
    let mut worst = Worst::default();
    worst.see("x", velocity.x, vx);
    worst.see("y", velocity.y, vy);
    found.worst("velocity, m/s", worst, within(1e-9, late * 2.0 * G));
    found.absolute("time of landing, s", t_land, time + flight, within(1e-9, late));
    found.absolute("place of landing, m", x_land, x + vx * flight, within(1e-9, late * 2.0 * speed));
    Ok(())
}
