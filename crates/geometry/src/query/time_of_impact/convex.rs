//! The gap between two convex shapes along a direction that is fixed in the world, or in one of them.
//!
//! In the first case the bodies' points accelerate along it by their own turning only ([`SideGap`]). In the second, let the direction n turn
//! with the body c, and let o be the other. Of the distance `f = n·(D + ρ)`, with D from centre to centre and ρ from the centre of o to a
//! point of it (of c nothing but a constant is left), the second derivative is, with δ = ω_o − ω_c,
//!
//! ```text
//! |f″| ≤ |ω_c × n| (|ω_c × D| + 2 |D′|) + |ρ| (4 ω_c δ + δ²)
//! ```
//!
//! because what turns as one does not change f: bodies that turn about alike have a steady gap.

use super::approach::Approach;
use super::march::{Gap, Sample};
use super::reach::{Reach, Solid};
use super::relative::{Relative, Turning, Watched};
use crate::query::closest::{self, Separation};
use crate::shape::Convex;
use glam::DVec3;

/// One of the two shapes.
pub(super) struct Side<'a> {
    convex: &'a dyn Convex,
    turning: Turning,
    /// How far its centre lies from where the motion has it, in world directions.
    moved: DVec3,
    reach: Reach,
}

impl<'a> Side<'a> {
    /// `None` if the shape is not convex.
    pub(super) fn new(solid: Solid<'a>, turning: &Turning) -> Option<Self> {
        let convex = solid.convex()?;
        // What does not turn may have its centre anywhere: best in its middle.
        let (turning, moved) =
            if turning.rate == 0.0 { turning.recentered(solid.middle()) } else { (*turning, DVec3::ZERO) };
        Some(Self { convex, turning, moved, reach: Reach::new(solid, &turning) })
    }

    /// No point of the shape is farther from its centre.
    pub(super) fn size(&self) -> f64 {
        self.reach.from_center + self.convex.radius()
    }
}

/// Two convex shapes in motion.
pub(super) struct ConvexPair<'a> {
    a: &'a Side<'a>,
    b: &'a Side<'a>,
    motion: Relative,
    guess: Option<DVec3>,
}

impl<'a> ConvexPair<'a> {
    pub(super) fn new(a: &'a Side<'a>, b: &'a Side<'a>, motion: &Relative) -> Self {
        Self { a, b, motion: motion.with_centers((a.turning, a.moved), (b.turning, b.moved)), guess: None }
    }

    /// The first is a triangle with this normal: most that come near it stay on one side of it.
    pub(super) fn with_triangle(self, normal: Option<DVec3>) -> Self {
        let away = |normal: DVec3| {
            let above = (self.motion.a.rotation(0.0) * normal).dot(self.motion.offset(0.0)) >= 0.0;
            if above { normal } else { -normal }
        };
        Self { guess: normal.map(away), ..self }
    }
}

impl Approach for ConvexPair<'_> {
    fn motion(&self) -> &Relative {
        &self.motion
    }

    fn size(&self) -> f64 {
        self.a.size() + self.b.size()
    }

    fn window(&self, margin: f64, max_time: f64) -> Option<(f64, f64)> {
        self.motion.within(self.size() + margin, max_time)
    }

    fn separation(&self, time: f64, hint: Option<DVec3>, accuracy: f64) -> Option<Separation> {
        closest::rough_separation(self.a.convex, self.b.convex, &self.motion.b_in_a(time), hint, accuracy)
    }

    fn closer_look(&self, time: f64, normal: DVec3) -> Option<Separation> {
        closest::separation_near(self.a.convex, self.b.convex, &self.motion.b_in_a(time), normal)
    }

    fn guess(&self) -> Option<DVec3> {
        self.guess
    }

    fn gap(&self, time: f64, normal: DVec3) -> impl Gap {
        let normal = self.motion.a.rotation(time) * normal;
        let a = SideGap::new(self.a, normal);
        let b = SideGap::new(self.b, -normal);
        let radii = self.a.convex.radius() + self.b.convex.radius();
        GapAlong { motion: &self.motion, normal, curvature: a.curvature + b.curvature, a, b, radii }
    }

    fn turning_gap(&self, time: f64, normal: DVec3, side: usize, span: [f64; 2]) -> Option<impl Gap> {
        let bodies = [self.a, self.b];
        let [carrier, other] = [bodies[side], bodies[1 - side]];
        if carrier.turning.rate == 0.0 {
            return None;
        }
        let world = self.motion.a.rotation(time) * normal;
        let normal = carrier.turning.rotation(time).conjugate() * world;
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let own = (carrier.convex.support(normal * sign) - carrier.turning.center).dot(normal) * sign;
        let [rate, twist] = [carrier.turning.spin(), other.turning.spin() - carrier.turning.spin()];
        let away = span.map(|time| rate.cross(self.motion.offset(time)).length());
        let (across, twist) = (rate.cross(world).length(), twist.length());
        let curvature = across * (away[0].max(away[1]) + 2.0 * self.motion.velocity.length())
            + other.reach.from_center * twist * (4.0 * carrier.turning.rate + twist);
        let constant = own + self.a.convex.radius() + self.b.convex.radius();
        Some(TurningGap { motion: &self.motion, carrier, other, sign, normal, constant, curvature, horizon: span[1] })
    }
}

