//! Bodies and joints that belong together: the whole scene, or a template.
//!
//! A group is flat: instances inside it are replaced by the bodies and joints they stand for. Placing a group moves its
//! bodies and joints rigidly and puts a prefix before their names, so that "tile" becomes "row/3/tile".

use super::body::Parts;
use super::joint::{JointPlan, Reference};
use super::material::Materials;
use super::script::PlacedPath;
use super::shape::{Shapes, pose};
use super::skeleton::{SkinPlan, Source};
use super::{Context, Reported, read_body};
use crate::format::{InstanceFile, RepeatFile};
use crate::load::Color;
use crate::look::Surface;
use crate::nearest::suggestion;
use crate::source::Span;
use crate::tree::{Entry, Node};
use glam::DVec3;
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_dynamics::{Body, BodyId, ModelError, World};
use tumble_geometry::Transform;

/// How deep templates may be nested.
const MAX_DEPTH: usize = 32;
/// A body to be added.
#[derive(Clone, Debug)]
pub(super) struct BodyPlan {
    pub(super) name: String,
    pub(super) groups: Vec<String>,
    pub(super) color: Option<Color>,
    /// Where its name stands in the file.
    pub(super) span: Span,
    /// Whether something about it is wrong, so that it is no wonder if there can be no such body.
    pub(super) doubtful: bool,
    parts: Arc<Parts>,
    /// Where the file puts it, what a repetition adds, and where the group it belongs to is.
    start: Transform,
    copy: Transform,
    surroundings: Transform,
    velocity: DVec3,
    angular_velocity: DVec3,
    /// The turning of instances: angular velocities ωᵢ about points oᵢ move the centre of mass x with
    /// Σ ωᵢ × (x − oᵢ) = (Σ ωᵢ) × x − Σ ωᵢ × oᵢ; these are the two sums.
    turning: [DVec3; 2],
}

impl BodyPlan {
    /// The body, at rest.
    pub(super) fn body(&self) -> Body {
        let script = self.parts.path.clone().map(|path| PlacedPath {
            path,
            start: self.start,
            copy: self.copy,
            surroundings: self.surroundings,
        });
        let pose = self.surroundings * moved(&self.start, &self.copy);
        let body = self.parts.body(script).named(self.name.clone()).with_pose(pose);
        self.groups.iter().fold(body, |body, group| body.in_group(group.clone()))
    }

    /// What is seen of it in place of its shapes.
    pub(super) fn visual(&self) -> Option<&Arc<Surface>> {
        self.parts.visual.as_ref()
    }

    /// How many triangles and parts it has.
    pub(super) fn faces(&self) -> usize {
        self.parts.faces
    }

    /// Where its origin is.
    pub(super) fn place(&self) -> DVec3 {
        (self.surroundings * moved(&self.start, &self.copy)).translation
    }

    /// Gives the body that was added its velocities; a script gives its own.
    pub(super) fn set_in_motion(&self, world: &mut World, id: BodyId) -> Result<(), ModelError> {
        if self.parts.path.is_some() {
            return Ok(());
        }
        let center = world.body(id)?.center_of_mass();
        let velocity = self.velocity + self.turning[0].cross(center) - self.turning[1];
        let mut body = world.body_mut(id)?;
        if velocity != DVec3::ZERO {
            body.set_velocity(velocity)?;
        }
        if self.angular_velocity != DVec3::ZERO {
            body.set_angular_velocity(self.angular_velocity)?;
        }
        Ok(())
    }
}

/// A pose moved by a repetition: turned about its own origin, then displaced.
pub(super) fn moved(pose: &Transform, copy: &Transform) -> Transform {
    Transform::new(copy.rotation * pose.rotation, pose.translation + copy.translation)
}

/// Bodies and joints, flat.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) bodies: Vec<BodyPlan>,
    pub(super) joints: Vec<JointPlan>,
    pub(super) skins: Vec<SkinPlan>,
    pub(super) refused: Vec<Refused>,
}

/// A body or instance that nothing could be made of, which has been reported.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    /// Its bodies would have this name, or one that begins with this and a slash. Empty: any name.
    pub(super) path: String,
    /// The groups its bodies would be in, if that is known.
    pub(super) groups: Option<Vec<String>>,
}

impl Refused {
    /// The body of an entry, with changes by an instance.
    fn body(entry: &Entry, change: Option<&Node>) -> Self {
        let groups = [Some(&entry.node), change].into_iter().flatten().map(|node| match node.get("groups") {
            Some(groups) if groups.is_sound() => Some(groups.elements()),
            Some(_) => None,
            None => node.is_usable().then_some(&[][..]),
        });
        let groups = groups.collect::<Option<Vec<&[Node]>>>();
        let names = |nodes: Vec<&[Node]>| nodes.concat().iter().filter_map(Node::text).map(str::to_owned).collect();
        let mut groups: Option<Vec<String>> = groups.map(names);
        groups.iter_mut().for_each(|groups| groups.push(entry.key.clone()));
        Self { path: entry.key.clone(), groups }
    }
}

