//! Water, air, and a field that pulls to an axis.

use super::findings::{Findings, Worst, within};
use super::lab::{Lab, mean_period};
use super::{Cost, Problem, SMOOTH, Trouble, reference_scene};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "buoyancy_box",
        about: "a floating cube: draft, heaving, and that it does not stay upright",
        cost: Cost::Quick,
        measure: floating,
    },
    Problem {
        name: "drag_linear",
        about: "falling against drag in proportion to the speed",
        cost: Cost::Quick,
        measure: linear_drag,
    },
    Problem {
        name: "drag_quadratic",
        about: "falling against drag in proportion to the square of the speed",
        cost: Cost::Quick,
        measure: quadratic_drag,
    },
    Problem {
        name: "vortex_centripetal_orbit",
        about: "an orbit in a field that pulls to an axis as a spring does",
        cost: Cost::Quick,
        measure: orbit,
    },
];

/// Draft d = 0.6 h, period 2π √(d/g), and metacentre b²/(12 d) − (h − d)/2 above the centre of mass: below it, so that a tilt
/// φ grows as cosh λt with λ² = −m g GM/I.
fn floating(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let text = reference_scene!("buoyancy_box");
    let level = 0.5 - 0.6;
    let mut trial = lab.scene(text)?;
    let passages = trial.rises(trial.scene.duration, |trial| Ok(trial.position("cube")?.y - (0.5 - 0.6)))?;
    let period = TAU * (0.6_f64 / G).sqrt();
    found.relative("period of heaving, s", mean_period(&passages), period, within(1e-9, SMOOTH));
    // With drag it comes to rest; it is started upright to the last digit, and stays so for long enough.
    let settings = [format!("forces.water.buoyancy.linear_drag={:?}", lab.either(6.0, 2.0))];
    let mut trial = lab.scene_with(text, &settings)?;
    trial.run_to(lab.either(0.5, 1.0) * trial.scene.duration)?;
    found.relative("draft, m", 0.5 - trial.position("cube")?.y, 0.6, within(1e-9, SMOOTH));
    // The metacentre is that of small tilts: this one grows to 2e-5, whose square is no longer seen.
    let tilt: f64 = 1e-6;
    let settings = [
        format!("bodies.cube.position=[0.0, {level:?}, 0.0]"),
        format!("bodies.cube.rotation.z_deg={:?}", tilt.to_degrees()),
    ];
    let mut trial = lab.scene_with(text, &settings)?;
    trial.run_to(2.0)?;
    let up = trial.body("cube")?.rotation() * DVec3::Y;
    let growth = libm::acosh(libm::asin(up.truncate().x.abs()) / tilt) / 2.0;
    // I = m/6.
    found.relative(
        "metacentre above the centre of mass, m",
        -growth * growth / (6.0 * G),
        1.0 / 7.2 - 0.2,
        within(1e-9, SMOOTH),
    );
    Ok(())
}

/// v = v_t (1 − exp(−c t/m)), v_t = m g/c.
fn linear_drag(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let limit = 2.0 * G;
    let speed = |t: f64| limit * (1.0 - libm::exp(-0.5 * t));
    fall(lab, found, [0.5, 0.0], limit, speed(2.0), limit * 2.0 - 2.0 * speed(2.0))
}

/// v = v_t tanh(g t/v_t), y = v_t²/g ln cosh(g t/v_t), v_t = √(m g/k).
fn quadratic_drag(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let limit = (10.0 * G).sqrt();
    let u = 2.0 * G / limit;
    fall(lab, found, [0.0, 0.1], limit, limit * libm::tanh(u), limit * limit / G * libm::log(libm::cosh(u)))
}

fn fall(
    lab: &Lab,
    found: &mut Findings,
    [linear, quadratic]: [f64; 2],
    limit: f64,
    speed: f64,
    way: f64,
) -> Result<(), Trouble> {
    let settings = [format!("forces.air.drag={{ linear = {linear:?}, quadratic = {quadratic:?} }}")];
    let mut trial = lab.scene_with(reference_scene!("drag"), &settings)?;
    trial.run_to(2.0)?;
    found.relative("speed after 2 s, m/s", -trial.velocity("mass")?.y, speed, within(1e-12, SMOOTH));
    found.relative("way in 2 s, m", -trial.position("mass")?.y, way, within(1e-12, SMOOTH));
    trial.run_to(70.0)?;
    found.relative("speed in the end, m/s", -trial.velocity("mass")?.y, limit, within(1e-12, SMOOTH));
    Ok(())
}

/// x = cos 2t, y = ½ sin 2t.
fn orbit(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut trial = lab.scene(reference_scene!("vortex_centripetal_orbit"))?;
    let passages = trial.rises(100.0, |trial| Ok(trial.position("mass")?.y))?;
    let place = trial.position("mass")?;
    let mut worst = Worst::default();
    worst.see("x", place.x, libm::cos(200.0));
    worst.see("y", place.y, 0.5 * libm::sin(200.0));
    found.worst("place after 100 s, m", worst, within(1e-9, SMOOTH));
    found.absolute("period, s", mean_period(&passages), PI, within(1e-9, SMOOTH));
    // ½ v² + ½ k r² = 5/2, of which the field keeps the second part to itself.
    let energy = 0.5 * trial.velocity("mass")?.length_squared() + 2.0 * place.length_squared();
    found.absolute("energy, J", energy, 2.5, within(1e-9, SMOOTH));
    Ok(())
}
