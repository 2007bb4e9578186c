//! A tight oriented box around points.
//!
//! Start from a frame, then turn it about one axis at a time into the best position: seen along that axis the points
//! are a flat figure, whose smallest rectangle has a side along an edge of its convex outline (rotating calipers,
//! Freeman and Shapira 1975). Each turn can only shrink the box; stop when no axis helps. The starts are the coordinate
//! axes, the frame of a large triangle of the points, and the best box with a side on a face of their convex hull. The
//! smallest result wins: the smallest box itself if one of its sides lies on a face of the hull, else in practice
//! within a few percent of it.

use super::{Aabb, Obb};
use crate::math::orthonormal_pair;
use crate::shape::Hull;
use crate::{Plane, Transform};
use glam::{DMat3, DQuat, DVec2, DVec3};

/// How often each axis is tried at most.
const MAX_ROUNDS: usize = 50;
/// How many faces of the hull are tried at most.
const MAX_FACES: usize = 500;

/// A tight box around a list of finite points, which is not empty.
pub(super) fn tight_box(points: &[DVec3]) -> Obb {
    // The box around the corners of the hull is the box around the points.
    let hull = Hull::new(points).ok();
    let corners = hull.as_ref().map_or(points, |hull| hull.vertices());
    let flush = hull.as_ref().and_then(best_flush_frame);
    let starts = [DMat3::IDENTITY, large_triangle_frame(corners)].into_iter().chain(flush);
    let boxes = starts.map(|start| box_in_frame(points, &refine(corners, start).1));
    let smaller = |a: Obb, b: Obb| if Size::new(b.half_extents) < Size::new(a.half_extents) { b } else { a };
    boxes.fold(box_in_frame(points, &DMat3::IDENTITY), smaller)
}

/// The box around the points with the axes of `frame`.
fn box_in_frame(points: &[DVec3], frame: &DMat3) -> Obb {
    // Through the quaternion, so that the box encloses the points in the very frame that is stored.
    let rotation = DQuat::from_mat3(frame).normalize();
    let local = Aabb::from_points(points.iter().map(|&point| rotation.conjugate() * point));
    let pose = Transform::new(rotation, rotation * local.center());
    let half_extents = points.iter().fold(DVec3::ZERO, |half, &p| half.max(pose.inverse_point(p).abs()));
    Obb { pose, half_extents }
}

/// The frame of the smallest box with a side on a face of the hull; of a hull with very many faces some are tried.
fn best_flush_frame(hull: &Hull) -> Option<DMat3> {
    let frame = |plane: &Plane| {
        let (u, v) = orthonormal_pair(plane.normal);
        let turned = turned_about(hull.vertices(), &DMat3::from_cols(plane.normal, u, v), 0);
        (size(hull.vertices(), &turned), turned)
    };
    let step = hull.face_count().div_ceil(MAX_FACES).max(1);
    let best = hull.face_planes().iter().step_by(step).map(frame).reduce(|a, b| if b.0 < a.0 { b } else { a });
    best.map(|(_, frame)| frame)
}

/// What is minimised: the volume, and among flat boxes the surface.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Size(f64, f64);

impl Size {
    fn new(e: DVec3) -> Self {
        Self(e.x * e.y * e.z, e.x * e.y + e.y * e.z + e.z * e.x)
    }
}

fn size(points: &[DVec3], frame: &DMat3) -> Size {
    let inverse = frame.transpose();
    Size::new(Aabb::from_points(points.iter().map(|&point| inverse * point)).extents())
}

fn refine(points: &[DVec3], start: DMat3) -> (Size, DMat3) {
    let mut best = (size(points, &start), start);
    for _ in 0..MAX_ROUNDS {
        let before = best.0;
        for axis in 0..3 {
            let turned = turned_about(points, &best.1, axis);
            let turned_size = size(points, &turned);
            if turned_size < best.0 {
                best = (turned_size, turned);
            }
        }
        if best.0.0 >= (1.0 - 1e-9) * before.0 {
            break;
        }
    }
    best
}

/// The frame turned about its own axis `axis` so that the rectangle around the points, seen along that axis, is least.
fn turned_about(points: &[DVec3], frame: &DMat3, axis: usize) -> DMat3 {
    let (u, v, n) = (frame.col((axis + 1) % 3), frame.col((axis + 2) % 3), frame.col(axis));
    let outline = outline(points.iter().map(|p| DVec2::new(p.dot(u), p.dot(v))).collect());
    let mut best = (f64::INFINITY, DVec2::X);
    for i in 0..outline.len() {
        let Some(side) = (outline[(i + 1) % outline.len()] - outline[i]).try_normalize() else { continue };
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for &corner in &outline {
            let local = DVec2::new(corner.dot(side), corner.perp_dot(side));
            (low, high) = (low.min(local), high.max(local));
        }
        let extent = high - low;
        let area = extent.x * extent.y;
        if area < best.0 {
            best = (area, side);
        }
    }
    let side = best.1;
    let mut turned = *frame;
    *turned.col_mut((axis + 1) % 3) = u * side.x + v * side.y;
    *turned.col_mut((axis + 2) % 3) = n.cross(u * side.x + v * side.y);
    turned
}

/// The corners of the convex outline of flat points, counter-clockwise (Andrew's monotone chain).
fn outline(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut chain: Vec<DVec2> = Vec::new();
    let mut half = |points: &mut dyn Iterator<Item = &DVec2>| {
        let start = chain.len();
        for &point in points {
            while chain.len() >= start + 2 {
                let [a, b] = [chain[chain.len() - 2], chain[chain.len() - 1]];
                if (b - a).perp_dot(point - b) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        // The last point begins the other half.
        chain.pop();
    };
    half(&mut points.iter());
    half(&mut points.iter().rev());
    chain
}

/// A frame with its first axis along a long distance between two points and its second in the plane of a third.
fn large_triangle_frame(points: &[DVec3]) -> DMat3 {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points.iter().fold(points[0], |best, &point| if measure(point) > measure(best) { point } else { best })
    };
    let a = farthest(&|p| p.distance_squared(points[0]));
    let b = farthest(&|p| p.distance_squared(a));
    let Some(x) = (b - a).try_normalize() else { return DMat3::IDENTITY };
    let c = farthest(&|p| (p - a).cross(x).length_squared());
    let Some(z) = x.cross(c - a).try_normalize() else {
        let (y, z) = orthonormal_pair(x);
        return DMat3::from_cols(x, y, z);
    };
    DMat3::from_cols(x, z.cross(x), z)
}
