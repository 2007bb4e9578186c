//! Adding, removing and changing bodies, colliders, joints and forces between steps.

use super::World;
use super::mass::{about_center, mass_of, script_motion, set_inverses};
use crate::constraint::BodyView;
use crate::error::{called, checked};
use crate::force::Force;
use crate::journal::{BodyChange, Change, ColliderChange, ForceChange, JointChange};
use crate::model::{
    BodyKind, BodyModel, ColliderModel, CollisionFilter, ContactChange, ContactPair, Course, FilterMasks, Joint,
    JointEnd, JointModel, Layers, Made, Material, MaterialMixing, Rule,
};
use crate::{Body, BodyId, BodyState, Collider, ColliderId, ForceId, Id, JointId, ModelError, Wrench};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use tumble_geometry::Transform;

impl World {
    /// Adds a body with its colliders.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, ModelError> {
        body.validate()?;
        for collider in &body.colliders {
            validate_collider(collider)?;
        }
        let material = body.material.unwrap_or_default();
        let colliders: Vec<ColliderModel> =
            body.colliders.into_iter().map(|collider| collider_model(collider, material, body.layers)).collect();
        let mass = mass_of(&body.kind, body.mass, colliders.iter())?;
        let mut kind = body.kind;
        if kind.course().is_some() {
            let (from, center) = (body.pose.normalized(), mass.center);
            let velocity = body.velocity - body.angular_velocity.cross(from.vector(center));
            let course =
                Course { velocity, angular_velocity: body.angular_velocity, ..Course::rest(from, self.state.time) };
            kind = BodyKind::Scripted(Arc::new(course));
        }
        let (pose, velocity, angular_velocity) = match &kind {
            BodyKind::Scripted(script) => {
                let motion = script_motion(script.as_ref(), self.state.time)?;
                (motion.pose, motion.velocity_at(motion.pose.point(mass.center)), motion.angular_velocity)
            }
            BodyKind::Particle => (body.pose.normalized(), body.velocity, DVec3::ZERO),
            _ => (body.pose.normalized(), body.velocity, body.angular_velocity),
        };
        let [velocity, angular_velocity] = body.locks.leave(velocity, angular_velocity);
        let state = BodyState {
            position: pose.point(mass.center),
            rotation: pose.rotation,
            velocity,
            angular_velocity,
            ..BodyState::default()
        };
        if !state.is_finite() {
            let value = format!("{:?}", body.pose);
            return Err(ModelError::OutOfRange {
                what: "body pose",
                value,
                allowed: "small enough for its centre of mass",
            });
        }
        let mut model = BodyModel {
            name: body.name,
            kind,
            mass,
            inverse_mass: 0.0,
            inverse_inertia: DMat3::ZERO,
            linear_damping: body.linear_damping,
            angular_damping: body.angular_damping,
            gravity_scale: body.gravity_scale,
            sleep: body.sleep,
            colliders: Vec::new(),
            joints: Vec::new(),
            groups: body.groups.clone(),
            locks: body.locks,
            user_data: body.user_data,
            mass_choice: body.mass,
            principal: mass.principal(),
        };
        set_inverses(&mut model);

