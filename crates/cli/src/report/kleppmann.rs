//! `tumble report kleppmann`: the experiments of chapter 4 of K, repeated with the accurate method, in K's style and in the best.
//!
//! Each experiment is a file of its own, makes its numbers without reading anything, and adds a section and plots to the page.

mod cost;
mod cradle;
mod gyroscope;
mod spectrum;

use crate::args::ReportFolder;
use crate::failure::{Failure, print};
use std::path::Path;
use tumble_dynamics::method::{Accurate, AccurateSettings};
use tumble_dynamics::{ModelError, World};
use tumble_scene::draft::Draft;
use tumble_scene::plot::Plot;

/// A part of the page: its text, and its plots with the names of their files.
#[derive(Debug, Default)]
pub(super) struct Section {
    text: String,
    plots: Vec<(&'static str, Plot)>,
}

const HEAD: &str = "\
# Kleppmann's experiments, repeated

Made by `tumble report kleppmann`. K is M. Kleppmann, *Simulation of colliding constrained rigid bodies* (Cambridge, 2007); his numbers are from its
chapter 4. `style = \"kleppmann\"` does as he did: Cash and Karp's method, joints held by feedback, contacts that would pull dropped, biconjugate
gradients. `best` is the default. Times depend on the machine; everything else does not.

";

pub(crate) fn report(options: &ReportFolder) -> Result<(), Failure> {
    type Experiment = fn() -> Result<Section, Failure>;
    let experiments: [(&str, Experiment); 4] = [
        ("gyroscope", gyroscope::section),
        ("cradle", cradle::section),
        ("cost", cost::section),
        ("spectrum", spectrum::section),
    ];
    let images = options.out.join("images").join("kleppmann");
    std::fs::create_dir_all(&images).map_err(|error| failed(&images, &error))?;
    let mut text = HEAD.to_owned();
    for (name, experiment) in experiments {
        print(&format!("{name} ...\n"))?;
        let section = experiment()?;
        text += &section.text;
        for (file, plot) in &section.plots {
            let path = images.join(file);
            Draft::write(&path, plot.to_svg().as_bytes()).map_err(|error| failed(&path, &error))?;
        }
    }
    let page = options.out.join("kleppmann.md");
    Draft::write(&page, text.as_bytes()).map_err(|error| failed(&page, &error))?;
    print(&format!("{} and its plots are written\n", page.display()))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Write(format!("{}: {error}", path.display()))
}

/// An empty world with the accurate method.
fn world(settings: AccurateSettings) -> Result<World, Failure> {
    let method = Accurate::new().with_settings(settings).map_err(refused)?;
    Ok(World::with_method(method))
}

fn refused(error: ModelError) -> Failure {
    Failure::Request(error.to_string())
}

fn step(world: &mut World, dt: f64) -> Result<(), Failure> {
    world.step(dt).map_err(|error| Failure::Step(error.to_string()))
}

/// The slope of log y over log x by least squares.
fn slope(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|point| point.map(libm::log)).collect();
    let count = logs.len().max(1) as f64;
    let mean = |k: usize| logs.iter().map(|point| point[k]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let top: f64 = logs.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    let below: f64 = logs.iter().map(|point| (point[0] - x) * (point[0] - x)).sum();
    top / below
}
