//! What writing a run costs, format by format: ten seconds of a thousand bodies at 60 frames per second.
//!
//! Without an argument the bodies fly freely and each step makes a frame, which is the hardest case there is: nothing but
//! motion to compute, and every number changes all the time. With the name of a scene from the gallery (`pile-1000`), that
//! scene; a second argument is its duration in seconds.

use std::path::Path;
use tumble_scene::record::output_for;
use tumble_scene::run::Runner;
use tumble_scene::{Loader, Scene, gallery};

const FREE: &str = "title = 'Cost'\ndt = 0.016666666666666666\n[bodies.box]\nshape.box.size = [1, 2, 3]\n\
    angular_velocity = [1, 2, 3]\nvelocity = [1, 0, 0]\nsleep = false\n\
    repeat.grid = { count = [10, 10, 10], spacing = [9, 9, 9] }\n";

fn load(name: Option<&str>, seconds: &str) -> Result<Scene, Box<dyn std::error::Error>> {
    let loader = Loader::new().with_setting(format!("duration={seconds}"));
    Ok(match name.and_then(gallery::find) {
        Some(entry) => entry.load(&loader)?,
        None => loader.load_text("cost.toml", FREE)?,
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (name, seconds) = (arguments.get(1).map(String::as_str), arguments.get(2).map_or("10", String::as_str));
    println!("format    ms/step   ms/frame   kB/frame   % of the run");
    for ending in ["tumble", "csv", "npz", "glb", "jsonl"] {
        let mut scene = load(name, seconds)?;
        let path = std::env::temp_dir().join(format!("tumble-recording-cost-{}.{ending}", std::process::id()));
        let mut runner = Runner::default();
        runner.add_output(output_for(Path::new(&path), &scene)?);
        let summary = runner.run(&mut scene);
        let size = std::fs::metadata(&path)?.len() as f64;
        std::fs::remove_file(&path)?;
        if let Some(error) = summary.write_errors.into_iter().next() {
            return Err(error.into());
        }
        let (steps, frames) = (summary.steps.max(1) as f64, summary.frames.max(1) as f64);
        println!(
            ".{ending:7} {:9.3} {:10.3} {:10.1} {:14.1}",
            1e3 * summary.step_time / steps,
            1e3 * summary.write_time / frames,
            size / frames / 1e3,
            100.0 * summary.write_time / (summary.step_time + summary.write_time)
        );
    }
    Ok(())
}
