//! Bodies that nothing touches, and a gyroscope on a nail.

use super::elliptic::{complete, functions, integral};
use super::findings::{Findings, Worst, within};
use super::lab::{Lab, mean_period};
use super::{Cost, EXACT, Problem, SMOOTH, Trouble, reference_scene};
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "projectile_exact",
        about: "a spinning ball follows the parabola",
        cost: Cost::Quick,
        measure: projectile,
    },
    Problem {
        name: "free_top_generic",
        about: "a body with three different moments of inertia turns freely",
        cost: Cost::Quick,
        measure: free_top,
    },
    Problem {
        name: "gyroscope_steady_precession",
        about: "steady precession of a fast disc, slow and fast, at four angles",
        cost: Cost::Quick,
        measure: gyroscope,
    },
];

/// x = v t + ½ g t².
fn projectile(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut trial = lab.scene(reference_scene!("projectile_exact"))?;
    // Each step rounds; one with error control needs but one.
    trial.scene.dt = lab.either(trial.scene.duration, trial.scene.dt);
    trial.run()?;
    let t = 1.2345;
    let exact = DVec3::new(3.0, 7.0, 11.0) * t - DVec3::Y * (0.5 * 9.81 * t * t);
    let mut worst = Worst::default();
    let place = trial.position("ball")?;
    ["x", "y", "z"].into_iter().enumerate().for_each(|(axis, name)| worst.see(name, place[axis], exact[axis]));
    found.worst("place after 1.2345 s, m", worst, within(1e-14, EXACT));
    Ok(())
}

/// With the moments 1, 2, 3 and ω = (1, 1, 1) Euler's equations keep ω₁² + ω₂² = 2 and 3 ω₃² + ω₂² = 4. So
/// ω = (√2 cn, √2 sn, 2/√3 dn) of p t + F(π/4) with p = 2/√3 and the parameter ½.
fn free_top(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let (p, m) = (2.0 / 3.0_f64.sqrt(), 0.5);
    let start = integral([0.0, PI / 4.0], |phi| 1.0 / (1.0 - m * libm::sin(phi) * libm::sin(phi)).sqrt());
    let mut trial = lab.scene(reference_scene!("free_top_generic"))?;
    let mut worst = Worst::default();
    let (momentum, energy) = (14.0_f64.sqrt(), 3.0);
    let (mut momentum_off, mut energy_off): (f64, f64) = (0.0, 0.0);
    for (time, name) in [(1.0, "1 s"), (2.0, "2 s"), (5.0, "5 s"), (10.0, "10 s")] {
        trial.run_to(time)?;
        let top = trial.body("top")?;
        let omega = top.rotation().conjugate() * top.angular_velocity();
        let [sn, cn, dn] = functions(p * time + start, m);
        let exact = DVec3::new(2.0_f64.sqrt() * cn, 2.0_f64.sqrt() * sn, p * dn);
        for axis in 0..3 {
            worst.see(format!("ω{} at {name}", axis + 1), omega[axis], exact[axis]);
        }
        momentum_off = momentum_off.max((top.spin().length() / momentum - 1.0).abs());
        energy_off = energy_off.max((top.kinetic_energy() / energy - 1.0).abs());
    }
    found.worst("angular velocity in the body, rad/s", worst, within(1e-9, SMOOTH));
    // Integrated elsewhere to more digits than a double has; a quaternion and its negative are the same rotation.
    let exact = DQuat::from_xyzw(
        -0.314_335_145_144_605_37,
        0.049_429_631_279_299_724,
        0.827_527_548_484_413_8,
        0.462_545_440_554_642_7,
    );
    let turned = trial.body("top")?.rotation();
    let turned = if turned.dot(exact) < 0.0 { -turned } else { turned };
    let mut worst = Worst::default();
    let (measured, expected) = (turned.to_array(), exact.to_array());
    ["x", "y", "z", "w"].into_iter().enumerate().for_each(|(i, name)| worst.see(name, measured[i], expected[i]));
    found.worst("quaternion after 10 s", worst, within(1e-9, SMOOTH));
    found.absolute("polhode period, s", period_of_top(lab)?, 4.0 * complete(m) / p, within(1e-9, SMOOTH));
    found.absolute("angular momentum, relative change", momentum_off, 0.0, within(1e-13, EXACT));
    found.absolute("energy, relative change", energy_off, 0.0, within(1e-12, SMOOTH));
    Ok(())
}

