//! Methods that are plug-ins: state arrays in, state arrays out.
//!
//! `stage(index, properties, dt: f64, count, bodies, forces, next) -> f64` sees the bodies that forces move as they are at the beginning of the step, 21 numbers
//! each, and the forces and torques on them, 6 numbers each (damping is among them). It writes 13 numbers for each body to `next`: position
//! of the centre of mass, rotation, velocity, angular velocity, which hold those of the beginning at first. If it returns a
//! negative number, that is the end of the step. A number from 0 to `dt` asks for the forces that act on the bodies when they move
//! as `next` says, so many seconds after the beginning; then it is called again, `index` is one more, `forces` is what it asked for,
//! and its memory and `next` are as it has left them. So Runge–Kutta methods, leapfrogs and the like can be written.
//!
//! Such methods move bodies under forces. They hold no joints, which is an error, and know no contacts.

use crate::layout::{BODY, MOTION, quaternion, vector, write_body, write_motion};
use crate::machine::Session;
use crate::part::{Program, Settings};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use tumble_dynamics::integrator::{Acceleration, EquationsOfMotion};
use tumble_dynamics::method::{Method, StepContext};
use tumble_dynamics::model::{BodyKind, BodyModel};
use tumble_dynamics::parts::free_motion::FreeMotion;
use tumble_dynamics::parts::roster::Roster;
use tumble_dynamics::parts::{finite, scripts};
use tumble_dynamics::registry::{DescribeMethod, Registry, Table};
use tumble_dynamics::{BodyId, BodyState, Id, Model, ModelError, State, StepError, StepReport};
use wasmi::Val;

/// Numbers of a force and a torque.
const WRENCH: usize = 6;
/// Instructions for a call, further ones for each body, and the most.
const FUEL: [u64; 3] = [1_000_000, 100_000, 500_000_000];
/// The most calls in a step.
const STAGES: i32 = 64;
/// By how much the length of a quaternion may differ from 1.
const UNIT: f64 = 1e-3;

/// What lists say of methods that are plug-ins.
pub(crate) const REMARK: &str = " It moves bodies under forces, holds no joints and knows no contacts.";

/// A method that is a plug-in. It remembers nothing from step to step.
#[derive(Clone, Debug)]
pub struct PluginMethod {
    name: &'static str,
    settings: Settings,
    report: StepReport,
}

/// Its description in a registry.
#[derive(Clone, Debug)]
struct Described(Settings);

/// A name that lasts as long as the program, which is what names of methods do. Each is kept once.
fn lasting(name: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    known.insert(name);
    name
}

pub(crate) fn register(program: Program, table: &mut Table<Box<dyn DescribeMethod>>) {
    let part = program.part.clone();
    table.register_described(part, move |given| Ok(Box::new(Described(program.with(given)?)) as _), |_| None);
}

impl DescribeMethod for Described {
    fn build(&self, _registry: &Registry) -> Result<Box<dyn Method>, ModelError> {
        let name = lasting(&self.0.program.description.name);
        Ok(Box::new(PluginMethod { name, settings: self.0.clone(), report: StepReport::default() }))
    }

    fn configure(&self, method: &mut dyn Method, _registry: &Registry) -> Result<(), ModelError> {
        let name = method.name();
        let own = &self.0.program.description.name;
        let method: &mut dyn std::any::Any = method;
        match method.downcast_mut::<PluginMethod>().filter(|_| name == *own) {
            Some(method) => {
                method.settings = self.0.clone();
                Ok(())
            }
            None => Err(ModelError::Invalid(format!("the settings of \"{own}\" do not fit the method \"{name}\""))),
        }
    }

    fn properties_of(&self, method: &dyn Method, _registry: &Registry) -> Option<Value> {
        let method: &dyn std::any::Any = method;
        method.downcast_ref::<PluginMethod>()?.settings.saved_by(&self.0.program)
    }
}

impl Method for PluginMethod {
    fn name(&self) -> &'static str {
        self.name
    }

    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let (model, dt) = (context.model, context.dt);
        let whole = |(id, _): &(tumble_dynamics::JointId, _)| !context.state.broken[id.slot()];
        if model.joints().iter().any(|joint| whole(&joint)) {
            return Err(StepError::Part(format!(
                "{} cannot hold joints; the methods of tumble can",
                self.settings.program.machine.label()
            )));
        }
        let roster = Roster::new(model);
        let bodies = self.advance(model, context.state, &roster, dt).map_err(StepError::Part)?;
        finite::check(model, &roster.movable, &bodies)?;
        finite::check(model, &roster.scripted, &bodies)?;
        context.state.bodies = bodies;
        context.index.all_moved();
        self.report = StepReport { dt, awake: roster.movable.len(), ..StepReport::default() };
        Ok(())
    }

    fn report(&self) -> StepReport {
        self.report
    }

    fn reset(&mut self) {
        self.report = StepReport::default();
    }

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

