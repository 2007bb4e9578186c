//! Where pictures are seen from.

use glam::{DVec3, Vec3};
use tumble_geometry::Aabb;
use tumble_scene::Scene;
use tumble_scene::framing::of_interest;

/// From which side to look, if the scene does not say.
const SIDE: Vec3 = Vec3::new(0.5, 0.35, 1.0);
/// Under which vertical angle, in radians.
const VIEW: f32 = 0.7;

/// Where to look from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub(super) from: Vec3,
    pub(super) to: Vec3,
    /// The vertical angle in radians.
    pub(super) view: f32,
}

impl Camera {
    /// The scene's camera, or one that sees all that matters, from the start to the end; `aspect` is the width of the pictures divided
    /// by their height.
    pub(super) fn of(scene: &Scene, aspect: f32) -> Self {
        if let Some(camera) = scene.camera {
            let view = camera.view_deg.to_radians() as f32;
            return Self { from: camera.from.as_vec3(), to: camera.to.as_vec3(), view };
        }
        let whole = of_interest(scene);
        let (middle, back) = (whole.center().as_vec3(), SIDE.normalize());
        let right = Vec3::Y.cross(back).normalize();
        let up = back.cross(right);
        let (across, high) = (libm::tanf(0.5 * VIEW) * aspect, libm::tanf(0.5 * VIEW));
        // A corner at c from the middle is in the picture if |c·up| ≤ (distance − c·back) tan(view/2), and so across.
        let needed = corners(&whole).map(|corner| {
            let c = corner.as_vec3() - middle;
            c.dot(back) + (c.dot(up).abs() / high).max(c.dot(right).abs() / across)
        });
        let distance = 1.15 * needed.into_iter().fold(0.0, f32::max).max(1e-3);
        Self { from: middle + back * distance, to: middle, view: VIEW }
    }

    /// What is up in the picture: y, unless the camera looks along it.
    pub(super) fn up(&self) -> Vec3 {
        let along = (self.to - self.from).normalize_or(Vec3::Z).cross(Vec3::Y).length() < 1e-3;
        if along { Vec3::Z } else { Vec3::Y }
    }
}

fn corners(extent: &Aabb) -> [DVec3; 8] {
    std::array::from_fn(|index| extent.corner(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_scene::Loader;

    #[test]
    fn all_corners_are_in_the_picture() {
        let text = "title = 'x'\n[bodies.rod]\nshape.box.size = [9, 0.5, 3]\nposition = [1, 2, 3]\n";
        let scene = Loader::new().load_text("x", text).unwrap_or_else(|report| panic!("{report}"));
        for aspect in [0.5, 1.0, 2.5] {
            let camera = Camera::of(&scene, aspect);
            let back = (camera.from - camera.to).normalize();
            let right = camera.up().cross(back).normalize();
            let tall = libm::tanf(0.5 * camera.view);
            let mut widest = 0.0_f32;
            for corner in corners(&of_interest(&scene)) {
                let c = corner.as_vec3() - camera.from;
                let depth = -c.dot(back);
                let (x, y) = (c.dot(right) / depth / tall / aspect, c.dot(back.cross(right)) / depth / tall);
                widest = widest.max(x.abs()).max(y.abs());
            }
            assert!((0.7..1.0).contains(&widest), "{widest}");
        }
    }
}
