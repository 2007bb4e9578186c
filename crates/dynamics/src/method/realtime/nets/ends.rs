//! The bodies that eight joints hold: where they are in the rows of heaps, and what resists in them.

use super::super::lanes::{LANES, Lanes, Symmetric, Vector, Wide, all, gather, larger, load, scatter};
use super::super::wide::BodyRows;
use super::ABSENT;
use crate::workers::Rows;
use fearless_simd::{Simd, prelude::*};
use glam::DVec3;

/// The bodies of eight joints.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Ends {
    /// Which joints.
    pub(super) joints: [u32; LANES],
    /// The rows of the bodies, and which of them are moved, one bit for each lane.
    bodies: [[u32; LANES]; 2],
    moved: [u8; 2],
    /// 1/m, and the entries xx, xy, xz, yy, yz, zz of the inverse inertia.
    mobility: [[Lanes; 7]; 2],
}

impl Ends {
    pub(super) const NONE: Self =
        Self { joints: [ABSENT; LANES], bodies: [[0; LANES]; 2], moved: [0; 2], mobility: [[[0.0; LANES]; 7]; 2] };

    /// Puts a joint between the bodies of two rows into a lane.
    pub(super) fn fill(&mut self, lane: usize, joint: u32, places: [u32; 2], rows: &BodyRows) {
        self.joints[lane] = joint;
        for (side, place) in places.into_iter().enumerate() {
            self.bodies[side][lane] = place;
            self.moved[side] |= u8::from(rows.is_moved(place)) << lane;
            for (lanes, part) in self.mobility[side].iter_mut().zip(rows.mobility(place)) {
                lanes[lane] = *part;
            }
        }
    }

    /// The lanes that are taken, each with its joint.
    pub(super) fn taken(&self) -> impl Iterator<Item = (usize, u32)> + use<> {
        self.joints.into_iter().enumerate().filter(|&(_, joint)| joint != ABSENT)
    }

    /// How far the bodies have gone, and the quaternions by which they have turned.
    #[inline(always)]
    pub(super) fn offsets<S: Simd>(&self, simd: S, offsets: &Rows<'_, Lanes>) -> [Offset<S>; 2] {
        let [first, second] = &self.bodies;
        [Offset::new(simd, gather(simd, offsets, first)), Offset::new(simd, gather(simd, offsets, second))]
    }
}

/// How far eight bodies have gone since contacts were found.
#[derive(Clone, Copy)]
pub(super) struct Offset<S: Simd> {
    pub(super) shift: Vector<S>,
    /// As a rotation vector, and as a quaternion: its imaginary part and its real one.
    pub(super) turn: Vector<S>,
    pub(super) v: Vector<S>,
    pub(super) w: Wide<S>,
}

impl<S: Simd> Offset<S> {
    /// With x = |θ|/2 the quaternion is (θ/2 · sin x/x, cos x), by their power series.
    #[inline(always)]
    fn new(simd: S, [shift, turn]: [Vector<S>; 2]) -> Self {
        let one = all(simd, 1.0);
        let square = turn.dot(turn) * all(simd, 0.25);
        let sine = one - square * all(simd, 1.0 / 6.0) * (one - square * all(simd, 0.05));
        let fourth = one - square * all(simd, 1.0 / 12.0) * (one - square * all(simd, 1.0 / 30.0));
        let cosine = one - square * all(simd, 0.5) * fourth;
        // What turns so fast that the series are no good is at least turned, and not stretched.
        let half = sine * all(simd, 0.5);
        let length = (square * sine * sine + cosine * cosine).sqrt();
        let scale = one / larger(length, all(simd, f32::MIN_POSITIVE));
        Self { shift, turn, v: turn.times(half * scale), w: cosine * scale }
    }

    /// By how much a vector that is fixed to the body has turned: `2 (w v × r + v × (v × r))`.
    #[inline(always)]
    pub(super) fn turned(&self, simd: S, r: Vector<S>) -> Vector<S> {
        let across = self.v.cross(r);
        across.times(self.w).plus(self.v.cross(across)).times(all(simd, 2.0))
    }
}

/// Eight pairs of bodies in registers.
pub(super) struct Pair<S: Simd> {
    /// Velocity and angular velocity of each.
    pub(super) motions: [[Vector<S>; 2]; 2],
    mass: [Wide<S>; 2],
    pub(super) inertia: [Symmetric<S>; 2],
}

