//! The polygon around a region of triangles, and whether it will do as a face.

use super::merge::Regions;
use super::quickhull::Surface;
use crate::primitive::Segment;
use glam::DVec3;

/// The greatest slope of a side against the plane of its face. It is what the direction of an edge may differ from the
/// line in which the planes of its faces meet.
pub(super) const MAX_SLOPE: f64 = 1e-6;

/// No half-edge.
const NONE: u32 = u32::MAX;

/// Walks around regions one at a time.
pub(super) struct Outline<'a> {
    regions: &'a Regions<'a>,
    /// How many edges between regions meet in each vertex: three or more in a corner.
    degree: Vec<u32>,
    /// A half-edge on the border of each region, and how many there are.
    first: Vec<u32>,
    count: Vec<u32>,
    /// The half-edges around the region traced last, as far as they are connected with its first.
    border: Vec<u32>,
    /// The region for which each vertex, and each region beyond the border, was last met.
    vertex_met: Vec<u32>,
    region_met: Vec<u32>,
}

impl<'a> Outline<'a> {
    pub(super) fn new(regions: &'a Regions<'a>) -> Self {
        let vertex_count = regions.lattice.positions.len();
        let mut degree = vec![0; vertex_count];
        let (mut first, mut count) = (vec![NONE; regions.name_count()], vec![0; regions.name_count()]);
        for half_edge in 0..regions.surface.twins.len() as u32 {
            let region = regions.region(half_edge);
            if region != regions.region_beyond(half_edge) {
                degree[regions.surface.origin(half_edge) as usize] += 1;
                count[region as usize] += 1;
                if first[region as usize] == NONE {
                    first[region as usize] = half_edge;
                }
            }
        }
        let (vertex_met, region_met) = (vec![NONE; vertex_count], vec![NONE; regions.name_count()]);
        Self { regions, degree, first, count, border: Vec::new(), vertex_met, region_met }
    }

    /// Walks around `region`.
    pub(super) fn trace(&mut self, region: u32) {
        self.border.clear();
        let (first, surface) = (self.first[region as usize], self.regions.surface);
        let mut half_edge = first;
        while half_edge != NONE && self.border.len() < self.count[region as usize] as usize {
            self.border.push(half_edge);
            // Turn around the far end, through triangles of the region, to the next half-edge on its border.
            half_edge = Surface::next(half_edge);
            while self.regions.region_beyond(half_edge) == region {
                half_edge = Surface::next(surface.twins[half_edge as usize]);
            }
            if half_edge == first {
                break;
            }
        }
    }

    fn is_corner(&self, half_edge: u32) -> bool {
        self.degree[self.regions.surface.origin(half_edge) as usize] >= 3
    }

    /// The corners of the region traced last, counter-clockwise.
    pub(super) fn corners(&self) -> impl Iterator<Item = u32> {
        let corners = self.border.iter().filter(|&&half_edge| self.is_corner(half_edge));
        corners.map(|&half_edge| self.regions.surface.origin(half_edge))
    }

    /// The regions of several flats among the region traced last and its neighbours.
    pub(super) fn joined_regions_at(&self, region: u32) -> Vec<u32> {
        let around = self.border.iter().map(|&half_edge| self.regions.region_beyond(half_edge));
        around.chain([region]).filter(|&region| self.regions.is_joined(region)).collect()
    }

    /// Whether the region traced last is a simple, strictly convex polygon that meets each neighbour in one edge, its
    /// sides run along its plane, and all vertices that vanish from its border are within the tolerance of it.
    pub(super) fn is_sound(&mut self, region: u32, tolerance: f64) -> bool {
        let corners: Vec<u32> = self.border.iter().copied().filter(|&half_edge| self.is_corner(half_edge)).collect();
        let closed = self.border.len() == self.count[region as usize] as usize;
        closed && corners.len() >= 3 && self.is_simple(region, &corners) && self.is_convex(region) && {
            self.is_near_its_vertices(tolerance)
        }
    }

    fn is_simple(&mut self, region: u32, corners: &[u32]) -> bool {
        let is_new = |met: &mut Vec<u32>, index: u32| std::mem::replace(&mut met[index as usize], region) != region;
        let (regions, border) = (self.regions, &self.border);
        let (vertex_met, region_met) = (&mut self.vertex_met, &mut self.region_met);
        border.iter().all(|&half_edge| is_new(vertex_met, regions.surface.origin(half_edge)))
            && corners.iter().all(|&half_edge| is_new(region_met, regions.region_beyond(half_edge)))
    }

    /// Strictly convex, with sides along the plane: every turn is to the left, and all of them together make one full turn, since the fan of
    /// triangles from the first corner nowhere turns back.
    fn is_convex(&self, region: u32) -> bool {
        let normal = self.regions.normal(region);
        let corners: Vec<DVec3> = self.corners().map(|v| self.regions.lattice.positions[v as usize]).collect();
        let at = |k: usize| corners[k % corners.len()];
        // By more than rounding.
        let doubt = self.regions.lattice.doubt;
        let is_left = |u: DVec3, v: DVec3| u.cross(v).dot(normal) > doubt * u.length();
        let is_level = |side: DVec3| side.dot(normal).abs() <= MAX_SLOPE * side.length();
        (0..corners.len()).all(|k| is_level(at(k + 1) - at(k)) && is_left(at(k + 1) - at(k), at(k + 2) - at(k + 1)))
            && corners[1..].windows(2).all(|pair| is_left(pair[0] - corners[0], pair[1] - corners[0]))
    }

    /// Whether the vertices between two corners are near the straight edge that replaces them.
    fn is_near_its_vertices(&self, tolerance: f64) -> bool {
        let position = |half_edge: u32| self.regions.lattice.positions[self.regions.surface.origin(half_edge) as usize];
        let Some(start) = self.border.iter().position(|&half_edge| self.is_corner(half_edge)) else { return false };
        let around: Vec<u32> = self.border[start..].iter().chain(&self.border[..=start]).copied().collect();
        let corners: Vec<usize> = (0..around.len()).filter(|&k| self.is_corner(around[k])).collect();
        corners.windows(2).all(|ends| {
            let edge = Segment::new(position(around[ends[0]]), position(around[ends[1]]));
            around[ends[0] + 1..ends[1]].iter().all(|&vanished| edge.distance(position(vanished)) <= tolerance)
        })
    }
}
