//! `tumble run`.

use crate::args::Run;
use crate::each;
use crate::failure::{Failure, print};
use crate::files::{Wanted, refuse_doubles, refuse_ending, refuse_inputs};
use crate::profile::Profile;
use crate::scene::{load_choice, method_setting, tell_notes};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};
use tumble_dynamics::{Cancel, World};
use tumble_scene::Scene;
use tumble_scene::draft::Draft;
use tumble_scene::plot::{self, Curve, Plot};
use tumble_scene::record::{Columns, Output, RecordError, UNKNOWN_ENDING, is_known_ending, output_for};
use tumble_scene::run::{Runner, Summary};
use tumble_scene::suggestion;

pub(crate) fn run(options: &Run) -> Result<(), Failure> {
    if options.method.as_deref() == Some(each::EACH) {
        return each::run(options);
    }
    let files = wanted(options)?;
    // First, so that settings of the method apply to it.
    let method = options.method.as_deref().map(method_setting).transpose()?;
    let settings: Vec<String> = method.into_iter().chain(options.choice.all_settings()).collect();
    let mut scene = load_choice(&options.choice, &settings)?;
    tell_notes(&scene);
    refuse_inputs(&files, &scene.files)?;
    let stop = stop_flag();
    let mut runner = Runner::default().stopping_when(|| stop.load(Ordering::Relaxed));
    let plots = options.plots.iter().map(|plot| Sketch::new(plot, &scene)).collect::<Result<Vec<_>, _>>()?;
    for path in &options.outputs {
        runner.add_output(output_for(path, &scene)?);
    }
    for plot in plots {
        runner.add_output(Box::new(plot));
    }
    let progress = Progress::new(!options.quiet && std::io::stderr().is_terminal());
    let mut profile = options.profile.then(Profile::default);
    let summary = progress.of(runner, &mut scene, |scene| {
        if let Some(profile) = &mut profile {
            profile.add(&scene.world.report());
        }
    });
    let files = options.outputs.iter().map(|path| path.display().to_string());
    let plots = options.plots.iter().map(|plot| plot.split('=').next().unwrap_or(plot).to_owned());
    let wrong = |file: &String| summary.write_errors.iter().any(|error| error.path().starts_with(file));
    let written: Vec<String> = files.chain(plots).filter(|file| !wrong(file)).collect();
    if options.json {
        let mut all = to_json(options, &scene, &summary, &written);
        if let Some(profile) = &profile {
            all["profile"] = profile.to_json();
        }
        print(&format!("{all:#}\n"))?;
    } else {
        let writes = !(options.outputs.is_empty() && options.plots.is_empty());
        print(&sum_up(&scene, &summary, writes))?;
        profile.iter().try_for_each(|profile| print(&profile.to_text()))?;
        written.iter().try_for_each(|file| print(&format!("wrote     {file}\n")))?;
    }
    outcome(summary)
}

/// The files that are asked for; refused if they cannot be that.
fn wanted(options: &Run) -> Result<Vec<Wanted<'_>>, Failure> {
    let outputs = options.outputs.iter().map(|path| ("out", path.as_path()));
    let plots = options.plots.iter().map(|plot| ("plot", Path::new(plot.split('=').next().unwrap_or(plot))));
    let files: Vec<Wanted<'_>> = outputs.chain(plots).collect();
    refuse_doubles(&files)?;
    for &(option, path) in &files {
        let (is_known, known) = match option {
            "out" => (is_known_ending(path), UNKNOWN_ENDING),
            _ => (plot::is_known_ending(path), plot::UNKNOWN_ENDING),
        };
        refuse_ending((option, path), is_known, known)?;
    }
    Ok(files)
}

/// What the exit code says of a run.
pub(crate) fn outcome(summary: Summary) -> Result<(), Failure> {
    if let Some(error) = summary.step_error {
        return Err(Failure::Step(error.to_string()));
    }
    if let Some(reason) = summary.over_budget {
        return Err(Failure::Step(reason));
    }
    if !summary.write_errors.is_empty() {
        let messages: Vec<String> = summary.write_errors.iter().map(ToString::to_string).collect();
        return Err(Failure::Write(messages.join("\nerror: ")));
    }
    if summary.stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

/// A flag that Ctrl-C sets, or a request to end from the system; the second time it ends the program.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static INSTALLED: Once = Once::new();
    let cancel = interruption();
    let handler = move || {
        cancel.cancel();
        if FLAG.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    // Without a handler Ctrl-C ends the program at once, which is no reason not to run.
    INSTALLED.call_once(|| drop(ctrlc::set_handler(handler)));
    &FLAG
}

/// What Ctrl-C ends steps with, once there is a [flag](stop_flag): the worlds of all scenes that are read have it.
pub(crate) fn interruption() -> &'static Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    CANCEL.get_or_init(Cancel::new)
}

