//! Friction: sliding, sticking, tipping, and Painlevé's rod.

use super::findings::{Findings, Worst, within};
use super::lab::Lab;
use super::{Cost, EXACT, Problem, SMOOTH, Trouble, reference_scene};
use glam::DVec3;

const G: f64 = 9.81;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "block_incline",
        about: "a block on a slope of 30° slides or stays",
        cost: Cost::Quick,
        measure: block,
    },
    Problem {
        name: "box_tip_threshold",
        about: "when a box on a slope, or pushed at its top, tips and when it slides",
        cost: Cost::Quick,
        measure: tipping,
    },
    Problem {
        name: "painleve_rod",
        about: "a rod that friction presses into the ground it slides on",
        cost: Cost::Quick,
        measure: painleve,
    },
];

/// Slides with a = g (sin θ − μ cos θ), stays if μ ≥ tan θ.
fn block(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let slid = |mu: f64| -> Result<(f64, f64), Trouble> {
        let settings = [format!("materials.wood.friction={mu:?}")];
        let mut trial = lab.scene_with(reference_scene!("block_incline"), &settings)?;
        trial.scene.dt = lab.either(0.1, trial.scene.dt);
        trial.run()?;
        Ok((trial.position("block")?.x, trial.velocity("block")?.x))
    };
    let (sin, cos) = (0.5, 0.75_f64.sqrt());
    let (way, speed) = slid(0.3)?;
    let a = G * (sin - 0.3 * cos);
    found.relative("acceleration at μ = 0.3, m/s²", speed / 2.0, a, within(1e-10, EXACT));
    found.relative("way in 2 s at μ = 0.3, m", way, 2.0 * a, within(1e-10, EXACT));
    found.absolute("creep in 2 s at μ = 0.6, m", slid(0.6)?.0, 0.0, within(1e-12, EXACT));
    let still = lab.either(1e-10, 1e-9);
    let critical = lab.threshold([0.5, 0.6], |mu| Ok(slid(mu)?.1 < still))?;
    // In steps as far as the threshold is looked for, and sliding is told from resting.
    found.relative("least friction that holds it", critical, sin / cos, within(1e-10, 1e-5));
    Ok(())
}

/// On a slope it tips at tan θ = w/h if μ is larger. Pushed at the height H it tips at F = m g w/(2H) if μ > w/(2H), and
/// otherwise slides at F = μ m g.
fn tipping(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let run = |gravity: [f64; 2], force: f64, mu: f64| -> Result<(f64, f64), Trouble> {
        let settings = [
            format!("gravity=[{:?}, {:?}, 0.0]", gravity[0], gravity[1]),
            format!("forces.push.point.force=[{force:?}, 0.0, 0.0]"),
            format!("materials.rough.friction={mu:?}"),
        ];
        let mut trial = lab.scene_with(reference_scene!("box_tip_threshold"), &settings)?;
        trial.scene.dt = lab.either(0.1, trial.scene.dt);
        trial.run_to(1.0)?;
        let body = trial.body("box")?;
        // Of the edge over which it would tip.
        let edge = body.state().velocity_at(body.pose().point(DVec3::new(0.25, -0.5, 0.0)));
        Ok((edge.x, body.rotation().xyz().length()))
    };
    let slope = |theta: f64| [G * libm::sin(theta), -G * libm::cos(theta)];
    let still = lab.either(1e-9, 1e-6);
    let (tips, slides) = (|(_, turned): (f64, f64)| turned > still, |(speed, _): (f64, f64)| speed > still);
    // In steps thresholds are looked for to 1e-6; a second of falling over shows 1e-5 beyond them, no less.
    let within = within(1e-9, 1e-4);
    let angle = lab.threshold([0.4, 0.5], |theta| Ok(tips(run(slope(theta), 0.0, 2.0)?)))?;
    found.relative("angle at which it tips, °", angle.to_degrees(), libm::atan(0.5).to_degrees(), within);
    // At the angle at which it would tip it slides with less friction than this.
    let at_threshold = slope(libm::atan(0.5));
    let least = lab.threshold([0.4, 0.6], |mu| Ok(!slides(run(at_threshold, 0.0, mu)?)))?;
    found.relative("least friction for tipping on a slope", least, 0.5, within);
    let force = lab.threshold([2.0, 3.0], |force| Ok(tips(run([0.0, -G], force, 0.5)?)))?;
    found.relative("force at the top that tips it, N", force, G / 4.0, within);
    let least = lab.threshold([0.2, 0.3], |mu| Ok(!slides(run([0.0, -G], G / 4.0, mu)?)))?;
    found.relative("least friction for tipping by a push", least, 0.25, within);
    Ok(())
}

/// The rod, at the angle θ, slides towards the side from which it leans. The ground has to push with N = m g/A,
/// A = 1 + 3 cos²θ − 3 μ sin θ cos θ. So 1/N falls in proportion to μ, and where it reaches zero, at μ_c, no force will do.
fn painleve(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut worst = Worst::default();
    let mut most_energy: f64 = 0.0;
    for degrees in [30.0, 45.0, 60.0, libm::atan(2.0).to_degrees(), 75.0] {
        let (sin, cos) = libm::sincos(f64::to_radians(degrees));
        let critical = (1.0 + 3.0 * cos * cos) / (3.0 * sin * cos);
        let place = |mu: f64| {
            let settings = [
                format!("materials.chalk.friction={mu:?}"),
                format!("bodies.rod.position=[0.0, {sin:?}, 0.0]"),
                format!(
                    "bodies.rod.colliders=[{{ shape.sphere.radius = 0.001, position = [{:?}, {:?}, 0.0] }}]",
                    -cos,
                    -sin + 0.001
                ),
            ];
            lab.scene_with(reference_scene!("painleve_rod"), &settings)
        };
        let inverse_force = |mu: f64| -> Result<f64, Trouble> {
            let mut trial = place(mu)?;
            // One with error control tells the force at the end of the step.
            trial.scene.dt = lab.either(1e-12, trial.scene.dt);
            trial.step()?;
            Ok(1.0 / trial.scene.world.contact_wrench(trial.id("rod")?)?.force.y)
        };
        let (low, high) = (0.25 * critical, 0.5 * critical);
        let (at_low, at_high) = (inverse_force(low)?, inverse_force(high)?);
        let measured = low + (high - low) * at_low / (at_low - at_high);
        worst.see(format!("{degrees:.4}°"), measured, critical);
        // Where no force will do an impulse has to: the rod stops sliding at once.
        let mut trial = place(1.5 * critical)?;
        let start = trial.energy();
        let mut highest: f64 = 0.0;
        trial.watch(0.3, |trial| {
            highest = highest.max(trial.energy() / start);
            Ok(())
        })?;
        most_energy = most_energy.max(highest);
    }
    // The force is the mean over the first step, in which the rod begins to turn.
    found.worst("friction μ_c from which no force will do", worst, within(1e-9, SMOOTH));
    found.at_most("energy beyond μ_c, then and before, at most", most_energy, 1.0, within(1e-9, EXACT));
    Ok(())
}
