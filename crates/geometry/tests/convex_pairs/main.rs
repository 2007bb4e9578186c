//! Distance, penetration and intersection of every pair of convex kinds, in 20 000 poses each, against an independent
//! oracle.
//!
//! **Separate shapes** are proven right, case by case: the two points lie on the bodies and bound the distance from above;
//! the gap along the normal, by the tests' own support functions, bounds it from below; both must meet.
//! **Overlapping shapes**: the overlap along the normal, by the tests' own support functions, must be the depth; that no
//! other direction is shorter is checked by the separating axis theorem for polytopes (and round shapes over them), and
//! by a search over directions for curved ones.
//!
//! `TUMBLE_CASES` sets the number of poses per pair.

mod bodies;
mod hostile;
mod oracle;
mod parry;

use bodies::{Body, Form, KINDS, Kind, direction, rotation};
use fastrand::Rng;
use oracle::{Pair, polytope_distance, sphere_grid};
use std::fmt::Write;
use tumble_geometry::glam::{DQuat, DVec3};
use tumble_geometry::query::{self, Separation};
use tumble_geometry::{Transform, math};

/// How two bodies are made and placed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Category {
    Generic,
    Touching,
    Deep,
    Tiny,
    Large,
    Thin,
    Far,
    Parallel,
}

const CATEGORIES: [Category; 8] = [
    Category::Generic,
    Category::Touching,
    Category::Deep,
    Category::Tiny,
    Category::Large,
    Category::Thin,
    Category::Far,
    Category::Parallel,
];

struct Case {
    a: Body,
    b: Body,
    b_in_a: Transform,
    /// The signed distance, where the construction tells.
    known: Option<f64>,
}

fn lengths(category: Category, rng: &mut Rng) -> DVec3 {
    let mut length = || libm::exp10(rng.f64() - 0.7);
    let lengths = DVec3::new(length(), length(), length());
    match category {
        Category::Tiny => lengths * 1e-3,
        Category::Large => lengths * 1e3,
        Category::Thin => {
            let mut thin = DVec3::ONE;
            thin[rng.usize(0..3)] = 1e-3;
            if rng.bool() {
                thin[rng.usize(0..3)] = 1e-3;
            }
            thin
        }
        _ => lengths,
    }
}

/// A rotation by multiples of quarter turns, and hardly anything else.
fn nearly_aligned(rng: &mut Rng) -> DQuat {
    let quarters =
        |axis, rng: &mut Rng| math::rotation_about(axis, std::f64::consts::FRAC_PI_2 * f64::from(rng.u8(0..4)));
    let aligned = quarters(DVec3::X, rng) * quarters(DVec3::Y, rng) * quarters(DVec3::Z, rng);
    let angle = libm::exp10(-3.0 - 14.0 * rng.f64());
    let angle = if rng.u8(0..8) == 0 { 0.0 } else { angle };
    (math::rotation_about(direction(rng), angle) * aligned).normalize()
}

/// Hulls are made once, some of each category: building them takes longer than all the queries.
struct Hulls(Vec<Vec<Body>>);

impl Hulls {
    fn new(rng: &mut Rng) -> Self {
        let mut hulls = |category| (0..24).map(|_| Body::random(Kind::Hull, lengths(category, rng), rng)).collect();
        Self(CATEGORIES.iter().map(|&category| hulls(category)).collect())
    }

    fn body(&self, kind: Kind, category: Category, rng: &mut Rng) -> Body {
        match kind {
            Kind::Hull => self.0[category as usize][rng.usize(0..24)].clone(),
            _ => Body::random(kind, lengths(category, rng), rng),
        }
    }
}

