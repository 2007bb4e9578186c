//! Reading and changing one joint of a world.

use super::World;
use crate::constraint::{Attach, BodyView, Coordinate, Freedom, JointView, Row, continued};
use crate::curve::{Aim, Curve, Program};
use crate::event::Reaction;
use crate::journal::{Change, JointChange};
use crate::model::{Breaking, JointModel, Made};
use crate::{Id, JointId, ModelError};
use glam::DVec3;
use std::sync::Arc;

/// A joint of a world, to read.
#[derive(Clone, Copy, Debug)]
pub struct JointRef<'a> {
    world: &'a World,
    model: &'a JointModel,
    id: JointId,
}

impl<'a> JointRef<'a> {
    /// What it connects and how.
    pub fn model(&self) -> &'a JointModel {
        self.model
    }

    /// Whether it has broken.
    pub fn is_broken(&self) -> bool {
        self.world.state.broken[self.id.slot()]
    }

    /// Where it holds its two ends, in world coordinates.
    pub fn anchors(&self) -> [DVec3; 2] {
        self.model.constraint.anchors(&self.views())
    }

    /// How far a joint that turns (a hinge) has turned since it was made, in radians, whole turns included; none for others.
    pub fn angle(&self) -> Option<f64> {
        self.model
            .constraint
            .angle(&self.views())
            .map(|angle| continued(angle, self.world.state.angles[self.id.slot()]))
    }

    /// The coordinates it leaves free that something may act on, with where they are and how fast they move: the turn of a
    /// hinge, the slide of a slider, the travel, steering and spin of a wheel. Empty for joints that have none.
    pub fn coordinates(&self) -> Vec<Coordinate> {
        self.model.constraint.coordinates(&self.view())
    }

    /// One of its [coordinates](Self::coordinates) by name; none if it has none of this name.
    pub fn coordinate(&self, name: &str) -> Option<Coordinate> {
        self.coordinates().into_iter().find(|coordinate| coordinate.name == name)
    }

    /// By how much it is open: the largest error of its rows, in metres or radians.
    pub fn error(&self) -> f64 {
        let mut rows: Vec<Row> = Vec::new();
        self.model.constraint.rows(&self.view(), &mut rows);
        rows.iter().map(Row::violation).fold(0.0, f64::max)
    }

    /// The force (N) and torque (N m, about the second anchor) it exerted on its second end during the last step, along
    /// world axes; the first end got the opposite. Zero before the first step and once it is broken.
    pub fn reaction(&self) -> Reaction {
        let known = self.world.method.reaction(self.id).filter(|_| !self.is_broken());
        known.unwrap_or_default()
    }

    fn view(&self) -> JointView {
        JointView { bodies: self.views(), angle: self.angle().unwrap_or(0.0) }
    }

    fn views(&self) -> [BodyView; 2] {
        self.model.ends.map(|end| BodyView::of(&self.world.model, &self.world.state.bodies, end))
    }
}

/// A joint of a world, to change. The bodies it connects wake up.
#[derive(Debug)]
pub struct JointMut<'a> {
    world: &'a mut World,
    id: JointId,
}

impl World {
    /// A joint, to read.
    pub fn joint(&self, id: JointId) -> Result<JointRef<'_>, ModelError> {
        let model = self.model.joints.get(id).ok_or(ModelError::NoSuchJoint(id))?;
        Ok(JointRef { world: self, model, id })
    }

    /// All joints with their ids, in the order of their slots.
    pub fn joints(&self) -> impl Iterator<Item = (JointId, JointRef<'_>)> {
        self.model.joints.iter().map(|(id, model)| (id, JointRef { world: self, model, id }))
    }

    /// The first joint with this name.
    pub fn joint_named(&self, name: &str) -> Option<JointId> {
        self.model.joints.iter().find(|(_, joint)| joint.name == name).map(|(id, _)| id)
    }

    /// A joint, to change; what it connects wakes up.
    pub fn joint_mut(&mut self, id: JointId) -> Result<JointMut<'_>, ModelError> {
        let ends = self.model.joints.get(id).ok_or(ModelError::NoSuchJoint(id))?.ends;
        self.wake_ends(ends);
        Ok(JointMut { world: self, id })
    }
}

