//! What a step of the real-time method costs, stage by stage, and how good it is: scenes of many boxes and mixed bodies, at 1/60 s,
//! without sleep but for the world that sleeps.
//!
//! ```sh
//! cargo bench -p tumble-dynamics --bench realtime -- [scene or part of its name] [workers=2] [steps=100] [exact=64]
//! ```
//!
//! Times are the tenth percentile of the steps of the second half, in milliseconds: a busy machine spoils means. `cpu` is the time that
//! the thread which takes the step had the processor (Linux), `wall` what went by. `TUMBLE_WINDOW=25` shows, 25 steps at a time, where the
//! time goes while the scene unfolds.

#![allow(clippy::unwrap_used, reason = "a bench may fail loudly")]

use std::time::{Duration, Instant};
use tumble_dynamics::geometry::glam::{DQuat, DVec3};
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::model::Script;
use tumble_dynamics::{Body, Collider, Material, StepReport, Workers, World};

const DT: f64 = 1.0 / 60.0;

fn empty(time_to_sleep: f64) -> World {
    let settings = RealtimeSettings { time_to_sleep, ..RealtimeSettings::default() };
    World::with_method(Realtime::new().with_settings(settings))
}

fn with_floor() -> World {
    let mut world = empty(f64::INFINITY);
    let floor = Shape::cuboid([400.0, 1.0, 400.0]).unwrap();
    world.add_body(Body::fixed().at([0.0, -1.0, 0.0]).with_shape(floor).with_material(material())).unwrap();
    world
}

fn material() -> Material {
    Material { static_friction: 0.5, dynamic_friction: 0.5, ..Material::default() }
}

fn add(world: &mut World, shape: &Shape, at: DVec3, turn: DQuat) {
    let body = Body::dynamic().with_shape(shape.clone()).with_material(material());
    world.add_body(body.at(at).rotated(turn)).unwrap();
}

fn pyramid(world: &mut World, base: u32, at: DVec3) {
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    for row in 0..base {
        for column in 0..base - row {
            let x = f64::from(column) + 0.5 * f64::from(row) - 0.5 * f64::from(base);
            add(world, &cube, at + DVec3::new(1.02 * x, 0.5 + f64::from(row), 0.0), DQuat::IDENTITY);
        }
    }
}

fn one_pyramid(base: u32) -> World {
    let mut world = with_floor();
    pyramid(&mut world, base, DVec3::ZERO);
    world
}

fn many_pyramids(side: u32) -> World {
    let mut world = with_floor();
    for k in 0..side * side {
        let at = DVec3::new(12.0 * f64::from(k % side), 0.0, 4.0 * f64::from(k / side));
        pyramid(&mut world, 10, at - DVec3::new(6.0, 0.0, 2.0) * f64::from(side));
    }
    world
}

/// Layers of `side` × `side` bodies, each a little beside the one below, between four walls.
fn pile(side: u32, layers: u32, spacing: f64, shapes: &[Shape]) -> World {
    let mut world = with_floor();
    let half = 0.5 * spacing * f64::from(side) + 0.5;
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let wall = Shape::cuboid(DVec3::new(
            if x != 0.0 { 0.5 } else { half + 1.0 },
            60.0,
            if z != 0.0 { 0.5 } else { half + 1.0 },
        ))
        .unwrap();
        let at = DVec3::new(x, 0.0, z) * (half + 0.5) + DVec3::Y * 60.0;
        world.add_body(Body::fixed().at(at).with_shape(wall).with_material(material())).unwrap();
    }
    let mut random = fastrand::Rng::with_seed(7);
    for layer in 0..layers {
        for k in 0..side * side {
            let mut jitter = || 0.1 * (random.f64() - 0.5);
            let column = DVec3::new(
                f64::from(k % side) - 0.5 * f64::from(side - 1),
                f64::from(layer) + 0.5,
                f64::from(k / side) - 0.5 * f64::from(side - 1),
            );
            let at = column * spacing + DVec3::new(jitter(), 0.0, jitter());
            let turn = rotation_from_vector(DVec3::new(jitter(), jitter(), jitter()));
            let shape = &shapes[((k + 3 * layer) as usize) % shapes.len()];
            add(&mut world, shape, at, turn);
        }
    }
    world
}

fn box_pile(side: u32, layers: u32) -> World {
    pile(side, layers, 1.1, &[Shape::cuboid([0.4; 3]).unwrap()])
}

