//! Nothing is lost: what was there stays until there is something better, whatever goes wrong.

#![allow(clippy::unwrap_used, reason = "a test may fail in its helpers, too")]

mod common;

use common::{at, expect, folder};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tumble_scene::record::Recording;

/// Everything in a folder, by name, with its content.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut all: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap_or_default())
        })
        .collect();
    all.sort();
    all
}

const SCENE: &str = "title = 'x'\nduration = 0.1\n[bodies.ball]\nshape.mesh.file = 'ball.obj'\n";
const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_refused_command_changes_no_file() {
    let folder = folder("refused");
    for name in ["keep.csv", "keep.npz", "keep.glb", "keep.tumble", "keep.jsonl", "keep.svg", "keep.gif"] {
        std::fs::write(folder.join(name), "precious").unwrap();
    }
    std::fs::write(folder.join("x.toml"), SCENE).unwrap();
    std::fs::write(folder.join("ball.obj"), MESH).unwrap();
    let before = content(&folder);
    let file = |name: &str| at(&folder, name);
    let (scene, nowhere) = (file("x.toml"), file("none/x.csv"));
    let mut outputs = vec!["run", &scene];
    let kept = ["keep.csv", "keep.npz", "keep.glb", "keep.tumble", "keep.jsonl"].map(file);
    kept.iter().for_each(|name| outputs.extend(["--out", name]));
    let (good_plot, bad_plot) = (format!("{}=energy", file("keep.svg")), format!("{}=nonsense", file("b.svg")));
    let refused = [
        (4, [&outputs[..], &["--plot", &good_plot, "--out", &nowhere]].concat()),
        (1, [&outputs[..], &["--plot", &good_plot, "--plot", &bad_plot]].concat()),
        (1, [&outputs[..], &["--set", "dt=-1"]].concat()),
        (1, vec!["render", &scene, "--out", &kept[2], "--set", "dt=-1"]),
    ];
    for (code, arguments) in refused {
        expect(code, &arguments);
        assert_eq!(content(&folder), before, "{arguments:?}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_read_is_not_written() {
    let folder = folder("inputs");
    let file = |name: &str| at(&folder, name);
    let text = SCENE.replace("ball.obj", "ball.glb");
    std::fs::write(folder.join("x.toml"), &text).unwrap();
    std::fs::write(folder.join("ball.obj"), MESH).unwrap();
    // A mesh that could be taken for an output, and other names for it.
    std::fs::write(folder.join("obj.toml"), SCENE).unwrap();
    expect(0, &["run", &file("obj.toml"), "--out", &file("ball.glb"), "--quiet"]);
    expect(0, &["run", &file("x.toml"), "--out", &file("run.tumble"), "--quiet"]);
    std::fs::hard_link(folder.join("ball.glb"), folder.join("hard.glb")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("ball.glb", folder.join("soft.glb")).unwrap();
    let before = content(&folder);
    let names = ["ball.glb", "./ball.glb", "hard.glb", if cfg!(unix) { "soft.glb" } else { "ball.glb" }];
    for name in names.map(file) {
        for input in ["x.toml", "run.tumble"].map(file) {
            let (_, err) = expect(1, &["render", &input, "--out", &name]);
            assert!(err.contains("which is read"), "{err}");
        }
        let (_, err) = expect(1, &["run", &file("x.toml"), "--out", &name]);
        assert!(err.contains("which is read"), "{err}");
        assert_eq!(content(&folder), before);
    }
    for (one, other) in [("a.npz", "./a.npz"), ("a.svg", "./a.svg"), ("ball.glb", "hard.glb")] {
        let option = if one.ends_with("svg") { "--plot" } else { "--out" };
        let (one, other) = (file(one), file(other));
        let (_, err) = expect(1, &["run", "pendulum-2", option, &one, option, &other]);
        assert!(err.contains("given twice"), "{err}");
    }
    assert_eq!(content(&folder), before);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Killed without a warning at any moment, a run leaves a recording of all that was computed, and leaves alone what was there.
#[cfg(unix)]
#[test]
fn a_killed_run_leaves_its_recording() {
    let folder = folder("killed");
    let (fresh, taken) = (at(&folder, "fresh.tumble"), at(&folder, "taken.tumble"));
    for moment in 0..3 {
        std::fs::remove_file(&fresh).unwrap_or_default();
        std::fs::write(&taken, "precious").unwrap();
        let mut run = Command::new(env!("CARGO_BIN_EXE_tumble"))
            .args(["run", "dominoes", "--quiet", "--until", "1e6", "--out", &fresh, "--out", &taken])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Until so much is written that there are several frames.
        let begun = Instant::now();
        while std::fs::metadata(&fresh).map_or(0, |file| file.len()) < 60_000 * (moment + 1) {
            assert!(begun.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(1));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let mut recording = Recording::open(&fresh).unwrap();
        assert!(recording.damage().is_some() && recording.len() > 5, "{} frames", recording.len());
        let last = recording.len() - 1;
        assert!((recording.frame(last).unwrap().time - last as f64 / 60.0).abs() < 0.02);
        // What comes after the last frame is at most a piece of the next one.
        assert_eq!(std::fs::read(&taken).unwrap(), b"precious");
        let part = Recording::open(format!("{taken}.part")).unwrap();
        assert!(part.len().abs_diff(recording.len()) <= 1, "{} and {}", part.len(), recording.len());
        std::fs::remove_file(format!("{taken}.part")).unwrap();
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A disk that is full while a film's run is recorded is named as the cause, and nothing is left over.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_the_cause_that_render_names() {
    let folder = folder("full");
    for film in ["a.gif", "a.png", "a.glb", "a"] {
        let script = format!(
            "trap '' XFSZ; ulimit -f 20; exec {} render pile --until 1 --quiet --size 64x36 --out {}",
            env!("CARGO_BIN_EXE_tumble"),
            at(&folder, film)
        );
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{film}: {told}");
        assert!(told.contains("File too large"), "{film}: {told}");
        assert!(content(&folder).is_empty(), "{film} leaves {:?}", std::fs::read_dir(&folder).unwrap().next());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_run_ends_at_its_duration() {
    let folder = folder("duration");
    let (table, recording) = (at(&folder, "a.csv"), at(&folder, "a.tumble"));
    let (out, _) =
        expect(0, &["run", "pendulum-2", "--until", "0.12345", "--out", &table, "--out", &recording, "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["time"], 0.12345);
    let text = std::fs::read_to_string(&table).unwrap();
    assert!(text.lines().last().unwrap().starts_with("0.12345,"), "{text}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A ball that falls from rest for t seconds: y = −g t²/2, whatever its mass; the row of each run is in its place.
#[test]
fn a_sweep_is_a_table_of_runs() {
    let folder = folder("sweep");
    let (scene, table) = (at(&folder, "fall.toml"), at(&folder, "table.csv"));
    let text = "title = 'fall'\ndt = 0.001\nduration = 1\n[bodies.ball]\nshape.sphere.radius = 0.1\nmass = 1\n";
    std::fs::write(&scene, text).unwrap();
    let vary = ["--vary", "duration=0.1:0.5:5", "--vary", "bodies.ball.mass=1,1000"];
    expect(0, &[&["sweep", &scene, "--out", &table][..], &vary].concat());
    let text = std::fs::read_to_string(&table).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert_eq!(names[..2], ["duration", "bodies.ball.mass"]);
    let y = names.iter().position(|name| *name == "ball.y").unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 10);
    for (index, row) in rows.iter().enumerate() {
        let time = 0.1 * (index / 2 + 1) as f64;
        assert!((row[0].parse::<f64>().unwrap() - time).abs() < 1e-12 && row[1] == ["1", "1000"][index % 2], "{row:?}");
        let fallen: f64 = row[y].parse().unwrap();
        assert!((fallen + 0.5 * 9.81 * time * time).abs() < 0.01 * time, "{fallen} after {time} s");
    }
    // A mistake in one of the runs is told, and the table of before stays.
    let (_, err) = expect(1, &["sweep", &scene, "--out", &table, "--vary", "bodies.ball.mass=1,-1"]);
    assert!(err.contains("mass"), "{err}");
    assert_eq!(std::fs::read_to_string(&table).unwrap(), text);
    assert_eq!(content(&folder).len(), 2);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn scenes_of_the_gallery_are_shown_and_copied() {
    let folder = folder("show");
    let (text, _) = expect(0, &["show", "rag-doll"]);
    let file = at(&folder, "doll.toml");
    expect(0, &["new", &file, "--from", "rag-doll"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    expect(0, &["check", &file]);
    let (_, err) = expect(1, &["new", &at(&folder, "b.toml"), "--from", "rag-dol"]);
    assert!(err.contains("`rag-doll`"), "{err}");
    std::fs::remove_dir_all(folder).unwrap();
}
