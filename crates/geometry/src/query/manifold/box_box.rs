//! Box against box: separating axes, then the incident face clipped by the reference face.
//!
//! With R = (b₀ b₁ b₂) the axes of B in the frame of A, t its centre and h, k the half extents, the separation is
//! - along face axis i of A: `|tᵢ| − hᵢ − Σⱼ |Rᵢⱼ| kⱼ`,
//! - along face axis j of B: `|t·bⱼ| − kⱼ − Σᵢ |Rᵢⱼ| hᵢ`,
//! - along `L = eᵢ × bⱼ` of two edges: `(|t·L| − Σ hₘ|Lₘ| − Σ kₘ|L·bₘ|) / |L|` with `|L|² = 1 − Rᵢⱼ²`.
//!
//! The largest of the 15 is the signed distance as long as the boxes overlap (Gottschalk et al. 1996).
//! Numbers are kept in plain arrays: loops over them unroll, and a computed index is one load.

use super::cache::{Axis, ConvexCache, Slack};
use super::clip::{Outline, clip};
use super::contour::Carrier;
use super::frame::Frame;
use super::general::closest;
use super::name::{FACE_OF_A, FACE_OF_B, edge_pair_id};
use super::polytope::BoxParts;
use crate::Transform;
use crate::query::{ContactPoint, Feature, Manifold};
use crate::shape::Cuboid;
use glam::{DVec2, DVec3};

/// Edges whose directions differ by less (sine squared) span no axis of their own; the faces beside them serve.
const PARALLEL: f64 = 1e-10;

/// The number of an axis: 0..3 faces of A, 3..6 faces of B, 6 + 3i + j edges i of A and j of B.
type AxisNumber = usize;
const FACES_B: AxisNumber = 3;
const EDGES: AxisNumber = 6;
const NONE: AxisNumber = 15;

pub(super) fn box_box(
    a: &Cuboid,
    b: &Cuboid,
    b_in_a: &Transform,
    frame: &Frame,
    prediction: f64,
    cache: &mut ConvexCache,
) -> Option<Manifold> {
    let pair = BoxPair::new(a.half_extents(), b.half_extents(), frame);
    let last = number(cache.axis);
    if pair.separation(last) > prediction {
        return None;
    }
    let (best, separation) = pair.best_axis(prediction, last);
    cache.axis = axis(best);
    if separation > prediction {
        return None;
    }
    let manifold = match best {
        0..FACES_B => pair.face_contact(best, prediction),
        FACES_B..EDGES => {
            let mut manifold = pair.flipped().face_contact(best - FACES_B, prediction);
            if let Some(manifold) = &mut manifold {
                manifold.normal = -frame.vector(manifold.normal);
                for point in manifold.points_mut() {
                    point.position = frame.point(point.position);
                }
            }
            manifold
        }
        EDGES..NONE => pair.edge_contact((best - EDGES) / 3, (best - EDGES) % 3, prediction),
        _ => None,
    };
    // Apart and nearest at corners, no face or edge lies opposite another; the closest points remain.
    manifold.or_else(|| {
        let (parts_a, parts_b) = (BoxParts::new(a), BoxParts::new(b));
        closest((&parts_a.as_polytope(), a), (&parts_b.as_polytope(), b), b_in_a, frame, prediction)
    })
}

fn number(axis: Axis) -> AxisNumber {
    match axis {
        Axis::FaceA(i @ 0..3) => i as usize,
        Axis::FaceB(j @ 0..3) => FACES_B + j as usize,
        Axis::Edges(i @ 0..3, j @ 0..3) => EDGES + 3 * i as usize + j as usize,
        _ => NONE,
    }
}

fn axis(number: AxisNumber) -> Axis {
    match number {
        0..FACES_B => Axis::FaceA(number as u32),
        FACES_B..EDGES => Axis::FaceB((number - FACES_B) as u32),
        EDGES..NONE => Axis::Edges(((number - EDGES) / 3) as u32, ((number - EDGES) % 3) as u32),
        _ => Axis::Unknown,
    }
}

/// Two boxes and what all axes need.
struct BoxPair {
    h: [f64; 3],
    k: [f64; 3],
    /// The axes of B: `b[j][i]` is Rᵢⱼ.
    b: [[f64; 3]; 3],
    /// |R| in the same order.
    abs: [[f64; 3]; 3],
    t: [f64; 3],
    /// Rᵀt, the centre offset along the axes of B.
    tb: [f64; 3],
    /// Of which box of the original pair the faces serve as reference.
    tag: u16,
}

impl BoxPair {
    #[inline]
    fn new(h: DVec3, k: DVec3, frame: &Frame) -> Self {
        let b = frame.rotation.to_cols_array_2d();
        Self {
            h: h.to_array(),
            k: k.to_array(),
            b,
            abs: b.map(|column| column.map(f64::abs)),
            t: frame.translation.to_array(),
            tb: frame.inverse_vector(frame.translation).to_array(),
            tag: FACE_OF_A,
        }
    }

