//! Energies and momenta of a world.

use super::World;
use crate::force::ForceContext;
use glam::DVec3;

/// The energy of a world in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// `Σ ½ m v² + ½ ω·Iω`.
    pub kinetic: f64,
    /// The sum over all forces that have a potential.
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
            potential: self.model.forces.iter().filter_map(|(_, force)| force.potential_energy(&context)).sum(),
        }
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