impl Group {
    /// Everything in the scene that could be read; what could not has been reported.
    pub(super) fn read(context: &mut Context<'_>, shapes: &mut Shapes<'_>, materials: &Materials) -> Self {
        let root = context.root;
        let mut templates =
            Templates { context, shapes, materials, done: BTreeMap::new(), open: Vec::new(), placed: 0 };
        // Also templates that are not used are looked at, so that a mistake in one is found.
        for entry in root.section("templates") {
            let _reported = templates.named(&entry.key, entry.key_span);
        }
        for entry in root.section("skeletons") {
            let _reported = templates.named(&entry.key, entry.key_span);
        }
        templates.group(root, None)
    }
}

/// Reads groups; templates only once.
pub(super) struct Templates<'c, 'a, 's, 'f> {
    pub(super) context: &'c mut Context<'a>,
    pub(super) shapes: &'s mut Shapes<'f>,
    materials: &'s Materials,
    done: BTreeMap<String, Arc<Group>>,
    /// The templates being read, to find cycles.
    open: Vec<String>,
    placed: usize,
}

/// How an instance moves as a whole.
#[derive(Clone, Copy)]
struct Motion {
    velocity: DVec3,
    angular_velocity: DVec3,
}

impl Templates<'_, '_, '_, '_> {
    fn named(&mut self, name: &str, span: Span) -> Result<Arc<Group>, Reported> {
        if let Some(done) = self.done.get(name) {
            return Ok(done.clone());
        }
        let source = self.source(name, span)?;
        if self.open.len() >= MAX_DEPTH {
            self.context.report.push(span, format!("templates are nested deeper than {MAX_DEPTH} levels"), "");
            return Err(Reported);
        }
        self.open.push(name.to_owned());
        let group = Arc::new(self.group_of(&source, None));
        self.open.pop();
        self.done.insert(name.to_owned(), group.clone());
        Ok(group)
    }

    /// The template of a name, or what the skeleton of that name stands for.
    fn source(&mut self, name: &str, span: Span) -> Result<Source, Reported> {
        let root = self.context.root;
        let [templates, skeletons] = ["templates", "skeletons"].map(|section| root.section(section));
        let find = |entries: &'_ [Entry]| entries.iter().find(|entry| entry.key == name).cloned();
        let (template, skeleton) = (find(templates), find(skeletons));
        if let (Some(_), Some(skeleton)) = (&template, &skeleton) {
            let message = format!("\"{name}\" is a template and a skeleton");
            self.context.report.push(skeleton.key_span, message, "give one of them another name");
            return Err(Reported);
        }
        let Some(entry) = template.as_ref().or(skeleton.as_ref()) else {
            if !root.has_lost("templates") && !root.has_lost("skeletons") {
                let known = templates.iter().chain(skeletons).map(|entry| entry.key.as_str());
                let help = suggestion(name, known);
                self.context.report.push(span, format!("there is no template \"{name}\""), help);
            }
            return Err(Reported);
        };
        if !entry.node.is_usable() {
            return Err(Reported);
        }
        if skeleton.is_some() {
            return self.skeleton(entry);
        }
        Ok(Source { node: entry.node.clone(), frames: BTreeMap::new(), skin: None })
    }

    /// What is in a template or skeleton, with changes to its bodies.
    fn group_of(&mut self, source: &Source, changes: Option<&Node>) -> Group {
        let mut group = self.group(&source.node, changes);
        for joint in &mut group.joints {
            if let Some(frame) = source.frames.get(&joint.name) {
                joint.frame = *frame;
            }
        }
        group.skins.extend(source.skin.clone());
        group
    }

    /// The bodies, joints and instances of a table, with changes to its bodies.
    fn group(&mut self, node: &Node, changes: Option<&Node>) -> Group {
        let mut group = Group::default();
        if self.placed > self.most_placed() {
            return group;
        }
        for entry in node.section("bodies") {
            let change = changes.and_then(|changes| changes.get(&entry.key));
            if let Err(Reported) = self.add_bodies(&mut group, entry, change) {
                group.refused.push(Refused::body(entry, change));
            }
        }
        for entry in node.section("joints") {
            group.joints.extend(JointPlan::read(self.context, entry));
        }
        for entry in node.section("instances") {
            if let Err(Reported) = self.add_instances(&mut group, entry) {
                group.refused.push(Refused { path: entry.key.clone(), groups: None });
            }
        }
        if node.has_lost("bodies") || node.has_lost("instances") {
            group.refused.push(Refused { path: String::new(), groups: None });
        }
        group
    }

