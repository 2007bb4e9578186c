//! The truth, found another way: brute force over features for polytopes, a search over directions for curved shapes.

use super::bodies::{Body, Skeleton};
use tumble_geometry::Transform;
use tumble_geometry::glam::{DMat3, DVec3};

/// The signed distance of two polytopes, by brute force: the largest gap over all face normals and cross products of
/// edges (the separating axis theorem) is minus the depth if they overlap; otherwise the distance is the least of all
/// corner–face and edge–edge distances.
pub(crate) fn polytope_distance(a: &Skeleton, b: &Skeleton) -> f64 {
    let gap = separating_axes(a, b);
    let core = if gap > 0.0 { feature_distance(a, b) } else { gap };
    core - a.radius - b.radius
}

fn separating_axes(a: &Skeleton, b: &Skeleton) -> f64 {
    let mut gap = f64::NEG_INFINITY;
    let mut try_axis = |axis: DVec3| {
        if let Some(n) = axis.try_normalize() {
            let (a_low, a_high) = range(&a.corners, n);
            let (b_low, b_high) = range(&b.corners, n);
            gap = gap.max(b_low - a_high).max(a_low - b_high);
        }
    };
    a.normals.iter().chain(&b.normals).for_each(|&n| try_axis(n));
    let edge = |body: &Skeleton, (i, j): (usize, usize)| body.corners[j] - body.corners[i];
    for &i in &a.edges {
        for &j in &b.edges {
            let (e, f) = (edge(a, i), edge(b, j));
            let cross = e.cross(f);
            if cross.length_squared() > 1e-28 * e.length_squared() * f.length_squared() {
                try_axis(cross);
            }
        }
    }
    // Flat bodies end at their edges: the directions across an edge within the plane count too.
    for flat in [a, b].into_iter().filter(|body| body.triangles.len() == 1) {
        for body in [a, b] {
            body.edges.iter().for_each(|&i| try_axis(edge(body, i).cross(flat.normals[0])));
        }
    }
    // Points and segments have no axes: they are apart, or meet with depth zero.
    if a.normals.is_empty() && b.normals.is_empty() {
        gap = gap.max(feature_distance(a, b));
    }
    gap
}

fn range(points: &[DVec3], n: DVec3) -> (f64, f64) {
    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
        let x = p.dot(n);
        (low.min(x), high.max(x))
    })
}

/// The least distance over all corner–face and edge–edge pairs.
pub(crate) fn feature_distance(a: &Skeleton, b: &Skeleton) -> f64 {
    let mut least = f64::INFINITY;
    for (one, other) in [(a, b), (b, a)] {
        for &p in &one.corners {
            for t in &other.triangles {
                least = least.min(point_triangle(p, t.map(|i| other.corners[i])));
            }
            if other.triangles.is_empty() {
                for &(i, j) in &other.edges {
                    least = least.min(segments(p, p, other.corners[i], other.corners[j]));
                }
                if other.edges.is_empty() {
                    other.corners.iter().for_each(|&q| least = least.min(p.distance(q)));
                }
            }
        }
    }
    for &(i, j) in &a.edges {
        for &(k, l) in &b.edges {
            least = least.min(segments(a.corners[i], a.corners[j], b.corners[k], b.corners[l]));
        }
    }
    least
}

/// The distance of a point from the inside of a triangle; infinite if its foot lies outside (the edges count elsewhere).
fn point_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(s, e)| (e - s).cross(p - s).dot(normal) >= 0.0);
    if inside {
        return (p - a).dot(normal).abs() / normal.length();
    }
    segments(p, p, a, b).min(segments(p, p, b, c)).min(segments(p, p, c, a))
}