/// The summary, with what was run and what was written.
pub(crate) fn to_json(options: &Run, scene: &Scene, summary: &Summary, written: &[String]) -> Value {
    let mut all = json!({
        "scene": options.choice.scene,
        "title": scene.title,
        "method": scene.world.method().name(),
        "dt": scene.dt,
        "files": written,
    });
    if let (Value::Object(all), Ok(Value::Object(summary))) = (&mut all, serde_json::to_value(summary)) {
        all.extend(summary);
    }
    all
}

fn sum_up(scene: &Scene, summary: &Summary, writes: bool) -> String {
    let speed = if summary.wall_time > 0.0 { summary.time / summary.wall_time } else { 0.0 };
    let step = if summary.steps > 0 { 1e3 * summary.step_time / summary.steps as f64 } else { 0.0 };
    let change = summary.end_energy - summary.start_energy;
    let share = |time: f64| if summary.step_time > 0.0 { 100.0 * time / summary.step_time } else { 0.0 };
    let mut text = format!(
        "{}{}\n\
         time      {:.6} s simulated in {:.3} s ({speed:.1} × real time)\n\
         steps     {} of {:.4} ms, {step:.3} ms each ({:.0} % finding contacts, {:.0} % solving)\n\
         bodies    {}, of which {} awake\n\
         contacts  {} at the end, {} at most\n\
         energy    {:.6} J at the start, {:.6} J at the end ({change:+.3e} J)\n",
        scene.title,
        if summary.stopped { " (stopped)" } else { "" },
        summary.time,
        summary.wall_time,
        summary.steps,
        1e3 * scene.dt,
        share(summary.detect_time),
        share(summary.solve_time),
        summary.bodies,
        summary.awake,
        summary.contacts,
        summary.most_contacts,
        summary.start_energy,
        summary.end_energy,
    );
    if writes && summary.frames > 0 {
        let percent = 100.0 * summary.write_time / summary.step_time.max(1e-9);
        text += &format!(
            "writing   {} frames in {:.3} s ({percent:.1} % of the steps)\n",
            summary.frames, summary.write_time
        );
    }
    text
}

/// Says on standard error what is doubtful.
pub(crate) fn tell_warning(warning: &str) {
    eprintln!("warning: {warning}");
}

/// Shows what a script prints, on standard error: standard output is for what was asked for.
fn tell_said(line: &str) {
    let shown: String = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    eprintln!("script: {shown}");
}

/// A line that says how far the run is.
pub(crate) struct Progress {
    visible: bool,
    begun: Instant,
    shown: Option<Instant>,
}

impl Progress {
    const EVERY: Duration = Duration::from_millis(100);

    pub(crate) fn new(visible: bool) -> Self {
        Self { visible, begun: Instant::now(), shown: None }
    }

    pub(crate) fn show(&mut self, scene: &Scene) {
        if !self.visible || self.shown.is_some_and(|shown| shown.elapsed() < Self::EVERY) {
            return;
        }
        self.shown = Some(Instant::now());
        let time = scene.world.time();
        let done = (time / scene.duration).clamp(0.0, 1.0);
        let filled = (30.0 * done) as usize;
        let speed = time / self.begun.elapsed().as_secs_f64().max(1e-9);
        let left = if speed > 0.0 { (scene.duration - time) / speed } else { 0.0 };
        eprint!(
            "\r[{}{}] {time:.2} of {} s  {speed:.1} × real time  {left:.0} s to go \x1b[K",
            "█".repeat(filled),
            "░".repeat(30 - filled),
            scene.duration
        );
        let _not_vital = std::io::stderr().flush();
    }

    /// Runs a scene with this line below; warnings go above it, and `watch` sees the scene after every step.
    pub(crate) fn of(self, runner: Runner<'_>, scene: &mut Scene, mut watch: impl FnMut(&Scene)) -> Summary {
        let progress = RefCell::new(self);
        let warn = |warning: &str| {
            progress.borrow().clear();
            tell_warning(warning);
        };
        let say = |line: &str| {
            progress.borrow().clear();
            tell_said(line);
        };
        let summary = runner
            .saying(say)
            .telling(|scene| {
                progress.borrow_mut().show(scene);
                watch(scene);
            })
            .warning(warn)
            .run(scene);
        progress.borrow().clear();
        if summary.energy_out_of_nothing.times > 1 {
            summary.energy_out_of_nothing.warning().iter().for_each(|warning| tell_warning(warning));
        }
        if summary.storms.times > 1 {
            summary.storms.warning().iter().for_each(|warning| tell_warning(warning));
        }
        summary
    }

