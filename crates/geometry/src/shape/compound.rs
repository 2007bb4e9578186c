//! Several shapes as one.

use super::Shape;
use crate::{GeometryError, Transform};

/// Several shapes, each at its own pose, that move as one.
#[derive(Clone, Debug)]
pub struct Compound {
    parts: Vec<(Transform, Shape)>,
}

impl Compound {
    /// The union of `parts`.
    pub fn new(parts: Vec<(Transform, Shape)>) -> Result<Self, GeometryError> {
        Ok(Self { parts })
    }

    /// The parts and their poses.
    pub fn parts(&self) -> &[(Transform, Shape)] {
        &self.parts
    }
}
