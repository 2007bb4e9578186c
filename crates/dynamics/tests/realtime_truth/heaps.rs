//! What lies in one large island: pyramids, piles, what is pressed, what is dumped.

use super::{DT, at, cube, fastest, overlap, run, with_floor, with_slab};
use glam::{DQuat, DVec3};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::{Body, BodyId, World};

/// A pyramid of 210 boxes of a kilogram; the one at the top weighs 500. Boxes of several widths, beside each other or apart.
#[test]
fn a_pyramid_bears_a_heavy_capstone() {
    for (width, apart) in [(1.0, 1.02), (1.0, 1.0), (0.4, 1.05)] {
        let mut world = with_slab();
        let mut top = None;
        for level in 0..20 {
            for k in 0..20 - level {
                let place = DVec3::new(apart * (k as f64 + 0.5 * level as f64), 0.5 + level as f64, 0.0);
                let mass = if level == 19 { 500.0 } else { 1.0 };
                top = Some(world.add_body(cube(0.5 * width, mass).at(width * place)).unwrap());
            }
        }
        let start = at(&world, top.unwrap());
        run(&mut world, 10.0);
        let sag = (at(&world, top.unwrap()) - start).length();
        let (mean, most) = overlap(&world);
        eprintln!("capstone, {width} m wide, {apart} apart: sag {sag:.2e} m, overlap {mean:.1e} mean {most:.1e} most");
        assert!(sag < 1e-2 && most < 5e-3, "{width} {apart}: {sag} {most}");
    }
}

/// A piston of a tonne in a shaft presses on 100 loose boxes of a kilogram.
#[test]
fn a_piston_presses_on_loose_boxes() {
    let mut world = with_floor();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = DVec3::new(if x == 0.0 { 2.0 } else { 0.5 }, 5.0, if z == 0.0 { 2.0 } else { 0.5 });
        let wall = Body::fixed().with_shape(Shape::cuboid(half.to_array()).unwrap());
        world.add_body(wall.at([1.75 * x, 5.0, 1.75 * z])).unwrap();
    }
    let mut random = fastrand::Rng::with_seed(4);
    for k in 0..100 {
        let mut near = || 0.1 * (random.f64() - 0.5);
        let (x, z) = (f64::from(k % 5) - 2.0, f64::from(k / 5 % 5) - 2.0);
        let place = DVec3::new(0.48 * x + near(), 0.3 + 0.5 * f64::from(k / 25), 0.48 * z + near());
        let turn = rotation_about(DVec3::Y, near());
        world.add_body(cube(0.2, 1.0).at(place).rotated(turn)).unwrap();
    }
    let piston = Body::dynamic().with_shape(Shape::cuboid([1.2, 0.3, 1.2]).unwrap()).with_mass(1000.0);
    world.add_body(piston.at([0.0, 2.8, 0.0])).unwrap();
    run(&mut world, 6.0);
    let (mean, most) = overlap(&world);
    let fastest = fastest(&world);
    eprintln!("piston: overlap {mean:.1e} mean, {most:.1e} most, fastest {fastest:.1e} m/s");
    assert!(mean < 3e-3 && most < 6e-3 && fastest < 1e-3);
}

/// A piston of a tonne on 300 boxes of a kilogram, in three layers and loosely dropped in twelve.
#[test]
fn a_piston_presses_on_many_boxes() {
    for (side, layers, shake) in [(10, 3, 0.0), (5, 12, 0.1)] {
        let half = 0.5 * 0.51 * f64::from(side);
        let mut world = shaft(half);
        let mut random = fastrand::Rng::with_seed(9);
        for k in 0..side * side * layers {
            let mut near = || shake * (random.f64() - 0.5);
            let place = |i: i32| 0.51 * (f64::from(i) + 0.5) - half;
            let size = if shake > 0.0 { 0.2 } else { 0.25 };
            let height = 0.255 + 0.51 * f64::from(k / (side * side));
            let at = DVec3::new(place(k % side) + near(), height, place(k / side % side) + near());
            let turn = rotation_about(DVec3::new(near(), 1.0, near()).normalize(), near());
            world.add_body(cube(size, 1.0).at(at).rotated(turn)).unwrap();
        }
        let piston = Shape::cuboid([0.98 * half, 0.25, 0.98 * half]).unwrap();
        let piston = Body::dynamic().with_shape(piston).with_mass(1000.0);
        world.add_body(piston.at([0.0, 0.27 + 0.51 * f64::from(layers), 0.0])).unwrap();
        run(&mut world, 10.0);
        let (mean, most) = overlap(&world);
        eprintln!("piston on {layers} layers: overlap {mean:.1e} mean, {most:.1e} most");
        assert!(most < 1e-2, "{layers}: {most}");
    }
}

