//! tumble's own recording: exact states, compact, seekable, with a checksum for every piece.
//!
//! A file starts with eight bytes, `89 54 4D 42 0D 0A 1A 0A`, and goes on in chunks: four letters that say what it is, the
//! length of its content (32 bits, little-endian like everything), the content, and the CRC-32 of all of that.
//!
//! | chunk | content |
//! |---|---|
//! | `HEAD` | JSON: the version of the format, the scene and its names; always first |
//! | `CAST` | JSON: which bodies go, and which come with what looks, from the next frame on; the first are those of the scene |
//! | `FRMS` | the first state of a block, packed (the time, poses, velocities and flags of all bodies); readable by itself |
//! | `MORE` | the next state of the block, told by how it differs; there are up to 63 |
//! | `INDX` | JSON: where each block is, its first frame and time, and where each change of the bodies is |
//! | `TAIL` | where the index is, in 8 bytes; always last |
//!
//! Every state is handed to the system when it comes, so that it survives this program whatever becomes of it. A run that
//! was cut off has no index; the reader then goes from chunk to chunk, and stops at the first one that is incomplete or whose
//! checksum is wrong. Everything before is intact.
//!
//! Version 1 had no `CAST`: bodies that were removed lay at the origin, and nothing was known of others than the scene's.
//! Version 2 did not say by which clock the time of a state is counted. Before version 4 a block was one chunk, `FRMS`, that
//! was written when it was full.

use super::cast::Change;
use super::frames::{Layout, Packer};
use super::{Output, RecordError};
use crate::Scene;
use crate::draft::Draft;
use crate::load::SceneSource;
use serde::{Deserialize, Serialize};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tumble_dynamics::{BodyId, Model, State, World};

pub(crate) const MAGIC: [u8; 8] = [0x89, b'T', b'M', b'B', b'\r', b'\n', 0x1a, b'\n'];
/// The version of the format that is written.
pub const VERSION: u32 = 4;
/// How many states a block holds at most.
pub(super) const FRAMES_PER_BLOCK: usize = 64;
/// A block is closed when it has grown to this many bytes.
const BLOCK_SIZE: usize = 4 << 20;

/// What a recording says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format.
    pub version: u32,
    /// The title of the scene.
    pub title: String,
    /// The time step in seconds.
    pub dt: f64,
    /// Frames per second of simulated time.
    pub rate: f64,
    /// The method.
    pub method: String,
    /// The names of the bodies, by slot.
    pub bodies: Vec<String>,
    /// The names of the joints, by slot.
    pub joints: Vec<String>,
    /// The scene it was made from.
    pub scene: SceneSource,
}

impl Header {
    /// The header for recordings of a scene.
    pub fn of(scene: &Scene) -> Self {
        Self::of_model(scene, scene.world.model())
    }

    /// The header for recordings of a scene that begin with the bodies and joints of this model.
    pub fn of_model(scene: &Scene, model: &Model) -> Self {
        let bodies = (0..model.bodies().slot_count())
            .map(|slot| model.bodies().in_slot(slot).map_or(String::new(), |body| body.name.clone()));
        let joints = (0..model.joints().slot_count())
            .map(|slot| model.joints().in_slot(slot).map_or(String::new(), |joint| joint.name.clone()));
        Self {
            version: VERSION,
            title: scene.title.clone(),
            dt: scene.dt,
            rate: scene.recording.rate,
            method: scene.world.method().name().to_owned(),
            bodies: bodies.collect(),
            joints: joints.collect(),
            scene: scene.source.clone(),
        }
    }
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct BlockPlace {
    pub(super) offset: u64,
    pub(super) first: u64,
    pub(super) time: f64,
}

/// Where all blocks are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) frames: u64,
    pub(super) blocks: Vec<BlockPlace>,
    /// Where it is said that bodies come or go.
    #[serde(default)]
    pub(super) casts: Vec<u64>,
}

/// Writes a recording, state by state, to a file or anything else.
#[derive(Debug)]
pub struct RecordingWriter<W = BufWriter<Draft>> {
    path: PathBuf,
    file: W,
    /// What is to be done with the file when there is something in it, and when it is complete.
    begun: fn(&mut W),
    done: fn(&mut W) -> std::io::Result<()>,
    offset: u64,
    packer: Option<Packer>,
    index: Index,
    /// The bodies that are there, once somebody has said so.
    known: Option<Vec<BodyId>>,
}

impl RecordingWriter {
    /// Creates the file with its header. If there is one of this name, it stays until the new one is complete.
    pub fn create(path: &Path, header: Header) -> Result<Self, RecordError> {
        let draft = Draft::growing(path).map_err(RecordError::io(path))?;
        let path = path.to_path_buf();
        Ok(Self { path, done: |file| file.get_mut().finish(), ..Self::in_draft(draft, &header)? })
    }

