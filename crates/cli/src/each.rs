//! `tumble run SCENE --method each`: one scene with every method there is, one after the other, and a line for each.
//!
//! A method that has no answer to something in the scene says so and names others; that is no failure as long as one of them comes to the end. The
//! method of the scene keeps the settings that the scene gives it, the others have their own defaults.

use crate::args::Run;
use crate::failure::{Failure, print};
use crate::run::{Progress, outcome, stop_flag, to_json};
use crate::scene::{load_within, method_setting};
use serde_json::Value;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use tumble_dynamics::StepError;
use tumble_scene::run::{Runner, Summary};

/// What stands in the place of a method's name.
pub(crate) const EACH: &str = "each";

pub(crate) fn run(options: &Run) -> Result<(), Failure> {
    if !options.outputs.is_empty() || !options.plots.is_empty() || options.profile {
        let problem = "--method each runs the scene many times: --out, --plot and --profile want one method";
        return Err(Failure::Request(problem.into()));
    }
    let choice = &options.choice;
    let usual = load_within(&choice.scene, &choice.all_settings(), choice.budget)?;
    let (stop, registry) = (stop_flag(), crate::plugins::registry());
    let width = registry.methods.parts().map(|part| part.name.len()).max().unwrap_or(0);
    if !options.json {
        print(&format!("{}\n", usual.title))?;
    }
    let (mut rows, mut came_to_the_end, mut failure) = (Vec::new(), false, None);
    for name in registry.methods.parts().map(|part| part.name.as_str()) {
        let settings: Vec<String> = std::iter::once(method_setting(name)?).chain(choice.all_settings()).collect();
        let mut scene = load_within(&choice.scene, &settings, choice.budget)?;
        let runner = Runner::default().stopping_when(|| stop.load(Ordering::Relaxed));
        let progress = Progress::new(!options.quiet && std::io::stderr().is_terminal());
        let summary = progress.of(runner, &mut scene, |_| {});
        match options.json {
            true => rows.push(to_json(options, &scene, &summary, &[])),
            false => print(&format!("{name:width$}  {}\n", line(&summary)))?,
        }
        let cannot = matches!(summary.step_error, Some(StepError::Cannot { .. }));
        match outcome(summary) {
            Ok(()) => came_to_the_end = true,
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(Failure::Step(error)) if cannot => failure = failure.or(Some((false, error))),
            Err(Failure::Step(error)) => failure = Some((true, format!("{name}: {error}"))),
            Err(other) => return Err(other),
        }
    }
    if options.json {
        print(&format!("{:#}\n", Value::Array(rows)))?;
    }
    match failure {
        Some((serious, error)) if serious || !came_to_the_end => Err(Failure::Step(error)),
        _ => Ok(()),
    }
}

/// What became of a run, in a line.
fn line(summary: &Summary) -> String {
    let end = summary.step_error.as_ref().map(ToString::to_string).or_else(|| summary.over_budget.clone());
    if let (Some(problem), 0) = (&end, summary.steps) {
        return problem.clone();
    }
    let change = summary.end_energy - summary.start_energy;
    let step = 1e3 * summary.step_time / summary.steps.max(1) as f64;
    let stopped = if summary.stopped { " (stopped)" } else { "" };
    let mut text = format!(
        "{:.3} s simulated in {:.3} s{stopped}, {} steps of {step:.3} ms, energy {change:+.3e} J",
        summary.time, summary.wall_time, summary.steps
    );
    if let Some(problem) = end {
        text += &format!("; ended: {problem}");
    }
    text
}
