//! `tumble sweep`: one scene with many numbers, a row of a table for each run.

use crate::args::Sweep;
use crate::failure::{Failure, print};
use crate::files::{refuse_ending, refuse_inputs};
use crate::run::stop_flag;
use crate::scene::load_choice;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use tumble_scene::draft::Draft;
use tumble_scene::record::Columns;
use tumble_scene::run::{Runner, Summary};

/// The most runs of one sweep.
const MOST_RUNS: usize = 1_000_000;
/// The columns between the values and those of the bodies.
const OF_RUN: [&str; 5] = ["steps", "most_contacts", "start_energy", "energy_out_of_nothing", "error"];

/// A key and the values it takes.
#[derive(Debug)]
struct Varied {
    key: String,
    values: Vec<String>,
}

impl Varied {
    /// `KEY=FROM:TO:COUNT`, `KEY=FROM:TO:COUNT:log` or `KEY=A,B,C`.
    fn read(text: &str) -> Result<Self, Failure> {
        let wrong = |why: &str| Failure::Request(format!("--vary {text}: {why}"));
        let form = "expected KEY=FROM:TO:COUNT, KEY=FROM:TO:COUNT:log or KEY=VALUE,VALUE,…";
        let (key, values) = text.split_once('=').ok_or_else(|| wrong(form))?;
        let key = key.trim().to_owned();
        let parts: Vec<&str> = values.split(':').map(str::trim).collect();
        if key.is_empty() {
            return Err(wrong(form));
        }
        let ([from, to, count] | [from, to, count, "log"]) = parts[..] else {
            let values: Vec<String> = list(values).into_iter().map(str::to_owned).collect();
            return if values.iter().any(String::is_empty) { Err(wrong(form)) } else { Ok(Self { key, values }) };
        };
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let (Some(from), Some(to), Ok(count)) = (number(from), number(to), count.parse::<usize>()) else {
            return Err(wrong(form));
        };
        let is_log = parts.len() == 4;
        if is_log && !(from > 0.0 && to > 0.0) {
            return Err(wrong("what is spread by factors must be above zero"));
        }
        if !(1..=MOST_RUNS).contains(&count) {
            return Err(wrong(&format!("from 1 to {MOST_RUNS} values are possible")));
        }
        let value = |index: usize| {
            let part = if count > 1 { index as f64 / (count - 1) as f64 } else { 0.0 };
            // Both ends are met exactly.
            let between = if is_log { from * libm::pow(to / from, part) } else { from + (to - from) * part };
            let value = if index + 1 == count && count > 1 { to } else { between };
            format!("{value:?}")
        };
        Ok(Self { key, values: (0..count).map(value).collect() })
    }
}

