//! The surface of a shape as triangles: for fluids that press on it, and for drawing.

use super::{Convex, Cuboid, Hull, Shape, Torus};
use crate::Triangle;
use glam::DVec3;
use std::f64::consts::{PI, TAU};
use std::sync::OnceLock;

/// Bands from pole to pole. Odd, so that no row of directions lies on the equator, where a cylinder would have to choose
/// between its ends and the two halves would differ.
const BANDS: usize = 15;
/// Directions around the axis in each row.
const AROUND: usize = 32;

impl Shape {
    /// Calls `visit` with triangles that cover the surface, counter-clockwise as seen from outside, always in the same
    /// order and without any allocation.
    ///
    /// Boxes, hulls, meshes and height fields give exactly their faces. Round shapes give the triangles between their
    /// support points in 15 bands of 32 directions about y: corners on the surface, the area at most 1.2 % too small (of a
    /// ball; of an ellipsoid those of a ball, stretched, and of a torus 32 × 16 squares). A
    /// half-space, which is endless, gives none, and a compound gives those of all its parts, inner ones too.
    pub fn visit_surface(&self, visit: &mut dyn FnMut(Triangle)) {
        match self {
            Self::Sphere(sphere) => visit_round(sphere, visit),
            Self::Capsule(capsule) => visit_round(capsule, visit),
            Self::Cylinder(cylinder) => visit_round(cylinder, visit),
            Self::Cone(cone) => visit_round(cone, visit),
            Self::Custom(custom) => visit_round(custom, visit),
            Self::Ellipsoid(ellipsoid) => {
                // The triangles of a ball, stretched: they are spread more evenly than support points.
                let radii = ellipsoid.radii();
                visit_round(&UnitBall, &mut |ball| visit(Triangle { vertices: ball.vertices.map(|v| v * radii) }));
            }
            Self::Torus(torus) => visit_torus(torus, visit),
            Self::Cuboid(cuboid) => visit_cuboid(cuboid, visit),
            Self::Hull(hull) => visit_hull(hull, visit),
            Self::Mesh(mesh) => (0..mesh.triangles().len()).for_each(|index| visit(mesh.triangle(index))),
            Self::HeightField(field) => (0..field.triangle_count()).for_each(|index| visit(field.triangle(index))),
            Self::HalfSpace(_) => {}
            Self::Compound(compound) => {
                for (pose, part) in compound.members() {
                    let turn = pose.matrix3();
                    part.visit_surface(&mut |triangle| {
                        visit(Triangle { vertices: triangle.vertices.map(|v| turn * v + pose.translation) });
                    });
                }
            }
        }
    }
}

/// The ball of radius one.
struct UnitBall;

impl Convex for UnitBall {
    fn support(&self, direction: DVec3) -> DVec3 {
        direction
    }
}

/// Squares around the axis and around the tube.
fn visit_torus(torus: &Torus, visit: &mut dyn FnMut(Triangle)) {
    const ACROSS: usize = 16;
    let circle = |k: usize, of: usize| libm::sincos(TAU * (k % of) as f64 / of as f64);
    let corner = |k: usize, m: usize| {
        let ((sin, cos), (up, out)) = (circle(k, AROUND), circle(m, ACROSS));
        let from_axis = torus.radius() + torus.tube() * out;
        DVec3::new(from_axis * cos, torus.tube() * up, -from_axis * sin)
    };
    for k in 0..AROUND {
        for m in 0..ACROSS {
            let [a, b, c, d] = [corner(k, m), corner(k + 1, m), corner(k + 1, m + 1), corner(k, m + 1)];
            visit_if_it_has_corners([a, b, c], visit);
            visit_if_it_has_corners([a, c, d], visit);
        }
    }
}

/// Two triangles for each of the six faces.
fn visit_cuboid(cuboid: &Cuboid, visit: &mut dyn FnMut(Triangle)) {
    let half = cuboid.half_extents();
    // The outward axis u, and v, w with v × w = u.
    for (u, v, w) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        for side in [1.0, -1.0] {
            let corner = |a: f64, b: f64| {
                let mut corner = half;
                corner[u] *= side;
                corner[v] *= a * side;
                corner[w] *= b;
                corner
            };
            let (first, last) = (corner(-1.0, -1.0), corner(1.0, 1.0));
            visit(Triangle { vertices: [first, corner(1.0, -1.0), last] });
            visit(Triangle { vertices: [first, last, corner(-1.0, 1.0)] });
        }
    }
}

/// Each face as a fan.
fn visit_hull(hull: &Hull, visit: &mut dyn FnMut(Triangle)) {
    for face in 0..hull.face_count() {
        let corners = hull.face_vertices(face);
        for side in corners[1..].windows(2) {
            visit(Triangle { vertices: [corners[0], side[0], side[1]].map(|v| hull.vertex(v)) });
        }
    }
}

/// The triangles between support points, band by band from the lower pole. Where all directions of two rows have the same
/// support points up to rounding, as on the edge of a cylinder, there is no band.
fn visit_round(shape: &dyn Convex, visit: &mut dyn FnMut(Triangle)) {
    let (rows, radius) = (directions(), shape.radius());
    let points = |row: usize| rows[row].map(|direction| shape.support(direction) + direction * radius);
    let mut lower = points(0);
    for row in 1..=BANDS {
        let upper = points(row);
        if lower.iter().zip(&upper).all(|(a, b)| a.distance(*b) <= 1e-12 * b.length()) {
            continue;
        }
        for k in 0..AROUND {
            let next = (k + 1) % AROUND;
            // Seen from outside with y up, growing angles run to the left.
            visit_if_it_has_corners([lower[k], lower[next], upper[next]], visit);
            visit_if_it_has_corners([lower[k], upper[next], upper[k]], visit);
        }
        lower = upper;
    }
}

fn visit_if_it_has_corners(vertices: [DVec3; 3], visit: &mut dyn FnMut(Triangle)) {
    let [a, b, c] = vertices;
    if a != b && b != c && c != a {
        visit(Triangle { vertices });
    }
}

/// Rows of unit directions from the lower pole to the upper one, each counter-clockwise about y.
fn directions() -> &'static [[DVec3; AROUND]; BANDS + 1] {
    static ROWS: OnceLock<[[DVec3; AROUND]; BANDS + 1]> = OnceLock::new();
    ROWS.get_or_init(|| {
        std::array::from_fn(|row| {
            let (sin, cos) = libm::sincos(PI * (row as f64 / BANDS as f64 - 0.5));
            // At the poles exactly one point.
            let cos = if row == 0 || row == BANDS { 0.0 } else { cos };
            std::array::from_fn(|k| {
                let (s, c) = libm::sincos(TAU * k as f64 / AROUND as f64);
                DVec3::new(cos * c, sin, -cos * s)
            })
        })
    })
}
