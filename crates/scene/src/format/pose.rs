//! Rotations as a person writes them.

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::Deserialize;
use tumble_geometry::math::rotation_about;

/// A rotation in one of three ways: turns about the axes (`x_deg`, `y_deg`, `z_deg`, done in this order), a turn about an
/// axis of your own (`axis` and `angle_deg`), or a `quaternion`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RotationFile {
    /// Turn about x, first.
    #[schemars(extend("unit" = "°"))]
    pub x_deg: Option<f64>,
    /// Turn about y, second.
    #[schemars(extend("unit" = "°"))]
    pub y_deg: Option<f64>,
    /// Turn about z, last.
    #[schemars(extend("unit" = "°"))]
    pub z_deg: Option<f64>,
    /// The axis to turn about, of any length but zero.
    #[schemars(with = "Option<[f64; 3]>")]
    pub axis: Option<DVec3>,
    /// The angle to turn by.
    #[schemars(extend("unit" = "°"))]
    pub angle_deg: Option<f64>,
    /// The quaternion [x, y, z, w], of any length but zero.
    pub quaternion: Option<[f64; 4]>,
}

impl RotationFile {
    /// The rotation, or why there is none.
    pub fn to_quaternion(&self) -> Result<DQuat, String> {
        let turns = [self.x_deg, self.y_deg, self.z_deg];
        let by_axes = turns.iter().any(Option::is_some);
        match (by_axes, self.axis, self.angle_deg, self.quaternion) {
            (_, None, None, None) => {
                let [x, y, z] = turns.map(|angle| angle.unwrap_or(0.0).to_radians());
                let rotation = rotation_about(DVec3::Z, z) * rotation_about(DVec3::Y, y) * rotation_about(DVec3::X, x);
                Ok(rotation.normalize())
            }
            (false, Some(axis), Some(angle), None) => {
                let axis = axis.try_normalize().ok_or("the axis of a rotation is zero")?;
                Ok(rotation_about(axis, angle.to_radians()).normalize())
            }
            (false, None, None, Some(numbers)) => {
                let quaternion = DQuat::from_array(numbers);
                let length = quaternion.length();
                if length.is_finite() && length > 1e-6 {
                    Ok(quaternion / length)
                } else {
                    Err("the quaternion of a rotation is zero or too large".into())
                }
            }
            _ => {
                Err("a rotation is given by x_deg, y_deg and z_deg, or by axis and angle_deg, or by quaternion".into())
            }
        }
    }
}
