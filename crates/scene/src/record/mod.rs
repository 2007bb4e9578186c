//! Recordings and exports: what a run writes to disk.
//!
//! An [`Output`] gets to see the world after every step and writes frames at the rate the scene asks for. CSV tables and
//! JSON Lines of events are written as the run goes on; so is tumble's own [recording](mod@self::tumble), which keeps exact
//! states. NumPy and glTF files need to know how long the run was before they can be written, so they keep a recording
//! beside the file until the end. In no case does memory grow with the length of the run, and in no case is a file of the
//! same name lost before there is a new one (see [`draft`](mod@crate::draft)).

mod cast;
mod csv;
mod events;
mod frames;
mod gltf;
mod npz;
pub mod reader;
mod table;
pub mod tumble;
mod zip;

pub use cast::Newcomer;
pub use csv::Csv;
pub use events::EventLines;
pub use gltf::{GltfAnimation, Pace, write_animation};
pub use npz::Npz;
pub use reader::Recording;
pub use table::Columns;
pub use tumble::{Header, RecordingWriter};

use crate::Scene;
use crate::draft::Draft;
use std::path::{Path, PathBuf};
use tumble_dynamics::{BodyId, World};

/// Why something could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is not what it should be, or something does not fit into a format.
    #[error("{}: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl RecordError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_path_buf(), source }
    }

    /// What the system says while a draft is written. What is kept of it is of use: the message says where it is.
    pub(crate) fn io_in_draft<'a>(path: &'a Path, draft: &'a Draft) -> impl FnOnce(std::io::Error) -> Self + 'a {
        move |source| {
            if draft.is_kept_beside() {
                let problem = format!("{source}; what was written until then is in {}", draft.path().display());
                return Self::format(path, problem);
            }
            Self::io(path)(source)
        }
    }

    /// The file it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. } | Self::Format { path, .. } => path,
        }
    }

    pub(crate) fn format(path: &Path, problem: impl Into<String>) -> Self {
        Self::Format { path: path.to_path_buf(), problem: problem.into() }
    }
}

/// Something that writes a run to a file.
pub trait Output {
    /// The file.
    fn path(&self) -> &Path;

    /// Writes a frame: called for the start, then at the rate of the recording, and for the end.
    fn frame(&mut self, world: &World) -> Result<(), RecordError>;

    /// Sees every step: for events. Default: does not look.
    fn step(&mut self, _world: &World) -> Result<(), RecordError> {
        Ok(())
    }

    /// Completes the file. What was written before is there even if this is never called.
    fn finish(&mut self) -> Result<(), RecordError>;
}

/// What [`output_for`] says of other endings.
pub const UNKNOWN_ENDING: &str =
    "unknown ending; known are .csv, .npz (tables), .jsonl (events), .glb (animation), .tumble (recording)";

fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase())
}

/// Whether there is an output for a file of this name.
pub fn is_known_ending(path: &Path) -> bool {
    ending(path).is_some_and(|ending| ["csv", "npz", "jsonl", "tumble", "glb"].contains(&ending.as_str()))
}

/// The output for a file, by the end of its name: `.csv`, `.npz`, `.jsonl`, `.tumble`, `.glb`.
pub fn output_for(path: &Path, scene: &Scene) -> Result<Box<dyn Output>, RecordError> {
    Ok(match ending(path).as_deref() {
        Some("csv") => Box::new(Csv::create(path, scene)?),
        Some("npz") => Box::new(Npz::create(path, scene)?),
        Some("jsonl") => {
            let lines = EventLines::create(path)?;
            // A scene that says how often they are told wants to read them.
            Box::new(if scene.contact_rate.is_some() { lines.with_ongoing() } else { lines })
        }
        Some("tumble") => Box::new(RecordingWriter::create(path, Header::of(scene))?),
        Some("glb") => Box::new(GltfAnimation::create(path, scene)?),
        _ => return Err(RecordError::format(path, UNKNOWN_ENDING)),
    })
}

/// The bodies a scene wants in tables: those it names, by name or group, or else all that move.
pub(crate) fn selected(scene: &Scene) -> Vec<BodyId> {
    let wanted = &scene.recording.bodies;
    let bodies = scene.world.model().bodies().iter();
    let is_wanted = |body: &tumble_dynamics::model::BodyModel| {
        if wanted.is_empty() {
            body.kind.moves()
        } else {
            wanted.iter().any(|name| *name == body.name || body.groups.contains(name))
        }
    };
    bodies.filter(|(_, body)| is_wanted(body)).map(|(id, _)| id).collect()
}

/// Counts time in frames: frame k is due at k/rate seconds, or at the first step after.
#[derive(Clone, Copy, Debug)]
pub struct FrameClock {
    rate: f64,
    next: u64,
}

impl FrameClock {
    /// A clock with this many frames per second.
    pub fn new(rate: f64) -> Self {
        Self { rate, next: 0 }
    }

    /// The time of the first frame after this one, in seconds.
    pub fn after(&self, time: f64) -> f64 {
        let next = (time * self.rate).floor() + 1.0;
        // Rounding may have led back to the same frame.
        if next / self.rate > time { next / self.rate } else { (next + 1.0) / self.rate }
    }

    /// Whether a frame is due at this time; it is then taken. `dt` is the length of steps: times within a thousandth of
    /// it count as equal, since sums of steps are rounded.
    pub fn is_due(&mut self, time: f64, dt: f64) -> bool {
        let due = time + 1e-3 * dt >= self.next as f64 / self.rate;
        if due {
            // With steps longer than the distance of frames, frames are left out rather than doubled.
            self.next = (((time + 1e-3 * dt) * self.rate).floor() as u64 + 1).max(self.next + 1);
        }
        due
    }
}
