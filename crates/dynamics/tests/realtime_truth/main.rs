//! What the real-time method holds at the step of a game, 1/60 s, at default settings, in scenes on which engines for games fail.
//!
//! Each test prints what it measures; `cargo test -p tumble-dynamics --all-features --test realtime_truth -- --nocapture` shows it.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod hanging;
mod heaps;
mod moving;
mod standing;

use glam::DVec3;
use tumble_dynamics::geometry::query::{ManifoldOptions, PairCache, contact_manifolds};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::{Body, BodyId, World};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

/// A world whose bodies stay awake, so that rest is not mistaken for sleep.
fn world() -> World {
    let settings = RealtimeSettings { time_to_sleep: f64::INFINITY, ..RealtimeSettings::default() };
    World::with_method(Realtime::new().with_settings(settings))
}

fn with_floor() -> World {
    let mut world = world();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    world
}

/// A floor that is a box, as most levels have it.
fn with_slab() -> World {
    let mut world = world();
    let slab = Body::fixed().with_shape(Shape::cuboid([50.0, 1.0, 50.0]).unwrap());
    world.add_body(slab.at([0.0, -1.0, 0.0])).unwrap();
    world
}

fn cube(half: f64, mass: f64) -> Body {
    Body::dynamic().with_shape(Shape::cuboid([half; 3]).unwrap()).with_mass(mass)
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
    }
}

fn at(world: &World, id: BodyId) -> DVec3 {
    world.body(id).unwrap().position()
}

/// The fastest point of all bodies' centres, in m/s.
fn fastest(world: &World) -> f64 {
    world.bodies().map(|(_, body)| body.velocity().length()).fold(0.0, f64::max)
}

/// Mean and greatest overlap of all pairs of bodies that overlap, in metres: from their poses alone, whatever the method thinks of them.
fn overlap(world: &World) -> (f64, f64) {
    let mut boxes = Vec::new();
    for (_, collider) in world.model().colliders().iter() {
        let body = world.body(collider.body).unwrap();
        let pose = body.pose() * collider.pose;
        boxes.push((collider.shape.aabb(&pose), pose, &collider.shape, body.mass() > 0.0));
    }
    boxes.sort_by(|a, b| a.0.min.x.total_cmp(&b.0.min.x));
    let (mut sum, mut most, mut count) = (0.0, 0.0_f64, 0.0);
    for (index, a) in boxes.iter().enumerate() {
        for b in boxes[index + 1..].iter().take_while(|b| b.0.min.x <= a.0.max.x) {
            if (a.3 || b.3) && a.0.overlaps(&b.0) {
                let depth = depth([a.2, b.2], [&a.1, &b.1]);
                if depth > 0.0 {
                    (sum, count, most) = (sum + depth, count + 1.0, most.max(depth));
                }
            }
        }
    }
    (sum / f64::max(count, 1.0), most)
}

/// How deep two shapes overlap.
fn depth([a, b]: [&Shape; 2], poses: [&Transform; 2]) -> f64 {
    let options = ManifoldOptions { prediction: 0.0, ..ManifoldOptions::default() };
    let mut found = Vec::new();
    contact_manifolds(a, b, &poses[0].to_local(poses[1]), &options, &mut PairCache::default(), &mut found);
    found.iter().flat_map(|manifold| manifold.points()).map(|point| point.depth).fold(0.0, f64::max)
}
