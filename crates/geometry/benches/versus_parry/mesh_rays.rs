//! Ray casts on a bumpy closed mesh of 20 000 triangles.
//!
//! - `from outside`: rays from a sphere around the mesh to points inside its box, as of a camera; most hit,
//! - `from inside the box`: rays between random points of the box, as of a sensor among things.
//!
//! Both engines answer with distance, normal and triangle of the first hit.

use crate::table::Table;
use parry3d_f64::math::Vector;
use parry3d_f64::query::{Ray as ParryRay, RayCast};
use parry3d_f64::shape::TriMesh;
use std::hint::black_box;
use tumble_geometry::Ray;
use tumble_geometry::glam::DVec3;
use tumble_geometry::shape::Mesh;

const RAYS: usize = 4000;
/// Rays in one piece of work.
const SLICE: usize = 100;
const MAX_DISTANCE: f64 = 100.0;

/// Measures both kinds of rays.
pub(crate) fn run(table: &mut Table) {
    let names = ["mesh rays (20 000 triangles), from outside", "mesh rays (20 000 triangles), from inside the box"];
    if !names.iter().any(|name| table.wants(name)) {
        return;
    }
    let (vertices, triangles) = bumpy_torus(200, 50);
    assert_eq!(triangles.len(), 20_000);
    let theirs_vertices: Vec<Vector> = vertices.iter().map(|v| vector(*v)).collect();
    let theirs = TriMesh::new(theirs_vertices, triangles.clone()).expect("a torus is a mesh");
    let ours = Mesh::new(vertices, triangles).expect("a torus is a mesh");
    for (name, outside) in names.into_iter().zip([true, false]) {
        if table.wants(name) {
            measure_rays(table, name, &ours, &theirs, outside);
        }
    }
}

fn measure_rays(table: &mut Table, name: &str, ours: &Mesh, theirs: &TriMesh, outside: bool) {
    let mut random = fastrand::Rng::with_seed(7);
    let mut point = || DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5);
    let mut rays = Vec::new();
    while rays.len() < RAYS {
        let target = point() * DVec3::new(2.8, 0.8, 2.8);
        let origin = if outside { point().normalize() * 4.0 } else { point() * DVec3::new(2.8, 0.8, 2.8) };
        // A solid stops a ray inside it at once, a surface lets it run: compared are rays that start outside.
        if !ours.contains_point(origin)
            && let Ok(ray) = Ray::towards(origin, target)
        {
            rays.push((ray, ParryRay::new(vector(ray.origin), vector(ray.direction))));
        }
    }
    let mut hits = 0;
    for (ray, parry_ray) in &rays {
        let (a, b) = (
            ours.cast_ray(ray, MAX_DISTANCE).map(|hit| hit.distance),
            theirs.cast_local_ray_and_get_normal(parry_ray, MAX_DISTANCE, true).map(|hit| hit.time_of_impact),
        );
        let same = a.is_some() == b.is_some() && a.zip(b).is_none_or(|(a, b)| (a - b).abs() < 1e-6);
        assert!(same, "{name}: {a:?} against {b:?} for {ray:?}");
        hits += usize::from(a.is_some());
    }
    eprintln!("{name}: {hits} of {RAYS} rays hit");
    table.measure(
        name,
        RAYS / SLICE,
        SLICE,
        |slice| {
            for (ray, _) in &rays[slice * SLICE..(slice + 1) * SLICE] {
                black_box(ours.cast_ray(black_box(ray), MAX_DISTANCE));
            }
        },
        |slice| {
            for (_, ray) in &rays[slice * SLICE..(slice + 1) * SLICE] {
                black_box(theirs.cast_local_ray_and_get_normal(black_box(ray), MAX_DISTANCE, true));
            }
        },
    );
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// A torus of radii 1 and 0.4 with bumps, cut into `around` × `across` squares of two triangles.
fn bumpy_torus(around: u32, across: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let angle = |i: u32, n: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        let u = angle(i, around);
        for j in 0..across {
            let v = angle(j, across);
            let minor = 0.4 * (1.0 + 0.1 * libm::sin(7.0 * u) * libm::cos(5.0 * v));
            let radius = 1.0 + minor * libm::cos(v);
            vertices.push(DVec3::new(radius * libm::cos(u), minor * libm::sin(v), radius * libm::sin(u)));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, triangles)
}
