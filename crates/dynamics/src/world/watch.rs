//! The energy watch: nothing explodes in silence.
//!
//! The energy of a world, kinetic and potential, may change by the work of forces that have no potential, of forces applied by
//! hand, of motors, drives and springs in joints, and of scripted bodies that push or pull others; and friction, impacts and
//! damping may take some away. What rises beyond that comes out of nothing: a step that is too long for a stiff
//! joint, an integrator that gains, a net that tears itself apart. The watch looks at the bodies before and after a step,
//! whatever the method, and adds up
//!
//! ```text
//! excess ← max(0, excess + ΔE − W),      W = Σ max(0, F·Δx + τ·Δθ)
//! ```
//!
//! over all that can do work. If the excess passes a fraction of the largest kinetic energy there was (and the energy of
//! lifting everything by a millimetre, so that rounding is no reason to worry) it tells, or refuses the step, and begins
//! anew.

use super::{World, snapshot::Snapshot};
use crate::constraint::{BodyView, JointView, Limit, Row, Softness};
use crate::event::EnergyEvent;
use crate::force::{ForceContext, Wrenches};
use crate::model::{BodyKind, JointEnd};
use crate::{BodyId, BodyState, Id, StepError, Wrench};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::math::rotation_vector;

/// What happens when energy comes out of nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EnergyWatch {
    /// Nobody looks (default).
    #[default]
    Off,
    /// An [event](EnergyEvent) tells.
    Warn,
    /// The step is refused.
    Refuse,
}

/// The part of the largest kinetic energy that may come out of nothing before somebody is told.
const TOLERANCE: f64 = 0.05;

/// Everything may be lifted by so much, in metres.
const LIFT: f64 = 1e-3;

/// The watch over a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Watchman {
    pub(super) tally: Tally,
    before: Before,
}

/// What the watch is to do, and what it remembers from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    duty: EnergyWatch,
    /// What came out of nothing, in joules.
    excess: f64,
    /// The largest kinetic energy there was, in joules.
    largest: f64,
}

impl Tally {
    /// Whether it can be one that was kept.
    pub(super) fn is_sound(&self) -> bool {
        self.excess >= 0.0 && self.largest >= 0.0
    }
}

/// How it was before the step.
#[derive(Clone, Debug, Default)]
struct Before {
    bodies: Vec<BodyState>,
    kinetic: f64,
    potential: f64,
    /// Of forces without a potential, and those applied by hand.
    wrenches: Vec<Wrench>,
}

impl World {
    /// Watches over the energy from now on, or no longer. Default: nobody does. It costs a look at every body and
    /// force before and after each step; to refuse steps, a copy of the world as well.
    pub fn set_energy_watch(&mut self, watch: EnergyWatch) {
        self.watchman.tally = Tally { duty: watch, ..Tally::default() };
    }

    /// Who watches over the energy.
    pub fn energy_watch(&self) -> EnergyWatch {
        self.watchman.tally.duty
    }

    /// Notes how things are before a step. What it takes to refuse the step, if that may happen.
    pub(super) fn begin_watch(&mut self) -> Option<Snapshot> {
        if self.energy_watch() == EnergyWatch::Off {
            return None;
        }
        let energy = self.energy();
        let wrenches = self.working_wrenches();
        let before = &mut self.watchman.before;
        before.bodies.clone_from(&self.state.bodies);
        (before.kinetic, before.potential, before.wrenches) = (energy.kinetic, energy.potential, wrenches);
        (self.energy_watch() == EnergyWatch::Refuse).then(|| self.snapshot())
    }

    /// Looks at what the step did to the energy; `applied` acted during the step.
    pub(super) fn end_watch(&mut self) -> Result<(), StepError> {
        if self.energy_watch() == EnergyWatch::Off {
            return Ok(());
        }
        let energy = self.energy();
        let gain = energy.total() - self.watchman.before.kinetic - self.watchman.before.potential;
        let work = self.work_of_forces() + self.work_of_joints() + self.work_of_scripts_by_contact();
        let weight: f64 = self.watchman.before.wrenches.iter().map(|wrench| wrench.force.length()).sum::<f64>()
            + self.bodies().map(|(_, body)| body.mass() * 9.81).sum::<f64>();
        let Watchman { tally, before } = &mut self.watchman;
        tally.largest = tally.largest.max(before.kinetic);
        tally.excess = (tally.excess + gain - work).max(0.0);
        let allowed = TOLERANCE * tally.largest + LIFT * weight;
        // Written so that an energy that is no number is told, too.
        if tally.excess <= allowed {
            return Ok(());
        }
        let excess = std::mem::take(&mut tally.excess);
        let bodies = self.fastest_gainers();
        if self.energy_watch() == EnergyWatch::Refuse {
            let names = bodies.iter().flatten().map(|&id| self.called(id)).collect();
            return Err(StepError::EnergyRose { time: self.state.time, excess, bodies: names });
        }
        self.events.energy.push(EnergyEvent { time: self.state.time, excess, bodies });
        Ok(())
    }

    fn called(&self, id: BodyId) -> String {
        crate::error::called(id, self.model.bodies.get(id).map_or("", |body| &body.name))
    }

