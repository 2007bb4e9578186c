//! How hard a constraint is enforced, and how that is written.
//!
//! The numbers say by their names which kind is meant: `{ frequency = 2, damping_ratio = 1 }`. The name of the kind may stand
//! before them, `{ spring = { frequency = 2, damping_ratio = 1 } }`, which is how it is written out.

use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// How hard a row is enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", from = "Written")]
pub enum Softness {
    /// As hard as the method can (default).
    #[default]
    Rigid,
    /// Correct the fraction `beta` of the error per step (Baumgarte).
    Baumgarte {
        /// Between 0 and 1.
        beta: f64,
    },
    /// `J v + β c/h + γ λ/h = 0` (T 2.9) for the impulse λ of a step h, with γ in m/(N s) or rad/(N m s) and β without unit. A mass m
    /// on such a row sags by γ h m g/β.
    Coefficients {
        /// The compliance.
        gamma: f64,
        /// The feedback.
        beta: f64,
    },
    /// A spring and damper by their constants: a PD controller.
    Stiffness {
        /// In N/m or N m/rad.
        stiffness: f64,
        /// In N s/m or N m s/rad.
        damping: f64,
    },
    /// A spring and damper, independent of the bodies' masses.
    Spring {
        /// The undamped frequency in hertz.
        frequency: f64,
        /// The damping ratio; 1 is critical.
        damping_ratio: f64,
    },
}

impl Softness {
    /// Checks every number.
    pub fn validate(&self) -> Result<(), ModelError> {
        match *self {
            Self::Rigid => Ok(()),
            Self::Baumgarte { beta } => checked("Baumgarte factor", beta, 0.0..=1.0, "between 0 and 1").map(|_| ()),
            Self::Coefficients { gamma, beta } => {
                checked("softness gamma", gamma, 0.0.., "at least 0")?;
                checked("softness beta", beta, 0.0..=1.0, "between 0 and 1").map(|_| ())
            }
            Self::Stiffness { stiffness, damping } => {
                checked("stiffness", stiffness, 0.0.., "at least 0")?;
                checked("damping", damping, 0.0.., "at least 0").map(|_| ())
            }
            Self::Spring { frequency, damping_ratio } => {
                checked("spring frequency", frequency, f64::MIN_POSITIVE.., "greater than 0 Hz")?;
                checked("damping ratio", damping_ratio, 0.0.., "at least 0").map(|_| ())
            }
        }
    }
}

/// How hard something is held: "rigid", or by numbers, with or without the name of the kind before them.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Softness")]
enum Written {
    Named(Named),
    Spring(Spring),
    Stiffness(Stiffness),
    Coefficients(Coefficients),
    Baumgarte(Baumgarte),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Named {
    /// As hard as the method can.
    Rigid,
    Spring(Spring),
    Stiffness(Stiffness),
    Coefficients(Coefficients),
    Baumgarte(Baumgarte),
}

/// A spring and damper, independent of the bodies' masses.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct Spring {
    /// The undamped frequency.
    #[schemars(extend("exclusiveMinimum" = 0.0, "unit" = "Hz"))]
    frequency: f64,
    /// The damping ratio; 1 is critical.
    #[schemars(range(min = 0.0), extend("unit" = "1"))]
    damping_ratio: f64,
}

/// A spring and damper by their constants: a PD controller.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct Stiffness {
    /// The force or torque per displacement.
    #[schemars(range(min = 0.0), extend("unit" = "N/m or N m/rad"))]
    stiffness: f64,
    /// The force or torque per speed.
    #[schemars(range(min = 0.0), extend("unit" = "N s/m or N m s/rad"))]
    damping: f64,
}

/// `J v + β c/h + γ λ/h = 0` (T 2.9) for the impulse λ of a step h.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct Coefficients {
    /// The compliance γ.
    #[schemars(range(min = 0.0), extend("unit" = "m/(N s) or rad/(N m s)"))]
    gamma: f64,
    /// The feedback β.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    beta: f64,
}

/// Corrects the fraction `beta` of the error per step.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct Baumgarte {
    /// The fraction.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    beta: f64,
}

impl From<Written> for Softness {
    fn from(written: Written) -> Self {
        match written {
            Written::Named(Named::Rigid) => Self::Rigid,
            Written::Named(Named::Spring(numbers)) | Written::Spring(numbers) => {
                let Spring { frequency, damping_ratio } = numbers;
                Self::Spring { frequency, damping_ratio }
            }
            Written::Named(Named::Stiffness(numbers)) | Written::Stiffness(numbers) => {
                let Stiffness { stiffness, damping } = numbers;
                Self::Stiffness { stiffness, damping }
            }
            Written::Named(Named::Coefficients(numbers)) | Written::Coefficients(numbers) => {
                let Coefficients { gamma, beta } = numbers;
                Self::Coefficients { gamma, beta }
            }
            Written::Named(Named::Baumgarte(Baumgarte { beta })) | Written::Baumgarte(Baumgarte { beta }) => {
                Self::Baumgarte { beta }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_name_of_the_kind_may_be_left_out() {
        let kinds = [
            Softness::Baumgarte { beta: 0.2 },
            Softness::Coefficients { gamma: 0.1, beta: 0.2 },
            Softness::Stiffness { stiffness: 50.0, damping: 2.0 },
            Softness::Spring { frequency: 2.0, damping_ratio: 1.0 },
        ];
        for kind in kinds {
            let written = json!(kind);
            let (_, numbers) = written.as_object().and_then(|entries| entries.iter().next()).unwrap();
            assert_eq!(serde_json::from_value::<Softness>(written.clone()).unwrap(), kind);
            assert_eq!(serde_json::from_value::<Softness>(numbers.clone()).unwrap(), kind);
        }
        assert_eq!(serde_json::from_value::<Softness>(json!(Softness::Rigid)).unwrap(), Softness::Rigid);
        assert!(serde_json::from_value::<Softness>(json!({ "frequency": 1, "damping": 1 })).is_err());
    }
}
