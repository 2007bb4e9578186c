//! `tumble compare`: one scene, several methods, and how far bodies are apart. The first method is the yardstick: its error should be the
//! smallest, as that of `accurate` is.
//!
//! For each of the others: the error of every body over time, the first contact that differs (`compare/contacts.rs`), and how much of the
//! distance is error and how much is chaos (`compare/growth.rs`).

mod contacts;
mod growth;

use self::contacts::{Begins, Parting};
use self::growth::Growth;
use crate::args::{Compare, SceneChoice};
use crate::failure::{Failure, print};
use crate::files::{refuse_ending, refuse_inputs};
use crate::run::{Progress, stop_flag, tell_warning};
use crate::scene::{load_choice, method_setting, tell_notes};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tumble_dynamics::{EnergyWatch, Id, StepError};
use tumble_scene::Scene;
use tumble_scene::draft::Draft;
use tumble_scene::energy::EnergyTally;
use tumble_scene::plot::{self, Curve, Plot};
use tumble_scene::record::FrameClock;

/// What a method is compared with, if nothing else is named.
const YARDSTICK: &str = "accurate";
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
    /// The distance of each body, for each frame.
    of_bodies: Vec<Vec<f64>>,
    /// When contacts began.
    begins: Begins,
}

pub(crate) fn compare(options: &Compare) -> Result<(), Failure> {
    let methods = with_yardstick(&options.methods)?;
    if let Some(path) = &options.plot {
        refuse_ending(("plot", path), plot::is_known_ending(path), plot::UNKNOWN_ENDING)?;
    }
    let contender = |method: &String| contender(&options.choice, method);
    let mut all = methods.iter().map(contender).collect::<Result<Vec<_>, _>>()?;
    all.iter().for_each(|one| tell_notes(&one.scene));
    let failed = |path: &Path, error: std::io::Error| Failure::Write(format!("{}: {error}", path.display()));
    // Before the run, which may take long.
    let plot = options.plot.as_deref().map(|path| -> Result<(&Path, Draft), Failure> {
        refuse_inputs(&[("plot", path)], &all[0].scene.files)?;
        Ok((path, Draft::beside(path).map_err(|error| failed(path, error))?))
    });
    let plot = plot.transpose()?;
    let mut nudged = if options.no_nudge { None } else { Some(nudged(options, &methods[0])?) };
    let mut growth = Growth::default();
    let stop = stop_flag();
    let mut progress = Progress::new(std::io::stderr().is_terminal());
    let (duration, rate) = (all[0].scene.duration, all[0].scene.recording.rate);
    let mut clock = FrameClock::new(rate);
    let step = all.iter().map(|one| one.scene.dt).fold(0.0, f64::max);
    while all[0].scene.world.time() + 1e-3 * step < duration && !stop.load(Ordering::Relaxed) {
        let next = all[0].scene.world.time() + step;
        for one in all.iter_mut().chain(&mut nudged) {
            one.advance(next, &progress)?;
        }
        if clock.is_due(all[0].scene.world.time(), step) {
            measure(&mut all);
            if let Some(nudged) = &nudged {
                let largest = nudged.distances(&all[0].scene).map(|(_, distance)| distance).fold(0.0, f64::max);
                growth.note(all[0].scene.world.time(), largest);
            }
        }
        progress.show(&all[0].scene);
    }
    progress.clear();
    all.iter().filter(|one| one.out_of_nothing.times > 1).for_each(Contender::warn);
    let stopped = stop.load(Ordering::Relaxed);
    let growth = nudged.map(|_| growth);
    let report = Report { all: &all, growth: growth.as_ref(), stopped };
    print(&if options.json { format!("{:#}\n", report.to_json()) } else { report.to_text() })?;
    if let Some((path, mut draft)) = plot {
        let written = draft.write_all(report.picture().to_svg().as_bytes()).and_then(|()| draft.finish());
        written.map_err(|error| failed(path, error))?;
    }
    if stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

/// The methods, the yardstick first. One alone is compared with the accurate method.
fn with_yardstick(methods: &[String]) -> Result<Vec<String>, Failure> {
    match methods {
        [one] if one == YARDSTICK => {
            let problem = "accurate is what others are compared with: --methods accurate,accurate:tolerance=1e-6";
            Err(Failure::Request(problem.into()))
        }
        [one] => Ok(vec![YARDSTICK.to_owned(), one.clone()]),
        all => Ok(all.to_vec()),
    }
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
    let scene = load_choice(choice, &settings)?;
    let start_energy = scene.world.energy().total();
    let (label, out_of_nothing) = (method.to_owned(), EnergyTally::default());
    Ok(Contender {
        label,
        scene,
        wall_time: 0.0,
        start_energy,
        out_of_nothing,
        apart: Vec::new(),
        of_bodies: Vec::new(),
        begins: Begins::default(),
    })
}

/// The yardstick once more, with a nudge at the start.
fn nudged(options: &Compare, yardstick: &str) -> Result<Contender, Failure> {
    let mut nudged = contender(&options.choice, yardstick)?;
    growth::nudge(&mut nudged.scene.world).map_err(|error| Failure::Request(error.to_string()))?;
    nudged.scene.world.set_energy_watch(EnergyWatch::Off);
    Ok(nudged)
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
            self.begins.note(world);
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
        one.of_bodies.push(distances);
    }
}

/// What there is to tell.
struct Report<'a> {
    all: &'a [Contender],
    /// What became of a nudge, if there was one.
    growth: Option<&'a Growth>,
    stopped: bool,
}

