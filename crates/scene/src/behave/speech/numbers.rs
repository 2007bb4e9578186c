//! Numbers, vectors and rotations in scripts.

use super::super::lent::{Told, reach, refuse};
use super::number;
use glam::{DQuat, DVec3};
use rhai::{Dynamic, Engine};
use tumble_geometry::math::rotation_about;

pub(super) fn teach(engine: &mut Engine) {
    functions(engine);
    vectors(engine);
    rotations(engine);
    // Random numbers are those of the script.
    engine.register_fn("random", random);
    engine.register_fn("random", |from: Dynamic, to: Dynamic| -> Told<f64> {
        let (from, to) = (number(&from)?, number(&to)?);
        Ok(from + (to - from) * random()?)
    });
}

/// The next random number from 0 to 1 (SplitMix64).
fn random() -> Told<f64> {
    reach(|lent| {
        lent.given.random = lent.given.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = lent.given.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        // 53 bits, as many as a number has.
        Ok((bits >> 11) as f64 / (1_u64 << 53) as f64)
    })
}

fn functions(engine: &mut Engine) {
    let of_one: [(&str, fn(f64) -> f64); 19] = [
        ("sin", libm::sin),
        ("cos", libm::cos),
        ("tan", libm::tan),
        ("asin", libm::asin),
        ("acos", libm::acos),
        ("atan", libm::atan),
        ("sinh", libm::sinh),
        ("cosh", libm::cosh),
        ("tanh", libm::tanh),
        ("exp", libm::exp),
        ("ln", libm::log),
        ("log10", libm::log10),
        ("sqrt", f64::sqrt),
        ("floor", f64::floor),
        ("ceil", f64::ceil),
        ("round", f64::round),
        ("to_float", |x| x),
        ("radians", |x| x * (std::f64::consts::PI / 180.0)),
        ("degrees", |x| x * (180.0 / std::f64::consts::PI)),
    ];
    for (name, function) in of_one {
        engine.register_fn(name, move |x: Dynamic| -> Told<f64> { Ok(function(number(&x)?)) });
    }
    let of_two: [(&str, fn(f64, f64) -> f64); 5] =
        [("atan2", libm::atan2), ("pow", libm::pow), ("hypot", libm::hypot), ("min", f64::min), ("max", f64::max)];
    for (name, function) in of_two {
        engine.register_fn(name, move |x: Dynamic, y: Dynamic| -> Told<f64> { Ok(function(number(&x)?, number(&y)?)) });
    }
    engine.register_fn("clamp", |x: Dynamic, least: Dynamic, most: Dynamic| -> Told<f64> {
        let (x, least, most) = (number(&x)?, number(&least)?, number(&most)?);
        if least <= most { Ok(x.clamp(least, most)) } else { refuse(format!("nothing is from {least} to {most}")) }
    });
    engine.register_fn("to_int", |x: Dynamic| -> Told<i64> {
        let x = number(&x)?.trunc();
        if x.abs() < 9e18 { Ok(x as i64) } else { refuse(format!("{x} is no whole number of 64 bits")) }
    });
    engine.register_fn("is_finite", |x: Dynamic| -> Told<bool> { Ok(number(&x)?.is_finite()) });
    engine.register_fn("PI", || std::f64::consts::PI);
    // A text for people: so many digits after the point.
    engine.register_fn("fixed", |x: Dynamic, digits: i64| -> Told<String> {
        Ok(format!("{:.*}", digits.clamp(0, 17) as usize, number(&x)?))
    });
}

fn vectors(engine: &mut Engine) {
    engine.register_type_with_name::<DVec3>("Vector");
    engine.register_fn("vec", |x: Dynamic, y: Dynamic, z: Dynamic| -> Told<DVec3> {
        Ok(DVec3::new(number(&x)?, number(&y)?, number(&z)?))
    });
    engine.register_get("x", |v: &mut DVec3| v.x);
    engine.register_set("x", |v: &mut DVec3, x: Dynamic| -> Told<()> {
        v.x = number(&x)?;
        Ok(())
    });
    engine.register_get("y", |v: &mut DVec3| v.y);
    engine.register_set("y", |v: &mut DVec3, y: Dynamic| -> Told<()> {
        v.y = number(&y)?;
        Ok(())
    });
    engine.register_get("z", |v: &mut DVec3| v.z);
    engine.register_set("z", |v: &mut DVec3, z: Dynamic| -> Told<()> {
        v.z = number(&z)?;
        Ok(())
    });
    engine.register_fn("+", |a: DVec3, b: DVec3| a + b);
    engine.register_fn("-", |a: DVec3, b: DVec3| a - b);
    engine.register_fn("-", |a: DVec3| -a);
    engine.register_fn("*", |a: DVec3, b: f64| a * b);
    engine.register_fn("*", |a: DVec3, b: i64| a * b as f64);
    engine.register_fn("*", |a: f64, b: DVec3| a * b);
    engine.register_fn("*", |a: i64, b: DVec3| a as f64 * b);
    engine.register_fn("/", |a: DVec3, b: f64| a / b);
    engine.register_fn("/", |a: DVec3, b: i64| a / b as f64);
    engine.register_fn("==", |a: DVec3, b: DVec3| a == b);
    engine.register_fn("!=", |a: DVec3, b: DVec3| a != b);
    engine.register_fn("dot", |a: DVec3, b: DVec3| a.dot(b));
    engine.register_fn("cross", |a: DVec3, b: DVec3| a.cross(b));
    engine.register_fn("length", |a: DVec3| a.length());
    engine.register_fn("distance", |a: DVec3, b: DVec3| (a - b).length());
    engine.register_fn("normalized", |a: DVec3| a.normalize_or_zero());
    engine.register_fn("to_string", |a: &mut DVec3| format!("[{}, {}, {}]", a.x, a.y, a.z));
    engine.register_fn("to_debug", |a: &mut DVec3| format!("[{}, {}, {}]", a.x, a.y, a.z));
}

fn rotations(engine: &mut Engine) {
    engine.register_type_with_name::<DQuat>("Rotation");
    engine.register_fn("turn", |axis: DVec3, angle: Dynamic| -> Told<DQuat> {
        match axis.try_normalize() {
            Some(axis) => Ok(rotation_about(axis, number(&angle)?)),
            None => refuse(format!("{axis} is no axis to turn about")),
        }
    });
    engine.register_fn("*", |a: DQuat, b: DQuat| (a * b).normalize());
    engine.register_fn("*", |a: DQuat, b: DVec3| a * b);
    engine.register_fn("inverse", |a: DQuat| a.conjugate());
    engine.register_fn("angle", |a: DQuat| tumble_geometry::math::rotation_vector(a).length());
    engine.register_fn("==", |a: DQuat, b: DQuat| a == b);
    let text = |a: &mut DQuat| format!("[{}, {}, {}, {}]", a.x, a.y, a.z, a.w);
    engine.register_fn("to_string", text);
    engine.register_fn("to_debug", text);
}
