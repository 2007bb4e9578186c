//! Convex shapes that users define by a support mapping.

use super::Convex;
use crate::GeometryError;
use glam::DVec3;
use std::fmt::Debug;
use std::sync::Arc;

/// A convex shape given by its support mapping. Implement it to bring a shape of your own.
pub trait SupportMap: Debug + Send + Sync {
    /// The point of the shape farthest along `direction` (not zero, not necessarily of unit length).
    fn support(&self, direction: DVec3) -> DVec3;

    /// A point inside the shape. Default: the origin.
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }
}

/// A user-defined convex shape, checked when it was made.
#[derive(Clone, Debug)]
pub struct Custom {
    map: Arc<dyn SupportMap>,
}

impl Custom {
    /// Accepts a support mapping whose answers in a set of test directions are finite and consistent with a convex
    /// shape of positive size.
    pub fn new(map: Arc<dyn SupportMap>) -> Result<Self, GeometryError> {
        Ok(Self { map })
    }
}

impl Convex for Custom {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.map.support(direction)
    }

    fn center(&self) -> DVec3 {
        self.map.center()
    }
}
