//! Impacts.

use super::findings::{Findings, Worst, within};
use super::lab::{Lab, Trial};
use super::{Cost, EXACT, Problem, SMOOTH, Trouble, reference_scene};

const G: f64 = 9.81;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "bouncing_ball_e1.0",
        about: "heights and times of a ball that bounces without loss",
        cost: Cost::Quick,
        measure: |lab, found| bouncing(lab, found, 1.0),
    },
    Problem {
        name: "bouncing_ball_e0.8",
        about: "heights and times of a ball that bounces with ε = 0.8 and comes to rest",
        cost: Cost::Quick,
        measure: |lab, found| bouncing(lab, found, 0.8),
    },
    Problem {
        name: "newtons_cradle_e1",
        about: "five balls in a row, ε = 1: one after the other, and touching",
        cost: Cost::Quick,
        measure: |lab, found| cradle(lab, found, 1.0),
    },
    Problem {
        name: "newtons_cradle_e0.9",
        about: "five balls in a row, ε = 0.9: one after the other, and touching",
        cost: Cost::Quick,
        measure: |lab, found| cradle(lab, found, 0.9),
    },
    Problem {
        name: "oblique_impact_sphere",
        about: "a spinning ball hits the ground at an angle: sliding or sticking",
        cost: Cost::Quick,
        measure: oblique_sphere,
    },
    Problem {
        name: "keyframed_pusher",
        about: "a body on a path of its own pushes a block",
        cost: Cost::Quick,
        measure: pusher,
    },
    Problem {
        name: "rod_oblique_impact",
        about: "a rod hits the ground with one end: 48 cases by Routh's method",
        cost: Cost::Quick,
        measure: super::rod_impact::measure,
    },
];

/// Peaks at e²ⁿ h, impacts at √(2h/g) (1 + 2e + … + 2eⁿ), at rest after √(2h/g) (1 + e)/(1 − e).
///
/// A peak is read from height and speed in flight, h = y + v²/2g; the moment of an impact by going back along the parabola.
fn bouncing(lab: &Lab, found: &mut Findings, e: f64) -> Result<(), Trouble> {
    let settings = [format!("materials.ball.restitution={e:?}")];
    let mut trial = lab.scene_with(reference_scene!("bouncing_ball"), &settings)?;
    let (mut peaks, mut times, mut falling) = (Vec::new(), Vec::new(), true);
    let mut last_impact = f64::NAN;
    trial.watch(trial.scene.duration, |trial| {
        last_impact = trial.scene.world.events().impacts.last().map_or(last_impact, |impact| impact.time);
        let (gap, speed) = (trial.position("ball")?.y - 0.1, trial.velocity("ball")?.y);
        // Two steps after a bounce the ball is surely in the air.
        if falling && speed > 0.0 && gap > trial.scene.dt * speed {
            let launch = (speed * speed + 2.0 * G * gap).sqrt();
            peaks.push(launch * launch / (2.0 * G));
            times.push(trial.time() - (launch - speed) / G);
            falling = false;
        }
        falling |= speed < 0.0;
        Ok(())
    })?;
    let first = (2.0 / G).sqrt();
    let (mut power, mut time) = (1.0, first);
    let (mut worst_peak, mut worst_time) = (Worst::relative(), Worst::default());
    for n in 0..6 {
        power *= e;
        let [peak, moment] = [&peaks, &times].map(|list| list.get(n).copied().unwrap_or(f64::NAN));
        worst_time.see(format!("{}.", n + 1), moment, time);
        if n < 5 || e < 1.0 {
            worst_peak.see(format!("{}.", n + 1), peak, power * power);
        }
        time += 2.0 * power * first;
    }
    found.worst("heights of the peaks, m", worst_peak, within(1e-12, SMOOTH));
    // A bounce happens at the end of the step in which the ball lands: each is late by up to a step.
    found.worst("moments of the impacts, s", worst_time, within(1e-12, 6.0 * trial.scene.dt));
    if e < 1.0 {
        let seen = times.last().copied().unwrap_or(f64::NAN);
        let rest = if lab.conditions().is_accurate() { last_impact } else { seen };
        let zeno = first * (1.0 + e) / (1.0 - e);
        // Late by up to a step for each of 24 bounces; then those slower than 2 cm/s are left out, which would take another
        // 2 e v/(g (1 − e)) = 16 ms.
        found.absolute("moment at which it is at rest, s", rest, zeno, within(1e-12, 0.02));
        let force = trial.scene.world.contact_wrench(trial.id("ball")?)?.force.y;
        found.relative("force of the ground after that, N", force, G, within(1e-12, EXACT));
        found.absolute("speed after that, m/s", trial.velocity("ball")?.y, 0.0, within(1e-12, EXACT));
    }
    Ok(())
}

