//! Bodies, joints and gravity in scripts.

use super::super::controls::{set_speed, set_target};
use super::super::lent::{Told, reach, refuse, told};
use super::number;
use crate::nearest::suggestion;
use glam::{DQuat, DVec3};
use rhai::{Array, Dynamic, Engine};
use tumble_dynamics::constraint::{Coordinate, Freedom, Motor};
use tumble_dynamics::model::BodyKind;
use tumble_dynamics::{BodyId, BodyMut, BodyRef, JointId, JointMut, JointRef, ModelError};
use tumble_geometry::Transform;

pub(super) fn teach(engine: &mut Engine) {
    bodies(engine);
    pushes(engine);
    joints(engine);
    motors(engine);
    engine.register_fn("set_gravity", |gravity: DVec3| {
        reach(|lent| {
            if !gravity.is_finite() {
                return refuse(format!("gravity cannot be {gravity}"));
            }
            lent.world.set_gravity(gravity);
            Ok(())
        })
    });
}

fn read<T>(body: BodyId, look: impl FnOnce(BodyRef<'_>) -> T) -> Told<T> {
    reach(|lent| told(lent.world.body(body)).map(look))
}

fn change<T>(body: BodyId, change: impl FnOnce(&mut BodyMut<'_>) -> Result<T, ModelError>) -> Told<T> {
    reach(|lent| told(lent.world.body_mut(body).and_then(|mut body| change(&mut body))))
}

fn bodies(engine: &mut Engine) {
    engine.register_type_with_name::<BodyId>("Body");
    engine.register_fn("body", |name: &str| {
        reach(|lent| {
            lent.world.body_named(name).map_or_else(
                || {
                    let names = lent.world.model().bodies().iter().map(|(_, body)| body.name.as_str());
                    refuse(format!("there is no body \"{name}\"; {}", suggestion(name, names)))
                },
                Ok,
            )
        })
    });
    engine.register_fn("has_body", |name: &str| reach(|lent| Ok(lent.world.body_named(name).is_some())));
    // The bodies whose names begin so, in the order of the scene.
    engine.register_fn("bodies", |beginning: &str| {
        reach(|lent| {
            let named = lent.world.model().bodies().iter().filter(|(_, body)| body.name.starts_with(beginning));
            Ok(named.map(|(id, _)| Dynamic::from(id)).collect::<Array>())
        })
    });
    engine.register_fn("==", |a: BodyId, b: BodyId| a == b);
    engine.register_fn("!=", |a: BodyId, b: BodyId| a != b);
    let name = |body: &mut BodyId| read(*body, |body| body.model().name.clone());
    engine.register_fn("to_string", name);
    engine.register_fn("to_debug", name);
    engine.register_get("name", name);
    engine.register_get("mass", |body: &mut BodyId| read(*body, |body| body.mass()));
    engine.register_get("center", |body: &mut BodyId| read(*body, |body| body.center_of_mass()));
    engine.register_get("is_asleep", |body: &mut BodyId| read(*body, |body| body.is_asleep()));
    engine.register_get_set(
        "position",
        |body: &mut BodyId| read(*body, |body| body.position()),
        |body: &mut BodyId, to: DVec3| change(*body, |body| body.set_position(to)),
    );
    engine.register_get_set(
        "rotation",
        |body: &mut BodyId| read(*body, |body| body.rotation()),
        |body: &mut BodyId, to: DQuat| change(*body, |body| body.set_rotation(to)),
    );
    engine.register_get_set(
        "velocity",
        |body: &mut BodyId| read(*body, |body| body.velocity()),
        |body: &mut BodyId, to: DVec3| change(*body, |body| body.set_velocity(to)),
    );
    engine.register_get_set(
        "angular_velocity",
        |body: &mut BodyId| read(*body, |body| body.angular_velocity()),
        |body: &mut BodyId, to: DVec3| change(*body, |body| body.set_angular_velocity(to)),
    );
    // Points and directions of the body in the world, and back.
    engine.register_fn("point", |body: BodyId, local: DVec3| read(body, |body| body.pose().point(local)));
    engine.register_fn("direction", |body: BodyId, local: DVec3| read(body, |body| body.rotation() * local));
    engine.register_fn("to_local", |body: BodyId, point: DVec3| read(body, |body| body.pose().inverse_point(point)));
    engine.register_fn("velocity_at", |body: BodyId, point: DVec3| read(body, |body| body.state().velocity_at(point)));
}

fn pushes(engine: &mut Engine) {
    engine.register_fn("apply_force", |body: BodyId, force: DVec3| change(body, |body| body.apply_force(force)));
    engine.register_fn("apply_force_at", |body: BodyId, force: DVec3, at: DVec3| {
        change(body, |body| body.apply_force_at(force, at))
    });
    engine.register_fn("apply_torque", |body: BodyId, torque: DVec3| change(body, |body| body.apply_torque(torque)));
    engine
        .register_fn("apply_impulse", |body: BodyId, impulse: DVec3| change(body, |body| body.apply_impulse(impulse)));
    engine.register_fn("apply_impulse_at", |body: BodyId, impulse: DVec3, at: DVec3| {
        change(body, |body| body.apply_impulse_at(impulse, at))
    });
    // Somewhere else at once, at rest.
    engine.register_fn("put", |body: BodyId, position: DVec3| {
        change(body, |body| {
            let rotation = body.read().rotation();
            body.teleport(Transform::new(rotation, position))?;
            body.set_velocity(DVec3::ZERO)?;
            body.set_angular_velocity(DVec3::ZERO)
        })
    });
    // A kinematic body goes there until the end of the step.
    engine.register_fn("move_to", |body: BodyId, position: DVec3, rotation: DQuat| {
        reach(|lent| {
            let dt = lent.given.dt;
            let moved = lent.world.body_mut(body);
            told(moved.and_then(|mut body| body.move_to(Transform::new(rotation, position), dt)))
        })
    });
    engine.register_fn("set_gravity_scale", |body: BodyId, factor: Dynamic| {
        let factor = number(&factor)?;
        change(body, |body| body.set_gravity_scale(factor))
    });
    engine.register_fn("set_fixed", |body: BodyId, fixed: bool| {
        change(body, |body| body.set_kind(if fixed { BodyKind::Fixed } else { BodyKind::Dynamic }))
    });
    engine.register_fn("remove", |body: BodyId| reach(|lent| told(lent.world.remove_body(body))));
}

fn look<T>(joint: JointId, look: impl FnOnce(JointRef<'_>) -> T) -> Told<T> {
    reach(|lent| told(lent.world.joint(joint)).map(look))
}

fn alter<T>(joint: JointId, alter: impl FnOnce(&mut JointMut<'_>) -> T) -> Told<T> {
    reach(|lent| told(lent.world.joint_mut(joint)).map(|mut joint| alter(&mut joint)))
}

/// A coordinate of a joint by name; without a name the first.
fn coordinate(joint: JointId, name: &str) -> Told<Coordinate> {
    let (of_joint, all) = look(joint, |joint| (joint.model().name.clone(), joint.coordinates()))?;
    let found = all.iter().find(|coordinate| name.is_empty() || coordinate.name == name).copied();
    found.map_or_else(
        || {
            let known = suggestion(name, all.iter().map(|coordinate| coordinate.name));
            let known = if known.is_empty() { "it has none".to_owned() } else { known };
            refuse(format!("the joint \"{of_joint}\" has no coordinate \"{name}\"; {known}"))
        },
        Ok,
    )
}

/// Changes what acts on a coordinate, if that makes a difference.
fn set(joint: JointId, name: &str, change: impl FnOnce(Freedom) -> Freedom) -> Told<()> {
    let Coordinate { name, freedom, .. } = coordinate(joint, name)?;
    let changed = change(freedom);
    if changed == freedom {
        return Ok(());
    }
    reach(|lent| told(lent.world.joint_mut(joint).and_then(|mut joint| joint.set_freedom(name, changed))))
}

fn joints(engine: &mut Engine) {
    engine.register_type_with_name::<JointId>("Joint");
    engine.register_fn("joint", |name: &str| {
        reach(|lent| {
            lent.world.joint_named(name).map_or_else(
                || {
                    let names = lent.world.model().joints().iter().map(|(_, joint)| joint.name.as_str());
                    refuse(format!("there is no joint \"{name}\"; {}", suggestion(name, names)))
                },
                Ok,
            )
        })
    });
    engine.register_fn("==", |a: JointId, b: JointId| a == b);
    engine.register_fn("!=", |a: JointId, b: JointId| a != b);
    let name = |joint: &mut JointId| look(*joint, |joint| joint.model().name.clone());
    engine.register_fn("to_string", name);
    engine.register_fn("to_debug", name);
    engine.register_get("name", name);
    engine.register_get("is_broken", |joint: &mut JointId| look(*joint, |joint| joint.is_broken()));
    engine.register_get("force", |joint: &mut JointId| look(*joint, |joint| joint.reaction().force));
    engine.register_get("torque", |joint: &mut JointId| look(*joint, |joint| joint.reaction().torque));
    engine.register_get("anchor", |joint: &mut JointId| look(*joint, |joint| joint.anchors()[1]));
    engine.register_get("error", |joint: &mut JointId| look(*joint, |joint| joint.error()));
    // Where its coordinate is and how fast: metres or radians.
    engine.register_get("position", |joint: &mut JointId| -> Told<f64> { Ok(coordinate(*joint, "")?.position()) });
    engine.register_get("speed", |joint: &mut JointId| -> Told<f64> { Ok(coordinate(*joint, "")?.speed()) });
    engine.register_fn("position_of", |joint: JointId, name: &str| -> Told<f64> {
        Ok(coordinate(joint, name)?.position())
    });
    engine.register_fn("speed_of", |joint: JointId, name: &str| -> Told<f64> { Ok(coordinate(joint, name)?.speed()) });
    engine.register_fn("snap", |joint: JointId| alter(joint, |joint| joint.snap()));
    engine.register_fn("mend", |joint: JointId| alter(joint, |joint| joint.mend()));
}

fn motors(engine: &mut Engine) {
    // The motor keeps a speed with the force it has; with another argument, with at most that.
    engine.register_fn("set_motor", |joint: JointId, speed: Dynamic| {
        let speed = number(&speed)?;
        set(joint, "", |freedom| set_speed(freedom, speed))
    });
    engine.register_fn("set_motor", |joint: JointId, name: &str, speed: Dynamic| {
        let speed = number(&speed)?;
        set(joint, name, |freedom| set_speed(freedom, speed))
    });
    engine.register_fn("set_motor", |joint: JointId, name: &str, speed: Dynamic, most: Dynamic| {
        let motor = Some(Motor { speed: number(&speed)?, max_force: Some(number(&most)?) });
        set(joint, name, |freedom| Freedom { motor, ..freedom })
    });
    // The drive goes to a target like a spring.
    engine.register_fn("set_target", |joint: JointId, target: Dynamic| {
        let target = number(&target)?;
        set(joint, "", |freedom| set_target(freedom, target))
    });
    engine.register_fn("set_target", |joint: JointId, name: &str, target: Dynamic| {
        let target = number(&target)?;
        set(joint, name, |freedom| set_target(freedom, target))
    });
    // Nothing drives it any more; limits and friction stay.
    engine.register_fn("release", |joint: JointId, name: &str| {
        set(joint, name, |freedom| Freedom { motor: None, drive: None, ..freedom })
    });
    engine.register_fn("set_friction", |joint: JointId, name: &str, friction: Dynamic| {
        let friction = number(&friction)?;
        set(joint, name, |freedom| Freedom { friction, ..freedom })
    });
}
