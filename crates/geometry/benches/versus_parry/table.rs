//! Timing two engines in turns, and the table of results.

use std::time::{Duration, Instant};

/// How many times each engine does the work of a case; the fastest counts.
const ROUNDS: usize = 40;
/// No case takes longer than this.
const PATIENCE: Duration = Duration::from_secs(10);

/// One line of the table.
struct Row {
    name: String,
    ours: f64,
    theirs: f64,
}

/// The results so far, and which cases were asked for.
pub(crate) struct Table {
    rows: Vec<Row>,
    filter: Vec<String>,
    markdown: bool,
}

impl Table {
    /// Reads the arguments of the program.
    pub(crate) fn from_arguments() -> Self {
        let mut table = Self { rows: Vec::new(), filter: Vec::new(), markdown: false };
        for argument in std::env::args().skip(1) {
            match argument.as_str() {
                "--markdown" => table.markdown = true,
                // What cargo passes to every benchmark.
                "--bench" => {}
                _ => table.filter.push(argument),
            }
        }
        table
    }

    /// Whether the case is to be measured.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|part| name.contains(part.as_str()))
    }

    /// Measures a case of `slices` pieces of work (at best well below a millisecond each) of `calls` calls each:
    /// `ours(i)` and `theirs(i)` do piece `i`. The pieces are done in order, round after round, and the fastest time of each
    /// piece counts.
    pub(crate) fn measure(
        &mut self,
        name: &str,
        slices: usize,
        calls: usize,
        mut ours: impl FnMut(usize),
        mut theirs: impl FnMut(usize),
    ) {
        let started = Instant::now();
        let mut fastest = vec![[f64::INFINITY; 2]; slices];
        for round in 0..ROUNDS {
            for (slice, best) in fastest.iter_mut().enumerate() {
                best[0] = best[0].min(seconds(|| ours(slice)));
                best[1] = best[1].min(seconds(|| theirs(slice)));
            }
            if round > 2 && started.elapsed() > PATIENCE {
                break;
            }
        }
        let nanoseconds =
            |engine: usize| fastest.iter().map(|best| best[engine]).sum::<f64>() * 1e9 / (slices * calls) as f64;
        let (ours, theirs) = (nanoseconds(0), nanoseconds(1));
        eprintln!("{name}: {ours:.0} ns against {theirs:.0} ns");
        self.rows.push(Row { name: name.to_owned(), ours, theirs });
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        if self.markdown {
            println!("| case | tumble, ns | parry3d-f64, ns | times faster |");
            println!("|---|---:|---:|---:|");
        }
        for Row { name, ours, theirs } in &self.rows {
            let ratio = theirs / ours;
            if self.markdown {
                println!("| {name} | {ours:.0} | {theirs:.0} | {ratio:.2} |");
            } else {
                println!("{name:<48} {ours:>10.1} ns {theirs:>10.1} ns {ratio:>8.2} ×");
            }
        }
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}
