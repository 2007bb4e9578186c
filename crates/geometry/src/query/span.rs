//! The part of a line inside a convex set: the interval of distances between entering and leaving.
//!
//! Rays against solids reduce to a few such intervals. A box is the intersection of three slabs, a hull that of its
//! half-spaces, a cylinder that of an endless one and a slab; a capsule is the union of a cylinder and two balls
//! (which, as the whole is convex, is an interval again).

use crate::Ray;
use glam::DVec3;

/// Distances along a ray between which it is inside a convex set; both may be negative or infinite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Where the line enters.
    pub(crate) enter: f64,
    /// Where it leaves, not before it enters.
    pub(crate) leave: f64,
    /// The outward unit normal where it enters.
    pub(crate) normal: DVec3,
}

impl Span {
    /// The whole line.
    pub(crate) const LINE: Self = Self { enter: f64::NEG_INFINITY, leave: f64::INFINITY, normal: DVec3::ZERO };

    /// The part inside both; `None` if there is none.
    pub(crate) fn intersect(self, other: Self) -> Option<Self> {
        let (enter, normal) =
            if other.enter > self.enter { (other.enter, other.normal) } else { (self.enter, self.normal) };
        let leave = self.leave.min(other.leave);
        (enter <= leave).then_some(Self { enter, leave, normal })
    }

    /// From the first entry to the last exit of two spans of sets whose union is convex.
    pub(crate) fn unite(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
        let (enter, normal) = if b.enter < a.enter { (b.enter, b.normal) } else { (a.enter, a.normal) };
        Some(Self { enter, leave: a.leave.max(b.leave), normal })
    }

    /// The points x with `normal · x ≤ offset`.
    pub(crate) fn half_space(ray: &Ray, normal: DVec3, offset: f64) -> Option<Self> {
        let height = normal.dot(ray.origin) - offset;
        let speed = normal.dot(ray.direction);
        if speed < 0.0 {
            Some(Self { enter: -height / speed, leave: f64::INFINITY, normal })
        } else if speed > 0.0 {
            Some(Self { enter: f64::NEG_INFINITY, leave: -height / speed, normal })
        } else {
            (height <= 0.0).then_some(Self::LINE)
        }
    }

    /// The points with coordinate `axis` between `min` and `max`, which may be infinite.
    pub(crate) fn slab(ray: &Ray, axis: usize, min: f64, max: f64) -> Option<Self> {
        let (origin, speed) = (ray.origin[axis], ray.direction[axis]);
        if speed == 0.0 {
            return (min <= origin && origin <= max).then_some(Self::LINE);
        }
        let (near, far) = if speed > 0.0 { (min, max) } else { (max, min) };
        let normal = DVec3::AXES[axis] * -speed.signum();
        Some(Self { enter: (near - origin) / speed, leave: (far - origin) / speed, normal })
    }

    /// The box between two corners.
    pub(crate) fn cuboid(ray: &Ray, min: DVec3, max: DVec3) -> Option<Self> {
        (0..3).try_fold(Self::LINE, |span, axis| span.intersect(Self::slab(ray, axis, min[axis], max[axis])?))
    }

    /// A ball.
    pub(crate) fn ball(ray: &Ray, center: DVec3, radius: f64) -> Option<Self> {
        let to_center = center - ray.origin;
        // The line is closest to the centre at `middle`; there it passes at `miss`. Starting from that point, not from
        // the origin of the ray, keeps the digits of a ray that comes from afar.
        let middle = to_center.dot(ray.direction);
        let miss = ray.direction * middle - to_center;
        let half = half_chord(radius, miss.length())?;
        let normal = (miss - ray.direction * half).normalize_or_zero();
        Some(Self { enter: middle - half, leave: middle + half, normal })
    }

    /// The endless cylinder around the line through `center` along coordinate `axis`.
    pub(crate) fn endless_cylinder(ray: &Ray, axis: usize, center: DVec3, radius: f64) -> Option<Self> {
        let across = |mut v: DVec3| {
            v[axis] = 0.0;
            v
        };
        let to_center = across(center - ray.origin);
        let velocity = across(ray.direction);
        let speed = velocity.length();
        if speed == 0.0 {
            return (to_center.length_squared() <= radius * radius).then_some(Self::LINE);
        }
        // The same in the plane across the axis, where the ray moves with `speed`.
        let direction = velocity / speed;
        let middle = to_center.dot(direction);
        let miss = direction * middle - to_center;
        let half = half_chord(radius, miss.length())?;
        let normal = (miss - direction * half).normalize_or_zero();
        Some(Self { enter: (middle - half) / speed, leave: (middle + half) / speed, normal })
    }
}

/// Half the chord a line cuts out of a circle it passes `miss` from the centre: `√(r² − m²)`.
fn half_chord(radius: f64, miss: f64) -> Option<f64> {
    (miss <= radius).then(|| ((radius - miss) * (radius + miss)).sqrt())
}
