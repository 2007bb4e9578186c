//! Reading a recording back: any frame, in any order; up to the damage if there is some.

use super::RecordError;
use super::cast::{Change, Newcomer};
use super::frames::{Most, Unpacker};
use super::tumble::{BlockPlace, FRAMES_PER_BLOCK, Header, Index, MAGIC, VERSION};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use tumble_dynamics::{BodyId, State};

/// The longest chunk that is read, in bytes.
const LONGEST: u64 = 1 << 30;
/// The length of the last chunk.
const TAIL: u64 = 20;

/// How many bodies and joints a recording may have that it does not name.
const UNNAMED: usize = 1 << 16;

/// A recording, open for reading. Two states are kept in memory.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: BufReader<File>,
    length: u64,
    header: Header,
    index: Index,
    changes: Vec<Change>,
    damage: Option<String>,
    cursor: Cursor,
}

/// What was read last.
#[derive(Debug, Default)]
struct Cursor {
    /// The block, if one was begun, and how many of its frames were read.
    block: Option<usize>,
    read: u64,
    unpacker: Unpacker,
    /// Where the next piece of the block is.
    next: u64,
    /// The last two states that were read.
    states: [State; 2],
}

impl Recording {
    /// Whether a file is a recording, by the end of its name or by its first bytes.
    pub fn is_one(path: impl AsRef<Path>) -> bool {
        let path = path.as_ref();
        let begins = || {
            let mut magic = [0; MAGIC.len()];
            File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == MAGIC
        };
        path.extension().is_some_and(|ending| ending == "tumble") || (path.is_file() && begins())
    }

