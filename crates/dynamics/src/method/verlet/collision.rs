//! The collision constraint (B 9): contacts among the other constraints, so that pins cannot pull a body through a wall.
//!
//! Each contact point is carried along by both bodies; where the two copies have passed each other along the normal,
//!
//! ```text
//! δx = −gap n, shared as by a pin, with +1/D (the print reuses −1/D),
//! v' = −ε v_n + v_t (1 − μ |Δv_n| / |v_t|)₊
//! ```
//!
//! B multiplies the tangential velocity by a factor that the document does not give (and reverses it by mistake, 9.5); here Coulomb's law
//! gives it, with the change of the normal velocity for the normal force. Impacts below the rest speed do not bounce; without velocities nothing
//! does, because what was pushed out has lost its speed.

use super::bodies::Bodies;
use crate::contact::ContactImpulse;
use crate::method::classic::{Pair, Point};
use glam::DVec3;

/// A contact point as a constraint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collision {
    pub(super) bodies: [u32; 2],
    /// Where the surfaces meet, from the centres of mass, in body axes.
    levers: [DVec3; 2],
    pub(super) normal: DVec3,
    restitution: f64,
    friction: f64,
    /// Slower impacts do not bounce, in m/s.
    rest_speed: f64,
    /// The pair and its point, to give the impulse to.
    pub(super) origin: (usize, usize),
    pub(super) impulse: ContactImpulse,
    pub(super) met: f64,
    /// By how much it was pushed out in this pass, in kg m: the impulse of the floor times the pass, where there are no velocities.
    pub(super) pressed: f64,
}

impl Collision {
    pub(super) fn new(
        bodies: &Bodies,
        places: [usize; 2],
        (pair, point): (&Pair<()>, &Point<()>),
        origin: (usize, usize),
        rest_speed: f64,
    ) -> Self {
        let (at, normal, gap) = (point.geometry.position, point.geometry.normal, point.geometry.gap);
        let surfaces = [at - normal * (0.5 * gap), at + normal * (0.5 * gap)];
        let levers = [0, 1].map(|k| bodies.q[places[k]].conjugate() * (surfaces[k] - bodies.x[places[k]]));
        Self {
            bodies: places.map(|i| i as u32),
            levers,
            normal,
            restitution: pair.material.restitution,
            friction: pair.material.dynamic_friction,
            rest_speed,
            origin,
            impulse: ContactImpulse::default(),
            met: 0.0,
            pressed: 0.0,
        }
    }

    /// Its bodies, and where it is from their centres of mass.
    #[inline]
    pub(super) fn levers(&self, bodies: &Bodies) -> ([usize; 2], [DVec3; 2]) {
        let places = self.bodies.map(|i| i as usize);
        (places, [0, 1].map(|k| bodies.q[places[k]] * self.levers[k]))
    }

    /// Moves bodies that overlap apart.
    pub(super) fn correct_positions(&mut self, bodies: &mut Bodies) {
        let ([a, b], [ra, rb]) = self.levers(bodies);
        let gap = ((bodies.x[b] + rb) - (bodies.x[a] + ra)).dot(self.normal);
        let mobility = bodies.mobility(a, ra, self.normal) + bodies.mobility(b, rb, self.normal);
        if gap < 0.0 && mobility > 0.0 {
            let p = self.normal * (-gap / mobility);
            self.pressed += -gap / mobility;
            bodies.displace(a, ra, -p);
            bodies.displace(b, rb, p);
        }
    }

    /// The gap between the surfaces as it is now.
    #[inline]
    pub(super) fn gap(&self, bodies: &Bodies) -> f64 {
        let ([a, b], [ra, rb]) = self.levers(bodies);
        ((bodies.x[b] + rb) - (bodies.x[a] + ra)).dot(self.normal)
    }

    /// How fast the bodies part, in m/s; less than zero if they approach.
    #[inline]
    fn speed(&self, bodies: &Bodies) -> f64 {
        let ([a, b], [ra, rb]) = self.levers(bodies);
        (bodies.velocity_at(b, rb) - bodies.velocity_at(a, ra)).dot(self.normal)
    }

    /// By how much the bodies should part faster: they bounce, or stop approaching. Zero if nothing is to be done.
    pub(super) fn missing_speed(&self, bodies: &Bodies) -> f64 {
        let speed = self.speed(bodies);
        if self.gap(bodies) > 0.0 || speed >= 0.0 {
            return 0.0;
        }
        let wanted = if -speed > self.rest_speed { -self.restitution * speed } else { 0.0 };
        wanted - speed
    }

    /// Lets bodies that approach where they touch bounce, and rub.
    pub(super) fn correct_velocities(&mut self, bodies: &mut Bodies) {
        let ([a, b], [ra, rb]) = self.levers(bodies);
        let n = self.normal;
        let mobility = bodies.mobility(a, ra, n) + bodies.mobility(b, rb, n);
        let missing = self.missing_speed(bodies);
        if missing > 0.0 && mobility > 0.0 {
            let push = missing / mobility;
            self.take(bodies, push);
            bodies.push(a, ra, -n * push);
            bodies.push(b, rb, n * push);
            self.rub(bodies, push);
        }
    }

    /// Notes a normal impulse that is about to change the velocities.
    pub(super) fn take(&mut self, bodies: &Bodies, push: f64) {
        self.met = self.met.max(-self.speed(bodies));
        self.impulse.normal += push;
    }

    /// Friction where there are no velocities to bounce with: the push out of the pass was the normal impulse, times its length.
    pub(super) fn rub_after(&mut self, bodies: &mut Bodies, h: f64) {
        let push = self.pressed / h;
        if push > 0.0 {
            self.impulse.normal += push;
            self.rub(bodies, push);
        }
    }

    /// Slows the slip by at most what Coulomb allows for a normal impulse.
    pub(super) fn rub(&mut self, bodies: &mut Bodies, push: f64) {
        let ([a, b], [ra, rb]) = self.levers(bodies);
        let n = self.normal;
        let velocity = bodies.velocity_at(b, rb) - bodies.velocity_at(a, ra);
        let slip = velocity - n * velocity.dot(n);
        let Some(along) = slip.try_normalize() else { return };
        let mobility = bodies.mobility(a, ra, along) + bodies.mobility(b, rb, along);
        if mobility > 0.0 {
            let rub = along * -(slip.length() / mobility).min(self.friction * push);
            bodies.push(a, ra, -rub);
            bodies.push(b, rb, rub);
            self.impulse.friction += rub;
        }
    }
}
