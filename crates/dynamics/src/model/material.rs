//! Materials and how two of them are combined where they touch.

use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a collider is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Density in kg/m³. Default 1000.
    pub density: f64,
    /// Coefficient of restitution, 0 (no bounce) to 1 (full bounce). Default 0.
    pub restitution: f64,
    /// Coefficient of friction while nothing slides. Default 0.5.
    pub static_friction: f64,
    /// Coefficient of friction while sliding, at most the static one. Default 0.5.
    pub dynamic_friction: f64,
    /// Rolling friction: the lever arm in metres of the normal force against rolling. Default 0.
    pub rolling_friction: f64,
    /// Spinning friction: the lever arm in metres of the normal force against spinning about the normal. Default 0.
    pub spinning_friction: f64,
    /// Random tilt of contact normals, 0 to 1; plausible values are 0.05 to 0.1. Default 0.
    pub perturbation: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            density: 1000.0,
            restitution: 0.0,
            static_friction: 0.5,
            dynamic_friction: 0.5,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            perturbation: 0.0,
        }
    }
}

/// Presets.
///
/// Densities are handbook values. Coefficients of friction follow the table in Serway, *Physics for Scientists and
/// Engineers*, chapter 5: steel on steel, aluminium on steel, wood on wood, rubber on concrete, ice on ice, glass on
/// glass, PTFE on PTFE; concrete is not in it and takes what rubber on concrete leaves it. Restitution varies with speed
/// and shape more than with material; the values are round numbers for small balls at a few metres per second.
/// Measure where it matters.
impl Material {
    /// Steel: 7850 kg/m³, restitution 0.6, friction 0.74 static and 0.57 dynamic.
    pub const STEEL: Self = Self::preset(7850.0, 0.6, 0.74, 0.57);
    /// Aluminium: 2700 kg/m³, restitution 0.5, friction 0.61 static and 0.47 dynamic.
    pub const ALUMINIUM: Self = Self::preset(2700.0, 0.5, 0.61, 0.47);
    /// Wood (oak): 700 kg/m³, restitution 0.5, friction 0.5 static and 0.2 dynamic.
    pub const WOOD: Self = Self::preset(700.0, 0.5, 0.5, 0.2);
    /// Rubber: 1100 kg/m³, restitution 0.8, friction 1 static and 0.8 dynamic.
    pub const RUBBER: Self = Self::preset(1100.0, 0.8, 1.0, 0.8);
    /// Ice at 0 °C: 917 kg/m³, restitution 0.3, friction 0.1 static and 0.03 dynamic.
    pub const ICE: Self = Self::preset(917.0, 0.3, 0.1, 0.03);
    /// Glass: 2500 kg/m³, restitution 0.7, friction 0.94 static and 0.4 dynamic.
    pub const GLASS: Self = Self::preset(2500.0, 0.7, 0.94, 0.4);
    /// Concrete: 2400 kg/m³, restitution 0.3, friction 1 static and 0.8 dynamic.
    pub const CONCRETE: Self = Self::preset(2400.0, 0.3, 1.0, 0.8);
    /// Polytetrafluoroethylene: 2200 kg/m³, restitution 0.4, friction 0.04 static and 0.04 dynamic.
    pub const TEFLON: Self = Self::preset(2200.0, 0.4, 0.04, 0.04);

    /// The presets by name.
    pub const PRESETS: [(&str, Self); 8] = [
        ("steel", Self::STEEL),
        ("aluminium", Self::ALUMINIUM),
        ("wood", Self::WOOD),
        ("rubber", Self::RUBBER),
        ("ice", Self::ICE),
        ("glass", Self::GLASS),
        ("concrete", Self::CONCRETE),
        ("teflon", Self::TEFLON),
    ];

    const fn preset(density: f64, restitution: f64, static_friction: f64, dynamic_friction: f64) -> Self {
        Self {
            density,
            restitution,
            static_friction,
            dynamic_friction,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            perturbation: 0.0,
        }
    }

    /// Checks every number; the error names the first that is out of range.
    pub fn validate(&self) -> Result<(), ModelError> {
        checked("material density", self.density, f64::MIN_POSITIVE.., "greater than 0 kg/m³")?;
        checked("restitution", self.restitution, 0.0..=1.0, "between 0 and 1")?;
        checked("static friction", self.static_friction, 0.0.., "at least 0")?;
        checked(
            "dynamic friction",
            self.dynamic_friction,
            0.0..=self.static_friction,
            "between 0 and the static friction",
        )?;
        checked("rolling friction", self.rolling_friction, 0.0.., "at least 0 m")?;
        checked("spinning friction", self.spinning_friction, 0.0.., "at least 0 m")?;
        checked("surface perturbation", self.perturbation, 0.0..=1.0, "between 0 and 1").map(|_| ())
    }
}

/// The properties of the contact between two materials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactMaterial {
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of static friction.
    pub static_friction: f64,
    /// Coefficient of dynamic friction.
    pub dynamic_friction: f64,
    /// Rolling friction in metres.
    pub rolling_friction: f64,
    /// Spinning friction in metres.
    pub spinning_friction: f64,
    /// Random tilt of contact normals, 0 to 1.
    pub perturbation: f64,
}