    /// Opens a recording. A file that was cut off or damaged is opened up to the damage, see [`Recording::damage`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(RecordError::io(path))?;
        let length = file.metadata().map_err(RecordError::io(path))?.len();
        let mut file = BufReader::new(file);
        let mut magic = [0; MAGIC.len()];
        if file.read_exact(&mut magic).is_err() || magic != MAGIC {
            return Err(RecordError::format(path, "not a recording of tumble"));
        }
        let (header, next) = match read_chunk(&mut file, MAGIC.len() as u64, length) {
            Ok((kind, content, next)) if kind == *b"HEAD" => (content, next),
            Ok(_) => return Err(RecordError::format(path, "the recording has no header")),
            Err(problem) => return Err(RecordError::format(path, format!("the header {problem}"))),
        };
        let version = serde_json::from_slice::<serde_json::Value>(&header).ok();
        let version = version.and_then(|header| header.get("version")?.as_u64());
        if version.is_some_and(|version| version > u64::from(VERSION)) {
            let problem = "the recording was made by a newer version of tumble";
            return Err(RecordError::format(path, problem));
        }
        let header: Header = serde_json::from_slice(&header)
            .map_err(|error| RecordError::format(path, format!("the header makes no sense: {error}")))?;
        if ![header.dt, header.rate].iter().all(|number| number.is_finite() && *number > 0.0) {
            let problem = format!("the header makes no sense: dt = {} s, {} frames per second", header.dt, header.rate);
            return Err(RecordError::format(path, problem));
        }
        let (index, changes, damage) = match read_index(&mut file, length) {
            Some((index, changes)) => (index, changes, None),
            None => scan(&mut file, next, length, &header),
        };
        let cursor = Cursor::default();
        Ok(Self { path: path.to_path_buf(), file, length, header, index, changes, damage, cursor })
    }

    /// What the recording says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many frames can be read.
    pub fn len(&self) -> u64 {
        self.index.frames
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is wrong with the end of the file, if it was cut off or damaged.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// The bodies that are not of the scene, each with the frames in which it is there.
    pub fn newcomers(&self) -> Vec<(&Newcomer, Range<u64>)> {
        let came = self.changes.iter().flat_map(|change| change.came.iter().map(|body| (body, change.frame)));
        came.map(|(body, from)| (body, from..self.end_of(body.id, from))).collect()
    }

    /// The frames in which a body of the scene is there.
    pub fn stay(&self, id: BodyId) -> Range<u64> {
        0..self.end_of(id, 0)
    }

    /// The first frame in which a body that was there at `from` is there no more; if it stays, beyond all frames.
    fn end_of(&self, id: BodyId, from: u64) -> u64 {
        let gone = self.changes.iter().find(|change| change.frame >= from && change.gone.contains(&id));
        gone.map_or(u64::MAX, |change| change.frame)
    }

    /// The state of a frame. Reading them in order is quickest.
    pub fn frame(&mut self, frame: u64) -> Result<&State, RecordError> {
        if frame >= self.index.frames {
            let problem = format!("there is no frame {frame}; there are {}", self.index.frames);
            return Err(RecordError::format(&self.path, problem));
        }
        let number = self.index.blocks.partition_point(|block| block.first <= frame).saturating_sub(1);
        let at = frame - self.index.blocks.get(number).map_or(0, |block| block.first);
        let known = self.cursor.read.checked_sub(at + 1).filter(|&back| self.cursor.block == Some(number) && back < 2);
        if known.is_none() {
            self.read_to(number, at).map_err(|what| {
                self.cursor.block = None;
                RecordError::format(&self.path, format!("block {number} {what}"))
            })?;
        }
        Ok(&self.cursor.states[usize::from(known == Some(1))])
    }

    /// Reads a block up to a frame of it.
    fn read_to(&mut self, number: usize, at: u64) -> Result<(), String> {
        let most = most(&self.header, &self.changes);
        let Self { cursor, file, length, .. } = self;
        if cursor.block != Some(number) || cursor.read > at {
            let offset = self.index.blocks.get(number).map_or(0, |block| block.offset);
            let (kind, piece, next) = read_chunk(file, offset, *length)?;
            if kind != *b"FRMS" {
                return Err("is not where the index says".into());
            }
            cursor.unpacker.begin(piece, most)?;
            (cursor.block, cursor.read, cursor.next) = (Some(number), 0, next);
        }
        while cursor.read <= at {
            if cursor.unpacker.left() == 0 {
                let (kind, piece, next) = read_chunk(file, cursor.next, *length)?;
                if kind != *b"MORE" {
                    return Err("has fewer frames than the index says".into());
                }
                cursor.unpacker.go_on(piece)?;
                cursor.next = next;
            }
            cursor.states.swap(0, 1);
            let [state, before] = &mut cursor.states;
            cursor.unpacker.next(state)?;
            check_time(state.time, (cursor.read > 0).then_some(before.time))?;
            cursor.read += 1;
        }
        Ok(())
    }

    /// The number of the last frame at or before a time; the first if there is none.
    pub fn frame_at(&mut self, time: f64) -> Result<u64, RecordError> {
        let number = self.index.blocks.partition_point(|block| block.time <= time).saturating_sub(1);
        let (first, end) = (
            self.index.blocks.get(number).map_or(0, |block| block.first),
            self.index.blocks.get(number + 1).map_or(self.index.frames, |block| block.first),
        );
        let mut found = first;
        for frame in first..end {
            if self.frame(frame)?.time > time {
                break;
            }
            found = frame;
        }
        Ok(found)
    }
}

/// The most bodies and joints a state can have: those that have names, and a few more.
fn most(header: &Header, changes: &[Change]) -> Most {
    let came = changes.iter().flat_map(|change| &change.came).map(|body| body.slot() + 1).max();
    let bodies = header.bodies.len().max(came.unwrap_or(0).min(header.bodies.len() + UNNAMED));
    Most { bodies, joints: header.joints.len() + UNNAMED }
}

/// Time goes forwards.
fn check_time(time: f64, before: Option<f64>) -> Result<(), String> {
    match before {
        _ if !time.is_finite() => Err(format!("has a frame at the time {time}")),
        Some(before) if time < before => Err(format!("has a frame at {time} s after one at {before} s")),
        _ => Ok(()),
    }
}

