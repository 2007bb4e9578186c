//! The retroactive method by the names of its parts, for scene files.

use super::RetroactiveSettings;
use crate::ModelError;
use crate::method::retroactive::ContactModel;
use crate::method::{Method, PenaltySettings, Retroactive};
use crate::registry::{DescribeMethod, Registry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A part by its registered name, with its properties.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartDescription {
    /// The registered name.
    pub name: String,
    /// The properties; what is not given has its default.
    #[serde(default)]
    pub properties: Value,
}

impl PartDescription {
    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), properties: Value::Null }
    }
}

/// What keeps bodies apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactModelName {
    /// Constraints that the solver holds (default).
    #[default]
    Constraints,
    /// Springs and dampers.
    Penalty,
}

/// The readable reference, for the laboratory and for comparisons, of parts that can be exchanged: it keeps energy and momentum, and does
/// not hurry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetroactiveDescription {
    /// The integrator. Default "velocity_verlet".
    pub integrator: PartDescription,
    /// The constraint solver. Default "direct".
    pub solver: PartDescription,
    /// The broad phase. Default "dynamic_tree".
    pub broad_phase: PartDescription,
    /// What keeps bodies apart. Default "constraints".
    pub contact_model: ContactModelName,
    /// The numbers of the springs, with the contact model "penalty".
    pub penalty: PenaltySettings,
    /// The settings.
    pub settings: RetroactiveSettings,
}

impl Default for RetroactiveDescription {
    fn default() -> Self {
        Self {
            integrator: PartDescription::named("velocity_verlet"),
            solver: PartDescription::named("direct"),
            broad_phase: PartDescription::named("dynamic_tree"),
            contact_model: ContactModelName::default(),
            penalty: PenaltySettings::default(),
            settings: RetroactiveSettings::default(),
        }
    }
}

impl RetroactiveDescription {
    /// Gives a method the parts and settings that this describes.
    fn apply(&self, method: &mut Retroactive, registry: &Registry) -> Result<(), ModelError> {
        let integrator = registry.integrators.create(&self.integrator.name, &self.integrator.properties)?;
        let solver = registry.solvers.create(&self.solver.name, &self.solver.properties)?;
        method.broad_phase = registry.broad_phases.create(&self.broad_phase.name, &self.broad_phase.properties)?;
        (method.integrator, method.solver, method.settings) = (integrator, solver, self.settings);
        method.contact_model = match self.contact_model {
            ContactModelName::Constraints => ContactModel::Constraints,
            ContactModelName::Penalty => ContactModel::Penalty(self.penalty),
        };
        Ok(())
    }
}

impl DescribeMethod for RetroactiveDescription {
    fn build(&self, registry: &Registry) -> Result<Box<dyn Method>, ModelError> {
        let mut method = Retroactive::new();
        self.apply(&mut method, registry)?;
        Ok(Box::new(method))
    }

    fn configure(&self, method: &mut dyn Method, registry: &Registry) -> Result<(), ModelError> {
        let name = method.name();
        let other = || ModelError::Invalid(format!("the settings of \"retroactive\" do not fit the method \"{name}\""));
        let method = (method as &mut dyn std::any::Any).downcast_mut::<Retroactive>().ok_or_else(other)?;
        self.apply(method, registry)
    }

    fn properties_of(&self, method: &dyn Method, registry: &Registry) -> Option<Value> {
        let method = (method as &dyn std::any::Any).downcast_ref::<Retroactive>()?;
        let part = |(name, properties): (&str, Value)| PartDescription { name: name.to_owned(), properties };
        let (contact_model, penalty) = match method.contact_model {
            ContactModel::Constraints => (ContactModelName::Constraints, PenaltySettings::default()),
            ContactModel::Penalty(penalty) => (ContactModelName::Penalty, penalty),
        };
        let description = Self {
            contact_model,
            penalty,
            integrator: part(registry.integrators.describe(&method.integrator)?),
            solver: part(registry.solvers.describe(&method.solver)?),
            broad_phase: part(registry.broad_phases.describe(&method.broad_phase)?),
            settings: method.settings,
        };
        serde_json::to_value(description).ok()
    }
}
