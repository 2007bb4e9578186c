//! The bodies while a step is taken: those that are awake, side by side, with all that the solvers ask for again and again.
//!
//! Number 0 is the world: fixed and sleeping bodies, which nothing moves. Scripted bodies have velocities and no inverse mass.

use super::pairs::Pairs;
use super::passing::Pace;
use crate::constraint::BodyView;
use crate::model::{BodyKind, BodyModel, JointEnd};
use crate::{BodyId, BodyState, Id, Model, State, Wrench};
use glam::{DMat3, DQuat, DVec3};
use tumble_geometry::Transform;
use tumble_geometry::math::rotation_vector;

/// The number of the world.
pub(super) const WORLD: u32 = 0;

/// A body while a step is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// Its slot.
    pub(super) slot: u32,
    pub(super) inverse_mass: f64,
    /// Along the axes of the world, where contacts were found.
    pub(super) inverse_inertia: DMat3,
    /// By forces, without damping and gyroscopic torque.
    pub(super) acceleration: DVec3,
    pub(super) angular_acceleration: DVec3,
    pub(super) velocity: DVec3,
    pub(super) angular_velocity: DVec3,
    pub(super) position: DVec3,
    pub(super) rotation: DQuat,
    /// How far it has gone since contacts were found, as a shift and a rotation vector.
    pub(super) shift: DVec3,
    pub(super) turn: DVec3,
    /// How fast velocities decay, in 1/s.
    pub(super) damping: [f64; 2],
    pub(super) spin: Spin,
    /// Where the centre of mass is in the body frame.
    pub(super) center: DVec3,
    /// Whether a joint holds it: then it is kicked in two halves.
    pub(super) jointed: bool,
    pub(super) pace: Pace,
    /// Whether no contact or joint has acted on it in the substep under way.
    pub(super) free: bool,
}

/// How a body turns when nobody touches it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spin {
    /// Not at all, or as a script says.
    Given,
    /// About the axis it turns about: all moments of inertia are equal.
    Steady,
    /// As Euler's equations say: the principal moments, and the rotation from the principal frame to the body.
    Euler { moments: DVec3, axes: DQuat },
}

impl Spin {
    /// Whether torques turn the body.
    pub(super) fn turns(&self) -> bool {
        !matches!(self, Self::Given)
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::WORLD
    }
}

impl Body {
    const WORLD: Self = Self {
        slot: u32::MAX,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        acceleration: DVec3::ZERO,
        angular_acceleration: DVec3::ZERO,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        shift: DVec3::ZERO,
        turn: DVec3::ZERO,
        damping: [0.0; 2],
        spin: Spin::Given,
        center: DVec3::ZERO,
        jointed: false,
        pace: Pace::Alone,
        free: false,
    };

    /// Whether impulses move it.
    pub(super) fn is_movable(&self) -> bool {
        self.inverse_mass > 0.0
    }

    fn movable(slot: usize, model: &BodyModel, state: &BodyState) -> Self {
        let principal = model.principal();
        let moments = principal.moments;
        let spread = moments.max_element() - moments.min_element();
        let spin = match model.inverse_inertia == DMat3::ZERO {
            true => Spin::Given,
            false if spread <= 1e-9 * moments.max_element() => Spin::Steady,
            false => Spin::Euler { moments, axes: principal.axes },
        };
        Self {
            slot: slot as u32,
            inverse_mass: model.inverse_mass,
            inverse_inertia: model.world_inverse_inertia(state.rotation),
            velocity: state.velocity,
            angular_velocity: state.angular_velocity,
            position: state.position,
            rotation: state.rotation,
            damping: [model.linear_damping, model.angular_damping],
            spin,
            center: model.mass.center,
            ..Self::WORLD
        }
    }

    /// A body that goes from one motion to another in `dt` seconds, whatever happens to it.
    fn scripted(slot: usize, center: DVec3, from: &BodyState, to: &BodyState, dt: f64) -> Self {
        Self {
            slot: slot as u32,
            velocity: (to.position - from.position) / dt,
            angular_velocity: rotation_vector(to.rotation * from.rotation.conjugate()) / dt,
            position: from.position,
            rotation: from.rotation,
            center,
            ..Self::WORLD
        }
    }

    /// The body as a constraint sees it; `end` and `number` tell which it is, since the world stands for all that nothing moves.
    pub(super) fn view(&self, model: &Model, states: &[BodyState], end: JointEnd, number: u32) -> BodyView {
        if number == WORLD {
            return BodyView::of(model, states, end);
        }
        BodyView {
            pose: Transform::new(self.rotation, self.position - self.rotation * self.center),
            center: self.position,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
        }
    }

