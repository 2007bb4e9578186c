//! Bodies: how a user describes one ([`Body`]) and what the model keeps ([`BodyModel`]).

use super::{Collider, Course, Layers, Locks, Material, Script};
use crate::error::{ModelError, checked};
use crate::{BodyState, ColliderId, JointId};
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tumble_geometry::mass::PrincipalInertia;
use tumble_geometry::{MassProperties, Shape, Transform};

/// What moves a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum BodyKind {
    /// Forces, joints and contacts.
    Dynamic,
    /// Nothing: scenery.
    Fixed,
    /// A script, or the [course](Course) that input gives it; others bounce off it, it is not moved by them.
    Scripted(#[serde(skip, default = "super::script::unread")] Arc<dyn Script>),
    /// Forces, joints and contacts, but it has no extent in rotation: a point mass that never turns.
    Particle,
}

impl BodyKind {
    /// Whether forces and impulses move it.
    pub fn is_movable(&self) -> bool {
        matches!(self, Self::Dynamic | Self::Particle)
    }

    /// The course, if it is the one of a [kinematic](Body::kinematic) body.
    pub fn course(&self) -> Option<&Course> {
        if let Self::Scripted(script) = self { script.course() } else { None }
    }

    /// Whether it moves at all: by forces or by a script.
    pub fn moves(&self) -> bool {
        !matches!(self, Self::Fixed)
    }
}

/// Whether a body may fall asleep when it hardly moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sleep {
    /// It may (default).
    #[default]
    Allowed,
    /// It never does.
    Never,
}

/// A body as the user describes it: a builder that reads as a sentence.
///
/// Defaults: at rest at the origin, no colliders, mass from its colliders' shapes and densities, no damping, full
/// gravity, may sleep.
#[derive(Clone, Debug)]
pub struct Body {
    pub(crate) kind: BodyKind,
    pub(crate) name: String,
    pub(crate) pose: Transform,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    pub(crate) colliders: Vec<Collider>,
    pub(crate) mass: MassChoice,
    pub(crate) material: Option<Material>,
    pub(crate) linear_damping: f64,
    pub(crate) angular_damping: f64,
    pub(crate) gravity_scale: f64,
    pub(crate) sleep: Sleep,
    pub(crate) groups: Vec<String>,
    pub(crate) layers: Layers,
    pub(crate) locks: Locks,
    pub(crate) user_data: u64,
}

/// Where a body's mass comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum MassChoice {
    /// From the shapes and densities of its colliders.
    FromColliders,
    /// The distribution of its colliders, scaled to this mass in kilograms.
    Total(f64),
    /// Exactly these.
    Given(MassProperties),
}

impl MassChoice {
    /// Checks every number.
    pub(crate) fn validate(&self) -> Result<(), ModelError> {
        match self {
            Self::FromColliders => Ok(()),
            Self::Total(mass) => checked("body mass", *mass, f64::MIN_POSITIVE.., "greater than 0 kg").map(|_| ()),
            Self::Given(p) if p.mass > 0.0 && p.mass.is_finite() && p.center.is_finite() && is_inertia(&p.inertia) => {
                Ok(())
            }
            Self::Given(p) => Err(ModelError::OutOfRange {
                what: "mass properties",
                value: format!("{p:?}"),
                allowed: "finite, with a positive mass and a symmetric inertia tensor without negative moments",
            }),
        }
    }
}

/// Whether a matrix is finite, symmetric and has no negative eigenvalues, all to 10⁻⁹ of its largest entry: every principal
/// minor is then at least zero.
fn is_inertia(matrix: &DMat3) -> bool {
    let size = matrix.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    if !size.is_finite() || matrix.is_nan() {
        return false;
    }
    let m = *matrix * (if size > f64::MIN_POSITIVE { 1.0 / size } else { 0.0 });
    let minor = |i: usize, j: usize| m.col(i)[i] * m.col(j)[j] - m.col(i)[j] * m.col(j)[i];
    let minors = [m.x_axis.x, m.y_axis.y, m.z_axis.z, minor(0, 1), minor(1, 2), minor(2, 0), m.determinant()];
    (m - m.transpose()).to_cols_array().iter().all(|x| x.abs() <= 1e-9) && minors.iter().all(|&x| x >= -1e-9)
}

