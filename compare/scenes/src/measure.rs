//! The loop that times an engine, and the small program around it.
//!
//! One process measures one engine in one scene with one number of threads, and prints one line of JSON: so an engine that crashes
//! loses one row, and runs of different engines can take turns.

use crate::judge::{Judge, Quality};
use crate::scene::{DT, Scene};
use crate::{scenes, truth};
use cpu_time::ProcessTime;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use tumble_geometry::Transform;

/// How a body moves.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    pub position: DVec3,
    pub rotation: DQuat,
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

impl Motion {
    pub fn pose(&self) -> Transform {
        Transform::new(self.rotation.normalize(), self.position)
    }
}

/// An engine with a scene in it.
pub trait Engine {
    /// Lets [`DT`] seconds pass.
    fn step(&mut self);
    /// How all bodies move, in the order of the scene.
    fn read(&mut self, motions: &mut Vec<Motion>);
    /// How far along a ray something is, as a fraction of its length; none if the engine is not asked for it.
    fn cast(&mut self, origin: DVec3, way: DVec3) -> Option<f64>;
}

/// Makes an engine for a scene with so many threads; what it cannot do is an error.
pub type Build = fn(&Scene, usize) -> Result<Box<dyn Engine>, String>;

/// What was measured of a scene.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timing {
    pub engine: String,
    pub scene: String,
    pub threads: usize,
    pub bodies: usize,
    /// How many steps were timed, and how many were taken before.
    pub steps: usize,
    #[serde(default)]
    pub before: usize,
    /// Whether time was up before all steps were taken: then the state at the end is an earlier one than that of other engines.
    #[serde(default)]
    pub cut: bool,
    /// Milliseconds of processor time a step, of all threads together. With one thread that is the time a step takes on a machine
    /// that does nothing else, whatever else this one does.
    pub cpu: f64,
    /// Milliseconds a step by the clock: the mean, the median and the slowest but for one in twenty.
    pub mean: f64,
    pub median: f64,
    pub slow: f64,
    /// Microseconds a ray, if rays were cast, and how many hit.
    pub ray: Option<f64>,
    pub hits: usize,
    pub quality: Quality,
    /// The deepest overlap that was seen in one of ten looks on the way.
    pub peak: f64,
}

impl Timing {
    /// Milliseconds a step: of processor time with one thread, by the clock with more.
    pub fn milliseconds(&self) -> f64 {
        if self.threads == 1 { self.cpu } else { self.mean }
    }
}

/// The fewest steps that are timed.
const FEWEST: usize = 10;

/// Times a scene, for no more than so many seconds by the clock if there is a `limit`.
pub fn time(
    engine_name: &str,
    build: Build,
    scene: &Scene,
    threads: usize,
    limit: Option<f64>,
) -> Result<Timing, String> {
    let started = Instant::now();
    let is_late = |share: f64| limit.is_some_and(|limit| started.elapsed().as_secs_f64() > share * limit);
    let mut engine = build(scene, threads)?;
    let judge = Judge::new(scene);
    let [mut before, timed] = scene.steps;
    let (mut motions, mut peak) = (Vec::new(), 0.0_f64);
    let every = (before + timed).div_ceil(10);
    let mut times = Vec::with_capacity(timed);
    let mut cpu = 0.0;
    for step in 0..before + timed {
        if times.is_empty() && step < before && is_late(0.6) {
            before = step;
        }
        if times.len() == timed || times.len() >= FEWEST && is_late(0.9) {
            break;
        }
        let (begun, worked) = (Instant::now(), ProcessTime::now());
        engine.step();
        if step >= before {
            times.push(1e3 * begun.elapsed().as_secs_f64());
            cpu += 1e3 * worked.elapsed().as_secs_f64();
        }
        if (step + 1) % every == 0 {
            engine.read(&mut motions);
            peak = peak.max(judge.look(scene, &motions).overlap_max);
        }
    }
    engine.read(&mut motions);
    let quality = judge.look(scene, &motions);
    let steps = times.len();
    let begun = ProcessTime::now();
    let hits = scene.rays.iter().filter(|(origin, way)| engine.cast(*origin, *way).is_some()).count();
    let ray = (!scene.rays.is_empty()).then(|| 1e6 * begun.elapsed().as_secs_f64() / scene.rays.len() as f64);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    times.sort_by(f64::total_cmp);
    Ok(Timing {
        engine: engine_name.into(),
        scene: scene.name.clone(),
        threads,
        bodies: scene.bodies.len(),
        steps,
        before,
        cut: [before, steps] != scene.steps,
        cpu: cpu / steps as f64,
        mean,
        median: times[times.len() / 2],
        slow: times[times.len() * 19 / 20],
        ray,
        hits,
        quality,
        peak: peak.max(quality.overlap_max),
    })
}

/// The program of an engine: `ENGINE time SCENE THREADS SHARE [SECONDS]` (the share of the steps: 1 for all, or `1:0.25` for all before
/// and a quarter of those that are timed; how long it may take) or `ENGINE truth TEST`.
pub fn serve(engine: &str, build: Build) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let line = match words[..] {
        ["time", name, threads, share, ref limit @ ..] => scenes::scene(name)
            .ok_or_else(|| format!("there is no scene {name}"))
            .and_then(|mut scene| {
                let number = |word: &str| word.parse::<f64>().map_err(|_| format!("{word} is no number"));
                let (before, timed) = share.split_once(':').unwrap_or((share, share));
                let shares = [number(before)?, number(timed)?];
                for (steps, share) in scene.steps.iter_mut().zip(shares) {
                    *steps = ((*steps as f64 * share) as usize).max(FEWEST);
                }
                let limit = limit.first().map(|limit| number(limit)).transpose()?;
                time(engine, build, &scene, threads.parse().unwrap_or(1), limit)
            })
            .and_then(|timing| serde_json::to_string(&timing).map_err(|error| error.to_string())),
        ["truth", name] => truth::measure(name, build)
            .map(|value| serde_json::json!({ "engine": engine, "test": name, "value": value }).to_string()),
        _ => Err(format!("{engine} time SCENE THREADS SHARE [SECONDS] | {engine} truth TEST")),
    };
    match line {
        Ok(line) => println!("{line}"),
        Err(problem) => {
            eprintln!("{engine}: {problem}");
            std::process::exit(1);
        }
    }
}

/// Takes steps until a time, and reads the motions.
pub(crate) fn run(engine: &mut dyn Engine, seconds: f64, mut watch: impl FnMut(&[Motion])) -> Vec<Motion> {
    let mut motions = Vec::new();
    for _ in 0..(seconds / DT).round() as usize {
        engine.step();
        engine.read(&mut motions);
        watch(&motions);
    }
    motions
}
