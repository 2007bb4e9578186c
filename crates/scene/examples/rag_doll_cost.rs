//! What a step of B's rag-doll costs: the second table of Baltman and Radeztsky (2004) with ours beside it.
//!
//! ```sh
//! cargo run --release -p tumble-scene --example rag_doll_cost
//! ```
//!
//! A step is one pass of 1/30 s with two iterations, as in the document, while the doll flies, while it falls down the stairs, and when it lies there with
//! its balls in contact. Finding contacts does not count, there as here. Each number is the mean over steps of the smallest of many rounds.

#![allow(clippy::unwrap_used, reason = "an example may fail loudly")]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::time::Duration;
use tumble_scene::Loader;
use tumble_scene::gallery::find;

const ROUNDS: usize = 40;
const STEPS: usize = 180;

/// Seconds for motion and constraints of each step, at best.
fn costs(figures: &str, form: &str) -> Vec<[f64; 2]> {
    let settings = [format!("method.verlet.figures=\"{figures}\""), format!("method.verlet.form=\"{form}\"")];
    let loader = settings.into_iter().fold(Loader::new(), Loader::with_setting).with_setting("energy_watch=\"off\"");
    let mut scene = find("classic/rag-doll-stairs").unwrap().load(&loader).unwrap();
    let start = scene.world.snapshot();
    let mut best = vec![[f64::INFINITY; 2]; STEPS];
    for _ in 0..ROUNDS {
        scene.world.restore(&start);
        for best in &mut best {
            scene.world.step(scene.dt).unwrap();
            let times = scene.world.report().times;
            for (best, time) in best.iter_mut().zip([times.integrate, times.solve]) {
                *best = best.min(Duration::as_secs_f64(&time));
            }
        }
    }
    best
}

fn main() {
    println!("µs a step                                  motion  constraints  together");
    println!("PlayStation 2                                  30          470       500");
    println!("Xbox                                           60          490       550");
    for (figures, form) in [
        ("whole", "velocity_less"),
        ("whole", "velocity"),
        ("by_the_list", "velocity_less"),
        ("by_the_list", "velocity"),
    ] {
        let costs = costs(figures, form);
        for (what, steps) in [("flies", 1..6), ("falls", 6..60), ("lies", 120..180)] {
            let count = steps.len() as f64;
            let mean = |part: usize| 1e6 * costs[steps.clone()].iter().map(|cost| cost[part]).sum::<f64>() / count;
            let (motion, solve) = (mean(0), mean(1));
            println!(
                "{figures:11}  {form:13}  {what:9}       {motion:6.2}       {solve:6.2}    {:6.2}",
                motion + solve
            );
        }
    }
}
