//! What the animator controls (H 6): properties as functions of time, and bodies half scripted and half free.
//!
//! H lets the animator manipulate the physics: tops that spin slowly stay up because their moments of inertia are enlarged, a rocket pushes
//! plates aside because its mass is. A [`Schedule`] gives such factors over time. A scripted body with a [`Blend`] moves with the weighted mean
//! of its script's velocity and of the velocity that impacts gave it, and takes part in impacts with its mass times a factor: with a
//! high one it follows the script and pushes others about, with a low one it is pushed about.

use crate::ModelError;
use crate::model::{BodyKind, BodyModel};
use crate::parts::roster::Roster;
use crate::schema::JsonSchema;
use crate::{BodyState, Id, Model, StepError};
use glam::DMat3;
use serde::{Deserialize, Serialize};
use tumble_geometry::math::rotation_from_vector;

/// Factors on the properties of a body over time, each a list of values at the `times`, linear in between; an empty list changes nothing. They act in
/// impacts: free flight does not depend on them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Schedule {
    /// The name of the body.
    #[schemars(extend("names" = "body"))]
    pub on: String,
    /// When the values hold, in seconds, in order.
    #[schemars(extend("unit" = "s"))]
    pub times: Vec<f64>,
    /// Factors on the mass, more than 0.
    pub mass: Vec<f64>,
    /// Factors on the moments of inertia, more than 0.
    pub inertia: Vec<f64>,
    /// Factors on the restitution of its contacts, at least 0.
    pub restitution: Vec<f64>,
    /// Factors on the friction of its contacts, at least 0.
    pub friction: Vec<f64>,
}

/// How a scripted body shares its motion with impacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Blend {
    /// The name of the body, which has a script and `mass_properties`: scripted bodies have no mass otherwise.
    #[schemars(extend("names" = "body"))]
    pub on: String,
    /// The weight of the script's velocity, from 0 to 1; impacts have the rest. Default 1: it follows the script.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub weight: f64,
    /// The factor on its mass and inertia in impacts. Default 1.
    #[schemars(range(min = 1e-9, max = 1e12), extend("unit" = "1"))]
    pub mass: f64,
}

impl Default for Blend {
    fn default() -> Self {
        Self { on: String::new(), weight: 1.0, mass: 1.0 }
    }
}

impl Schedule {
    /// Refuses what makes no sense.
    pub(super) fn validate(&self) -> Result<(), ModelError> {
        let refuse = |problem: String| {
            let part = format!("the schedule of \"{}\"", self.on);
            Err(ModelError::BadProperties { part, problem })
        };
        if !self.times.is_sorted_by(|a, b| a < b) || !self.times.iter().all(|time| time.is_finite()) {
            return refuse(format!("`times` is {:?}, but must be finite and in order", self.times));
        }
        for (name, values, least) in [
            ("mass", &self.mass, 1e-12),
            ("inertia", &self.inertia, 1e-12),
            ("restitution", &self.restitution, 0.0),
            ("friction", &self.friction, 0.0),
        ] {
            if !values.is_empty() && values.len() != self.times.len() {
                return refuse(format!(
                    "`{name}` has {} values, but there are {} times",
                    values.len(),
                    self.times.len()
                ));
            }
            if let Some(bad) = values.iter().find(|value| !(value.is_finite() && **value >= least)) {
                return refuse(format!("`{name}` has {bad}, but must be at least {least}"));
            }
        }
        Ok(())
    }

    /// A factor at a time; one if it has none.
    fn at(&self, values: &[f64], time: f64) -> f64 {
        let count = values.len().min(self.times.len());
        let after = self.times[..count].iter().position(|&t| t > time).unwrap_or(count);
        match (
            after.checked_sub(1).map(|i| (self.times[i], values[i])),
            (after < count).then(|| (self.times[after], values[after])),
        ) {
            (Some((t0, a)), Some((t1, b))) => a + (b - a) * ((time - t0) / (t1 - t0)),
            (Some((_, value)), None) | (None, Some((_, value))) => value,
            (None, None) => 1.0,
        }
    }
}

/// A body as impacts see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Properties {
    pub(super) inverse_mass: f64,
    /// Along world axes.
    pub(super) inverse_inertia: DMat3,
    /// Factors on the restitution and friction of its contacts.
    pub(super) restitution: f64,
    pub(super) friction: f64,
    /// The figure it is a link of, by number: then mass and inertia are those of the whole.
    pub(super) figure: Option<usize>,
}

