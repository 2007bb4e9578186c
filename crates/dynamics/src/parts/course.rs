//! The course of two bodies through a step, and whether their colliders meet on it.
//!
//! A step knows where a body begins, its mean velocities v̄ and ω̄, and how much the velocities change, a and α. The parabola with
//! these is its course:
//!
//! ```text
//! x(t) = x₀ + v̄ t − ½ a t (h − t),    R(t) = exp(ω̄ t − ½ α t (h − t)) R₀
//! ```
//!
//! The [time of impact](time_of_impact) wants constant velocities. A chord leaves the parabola by up to `a h²/8`; so a course that
//! bends is cut into as many chords as keep that below a thousandth of the size of the colliders.

use crate::BodyState;
use crate::model::ColliderModel;
use glam::DVec3;
use std::f64::consts::TAU;
use tumble_geometry::math::rotation_from_vector;
use tumble_geometry::query::{ImpactOptions, ImpactStatus, Motion, intersects, time_of_impact};
use tumble_geometry::{Shape, Transform};

/// How far a chord may leave the course, relative to the size of the smaller collider.
const BEND: f64 = 1e-3;

/// The most chords.
const MOST_CHORDS: f64 = 16.0;

/// Gaps below this, relative to the size of the smaller collider, are contact.
const TOLERANCE: f64 = 1e-5;

/// How often two shapes are looked at before they are believed to meet.
const LOOKS: usize = 2000;

/// Faster bodies (in m/s and rad/s) are believed to meet what stands in their way.
const FASTEST: f64 = 1e30;

/// How a body moves during a step.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    start: Transform,
    /// Mean velocity in m/s and angular velocity in rad/s.
    mean: [DVec3; 2],
    /// By how much these change per second.
    change: [DVec3; 2],
}

impl Course {
    /// The course from `before` with mean velocities, linear and angular, which bends like that of the free motion to `after`, whose
    /// mean angular velocity, but for whole turns, is `free`.
    pub fn new([before, after]: [&BodyState; 2], free: DVec3, mean: (DVec3, DVec3), dt: f64) -> Self {
        let change = [after.velocity - before.velocity, after.angular_velocity - before.angular_velocity];
        let turns = whole_turns(free * dt, 0.5 * dt * (before.angular_velocity + after.angular_velocity));
        let mean = [mean.0, mean.1 + turns / dt];
        Self { start: before.center_pose(), mean, change: change.map(|change| change / dt) }
    }

    /// The course from a pose of the centre of mass, with mean velocities, linear and angular, that change by so much per second.
    pub fn from(start: Transform, mean: [DVec3; 2], change: [DVec3; 2]) -> Self {
        Self { start, mean, change }
    }

    fn at(&self, time: f64, dt: f64) -> Transform {
        let [moved, turned] = [0, 1].map(|k| self.mean[k] * time - self.change[k] * (0.5 * time * (dt - time)));
        Transform::new(rotation_from_vector(turned) * self.start.rotation, self.start.translation + moved)
    }

    /// The velocities, linear and angular.
    fn velocities(&self, time: f64, dt: f64) -> [DVec3; 2] {
        [0, 1].map(|k| self.mean[k] + self.change[k] * (time - 0.5 * dt))
    }

    /// The chord from one time to another.
    fn chord(&self, from: f64, to: f64, dt: f64) -> Motion {
        if from == 0.0 && to == dt {
            let [linear, angular] = self.mean;
            return Motion { start: self.start, center: DVec3::ZERO, linear, angular };
        }
        Motion::between(self.at(from, dt), self.at(to, dt), to - from, DVec3::ZERO)
    }

    /// How far a point at `radius` from the centre of mass gets from a single chord.
    fn bend(&self, radius: f64, dt: f64) -> f64 {
        let [linear, angular] = self.change;
        // Beyond a half turn there is nothing left to leave.
        let turn = (angular.length() * dt * dt / 8.0).min(1.0);
        linear.length() * dt * dt / 8.0 + if turn > 0.0 { turn * radius } else { 0.0 }
    }

    fn is_usable(&self) -> bool {
        self.mean.iter().chain(&self.change).all(|vector| vector.length() < FASTEST)
    }
}

/// The whole turns that a rotation vector lacks, which says nothing of them, if it is to be about the one expected.
fn whole_turns(turned: DVec3, expected: DVec3) -> DVec3 {
    let Some(axis) = turned.try_normalize().or_else(|| expected.try_normalize()) else { return DVec3::ZERO };
    let turns = ((expected - turned).dot(axis) / TAU).round();
    if turns == 0.0 || !turns.is_finite() { DVec3::ZERO } else { axis * (turns * TAU) }
}

/// The size by which what happens between two colliders is measured: the radius of the smaller one, in metres.
pub fn size(colliders: [&ColliderModel; 2]) -> f64 {
    let [a, b] = colliders.map(|collider| collider.bounding_sphere.radius);
    a.min(b)
}

/// Where two colliders first meet.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// After how many seconds of the step.
    pub time: f64,
    /// The normal there, out of the first collider; none if it is not known.
    pub normal: Option<DVec3>,
    /// The parts that meet.
    pub parts: [u32; 2],
}

