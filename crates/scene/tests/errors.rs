//! What is wrong with a scene is said all at once, with its place and with what was expected; and no text makes the
//! loader panic, hang or grow without bound.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod clock;

use clock::within;
use std::time::Duration;
use tumble_dynamics::registry::Registry;
use tumble_scene::{Loader, Report};

fn report(text: &str) -> Report {
    match Loader::new().load_text("scene.toml", text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(report) => report,
    }
}

/// Message, help and "line:column" of all diagnostics.
fn said(text: &str) -> Vec<(String, String, String)> {
    let report = report(text);
    let place = |span: Option<_>| {
        span.map_or(String::new(), |span| {
            let place = report.sources.place(span);
            format!("{}:{}", place.line, place.column)
        })
    };
    report.diagnostics.iter().map(|d| (d.message.clone(), d.help.clone(), place(d.span))).collect()
}

#[track_caller]
fn expect(text: &str, expected: &[(&str, &str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(m, h, p)| (m.to_string(), h.to_string(), p.to_string())).collect();
    assert_eq!(said(text), expected, "\n{}", report(text));
}

#[test]
fn all_errors_are_reported_at_once() {
    let text = r#"title = 3
dt = -1
[bodies.ball]
shap.sphere.radius = 1
position = [0, 1]
kind = "fixd"
velocity = [0, "fast", 0]
[bodies.box]
shape.box.siz = [1, 1, 1]
[bodies.cone]
shape.kone = {}
[joints.b]
between = ["ball", "box"]
hinge.anchr = [0, 0, 0]
"#;
    expect(
        text,
        &[
            ("`title` is an integer", "expected a string", "1:9"),
            (
                "`dt` is -1, which is out of range",
                "expected a number of at least 0.000000001 and at most 10 in s",
                "2:6",
            ),
            ("unknown key `shap`", "did you mean `shape`?", "4:1"),
            ("`position` has 2 elements", "expected an array of 3 numbers in m", "5:12"),
            ("`kind` cannot be \"fixd\"", "did you mean `fixed`?", "6:8"),
            ("`velocity` is a string", "expected a number of at least -1e9 and at most 1e9", "7:16"),
            ("unknown key `siz`", "did you mean `size`?", "9:11"),
            ("`shape` cannot be `kone`", "did you mean `cone`?", "11:7"),
            ("unknown key `anchr`", "did you mean `anchor`?", "14:7"),
        ],
    );
}

#[test]
fn names_that_mean_nothing_are_pointed_at() {
    expect(
        "title = 't'\n[bodies.ball]\nshape = 'bal'\nmaterial = 'stell'\n[shapes]\nball.sphere.radius = 1\n",
        &[
            ("there is no shape \"bal\"", "did you mean `ball`?", "3:9"),
            ("there is no material \"stell\"", "did you mean `steel`?", "4:12"),
        ],
    );
    expect(
        "title = 't'\n[bodies.ball]\nshape = 'bal'\n[shapes]\nball.sphere.radius = 1\n",
        &[("there is no shape \"bal\"", "did you mean `ball`?", "3:9")],
    );
    expect(
        "title = 't'\n[bodies.ball]\nshape.sphere.radius = 1\n[joints.j]\nbetween = ['world', 'bal']\nball = {}\n",
        &[("there is no body \"bal\" here", "did you mean `ball`?", "5:21")],
    );
    let kinds = &said("title = 't'\n[joints.j]\nbetween = ['world', 'a']\n")[0];
    assert_eq!((kinds.0.as_str(), kinds.2.as_str()), ("`j` does not say its kind", "2:9"));
    assert!(kinds.1.starts_with("expected one of ") && kinds.1.contains("`ball`"), "{kinds:?}");
    expect(
        "title = 't'\n[instances.i]\ntemplate = 'domno'\n[templates.domino]\n",
        &[("there is no template \"domno\"", "did you mean `domino`?", "3:12")],
    );
    expect(
        "title = 't'\nmethod = 'retro'\n",
        &[(
            "`method` cannot be \"retro\"",
            "known are `accurate`, `advancing`, `impact`, `penalty`, `realtime`, `retroactive`, `verlet`",
            "2:10",
        )],
    );
    expect(
        "title = 't'\n[bodies.ball]\nshape.sphere.radius = 1\n[method.impact]\nschedules = [{ on = 'bal' }]\nblends = [{ on = 'all' }]\n\
         figures = [{ root = 'ball', links = [{ on = 'call', to = 'ball' }] }]\n",
        &[
            ("there is no body \"bal\"", "did you mean `ball`?", "5:21"),
            ("there is no body \"all\"", "did you mean `ball`?", "6:18"),
            ("there is no body \"call\"", "did you mean `ball`?", "7:45"),
        ],
    );
    // Numbers of bodies are for saved worlds.
    expect(
        "title = 't'\n[bodies.ball]\nshape.sphere.radius = 1\n[forces.f]\npoint = { on = { body_ids = [{ slot = 0, generation = 0 }] } }\n",
        &[("`on` cannot be `body_ids`", "known are `group`, `named`", "5:18")],
    );
    expect(
        "title = 't'\n[bodies.ball]\nshape.sphere.radius = 1\n[forces.f]\nspring = { ends = ['ball', 'world'] }\n",
        &[("`ends` cannot be \"ball\"", "known are `world`, or a table: `{ named = \"ball\" }`", "5:20")],
    );
    expect(
        "title = 't'\n[bodies.ball]\nshape.sphere.radius = 1\n[joints.j]\nbetween = ['world', 'ball']\nslider = {}\n\
         follow.glide.speed = '2 * t'\n",
        &[("there is no coordinate of this joint named \"glide\"; known are slide", "", "4:9")],
    );
}

#[test]
fn what_constructors_refuse_is_pointed_at() {
    expect(
        "title = 't'\n[bodies.pill]\nshape.capsule = { radius = 1, height = 1 }\n",
        &[("the height of a capsule is 1, but must be more than twice its radius", "", "3:40")],
    );
    let place = |text: &str| said(&format!("title = 't'\n{text}\n"))[0].2.clone();
    assert_eq!(place("[bodies.b]\nmass = 1\nshape.box.size = [1, 0, 1]"), "4:18");
    assert_eq!(place("[shapes]\nbrick.box.size = [1, 0, 1]"), "3:18");
    assert_eq!(place("[bodies.b]\nshape.half_space.normal = [0, 0, 0]"), "3:27");
    assert_eq!(
        place("[bodies.b]\ncolliders = [\n{ shape.box.size = [1, 1, 1] },\n{ shape.box.size = [1, -1, 1] }]"),
        "5:20"
    );
    let parts = "[{ shape.sphere.radius = 1 }, { shape.mesh = { vertices = [[0, 0, 0]], triangles = [[0, 0, 7]] } }]";
    assert_eq!(place(&format!("[bodies.b]\nshape.compound.parts = {parts}")), "3:107");
    assert_eq!(place("[bodies.b]\nshape.height_field = { spacing = [1, 1], heights = [[1, 2],\n[1]] }"), "4:1");
    assert_eq!(place("[bodies.b]\nshape.mesh.file = 'x.obj'"), "3:19");
    assert_eq!(place("[materials.odd]\nstatic_friction = 0.1\ndynamic_friction = 0.2\n[bodies.b]\nmass = 1"), "2:12");
    let massless = &said("title = 't'\n[bodies.nothing]\nposition = [0, 0, 0]\n")[0];
    assert!(massless.0.contains("needs a mass") && massless.2 == "2:9", "{massless:?}");
    expect(
        "title = 't'\n[bodies.b]\nshape.sphere.radius = 1\nrotation = { z_deg = 1, quaternion = [0, 0, 0, 1] }\n",
        &[("a rotation is given by x_deg, y_deg and z_deg, or by axis and angle_deg, or by quaternion", "", "4:1")],
    );
}

/// What a person writes in degrees is not answered in radians.
#[test]
fn angles_are_spoken_of_in_degrees() {
    let complaint = |joint: &str| {
        let text = format!(
            "title = 't'\n[bodies.a]\nshape.sphere.radius = 1\n[joints.j]\nbetween = ['world', 'a']\n{joint}\n"
        );
        let [(message, help, place)] = said(&text).try_into().unwrap();
        (message + help.as_str(), place)
    };
    let expect = |joint: &str, message: &str, place: &str| {
        assert_eq!(complaint(joint), (message.to_owned(), place.to_owned()), "{joint}");
    };
    let order = "two numbers, the smaller first";
    for (joint, what, place) in [
        ("twist_limit = { min_deg = 30, max_deg = -20 }", "limits of twist", "6:27"),
        ("angular_limit = { min_deg = 30, max_deg = -20 }", "angular limits", "6:29"),
        ("hinge.turn = { min_deg = 30, max_deg = -20 }", "joint limits", "6:26"),
        ("six_axes.turn = [{}, { min_deg = 30, max_deg = -20 }, {}]", "joint limits", "6:34"),
        ("swing_twist.twist_deg = [30, -20]", "limits of twist", "6:26"),
    ] {
        expect(joint, &format!("{what} is 30° to -20°, but must be {order}"), place);
    }
    let elliptic = "angle of an elliptic cone is 200°, but must be between 0.0573° and 177.6°";
    expect("elliptic_cone_limit.angles_deg = [30, 200]", elliptic, "6:39");
    expect("swing_twist.swing_deg = [200, 30]", elliptic, "6:26");
    let opening = "opening of a wedge limit is 410°, but must be at most a full turn, 360°";
    expect("wedge_limit = { min_deg = -10, max_deg = 400 }", opening, "6:42");
    let range = "`angle_deg` is 300, which is out of rangeexpected a number of at least 0.0000573 and at most 180 in °";
    expect("cone_limit.angle_deg = 300", range, "6:24");
    expect(
        "slider.slide = { min = 30, max = -20 }",
        &format!("joint limits is 30 to -20, but must be {order}"),
        "6:34",
    );
}

#[test]
fn the_property_of_a_joint_that_is_wrong_is_pointed_at() {
    let complaint = |joint: &str| {
        let text = format!(
            "title = 't'\n[bodies.a]\nshape.sphere.radius = 1\n[joints.j]\nbetween = ['world', 'a']\n{joint}\n"
        );
        let [(message, _, place)] = said(&text).try_into().unwrap();
        (message, place)
    };
    for (joint, message, place) in [
        (
            "hinge = { anchor = [0, 0, 0], axis = [0, 0, 0] }",
            "the axis of the hinge is [0, 0, 0], but must be finite and not zero",
            "6:38",
        ),
        (
            "universal = { first_arm = [0, 0, 1], second_arm = [0, 0, 1] }",
            "the pair of arms of the cross is [0, 0, 1] and [0, 0, 1], but must be perpendicular",
            "6:51",
        ),
        (
            "gear = { teeth = [0, 20] }",
            "the number of teeth of a gear is 0, but must be between 1 and 1000000, negative for inner teeth",
            "6:19",
        ),
        (
            "distance = { anchors = [[0, 0, 0], [1, 0, 0]], min = 3, max = 2 }",
            "the smallest distance is 3, but must be between 0 m and the largest distance",
            "6:54",
        ),
        (
            "reach_cone = { anchor = [1, 0, 0], corners = [[1, 0, 0]] }",
            "the number of corners of a reach cone is 1, but must be at least 3",
            "6:46",
        ),
        (
            "wheel = { axis = [0, 1, 0], axle = [0, 1, 0] }",
            "the pair of axis and axle of a wheel is [0, 1, 0] and [0, 1, 0], but must be two directions that are not parallel",
            "6:36",
        ),
        (
            "six_axes = { x_axis = [1, 0, 0], y_axis = [2, 0, 0] }",
            "the pair `x_axis`, `y_axis` of a six-axis joint is [1, 0, 0] and [2, 0, 0], but must be two directions that are not parallel",
            "6:43",
        ),
    ] {
        assert_eq!(complaint(joint), (message.to_owned(), place.to_owned()), "{joint}");
    }
}

/// Who gives only one of two directions is told which other one does not go with it.
#[test]
fn a_direction_that_is_not_given_is_named() {
    for (joint, key) in [
        ("swing_twist = { axis = [0, 1, 0] }", "`towards`"),
        ("elliptic_cone_limit = { axis = [0, 1, 0] }", "`towards`"),
        ("six_axes = { x_axis = [0, 1, 0] }", "`y_axis`"),
    ] {
        let text = format!(
            "title = 't'\n[bodies.a]\nshape.sphere.radius = 1\n[joints.j]\nbetween = ['world', 'a']\n{joint}\n"
        );
        let [(message, ..)] = said(&text).try_into().unwrap();
        assert!(message.contains(key) && message.contains("not parallel"), "{message}");
    }
}

/// A sheet would weigh as many kg/m² as its material has kg/m³.
#[test]
fn a_surface_that_encloses_nothing_has_no_mass_of_its_own() {
    let triangle = "shape.mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 0, 1]], triangles = [[0, 2, 1]] }";
    let body = |more: &str| format!("title = 't'\n[bodies.sheet]\n{triangle}\n{more}\n");
    let [(message, help, place)] = said(&body("")).try_into().unwrap();
    assert!(message.starts_with("the mesh is not closed (3 open edges, one from [0, 0, 0] to [0, 0, 1])"), "{message}");
    assert!(help.contains("`mass`") && place.starts_with("3:"), "{help} {place}");
    for fine in ["mass = 1", "kind = 'fixed'", "script.turn.rate = 1"] {
        assert!(Loader::new().load_text("scene.toml", &body(fine)).is_ok(), "{fine}");
    }
    let field = "title = 't'\n[bodies.b]\nshape.height_field = { heights = [[0, 0], [1, 0]], spacing = [1, 1] }\n";
    assert!(said(field)[0].0.starts_with("a height field is not closed"));
}

#[test]
fn the_report_shows_the_line_with_a_caret() {
    let shown = report("title = 't'\n[bodies.ball]\nshape.sphere.radius = 1 # round\nmas = 3\n").to_string();
    assert_eq!(
        shown,
        "error: unknown key `mas`\n --> scene.toml:4:1\n  |\n4 | mas = 3\n  | ^^^ did you mean `mass`?\n"
    );
}

#[test]
fn settings_from_outside_are_checked_like_the_file() {
    let text = "title = 't'\n[bodies.ball]\nshape.sphere.radius = 1\n";
    let scene = Loader::new().with_setting("bodies.ball.mass=7").load_text("scene.toml", text).unwrap();
    assert_eq!(scene.world.bodies().next().unwrap().1.mass(), 7.0);
    let scene = Loader::new().with_setting("title=a new one").load_text("scene.toml", text).unwrap();
    assert_eq!(scene.title, "a new one");
    let wrong = Loader::new().with_setting("bodies.ball.mass=-7").load_text("scene.toml", text).unwrap_err();
    assert!(wrong.to_string().contains("--> --set:1:18"), "{wrong}");
    let wrong = Loader::new().with_setting("bodies.ball.masss=7").load_text("scene.toml", text).unwrap_err();
    assert!(wrong.to_string().contains("--> --set:1:13") && wrong.to_string().contains("`mass`"), "{wrong}");
    let wrong = Loader::new().with_setting("bodies.bal.mass=7").load_text("scene.toml", text).unwrap_err();
    assert!(wrong.to_string().contains("--> --set:1:8") && wrong.to_string().contains("`ball`"), "{wrong}");
}

/// Who chooses the method that the scene has anyway wants its settings; another one cannot have them, and that is said.
#[test]
fn a_method_chosen_by_name_keeps_the_settings_of_the_scene() {
    let text = "dt = 0.01\n[method.penalty]\nsink = 0.5\n";
    let load = |settings: &[&str]| {
        let loader = settings.iter().fold(Loader::new(), |loader, &setting| loader.with_setting(setting));
        let scene = loader.load_text("scene.toml", text).unwrap();
        assert_eq!(scene.dt, 0.01);
        let properties = Registry::default().properties_of(scene.world.method()).unwrap();
        (scene.world.method().name(), properties["sink"].as_f64(), properties["most_substeps"].as_u64(), scene.notes)
    };
    assert_eq!(load(&["method=\"penalty\""]), ("penalty", Some(0.5), Some(2000), vec![]));
    assert_eq!(load(&["method=penalty", "method.penalty.most_substeps=7"]), ("penalty", Some(0.5), Some(7), vec![]));
    assert_eq!(load(&["method={ penalty = {} }"]), ("penalty", Some(0.01), Some(2000), vec![]));
    let (name, sink, _, notes) = load(&["method=\"verlet\""]);
    assert_eq!((name, sink), ("verlet", None));
    let note = "the scene's settings of its own method \"penalty\" (sink) are not taken over by \"verlet\"";
    assert_eq!(notes, [note]);
}

/// Unknown keys, unknown names and values that do not fit together are different stages of reading; one does not hide the
/// other. But nobody complains about the consequences: the joint to `slab` is not said to miss it.
#[test]
fn mistakes_of_different_kinds_are_reported_together() {
    let text = r#"title = "t"
[bodies.ball]
shape.sphere.radius = 1
colour = "red"
[bodies.slab]
shape.box.size = [1, 1, 1]
material = "wod"
[joints.first]
between = ["world", "ball"]
hinge = { anchor = [0, 0, 0], axis = [0, 0, 0] }
[joints.second]
between = ["ball", "slab"]
ball.anchor = [0, 0, 0]
"#;
    let found = said(text);
    let places: Vec<&str> = found.iter().map(|(.., place)| place.as_str()).collect();
    assert_eq!(places, ["4:1", "4:10", "7:12", "10:38"], "{}", report(text));
}

/// What is wrong with a body is said once, not for each of its copies, and not in the joints between them.
#[test]
fn copies_do_not_repeat_a_complaint() {
    let text = "title = 't'\n[templates.t]\nbodies.a = { position = [0, 0, 0] }\nbodies.b.shape.sphere.radius = 1\n\
                joints.j = { between = ['a', 'b'], weld = {} }\n[instances.i]\ntemplate = 't'\n\
                repeat.line = { count = 50, step = [1, 0, 0] }\n";
    let places: Vec<String> = said(text).into_iter().map(|(.., place)| place).collect();
    assert_eq!(places, ["3:8"], "{}", report(text));
}

/// Is refused, within a second, with a message that contains `words`.
#[track_caller]
fn refused_quickly(text: &str, words: &str) {
    let report = within(Duration::from_secs(1), words, || report(text).to_string());
    assert!(report.contains(words), "{report}");
}

#[test]
fn hostile_texts_are_refused_soon() {
    let mut random = fastrand::Rng::with_seed(1);
    let garbage: String = (0..1 << 20).map(|_| char::from(random.u8(1..128))).collect();
    refused_quickly(&garbage, "error");
    let letters: String = (0..1 << 20).map(|_| random.alphabetic()).collect();
    refused_quickly(&letters, "error");
    refused_quickly(&format!("a = {}", "[".repeat(1_000_000)), "recur");
    refused_quickly(&format!("a = {}1{}", "{a=".repeat(100_000), "}".repeat(100_000)), "recur");
    refused_quickly(&format!("[{}]", vec!["a"; 1_000_000].join(".")), "recur");
    refused_quickly(&format!("{} = 1", vec!["a"; 1_000_000].join(".")), "recur");
    refused_quickly("title = 't'\ndt = nan", "this number is not finite");
    refused_quickly("title = 't'\nduration = -inf", "this number is not finite");
    refused_quickly("title = 't'\n[bodies.b]\nshape.mesh.file = 'no.obj'", "may not refer to files");
    refused_quickly(
        "title = 't'\n[templates.a.instances.x]\ntemplate = 'b'\n[templates.b.instances.x]\ntemplate = 'a'",
        "a cycle: `a` → `b` → `a`",
    );
    refused_quickly(
        "title = 't'\n[shapes]\na.compound.parts = [{ shape = 'b' }]\nb.compound.parts = [{ shape = 'a' }]",
        "contains itself",
    );
    refused_quickly("title = 't'\n[materials]\na.like = 'b'\nb.like = 'a'", "round in a circle");
}

#[test]
fn numbers_beyond_all_reason_are_refused() {
    expect(
        "title = 't'\n[bodies.b]\nshape.sphere.radius = 1\nposition = [1e300, 0, 0]\nvelocity = [0, -1e200, 0]\n",
        &[
            (
                "`position` is 1e300, which is out of range",
                "expected a number of at least -1e12 and at most 1e12",
                "4:13",
            ),
            (
                "`velocity` is -1e200, which is out of range",
                "expected a number of at least -1e9 and at most 1e9",
                "5:16",
            ),
        ],
    );
    expect(
        "title = 't'\n[bodies.b]\nshape.sphere.radius = 1\nposition = [1e12, 0, 0]\n\
         repeat.line = { count = 2, step = [1e12, 0, 0] }\n",
        &[("the body \"b/1\" is at [2e12, 0e0, 0e0]", "at most 1e12 m from the origin", "2:9")],
    );
}

#[test]
fn too_many_copies_are_refused_once() {
    expect(
        "title = 't'\n[bodies.b]\nshape.sphere.radius = 1\nrepeat.line = { count = 1000000000, step = [1, 0, 0] }\n\
         [bodies.c]\nshape.sphere.radius = 1\n[bodies.d]\nshape.sphere.radius = 1\n",
        &[(
            "the scene grows too large: 1000000000 copies are asked for",
            "a scene has at most 100000 bodies and 200000 joints",
            "4:1",
        )],
    );
}

#[test]
fn a_spring_is_known_by_its_numbers() {
    let hinge = |what: &str| {
        format!(
            "title = 't'\n[bodies.b]\nshape.sphere.radius = 1\n[joints.j]\nbetween = ['world', 'b']\nhinge = {{ {what} }}\n"
        )
    };
    for fine in [
        "turn.drive.spring = { frequency = 1, damping_ratio = 1 }",
        "turn.drive.spring.spring = { frequency = 1, damping_ratio = 1 }",
        "softness = { stiffness = 100, damping = 1 }",
        "softness = { stiffness = { stiffness = 100, damping = 1 } }",
        "softness = { gamma = 0.1, beta = 0.1 }",
        "softness = { beta = 0.1 }",
        "softness = 'rigid'",
    ] {
        assert!(Loader::new().load_text("scene.toml", &hinge(fine)).is_ok(), "{fine}");
    }
    let forms = "known are `rigid`, or a table: `{ damping_ratio, frequency }`, `{ damping, stiffness }`, \
                 `{ beta, gamma }`, `{ beta }`";
    expect(&hinge("softness = 'soft'"), &[("`softness` cannot be \"soft\"", forms, "6:22")]);
    expect(
        &hinge("softness = { frequency = 1 }"),
        &[("`damping_ratio` is missing in `softness`", "expected a number of at least 0", "6:11")],
    );
    expect(
        &hinge("softness = { stiffness = -1, damping = 1 }"),
        &[("`stiffness` is -1, which is out of range", "expected a number of at least 0 in N/m or N m/rad", "6:36")],
    );
}

#[test]
fn a_joint_between_things_that_never_move_names_them() {
    expect(
        "title = 't'\n[bodies.a]\nkind = 'fixed'\n[joints.j]\nbetween = ['world', 'a']\nhinge = {}\n",
        &[("neither the world nor the body \"a\" can be moved by a joint", "", "4:9")],
    );
}

#[test]
fn an_angle_without_its_unit_is_recognised() {
    let text = "title = 't'\n[bodies.b]\nshape.sphere.radius = 1\nrotation = { axis = [0, 1, 0], angle = 3 }\n";
    expect(text, &[("unknown key `angle`", "did you mean `angle_deg`?", "4:32")]);
}

#[test]
fn nothing_multiplies_without_bound() {
    let body = "title = 't'\n[bodies.b]\nshape.sphere.radius = 1\n";
    refused_quickly(&format!("{body}repeat.grid = {{ count = [4000, 4000, 4000], spacing = [1, 1, 1] }}"), "too large");
    refused_quickly(&format!("{body}repeat.line = {{ count = 4294967295, step = [1, 1, 1] }}"), "too large");
    refused_quickly(&format!("{body}repeat.line = {{ count = 4294967296, step = [1, 1, 1] }}"), "out of range");
    // Each template is ten of the one before: 10³⁰ bodies.
    let mut laughs = String::from("title = 't'\n[templates.t0.bodies.b]\nshape.sphere.radius = 1\n");
    for level in 1..30 {
        laughs += &format!(
            "[templates.t{level}.instances.i]\ntemplate = 't{}'\nrepeat.line = {{ count = 10, step = [1, 0, 0] }}\n",
            level - 1
        );
    }
    refused_quickly(&laughs, "too large");
    // With changes each instance reads its template anew: 2³⁰ times.
    let mut changed = String::from("title = 't'\n[templates.t0.bodies.b]\nshape.sphere.radius = 1\n");
    for level in 1..30 {
        changed += &format!("[templates.t{level}]\nbodies.b.shape.sphere.radius = 1\n");
        for side in ["l", "r"] {
            changed += &format!("instances.{side} = {{ template = 't{}', change.b = {{}} }}\n", level - 1);
        }
    }
    refused_quickly(&changed, "too large");
    let empty = laughs.replace("[templates.t0.bodies.b]\nshape.sphere.radius = 1\n", "[templates.t0]\n");
    let loaded =
        within(Duration::from_secs(1), "nothing, 2³⁰ times,", || Loader::new().load_text("scene.toml", &empty));
    assert!(loaded.is_ok());
    let mut nested = String::from("title = 't'\n[shapes]\ns0.sphere.radius = 1\n");
    for level in 1..15 {
        let parts = vec![format!("{{ shape = 's{}' }}", level - 1); 10].join(", ");
        nested += &format!("s{level}.compound.parts = [{parts}]\n");
    }
    refused_quickly(&nested, "more than 10000 parts");
}

#[test]
fn what_is_no_time_to_sleep_is_pointed_at() {
    for value in ["\"nevr\"", "-1", "true", "[1]"] {
        let text = format!("title = 't'\nmethod.retroactive.settings.time_to_sleep = {value}\n");
        let all = said(&text);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].0.contains("time_to_sleep") && all[0].2 == "2:45", "{value}: {all:?}");
    }
    for key in ["energy_watch = 'shout'", "contact_rate = -3", "contact_rate = 'often'"] {
        let all = said(&format!("title = 't'\n{key}\n"));
        let column = key.find('=').unwrap() + 3;
        assert!(all.len() == 1 && all[0].2 == format!("2:{column}"), "{key}: {all:?}");
    }
}
