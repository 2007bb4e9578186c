//! What can be wrong with geometry a user passes in. Each error names the thing, the value and what is allowed.

use glam::DVec3;

/// Why a shape could not be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// A number lies outside its allowed range (or is NaN).
    #[error("{what} is {value}, but must be {allowed}")]
    OutOfRange {
        /// The parameter, e.g. "sphere radius".
        what: &'static str,
        /// The value that was passed.
        value: f64,
        /// What is allowed, e.g. "between 1e-9 and 1e9 metres".
        allowed: &'static str,
    },
    /// A point has a NaN or infinite coordinate.
    #[error("{what} {index} is {value}, but every coordinate must be finite and at most 1e9 in magnitude")]
    BadPoint {
        /// What the point is, e.g. "vertex".
        what: &'static str,
        /// Its index in the list that was passed.
        index: usize,
        /// Its value.
        value: DVec3,
    },
    /// A direction is zero or not finite.
    #[error("{what} is {value}, but must be finite and not zero")]
    BadDirection {
        /// The parameter, e.g. "half-space normal".
        what: &'static str,
        /// Its value.
        value: DVec3,
    },
    /// A list has too few elements.
    #[error("{what}: {count} given, but at least {needed} needed")]
    TooFew {
        /// The list, e.g. "hull points".
        what: &'static str,
        /// How many were passed.
        count: usize,
        /// How many are needed.
        needed: usize,
    },
    /// An index points outside the list it refers to.
    #[error("{what} refers to vertex {index}, but there are only {count} vertices")]
    IndexOutOfRange {
        /// Who refers, e.g. "triangle 7".
        what: String,
        /// The index.
        index: usize,
        /// The length of the list.
        count: usize,
    },
    /// The input spans no volume, no area or no length where one is needed.
    #[error("{what} {why}")]
    Degenerate {
        /// The thing, e.g. "hull".
        what: &'static str,
        /// Why it cannot be built, with the offending numbers.
        why: String,
    },
}

/// The smallest size a shape may have, in metres.
pub const MIN_SIZE: f64 = 1e-9;
/// The largest size a shape may have and the largest coordinate a vertex may have, in metres.
pub const MAX_SIZE: f64 = 1e9;

/// Accepts a length between [`MIN_SIZE`] and [`MAX_SIZE`].
pub(crate) fn checked_length(what: &'static str, value: f64) -> Result<f64, GeometryError> {
    if (MIN_SIZE..=MAX_SIZE).contains(&value) {
        Ok(value)
    } else {
        Err(GeometryError::OutOfRange { what, value, allowed: "between 1e-9 and 1e9 metres" })
    }
}

/// Accepts a list of points that are finite and not astronomically large.
pub(crate) fn checked_points(what: &'static str, points: &[DVec3]) -> Result<(), GeometryError> {
    match points.iter().position(|p| !(p.is_finite() && p.abs().max_element() <= MAX_SIZE)) {
        Some(index) => Err(GeometryError::BadPoint { what, index, value: points[index] }),
        None => Ok(()),
    }
}
