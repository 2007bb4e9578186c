//! Scripts and controls: what they can do, that they stay within bounds, and that a resumed run is the same bit for bit.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::fmt::Write;
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{SavedState, SavedWorld, StepError, World};
use tumble_scene::behave::{self, SceneBehavior};
use tumble_scene::{Loader, Report, Scene};

/// A ball, a floor and a turning arm, with a script.
fn with_script(script: &str) -> Result<Scene, Report> {
    let text = format!(
        "dt = 0.01\n[bodies.floor]\nkind = \"fixed\"\nshape.half_space = {{}}\n\
         [bodies.ball]\nshape.sphere.radius = 0.5\nposition = [0, 3, 0]\nmass = 2\n\
         [bodies.arm]\nshape.box.size = [1, 0.1, 0.1]\nposition = [5, 3, 0]\nmass = 1\n\
         [joints.hub]\nbetween = [\"world\", \"arm\"]\nhinge = {{ anchor = [5, 3, 0], axis = [0, 0, 1] }}\n\
         [script]\nsource = '''\n{script}\n'''\n"
    );
    Loader::new().load_text("test.toml", &text)
}

fn scene(script: &str) -> Scene {
    with_script(script).unwrap_or_else(|report| panic!("{report}"))
}

fn steps(world: &mut World, count: usize) {
    (0..count).for_each(|_| world.step(0.01).unwrap());
}

/// What the script says in the first step.
fn says(script: &str) -> Vec<String> {
    let mut scene = scene(&format!("fn step() {{ {script} }}"));
    scene.world.step(scene.dt).unwrap_or_else(|error| panic!("{script}: {error}"));
    scene.world.take_messages()
}

/// Why the first step is refused.
fn refusal(script: &str) -> String {
    let mut scene = scene(script);
    let before = scene.world.state().clone();
    let Err(StepError::Behavior(problem)) = scene.world.step(scene.dt) else { panic!("{script} was not refused") };
    assert_eq!(scene.world.state(), &before);
    problem
}

#[test]
fn a_script_pushes_bodies() {
    // A force of the weight holds the ball up, exactly.
    let mut scene = scene("fn step() { body(\"ball\").apply_force(vec(0, 9.81 * body(\"ball\").mass, 0)); }");
    steps(&mut scene.world, 100);
    let ball = scene.world.body_named("ball").unwrap();
    assert!((scene.world.body(ball).unwrap().position().y - 3.0).abs() < 1e-12);
}

#[test]
fn an_impulse_changes_velocity_by_itself_over_mass() {
    let mut scene = scene("fn start() { body(\"ball\").apply_impulse(vec(6, 0, 0)); }");
    steps(&mut scene.world, 10);
    let ball = scene.world.body_named("ball").unwrap();
    assert!((scene.world.body(ball).unwrap().velocity().x - 3.0).abs() < 1e-12);
}

#[test]
fn a_script_steers_motors_and_drives() {
    let mut scene = scene(
        "fn step() { let hub = joint(\"hub\"); if time() < 0.995 { hub.set_motor(\"turn\", 2.0, 1e3) } else { hub.release(\"turn\"); hub.set_target(0.5) } }",
    );
    steps(&mut scene.world, 100);
    let hub = scene.world.joint_named("hub").unwrap();
    let turn = |world: &World| world.joint(hub).unwrap().coordinate("turn").unwrap();
    assert!((turn(&scene.world).speed() - 2.0).abs() < 1e-3, "{}", turn(&scene.world).speed());
    steps(&mut scene.world, 400);
    assert!((turn(&scene.world).position() - 0.5).abs() < 1e-3, "{}", turn(&scene.world).position());
}

#[test]
fn a_script_sees_what_happened() {
    let mut scene = scene(
        "fn step() { for hit in impacts() { print(`${hit.a} ${hit.b} ${hit.speed.round()}`); } \
         for meeting in contacts() { print(`${meeting.began} ${meeting.a} ${meeting.b}`); } \
         if met(body(\"ball\"), body(\"floor\")) { print(\"met\") } }",
    );
    steps(&mut scene.world, 100);
    let said = scene.world.take_messages();
    // It falls 2.5 m: v = √(2 g h) = 7.0 m/s.
    assert_eq!(said.iter().filter(|line| *line == "met").count(), 1, "{said:?}");
    assert!(said.contains(&"floor ball 7.0".to_owned()) && said.contains(&"true floor ball".to_owned()), "{said:?}");
}

