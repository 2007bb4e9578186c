//! The columns of tables: time, energies, contacts, and thirteen numbers for each body.

use crate::Scene;
use tumble_dynamics::{BodyId, World};

/// The numbers recorded of a body, as endings of column names: position, orientation, velocity, angular velocity.
pub(crate) const OF_BODY: [&str; 13] = ["x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz"];

/// The columns that do not belong to a body.
pub(crate) const GENERAL: [&str; 6] = ["time", "kinetic", "potential", "energy", "contacts", "awake"];

/// Which columns a table has.
#[derive(Clone, Debug)]
pub struct Columns {
    bodies: Vec<BodyId>,
    names: Vec<String>,
}

impl Columns {
    /// The columns for the bodies a scene wants recorded: `time` in s, `kinetic`, `potential` and `energy` in J, the
    /// number of `contacts` and of bodies that are `awake`; then `NAME.x` and so on, in SI units: `x`, `y`, `z` of the
    /// body's origin, its quaternion `qx`, `qy`, `qz`, `qw`, the velocity `vx`, `vy`, `vz` of its centre of mass and the
    /// angular velocity `wx`, `wy`, `wz`.
    pub fn of(scene: &Scene) -> Self {
        Self::of_bodies(&scene.world, super::selected(scene))
    }

    /// The columns for given bodies.
    pub fn of_bodies(world: &World, bodies: Vec<BodyId>) -> Self {
        let mut names: Vec<String> = GENERAL.map(str::to_owned).to_vec();
        for &id in &bodies {
            let name = world.body(id).map_or(String::new(), |body| body.model().name.clone());
            names.extend(OF_BODY.iter().map(|ending| format!("{name}.{ending}")));
        }
        Self { bodies, names }
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The numbers of the columns for the world as it is.
    pub fn row(&self, world: &World, row: &mut Vec<f64>) {
        row.clear();
        let energy = world.energy();
        let awake = world.bodies().filter(|(_, body)| body.mass() > 0.0 && !body.is_asleep()).count();
        row.extend([world.time(), energy.kinetic, energy.potential, energy.total()]);
        row.extend([world.contacts().count() as f64, awake as f64]);
        for &id in &self.bodies {
            match world.body(id) {
                Ok(body) => {
                    row.extend(body.position().to_array());
                    row.extend(body.rotation().to_array());
                    row.extend(body.velocity().to_array());
                    row.extend(body.angular_velocity().to_array());
                }
                Err(_) => row.extend([0.0; OF_BODY.len()]),
            }
        }
    }
}
