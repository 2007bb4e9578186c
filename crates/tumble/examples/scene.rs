//! A scene from a file, or from the gallery, run to its end and written to a table.
//!
//! ```sh
//! cargo run --release -p tumble --features scene --example scene -- cradle-1 cradle.csv
//! ```

use std::path::Path;
use tumble::scene::record::output_for;
use tumble::scene::run::Runner;
use tumble::scene::{Loader, gallery};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "incline".into());
    let mut scene = match gallery::find(&name) {
        Some(entry) => entry.load(&Loader::new())?,
        None => Loader::new().load(&name)?,
    };
    let mut runner = Runner::default();
    if let Some(file) = arguments.next() {
        runner.add_output(output_for(Path::new(&file), &scene)?);
    }
    let summary = runner.run(&mut scene);
    println!(
        "{}: {} bodies, {} steps, {:.3} s on the clock",
        scene.title, summary.bodies, summary.steps, summary.wall_time
    );
    println!("energy: {:.3} J at the start, {:.3} J at the end", summary.start_energy, summary.end_energy);
    if let Some(error) = summary.step_error {
        return Err(error.into());
    }
    summary.write_errors.into_iter().next().map_or(Ok(()), |error| Err(error.into()))
}
