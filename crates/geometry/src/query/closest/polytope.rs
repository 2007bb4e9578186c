//! A convex polyhedron that grows point by point: the inner approximation of the difference that the search for the
//! penetration depth expands.
//!
//! Faces are triangles with links to their three neighbours. A new point removes the faces it can see and closes the
//! hole with triangles between its rim and the point. Where such a triangle would have no area (the point lies on the
//! line of a rim edge), the face behind that edge is removed as well.

use super::difference::Vertex;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How many points the polyhedron may have.
const MAX_VERTICES: usize = 512;

/// The rounding error of a coordinate, relative to the numbers behind it.
const NOISE: f64 = 8.0 * f64::EPSILON;

/// A triangle of the surface.
#[derive(Clone, Copy, Debug)]
struct Face {
    /// Counter-clockwise as seen from outside.
    corners: [u32; 3],
    /// The faces across the edges from corner i to corner i + 1.
    neighbours: [u32; 3],
    /// The outward unit normal.
    normal: DVec3,
    /// The distance of its plane from the origin.
    offset: f64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Alive,
    Removed,
}

/// A face waiting to be looked at; the one with the least offset comes first.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    offset: f64,
    face: u32,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.offset.total_cmp(&self.offset).then(other.face.cmp(&self.face))
    }
}

/// The polyhedron. Its buffers are kept when it is cleared.
#[derive(Default)]
pub(super) struct Polytope {
    vertices: Vec<DVec3>,
    faces: Vec<Face>,
    queue: BinaryHeap<Waiting>,
    magnitude: f64,
    /// The rim of the hole being closed: (face outside, its edge).
    rim: Vec<(u32, u32)>,
    stack: Vec<u32>,
    seen: Vec<u32>,
    /// For each vertex of the rim the new face whose rim edge starts there.
    starting: Vec<u32>,
}

/// The face with the least distance from the origin.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub(super) face: u32,
    pub(super) normal: DVec3,
    pub(super) offset: f64,
}

const NONE: u32 = u32::MAX;

impl Polytope {
    /// Starts over with a tetrahedron, given in any orientation. `false` if it is flat.
    pub(super) fn start(&mut self, tetrahedron: &[Vertex; 4]) -> bool {
        self.vertices.clear();
        self.faces.clear();
        self.queue.clear();
        self.magnitude = tetrahedron.iter().fold(0.0, |m: f64, v| m.max(v.magnitude()));
        self.vertices.extend(tetrahedron.iter().map(|v| v.point));
        let [a, b, c, d] = [self.vertices[0], self.vertices[1], self.vertices[2], self.vertices[3]];
        if (b - a).cross(c - a).dot(d - a) > 0.0 {
            // The face (0, 1, 2) must look away from vertex 3.
            self.vertices.swap(1, 2);
        }
        let corners = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        let neighbours = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        for (corners, neighbours) in corners.into_iter().zip(neighbours) {
            self.push_face(corners, neighbours);
        }
        self.faces.iter().all(|face| face.offset.is_finite())
    }

    /// Takes the face nearest to the origin out of the queue.
    pub(super) fn pop(&mut self) -> Option<Nearest> {
        while let Some(Waiting { face, .. }) = self.queue.pop() {
            let Face { normal, offset, state, .. } = self.faces[face as usize];
            if state == State::Alive {
                return Some(Nearest { face, normal, offset });
            }
        }
        None
    }

    /// How large the numbers behind the vertices are.
    pub(super) fn magnitude(&self) -> f64 {
        self.magnitude
    }

    /// Adds a point beyond `face`. `false` if that is not possible in a sound way; the polytope is unchanged then.
    pub(super) fn insert(&mut self, vertex: &Vertex, face: u32) -> bool {
        if self.vertices.len() >= MAX_VERTICES || self.vertices.contains(&vertex.point) {
            return false;
        }
        let magnitude = self.magnitude.max(vertex.magnitude());
        if !self.open(vertex.point, face, magnitude) {
            return false;
        }
        self.magnitude = magnitude;
        self.close(vertex.point);
        true
    }

