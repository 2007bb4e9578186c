//! Names of contact points that last while the same features touch, whichever triangle they are found on.
//!
//! A corner of the other shape is named after that corner alone; a corner of the surface after its vertex; the crossing of two
//! edges after both edges, that of the surface given by its ends; and a point that is no corner and lies on the face of a
//! triangle after what of the shape touches. Together with the number of the patch ([`Surface::patch`]) such a name stays
//! while a shape slides from one triangle to the next.

use super::surface::Surface;
use crate::primitive::TriangleFeature;
use crate::query::{FeatureId, Manifold};

/// What the kernels write into a name: two bits for the kind, of 14 bits of tag the highest tells whose face is the reference,
/// then three numbers of 16 bits.
struct Spelled {
    kind: u64,
    tag: u64,
    numbers: [u64; 3],
}

impl Spelled {
    fn new(FeatureId(bits): FeatureId) -> Self {
        let number = |shift: u32| bits >> shift & 0xFFFF;
        Self { kind: bits >> 62, tag: bits >> 48 & 0x3FFF, numbers: [number(32), number(16), number(0)] }
    }

    fn second_is_reference(&self) -> bool {
        self.tag >> 13 == 1
    }

    /// What makes the point.
    fn maker(&self) -> Maker {
        let [first, next, line] = self.numbers;
        match (self.kind, self.second_is_reference()) {
            (1, false) | (2, true) => Maker::CornerOfSecond(first),
            (1, true) | (2, false) => Maker::CornerOfFirst(first),
            (3, true) => Maker::Crossing { ends_of_first: [first, next], of_second: line },
            (3, false) => Maker::CrossingOfSecond { of_first: line, ends_of_second: [first, next] },
            _ => Maker::Other,
        }
    }
}

enum Maker {
    CornerOfFirst(u64),
    CornerOfSecond(u64),
    /// An edge of the first shape, by its ends, and a side of a face of the second.
    Crossing {
        ends_of_first: [u64; 2],
        of_second: u64,
    },
    /// A side of a face of the first shape, and an edge of the second.
    CrossingOfSecond {
        of_first: u64,
        ends_of_second: [u64; 2],
    },
    Other,
}

/// A triangle of a surface, as names see it.
#[derive(Clone, Copy)]
pub(super) struct Triangles<'a> {
    pub(super) surface: Surface<'a>,
    pub(super) index: u32,
}

impl Triangles<'_> {
    fn vertex(&self, corner: u64) -> u32 {
        self.surface.vertex_number(self.index, (corner % 3) as usize)
    }

    /// Both ends of an edge, the lower first, in either direction the same.
    fn edge(&self, ends: [u64; 2]) -> [u32; 2] {
        let [a, b] = ends.map(|end| self.vertex(end));
        [a.min(b), a.max(b)]
    }
}

/// The name of a point of a triangle (the first shape) and a convex shape; `touched` is what of the triangle is.
pub(super) fn named(feature: FeatureId, triangle: Triangles, touched: TriangleFeature) -> FeatureId {
    let spelled = Spelled::new(feature);
    let [first, second, _] = spelled.numbers;
    match spelled.maker() {
        Maker::CornerOfSecond(corner) => FeatureId(CORNER | corner),
        Maker::CornerOfFirst(corner) => stirred(1, &[triangle.vertex(corner)]),
        Maker::Crossing { ends_of_first, of_second } => {
            let [low, high] = triangle.edge(ends_of_first);
            stirred(2, &[low, high, of_second as u32])
        }
        Maker::CrossingOfSecond { of_first, ends_of_second: [from, to] } => {
            stirred(3, &[triangle.vertex(of_first), from as u32, to as u32])
        }
        // The ends of the common part of two edges: of the triangle's edge, of the shape's.
        Maker::Other if spelled.tag == 4 => stirred(1, &[triangle.vertex(first)]),
        Maker::Other if spelled.tag == 3 => stirred(4, &[first as u32]),
        Maker::Other => match touched {
            TriangleFeature::Face => stirred(5, &[second as u32]),
            TriangleFeature::Edge(edge) => {
                let edge = u64::from(edge);
                let [low, high] = triangle.edge([edge, edge + 1]);
                stirred(6, &[low, high, second as u32])
            }
            TriangleFeature::Vertex(corner) => stirred(1, &[triangle.vertex(u64::from(corner))]),
        },
    }
}

/// The name of a point of two triangles.
pub(super) fn named_pair(feature: FeatureId, a: Triangles, b: Triangles) -> FeatureId {
    match Spelled::new(feature).maker() {
        Maker::CornerOfFirst(corner) => stirred(1, &[a.vertex(corner)]),
        Maker::CornerOfSecond(corner) => stirred(2, &[b.vertex(corner)]),
        Maker::Crossing { ends_of_first, of_second } => {
            let [low, high] = a.edge(ends_of_first);
            stirred(3, &[low, high, b.vertex(of_second)])
        }
        Maker::CrossingOfSecond { of_first, ends_of_second } => {
            let [low, high] = b.edge(ends_of_second);
            stirred(4, &[a.vertex(of_first), low, high])
        }
        Maker::Other => mixed(mixed(feature, a.index), b.index),
    }
}

/// Marks the names of corners of convex shapes.
const CORNER: u64 = 1 << 62;

pub(super) fn is_corner_name(feature: FeatureId) -> bool {
    feature.0 >> 62 == 1
}

fn stirred(kind: u64, numbers: &[u32]) -> FeatureId {
    numbers.iter().fold(FeatureId(kind), |name, &number| mixed(name, number))
}

/// A name for the same feature of another part. The bits are stirred so that names of different parts differ.
pub(super) fn mixed(feature: FeatureId, part: u32) -> FeatureId {
    let mut bits = feature.0 ^ (u64::from(part) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    FeatureId((bits ^ bits >> 31) | 1 << 63)
}

/// Gives points of the same name in manifolds of the same parts names of their own: a corner in a groove touches both walls, an
/// edge may cross a border twice.
pub(super) fn make_unique(manifolds: &mut [Manifold]) {
    for i in 0..manifolds.len() {
        let (before, rest) = manifolds.split_at_mut(i);
        let Some(manifold) = rest.first_mut() else { return };
        let parts = (manifold.part_a, manifold.part_b);
        let same_parts = |other: &&Manifold| (other.part_a, other.part_b) == parts;
        for k in 0..manifold.points().len() {
            let is_taken = |name: FeatureId| {
                let earlier = before.iter().filter(same_parts).flat_map(Manifold::points);
                earlier.chain(&manifold.points()[..k]).any(|point| point.feature == name)
            };
            let mut name = manifold.points()[k].feature;
            while is_taken(name) {
                name = mixed(name, 0);
            }
            manifold.points_mut()[k].feature = name;
        }
    }
}
