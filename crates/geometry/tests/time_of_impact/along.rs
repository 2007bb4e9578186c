//! Impacts of shapes on curved paths.

use crate::motions::{self, Case, Rng, Tally, cases};
use crate::{at, floors};
use tumble_geometry::glam::DVec3;
use tumble_geometry::math::{rotation_about, rotation_from_vector};
use tumble_geometry::query::{
    Ballistic, Impact, ImpactOptions, ImpactStatus, Motion, Path, PathBounds, time_of_impact_along,
};
use tumble_geometry::{Shape, Transform};

/// A top: it turns about an axis of its own, which turns about a fixed one; its centre is thrown and swings to and fro.
#[derive(Clone, Copy)]
struct Top {
    flight: Ballistic,
    /// The fixed axis and the rate of precession about it.
    precession: DVec3,
    swing: DVec3,
    rate: f64,
}

impl Path for Top {
    fn pose(&self, time: f64) -> Transform {
        let flight = self.flight.pose(time);
        let turned = rotation_from_vector(self.precession * time);
        let center = flight.point(self.center()) + self.swing * libm::sin(self.rate * time);
        let rotation = turned * flight.rotation;
        Transform::new(rotation, center - rotation * self.center())
    }

    fn bounds(&self, from: f64, to: f64) -> PathBounds {
        let flight = self.flight.bounds(from, to);
        let (swing, precession) = (self.swing.length() * self.rate, self.precession.length());
        PathBounds {
            speed: flight.speed + swing,
            angular_speed: flight.angular_speed + precession,
            acceleration: flight.acceleration + swing * self.rate,
            // ω = p + P(t) s, and P s turns at the rate |p|.
            angular_acceleration: flight.angular_speed * precession,
        }
    }

    fn center(&self) -> DVec3 {
        self.flight.center()
    }

    fn velocity(&self, time: f64) -> Option<[DVec3; 2]> {
        let [linear, angular] = self.flight.velocity(time)?;
        let turned = rotation_from_vector(self.precession * time);
        let swing = self.swing * (self.rate * libm::cos(self.rate * time));
        Some([linear + swing, self.precession + turned * angular])
    }
}

/// The same, of which only the speeds are known.
struct Speeds(Top);

impl Path for Speeds {
    fn pose(&self, time: f64) -> Transform {
        self.0.pose(time)
    }

    fn bounds(&self, from: f64, to: f64) -> PathBounds {
        let bounds = self.0.bounds(from, to);
        PathBounds::of_speeds(bounds.speed, bounds.angular_speed)
    }

    fn center(&self) -> DVec3 {
        self.0.center()
    }
}

impl<P: Path> Case<P> {
    fn impact_along(&self, options: &ImpactOptions) -> Option<Impact> {
        time_of_impact_along(&self.a, &self.motion_a, &self.b, &self.motion_b, options)
    }
}

/// Curved paths that pass near each other.
fn curved(rng: &mut Rng, a: Shape, b: Shape) -> Case<Top> {
    let radius = |shape: &Shape| Some(shape.bounding_sphere().radius).filter(|radius| radius.is_finite());
    let size = radius(&a).unwrap_or(1.0) + radius(&b).unwrap_or(1.0);
    let Case { a, motion_a, b, motion_b } = rng.meeting(a, b, 3.0, 10.0);
    let mut bend = |launch: Motion| {
        let acceleration = rng.vector() * (20.0 * size);
        // Half-way through it is where the straight motion would have been.
        let linear = launch.linear - acceleration * 0.25;
        let flight = Ballistic { launch: Motion { linear, ..launch }, acceleration };
        let precession = if rng.0.bool() { rng.vector() * 5.0 } else { DVec3::ZERO };
        let rate = rng.between(1.0, 10.0);
        Top { flight, precession, swing: rng.vector() * (0.3 * size), rate }
    };
    Case { a, motion_a: bend(motion_a), b, motion_b: bend(motion_b) }
}

