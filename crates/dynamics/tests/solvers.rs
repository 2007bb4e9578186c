//! All solvers on the same small problems: against the exact answer, and against what makes an answer one.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DVec2, DVec3};
use tumble_dynamics::constraint::{Ball, Jacobian};
use tumble_dynamics::geometry::{MassProperties, Shape};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::solver::{
    BiconjugateGradients, Bounds, ConstraintSolver, DeepestFirst, Direct, Lemke, Problem, ProjectedGaussSeidel,
    Relaxation, Sequential, SequentialImpulses, SolverBody, SolverRow,
};
use tumble_dynamics::{Body, BodyId, Material, World};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 240.0;

/// A solver as its users find it, and how well it does.
struct Usual {
    name: &'static str,
    method: fn() -> Retroactive,
    /// How far a box at rest may be off, in metres.
    rest: f64,
    /// How far a box in a stack of ten may be off, in metres.
    stack: f64,
    /// How far a sliding block may be off, of its way.
    slide: f64,
    /// How far the joint of a pendulum may open, in metres.
    joint: f64,
    /// How far its speed may be off, of itself.
    speed: f64,
}

const SOLVERS: [Usual; 8] = [
    Usual {
        name: "direct",
        method: || Retroactive::new().with_solver(Direct::default()),
        rest: 1e-12,
        stack: 1e-5,
        slide: 1e-5,
        joint: 1e-9,
        speed: 1e-4,
    },
    Usual {
        name: "sequential_impulses",
        method: || Retroactive::new().with_solver(SequentialImpulses::default()),
        rest: 1e-12,
        stack: 1e-5,
        slide: 1e-5,
        joint: 1e-9,
        speed: 1e-4,
    },
    Usual {
        name: "lemke",
        method: || Retroactive::new().with_solver(Lemke::default()),
        rest: 1e-12,
        // Which of four corners bear is arbitrary, and another choice in every step.
        stack: 2e-3,
        slide: 1e-5,
        joint: 1e-9,
        speed: 1e-4,
    },
    Usual {
        name: "projected_gauss_seidel",
        method: || Retroactive::new().with_solver(ProjectedGaussSeidel::default()),
        rest: 1e-12,
        stack: 1e-5,
        slide: 1e-5,
        joint: 1e-9,
        speed: 1e-4,
    },
    Usual {
        name: "biconjugate_gradients",
        method: || Retroactive::new().with_solver(BiconjugateGradients::default()),
        rest: 1e-12,
        stack: 1e-5,
        slide: 1e-5,
        joint: 1e-9,
        speed: 1e-4,
    },
    Usual {
        name: "relaxation",
        method: || Retroactive::new().with_solver(Relaxation::default()),
        rest: 1e-12,
        stack: 1e-6,
        slide: 1e-3,
        joint: 3e-3,
        speed: 1e-3,
    },
    Usual {
        name: "deepest_first",
        method: || Retroactive::new().with_solver(DeepestFirst::default()),
        rest: 1e-9,
        stack: 1e-3,
        slide: 1e-5,
        joint: 1e-3,
        speed: 1e-3,
    },
    Usual {
        name: "sequential",
        method: || Retroactive::new().with_solver(Sequential::default()),
        rest: 1e-5,
        stack: 2e-3,
        slide: 1e-2,
        joint: 5e-2,
        speed: 2e-2,
    },
];

fn with_ground(solver: &Usual, material: Material) -> World {
    let mut world = World::with_method((solver.method)());
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material)).unwrap();
    world
}

fn cube(side: f64, material: Material) -> Body {
    Body::dynamic().with_shape(Shape::cuboid(DVec3::splat(0.5 * side)).unwrap()).with_material(material).without_sleep()
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
    }
}

/// How far a box of a stack is from its place after three seconds, in metres.
fn sinking(solver: &Usual, count: usize) -> f64 {
    let mut world = with_ground(solver, Material::default());
    let place = |k: usize| DVec3::Y * (k as f64 + 0.5);
    let ids: Vec<BodyId> =
        (0..count).map(|k| world.add_body(cube(1.0, Material::default()).at(place(k))).unwrap()).collect();
    run(&mut world, 3.0);
    let off = ids.iter().enumerate().map(|(k, &id)| (world.body(id).unwrap().position() - place(k)).length());
    off.fold(0.0, f64::max)
}

#[test]
fn a_box_rests() {
    for solver in &SOLVERS {
        let off = sinking(solver, 1);
        assert!(off < solver.rest, "{}: {off:e} m", solver.name);
    }
}

#[test]
fn ten_boxes_stand() {
    for solver in &SOLVERS {
        let off = sinking(solver, 10);
        assert!(off < solver.stack, "{}: {off:e} m", solver.name);
    }
}

