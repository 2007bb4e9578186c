//! Driven figures (H 4.3): the animator bends the joints, and conservation of momentum moves the whole.
//!
//! A figure is a tree of bodies whose joint angles are given over time: there are no muscles to compute. In flight nothing outside changes its
//! momentum P and its angular momentum L about its centre of mass C. When joint j turns what hangs on it with the angular velocity ω_j, that
//! part would by itself bring in
//!
//! ```text
//! L_j = (Σ I_i) ω_j + R_j × (ω_j × C_j) Σ m_i            (5)
//! ```
//!
//! with the sums over all links beyond the joint, Σ I_i about the joint, C_j from the joint to their centre of mass and R_j from C to the
//! joint; so the whole turns the other way by `−I⁻¹ L_j`, and with what it has anyway at
//!
//! ```text
//! W = I⁻¹ (L − Σ_j L_j)                                   (5, 6)
//! ```
//!
//! (The print has the transpose of I where the inverse is meant, and C_j from the body's origin.) One pass from the root outward gives where
//! every link is and how it moves as seen from the root; Σ_j L_j is the angular momentum of that motion, summed link by link, so that the cost is
//! linear in the number of links. The root is turned by W with the Runge–Kutta method of fourth order, and the centre of mass is put where P
//! carries it. Angles that are given at times go evenly from one step to the next; those that are given by a formula φ(t) are exact at every
//! stage, with the rate
//!
//! ```text
//! φ̇ ≈ (8 (φ(t + η) − φ(t − η)) − (φ(t + 2η) − φ(t − 2η))) / 12 η,   η = 10⁻³ s
//! ```
//!
//! whose error η⁴ φ⁽⁵⁾/30 is far below that of a step. L is taken from the velocities of the links and put back into them: what
//! comes out is what went in, to rounding.
//!
//! In impacts a figure is one rigid body, with the mass and the inertia that it has at the moment: whichever link is hit, the whole answers.

use super::control::Properties;
use crate::curve::{Curve, Expression};
use crate::model::BodyModel;
use crate::schema::JsonSchema;
use crate::{Applied, BodyState, Id, Model, ModelError, StepError, Wrench};
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use tumble_geometry::math::rotation_about;

/// A tree of bodies whose joints follow given angles. Forces act on the whole; damping of its bodies does not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Figure {
    /// The name of the body that carries the others.
    #[schemars(extend("names" = "body"))]
    pub root: String,
    /// The other bodies with their joints, each after the one it hangs on.
    pub links: Vec<Link>,
}

/// A body on a joint that turns about an axis by given angles. A joint with several axes is several links, of which those in between may be light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Link {
    /// The name of the body.
    #[schemars(extend("names" = "body"))]
    pub on: String,
    /// The name of the body it hangs on: the root, or one of the links before.
    #[schemars(extend("names" = "body"))]
    pub to: String,
    /// Where the joint is in the frame of the body it hangs on, in metres.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// Where the joint is in the frame of the body itself, in metres.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub own_anchor: DVec3,
    /// The axis of the joint, in both frames. Default the z axis.
    #[schemars(with = "[f64; 3]")]
    pub axis: DVec3,
    /// When the angles hold, in seconds, in order.
    #[schemars(extend("unit" = "s"))]
    pub times: Vec<f64>,
    /// How far the body is turned about the axis against the one it hangs on, in degrees: even in between, and steady before and after. None for 0.
    #[schemars(extend("unit" = "deg"))]
    pub degrees: Vec<f64>,
    /// The same angle in degrees as a formula of the time t in seconds, such as "30 * sin(2 * pi * t)", instead of `times` and `degrees`.
    pub formula: String,
}

impl Default for Link {
    fn default() -> Self {
        let (on, to, times, degrees, formula) = Default::default();
        Self { on, to, anchor: DVec3::ZERO, own_anchor: DVec3::ZERO, axis: DVec3::Z, times, degrees, formula }
    }
}

