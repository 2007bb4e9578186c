//! The separating axis of two polyhedra, exact and with few of its candidates looked at.
//!
//! Candidates are the normals of the faces of both and the products of edges, one of each, that form a face of the
//! Minkowski difference: the arcs between their faces' normals cross on the sphere (Gregorius 2013). What makes it fast is a
//! bound. Let v be any point of B. Along a face normal n of A (plane offset o)
//!
//! `s(n) = min_B n·x − o ≤ n·v − o`,
//!
//! so one product tells whether the face can beat the best axis so far; with v the point of B that reaches deepest along
//! that axis, few faces can. For an edge of A between faces with bounds u₁, u₂ < 0, every axis on its arc is
//! `n = (α n₁ + β n₂)/|α n₁ + β n₂|` with α, β ≥ 0, and since `|α n₁ + β n₂| ≤ α + β` its separation is at most
//! `(α u₁ + β u₂)/(α + β) ≤ max(u₁, u₂)`: an edge is out of the race if both its faces are (and v is below both).
//! The same holds for B with any point of A.

use super::cache::{Axis, Slack};
use super::frame::Frame;
use super::polytope::Polytope;
use glam::DVec3;

/// Edges whose directions differ by less (sine squared) span no axis of their own; the faces beside them serve.
const PARALLEL: f64 = 1e-10;

/// More faces than this are too many for the search here.
pub(super) const MAX_FACES: usize = 64;

/// Rounds of going from a corner to the face that sees it best and back, to start with a good axis.
const START_ROUNDS: usize = 3;

/// The axis found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) axis: Axis,
    /// The unit axis in the frame of A, out of A.
    pub(super) normal: DVec3,
    /// How far the shapes are apart along it; negative if they overlap.
    pub(super) separation: f64,
    score: f64,
}

impl Best {
    /// The depth the deepest point must have, up to the slack.
    pub(super) fn least_depth(&self) -> f64 {
        -self.separation - (self.score - self.separation).abs()
    }
}

/// Two polyhedra, the second at a pose.
pub(super) struct Search<'a> {
    a: &'a Polytope<'a>,
    b: &'a Polytope<'a>,
    frame: &'a Frame,
    prediction: f64,
    last: Axis,
    slack: Slack,
    best: Best,
}

impl<'a> Search<'a> {
    /// The axis of greatest separation up to the slack, or the first found that separates by more than `prediction`.
    pub(super) fn run(a: &'a Polytope<'a>, b: &'a Polytope<'a>, frame: &'a Frame, prediction: f64, last: Axis) -> Best {
        let nothing =
            Best { axis: Axis::Unknown, normal: DVec3::Y, separation: f64::NEG_INFINITY, score: f64::NEG_INFINITY };
        let slack = Slack::new(a.size.min(b.size));
        let mut search = Self { a, b, frame, prediction, last, slack, best: nothing };
        search.search();
        search.best
    }

    fn search(&mut self) {
        let mut probe = self.start();
        if self.done() {
            return;
        }
        let bounds_a = self.faces(Owner::A, probe);
        if self.done() {
            return;
        }
        // The deepest point of B serves as point of A too if it lies in A.
        if bounds_a[..self.a.planes.len()].iter().any(|&bound| bound > 0.0) {
            probe = self.a.vertices[self.a.support(self.best.normal)];
        }
        let bounds_b = self.faces(Owner::B, self.frame.inverse_point(probe));
        if !self.done() {
            self.edges(&bounds_a, &bounds_b);
        }
    }

    fn done(&self) -> bool {
        self.best.separation > self.prediction
    }

    fn offer(&mut self, axis: Axis, normal: DVec3, separation: f64) {
        let score = self.slack.score(axis, separation, self.last);
        if score > self.best.score {
            self.best = Best { axis, normal, separation, score };
        }
    }

    /// Offers the axis used last, or a guess; returns a point of B that reaches deep along it.
    fn start(&mut self) -> DVec3 {
        match self.last {
            Axis::FaceA(face) if (face as usize) < self.a.face_count => {
                return self.offer_face_a(face as usize);
            }
            Axis::FaceB(face) if (face as usize) < self.b.face_count => {
                self.offer_face_b(face as usize);
                return self.deepest_of_b(self.best.normal);
            }
            Axis::Edges(i, j) if (i as usize) < self.a.edges.len() && (j as usize) < self.b.edges.len() => {
                self.offer_edges(&self.edge_of_b(j as usize), i as usize, j as usize);
                if self.best.axis != Axis::Unknown {
                    return self.deepest_of_b(self.best.normal);
                }
            }
            _ => {}
        }
        let mut point = self.deepest_of_b(self.frame.point(self.b.center) - self.a.center);
        let mut previous = usize::MAX;
        for _ in 0..START_ROUNDS {
            let face = most_above(self.a, point);
            if face == previous {
                break;
            }
            point = self.offer_face_a(face);
            if self.done() {
                break;
            }
            previous = face;
        }
        point
    }

