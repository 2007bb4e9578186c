//! Smooth patches of a surface of triangles.
//!
//! Two neighbours belong to one patch if the surface bends by less than 10° at their common edge, and so do the neighbours of
//! neighbours: a floor, the side of a cylinder, a rolling landscape. A patch is named by its lowest triangle, so that what
//! touches a patch can be recognised, whichever of its triangles it touches.

use glam::DVec3;

/// The cosine of 10°.
const SMOOTH: f64 = 0.984_807_753_012_208;

/// For each triangle the lowest-numbered triangle of its patch; triangles without a normal are patches of their own.
pub(super) fn smooth_patches(
    count: usize,
    normal: impl Fn(usize) -> Option<DVec3>,
    neighbor: impl Fn(usize, usize) -> Option<(usize, usize)>,
) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let normals: Vec<DVec3> = (0..count).map(|i| normal(i).unwrap_or(DVec3::ZERO)).collect();
    let mut patches = vec![UNKNOWN; count];
    let mut waiting = Vec::new();
    for start in 0..count {
        if patches[start] != UNKNOWN {
            continue;
        }
        patches[start] = start as u32;
        waiting.push(start);
        while let Some(triangle) = waiting.pop() {
            for (other, _) in (0..3).filter_map(|edge| neighbor(triangle, edge)) {
                if patches[other] == UNKNOWN && normals[triangle].dot(normals[other]) >= SMOOTH {
                    patches[other] = start as u32;
                    waiting.push(other);
                }
            }
        }
    }
    patches
}
