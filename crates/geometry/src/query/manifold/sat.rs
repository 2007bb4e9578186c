//! The separating axis of two polyhedra, exact and with few of its candidates looked at.
//!
//! Candidates are the normals of the faces of both and the products of edges, one of each, that form a face of the
//! Minkowski difference: the arcs between their faces' normals cross on the sphere (Gregorius 2013). What makes it fast is a
//! bound. Let v be any point of B. Along a face normal n of A (plane offset o)
//!
//! `s(n) = min_B n·x − o ≤ n·v − o`,
//!
//! so one product tells whether the face can beat the best axis so far; with points of B that reach deep along that axis
//! as v (the *probes*), few faces can. For an edge of A between faces with bounds u₁, u₂ < 0, every axis on its arc is
//! `n = (α n₁ + β n₂)/|α n₁ + β n₂|` with α, β ≥ 0, and since `|α n₁ + β n₂| ≤ α + β` its separation is at most
//! `(α u₁ + β u₂)/(α + β) ≤ max(u₁, u₂)`: an edge is out of the race if, for one probe, both its faces are. (If a bound is
//! positive, `|α n₁ + β n₂| ≥ (α + β) cos(φ/2)` with φ the angle of the normals gives `max(u₁, u₂)/cos(φ/2)`.)
//! The same holds for B with points of A.

use super::cache::{Axis, Slack};
use super::frame::Frame;
use super::polytope::Polytope;
use glam::DVec3;

/// Edges whose directions differ by less (sine squared) span no axis of their own; the faces beside them serve.
const PARALLEL: f64 = 1e-10;

/// More faces than this are too many for the search here: sets of faces are bits of a word.
pub(super) const MAX_FACES: usize = 64;
/// A polyhedron of F faces has at most 3F − 6 edges.
const MAX_EDGES: usize = 3 * MAX_FACES;
/// How many edges of A are worked on together.
const EDGE_BLOCK: usize = 32;
/// How many probes there are at most.
const MAX_PROBES: usize = 4;
/// Rounds of going from a corner to the face that sees it best and back, to start with a good axis.
const START_ROUNDS: usize = 4;

/// The axis found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) axis: Axis,
    /// The unit axis in the frame of A, out of A.
    pub(super) normal: DVec3,
    /// How far the shapes are apart along it; negative if they overlap.
    pub(super) separation: f64,
    score: f64,
    /// For a face, the point of the other shape deepest below it, in the frame of the face's shape.
    deepest: DVec3,
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

/// Which of the two.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    A,
    B,
}

impl Owner {
    fn other(self) -> Self {
        match self {
            Owner::A => Owner::B,
            Owner::B => Owner::A,
        }
    }
}

/// Points of one shape, in the frame of the other.
#[derive(Clone, Copy, Default)]
struct Probes {
    points: [DVec3; MAX_PROBES],
    count: usize,
}

impl Probes {
    fn push(&mut self, point: DVec3) {
        self.points[self.count] = point;
        self.count += 1;
    }

    fn first(&self) -> DVec3 {
        self.points[0]
    }

    fn others(&self) -> &[DVec3] {
        &self.points[1..self.count]
    }
}

/// What the probes say about the faces of a polyhedron.
struct Bounds {
    /// The bound of each plane by the first probe.
    first: [f64; MAX_FACES],
    probes: Probes,
    /// The axis the probes were chosen for.
    axis: Axis,
}

impl Bounds {
    /// The planes with a bound above `limit`, as bits of a word.
    #[inline]
    fn above(&self, limit: f64, count: usize) -> u64 {
        let mut above = 0;
        for (face, &bound) in self.first[..count].iter().enumerate() {
            above |= u64::from(bound > limit) << face;
        }
        above
    }
}

/// The edges of a polyhedron that may be better than the best axis, and their faces as bits of a word.
struct Candidates {
    edges: [u16; MAX_EDGES],
    count: usize,
    faces: u64,
}

impl<'a> Search<'a> {
    /// The axis of greatest separation up to the slack, or the first found that separates by more than `prediction`.
    pub(super) fn run(a: &'a Polytope<'a>, b: &'a Polytope<'a>, frame: &'a Frame, prediction: f64, last: Axis) -> Best {
        let nothing = Best {
            axis: Axis::Unknown,
            normal: DVec3::Y,
            separation: f64::NEG_INFINITY,
            score: f64::NEG_INFINITY,
            deepest: DVec3::ZERO,
        };
        let slack = Slack::new(a.size.min(b.size));
        let mut search = Self { a, b, frame, prediction, last, slack, best: nothing };
        search.search();
        search.best
    }

