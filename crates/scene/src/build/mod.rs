//! From a checked document to a world. What the schema cannot know (names, files, numbers that do not fit together) is
//! reported here, with the place it stands at.

mod body;
mod filter;
mod group;
mod joint;
mod material;
mod script;
mod shape;

use crate::format::{BodyFile, SceneFile};
use crate::load::{Color, Scene, SceneSource};
use crate::mesh::Files;
use crate::nearest::suggestion;
use crate::report::Report;
use crate::schema::{chosen_part, method_to_registry, to_registry};
use crate::source::Span;
use crate::tree::{Entry, Node};
use group::{BodyPlan, Group};
use joint::JointPlan;
use material::Materials;
use shape::Shapes;
use std::collections::{BTreeMap, BTreeSet};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{BodyId, Id, World};

/// The most bodies a scene may have, after all repetitions.
pub(crate) const MAX_BODIES: usize = 100_000;
/// The most joints a scene may have, after all repetitions.
pub(crate) const MAX_JOINTS: usize = 200_000;

/// Something is wrong and has been reported.
pub(crate) struct Reported;

/// What all stages need.
pub(crate) struct Context<'a> {
    registry: &'a Registry,
    root: &'a Node,
    report: &'a mut Report,
}

impl Context<'_> {
    /// Reports a problem unless there is a value.
    fn accept<T, E: ToString>(&mut self, span: Span, result: Result<T, E>) -> Result<T, Reported> {
        result.map_err(|problem| {
            self.report.push(span, problem.to_string(), "");
            Reported
        })
    }

    /// Reads a node into a type; the schema has seen to it that this succeeds.
    fn decode<T: serde::de::DeserializeOwned>(&mut self, span: Span, node: &Node) -> Result<T, Reported> {
        self.accept(span, node.decode())
    }
}

/// The scene; none if anything is wrong, which the report then says.
pub(crate) fn scene(registry: &Registry, root: &Node, files: &dyn Files, report: &mut Report) -> Option<Scene> {
    let mut context = Context { registry, root, report };
    let file: SceneFile = context.decode(root.span, root).ok()?;
    let materials = Materials::read(&mut context);
    let shapes = Shapes::read(&mut context, files);
    let mut builder = Builder {
        context,
        materials,
        shapes,
        world: World::new(),
        colors: Vec::new(),
        names: BTreeMap::new(),
        groups: BTreeSet::new(),
        complete: false,
    };
    builder.build(&file);
    let Builder { context, world, colors, .. } = builder;
    context.report.is_empty().then(|| Scene {
        title: file.title,
        description: file.description,
        duration: file.duration,
        dt: file.dt,
        camera: file.camera,
        recording: file.recording,
        world,
        colors,
        source: SceneSource::default(),
    })
}

struct Builder<'a, 'f> {
    context: Context<'a>,
    materials: Materials,
    shapes: Shapes<'f>,
    world: World,
    colors: Vec<Option<Color>>,
    names: BTreeMap<String, BodyId>,
    groups: BTreeSet<String>,
    /// Whether all bodies are there.
    complete: bool,
}

impl Builder<'_, '_> {
    fn build(&mut self, file: &SceneFile) {
        if let Some(gravity) = file.gravity {
            self.world.set_gravity(gravity);
        }
        self.world.set_mixing(material::mixing(file.mixing));
        self.check_camera(file);
        let everything = Group::read(&mut self.context, &mut self.shapes, &self.materials);
        for plan in &everything.bodies {
            self.add_body(plan);
        }
        // To miss a body that was refused would only repeat the complaint.
        self.complete = self.context.report.is_empty();
        for plan in &everything.joints {
            self.add_joint(plan);
        }
        if let Some(filter) = file.filter.as_ref().filter(|_| self.complete) {
            self.set_filter(filter);
        }
        self.add_forces();
        if self.complete {
            self.check_recording(file);
        }
        self.set_method(file);
    }

