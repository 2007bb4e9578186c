//! `tumble validate`: the reference problems as a table.

use crate::args::Validate;
use crate::failure::{Failure, print};
use crate::scene::method_setting;
use serde_json::{Value, json};
use std::io::IsTerminal;
use tumble_scene::validate::{Conditions, Cost, Finding, Outcome, Problem, Verdict, problems, run};

pub(crate) fn validate(options: &Validate) -> Result<(), Failure> {
    let chosen = choose(options)?;
    if options.list {
        return list(&chosen, options.json);
    }
    method_setting(&options.method)?;
    let conditions = Conditions { method: options.method.clone(), dt: options.dt };
    let style: &dyn Fn(&Outcome) -> String = if options.markdown { &markdown } else { &text };
    if !options.json {
        print(if options.markdown { MARKDOWN_HEAD } else { TEXT_HEAD })?;
    }
    let (mut outcomes, mut printed) = (Vec::new(), Ok(()));
    let bar = Bar { shown: std::io::stderr().is_terminal(), total: chosen.len() };
    bar.show(0);
    run(&chosen, &conditions, |outcome| {
        bar.clear();
        if !options.json {
            printed = print(&style(&outcome));
        }
        outcomes.push(outcome);
        bar.show(outcomes.len());
        printed.is_ok()
    });
    bar.clear();
    printed?;
    if options.json {
        let rows: Vec<Value> = outcomes.iter().map(to_json).collect();
        print(&format!("{:#}\n", Value::Array(rows)))?;
    } else if !options.markdown {
        print(&sum_up(&outcomes))?;
        let left_out = problems().filter(|problem| problem.cost == Cost::Slow).count();
        if options.names.is_empty() && !options.all {
            print(&format!("{left_out} slow problems were left out: --all looks at them, too\n"))?;
        }
    }
    if outcomes.iter().any(Outcome::has_failed) { Err(Failure::Validation) } else { Ok(()) }
}

/// How far the measurements have come, on a terminal.
struct Bar {
    shown: bool,
    total: usize,
}

impl Bar {
    const WIDTH: usize = 40;

    fn show(&self, done: usize) {
        if self.shown {
            let full = Self::WIDTH * done / self.total.max(1);
            eprint!("\r[{}{}] {done} of {} problems", "#".repeat(full), " ".repeat(Self::WIDTH - full), self.total);
        }
    }

    fn clear(&self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}

/// The problems whose names contain any of the words asked for; without a word, those that are quick.
fn choose(options: &Validate) -> Result<Vec<&'static Problem>, Failure> {
    let is_meant = |problem: &&Problem| match &options.names[..] {
        [] => options.all || options.list || problem.cost == Cost::Quick,
        words => words.iter().any(|word| problem.name.contains(word.as_str())),
    };
    let chosen: Vec<_> = problems().filter(is_meant).collect();
    if chosen.is_empty() {
        let words = options.names.join("\", \"");
        return Err(Failure::Request(format!("no problem is called \"{words}\"; see tumble validate --list")));
    }
    Ok(chosen)
}

fn list(chosen: &[&Problem], as_json: bool) -> Result<(), Failure> {
    let slow = |problem: &Problem| problem.cost == Cost::Slow;
    if as_json {
        let rows = chosen.iter().map(|p| json!({ "problem": p.name, "about": p.about, "slow": slow(p) })).collect();
        return print(&format!("{:#}\n", Value::Array(rows)));
    }
    let row = |p: &&Problem| format!("{:34} {}{}\n", p.name, p.about, if slow(p) { " (slow)" } else { "" });
    print(&chosen.iter().map(row).collect::<String>())
}

const TEXT_HEAD: &str = "\
problem                            quantity                                            measured      expected     error  tolerance   time/s  verdict
";

const MARKDOWN_HEAD: &str = "\
| problem | quantity | measured | expected | error | tolerance | time | verdict |
|---|---|---:|---:|---:|---:|---:|---|
";

