//! What recording costs: packs the states of a thousand tumbling bodies and prints the time and size of a frame.

use std::time::Instant;
use tumble_scene::Loader;
use tumble_scene::record::{Header, Output, RecordingWriter};

const TEXT: &str = "title = 'Cost'\ndt = 0.0166666\n[bodies.box]\nshape.box.size = [1, 2, 3]\nangular_velocity = [1, 2, 3]\n\
    velocity = [1, 0, 0]\nsleep = false\nrepeat.grid = { count = [10, 10, 10], spacing = [9, 9, 9] }\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Loader::new().load_text("cost.toml", TEXT)?;
    let path = std::env::temp_dir().join("tumble-recording-cost.tumble");
    let mut writer = RecordingWriter::create(&path, Header::of(&scene))?;
    let (mut stepping, mut writing) = (0.0, 0.0);
    for _ in 0..600 {
        let start = Instant::now();
        scene.world.step(scene.dt)?;
        stepping += start.elapsed().as_secs_f64();
        let start = Instant::now();
        writer.frame(&scene.world)?;
        writing += start.elapsed().as_secs_f64();
    }
    let start = Instant::now();
    writer.finish()?;
    writing += start.elapsed().as_secs_f64();
    let size = std::fs::metadata(&path)?.len() as f64;
    std::fs::remove_file(&path)?;
    println!("a frame of 1000 bodies: {:.3} ms and {:.1} kB", 1e3 * writing / 600.0, size / 600.0 / 1e3);
    println!("a step without contacts: {:.3} ms", 1e3 * stepping / 600.0);
    Ok(())
}
