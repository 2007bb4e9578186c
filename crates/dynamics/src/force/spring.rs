//! A spring with a damper between two points of bodies, or of a body and the world.
//!
//! With the points p₁, p₂, d = p₂ − p₁, the length l = |d| and e = d/l:
//!
//! ```text
//! F₁ = (k (l − l₀) + c (v₂ − v₁)·e) e = −F₂
//! ```

use super::{Force, ForceContext, Wrenches};
use crate::model::JointEnd;
use crate::{BodyState, Id};
use glam::DVec3;

/// A spring and damper between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// What it connects.
    pub ends: [JointEnd; 2],
    /// Where it is attached: in the body frames, or in world coordinates for the world, in metres.
    pub points: [DVec3; 2],
    /// The length l₀ at which it is relaxed, in metres.
    pub rest_length: f64,
    /// The stiffness k in N/m.
    pub stiffness: f64,
    /// The damping c in N s/m.
    pub damping: f64,
}

/// The body an end belongs to, with its slot; none for the world.
type Owner<'a> = Option<(usize, &'a BodyState)>;

impl Spring {
    /// A spring with stiffness 100 N/m, no damping and rest length 0 between the frames' origins.
    pub fn new(first: impl Into<JointEnd>, second: impl Into<JointEnd>) -> Self {
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

    /// World position and velocity of an end, and whose it is.
    fn end<'a>(&self, context: &ForceContext<'a>, side: usize) -> Option<(DVec3, DVec3, Owner<'a>)> {
        match self.ends[side] {
            JointEnd::World => Some((self.points[side], DVec3::ZERO, None)),
            JointEnd::Body(id) => {
                let body = context.model.bodies().get(id)?;
                let state = &context.bodies[id.slot()];
                let point = body.frame(state).point(self.points[side]);
                Some((point, state.velocity_at(point), Some((id.slot(), state))))
            }
        }
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

    /// `E = ½ k (l − l₀)²`.
    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        let ((p1, ..), (p2, ..)) = (self.end(context, 0)?, self.end(context, 1)?);
        let stretch = (p2 - p1).length() - self.rest_length;
        Some(0.5 * self.stiffness * stretch * stretch)
    }
}