    fn deepest_of_b(&self, direction: DVec3) -> DVec3 {
        self.frame.point(self.b.vertices[self.b.support(self.frame.inverse_vector(-direction))])
    }

    fn offer_face_a(&mut self, face: usize) -> DVec3 {
        let plane = self.a.planes[face];
        let deepest = self.deepest_of_b(plane.normal);
        self.offer(Axis::FaceA(face as u32), plane.normal, plane.signed_distance(deepest));
        deepest
    }

    fn offer_face_b(&mut self, face: usize) {
        let plane = self.b.planes[face];
        let normal = -self.frame.vector(plane.normal);
        let deepest = self.frame.inverse_point(self.a.vertices[self.a.support(normal)]);
        self.offer(Axis::FaceB(face as u32), normal, plane.signed_distance(deepest));
    }

    /// Offers every face of `owner` that may be better than the best, judged by `probe`, a point of the other shape in
    /// the frame of the owner. Returns the bounds of all its planes.
    fn faces(&mut self, owner: Owner, probe: DVec3) -> [f64; MAX_FACES] {
        let polytope = match owner {
            Owner::A => self.a,
            Owner::B => self.b,
        };
        let mut bounds = [0.0; MAX_FACES];
        for (bound, plane) in bounds.iter_mut().zip(polytope.planes) {
            *bound = plane.signed_distance(probe);
        }
        for (face, &bound) in bounds[..polytope.face_count].iter().enumerate() {
            if bound > self.best.score {
                match owner {
                    Owner::A => {
                        self.offer_face_a(face);
                    }
                    Owner::B => self.offer_face_b(face),
                }
                if self.done() {
                    break;
                }
            }
        }
        bounds
    }

    /// Offers the pairs of edges that may be better than the best.
    fn edges(&mut self, bounds_a: &[f64; MAX_FACES], bounds_b: &[f64; MAX_FACES]) {
        let mut candidates = [0_u16; 3 * MAX_FACES];
        let mut count = 0;
        for (i, edge) in self.a.edges.iter().enumerate() {
            if self.may_win(bounds_a, edge.faces) && count < candidates.len() {
                candidates[count] = i as u16;
                count += 1;
            }
        }
        if count == 0 {
            return;
        }
        for (j, edge) in self.b.edges.iter().enumerate() {
            if !self.may_win(bounds_b, edge.faces) {
                continue;
            }
            let edge_of_b = self.edge_of_b(j);
            for &i in &candidates[..count] {
                self.offer_edges(&edge_of_b, usize::from(i), j);
                if self.done() {
                    return;
                }
            }
        }
    }

    #[inline]
    fn may_win(&self, bounds: &[f64; MAX_FACES], faces: [u32; 2]) -> bool {
        let bound = bounds[faces[0] as usize].max(bounds[faces[1] as usize]);
        bound > self.best.score || bound > 0.0
    }

    fn edge_of_b(&self, j: usize) -> Edge {
        let edge = &self.b.edges[j];
        let [start, end] = edge.vertices.map(|v| self.b.vertices[v as usize]);
        Edge {
            start: self.frame.point(start),
            along: self.frame.vector(end - start),
            normals: edge.faces.map(|f| self.frame.vector(self.b.planes[f as usize].normal)),
        }
    }

    fn offer_edges(&mut self, b: &Edge, i: usize, j: usize) {
        let edge = &self.a.edges[i];
        let [start, end] = edge.vertices.map(|v| self.a.vertices[v as usize]);
        let along = end - start;
        let normals = edge.faces.map(|f| self.a.planes[f as usize].normal);
        // The arc from normals[0] to normals[1] turns about +along, that of B (reversed, −normals) likewise about b.along. They
        // cross if the ends of each lie on different sides of the other's great circle, on the same hemisphere.
        let (x0, x1) = (b.normals[0].dot(along), b.normals[1].dot(along));
        if x0 * x1 >= 0.0 {
            return;
        }
        let (y0, y1) = (normals[0].dot(b.along), normals[1].dot(b.along));
        if y0 * y1 >= 0.0 || x0 * y1 >= 0.0 {
            return;
        }
        let cross = along.cross(b.along);
        let square = cross.length_squared();
        if square <= PARALLEL * along.length_squared() * b.along.length_squared() {
            return;
        }
        let outward = 1.0_f64.copysign(cross.dot(normals[0] + normals[1]));
        let normal = cross * (outward / square.sqrt());
        self.offer(Axis::Edges(i as u32, j as u32), normal, normal.dot(b.start - start));
    }
}

#[derive(Clone, Copy)]
enum Owner {
    A,
    B,
}

/// An edge of B in the frame of A.
struct Edge {
    start: DVec3,
    along: DVec3,
    normals: [DVec3; 2],
}

/// The face that `point` lies highest above.
fn most_above(polytope: &Polytope, point: DVec3) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, plane) in polytope.planes[..polytope.face_count].iter().enumerate() {
        let height = plane.signed_distance(point);
        if height > best.1 {
            best = (i, height);
        }
    }
    best.0
}
