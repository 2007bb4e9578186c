//! Forces between all pairs of bodies that fall off with the square of the distance (K 3.1.2, G 3.10.3).
//!
//! With d from one body to the other and the softening ε, which keeps the force finite where they meet (Plummer):
//!
//! ```text
//! gravitation:  F = G m₁ m₂ d / (|d|² + ε²)^{3/2}     towards each other,      E = −G m₁ m₂ / √(|d|² + ε²)
//! Coulomb:      F = k q₁ q₂ d / (|d|² + ε²)^{3/2}     away if the signs agree,  E = k q₁ q₂ / √(|d|² + ε²)
//! ```
//!
//! They act between centres of mass. Every pair is looked at once: the cost grows with the square of the number of bodies.

use super::{Force, ForceContext, Target, Wrenches};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every body attracts every other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gravitation {
    /// The bodies among which it acts. Default: all.
    pub on: Target,
    /// The gravitational constant G. Default 6.6743e-11, that of nature.
    #[schemars(extend("unit" = "m³/(kg s²)"))]
    pub constant: f64,
    /// The softening length ε in metres. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub softening: f64,
}

impl Default for Gravitation {
    fn default() -> Self {
        Self { on: Target::All, constant: 6.6743e-11, softening: 0.0 }
    }
}

/// Charged bodies attract and repel each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Coulomb {
    /// Charges by the name of a body or of a collision group, in coulombs; a body has the sum of those that are its own. Default: none.
    #[schemars(extend("unit" = "C"))]
    pub charges: BTreeMap<String, f64>,
    /// Coulomb's constant k. Default 8.9875517873681764e9, that of the vacuum.
    #[schemars(extend("unit" = "N m²/C²"))]
    pub constant: f64,
    /// The softening length ε in metres. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub softening: f64,
}

impl Default for Coulomb {
    fn default() -> Self {
        Self { charges: BTreeMap::new(), constant: 8.987_551_787_368_176e9, softening: 0.0 }
    }
}

/// A body with what it attracts or repels by.
struct Source {
    slot: usize,
    position: DVec3,
    strength: f64,
}

/// Calls `visit(first, second, d, 1/√(|d|² + ε²))` for every pair.
fn each_pair(sources: &[Source], softening: f64, mut visit: impl FnMut(&Source, &Source, DVec3, f64)) {
    for (index, first) in sources.iter().enumerate() {
        for second in &sources[index + 1..] {
            let d = second.position - first.position;
            let reach = (d.length_squared() + softening * softening).sqrt();
            if reach > 0.0 {
                visit(first, second, d, 1.0 / reach);
            }
        }
    }
}

/// Pushes the bodies of every pair apart by `factor` times their strengths over the square of the distance.
fn push_apart(sources: &[Source], softening: f64, factor: f64, wrenches: &mut Wrenches) {
    each_pair(sources, softening, |first, second, d, inverse| {
        let force = d * (factor * first.strength * second.strength * inverse * inverse * inverse);
        wrenches.add_force(first.slot, -force);
        wrenches.add_force(second.slot, force);
    });
}

fn energy(sources: &[Source], softening: f64, factor: f64) -> f64 {
    let mut sum = 0.0;
    each_pair(sources, softening, |first, second, _, inverse| {
        sum += factor * first.strength * second.strength * inverse
    });
    sum
}

impl Gravitation {
    fn sources(&self, context: &ForceContext<'_>) -> Vec<Source> {
        let source = |(slot, body, state): (usize, &crate::model::BodyModel, &crate::BodyState)| Source {
            slot,
            position: state.position,
            strength: body.mass.mass,
        };
        self.on.bodies(context).map(source).collect()
    }
}

impl Force for Gravitation {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        push_apart(&self.sources(context), self.softening, -self.constant, wrenches);
    }

    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        Some(energy(&self.sources(context), self.softening, -self.constant))
    }
}

impl Coulomb {
    /// Charged bodies, fixed and scripted ones too: they push though nothing pushes them.
    fn sources(&self, context: &ForceContext<'_>) -> Vec<Source> {
        let bodies = context.model.bodies().iter();
        let charged = bodies.filter_map(|(id, body)| {
            let own = std::iter::once(&body.name).chain(&body.groups);
            let strength: f64 = own.filter_map(|name| self.charges.get(name)).sum();
            let slot = crate::Id::slot(id);
            (strength != 0.0).then(|| Source { slot, position: context.bodies[slot].position, strength })
        });
        charged.collect()
    }
}

impl Force for Coulomb {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        push_apart(&self.sources(context), self.softening, self.constant, wrenches);
    }

    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        Some(energy(&self.sources(context), self.softening, self.constant))
    }
}
