//! How a command can fail, and the exit code that says so.

use std::process::ExitCode;
use tumble_scene::Report;
use tumble_scene::record::RecordError;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A scene is wrong: exit code 1.
    Scene(Box<Report>),
    /// Something else is wrong with what was asked for: exit code 1.
    Request(String),
    /// A step could not be taken: exit code 3.
    Step(String),
    /// Something could not be written: exit code 4.
    Write(String),
    /// A comparison with a known result failed: exit code 5. The table has been printed.
    Validation,
    /// Stopped from outside: exit code 130.
    Interrupted,
    /// Whoever reads our output has seen enough: no failure at all.
    Closed,
}

impl From<Report> for Failure {
    fn from(report: Report) -> Self {
        Self::Scene(Box::new(report))
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::Write(error.to_string())
    }
}

impl Failure {
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Scene(_) | Self::Request(_) => 1,
            Self::Step(_) => 3,
            Self::Write(_) => 4,
            Self::Validation => 5,
            Self::Interrupted => 130,
            Self::Closed => 0,
        })
    }

    /// Says what is wrong, on standard error.
    pub(crate) fn tell(&self) {
        match self {
            Self::Scene(report) => {
                let count = report.len();
                eprintln!("{report}\n{count} error{}", if count == 1 { "" } else { "s" });
            }
            Self::Request(message) | Self::Write(message) => eprintln!("error: {message}"),
            Self::Step(error) => eprintln!("error: {error}"),
            Self::Validation | Self::Interrupted | Self::Closed => {}
        }
    }
}

/// Prints to standard output; a reader that closes it (`| head`) ends the program quietly.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(error) => Err(Failure::Write(format!("standard output: {error}"))),
    }
}
