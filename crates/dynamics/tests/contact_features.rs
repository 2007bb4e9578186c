//! Gap functions of contact features: their derivatives against numerical differentiation, their values against the depths of
//! the contact points they were made of and against the distance and penetration of the shapes.

mod moving;

use fastrand::Rng;
use glam::{DQuat, DVec3};
use moving::{Moving, random_vector, smooth_derivative};
use std::collections::BTreeSet;
use std::f64::consts::PI;
use tumble_dynamics::constraint::feature::{ContactFeature, ContactSide, Curve, CurveKind, Gap};
use tumble_dynamics::constraint::{BodyView, End};
use tumble_dynamics::geometry::math::{rotation_about, rotation_from_vector};
use tumble_dynamics::geometry::primitive::TriangleFeature;
use tumble_dynamics::geometry::query::{Feature, ManifoldOptions, PairCache, contact_manifolds, distance, penetration};
use tumble_dynamics::geometry::shape::SupportMap;
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::{Body, World};

const CASES: usize = 3000;
/// Pairs are brought near each other in this many random ways.
const POSES: usize = 1000;

fn unit(random: &mut Rng) -> DVec3 {
    loop {
        let v = random_vector(random);
        if let Some(unit) = v.try_normalize().filter(|_| v.length() < 2.0) {
            return unit;
        }
    }
}

fn length(random: &mut Rng) -> f64 {
    0.1 + random.f64()
}

fn turned(random: &mut Rng) -> DQuat {
    rotation_from_vector(unit(random) * PI * random.f64())
}

// ---- Derivatives

/// Checks J and J̇ẋ of random gaps of a kind along random motions.
fn check_derivatives(name: &str, make: impl Fn(&mut Rng) -> Gap) {
    let mut random = Rng::with_seed(7);
    let mut checked = [0; 2];
    for case in 0..CASES {
        let gap = make(&mut random);
        let bodies = [Moving::random(&mut random), Moving::random(&mut random)];
        let at = |t: f64| gap.measure(&bodies.map(|body| body.at(t)));
        let now = at(0.0);
        let by_jacobian = now.jacobian.dot(bodies.map(|body| body.velocity), bodies.map(|body| body.omega));
        let scale = 1.0 + now.value.abs() + now.rate.abs() + now.curvature.abs();
        if now.jacobian.linear[1] == DVec3::ZERO {
            continue;
        }
        assert!((by_jacobian - now.rate).abs() < 1e-9 * scale, "{name}, case {case}: J ẋ is not the rate");
        // What a shift of a body does to a distance: as much as the shift along a unit vector.
        let [first, second] = now.jacobian.linear;
        assert!((first + second).length() < 1e-9 && (second.length() - 1.0).abs() < 1e-6, "{name}, case {case}");
        if let Some(rate) = smooth_derivative(|t| at(t).value) {
            assert!((rate - now.rate).abs() < 1e-6 * scale, "{name}, case {case}: J is wrong: {} {rate}", now.rate);
            checked[0] += 1;
        }
        if let Some(curvature) = smooth_derivative(|t| at(t).rate) {
            let error = (curvature - now.curvature).abs();
            assert!(error < 1e-6 * scale, "{name}, case {case}: J̇ẋ is wrong: {} {curvature}", now.curvature);
            checked[1] += 1;
        }
    }
    assert!(checked[0] > CASES / 2 && checked[1] > CASES / 2, "{name}: only {checked:?} were smooth");
}

fn end(random: &mut Rng) -> End {
    if random.bool() { End::First } else { End::Second }
}

