//! Joints and springs between bodies.
//!
//! Registered joints are described in the coordinates of their surroundings. In a template those are the coordinates of
//! the template, and the joint is attached in these ([`Attach::attach_in`]), so that it holds wherever the instance is.

use super::{Builder, Context, Reported};
use crate::degrees::{self, Angle};
use crate::fault;
use crate::format::{JointFile, SpringFile};
use crate::schema::to_registry;
use crate::source::Span;
use crate::tree::{Entry, Node};
use std::sync::Arc;
use tumble_dynamics::constraint::Attach;
use tumble_dynamics::curve::Program;
use tumble_dynamics::force::Spring;
use tumble_dynamics::model::{Breaking, Joint, JointEnd};
use tumble_dynamics::{ModelError, World};
use tumble_geometry::Transform;

/// A joint to be added.
#[derive(Clone, Debug)]
pub(super) struct JointPlan {
    pub(super) name: String,
    pub(super) ends: [End; 2],
    /// Where the coordinates of the joint are.
    pub(super) frame: Transform,
    pub(super) span: Span,
    /// None if it was refused; its ends are looked at all the same.
    kind: Option<Kind>,
    /// What the file says of it, and the angles in that.
    node: Arc<Node>,
    angles: Arc<[Angle]>,
    collide: bool,
    breaking: Breaking,
    /// What follows curves.
    programs: Vec<Program>,
}

/// One end of a joint as the file names it.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) reference: Reference,
    written: Arc<str>,
    span: Span,
}

/// Whom the end of a joint means.
#[derive(Clone, Debug)]
pub(super) enum Reference {
    World,
    /// A body of the same group.
    Inside(String),
    /// A body of the copy before.
    Previous(String),
    /// A body of the whole scene.
    Outside(String),
}

#[derive(Clone, Debug)]
enum Kind {
    Joint(Arc<dyn Attach>),
    Spring(SpringFile),
}

impl JointPlan {
    pub(super) fn read(context: &mut Context<'_>, entry: &Entry) -> Result<Self, Reported> {
        let span = entry.key_span;
        let file: JointFile = context.decode(span, &entry.node)?;
        let part = file.part.keys().next().and_then(|name| Some((name, entry.node.get(name)?)));
        let kind = part.filter(|_| entry.node.is_sound()).and_then(|(name, node)| Kind::read(context, name, node).ok());
        let nodes = entry.node.get("between").map_or(&[][..], Node::elements);
        let mut spans = nodes.iter().map(|node| node.span);
        let ends = file.between.map(|name| End {
            reference: Reference::parse(&name),
            written: name.into(),
            span: spans.next().unwrap_or(span),
        });
        let limit = |limit: Option<f64>| limit.unwrap_or(f64::INFINITY);
        let breaks = &file.breaks;
        let breaking =
            Breaking { force: limit(breaks.force), torque: limit(breaks.torque), error: limit(breaks.error) };
        let (name, frame) = (entry.key.clone(), Transform::IDENTITY);
        let angles = degrees::angles(&entry.node).into();
        let node = Arc::new(part.map_or(&entry.node, |(_, node)| node).clone());
        let programs = super::follow::programs(context, &file.follow, &entry.node)?;
        Ok(Self { name, ends, frame, span, kind, node, angles, collide: file.collide, breaking, programs })
    }

    /// What is wrong with it, in the words of the file, and where that stands.
    pub(super) fn problem(&self, problem: &ModelError) -> (String, Span) {
        degrees::problem_in_degrees(problem, &self.angles)
            .unwrap_or_else(|| (problem.to_string(), fault::place(problem, &self.node).unwrap_or(self.span)))
    }

    pub(super) fn add(&self, world: &mut World, ends: [JointEnd; 2]) -> Result<(), ModelError> {
        match &self.kind {
            None => Ok(()),
            Some(Kind::Joint(attach)) => {
                let joint = Joint::new(ends[0], ends[1], attach.clone()).described_in(self.frame);
                let joint = joint.named(self.name.clone()).breaking(self.breaking);
                let joint = if self.collide { joint.colliding() } else { joint };
                let programs = self.programs.iter().cloned();
                let joint = programs
                    .fold(joint, |joint, Program { coordinate, aim, curve }| joint.following(coordinate, aim, curve));
                world.add_joint(joint).map(drop)
            }
            Some(Kind::Spring(file)) => {
                let points = file.points.map(|point| self.frame.point(point));
                let mut local = points;
                for (point, end) in local.iter_mut().zip(ends) {
                    if let JointEnd::Body(id) = end {
                        *point = world.body(id)?.pose().inverse_point(*point);
                    }
                }
                let rest_length = file.rest_length.unwrap_or((points[1] - points[0]).length());
                let (stiffness, damping) = (file.stiffness, file.damping);
                let ends = ends.map(Into::into);
                world.add_force(Spring { ends, points: local, rest_length, stiffness, damping });
                Ok(())
            }
        }
    }
}

impl Kind {
    fn read(context: &mut Context<'_>, name: &str, node: &Node) -> Result<Self, Reported> {
        if name == "spring" {
            context.decode(node.span, node).map(Self::Spring)
        } else {
            let joint = context.registry.joints.create(name, &to_registry(&node.to_json()));
            context.accept(node.span, joint).map(Self::Joint)
        }
    }
}

impl Reference {
    fn parse(name: &str) -> Self {
        if name == "world" {
            Self::World
        } else if let Some(name) = name.strip_prefix("previous/") {
            Self::Previous(name.to_owned())
        } else if let Some(name) = name.strip_prefix('/') {
            Self::Outside(name.to_owned())
        } else {
            Self::Inside(name.to_owned())
        }
    }
}

impl Builder<'_, '_> {
    /// The body or world that the end of a joint means.
    pub(super) fn end(&mut self, end: &End) -> Result<JointEnd, Reported> {
        match &end.reference {
            Reference::World => Ok(JointEnd::World),
            Reference::Inside(name) | Reference::Outside(name) => match self.names.get(name) {
                Some(&id) => Ok(id.into()),
                None if self.is_refused(name) => Err(Reported),
                None => {
                    // In the author's words, which are the same in every copy.
                    let group = name.strip_suffix(&*end.written).unwrap_or_default();
                    let known = self.names.keys().chain(&self.refused).filter_map(|known| known.strip_prefix(group));
                    let alike = |known: &&str| known.contains('/') == end.written.contains('/') && !known.is_empty();
                    let known = known.filter(alike);
                    let help = if self.names.contains_key(&*end.written) {
                        format!("the body of the scene outside the template is `/{}`", end.written)
                    } else {
                        crate::nearest::suggestion(&end.written, known.chain(["world"]))
                    };
                    self.context.report.push(end.span, format!("there is no body \"{}\" here", end.written), help);
                    Err(Reported)
                }
            },
            Reference::Previous(_) => {
                let message = "`previous` means the copy before, but this joint is not in a template";
                self.context.report.push(end.span, message, "");
                Err(Reported)
            }
        }
    }
}
