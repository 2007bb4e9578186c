//! Volume, centre of mass and inertia of solids of density 1.

use super::findings::{Findings, Within, Worst, within};
use super::lab::Lab;
use super::{Cost, Problem, Trouble};
use glam::{DMat3, DVec3};
use std::f64::consts::{PI, TAU};
use tumble_geometry::math::rotation_about;
use tumble_geometry::{MassProperties, Shape};

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "mass_properties_polyhedra",
        about: "volume, centre and inertia of polyhedra",
        cost: Cost::Quick,
        measure: polyhedra,
    },
    Problem {
        name: "mass_properties_primitives",
        about: "volume, centre and inertia of smooth solids",
        cost: Cost::Quick,
        measure: primitives,
    },
];

/// Nothing is stepped here: the tolerance, for what sums over many faces may lose to rounding, is the same for all methods.
fn rounding(tolerance: f64) -> Within {
    within(tolerance, tolerance)
}

/// Compares all numbers, relative to the volume and to the largest moment.
fn compare(name: &str, shape: &Shape, exact: &MassProperties, worst: &mut Worst) -> Result<(), Trouble> {
    let found = shape.mass_properties(1.0)?;
    worst.see(format!("{name}: volume"), found.mass / exact.mass, 1.0);
    let size = exact.inertia.to_cols_array().into_iter().fold(0.0, f64::max);
    let length = (size / exact.mass).sqrt();
    for axis in 0..3 {
        worst.see(format!("{name}: centre"), found.center[axis] / length, exact.center[axis] / length);
        for other in 0..3 {
            let [found, exact] = [found.inertia, exact.inertia].map(|inertia| inertia.col(axis)[other] / size);
            worst.see(format!("{name}: inertia"), found, exact);
        }
    }
    Ok(())
}

fn solid(volume: f64, center: DVec3, moments: DVec3) -> MassProperties {
    MassProperties { mass: volume, center, inertia: DMat3::from_diagonal(moments) }
}

fn polyhedra(_: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut worst = Worst::default();
    let v = DVec3::new;
    // Edge 2√2: V = a³/(6√2), I = V a²/20.
    let tetrahedron = [v(1.0, 1.0, 1.0), v(1.0, -1.0, -1.0), v(-1.0, 1.0, -1.0), v(-1.0, -1.0, 1.0)];
    let exact = solid(8.0 / 3.0, DVec3::ZERO, DVec3::splat(16.0 / 15.0));
    compare("regular tetrahedron", &Shape::hull(&tetrahedron)?, &exact, &mut worst)?;
    // One corner of the unit cube: V = 1/6, V/40 (3, …) about the centre, products V/80 with the other sign.
    let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let exact = MassProperties {
        mass: 1.0 / 6.0,
        center: DVec3::splat(0.25),
        inertia: DMat3::from_cols_array(&[6.0, 1.0, 1.0, 1.0, 6.0, 1.0, 1.0, 1.0, 6.0]) * (1.0 / 480.0),
    };
    compare("corner of a cube", &Shape::hull(&corner)?, &exact, &mut worst)?;
    let cuboid = |size: DVec3| {
        let square = size * size;
        let volume = size.x * size.y * size.z;
        solid(
            volume,
            DVec3::ZERO,
            (v(square.y, square.z, square.x) + v(square.z, square.x, square.y)) * (volume / 12.0),
        )
    };
    for size in [DVec3::ONE, v(1.0, 2.0, 3.0)] {
        compare("box", &Shape::hull(&corners(size))?, &cuboid(size), &mut worst)?;
    }
    // The same turned by 0.3 rad about x and moved.
    let turn = rotation_about(DVec3::X, 0.3);
    let away = v(1.0, 2.0, 3.0);
    let moved = corners(away).map(|corner| turn * corner + away);
    let exact = cuboid(away).rotated(turn).translated(away);
    compare("turned box", &Shape::hull(&moved)?, &exact, &mut worst)?;
    let octahedron = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let exact = solid(4.0 / 3.0, DVec3::ZERO, DVec3::splat(4.0 / 15.0));
    compare("octahedron", &Shape::hull(&octahedron)?, &exact, &mut worst)?;
    // Edge 2: V = 5/12 (3 + √5) a³, I = V a² φ²/10.
    let phi = 0.5 * (1.0 + 5.0_f64.sqrt());
    let icosahedron: Vec<DVec3> = [(1.0, phi), (1.0, -phi), (-1.0, phi), (-1.0, -phi)]
        .into_iter()
        .flat_map(|(a, b)| [v(0.0, a, b), v(a, b, 0.0), v(b, 0.0, a)])
        .collect();
    let volume = 10.0 / 3.0 * (3.0 + 5.0_f64.sqrt());
    let exact = solid(volume, DVec3::ZERO, DVec3::splat(volume * 0.4 * phi * phi));
    compare("icosahedron", &Shape::hull(&icosahedron)?, &exact, &mut worst)?;
    // A prism over a regular polygon of n corners: A = n/2 R² sin(2π/n), I_z = V R² (2 + cos(2π/n))/6, I_x = I_z/2 + V h²/12.
    let (n, r, h) = (32, 0.5, 2.0);
    let prism: Vec<DVec3> = (0..2 * n)
        .map(|i| {
            let (sin, cos) = libm::sincos(TAU * f64::from(i / 2) / f64::from(n));
            v(r * cos, r * sin, if i % 2 == 0 { 0.5 * h } else { -0.5 * h })
        })
        .collect();
    let (sin, cos) = libm::sincos(TAU / f64::from(n));
    let volume = 0.5 * f64::from(n) * r * r * sin * h;
    let along = volume * r * r * (2.0 + cos) / 6.0;
    let across = 0.5 * along + volume * h * h / 12.0;
    compare("prism", &Shape::hull(&prism)?, &solid(volume, DVec3::ZERO, v(across, across, along)), &mut worst)?;
    // Sums of tetrahedra in 80-bit arithmetic.
    for (name, shape, volume, across, along) in [
        ("torus 32 × 16", torus(32, 16)?, 1.194_525_344_805_481_8, 0.638_739_684_711_240_7, 1.241_097_617_268_911_2),
        ("torus 256 × 128", torus(256, 128)?, 1.233_081_352_967_17, 0.664_623_779_892_620_8, 1.290_729_239_385_145),
        ("globe 32 × 64", globe(32, 64)?, 4.171_995_761_869_327_5, 1.664_782_054_426_243_3, 1.663_446_534_027_059),
    ] {
        compare(name, &shape, &solid(volume, DVec3::ZERO, v(across, across, along)), &mut worst)?;
    }
    found.worst("volumes, centres and moments, relative", worst, rounding(1e-13));
    Ok(())
}