impl PluginMethod {
    /// The bodies at the end of a step.
    fn advance(&self, model: &Model, state: &State, roster: &Roster, dt: f64) -> Result<Vec<BodyState>, String> {
        let awake = |body: &BodyState| BodyState { asleep: false, quiet_time: 0.0, ..*body };
        let start: Vec<BodyState> = state.bodies.iter().map(awake).collect();
        let motion = FreeMotion::with_bodies(model, state, &start);
        let forces = |bodies: &[BodyState], time: f64| wrenches(&motion, model, &roster.movable, bodies, time);
        let (mut numbers, mut next) = (Vec::new(), Vec::new());
        for (body, state) in movable(model, &roster.movable, &start) {
            write_body(body, state, &mut numbers);
            write_motion(state, &mut next);
        }
        let (count, values) = (roster.movable.len(), &self.settings.values);
        let fuel = (FUEL[0] + FUEL[1] * count as u64).min(FUEL[2]);
        let machine = &self.settings.program.machine;
        machine.run(values.len() + count * (BODY + WRENCH + MOTION), |session| {
            let (properties, bodies) = (session.put(values)?, session.put(&numbers)?);
            let acting = session.put(&forces(&start, state.time))?;
            let next = session.put(&next)?;
            for index in 0..STAGES {
                let arguments = [
                    Val::I32(index),
                    properties.clone(),
                    Val::F64(dt.into()),
                    Val::I32(count as i32),
                    bodies.clone(),
                    acting.clone(),
                    next.clone(),
                ];
                let after = session.ask("stage", &arguments, fuel)?;
                let mut moved = start.clone();
                read(session, &next, (model, &roster.movable), &mut moved)?;
                let at = if after < 0.0 { state.time_after(dt) } else { state.time + after };
                scripts::follow(model, &roster.scripted, at, &mut moved);
                if after < 0.0 {
                    return Ok(moved);
                }
                if after > dt {
                    return Err(format!("asked for the forces {after} s after the beginning of a step of {dt} s"));
                }
                session.set(&acting, &forces(&moved, at))?;
            }
            Err(format!("did not end a step within {STAGES} calls"))
        })
    }
}

fn movable<'a>(
    model: &'a Model,
    ids: &'a [BodyId],
    bodies: &'a [BodyState],
) -> impl Iterator<Item = (&'a BodyModel, &'a BodyState)> {
    ids.iter().filter_map(|&id| Some((model.bodies().get(id)?, bodies.get(id.slot())?)))
}

/// Forces and torques on the movable bodies.
fn wrenches(motion: &FreeMotion<'_>, model: &Model, ids: &[BodyId], bodies: &[BodyState], time: f64) -> Vec<f64> {
    let mut accelerations = vec![Acceleration::default(); bodies.len()];
    motion.accelerations(time, bodies, &mut accelerations);
    let mut numbers = Vec::with_capacity(ids.len() * WRENCH);
    for &id in ids {
        let mass = model.bodies().get(id).map_or(0.0, |body| body.mass.mass);
        let Acceleration { linear, torque } = accelerations[id.slot()];
        numbers.extend((linear * mass).to_array());
        numbers.extend(torque.to_array());
    }
    numbers
}

/// Reads how the movable bodies move.
fn read(
    session: &Session<'_>,
    place: &Val,
    (model, ids): (&Model, &[BodyId]),
    bodies: &mut [BodyState],
) -> Result<(), String> {
    let numbers = session.get(place, ids.len() * MOTION, "the motion of a body")?;
    for (&id, numbers) in ids.iter().zip(numbers.chunks_exact(MOTION)) {
        let rotation = quaternion(&numbers[3..]);
        if (rotation.length() - 1.0).abs() > UNIT {
            return Err(format!("gave {rotation} for the rotation of a body, which must be a unit quaternion"));
        }
        let body = &mut bodies[id.slot()];
        (body.position, body.rotation) = (vector(numbers), rotation.normalize());
        (body.velocity, body.angular_velocity) = (vector(&numbers[7..]), vector(&numbers[10..]));
        if matches!(model.bodies().get(id).map(|body| &body.kind), Some(BodyKind::Particle)) {
            body.angular_velocity = glam::DVec3::ZERO;
        }
    }
    Ok(())
}
