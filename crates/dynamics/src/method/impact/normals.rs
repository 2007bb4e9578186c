//! Averaged normals (H 5.1): where a point meets a point there is no tangent plane; H takes the mean of the neighbours' normals.

use crate::model::ColliderModel;
use glam::DVec3;
use tumble_geometry::Shape;
use tumble_geometry::query::Feature;

/// The mean of the normals of the faces around a corner, in the shape's own axes; none for what is no corner.
fn around(shape: &Shape, feature: Feature) -> Option<DVec3> {
    match (shape, feature) {
        (Shape::Cuboid(_), Feature::Vertex(corner)) => {
            let side = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            DVec3::new(side(0), side(1), side(2)).try_normalize()
        }
        (Shape::Hull(hull), Feature::Vertex(corner)) if (corner as usize) < hull.vertices().len() => {
            let faces = hull.vertex_faces(corner).iter();
            faces.map(|&face| hull.face_plane(face as usize).normal).sum::<DVec3>().try_normalize()
        }
        (Shape::Cone(_), Feature::Apex) => Some(DVec3::Y),
        _ => None,
    }
}

/// The normal out of the first of two colliders where corners of both meet; none where a tangent plane exists. `turned` takes the axes of the
/// shapes to the world's.
pub(super) fn averaged(
    colliders: [&ColliderModel; 2],
    features: [Feature; 2],
    turned: [glam::DQuat; 2],
) -> Option<DVec3> {
    let of = |k: usize| Some(turned[k] * around(&colliders[k].shape, features[k])?);
    (of(0)? - of(1)?).try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corner_of_a_box_points_along_its_diagonal() {
        let shape = Shape::cuboid([1.0, 2.0, 3.0]).unwrap();
        let corner = around(&shape, Feature::Vertex(0b011)).unwrap();
        assert!((corner - DVec3::new(1.0, 1.0, -1.0).normalize()).length() < 1e-15);
        assert_eq!(around(&shape, Feature::Face(1)), None);
    }
}
