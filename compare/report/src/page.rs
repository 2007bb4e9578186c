//! The page of the book: tables of time, of quality and of truth.

use crate::results::Results;
use compare_scenes::measure::Timing;
use std::fmt::Write;

/// How much of everything was measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Few scenes, a few steps.
    Quick,
    /// All scenes once, a quarter of the timed steps.
    Brief,
    Whole,
}

/// The page as Markdown.
pub(crate) fn write(results: &Results, engines: &[String], kind: Kind) -> String {
    let mut text = String::from(HEAD);
    text += match kind {
        Kind::Quick => {
            "**This is a quick run**: fewer scenes, three tenths of the steps, one repetition, one thread. Take it as a sign of life.\n\n"
        }
        Kind::Brief => {
            "This is a brief run: all scenes and tests once, with all steps before and a quarter of those that are timed. Where an engine took too long, it was told to end sooner (†): its numbers are then of an earlier state.\n\n"
        }
        Kind::Whole => "",
    };
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("an unknown processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let _ = writeln!(text, "Measured on {processor}, {cores} cores. Engines: {}.\n", engines.join(", "));
    let _ = writeln!(text, "| scene | |\n|---|---|");
    for (name, what) in compare_scenes::scenes::SCENES.iter().filter(|(name, _)| results.scenes().contains(name)) {
        let _ = writeln!(text, "| {name} | {what} |");
    }
    text.push('\n');
    for threads in [1, 2] {
        times(&mut text, results, engines, threads);
    }
    quality(&mut text, results, engines);
    truth(&mut text, results, engines);
    text
}

const HEAD: &str = "# Benchmarks beside other engines

This page is written by `compare/run.sh`, which builds what can be built of rapier3d 0.36 (four and eight lanes), Box3D 0.1, Jolt 5.0
and Bullet 3.24, and runs the same scenes in all of them: 1/60 s, g = 9.81 m/s², friction 0.5, each engine at its default settings,
sleeping and damping off; tumble with the real-time method at its defaults. Engines take turns; of several repetitions the fastest
counts. Overlap, drift and gaps of joints are worked out from the poses that each engine gives back, with tumble's geometry, so
that all are judged alike. A dash means that an engine did not do it.

";

fn header(text: &mut String, first: &str, engines: &[String]) {
    let _ = writeln!(text, "| {first} | {} |", engines.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(engines.len()));
}

/// A table of milliseconds, and how many times as fast tumble is.
fn times(text: &mut String, results: &Results, engines: &[String], threads: usize) {
    let any = results
        .scenes()
        .iter()
        .any(|scene| engines.iter().any(|engine| results.best(engine, scene, threads).is_some()));
    if !any {
        return;
    }
    let what = if threads == 1 {
        "1 thread\n\nProcessor time of the steps, which on a quiet machine is the time by the clock."
    } else {
        "2 threads\n\nTime by the clock."
    };
    let _ = writeln!(text, "## Milliseconds a step, {what} The fastest is bold.\n");
    header(text, "scene (bodies)", engines);
    let mut logarithms: Vec<(f64, u32)> = vec![(0.0, 0); engines.len()];
    let (mut against_best, mut counted) = (0.0, 0_u32);
    for scene in results.scenes() {
        let row: Vec<Option<Timing>> = engines.iter().map(|engine| results.best(engine, scene, threads)).collect();
        let fastest = row.iter().flatten().map(|timing| timing.milliseconds()).fold(f64::INFINITY, f64::min);
        let own = row.iter().flatten().find(|timing| timing.engine == "tumble").map(|timing| timing.milliseconds());
        let bodies = row.iter().flatten().next().map_or(0, |timing| timing.bodies);
        let cells: Vec<String> = row.iter().map(|timing| cell(timing.as_ref(), fastest)).collect();
        let _ = writeln!(text, "| {scene} ({bodies}) | {} |", cells.join(" | "));
        let Some(own) = own else { continue };
        for (sum, timing) in logarithms.iter_mut().zip(&row) {
            if let Some(timing) = timing {
                *sum = (sum.0 + (timing.milliseconds() / own).ln(), sum.1 + 1);
            }
        }
        let others =
            row.iter().flatten().filter(|timing| timing.engine != "tumble").map(|timing| timing.milliseconds());
        let best = others.fold(f64::INFINITY, f64::min);
        if best.is_finite() {
            (against_best, counted) = (against_best + (best / own).ln(), counted + 1);
        }
    }
    let mean = |(sum, count): (f64, u32)| {
        if count > 0 { format!("{:.2}", (sum / f64::from(count)).exp()) } else { "–".into() }
    };
    let cells: Vec<String> = logarithms.into_iter().map(mean).collect();
    let _ = writeln!(text, "| *time / tumble's, geometric mean* | {} |", cells.join(" | "));
    let _ = writeln!(
        text,
        "\nThe fastest of the others in each scene takes {} times as long as tumble, in the geometric mean.\n",
        mean((against_best, counted))
    );
    if threads > 1 {
        gain(text, results, threads);
    }
    let _ = writeln!(text, "![Milliseconds a step](images/benchmarks-{threads}.svg)\n");
    rays(text, results, engines, threads);
}

/// What more threads bring to tumble.
fn gain(text: &mut String, results: &Results, threads: usize) {
    let gains = results.scenes().into_iter().filter_map(|scene| {
        let [one, more] = [1, threads].map(|threads| results.best("tumble", scene, threads));
        Some(format!("{scene} {:.2}", one?.mean / more?.mean))
    });
    let gains: Vec<String> = gains.collect();
    let _ =
        writeln!(text, "Time by the clock of tumble with one thread over that with {threads}: {}.\n", gains.join(", "));
}

fn cell(timing: Option<&Timing>, fastest: f64) -> String {
    match timing {
        Some(timing) => {
            let mark = if timing.cut { "†" } else { "" };
            match timing.milliseconds() {
                time if time <= fastest => format!("**{time:.3}**{mark}"),
                time => format!("{time:.3}{mark}"),
            }
        }
        None => "–".into(),
    }
}

fn rays(text: &mut String, results: &Results, engines: &[String], threads: usize) {
    let times: Vec<Option<f64>> = engines.iter().map(|engine| results.best(engine, "box_pile", threads)?.ray).collect();
    if threads == 1 && times.iter().any(Option::is_some) {
        let told = engines.iter().zip(times).filter_map(|(engine, time)| Some(format!("{engine} {:.2} µs", time?)));
        let _ = writeln!(text, "A ray into box_pile: {}.\n", told.collect::<Vec<_>>().join(", "));
    }
}

/// How good the states are at the end.
fn quality(text: &mut String, results: &Results, engines: &[String]) {
    let _ = writeln!(
        text,
        "## Quality at the end\n\nOverlap mean / largest / peak on the way in mm; largest drift in m; gaps of joints mean / largest in mm; root mean square speed in m/s; bodies lost.\n"
    );
    header(text, "scene", engines);
    for scene in results.scenes() {
        let cells: Vec<String> = engines
            .iter()
            .map(|engine| {
                let Some(timing) = results.best(engine, scene, 1) else {
                    return results.problem(engine, scene).map_or("–".into(), |problem| problem.replace('|', "/"));
                };
                let q = timing.quality;
                let mut cell = format!(
                    "{:.1} / {:.0} / {:.0}; {:.2}",
                    1e3 * q.overlap_mean,
                    1e3 * q.overlap_max,
                    1e3 * timing.peak,
                    q.drift
                );
                if q.joint_max > 0.0 {
                    let _ = write!(cell, "; {:.1} / {:.1}", 1e3 * q.joint_mean, 1e3 * q.joint_max);
                }
                let _ = write!(cell, "; {:.3}", q.speed);
                if q.lost > 0 {
                    let _ = write!(cell, "; **{} lost**", q.lost);
                }
                cell
            })
            .collect();
        let _ = writeln!(text, "| {scene} | {} |", cells.join(" | "));
    }
    text.push('\n');
}

/// Small scenes with known answers.
fn truth(text: &mut String, results: &Results, engines: &[String]) {
    let _ = writeln!(
        text,
        "## Truth at default settings\n\nSmall scenes with known answers. *Falls* stands for what fell over or flew away.\n"
    );
    header(text, "test | exact", engines);
    // The column of exact values is one more.
    let rule = text.rfind("|---|").map_or(text.len(), |place| place);
    text.insert_str(rule, "|---");
    for test in &compare_scenes::truth::TESTS {
        let cells: Vec<String> = engines
            .iter()
            .map(|engine| match results.truth(engine, test.name) {
                Some(value) if value.is_finite() => number(value),
                Some(_) => "falls".into(),
                None => "–".into(),
            })
            .collect();
        let _ = writeln!(text, "| {} | {} | {} |", test.what, test.exact, cells.join(" | "));
    }
}

/// A number with three digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size < 1e-3 => format!("{value:.1e}"),
        size if size < 1.0 => format!("{value:.4}"),
        size if size < 100.0 => format!("{value:.2}"),
        _ => format!("{value:.0}"),
    }
}
