//! Inverse dynamics against closed forms, and against what happens when the forces are applied.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use tumble_dynamics::World;
use tumble_scene::Loader;
use tumble_scene::inverse::Inverse;

const G: f64 = 9.81;

fn world(text: &str) -> World {
    Loader::new().load_text("inverse.toml", text).unwrap_or_else(|report| panic!("{report}")).world
}

/// Points of 2 and 3 kg on rods of 0.7 and 0.4 m, hanging; the second joint turns against the first rod.
fn double_pendulum(first: &str, second: &str) -> String {
    format!(
        "method = \"accurate\"\n[bodies.upper]\nposition = [0, -0.7, 0]\nmass = 2\nshape.sphere.radius = 0.0001\n\
         [bodies.lower]\nposition = [0, -1.1, 0]\nmass = 3\nshape.sphere.radius = 0.0001\n\
         [joints.shoulder]\nbetween = [\"world\", \"upper\"]\nhinge = {{ anchor = [0, 0, 0], axis = [0, 0, 1] }}\n{first}\n\
         [joints.elbow]\nbetween = [\"upper\", \"lower\"]\nhinge = {{ anchor = [0, -0.7, 0], axis = [0, 0, 1] }}\n{second}\n"
    )
}

/// τ = m l² q̈ + m g l sin q, past the top and round.
#[test]
fn a_pendulum_takes_the_torque_of_its_formula() {
    let text = "[bodies.bob]\nposition = [0, -0.5, 0]\nmass = 2\nshape.sphere.radius = 0.0001\n[joints.hub]\nbetween = [\"world\", \"bob\"]\n\
                hinge = { anchor = [0, 0, 0], axis = [0, 0, 1] }\nfollow.turn.target = \"4 * sin(1.3 * t) + 0.5 * t\"\n";
    let mut inverse = Inverse::new(world(text)).unwrap();
    for step in 0..200 {
        let t = 0.05 * f64::from(step);
        let effort = inverse.at(t).unwrap()[0];
        let (q, acceleration) = (4.0 * libm::sin(1.3 * t) + 0.5 * t, -4.0 * 1.69 * libm::sin(1.3 * t));
        let torque = 2.0 * 0.25 * acceleration + 2.0 * G * 0.5 * libm::sin(q);
        assert!((effort.position - q).abs() < 1e-12 && (effort.acceleration - acceleration).abs() < 1e-7);
        assert!((effort.force - torque).abs() < 1e-6, "{t}: {} for {torque}", effort.force);
    }
}

/// The equations of Lagrange for two points on rods, with the angle of the second against the first.
#[test]
fn a_double_pendulum_takes_the_torques_of_lagrange() {
    let text =
        double_pendulum("follow.turn.target = \"1.5 * sin(2 * t)\"", "follow.turn.target = \"2 * cos(3 * t) - 2\"");
    let mut inverse = Inverse::new(world(&text)).unwrap();
    let (m1, m2, l1, l2) = (2.0, 3.0, 0.7, 0.4);
    for step in 0..100 {
        let t = 0.07 * f64::from(step);
        let (a, da, dda) = (1.5 * libm::sin(2.0 * t), 3.0 * libm::cos(2.0 * t), -6.0 * libm::sin(2.0 * t));
        let (b, db, ddb) = (2.0 * libm::cos(3.0 * t) - 2.0, -6.0 * libm::sin(3.0 * t), -18.0 * libm::cos(3.0 * t));
        let (cos, sin) = (libm::cos(b), libm::sin(b));
        let elbow =
            m2 * l2 * l2 * (dda + ddb) + m2 * l1 * l2 * (cos * dda + sin * da * da) + m2 * G * l2 * libm::sin(a + b);
        let shoulder = (m1 + m2) * l1 * l1 * dda
            + m2 * l2 * l2 * (dda + ddb)
            + m2 * l1 * l2 * (cos * (2.0 * dda + ddb) - sin * (2.0 * da * db + db * db))
            + (m1 + m2) * G * l1 * libm::sin(a)
            + m2 * G * l2 * libm::sin(a + b);
        let efforts = inverse.at(t).unwrap();
        assert!((efforts[0].force - shoulder).abs() < 1e-5, "{t}: {} for {shoulder}", efforts[0].force);
        assert!((efforts[1].force - elbow).abs() < 1e-5, "{t}: {} for {elbow}", efforts[1].force);
    }
}

