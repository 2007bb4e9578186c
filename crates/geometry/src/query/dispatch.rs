//! The table that gives each pair of shape kinds its kernels.

use super::{ClosestPoints, Manifold, ManifoldOptions, PairCache, Penetration};
use super::{closest, composite, manifold};
use crate::{Shape, Transform};

/// The kernels of one pair of kinds; all take `(a, b, b_in_a)` and answer in the frame of `a`.
#[derive(Clone, Copy)]
pub(super) struct PairKernel {
    pub(super) intersects: fn(&Shape, &Shape, &Transform) -> bool,
    pub(super) distance: fn(&Shape, &Shape, &Transform) -> ClosestPoints,
    pub(super) penetration: fn(&Shape, &Shape, &Transform) -> Option<Penetration>,
    pub(super) manifolds: fn(&Shape, &Shape, &Transform, &ManifoldOptions, &mut PairCache, &mut Vec<Manifold>),
}

/// How many kinds of shape there are.
const KINDS: usize = 13;
/// The first of the kinds that are not convex.
const COMPOSITES: usize = 9;

/// Two convex shapes of any kind.
const CONVEX: PairKernel = PairKernel {
    intersects: closest::convex_intersects,
    distance: closest::convex_distance,
    penetration: closest::convex_penetration,
    manifolds: manifold::convex_manifold,
};

/// A pair of which at least one is a mesh, height field, torus or compound.
const COMPOSITE: PairKernel = PairKernel {
    intersects: composite::intersects,
    distance: composite::distance,
    penetration: composite::penetration,
    manifolds: composite::manifolds,
};

static TABLE: [[PairKernel; KINDS]; KINDS] = table();

const fn table() -> [[PairKernel; KINDS]; KINDS] {
    let mut table = [[CONVEX; KINDS]; KINDS];
    let mut other = 0;
    while other < KINDS {
        let mut composite = COMPOSITES;
        while composite < KINDS {
            table[composite][other] = COMPOSITE;
            table[other][composite] = COMPOSITE;
            composite += 1;
        }
        other += 1;
    }
    table
}

/// The row and column of a shape's kind.
const fn kind(shape: &Shape) -> usize {
    match shape {
        Shape::Sphere(_) => 0,
        Shape::Cuboid(_) => 1,
        Shape::Capsule(_) => 2,
        Shape::Cylinder(_) => 3,
        Shape::Cone(_) => 4,
        Shape::Hull(_) => 5,
        Shape::Custom(_) => 6,
        Shape::HalfSpace(_) => 7,
        Shape::Ellipsoid(_) => 8,
        Shape::Mesh(_) => 9,
        Shape::HeightField(_) => 10,
        Shape::Torus(_) => 11,
        Shape::Compound(_) => 12,
    }
}

/// The kernels for the kinds of `a` and `b`.
pub(super) fn kernel(a: &Shape, b: &Shape) -> &'static PairKernel {
    &TABLE[kind(a)][kind(b)]
}