/// A block that slides comes to rest after v²/(2 μ g).
#[test]
fn a_block_slides_as_far_as_friction_lets_it() {
    let material = Material::default();
    for solver in &SOLVERS {
        let mut world = with_ground(solver, material);
        let block = world.add_body(cube(0.2, material).at([0.0, 0.1, 0.0]).with_velocity([2.0, 0.0, 0.0])).unwrap();
        run(&mut world, 1.0);
        let (way, exact) = (world.body(block).unwrap().position().x, 2.0 * 2.0 / (2.0 * 0.5 * G));
        assert!((way / exact - 1.0).abs() < solver.slide, "{}: {way} m instead of {exact}", solver.name);
    }
}

/// A point on a massless rod, let go at a right angle, passes its lowest place with v = √(2 g l), if the rod holds.
#[test]
fn a_pendulum_hangs_on_its_joint() {
    for solver in &SOLVERS {
        let mut world = World::with_method((solver.method)());
        let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia: DMat3::IDENTITY * 1e-3 };
        let bob =
            world.add_body(Body::dynamic().with_mass_properties(mass).at([1.0, 0.0, 0.0]).without_sleep()).unwrap();
        let joint = world.add_joint(Joint::new(JointEnd::World, bob, Ball::at(DVec3::ZERO))).unwrap();
        let (mut open, mut fastest): (f64, f64) = (0.0, 0.0);
        for _ in 0..(1.0 / DT) as usize {
            world.step(DT).unwrap();
            let [a, b] = world.joint(joint).unwrap().anchors();
            open = open.max((a - b).length());
            fastest = fastest.max(world.body(bob).unwrap().velocity().length());
        }
        // m v²/2 + I ω²/2 with ω = v/l.
        let exact = (2.0 * G / (1.0 + 1e-3)).sqrt();
        assert!(open < solver.joint, "{}: the joint opens by {open:e} m", solver.name);
        let off = (fastest / exact - 1.0).abs();
        assert!(off < solver.speed, "{}: {fastest} m/s instead of {exact}", solver.name);
    }
}

fn vector(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| 2.0 * random.f64() - 1.0))
}

fn random_body(random: &mut fastrand::Rng) -> SolverBody {
    SolverBody {
        inverse_mass: 0.5 + random.f64(),
        inverse_inertia: DMat3::from_diagonal(DVec3::ONE + 0.5 * vector(random)),
        velocity: vector(random),
        angular_velocity: vector(random),
    }
}

/// Bodies at random, and rows between them that hold, push only, or are limited.
fn random_problem(random: &mut fastrand::Rng) -> (Vec<SolverBody>, Vec<SolverRow>) {
    let bodies: Vec<SolverBody> = (0..4).map(|_| random_body(random)).collect();
    let rows = (0..6)
        .map(|_| {
            let one = random.usize(0..4);
            let other = (one + random.usize(1..4)) % 4;
            let bounds = match random.u8(0..4) {
                0 => Bounds::Free,
                1 => Bounds::Range { min: -0.2, max: 0.1 },
                _ => Bounds::NonNegative,
            };
            let jacobian = Jacobian {
                linear: std::array::from_fn(|_| vector(random)),
                angular: std::array::from_fn(|_| vector(random)),
            };
            let (bias, gamma) = (random.f64() - 0.5, if random.u8(0..4) == 0 { 0.1 } else { 0.0 });
            let impulse = random.f64();
            SolverRow {
                bodies: [one, other],
                jacobian,
                bias,
                gamma,
                bounds,
                error: bias,
                weight: 1.0,
                turn: 0.0,
                impulse,
            }
        })
        .collect();
    (bodies, rows)
}

