//! Contact manifolds of convex pairs, and of convex shapes on a rough ground of triangles.
//!
//! A few hundred pairs in random poses near contact, each with its own cache as in an engine:
//! - `new`: every pair is seen for the first time (empty caches),
//! - `moving`: pairs move to and fro by 3 mm and 0.3° a frame, the speed of bodies tumbling over each other,
//! - `kept`: the same, manifolds being kept while a pair has moved by less than 5 % of its size,
//! - `resting`: by 1e-6 m and 1e-6 rad a frame, the jitter of bodies that lie still.
//!
//! Parry is used as Rapier uses it: one list of manifolds and one workspace per pair that persist from frame to frame.

use crate::table::Table;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{
    ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher, intersection_test,
};
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, Shape as ParryShape, TriMesh};
use std::hint::black_box;
use std::sync::Arc;
use tumble_geometry::glam::{DQuat, DVec3};
use tumble_geometry::query::{ManifoldOptions, PairCache, contact_manifolds};
use tumble_geometry::{Shape, Transform, math};

const PAIRS: usize = 300;
const FRAMES: usize = 40;
const PREDICTION: f64 = 0.02;

/// The share of its size by which a pair may move while its manifold is kept.
const KEPT: f64 = 0.05;

/// The ground has so many cells along each side, each this wide in metres.
const CELLS: u32 = 40;
const CELL: f64 = 0.4;

/// How many different shapes of a kind there are; pairs share them, as bodies in a scene do.
const SHAPES: usize = 16;

/// The same shape for both engines.
#[derive(Clone)]
struct Twin(Shape, Arc<dyn ParryShape>);

/// Makes a shape of random size.
type Maker = fn(&mut fastrand::Rng) -> Twin;

/// Measures all pairs of kinds.
pub(crate) fn run(table: &mut Table) {
    let cases: [(&str, Maker, Maker, Setting); 11] = [
        ("box–box", cuboid, cuboid, Setting::Around),
        ("sphere–box", sphere, cuboid, Setting::Around),
        ("capsule–capsule", capsule, capsule, Setting::Around),
        ("box–capsule", cuboid, capsule, Setting::Around),
        ("capsule–hull(20)", capsule, hull, Setting::Around),
        ("hull(20)–hull(20)", hull, hull, Setting::Around),
        ("hull(32)–hull(32)", large_hull, large_hull, Setting::Around),
        ("cylinder–box", cylinder, cuboid, Setting::Around),
        ("mesh–box", ground, cuboid, Setting::Above),
        ("mesh–hull(20)", ground, hull, Setting::Above),
        ("mesh–sphere", ground, sphere, Setting::Above),
    ];
    for (name, a, b, setting) in cases {
        for (motion, shift, angle) in
            [("new", 3e-3, 0.3), ("moving", 3e-3, 0.3), ("kept", 3e-3, 0.3), ("resting", 1e-6, 6e-5)]
        {
            let name = format!("{name}, {motion}");
            if table.wants(&name) {
                let scene = Scene::new(a, b, setting, shift, f64::to_radians(angle));
                scene.check_agreement(&name);
                let recycling = if motion == "kept" { KEPT } else { ManifoldOptions::default().recycling };
                scene.measure(table, &name, motion == "new", recycling);
            }
        }
    }
}

/// Where the second shape of a pair is.
#[derive(Clone, Copy, PartialEq)]
enum Setting {
    /// Anywhere around the first.
    Around,
    /// Above it, somewhere.
    Above,
}

fn size(random: &mut fastrand::Rng) -> f64 {
    0.3 + 0.5 * random.f64()
}

fn cuboid(random: &mut fastrand::Rng) -> Twin {
    let h = DVec3::new(size(random), size(random), size(random));
    Twin(Shape::cuboid(h).expect("sizes are valid"), Arc::new(Cuboid::new(vector(h))))
}

fn sphere(random: &mut fastrand::Rng) -> Twin {
    let radius = size(random);
    Twin(Shape::sphere(radius).expect("sizes are valid"), Arc::new(Ball::new(radius)))
}

fn capsule(random: &mut fastrand::Rng) -> Twin {
    let (half_height, radius) = (size(random), 0.5 * size(random));
    let shape = Shape::capsule(half_height, radius).expect("sizes are valid");
    Twin(shape, Arc::new(Capsule::new_y(half_height, radius)))
}