/// The parts of a list, at commas that are in no brackets.
fn list(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// A table row by row, in order, whatever is done first.
struct Table {
    draft: Draft,
    /// The next row to write, and those that are done already behind it.
    next: usize,
    waiting: std::collections::BTreeMap<usize, String>,
    failed: Option<std::io::Error>,
    /// Runs that could not go on.
    broken: usize,
}

impl Table {
    fn add(&mut self, index: usize, row: String) {
        self.waiting.insert(index, row);
        while let Some(row) = self.waiting.remove(&self.next) {
            self.next += 1;
            if self.failed.is_none() {
                self.failed = self.draft.write_all(row.as_bytes()).err();
            }
        }
    }
}

pub(crate) fn sweep(options: &Sweep) -> Result<(), Failure> {
    let is_table = options.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    refuse_ending(("out", &options.out), is_table, "unknown ending; a sweep writes .csv")?;
    let varied = options.vary.iter().map(|text| Varied::read(text)).collect::<Result<Vec<_>, _>>()?;
    let count = varied.iter().fold(1_usize, |count, one| count.saturating_mul(one.values.len()));
    if count > MOST_RUNS {
        return Err(Failure::Request(format!("{count} runs are more than {MOST_RUNS}: vary less")));
    }
    let settings = |index: usize| {
        let mut settings = options.choice.all_settings();
        settings.extend(values(&varied, index).map(|(key, value)| format!("{key}={value}")));
        settings
    };
    let load = |index: usize| load_choice(&options.choice, &settings(index));
    // What is wrong with the first is said before anything is made.
    let first = load(0)?;
    refuse_inputs(&[("out", &options.out)], &first.files)?;
    let failed = |error: std::io::Error| Failure::Write(format!("{}: {error}", options.out.display()));
    let names = Columns::of(&first).names().to_vec();
    let mut table = Table {
        draft: Draft::beside(&options.out).map_err(failed)?,
        next: 0,
        waiting: Default::default(),
        failed: None,
        broken: 0,
    };
    let head = varied.iter().map(|one| one.key.as_str()).chain(OF_RUN).chain(names.iter().map(String::as_str));
    let head: Vec<String> = head.map(quoted).collect();
    table.draft.write_all((head.join(",") + "\n").as_bytes()).map_err(failed)?;
    let visible = !options.quiet && std::io::stderr().is_terminal();
    let (stop, table) = (stop_flag(), Mutex::new(table));
    let (next, done, refused) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        while !stop.load(Ordering::Relaxed) && refused.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            let mut scene = match load(index) {
                Ok(scene) => scene,
                Err(failure) => {
                    refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
                    return;
                }
            };
            let columns = Columns::of(&scene);
            let summary = Runner::default().stopping_when(|| stop.load(Ordering::Relaxed)).run(&mut scene);
            if summary.stopped {
                return;
            }
            let mut row = Vec::new();
            columns.row(&scene.world, &mut row);
            row.resize(names.len(), f64::NAN);
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            table.broken += usize::from(reason(&summary).is_some());
            table.add(index, line(&varied, index, &summary, &row));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if visible {
                let filled = 30 * done / count;
                eprint!("\r{}{} {done} of {count} runs\x1b[K", "█".repeat(filled), "░".repeat(30 - filled));
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let jobs = options.jobs.unwrap_or(cores).clamp(1, 256).min(count);
        (0..jobs).for_each(|_| drop(scope.spawn(work)));
    });
    if visible {
        eprint!("\r\x1b[K");
    }
    if let Some(failure) = refused.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    let mut table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = table.failed.take() {
        return Err(failed(error));
    }
    table.draft.finish().map_err(failed)?;
    print(&format!("wrote {} ({} of {count} runs)\n", options.out.display(), table.next))?;
    match table.broken {
        _ if stop.load(Ordering::Relaxed) => Err(Failure::Interrupted),
        0 => Ok(()),
        broken => Err(Failure::Step(format!("{broken} of {count} runs could not go on: see the column `error`"))),
    }
}

/// The values of a run: the last key changes fastest.
fn values(varied: &[Varied], index: usize) -> impl Iterator<Item = (&str, &str)> {
    let mut sizes: Vec<usize> = Vec::with_capacity(varied.len());
    let mut size = 1;
    for one in varied.iter().rev() {
        sizes.push(size);
        size *= one.values.len();
    }
    varied.iter().zip(sizes.into_iter().rev()).map(move |(one, size)| {
        let value = &one.values[index / size % one.values.len()];
        (one.key.as_str(), value.as_str())
    })
}

/// Why a run could not go on.
fn reason(summary: &Summary) -> Option<String> {
    summary.step_error.as_ref().map(ToString::to_string).or_else(|| summary.over_budget.clone())
}

fn line(varied: &[Varied], index: usize, summary: &Summary, row: &[f64]) -> String {
    let mut line: String = values(varied, index).map(|(_, value)| quoted(value) + ",").collect();
    let error = quoted(&reason(summary).unwrap_or_default());
    let nothing = summary.energy_out_of_nothing.joules;
    let _infallible =
        write!(line, "{},{},{},{nothing},{error}", summary.steps, summary.most_contacts, summary.start_energy);
    row.iter().for_each(|number| line += &format!(",{number}"));
    line + "\n"
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spread_evenly_by_factors_or_listed() {
        let read = |text: &str| Varied::read(text).unwrap().values;
        assert_eq!(read("a.b=1:2:3"), ["1.0", "1.5", "2.0"]);
        assert_eq!(read("a=1:100:3:log"), ["1.0", "10.0", "100.0"]);
        assert_eq!(read("a=x, [1, 2],3"), ["x", "[1, 2]", "3"]);
        assert_eq!(read("a=5:7:1"), ["5.0"]);
        for wrong in ["a", "a=", "=1:2:3", "a=0:1:3:log", "a=1:2:0", "a=1:2:x", "a=1,,2"] {
            assert!(Varied::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn all_combinations_come_once() {
        let varied = [Varied::read("a=1,2,3").unwrap(), Varied::read("b=x,y").unwrap()];
        let all: Vec<String> =
            (0..6).map(|index| values(&varied, index).map(|(_, value)| value).collect::<String>()).collect();
        assert_eq!(all, ["1x", "1y", "2x", "2y", "3x", "3y"]);
    }
}