impl Figure {
    /// Refuses what makes no sense.
    pub(super) fn validate(&self) -> Result<(), ModelError> {
        for (index, link) in self.links.iter().enumerate() {
            let refuse = |problem: String| {
                let part = format!("the link \"{}\" of the figure of \"{}\"", link.on, self.root);
                Err(ModelError::BadProperties { part, problem })
            };
            let before = &self.links[..index];
            if link.on == self.root || before.iter().any(|other| other.on == link.on) {
                return refuse("it is in the figure already".into());
            }
            if link.to != self.root && before.iter().all(|other| other.on != link.to) {
                return refuse(format!("`to` is \"{}\", but must be the root or a link before it", link.to));
            }
            if link.axis.try_normalize().is_none() {
                return refuse(format!("`axis` is {}, but must have a direction", link.axis));
            }
            if !link.anchor.is_finite() || !link.own_anchor.is_finite() {
                return refuse(format!("`anchor` is {} and `own_anchor` {}", link.anchor, link.own_anchor));
            }
            if !link.times.is_sorted_by(|a, b| a < b) || !link.times.iter().all(|time| time.is_finite()) {
                return refuse(format!("`times` is {:?}, but must be finite and in order", link.times));
            }
            if link.degrees.len() != link.times.len() {
                let (angles, times) = (link.degrees.len(), link.times.len());
                return refuse(format!("`degrees` has {angles} values, but there are {times} times"));
            }
            if let Err(problem) = link.curve() {
                return refuse(format!("`formula`: {problem}"));
            }
            if !link.formula.is_empty() && !link.times.is_empty() {
                return refuse("it has a `formula` and `times`, but only one of them can hold".into());
            }
            if let Some(bad) = link.degrees.iter().find(|angle| !angle.is_finite()) {
                return refuse(format!("`degrees` has {bad}, but must be finite"));
            }
        }
        Ok(())
    }
}

/// η: the step of the differences that give the rate of a formula, in seconds.
const SHIFT: f64 = 1e-3;

impl Link {
    /// The formula, if it has one.
    fn curve(&self) -> Result<Option<Expression>, ModelError> {
        (!self.formula.is_empty()).then(|| Expression::new(&self.formula)).transpose()
    }

    /// The angle between two given ones at a time, in radians.
    fn angle(&self, time: f64) -> f64 {
        let after = self.times.partition_point(|&t| t <= time);
        let key = |index: usize| Some((*self.times.get(index)?, self.degrees.get(index)?.to_radians()));
        match (after.checked_sub(1).and_then(key), key(after)) {
            (Some((t0, a)), Some((t1, b))) => a + (b - a) * ((time - t0) / (t1 - t0)),
            (Some((_, angle)), None) | (None, Some((_, angle))) => angle,
            (None, None) => 0.0,
        }
    }
}

/// A joint as the bodies know it: levers from their centres of mass.
#[derive(Clone, Copy, Debug)]
struct Hinge {
    /// The body it hangs on, by number in the figure.
    parent: usize,
    lever: DVec3,
    own_lever: DVec3,
    axis: DVec3,
}

/// How a link moves, as seen from a root that rests at the origin.
#[derive(Clone, Copy, Debug)]
struct Part {
    x: DVec3,
    q: DQuat,
    v: DVec3,
    w: DVec3,
}

/// The momenta of a whole, and what it is.
#[derive(Clone, Copy, Debug)]
struct Sum {
    mass: f64,
    center: DVec3,
    /// Of the centre of mass.
    velocity: DVec3,
    /// About the centre of mass.
    inertia: DMat3,
    angular_momentum: DVec3,
}

/// How far a joint is bent and how fast, in radians and rad/s, `after` seconds into a step of `dt` seconds that begins at `time`.
fn course(link: &Link, curve: Option<&Expression>, (time, dt): (f64, f64), after: f64) -> (f64, f64) {
    let Some(curve) = curve else {
        let from = link.angle(time);
        let rate = (link.angle(time + dt) - from) / dt;
        return (from + rate * after, rate);
    };
    let angle = |shift: f64| curve.value(time + after + shift).to_radians();
    let rate = 8.0 * (angle(SHIFT) - angle(-SHIFT)) - (angle(2.0 * SHIFT) - angle(-2.0 * SHIFT));
    (angle(0.0), rate / (12.0 * SHIFT))
}