    pub(crate) fn clear(&self) {
        if self.visible {
            eprint!("\r\x1b[K");
        }
    }
}

/// Collects the curves of a plot.
struct Sketch {
    path: PathBuf,
    draft: Draft,
    columns: Columns,
    /// The columns of y, and that of x.
    ys: Vec<usize>,
    x: usize,
    curves: Vec<Curve>,
    row: Vec<f64>,
    title: String,
    /// Every so many frames a point is taken; doubled when there are too many.
    stride: u64,
    frames: u64,
}

impl Sketch {
    /// The most points kept of a curve.
    const MOST: usize = 200_000;

    /// `FILE`, `FILE=Y,Y2` or `FILE=Y:X`.
    fn new(description: &str, scene: &Scene) -> Result<Self, Failure> {
        let columns = Columns::of(scene);
        let (file, what) = match description.split_once('=') {
            Some((file, what)) => (file, what.to_owned()),
            None => {
                let stem = Path::new(description).file_stem().map(|stem| stem.to_string_lossy().into_owned());
                (description, stem.unwrap_or_default())
            }
        };
        let (ys, x) = what.rsplit_once(':').unwrap_or((&what, "time"));
        let find = |name: &str| {
            columns.names().iter().position(|column| column == name).ok_or_else(|| {
                let names = || columns.names().iter().map(String::as_str);
                let of_body = |column: &&str| column.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
                let parts: Vec<&str> = names().filter(of_body).collect();
                let help = match parts.first() {
                    Some(first) => format!("did you mean `{first}`? Of `{name}` there are {}", parts.join(", ")),
                    None => suggestion(name, names()),
                };
                Failure::Request(format!("--plot {description}: there is no column `{name}`; {help}"))
            })
        };
        let ys = ys.split(',').map(|name| find(name.trim())).collect::<Result<Vec<_>, _>>()?;
        let x = find(x.trim())?;
        let path = PathBuf::from(file);
        let draft = Draft::beside(&path).map_err(|error| Failure::Write(format!("{}: {error}", path.display())))?;
        let curve = |&y: &usize| Curve { name: columns.names()[y].clone(), points: Vec::new() };
        let curves = ys.iter().map(curve).collect();
        let title = scene.title.clone();
        Ok(Self { path, draft, columns, ys, x, curves, row: Vec::new(), title, stride: 1, frames: 0 })
    }
}

impl Output for Sketch {
    fn path(&self) -> &Path {
        &self.path
    }

    fn frame(&mut self, world: &World) -> Result<(), RecordError> {
        self.frames += 1;
        if !(self.frames - 1).is_multiple_of(self.stride) {
            return Ok(());
        }
        self.columns.row(world, &mut self.row);
        let curves = &mut self.curves;
        for (curve, &y) in curves.iter_mut().zip(&self.ys) {
            curve.points.push([self.row[self.x], self.row[y]]);
        }
        if curves.first().is_some_and(|curve| curve.points.len() >= Self::MOST) {
            for curve in curves.iter_mut() {
                let mut index = 0;
                curve.points.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
            }
            self.stride *= 2;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        let names = self.columns.names();
        let plot = Plot {
            title: self.title.clone(),
            x_label: labelled(&names[self.x]),
            y_label: if let [y] = self.ys[..] { labelled(&names[y]) } else { unit(&names[self.ys[0]]).to_owned() },
            curves: std::mem::take(&mut self.curves),
            logarithmic: false,
            equal_scales: self.ys.iter().chain([&self.x]).all(|&column| unit(&names[column]) == "m"),
        };
        let written = self.draft.write_all(plot.to_svg().as_bytes()).and_then(|()| self.draft.finish());
        written.map_err(|source| RecordError::Io { path: self.path.clone(), source })
    }
}

fn labelled(column: &str) -> String {
    match unit(column) {
        "" => column.to_owned(),
        unit => format!("{column} / {unit}"),
    }
}

/// The unit of a column.
fn unit(column: &str) -> &'static str {
    match column.rsplit('.').next().unwrap_or(column) {
        "time" => "s",
        "kinetic" | "potential" | "energy" => "J",
        "x" | "y" | "z" => "m",
        "vx" | "vy" | "vz" => "m/s",
        "wx" | "wy" | "wz" => "rad/s",
        "ax" | "ay" | "az" => "m/s²",
        "angular_ax" | "angular_ay" | "angular_az" => "rad/s²",
        "fx" | "fy" | "fz" | "contact_fx" | "contact_fy" | "contact_fz" => "N",
        "tx" | "ty" | "tz" | "contact_tx" | "contact_ty" | "contact_tz" => "N m",
        "dt" | "integration_step" | "stumbled" => "s",
        _ => "",
    }
}
