//! `tumble report methods`: one scene, all methods, with their error against `accurate` and their cost.
//!
//! The scene runs with `accurate` first, and every step of it is kept. Then it runs with the others, step beside step. With x the place of a
//! body and x̂ where `accurate` has it, the error is `√(mean |x − x̂|²)` over all bodies that move and all steps, and `max |x − x̂|`.

use crate::args::{Energy, MethodsReport, SceneChoice};
use crate::compare::contender;
use crate::failure::{Failure, print};
use crate::run::{Progress, stop_flag};
use glam::DVec3;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tumble_dynamics::World;

/// What the others are compared with.
const REFERENCE: &str = "accurate";

/// A run and where the bodies were after each step.
struct Track {
    times: Vec<f64>,
    places: Vec<Vec<DVec3>>,
    row: Row,
}

/// What is told of a method.
struct Row {
    method: String,
    /// Root mean square and largest distance from the reference, in metres; none for the reference itself.
    error: Option<[f64; 2]>,
    /// By how much the energy changed, in joules.
    energy: f64,
    /// Seconds on the clock per second of simulated time.
    cost: f64,
    /// How far it came, in seconds.
    time: f64,
    /// Why it did not come to the end.
    problem: Option<String>,
}

pub(crate) fn report(options: &MethodsReport) -> Result<(), Failure> {
    let registry = crate::plugins::registry();
    let all = registry.methods.parts().map(|part| part.name.clone());
    let methods: Vec<String> = if options.methods.is_empty() { all.collect() } else { options.methods.clone() };
    let choice = SceneChoice {
        scene: options.scene.clone(),
        until: options.until,
        dt: options.dt,
        settings: options.settings.clone(),
        energy: Some(Energy::Off),
        budget: 1.0,
        keys: None,
    };
    let reference = follow(&choice, REFERENCE, options.patience, None)?;
    let title = contender(&choice, REFERENCE)?.scene.title;
    let mut rows = Vec::new();
    for method in methods.iter().filter(|&method| method != REFERENCE) {
        rows.push(follow(&choice, method, options.patience, Some(&reference))?.row);
    }
    rows.insert(0, reference.row);
    let text = match (options.json, options.markdown) {
        (true, _) => {
            format!("{:#}\n", json!({ "scene": title, "methods": rows.iter().map(Row::to_json).collect::<Vec<_>>() }))
        }
        (_, true) => to_markdown(&rows),
        _ => to_text(&title, &rows),
    };
    print(&text)?;
    if stop_flag().load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Runs the scene with a method and compares it with the reference, step by step.
fn follow(choice: &SceneChoice, method: &str, patience: f64, reference: Option<&Track>) -> Result<Track, Failure> {
    let mut one = contender(choice, method)?;
    let (dt, end) = (one.scene.dt, one.scene.duration);
    let (progress, stop) = (Progress::new(false), stop_flag());
    let (mut times, mut places) = (Vec::new(), Vec::new());
    let (mut squares, mut largest, mut count) = (0.0, 0.0_f64, 0_usize);
    let mut problem = None;
    while one.scene.world.time() + 1e-3 * dt < end && problem.is_none() {
        let next = match reference {
            // The reference may not have come to the end.
            Some(track) => match track.times.get(times.len()) {
                Some(&time) => time,
                None => break,
            },
            None => one.scene.world.time() + dt,
        };
        match one.advance(next, &progress) {
            Ok(()) => {}
            Err(Failure::Step(error)) => {
                problem = Some(error);
                break;
            }
            Err(failure) => return Err(failure),
        }
        let now = places_of(&one.scene.world);
        if let Some(then) = reference.and_then(|track| track.places.get(times.len())) {
            for (a, b) in now.iter().zip(then) {
                squares += a.distance_squared(*b);
                largest = largest.max(a.distance(*b));
                count += 1;
            }
        }
        times.push(next);
        if reference.is_none() {
            places.push(now);
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if one.wall_time > patience {
            problem = Some(format!("took more than {patience} s"));
        }
    }
    let time = one.scene.world.time();
    let row = Row {
        method: method.to_owned(),
        error: reference.filter(|_| count > 0).map(|_| [(squares / count as f64).sqrt(), largest]),
        energy: one.energy_drift(),
        cost: one.wall_time / time.max(f64::MIN_POSITIVE),
        time,
        problem,
    };
    Ok(Track { times, places, row })
}

/// Where the bodies are that move.
fn places_of(world: &World) -> Vec<DVec3> {
    world.bodies().filter(|(_, body)| body.model().kind.moves()).map(|(_, body)| body.position()).collect()
}

impl Row {
    /// The cells of the table: error on the mean, largest error, energy, cost, and what went wrong.
    fn cells(&self) -> [String; 5] {
        let distance = |index: usize| self.error.map_or("—".to_owned(), |error| format!("{:.1e} m", error[index]));
        let problem = match &self.problem {
            Some(problem) => format!("ended at {:.3} s: {problem}", self.time),
            None => String::new(),
        };
        // A method that could not take a step has nothing to show.
        if self.time == 0.0 {
            return ["—".into(), "—".into(), "—".into(), "—".into(), problem];
        }
        let cost = format!("{:.3} ms", 1e3 * self.cost);
        [distance(0), distance(1), format!("{:+.1e} J", self.energy), cost, problem]
    }

    fn to_json(&self) -> Value {
        let error = self.error.unwrap_or_default();
        json!({
            "method": self.method, "mean_error": error[0], "largest_error": error[1], "energy_drift": self.energy,
            "cost": self.cost, "time": self.time, "problem": self.problem,
        })
    }
}

fn to_text(title: &str, rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.method.chars().count()).max().unwrap_or(0);
    let mut text = format!("{title}: distances from {REFERENCE}, cost of a second\n\n");
    for row in rows {
        let [mean, largest, energy, cost, problem] = row.cells();
        let line = format!("{:width$}  {mean:>10}  {largest:>10}  {energy:>11}  {cost:>13}  {problem}", row.method);
        text += &format!("{}\n", line.trim_end());
    }
    text
}

fn to_markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| method | mean error | largest error | energy | cost of a second | |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        text += &format!("| `{}` | {} |\n", row.method, row.cells().join(" | "));
    }
    text
}
