//! Shapes in random motion and the search for their first contact by sampling.

use std::fmt;
use tumble_geometry::glam::DVec3;
use tumble_geometry::math::{orthonormal_pair, rotation_from_vector};
use tumble_geometry::query::{Impact, ImpactOptions, ImpactStatus, Motion, Path, distance, time_of_impact};
use tumble_geometry::shape::{Convex, SupportMap};
use tumble_geometry::{Shape, Transform};

/// How many cases: `TUMBLE_CASES`, or the number given.
pub(crate) fn cases(default: usize) -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}

pub(crate) struct Rng(pub(crate) fastrand::Rng);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.f64()
    }

    /// Evenly spread in the logarithm.
    pub(crate) fn scale(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let vector = self.vector();
            if (0.01..1.0).contains(&vector.length_squared()) {
                return vector.normalize();
            }
        }
    }

    pub(crate) fn half_space(&mut self) -> Shape {
        Shape::half_space(self.direction()).expect("a unit vector")
    }

    /// A convex shape of one of seven kinds, 0.015 to 1 in size, sometimes thin.
    pub(crate) fn convex(&mut self, kind: usize) -> Shape {
        let size = self.scale(0.05, 1.0);
        let thin = if self.0.f64() < 0.3 { self.scale(1e-3, 1.0) } else { 1.0 };
        let length = |rng: &mut Self| size * rng.between(0.3, 1.0);
        match kind {
            0 => Shape::sphere(length(self)),
            1 => {
                let mut half_extents = DVec3::new(length(self), length(self), length(self));
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
            6 if self.0.bool() => Shape::ellipsoid([length(self), length(self), length(self) * thin]),
            _ => Shape::custom(Ellipsoid(DVec3::new(length(self), length(self), length(self) * thin))),
        }
        .expect("sizes are in range")
    }

    /// A mesh, a height field or a compound, about 1 in size.
    pub(crate) fn composite(&mut self, kind: usize) -> Shape {
        match kind {
            0 => {
                let (corners, triangles) = bumpy_ball(&mut self.0);
                Shape::mesh(corners, triangles)
            }
            1 => Shape::height_field(9, 9, (0..81).map(|_| 0.3 * self.0.f64()).collect(), [0.25, 0.25]),
            _ => {
                let mut part = |kind| {
                    let pose = Transform::new(rotation_from_vector(self.vector() * 3.0), self.vector() * 0.6);
                    (pose, if kind == 7 { self.composite(0) } else { self.convex(kind) })
                };
                Shape::compound((0..8).map(&mut part).collect())
            }
        }
        .expect("sizes are in range")
    }

    /// Two shapes that pass near each other at some time between 0.2 and 0.9, most of them turning at up to the given rates.
    pub(crate) fn meeting(&mut self, a: Shape, b: Shape, spin_a: f64, spin_b: f64) -> Case {
        let radius = |shape: &Shape| Some(shape.bounding_sphere().radius).filter(|radius| radius.is_finite());
        let (radius_a, radius_b) = (radius(&a), radius(&b));
        let size = radius_a.unwrap_or(0.0) + radius_b.unwrap_or(0.0);
        let time = self.between(0.2, 0.9);
        let mut motion = |radius: Option<f64>, spin: f64| {
            let angular = if self.0.f64() < 0.25 { DVec3::ZERO } else { self.vector() * self.scale(0.01, spin) };
            let center = if self.0.bool() { DVec3::ZERO } else { self.vector() * radius.unwrap_or(size) };
            let linear = if self.0.f64() < 0.1 { DVec3::ZERO } else { self.vector() * size * 10.0 };
            let start = self.vector() * size * 0.7 - linear * time;
            let start = Transform::new(rotation_from_vector(self.vector() * 3.0), start);
            Motion { start, center, linear, angular }
        };
        let (motion_a, motion_b) = (motion(radius_a, spin_a), motion(radius_b, spin_b));
        Case { a, motion_a, b, motion_b }
    }
}

