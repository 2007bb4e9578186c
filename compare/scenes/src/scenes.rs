//! The scenes that are timed. Sizes are those that others publish, so that numbers can be compared with theirs too.

use crate::piles::{figure, hills, pit, prism, rock, turned};
use crate::scene::{Kind, Scene, ShapeDesc};
use glam::{DQuat, DVec3};

/// The scenes in the order of the tables: name and content.
pub const SCENES: [(&str, &str); 17] = [
    ("pyramid_820", "a pyramid of cubes, 40 in its lowest row"),
    ("large_pyramid", "the same with 100: 5050 cubes"),
    ("many_pyramids", "196 pyramids of 55 cubes"),
    ("many_pyramids_18", "18 such pyramids: the cost of a body in a small world"),
    ("many_pyramids_1818", "1818 such pyramids: and in a large one"),
    ("box_pile", "4096 cubes dumped into a pit, then 100 000 rays"),
    ("mixed_pile", "3000 balls, cubes, capsules, hulls of 16 points and twelve-sided cylinders dumped into a pit"),
    ("convex_pile", "5120 hulls of 32 points dumped into a shaft"),
    ("joint_grid_40", "a net of 40 × 40 balls and 3081 ball joints, held at one side, that swings down"),
    ("joint_grid_100", "the same with 100 × 100 balls and 19 701 joints"),
    ("ragdolls_100", "100 figures of eleven capsules fall on a floor"),
    ("ragdolls_500", "500 of them fall on each other"),
    ("rain_on_mesh", "100 of them fall on hills of 7200 triangles"),
    ("mesh_terrain", "1000 hulls of 16 points fall on hills of 20 000 triangles"),
    ("washer", "4000 cubes in a drum that turns"),
    ("many_free", "20 000 boxes that fly and spin without weight"),
    ("large_world", "100 balls roll over a million fixed boxes"),
];

/// The scenes of a quick run.
pub const QUICK: [&str; 6] = ["pyramid_820", "box_pile", "mixed_pile", "joint_grid_40", "ragdolls_100", "mesh_terrain"];

/// All scenes by name.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|(name, _)| *name)
}

