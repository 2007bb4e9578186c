//! The reference problems: all are there, and what is known of each of them still holds.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use tumble_scene::Loader;
use tumble_scene::validate::{Conditions, Cost, Outcome, Verdict, problems, run};

/// By topic, as `tumble validate --list` shows them, each with the tolerance that its reference solution gives for methods with error
/// control: the loosest, if there are several.
const PROBLEMS: [(&str, f64); 48] = [
    ("projectile_exact", 1e-14),
    ("free_top_generic", 1e-9),
    ("gyroscope_steady_precession", 1e-9),
    ("physical_pendulum_rod_10deg", 1e-9),
    ("physical_pendulum_rod_90deg", 1e-9),
    ("iftomm_A01_simple_pendulum", 1e-9),
    ("breakable_joint_pendulum", 1e-9),
    ("double_pendulum_rods", 1e-6),
    ("chain_3", 1e-8),
    ("chain_25", 1e-5),
    ("slider_crank_kinematic", 1e-9),
    ("slider_crank_dynamic", 1e-8),
    ("four_bar_kinematic", 1e-10),
    ("iftomm_A02_2_four_bar", 1e-7),
    ("andrews_squeezer", 1e-8),
    ("universal_joint", 1e-9),
    ("gear_pair", 1e-10),
    ("falling_cat_planar", 1e-9),
    ("bouncing_ball_e1.0", 1e-12),
    ("bouncing_ball_e0.8", 1e-12),
    ("newtons_cradle_e1", 1e-12),
    ("newtons_cradle_e0.9", 1e-12),
    ("oblique_impact_sphere", 1e-12),
    ("keyframed_pusher", 1e-12),
    ("rod_oblique_impact", 1e-12),
    ("block_incline", 1e-10),
    ("box_tip_threshold", 1e-9),
    ("painleve_rod", 1e-9),
    ("sphere_slide_to_roll", 1e-9),
    ("rolling_down_incline", 1e-10),
    ("rolling_resistance_sphere", 1e-9),
    ("euler_disk_steady", 1e-8),
    ("tippe_top", 0.05),
    ("domino_wave_h0.0433_d0.0075_s0.02", 0.02),
    ("domino_wave_h1_d0.1_s0.5", 0.02),
    ("high_mass_ratio_stack", 1e-9),
    ("mass_ratio_stack_1_1000", 1e-10),
    ("sphere_stack", 1e-10),
    ("buoyancy_box", 1e-9),
    ("drag_linear", 1e-12),
    ("drag_quadratic", 1e-12),
    ("vortex_centripetal_orbit", 1e-9),
    ("spring_mass_damper_zeta0", 1e-12),
    ("spring_mass_damper_zeta0.1", 1e-12),
    ("spring_mass_damper_zeta1", 1e-12),
    ("soft_constraint_5Hz_z0.3", 1e-9),
    ("mass_properties_polyhedra", 1e-13),
    ("mass_properties_primitives", 1e-14),
];

#[test]
fn every_reference_problem_is_there_and_in_the_report() {
    let names: Vec<&str> = problems().map(|problem| problem.name).collect();
    assert_eq!(names, PROBLEMS.map(|(name, _)| name));
    let report = include_str!("../../../docs/validation.md");
    names
        .iter()
        .for_each(|name| assert!(report.contains(&format!("| {name} |")), "{name} is not in docs/validation.md"));
}

/// Nothing fails, the tolerances of accurate methods are those of the reference, and what is said not to be reached is not: who improves a method takes the remark away. The slow problems are
/// looked at if `TUMBLE_CASES` is set.
#[test]
fn the_verdicts_are_as_they_are_known() {
    let is_due = std::env::var("TUMBLE_CASES").is_ok();
    let chosen: Vec<_> = problems().filter(|problem| is_due || problem.cost == Cost::Quick).collect();
    let mut complaints = Vec::new();
    run(&chosen, &Conditions::default(), |Outcome { problem, findings, trouble, .. }| {
        complaints.extend(trouble.map(|trouble| format!("{}: {trouble}", problem.name)));
        assert!(complaints.last().is_some() || !findings.is_empty(), "{} finds nothing", problem.name);
        let reference = PROBLEMS.iter().find(|(name, _)| *name == problem.name).map(|&(_, tolerance)| tolerance);
        let loosest = findings.iter().map(|finding| finding.accurate_tolerance).fold(0.0, f64::max);
        if reference != Some(loosest) {
            complaints
                .push(format!("{} allows accurate methods {loosest:e}, its reference {reference:?}", problem.name));
        }
        for finding in findings {
            let complaint = match (finding.verdict(), finding.limit) {
                (Verdict::Failed, _) => "failed",
                (Verdict::Passed, Some(_)) => "is reached and said not to be",
                _ => continue,
            };
            complaints.push(format!("{} {complaint}: {finding:#?}", problem.name));
        }
        true
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_scene_is_worth_looking_at() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/reference");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 35, "{} scenes", paths.len());
    for path in paths {
        let mut scene = Loader::new().load(&path).unwrap_or_else(|report| panic!("{report}"));
        assert!(scene.description.ends_with('.') && scene.camera.is_some(), "{}", path.display());
        for _ in 0..10 {
            scene.world.step(scene.dt).unwrap();
        }
    }
}
