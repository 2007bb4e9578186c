//! A half-line.

use crate::math;
use crate::{GeometryError, Transform};
use glam::{DMat3, DVec3};

/// A half-line from `origin` along `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// Where the ray starts.
    pub origin: DVec3,
    /// Where it goes, a unit vector; distances along the ray are in metres.
    pub direction: DVec3,
}

impl Ray {
    /// The ray from `origin` along `direction`, which need not have unit length; refused if it is zero or not finite.
    ///
    /// ```
    /// use tumble_geometry::Ray;
    ///
    /// let down = Ray::new([0.0, 5.0, 0.0], [0.0, -2.0, 0.0])?;
    /// assert_eq!(down.at(5.0).to_array(), [0.0, 0.0, 0.0]);
    /// # Ok::<(), tumble_geometry::GeometryError>(())
    /// ```
    pub fn new(origin: impl Into<DVec3>, direction: impl Into<DVec3>) -> Result<Self, GeometryError> {
        let (origin, given) = (origin.into(), direction.into());
        if !origin.is_finite() {
            return Err(GeometryError::BadPoint { what: "ray point", index: 0, value: origin });
        }
        let bad = GeometryError::BadDirection { what: "the direction of a ray", value: given };
        math::direction(given).map(|direction| Self { origin, direction }).ok_or(bad)
    }

    /// The ray from `origin` towards `target`; refused if they coincide or are not finite.
    pub fn towards(origin: impl Into<DVec3>, target: impl Into<DVec3>) -> Result<Self, GeometryError> {
        let origin = origin.into();
        Self::new(origin, target.into() - origin)
    }

    /// The point `distance` metres along the ray.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.origin + self.direction * distance
    }

    /// This local ray in the outer coordinates of `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        Self { origin: pose.point(self.origin), direction: pose.vector(self.direction) }
    }

    /// The ray under a linear map. `None` if the map takes its direction to zero or is not finite.
    ///
    /// Distances along the ray are stretched by the length of the mapped direction.
    pub fn mapped(&self, matrix: &DMat3) -> Option<Self> {
        Self::new(*matrix * self.origin, *matrix * self.direction).ok()
    }

    /// This outer ray in the local coordinates of `pose`.
    pub fn to_local(&self, pose: &Transform) -> Self {
        Self { origin: pose.inverse_point(self.origin), direction: pose.inverse_vector(self.direction) }
    }

    /// How far along the ray the point closest to `point` lies, in metres; not negative.
    pub fn closest_parameter(&self, point: DVec3) -> f64 {
        (point - self.origin).dot(self.direction).max(0.0)
    }

    /// The point of the ray closest to `point`.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.at(self.closest_parameter(point))
    }

    /// The distance of `point` from the ray in metres.
    pub fn distance(&self, point: DVec3) -> f64 {
        self.closest_point(point).distance(point)
    }
}
