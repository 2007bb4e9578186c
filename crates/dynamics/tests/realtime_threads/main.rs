//! The real-time method gives the same bits however many threads work on it and however wide the processor is, and a step of it
//! needs no memory once its lists have grown.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod crowds;

use crowds::{CROWDS, crowd};
use glam::DVec3;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::{Body, Material, SavedState, StepReport, Workers, World};

const DT: f64 = 1.0 / 60.0;

fn with_floor(method: Realtime) -> World {
    let mut world = World::with_method(method);
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    world
}

/// Bodies of several shapes fall onto each other between walls: heaps, small islands and bodies in flight.
fn pile(method: Realtime) -> World {
    let mut world = with_floor(method);
    let mut random = fastrand::Rng::with_seed(11);
    let shapes = [
        Shape::cuboid([0.4, 0.3, 0.35]).unwrap(),
        Shape::sphere(0.35).unwrap(),
        Shape::capsule(0.25, 0.2).unwrap(),
        Shape::cylinder(0.3, 0.3).unwrap(),
    ];
    for number in 0..500 {
        let [x, y, z] = [number % 10, number / 100, number / 10 % 10].map(f64::from);
        let mut jitter = || 0.2 * (random.f64() - 0.5);
        let at = DVec3::new(0.8 * x + jitter(), 0.5 + 0.9 * y, 0.8 * z + jitter());
        let restitution = if number % 7 == 0 { 0.5 } else { 0.0 };
        let body = Body::dynamic().at(at).rotated(rotation_from_vector(DVec3::new(jitter(), jitter(), jitter())));
        let material = Material { restitution, ..Material::default() };
        let shape = shapes[number as usize % shapes.len()].clone();
        world.add_body(body.with_shape(shape).with_material(material)).unwrap();
    }
    world
}

fn fingerprints(mut world: World, workers: usize) -> (Vec<u64>, StepReport) {
    world.set_workers(Workers::new(workers));
    let step = |_| {
        world.step(DT).unwrap();
        world.state().fingerprint()
    };
    ((0..25).map(step).collect(), world.report())
}

#[test]
fn the_number_of_threads_and_lanes_does_not_matter() {
    let (alone, report) = fingerprints(pile(Realtime::new()), 1);
    assert!(report.work.heaps > 0 && report.work.swept_contacts > 300, "{:?}", report.work);
    for workers in [2, 4, 7] {
        assert_eq!(fingerprints(pile(Realtime::new()), workers).0, alone, "{workers} threads");
    }
    assert_eq!(fingerprints(pile(Realtime::new().with_common_instructions()), 2).0, alone, "narrow lanes");
}

/// How many steps of each scene are compared: half a second, or what `TUMBLE_CASES` says.
fn steps() -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|steps| steps.parse().ok()).unwrap_or(60)
}

fn fingerprint_after(mut world: World, workers: usize) -> u64 {
    world.set_workers(Workers::new(workers));
    (0..steps()).for_each(|_| world.step(DT).unwrap());
    world.state().fingerprint()
}

/// The fingerprints of the crowds after 60 steps, on every machine. `TUMBLE_PRINT_GOLDEN=1` prints them anew.
const GOLDEN: [u64; 12] = [
    0x86bdb1152e7e6a14,
    0xf85620a779c5faee,
    0x4c5e5929b9c783e3,
    0x5aa922041c157908,
    0x4654f2ac1e0dec40,
    0x6554fec23297967e,
    0x7e90e130ff7b5473,
    0x392ff259e06de2dd,
    0x5ad5c063ce2eb48e,
    0xe9b62c9b28c3d50a,
    0xa10b0d755648aabf,
    0x9fe260892d2d31cc,
];

#[test]
fn crowds_end_in_the_same_bits() {
    let alone = CROWDS.map(|(_, build)| fingerprint_after(crowd(build, Realtime::new()), 1));
    for (&(name, build), &alone) in CROWDS.iter().zip(&alone) {
        for workers in [2, 4, 7] {
            assert_eq!(fingerprint_after(crowd(build, Realtime::new()), workers), alone, "{name}: {workers} threads");
        }
        let narrow = crowd(build, Realtime::new().with_common_instructions());
        assert_eq!(fingerprint_after(narrow, 1), alone, "{name}: narrow lanes");
    }
    if std::env::var_os("TUMBLE_PRINT_GOLDEN").is_some() {
        alone.iter().for_each(|print| eprintln!("    {print:#018x},"));
    } else if steps() == 60 {
        assert_eq!(alone, GOLDEN);
    }
}

