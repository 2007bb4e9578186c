//! Tables as comma-separated text: a line with the names of the columns, then a line for each frame.

use super::{Columns, Output, RecordError};
use crate::Scene;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tumble_dynamics::World;

/// A table as comma-separated text. Numbers are written with as many digits as it takes to read them back exactly.
#[derive(Debug)]
pub struct Csv {
    path: PathBuf,
    file: BufWriter<File>,
    columns: Columns,
    row: Vec<f64>,
    line: String,
}

impl Csv {
    /// Creates the file with its first line.
    pub fn create(path: &Path, scene: &Scene) -> Result<Self, RecordError> {
        let columns = Columns::of(scene);
        let mut file = BufWriter::new(File::create(path).map_err(RecordError::io(path))?);
        let names: Vec<String> = columns.names().iter().map(|name| quoted(name)).collect();
        writeln!(file, "{}", names.join(",")).map_err(RecordError::io(path))?;
        Ok(Self { path: path.to_path_buf(), file, columns, row: Vec::new(), line: String::new() })
    }

    fn write_row(&mut self) -> std::io::Result<()> {
        self.line.clear();
        let mut digits = zmij::Buffer::new();
        for &number in &self.row {
            if !self.line.is_empty() {
                self.line.push(',');
            }
            let text = digits.format(number);
            self.line.push_str(text.strip_suffix(".0").unwrap_or(text));
        }
        self.line.push('\n');
        self.file.write_all(self.line.as_bytes())
    }
}

/// A name that contains a comma or quote is put in quotes.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

impl Output for Csv {
    fn path(&self) -> &Path {
        &self.path
    }

    fn frame(&mut self, world: &World) -> Result<(), RecordError> {
        self.columns.row(world, &mut self.row);
        self.write_row().map_err(RecordError::io(&self.path))
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        self.file.flush().map_err(RecordError::io(&self.path))
    }
}
