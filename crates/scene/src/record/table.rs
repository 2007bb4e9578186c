//! The columns of tables: time, energies, contacts, thirteen numbers for each body, and what else a scene asks for.

use crate::Scene;
use crate::format::ColumnFile;
use glam::DVec3;
use std::cell::RefCell;
use tumble_dynamics::{BodyId, JointId, World};

/// The numbers recorded of a body, as endings of column names: position, orientation, velocity, angular velocity.
pub(crate) const OF_BODY: [&str; 13] = ["x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz"];

/// What is recorded of a method that controls its error.
const OF_ACCURACY: [&str; 6] =
    ["integration_step", "step_error", "total_error", "integration_steps", "events", "stumbled"];

/// The columns that do not belong to a body.
pub(crate) const GENERAL: [&str; 6] = ["time", "kinetic", "potential", "energy", "contacts", "awake"];

/// Which columns a table has.
#[derive(Clone, Debug)]
pub struct Columns {
    bodies: Vec<BodyId>,
    /// What is asked for besides, in the order of the file.
    more: Vec<More>,
    names: Vec<String>,
    /// Time, velocities and angular velocities of the frame before.
    before: RefCell<Option<(f64, Vec<[DVec3; 2]>)>>,
}

/// Columns that a scene asks for.
#[derive(Clone, Debug)]
enum More {
    Step,
    Kinetic,
    Acceleration,
    ContactForce,
    /// A coordinate of a joint, by name.
    Coordinate(JointId, &'static str),
    Reaction(JointId),
    Gap(JointId),
    Accuracy,
}

impl Columns {
    /// The columns for the bodies a scene wants recorded: `time` in s, `kinetic`, `potential` and `energy` in J, the
    /// number of `contacts` and of bodies that are `awake`; then `NAME.x` and so on, in SI units: `x`, `y`, `z` of the
    /// body's origin, its quaternion `qx`, `qy`, `qz`, `qw`, the velocity `vx`, `vy`, `vz` of its centre of mass and the
    /// angular velocity `wx`, `wy`, `wz`; then the [`columns`](crate::format::RecordingFile::columns) it asks for.
    pub fn of(scene: &Scene) -> Self {
        let mut columns = Self::of_bodies(&scene.world, super::selected(scene));
        let mut known = Vec::new();
        for &wanted in &scene.recording.columns {
            if !known.contains(&wanted) {
                known.push(wanted);
                columns.add(&scene.world, wanted);
            }
        }
        columns
    }

    /// The columns for given bodies.
    pub fn of_bodies(world: &World, bodies: Vec<BodyId>) -> Self {
        let mut columns =
            Self { bodies, more: Vec::new(), names: GENERAL.map(str::to_owned).to_vec(), before: RefCell::default() };
        columns.name_bodies(world, &OF_BODY);
        columns
    }

    fn name_bodies(&mut self, world: &World, endings: &[&str]) {
        for &id in &self.bodies {
            let name = world.body(id).map_or(String::new(), |body| body.model().name.clone());
            self.names.extend(endings.iter().map(|ending| format!("{name}.{ending}")));
        }
    }

    fn add(&mut self, world: &World, wanted: ColumnFile) {
        match wanted {
            ColumnFile::Step => {
                self.names.push("dt".into());
                self.more.push(More::Step);
            }
            ColumnFile::KineticEnergy => {
                self.name_bodies(world, &["kinetic"]);
                self.more.push(More::Kinetic);
            }
            ColumnFile::Acceleration => {
                self.name_bodies(world, &["ax", "ay", "az", "angular_ax", "angular_ay", "angular_az"]);
                self.more.push(More::Acceleration);
            }
            ColumnFile::ContactForce => {
                self.name_bodies(
                    world,
                    &["contact_fx", "contact_fy", "contact_fz", "contact_tx", "contact_ty", "contact_tz"],
                );
                self.more.push(More::ContactForce);
            }
            ColumnFile::JointCoordinates => {
                for (id, joint) in world.joints() {
                    for coordinate in joint.coordinates() {
                        let name = format!("{}.{}", joint.model().name, coordinate.name);
                        self.names.extend([format!("{name}_speed"), name].into_iter().rev());
                        self.more.push(More::Coordinate(id, coordinate.name));
                    }
                }
            }
            ColumnFile::Reactions => {
                for (id, joint) in world.joints() {
                    let ending = |ending: &&str| format!("{}.{ending}", joint.model().name);
                    self.names.extend(["fx", "fy", "fz", "tx", "ty", "tz"].iter().map(ending));
                    self.more.push(More::Reaction(id));
                }
            }
            ColumnFile::JointErrors => {
                for (id, joint) in world.joints() {
                    self.names.push(format!("{}.error", joint.model().name));
                    self.more.push(More::Gap(id));
                }
            }
            ColumnFile::Accuracy => {
                self.names.extend(OF_ACCURACY.map(str::to_owned));
                self.more.push(More::Accuracy);
            }
        }
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many bodies have columns.
    pub(crate) fn bodies(&self) -> usize {
        self.bodies.len()
    }

    /// The numbers of the columns for the world as it is. Bodies and joints that are gone have zeros. Accelerations are the
    /// change of velocities since the row before, by the time between.
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
        self.more.iter().for_each(|more| self.extend(more, world, row));
    }

    fn extend(&self, more: &More, world: &World, row: &mut Vec<f64>) {
        let six = |row: &mut Vec<f64>, pair: [DVec3; 2]| row.extend(pair.into_iter().flat_map(|v| v.to_array()));
        match *more {
            More::Step => row.push(world.state().clock.dt),
            More::Kinetic => {
                row.extend(self.bodies.iter().map(|&id| world.body(id).map_or(0.0, |body| body.kinetic_energy())));
            }
            More::Acceleration => self.accelerations(world).into_iter().for_each(|pair| six(row, pair)),
            More::ContactForce => {
                for &id in &self.bodies {
                    let wrench = world.contact_wrench(id).unwrap_or_default();
                    six(row, [wrench.force, wrench.torque]);
                }
            }
            More::Coordinate(id, name) => {
                let found = world.joint(id).ok().and_then(|joint| joint.coordinate(name));
                row.extend(found.map_or([0.0; 2], |found| [found.measure.value, found.measure.rate]));
            }
            More::Reaction(id) => {
                let reaction = world.joint(id).map(|joint| joint.reaction()).unwrap_or_default();
                six(row, [reaction.force, reaction.torque]);
            }
            More::Accuracy => {
                let accuracy = world.report().accuracy;
                row.extend([accuracy.step, accuracy.error, accuracy.total_error]);
                row.extend([accuracy.steps as f64, accuracy.events as f64, accuracy.stumbled]);
            }
            More::Gap(id) => row.push(world.joint(id).map_or(0.0, |joint| joint.error())),
        }
    }

    fn accelerations(&self, world: &World) -> Vec<[DVec3; 2]> {
        let velocity =
            |&id: &BodyId| world.body(id).map_or([DVec3::ZERO; 2], |body| [body.velocity(), body.angular_velocity()]);
        let now: Vec<[DVec3; 2]> = self.bodies.iter().map(velocity).collect();
        let before = self.before.borrow_mut().replace((world.time(), now.clone()));
        let Some((time, before)) = before.filter(|(time, _)| *time < world.time()) else {
            return vec![[DVec3::ZERO; 2]; now.len()];
        };
        let passed = world.time() - time;
        now.iter().zip(&before).map(|(now, before)| [0, 1].map(|i: usize| (now[i] - before[i]) / passed)).collect()
    }
}
