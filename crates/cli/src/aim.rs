//! `tumble aim`: a search for numbers of a scene with which a goal is reached.
//!
//! Each try is a run of the scene with other numbers, watched until the goal is reached or the time is over; what it missed by is its
//! cost ([`tumble_scene::goal`]). The search is by *particle swarm* (Kennedy and Eberhart 1995, in the form of the crate argmin): a
//! swarm of tries moves through the box of allowed numbers, each drawn to the best that it has found itself and to the best of all. It
//! takes no derivatives, which collisions do not have, and all tries of a generation run at once. Numbers come from a seed, and costs
//! are taken in order: the result does not depend on how many run at once.

use crate::args::{Aim as Options, Energy};
use crate::failure::{Failure, print};
use crate::files::{refuse_ending, refuse_inputs};
use crate::run::stop_flag;
use crate::scene::load_within;
use argmin::core::{CostFunction, Executor};
use argmin::solver::particleswarm::ParticleSwarm;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde_json::json;
use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tumble_scene::draft::Draft;
use tumble_scene::edit;
use tumble_scene::goal::{Goal, Watch};
use tumble_scene::run::Runner;
use tumble_scene::{Scene, gallery};

/// The fewest tries of a generation, and how many more for every number that is varied.
const SWARM: [usize; 2] = [12, 6];

/// A key and the range of its number.
#[derive(Clone, Debug, PartialEq)]
struct Varied {
    key: String,
    from: f64,
    to: f64,
}

impl Varied {
    /// `KEY=FROM:TO`.
    fn read(text: &str) -> Result<Self, Failure> {
        let wrong = || {
            let form = "expected KEY=FROM:TO with two numbers, the smaller first";
            Failure::Request(format!("--vary {text}: {form}"))
        };
        let (key, range) = text.split_once('=').ok_or_else(wrong)?;
        let (from, to) = range.split_once(':').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let (Some(from), Some(to)) = (number(from), number(to)) else { return Err(wrong()) };
        if key.trim().is_empty() || from >= to || !(to - from).is_finite() {
            return Err(wrong());
        }
        Ok(Self { key: key.trim().to_owned(), from, to })
    }

    /// The number at a part of the range from 0 to 1.
    fn at(&self, part: f64) -> f64 {
        (self.from + (self.to - self.from) * part).clamp(self.from, self.to)
    }
}

/// What became of a try.
#[derive(Clone, Debug, PartialEq)]
struct Try {
    numbers: Vec<f64>,
    cost: f64,
    /// How many stages of the goal were reached, and by how much the next was missed.
    reached: usize,
    gap: f64,
    /// When the last stage was reached, in seconds.
    time: f64,
}

/// The search: what all tries have in common.
struct Search<'a> {
    options: &'a Options,
    varied: Vec<Varied>,
    jobs: usize,
    /// The best so far, and how many there were.
    best: Mutex<(Option<Try>, usize)>,
}

/// Why a search was left.
#[derive(Debug, thiserror::Error)]
enum Left {
    #[error("stopped")]
    Stopped,
    #[error("{0:?}")]
    Failed(Failure),
}

