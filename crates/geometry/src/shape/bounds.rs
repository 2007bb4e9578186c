//! The bounding volumes of shapes.
//!
//! The extent of a placed shape along an outer axis e is its extent along `Rᵀe`, a row of its rotation matrix. For the
//! simple shapes that is a formula: a box reaches `Σ |Rᵢⱼ| hⱼ`, a circle across the y axis `r √(Rᵢₓ² + Rᵢ_z²)`.

use super::{Compound, Convex, HalfSpace, HeightField, Mesh, Shape};
use crate::{Aabb, BoundingSphere, BoundingVolume, Obb, Transform};
use glam::{DMat3, DVec3};

impl Shape {
    /// The smallest axis-aligned box around the shape placed at `pose`, to rounding.
    ///
    /// Half-spaces and height fields (solid however deep) have infinite boxes.
    pub fn aabb(&self, pose: &Transform) -> Aabb {
        let rotation = pose.matrix3();
        let axis = rotation.y_axis;
        // How far a circle of radius one across the y axis reaches along each coordinate.
        let circle = || {
            let squares = rotation.x_axis * rotation.x_axis + rotation.z_axis * rotation.z_axis;
            DVec3::new(squares.x.sqrt(), squares.y.sqrt(), squares.z.sqrt())
        };
        let around = |half_extents: DVec3| Aabb::from_center(pose.translation, half_extents);
        match self {
            Self::Sphere(sphere) => around(DVec3::splat(sphere.radius())),
            Self::Cuboid(cuboid) => around(rotation.abs() * cuboid.half_extents()),
            Self::Capsule(capsule) => around(axis.abs() * capsule.half_height() + DVec3::splat(capsule.radius())),
            Self::Cylinder(cylinder) => around(axis.abs() * cylinder.half_height() + circle() * cylinder.radius()),
            Self::Cone(cone) => {
                let apex = pose.translation + axis * cone.half_height();
                let base = Aabb::from_center(pose.translation - axis * cone.half_height(), circle() * cone.radius());
                base.merged(&Aabb::new(apex, apex))
            }
            Self::Ellipsoid(ellipsoid) => {
                let rows = rotation.transpose();
                let reach = |row: DVec3| (row * ellipsoid.radii()).length();
                around(DVec3::new(reach(rows.x_axis), reach(rows.y_axis), reach(rows.z_axis)))
            }
            Self::Torus(torus) => around(circle() * torus.radius() + DVec3::splat(torus.tube())),
            Self::Hull(hull) => {
                Aabb::from_points(hull.vertices().iter().map(|&vertex| rotation * vertex + pose.translation))
            }
            Self::Custom(custom) => extents(&rotation, pose, |row| custom.support(row).dot(row)),
            Self::HalfSpace(half_space) => half_space_aabb(half_space, pose),
            Self::Mesh(mesh) if pose.rotation == glam::DQuat::IDENTITY => mesh.aabb().transformed(pose),
            Self::Mesh(mesh) => extents(&rotation, pose, |row| mesh_reach(mesh, row)),
            Self::HeightField(field) => solid_below(field).transformed(pose),
            Self::Compound(compound) => compound_aabb(compound, pose),
        }
    }

    /// The smallest axis-aligned box around the shape in its own frame.
    pub fn local_aabb(&self) -> Aabb {
        self.aabb(&Transform::IDENTITY)
    }

