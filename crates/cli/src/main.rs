//! The `tumble` command.

mod args;
mod bench;
mod check;
mod compare;
mod failure;
mod gallery;
mod run;
mod scene;
mod starter;
mod validate;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Run(options) => run::run(&options),
        Command::List(options) => gallery::list(&options),
        Command::New(options) => starter::write(&options),
        Command::Check(options) => check::check(&options),
        Command::Schema => check::schema(),
        Command::Compare(options) => compare::compare(&options),
        Command::Validate(options) => validate::validate(&options),
        Command::Bench(options) => bench::bench(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.code()
        }
    }
}