/// How far rows are from the complementarity conditions: within bounds, and `J v + b + γ λ` zero, or pushing against the bound.
fn incomplementarity(bodies: &[SolverBody], rows: &[SolverRow]) -> f64 {
    let of_row = |row: &SolverRow| {
        let excess = row.rate(bodies) + row.bias + row.gamma * row.impulse;
        let (min, max) = match row.bounds {
            Bounds::NonNegative => (0.0, f64::INFINITY),
            Bounds::Range { min, max } => (min, max),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        // The natural map: λ = clamp(λ − excess).
        ((row.impulse - excess).max(min).min(max) - row.impulse).abs()
    };
    rows.iter().map(of_row).fold(0.0, f64::max)
}

/// With enough rounds, all solve random linear complementarity problems, to the same velocities.
#[test]
fn all_agree_on_random_problems() {
    let mut solvers: [Box<dyn ConstraintSolver>; 8] = [
        Box::new(Lemke::new(1, 0.0)),
        Box::new(BiconjugateGradients::new(1, 0.0)),
        Box::new(ProjectedGaussSeidel::new(5000, 1e-15)),
        Box::new(Direct { iterations: 5000, tolerance: 1e-14, ..Direct::default() }),
        Box::new(SequentialImpulses { iterations: 5000, tolerance: 1e-14, ..SequentialImpulses::default() }),
        Box::new(Relaxation { rounds: 10_000, fraction: Some(0.2), ..Relaxation::default() }),
        Box::new(DeepestFirst { passes: 5000, ..DeepestFirst::default() }),
        Box::new(Sequential { rounds: 5000, fraction: Some(1.0), ..Sequential::default() }),
    ];
    let mut random = fastrand::Rng::with_seed(21);
    for case in 0..100 {
        let (bodies, rows) = random_problem(&mut random);
        let mut first: Option<Vec<SolverBody>> = None;
        for solver in &mut solvers {
            let (mut bodies, mut rows) = (bodies.clone(), rows.clone());
            solver.solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
            let left = incomplementarity(&bodies, &rows);
            let exact = ["Lemke", "Biconj", "Projec"].iter().any(|name| format!("{solver:?}").starts_with(name));
            assert!(left < if exact { 1e-10 } else { 1e-7 }, "case {case}: {solver:?} leaves {left:e}");
            let first = first.get_or_insert_with(|| bodies.clone());
            for (a, b) in first.iter().zip(&bodies) {
                let apart = (a.velocity - b.velocity).length() + (a.angular_velocity - b.angular_velocity).length();
                assert!(apart < 1e-6, "case {case}: {solver:?} is {apart:e} m/s from the first");
            }
        }
    }
}

/// A tonne on a gram on the floor, with nothing but rows that push: Lemke's algorithm is exact where sweeps would need a million rounds.
#[test]
fn masses_do_not_matter_to_lemke() {
    let body = |inverse_mass: f64| SolverBody {
        inverse_mass,
        inverse_inertia: DMat3::ZERO,
        velocity: if inverse_mass > 0.0 { -DVec3::Y } else { DVec3::ZERO },
        angular_velocity: DVec3::ZERO,
    };
    let mut bodies = vec![body(0.0), body(1000.0), body(0.001)];
    let row = |bodies: [usize; 2]| SolverRow {
        bodies,
        jacobian: Jacobian { linear: [-DVec3::Y, DVec3::Y], angular: [DVec3::ZERO; 2] },
        bias: 0.0,
        gamma: 0.0,
        bounds: Bounds::NonNegative,
        error: 0.0,
        weight: 1.0,
        turn: 0.0,
        impulse: 0.0,
    };
    let mut rows = vec![row([0, 1]), row([1, 2])];
    Lemke::new(1, 0.0).solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
    assert!(bodies.iter().all(|body| body.velocity.length() < 1e-9), "{bodies:?}");
    let pushes = [rows[0].impulse, rows[1].impulse];
    // The matrix has a condition of 4 million.
    assert!((pushes[0] - 1000.001).abs() < 1e-5 && (pushes[1] - 1000.0).abs() < 1e-5, "{pushes:?}");
}

/// What a solver remembers does not show: one that has solved other problems gives the same bits as a new one.
#[test]
fn what_is_remembered_does_not_show() {
    let mut random = fastrand::Rng::with_seed(22);
    let problems: Vec<_> = (0..40).map(|_| random_problem(&mut random)).collect();
    let solve = |solver: &mut dyn ConstraintSolver, (bodies, rows): &(Vec<SolverBody>, Vec<SolverRow>)| {
        let (mut bodies, mut rows) = (bodies.clone(), rows.clone());
        let reached = solver.solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
        (bodies, rows, reached)
    };
    let mut used = Direct::default();
    for round in 0..2 {
        for problem in &problems {
            let (kept, fresh) = (solve(&mut used, problem), solve(&mut Direct::default(), problem));
            assert_eq!(kept, fresh, "round {round}");
        }
    }
}

/// Bodies and a floor, and between them as many contacts of one to six points at random.
fn random_contacts(random: &mut fastrand::Rng, count: usize) -> (Vec<SolverBody>, Vec<SolverRow>) {
    let mut bodies: Vec<SolverBody> = (0..count).map(|_| random_body(random)).collect();
    let still = SolverBody {
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    bodies.push(still);
    let mut rows: Vec<SolverRow> = Vec::new();
    for _ in 0..count {
        let one = random.usize(0..=count);
        let other = (one + random.usize(1..=count)) % (count + 1);
        let n = vector(random).normalize();
        let u = n.any_orthonormal_vector();
        let friction = random.f64();
        for _ in 0..random.usize(1..7) {
            let levers = [n + vector(random), vector(random) - n];
            let normal = rows.len();
            let slip = Bounds::Cone { normal, rows: 2, stick: friction, slip: friction };
            let bounds = [Bounds::NonNegative, slip, Bounds::ConeMember];
            let bias = if random.bool() { 0.0 } else { 0.5 * random.f64() };
            for (k, direction) in [n, u, n.cross(u)].into_iter().enumerate() {
                let angular = [-levers[0].cross(direction), levers[1].cross(direction)];
                rows.push(SolverRow {
                    bodies: [one, other],
                    jacobian: Jacobian { linear: [-direction, direction], angular },
                    bias: if k == 0 { bias } else { 0.0 },
                    gamma: 0.0,
                    bounds: bounds[k],
                    error: 0.0,
                    weight: 1.0,
                    turn: 0.0,
                    impulse: 0.0,
                });
            }
        }
    }
    (bodies, rows)
}

/// How far contacts are from Coulomb's law: no approach, pressure only where there is no separation, and friction that either
/// holds the point or is as strong as it can be and opposes its velocity.
fn against_coulomb(bodies: &[SolverBody], rows: &[SolverRow]) -> f64 {
    let of_point = |rows: &[SolverRow]| {
        let excess: Vec<f64> = rows.iter().map(|row| row.rate(bodies) + row.bias).collect();
        let Bounds::Cone { slip, .. } = rows[1].bounds else { return f64::NAN };
        let pressure = rows[0].impulse;
        // The natural maps: λ is the nearest allowed to λ − excess.
        let normal = (pressure - excess[0]).max(0.0) - pressure;
        let held = DVec2::new(rows[1].impulse, rows[2].impulse);
        let wanted = held - DVec2::new(excess[1], excess[2]);
        let friction = (wanted.clamp_length_max(slip * pressure) - held).length();
        normal.abs().max(friction)
    };
    rows.chunks_exact(3).map(of_point).fold(0.0, |most, off| if off <= most { most } else { off })
}

/// Contacts are solved in groups, of bodies that have nothing to do with each other; that does not show.
#[test]
fn contacts_obey_coulomb() {
    let mut random = fastrand::Rng::with_seed(23);
    for case in 0..8 {
        let (bodies, rows) = random_contacts(&mut random, 40);
        let mut solvers: [Box<dyn ConstraintSolver>; 3] = [
            Box::new(Direct { iterations: 10_000, tolerance: 1e-14, ..Direct::default() }),
            Box::new(SequentialImpulses { iterations: 10_000, tolerance: 1e-14, ..SequentialImpulses::default() }),
            Box::new(DeepestFirst { passes: 10_000, ..DeepestFirst::default() }),
        ];
        for solver in &mut solvers {
            let (mut bodies, mut rows) = (bodies.clone(), rows.clone());
            solver.solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
            let off = against_coulomb(&bodies, &rows);
            assert!(off < 1e-7, "case {case}: {solver:?} is off by {off:e}");
        }
    }
}

/// The classic solvers, which take turns with friction.
#[test]
fn contacts_obey_coulomb_by_complementarity() {
    let mut random = fastrand::Rng::with_seed(24);
    for case in 0..20 {
        let (bodies, rows) = random_contacts(&mut random, 8);
        let mut solvers: [Box<dyn ConstraintSolver>; 3] = [
            Box::new(Lemke::new(5000, 1e-13)),
            Box::new(ProjectedGaussSeidel::new(5000, 1e-13)),
            Box::new(BiconjugateGradients::new(5000, 1e-13)),
        ];
        for solver in &mut solvers {
            let (mut bodies, mut rows) = (bodies.clone(), rows.clone());
            let reached = solver.solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
            let off = against_coulomb(&bodies, &rows);
            assert!(off < 1e-7, "case {case}, {} rows: {solver:?} is off by {off:e}, {reached:?}", rows.len());
        }
    }
}

/// More rows than a matrix is made for: as sequential impulses do it.
#[test]
fn large_problems_are_swept() {
    let (bodies, rows) = random_contacts(&mut fastrand::Rng::with_seed(25), 60);
    assert!(rows.len() > 240, "{}", rows.len());
    let solve = |solver: &mut dyn ConstraintSolver| {
        let (mut bodies, mut rows) = (bodies.clone(), rows.clone());
        solver.solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
        bodies
    };
    assert_eq!(solve(&mut Lemke::default()), solve(&mut SequentialImpulses::default()));
}