pub(crate) fn aim(options: &Options) -> Result<(), Failure> {
    if let Some(path) = &options.out {
        let is_scene = path.extension().is_some_and(|ending| ending == "toml");
        refuse_ending(("out", path), is_scene, "a scene ends with .toml")?;
    }
    let varied = options.vary.iter().map(|text| Varied::read(text)).collect::<Result<Vec<_>, _>>()?;
    // What is wrong with the scene, the goal or a key is said before anything runs.
    let scene = load(options, &[])?;
    if let Some(path) = &options.out {
        refuse_inputs(&[("out", path.as_path())], &scene.files)?;
    }
    let stages = Goal::read(&options.until, &scene).map_err(|problem| wrong_goal(options, &problem))?.stages();
    for one in &varied {
        edit::number_at(&scene.source.text, &one.key)
            .map_err(|problem| Failure::Request(format!("--vary {}: {problem}", one.key)))?;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = options.jobs.unwrap_or(cores).clamp(1, 256);
    let search = Search { options, varied, jobs, best: Mutex::default() };
    let own = search.varied.iter().map(|one| edit::number_at(&scene.source.text, &one.key)).collect::<Result<_, _>>();
    let own: Vec<f64> = own.map_err(Failure::Request)?;
    search.note(search.run(&own).map_err(to_failure)?);
    if !search.is_done() {
        search.swarm().map_err(to_failure)?;
    }
    let (best, tries) = search.best.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Some(best) = best else { return Err(Failure::Interrupted) };
    tell(options, &search.varied, &best, (tries, stages))?;
    if best.cost > 0.0 {
        if stop_flag().load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        return Err(Failure::Step(format!("the goal was not reached in {tries} tries; the best is above")));
    }
    match &options.out {
        Some(path) => write(options, path, &scene, &search.varied, &best),
        None => Ok(()),
    }
}

/// The scene with numbers, quiet about energy.
fn load(options: &Options, numbers: &[(&str, f64)]) -> Result<Scene, Failure> {
    let mut settings = options.settings.clone();
    settings.extend(options.time.map(|time| format!("duration={time:?}")));
    settings.extend(options.dt.map(|dt| format!("dt={dt:?}")));
    settings.push(Energy::Off.setting());
    settings.extend(numbers.iter().map(|(key, number)| format!("{key}={number:?}")));
    load_within(&options.scene, &settings, options.budget)
}

fn wrong_goal(options: &Options, problem: &str) -> Failure {
    Failure::Request(format!("--until {:?}: {problem}", options.until))
}

fn to_failure(left: Left) -> Failure {
    match left {
        Left::Stopped => Failure::Interrupted,
        Left::Failed(failure) => failure,
    }
}

impl Search<'_> {
    /// Runs the scene with numbers.
    fn run(&self, numbers: &[f64]) -> Result<Try, Left> {
        let named: Vec<(&str, f64)> =
            self.varied.iter().map(|one| one.key.as_str()).zip(numbers.iter().copied()).collect();
        let mut scene = load(self.options, &named).map_err(Left::Failed)?;
        let goal = Goal::read(&self.options.until, &scene);
        let goal = goal.map_err(|problem| Left::Failed(wrong_goal(self.options, &problem)))?;
        let done = Cell::new(false);
        let watch = RefCell::new(Watch::new(&goal));
        watch.borrow_mut().look(&scene.world);
        let stop = stop_flag();
        let runner = Runner::default()
            .telling(|scene| {
                watch.borrow_mut().look(&scene.world);
                done.set(watch.borrow().is_done());
            })
            .stopping_when(|| done.get() || stop.load(Ordering::Relaxed));
        runner.run(&mut scene);
        if stop.load(Ordering::Relaxed) {
            return Err(Left::Stopped);
        }
        let watch = watch.into_inner();
        Ok(Try {
            numbers: numbers.to_vec(),
            cost: watch.cost(),
            reached: watch.reached(),
            gap: watch.gap(),
            time: watch.time(),
        })
    }

    /// Keeps a try if it is the best.
    fn note(&self, new: Try) {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        best.1 += 1;
        if best.0.as_ref().is_none_or(|old| new.cost < old.cost) {
            best.0 = Some(new);
        }
    }

    fn is_done(&self) -> bool {
        let best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        best.0.as_ref().is_some_and(|best| best.cost == 0.0)
    }

    /// Lets the swarm fly.
    fn swarm(&self) -> Result<(), Left> {
        let dimensions = self.varied.len();
        let size = (SWARM[0] + SWARM[1] * dimensions).min(self.options.runs.max(2));
        let generations = (self.options.runs / size).saturating_sub(1) as u64;
        let random = Xoshiro256PlusPlus::seed_from_u64(self.options.seed);
        let solver =
            ParticleSwarm::new((vec![0.0; dimensions], vec![1.0; dimensions]), size).with_rng_generator(random);
        let result = Executor::new(Problem(self), solver)
            .configure(|state| state.max_iters(generations).target_cost(0.0))
            .timer(false)
            .run();
        match result {
            Ok(_best_is_kept) => Ok(()),
            Err(error) => Err(error
                .downcast::<Left>()
                .unwrap_or_else(|error| Left::Failed(Failure::Request(format!("the search cannot go on: {error}"))))),
        }
    }

    /// Runs a generation, several tries at once, in any order; the results are in order.
    fn generation(&self, all: &[Vec<f64>]) -> Result<Vec<f64>, Left> {
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<Result<Try, Left>>>> = all.iter().map(|_| Mutex::default()).collect();
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(parts) = all.get(index) else { return };
                let numbers: Vec<f64> = self.varied.iter().zip(parts).map(|(one, &part)| one.at(part)).collect();
                *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(self.run(&numbers));
            }
        };
        std::thread::scope(|scope| (0..self.jobs.min(all.len())).for_each(|_| drop(scope.spawn(work))));
        let mut costs = Vec::with_capacity(all.len());
        for result in results {
            let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            let new = result.unwrap_or(Err(Left::Stopped))?;
            costs.push(new.cost);
            self.note(new);
        }
        self.show();
        Ok(costs)
    }

    /// Shows how far the search is.
    fn show(&self) {
        if self.options.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(Try { reached, gap, .. }), tries) = &*best {
            eprint!("\r{tries} tries, {reached} stages reached, the next missed by {gap:.4}\x1b[K");
        }
    }
}

