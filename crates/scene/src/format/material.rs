//! Materials, and what becomes of two of them where they touch.

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

/// How the materials of two bodies that touch are combined, number by number.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MixingFile {
    /// The coefficients of restitution. Default "mean".
    pub restitution: MixFile,
    /// The coefficients of friction, static and dynamic. Default "geometric_mean".
    pub friction: MixFile,
    /// Rolling friction. Default "largest".
    pub rolling_friction: MixFile,
    /// Friction against spinning. Default "largest".
    pub spinning_friction: MixFile,
    /// The random tilt of normals. Default "sum".
    pub perturbation: MixFile,
}

impl Default for MixingFile {
    fn default() -> Self {
        Self {
            restitution: MixFile::Mean,
            friction: MixFile::GeometricMean,
            rolling_friction: MixFile::Largest,
            spinning_friction: MixFile::Largest,
            perturbation: MixFile::Sum,
        }
    }
}

/// One number made of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MixFile {
    /// Half their sum.
    Mean,
    /// The root of their product.
    GeometricMean,
    /// Their product.
    Product,
    /// The smaller of the two.
    Smallest,
    /// The larger of the two.
    Largest,
    /// Their sum.
    Sum,
}

impl MixFile {
    /// The number made of `a` and `b`.
    pub fn mix(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Mean => 0.5 * (a + b),
            Self::GeometricMean => (a * b).sqrt(),
            Self::Product => a * b,
            Self::Smallest => a.min(b),
            Self::Largest => a.max(b),
            Self::Sum => a + b,
        }
    }
}
