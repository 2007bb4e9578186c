//! The judge: what poses alone say about how well a scene is simulated.

use crate::measure::Motion;
use crate::scene::{Kind, Scene};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use tumble_geometry::query::{ManifoldOptions, PairCache, contact_manifolds};
use tumble_geometry::{Aabb, MassProperties, Shape, Transform};

/// How good a state is. Lengths in metres, speeds in m/s.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Quality {
    /// The overlap of pairs that overlap: mean and largest.
    pub overlap_mean: f64,
    pub overlap_max: f64,
    /// How many pairs overlap.
    pub pairs: usize,
    /// The mean height of what moves: whether two engines show the same scene.
    pub height: f64,
    /// How far the bodies have moved since the start: the most.
    pub drift: f64,
    /// How far the two points of a joint are apart: mean and largest.
    pub joint_mean: f64,
    pub joint_max: f64,
    /// The root of the mean square of the speeds.
    pub speed: f64,
    /// Kinetic and potential energy in joules.
    pub energy: f64,
    /// How many bodies are where no number is, or a kilometre below the start.
    pub lost: usize,
}

/// What a scene is measured by.
pub struct Judge {
    shapes: Vec<Shape>,
    masses: Vec<MassProperties>,
    /// Of every joint: the points in the frames of its bodies.
    anchors: Vec<[DVec3; 2]>,
    start: Vec<DVec3>,
}

impl Judge {
    pub fn new(scene: &Scene) -> Self {
        let shapes: Vec<Shape> = scene.bodies.iter().map(|body| body.shape.shape()).collect();
        let masses = scene.bodies.iter().zip(&shapes).map(|(body, shape)| {
            let one = || MassProperties::point(1.0, DVec3::ZERO);
            let whole = shape.mass_properties(1000.0).unwrap_or_else(|_| one());
            if body.mass > 0.0 { whole.scaled_to_mass(body.mass).unwrap_or_else(|_| one()) } else { one() }
        });
        let masses = masses.collect();
        let anchors = scene.joints.iter().map(|joint| {
            joint.bodies.map(|body| match body {
                Some(body) => {
                    let body = &scene.bodies[body];
                    Transform::new(body.rotation, body.position).inverse_point(joint.anchor)
                }
                None => joint.anchor,
            })
        });
        let anchors = anchors.collect();
        Self { shapes, masses, anchors, start: scene.bodies.iter().map(|body| body.position).collect() }
    }

    /// Looks at a state.
    pub fn look(&self, scene: &Scene, motions: &[Motion]) -> Quality {
        let mut quality = Quality::default();
        let dynamic = || scene.bodies.iter().enumerate().filter(|(_, body)| body.kind == Kind::Dynamic);
        let mut squares = 0.0;
        for (number, body) in dynamic() {
            let motion = &motions[number];
            if !motion.position.is_finite() || motion.position.y < self.start[number].y - 1000.0 {
                quality.lost += 1;
                continue;
            }
            quality.drift = quality.drift.max((motion.position - self.start[number]).length());
            quality.height += motion.position.y;
            squares += motion.velocity.length_squared();
            let turn = DMat3::from_quat(motion.rotation);
            let spin = turn.transpose() * motion.angular_velocity;
            quality.energy += 0.5 * body.mass * motion.velocity.length_squared()
                + 0.5 * spin.dot(self.masses[number].inertia * spin)
                - body.mass * scene.gravity.dot(motion.position);
        }
        let count = dynamic().count().max(1) as f64;
        quality.speed = (squares / count).sqrt();
        quality.height /= count;
        self.joints(scene, motions, &mut quality);
        self.overlaps(scene, motions, &mut quality);
        quality
    }

    fn joints(&self, scene: &Scene, motions: &[Motion], quality: &mut Quality) {
        let mut sum = 0.0;
        for (joint, anchors) in scene.joints.iter().zip(&self.anchors) {
            let place = |side: usize| match joint.bodies[side] {
                Some(body) => motions[body].pose().point(anchors[side]),
                None => anchors[side],
            };
            let gap = (place(1) - place(0)).length();
            let gap = if gap.is_finite() { gap } else { 1e3 };
            sum += gap;
            quality.joint_max = quality.joint_max.max(gap);
        }
        quality.joint_mean = sum / scene.joints.len().max(1) as f64;
    }

    /// All pairs whose boxes overlap, by a sweep along x.
    fn overlaps(&self, scene: &Scene, motions: &[Motion], quality: &mut Quality) {
        let sound = |number: &usize| !scene.bodies[*number].ghost && motions[*number].pose().is_valid();
        let mut boxes: Vec<(usize, Aabb)> = (0..scene.bodies.len())
            .filter(sound)
            .map(|number| (number, self.shapes[number].aabb(&motions[number].pose())))
            .collect();
        boxes.sort_by(|a, b| a.1.min.x.total_cmp(&b.1.min.x));
        let joined: std::collections::BTreeSet<[usize; 2]> = scene
            .joints
            .iter()
            .filter_map(|joint| Some([joint.bodies[0]?, joint.bodies[1]?]))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let (mut sum, mut count, mut found) = (0.0, 0_usize, Vec::new());
        let moves = |number: usize| scene.bodies[number].kind == Kind::Dynamic;
        // What does not move may be long: it is compared with everything, the rest only with its neighbours along x.
        let (moving, still): (Vec<_>, Vec<_>) = boxes.into_iter().partition(|(number, _)| moves(*number));
        let mut look = |a: &(usize, Aabb), b: &(usize, Aabb)| {
            if !a.1.overlaps(&b.1) || joined.contains(&[a.0.min(b.0), a.0.max(b.0)]) {
                return;
            }
            let depth = self.depth(a.0, b.0, motions, &mut found);
            if depth > 0.0 {
                sum += depth;
                count += 1;
                quality.overlap_max = quality.overlap_max.max(depth);
            }
        };
        for (index, a) in moving.iter().enumerate() {
            moving[index + 1..].iter().take_while(|b| b.1.min.x <= a.1.max.x).for_each(|b| look(a, b));
        }
        let widest = still.iter().map(|(_, aabb)| aabb.max.x - aabb.min.x).fold(0.0, f64::max);
        for a in &moving {
            let from = still.partition_point(|b| b.1.min.x < a.1.min.x - widest);
            still[from..].iter().take_while(|b| b.1.min.x <= a.1.max.x).for_each(|b| look(a, b));
        }
        quality.pairs = count;
        quality.overlap_mean = sum / count.max(1) as f64;
    }

    /// How deep two bodies overlap, in metres.
    fn depth(&self, a: usize, b: usize, motions: &[Motion], found: &mut Vec<tumble_geometry::query::Manifold>) -> f64 {
        found.clear();
        let b_in_a = motions[a].pose().to_local(&motions[b].pose());
        let options = ManifoldOptions { prediction: 0.0, ..ManifoldOptions::default() };
        contact_manifolds(&self.shapes[a], &self.shapes[b], &b_in_a, &options, &mut PairCache::default(), found);
        found.iter().flat_map(|manifold| manifold.points()).map(|point| point.depth).fold(0.0, f64::max)
    }
}