#[test]
fn a_script_computes() {
    for (expression, value) in [
        ("sin(PI() / 6)", 0.5),
        ("pow(2, 10)", 1024.0),
        ("vec(1, 2, 3).cross(vec(0, 0, 1)).x", 2.0),
        ("(turn(vec(0, 0, 1), PI() / 2) * vec(1, 0, 0)).y", 1.0),
        ("clamp(7, 0, 3) + max(1, 2.5)", 5.5),
        ("ray(vec(0, 9, 0), vec(0, -1, 0), 100).distance", 5.5),
        ("body(\"ball\").point(vec(0, 1, 0)).y", 4.0),
        ("joint(\"hub\").anchor.x", 5.0),
        ("#{ b: 2, a: 1 }.keys().len()", 2.0),
    ] {
        let said = says(&format!("print({expression});"));
        let number: f64 = said[0].parse().unwrap_or_else(|_| panic!("{expression}: {said:?}"));
        assert!((number - value).abs() < 1e-12, "{expression} is {number}");
    }
    // Maps are in the order of their keys.
    assert_eq!(says("for key in #{ c: 1, a: 2, b: 3 }.keys() { print(key) }"), ["a", "b", "c"]);
}

#[test]
fn what_stands_outside_of_functions_is_known_inside() {
    let script = "const SPEED = 2 + 1;\nlet names = [\"ball\"];\nfn deep(x) { x * SPEED }\nfn step() { let x = 4; print(deep(x)); print(names[0]); }";
    let mut scene = scene(script);
    scene.world.step(0.01).unwrap();
    assert_eq!(scene.world.take_messages(), ["12", "ball"]);
}

