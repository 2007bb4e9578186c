//! What a step of a driven figure costs, by the number of its links: H 4.3 promises that it is linear.
//!
//! ```sh
//! cargo run --release -p tumble-scene --example figure_cost
//! ```
//!
//! A chain of links that writhe in the air. Each number is the smallest mean of many rounds.

#![allow(clippy::unwrap_used, reason = "an example may fail loudly")]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use glam::{DMat3, DVec3};
use std::time::Instant;
use tumble_dynamics::Body;
use tumble_dynamics::World;
use tumble_dynamics::geometry::MassProperties;
use tumble_dynamics::method::impact::{Figure, Link};
use tumble_dynamics::method::{ImpactDynamics, ImpactSettings};

const DT: f64 = 1.0 / 30.0;
const ROUNDS: usize = 60;
const STEPS: usize = 100;

/// A chain of so many links that bend by sines.
fn writhing(links: usize) -> World {
    let name = |k: usize| format!("link {k}");
    let times: Vec<f64> = (0..=40).map(|k| 0.1 * f64::from(k)).collect();
    let link = |k: usize| Link {
        on: name(k),
        to: name(k - 1),
        anchor: [0.2, 0.0, 0.0].into(),
        own_anchor: [-0.2, 0.0, 0.0].into(),
        axis: [(k % 2) as f64, 1.0, (k % 3) as f64].into(),
        times: times.clone(),
        degrees: times.iter().map(|&t| 40.0 * libm::sin(3.0 * t + k as f64)).collect(),
        ..Link::default()
    };
    let figures = vec![Figure { root: name(0), links: (1..links).map(link).collect() }];
    let mut world = World::with_method(ImpactDynamics::new(ImpactSettings { figures, ..ImpactSettings::default() }));
    let inertia = DMat3::from_diagonal(DVec3::new(0.01, 0.02, 0.03));
    let properties = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    for k in 0..links {
        let body = Body::dynamic().with_mass_properties(properties).named(name(k)).at([0.4 * k as f64, 0.0, 0.0]);
        world.add_body(body.with_angular_velocity([0.3, 0.5, -0.2])).unwrap();
    }
    world
}

/// Seconds of a step at best.
fn cost(links: usize) -> f64 {
    let mut world = writhing(links);
    let start = world.snapshot();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        world.restore(&start);
        world.step(DT).unwrap();
        let begun = Instant::now();
        (0..STEPS).for_each(|_| world.step(DT).unwrap());
        best = best.min(begun.elapsed().as_secs_f64() / STEPS as f64);
    }
    best
}

fn main() {
    println!("| links | a step | a link of it |\n|---|---|---|");
    for links in [5, 10, 20, 40, 80, 160] {
        let step = 1e6 * cost(links);
        println!("| {links} | {step:.1} µs | {:.2} µs |", step / links as f64);
    }
}
