//! Rays, closest points, containment and boxes of every shape.
//!
//! Closest points are checked by the laws that define them, with nothing but the support function. Rays are checked by
//! bisection on the signed distance along them, which is a convex function for a convex solid, and against parry; where
//! the two disagree, the signed distance says who is right.

use fastrand::Rng;
use parry3d_f64::math::Vector;
use parry3d_f64::query::RayCast;
use std::f64::consts::{FRAC_PI_2, TAU};
use tumble_geometry::glam::{DQuat, DVec3};
use tumble_geometry::shape::{Convex, HeightField, SupportMap};
use tumble_geometry::{Aabb, BoundingVolume, Ray, Shape, Transform, math};

/// How many random cases a test runs; `TUMBLE_CASES` multiplies it.
fn cases(default: usize) -> usize {
    let factor = std::env::var("TUMBLE_CASES").ok().and_then(|text| text.parse::<usize>().ok()).unwrap_or(1);
    default * factor
}

#[derive(Debug)]
struct Ellipsoid(DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * (self.0 * direction).normalize_or_zero()
    }
}

fn unit(rng: &mut Rng) -> DVec3 {
    let z = 2.0 * rng.f64() - 1.0;
    let (sin, cos) = libm::sincos(TAU * rng.f64());
    DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z)
}

fn rotation(rng: &mut Rng) -> DQuat {
    math::rotation_about(unit(rng), TAU * rng.f64())
}

/// A convex solid with a name, its support function and its size.
struct Solid {
    name: String,
    shape: Shape,
    size: f64,
}

impl Solid {
    fn convex(&self) -> &dyn Convex {
        match &self.shape {
            Shape::Sphere(s) => s,
            Shape::Cuboid(s) => s,
            Shape::Capsule(s) => s,
            Shape::Cylinder(s) => s,
            Shape::Cone(s) => s,
            Shape::Ellipsoid(s) => s,
            Shape::Hull(s) => s.as_ref(),
            Shape::Custom(s) => s,
            other => unreachable!("{other:?} is not convex"),
        }
    }

    /// The point farthest along a unit vector.
    fn support(&self, direction: DVec3) -> DVec3 {
        self.convex().support(direction) + direction * self.convex().radius()
    }

    /// How far the solid reaches along a unit vector.
    fn reach(&self, direction: DVec3) -> f64 {
        self.support(direction).dot(direction)
    }

    fn signed_distance(&self, point: DVec3) -> f64 {
        self.shape.closest_point(point).expect("finite").distance
    }
}

/// Every convex kind, of ordinary, tiny, large and thin proportions.
fn solids() -> Vec<Solid> {
    let mut rng = Rng::with_seed(1);
    let mut solids = Vec::new();
    for (scale, thin) in [(1.0, 1.0), (1e-3, 1.0), (1e3, 1.0), (1.0, 1e-3), (1.0, 1e3)] {
        let points: Vec<DVec3> = (0..30).map(|_| unit(&mut rng) * scale * DVec3::new(1.0, thin, 0.7)).collect();
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y * thin, DVec3::Z].map(|v| v * scale);
        let shapes = [
            ("sphere", Shape::sphere(scale)),
            ("box", Shape::cuboid(DVec3::new(0.6, thin, 1.1) * scale)),
            ("capsule", Shape::capsule(thin * scale, 0.5 * scale)),
            ("cylinder", Shape::cylinder(thin * scale, 0.7 * scale)),
            ("cone", Shape::cone(0.8 * thin * scale, 0.6 * scale)),
            ("hull", Shape::hull(&points)),
            ("tetrahedron", Shape::hull(&corners)),
            ("ellipsoid", Shape::custom(Ellipsoid(DVec3::new(0.5, thin.clamp(0.1, 10.0), 0.8) * scale))),
            ("true ellipsoid", Shape::ellipsoid(DVec3::new(0.5, thin, 0.8) * scale)),
            ("spheroid", Shape::ellipsoid(DVec3::new(0.7, thin, 0.7) * scale)),
        ];
        for (name, shape) in shapes {
            let shape = shape.expect("valid");
            let size = shape.local_aabb().half_extents().length();
            solids.push(Solid { name: format!("{name} of scale {scale}, thin {thin}"), shape, size });
        }
    }
    solids
}

