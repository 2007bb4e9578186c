//! Rays, closest points and containment of every shape agree with each other.
#![no_main]

mod input;

use input::{Numbers, reach};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tumble_geometry::Ray;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let numbers = Numbers::any(u)?;
    let Some(shape) = numbers.shape(u)? else { return Ok(()) };
    for _ in 0..4 {
        let (origin, direction) = (numbers.vector(u)?, numbers.vector(u)?);
        let inside = shape.contains_point(origin);
        let closest = shape.closest_point(origin);
        let Ok(ray) = Ray::new(origin, direction) else { continue };
        let hit = shape.cast_ray(&ray, 1e4);
        if numbers == Numbers::Wild {
            continue;
        }
        let extent = reach(&shape);
        let size = if extent.is_finite() { extent } else { 0.0 } + origin.length();
        let tolerance = 1e-7 * size.max(1e-3);
        if let Some(closest) = closest {
            assert!(
                closest.normal.is_normalized() && closest.point.is_finite(),
                "{closest:?} of {shape:?} at {origin}"
            );
            if closest.distance.abs() > tolerance {
                assert_eq!(inside, closest.distance < 0.0, "{closest:?} of {shape:?} at {origin}");
            }
        }
        if let Some(hit) = hit {
            assert!((0.0..=1e4).contains(&hit.distance) && hit.normal.is_normalized(), "{hit:?}");
            // The ray ends on the surface, and no closer than the closest point.
            let there = shape.closest_point(ray.at(hit.distance)).map_or(0.0, |there| there.distance);
            let started_inside = hit.distance == 0.0;
            // Where along a face a ray within its plane meets it is anybody's guess.
            let grazing = hit.normal.dot(ray.direction).abs() < 1e-8;
            assert!(started_inside || grazing || there.abs() <= tolerance, "{hit:?} is {there:e} off: {shape:?} {ray:?}");
            let gap = closest.map_or(0.0, |closest| closest.distance);
            assert!(hit.distance >= gap - tolerance, "{hit:?} closer than {gap}: {shape:?} {ray:?}");
        }
    }
    Ok(())
}
