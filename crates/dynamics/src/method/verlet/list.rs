//! The list of constraints (B 10), in which what comes later is stronger.
//!
//! Two constraints without a common body commute: it makes no difference which of them is put right first. So the list may be rearranged as long as the
//! constraints of every body stay in their order. Here each comes as early as it may: first those before which nobody touches their bodies,
//! then those that wait for the first, and so on, level by level. The numbers are the same to the last bit. But neighbours in the list no longer wait
//! for each other: along a rope, each rod needs what the one before has just computed, while the rods of a level can be computed together, which
//! processors do by themselves.

use super::angle::Angle;
use super::bodies::Bodies;
use super::distance::Distance;
use super::pin::Pin;
use super::rows::{Rows, strength};
use crate::constraint::{JointForm, Softness};
use crate::model::{BodyKind, BodyModel, JointEnd, JointModel};
use crate::{Id, JointId, Model, State};
use glam::{DMat3, DQuat, DVec3};

/// A joint as a constraint.
#[derive(Clone, Debug)]
pub(super) enum Constraint {
    Distance(Distance),
    Pin(Pin),
    Angle(Box<Angle>),
    Rows(Box<Rows>),
}

impl Constraint {
    /// The slots of its bodies; the world is behind the last.
    pub(super) fn bodies(&self) -> [u32; 2] {
        match self {
            Self::Distance(distance) => distance.bodies,
            Self::Pin(pin) => pin.bodies,
            Self::Angle(angle) => angle.bodies,
            Self::Rows(rows) => rows.bodies,
        }
    }

    /// The constraint for a joint: one of B's where it is one of them, else its rows. `bodies` have their masses.
    pub(super) fn of(model: &Model, state: &State, bodies: &Bodies, joint: &JointModel, spent: usize) -> Self {
        let body = |end: JointEnd| match end {
            JointEnd::Body(id) => model.bodies().get(id),
            JointEnd::World => None,
        };
        let place = |end: JointEnd| match end {
            JointEnd::Body(id) => id.slot() as u32,
            JointEnd::World => model.bodies().slot_count() as u32,
        };
        let ends = joint.ends.map(body);
        let places = joint.ends.map(place);
        let center = |end: Option<&BodyModel>| end.map_or(DVec3::ZERO, |body| body.mass.center);
        let inertia = |end: Option<&BodyModel>| end.map_or(DMat3::ZERO, |body| body.mass.inertia);
        let hard = |softness: Softness| matches!(softness, Softness::Rigid | Softness::Baumgarte { .. });
        let turns =
            |body: &&BodyModel| body.inverse_inertia != DMat3::ZERO || matches!(body.kind, BodyKind::Scripted(_));
        let turns = ends.iter().flatten().any(turns);
        let rotation = |end: JointEnd| match end {
            JointEnd::Body(id) => state.bodies[id.slot()].rotation,
            JointEnd::World => DQuat::IDENTITY,
        };
        let centers = ends.map(center);
        match joint.constraint.form() {
            JointForm::Distance { anchors, min, max, softness } if hard(softness) && !turns => {
                let [first, second] = [0, 1].map(|k| rotation(joint.ends[k]) * (anchors[k] - centers[k]));
                let masses = places.map(|i| bodies.inverse_mass[i as usize]);
                Self::Distance(Distance::new(places, masses, second - first, [min, max], strength(softness)))
            }
            JointForm::Ball { anchors, softness } if hard(softness) => {
                let levers = [0, 1].map(|k| anchors[k] - centers[k]);
                Self::Pin(Pin { bodies: places, levers, strength: strength(softness) })
            }
            JointForm::AxisLimits { frame, min, max, stop } if hard(stop.softness) => {
                let axes: [DQuat; 2] = frame.rotations;
                let (inertia, strength) = (ends.map(inertia), strength(stop.softness));
                Self::Angle(Box::new(Angle { bodies: places, axes, min, max, stop, strength, inertia }))
            }
            _ => {
                let constraint = joint.constraint.clone();
                Self::Rows(Box::new(Rows { bodies: places, centers, constraint, spent }))
            }
        }
    }
}

/// Rearranges a list level by level; where each constraint was before.
pub(super) fn arrange(list: &mut Vec<(JointId, Constraint)>, bodies: &Bodies) -> Vec<usize> {
    // By slot: the first level at which a body is free.
    let mut free = vec![0_u32; bodies.inverse_mass.len()];
    let mut levels: Vec<(u32, usize)> = Vec::with_capacity(list.len());
    for (number, (_, constraint)) in list.iter().enumerate() {
        // What does not move is changed by nobody.
        let moving = || constraint.bodies().into_iter().map(|i| i as usize).filter(|&i| bodies.inverse_mass[i] > 0.0);
        let level = moving().map(|i| free[i]).max().unwrap_or(0);
        moving().for_each(|i| free[i] = level + 1);
        levels.push((level, number));
    }
    levels.sort_unstable();
    let mut old: Vec<_> = std::mem::take(list).into_iter().map(Some).collect();
    list.extend(levels.iter().filter_map(|&(_, number)| old[number].take()));
    levels.into_iter().map(|(_, number)| number).collect()
}
