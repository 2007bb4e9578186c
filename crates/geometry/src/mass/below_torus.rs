//! How much of a torus lies below a plane.
//!
//! A plane through the axis at the angle θ cuts the tube in a disc of radius r, and the surface of the fluid in a line
//! `n_ρ(θ) ρ + n_y y = d`. Below it lies a segment of the disc, with its area A, first moment and second moments in closed form (as in a
//! cylinder). Then
//!
//! ```text
//! V = ∫ dθ ∫ρ dA,     ∫x dV = ∫ dθ (cos θ, ·, sin θ) ∫ρ² dA,     ∫y dV = ∫ dθ ∫ρ y dA.
//! ```
//!
//! The integrand has the period 2π, so equal steps of θ are Gauss' rule for it. Where the line touches the disc it has a kink of order
//! 3/2 only, which leaves an error of 1e-6 of the volume.

use super::Submerged;
use crate::Plane;
use crate::shape::Torus;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Planes through the axis.
const SLICES: u32 = 512;

pub(super) fn torus(torus: &Torus, plane: &Plane) -> Submerged {
    let (big, r) = (torus.radius(), torus.tube());
    let (mut volume, mut moment) = (0.0, DVec3::ZERO);
    for slice in 0..SLICES {
        let (sin, cos) = libm::sincos(TAU * f64::from(slice) / f64::from(SLICES));
        let out = plane.normal.x * cos + plane.normal.z * sin;
        let slope = (out * out + plane.normal.y * plane.normal.y).sqrt();
        let height = plane.offset - out * big;
        // The line has the normal (u, v) in the disc and the distance h from its middle, both for a disc of radius one.
        let (u, v, h) = if slope > 1e-300 {
            (out / slope, plane.normal.y / slope, (height / slope / r).clamp(-1.0, 1.0))
        } else {
            (0.0, 1.0, 1.0_f64.copysign(height))
        };
        let Segment { area, first, along, across } = Segment::below(h);
        // Moments about the middle of the disc, along ρ and y: s along the normal, t across it.
        let (mean_rho, mean_y) = (u * first, v * first);
        let rho_rho = u * u * along + v * v * across;
        let rho_y = u * v * (along - across);
        let (r2, r3, r4) = (r * r, r * r * r, r * r * r * r);
        volume += big * area * r2 + mean_rho * r3;
        let rho2 = big * big * area * r2 + 2.0 * big * mean_rho * r3 + rho_rho * r4;
        moment += DVec3::new(cos * rho2, big * mean_y * r3 + rho_y * r4, sin * rho2);
    }
    let share = TAU / f64::from(SLICES);
    Submerged::new(volume * share, moment * share, DVec3::ZERO)
}

/// The part of the unit disc with s ≤ h, and its moments.
struct Segment {
    area: f64,
    /// ∫ s
    first: f64,
    /// ∫ s²
    along: f64,
    /// ∫ t²
    across: f64,
}

impl Segment {
    fn below(h: f64) -> Self {
        let half_chord = ((1.0 - h) * (1.0 + h)).max(0.0).sqrt();
        // The angle from the lowest point to the end of the chord.
        let angle = libm::atan2(half_chord, -h);
        let (area, cube) = (angle + h * half_chord, half_chord * half_chord * half_chord);
        let area = area.clamp(0.0, PI);
        // ∫ s² 2√(1 − s²) ds and ∫ ⅔ (1 − s²)^{3/2} ds, from −1 to h.
        let along = 0.25 * area - 0.5 * h * cube;
        let across = 0.25 * area + h * cube / 6.0;
        Self { area, first: -2.0 / 3.0 * cube, along, across }
    }
}