/// The gap along a direction that turns with one of the shapes.
struct TurningGap<'a> {
    motion: &'a Relative,
    carrier: &'a Side<'a>,
    other: &'a Side<'a>,
    /// One if the first carries the direction, minus one if the second does.
    sign: f64,
    /// Out of the first, in the frame of the carrier.
    normal: DVec3,
    /// What the carrier reaches along it, and the radii.
    constant: f64,
    curvature: f64,
    horizon: f64,
}

impl Gap for TurningGap<'_> {
    fn sample(&self, time: f64) -> Sample {
        let Self { motion, carrier, other, sign, .. } = *self;
        let normal = carrier.turning.rotation(time) * self.normal;
        let rotation = other.turning.rotation(time);
        let support = other.convex.support(rotation.conjugate() * (normal * -sign));
        // From the centre of the first, or of its point, to that of the second, or of its point.
        let r = rotation * (support - other.turning.center) * sign;
        let offset = motion.offset(time) + r;
        let slope = carrier.turning.spin().cross(normal).dot(offset)
            + normal.dot(motion.velocity + other.turning.spin().cross(r));
        Sample { time, value: normal.dot(offset) - self.constant, slope }
    }

    fn curvature(&self) -> f64 {
        self.curvature
    }

    fn envelope(&self, _time: f64) -> (f64, f64) {
        (f64::NEG_INFINITY, 0.0)
    }

    fn horizon(&self) -> f64 {
        self.horizon
    }
}

/// How far one shape reaches in a world direction while it turns.
struct SideGap<'a> {
    side: &'a Side<'a>,
    direction: Watched,
    curvature: f64,
}

impl<'a> SideGap<'a> {
    fn new(side: &'a Side<'a>, direction: DVec3) -> Self {
        let direction = side.turning.watch(direction);
        // The acceleration ω² ρ lies across the axis.
        let rate = side.turning.rate;
        let curvature = rate * rate * direction.across.length() * side.reach.from_axis;
        Self { side, direction, curvature }
    }

    /// The reach of the core from the centre in the direction, and how fast the point that makes it moves that way:
    /// `n · (ω × r) = r · (n × ω)`.
    fn reach(&self, time: f64) -> (f64, f64) {
        let Side { convex, turning, .. } = self.side;
        let direction = self.direction.at(time);
        let r = convex.support(direction) - turning.center;
        (r.dot(direction), r.dot(direction.cross(turning.axis)) * turning.rate)
    }

    /// The reach at all times.
    fn envelope(&self, time: f64) -> f64 {
        if self.side.turning.rate == 0.0 {
            return self.reach(time).0;
        }
        let along = self.direction.along.dot(self.side.turning.axis);
        self.side.reach.of_envelope(along, self.direction.across.length())
    }
}

struct GapAlong<'a> {
    motion: &'a Relative,
    normal: DVec3,
    a: SideGap<'a>,
    b: SideGap<'a>,
    curvature: f64,
    radii: f64,
}

impl Gap for GapAlong<'_> {
    fn sample(&self, time: f64) -> Sample {
        let ((reach_a, speed_a), (reach_b, speed_b)) = (self.a.reach(time), self.b.reach(time));
        Sample {
            time,
            value: self.normal.dot(self.motion.offset(time)) - reach_a - reach_b - self.radii,
            slope: self.normal.dot(self.motion.velocity) - speed_a - speed_b,
        }
    }

    fn curvature(&self) -> f64 {
        self.curvature
    }

    fn envelope(&self, time: f64) -> (f64, f64) {
        if self.curvature == 0.0 {
            // Then the gap is a straight line itself.
            return (f64::NEG_INFINITY, 0.0);
        }
        let reach = self.a.envelope(time) + self.b.envelope(time);
        let value = self.normal.dot(self.motion.offset(time)) - reach - self.radii;
        (value, self.normal.dot(self.motion.velocity))
    }
}