#[test]
fn every_pair_of_shapes_on_curved_paths_against_sampling() {
    let mut rng = Rng::new(21);
    let mut tally = Tally::default();
    for i in 0..cases(1500) {
        let (a, b) = match i % 5 {
            0 => (rng.half_space(), rng.convex(i / 5 % 7)),
            1 => (rng.composite(2 * (i / 5 % 2)), rng.convex(i / 10 % 7)),
            _ => (rng.convex(i % 7), rng.convex(i / 7 % 7)),
        };
        let (a, b) = if i % 2 == 0 { (a, b) } else { (b, a) };
        let case = curved(&mut rng, a, b);
        tally.check(&case, case.impact_along(&ImpactOptions::default()), &format!("case {i}"));
    }
    println!("curved: {tally}");
    assert!(tally.hits > tally.total() / 4 && tally.grazing <= 2, "{tally}");
}

#[test]
fn composite_shapes_on_curved_paths_against_sampling() {
    let mut rng = Rng::new(22);
    let mut tally = Tally::default();
    for i in 0..cases(60) {
        // A height field has no upright sides: what comes in there has no impact, though it overlaps.
        let (a, b) = (rng.composite(2 * (i % 2)), rng.composite(2 * (i / 2 % 2)));
        let case = curved(&mut rng, a, b);
        tally.check(&case, case.impact_along(&ImpactOptions::default()), &format!("case {i}"));
    }
    println!("composite: {tally}");
    assert!(tally.hits > tally.total() / 4 && tally.grazing <= 2, "{tally}");
}

/// Checks that points and normal belong to the poses at the time of the impact, also if the time that is asked about ends
/// just with it. How many impacts there were.
fn check_points<P: Path>(case: &Case<P>, name: &str) -> usize {
    let mut hits = 0;
    let Some(first) = case.impact_along(&ImpactOptions::default()) else { return 0 };
    for max_time in [1.0, first.time, first.time + 1e-13] {
        let found = case.impact_along(&ImpactOptions { max_time, ..ImpactOptions::default() });
        let Some(found) = found.filter(|found| found.status == ImpactStatus::Hit) else { continue };
        hits += 1;
        let pose = case.b_in_a(found.time);
        let off = |shape: &Shape, point: DVec3| {
            shape.closest_point(point).map_or(f64::INFINITY, |closest| closest.distance.abs())
        };
        let (off_a, off_b) = (off(&case.a, found.point_a), off(&case.b, pose.inverse_point(found.point_b)));
        let gap = found.point_a.distance(found.point_b);
        assert!(off_a < 1e-9 && off_b < 1e-9 && gap < 1e-9, "{name}: {off_a:.1e} {off_b:.1e} {gap:.1e} {found:?}");
        let slab = case.gap_along(found.time, found.normal).unwrap_or(0.0);
        assert!(slab > -1e-9 && (found.normal.length() - 1.0).abs() < 1e-12, "{name}: {slab:.1e} {found:?}");
    }
    hits
}

#[test]
fn the_points_lie_on_both_surfaces_at_the_time_of_the_impact() {
    let mut rng = Rng::new(25);
    let (mut hits, mut landed) = (0, 0);
    for i in 0..cases(1000) {
        let (a, b) = match i % 5 {
            0 => (rng.half_space(), rng.convex(i / 5 % 7)),
            1 => (rng.composite(2 * (i / 5 % 2)), rng.convex(i / 10 % 7)),
            2 if i % 25 == 2 => (rng.composite(2 * (i / 5 % 2)), rng.composite(2 * (i / 10 % 2))),
            _ => (rng.convex(i % 7), rng.convex(i / 7 % 7)),
        };
        let (a, b) = if i % 2 == 0 { (a, b) } else { (b, a) };
        hits += check_points(&curved(&mut rng, a, b), &format!("case {i}"));
    }
    // Straight down on level ground the end of the search is the end of the fall: it does not come closer in between.
    for i in 0..cases(400) {
        let (ground, still) = floors().swap_remove(i % floors().len());
        let thrown = rng.convex(i % 7);
        let height = rng.between(2.0, 3.0);
        let side = DVec3::new(rng.between(-0.3, 0.3), rng.between(-3.0, 3.0), rng.between(-0.3, 0.3));
        let launch = Motion::translating(at(0.1, height, 0.2), side);
        let path_a = Ballistic { launch: still, acceleration: DVec3::ZERO };
        let path_b = Ballistic { launch, acceleration: DVec3::Y * rng.between(-20.0, -8.0) };
        let case = Case { a: ground, motion_a: path_a, b: thrown, motion_b: path_b };
        landed += check_points(&case, &format!("fall {i}"));
    }
    println!("{hits} and {landed} impacts");
    assert!(hits > 500 && landed > 400, "{hits} {landed}");
}

