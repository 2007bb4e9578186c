//! From many contacts of single triangles to few manifolds: contacts whose normals agree to a degree become one, with the
//! four points that hold best.
//!
//! A box on a floor of a thousand small triangles touches dozens; all their contacts have one normal, and the outermost
//! points of all together are the corners of the box.
//!
//! The part numbers of a manifold are the lowest of the patches ([`Surface::patch`](super::surface::Surface::patch)) it was
//! made of; for the names of its points see [`name`](super::name).

use super::name::{is_corner_name, make_unique};
use crate::math::orthonormal_pair;
use crate::query::manifold::select;
use crate::query::{ContactPoint, Feature, Manifold};
use glam::{DVec2, DVec3};

/// The cosine of the angle (1.15°) up to which normals agree.
const ALIKE: f64 = 0.9998;
/// Points closer than this share of the cluster's extent are one.
const SAME_PLACE: f64 = 1e-6;
/// So are points closer than this share of their coordinates.
const ROUNDING: f64 = 1e-12;

/// Points that are no corners of the shape count as nearer to the middle of all points than they are by this factor. It
/// outweighs the tilt of the selection.
const HANDICAP: f64 = 0.96;

/// A longer list of points is not searched for points that are one.
const MANY: usize = 64;

/// Depths that differ by this share of the extent do.
const NOTICEABLE: f64 = 1e-5;

/// A point on its way to a manifold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) point: ContactPoint,
    pub(super) normal: DVec3,
    /// The patches it lies on.
    pub(super) part_a: u32,
    pub(super) part_b: u32,
}

/// All candidates of a pair, and room to sort them.
#[derive(Default)]
pub(super) struct Candidates {
    list: Vec<Candidate>,
    normals: Vec<DVec3>,
    members: Vec<Candidate>,
    kept: Vec<Candidate>,
}

impl Candidates {
    pub(super) fn push(&mut self, candidate: Candidate) {
        self.list.push(candidate);
    }

    /// Adds the points of a manifold of patch `part_a` (and `part_b`).
    pub(super) fn extend(&mut self, manifold: &Manifold, part_a: u32, part_b: u32) {
        let normal = manifold.normal;
        self.list.extend(manifold.points().iter().map(|&point| Candidate { point, normal, part_a, part_b }));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The different normals of the candidates, those of the deepest first.
    pub(super) fn normals(&mut self) -> &[DVec3] {
        // The deepest first; of several as deep, in the order of their patches, names and features.
        self.list.sort_unstable_by(|x, y| {
            let key = |c: &Candidate| (c.part_a, c.part_b, c.point.feature, c.point.features);
            y.point.depth.total_cmp(&x.point.depth).then_with(|| key(x).cmp(&key(y)))
        });
        self.normals.clear();
        for candidate in &self.list {
            if self.normals.iter().all(|known| known.dot(candidate.normal) < ALIKE) {
                self.normals.push(candidate.normal);
            }
        }
        &self.normals
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether no candidate with nearly this normal is as deep.
    pub(super) fn lacks(&self, normal: DVec3, depth: f64) -> bool {
        self.lack_among(self.list.len(), normal, depth)
    }

    /// The same among the first of them.
    pub(super) fn lack_among(&self, count: usize, normal: DVec3, depth: f64) -> bool {
        self.list[..count].iter().all(|c| c.normal.dot(normal) < 0.9 || c.point.depth < depth)
    }

    /// Appends the manifolds; no candidate is left. Every candidate joins the first normal it agrees with.
    pub(super) fn merge_into(&mut self, manifolds: &mut Vec<Manifold>) {
        let first = manifolds.len();
        self.normals();
        for i in 0..self.normals.len() {
            let normal = self.normals[i];
            self.members.clear();
            self.list.retain(|candidate| {
                let joins = candidate.normal.dot(normal) >= ALIKE;
                if joins {
                    self.members.push(*candidate);
                }
                !joins
            });
            manifolds.extend(self.merged(normal));
        }
        self.list.clear();
        make_unique(&mut manifolds[first..]);
    }

    /// One manifold of the members, which have a common normal and stand the deepest first.
    fn merged(&mut self, normal: DVec3) -> Option<Manifold> {
        let Self { members, kept, .. } = self;
        let first = *members.first()?;
        let distance = |c: &Candidate| c.point.position.distance_squared(first.point.position);
        let extent = members.iter().map(distance).fold(0.0, f64::max);
        let rounding = ROUNDING * ROUNDING * first.point.position.length_squared();
        let same = rounding.max(SAME_PLACE * SAME_PLACE * extent);
        kept.clear();
        // Corners of the shape first: they keep their names while the shape slides, and are preferred to points that hold about as
        // well.
        let mut corner_count = 0;
        for corners in [true, false] {
            for member in members.iter().filter(|member| is_corner_name(member.point.feature) == corners) {
                let is_known = |k: &Candidate| {
                    let same_corner = corners && k.point.feature == member.point.feature;
                    same_corner || k.point.position.distance_squared(member.point.position) <= same
                };
                // Many points are thinned by the selection below anyway: so in a long list it is enough that no point stands
                // in the place of a corner.
                let compared = if kept.len() > MANY { corner_count.min(MANY) } else { kept.len() };
                if !kept[..compared].iter().any(is_known) {
                    kept.push(*member);
                    corner_count += usize::from(corners);
                }
            }
        }
        let (x, y) = orthonormal_pair(normal);
        let flat = |c: &Candidate| DVec2::new(x.dot(c.point.position), y.dot(c.point.position));
        let nothing = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let (min, max) = kept.iter().fold(nothing, |(min, max), c| (min.min(flat(c)), max.max(flat(c))));
        let middle = 0.5 * (min + max);
        let mut selection = select(kept.len(), 0.0, |i| {
            let at = flat(&kept[i]);
            let at = if i < corner_count { at } else { middle + (at - middle) * HANDICAP };
            at.extend(-kept[i].point.depth)
        });
        // The apex of a blunt cone lies within its rim and yet bears it.
        let is_apex = |c: &Candidate| c.point.features.contains(&Feature::Apex);
        if let Some(apex) = kept.iter().position(is_apex) {
            selection.include(apex, |i| -kept[i].point.depth);
        }
        let mut manifold = Manifold::new(normal);
        manifold.part_a = kept.iter().fold(u32::MAX, |least, c| least.min(c.part_a));
        manifold.part_b = kept.iter().fold(u32::MAX, |least, c| least.min(c.part_b));
        for &i in selection.indices() {
            manifold.push(kept[i].point);
        }
        include_deepest(&mut manifold, &first.point, NOTICEABLE * extent.sqrt() + rounding.sqrt());
        Some(manifold)
    }
}

/// The selection takes points of nearly the same depth for equally deep. Where the deepest was left out and the others are
/// noticeably less deep, it takes the place of the one nearest to it.
fn include_deepest(manifold: &mut Manifold, deepest: &ContactPoint, noticeable: f64) {
    if manifold.max_depth() >= deepest.depth - noticeable || manifold.push(*deepest) {
        return;
    }
    let distance = |p: &&mut ContactPoint| p.position.distance_squared(deepest.position);
    if let Some(nearest) = manifold.points_mut().iter_mut().min_by(|p, q| distance(p).total_cmp(&distance(q))) {
        *nearest = *deepest;
    }
}