/// Bodies turned at random that are dumped into a pit of 16 m.
fn dump(count: u32, mut shape: impl FnMut(u32, &mut fastrand::Rng) -> Shape) -> World {
    let mut world = with_floor();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = |along: f64| if along == 0.0 { 10.0 } else { 1.0 };
        let wall = Shape::cuboid([half(x), 20.0, half(z)]).unwrap();
        let at = DVec3::new(9.0 * x, 20.0, 9.0 * z);
        world.add_body(Body::fixed().at(at).with_shape(wall).with_material(material())).unwrap();
    }
    let random = &mut fastrand::Rng::with_seed(7);
    for index in 0..count {
        let [x, z] = [index % 16, index / 16 % 16].map(|k| (f64::from(k) - 7.5) * 0.98);
        let shape = shape(index, random);
        add(&mut world, &shape, DVec3::new(x, 0.8 + 1.1 * f64::from(index / 256), z), turned(random));
    }
    world
}

fn box_dump() -> World {
    dump(4096, |_, _| Shape::cuboid([0.4; 3]).unwrap())
}

fn mixed_dump() -> World {
    dump(3000, |index, random| match index % 4 {
        0 => Shape::sphere(0.4).unwrap(),
        1 => Shape::cuboid([0.35; 3]).unwrap(),
        2 => Shape::capsule(0.25, 0.25).unwrap(),
        _ => rock(16, 0.42, random),
    })
}

fn mixed_pile(side: u32, layers: u32) -> World {
    let mut random = fastrand::Rng::with_seed(3);
    let corners: Vec<DVec3> = (0..16)
        .map(|_| DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5).normalize() * 0.45)
        .collect();
    let shapes = [
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid([0.4, 0.3, 0.35]).unwrap(),
        Shape::capsule(0.3, 0.25).unwrap(),
        Shape::hull(&corners).unwrap(),
        Shape::cylinder(0.35, 0.35).unwrap(),
    ];
    pile(side, layers, 1.1, &shapes)
}

/// A random rotation.
fn turned(random: &mut fastrand::Rng) -> DQuat {
    let mut part = || random.f64() * 2.0 - 1.0;
    DQuat::from_xyzw(part(), part(), part(), part()).normalize()
}

/// A hull of so many points spread over a sphere (Fibonacci), a little shaken, about its centre of mass.
fn rock(points: usize, radius: f64, random: &mut fastrand::Rng) -> Shape {
    let golden = std::f64::consts::PI * (3.0 - libm::sqrt(5.0));
    let list: Vec<DVec3> = (0..points)
        .map(|index| {
            let y = 1.0 - 2.0 * (index as f64 + 0.5) / points as f64;
            let (ring, angle) = (libm::sqrt(1.0 - y * y), golden * index as f64);
            DVec3::new(ring * libm::cos(angle), y, ring * libm::sin(angle)) * radius * (0.9 + 0.2 * random.f64())
        })
        .collect();
    let center = Shape::hull(&list).unwrap().mass_properties(1.0).unwrap().center;
    Shape::hull(&list.iter().map(|point| point - center).collect::<Vec<_>>()).unwrap()
}

/// A surface of hills: a grid of `cells` × `cells` squares of two triangles.
fn hills(cells: u32, width: f64, height: f64) -> Shape {
    let side = cells + 1;
    let step = width / f64::from(cells);
    let vertices: Vec<DVec3> = (0..side * side)
        .map(|index| {
            let [x, z] = [index % side, index / side].map(|k| f64::from(k) * step - 0.5 * width);
            let waves = libm::sin(0.35 * x) * libm::cos(0.27 * z) + 0.3 * libm::sin(1.3 * x + 0.7 * z);
            DVec3::new(x, height * waves, z)
        })
        .collect();
    let corners = (0..cells * cells).map(|cell| cell / cells * side + cell % cells);
    let squares = corners.flat_map(|a| [[a, a + side, a + 1], [a + 1, a + side, a + side + 1]]);
    Shape::mesh(vertices, squares.collect()).unwrap()
}

/// Hulls of 16 points on hills.
fn mesh_terrain(count: u32) -> World {
    let mut world = empty(f64::INFINITY);
    world.add_body(Body::fixed().with_shape(hills(100, 80.0, 1.5)).with_material(material())).unwrap();
    let random = &mut fastrand::Rng::with_seed(7);
    for index in 0..count {
        let [x, z] = [index % 32, index / 32].map(|k| (f64::from(k) - 16.0) * 2.0);
        let at = DVec3::new(x, 3.5 + 0.5 * random.f64(), z);
        let shape = rock(16, 0.5, random);
        add(&mut world, &shape, at, turned(random));
    }
    world
}