    fn add_bodies(&mut self, group: &mut Group, entry: &Entry, change: Option<&Node>) -> Result<(), Reported> {
        let span = entry.key_span;
        self.check_name(entry)?;
        let (file, node) = read_body(self.context, entry, change)?;
        let at = |key: &str| node.get(key).map_or(span, |node| node.span);
        let parts = Parts::read(self.context, self.shapes, self.materials, &file, &node, span);
        let start = pose(self.context, &node, span, file.position, file.rotation.as_ref());
        let copies = file.repeat.as_ref().map(|repeat| self.copies(repeat, 1, &node)).transpose();
        let (parts, start, copies) = (parts?, start?, copies?);
        // Joints can be judged if it is known where the body is.
        if ["position", "rotation", "repeat"].iter().any(|key| node.get(key).is_some_and(|node| !node.is_sound())) {
            return Err(Reported);
        }
        let mut plan = BodyPlan {
            name: entry.key.clone(),
            groups: file.groups,
            color: parts.color,
            span,
            doubtful: !node.is_sound(),
            parts: Arc::new(parts),
            start,
            copy: Transform::IDENTITY,
            surroundings: Transform::IDENTITY,
            velocity: file.velocity,
            angular_velocity: file.angular_velocity,
            turning: [DVec3::ZERO; 2],
        };
        let Some((repeat, count)) = file.repeat.as_ref().zip(copies) else {
            self.count(1, span)?;
            group.bodies.push(plan);
            return self.check_size(group, span);
        };
        plan.groups.push(entry.key.clone());
        for index in 0..count {
            let copy = self.context.accept(at("repeat"), repeat.placement(index))?;
            group.bodies.push(BodyPlan { name: format!("{}/{index}", entry.key), copy, ..plan.clone() });
        }
        self.check_size(group, span)
    }

    fn add_instances(&mut self, group: &mut Group, entry: &Entry) -> Result<(), Reported> {
        let span = entry.key_span;
        self.check_name(entry)?;
        let file: InstanceFile = self.context.decode(span, &entry.node)?;
        let at = |key: &str| entry.node.get(key).map_or(span, |node| node.span);
        let template = self.template(&file.template, at("template"), entry);
        let start = pose(self.context, &entry.node, span, file.position, file.rotation.as_ref());
        let (template, start) = (template?, start?);
        if !entry.node.is_sound() {
            return Err(Reported);
        }
        let motion = Motion { velocity: file.velocity, angular_velocity: file.angular_velocity };
        let size = template.bodies.len() + template.joints.len() + template.refused.len();
        let Some(repeat) = &file.repeat else {
            self.count(size + 1, span)?;
            group.place(&template, &entry.key, &entry.key, None, &start, motion);
            return self.check_size(group, span);
        };
        let count = self.copies(repeat, size, &entry.node)?;
        let mut before: Option<String> = None;
        for index in 0..count {
            let copy = self.context.accept(at("repeat"), repeat.placement(index))?;
            let prefix = format!("{}/{index}", entry.key);
            group.place(&template, &entry.key, &prefix, before.as_deref(), &moved(&start, &copy), motion);
            before = Some(prefix);
        }
        self.check_size(group, span)
    }

    /// The template of an instance, with the changes the instance makes.
    fn template(&mut self, name: &str, span: Span, instance: &Entry) -> Result<Arc<Group>, Reported> {
        if let Some(from) = self.open.iter().position(|open| open == name) {
            let circle = [&self.open[from..], &[name.to_owned()]].concat().join("` → `");
            self.context.report.push(span, "templates that contain each other", format!("a cycle: `{circle}`"));
            return Err(Reported);
        }
        let plain = self.named(name, span)?;
        let Some(changes) = instance.node.get("change") else { return Ok(plain) };
        let source = self.source(name, span)?;
        let bodies = source.node.section("bodies");
        for change in changes.entries() {
            if !bodies.iter().any(|body| body.key == change.key) && !source.node.has_lost("bodies") {
                let help = suggestion(&change.key, bodies.iter().map(|body| body.key.as_str()));
                let message = format!("the template `{name}` has no body `{}`", change.key);
                self.context.report.push(change.key_span, message, help);
            }
        }
        self.open.push(name.to_owned());
        let changed = self.group_of(&source, Some(changes));
        self.open.pop();
        Ok(Arc::new(changed))
    }