#[test]
fn closest_points_obey_their_laws() {
    let mut rng = Rng::with_seed(2);
    for solid in solids() {
        let tolerance = 1e-12 * solid.size;
        let directions: Vec<DVec3> = (0..200).map(|_| unit(&mut rng)).collect();
        for case in 0..cases(400) {
            let center = solid.shape.local_aabb().center();
            let surface = solid.support(unit(&mut rng));
            let point = match case % 5 {
                0 => center + unit(&mut rng) * solid.size * 2.0 * rng.f64(),
                1 => center + (surface - center) * rng.f64(),
                2 => surface,
                3 => center + (surface - center) * (1.0 + 1e-9 * (rng.f64() - 0.5)),
                _ => {
                    // On an axis of symmetry or in its plane.
                    let p = solid.support(unit(&mut rng)) * 1.5 * rng.f64();
                    [p.with_x(0.0), p.with_y(0.0), DVec3::Y * p.y, DVec3::ZERO][rng.usize(..4)]
                }
            };
            let context = || format!("{}: {point:?}", solid.name);
            let closest = solid.shape.closest_point(point).unwrap();
            let (q, n) = (closest.point, closest.normal);
            // The ellipsoid is answered by the general algorithms.
            let tolerance = if solid.name.starts_with("ellipsoid") { 1e-9 * solid.size } else { tolerance };
            assert!((n.length() - 1.0).abs() < 1e-12, "{} {closest:?}", context());
            let offset = point - q - n * closest.distance;
            assert!(offset.length() < tolerance.max(1e-9 * closest.distance.abs()), "{} {closest:?}", context());
            // q belongs to the solid and lies on its surface, for nothing reaches farther along n.
            // Close to an edge, n is the direction of an offset that rounding turns by its ratio to the distance.
            let turn = if closest.distance > 0.0 { 1e-15 * solid.size / closest.distance } else { 0.0 };
            let slack = tolerance + solid.size * turn.min(1e-3);
            assert!((solid.reach(n) - q.dot(n)).abs() < slack, "{} {closest:?}", context());
            for &d in &directions {
                assert!(q.dot(d) < solid.reach(d) + tolerance, "{}", context());
                // From inside no way out is shorter.
                assert!(closest.distance > point.dot(d) - solid.reach(d) - tolerance, "{} {closest:?}", context());
            }
            assert_eq!(solid.shape.contains_point(point), closest.distance <= 0.0);
        }
    }
}

/// Rays of all sorts at a solid: random, along the axes, from inside, from the surface, grazing, from afar.
fn ray_at(solid: &Solid, case: usize, rng: &mut Rng) -> Ray {
    let center = solid.shape.local_aabb().center();
    let target = center + (solid.support(unit(rng)) - center) * (1.3 * rng.f64());
    let from = |distance: f64, rng: &mut Rng| center + unit(rng) * solid.size * distance;
    let ray = match case % 7 {
        0 => Ray::towards(from(3.0, rng), target),
        1 => {
            let direction = DVec3::AXES[rng.usize(..3)] * [1.0, -1.0][rng.usize(..2)];
            Ray::new(target - direction * solid.size * 3.0, direction)
        }
        2 => Ray::new(center + (target - center) * 0.5, unit(rng)),
        3 => Ray::new(solid.support(unit(rng)), unit(rng)),
        4 => {
            // Tangent at a surface point, a little out or in.
            let normal = unit(rng);
            let direction = math::orthonormal_pair(normal).0;
            let touch = solid.support(normal) + normal * solid.size * [0.0, 1e-6, -1e-6, 1e-3, -1e-3][rng.usize(..5)];
            Ray::new(touch - direction * solid.size * 2.0, direction)
        }
        5 => Ray::towards(from(1e6, rng), target),
        _ => Ray::towards(solid.support(unit(rng)) * 2.0, DVec3::Y * target.y),
    };
    ray.unwrap_or(Ray { origin: from(3.0, rng), direction: DVec3::X })
}

/// What the signed distance says of a ray: where it enters, and how deep it gets at most (negative: how far it misses).
struct Passage {
    enter: f64,
    depth: f64,
}

