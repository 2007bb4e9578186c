//! Flat regions of a surface of triangles: floors, walls, tiles.
//!
//! A region grows from a triangle, the seed, over edges, as long as every corner of the next triangle lies in the seed's plane,
//! to within a hundred-thousandth of the seed's size and the rounding of coordinates that came from single precision.
//! All is compared with one plane, so many small bends never add up to a curve. The seed names the region.
//!
//! What rests on a flat region touches it at corners of its own and at the border of the region. The edges within it, which are
//! called level, make no contacts. A triangle is amid its region if all triangles around its corners belong to it too.

use crate::Triangle;
use glam::DVec3;

/// How far a corner may lie from the plane, as a share of the seed's longest edge.
const FLAT: f64 = 1e-5;
/// The same as a share of its largest coordinate: two units in the last place of single precision.
const COARSE: f64 = 2.4e-7;
/// The least cosine of the angle (1e-3) between the normals of a triangle and of its region. Needles have any.
const ALIKE: f64 = 1.0 - 5e-7;

/// How many triangles around a corner are looked at.
const MAX_FAN: usize = 64;
/// All edges of a triangle, as bits, and the bit of triangles amid their region.
const ALL: u8 = 0b111;
const AMID: u8 = 0b1000;

/// Which triangles are in one plane with their neighbours.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Flats {
    /// For each triangle the seed of its region.
    seeds: Vec<u32>,
    /// For each triangle its level edges, as bits, and [`AMID`].
    marks: Vec<u8>,
}

impl Flats {
    pub(super) fn new(
        count: usize,
        triangle: impl Fn(usize) -> Triangle,
        neighbor: impl Fn(usize, usize) -> Option<(usize, usize)>,
    ) -> Self {
        const UNKNOWN: u32 = u32::MAX;
        let mut seeds = vec![UNKNOWN; count];
        let mut waiting = Vec::new();
        for start in 0..count {
            if seeds[start] != UNKNOWN {
                continue;
            }
            seeds[start] = start as u32;
            let seed = triangle(start);
            let Some(normal) = seed.normal() else { continue };
            let longest = seed.edge_offsets().iter().fold(0.0, |most: f64, edge| most.max(edge.length()));
            let farthest = seed.vertices.iter().fold(0.0, |most: f64, v| most.max(v.abs().max_element()));
            let tolerance = FLAT * longest + COARSE * farthest;
            let in_plane = |v: &DVec3| normal.dot(*v - seed.vertices[0]).abs() <= tolerance;
            waiting.push(start);
            while let Some(here) = waiting.pop() {
                for (other, _) in (0..3).filter_map(|edge| neighbor(here, edge)) {
                    if seeds[other] == UNKNOWN {
                        let next = triangle(other);
                        let alike = next.normal().is_some_and(|n| n.dot(normal) >= ALIKE);
                        if alike && next.vertices.iter().all(in_plane) {
                            seeds[other] = start as u32;
                            waiting.push(other);
                        }
                    }
                }
            }
        }
        let is_level =
            |index: usize, edge| neighbor(index, edge).is_some_and(|(other, _)| seeds[other] == seeds[index]);
        let bits = |index: usize| (0..3).fold(0, |bits, edge| bits | u8::from(is_level(index, edge)) << edge);
        // Round a corner, beyond one level edge after the other; neighbours in a region turn the same way.
        let is_round = |index: usize, corner: usize| {
            let (mut here, mut edge) = (index, corner);
            for _ in 0..MAX_FAN {
                match neighbor(here, edge) {
                    Some((other, across)) if seeds[other] == seeds[index] => {
                        (here, edge) = (other, (across + 1) % 3);
                    }
                    _ => return false,
                }
                if here == index {
                    return true;
                }
            }
            false
        };
        let mark = |index: usize| {
            let level = bits(index);
            let amid = level == ALL && (0..3).all(|corner| is_round(index, corner));
            level | if amid { AMID } else { 0 }
        };
        let marks = (0..count).map(mark).collect();
        Self { seeds, marks }
    }

    /// The level edges of a triangle: bit `e` for edge `e`.
    pub(super) fn level_edges(&self, index: usize) -> u8 {
        self.marks[index] & ALL
    }

    /// Whether all triangles around the corners of a triangle belong to its region.
    pub(super) fn is_amid(&self, index: usize) -> bool {
        self.marks[index] & AMID != 0
    }

    /// The seed of the region of a triangle.
    pub(super) fn seed(&self, index: usize) -> u32 {
        self.seeds[index]
    }
}
