//! Box against box: separating axes, then the incident face clipped by the reference face.
//!
//! With R = (b₀ b₁ b₂) the axes of B in the frame of A, t its centre and h, k the half extents, the separation is
//! - along face axis i of A: `|tᵢ| − hᵢ − Σⱼ |Rᵢⱼ| kⱼ`,
//! - along face axis j of B: `|t·bⱼ| − kⱼ − Σᵢ |Rᵢⱼ| hᵢ`,
//! - along `L = eᵢ × bⱼ` of two edges: `(|t·L| − Σ hₘ|Lₘ| − Σ kₘ|L·bₘ|) / |L|` with `|L|² = 1 − Rᵢⱼ²`.
//!
//! The largest of the 15 is the signed distance as long as the boxes overlap (Gottschalk et al. 1996).

use super::cache::{Axis, ConvexCache, Slack};
use super::clip::{Outline, clip};
use super::frame::Frame;
use super::general::closest;
use super::name::{FACE_OF_A, FACE_OF_B, edge_pair_id};
use crate::Transform;
use crate::query::{ContactPoint, Manifold};
use crate::shape::Cuboid;
use glam::{DMat3, DVec2, DVec3};

/// Edges whose directions differ by less (sine squared) span no axis of their own; the faces beside them serve.
const PARALLEL: f64 = 1e-10;

pub(super) fn box_box(
    a: &Cuboid,
    b: &Cuboid,
    b_in_a: &Transform,
    frame: &Frame,
    prediction: f64,
    cache: &mut ConvexCache,
) -> Option<Manifold> {
    let pair = BoxPair::new(a.half_extents(), b.half_extents(), frame);
    if pair.separation(cache.axis) > prediction {
        return None;
    }
    let (axis, separation) = pair.best_axis(prediction, cache.axis);
    cache.axis = axis;
    if separation > prediction {
        return None;
    }
    let manifold = match axis {
        Axis::FaceA(i) => pair.face_contact(i as usize, prediction),
        Axis::FaceB(j) => pair.flipped().face_contact(j as usize, prediction).map(|m| into_first_frame(&m, frame)),
        Axis::Edges(i, j) => pair.edge_contact(i as usize, j as usize, prediction),
        Axis::Unknown | Axis::Direction(_) => None,
    };
    // Apart and nearest at corners, no face or edge lies opposite another; the closest points remain.
    manifold.or_else(|| closest(a, b, b_in_a, prediction))
}

/// Two boxes and what all axes need.
struct BoxPair {
    h: DVec3,
    k: DVec3,
    r: DMat3,
    /// |R|, element by element.
    abs: DMat3,
    t: DVec3,
    /// Rᵀt, the centre offset along the axes of B.
    tb: DVec3,
    /// Whether the reference box of a face contact is the second of the original pair.
    tag: u16,
}

impl BoxPair {
    #[inline]
    fn new(h: DVec3, k: DVec3, frame: &Frame) -> Self {
        let r = frame.rotation;
        let abs = DMat3::from_cols(r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs());
        Self { h, k, r, abs, t: frame.translation, tb: frame.inverse_vector(frame.translation), tag: FACE_OF_A }
    }

    /// The same boxes seen from B.
    #[inline]
    fn flipped(&self) -> Self {
        Self {
            h: self.k,
            k: self.h,
            r: self.r.transpose(),
            abs: self.abs.transpose(),
            t: -self.tb,
            tb: -self.t,
            tag: FACE_OF_B,
        }
    }

    #[inline]
    fn faces_a(&self) -> DVec3 {
        self.t.abs() - self.h - self.abs * self.k
    }

    #[inline]
    fn faces_b(&self) -> DVec3 {
        let reach = DVec3::new(self.abs.x_axis.dot(self.h), self.abs.y_axis.dot(self.h), self.abs.z_axis.dot(self.h));
        self.tb.abs() - self.k - reach
    }

    /// `|L|` times the separation along L = eᵢ × bⱼ, and |L|².
    #[inline]
    fn edges(&self, i: usize, j: usize) -> (f64, f64) {
        let (i1, i2) = (NEXT[i], NEXT[i + 1]);
        let (j1, j2) = (NEXT[j], NEXT[j + 1]);
        let (b, abs) = (self.r.col(j), self.abs.col(j));
        // (eᵢ × b)ᵢ₁ = −bᵢ₂, (eᵢ × b)ᵢ₂ = bᵢ₁; and L·bⱼ₁ = ∓Rᵢⱼ₂, L·bⱼ₂ = ±Rᵢⱼ₁.
        let offset = (self.t[i2] * b[i1] - self.t[i1] * b[i2]).abs();
        let reach_a = self.h[i1] * abs[i2] + self.h[i2] * abs[i1];
        let reach_b = self.k[j1] * self.abs.col(j2)[i] + self.k[j2] * self.abs.col(j1)[i];
        (offset - reach_a - reach_b, b[i1] * b[i1] + b[i2] * b[i2])
    }

    /// The separation along a remembered axis; minus infinity if there is none.
    #[inline]
    fn separation(&self, axis: Axis) -> f64 {
        match axis {
            Axis::FaceA(i @ 0..3) => self.faces_a()[i as usize],
            Axis::FaceB(j @ 0..3) => self.faces_b()[j as usize],
            Axis::Edges(i @ 0..3, j @ 0..3) => {
                let (scaled, square) = self.edges(i as usize, j as usize);
                if square > PARALLEL { scaled / square.sqrt() } else { f64::NEG_INFINITY }
            }
            _ => f64::NEG_INFINITY,
        }
    }

