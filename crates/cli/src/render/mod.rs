//! `tumble render`: pictures of a run, drawn without a graphics card.
//!
//! The scene is run first, into a recording beside the result; then the recording is drawn. A recording can be drawn as
//! it is, too.

mod camera;
mod film;
mod light;
mod moments;
mod palette;
mod picture;
mod raster;

use crate::args::Render;
use crate::failure::{Failure, print};
use crate::files::refuse_inputs;
use crate::run::{Progress, outcome, stop_flag};
use crate::scene;
use film::{Film, Kind, write_png};
use moments::Moments;
use picture::Painter;
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use tumble_dynamics::State;
use tumble_scene::Scene;
use tumble_scene::draft::Draft;
use tumble_scene::record::{Header, Pace, RecordError, Recording, RecordingWriter, write_animation};
use tumble_scene::run::Runner;

/// The most pictures of a film.
const MOST_PICTURES: u64 = 1_000_000;
/// From how many pictures the colours of a GIF are taken.
const SAMPLES: u64 = 6;

pub(crate) fn render(options: &Render) -> Result<(), Failure> {
    let size = parse_size(&options.size)?;
    // Before the run, which may take long.
    let kind = Kind::of(&options.out)?;
    if options.at.is_some() && kind != Kind::Png {
        return Err(Failure::Request("--at is for one picture (.png); --until ends a film earlier".into()));
    }
    if Recording::is_one(&options.choice.scene) {
        return render_recording(options, kind, size);
    }
    let mut settings = options.choice.all_settings();
    settings.push(format!("recording.rate={:?}", options.fps * options.slow));
    let mut scene = scene::load_choice(&options.choice, &settings)?;
    refuse_inputs(&[("out", &options.out)], &scene.files)?;
    if let (Some(at), None) = (options.at, options.choice.until) {
        scene.duration = at;
    }
    let draft = Draft::scratch(&options.out).map_err(|error| unwritable(&options.out, &error))?;
    let part = draft.path().to_path_buf();
    let recorder = RecordingWriter::in_draft(draft, &Header::of(&scene))?;
    let stop = stop_flag();
    let progress = Progress::new(!options.quiet && std::io::stderr().is_terminal());
    let runner = Runner::default().with_output(recorder).stopping_when(|| stop.load(Ordering::Relaxed));
    let summary = progress.of(runner, &mut scene, |_| {});
    // What there is, is drawn; who does not want that either says so once more.
    stop.store(false, Ordering::Relaxed);
    let drawn = if summary.write_errors.is_empty() {
        let recording = Recording::open(&part).map_err(unreadable);
        // A moment after the end is not shown.
        let until = scene.duration;
        recording.and_then(|mut recording| draw(options, kind, &scene, &mut recording, size, until))
    } else {
        // A full disk is why there is nothing to draw.
        Ok(())
    };
    std::fs::remove_file(&part).map_err(|error| unwritable(&part, &error))?;
    drawn.and_then(|()| outcome(summary))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Write(format!("{}: {error}", path.display()))
}

/// Draws what was computed before.
fn render_recording(options: &Render, kind: Kind, size: [usize; 2]) -> Result<(), Failure> {
    let choice = &options.choice;
    let changes =
        [("--dt", choice.dt.is_some()), ("--set", !choice.settings.is_empty()), ("--energy", choice.energy.is_some())];
    if let Some((option, _)) = changes.into_iter().find(|&(_, given)| given) {
        let message =
            format!("{option} cannot change {}, which is a recording; render its scene instead", choice.scene);
        return Err(Failure::Request(message));
    }
    let mut recording = Recording::open(&choice.scene).map_err(unreadable)?;
    if let Some(damage) = recording.damage() {
        eprintln!("{}: {damage}; drawing what is there", choice.scene);
    }
    let scene = scene::load_source(&recording.header().scene, Path::new(&choice.scene))?;
    let inputs: Vec<PathBuf> = scene.files.iter().cloned().chain([PathBuf::from(&choice.scene)]).collect();
    refuse_inputs(&[("out", &options.out)], &inputs)?;
    draw(options, kind, &scene, &mut recording, size, choice.until.unwrap_or(f64::INFINITY))
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
    until: f64,
) -> Result<(), Failure> {
    if recording.is_empty() {
        return Err(Failure::Request("there is nothing to draw: the recording has no frames".into()));
    }
    if kind == Kind::Glb {
        write_animation(&options.out, scene, recording, Pace { slow: options.slow, until })
            .map_err(|error| if error.path() == options.out { error.into() } else { unreadable(error) })?;
        return tell(options, 0);
    }
    let threads =
        if kind == Kind::Png { 1 } else { std::thread::available_parallelism().map_or(1, usize::from).min(8) };
    let mut painters: Vec<Painter> = (0..threads).map(|_| Painter::new(scene, recording, size[0], size[1])).collect();
    let fps = kind.possible_rate(options.fps);
    let mut moments = Moments::new(scene, recording, until, fps * options.slow).map_err(unreadable)?;
    let count = moments.count();
    if kind != Kind::Png && count > MOST_PICTURES {
        let seconds = moments.end();
        let message = format!(
            "{count} pictures until {seconds} s are more than {MOST_PICTURES}; --until or --fps makes them fewer"
        );
        return Err(Failure::Request(message));
    }
    if kind == Kind::Png {
        let (frame, state) = moments.at(options.at.unwrap_or(moments.end())).map_err(unreadable)?;
        write_png(&options.out, &painters[0].paint(frame, &state), size)?;
        return tell(options, 1);
    }
    let mut samples = Vec::new();
    if kind == Kind::Gif {
        let last = moments.count() - 1;
        for sample in 0..SAMPLES {
            // What is damaged is told of below.
            let shown = moments.picture((last as f64 * sample as f64 / (SAMPLES - 1) as f64) as u64).ok();
            samples.extend(shown.map(|(frame, state)| painters[0].paint(frame, &state)));
        }
    }
    // Made with the first picture: without any there is no film.
    let mut film = None;
    let drawn = shoot(&mut moments, painters, |picture| {
        if film.is_none() {
            film = Some(Film::new(kind, &options.out, size, fps, &samples)?);
        }
        film.as_mut().map_or(Ok(()), |film| film.push(picture, size))
    });
    // What was drawn until something went wrong, or until Ctrl-C, is a film, too.
    film.map_or(Ok(()), Film::finish)?;
    let Drawn { pictures, stopped } = drawn?;
    if pictures > 0 {
        tell(options, pictures)?;
    }
    match (stopped, pictures) {
        (true, _) => Err(Failure::Interrupted),
        (false, 0) => Err(Failure::Request(format!("{} gives no picture", options.choice.scene))),
        _ => Ok(()),
    }
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

/// All pictures of a film, in order: each painter has a thread, while this one reads states and hands on pictures. It ends
/// early with Ctrl-C, or where the recording is damaged, unless that is before the first picture.
fn shoot(
    moments: &mut Moments<'_>,
    mut painters: Vec<Painter>,
    mut push: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<Drawn, Failure> {
    let stop = stop_flag();
    let (threads, count) = (painters.len(), moments.count());
    std::thread::scope(|scope| {
        // Picture i is painted by thread i mod n.
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
                match moments.picture(ordered) {
                    Ok(shown) => {
                        lines[ordered as usize % threads].0.send(shown).map_err(|_| broken())?;
                        ordered += 1;
                    }
                    Err(error) if ordered == 0 => return Err(unreadable(error)),
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
