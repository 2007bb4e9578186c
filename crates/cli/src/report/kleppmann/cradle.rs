//! K 4.2: Newton's cradle, five balls on nails. One is raised, and one leaves at the other side: energy, the momenta of the balls between,
//! and the length of the steps, which events cut short (Fig 4.4).

use super::{Section, refused, step, world};
use crate::failure::Failure;
use glam::DVec3;
use std::fmt::Write as _;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::method::AccurateSettings;
use tumble_dynamics::method::accurate::Style;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Material, World};
use tumble_scene::plot::{Curve, Plot};

/// How long it runs, in seconds.
const DURATION: f64 = 10.0;

fn cradle(settings: AccurateSettings, restitution: f64) -> Result<(World, Vec<BodyId>), Failure> {
    let mut world = world(settings)?;
    let material = Material { restitution, static_friction: 0.0, dynamic_friction: 0.0, ..Material::default() };
    let shape = Shape::sphere(0.1).map_err(|error| Failure::Request(error.to_string()))?;
    let mut balls = Vec::new();
    for k in 0..5 {
        let nail = DVec3::X * (0.2 * f64::from(k));
        let turn = rotation_about(DVec3::Z, if k == 0 { -35.0_f64.to_radians() } else { 0.0 });
        let at = nail + turn * DVec3::NEG_Y;
        let ball =
            Body::dynamic().with_shape(shape.clone()).with_mass(1.0).with_material(material).at(at).rotated(turn);
        let id = world.add_body(ball).map_err(refused)?;
        world.add_joint(Joint::new(JointEnd::World, id, Ball::at(nail))).map_err(refused)?;
        balls.push(id);
    }
    Ok((world, balls))
}

/// What a run shows.
#[derive(Default)]
struct Measured {
    /// The largest change of the energy, relative to that of the raised ball.
    energy: f64,
    /// The largest momentum of one of the three balls between, while one of the outer ones moves, in kg m/s.
    between: f64,
    impacts: usize,
    storms: usize,
    /// Time and the length of the integration's next step, in seconds.
    steps: Vec<[f64; 2]>,
    /// Time and momenta of the first, the third and the last ball, in kg m/s.
    momenta: [Vec<[f64; 2]>; 3],
}

fn measure(settings: AccurateSettings, restitution: f64) -> Result<Measured, Failure> {
    let (mut world, balls) = cradle(settings, restitution)?;
    let start = world.energy().total();
    // The energy above that of five balls that hang.
    let raised = 9.81 * (1.0 - libm::cos(35.0_f64.to_radians()));
    let (mut measured, dt) = (Measured::default(), 0.01);
    for frame in 1..=(DURATION / dt) as usize {
        step(&mut world, dt)?;
        let momentum = |k: usize| world.body(balls[k]).map_or(0.0, |body| body.momentum().x);
        measured.energy = measured.energy.max((world.energy().total() - start).abs() / raised);
        measured.between = (1..4).map(|k| momentum(k).abs()).fold(measured.between, f64::max);
        measured.impacts += world.events().impacts.len();
        measured.storms += world.events().storms.len();
        let time = frame as f64 * dt;
        measured.steps.push([time, world.report().accuracy.step]);
        for (curve, k) in measured.momenta.iter_mut().zip([0, 2, 4]) {
            curve.push([time, momentum(k)]);
        }
    }
    Ok(measured)
}

pub(super) fn section() -> Result<Section, Failure> {
    let mut text = String::from(
        "## Newton's cradle (4.2)\n\nFive balls that touch, one raised by 35°, 10 s. K: energy to 1e-8 and the momenta of the balls between to 1e-10 at \
         ε = 1.\n\n| how | ε | change of energy | momentum between | impacts | storms |\n|---|---|---|---|---|---|\n",
    );
    let best = AccurateSettings { tolerance: 1e-10, ..AccurateSettings::default() };
    let kleppmann = AccurateSettings { tolerance: 1e-8, style: Style::Kleppmann, ..AccurateSettings::default() };
    let mut plots = Vec::new();
    for (name, settings, restitution) in
        [("best, 1e-10", best, 1.0), ("best, 1e-10", best, 0.9), ("style `kleppmann`, 1e-8", kleppmann, 1.0)]
    {
        let measured = measure(settings, restitution)?;
        let Measured { energy, between, impacts, storms, .. } = measured;
        let _infallible =
            writeln!(text, "| {name} | {restitution} | {energy:.1e} | {between:.1e} kg m/s | {impacts} | {storms} |");
        if plots.is_empty() {
            plots = pictures(measured);
        }
    }
    text += "\nWith ε = 0.9 energy is lost at every impact, and the balls end up swinging together.\n\n\
             ![step size](images/kleppmann/cradle-steps.svg)\n![momenta](images/kleppmann/cradle-momenta.svg)\n\n\
             The steps follow the motion, and an impact ends one at its moment (Fig 4.4).\n\n";
    Ok(Section { text, plots })
}

fn pictures(measured: Measured) -> Vec<(&'static str, Plot)> {
    let names = ["first ball", "third ball", "last ball"];
    let curves = measured.momenta.into_iter().zip(names).map(|(points, name)| Curve { name: name.into(), points });
    let steps = Plot {
        title: "Cradle: length of the integration's steps".into(),
        x_label: "time / s".into(),
        y_label: "step / s".into(),
        curves: vec![Curve { name: "step".into(), points: measured.steps }],
        equal_scales: false,
        logarithmic: true,
    };
    let momenta = Plot {
        title: "Cradle: momenta along x".into(),
        x_label: "time / s".into(),
        y_label: "momentum / (kg m/s)".into(),
        curves: curves.collect(),
        equal_scales: false,
        logarithmic: false,
    };
    vec![("cradle-steps.svg", steps), ("cradle-momenta.svg", momenta)]
}
