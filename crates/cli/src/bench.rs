//! `tumble bench`: how fast scenes run, with every method.
//!
//! Each scene runs for as long as it is told, or until its share of the patience ends, whichever comes first; so the whole table
//! takes a time that is known beforehand, whatever the methods cost.

use crate::args::Bench;
use crate::failure::{Failure, print};
use crate::run::{Progress, outcome, stop_flag};
use crate::scene::{load, method_setting};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tumble_scene::run::{Runner, Summary};

/// What is measured if nothing is named.
const USUAL: [&str; 6] = ["pendulum-8", "cradle-3", "dominoes", "pyramid", "pile", "spiral-track"];

pub(crate) fn bench(options: &Bench) -> Result<(), Failure> {
    let usual = || USUAL.iter().map(|&name| name.to_owned()).collect();
    let scenes: Vec<String> = if options.scenes.is_empty() { usual() } else { options.scenes.clone() };
    let registry = crate::plugins::registry();
    let all = || registry.methods.parts().map(|part| part.name.clone()).collect();
    let methods: Vec<String> = if options.methods.is_empty() { all() } else { options.methods.clone() };
    let load = |name: &str, method: &str| {
        load(name, &[method_setting(method)?, format!("duration={:?}", options.until), options.energy.setting()])
    };
    // What is wrong with a scene or a name is said before anything is measured.
    methods.iter().try_for_each(|method| method_setting(method).map(drop))?;
    scenes.iter().try_for_each(|name| load(name, &methods[0]).map(drop))?;
    let share = Duration::from_secs_f64((options.patience / (scenes.len() * methods.len()) as f64).min(1e6));
    let mut rows = Vec::new();
    if !options.json {
        print("scene              method        bodies contacts    steps   ms/step  × real time\n")?;
    }
    for (name, method) in scenes.iter().flat_map(|name| methods.iter().map(move |method| (name, method))) {
        let measured = load(name, method).and_then(|mut scene| {
            let begun = Instant::now();
            let interrupted = || stop_flag().load(Ordering::Relaxed);
            let runner = Runner::default().stopping_when(|| interrupted() || begun.elapsed() > share);
            let summary = Progress::new(false).of(runner, &mut scene, |_| {});
            let row = Row::of(&summary);
            outcome(Summary { stopped: interrupted(), ..summary }).map(|()| row)
        });
        match measured {
            Ok(row) if options.json => rows.push(row.to_json(name, method)),
            Ok(row) => print(&row.to_text(name, method))?,
            // A method that was not asked for by name may not be made for every scene.
            Err(Failure::Step(_) | Failure::Scene(_)) if options.methods.is_empty() && methods.len() > 1 => {
                if !options.json {
                    print(&format!("{name:18} {method:12} cannot run this scene to its end\n"))?;
                }
            }
            Err(failure) => return Err(failure),
        }
    }
    if options.json { print(&format!("{:#}\n", Value::Array(rows))) } else { Ok(()) }
}

/// What was measured of a scene and a method.
struct Row {
    bodies: usize,
    contacts: usize,
    steps: u64,
    /// Milliseconds a step.
    step: f64,
    /// Simulated seconds per second of stepping.
    speed: f64,
}

impl Row {
    fn of(summary: &Summary) -> Self {
        Self {
            bodies: summary.bodies,
            contacts: summary.most_contacts,
            steps: summary.steps,
            step: 1e3 * summary.step_time / summary.steps.max(1) as f64,
            speed: summary.time / summary.step_time.max(1e-12),
        }
    }

    fn to_text(&self, name: &str, method: &str) -> String {
        let Self { bodies, contacts, steps, step, speed } = self;
        format!("{name:18} {method:12} {bodies:7} {contacts:8} {steps:8} {step:9.4} {speed:12.2}\n")
    }

    fn to_json(&self, name: &str, method: &str) -> Value {
        let Self { bodies, contacts, steps, step, speed } = self;
        json!({
            "scene": name, "method": method, "bodies": bodies, "contacts": contacts, "steps": steps,
            "ms_per_step": step, "speed": speed,
        })
    }
}
