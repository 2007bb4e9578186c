//! The part of a round shape below a plane: sphere, cylinder, cone and capsule.
//!
//! **Cylinder and cone** are cut into discs across their axis y. The plane n·x = t meets the disc of radius ρ at height y
//! in a line, and the wet part is a circular segment. With n⊥ the part of n across the axis, u = n⊥/|n⊥|,
//! D(y) = t − n_y y and the half angle φ of the segment, `cos φ = −D / (|n⊥| ρ)`:
//!
//! ```text
//! area = ρ² (φ − sin φ cos φ),    ∫u dA = −⅔ ρ³ sin³φ.
//! ```
//!
//! The sum over y is an integral of a function with square roots at its ends, where the plane enters and leaves the side.
//! A change of variable makes it smooth, and Gauss' rule then gives all digits.
//!
//! **A half ball** has a closed form. In units of its radius, with the axis a towards its pole, `cos γ = a·n` and
//! `S = √(sin²γ − t²)`, the wet part of its surface is bounded by an arc of the equator and an arc of the waterline. They
//! meet at the angle ω = atan2(S, cos γ); of the waterline 2η = 2 atan2(S, −t cos γ) is on this half. By Gauss and Bonnet
//! that surface is A = 2ω + 2tη, and the divergence theorem gives
//!
//! ```text
//! 3 V = A + t ρ² (η − sin η cos η),    ρ² = 1 − t²
//! ∫x dV = ∮ ½(|x|² − 1) dA = ½ (a J(1, π − β) − n J(ρ, η)),    β = atan2(S, t)
//! J(ρ, η) = ∫ (ρ² − s²) dA over a segment = ρ⁴ (η/2 − sin 2η / 3 + sin 4η / 24),
//! ```
//!
//! where the sphere itself contributes nothing to the second line. With S = 0 where the circles do not meet, the same
//! lines hold for a whole half ball, a cap, and nothing.

use super::Submerged;
use crate::Plane;
use crate::shape::{Capsule, Cone, Cylinder, Ellipsoid, Sphere};
use glam::DVec3;
use std::f64::consts::PI;

/// A cap of height k: `V = π k² (3r − k)/3`, its centre `¾ (2r − k)²/(3r − k)` below that of the sphere.
pub(super) fn sphere(sphere: &Sphere, plane: &Plane) -> Submerged {
    let r = sphere.radius();
    let k = (r + plane.offset).clamp(0.0, 2.0 * r);
    let volume = PI * k * k * (3.0 * r - k) / 3.0;
    let rest = 2.0 * r - k;
    Submerged::new(volume, plane.normal * (-0.75 * volume * rest * rest / (3.0 * r - k)), DVec3::ZERO)
}

/// The stretching s makes `n·x ≤ d` of `(s n)·x ≤ d`, and stretches volumes by abc.
pub(super) fn ellipsoid(ellipsoid: &Ellipsoid, plane: &Plane) -> Submerged {
    let radii = ellipsoid.radii();
    let normal = radii * plane.normal;
    let length = normal.length();
    let k = (1.0 + plane.offset / length).clamp(0.0, 2.0);
    let volume = PI * k * k * (3.0 - k) / 3.0;
    let rest = 2.0 - k;
    let moment = normal / length * (-0.75 * volume * rest * rest / (3.0 - k));
    let stretch = radii.element_product();
    Submerged::new(volume * stretch, radii * moment * stretch, DVec3::ZERO)
}

pub(super) fn cylinder(cylinder: &Cylinder, plane: &Plane) -> Submerged {
    let tilted = Tilted::new(plane);
    tilted.submerged(tube(cylinder.half_height(), cylinder.radius(), &tilted))
}

pub(super) fn capsule(capsule: &Capsule, plane: &Plane) -> Submerged {
    let (h, r) = (capsule.half_height(), capsule.radius());
    let tilted = Tilted::new(plane);
    let middle = tilted.submerged(tube(h, r, &tilted));
    let end = |axis: DVec3| {
        let above_center = plane.offset - h * plane.normal.dot(axis);
        let (volume, moment) = unit_half_ball(axis, plane.normal, above_center / r);
        Submerged::new(volume * r * r * r, moment * (r * r * r * r), axis * h)
    };
    middle.combined(&end(DVec3::Y)).combined(&end(DVec3::NEG_Y))
}

