//! The mass properties of a body and what can be done with them.

use super::principal::{PrincipalInertia, principal};
use crate::{GeometryError, Transform};
use glam::{DMat3, DQuat, DVec3};
use std::iter::Sum;
use std::ops::Add;

/// How heavy a body is and how its mass is spread.
///
/// ```
/// use tumble_geometry::{MassProperties, Shape};
///
/// // A dumbbell: two balls of one kilogram, one metre apart.
/// let ball = Shape::sphere(0.1)?.mass_properties_with_mass(1.0)?;
/// let dumbbell = ball.translated([-0.5, 0.0, 0.0]) + ball.translated([0.5, 0.0, 0.0]);
/// assert_eq!(dumbbell.mass, 2.0);
/// assert!((dumbbell.inertia.x_axis.x - 2.0 * 0.4 * 0.01).abs() < 1e-15);
/// assert!((dumbbell.inertia.y_axis.y - 2.0 * (0.4 * 0.01 + 0.25)).abs() < 1e-15);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProperties {
    /// The mass in kilograms.
    pub mass: f64,
    /// The centre of mass in the shape's frame, in metres.
    pub center: DVec3,
    /// The inertia tensor about the centre of mass along the shape's axes, in kg m².
    pub inertia: DMat3,
}

impl MassProperties {
    /// A body that nothing moves: infinite mass and inertia, centred at the origin.
    pub const INFINITE: Self = Self {
        mass: f64::INFINITY,
        center: DVec3::ZERO,
        inertia: DMat3::from_cols(
            DVec3::new(f64::INFINITY, 0.0, 0.0),
            DVec3::new(0.0, f64::INFINITY, 0.0),
            DVec3::new(0.0, 0.0, f64::INFINITY),
        ),
    };

    /// A particle of `mass` kilograms at `position`. It has no inertia of its own.
    pub fn point(mass: f64, position: impl Into<DVec3>) -> Self {
        Self { mass, center: position.into(), inertia: DMat3::ZERO }
    }

    /// The same body moved by `offset`.
    pub fn translated(&self, offset: impl Into<DVec3>) -> Self {
        Self { center: self.center + offset.into(), ..*self }
    }

    /// The same body turned about the origin by a unit quaternion: `c ↦ R c`, `I ↦ R I Rᵀ`.
    pub fn rotated(&self, rotation: DQuat) -> Self {
        let r = DMat3::from_quat(rotation);
        let inertia = if self.is_infinite() { self.inertia } else { symmetric(r * self.inertia * r.transpose()) };
        Self { center: r * self.center, inertia, ..*self }
    }

