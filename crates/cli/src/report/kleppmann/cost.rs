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

/// What a simulated second costs, in seconds of computing and in evaluations, from a part of a second after a start of a tenth.
fn cost(settings: AccurateSettings, links: usize, span: f64) -> Result<[f64; 2], Failure> {
    let mut world = chain(settings, links)?;
    step(&mut world, 0.02)?;
    let start = Instant::now();
    step(&mut world, span)?;
    let evaluations = world.report().accuracy.evaluations as f64;
    Ok([start.elapsed().as_secs_f64() / span, evaluations / span])
}

pub(super) fn section() -> Result<Section, Failure> {
    let best = AccurateSettings { tolerance: 1e-6, patience: 1e6, ..AccurateSettings::default() };
    let gradients = AccurateSettings { solver: Some(LinearSolver::BiconjugateGradients), ..best };
    let kleppmann = AccurateSettings { style: Style::Kleppmann, ..best };
    let ways: [(&str, AccurateSettings, &[usize], f64); 3] = [
        ("best", best, &[10, 33, 100, 333, 1000], 0.1),
        ("best, biconjugate gradients", gradients, &[5, 10, 20, 40], 0.05),
        ("style `kleppmann`", kleppmann, &[5, 10, 20, 40], 0.05),
    ];
    let mut text = String::from(
        "## Cost (4.2.3)\n\nSeconds of computing for a simulated second, for chains of rods on ball joints let go level, at a tolerance of 1e-6; each joint has three \
         constraints. K: 100 constraints take about an hour, and the cost grows with the power 2.5.\n\n\
         | how | links | constraints | s per simulated s | evaluations per s | s per evaluation |\n|---|---|---|---|---|---|\n",
    );
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
