//! Torus: all points within a tube's radius r of a circle of radius R around the y axis.
//!
//! ```text
//! √( (√(x² + z²) − R)² + y² ) ≤ r
//! ```
//!
//! **One shape of its own:** its volume 2π²Rr² and its moments, rays, closest points and its boxes come from this formula and are exact.
//!
//! **In pairs:** a torus is not convex, so against other shapes it is a row of [`BOWS`] convex parts. A bow is the convex hull of
//! an arc of the circle, swollen by r. Arc and swelling are exact: all of the surface that looks away from the axis is that of
//! the torus, smooth from bow to bow, and a tyre or a coin of this shape rolls without a bump. Only on the side towards the
//! axis a bow follows the chord of its arc instead: there the hole is a polygon with rounded edges, narrower than the true
//! hole by at most `R (1 − cos(π/24))`, 0.9 % of R.

use super::{Compound, Custom, Shape, SupportMap};
use crate::error::checked_length;
use crate::{GeometryError, Transform};
use glam::DVec3;
use std::f64::consts::PI;
use std::sync::Arc;

/// The number of convex parts.
pub(crate) const BOWS: u32 = 24;

/// A torus around the y axis.
#[derive(Clone, Debug)]
pub struct Torus {
    radius: f64,
    tube: f64,
    ring: Compound,
}

impl Torus {
    /// The radius of the circle in the middle of the tube, and that of the tube, which is not larger; in metres, 1e-9 to 1e9.
    pub fn new(radius: f64, tube: f64) -> Result<Self, GeometryError> {
        let radius = checked_length("torus radius", radius)?;
        let tube = checked_length("torus tube radius", tube)?;
        if tube > radius {
            let why = format!(
                "has a tube of radius {tube} m, which is more than the {radius} m from its axis to the middle of the tube; then it would pass through itself"
            );
            return Err(GeometryError::Degenerate { what: "torus", why });
        }
        let (sin, cos) = libm::sincos(PI / f64::from(BOWS));
        let bow = Bow { radius, tube, half_angle: [sin, cos] };
        let part = Shape::Custom(Custom::new(Arc::new(bow))?);
        let place = |k: u32| {
            let angle = 2.0 * PI * f64::from(k) / f64::from(BOWS);
            Transform { rotation: crate::math::rotation_about(DVec3::Y, angle), translation: DVec3::ZERO }
        };
        let ring = Compound::new((0..BOWS).map(|k| (place(k), part.clone())).collect())?;
        Ok(Self { radius, tube, ring })
    }

    /// The radius of the circle in the middle of the tube, in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The radius of the tube in metres.
    pub fn tube(&self) -> f64 {
        self.tube
    }

    /// The convex parts it is in pairs with other shapes.
    pub fn parts(&self) -> &Compound {
        &self.ring
    }

    /// The point of the circle in the middle of the tube that is nearest to a point.
    pub(crate) fn spine(&self, point: DVec3) -> DVec3 {
        crate::math::direction(DVec3::new(point.x, 0.0, point.z)).unwrap_or(DVec3::X) * self.radius
    }
}

/// The convex hull of an arc around +x in the plane across y, swollen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bow {
    radius: f64,
    tube: f64,
    /// Sine and cosine of half the angle of the arc.
    half_angle: [f64; 2],
}

/// What of a bow looks along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BowFeature {
    /// The tube around its arc: that of the whole torus.
    Tube { radius: f64, tube: f64 },
    /// The ball at an end of the arc.
    End { point: DVec3, tube: f64 },
}

/// How far from level a bow still lies on its flat side, or on its chord, as a slope.
const LEVEL: f64 = 1e-2;

impl Bow {
    /// The bow that a user-defined shape is, if it is one.
    pub(crate) fn of(custom: &Custom) -> Option<&Self> {
        let map: &dyn std::any::Any = custom.map().as_ref();
        map.downcast_ref()
    }

    /// What of its surface looks along the unit vector `direction`, up to a slope of 1 %: the farthest point first, and the
    /// other end or both ends of the arc, if it lies flat or on its chord. The count tells how many points there are.
    pub(crate) fn outline(&self, direction: DVec3) -> ([DVec3; 3], usize) {
        let [sin, cos] = self.half_angle;
        let farthest = self.on_arc(direction);
        let [one, two] = [1.0, -1.0].map(|side| DVec3::new(cos, 0.0, side * sin) * self.radius);
        let is_flat = direction.x.abs().max(direction.z.abs()) < LEVEL;
        let is_on_chord = direction.x < 0.0 && direction.z.abs() < LEVEL;
        let points = [farthest, one, two].map(|point| point + direction * self.tube);
        if !(is_flat || is_on_chord) {
            (points, 1)
        } else if farthest == one {
            ([points[0], points[2], points[2]], 2)
        } else if farthest == two {
            ([points[0], points[1], points[1]], 2)
        } else {
            (points, 3)
        }
    }

    /// Whether a direction points to the inside of the arc, away from the axis.
    fn is_within(&self, direction: DVec3) -> bool {
        let [sin, cos] = self.half_angle;
        direction.x > 0.0 && direction.z.abs() * cos <= direction.x * sin
    }

    /// The point of the arc farthest along a direction.
    fn on_arc(&self, direction: DVec3) -> DVec3 {
        let [sin, cos] = self.half_angle;
        let across = (direction.x * direction.x + direction.z * direction.z).sqrt();
        if self.is_within(direction) {
            return DVec3::new(direction.x, 0.0, direction.z) * (self.radius / across);
        }
        DVec3::new(cos, 0.0, sin.copysign(direction.z)) * self.radius
    }

    /// The feature along a direction.
    pub(crate) fn feature(&self, direction: DVec3) -> BowFeature {
        let (radius, tube) = (self.radius, self.tube);
        if self.is_within(direction) {
            BowFeature::Tube { radius, tube }
        } else {
            BowFeature::End { point: self.on_arc(direction), tube }
        }
    }
}

impl SupportMap for Bow {
    fn support(&self, direction: DVec3) -> DVec3 {
        let unit = crate::math::direction(direction).unwrap_or(DVec3::X);
        self.on_arc(unit) + unit * self.tube
    }

    fn center(&self) -> DVec3 {
        DVec3::X * self.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Convex;

    #[test]
    fn the_parts_are_the_torus_where_it_looks_outwards() {
        let torus = Torus::new(1.0, 0.3).unwrap();
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..2000 {
            let [x, y, z] = std::array::from_fn(|_| 2.0 * random.f64() - 1.0);
            let direction = DVec3::new(x, y, z).normalize();
            // The farthest point of all parts is that of the torus.
            let reach = torus.parts().parts().iter().map(|(pose, part)| {
                let Shape::Custom(bow) = part else { panic!("{part:?}") };
                let local = pose.inverse_vector(direction);
                Convex::support(bow, local).dot(local)
            });
            let exact = (x * x + z * z).sqrt() / DVec3::new(x, y, z).length() + 0.3;
            assert!((reach.fold(0.0, f64::max) - exact).abs() < 1e-14, "{direction}");
        }
    }

    #[test]
    fn a_torus_that_passes_through_itself_is_refused() {
        let error = Torus::new(1.0, 1.5).unwrap_err().to_string();
        assert!(error.contains("tube of radius 1.5 m") && error.contains("the 1 m"), "{error}");
        assert!(Torus::new(f64::NAN, 0.1).is_err() && Torus::new(1.0, 0.0).is_err());
    }
}
