//! Convex polyhedron: the smallest convex set around some points.
//!
//! A [`Hull`] knows its vertices, its faces (convex polygons, counter-clockwise as seen from outside), its edges with the
//! two faces at each, and who neighbours whom, all in flat arrays with `u32` indices. Face `f` has sides `k = 0, 1, …`;
//! side `k` runs from vertex `k` of its loop to the next, along edge `face_edges(f)[k]`, and the face beyond it is
//! `face_neighbors(f)[k]`.
//!
//! ```
//! use tumble_geometry::glam::DVec3;
//! use tumble_geometry::shape::Hull;
//!
//! let corners: Vec<DVec3> = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
//! let cube = Hull::new(&corners)?;
//! assert_eq!((cube.vertices().len(), cube.edges().len(), cube.face_count()), (8, 12, 6));
//! assert_eq!(cube.center(), DVec3::splat(0.5));
//! # Ok::<(), tumble_geometry::GeometryError>(())
//! ```

mod builder;
mod lattice;
mod merge;
mod outline;
mod quickhull;
mod support;
mod topology;
mod validate;

use crate::error::GeometryError;
use crate::primitive::Plane;
use glam::DVec3;

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hull {
    vertices: Vec<DVec3>,
    /// The plane of each face.
    planes: Vec<Plane>,
    /// Face `f` owns the sides `face_starts[f]..face_starts[f + 1]` of the three arrays below.
    face_starts: Vec<u32>,
    /// The vertex where each side begins.
    side_vertices: Vec<u32>,
    /// The edge along each side.
    side_edges: Vec<u32>,
    /// The face beyond each side.
    side_faces: Vec<u32>,
    edges: Vec<HullEdge>,
    /// Vertex `v` owns the entries `vertex_starts[v]..vertex_starts[v + 1]` of the two arrays below.
    vertex_starts: Vec<u32>,
    /// The vertices joined to each vertex by an edge, counter-clockwise.
    vertex_neighbors: Vec<u32>,
    /// The face between each neighbour and the next.
    vertex_faces: Vec<u32>,
    center: DVec3,
    inner_radius: f64,
    bounding_radius: f64,
    volume: f64,
    tolerance: f64,
    /// Whether climbing finds the farthest vertex to a fraction of the tolerance.
    climbable: bool,
}

/// An edge of a [`Hull`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HullEdge {
    /// The vertices at its ends. From the first to the second it runs counter-clockwise around the first face.
    pub vertices: [u32; 2],
    /// The faces that meet in it.
    pub faces: [u32; 2],
}

impl Hull {
    /// The convex hull of `points`, at least four that are not all (nearly) in one plane.
    ///
    /// Points that are inside or there twice vanish; so do points so near the hull of the others that they do not matter.
    /// Faces that are coplanar, exactly or but for rounding, become one convex polygon. The order of the points does not
    /// matter.
    ///
    /// With `tolerance = 2⁻⁴⁰ · extent + 2⁻⁴⁷ · c`, where the extent is the longest side of the axis-aligned box around
    /// the points and c their largest coordinate in magnitude (that is 9.1e-13 of the size near the origin, and 32 to 64
    /// units in the last place of the coordinates far from it), it is guaranteed that
    /// - every point lies within `tolerance` of the polyhedron, and nowhere farther above the plane of any face;
    /// - the vertices of each face lie within `tolerance` of its plane, and each face is convex to that tolerance; each
    ///   side of a face runs along the plane to 1e-6 of its length;
    /// - the surface is closed (`V − E + F = 2`), each vertex has at least three faces, each edge two;
    /// - every vertex is one of the points, but for coordinates below 1/512 of the largest on their axis or of the extent,
    ///   which move by less than 1e-18 of the largest coordinate.
    ///
    /// # Errors
    /// Fewer than four points, a coordinate that is not finite or beyond 1e9, an extent below 1e-9, or points that lie
    /// within 8 tolerances of a plane or line; the error gives the numbers.
    pub fn new(points: &[DVec3]) -> Result<Self, GeometryError> {
        builder::build(points)
    }

    /// The corners.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The corner with index `vertex`.
    pub fn vertex(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }

    /// How many faces there are.
    pub fn face_count(&self) -> usize {
        self.planes.len()
    }

    /// The planes of all faces, normals outwards.
    pub fn face_planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The plane of a face, its normal outwards.
    pub fn face_plane(&self, face: usize) -> Plane {
        self.planes[face]
    }

    /// The vertices of a face, counter-clockwise as seen from outside.
    pub fn face_vertices(&self, face: usize) -> &[u32] {
        &self.side_vertices[self.sides(face)]
    }

    /// The vertices and edges around all faces: those of face `f` are `loops[starts[f]..starts[f + 1]]` and the same of
    /// `sides`, as `(starts, loops, sides)`.
    pub(crate) fn face_loops(&self) -> (&[u32], &[u32], &[u32]) {
        (&self.face_starts, &self.side_vertices, &self.side_edges)
    }

    /// The edges around a face: edge `k` joins vertex `k` of [`face_vertices`](Self::face_vertices) to the next.
    pub fn face_edges(&self, face: usize) -> &[u32] {
        &self.side_edges[self.sides(face)]
    }

    /// The faces around a face: face `k` lies beyond edge `k` of [`face_edges`](Self::face_edges).
    pub fn face_neighbors(&self, face: usize) -> &[u32] {
        &self.side_faces[self.sides(face)]
    }

    fn sides(&self, face: usize) -> std::ops::Range<usize> {
        self.face_starts[face] as usize..self.face_starts[face + 1] as usize
    }

    /// The edges, each once.
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// The vertices joined to a vertex by an edge, counter-clockwise as seen from outside.
    pub fn vertex_neighbors(&self, vertex: u32) -> &[u32] {
        &self.vertex_neighbors[self.fan(vertex)]
    }

    /// The faces around a vertex: face `k` lies between neighbours `k` and `k + 1` of
    /// [`vertex_neighbors`](Self::vertex_neighbors).
    pub fn vertex_faces(&self, vertex: u32) -> &[u32] {
        &self.vertex_faces[self.fan(vertex)]
    }

    /// The faces around all vertices: those of vertex `v` are `faces[starts[v]..starts[v + 1]]`, as `(starts, faces)`.
    pub(crate) fn vertex_fans(&self) -> (&[u32], &[u32]) {
        (&self.vertex_starts, &self.vertex_faces)
    }

    fn fan(&self, vertex: u32) -> std::ops::Range<usize> {
        self.vertex_starts[vertex as usize] as usize..self.vertex_starts[vertex as usize + 1] as usize
    }

    /// The centroid of the solid polyhedron.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The radius in metres of the largest ball around [`center`](Self::center) inside the polyhedron.
    pub fn inner_radius(&self) -> f64 {
        self.inner_radius
    }

    /// The radius in metres of the smallest ball around [`center`](Self::center) that contains the polyhedron.
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// The volume in cubic metres.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// How far, in metres, the polyhedron may be from the exact hull of its points; see [`Hull::new`].
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }
}