#[test]
fn gaps_of_points_have_the_right_derivatives() {
    check_derivatives("point and plane", |r| Gap::PointPlane {
        on: end(r),
        plane: random_vector(r),
        normal: unit(r),
        point: random_vector(r),
        reach: length(r),
    });
    check_derivatives("points", |r| Gap::PointPoint { points: [random_vector(r), random_vector(r)], reach: length(r) });
    check_derivatives("point and line", |r| Gap::PointLine {
        on: end(r),
        line: random_vector(r),
        direction: unit(r),
        point: random_vector(r),
        reach: length(r),
    });
    check_derivatives("point and rim", |r| Gap::PointCircle {
        on: end(r),
        center: random_vector(r),
        axis: unit(r),
        radius: length(r),
        point: random_vector(r),
        reach: length(r),
    });
    check_derivatives("point and cone", |r| Gap::PointCone {
        on: end(r),
        apex: random_vector(r),
        axis: unit(r),
        sin_cos: sin_cos(r),
        point: random_vector(r),
        reach: length(r),
    });
    check_derivatives("rim and plane", |r| Gap::CirclePlane {
        on: end(r),
        plane: random_vector(r),
        normal: unit(r),
        center: random_vector(r),
        axis: unit(r),
        radius: length(r),
        reach: length(r),
    });
    check_derivatives("ellipsoid and plane", |r| {
        let turn = turned(r);
        Gap::EllipsoidPlane {
            on: end(r),
            plane: random_vector(r),
            normal: unit(r),
            center: random_vector(r),
            axes: DVec3::AXES.map(|axis| turn * axis * length(r)),
        }
    });
}

fn sin_cos(random: &mut Rng) -> [f64; 2] {
    libm::sincos(0.2 + random.f64()).into()
}

fn curve(random: &mut Rng, kind: CurveKind) -> Curve {
    Curve { point: random_vector(random), axis: unit(random), kind }
}

#[test]
fn gaps_of_curves_have_the_right_derivatives() {
    type Kind = fn(&mut Rng) -> CurveKind;
    let kinds: [(&str, Kind); 3] = [
        ("line", |_| CurveKind::Line),
        ("rim", |r| CurveKind::Circle(length(r))),
        ("cone", |r| CurveKind::Cone(sin_cos(r))),
    ];
    for (name, first) in kinds {
        for (other, second) in kinds {
            check_derivatives(&format!("{name} and {other}"), |r| {
                let kinds = [first(r), second(r)];
                let curves = kinds.map(|kind| curve(r, kind));
                let angles = [r.f64() * 6.0, r.f64() * 6.0];
                Gap::Curves { curves, angles, sign: if r.bool() { 1.0 } else { -1.0 }, reach: length(r) }
            });
        }
    }
}

// ---- Values

/// The points with (x/a)² + (y/b)² + (z/c)² ≤ 1.
#[derive(Debug)]
struct Ellipsoid(DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * (self.0 * direction).normalize_or_zero()
    }
}

/// A box known by its support mapping alone.
#[derive(Debug)]
struct Crate(DVec3);

impl SupportMap for Crate {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * DVec3::new(1.0_f64.copysign(direction.x), 1.0_f64.copysign(direction.y), 1.0_f64.copysign(direction.z))
    }
}

fn convex_shapes() -> Vec<(&'static str, Shape)> {
    let mut random = Rng::with_seed(1);
    let corners: Vec<DVec3> = (0..12).map(|_| unit(&mut random) * 0.5).collect();
    // More faces than separating axes are tried for.
    let many: Vec<DVec3> = (0..200).map(|_| unit(&mut random) * 0.5).collect();
    vec![
        ("half-space", Shape::half_space(DVec3::new(0.3, 1.0, -0.2)).expect("a shape")),
        ("box", Shape::cuboid([0.5, 0.3, 0.4]).expect("a shape")),
        ("hull", Shape::hull(&corners).expect("a shape")),
        ("round hull", Shape::hull(&many).expect("a shape")),
        ("cylinder", Shape::cylinder(0.4, 0.3).expect("a shape")),
        ("cone", Shape::cone(0.4, 0.35).expect("a shape")),
        ("ellipsoid", Shape::custom(Ellipsoid(DVec3::new(0.3, 0.5, 0.4))).expect("a shape")),
        ("true ellipsoid", Shape::ellipsoid([0.3, 0.45, 0.35]).expect("a shape")),
        ("crate", Shape::custom(Crate(DVec3::new(0.3, 0.4, 0.35))).expect("a shape")),
        ("capsule", Shape::capsule(0.4, 0.2).expect("a shape")),
        ("sphere", Shape::sphere(0.4).expect("a shape")),
    ]
}

