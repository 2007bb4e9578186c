//! The part of a shape below a plane: against formulas, against its complement, against dense grids, and against the
//! derivative that it must have.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod solids;

use std::f64::consts::PI;
use tumble_geometry::glam::{DVec3, dvec3};
use tumble_geometry::mass::{self, Submerged};
use tumble_geometry::math::{orthonormal_pair, rotation_about, rotation_from_vector};
use tumble_geometry::{Plane, Shape, Transform};

fn plane(normal: DVec3, offset: f64) -> Plane {
    Plane { normal: normal.normalize(), offset }
}

fn wet(shape: &Shape, normal: DVec3, offset: f64) -> Submerged {
    shape.below(&plane(normal, offset)).unwrap()
}

fn vector(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * 2.0
}

/// Every kind of shape that has an inside, of random size.
fn solid_shapes(random: &mut fastrand::Rng) -> Vec<(&'static str, Shape)> {
    let mut length = || 0.2 + random.f64();
    let (a, b) = (length(), length());
    let hull: Vec<DVec3> = (0..20).map(|_| vector(random)).collect();
    let mesh = |solid: solids::Solid| Shape::mesh(solid.vertices, solid.triangles).unwrap();
    let at = Transform::new(rotation_from_vector(vector(random) * 3.0), vector(random) * 3.0);
    let parts = vec![
        (at, Shape::cone(a, b).unwrap()),
        (Transform::IDENTITY, Shape::capsule(b, a).unwrap()),
        (at.inverse(), Shape::cuboid([a, b, 0.3]).unwrap()),
    ];
    vec![
        ("sphere", Shape::sphere(a).unwrap()),
        ("box", Shape::cuboid([a, b, 0.7]).unwrap()),
        ("capsule", Shape::capsule(a, b).unwrap()),
        ("cylinder", Shape::cylinder(a, b).unwrap()),
        ("cone", Shape::cone(a, b).unwrap()),
        ("ellipsoid", Shape::ellipsoid([a, b, 0.5 * (a + b)]).unwrap()),
        ("hull", Shape::hull(&hull).unwrap()),
        ("torus", mesh(solids::torus(1.0, 0.3, 24, 12))),
        ("l shape", mesh(solids::l_shape())),
        ("inside-out dumbbell", mesh(solids::dumbbell().inside_out())),
        ("compound", Shape::compound(parts).unwrap()),
    ]
}

/// Offsets of a plane that meets the shape, and now and then of one that just touches or misses it.
fn random_offset(random: &mut fastrand::Rng, shape: &Shape, normal: DVec3) -> f64 {
    let ball = shape.bounding_sphere();
    ball.center.dot(normal) + ball.radius * 1.1 * (2.0 * random.f64() - 1.0)
}

#[test]
fn below_and_above_make_the_whole() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut worst = 0.0_f64;
    for _ in 0..2000 {
        for (name, shape) in solid_shapes(&mut random) {
            let whole = shape.mass_properties(1.0).unwrap();
            let size = shape.bounding_sphere().radius + whole.center.length();
            // Planes across, and nearly along and nearly level, where formulas like to break.
            let normal = match random.u32(0..6) {
                0 => DVec3::Y + vector(&mut random) * 1e-9,
                1 => DVec3::X + vector(&mut random) * 1e-9,
                2 => [DVec3::X, DVec3::Y, DVec3::NEG_Y, DVec3::Z][random.usize(0..4)],
                3 => DVec3::X + vector(&mut random) * 1e-4,
                _ => vector(&mut random),
            }
            .normalize();
            let offset = if random.u32(0..4) == 0 { 0.0 } else { random_offset(&mut random, &shape, normal) };
            let cut = plane(normal, offset);
            let (below, above) = (shape.below(&cut).unwrap(), shape.below(&cut.flipped()).unwrap());
            let volume = (below.volume + above.volume - whole.mass).abs() / whole.mass;
            let moment = below.center * below.volume + above.center * above.volume - whole.center * whole.mass;
            let moment = moment.length() / (whole.mass * size);
            worst = worst.max(volume).max(moment);
            assert!(volume < 1e-12 && moment < 1e-12, "{name}, {cut:?}: {volume:e}, {moment:e}");
        }
    }
    println!("worst: {worst:e} of the whole");
}