fn corners(size: DVec3) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 0 { -0.5 } else { 0.5 };
        size * DVec3::new(sign(0), sign(1), sign(2))
    })
}

/// A grid of quadrilaterals that closes in both directions, as triangles.
fn torus(around: u32, across: u32) -> Result<Shape, Trouble> {
    let (big, small) = (1.0, 0.25);
    let vertex = |i: u32, j: u32| {
        let (sin_a, cos_a) = libm::sincos(TAU * f64::from(i) / f64::from(around));
        let (sin_b, cos_b) = libm::sincos(TAU * f64::from(j) / f64::from(across));
        let from_axis = big + small * cos_b;
        DVec3::new(from_axis * cos_a, from_axis * sin_a, small * sin_b)
    };
    let vertices = (0..around).flat_map(|i| (0..across).map(move |j| vertex(i, j))).collect();
    let index = |i: u32, j: u32| i % around * across + j % across;
    let quads = (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let triangles = quads.flat_map(|(i, j)| {
        let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    Ok(Shape::mesh(vertices, triangles.collect())?)
}

/// A ball of circles of latitude and meridians, its poles on z.
fn globe(stacks: u32, slices: u32) -> Result<Shape, Trouble> {
    let mut vertices = vec![DVec3::Z, DVec3::NEG_Z];
    for stack in 1..stacks {
        let (ring, height) = libm::sincos(PI * f64::from(stack) / f64::from(stacks));
        vertices.extend((0..slices).map(|slice| {
            let (sin, cos) = libm::sincos(TAU * f64::from(slice) / f64::from(slices));
            DVec3::new(ring * cos, ring * sin, height)
        }));
    }
    let index = |stack: u32, slice: u32| match stack {
        0 => 0,
        stack if stack == stacks => 1,
        stack => 2 + (stack - 1) * slices + slice % slices,
    };
    let mut triangles = Vec::new();
    for stack in 0..stacks {
        for slice in 0..slices {
            let [a, b] = [index(stack, slice), index(stack + 1, slice)];
            let [c, d] = [index(stack + 1, slice + 1), index(stack, slice + 1)];
            triangles.extend([[a, b, c], [a, c, d]].into_iter().filter(|[p, q, r]| p != q && q != r && r != p));
        }
    }
    Ok(Shape::mesh(vertices, triangles)?)
}

/// In tumble long axes lie along y.
fn primitives(_: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut worst = Worst::default();
    let round = |volume: f64, height: f64, along: f64, across: f64| {
        solid(volume, DVec3::Y * height, DVec3::new(across, along, across))
    };
    let volume = 4.0 / 3.0 * PI;
    compare("ball", &Shape::sphere(1.0)?, &round(volume, 0.0, 0.4 * volume, 0.4 * volume), &mut worst)?;
    // m r²/2, m (r²/4 + h²/12).
    let (r, h) = (0.5, 2.0);
    let volume = PI * r * r * h;
    let exact = round(volume, 0.0, volume * r * r / 2.0, volume * (r * r / 4.0 + h * h / 12.0));
    compare("cylinder", &Shape::cylinder(0.5 * h, r)?, &exact, &mut worst)?;
    // A cylinder and two half balls, whose centres are 3/8 r beyond its ends.
    let h = 1.0;
    let (middle, ends) = (PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
    let lever = 0.4 * r * r + 0.25 * h * h + 0.375 * h * r;
    let across = middle * (r * r / 4.0 + h * h / 12.0) + ends * lever;
    let exact = round(middle + ends, 0.0, middle * r * r / 2.0 + 0.4 * ends * r * r, across);
    compare("capsule", &Shape::capsule(0.5 * h, r)?, &exact, &mut worst)?;
    // A quarter of the height above the base; the origin is half-way up. 3/10 m r², 3/20 m r² + 3/80 m h².
    let volume = PI * r * r * h / 3.0;
    let exact = round(volume, -0.25 * h, 0.3 * volume * r * r, volume * (0.15 * r * r + 3.0 / 80.0 * h * h));
    compare("cone", &Shape::cone(0.5 * h, r)?, &exact, &mut worst)?;
    found.worst("volumes, centres and moments, relative", worst, rounding(1e-14));
    // V = 2π² R r², I_z = V (R² + ¾ r²).
    let (big, small) = (1.0, 0.25);
    let volume = 2.0 * PI * PI * big * small * small;
    let along = volume * (big * big + 0.75 * small * small);
    let smooth = Shape::torus(big, small)?.mass_properties(1.0)?;
    found.relative("torus: volume, m³", smooth.mass, volume, rounding(1e-14));
    found.relative("torus: inertia about its axis, kg m²", smooth.inertia.y_axis.y, along, rounding(1e-14));
    Ok(())
}
