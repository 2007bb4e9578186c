//! What a pair with a mesh, a height field or a compound remembers.
//!
//! - The manifolds of a surface, all of them, while the pair has hardly moved (see `manifold::recycle`).
//! - For each triangle near the other shape the axis found last time, for each member of a compound a cache of its own. The list
//!   is kept in the order of the part numbers, so that a part is found again by bisection, and is used over and over.

use super::surface::Surface;
use crate::query::manifold::{Carriage, ConvexCache, Known, Reaches, keep_within};
use crate::query::{Manifold, ManifoldOptions, PairCache};
use crate::{Shape, Transform};

/// The memory of a pair of which at least one shape is made of parts.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::query) struct CompositeCache {
    /// Where the manifolds were found.
    known: Option<Known>,
    manifolds: Vec<Manifold>,
    triangles: Vec<Part<ConvexCache>>,
    pub(super) members: Vec<Part<PairCache>>,
}

impl CompositeCache {
    /// Appends the manifolds of a surface and another shape. They are taken from memory, or `find` is called to append them
    /// with the options it is given and a memory for the triangles.
    pub(super) fn manifolds(
        &mut self,
        shapes: [&Shape; 2],
        pose: &Transform,
        options: &ManifoldOptions,
        manifolds: &mut Vec<Manifold>,
        mut find: impl FnMut(&ManifoldOptions, &mut Roll<ConvexCache>, &mut Vec<Manifold>),
    ) {
        let first = manifolds.len();
        if self.serve(shapes, pose, options, manifolds) {
            return;
        }
        manifolds.truncate(first);
        self.manifolds.clear();
        let mut find = |options: &ManifoldOptions, manifolds: &mut Vec<Manifold>| {
            let mut triangles = Roll::new(&mut self.triangles);
            find(options, &mut triangles, manifolds);
            triangles.finish(|cache| *cache != ConvexCache::default());
        };
        let reaches = Reaches { a: reach(shapes[0]), b: reach(shapes[1]) };
        let wanted = Known::new(reaches, pose, options);
        let is_in_haste = self.known.is_some_and(|known| known.is_far_behind(pose));
        let generous = wanted.filter(|_| !is_in_haste);
        self.known = generous.and_then(|(known, generous)| {
            find(&generous, manifolds);
            self.manifolds.extend_from_slice(&manifolds[first..]);
            trim(manifolds, first, options.prediction).then_some(known)
        });
        if self.known.is_none() {
            // Where points beyond the prediction stand, others might: without them.
            manifolds.truncate(first);
            self.manifolds.clear();
            find(options, manifolds);
            if wanted.is_some() {
                self.manifolds.extend_from_slice(&manifolds[first..]);
                self.known = Some(Known::exactly(reaches, pose, options));
            }
        }
    }

    /// Appends the manifolds from memory; `false` if they are of no use, whatever was appended.
    pub(super) fn serve(
        &self,
        shapes: [&Shape; 2],
        pose: &Transform,
        options: &ManifoldOptions,
        manifolds: &mut Vec<Manifold>,
    ) -> bool {
        let Some(moved) = self.known.as_ref().and_then(|known| known.moved(pose, options)) else { return false };
        let (first, carriage) = (manifolds.len(), Carriage::new(shapes[0], shapes[1]));
        manifolds.extend_from_slice(&self.manifolds);
        manifolds[first..].iter_mut().for_each(|manifold| moved.carry(manifold, carriage));
        trim(manifolds, first, options.prediction)
    }
}

/// Leaves what is within the prediction of the manifolds from `first` on; `false` if points may be missing, or if there were
/// manifolds and none has points.
fn trim(manifolds: &mut Vec<Manifold>, first: usize, prediction: f64) -> bool {
    let nothing = manifolds.len() == first;
    if !manifolds[first..].iter_mut().all(|manifold| keep_within(manifold, prediction)) {
        return false;
    }
    let mut kept = first;
    for i in first..manifolds.len() {
        if !manifolds[i].points().is_empty() {
            manifolds[kept] = manifolds[i];
            kept += 1;
        }
    }
    manifolds.truncate(kept);
    nothing || kept > first
}

/// How far a shape reaches from its origin; for a height field, its surface.
fn reach(shape: &Shape) -> f64 {
    let aabb = Surface::of(shape).map_or_else(|| shape.local_aabb(), Surface::aabb);
    aabb.min.abs().max(aabb.max.abs()).length()
}

/// What is remembered of a part.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Part<T> {
    number: u32,
    cache: T,
    /// Whether it was met in the present call; false between calls.
    #[cfg_attr(feature = "serde", serde(skip))]
    met: bool,
}

/// The list of parts during a call: those met before in ascending order, then those that are new.
pub(super) struct Roll<'a, T> {
    list: &'a mut Vec<Part<T>>,
    known: usize,
}

impl<'a, T: Default> Roll<'a, T> {
    pub(super) fn new(list: &'a mut Vec<Part<T>>) -> Self {
        let known = list.len();
        Self { list, known }
    }

    /// What is remembered of a part. Each is met once.
    pub(super) fn meet(&mut self, number: u32) -> &mut T {
        let at = self.list[..self.known].binary_search_by_key(&number, |part| part.number).unwrap_or_else(|_| {
            self.list.push(Part { number, cache: T::default(), met: true });
            self.list.len() - 1
        });
        let part = &mut self.list[at];
        part.met = true;
        &mut part.cache
    }

    /// Forgets the parts that were not met and those of which nothing is known.
    pub(super) fn finish(self, is_known: impl Fn(&T) -> bool) {
        self.list.retain_mut(|part| std::mem::take(&mut part.met) && is_known(&part.cache));
        self.list.sort_unstable_by_key(|part| part.number);
    }
}
