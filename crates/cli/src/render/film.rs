//! Pictures one after the other: PNG files, a GIF, or an MP4 through ffmpeg.

use super::palette::{COLORS, Palette};
use crate::failure::Failure;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Somewhere to put pictures.
pub(super) enum Film {
    /// A folder of numbered files.
    Frames { folder: PathBuf, next: usize },
    /// An animation with one palette; each frame holds only what changed.
    Gif { encoder: gif::Encoder<BufWriter<File>>, palette: Palette, last: Vec<u8>, delay: u16 },
    /// A video.
    Mp4 { encoder: Child },
}

/// The colour number that means "as before".
const UNCHANGED: u8 = COLORS as u8;

fn failed<E: ToString>(path: &Path) -> impl Fn(E) -> Failure + '_ {
    move |error| Failure::Write(format!("{}: {}", path.display(), error.to_string()))
}

impl Film {
    pub(super) fn frames(folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        Ok(Self::Frames { folder: folder.to_path_buf(), next: 0 })
    }

    /// `samples` are pictures that show all colours there will be.
    pub(super) fn gif(path: &Path, size: [usize; 2], rate: f64, samples: &[Vec<u8>]) -> Result<Self, Failure> {
        let palette = Palette::of(samples.iter().map(Vec::as_slice));
        let mut colors = palette.colors.clone();
        colors.resize(3 * 256, 0);
        let file = BufWriter::new(File::create(path).map_err(failed(path))?);
        let mut encoder = gif::Encoder::new(file, size[0] as u16, size[1] as u16, &colors).map_err(failed(path))?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(failed(path))?;
        // Viewers take delays in hundredths of a second.
        let delay = (100.0 / rate).round().clamp(2.0, 6000.0) as u16;
        Ok(Self::Gif { encoder, palette, last: Vec::new(), delay })
    }

    pub(super) fn mp4(path: &Path, [width, height]: [usize; 2], rate: f64) -> Result<Self, Failure> {
        let size = format!("{width}x{height}");
        let rate = rate.to_string();
        let source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &rate, "-i", "-"];
        let target = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18"];
        let encoder = Command::new("ffmpeg")
            .args(["-y", "-loglevel", "error"])
            .args(source)
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
            .args(target)
            .arg(path)
            .stdin(Stdio::piped())
            .spawn();
        let encoder = encoder.map_err(|error| {
            Failure::Request(format!("MP4 needs ffmpeg, which could not be started: {error}; a .gif needs nothing"))
        })?;
        Ok(Self::Mp4 { encoder })
    }

    /// Adds a picture.
    pub(super) fn push(&mut self, picture: &[u8], size: [usize; 2]) -> Result<(), Failure> {
        match self {
            Self::Frames { folder, next } => {
                let path = folder.join(format!("{next:05}.png"));
                *next += 1;
                write_png(&path, picture, size)
            }
            Self::Gif { encoder, palette, last, delay } => {
                let picture = palette.map(picture, size[0]);
                let changed: Vec<u8> = if last.is_empty() {
                    picture.clone()
                } else {
                    picture
                        .iter()
                        .zip(last.iter())
                        .map(|(&new, &old)| if new == old { UNCHANGED } else { new })
                        .collect()
                };
                *last = picture;
                let frame = gif::Frame {
                    width: size[0] as u16,
                    height: size[1] as u16,
                    delay: *delay,
                    dispose: gif::DisposalMethod::Keep,
                    transparent: Some(UNCHANGED),
                    buffer: Cow::Owned(changed),
                    ..gif::Frame::default()
                };
                encoder.write_frame(&frame).map_err(|error| Failure::Write(error.to_string()))
            }
            Self::Mp4 { encoder } => {
                let Some(input) = encoder.stdin.as_mut() else { return Ok(()) };
                input.write_all(picture).map_err(|error| Failure::Write(format!("ffmpeg: {error}")))
            }
        }
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Frames { .. } => Ok(()),
            Self::Gif { encoder, .. } => {
                let mut file = encoder.into_inner().map_err(|error| Failure::Write(error.to_string()))?;
                file.flush().map_err(|error| Failure::Write(error.to_string()))
            }
            Self::Mp4 { mut encoder } => {
                drop(encoder.stdin.take());
                match encoder.wait() {
                    Ok(status) if status.success() => Ok(()),
                    Ok(status) => Err(Failure::Write(format!("ffmpeg ended with {status}"))),
                    Err(error) => Err(Failure::Write(format!("ffmpeg: {error}"))),
                }
            }
        }
    }
}

/// Writes one picture.
pub(super) fn write_png(path: &Path, picture: &[u8], [width, height]: [usize; 2]) -> Result<(), Failure> {
    let file = BufWriter::new(File::create(path).map_err(failed(path))?);
    let mut encoder = png::Encoder::new(file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().map_err(failed(path))?;
    writer.write_image_data(picture).map_err(failed(path))?;
    writer.finish().map_err(failed(path))
}