    /// The axis of greatest separation, faces and the remembered axis preferred by the slack. Stops at the first that
    /// separates by more than `prediction`.
    fn best_axis(&self, prediction: f64, last: Axis) -> (Axis, f64) {
        let slack = Slack::new(self.h.max_element().min(self.k.max_element()));
        let mut best = (Axis::Unknown, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (faces, name) in [(self.faces_a(), Axis::FaceA as fn(u32) -> Axis), (self.faces_b(), Axis::FaceB)] {
            for i in 0..3 {
                let axis = name(i as u32);
                let score = slack.score(axis, faces[i], last);
                if score > best.2 {
                    best = (axis, faces[i], score);
                }
            }
            if best.1 > prediction {
                return (best.0, best.1);
            }
        }
        for i in 0..3 {
            for j in 0..3 {
                let (scaled, square) = self.edges(i, j);
                // An edge pair beats the best by separation = scaled/|L| > limit, tested without the root first.
                let limit = best.2;
                if square < PARALLEL || scaled < 0.0 && (limit >= 0.0 || scaled * scaled >= limit * limit * square) {
                    continue;
                }
                let axis = Axis::Edges(i as u32, j as u32);
                let separation = scaled / square.sqrt();
                let score = slack.score(axis, separation, last);
                if score > best.2 {
                    best = (axis, separation, score);
                    if separation > prediction {
                        return (axis, separation);
                    }
                }
            }
        }
        (best.0, best.1)
    }

    /// Contact with face axis `i` of the first box as reference, in its frame.
    fn face_contact(&self, i: usize, prediction: f64) -> Option<Manifold> {
        let (u, v) = (NEXT[i], NEXT[i + 1]);
        let sign = 1.0_f64.copysign(self.t[i]);
        // Coordinates (u, v, height) such that the height grows out of the face; u × v points along axis i.
        let flat = |x: DVec3| DVec3::new(x[u], x[v], sign * x[i]);

        let (hu, hv) = (self.h[u], self.h[v]);
        let square = [DVec2::new(hu, hv), DVec2::new(-hu, hv), DVec2::new(-hu, -hv), DVec2::new(hu, -hv)];
        let bit = |positive: bool, axis: usize| u16::from(positive) << axis;
        let side = bit(sign > 0.0, i);
        let square_ids = [side | bit(true, u) | bit(true, v), side | bit(true, v), side, side | bit(true, u)];

        // The incident face is the one that faces the reference face most.
        let row = DVec3::new(self.abs.x_axis[i], self.abs.y_axis[i], self.abs.z_axis[i]);
        let m = if row.x >= row.y && row.x >= row.z {
            0
        } else if row.y >= row.z {
            1
        } else {
            2
        };
        let (p, q) = (NEXT[m], NEXT[m + 1]);
        let facing = -1.0_f64.copysign(sign * self.r.col(m)[i]);
        let center = flat(self.t + self.r.col(m) * (facing * self.k[m])) - DVec3::Z * self.h[i];
        let (along_p, along_q) = (flat(self.r.col(p)) * self.k[p], flat(self.r.col(q)) * self.k[q]);
        let incident = [
            center + along_p + along_q,
            center - along_p + along_q,
            center - along_p - along_q,
            center + along_p - along_q,
        ];
        let side = bit(facing > 0.0, m);
        let incident_ids = [side | bit(true, p) | bit(true, q), side | bit(true, q), side, side | bit(true, p)];

        let tag = self.tag | (i as u16) << 1 | u16::from(sign > 0.0);
        let patch = clip::<8>(
            Outline { corners: &square, ids: &square_ids },
            Outline { corners: &incident, ids: &incident_ids },
            tag,
            prediction,
        );
        if patch.points().is_empty() {
            return None;
        }
        let mut normal = DVec3::ZERO;
        normal[i] = sign;
        let mut manifold = Manifold::new(normal);
        for &(at, feature) in patch.points() {
            // Half-way between the incident point at height z and the face at height 0.
            let mut position = DVec3::ZERO;
            position[u] = at.x;
            position[v] = at.y;
            position[i] = sign * (self.h[i] + 0.5 * at.z);
            manifold.push(ContactPoint { position, depth: -at.z, feature });
        }
        Some(manifold)
    }

    /// Contact of an edge along axis `i` of A and one along axis `j` of B.
    fn edge_contact(&self, i: usize, j: usize, prediction: f64) -> Option<Manifold> {
        let (da, db) = (DVec3::AXES[i], self.r.col(j));
        let cross = da.cross(db);
        let normal = (cross * 1.0_f64.copysign(cross.dot(self.t))).normalize_or_zero();
        // The edges are those that reach farthest along the normal: their midpoints have no part along the edge.
        let (mut pa, mut local) = (self.h, self.k);
        let (mut id_a, mut id_b) = (0, 0);
        for axis in 0..3 {
            if axis != i && normal[axis] > 0.0 {
                id_a |= 1 << axis
            } else {
                pa[axis] = -pa[axis]
            }
            if axis != j && normal.dot(self.r.col(axis)) < 0.0 { id_b |= 1 << axis } else { local[axis] = -local[axis] }
        }
        (pa[i], local[j]) = (0.0, 0.0);
        let pb = self.t + self.r * local;

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
        let feature = edge_pair_id([i as u16, id_a], [j as u16, id_b]);
        manifold.push(ContactPoint { position: 0.5 * (on_a + on_b), depth, feature });
        Some(manifold)
    }
}

/// The axes after axis i, cyclically: NEXT[i] and NEXT[i + 1].
const NEXT: [usize; 4] = [1, 2, 0, 1];

/// A manifold computed in the frame of B with B first, as one in the frame of A with A first.
fn into_first_frame(manifold: &Manifold, frame: &Frame) -> Manifold {
    let mut turned = *manifold;
    turned.normal = frame.vector(-manifold.normal);
    for point in turned.points_mut() {
        point.position = frame.point(point.position);
    }
    turned
}
