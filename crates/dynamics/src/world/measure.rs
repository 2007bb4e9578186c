//! Energies, momenta and contact forces of a world.

use super::World;
use crate::force::ForceContext;
use crate::{BodyId, ModelError, Wrench};
use glam::DVec3;

/// The energy of a world in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// `Σ ½ m v² + ½ ω·Iω`.
    pub kinetic: f64,
    /// The sum over all forces that have a potential, and what is in the springs by which a method keeps bodies apart, in joules.
    pub potential: f64,
}

impl Energy {
    /// Kinetic and potential.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl World {
    /// The energy of all bodies and forces.
    pub fn energy(&self) -> Energy {
        let context = ForceContext { model: &self.model, time: self.state.time, bodies: &self.state.bodies };
        Energy {
            kinetic: self.bodies().map(|(_, body)| body.kinetic_energy()).sum(),
            potential: self.model.forces.iter().filter_map(|(_, force)| force.potential_energy(&context)).sum::<f64>()
                + self.method.stored_energy(),
        }
    }

    /// The force (N) and torque (N m, about its centre of mass) of all contacts on a body: the mean over the last step.
    pub fn contact_wrench(&self, id: BodyId) -> Result<Wrench, ModelError> {
        let center = self.body(id)?.center_of_mass();
        let mut sum = Wrench::default();
        self.visit_contacts_of(id, |contact| {
            let Wrench { force, torque } = contact.wrench_about(center);
            let on_second = contact.bodies[1] == id;
            sum += if on_second { Wrench { force, torque } } else { Wrench { force: -force, torque: -torque } };
        });
        Ok(sum)
    }

    /// The momentum of all bodies that forces move, in kg m/s.
    pub fn momentum(&self) -> DVec3 {
        self.bodies().map(|(_, body)| body.momentum()).sum()
    }

    /// The angular momentum of all bodies that forces move about a world point, in kg m²/s.
    pub fn angular_momentum(&self, about: impl Into<DVec3>) -> DVec3 {
        let about = about.into();
        self.bodies().map(|(_, body)| (body.center_of_mass() - about).cross(body.momentum()) + body.spin()).sum()
    }
}
