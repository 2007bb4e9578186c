//! Four numbers that are computed with side by side (SIMD): a processor adds or multiplies them in one or two instructions,
//! and where a result has to be waited for, it is waited for once for all four. Plain Rust that compilers turn into such
//! instructions; each lane has the bits that it would have alone.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// How many numbers.
pub(super) const WIDTH: usize = 4;

/// Some of the four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mask([bool; WIDTH]);

impl Mask {
    /// Whether it is all of them.
    #[inline(always)]
    pub(super) fn is_full(self) -> bool {
        let [a, b, c, d] = self.0;
        a & b & c & d
    }
}

/// Four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub(super) struct Lanes(pub(super) [f64; WIDTH]);

impl Lanes {
    /// Computes lane by lane with two.
    #[inline(always)]
    fn with(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([of(a, e), of(b, f), of(c, g), of(d, h)])
    }

    /// The larger of two, lane by lane; the other one where this one is not a number.
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        self.with(other, |a, b| if a > b { a } else { b })
    }

    /// Square roots.
    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a.sqrt(), b.sqrt(), c.sqrt(), d.sqrt()])
    }

    /// In which lanes this one is not larger than the other, and both are numbers.
    #[inline(always)]
    pub(super) fn at_most(self, other: Self) -> Mask {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Mask([a <= e, b <= f, c <= g, d <= h])
    }

    /// These numbers in the lanes of a mask, others elsewhere.
    #[inline(always)]
    pub(super) fn or(self, mask: Mask, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) = (self.0, other.0, mask.0);
        Self([if i { a } else { e }, if j { b } else { f }, if k { c } else { g }, if l { d } else { h }])
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

impl Div for Lanes {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }
}
