//! Pictures one after the other: PNG files, a GIF, or an MP4 through ffmpeg.

use super::palette::{COLORS, Palette};
use crate::failure::Failure;
use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tumble_scene::draft::Draft;

/// The most pictures per second of a GIF.
const FASTEST_GIF: f64 = 50.0;

/// What kind of film the name of a file asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One picture.
    Png,
    Gif,
    Mp4,
    /// An animation for other programs to draw.
    Glb,
    /// A folder of numbered pictures.
    Frames,
}

impl Kind {
    /// By the end of the name; an error if it says nothing, or if what it takes is not there.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("png") => Ok(Self::Png),
            Some("gif") => Ok(Self::Gif),
            Some("glb") => Ok(Self::Glb),
            Some("mp4") => {
                let known = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
                known.map(|_| Self::Mp4).map_err(no_ffmpeg)
            }
            None => Ok(Self::Frames),
            Some(other) => {
                let message = format!(
                    "cannot draw .{other}; known are .gif, .mp4, .png (one picture), .glb (an animation), and a folder"
                );
                Err(Failure::Request(message))
            }
        }
    }
}

impl Kind {
    /// The number of pictures per second nearest to the one wished for: viewers show GIFs with more than 50 far too slowly.
    pub(super) fn possible_rate(self, rate: f64) -> f64 {
        if self == Self::Gif && rate > FASTEST_GIF {
            eprintln!("a GIF shows at most {FASTEST_GIF} pictures per second, so that is what is drawn");
            return FASTEST_GIF;
        }
        rate
    }
}

fn no_ffmpeg(error: std::io::Error) -> Failure {
    Failure::Request(format!("MP4 needs ffmpeg, which could not be started: {error}; a .gif needs nothing"))
}

/// Somewhere to put pictures.
pub(super) struct Film {
    path: PathBuf,
    reel: Reel,
}

enum Reel {
    /// A folder of numbered files.
    Frames { next: usize },
    /// An animation with one palette; each frame holds only what changed.
    Gif { encoder: gif::Encoder<BufWriter<Draft>>, palette: Palette, last: Vec<u8>, rate: f64, shown: u64 },
    /// A video.
    Mp4 { encoder: Child, draft: Draft },
}

/// The colour number that means "as before".
const UNCHANGED: u8 = COLORS as u8;

fn failed<E: ToString>(path: &Path) -> impl Fn(E) -> Failure + '_ {
    move |error| Failure::Write(format!("{}: {}", path.display(), error.to_string()))
}

impl Film {
    /// A film; for a GIF, `samples` are pictures that show all colours there will be.
    pub(super) fn new(
        kind: Kind,
        path: &Path,
        size: [usize; 2],
        rate: f64,
        samples: &[Vec<u8>],
    ) -> Result<Self, Failure> {
        let reel = match kind {
            Kind::Gif => Reel::gif(path, size, rate, samples)?,
            Kind::Mp4 => Reel::mp4(path, size, rate)?,
            Kind::Frames | Kind::Png | Kind::Glb => {
                std::fs::create_dir_all(path).map_err(failed(path))?;
                Reel::Frames { next: 0 }
            }
        };
        Ok(Self { path: path.to_path_buf(), reel })
    }

    /// Adds a picture.
    pub(super) fn push(&mut self, picture: &[u8], size: [usize; 2]) -> Result<(), Failure> {
        let path = &self.path;
        match &mut self.reel {
            Reel::Frames { next } => {
                let path = path.join(format!("{next:05}.png"));
                *next += 1;
                write_png(&path, picture, size)
            }
            Reel::Gif { encoder, palette, last, rate, shown } => {
                let picture = palette.map(picture, size[0]);
                let frame = changes(&picture, last, size, delay(*shown, *rate));
                *last = picture;
                *shown += 1;
                encoder.write_frame(&frame).map_err(failed(path))
            }
            Reel::Mp4 { encoder, .. } => {
                let Some(input) = encoder.stdin.as_mut() else { return Ok(()) };
                input.write_all(picture).map_err(|error| Failure::Write(format!("ffmpeg: {error}")))
            }
        }
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        match self.reel {
            Reel::Frames { .. } => Ok(()),
            Reel::Gif { encoder, .. } => {
                let mut file = encoder.into_inner().map_err(failed(&self.path))?;
                file.flush().and_then(|()| file.get_mut().finish()).map_err(failed(&self.path))
            }
            Reel::Mp4 { mut encoder, mut draft } => {
                drop(encoder.stdin.take());
                match encoder.wait() {
                    Ok(status) if status.success() => draft.finish().map_err(failed(&self.path)),
                    Ok(status) => Err(Failure::Write(format!("ffmpeg ended with {status}"))),
                    Err(error) => Err(Failure::Write(format!("ffmpeg: {error}"))),
                }
            }
        }
    }
}