/// The time between passages of ω₂ through zero, over some turns.
fn period_of_top(lab: &Lab) -> Result<f64, Trouble> {
    let mut trial = lab.scene(reference_scene!("free_top_generic"))?;
    let passages = trial.rises(30.0, |trial| {
        let top = trial.body("top")?;
        Ok((top.rotation().conjugate() * top.angular_velocity()).y)
    })?;
    Ok(mean_period(&passages))
}

/// The axis n of the disc at the angle θ from the vertical goes round steadily at Ω if
/// I₁ cos θ Ω² − I₃ ω₃ Ω + m g l = 0, I₁ about the nail.
fn gyroscope(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let (l, i3, w3) = (0.050_303_794_093_217_93, 0.005, 40.0 * PI);
    let i1 = 0.0025 + l * l;
    for degrees in [30.0_f64, 60.0, 90.0, 120.0] {
        let cos = libm::cos(degrees.to_radians());
        // The slow root is written so that it survives cos θ = 0.
        let root = ((i3 * w3) * (i3 * w3) - 4.0 * i1 * cos * 9.81 * l).sqrt();
        let slow = 2.0 * 9.81 * l / (i3 * w3 + root);
        let (rate, drift) = precession(lab, degrees, slow, &["duration=8".into()])?;
        let name = format!("{degrees}°");
        found.relative(format!("slow precession at {name}: period, s"), TAU / rate, TAU / slow, within(1e-9, SMOOTH));
        found.absolute(format!("slow precession at {name}: change of θ, rad"), drift, 0.0, within(1e-10, SMOOTH));
        if degrees != 90.0 {
            let fast = (i3 * w3 + root) / (2.0 * i1 * cos);
            let settings = ["duration=0.1".into(), "dt=0.00001".into()];
            let (rate, drift) = precession(lab, degrees, fast, &settings)?;
            found.relative(format!("fast precession at {name}: rate, rad/s"), rate, fast, within(1e-9, SMOOTH));
            found.absolute(format!("fast precession at {name}: change of θ, rad"), drift, 0.0, within(1e-10, SMOOTH));
        }
    }
    Ok(())
}

/// The mean rate of precession, and by how much θ changes at most.
fn precession(lab: &Lab, degrees: f64, rate: f64, settings: &[String]) -> Result<(f64, f64), Trouble> {
    let theta = degrees.to_radians();
    let axis = DVec3::new(libm::sin(theta), libm::cos(theta), 0.0);
    let omega = axis * (40.0 * PI - rate * axis.y) + DVec3::Y * rate;
    let mut settings = settings.to_vec();
    settings.push(format!("instances.top.rotation.z_deg={:?}", -degrees));
    settings.push(format!("instances.top.angular_velocity=[{:?}, {:?}, 0.0]", omega.x, omega.y));
    let mut trial = lab.scene_with(reference_scene!("gyroscope_steady_precession"), &settings)?;
    let (mut turned, mut before, mut drift) = (0.0, 0.0, 0.0_f64);
    trial.watch(trial.scene.duration, |trial| {
        let axis = trial.body("top/disc")?.rotation() * DVec3::Y;
        let azimuth = libm::atan2(-axis.z, axis.x);
        turned += libm::remainder(azimuth - before, TAU);
        before = azimuth;
        drift = drift.max((libm::acos(axis.y.clamp(-1.0, 1.0)) - theta).abs());
        Ok(())
    })?;
    Ok((turned / trial.time(), drift))
}