    /// Writes into a draft that somebody else finishes.
    pub fn in_draft(draft: Draft, header: &Header) -> Result<Self, RecordError> {
        let path = draft.path().to_path_buf();
        Ok(Self { begun: |file| file.get_mut().keep(), ..Self::to(BufWriter::new(draft), path, header)? })
    }

    /// The draft it is written into.
    pub(crate) fn draft(&self) -> &Draft {
        self.file.get_ref()
    }

    /// Hands back the draft.
    pub(crate) fn into_draft(self) -> std::io::Result<Draft> {
        self.file.into_inner().map_err(std::io::IntoInnerError::into_error)
    }
}

impl<W: Write> RecordingWriter<W> {
    /// Begins a recording with its header; `name` is for messages.
    pub fn to(mut file: W, name: impl AsRef<Path>, header: &Header) -> Result<Self, RecordError> {
        let path = name.as_ref();
        file.write_all(&MAGIC).map_err(RecordError::io(path))?;
        let mut writer = Self {
            path: path.to_path_buf(),
            file,
            begun: |_| {},
            done: |_| Ok(()),
            offset: MAGIC.len() as u64,
            packer: None,
            index: Index::default(),
            known: None,
        };
        let head = serde_json::to_vec(header).map_err(|error| RecordError::format(path, error.to_string()))?;
        writer.chunk(*b"HEAD", &[&head])?;
        Ok(writer)
    }

    /// Says which bodies there are from the next state on. The first time they must be those of the scene.
    pub fn set_bodies(&mut self, model: &Model) -> Result<(), RecordError> {
        if let Some(known) = &self.known {
            let Some(change) = Change::between(known, model, self.index.frames) else { return Ok(()) };
            let text =
                serde_json::to_vec(&change).map_err(|error| RecordError::format(&self.path, error.to_string()))?;
            self.packer.iter_mut().for_each(Packer::clear);
            self.index.casts.push(self.offset);
            self.chunk(*b"CAST", &[&text])?;
        }
        self.known = Some(model.bodies().ids().collect());
        Ok(())
    }

    /// Adds a state, and hands it to the system.
    pub fn push(&mut self, state: &State) -> Result<(), RecordError> {
        let layout = Layout::of(state);
        // The memory of a packer is used again as long as the layout is the same.
        let known = self.packer.take().filter(|packer| packer.layout() == layout);
        let mut packer = known.unwrap_or_else(|| Packer::new(layout));
        if packer.count() as usize >= FRAMES_PER_BLOCK || packer.size() >= BLOCK_SIZE {
            packer.clear();
        }
        let is_first = packer.count() == 0;
        packer.push(state);
        let place = BlockPlace { offset: self.offset, first: self.index.frames, time: state.time };
        let [lengths, bytes] = packer.content();
        (self.begun)(&mut self.file);
        self.chunk(if is_first { *b"FRMS" } else { *b"MORE" }, &[&packer.counts(), lengths, bytes])?;
        self.file.flush().map_err(RecordError::io(&self.path))?;
        if is_first {
            self.index.blocks.push(place);
        }
        self.index.frames += 1;
        self.packer = Some(packer);
        Ok(())
    }

    /// Completes the recording and hands back what it was written to.
    pub fn complete(mut self) -> Result<W, RecordError> {
        self.write_end()?;
        Ok(self.file)
    }

    fn write_end(&mut self) -> Result<(), RecordError> {
        let at = self.offset;
        let index =
            serde_json::to_vec(&self.index).map_err(|error| RecordError::format(&self.path, error.to_string()))?;
        self.chunk(*b"INDX", &[&index])?;
        self.chunk(*b"TAIL", &[&at.to_le_bytes()])?;
        self.file.flush().and_then(|()| (self.done)(&mut self.file)).map_err(RecordError::io(&self.path))
    }

    /// Writes a chunk whose content is given in pieces.
    fn chunk(&mut self, kind: [u8; 4], content: &[&[u8]]) -> Result<(), RecordError> {
        let length: usize = content.iter().map(|piece| piece.len()).sum();
        let length = u32::try_from(length).map_err(|_| RecordError::format(&self.path, "a chunk is too long"))?;
        let mut sum = crc32fast::Hasher::new();
        let mut write = |bytes: &[u8]| {
            sum.update(bytes);
            self.file.write_all(bytes)
        };
        let start: [&[u8]; 2] = [&kind, &length.to_le_bytes()];
        let written = start.iter().chain(content).try_for_each(|piece| write(piece));
        let written = written.and_then(|()| self.file.write_all(&sum.finalize().to_le_bytes()));
        written.map_err(RecordError::io(&self.path))?;
        self.offset += 12 + u64::from(length);
        Ok(())
    }
}

impl<W: Write> Output for RecordingWriter<W> {
    fn path(&self) -> &Path {
        &self.path
    }

    fn frame(&mut self, world: &World) -> Result<(), RecordError> {
        self.set_bodies(world.model())?;
        self.push(world.state())
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        self.write_end()
    }
}
