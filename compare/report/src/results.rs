//! What was measured so far, in a file of lines.

use compare_scenes::measure::Timing;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One measurement: an engine in a scene with some threads for the n-th time, or in a test of truth (zero threads).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) what: String,
    pub(crate) engine: String,
    pub(crate) threads: usize,
    pub(crate) turn: usize,
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}, {} threads, turn {}", self.engine, self.what, self.threads, self.turn + 1)
    }
}

impl Job {
    /// What the program of the engine is told.
    pub(crate) fn arguments(&self, share: &str, limit: Duration) -> Vec<String> {
        match self.threads {
            0 => vec!["truth".into(), self.what.clone()],
            threads => {
                let [threads, limit] = [threads.to_string(), limit.as_secs().to_string()];
                vec!["time".into(), self.what.clone(), threads, share.into(), limit]
            }
        }
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    job: Job,
    /// What the engine said, as JSON.
    said: Option<serde_json::Value>,
    /// Why it said nothing.
    problem: Option<String>,
}

/// All lines.
pub(crate) struct Results {
    path: PathBuf,
    lines: BTreeMap<Job, Line>,
}

impl Results {
    pub(crate) fn open(path: &Path, fresh: bool) -> Result<Self, String> {
        if fresh && path.exists() {
            std::fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // A line that was cut off is measured again.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let lines = lines.map(|line| (line.job.clone(), line)).collect();
        Ok(Self { path: path.into(), lines })
    }

    pub(crate) fn has(&self, job: &Job) -> bool {
        self.lines.contains_key(job)
    }

    pub(crate) fn add(&mut self, job: &Job, outcome: Result<String, String>) -> Result<(), String> {
        let (said, problem) = match outcome {
            Ok(text) => (serde_json::from_str(&text).ok(), None),
            Err(problem) => (None, Some(problem)),
        };
        let line = Line { job: job.clone(), said, problem };
        let text = serde_json::to_string(&line).map_err(|error| error.to_string())?;
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
            .map_err(|error| format!("{}: {error}", self.path.display()))?;
        writeln!(file, "{text}").map_err(|error| error.to_string())?;
        self.lines.insert(job.clone(), line);
        Ok(())
    }

    /// The fastest of all turns.
    pub(crate) fn best(&self, engine: &str, scene: &str, threads: usize) -> Option<Timing> {
        let of = |job: &Job| job.engine == engine && job.what == scene && job.threads == threads;
        let timings = self.lines.values().filter(|line| of(&line.job)).filter_map(|line| line.said.clone());
        let timings = timings.filter_map(|said| serde_json::from_value::<Timing>(said).ok());
        timings.min_by(|a, b| a.milliseconds().total_cmp(&b.milliseconds()))
    }

    /// What a test of truth measured: the number, infinite if it is none.
    pub(crate) fn truth(&self, engine: &str, test: &str) -> Option<f64> {
        let job = Job { engine: engine.into(), what: test.into(), threads: 0, turn: 0 };
        let said = self.lines.get(&job)?.said.as_ref()?;
        Some(said["value"].as_f64().unwrap_or(f64::INFINITY))
    }

    /// Why there is no measurement.
    pub(crate) fn problem(&self, engine: &str, what: &str) -> Option<&str> {
        let of = |job: &Job| job.engine == engine && job.what == what;
        self.lines.values().filter(|line| of(&line.job)).find_map(|line| line.problem.as_deref())
    }

    /// The scenes that were measured, in the order of the tables.
    pub(crate) fn scenes(&self) -> Vec<&'static str> {
        let known = |name: &&str| self.lines.keys().any(|job| job.what == *name && job.threads > 0);
        compare_scenes::scenes::names().filter(known).collect()
    }

    /// The engines that were measured.
    pub(crate) fn engines(&self) -> Vec<String> {
        let mut names: Vec<String> = self.lines.keys().map(|job| job.engine.clone()).collect();
        names.sort();
        names.dedup();
        // tumble first.
        names.sort_by_key(|name| name != "tumble");
        names
    }
}