    fn search(&mut self) {
        self.start();
        if self.done() {
            return;
        }
        let bounds_a = self.faces(Owner::A);
        if self.done() {
            return;
        }
        let bounds_b = self.faces(Owner::B);
        if !self.done() {
            self.edges(&bounds_a, &bounds_b);
        }
    }

    fn done(&self) -> bool {
        self.best.separation > self.prediction
    }

    fn polytope(&self, owner: Owner) -> &'a Polytope<'a> {
        match owner {
            Owner::A => self.a,
            Owner::B => self.b,
        }
    }

    #[inline]
    fn offer(&mut self, axis: Axis, preference: f64, normal: DVec3, separation: f64, deepest: DVec3) {
        let score = self.slack.score(separation, preference, axis == self.last);
        if score > self.best.score {
            self.best = Best { axis, normal, separation, score, deepest };
        }
    }

    /// Offers the axis used last, or else a guess.
    fn start(&mut self) {
        match self.last {
            Axis::FaceA(face) if (face as usize) < self.a.face_count => {
                self.offer_face(Owner::A, face as usize);
                return;
            }
            Axis::FaceB(face) if (face as usize) < self.b.face_count => {
                self.offer_face(Owner::B, face as usize);
                return;
            }
            Axis::Edges(i, j) if (i as usize) < self.a.edges.len() && (j as usize) < self.b.edges.len() => {
                self.offer_remembered_edges(i as usize, j as usize);
            }
            _ => {}
        }
        if self.best.axis == Axis::Unknown {
            self.guess();
        }
    }

    /// From the corner of B nearest to A's centre to the face of A that sees it from highest, to the corner of B deepest
    /// below that face, and so on.
    fn guess(&mut self) {
        let mut corner = self.deepest_of_b(self.frame.point(self.b.center) - self.a.center);
        let mut previous = usize::MAX;
        for _ in 0..START_ROUNDS {
            let face = most_above(self.a, corner);
            if face == previous {
                break;
            }
            corner = self.offer_face(Owner::A, face);
            if self.done() {
                break;
            }
            previous = face;
        }
    }

    #[inline]
    fn deepest_of_b(&self, direction: DVec3) -> DVec3 {
        self.frame.point(self.b.vertices[self.b.support(self.frame.inverse_vector(-direction))])
    }

    /// Offers the normal of a face; returns the point of the other shape deepest below it, in the frame of the owner.
    fn offer_face(&mut self, owner: Owner, face: usize) -> DVec3 {
        let plane = &self.polytope(owner).planes[face];
        match owner {
            Owner::A => {
                let deepest = self.deepest_of_b(plane.normal);
                let separation = plane.signed_distance(deepest);
                self.offer(Axis::FaceA(face as u32), Slack::FACE_A, plane.normal, separation, deepest);
                deepest
            }
            Owner::B => {
                let normal = -self.frame.vector(plane.normal);
                let deepest = self.frame.inverse_point(self.a.vertices[self.a.support(normal)]);
                let separation = plane.signed_distance(deepest);
                self.offer(Axis::FaceB(face as u32), Slack::FACE_B, normal, separation, deepest);
                deepest
            }
        }
    }