impl ContactMaterial {
    /// The nearest that makes sense: coefficients that are not negative, restitution and perturbation up to 1, and no more
    /// dynamic than static friction. What is not a number is zero.
    pub(crate) fn sanitized(&self) -> Self {
        let at_least_zero = |x: f64| if x > 0.0 { x.min(f64::MAX) } else { 0.0 };
        let static_friction = at_least_zero(self.static_friction);
        Self {
            restitution: at_least_zero(self.restitution).min(1.0),
            static_friction,
            dynamic_friction: at_least_zero(self.dynamic_friction).min(static_friction),
            rolling_friction: at_least_zero(self.rolling_friction),
            spinning_friction: at_least_zero(self.spinning_friction),
            perturbation: at_least_zero(self.perturbation).min(1.0),
        }
    }
}

/// How the materials of two bodies that touch are combined, number by number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MixingRules {
    /// The coefficients of restitution. Default "mean".
    pub restitution: Mix,
    /// The coefficients of friction, static and dynamic. Default "geometric_mean".
    pub friction: Mix,
    /// Rolling friction. Default "largest".
    pub rolling_friction: Mix,
    /// Friction against spinning. Default "largest".
    pub spinning_friction: Mix,
    /// The random tilt of normals. Default "sum".
    pub perturbation: Mix,
    /// How normals are tilted. Default "cube".
    pub roughness: Roughness,
}

impl Default for MixingRules {
    fn default() -> Self {
        Self {
            restitution: Mix::Mean,
            friction: Mix::GeometricMean,
            rolling_friction: Mix::Largest,
            spinning_friction: Mix::Largest,
            perturbation: Mix::Sum,
            roughness: Roughness::default(),
        }
    }
}

impl MixingRules {
    /// The contact between two materials.
    pub fn mix(&self, a: &Material, b: &Material) -> ContactMaterial {
        ContactMaterial {
            restitution: self.restitution.mix(a.restitution, b.restitution),
            static_friction: self.friction.mix(a.static_friction, b.static_friction),
            dynamic_friction: self.friction.mix(a.dynamic_friction, b.dynamic_friction),
            rolling_friction: self.rolling_friction.mix(a.rolling_friction, b.rolling_friction),
            spinning_friction: self.spinning_friction.mix(a.spinning_friction, b.spinning_friction),
            perturbation: self.perturbation.mix(a.perturbation, b.perturbation),
        }
    }
}

/// How rough surfaces tilt the normals of contacts (G 2.6.5), by the perturbation ε of the contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Roughness {
    /// By chance, when a contact begins: each coordinate of the normal gets a number in ±ε (default).
    #[default]
    Cube,
    /// By chance, when a contact begins: to a direction in the spherical cap of those whose cosine with the normal is more than 1 − ε, all equally
    /// likely.
    Cap,
    /// By a smooth function of the place, ±ε in each coordinate: who comes by there again finds the same bumps.
    Noise {
        /// How far bumps are from each other, in metres. From 1e-6 to 1e6; what is outside is brought into it.
        #[schemars(range(min = 1e-6, max = 1e6), extend("unit" = "m"))]
        scale: f64,
    },
}

/// One number made of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mix {
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

impl Mix {
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

/// A user's rule for the contact between two materials. Numbers out of range are brought into it: coefficients are not
/// negative, restitution and perturbation at most 1, dynamic friction at most static friction; NaN counts as zero.
pub type MixingRule = dyn Fn(&Material, &Material) -> ContactMaterial + Send + Sync;

/// How the materials of two touching colliders are combined.
#[derive(Clone, Default)]
pub enum MaterialMixing {
    /// Restitution by arithmetic mean, friction by geometric mean, perturbation by sum (default).
    #[default]
    Standard,
    /// By rules of which each makes one number of two.
    Rules(MixingRules),
    /// By your own rule.
    Custom(Arc<MixingRule>),
}

impl std::fmt::Debug for MaterialMixing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Standard => f.write_str("Standard"),
            Self::Rules(rules) => rules.fmt(f),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

impl MaterialMixing {
    /// How rough surfaces tilt normals.
    pub fn roughness(&self) -> Roughness {
        match self {
            Self::Rules(rules) => rules.roughness,
            Self::Standard | Self::Custom(_) => Roughness::default(),
        }
    }

    /// The contact between two materials.
    pub fn mix(&self, a: &Material, b: &Material) -> ContactMaterial {
        let mean = |x: f64, y: f64| 0.5 * (x + y);
        let geometric = |x: f64, y: f64| (x * y).sqrt();
        match self {
            Self::Standard => ContactMaterial {
                restitution: mean(a.restitution, b.restitution),
                static_friction: geometric(a.static_friction, b.static_friction),
                dynamic_friction: geometric(a.dynamic_friction, b.dynamic_friction),
                rolling_friction: a.rolling_friction.max(b.rolling_friction),
                spinning_friction: a.spinning_friction.max(b.spinning_friction),
                perturbation: a.perturbation + b.perturbation,
            },
            Self::Rules(rules) => rules.mix(a, b).sanitized(),
            Self::Custom(rule) => rule(a, b).sanitized(),
        }
    }
}
