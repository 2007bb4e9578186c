//! A mesh is built or refused; then points, rays and mass properties get sensible answers.
#![no_main]

mod input;

use input::Numbers;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use tumble_geometry::shape::Mesh;
use tumble_geometry::{Ray, Shape};

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let numbers = Numbers::any(u)?;
    let (vertices, triangles) = numbers.mesh(u)?;
    let Ok(mesh) = Mesh::new(vertices, triangles) else { return Ok(()) };
    let size = mesh.aabb().extents().length();
    for triangle in 0..mesh.triangles().len() {
        for edge in 0..3 {
            if let Some((other, back)) = mesh.neighbor(triangle, edge) {
                assert_eq!(mesh.neighbor(other, back), Some((triangle, edge)));
            }
        }
    }
    let mesh = Arc::new(mesh);
    let shape = Shape::Mesh(mesh.clone());
    if let Ok(properties) = shape.mass_properties(1.0) {
        assert!(properties.mass > 0.0 && properties.is_valid());
        let principal = properties.principal();
        assert!(principal.moments.is_finite() && principal.axes.is_normalized());
    }
    for _ in 0..4 {
        let point = numbers.vector(u)?;
        let closest = shape.closest_point(point);
        if let Some(closest) = closest {
            assert!(closest.point.is_finite() && closest.normal.is_normalized(), "{closest:?}");
            let error = (point - closest.point).length() - closest.distance.abs();
            assert!(error.abs() <= 1e-9 * (size + point.length()), "{closest:?}");
        }
        if let Ok(ray) = Ray::new(point, numbers.vector(u)?) {
            let _ = mesh.contains_point(point);
            if let Some(hit) = shape.cast_ray(&ray, 1e3) {
                assert!((0.0..=1e3).contains(&hit.distance) && hit.normal.is_normalized(), "{hit:?}");
                assert!((hit.part as usize) < mesh.triangles().len());
            }
        }
    }
    Ok(())
}