/// The chunk at an offset: its kind, its content and where the next begins.
fn read_chunk(file: &mut BufReader<File>, offset: u64, length: u64) -> Result<([u8; 4], Vec<u8>, u64), String> {
    let cut = || "is cut off".to_owned();
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut start = [0; 8];
    if offset.saturating_add(12) > length {
        return Err(cut());
    }
    file.read_exact(&mut start).map_err(failed)?;
    let size = u64::from(u32::from_le_bytes([start[4], start[5], start[6], start[7]]));
    if size > LONGEST || offset + 12 + size > length {
        return Err(cut());
    }
    let mut content = vec![0; size as usize];
    let mut sum = [0; 4];
    file.read_exact(&mut content).and_then(|()| file.read_exact(&mut sum)).map_err(failed)?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&start);
    hasher.update(&content);
    if hasher.finalize() != u32::from_le_bytes(sum) {
        return Err("is damaged: its checksum is wrong".into());
    }
    Ok(([start[0], start[1], start[2], start[3]], content, offset + 12 + size))
}

/// The index at the end, if the file is complete.
fn read_index(file: &mut BufReader<File>, length: u64) -> Option<(Index, Vec<Change>)> {
    let (kind, content, _) = read_chunk(file, length.checked_sub(TAIL)?, length).ok()?;
    let offset = u64::from_le_bytes((kind == *b"TAIL").then_some(content)?.try_into().ok()?);
    let (kind, content, _) = read_chunk(file, offset, length).ok()?;
    let index: Index = (kind == *b"INDX").then(|| serde_json::from_slice(&content).ok())??;
    let changes = index.casts.iter().map(|&offset| {
        let (kind, content, _) = read_chunk(file, offset, length).ok()?;
        (kind == *b"CAST").then(|| serde_json::from_slice(&content).ok())?
    });
    let changes = changes.collect::<Option<Vec<Change>>>()?;
    is_possible(&index).then_some((index, changes))
}

/// Whether blocks begin one after the other, in time too, and none has more frames than it can.
fn is_possible(index: &Index) -> bool {
    let ends = index.blocks.iter().skip(1).map(|block| block.first).chain([index.frames]);
    let mut counts = index.blocks.iter().zip(ends).map(|(block, end)| end.checked_sub(block.first));
    let first = index.blocks.first().map_or(index.frames, |block| block.first);
    let in_order = index.blocks.is_sorted_by(|a, b| a.time <= b.time);
    let finite = index.blocks.iter().all(|block| block.time.is_finite());
    let possible = |count: Option<u64>| count.is_some_and(|count| (1..=FRAMES_PER_BLOCK as u64).contains(&count));
    first == 0 && in_order && finite && counts.all(possible)
}

/// Goes from chunk to chunk to find what is intact, and says why it had to stop.
fn scan(
    file: &mut BufReader<File>,
    mut offset: u64,
    length: u64,
    header: &Header,
) -> (Index, Vec<Change>, Option<String>) {
    let (mut index, mut changes) = (Index::default(), Vec::new());
    let (mut unpacker, mut state, mut time) = (Unpacker::default(), State::default(), None);
    // Whether a block is open.
    let mut open = false;
    let problem = loop {
        let block = index.blocks.len();
        let (kind, content, next) = match read_chunk(file, offset, length) {
            Ok(chunk) => chunk,
            Err(_) if offset == length => break "the run was cut off: there is no index".to_owned(),
            Err(problem) => break format!("block {block} {problem}"),
        };
        let begun = match &kind {
            b"FRMS" => unpacker.begin(content, most(header, &changes)),
            b"MORE" if open => unpacker.go_on(content),
            b"CAST" => match serde_json::from_slice(&content) {
                Ok(change) => {
                    changes.push(change);
                    index.casts.push(offset);
                    (offset, open) = (next, false);
                    continue;
                }
                Err(problem) => break format!("the bodies after block {block} make no sense: {problem}"),
            },
            _ => break "the index at the end is damaged".to_owned(),
        };
        let mut read = || -> Result<(), String> {
            begun?;
            let mut is_first = kind == *b"FRMS";
            while unpacker.left() > 0 {
                unpacker.next(&mut state)?;
                check_time(state.time, time)?;
                if is_first {
                    index.blocks.push(BlockPlace { offset, first: index.frames, time: state.time });
                }
                (time, is_first) = (Some(state.time), false);
                index.frames += 1;
            }
            Ok(())
        };
        if let Err(problem) = read() {
            break format!("block {block} {problem}");
        }
        (offset, open) = (next, true);
    };
    (index, changes, Some(problem))
}