/// `b` near `a`: any way round, or with axes nearly parallel, which is how bodies lie on each other.
fn near(a: &Shape, b: &Shape, random: &mut Rng) -> Transform {
    let rotation = if random.bool() {
        turned(random)
    } else {
        let quarter = |r: &mut Rng, axis| rotation_about(axis, 0.5 * PI * f64::from(r.u32(0..4)));
        let tilt = rotation_from_vector(unit(random) * libm::exp2(-12.0 * random.f64()) * 0.05);
        let yaw = rotation_about(unit_axis(random), random.f64() * 6.0);
        tilt * quarter(random, DVec3::X) * yaw * quarter(random, DVec3::Z)
    };
    let direction = unit(random);
    let mut pose = Transform::new(rotation.normalize(), direction * 5.0);
    let aim = random_vector(random) * 0.1;
    // The distance shrinks at most as fast as the shift, so it never passes through.
    for _ in 0..60 {
        let gap = distance(a, b, &pose).distance;
        let way = (aim - pose.translation).normalize_or_zero();
        pose.translation += way * gap;
        if gap < 1e-6 {
            break;
        }
    }
    let inwards = (aim - pose.translation).normalize_or_zero();
    pose.translation += inwards * (random.f64() * 0.05 - 0.015);
    pose
}

fn unit_axis(random: &mut Rng) -> DVec3 {
    DVec3::AXES[random.usize(0..3)]
}

/// What was met: how many points of which features, how many of them had no gap of their own, and how often the least gap was
/// the distance of the shapes.
#[derive(Default)]
struct Seen {
    points: usize,
    sampled: usize,
    connected: usize,
    kinds: BTreeSet<String>,
}

fn kind(feature: Feature) -> String {
    let name = format!("{feature:?}");
    name.split(['(', ' ']).next().unwrap_or_default().to_string()
}

fn is_flat(feature: Feature) -> bool {
    matches!(
        feature,
        Feature::Plane | Feature::Face(_) | Feature::Cap(_) | Feature::Triangle { part: TriangleFeature::Face, .. }
    )
}

