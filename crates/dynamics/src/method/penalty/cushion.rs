//! The springs of contacts (G 2.70–2.74), and the purse that keeps them from creating energy.
//!
//! Where surfaces overlap by d, a spring and a damper push them apart with `F = k d − c ḋₙ`, never together; friction is a second spring,
//! stretched by the slip. On paper such a contact gives back at most what it took. In steps of time it does not: it is felt a part of a step too
//! late and let go a part of a step too late, and its stiffness changes while it is pressed (with every point that joins in, with the
//! number of substeps, with the lever), so that the same depth is suddenly worth more. A ball would be shot out.
//!
//! So the contacts of an island have a *purse* (time-domain passivity control, Hannaford and Ryu 2002): what they took out of the motion and
//! have not given back. If impulses J change the velocities of their points by Δv, they do the work
//!
//! ```text
//! W(s) = s Σ J·v + ½ s² Σ J·Δv        with s = 1
//! ```
//!
//! exactly, whatever the masses and however the bodies hang together. If that is more than there is in the purse P, all impulses of the island
//! are made smaller by the s for which `W(s) = P`. Then `P ← P − W`; and since a damper keeps what it takes, P is never more than what
//! the springs are worth, `½ k d² + ½ kₜ s²`. Kinetic energy and purses together never grow, whatever k does.

use super::Anchor;
use super::springs::{Numbers, Springs};
use crate::BodyState;
use crate::constraint::contact::ContactGeometry;
use crate::contact::ContactImpulse;
use crate::model::ContactMaterial;
use glam::DVec3;
use std::f64::consts::PI;

/// A point where surfaces overlap: taken from wherever a method keeps it, and put back after the [kick](Cushions::kick).
#[derive(Clone, Copy, Debug)]
pub(in crate::method) struct Press {
    /// The slots of the bodies.
    pub(in crate::method) places: [usize; 2],
    pub(in crate::method) geometry: ContactGeometry,
    pub(in crate::method) material: ContactMaterial,
    /// How fast the surface of the first runs along itself over that of the second, in m/s: belts.
    pub(in crate::method) belt: DVec3,
    pub(in crate::method) anchor: Anchor,
    /// What it gave the second body, in N s.
    pub(in crate::method) impulse: ContactImpulse,
    /// How fast the surfaces approached, in m/s.
    pub(in crate::method) speed: f64,
    /// Stiffness and damping along the normal, in N/m and N s/m.
    normal: (f64, f64),
    /// The same of friction.
    across: (f64, f64),
    /// The mass that it moves along the normal: its share of that of the bodies, in kg.
    mass: f64,
}

/// What was put inside something else is pushed out as by this at most, in m/s²: several times the weight of things, so that they get out, and not what
/// springs that are made for a hundredth of a body's size are worth, which would shoot them out.
const PUSHED_OUT: f64 = 50.0;

impl Press {
    pub(in crate::method) fn new(
        places: [usize; 2],
        geometry: ContactGeometry,
        material: ContactMaterial,
        belt: DVec3,
        anchor: Anchor,
    ) -> Self {
        let (impulse, speed, normal, across, mass) = Default::default();
        Self { places, geometry, material, belt, anchor, impulse, speed, normal, across, mass }
    }

    /// How fast the second surface moves over the first, and towards it if the normal component is negative.
    fn velocity(&self, bodies: &[BodyState]) -> DVec3 {
        let at = self.geometry.position;
        bodies[self.places[1]].velocity_at(at) - bodies[self.places[0]].velocity_at(at)
    }
}

/// When in a substep contacts kick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::method) enum Moment {
    /// Before the bodies move; where somebody has just put them, what overlaps has the energy to get out.
    Begin { placed: bool },
    /// After they moved.
    End,
}

/// The energy of an island's contacts.
#[derive(Clone, Copy, Debug, Default)]
struct Purse {
    /// What is in it, in joules.
    energy: f64,
    /// What the springs are worth, in joules.
    worth: f64,
    /// `Σ J·v` and `½ Σ J·Δv`.
    work: [f64; 2],
}

impl Purse {
    /// The part s of the impulses that it can pay.
    fn share(&self) -> f64 {
        let [a, b] = self.work;
        if a + b <= self.energy {
            return 1.0;
        }
        // s a + s² b = P, written so that nothing cancels.
        let root = (a * a + 4.0 * b * self.energy).sqrt();
        if a > 0.0 { 2.0 * self.energy / (a + root) } else { (root - a) / (2.0 * b) }
    }
}

