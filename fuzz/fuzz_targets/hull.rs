//! A hull either keeps all its promises or is refused with a reason.
#![no_main]

mod input;

use input::Numbers;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::f64::consts::PI;
use std::sync::Arc;
use tumble_geometry::Shape;
use tumble_geometry::shape::Hull;

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
            let (volume, radius) = (hull.volume(), hull.bounding_radius());
            // Faces are flat to the tolerance only; how they are cut into triangles changes the volume by as much.
            let slack = 1e-9 * volume + hull.tolerance() * 4.0 * PI * radius * radius;
            match Shape::Hull(Arc::new(hull)).mass_properties(1.0) {
                Ok(properties) => {
                    assert!((properties.mass - volume).abs() <= slack, "{} and {volume}: {points:?}", properties.mass);
                }
                Err(error) => assert!(volume <= slack, "{error} with volume {volume}: {points:?}"),
            }
        }
    }
    Ok(())
}
