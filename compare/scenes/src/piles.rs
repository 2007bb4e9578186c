//! Heaps of things that are dumped into a pit, and what they are made of.

use crate::scene::{Scene, ShapeDesc};
use glam::{DQuat, DVec3};

/// Four walls around a square of half this width.
pub(crate) fn pit(scene: &mut Scene, half_width: f64, height: f64) {
    let thick = 1.0;
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = DVec3::new(
            if x == 0.0 { half_width + 2.0 * thick } else { thick },
            0.5 * height,
            if z == 0.0 { half_width + 2.0 * thick } else { thick },
        );
        let center = DVec3::new(x * (half_width + thick), 0.5 * height, z * (half_width + thick));
        scene.fix(ShapeDesc::Cuboid(half), center);
    }
}

/// A random rotation.
pub(crate) fn turned(random: &mut fastrand::Rng) -> DQuat {
    let mut part = || random.f64() * 2.0 - 1.0;
    DQuat::from_xyzw(part(), part(), part(), part()).normalize()
}

/// Points on a sphere, spread evenly (Fibonacci), a little shaken.
pub(crate) fn rock(points: usize, radius: f64, random: &mut fastrand::Rng) -> ShapeDesc {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let list: Vec<DVec3> = (0..points)
        .map(|index| {
            let y = 1.0 - 2.0 * (index as f64 + 0.5) / points as f64;
            let (sin, cos) = (golden * index as f64).sin_cos();
            let ring = (1.0 - y * y).sqrt();
            DVec3::new(ring * cos, y, ring * sin) * radius * (0.9 + 0.2 * random.f64())
        })
        .collect();
    ShapeDesc::Hull(centred(list).into())
}

/// A prism of many sides, where others have cylinders: Box3D has none.
pub(crate) fn prism(sides: usize, half_height: f64, radius: f64) -> ShapeDesc {
    let points: Vec<DVec3> = (0..2 * sides)
        .map(|index| {
            let (sin, cos) = (std::f64::consts::TAU * (index / 2) as f64 / sides as f64).sin_cos();
            DVec3::new(radius * cos, if index % 2 == 0 { half_height } else { -half_height }, radius * sin)
        })
        .collect();
    ShapeDesc::Hull(points.into())
}

/// The same points about their centre of mass, so that all engines agree where the body is.
fn centred(points: Vec<DVec3>) -> Vec<DVec3> {
    let shape = tumble_geometry::Shape::hull(&points).expect("points around a sphere");
    let center = shape.mass_properties(1.0).map_or(DVec3::ZERO, |properties| properties.center);
    points.into_iter().map(|point| point - center).collect()
}

/// A surface of hills: a grid of `cells` × `cells` squares of two triangles.
pub(crate) fn hills(cells: usize, width: f64, height: f64) -> ShapeDesc {
    let side = cells + 1;
    let step = width / cells as f64;
    let vertices: Vec<DVec3> = (0..side * side)
        .map(|index| {
            let (x, z) = ((index % side) as f64 * step - 0.5 * width, (index / side) as f64 * step - 0.5 * width);
            DVec3::new(x, height * ((0.35 * x).sin() * (0.27 * z).cos() + 0.3 * (1.3 * x + 0.7 * z).sin()), z)
        })
        .collect();
    let mut triangles = Vec::new();
    for row in 0..cells {
        for column in 0..cells {
            let corner = (row * side + column) as u32;
            let next = corner + side as u32;
            triangles.push([corner, next, corner + 1]);
            triangles.push([corner + 1, next, next + 1]);
        }
    }
    ShapeDesc::Mesh(vertices.into(), triangles.into())
}

/// A figure of eleven capsules and ten ball joints, standing with its hips at `at`.
pub(crate) fn figure(scene: &mut Scene, at: DVec3) {
    // Centre, half the segment, radius, whether it lies along x; then whom it hangs on and where.
    let limbs: [(DVec3, f64, f64, bool, Option<(usize, DVec3)>); 11] = [
        (DVec3::new(0.0, 0.0, 0.0), 0.08, 0.12, true, None),
        (DVec3::new(0.0, 0.28, 0.0), 0.10, 0.12, false, Some((0, DVec3::new(0.0, 0.12, 0.0)))),
        (DVec3::new(0.0, 0.66, 0.0), 0.02, 0.11, false, Some((1, DVec3::new(0.0, 0.50, 0.0)))),
        (DVec3::new(0.34, 0.42, 0.0), 0.11, 0.05, true, Some((1, DVec3::new(0.16, 0.42, 0.0)))),
        (DVec3::new(0.66, 0.42, 0.0), 0.11, 0.045, true, Some((3, DVec3::new(0.50, 0.42, 0.0)))),
        (DVec3::new(-0.34, 0.42, 0.0), 0.11, 0.05, true, Some((1, DVec3::new(-0.16, 0.42, 0.0)))),
        (DVec3::new(-0.66, 0.42, 0.0), 0.11, 0.045, true, Some((5, DVec3::new(-0.50, 0.42, 0.0)))),
        (DVec3::new(0.11, -0.33, 0.0), 0.14, 0.07, false, Some((0, DVec3::new(0.11, -0.12, 0.0)))),
        (DVec3::new(0.11, -0.77, 0.0), 0.15, 0.06, false, Some((7, DVec3::new(0.11, -0.55, 0.0)))),
        (DVec3::new(-0.11, -0.33, 0.0), 0.14, 0.07, false, Some((0, DVec3::new(-0.11, -0.12, 0.0)))),
        (DVec3::new(-0.11, -0.77, 0.0), 0.15, 0.06, false, Some((9, DVec3::new(-0.11, -0.55, 0.0)))),
    ];
    let first = scene.bodies.len();
    for (center, half, radius, across, hangs) in limbs {
        let number = scene.add(ShapeDesc::Capsule(half, radius), at + center);
        if across {
            let half_turn = std::f64::consts::FRAC_1_SQRT_2;
            scene.last().rotation = DQuat::from_xyzw(0.0, 0.0, half_turn, half_turn);
        }
        if let Some((parent, anchor)) = hangs {
            scene.join(Some(first + parent), number, at + anchor);
        }
    }
}