/// Compares the gap of every point of the manifolds with its depth.
///
/// A manifold measures depth along its own normal n, a gap along that of its features, n_c: `c = −depth · (n·n_c)`, exactly
/// between flat features and to second order in the angle between n and n_c otherwise. A rim that is nearly level has its
/// lowest point elsewhere as soon as the normal changes a little, and differs to first order.
fn check_values(what: &str, a: &Shape, b: &Shape, b_in_a: &Transform, random: &mut Rng, seen: &mut Seen) {
    let options = ManifoldOptions { recycling: 0.0, ..ManifoldOptions::default() };
    let mut manifolds = Vec::new();
    contact_manifolds(a, b, b_in_a, &options, &mut PairCache::default(), &mut manifolds);
    // The shapes sit anywhere in their bodies, and the bodies anywhere in the world.
    let anywhere = |random: &mut Rng| Transform::new(turned(random), random_vector(random));
    let (frames, world) = ([anywhere(random), anywhere(random)], anywhere(random));
    let poses = [world * frames[0].inverse(), world * *b_in_a * frames[1].inverse()];
    let bodies = poses.map(|pose| BodyView { pose, center: pose.translation, ..BodyView::WORLD });
    let sides = [ContactSide { shape: a, frame: frames[0] }, ContactSide { shape: b, frame: frames[1] }];
    let mut least = (f64::INFINITY, DVec3::ZERO);
    for manifold in &manifolds {
        for point in manifold.points() {
            let feature = ContactFeature::new(sides, b_in_a, manifold, point);
            let gap = feature.measure(&bodies);
            let normal = gap.jacobian.linear[1];
            assert!((normal.length() - 1.0).abs() < 1e-6, "{what}: {feature:?} has no normal");
            let n = world.vector(manifold.normal);
            let (cos, sin) = (normal.dot(n), normal.cross(n).length());
            // A torus is a rim with a radius.
            let is_ring = matches!(a, Shape::Torus(_));
            let has_rim = is_ring || point.features.iter().any(|f| matches!(f, Feature::Rim(_)));
            // Sides count as level up to 3°, and a round one is met elsewhere if it is not: r sin² 3° < 1e-3.
            let has_side = point.features.iter().any(|f| matches!(f, Feature::Side | Feature::Segment));
            let bend = if has_rim { 0.7 * sin } else { 1.0 - cos };
            let tolerance = bend + if has_side { 1e-3 } else { 1e-6 };
            let error = (gap.value + point.depth * cos).abs();
            let context = || format!("{what}: {feature:?} is {} at {point:?}, cos {cos}, {b_in_a:?}", gap.value);
            assert!(cos > 0.75 && error < tolerance, "{}", context());
            seen.points += 1;
            let samples = matches!(feature.gap, Gap::PointPlane { .. }) && !point.features.into_iter().any(is_flat);
            seen.sampled += usize::from(samples);
            seen.kinds.insert(format!("{} {}", kind(point.features[0]), kind(point.features[1])));
            if gap.value < least.0 {
                least = (gap.value, normal);
            }
        }
    }
    // Where the least gap is along the shortest connection of the shapes, it is their distance or minus their penetration, to
    // the 1e-3 of their size for which manifolds take points as equally deep.
    let connection = penetration(a, b, b_in_a).map_or_else(
        || {
            let closest = distance(a, b, b_in_a);
            ((closest.point_b - closest.point_a).normalize_or_zero(), closest.distance)
        },
        |found| (found.normal, -found.depth),
    );
    let normal = world.vector(connection.0);
    if is_convex(a) && is_convex(b) && manifolds.len() == 1 && least.1.dot(normal) > 1.0 - 1e-8 {
        let error = (least.0 - connection.1).abs();
        assert!(error < 1e-3, "{what}: {least:?} not {connection:?} at {b_in_a:?}");
        seen.connected += 1;
    }
}

fn check_pair(what: &str, a: &Shape, b: &Shape, seed: u64) {
    let mut random = Rng::with_seed(seed);
    let mut seen = Seen::default();
    for _ in 0..POSES {
        let pose = near(a, b, &mut random);
        check_values(what, a, b, &pose, &mut random, &mut seen);
    }
    assert!(seen.points > POSES / 2, "{what}: only {} points", seen.points);
    if is_convex(a) && is_convex(b) {
        // The flat sides of a user-defined shape have no names.
        let few = what.contains("crate") || 20 * seen.sampled < seen.points;
        assert!(few, "{what}: {} without a gap of their own, {:?}", seen.sampled, seen.kinds);
        assert!(3 * seen.connected > POSES, "{what}: only {} are the distance", seen.connected);
    }
}

/// Of surfaces and compounds neither the distance nor the penetration is that of one pair of features.
fn is_convex(shape: &Shape) -> bool {
    shape.as_compound().is_none() && !matches!(shape, Shape::Mesh(_) | Shape::HeightField(_))
}

#[test]
fn gaps_of_convex_pairs_are_minus_the_depths() {
    let shapes = convex_shapes();
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (j, (name_b, b)) in shapes.iter().enumerate() {
            if i + j > 0 {
                check_pair(&format!("{name_a} and {name_b}"), a, b, (100 * i + j) as u64);
            }
        }
    }
}