/// A figure with its bodies found.
#[derive(Clone, Debug)]
pub(super) struct Cast {
    /// By number in the figure, the root first.
    pub(super) slots: Vec<usize>,
    bodies: Vec<(f64, DMat3)>,
    /// Of all but the root.
    hinges: Vec<Hinge>,
    /// Likewise: the formulas of those that have one.
    curves: Vec<Option<Expression>>,
    parts: Vec<Part>,
    /// The centre of mass.
    pub(super) center: DVec3,
}

impl Cast {
    /// Finds the bodies of a figure.
    pub(super) fn find(figure: &Figure, model: &Model, method: &'static str) -> Result<Self, StepError> {
        let find = |name: &str| {
            let found = model.bodies().iter().find(|(_, body)| body.name == name && body.kind.is_movable());
            found.map(|(id, body)| (id.slot(), body)).ok_or_else(|| StepError::Cannot {
                method,
                what: format!("move \"{name}\" of the figure of \"{}\", which is no movable body here", figure.root),
                instead: "a figure of movable bodies",
            })
        };
        let mut members: Vec<(usize, &BodyModel)> = vec![find(&figure.root)?];
        let mut hinges = Vec::with_capacity(figure.links.len());
        for link in &figure.links {
            let own = find(&link.on)?;
            // The tree is in order, so that whoever carries it has been found.
            let parent = members.iter().position(|(_, body)| body.name == link.to).unwrap_or(0);
            let lever = link.anchor - members[parent].1.mass.center;
            let own_lever = link.own_anchor - own.1.mass.center;
            hinges.push(Hinge { parent, lever, own_lever, axis: link.axis.normalize_or(DVec3::Z) });
            members.push(own);
        }
        let slots = members.iter().map(|(slot, _)| *slot).collect();
        let bodies = members.iter().map(|(_, body)| (body.mass.mass, body.mass.inertia)).collect();
        // They have been checked; one that is none would be a joint that rests.
        let curves = figure.links.iter().map(|link| link.curve().unwrap_or_default()).collect();
        Ok(Self { slots, bodies, hinges, curves, parts: Vec::new(), center: DVec3::ZERO })
    }

    /// Moves a figure for a step; `loads` are the forces on all bodies, by slot.
    pub(super) fn advance(
        &mut self,
        figure: &Figure,
        bodies: &mut [BodyState],
        loads: (&[Wrench], &Applied),
        (time, dt): (f64, f64),
    ) {
        self.parts.clear();
        self.parts.extend(self.slots.iter().map(|&slot| {
            let BodyState { position, rotation, velocity, angular_velocity, .. } = bodies[slot];
            Part { x: position, q: rotation, v: velocity, w: angular_velocity }
        }));
        let start = self.sum();
        let (force, torque) = self.pull(start.center, loads);
        let curves = std::mem::take(&mut self.curves);
        let bends = |share: f64| -> Vec<(f64, f64)> {
            let links = figure.links.iter().zip(&curves);
            links.map(|(link, curve)| course(link, curve.as_ref(), (time, dt), share * dt)).collect()
        };
        let root = self.parts[0].q;
        let mut turning = |q: DQuat, share: f64| {
            let q = q.normalize();
            let inner = self.bend(q, &bends(share));
            let angular_momentum = start.angular_momentum + torque * (share * dt);
            let w = inner.inertia.inverse() * (angular_momentum - inner.angular_momentum);
            (w, DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * q * 0.5)
        };
        let (_, k1) = turning(root, 0.0);
        let (_, k2) = turning(root + k1 * (0.5 * dt), 0.5);
        let (_, k3) = turning(root + k2 * (0.5 * dt), 0.5);
        let (_, k4) = turning(root + k3 * dt, 1.0);
        let (w, _) = turning(root + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (dt / 6.0), 1.0);
        self.curves = curves;
        let inner = self.sum();
        let acceleration = force / start.mass;
        self.center = start.center + start.velocity * dt + acceleration * (0.5 * dt * dt);
        let velocity = start.velocity + acceleration * dt;
        for (&slot, part) in self.slots.iter().zip(&self.parts) {
            let from_center = part.x - inner.center;
            let body = &mut bodies[slot];
            body.position = self.center + from_center;
            body.rotation = part.q;
            body.velocity = velocity + (part.v - inner.velocity) + w.cross(from_center);
            body.angular_velocity = w + part.w;
        }
    }

