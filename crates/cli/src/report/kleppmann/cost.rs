//! K 4.2.3: how the cost grows with the number of constraints. Chains of rods on ball joints, let go level.

use super::{Section, refused, slope, step, world};
use crate::failure::Failure;
use glam::{DMat3, DVec3};
use std::fmt::Write as _;
use std::time::Instant;
use tumble_dynamics::World;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::MassProperties;
use tumble_dynamics::method::AccurateSettings;
use tumble_dynamics::method::accurate::{LinearSolver, Style};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, ModelError};
use tumble_scene::plot::{Curve, Plot};

/// A chain of this many rods, all together a metre long for every ten.
fn chain(settings: AccurateSettings, links: usize) -> Result<World, Failure> {
    let mut world = world(settings)?;
    let length = 0.1;
    let moment = length * length / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(1e-2 * moment, moment, moment));
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    let mut build = || -> Result<(), ModelError> {
        let mut last = JointEnd::World;
        for k in 0..links {
            let x = length * k as f64;
            let body = Body::dynamic().with_mass_properties(mass).at([x + 0.5 * length, 0.0, 0.0]);
            let id = world.add_body(body)?;
            world.add_joint(Joint::new(last, id, Ball::at([x, 0.0, 0.0])))?;
            last = id.into();
        }
        Ok(())
    };
    build().map_err(refused)?;
    Ok(world)
}

/// Measures the time of the processor, where the system tells it: what else runs on the machine does not count. Elsewhere that of the clock.
struct Clock {
    processor: Option<f64>,
    wall: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { processor: Self::processor(), wall: Instant::now() }
    }

    /// How long this program has run, in seconds: the times of the user and the system in Linux's `stat`, in hundredths of a second.
    fn processor() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/self/stat").ok()?;
        // The name of the program, in brackets, may have spaces.
        let (_, numbers) = text.rsplit_once(')')?;
        let ticks = |k: usize| numbers.split_whitespace().nth(k)?.parse::<f64>().ok();
        Some(0.01 * (ticks(11)? + ticks(12)?))
    }

    fn elapsed(&self) -> f64 {
        match (self.processor, Self::processor()) {
            (Some(start), Some(now)) => now - start,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// A measurement is repeated until it has taken this long in all, in seconds: the clock of the processor ticks every hundredth.
const LONG_ENOUGH: f64 = 0.4;

/// What a simulated second costs, in seconds of computing and in evaluations: from `span` seconds, after the first fiftieth of one.
fn cost(settings: AccurateSettings, links: usize, span: f64) -> Result<[f64; 2], Failure> {
    let (mut total, mut repeats, mut evaluations) = (0.0, 0, 0.0);
    while total < LONG_ENOUGH {
        let mut world = chain(settings, links)?;
        step(&mut world, 0.02)?;
        let start = Clock::start();
        step(&mut world, span)?;
        total += start.elapsed();
        (evaluations, repeats) = (world.report().accuracy.evaluations as f64, repeats + 1);
    }
    Ok([total / f64::from(repeats) / span, evaluations / span])
}

pub(super) fn section() -> Result<Section, Failure> {
    let best = AccurateSettings { tolerance: 1e-6, patience: 1e6, ..AccurateSettings::default() };
    let gradients = AccurateSettings { joint_solver: Some(LinearSolver::BiconjugateGradients), ..best };
    let kleppmann = AccurateSettings { style: Style::Kleppmann, ..best };
    let ways: [(&str, AccurateSettings, &[usize], f64); 3] = [
        ("best", best, &[10, 33, 100, 333, 1000], 0.1),
        ("best, biconjugate gradients", gradients, &[5, 10, 20, 40], 0.05),
        ("style `kleppmann`", kleppmann, &[5, 10, 20, 40], 0.05),
    ];
    let mut text = String::from(
        "## Cost (4.2.3)\n\nSeconds of the processor for a simulated second, for chains of rods on ball joints let go level, at a tolerance of 1e-6; each joint has three \
         constraints. K: 100 constraints take about an hour, and the cost grows with the power 2.5.\n\n\
         | how | links | constraints | s per simulated s | evaluations per s | s per evaluation |\n|---|---|---|---|---|---|\n",
    );
    if cfg!(debug_assertions) {
        text = text.replacen(
            "\n\n|",
            "\n\nThese are times of a development build, several times those of a release build.\n\n|",
            1,
        );
    }
    let (mut curves, mut powers) = (Vec::new(), Vec::new());
    for (name, settings, list, span) in ways {
        let mut points = Vec::new();
        for &links in list {
            let [seconds, evaluations] = cost(settings, links, span)?;
            let each = seconds / evaluations;
            let _infallible =
                writeln!(text, "| {name} | {links} | {} | {seconds:.3} | {evaluations:.0} | {each:.1e} |", 3 * links);
            points.push(([links as f64, seconds], [links as f64, each]));
        }
        let [whole, each] = [0, 1].map(|k| {
            let points: Vec<[f64; 2]> = points.iter().map(|point| if k == 0 { point.0 } else { point.1 }).collect();
            slope(&points)
        });
        powers.push(format!("{name}: {whole:.2} ({each:.2} for an evaluation)"));
        let points = points.iter().map(|([links, seconds], _)| [libm::log10(*links), *seconds]).collect();
        curves.push(Curve { name: name.replace('`', ""), points });
    }
    let _infallible = writeln!(
        text,
        "\nThe power of the number of links with which the cost grows: {}.\n\n![cost](images/kleppmann/cost.svg)\n",
        powers.join(", ")
    );
    let plot = Plot {
        title: "Cost of a simulated second".into(),
        x_label: "log₁₀ of the number of links".into(),
        y_label: "seconds".into(),
        curves,
        equal_scales: false,
        logarithmic: true,
    };
    Ok(Section { text, plots: vec![("cost.svg", plot)] })
}
