//! Convex shapes that are plug-ins, given by their support mapping.
//!
//! `support(properties, x: f64, y: f64, z: f64, out)` writes the point of the shape that lies farthest along (x, y, z). The origin must
//! lie inside. When a shape is made it is asked in many directions, and the answers are held against each other.

use crate::layout::vector;
use crate::part::{Program, Settings};
use glam::DVec3;
use std::sync::Arc;
use tumble_dynamics::registry::Table;
use tumble_geometry::Fuse;
use tumble_geometry::shape::{Custom, SupportMap};
use wasmi::Val;

/// Instructions for a call.
const FUEL: u64 = 200_000;

/// What lists say of shapes that are plug-ins.
pub(crate) const REMARK: &str = " Convex, with the origin inside.";

/// Kinds of shapes that scene files have anyway.
pub(crate) const BUILT_IN: [&str; 12] = [
    "sphere",
    "box",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "torus",
    "hull",
    "half_space",
    "mesh",
    "height_field",
    "compound",
];

/// A shape that is a plug-in.
#[derive(Clone, Debug)]
pub struct PluginShape {
    settings: Settings,
}

pub(crate) fn register(program: Program, table: &mut Table<Arc<dyn SupportMap>>) {
    let part = program.part.clone();
    let other = program.clone();
    table.register_described(
        part,
        move |given| {
            let shape = Arc::new(PluginShape { settings: program.with(given)? });
            let checked = Custom::new(shape.clone());
            match (shape.settings.fuse.mend(), checked) {
                (Some(problem), _) => Err(problem),
                (None, Err(problem)) => Err(format!("{}: {problem}", program.machine.label())),
                (None, Ok(_)) => Ok(shape as _),
            }
        },
        move |part| part.downcast_ref::<PluginShape>()?.settings.saved_by(&other),
    );
}

impl PluginShape {
    fn farthest(&self, direction: DVec3) -> Result<DVec3, String> {
        let values = &self.settings.values;
        self.settings.program.machine.run(values.len() + 3, |session| {
            let properties = session.put(values)?;
            let out = session.room(3);
            let [x, y, z] = direction.to_array().map(|number| Val::F64(number.into()));
            session.call("support", &[properties, x, y, z, out.clone()], FUEL)?;
            Ok(vector(&session.get(&out, 3, "a point")?))
        })
    }
}

impl SupportMap for PluginShape {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.settings.or_blow(self.farthest(direction)).unwrap_or(DVec3::ZERO)
    }

    fn fuse(&self) -> Option<&Fuse> {
        Some(&self.settings.fuse)
    }
}
