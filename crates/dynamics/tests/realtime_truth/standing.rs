//! What stands: towers, heavy on light, blocks on slopes.

use super::{at, cube, fastest, run, with_floor, with_slab, world};
use glam::DVec3;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::{Body, Material, World};

/// A tower of boxes of a width with its masses; how far its top has gone after a while.
fn tower(mut world: World, width: f64, masses: &[f64], seconds: f64) -> f64 {
    let mut top = None;
    for (k, &mass) in masses.iter().enumerate() {
        top = Some(world.add_body(cube(0.5 * width, mass).at([0.0, width * (0.5 + k as f64), 0.0])).unwrap());
    }
    run(&mut world, seconds);
    (at(&world, top.unwrap()) - DVec3::Y * (width * (masses.len() as f64 - 0.5))).length()
}

/// So many boxes of a kilogram, the top of another mass.
fn with_top(count: usize, top: f64) -> Vec<f64> {
    let mut masses = vec![1.0; count];
    masses[count - 1] = top;
    masses
}

#[test]
fn towers_stand() {
    let mut alternating: Vec<f64> = (0..12).map(|k| if k % 2 == 0 { 1.0 } else { 300.0 }).collect();
    alternating[11] = 1000.0;
    let towers = [
        ("20 boxes", vec![1.0; 20], 60.0),
        ("40 boxes", vec![1.0; 40], 20.0),
        ("5 with 1000 kg on top", with_top(5, 1000.0), 20.0),
        ("10 under 1000 kg", with_top(11, 1000.0), 20.0),
        ("alternating", alternating, 20.0),
    ];
    for (name, masses, seconds) in towers {
        for width in [0.1, 1.0, 3.0] {
            let moved = [with_floor(), with_slab()].map(|world| tower(world, width, &masses, seconds));
            eprintln!("tower, {name}, {width} m wide: its top moves by {:.1e} and {:.1e} m", moved[0], moved[1]);
            assert!(moved.iter().all(|&moved| moved < 1e-6), "{name}, {width} m: {moved:?}");
        }
    }
}

/// A block of a tonne that is wider than the pillar of thin plates it lies on, and not above its middle.
#[test]
fn a_pillar_of_plates_bears_a_tonne() {
    for turned in [0.0, 0.1] {
        let mut world = with_slab();
        for k in 0..10 {
            let plate = Shape::cuboid([0.3, 0.05, 0.4]).unwrap();
            let turn = rotation_about(DVec3::Y, turned * f64::from(k));
            let plate = Body::dynamic().with_shape(plate).with_mass(1.0).rotated(turn);
            world.add_body(plate.at([0.0, 0.05 + 0.1 * f64::from(k), 0.0])).unwrap();
        }
        let block = world.add_body(cube(0.6, 1000.0).at([0.02, 1.6, -0.03])).unwrap();
        run(&mut world, 10.0);
        let moved = (at(&world, block) - DVec3::new(0.02, 1.6, -0.03)).length();
        eprintln!("a tonne on ten plates, each turned by {turned}: moves by {moved:.1e} m");
        assert!(moved < 1e-4 && fastest(&world) < 1e-6, "{moved}");
    }
}

/// Boxes that are not exactly above each other fall onto each other by centimetres: the column comes to rest, and stands.
#[test]
fn a_column_comes_to_rest() {
    for seed in [3, 4, 5] {
        let mut world = with_floor();
        let mut random = fastrand::Rng::with_seed(seed);
        for k in 0..15 {
            let mut near = || 0.02 * (random.f64() - 0.5);
            world.add_body(cube(0.4, 1.0).at([near(), 0.45 + 0.85 * f64::from(k), near()])).unwrap();
        }
        run(&mut world, 3.0);
        let fastest = fastest(&world);
        let highest = world.bodies().map(|(_, body)| body.position().y).fold(0.0, f64::max);
        eprintln!("column: {fastest:.1e} m/s after three seconds, its top at {highest:.6} m");
        assert!(fastest < 1e-6 && (highest - 11.6).abs() < 1e-3, "{seed}: {fastest} {highest}");
    }
}

/// A block lies on a slope of 95 % of the angle of friction for a minute: of all sizes, turned, light and heavy, on a plane and on a box.
#[test]
fn a_block_does_not_creep() {
    let blocks = [([0.5; 3], 0.0, 0.5), ([0.05; 3], 0.6, 0.5), ([1.5; 3], 0.3, 0.3), ([0.5, 0.25, 0.4], 0.0, 0.8)];
    for (number, (half, turn, friction)) in blocks.into_iter().enumerate() {
        let material = Material { static_friction: friction, dynamic_friction: friction, ..Material::default() };
        let tilt = rotation_about(DVec3::Z, -0.95 * libm::atan(friction));
        let mut world = world();
        let slope = match number % 2 {
            0 => Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()),
            _ => Body::fixed().with_shape(Shape::cuboid([20.0, 1.0, 20.0]).unwrap()).at(tilt * DVec3::NEG_Y),
        };
        world.add_body(slope.with_material(material).rotated(tilt)).unwrap();
        let start = tilt * DVec3::Y * half[1];
        let block = Body::dynamic().with_shape(Shape::cuboid(half).unwrap()).with_mass(2.0).with_material(material);
        let block = block.at(start).rotated(tilt * rotation_about(DVec3::Y, turn));
        let block = world.add_body(block).unwrap();
        run(&mut world, 60.0);
        let creep = (at(&world, block) - start).length();
        eprintln!("a block of {half:?} m creeps by {creep:.1e} m in a minute");
        assert!(creep < 1e-6, "{half:?}: {creep:e}");
    }
}
