//! Eight numbers at once, and vectors of them.
//!
//! The kernels are written once for any width and compiled for each kind of processor; the best is chosen when the program runs. No
//! operation rounds differently on any of them: no fused multiply-add, no approximate reciprocals, and comparisons instead of the
//! processors' own minimum and maximum, which disagree about zeros. So the bits are the same everywhere.
//!
//! Kernels use no closures, nor what takes closures: the compiler does not build these for the chosen processor.

use crate::workers::Rows;
use fearless_simd::{Simd, f32x4, f32x8, prelude::*};

/// How many lanes there are.
pub(super) const LANES: usize = 8;

/// Eight numbers in memory.
pub(super) type Lanes = [f32; LANES];

/// Eight numbers in registers.
pub(super) type Wide<S> = f32x8<S>;

/// Loads eight numbers.
#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, lanes: &Lanes) -> Wide<S> {
    f32x8::load_array_ref(simd, lanes)
}

/// Eight times the same number.
#[inline(always)]
pub(super) fn all<S: Simd>(simd: S, value: f32) -> Wide<S> {
    f32x8::splat(simd, value)
}

/// Stores eight numbers: as an array, since slices may be copied by a call, before which all registers have to be saved.
#[inline(always)]
pub(super) fn store<S: Simd>(value: Wide<S>, lanes: &mut Lanes) {
    value.store_array(lanes);
}

/// The larger of two numbers in each lane.
#[inline(always)]
pub(super) fn larger<S: Simd>(a: Wide<S>, b: Wide<S>) -> Wide<S> {
    a.simd_gt(b).select(a, b)
}

/// The smaller of two numbers in each lane.
#[inline(always)]
pub(super) fn smaller<S: Simd>(a: Wide<S>, b: Wide<S>) -> Wide<S> {
    a.simd_lt(b).select(a, b)
}

/// Eight vectors.
#[derive(Clone, Copy)]
pub(super) struct Vector<S: Simd> {
    pub(super) x: Wide<S>,
    pub(super) y: Wide<S>,
    pub(super) z: Wide<S>,
}

impl<S: Simd> Vector<S> {
    #[inline(always)]
    pub(super) fn load(simd: S, [x, y, z]: &[Lanes; 3]) -> Self {
        Self { x: load(simd, x), y: load(simd, y), z: load(simd, z) }
    }

    /// A vector for each of the two bodies.
    #[inline(always)]
    pub(super) fn load_both(simd: S, [a, b]: &[[Lanes; 3]; 2]) -> [Self; 2] {
        [Self::load(simd, a), Self::load(simd, b)]
    }

    #[inline(always)]
    pub(super) fn store(self, [x, y, z]: &mut [Lanes; 3]) {
        store(self.x, x);
        store(self.y, y);
        store(self.z, z);
    }

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> Wide<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    #[inline(always)]
    pub(super) fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    #[inline(always)]
    pub(super) fn times(self, factor: Wide<S>) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

/// Eight symmetric matrices, by their entries xx, xy, xz, yy, yz, zz.
#[derive(Clone, Copy)]
pub(super) struct Symmetric<S: Simd>(pub(super) [Wide<S>; 6]);

impl<S: Simd> Symmetric<S> {
    #[inline(always)]
    pub(super) fn trace(&self) -> Wide<S> {
        self.0[0] + self.0[3] + self.0[5]
    }

    #[inline(always)]
    pub(super) fn load(simd: S, entries: &[Lanes; 6]) -> Self {
        let [xx, xy, xz, yy, yz, zz] = entries;
        Self([load(simd, xx), load(simd, xy), load(simd, xz), load(simd, yy), load(simd, yz), load(simd, zz)])
    }

    #[inline(always)]
    pub(super) fn times(self, v: Vector<S>) -> Vector<S> {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Vector {
            x: xx * v.x + xy * v.y + xz * v.z,
            y: xy * v.x + yy * v.y + yz * v.z,
            z: xz * v.x + yz * v.y + zz * v.z,
        }
    }
}

/// Two vectors of each of eight bodies, from rows of eight numbers: (x, y, z, –, x, y, z, –).
#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, rows: &Rows<'_, Lanes>, numbers: &[u32; LANES]) -> [Vector<S>; 2] {
    let [a, b, c, d, e, f, g, h] = *numbers;
    let [[x, y, z, _], [p, q, r, _]] = gather_four(simd, rows, [a, b, c, d]);
    let [[x2, y2, z2, _], [p2, q2, r2, _]] = gather_four(simd, rows, [e, f, g, h]);
    [
        Vector { x: x.combine(x2), y: y.combine(y2), z: z.combine(z2) },
        Vector { x: p.combine(p2), y: q.combine(q2), z: r.combine(r2) },
    ]
}

/// The first and the second halves of four rows, by columns.
#[inline(always)]
fn gather_four<S: Simd>(simd: S, rows: &Rows<'_, Lanes>, [a, b, c, d]: [u32; 4]) -> [[f32x4<S>; 4]; 2] {
    let (a, b) = (load(simd, &rows.get(a as usize)).split(), load(simd, &rows.get(b as usize)).split());
    let (c, d) = (load(simd, &rows.get(c as usize)).split(), load(simd, &rows.get(d as usize)).split());
    [transpose([a.0, b.0, c.0, d.0]), transpose([a.1, b.1, c.1, d.1])]
}

/// Puts those back whose bits are set in `chosen`.
#[inline(always)]
pub(super) fn scatter<S: Simd>(
    simd: S,
    [v, w]: [Vector<S>; 2],
    rows: &Rows<'_, Lanes>,
    numbers: &[u32; LANES],
    chosen: u8,
) {
    if chosen == 0 {
        return;
    }
    let none = f32x4::splat(simd, 0.0);
    let ((x, x2), (y, y2), (z, z2)) = (v.x.split(), v.y.split(), v.z.split());
    let ((p, p2), (q, q2), (r, r2)) = (w.x.split(), w.y.split(), w.z.split());
    let [a, b, c, d, e, f, g, h] = *numbers;
    scatter_four([transpose([x, y, z, none]), transpose([p, q, r, none])], rows, [a, b, c, d], chosen);
    scatter_four([transpose([x2, y2, z2, none]), transpose([p2, q2, r2, none])], rows, [e, f, g, h], chosen >> 4);
}

#[inline(always)]
fn scatter_four<S: Simd>([v, w]: [[f32x4<S>; 4]; 2], rows: &Rows<'_, Lanes>, [a, b, c, d]: [u32; 4], chosen: u8) {
    put_back(v[0].combine(w[0]), rows, a, chosen & 1);
    put_back(v[1].combine(w[1]), rows, b, chosen & 2);
    put_back(v[2].combine(w[2]), rows, c, chosen & 4);
    put_back(v[3].combine(w[3]), rows, d, chosen & 8);
}

#[inline(always)]
fn put_back<S: Simd>(row: Wide<S>, rows: &Rows<'_, Lanes>, number: u32, chosen: u8) {
    if chosen != 0 {
        rows.set(number as usize, row.to_array());
    }
}

/// Rows become columns.
#[inline(always)]
fn transpose<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac, ac2) = (a.zip_low(c), a.zip_high(c));
    let (bd, bd2) = (b.zip_low(d), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), ac2.zip_low(bd2), ac2.zip_high(bd2)]
}