/// A flat sheet of `count` × `count` corners at the given spacing around the origin, facing up.
pub(crate) fn sheet(count: u32, spacing: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let place = |i: u32| (f64::from(i) - 0.5 * f64::from(count - 1)) * spacing;
    let corners = (0..count * count).map(|i| DVec3::new(place(i % count), 0.0, place(i / count))).collect();
    let cell = |i: u32| {
        let (row, column) = (i / (count - 1), i % (count - 1));
        let corner = row * count + column;
        [[corner, corner + count, corner + 1], [corner + 1, corner + count, corner + count + 1]]
    };
    (corners, (0..(count - 1) * (count - 1)).flat_map(cell).collect())
}

/// A closed surface around the origin, between 0.4 and 0.6 from it: rings of corners between two poles.
fn bumpy_ball(rng: &mut fastrand::Rng) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (rings, around) = (5_u32, 8_u32);
    let mut corners = vec![DVec3::Y * 0.5, DVec3::Y * -0.5];
    for ring in 1..=rings {
        let (sin, cos) = libm::sincos(std::f64::consts::PI * f64::from(ring) / f64::from(rings + 1));
        for step in 0..around {
            let (z, x) = libm::sincos(std::f64::consts::TAU * f64::from(step) / f64::from(around));
            corners.push(DVec3::new(x * sin, cos, z * sin) * (0.4 + 0.2 * rng.f64()));
        }
    }
    let at = |ring: u32, step: u32| 2 + ring * around + step % around;
    let mut triangles = Vec::new();
    for step in 0..around {
        triangles.push([0, at(0, step + 1), at(0, step)]);
        triangles.push([1, at(rings - 1, step), at(rings - 1, step + 1)]);
        for ring in 0..rings - 1 {
            let (a, b, c, d) = (at(ring, step), at(ring, step + 1), at(ring + 1, step), at(ring + 1, step + 1));
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    (corners, triangles)
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

fn as_convex(shape: &Shape) -> Option<&dyn Convex> {
    match shape {
        Shape::Sphere(s) => Some(s),
        Shape::Cuboid(s) => Some(s),
        Shape::Capsule(s) => Some(s),
        Shape::Cylinder(s) => Some(s),
        Shape::Cone(s) => Some(s),
        Shape::Ellipsoid(s) => Some(s),
        Shape::Hull(s) => Some(s.as_ref()),
        Shape::Custom(s) => Some(s),
        _ => None,
    }
}

/// Two shapes in motion.
pub(crate) struct Case<P = Motion> {
    pub(crate) a: Shape,
    pub(crate) motion_a: P,
    pub(crate) b: Shape,
    pub(crate) motion_b: P,
}

impl Case {
    pub(crate) fn impact(&self, options: &ImpactOptions) -> Option<Impact> {
        time_of_impact(&self.a, &self.motion_a, &self.b, &self.motion_b, options)
    }
}

impl<P: Path> Case<P> {
    pub(crate) fn b_in_a(&self, time: f64) -> Transform {
        self.motion_a.pose(time).to_local(&self.motion_b.pose(time))
    }

    pub(crate) fn distance(&self, time: f64) -> f64 {
        distance(&self.a, &self.b, &self.b_in_a(time)).distance
    }

    /// The gap of two convex shapes that a slab with the given normal (in the frame of the first) shows, times the length of
    /// the normal: if positive, the shapes are apart. `None` if one is not convex.
    pub(crate) fn gap_along(&self, time: f64, normal: DVec3) -> Option<f64> {
        let pose = self.b_in_a(time);
        let (a, b) = (as_convex(&self.a)?, as_convex(&self.b)?);
        let lowest = pose.point(b.support(pose.inverse_vector(-normal)));
        Some((lowest - a.support(normal)).dot(normal) - (a.radius() + b.radius()) * normal.length())
    }

    /// Whether two convex shapes are proven to be apart, however the distance was rounded: a slab fits between them, with a
    /// normal near the given one. The gap along `n + x u + y v` (not of unit length) is a concave function of x and y.
    fn has_slab(&self, time: f64, normal: DVec3) -> bool {
        let (u, v) = orthonormal_pair(normal);
        let along = |x: f64, y: f64| self.gap_along(time, normal + u * x + v * y).unwrap_or(f64::NEG_INFINITY);
        greatest(|x| greatest(|y| along(x, y))) > 0.0
    }

    /// The highest speed at which the distance can change before `time`.
    fn speed(&self, time: f64) -> f64 {
        let (bounds_a, bounds_b) = (self.motion_a.bounds(0.0, time), self.motion_b.bounds(0.0, time));
        let linear = bounds_a.speed + bounds_b.speed;
        let apart = self.b_in_a(0.0).translation.length() + linear * time;
        let turning = |shape: &Shape, path: &P, rate: f64, other: &Shape| {
            if rate == 0.0 {
                return 0.0;
            }
            // Of an endless shape only what is near the other one matters.
            let sphere = shape.bounding_sphere();
            let near = apart + 2.0 * other.bounding_sphere().radius + path.center().length();
            let reach = (sphere.center.distance(path.center()) + sphere.radius).min(near);
            rate * reach
        };
        linear
            + turning(&self.a, &self.motion_a, bounds_a.angular_speed, &self.b)
            + turning(&self.b, &self.motion_b, bounds_b.angular_speed, &self.a)
    }

    /// The first contact between two times by sampling: the last time known to be apart and the first known to touch.
    pub(crate) fn sampled_contact(&self, from: f64, to: f64, least_step: f64) -> Option<(f64, f64)> {
        let speed = self.speed(to).max(1e-9);
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
pub(crate) struct Tally {
    pub(crate) hits: usize,
    pub(crate) overlapping: usize,
    pub(crate) misses: usize,
    /// Contacts shorter than the sampling could see.
    pub(crate) fleeting: usize,
    /// Touching a few rounding errors too early by the distance.
    pub(crate) rounded: usize,
    /// Within the tolerance, but no contact.
    pub(crate) grazing: usize,
    worst_lag: f64,
    iterations: usize,
    most_iterations: usize,
}

impl Tally {
    pub(crate) fn total(&self) -> usize {
        self.hits + self.overlapping + self.misses + self.fleeting + self.grazing
    }

    /// Checks the impact within one second against sampling.
    pub(crate) fn check<P: Path>(&mut self, case: &Case<P>, found: Option<Impact>, name: &str) {
        let sampled = case.sampled_contact(0.0, 1.0, 5e-5);
        let Some(impact) = found else {
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
        let touching = sampled.map_or(f64::INFINITY, |sampled| sampled.1);
        if impact.time > touching + 1e-14 {
            // Later than the distance says, which has rounding errors of its own. A slab decides.
            assert!(case.has_slab(touching, impact.normal), "{name}: {impact:?} is after the contact at {sampled:?}");
            self.rounded += 1;
        }
        let gap = case.distance(impact.time);
        assert!(gap < 1e-9, "{name}: a gap of {gap} at {impact:?}");
        if touching - impact.time < 1e-6 {
            self.hits += 1;
            self.worst_lag = self.worst_lag.max(touching - impact.time);
            return;
        }
        // The sampling saw nothing there. A closer look decides.
        match case.sampled_contact(impact.time, impact.time + 1e-6, 1e-10) {
            Some(_) => self.fleeting += 1,
            None => self.grazing += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { hits, overlapping, misses, fleeting, rounded, grazing, worst_lag, iterations, most_iterations } =
            self;
        let mean = *iterations as f64 / (self.total() - misses).max(1) as f64;
        write!(f, "{hits} hits, {overlapping} overlapping, {misses} misses, {fleeting} fleeting, {rounded} rounded, ")?;
        write!(f, "{grazing} grazing; at most {worst_lag:.1e} s early; {mean:.1} iterations, at most {most_iterations}")
    }
}
