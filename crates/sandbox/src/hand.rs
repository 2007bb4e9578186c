//! The hand: a spring by which the mouse drags a body (G 4.7).
//!
//! It pulls the point p where the body is held towards a point of the world, with critical damping. Stiffness and damping
//! are those of a body of the same mass, so that light and heavy bodies follow the mouse alike:
//!
//! ```text
//! F = m (ω² (target − p) − 2 ω ṗ),   T = −ω/2 I ω_body
//! ```
//!
//! The torque keeps a body held at its rim from twirling for ever.

use glam::DVec3;
use tumble_dynamics::{BodyId, World};

/// The angular frequency ω of the spring in 1/s.
const FREQUENCY: f64 = 15.0;
/// A held force is explicit: ω dt stays below this, whatever the time step.
const STABLE: f64 = 0.4;
/// The strongest pull, as an acceleration in m/s².
const STRONGEST: f64 = 1000.0;

/// A body that somebody holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hand {
    pub(crate) body: BodyId,
    /// Where it is held, in the body frame.
    anchor: DVec3,
    /// Where it is pulled to.
    target: DVec3,
}

impl Hand {
    /// Takes hold of a body at a world point; none if there is no such body or forces do not move it.
    pub(crate) fn grab(world: &World, body: BodyId, point: DVec3) -> Option<Self> {
        let held = world.body(body).ok().filter(|held| held.mass() > 0.0)?;
        Some(Self { body, anchor: held.pose().inverse_point(point), target: point })
    }

    /// Pulls towards a world point from now on.
    pub(crate) fn drag(&mut self, to: DVec3) {
        self.target = to;
    }

    /// Applies the force for the next step. False if the body is gone.
    pub(crate) fn pull(&self, world: &mut World, dt: f64) -> bool {
        let Ok(mut held) = world.body_mut(self.body) else { return false };
        let body = held.read();
        let frequency = FREQUENCY.min(STABLE / dt);
        let point = body.pose().point(self.anchor);
        let speed = body.state().velocity_at(point);
        let acceleration = frequency * frequency * (self.target - point) - 2.0 * frequency * speed;
        let force = body.mass() * acceleration.clamp_length_max(STRONGEST);
        let torque = -0.5 * frequency * body.spin();
        held.apply_force_at(force, point).is_ok() && held.apply_torque(torque).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_dynamics::Body;
    use tumble_geometry::Shape;

    /// A body held 1 m from where it is pulled to hangs there at last, g/ω² below, whatever its mass.
    #[test]
    fn light_and_heavy_bodies_follow_alike() {
        for radius in [0.01, 0.1, 1.0] {
            let mut world = World::new();
            let ball = world.add_body(Body::dynamic().with_shape(Shape::sphere(radius).unwrap())).unwrap();
            let mut hand = Hand::grab(&world, ball, DVec3::ZERO).unwrap();
            hand.drag(DVec3::X);
            for _ in 0..240 {
                assert!(hand.pull(&mut world, 1.0 / 120.0));
                world.step(1.0 / 120.0).unwrap();
            }
            let expected = DVec3::new(1.0, -9.81 / (FREQUENCY * FREQUENCY), 0.0);
            assert!(world.body(ball).unwrap().position().distance(expected) < 1e-3);
        }
    }

    #[test]
    fn long_steps_and_far_targets_stay_finite() {
        let mut world = World::new();
        let ball = world.add_body(Body::dynamic().with_shape(Shape::cuboid([1.0, 0.1, 0.1]).unwrap())).unwrap();
        let mut hand = Hand::grab(&world, ball, DVec3::new(1.0, 0.1, 0.0)).unwrap();
        hand.drag(DVec3::splat(1e300));
        for _ in 0..100 {
            assert!(hand.pull(&mut world, 0.5));
            world.step(0.5).unwrap();
        }
    }

    #[test]
    fn scenery_cannot_be_held() {
        let mut world = World::new();
        let wall = world.add_body(Body::fixed().with_shape(Shape::sphere(1.0).unwrap())).unwrap();
        assert!(Hand::grab(&world, wall, DVec3::ZERO).is_none());
    }
}