    /// The same boxes seen from B.
    #[inline]
    fn flipped(&self) -> Self {
        let transposed = |m: &[[f64; 3]; 3]| std::array::from_fn(|j| std::array::from_fn(|i| m[i][j]));
        Self {
            h: self.k,
            k: self.h,
            b: transposed(&self.b),
            abs: transposed(&self.abs),
            t: self.tb.map(|x| -x),
            tb: self.t.map(|x| -x),
            tag: FACE_OF_B,
        }
    }

    #[inline(always)]
    fn face_a(&self, i: usize) -> f64 {
        let reach = self.abs[0][i] * self.k[0] + self.abs[1][i] * self.k[1] + self.abs[2][i] * self.k[2];
        self.t[i].abs() - self.h[i] - reach
    }

    #[inline(always)]
    fn face_b(&self, j: usize) -> f64 {
        let reach = self.abs[j][0] * self.h[0] + self.abs[j][1] * self.h[1] + self.abs[j][2] * self.h[2];
        self.tb[j].abs() - self.k[j] - reach
    }

    /// `|L|` times the separation along L = eᵢ × bⱼ, and |L|².
    #[inline(always)]
    fn edges(&self, i: usize, j: usize) -> (f64, f64) {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let (b, abs) = (&self.b[j], &self.abs[j]);
        // (eᵢ × b)ᵢ₁ = −bᵢ₂, (eᵢ × b)ᵢ₂ = bᵢ₁; and L·bⱼ₁ = ∓Rᵢⱼ₂, L·bⱼ₂ = ±Rᵢⱼ₁.
        let offset = (self.t[i2] * b[i1] - self.t[i1] * b[i2]).abs();
        let reach_a = self.h[i1] * abs[i2] + self.h[i2] * abs[i1];
        let reach_b = self.k[j1] * self.abs[j2][i] + self.k[j2] * self.abs[j1][i];
        (offset - reach_a - reach_b, b[i1] * b[i1] + b[i2] * b[i2])
    }

    /// The separation along a remembered axis; minus infinity if there is none.
    #[inline]
    fn separation(&self, axis: AxisNumber) -> f64 {
        match axis {
            0..FACES_B => self.face_a(axis),
            FACES_B..EDGES => self.face_b(axis - FACES_B),
            EDGES..NONE => {
                let (scaled, square) = self.edges((axis - EDGES) / 3, (axis - EDGES) % 3);
                if square > PARALLEL { scaled / square.sqrt() } else { f64::NEG_INFINITY }
            }
            _ => f64::NEG_INFINITY,
        }
    }

    /// The axis of greatest separation, faces and the remembered axis preferred by the slack. Stops after the faces if
    /// one separates by more than `prediction`.
    #[inline]
    fn best_axis(&self, prediction: f64, last: AxisNumber) -> (AxisNumber, f64) {
        let size = |h: &[f64; 3]| h[0].max(h[1]).max(h[2]);
        let slack = Slack::new(size(&self.h).min(size(&self.k)));
        let mut best = (NONE, f64::NEG_INFINITY);
        let mut top = f64::NEG_INFINITY;
        for face in 0..EDGES {
            let (separation, preference) = if face < FACES_B {
                (self.face_a(face), Slack::FACE_A)
            } else {
                (self.face_b(face - FACES_B), Slack::FACE_B)
            };
            let score = slack.score(separation, preference, face == last);
            if score > top {
                (best, top) = ((face, separation), score);
            }
        }
        if best.1 > prediction {
            return best;
        }
        for i in 0..3 {
            for j in 0..3 {
                let (scaled, square) = self.edges(i, j);
                // An edge pair must have scaled/|L| > top to win; tested without the root first.
                if square < PARALLEL || scaled < 0.0 && (top >= 0.0 || scaled * scaled >= top * top * square) {
                    continue;
                }
                let edges = EDGES + 3 * i + j;
                let separation = scaled / square.sqrt();
                let score = slack.score(separation, Slack::EDGES, edges == last);
                if score > top {
                    (best, top) = ((edges, separation), score);
                }
            }
        }
        best
    }

