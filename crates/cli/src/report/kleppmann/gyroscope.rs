//! K 4.1: a gyroscope, 20 turns a second, that goes round in 8 seconds.
//!
//! A disc on an axle without mass, level, one end of which is nailed. With its axle level it goes round steadily at exactly
//!
//! ```text
//! Ω = m g l / (I₃ ω₃)
//! ```
//!
//! so that the time of a round, the angle that it spins in it, and where its nail should be are known.

use super::{Section, refused, slope, step, world};
use crate::failure::Failure;
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;
use std::fmt::Write as _;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::MassProperties;
use tumble_dynamics::method::AccurateSettings;
use tumble_dynamics::method::accurate::{Drift, Style};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, World};
use tumble_scene::plot::{Curve, Plot};

const G: f64 = 9.81;
const SPIN: f64 = 20.0 * TAU;
const PERIOD: f64 = 8.0;
/// The disc's radius, in metres.
const RADIUS: f64 = 0.1;

/// The gyroscope, its axle along x.
fn gyroscope(settings: AccurateSettings) -> Result<(World, BodyId, DVec3), Failure> {
    let mut world = world(settings)?;
    let (axial, across) = (0.5 * RADIUS * RADIUS, 0.25 * RADIUS * RADIUS);
    let lever = axial * SPIN * (TAU / PERIOD) / G;
    let inertia = DMat3::from_diagonal(DVec3::new(axial, across, across));
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    // Ω about the vertical so that Ω × (I₃ω₃ x̂) is the torque of the weight, l x̂ × (−m g ŷ) = −m g l ẑ: about +y.
    let turns = DVec3::Y * (TAU / PERIOD);
    let arm = DVec3::X * lever;
    let body = Body::dynamic().with_mass_properties(mass).at(arm).with_velocity(turns.cross(arm));
    let id = world.add_body(body.with_angular_velocity(DVec3::X * SPIN + turns)).map_err(refused)?;
    world.add_joint(Joint::new(JointEnd::World, id, Ball::at([0.0; 3]))).map_err(refused)?;
    Ok((world, id, arm))
}

/// What a run measures.
struct Measured {
    /// The time of a round in seconds.
    period: f64,
    /// How far it spins in 8 s, in radians.
    spin: f64,
    /// How far the nail is from its hole at the end, in metres.
    nail: f64,
    /// The mean length of a step, in seconds.
    mean_step: f64,
}

/// Runs for 8 s.
fn measure(settings: AccurateSettings) -> Result<Measured, Failure> {
    let (mut world, id, arm) = gyroscope(settings)?;
    let (dt, count) = (PERIOD / 800.0, 800);
    let (mut around, mut spin, mut steps) = (0.0, 0.0, 0);
    let mut before = arm;
    for _ in 0..count {
        step(&mut world, dt)?;
        steps += world.report().accuracy.steps;
        let body = world.body(id).map_err(refused)?;
        let now = body.center_of_mass();
        // From +x towards −z is positive about +y.
        around += libm::atan2(before.z * now.x - before.x * now.z, before.x * now.x + before.z * now.z);
        before = now;
        // The part of ω along the axle is constant while the axle is where it should be: its integral by the sum over equal parts.
        let axis = body.rotation() * DVec3::X;
        spin += body.angular_velocity().dot(axis) * dt;
    }
    let body = world.body(id).map_err(refused)?;
    let nail = body.center_of_mass() - body.rotation() * arm;
    Ok(Measured { period: PERIOD * TAU / around, spin, nail: nail.length(), mean_step: PERIOD / steps.max(1) as f64 })
}

/// K's way without feedback, in steps of a fixed length.
fn fixed_steps(h: f64) -> AccurateSettings {
    AccurateSettings {
        tolerance: 1e-2,
        style: Style::Kleppmann,
        drift: Some(Drift::Nothing),
        max_step: Some(h),
        ..AccurateSettings::default()
    }
}

/// How far the nail has drifted after a second, for steps of these lengths.
fn drifts(steps: &[f64]) -> Result<Vec<[f64; 2]>, Failure> {
    let drift = |&h: &f64| {
        let (mut world, id, arm) = gyroscope(fixed_steps(h))?;
        let mut taken = 0;
        for _ in 0..10 {
            step(&mut world, 0.1)?;
            taken += world.report().accuracy.steps;
        }
        let body = world.body(id).map_err(refused)?;
        Ok([1.0 / taken.max(1) as f64, (body.center_of_mass() - body.rotation() * arm).length()])
    };
    steps.iter().map(drift).collect()
}