        let id = self.model.bodies.insert(model);
        Arc::make_mut(&mut self.model.filter_masks).add_body(id, &body.groups);
        self.note(Change::Body(id, BodyChange::Added));
        let rows = self.model.bodies.slot_count();
        self.state.bodies.resize_with(rows, BodyState::default);
        self.state.bodies[id.slot()] = state;
        self.state.applied.set(id.slot(), Wrench::default());
        self.past.set(id.slot(), state.position, state.rotation);
        for collider in colliders {
            self.insert_collider(id, collider);
        }
        self.relock(id)?;
        Ok(id)
    }

    /// Removes a body with its colliders and joints. Bodies it touched or was joined to wake up.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), ModelError> {
        let body = self.model.bodies.get(id).ok_or(ModelError::NoSuchBody(id))?;
        let (joints, colliders) = (body.joints.clone(), body.colliders.clone());
        self.wake_touching(id);
        for joint in joints {
            self.remove_joint(joint)?;
        }
        for collider in colliders {
            self.model.colliders.remove(collider);
            self.places.lend().changed(collider.slot());
            self.note(Change::Collider(collider, ColliderChange::Removed));
        }
        self.model.bodies.remove(id);
        self.note(Change::Body(id, BodyChange::Removed));
        self.state.bodies[id.slot()] = BodyState::default();
        self.state.applied.set(id.slot(), Wrench::default());
        Ok(())
    }

    /// Adds a collider to a body; its mass changes unless it was given.
    pub fn add_collider(&mut self, body: BodyId, collider: Collider) -> Result<ColliderId, ModelError> {
        validate_collider(&collider)?;
        let model = self.model.bodies.get(body).ok_or(ModelError::NoSuchBody(body))?;
        let collider = collider_model(collider, Material::default(), Layers::default());
        let others = model.colliders.iter().filter_map(|&id| self.model.colliders.get(id));
        let mass = mass_of(&model.kind, model.mass_choice, others.chain([&collider]))?;
        let id = self.insert_collider(body, collider);
        self.set_mass(body, mass);
        Ok(id)
    }

    /// Removes a collider; the mass of its body changes unless it was given.
    pub fn remove_collider(&mut self, id: ColliderId) -> Result<(), ModelError> {
        let body = self.model.colliders.get(id).ok_or(ModelError::NoSuchCollider(id))?.body;
        let model = self.model.bodies.get(body).ok_or(ModelError::NoSuchBody(body))?;
        let others =
            model.colliders.iter().filter(|&&other| other != id).filter_map(|&id| self.model.colliders.get(id));
        let mass = mass_of(&model.kind, model.mass_choice, others)?;
        self.model.colliders.remove(id);
        if let Some(model) = self.model.bodies.get_mut(body) {
            model.colliders.retain(|&other| other != id);
        }
        self.note(Change::Collider(id, ColliderChange::Removed));
        self.wake_touching(body);
        self.places.lend().changed(id.slot());
        self.set_mass(body, mass);
        Ok(())
    }

    /// Adds a joint between bodies as they are now.
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointId, ModelError> {
        let [first, second] = joint.ends;
        let shown = |end| match end {
            JointEnd::World => "the world".to_owned(),
            JointEnd::Body(id) => called(id, self.model.bodies.get(id).map_or("", |body| &body.name)),
        };
        if first == second {
            let message = format!("a joint connects two different things, but both ends are {}", shown(first));
            return Err(ModelError::Invalid(message));
        }
        let movable = |end| match end {
            JointEnd::World => Ok(false),
            JointEnd::Body(id) => {
                self.model.bodies.get(id).map(|body| body.kind.is_movable()).ok_or(ModelError::NoSuchBody(id))
            }
        };
        if !(movable(first)? | movable(second)?) {
            let message = format!("neither {} nor {} can be moved by a joint", shown(first), shown(second));
            return Err(ModelError::Invalid(message));
        }
        joint.breaking.validate()?;
        let views = joint.ends.map(|end| BodyView::of(&self.model, &self.state.bodies, end));
        let made = Made { attach: joint.attach, frame: joint.frame, bodies: views };
        let constraint = made.constraint()?;
        let angle = constraint.angle(&views);
        let model = JointModel {
            name: joint.name,
            ends: joint.ends,
            constraint,
            collide: joint.collide,
            breaking: joint.breaking,
            turns: angle.is_some(),
            is_lock: false,
            programs: Vec::new(),
            made,
        };
        let id = self.model.joints.insert(model);
        self.note(Change::Joint(id, JointChange::Added));
        self.with_ends(joint.ends, |joints| joints.push(id));
        self.state.broken.resize(self.model.joints.slot_count(), false);
        self.state.angles.resize(self.model.joints.slot_count(), 0.0);
        self.state.broken[id.slot()] = false;
        self.state.angles[id.slot()] = angle.unwrap_or(0.0);
        self.share_loads(joint.ends);
        self.wake_ends(joint.ends);
        for program in joint.programs {
            if let Err(error) = self.follow(id, program) {
                self.remove_joint(id)?;
                return Err(error);
            }
        }
        Ok(id)
    }

    /// Removes a joint.
    pub fn remove_joint(&mut self, id: JointId) -> Result<(), ModelError> {
        self.forget_programs(id);
        let joint = self.model.joints.remove(id).ok_or(ModelError::NoSuchJoint(id))?;
        self.note(Change::Joint(id, JointChange::Removed));
        self.with_ends(joint.ends, |joints| joints.retain(|&other| other != id));
        self.state.broken[id.slot()] = false;
        self.share_loads(joint.ends);
        self.wake_ends(joint.ends);
        Ok(())
    }

    /// Adds a force. Everything wakes up.
    pub fn add_force(&mut self, force: impl Force + 'static) -> ForceId {
        self.wake_all();
        let id: ForceId = self.model.forces.insert(Arc::new(force));
        self.note(Change::Force(id, ForceChange::Added));
        id
    }

    /// Puts another force in the place of one. Everything wakes up.
    pub fn replace_force(&mut self, id: ForceId, force: impl Force + 'static) -> Result<(), ModelError> {
        *self.model.forces.get_mut(id).ok_or(ModelError::NoSuchForce(id))? = Arc::new(force);
        self.note(Change::Force(id, ForceChange::Replaced));
        self.wake_all();
        Ok(())
    }

    /// Removes a force. Everything wakes up.
    pub fn remove_force(&mut self, id: ForceId) -> Result<(), ModelError> {
        self.model.forces.remove(id).ok_or(ModelError::NoSuchForce(id))?;
        self.note(Change::Force(id, ForceChange::Removed));
        self.wake_all();
        Ok(())
    }

    /// Says which pairs of bodies may collide. Everything wakes up.
    pub fn set_filter(&mut self, filter: CollisionFilter) {
        self.model.filter_masks = Arc::new(FilterMasks::new(&filter, &self.model));
        self.model.filter = Arc::new(filter);
        self.note(Change::Filter);
        self.wake_all();
    }

    /// Says how the materials of touching colliders are combined. Everything wakes up.
    pub fn set_mixing(&mut self, mixing: MaterialMixing) {
        self.model.mixing = mixing;
        self.note(Change::Mixing);
        self.wake_all();
    }

    /// Sets your last word on contacts before they are solved: see [`ContactRule`](crate::model::ContactRule). Everything wakes up.
    pub fn set_contact_rule(&mut self, rule: impl Fn(&ContactPair<'_>, &mut ContactChange) + Send + Sync + 'static) {
        self.model.contact_rule = Rule(Some(Arc::new(rule)));
        self.note(Change::ContactRule);
        self.wake_all();
    }

    /// Lets contacts be what materials and filter say again. Everything wakes up.
    pub fn remove_contact_rule(&mut self) {
        self.model.contact_rule = Rule(None);
        self.note(Change::ContactRule);
        self.wake_all();
    }

    fn insert_collider(&mut self, body: BodyId, mut collider: ColliderModel) -> ColliderId {
        collider.body = body;
        let center = self.model.bodies.get(body).map_or(DVec3::ZERO, |model| model.mass.center);
        collider.center_pose = about_center(&collider.pose, center);
        let id = self.model.colliders.insert(collider);
        self.places.lend().changed(id.slot());
        if let Some(model) = self.model.bodies.get_mut(body) {
            model.colliders.push(id);
        }
        self.note(Change::Collider(id, ColliderChange::Added));
        id
    }

    /// Changes the lists of joints of the bodies at the ends of one.
    fn with_ends(&mut self, ends: [JointEnd; 2], change: impl Fn(&mut Vec<JointId>)) {
        for end in ends {
            if let JointEnd::Body(id) = end {
                self.model.bodies.get_mut(id).into_iter().for_each(|body| change(&mut body.joints));
            }
        }
    }
}