    /// Points of the other shape, in the frame of the owner, that reach deep along the best axis. First the one nearest to
    /// where the shapes meet, then the corners of the face or the ends of the edge that spans the axis.
    fn probes(&self, owner: Owner) -> Probes {
        let mut probes = Probes::default();
        match (self.best.axis, owner) {
            (Axis::FaceA(_), Owner::A) | (Axis::FaceB(_), Owner::B) => probes.push(self.best.deepest),
            (Axis::FaceA(face) | Axis::FaceB(face), _) => {
                let other = self.polytope(owner.other());
                probes.push(self.carry(owner, other.nearest_on_face(face as usize, self.best.deepest)));
                for &corner in other.face(face as usize).iter().take(MAX_PROBES - 1) {
                    probes.push(self.carry(owner, other.vertices[corner as usize]));
                }
            }
            (Axis::Edges(i, j), _) => {
                let (start_a, along_a) = (self.a.start(i as usize), self.a.along(i as usize));
                let start_b = self.frame.point(self.b.start(j as usize));
                let along_b = self.frame.vector(self.b.along(j as usize));
                let (x, y) = closest_on_lines(start_a, along_a, start_b, along_b);
                let (start, along, at) = match owner {
                    Owner::A => (start_b, along_b, y),
                    Owner::B => (start_a, along_a, x),
                };
                for at in [at.clamp(0.0, 1.0), 0.0, 1.0] {
                    let point = start + along * at;
                    probes.push(if owner == Owner::A { point } else { self.frame.inverse_point(point) });
                }
            }
            (Axis::Unknown | Axis::Direction(_), _) => {
                let other = self.polytope(owner.other());
                probes.push(self.carry(owner, other.vertices[0]));
            }
        }
        probes
    }

    /// A point of the other shape in the frame of the owner.
    fn carry(&self, owner: Owner, point: DVec3) -> DVec3 {
        match owner {
            Owner::A => self.frame.point(point),
            Owner::B => self.frame.inverse_point(point),
        }
    }

    /// The bounds of all planes of `owner` by probes for the best axis.
    fn bounds(&self, owner: Owner) -> Bounds {
        let probes = self.probes(owner);
        let mut first = [0.0; MAX_FACES];
        let probe = probes.first();
        for (bound, plane) in first.iter_mut().zip(self.polytope(owner).planes) {
            *bound = plane.signed_distance(probe);
        }
        Bounds { first, probes, axis: self.best.axis }
    }

    /// Offers every face of `owner` that may be better than the best. Returns the bounds.
    fn faces(&mut self, owner: Owner) -> Bounds {
        let polytope = self.polytope(owner);
        let bounds = self.bounds(owner);
        for face in bits(bounds.above(self.best.score, polytope.face_count)) {
            let plane = &polytope.planes[face];
            if bounds.first[face] > self.best.score
                && bounds.probes.others().iter().all(|&probe| plane.signed_distance(probe) > self.best.score)
            {
                self.offer_face(owner, face);
                if self.done() {
                    break;
                }
            }
        }
        bounds
    }

    /// Offers the pairs of edges that may be better than the best.
    fn edges(&mut self, bounds_a: &Bounds, bounds_b: &Bounds) {
        let (mut of_a, mut of_b) = (Candidates::new(), Candidates::new());
        self.gather(Owner::A, bounds_a, &mut of_a);
        if of_a.count == 0 {
            return;
        }
        self.gather(Owner::B, bounds_b, &mut of_b);
        // Whether arcs cross is a matter of signs: on which side of the plane across an edge of one shape a normal
        // of the other lies. One bit per edge and face, shared by all pairs.
        let mut sides_a = [0_u64; EDGE_BLOCK];
        for block in of_a.edges[..of_a.count].chunks(EDGE_BLOCK) {
            for (sides, &i) in sides_a.iter_mut().zip(block) {
                *sides = positive_sides(self.b, of_b.faces, self.frame.inverse_vector(self.a.along(usize::from(i))));
            }
            for &j in &of_b.edges[..of_b.count] {
                let sides_b = positive_sides(self.a, of_a.faces, self.frame.vector(self.b.along(usize::from(j))));
                let [f0, f1] = self.b.edges[usize::from(j)].faces;
                for (sides_a, &i) in sides_a.iter().zip(block) {
                    // The arc from the first to the second normal turns about the edge, that of B (reversed, −normals)
                    // likewise. They cross if the ends of each lie on different sides of the other's great circle, on
                    // the same hemisphere.
                    let [g0, g1] = self.a.edges[usize::from(i)].faces;
                    let (x0, x1) = (sides_a >> f0, sides_a >> f1);
                    let (y0, y1) = (sides_b >> g0, sides_b >> g1);
                    if (x0 ^ x1) & (y0 ^ y1) & (x0 ^ y1) & 1 == 1 {
                        self.offer_edges(usize::from(i), usize::from(j));
                    }
                }
                if self.done() {
                    return;
                }
            }
        }
    }

