//! Mechanisms with closed loops.

use super::elliptic::{amplitude, complete};
use super::findings::{Findings, Worst, within};
use super::lab::{Lab, Trial, mean_period};
use super::{Cost, Problem, SMOOTH, SOLVED, Trouble, reference_scene};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "slider_crank_kinematic",
        about: "piston of a crank that turns evenly: position, speed, acceleration",
        cost: Cost::Quick,
        measure: driven_slider_crank,
    },
    Problem {
        name: "slider_crank_dynamic",
        about: "a slider-crank let go at 60°",
        cost: Cost::Quick,
        measure: falling_slider_crank,
    },
    Problem {
        name: "four_bar_kinematic",
        about: "a four-bar linkage whose crank turns evenly",
        cost: Cost::Quick,
        measure: driven_four_bar,
    },
    Problem {
        name: "iftomm_A02_2_four_bar",
        about: "two four-bar linkages that pass a singular position twice per turn",
        cost: Cost::Quick,
        measure: falling_four_bars,
    },
    Problem {
        name: "andrews_squeezer",
        about: "Andrews' squeezing mechanism: seven bodies, 30 ms",
        cost: Cost::Quick,
        measure: squeezer,
    },
];

/// The angle of a body's x axis about z, nearest to what is expected.
fn angle_near(trial: &Trial, body: &str, expected: f64) -> Result<f64, Trouble> {
    let along = trial.body(body)?.rotation() * DVec3::X;
    Ok(expected + libm::remainder(libm::atan2(along.y, along.x) - expected, TAU))
}

/// x = r cos θ + √(l² − r² sin²θ) with r = 0.5 and l = 1.5, and its first two derivatives for θ = ω t.
fn piston(theta: f64, omega: f64) -> [f64; 3] {
    let (sin, cos) = libm::sincos(theta);
    let (r, l) = (0.5, 1.5);
    let root = (l * l - r * r * sin * sin).sqrt();
    let first = -r * sin - r * r * sin * cos / root;
    let second =
        -r * cos - r * r * (cos * cos - sin * sin) / root - libm::pow(r * r * sin * cos, 2.0) / (root * root * root);
    [r * cos + root, omega * first, omega * omega * second]
}

fn driven_slider_crank(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let omega = 10.0;
    let mut trial = lab.scene(reference_scene!("slider_crank_kinematic"))?;
    let (mut places, mut speeds, mut accelerations) = (Worst::default(), Worst::default(), Worst::default());
    for degrees in [45.0_f64, 90.0, 135.0, 180.0] {
        let theta = degrees.to_radians();
        let label = format!("{degrees}°");
        // The acceleration by central differences of sixth order, whose error is 1e-10 of it with h = 4 dt.
        let h = 4.0 * trial.scene.dt;
        let (mut place, mut speed, mut acceleration) = (f64::NAN, f64::NAN, 0.0);
        for (at, weight) in
            [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0].into_iter().zip([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0])
        {
            trial.run_to(theta / omega + at * h)?;
            let v = trial.velocity("piston")?.x;
            acceleration += weight * v / (60.0 * h);
            if at == 0.0 {
                (place, speed) = (trial.position("piston")?.x, v);
            }
        }
        let [x, v, a] = piston(theta, omega);
        places.see(&label, place, x);
        speeds.see(&label, speed, v);
        accelerations.see(&label, acceleration, a);
    }
    found.worst("place of the piston, m", places, within(1e-9, SOLVED));
    found.worst("its speed, m/s", speeds, within(1e-9, SMOOTH));
    found.worst("its acceleration, m/s²", accelerations, within(1e-9, SMOOTH));
    Ok(())
}

/// Angle and rate of the crank, and the piston: reduced to one equation and integrated elsewhere in 80-bit arithmetic.
fn falling_slider_crank(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut trial = lab.scene(reference_scene!("slider_crank_dynamic"))?;
    for (time, theta, omega, x) in [
        (0.5, 0.366_034_323_777_971_07, -4.335_602_934_360_735, 1.956_163_490_674_847_3),
        (1.0, -2.612_218_698_610_662_6, -7.599_105_029_476_599, 1.047_034_091_088_622_9),
        (2.0, -3.053_614_391_738_132, 7.452_566_704_512_57, 1.001_290_305_715_791_6),
        (5.0, -3.429_689_596_851_002_6, 5.536_979_656_440_435, 1.013_864_285_491_358_4),
    ] {
        trial.run_to(time)?;
        let mut worst = Worst::default();
        worst.see("angle of the crank", angle_near(&trial, "crank", theta)?, theta);
        worst.see("its rate", trial.angular_velocity("crank")?.z, omega);
        worst.see("piston", trial.position("piston")?.x, x);
        found.worst(&format!("rad, rad/s and m at {time} s"), worst, within(1e-8, SMOOTH));
    }
    Ok(())
}

/// Coupler and rocker meet where circles of 1.5 m about the end of the crank and of 1.6 m about (2, 0) do.
fn four_bar(theta: f64) -> [DVec3; 2] {
    let (p, b) = (DVec3::new(libm::cos(theta), libm::sin(theta), 0.0) * 0.5, DVec3::X * 2.0);
    let apart = p.distance(b);
    let along = (1.5 * 1.5 - 1.6 * 1.6 + apart * apart) / (2.0 * apart);
    let x = (b - p) / apart;
    [p, p + x * along + DVec3::Z.cross(x) * (1.5 * 1.5 - along * along).sqrt()]
}

