//! The contact constraint: what one point of a contact manifold demands.
//!
//! Bodies 1 and 2 touch at p with the unit normal n out of 1 into 2; r₁ = p − x₁, r₂ = p − x₂. With the gap g (negative:
//! overlap):
//!
//! - **normal** `c = g ≥ 0`, `J = (−n, −r₁×n, n, r₂×n)`, λ ≥ 0 (K B.4.5, T B.2);
//! - **friction** two rows along tangents t, `J = (−t, −r₁×t, t, r₂×t)`, whose λ together form a vector no longer than
//!   μ λ_normal: the circular cone of Coulomb, not a pyramid;
//! - **rolling friction** two angular rows `J = (0, −t, 0, t)` with |λ| ≤ ρ λ_normal, where ρ is a lever arm in metres;
//! - **spinning friction** one angular row `J = (0, −n, 0, n)` with |λ| ≤ σ λ_normal.

use super::{BodyView, Jacobian, Limit, Row};
use crate::model::ContactMaterial;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::math::orthonormal_pair;

/// One point of contact between two bodies, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactGeometry {
    /// Where they touch, half-way between the surfaces.
    pub position: DVec3,
    /// The unit normal out of the first body into the second.
    pub normal: DVec3,
    /// The gap in metres; negative for overlap.
    pub gap: f64,
}

/// The rows of a contact point, in this order; rolling and spinning rows only where the material has such friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactRows {
    /// How many rows were written: 3, plus 2 with rolling friction, plus 1 with spinning friction.
    pub count: usize,
    /// Whether there are rolling rows.
    pub rolling: bool,
    /// Whether there is a spinning row.
    pub spinning: bool,
}

/// The Jacobian of the relative velocity along `direction` of the two bodies at `point`.
pub fn point_jacobian(bodies: &[BodyView; 2], point: DVec3, direction: DVec3) -> Jacobian {
    let lever = bodies.map(|body| point - body.center);
    Jacobian { linear: [-direction, direction], angular: [-lever[0].cross(direction), lever[1].cross(direction)] }
}

/// The Jacobian of the relative angular velocity along `axis`.
pub fn angular_jacobian(axis: DVec3) -> Jacobian {
    Jacobian { linear: [DVec3::ZERO; 2], angular: [-axis, axis] }
}

/// Appends the rows of a contact point: normal, two tangents, then rolling and spinning rows if the material asks for
/// them. `rows` must not hold rows of other constraints: cones refer to the normal row by its place in the list.
pub fn contact_rows(
    bodies: &[BodyView; 2],
    contact: &ContactGeometry,
    material: &ContactMaterial,
    rows: &mut Vec<Row>,
) -> ContactRows {
    let normal = rows.len();
    let n = contact.normal;
    let (u, v) = orthonormal_pair(n);
    rows.push(Row {
        jacobian: point_jacobian(bodies, contact.position, n),
        error: contact.gap,
        limit: Limit::AtLeastZero,
        ..Row::default()
    });
    let cone = |rows, stick, slip| Limit::Cone { normal, rows, stick, slip };
    let friction = cone(2, material.static_friction, material.dynamic_friction);
    let mut push = |jacobian, limit| rows.push(Row { jacobian, limit, ..Row::default() });
    push(point_jacobian(bodies, contact.position, u), friction);
    push(point_jacobian(bodies, contact.position, v), Limit::ConeMember);
    let rolling = material.rolling_friction > 0.0;
    if rolling {
        push(angular_jacobian(u), cone(2, material.rolling_friction, material.rolling_friction));
        push(angular_jacobian(v), Limit::ConeMember);
    }
    let spinning = material.spinning_friction > 0.0;
    if spinning {
        push(angular_jacobian(n), cone(1, material.spinning_friction, material.spinning_friction));
    }
    ContactRows { count: rows.len() - normal, rolling, spinning }
}
