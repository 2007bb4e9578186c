//! A bad plug-in is an error that names it: never a crash, never a hang, and the step in which it failed has not happened.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use serde_json::Value;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{Body, StepError, World};
use tumble_geometry::Shape;
use tumble_geometry::shape::Custom;
use tumble_plugin::{Plugin, read_folder};

/// A module of a kind, called "bad", with a memory and some code.
fn module(kind: &str, code: &str) -> String {
    let rows = if kind == "joint" { "rows = ['equality']\\n" } else { "" };
    format!(
        "(module (@custom \"tumble\" \"version = 1\\nkind = '{kind}'\\nname = 'bad'\\n{rows}\") \
         (memory (export \"memory\") 1) {code})"
    )
}

const FORCE: &str = "(func (export \"force\") (param i32 f64 i32 i32 i32)";
const ROWS: &str = "(func (export \"rows\") (param i32 i32 i32)";
const SUPPORT: &str = "(func (export \"support\") (param i32 f64 f64 f64 i32)";
const STAGE: &str = "(func (export \"stage\") (param i32 i32 f64 i32 i32 i32 i32) (result f64)";

/// Why a plug-in is refused when it is read.
fn refused(text: &str) -> String {
    let error = Plugin::read("bad.wat", text.as_bytes()).expect_err("it is bad").to_string();
    assert!(error.contains("bad.wat"), "it must name the file: {error}");
    error
}

fn registry(text: &str) -> Registry {
    let mut registry = Registry::default();
    Plugin::read("bad.wat", text.as_bytes()).unwrap().register(&mut registry).unwrap();
    registry
}

/// What goes wrong inside a function, and what must be said of it. `$out` is the last parameter's index.
fn faults(out: usize) -> Vec<(String, &'static str)> {
    let store = |number: &str| format!("(f64.store (local.get {out}) (f64.const {number}))");
    vec![
        ("unreachable".into(), "gave up"),
        ("(loop br 0)".into(), "did not end within"),
        ("(f64.store (i32.const -8) (f64.const 1))".into(), "outside its memory"),
        ("(drop (f64.load (i32.const 0x7fffffff)))".into(), "outside its memory"),
        (store("nan"), "NaN"),
        (store("inf"), "inf"),
        ("(drop (i32.div_s (i32.const 1) (i32.const 0)))".into(), "divide by zero"),
        ("call $deep".into(), "too deeply"),
    ]
}

const DEEP: &str = "(func $deep (local i64 i64 i64 i64) call $deep)";

/// A world in which a step fails: it says why, it has not moved, and it moves once the culprit is gone.
fn check(mut world: World, words: &str, remove: impl FnOnce(&mut World)) {
    let before = world.state().clone();
    for _ in 0..2 {
        let error = world.step(1.0 / 60.0).expect_err("the plug-in is bad");
        let text = error.to_string();
        assert!(matches!(error, StepError::Part(_)), "{text}");
        assert!(text.contains("\"bad\"") && text.contains("bad.wat") && text.contains(words), "{words}: {text}");
        assert_eq!(*world.state(), before, "nothing has happened");
    }
    remove(&mut world);
    world.step(1.0 / 60.0).unwrap();
    assert_ne!(*world.state(), before);
}

#[test]
fn a_bad_force_is_an_error_that_names_it() {
    for (code, words) in faults(4) {
        let registry = registry(&module("force", &format!("{FORCE} {code}) {DEEP}")));
        let mut world = World::new();
        world.add_body(Body::particle(1.0)).unwrap();
        let force = world.add_force(registry.forces.create("bad", &Value::Null).unwrap());
        check(world, words, |world| world.remove_force(force).unwrap());
    }
}

#[test]
fn a_bad_method_is_an_error_that_names_it() {
    for (code, words) in faults(6) {
        let registry = registry(&module("method", &format!("{STAGE} {code} f64.const -1) {DEEP}")));
        let mut world = World::new();
        world.add_body(Body::particle(1.0)).unwrap();
        world.set_boxed_method(registry.method("bad", &Value::Null).unwrap());
        check(world, words, |world| world.set_method(tumble_dynamics::method::Realtime::new()));
    }
    for (code, words) in [
        ("f64.const 0", "did not end a step within 64 calls"),
        ("f64.const 7", "asked for the forces 7 s after"),
        ("f64.const nan", "NaN"),
        ("(f64.store offset=48 (local.get 6) (f64.const 2)) f64.const -1", "unit quaternion"),
    ] {
        let registry = registry(&module("method", &format!("{STAGE} {code})")));
        let mut world = World::new();
        world.add_body(Body::particle(1.0)).unwrap();
        world.set_boxed_method(registry.method("bad", &Value::Null).unwrap());
        check(world, words, |world| world.set_method(tumble_dynamics::method::Realtime::new()));
    }
}

