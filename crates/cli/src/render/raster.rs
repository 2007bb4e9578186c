//! A small rasteriser: triangles into a picture with a depth buffer, and nothing else.
//!
//! Corners are projected; inside a triangle everything is interpolated with barycentric weights. Quantities that are
//! linear in space are linear on the screen only after division by depth, so weights are w̃ᵢ = (wᵢ/zᵢ) / Σ (wⱼ/zⱼ).

use glam::{Mat4, Vec2, Vec3, Vec4};

/// A corner of a triangle in the world.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corner {
    pub(super) position: Vec3,
    pub(super) normal: Vec3,
}

impl Corner {
    fn between(self, other: Self, t: f32) -> Self {
        Self { position: self.position.lerp(other.position, t), normal: self.normal.lerp(other.normal, t) }
    }
}

/// Depths of the nearest surfaces, and what is drawn beside them.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    /// 1/w of the nearest surface; zero where there is none.
    pub(super) nearness: Vec<f32>,
}

/// In front of the eye by at least this much.
const NEAR: f32 = 0.01;

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, height, nearness: vec![0.0; width * height] }
    }

    pub(super) fn clear(&mut self) {
        self.nearness.fill(0.0);
    }

    /// Draws a triangle. `paint` is called for each pixel where it is nearest, with the pixel and the point seen there.
    pub(super) fn triangle(&mut self, view: &Mat4, corners: [Corner; 3], paint: &mut impl FnMut(usize, Corner)) {
        let clip = corners.map(|corner| *view * corner.position.extend(1.0));
        if clip.iter().all(|c| c.w >= NEAR) {
            return self.visible(clip, corners, paint);
        }
        // Cut off what is behind the eye: up to four corners are left.
        let mut kept: Vec<(Vec4, Corner)> = Vec::with_capacity(4);
        for i in 0..3 {
            let j = (i + 1) % 3;
            if clip[i].w >= NEAR {
                kept.push((clip[i], corners[i]));
            }
            if (clip[i].w >= NEAR) != (clip[j].w >= NEAR) {
                let t = (NEAR - clip[i].w) / (clip[j].w - clip[i].w);
                kept.push((clip[i].lerp(clip[j], t), corners[i].between(corners[j], t)));
            }
        }
        for k in 2..kept.len() {
            let chosen = [kept[0], kept[k - 1], kept[k]];
            self.visible(chosen.map(|(clip, _)| clip), chosen.map(|(_, corner)| corner), paint);
        }
    }

    fn visible(&mut self, clip: [Vec4; 3], corners: [Corner; 3], paint: &mut impl FnMut(usize, Corner)) {
        let size = Vec2::new(self.width as f32, self.height as f32);
        let screen = clip.map(|c| Vec2::new(0.5 + 0.5 * c.x / c.w, 0.5 - 0.5 * c.y / c.w) * size);
        let inverse = clip.map(|c| 1.0 / c.w);
        let area = (screen[1] - screen[0]).perp_dot(screen[2] - screen[0]);
        if !area.is_finite() || area.abs() < 1e-9 {
            return;
        }
        let low = screen[0].min(screen[1]).min(screen[2]).max(Vec2::ZERO);
        let high = screen[0].max(screen[1]).max(screen[2]).min(size - 1.0);
        if low.x > high.x.ceil() || low.y > high.y.ceil() {
            return;
        }
        // The weight of a corner is linear on the screen: it grows by the same amount from pixel to pixel.
        let weight = [0, 1, 2].map(|i: usize| {
            let (a, b) = (screen[(i + 1) % 3], screen[(i + 2) % 3]);
            let slope = Vec2::new(a.y - b.y, b.x - a.x) / area;
            (slope, -slope.dot(a))
        });
        let columns = low.x.floor() as usize..=(high.x.ceil() as usize).min(self.width - 1);
        for y in low.y.floor() as usize..=(high.y.ceil() as usize).min(self.height - 1) {
            for x in columns.clone() {
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let w = weight.map(|(slope, start)| slope.dot(p) + start);
                if w[0] < 0.0 || w[1] < 0.0 || w[2] < 0.0 {
                    continue;
                }
                let nearness = w[0] * inverse[0] + w[1] * inverse[1] + w[2] * inverse[2];
                let pixel = y * self.width + x;
                if nearness <= self.nearness[pixel] {
                    continue;
                }
                self.nearness[pixel] = nearness;
                let share = |i: usize| w[i] * inverse[i] / nearness;
                let mix = |f: fn(&Corner) -> Vec3| {
                    f(&corners[0]) * share(0) + f(&corners[1]) * share(1) + f(&corners[2]) * share(2)
                };
                paint(pixel, Corner { position: mix(|c| c.position), normal: mix(|c| c.normal) });
            }
        }
    }
}
