//! Forces that are plug-ins.
//!
//! `force(properties, time: f64, count, bodies, out)` sees the bodies that it acts on and writes six numbers for each: a force in newtons and
//! a torque about the centre of mass in newton metres, in world coordinates. `out` is zero at first.

use crate::layout::{BODY, vector, write_body};
use crate::part::{Program, Settings};
use serde_json::Value;
use std::sync::Arc;
use tumble_dynamics::force::{Force, ForceContext, Target, Wrenches};
use tumble_dynamics::registry::Table;
use tumble_geometry::Fuse;
use wasmi::Val;

/// Numbers of a force and a torque.
const WRENCH: usize = 6;
/// Instructions for a call, and further ones for each body.
const FUEL: [u64; 2] = [1_000_000, 20_000];

/// A force that is a plug-in.
#[derive(Clone, Debug)]
pub struct PluginForce {
    settings: Settings,
    on: Target,
}

pub(crate) fn register(program: Program, table: &mut Table<Arc<dyn Force>>) {
    let part = program.part.clone();
    let other = program.clone();
    table.register_described(
        part,
        move |given| {
            let on = given.get("on").cloned().unwrap_or_else(|| Value::String("all".into()));
            let on = serde_json::from_value(on).map_err(|error| format!("`on`: {error}"))?;
            Ok(Arc::new(PluginForce { settings: program.with(given)?, on }) as _)
        },
        move |part| part.downcast_ref::<PluginForce>()?.settings.saved_by(&other),
    );
}

impl PluginForce {
    /// The slots of the bodies it acts on, and the numbers of these bodies.
    fn bodies(&self, context: &ForceContext<'_>) -> (Vec<usize>, Vec<f64>) {
        let (mut slots, mut numbers) = (Vec::new(), Vec::new());
        for (slot, model, state) in self.on.bodies(context) {
            slots.push(slot);
            write_body(model, state, &mut numbers);
        }
        (slots, numbers)
    }

    fn wrenches(&self, time: f64, count: usize, bodies: &[f64]) -> Result<Vec<f64>, String> {
        let values = &self.settings.values;
        let room = values.len() + count * (BODY + WRENCH);
        self.settings.program.machine.run(room, |session| {
            let (properties, bodies) = (session.put(values)?, session.put(bodies)?);
            let out = session.room(count * WRENCH);
            let arguments = [properties, Val::F64(time.into()), Val::I32(count as i32), bodies, out.clone()];
            session.call("force", &arguments, FUEL[0] + FUEL[1] * count as u64)?;
            session.get(&out, count * WRENCH, "a force or torque")
        })
    }

    fn energy(&self, time: f64, count: usize, bodies: &[f64]) -> Result<f64, String> {
        let values = &self.settings.values;
        self.settings.program.machine.run(values.len() + count * BODY, |session| {
            let (properties, bodies) = (session.put(values)?, session.put(bodies)?);
            let arguments = [properties, Val::F64(time.into()), Val::I32(count as i32), bodies];
            session.ask("energy", &arguments, FUEL[0] + FUEL[1] * count as u64)
        })
    }
}

impl Force for PluginForce {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        let (slots, bodies) = self.bodies(context);
        if slots.is_empty() {
            return;
        }
        let result = self.wrenches(context.time, slots.len(), &bodies);
        let Some(numbers) = self.settings.or_blow(result) else { return };
        for (&slot, numbers) in slots.iter().zip(numbers.chunks_exact(WRENCH)) {
            wrenches.add_force(slot, vector(numbers));
            wrenches.add_torque(slot, vector(&numbers[3..]));
        }
    }

    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        if !self.settings.program.machine.has("energy") {
            return None;
        }
        let (slots, bodies) = self.bodies(context);
        self.settings.or_blow(self.energy(context.time, slots.len(), &bodies))
    }

    fn fuse(&self) -> Option<&Fuse> {
        Some(&self.settings.fuse)
    }
}