/// Bounds on the speeds alone are enough, if a little more than rounding is allowed for.
#[test]
fn paths_of_which_only_the_speeds_are_known() {
    let mut rng = Rng::new(23);
    let options = ImpactOptions { tolerance: 1e-6, ..ImpactOptions::default() };
    let mut hits = 0;
    for i in 0..cases(300) {
        let (a, b) = (rng.convex(i % 7), rng.convex(i / 7 % 7));
        let Case { a, motion_a, b, motion_b } = curved(&mut rng, a, b);
        let known = Case { a: a.clone(), motion_a, b: b.clone(), motion_b }.impact_along(&options);
        let case = Case { a, motion_a: Speeds(motion_a), b, motion_b: Speeds(motion_b) };
        let (Some(known), Some(found)) = (known, case.impact_along(&options)) else { continue };
        if found.status == ImpactStatus::Hit && known.status == ImpactStatus::Hit {
            assert!(case.distance(found.time) <= 1e-6, "case {i}: {found:?}");
            let sampled = case.sampled_contact(0.0, 1.0, 5e-5).map_or(f64::INFINITY, |sampled| sampled.1);
            assert!(found.time <= sampled, "case {i}: {found:?}, sampled {sampled}");
            hits += 1;
        }
    }
    assert!(hits > 50, "{hits}");
}

#[test]
fn constant_motions_are_paths_too() {
    let mut rng = Rng::new(24);
    let options = ImpactOptions::default();
    for i in 0..cases(1000) {
        let (a, b) = (rng.convex(i % 7), rng.convex(i / 7 % 7));
        let case = rng.meeting(a, b, 10.0, 30.0);
        let (straight, along) = (case.impact(&options), case.impact_along(&options));
        let (Some(straight), Some(along)) = (straight, along) else {
            // Either may see a gap of a rounding error as a contact.
            assert!(straight.or(along).is_none_or(|found| case.distance(found.time) < 1e-9), "case {i}");
            continue;
        };
        assert!((straight.time - along.time).abs() < 1e-6, "case {i}: {straight:?} {along:?}");
    }
}

