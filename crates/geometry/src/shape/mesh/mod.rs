//! Triangle mesh: an indexed surface with a hierarchy for queries and the neighbourhood of its triangles.
//!
//! A mesh is **solid** if it is closed, consistently oriented and encloses a positive volume ([`Mesh::is_solid`]); then
//! everything inside counts as part of it. Any other mesh is a thin surface with two sides. A closed mesh turned inside out
//! (negative volume) is thus the hollow surface of a room.
//!
//! Triangles keep the numbers the user gave them. Those without area are left out of every query.

mod query;
mod topology;

pub(in crate::shape) use query::projection;
pub use topology::{EdgeKind, FLAT_ANGLE};

use super::flats::Flats;
use super::patches::smooth_patches;
use crate::bvh::Bvh;
use crate::error::checked_points;
use crate::{Aabb, GeometryError, Triangle};
use glam::DVec3;
use topology::Topology;

/// A surface of triangles, open or closed; counter-clockwise as seen from outside.
///
/// ```
/// use tumble_geometry::{glam::dvec3, shape::Mesh};
///
/// let corners = vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, 0.0, 1.0)];
/// let tetrahedron = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// assert!(tetrahedron.is_solid());
/// assert!((tetrahedron.signed_volume() - 1.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// How many triangles have no area.
    degenerate: usize,
    topology: Topology,
    signed_volume: f64,
    bvh: Bvh,
    /// The corners of the triangles in the order of the hierarchy's items, for rays.
    ordered: Vec<[DVec3; 3]>,
    /// For each triangle its smooth patch.
    patches: Vec<u32>,
    flats: Flats,
    /// The unit normals of the triangles; zero for those without area.
    normals: Vec<DVec3>,
}

impl Mesh {
    /// The mesh with the given corners and triangles (three indices into `vertices` each). Coordinates in metres, at most
    /// 1e9 in magnitude; at least one triangle with an area.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        checked_points("mesh vertex", &vertices)?;
        if triangles.is_empty() {
            return Err(GeometryError::TooFew { what: "mesh triangles", count: 0, needed: 1 });
        }
        // Half-edges (three per triangle) are numbered in 32 bits, with one number to spare.
        if triangles.len() >= (u32::MAX / 3) as usize {
            return Err(GeometryError::OutOfRange {
                what: "number of mesh triangles",
                value: triangles.len() as f64,
                allowed: "at most 1.4e9",
            });
        }
        check_indices(vertices.len(), &triangles)?;

