//! Reading and changing one collider of a world.

use super::World;
use super::edit::{check_collider_pose, check_density};
use super::mass::{about_center, mass_of};
use crate::journal::{Change, ColliderChange};
use crate::model::{ColliderModel, Layers, Material};
use crate::{BodyId, ColliderId, Id, ModelError};
use tumble_geometry::{Shape, Transform};

/// A collider of a world, to read.
#[derive(Clone, Copy, Debug)]
pub struct ColliderRef<'a> {
    model: &'a ColliderModel,
    pose: Transform,
}

impl<'a> ColliderRef<'a> {
    /// Shape, material and all else that does not change.
    pub fn model(&self) -> &'a ColliderModel {
        self.model
    }

    /// The body it belongs to.
    pub fn body(&self) -> BodyId {
        self.model.body
    }

    /// Its pose in the world.
    pub fn pose(&self) -> Transform {
        self.pose
    }
}

/// A collider of a world, to change. Its body wakes up, and so does what that touches; the body's mass follows unless it
/// was given.
#[derive(Debug)]
pub struct ColliderMut<'a> {
    world: &'a mut World,
    id: ColliderId,
    model: ColliderModel,
}

impl World {
    /// A collider, to read.
    pub fn collider(&self, id: ColliderId) -> Result<ColliderRef<'_>, ModelError> {
        let model = self.model.colliders.get(id).ok_or(ModelError::NoSuchCollider(id))?;
        Ok(ColliderRef { model, pose: self.pose_of(model) })
    }

    /// A collider, to change.
    pub fn collider_mut(&mut self, id: ColliderId) -> Result<ColliderMut<'_>, ModelError> {
        let model = self.model.colliders.get(id).ok_or(ModelError::NoSuchCollider(id))?.clone();
        Ok(ColliderMut { world: self, id, model })
    }
}

impl ColliderMut<'_> {
    /// Replaces the shape.
    pub fn set_shape(&mut self, shape: Shape) -> Result<(), ModelError> {
        let shape_revision = self.world.model.shape_revisions + 1;
        let bounding_sphere = shape.bounding_sphere();
        let new = ColliderModel { shape, bounding_sphere, shape_revision, ..self.model.clone() };
        self.replace(new, ColliderChange::Shape)?;
        self.world.model.shape_revisions = shape_revision;
        Ok(())
    }

    /// Moves it within the body frame.
    pub fn set_pose(&mut self, pose: Transform) -> Result<(), ModelError> {
        check_collider_pose(&pose)?;
        self.replace(ColliderModel { pose: pose.normalized(), ..self.model.clone() }, ColliderChange::Pose)
    }

    /// Sets the density in kg/m³.
    pub fn set_density(&mut self, density: f64) -> Result<(), ModelError> {
        let density = check_density(density)?;
        self.replace(ColliderModel { density, ..self.model.clone() }, ColliderChange::Material)
    }

    /// Sets the material, and the density to that of the material.
    pub fn set_material(&mut self, material: Material) -> Result<(), ModelError> {
        material.validate()?;
        self.replace(
            ColliderModel { material, density: material.density, ..self.model.clone() },
            ColliderChange::Material,
        )
    }

    /// Makes it a sensor: it reports overlaps as events, touches nobody and has no mass.
    pub fn make_sensor(&mut self) -> Result<(), ModelError> {
        self.replace(ColliderModel { sensor: true, ..self.model.clone() }, ColliderChange::Sensor)
    }

    /// Makes it solid.
    pub fn make_solid(&mut self) -> Result<(), ModelError> {
        self.replace(ColliderModel { sensor: false, ..self.model.clone() }, ColliderChange::Sensor)
    }

    /// Sets the layers it is in and those it meets.
    pub fn set_layers(&mut self, layers: Layers) -> Result<(), ModelError> {
        self.replace(ColliderModel { layers, ..self.model.clone() }, ColliderChange::Layers)
    }

    /// Sets a number for your own use.
    pub fn set_user_data(&mut self, user_data: u64) -> Result<(), ModelError> {
        self.replace(ColliderModel { user_data, ..self.model.clone() }, ColliderChange::UserData)
    }

    fn replace(&mut self, new: ColliderModel, change: ColliderChange) -> Result<(), ModelError> {
        let (world, id) = (&mut *self.world, self.id);
        let body = world.model.bodies.get(new.body).ok_or(ModelError::NoSuchBody(new.body))?;
        let model = |&other: &ColliderId| if other == id { Some(&new) } else { world.model.colliders.get(other) };
        let mass = mass_of(&body.kind, body.mass_choice, body.colliders.iter().filter_map(model))?;
        world.wake_touching(new.body);
        if let Some(collider) = world.model.colliders.get_mut(id) {
            *collider = ColliderModel { center_pose: about_center(&new.pose, mass.center), ..new.clone() };
        }
        world.places.lend().changed(id.slot());
        world.note(Change::Collider(id, change));
        world.set_mass(new.body, mass);
        self.model = new;
        Ok(())
    }
}