fn case(kinds: (Kind, Kind), category: Category, hulls: &Hulls, rng: &mut Rng) -> Case {
    let kinds = if rng.bool() { kinds } else { (kinds.1, kinds.0) };
    let a = hulls.body(kinds.0, category, rng);
    let mut category_b = category;
    if matches!(category, Category::Tiny | Category::Large) && rng.u8(0..4) == 0 {
        category_b = Category::Generic;
    }
    let b = hulls.body(kinds.1, category_b, rng);
    let turned = if category == Category::Parallel { nearly_aligned(rng) } else { rotation(rng) };
    let endless = a.kind == Kind::HalfSpace || b.kind == Kind::HalfSpace;
    let n = match (a.kind, b.kind) {
        (Kind::HalfSpace, _) => DVec3::Y,
        (_, Kind::HalfSpace) => turned * -DVec3::Y,
        _ => direction(rng),
    };
    // Where the bodies just touch with normal n: farthest point on farthest point.
    let touch = a.farthest(n) - turned * b.farthest(turned.conjugate() * -n);
    let (translation, known) = match category {
        Category::Touching => {
            let gap = match rng.u8(0..3) {
                0 => 0.0,
                1 => 1e-12 * (2.0 * rng.f64() - 1.0),
                _ => libm::exp10(-12.0 * rng.f64()),
            };
            let gap = gap * a.size().max(b.size());
            (touch + n * gap, Some(gap))
        }
        Category::Deep => (touch * rng.f64() * 0.3, None),
        _ => {
            let along = if endless { DVec3::ZERO } else { touch };
            let size = a.size().min(b.size());
            (along * rng.f64() * 1.5 + direction(rng) * size * rng.f64(), None)
        }
    };
    let mut b_in_a = Transform::new(turned, translation);
    if category == Category::Far {
        let world_a = Transform::new(rotation(rng), direction(rng) * 1e6);
        let world_b = world_a * b_in_a;
        b_in_a = world_a.to_local(&world_b);
    }
    Case { a, b, b_in_a, known }
}

/// The answer of the library: the public queries must agree with each other, and with the general algorithm.
fn answer(case: &Case, tolerance: f64) -> Result<Separation, String> {
    let general = match (case.a.form.convex(), case.b.form.convex()) {
        (Some(a), Some(b)) => Some(query::separation(a, b, &case.b_in_a).ok_or("no answer")?),
        _ => None,
    };
    let (Form::Shape(a), Form::Shape(b)) = (&case.a.form, &case.b.form) else {
        return general.ok_or("triangle and half-space do not meet in these tests".into());
    };
    let closest = query::distance(a, b, &case.b_in_a);
    let deep = query::penetration(a, b, &case.b_in_a);
    let touching = query::intersects(a, b, &case.b_in_a);
    if deep.is_some() != (closest.distance == 0.0)
        || (deep.is_some() != touching && closest.distance > 1e-3 * tolerance)
    {
        return Err(format!("queries disagree: {closest:?} {deep:?} intersects {touching}"));
    }
    let public = match deep {
        Some(p) => Separation { distance: -p.depth, normal: p.normal, point_a: p.point_a, point_b: p.point_b },
        None => {
            let between = closest.point_b - closest.point_a;
            // Where the points are so close that their difference is noise, the general algorithm tells the normal.
            let normal = match (case.a.kind, case.b.kind) {
                (Kind::HalfSpace, _) => DVec3::Y,
                (_, Kind::HalfSpace) => case.b_in_a.rotation * -DVec3::Y,
                _ if closest.distance > 1e3 * tolerance => between.normalize(),
                _ => general.map_or(DVec3::ZERO, |g| g.normal),
            };
            Separation { distance: closest.distance, normal, point_a: closest.point_a, point_b: closest.point_b }
        }
    };
    match general {
        Some(g) if (g.distance - public.distance).abs() > tolerance => {
            Err(format!("the general algorithm says {g:?}, the kernel {public:?}"))
        }
        _ => Ok(public),
    }
}

