//! `tumble bench`: how fast scenes run.

use crate::args::Bench;
use crate::failure::{Failure, print};
use crate::run::{Progress, outcome, stop_flag};
use crate::scene::load;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tumble_scene::run::Runner;

/// What is measured if nothing is named.
const USUAL: [&str; 6] = ["pendulum-8", "cradle-3", "dominoes", "pyramid", "pile", "spiral-track"];

pub(crate) fn bench(options: &Bench) -> Result<(), Failure> {
    let named: Vec<&str> = options.scenes.iter().map(String::as_str).collect();
    let scenes = if named.is_empty() { USUAL.to_vec() } else { named };
    let stop = stop_flag();
    let mut rows = Vec::new();
    // What is wrong with one of them is said before anything is measured.
    let load = |name: &str| load(name, &[format!("duration={:?}", options.until), options.energy.setting()]);
    scenes.iter().try_for_each(|name| load(name).map(drop))?;
    if !options.json {
        print("scene               bodies    steps   ms/step    × real time\n")?;
    }
    for name in scenes {
        let mut scene = load(name)?;
        let runner = Runner::default().stopping_when(|| stop.load(Ordering::Relaxed));
        let summary = Progress::new(false).of(runner, &mut scene);
        let step = 1e3 * summary.step_time / summary.steps.max(1) as f64;
        let speed = summary.time / summary.step_time.max(1e-12);
        if options.json {
            rows.push(json!({
                "scene": name, "bodies": summary.bodies, "steps": summary.steps, "ms_per_step": step, "speed": speed,
            }));
        } else {
            print(&format!("{name:18} {:7} {:8} {step:9.4} {speed:14.2}\n", summary.bodies, summary.steps))?;
        }
        outcome(summary)?;
    }
    if options.json { print(&format!("{:#}\n", Value::Array(rows))) } else { Ok(()) }
}
