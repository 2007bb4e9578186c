//! Mass, centre of mass and inertia.

use glam::{DMat3, DVec3};

/// How heavy a body is and how its mass is spread.
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
