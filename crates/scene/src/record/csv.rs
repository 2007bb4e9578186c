//! Tables as comma-separated text: a line with the names of the columns, then a line for each frame.
//!
//! To find the shortest text of a number that reads back as that number takes longer than to compute it, so it is done in a
//! thread of its own while the run goes on. The rows wait in a queue that is short: if the file cannot keep up, the run waits.

use super::{Columns, Output, RecordError};
use crate::Scene;
use crate::draft::Draft;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tumble_dynamics::World;

/// How many numbers are gathered before they are handed over; a row is never cut.
const TOGETHER: usize = 1024;
/// They are handed over at least this often, if there are any.
const OFTEN: Duration = Duration::from_millis(250);
/// How many numbers may wait, about 8 MB: enough to bridge the time in which the system has other things to do.
const WAITING: usize = 1 << 20;

/// A table as comma-separated text. Numbers are written with as many digits as it takes to read them back exactly.
#[derive(Debug)]
pub struct Csv {
    path: PathBuf,
    draft: Draft,
    columns: Columns,
    row: Vec<f64>,
    /// Rows to be handed over.
    gathered: Vec<f64>,
    handed_over: Instant,
    writer: Option<Writer>,
}

/// The thread that writes, until there is nothing more to come or the system refuses.
#[derive(Debug)]
struct Writer {
    rows: SyncSender<Vec<f64>>,
    /// What has been written, to be filled again.
    empty: Receiver<Vec<f64>>,
    thread: JoinHandle<std::io::Result<()>>,
}

impl Csv {
    /// Creates the file with its first line. If there is one of this name, it stays until the new one is complete.
    pub fn create(path: &Path, scene: &Scene) -> Result<Self, RecordError> {
        let columns = Columns::of(scene);
        let draft = Draft::growing(path).map_err(RecordError::io(path))?;
        let file = draft.share().map_err(RecordError::io(path))?;
        let names: Vec<String> = columns.names().iter().map(|name| quoted(name)).collect();
        let first_line = names.join(",") + "\n";
        let width = columns.names().len();
        let pieces = (WAITING / width.max(TOGETHER)).max(2);
        let ((rows, waiting), (done, empty)) = (sync_channel(pieces), channel());
        let thread = std::thread::Builder::new().name("csv".into());
        let thread = thread
            .spawn(move || write_table(file, first_line, width, &waiting, &done))
            .map_err(RecordError::io(path))?;
        let writer = Some(Writer { rows, empty, thread });
        Ok(Self {
            path: path.to_path_buf(),
            draft,
            columns,
            row: Vec::new(),
            gathered: Vec::new(),
            handed_over: Instant::now(),
            writer,
        })
    }

    /// Hands over what was gathered; fails if the thread has ended, and says why it did.
    fn hand_over(&mut self) -> Result<(), RecordError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        self.handed_over = Instant::now();
        let empty = writer.empty.try_recv().unwrap_or_default();
        let gathered = std::mem::replace(&mut self.gathered, empty);
        self.gathered.clear();
        if gathered.is_empty() || writer.rows.send(gathered).is_ok() { Ok(()) } else { self.end() }
    }

    /// Lets the thread write what it has, and ends it.
    fn end(&mut self) -> Result<(), RecordError> {
        let Some(Writer { rows, thread, .. }) = self.writer.take() else { return Ok(()) };
        drop(rows);
        let ended = thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the table could not be written")));
        ended.map_err(|error| RecordError::io_in_draft(&self.path, &self.draft)(error))
    }
}

/// What the thread does: each piece holds whole rows of `width` numbers.
fn write_table(
    mut file: File,
    mut lines: String,
    width: usize,
    waiting: &Receiver<Vec<f64>>,
    done: &Sender<Vec<f64>>,
) -> std::io::Result<()> {
    file.write_all(lines.as_bytes())?;
    let mut digits = zmij::Buffer::new();
    for rows in waiting {
        lines.clear();
        for row in rows.chunks(width) {
            for &number in row {
                let text = digits.format(number);
                lines.push_str(text.strip_suffix(".0").unwrap_or(text));
                lines.push(',');
            }
            lines.pop();
            lines.push('\n');
        }
        file.write_all(lines.as_bytes())?;
        // Nobody takes it back at the end.
        let _taken_or_not = done.send(rows);
    }
    Ok(())
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
        self.draft.keep();
        self.columns.row(world, &mut self.row);
        self.gathered.extend_from_slice(&self.row);
        if self.gathered.len() < TOGETHER && self.handed_over.elapsed() < OFTEN { Ok(()) } else { self.hand_over() }
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        self.hand_over()?;
        self.end()?;
        self.draft.finish().map_err(RecordError::io(&self.path))
    }
}

impl Drop for Csv {
    /// A table that nobody finishes has all its rows, too.
    fn drop(&mut self) {
        let _nobody_asks = self.hand_over().and_then(|()| self.end());
    }
}
