//! Valid scenes with random damage: the loader answers, with a scene or with a report that points into the text, and a
//! scene that is accepted takes a step. `TUMBLE_CASES` sets the number of damaged texts (default 3000).

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod clock;

use clock::within;
use std::time::Duration;
use tumble_scene::Loader;

const SCENES: [&str; 3] = [
    include_str!("../../../scenes/pendulum-2.toml"),
    include_str!("../../../scenes/dominoes.toml"),
    r##"
title = "Everything"
gravity = [0, -9.81, 0]
method.retroactive = { integrator = "runge_kutta_4", settings.time_to_sleep = 1 }
[camera]
from = [1, 2, 3]
to = [0, 0, 0]
[mixing]
friction = "smallest"
restitution = "largest"
[materials.felt]
like = "wood"
friction = 0.9
[shapes]
ball.sphere.radius = 0.5
pair.compound.parts = [{ shape = "ball" }, { shape.capsule = { radius = 0.1, height = 1 }, position = [1, 0, 0] }]
tet.hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
tri.mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 0, 1]], triangles = [[0, 2, 1]] }
hill.height_field = { heights = [[0, 0], [1, 0]], spacing = [1, 1] }
slide.mesh.spiral = { turns = 1, radius = [1, 2], height = [2, 1], gutter = 0.3, bend_deg = 90, strips = [20, 4] }
[bodies.a]
shape = "pair"
material = "felt"
color = "#aabbcc"
rotation = { axis = [1, 1, 0], angle_deg = 30 }
repeat = { ring = { count = 3, radius = 4 }, each.position = [0, 0.1, 0], jitter = { position = [0.1, 0, 0], angle_deg = 5, seed = 3 } }
[bodies.b]
colliders = [{ shape = "tet", density = 5 }, { shape.cone = { radius = 1, height = 2 }, sensor = true }]
mass_properties = { mass = 1, inertia = [1, 1, 1] }
position = [0, 5, 0]
[bodies.c]
shape = "hill"
kind = "fixed"
[bodies.d]
shape.cylinder = { radius = 1, height = 0.1 }
script.key_frames = { frames = [{ time = 0, position = [0, 9, 0] }, { time = 2, position = [0, 8, 0], rotation.x_deg = 90 }], again = true }
[joints.j]
between = ["a/0", "b"]
distance = { anchors = [[0, 0, 0], [0, 5, 0]] }
breaks.force = 100
[bodies.e]
shape = "slide"
kind = "fixed"
position = [20, 0, 0]
[templates.atwood]
bodies.left = { shape = "ball", position = [-1, 0, 0] }
bodies.right = { shape = "ball", position = [1, 0, 0] }
joints.rope = { between = ["left", "right"], pulley = { points = [[-1, 0, 0], [1, 0, 0]], wheels = [[-1, 2, 0], [1, 2, 0]] } }
[instances.hoist]
template = "atwood"
position = [9, 9, 9]
rotation.y_deg = 30
[joints.arm]
between = ["hoist/left", "b"]
six_axes = { turn = [{ min_deg = -10, max_deg = 20 }, {}, { motor = { speed = 1, max_force = 3 } }], slide = [{}, { drive.target = 1 }, {}] }
[joints.s]
between = ["world", "b"]
spring = { points = [[0, 9, 0], [0, 5, 0]], stiffness = 3 }
[forces.wind]
drag = { wind = [1, 0, 0], linear = 0.1, on.group = "a" }
[forces.sea]
buoyancy = { level = -3, linear_drag = 1 }
[filter]
default = "collide"
rules = [{ ignore.groups = ["a", "a"] }, { collide.bodies = ["b", "c"], exception = true }]
[recording]
rate = 30
bodies = ["a", "b"]
"##,
];

/// Pieces that hurt.
const PIECES: [&str; 24] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "-1e-320",
    "99999999999999999999",
    "\"\"",
    "\"world\"",
    "[]",
    "{}",
    "[[",
    "]]",
    "=",
    "\n",
    "\"",
    ".",
    "'/'",
    "4294967295",
    "true",
    "1979-05-27",
    "#",
    "\u{1f600}",
    "repeat.line = { count = 5, step = [1, 0, 0] }",
];

fn damaged(random: &mut fastrand::Rng) -> String {
    let mut text = SCENES[random.usize(..SCENES.len())].to_owned();
    for _ in 0..random.usize(1..4) {
        let boundaries: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
        let mut place = || boundaries[random.usize(..boundaries.len())];
        let (from, to) = (place(), place());
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
        let to = boundaries.iter().copied().filter(|&at| at <= to).max().unwrap_or(from);
        match random.u8(..5) {
            0 => text.replace_range(from..to, ""),
            1 => text.insert_str(from, PIECES[random.usize(..PIECES.len())]),
            2 => {
                let copied = text[from..to].to_owned();
                text.insert_str(to, &copied);
            }
            // A whole value replaced by something else: most of these are still TOML.
            _ => {
                let values: Vec<usize> = text.match_indices("= ").map(|(at, _)| at + 2).collect();
                if let Some(&at) = values.get(random.usize(..values.len().max(1))) {
                    let end = text[at..].find(['\n', ',', '}']).map_or(text.len(), |end| at + end);
                    text.replace_range(at..end, PIECES[random.usize(..PIECES.len())]);
                }
            }
        }
    }
    text
}

#[test]
fn the_undamaged_scenes_are_fine() {
    for text in SCENES {
        let mut scene = Loader::new().load_text("scene.toml", text).unwrap_or_else(|report| panic!("{report}"));
        scene.world.step(scene.dt).unwrap();
    }
}

#[test]
fn damaged_scenes_are_answered() {
    let cases = std::env::var("TUMBLE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(3000);
    let mut random = fastrand::Rng::with_seed(7);
    let mut accepted = 0;
    let loader = Loader::new();
    for _ in 0..cases {
        let text = damaged(&mut random);
        match within(Duration::from_secs(1), &text, || loader.load_text("scene.toml", &text)) {
            Ok(mut scene) => {
                accepted += 1;
                // A step may be refused (numbers at the limits), but never panics.
                let _refused_or_not = scene.world.step(scene.dt);
            }
            Err(report) => {
                assert!(!report.is_empty());
                let shown = report.to_string();
                for diagnostic in &report.diagnostics {
                    assert!(diagnostic.span.is_some(), "no place: {diagnostic:?}\n{text}");
                    assert!(!diagnostic.message.contains("invalid type"), "the schema let it pass: {shown}\n{text}");
                    assert!(!diagnostic.message.contains("unknown field"), "the schema let it pass: {shown}\n{text}");
                }
            }
        }
    }
    assert!(accepted > cases / 50, "only {accepted} of {cases} were accepted: the damage is too rough to test much");
}