/// Volume and `∫x dV` of the wet part of the half ball of radius 1 around the origin with its pole at `axis`, in the
/// notation above.
fn unit_half_ball(axis: DVec3, normal: DVec3, t: f64) -> (f64, DVec3) {
    let t = t.clamp(-1.0, 1.0);
    let cos_gamma = axis.dot(normal);
    let sin_gamma_squared = axis.cross(normal).length_squared();
    let s = (sin_gamma_squared - t * t).max(0.0).sqrt();
    let rho_squared = 1.0 - t * t;
    let omega = libm::atan2(s, cos_gamma);
    let eta = libm::atan2(s, -t * cos_gamma);
    let beta = libm::atan2(s, t);
    let (sin_eta, cos_eta) = libm::sincos(eta);
    let volume = (2.0 * omega + 2.0 * t * eta + t * rho_squared * (eta - sin_eta * cos_eta)) / 3.0;
    let bowl = |rho_squared: f64, eta: f64| {
        rho_squared * rho_squared * (0.5 * eta - libm::sin(2.0 * eta) / 3.0 + libm::sin(4.0 * eta) / 24.0)
    };
    (volume, (axis * bowl(1.0, PI - beta) - normal * bowl(rho_squared, eta)) * 0.5)
}

/// A plane as seen from a solid around the y axis.
struct Tilted {
    /// t
    offset: f64,
    /// n_y
    along: f64,
    /// |n⊥|
    across: f64,
    /// u, zero if the plane is level.
    direction: DVec3,
}

/// Integrals over the wet part of a solid around the y axis.
#[derive(Default)]
struct Slices {
    /// `∫dV`
    volume: f64,
    /// `∫u dV`
    across: f64,
    /// `∫y dV`
    along: f64,
}

impl Tilted {
    fn new(plane: &Plane) -> Self {
        let across = DVec3::new(plane.normal.x, 0.0, plane.normal.z);
        Self {
            offset: plane.offset,
            along: plane.normal.y,
            across: across.length(),
            direction: across.normalize_or_zero(),
        }
    }

    /// D(y)
    fn depth(&self, y: f64) -> f64 {
        self.offset - self.along * y
    }

    /// The half angle φ of the wet segment of the disc of radius `rho` where D is `depth`.
    fn half_angle(&self, rho: f64, depth: f64) -> f64 {
        let reach = self.across * rho;
        libm::atan2(((reach - depth) * (reach + depth)).max(0.0).sqrt(), -depth)
    }

    fn submerged(&self, slices: Slices) -> Submerged {
        let moment = self.direction * slices.across + DVec3::Y * slices.along;
        Submerged::new(slices.volume, moment, DVec3::ZERO)
    }
}

impl Slices {
    /// Adds the segment with half angle `phi` of a disc of radius `rho` at height `y`, as thick as `weight`.
    fn add_segment(&mut self, weight: f64, y: f64, rho: f64, phi: f64) {
        let (sin, cos) = libm::sincos(phi);
        let area = rho * rho * (phi - sin * cos) * weight;
        self.volume += area;
        self.along += area * y;
        self.across -= 2.0 / 3.0 * rho * rho * rho * sin * sin * sin * weight;
    }
}

/// A cylinder of half height `h` and radius `r`.
///
/// Over the side, D = −|n⊥| r cos φ is linear in y, so that y is smooth as a function of φ and `dy ∝ sin φ dφ`. The weights
/// are scaled to add up to the height: they stay exact when the plane is nearly parallel to the axis and φ hardly changes.
fn tube(h: f64, r: f64, plane: &Tilted) -> Slices {
    // Upside down if need be, so that the lower discs are the wet ones.
    let up = if plane.along < 0.0 { -1.0 } else { 1.0 };
    let slope = plane.along.abs();
    let reach = plane.across * r;
    let where_depth_is = |depth: f64| {
        let rise = plane.offset - depth;
        if slope > 0.0 { (rise / slope).clamp(-h, h) } else { h.copysign(rise) }
    };
    // Whole discs up to `low`, segments up to `high`.
    let (low, high) = (where_depth_is(reach), where_depth_is(-reach));
    let mut sum = Slices::default();
    sum.volume = PI * r * r * (low + h);
    sum.along = 0.5 * sum.volume * (low - h);
    if high > low {
        let [first, last] = [low, high].map(|y| plane.half_angle(r, plane.depth(up * y)));
        let half_range = 0.5 * (last - first);
        // (cos φ − cos φ₁) / (cos φ₂ − cos φ₁), written so that close angles lose no digits.
        let whole = libm::sin(0.5 * (last + first)) * libm::sin(half_range);
        let nodes = gauss(&GAUSS_16).map(|(x, weight)| {
            let phi = first + half_range * (1.0 + x);
            let part = libm::sin(0.5 * (phi + first)) * libm::sin(0.5 * half_range * (1.0 + x));
            let fraction = if whole != 0.0 { part / whole } else { 0.5 * (1.0 + x) };
            (phi, low + (high - low) * fraction, weight * libm::sin(phi))
        });
        let total: f64 = nodes.clone().map(|(.., weight)| weight).sum();
        if total > 0.0 {
            nodes.for_each(|(phi, y, weight)| sum.add_segment((high - low) * weight / total, y, r, phi));
        }
    }
    sum.along *= up;
    sum
}

