//! How the weight of a body is shared among the suspensions that bear it.
//!
//! A spring "of 2 Hz" means the frequency of the mass it carries, so a suspension has to know how much that is. n suspensions at
//! places rᵢ across their direction, from the centre of mass, bear nᵢ kilograms with
//!
//! ```text
//! Σ nᵢ = m,   Σ nᵢ rᵢ = 0                                              the body neither sinks nor tips
//! ```
//!
//! Three and fewer have one solution. Of the many that more have, springs of equal stiffness choose the one with the least Σ nᵢ²,
//! which is linear in the place (least squares): `nᵢ = a + b·rᵢ`, with a and b from the three equations. Where all stand in a line (a
//! bicycle) or on a point, b has no part in the directions they do not span.

use super::World;
use crate::constraint::Bearing;
use crate::journal::{Change, JointChange};
use crate::model::JointEnd;
use crate::{BodyId, JointId};
use glam::{DMat3, DVec3};
use tumble_geometry::math::orthonormal_pair;

/// A suspension bears at least this part of what it would if all bore the same, wherever the centre of mass is.
const LEAST_SHARE: f64 = 0.1;

/// Places are taken for one line if they are this much narrower across than along it.
const NARROW: f64 = 1e-6;

impl World {
    /// Tells the suspensions of a body how much of it they bear.
    pub(super) fn share_load(&mut self, body: BodyId) {
        let Some(model) = self.model.bodies.get(body) else { return };
        let bearing = |&id: &JointId| {
            let joint = self.model.joints.get(id).filter(|joint| joint.ends[0] == JointEnd::Body(body))?;
            Some((id, joint.constraint.bears()?))
        };
        let found: Vec<(JointId, Bearing)> = model.joints.iter().filter_map(bearing).collect();
        if found.is_empty() {
            return;
        }
        let mass = if model.kind.is_movable() { model.mass.mass } else { 0.0 };
        let bearings: Vec<Bearing> = found.iter().map(|(_, bearing)| *bearing).collect();
        let shares = shares(&bearings, model.mass.center, mass);
        for ((id, _), share) in found.into_iter().zip(shares) {
            let Some(joint) = self.model.joints.get(id) else { continue };
            if let Some(changed) = joint.constraint.bearing(share) {
                if let Some(joint) = self.model.joints.get_mut(id) {
                    joint.constraint = changed;
                }
                self.note(Change::Joint(id, JointChange::Steered));
            }
        }
    }

    /// Likewise for the bodies at the ends of a joint.
    pub(super) fn share_loads(&mut self, ends: [JointEnd; 2]) {
        for end in ends {
            if let JointEnd::Body(body) = end {
                self.share_load(body);
            }
        }
    }
}

/// How many kilograms of a body with this centre of mass each suspension bears.
fn shares(bearings: &[Bearing], center: DVec3, mass: f64) -> Vec<f64> {
    let sum: DVec3 = bearings.iter().map(|bearing| bearing.axis).sum();
    let (u, v) = orthonormal_pair(sum.try_normalize().unwrap_or(DVec3::Y));
    let places: Vec<DVec3> = bearings
        .iter()
        .map(|bearing| {
            let arm = bearing.point - center;
            DVec3::new(1.0, arm.dot(u), arm.dot(v))
        })
        .collect();
    let size = places.iter().map(|place| (place.y * place.y + place.z * place.z).sqrt()).fold(0.0, f64::max);
    let unit = if size > 0.0 && size.is_finite() { 1.0 / size } else { 0.0 };
    let places: Vec<DVec3> = places.iter().map(|place| DVec3::new(1.0, place.y * unit, place.z * unit)).collect();
    // Σ [1, r][1, r]ᵀ; the small addition decides what the equations do not.
    let mut normal = DMat3::from_diagonal(DVec3::new(0.0, NARROW, NARROW));
    for place in &places {
        normal += DMat3::from_cols(*place * place.x, *place * place.y, *place * place.z);
    }
    let coefficients = normal.inverse() * DVec3::new(mass, 0.0, 0.0);
    let equal = mass / bearings.len() as f64;
    let share = |place: &DVec3| {
        let share = coefficients.dot(*place);
        if share.is_finite() { share.max(LEAST_SHARE * equal) } else { equal }
    };
    places.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(places: &[[f64; 2]]) -> Vec<Bearing> {
        places.iter().map(|&[x, z]| Bearing { point: DVec3::new(x, 0.3, z), axis: DVec3::Y }).collect()
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3 * b.abs()), "{found:?} {expected:?}");
    }

    #[test]
    fn weight_is_shared_by_levers() {
        let car = at(&[[1.0, 0.7], [1.0, -0.7], [-1.0, 0.7], [-1.0, -0.7]]);
        close(&shares(&car, DVec3::ZERO, 1000.0), &[250.0; 4]);
        // The centre of mass a quarter of the wheelbase nearer to the front.
        close(&shares(&car, DVec3::X * 0.5, 1000.0), &[375.0, 375.0, 125.0, 125.0]);
        close(&shares(&at(&[[0.6, 0.0], [-0.4, 0.0]]), DVec3::ZERO, 90.0), &[36.0, 54.0]);
        close(&shares(&at(&[[0.0, 0.0]]), DVec3::ZERO, 90.0), &[90.0]);
        // A tricycle with the centre of mass over its middle.
        close(&shares(&at(&[[1.0, 0.0], [-0.5, 0.5], [-0.5, -0.5]]), DVec3::ZERO, 60.0), &[20.0; 3]);
    }

    #[test]
    fn nobody_bears_less_than_nothing() {
        let cart = at(&[[1.0, 0.5], [1.0, -0.5], [0.5, 0.0]]);
        assert!(shares(&cart, DVec3::X * -9.0, 10.0).iter().all(|&share| share > 0.0));
        assert!(shares(&cart, DVec3::X * 1e300, 10.0).iter().all(|share| share.is_finite()));
    }
}