/// The scene of a name.
pub fn scene(name: &str) -> Option<Scene> {
    let mut scene = Scene::new(name, [60, 240]);
    let random = &mut fastrand::Rng::with_seed(7);
    match name {
        "pyramid_820" => {
            scene.floor(100.0);
            pyramid(&mut scene, 40, DVec3::ZERO);
        }
        "large_pyramid" => {
            scene.floor(200.0);
            pyramid(&mut scene, 100, DVec3::ZERO);
            scene.steps = [60, 140];
        }
        "many_pyramids" => many_pyramids(&mut scene, 14 * 14),
        "many_pyramids_18" => many_pyramids(&mut scene, 18),
        "many_pyramids_1818" => many_pyramids(&mut scene, 1818),
        "box_pile" => {
            scene.floor(60.0);
            pit(&mut scene, 8.0, 40.0);
            dump(&mut scene, 4096, 16, random, |_, _| ShapeDesc::Cuboid(DVec3::splat(0.4)));
            rays(&mut scene, random, 100_000);
            scene.steps = [300, 240];
        }
        "mixed_pile" => {
            scene.floor(60.0);
            pit(&mut scene, 8.0, 40.0);
            dump(&mut scene, 3000, 16, random, |index, random| match index % 5 {
                0 => ShapeDesc::Sphere(0.4),
                1 => ShapeDesc::Cuboid(DVec3::new(0.35, 0.35, 0.35)),
                2 => ShapeDesc::Capsule(0.25, 0.25),
                3 => rock(16, 0.42, random),
                _ => prism(12, 0.3, 0.3),
            });
            scene.steps = [300, 240];
        }
        "convex_pile" => {
            scene.floor(60.0);
            pit(&mut scene, 4.4, 100.0);
            dump(&mut scene, 5120, 8, random, |_, random| rock(32, 0.42, random));
            scene.steps = [400, 100];
        }
        "joint_grid_40" => joint_grid(&mut scene, 40),
        "joint_grid_100" => {
            joint_grid(&mut scene, 100);
            scene.steps = [30, 100];
        }
        "ragdolls_100" => ragdolls(&mut scene, random, 10, 1),
        "ragdolls_500" => ragdolls(&mut scene, random, 10, 5),
        "rain_on_mesh" => {
            scene.fix(hills(60, 60.0, 1.0), DVec3::ZERO);
            for index in 0..100 {
                let at = DVec3::new(
                    f64::from(index % 10 - 5) * 2.5,
                    3.5 + f64::from(index % 3),
                    f64::from(index / 10 - 5) * 2.5,
                );
                thrown(&mut scene, random, at);
            }
            scene.steps = [60, 240];
        }
        "mesh_terrain" => {
            scene.fix(hills(100, 80.0, 1.5), DVec3::ZERO);
            for index in 0..1000 {
                let at = DVec3::new(
                    f64::from(index % 32 - 16) * 2.0,
                    3.5 + 0.5 * random.f64(),
                    f64::from(index / 32 - 16) * 2.0,
                );
                scene.add(rock(16, 0.5, random), at);
                scene.last().rotation = turned(random);
            }
            scene.steps = [120, 240];
        }
        "washer" => washer(&mut scene, random),
        "many_free" => {
            scene.gravity = DVec3::ZERO;
            for index in 0..20_000 {
                let at =
                    DVec3::new(f64::from(index % 28), f64::from(index / 28 % 27), f64::from(index / (28 * 27))) * 4.0;
                scene.add(ShapeDesc::Cuboid(DVec3::new(0.3, 0.4, 0.5)), at);
                let mut part = || random.f64() * 2.0 - 1.0;
                let (velocity, spin) = (DVec3::new(part(), part(), part()), DVec3::new(part(), part(), part()));
                (scene.last().velocity, scene.last().angular_velocity) = (velocity, spin * 3.0);
            }
            scene.steps = [10, 100];
        }
        "large_world" => {
            for index in 0..1_000_000 {
                let at = DVec3::new(f64::from(index % 1000 - 500) * 2.0, -0.5, f64::from(index / 1000 - 500) * 2.0);
                scene.fix(ShapeDesc::Cuboid(DVec3::new(1.0, 0.5, 1.0)), at);
            }
            for index in 0..100 {
                let at = DVec3::new(f64::from(index % 10 - 5) * 150.3, 2.0, f64::from(index / 10 - 5) * 150.3);
                scene.add(ShapeDesc::Sphere(0.5), at);
                scene.last().velocity = DVec3::new(5.0, 0.0, 3.0);
            }
            scene.steps = [30, 200];
        }
        _ => return None,
    }
    Some(scene)
}

/// A wall-like pyramid with so many cubes of one metre in its lowest row.
fn pyramid(scene: &mut Scene, base: usize, at: DVec3) {
    for row in 0..base {
        for column in 0..base - row {
            let x = (column as f64 - 0.5 * (base - row - 1) as f64) * 1.05;
            scene.add(ShapeDesc::Cuboid(DVec3::splat(0.5)), at + DVec3::new(x, 0.5 + row as f64, 0.0));
        }
    }
}

/// Pyramids of 55 cubes in rows of 14.
fn many_pyramids(scene: &mut Scene, count: i32) {
    scene.floor(600.0);
    for index in 0..count {
        let at = DVec3::new(f64::from(index % 14 - 7) * 13.0, 0.0, f64::from(index / 14 - count / 28) * 4.0);
        pyramid(scene, 10, at);
    }
    scene.steps = [30, 100];
}

/// Many bodies in layers of `side` × `side` above the pit, turned at random.
fn dump(
    scene: &mut Scene,
    count: usize,
    side: usize,
    random: &mut fastrand::Rng,
    mut shape: impl FnMut(usize, &mut fastrand::Rng) -> ShapeDesc,
) {
    for index in 0..count {
        let (x, z, layer) = (index % side, index / side % side, index / (side * side));
        let place = |i: usize| (i as f64 - 0.5 * (side - 1) as f64) * 0.98;
        let shape = shape(index, random);
        scene.add(shape, DVec3::new(place(x), 0.8 + 1.1 * layer as f64, place(z)));
        scene.last().rotation = turned(random);
    }
}