    /// The force on the whole and its torque about the centre of mass.
    fn pull(&self, center: DVec3, (wrenches, applied): (&[Wrench], &Applied)) -> (DVec3, DVec3) {
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for (&slot, part) in self.slots.iter().zip(&self.parts) {
            let mut load = wrenches.get(slot).copied().unwrap_or_default();
            load += applied.get(slot);
            force += load.force;
            torque += load.torque + (part.x - center).cross(load.force);
        }
        (force, torque)
    }

    /// Bends the joints to angles, at rates, around a root that rests at the origin.
    fn bend(&mut self, root: DQuat, bends: &[(f64, f64)]) -> Sum {
        self.parts.clear();
        self.parts.push(Part { x: DVec3::ZERO, q: root, v: DVec3::ZERO, w: DVec3::ZERO });
        for (hinge, (angle, rate)) in self.hinges.iter().zip(bends) {
            let parent = self.parts[hinge.parent];
            let q = (parent.q * rotation_about(hinge.axis, *angle)).normalize();
            let w = parent.w + parent.q * hinge.axis * *rate;
            let (out, back) = (parent.q * hinge.lever, q * hinge.own_lever);
            let v = parent.v + parent.w.cross(out) - w.cross(back);
            self.parts.push(Part { x: parent.x + out - back, q, v, w });
        }
        self.sum()
    }

    /// Adds the parts up.
    fn sum(&self) -> Sum {
        let with_masses = || self.parts.iter().zip(&self.bodies);
        let mass: f64 = self.bodies.iter().map(|(mass, _)| mass).sum();
        let center = with_masses().map(|(part, (m, _))| part.x * *m).sum::<DVec3>() / mass;
        let velocity = with_masses().map(|(part, (m, _))| part.v * *m).sum::<DVec3>() / mass;
        let (mut inertia, mut angular_momentum) = (DMat3::ZERO, DVec3::ZERO);
        for (part, (m, own)) in with_masses() {
            let turned = DMat3::from_quat(part.q);
            let own = turned * *own * turned.transpose();
            let r = part.x - center;
            inertia += own + (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r)) * *m;
            angular_momentum += own * part.w + r.cross(part.v - velocity) * *m;
        }
        Sum { mass, center, velocity, inertia, angular_momentum }
    }

    /// What impacts see of every link: the whole.
    pub(super) fn show(&mut self, number: usize, bodies: &[BodyState], properties: &mut [Properties]) {
        self.parts.clear();
        self.parts.extend(self.slots.iter().map(|&slot| {
            let BodyState { position: x, rotation: q, velocity: v, angular_velocity: w, .. } = bodies[slot];
            Part { x, q, v, w }
        }));
        let whole = self.sum();
        self.center = whole.center;
        for &slot in &self.slots {
            let link = &mut properties[slot];
            link.inverse_mass = 1.0 / whole.mass;
            link.inverse_inertia = whole.inertia.inverse();
            link.figure = Some(number);
        }
    }

    /// Changes how the whole moves.
    pub(super) fn push(&self, bodies: &mut [BodyState], velocity: DVec3, angular_velocity: DVec3) {
        for &slot in &self.slots {
            let body = &mut bodies[slot];
            body.velocity += velocity + angular_velocity.cross(body.position - self.center);
            body.angular_velocity += angular_velocity;
        }
    }
}