/// The signed distance along the ray is convex: its least value by golden-section search, the entry by bisection.
fn passage(solid: &Solid, ray: &Ray) -> Passage {
    let center = solid.shape.local_aabb().center();
    let middle = (center - ray.origin).dot(ray.direction);
    let height = |t: f64| solid.signed_distance(ray.at(t));
    let (mut low, mut high) = ((middle - 2.0 * solid.size).max(0.0), (middle + 2.0 * solid.size).max(0.0));
    for _ in 0..150 {
        let (p, q) = (low + 0.381_966_011 * (high - low), high - 0.381_966_011 * (high - low));
        if height(p) < height(q) { high = q } else { low = p }
    }
    let deepest = 0.5 * (low + high);
    let (mut outside, mut inside) = ((middle - 2.0 * solid.size).max(0.0), deepest);
    if height(outside) <= 0.0 {
        return Passage { enter: 0.0, depth: -height(deepest) };
    }
    for _ in 0..100 {
        let t = 0.5 * (outside + inside);
        if height(t) <= 0.0 { inside = t } else { outside = t }
    }
    Passage { enter: inside, depth: -height(deepest) }
}

#[test]
fn rays_enter_where_the_signed_distance_crosses_zero() {
    let mut rng = Rng::with_seed(3);
    let mut counts = [0; 2];
    for solid in solids() {
        let round = solid.name.starts_with("ellipsoid");
        for case in 0..cases(if round { 140 } else { 700 }) {
            let ray = ray_at(&solid, case, &mut rng);
            let far = (ray.origin.length() / solid.size).max(1.0);
            let expected = passage(&solid, &ray);
            let hit = solid.shape.cast_ray(&ray, f64::INFINITY);
            let context = || format!("{}: {ray:?}, depth {}, enter {}", solid.name, expected.depth, expected.enter);
            // What a coordinate of this size is rounded to, and the iteration's own limit for the ellipsoid.
            let rounding = solid.size * (1e-14 * far + if round { 1e-9 } else { 0.0 });
            counts[usize::from(hit.is_some())] += 1;
            match hit {
                None => assert!(expected.depth < rounding, "missed: {}", context()),
                Some(hit) => {
                    assert!(expected.depth > -rounding, "hit {hit:?}: {}", context());
                    let at = ray.at(hit.distance);
                    // A shallow ray enters where it is steep: its error grows as depth goes to zero.
                    let slope = if hit.distance > 0.0 { -hit.normal.dot(ray.direction) } else { 1.0 };
                    assert!(slope > -1e-6, "{hit:?} {}", context());
                    let error = (hit.distance - expected.enter).abs();
                    assert!(error * slope.max(1e-7) < 1e2 * rounding, "{error} {hit:?}: {}", context());
                    assert!(solid.signed_distance(at) < 10.0 * rounding, "{}: {hit:?}", context());
                    if hit.distance > 0.0 {
                        // The normal supports the solid at the point of entry.
                        assert!((hit.normal.length() - 1.0).abs() < 1e-9, "{hit:?} {}", context());
                        let beyond = solid.reach(hit.normal) - at.dot(hit.normal);
                        let loose = if round { 1e-6 * solid.size } else { 1e2 * rounding + 1e-8 * solid.size };
                        assert!(beyond < loose, "{beyond} {hit:?}: {}", context());
                        assert_eq!(solid.shape.cast_ray(&ray, 0.5 * hit.distance), None);
                    } else {
                        assert!(solid.signed_distance(ray.origin) <= rounding);
                    }
                }
            }
        }
    }
    assert!(counts[0] > 2000 && counts[1] > 5000, "{counts:?}");
}

/// The same solid in parry.
fn in_parry(shape: &Shape) -> Option<Box<dyn RayCast>> {
    use parry3d_f64::shape::{Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder};
    Some(match shape {
        Shape::Sphere(s) => Box::new(Ball::new(s.radius())),
        Shape::Cuboid(s) => Box::new(Cuboid::new(Vector::from_array(s.half_extents().to_array()))),
        Shape::Capsule(s) => Box::new(Capsule::new_y(s.half_height(), s.radius())),
        Shape::Cylinder(s) => Box::new(Cylinder::new(s.half_height(), s.radius())),
        Shape::Cone(s) => Box::new(Cone::new(s.half_height(), s.radius())),
        Shape::Hull(s) => {
            let points: Vec<Vector> = s.vertices().iter().map(|v| Vector::from_array(v.to_array())).collect();
            Box::new(ConvexPolyhedron::from_convex_hull(&points)?)
        }
        _ => return None,
    })
}

