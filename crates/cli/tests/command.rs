//! The command as scripts see it: exit codes, JSON, files, Ctrl-C.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod common;

use common::{at, expect, folder};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[test]
fn exit_codes_tell_what_went_wrong() {
    expect(0, &["run", "incline", "--until", "0.1"]);
    expect(1, &["run", "no-such-scene"]);
    expect(1, &["run", "no/such/file.toml"]);
    expect(1, &["run", "incline", "--set", "dtt=3"]);
    expect(1, &["run", "incline", "--until", "0.1", "--out", "a.unknown"]);
    expect(1, &["render", "no-such.tumble", "--out", "a.gif"]);
    expect(1, &["render", "incline", "--out", "a.bmp"]);
    for file in ["energy.png", "energy", "energy.svg.gz=energy", "a=energy", "=energy"] {
        let (_, err) = expect(1, &["run", "incline", "--until", "0.1", "--plot", file]);
        assert!(err.contains("plots are .svg"), "{err}");
    }
    let (_, err) = expect(1, &["compare", "incline", "--methods", "retroactive,retroactive", "--plot", "a.png"]);
    assert!(err.contains("plots are .svg"), "{err}");
    let (_, err) = expect(1, &["run", "incline", "--plot", "energy.svg", "--plot", "energy.svg=kinetic"]);
    assert!(err.contains("given twice"), "{err}");
    expect(2, &["run"]);
    for (option, number) in [("--dt", "-1"), ("--dt", "0"), ("--dt", "nan"), ("--until", "-2"), ("--until", "soon")] {
        let (_, err) = expect(2, &["run", "incline", option, number]);
        assert!(err.contains(option) && err.contains("expected a number"), "{err}");
    }
    for option in ["--fps", "--slow"] {
        expect(2, &["render", "incline", "--out", "a.gif", option, "-1"]);
    }
    expect(2, &["fly"]);
    // A force that no number can hold.
    expect(3, &["run", "incline", "--set", "forces.f={ gravity = { acceleration = [0, -1.7e308, 0] } }"]);
    expect(4, &["run", "incline", "--until", "0.1", "--out", "/no/such/folder/a.csv"]);
}