fn many_free(count: u32) -> World {
    let mut world = empty(f64::INFINITY);
    world.set_gravity([0.0; 3]);
    let shape = Shape::cuboid([0.4, 0.3, 0.2]).unwrap();
    let side = libm::ceil(libm::cbrt(f64::from(count))) as u32;
    let mut random = fastrand::Rng::with_seed(5);
    for k in 0..count {
        let at = DVec3::new(f64::from(k % side), f64::from(k / side % side), f64::from(k / side / side)) * 4.0;
        let mut part = || random.f64() - 0.5;
        let body = Body::dynamic().at(at).with_shape(shape.clone());
        let body = body.with_velocity([part(), part(), part()]).with_angular_velocity([part(), part(), part()]);
        world.add_body(body).unwrap();
    }
    world
}

/// A drum that turns about z.
#[derive(Debug)]
struct Drum;

impl Script for Drum {
    fn pose(&self, time: f64) -> Transform {
        Transform::from_rotation(rotation_from_vector(DVec3::Z * (0.5 * time)))
    }
}

fn washer(side: u32, layers: u32) -> World {
    let mut world = empty(f64::INFINITY);
    let (radius, sides) = (0.75 * f64::from(side), 24);
    let mut drum = Body::scripted(Drum).with_material(material());
    let half = std::f64::consts::PI * radius / f64::from(sides) * 1.1;
    let length = 0.5 * f64::from(layers);
    for k in 0..sides {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(sides);
        let turn = rotation_from_vector(DVec3::Z * angle);
        let plank = Shape::cuboid([0.5, half, length]).unwrap();
        drum =
            drum.with_collider(Collider::new(plank).with_pose(Transform::new(turn, turn * DVec3::X * (radius + 0.5))));
    }
    for z in [-1.0, 1.0] {
        let lid = Shape::cuboid([radius + 1.0, radius + 1.0, 0.5]).unwrap();
        drum = drum
            .with_collider(Collider::new(lid).with_pose(Transform::from_translation(DVec3::Z * (z * (length + 0.5)))));
    }
    world.add_body(drum).unwrap();
    let cube = Shape::cuboid([0.4; 3]).unwrap();
    for layer in 0..layers {
        for k in 0..side * side {
            let at = DVec3::new(f64::from(k % side), f64::from(k / side), 0.0)
                - 0.5 * f64::from(side - 1) * DVec3::new(1.0, 1.0, 0.0);
            add(&mut world, &cube, at * 0.9 + DVec3::Z * (f64::from(layer) + 0.5 - length), DQuat::IDENTITY);
        }
    }
    world
}

fn sleeping(side: u32) -> World {
    let mut world = many_pyramids(side);
    world.method_mut::<Realtime>().unwrap().set_settings(RealtimeSettings::default());
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    world.step(DT).unwrap();
    for id in ids {
        world.body_mut(id).unwrap().sleep();
    }
    world
}

fn percentile(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 10).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// For how long this thread has had a processor, where the system tells.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(told.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0))
}

fn quality(world: &World) -> (f64, f64, f64) {
    let (mut sum, mut most, mut count) = (0.0, 0.0_f64, 0);
    world.visit_contacts(|contact| {
        for point in contact.points().filter(|point| point.gap < 0.0) {
            (sum, most, count) = (sum - point.gap, most.max(-point.gap), count + 1);
        }
    });
    let moving = || world.bodies().filter(|(_, body)| body.mass() > 0.0);
    let square: f64 = moving().map(|(_, body)| body.velocity().length_squared()).sum();
    (1e3 * sum / f64::from(count.max(1)), 1e3 * most, (square / moving().count().max(1) as f64).sqrt())
}

/// How the cost goes up and down: means of so many steps at a time.
fn tell_windows(window: usize, processor: &[Duration], reports: &[StepReport]) {
    for (number, reports) in reports.chunks(window).enumerate() {
        let mean = |times: &mut dyn Iterator<Item = Duration>| {
            times.map(|time| time.as_secs_f64()).sum::<f64>() * 1e3 / reports.len() as f64
        };
        let first = number * window;
        let cpu = mean(&mut processor[first..first + reports.len()].iter().copied());
        print!("  {first:>5} cpu {cpu:>7.2} |");
        let Some(last) = reports.last() else { continue };
        for (stage, (name, _)) in last.times.stages.iter().enumerate() {
            let of = |report: &StepReport| report.times.stages.iter().nth(stage).map_or(Duration::ZERO, |(_, t)| t);
            print!(" {name} {:.2}", mean(&mut reports.iter().map(of)));
        }
        let looks = reports.iter().map(|report| report.work.looks).sum::<usize>() as f64 / reports.len() as f64;
        println!(
            " | looks {looks:.1} pairs {} contacts {} swept {} kept {} substeps {} colours {} again {}",
            last.work.pairs,
            last.contacts,
            last.work.swept_contacts,
            last.work.recycled,
            last.work.heap_substeps,
            last.work.colours,
            last.work.second_thoughts,
        );
    }
}

