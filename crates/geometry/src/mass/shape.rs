//! Which formula belongs to which shape.

use super::properties::{checked_positive, checked_result};
use super::{MassProperties, polyhedron, primitive};
use crate::shape::{Compound, Mesh};
use crate::{GeometryError, Shape, Triangle};

impl Shape {
    /// The volume in m³; `None` for shapes without one: half-space, open mesh, height field, and compounds with such a
    /// part. Parts of a compound that overlap count twice.
    pub fn volume(&self) -> Option<f64> {
        if self.is_solid() { unit_density(self).ok().map(|unit| unit.mass) } else { None }
    }

    /// Mass, centre and inertia of the shape filled with `density` kg/m³; for open meshes and height fields, covered
    /// with `density` kg/m².
    ///
    /// An error if the shape is a half-space, which is endless, or encloses nothing, or if `density` is not positive.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, GeometryError> {
        checked_positive("density", density)?;
        let unit = unit_density(self)?;
        checked_result(MassProperties { mass: unit.mass * density, inertia: unit.inertia * density, ..unit })
    }

    /// Centre and inertia of the shape if it weighs `mass` kilograms, evenly spread.
    pub fn mass_properties_with_mass(&self, mass: f64) -> Result<MassProperties, GeometryError> {
        checked_positive("mass", mass)?;
        unit_density(self)?.scaled_to_mass(mass)
    }

    fn is_solid(&self) -> bool {
        match self {
            Self::HalfSpace(_) | Self::HeightField(_) => false,
            Self::Mesh(mesh) => is_closed(mesh),
            Self::Compound(compound) => compound.parts().iter().all(|(_, part)| part.is_solid()),
            _ => true,
        }
    }
}

impl Mesh {
    /// Mass, centre and inertia of the mesh as a thin sheet of `area_density` kg/m² (density times thickness), whether it
    /// is closed or not.
    pub fn shell_mass_properties(&self, area_density: f64) -> Result<MassProperties, GeometryError> {
        checked_positive("area density", area_density)?;
        let unit = polyhedron::shell("mesh", &mesh_triangles(self))?;
        checked_result(MassProperties { mass: unit.mass * area_density, inertia: unit.inertia * area_density, ..unit })
    }
}

/// The properties at 1 kg/m³, or 1 kg/m² for surfaces.
fn unit_density(shape: &Shape) -> Result<MassProperties, GeometryError> {
    match shape {
        Shape::Sphere(sphere) => Ok(primitive::sphere(sphere)),
        Shape::Cuboid(cuboid) => Ok(primitive::cuboid(cuboid)),
        Shape::Capsule(capsule) => Ok(primitive::capsule(capsule)),
        Shape::Cylinder(cylinder) => Ok(primitive::cylinder(cylinder)),
        Shape::Cone(cone) => Ok(primitive::cone(cone)),
        Shape::HalfSpace(_) => Err(GeometryError::Degenerate {
            what: "half-space",
            why: "is endless and has no mass properties; give the body its mass or make it fixed".into(),
        }),
        Shape::Mesh(mesh) if is_closed(mesh) => polyhedron::solid("mesh", &mesh_triangles(mesh)),
        Shape::Mesh(mesh) => polyhedron::shell("mesh", &mesh_triangles(mesh)),
        Shape::Hull(_) | Shape::Custom(_) | Shape::HeightField(_) => {
            Err(GeometryError::Degenerate { what: "shape", why: "has no mass properties yet".into() })
        }
        Shape::Compound(compound) => compound_properties(compound),
    }
}

/// The sum of the parts, each at its pose.
fn compound_properties(compound: &Compound) -> Result<MassProperties, GeometryError> {
    let parts = compound.parts().iter().map(|(pose, part)| Ok(unit_density(part)?.transformed(pose)));
    parts.sum::<Result<MassProperties, GeometryError>>()
}

fn mesh_triangles(mesh: &Mesh) -> Vec<Triangle> {
    (0..mesh.triangles().len()).map(|index| mesh.triangle(index)).collect()
}

/// Whether every edge belongs to two triangles that run along it in opposite directions.
fn is_closed(mesh: &Mesh) -> bool {
    let edges = mesh.triangles().iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let mut edges: Vec<_> = edges.map(|(from, to)| (from.min(to), from.max(to), from < to)).collect();
    edges.sort_unstable();
    let (pairs, rest) = edges.as_chunks::<2>();
    let opposite = pairs.iter().all(|[one, two]| (one.0, one.1) == (two.0, two.1) && one.2 != two.2);
    let distinct = pairs.windows(2).all(|next| (next[0][0].0, next[0][0].1) != (next[1][0].0, next[1][0].1));
    rest.is_empty() && opposite && distinct
}
