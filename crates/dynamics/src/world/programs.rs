//! Motors and drives that follow curves: before every step they are set to what the curves say.

use super::World;
use crate::constraint::{Drive, Freedom, Motor};
use crate::curve::{Aim, Program};
use crate::{JointId, ModelError, StepError};
use std::sync::Arc;

impl World {
    /// Lets a coordinate of a joint follow a curve from now on, in place of one it followed before.
    pub(super) fn follow(&mut self, id: JointId, program: Program) -> Result<(), ModelError> {
        let joint = self.joint(id)?;
        if joint.coordinate(&program.coordinate).is_none() {
            let known: Vec<&str> = joint.coordinates().iter().map(|coordinate| coordinate.name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let kind = "coordinate of this joint";
            return Err(ModelError::UnknownName { kind, name: program.coordinate, known });
        }
        if let Some(joint) = self.model.joints.get_mut(id) {
            let is_other = |old: &Program| (&old.coordinate, old.aim) != (&program.coordinate, program.aim);
            joint.programs.retain(is_other);
            joint.programs.push(program);
        }
        if !self.model.programmed.contains(&id) {
            Arc::make_mut(&mut self.model.programmed).push(id);
        }
        Ok(())
    }

    /// Lets nothing of a joint follow curves any more.
    pub(super) fn forget_programs(&mut self, id: JointId) {
        if self.model.programmed.contains(&id) {
            Arc::make_mut(&mut self.model.programmed).retain(|&other| other != id);
            self.model.joints.get_mut(id).into_iter().for_each(|joint| joint.programs.clear());
        }
    }

    /// Sets what follows curves for the next `dt` seconds: speeds to those in the middle of the step, targets to those at its end.
    pub(super) fn follow_curves(&mut self, dt: f64) -> Result<(), StepError> {
        if self.model.programmed.is_empty() {
            return Ok(());
        }
        let programmed = self.model.programmed.clone();
        for &id in programmed.iter() {
            let programs = self.model.joints.get(id).map(|joint| joint.programs.clone()).unwrap_or_default();
            for program in programs {
                self.set_by_curve(id, &program, dt)?;
            }
        }
        Ok(())
    }

    fn set_by_curve(&mut self, id: JointId, program: &Program, dt: f64) -> Result<(), StepError> {
        let Ok(joint) = self.joint(id) else { return Ok(()) };
        let Some(coordinate) = joint.coordinate(&program.coordinate) else { return Ok(()) };
        let time = match program.aim {
            Aim::Speed => self.state.time + 0.5 * dt,
            Aim::Target => self.state.time_after(dt),
        };
        let value = program.curve.value(time);
        if !value.is_finite() {
            let (name, coordinate) = (joint.model().name.clone(), program.coordinate.clone());
            return Err(StepError::CurveNotFinite { joint: id, name, coordinate, time, value: value.to_string() });
        }
        let before = coordinate.freedom;
        let freedom = match program.aim {
            Aim::Speed => Freedom { motor: Some(Motor { speed: value, ..before.motor.unwrap_or_default() }), ..before },
            Aim::Target => {
                Freedom { drive: Some(Drive { target: value, ..before.drive.unwrap_or_default() }), ..before }
            }
        };
        if freedom != before {
            // The coordinate is there and the number finite: this is never refused.
            let _set = self.joint_mut(id).and_then(|mut joint| joint.set_freedom(&program.coordinate, freedom));
        }
        Ok(())
    }
}