/// A slider on a scripted lift: F = m (q̈ + z̈ + g).
#[test]
fn a_slider_on_a_moving_body_bears_its_acceleration() {
    let text = "[bodies.lift]\nscript.swing = { amplitude = [0, 0.3, 0], period = 2 }\n\
                [bodies.load]\nposition = [0, 1, 0]\nmass = 5\nshape.sphere.radius = 0.1\n[joints.rail]\nbetween = [\"lift\", \"load\"]\n\
                slider = { anchor = [0, 1, 0], axis = [0, 1, 0] }\nfollow.slide.target = \"0.2 * sin(5 * t)\"\n";
    let mut inverse = Inverse::new(world(text)).unwrap();
    let omega = std::f64::consts::PI;
    for step in 0..50 {
        let t = 0.04 * f64::from(step);
        let force = 5.0 * (-5.0 * libm::sin(5.0 * t) - 0.3 * omega * omega * libm::sin(omega * t) + G);
        let effort = inverse.at(t).unwrap()[0];
        assert!((effort.force - force).abs() < 1e-6, "{t}: {} for {force}", effort.force);
    }
}

/// The torques, applied to the same bodies without any motor: with the accurate method they move as the curves say.
#[test]
fn the_forces_make_the_motion() {
    let curves = ["0.8 - 0.8 * cos(2 * t)", "cos(3 * t) - 1"];
    let follow = curves.map(|curve| format!("follow.turn.target = \"{curve}\""));
    let mut inverse = Inverse::new(world(&double_pendulum(&follow[0], &follow[1]))).unwrap();
    let mut free = world(&double_pendulum("", ""));
    let [upper, lower] = ["upper", "lower"].map(|name| free.body_named(name).unwrap());
    let dt = 0.001;
    for step in 0..1500 {
        let efforts = inverse.at(dt * (f64::from(step) + 0.5)).unwrap();
        let (shoulder, elbow) = (efforts[0].force, efforts[1].force);
        free.body_mut(upper).unwrap().apply_torque([0.0, 0.0, shoulder - elbow]).unwrap();
        free.body_mut(lower).unwrap().apply_torque([0.0, 0.0, elbow]).unwrap();
        free.step(dt).unwrap();
    }
    inverse.at(1.5).unwrap();
    for body in [upper, lower] {
        use tumble_dynamics::Id;
        let (wanted, reached) = (inverse.states()[body.slot()].position, free.state().bodies[body.slot()].position);
        // Torques are held over a millisecond: the error is of its square.
        assert!(wanted.distance(reached) < 1e-4, "{wanted} {reached}");
    }
}

#[test]
fn what_is_not_determined_is_refused() {
    let refused = |text: &str| Inverse::new(world(text)).unwrap_err();
    assert!(refused(&double_pendulum("", "")).contains("no joint follows a target"));
    assert!(refused(&double_pendulum("follow.turn.target = \"t\"", "")).contains("1 of 12 degrees of freedom"));
    assert!(
        refused(&double_pendulum("follow.turn.target = \"t\"", "follow.turn.speed = \"1\""))
            .contains("follows a speed")
    );
    let mut never =
        Inverse::new(world(&double_pendulum("follow.turn.target = \"1 / (t - 1)\"", "follow.turn.target = \"t\"")))
            .unwrap();
    assert!(never.at(0.0).is_ok() && never.at(1.0).unwrap_err().contains("no value"));
}