impl Body {
    fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            name: String::new(),
            pose: Transform::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            colliders: Vec::new(),
            mass: MassChoice::FromColliders,
            material: None,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            sleep: Sleep::Allowed,
            groups: Vec::new(),
            layers: Layers::default(),
            locks: Locks::NONE,
            user_data: 0,
        }
    }

    /// A body that forces, joints and contacts move.
    pub fn dynamic() -> Self {
        Self::new(BodyKind::Dynamic)
    }

    /// A body that never moves.
    pub fn fixed() -> Self {
        Self::new(BodyKind::Fixed)
    }

    /// A body that follows a script and is not moved by others. It is where the script says, whatever pose it is given.
    pub fn scripted(script: impl Script + 'static) -> Self {
        Self::new(BodyKind::Scripted(Arc::new(script)))
    }

    /// A body that your program moves and nobody else: it goes steadily with the velocity it has, or to where it is
    /// [sent](crate::BodyMut::move_to), and pushes whatever it meets.
    pub fn kinematic() -> Self {
        Self::scripted(Course::rest(Transform::IDENTITY, 0.0))
    }

    /// A point mass of `mass` kilograms that never turns.
    pub fn particle(mass: f64) -> Self {
        Self { mass: MassChoice::Total(mass), ..Self::new(BodyKind::Particle) }
    }

    /// A name to find it by. Default: none.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where the body frame's origin is, in metres. Default: the origin.
    pub fn at(mut self, position: impl Into<DVec3>) -> Self {
        self.pose.translation = position.into();
        self
    }

    /// The orientation, a unit quaternion. Default: identity.
    pub fn rotated(mut self, rotation: DQuat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// The pose of the body frame. Default: identity.
    pub fn with_pose(mut self, pose: Transform) -> Self {
        self.pose = pose;
        self
    }

    /// The velocity of the centre of mass in m/s. Default: zero.
    pub fn with_velocity(mut self, velocity: impl Into<DVec3>) -> Self {
        self.velocity = velocity.into();
        self
    }

    /// The angular velocity in rad/s, in world coordinates. Default: zero.
    pub fn with_angular_velocity(mut self, angular_velocity: impl Into<DVec3>) -> Self {
        self.angular_velocity = angular_velocity.into();
        self
    }

    /// Adds a collider with this shape at the body frame's origin, with default density and material.
    pub fn with_shape(self, shape: Shape) -> Self {
        self.with_collider(Collider::new(shape))
    }

    /// Adds a collider.
    pub fn with_collider(mut self, collider: Collider) -> Self {
        self.colliders.push(collider);
        self
    }

    /// The material of all colliders that were not given one. Default: [`Material::default`].
    pub fn with_material(mut self, material: Material) -> Self {
        self.material = Some(material);
        self
    }

    /// The mass in kilograms, distributed as the colliders' shapes and densities say. Default: from the densities.
    pub fn with_mass(mut self, mass: f64) -> Self {
        self.mass = MassChoice::Total(mass);
        self
    }

    /// Mass, centre of mass and inertia in the body frame, whatever the colliders say.
    pub fn with_mass_properties(mut self, properties: MassProperties) -> Self {
        self.mass = MassChoice::Given(properties);
        self
    }

    /// How fast the velocity decays by itself, in 1/s: dv/dt = −ξ v. Default 0.
    pub fn with_linear_damping(mut self, per_second: f64) -> Self {
        self.linear_damping = per_second;
        self
    }

    /// How fast the angular velocity decays by itself, in 1/s. Default 0.
    pub fn with_angular_damping(mut self, per_second: f64) -> Self {
        self.angular_damping = per_second;
        self
    }

    /// How strongly gravity acts on it, as a factor. Default 1.
    pub fn with_gravity_scale(mut self, factor: f64) -> Self {
        self.gravity_scale = factor;
        self
    }

    /// Never let it fall asleep.
    pub fn without_sleep(mut self) -> Self {
        self.sleep = Sleep::Never;
        self
    }

    /// Makes it a member of a collision group; call it again for more groups.
    pub fn in_group(mut self, group: impl Into<String>) -> Self {
        self.groups.push(group.into());
        self
    }

    /// The layers that all colliders are in and meet that were not given some. Default: in the first layer, meeting all.
    pub fn with_layers(mut self, layers: Layers) -> Self {
        self.layers = layers;
        self
    }

    /// Directions in which it does not move and axes about which it does not turn. Default: none.
    pub fn with_locks(mut self, locks: Locks) -> Self {
        self.locks = locks;
        self
    }

    /// A number for your own use, such as the number of the thing in your game. Default 0.
    pub fn with_user_data(mut self, user_data: u64) -> Self {
        self.user_data = user_data;
        self
    }

    /// Checks every number.
    pub(crate) fn validate(&self) -> Result<(), ModelError> {
        let bad = |what, value: String, allowed| Err(ModelError::OutOfRange { what, value, allowed });
        if !self.pose.is_valid() {
            return bad("body pose", format!("{:?}", self.pose), "finite, with a unit quaternion");
        }
        if !(self.velocity.is_finite() && self.angular_velocity.is_finite()) {
            return bad("body velocity", format!("{}, {}", self.velocity, self.angular_velocity), "finite");
        }
        checked("linear damping", self.linear_damping, 0.0.., "at least 0 per second")?;
        checked("angular damping", self.angular_damping, 0.0.., "at least 0 per second")?;
        checked("gravity scale", self.gravity_scale, .., "finite")?;
        self.material.map_or(Ok(()), |material| material.validate())?;
        self.mass.validate()
    }
}