fn check(case: &Case, grid: &[DVec3]) -> Result<(), String> {
    let size = case.a.size().max(case.b.size());
    let tolerance = 1e-9 * size;
    let s = answer(case, tolerance)?;
    let fail = |what: &str, value: f64| Err(format!("{what}: {:e} of the size; {s:?}", value / size));

    if (s.normal.length() - 1.0).abs() > 1e-12 {
        return fail("length of the normal", s.normal.length());
    }
    // The normal of an almost touching pair is found from support values, which change with the square of its error: it,
    // and with it the points, is known to the root of the rounding error only. The distance is not affected.
    let almost_touching = s.distance.abs() < 1e-4 * size;
    let on_surface = if almost_touching { 3e-8 * size } else { tolerance };
    let off_a = case.a.outside(s.point_a).abs();
    let off_b = case.b.outside(case.b_in_a.inverse_point(s.point_b)).abs();
    if off_a.max(off_b) > on_surface {
        return fail("points off the surface", off_a.max(off_b));
    }
    let between = (s.point_b - s.point_a - s.normal * s.distance).length();
    if between > tolerance {
        return fail("points do not span the distance", between);
    }
    let pair = Pair::new(&case.a, &case.b, &case.b_in_a);
    let slack = s.distance + pair.overlap(s.normal);
    if slack.abs() > tolerance {
        return fail("normal does not show the distance", slack);
    }
    if let Some(known) = case.known {
        // Built to touch, then moved by `known` along the normal: that is the distance, or at most the depth.
        let error = if known >= 0.0 { s.distance - known } else { (s.distance - known).min(0.0) + s.distance.max(0.0) };
        if error.abs() > 1e-11 * size {
            return fail("known distance missed by", error);
        }
    }
    if let (Some(a), Some(b)) = (&case.a.skeleton, &case.b.skeleton) {
        let truth = polytope_distance(a, &b.moved(&case.b_in_a));
        if (truth - s.distance).abs() > tolerance {
            return fail("brute force says otherwise by", truth - s.distance);
        }
    } else if s.distance < 0.0 && case.a.kind != Kind::HalfSpace && case.b.kind != Kind::HalfSpace {
        let (least, n) = pair.least_overlap(grid, s.normal);
        if least < -s.distance - tolerance {
            return fail(&format!("a shorter way out along {n}"), -s.distance - least);
        }
    }
    Ok(())
}

fn cases() -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000)
}

fn check_pairs_with(kind: Kind) {
    let grid = sphere_grid(300);
    let mut report = String::new();
    let start = KINDS.iter().position(|&k| k == kind).expect("every kind is listed");
    for &other in &KINDS[start..] {
        if kind == Kind::HalfSpace || (kind == Kind::Triangle && other == Kind::HalfSpace) {
            continue;
        }
        let mut rng = Rng::with_seed(7);
        let hulls = Hulls::new(&mut rng);
        let mut failures = [0; 8];
        let mut first: [Option<String>; 8] = Default::default();
        for i in 0..cases() {
            let category = i % CATEGORIES.len();
            let case = case((kind, other), CATEGORIES[category], &hulls, &mut rng);
            if let Err(why) = check(&case, &grid) {
                failures[category] += 1;
                first[category].get_or_insert(format!(
                    "{why}\n      case {i}: {:?} {:?} with {:?} {:?} at {:?}",
                    case.a.kind, case.a.lengths, case.b.kind, case.b.lengths, case.b_in_a
                ));
            }
        }
        for (category, first) in first.iter().enumerate().filter_map(|(c, f)| f.as_ref().map(|f| (c, f))) {
            let name = CATEGORIES[category];
            writeln!(report, "{kind:?}–{other:?} {name:?}: {} failures\n      {first}", failures[category])
                .expect("strings grow");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn sphere_pairs() {
    check_pairs_with(Kind::Sphere);
}

#[test]
fn cuboid_pairs() {
    check_pairs_with(Kind::Cuboid);
}

#[test]
fn capsule_pairs() {
    check_pairs_with(Kind::Capsule);
}

#[test]
fn cylinder_pairs() {
    check_pairs_with(Kind::Cylinder);
}

#[test]
fn cone_pairs() {
    check_pairs_with(Kind::Cone);
}

#[test]
fn hull_pairs() {
    check_pairs_with(Kind::Hull);
}

#[test]
fn ellipsoid_pairs() {
    check_pairs_with(Kind::Ellipsoid);
}

#[test]
fn triangle_pairs() {
    check_pairs_with(Kind::Triangle);
}
