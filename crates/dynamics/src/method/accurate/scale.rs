//! The sizes and speeds of a scene, and what follows from them and the tolerance.
//!
//! An error of a micrometre is nothing for a crane and a disaster for a watch. Errors are compared with L, the size of the smallest body
//! (but no less than a thousandth of the largest), and with V, the speed of the fastest or that of a fall by L.

use crate::force::Wrenches;
use crate::parts::forces;
use crate::{Id, Model, State};

/// What errors are compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// The tolerance.
    pub(super) tolerance: f64,
    /// L, in metres.
    pub(super) length: f64,
    /// V, in m/s.
    pub(super) speed: f64,
    /// The largest acceleration that forces alone give a body, in m/s².
    pub(super) pull: f64,
}

/// A body without extent counts as this large, in metres, if there is nothing else to tell the size of the scene.
const UNKNOWN: f64 = 1.0;

/// The radii of the bodies that forces move, by slot, in metres: of the largest collider, or without one the radius of gyration.
pub(super) fn sizes(model: &Model, slots: usize) -> Vec<f64> {
    let mut sizes = vec![0.0; slots];
    for (id, body) in model.bodies().iter().filter(|(_, body)| body.kind.is_movable()) {
        let colliders = body.colliders.iter().filter_map(|&id| model.colliders().get(id));
        let size = colliders
            .map(|collider| collider.bounding_sphere.radius)
            .filter(|radius| radius.is_finite())
            .fold(0.0, f64::max);
        let inertia = body.mass.inertia;
        let gyration = ((inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / body.mass.mass).sqrt();
        let size = if size > 0.0 { size } else { gyration };
        sizes[id.slot()] = if size.is_finite() { size } else { 0.0 };
    }
    sizes
}

impl Scale {
    /// Of a scene whose bodies have these [sizes].
    pub(super) fn of(model: &Model, state: &State, sizes: &[f64], tolerance: f64) -> Self {
        let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
        for &size in sizes.iter().filter(|&&size| size > 0.0) {
            (smallest, largest) = (smallest.min(size), largest.max(size));
        }
        let length = if largest > 0.0 { smallest.max(1e-3 * largest) } else { UNKNOWN };
        let mut wrenches = Wrenches::default();
        forces::sum(model, state.time, &state.bodies, &mut wrenches);
        let (mut speed, mut pull) = (0.0_f64, 0.0_f64);
        for (id, body) in model.bodies().iter().filter(|(_, body)| body.kind.is_movable()) {
            let motion = &state.bodies[id.slot()];
            speed = speed.max(motion.velocity.length() + motion.angular_velocity.length() * sizes[id.slot()]);
            pull = pull.max(wrenches.as_slice()[id.slot()].force.length() * body.inverse_mass);
        }
        let speed = speed.max((pull * length).sqrt());
        let usable = speed.is_finite() && speed > 0.0;
        let pull = if pull.is_finite() { pull } else { 0.0 };
        Self { tolerance, length, speed: if usable { speed } else { length }, pull }
    }

    /// Surfaces this close touch, in metres.
    pub(super) fn touching(&self) -> f64 {
        (self.tolerance * self.length).max(1e-13)
    }

    /// What approaches more slowly than this rests, in m/s. The error that comes of it is a part of the tolerance.
    pub(super) fn resting(&self) -> f64 {
        (0.1 * self.tolerance * self.speed).max(1e-14)
    }

    /// What slides more slowly than this may hold, in m/s.
    pub(super) fn holding(&self) -> f64 {
        (self.tolerance * self.speed).max(1e-13)
    }

    /// What begins to slide keeps its direction until it is faster than this, in m/s. Meanwhile the direction may turn by an angle of the order of
    /// √(u/V), and so the error follows u: at the default tolerance, u is a millionth of V. The smaller u, the more steps it takes to get past
    /// it, since the direction of what is slow turns quickly.
    pub(super) fn sliding(&self) -> f64 {
        (1e-2 * self.tolerance.sqrt()).clamp(1e-8, 1e-4) * self.speed
    }

    /// What began to slide may be this fast across its first direction when it gets one of its own, in m/s.
    pub(super) fn straying(&self) -> f64 {
        self.tolerance * self.speed
    }

    /// What slides more slowly than this has no direction of its own, in m/s.
    pub(super) fn blur(&self) -> f64 {
        self.sliding().min(1e-6 * self.speed)
    }
}
