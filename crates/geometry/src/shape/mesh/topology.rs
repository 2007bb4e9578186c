//! Who is whose neighbour in a mesh.
//!
//! Edge `e` of a triangle runs from its corner `e` to the next; as half-edge it has the number `3 · triangle + e`. Vertices at
//! exactly the same place are one for this purpose, so that meshes from files that repeat vertices get neighbours too.
//! All half-edges are sorted by their two ends; equal ends stand next to each other: O(n log n).
//!
//! How the surface bends at an edge is seen from the corner w that the neighbour does not share: in the plane across the edge,
//! let h be its height above the triangle's plane and s how far it lies outwards. `h < 0`: the surface falls away, the
//! edge is convex; `h > 0`: it rises, concave; flat if `|h| ≤ s · tan(FLAT_ANGLE)`. That holds whichever way the
//! neighbour is turned.

use super::unit_normal;
use glam::DVec3;

/// Two triangles whose planes meet at less than this angle (radians, 0.06°) count as flat.
pub const FLAT_ANGLE: f64 = 1e-3;

/// What the surface does at an edge of a triangle, as seen from the side of the triangle's normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EdgeKind {
    /// It falls away, as at the edge of a table.
    Convex,
    /// It goes straight on, to within [`FLAT_ANGLE`].
    Flat,
    /// It rises, as where a floor meets a wall.
    Concave,
    /// It ends.
    Boundary,
    /// More than two triangles meet.
    NonManifold,
}

/// No half-edge.
const NONE: u32 = u32::MAX;

/// The neighbourhood of every triangle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Topology {
    /// For each edge the half-edge on the other side, or [`NONE`].
    twins: Vec<[u32; 3]>,
    pub(super) kinds: Vec<[EdgeKind; 3]>,
    pub(super) closed: bool,
    pub(super) oriented: bool,
    /// A vertex of every connected piece, if closed.
    pub(super) piece_vertices: Vec<u32>,
}

/// A half-edge with its ends in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HalfEdge {
    /// The lower end in the high bits, the higher end in the low bits.
    ends: u64,
    number: u32,
    /// Whether it runs from the lower to the higher end.
    ascending: bool,
}

impl Topology {
    pub(super) fn new(vertices: &[DVec3], triangles: &[[u32; 3]], has_area: &[bool]) -> Self {
        let mut topology = Self {
            twins: vec![[NONE; 3]; triangles.len()],
            kinds: vec![[EdgeKind::Boundary; 3]; triangles.len()],
            closed: true,
            oriented: true,
            piece_vertices: Vec::new(),
        };
        let half_edges = sorted_half_edges(&welded(vertices), triangles);
        for edge in half_edges.chunk_by(|a, b| a.ends == b.ends) {
            let ascending = edge.iter().filter(|h| h.ascending).count();
            let descending = edge.len() - ascending;
            topology.closed &= edge.len() % 2 == 0;
            topology.oriented &= ascending.abs_diff(descending) <= edge.len() % 2;
            topology.link(edge, has_area);
        }
        for (number, triangle) in triangles.iter().enumerate() {
            topology.classify(number, triangle.map(|v| vertices[v as usize]), vertices, triangles);
        }
        if topology.closed {
            topology.piece_vertices = topology.pieces(triangles, has_area);
        }
        topology
    }

    pub(super) fn twin(&self, triangle: usize, edge: usize) -> Option<(usize, usize)> {
        let twin = self.twins[triangle][edge] as usize;
        (twin != NONE as usize).then_some((twin / 3, twin % 3))
    }

    /// Makes the two triangles of an edge neighbours; more than two at one edge have none. Triangles without area have no
    /// neighbours either, but do not open a hole.
    fn link(&mut self, edge: &[HalfEdge], has_area: &[bool]) {
        match edge {
            [a, b] if has_area[(a.number / 3) as usize] && has_area[(b.number / 3) as usize] => {
                self.twins[(a.number / 3) as usize][(a.number % 3) as usize] = b.number;
                self.twins[(b.number / 3) as usize][(b.number % 3) as usize] = a.number;
            }
            [_, _, _, ..] => {
                for h in edge {
                    self.kinds[(h.number / 3) as usize][(h.number % 3) as usize] = EdgeKind::NonManifold;
                }
            }
            _ => {}
        }
    }

    /// How the surface bends at the edges of a triangle that have neighbours.
    fn classify(&mut self, number: usize, corners: [DVec3; 3], vertices: &[DVec3], triangles: &[[u32; 3]]) {
        let Some(normal) = unit_normal(corners) else { return };
        for edge in 0..3 {
            let Some((neighbor, across)) = self.twin(number, edge) else { continue };
            let start = corners[edge];
            let outwards = (corners[(edge + 1) % 3] - start).cross(normal).normalize_or_zero();
            let w = vertices[triangles[neighbor][(across + 2) % 3] as usize] - start;
            let (height, reach) = (normal.dot(w), outwards.dot(w));
            // tan x ≈ x for so small an angle.
            self.kinds[number][edge] = if height.abs() <= reach * FLAT_ANGLE {
                EdgeKind::Flat
            } else if height > 0.0 {
                EdgeKind::Concave
            } else {
                EdgeKind::Convex
            };
        }
    }

    /// A vertex of every set of triangles connected through neighbours.
    fn pieces(&self, triangles: &[[u32; 3]], has_area: &[bool]) -> Vec<u32> {
        let mut seen = vec![false; triangles.len()];
        let mut waiting = Vec::new();
        let mut vertices = Vec::new();
        for start in 0..triangles.len() {
            if seen[start] || !has_area[start] {
                continue;
            }
            vertices.push(triangles[start][0]);
            seen[start] = true;
            waiting.push(start);
            while let Some(triangle) = waiting.pop() {
                for edge in 0..3 {
                    if let Some((neighbor, _)) = self.twin(triangle, edge)
                        && !std::mem::replace(&mut seen[neighbor], true)
                    {
                        waiting.push(neighbor);
                    }
                }
            }
        }
        vertices
    }
}

/// For each vertex the lowest-numbered vertex at exactly the same place.
fn welded(vertices: &[DVec3]) -> Vec<u32> {
    // Adding zero turns −0 into +0, so that equal coordinates have equal bits.
    let key = |v: u32| (vertices[v as usize] + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut order: Vec<([u64; 3], u32)> = (0..vertices.len() as u32).map(|v| (key(v), v)).collect();
    order.sort_unstable();
    let mut welded = vec![0; vertices.len()];
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        for (_, vertex) in same {
            welded[*vertex as usize] = same[0].1;
        }
    }
    welded
}

/// All half-edges between different places, sorted by their ends. Triangles with two corners at one place have collapsed to
/// a line and take part with none.
fn sorted_half_edges(welded: &[u32], triangles: &[[u32; 3]]) -> Vec<HalfEdge> {
    let mut half_edges = Vec::with_capacity(3 * triangles.len());
    for (number, triangle) in (0_u32..).zip(triangles) {
        let corners = triangle.map(|v| welded[v as usize]);
        let [a, b, c] = corners;
        if a == b || b == c || c == a {
            continue;
        }
        for edge in 0..3 {
            let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
            let ends = (u64::from(from.min(to)) << 32) | u64::from(from.max(to));
            half_edges.push(HalfEdge { ends, number: 3 * number + edge as u32, ascending: from < to });
        }
    }
    half_edges.sort_unstable();
    half_edges
}
