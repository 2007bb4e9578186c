//! From a checked document to a world. What the schema cannot know (names, files, numbers that do not fit together) is
//! reported here, with the place it stands at.
//!
//! Something that is wrong in part is read as far as it goes, for the names in it, but nothing is made of it: it is
//! refused. Its name is still known, so that who refers to it is not told that it does not exist.

mod body;
mod control;
mod filter;
mod follow;
mod group;
mod joint;
mod lattice;
mod material;
mod script;
mod shape;
mod skeleton;
mod visual;

pub(crate) use script::PlacedPath;

use crate::cost::{Budget, Cost};
use crate::format::{BodyFile, SceneFile};
use crate::load::{Color, Scene, SceneSource};
use crate::look::Surface;
use crate::mesh::Files;
use crate::nearest::suggestion;
use crate::refers;
use crate::report::Report;
use crate::schema::{chosen_part, method_to_registry, to_registry};
use crate::skin::Figure;
use crate::source::{Sources, Span};
use crate::tree::{Entry, Node};
use group::{BodyPlan, Group, Refused};
use joint::JointPlan;
use material::Materials;
use shape::Shapes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{BodyId, Id, World};

/// How far from the origin a body may be along each axis, in metres: what it takes for a solar system.
const FARTHEST: f64 = 1e12;

/// Something is wrong and has been reported.
pub(crate) struct Reported;

/// What all stages need.
pub(crate) struct Context<'a> {
    registry: &'a Registry,
    root: &'a Node,
    report: &'a mut Report,
    budget: Budget,
}

impl Context<'_> {
    /// Reports a problem unless there is a value.
    fn accept<T, E: ToString>(&mut self, span: Span, result: Result<T, E>) -> Result<T, Reported> {
        result.map_err(|problem| {
            self.report.push(span, problem.to_string(), "");
            Reported
        })
    }

    /// Likewise for what was made of `node`. If something in it was wrong, that has been said and this is the consequence.
    fn accept_of<T, E: ToString>(&mut self, node: &Node, span: Span, result: Result<T, E>) -> Result<T, Reported> {
        if node.is_sound() { self.accept(span, result) } else { result.map_err(|_| Reported) }
    }

    /// Reads what can be used of a node into a type; the schema has seen to it that this succeeds.
    fn decode<T: serde::de::DeserializeOwned>(&mut self, span: Span, node: &Node) -> Result<T, Reported> {
        if node.is_usable() { self.accept(span, node.decode()) } else { Err(Reported) }
    }
}

/// The scene; none if anything is wrong, which the report then says.
pub(crate) fn scene(
    registry: &Registry,
    root: &Node,
    files: &dyn Files,
    sources: &mut Sources,
    budget: Budget,
    report: &mut Report,
) -> Option<Scene> {
    let mut context = Context { registry, root, report, budget };
    let file: SceneFile = context.accept(root.span, root.decode()).ok()?;
    let materials = Materials::read(&mut context);
    let shapes = Shapes::read(&mut context, files);
    let mut builder = Builder {
        context,
        materials,
        shapes,
        world: World::new(),
        colors: Vec::new(),
        visuals: Vec::new(),
        figures: Vec::new(),
        names: BTreeMap::new(),
        groups: BTreeSet::new(),
        refused: BTreeSet::new(),
        may_be_in_any_group: false,
    };
    builder.build(&file);
    builder.add_behavior(&file, sources, files);
    let Builder { context, mut world, colors, visuals, figures, shapes, .. } = builder;
    if !context.report.is_empty() {
        return None;
    }
    let cost = Cost::of(&world, file.dt, shapes.triangles(), budget);
    if let Some((message, help)) = cost.refusal(budget) {
        context.report.push(root.place(&["bodies"], root.span), message, help);
        return None;
    }
    world.set_most_pairs(budget.near());
    Some(Scene {
        title: file.title,
        description: file.description,
        duration: file.duration,
        dt: file.dt,
        camera: file.camera,
        recording: file.recording,
        energy_watch: file.energy_watch.map(Into::into),
        contact_rate: file.contact_rate,
        world,
        colors,
        visuals,
        figures,
        cost,
        budget,
        files: Vec::new(),
        source: SceneSource::default(),
        notes: Vec::new(),
    })
}

struct Builder<'a, 'f> {
    context: Context<'a>,
    materials: Materials,
    shapes: Shapes<'f>,
    world: World,
    colors: Vec<Option<Color>>,
    visuals: Vec<Option<Arc<Surface>>>,
    figures: Vec<Figure>,
    names: BTreeMap<String, BodyId>,
    /// The groups of all bodies, also of those that were refused.
    groups: BTreeSet<String>,
    /// The paths of what was refused: bodies of this name, or whose names begin with it and a slash.
    refused: BTreeSet<String>,
    /// Whether it is unknown of something that was refused which groups it is in.
    may_be_in_any_group: bool,
}

