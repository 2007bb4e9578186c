//! From many contacts of single triangles to few manifolds: contacts whose normals agree to a degree become one, with the
//! four points that hold best.
//!
//! A box on a floor of a thousand small triangles touches dozens; all their contacts have one normal, and the outermost
//! points of all together are the corners of the box.
//!
//! **Names.** A corner of the convex shape that lies on a triangle is named after that corner alone, so that it keeps its name
//! when it slides from one triangle to the next. All other points are named after their triangles too. The part numbers
//! of a manifold are the lowest of the triangles it was made of.

use crate::math::orthonormal_pair;
use crate::query::manifold::select;
use crate::query::{ContactPoint, FeatureId, Manifold};
use glam::DVec3;

/// The cosine of the angle (1.15°) up to which normals agree.
const ALIKE: f64 = 0.9998;
/// Points closer than this share of the cluster's extent are one.
const SAME_PLACE: f64 = 1e-6;

/// Depths that differ by this share of the extent do.
const NOTICEABLE: f64 = 1e-5;

/// A point on its way to a manifold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) point: ContactPoint,
    pub(super) normal: DVec3,
    pub(super) part_a: u32,
    pub(super) part_b: u32,
}

/// All candidates of a pair.
#[derive(Default)]
pub(super) struct Candidates {
    list: Vec<Candidate>,
}

impl Candidates {
    pub(super) fn push(&mut self, candidate: Candidate) {
        self.list.push(candidate);
    }

    /// Adds the points of a manifold of triangle `part_a` (and `part_b`).
    pub(super) fn extend(&mut self, manifold: &Manifold, part_a: u32, part_b: u32) {
        let normal = manifold.normal;
        self.list.extend(manifold.points().iter().map(|&point| Candidate { point, normal, part_a, part_b }));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The different normals of the candidates, those of the deepest first.
    pub(super) fn normals(&mut self) -> Vec<DVec3> {
        self.sort();
        let mut normals: Vec<DVec3> = Vec::new();
        for candidate in &self.list {
            if normals.iter().all(|known| known.dot(candidate.normal) < ALIKE) {
                normals.push(candidate.normal);
            }
        }
        normals
    }

    /// The normal and depth of each candidate.
    pub(super) fn normals_and_depths(&self) -> Vec<(DVec3, f64)> {
        self.list.iter().map(|candidate| (candidate.normal, candidate.point.depth)).collect()
    }

    /// The deepest first; of several as deep, in the order of their triangles and names.
    fn sort(&mut self) {
        self.list.sort_by(|x, y| {
            let key = |c: &Candidate| (c.part_a, c.part_b, c.point.feature);
            y.point.depth.total_cmp(&x.point.depth).then_with(|| key(x).cmp(&key(y)))
        });
    }

    /// Appends the manifolds. Every candidate joins the first normal it agrees with.
    pub(super) fn into_manifolds(mut self, manifolds: &mut Vec<Manifold>) {
        let mut members: Vec<Candidate> = Vec::new();
        for normal in self.normals() {
            members.clear();
            self.list.retain(|candidate| {
                let joins = candidate.normal.dot(normal) >= ALIKE;
                if joins {
                    members.push(*candidate);
                }
                !joins
            });
            manifolds.extend(merged(normal, &mut members));
        }
    }
}

/// One manifold of points with a common normal, the deepest first.
fn merged(normal: DVec3, members: &mut Vec<Candidate>) -> Option<Manifold> {
    let first = *members.first()?;
    let distance = |c: &Candidate| c.point.position.distance_squared(first.point.position);
    let extent = members.iter().map(distance).fold(0.0, f64::max);
    let same = SAME_PLACE * SAME_PLACE * extent;
    let mut kept: Vec<Candidate> = Vec::with_capacity(members.len());
    for member in members.drain(..) {
        let known = |k: &Candidate| {
            k.point.feature == member.point.feature || k.point.position.distance_squared(member.point.position) <= same
        };
        // Many points are thinned by the selection below anyway; so long lists need no pairwise comparison.
        if kept.len() > 64 || !kept.iter().any(known) {
            kept.push(member);
        }
    }
    // Of points that hold equally well the selection prefers the first: corners of the shape, which keep their names.
    kept.sort_by_key(|candidate| !is_corner_name(candidate.point.feature));
    let (x, y) = orthonormal_pair(normal);
    let selection = select(kept.len(), 0.0, |i| {
        let point = kept[i].point;
        DVec3::new(x.dot(point.position), y.dot(point.position), -point.depth)
    });
    let mut manifold = Manifold::new(normal);
    manifold.part_a = kept.iter().fold(u32::MAX, |least, c| least.min(c.part_a));
    manifold.part_b = kept.iter().fold(u32::MAX, |least, c| least.min(c.part_b));
    for &i in selection.indices() {
        manifold.push(kept[i].point);
    }
    include_deepest(&mut manifold, &first.point, extent.sqrt());
    Some(manifold)
}

/// The selection takes points of nearly the same depth for equally deep. Where the deepest was left out and the others are
/// noticeably less deep, it takes the place of the one nearest to it.
fn include_deepest(manifold: &mut Manifold, deepest: &ContactPoint, extent: f64) {
    if manifold.max_depth() >= deepest.depth - NOTICEABLE * extent || manifold.push(*deepest) {
        return;
    }
    let distance = |p: &&mut ContactPoint| p.position.distance_squared(deepest.position);
    if let Some(nearest) = manifold.points_mut().iter_mut().min_by(|p, q| distance(p).total_cmp(&distance(q))) {
        *nearest = *deepest;
    }
}

/// The name of a point of a triangle's contact with a convex shape: see the top of this file.
pub(super) fn named(feature: FeatureId, triangle: u32) -> FeatureId {
    // How the convex kernels build names: two bits for the kind, of 14 bits of tag the highest tells whose face is the
    // reference, then the number of a corner.
    let (kind, second_is_reference) = (feature.0 >> 62, feature.0 >> 61 & 1 == 1);
    let corner_of_shape = (kind == 1 && !second_is_reference) || (kind == 2 && second_is_reference);
    if corner_of_shape { FeatureId(1 << 62 | (feature.0 >> 32 & 0xFFFF)) } else { mixed(feature, triangle) }
}

fn is_corner_name(feature: FeatureId) -> bool {
    feature.0 >> 62 == 1
}

/// A name for the same feature of another part. The bits are stirred so that names of different parts differ.
pub(super) fn mixed(feature: FeatureId, part: u32) -> FeatureId {
    let mut bits = feature.0 ^ (u64::from(part) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    FeatureId((bits ^ bits >> 31) | 1 << 63)
}