#[test]
fn gaps_with_composite_shapes_are_minus_the_depths() {
    let convex = convex_shapes();
    let at = |x: f64, turn: f64| Transform::new(rotation_about(DVec3::Z, turn), DVec3::X * x);
    let parts = vec![(at(-0.4, 0.3), convex[1].1.clone()), (at(0.4, 1.0), convex[4].1.clone())];
    let compound = Shape::compound(parts).expect("a shape");
    // An octahedron, closed.
    let corners: Vec<DVec3> = (0..6).map(|i| DVec3::AXES[i % 3] * if i < 3 { 0.7 } else { -0.7 }).collect();
    let sides = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    let mesh = Shape::mesh(corners, sides.to_vec()).expect("a shape");
    let heights = (0..25).map(|i| 0.05 * f64::from(i * 7 % 5)).collect();
    let field = Shape::height_field(5, 5, heights, [0.5, 0.5]).expect("a shape");
    for (i, (name, shape)) in convex.iter().enumerate() {
        check_pair(&format!("compound and {name}"), &compound, shape, i as u64);
        check_pair(&format!("{name} and compound"), shape, &compound, i as u64);
        check_pair(&format!("mesh and {name}"), &mesh, shape, i as u64);
        check_pair(&format!("{name} and mesh"), shape, &mesh, i as u64);
        if !matches!(shape, Shape::HalfSpace(_)) {
            check_pair(&format!("height field and {name}"), &field, shape, i as u64);
        }
    }
    let torus = Shape::torus(0.5, 0.2).expect("a shape");
    for (i, (name, shape)) in convex.iter().enumerate().filter(|(_, (name, _))| !name.contains("hull")) {
        check_pair(&format!("torus and {name}"), &torus, shape, i as u64);
    }
    check_pair("compound and mesh", &compound, &mesh, 3);
    check_pair("mesh and mesh", &mesh, &mesh, 4);
}

/// A box slides over a floor of triangles: its points keep their names, and the world tells which triangle each is over.
#[test]
fn a_world_tells_what_touches() -> Result<(), Box<dyn std::error::Error>> {
    let strip: Vec<DVec3> =
        (0..22).map(|i| DVec3::new(f64::from(i / 2) - 2.0, 0.0, f64::from(i % 2) * 4.0 - 2.0)).collect();
    let sides = (0..20).map(|i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i + 1, i, i + 2] }).collect();
    let floor = Shape::mesh(strip, sides)?;
    let mut world = World::with_method(Retroactive::new());
    world.add_body(Body::fixed().with_shape(floor.clone()))?;
    let sliding = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5])?).at([0.0, 0.5, 0.0]);
    world.add_body(sliding.with_velocity([3.0, 0.0, 0.0]))?;
    let (mut names, mut triangles) = (BTreeSet::new(), BTreeSet::new());
    let (mut corners, mut points) = (0, 0);
    for _ in 0..60 {
        world.step(1.0 / 240.0)?;
        for point in world.contacts().flat_map(|contact| contact.points()) {
            // Where a corner passes over a side of a triangle, the point is for a moment the crossing of that side and an edge.
            let [Feature::Triangle { triangle, .. }, Feature::Vertex(_) | Feature::Edge(_)] = point.features else {
                return Err(format!("not a corner on a triangle: {point:?}").into());
            };
            corners += usize::from(matches!(point.features[1], Feature::Vertex(_)));
            points += 1;
            let Shape::Mesh(mesh) = &floor else { return Err("no mesh".into()) };
            let nearest = mesh.triangle(triangle as usize).closest_point(point.position);
            assert!(nearest.point.distance(point.position) < 2e-3, "{point:?}");
            names.insert((point.parts, point.feature));
            triangles.insert(triangle);
        }
    }
    assert!(names.len() == 4 && triangles.len() > 4, "{names:?} {triangles:?}");
    assert!(10 * corners > 9 * points, "{corners} of {points} are corners");
    Ok(())
}