/// Room for the contacts of a world.
#[derive(Debug, Default)]
pub(in crate::method) struct Cushions {
    pub(in crate::method) presses: Vec<Press>,
    worths: Vec<f64>,
    before: Vec<(DVec3, DVec3)>,
    purses: Vec<Purse>,
}

impl Cushions {
    /// Half of what the contacts do in a substep: changes the velocities of the bodies. `island` tells, by slot, which island a body is in; bodies that
    /// forces do not move are in none.
    pub(in crate::method) fn kick(
        &mut self,
        springs: &Springs,
        bodies: &mut [BodyState],
        numbers: &Numbers,
        moment: Moment,
        (islands, island): (usize, &dyn Fn(usize) -> Option<usize>),
    ) {
        let Self { presses, worths, before, purses } = self;
        purses.clear();
        purses.resize(islands, Purse::default());
        worths.clear();
        before.clear();
        before.extend(bodies.iter().map(|body| (body.velocity, body.angular_velocity)));
        let of = |press: &Press| press.places.iter().find_map(|&slot| island(slot));
        for press in presses.iter_mut() {
            press.tense(springs, bodies, numbers, moment);
        }
        if moment == Moment::End {
            // The way back of how a substep begins: first the springs, then the dampers. What rests is at rest for both then.
            for press in presses.iter() {
                springs.push(press.places, press.geometry.position, press.impulse_vector(), bodies);
            }
        }
        for press in presses.iter_mut() {
            press.damp(bodies, numbers);
        }
        let put_back = |(body, before): (&mut BodyState, &(DVec3, DVec3))| {
            (body.velocity, body.angular_velocity) = *before;
        };
        bodies.iter_mut().zip(before.iter()).for_each(put_back);
        for press in presses.iter_mut() {
            let worth = press.worth();
            worths.push(worth);
            let Some(purse) = of(press).map(|number| &mut purses[number]) else { continue };
            if moment == (Moment::Begin { placed: true }) && press.anchor.energy == 0.0 {
                press.anchor.energy = worth.min(press.mass * PUSHED_OUT * -press.geometry.gap);
            }
            purse.energy += press.anchor.energy;
            purse.worth += worth;
            purse.work[0] += press.impulse_vector().dot(press.velocity(bodies));
        }
        for press in presses.iter() {
            springs.push(press.places, press.geometry.position, press.impulse_vector(), bodies);
        }
        for press in presses.iter() {
            let Some(purse) = of(press).map(|number| &mut purses[number]) else { continue };
            let [a, b] = press.places;
            let at = press.geometry.position;
            let was = |slot: usize| before[slot].0 + before[slot].1.cross(at - bodies[slot].position);
            purse.work[1] += 0.5 * press.impulse_vector().dot(press.velocity(bodies) - (was(b) - was(a)));
        }
        let shares: Vec<f64> = purses.iter_mut().map(|purse| purse.pay(moment)).collect();
        for (slot, (body, (velocity, angular_velocity))) in bodies.iter_mut().zip(before.iter()).enumerate() {
            if let Some(share) = island(slot).map(|number| shares[number]).filter(|share| *share < 1.0) {
                body.velocity = velocity.lerp(body.velocity, share);
                body.angular_velocity = angular_velocity.lerp(body.angular_velocity, share);
            }
        }
        for (press, worth) in presses.iter_mut().zip(worths) {
            let Some(number) = of(press) else { continue };
            let (purse, share) = (&purses[number], shares[number]);
            press.impulse.normal *= share;
            press.impulse.friction *= share;
            press.anchor.energy = if purse.worth > 0.0 { purse.energy * (*worth / purse.worth) } else { 0.0 };
            if moment != Moment::End {
                press.slide(bodies, numbers);
            }
        }
    }
}

impl Purse {
    /// Pays for the impulses as far as there is energy. Their part.
    fn pay(&mut self, moment: Moment) -> f64 {
        if moment != Moment::End {
            self.energy = self.energy.min(self.worth);
        }
        let (share, [a, b]) = (self.share(), self.work);
        self.energy = (self.energy - share * a - share * share * b).max(0.0);
        share
    }
}

impl Press {
    fn impulse_vector(&self) -> DVec3 {
        self.geometry.normal * self.impulse.normal + self.impulse.friction
    }

    /// How fast the second surface slides over the first, in m/s.
    fn sliding(&self, bodies: &[BodyState]) -> DVec3 {
        let (velocity, n) = (self.velocity(bodies), self.geometry.normal);
        velocity - n * velocity.dot(n) - self.belt
    }

    /// Stretches the friction spring by the slip of half a substep.
    fn slide(&mut self, bodies: &[BodyState], numbers: &Numbers) {
        self.anchor.slip += self.sliding(bodies) * (0.5 * numbers.h);
    }

