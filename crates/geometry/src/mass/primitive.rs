//! The shapes whose integrals have closed forms, at unit density.

use super::MassProperties;
use crate::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Sphere, Torus};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

pub(super) fn sphere(sphere: &Sphere) -> MassProperties {
    let r = sphere.radius();
    let mass = ball_volume(r);
    centered(mass, DVec3::splat(0.4 * mass * r * r))
}

pub(super) fn cuboid(cuboid: &Cuboid) -> MassProperties {
    let half = cuboid.half_extents();
    let mass = 8.0 * half.x * half.y * half.z;
    let square = half * half;
    let sums = DVec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
    centered(mass, sums * (mass / 3.0))
}

pub(super) fn cylinder(cylinder: &Cylinder) -> MassProperties {
    let (h, r) = (cylinder.half_height(), cylinder.radius());
    let mass = 2.0 * PI * r * r * h;
    let across = mass * (r * r / 4.0 + h * h / 3.0);
    centered(mass, DVec3::new(across, 0.5 * mass * r * r, across))
}

/// A cylinder and two half balls. A half ball's centre lies 3/8 r beyond its flat side, where its transverse moment is
/// 2/5 m r²; moved out by h that becomes 2/5 m r² + m (h² + 2 · 3/8 r h).
pub(super) fn capsule(capsule: &Capsule) -> MassProperties {
    let (h, r) = (capsule.half_height(), capsule.radius());
    let (tube, ball) = (2.0 * PI * r * r * h, ball_volume(r));
    let along = (0.5 * tube + 0.4 * ball) * r * r;
    let across = tube * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    centered(tube + ball, DVec3::new(across, along, across))
}

/// Apex up, origin half-way: the centre lies a quarter of the height above the base.
pub(super) fn cone(cone: &Cone) -> MassProperties {
    let (h, r) = (cone.half_height(), cone.radius());
    let mass = 2.0 / 3.0 * PI * r * r * h;
    let across = 0.15 * mass * (r * r + h * h);
    centered(mass, DVec3::new(across, 0.3 * mass * r * r, across)).translated(DVec3::new(0.0, -0.5 * h, 0.0))
}

pub(super) fn ellipsoid(ellipsoid: &Ellipsoid) -> MassProperties {
    let radii = ellipsoid.radii();
    let mass = 4.0 / 3.0 * PI * radii.element_product();
    let square = radii * radii;
    let sums = DVec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
    centered(mass, sums * (mass / 5.0))
}

/// By Pappus' theorem: `V = 2πR · πr²`; about the axis `m (R² + ¾ r²)`, across it `m (½ R² + ⅝ r²)`.
pub(super) fn torus(torus: &Torus) -> MassProperties {
    let (big, r) = (torus.radius(), torus.tube());
    let mass = 2.0 * PI * PI * big * r * r;
    let across = mass * (0.5 * big * big + 0.625 * r * r);
    centered(mass, DVec3::new(across, mass * (big * big + 0.75 * r * r), across))
}

fn ball_volume(r: f64) -> f64 {
    4.0 / 3.0 * PI * r * r * r
}

fn centered(mass: f64, moments: DVec3) -> MassProperties {
    MassProperties { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
}
