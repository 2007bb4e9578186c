//! The direction in which two overlapping cores come apart soonest: expanding polytopes.
//!
//! Pushing the cores apart along a unit vector n takes `h(n) = max_D n·x`, the support function of their difference D.
//! The penetration depth is the least h(n) over all directions: the distance of the origin from the boundary of D.
//! Unlike the distance of separate cores this has local minima, so a descent alone cannot be trusted.
//!
//! The search keeps a polytope P inside D around the origin. The nearest face of P bounds the depth from below, the
//! support function in the direction of any face bounds it from above; the face is expanded by the support point in its
//! direction until the bounds meet. For polytopes they do after finitely many steps. For curved shapes the lower bound
//! comes up with the square of the facet size; the last digits are then left to [`measure`](super::depth::measure).

use super::difference::{Difference, Vertex};
use super::polytope::Polytope;
use super::simplex::Simplex;
use crate::math::orthonormal_pair;
use crate::shape::Convex;
use glam::DVec3;
use std::cell::Cell;

/// Faces looked at before the search is content with what it has.
const MAX_ROUNDS: usize = 400;

/// How closely the bounds must agree, relative to the numbers they are computed from.
const TOLERANCE: f64 = 1e-11;

/// Extents below this, relative to the numbers they are computed from, are flat.
const FLAT: f64 = 1e-14;

thread_local! {
    /// The buffers, kept from one query to the next so that none allocates. Taken out while in use: a support mapping
    /// that asks queries itself finds an empty one.
    static BUFFERS: Cell<Polytope> = Cell::default();
}

/// The unit vector along which the overlapping cores come apart soonest. `simplex` holds the origin.
pub(super) fn shortest_way_out<A, B>(difference: &Difference<A, B>, simplex: &Simplex) -> DVec3
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let tetrahedron = match tetrahedron_around(difference, simplex) {
        Ok(tetrahedron) => tetrahedron,
        Err(Flat(normal)) => return normal,
    };
    let mut polytope = BUFFERS.take();
    let normal = expand(difference, &tetrahedron, &mut polytope);
    BUFFERS.set(polytope);
    normal
}

fn expand<A, B>(difference: &Difference<A, B>, tetrahedron: &[Vertex; 4], polytope: &mut Polytope) -> DVec3
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    polytope.start(tetrahedron);
    let mut depth = f64::INFINITY;
    let mut best = DVec3::Y;
    for _ in 0..MAX_ROUNDS {
        let Some(nearest) = polytope.pop() else { break };
        if nearest.offset >= depth - TOLERANCE * polytope.magnitude() {
            break;
        }
        let vertex = difference.support(nearest.normal);
        let overlap = vertex.point.dot(nearest.normal);
        if overlap < depth {
            (depth, best) = (overlap, nearest.normal);
        }
        if overlap - nearest.offset > TOLERANCE * polytope.magnitude() {
            // A face that cannot be expanded is as good as it gets; its direction has been noted.
            polytope.insert(&vertex, nearest.face);
        }
    }
    best
}

/// The difference has no extent along this direction: the depth is zero.
struct Flat(DVec3);

/// Completes a simplex that holds the origin to a tetrahedron, by support points in directions across it.
fn tetrahedron_around<A, B>(difference: &Difference<A, B>, simplex: &Simplex) -> Result<[Vertex; 4], Flat>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut vertices = [simplex.vertices()[0]; 4];
    vertices[..simplex.vertices().len()].copy_from_slice(simplex.vertices());
    let mut len = simplex.vertices().len();
    while len < 4 {
        let p = vertices.map(|v| v.point);
        // Directions across what there is already; for a triangle its normal, else a few around.
        let directions = match len {
            1 => [DVec3::X, DVec3::Y, DVec3::Z],
            2 => {
                let along = (p[1] - p[0]).try_normalize().unwrap_or(DVec3::X);
                let (u, v) = orthonormal_pair(along);
                [u, v, u]
            }
            _ => [(p[1] - p[0]).cross(p[2] - p[0]).try_normalize().unwrap_or(DVec3::X); 3],
        };
        // The support point farthest from what there is.
        let mut farthest: Option<(f64, Vertex)> = None;
        for direction in directions {
            for direction in [direction, -direction] {
                let vertex = difference.support(direction);
                let away = distance_from_span(&p[..len], vertex.point);
                if farthest.is_none_or(|(distance, _)| away > distance) {
                    farthest = Some((away, vertex));
                }
            }
        }
        match farthest {
            Some((away, vertex)) if away > FLAT * vertex.magnitude() => {
                vertices[len] = vertex;
                len += 1;
            }
            _ => return Err(Flat(directions[0])),
        }
    }
    Ok(vertices)
}

/// How far a point lies from the point, line or plane through some points.
fn distance_from_span(span: &[DVec3], point: DVec3) -> f64 {
    let away = point - span[0];
    match *span {
        [_] => away.length(),
        [a, b] => (b - a).try_normalize().unwrap_or(DVec3::X).cross(away).length(),
        _ => (span[1] - span[0]).cross(span[2] - span[0]).try_normalize().unwrap_or(DVec3::X).dot(away).abs(),
    }
}
