//! Ellipsoid with three semi-axes along the coordinate axes: `(x/a)² + (y/b)² + (z/c)² ≤ 1`.
//!
//! It is the unit ball stretched by `s = (a, b, c)`. Its support point along d is `s · (s d)/|s d|`, and its surface along a unit
//! normal n bends by the map from normals to points, whose derivative is
//!
//! ```text
//! D = (S² − S²n (S²n)ᵀ / h²) / h,     h = |S n|,   S = diag(s),
//! ```
//!
//! with n and the two principal radii of curvature as eigenvectors and eigenvalues across n.

use super::Convex;
use crate::GeometryError;
use crate::error::checked_length;
use glam::DVec3;

/// An ellipsoid around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    radii: DVec3,
}

impl Ellipsoid {
    /// The semi-axes along x, y and z in metres, 1e-9 to 1e9 each.
    pub fn new(radii: DVec3) -> Result<Self, GeometryError> {
        Ok(Self {
            radii: DVec3::new(
                checked_length("ellipsoid radius along x", radii.x)?,
                checked_length("ellipsoid radius along y", radii.y)?,
                checked_length("ellipsoid radius along z", radii.z)?,
            ),
        })
    }

    /// The semi-axes in metres.
    pub fn radii(&self) -> DVec3 {
        self.radii
    }

    /// The mean of the two principal radii of curvature where the surface looks along the unit vector `normal`: half the trace of D
    /// less its part along n, which is zero.
    pub(crate) fn mean_radius(&self, normal: DVec3) -> f64 {
        let square = self.radii * self.radii;
        let h = (self.radii * normal).length();
        let along = square * normal;
        0.5 * (square.element_sum() - along.length_squared() / (h * h)) / h
    }
}

impl Convex for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        // The largest component becomes one first: squares of tiny directions vanish.
        let stretched = self.radii * direction;
        let largest = stretched.abs().max_element();
        if largest > 0.0 { self.radii * (stretched / largest).normalize() } else { DVec3::ZERO }
    }
}
