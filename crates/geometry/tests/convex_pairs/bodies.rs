//! The shapes of the tests a second time, written independently of the library: how far each reaches along a direction,
//! how far a point is outside its surface, and which corners, edges and face normals it has.

use fastrand::Rng;
use std::sync::Arc;
use tumble_geometry::glam::{DMat3, DQuat, DVec3};
use tumble_geometry::shape::{Convex, SupportMap};
use tumble_geometry::{Shape, Transform, Triangle};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Sphere,
    Cuboid,
    Capsule,
    Cylinder,
    Cone,
    Hull,
    Ellipsoid,
    Triangle,
    HalfSpace,
}

pub(crate) const KINDS: [Kind; 9] = [
    Kind::Sphere,
    Kind::Cuboid,
    Kind::Capsule,
    Kind::Cylinder,
    Kind::Cone,
    Kind::Hull,
    Kind::Ellipsoid,
    Kind::Triangle,
    Kind::HalfSpace,
];

/// A user-defined shape: an ellipsoid with the given half axes.
#[derive(Debug)]
pub(crate) struct Ellipsoid(pub(crate) DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        let stretched = self.0 * direction;
        self.0 * stretched / stretched.length()
    }
}

/// The library's view of a body.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Shape(Shape),
    Triangle(Triangle),
}

impl Form {
    pub(crate) fn convex(&self) -> Option<&dyn Convex> {
        match self {
            Form::Triangle(triangle) => Some(triangle),
            Form::Shape(Shape::Sphere(s)) => Some(s),
            Form::Shape(Shape::Cuboid(s)) => Some(s),
            Form::Shape(Shape::Capsule(s)) => Some(s),
            Form::Shape(Shape::Cylinder(s)) => Some(s),
            Form::Shape(Shape::Cone(s)) => Some(s),
            Form::Shape(Shape::Hull(s)) => Some(s.as_ref()),
            Form::Shape(Shape::Ellipsoid(s)) => Some(s),
            Form::Shape(Shape::Custom(s)) => Some(s),
            Form::Shape(_) => None,
        }
    }
}

/// Corners, edges and faces of a polytope, which may be flat; all points within `radius` of it belong to the body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skeleton {
    pub(crate) corners: Vec<DVec3>,
    /// Pairs of corners.
    pub(crate) edges: Vec<(usize, usize)>,
    /// Triangles of corners; only for distances.
    pub(crate) triangles: Vec<[usize; 3]>,
    /// Unit normals of the faces (one of each parallel pair is enough).
    pub(crate) normals: Vec<DVec3>,
    pub(crate) radius: f64,
}

/// A shape of the tests. Lengths: x, y, z half extents; or x radius, y half height; or half axes.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) kind: Kind,
    pub(crate) lengths: DVec3,
    pub(crate) form: Form,
    /// For everything made of flat faces, and round shapes over them.
    pub(crate) skeleton: Option<Arc<Skeleton>>,
}

impl Body {
    /// A body whose lengths are between `low` and `high`.
    pub(crate) fn random(kind: Kind, lengths: DVec3, rng: &mut Rng) -> Self {
        let (x, y) = (lengths.x, lengths.y);
        let mut skeleton = Skeleton::default();
        let shape = match kind {
            Kind::Sphere => {
                skeleton = Skeleton { corners: vec![DVec3::ZERO], radius: x, ..skeleton };
                Shape::sphere(x)
            }
            Kind::Cuboid => {
                skeleton = box_skeleton(lengths);
                Shape::cuboid(lengths)
            }
            Kind::Capsule => {
                let corners = vec![DVec3::Y * y, -DVec3::Y * y];
                skeleton = Skeleton { corners, edges: vec![(0, 1)], radius: x, ..skeleton };
                Shape::capsule(y, x)
            }
            Kind::Cylinder => Shape::cylinder(y, x),
            Kind::Cone => Shape::cone(y, x),
            Kind::Hull => {
                let count = rng.usize(4..14);
                let points: Vec<_> = (0..count).map(|_| lengths * direction(rng)).collect();
                skeleton = hull_skeleton(&points);
                Shape::hull(&points)
            }
            // Ours and the user's.
            Kind::Ellipsoid if rng.bool() => Shape::ellipsoid(lengths),
            Kind::Ellipsoid => Shape::custom(Ellipsoid(lengths)),
            Kind::Triangle => {
                let corners: Vec<_> = (0..3).map(|_| lengths * direction(rng)).collect();
                let triangle = Triangle::new(corners[0], corners[1], corners[2]);
                let normals = triangle.normal().into_iter().collect();
                let skeleton = Skeleton {
                    corners,
                    edges: vec![(0, 1), (1, 2), (2, 0)],
                    triangles: vec![[0, 1, 2]],
                    normals,
                    radius: 0.0,
                };
                let form = Form::Triangle(triangle);
                return Self { kind, lengths, form, skeleton: Some(Arc::new(skeleton)) };
            }
            Kind::HalfSpace => Shape::half_space(DVec3::Y),
        };
        let skeleton = (!skeleton.corners.is_empty()).then(|| Arc::new(skeleton));
        Self { kind, lengths, form: Form::Shape(shape.expect("lengths are in range")), skeleton }
    }

    /// The largest length.
    pub(crate) fn size(&self) -> f64 {
        match self.kind {
            Kind::HalfSpace => 0.0,
            Kind::Sphere => self.lengths.x,
            Kind::Capsule | Kind::Cylinder | Kind::Cone => self.lengths.x.max(self.lengths.y),
            _ => self.lengths.max_element(),
        }
    }

