//! Point sets for the tests of the convex hull: a base set of some kind, squashed, disturbed, turned, moved, shuffled.

use std::f64::consts::TAU;
use tumble_geometry::glam::DVec3;
use tumble_geometry::{Transform, math};

/// What should come of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expect {
    /// A hull.
    Solid,
    /// A hull, unless made thinner or moved far away.
    Thin,
    /// An error, since the points lie in a plane, on a line or in one point.
    Flat,
    /// Either, as the set is flat or solid depending on rounding.
    Either,
}

/// Some points.
pub(crate) struct PointSet {
    pub(crate) kind: &'static str,
    /// How to make it again.
    pub(crate) name: String,
    pub(crate) points: Vec<DVec3>,
    pub(crate) expect: Expect,
}

/// The number of random cases: `TUMBLE_CASES`, or `default`.
pub(crate) fn case_count(default: u64) -> u64 {
    std::env::var("TUMBLE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A random unit vector.
pub(crate) fn on_sphere(random: &mut fastrand::Rng) -> DVec3 {
    loop {
        let p = in_cube(random);
        if (0.01..=1.0).contains(&p.length_squared()) {
            return p.normalize();
        }
    }
}

fn in_cube(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::new(random.f64(), random.f64(), random.f64()) * 2.0 - DVec3::ONE
}

/// The point on the unit circle around the y axis, at height `y`.
pub(crate) fn circle(angle: f64, y: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(angle);
    DVec3::new(cos, y, sin)
}

/// Set number `seed`: a kind, a shape and a disturbance.
pub(crate) fn random_set(seed: u64) -> PointSet {
    let mut random = fastrand::Rng::with_seed(seed);
    let (kind, mut points, mut expect) = base_set(&mut random);
    let squash = [1.0, 1.0, 1e-3, 1e-6, 1e-9, 1e-11, 1e-12][random.usize(0..7)];
    if random.bool() {
        let axis = random.usize(0..3);
        points.iter_mut().for_each(|p| p[axis] *= squash);
        expect = match expect {
            Expect::Thin if squash < 1.0 => Expect::Either,
            Expect::Solid if squash < 1e-6 => Expect::Either,
            Expect::Solid if squash < 1.0 => Expect::Thin,
            _ => expect,
        };
    }
    let noise = [0.0, 0.0, 1e-16, 1e-15, 1e-14, 1e-13, 3e-13, 1e-12, 1e-11, 1e-9][random.usize(0..10)];
    if noise > 0.0 {
        points.iter_mut().for_each(|p| *p += in_cube(&mut random) * noise);
        if expect == Expect::Flat && noise > 1e-13 {
            expect = Expect::Either;
        }
    }
    if repeat_some(&mut points, &mut random) > 0.0 && expect == Expect::Flat {
        expect = Expect::Either;
    }
    let turned = random.bool();
    if turned {
        Transform::from_axis_angle(on_sphere(&mut random), random.f64() * TAU).points(&mut points);
    }
    let offset = [0.0, 0.0, 1.0, 1e3, 1e6, 1e8][random.usize(0..6)];
    let shift = in_cube(&mut random) * offset;
    points.iter_mut().for_each(|p| *p += shift);
    if expect == Expect::Thin {
        expect = if offset < 1e3 { Expect::Solid } else { Expect::Either };
    }
    let scale = [1.0, 1.0, 1e-3, 1e3, 1e-6, 9.0][random.usize(0..6)];
    if scale * offset <= 1e8 {
        points.iter_mut().for_each(|p| *p *= scale);
    }
    random.shuffle(&mut points);
    let name = format!("set {seed}: {kind}, squash {squash:e}, noise {noise:e}, turned {turned}, offset {offset:e}");
    PointSet { kind, name, points, expect }
}

/// Adds points that are there already, or nearly so; answers how nearly.
fn repeat_some(points: &mut Vec<DVec3>, random: &mut fastrand::Rng) -> f64 {
    let distance = [0.0, 1e-16, 1e-14, 1e-13, 1e-12][random.usize(0..5)];
    let count = points.len();
    for _ in 0..random.usize(0..3) * count / 2 {
        let p = points[random.usize(0..count)];
        points.push(p + in_cube(random) * distance);
    }
    distance
}

type Maker = fn(&mut fastrand::Rng, usize) -> Vec<DVec3>;

/// Each kind with what becomes of it if it is neither squashed nor disturbed.
const KINDS: &[(&str, Expect, Maker)] = &[
    ("cube volume", Expect::Solid, |r, n| (0..n).map(|_| in_cube(r)).collect()),
    ("sphere", Expect::Solid, |r, n| (0..n).map(|_| on_sphere(r)).collect()),
    ("box corners", Expect::Solid, |_, _| grid([2, 2, 2])),
    ("grid", Expect::Solid, |r, _| grid([r.usize(2..6), r.usize(2..6), r.usize(2..6)])),
    ("part of a grid", Expect::Either, |r, n| {
        let mut points = grid([5, 5, 5]);
        r.shuffle(&mut points);
        points.truncate(n);
        points
    }),
    ("cylinder", Expect::Solid, |_, n| {
        (0..2 * n).map(|i| circle(TAU * (i / 2) as f64 / n as f64, if i % 2 == 0 { 1.0 } else { -1.0 })).collect()
    }),
    ("cone", Expect::Solid, |_, n| (0..n).map(|i| circle(TAU * i as f64 / n as f64, 0.0)).chain([DVec3::Y]).collect()),
    ("double cone", Expect::Thin, |r, n| {
        let height = [1.0, 1e-3, 1e-6][r.usize(0..3)];
        (0..n)
            .map(|i| circle(TAU * i as f64 / n as f64, 0.0))
            .chain([DVec3::Y, -DVec3::Y].map(|p| p * height))
            .collect()
    }),
    ("plane and a tip", Expect::Solid, |r, n| {
        let base = (0..n).map(|_| DVec3::new(r.f64(), 0.0, r.f64()));
        base.collect::<Vec<_>>().into_iter().chain([DVec3::new(0.3, 1.0, 0.3)]).collect()
    }),
    ("rough plane and a tip", Expect::Solid, |r, n| {
        let noise = [1e-11, 1e-12, 1e-13][r.usize(0..3)];
        let base = (0..n).map(|_| DVec3::new(r.f64(), noise * r.f64(), r.f64()));
        base.collect::<Vec<_>>().into_iter().chain([DVec3::new(0.3, 1.0, 0.3)]).collect()
    }),
    ("rough box faces", Expect::Solid, |r, n| {
        let noise = [1e-11, 1e-12, 1e-13, 1e-15][r.usize(0..4)];
        let on_face = |r: &mut fastrand::Rng| {
            let mut p = in_cube(r);
            p[r.usize(0..3)] = if r.bool() { 1.0 } else { -1.0 } + noise * r.f64();
            p
        };
        (0..n).map(|_| on_face(r)).collect()
    }),
    ("clusters", Expect::Solid, |r, n| {
        let radius = [1e-3, 1e-6, 1e-9, 1e-12][r.usize(0..4)];
        let centers = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];
        (0..n.max(30)).map(|i| centers[i % 5] + on_sphere(r) * radius).collect()
    }),
    ("lens", Expect::Thin, |r, n| {
        // Two nearly flat caps that meet in a sharp rim.
        let bulge = [1e-2, 1e-4, 1e-6, 1e-8][r.usize(0..4)];
        (0..n.max(12))
            .map(|i| {
                let p = circle(r.f64() * TAU, 0.0) * r.f64().sqrt();
                let p = if i % 3 == 0 { p.normalize_or_zero() } else { p };
                p + DVec3::Y * (1.0 - p.length_squared()) * if i % 2 == 0 { bulge } else { -bulge }
            })
            .collect()
    }),
    ("helix", Expect::Solid, |_, n| (0..n).map(|i| circle(i as f64 * 0.3, i as f64 / n as f64)).collect()),
    ("moment curve", Expect::Solid, |_, n| {
        (0..n).map(|i| i as f64 / n as f64).map(|t| DVec3::new(t, t * t, t * t * t)).collect()
    }),
    ("needle", Expect::Thin, |r, n| (0..n).map(|_| in_cube(r) * DVec3::new(1.0, 1e-4, 1e-4)).collect()),
    ("dodecahedron", Expect::Solid, |_, _| dodecahedron()),
    ("bevelled box", Expect::Solid, |r, _| {
        let width = [1e-1, 1e-6, 1e-10, 1e-12, 1e-13][r.usize(0..5)];
        let cut = |p: DVec3, axis: usize| p - DVec3::AXES[axis] * p[axis] * width;
        grid([2, 2, 2]).into_iter().flat_map(|p| [0, 1, 2].map(|axis| cut(p, axis))).collect()
    }),
    ("nearly a sphere", Expect::Solid, |r, n| (0..n).map(|_| on_sphere(r) * (1.0 + 1e-12 * r.f64())).collect()),
    ("fine arc and a tip", Expect::Solid, |r, n| {
        // Neighbours on the arc stand out by about the tolerance.
        let step = [1e-5, 1e-6, 1e-7][r.usize(0..3)];
        let arc = (0..n.max(8)).flat_map(|i| [0.0, 1.0].map(|y| circle(i as f64 * step, y)));
        arc.chain([DVec3::ZERO, DVec3::new(-1.0, 0.0, 1.0)]).collect()
    }),
    ("plane", Expect::Flat, |r, n| (0..n).map(|_| in_cube(r) * DVec3::new(1.0, 0.0, 1.0)).collect()),
    ("line", Expect::Flat, |r, n| (0..n).map(|_| DVec3::new(0.3, 0.7, -0.2) * r.f64()).collect()),
    ("one point", Expect::Flat, |r, n| vec![in_cube(r); n]),
    ("nearly a plane", Expect::Either, |r, n| {
        let noise = [1e-10, 1e-11, 1e-12, 1e-13][r.usize(0..4)];
        (0..n).map(|_| in_cube(r) * DVec3::new(1.0, noise, 1.0)).collect()
    }),
    ("nearly a line", Expect::Either, |r, n| {
        let noise = [1e-10, 1e-11, 1e-12, 1e-13][r.usize(0..4)];
        (0..n).map(|_| in_cube(r) * DVec3::new(1.0, noise, noise)).collect()
    }),
];

fn base_set(random: &mut fastrand::Rng) -> (&'static str, Vec<DVec3>, Expect) {
    let (kind, expect, make) = KINDS[random.usize(0..KINDS.len())];
    let count = [random.usize(4..10), random.usize(10..60), random.usize(60..200)][random.usize(0..3)];
    let mut points = make(random, count);
    let mut expect =
        if points.len() < 9 && kind != "box corners" && expect != Expect::Flat { Expect::Either } else { expect };
    if random.usize(0..10) == 0 {
        // A mixture: two kinds together.
        let (_, also, make) = KINDS[random.usize(0..KINDS.len())];
        points.extend(make(random, count / 2 + 1));
        expect = if also == expect && expect != Expect::Flat { expect } else { Expect::Either };
    }
    (kind, points, expect)
}

/// The points of a regular grid that fills the cube from −1 to 1.
pub(crate) fn grid([nx, ny, nz]: [usize; 3]) -> Vec<DVec3> {
    let at = |i: usize, n: usize| 2.0 * i as f64 / (n - 1) as f64 - 1.0;
    let cell = |i: usize| DVec3::new(at(i % nx, nx), at(i / nx % ny, ny), at(i / nx / ny, nz));
    (0..nx * ny * nz).map(cell).collect()
}

/// All sign combinations and cyclic permutations of coordinates.
fn cyclic(x: f64, y: f64, z: f64) -> Vec<DVec3> {
    let mut points = Vec::new();
    for signs in grid([2, 2, 2]) {
        for p in [DVec3::new(x, y, z), DVec3::new(y, z, x), DVec3::new(z, x, y)] {
            points.push(p * signs);
        }
    }
    points
}

/// The corners of a regular dodecahedron.
pub(crate) fn dodecahedron() -> Vec<DVec3> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    grid([2, 2, 2]).into_iter().chain(cyclic(0.0, 1.0 / golden, golden)).collect::<Vec<_>>()
}