    /// Forces without a potential and those applied by hand, by slot of the body.
    fn working_wrenches(&self) -> Vec<Wrench> {
        let context = ForceContext { model: &self.model, time: self.state.time, bodies: &self.state.bodies };
        let mut wrenches = Wrenches::zero(self.state.bodies.len());
        let working = self.model.forces.iter().filter(|(_, force)| force.potential_energy(&context).is_none());
        working.for_each(|(_, force)| force.apply(&context, &mut wrenches));
        let mut wrenches = wrenches.as_slice().to_vec();
        self.state.applied.iter().for_each(|(slot, wrench)| wrenches[slot] += wrench);
        wrenches
    }

    /// `Σ max(0, F·Δx + τ·Δθ)`, with the larger of the forces at the beginning and at the end of the step.
    fn work_of_forces(&self) -> f64 {
        let (before, after) = (&self.watchman.before, self.working_wrenches());
        let work = |slot: usize, wrench: &Wrench| {
            let [moved, turned] = moved(&before.bodies[slot], &self.state.bodies[slot]);
            wrench.force.dot(moved) + wrench.torque.dot(turned)
        };
        let of_body = |slot: usize| work(slot, &before.wrenches[slot]).max(work(slot, &after[slot])).max(0.0);
        let movable = self.model.bodies.iter().filter(|(_, body)| body.kind.is_movable());
        movable.map(|(id, _)| id.slot()).filter(|&slot| slot < before.bodies.len()).map(of_body).sum()
    }

    /// The work of the joints that can do some: those with motors, drives or springs, and those that scripts pull at.
    fn work_of_joints(&self) -> f64 {
        let before = &self.watchman.before.bodies;
        let mut rows: Vec<Row> = Vec::new();
        let mut sum = 0.0;
        for (id, joint) in self.model.joints.iter() {
            let Some(reaction) = self.method.reaction(id) else { continue };
            let Some(view) = JointView::of(&self.model, &self.state.bodies, &self.state.angles, id) else { continue };
            rows.clear();
            joint.constraint.rows(&view, &mut rows);
            let scripted = joint.ends.iter().any(|&end| matches!(end, JointEnd::Body(id) if self.is_scripted(id)));
            if !(scripted || rows.iter().any(can_work)) {
                continue;
            }
            let views_before = joint.ends.map(|end| BodyView::of(&self.model, before, end));
            let anchor = joint.constraint.anchors(&view)[1];
            let relative = [0, 1].map(|side| {
                // What cannot be moved takes the energy it gives from outside.
                let counts = matches!(joint.ends[side], JointEnd::Body(id) if !self.is_scripted(id));
                if !counts {
                    return [DVec3::ZERO; 2];
                }
                let (from, to) = (&views_before[side], &view.bodies[side]);
                let turned = rotation_vector(to.pose.rotation * from.pose.rotation.conjugate());
                [to.center - from.center + turned.cross(anchor - to.center), turned]
            });
            let work = reaction.force.dot(relative[1][0] - relative[0][0])
                + reaction.torque.dot(relative[1][1] - relative[0][1]);
            sum += work.max(0.0);
        }
        sum
    }

    /// The work of scripted bodies on what they touch: impulse times the velocity of the script at the point, with the larger of those at
    /// the beginning and at the end of the step. A lift that slows down was faster on the way than it is in the end.
    fn work_of_scripts_by_contact(&self) -> f64 {
        let mut sum = 0.0;
        for contact in self.contacts() {
            let Some(side) = contact.bodies.iter().position(|&id| self.is_scripted(id)) else { continue };
            let slot = contact.bodies[side].slot();
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let work = |script: &BodyState| {
                let of_point = |point: crate::contact::ContactPoint| {
                    sign * point.total_impulse().dot(script.velocity_at(point.position))
                };
                contact.points().map(of_point).sum::<f64>()
            };
            let before = self.watchman.before.bodies.get(slot).map_or(0.0, work);
            sum += work(&self.state.bodies[slot]).max(before).max(0.0);
        }
        sum
    }

    fn is_scripted(&self, id: BodyId) -> bool {
        self.model.bodies.get(id).is_some_and(|body| matches!(body.kind, BodyKind::Scripted(_)))
    }

    /// The bodies whose kinetic energy grew most in the step.
    fn fastest_gainers(&self) -> [Option<BodyId>; 3] {
        let before = &self.watchman.before.bodies;
        let energy = |mass: f64, body: &BodyState| 0.5 * mass * body.velocity.length_squared();
        let mut gains: Vec<(f64, BodyId)> = self
            .bodies()
            .filter(|(id, body)| body.mass() > 0.0 && id.slot() < before.len())
            .map(|(id, body)| {
                let rotational = |state: &BodyState| {
                    let spin = body.model().world_inertia(state.rotation) * state.angular_velocity;
                    0.5 * spin.dot(state.angular_velocity)
                };
                let (old, new) = (&before[id.slot()], body.state());
                (energy(body.mass(), new) + rotational(new) - energy(body.mass(), old) - rotational(old), id)
            })
            .collect();
        gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut list = gains.into_iter().map(|(_, id)| id);
        [list.next(), list.next(), list.next()]
    }
}

/// Whether a row of a joint can do work: a motor, or something soft that gives back what it has stored.
fn can_work(row: &Row) -> bool {
    let soft = !matches!(row.softness, Softness::Rigid | Softness::Baumgarte { .. });
    soft || row.target_rate != 0.0 || matches!(row.limit, Limit::Force { .. })
}

/// How far a body moved and turned.
fn moved(before: &BodyState, after: &BodyState) -> [DVec3; 2] {
    [after.position - before.position, rotation_vector(after.rotation * before.rotation.conjugate())]
}
