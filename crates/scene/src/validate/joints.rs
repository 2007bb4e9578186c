//! Joints that pass motion on.

use super::findings::{Findings, Worst, within};
use super::lab::{Lab, Trial};
use super::{Cost, EXACT, Problem, SMOOTH, Trouble, reference_scene};
use glam::DVec3;
use std::f64::consts::{PI, TAU};
use tumble_dynamics::constraint::{Freedom, Hinge, Motor};

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "universal_joint",
        about: "ratio of the speeds of two shafts at 30°, and of two joints in a row",
        cost: Cost::Quick,
        measure: universal,
    },
    Problem { name: "gear_pair", about: "a torque on one of two gears", cost: Cost::Quick, measure: gears },
    Problem {
        name: "falling_cat_planar",
        about: "three rods turn by bending, without angular momentum",
        cost: Cost::Quick,
        measure: cat,
    },
];

/// ω₂/ω₁ = cos β/(1 − sin²β cos²θ), with the arm of the driving shaft in the plane of the shafts at θ = 0.
fn universal(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let beta = PI / 6.0;
    let mut trial = lab.scene(reference_scene!("universal_joint"))?;
    let driven = DVec3::new(libm::cos(beta), libm::sin(beta), 0.0);
    let speeds = |trial: &Trial, axis: DVec3| -> Result<f64, Trouble> {
        Ok(trial.angular_velocity("driven")?.dot(axis) / trial.angular_velocity("driver")?.x)
    };
    let mut worst = Worst::relative();
    for degrees in [30.0_f64, 45.0, 60.0, 90.0, 180.0] {
        let theta = degrees.to_radians();
        trial.run_to(theta / 10.0)?;
        let (s, c) = (libm::sin(beta), libm::cos(theta));
        worst.see(format!("{degrees}°"), speeds(&trial, driven)?, libm::cos(beta) / (1.0 - s * s * c * c));
    }
    found.worst("ratio of the speeds", worst, within(1e-9, EXACT));
    let mut trial = lab.scene(reference_scene!("universal_joint_double"))?;
    let mut worst = Worst::default();
    trial.watch(trial.scene.duration, |trial| {
        worst.see(format!("{:.0}°", (10.0 * trial.time()).to_degrees()), speeds(trial, DVec3::X)?, 1.0);
        Ok(())
    })?;
    found.worst("ratio through two joints", worst, within(1e-9, EXACT));
    Ok(())
}

/// α₁ = τ/(J₁ + J₂/3²), and the large gear turns backwards at a third.
fn gears(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut trial = lab.scene(reference_scene!("gear_pair"))?;
    trial.run()?;
    let alpha = 1.0 / (0.1 + 0.5 / 9.0);
    let [small, large] = ["small", "large"].map(|name| trial.angular_velocity(name).map(|omega| omega.z));
    let (small, large) = (small?, large?);
    let within = within(1e-10, EXACT);
    found.relative("speed of the small gear after 2 s, rad/s", small, 2.0 * alpha, within);
    found.relative("speed of the large gear, rad/s", large, -2.0 * alpha / 3.0, within);
    let turned = |name: &str| -> Result<f64, Trouble> { Ok(trial.joint(name)?.angle().ok_or("a hinge has an angle")?) };
    let phase = turned("small_axle")? + 3.0 * turned("large_axle")?;
    found.absolute("phase between the gears, rad", phase, 0.0, within);
    Ok(())
}

/// The outer rods are bent by A sin s and A (1 − cos s) against the middle one, s = 2π (10 u³ − 15 u⁴ + 6 u⁵), u = t. What the
/// middle one turns by in the cycle depends on the path of the shape only; integrated elsewhere in 80-bit arithmetic.
fn cat(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    for (amplitude, exact) in
        [(0.5, 0.009_293_591_009_793_167), (1.0, 0.090_481_038_352_652_5), (1.5, 0.341_381_035_786_118_95)]
    {
        let (mut turned, momentum) = bend_once(lab, amplitude, 1)?;
        if lab.conditions().is_accurate() {
            // Between two moments the joints turn at a constant rate, along a polygon instead of the curve, which costs an area in
            // proportion to the square of the step: extrapolated to none (Richardson).
            let (finer, _) = bend_once(lab, amplitude, 2)?;
            turned = (4.0 * finer - turned) / 3.0;
        }
        found.relative(format!("angle turned for A = {amplitude}, rad"), turned, exact, within(1e-9, SMOOTH));
        found.absolute(format!("angular momentum for A = {amplitude}, kg m²/s"), momentum, 0.0, within(1e-12, EXACT));
    }
    Ok(())
}

/// Bends the joints of the cat once round, in steps of the scene's or a part of these; how far it has turned, and the largest angular
/// momentum there was.
fn bend_once(lab: &Lab, amplitude: f64, finer: usize) -> Result<(f64, f64), Trouble> {
    let mut trial = lab.scene(reference_scene!("falling_cat_planar"))?;
    let steps = (1.0 / trial.scene.dt).round() as usize * finer;
    let dt = 1.0 / steps as f64;
    let mut momentum = 0.0_f64;
    for step in 1..=steps {
        let u = step as f64 * dt;
        let s = TAU * u * u * u * (10.0 + u * (6.0 * u - 15.0));
        bend(&mut trial, "left", amplitude * libm::sin(s), dt)?;
        bend(&mut trial, "right", amplitude * (1.0 - libm::cos(s)), dt)?;
        trial.scene.world.step(dt)?;
        momentum = momentum.max(trial.scene.world.angular_momentum(DVec3::ZERO).length());
    }
    Ok((angle(&trial, "middle")?, momentum))
}

/// Sets the angle to which a motor bends a joint of the cat in the next step.
fn bend(trial: &mut Trial, name: &str, target: f64, dt: f64) -> Result<(), Trouble> {
    let to_go = libm::remainder(target - (angle(trial, name)? - angle(trial, "middle")?), TAU);
    let (id, anchor) = (trial.joint_id(name)?, trial.joint(name)?.anchors()[0]);
    let turn = Freedom { motor: Some(Motor { speed: to_go / dt, max_force: None }), ..Freedom::FREE };
    Ok(trial.scene.world.joint_mut(id)?.attach(Hinge::at(anchor, DVec3::Z).with_turn(turn))?)
}

fn angle(trial: &Trial, body: &str) -> Result<f64, Trouble> {
    let along = trial.body(body)?.rotation() * DVec3::X;
    Ok(libm::atan2(along.y, along.x))
}