/// It remembers numbers, texts, lists, maps, vectors and bodies, has random numbers, and sees events: a run that goes on from a
/// snapshot, a saved state or a saved world is bit for bit the one that was not interrupted.
const BUSY: &str = "fn start() { this.ball = body(\"ball\"); this.count = 0; this.kicks = []; this.where = vec(0, 0, 0); }
    fn step() {
        this.count += 1;
        for hit in impacts() { this.kicks.push(#{ at: hit.time, n: this.count }); this.ball.apply_impulse(vec(random(-1, 1), 20, random(-1, 1))); }
        this.where = this.where * 0.9 + this.ball.position * 0.1;
        this.ball.apply_force((vec(0, 1, 0) - this.where) * (1.0 + this.kicks.len()));
        joint(\"hub\").set_motor(sin(3 * time()));
    }";

#[test]
fn a_resumed_run_is_the_same_bit_for_bit() {
    let mut registry = Registry::default();
    behave::register(&mut registry);
    let mut whole = scene(BUSY).world;
    // Exactly when something has just happened, and at other times.
    for interrupted in [71, 72, 73, 150, 151] {
        let mut world = scene(BUSY).world;
        steps(&mut world, interrupted);
        let snapshot = world.snapshot();
        let saved = SavedWorld::from_bytes(&world.save_whole(&registry).unwrap().to_bytes()).unwrap();
        let mut other = World::from_saved(&saved, &registry).unwrap();
        steps(&mut world, 200);
        let end = world.state().fingerprint();
        steps(&mut other, 200);
        assert_eq!(other.state().fingerprint(), end, "saved after {interrupted}");
        world.restore(&snapshot);
        steps(&mut world, 200);
        assert_eq!(world.state().fingerprint(), end, "restored after {interrupted}");
    }
    steps(&mut whole, 50);
    let saved = whole.save();
    let bytes = saved.to_bytes();
    let mut other = scene(BUSY).world;
    // The motor that the script has set is part of the model: it is set here, too.
    steps(&mut other, 50);
    other.load(&SavedState::from_bytes(&bytes).unwrap()).unwrap();
    steps(&mut whole, 100);
    steps(&mut other, 100);
    assert_eq!(whole.state(), other.state());
    // A world without the script cannot go on from there.
    assert!(scene("fn step() {}").world.load(&saved).is_err());
}

#[test]
fn a_script_acts_the_same_with_all_methods() {
    let mut angles = Vec::new();
    for method in ["realtime", "accurate", "retroactive", "penalty", "verlet"] {
        let script = "fn step() { body(\"ball\").apply_force(vec(2 * time(), 9.81 * 2, 0)); }";
        let text = format!("method = \"{method}\"\n{}", scene(script).source.text);
        let mut scene =
            Loader::new().load_text("test.toml", &text).unwrap_or_else(|report| panic!("{method}: {report}"));
        steps(&mut scene.world, 100);
        let ball = scene.world.body_named("ball").unwrap();
        // ẍ = t, which is held over each step: x = Σ … is 1/6 but for the length of the steps.
        let x = scene.world.body(ball).unwrap().position().x;
        assert!((x - 1.0 / 6.0).abs() < 0.006, "{method}: {x}");
        angles.push(x);
    }
    assert_eq!(angles.len(), 5);
}

#[test]
fn errors_are_at_the_line_of_the_scene() {
    let line = |script: &str| {
        let text = scene("fn step() {}").source.text;
        text.lines().position(|line| line.contains("fn step")).unwrap()
            + script.lines().position(|l| l.contains("HERE")).unwrap()
            + 1
    };
    for (script, problem) in [
        ("fn step() {\n  let x = 1;\n  x.nothing(); // HERE\n}", "not found"),
        ("fn step() {\n  body(\"bal\"); // HERE\n}", "did you mean `ball`?"),
        ("fn step() {\n  joint(\"hub\").set_motor(\"trun\", 1); // HERE\n}", "did you mean `turn`?"),
        ("fn far() {\n  let b = body(\"ball\");\n  b.mass = 3; // HERE\n}\nfn step() { far(); }", "mass"),
        ("fn step() {\n  let b = body(\"ball\");\n  b.velocity = vec(0.0 / 0.0, 0, 0); // HERE\n}", "finite"),
        ("fn step() {\n  loop {} // HERE\n}", "operations"),
        (
            "fn start() {\n  for i in 0..3 {}\n}\nfn step() {\n  let n = 0;\n  while true {\n    n += 1; // HERE\n  }\n}",
            "operations",
        ),
        ("fn step() {\n  let t = \"x\";\n  loop { t += t; } // HERE\n}", "too large"),
        ("fn step() {\n\n  throw \"my own\"; // HERE\n}", "my own"),
        ("fn step() {\n  input(\"gas\"); // HERE\n}", "no control"),
    ] {
        let told = refusal(script);
        assert!(told.starts_with(&format!("test.toml:{}:", line(script))), "{script}: {told}");
        assert!(told.contains(problem), "{script}: {told}");
    }
    let report = with_script("fn step() {\n  let = 3;\n}").unwrap_err();
    let text = report.to_string();
    assert!(text.contains(&format!("test.toml:{}:", line("\n  HERE"))) && text.contains("  let = 3;"), "{text}");
    assert!(with_script("let x = 3;").unwrap_err().to_string().contains("no function `step()`"));
    assert!(
        with_script("let b = body(\"ball\");\nfn step() {}")
            .unwrap_err()
            .to_string()
            .contains(&format!("test.toml:{}:", line("HERE")))
    );
}

#[test]
fn hostile_scripts_are_stopped() {
    for (script, problem) in [
        ("loop {}", "operations"),
        ("let n = 0; while n < 10000000 { n += 1; }", "operations"),
        ("for i in 0..10000000 {}", "operations"),
        ("let t = \"x\"; loop { t += t; }", ""),
        ("let a = []; loop { a.push(1); }", ""),
        ("let a = [1]; loop { a += a; }", ""),
        ("let a = [1]; loop { a = [a, a]; }", ""),
        ("let m = #{}; let n = 0; loop { m[\"k\" + n] = n; n += 1; }", ""),
        ("let a = []; a.pad(1000000000, 0);", ""),
        ("let t = \"\"; t.pad(1000000000, 'x');", ""),
        ("this.f = |x| x;", "kept"),
        ("this.t = []; for i in 0..30 { this.t = [this.t]; }", "nested"),
        ("sleep(1000000);", "cannot sleep"),
        ("sleep(1e6);", "cannot sleep"),
        ("timestamp();", "not found"),
        ("open_file(\"/etc/passwd\");", "not found"),
        ("body(\"ball\").apply_force(vec(1e999, 0, 0));", "finite"),
        ("1 / 0", "zero"),
        ("9223372036854775807 + 1", "overflow"),
        ("[3, 1, 2].sort(|a, b| 1); throw \"sorted\"", ""),
        ("body(\"ball\").remove(); body(\"ball\")", "no body"),
    ] {
        let begun = std::time::Instant::now();
        let told = refusal(&format!("fn step() {{ {script} }}"));
        assert!(told.contains(problem), "{script}: {told}");
        eprintln!("{:6.0} ms  {script}: {told}", 1e3 * begun.elapsed().as_secs_f64());
    }
    // What a script catches does not let it go on.
    let told = refusal("fn step() { let n = 0; loop { try { n += 1; } catch {} } }");
    assert!(told.contains("operations"), "{told}");
    let told = refusal("fn deeper(n) { deeper(n + 1) }\nfn step() { deeper(0); }");
    assert!(told.to_lowercase().contains("stack"), "{told}");
    for source in ["eval(\"1\")", "import \"x\" as y;", "2 ** 0.5", "let x = 2; x **= 3;"] {
        let script = format!("fn step() {{ {source} }}");
        let refused = with_script(&script).map(|mut scene| scene.world.step(0.01));
        assert!(!matches!(refused, Ok(Ok(()))), "{source}");
    }
    // Brackets nested without end, and a script without end.
    assert!(with_script(&format!("fn step() {{ {}1{} }}", "(".repeat(10_000), ")".repeat(10_000))).is_err());
    let mut long = String::new();
    (0..100_000).for_each(|n| write!(long, "// {n:010}\n").unwrap());
    assert!(with_script(&format!("{long}\nfn step() {{}}")).is_err());
}

/// What a failed step did is taken back, and a script that fails later has acted before.
#[test]
fn a_step_that_fails_has_not_acted() {
    let mut scene = scene(
        "fn start() { this.n = 0; }\nfn step() { this.n += 1; body(\"arm\").remove(); body(\"ball\").apply_impulse(vec(1, 0, 0)); if this.n == 1 { throw \"no\" } }",
    );
    let before = scene.world.snapshot();
    assert!(scene.world.step(0.01).is_err());
    assert!(scene.world.body_named("arm").is_some());
    assert_eq!(scene.world.state(), before.state());
    assert_eq!(scene.world.step(0.01).unwrap_err().to_string().split(": ").last(), Some("no"));
}

#[test]
fn a_script_is_interrupted() {
    let mut scene = scene("fn step() { loop {} }");
    scene.world.cancel().cancel();
    assert_eq!(scene.world.step(0.01), Err(StepError::Cancelled));
}

const DRIVEN: &str = "dt = 0.01
gravity = [0, 0, 0]
[bodies.puck]
shape.sphere.radius = 0.5
mass = 2
rotation = { axis = [0, 0, 1], angle_deg = 90 }
[bodies.arm]
shape.box.size = [1, 0.1, 0.1]
position = [5, 3, 0]
mass = 1
[joints.hub]
between = [\"world\", \"arm\"]
hinge = { anchor = [5, 3, 0], axis = [0, 0, 1] }
[controls.push]
keys = { ArrowRight = 1, ArrowLeft = -1 }
frames = [[0, 0], [0.5, 0.5], [1.0, 9]]
[[controls.push.acts]]
body = \"puck\"
force = [4, 0, 0]
[controls.spin]
range = [0, 10]
[[controls.spin.acts]]
joint = \"hub\"
speed = 3
";

#[test]
fn controls_move_bodies_and_joints() {
    let mut scene = Loader::new().load_text("driven.toml", DRIVEN).unwrap_or_else(|report| panic!("{report}"));
    scene.world.set_input("spin", 2.0).unwrap();
    steps(&mut scene.world, 150);
    let puck = scene.world.body_named("puck").unwrap();
    // Along its own x, which is y: 0.5 · 4 N / 2 kg over half a second, then, held within its range, 4 N / 2 kg over half a second.
    let velocity = scene.world.body(puck).unwrap().velocity();
    assert!((velocity.y - 1.5).abs() < 1e-9 && velocity.x.abs() < 1e-12, "{velocity}");
    let hub = scene.world.joint_named("hub").unwrap();
    assert!((scene.world.joint(hub).unwrap().coordinate("turn").unwrap().speed() - 6.0).abs() < 1e-6);
    // What somebody does overrules frames.
    scene.world.set_input("push", 0.0).unwrap();
    steps(&mut scene.world, 50);
    assert!((scene.world.body(puck).unwrap().velocity().y - 1.5).abs() < 1e-9);
    assert!(scene.world.set_input("push", f64::NAN).is_err());
}

/// Inputs that were given while a run went on, as frames: the same run, bit for bit.
#[test]
fn a_run_with_inputs_is_repeated() {
    let load = || Loader::new().load_text("driven.toml", DRIVEN).unwrap().world;
    let (mut live, mut frames) = (load(), vec![[0.0, 0.0]]);
    live.set_input("push", 0.0).unwrap();
    for step in 0..300 {
        if step % 37 == 5 {
            let value = 0.1 * f64::from(step % 19) - 1.0;
            live.set_input("push", value).unwrap();
            frames.push([live.time(), value]);
        }
        live.step(0.01).unwrap();
    }
    let mut again = load();
    again.behavior_mut::<SceneBehavior>().unwrap().set_frames("push", frames).unwrap();
    steps(&mut again, 300);
    assert_eq!(live.state().fingerprint(), again.state().fingerprint());
}

#[test]
fn mistakes_in_controls_are_told() {
    for (from, to, problem) in [
        ("joint = \"hub\"", "joint = \"hbu\"", "did you mean `hub`?"),
        ("body = \"puck\"", "body = \"pucks\"", "did you mean `puck`?"),
        ("speed = 3", "coordinate = \"slide\"\nspeed = 3", "no coordinate slide"),
        ("speed = 3", "force = [1, 0, 0]", "not clear what this moves"),
        ("range = [0, 10]", "range = [10, 0]", "smallest value first"),
        ("[1.0, 9]", "[0.5, 9]", "times of frames must grow"),
    ] {
        let text = DRIVEN.replace(from, to);
        assert_ne!(text, DRIVEN);
        let report = Loader::new().load_text("driven.toml", &text).unwrap_err().to_string();
        assert!(report.contains(problem), "{to}: {report}");
    }
}