/// Normals that are this close (cosine) are about the same.
const SAME_WAY: f64 = 0.7;

impl Meeting {
    /// Whether a contact may be where they meet: one of the same parts, or with about the same normal.
    pub fn fits(&self, parts: [u32; 2], normal: DVec3) -> bool {
        self.normal.is_none_or(|met| parts == self.parts || normal.dot(met) > SAME_WAY)
    }

    /// Of those that touch, or that are believed to meet.
    pub const AT_ONCE: Self = Self { time: 0.0, normal: None, parts: [0; 2] };
}

/// When two colliders first meet within `dt` seconds, if the second keeps a distance `lift` from its course. Those of which that
/// cannot be told meet at once.
pub fn meeting(colliders: [&ColliderModel; 2], courses: [Course; 2], lift: DVec3, dt: f64) -> Option<Meeting> {
    let size = size(colliders);
    if !courses.iter().all(Course::is_usable) || !size.is_finite() || !lift.is_finite() {
        return Some(Meeting::AT_ONCE);
    }
    let radius = |collider: &ColliderModel| {
        let center = collider.center_pose.point(collider.bounding_sphere.center);
        Some(center.length() + collider.bounding_sphere.radius).filter(|radius| radius.is_finite()).unwrap_or(0.0)
    };
    let bend: f64 = [0, 1].map(|k| courses[k].bend(radius(colliders[k]), dt)).iter().sum();
    let chords = (bend / (BEND * size)).sqrt().ceil().clamp(1.0, MOST_CHORDS);
    (0..chords as u32).find_map(|index| {
        let [from, to] = [index, index + 1].map(|index| dt * (f64::from(index) / chords));
        let [a, mut b] = courses.map(|course| course.chord(from, to, dt));
        b.start.translation += lift;
        let tolerance = TOLERANCE * size;
        let options =
            ImpactOptions { max_time: to - from, tolerance, max_iterations: LOOKS, ..ImpactOptions::default() };
        let part = |motion: Motion, collider: &ColliderModel| motion.of_part(&collider.center_pose);
        let (a, b) = (part(a, colliders[0]), part(b, colliders[1]));
        let impact = time_of_impact(&colliders[0].shape, &a, &colliders[1].shape, &b, &options)?;
        let normal = (impact.status != ImpactStatus::Unresolved).then(|| a.at(impact.time).rotation * impact.normal);
        let parts = [part_of(colliders[0], impact.part_a), part_of(colliders[1], impact.part_b)];
        Some(Meeting { time: from + impact.time, normal, parts })
    })
}

/// Whether two colliders overlap at the end of their courses through `dt` seconds, if the second keeps a distance `lift` from its own.
pub fn overlap_in_the_end(colliders: [&ColliderModel; 2], courses: &[Course; 2], lift: DVec3, dt: f64) -> bool {
    if !courses.iter().all(Course::is_usable) || !lift.is_finite() {
        return false;
    }
    let [a, mut b] = courses.each_ref().map(|course| course.at(dt, dt));
    b.translation += lift;
    let [a, b] = [a * colliders[0].center_pose, b * colliders[1].center_pose];
    intersects(&colliders[0].shape, &colliders[1].shape, &a.to_local(&b))
}

/// How often a point that approaches a surface is followed before it is given up.
const STEPS: usize = 6;

/// When a point of the surface of one of two colliders (`side`), which is at `point` now, reaches the other within `dt` seconds, if the
/// second collider keeps a distance `lift` from its course. The colliders meet then or earlier; if the point does not get there,
/// nothing is said. Found by Newton's method from closest point to closest point, which costs a fraction of a time of impact.
pub fn reaches(
    colliders: [&ColliderModel; 2],
    courses: &[Course; 2],
    lift: DVec3,
    dt: f64,
    (side, point): (usize, DVec3),
) -> Option<f64> {
    let tolerance = TOLERANCE * size(colliders);
    let local = courses[side].start.inverse_point(point);
    let (mut time, mut at_the_end) = (0.0, false);
    for _ in 0..STEPS {
        let [a, mut b] = [0, 1].map(|k| courses[k].at(time, dt));
        b.translation += lift;
        let poses = [a, b];
        let surface = poses[1 - side] * colliders[1 - side].center_pose;
        let here = poses[side].point(local);
        let closest = colliders[1 - side].shape.closest_point(surface.inverse_point(here))?;
        if closest.distance <= tolerance {
            return Some(time);
        }
        let velocity = |k: usize| {
            let [linear, angular] = courses[k].velocities(time, dt);
            linear + angular.cross(here - poses[k].translation)
        };
        let approach = (velocity(1 - side) - velocity(side)).dot(surface.rotation * closest.normal);
        let next = time + closest.distance / approach;
        if at_the_end || !(approach > 0.0 && next.is_finite()) {
            return None;
        }
        (time, at_the_end) = (next.min(dt), next >= dt);
    }
    None
}

/// The part that a contact manifold names for a part that an impact names: of a surface, the patch of a triangle.
fn part_of(collider: &ColliderModel, part: u32) -> u32 {
    match &collider.shape {
        Shape::Mesh(mesh) => mesh.patch(part as usize),
        Shape::HeightField(field) => field.patch(part as usize),
        _ => part,
    }
}