    /// Contact with face axis `i` of the first box as reference, in its frame.
    fn face_contact(&self, i: usize, prediction: f64) -> Option<Manifold> {
        let (u, v) = ((i + 1) % 3, (i + 2) % 3);
        let sign = 1.0_f64.copysign(self.t[i]);
        // Coordinates (u, v, height) such that the height grows out of the face.
        let flat = |x: &[f64; 3]| DVec3::new(x[u], x[v], sign * x[i]);

        // The incident face is the one that faces the reference face most.
        let row = [self.abs[0][i], self.abs[1][i], self.abs[2][i]];
        let m = if row[0] >= row[1] && row[0] >= row[2] { 0 } else { 1 + usize::from(row[2] > row[1]) };
        let (p, q) = ((m + 1) % 3, (m + 2) % 3);
        let facing = -1.0_f64.copysign(sign * self.b[m][i]);
        let to_face = flat(&self.b[m]) * (facing * self.k[m]);
        let center = flat(&self.t) + to_face - DVec3::new(0.0, 0.0, self.h[i]);
        let (along_p, along_q) = (flat(&self.b[p]) * self.k[p], flat(&self.b[q]) * self.k[q]);
        let (plus, minus) = (along_p + along_q, along_p - along_q);
        let incident = [center + plus, center - minus, center - plus, center + minus];

        let square = DVec2::new(self.h[u], self.h[v]);
        let turned = DVec2::new(-square.x, square.y);
        let tag = self.tag | (i as u16) << 1 | u16::from(sign > 0.0);
        let carrier = Carrier::Polytope;
        let patch = clip::<8>(
            Outline {
                corners: &[square, turned, -square, -turned],
                ids: &corner_numbers(i, sign),
                carrier,
                whole: face_number(i, sign),
                inner: None,
            },
            Outline {
                corners: &incident,
                ids: &corner_numbers(m, facing),
                carrier,
                whole: face_number(m, facing),
                inner: None,
            },
            tag,
            prediction,
        );
        if patch.points().is_empty() {
            return None;
        }
        let place = |x: f64, y: f64, z: f64| {
            let mut place = [0.0; 3];
            (place[u], place[v], place[i]) = (x, y, z);
            DVec3::from_array(place)
        };
        let mut manifold = Manifold::new(place(0.0, 0.0, sign));
        for &(at, feature, features) in patch.points() {
            // Half-way between the incident point at height z and the face at height 0.
            let position = place(at.x, at.y, sign * (self.h[i] + 0.5 * at.z));
            manifold.push(ContactPoint { position, depth: -at.z, feature, features });
        }
        Some(manifold)
    }

    /// Contact of an edge along axis `i` of A and one along axis `j` of B.
    fn edge_contact(&self, i: usize, j: usize, prediction: f64) -> Option<Manifold> {
        let b = self.b.map(DVec3::from_array);
        let t = DVec3::from_array(self.t);
        let (da, db) = (DVec3::AXES[i], b[j]);
        let cross = da.cross(db);
        let normal = (cross * 1.0_f64.copysign(cross.dot(t))).normalize_or_zero();
        // The edges are those that reach farthest along the normal; their midpoints have no part along the edge.
        let (mut pa, mut local) = (self.h, self.k);
        let (mut id_a, mut id_b) = (0, 0);
        for axis in 0..3 {
            if normal[axis] > 0.0 {
                id_a |= 1 << axis
            } else {
                pa[axis] = -pa[axis]
            }
            if normal.dot(b[axis]) < 0.0 { id_b |= 1 << axis } else { local[axis] = -local[axis] }
        }
        (pa[i], local[j]) = (0.0, 0.0);
        (id_a, id_b) = (id_a & !(1 << i), id_b & !(1 << j));
        let pa = DVec3::from_array(pa);
        let pb = t + b[0] * local[0] + b[1] * local[1] + b[2] * local[2];

        // The closest points of two lines: pa + x da and pb + y db with the connection perpendicular to both.
        let w = pb - pa;
        let (c, along_a, along_b) = (da.dot(db), da.dot(w), db.dot(w));
        let square = 1.0 - c * c;
        let (x, y) = ((along_a - c * along_b) / square, (c * along_a - along_b) / square);
        let (on_a, on_b) = (pa + da * x, pb + db * y);
        let depth = (on_a - on_b).dot(normal);
        let is_inside = x.abs() <= self.h[i] && y.abs() <= self.k[j];
        let is_contact = depth >= 0.0 || depth >= -prediction && is_inside;
        if !is_contact {
            return None;
        }
        let mut manifold = Manifold::new(normal);
        let feature = edge_pair_id([i as u32, id_a], [j as u32, id_b]);
        let features = [Feature::edge(id_a, id_a | 1 << i), Feature::edge(id_b, id_b | 1 << j)];
        manifold.push(ContactPoint { position: 0.5 * (on_a + on_b), depth, feature, features });
        Some(manifold)
    }
}

/// The numbers of the corners of the face on the positive or negative side of an axis, in the order (+,+), (−,+), (−,−),
/// (+,−) of the two axes that follow it. Bit i of a corner's number says whether coordinate i is positive.
fn corner_numbers(axis: usize, sign: f64) -> [u32; 4] {
    let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    let side = u32::from(sign > 0.0) << axis;
    [side | u | v, side | v, side, side | u]
}

/// The face on the positive or negative side of an axis.
fn face_number(axis: usize, sign: f64) -> Feature {
    Feature::Face(2 * axis as u32 + u32::from(sign < 0.0))
}
