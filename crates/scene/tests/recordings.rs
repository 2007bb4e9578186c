//! What a run writes is what happened: exactly, seekably, and up to the damage if a file is damaged.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use tumble_dynamics::{Body, Id, World};
use tumble_geometry::{Shape, Transform};
use tumble_scene::record::{Output, RecordError, Recording, output_for};
use tumble_scene::run::Runner;
use tumble_scene::{Loader, Scene};

const TEXT: &str = "title = 'Balls'\ndt = 0.005\nduration = 2\n[recording]\nrate = 100\n\
    [bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\n\
    [bodies.ball]\nshape.sphere.radius = 0.2\nmaterial = 'rubber'\nposition = [0, 1, 0]\nrepeat = { grid = { count = [3, 2, 2], spacing = [0.5, 0.5, 0.5] }, jitter = { position = 0.02 } }\n\
    [bodies.bob]\nshape.box.size = [0.2, 0.3, 0.4]\nposition = [3, 1, 0]\nangular_velocity = [1, 2, 3]\n\
    [joints.rope]\nbetween = ['world', 'bob']\nball.anchor = [3, 2, 0]\n";

fn scene() -> Scene {
    Loader::new().load_text("balls.toml", TEXT).unwrap_or_else(|report| panic!("{report}"))
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tumble-recordings-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Notes the fingerprints of all frames.
struct Witness<'a>(&'a mut Vec<u64>);

impl Output for Witness<'_> {
    fn path(&self) -> &Path {
        Path::new("")
    }

    fn frame(&mut self, world: &World) -> Result<(), RecordError> {
        self.0.push(world.state().fingerprint());
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        Ok(())
    }
}

/// Runs the scene with outputs to some files; the fingerprints of all frames.
fn record(paths: &[&Path]) -> Vec<u64> {
    let mut scene = scene();
    let mut prints = Vec::new();
    let mut runner = Runner::default().with_output(Witness(&mut prints));
    for path in paths {
        runner.add_output(output_for(path, &scene).unwrap());
    }
    let summary = runner.run(&mut scene);
    assert!(summary.write_errors.is_empty(), "{:?}", summary.write_errors);
    assert_eq!(summary.frames, 201);
    prints
}

/// Notes when frames were and where the first body was.
struct Places(Vec<(f64, f64)>);

impl Output for &mut Places {
    fn path(&self) -> &Path {
        Path::new("")
    }

    fn frame(&mut self, world: &World) -> Result<(), RecordError> {
        self.0.push((world.time(), world.state().bodies[0].position.y));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        Ok(())
    }
}

/// A method that knows the motion within its steps gives frames just at their times, however long the steps are: here those of a ball that
/// bounces without loss from 1 m above the ground.
#[test]
fn frames_between_steps_are_exact() {
    let text = "duration = 2\ndt = 0.1\nmethod = 'accurate'\nrecording.rate = 97\n\
        [materials.m]\nrestitution = 1\nfriction = 0\n\
        [bodies.ball]\nshape.sphere.radius = 0.1\nposition = [0, 1.1, 0]\nmaterial = 'm'\n\
        [bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\nmaterial = 'm'\n";
    let mut scene = Loader::new().load_text("ball.toml", text).unwrap_or_else(|report| panic!("{report}"));
    let mut places = Places(Vec::new());
    let summary = Runner::default().with_output(&mut places).run(&mut scene);
    assert_eq!(summary.frames, 195);
    let fall = (2.0_f64 / 9.81).sqrt();
    for (k, (time, height)) in places.0.iter().enumerate() {
        let due = (k as f64 / 97.0).min(2.0);
        assert!((time - due).abs() < 1e-12, "frame {k} at {time} instead of {due}");
        let since = (due + fall) % (2.0 * fall) - fall;
        let exact = 1.1 - 0.5 * 9.81 * since * since;
        assert!((height - exact).abs() < 1e-9, "at {time}: {height} instead of {exact}");
    }
}