#[test]
fn rays_agree_with_parry_or_the_signed_distance_sides_with_us() {
    let mut rng = Rng::with_seed(4);
    let (mut compared, mut disputed) = (0, 0);
    for solid in solids() {
        let Some(other) = in_parry(&solid.shape) else { continue };
        for case in 0..cases(1000) {
            let ray = ray_at(&solid, case, &mut rng);
            let theirs = other.cast_local_ray(
                &parry3d_f64::query::Ray::new(
                    Vector::from_array(ray.origin.to_array()),
                    Vector::from_array(ray.direction.to_array()),
                ),
                1e12,
                true,
            );
            let ours = solid.shape.cast_ray(&ray, 1e12).map(|hit| hit.distance);
            compared += 1;
            let agree = match (ours, theirs) {
                (Some(ours), Some(theirs)) => (ours - theirs).abs() < 1e-9 * solid.size.max(ours),
                (None, None) => true,
                _ => false,
            };
            if agree {
                continue;
            }
            let expected = passage(&solid, &ray);
            let rounding = 1e-13 * solid.size.max(ray.origin.length());
            let context = || format!("{}: {ray:?}: {ours:?}, parry {theirs:?}, truly {}", solid.name, expected.enter);
            match ours {
                None => assert!(expected.depth < rounding, "{}", context()),
                Some(ours) => {
                    let on_surface = solid.signed_distance(ray.at(ours)).abs() < rounding || ours == 0.0;
                    assert!(expected.depth > -rounding && on_surface, "{}", context());
                    assert!(ours < expected.enter + 1e-6 * solid.size.max(ours), "{}", context());
                }
            }
            // Rays that start on the surface or only graze it may be answered either way.
            let on_surface = solid.signed_distance(ray.origin).abs() < 1e-9 * solid.size;
            if !on_surface && expected.depth.abs() > 1e-9 * solid.size {
                disputed += 1;
                // parry iterates for cylinders, cones and hulls, and is off by up to 1e-3 of the size there (more for thin
                // hulls). For the others it has formulas too, which lose their digits for rays from afar.
                let iterated = matches!(solid.shape, Shape::Cylinder(_) | Shape::Cone(_) | Shape::Hull(_));
                assert!(iterated || case % 7 == 5, "{}", context());
            }
        }
    }
    println!("{disputed} of {compared} rays disputed, all decided in our favour");
    assert!(compared > 20_000 && disputed < compared / 15, "{disputed} of {compared}");
}

