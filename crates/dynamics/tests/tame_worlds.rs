//! Joints in tame worlds stay tame: random bodies of about a metre that move at a few m/s, with every joint of the catalogue, do not
//! gain energy out of nothing, wherever the joint leads them.
//!
//! Between the world and a body the energy oscillates by a thousandth or so at 60 Hz, a rod on a fast body by some hundredths.
//! What is meant here are joints whose formula has a place where its gradient jumps or grows without bound; there energy grew
//! tenfold and thousandfold.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod catalogue;

use catalogue::{Beside, Case, cases};
use glam::DVec3;
use std::sync::Arc;
use tumble_dynamics::ModelError;
use tumble_dynamics::constraint::discrepancy::{Pairs, PointPair};
use tumble_dynamics::constraint::{Attach, BodyView, Constraint, JointView, Row, Softness};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::filter::Verdict;
use tumble_dynamics::model::{CollisionFilter, Joint, JointEnd};
use tumble_dynamics::{Body, World};

/// The masses of the two ends in kg; none for the world.
type Masses = [Option<f64>; 2];

/// With the world, between two bodies, and with one a thousand times as heavy as the other.
const ALIKE: [Masses; 2] = [[None, Some(2.0)], [Some(1.0), Some(3.0)]];
const UNLIKE: [Masses; 2] = [[Some(1.0), Some(1000.0)], [Some(1000.0), Some(1.0)]];

fn vector(random: &mut fastrand::Rng, size: f64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| (2.0 * random.f64() - 1.0) * size))
}

/// Two random bodies about the origin.
fn ends(world: &mut World, masses: Masses, random: &mut fastrand::Rng) -> [JointEnd; 2] {
    world.set_filter(CollisionFilter::new().otherwise(Verdict::Ignore));
    let centers = [DVec3::new(-0.4, 0.1, 0.2), DVec3::new(0.5, 0.2, -0.1)];
    [0, 1].map(|k| {
        let Some(mass) = masses[k] else { return JointEnd::World };
        let half = DVec3::new(random.f64(), random.f64(), random.f64()) * 0.4 + 0.2;
        let body = Body::dynamic().with_shape(Shape::cuboid(half).unwrap()).with_mass(mass).without_sleep();
        let body = body.at(centers[k] + vector(random, 0.2)).rotated(rotation_from_vector(vector(random, 2.0)));
        let body = body.with_velocity(vector(random, 2.0)).with_angular_velocity(vector(random, 4.0));
        JointEnd::Body(world.add_body(body).unwrap())
    })
}

/// A joint of the catalogue, and what stands beside it, between two random bodies that fall.
fn jointed(case: &Case, masses: Masses, random: &mut fastrand::Rng) -> World {
    let mut world = World::with_method(Retroactive::new());
    let ends = ends(&mut world, masses, random);
    world.add_joint(Joint::new(ends[0], ends[1], case.joint.clone())).unwrap();
    for (what, beside) in &case.beside {
        let ends = match what {
            Beside::Each => ends,
            Beside::WorldAndFirst => [JointEnd::World, ends[0]],
            Beside::WorldAndSecond => [JointEnd::World, ends[1]],
        };
        world.add_joint(Joint::new(ends[0], ends[1], beside.clone())).unwrap();
    }
    world
}

/// The largest rise of energy above its least value so far, relative to what a fall by a metre and the motion at the beginning
/// make together.
fn rise(mut world: World, dt: f64, seconds: f64) -> f64 {
    let start = world.energy();
    let scale = start.kinetic + 10.0 * world.bodies().map(|(_, body)| body.mass()).sum::<f64>();
    let (mut least, mut rise) = (start.total(), 0.0_f64);
    for _ in 0..(seconds / dt) as usize {
        world.step(dt).unwrap();
        let energy = world.energy().total();
        least = least.min(energy);
        rise = rise.max((energy - least) / scale);
    }
    rise
}