    /// The point farthest along `n`, on the surface.
    pub(crate) fn farthest(&self, n: DVec3) -> DVec3 {
        if let Some(skeleton) = &self.skeleton {
            let far = |p: &&DVec3, q: &&DVec3| p.dot(n).total_cmp(&q.dot(n));
            let corner = skeleton.corners.iter().max_by(far).copied().unwrap_or(DVec3::ZERO);
            return corner + n * skeleton.radius;
        }
        let DVec3 { x: radius, y: half_height, .. } = self.lengths;
        let across = DVec3::new(n.x, 0.0, n.z).normalize_or_zero() * radius;
        match self.kind {
            Kind::Cylinder => across + DVec3::Y * half_height * n.y.signum(),
            Kind::Cone => {
                let (apex, rim) = (DVec3::Y * half_height, across - DVec3::Y * half_height);
                if apex.dot(n) > rim.dot(n) { apex } else { rim }
            }
            Kind::Ellipsoid => {
                let square = self.lengths * self.lengths * n;
                square / square.dot(n).sqrt()
            }
            _ => DVec3::ZERO,
        }
    }

    /// How far the point lies outside the surface (negative: inside), to first order near the surface.
    pub(crate) fn outside(&self, p: DVec3) -> f64 {
        if let Some(skeleton) = &self.skeleton {
            return skeleton.outside(p);
        }
        let DVec3 { x: radius, y: half_height, .. } = self.lengths;
        let across = (p.x * p.x + p.z * p.z).sqrt();
        match self.kind {
            Kind::Cylinder => (across - radius).max(p.y.abs() - half_height),
            Kind::Cone => {
                // The slope's outward normal in the (across, y) half plane.
                let slope = (2.0 * half_height, radius);
                let length = (slope.0 * slope.0 + slope.1 * slope.1).sqrt();
                let lateral = (across * slope.0 + (p.y - half_height) * slope.1) / length;
                lateral.max(-half_height - p.y)
            }
            Kind::Ellipsoid => {
                let q = p / self.lengths;
                (q.length_squared() - 1.0) / (2.0 * (q / self.lengths).length().max(0.1 / self.lengths.max_element()))
            }
            Kind::HalfSpace => p.y,
            _ => f64::NAN,
        }
    }
}

impl Skeleton {
    /// How far `p` lies outside: the largest distance from a face plane for solids, else the true distance.
    fn outside(&self, p: DVec3) -> f64 {
        if self.triangles.len() < 2 {
            let core = Skeleton { corners: vec![p], ..Skeleton::default() };
            return super::oracle::feature_distance(self, &core) - self.radius;
        }
        let mut outside = f64::NEG_INFINITY;
        for &n in &self.normals {
            for n in [n, -n] {
                let reach = self.corners.iter().fold(f64::NEG_INFINITY, |r, c| c.dot(n).max(r));
                outside = outside.max(p.dot(n) - reach);
            }
        }
        outside
    }

    /// The skeleton at another place.
    pub(crate) fn moved(&self, pose: &Transform) -> Self {
        let matrix = DMat3::from_quat(pose.rotation);
        let mut moved = self.clone();
        moved.corners.iter_mut().for_each(|c| *c = matrix * *c + pose.translation);
        moved.normals.iter_mut().for_each(|n| *n = matrix * *n);
        moved
    }
}

fn box_skeleton(h: DVec3) -> Skeleton {
    let corner = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        h * DVec3::new(sign(0), sign(1), sign(2))
    };
    let corners: Vec<_> = (0..8).map(corner).collect();
    let mut edges = Vec::new();
    for i in 0..8_usize {
        for j in i + 1..8 {
            if (i ^ j).count_ones() == 1 {
                edges.push((i, j));
            }
        }
    }
    let mut triangles = Vec::new();
    for bit in 0..3 {
        for side in [0, 1 << bit] {
            let (u, v) = (1 << ((bit + 1) % 3), 1 << ((bit + 2) % 3));
            triangles.push([side, side | u, side | u | v]);
            triangles.push([side, side | u | v, side | v]);
        }
    }
    Skeleton { corners, edges, triangles, normals: vec![DVec3::X, DVec3::Y, DVec3::Z], radius: 0.0 }
}

/// All triples of points with every other point on one side. The points must be in general position.
fn hull_skeleton(points: &[DVec3]) -> Skeleton {
    let mut skeleton = Skeleton { corners: points.to_vec(), ..Skeleton::default() };
    let count = points.len();
    for i in 0..count {
        for j in i + 1..count {
            for k in j + 1..count {
                let normal = (points[j] - points[i]).cross(points[k] - points[i]).normalize();
                let sides = points.iter().enumerate().filter(|(l, _)| ![i, j, k].contains(l));
                let (mut above, mut below) = (false, false);
                for (_, p) in sides {
                    let side = normal.dot(*p - points[i]);
                    above |= side > 0.0;
                    below |= side < 0.0;
                }
                if above && below {
                    continue;
                }
                skeleton.triangles.push([i, j, k]);
                skeleton.normals.push(normal);
                for edge in [(i, j), (j, k), (i, k)] {
                    if !skeleton.edges.contains(&edge) {
                        skeleton.edges.push(edge);
                    }
                }
            }
        }
    }
    skeleton
}

pub(crate) fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
        let square = v.length_squared();
        if (1e-4..1.0).contains(&square) {
            return v / square.sqrt();
        }
    }
}

pub(crate) fn rotation(rng: &mut Rng) -> DQuat {
    loop {
        let q = [rng.f64(), rng.f64(), rng.f64(), rng.f64()].map(|x| 2.0 * x - 1.0);
        let q = DQuat::from_array(q);
        if (1e-4..1.0).contains(&q.length_squared()) {
            return q.normalize();
        }
    }
}
