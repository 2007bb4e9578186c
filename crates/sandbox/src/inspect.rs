//! All about one body, for the inspector.

use crate::looks::kind;
use serde_json::{Value, json};
use tumble_dynamics::model::JointEnd;
use tumble_dynamics::{BodyId, World};
use tumble_geometry::Shape;

/// The body's properties and how it moves; none if it does not exist.
pub(crate) fn inspect(world: &World, id: BodyId) -> Option<Value> {
    let body = world.body(id).ok()?;
    let model = world.model();
    let colliders: Vec<_> =
        body.model().colliders.iter().filter_map(|&collider| model.colliders().get(collider)).collect();
    let material = colliders.first().map(|collider| {
        let material = collider.material;
        json!({
            "density": collider.density,
            "restitution": material.restitution,
            "static_friction": material.static_friction,
            "dynamic_friction": material.dynamic_friction,
        })
    });
    let attached = |ends: [JointEnd; 2]| ends.contains(&JointEnd::Body(id));
    let joints: Vec<&str> =
        model.joints().iter().filter(|(_, joint)| attached(joint.ends)).map(|(_, joint)| joint.name.as_str()).collect();
    Some(json!({
        "type": "body",
        "id": id,
        "name": body.model().name,
        "kind": kind(&body.model().kind),
        "shapes": colliders.iter().map(|collider| shape_name(&collider.shape)).collect::<Vec<_>>(),
        "mass": body.mass(),
        "inertia": body.model().principal().moments,
        "material": material,
        "position": body.position(),
        "rotation": body.rotation(),
        "velocity": body.velocity(),
        "angular_velocity": body.angular_velocity(),
        "kinetic_energy": body.kinetic_energy(),
        "momentum": body.momentum(),
        "contacts": world.contacts_of(id).count(),
        "contact_force": world.contact_wrench(id).map(|wrench| wrench.force).unwrap_or_default(),
        "joints": joints,
        "asleep": body.is_asleep(),
    }))
}

fn shape_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Sphere(_) => "sphere",
        Shape::Cuboid(_) => "box",
        Shape::Capsule(_) => "capsule",
        Shape::Cylinder(_) => "cylinder",
        Shape::Cone(_) => "cone",
        Shape::Ellipsoid(_) => "ellipsoid",
        Shape::Torus(_) => "torus",
        Shape::Hull(_) => "hull",
        Shape::Custom(_) => "custom",
        Shape::HalfSpace(_) => "half-space",
        Shape::Mesh(_) => "mesh",
        Shape::HeightField(_) => "height field",
        Shape::Compound(_) => "compound",
    }
}
