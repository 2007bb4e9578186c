//! What a step of B's rag-doll costs: the second table of Baltman and Radeztsky (2004) with ours beside it.
//!
//! ```sh
//! cargo run --release -p tumble-scene --example rag_doll_cost
//! ```
//!
//! The doll lies on the stairs with all its balls in contact; a step is one pass of 1/30 s with two iterations, as in the document. What a kind
//! of constraint costs is what a step is cheaper by without it. Each number is the smallest mean of many rounds.

#![allow(clippy::unwrap_used, reason = "an example may fail loudly")]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::time::Instant;
use tumble_dynamics::{StepReport, World};
use tumble_scene::Loader;
use tumble_scene::gallery::find;

const DT: f64 = 1.0 / 30.0;
const ROUNDS: usize = 40;
const STEPS: usize = 200;

/// The doll where it has come to lie, without gravity if asked and without the joints whose names contain a word.
fn lying(weightless: bool, without: Option<&str>) -> World {
    let settings = ["method.verlet.frequency=30", "method.verlet.form=\"velocity\"", "energy_watch=\"off\""];
    let loader = settings.into_iter().fold(Loader::new(), |loader, setting| loader.with_setting(setting));
    let mut world = find("classic/rag-doll-stairs").unwrap().load(&loader).unwrap().world;
    (0..150).for_each(|_| world.step(DT).unwrap());
    if weightless {
        world.set_gravity([0.0; 3]);
    }
    let unwanted = |name: &str| without.is_some_and(|word| name.contains(word));
    let joints = world.joints().filter(|(_, joint)| unwanted(&joint.model().name)).map(|(id, _)| id);
    let joints: Vec<_> = joints.collect();
    joints.into_iter().for_each(|id| world.remove_joint(id).unwrap());
    world
}

/// Seconds that steps take in all, and for finding contacts, motion and constraints, at best.
fn cost(mut world: World) -> [f64; 4] {
    let mut best = [f64::INFINITY; 4];
    let start = world.snapshot();
    for _ in 0..ROUNDS {
        world.restore(&start);
        world.step(DT).unwrap();
        let mut sums = [0.0; 4];
        for _ in 0..STEPS {
            let begun = Instant::now();
            world.step(DT).unwrap();
            sums[0] += begun.elapsed().as_secs_f64();
            let StepReport { times, .. } = world.report();
            for (sum, part) in sums[1..].iter_mut().zip([times.detect, times.integrate, times.solve]) {
                *sum += part.as_secs_f64();
            }
        }
        best.iter_mut().zip(sums).for_each(|(best, sum)| *best = best.min(sum / STEPS as f64));
    }
    best
}

fn main() {
    let micro = |seconds: f64| 1e6 * seconds;
    let [total, detect, motion, solve] = cost(lying(false, None));
    // Without gravity nothing falls apart while it is measured.
    let whole = cost(lying(true, None))[3];
    let angles = (whole - cost(lying(true, Some("angle_")))[3]).max(0.0);
    let pins = (whole - cost(lying(true, Some("pin_")))[3]).max(0.0);
    println!("µs a step                   calls  PlayStation 2  Xbox   here");
    println!("pins                           34            170   150  {:5.2}", micro(pins));
    println!("angles                         34            150   210  {:5.2}", micro(angles));
    println!("collisions and the rest        18            150   130  {:5.2}", micro((whole - pins - angles).max(0.0)));
    println!("motion                         18             30    60  {:5.2}", micro(motion));
    println!("together                                     500   550  {:5.2}", micro(motion + solve));
    println!("finding contacts                               –     –  {:5.2}", micro(detect));
    println!("a step in all                                  –     –  {:5.2}", micro(total));
}
