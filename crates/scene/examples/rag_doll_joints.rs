//! How far the joints of B's rag-doll open on the stairs, in frames of 1/30 s: by the number of passes and iterations, and by where collisions stand
//! among the constraints.
//!
//! ```sh
//! cargo run --release -p tumble-scene --example rag_doll_joints
//! ```

#![allow(clippy::unwrap_used, reason = "an example may fail loudly")]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use tumble_scene::Loader;
use tumble_scene::gallery::find;

/// The widest pin in metres and the angle farthest beyond its limit in degrees, of any frame of six seconds.
fn worst(form: &str, order: &str, passes: u32, iterations: u32) -> [f64; 2] {
    let settings = [
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
    println!("| form | order | passes | iterations | widest pin | angle beyond its limit |\n|---|---|---|---|---|---|");
    let rows = [(1, 2), (1, 8), (1, 32), (2, 2), (3, 2), (4, 2), (8, 2)];
    for form in ["velocity", "velocity_less"] {
        for order in ["collisions_last", "collisions_first"] {
            for (passes, iterations) in rows {
                let [pin, angle] = worst(form, order, passes, iterations);
                let pin = 100.0 * pin;
                println!("| `{form}` | `{order}` | {passes} | {iterations} | {pin:.1} cm | {angle:.1}° |");
            }
        }
    }
}
