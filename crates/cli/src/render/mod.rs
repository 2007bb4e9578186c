//! `tumble render`: pictures of a run, drawn without a graphics card.
//!
//! The scene is run first, into a recording beside the result; then the recording is drawn. A recording can be drawn as
//! it is, too.

mod film;
mod palette;
mod picture;
mod raster;

use crate::args::Render;
use crate::failure::{Failure, print};
use crate::run::{Progress, outcome, stop_flag};
use crate::scene;
use film::{Film, write_png};
use picture::Painter;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use tumble_dynamics::State;
use tumble_scene::Scene;
use tumble_scene::record::{Header, Recording, RecordingWriter};
use tumble_scene::run::Runner;

/// From how many pictures the colours of a GIF are taken.
const SAMPLES: u64 = 12;

pub(crate) fn render(options: &Render) -> Result<(), Failure> {
    let size = parse_size(&options.size)?;
    let is_recording = Path::new(&options.choice.scene).extension().is_some_and(|ending| ending == "tumble");
    if is_recording {
        let mut recording = Recording::open(&options.choice.scene)?;
        if let Some(damage) = recording.damage() {
            eprintln!("{}: {damage}; drawing what is there", options.choice.scene);
        }
        let source = recording.header().scene.clone();
        let scene = scene::load_source(&source)?;
        return draw(options, &scene, &mut recording, size);
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
    let runner = Runner::default().with_output(recorder).stopping_when(move || stop.load(Ordering::Relaxed));
    let summary = runner.telling(|scene| progress.show(scene)).run(&mut scene);
    progress.clear();
    let drawn = draw(options, &scene, &mut Recording::open(&part)?, size);
    std::fs::remove_file(&part).map_err(|error| Failure::Write(format!("{}: {error}", part.display())))?;
    drawn.and_then(|()| outcome(summary))
}

/// "640x360" as numbers.
fn parse_size(text: &str) -> Result<[usize; 2], Failure> {
    let wrong = || Failure::Request(format!("--size {text}: expected WIDTHxHEIGHT, each between 16 and 4096"));
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    let number = |text: &str| text.parse().ok().filter(|size| (16..=4096).contains(size)).ok_or_else(wrong);
    Ok([number(width)?, number(height)?])
}

fn draw(options: &Render, scene: &Scene, recording: &mut Recording, size: [usize; 2]) -> Result<(), Failure> {
    let mut painter = Painter::new(scene, size[0], size[1]);
    let ending = options.out.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let count = recording.len();
    let mut film = match ending.as_deref() {
        Some("png") => {
            let frame = options.at.map_or(Ok(count.saturating_sub(1)), |at| recording.frame_at(at))?;
            let picture = painter.paint(recording.frame(frame)?);
            write_png(&options.out, &picture, size)?;
            return print(&format!("wrote {}\n", options.out.display()));
        }
        Some("gif") => {
            let mut samples = Vec::new();
            for sample in 0..SAMPLES.min(count) {
                samples.push(painter.paint(recording.frame(sample * (count - 1) / SAMPLES.min(count))?));
            }
            Film::gif(&options.out, size, options.fps, &samples)?
        }
        Some("mp4") => Film::mp4(&options.out, size, options.fps)?,
        None => Film::frames(&options.out)?,
        Some(other) => {
            let message = format!("cannot draw .{other}; known are .gif, .mp4, .png (one picture), and a folder");
            return Err(Failure::Request(message));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let mut painters = vec![painter];
    painters.resize_with(threads, || Painter::new(scene, size[0], size[1]));
    let mut frame = 0;
    while frame < count {
        let mut states = Vec::with_capacity(threads);
        while states.len() < threads && frame < count {
            states.push(recording.frame(frame)?.clone());
            frame += 1;
        }
        for picture in paint_together(&mut painters, &states) {
            film.push(&picture, size)?;
        }
    }
    film.finish()?;
    print(&format!("wrote {} ({count} pictures)\n", options.out.display()))
}

/// Pictures of some states, each drawn by a painter and a thread of its own.
fn paint_together(painters: &mut [Painter], states: &[State]) -> Vec<Vec<u8>> {
    std::thread::scope(|scope| {
        let busy: Vec<_> =
            painters.iter_mut().zip(states).map(|(painter, state)| scope.spawn(|| painter.paint(state))).collect();
        busy.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}
