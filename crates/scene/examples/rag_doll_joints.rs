//! How far the joints of B's rag-doll open on the stairs, in frames of 1/30 s: put right as a whole, or one after the other as in the document, by the
//! number of passes and iterations.
//!
//! ```sh
//! cargo run --release -p tumble-scene --example rag_doll_joints
//! ```

#![allow(clippy::unwrap_used, reason = "an example may fail loudly")]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use tumble_scene::Loader;
use tumble_scene::gallery::find;

/// The widest pin in metres and the angle farthest beyond its limit in degrees, of any frame of six seconds.
fn worst(figures: &str, form: &str, order: &str, passes: u32, iterations: u32) -> [f64; 2] {
    let settings = [
        format!("method.verlet.figures=\"{figures}\""),
        format!("method.verlet.form=\"{form}\""),
        format!("method.verlet.order=\"{order}\""),
        format!("method.verlet.frequency={}", 30 * passes),
        format!("method.verlet.iterations={iterations}"),
    ];
    let loader = settings.into_iter().fold(Loader::new(), Loader::with_setting);
    let mut scene = find("classic/rag-doll-stairs").unwrap().load(&loader).unwrap();
    let mut worst = [0.0_f64; 2];
    for _ in 0..180 {
        scene.world.step(scene.dt).unwrap();
        for (_, joint) in scene.world.joints() {
            let is_angle = joint.model().name.contains("angle_");
            let error = if is_angle { joint.error().to_degrees() } else { joint.error() };
            let place = &mut worst[usize::from(is_angle)];
            *place = place.max(error);
        }
    }
    worst
}

fn main() {
    println!("| figures | form | order | passes | iterations | widest pin | angle beyond its limit |");
    println!("|---|---|---|---|---|---|---|");
    let rows = [(1, 1), (1, 2), (1, 8), (1, 32), (4, 2), (8, 2)];
    for (figures, order) in
        [("whole", "collisions_first"), ("by_the_list", "collisions_first"), ("by_the_list", "collisions_last")]
    {
        for form in ["velocity", "velocity_less"] {
            for (passes, iterations) in rows {
                let [pin, angle] = worst(figures, form, order, passes, iterations);
                let pin = 100.0 * pin;
                println!(
                    "| `{figures}` | `{form}` | `{order}` | {passes} | {iterations} | {pin:.1} cm | {angle:.1}° |"
                );
            }
        }
    }
}