/// For how many hundredths of a second a GIF shows a picture: they differ by one, so that all of them together last as long
/// as they should.
fn delay(picture: u64, rate: f64) -> u16 {
    let hundredths = |picture: u64| (100.0 * picture as f64 / rate).round();
    (hundredths(picture + 1) - hundredths(picture)) as u16
}

/// A frame of a GIF with what has changed: the rectangle that holds all of it.
fn changes(picture: &[u8], last: &[u8], [width, height]: [usize; 2], delay: u16) -> gif::Frame<'static> {
    let differs = |index: usize| last.get(index) != Some(&picture[index]);
    let row_differs = |y: &usize| (y * width..(y + 1) * width).any(differs);
    let top = (0..height).find(row_differs).unwrap_or(0);
    let bottom = (top..height).rfind(row_differs).map_or(top + 1, |y| y + 1);
    let column_differs = |x: &usize| (top..bottom).any(|y| differs(y * width + x));
    let left = (0..width).find(column_differs).unwrap_or(0);
    let right = (left..width).rfind(column_differs).map_or(left + 1, |x| x + 1);
    let pixels = (top..bottom).flat_map(|y| y * width + left..y * width + right);
    gif::Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left) as u16,
        height: (bottom - top) as u16,
        delay,
        dispose: gif::DisposalMethod::Keep,
        transparent: Some(UNCHANGED),
        buffer: Cow::Owned(pixels.map(|index| if differs(index) { picture[index] } else { UNCHANGED }).collect()),
        ..gif::Frame::default()
    }
}

impl Reel {
    fn gif(path: &Path, size: [usize; 2], rate: f64, samples: &[Vec<u8>]) -> Result<Self, Failure> {
        let palette = Palette::of(samples.iter().map(Vec::as_slice));
        let mut colors = palette.colors.clone();
        colors.resize(3 * 256, 0);
        let file = BufWriter::new(Draft::beside(path).map_err(failed(path))?);
        let mut encoder = gif::Encoder::new(file, size[0] as u16, size[1] as u16, &colors).map_err(failed(path))?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(failed(path))?;
        Ok(Self::Gif { encoder, palette, last: Vec::new(), rate, shown: 0 })
    }

    fn mp4(path: &Path, [width, height]: [usize; 2], rate: f64) -> Result<Self, Failure> {
        let size = format!("{width}x{height}");
        let rate = rate.to_string();
        let source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &rate, "-i", "-"];
        let target = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-f", "mp4"];
        let draft = Draft::beside(path).map_err(failed(path))?;
        let mut command = Command::new("ffmpeg");
        // Ctrl-C is for us: we end the film, and ffmpeg with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let encoder = command
            .args(["-y", "-loglevel", "error"])
            .args(source)
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
            .args(target)
            .arg(draft.path())
            .stdin(Stdio::piped())
            .spawn();
        Ok(Self::Mp4 { encoder: encoder.map_err(no_ffmpeg)?, draft })
    }
}

/// Writes one picture.
pub(super) fn write_png(path: &Path, picture: &[u8], [width, height]: [usize; 2]) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().map_err(failed(path))?;
    writer.write_image_data(picture).map_err(failed(path))?;
    writer.finish().map_err(failed(path))?;
    Draft::write(path, &bytes).map_err(failed(path))
}