impl JointMut<'_> {
    fn change(&mut self, change: JointChange, edit: impl FnOnce(&mut JointModel)) {
        if let Some(joint) = self.world.model.joints.get_mut(self.id) {
            edit(joint);
        }
        self.world.note(Change::Joint(self.id, change));
    }

    /// Sets the name to find it by; may be empty.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.change(JointChange::Name, |joint| joint.name = name.into());
    }

    /// What breaks it from now on.
    pub fn set_breaking(&mut self, breaking: Breaking) -> Result<(), ModelError> {
        breaking.validate()?;
        self.change(JointChange::Breaking, |joint| joint.breaking = breaking);
        Ok(())
    }

    /// Lets the bodies it connects collide with each other.
    pub fn let_collide(&mut self) {
        self.change(JointChange::Collision, |joint| joint.collide = true);
    }

    /// Keeps the bodies it connects from colliding with each other.
    pub fn keep_from_colliding(&mut self) {
        self.change(JointChange::Collision, |joint| joint.collide = false);
    }

    /// Breaks it; it stays in the model and holds nothing.
    pub fn snap(&mut self) {
        self.world.state.broken[self.id.slot()] = true;
        self.world.note(Change::Joint(self.id, JointChange::Broken));
    }

    /// Mends it where it was attached: bodies that have come apart are pulled together.
    pub fn mend(&mut self) {
        self.world.state.broken[self.id.slot()] = false;
        self.world.note(Change::Joint(self.id, JointChange::Mended));
    }

    /// Changes what acts on one of its [coordinates](JointRef::coordinates), by name: throttle, steering, servos, brakes and
    /// limits, between any two steps. Where the joint was made, and how often it has turned since, stays what it was.
    pub fn set_freedom(&mut self, coordinate: &str, freedom: Freedom) -> Result<(), ModelError> {
        freedom.validate()?;
        let joint = JointRef {
            world: self.world,
            model: self.world.model.joints.get(self.id).ok_or(ModelError::NoSuchJoint(self.id))?,
            id: self.id,
        };
        let Some(changed) = joint.model.constraint.with_freedom(coordinate, freedom) else {
            let known: Vec<&str> = joint.coordinates().iter().map(|coordinate| coordinate.name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(ModelError::UnknownName {
                kind: "coordinate of this joint",
                name: coordinate.to_owned(),
                known,
            });
        };
        self.change(JointChange::Steered, |joint| joint.constraint = changed);
        Ok(())
    }

    /// Lets the motor or the drive of one of its [coordinates](JointRef::coordinates) follow a curve from now on.
    pub fn follow(
        &mut self,
        coordinate: impl Into<String>,
        aim: Aim,
        curve: impl Curve + 'static,
    ) -> Result<(), ModelError> {
        self.world.follow(self.id, Program { coordinate: coordinate.into(), aim, curve: Arc::new(curve) })
    }

    /// Lets nothing of it follow curves any more: motors and drives stay what they are.
    pub fn stop_following(&mut self) {
        self.world.forget_programs(self.id);
    }

    /// Replaces what it demands by another joint, attached to the bodies as they are now.
    pub fn attach(&mut self, attach: impl Attach + 'static) -> Result<(), ModelError> {
        let joint = self.world.model.joints.get(self.id).ok_or(ModelError::NoSuchJoint(self.id))?;
        let views = joint.ends.map(|end| BodyView::of(&self.world.model, &self.world.state.bodies, end));
        let made = Made { attach: Arc::new(attach), frame: None, bodies: views };
        let constraint = made.constraint()?;
        let angle = constraint.angle(&views);
        // The turns of what was there before do not count.
        self.world.state.angles[self.id.slot()] = angle.unwrap_or(0.0);
        let ends = joint.ends;
        // Another joint may have no such coordinates.
        self.world.forget_programs(self.id);
        self.change(JointChange::Attached, |joint| {
            (joint.constraint, joint.made, joint.turns) = (constraint, made, angle.is_some());
        });
        self.world.share_loads(ends);
        Ok(())
    }
}
