//! Time of impact against an independent search that knows nothing but distances at given poses.
//!
//! The search walks along the motion in steps that cannot miss more than a moment (the distance divided by the highest speed
//! any point can have, but at least a twenty-thousandth of the time) until the shapes overlap, and bisects the last step.

use tumble_geometry::glam::DVec3;
use tumble_geometry::math::{orthonormal_pair, rotation_from_vector};
use tumble_geometry::query::{Impact, ImpactOptions, ImpactStatus, Motion, distance, time_of_impact};
use tumble_geometry::shape::{Convex, SupportMap};
use tumble_geometry::{Shape, Transform};

/// How many cases: `TUMBLE_CASES`, or the number given.
fn cases(default: usize) -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}

struct Rng(fastrand::Rng);

impl Rng {
    fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.f64()
    }

    /// Evenly spread in the logarithm.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let vector = self.vector();
            if (0.01..1.0).contains(&vector.length_squared()) {
                return vector.normalize();
            }
        }
    }

    fn convex(&mut self, kind: usize) -> Shape {
        let size = self.scale(0.05, 1.0);
        let thin = if self.0.f64() < 0.3 { self.scale(1e-3, 1.0) } else { 1.0 };
        let length = |rng: &mut Self| size * rng.between(0.3, 1.0);
        match kind {
            0 => Shape::sphere(length(self)),
            1 => {
                let long = DVec3::new(length(self), length(self), length(self));
                let mut half_extents = long;
                half_extents[self.0.usize(0..3)] *= thin;
                Shape::cuboid(half_extents)
            }
            2 => Shape::capsule(length(self), length(self) * thin),
            3 => Shape::cylinder(length(self), length(self) * thin),
            4 => Shape::cone(length(self), length(self) * thin),
            5 => {
                let points: Vec<DVec3> = (0..self.0.usize(4..30)).map(|_| self.direction() * size).collect();
                Shape::hull(&points)
            }
            _ => Shape::custom(Ellipsoid(DVec3::new(length(self), length(self), length(self) * thin))),
        }
        .expect("sizes are in range")
    }

    /// A motion that brings the shape near the origin at about time ½, from up to `away` radii away.
    fn motion(&mut self, radius: f64, away: f64, spin: f64) -> Motion {
        let rotation = rotation_from_vector(self.vector() * 3.0);
        let angular = if self.0.f64() < 0.25 { DVec3::ZERO } else { self.vector() * self.scale(0.01, spin) };
        let center = if self.0.bool() { DVec3::ZERO } else { self.vector() * radius };
        let linear = if self.0.f64() < 0.1 { DVec3::ZERO } else { self.vector() * radius * away };
        let meeting = self.vector() * radius - linear * self.between(0.2, 0.8);
        Motion { start: Transform::new(rotation, meeting), center, linear, angular }
    }
}

/// A user-defined shape: an ellipsoid.
#[derive(Debug)]
struct Ellipsoid(DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        let stretched = self.0 * direction;
        self.0 * stretched / stretched.length()
    }
}

fn as_convex(shape: &Shape) -> &dyn Convex {
    match shape {
        Shape::Sphere(s) => s,
        Shape::Cuboid(s) => s,
        Shape::Capsule(s) => s,
        Shape::Cylinder(s) => s,
        Shape::Cone(s) => s,
        Shape::Hull(s) => s.as_ref(),
        Shape::Custom(s) => s,
        _ => unreachable!("{shape:?} is not convex"),
    }
}

/// Two shapes in motion.
struct Case {
    a: Shape,
    motion_a: Motion,
    b: Shape,
    motion_b: Motion,
}

impl Case {
    fn distance(&self, time: f64) -> f64 {
        distance(&self.a, &self.b, &self.motion_a.at(time).to_local(&self.motion_b.at(time))).distance
    }

    /// The gap that a slab with the given normal (in the frame of the first) shows: if positive, the shapes are apart.
    fn gap_along(&self, time: f64, normal: DVec3) -> f64 {
        let pose = self.motion_a.at(time).to_local(&self.motion_b.at(time));
        let (a, b) = (as_convex(&self.a), as_convex(&self.b));
        let lowest = pose.point(b.support(pose.inverse_vector(-normal)));
        (lowest - a.support(normal)).dot(normal) - (a.radius() + b.radius()) * normal.length()
    }

    /// Whether the shapes are proven to be apart, however the distance was rounded: a slab fits between them, with a normal
    /// near the given one. The gap along `n + x u + y v` (not of unit length) is a concave function of x and y.
    fn has_slab(&self, time: f64, normal: DVec3) -> bool {
        let (u, v) = orthonormal_pair(normal);
        let along = |x: f64, y: f64| self.gap_along(time, normal + u * x + v * y);
        greatest(|x| greatest(|y| along(x, y))) > 0.0
    }

