//! Points and rays against a height field.

use super::HeightField;
use crate::primitive::{Culling, RayFrame};
use crate::query::{PointProjection, RayHit};
use crate::shape::mesh::projection;
use crate::{Aabb, Ray};
use glam::DVec3;
use std::ops::Range;

impl HeightField {
    /// The height of the surface at (x, z) in metres; `None` outside the grid.
    pub fn height_at(&self, x: f64, z: f64) -> Option<f64> {
        let (row, column, u, v) = self.locate(x, z)?;
        let height = |r: usize, c: usize| self.heights[r * self.columns + c];
        let (near, far) = (height(row, column), height(row + 1, column + 1));
        // Linear in each triangle: along z first and then x on the side of the corner (r+1, c), or the other way round.
        Some(if v >= u {
            let corner = height(row + 1, column);
            near + v * (corner - near) + u * (far - corner)
        } else {
            let corner = height(row, column + 1);
            near + u * (corner - near) + v * (far - corner)
        })
    }

    /// The cell (row, column) of a place and where in the cell it is, from 0 to 1 along x and along z.
    fn locate(&self, x: f64, z: f64) -> Option<(usize, usize, f64, f64)> {
        let along = |position: f64, spacing: f64, cells: usize| {
            let place = position / spacing + 0.5 * cells as f64;
            if !(0.0..=cells as f64).contains(&place) {
                return None;
            }
            let cell = (place as usize).min(cells - 1);
            Some((cell, place - cell as f64))
        };
        let (column, u) = along(x, self.spacing[0], self.columns - 1)?;
        let (row, v) = along(z, self.spacing[1], self.rows - 1)?;
        Some((row, column, u, v))
    }

    /// Whether `point` lies on the surface or anywhere below it.
    pub fn contains_point(&self, point: DVec3) -> bool {
        self.height_at(point.x, point.z).is_some_and(|height| point.y <= height)
    }

    /// The point of the surface closest to `point`, with the distance negative if `point` lies below the surface. The
    /// upright sides of the terrain do not count. `None` if `point` is not finite.
    pub fn closest_point(&self, point: DVec3) -> Option<PointProjection> {
        if !point.is_finite() {
            return None;
        }
        let at = Aabb::new(point, point);
        let mut nearest = None;
        self.tiles.nearest_first(
            f64::INFINITY,
            |boxes| boxes.distance_squared(&at),
            |range, mut limit| {
                for part in self.tiles.items()[range].iter().flat_map(|&tile| self.tile_triangles(tile)) {
                    let candidate = self.triangle(part as usize).closest_point(point).point;
                    let square = candidate.distance_squared(point);
                    if square < limit || nearest.is_none() {
                        limit = square;
                        nearest = Some((candidate, part));
                    }
                }
                limit
            },
        );
        let (closest, part) = nearest?;
        let normal = self.triangle(part as usize).normal()?;
        Some(projection(point, closest, normal, part, self.contains_point(point)))
    }

    /// The first triangle the ray meets within `max_distance` metres, from above or from below; a ray that starts below the
    /// surface is stopped at once. The upright sides of the terrain let rays pass.
    pub fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<RayHit> {
        if !(max_distance >= 0.0 && ray.origin.is_finite() && ray.direction.is_finite()) {
            return None;
        }
        if self.contains_point(ray.origin) {
            let (row, column, u, v) = self.locate(ray.origin.x, ray.origin.z)?;
            let part = 2 * (row * (self.columns - 1) + column) + usize::from(u > v);
            return Some(RayHit { distance: 0.0, normal: -ray.direction, part: part as u32 });
        }
        self.first_hit(ray, max_distance, Culling::None)
    }

    /// How far along a finite ray that starts below the surface it comes out: through the surface, or through an upright
    /// side.
    pub(crate) fn first_exit(&self, ray: &Ray) -> Option<f64> {
        if let Some(hit) = self.first_hit(ray, f64::MAX, Culling::FrontFaces) {
            return Some(hit.distance);
        }
        let side = |axis: usize| {
            let (aabb, direction) = (self.aabb(), ray.direction[axis]);
            let side = if direction > 0.0 { aabb.max[axis] } else { aabb.min[axis] };
            if direction == 0.0 { f64::INFINITY } else { ((side - ray.origin[axis]) / direction).max(0.0) }
        };
        Some(side(0).min(side(2))).filter(|distance| distance.is_finite())
    }

