//! What pages are told in words: the gallery and the methods, the scene, how things are, what is wrong.

use crate::subject::Subject;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tumble_dynamics::{Id, Snapshot, World};
use tumble_scene::behave::SceneBehavior;
use tumble_scene::framing::of_interest;
use tumble_scene::{Report, Scene, gallery};

/// An answer that says what is wrong.
pub(crate) fn problem(message: &str) -> Value {
    json!({ "type": "problem", "message": message })
}

/// An answer that says what is wrong with a scene, and where.
pub(crate) fn scene_problem(report: &Report) -> Value {
    json!({ "type": "scene_problem", "diagnostics": report.to_json(), "more": report.more })
}

/// What pages are told first: the gallery and everything about methods.
pub(crate) fn hello(given: &Subject) -> String {
    let registry = given.registry();
    let schema = tumble_scene::scene_schema(registry);
    let scenes = gallery::SCENES.iter().map(|entry| {
        let (title, description) = entry.summary();
        let group = gallery::GROUPS.iter().find(|group| group.name == entry.group).map_or("", |group| group.heading);
        json!({ "name": entry.name, "title": title, "description": description, "group": group })
    });
    let mut scenes: Vec<Value> = scenes.collect();
    if gallery::find(&given.name()).is_none() {
        scenes.insert(
            0,
            json!({ "name": given.name(), "title": given.name(), "description": "The scene file.", "group": "" }),
        );
    }
    let defaults: BTreeMap<&str, BTreeMap<&str, &Value>> = registry
        .methods
        .parts()
        .map(|part| (part.name.as_str(), part.properties.iter().map(|p| (p.name.as_str(), &p.default)).collect()))
        .collect();
    json!({
        "type": "hello",
        "version": env!("CARGO_PKG_VERSION"),
        "scenes": scenes,
        "method": schema.pointer("/properties/method"),
        "definitions": schema.get("$defs"),
        "defaults": defaults,
    })
    .to_string()
}

/// A scene that was opened; `unit` is that of positions in frames.
pub(crate) fn tell_scene(scene: &Scene, name: &str, unit: f64) -> Value {
    json!({
        "type": "scene",
        "name": name,
        "title": scene.title,
        "description": scene.description,
        "text": scene.source.text,
        "settings": scene.source.settings,
        "dt": scene.dt,
        "duration": scene.duration,
        "unit": unit,
        "camera": scene.camera.map(|camera| json!({
            "from": camera.from, "to": camera.to, "view_deg": camera.view_deg,
        })),
        "extent": extent(scene),
        "fluids": fluids(&scene.world),
        "controls": controls(scene),
    })
}

/// What whoever watches can set.
fn controls(scene: &Scene) -> Vec<Value> {
    let behavior: Option<&dyn std::any::Any> = scene.world.behavior().map(|behavior| behavior as _);
    let behavior = behavior.and_then(|behavior| behavior.downcast_ref::<SceneBehavior>());
    let told = behavior.into_iter().flat_map(SceneBehavior::controls).map(|(name, control)| {
        json!({
            "name": name,
            "label": control.label,
            "keys": control.keys,
            "pointer": control.pointer,
            "range": control.range,
        })
    });
    told.collect()
}

/// How things are in a world that goes on by a method with steps of length `dt`.
pub(crate) fn tell_status(world: &World, method: &Value, dt: f64) -> Value {
    let energy = world.energy();
    let report = world.report();
    let milliseconds = |duration: Duration| 1e3 * duration.as_secs_f64();
    json!({
        "method": method,
        "dt": dt,
        "time": world.time(),
        "steps": world.state().steps,
        "kinetic": energy.kinetic,
        "potential": energy.potential,
        "momentum": world.momentum().length(),
        "angular_momentum": world.angular_momentum(glam::DVec3::ZERO).length(),
        "contacts": report.contacts,
        "awake": report.awake,
        "asleep": report.asleep,
        "islands": report.islands,
        "step_ms": milliseconds(report.times.total),
        "detect_ms": milliseconds(report.times.detect),
        "solve_ms": milliseconds(report.times.solve),
        "stages": report.times.stages.iter().map(|(stage, time)| json!([stage, milliseconds(time)])).collect::<Vec<_>>(),
        "work": {
            "pairs": report.work.pairs,
            "points": report.contact_points,
            "looks": report.work.looks,
            "exact_islands": report.work.exact_islands,
            "heaps": report.work.heaps,
            "recycled": report.work.recycled,
            "exact_substeps": report.work.exact_substeps,
            "heap_substeps": report.work.heap_substeps,
            "colours": report.work.colours,
        },
        "bodies": world.model().bodies().len(),
        "joints": world.model().joints().len(),
    })
}

/// The size of the smallest body that moves, in metres; 1 if there is none.
pub(crate) fn smallest(world: &World) -> f64 {
    let sizes = world.bodies().filter(|(_, body)| body.model().kind.moves()).map(|(_, body)| {
        let colliders = body.model().colliders.iter();
        let sizes = colliders.filter_map(|&id| world.model().colliders().get(id)).map(|collider| {
            let aabb = collider.shape.aabb(&tumble_geometry::Transform::IDENTITY);
            2.0 * aabb.half_extents().max_element()
        });
        sizes.fold(0.0, f64::max)
    });
    let smallest = sizes.filter(|&size| size > 0.0).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 1.0 }
}

/// The surfaces of fluids: a point of each, and its normal out of the fluid.
fn fluids(world: &World) -> Value {
    let surfaces = world.model().forces().iter().filter_map(|(_, force)| force.surface());
    surfaces.map(|surface| json!({ "point": surface.normal * surface.offset, "normal": surface.normal })).collect()
}

/// The box around what is to be seen: all that matters from start to end, or if the scene has a camera, everything finite; none if
/// there is nothing.
fn extent(scene: &Scene) -> Option<[glam::DVec3; 2]> {
    if scene.camera.is_none() {
        let whole = of_interest(scene);
        return Some([whole.min, whole.max]);
    }
    let world = &scene.world;
    let boxes = world.model().colliders().iter().filter_map(|(id, collider)| {
        let aabb = collider.shape.aabb(&world.collider_pose(id)?);
        (aabb.min.is_finite() && aabb.max.is_finite()).then_some([aabb.min, aabb.max])
    });
    boxes.reduce(|[low, high], [min, max]| [low.min(min), high.max(max)])
}

/// The largest distance between bodies at the start, in metres.
pub(crate) fn extent_size(start: &Snapshot) -> f64 {
    let positions = start.model().bodies().ids().map(|id| start.state().bodies[id.slot()].position);
    let (low, high) = positions.fold((glam::DVec3::MAX, glam::DVec3::MIN), |(low, high), p| (low.min(p), high.max(p)));
    (high - low).max_element().max(0.0)
}
