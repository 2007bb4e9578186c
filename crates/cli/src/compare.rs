//! `tumble compare`: one scene, several methods, and how far bodies are apart.

use crate::args::{Compare, SceneChoice};
use crate::failure::{Failure, print};
use crate::files::{refuse_ending, refuse_inputs};
use crate::run::{Progress, stop_flag, tell_warning};
use crate::scene::{load_within, method_setting};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tumble_dynamics::{Id, StepError};
use tumble_scene::Scene;
use tumble_scene::draft::Draft;
use tumble_scene::energy::EnergyTally;
use tumble_scene::plot::{self, Curve, Plot};
use tumble_scene::record::FrameClock;

/// How many rows the table over time has.
const ROWS: usize = 10;
/// How many bodies the table of bodies shows.
const BODIES: usize = 8;

/// A run with one method.
pub(crate) struct Contender {
    label: String,
    pub(crate) scene: Scene,
    /// Seconds on the clock so far.
    pub(crate) wall_time: f64,
    start_energy: f64,
    /// Energy that came out of nothing.
    out_of_nothing: EnergyTally,
    /// Time, root mean square and largest distance from the first, for each frame.
    apart: Vec<[f64; 3]>,
}

pub(crate) fn compare(options: &Compare) -> Result<(), Failure> {
    if options.methods.len() < 2 {
        return Err(Failure::Request("a comparison needs at least two methods: --methods a,b".into()));
    }
    if let Some(path) = &options.plot {
        refuse_ending(("plot", path), plot::is_known_ending(path), plot::UNKNOWN_ENDING)?;
    }
    let contender = |method: &String| contender(&options.choice, method);
    let mut all = options.methods.iter().map(contender).collect::<Result<Vec<_>, _>>()?;
    let failed = |path: &Path, error: std::io::Error| Failure::Write(format!("{}: {error}", path.display()));
    // Before the run, which may take long.
    let plot = options.plot.as_deref().map(|path| -> Result<(&Path, Draft), Failure> {
        refuse_inputs(&[("plot", path)], &all[0].scene.files)?;
        Ok((path, Draft::beside(path).map_err(|error| failed(path, error))?))
    });
    let plot = plot.transpose()?;
    let stop = stop_flag();
    let mut progress = Progress::new(std::io::stderr().is_terminal());
    let (duration, rate) = (all[0].scene.duration, all[0].scene.recording.rate);
    let mut clock = FrameClock::new(rate);
    let step = all.iter().map(|one| one.scene.dt).fold(0.0, f64::max);
    while all[0].scene.world.time() + 1e-3 * step < duration && !stop.load(Ordering::Relaxed) {
        let next = all[0].scene.world.time() + step;
        for one in &mut all {
            one.advance(next, &progress)?;
        }
        if clock.is_due(all[0].scene.world.time(), step) {
            measure(&mut all);
        }
        progress.show(&all[0].scene);
    }
    progress.clear();
    all.iter().filter(|one| one.out_of_nothing.times > 1).for_each(Contender::warn);
    let stopped = stop.load(Ordering::Relaxed);
    print(&if options.json { format!("{:#}\n", to_json(&all, stopped)) } else { to_text(&all, stopped) })?;
    if let Some((path, mut draft)) = plot {
        let written = draft.write_all(picture(&all).to_svg().as_bytes()).and_then(|()| draft.finish());
        written.map_err(|error| failed(path, error))?;
    }
    if stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

/// The scene with a method such as `retroactive:integrator=runge_kutta_4:dt=0.001`.
pub(crate) fn contender(choice: &SceneChoice, method: &str) -> Result<Contender, Failure> {
    let mut parts = method.split(':');
    let name = parts.next().unwrap_or_default();
    let mut settings = choice.all_settings();
    settings.push(method_setting(name)?);
    for part in parts {
        settings.push(if part.starts_with("dt=") { part.to_owned() } else { format!("method.{name}.{part}") });
    }
    let scene = load_within(&choice.scene, &settings, choice.budget)?;
    let start_energy = scene.world.energy().total();
    let (label, out_of_nothing) = (method.to_owned(), EnergyTally::default());
    Ok(Contender { label, scene, wall_time: 0.0, start_energy, out_of_nothing, apart: Vec::new() })
}

impl Contender {
    /// Steps to a time, with a last step that is shorter if it must be.
    pub(crate) fn advance(&mut self, until: f64, progress: &Progress) -> Result<(), Failure> {
        let start = Instant::now();
        while self.scene.world.time() < until - 1e-9 * self.scene.dt {
            let world = &mut self.scene.world;
            let dt = if until - world.time() < 1.001 * self.scene.dt { until - world.time() } else { self.scene.dt };
            match world.step(dt) {
                Ok(()) => {}
                // Who interrupted it has set the flag, too.
                Err(StepError::Cancelled) => break,
                Err(error) => return Err(Failure::Step(error.to_string())),
            }
            if self.out_of_nothing.note(world) {
                progress.clear();
                self.warn();
            }
        }
        self.wall_time += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// By how much the energy differs from that at the start, in joules.
    pub(crate) fn energy_drift(&self) -> f64 {
        self.scene.world.energy().total() - self.start_energy
    }

    fn warn(&self) {
        self.out_of_nothing.warning().iter().for_each(|warning| tell_warning(&format!("{}: {warning}", self.label)));
    }

    /// The distance of each body from the same body in another run.
    fn distances<'a>(&'a self, reference: &'a Scene) -> impl Iterator<Item = (String, f64)> + 'a {
        self.scene.world.bodies().filter(|(_, body)| body.model().kind.moves()).filter_map(|(id, body)| {
            let other = reference.world.state().bodies.get(id.slot())?;
            Some((body.model().name.clone(), body.state().position.distance(other.position)))
        })
    }
}

fn measure(all: &mut [Contender]) {
    let Some((first, others)) = all.split_first_mut() else { return };
    let time = first.scene.world.time();
    for one in others {
        let distances: Vec<f64> = one.distances(&first.scene).map(|(_, distance)| distance).collect();
        let mean = distances.iter().map(|d| d * d).sum::<f64>() / distances.len().max(1) as f64;
        one.apart.push([time, mean.sqrt(), distances.iter().copied().fold(0.0, f64::max)]);
    }
}

fn to_text(all: &[Contender], stopped: bool) -> String {
    let [first, others @ ..] = all else { return String::new() };
    let (title, time) = (&first.scene.title, first.scene.world.time());
    let stopped = if stopped { format!(" (stopped at {time:.3} s)") } else { String::new() };
    let mut text = format!("{title}: distances from {}{stopped}\n\n    time", first.label);
    let width = others.iter().map(|one| one.label.chars().count()).max().unwrap_or(0).max(24);
    for one in others {
        let _infallible = write!(text, "  {:>width$}", one.label);
    }
    text += "\n        ";
    for _ in others {
        let _infallible = write!(text, "  {:>width$}", "mean m      largest m");
    }
    let frames = others.first().map_or(0, |one| one.apart.len());
    let shown = frames.min(ROWS);
    for row in 1..=shown {
        let frame = row * frames / shown - 1;
        let _infallible = write!(text, "\n{:8.3}", others[0].apart[frame][0]);
        for one in others {
            let [_, mean, largest] = one.apart[frame];
            let _infallible = write!(text, "  {:>width$}", format!("{mean:9.3e}   {largest:9.3e}"));
        }
    }
    text += "\n\n";
    let width = all.iter().map(|one| one.label.chars().count()).max().unwrap_or(0);
    for one in all {
        let drift = one.energy_drift();
        let _infallible = writeln!(text, "{:width$}  {:8.3} s  energy {drift:+.3e} J", one.label, one.wall_time);
    }
    for one in others {
        let mut distances: Vec<(String, f64)> = one.distances(&first.scene).collect();
        distances.sort_by(|a, b| b.1.total_cmp(&a.1));
        let _infallible = write!(text, "\nfarthest apart at the end, {}:\n", one.label);
        for (name, distance) in distances.iter().take(BODIES) {
            let _infallible = writeln!(text, "  {distance:9.3e} m  {name}");
        }
    }
    text
}

fn to_json(all: &[Contender], stopped: bool) -> Value {
    let Some(first) = all.first() else { return Value::Null };
    let entries = all.iter().map(|one| {
        let bodies: serde_json::Map<String, Value> =
            one.distances(&first.scene).map(|(name, distance)| (name, json!(distance))).collect();
        let drift = one.energy_drift();
        json!({
            "method": one.label, "wall_time": one.wall_time, "energy_drift": drift, "apart": one.apart, "bodies": bodies,
            "energy_out_of_nothing": one.out_of_nothing,
        })
    });
    let (scene, time) = (&first.scene.title, first.scene.world.time());
    json!({ "scene": scene, "time": time, "stopped": stopped, "methods": entries.collect::<Vec<_>>() })
}

fn picture(all: &[Contender]) -> Plot {
    let reference = all.first().map_or("", |one| one.label.as_str());
    let curves = all.iter().skip(1).map(|one| Curve {
        name: one.label.clone(),
        points: one.apart.iter().map(|&[time, _, largest]| [time, largest]).collect(),
    });
    Plot {
        title: format!("Largest distance of a body from {reference}"),
        x_label: "time / s".into(),
        y_label: "distance / m".into(),
        curves: curves.collect(),
        equal_scales: false,
        // Methods part from each other by powers of ten.
        logarithmic: true,
    }
}