/// Name, points, and the number of corners of its faces with the number of such faces.
pub(crate) type Polyhedron = (&'static str, Vec<DVec3>, Vec<(usize, usize)>);

/// Regular, semiregular and other polyhedra.
pub(crate) fn known_polyhedra() -> Vec<Polyhedron> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let prism = |n: usize, twist: f64| {
        let corner = move |i: usize, y: f64| circle(TAU * (i as f64 + if y > 0.0 { twist } else { 0.0 }) / n as f64, y);
        (0..n).flat_map(|i| [corner(i, -1.0), corner(i, 1.0)]).collect::<Vec<_>>()
    };
    let tetrahedron =
        vec![DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0)];
    let truncated_icosahedron =
        [(0.0, 1.0, 3.0 * golden), (1.0, 2.0 + golden, 2.0 * golden), (golden, 2.0, 2.0 * golden + 1.0)];
    vec![
        ("tetrahedron", tetrahedron, vec![(3, 4)]),
        ("cube", grid([2, 2, 2]), vec![(4, 6)]),
        ("grid of 7³ points", grid([7, 7, 7]), vec![(4, 6)]),
        ("octahedron", cyclic(1.0, 0.0, 0.0), vec![(3, 8)]),
        ("dodecahedron", dodecahedron(), vec![(5, 12)]),
        ("icosahedron", cyclic(0.0, 1.0, golden), vec![(3, 20)]),
        ("cuboctahedron", cyclic(1.0, 1.0, 0.0), vec![(3, 8), (4, 6)]),
        ("rhombic dodecahedron", grid([2, 2, 2]).into_iter().chain(cyclic(2.0, 0.0, 0.0)).collect(), vec![(4, 12)]),
        ("truncated octahedron", [cyclic(0.0, 1.0, 2.0), cyclic(0.0, 2.0, 1.0)].concat(), vec![(4, 6), (6, 8)]),
        (
            "truncated icosahedron",
            truncated_icosahedron.into_iter().flat_map(|(x, y, z)| cyclic(x, y, z)).collect(),
            vec![(5, 12), (6, 20)],
        ),
        ("hexagonal prism", prism(6, 0.0), vec![(4, 6), (6, 2)]),
        ("prism of 100 sides", prism(100, 0.0), vec![(4, 100), (100, 2)]),
        ("antiprism of 17 sides", prism(17, 0.5), vec![(3, 34), (17, 2)]),
        (
            "pyramid of 50 sides",
            prism(50, 0.0).into_iter().filter(|p| p.y < 0.0).chain([DVec3::Y]).collect(),
            vec![(3, 50), (50, 1)],
        ),
    ]
}

/// The points turned, moved and scaled at random.
pub(crate) fn placed(points: &[DVec3], random: &mut fastrand::Rng) -> Vec<DVec3> {
    let mut points = points.to_vec();
    let turn = Transform::from_rotation(math::rotation_about(on_sphere(random), random.f64() * TAU));
    let scale = [1.0, 1e-3, 1e3][random.usize(0..3)];
    let shift = in_cube(random) * [0.0, 1.0, 1e3, 1e6][random.usize(0..4)] * scale;
    turn.points(&mut points);
    points.iter_mut().for_each(|p| *p = *p * scale + shift);
    random.shuffle(&mut points);
    points
}