impl<S: Simd> Pair<S> {
    #[inline(always)]
    pub(super) fn load(simd: S, ends: &Ends, motions: &Rows<'_, Lanes>) -> Self {
        let [first, second] = &ends.mobility;
        Self {
            motions: [gather(simd, motions, &ends.bodies[0]), gather(simd, motions, &ends.bodies[1])],
            mass: [load(simd, &first[0]), load(simd, &second[0])],
            inertia: [inertia(simd, first), inertia(simd, second)],
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, simd: S, ends: &Ends, motions: &Rows<'_, Lanes>) {
        scatter(simd, self.motions[0], motions, &ends.bodies[0], ends.moved[0]);
        scatter(simd, self.motions[1], motions, &ends.bodies[1], ends.moved[1]);
    }

    /// An impulse and a torque impulse on one of the bodies.
    #[inline(always)]
    pub(super) fn push(&mut self, side: usize, impulse: Vector<S>, torque: Vector<S>) {
        let [v, spin] = self.motions[side];
        let turned = self.inertia[side].times(torque);
        self.motions[side] = [v.plus(impulse.times(self.mass[side])), spin.plus(turned)];
    }

    /// A torque impulse on the second body, and the opposite one on the first.
    #[inline(always)]
    pub(super) fn twist(&mut self, torque: Vector<S>) {
        self.motions[0][1] = self.motions[0][1].minus(self.inertia[0].times(torque));
        self.motions[1][1] = self.motions[1][1].plus(self.inertia[1].times(torque));
    }

    /// `1/m − [r] W [r]` of one of the bodies, by its entries xx, xy, xz, yy, yz, zz.
    #[inline(always)]
    pub(super) fn mobility_at(&self, side: usize, r: Vector<S>) -> [Wide<S>; 6] {
        let [xx, xy, xz, yy, yz, zz] = self.inertia[side].0;
        let (mass, Vector { x, y, z }) = (self.mass[side], r);
        // W (r × e) for the three axes e, and what of (W (r × e)) × r is needed.
        let (ax, ay, az) = (xy * z - xz * y, yy * z - yz * y, yz * z - zz * y);
        let (bx, by, bz) = (xz * x - xx * z, yz * x - xy * z, zz * x - xz * z);
        let (cx, cy) = (xx * y - xy * x, xy * y - yy * x);
        [
            mass + (ay * z - az * y),
            az * x - ax * z,
            ax * y - ay * x,
            mass + (bz * x - bx * z),
            bx * y - by * x,
            mass + (cx * y - cy * x),
        ]
    }
}

#[inline(always)]
fn inertia<S: Simd>(simd: S, [_, xx, xy, xz, yy, yz, zz]: &[Lanes; 7]) -> Symmetric<S> {
    Symmetric([load(simd, xx), load(simd, xy), load(simd, xz), load(simd, yy), load(simd, yz), load(simd, zz)])
}

/// The inverse of eight symmetric matrices; zero where nothing can be moved.
#[inline(always)]
pub(super) fn inverse<S: Simd>(simd: S, matrix: [Wide<S>; 6]) -> [Wide<S>; 6] {
    let [xx, xy, xz, yy, yz, zz] = matrix;
    let trace = xx + yy + zz;
    let moves = trace.simd_gt(all(simd, f32::MIN_POSITIVE));
    let (zero, one) = (all(simd, 0.0), all(simd, 1.0));
    // Products of three small numbers would be no number any more.
    let scale = one / moves.select(trace, one);
    let (xx, xy, xz) = (xx * scale, xy * scale, xz * scale);
    let (yy, yz, zz) = (yy * scale, yz * scale, zz * scale);
    let (a, b, c) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let determinant = larger(xx * a + xy * b + xz * c, all(simd, 1e-12));
    let factor = moves.select(scale / determinant, zero);
    [
        a * factor,
        b * factor,
        c * factor,
        (xx * zz - xz * xz) * factor,
        (xy * xz - xx * yz) * factor,
        (xx * yy - xy * xy) * factor,
    ]
}

/// Puts a vector into a lane.
pub(super) fn put(lanes: &mut [Lanes; 3], lane: usize, vector: DVec3) {
    lanes.iter_mut().zip(vector.to_array()).for_each(|(lanes, part)| lanes[lane] = part as f32);
}

/// The vector in a lane.
pub(super) fn take(lanes: &[Lanes; 3], lane: usize) -> DVec3 {
    DVec3::from(lanes.map(|part| f64::from(part[lane])))
}
