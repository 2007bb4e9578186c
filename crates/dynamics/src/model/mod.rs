//! The model: everything that does not change as time passes.

mod body;
mod collider;
mod contact_rule;
mod course;
pub mod filter;
mod filter_masks;
mod fingerprint;
mod joint;
mod layers;
mod locks;
pub mod material;
mod script;

pub(crate) use body::MassChoice;
pub use body::{Body, BodyKind, BodyModel, Sleep};
pub use collider::{Collider, ColliderModel};
pub(crate) use contact_rule::Rule;
pub use contact_rule::{ContactChange, ContactPair, ContactRule};
pub use course::Course;
pub use filter::CollisionFilter;
pub(crate) use filter_masks::FilterMasks;
pub(crate) use joint::Made;
pub use joint::{Breaking, Joint, JointEnd, JointModel};
pub use layers::Layers;
pub use locks::Locks;
pub use material::{ContactMaterial, Material, MaterialMixing, Mix, MixingRules, Roughness};
pub use script::{Script, ScriptMotion};

use crate::force::Force;
use crate::{Arena, BodyId, ColliderId, ForceId, JointId};
use std::sync::Arc;
use tumble_geometry::Fuse;

/// Bodies, colliders, joints, forces, filter and mixing rule. Copy-on-write: a clone shares everything, and a change of
/// either copies the little it concerns.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) bodies: Arena<BodyId, BodyModel>,
    pub(crate) colliders: Arena<ColliderId, ColliderModel>,
    pub(crate) joints: Arena<JointId, JointModel>,
    pub(crate) forces: Arena<ForceId, Arc<dyn Force>>,
    pub(crate) filter: Arc<CollisionFilter>,
    /// The filter, compiled for these bodies.
    pub(crate) filter_masks: Arc<FilterMasks>,
    pub(crate) mixing: MaterialMixing,
    pub(crate) contact_rule: Rule,
    /// The joints of which something follows curves.
    pub(crate) programmed: Arc<Vec<JointId>>,
    /// What parts that may fail tell of it.
    pub(crate) fuses: Arc<Vec<Fuse>>,
    pub(crate) revision: u64,
    /// How many shapes were replaced so far.
    pub(crate) shape_revisions: u64,
}

impl Model {
    /// A number that grows with every change by hand, so that what was worked out from a model can be found outdated.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The bodies.
    pub fn bodies(&self) -> &Arena<BodyId, BodyModel> {
        &self.bodies
    }

    /// The colliders of all bodies.
    pub fn colliders(&self) -> &Arena<ColliderId, ColliderModel> {
        &self.colliders
    }

    /// The joints.
    pub fn joints(&self) -> &Arena<JointId, JointModel> {
        &self.joints
    }

    /// The forces.
    pub fn forces(&self) -> &Arena<ForceId, Arc<dyn Force>> {
        &self.forces
    }

    /// Which pairs may collide.
    pub fn filter(&self) -> &CollisionFilter {
        &self.filter
    }

    /// Whether the filter lets two bodies collide.
    pub fn may_collide(&self, bodies: [BodyId; 2]) -> bool {
        let asked = self.filter.callback.as_ref().and_then(|ask| ask(self, bodies));
        asked.unwrap_or_else(|| self.filter_masks.allow(bodies))
    }

    /// How the materials of two touching colliders are combined.
    pub fn mixing(&self) -> &MaterialMixing {
        &self.mixing
    }
}
