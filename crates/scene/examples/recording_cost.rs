//! What writing a run costs, format by format: ten seconds of a thousand bodies at 60 frames per second.
//!
//! `recording_cost [SCENE [SECONDS [DT [ENDING]]]]`: without a scene (or with `free`) the bodies fly freely, which is the
//! hardest case there is: nothing but motion to compute, and every number changes all the time. With a DT of 1/60 s each step
//! makes a frame, the usual one of 1/240 s makes four steps a frame. Other scenes are those of the gallery.
//!
//! Times are those of the processor, which others that use the machine disturb little: of the thread that runs the scene, for
//! its steps and for its files, and of other threads, which write while the run goes on. Only Linux tells them.

use std::path::Path;
use std::time::Duration;
use tumble_dynamics::World;
use tumble_scene::record::{Output, RecordError, output_for};
use tumble_scene::run::Runner;
use tumble_scene::{Loader, Scene, gallery};

const FREE: &str = "title = 'Cost'\n[bodies.box]\nshape.box.size = [1, 2, 3]\n\
    angular_velocity = [1, 2, 3]\nvelocity = [1, 0, 0]\nsleep = false\n\
    repeat.grid = { count = [10, 10, 10], spacing = [9, 9, 9] }\n";

type Failure = Box<dyn std::error::Error>;

fn load(name: &str, seconds: &str, dt: Option<&str>) -> Result<Scene, Failure> {
    let mut loader = Loader::new().with_setting(format!("duration={seconds}"));
    if let Some(dt) = dt {
        loader = loader.with_setting(format!("dt={dt}"));
    }
    Ok(match gallery::find(name) {
        Some(entry) => entry.load(&loader)?,
        None => loader.load_text("cost.toml", FREE)?,
    })
}

/// The seconds that a processor has worked for this thread.
fn of_this_thread() -> f64 {
    // To ask for the times of all threads brings those of each up to date.
    of_all_threads();
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = statistics.split_whitespace().next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0)).as_secs_f64()
}

/// The seconds that processors have worked for this program, all its threads.
fn of_all_threads() -> f64 {
    let statistics = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in brackets: the 12th and 13th number, in hundredths of a second.
    let numbers = statistics.rsplit(')').next().unwrap_or_default().split_whitespace();
    numbers.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// An output that is timed.
struct Timed<'a> {
    output: Box<dyn Output>,
    seconds: &'a mut f64,
    /// How long it takes to look at the clock.
    looking: f64,
}

impl Timed<'_> {
    fn time<T>(&mut self, work: impl FnOnce(&mut dyn Output) -> T) -> T {
        let before = of_this_thread();
        let done = work(self.output.as_mut());
        *self.seconds += of_this_thread() - before - self.looking;
        done
    }
}

impl Output for Timed<'_> {
    fn path(&self) -> &Path {
        self.output.path()
    }

    fn frame(&mut self, world: &World) -> Result<(), RecordError> {
        self.time(|output| output.frame(world))
    }

    fn step(&mut self, world: &World) -> Result<(), RecordError> {
        self.output.step(world)
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        self.time(|output| output.finish())
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize| arguments.get(index).map(String::as_str);
    let (name, seconds, dt) = (argument(0).unwrap_or("free"), argument(1).unwrap_or("10"), argument(2));
    let endings = argument(3).map_or(vec!["tumble", "npz", "glb", "csv", "jsonl"], |ending| vec![ending]);
    let before = of_this_thread();
    let looking = ((0..1000).map(|_| of_this_thread()).fold(before, f64::max) - before) / 1000.0;
    println!("format      steps       writing in the run     in other threads   kB/frame");
    for ending in endings {
        let mut scene = load(name, seconds, dt)?;
        let path = std::env::temp_dir().join(format!("tumble-recording-cost-{}.{ending}", std::process::id()));
        let output = output_for(&path, &scene)?;
        let (before, before_all, mut writing) = (of_this_thread(), of_all_threads(), 0.0);
        let mut summary =
            Runner::default().with_output(Timed { output, seconds: &mut writing, looking }).run(&mut scene);
        let (run, all) = (of_this_thread() - before, of_all_threads() - before_all);
        let size = std::fs::metadata(&path)?.len() as f64;
        std::fs::remove_file(&path)?;
        if let Some(error) = summary.write_errors.pop() {
            return Err(error.into());
        }
        let (steps, elsewhere) = (run - writing, (all - run).max(0.0));
        let share = |time: f64| 100.0 * time / steps;
        println!(
            ".{ending:7} {steps:7.2} s {writing:9.3} s {:6.1} % {elsewhere:9.2} s {:6.1} % {:10.1}",
            share(writing),
            share(elsewhere),
            size / summary.frames.max(1) as f64 / 1e3,
        );
    }
    Ok(())
}