/// A row for each quantity; the problem is named in the first.
fn text(outcome: &Outcome) -> String {
    let mut name = outcome.problem.name;
    let mut time = format!("{:.2}", outcome.seconds);
    let mut rows = String::new();
    for finding in &outcome.findings {
        let [measured, expected, error, tolerance] = numbers(finding);
        // What is too long for its column gets a line for itself.
        let quantity = &finding.quantity;
        let quantity = if quantity.chars().count() > 44 { format!("{quantity}\n{:79}", "") } else { quantity.clone() };
        let verdict = finding.verdict().word();
        rows += &format!(
            "{name:34} {quantity:44} {measured:>15} {expected:>13} {error:>9} {tolerance:>10} {time:>8}  {verdict}"
        );
        rows += &finding.limit.map_or_else(String::new, |limit| format!(": {}", limit.reason));
        rows.push('\n');
        name = "";
        time.clear();
    }
    if let Some(trouble) = &outcome.trouble {
        rows += &format!("{name:34} FAILED: {trouble}\n");
    }
    rows
}

fn markdown(outcome: &Outcome) -> String {
    let mut name = outcome.problem.name;
    let mut time = format!("{:.2} s", outcome.seconds);
    let mut rows = String::new();
    for finding in &outcome.findings {
        let [measured, expected, error, tolerance] = numbers(finding);
        let (quantity, verdict) = (&finding.quantity, finding.verdict().word());
        rows += &format!(
            "| {name} | {quantity} | {measured} | {expected} | {error} | {tolerance} | {time} | {verdict} |\n"
        );
        name = "";
        time.clear();
    }
    if let Some(trouble) = &outcome.trouble {
        rows += &format!("| {name} | {trouble} | | | | | {time} | FAILED |\n");
    }
    rows
}

fn numbers(finding: &Finding) -> [String; 4] {
    let Finding { measured, expected, error, tolerance, .. } = *finding;
    [number(measured), number(expected), format!("{error:.1e}"), format!("{tolerance:.0e}")]
}

/// Nine digits.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if (1e-4..1e7).contains(&size) {
        let before = if size < 1.0 { 1 } else { size.log10() as usize + 1 };
        format!("{value:.*}", 9 - before)
    } else {
        format!("{value:.3e}")
    }
}

fn to_json(outcome: &Outcome) -> Value {
    let findings = outcome.findings.iter().map(|finding| {
        json!({
            "quantity": finding.quantity,
            "measured": finding.measured,
            "expected": finding.expected,
            "error": finding.error,
            "relative": finding.relative,
            "tolerance": finding.tolerance,
            "verdict": finding.verdict().word().to_lowercase(),
            "reason": finding.limit.map(|limit| limit.reason),
            "known_error": finding.limit.map(|limit| limit.known_error),
        })
    });
    json!({
        "problem": outcome.problem.name,
        "about": outcome.problem.about,
        "seconds": outcome.seconds,
        "trouble": outcome.trouble,
        "findings": findings.collect::<Vec<_>>(),
    })
}

fn sum_up(outcomes: &[Outcome]) -> String {
    let count = |verdict: Verdict| {
        outcomes.iter().flat_map(|outcome| &outcome.findings).filter(|finding| finding.verdict() == verdict).count()
    };
    let trouble = match outcomes.iter().filter(|outcome| outcome.trouble.is_some()).count() {
        0 => String::new(),
        1 => "; 1 problem could not be measured, which counts as failed".into(),
        troubled => format!("; {troubled} problems could not be measured, which counts as failed"),
    };
    format!(
        "{} problems, {} quantities: {} passed, {} not reached, {} failed{trouble}\n",
        outcomes.len(),
        outcomes.iter().map(|outcome| outcome.findings.len()).sum::<usize>(),
        count(Verdict::Passed),
        count(Verdict::NotReached),
        count(Verdict::Failed),
    )
}