/// A shaft of walls and a floor, in which things are piled up.
fn shaft(half: f64) -> World {
    let mut world = with_slab();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let size = |along: f64| if along == 0.0 { half + 1.0 } else { 0.5 };
        let wall = Shape::cuboid([size(x), 20.0, size(z)]).unwrap();
        world.add_body(Body::fixed().with_shape(wall).at([(half + 0.5) * x, 20.0, (half + 0.5) * z])).unwrap();
    }
    world
}

/// Boxes fall into a shaft from up to 22 m, anyhow: they hardly overlap on the way, and come to rest.
#[test]
fn a_dumped_pile_comes_to_rest() {
    for seed in [11, 12, 13] {
        let mut world = shaft(1.6);
        world.method_mut::<Realtime>().unwrap().set_settings(RealtimeSettings::default());
        let mut random = fastrand::Rng::with_seed(seed);
        for k in 0..198 {
            let mut any = || 2.0 * random.f64() - 1.0;
            let (x, z) = (f64::from(k % 3) - 1.0, f64::from(k / 3 % 3) - 1.0);
            let place = DVec3::new(x, 1.0 + f64::from(k / 9), z) + 0.05 * DVec3::new(any(), any(), any());
            let turn = rotation_about(DVec3::new(any(), any(), any() + 2.0).normalize(), 3.0 * any());
            world.add_body(cube(0.25, 1.0).at(place).rotated(turn)).unwrap();
        }
        let (mut peak, mut seconds) = (0.0_f64, 0.0);
        while world.report().asleep < 198 && seconds < 25.0 {
            world.step(DT).unwrap();
            seconds += DT;
            peak = peak.max(overlap(&world).1);
        }
        let (mean, most) = overlap(&world);
        eprintln!(
            "dumped pile {seed}: asleep after {seconds:.1} s, overlap {mean:.1e} mean, {most:.1e} most, {peak:.1e} on the way"
        );
        assert!(seconds < 20.0 && mean < 2e-3 && most < 3e-2 && peak < 0.08, "{seed}: {seconds} {mean} {most} {peak}");
    }
}

/// A tower of twenty boxes stands in the middle of a pile, which leans on it.
#[test]
fn a_tower_stands_in_a_pile() {
    for (seed, half) in [(3, 0.4), (4, 0.4), (5, 0.2)] {
        let size = half / 0.4;
        let mut world = shaft(1.25 * size);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut add = |place: DVec3, turn| world.add_body(cube(half, 1.0).at(size * place).rotated(turn)).unwrap();
        let tower: Vec<BodyId> = (0..20).map(|k| add(DVec3::Y * (0.4 + 0.8 * f64::from(k)), DQuat::IDENTITY)).collect();
        let around =
            (0..9).filter(|&place| place != 4).map(|place| (f64::from(place % 3) - 1.0, f64::from(place / 3) - 1.0));
        for (level, (x, z)) in (0..15).flat_map(|level| around.clone().map(move |place| (f64::from(level), place))) {
            let mut near = || 0.02 * (random.f64() - 0.5);
            let place = DVec3::new(0.82 * x + near(), 0.45 + 0.85 * level, 0.82 * z + near());
            add(place, rotation_about(DVec3::new(near(), 1.0, near()).normalize(), near()));
        }
        run(&mut world, 8.0);
        let top = at(&world, tower[19]);
        let sag = size * (0.4 + 0.8 * 19.0) - top.y;
        eprintln!("tower in a pile {seed}: sag {sag:.1e} m, aside {:.1e} m", DVec3::new(top.x, 0.0, top.z).length());
        assert!(sag.abs() < 2e-2, "{seed}: {sag}");
    }
}
