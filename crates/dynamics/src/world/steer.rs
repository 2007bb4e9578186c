//! Bodies moved by hand: kinematic ones that go where input sends them, and any body that is put elsewhere.

use super::World;
use super::body::BodyMut;
use crate::constraint::AxisLock;
use crate::error::{called, checked};
use crate::journal::BodyChange;
use crate::model::{BodyKind, Course, Joint, JointEnd, Locks, Script};
use crate::{BodyId, Id, JointId, ModelError};
use std::sync::Arc;
use tumble_geometry::Transform;

/// The name of the joint that holds the locks of a body.
const LOCKS: &str = "locks";

impl BodyMut<'_> {
    /// Sends a [kinematic](crate::Body::kinematic) body to a pose: it goes there steadily, by the shorter turn, arrives after
    /// `duration` seconds and rests. Called every frame with the length of a step, it follows whatever input says, and what it meets
    /// feels the velocity it really has.
    ///
    /// ```
    /// use tumble_dynamics::{Body, World, geometry::Transform};
    ///
    /// let mut world = World::new();
    /// let lift = world.add_body(Body::kinematic())?;
    /// for frame in 1..=60 {
    ///     let height = 0.05 * f64::from(frame);
    ///     world.body_mut(lift)?.move_to(Transform::from_translation([0.0, height, 0.0].into()), 1.0 / 60.0)?;
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.body(lift)?.position().y - 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn move_to(&mut self, pose: Transform, duration: f64) -> Result<(), ModelError> {
        let now = self.world.state.time;
        self.course()?;
        checked("duration of the way", duration, f64::MIN_POSITIVE.., "greater than 0 s")?;
        if !pose.is_valid() {
            let value = format!("{pose:?}");
            return Err(ModelError::OutOfRange { what: "body pose", value, allowed: "finite, with a unit quaternion" });
        }
        let course = Course::to(self.read().pose(), pose.normalized(), now, duration);
        self.take(course)
    }

    /// Makes it a kinematic body, which goes on with the velocity it has and which nobody but your program moves.
    pub fn make_kinematic(&mut self) -> Result<(), ModelError> {
        let (pose, motion) = (self.read().pose(), *self.state());
        let velocity = motion.velocity_at(pose.translation);
        let course = Course::rest(pose, self.world.state.time);
        let course = Course { velocity, angular_velocity: motion.angular_velocity, ..course };
        self.set_kind(BodyKind::Scripted(Arc::new(course)))
    }

    /// Puts it somewhere else at once: it does not move there, meets nothing on the way and is not drawn between
    /// ([`World::interpolated`]). It keeps its velocity; what it left and what it finds there wake up. A body that follows a script
    /// cannot be put elsewhere.
    pub fn teleport(&mut self, pose: Transform) -> Result<(), ModelError> {
        self.set_pose(pose)?;
        let state = self.world.state.bodies[self.id.slot()];
        self.world.past.set(self.id.slot(), state.position, state.rotation);
        Ok(())
    }

    /// Locks directions in which it does not move and axes about which it does not turn, and no others. It stops along them.
    pub fn set_locks(&mut self, locks: Locks) -> Result<(), ModelError> {
        self.model_mut().locks = locks;
        self.note(BodyChange::Locks);
        let kind = self.model().kind.clone();
        let choice = self.model().mass_choice;
        self.world.rebuild_body(self.id, kind, choice)
    }

    /// Sets a number for your own use.
    pub fn set_user_data(&mut self, user_data: u64) {
        self.model_mut().user_data = user_data;
        self.note(BodyChange::UserData);
    }

    /// The course of a kinematic body; an error for others.
    pub(super) fn course(&self) -> Result<Course, ModelError> {
        let refused = || {
            let name = called(self.id, &self.model().name);
            ModelError::Invalid(format!("{name} is not kinematic: it cannot be sent anywhere"))
        };
        self.model().kind.course().copied().ok_or_else(refused)
    }

    /// Gives a kinematic body another course, which begins now.
    pub(super) fn take(&mut self, course: Course) -> Result<(), ModelError> {
        let motion = course.motion(course.start);
        let center = motion.pose.point(self.model().mass.center);
        let velocity = motion.velocity_at(center);
        if !(course.is_valid() && center.is_finite() && velocity.is_finite()) {
            let value = format!("{course:?}");
            return Err(ModelError::OutOfRange { what: "course of a kinematic body", value, allowed: "finite" });
        }
        self.model_mut().kind = BodyKind::Scripted(Arc::new(course));
        let state = self.state();
        (state.position, state.rotation) = (center, motion.pose.rotation);
        (state.velocity, state.angular_velocity) = (velocity, motion.angular_velocity);
        self.note(BodyChange::Pushed);
        Ok(())
    }

    /// If it follows a script: the course that a setter may change, or an error, since the script alone says where it is.
    pub(super) fn steered(&self) -> Result<Option<Course>, ModelError> {
        match &self.model().kind {
            BodyKind::Scripted(script) => match script.course() {
                Some(course) => {
                    let (now, from) = (self.world.state.time, self.read().pose());
                    // Wherever it has arrived, it rests.
                    let here = Course { from, start: now, ..*course };
                    Ok(Some(if course.has_arrived(now) { Course::rest(from, now) } else { here }))
                }
                None => {
                    let name = called(self.id, &self.model().name);
                    Err(ModelError::Invalid(format!(
                        "{name} follows a script, which alone says where it is and how fast"
                    )))
                }
            },
            _ => Ok(None),
        }
    }
}

