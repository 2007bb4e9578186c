//! Closing a cut: the flat region inside directed edges, as triangles.
//!
//! The edges need not be sorted into loops, and the region may have holes and several parts. It is swept along a direction u
//! in the plane: between two consecutive end points every edge is either crossed completely or not at all, and sorted
//! across, they alternately enter and leave the region. Each stretch inside is a trapezoid.

use crate::{Triangle, math};
use glam::DVec3;

/// An edge in the order of the sweep.
struct Edge {
    left: DVec3,
    right: DVec3,
    /// The coordinate along the sweep of both ends.
    from: f64,
    to: f64,
    /// +1 if the region lies above it, that is, it runs with the sweep; −1 if below.
    winding: i32,
}

impl Edge {
    fn new([start, end]: [DVec3; 2], along: DVec3) -> Self {
        let (from, to) = (start.dot(along), end.dot(along));
        if from <= to {
            Self { left: start, right: end, from, to, winding: 1 }
        } else {
            Self { left: end, right: start, from: to, to: from, winding: -1 }
        }
    }

    /// The point at coordinate `u`, or the end nearest to it.
    fn at(&self, u: f64) -> DVec3 {
        if u <= self.from {
            self.left
        } else if u >= self.to {
            self.right
        } else {
            self.left + (self.right - self.left) * ((u - self.from) / (self.to - self.from))
        }
    }
}

/// Appends the region that lies to the left of `edges`, seen with `normal` pointing to the eye. End points closer than
/// `tolerance` along the sweep count as one.
pub(super) fn fill(edges: &[[DVec3; 2]], normal: DVec3, tolerance: f64, triangles: &mut Vec<Triangle>) {
    let (along, across) = math::orthonormal_pair(normal);
    let mut edges: Vec<_> = edges.iter().map(|&edge| Edge::new(edge, along)).collect();
    edges.sort_by(|one, two| one.from.total_cmp(&two.from));
    let mut stops: Vec<_> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    stops.sort_unstable_by(f64::total_cmp);
    stops.dedup_by(|next, last| *next - *last <= tolerance);
    let mut active: Vec<&Edge> = Vec::new();
    let mut waiting = edges.iter().peekable();
    for stop in stops.windows(2) {
        let middle = 0.5 * (stop[0] + stop[1]);
        active.retain(|edge| edge.to >= middle);
        while let Some(edge) = waiting.next_if(|edge| edge.from < middle) {
            if edge.to >= middle {
                active.push(edge);
            }
        }
        active.sort_by(|one, two| one.at(middle).dot(across).total_cmp(&two.at(middle).dot(across)));
        let mut winding = 0;
        for pair in active.windows(2) {
            winding += pair[0].winding;
            if winding > 0 {
                let [a, b] = [pair[0].at(stop[0]), pair[0].at(stop[1])];
                let [d, c] = [pair[1].at(stop[0]), pair[1].at(stop[1])];
                let halves = [Triangle::new(a, b, c), Triangle::new(a, c, d)];
                triangles.extend(halves.into_iter().filter(has_corners));
            }
        }
    }
}

fn has_corners(triangle: &Triangle) -> bool {
    let [a, b, c] = triangle.vertices;
    a != b && b != c && c != a
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    fn area(edges: &[[DVec3; 2]]) -> f64 {
        let mut triangles = Vec::new();
        fill(edges, DVec3::Z, 1e-12, &mut triangles);
        let doubled: f64 = triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.vertices;
                let doubled = (b - a).cross(c - a).z;
                assert!(doubled > -1e-12, "a triangle is turned over");
                doubled
            })
            .sum();
        0.5 * doubled
    }

    fn polygon(corners: &[(f64, f64)]) -> Vec<[DVec3; 2]> {
        let point = |k: usize| {
            let (x, y) = corners[k % corners.len()];
            dvec3(x, y, 0.0)
        };
        (0..corners.len()).map(|k| [point(k), point(k + 1)]).collect()
    }

    #[test]
    fn outlines_with_holes_and_several_parts_are_filled() {
        let square =
            |x: f64, half: f64| polygon(&[(x - half, -half), (x + half, -half), (x + half, half), (x - half, half)]);
        let reversed = |edges: Vec<[DVec3; 2]>| edges.into_iter().map(|[a, b]| [b, a]).collect::<Vec<_>>();
        assert!((area(&square(0.0, 1.0)) - 4.0).abs() < 1e-14);
        let ring = [square(0.0, 1.0), reversed(square(0.0, 0.5))].concat();
        assert!((area(&ring) - 3.0).abs() < 1e-14);
        let ring_and_island = [ring, square(0.0, 0.25), square(5.0, 1.0)].concat();
        assert!((area(&ring_and_island) - 7.25).abs() < 1e-14);
        let star =
            polygon(&[(0.0, 0.0), (2.0, 1.0), (4.0, 0.0), (3.0, 2.0), (4.0, 4.0), (2.0, 3.0), (0.0, 4.0), (1.0, 2.0)]);
        assert!((area(&star) - 8.0).abs() < 1e-13);
        // An edge there and back encloses nothing.
        assert_eq!(area(&polygon(&[(0.0, 0.0), (1.0, 1.0)])), 0.0);
    }
}