/// The search as argmin sees it.
struct Problem<'a>(&'a Search<'a>);

impl CostFunction for Problem<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, parts: &Vec<f64>) -> Result<f64, argmin::core::Error> {
        Ok(self.0.generation(std::slice::from_ref(parts))?[0])
    }

    fn bulk_cost<P: Borrow<Vec<f64>>>(&self, all: &[P]) -> Result<Vec<f64>, argmin::core::Error> {
        let all: Vec<Vec<f64>> = all.iter().map(|parts| parts.borrow().clone()).collect();
        Ok(self.0.generation(&all)?)
    }
}

/// Says what was found.
fn tell(options: &Options, varied: &[Varied], best: &Try, (tries, stages): (usize, usize)) -> Result<(), Failure> {
    if !options.quiet && std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
    if options.json {
        let numbers: serde_json::Map<_, _> =
            varied.iter().zip(&best.numbers).map(|(one, number)| (one.key.clone(), json!(number))).collect();
        let found = json!({
            "reached": best.cost == 0.0, "stages": stages, "stages_reached": best.reached,
            "missed_by": best.gap, "time": best.time, "tries": tries, "numbers": numbers,
        });
        return print(&format!("{found:#}\n"));
    }
    let mut text = match best.cost == 0.0 {
        true => format!("reached at {:.4} s, after {tries} tries\n", best.time),
        false => format!(
            "{} of {stages} stages reached, the next missed by {:.6}, after {tries} tries\n",
            best.reached, best.gap
        ),
    };
    for (one, number) in varied.iter().zip(&best.numbers) {
        text += &format!("  {} = {number:?}\n", one.key);
    }
    print(&text)
}