    fn impact(&self, options: &ImpactOptions) -> Option<Impact> {
        time_of_impact(&self.a, &self.motion_a, &self.b, &self.motion_b, options)
    }

    /// The highest speed at which the distance can change.
    fn speed(&self) -> f64 {
        let turning = |shape: &Shape, motion: &Motion| {
            if motion.angular == DVec3::ZERO {
                return 0.0;
            }
            let sphere = shape.bounding_sphere();
            motion.angular.length() * (sphere.center.distance(motion.center) + sphere.radius)
        };
        let linear = (self.motion_b.linear - self.motion_a.linear).length();
        linear + turning(&self.a, &self.motion_a) + turning(&self.b, &self.motion_b)
    }

    /// The first contact between two times by sampling: the last time known to be apart and the first known to touch.
    fn sampled_contact(&self, from: f64, to: f64, least_step: f64) -> Option<(f64, f64)> {
        let speed = self.speed().max(1e-9);
        let (mut apart, mut time) = (from, from);
        loop {
            let distance = self.distance(time);
            if distance <= 0.0 {
                break;
            }
            if time >= to {
                return None;
            }
            apart = time;
            time = (time + (distance / speed).max(least_step)).min(to);
        }
        let mut touching = time;
        for _ in 0..60 {
            let middle = 0.5 * (apart + touching);
            let hit = self.distance(middle) <= 0.0;
            *(if hit { &mut touching } else { &mut apart }) = middle;
        }
        Some((apart, touching))
    }
}

/// The greatest value of a concave function between −0.01 and 0.01, by thirds.
fn greatest(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-0.01, 0.01);
    for _ in 0..90 {
        let third = (high - low) / 3.0;
        if f(low + third) < f(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    f(0.5 * (low + high))
}

/// What came of many cases.
#[derive(Debug, Default)]
struct Tally {
    hits: usize,
    overlapping: usize,
    misses: usize,
    /// Contacts shorter than the sampling could see.
    fleeting: usize,
    /// Touching a few rounding errors too early by the distance.
    rounded: usize,
    /// Within the tolerance, but no contact.
    grazing: usize,
    worst_lag: f64,
    iterations: usize,
    most_iterations: usize,
}

impl Tally {
    fn check(&mut self, case: &Case, near: &Case, name: &str) {
        let options = ImpactOptions::default();
        let impact = case.impact(&options);
        let sampled = near.sampled_contact(0.0, options.max_time, 5e-5 * options.max_time);
        let Some(impact) = impact else {
            assert!(sampled.is_none(), "{name}: missed the contact at {sampled:?}");
            self.misses += 1;
            return;
        };
        assert_ne!(impact.status, ImpactStatus::Unresolved, "{name}: {impact:?}, sampled {sampled:?}");
        self.iterations += impact.iterations;
        self.most_iterations = self.most_iterations.max(impact.iterations);
        if impact.status == ImpactStatus::Overlapping {
            assert_eq!(sampled.map(|s| s.1), Some(0.0), "{name}: {impact:?}");
            self.overlapping += 1;
            return;
        }
        // Never later than the first contact, but for the rounding of the time itself.
        let touching = sampled.map_or(f64::INFINITY, |sampled| sampled.1);
        if impact.time > touching + 1e-14 {
            assert!(near.has_slab(touching, impact.normal), "{name}: {impact:?} is after the contact at {sampled:?}");
            self.rounded += 1;
        }
        let gap = near.distance(impact.time);
        assert!(gap < 1e-9, "{name}: a gap of {gap} at {impact:?}");
        if touching - impact.time < 1e-6 {
            self.hits += 1;
            self.worst_lag = self.worst_lag.max(touching - impact.time);
            return;
        }
        // The sampling saw nothing there. A closer look decides.
        match near.sampled_contact(impact.time, impact.time + 1e-6, 1e-10) {
            Some(_) => self.fleeting += 1,
            None => self.grazing += 1,
        }
    }
}

#[test]
fn convex_pairs_of_all_kinds_against_sampling() {
    let mut rng = Rng::new(1);
    let mut tally = Tally::default();
    for i in 0..cases(20_000) {
        let (kind_a, kind_b) = (i % 7, i / 7 % 7);
        let (a, b) = (rng.convex(kind_a), rng.convex(kind_b));
        let size = a.bounding_sphere().radius + b.bounding_sphere().radius;
        let motion_a = rng.motion(size, 2.0, 10.0);
        let motion_b = rng.motion(size, 10.0, 30.0);
        let case = Case { a, motion_a, b, motion_b };
        tally.check(&case, &case, &format!("case {i}"));
    }
    println!("{tally:?}");
    assert!(tally.grazing <= 2 && tally.fleeting <= 100, "{tally:?}");
}