    /// How many copies the repetition in the table `node` makes of something of `size` things.
    fn copies(&mut self, repeat: &RepeatFile, size: usize, node: &Node) -> Result<u32, Reported> {
        let span = node.place(&["repeat"], node.span);
        let count = self.context.accept_of(node.get("repeat").unwrap_or(node), span, repeat.count())?;
        let things = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size + 1);
        self.place(things, span, || format!("the scene grows too large: {count} copies are asked for"))?;
        self.context.accept(span, u32::try_from(count))
    }

    fn count(&mut self, more: usize, span: Span) -> Result<(), Reported> {
        let most = self.most_placed();
        let message = || format!("the scene grows too large: more than {most} bodies and joints are placed");
        self.place(more, span, message)
    }

    /// How many things may be placed in all, on all levels of templates.
    fn most_placed(&self) -> usize {
        let budget = self.context.budget;
        budget.bodies().saturating_mul(2).saturating_add(budget.joints())
    }

    /// Counts what is placed. That it is too much is said once.
    fn place(&mut self, more: usize, span: Span, message: impl Fn() -> String) -> Result<(), Reported> {
        let (most, budget) = (self.most_placed(), self.context.budget);
        let was_too_large = self.placed > most;
        self.placed = self.placed.saturating_add(more);
        if self.placed <= most {
            return Ok(());
        }
        if !was_too_large {
            let help = format!("a scene has at most {} bodies and {} joints", budget.bodies(), budget.joints());
            self.context.report.push(span, message(), help);
        }
        Err(Reported)
    }

    fn check_size(&mut self, group: &Group, span: Span) -> Result<(), Reported> {
        let budget = self.context.budget;
        for (count, most, what) in
            [(group.bodies.len(), budget.bodies(), "bodies"), (group.joints.len(), budget.joints(), "joints")]
        {
            if count > most {
                let message = format!("there are {count} {what} up to here");
                return self.place(self.most_placed(), span, || message.clone()).and(Err(Reported));
            }
        }
        Ok(())
    }

    /// Names of bodies and instances are parts of paths.
    fn check_name(&mut self, entry: &Entry) -> Result<(), Reported> {
        let name = entry.key.as_str();
        if name.is_empty() || name.contains('/') || ["world", "previous"].contains(&name) {
            let message = format!("\"{name}\" cannot be the name of a body");
            self.context.report.push(entry.key_span, message, "not `world`, not `previous`, and without `/`");
            return Err(Reported);
        }
        Ok(())
    }
}

impl Group {
    /// Adds all of another group: moved, with a prefix before every name, its bodies members of `member_of`. `before` is
    /// the prefix of the copy before.
    fn place(
        &mut self,
        other: &Group,
        member_of: &str,
        prefix: &str,
        before: Option<&str>,
        at: &Transform,
        motion: Motion,
    ) {
        let Motion { velocity, angular_velocity } = motion;
        self.bodies.extend(other.bodies.iter().map(|plan| {
            let mut plan = plan.clone();
            plan.name = format!("{prefix}/{}", plan.name);
            plan.groups.push(member_of.to_owned());
            plan.surroundings = *at * plan.surroundings;
            plan.velocity = at.vector(plan.velocity) + velocity;
            plan.angular_velocity = at.vector(plan.angular_velocity) + angular_velocity;
            let [sum, moment] = plan.turning.map(|vector| at.vector(vector));
            plan.turning =
                [sum + angular_velocity, moment + sum.cross(at.translation) + angular_velocity.cross(at.translation)];
            plan
        }));
        self.skins.extend(other.skins.iter().map(|plan| SkinPlan {
            name: if plan.name.is_empty() { prefix.to_owned() } else { format!("{prefix}/{}", plan.name) },
            skin: plan.skin.clone(),
            bodies: plan.bodies.iter().map(|name| format!("{prefix}/{name}")).collect(),
        }));
        self.refused.extend(other.refused.iter().map(|Refused { path, groups }| {
            let path = if path.is_empty() { prefix.to_owned() } else { format!("{prefix}/{path}") };
            let groups = groups.as_ref().map(|groups| [groups, &[member_of.to_owned()][..]].concat());
            Refused { path, groups }
        }));
        self.joints.extend(other.joints.iter().filter_map(|plan| {
            let mut plan = plan.clone();
            plan.name = format!("{prefix}/{}", plan.name);
            plan.frame = *at * plan.frame;
            for end in &mut plan.ends {
                end.reference = match std::mem::replace(&mut end.reference, Reference::World) {
                    Reference::Inside(name) => Reference::Inside(format!("{prefix}/{name}")),
                    Reference::Previous(name) => Reference::Inside(format!("{}/{name}", before?)),
                    other => other,
                };
            }
            Some(plan)
        }));
    }
}
