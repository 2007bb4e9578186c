//! Shapes for the tests of meshes, height fields and compounds.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "several tests share this, each uses a part")]

use glam::{DVec3, dvec3};
use tumble_geometry::math::rotation_from_vector;
use tumble_geometry::shape::{Mesh, SupportMap};
use tumble_geometry::{Shape, Transform, glam};

/// How many random cases a test looks at: `default`, or the number in the environment.
pub fn cases(default: usize) -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

pub struct Random(pub fastrand::Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.f64()
    }

    /// A point of the cube from −scale to scale.
    pub fn point(&mut self, scale: f64) -> DVec3 {
        dvec3(self.between(-scale, scale), self.between(-scale, scale), self.between(-scale, scale))
    }

    pub fn pose(&mut self, scale: f64) -> Transform {
        Transform::new(rotation_from_vector(self.point(3.0)), self.point(scale))
    }
}

pub fn box_triangles(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corners = (0..8).map(|i| {
        let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * dvec3(sign(0), sign(1), sign(2))
    });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (corners.collect(), triangles)
}

pub fn box_mesh(half: DVec3) -> Shape {
    let (vertices, triangles) = box_triangles(half);
    Shape::mesh(vertices, triangles).unwrap()
}

/// A torus around the y axis with `around` × `across` quads.
pub fn torus(major: f64, minor: f64, around: u32, across: u32) -> Shape {
    let turn = |i: u32, n: u32| libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(n));
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        let (sin_u, cos_u) = turn(i, around);
        for j in 0..across {
            let (sin_v, cos_v) = turn(j, across);
            let radius = major + minor * cos_v;
            vertices.push(dvec3(radius * cos_u, minor * sin_v, radius * sin_u));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Shape::mesh(vertices, triangles).unwrap()
}

/// A ball of triangles: an octahedron, each face cut into n².
pub fn ball_mesh(radius: f64, n: u32) -> Shape {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for octant in 0..8 {
        let sign = |bit: u32| if octant >> bit & 1 == 1 { -1.0 } else { 1.0 };
        let signs = dvec3(sign(0), sign(1), sign(2));
        let flip = signs.x * signs.y * signs.z < 0.0;
        let at = |i: u32, j: u32| dvec3(f64::from(i), f64::from(j), f64::from(n - i - j)).normalize() * signs * radius;
        let mut add = |corners: [DVec3; 3]| {
            let first = vertices.len() as u32;
            vertices.extend(corners);
            triangles.push(if flip { [first, first + 2, first + 1] } else { [first, first + 1, first + 2] });
        };
        for i in 0..n {
            for j in 0..n - i {
                add([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 1 < n {
                    add([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    Shape::mesh(vertices, triangles).unwrap()
}

pub fn hills(rows: usize, columns: usize, seed: u64) -> Shape {
    let mut random = Random::new(seed);
    let heights = (0..rows * columns).map(|_| random.between(0.0, 0.5)).collect();
    Shape::height_field(rows, columns, heights, [0.5, 0.4]).unwrap()
}

pub fn as_mesh(shape: &Shape) -> &Mesh {
    match shape {
        Shape::Mesh(mesh) => mesh,
        other => panic!("{other:?} is not a mesh"),
    }
}

#[derive(Debug)]
struct Ellipsoid(DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * self.0 * direction / (self.0 * direction).length()
    }
}

/// One of every convex kind.
pub fn convex_shapes() -> Vec<Shape> {
    let hull: Vec<DVec3> = (0..20).map(|_| ()).scan(Random::new(99), |r, ()| Some(r.point(0.7))).collect();
    vec![
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid([0.5, 0.3, 0.4]).unwrap(),
        Shape::capsule(0.4, 0.2).unwrap(),
        Shape::cylinder(0.4, 0.3).unwrap(),
        Shape::cone(0.5, 0.4).unwrap(),
        Shape::hull(&hull).unwrap(),
        Shape::custom(Ellipsoid(dvec3(0.3, 0.5, 0.4))).unwrap(),
        Shape::ellipsoid(dvec3(0.25, 0.5, 0.4)).unwrap(),
    ]
}

/// One of every composite kind.
pub fn composite_shapes() -> Vec<Shape> {
    let parts = vec![
        (Transform::from_translation(DVec3::X * 0.6), Shape::cuboid([0.3, 0.5, 0.2]).unwrap()),
        (Transform::from_translation(DVec3::X * -0.6), Shape::sphere(0.4).unwrap()),
        (Transform::from_translation(DVec3::Y * 0.7), box_mesh(DVec3::splat(0.25))),
    ];
    vec![box_mesh(dvec3(0.6, 0.4, 0.5)), torus(0.8, 0.3, 16, 8), hills(15, 12, 3), Shape::compound(parts).unwrap()]
}

/// The beginning of a description.
pub fn name(shape: &Shape) -> String {
    format!("{shape:?}").chars().take(70).collect()
}
