//! Which formula belongs to which shape.

use super::properties::{checked_positive, checked_result};
use super::{MassProperties, convex, polyhedron, primitive};
use crate::shape::{Compound, Hull, Mesh};
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
            Self::Mesh(mesh) => encloses(mesh),
            Self::Compound(compound) => compound.members().iter().all(|(_, part)| part.is_solid()),
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
        Shape::Ellipsoid(ellipsoid) => Ok(primitive::ellipsoid(ellipsoid)),
        Shape::Torus(torus) => Ok(primitive::torus(torus)),
        Shape::Hull(hull) => polyhedron::solid("hull", &hull_triangles(hull)),
        Shape::Custom(custom) => convex::from_support(custom),
        Shape::HalfSpace(_) => Err(GeometryError::Degenerate {
            what: "half-space",
            why: "is endless and has no mass properties; give the body its mass or make it fixed".into(),
        }),
        Shape::Mesh(mesh) if encloses(mesh) => polyhedron::solid("mesh", &mesh_triangles(mesh)),
        Shape::Mesh(mesh) => polyhedron::shell("mesh", &mesh_triangles(mesh)),
        Shape::HeightField(field) => {
            let triangles: Vec<_> = (0..field.triangle_count()).map(|index| field.triangle(index)).collect();
            polyhedron::shell("height field", &triangles)
        }
        Shape::Compound(compound) => compound_properties(compound),
    }
}

/// The sum of the parts, each at its pose.
fn compound_properties(compound: &Compound) -> Result<MassProperties, GeometryError> {
    let parts = compound.members().iter().map(|(pose, part)| Ok(unit_density(part)?.transformed(pose)));
    parts.sum::<Result<MassProperties, GeometryError>>()
}

fn mesh_triangles(mesh: &Mesh) -> Vec<Triangle> {
    (0..mesh.triangles().len()).map(|index| mesh.triangle(index)).collect()
}

/// The faces, each as a fan of triangles.
fn hull_triangles(hull: &Hull) -> Vec<Triangle> {
    let fan = |face: usize| {
        let corners = hull.face_vertices(face);
        corners[1..].windows(2).map(move |side| [corners[0], side[0], side[1]].map(|v| hull.vertex(v)))
    };
    (0..hull.face_count()).flat_map(fan).map(|vertices| Triangle { vertices }).collect()
}

/// Whether the surface bounds something, be it inside out.
fn encloses(mesh: &Mesh) -> bool {
    mesh.is_closed() && mesh.is_oriented()
}
