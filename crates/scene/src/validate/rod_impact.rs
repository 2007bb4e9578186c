//! A rod hits the ground with one end, by Routh's method.
//!
//! With W the inverse mass at the end (tangential t, normal n), impulses p change its velocity by W p. While the end slides
//! one way, p_t = ∓μ p_n, and sliding and approach change in proportion to p_n. When the sliding stops, the end sticks if
//! |W_tn| ≤ μ W_tt and otherwise slides back. The impact is over when the end leaves at −e times the speed it came with
//! (Newton's law of restitution). The law creates energy where friction and restitution work together (up to 17.5 % here).

use super::findings::{Findings, Worst, within};
use super::lab::Lab;
use super::{EXACT, SMOOTH, Trouble, reference_scene};

/// What an impact does.
struct Impact {
    velocity: [f64; 2],
    spin: f64,
    /// Kinetic energy after and before.
    energy: f64,
    /// Whether the sliding turned round while friction acted.
    turned_round: bool,
}

/// The rod at an angle θ, moving with (0.5, −1) without turning: one metre, one kilogram, 1/12 kg m².
fn routh(theta: f64, mu: f64, e: f64) -> Impact {
    let (rx, ry) = (-0.5 * libm::cos(theta), -0.5 * libm::sin(theta));
    let (wtt, wtn, wnn) = (1.0 + 12.0 * ry * ry, -12.0 * rx * ry, 1.0 + 12.0 * rx * rx);
    let (mut ut, mut un, mut pt, mut pn) = (0.5, -1.0, 0.0, 0.0);
    // Sliding forwards, pt = −μ pn, until it stops or the impact is over.
    let to_end = |un: f64, slope: f64| (e - un) / (wnn + wtn * slope);
    let to_stop = -ut / (wtn - wtt * mu);
    let sliding = if to_stop > 0.0 { to_stop.min(to_end(un, -mu)) } else { to_end(un, -mu) };
    let is_over = sliding < to_stop || to_stop <= 0.0;
    (pt, pn) = (pt - mu * sliding, pn + sliding);
    (ut, un) = (ut + (wtn - wtt * mu) * sliding, un + (wnn - wtn * mu) * sliding);
    let sticks = wtn.abs() <= mu * wtt;
    if !is_over {
        let slope = if sticks { -wtn / wtt } else { -mu * wtn.signum() };
        let rest = to_end(un, slope);
        (pt, pn) = (pt + slope * rest, pn + rest);
        ut += (wtn + wtt * slope) * rest;
    }
    let velocity = [0.5 + pt, -1.0 + pn];
    let spin = 12.0 * (rx * pn - ry * pt);
    let energy = (velocity[0] * velocity[0] + velocity[1] * velocity[1] + spin * spin / 12.0) / 1.25;
    Impact { velocity, spin, energy, turned_round: mu > 0.0 && ut < -1e-12 }
}

pub(super) fn measure(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let (mut plain, mut turned, mut rich) = (Worst::default(), Worst::default(), Worst::default());
    let mut most_energy: f64 = 0.0;
    for degrees in [30.0_f64, 45.0, 60.0, 80.0] {
        for mu in [0.0, 0.2, 0.6, 1.5] {
            for e in [0.0, 0.5, 1.0] {
                let exact = routh(degrees.to_radians(), mu, e);
                let worst = if exact.energy > 1.0 + 1e-12 {
                    &mut rich
                } else if exact.turned_round {
                    &mut turned
                } else {
                    &mut plain
                };
                let energy = compare(lab, degrees, mu, e, &exact, worst)?;
                most_energy = most_energy.max(energy);
            }
        }
    }
    // Off by what the rod turns in a step.
    let tolerance = within(1e-12, SMOOTH);
    found.worst("velocity and spin, m/s and rad/s", plain, tolerance);
    let backwards = "friction acts against the sliding at the end of the impact, not along its course";
    found.worst("the same, where the sliding turns round", turned, tolerance.not_reached(backwards, 7.1e-1));
    let cut = "restitution is cut back where it would create energy";
    found.worst("the same, where Newton's law creates energy", rich, tolerance.not_reached(cut, 2.8e-1));
    found.at_most("energy after and before, at most", most_energy, 1.0, within(1e-12, EXACT));
    Ok(())
}

/// Runs a case; returns energy after and before.
fn compare(lab: &Lab, degrees: f64, mu: f64, e: f64, exact: &Impact, worst: &mut Worst) -> Result<f64, Trouble> {
    let (sin, cos) = libm::sincos(degrees.to_radians());
    let settings = [
        format!("materials.rod.restitution={e:?}"),
        format!("materials.rod.friction={mu:?}"),
        format!("bodies.rod.position=[0.0, {:?}, 0.0]", 0.5 * sin + 0.025_55),
        format!(
            "bodies.rod.colliders=[{{ shape.sphere.radius = 0.001, position = [{:?}, {:?}, 0.0] }}]",
            -0.5 * cos,
            -0.5 * sin + 0.001
        ),
    ];
    let mut trial = lab.scene_with(reference_scene!("rod_oblique_impact"), &settings)?;
    let before = trial.body("rod")?.kinetic_energy();
    // The impact is after 25.55 ms.
    trial.run_to(0.0258)?;
    let (velocity, spin) = (trial.velocity("rod")?, trial.angular_velocity("rod")?.z);
    let label = format!("{degrees}°, μ = {mu}, e = {e}");
    worst.see(format!("vx at {label}"), velocity.x, exact.velocity[0]);
    worst.see(format!("vy at {label}"), velocity.y, exact.velocity[1]);
    worst.see(format!("ω at {label}"), spin, exact.spin);
    Ok(trial.body("rod")?.kinetic_energy() / before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn against_known_results() {
        for (degrees, mu, e, velocity, spin) in [
            (30.0_f64, 0.0, 0.5, [0.5, -0.538_461_538_461_538_5], -2.398_224_195_095_368),
            (30.0, 0.2, 0.0, [0.443_016_819_840_597_1, -0.715_084_099_202_985_4], -1.651_415_988_672_258_6),
            (80.0, 0.6, 1.0, [0.620_207_473_891_609_5, 0.890_640_688_715_868_2], -1.259_550_347_759_947),
        ] {
            let found = routh(degrees.to_radians(), mu, e);
            let off = (found.velocity[0] - velocity[0]).abs() + (found.velocity[1] - velocity[1]).abs();
            assert!(off < 1e-12 && (found.spin - spin).abs() < 1e-12, "{degrees}°, μ = {mu}, e = {e}");
        }
        assert!((routh(80_f64.to_radians(), 1.5, 1.0).energy - 1.048_082_989_556_643_7).abs() < 1e-12);
    }
}
