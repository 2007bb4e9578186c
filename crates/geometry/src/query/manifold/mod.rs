//! Contact manifolds of convex pairs.

use super::Manifold;
use crate::{Shape, Transform};

/// How contact manifolds are made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldOptions {
    /// Points are reported up to this gap between the surfaces, in metres. Default 0.02.
    pub prediction: f64,
}

impl Default for ManifoldOptions {
    fn default() -> Self {
        Self { prediction: 0.02 }
    }
}

/// What a pair remembers from one call to the next to answer faster and steadily.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairCache {}

pub(super) fn convex_manifold(
    _a: &Shape,
    _b: &Shape,
    _b_in_a: &Transform,
    _options: &ManifoldOptions,
    _cache: &mut PairCache,
    _manifolds: &mut Vec<Manifold>,
) {
}
