//! Turns bytes into numbers, shapes and poses that are likely to be difficult.

#![allow(dead_code, reason = "each target uses some of it")]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use tumble_geometry::glam::{DQuat, DVec3};
use tumble_geometry::shape::SupportMap;
use tumble_geometry::{Shape, Transform};

/// Which numbers an input may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Coordinates of ordinary size: laws must hold to their tolerances.
    Tame,
    /// Every bit pattern, NaN and infinity included: nothing may panic or hang.
    Wild,
}

impl Numbers {
    pub fn any(u: &mut Unstructured) -> Result<Self> {
        Ok(if u.ratio(1, 4)? { Self::Wild } else { Self::Tame })
    }

    /// A coordinate.
    pub fn coordinate(self, u: &mut Unstructured) -> Result<f64> {
        let small = f64::from(u.int_in_range(-8..=8)?);
        Ok(match u.int_in_range(0..=9)? {
            // Few values, so that points coincide, line up and share planes.
            0..=3 => small,
            4 => small / 3.0,
            5 => small + f64::from(u.arbitrary::<i8>()?) * f64::EPSILON,
            6 => small * 1e-12,
            7 => f64::from(u.arbitrary::<i16>()?) / 4096.0,
            8 if self == Self::Wild => f64::from_bits(u.arbitrary()?),
            9 if self == Self::Wild => *u.choose(&[f64::NAN, f64::INFINITY, -0.0, 1e9, -1e9, 1e300, 5e-324, 1e-9])?,
            _ => f64::from(u.arbitrary::<i32>()?) / f64::from(1 << 28),
        })
    }

    /// A length, positive if tame.
    pub fn length(self, u: &mut Unstructured) -> Result<f64> {
        if self == Self::Wild {
            return self.coordinate(u);
        }
        Ok(*u.choose(&[0.001, 0.02, 0.1, 0.5, 1.0, 1.0 + 1e-12, 3.0, 100.0])?)
    }

    pub fn vector(self, u: &mut Unstructured) -> Result<DVec3> {
        Ok(DVec3::new(self.coordinate(u)?, self.coordinate(u)?, self.coordinate(u)?))
    }

    pub fn points(self, u: &mut Unstructured, most: usize) -> Result<Vec<DVec3>> {
        let count = u.int_in_range(0..=most)?;
        let mut points: Vec<DVec3> = Vec::with_capacity(count);
        for _ in 0..count {
            let again = points.len() > 1 && u.ratio(1, 5)?;
            points.push(if again {
                // On the line through two others.
                let (a, b) = (*u.choose(&points)?, *u.choose(&points)?);
                a + (b - a) * self.coordinate(u)?
            } else {
                self.vector(u)?
            });
        }
        let offset = *u.choose(&[0.0, 0.0, 0.0, 1e6])?;
        Ok(points.into_iter().map(|point| point + offset).collect())
    }

    pub fn pose(self, u: &mut Unstructured) -> Result<Transform> {
        let [x, y, z, w] = [self.coordinate(u)?, self.coordinate(u)?, self.coordinate(u)?, self.coordinate(u)?];
        let rotation = DQuat::from_xyzw(x, y, z, w);
        let length = rotation.length();
        let usable = length > 1e-6 && length.is_finite();
        let rotation = match self {
            _ if usable => rotation.normalize(),
            Self::Tame => DQuat::IDENTITY,
            Self::Wild => rotation,
        };
        Ok(Transform::new(rotation, self.vector(u)?))
    }

    /// A shape of any convex kind; `None` if the numbers do not make one.
    pub fn convex(self, u: &mut Unstructured) -> Result<Option<Shape>> {
        let shape = match u.int_in_range(0..=6)? {
            0 => Shape::sphere(self.length(u)?),
            1 => Shape::cuboid([self.length(u)?, self.length(u)?, self.length(u)?]),
            2 => Shape::capsule(self.length(u)?, self.length(u)?),
            3 => Shape::cylinder(self.length(u)?, self.length(u)?),
            4 => Shape::cone(self.length(u)?, self.length(u)?),
            5 => Shape::hull(&self.points(u, 24)?),
            _ => Shape::custom(Ellipsoid(DVec3::new(self.length(u)?, self.length(u)?, self.length(u)?))),
        };
        Ok(shape.ok())
    }

    /// Corners and triangles, often a grid or a closed surface, with some indices wrong.
    pub fn mesh(self, u: &mut Unstructured) -> Result<(Vec<DVec3>, Vec<[u32; 3]>)> {
        if u.ratio(1, 3)? {
            return self.closed_mesh(u);
        }
        let vertices = self.points(u, 24)?;
        let highest = if u.ratio(1, 16)? { u32::MAX } else { (vertices.len() as u32).saturating_sub(1) };
        let count = u.int_in_range(0..=32)?;
        let triangles = (0..count)
            .map(|_| Ok([u.int_in_range(0..=highest)?, u.int_in_range(0..=highest)?, u.int_in_range(0..=highest)?]));
        let triangles = triangles.collect::<Result<_>>()?;
        Ok((vertices, triangles))
    }

    /// A box with some corners moved: closed, and often folded through itself.
    pub fn closed_mesh(self, u: &mut Unstructured) -> Result<(Vec<DVec3>, Vec<[u32; 3]>)> {
        let sign = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let mut vertices: Vec<_> = (0..8).map(|i| DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
        for _ in 0..u.int_in_range(0..=4)? {
            let moved = u.int_in_range(0..=7)?;
            vertices[moved] = self.vector(u)?;
        }
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Ok((vertices, triangles))
    }

    /// A shape of any kind.
    pub fn shape(self, u: &mut Unstructured) -> Result<Option<Shape>> {
        let shape = match u.int_in_range(0..=9)? {
            0..=5 => return self.convex(u),
            6 => Shape::half_space(self.vector(u)?),
            7 => {
                let (vertices, triangles) = self.mesh(u)?;
                Shape::mesh(vertices, triangles)
            }
            8 => {
                let (rows, columns) = (u.int_in_range(0..=5)?, u.int_in_range(0..=5)?);
                let heights = (0..rows * columns).map(|_| self.coordinate(u)).collect::<Result<_>>()?;
                Shape::height_field(rows, columns, heights, [self.length(u)?, self.length(u)?])
            }
            _ => {
                let parts = (0..u.int_in_range(0..=3)?).map(|_| Ok((self.pose(u)?, self.convex(u)?)));
                let parts: Vec<_> = parts.collect::<Result<_>>()?;
                Shape::compound(parts.into_iter().filter_map(|(pose, part)| Some((pose, part?))).collect())
            }
        };
        Ok(shape.ok())
    }
}

/// A user-defined shape.
#[derive(Debug)]
struct Ellipsoid(DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * (self.0 * direction).normalize_or_zero()
    }
}

/// The greatest distance of a point of the shape from its origin, roughly; infinite for a half-space.
pub fn reach(shape: &Shape) -> f64 {
    let aabb = shape.aabb(&Transform::IDENTITY);
    aabb.min.abs().max(aabb.max.abs()).length()
}
