//! Eight numbers at once, and vectors of them.
//!
//! The kernels are written once for any width and compiled for each kind of processor; the best is chosen when the program runs. No
//! operation rounds differently on any of them: no fused multiply-add, no approximate reciprocals, and comparisons instead of the
//! processors' own minimum and maximum, which disagree about zeros. So the bits are the same everywhere.
//!
//! Kernels use no closures, nor what takes closures: the compiler does not build these for the chosen processor.

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
pub(super) fn gather<S: Simd>(simd: S, rows: &[Lanes], numbers: &[u32; LANES]) -> [Vector<S>; 2] {
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
fn gather_four<S: Simd>(simd: S, rows: &[Lanes], [a, b, c, d]: [u32; 4]) -> [[f32x4<S>; 4]; 2] {
    let (a, b) = (load(simd, &rows[a as usize]).split(), load(simd, &rows[b as usize]).split());
    let (c, d) = (load(simd, &rows[c as usize]).split(), load(simd, &rows[d as usize]).split());
    [transpose([a.0, b.0, c.0, d.0]), transpose([a.1, b.1, c.1, d.1])]
}

/// The eight numbers of each of eight bodies, by columns.
#[inline(always)]
pub(super) fn gather_all<S: Simd>(simd: S, rows: &[Lanes], numbers: &[u32; LANES]) -> [Wide<S>; LANES] {
    let [a, b, c, d, e, f, g, h] = *numbers;
    let [[p, q, r, s], [t, u, v, w]] = gather_four(simd, rows, [a, b, c, d]);
    let [[p2, q2, r2, s2], [t2, u2, v2, w2]] = gather_four(simd, rows, [e, f, g, h]);
    [
        p.combine(p2),
        q.combine(q2),
        r.combine(r2),
        s.combine(s2),
        t.combine(t2),
        u.combine(u2),
        v.combine(v2),
        w.combine(w2),
    ]
}

/// Puts all eight numbers of each of eight bodies back.
#[inline(always)]
pub(super) fn scatter_all<S: Simd>(columns: [Wide<S>; LANES], rows: &mut [Lanes], numbers: &[u32; LANES]) {
    let [p, q, r, s, t, u, v, w] = columns;
    let ((p, p2), (q, q2), (r, r2), (s, s2)) = (p.split(), q.split(), r.split(), s.split());
    let ((t, t2), (u, u2), (v, v2), (w, w2)) = (t.split(), u.split(), v.split(), w.split());
    let [a, b, c, d, e, f, g, h] = *numbers;
    scatter_four([transpose([p, q, r, s]), transpose([t, u, v, w])], rows, [a, b, c, d]);
    scatter_four([transpose([p2, q2, r2, s2]), transpose([t2, u2, v2, w2])], rows, [e, f, g, h]);
}

/// Puts them back.
#[inline(always)]
pub(super) fn scatter<S: Simd>(simd: S, [v, w]: [Vector<S>; 2], rows: &mut [Lanes], numbers: &[u32; LANES]) {
    let none = f32x4::splat(simd, 0.0);
    let ((x, x2), (y, y2), (z, z2)) = (v.x.split(), v.y.split(), v.z.split());
    let ((p, p2), (q, q2), (r, r2)) = (w.x.split(), w.y.split(), w.z.split());
    let [a, b, c, d, e, f, g, h] = *numbers;
    scatter_four([transpose([x, y, z, none]), transpose([p, q, r, none])], rows, [a, b, c, d]);
    scatter_four([transpose([x2, y2, z2, none]), transpose([p2, q2, r2, none])], rows, [e, f, g, h]);
}

#[inline(always)]
fn scatter_four<S: Simd>([v, w]: [[f32x4<S>; 4]; 2], rows: &mut [Lanes], [a, b, c, d]: [u32; 4]) {
    store(v[0].combine(w[0]), &mut rows[a as usize]);
    store(v[1].combine(w[1]), &mut rows[b as usize]);
    store(v[2].combine(w[2]), &mut rows[c as usize]);
    store(v[3].combine(w[3]), &mut rows[d as usize]);
}

/// Rows become columns.
#[inline(always)]
fn transpose<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac, ac2) = (a.zip_low(c), a.zip_high(c));
    let (bd, bd2) = (b.zip_low(d), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), ac2.zip_low(bd2), ac2.zip_high(bd2)]
}
