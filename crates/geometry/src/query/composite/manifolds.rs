//! Contact manifolds of pairs with a mesh, a height field or a compound: which case is which.

use super::cache::{CompositeCache, Roll};
use super::name::mixed;
use super::surface::{Surface, whole_box};
use super::{contact, half_space, surface_pair};
use crate::query::closest::is_usable;
use crate::query::dispatch;
use crate::query::{Manifold, ManifoldOptions, PairCache};
use crate::shape::Compound;
use crate::{Shape, Transform};

pub(in crate::query) fn manifolds(
    a: &Shape,
    b: &Shape,
    b_in_a: &Transform,
    options: &ManifoldOptions,
    cache: &mut PairCache,
    manifolds: &mut Vec<Manifold>,
) {
    if !is_usable(b_in_a) || !options.prediction.is_finite() {
        return;
    }
    append(a, b, b_in_a, options, cache.of_parts(), manifolds);
}

/// Appends the manifolds that are known, carried along, if the pair has hardly moved; `false` if they have to be found.
pub(in crate::query) fn recycle(
    [a, b]: [&Shape; 2],
    b_in_a: &Transform,
    options: &ManifoldOptions,
    cache: &CompositeCache,
    manifolds: &mut Vec<Manifold>,
) -> bool {
    if [a, b].iter().any(|shape| shape.as_compound().is_some()) || !is_usable(b_in_a) {
        return false;
    }
    let first = manifolds.len();
    let is_known = match (a, Surface::of(a), Surface::of(b)) {
        (Shape::HalfSpace(_), ..) | (_, Some(_), Some(_)) => cache.serve([a, b], b_in_a, options, manifolds),
        (_, Some(_), None) if !matches!(b, Shape::HalfSpace(_)) => cache.serve([a, b], b_in_a, options, manifolds),
        // Seen from the other side.
        _ => {
            let a_in_b = b_in_a.inverse();
            let is_known = cache.serve([b, a], &a_in_b, options, manifolds);
            manifolds[first..].iter_mut().for_each(|manifold| *manifold = manifold.flipped(&a_in_b));
            is_known
        }
    };
    if !is_known {
        manifolds.truncate(first);
    }
    is_known
}

fn append(
    a: &Shape,
    b: &Shape,
    b_in_a: &Transform,
    options: &ManifoldOptions,
    cache: &mut CompositeCache,
    manifolds: &mut Vec<Manifold>,
) {
    if let Some(compound) = a.as_compound() {
        return parts(compound, b, b_in_a, options, cache, manifolds);
    }
    match (a, b, Surface::of(a), Surface::of(b)) {
        (Shape::HalfSpace(ground), _, _, Some(surface)) => {
            cache.manifolds([a, b], b_in_a, options, manifolds, |options, _, manifolds| {
                half_space::manifold(ground, surface, b_in_a, options.prediction, manifolds);
            });
        }
        (_, _, Some(surface_a), Some(surface_b)) => {
            cache.manifolds([a, b], b_in_a, options, manifolds, |options, _, manifolds| {
                let first = manifolds.len();
                surface_pair::manifolds(surface_a, surface_b, b_in_a, options, manifolds);
                if manifolds.len() == first {
                    manifolds.extend(contact::shortest_way_out(a, b, b_in_a));
                }
            });
        }
        (_, _, Some(_), None) if b.as_compound().is_none() && !matches!(b, Shape::HalfSpace(_)) => {
            cache.manifolds([a, b], b_in_a, options, manifolds, |options, triangles, manifolds| {
                contact::manifolds(a, b, b_in_a, options, triangles, manifolds);
            });
        }
        // Seen from the other side.
        _ => {
            let a_in_b = b_in_a.inverse();
            let first = manifolds.len();
            append(b, a, &a_in_b, options, cache, manifolds);
            for manifold in &mut manifolds[first..] {
                *manifold = manifold.flipped(&a_in_b);
            }
        }
    }
}

/// The parts of a compound near the other shape, one after the other.
fn parts(
    compound: &Compound,
    b: &Shape,
    b_in_a: &Transform,
    options: &ManifoldOptions,
    cache: &mut CompositeCache,
    manifolds: &mut Vec<Manifold>,
) {
    let region = whole_box(b, b_in_a).expanded(options.prediction.max(0.0));
    let mut members = Roll::new(&mut cache.members);
    compound.bvh().overlapping(&region, &mut |number| {
        let (pose, part) = &compound.parts()[number as usize];
        let first = manifolds.len();
        let b_in_part = pose.to_local(b_in_a);
        let kernel = dispatch::kernel(part, b).manifolds;
        kernel(part, b, &b_in_part, options, members.meet(number), manifolds);
        for manifold in &mut manifolds[first..] {
            // The number of a patch gives way to that of the part, and goes into the names.
            let patch = Surface::of(part).map(|_| manifold.part_a);
            manifold.normal = pose.vector(manifold.normal);
            manifold.part_a = number;
            for point in manifold.points_mut() {
                point.position = pose.point(point.position);
                if let Some(patch) = patch {
                    point.feature = mixed(point.feature, patch);
                }
            }
        }
        true
    });
    members.finish(|cache| *cache != PairCache::default());
}
