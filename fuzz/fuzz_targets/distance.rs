//! Intersection, distance and penetration of convex pairs agree with each other and with the pair exchanged.
#![no_main]

mod input;

use input::{Numbers, reach};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tumble_geometry::{Shape, Transform, query};

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let numbers = Numbers::any(u)?;
    let (Some(a), Some(b)) = (numbers.convex(u)?, numbers.convex(u)?) else { return Ok(()) };
    let pose = numbers.pose(u)?;
    let apart = query::distance(&a, &b, &pose);
    let overlap = query::penetration(&a, &b, &pose);
    let touching = query::intersects(&a, &b, &pose);
    if numbers == Numbers::Wild {
        return Ok(());
    }
    let size = reach(&a) + reach(&b) + pose.translation.length();
    let tolerance = 1e-7 * size;
    assert!(apart.distance >= 0.0 && apart.point_a.is_finite() && apart.point_b.is_finite(), "{apart:?}");
    let between = apart.point_a.distance(apart.point_b);
    assert!((between - apart.distance).abs() <= tolerance, "{apart:?} of {a:?} {b:?} {pose:?}");
    if apart.distance > tolerance {
        assert!(!touching && overlap.is_none(), "{apart:?} but {overlap:?} of {a:?} {b:?} {pose:?}");
    }
    if let Some(overlap) = overlap {
        assert!(overlap.depth >= 0.0 && overlap.normal.is_normalized(), "{overlap:?}");
        if overlap.depth > tolerance {
            assert!(touching && apart.distance <= tolerance, "{overlap:?} but {apart:?} of {a:?} {b:?} {pose:?}");
        }
        // Moved out by the depth they just touch.
        let mut moved = pose;
        moved.translation += overlap.normal * (overlap.depth + 2.0 * tolerance);
        let left = query::penetration(&a, &b, &moved).map_or(0.0, |left| left.depth);
        assert!(left <= tolerance, "still {left:e} deep after {overlap:?} of {a:?} {b:?} {pose:?}");
    } else {
        assert!(!touching || apart.distance <= tolerance);
    }
    exchanged(&a, &b, &pose, apart.distance, overlap.map(|overlap| overlap.depth), tolerance);
    Ok(())
}

fn exchanged(a: &Shape, b: &Shape, pose: &Transform, distance: f64, depth: Option<f64>, tolerance: f64) {
    let back = pose.inverse();
    let other = query::distance(b, a, &back);
    assert!((other.distance - distance).abs() <= tolerance, "{distance} but {other:?} of {a:?} {b:?} {pose:?}");
    let other = query::penetration(b, a, &back).map_or(0.0, |overlap| overlap.depth);
    assert!((other - depth.unwrap_or(0.0)).abs() <= tolerance, "{depth:?} but {other:?} of {a:?} {b:?} {pose:?}");
}
