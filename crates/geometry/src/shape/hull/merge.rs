//! From triangles to polygons: joins the triangles of a convex surface that lie in a common plane.
//!
//! First exactly: triangles that share an edge and are coplanar to the last bit form a *flat*. All flats together are a
//! valid polyhedron whose faces are exactly plane and convex.
//!
//! Then within a tolerance, for points that are coplanar but for rounding: a *region* is a flat, largest first, with all
//! flats connected to it whose vertices lie within the tolerance of its plane. Its plane remains the face's: as it
//! supports the exact hull, nothing rises above it. Vertices where fewer than three regions meet vanish.
//!
//! Regions of several flats are taken on trial. Where the polygons that result are not strictly convex, or have sides too
//! short to tell their direction, or a vertex that vanished is farther from what remains than the tolerance, the regions
//! concerned fall back to their flats.

use super::lattice::Lattice;
use super::outline::Outline;
use super::quickhull::Surface;
use super::topology::Polygons;
use crate::primitive::Plane;
use glam::DVec3;
use std::cmp::Ordering;

/// Not in any group yet.
const NONE: u32 = u32::MAX;
/// How often regions that do not work out are given up one by one before all are.
const TRIALS: usize = 16;
/// Only flats whose normals differ by less than 60° are joined.
const LEAST_COSINE: f64 = 0.5;

/// The vertices and faces of the polyhedron; faces are joined within `tolerance` metres.
pub(super) fn merge(lattice: &Lattice, surface: &Surface, tolerance: f64) -> (Vec<DVec3>, Polygons) {
    let mut regions = Regions::new(lattice, surface, tolerance);
    for trial in 1..=TRIALS {
        if !regions.joined.contains(&true) {
            break;
        }
        let mut outline = Outline::new(&regions);
        let mut rejected = Vec::new();
        for region in regions.iter() {
            outline.trace(region);
            let on_trial = outline.joined_regions_at(region);
            if !on_trial.is_empty() && !outline.is_sound(region, tolerance) {
                rejected.extend(on_trial);
            }
        }
        if rejected.is_empty() {
            break;
        }
        if trial == TRIALS {
            rejected = regions.iter().collect();
        }
        regions.dissolve(&rejected);
    }
    polygons(&regions)
}

/// The triangles of a surface in groups, each of which is to become a face.
pub(super) struct Regions<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) surface: &'a Surface,
    /// The flat each triangle belongs to.
    flat_of: Vec<u32>,
    /// Flat `f` consists of the triangles `members[starts[f]..starts[f + 1]]`.
    starts: Vec<u32>,
    members: Vec<u32>,
    /// The region each flat belongs to, named after its largest flat, whose plane it has.
    region_of: Vec<u32>,
    /// Whether the region named after a flat has others too.
    joined: Vec<bool>,
}

impl<'a> Regions<'a> {
    fn new(lattice: &'a Lattice, surface: &'a Surface, tolerance: f64) -> Self {
        let count = surface.triangles.len();
        let (mut flat_of, mut starts, mut members) = (vec![NONE; count], vec![0], Vec::with_capacity(count));
        for triangle in 0..count as u32 {
            if flat_of[triangle as usize] != NONE {
                continue;
            }
            let flat = starts.len() as u32 - 1;
            flat_of[triangle as usize] = flat;
            let mut done = members.len();
            members.push(triangle);
            while done < members.len() {
                for half_edge in Surface::half_edges(members[done]) {
                    let beyond = surface.twins[half_edge as usize] / 3;
                    if flat_of[beyond as usize] == NONE && is_coplanar(lattice, surface, half_edge) {
                        flat_of[beyond as usize] = flat;
                        members.push(beyond);
                    }
                }
                done += 1;
            }
            starts.push(members.len() as u32);
        }
        let flat_count = starts.len() - 1;
        let region_of = (0..flat_count as u32).collect();
        let mut regions =
            Self { lattice, surface, flat_of, starts, members, region_of, joined: vec![false; flat_count] };
        regions.join(tolerance);
        regions
    }

    /// Gathers around each flat, largest first, those within the tolerance of its plane.
    fn join(&mut self, tolerance: f64) {
        let mut seeds: Vec<(f64, u32)> = self.candidates(tolerance).map(|flat| (self.area(flat), flat)).collect();
        seeds.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut taken = vec![false; self.region_of.len()];
        for (_, seed) in seeds {
            if std::mem::replace(&mut taken[seed as usize], true) {
                continue;
            }
            let mut stack = vec![seed];
            while let Some(flat) = stack.pop() {
                for index in self.starts[flat as usize]..self.starts[flat as usize + 1] {
                    for half_edge in Surface::half_edges(self.members[index as usize]) {
                        let beyond = self.flat_beyond(half_edge);
                        if !taken[beyond as usize] && self.fits(beyond, seed, tolerance) {
                            taken[beyond as usize] = true;
                            self.region_of[beyond as usize] = seed;
                            self.joined[seed as usize] = true;
                            stack.push(beyond);
                        }
                    }
                }
            }
        }
    }

    /// The flats with a neighbour that begins within the tolerance of their plane, in order.
    fn candidates(&self, tolerance: f64) -> impl Iterator<Item = u32> {
        let mut near = vec![false; self.region_of.len()];
        for half_edge in 0..self.surface.twins.len() as u32 {
            let (flat, beyond) = (self.flat_of[half_edge as usize / 3], self.flat_beyond(half_edge));
            if flat != beyond && self.surface.height_beyond(self.lattice, half_edge) >= -tolerance {
                near[flat as usize] = true;
                near[beyond as usize] = true;
            }
        }
        (0..near.len() as u32).filter(move |&flat| near[flat as usize])
    }

