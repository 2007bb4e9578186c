//! The five broad phases against each other in scenes of different kinds: milliseconds for a frame (moves and update
//! of the pairs) and microseconds for a ray to the nearest box, the fastest of several rounds.
//!
//! `cargo bench --bench broad_phases` prints a table for the documentation; an argument keeps the scenes whose
//! name contains it.

use std::time::Instant;
use tumble_geometry::broad_phase::{AnyBroadPhase, BroadPhaseKind, FatMargin, Mobility, ProxyId};
use tumble_geometry::glam::DVec3;
use tumble_geometry::{Aabb, Ray};

const FRAMES: usize = 24;
const RAYS: usize = 200;

/// A box and where it goes in a frame; at rest for ever if not at all.
struct Body {
    start: DVec3,
    half: DVec3,
    velocity: DVec3,
}

struct Scene {
    name: &'static str,
    bodies: Vec<Body>,
    /// Boxes without a velocity are fixed.
    fixed: bool,
}

fn random_vector(rng: &mut fastrand::Rng, low: f64, high: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| low + (high - low) * rng.f64()))
}

/// Boxes of about a metre, moving a few centimetres a frame.
fn crowd(count: usize, seed: u64, place: impl Fn(&mut fastrand::Rng) -> DVec3) -> Vec<Body> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let body = |rng: &mut fastrand::Rng| Body {
        start: place(rng),
        half: random_vector(rng, 0.25, 0.75),
        velocity: random_vector(rng, -0.03, 0.03),
    };
    (0..count).map(|_| body(&mut rng)).collect()
}

fn at_rest(mut bodies: Vec<Body>, moving: usize) -> Vec<Body> {
    bodies.iter_mut().skip(moving).for_each(|body| body.velocity = DVec3::ZERO);
    bodies
}

fn scenes() -> Vec<Scene> {
    let cube = |side: f64| move |rng: &mut fastrand::Rng| random_vector(rng, 0.0, side);
    let clusters = |rng: &mut fastrand::Rng| {
        DVec3::new(f64::from(rng.u32(0..10)), f64::from(rng.u32(0..10)), 0.0) * 1000.0 + random_vector(rng, 0.0, 6.0)
    };
    let line = |rng: &mut fastrand::Rng| DVec3::new(10_000.0 * rng.f64(), rng.f64(), rng.f64());
    let mut sizes = crowd(5_000, 5, cube(60.0));
    for (i, body) in sizes.iter_mut().enumerate() {
        body.half *= [0.1, 0.3, 1.0, 3.0, 10.0][i % 5];
    }
    vec![
        Scene { name: "50 moving", bodies: crowd(50, 1, cube(6.0)), fixed: false },
        Scene { name: "5 000 moving, sparse", bodies: crowd(5_000, 2, cube(100.0)), fixed: false },
        Scene { name: "5 000 moving, dense", bodies: crowd(5_000, 3, cube(16.0)), fixed: false },
        Scene { name: "5 000 moving in 100 clusters", bodies: crowd(5_000, 4, clusters), fixed: false },
        Scene { name: "5 000 moving along a line", bodies: crowd(5_000, 6, line), fixed: false },
        Scene { name: "5 000 moving, sizes 1 : 100", bodies: sizes, fixed: false },
        Scene { name: "5 000, a tenth moves", bodies: at_rest(crowd(5_000, 7, cube(24.0)), 500), fixed: false },
        Scene { name: "200 000 fixed, 100 moving", bodies: at_rest(crowd(200_000, 8, cube(80.0)), 100), fixed: true },
    ]
}

/// Milliseconds for a frame and microseconds for a ray.
fn measure(scene: &Scene, mut space: AnyBroadPhase) -> (f64, f64) {
    let aabb = |body: &Body, frame: usize| {
        let phase = frame % (2 * FRAMES);
        Aabb::from_center(body.start + body.velocity * phase.min(2 * FRAMES - phase) as f64, body.half)
    };
    for body in &scene.bodies {
        let fixed = scene.fixed && body.velocity == DVec3::ZERO;
        space.insert(aabb(body, 0), if fixed { Mobility::Fixed } else { Mobility::Moving });
    }
    space.update_pairs();
    let mut frames = [f64::INFINITY; 2 * FRAMES];
    for round in 0..4 {
        for (frame, best) in frames.iter_mut().enumerate() {
            let begin = Instant::now();
            for (id, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.velocity != DVec3::ZERO) {
                space.relocate(ProxyId(id as u32), aabb(body, frame), body.velocity);
            }
            space.update_pairs();
            *best = best.min(begin.elapsed().as_secs_f64());
        }
        if round > 0 && frames.iter().sum::<f64>() > 2.0 {
            break;
        }
    }
    let mut rng = fastrand::Rng::with_seed(9);
    let rays: Vec<Ray> = (0..RAYS)
        .filter_map(|_| {
            let from = scene.bodies[rng.usize(0..scene.bodies.len())].start + random_vector(&mut rng, -5.0, 5.0);
            Ray::new(from, random_vector(&mut rng, -1.0, 1.0)).ok()
        })
        .collect();
    let mut best_ray = f64::INFINITY;
    for _ in 0..3 {
        let begin = Instant::now();
        for ray in &rays {
            let mut nearest = 1000.0;
            space.query_ray(ray, nearest, &mut |id| {
                if let Some(aabb) = space.aabb(id) {
                    // The distance of the centre stands for a ray cast against the shape.
                    nearest = f64::min(nearest, (aabb.center() - ray.origin).length());
                }
                nearest
            });
        }
        best_ray = best_ray.min(begin.elapsed().as_secs_f64());
    }
    (frames.iter().sum::<f64>() * 1e3 / frames.len() as f64, best_ray * 1e6 / rays.len() as f64)
}

fn main() {
    let filter: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let names = BroadPhaseKind::ALL.map(|kind| kind.build(FatMargin::default()).name());
    println!("| ms for a frame / µs for a ray | {} |", names.join(" | "));
    println!("|---|{}", "---:|".repeat(names.len()));
    for scene in scenes() {
        if filter.is_empty() || filter.iter().any(|part| scene.name.contains(part.as_str())) {
            let cell = |kind: BroadPhaseKind| {
                let (frame, ray) = measure(&scene, kind.build(FatMargin::default()));
                format!("{frame:.3} / {ray:.1}")
            };
            println!("| {} | {} |", scene.name, BroadPhaseKind::ALL.map(cell).join(" | "));
        }
    }
}
