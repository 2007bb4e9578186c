//! Intersection, distance and penetration of pairs agree with each other and with the pair exchanged.
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
    let (Some(a), Some(b)) = (numbers.shape(u)?, numbers.shape(u)?) else { return Ok(()) };
    let pose = numbers.pose(u)?;
    let apart = query::distance(&a, &b, &pose);
    let overlap = query::penetration(&a, &b, &pose);
    let touching = query::intersects(&a, &b, &pose);
    let size = reach(&a) + reach(&b) + pose.translation.length();
    if numbers == Numbers::Wild || !size.is_finite() {
        return Ok(());
    }
    let tolerance = 1e-7 * size;
    assert!(apart.distance >= 0.0 && apart.point_a.is_finite() && apart.point_b.is_finite(), "{apart:?}");
    let between = apart.point_a.distance(apart.point_b);
    assert!((between - apart.distance).abs() <= tolerance, "{apart:?} of {a:?} {b:?} {pose:?}");
    if apart.distance > tolerance {
        assert!(!touching && overlap.is_none(), "{apart:?} but {overlap:?} of {a:?} {b:?} {pose:?}");
    }
    if let Some(overlap) = overlap {
        assert!(overlap.depth >= 0.0 && overlap.normal.is_normalized(), "{overlap:?}");
        assert!(overlap.point_a.is_finite() && overlap.point_b.is_finite(), "{overlap:?}");
        if overlap.depth > tolerance {
            assert!(touching && apart.distance <= tolerance, "{overlap:?} but {apart:?} of {a:?} {b:?} {pose:?}");
        }
    } else {
        assert!(!touching || apart.distance <= tolerance);
    }
    let back = query::distance(&b, &a, &pose.inverse()).distance;
    assert!((back - apart.distance).abs() <= tolerance, "{apart:?} but {back} of {a:?} {b:?} {pose:?}");
    if is_convex(&a) && is_convex(&b) {
        check_depth(&a, &b, &pose, tolerance);
    }
    Ok(())
}

fn is_convex(shape: &Shape) -> bool {
    !matches!(shape, Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_))
}

/// Moved out by the depth a convex pair just touches, and exchanged it is as deep.
fn check_depth(a: &Shape, b: &Shape, pose: &Transform, tolerance: f64) {
    let overlap = query::penetration(a, b, pose);
    let depth = overlap.map_or(0.0, |overlap| overlap.depth);
    if let Some(overlap) = overlap {
        let mut moved = *pose;
        moved.translation += overlap.normal * (depth + 2.0 * tolerance);
        let left = query::penetration(a, b, &moved).map_or(0.0, |left| left.depth);
        assert!(left <= tolerance, "still {left:e} deep after {overlap:?} of {a:?} {b:?} {pose:?}");
    }
    let back = query::penetration(b, a, &pose.inverse()).map_or(0.0, |overlap| overlap.depth);
    assert!((back - depth).abs() <= tolerance, "{depth:?} but {back:?} of {a:?} {b:?} {pose:?}");
}
