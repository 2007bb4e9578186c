//! Balls and convex parts of closed meshes, however folded.
#![no_main]

mod input;

use input::Numbers;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tumble_geometry::approximate::{DecompositionOptions, PackingOptions, convex_decomposition, sphere_packing};
use tumble_geometry::shape::Mesh;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let numbers = Numbers::any(u)?;
    let (vertices, triangles) = numbers.closed_mesh(u)?;
    let Ok(mesh) = Mesh::new(vertices, triangles) else { return Ok(()) };
    let tolerance = 0.01 * mesh.aabb().extents().length();
    let options = PackingOptions { max_count: 8, tolerance, resolution: 5, ..PackingOptions::default() };
    if let Ok(packing) = sphere_packing(&mesh, &options) {
        assert!(packing.spheres.len() <= 8 && packing.protrusion <= tolerance);
        assert!((0.0..=1.0).contains(&packing.coverage));
    }
    if let Ok(decomposition) = convex_decomposition(&mesh, &DecompositionOptions { max_parts: 3, tolerance: 0.05 }) {
        assert!((1..=3).contains(&decomposition.parts.len()));
        for part in &decomposition.parts {
            assert_eq!(part.hull.validate(), Ok(()));
        }
    }
    Ok(())
}