/// A joint that keeps x, until the anchor of the second body is lower than y = 1.
const SOUND_AT_FIRST: &str = "(if (f64.lt (f64.load offset=136 (local.get 1)) (f64.const 1)) (then unreachable))
    (f64.store offset=56 (local.get 2) (f64.const 1))";

#[test]
fn a_joint_that_fails_on_the_way_is_an_error_and_the_step_has_not_happened() {
    let registry = registry(&module("joint", &format!("{ROWS} {SOUND_AT_FIRST})")));
    let mut world = World::new();
    let body = world.add_body(Body::dynamic().with_mass(1.0).at([0.0, 2.0, 0.0])).unwrap();
    let joint = registry.joints.create("bad", &serde_json::json!({ "anchor": [0, 2, 0] })).unwrap();
    let joint = world.add_joint(Joint::new(JointEnd::World, body, joint)).unwrap();
    // It falls through y = 1 after sqrt(2 / 9.81) = 0.45 s.
    while world.time() < 0.42 {
        world.step(1.0 / 60.0).unwrap();
    }
    while world.body(body).unwrap().position().y > 1.15 {
        world.step(1.0 / 600.0).unwrap();
    }
    let error = loop {
        if let Err(error) = world.step(1.0 / 60.0) {
            break error;
        }
        assert!(world.body(body).unwrap().position().y > 0.9, "it must have failed by now");
    };
    assert!(matches!(error, StepError::Part(_)), "{error}");
    check(world, "gave up", |world| world.remove_joint(joint).unwrap());
}

/// A cube of 10 m that gives up when it is asked along (3, 4, 0), to a hundredth, in either sense. When it is made it is asked along 64
/// directions, of which this is none.
const TREACHEROUS: &str = "
    (if (i32.and
          (f64.lt
            (f64.abs (f64.sub (f64.mul (f64.const 4) (local.get 1)) (f64.mul (f64.const 3) (local.get 2))))
            (f64.mul (f64.const 0.03) (f64.add (f64.abs (local.get 1)) (f64.abs (local.get 2)))))
          (f64.lt (f64.abs (local.get 3)) (f64.mul (f64.const 0.01) (f64.abs (local.get 2)))))
      (then unreachable))
    (f64.store (local.get 4) (f64.copysign (f64.const 5) (local.get 1)))
    (f64.store offset=8 (local.get 4) (f64.copysign (f64.const 5) (local.get 2)))
    (f64.store offset=16 (local.get 4) (f64.copysign (f64.const 5) (local.get 3)))";

#[test]
fn a_shape_that_fails_on_the_way_is_an_error_and_the_step_has_not_happened() {
    let registry = registry(&module("shape", &format!("{SUPPORT} {TREACHEROUS})")));
    let map = registry.shapes.create("bad", &Value::Null).unwrap();
    let cube = Shape::Custom(Custom::new(map).unwrap());
    let mut world = World::new();
    let ball = Shape::sphere(1.0).unwrap();
    world.add_body(Body::fixed().with_shape(Shape::sphere(5.0).unwrap())).unwrap();
    world.add_body(Body::dynamic().with_shape(ball).at([100.0, 0.0, 0.0])).unwrap();
    // The line of the centres is along (3, 4, 0), which is where algorithms begin.
    let inertia = tumble_geometry::MassProperties {
        mass: 1.0,
        center: glam::DVec3::ZERO,
        inertia: glam::DMat3::from_diagonal(glam::DVec3::splat(16.0)),
    };
    let body = Body::dynamic().with_mass_properties(inertia).with_shape(cube);
    let other = world.add_body(body.at([7.05, 9.4, 0.0])).unwrap();
    check(world, "gave up", |world| world.remove_body(other).unwrap());
}

#[test]
fn a_joint_that_is_bad_where_it_is_attached_is_refused() {
    for (code, words) in faults(2) {
        let registry = registry(&module("joint", &format!("{ROWS} {code}) {DEEP}")));
        let mut world = World::new();
        let body = world.add_body(Body::dynamic().with_mass(1.0)).unwrap();
        let joint = registry.joints.create("bad", &Value::Null).unwrap();
        let error = world.add_joint(Joint::new(JointEnd::World, body, joint)).unwrap_err().to_string();
        assert!(error.contains("\"bad\"") && error.contains(words), "{words}: {error}");
        assert_eq!(world.joints().count(), 0);
    }
}