fn cylinder(random: &mut fastrand::Rng) -> Twin {
    let (half_height, radius) = (size(random), size(random));
    let shape = Shape::cylinder(half_height, radius).expect("sizes are valid");
    Twin(shape, Arc::new(Cylinder::new(half_height, radius)))
}

/// A rough ground: a mesh of cells of two triangles each, with random heights.
fn ground(random: &mut fastrand::Rng) -> Twin {
    let side = CELLS + 1;
    let place = |i: u32| CELL * (f64::from(i) - 0.5 * f64::from(CELLS));
    let corners: Vec<DVec3> =
        (0..side * side).map(|i| DVec3::new(place(i % side), 0.1 * random.f64(), place(i / side))).collect();
    let cell = |i: u32| {
        let corner = i / CELLS * side + i % CELLS;
        [[corner, corner + side, corner + 1], [corner + 1, corner + side, corner + side + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..CELLS * CELLS).flat_map(cell).collect();
    let theirs = TriMesh::new(corners.iter().map(|&p| vector(p)).collect(), triangles.clone());
    let shape = Shape::mesh(corners, triangles).expect("the ground is a mesh");
    Twin(shape, Arc::new(theirs.expect("the ground is a mesh")))
}

fn hull(random: &mut fastrand::Rng) -> Twin {
    hull_of(20, random)
}

fn large_hull(random: &mut fastrand::Rng) -> Twin {
    hull_of(32, random)
}

/// The hull of random points on a sphere.
fn hull_of(count: usize, random: &mut fastrand::Rng) -> Twin {
    let radius = size(random);
    let points: Vec<DVec3> = (0..count).map(|_| unit_vector(random) * radius).collect();
    let theirs: Vec<Vector> = points.iter().map(|&p| vector(p)).collect();
    let shape = Shape::hull(&points).expect("points on a sphere have a hull");
    Twin(shape, Arc::new(ConvexPolyhedron::from_convex_hull(&theirs).expect("points on a sphere have a hull")))
}

fn unit_vector(random: &mut fastrand::Rng) -> DVec3 {
    loop {
        let v = DVec3::new(random.f64(), random.f64(), random.f64()) * 2.0 - 1.0;
        if v.length_squared() < 1.0 && v.length_squared() > 1e-3 {
            return v.normalize();
        }
    }
}

fn unit_quaternion(random: &mut fastrand::Rng) -> DQuat {
    math::rotation_about(unit_vector(random), std::f64::consts::TAU * random.f64())
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn pose(t: &Transform) -> Pose {
    let q = t.rotation;
    Pose::from_parts(vector(t.translation), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// A pair and its poses, frame by frame.
struct Pair {
    a: Twin,
    b: Twin,
    ours: Vec<Transform>,
    theirs: Vec<Pose>,
}

struct Scene {
    pairs: Vec<Pair>,
}

impl Scene {
    fn new(a: Maker, b: Maker, setting: Setting, shift: f64, angle: f64) -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let first: Vec<Twin> = (0..SHAPES).map(|_| a(&mut random)).collect();
        let second: Vec<Twin> = (0..SHAPES).map(|_| b(&mut random)).collect();
        let pairs = (0..PAIRS)
            .map(|_| {
                let [a, b] = [&first, &second].map(|shapes| shapes[random.usize(..SHAPES)].clone());
                Pair::new(a, b, setting, shift, angle, &mut random)
            })
            .collect();
        Self { pairs }
    }

    /// Both engines must find the same contacts with nearly the same depth; prints how often they do.
    fn check_agreement(&self, name: &str) {
        let (mut same, mut touching, mut total) = (0, 0, 0);
        for pair in &self.pairs {
            for frame in 0..FRAMES {
                let ours = pair.our_depth(frame);
                let theirs = pair.their_depth(frame);
                total += 1;
                touching += usize::from(ours.is_some());
                same += usize::from(match (ours, theirs) {
                    (Some(x), Some(y)) => (x - y).abs() < 2e-3 + 0.05 * x.abs(),
                    (None, None) => true,
                    // At the very edge of the prediction either answer is right.
                    (Some(x), None) | (None, Some(x)) => x < -0.5 * PREDICTION,
                });
            }
        }
        eprintln!("{name}: {touching} of {total} in contact, the engines agree on {same}");
        // On a mesh every triangle is on its own for parry, and reports what an edge within the surface would stop.
        let expected = if name.contains("mesh") { 80 } else { 97 };
        assert!(same * 100 >= total * expected, "{name}: the engines disagree");
        assert!(touching * 2 >= total, "{name}: hardly any contacts");
    }

    fn measure(&self, table: &mut Table, name: &str, fresh: bool, recycling: f64) {
        let options = ManifoldOptions { prediction: PREDICTION, recycling, ..ManifoldOptions::default() };
        let mut our_caches = vec![PairCache::default(); PAIRS];
        let mut manifolds = Vec::new();
        let ours = |frame: usize| {
            for (pair, cache) in self.pairs.iter().zip(&mut our_caches) {
                if fresh {
                    *cache = PairCache::default();
                }
                manifolds.clear();
                let Twin(a, _) = &pair.a;
                let Twin(b, _) = &pair.b;
                contact_manifolds(a, b, &pair.ours[frame], &options, cache, &mut manifolds);
                black_box(&manifolds);
            }
        };
        let mut their_caches: Vec<ParryCache> = (0..PAIRS).map(|_| ParryCache::default()).collect();
        let theirs = |frame: usize| {
            for (pair, cache) in self.pairs.iter().zip(&mut their_caches) {
                if fresh {
                    *cache = ParryCache::default();
                }
                cache.update(pair, frame);
                black_box(&cache.manifolds);
            }
        };
        table.measure(name, FRAMES, PAIRS, ours, theirs);
    }
}

#[derive(Default)]
struct ParryCache {
    manifolds: Vec<ContactManifold<(), ()>>,
    workspace: Option<ContactManifoldsWorkspace>,
}

impl ParryCache {
    fn update(&mut self, pair: &Pair, frame: usize) {
        let (a, b) = (pair.a.1.as_ref(), pair.b.1.as_ref());
        DefaultQueryDispatcher
            .contact_manifolds(&pair.theirs[frame], a, b, PREDICTION, &mut self.manifolds, &mut self.workspace)
            .expect("both shapes are supported");
    }
}

impl Pair {
    /// A pair from 14 mm overlap to 6 mm gap (along the line of centres), moving to and fro by `shift` metres and `angle` radians a frame.
    fn new(a: Twin, b: Twin, setting: Setting, shift: f64, angle: f64, random: &mut fastrand::Rng) -> Self {
        let rotation = unit_quaternion(random);
        let mut direction = unit_vector(random);
        let mut origin = DVec3::ZERO;
        if setting == Setting::Above {
            origin = DVec3::new(direction.x, 0.0, direction.z) * (0.25 * CELL * f64::from(CELLS));
            direction = DVec3::Y;
        }
        // Where they just touch, by bisection along a line through the centres.
        let (mut near, mut far) = (0.0, 10.0);
        for _ in 0..50 {
            let middle = 0.5 * (near + far);
            let there = pose(&Transform::new(rotation, origin + direction * middle));
            let touch = intersection_test(&Pose::IDENTITY, a.1.as_ref(), &there, b.1.as_ref());
            if touch.expect("both shapes are supported").intersecting { near = middle } else { far = middle }
        }
        let start = Transform::new(rotation, origin + direction * (near + 0.02 * (random.f64() - 0.7)));
        let velocity = unit_vector(random) * shift;
        let spin = unit_vector(random) * angle;
        let ours: Vec<Transform> = (0..FRAMES)
            .map(|frame| {
                // 0, 1, … 5, 4, … −5, … −1, and again.
                let phase = (frame % 20) as f64;
                let time = 5.0 - ((phase + 5.0) % 20.0 - 10.0).abs();
                let turn = math::rotation_from_vector(spin * time);
                Transform::new((turn * start.rotation).normalize(), start.translation + velocity * time)
            })
            .collect();
        let theirs = ours.iter().map(pose).collect();
        Self { a, b, ours, theirs }
    }

    fn our_depth(&self, frame: usize) -> Option<f64> {
        let mut manifolds = Vec::new();
        let options = ManifoldOptions { prediction: PREDICTION, ..ManifoldOptions::default() };
        contact_manifolds(&self.a.0, &self.b.0, &self.ours[frame], &options, &mut PairCache::default(), &mut manifolds);
        manifolds.iter().map(|m| m.max_depth()).reduce(f64::max)
    }

    fn their_depth(&self, frame: usize) -> Option<f64> {
        let mut cache = ParryCache::default();
        cache.update(self, frame);
        let points = cache.manifolds.iter().flat_map(|m| &m.points);
        points.map(|p| -p.dist).filter(|&d| d > -PREDICTION).reduce(f64::max)
    }
}