/// Asserts that the energy of some worlds with a case's joint does not rise by more than a part.
fn check(case: &Case, masses: &[Masses], (dt, seconds): (f64, f64), worlds: usize, allowed: f64) {
    let mut random = fastrand::Rng::with_seed(11);
    for &masses in masses.iter().filter(|masses| masses[0].is_some() || !case.needs_two_bodies()) {
        for number in 0..worlds {
            let rise = rise(jointed(case, masses, &mut random), dt, seconds);
            assert!(rise < allowed, "{} {}, {masses:?}, world {number}: by {rise:.1e}", case.name, case.kind);
        }
    }
}

#[test]
fn no_joint_of_the_catalogue_makes_energy() {
    // A spring stores energy, which is not counted.
    for case in cases().iter().filter(|case| case.kind != "spring") {
        check(case, &ALIKE, (1.0 / 60.0, 2.5), 3, 0.2);
        check(case, &UNLIKE, (1.0 / 240.0, 1.0), 2, 0.01);
    }
}

/// A heavy body draws a light one up to its wheel; rotations go through half a turn; lines become parallel.
#[test]
fn joints_with_a_singular_place_make_no_energy_there() {
    let both = [ALIKE, UNLIKE].concat();
    for case in &cases() {
        let (masses, allowed) = match case.name {
            "pulley" => (&both[..], 0.06),
            "joystick" => (&both[..], 0.01),
            "lines" => (&ALIKE[..], 0.01),
            _ => continue,
        };
        check(case, masses, (1.0 / 60.0, 5.0), 8, allowed);
    }
}

/// Pairs whose driven points are to have their speeds at once, whatever that takes.
#[derive(Debug)]
struct Insisting<T>(T);

impl Attach for Insisting<Pairs> {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        Ok(Arc::new(Insisting(self.0.attach(bodies)?)))
    }
}

impl Constraint for Insisting<Arc<dyn Constraint>> {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        self.0.rows(joint, rows);
        rows.iter_mut().filter(|row| row.target_rate != 0.0).for_each(|row| row.softness = Softness::Rigid);
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.0.anchors(bodies)
    }
}

/// The largest speed in a weightless world where points are held and driven at random, at up to 3.5 m/s.
fn driven(held: usize, driven: usize, masses: Masses, insisting: bool, random: &mut fastrand::Rng) -> f64 {
    let mut world = World::with_method(Retroactive::new());
    world.set_gravity(DVec3::ZERO);
    let speeds = std::iter::repeat_n(0.0, held).chain(std::iter::repeat_n(2.0, driven));
    let pair = |speed| PointPair { point: vector(random, 0.5), velocity: vector(random, speed), factor: 1.0 };
    let pairs = Pairs { pairs: speeds.map(pair).collect() };
    let joint: Arc<dyn Attach> = if insisting { Arc::new(Insisting(pairs)) } else { Arc::new(pairs) };
    let ends = ends(&mut world, masses, random);
    world.add_joint(Joint::new(ends[0], ends[1], joint)).unwrap();
    let mut fastest = 0.0_f64;
    for _ in 0..240 {
        if world.step(1.0 / 60.0).is_err() {
            return f64::INFINITY;
        }
        fastest = world.bodies().map(|(_, body)| body.velocity().length()).fold(fastest, f64::max);
    }
    fastest
}

/// A point that is driven towards one that is held cannot go there however fast the body turns.
#[test]
fn driven_points_do_not_insist_on_what_cannot_be() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut insisted = 0.0_f64;
    for (held, others) in [(0, 1), (1, 1), (0, 2), (1, 2), (2, 1), (0, 3), (2, 2)] {
        for masses in ALIKE {
            for _ in 0..4 {
                let fastest = driven(held, others, masses, false, &mut random);
                assert!(fastest < 30.0, "{held} held and {others} driven, {masses:?}: {fastest} m/s");
                insisted = insisted.max(driven(held, others, masses, true, &mut random));
            }
        }
    }
    assert!(insisted > 1000.0, "who insists comes to {insisted} m/s");
}
