//! A spring with a damper between two points of bodies, or of a body and the world.
//!
//! With the points p₁, p₂, d = p₂ − p₁, the length l = |d| and e = d/l:
//!
//! ```text
//! F₁ = (k (l − l₀) + c (v₂ − v₁)·e) e = −F₂
//! ```

use super::{Force, ForceContext, Wrenches};
use crate::model::JointEnd;
use crate::schema::JsonSchema;
use crate::{BodyId, BodyState, Id};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// What an end of a spring is fixed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpringEnd {
    /// The world, which never moves (default).
    #[default]
    World,
    /// The first body with this name; while there is none, the spring does nothing.
    Named(String),
    /// This body. In saved worlds only; a scene names its bodies.
    #[serde(rename = "body_id")]
    #[schemars(skip)]
    Body(BodyId),
}

impl From<BodyId> for SpringEnd {
    fn from(id: BodyId) -> Self {
        Self::Body(id)
    }
}

impl From<JointEnd> for SpringEnd {
    fn from(end: JointEnd) -> Self {
        match end {
            JointEnd::Body(id) => Self::Body(id),
            JointEnd::World => Self::World,
        }
    }
}

/// A spring and damper between two points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Spring {
    /// The two things it connects. Default: the world, twice.
    pub ends: [SpringEnd; 2],
    /// Where it is attached: in the body frames, or in world coordinates for the world, in metres. Default: the origins.
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m"))]
    pub points: [DVec3; 2],
    /// The length l₀ at which it is relaxed, in metres. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub rest_length: f64,
    /// The stiffness k in N/m. Default 100.
    #[schemars(range(min = 0.0), extend("unit" = "N/m"))]
    pub stiffness: f64,
    /// The damping c in N s/m. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "N s/m"))]
    pub damping: f64,
}

impl Default for Spring {
    fn default() -> Self {
        Self::new(SpringEnd::World, SpringEnd::World)
    }
}

/// The body an end belongs to, with its slot; none for the world.
type Owner<'a> = Option<(usize, &'a BodyState)>;

impl Spring {
    /// A spring with stiffness 100 N/m, no damping and rest length 0 between the frames' origins.
    pub fn new(first: impl Into<SpringEnd>, second: impl Into<SpringEnd>) -> Self {
        Self {
            ends: [first.into(), second.into()],
            points: [DVec3::ZERO; 2],
            rest_length: 0.0,
            stiffness: 100.0,
            damping: 0.0,
        }
    }

    /// With other points of attachment.
    pub fn between(mut self, first: impl Into<DVec3>, second: impl Into<DVec3>) -> Self {
        self.points = [first.into(), second.into()];
        self
    }

    /// With another rest length in metres.
    pub fn with_rest_length(mut self, length: f64) -> Self {
        self.rest_length = length;
        self
    }

    /// With another stiffness in N/m.
    pub fn with_stiffness(mut self, stiffness: f64) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// With another damping in N s/m.
    pub fn with_damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// World position and velocity of an end, and whose it is; none if there is no such body.
    fn end<'a>(&self, context: &ForceContext<'a>, side: usize) -> Option<(DVec3, DVec3, Owner<'a>)> {
        let bodies = context.model.bodies();
        let id = match &self.ends[side] {
            SpringEnd::World => return Some((self.points[side], DVec3::ZERO, None)),
            SpringEnd::Named(name) => bodies.iter().find(|(_, body)| body.name == *name)?.0,
            SpringEnd::Body(id) => *id,
        };
        let (body, state) = (bodies.get(id)?, &context.bodies[id.slot()]);
        let point = body.frame(state).point(self.points[side]);
        Some((point, state.velocity_at(point), Some((id.slot(), state))))
    }
}

impl Force for Spring {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        let (Some((p1, v1, first)), Some((p2, v2, second))) = (self.end(context, 0), self.end(context, 1)) else {
            return;
        };
        let length = (p2 - p1).length();
        // A spring of length zero has no direction; at rest length zero it is linear and needs none.
        let force = if self.rest_length == 0.0 && self.damping == 0.0 {
            (p2 - p1) * self.stiffness
        } else if length > 0.0 {
            let along = (p2 - p1) / length;
            along * (self.stiffness * (length - self.rest_length) + self.damping * (v2 - v1).dot(along))
        } else {
            DVec3::ZERO
        };
        for (end, point, force) in [(first, p1, force), (second, p2, -force)] {
            if let Some((slot, state)) = end {
                wrenches.add_force_at(slot, state.position, force, point);
            }
        }
    }

    /// `E = ½ k (l − l₀)²`; zero while a body it names does not exist.
    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        let (Some((p1, ..)), Some((p2, ..))) = (self.end(context, 0), self.end(context, 1)) else { return Some(0.0) };
        let stretch = (p2 - p1).length() - self.rest_length;
        Some(0.5 * self.stiffness * stretch * stretch)
    }

    fn ends(&self, context: &ForceContext<'_>) -> Option<[DVec3; 2]> {
        Some([self.end(context, 0)?.0, self.end(context, 1)?.0])
    }
}