    /// Finds the numbers of the springs and the impulse without the dampers.
    fn tense(&mut self, springs: &Springs, bodies: &[BodyState], numbers: &Numbers, moment: Moment) {
        let (at, n) = (self.geometry.position, self.geometry.normal);
        let levers = self.places.map(|slot| at - bodies[slot].position);
        let mobility = springs.mobility_at(self.places, levers, n);
        (self.impulse, self.normal, self.across, self.mass) = Default::default();
        if mobility <= f64::MIN_POSITIVE {
            return;
        }
        let crowd = springs.crowd(self.places.into_iter());
        let zeta = damping_ratio(self.material.restitution);
        self.mass = 1.0 / (mobility * crowd);
        self.normal = numbers.of(mobility, crowd, zeta);
        if let Some(given) = numbers.stiffness {
            self.normal = (given, 2.0 * zeta * (given / (mobility * crowd)).sqrt());
        }
        let (stiffness, damping) = numbers.of(springs.mobility_across(self.places, levers, n), crowd, 1.0);
        self.across = (stiffness.min(self.normal.0), damping);
        self.speed = -self.velocity(bodies).dot(n);
        if moment == Moment::End {
            self.slide(bodies, numbers);
        }
        self.anchor.slip -= n * self.anchor.slip.dot(n);
        let normal = -self.normal.0 * self.geometry.gap;
        let friction = self.anchor.slip * -self.across.0;
        self.give(normal, friction.clamp_length_max(self.material.static_friction * normal), numbers);
    }

    /// Adds what the dampers do at these velocities. Surfaces do not pull. While friction would be within the static cone it holds; beyond, it
    /// slides with the dynamic coefficient, and the anchor is dragged along.
    fn damp(&mut self, bodies: &[BodyState], numbers: &Numbers) {
        let [(k, d), (kt, dt)] = [self.normal, self.across];
        if k <= 0.0 {
            return;
        }
        let approach = -self.velocity(bodies).dot(self.geometry.normal);
        let normal = (d * approach - k * self.geometry.gap).max(0.0);
        let friction = self.anchor.slip * -kt - self.sliding(bodies) * dt;
        let size = friction.length();
        if size <= self.material.static_friction * normal {
            return self.give(normal, friction, numbers);
        }
        let friction = friction * (self.material.dynamic_friction * normal / size);
        self.anchor.slip = -friction / kt.max(f64::MIN_POSITIVE);
        self.give(normal, friction, numbers);
    }

    /// Notes the impulse of forces over half a substep.
    fn give(&mut self, normal: f64, friction: DVec3, numbers: &Numbers) {
        self.impulse.normal = 0.5 * numbers.h * normal;
        self.impulse.friction = friction * (0.5 * numbers.h);
    }

    /// What the springs are worth, in joules.
    fn worth(&self) -> f64 {
        let (depth, slip) = (self.geometry.gap, self.anchor.slip);
        0.5 * self.normal.0 * depth * depth + 0.5 * self.across.0 * slip.length_squared()
    }
}

/// The damping ratio ζ of a contact that gives back the part e of a speed.
///
/// A damped spring that does not pull lets go when its force is zero, before it is slack. With ζ = sin φ that is after `ω_d t = π − 2φ`, and
///
/// ```text
/// e = exp(−(π − 2φ) tan φ)
/// ```
///
/// Critical damping gives back e⁻² = 0.14 of the speed; less than that is not to be had.
fn damping_ratio(restitution: f64) -> f64 {
    let lost = -libm::log(restitution.max(f64::MIN_POSITIVE));
    if lost >= 2.0 {
        return 1.0;
    }
    // Newton's method on a concave function comes from the left and does not overshoot.
    let mut phi = lost / PI;
    for _ in 0..8 {
        let (tan, rest) = (libm::tan(phi), PI - 2.0 * phi);
        phi += (lost - rest * tan) / (rest * (1.0 + tan * tan) - 2.0 * tan);
    }
    libm::sin(phi.clamp(0.0, 0.5 * PI))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_damping_ratio_gives_back_what_it_should() {
        for restitution in [0.14, 0.2, 0.5, 0.9, 1.0] {
            let phi = libm::asin(damping_ratio(restitution));
            assert!((libm::exp(-(PI - 2.0 * phi) * libm::tan(phi)) - restitution).abs() < 1e-6, "{restitution}");
        }
        assert_eq!([damping_ratio(0.0), damping_ratio(0.1), damping_ratio(1.0)], [1.0, 1.0, 0.0]);
    }
}
