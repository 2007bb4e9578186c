//! The reference problems: all are there, and what is known of each of them still holds.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use tumble_scene::Loader;
use tumble_scene::validate::{Conditions, Cost, Outcome, Verdict, problems, run};

/// By topic, as `tumble validate --list` shows them.
const NAMES: [&str; 48] = [
    "projectile_exact",
    "free_top_generic",
    "gyroscope_steady_precession",
    "physical_pendulum_rod_10deg",
    "physical_pendulum_rod_90deg",
    "iftomm_A01_simple_pendulum",
    "breakable_joint_pendulum",
    "double_pendulum_rods",
    "chain_3",
    "chain_25",
    "slider_crank_kinematic",
    "slider_crank_dynamic",
    "four_bar_kinematic",
    "iftomm_A02_2_four_bar",
    "andrews_squeezer",
    "universal_joint",
    "gear_pair",
    "falling_cat_planar",
    "bouncing_ball_e1.0",
    "bouncing_ball_e0.8",
    "newtons_cradle_e1",
    "newtons_cradle_e0.9",
    "oblique_impact_sphere",
    "keyframed_pusher",
    "rod_oblique_impact",
    "block_incline",
    "box_tip_threshold",
    "painleve_rod",
    "sphere_slide_to_roll",
    "rolling_down_incline",
    "rolling_resistance_sphere",
    "euler_disk_steady",
    "tippe_top",
    "domino_wave_h0.0433_d0.0075_s0.02",
    "domino_wave_h1_d0.1_s0.5",
    "high_mass_ratio_stack",
    "mass_ratio_stack_1_1000",
    "sphere_stack",
    "buoyancy_box",
    "drag_linear",
    "drag_quadratic",
    "vortex_centripetal_orbit",
    "spring_mass_damper_zeta0",
    "spring_mass_damper_zeta0.1",
    "spring_mass_damper_zeta1",
    "soft_constraint_5Hz_z0.3",
    "mass_properties_polyhedra",
    "mass_properties_primitives",
];

#[test]
fn every_reference_problem_is_there_and_in_the_report() {
    let names: Vec<&str> = problems().map(|problem| problem.name).collect();
    assert_eq!(names, NAMES);
    let report = include_str!("../../../docs/validation.md");
    names
        .iter()
        .for_each(|name| assert!(report.contains(&format!("| {name} |")), "{name} is not in docs/validation.md"));
}

/// Nothing fails, and what is said not to be reached is not: who improves a method takes the remark away. The slow problems are
/// looked at if `TUMBLE_CASES` is set.
#[test]
fn the_verdicts_are_as_they_are_known() {
    let is_due = std::env::var("TUMBLE_CASES").is_ok();
    let chosen: Vec<_> = problems().filter(|problem| is_due || problem.cost == Cost::Quick).collect();
    let mut complaints = Vec::new();
    run(&chosen, &Conditions::default(), |Outcome { problem, findings, trouble, .. }| {
        complaints.extend(trouble.map(|trouble| format!("{}: {trouble}", problem.name)));
        assert!(complaints.last().is_some() || !findings.is_empty(), "{} finds nothing", problem.name);
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