/// If the plane rises by dt, the volume grows by the area of the section, and `m = ∫(n·x) dV` by t times as much. So
/// `m₂ − m₁ = t₂V₂ − t₁V₁ − ∫V dt`, an identity that ties the centroid to the volume without any formula of the shape.
#[test]
fn moment_grows_with_the_height_of_the_section() {
    const GAUSS: [(f64, f64); 5] = [
        (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
        (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
        (0.0, 0.568_888_888_888_888_9),
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
        (0.906_179_845_938_664, 0.236_926_885_056_189_1),
    ];
    let mut random = fastrand::Rng::with_seed(2);
    let mut worst = 0.0_f64;
    for _ in 0..1000 {
        for (name, shape) in solid_shapes(&mut random) {
            let normal = vector(&mut random).normalize();
            let middle = random_offset(&mut random, &shape, normal);
            let size = shape.bounding_sphere().radius;
            let half = 1e-3 * size;
            let at = |offset: f64| {
                let wet = wet(&shape, normal, offset);
                (wet.volume, wet.volume * wet.center.dot(normal))
            };
            let (t1, t2) = (middle - half, middle + half);
            let ((v1, m1), (v2, m2)) = (at(t1), at(t2));
            let integral: f64 = GAUSS.iter().map(|(x, weight)| half * weight * at(middle + half * x).0).sum();
            let scale = shape.volume().unwrap() * size;
            let error = ((m2 - m1) - (t2 * v2 - t1 * v1 - integral)).abs() / scale;
            worst = worst.max(error);
            // Where an edge or a rim is passed the rule itself is off by some 1e-12.
            assert!(error < 1e-11, "{name}: {error:e}");
        }
    }
    println!("worst: {worst:e}");
}

/// A plane across the side of a cone cuts off an oblique cone over an ellipse: `V = ⅓ area × height`, its centre three
/// quarters of the way from the apex to the middle of the ellipse.
#[test]
fn an_oblique_cone_over_an_ellipse() {
    let (h, r) = (1.0, 0.5);
    let shape = Shape::cone(h, r).unwrap();
    let apex = DVec3::Y * h;
    let steep = r / (2.0 * h);
    for tilt in [0.0, 1e-6, 0.1, 0.5, 0.9, 0.99, 0.999] {
        // In the plane z = 0 the sides are x = ±steep (h − y), the waterline is y = y₀ + m x with m < 1/steep.
        let m = tilt / steep;
        for y0 in [0.999, 0.99, 0.9] {
            let ends = [1.0, -1.0].map(|side| {
                let x = side * steep * (h - y0) / (1.0 + side * steep * m);
                dvec3(x, y0 + m * x, 0.0)
            });
            if ends.iter().any(|end| end.y < -h) {
                continue;
            }
            let center = 0.5 * (ends[0] + ends[1]);
            let long = 0.5 * ends[0].distance(ends[1]);
            // The half chord across at the middle: √(ρ² − x²) with ρ the radius there.
            let rho = steep * (h - center.y);
            let short = (rho * rho - center.x * center.x).sqrt();
            let normal = dvec3(-m, 1.0, 0.0).normalize();
            let height = normal.dot(apex - center);
            let tip = wet(&shape, -normal, -normal.dot(center));
            let volume = PI * long * short * height / 3.0;
            let whole = shape.volume().unwrap();
            assert!((tip.volume - volume).abs() < 3e-15 * whole, "tilt {tilt}, {y0}: {} {volume}", tip.volume);
            let moment = tip.center * tip.volume - (apex + 0.75 * (center - apex)) * volume;
            assert!(moment.length() < 3e-15 * whole * h, "tilt {tilt}, {y0}: {moment}");
        }
    }
}

/// A cylinder cut through its side only holds as much as if it were cut level at the same height of its axis.
#[test]
fn a_tilted_glass_of_water() {
    let (h, r) = (1.0, 0.3);
    let shape = Shape::cylinder(h, r).unwrap();
    for slope in [1e-12, 1e-6, 0.01, 0.5, 2.0, 3.0] {
        let normal = dvec3(slope, 1.0, 0.0);
        let wet = wet(&shape, normal, 0.05 / normal.length());
        let volume = PI * r * r * (h + 0.05);
        assert!((wet.volume / volume - 1.0).abs() < 1e-14, "{slope}: {:e}", wet.volume / volume - 1.0);
        // ∫x dV = −slope ∫x² dA = −slope π r⁴/4;  ∫y dV = ½ ∫ ((0.05 − slope x)² − h²) dA.
        let x = -slope * PI * r * r * r * r / 4.0 / volume;
        let y = 0.5 * (PI * r * r * (0.05 * 0.05 - h * h) + slope * slope * PI * r * r * r * r / 4.0) / volume;
        assert!((wet.center - dvec3(x, y, 0.0)).length() < 1e-14, "{slope}");
    }
}

/// A polyhedron with many sides inside a round shape misses at most as much of any part as of the whole.
#[test]
fn round_shapes_are_the_limit_of_polyhedra() {
    let mut random = fastrand::Rng::with_seed(3);
    let circle = |n: usize, r: f64, y: f64| {
        (0..n).map(move |k| {
            let (sin, cos) = libm::sincos(2.0 * PI * k as f64 / n as f64);
            dvec3(r * cos, y, r * sin)
        })
    };
    let rings = |n: usize, profile: &[(f64, f64)]| {
        let points: Vec<DVec3> = profile.iter().flat_map(|&(r, y)| circle(n, r, y)).collect();
        Shape::hull(&points).unwrap()
    };
    let half_circle = |n: usize, h: f64, r: f64| -> Vec<(f64, f64)> {
        (0..=n)
            .map(|k| {
                let (sin, cos) = libm::sincos(PI * (k as f64 / n as f64 - 0.5));
                (r * cos.max(0.0), r * sin + h.copysign(sin + 1e-12))
            })
            .collect()
    };
    for _ in 0..30 {
        let (h, r) = (0.2 + random.f64(), 0.2 + random.f64());
        let pairs = [
            (Shape::cylinder(h, r).unwrap(), rings(256, &[(r, -h), (r, h)])),
            (Shape::cone(h, r).unwrap(), rings(256, &[(r, -h), (0.0, h)])),
            (Shape::capsule(h, r).unwrap(), rings(64, &half_circle(33, h, r))),
        ];
        for (round, polyhedron) in pairs {
            let missing = 1.0 - polyhedron.volume().unwrap() / round.volume().unwrap();
            assert!(missing < 5e-3);
            for _ in 0..5 {
                let normal = vector(&mut random).normalize();
                let offset = random_offset(&mut random, &round, normal);
                let (exact, close) = (wet(&round, normal, offset), wet(&polyhedron, normal, offset));
                let difference = (exact.volume - close.volume) / round.volume().unwrap();
                assert!(difference > -1e-9 && difference < missing + 1e-9, "{round:?}: {difference:e} of {missing:e}");
                let moment = exact.center * exact.volume - close.center * close.volume;
                assert!(moment.length() < 2.0 * missing * round.volume().unwrap() * (h + r));
            }
        }
    }
}

#[test]
fn dense_grids_agree() {
    let mut random = fastrand::Rng::with_seed(4);
    for (name, shape) in solid_shapes(&mut random) {
        // Overlapping parts of a compound count twice, and a mesh that is inside out contains no point: the grid cannot
        // tell.
        if name == "compound" || name.starts_with("inside-out") {
            continue;
        }
        for _ in 0..2 {
            let normal = vector(&mut random).normalize();
            let ball = shape.bounding_sphere();
            let cut = plane(normal, ball.center.dot(normal) + ball.radius * 0.4 * (random.f64() - 0.5));
            let contains = |p: DVec3| cut.signed_distance(p) <= 0.0 && shape.contains_point(p);
            let sampled = mass::sample(contains, &shape.aabb(&Transform::IDENTITY), 100, 1.0).unwrap();
            let exact = shape.below(&cut).unwrap();
            assert!((sampled.mass / exact.volume - 1.0).abs() < 5e-3, "{name}: {} {}", sampled.mass, exact.volume);
            assert!((sampled.center - exact.center).length() < 5e-3 * ball.radius, "{name}");
        }
    }
}

#[test]
fn a_spherical_cap() {
    let ball = Shape::sphere(2.0).unwrap();
    for k in [1e-6, 0.1, 1.0, 2.0, 3.5, 4.0] {
        let cap = wet(&ball, DVec3::Y, k - 2.0);
        let volume = PI * k * k * (6.0 - k) / 3.0;
        assert!((cap.volume / volume - 1.0).abs() < 1e-9);
        // 3 (2r − k)² / (4 (3r − k)) below the centre.
        let center = -3.0 * (4.0 - k) * (4.0 - k) / (4.0 * (6.0 - k));
        assert!((cap.center - DVec3::Y * center).length() < 1e-9);
    }
}

/// A box tilted about z and cut through both upright faces is a prism over a trapezium.
#[test]
fn a_tilted_box_is_a_prism() {
    let (a, b, c) = (1.0, 2.0, 0.5);
    let shape = Shape::cuboid([a, b, c]).unwrap();
    for (slope, height) in [(0.0, 0.3), (0.4, 0.2), (-0.7, -0.5), (1.2, 0.0)] {
        // The waterline y = height − slope x stays within ±b for |x| ≤ a.
        let normal = dvec3(slope, 1.0, 0.0);
        let wet = wet(&shape, normal, height / normal.length());
        let area = 2.0 * a * (height + b);
        assert!((wet.volume - area * 2.0 * c).abs() < 1e-14 * 10.0);
        // ∫x dA = ∫ x (height − slope x + b) dx = −2/3 slope a³;  ∫y dA = ½ ∫ ((height − slope x)² − b²) dx.
        let x = -2.0 / 3.0 * slope * a * a * a / area;
        let y = (height * height * a + slope * slope * a * a * a / 3.0 - b * b * a) / area;
        assert!((wet.center - dvec3(x, y, 0.0)).length() < 1e-14, "{wet:?}");
    }
}

/// The hoof: a cylinder cut by a plane through a diameter of its base has the volume ⅔ r² height.
#[test]
fn a_cylindrical_hoof() {
    let (r, h) = (1.5, 2.0);
    let shape = Shape::cylinder(h, r).unwrap();
    // The plane through the diameter along z of the bottom that reaches height `rise` at x = r.
    let rise = 1.2;
    let normal = dvec3(-rise, r, 0.0);
    let wet = wet(&shape, normal, -h * r / normal.length());
    assert!((wet.volume - 2.0 / 3.0 * r * r * rise).abs() < 1e-14, "{}", wet.volume);
    // ∫x dV = rise/r ∫ x² dA over half the disc = π/8 rise r³;  ∫(y + h) dV = ½ (rise/r)² π/8 r⁴.
    let center = dvec3(PI / 8.0 * rise * r * r * r, PI / 16.0 * rise * rise * r * r, 0.0) / wet.volume - DVec3::Y * h;
    assert!((wet.center - center).length() < 1e-14);
}

/// A cone cut level leaves a smaller cone on top; cut through its axis, half of it.
#[test]
fn cones_cut_level_and_lengthwise() {
    let (h, r) = (0.8, 0.6);
    let shape = Shape::cone(h, r).unwrap();
    let whole = shape.volume().unwrap();
    for y in [-0.7, 0.0, 0.5] {
        let top = wet(&shape, DVec3::NEG_Y, -y);
        let fraction = (h - y) / (2.0 * h);
        assert!((top.volume / whole - fraction * fraction * fraction).abs() < 1e-15);
        assert!((top.center.y - (y + (h - y) / 4.0)).abs() < 1e-14);
    }
    let half = wet(&shape, DVec3::X, 0.0);
    assert!((half.volume / whole - 0.5).abs() < 1e-14);
    // The half disc's centre lies 4ρ/3π off; weighted with ρ² along the axis that gives r/π.
    assert!((half.center.x + r / PI).abs() < 1e-14, "{}", half.center.x);
    assert!((half.center.y + h / 2.0).abs() < 1e-14);
}

/// A capsule is a ball swept along a segment, so cut level its ends are caps; cut lengthwise, half of everything.
#[test]
fn capsules_cut_level_and_lengthwise() {
    let (h, r) = (0.5, 0.4);
    let shape = Shape::capsule(h, r).unwrap();
    let cap = |k: f64| PI * k * k * (3.0 * r - k) / 3.0;
    assert!((wet(&shape, DVec3::Y, -0.75).volume - cap(0.15)).abs() < 1e-15);
    assert!((wet(&shape, DVec3::Y, 0.6).volume - (shape.volume().unwrap() - cap(0.3))).abs() < 1e-15);
    let half = wet(&shape, DVec3::X, 0.0);
    assert!((half.volume - 0.5 * shape.volume().unwrap()).abs() < 1e-15);
    // 4r/3π for the tube, 3/8 r for the ball.
    let (tube, ball) = (PI * r * r * h, 2.0 / 3.0 * PI * r * r * r);
    let center = -(tube * 4.0 * r / (3.0 * PI) + ball * 0.375 * r) / (tube + ball);
    assert!((half.center - DVec3::X * center).length() < 1e-15);
}

/// Turning shape and plane together changes nothing but the frame.
#[test]
fn a_rotation_of_everything_changes_nothing() {
    let mut random = fastrand::Rng::with_seed(6);
    for (name, shape) in solid_shapes(&mut random) {
        let pose = Transform::new(rotation_from_vector(vector(&mut random) * 2.0), vector(&mut random));
        let turned = Shape::compound(vec![(pose, shape.clone())]).unwrap();
        let normal = vector(&mut random).normalize();
        let cut = plane(normal, random_offset(&mut random, &shape, normal));
        let (inner, outer) = (shape.below(&cut).unwrap(), turned.below(&cut.transformed(&pose)).unwrap());
        assert!((inner.volume - outer.volume).abs() < 1e-13, "{name}");
        if inner.volume > 1e-3 {
            assert!((pose.point(inner.center) - outer.center).length() < 1e-12, "{name}");
        }
    }
    // About its own axis, a round shape does not care.
    for shape in [Shape::cone(1.0, 0.5).unwrap(), Shape::cylinder(1.0, 0.5).unwrap(), Shape::capsule(1.0, 0.5).unwrap()]
    {
        let normal = dvec3(0.6, 0.3, -0.2).normalize();
        let turn = rotation_about(DVec3::Y, 1.0);
        let (one, two) = (wet(&shape, normal, 0.1), wet(&shape, turn * normal, 0.1));
        assert!((one.volume - two.volume).abs() < 1e-15 && (turn * one.center - two.center).length() < 1e-14);
    }
}

#[test]
fn what_encloses_nothing_has_no_part_below() {
    let level = plane(DVec3::Y, 0.0);
    let open = Shape::mesh(vec![DVec3::ZERO, DVec3::X, DVec3::Z], vec![[0, 1, 2]]).unwrap();
    assert_eq!(open.below(&level), None);
    assert_eq!(Shape::half_space(DVec3::Y).unwrap().below(&level), None);
    assert_eq!(Shape::height_field(2, 2, vec![0.0; 4], [1.0, 1.0]).unwrap().below(&level), None);
    let ball = Shape::sphere(1.0).unwrap();
    assert_eq!(ball.below(&Plane { normal: DVec3::Y, offset: f64::NAN }), None);
    assert_eq!(ball.below(&Plane { normal: DVec3::NAN, offset: 0.0 }), None);
    assert_eq!(ball.below(&plane(DVec3::Y, -1.5)), Some(Submerged::NOTHING));
    let (u, v) = orthonormal_pair(DVec3::Y);
    assert!(ball.below(&plane(u + v, 1e300)).unwrap().volume > 4.18);
}

/// The surface of every solid is closed: its vector areas add up to nothing, and its flux `⅓ ∮ x·dA` is the volume, exactly
/// for polyhedra and to a few per cent, from below, for round shapes.
#[test]
fn surfaces_are_closed_and_face_outwards() {
    let mut random = fastrand::Rng::with_seed(7);
    for (name, shape) in solid_shapes(&mut random) {
        let (mut sum, mut volume, mut area) = (DVec3::ZERO, 0.0, 0.0);
        shape.visit_surface(&mut |triangle| {
            let [a, b, c] = triangle.vertices;
            let vector_area = 0.5 * (b - a).cross(c - a);
            sum += vector_area;
            area += vector_area.length();
            volume += a.dot(vector_area) / 3.0;
        });
        assert!(sum.length() < 1e-12 * area, "{name}: {sum}");
        let missing = 1.0 - volume.abs() / shape.volume().unwrap();
        let round = ["sphere", "capsule", "cylinder", "cone", "ellipsoid", "compound"].contains(&name);
        assert!(if round { missing > 0.0 && missing < 0.03 } else { missing.abs() < 1e-12 }, "{name}: {missing}");
        assert_eq!(volume < 0.0, name.starts_with("inside-out"), "{name}");
    }
    // Above and below, left and right are alike on round shapes: no direction is preferred.
    for shape in [Shape::cylinder(0.5, 0.3).unwrap(), Shape::capsule(0.5, 0.3).unwrap(), Shape::sphere(0.4).unwrap()] {
        let mut sum = DVec3::ZERO;
        shape.visit_surface(&mut |triangle| {
            let [a, b, c] = triangle.vertices;
            sum += (a + b + c) * (b - a).cross(c - a).length();
        });
        assert!(sum.length() < 1e-12, "{sum}");
    }
    let area = |shape: Shape| {
        let mut area = 0.0;
        shape.visit_surface(&mut |t| {
            area += 0.5 * (t.vertices[1] - t.vertices[0]).cross(t.vertices[2] - t.vertices[0]).length()
        });
        area
    };
    assert!((area(Shape::sphere(1.0).unwrap()) / (4.0 * PI) - 1.0).abs() < 0.012);
    assert!((area(Shape::cylinder(1.0, 1.0).unwrap()) / (6.0 * PI) - 1.0).abs() < 0.012);
    assert!((area(Shape::cone(1.0, 1.0).unwrap()) / (PI * (1.0 + 5.0_f64.sqrt())) - 1.0).abs() < 0.012);
    assert!((area(Shape::capsule(1.0, 1.0).unwrap()) / (8.0 * PI) - 1.0).abs() < 0.012);
}

/// Whatever the plane, no part is larger than the whole or less than nothing, and its centre lies within the shape's box.
#[test]
fn wild_planes_and_shapes_give_sane_parts() {
    let mut random = fastrand::Rng::with_seed(8);
    let scales = [1e-9, 1e-5, 0.1, 1.0, 1e4, 1e9];
    let length = |random: &mut fastrand::Rng| scales[random.usize(0..scales.len())];
    for _ in 0..20_000 {
        let (a, b, c) = (length(&mut random), length(&mut random), length(&mut random));
        let shape = match random.u32(0..5) {
            0 => Shape::sphere(a),
            1 => Shape::cuboid([a, b, c]),
            2 => Shape::capsule(a, b),
            3 => Shape::cylinder(a, b),
            _ => Shape::cone(a, b),
        }
        .unwrap();
        let tiny = [1.0, 1e-3, 1e-8, 1e-16, 1e-160, 0.0];
        let mut component = || tiny[random.usize(0..6)] * (random.f64() - 0.5);
        let Some(normal) = DVec3::new(component(), component(), component()).try_normalize() else { continue };
        let offset = [0.0, a, -a, b, -b, 1e-3 * a, a + b, 1e-300, 1e300, -1e300][random.usize(0..10)];
        let wet = shape.below(&Plane { normal, offset }).unwrap();
        let whole = shape.volume().unwrap();
        assert!(wet.volume >= 0.0 && wet.volume <= whole * (1.0 + 1e-12), "{shape:?}, {normal}, {offset}: {wet:?}");
        // A sliver's centre is lost in rounding long before its moment matters.
        if wet.volume > 1e-6 * whole {
            // The digits of the largest extent are all there are, also across a sheet that is 1e13 times as long.
            let half = 0.5 * shape.local_aabb().extents() * (1.0 + 1e-6) + 1e-11 * shape.bounding_sphere().radius;
            assert!(wet.center.abs().cmple(half).all(), "{shape:?}, {normal}, {offset}: {wet:?}");
        }
    }
}