pub(super) fn section() -> Result<Section, Failure> {
    let mut text = String::from(
        "## Gyroscope (4.1)\n\nA disc that spins 20 times a second and goes round in 8 s, level, nailed at one end of its axle. Exactly: 8 s, and 320π of \
         spin in 8 s. K measured 7.953 s (0.6 %) and 320.36π (0.1 %) with steps of 0.23 ms.\n\n\
         | how | mean step | period | error | spin in 8 s | error | nail off by |\n|---|---|---|---|---|---|---|\n",
    );
    let kleppmann = AccurateSettings { style: Style::Kleppmann, ..AccurateSettings::default() };
    let ways = [
        ("style `kleppmann`, 1e-5", AccurateSettings { tolerance: 1e-5, ..kleppmann }),
        ("style `kleppmann`, 1e-8", AccurateSettings { tolerance: 1e-8, ..kleppmann }),
        ("best, 1e-5", AccurateSettings { tolerance: 1e-5, ..AccurateSettings::default() }),
        ("best, 1e-8", AccurateSettings { tolerance: 1e-8, ..AccurateSettings::default() }),
        ("best, 1e-11", AccurateSettings { tolerance: 1e-11, ..AccurateSettings::default() }),
    ];
    for (name, settings) in ways {
        let Measured { period, spin, nail, mean_step } = measure(settings)?;
        let exact = SPIN * PERIOD;
        let _infallible = writeln!(
            text,
            "| {name} | {:.3} ms | {period:.9} s | {:.1e} | {:.6}π | {:.1e} | {nail:.1e} m |",
            1e3 * mean_step,
            (period / PERIOD - 1.0).abs(),
            spin / std::f64::consts::PI,
            (spin / exact - 1.0).abs(),
        );
    }
    let lengths: Vec<f64> = (0..10).map(|k| 4e-3 * libm::pow(2.0, -0.5 * f64::from(k))).collect();
    let points = drifts(&lengths)?;
    // Above the floor of rounding.
    let clear: Vec<[f64; 2]> = points.iter().copied().filter(|point| point[1] > 1e-12).collect();
    let _infallible = writeln!(
        text,
        "\n![drift of the nail](images/kleppmann/nail-drift.svg)\n\nWithout feedback (k = d = 0) the nail drifts. After a second it is off by the \
         {:.2}th power of the length of the steps (Cash and Karp's method, {} lengths from {:.2} to {:.2} ms; K Fig 4.2: the fifth, down to 0.3 ms, \
         then nanometres of rounding).\n",
        slope(&clear),
        clear.len(),
        1e3 * clear.last().map_or(0.0, |point| point[0]),
        1e3 * clear.first().map_or(0.0, |point| point[0]),
    );
    let logs = |points: &[[f64; 2]]| points.iter().map(|&[h, drift]| [libm::log10(h), drift]).collect();
    let plot = Plot {
        title: "Drift of the nail after 1 s, without feedback".into(),
        x_label: "log₁₀ of the step / s".into(),
        y_label: "drift / m".into(),
        curves: vec![Curve { name: "Cash and Karp".into(), points: logs(&points) }],
        equal_scales: false,
        logarithmic: true,
    };
    Ok(Section { text, plots: vec![("nail-drift.svg", plot)] })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half a second of the round is half a second of the round, and the drift falls with the fifth power.
    #[test]
    fn it_goes_round_as_it_should() {
        let (mut world, id, arm) =
            gyroscope(AccurateSettings { tolerance: 1e-10, ..AccurateSettings::default() }).unwrap();
        world.step(0.5).unwrap();
        let angle = TAU / 16.0;
        let exact = arm.length() * DVec3::new(libm::cos(angle), 0.0, -libm::sin(angle));
        let found = world.body(id).unwrap().center_of_mass();
        assert!(found.distance(exact) < 1e-11, "{found} {exact}");
        let points = drifts(&[2e-3, 1e-3]).unwrap();
        let power = slope(&points);
        assert!((4.5..6.5).contains(&power), "{power} {points:?}");
    }
}
