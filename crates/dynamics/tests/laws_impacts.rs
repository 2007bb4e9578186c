//! Impacts in a row of balls: passed on one by one, as in Newton's cradle (K 3.3.3), against an oracle that knows only
//! collisions of two.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::method::retroactive::RetroactiveSettings;
use tumble_dynamics::{Body, BodyId, Material, World};

/// Balls in a row along x, with masses and velocities; the gap after each.
struct Row {
    masses: Vec<f64>,
    velocities: Vec<f64>,
    gaps: Vec<f64>,
    restitution: f64,
}

impl Row {
    /// Equal balls that touch; the first `moving` of them come from the left at 1 m/s.
    fn cradle(moving: usize, restitution: f64) -> Self {
        let mut gaps = vec![0.0; 5];
        gaps[moving - 1] = 0.01;
        let velocities = (0..5).map(|i| f64::from(i < moving)).collect();
        Self { masses: vec![1.0; 5], velocities, gaps, restitution }
    }

    /// The velocities after half a second.
    fn simulated(&self, settings: RetroactiveSettings, dt: f64) -> Vec<f64> {
        let mut world = World::with_method(Retroactive::new().with_settings(settings));
        world.set_gravity([0.0; 3]);
        let material = Material { restitution: self.restitution, ..Material::ICE };
        let mut x = 0.0;
        let bodies: Vec<BodyId> = (0..self.masses.len())
            .map(|i| {
                let ball =
                    Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_material(material).at([x, 0.0, 0.0]);
                x += 0.2 + self.gaps[i];
                let ball = ball.with_mass(self.masses[i]).with_velocity([self.velocities[i], 0.0, 0.0]).without_sleep();
                world.add_body(ball).unwrap()
            })
            .collect();
        while world.time() < 0.5 {
            world.step(dt).unwrap();
        }
        bodies.iter().map(|&id| world.body(id).unwrap().velocity().x).collect()
    }

    /// The velocities after all collisions, if each is one of two balls and those that approach fastest go first.
    fn one_by_one(&self) -> Vec<f64> {
        let mut v = self.velocities.clone();
        for _ in 0..10_000 {
            let approach = |i: &usize| v[*i] - v[i + 1];
            let Some(i) = (0..v.len() - 1).max_by(|a, b| approach(a).total_cmp(&approach(b))) else { break };
            let speed = approach(&i);
            if speed < 1e-13 {
                break;
            }
            let (m, n) = (self.masses[i], self.masses[i + 1]);
            let impulse = (1.0 + self.restitution) * speed * m * n / (m + n);
            v[i] -= impulse / m;
            v[i + 1] += impulse / n;
        }
        v
    }
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    let error = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error <= tolerance, "{found:.6?} instead of {expected:.6?}");
}

/// Every approach bounces, however slow.
fn sensitive() -> RetroactiveSettings {
    RetroactiveSettings { restitution_threshold: 1e-9, ..RetroactiveSettings::default() }
}

#[test]
fn as_many_balls_leave_as_come() {
    for moving in 1..=4 {
        let expected: Vec<f64> = (0..5).map(|i| f64::from(i >= 5 - moving)).collect();
        for dt in [1.0 / 60.0, 1.0 / 240.0, 1e-3] {
            let found = Row::cradle(moving, 1.0).simulated(RetroactiveSettings::default(), dt);
            assert_close(&found, &expected, 1e-9);
        }
    }
}

#[test]
fn lossy_balls_end_as_if_hit_one_by_one() {
    for restitution in [0.9, 0.7, 0.5] {
        let row = Row::cradle(1, restitution);
        assert_close(&row.simulated(sensitive(), 1.0 / 240.0), &row.one_by_one(), 1e-6);
    }
    let expected = [0.04352508203125, 0.04537296484375, 0.047296640625, 0.0492990625, 0.81450625];
    assert_close(&Row::cradle(1, 0.9).one_by_one(), &expected, 1e-12);
}

#[test]
fn small_gaps_make_no_difference() {
    for restitution in [1.0, 0.9] {
        let mut row = Row::cradle(1, restitution);
        row.gaps = vec![1e-4; 5];
        assert_close(&row.simulated(sensitive(), 1.0 / 960.0), &row.one_by_one(), 1e-6);
    }
}

#[test]
fn balls_of_different_mass() {
    let row = Row {
        masses: vec![3.0, 1.0, 0.5, 2.0],
        velocities: vec![1.0, 0.0, 0.0, 0.0],
        gaps: vec![0.01, 0.0, 0.0, 0.0],
        restitution: 1.0,
    };
    let found = row.simulated(sensitive(), 1.0 / 240.0);
    let total = |f: &dyn Fn(f64, f64) -> f64| found.iter().zip(&row.masses).map(|(&v, &m)| f(m, v)).sum::<f64>();
    assert!((total(&|m, v| m * v) - 3.0).abs() < 1e-9, "momentum");
    assert!((total(&|m, v| m * v * v) - 3.0).abs() < 1e-6, "energy {}", total(&|m, v| m * v * v));
    assert!(found.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9), "in order: {found:?}");
}

#[test]
fn without_rounds_what_touches_shares_the_impact() {
    let settings = RetroactiveSettings { impact_rounds: 0, ..RetroactiveSettings::default() };
    assert_close(&Row::cradle(1, 1.0).simulated(settings, 1.0 / 240.0), &[-0.6, 0.4, 0.4, 0.4, 0.4], 1e-9);
    assert_close(&Row::cradle(1, 0.9).simulated(settings, 1.0 / 240.0), &[-0.52, 0.38, 0.38, 0.38, 0.38], 1e-9);
}

/// Elastic balls packed between two walls hand the impulse to and fro for ever (K Fig. 3.7): a step ends nevertheless, and
/// makes no energy.
#[test]
fn packed_between_walls() {
    let mut world = World::with_method(Retroactive::new().with_settings(sensitive()));
    world.set_gravity([0.0; 3]);
    let material = Material { restitution: 1.0, ..Material::ICE };
    for x in [-0.6, 0.6] {
        let wall = Body::fixed().at([x, 0.0, 0.0]).with_shape(Shape::cuboid([0.1, 1.0, 1.0]).unwrap());
        world.add_body(wall.with_material(material)).unwrap();
    }
    for i in 0..5 {
        let ball = Body::dynamic().at([-0.4 + 0.2 * f64::from(i), 0.0, 0.0]).with_shape(Shape::sphere(0.1).unwrap());
        let ball = world.add_body(ball.with_material(material).with_mass(1.0)).unwrap();
        if i == 2 {
            world.body_mut(ball).unwrap().apply_impulse([1.0, 0.0, 0.0]).unwrap();
        }
    }
    let mut energy = world.energy().total();
    for _ in 0..240 {
        world.step(1.0 / 240.0).unwrap();
        let now = world.energy().total();
        assert!(now <= energy * (1.0 + 1e-9), "{now} J after {energy} J");
        energy = now;
    }
    assert!(world.bodies().all(|(_, body)| body.position().x.abs() < 0.61));
}