fn measure(name: &str, build: &dyn Fn() -> World, workers: usize, steps: usize, exact: Option<u32>) {
    let mut world = build();
    if let Some(exact_contacts) = exact {
        let method = world.method_mut::<Realtime>().unwrap();
        method.set_settings(RealtimeSettings { exact_contacts, ..*method.settings() });
    }
    world.set_workers(Workers::new(workers));
    let mut reports: Vec<StepReport> = Vec::new();
    let (mut walls, mut processor) = (Vec::new(), Vec::new());
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        let (start, had) = (Instant::now(), processor_time());
        world.step(DT).unwrap();
        walls.push(start.elapsed());
        processor.push(processor_time() - had);
        reports.push(world.report());
        worst = worst.max(quality(&world).1);
    }
    if let Some(window) = std::env::var("TUMBLE_WINDOW").ok().and_then(|steps| steps.parse::<usize>().ok()) {
        tell_windows(window.max(1), &processor, &reports);
    }
    let half = steps / 2;
    let of = |time: fn(&StepReport) -> Duration| percentile(&mut reports[half..].iter().map(time).collect::<Vec<_>>());
    let (mean, most, speed) = quality(&world);
    let report = world.report();
    println!(
        "{name:<18} {workers:>2} {:>7} {:>7} {:>9.3} {:>8.3} {:>8.3} {:>8.3} {mean:>8.2} {most:>8.2} {worst:>8.2} {speed:>9.1e}",
        report.awake + report.asleep,
        report.contacts,
        percentile(&mut processor[half..].to_vec()),
        percentile(&mut walls[half..].to_vec()),
        of(|report| report.times.detect),
        of(|report| report.times.solve),
    );
    if std::env::var_os("TUMBLE_REPORT").is_some() {
        for stage in 0..report.times.stages.iter().count() {
            let time =
                |report: &StepReport| report.times.stages.iter().nth(stage).map_or(Duration::ZERO, |(_, time)| time);
            let mut times: Vec<Duration> = reports[half..].iter().map(time).collect();
            let name = report.times.stages.iter().nth(stage).map_or("", |(name, _)| name);
            println!("    {name:<14} {:>8.3}", percentile(&mut times));
        }
        println!("    {:?}", report.work);
    }
}

fn main() {
    let mut filter = String::new();
    let (mut workers, mut steps, mut exact) = (vec![1, 2], 0, None);
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        match argument.split_once('=') {
            Some(("workers", count)) => workers = vec![count.parse().unwrap()],
            Some(("steps", count)) => steps = count.parse().unwrap(),
            Some(("exact", count)) => exact = Some(count.parse().unwrap()),
            _ => filter = argument,
        }
    }
    let scenes: [(&str, &dyn Fn() -> World, usize); 15] = [
        ("pyramid_820", &|| one_pyramid(40), 100),
        ("large_pyramid", &|| one_pyramid(100), 60),
        ("many_pyramids", &|| many_pyramids(14), 40),
        ("box_pile_4096", &|| box_pile(16, 16), 300),
        ("box_dump_4096", &box_dump, 400),
        ("mixed_dump_3000", &mixed_dump, 400),
        ("mixed_pile_3150", &|| mixed_pile(15, 14), 300),
        ("mesh_terrain_1000", &|| mesh_terrain(1000), 240),
        ("many_free_20000", &|| many_free(20_000), 40),
        ("washer_8000", &|| washer(20, 20), 100),
        ("sleeping_100000", &|| sleeping(43), 40),
        ("linear_1000", &|| many_pyramids(4), 60),
        ("linear_10000", &|| many_pyramids(13), 40),
        ("linear_100000", &|| many_pyramids(43), 20),
        ("free_100000", &|| many_free(100_000), 20),
    ];
    println!(
        "{:<18} {:>2} {:>7} {:>7} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}",
        "scene", "w", "bodies", "contact", "cpu", "wall", "detect", "solve", "mean mm", "max mm", "peak mm", "rms m/s"
    );
    for (name, build, usual) in scenes.into_iter().filter(|(name, ..)| name.contains(&filter)) {
        for &count in &workers {
            measure(name, build, count, if steps > 0 { steps } else { usual }, exact);
        }
    }
}
