//! Exact integrals over polyhedra and over surfaces of triangles.
//!
//! A closed surface is the boundary of the signed sum of the tetrahedra that its triangles span with any reference
//! point: those facing away from the point count positive, those facing it negative, and what lies outside cancels. The
//! moments of a tetrahedron are polynomials in its corners, so the sum is exact. The reference point is first the middle
//! of the bounding box and then the centre so found: nothing large cancels in the inertia, wherever the body is.
//!
//! A surface that is inside out gives a negative volume and is turned around; cavities (inner surfaces that are oriented
//! towards the hole) are subtracted as they should be.

use super::MassProperties;
use super::moments::{MomentSum, Moments};
use crate::{Aabb, GeometryError, Triangle};
use glam::DVec3;

/// The properties at unit density of the solid inside a closed surface.
pub(crate) fn solid(what: &'static str, triangles: &[Triangle]) -> Result<MassProperties, GeometryError> {
    let bounds = bounds(triangles);
    let properties = about_center(bounds.center(), |reference| {
        let mut sum = MomentSum::default();
        for triangle in triangles {
            let [a, b, c] = triangle.vertices.map(|v| v - reference);
            // Six times the volume, a · (b × c), from edges: they carry more digits than differences of far products.
            let volume = a.dot((b - a).cross(c - a)) / 6.0;
            sum.add_simplex(volume, [DVec3::ZERO, a, b, c]);
        }
        sum.moments()
    });
    // What rounding alone makes of a flat body.
    let noise = 1e-15 * surface_area(triangles) * bounds.extents().length();
    if properties.mass > noise {
        Ok(properties)
    } else {
        Err(GeometryError::Degenerate { what, why: format!("encloses no volume ({} m³)", properties.mass) })
    }
}

/// The properties at unit area density of an infinitely thin sheet.
pub(super) fn shell(what: &'static str, triangles: &[Triangle]) -> Result<MassProperties, GeometryError> {
    let properties = about_center(bounds(triangles).center(), |reference| {
        let mut sum = MomentSum::default();
        for triangle in triangles {
            sum.add_simplex(area(triangle), triangle.vertices.map(|v| v - reference));
        }
        sum.moments()
    });
    if properties.mass > 0.0 {
        Ok(properties)
    } else {
        Err(GeometryError::Degenerate { what, why: format!("has no area ({} m²)", properties.mass) })
    }
}

/// Integrates about `start`, then about the centre found.
fn about_center(start: DVec3, integrate: impl Fn(DVec3) -> Moments) -> MassProperties {
    let moments = integrate(start);
    if moments.measure == 0.0 {
        return moments.properties(start);
    }
    let center = start + moments.centroid();
    integrate(center).properties(center)
}

fn bounds(triangles: &[Triangle]) -> Aabb {
    Aabb::from_points(triangles.iter().flat_map(|triangle| triangle.vertices))
}

fn surface_area(triangles: &[Triangle]) -> f64 {
    triangles.iter().map(area).sum()
}

fn area(triangle: &Triangle) -> f64 {
    let [a, b, c] = triangle.vertices;
    0.5 * (b - a).cross(c - a).length()
}
