//! How far joints let a body turn: the directions into which it may point from where a joint holds it.
//!
//! The limits of all joints between two bodies are asked about rotations on a grid (K B.4.4), once. Every rotation that is
//! allowed takes the arm, which goes from the joint to the middle of the second body, somewhere; the ends of all these arms
//! are drawn, a patch on a sphere that stays with the first body, and the arm itself. A joint without limits draws nothing.

use glam::DVec3;
use std::collections::BTreeMap;
use tumble_dynamics::constraint::{BodyView, allowed_rotations};
use tumble_dynamics::instrument::{Color, Instrument};
use tumble_dynamics::model::{JointEnd, JointModel};
use tumble_dynamics::{BodyId, Id, World};
use tumble_geometry::math::rotation_from_vector;

/// How many rotations along each axis are asked about.
const RESOLUTION: usize = 19;
/// The length of the arm of a body that is held at its middle, in metres.
const SHORT: f64 = 0.4;
/// The radius of a point, in metres.
const POINT: f64 = 0.01;
const ALLOWED: Color = Color([0.1, 0.75, 0.8, 1.0]);

/// The directions two bodies allow each other, once they have been asked for.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    /// The model they are of.
    revision: u64,
    /// By the slots of the two bodies.
    patches: BTreeMap<[Option<usize>; 2], Patch>,
}

/// What is drawn for two bodies.
#[derive(Debug)]
struct Patch {
    ends: [JointEnd; 2],
    /// The joint and the ends of the arms, in the frame of the first body.
    joint: DVec3,
    reached: Vec<DVec3>,
    /// The end of the arm, in the frame of the second.
    arm: DVec3,
}

impl Limits {
    /// Draws the limits of the joints of a body.
    pub(crate) fn draw(&mut self, world: &World, body: BodyId, instrument: &mut dyn Instrument) {
        if self.revision != world.model().revision() {
            *self = Self { revision: world.model().revision(), patches: BTreeMap::new() };
        }
        let mut pairs: BTreeMap<[Option<usize>; 2], Vec<&JointModel>> = BTreeMap::new();
        for (_, joint) in world.joints().filter(|(_, joint)| !joint.is_broken()) {
            let ends = joint.model().ends;
            if ends.contains(&JointEnd::Body(body)) {
                pairs.entry(ends.map(slot)).or_default().push(joint.model());
            }
        }
        for (pair, joints) in pairs {
            let patch = self.patches.entry(pair).or_insert_with(|| Patch::of(world, &joints));
            patch.draw(world, instrument);
        }
    }
}

fn slot(end: JointEnd) -> Option<usize> {
    match end {
        JointEnd::Body(id) => Some(id.slot()),
        JointEnd::World => None,
    }
}

fn views(world: &World, ends: [JointEnd; 2]) -> [BodyView; 2] {
    ends.map(|end| BodyView::of(world.model(), &world.state().bodies, end))
}

impl Patch {
    /// The patch of all joints between two bodies; there is at least one.
    fn of(world: &World, joints: &[&JointModel]) -> Self {
        let ends = joints.first().map_or([JointEnd::World; 2], |joint| joint.ends);
        let views = views(world, ends);
        // A limit alone holds no point, and says the middle of the body; the joint it limits is farther away.
        let anchors = joints.iter().map(|joint| joint.constraint.anchors(&views)[1]);
        let away = |point: &DVec3| point.distance(views[1].center);
        let anchor = anchors.max_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or_default();
        let arm = views[1].center - anchor;
        let arm = if arm.length() > 1e-6 { arm } else { views[1].pose.vector(DVec3::X * SHORT) };
        let of_each: Vec<_> =
            joints.iter().map(|joint| allowed_rotations(joint.constraint.as_ref(), &views, RESOLUTION)).collect();
        let count = of_each.first().map_or(0, Vec::len);
        let is_allowed = |index: usize| of_each.iter().all(|samples| samples[index].is_allowed());
        let allowed: Vec<usize> = (0..count).filter(|&index| is_allowed(index)).collect();
        let first = views[0].pose;
        let (joint, along) = (first.inverse_point(anchor), first.inverse_vector(arm));
        let end = |index: &usize| joint + rotation_from_vector(of_each[0][*index].rotation) * along;
        // Where everything is allowed there is no limit to show.
        let reached = if allowed.len() < count { allowed.iter().map(end).collect() } else { Vec::new() };
        Self { ends, joint, reached, arm: views[1].pose.inverse_point(anchor + arm) }
    }

    fn draw(&self, world: &World, instrument: &mut dyn Instrument) {
        if self.reached.is_empty() {
            return;
        }
        let [first, second] = views(world, self.ends).map(|view| view.pose);
        for &end in &self.reached {
            instrument.sphere(first.point(end), POINT, ALLOWED);
        }
        instrument.line(first.point(self.joint), second.point(self.arm), Color::YELLOW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_dynamics::instrument::{Drawn, Recorder};
    use tumble_scene::Loader;

    fn drawn(joint: &str) -> Vec<Drawn> {
        let text = format!(
            "title = \"limit\"\n[bodies.ball]\nshape.sphere.radius = 0.1\nposition = [1, 0, 0]\n\
             [joints.arm]\nbetween = [\"world\", \"ball\"]\n{joint}\n"
        );
        let scene = Loader::new().load_text("limit", &text).unwrap();
        let ball = scene.world.bodies().next().map(|(id, _)| id).unwrap();
        let mut recorder = Recorder::default();
        let mut limits = Limits::default();
        limits.draw(&scene.world, ball, &mut recorder);
        recorder.drawn
    }

    /// A cone of 30° about x: every arm that is drawn lies in it, and some lie near its rim.
    #[test]
    fn arms_stay_within_their_cone() {
        let drawn = drawn(
            "cone_limit = { axis = [1, 0, 0], angle_deg = 30 }\n[joints.hold]\nbetween = [\"world\", \"ball\"]\nball.anchor = [0, 0, 0]",
        );
        let angles: Vec<f64> = drawn
            .iter()
            .filter_map(|drawn| match drawn {
                Drawn::Sphere(at, ..) => Some(libm::acos((at.x / at.length()).clamp(-1.0, 1.0)).to_degrees()),
                _ => None,
            })
            .collect();
        assert!(angles.len() > 20, "{}", angles.len());
        let widest = angles.iter().copied().fold(0.0, f64::max);
        assert!((15.0..=30.001).contains(&widest), "{widest}");
        assert!(drawn.iter().any(|drawn| matches!(drawn, Drawn::Line(..))));
    }

    #[test]
    fn a_joint_without_limits_draws_nothing() {
        assert!(drawn("ball.anchor = [0, 0, 0]").is_empty());
    }
}