impl Report<'_> {
    /// Where a run parts from the first.
    fn parting(&self, one: &Contender) -> Option<Parting> {
        let first = self.all.first()?;
        let (step, end) = (first.scene.dt.max(one.scene.dt), first.scene.world.time());
        first.begins.parting(&one.begins, step, end)
    }

    fn to_text(&self) -> String {
        let [first, others @ ..] = self.all else { return String::new() };
        let (title, time) = (&first.scene.title, first.scene.world.time());
        let stopped = if self.stopped { format!(" (stopped at {time:.3} s)") } else { String::new() };
        let mut text = format!("{title}: distances from {}{stopped}\n\n    time", first.label);
        let width = others.iter().map(|one| one.label.chars().count()).max().unwrap_or(0).max(24);
        for one in others {
            let _infallible = write!(text, "  {:>width$}", one.label);
        }
        text += if self.growth.is_some() { "      growth\n        " } else { "\n        " };
        for _ in others {
            let _infallible = write!(text, "  {:>width$}", "mean m      largest m");
        }
        let frames = others.first().map_or(0, |one| one.apart.len());
        let shown = frames.min(ROWS);
        for row in 1..=shown {
            let frame = row * frames / shown - 1;
            let time = others[0].apart[frame][0];
            let _infallible = write!(text, "\n{time:8.3}");
            for one in others {
                let [_, mean, largest] = one.apart[frame];
                let _infallible = write!(text, "  {:>width$}", format!("{mean:9.3e}   {largest:9.3e}"));
            }
            if let Some(growth) = self.growth {
                let _infallible = write!(text, "   {:9.2e}", growth.until(time));
            }
        }
        text += "\n\n";
        let width = self.all.iter().map(|one| one.label.chars().count()).max().unwrap_or(0);
        for one in self.all {
            let drift = one.energy_drift();
            let _infallible = writeln!(text, "{:width$}  {:8.3} s  energy {drift:+.3e} J", one.label, one.wall_time);
        }
        if let Some(growth) = self.growth {
            text += "\n";
            text += &growth.tell();
        }
        for one in others {
            self.tell_one(first, one, &mut text);
        }
        text
    }

    /// Where a run parts from the first, what its error is, and whose.
    fn tell_one(&self, first: &Contender, one: &Contender, text: &mut String) {
        let _infallible = writeln!(text, "\n{}:", one.label);
        let largest = one.apart.last().map_or(0.0, |frame| frame[2]);
        if let Some(growth) = self.growth {
            let _infallible = writeln!(text, "  {}", growth.share(largest));
        }
        let parting = match self.parting(one) {
            Some(parting) => {
                format!(
                    "parts at {:.6} s: {}",
                    parting.time(),
                    parting.tell(&first.scene.world, [&first.label, &one.label])
                )
            }
            None => "has the same contacts all along".to_owned(),
        };
        let _infallible = writeln!(text, "  {parting}\n  farthest apart at the end:");
        let mut distances: Vec<(String, f64)> = one.distances(&first.scene).collect();
        distances.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (name, distance) in distances.iter().take(BODIES) {
            let _infallible = writeln!(text, "    {distance:9.3e} m  {name}");
        }
    }

    fn to_json(&self) -> Value {
        let Some(first) = self.all.first() else { return Value::Null };
        let entries = self.all.iter().enumerate().map(|(index, one)| {
            let names: Vec<String> = one.distances(&first.scene).map(|(name, _)| name).collect();
            let bodies: serde_json::Map<String, Value> =
                one.distances(&first.scene).map(|(name, distance)| (name, json!(distance))).collect();
            let over_time: serde_json::Map<String, Value> = names
                .into_iter()
                .enumerate()
                .map(|(k, name)| (name, one.of_bodies.iter().map(|frame| frame.get(k).copied()).collect()))
                .collect();
            let drift = one.energy_drift();
            let parting = if index == 0 { None } else { self.parting(one) };
            json!({
                "method": one.label, "wall_time": one.wall_time, "energy_drift": drift, "apart": one.apart, "bodies": bodies,
                "bodies_over_time": over_time, "first_differing_contact": parting.map(|p| p.to_json(&first.scene.world)),
                "energy_out_of_nothing": one.out_of_nothing,
            })
        });
        let (scene, time) = (&first.scene.title, first.scene.world.time());
        let growth = self.growth.map(Growth::to_json);
        let methods = entries.collect::<Vec<_>>();
        json!({ "scene": scene, "time": time, "stopped": self.stopped, "growth": growth, "methods": methods })
    }

    /// The largest distance of a body over time, and what became of the nudge.
    fn picture(&self) -> Plot {
        let reference = self.all.first().map_or("", |one| one.label.as_str());
        let curves = self.all.iter().skip(1).map(|one| Curve {
            name: one.label.clone(),
            points: one.apart.iter().map(|&[time, _, largest]| [time, largest]).collect(),
        });
        let nudge = self.growth.map(|growth| Curve {
            name: format!("{reference}, nudged by 1 µm/s"),
            points: growth.frames.iter().map(|&[time, growth]| [time, growth * growth::NUDGE * time]).collect(),
        });
        Plot {
            title: format!("Largest distance of a body from {reference}"),
            x_label: "time / s".into(),
            y_label: "distance / m".into(),
            curves: curves.chain(nudge).collect(),
            equal_scales: false,
            // Methods part from each other by powers of ten.
            logarithmic: true,
        }
    }
}
