//! A small rasteriser: triangles into a buffer of depths that remembers which triangle is nearest, and nothing else.
//!
//! The weight of a corner of a triangle is linear on the screen, and so is the inverse of the distance from the eye. What
//! is linear in space is linear on the screen only after division by distance: the shares of the corners in a point are
//! w̃ᵢ = (wᵢ/zᵢ) / Σ (wⱼ/zⱼ). They are worked out only for points that are looked at, not for all that are drawn over.

use glam::{DVec2, Mat4, Vec3, Vec4};

/// A corner of a triangle in the world.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corner {
    pub(super) position: Vec3,
    pub(super) normal: Vec3,
    /// As amounts of light.
    pub(super) color: Vec3,
}

impl Corner {
    fn between(self, other: Self, t: f32) -> Self {
        Self {
            position: self.position.lerp(other.position, t),
            normal: self.normal.lerp(other.normal, t),
            color: self.color.lerp(other.color, t),
        }
    }
}

/// A quantity that is linear on the screen: slope · pixel + start.
#[derive(Clone, Copy, Debug)]
struct Linear {
    slope: DVec2,
    start: f64,
}

impl Linear {
    fn at(&self, pixel: DVec2) -> f64 {
        self.slope.dot(pixel) + self.start
    }
}

/// A triangle that was drawn.
#[derive(Clone, Copy, Debug)]
struct Facet {
    what: u32,
    corners: [Corner; 3],
    /// The weight of each corner, divided by its distance from the eye.
    shares: [Linear; 3],
}

/// Depths of the nearest surfaces, and which triangles they belong to.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    /// 1/distance of the nearest surface; zero where there is none.
    pub(super) nearness: Vec<f32>,
    /// The triangle seen in each sample.
    seen: Vec<u32>,
    facets: Vec<Facet>,
}

