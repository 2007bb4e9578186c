//! Which bodies a force acts on.

use super::ForceContext;
use crate::model::BodyModel;
use crate::schema::JsonSchema;
use crate::{BodyId, BodyState, Id};
use serde::{Deserialize, Serialize};

/// Which bodies a force acts on; of these, only those that forces can move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// All bodies (default).
    #[default]
    All,
    /// The bodies with this name.
    Named(String),
    /// The members of this collision group.
    Group(String),
    /// These bodies. In saved worlds only; a scene names its bodies.
    #[serde(rename = "body_ids")]
    #[schemars(skip)]
    Bodies(Vec<BodyId>),
}

impl From<BodyId> for Target {
    fn from(id: BodyId) -> Self {
        Self::Bodies(vec![id])
    }
}

impl Target {
    fn includes(&self, id: BodyId, body: &BodyModel) -> bool {
        match self {
            Self::All => true,
            Self::Named(name) => body.name == *name,
            Self::Group(group) => body.groups.contains(group),
            Self::Bodies(list) => list.contains(&id),
        }
    }

    /// The movable bodies it means, with their slots and motions, in the order of slots.
    pub fn bodies<'a>(
        &'a self,
        context: &ForceContext<'a>,
    ) -> impl Iterator<Item = (usize, &'a BodyModel, &'a BodyState)> {
        let states = context.bodies;
        let movable = |body: &BodyModel| body.kind.is_movable();
        let bodies = context.model.bodies().iter();
        bodies
            .filter(move |(id, body)| movable(body) && self.includes(*id, body))
            .map(move |(id, body)| (id.slot(), body, &states[id.slot()]))
    }
}