/// With gaps the balls meet in pairs: v₁, v₂ become (v₁ + v₂ ∓ e (v₁ − v₂))/2. Touching, an impact may be passed on in the same
/// way; or all impacts happen at once, and four balls share what the first brings: (1 + e)/5 each.
fn cradle(lab: &Lab, found: &mut Findings, e: f64) -> Result<(), Trouble> {
    let text = reference_scene!("newtons_cradle");
    let restitution = format!("materials.ball.restitution={e:?}");
    let mut exact = [1.0, 0.0, 0.0, 0.0, 0.0];
    let mut first_pass = exact;
    // Pairs that approach meet, until none does; with equal gaps the order does not matter for the outcome.
    for pass in 0..20 {
        for i in 0..4 {
            let (a, b) = (exact[i], exact[i + 1]);
            if a > b {
                (exact[i], exact[i + 1]) = (0.5 * (a + b - e * (a - b)), 0.5 * (a + b + e * (a - b)));
            }
        }
        if pass == 0 {
            first_pass = exact;
        }
    }
    let mut trial = lab.scene_with(text, std::slice::from_ref(&restitution))?;
    // A millimetre to the first impact, then four gaps of 0.1 mm: after 3 ms the first pass is over; those who meet again do
    // so after 20 ms at the earliest.
    trial.run_to(0.003)?;
    let mut worst = Worst::default();
    compare(&trial, &first_pass, &mut worst)?;
    found.worst("velocities after the first pass, gaps of 0.1 mm, m/s", worst, within(1e-12, EXACT));
    trial.run()?;
    let mut worst = Worst::default();
    compare(&trial, &exact, &mut worst)?;
    found.worst("velocities in the end, gaps of 0.1 mm, m/s", worst, within(1e-12, EXACT));
    let touching = [restitution, "bodies.row.repeat.line.step=[0.2, 0.0, 0.0]".into(), "duration=0.01".into()];
    let mut trial = lab.scene_with(text, &touching)?;
    trial.run()?;
    let mut worst = Worst::default();
    compare(&trial, &exact, &mut worst)?;
    found.worst("velocities, touching, impacts passed on, m/s", worst, within(1e-12, EXACT));
    if lab.conditions().is_reference_method() {
        let [a, b, c] = touching;
        let all_at_once = [a, b, c, "method.retroactive.settings.impact_rounds=0".into()];
        let mut trial = lab.scene_with(text, &all_at_once)?;
        trial.run()?;
        let mut worst = Worst::default();
        let other = 0.2 * (1.0 + e);
        compare(&trial, &[1.0 - 4.0 * other, other, other, other, other], &mut worst)?;
        found.worst("velocities, touching, impacts all at once, m/s", worst, within(1e-12, EXACT));
    }
    Ok(())
}

fn compare(trial: &Trial, exact: &[f64; 5], worst: &mut Worst) -> Result<(), Trouble> {
    for (name, exact) in ["first", "row/0", "row/1", "row/2", "row/3"].into_iter().zip(exact) {
        worst.see(name, trial.velocity(name)?.x, *exact);
    }
    Ok(())
}

/// The point that touches slides at u = vx + ω R. If μ < 2/7 |u|/((1 + e)|vy|) it slides throughout, and friction changes vx by
/// ∓μ (1 + e)|vy|; otherwise by −2/7 u, and the ball leaves rolling.
fn oblique_sphere(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let r = 0.1;
    let (mut velocities, mut spins) = (Worst::default(), Worst::default());
    for (vx, vy, omega, mu, e) in [
        (5.0, -5.0, 0.0, 0.1, 1.0),
        (5.0, -5.0, 0.0, 0.5, 1.0),
        (5.0, -5.0, 0.0, 0.1, 0.5),
        (5.0, -5.0, 0.0, 0.3, 0.5),
        (2.0, -5.0, -100.0, 0.2, 0.8),
        (2.0, -5.0, -100.0, 0.9, 0.8),
    ] {
        let u: f64 = vx + omega * r;
        let normal: f64 = -(1.0 + e) * vy;
        let change = -u.signum() * (mu * normal).min(2.0 / 7.0 * u.abs());
        let settings = [
            format!("materials.ball.restitution={e:?}"),
            format!("materials.ball.friction={mu:?}"),
            format!("bodies.ball.velocity=[{vx:?}, {vy:?}, 0.0]"),
            format!("bodies.ball.angular_velocity=[0.0, 0.0, {omega:?}]"),
        ];
        let mut trial = lab.scene_with(reference_scene!("oblique_impact_sphere"), &settings)?;
        trial.run()?;
        let velocity = trial.velocity("ball")?;
        let label = format!("μ = {mu}, e = {e}");
        velocities.see(format!("vx, {label}"), velocity.x, vx + change);
        velocities.see(format!("vy, {label}"), velocity.y, -e * vy);
        // The same impulse with the lever R against 2/5 m R².
        spins.see(label, trial.angular_velocity("ball")?.z, omega + 2.5 * change / r);
    }
    found.worst("velocity afterwards, m/s", velocities, within(1e-12, EXACT));
    found.worst("angular velocity afterwards, rad/s", spins, within(1e-12, 100.0 * EXACT));
    Ok(())
}

/// v = (1 + e) times the speed of what cannot be stopped.
fn pusher(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    for e in [0.0, 0.5, 1.0] {
        let settings = [format!("materials.ice.restitution={e:?}")];
        let mut trial = lab.scene_with(reference_scene!("keyframed_pusher"), &settings)?;
        trial.run_to(1.0)?;
        let speed = trial.velocity("block")?.x;
        found.absolute(format!("speed of the block, e = {e}, m/s"), speed, 2.0 * (1.0 + e), within(1e-12, EXACT));
    }
    Ok(())
}