#[test]
fn a_recording_gives_back_every_state_bit_for_bit_in_any_order() {
    let path = folder("exact").join("run.tumble");
    let prints = record(&[&path]);
    let mut recording = Recording::open(&path).unwrap();
    assert_eq!((recording.len(), recording.damage()), (201, None));
    assert_eq!(recording.header().bodies[13], "bob");
    for frame in (0..201).rev().chain([100, 3, 200, 64, 63, 65]) {
        assert_eq!(recording.frame(frame).unwrap().fingerprint(), prints[frame as usize], "frame {frame}");
    }
    assert!(recording.frame(201).is_err());
    assert_eq!(recording.frame_at(1.0001).unwrap(), 100);
    assert_eq!(recording.frame_at(1.0049).unwrap(), 100);
    assert_eq!(recording.frame_at(-5.0).unwrap(), 0);
    assert_eq!(recording.frame_at(1e9).unwrap(), 200);
    // The scene inside is enough to go on from.
    let source = recording.header().scene.clone();
    assert_eq!(Loader::new().load_text(&source.name, &source.text).unwrap().title, "Balls");
}

#[test]
fn cut_off_and_damaged_recordings_are_read_up_to_the_damage() {
    let folder = folder("damaged");
    let path = folder.join("run.tumble");
    let prints = record(&[&path]);
    let whole = std::fs::read(&path).unwrap();
    let damaged = folder.join("damaged.tumble");
    let (mut cuts, mut longest) = (0, 0);
    for length in (0..whole.len()).step_by(997).chain([whole.len() - 1]) {
        std::fs::write(&damaged, &whole[..length]).unwrap();
        let Ok(mut recording) = Recording::open(&damaged) else { continue };
        cuts += 1;
        assert!(recording.damage().is_some(), "cut at {length}");
        assert!(recording.len() >= longest, "a longer file has no fewer frames");
        longest = recording.len();
        for frame in 0..recording.len() {
            assert_eq!(recording.frame(frame).unwrap().fingerprint(), prints[frame as usize]);
        }
    }
    // A cut costs the frame it is in and those behind it, no more.
    assert!(cuts > 20 && longest >= 200, "{cuts} {longest}");
    // One wrong bit somewhere: no wrong number is ever given.
    let mut random = fastrand::Rng::with_seed(4);
    for _ in 0..300 {
        let mut bytes = whole.clone();
        let at = random.usize(..bytes.len());
        bytes[at] ^= 1 << random.u8(..8);
        std::fs::write(&damaged, &bytes).unwrap();
        let Ok(mut recording) = Recording::open(&damaged) else { continue };
        for frame in 0..recording.len() {
            if let Ok(state) = recording.frame(frame) {
                assert_eq!(state.fingerprint(), prints[frame as usize]);
            }
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_table_reads_back_exactly() {
    let folder = folder("csv");
    let path = folder.join("run.csv");
    record(&[&path]);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(names.len(), 6 + 13 * 13);
    assert_eq!(&names[..7], ["time", "kinetic", "potential", "energy", "contacts", "awake", "ball/0.x"]);
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 201);
    let mut scene = scene();
    Runner::default().run(&mut scene);
    let bob = scene.world.body(scene.world.body_named("bob").unwrap()).unwrap();
    let column = names.iter().position(|name| *name == "bob.x").unwrap();
    assert_eq!(rows[200][column..column + 3], bob.position().to_array());
    assert_eq!(rows[200][3], scene.world.energy().total());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_glb_file_is_what_it_claims_to_be() {
    let folder = folder("glb");
    let path = folder.join("run.glb");
    record(&[&path]);
    let bytes = std::fs::read(&path).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let json: Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
    let binary = &bytes[28 + word(12)..];
    assert_eq!(json["nodes"].as_array().unwrap().len(), 14);
    assert_eq!(json["animations"][0]["channels"].as_array().unwrap().len(), 2 * 13);
    assert_eq!(json["buffers"][0]["byteLength"], binary.len());
    // The last key of the bob is where it ended.
    let mut scene = scene();
    Runner::default().run(&mut scene);
    let bob = scene.world.body(scene.world.body_named("bob").unwrap()).unwrap().position().as_vec3();
    let sampler = json["animations"][0]["samplers"].as_array().unwrap().len() - 2;
    let accessor = &json["accessors"][json["animations"][0]["samplers"][sampler]["output"].as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let at = view["byteOffset"].as_u64().unwrap() as usize + 200 * 12;
    let number = |i: usize| f32::from_le_bytes(binary[at + 4 * i..at + 4 * i + 4].try_into().unwrap());
    assert_eq!([number(0), number(1), number(2)], bob.to_array());
    // Our own reader finds the meshes.
    let files = tumble_scene::mesh::Folder(folder.clone());
    let mesh = tumble_scene::mesh::MeshData::read(&files, "run.glb").unwrap();
    assert!(mesh.triangles.len() > 12 * 500);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Forty frames of a run in which a ball goes after ten, a box takes its place after twenty, and leaves after thirty.
fn record_comings_and_goings(paths: &[&Path]) -> (Scene, Vec<u64>) {
    let mut scene = scene();
    let mut outputs: Vec<_> = paths.iter().map(|path| output_for(path, &scene).unwrap()).collect();
    let mut prints = Vec::new();
    let (ball, mut late) = (scene.world.model().bodies().ids().nth(5).unwrap(), None);
    for frame in 0..40 {
        match frame {
            10 => scene.world.remove_body(ball).unwrap(),
            20 => {
                let shape = Shape::cuboid([0.1, 0.2, 0.3]).unwrap();
                let body = Body::dynamic().named("late").with_shape(shape).at([5.0, 6.0, 7.0]);
                late = Some(scene.world.add_body(body).unwrap());
                assert_eq!(late.unwrap().slot(), ball.slot(), "in the place of the one that went");
            }
            30 => scene.world.remove_body(late.unwrap()).unwrap(),
            _ => {}
        }
        outputs.iter_mut().for_each(|output| output.frame(&scene.world).unwrap());
        prints.push(scene.world.state().fingerprint());
        scene.world.step(scene.dt).unwrap();
    }
    outputs.iter_mut().for_each(|output| output.finish().unwrap());
    (scene, prints)
}

#[test]
fn bodies_that_come_and_go_are_known_with_their_frames() {
    let folder = folder("cast");
    let path = folder.join("run.tumble");
    let (_, prints) = record_comings_and_goings(&[&path]);
    let check = |path: &Path| {
        let mut recording = Recording::open(path).unwrap();
        let ids: Vec<_> = scene().world.model().bodies().ids().collect();
        for (index, &id) in ids.iter().enumerate() {
            assert_eq!(recording.stay(id), 0..if index == 5 { 10 } else { u64::MAX });
        }
        let [(late, stay)] = &recording.newcomers()[..] else { panic!("{:?}", recording.newcomers()) };
        assert_eq!((late.name.as_str(), late.slot(), late.moves, stay), ("late", 5, true, &(20..30)));
        let shape = Shape::cuboid([0.1, 0.2, 0.3]).unwrap();
        assert_eq!(late.surface(), tumble_scene::look::Surface::of(&shape, &Transform::IDENTITY));
        let late = (*late).clone();
        let there = late.frame(&recording.frame(20).unwrap().bodies[5]).translation;
        assert_eq!(there, [5.0, 6.0, 7.0].into());
        for frame in (0..40).rev() {
            assert_eq!(recording.frame(frame).unwrap().fingerprint(), prints[frame as usize], "frame {frame}");
        }
    };
    check(&path);
    // Without the index, too.
    let bytes = std::fs::read(&path).unwrap();
    let cut = folder.join("cut.tumble");
    std::fs::write(&cut, &bytes[..bytes.len() - 25]).unwrap();
    assert!(Recording::open(&cut).unwrap().damage().is_some());
    check(&cut);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A recording as version 1 wrote it, which knew nothing of bodies that come and go.
#[test]
fn recordings_of_the_first_version_are_read() {
    let folder = folder("version-1");
    let path = folder.join("run.tumble");
    let prints = record(&[&path]);
    let new = std::fs::read(&path).unwrap();
    let mut old = new[..8].to_vec();
    let mut at = 8;
    while at < new.len() {
        let length = u32::from_le_bytes(new[at + 4..at + 8].try_into().unwrap()) as usize;
        let (kind, mut content) = (&new[at..at + 4], new[at + 8..at + 8 + length].to_vec());
        if kind == b"HEAD" || kind == b"INDX" {
            let mut json: Value = serde_json::from_slice(&content).unwrap();
            let entries = json.as_object_mut().unwrap();
            assert!(entries.get("version").is_none_or(|version| *version == 4), "{entries:?}");
            entries.entry("version").and_modify(|version| *version = 1.into());
            entries.remove("casts");
            content = json.to_string().into_bytes();
            // What the tail points to stays where it is.
            content.resize(if kind == b"HEAD" { length } else { content.len() }, b' ');
        }
        let chunk = [kind, &(content.len() as u32).to_le_bytes(), &content].concat();
        old.extend(&chunk);
        old.extend(crc32fast::hash(&chunk).to_le_bytes());
        at += 12 + length;
    }
    assert!(old.len() < new.len());
    std::fs::write(&path, &old).unwrap();
    let mut recording = Recording::open(&path).unwrap();
    assert_eq!((recording.len(), recording.damage(), recording.header().version), (201, None, 1));
    assert!(recording.newcomers().is_empty());
    for frame in 0..201 {
        assert_eq!(recording.frame(frame).unwrap().fingerprint(), prints[frame as usize], "frame {frame}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// In an animation, bodies have no size while they are not there.
#[test]
fn bodies_of_an_animation_come_and_go() {
    let folder = folder("glb-cast");
    let paths = [folder.join("run.glb"), folder.join("run.tumble"), folder.join("again.glb")];
    record_comings_and_goings(&[&paths[0], &paths[1]]);
    let bytes = std::fs::read(&paths[0]).unwrap();
    // The same from a recording, later.
    let mut recording = Recording::open(&paths[1]).unwrap();
    tumble_scene::record::write_animation(&paths[2], &scene(), &mut recording, Default::default()).unwrap();
    assert_eq!(bytes, std::fs::read(&paths[2]).unwrap());

    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let binary = &bytes[28 + length..];
    assert_eq!(json["buffers"][0]["byteLength"], binary.len());
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let animation = &json["animations"][0];
    let keys = |name: &str, path: &str| -> Vec<Vec<f32>> {
        let mut channels = animation["channels"].as_array().unwrap().iter();
        let channel = channels.find(|channel| {
            channel["target"]["path"] == path && json["nodes"][number(&channel["target"]["node"])]["name"] == name
        });
        let sampler = &animation["samplers"][number(&channel.unwrap()["sampler"])];
        assert_eq!(sampler["interpolation"], if path == "scale" { "STEP" } else { "LINEAR" });
        let accessor = &json["accessors"][number(&sampler["output"])];
        let width = if accessor["type"] == "VEC4" { 4 } else { 3 };
        let start = number(&json["bufferViews"][number(&accessor["bufferView"])]["byteOffset"]);
        let floats = binary[start..start + 40 * width * 4].chunks_exact(4);
        let floats: Vec<f32> = floats.map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        floats.chunks_exact(width).map(<[f32]>::to_vec).collect()
    };
    let gone = json["nodes"][5]["name"].as_str().unwrap();
    for frame in 0..40 {
        assert_eq!(keys("late", "scale")[frame], [f32::from((20..30).contains(&frame)); 3], "frame {frame}");
        assert_eq!(keys(gone, "scale")[frame], [f32::from(frame < 10); 3], "frame {frame}");
        let [x, y, z, w] = keys("late", "rotation")[frame][..] else { panic!() };
        assert!((x * x + y * y + z * z + w * w - 1.0).abs() < 1e-5, "frame {frame}");
    }
    assert_eq!(keys("late", "translation")[..21], vec![vec![5.0, 6.0, 7.0]; 21], "where it will come");
    assert_eq!(keys("late", "translation")[30..], vec![keys("late", "translation")[29].clone(); 10], "where it went");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn events_are_lines_of_json() {
    let folder = folder("events");
    let path = folder.join("run.jsonl");
    record(&[&path]);
    let text = std::fs::read_to_string(&path).unwrap();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = events.iter().find(|event| event["event"] == "contact").unwrap();
    assert_eq!(first["phase"], "begin");
    // From about 0.8 m with radius 0.2: √(2·0.8/9.81) ≈ 0.4 s.
    assert!((first["time"].as_f64().unwrap() - 0.4).abs() < 0.02, "{first}");
    assert_eq!(first["bodies"][0], "floor");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_be_written_is_said_and_the_run_goes_on() {
    let mut scene = scene();
    let error = output_for(Path::new("/no/such/folder/run.csv"), &scene).err().unwrap();
    assert!(error.to_string().contains("/no/such/folder/run.csv"), "{error}");
    assert!(output_for(Path::new("run.xyz"), &scene).err().unwrap().to_string().contains(".tumble"));
    if Path::new("/dev/full").exists() {
        let full = tumble_scene::record::Csv::create(Path::new("/dev/full"), &scene).unwrap();
        let runner = Runner::default().with_output(full);
        let summary = runner.run(&mut scene);
        assert_eq!(summary.write_errors.len(), 1);
        assert!(summary.write_errors[0].to_string().starts_with("/dev/full: "), "{:?}", summary.write_errors);
        assert!((scene.world.time() - 2.0).abs() < 1e-9, "the run itself went to its end");
    }
}

/// A pendulum of one hinge with a ball that rests on a plate: what the tables say on request is what mechanics says.
#[test]
fn tables_have_the_columns_asked_for() {
    let text = "title = 'x'\ndt = 0.001\nduration = 0.5\n\
        [recording]\nrate = 1000\n\
        columns = ['step', 'kinetic_energy', 'acceleration', 'contact_force', 'joint_coordinates', 'reactions', 'joint_errors']\n\
        [bodies.plate]\nkind = 'fixed'\nshape.half_space = {}\n\
        [bodies.ball]\nshape.sphere.radius = 0.1\nmass = 2\nposition = [5, 0.1, 0]\nsleep = false\n\
        [bodies.bob]\nshape.box.size = [0.2, 0.2, 0.2]\nmass = 3\nposition = [1, 5, 0]\n\
        [joints.nail]\nbetween = ['world', 'bob']\nhinge.anchor = [0, 5, 0]\n";
    let folder = folder("columns");
    let (table, arrays) = (folder.join("a.csv"), folder.join("a.npz"));
    let mut scene = Loader::new().load_text("x", text).unwrap();
    let mut runner = Runner::default();
    for path in [&table, &arrays] {
        runner.add_output(output_for(path, &scene).unwrap());
    }
    assert!(runner.run(&mut scene).write_errors.is_empty());
    let text = std::fs::read_to_string(&table).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|number| number.parse().unwrap()).collect()).collect();
    let column = |name: &str| names.iter().position(|known| *known == name).unwrap_or_else(|| panic!("{name}"));
    let last = rows.last().unwrap();
    let of = |name: &str| last[column(name)];
    let near = |a: f64, b: f64, most: f64| assert!((a - b).abs() <= most, "{a} is not {b}");
    near(of("dt"), 0.001, 1e-12);
    near(of("ball.contact_fy"), 2.0 * 9.81, 1e-6);
    // ½ m v² + ½ I ω² with I = m a²/6.
    let (v, w) = (libm::hypot(of("bob.vx"), of("bob.vy")), of("bob.wz"));
    near(of("bob.kinetic"), 1.5 * v * v + 0.5 * 3.0 * 0.04 / 6.0 * w * w, 1e-9);
    near(of("nail.turn_speed"), w, 1e-6);
    near(of("nail.turn"), libm::atan2(of("bob.y") - 5.0, of("bob.x")), 1e-6);
    // Newton: m a = R + m g, with the mean acceleration of the last step.
    near(3.0 * of("bob.ax"), of("nail.fx"), 1e-3);
    near(3.0 * of("bob.ay"), of("nail.fy") - 3.0 * 9.81, 1e-3);
    assert!(of("nail.error") < 1e-6);
    let archive = std::fs::read(&arrays).unwrap();
    assert!(archive.windows(11).any(|bytes| bytes == b"nail.fx.npy"));
    std::fs::remove_dir_all(folder).unwrap();
}