fn validate_collider(collider: &Collider) -> Result<(), ModelError> {
    check_collider_pose(&collider.pose)?;
    if let Some(density) = collider.density {
        check_density(density)?;
    }
    collider.material.map_or(Ok(()), |material| material.validate())
}

pub(super) fn check_density(density: f64) -> Result<f64, ModelError> {
    checked("collider density", density, f64::MIN_POSITIVE.., "greater than 0 kg/m³")
}

pub(super) fn check_collider_pose(pose: &Transform) -> Result<(), ModelError> {
    if pose.is_valid() {
        return Ok(());
    }
    let value = format!("{pose:?}");
    Err(ModelError::OutOfRange { what: "collider pose", value, allowed: "finite, with a unit quaternion" })
}

fn collider_model(collider: Collider, of_body: Material, layers: Layers) -> ColliderModel {
    let material = collider.material.unwrap_or(of_body);
    ColliderModel {
        bounding_sphere: collider.shape.bounding_sphere(),
        body: BodyId::new(u32::MAX, 0),
        shape: collider.shape,
        pose: collider.pose.normalized(),
        center_pose: collider.pose,
        density: collider.density.unwrap_or(material.density),
        material,
        sensor: collider.sensor,
        layers: collider.layers.unwrap_or(layers),
        user_data: collider.user_data,
        shape_revision: 0,
    }
}
