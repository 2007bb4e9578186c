//! How deep bodies are inside each other in the scenes of the gallery, with one method.
//!
//! ```sh
//! cargo run --release -p tumble-scene --example gallery_overlaps -- impact 10
//! ```
//!
//! Arguments: the method, how many seconds of each scene at most, and a part of the names of the scenes. For each scene that the method can run: the deepest
//! overlap of two bodies that may touch and of which one moves, in metres and as a part of the size of the smaller one, and when it was; the worst joint.

#![allow(clippy::unwrap_used, reason = "an example may fail loudly")]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::time::Instant;
use tumble_dynamics::geometry::{Aabb, Transform, query};
use tumble_dynamics::model::ColliderModel;
use tumble_dynamics::{BodyId, World};
use tumble_scene::Loader;
use tumble_scene::gallery::SCENES;

/// A run that takes longer on the clock is ended, in seconds.
const PATIENCE: f64 = 60.0;

/// The deepest overlap in metres, as a part of the smaller body's size, and whose.
struct Overlap {
    depth: f64,
    part: f64,
    names: [String; 2],
}

/// The deepest overlap of two bodies that may touch, relative to the size of the smaller one.
fn deepest(world: &World) -> Overlap {
    let model = world.model();
    let moves = |id: BodyId| world.body(id).unwrap().model().kind.moves();
    let place = |(_, collider)| -> (&ColliderModel, Transform, Aabb, f64) {
        let collider: &ColliderModel = collider;
        let pose = world.body(collider.body).unwrap().pose() * collider.pose;
        let size = 2.0 * collider.shape.bounding_sphere().radius;
        (collider, pose, collider.shape.aabb(&pose), size)
    };
    let placed: Vec<_> = model.colliders().iter().map(place).collect();
    let mut worst = Overlap { depth: 0.0, part: 0.0, names: Default::default() };
    for (i, (a, pose, bounds, size)) in placed.iter().enumerate() {
        for (b, there, others, other_size) in &placed[i + 1..] {
            let apart = !bounds.overlaps(others);
            if apart || a.body == b.body || a.sensor || b.sensor || !(moves(a.body) || moves(b.body)) {
                continue;
            }
            if let Some(deep) = query::penetration(&a.shape, &b.shape, &pose.to_local(there)) {
                let part = deep.depth / size.min(*other_size);
                if part > worst.part && world.model().may_collide([a.body, b.body]) {
                    let name = |id: BodyId| world.body(id).unwrap().model().name.clone();
                    worst = Overlap { depth: deep.depth, part, names: [name(a.body), name(b.body)] };
                }
            }
        }
    }
    worst
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let method = arguments.next().unwrap_or_else(|| "impact".into());
    let most: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let part = arguments.next().unwrap_or_default();
    for entry in SCENES.iter().filter(|entry| entry.name.contains(&part)) {
        let own = entry.load(&Loader::new()).unwrap().world.method().name() == method;
        let loader = match own {
            true => Loader::new(),
            false => Loader::new().with_setting(format!("method=\"{method}\"")),
        };
        let mut scene = entry.load(&loader).unwrap();
        let (mut worst, mut when, mut open) = (deepest(&scene.world), 0.0, 0.0_f64);
        let start = Instant::now();
        let mut stepping = 0.0;
        let mut end = String::new();
        while scene.world.time() + 1e-3 * scene.dt < scene.duration.min(most) {
            let begin = Instant::now();
            if let Err(error) = scene.world.step(scene.dt) {
                end = format!("ended at {:.3} s: {error}", scene.world.time());
                break;
            }
            stepping += begin.elapsed().as_secs_f64();
            let now = deepest(&scene.world);
            if now.part > worst.part {
                (worst, when) = (now, scene.world.time());
            }
            open = scene.world.joints().map(|(_, joint)| joint.error()).fold(open, f64::max);
            if start.elapsed().as_secs_f64() > PATIENCE {
                end = format!("patience ended at {:.3} s", scene.world.time());
                break;
            }
        }
        println!(
            "{:34} {:9.2e} m {:9.2e} at {when:6.3} s {:?}; joints {open:.1e}; {:.2} s, {stepping:.2} s on the clock {end}",
            entry.name,
            worst.depth,
            worst.part,
            worst.names,
            scene.world.time()
        );
    }
}
