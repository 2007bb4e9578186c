//! K 4.3.1: the spectrum of a double pendulum.
//!
//! Two equal thin rods of length l that swing a little have two normal modes, with ω² = 3(1 ∓ 2/√7) g/l. K lets the first go at 45°, where
//! the lines are still clear, and lower.

use super::{Section, refused, step, world};
use crate::failure::Failure;
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;
use std::fmt::Write as _;
use tumble_dynamics::Body;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::MassProperties;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::method::AccurateSettings;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_scene::plot::{Curve, Plot};

const LENGTH: f64 = 0.5;
/// Samples per second, and for how many seconds.
const RATE: f64 = 20.0;
const DURATION: f64 = 60.0;

/// The horizontal place of the lower rod's end over time: the upper rod is let go at an angle, the lower hangs straight down.
fn swing(angle: f64, duration: f64) -> Result<Vec<f64>, Failure> {
    let mut world = world(AccurateSettings { tolerance: 1e-9, ..AccurateSettings::default() })?;
    let moment = LENGTH * LENGTH / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(moment, 1e-3 * moment, moment));
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    let turn = rotation_about(DVec3::Z, angle);
    let elbow = turn * DVec3::new(0.0, -LENGTH, 0.0);
    let upper = Body::dynamic().with_mass_properties(mass).at(elbow * 0.5).rotated(turn);
    let lower = Body::dynamic().with_mass_properties(mass).at(elbow - DVec3::Y * (0.5 * LENGTH));
    let upper = world.add_body(upper).map_err(refused)?;
    let lower = world.add_body(lower).map_err(refused)?;
    world.add_joint(Joint::new(JointEnd::World, upper, Ball::at([0.0; 3]))).map_err(refused)?;
    world.add_joint(Joint::new(upper, lower, Ball::at(elbow))).map_err(refused)?;
    let mut samples = Vec::new();
    for _ in 0..(duration * RATE) as usize {
        step(&mut world, 1.0 / RATE)?;
        let body = world.body(lower).map_err(refused)?;
        samples.push((body.center_of_mass() - body.rotation() * DVec3::Y * (0.5 * LENGTH)).x);
    }
    Ok(samples)
}

/// The size of the part of a signal that swings with a frequency in Hz, within Hann's window.
fn amplitude(samples: &[f64], frequency: f64) -> f64 {
    let count = samples.len() as f64;
    let (mut re, mut im) = (0.0, 0.0);
    for (k, sample) in samples.iter().enumerate() {
        let window = 1.0 - libm::cos(TAU * (k as f64 + 0.5) / count);
        let (sin, cos) = libm::sincos(TAU * frequency * k as f64 / RATE);
        (re, im) = (re + window * sample * cos, im + window * sample * sin);
    }
    2.0 * libm::hypot(re, im) / count
}

/// The two highest lines, the slower first, in Hz.
fn lines(samples: &[f64]) -> [f64; 2] {
    let width = RATE / samples.len() as f64;
    let grid: Vec<f64> = (1..(4.0 / (0.25 * width)) as usize).map(|k| 0.25 * width * k as f64).collect();
    let sizes: Vec<f64> = grid.iter().map(|&frequency| amplitude(samples, frequency)).collect();
    let mut peaks: Vec<(f64, f64)> = (1..grid.len() - 1)
        .filter(|&k| sizes[k] > sizes[k - 1] && sizes[k] >= sizes[k + 1])
        .map(|k| (sizes[k], grid[k]))
        .collect();
    peaks.sort_by(|a, b| b.0.total_cmp(&a.0));
    let refined = |mut at: f64| {
        // Golden section: a line has one top within the width of the window.
        let (mut low, mut high) = (at - 0.5 * width, at + 0.5 * width);
        for _ in 0..40 {
            let (a, b) = (high - 0.618_034 * (high - low), low + 0.618_034 * (high - low));
            if amplitude(samples, a) > amplitude(samples, b) {
                high = b
            } else {
                low = a
            }
            at = 0.5 * (low + high);
        }
        at
    };
    let mut two: Vec<f64> = peaks.iter().take(2).map(|peak| refined(peak.1)).collect();
    two.resize(2, 0.0);
    two.sort_by(f64::total_cmp);
    [two[0], two[1]]
}

/// The frequencies of the normal modes, in Hz.
fn modes() -> [f64; 2] {
    let root = 2.0 / 7.0_f64.sqrt();
    [1.0 - root, 1.0 + root].map(|factor| (3.0 * factor * 9.81 / LENGTH).sqrt() / TAU)
}

pub(super) fn section() -> Result<Section, Failure> {
    let exact = modes();
    let mut text = String::from(
        "## Spectrum of the double pendulum (4.3.1)\n\nTwo equal thin rods of half a metre, the lower hanging straight down, 60 s. Where they swing little, ω² = 3(1 ∓ 2/√7) g/l.\n\n\
         | upper rod at | first line | second line |\n|---|---|---|\n",
    );
    let _infallible = writeln!(text, "| formula, little | {:.5} Hz | {:.5} Hz |", exact[0], exact[1]);
    let mut curves = Vec::new();
    for degrees in [1.0_f64, 15.0, 45.0] {
        let samples = swing(degrees.to_radians(), DURATION)?;
        let [first, second] = lines(&samples);
        let _infallible = writeln!(text, "| {degrees}° | {first:.5} Hz | {second:.5} Hz |");
        let points = (1..800).map(|k| 0.005 * f64::from(k)).map(|f| [f, amplitude(&samples, f)]).collect();
        curves.push(Curve { name: format!("{degrees}°"), points });
    }
    text += "\n![spectrum](images/kleppmann/spectrum.svg)\n\nThe more it swings the slower it is, and sums and multiples of the two frequencies appear.\n";
    let plot = Plot {
        title: "Spectrum of a double pendulum".into(),
        x_label: "frequency / Hz".into(),
        y_label: "amplitude / m".into(),
        curves,
        equal_scales: false,
        logarithmic: true,
    };
    Ok(Section { text, plots: vec![("spectrum.svg", plot)] })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pendulum that hardly swings has the frequencies of its normal modes.
    #[test]
    fn small_swings_have_two_frequencies() {
        let found = lines(&swing(0.01, 30.0).unwrap());
        for (found, exact) in found.iter().zip(modes()) {
            assert!((found / exact - 1.0).abs() < 1e-3, "{found} {exact}");
        }
    }
}