/// What the model keeps of a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BodyModel {
    /// The name the user gave it; may be empty.
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// Mass, centre of mass in the body frame and inertia about it. For bodies that are not movable: of no effect.
    pub mass: MassProperties,
    /// 1/mass in 1/kg, zero for bodies that forces do not move.
    pub inverse_mass: f64,
    /// The inverse of the inertia tensor in body axes, in 1/(kg m²), zero for bodies that forces do not turn.
    pub inverse_inertia: DMat3,
    /// Decay of the velocity in 1/s.
    pub linear_damping: f64,
    /// Decay of the angular velocity in 1/s.
    pub angular_damping: f64,
    /// Factor on gravity.
    pub gravity_scale: f64,
    /// Whether it may sleep.
    pub sleep: Sleep,
    /// Its colliders.
    pub colliders: Vec<ColliderId>,
    /// The joints it is an end of.
    pub joints: Vec<JointId>,
    /// Its collision groups.
    pub groups: Vec<String>,
    /// Directions in which it does not move and axes about which it does not turn.
    pub locks: Locks,
    /// A number for your own use.
    pub user_data: u64,
    pub(crate) mass_choice: MassChoice,
    pub(crate) principal: PrincipalInertia,
}

impl BodyModel {
    /// The principal axes and moments of inertia.
    pub fn principal(&self) -> &PrincipalInertia {
        &self.principal
    }

    /// The pose of the body frame when the body moves as `state` says.
    pub fn frame(&self, state: &BodyState) -> Transform {
        Transform::new(state.rotation, state.position - state.rotation * self.mass.center)
    }

    /// The inertia tensor along world axes for a given orientation: `R I Rᵀ`.
    #[inline]
    pub fn world_inertia(&self, rotation: DQuat) -> DMat3 {
        let r = DMat3::from_quat(rotation);
        r * self.mass.inertia * r.transpose()
    }

    /// The inverse inertia tensor along world axes: `R I⁻¹ Rᵀ`; zero if nothing turns the body.
    #[inline]
    pub fn world_inverse_inertia(&self, rotation: DQuat) -> DMat3 {
        let r = DMat3::from_quat(rotation);
        r * self.inverse_inertia * r.transpose()
    }
}
