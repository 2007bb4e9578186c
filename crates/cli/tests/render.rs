//! Films and pictures: how long they last, what they show, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use common::{at, expect, folder};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use tumble_scene::record::Recording;

/// How many pictures a GIF has, and how many hundredths of a second it lasts.
fn length(film: &str) -> (usize, u32) {
    let mut decoder = gif::DecodeOptions::new().read_info(File::open(film).unwrap()).unwrap();
    let (mut pictures, mut hundredths) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        pictures += 1;
        hundredths += u32::from(frame.delay);
    }
    (pictures, hundredths)
}

/// A film lasts as long as what it shows, times `--slow`, and one picture more for the end: whatever the step, the rate of
/// the recording, and the number of pictures per second.
#[test]
fn films_last_as_long_as_what_they_show() {
    let folder = folder("length");
    let (film, recording) = (at(&folder, "a.gif"), at(&folder, "a.tumble"));
    let lasts = |what: &str, options: &str, wanted: (usize, u32)| {
        let options: Vec<&str> = options.split_whitespace().collect();
        expect(0, &[&["render", what, "--out", &film, "--size", "32x16"], &options[..]].concat());
        assert_eq!(length(&film), wanted, "{what} {options:?}");
    };
    lasts("two-spheres", "--until 1", (26, 104));
    lasts("two-spheres", "--until 1 --fps 30", (31, 103));
    lasts("two-spheres", "--until 1 --fps 60", (51, 102));
    lasts("two-spheres", "--until 2 --dt 0.1", (51, 204));
    lasts("two-spheres", "--until 0.1 --dt 0.1 --slow 100", (251, 1004));
    expect(0, &["run", "two-spheres", "--until", "1", "--out", &recording]);
    lasts(&recording, "", (26, 104));
    lasts(&recording, "--slow 3", (76, 304));
    lasts(&recording, "--slow 0.5 --fps 10", (6, 60));
    lasts(&recording, "--until 0.5", (13, 52));
    lasts(&recording, "--until 5", (26, 104));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A ball that flies on evenly is at the same place in a film of it and in a film of a recording with other frames.
#[test]
fn pictures_between_frames_show_what_is_between() {
    let folder = folder("between");
    let scene = at(&folder, "ball.toml");
    let text = "title = 'x'\ngravity = [0, 0, 0]\ndt = 0.01\nduration = 1\nrecording.rate = 7.5\n\
                camera = { from = [0, 0, 5], to = [0, 0, 0] }\n\
                [bodies.ball]\nshape.sphere.radius = 0.5\nposition = [-1, 0, 0]\nvelocity = [2, 0, 0]\n";
    std::fs::write(&scene, text).unwrap();
    let recording = at(&folder, "ball.tumble");
    expect(0, &["run", &scene, "--out", &recording]);
    // The end is not on the grid of frames.
    let mut recorded = Recording::open(&recording).unwrap();
    let frames = recorded.len();
    assert_eq!(frames, 9);
    assert!((recorded.frame(frames - 1).unwrap().time - 1.0).abs() < 1e-9);
    let picture = |what: &str, time: &str| {
        let file = at(&folder, "picture.png");
        expect(0, &["render", what, "--out", &file, "--size", "64x32", "--at", time]);
        let decoder = png::Decoder::new(std::io::BufReader::new(File::open(file).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        pixels
    };
    for time in ["0", "0.07", "0.5", "0.93", "1"] {
        let (one, other) = (picture(&scene, time), picture(&recording, time));
        let worst = one.iter().zip(&other).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst <= Some(2), "at {time} s: {worst:?}");
    }
    assert!(picture(&scene, "0") != picture(&scene, "0.07"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_a_film_cannot_heed_is_refused() {
    let folder = folder("heed");
    let recording = at(&folder, "a.tumble");
    expect(0, &["run", "two-spheres", "--until", "0.1", "--out", &recording]);
    for (option, value) in [("--dt", "0.01"), ("--set", "duration=3")] {
        let (_, err) = expect(1, &["render", &recording, "--out", &at(&folder, "a.gif"), option, value]);
        assert!(err.contains(option) && err.contains("recording"), "{err}");
    }
    for film in ["a.gif", "a.glb", "a"] {
        let (_, err) = expect(1, &["render", &recording, "--out", &at(&folder, film), "--at", "0.05"]);
        assert!(err.contains("--at is for one picture"), "{err}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing was made");
    std::fs::remove_dir_all(folder).unwrap();
}

/// The last piece of a file, its index, is intact, but its first block of frames is not.
#[test]
fn a_recording_of_which_nothing_can_be_drawn_makes_no_file() {
    let folder = folder("damaged");
    let recording = at(&folder, "a.tumble");
    expect(0, &["run", "two-spheres", "--until", "3", "--out", &recording]);
    let mut bytes = std::fs::read(&recording).unwrap();
    let block = bytes.windows(4).position(|four| four == b"FRMS").unwrap();
    bytes[block + 40] ^= 0x55;
    std::fs::write(&recording, &bytes).unwrap();
    for film in ["a.gif", "a.png", "a.glb", "a"] {
        let (out, err) = expect(1, &["render", &recording, "--out", &at(&folder, film), "--size", "32x16"]);
        assert!(out.is_empty() && err.contains("checksum"), "{film}: {out} {err}");
        assert!(!folder.join(film).exists(), "{film}");
    }
    // With the second block damaged, a film shows the first.
    bytes[block + 40] ^= 0x55;
    let second = bytes[block + 4..].windows(4).position(|four| four == b"FRMS").unwrap() + block + 4;
    bytes[second + 40] ^= 0x55;
    std::fs::write(&recording, &bytes).unwrap();
    let film = at(&folder, "b.gif");
    let (_, err) = expect(0, &["render", &recording, "--out", &film, "--size", "32x16"]);
    assert!(err.contains("drawing what is before") && (20..30).contains(&length(&film).0), "{err}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// The times of the keys of an animation: how many, the first and the last.
fn keys(animation: &str) -> (u64, f64, f64) {
    let bytes = std::fs::read(animation).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let document: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let input = document["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
    let times = &document["accessors"][input];
    let number = |key: &str| times[key][0].as_f64().unwrap();
    (times["count"].as_u64().unwrap(), number("min"), number("max"))
}

#[test]
fn animations_are_slow_motion_too() {
    let folder = folder("slow");
    let (animation, recording) = (at(&folder, "a.glb"), at(&folder, "a.tumble"));
    expect(0, &["render", "two-spheres", "--until", "1", "--slow", "4", "--out", &animation]);
    assert_eq!(keys(&animation), (101, 0.0, 4.0));
    expect(0, &["run", "two-spheres", "--until", "1", "--out", &recording]);
    expect(0, &["render", &recording, "--slow", "2", "--until", "0.5", "--out", &animation]);
    let (count, first, last) = keys(&animation);
    assert!(count == 31 && first == 0.0 && (last - 1.0).abs() < 1e-6, "{count} {first} {last}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A recording finds the meshes of its scene from any folder, and when it was moved together with them.
#[test]
fn recordings_find_the_meshes_of_their_scene() {
    let folder = folder("meshes");
    let (home, moved) = (folder.join("home"), folder.join("moved"));
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let text = "title = 'x'\nduration = 0.1\n[bodies.rock]\nshape.hull.file = 'rock.obj'\n";
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&moved).unwrap();
    std::fs::write(home.join("rock.obj"), mesh).unwrap();
    std::fs::write(home.join("scene.toml"), text).unwrap();
    let within = |place: &Path, arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_tumble")).args(arguments).current_dir(place).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let picture = ["--out", "a.png", "--size", "32x16"];
    let render = |place: &Path, recording: &str| within(place, &[&["render", recording], &picture[..]].concat());
    let done = (Some(0), String::new());
    assert_eq!(within(&home, &["run", "scene.toml", "--out", "../a.tumble"]), done);
    assert_eq!(render(&folder, "a.tumble"), done);
    assert_eq!(render(&moved, "../a.tumble"), done);
    // Where the scene was is nothing any more, but the mesh has come along.
    std::fs::rename(home.join("rock.obj"), moved.join("rock.obj")).unwrap();
    std::fs::rename(folder.join("a.tumble"), moved.join("a.tumble")).unwrap();
    assert_eq!(render(&folder, "moved/a.tumble"), done);
    std::fs::remove_file(moved.join("rock.obj")).unwrap();
    let (code, told) = render(&folder, "moved/a.tumble");
    assert!(code == Some(1) && told.contains("rock.obj"), "{told}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// What the README begins with: without a command and without a screen, something to look at is drawn into files.
#[test]
fn without_a_command_there_is_something_to_see() {
    let folder = folder("demo");
    let shown = Command::new(env!("CARGO_BIN_EXE_tumble")).current_dir(&folder).output().unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    for file in ["alfred-stairs.glb", "alfred-stairs.svg", "alfred-stairs.tumble"] {
        assert!(folder.join("out").join(file).metadata().unwrap().len() > 1000, "{file}");
    }
    assert_eq!(length(&at(&folder, "out/alfred-stairs.gif")), (81, 405));
}
