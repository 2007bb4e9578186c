//! `tumble validate`: simulations against formulas.
//!
//! Each problem is a scene, a quantity measured in its run, and what a formula says it is. The tolerance is what a user
//! may rely on at the step the scene uses; the error shown is what was measured.

use crate::args::Validate;
use crate::failure::{Failure, print};
use serde_json::{Value, json};
use tumble_dynamics::BodyId;
use tumble_scene::{Loader, Scene};

/// A problem with a known result.
struct Problem {
    name: &'static str,
    scene: &'static str,
    measure: fn(&mut Trial) -> Result<f64, Failure>,
    expected: fn() -> f64,
    /// The largest relative error.
    tolerance: f64,
}

/// A scene being run.
struct Trial {
    scene: Scene,
}

impl Trial {
    fn body(&self, name: &str) -> Result<BodyId, Failure> {
        self.scene.world.body_named(name).ok_or_else(|| Failure::Request(format!("no body {name}")))
    }

    fn position(&self, name: &str) -> Result<glam::DVec3, Failure> {
        let body = self.scene.world.body(self.body(name)?);
        Ok(body.map_err(|error| Failure::Request(error.to_string()))?.position())
    }

    fn velocity(&self, name: &str) -> Result<glam::DVec3, Failure> {
        let body = self.scene.world.body(self.body(name)?);
        Ok(body.map_err(|error| Failure::Request(error.to_string()))?.velocity())
    }

    fn step(&mut self) -> Result<(), Failure> {
        self.scene.world.step(self.scene.dt).map_err(Failure::Step)
    }

    fn run(&mut self) -> Result<(), Failure> {
        while self.scene.world.time() + 1e-3 * self.scene.dt < self.scene.duration {
            self.step()?;
        }
        Ok(())
    }

    /// The mean time between upward crossings of zero by a quantity, from the first to the last.
    fn period(&mut self, quantity: impl Fn(&Trial) -> Result<f64, Failure>) -> Result<f64, Failure> {
        let (mut crossings, mut before) = (Vec::new(), quantity(self)?);
        while self.scene.world.time() < self.scene.duration {
            self.step()?;
            let (now, time) = (quantity(self)?, self.scene.world.time());
            if before < 0.0 && now >= 0.0 {
                crossings.push(time - self.scene.dt * now / (now - before));
            }
            before = now;
        }
        match crossings[..] {
            [first, .., last] => Ok((last - first) / (crossings.len() - 1) as f64),
            _ => Ok(f64::NAN),
        }
    }
}

const G: f64 = 9.81;

