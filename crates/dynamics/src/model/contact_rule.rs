//! A contact rule: your last word on a contact before it is solved (in other engines: contact modification, pre-solve callback).
//!
//! Materials and filters speak of what things are. Some contacts depend on how things meet: a platform that lets through what
//! comes from below, a belt that carries what lies on it, ice that gets slippery under heavy things. A rule is shown every pair of
//! solid colliders that have points of contact, in the order of their ids, whenever these were found anew, and may change what
//! becomes of it.
//!
//! **It must be a function of what it is shown** (and of things that do not change while a world runs): then runs can be repeated,
//! resumed and spread over threads. It is asked about pairs that are awake; several times in a step if the method looks at contacts
//! more than once.
//!
//! ```
//! use tumble_dynamics::model::{ContactChange, ContactPair};
//! use tumble_dynamics::{Body, World, geometry::{Shape, glam::DVec3}};
//!
//! let mut world = World::new();
//! let ground = Body::fixed().with_shape(Shape::half_space(DVec3::Y)?).with_user_data(1);
//! world.add_body(ground)?;
//! let cube = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5; 3])?).at([0.0, 0.5, 0.0]))?;
//! // Whatever lies on a body with user data 1 is carried along at 2 m/s.
//! world.set_contact_rule(|pair: &ContactPair<'_>, change: &mut ContactChange| {
//!     let belt = |side: usize| pair.body(side).user_data == 1;
//!     let sign = if belt(0) { 1.0 } else if belt(1) { -1.0 } else { 0.0 };
//!     change.surface_velocity = DVec3::X * 2.0 * sign;
//! });
//! for _ in 0..120 {
//!     world.step(1.0 / 60.0)?;
//! }
//! assert!((world.body(cube)?.velocity().x - 2.0).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{BodyModel, ColliderModel, ContactMaterial};
use crate::{BodyId, BodyState, ColliderId, Id, Model, State};
use glam::DVec3;

/// A pair of colliders that have points of contact, as a contact rule sees it.
#[derive(Clone, Copy, Debug)]
pub struct ContactPair<'a> {
    /// The colliders, the smaller id first.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// The unit normal out of the first into the second, in world coordinates: of the deepest point.
    pub normal: DVec3,
    /// The smallest gap in metres; negative for overlap. It may be open: contacts are found ahead of the motion.
    pub gap: f64,
    pub(crate) collider_models: [&'a ColliderModel; 2],
    pub(crate) model: &'a Model,
    pub(crate) state: &'a State,
}

impl<'a> ContactPair<'a> {
    /// What does not change of the first (0) or second (1) body.
    pub fn body(&self, side: usize) -> &'a BodyModel {
        let id = self.bodies[side.min(1)];
        self.model.bodies().get(id).expect("the body of a collider that is there")
    }

    /// What does.
    pub fn motion(&self, side: usize) -> &'a BodyState {
        &self.state.bodies[self.bodies[side.min(1)].slot()]
    }

    /// The first (0) or second (1) collider.
    pub fn collider(&self, side: usize) -> &'a ColliderModel {
        self.collider_models[side.min(1)]
    }

    /// How fast the centre of mass of the second body moves relative to that of the first, in m/s.
    pub fn relative_velocity(&self) -> DVec3 {
        self.motion(1).velocity - self.motion(0).velocity
    }

    /// How long the world has run, in seconds.
    pub fn time(&self) -> f64 {
        self.state.time
    }
}

/// What a contact rule may change. It begins as the materials say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactChange {
    /// Friction and restitution. Numbers out of range are brought into it.
    pub material: ContactMaterial,
    /// Whether they collide. Default true.
    pub solid: bool,
    /// How fast the surface of the first runs along itself, over that of the second, though the bodies do not move: belts and
    /// tracks. In m/s, in world axes; the part along the normal does not count. Default: zero. Acts where at least one of the two is
    /// moved by nobody or by a script or course.
    pub surface_velocity: DVec3,
}

/// Your last word on a contact. Closures `Fn(&ContactPair, &mut ContactChange)` are rules.
pub trait ContactRule: Send + Sync {
    /// Looks at a pair and changes what becomes of it.
    fn apply(&self, pair: &ContactPair<'_>, change: &mut ContactChange);
}

impl<F: Fn(&ContactPair<'_>, &mut ContactChange) + Send + Sync> ContactRule for F {
    fn apply(&self, pair: &ContactPair<'_>, change: &mut ContactChange) {
        self(pair, change)
    }
}

/// The rule of a model, if it has one.
#[derive(Clone, Default)]
pub(crate) struct Rule(pub(crate) Option<std::sync::Arc<dyn ContactRule>>);

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rule({})", if self.0.is_some() { "given" } else { "none" })
    }
}

impl Model {
    /// Whether there is a contact rule.
    pub fn has_contact_rule(&self) -> bool {
        self.contact_rule.0.is_some()
    }

    /// What the contact rule makes of a pair with these points: the normal and the gap of the deepest. None if there is no rule.
    pub fn contact_change(
        &self,
        state: &State,
        colliders: [ColliderId; 2],
        material: ContactMaterial,
        (normal, gap): (DVec3, f64),
    ) -> Option<ContactChange> {
        let rule = self.contact_rule.0.as_ref()?;
        let collider_models = [self.colliders.get(colliders[0])?, self.colliders.get(colliders[1])?];
        let bodies = collider_models.map(|collider| collider.body);
        let pair = ContactPair { colliders, bodies, normal, gap, collider_models, model: self, state };
        let mut change = ContactChange { material, solid: true, surface_velocity: DVec3::ZERO };
        rule.apply(&pair, &mut change);
        change.material = change.material.sanitized();
        if !change.surface_velocity.is_finite() {
            change.surface_velocity = DVec3::ZERO;
        }
        Some(change)
    }
}