impl World {
    /// The joint that holds the locks of a body, if it has one.
    fn lock_joint(&self, id: BodyId) -> Option<JointId> {
        let joints = &self.model.bodies.get(id)?.joints;
        let is_lock = |joint: &JointId| self.model.joints.get(*joint).is_some_and(|joint| joint.is_lock);
        joints.iter().copied().find(is_lock)
    }

    /// The locks that a joint holds, if that is what it is for.
    #[cfg(feature = "registry")]
    pub(super) fn locks_held(&self, joint: JointId) -> Option<Locks> {
        let joint = self.model.joints.get(joint).filter(|joint| joint.is_lock)?;
        let JointEnd::Body(body) = joint.ends[1] else { return None };
        self.model.bodies.get(body).map(|body| body.locks.by_joint())
    }

    /// Brings the joint that holds the locks of a body up to date with them, and stops what is locked.
    pub(super) fn relock(&mut self, id: BodyId) -> Result<(), ModelError> {
        let Some(body) = self.model.bodies.get(id) else { return Ok(()) };
        let locks = body.locks;
        let wanted = if body.kind.is_movable() { locks.by_joint() } else { Locks::NONE };
        match (self.lock_joint(id), wanted.is_none()) {
            (None, true) => {}
            (Some(joint), true) => self.remove_joint(joint)?,
            (Some(joint), false) => self.joint_mut(joint)?.attach(AxisLock(wanted))?,
            (None, false) => {
                let joint = self.add_joint(Joint::new(JointEnd::World, id, AxisLock(wanted)).named(LOCKS))?;
                self.model.joints.get_mut(joint).into_iter().for_each(|joint| joint.is_lock = true);
            }
        }
        if !locks.is_none() {
            let state = &mut self.state.bodies[id.slot()];
            [state.velocity, state.angular_velocity] = locks.leave(state.velocity, state.angular_velocity);
        }
        Ok(())
    }

    /// The courses of all kinematic bodies.
    pub(super) fn courses(&self) -> Vec<(BodyId, Course)> {
        self.model.bodies.iter().filter_map(|(id, body)| Some((id, *body.kind.course()?))).collect()
    }

    /// Gives kinematic bodies the courses they had.
    pub(super) fn set_courses(&mut self, courses: &[(BodyId, Course)]) {
        for (id, course) in courses {
            if let Some(body) = self.model.bodies.get_mut(*id).filter(|body| body.kind.course().is_some()) {
                body.kind = BodyKind::Scripted(Arc::new(*course));
                self.model.revision += 1;
            }
        }
    }

    /// Lets kinematic bodies go on from where a state has them.
    pub(super) fn restart_courses(&mut self) {
        for (id, _) in self.courses() {
            let (Some(body), motion) = (self.model.bodies.get(id), &self.state.bodies[id.slot()]) else { continue };
            let from = body.frame(motion);
            let velocity = motion.velocity_at(from.translation);
            let angular_velocity = motion.angular_velocity;
            let course = Course { from, start: self.state.time, end: f64::INFINITY, velocity, angular_velocity };
            self.set_courses(&[(id, course)]);
        }
    }
}
