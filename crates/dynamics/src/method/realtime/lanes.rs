//! Eight numbers at once, and vectors of them.
//!
//! The kernels are written once for any width and compiled for each kind of processor; the best is chosen when the program runs. No
//! operation rounds differently on any of them: no fused multiply-add, no approximate reciprocals, and comparisons instead of the
//! processors' own minimum and maximum, which disagree about zeros. So the bits are the same everywhere.

use fearless_simd::{Simd, f32x8, prelude::*};

/// How many lanes there are.
pub(super) const LANES: usize = 8;

/// Eight numbers in memory.
pub(super) type Lanes = [f32; LANES];

/// Eight numbers in registers.
pub(super) type Wide<S> = f32x8<S>;

/// Loads eight numbers.
#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, lanes: &Lanes) -> Wide<S> {
    f32x8::from_slice(simd, lanes)
}

/// Eight times the same number.
#[inline(always)]
pub(super) fn all<S: Simd>(simd: S, value: f32) -> Wide<S> {
    f32x8::splat(simd, value)
}

/// Stores eight numbers.
#[inline(always)]
pub(super) fn store<S: Simd>(value: Wide<S>, lanes: &mut Lanes) {
    lanes.copy_from_slice(value.as_slice());
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
pub(super) struct Symmetric<S: Simd>([Wide<S>; 6]);

impl<S: Simd> Symmetric<S> {
    #[inline(always)]
    pub(super) fn load(simd: S, entries: &[Lanes; 6]) -> Self {
        Self([0, 1, 2, 3, 4, 5].map(|entry| load(simd, &entries[entry])))
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
pub(super) fn gather<S: Simd>(simd: S, rows: &[Lanes], numbers: &[u32; LANES]) -> [Vector<S>; 2] {
    let mut columns = [[0.0; LANES]; LANES];
    for (lane, &number) in numbers.iter().enumerate() {
        let row = &rows[number as usize];
        for (column, &value) in columns.iter_mut().zip(row) {
            column[lane] = value;
        }
    }
    let [x, y, z, _, p, q, r, _] = columns;
    [Vector::load(simd, &[x, y, z]), Vector::load(simd, &[p, q, r])]
}

/// Puts them back.
#[inline(always)]
pub(super) fn scatter<S: Simd>(vectors: [Vector<S>; 2], rows: &mut [Lanes], numbers: &[u32; LANES]) {
    let mut columns = [[[0.0; LANES]; 3]; 2];
    vectors[0].store(&mut columns[0]);
    vectors[1].store(&mut columns[1]);
    let [[x, y, z], [p, q, r]] = columns;
    for (lane, &number) in numbers.iter().enumerate() {
        rows[number as usize] = [x[lane], y[lane], z[lane], 0.0, p[lane], q[lane], r[lane], 0.0];
    }
}