#[test]
fn a_bad_shape_is_refused_when_it_is_made() {
    for (code, words) in faults(4) {
        let registry = registry(&module("shape", &format!("{SUPPORT} {code}) {DEEP}")));
        let error = registry.shapes.create("bad", &Value::Null).unwrap_err().to_string();
        assert!(error.contains("\"bad\"") && error.contains(words), "{words}: {error}");
    }
    // A mapping that always names the same point is no shape.
    let registry = registry(&module("shape", &format!("{SUPPORT} nop)")));
    let error = registry.shapes.create("bad", &Value::Null).unwrap_err().to_string();
    assert!(error.contains("\"bad\"") && error.contains("metres wide"), "{error}");
}

/// A cube of 2 m that writes into its memory whenever it is asked.
const FORGETFUL: &str = "(f64.store (i32.const 0) (f64.add (f64.load (i32.const 0)) (f64.const 1)))
    (f64.store (local.get 4) (f64.copysign (f64.load (i32.const 0)) (local.get 1)))
    (f64.store offset=8 (local.get 4) (f64.copysign (f64.load (i32.const 0)) (local.get 2)))
    (f64.store offset=16 (local.get 4) (f64.copysign (f64.load (i32.const 0)) (local.get 3)))";

#[test]
fn what_a_shape_writes_into_its_memory_is_forgotten() {
    let registry = registry(&module("shape", &format!("{SUPPORT} {FORGETFUL})")));
    let map = registry.shapes.create("bad", &Value::Null).unwrap();
    let cube = Shape::Custom(Custom::new(map).unwrap());
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space([0.0, 1.0, 0.0]).unwrap())).unwrap();
    let body = world.add_body(Body::dynamic().with_shape(cube).at([0.0, 1.0, 0.0])).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
    }
    assert!((world.body(body).unwrap().position().y - 1.0).abs() < 1e-3);
}

/// Memory, a global, and the size of memory, all of which a plug-in may try to remember something in.
#[test]
fn a_plug_in_remembers_nothing_between_calls() {
    let code = format!(
        "(global $count (mut f64) (f64.const 0))
         (data (i32.const 64) \"\\00\\00\\00\\00\\00\\00\\00\\00\")
         {FORCE}
           (drop (memory.grow (i32.const 1)))
           (global.set $count (f64.add (global.get $count) (f64.const 1)))
           (f64.store (i32.const 64) (f64.add (f64.load (i32.const 64)) (f64.const 1)))
           (f64.store (local.get 4)
             (f64.add (f64.convert_i32_u (memory.size)) (f64.add (global.get $count) (f64.load (i32.const 64))))))"
    );
    let registry = registry(&module("force", &code));
    let force = registry.forces.create("bad", &Value::Null).unwrap();
    let mut world = World::new();
    world.add_body(Body::particle(1.0)).unwrap();
    let context =
        tumble_dynamics::force::ForceContext { model: world.model(), time: 0.0, bodies: &world.state().bodies };
    for _ in 0..50 {
        let mut wrenches = tumble_dynamics::force::Wrenches::zero(1);
        force.apply(&context, &mut wrenches);
        // One page of its own, one for what it is given, one that it took; once counted here, once there.
        assert_eq!(wrenches.as_slice()[0].force.x, 5.0);
    }
}

#[test]
fn memory_without_end_ends() {
    let grow = format!("{FORCE} (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) unreachable)");
    let registry = registry(&module("force", &grow));
    let mut world = World::new();
    world.add_body(Body::particle(1.0)).unwrap();
    let force = world.add_force(registry.forces.create("bad", &Value::Null).unwrap());
    check(world, "gave up", |world| world.remove_force(force).unwrap());
}

#[test]
fn what_asks_for_too_much_when_it_is_read_is_refused() {
    let with_memory = |memory: &str| {
        format!(
            "(module (@custom \"tumble\" \"version = 1\\nkind = 'force'\\nname = 'bad'\\n\") \
             (memory (export \"memory\") {memory}) {FORCE}))"
        )
    };
    // 4 GB, and a little more than is allowed.
    assert!(refused(&with_memory("65536")).contains("memory"));
    assert!(refused(&with_memory("257")).contains("memory"));
    assert!(Plugin::read("good.wat", with_memory("256").as_bytes()).is_ok());
    let table = module("force", &format!("(table 4000000 funcref) {FORCE})"));
    assert!(refused(&table).contains("table"));
    let endless = module("force", &format!("(func $start (loop br 0)) (start $start) {FORCE})"));
    assert!(refused(&endless).contains("did not end within"));
}

