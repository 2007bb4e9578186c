//! Limits, gears and the other joints of the catalogue: derivatives against numerical differentiation, and what is refused
//! when they are made.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod catalogue;
mod moving;

use glam::DVec3;
use moving::{check_derivatives, random_vector};
use std::f64::consts::PI;
use tumble_dynamics::constraint::limit::{
    AngularLimit, ConeLimit, EllipticConeLimit, ReachCone, Stop, SwingTwist, TwistLimit, WedgeLimit,
};
use tumble_dynamics::constraint::study::{CrossHinge, CrossMatrixHinge, QuaternionLock};
use tumble_dynamics::constraint::{
    Attach, BodyView, Drive, Freedom, Gear, Pulley, RackAndPinion, SixAxes, Wheel, allowed_rotations,
};

/// Everything in the catalogue, and that is everything that is registered (see `joints_hold`).
#[test]
fn derivatives_of_every_joint() {
    for case in catalogue::cases() {
        check_derivatives(case.name, |_| Box::new(case.joint.clone()));
    }
}

fn angle(random: &mut fastrand::Rng) -> f64 {
    0.01 + 3.0 * random.f64()
}

#[test]
fn derivatives_of_limits() {
    check_derivatives("twist", |random| Box::new(TwistLimit::about(random_vector(random), -1.0, 1.0)));
    check_derivatives("angular", |random| Box::new(AngularLimit::about(random_vector(random), -1.0, 1.0)));
    check_derivatives("cone", |random| {
        Box::new(ConeLimit::around(random_vector(random), angle(random)).with_center(random_vector(random)))
    });
    check_derivatives("narrow cone", |random| Box::new(ConeLimit::around(random_vector(random), 1e-3)));
    check_derivatives("elliptic cone", |random| {
        let angles = [angle(random), angle(random)];
        Box::new(EllipticConeLimit::around(random_vector(random), random_vector(random), angles))
    });
    check_derivatives("wedge", |random| {
        let (min, max) = (-angle(random), angle(random));
        Box::new(WedgeLimit::about(random_vector(random), random_vector(random), min, max))
    });
    check_derivatives("reach cone", |random| Box::new(ReachCone::regular(random_vector(random), angle(random))));
    check_derivatives("irregular reach cone", |random| {
        Box::new(ReachCone::irregular(random_vector(random), vec![DVec3::X, DVec3::new(0.3, 1.0, 0.1), DVec3::Z]))
    });
    check_derivatives("swing and twist", |random| {
        let joint = SwingTwist::at(random_vector(random), random_vector(random), random_vector(random));
        Box::new(joint.with_swing(angle(random), angle(random)).with_friction(1.0))
    });
}

#[test]
fn derivatives_of_compound_joints() {
    let coordinate = Freedom { min: Some(-1.0), max: Some(1.0), friction: 1.0, ..Freedom::FREE };
    let coordinate = coordinate.with_motor(1.0, 2.0).with_drive(Drive::default());
    check_derivatives("six axes", |random| {
        let joint = SixAxes::at(random_vector(random)).along(random_vector(random), random_vector(random));
        Box::new(joint.with_slide([coordinate; 3]).with_turn([coordinate, Freedom::LOCKED, coordinate]))
    });
    check_derivatives("six locked axes", |random| Box::new(SixAxes::at(random_vector(random))));
    check_derivatives("wheel", |random| {
        let joint = Wheel::at(random_vector(random), random_vector(random), random_vector(random));
        Box::new(joint.with_steering(coordinate).with_spin(coordinate))
    });
}

#[test]
fn derivatives_of_transmissions() {
    check_derivatives("gear", |random| {
        let axes = [random_vector(random), random_vector(random)];
        let teeth = [random.i32(1..5), random.i32(-5..-1)];
        Box::new(Gear::with_axes([random_vector(random), random_vector(random)], axes, teeth))
    });
    check_derivatives("rack and pinion", |random| {
        let [center, axis, direction] = std::array::from_fn(|_| random_vector(random));
        let point = center + axis.cross(direction).normalize() * (0.5 + random.f64());
        Box::new(RackAndPinion::at(center, axis, point, direction))
    });
    check_derivatives("pulley", |random| {
        let [a, b, c, d] = std::array::from_fn(|_| random_vector(random));
        Box::new(Pulley::over([a, b], [c, d]).with_ratio(0.5 + random.f64()))
    });
}