    /// The grid is walked column by column (or row by row, if the ray runs rather along z): in each the ray covers a few
    /// cells, taken a little wider so that none is missed by rounding.
    fn first_hit(&self, ray: &Ray, max_distance: f64, culling: Culling) -> Option<RayHit> {
        let (enter, exit) = clip(ray, &self.aabb(), max_distance)?;
        let (from, to) = (ray.at(enter), ray.at(exit));
        let along_x = ray.direction.x.abs() * self.spacing[1] >= ray.direction.z.abs() * self.spacing[0];
        // The axis that is walked, and the other.
        let (major, minor) = if along_x { (0, 2) } else { (2, 0) };
        let grid = |axis: usize| {
            if axis == 0 { (self.columns - 1, self.spacing[0]) } else { (self.rows - 1, self.spacing[1]) }
        };
        let (cells, spacing) = grid(major);
        let (minor_cells, minor_spacing) = grid(minor);
        let strips = Self::cell_range(cells, spacing, from[major].min(to[major]), from[major].max(to[major]));
        let backwards = ray.direction[major] < 0.0;
        let frame = RayFrame::new(ray);
        for step in strips.clone() {
            let strip = if backwards { strips.start + strips.end - 1 - step } else { step };
            // Where the ray enters and leaves this strip, on the other axis.
            let border = |i: usize| {
                let place = (i as f64 - 0.5 * cells as f64) * spacing;
                let distance = (place - ray.origin[major]) / ray.direction[major];
                ray.at(if distance.is_nan() { enter } else { distance.clamp(enter, exit) })[minor]
            };
            let (p, q) =
                if ray.direction[major] == 0.0 { (from[minor], to[minor]) } else { (border(strip), border(strip + 1)) };
            let across = Self::cell_range(minor_cells, minor_spacing, p.min(q), p.max(q));
            let (rows, columns) = if along_x { (across, strip..strip + 1) } else { (strip..strip + 1, across) };
            if let Some(hit) = self.nearest_in_cells(&frame, max_distance, culling, rows, columns) {
                return Some(hit);
            }
        }
        None
    }

    fn nearest_in_cells(
        &self,
        frame: &RayFrame,
        max_distance: f64,
        culling: Culling,
        rows: Range<usize>,
        columns: Range<usize>,
    ) -> Option<RayHit> {
        let mut limit = max_distance;
        let mut nearest = None;
        for row in rows {
            let first = row * (self.columns - 1);
            for part in 2 * (first + columns.start)..2 * (first + columns.end) {
                let triangle = self.triangle(part);
                if let Some(hit) = triangle.cast_ray_frame(frame, limit, culling) {
                    limit = hit.distance;
                    nearest = Some((hit, part, triangle));
                }
            }
        }
        let (hit, part, triangle) = nearest?;
        let normal = triangle.normal()?;
        let normal = if hit.front { normal } else { -normal };
        Some(RayHit { distance: hit.distance, normal, part: part as u32 })
    }
}