#[test]
fn errors_point_at_the_line_and_at_the_option() {
    let folder = folder("errors");
    let file = at(&folder, "wrong.toml");
    std::fs::write(&file, "title = 'w'\n[bodies.ball]\nshape.sphere.radius = 1\npositon = [0, 0, 0]\n").unwrap();
    let (_, err) = expect(1, &["check", &file]);
    assert!(err.contains("wrong.toml:4:1") && err.contains("did you mean `position`?"), "{err}");
    let (out, _) = expect(1, &["check", &file, "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report[0]["errors"][0]["line"], &report[0]["errors"][0]["column"]), (&4.into(), &1.into()));
    let (_, err) = expect(1, &["run", "cradel-1"]);
    assert!(err.contains("did you mean `cradle-1`?"), "{err}");
    let (_, err) = expect(1, &["run", "incline", "--method", "retroactiv"]);
    assert!(err.contains("there is no method `retroactiv`; did you mean `retroactive`?"), "{err}");
    let (_, err) = expect(1, &["run", "incline", "--out", "a.csv", "--out", "a.csv"]);
    assert!(err.contains("given twice"), "{err}");
    let (out, _) = expect(1, &["check", "incline", "no-such-scene", "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert!(report[1]["errors"][0]["message"].as_str().unwrap().contains("no-such-scene"), "{report}");
    let method = ["--method", "retroactive", "--set", "method.retroactive.integrator=runge_kutta_4"];
    expect(0, &[&["run", "incline", "--until", "0.1"], &method[..]].concat());
    // The method of the scene keeps the blend that the rocket lives on; another one says that it does not have it.
    let rocket = |method: &str| {
        let (out, err) = expect(0, &["run", "classic/rocket", "--until", "1.5", "--json", "--method", method]);
        (serde_json::from_str::<Value>(&out).unwrap()["end_energy"].as_f64().unwrap(), err)
    };
    let (plain, _) = expect(0, &["run", "classic/rocket", "--until", "1.5", "--json"]);
    let plain = serde_json::from_str::<Value>(&plain).unwrap()["end_energy"].as_f64().unwrap();
    assert_eq!(rocket("impact"), (plain, String::new()));
    let (other, note) = rocket("penalty");
    assert!(other != plain && note.contains("method \"impact\" (blends) are not taken over by \"penalty\""), "{note}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_summary_is_for_people_and_for_programs() {
    let (out, _) = expect(0, &["run", "incline", "--until", "0.5", "--json"]);
    let summary: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&summary["bodies"], &summary["steps"]), (&7.into(), &120.into()));
    let (out, _) = expect(0, &["run", "incline", "--until", "0.5"]);
    assert!(out.contains("energy") && out.contains("120 of"), "{out}");
    let (out, _) = expect(0, &["list", "--json"]);
    let list: Value = serde_json::from_str(&out).unwrap();
    assert!(list.as_array().unwrap().len() >= 28);
    assert!(list.as_array().unwrap().iter().any(|entry| entry["group"] == "constraints"), "{out}");
    let (out, _) = expect(0, &["list"]);
    assert!(out.contains("\nConstraints") && out.contains("\n  constraints/hinge "), "{out}");
}

#[test]
fn a_new_scene_is_fine_and_never_overwrites() {
    let folder = folder("new");
    let file = at(&folder, "my.toml");
    let (out, _) = expect(0, &["new", &file, "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["file"], file);
    expect(0, &["check", &file]);
    let (_, err) = expect(1, &["new", &file]);
    assert!(err.contains("exists already"), "{err}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn all_outputs_are_written() {
    let folder = folder("outputs");
    let names = ["a.csv", "a.npz", "a.glb", "a.tumble", "a.jsonl"].map(|name| at(&folder, name));
    let mut arguments = vec!["run", "bouncing-balls", "--until", "1"];
    names.iter().for_each(|name| arguments.extend(["--out", name]));
    let (energy, path) = (at(&folder, "energy.svg"), format!("{}=ball5/ball.y:time", at(&folder, "path.svg")));
    arguments.extend(["--plot", &energy, "--plot", &path]);
    expect(0, &arguments);
    for name in &names {
        assert!(std::fs::metadata(name).unwrap().len() > 500, "{name}");
    }
    assert!(std::fs::read_to_string(energy).unwrap().starts_with("<svg"));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 7, "nothing is left over");
    // A recording is drawn again without running.
    let (picture, film) = (at(&folder, "a.png"), at(&folder, "a.gif"));
    expect(0, &["render", &names[3], "--out", &picture, "--size", "160x90", "--at", "0.5"]);
    assert_eq!(&std::fs::read(picture).unwrap()[1..4], b"PNG");
    let (out, _) =
        expect(0, &["render", "bouncing-balls", "--until", "0.2", "--out", &film, "--size", "160x90", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["pictures"], 6);
    assert_eq!(&std::fs::read(film).unwrap()[..6], b"GIF89a");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A recording in which a box goes and a ball takes its place looks, at each moment, like a scene of those who are there.
/// A disk that becomes full in the middle of a run: the table stays up to there, the error is told, the rest is written.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_may_not_grow_keeps_what_it_has() {
    let folder = folder("full");
    let (table, events) = (at(&folder, "a.csv"), at(&folder, "a.jsonl"));
    // 100 blocks of 512 bytes; the signal that usually ends a program then is ignored, so that writing fails instead.
    let script = format!(
        "trap '' XFSZ; ulimit -f 100; exec {} run pile --until 2 --out {table} --out {events}",
        env!("CARGO_BIN_EXE_tumble")
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("a.csv: File too large"), "{told}");
    let text = std::fs::read_to_string(&table).unwrap();
    let width = text.lines().next().unwrap().split(',').count();
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert!(text.len() == 51_200 && rows.len() > 1, "{} bytes, {} rows", text.len(), rows.len());
    for (index, row) in rows[..rows.len() - 1].iter().enumerate() {
        let numbers: Vec<f64> = row.split(',').map(|number| number.parse().unwrap()).collect();
        assert!(numbers.len() == width && (numbers[0] - index as f64 / 60.0).abs() < 0.01, "row {index}");
    }
    assert!(std::fs::metadata(&events).unwrap().len() > 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bodies_that_come_and_go_are_drawn_while_they_are_there() {
    use tumble_dynamics::{Body, World};
    use tumble_scene::Loader;
    use tumble_scene::record::output_for;
    let folder = folder("cast");
    let frame = "title = 'x'\ngravity = [0, 0, 0]\ndt = 0.1\ncamera = { from = [0, 2, 5], to = [0, 0.5, 0] }\n\
                 [bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\n";
    let with_box = format!(
        "{frame}[bodies.box]\nshape.box.size = [1, 1, 1]\nposition = [0.3, 0.5, 0]\n\
         [bodies.far]\nshape.sphere.radius = 0.1\nposition = [-2, 1, 0]\n\
         [joints.rod]\nbetween = ['box', 'far']\ndistance = {{ anchors = [[0.3, 1, 0], [-2, 1, 0]] }}\n"
    );
    let with_ball = format!(
        "{frame}[bodies.ball]\nshape.sphere.radius = 0.4\nposition = [-0.4, 0.6, 0.1]\n\
         [bodies.far]\nshape.sphere.radius = 0.1\nposition = [-2, 1, 0]\n"
    );
    let with_nobody = format!(
        "{frame}[bodies.gap]\nkind = 'fixed'\n[bodies.far]\nshape.sphere.radius = 0.1\nposition = [-2, 1, 0]\n"
    );
    let mut scene = Loader::new().load_text("box.toml", &with_box).unwrap_or_else(|report| panic!("{report}"));
    let recorded = at(&folder, "run.tumble");
    let mut output = output_for(Path::new(&recorded), &scene).unwrap();
    let mut pass = |world: &mut World| {
        for _ in 0..3 {
            output.frame(world).unwrap();
            world.step(0.1).unwrap();
        }
    };
    let world = &mut scene.world;
    pass(world);
    world.remove_body(world.body_named("box").unwrap()).unwrap();
    pass(world);
    let shape = tumble_geometry::Shape::sphere(0.4).unwrap();
    let ball = world.add_body(Body::dynamic().with_shape(shape).at([-0.4, 0.6, 0.1])).unwrap();
    pass(world);
    world.remove_body(ball).unwrap();
    pass(world);
    output.finish().unwrap();

    let picture = |what: &str, time: &str| {
        let file = at(&folder, "picture.png");
        expect(0, &["render", what, "--out", &file, "--size", "160x120", "--at", time]);
        std::fs::read(file).unwrap()
    };
    for (text, times) in
        [(&with_box, &["0", "0.25"][..]), (&with_nobody, &["0.35", "1.15"]), (&with_ball, &["0.65", "0.85"])]
    {
        let like = at(&folder, "like.toml");
        std::fs::write(&like, text).unwrap();
        let wanted = picture(&like, "0");
        for time in times {
            assert!(picture(&recorded, time) == wanted, "at {time} s");
        }
    }
    // As a film, where threads draw one frame after the other, and as an animation for other programs.
    let (film, animation) = (at(&folder, "film.gif"), at(&folder, "film.glb"));
    expect(0, &["render", &recorded, "--out", &film, "--size", "160x120"]);
    expect(0, &["render", &recorded, "--out", &animation]);
    assert_eq!(&std::fs::read(animation).unwrap()[..4], b"glTF");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_plot_of_what_is_not_recorded_is_refused() {
    let (_, err) = expect(1, &["run", "incline", "--plot", "speed.svg"]);
    assert!(err.contains("there is no column `speed`") && err.contains("kinetic"), "{err}");
}

/// A free fall under all methods: each is near `accurate`. A pendulum: methods without joints say so and name others.
#[test]
fn all_methods_are_reported() {
    let (out, _) = expect(0, &["report", "methods", "bouncing-balls", "--until", "0.2", "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    let methods = report["methods"].as_array().unwrap();
    assert_eq!((methods.len(), methods[0]["method"].as_str()), (7, Some("accurate")));
    for method in methods {
        assert!(method["problem"].is_null() && method["largest_error"].as_f64().unwrap() < 0.05, "{method}");
        assert!((method["time"].as_f64().unwrap() - 0.2).abs() < 1e-9, "{method}");
    }
    let some = "impact,retroactive";
    let (out, _) = expect(0, &["report", "methods", "pendulum-2", "--until", "0.1", "--methods", some, "--markdown"]);
    let line = |name: &str| out.lines().find(|line| line.starts_with(&format!("| `{name}`"))).unwrap().to_owned();
    assert!(line("impact").contains("cannot hold joints") && line("impact").contains("\"verlet\""), "{out}");
    assert!(!line("retroactive").contains("cannot"), "{out}");
    let (_, err) = expect(1, &["report", "methods", "incline", "--methods", "magic"]);
    assert!(err.contains("there is no method `magic`"), "{err}");
    expect(2, &["report", "weather"]);
}

#[test]
fn methods_are_compared() {
    let methods = "retroactive:dt=0.0005,retroactive:integrator=explicit_euler";
    let (out, _) = expect(0, &["compare", "pendulum-2", "--until", "0.5", "--methods", methods, "--json"]);
    let result: Value = serde_json::from_str(&out).unwrap();
    let apart = result["methods"][1]["apart"].as_array().unwrap();
    let last = apart.last().unwrap()[2].as_f64().unwrap();
    assert!(apart.len() > 20 && last > 1e-7 && last < 0.1, "{last}");
    assert_eq!(result["methods"][0]["bodies"]["lower"], 0.0);
}

#[test]
fn validation_passes() {
    let (out, _) = expect(0, &["validate", "projectile", "physical_pendulum", "mass_properties", "tippe_top"]);
    assert!(!out.contains("FAILED") && out.matches("  passed").count() >= 8, "{out}");
    assert!(
        out.contains("not reached: the reference smooths friction") && out.contains("2 not reached, 0 failed"),
        "{out}"
    );
    let (out, _) = expect(0, &["validate", "--json", "tippe_top"]);
    let result: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(result[0]["findings"][1]["verdict"], "not reached");
    let (out, _) = expect(0, &["validate", "--markdown", "projectile"]);
    assert!(out.lines().count() == 3 && out.lines().all(|line| line.starts_with('|')), "{out}");
    assert_eq!(expect(0, &["validate", "--list"]).0.lines().count(), 48);
}

#[test]
fn validation_tells_what_is_wrong() {
    // At this step a pendulum is nowhere near.
    let (out, _) = expect(5, &["validate", "iftomm_A01", "--dt", "0.2"]);
    assert!(out.contains("FAILED"), "{out}");
    assert!(expect(1, &["validate", "--method", "retro"]).1.contains("retroactive"));
    assert!(expect(1, &["validate", "no_such_problem"]).1.contains("--list"));
}

#[test]
fn the_schema_is_json_schema() {
    let (out, _) = expect(0, &["schema"]);
    let schema: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(schema["properties"]["title"]["type"], "string");
    assert!(schema["$defs"]["JointFile"]["properties"]["hinge"]["properties"]["anchor"].is_object());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_with_what_was_computed() {
    let folder = folder("interrupt");
    let (table, recording) = (at(&folder, "a.csv"), at(&folder, "a.tumble"));
    let run = Command::new(env!("CARGO_BIN_EXE_tumble"))
        .args(["run", "cradle-1", "--until", "100000", "--out", &table, "--out", &recording])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Until there are many frames, however long that takes.
    while std::fs::metadata(&recording).map_or(0, |file| file.len()) < 60_000 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(out.contains("(stopped)"), "{out}");
    let rows = std::fs::read_to_string(table).unwrap().lines().count() - 1;
    let frames = tumble_scene::record::Recording::open(recording).unwrap();
    assert_eq!((frames.len() as usize, frames.damage()), (rows, None));
    assert!(rows > 10);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn limits_are_told_and_drawn() {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let (out, _) = expect(0, &["limits", "cone_limit", "--set", "angle_deg=30", "--json"]);
    let cone: Value = serde_json::from_str(&out).unwrap();
    // The cap of a cone: (1 − cos 30°)/2.
    assert!((number(&cone["directions"]) - 0.066_987).abs() < 0.002, "{}", cone["directions"]);
    assert!(cone["reach_deg"].as_array().unwrap().iter().all(|reach| (number(reach) - 30.0).abs() < 0.01));
    let (out, _) = expect(0, &["limits", "constraints/hinge_limit", "hinge", "--resolution", "10"]);
    assert!(out.contains("-500.0° to 500.0° about (0, 0, 1)"), "{out}");
    let (out, _) = expect(0, &["limits", "twist_limit", "--axis=1,0,0", "--resolution", "10"]);
    assert!(out.contains("twist       -45.0° to 45.0°") && out.contains("swing       free"), "{out}");
    let folder = folder("limits");
    let (svg, csv) = (at(&folder, "map.svg"), at(&folder, "map.csv"));
    let together = ["limits", "constraints/joystick_limits", "ball", "--together", "--out", &svg, "--out", &csv];
    expect(0, &together);
    let svg = std::fs::read_to_string(&svg).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("+x"), "{svg}");
    let table = std::fs::read_to_string(&csv).unwrap();
    let columns = table.lines().next().unwrap().split(',').count();
    assert!(table.lines().count() > 4000 && table.lines().all(|line| line.split(',').count() == columns));
    std::fs::remove_dir_all(folder).unwrap();
    let (_, err) = expect(1, &["limits", "cone_limt"]);
    assert!(err.contains("cone_limit"), "{err}");
    let (_, err) = expect(1, &["limits", "pendulum-2", "nobody"]);
    assert!(err.contains("its joints are ceiling"), "{err}");
    expect(1, &["limits", "cone_limit", "--set", "angle_deg=300"]);
    expect(1, &["limits", "cone_limit", "--axis", "0,0,0"]);
    expect(2, &["limits", "cone_limit", "--axis", "0,0"]);
    expect(1, &["limits", "cone_limit", "--out", "map.bmp"]);
}

/// One warning when it begins, one that sums up; none if nobody wants to know; an error if somebody insists.
#[test]
fn energy_out_of_nothing_is_told() {
    // With explicit Euler each step of a spring multiplies the energy of its swing by 1 + (k/m) dt².
    let spring = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/constraints/spring.toml");
    let euler = "dt = 0.02\nmethod.retroactive.integrator = \"explicit_euler\"\n";
    let text = format!("{euler}{}", std::fs::read_to_string(spring).unwrap());
    let folder = std::env::temp_dir().join(format!("tumble-energy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let scene = folder.join("spring.toml");
    std::fs::write(&scene, text).unwrap();
    let scene = scene.to_str().unwrap();
    let (_, err) = expect(0, &["run", scene]);
    assert_eq!(err.matches("warning: ").count(), 2, "{err}");
    assert!(err.contains("came out of nothing, mostly in \"bouncing\", \"damped\""), "{err}");
    let (out, _) = expect(0, &["run", scene, "--json"]);
    let summary: Value = serde_json::from_str(&out).unwrap();
    assert!(summary["energy_out_of_nothing"]["times"].as_u64() > Some(1), "{summary}");
    for silent in [["run", scene, "--energy", "off"], ["run", scene, "--set", "energy_watch=off"]] {
        let (_, err) = expect(0, &silent);
        assert_eq!(err, "");
    }
    let (_, err) = expect(3, &["run", scene, "--energy", "refuse"]);
    assert!(err.contains("error: ") && err.contains("came out of nothing"), "{err}");
    let (_, err) =
        expect(0, &["compare", scene, "--methods", "retroactive:integrator=explicit_euler,retroactive:dt=0.001"]);
    assert!(err.contains("warning: retroactive:integrator=explicit_euler: "), "{err}");
    let (_, err) = expect(0, &["bench", scene]);
    assert_eq!(err, "");
    let (_, err) = expect(0, &["bench", scene, "--energy", "warn"]);
    assert!(err.contains("warning: "), "{err}");
    expect(2, &["run", scene, "--energy", "shout"]);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Every method runs what it can; what it cannot do it says, with the names of others, and that is no failure.
#[test]
fn each_method_runs_a_scene_or_says_why_not() {
    let (out, _) = expect(0, &["run", "pendulum-2", "--until", "0.05", "--method", "each"]);
    for method in ["accurate", "realtime", "retroactive", "verlet", "penalty"] {
        let row = out.lines().find(|line| line.starts_with(method)).unwrap_or_else(|| panic!("{out}"));
        assert!(row.contains("0.050 s simulated"), "{row}");
    }
    for method in ["impact", "advancing"] {
        let row = out.lines().find(|line| line.starts_with(method)).unwrap_or_else(|| panic!("{out}"));
        assert!(row.contains("cannot hold joints") && row.contains("\"verlet\""), "{row}");
    }
    let (out, _) = expect(0, &["run", "incline", "--until", "0.05", "--method", "each", "--json"]);
    let rows: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(rows.as_array().map(Vec::len), Some(7));
    let (_, err) = expect(1, &["run", "incline", "--method", "each", "--out", "a.csv"]);
    assert!(err.contains("one method"), "{err}");
    expect(
        3,
        &["run", "incline", "--method", "each", "--set", "forces.f={ gravity = { acceleration = [0, -1.7e308, 0] } }"],
    );
}
