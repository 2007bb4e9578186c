//! What a pair with a mesh, a height field or a compound remembers.
//!
//! - The manifolds of a surface, all of them, while the pair has hardly moved (see `manifold::recycle`).
//! - For each triangle near the other shape the axis found last time, for each member of a compound a cache of its own. The list
//!   is kept in the order of the part numbers, so that a part is found again by bisection, and is used over and over.

use super::surface::Surface;
use crate::query::manifold::{ConvexCache, Known, Reaches, within};
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
        if self.serve(pose, options, manifolds) {
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
        let generous = Known::new(reaches, pose, options);
        self.known = generous.and_then(|(known, generous)| {
            find(&generous, manifolds);
            self.manifolds.extend(manifolds.drain(first..));
            let complete = append(self.manifolds.iter().map(|found| within(found, options.prediction)), manifolds);
            complete.then_some(known)
        });
        if self.known.is_none() {
            // Where points beyond the prediction stand, others might: without them.
            manifolds.truncate(first);
            self.manifolds.clear();
            find(options, manifolds);
            if generous.is_some() {
                self.manifolds.extend_from_slice(&manifolds[first..]);
                self.known = Some(Known::exactly(reaches, pose, options));
            }
        }
    }

    /// Appends the manifolds from memory; `false` if they are of no use, whatever was appended.
    fn serve(&self, pose: &Transform, options: &ManifoldOptions, manifolds: &mut Vec<Manifold>) -> bool {
        let moved = self.known.and_then(|known| known.moved(pose, options));
        moved.is_some_and(|moved| append(self.manifolds.iter().map(|known| moved.carry(known)), manifolds))
    }
}

/// Appends manifolds that have points; `false` as soon as one is missing, or if there were some and none has points.
fn append(found: impl ExactSizeIterator<Item = Option<Manifold>>, manifolds: &mut Vec<Manifold>) -> bool {
    let (first, nothing) = (manifolds.len(), found.len() == 0);
    for manifold in found {
        let Some(manifold) = manifold else { return false };
        if !manifold.points().is_empty() {
            manifolds.push(manifold);
        }
    }
    nothing || manifolds.len() > first
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