    /// Turns the inertia to where the body is now.
    pub(super) fn turn_inertia(&mut self) {
        if let Spin::Euler { moments, axes } = self.spin {
            let most = moments.max_element();
            let inverse = moments.to_array().map(|moment| if moment > 1e-15 * most { 1.0 / moment } else { 0.0 });
            let rotation = DMat3::from_quat(self.rotation * axes);
            self.inverse_inertia = rotation * DMat3::from_diagonal(DVec3::from(inverse)) * rotation.transpose();
        }
    }

    /// A force and a torque act.
    pub(super) fn accelerate(&mut self, wrench: &Wrench) {
        self.acceleration += wrench.force * self.inverse_mass;
        self.angular_acceleration += self.inverse_inertia * wrench.torque;
    }

    /// The velocity of the point at `arm` from the centre of mass: `v + ω × r`.
    pub(super) fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(arm)
    }

    /// An impulse at `arm` from the centre of mass.
    pub(super) fn push(&mut self, impulse: DVec3, arm: DVec3) {
        self.velocity += impulse * self.inverse_mass;
        self.angular_velocity += self.inverse_inertia * arm.cross(impulse);
    }

    /// How far the surface that was at `arm` has gone since contacts were found, to second order in the turn θ:
    /// `s + θ × r + ½ θ × (θ × r′)`. Where it is round, r′ leads to the centre of its curvature: a ball that rolls stays on the floor.
    pub(super) fn displacement(&self, arm: DVec3, center_of_curvature: DVec3) -> DVec3 {
        self.shift + self.turn.cross(arm) + 0.5 * self.turn.cross(self.turn.cross(center_of_curvature))
    }
}

/// The bodies of a step, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    pub(super) list: Vec<Body>,
    /// By slot: the number of the body.
    numbers: Vec<u32>,
}

impl Bodies {
    /// Forgets all bodies.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.numbers.clear();
    }

    /// Takes over the bodies that are awake, accelerated by what accelerates all alike, and the scripted ones on their way to where they are
    /// `after` the next `dt` seconds.
    pub(super) fn load(
        &mut self,
        model: &Model,
        state: &State,
        [awake, scripted]: [&[BodyId]; 2],
        after: &[BodyState],
        dt: f64,
        uniform: DVec3,
    ) {
        for body in self.list.iter().filter(|body| body.slot != u32::MAX) {
            self.numbers[body.slot as usize] = WORLD;
        }
        self.list.clear();
        self.list.push(Body::WORLD);
        self.numbers.resize(state.bodies.len(), WORLD);
        for &id in awake.iter().chain(scripted) {
            let (slot, Some(body)) = (id.slot(), model.bodies().get(id)) else { continue };
            let motion = &state.bodies[slot];
            let mut loaded = match body.kind {
                BodyKind::Scripted(_) => Body::scripted(slot, body.mass.center, motion, &after[slot], dt),
                _ => Body::movable(slot, body, motion),
            };
            if loaded.is_movable() {
                loaded.acceleration = uniform * body.gravity_scale;
            }
            self.numbers[slot] = self.list.len() as u32;
            self.list.push(loaded);
        }
    }

    /// Lays belts: where the surface of a body that nothing moves runs along itself, a body of its own stands for it, which goes as
    /// fast as the surface runs. Along the surface it can go without changing any gap.
    pub(super) fn lay_belts(&mut self, pairs: &mut Pairs) {
        for pair in pairs.list.iter_mut().filter(|pair| pair.surface_velocity != DVec3::ZERO) {
            let numbers = pair.bodies.map(|id| self.number(id));
            let side = (0..2).find(|&side| !self.list[numbers[side] as usize].is_movable());
            for patch in &mut pair.patches {
                patch.belt = side.map(|side| {
                    let running = if side == 0 { pair.surface_velocity } else { -pair.surface_velocity };
                    let body = self.list[numbers[side] as usize];
                    let velocity = body.velocity + running.reject_from_normalized(patch.normal);
                    self.list.push(Body { slot: u32::MAX, velocity, ..body });
                    (side as u8, self.list.len() as u32 - 1)
                });
            }
        }
    }

    /// Tells bodies with whom they go.
    pub(super) fn set_pace(&mut self, ids: &[BodyId], pace: Pace) {
        for &id in ids {
            let number = self.number(id);
            let body = &mut self.list[number as usize];
            if body.is_movable() {
                body.pace = pace;
            }
        }
    }

    /// The number of a body.
    pub(super) fn number(&self, id: BodyId) -> u32 {
        self.numbers.get(id.slot()).copied().unwrap_or(WORLD)
    }

    /// Gives the motions of the bodies that impulses move back to the state.
    pub(super) fn store(&self, bodies: &mut [BodyState]) {
        for body in self.list.iter().filter(|body| body.is_movable()) {
            let state = &mut bodies[body.slot as usize];
            (state.position, state.rotation) = (body.position, body.rotation);
            (state.velocity, state.angular_velocity) = (body.velocity, body.angular_velocity);
        }
    }
}