#[test]
fn a_memory_that_may_not_grow_has_no_room_for_bodies() {
    let fixed = format!(
        "(module (@custom \"tumble\" \"version = 1\\nkind = 'force'\\nname = 'bad'\\n\") \
         (memory (export \"memory\") 1 1) {FORCE}))"
    );
    let registry = registry(&fixed);
    let mut world = World::new();
    world.add_body(Body::particle(1.0)).unwrap();
    let force = world.add_force(registry.forces.create("bad", &Value::Null).unwrap());
    check(world, "allowed to grow", |world| world.remove_force(force).unwrap());
}

#[test]
fn what_is_no_plug_in_is_refused_with_the_reason() {
    let text = |description: &str, code: &str| {
        format!("(module (@custom \"tumble\" \"{description}\") (memory (export \"memory\") 1) {code})")
    };
    let force = format!("{FORCE})");
    let sound = "version = 1\\nkind = 'force'\\nname = 'bad'\\n";
    assert!(Plugin::read("good.wat", text(sound, &force).as_bytes()).is_ok());
    assert!(refused("not a module").contains("not WebAssembly"));
    assert!(refused("\0asm\u{1}\0\0\0 and nonsense").contains("not a sound"));
    assert!(refused("(module)").contains("no description"));
    assert!(refused(&text("version = 2", &force)).contains("version 2 of the interface, and this tumble has 1"));
    assert!(refused(&text("version = 1\\nkind = 'spell'\\nname='bad'", &force)).contains("spell"));
    assert!(refused(&text("version = 1\\nkind = 'force'\\nname='Bad one'", &force)).contains("small letters"));
    assert!(refused(&text("nonsense", &force)).contains("description"));
    assert!(refused(&text(sound, "")).contains("exports no function `force`"));
    assert!(refused(&text("version = 1\\nkind = 'joint'\\nname='bad'", &format!("{ROWS})"))).contains("0 rows"));
    let property = |line: &str| text(&format!("{sound}[[properties]]\\n{line}"), &force);
    assert!(refused(&property("name = 'x'\\ndefault = 'y'")).contains("must be a number"));
    assert!(refused(&property("name = 'x'\\ndefault = 1.0\\nmaximum = 0.5")).contains("outside its own range"));
    assert!(refused(&property("name = 'on'\\ndefault = 1.0")).contains("a meaning of its own"));
    assert!(refused(&property("name = 'turn_deg'\\ndefault = 1.0")).contains("the unit rad"));
    assert!(refused(&property("name = 'x'\\ndefault = nan")).contains("must be a number"));
    let import = format!("(import \"env\" \"clock\" (func (result f64))) {FORCE})");
    let import = format!("(module (@custom \"tumble\" \"{sound}\") {import} (memory (export \"memory\") 1))");
    assert!(refused(&import).contains("clock"));
    let table = format!("(table 1 funcref) {FORCE} (table.set 0 (i32.const 0) (ref.null func)))");
    assert!(refused(&text(sound, &table)).contains("changes a table"));
    let simd = format!("{FORCE} (drop (v128.const i64x2 0 0)))");
    assert!(refused(&text(sound, &simd)).contains("SIMD"));
}

#[test]
fn a_function_of_another_type_is_an_error() {
    let registry = registry(&module("force", "(func (export \"force\") (param i32))"));
    let mut world = World::new();
    world.add_body(Body::particle(1.0)).unwrap();
    let force = world.add_force(registry.forces.create("bad", &Value::Null).unwrap());
    check(world, "it must take (i32, f64, i32, i32, i32)", |world| world.remove_force(force).unwrap());
}

#[test]
fn names_that_are_taken_are_refused() {
    for (kind, name, code) in [
        ("force", "gravity", format!("{FORCE})")),
        ("shape", "box", format!("{SUPPORT})")),
        ("method", "realtime", format!("{STAGE} f64.const -1)")),
    ] {
        let text = module(kind, &code).replace("'bad'", &format!("'{name}'"));
        let plugin = Plugin::read("bad.wat", text.as_bytes()).unwrap();
        let error = plugin.register(&mut Registry::default()).unwrap_err().to_string();
        assert!(error.contains(&format!("a {kind} named \"{name}\" already")), "{error}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let error = read_folder(std::path::Path::new("no such folder")).unwrap_err().to_string();
    assert!(error.contains("no such folder"), "{error}");
}
