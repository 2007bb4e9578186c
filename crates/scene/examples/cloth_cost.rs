//! What a step of a cloth of 100 × 100 particles costs with `verlet`, at 60 Hz with ten iterations.
//!
//! ```sh
//! cargo run --release -p tumble-scene --example cloth_cost
//! ```
//!
//! The cloth hangs by two corners and swings. Each number is the quickest of the steps of two seconds.

#![allow(clippy::unwrap_used, reason = "an example may fail loudly")]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use tumble_scene::Loader;

fn main() {
    println!("| form | collisions | a step | of which constraints |\n|---|---|---|---|");
    for form in ["velocity_less", "velocity"] {
        for radius in ["", "radius = 0.004"] {
            let text = format!(
                "title = 'Cloth'\nduration = 2\ndt = 0.016666666666666666\n\
                 [method.verlet]\nform = '{form}'\niterations = 10\n\
                 [lattices.cloth]\ncount = [100, 1, 100]\nspacing = 0.02\nmass = 1\n{radius}\n\
                 held = [0, 99]\n\
                 [filter]\nrules = [{{ ignore.groups = ['cloth', 'cloth'] }}]\n"
            );
            let mut world = Loader::new().load_text("cloth.toml", &text).unwrap().world;
            let mut best = [f64::INFINITY; 2];
            for _ in 0..120 {
                world.step(1.0 / 60.0).unwrap();
                let times = world.report().times;
                let [total, solve] = [times.total, times.solve].map(|time| 1e3 * time.as_secs_f64());
                best = [best[0].min(total), best[1].min(solve)];
            }
            let collisions = if radius.is_empty() { "no" } else { "yes" };
            println!("| `{form}` | {collisions} | {:.2} ms | {:.2} ms |", best[0], best[1]);
        }
    }
}