    /// Whether all of `flat` lies within the tolerance of the plane of `seed`.
    fn fits(&self, flat: u32, seed: u32, tolerance: f64) -> bool {
        let normal = self.normal(seed);
        let base = self.base(seed);
        normal.dot(self.normal(flat)) > LEAST_COSINE
            && self.triangles(flat).iter().all(|&triangle| {
                let corners = self.surface.triangles[triangle as usize];
                corners.iter().all(|&p| self.lattice.height(normal, base, p) >= -tolerance)
            })
    }

    /// The slope of the steepest dent in a region: the greatest depth below its plane over the shortest edge in it.
    fn dent_slope(&self) -> f64 {
        let mut dents: Vec<(f64, f64)> = vec![(0.0, f64::INFINITY); self.name_count()];
        for (triangle, corners) in self.surface.triangles.iter().enumerate() {
            let region = self.region_of[self.flat_of[triangle] as usize];
            if self.is_joined(region) {
                let (depth, length) = &mut dents[region as usize];
                let positions = corners.map(|v| self.lattice.positions[v as usize]);
                for k in 0..3 {
                    *depth = depth.max(-self.lattice.height(self.normal(region), self.base(region), corners[k]));
                    *length = length.min(positions[k].distance(positions[(k + 1) % 3]));
                }
            }
        }
        dents.iter().map(|(depth, length)| depth / length).fold(0.0, f64::max)
    }

    /// A vertex in a region's plane.
    fn base(&self, region: u32) -> u32 {
        self.surface.triangles[self.triangles(region)[0] as usize][0]
    }

    fn area(&self, flat: u32) -> f64 {
        let doubled = |&triangle: &u32| {
            let [a, b, c] = self.surface.triangles[triangle as usize].map(|v| self.lattice.positions[v as usize]);
            (b - a).cross(c - a).length()
        };
        0.5 * self.triangles(flat).iter().map(doubled).sum::<f64>()
    }

    fn triangles(&self, flat: u32) -> &[u32] {
        &self.members[self.starts[flat as usize] as usize..self.starts[flat as usize + 1] as usize]
    }

    fn flat_beyond(&self, half_edge: u32) -> u32 {
        self.flat_of[self.surface.twins[half_edge as usize] as usize / 3]
    }

    /// The region of a half-edge's triangle.
    pub(super) fn region(&self, half_edge: u32) -> u32 {
        self.region_of[self.flat_of[half_edge as usize / 3] as usize]
    }

    /// The region on the other side of a half-edge.
    pub(super) fn region_beyond(&self, half_edge: u32) -> u32 {
        self.region(self.surface.twins[half_edge as usize])
    }

    /// The unit normal of a region's plane.
    pub(super) fn normal(&self, region: u32) -> DVec3 {
        self.surface.normals[self.triangles(region)[0] as usize]
    }

    /// Whether a region consists of several flats.
    pub(super) fn is_joined(&self, region: u32) -> bool {
        self.joined[region as usize]
    }

    /// A number that every region is below.
    pub(super) fn name_count(&self) -> usize {
        self.region_of.len()
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.region_of.len() as u32).filter(|&flat| self.region_of[flat as usize] == flat)
    }

    /// Makes each flat of the given regions a region of its own.
    fn dissolve(&mut self, rejected: &[u32]) {
        for &region in rejected {
            self.joined[region as usize] = false;
        }
        for flat in 0..self.region_of.len() {
            let region = self.region_of[flat] as usize;
            if !self.joined[region] {
                self.region_of[flat] = flat as u32;
            }
        }
    }
}

/// Whether the triangles on both sides of a half-edge lie exactly in one plane.
fn is_coplanar(lattice: &Lattice, surface: &Surface, half_edge: u32) -> bool {
    let height = surface.height_beyond(lattice, half_edge);
    let triangle = surface.triangles[half_edge as usize / 3];
    lattice.side(triangle, surface.corner_beyond(half_edge), height) == Ordering::Equal
}

/// The polygons around all regions, and the vertices they use.
fn polygons(regions: &Regions) -> (Vec<DVec3>, Polygons) {
    let mut outline = Outline::new(regions);
    let mut polygons = Polygons { starts: vec![0], dent_slope: regions.dent_slope(), ..Polygons::default() };
    for region in regions.iter() {
        outline.trace(region);
        polygons.loops.extend(outline.corners());
        polygons.starts.push(polygons.loops.len() as u32);
        let normal = regions.normal(region);
        let base = regions.lattice.positions[regions.base(region) as usize];
        polygons.planes.push(Plane { normal, offset: normal.dot(base) });
    }
    let mut number = vec![NONE; regions.lattice.positions.len()];
    for &vertex in &polygons.loops {
        number[vertex as usize] = 0;
    }
    let mut vertices = Vec::new();
    for (number, &position) in number.iter_mut().zip(&regions.lattice.positions) {
        if *number != NONE {
            *number = vertices.len() as u32;
            vertices.push(position);
        }
    }
    for vertex in &mut polygons.loops {
        *vertex = number[*vertex as usize];
    }
    (vertices, polygons)
}
