//! Where pictures are seen from.

use glam::{DVec3, Vec3};
use tumble_geometry::{Aabb, Shape};
use tumble_scene::Scene;
use tumble_scene::look::Surface;

/// From which side to look, if the scene does not say.
const SIDE: Vec3 = Vec3::new(0.5, 0.35, 1.0);
/// Under which vertical angle, in radians.
const VIEW: f32 = 0.7;
/// What does not move is of interest if it is at most this many times as large as what moves, or as far away.
const VAST: f64 = 20.0;

/// Where to look from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub(super) from: Vec3,
    pub(super) to: Vec3,
    /// The vertical angle in radians.
    pub(super) view: f32,
}

impl Camera {
    /// The scene's camera, or one that sees everything there is at the start; `aspect` is the width of the pictures divided
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

/// The box around all that moves, and around what stands near it: the ground below, a slope, a table; but not what is
/// vastly larger.
fn of_interest(scene: &Scene) -> Aabb {
    let (mut moving, mut fixed, mut grounds) = (Aabb::EMPTY, Vec::new(), Vec::new());
    for (id, body) in scene.world.bodies() {
        let pose = body.pose();
        let colliders = body.model().colliders.iter().filter_map(|&id| scene.world.model().colliders().get(id));
        let ground = colliders.filter(|collider| !collider.sensor).find_map(|collider| match &collider.shape {
            Shape::HalfSpace(half_space) => {
                let pose = pose * collider.pose;
                Some((pose.translation, pose.vector(half_space.normal())))
            }
            _ => None,
        });
        if let Some(ground) = ground {
            grounds.push(ground);
            continue;
        }
        let surface = match scene.visual(id) {
            // Who is seen as part of a skin is where its shapes are.
            Some(visual) if visual.positions.is_empty() => Surface::of_colliders(scene, id),
            _ => Surface::of_body(scene, id),
        };
        let surface = surface.positions.iter().map(|corner| pose.point(corner.as_dvec3()));
        let extent = Aabb::from_points(surface.chain([body.position()]).filter(|point| point.is_finite()));
        if body.model().kind.moves() {
            moving = moving.merged(&extent);
        } else {
            fixed.push(extent);
        }
    }
    let unit = Aabb::from_center(DVec3::ZERO, DVec3::ONE);
    let all = |boxes: Vec<Aabb>| boxes.iter().fold(Aabb::EMPTY, |whole, one| whole.merged(one));
    if moving == Aabb::EMPTY {
        let fixed = all(fixed);
        return if fixed == Aabb::EMPTY { unit } else { fixed };
    }
    let size = |extent: &Aabb| extent.extents().length();
    // Points without a surface have no size.
    let reach = VAST * if size(&moving) > 0.0 { size(&moving) } else { size(&unit) };
    let below = grounds.into_iter().map(|(point, normal): (DVec3, DVec3)| {
        Aabb::from_points(corners(&moving).map(|corner| corner - normal * normal.dot(corner - point)))
    });
    let near = fixed.into_iter().chain(below).filter(|extent| size(&moving.merged(extent)) <= reach);
    let whole = near.fold(moving, |whole, extent| whole.merged(&extent));
    if size(&whole) > 0.0 { whole } else { whole.expanded(1.0) }
}

fn corners(extent: &Aabb) -> [DVec3; 8] {
    std::array::from_fn(|index| extent.corner(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_scene::Loader;

    fn extent(bodies: &str) -> Aabb {
        let scene = Loader::new().load_text("x", &format!("title = 'x'\n{bodies}"));
        of_interest(&scene.unwrap_or_else(|report| panic!("{report}")))
    }

    /// A ball of radius 1 at (0, 5, 0), and what is around it.
    #[test]
    fn the_camera_sees_what_moves_and_what_is_near() {
        let ball = "[bodies.ball]\nshape.sphere.radius = 1\nposition = [0, 5, 0]\n";
        let near = |extent: Aabb, low: [f64; 3], high: [f64; 3]| {
            let apart = (extent.min - DVec3::from(low)).abs().max((extent.max - DVec3::from(high)).abs());
            assert!(apart.max_element() < 0.05, "{extent:?}");
        };
        near(extent(ball), [-1.0, 4.0, -1.0], [1.0, 6.0, 1.0]);
        let table = "[bodies.table]\nkind = 'fixed'\nshape.box.size = [6, 1, 6]\n";
        near(extent(&format!("{ball}{table}")), [-3.0, -0.5, -3.0], [3.0, 6.0, 3.0]);
        let vast = "[bodies.table]\nkind = 'fixed'\nshape.box.size = [1000, 1, 1000]\n";
        near(extent(&format!("{ball}{vast}")), [-1.0, 4.0, -1.0], [1.0, 6.0, 1.0]);
        let ground = "[bodies.ground]\nkind = 'fixed'\nshape.half_space = {}\nposition = [0, 1, 0]\n";
        near(extent(&format!("{ball}{ground}")), [-1.0, 1.0, -1.0], [1.0, 6.0, 1.0]);
        near(extent(""), [-1.0; 3], [1.0; 3]);
    }

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
