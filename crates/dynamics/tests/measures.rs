//! Measures and their derivatives against numerical differentiation along a motion.

mod moving;

use glam::DVec3;
use moving::{Moving, derivative, random_vector};
use tumble_dynamics::constraint::{Arrow, BodyView, End, Measure, relative_rotation};
use tumble_dynamics::geometry::math::rotation_from_vector;

const CASES: usize = 10_000;

/// Checks a measure made of random vectors at random states, wherever `defined` says that it is smooth.
fn check(name: &str, measure: impl Fn(&[BodyView; 2], &[DVec3; 4]) -> Measure, defined: impl Fn(&Measure) -> bool) {
    let mut random = fastrand::Rng::with_seed(3);
    let mut checked = 0;
    for case in 0..CASES {
        let bodies = [Moving::random(&mut random), Moving::random(&mut random)];
        let vectors = [(); 4].map(|()| random_vector(&mut random));
        let at = |t: f64| measure(&bodies.map(|body| body.at(t)), &vectors);
        let now = at(0.0);
        if !(defined(&now) && defined(&at(2e-3)) && defined(&at(-2e-3))) {
            continue;
        }
        checked += 1;
        let scale = 1.0 + now.value.abs() + now.rate.abs() + now.curvature.abs();
        let by_jacobian = now.jacobian.dot(bodies.map(|body| body.velocity), bodies.map(|body| body.omega));
        let (rate, curvature) = (derivative(|t| at(t).value), derivative(|t| at(t).rate));
        assert!((by_jacobian - now.rate).abs() < 1e-12 * scale, "{name}, case {case}: J ẋ is not the rate");
        assert!((rate - now.rate).abs() < 1e-6 * scale, "{name}, case {case}: rate {} not {rate}", now.rate);
        assert!(
            (curvature - now.curvature).abs() < 1e-6 * scale,
            "{name}, case {case}: curvature {} not {curvature}",
            now.curvature
        );
    }
    assert!(checked > CASES / 3, "{name}: only {checked} cases were smooth");
}

fn first(bodies: &[BodyView; 2], v: DVec3) -> Arrow {
    Arrow::axis(bodies, End::First, v)
}

fn second(bodies: &[BodyView; 2], v: DVec3) -> Arrow {
    Arrow::axis(bodies, End::Second, v)
}

#[test]
fn dot_and_triple_products_of_arrows() {
    let always = |_: &Measure| true;
    check("axes", |b, v| first(b, v[0]).dot(&second(b, v[1])), always);
    check("axes of one body", |b, v| first(b, v[0]).dot(&first(b, v[1])), always);
    check("axis and world", |b, v| Arrow::axis(b, End::World, v[0]).dot(&second(b, v[1])), always);
    check("offset along axis", |b, v| Arrow::between(b, [v[0], v[1]]).dot(&second(b, v[2])), always);
    check("square of offset", |b, v| Arrow::between(b, [v[0], v[1]]).dot(&Arrow::between(b, [v[2], v[3]])), always);
    check("triple", |b, v| Arrow::between(b, [v[0], v[1]]).triple(&first(b, v[2]), &second(b, v[3])), always);
    check("sum", |b, v| (first(b, v[0]) - second(b, v[1]) * 0.3).dot(&(second(b, v[2]) + first(b, v[3]))), always);
}

#[test]
fn functions_of_measures() {
    check("length", |b, v| Arrow::between(b, [v[0], v[1]]).length(), |m| m.value > 0.1);
    let x = |b: &[BodyView; 2], v: &[DVec3; 4]| first(b, v[0]).dot(&second(b, v[1]));
    let y = |b: &[BodyView; 2], v: &[DVec3; 4]| first(b, v[2]).dot(&second(b, v[3]));
    check("product", |b, v| x(b, v) * y(b, v) - x(b, v) * 2.0 + 1.0, |_| true);
    check("reciprocal", |b, v| x(b, v).recip(), |m| m.value.abs() < 1.0 && m.rate.abs() < 4.0);
    check("sine", |b, v| (x(b, v) * 0.3).sin() + (y(b, v) * 0.3).cos(), |_| true);
    // Away from the origin, where an angle turns too fast for finite differences.
    check("angle", |b, v| Measure::atan2(y(b, v), x(b, v) + 15.0), |_| true);
    check("angle", |b, v| Measure::atan2(x(b, v) - 15.0, y(b, v)), |_| true);
}

#[test]
fn relative_rotations() {
    for k in 0..4 {
        let frames = |v: &[DVec3; 4]| [rotation_from_vector(v[0]), rotation_from_vector(v[1])];
        check("quaternion", |b, v| relative_rotation(b, frames(v))[k], |_| true);
    }
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..100 {
        let bodies = [Moving::random(&mut random), Moving::random(&mut random)].map(|body| body.at(0.0));
        let frames =
            [rotation_from_vector(random_vector(&mut random)), rotation_from_vector(random_vector(&mut random))];
        let [x, y, z, w] = relative_rotation(&bodies, frames).map(|measure| measure.value);
        let expected = (bodies[0].pose.rotation * frames[0]).conjugate() * (bodies[1].pose.rotation * frames[1]);
        assert!(expected.dot(glam::DQuat::from_xyzw(x, y, z, w)) > 1.0 - 1e-14);
    }
}