    fn check_camera(&mut self, file: &SceneFile) {
        if file.camera.is_some_and(|camera| camera.from == camera.to) {
            let span = self.context.root.get("camera").map(|node| node.span);
            self.context.report.push(span, "the camera looks at itself", "`from` and `to` must differ");
        }
    }

    fn add_body(&mut self, plan: &BodyPlan) {
        match self.world.add_body(plan.body()) {
            Ok(id) => {
                let set_in_motion = plan.set_in_motion(&mut self.world, id);
                if let Err(problem) = set_in_motion {
                    self.context.report.push(plan.span, problem.to_string(), "");
                }
                self.colors.resize(id.slot() + 1, None);
                self.colors[id.slot()] = plan.color;
                self.names.insert(plan.name.clone(), id);
                self.groups.extend(plan.groups.iter().cloned());
            }
            Err(problem) => self.context.report.push(plan.span, problem.to_string(), ""),
        }
    }

    fn add_joint(&mut self, plan: &JointPlan) {
        let Ok(first) = self.end(&plan.ends[0]) else { return };
        let Ok(second) = self.end(&plan.ends[1]) else { return };
        if let Err(problem) = plan.add(&mut self.world, [first, second]) {
            self.context.report.push(plan.span, problem.to_string(), "");
        }
    }

    /// The body with this name.
    fn body(&mut self, name: &str, span: Span) -> Result<BodyId, Reported> {
        self.names.get(name).copied().ok_or_else(|| {
            let help = suggestion(name, self.names.keys().map(String::as_str));
            self.context.report.push(span, format!("there is no body \"{name}\""), help);
            Reported
        })
    }

    fn check_group(&mut self, name: &str, span: Span) {
        if !self.groups.contains(name) {
            let help = suggestion(name, self.groups.iter().map(String::as_str));
            self.context.report.push(span, format!("no body is in a group \"{name}\""), help);
        }
    }

    fn add_forces(&mut self) {
        for Entry { key_span, node, .. } in self.context.root.section("forces") {
            let Some(Entry { key: kind, node: properties, .. }) = node.entries().first() else { continue };
            let given = to_registry(&properties.to_json());
            if self.complete {
                self.check_targets(properties);
            }
            match self.context.registry.forces.create(kind, &given) {
                Ok(force) => drop(self.world.add_force(force)),
                Err(problem) => self.context.report.push(*key_span, problem.to_string(), ""),
            }
        }
    }

    /// A force on bodies or a group that do not exist would silently do nothing.
    fn check_targets(&mut self, properties: &Node) {
        for Entry { key, node, .. } in properties.entries() {
            match (key.as_str(), node.text()) {
                ("named", Some(name)) => drop(self.body(name, node.span)),
                ("group", Some(name)) => self.check_group(name, node.span),
                _ => self.check_targets(node),
            }
        }
        properties.elements().iter().for_each(|element| self.check_targets(element));
    }

    fn check_recording(&mut self, file: &SceneFile) {
        let nodes = self.context.root.at(&["recording", "bodies"]).map_or(&[][..], Node::elements);
        for (name, node) in file.recording.bodies.iter().zip(nodes) {
            if !self.groups.contains(name) {
                let _reported = self.body(name, node.span);
            }
        }
    }

    fn set_method(&mut self, file: &SceneFile) {
        let Some(chosen) = &file.method else { return };
        let span = self.context.root.get("method").map_or(self.context.root.span, |node| node.span);
        let (name, properties) = chosen_part(chosen);
        match self.context.registry.method(&name, &method_to_registry(&properties)) {
            Ok(method) => self.world.set_boxed_method(method),
            Err(problem) => self.context.report.push(span, problem.to_string(), ""),
        }
    }
}

/// The body as the file describes it, with changes by an instance.
fn read_body(context: &mut Context<'_>, entry: &Entry, change: Option<&Node>) -> Result<(BodyFile, Node), Reported> {
    let node = change.map_or_else(|| entry.node.clone(), |change| entry.node.overlaid(change));
    Ok((context.decode(entry.key_span, &node)?, node))
}