/// A path that dips towards the floor and rises again: `y = y₀ + v t + ½ a t²` is lowest, `v²/2a` below its start, at `−v/a`.
#[test]
fn near_misses_are_no_impacts_and_dips_are() {
    let ball = Shape::sphere(0.25).unwrap();
    let crate_box = Shape::cuboid([0.3, 0.25, 0.2]).unwrap();
    let (down, up) = (-4.0, 10.0);
    let dip = down * down / (2.0 * up);
    for (number, (floor, still)) in floors().into_iter().enumerate() {
        for (shape, spin) in [(&ball, DVec3::ZERO), (&ball, DVec3::new(3.0, 1.0, 20.0)), (&crate_box, DVec3::Y * 7.0)] {
            for miss in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
                let flight = |height: f64| {
                    let start = at(-0.3, 0.25 + dip + height, 0.1);
                    let launch = Motion { angular: spin, ..Motion::translating(start, DVec3::new(0.9, down, 0.2)) };
                    Ballistic { launch, acceleration: DVec3::Y * up }
                };
                let impact = |height: f64| {
                    time_of_impact_along(&floor, &still, shape, &flight(height), &ImpactOptions::default())
                };
                assert_eq!(impact(miss), None, "floor {number}, by {miss}");
                let found = impact(-miss).unwrap();
                let expected = (-down - (2.0 * up * miss).sqrt()) / up;
                assert!(found.time <= expected + 1e-12, "floor {number}, {miss}: {found:?}, {expected}");
                // The gap closes like a parabola: the time is as good as the gap divided by the speed.
                let speed = (2.0 * up * miss).sqrt();
                assert!(expected - found.time < 1e-9 / speed + 1e-12, "floor {number}, {miss}: {found:?}, {expected}");
                assert_eq!(found.status, ImpactStatus::Hit);
                // In the frame of the floor, which is level.
                assert!((found.normal - DVec3::Y).length() < 1e-6, "floor {number}: {found:?}");
                let (a, b) = (still.start.point(found.point_a), still.start.point(found.point_b));
                assert!(a.y.abs() < 1e-9 && b.y.abs() < 1e-9 && a.distance(b) < 1e-9, "floor {number}: {found:?}");
            }
        }
    }
}

#[test]
fn what_touches_at_the_start_has_an_impact_if_it_gets_deeper_or_comes_back() {
    let crate_box = Shape::cuboid([0.5, 0.25, 0.5]).unwrap();
    let options = ImpactOptions { max_time: 0.5, ..ImpactOptions::default() };
    for (number, (floor, still)) in floors().into_iter().enumerate() {
        let impact = |linear: DVec3, acceleration: DVec3| {
            let launch = Motion::translating(at(0.1, 0.25, 0.2), linear);
            let flight = Ballistic { launch, acceleration };
            let found = time_of_impact_along(&floor, &still, &crate_box, &flight, &options);
            found.map(|found| (found.time, found.status))
        };
        assert_eq!(impact(DVec3::ZERO, DVec3::ZERO), None, "rests on floor {number}");
        assert_eq!(impact(DVec3::X, DVec3::Z * 3.0), None, "slides on floor {number}");
        assert_eq!(impact(DVec3::X, DVec3::Y * 3.0), None, "leaves floor {number}");
        let sinks = Some((0.0, ImpactStatus::Touching));
        assert_eq!(impact(DVec3::X, DVec3::Y * -3.0), sinks, "sinks into floor {number}");
        // A hop of 0.4 s.
        let (time, status) = impact(DVec3::new(1.0, 2.0, 0.0), DVec3::Y * -10.0).unwrap();
        assert!((time - 0.4).abs() < 1e-9 && time <= 0.4 + 1e-12, "hops on floor {number}: {time}");
        assert_eq!(status, ImpactStatus::Hit);
    }
}

#[test]
fn strange_paths_do_no_harm() {
    let ball = Shape::sphere(0.5).unwrap();
    let floor = motions::sheet(5, 1.0);
    let floor = Shape::mesh(floor.0, floor.1).unwrap();
    let still = Motion::still(Transform::new(rotation_about(DVec3::X, 0.1), DVec3::ZERO));
    let options = ImpactOptions::default();
    for number in [0.0, 1.0, 1e9, 1e30, 1e300, f64::NAN, f64::INFINITY] {
        for sign in [-1.0, 1.0] {
            let launch = Motion::translating(at(0.0, 2.0, 0.0), DVec3::new(0.0, number * sign, 0.0));
            let flight = Ballistic { launch, acceleration: DVec3::Y * -number };
            let found = time_of_impact_along(&floor, &still, &ball, &flight, &options);
            assert!(found.is_none_or(|found| (0.0..=1.0).contains(&found.time)), "{number}: {found:?}");
        }
    }
    let endless = ImpactOptions { max_time: f64::INFINITY, ..options };
    assert_eq!(time_of_impact_along(&floor, &still, &ball, &still, &endless), None);
}