impl Builder<'_, '_> {
    fn build(&mut self, file: &SceneFile) {
        if let Some(gravity) = file.gravity {
            self.world.set_gravity(gravity);
        }
        if let Some(watch) = file.energy_watch {
            self.world.set_energy_watch(watch.into());
        }
        if let Some(rate) = file.contact_rate {
            let span = self.context.root.place(&["contact_rate"], self.context.root.span);
            let set = self.world.set_contact_rate(rate);
            let _reported = self.context.accept(span, set);
        }
        self.world.set_mixing(material::mixing(file.mixing));
        self.check_camera(file);
        let everything = Group::read(&mut self.context, &mut self.shapes, &self.materials);
        for Refused { path, groups } in everything.refused {
            self.refused.insert(path);
            self.may_be_in_any_group |= groups.is_none();
            self.groups.extend(groups.into_iter().flatten());
        }
        if !self.afford(&everything.bodies) {
            return;
        }
        everything.bodies.iter().for_each(|plan| self.add_body(plan));
        for plan in &everything.skins {
            let bodies: Option<Vec<BodyId>> = plan.bodies.iter().map(|name| self.names.get(name).copied()).collect();
            // If a bone was refused, that has been said.
            let figure = bodies.map(|bodies| Figure { name: plan.name.clone(), skin: plan.skin.clone(), bodies });
            self.figures.extend(figure);
        }
        self.add_lattices();
        for plan in &everything.joints {
            self.add_joint(plan);
        }
        if let Some(filter) = &file.filter {
            self.set_filter(filter);
        }
        self.add_forces();
        self.check_recording(file);
        self.set_method(file);
    }

    /// Whether all bodies can be made in reasonable time: each is weighed, triangle by triangle.
    fn afford(&mut self, bodies: &[BodyPlan]) -> bool {
        let (most, mut all) = (self.context.budget.faces(), 0_usize);
        let too_many = bodies.iter().find(|plan| {
            all = all.saturating_add(plan.faces());
            all > most
        });
        if let Some(plan) = too_many {
            let message =
                format!("the scene costs too much: up to here its bodies have more than {most} triangles and parts");
            let help = "copies of simpler shapes would do; `--budget 10` allows more";
            self.context.report.push(plan.span, message, help);
        }
        too_many.is_none()
    }

    fn check_camera(&mut self, file: &SceneFile) {
        if file.camera.is_some_and(|camera| camera.from == camera.to) {
            let span = self.context.root.place(&["camera"], self.context.root.span);
            self.context.report.push(span, "the camera looks at itself", "`from` and `to` must differ");
        }
    }

    fn add_body(&mut self, plan: &BodyPlan) {
        self.groups.extend(plan.groups.iter().cloned());
        let place = plan.place();
        if place.abs().max_element() > FARTHEST {
            self.refused.insert(plan.name.clone());
            let [x, y, z] = place.to_array();
            let message = format!("the body \"{}\" is at [{x:e}, {y:e}, {z:e}]", plan.name);
            return self.context.report.push(plan.span, message, format!("at most {FARTHEST:e} m from the origin"));
        }
        let added = self.world.add_body(plan.body()).and_then(|id| {
            plan.set_in_motion(&mut self.world, id)?;
            self.colors.resize(id.slot() + 1, None);
            self.colors[id.slot()] = plan.color;
            if let Some(visual) = plan.visual() {
                self.visuals.resize(id.slot() + 1, None);
                self.visuals[id.slot()] = Some(visual.clone());
            }
            self.names.insert(plan.name.clone(), id);
            Ok(())
        });
        if let Err(problem) = added {
            self.refused.insert(plan.name.clone());
            if !plan.doubtful {
                self.context.report.push(plan.span, problem.to_string(), "");
            }
        }
    }

    fn add_joint(&mut self, plan: &JointPlan) {
        let ends = plan.ends.each_ref().map(|end| self.end(end));
        let [Ok(first), Ok(second)] = ends else { return };
        if let Err(problem) = plan.add(&mut self.world, [first, second]) {
            let (message, span) = plan.problem(&problem);
            self.context.report.push(span, message, "");
        }
    }

    /// The body with this name.
    fn body(&mut self, name: &str, span: Span) -> Result<BodyId, Reported> {
        self.names.get(name).copied().ok_or_else(|| {
            if !self.is_refused(name) {
                let help = suggestion(name, self.names.keys().chain(&self.refused).map(String::as_str));
                self.context.report.push(span, format!("there is no body \"{name}\""), help);
            }
            Reported
        })
    }

    /// Whether there would be a body of this name, or may be, if nothing had been refused.
    fn is_refused(&self, name: &str) -> bool {
        let slashes = name.match_indices('/').map(|(at, _)| at);
        [0, name.len()].into_iter().chain(slashes).any(|end| self.refused.contains(&name[..end]))
    }

    fn check_group(&mut self, name: &str, span: Span) {
        if !self.groups.contains(name) && !self.may_be_in_any_group {
            let help = suggestion(name, self.groups.iter().map(String::as_str));
            self.context.report.push(span, format!("no body is in a group \"{name}\""), help);
        }
    }

    fn add_forces(&mut self) {
        for Entry { key_span, node, .. } in self.context.root.section("forces") {
            let Some(Entry { key: kind, node: properties, .. }) = node.entries().first() else { continue };
            let given = to_registry(&properties.to_json());
            self.check_targets(properties);
            if !node.is_sound() {
                continue;
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
            if !self.groups.contains(name) && !self.may_be_in_any_group {
                let _reported = self.body(name, node.span);
            }
        }
    }

    /// Refuses settings of a method about bodies that do not exist.
    fn check_names(&mut self, method: &str, node: &Node) {
        let (Some(part), Some(settings)) = (self.context.registry.methods.part(method), node.get(method)) else {
            return;
        };
        let mut named = Vec::new();
        refers::names((&part.schema, &part.schema), settings, "body", &mut |name, node| named.push((name, node.span)));
        named.into_iter().for_each(|(name, span)| drop(self.body(name, span)));
    }

    fn set_method(&mut self, file: &SceneFile) {
        let (Some(chosen), Some(node)) = (&file.method, self.context.root.get("method")) else { return };
        if !node.is_sound() {
            return;
        }
        let span = self.context.root.place(&["method"], node.span);
        let (name, properties) = chosen_part(chosen);
        self.check_names(&name, node);
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