const PROBLEMS: [Problem; 9] = [
    Problem {
        name: "free fall: depth after 2 s",
        scene: "title = 'p'\nduration = 2\ndt = 0.01\n[bodies.b]\nshape.sphere.radius = 0.1\n",
        measure: |trial| {
            trial.run()?;
            Ok(-trial.position("b")?.y)
        },
        expected: || 0.5 * G * 4.0,
        tolerance: 1e-12,
    },
    Problem {
        name: "bounce: height after an impact with ε = 0.7",
        scene: "title = 'p'\nduration = 2\ndt = 0.001\n[materials.m]\nrestitution = 0.7\n[bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\nmaterial = 'm'\n[bodies.b]\nshape.sphere.radius = 0.1\nposition = [0, 2.1, 0]\nmaterial = 'm'\n",
        measure: |trial| {
            let (mut highest, mut bounced) = (0.0_f64, false);
            while trial.scene.world.time() < trial.scene.duration {
                trial.step()?;
                bounced |= trial.velocity("b")?.y > 0.1;
                if bounced {
                    highest = highest.max(trial.position("b")?.y);
                    if trial.velocity("b")?.y < 0.0 {
                        break;
                    }
                }
            }
            Ok(highest - 0.1)
        },
        expected: || 2.0 * 0.7 * 0.7,
        tolerance: 5e-3,
    },
    Problem {
        name: "sliding: way down a slope of 30° with µ = 0.2 in 1 s",
        scene: "title = 'p'\nduration = 1\ndt = 0.002\ngravity = [4.905, -8.495709211125343, 0]\n[materials.m]\nfriction = 0.2\n[bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\nmaterial = 'm'\n[bodies.b]\nshape.box.size = [1, 0.4, 1]\nposition = [0, 0.2, 0]\nmaterial = 'm'\n",
        measure: |trial| {
            trial.run()?;
            Ok(trial.position("b")?.x)
        },
        expected: || 0.5 * (4.905 - 0.2 * 8.495_709_211_125_343),
        tolerance: 1e-3,
    },
    Problem {
        name: "rolling: way of a ball down a slope of 10° in 1 s",
        scene: "title = 'p'\nduration = 1\ndt = 0.002\ngravity = [1.7034886128217646, -9.66096406120965, 0]\n[materials.m]\nfriction = 1\n[bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\nmaterial = 'm'\n[bodies.b]\nshape.sphere.radius = 0.5\nposition = [0, 0.5, 0]\nmaterial = 'm'\n",
        measure: |trial| {
            trial.run()?;
            Ok(trial.position("b")?.x)
        },
        // A ball's inertia takes two sevenths.
        expected: || 0.5 * 5.0 / 7.0 * 1.703_488_612_821_764_6,
        tolerance: 2e-3,
    },
    Problem {
        name: "elastic impact: speed of the ball that was hit",
        scene: "title = 'p'\nduration = 1\ndt = 0.001\ngravity = [0, 0, 0]\n[materials.m]\nrestitution = 1\nfriction = 0\n[bodies.a]\nshape.sphere.radius = 0.5\nmass = 1\nvelocity = [3, 0, 0]\nposition = [-2, 0, 0]\nmaterial = 'm'\n[bodies.b]\nshape.sphere.radius = 0.5\nmass = 2\nmaterial = 'm'\n",
        measure: |trial| {
            trial.run()?;
            Ok(trial.velocity("b")?.x)
        },
        expected: || 2.0 * 1.0 * 3.0 / 3.0,
        tolerance: 1e-6,
    },
    Problem {
        name: "pendulum: period of a rod swinging by ±90°",
        scene: "title = 'p'\nduration = 20\ndt = 0.001\n[bodies.b]\nshape.box.size = [1, 0.05, 0.05]\nposition = [0.5, 0, 0]\nsleep = false\n[joints.j]\nbetween = ['world', 'b']\nhinge.anchor = [0, 0, 0]\n",
        measure: |trial| trial.period(|trial| Ok(trial.position("b")?.x)),
        // T = 2π √(I/(m g l)) · 2/π K(sin² 45°); I about the hinge, l to the centre of mass.
        expected: || {
            let inertia = (1.0 + 0.05 * 0.05) / 12.0 + 0.25;
            std::f64::consts::TAU * (inertia / (G * 0.5)).sqrt() * 1.180_340_599_016_096_3
        },
        tolerance: 1e-4,
    },
    Problem {
        name: "spring: period of 2 kg on 50 N/m",
        scene: "title = 'p'\nduration = 20\ndt = 0.001\ngravity = [0, 0, 0]\n[bodies.b]\nkind = 'particle'\nmass = 2\nposition = [1.5, 0, 0]\nsleep = false\n[joints.j]\nbetween = ['world', 'b']\nspring = { points = [[0, 0, 0], [1.5, 0, 0]], stiffness = 50, rest_length = 1 }\n",
        measure: |trial| trial.period(|trial| Ok(trial.position("b")?.x - 1.0)),
        expected: || std::f64::consts::TAU * (2.0_f64 / 50.0).sqrt(),
        tolerance: 1e-4,
    },
    Problem {
        name: "orbit: energy after a turn about a centre, relative",
        scene: "title = 'p'\nduration = 6.283185307\ndt = 0.001\ngravity = [0, 0, 0]\n[forces.sun]\ncentral_gravity = { parameter = 1 }\n[bodies.b]\nkind = 'particle'\nmass = 1\nposition = [1, 0, 0]\nvelocity = [0, 1, 0]\nsleep = false\n",
        measure: |trial| {
            trial.run()?;
            Ok(trial.scene.world.energy().total())
        },
        expected: || -0.5,
        tolerance: 1e-6,
    },
    Problem {
        name: "free rotation: energy of a tumbling box after 10 s",
        scene: "title = 'p'\nduration = 10\ndt = 0.001\ngravity = [0, 0, 0]\n[bodies.b]\nshape.box.size = [1, 2, 3]\nmass = 1\nangular_velocity = [0.01, 5, 0.01]\nsleep = false\n",
        measure: |trial| {
            trial.run()?;
            Ok(trial.scene.world.energy().kinetic)
        },
        // ½ ω·Iω with I = m/12 (b² + c², …): the middle axis, so that it tips over and over.
        expected: || 0.5 / 12.0 * (13.0 * 1e-4 + 10.0 * 25.0 + 5.0 * 1e-4),
        tolerance: 1e-6,
    },
];

pub(crate) fn validate(options: &Validate) -> Result<(), Failure> {
    let loader = Loader::new().with_setting(format!("method={}", options.method));
    let (mut rows, mut failed) = (Vec::new(), 0);
    if !options.json {
        print(&format!("{:52} {:>14} {:>14} {:>10}\n", "problem", "measured", "expected", "error"))?;
    }
    for problem in &PROBLEMS {
        let mut trial = Trial { scene: loader.load_text(problem.name, problem.scene)? };
        let measured = (problem.measure)(&mut trial)?;
        let expected = (problem.expected)();
        let error = ((measured - expected) / expected).abs();
        let passed = error <= problem.tolerance;
        failed += usize::from(!passed);
        if options.json {
            rows.push(json!({
                "problem": problem.name, "measured": measured, "expected": expected, "error": error,
                "tolerance": problem.tolerance, "passed": passed,
            }));
        } else {
            let verdict = if passed { "passed" } else { "FAILED" };
            print(&format!("{:52} {measured:14.8} {expected:14.8} {error:10.1e}  {verdict}\n", problem.name))?;
        }
    }
    if options.json {
        print(&format!("{:#}\n", Value::Array(rows)))?;
    }
    if failed == 0 { Ok(()) } else { Err(Failure::Validation) }
}
