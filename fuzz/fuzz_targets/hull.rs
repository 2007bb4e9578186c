//! A hull either keeps all its promises or is refused with a reason.
#![no_main]

mod input;

use input::Numbers;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tumble_geometry::Shape;
use tumble_geometry::shape::Hull;
use std::sync::Arc;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let numbers = Numbers::any(u)?;
    let points = numbers.points(u, 64)?;
    match Hull::new(&points) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(hull) => {
            if let Err(broken) = hull.validate() {
                panic!("{broken}: {points:?}");
            }
            for plane in hull.face_planes() {
                for point in &points {
                    let height = plane.signed_distance(*point);
                    assert!(height <= 2.0 * hull.tolerance(), "{point} is {height:e} outside of {points:?}");
                }
            }
            let volume = hull.volume();
            // Thinner than this, rounding of the coordinates decides.
            if volume > 1e-9 * hull.bounding_radius() * hull.bounding_radius() * hull.bounding_radius() {
                let properties = Shape::Hull(Arc::new(hull)).mass_properties(1.0).expect("a hull has mass");
                assert!((properties.mass / volume - 1.0).abs() < 1e-6, "{} and {volume}: {points:?}", properties.mass);
            }
        }
    }
    Ok(())
}