    /// Collects the edges of `owner` that may be better than the best: they are sides of faces that may.
    fn gather(&self, owner: Owner, known: &Bounds, candidates: &mut Candidates) {
        let polytope = self.polytope(owner);
        let renewed;
        let bounds = if known.axis == self.best.axis {
            known
        } else {
            renewed = self.bounds(owner);
            &renewed
        };
        let score = self.best.score;
        let above = bounds.above(score.min(0.0), polytope.planes.len());
        let height = |face: usize, probe: DVec3| polytope.planes[face].signed_distance(probe);
        for face in bits(above) {
            for &side in polytope.sides(face) {
                let [first, second] = polytope.edges[side as usize].faces;
                let beyond = (first + second) as usize - face;
                // Seen already, from the other side?
                if beyond < face && above >> beyond & 1 == 1 {
                    continue;
                }
                let limit = if score > 0.0 { gain(polytope, face, beyond) * score } else { score };
                let may_win = bounds.first[face].max(bounds.first[beyond]) > limit
                    && bounds
                        .probes
                        .others()
                        .iter()
                        .all(|&probe| height(face, probe).max(height(beyond, probe)) > limit);
                if may_win && candidates.count < MAX_EDGES {
                    candidates.edges[candidates.count] = side as u16;
                    candidates.count += 1;
                    candidates.faces |= 1 << first | 1 << second;
                }
            }
        }
    }

    /// Offers the axis across two edges whose arcs cross.
    fn offer_edges(&mut self, i: usize, j: usize) {
        let (along_a, along_b) = (self.a.along(i), self.frame.vector(self.b.along(j)));
        let cross = along_a.cross(along_b);
        let square = cross.length_squared();
        if square <= PARALLEL * along_a.length_squared() * along_b.length_squared() {
            return;
        }
        let [first, second] = self.a.edges[i].faces.map(|f| self.a.planes[f as usize].normal);
        let outward = 1.0_f64.copysign(cross.dot(first + second));
        let normal = cross * (outward / square.sqrt());
        let from_a_to_b = self.frame.point(self.b.start(j)) - self.a.start(i);
        self.offer(Axis::Edges(i as u32, j as u32), Slack::EDGES, normal, normal.dot(from_a_to_b), DVec3::ZERO);
    }

    /// Offers a pair of edges if their arcs cross still.
    fn offer_remembered_edges(&mut self, i: usize, j: usize) {
        let (faces_a, faces_b) = (self.a.edges[i].faces, self.b.edges[j].faces);
        let (along_a, along_b) = (self.a.along(i), self.b.along(j));
        let (in_b, in_a) = (self.frame.inverse_vector(along_a), self.frame.vector(along_b));
        let [x0, x1] = faces_b.map(|f| self.b.planes[f as usize].normal.dot(in_b) > 0.0);
        let [y0, y1] = faces_a.map(|f| self.a.planes[f as usize].normal.dot(in_a) > 0.0);
        if x0 != x1 && y0 != y1 && x0 != y1 {
            self.offer_edges(i, j);
        }
    }
}

/// cos(φ/2) for two faces whose normals make the angle φ: `½ |n₁ + n₂|`.
fn gain(polytope: &Polytope, first: usize, second: usize) -> f64 {
    0.5 * (polytope.planes[first].normal + polytope.planes[second].normal).length()
}

impl Candidates {
    fn new() -> Self {
        Self { edges: [0; MAX_EDGES], count: 0, faces: 0 }
    }
}

/// Of the given faces (bits), those whose normal has a positive part along `direction`.
#[inline]
fn positive_sides(polytope: &Polytope, faces: u64, direction: DVec3) -> u64 {
    bits(faces)
        .fold(0, |positive, face| positive | u64::from(polytope.planes[face].normal.dot(direction) > 0.0) << face)
}

/// The places of the bits of a word that are set, in ascending order.
#[inline]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (place < 64).then_some(place)
    })
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

/// The parameters of the closest points of the lines `a + x u` and `b + y v`; NaN if they are parallel.
pub(super) fn closest_on_lines(a: DVec3, u: DVec3, b: DVec3, v: DVec3) -> (f64, f64) {
    // x u − y v = b − a up to the part along u × v.
    let w = b - a;
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    ((uw * vv - vw * uv) / determinant, (uw * uv - vw * uu) / determinant)
}
