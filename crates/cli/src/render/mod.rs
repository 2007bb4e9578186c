//! `tumble render`: pictures of a run, drawn without a graphics card.
//!
//! The scene is run first, into a recording beside the result; then the recording is drawn. A recording can be drawn as
//! it is, too.

mod film;
mod light;
mod palette;
mod picture;
mod raster;

use crate::args::Render;
use crate::failure::{Failure, print};
use crate::run::{Progress, outcome, stop_flag};
use crate::scene;
use film::{Film, Kind, write_png};
use picture::Painter;
use serde_json::json;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use tumble_dynamics::State;
use tumble_scene::Scene;
use tumble_scene::record::{Header, RecordError, Recording, RecordingWriter, write_animation};
use tumble_scene::run::Runner;

/// From how many pictures the colours of a GIF are taken.
const SAMPLES: u64 = 6;

pub(crate) fn render(options: &Render) -> Result<(), Failure> {
    let size = parse_size(&options.size)?;
    // Before the run, which may take long.
    let kind = Kind::of(&options.out)?;
    if Recording::is_one(&options.choice.scene) {
        let mut recording = Recording::open(&options.choice.scene).map_err(unreadable)?;
        if let Some(damage) = recording.damage() {
            eprintln!("{}: {damage}; drawing what is there", options.choice.scene);
        }
        let source = recording.header().scene.clone();
        let scene = scene::load_source(&source)?;
        return draw(options, kind, &scene, &mut recording, size);
    }
    let mut settings = options.choice.all_settings();
    settings.push(format!("recording.rate={:?}", options.fps * options.slow));
    let mut scene = scene::load(&options.choice.scene, &settings)?;
    if let (Some(at), None) = (options.at, options.choice.until) {
        scene.duration = at;
    }
    let part = PathBuf::from(format!("{}.part", options.out.display()));
    let recorder = RecordingWriter::create(&part, Header::of(&scene))?;
    let stop = stop_flag();
    let mut progress = Progress::new(!options.quiet && std::io::stderr().is_terminal());
    let runner = Runner::default().with_output(recorder).stopping_when(|| stop.swap(false, Ordering::Relaxed));
    let summary = runner.telling(|scene| progress.show(scene)).run(&mut scene);
    progress.clear();
    let recording = Recording::open(&part).map_err(unreadable);
    let drawn = recording.and_then(|mut recording| draw(options, kind, &scene, &mut recording, size));
    std::fs::remove_file(&part).map_err(|error| Failure::Write(format!("{}: {error}", part.display())))?;
    drawn.and_then(|()| outcome(summary))
}

fn unreadable(error: RecordError) -> Failure {
    Failure::Request(error.to_string())
}

/// "640x360" as numbers.
fn parse_size(text: &str) -> Result<[usize; 2], Failure> {
    let wrong = || Failure::Request(format!("--size {text}: expected WIDTHxHEIGHT, each between 16 and 4096"));
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    let number = |text: &str| text.parse().ok().filter(|size| (16..=4096).contains(size)).ok_or_else(wrong);
    Ok([number(width)?, number(height)?])
}

fn draw(
    options: &Render,
    kind: Kind,
    scene: &Scene,
    recording: &mut Recording,
    size: [usize; 2],
) -> Result<(), Failure> {
    let count = recording.len();
    if count == 0 {
        return Err(Failure::Request("there is nothing to draw: the recording has no frames".into()));
    }
    if kind == Kind::Glb {
        write_animation(&options.out, scene, recording)?;
        return tell(options, 0);
    }
    let mut painter = Painter::new(scene, recording, size[0], size[1]);
    if kind == Kind::Png {
        let frame = options.at.map_or(Ok(count - 1), |at| recording.frame_at(at)).map_err(unreadable)?;
        let picture = painter.paint(frame, recording.frame(frame).map_err(unreadable)?);
        write_png(&options.out, &picture, size)?;
        return tell(options, 1);
    }
    let mut samples = Vec::new();
    if kind == Kind::Gif {
        let states = (0..SAMPLES).map(|sample| sample * (count - 1) / (SAMPLES - 1));
        for frame in states {
            // What is damaged is told of below.
            samples.extend(recording.frame(frame).ok().map(|state| painter.paint(frame, state)));
        }
    }
    let mut film = Film::new(kind, &options.out, size, options.fps, &samples)?;
    let drawn = shoot(scene, recording, size, vec![painter], |picture| film.push(picture, size));
    // What was drawn until something went wrong, or until Ctrl-C, is a film, too.
    film.finish()?;
    let Drawn { pictures, stopped } = drawn?;
    tell(options, pictures)?;
    if stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Says what was written.
fn tell(options: &Render, pictures: u64) -> Result<(), Failure> {
    let out = options.out.display();
    if options.json {
        return print(&format!("{:#}\n", json!({ "file": out.to_string(), "pictures": pictures })));
    }
    print(&match pictures {
        0 | 1 => format!("wrote {out}\n"),
        _ => format!("wrote {out} ({pictures} pictures)\n"),
    })
}

/// How many pictures were drawn, and whether Ctrl-C ended it.
struct Drawn {
    pictures: u64,
    stopped: bool,
}

/// Pictures of all frames, in order: painted by as many threads as there are cores, while this one reads states and hands
/// on pictures. It ends early with Ctrl-C, or where the recording is damaged.
fn shoot(
    scene: &Scene,
    recording: &mut Recording,
    size: [usize; 2],
    mut painters: Vec<Painter>,
    mut push: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<Drawn, Failure> {
    let stop = stop_flag();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    painters.resize_with(threads, || Painter::new(scene, recording, size[0], size[1]));
    let count = recording.len();
    std::thread::scope(|scope| {
        // Frame i is painted by thread i mod n.
        let lines: Vec<_> = painters
            .iter_mut()
            .map(|painter| {
                let (orders, states) = sync_channel::<(u64, State)>(2);
                let (done, pictures) = sync_channel::<Vec<u8>>(2);
                scope.spawn(move || {
                    while let Ok((frame, state)) = states.recv() {
                        if done.send(painter.paint(frame, &state)).is_err() {
                            break;
                        }
                    }
                });
                (orders, pictures)
            })
            .collect();
        let broken = || Failure::Request("a thread that draws has ended".into());
        let (mut ordered, mut received, mut end) = (0, 0, count);
        while received < end {
            if stop.load(Ordering::Relaxed) {
                end = end.min(ordered);
            }
            if ordered < end && ordered < received + 2 * threads as u64 {
                match recording.frame(ordered) {
                    Ok(state) => {
                        lines[ordered as usize % threads].0.send((ordered, state.clone())).map_err(|_| broken())?;
                        ordered += 1;
                    }
                    Err(error) => {
                        eprintln!("{error}; drawing what is before");
                        end = ordered;
                    }
                }
                continue;
            }
            if received < end {
                push(&lines[received as usize % threads].1.recv().map_err(|_| broken())?)?;
                received += 1;
            }
        }
        Ok(Drawn { pictures: received, stopped: stop.load(Ordering::Relaxed) })
    })
}