#[test]
fn rays_at_an_ellipsoid_follow_the_formula() {
    // Stretched to the unit ball, the ray meets it where |o + t d|² = 1.
    let mut rng = Rng::with_seed(5);
    let radii = DVec3::new(0.5, 2.0, 1.0);
    let egg = Shape::custom(Ellipsoid(radii)).unwrap();
    let mut hits = 0;
    for _ in 0..cases(3000) {
        let ray = Ray::towards(unit(&mut rng) * 5.0, unit(&mut rng) * radii * (1.2 * rng.f64())).unwrap();
        let (o, d) = (ray.origin / radii, ray.direction / radii);
        let (a, b, c) = (d.length_squared(), o.dot(d), o.length_squared() - 1.0);
        let discriminant = b * b - a * c;
        let hit = egg.cast_ray(&ray, 100.0);
        if discriminant.abs() < 1e-9 {
            continue;
        }
        assert_eq!(hit.is_some(), discriminant > 0.0, "{ray:?}");
        if let Some(hit) = hit {
            hits += 1;
            let expected = (-b - discriminant.sqrt()) / a;
            assert!((hit.distance - expected).abs() < 1e-9, "{} {expected}", hit.distance);
            let normal = (ray.at(expected) / (radii * radii)).normalize();
            assert!(hit.normal.dot(normal) > 1.0 - 1e-9, "{} {normal}", hit.normal);
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn half_space_is_everything_below() {
    let mut rng = Rng::with_seed(6);
    for _ in 0..cases(2000) {
        let normal = unit(&mut rng);
        let ground = Shape::half_space(normal * 3.0).unwrap();
        let point = unit(&mut rng) * 10.0 * rng.f64();
        let height = point.dot(normal);
        let closest = ground.closest_point(point).unwrap();
        assert!((closest.distance - height).abs() < 1e-14 && closest.point.dot(normal).abs() < 1e-14);
        assert_eq!(ground.contains_point(point), closest.distance <= 0.0);
        let ray = Ray::new(point, unit(&mut rng)).unwrap();
        let hit = ground.cast_ray(&ray, f64::INFINITY);
        let speed = ray.direction.dot(normal);
        match hit {
            None => assert!(height > 0.0 && speed >= 0.0),
            Some(hit) if hit.distance == 0.0 => assert!(height <= 1e-15),
            Some(hit) => assert!(ray.at(hit.distance).dot(normal).abs() < 1e-12 / -speed && speed < 0.0),
        }
    }
    let up = |pose: &Transform| Shape::half_space(DVec3::Y).unwrap().aabb(pose);
    let lifted = up(&Transform::from_translation(DVec3::new(1.0, 2.0, 3.0)));
    assert_eq!(lifted, Aabb::new(DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, 2.0, f64::INFINITY)));
    let wall = up(&Transform::new(math::rotation_about(DVec3::Z, FRAC_PI_2), DVec3::splat(5.0)));
    assert_eq!(wall, Aabb::new(DVec3::new(5.0, f64::NEG_INFINITY, f64::NEG_INFINITY), DVec3::INFINITY));
    assert_eq!(up(&Transform::from_axis_angle(DVec3::Z, 0.1)), Aabb::EVERYTHING);
}

/// A closed ring around the y axis.
fn torus(major: f64, minor: f64, around: u32, across: u32) -> Shape {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        let (sin, cos) = libm::sincos(TAU * f64::from(i) / f64::from(around));
        for j in 0..across {
            let (s, c) = libm::sincos(TAU * f64::from(j) / f64::from(across));
            vertices.push(DVec3::new(cos * (major + minor * c), minor * s, sin * (major + minor * c)));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    Shape::mesh(vertices, triangles).expect("a valid mesh")
}

fn terrain() -> Shape {
    let heights =
        (0..20 * 30).map(|i| libm::sin(0.7 * f64::from(i / 30)) + libm::cos(0.4 * f64::from(i % 30))).collect();
    Shape::HeightField(std::sync::Arc::new(HeightField::new(20, 30, heights, [0.5, 0.4]).expect("valid")))
}

fn compound() -> Shape {
    let at = |x: f64, y: f64| Transform::new(math::rotation_about(DVec3::Z, x), DVec3::new(x, y, 0.3));
    Shape::compound(vec![
        (at(0.0, 1.0), Shape::sphere(0.8).expect("valid")),
        (at(1.5, 0.0), Shape::cuboid(DVec3::new(0.5, 0.7, 0.9)).expect("valid")),
        (at(-1.5, 0.5), Shape::cone(0.9, 0.5).expect("valid")),
        (at(0.2, -1.0), torus(0.7, 0.2, 24, 12)),
    ])
    .expect("valid")
}

#[test]
fn rays_and_points_of_a_compound_are_those_of_its_parts() {
    let mut rng = Rng::with_seed(7);
    let shape = compound();
    let Shape::Compound(parts) = &shape else { unreachable!() };
    let mut hits = 0;
    for _ in 0..cases(3000) {
        let ray = Ray::towards(unit(&mut rng) * 4.0 * rng.f64(), unit(&mut rng) * 2.0).unwrap();
        let on_part =
            |(pose, part): &(Transform, Shape)| part.cast_ray(&ray.to_local(pose), 10.0).map(|hit| hit.distance);
        let distances: Vec<f64> = parts.parts().iter().map(|p| on_part(p).unwrap_or(f64::INFINITY)).collect();
        let nearest = distances.iter().fold(f64::INFINITY, |a, &b| a.min(b));
        match shape.cast_ray(&ray, 10.0) {
            None => assert_eq!(nearest, f64::INFINITY),
            Some(hit) => {
                hits += 1;
                assert_eq!(hit.distance, nearest);
                assert_eq!(distances[hit.part as usize], nearest);
                assert!(hit.normal.dot(ray.direction) <= 0.0);
            }
        }
        let point = ray.origin;
        let on_part =
            |(pose, part): &(Transform, Shape)| part.closest_point(pose.inverse_point(point)).unwrap().distance;
        let least = parts.parts().iter().map(on_part).fold(f64::INFINITY, f64::min);
        let closest = shape.closest_point(point).unwrap();
        assert_eq!(closest.distance, least);
        assert_eq!(shape.contains_point(point), least <= 0.0);
        assert!((closest.point + closest.normal * closest.distance - point).length() < 1e-9);
        if least > 0.0 {
            assert!(shape.closest_point(closest.point).unwrap().distance.abs() < 1e-12);
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn rays_at_a_mesh_and_a_terrain_hit_their_nearest_triangle() {
    let mut rng = Rng::with_seed(8);
    for shape in [torus(1.0, 0.4, 30, 16), terrain()] {
        let triangles: Vec<_> = match &shape {
            Shape::Mesh(mesh) => (0..mesh.triangles().len()).map(|i| mesh.triangle(i)).collect(),
            Shape::HeightField(field) => (0..field.triangle_count()).map(|i| field.triangle(i)).collect(),
            _ => unreachable!(),
        };
        let mut hits = 0;
        for _ in 0..cases(1000) {
            let ray = Ray::towards(unit(&mut rng).abs() * 12.0, unit(&mut rng) * 1.5).unwrap();
            // Cramer's rule for each triangle (Möller and Trumbore).
            let cramer = |t: &tumble_geometry::Triangle| {
                let [a, b, c] = t.vertices;
                let (u, v, r) = (b - a, c - a, ray.origin - a);
                let p = ray.direction.cross(v);
                let scale = 1.0 / u.dot(p);
                let q = r.cross(u);
                let (s, t, distance) = (r.dot(p) * scale, ray.direction.dot(q) * scale, v.dot(q) * scale);
                (s >= 0.0 && t >= 0.0 && s + t <= 1.0 && distance >= 0.0).then_some(distance)
            };
            let nearest = triangles.iter().filter_map(cramer).fold(f64::INFINITY, f64::min);
            match shape.cast_ray(&ray, 100.0) {
                Some(hit) => {
                    hits += 1;
                    assert!((hit.distance - nearest).abs() < 1e-12 * 12.0, "{ray:?} {hit:?} {nearest}");
                }
                None => assert_eq!(nearest, f64::INFINITY, "{ray:?}"),
            }
        }
        assert!(hits > 200, "{hits}");
    }
}

#[test]
fn boxes_are_tight_at_any_pose() {
    let mut rng = Rng::with_seed(9);
    for solid in solids() {
        for _ in 0..cases(200) {
            let pose = Transform::new(rotation(&mut rng), unit(&mut rng) * 10.0 * solid.size);
            let aabb = solid.shape.aabb(&pose);
            let tolerance = 1e-14 * 20.0 * solid.size;
            for axis in 0..3 {
                let e = DVec3::AXES[axis];
                let reach = |sign: f64| pose.point(solid.support(pose.inverse_vector(e * sign)))[axis];
                assert!((aabb.max[axis] - reach(1.0)).abs() < tolerance, "{}", solid.name);
                assert!((aabb.min[axis] - reach(-1.0)).abs() < tolerance, "{}", solid.name);
            }
        }
    }
    let Shape::Mesh(mesh) = torus(1.0, 0.4, 30, 16) else { unreachable!() };
    for _ in 0..cases(50) {
        let pose = Transform::new(rotation(&mut rng), unit(&mut rng));
        let aabb = Shape::Mesh(mesh.clone()).aabb(&pose);
        let expected = Aabb::from_points(mesh.vertices().iter().map(|&v| pose.point(v)));
        assert!((aabb.min - expected.min).abs().max_element() < 1e-14);
        assert!((aabb.max - expected.max).abs().max_element() < 1e-14);
    }
    // A compound is as large as its parts, a terrain has no bottom.
    let shape = compound();
    let Shape::Compound(parts) = &shape else { unreachable!() };
    let pose = Transform::new(rotation(&mut rng), unit(&mut rng));
    let expected = parts.parts().iter().fold(Aabb::EMPTY, |aabb, (p, s)| aabb.merged(&s.aabb(&(pose * *p))));
    assert_eq!(shape.aabb(&pose), expected);
    let ground = terrain().local_aabb();
    assert_eq!((ground.min.y, ground.max.y), (f64::NEG_INFINITY, 2.0_f64.min(ground.max.y)));
}

#[test]
fn spheres_and_oriented_boxes_enclose_the_shape() {
    let mut rng = Rng::with_seed(10);
    for solid in solids() {
        let (sphere, obb) = (solid.shape.bounding_sphere(), solid.shape.obb().unwrap());
        let mut farthest: f64 = 0.0;
        for _ in 0..500 {
            let surface = solid.support(unit(&mut rng));
            assert!(sphere.distance(surface) < 1e-12 * solid.size && obb.distance(surface) < 1e-12 * solid.size);
            farthest = farthest.max(surface.distance(sphere.center));
        }
        let loose = solid.name.starts_with("ellipsoid");
        assert!(farthest > sphere.radius * 0.95 || loose, "{}: {farthest} of {}", solid.name, sphere.radius);
    }
    let shape = compound();
    let (sphere, obb) = (shape.bounding_sphere(), shape.obb().unwrap());
    let Shape::Compound(parts) = &shape else { unreachable!() };
    for (pose, part) in parts.parts() {
        let aabb = part.local_aabb();
        for _ in 0..200 {
            // Points of the parts, by projection of random points.
            let local = part.closest_point(aabb.center() + unit(&mut rng) * 3.0).unwrap().point;
            assert!(sphere.distance(pose.point(local)) < 1e-12 && obb.distance(pose.point(local)) < 1e-12);
        }
    }
    assert_eq!(terrain().obb(), None);
    assert_eq!(Shape::half_space(DVec3::Y).unwrap().bounding_sphere().radius, f64::INFINITY);
}

#[test]
fn answers_move_with_the_pose() {
    let mut rng = Rng::with_seed(11);
    let shape = compound();
    for _ in 0..cases(200) {
        let pose = Transform::new(rotation(&mut rng), unit(&mut rng) * 3.0);
        let ray = Ray::towards(unit(&mut rng) * 6.0, pose.point(unit(&mut rng))).unwrap();
        if let Some(hit) = shape.cast_ray(&ray.to_local(&pose), 20.0) {
            let at = ray.at(hit.distance);
            let closest = shape.closest_point(pose.inverse_point(at)).unwrap().transformed(&pose);
            assert!(closest.distance.abs() < 1e-9 && (closest.point - at).length() < 1e-9);
            assert!(hit.transformed(&pose).normal.dot(ray.direction) <= 0.0);
        }
    }
}

#[test]
fn hostile_numbers_do_not_panic() {
    let bad = [0.0, 1.0, -1.0, -1e308, 1e60, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324];
    let mut rng = Rng::with_seed(12);
    let mut p = || DVec3::new(bad[rng.usize(0..9)], bad[rng.usize(0..9)], bad[rng.usize(0..9)]);
    let mut shapes: Vec<Shape> = solids().into_iter().map(|solid| solid.shape).collect();
    shapes.extend([torus(1.0, 0.4, 30, 16), terrain(), compound(), Shape::half_space(DVec3::Y).unwrap()]);
    for shape in shapes {
        for _ in 0..500 {
            let ray = Ray { origin: p(), direction: p() };
            let nowhere = !ray.origin.is_finite() || !ray.direction.is_finite();
            assert!(shape.cast_ray(&ray, p().x).is_none() || !nowhere);
            let ray = Ray { direction: DVec3::Y, ..ray };
            if let Some(hit) = shape.cast_ray(&ray, f64::MAX) {
                assert!(hit.distance.is_finite() && hit.normal.is_finite(), "{shape:?} {ray:?} {hit:?}");
            }
            let point = p();
            assert!(shape.closest_point(point).is_none() || point.is_finite());
            assert!(!shape.contains_point(point) || point.is_finite());
            let _ = shape.aabb(&Transform::new(DQuat::from_xyzw(p().x, p().y, p().z, p().x), p()));
        }
    }
}