/// The triangle of a sample that shows none.
pub(super) const NOTHING: u32 = u32::MAX;
/// In front of the eye by at least this much.
const NEAR: f32 = 0.01;
/// Neighbouring triangles overlap by this part of a pixel, so that rounding leaves no gap.
const OVERLAP: f64 = 1e-6;

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        let size = width * height;
        Self { width, height, nearness: vec![0.0; size], seen: vec![NOTHING; size], facets: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.nearness.fill(0.0);
        self.seen.fill(NOTHING);
        self.facets.clear();
    }

    /// Draws a triangle of the thing with the number `what`.
    pub(super) fn triangle(&mut self, view: &Mat4, what: u32, corners: [Corner; 3]) {
        let clip = corners.map(|corner| *view * corner.position.extend(1.0));
        if clip.iter().all(|c| c.w >= NEAR) {
            return self.visible(clip, what, corners);
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
            self.visible(chosen.map(|(clip, _)| clip), what, chosen.map(|(_, corner)| corner));
        }
    }

    fn visible(&mut self, clip: [Vec4; 3], what: u32, corners: [Corner; 3]) {
        let inverse = clip.map(|c| 1.0 / f64::from(c.w));
        let screen = [0, 1, 2].map(|i: usize| self.place(clip[i].truncate() * inverse[i] as f32));
        let Some(weights) = weights(screen) else { return };
        let shares = [0, 1, 2]
            .map(|i: usize| Linear { slope: weights[i].slope * inverse[i], start: weights[i].start * inverse[i] });
        let nearness = sum(shares);
        let facet = self.facets.len() as u32;
        let mut drawn = false;
        self.draw(screen, weights, nearness, |seen| {
            *seen = facet;
            drawn = true;
        });
        if drawn {
            self.facets.push(Facet { what, corners, shares });
        }
    }

    /// Notes how near a triangle is in a view without perspective: 1 − z.
    pub(super) fn flat(&mut self, view: &Mat4, corners: [Vec3; 3]) {
        let clip = corners.map(|corner| view.transform_point3(corner));
        let screen = clip.map(|c| self.place(c));
        let Some(weights) = weights(screen) else { return };
        let near = [0, 1, 2].map(|i: usize| {
            let depth = 1.0 - f64::from(clip[i].z);
            Linear { slope: weights[i].slope * depth, start: weights[i].start * depth }
        });
        self.draw(screen, weights, sum(near), |_| {});
    }

    /// A point between −1 and 1 in pixels.
    fn place(&self, point: Vec3) -> DVec2 {
        DVec2::new(0.5 + 0.5 * f64::from(point.x), 0.5 - 0.5 * f64::from(point.y))
            * DVec2::new(self.width as f64, self.height as f64)
    }

    /// Goes through the samples where a triangle is nearer than all before: the depth is noted, and `mark` is called with
    /// the place for the triangle's number.
    fn draw(&mut self, screen: [DVec2; 3], weights: [Linear; 3], nearness: Linear, mut mark: impl FnMut(&mut u32)) {
        let low = screen[0].min(screen[1]).min(screen[2]).y - 0.5;
        let high = screen[0].max(screen[1]).max(screen[2]).y - 0.5;
        if high < 0.0 || low > self.height as f64 {
            return;
        }
        for y in low.max(0.0).floor() as usize..=(high.ceil() as usize).min(self.height - 1) {
            // Where all weights are positive in this row.
            let (mut from, mut to) = (0.0_f64, self.width as f64 - 1.0);
            for weight in weights {
                let start = weight.at(DVec2::new(0.5, y as f64 + 0.5));
                let edge = -start / weight.slope.x;
                if weight.slope.x > 0.0 {
                    from = from.max(edge - OVERLAP);
                } else if weight.slope.x < 0.0 {
                    to = to.min(edge + OVERLAP);
                } else if start < 0.0 {
                    to = -1.0;
                }
            }
            if from.ceil() > to {
                continue;
            }
            let (from, to) = (from.ceil() as usize, to as usize);
            let first = nearness.at(DVec2::new(from as f64 + 0.5, y as f64 + 0.5));
            let row = y * self.width + from..=y * self.width + to;
            let samples = self.nearness[row.clone()].iter_mut().zip(&mut self.seen[row]);
            for (step, (nearest, seen)) in samples.enumerate() {
                let near = (first + nearness.slope.x * step as f64) as f32;
                if near > *nearest {
                    *nearest = near;
                    mark(seen);
                }
            }
        }
    }

    /// How many triangles can be seen, or could before others were drawn over them.
    pub(super) fn facets(&self) -> u32 {
        self.facets.len() as u32
    }

    /// The number of the triangle that a sample shows, or [`NOTHING`].
    pub(super) fn facet(&self, sample: usize) -> u32 {
        self.seen[sample]
    }

    /// What a sample shows: the number of the thing, and the point of it.
    pub(super) fn seen(&self, sample: usize) -> Option<(u32, Corner)> {
        let facet = self.facets.get(self.seen[sample] as usize)?;
        let pixel = DVec2::new((sample % self.width) as f64 + 0.5, (sample / self.width) as f64 + 0.5);
        let shares = facet.shares.map(|share| share.at(pixel));
        let whole = shares[0] + shares[1] + shares[2];
        let [a, b, c] = shares.map(|share| (share / whole) as f32);
        let mix =
            |f: fn(&Corner) -> Vec3| f(&facet.corners[0]) * a + f(&facet.corners[1]) * b + f(&facet.corners[2]) * c;
        Some((facet.what, Corner { position: mix(|c| c.position), normal: mix(|c| c.normal), color: mix(|c| c.color) }))
    }
}

/// The weights of the corners of a triangle: one at its own corner, zero along the opposite edge. None if it is too thin.
fn weights(screen: [DVec2; 3]) -> Option<[Linear; 3]> {
    let area = (screen[1] - screen[0]).perp_dot(screen[2] - screen[0]);
    (area.is_finite() && area.abs() >= 1e-9).then(|| {
        [0, 1, 2].map(|i: usize| {
            let (a, b) = (screen[(i + 1) % 3], screen[(i + 2) % 3]);
            let slope = DVec2::new(a.y - b.y, b.x - a.x) / area;
            Linear { slope, start: -slope.dot(a) }
        })
    })
}

fn sum([a, b, c]: [Linear; 3]) -> Linear {
    Linear { slope: a.slope + b.slope + c.slope, start: a.start + b.start + c.start }
}