    /// The smallest sphere around the shape in its own frame, to rounding; for compounds one at most 1 % larger than
    /// the smallest around the spheres of its parts. Infinite for half-spaces and height fields.
    ///
    /// For user-defined shapes a sphere around its box.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        let centered = |radius| BoundingSphere::new(DVec3::ZERO, radius);
        let around_points = |points| BoundingSphere::enclosing(points).unwrap_or(BoundingSphere::EVERYTHING);
        match self {
            Self::Sphere(sphere) => centered(sphere.radius()),
            Self::Cuboid(cuboid) => centered(cuboid.half_extents().length()),
            Self::Capsule(capsule) => centered(capsule.half_height() + capsule.radius()),
            Self::Cylinder(cylinder) => centered(libm::hypot(cylinder.half_height(), cylinder.radius())),
            Self::Cone(cone) => {
                // As far from the apex as from the rim: (h − c)² = r² + (h + c)², unless the base is wider than that.
                let (h, r) = (cone.half_height(), cone.radius());
                let center = (-r * r / (4.0 * h)).max(-h);
                BoundingSphere::new(DVec3::Y * center, (h - center).max(r))
            }
            Self::Ellipsoid(ellipsoid) => centered(ellipsoid.radii().max_element()),
            Self::Torus(torus) => centered(torus.radius() + torus.tube()),
            Self::Hull(hull) => around_points(hull.vertices()),
            Self::Custom(_) => {
                let aabb = self.local_aabb();
                BoundingSphere::new(aabb.center(), aabb.half_extents().length())
            }
            Self::HalfSpace(_) | Self::HeightField(_) => BoundingSphere::EVERYTHING,
            Self::Mesh(mesh) => around_points(mesh.vertices()),
            Self::Compound(compound) => {
                let part = |(pose, shape): &(Transform, Shape)| shape.bounding_sphere().transformed(pose);
                let spheres: Vec<BoundingSphere> = compound.parts().iter().map(part).collect();
                BoundingSphere::around_spheres(&spheres).unwrap_or(BoundingSphere::EVERYTHING)
            }
        }
    }

    /// A tight oriented box around the shape in its own frame: exact for the simple shapes, fitted to the corners of
    /// hulls and meshes and to the boxes of the parts of compounds. `None` for half-spaces and height fields, which
    /// are endless.
    pub fn obb(&self) -> Option<Obb> {
        match self {
            Self::HalfSpace(_) | Self::HeightField(_) => None,
            Self::Hull(hull) => Obb::enclosing(hull.vertices()),
            Self::Mesh(mesh) => Obb::enclosing(mesh.vertices()),
            Self::Compound(compound) => {
                let mut corners = Vec::with_capacity(8 * compound.parts().len());
                for (pose, part) in compound.parts() {
                    let obb = part.obb()?.transformed(pose);
                    corners.extend((0..8).map(|i| obb.corner(i)));
                }
                Obb::enclosing(&corners)
            }
            _ => Some(self.local_aabb().into()),
        }
    }
}

/// The box of a shape at a pose, given how far it reaches along local directions.
fn extents(rotation: &DMat3, pose: &Transform, reach: impl Fn(DVec3) -> f64) -> Aabb {
    let rows = rotation.transpose();
    let [x, y, z] = [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| (-reach(-row), reach(row)));
    Aabb::new(DVec3::new(x.0, y.0, z.0) + pose.translation, DVec3::new(x.1, y.1, z.1) + pose.translation)
}

/// Infinite, but bounded on one side if the normal lies along a coordinate axis.
fn half_space_aabb(half_space: &HalfSpace, pose: &Transform) -> Aabb {
    let normal = pose.vector(half_space.normal());
    let mut aabb = Aabb::EVERYTHING;
    for axis in 0..3 {
        // The other components are rounding of the rotation at most.
        let mut others = normal;
        others[axis] = 0.0;
        if others.abs().max_element() < 1e-15 {
            let bounded = if normal[axis] > 0.0 { &mut aabb.max } else { &mut aabb.min };
            bounded[axis] = pose.translation[axis];
        }
    }
    aabb
}

/// How far a mesh reaches along `direction`, found through its hierarchy.
fn mesh_reach(mesh: &Mesh, direction: DVec3) -> f64 {
    let toward = -direction;
    let lowest = mesh.bvh().nearest_first(
        f64::INFINITY,
        |boxes| boxes.lowest_along(toward),
        |range, limit| {
            let corners = mesh.bvh().items()[range].iter().flat_map(|&item| mesh.triangle(item as usize).vertices);
            corners.fold(limit, |lowest, corner| lowest.min(corner.dot(toward)))
        },
    );
    -lowest
}

/// The box of a terrain with all that is below it.
fn solid_below(field: &HeightField) -> Aabb {
    let surface = field.aabb();
    Aabb::new(surface.min.with_y(f64::NEG_INFINITY), surface.max)
}

fn compound_aabb(compound: &Compound, pose: &Transform) -> Aabb {
    let part = |(part_pose, shape): &(Transform, Shape)| shape.aabb(&(*pose * *part_pose));
    compound.parts().iter().map(part).fold(Aabb::EMPTY, |aabb, part| aabb.merged(&part))
}