/// A run goes on from a snapshot and from a save in its middle as if nothing had happened, also in another world with other threads.
#[test]
fn crowds_go_on_from_the_middle() {
    for (name, build) in CROWDS {
        let mut world = crowd(build, Realtime::new());
        world.set_workers(Workers::new(2));
        (0..steps() / 2).for_each(|_| world.step(DT).unwrap());
        let (snapshot, saved) = (world.snapshot(), world.save().to_bytes());
        let on = |mut world: World| {
            (0..steps() / 2).for_each(|_| world.step(DT).unwrap());
            world.state().fingerprint()
        };
        let mut restored = crowd(build, Realtime::new());
        restored.restore(&snapshot);
        let mut loaded = crowd(build, Realtime::new());
        loaded.load(&SavedState::from_bytes(&saved).unwrap()).unwrap();
        let there = on(world);
        assert_eq!(on(restored), there, "{name}: from a snapshot");
        assert_eq!(on(loaded), there, "{name}: from a save");
    }
}

/// Two worlds may share their threads; who finds them busy works alone.
#[test]
fn worlds_share_threads() {
    let workers = Workers::new(2);
    let run = || {
        let mut world = pile(Realtime::new());
        world.set_workers(workers.clone());
        (0..5).for_each(|_| world.step(DT).unwrap());
        world.state().fingerprint()
    };
    let [a, b] = std::thread::scope(|scope| [scope.spawn(run), scope.spawn(run)].map(|thread| thread.join().unwrap()));
    assert_eq!(a, b);
}

/// A pyramid of 105 boxes, whose contacts are solved by sweeps, on one and on two threads.
#[test]
fn a_step_of_a_heap_needs_no_memory() {
    for workers in [1, 2] {
        let settings = RealtimeSettings { time_to_sleep: f64::INFINITY, ..RealtimeSettings::default() };
        let mut world = with_floor(Realtime::new().with_settings(settings));
        for row in 0..14 {
            for column in 0..14 - row {
                let at = DVec3::new(1.02 * f64::from(column) + 0.51 * f64::from(row), 0.5 + f64::from(row), 0.0);
                world.add_body(Body::dynamic().at(at).with_shape(Shape::cuboid([0.5; 3]).unwrap())).unwrap();
            }
        }
        world.set_workers(Workers::new(workers));
        (0..120).for_each(|_| world.step(DT).unwrap());
        assert!(world.report().work.heaps == 1, "{:?}", world.report().work);
        for number in 0..60 {
            let info = allocation_counter::measure(|| world.step(DT).unwrap());
            assert_eq!(info.count_total, 0, "{workers} threads, step {number}: {info:?}");
        }
    }
}

/// What sleeps is not looked at: a hundred pyramids asleep beside one box in flight leave one body and no pair to go through.
#[test]
fn sleepers_cost_nothing() {
    let mut world = with_floor(Realtime::new());
    for stack in 0..100 {
        for level in 0..4 {
            let at = DVec3::new(3.0 * f64::from(stack % 10), 0.5 + f64::from(level), 3.0 * f64::from(stack / 10));
            world.add_body(Body::dynamic().at(at).with_shape(Shape::cuboid([0.5; 3]).unwrap())).unwrap();
        }
    }
    while world.report().asleep < 400 {
        world.step(DT).unwrap();
        assert!(world.time() < 5.0, "{:?}", world.report());
    }
    let contacts = world.report().contacts;
    world.add_body(Body::dynamic().at([-9.0, 100.0, 0.0]).with_shape(Shape::sphere(0.5).unwrap())).unwrap();
    (0..3).for_each(|_| world.step(DT).unwrap());
    let report = world.report();
    assert_eq!((report.awake, report.asleep, report.work.pairs), (1, 400, 0));
    assert_eq!((report.contacts, report.islands), (contacts, 101));
    let mut seen = 0;
    world.visit_contacts(|_| seen += 1);
    assert_eq!(seen, contacts);
}
