//! Colliders: shapes fixed to a body.

use super::{Layers, Material};
use crate::{BodyId, Id, State};
use serde::{Deserialize, Serialize};
use tumble_geometry::shape::HalfSpace;
use tumble_geometry::{BoundingSphere, Shape, Transform};

/// A collider as the user describes it. Defaults: at the body frame's origin, material, density and layers of the body, solid.
#[derive(Clone, Debug)]
pub struct Collider {
    pub(crate) shape: Shape,
    pub(crate) pose: Transform,
    pub(crate) density: Option<f64>,
    pub(crate) material: Option<Material>,
    pub(crate) sensor: bool,
    pub(crate) layers: Option<Layers>,
    pub(crate) user_data: u64,
}

impl Collider {
    /// A collider with this shape.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            pose: Transform::IDENTITY,
            density: None,
            material: None,
            sensor: false,
            layers: None,
            user_data: 0,
        }
    }

    /// Its pose in the body frame. Default: identity.
    pub fn with_pose(mut self, pose: Transform) -> Self {
        self.pose = pose;
        self
    }

    /// Its density in kg/m³. Default: the material's.
    pub fn with_density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }

    /// Its material. Default: the body's.
    pub fn with_material(mut self, material: Material) -> Self {
        self.material = Some(material);
        self
    }

    /// Makes it a sensor: it reports overlaps as events, touches nobody and has no mass.
    pub fn as_sensor(mut self) -> Self {
        self.sensor = true;
        self
    }

    /// The layers it is in and those it meets. Default: the body's.
    pub fn with_layers(mut self, layers: Layers) -> Self {
        self.layers = Some(layers);
        self
    }

    /// A number for your own use. Default 0.
    pub fn with_user_data(mut self, user_data: u64) -> Self {
        self.user_data = user_data;
        self
    }
}

/// What the model keeps of a collider.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ColliderModel {
    /// The body it belongs to.
    pub body: BodyId,
    /// Its shape.
    #[serde(skip, default = "unread")]
    pub shape: Shape,
    /// The smallest sphere around the shape, in the shape's own frame: kept because finding it takes a look at every corner.
    pub bounding_sphere: BoundingSphere,
    /// Its pose in the body frame.
    pub pose: Transform,
    /// Its pose in the frame at the body's centre of mass (same axes as the body frame).
    pub center_pose: Transform,
    /// Its density in kg/m³.
    pub density: f64,
    /// Its material.
    pub material: Material,
    /// Whether it only reports overlaps.
    pub sensor: bool,
    /// The layers it is in and those it meets.
    pub layers: Layers,
    /// A number for your own use.
    pub user_data: u64,
    /// The revision of the model in which it got its shape, so that methods know when to forget what they know of it.
    pub(crate) shape_revision: u64,
}

/// What stands for a shape until it is read from a saved world.
fn unread() -> Shape {
    Shape::HalfSpace(HalfSpace::UP)
}

impl ColliderModel {
    /// Its pose in the world when the bodies move as `state` says.
    pub(crate) fn pose_in(&self, state: &State) -> Transform {
        state.bodies[self.body.slot()].center_pose() * self.center_pose
    }
}
