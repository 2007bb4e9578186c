//! Materials.

use schemars::JsonSchema;
use serde::Deserialize;

/// A material: another one with changes. Without `like`, the default material (density 1000, no bounce, friction 0.5).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MaterialFile {
    /// The material it is like, except for what is given here.
    pub like: Option<String>,
    /// Density.
    #[schemars(range(min = 1e-9, max = 1e20), extend("unit" = "kg/m³"))]
    pub density: Option<f64>,
    /// Coefficient of restitution: 0 no bounce, 1 full bounce.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: Option<f64>,
    /// Coefficient of friction, static and dynamic alike.
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
    /// Coefficient of friction while nothing slides.
    #[schemars(range(min = 0.0))]
    pub static_friction: Option<f64>,
    /// Coefficient of friction while sliding, at most the static one.
    #[schemars(range(min = 0.0))]
    pub dynamic_friction: Option<f64>,
    /// Rolling friction, as a lever arm.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub rolling_friction: Option<f64>,
    /// Friction against spinning about the normal, as a lever arm.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub spinning_friction: Option<f64>,
    /// Random tilt of contact normals; plausible are 0.05 to 0.1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub perturbation: Option<f64>,
}
