//! The colour of a point: a sun with shadows, light from the sky, haze in the distance, and fluids to look through.

use super::camera::Camera;
use super::picture::{SHADOW, SUN};
use super::raster::{Canvas, Corner};
use glam::{Mat4, Vec2, Vec3};
use tumble_geometry::Plane;

/// What is seen of a point: its colour in the shadow, what the sun adds, and where in the sun's picture it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shade {
    dark: Vec3,
    sun: Vec3,
    /// Column and row, and how near to the sun something must be to stand in its way.
    place: Vec3,
}

impl Shade {
    /// Something that shines by itself.
    pub(super) fn shining(color: Vec3) -> Self {
        Self { dark: color, ..Self::default() }
    }

    /// The mean of two points next to each other.
    pub(super) fn mean(self, other: Self) -> Self {
        Self { dark: 0.5 * (self.dark + other.dark), sun: 0.5 * (self.sun + other.sun), place: self.place }
    }
}

/// What is needed to shade a point.
pub(super) struct Light<'a> {
    eye: Vec3,
    /// How far the eye is from what it looks at.
    around: f32,
    /// The edge of the tiles on the ground: a metre, or a power of ten that suits the scene.
    tile: f32,
    sun: &'a Mat4,
    towards_sun: Vec3,
    shadow: &'a Canvas,
}

impl<'a> Light<'a> {
    pub(super) fn new(camera: &Camera, sun: &'a Mat4, shadow: &'a Canvas) -> Self {
        let around = (camera.from - camera.to).length().max(1e-3);
        let tile = libm::powf(10.0, libm::log10f(around / 6.0).round());
        Self { eye: camera.from, around, tile, sun, towards_sun: SUN.normalize(), shadow }
    }

    /// The colour with as much sun as reaches it.
    pub(super) fn color(&self, shade: &Shade) -> Vec3 {
        if shade.sun == Vec3::ZERO { shade.dark } else { shade.dark + shade.sun * self.lit(shade.place) }
    }

    pub(super) fn body(&self, color: Vec3, point: Corner) -> Shade {
        let towards = (self.eye - point.position).normalize_or(Vec3::Z);
        let mut normal = point.normal.normalize_or(Vec3::Y);
        if normal.dot(towards) < 0.0 {
            normal = -normal;
        }
        let sun = self.towards_sun;
        let direct = normal.dot(sun).max(0.0);
        let sky = 0.5 + 0.5 * normal.y;
        let shine = (sun + towards).normalize_or(sun).dot(normal).max(0.0);
        let shine = shine * shine * shine * shine;
        let shine = shine * shine * shine * shine;
        Shade {
            dark: color * (0.18 + 0.27 * sky),
            sun: (color * 0.75 + Vec3::splat(0.06 * shine)) * direct,
            place: self.place(point.position, normal),
        }
    }

    /// A pattern of tiles that fades with distance.
    pub(super) fn ground(&self, color: Vec3, point: Corner, sky: Vec3) -> Shade {
        let distance = (point.position - self.eye).length();
        let fog = ((distance - 2.0 * self.around) / (6.0 * self.around)).clamp(0.0, 1.0);
        if fog >= 1.0 {
            return Shade::shining(sky);
        }
        let fog = fog * fog * (3.0 - 2.0 * fog);
        let normal = point.normal.normalize_or(Vec3::Y);
        let (u, v) = normal.any_orthonormal_pair();
        let place = Vec2::new(point.position.dot(u), point.position.dot(v)) / self.tile;
        let contrast = 0.07 * (1.0 - distance / (5.0 * self.around)).clamp(0.0, 1.0);
        let odd = (place.x.floor() + place.y.floor()).rem_euclid(2.0) > 0.5;
        let tile = if odd { 1.0 - contrast } else { 1.0 + contrast };
        let direct = normal.dot(self.towards_sun).max(0.0);
        Shade {
            dark: (color * tile * 0.42).lerp(sky, fog),
            sun: color * tile * (0.62 * direct * (1.0 - fog)),
            place: self.place(point.position, normal),
        }
    }

    /// The colour of something at `end`, or of the sky, seen along a ray through a fluid: the longer the way in it, the more
    /// of its own colour, and the flatter the ray to its surface, the more of the sky.
    pub(super) fn through_fluid(&self, surface: &Plane, color: Vec3, ray: Vec3, end: Option<Vec3>, sky: Vec3) -> Vec3 {
        const FLUID: Vec3 = Vec3::new(0.04, 0.19, 0.27);
        let normal = surface.normal.as_vec3();
        let (height, slope) = (normal.dot(self.eye) - surface.offset as f32, normal.dot(ray));
        let far = end.map_or(1e6, |end| (end - self.eye).length());
        let crossing = (-height / slope).clamp(0.0, far);
        let crossing = if crossing.is_finite() { crossing } else { far };
        // Above the surface the way in the fluid begins at the crossing, below it ends there.
        let [begin, end] = match (height > 0.0, slope < 0.0) {
            (true, true) => [crossing, far],
            (true, false) => return color,
            (false, true) => [0.0, far],
            (false, false) => [0.0, crossing],
        };
        if end <= begin {
            return color;
        }
        let clear = libm::expf(-(end - begin) / (0.9 * self.around));
        let inside = FLUID.lerp(color, 0.75 * clear);
        let flat = 1.0 - slope.abs();
        let mirrored = if height > 0.0 { (0.05 + 0.6 * flat * flat * flat * flat * flat) * sky } else { Vec3::ZERO };
        let distant = ((begin - 2.0 * self.around) / (6.0 * self.around)).clamp(0.0, 1.0);
        (inside + mirrored).lerp(sky, distant * distant * (3.0 - 2.0 * distant))
    }

    /// Where a point is in the picture that the sun sees.
    fn place(&self, position: Vec3, normal: Vec3) -> Vec3 {
        // A little off the surface, so that it does not shade itself.
        let seen = *self.sun * (position + normal * 0.02).extend(1.0);
        // Nearness to the sun grows as depth falls: 1 − z.
        (Vec2::new(0.5 + 0.5 * seen.x, 0.5 - 0.5 * seen.y) * SHADOW as f32).extend(1.0 - seen.z + 2e-4)
    }

    /// How much of the sun reaches a place: the mean over some neighbouring ones.
    fn lit(&self, place: Vec3) -> f32 {
        let mut sum = 0.0;
        for (dx, dy) in [(-0.7, -0.3), (0.3, -0.7), (0.7, 0.3), (-0.3, 0.7)] {
            let (x, y) = (place.x + dx, place.y + dy);
            let inside = x >= 0.0 && y >= 0.0 && x < SHADOW as f32 && y < SHADOW as f32;
            let depth = if inside { self.shadow.nearness[y as usize * SHADOW + x as usize] } else { 0.0 };
            sum += if depth > place.z { 0.0 } else { 0.25 };
        }
        sum
    }
}
