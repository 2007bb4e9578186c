//! Runs all engines in all scenes, one after the other in turn, and writes what came out as a page of the book.
//!
//! `report [--quick | --brief] [--fresh] [--repeat N] [--threads 1,2] [--only SCENE,TEST] [--limit SECONDS] [--out PAGE] NAME=PROGRAM …`
//!
//! Every measurement is a line of `results.jsonl` (`results-quick.jsonl`), written when it is done: a run that was interrupted goes on
//! where it was, and `--fresh` begins anew. Engines take turns within each scene and each repetition, so that a busy minute of the
//! machine hurts them all; of several repetitions the fastest counts.

mod page;
mod plot;
mod results;

use page::Kind;
use results::{Job, Results};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What was asked for.
struct Options {
    kind: Kind,
    fresh: bool,
    repeat: usize,
    threads: Vec<usize>,
    /// Scenes and tests of truth; none: all.
    only: Vec<String>,
    /// How long one measurement may take.
    limit: Option<Duration>,
    out: PathBuf,
    engines: Vec<(String, PathBuf)>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        kind: Kind::Whole,
        fresh: false,
        repeat: 3,
        threads: vec![1, 2],
        only: Vec::new(),
        limit: None,
        out: "benchmarks.md".into(),
        engines: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--quick" => options.kind = Kind::Quick,
            "--brief" => (options.kind, options.repeat) = (Kind::Brief, 1),
            "--fresh" => options.fresh = true,
            "--repeat" => options.repeat = value()?.parse().map_err(|_| "--repeat needs a number")?,
            "--threads" => {
                let parsed: Result<Vec<usize>, _> = value()?.split(',').map(str::parse).collect();
                options.threads = parsed.map_err(|_| "--threads needs numbers")?;
            }
            "--only" => options.only.extend(value()?.split(',').map(str::to_owned)),
            "--limit" => {
                let seconds: u32 = value()?.parse().map_err(|_| "--limit needs a number of seconds")?;
                options.limit = Some(Duration::from_secs(seconds.into()));
            }
            "--out" => options.out = value()?.into(),
            other => {
                let (name, path) = other.split_once('=').ok_or_else(|| format!("{other}: expected NAME=PROGRAM"))?;
                options.engines.push((name.into(), path.into()));
            }
        }
    }
    let known = |name: &str| {
        compare_scenes::scenes::names().any(|scene| scene == name)
            || compare_scenes::truth::TESTS.iter().any(|test| test.name == name)
    };
    if let Some(unknown) = options.only.iter().find(|name| !known(name)) {
        let scenes: Vec<&str> = compare_scenes::scenes::names().collect();
        return Err(format!("there is no scene and no test {unknown}; scenes: {}", scenes.join(", ")));
    }
    if options.kind == Kind::Quick {
        (options.repeat, options.threads) = (1, vec![1]);
    }
    Ok(options)
}

fn main() -> Result<(), String> {
    let options = options()?;
    // Where the lines are kept, how long a measurement may take in seconds, and the share of the steps.
    let (file, seconds, share) = match options.kind {
        Kind::Quick => ("results-quick.jsonl", 15, "0.3"),
        Kind::Brief => ("results-brief.jsonl", 20, "1:0.25"),
        Kind::Whole => ("results.jsonl", 400, "1"),
    };
    let mut results = Results::open(Path::new(file), options.fresh)?;
    let jobs = jobs(&options);
    let limit = options.limit.unwrap_or(Duration::from_secs(seconds));
    for (index, job) in jobs.iter().enumerate() {
        if results.has(job) {
            continue;
        }
        eprintln!("{:4} of {}  {job}", index + 1, jobs.len());
        let program =
            &options.engines.iter().find(|(name, _)| *name == job.engine).ok_or("an engine without program")?.1;
        // What takes too long is told to end sooner, and ended if it does not.
        let outcome = run(program, &job.arguments(share, limit), 2 * limit);
        if let Err(problem) = &outcome {
            eprintln!("      {problem}");
        }
        results.add(job, outcome)?;
    }
    let engines: Vec<String> = options.engines.iter().map(|(name, _)| name.clone()).collect();
    let text = page::write(&results, &engines, options.kind);
    let folder = options.out.parent().unwrap_or(Path::new(".")).join("images");
    for (name, svg) in plot::plots(&results) {
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(folder.join(&name), svg))
            .map_err(|e| format!("{name}: {e}"))?;
    }
    std::fs::write(&options.out, text).map_err(|error| format!("{}: {error}", options.out.display()))?;
    eprintln!("wrote {}", options.out.display());
    Ok(())
}

/// Engines that have one thread here.
const ALONE: [&str; 1] = ["bullet"];

/// Everything that is to be measured, in the order in which it is: scenes with the engines in turn, then tests of truth.
fn jobs(options: &Options) -> Vec<Job> {
    let named = |name: &str| options.only.iter().any(|only| only == name);
    let scenes = compare_scenes::scenes::names().filter(|name| {
        let usual = options.kind != Kind::Quick || compare_scenes::scenes::QUICK.contains(name);
        if options.only.is_empty() { usual } else { named(name) }
    });
    let tests = compare_scenes::truth::TESTS.iter().filter(|test| options.only.is_empty() || named(test.name));
    let mut jobs = Vec::new();
    let engines = || options.engines.iter().map(|(engine, _)| engine.clone());
    for what in scenes {
        for turn in 0..options.repeat {
            for &threads in &options.threads {
                let able = engines().filter(|engine| threads == 1 || !ALONE.contains(&engine.as_str()));
                jobs.extend(able.map(|engine| Job { engine, what: what.into(), threads, turn }));
            }
        }
    }
    for test in tests {
        jobs.extend(engines().map(|engine| Job { engine, what: test.name.into(), threads: 0, turn: 0 }));
    }
    jobs
}

/// What a program prints; it is ended if it takes too long.
fn run(program: &Path, arguments: &[String], limit: Duration) -> Result<String, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    // Both are read while it runs: a program that says much would wait for ever otherwise.
    let (said, wrong) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if begun.elapsed() > limit => {
                child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
                return Err(format!("took longer than {} s", limit.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let [said, wrong] = [said, wrong].map(|thread| thread.join().unwrap_or_default());
    match said.lines().last() {
        Some(line) if status.success() => Ok(line.to_owned()),
        _ => Err(wrong.lines().last().map_or_else(|| format!("ended with {status}"), str::to_owned)),
    }
}

/// Reads to the end, in a thread.
fn listen(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _what_was_read_before_counts = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