        let corners = |triangle: &[u32; 3]| triangle.map(|v| vertices[v as usize]);
        let has_area: Vec<bool> = triangles.iter().map(|t| unit_normal(corners(t)).is_some()).collect();
        let degenerate = has_area.iter().filter(|&&has_area| !has_area).count();
        if degenerate == triangles.len() {
            let why = format!("has no area: each of its {degenerate} triangles is a point or a line");
            return Err(GeometryError::Degenerate { what: "mesh", why });
        }
        let used = (0_u32..).zip(&triangles).filter(|&(number, _)| has_area[number as usize]);
        let bvh = Bvh::build_numbered(used.map(|(number, t)| (number, Aabb::from_points(corners(t)))));
        let ordered = bvh.items().iter().map(|&number| corners(&triangles[number as usize])).collect();
        let topology = Topology::new(&vertices, &triangles, &has_area);
        let signed_volume = signed_volume(bvh.aabb().center(), triangles.iter().map(corners));
        let normal = |index: usize| unit_normal(corners(&triangles[index]));
        let patches = smooth_patches(triangles.len(), normal, |index, edge| topology.twin(index, edge));
        let triangle = |index: usize| Triangle { vertices: corners(&triangles[index]) };
        let flats = Flats::new(triangles.len(), triangle, |index, edge| topology.twin(index, edge));
        let normals = (0..triangles.len()).map(|index| triangle(index).normal().unwrap_or(DVec3::ZERO)).collect();
        Ok(Self { vertices, triangles, degenerate, topology, signed_volume, bvh, ordered, patches, flats, normals })
    }

    /// The corners.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles as indices into [`Mesh::vertices`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The triangle with number `index`.
    pub fn triangle(&self, index: usize) -> Triangle {
        Triangle { vertices: self.triangles[index].map(|i| self.vertices[i as usize]) }
    }

    /// The unit normal of the triangle with number `index`, by the right-hand rule; `None` if it has no area.
    pub fn normal(&self, index: usize) -> Option<DVec3> {
        unit_normal(self.triangle(index).vertices)
    }

    /// How many triangles have no area and are left out of queries.
    pub fn degenerate_count(&self) -> usize {
        self.degenerate
    }

    /// The smallest box around all triangles that have an area.
    pub fn aabb(&self) -> Aabb {
        self.bvh.aabb()
    }

    /// Whether the surface has no border: every edge belongs to an even number of triangles. Vertices at the same place
    /// count as one.
    pub fn is_closed(&self) -> bool {
        self.topology.closed
    }

    /// Whether neighbouring triangles agree on which side is outside: they run along their common edge in opposite
    /// directions.
    pub fn is_oriented(&self) -> bool {
        self.topology.oriented
    }

    /// Whether the mesh encloses a solid: closed, oriented, and with positive volume.
    pub fn is_solid(&self) -> bool {
        self.topology.closed && self.topology.oriented && self.signed_volume > 0.0
    }

    /// The enclosed volume in m³ by the divergence theorem, negative if the triangles are seen clockwise from outside.
    /// Only a closed and oriented mesh has a volume in the proper sense.
    pub fn signed_volume(&self) -> f64 {
        self.signed_volume
    }

    /// What the surface does at edge `edge` (0, 1 or 2: from corner `edge` to the next) of triangle `index`.
    pub fn edge_kind(&self, index: usize, edge: usize) -> EdgeKind {
        self.topology.kinds[index][edge % 3]
    }

    /// The triangle on the other side of edge `edge` of triangle `index` and the number of the edge there; `None` at a
    /// border and where more than two triangles meet.
    pub fn neighbor(&self, index: usize, edge: usize) -> Option<(usize, usize)> {
        self.topology.twin(index, edge % 3)
    }

    /// The smooth patch that a triangle belongs to: the surface bends by less than 10° at every edge between its triangles. It is
    /// named by its lowest triangle.
    pub fn patch(&self, index: usize) -> u32 {
        self.patches[index]
    }

    /// The seed of the flat region that a triangle belongs to.
    pub(crate) fn flat_seed(&self, index: usize) -> u32 {
        self.flats.seed(index)
    }

    /// Whether that region goes on all around the triangle.
    pub(crate) fn is_amid_flat(&self, index: usize) -> bool {
        self.flats.is_amid(index)
    }

    /// The edges, as bits, beyond which that region goes on.
    pub(crate) fn level_edges(&self, index: usize) -> u8 {
        self.flats.level_edges(index)
    }

    /// The unit normal of a triangle, as [`Triangle::normal`] computes it; zero if it has none.
    pub(crate) fn stored_normal(&self, index: usize) -> DVec3 {
        self.normals[index]
    }

    pub(crate) fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// A vertex of every connected piece of a closed mesh; empty for an open one.
    pub(crate) fn piece_vertices(&self) -> &[u32] {
        &self.topology.piece_vertices
    }
}

fn check_indices(count: usize, triangles: &[[u32; 3]]) -> Result<(), GeometryError> {
    for (number, triangle) in triangles.iter().enumerate() {
        if let Some(&index) = triangle.iter().find(|&&index| index as usize >= count) {
            return Err(GeometryError::IndexOutOfRange {
                what: format!("triangle {number}"),
                index: index as usize,
                count,
            });
        }
    }
    Ok(())
}

/// The unit normal of a triangle; `None` if its height is below 1e-14 of its longest edge, where rounding decides the
/// direction.
fn unit_normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let longest_squared = ab.length_squared().max(ac.length_squared()).max(bc.length_squared());
    let cross = ab.cross(ac);
    let length = cross.length();
    (length > 1e-14 * longest_squared && length > f64::MIN_POSITIVE).then(|| cross / length)
}

/// The sum of the signed volumes `⅙ a · (b × c)` of the tetrahedra between the triangles and `origin`.
fn signed_volume(origin: DVec3, triangles: impl Iterator<Item = [DVec3; 3]>) -> f64 {
    let sixfold: f64 = triangles.map(|t| t.map(|p| p - origin)).map(|[a, b, c]| a.dot(b.cross(c))).sum();
    sixfold / 6.0
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
