//! Contact manifolds of every pair of shapes: well formed, and there whenever the shapes overlap.
#![no_main]

mod input;

use input::{Numbers, reach};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tumble_geometry::query::{self, Manifold, ManifoldOptions, PairCache};

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let numbers = Numbers::any(u)?;
    let (Some(a), Some(b)) = (numbers.shape(u)?, numbers.shape(u)?) else { return Ok(()) };
    let mut pose = numbers.pose(u)?;
    let mut cache = PairCache::default();
    let mut manifolds = Vec::new();
    let options = ManifoldOptions::default();
    // The same pair a few times with small changes, as a simulation asks.
    for _ in 0..4 {
        manifolds.clear();
        query::contact_manifolds(&a, &b, &pose, &options, &mut cache, &mut manifolds);
        for manifold in &manifolds {
            assert_well_formed(manifold);
        }
        let size = reach(&a) + reach(&b) + pose.translation.length();
        if numbers == Numbers::Tame && size.is_finite() {
            let depth = query::penetration(&a, &b, &pose).map_or(0.0, |overlap| overlap.depth);
            if depth > 1e-6 * size {
                assert!(!manifolds.is_empty(), "{depth} deep without contact: {a:?} {b:?} {pose:?}");
            }
        }
        pose.translation += 1e-3 * numbers.vector(u)?;
    }
    Ok(())
}

fn assert_well_formed(manifold: &Manifold) {
    assert!(manifold.normal.is_normalized(), "{manifold:?}");
    assert!((1..=Manifold::MAX_POINTS).contains(&manifold.points().len()), "{manifold:?}");
    for (index, point) in manifold.points().iter().enumerate() {
        assert!(point.position.is_finite() && point.depth.is_finite(), "{manifold:?}");
        let same = |other: &query::ContactPoint| other.feature == point.feature;
        assert!(!manifold.points()[..index].iter().any(same), "two points with the same name: {manifold:?}");
    }
}