fn driven_four_bar(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let mut trial = lab.scene(reference_scene!("four_bar_kinematic"))?;
    let (mut places, mut angles) = (Worst::default(), Worst::default());
    for degrees in [60.0_f64, 120.0, 180.0, 240.0, 300.0, 360.0] {
        let theta = degrees.to_radians();
        trial.run_to(theta / 5.0)?;
        let [p, q] = four_bar(theta);
        let pin = trial.joint("rocker_pin")?.anchors()[0];
        places.see(format!("x at {degrees}°"), pin.x, q.x);
        places.see(format!("y at {degrees}°"), pin.y, q.y);
        for (body, from) in [("rocker", DVec3::X * 2.0), ("coupler", p)] {
            let exact = libm::atan2(q.y - from.y, q.x - from.x);
            angles.see(format!("{body} at {degrees}°"), angle_near(&trial, body, exact)?, exact);
        }
    }
    found.worst("joint of coupler and rocker, m", places, within(1e-10, SOLVED));
    found.worst("angles of rocker and coupler, rad", angles, within(1e-10, SOLVED));
    Ok(())
}

/// As long as the couplers stay level the linkage is a pendulum: ½ J θ̇² + W cos θ is constant, J = (N + 1)/3 + N = 3 and
/// W = g ((N + 1)/2 + N) for N = 2. With ψ = θ − π, from the lowest position, sin(ψ/2) = sn(c t − K).
fn falling_four_bars(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let (j, w): (f64, f64) = (3.0, 9.81 * 3.5);
    // θ̇ = 1 at the top.
    let fastest = 1.0 + 4.0 * w / j;
    let (c, m) = (0.5 * fastest.sqrt(), 4.0 * w / j / fastest);
    let quarter = complete(m);
    let fresh = || -> Result<Trial, Trouble> {
        let mut trial = lab.scene(reference_scene!("iftomm_A02_2_four_bar"))?;
        // Long enough to go past the positions in which the rods are stretched out.
        trial.scene.dt = lab.either(0.05, trial.scene.dt);
        Ok(trial)
    };
    let mut trial = fresh()?;
    let (start, mut energy_off) = (trial.energy(), 0.0_f64);
    let mut passages = Vec::new();
    for time in [1.0, 2.0, 5.0, 10.0] {
        // The upper left corner comes by from right to left once a turn.
        passages.extend(trial.rises(time, |trial| Ok(-trial.joint("left0")?.anchors()[0].x))?);
        energy_off = energy_off.max((trial.energy() - start).abs());
        let theta = PI + 2.0 * amplitude(c * time - quarter, m);
        let omega = (fastest - 4.0 * w / j * libm::pow(libm::sin((theta - PI) / 2.0), 2.0)).sqrt();
        let corner = trial.joint("left0")?.anchors()[0];
        let mut worst = Worst::default();
        worst.see("corner, x", corner.x, libm::sin(theta));
        worst.see("corner, y", corner.y, libm::cos(theta));
        worst.see("rate", -trial.angular_velocity("upright0")?.z, omega);
        found.worst(&format!("m and rad/s at {time} s"), worst, within(1e-7, SMOOTH));
    }
    if lab.conditions().is_accurate() {
        for passage in &mut passages {
            // Newton's method, from what was seen between two long steps.
            for _ in 0..4 {
                let mut trial = fresh()?;
                trial.run_to(*passage)?;
                let corner = trial.joint("left0")?.anchors()[0];
                *passage += corner.x / (corner.y * trial.angular_velocity("upright0")?.z);
            }
        }
    }
    found.absolute("time of a turn, s", mean_period(&passages), 2.0 * quarter / c, within(1e-7, SMOOTH));
    found.absolute("energy, change in J (0.1 J is the benchmark's own bound)", energy_off, 0.0, within(1e-7, 0.1));
    Ok(())
}

/// Angles of the seven bodies after 30 ms, integrated elsewhere in 80-bit arithmetic; β, Θ and so on are angles against the
/// neighbour, the bodies turn by β, β + Θ, γ, Φ + δ, δ, Ω + ε and ε.
fn squeezer(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let [beta, theta, gamma, phi, delta, omega, epsilon] = [
        15.810_771_195_153_707,
        -15.756_371_058_411_84,
        0.040_822_240_119_645_99,
        -0.534_730_116_342_079_8,
        0.524_409_965_879_953_9,
        0.534_730_116_342_079_9,
        1.048_080_741_041_938_2,
    ];
    let rates = [1_139.920_302_259_104_6, -1_424.379_295_177_538, 11.032_911_910_619_053];
    let mut trial = lab.scene(reference_scene!("andrews_squeezer"))?;
    trial.run()?;
    let mut angles = Worst::default();
    for (body, name, exact) in [
        ("k1", "β", beta),
        ("k2", "β + Θ", beta + theta),
        ("k3", "γ", gamma),
        ("k4", "Φ + δ", phi + delta),
        ("k5", "δ", delta),
        ("k6", "Ω + ε", omega + epsilon),
        ("k7", "ε", epsilon),
    ] {
        angles.see(name, angle_near(&trial, body, exact)?, exact);
    }
    found.worst("angles after 30 ms, rad", angles, within(1e-8, SMOOTH));
    for (body, name, exact) in [("k1", "β̇", rates[0]), ("k2", "β̇ + Θ̇", rates[0] + rates[1]), ("k3", "γ̇", rates[2])]
    {
        let rate = trial.angular_velocity(body)?.z;
        found.relative(format!("{name} after 30 ms, rad/s"), rate, exact, within(1e-8, SMOOTH));
    }
    Ok(())
}