/// Writes the scene with the numbers that were found, and runs it once more to see that it does what it should.
fn write(
    options: &Options,
    path: &std::path::Path,
    scene: &Scene,
    varied: &[Varied],
    best: &Try,
) -> Result<(), Failure> {
    let numbers: Vec<(String, f64)> =
        varied.iter().map(|one| one.key.clone()).zip(best.numbers.iter().copied()).collect();
    let text = edit::with_numbers(&scene.source.text, &numbers).map_err(Failure::Request)?;
    if let Some(entry) = gallery::find(&options.scene) {
        crate::starter::copy_files(entry, path)?;
    }
    Draft::write(path, text.as_bytes()).map_err(|error| Failure::Write(format!("{}: {error}", path.display())))?;
    let again = Options { scene: path.display().to_string(), ..options.clone() };
    let check = Search { options: &again, varied: Vec::new(), jobs: 1, best: Mutex::default() };
    let repeated = check.run(&[]).map_err(to_failure)?;
    if (repeated.cost, repeated.time) != (0.0, best.time) {
        return Err(Failure::Step(format!("{} does not do the same again", path.display())));
    }
    let set: Vec<String> = options.settings.iter().map(|setting| format!(" --set {setting}")).collect();
    match options.json {
        true => Ok(()),
        false => print(&format!("wrote {0}; run it with: tumble run {0}{1}\n", path.display(), set.concat())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A throw: with which speed does the ball fly into the box?
    const THROW: &str = r#"
        duration = 3
        dt = 0.01
        [bodies.ground]
        kind = "fixed"
        shape.half_space = {}
        [bodies.ball]
        shape.sphere.radius = 0.1
        position = [0, 1, 0]
        velocity = [1, 1, 0]
        [bodies.basket]
        kind = "fixed"
        colliders = [{ shape.box.size = [0.3, 0.3, 0.3], sensor = true }]
        position = [6, 1.5, 0]
    "#;

    fn options(folder: &std::path::Path, jobs: usize) -> Options {
        Options {
            scene: folder.join("throw.toml").display().to_string(),
            vary: vec!["bodies.ball.velocity.x=0:12".into(), "bodies.ball.velocity.y=0:12".into()],
            until: "ball in basket".into(),
            time: None,
            dt: None,
            settings: Vec::new(),
            budget: 1.0,
            out: Some(folder.join(format!("found-{jobs}.toml"))),
            seed: 7,
            runs: 2000,
            jobs: Some(jobs),
            json: false,
            quiet: true,
        }
    }

    #[test]
    fn a_ball_finds_its_basket_whatever_the_number_of_threads() {
        let folder = std::env::temp_dir().join(format!("tumble-aim-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("throw.toml"), THROW).unwrap();
        for jobs in [1, 3] {
            aim(&options(&folder, jobs)).unwrap();
        }
        let read = |jobs: usize| std::fs::read_to_string(folder.join(format!("found-{jobs}.toml"))).unwrap();
        assert_eq!(read(1), read(3));
        // The ball flies through the middle of the basket to within its size: x = vx t, y = 1 + vy t - g t²/2.
        let number = |axis: &str| edit::number_at(&read(1), &format!("bodies.ball.velocity.{axis}")).unwrap();
        let (vx, vy) = (number("x"), number("y"));
        let misses = (0..300).map(|k| f64::from(k) * 0.01).map(|t| {
            let (x, y) = (vx * t - 6.0, 1.0 + vy * t - 0.5 * 9.81 * t * t - 1.5);
            x.abs().max(y.abs())
        });
        assert!(misses.fold(f64::INFINITY, f64::min) < 0.16);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_wrong_is_said_before_anything_runs() {
        let folder = std::env::temp_dir().join(format!("tumble-aim-wrong-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("throw.toml"), THROW).unwrap();
        let wrong = |change: &dyn Fn(&mut Options)| {
            let mut options = options(&folder, 1);
            change(&mut options);
            match aim(&options) {
                Err(Failure::Request(message)) => message,
                other => panic!("{other:?}"),
            }
        };
        assert!(wrong(&|o| o.until = "ball into basket".into()).contains("touches"));
        assert!(wrong(&|o| o.until = "bal in basket".into()).contains("did you mean"));
        assert!(wrong(&|o| o.until = "ball.weight < 3".into()).contains("speed"));
        assert!(wrong(&|o| o.until = String::new()).contains("expected"));
        assert!(wrong(&|o| o.vary = vec!["bodies.ball.mass=1:2".into()]).contains("`bodies.ball.mass`"));
        for range in ["x", "bodies.ball.velocity.x=3:1", "bodies.ball.velocity.x=1:inf", "=1:2"] {
            assert!(wrong(&|o| o.vary = vec![range.into()]).contains("FROM:TO"), "{range}");
        }
        let mut hopeless = options(&folder, 2);
        (hopeless.until, hopeless.runs) = ("ball.y > 1000".into(), 40);
        assert!(matches!(aim(&hopeless), Err(Failure::Step(text)) if text.contains("not reached")));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
