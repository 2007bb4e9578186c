//! Files that are whole or not there: written beside their place, and moved into it when they are complete.
//!
//! A [`Draft`] of `x.png` is `x.png.part` (or `x.png.part2` if there is one already) until it is [finished](Draft::finish).
//! What was at its place before stays until then, whatever happens: a refused command, a full disk, the end of the program.
//! A draft that nobody finishes or [keeps](Draft::keep) is removed.
//!
//! What is written as a run goes on is of use before it is complete. Its draft has the name of the file from the start
//! unless there is something of that name ([`Draft::growing`]).

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file on its way to its place.
#[derive(Debug)]
pub struct Draft {
    /// Where it will be.
    target: PathBuf,
    /// Where it is.
    at: PathBuf,
    file: File,
    /// Whether it stays if nobody finishes it.
    keep: bool,
}

impl Draft {
    /// A file that is of no use until it is complete.
    pub fn beside(path: &Path) -> Result<Self> {
        let target = target(path)?;
        match std::fs::metadata(&target) {
            Ok(old) if !old.is_file() => Self::through(target),
            Ok(old) => {
                // What may not be written may not be replaced.
                OpenOptions::new().write(true).open(&target)?;
                let draft = Self::new(target)?;
                draft.file.set_permissions(old.permissions())?;
                Ok(draft)
            }
            Err(_) => Self::new(target),
        }
    }

    /// A file that can be read while it grows.
    pub fn growing(path: &Path) -> Result<Self> {
        let target = target(path)?;
        match OpenOptions::new().write(true).read(true).create_new(true).open(&target) {
            Ok(file) => Ok(Self { at: target.clone(), target, file, keep: false }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Self::beside(&target),
            Err(error) => Err(error),
        }
    }

    /// Something else than a file, such as a pipe or a device, is written directly.
    fn through(target: PathBuf) -> Result<Self> {
        let file = OpenOptions::new().write(true).open(&target)?;
        Ok(Self { at: target.clone(), target, file, keep: true })
    }

    fn new(target: PathBuf) -> Result<Self> {
        let mut number = 1;
        loop {
            let mut at = target.as_os_str().to_owned();
            at.push(if number == 1 { ".part".to_owned() } else { format!(".part{number}") });
            let at = PathBuf::from(at);
            match OpenOptions::new().write(true).read(true).create_new(true).open(&at) {
                Ok(file) => return Ok(Self { target, at, file, keep: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// A file beside another one, for what is needed on the way to it.
    pub fn scratch(path: &Path) -> Result<Self> {
        // Without a slash at the end, behind which the file would be in the folder.
        Self::new(path.components().collect())
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        &self.at
    }

    /// From now on it stays even if nobody finishes it.
    pub fn keep(&mut self) {
        self.keep = true;
    }

    /// Whether it is still beside its place and stays there.
    pub fn is_kept_beside(&self) -> bool {
        self.keep && self.at != self.target
    }

    /// The file, for another thread to write.
    pub fn share(&self) -> Result<File> {
        self.file.try_clone()
    }

    /// Moves it to its place.
    pub fn finish(&mut self) -> Result<()> {
        self.file.flush()?;
        if self.at != self.target {
            std::fs::rename(&self.at, &self.target)?;
            self.at.clone_from(&self.target);
        }
        self.keep = true;
        Ok(())
    }

    /// Takes it away.
    pub fn remove(mut self) -> Result<()> {
        self.keep = true;
        std::fs::remove_file(&self.at)
    }

    /// Writes a whole file.
    pub fn write(path: &Path, content: &[u8]) -> Result<()> {
        let mut draft = Self::beside(path)?;
        draft.write_all(content)?;
        draft.finish()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.keep {
            let _nobody_asks = std::fs::remove_file(&self.at);
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

impl Seek for Draft {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.file.seek(to)
    }
}

/// The file that a path means, at the end of all links.
fn target(path: &Path) -> Result<PathBuf> {
    if path.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    let exists = path.symlink_metadata().is_ok();
    Ok(if exists { path.canonicalize().unwrap_or_else(|_| path.to_path_buf()) } else { path.to_path_buf() })
}

/// Whether two paths mean the same file, by whatever names and links, or would if it were there.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    place(one) == place(other) || identity(one).is_some_and(|file| identity(other) == Some(file))
}

/// The full path, without links.
fn place(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    whole.canonicalize().unwrap_or_else(|_| match (whole.parent(), whole.file_name()) {
        (Some(folder), Some(name)) => folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()).join(name),
        _ => whole,
    })
}

/// What tells a file from all others whatever it is called.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tumble-draft-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_there_stays_until_the_new_is_complete() {
        let folder = folder("beside");
        let path = folder.join("a.txt");
        std::fs::write(&path, "old").unwrap();
        let mut first = Draft::growing(&path).unwrap();
        let mut second = Draft::beside(&path).unwrap();
        first.write_all(b"first").unwrap();
        second.write_all(b"second").unwrap();
        assert_eq!(names(&folder), ["a.txt", "a.txt.part", "a.txt.part2"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        second.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        drop((first, second));
        assert_eq!(names(&folder), ["a.txt"], "what nobody finishes is removed");
        assert!(Draft::beside(&folder).is_err() && Draft::beside(&folder.join("no/a.txt")).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_grows_has_its_name_if_that_is_free() {
        let folder = folder("growing");
        let path = folder.join("a.txt");
        drop(Draft::growing(&path).unwrap());
        assert!(names(&folder).is_empty());
        let mut draft = Draft::growing(&path).unwrap();
        draft.keep();
        drop(draft);
        assert_eq!(names(&folder), ["a.txt"]);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_other_spellings_are_the_same_file() {
        let folder = folder("links");
        let path = folder.join("a.txt");
        std::fs::write(&path, "old").unwrap();
        std::fs::hard_link(&path, folder.join("hard")).unwrap();
        std::os::unix::fs::symlink("a.txt", folder.join("soft")).unwrap();
        for other in ["hard", "soft", "./a.txt", "../links/../links/a.txt"] {
            let other = PathBuf::from(folder.join(other).display().to_string().replace("../links", &{
                let name = folder.file_name().unwrap().to_string_lossy().into_owned();
                format!("../{name}")
            }));
            assert!(is_same_file(&path, &other), "{}", other.display());
        }
        assert!(!is_same_file(&path, &folder.join("b.txt")));
        assert!(is_same_file(&folder.join("b.txt"), &folder.join("./b.txt")));
        // A link stays one: what it leads to is replaced.
        Draft::write(&folder.join("soft"), b"new").unwrap();
        assert!(folder.join("soft").is_symlink());
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
