//! Checks that a hull is what it claims to be.

use super::Hull;
use super::outline::MAX_SLOPE;
use glam::DVec3;

impl Hull {
    /// Checks every promise of the data structure, in time proportional to faces times vertices. For tests.
    ///
    /// The surface is closed: each edge has exactly two faces, `V − E + F = 2`, each vertex at least three faces, no two
    /// faces share more than one edge. Each face is convex, counter-clockwise and within [`tolerance`](Self::tolerance) of
    /// its plane, its sides along the plane, and every vertex lies below it to that tolerance. All indices agree with each other.
    pub fn validate(&self) -> Result<(), String> {
        self.validate_counts()?;
        self.validate_neighbors()?;
        for face in 0..self.face_count() {
            self.validate_face(face)?;
        }
        self.validate_measures()
    }

    /// The same for a hull that was read from data of unknown origin: first of all, that every index leads somewhere.
    pub fn validate_data(&self) -> Result<(), String> {
        let (v, e, sides) = (self.vertices.len(), self.edges.len(), self.side_vertices.len());
        let faces = self.planes.len();
        let below = |list: &[u32], bound: usize| list.iter().all(|&index| (index as usize) < bound);
        let steps = |list: &[u32], count: usize, end: usize| {
            list.len() == count + 1
                && list.first() == Some(&0)
                && list.last().is_some_and(|&last| last as usize == end)
                && list.windows(2).all(|pair| pair[0] < pair[1])
        };
        let sound = steps(&self.face_starts, faces, sides)
            && steps(&self.vertex_starts, v, self.vertex_neighbors.len())
            && self.side_edges.len() == sides
            && self.side_faces.len() == sides
            && self.vertex_faces.len() == self.vertex_neighbors.len()
            && below(&self.side_vertices, v)
            && below(&self.side_edges, e)
            && below(&self.side_faces, faces)
            && below(&self.vertex_neighbors, v)
            && below(&self.vertex_faces, faces)
            && self.edges.iter().all(|edge| below(&edge.vertices, v) && below(&edge.faces, faces));
        ensure(sound, || "the lists of a hull do not fit each other".into())?;
        self.validate()
    }

    fn validate_counts(&self) -> Result<(), String> {
        let (v, e, f) = (self.vertices.len(), self.edges.len(), self.face_count());
        ensure(v + f == e + 2, || format!("V − E + F = {v} − {e} + {f} is not 2"))?;
        ensure(self.face_starts.len() == f + 1, || "face_starts has the wrong length".into())?;
        ensure(self.side_vertices.len() == 2 * e, || "there are not two sides to each edge".into())?;
        ensure(self.vertices.iter().all(|p| p.is_finite()), || "a vertex is not finite".into())?;
        let mut ends: Vec<[u32; 2]> = self.edges.iter().map(|e| sorted(e.vertices)).collect();
        let mut faces: Vec<[u32; 2]> = self.edges.iter().map(|e| sorted(e.faces)).collect();
        for (list, what) in [(&mut ends, "vertices"), (&mut faces, "faces")] {
            list.sort_unstable();
            ensure(list.iter().all(|[a, b]| a != b), || format!("an edge has twice the same of its {what}"))?;
            ensure(list.windows(2).all(|w| w[0] != w[1]), || format!("two edges have the same {what}"))?;
        }
        Ok(())
    }

    fn validate_neighbors(&self) -> Result<(), String> {
        for face in 0..self.face_count() {
            let corners = self.face_vertices(face);
            ensure(corners.len() >= 3, || format!("face {face} has only {} vertices", corners.len()))?;
            for (k, &a) in corners.iter().enumerate() {
                let b = corners[(k + 1) % corners.len()];
                let edge = &self.edges[self.face_edges(face)[k] as usize];
                let (this, beyond) = (face as u32, self.face_neighbors(face)[k]);
                let forwards = edge.vertices == [a, b] && edge.faces == [this, beyond];
                let backwards = edge.vertices == [b, a] && edge.faces == [beyond, this];
                ensure(forwards || backwards, || format!("side {k} of face {face} does not match {edge:?}"))?;
            }
        }
        for vertex in 0..self.vertices.len() as u32 {
            let (neighbors, faces) = (self.vertex_neighbors(vertex), self.vertex_faces(vertex));
            ensure(neighbors.len() >= 3, || format!("vertex {vertex} has only {} faces", neighbors.len()))?;
            for (k, &face) in faces.iter().enumerate() {
                let (right, left) = (neighbors[k], neighbors[(k + 1) % neighbors.len()]);
                let corners = self.face_vertices(face as usize);
                let place = corners.iter().position(|&c| c == vertex);
                let fits = place.is_some_and(|i| {
                    let n = corners.len();
                    corners[(i + 1) % n] == right && corners[(i + n - 1) % n] == left
                });
                ensure(fits, || {
                    format!("face {face} is not between neighbours {right} and {left} of vertex {vertex}")
                })?;
            }
        }
        Ok(())
    }

    fn validate_face(&self, face: usize) -> Result<(), String> {
        let plane = self.face_plane(face);
        ensure((plane.normal.length() - 1.0).abs() < 1e-14, || {
            format!("the normal of face {face} is {}", plane.normal)
        })?;
        for (i, &p) in self.vertices.iter().enumerate() {
            let above = plane.signed_distance(p);
            ensure(above <= self.tolerance, || format!("vertex {i} lies {above:e} above face {face}"))?;
        }
        let corners: Vec<DVec3> = self.face_vertices(face).iter().map(|&v| self.vertex(v)).collect();
        let (mut area, mut perimeter) = (0.0, 0.0);
        for (k, &a) in corners.iter().enumerate() {
            let below = -plane.signed_distance(a);
            ensure(below <= self.tolerance, || format!("corner {k} of face {face} lies {below:e} below its plane"))?;
            let b = corners[(k + 1) % corners.len()];
            let outwards = (b - a).cross(plane.normal).normalize_or_zero();
            ensure(outwards != DVec3::ZERO, || format!("side {k} of face {face} has no length"))?;
            let slope = (b - a).normalize_or_zero().dot(plane.normal).abs();
            ensure(slope <= MAX_SLOPE, || format!("side {k} of face {face} leaves its plane with slope {slope:e}"))?;
            let reach = corners.iter().map(|&c| outwards.dot(c - a)).fold(f64::NEG_INFINITY, f64::max);
            ensure(reach <= self.tolerance, || format!("face {face} is not convex: {reach:e} beyond side {k}"))?;
            area += 0.5 * (a - corners[0]).cross(b - corners[0]).dot(plane.normal);
            perimeter += a.distance(b);
        }
        // Of a face thin as a needle, whose plane is known all the same, the area may be lost in rounding.
        ensure(area > -self.tolerance * perimeter, || format!("face {face} is not counter-clockwise: area {area:e}"))
    }

    fn validate_measures(&self) -> Result<(), String> {
        ensure(self.volume > 0.0, || format!("the volume is {}", self.volume))?;
        ensure(self.inner_radius > 0.0, || format!("the inner radius is {}", self.inner_radius))?;
        ensure(self.bounding_radius >= self.inner_radius, || "the bounding radius is less than the inner".into())
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    if a < b { [a, b] } else { [b, a] }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
