//! The command, run by tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tumble(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tumble")).args(arguments).output().unwrap()
}

/// Runs the command, which must end with this code; gives what it said on standard output and standard error.
#[track_caller]
pub(crate) fn expect(code: i32, arguments: &[&str]) -> (String, String) {
    let output = tumble(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
    (out, err)
}

/// A folder of its own for each test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tumble-command-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

pub(crate) fn at(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}
