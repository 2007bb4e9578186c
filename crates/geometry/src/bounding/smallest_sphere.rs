//! The smallest sphere around some points (the "miniball").
//!
//! It is determined by at most four of them. Those are found by growing a small candidate set: take the smallest sphere
//! around the candidates, add the point that sticks out farthest, repeat. The radius grows with every addition, so this
//! ends; in practice after about ten rounds, each one pass over the points. The sphere around the candidates is found by
//! Welzl's incremental method (1991). At last the radius is set to the distance of the farthest point, so that every
//! point is inside whatever the rounding.

use super::BoundingSphere;
use glam::{DMat3, DVec3};

/// How far, relative to the radius, a point may stick out before it counts.
const TOLERANCE: f64 = 1e-13;
/// More rounds than any input needs; the answer is an enclosing sphere in any case.
const MAX_ROUNDS: usize = 200;

/// The smallest sphere around a list of finite points, which is not empty.
pub(super) fn smallest_sphere(points: &[DVec3]) -> BoundingSphere {
    let mut candidates = vec![points[0]];
    let mut sphere = BoundingSphere::new(points[0], 0.0);
    for _ in 0..MAX_ROUNDS {
        let farthest = farthest_from(sphere.center, points);
        let distance = sphere.center.distance(farthest);
        if distance <= sphere.radius * (1.0 + TOLERANCE) || candidates.contains(&farthest) {
            break;
        }
        // The newest first: it is on the surface, and Welzl's method is fastest if such points come early.
        candidates.insert(0, farthest);
        sphere = around(&candidates, Boundary::default());
    }
    let radius = sphere.center.distance(farthest_from(sphere.center, points));
    BoundingSphere::new(sphere.center, radius)
}

fn farthest_from(center: DVec3, points: &[DVec3]) -> DVec3 {
    let farther = |best: DVec3, &p: &DVec3| {
        if p.distance_squared(center) > best.distance_squared(center) { p } else { best }
    };
    points.iter().fold(points[0], farther)
}

/// Up to four points that must lie on the surface.
#[derive(Clone, Copy, Default)]
struct Boundary {
    points: [DVec3; 4],
    count: usize,
}

impl Boundary {
    fn with(mut self, point: DVec3) -> Self {
        self.points[self.count] = point;
        self.count += 1;
        self
    }

    /// The smallest sphere with these points on its surface; `None` if they are (nearly) dependent, or none.
    ///
    /// With `p₀` as origin the centre is `c = Σ λᵢ pᵢ` with `2 pᵢ·c = pᵢ²`: a linear system of up to three unknowns.
    fn sphere(&self) -> Option<BoundingSphere> {
        if self.count == 0 {
            return None;
        }
        let origin = self.points[0];
        let mut offsets = [DVec3::ZERO; 3];
        for i in 1..self.count {
            offsets[i - 1] = self.points[i] - origin;
        }
        // Rows and columns of points that are absent are those of the identity.
        let mut gram = DMat3::IDENTITY;
        let mut squares = DVec3::ZERO;
        for i in 0..self.count - 1 {
            squares[i] = offsets[i].length_squared();
            for j in 0..self.count - 1 {
                gram.col_mut(j)[i] = 2.0 * offsets[i].dot(offsets[j]);
            }
        }
        // The determinant of the Gram matrix over the product of its diagonal: the squared volume over that of a box.
        let fullness = gram.determinant() / (gram.x_axis.x * gram.y_axis.y * gram.z_axis.z);
        if fullness.is_nan() || fullness <= 1e-20 {
            return None;
        }
        let weights = gram.inverse() * squares;
        let offset = offsets[0] * weights.x + offsets[1] * weights.y + offsets[2] * weights.z;
        Some(BoundingSphere::new(origin + offset, offset.length()))
    }
}

/// The smallest sphere around `points` with `boundary` on its surface. Four levels deep at most.
fn around(points: &[DVec3], boundary: Boundary) -> BoundingSphere {
    let mut sphere = boundary.sphere().unwrap_or(BoundingSphere::new(DVec3::ZERO, -1.0));
    if boundary.count == 4 {
        return sphere;
    }
    for (i, &point) in points.iter().enumerate() {
        let inside = sphere.radius >= 0.0 && sphere.center.distance(point) <= sphere.radius * (1.0 + TOLERANCE);
        if !inside {
            let larger = around(&points[..i], boundary.with(point));
            if larger.radius >= sphere.radius {
                sphere = larger;
            }
        }
    }
    sphere
}