/// The distance of the segments p q and r s: the four ends against the other segment, and the lines themselves if the
/// feet of their common perpendicular lie within.
fn segments(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> f64 {
    let ends =
        point_segment(p, r, s).min(point_segment(q, r, s)).min(point_segment(r, p, q)).min(point_segment(s, p, q));
    let (d, e) = (q - p, s - r);
    let normal = d.cross(e);
    let square = normal.length_squared();
    if square <= 1e-30 * d.length_squared() * e.length_squared() {
        return ends;
    }
    let t = (r - p).cross(e).dot(normal) / square;
    let u = (r - p).cross(d).dot(normal) / square;
    if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u) {
        ends.min((r - p).dot(normal).abs() / square.sqrt())
    } else {
        ends
    }
}

fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let ab = b - a;
    let square = ab.length_squared();
    let t = if square > 0.0 { ((p - a).dot(ab) / square).clamp(0.0, 1.0) } else { 0.0 };
    let off = p - a - ab * t;
    // Without the rounding along the segment.
    if t > 0.0 && t < 1.0 { (off - ab * (off.dot(ab) / square)).length() } else { off.length() }
}

/// Two bodies as the tests see them: `overlap(n)` is how far they must move apart along n.
pub(crate) struct Pair<'a> {
    pub(crate) a: &'a Body,
    pub(crate) b: &'a Body,
    rotation: DMat3,
    translation: DVec3,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(a: &'a Body, b: &'a Body, b_in_a: &Transform) -> Self {
        Self { a, b, rotation: DMat3::from_quat(b_in_a.rotation), translation: b_in_a.translation }
    }

    pub(crate) fn overlap(&self, n: DVec3) -> f64 {
        let low = self.rotation * self.b.farthest(self.rotation.transpose() * -n) + self.translation;
        self.a.farthest(n).dot(n) - low.dot(n)
    }

    /// The least overlap a search over directions finds: a grid over the sphere, the axes of the bodies and `guess`; the
    /// best of them followed downhill.
    pub(crate) fn least_overlap(&self, grid: &[DVec3], guess: DVec3) -> (f64, DVec3) {
        let mut starts: Vec<(f64, DVec3)> = Vec::with_capacity(grid.len() + 24);
        starts.extend(grid.iter().map(|&n| (self.overlap(n), n)));
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for u in axes {
            let v = self.rotation * u;
            for n in [u, v].into_iter().chain(axes.map(|w| w.cross(v).normalize_or(u))) {
                starts.push((self.overlap(n), n));
                starts.push((self.overlap(-n), -n));
            }
        }
        starts.sort_by(|p, q| p.0.total_cmp(&q.0));
        starts.truncate(6);
        starts.push((self.overlap(guess), guess));
        let descend = |start: (f64, DVec3)| self.descend(start);
        starts
            .into_iter()
            .map(descend)
            .fold((f64::INFINITY, guess), |best, next| if next.0 < best.0 { next } else { best })
    }

    /// Downhill by trial steps to four sides, turned every time, longer after success and shorter after failure.
    fn descend(&self, (mut least, mut n): (f64, DVec3)) -> (f64, DVec3) {
        let mut step = 0.1;
        let (mut u, mut v) = n.any_orthonormal_pair();
        for _ in 0..100 {
            let mut moved = false;
            for side in [u, -u, v, -v] {
                let next = (n + side * step).normalize();
                let overlap = self.overlap(next);
                if overlap < least {
                    (least, n, moved) = (overlap, next, true);
                    break;
                }
            }
            step *= if moved { 1.3 } else { 0.6 };
            if step < 1e-7 {
                break;
            }
            let turned = u * 0.8 + v * 0.6;
            u = turned.reject_from_normalized(n).normalize();
            v = n.cross(u);
        }
        (least, n)
    }
}

/// Evenly spread unit vectors (a Fibonacci spiral).
pub(crate) fn sphere_grid(count: usize) -> Vec<DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let point = |i: usize| {
        let y = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
        let across = (1.0 - y * y).sqrt();
        let angle = golden * i as f64;
        DVec3::new(across * libm::cos(angle), y, across * libm::sin(angle))
    };
    (0..count).map(point).collect()
}
