//! What a command is about to write, looked at before anything is made.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use tumble_scene::draft::is_same_file;

/// A file to write, and the option that asks for it.
pub(crate) type Wanted<'a> = (&'static str, &'a Path);

fn refuse((option, path): Wanted<'_>, why: &str) -> Failure {
    Failure::Request(format!("--{option} {}{why}", path.display()))
}

/// Refuses a file that is asked for twice, by whatever names.
pub(crate) fn refuse_doubles(files: &[Wanted<'_>]) -> Result<(), Failure> {
    let is_double = |index: usize| files[..index].iter().any(|(_, before)| is_same_file(before, files[index].1));
    match (0..files.len()).find(|&index| is_double(index)) {
        Some(index) => Err(refuse(files[index], " is given twice")),
        None => Ok(()),
    }
}

/// Refuses to write over what is read, by whatever names.
pub(crate) fn refuse_inputs(files: &[Wanted<'_>], inputs: &[PathBuf]) -> Result<(), Failure> {
    for &file in files {
        if let Some(input) = inputs.iter().find(|input| is_same_file(input, file.1)) {
            return Err(refuse(file, &format!(" is {}, which is read: choose another name", input.display())));
        }
    }
    Ok(())
}

/// Refuses a file of a name with another ending than those known.
pub(crate) fn refuse_ending(file: Wanted<'_>, is_known: bool, known: &str) -> Result<(), Failure> {
    if is_known { Ok(()) } else { Err(refuse(file, &format!(": {known}"))) }
}