/// Rays from all sides into the pit.
fn rays(scene: &mut Scene, random: &mut fastrand::Rng, count: usize) {
    for _ in 0..count {
        let mut part = || random.f64() * 2.0 - 1.0;
        let target = DVec3::new(part() * 8.0, 3.0 + part() * 3.0, part() * 8.0);
        let origin = DVec3::new(part() * 8.0, 30.0, part() * 8.0);
        scene.rays.push((origin, (target - origin) * 1.5));
    }
}

/// A net of balls, held at its corners' row.
fn joint_grid(scene: &mut Scene, side: usize) {
    for index in 0..side * side {
        let (x, z) = (index % side, index / side);
        let at = DVec3::new(x as f64, 0.0, z as f64);
        let number = scene.add(ShapeDesc::Sphere(0.4), at);
        if z == 0 {
            (scene.last().kind, scene.last().mass) = (Kind::Fixed, 0.0);
        }
        if x > 0 && z > 0 {
            scene.join(Some(number - 1), number, at - DVec3::X * 0.5);
        }
        if z > 0 {
            scene.join(Some(number - side), number, at - DVec3::Z * 0.5);
        }
    }
    scene.steps = [60, 200];
}

/// Figures that fall onto a floor and onto each other.
fn ragdolls(scene: &mut Scene, random: &mut fastrand::Rng, side: i32, layers: i32) {
    scene.floor(100.0);
    for layer in 0..layers {
        for index in 0..side * side {
            let shift = 0.3 * f64::from(layer % 2);
            let at = DVec3::new(
                f64::from(index % side) * 1.8 + shift,
                1.2 + 2.2 * f64::from(layer),
                f64::from(index / side) * 0.9,
            );
            thrown(scene, random, at);
        }
    }
    scene.steps = [60, 240];
}

/// A figure that is thrown a little: one that falls straight down may come to stand, in one engine and not in another.
fn thrown(scene: &mut Scene, random: &mut fastrand::Rng, at: DVec3) {
    let mut part = || random.f64() * 2.0 - 1.0;
    let velocity = DVec3::new(part(), 0.0, part());
    let first = scene.bodies.len();
    figure(scene, at);
    scene.bodies[first..].iter_mut().for_each(|body| body.velocity = velocity);
}

/// Cubes in a drum of twelve planks and two discs that turns about z.
fn washer(scene: &mut Scene, random: &mut fastrand::Rng) {
    let (radius, depth, planks) = (12.0, 8.0, 24);
    let mut boxes = Vec::new();
    for index in 0..planks {
        let angle = std::f64::consts::TAU * f64::from(index) / f64::from(planks);
        let turn = DQuat::from_xyzw(0.0, 0.0, (0.5 * angle).sin(), (0.5 * angle).cos());
        boxes.push((DVec3::new(0.5, 1.7, depth), turn * DVec3::X * (radius + 0.5), turn));
        if index % 6 == 0 {
            boxes.push((DVec3::new(0.8, 0.2, depth), turn * DVec3::X * (radius - 0.8), turn));
        }
    }
    for side in [-1.0, 1.0] {
        boxes.push((DVec3::new(radius + 1.0, radius + 1.0, 0.5), DVec3::Z * side * (depth + 0.5), DQuat::IDENTITY));
    }
    let drum = scene.add(ShapeDesc::Boxes(boxes.into()), DVec3::ZERO);
    (scene.bodies[drum].kind, scene.bodies[drum].mass) = (Kind::Kinematic, 0.0);
    scene.bodies[drum].angular_velocity = DVec3::Z * 0.4;
    for index in 0..4000 {
        let (x, y, z) = (index % 16, index / 16 % 18, index / (16 * 18));
        let at = DVec3::new(f64::from(x) - 7.5, f64::from(y) - 8.0, f64::from(z) - 6.5) * 0.95;
        scene.add(ShapeDesc::Cuboid(DVec3::splat(0.35)), at);
        scene.last().rotation = turned(random);
    }
    scene.steps = [120, 200];
}