impl Properties {
    /// Those of what is not there.
    pub(super) fn of_nothing() -> Self {
        Self { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO, restitution: 1.0, friction: 1.0, figure: None }
    }

    /// Those of a body at a time.
    pub(super) fn of(body: &BodyModel, state: &BodyState, time: f64, schedules: &[Schedule], blends: &[Blend]) -> Self {
        let mut properties = Self {
            inverse_mass: body.inverse_mass,
            inverse_inertia: body.world_inverse_inertia(state.rotation),
            ..Self::of_nothing()
        };
        if let Some(blend) = blend_of(body, blends).filter(|_| body.mass.mass > 0.0) {
            let inertia = body.world_inertia(state.rotation) * blend.mass;
            properties.inverse_mass = 1.0 / (body.mass.mass * blend.mass);
            let turns = inertia.determinant() > f64::MIN_POSITIVE;
            properties.inverse_inertia = if turns { inertia.inverse() } else { DMat3::ZERO };
        }
        for schedule in schedules.iter().filter(|schedule| schedule.on == body.name) {
            properties.inverse_mass /= schedule.at(&schedule.mass, time).max(1e-12);
            properties.inverse_inertia *= 1.0 / schedule.at(&schedule.inertia, time).max(1e-12);
            properties.restitution *= schedule.at(&schedule.restitution, time);
            properties.friction *= schedule.at(&schedule.friction, time);
        }
        properties
    }
}

fn blend_of<'a>(body: &BodyModel, blends: &'a [Blend]) -> Option<&'a Blend> {
    let scripted = matches!(body.kind, BodyKind::Scripted(_));
    blends.iter().find(|blend| scripted && blend.on == body.name)
}

/// Refuses blends of bodies that have no script or no mass.
pub(super) fn check_blends(model: &Model, blends: &[Blend], method: &'static str) -> Result<(), StepError> {
    let is_unfit = |body: &BodyModel| !(matches!(body.kind, BodyKind::Scripted(_)) && body.mass.mass > 0.0);
    let mut named = blends.iter().flat_map(|blend| model.bodies().iter().filter(|(_, body)| body.name == blend.on));
    match named.find(|(_, body)| is_unfit(body)) {
        Some((_, body)) => {
            let what = format!("blend \"{}\", which lacks a script or `mass_properties`", body.name);
            Err(StepError::Cannot { method, what, instead: "bodies that have both" })
        }
        None => Ok(()),
    }
}

/// Moves blended bodies, whose scripts have been followed to `time`, from where they were `before`.
pub(super) fn blend(
    model: &Model,
    roster: &Roster,
    blends: &[Blend],
    before: &[BodyState],
    dt: f64,
    bodies: &mut [BodyState],
) {
    for id in roster.scripted.iter().filter(|_| !blends.is_empty()) {
        let Some(body) = model.bodies().get(*id) else { continue };
        let Some(&Blend { weight, .. }) = blend_of(body, blends).filter(|blend| blend.weight < 1.0) else { continue };
        let (was, is) = (&before[id.slot()], &mut bodies[id.slot()]);
        let velocity = was.velocity.lerp(is.velocity, weight);
        let angular_velocity = was.angular_velocity.lerp(is.angular_velocity, weight);
        is.position = was.position + velocity * dt;
        is.rotation = (rotation_from_vector(angular_velocity * dt) * was.rotation).normalize();
        (is.velocity, is.angular_velocity) = (velocity, angular_velocity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_linear_between_their_times_and_steady_outside() {
        let schedule = Schedule { times: vec![1.0, 3.0], mass: vec![2.0, 4.0], ..Schedule::default() };
        let at = |time| schedule.at(&schedule.mass, time);
        assert_eq!([at(0.0), at(1.0), at(2.0), at(3.0), at(9.0)], [2.0, 2.0, 3.0, 4.0, 4.0]);
        assert_eq!(schedule.at(&schedule.friction, 2.0), 1.0);
        assert!(schedule.validate().is_ok());
        assert!(Schedule { mass: vec![1.0], ..schedule.clone() }.validate().is_err());
        assert!(Schedule { mass: vec![1.0, 0.0], ..schedule }.validate().is_err());
    }
}
