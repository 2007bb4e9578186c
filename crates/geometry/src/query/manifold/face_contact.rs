//! The contact of two polyhedra along a known axis: a face against the face opposite to it, or an edge against an edge.

use super::cache::Axis;
use super::clip::{Outline, Patch, clip};
use super::contour::Carrier;
use super::frame::Frame;
use super::name::{FACE_OF_A, FACE_OF_B, Kind, pack};
use super::polytope::Polytope;
use super::sat::{Best, closest_on_lines};
use crate::math::orthonormal_pair;
use crate::query::{ContactPoint, Feature, Manifold};
use glam::{DVec2, DVec3};

/// Faces with more corners than this are thinned out evenly: such a face is nearly round.
const MAX_CORNERS: usize = 32;

/// The manifold of `a` and `b` for the axis `best`; `None` if no point is within `prediction`.
pub(super) fn contact(a: &Polytope, b: &Polytope, frame: &Frame, best: &Best, prediction: f64) -> Option<Manifold> {
    match best.axis {
        Axis::FaceA(face) => {
            face_contact(a, face as usize, b, frame, prediction, FACE_OF_A).map(|points| points.manifold(best.normal))
        }
        Axis::FaceB(face) => {
            let inverse = frame.inverse();
            let points = face_contact(b, face as usize, a, &inverse, prediction, FACE_OF_B)?;
            let mut manifold = points.manifold(best.normal);
            for point in manifold.points_mut() {
                point.position = frame.point(point.position);
            }
            Some(manifold)
        }
        Axis::Edges(i, j) => edge_contact(a, i as usize, b, j as usize, frame, best, prediction),
        Axis::Unknown | Axis::Direction(_) => None,
    }
}

/// A plane with coordinates: x and y within it, z above it.
struct Sheet {
    origin: DVec3,
    x: DVec3,
    y: DVec3,
    z: DVec3,
    patch: Patch,
}

impl Sheet {
    fn flat(&self, point: DVec3) -> DVec3 {
        let p = point - self.origin;
        DVec3::new(self.x.dot(p), self.y.dot(p), self.z.dot(p))
    }

    /// The points, half-way between their height and the plane.
    fn manifold(&self, normal: DVec3) -> Manifold {
        let mut manifold = Manifold::new(normal);
        for &(at, feature, features) in self.patch.points() {
            let position = self.origin + self.x * at.x + self.y * at.y + self.z * (0.5 * at.z);
            manifold.push(ContactPoint { position, depth: -at.z, feature, features });
        }
        manifold
    }
}

/// Clips the face of `other` that looks most against face `face` of `reference`, in the frame of `reference`.
fn face_contact(
    reference: &Polytope,
    face: usize,
    other: &Polytope,
    other_in_reference: &Frame,
    prediction: f64,
    tag: u16,
) -> Option<Sheet> {
    let z = reference.planes[face].normal;
    let (x, y) = orthonormal_pair(z);
    let base = reference.face(face);
    let origin = reference.vertices[base[0] as usize];
    let mut sheet = Sheet { origin, x, y, z, patch: Patch::default() };
    let opposite_face = other.facing(other_in_reference.inverse_vector(-z));
    let opposite = other.face(opposite_face);

    let mut square = [DVec2::ZERO; MAX_CORNERS];
    let mut square_ids = [0; MAX_CORNERS];
    let sides = thinned(base, &mut square_ids, |i, v| {
        square[i] = sheet.flat(reference.vertices[v as usize]).truncate();
    });
    let mut incident = [DVec3::ZERO; MAX_CORNERS];
    let mut incident_ids = [0; MAX_CORNERS];
    let corners = thinned(opposite, &mut incident_ids, |i, v| {
        incident[i] = sheet.flat(other_in_reference.point(other.vertices[v as usize]));
    });

    let carrier = Carrier::Polytope;
    let square = Outline {
        corners: &square[..sides],
        ids: &square_ids[..sides],
        carrier,
        whole: Feature::Face(face as u32),
        inner: None,
    };
    let incident = Outline {
        corners: &incident[..corners],
        ids: &incident_ids[..corners],
        carrier,
        whole: Feature::Face(opposite_face as u32),
        inner: None,
    };
    let tag = tag | (face as u16 & 0x1FFF);
    sheet.patch = match sides + corners {
        0..=8 => clip::<8>(square, incident, tag, prediction),
        9..=16 => clip::<16>(square, incident, tag, prediction),
        _ => clip::<{ 2 * MAX_CORNERS }>(square, incident, tag, prediction),
    };
    (!sheet.patch.points().is_empty()).then_some(sheet)
}

/// Visits the corners of a loop, or evenly spaced ones if there are too many; returns how many.
fn thinned(corners: &[u32], ids: &mut [u32; MAX_CORNERS], mut visit: impl FnMut(usize, u32)) -> usize {
    let count = corners.len().min(MAX_CORNERS);
    for (i, id) in ids[..count].iter_mut().enumerate() {
        let corner = corners[i * corners.len() / count];
        *id = corner;
        visit(i, corner);
    }
    count
}

/// The closest points of two edges.
fn edge_contact(
    a: &Polytope,
    i: usize,
    b: &Polytope,
    j: usize,
    frame: &Frame,
    best: &Best,
    prediction: f64,
) -> Option<Manifold> {
    let [pa, qa] = a.edges[i].vertices.map(|v| a.vertices[v as usize]);
    let [pb, qb] = b.edges[j].vertices.map(|v| frame.point(b.vertices[v as usize]));
    let (da, db) = (qa - pa, qb - pb);
    let (x, y) = closest_on_lines(pa, da, pb, db);
    let (on_a, on_b) = (pa + da * x, pb + db * y);
    let depth = (on_a - on_b).dot(best.normal);
    // Overlapping edges cross; edges apart may be nearest at a corner, which is not for here.
    let is_inside = (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
    let is_contact = depth >= 0.0 || depth >= -prediction && is_inside;
    if !is_contact {
        return None;
    }
    let mut manifold = Manifold::new(best.normal);
    let feature = pack(Kind::EdgePair, 1, [i as u32, j as u32, 0]);
    let features = [a.edges[i].vertices, b.edges[j].vertices].map(|[v, w]| Feature::edge(v, w));
    manifold.push(ContactPoint { position: 0.5 * (on_a + on_b), depth, feature, features });
    Some(manifold)
}
