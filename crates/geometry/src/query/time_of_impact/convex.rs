//! The gap between two convex shapes along a direction that is fixed in the world.

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
}

impl<'a> ConvexPair<'a> {
    pub(super) fn new(a: &'a Side<'a>, b: &'a Side<'a>, motion: &Relative) -> Self {
        Self { a, b, motion: motion.with_centers((a.turning, a.moved), (b.turning, b.moved)) }
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

    fn gap(&self, time: f64, normal: DVec3) -> impl Gap {
        let normal = self.motion.a.rotation(time) * normal;
        let a = SideGap::new(self.a, normal);
        let b = SideGap::new(self.b, -normal);
        let radii = self.a.convex.radius() + self.b.convex.radius();
        GapAlong { motion: &self.motion, normal, curvature: a.curvature + b.curvature, a, b, radii }
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
