//! Statics: what stands carries what is above it.

use super::findings::{Findings, Within, Worst, within};
use super::lab::{Lab, Trial};
use super::{Cost, EXACT, Problem, SMOOTH, Trouble, reference_scene};

const G: f64 = 9.81;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "high_mass_ratio_stack",
        about: "ten boxes of 1 kg carry one of 1000 kg",
        cost: Cost::Quick,
        measure: ten_and_one,
    },
    Problem {
        name: "mass_ratio_stack_1_1000",
        about: "a box of 1 kg carries one of 1000 kg",
        cost: Cost::Quick,
        measure: one_and_one,
    },
    Problem { name: "sphere_stack", about: "a tower of ten balls", cost: Cost::Quick, measure: spheres },
];

fn ten_and_one(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut trial = lab.scene(reference_scene!("high_mass_ratio_stack"))?;
    trial.scene.dt = lab.either(0.25, trial.scene.dt);
    let mut names: Vec<String> = (0..10).map(|i| format!("box/{i}")).collect();
    names.push("top".into());
    let sunk = run(&mut trial, &names)?;
    forces(&trial, &names, found, within(1e-9, SMOOTH))?;
    found.absolute("way a box moves at most, m", sunk, 0.0, within(1e-9, 1e-4));
    Ok(())
}

fn one_and_one(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut trial = lab.scene(reference_scene!("mass_ratio_stack_1_1000"))?;
    let names = ["light".into(), "heavy".into()];
    run(&mut trial, &names)?;
    forces(&trial, &names, found, within(1e-10, EXACT))
}

fn spheres(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut trial = lab.scene(reference_scene!("sphere_stack"))?;
    let names: Vec<String> = (0..10).map(|i| format!("ball/{i}")).collect();
    let moved = run(&mut trial, &names)?;
    forces(&trial, &names, found, within(1e-10, EXACT))?;
    found.absolute("way a ball moves at most, m", moved, 0.0, within(1e-10, EXACT));
    Ok(())
}

/// Runs to the end; the farthest any of the bodies got from where it was.
fn run(trial: &mut Trial, names: &[String]) -> Result<f64, Trouble> {
    let starts = names.iter().map(|name| trial.position(name)).collect::<Result<Vec<_>, _>>()?;
    let mut moved: f64 = 0.0;
    trial.watch(trial.scene.duration, |trial| {
        for (name, start) in names.iter().zip(&starts) {
            moved = moved.max(trial.position(name)?.distance(*start));
        }
        Ok(())
    })?;
    Ok(moved)
}

/// The force under each body of a stack, from the bottom, is the weight of all above: relative to that.
fn forces(trial: &Trial, names: &[String], found: &mut Findings, within: Within) -> Result<(), Trouble> {
    let masses = names.iter().map(|name| Ok(trial.body(name)?.mass())).collect::<Result<Vec<f64>, Trouble>>()?;
    // What comes from below is what all contacts give, less what the next body above gives back.
    let (mut above, mut shares) = (0.0, Vec::new());
    for (index, name) in names.iter().enumerate().rev() {
        let force = trial.scene.world.contact_wrench(trial.id(name)?)?.force.y + above;
        shares.push((index, force));
        above = force;
    }
    let mut worst = Worst::default();
    for (index, force) in shares {
        let exact = G * masses[index..].iter().sum::<f64>();
        worst.see(format!("under body {}", index + 1), force / exact, 1.0);
        if index == 0 {
            found.relative("force on the ground, N", force, exact, within);
        }
    }
    found.worst("forces, of the weight above", worst, within);
    Ok(())
}
