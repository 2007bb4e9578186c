//! Mass properties of anything that can say whether a point is inside: sampling on a regular grid.

use super::MassProperties;
use super::moments::MomentSum;
use super::properties::{checked_positive, checked_result};
use crate::{Aabb, GeometryError};
use glam::DVec3;

/// The most grid cells along one axis.
const MAX_CELLS: usize = 2048;

/// The mass properties of the points in `bounds` for which `contains` holds, at `density` kg/m³.
///
/// The box is divided into nearly cubic cells, `cells` along its longest edge (clamped to 1..=2048). Each cell whose
/// midpoint is inside counts as a solid cell, with its own inertia, not just as a point. Deterministic. The error of the
/// volume falls roughly as `cells`⁻¹·⁵ for bodies with curved surfaces; the work grows as `cells`³.
///
/// ```
/// use tumble_geometry::{Aabb, glam::DVec3, mass};
///
/// // A torus around y, with radii 1 m and 0.25 m.
/// let torus = |p: DVec3| {
///     let ring = (p.x * p.x + p.z * p.z).sqrt() - 1.0;
///     ring * ring + p.y * p.y <= 0.0625
/// };
/// let bounds = Aabb::from_center(DVec3::ZERO, DVec3::new(1.25, 0.25, 1.25));
/// let sampled = mass::sample(torus, &bounds, 200, 1000.0)?;
/// assert!((sampled.mass / 1233.70055 - 1.0).abs() < 2e-3);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn sample(
    contains: impl Fn(DVec3) -> bool,
    bounds: &Aabb,
    cells: usize,
    density: f64,
) -> Result<MassProperties, GeometryError> {
    checked_positive("density", density)?;
    let extents = bounds.extents();
    for extent in extents.to_array() {
        checked_positive("edge of the sampled box", extent)?;
    }
    let edge = extents.max_element() / cells.clamp(1, MAX_CELLS) as f64;
    let [nx, ny, nz] = extents.to_array().map(|extent| ((extent / edge).round() as usize).clamp(1, MAX_CELLS));
    let cell = extents / DVec3::new(nx as f64, ny as f64, nz as f64);
    let volume = cell.x * cell.y * cell.z;
    let center = bounds.center();
    let mut sum = MomentSum::default();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                let from_min = DVec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * cell;
                let offset = from_min - 0.5 * extents;
                if contains(center + offset) {
                    sum.add_box(volume, offset, cell);
                }
            }
        }
    }
    let moments = sum.moments();
    if moments.measure == 0.0 {
        let why = format!("contains none of the {} sampled points", nx * ny * nz);
        return Err(GeometryError::Degenerate { what: "sampled body", why });
    }
    let unit = moments.properties(center);
    checked_result(unit.scaled_to_mass(density * unit.mass)?)
}