#[test]
fn derivatives_of_forms_for_study() {
    check_derivatives("cross hinge", |random| Box::new(CrossHinge::at(random_vector(random), random_vector(random))));
    check_derivatives("cross matrix hinge", |random| {
        Box::new(CrossMatrixHinge::at(random_vector(random), random_vector(random)))
    });
    check_derivatives("quaternion lock", |_| Box::new(QuaternionLock::default()));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let far = BodyView { center: DVec3::new(1.0, 0.0, 0.0), ..BodyView::WORLD };
    let refused = |joint: &dyn Attach, words: &str| {
        let error = joint.attach(&[BodyView::WORLD, far]).unwrap_err().to_string();
        assert!(error.contains(words), "\"{error}\" does not say \"{words}\"");
    };
    refused(&TwistLimit::about(DVec3::ZERO, -1.0, 1.0), "axis of a twist limit is [0, 0, 0]");
    refused(&TwistLimit::about(DVec3::X, 1.0, -1.0), "limits of twist is 1 to -1");
    refused(&TwistLimit::about(DVec3::X, f64::NAN, 1.0), "limits of twist is NaN to 1");
    refused(&AngularLimit::about(DVec3::X, -1.0, 1.0).of(DVec3::X), "not parallel");
    refused(&ConeLimit::around(DVec3::X, 0.0), "angle of a cone limit is 0");
    refused(&ConeLimit::around(DVec3::X, 4.0), "between 1e-6 and π");
    refused(&ConeLimit::around(DVec3::X, 1.0).with_center(DVec3::ZERO), "middle of a cone limit");
    refused(&ConeLimit::around(DVec3::X, 1.0).with_stop(Stop::bouncing(1.5)), "restitution of a limit is 1.5");
    refused(&EllipticConeLimit::around(DVec3::X, DVec3::X, [1.0, 1.0]), "not parallel");
    refused(&EllipticConeLimit::around(DVec3::X, DVec3::Y, [1.0, 3.2]), "angle of an elliptic cone is 3.2");
    refused(&WedgeLimit::about(DVec3::X, DVec3::X, -1.0, 1.0), "not parallel");
    refused(&WedgeLimit::about(DVec3::Y, DVec3::X, -4.0, 4.0), "opening of a wedge limit is 8");
    refused(&ReachCone::regular(DVec3::X, 1.0), "second centre of mass is [0, 0, 0]");
    let corners = vec![DVec3::X, DVec3::Z, DVec3::Y];
    refused(&ReachCone::irregular(DVec3::ZERO, corners), "counterclockwise");
    refused(&ReachCone::irregular(DVec3::ZERO, vec![DVec3::X, DVec3::Y]), "at least 3");
    refused(&SixAxes::at(DVec3::ZERO).along(DVec3::Y, DVec3::Y), "not parallel");
    refused(&Wheel::at(DVec3::ZERO, DVec3::Y, DVec3::Y), "axis and axle of a wheel");
    refused(&Gear::parallel([DVec3::ZERO; 2], DVec3::Z, [10, 20]), "centres of gears");
    refused(&Gear::parallel([DVec3::ZERO, DVec3::Z], DVec3::Z, [10, 20]), "along an axis");
    refused(&Gear::parallel([DVec3::ZERO, DVec3::X], DVec3::Z, [10, 0]), "teeth of a gear is 0");
    refused(&RackAndPinion::at(DVec3::ZERO, DVec3::Z, DVec3::X, DVec3::X), "point of a rack");
    refused(&RackAndPinion::at(DVec3::ZERO, DVec3::Z, DVec3::Y, DVec3::Z), "not parallel");
    refused(&Pulley::over([DVec3::X; 2], [DVec3::X, DVec3::Y]), "away from its wheel");
    refused(&Pulley::default().with_ratio(0.0), "ratio of a pulley is 0");
    refused(&CrossHinge::at(DVec3::ZERO, DVec3::NAN), "axis of the hinge is [NaN, NaN, NaN]");
}

/// The share of the rotations that a cone limit allows: with twist free, that of the directions in the cone,
/// (1 − cos φ)/2. The samples are even in rotation vectors, where a rotation by θ weighs 2 (1 − cos θ)/θ².
#[test]
fn the_samples_of_a_cone_fill_its_share_of_all_rotations() {
    let bodies = [BodyView::WORLD; 2];
    for limit in [0.6, 1.5, 2.5] {
        let cone = ConeLimit::around(DVec3::X, limit).attach(&bodies).unwrap();
        let (mut inside, mut all) = (0.0, 0.0);
        for sample in allowed_rotations(cone.as_ref(), &bodies, 51) {
            let angle = sample.rotation.length();
            let weight = if angle > 0.0 { 2.0 * (1.0 - libm::cos(angle)) / (angle * angle) } else { 1.0 };
            all += weight;
            inside += if sample.is_allowed() { weight } else { 0.0 };
        }
        let share = inside / all;
        let exact = (1.0 - libm::cos(limit)) / 2.0;
        assert!((share - exact).abs() < 0.01, "{share} instead of {exact}");
    }
    let twist = TwistLimit::about(DVec3::X, -PI / 2.0, PI / 2.0).attach(&bodies).unwrap();
    let samples = allowed_rotations(twist.as_ref(), &bodies, 31);
    let along: Vec<_> = samples.iter().filter(|s| s.rotation.y.abs() + s.rotation.z.abs() < 1e-9).collect();
    assert!(along.len() == 31 && along.iter().all(|s| s.is_allowed() == (s.rotation.x.abs() <= PI / 2.0)));
}
