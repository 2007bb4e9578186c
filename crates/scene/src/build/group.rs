//! Bodies and joints that belong together: the whole scene, or a template.
//!
//! A group is flat: instances inside it are replaced by the bodies and joints they stand for. Placing a group moves its
//! bodies and joints rigidly and puts a prefix before their names, so that "tile" becomes "row/3/tile".

use super::body::Parts;
use super::joint::{JointPlan, Reference};
use super::material::Materials;
use super::script::PlacedPath;
use super::shape::{Shapes, pose};
use super::{Context, MAX_BODIES, MAX_JOINTS, Reported, read_body};
use crate::format::{InstanceFile, RepeatFile};
use crate::load::Color;
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
/// How many things may be placed in all, on all levels of templates.
const MAX_PLACED: usize = 400_000;

/// A body to be added.
#[derive(Clone, Debug)]
pub(super) struct BodyPlan {
    pub(super) name: String,
    pub(super) groups: Vec<String>,
    pub(super) color: Option<Color>,
    /// Where its name stands in the file.
    pub(super) span: Span,
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

    /// Gives the body that was added its velocities.
    pub(super) fn set_in_motion(&self, world: &mut World, id: BodyId) -> Result<(), ModelError> {
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
        templates.group(root, None).0
    }
}

/// Reads groups; templates only once.
struct Templates<'c, 'a, 's, 'f> {
    context: &'c mut Context<'a>,
    shapes: &'s mut Shapes<'f>,
    materials: &'s Materials,
    done: BTreeMap<String, Option<Arc<Group>>>,
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
            return done.clone().ok_or(Reported);
        }
        let entries = self.context.root.section("templates");
        let Some(entry) = entries.iter().find(|entry| entry.key == name) else {
            let help = suggestion(name, entries.iter().map(|entry| entry.key.as_str()));
            self.context.report.push(span, format!("there is no template \"{name}\""), help);
            return Err(Reported);
        };
        if self.open.len() >= MAX_DEPTH {
            self.context.report.push(span, format!("templates are nested deeper than {MAX_DEPTH} levels"), "");
            return Err(Reported);
        }
        self.open.push(name.to_owned());
        let (group, complete) = self.group(&entry.node, None);
        self.open.pop();
        let group = complete.then(|| Arc::new(group));
        self.done.insert(name.to_owned(), group.clone());
        group.ok_or(Reported)
    }

    /// The bodies, joints and instances of a table, with changes to its bodies; and whether they are all.
    fn group(&mut self, node: &Node, changes: Option<&Node>) -> (Group, bool) {
        let mut group = Group::default();
        let mut complete = true;
        for entry in node.section("bodies") {
            let change = changes.and_then(|changes| changes.get(&entry.key));
            complete &= self.add_bodies(&mut group, entry, change).is_ok();
        }
        for entry in node.section("joints") {
            match JointPlan::read(self.context, entry) {
                Ok(joint) => group.joints.push(joint),
                Err(Reported) => complete = false,
            }
        }
        for entry in node.section("instances") {
            complete &= self.add_instances(&mut group, entry).is_ok();
        }
        (group, complete)
    }

    fn add_bodies(&mut self, group: &mut Group, entry: &Entry, change: Option<&Node>) -> Result<(), Reported> {
        let span = entry.key_span;
        self.check_name(entry)?;
        let (file, node) = read_body(self.context, entry, change)?;
        let parts = Parts::read(self.context, self.shapes, self.materials, &file, &node, span)?;
        let at = |key: &str| node.get(key).map_or(span, |node| node.span);
        let start = pose(self.context, at("rotation"), file.position, file.rotation.as_ref())?;
        let mut plan = BodyPlan {
            name: entry.key.clone(),
            groups: file.groups,
            color: parts.color,
            span,
            parts: Arc::new(parts),
            start,
            copy: Transform::IDENTITY,
            surroundings: Transform::IDENTITY,
            velocity: file.velocity,
            angular_velocity: file.angular_velocity,
            turning: [DVec3::ZERO; 2],
        };
        let Some(repeat) = &file.repeat else {
            self.count(1, span)?;
            group.bodies.push(plan);
            return self.check_size(group, span);
        };
        let count = self.copies(repeat, 1, at("repeat"))?;
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
        let template = self.template(&file.template, at("template"), entry)?;
        let start = pose(self.context, at("rotation"), file.position, file.rotation.as_ref())?;
        let motion = Motion { velocity: file.velocity, angular_velocity: file.angular_velocity };
        let size = template.bodies.len() + template.joints.len();
        let Some(repeat) = &file.repeat else {
            self.count(size + 1, span)?;
            group.place(&template, &entry.key, &entry.key, None, &start, motion);
            return self.check_size(group, span);
        };
        let count = self.copies(repeat, size, at("repeat"))?;
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
        let root = self.context.root;
        let Some(entry) = root.section("templates").iter().find(|entry| entry.key == name) else {
            return Err(Reported);
        };
        let bodies = entry.node.section("bodies");
        for change in changes.entries() {
            if !bodies.iter().any(|body| body.key == change.key) {
                let help = suggestion(&change.key, bodies.iter().map(|body| body.key.as_str()));
                let message = format!("the template `{name}` has no body `{}`", change.key);
                self.context.report.push(change.key_span, message, help);
                return Err(Reported);
            }
        }
        self.open.push(name.to_owned());
        let (changed, complete) = self.group(&entry.node, Some(changes));
        self.open.pop();
        if complete { Ok(Arc::new(changed)) } else { Err(Reported) }
    }

    /// How many copies a repetition makes of something of `size` things.
    fn copies(&mut self, repeat: &RepeatFile, size: usize, span: Span) -> Result<u32, Reported> {
        let count = self.context.accept(span, repeat.count())?;
        self.count(usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size + 1), span)?;
        self.context.accept(span, u32::try_from(count))
    }

    fn count(&mut self, more: usize, span: Span) -> Result<(), Reported> {
        self.placed = self.placed.saturating_add(more);
        if self.placed > MAX_PLACED {
            let message = format!("the scene grows too large: more than {MAX_PLACED} bodies and joints are placed");
            self.context.report.push(span, message, format!("a scene has at most {MAX_BODIES} bodies"));
            return Err(Reported);
        }
        Ok(())
    }

    fn check_size(&mut self, group: &Group, span: Span) -> Result<(), Reported> {
        for (count, most, what) in
            [(group.bodies.len(), MAX_BODIES, "bodies"), (group.joints.len(), MAX_JOINTS, "joints")]
        {
            if count > most {
                self.context.report.push(span, format!("there are {count} {what}"), format!("the most is {most}"));
                return Err(Reported);
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