/// A cone, cut into discs at τ from the apex (0) to the base (1), where D = D₀ + D₁ τ and the radius is r τ.
///
/// From the apex on the discs are all wet (or all dry) up to τ₁, cut up to τ₂, and all dry (or all wet) beyond. Where they
/// are cut, `τ = τ₁ + (τ₂ − τ₁) sin²χ` takes the square roots away; if the discs never leave the plane again,
/// `τ = τ₁ + (1 − τ₁) χ²`. The angle also has a singularity at the apex; the closer it comes the less the discs there weigh,
/// and 32 points leave nothing of it above rounding.
pub(super) fn cone(cone: &Cone, plane: &Plane) -> Submerged {
    let (h, r) = (cone.half_height(), cone.radius());
    let tilted = Tilted::new(plane);
    let (start, slope, reach) = (tilted.depth(h), 2.0 * h * tilted.along, tilted.across * r);
    let apex_is_wet = start >= 0.0;
    let (depth, slope_away) = (start.abs(), if apex_is_wet { slope } else { -slope });
    let first = if reach > slope_away { depth / (reach - slope_away) } else { f64::INFINITY };
    let last = if slope_away < -reach { depth / (-reach - slope_away) } else { f64::INFINITY };

    let mut sum = Slices::default();
    let (whole_from, whole_to) = if apex_is_wet { (0.0, first.min(1.0)) } else { (last.min(1.0), 1.0) };
    // ∫ π r² τ² 2h dτ and the same times y = h − 2hτ.
    let power = |n: i32| (1..n).fold((whole_from, whole_to), |(a, b), _| (a * whole_from, b * whole_to));
    let ((a3, b3), (a4, b4)) = (power(3), power(4));
    let disc = 2.0 * PI * h * r * r;
    sum.volume = disc * (b3 - a3) / 3.0;
    sum.along = disc * h * ((b3 - a3) / 3.0 - 0.5 * (b4 - a4));

    let end = last.min(1.0);
    if first < end {
        let span = if last.is_finite() { last - first } else { 1.0 - first };
        let chi_end = if last.is_finite() { libm::asin(((end - first) / span).sqrt().min(1.0)) } else { 1.0 };
        for (x, weight) in gauss(&GAUSS_32) {
            let chi = 0.5 * chi_end * (1.0 + x);
            let (sin, cos) = if last.is_finite() { libm::sincos(chi) } else { (chi, 1.0) };
            let tau = first + span * sin * sin;
            let thickness = 2.0 * h * weight * 0.5 * chi_end * 2.0 * span * sin * cos;
            let phi = tilted.half_angle(r * tau, start + slope * tau);
            sum.add_segment(thickness, h - 2.0 * h * tau, r * tau, phi);
        }
    }
    tilted.submerged(sum)
}

/// All nodes and weights on [−1, 1] from the positive half.
fn gauss(half: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> + Clone + '_ {
    half.iter().flat_map(|&(x, weight)| [(-x, weight), (x, weight)])
}

/// The positive nodes and the weights of Gauss' rule with 16 points.
const GAUSS_16: [(f64, f64); 8] = [
    (0.09501250983763744, 0.1894506104550685),
    (0.2816035507792589, 0.18260341504492358),
    (0.45801677765722737, 0.16915651939500254),
    (0.6178762444026438, 0.14959598881657674),
    (0.755404408355003, 0.12462897125553388),
    (0.8656312023878318, 0.09515851168249279),
    (0.9445750230732326, 0.062253523938647894),
    (0.9894009349916499, 0.027152459411754096),
];

/// The positive nodes and the weights of Gauss' rule with 32 points.
const GAUSS_32: [(f64, f64); 16] = [
    (0.04830766568773832, 0.0965400885147278),
    (0.1444719615827965, 0.09563872007927486),
    (0.23928736225213706, 0.09384439908080457),
    (0.33186860228212767, 0.09117387869576389),
    (0.42135127613063533, 0.08765209300440381),
    (0.5068999089322294, 0.08331192422694675),
    (0.5877157572407623, 0.07819389578707031),
    (0.6630442669302152, 0.0723457941088485),
    (0.7321821187402897, 0.06582222277636185),
    (0.7944837959679424, 0.058684093478535544),
    (0.84936761373257, 0.050998059262376175),
    (0.8963211557660521, 0.04283589802222668),
    (0.9349060759377397, 0.03427386291302143),
    (0.9647622555875064, 0.02539206530926206),
    (0.9856115115452684, 0.01627439473090567),
    (0.9972638618494816, 0.007018610009470096),
];
