//! From points to a polyhedron: checks them, finds a tetrahedron to start with, or says why there is none.

use super::Hull;
use super::lattice::Lattice;
use super::merge::merge;
use super::quickhull::quickhull;
use crate::error::{GeometryError, MIN_SIZE, checked_points};
use crate::{Aabb, Segment};
use glam::DVec3;

/// The tolerance as a fraction of the greatest extent of the points: 2⁻⁴⁰ ≈ 9.1e-13.
const EXTENT_TOLERANCE: f64 = 1.0 / (1_u64 << 40) as f64;
/// The part of the tolerance due to rounding of coordinates, as a fraction of the largest: 2⁻⁴⁷ ≈ 7.1e-15.
const COORDINATE_TOLERANCE: f64 = 1.0 / (1_u64 << 47) as f64;
/// Points within this many tolerances of a line or plane span no volume.
const FLAT: f64 = 8.0;
/// Indices of half-edges, six for each point, have to fit into 32 bits.
const MAX_POINTS: usize = 1 << 29;

pub(super) fn build(points: &[DVec3]) -> Result<Hull, GeometryError> {
    if points.len() < 4 {
        return Err(GeometryError::TooFew { what: "hull points", count: points.len(), needed: 4 });
    }
    if points.len() > MAX_POINTS {
        let value = points.len() as f64;
        return Err(GeometryError::OutOfRange { what: "number of hull points", value, allowed: "at most 2^29" });
    }
    checked_points("hull point", points)?;
    let bounds = Aabb::from_points(points.iter().copied());
    let extent = bounds.extents().max_element();
    if extent == 0.0 {
        return Err(flat(format!("has all its {} points at {}", points.len(), points[0])));
    }
    if extent < MIN_SIZE {
        return Err(GeometryError::OutOfRange {
            what: "extent of the hull",
            value: extent,
            allowed: "at least 1e-9 metres",
        });
    }
    let largest_coordinate = bounds.min.abs().max(bounds.max.abs()).max_element();
    let tolerance = EXTENT_TOLERANCE * extent + COORDINATE_TOLERANCE * largest_coordinate;

    let lattice = Lattice::new(points, &bounds);
    let tetrahedron = tetrahedron(&lattice, FLAT * tolerance)?;
    // A quarter each for points left out and for faces merged; the rest for rounding.
    let surface = quickhull(&lattice, tetrahedron, 0.25 * tolerance);
    let (vertices, polygons) = merge(&lattice, &surface, 0.25 * tolerance);
    Hull::assemble(vertices, polygons, tolerance).ok_or_else(|| flat("could not be closed".into()))
}

fn flat(why: String) -> GeometryError {
    GeometryError::Degenerate { what: "hull", why }
}

/// Four points that span a volume, the fourth above the first three: two that are far apart, the one farthest from the
/// line through them, the one farthest from the plane through these three.
fn tetrahedron(lattice: &Lattice, flatness: f64) -> Result<[u32; 4], GeometryError> {
    let positions = &lattice.positions;
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let first = (0, measure(positions[0]));
        (1..positions.len())
            .map(|i| (i, measure(positions[i])))
            .fold(first, |best, x| if x.1 > best.1 { x } else { best })
    };
    // The two ends of the longest side of the box around the points.
    let ends = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| [-axis, axis].map(|axis| farthest(&|p| p.dot(axis)).0));
    let length = |[i, j]: [usize; 2]| positions[i].distance(positions[j]);
    let [a, b] = ends[1..].iter().fold(ends[0], |best, &pair| if length(pair) > length(best) { pair } else { best });

    let line = Segment::new(positions[a], positions[b]);
    let along = line.offset().normalize_or_zero();
    let (c, from_line) = farthest(&|p| (p - line.a).cross(along).length());
    if from_line <= flatness {
        return Err(flat(format!(
            "is flat: its points lie within {from_line:e} m of the line from {} to {}, but need more than {flatness:e} m",
            line.a, line.b
        )));
    }
    let [a, b, c] = [a, b, c].map(|i| i as u32);
    let normal = lattice.normal([a, b, c]);
    let (d, from_plane) = farthest(&|p| normal.dot(p - line.a).abs());
    if from_plane <= flatness {
        return Err(flat(format!(
            "is flat: its points lie within {from_plane:e} m of the plane through {} with normal {normal}, but need more \
             than {flatness:e} m",
            line.a
        )));
    }
    let above = normal.dot(positions[d] - line.a) > 0.0;
    Ok(if above { [a, b, c, d as u32] } else { [a, c, b, d as u32] })
}
