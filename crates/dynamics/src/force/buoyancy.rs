//! Buoyancy: a fluid at rest or in steady flow below a level surface.
//!
//! With up = −g/|g|, V the volume of a collider below the surface and c its centroid, Archimedes' force is
//!
//! ```text
//! F = ρ |g| V up, acting at c,    E = ρ |g| V d,
//! ```
//!
//! where d is the depth of c below the surface: the energy it takes to lift the displaced fluid to the surface. F and its
//! torque are the negative gradient of E. V and c are exact for every solid shape, see
//! [`Shape::below`](tumble_geometry::Shape::below); other shapes displace nothing.
//!
//! The fluid also resists. With u the velocity of c relative to the fluid and a = ∛V the edge of a cube of the same volume:
//!
//! ```text
//! F = −c ρ V u − ½ ρ C a² |u| u,    τ = −c ρ V a²/6 ω − ½ ρ C a⁵/32 |ω| ω.
//! ```
//!
//! The linear terms are those of a resistance −c ρ u to every submerged cubic metre of a cube; the quadratic ones those of
//! a square plate of that size, pushed flat and turned about its middle line. Mass of the fluid that is carried along is not
//! modelled.

use super::{Force, ForceContext, Target, Wrenches};
use crate::BodyState;
use crate::model::BodyModel;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::Plane;
use tumble_geometry::mass::Submerged;

/// A fluid below a level surface that carries bodies and resists their motion.
///
/// ```
/// use tumble_dynamics::force::Buoyancy;
/// use tumble_dynamics::geometry::Shape;
/// use tumble_dynamics::{Body, Material, World};
///
/// let mut world = World::new();
/// world.add_force(Buoyancy { linear_drag: 2.0, ..Buoyancy::default() });
/// let raft = Body::dynamic().with_shape(Shape::cuboid([1.0, 0.2, 1.0])?).with_material(Material::WOOD);
/// let raft = world.add_body(raft.at([0.0, 1.0, 0.0]).without_sleep())?;
/// for _ in 0..1200 {
///     world.step(1.0 / 60.0)?;
/// }
/// // Oak of 700 kg/m³ floats with seven tenths of its height under water.
/// assert!((world.body(raft)?.position().y - (0.5 - 0.7) * 0.4).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Buoyancy {
    /// The bodies it acts on. Default: all.
    pub on: Target,
    /// The height of the surface above the origin, along up, in metres. Default 0.
    #[schemars(extend("unit" = "m"))]
    pub level: f64,
    /// The density ρ of the fluid in kg/m³. Default 1000 (water).
    #[schemars(range(min = 0.0), extend("unit" = "kg/m³"))]
    pub density: f64,
    /// The acceleration of gravity g in the fluid, in m/s²; up is against it. Without gravity there is no surface and no
    /// force. Default (0, −9.81, 0).
    #[schemars(with = "[f64; 3]", extend("unit" = "m/s²"))]
    pub gravity: DVec3,
    /// The velocity of the fluid in m/s. Default: zero.
    #[schemars(with = "[f64; 3]", extend("unit" = "m/s"))]
    pub flow: DVec3,
    /// The linear resistance c in 1/s: as fast as this decays the motion of a body as dense as the fluid. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "1/s"))]
    pub linear_drag: f64,
    /// The drag coefficient C of the quadratic resistance, about 1 for blunt bodies. Default 0.
    #[schemars(range(min = 0.0))]
    pub quadratic_drag: f64,
}

impl Default for Buoyancy {
    fn default() -> Self {
        Self {
            on: Target::All,
            level: 0.0,
            density: 1000.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            flow: DVec3::ZERO,
            linear_drag: 0.0,
            quadratic_drag: 0.0,
        }
    }
}

impl Buoyancy {
    /// The submerged parts of a body's colliders, in the world frame with the origin at the body's centre of mass.
    fn submerged<'a>(
        &self,
        context: &ForceContext<'a>,
        body: &'a BodyModel,
        state: &'a BodyState,
        surface: &Plane,
    ) -> impl Iterator<Item = Submerged> + use<'a> {
        let (model, rotation) = (context.model, state.rotation);
        let normal = rotation.conjugate() * surface.normal;
        let about_center = Plane { normal, offset: -surface.signed_distance(state.position) };
        let colliders = body.colliders.iter().filter_map(|&id| model.colliders().get(id));
        colliders.filter(|collider| !collider.sensor).filter_map(move |collider| {
            let wet = collider.shape.below(&about_center.transformed(&collider.center_pose.inverse()))?;
            let center = rotation * collider.center_pose.point(wet.center);
            (wet.volume > 0.0).then_some(Submerged { center, ..wet })
        })
    }

    /// Resistance of the fluid against a submerged part that moves with `velocity` and turns with `omega`: force and torque
    /// about its centre.
    fn resistance(&self, volume: f64, velocity: DVec3, omega: DVec3) -> (DVec3, DVec3) {
        let edge = libm::cbrt(volume);
        let area = edge * edge;
        let linear = self.linear_drag * self.density * volume;
        let quadratic = 0.5 * self.density * self.quadratic_drag * area;
        (
            velocity * -(linear + quadratic * velocity.length()),
            omega * -(linear * area / 6.0 + quadratic * edge * area / 32.0 * omega.length()),
        )
    }
}

impl Force for Buoyancy {
    /// The surface; none without gravity.
    fn surface(&self) -> Option<Plane> {
        Some(Plane { normal: -self.gravity.try_normalize()?, offset: self.level })
    }

    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        let Some(surface) = self.surface() else { return };
        for (slot, body, state) in self.on.bodies(context) {
            for wet in self.submerged(context, body, state, &surface) {
                let velocity = state.velocity + state.angular_velocity.cross(wet.center) - self.flow;
                let (resistance, torque) = self.resistance(wet.volume, velocity, state.angular_velocity);
                let force = self.gravity * (-self.density * wet.volume) + resistance;
                wrenches.add_force(slot, force);
                wrenches.add_torque(slot, wet.center.cross(force) + torque);
            }
        }
    }

    /// `E = Σ ρ |g| V d`: zero above the surface.
    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        let Some(surface) = self.surface() else { return Some(0.0) };
        let weight = self.density * self.gravity.length();
        let energy = self.on.bodies(context).flat_map(|(_, body, state)| {
            let height = surface.signed_distance(state.position);
            self.submerged(context, body, state, &surface)
                .map(move |wet| -weight * wet.volume * (height + surface.normal.dot(wet.center)))
        });
        Some(energy.sum())
    }
}
