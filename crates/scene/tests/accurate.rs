//! The reference problems with the accurate method: `TUMBLE_CASES` names problems to be measured instead of the quick selection.

use tumble_scene::validate::{Conditions, Verdict, problems, run};

/// Problems that take less than a second each and hold the method's accuracy on everything it does.
const QUICK: [&str; 12] = [
    "projectile_exact",
    "free_top_generic",
    "iftomm_A01_simple_pendulum",
    "breakable_joint_pendulum",
    "gear_pair",
    "bouncing_ball_e1.0",
    "newtons_cradle_e1",
    "oblique_impact_sphere",
    "keyframed_pusher",
    "sphere_slide_to_roll",
    "spring_mass_damper_zeta1",
    "drag_quadratic",
];

#[test]
fn the_accurate_method_passes() {
    let asked = std::env::var("TUMBLE_CASES").unwrap_or_default();
    let is_meant = |name: &str| match asked.as_str() {
        "" => QUICK.contains(&name),
        words => words.split(',').any(|word| name.contains(word)),
    };
    let chosen: Vec<_> = problems().filter(|problem| is_meant(problem.name)).collect();
    let mut failed = Vec::new();
    run(&chosen, &Conditions { method: "accurate".into(), dt: None }, |outcome| {
        let name = outcome.problem.name;
        println!("{name}: {:.1} s", outcome.seconds);
        for finding in &outcome.findings {
            let word = finding.verdict().word();
            println!("    {word:8} {:9.2e} of {:.0e}  {}", finding.error, finding.tolerance, finding.quantity);
            if finding.verdict() != Verdict::Passed {
                failed.push(format!("{name}: {}", finding.quantity));
            }
        }
        failed.extend(outcome.trouble.map(|trouble| format!("{name}: {trouble}")));
        true
    });
    assert!(failed.is_empty(), "{failed:#?}");
}