/// The stretch of a ray, up to `max_distance`, inside a box that is taken a little larger than it is.
fn clip(ray: &Ray, aabb: &Aabb, max_distance: f64) -> Option<(f64, f64)> {
    let size = aabb.min.abs().max(aabb.max.abs()).max(ray.origin.abs());
    let margin = size * 1e-12;
    let (mut enter, mut exit) = (0.0_f64, max_distance);
    for axis in 0..3 {
        let (low, high) = (aabb.min[axis] - margin[axis], aabb.max[axis] + margin[axis]);
        let (origin, direction) = (ray.origin[axis], ray.direction[axis]);
        if direction == 0.0 {
            if !(low..=high).contains(&origin) {
                return None;
            }
            continue;
        }
        let (a, b) = ((low - origin) / direction, (high - origin) / direction);
        enter = enter.max(a.min(b));
        exit = exit.min(a.max(b));
    }
    (enter <= exit).then_some((enter, exit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    fn random_field(rows: usize, columns: usize, seed: u64) -> HeightField {
        let mut rng = fastrand::Rng::with_seed(seed);
        HeightField::new(rows, columns, (0..rows * columns).map(|_| rng.f64()).collect(), [0.5, 0.25]).unwrap()
    }

    /// The nearest hit by looking at every triangle.
    fn brute_force(field: &HeightField, ray: &Ray, max_distance: f64) -> Option<f64> {
        let hits = (0..field.triangle_count())
            .filter_map(|t| field.triangle(t).cast_ray(ray, max_distance, Culling::None))
            .map(|hit| hit.distance);
        hits.reduce(f64::min)
    }

    #[test]
    fn rays_meet_what_looking_at_every_triangle_finds() {
        let mut rng = fastrand::Rng::with_seed(5);
        let field = random_field(9, 14, 4);
        let mut hits = 0;
        for case in 0..20_000 {
            let mut point = |y: f64| dvec3(8.0 * rng.f64() - 4.0, y, 3.0 * rng.f64() - 1.5);
            let (mut origin, mut target) = (point(1.0 + 2.0 * f64::from(case % 3)), point(0.5));
            if case % 5 == 0 {
                // Along grid lines and through grid points.
                origin = field.point(case as usize % 9, case as usize % 14) + DVec3::Y * f64::from(case % 2);
                target = field.point((case / 5) as usize % 9, (case / 45) as usize % 14);
            }
            if case % 7 == 0 {
                target = dvec3(origin.x, 0.0, origin.z);
            }
            let Ok(ray) = Ray::towards(origin, target) else { continue };
            if field.contains_point(origin) {
                assert_eq!(field.cast_ray(&ray, 10.0).unwrap().distance, 0.0);
                continue;
            }
            let max_distance = if case % 11 == 0 { 0.7 } else { 100.0 };
            let expected = brute_force(&field, &ray, max_distance);
            let found = field.cast_ray(&ray, max_distance).map(|hit| hit.distance);
            // Where an edge is hit, its two triangles may differ in the last digit.
            let same = found == expected || found.zip(expected).is_some_and(|(f, e)| (f - e).abs() < 1e-13);
            assert!(same, "case {case}: {ray:?} {found:?} {expected:?}");
            hits += usize::from(found.is_some());
        }
        assert!(hits > 5000);
    }

    #[test]
    fn heights_between_grid_points_lie_on_the_triangles() {
        let field = random_field(6, 5, 6);
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let (x, z) = (2.4 * rng.f64() - 1.2, 1.5 * rng.f64() - 0.75);
            let down = Ray { origin: dvec3(x, 5.0, z), direction: -DVec3::Y };
            let expected = brute_force(&field, &down, 100.0).map(|distance| 5.0 - distance);
            let height = field.height_at(x, z);
            assert_eq!(height.is_some(), expected.is_some());
            if let (Some(height), Some(expected)) = (height, expected) {
                assert!((height - expected).abs() < 1e-12);
                assert!(field.contains_point(dvec3(x, height - 1e-9, z)));
                assert!(field.contains_point(dvec3(x, -1e6, z)));
                assert!(!field.contains_point(dvec3(x, height + 1e-9, z)));
            }
        }
        assert!(!field.contains_point(dvec3(5.0, -1.0, 0.0)));
    }

    #[test]
    fn the_closest_point_is_the_closest_of_all_triangles() {
        let field = random_field(9, 14, 8);
        let mut rng = fastrand::Rng::with_seed(9);
        for _ in 0..2000 {
            let point = dvec3(8.0 * rng.f64() - 4.0, 4.0 * rng.f64() - 2.0, 3.0 * rng.f64() - 1.5);
            let found = field.closest_point(point).unwrap();
            let expected =
                (0..field.triangle_count()).map(|t| field.triangle(t).distance(point)).fold(f64::INFINITY, f64::min);
            assert!((found.distance.abs() - expected).abs() < 1e-12);
            assert_eq!(found.distance < 0.0, field.contains_point(point));
            assert!((found.point + found.normal * found.distance - point).length() < 1e-12);
            assert!(field.triangle(found.part as usize).contains_point(found.point, 1e-12));
        }
        assert!(field.closest_point(DVec3::NAN).is_none());
    }
}