    /// Finds the faces the point sees, starting with `face`, and the rim around them.
    fn open(&mut self, point: DVec3, face: u32, magnitude: f64) -> bool {
        self.seen.clear();
        self.stack.clear();
        self.stack.push(face);
        while let Some(index) = self.stack.pop() {
            if self.faces[index as usize].state == State::Removed {
                continue;
            }
            self.faces[index as usize].state = State::Removed;
            self.seen.push(index);
            let Face { corners, neighbours, .. } = self.faces[index as usize];
            for edge in 0..3 {
                let next = neighbours[edge];
                if self.faces[next as usize].state == State::Removed {
                    continue;
                }
                let (from, to) =
                    (self.vertices[corners[edge] as usize], self.vertices[corners[(edge + 1) % 3] as usize]);
                let Face { normal, offset, .. } = self.faces[next as usize];
                let visible = normal.dot(point) - offset > NOISE * magnitude;
                if visible || unit_normal(from, to, point, magnitude).is_none() {
                    self.stack.push(next);
                }
            }
        }
        let sound = self.find_rim();
        if !sound {
            for &index in &self.seen {
                self.faces[index as usize].state = State::Alive;
            }
        }
        sound
    }

    /// The edges between removed and remaining faces. `false` if they are not one simple loop.
    fn find_rim(&mut self) -> bool {
        self.rim.clear();
        self.starting.clear();
        self.starting.resize(self.vertices.len(), NONE);
        for &index in &self.seen {
            let Face { corners, neighbours, .. } = self.faces[index as usize];
            for edge in 0..3 {
                let outside = neighbours[edge];
                if self.faces[outside as usize].state == State::Removed {
                    continue;
                }
                let from = corners[edge];
                let Some(back) = self.faces[outside as usize].neighbours.iter().position(|&n| n == index) else {
                    return false;
                };
                if self.starting[from as usize] != NONE {
                    return false;
                }
                self.starting[from as usize] = self.rim.len() as u32;
                self.rim.push((outside, back as u32));
            }
        }
        self.rim.len() >= 3 && self.rim_is_one_loop()
    }

    /// Whether a walk from one rim edge to the next comes back to the first only after passing all.
    fn rim_is_one_loop(&self) -> bool {
        let mut index = 0;
        for step in 1..=self.rim.len() {
            let (outside, back) = self.rim[index as usize];
            let to = self.faces[outside as usize].corners[back as usize];
            index = self.starting[to as usize];
            if index == NONE || (index == 0 && step < self.rim.len()) {
                return false;
            }
        }
        index == 0
    }

    /// Closes the hole with a fan of triangles around the point.
    fn close(&mut self, point: DVec3) {
        let apex = self.vertices.len() as u32;
        self.vertices.push(point);
        let first = self.faces.len() as u32;
        for index in 0..self.rim.len() {
            let (outside, back) = self.rim[index];
            // The rim edge runs the other way round on the outer face.
            let Face { corners, .. } = self.faces[outside as usize];
            let (from, to) = (corners[(back as usize + 1) % 3], corners[back as usize]);
            let new = first + index as u32;
            let after = first + self.starting[to as usize];
            self.faces[outside as usize].neighbours[back as usize] = new;
            // The neighbour before is filled in by that neighbour: it knows its successor.
            self.push_face([from, to, apex], [outside, after, NONE]);
        }
        for new in first..self.faces.len() as u32 {
            let after = self.faces[new as usize].neighbours[1];
            self.faces[after as usize].neighbours[2] = new;
        }
    }

    fn push_face(&mut self, corners: [u32; 3], neighbours: [u32; 3]) {
        let [a, b, c] = corners.map(|i| self.vertices[i as usize]);
        // A triangle without area bounds nothing its neighbours do not.
        let (normal, offset) = match unit_normal(a, b, c, self.magnitude) {
            Some(normal) => (normal, normal.dot(a)),
            None => (DVec3::ZERO, f64::INFINITY),
        };
        let face = self.faces.len() as u32;
        self.faces.push(Face { corners, neighbours, normal, offset, state: State::Alive });
        self.queue.push(Waiting { offset, face });
    }
}

/// The unit normal of a triangle, `None` if its height is lost in rounding.
fn unit_normal(a: DVec3, b: DVec3, c: DVec3, magnitude: f64) -> Option<DVec3> {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let normal = ab.cross(ac);
    let length = normal.length();
    let longest = ab.length_squared().max(ac.length_squared()).max(bc.length_squared()).sqrt();
    (length > NOISE * magnitude * longest).then(|| normal / length)
}
