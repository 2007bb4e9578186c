//! Tables for NumPy: an `.npz` file with arrays over all frames.
//!
//! An array states its length before its numbers, and the length is known only at the end. Until then the rows are kept,
//! as they come, in a file beside it (`NAME.npz.part`, plain 64-bit numbers), from which the arrays are picked.

use super::table::{GENERAL, OF_BODY};
use super::zip::ZipWriter;
use super::{Columns, Output, RecordError};
use crate::Scene;
use crate::draft::Draft;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tumble_dynamics::World;

/// Arrays for NumPy: `time`, `kinetic`, `potential`, `energy`, `contacts`, `awake` (one number per frame), `names` of the
/// bodies, and `position`, `rotation` (x, y, z, w), `velocity`, `angular_velocity` (frame, body, component); and an array for
/// each column that the scene asks for besides.
#[derive(Debug)]
pub struct Npz {
    path: PathBuf,
    rows: Option<BufWriter<Draft>>,
    columns: Columns,
    row: Vec<f64>,
    bytes: Vec<u8>,
    frames: u64,
}

impl Npz {
    /// Creates the file for the rows, and sees whether the target can be written.
    pub fn create(path: &Path, scene: &Scene) -> std::result::Result<Self, RecordError> {
        let rows = Some(BufWriter::new(Draft::beside(path).map_err(RecordError::io(path))?));
        let columns = Columns::of(scene);
        Ok(Self { path: path.to_path_buf(), rows, columns, row: Vec::new(), bytes: Vec::new(), frames: 0 })
    }

    fn kept(&self, error: &std::io::Error) -> RecordError {
        let part = self.rows.as_ref().map_or(String::new(), |rows| rows.get_ref().path().display().to_string());
        RecordError::format(&self.path, format!("{error}; the rows until then are kept as plain numbers in {part}"))
    }

    fn assemble(&self, part: &Path) -> Result<()> {
        let width = self.columns.names().len();
        let bodies = self.columns.bodies();
        let mut zip = ZipWriter::new(BufWriter::new(Draft::beside(&self.path)?));
        // Of a long row only a little is needed here: a small buffer leaves out the rest.
        let mut rows = BufReader::with_capacity(1 << 12, File::open(part)?);
        for (column, name) in GENERAL.iter().enumerate() {
            let shape = format!("({},)", self.frames);
            self.add_array(&mut zip, &mut rows, name, &shape, &[column])?;
        }
        let mut rows = BufReader::with_capacity(1 << 20, File::open(part)?);
        for (name, first, count) in
            [("position", 0, 3), ("rotation", 3, 4), ("velocity", 7, 3), ("angular_velocity", 10, 3)]
        {
            let place = |body: usize| GENERAL.len() + body * OF_BODY.len() + first;
            let picked: Vec<usize> = (0..bodies).flat_map(|body| place(body)..place(body) + count).collect();
            let shape = format!("({}, {bodies}, {count})", self.frames);
            self.add_array(&mut zip, &mut rows, name, &shape, &picked)?;
        }
        for column in GENERAL.len() + OF_BODY.len() * bodies..width {
            let name = &self.columns.names()[column];
            self.add_array(&mut zip, &mut rows, name, &format!("({},)", self.frames), &[column])?;
        }
        let names: Vec<&str> = (0..bodies)
            .map(|body| self.columns.names()[GENERAL.len() + body * OF_BODY.len()].as_str())
            .map(|name| name.strip_suffix(".x").unwrap_or(name))
            .collect();
        add_names(&mut zip, &names)?;
        zip.finish()?.get_mut().finish()
    }

    /// An array made of some columns of all rows.
    fn add_array<W: Write + Seek>(
        &self,
        zip: &mut ZipWriter<W>,
        rows: &mut BufReader<File>,
        name: &str,
        shape: &str,
        picked: &[usize],
    ) -> Result<()> {
        let header = header("<f8", shape);
        let size = header.len() as u64 + self.frames * picked.len() as u64 * 8;
        rows.seek(SeekFrom::Start(0))?;
        zip.add(&format!("{name}.npy"), size, |file| {
            file.write_all(&header)?;
            // Of each row what lies between the first and the last of the columns.
            let (first, last) = (picked.first().copied().unwrap_or(0), picked.last().map_or(0, |last| last + 1));
            let behind = 8 * (self.columns.names().len() - last) as i64;
            let mut part = vec![0; 8 * (last - first)];
            let mut chosen = Vec::with_capacity(picked.len() * 8);
            for _ in 0..self.frames {
                rows.seek_relative(8 * first as i64)?;
                rows.read_exact(&mut part)?;
                rows.seek_relative(behind)?;
                chosen.clear();
                for column in picked.iter().map(|column| 8 * (column - first)) {
                    chosen.extend_from_slice(&part[column..column + 8]);
                }
                file.write_all(&chosen)?;
            }
            Ok(())
        })
    }
}

/// The header of an array: a Python dictionary, padded so that the numbers start at a multiple of 64 bytes.
fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let padding = 63 - (10 + text.len()) % 64;
    text += &" ".repeat(padding);
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.bytes());
    header
}

/// The names as an array of strings of 32-bit characters, padded to the longest.
fn add_names<W: Write + Seek>(zip: &mut ZipWriter<W>, names: &[&str]) -> Result<()> {
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
    let mut content = header(&format!("<U{longest}"), &format!("({},)", names.len()));
    for name in names {
        let letters = name.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
        letters.for_each(|letter| content.extend(letter.to_le_bytes()));
    }
    zip.add("names.npy", content.len() as u64, |file| file.write_all(&content))
}

impl Output for Npz {
    fn path(&self) -> &Path {
        &self.path
    }

    fn frame(&mut self, world: &World) -> std::result::Result<(), RecordError> {
        self.columns.row(world, &mut self.row);
        self.bytes.clear();
        self.row.iter().for_each(|number| self.bytes.extend_from_slice(&number.to_le_bytes()));
        let Some(rows) = &mut self.rows else { return Ok(()) };
        rows.get_mut().keep();
        rows.write_all(&self.bytes).map_err(|error| self.kept(&error))?;
        self.frames += 1;
        Ok(())
    }

    fn finish(&mut self) -> std::result::Result<(), RecordError> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        let (flushed, part) = (rows.flush(), rows.get_ref().path().to_path_buf());
        flushed.and_then(|()| self.assemble(&part)).map_err(|error| self.kept(&error))?;
        let rows = self.rows.take().and_then(|rows| rows.into_inner().ok());
        rows.map_or(Ok(()), Draft::remove).map_err(RecordError::io(&part))
    }
}
