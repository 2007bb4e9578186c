//! Impacts: contacts that bounce, before the soft solve sees them.
//!
//! **When.** Within the substep h that was kicked by the relative acceleration a along the normal, a gap s with the speed v₀ before the
//! kick closes at `t = 2s / (−v₀ + √(v₀² − 2as))`, at the speed `v = v₀ + a t`. After it, the surfaces separate at −e v, and have
//! −e v + a (h − t) at the end of the substep. So the height of a bounce does not depend on where in a substep it happens.
//!
//! **Where.** The impulse acts at t and not at the beginning: bodies are shifted back by t times the change of their velocities.
//!
//! **Passed on.** Each patch that approaches is solved by itself with fresh impulses, one after the other, until none approaches any
//! more: of five touching balls only the last one leaves (K 3.3.3). These impulses are not remembered; they happen once.

use super::bodies::{Bodies, Body};
use super::contact::{Contact, MOST};
use glam::DVec3;

/// How often impacts are passed on at most.
const PASSES: usize = 64;

/// How often the points of a patch are solved with each other.
const ROUNDS: usize = 12;

/// Lets those of `contacts` bounce that meet within the next `h` seconds faster than `threshold`.
pub(super) fn bounce(contacts: &mut [Contact], bouncing: &[u32], bodies: &mut Bodies, h: f64, threshold: f64) {
    for _ in 0..PASSES {
        let mut any = false;
        for &number in bouncing {
            any |= bounce_patch(&mut contacts[number as usize], bodies, h, threshold);
        }
        if !any {
            break;
        }
    }
}

/// What a point of a patch is to do.
#[derive(Clone, Copy, Default)]
struct Target {
    /// How fast it is to open, in m/s; none if it may do as it likes.
    opening: Option<f64>,
    /// When it is hit, in seconds after the beginning of the substep.
    time: f64,
}

/// Whether a patch bounced.
fn bounce_patch(contact: &mut Contact, bodies: &mut Bodies, h: f64, threshold: f64) -> bool {
    let mut openings = [0.0; MOST];
    let mut targets = [Target::default(); MOST];
    let mut hit = false;
    let [a, b] = contact.bodies.map(|number| &bodies.list[number as usize]);
    if slower_than(threshold, contact, a, b, h) {
        return false;
    }
    let acceleration = contact.normal.dot(b.acceleration - a.acceleration);
    for k in 0..contact.count {
        let point = &contact.points[k];
        let (gap, opening) = (contact.gap(point, bodies), contact.opening(point, bodies));
        openings[k] = opening;
        let meets = opening < 0.0 && gap + opening * h <= 0.0;
        if !meets {
            // It may come as near as it is.
            targets[k].opening = Some(-gap.max(0.0) / h);
            continue;
        }
        let before = opening - acceleration * h;
        let root = (before * before - 2.0 * acceleration * gap).max(0.0).sqrt();
        let time = if gap > 0.0 && root > before { (2.0 * gap / (root - before)).min(1.5 * h) } else { 0.0 };
        let speed = before + acceleration * time;
        targets[k].time = time;
        if -speed > threshold {
            targets[k].opening = Some(-contact.restitution * speed + acceleration * (h - time));
            contact.points[k].hit = contact.points[k].hit.max(-speed);
            hit = true;
        } else {
            targets[k].opening = Some(-gap.max(0.0) / h);
        }
    }
    if hit {
        exchange(contact, bodies, &openings, &targets);
    }
    hit
}

/// Whether no point of a patch can be hit faster than this: a cheap look, since most things rest.
fn slower_than(threshold: f64, contact: &Contact, a: &Body, b: &Body, h: f64) -> bool {
    let lever =
        |side: usize| contact.points().iter().map(|point| point.arms[side].length_squared()).fold(0.0, f64::max);
    let turning = |body: &Body, side: usize| match body.angular_velocity == DVec3::ZERO {
        true => 0.0,
        false => body.angular_velocity.length() * lever(side).sqrt(),
    };
    let kick = (b.acceleration - a.acceleration).length() * h;
    (b.velocity - a.velocity).length() + turning(a, 0) + turning(b, 1) + kick <= threshold
}

/// The impulses, none of them negative, that make the points of a patch open as they are to: projected Gauss–Seidel.
fn exchange(contact: &mut Contact, bodies: &mut Bodies, openings: &[f64; MOST], targets: &[Target; MOST]) {
    let pair = contact.bodies.map(|number| bodies.list[number as usize]);
    let normal = contact.normal;
    let coupling = |i: usize, j: usize| {
        let of = |side: usize| {
            let arm = |point: usize| contact.points[point].arms[side].cross(normal);
            pair[side].inverse_mass + arm(i).dot(pair[side].inverse_inertia * arm(j))
        };
        of(0) + of(1)
    };
    let k: [[f64; MOST]; MOST] = std::array::from_fn(|i| std::array::from_fn(|j| coupling(i, j)));
    let mut impulses = [0.0; MOST];
    for _ in 0..ROUNDS {
        for i in 0..contact.count {
            let (Some(target), true) = (targets[i].opening, k[i][i] > 0.0) else { continue };
            let opening = openings[i] + (0..contact.count).map(|j| k[i][j] * impulses[j]).sum::<f64>();
            impulses[i] = f64::max(impulses[i] - (opening - target) / k[i][i], 0.0);
        }
    }
    for i in 0..contact.count {
        let point = &mut contact.points[i];
        point.total += impulses[i];
        let impulse = normal * impulses[i];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = &mut bodies.list[contact.bodies[side] as usize];
            body.push(impulse * sign, point.arms[side]);
            let shift = impulse * (-sign * body.inverse_mass * targets[i].time);
            body.shift += shift;
            body.position += shift;
        }
    }
}