    /// The same body in outer coordinates, placed there by `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        self.rotated(pose.rotation).translated(pose.translation)
    }

    /// The inertia tensor about `point` instead of the centre (Steiner): `I + m (|d|² 1 − d dᵀ)`, `d = point − c`.
    pub fn inertia_about(&self, point: impl Into<DVec3>) -> DMat3 {
        if self.is_infinite() {
            self.inertia
        } else {
            self.inertia + point_inertia(self.mass, point.into() - self.center)
        }
    }

    /// The two bodies welded together: masses add, the centre is the weighted mean, both inertias are moved to it.
    ///
    /// With an infinite mass the result is that infinite body (the first if both are).
    pub fn combined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        match (self.is_infinite(), other.is_infinite()) {
            (true, _) => return *self,
            (false, true) => return *other,
            (false, false) if mass == 0.0 => return Self::point(0.0, 0.5 * (self.center + other.center)),
            (false, false) => {}
        }
        // From the first centre, so that two bodies near each other and far from the origin lose no digits:
        // d = c₂ − c₁,  c = c₁ + m₂/m d,  I = I₁ + I₂ + m₁ m₂/m (|d|² 1 − d dᵀ).
        let apart = other.center - self.center;
        let share = other.mass / mass;
        Self {
            mass,
            center: self.center + share * apart,
            inertia: self.inertia + other.inertia + point_inertia(self.mass * share, apart),
        }
    }

    /// A body of the same form with another mass: the inertia scales along. `mass` must be positive and finite, and the
    /// body's own too.
    pub fn scaled_to_mass(&self, mass: f64) -> Result<Self, GeometryError> {
        checked_positive("mass", mass)?;
        checked_positive("mass of the body to be scaled", self.mass)?;
        checked_result(Self { mass, inertia: self.inertia * (mass / self.mass), ..*self })
    }

    /// The axes about which the body spins without wobbling, and the moments of inertia about them.
    pub fn principal(&self) -> PrincipalInertia {
        principal(self.inertia)
    }

    /// `1/m`; zero for an infinite mass and for one that is not positive.
    pub fn inverse_mass(&self) -> f64 {
        if self.mass > 0.0 { 1.0 / self.mass } else { 0.0 }
    }

    /// The inverse of the inertia tensor. Zero for an infinite mass; zero about principal axes without a moment, so that
    /// a particle, or a line of them about itself, does not spin.
    pub fn inverse_inertia(&self) -> DMat3 {
        if self.is_infinite() || !self.inertia.is_finite() {
            return DMat3::ZERO;
        }
        let PrincipalInertia { moments, axes } = self.principal();
        let negligible = 1e-15 * moments.abs().max_element();
        let inverse = moments.to_array().map(|moment| if moment > negligible { 1.0 / moment } else { 0.0 });
        let r = DMat3::from_quat(axes);
        symmetric(r * DMat3::from_diagonal(DVec3::from(inverse)) * r.transpose())
    }

    /// Whether this can be a body: positive mass, finite centre, a symmetric finite inertia tensor whose moments are not
    /// negative and obey the triangle inequality `I₁ + I₂ ≥ I₃` (to 1e-9 of the largest). An infinite mass needs a
    /// finite centre only.
    pub fn is_valid(&self) -> bool {
        if !(self.mass > 0.0 && self.center.is_finite()) {
            return false;
        }
        if self.is_infinite() {
            return true;
        }
        let magnitude = self.inertia.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if !self.inertia.is_finite() || !self.inertia.abs_diff_eq(self.inertia.transpose(), 1e-9 * magnitude) {
            return false;
        }
        let moments = self.principal().moments;
        // Twice the principal second moments S₁ = ½ (I₂ + I₃ − I₁), … of the mass distribution: none may be negative.
        let spread = DVec3::splat(moments.element_sum()) - 2.0 * moments;
        moments.min_element() >= -1e-9 * magnitude && spread.min_element() >= -1e-9 * magnitude
    }

    fn is_infinite(&self) -> bool {
        self.mass == f64::INFINITY
    }
}

impl Add for MassProperties {
    type Output = Self;

    /// See [`MassProperties::combined`].
    fn add(self, other: Self) -> Self {
        self.combined(&other)
    }
}

impl Sum for MassProperties {
    /// All bodies welded together; a particle without mass if there are none.
    fn sum<I: Iterator<Item = Self>>(mut bodies: I) -> Self {
        let first = bodies.next().unwrap_or(Self::point(0.0, DVec3::ZERO));
        bodies.fold(first, Add::add)
    }
}

/// The inertia about the origin of a particle at `d`: `m (|d|² 1 − d dᵀ)`. The diagonal is summed from the two squares
/// that matter, since `|d|² − dx²` would lose the digits of a small one.
pub(super) fn point_inertia(mass: f64, d: DVec3) -> DMat3 {
    let md = mass * d;
    let square = d * md;
    DMat3::from_cols(
        DVec3::new(square.y + square.z, -d.x * md.y, -d.x * md.z),
        DVec3::new(-d.x * md.y, square.x + square.z, -d.y * md.z),
        DVec3::new(-d.x * md.z, -d.y * md.z, square.x + square.y),
    )
}

/// The symmetric part, to remove what rounding leaves.
fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

/// Accepts a positive finite number.
pub(super) fn checked_positive(what: &'static str, value: f64) -> Result<f64, GeometryError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(GeometryError::OutOfRange { what, value, allowed: "positive and finite" })
    }
}

/// Accepts properties that did not overflow or vanish.
pub(super) fn checked_result(properties: MassProperties) -> Result<MassProperties, GeometryError> {
    if properties.is_valid() && properties.mass.is_finite() {
        Ok(properties)
    } else {
        let MassProperties { mass, center, inertia } = properties;
        let why = format!("cannot be represented: mass {mass}, centre {center}, inertia {inertia}");
        Err(GeometryError::Degenerate { what: "mass properties", why })
    }
}