/// `v vᵀ`.
fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with two arms, one of which has a forearm, at some angles.
    fn figure() -> Cast {
        let inertia = |k: f64| DMat3::from_diagonal(DVec3::new(0.1, 0.2 * k, 0.3));
        let hinge = |parent, x: f64, axis: DVec3| Hinge {
            parent,
            lever: DVec3::new(x, 0.2, -0.1),
            own_lever: DVec3::new(-x, 0.1, 0.05),
            axis: axis.normalize(),
        };
        let hinges = vec![
            hinge(0, 0.5, DVec3::new(1.0, 2.0, 3.0)),
            hinge(1, 0.4, DVec3::new(0.0, 1.0, -1.0)),
            hinge(0, -0.6, DVec3::new(1.0, 0.0, 1.0)),
        ];
        let bodies = (1..5).map(|k| (f64::from(k), inertia(f64::from(k)))).collect();
        let curves = vec![None; 3];
        Cast { slots: vec![0, 1, 2, 3], bodies, hinges, curves, parts: Vec::new(), center: DVec3::ZERO }
    }

    /// The sum over the links is the document's sum over the joints (5), with everything beyond a joint taken together.
    #[test]
    fn link_by_link_is_joint_by_joint() {
        let mut cast = figure();
        let (angles, rates) = ([0.3, -0.8, 1.2], [2.0, -1.5, 0.7]);
        let root = rotation_about(DVec3::new(1.0, 1.0, -2.0).normalize(), 0.9);
        let bends: Vec<(f64, f64)> = angles.into_iter().zip(rates).collect();
        let whole = cast.bend(root, &bends);
        let beyond = [vec![1, 2], vec![2], vec![3]];
        let mut by_joint = DVec3::ZERO;
        for (j, beyond) in beyond.iter().enumerate() {
            let hinge = cast.hinges[j];
            let parent = cast.parts[hinge.parent];
            let joint = parent.x + parent.q * hinge.lever;
            let omega = parent.q * hinge.axis * rates[j];
            let mass: f64 = beyond.iter().map(|&i| cast.bodies[i].0).sum();
            let center = beyond.iter().map(|&i| cast.parts[i].x * cast.bodies[i].0).sum::<DVec3>() / mass;
            let mut about_joint = DMat3::ZERO;
            for &i in beyond {
                let turned = DMat3::from_quat(cast.parts[i].q);
                let r = cast.parts[i].x - joint;
                about_joint += turned * cast.bodies[i].1 * turned.transpose()
                    + (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r)) * cast.bodies[i].0;
            }
            by_joint += about_joint * omega + (joint - whole.center).cross(omega.cross(center - joint)) * mass;
        }
        assert!((by_joint - whole.angular_momentum).length() < 1e-13, "{by_joint} {}", whole.angular_momentum);
    }

    #[test]
    fn figures_that_are_no_trees_are_refused() {
        let link = |on: &str, to: &str| Link { on: on.into(), to: to.into(), ..Link::default() };
        let figure = |links: Vec<Link>| Figure { root: "trunk".into(), links };
        assert!(figure(vec![link("arm", "trunk"), link("hand", "arm")]).validate().is_ok());
        assert!(figure(vec![link("hand", "arm"), link("arm", "trunk")]).validate().is_err());
        assert!(figure(vec![link("arm", "trunk"), link("arm", "trunk")]).validate().is_err());
        assert!(figure(vec![link("trunk", "trunk")]).validate().is_err());
        let keys = |times: Vec<f64>, degrees: Vec<f64>| Link { times, degrees, ..link("arm", "trunk") };
        assert!(figure(vec![keys(vec![0.0, 1.0], vec![0.0])]).validate().is_err());
        assert!(figure(vec![keys(vec![0.0], vec![f64::NAN])]).validate().is_err());
        let formula = |text: &str| Link { formula: text.into(), ..link("arm", "trunk") };
        assert!(figure(vec![formula("30 * sin(t)")]).validate().is_ok());
        assert!(figure(vec![formula("30 * sin(t")]).validate().is_err());
        assert!(figure(vec![Link { times: vec![0.0], degrees: vec![1.0], ..formula("t") }]).validate().is_err());
        assert!(figure(vec![Link { axis: DVec3::ZERO, ..link("arm", "trunk") }]).validate().is_err());
    }
}
