//! The `tumble` command.

mod aim;
mod args;
mod bench;
#[cfg(test)]
mod book;
mod check;
mod compare;
mod demo;
mod each;
mod failure;
mod files;
mod fit;
mod gallery;
mod inverse;
mod limits;
mod plugins;
mod profile;
mod render;
mod report;
mod run;
mod scene;
mod starter;
mod sweep;
mod validate;
mod view;

use args::{Arguments, Command, List};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let folder = match &arguments.command {
        Some(Command::List(List { plugins: Some(folder), .. })) => folder.as_deref(),
        _ => arguments.plugins.as_deref(),
    };
    if let Err(failure) = plugins::read(folder) {
        return conclude(Err(failure));
    }
    let Some(command) = arguments.command else { return conclude(demo::show()) };
    conclude(match command {
        Command::Run(options) => run::run(&options),
        Command::View(options) => view::view(&options),
        Command::List(options) => gallery::list(&options),
        Command::Show(options) => starter::show(&options),
        Command::New(options) => starter::write(&options),
        Command::Check(options) => check::check(&options),
        Command::Schema(options) => check::schema(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Sweep(options) => sweep::sweep(&options),
        Command::Aim(options) => aim::aim(&options),
        Command::Fit(options) => fit::run(&options),
        Command::Inverse(options) => inverse::inverse(&options),
        Command::Validate(options) => validate::validate(&options),
        Command::Report(options) => report::report(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Render(options) => render::render(&options),
        Command::Limits(options) => limits::limits(&options),
    })
}

fn conclude(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.code()
        }
    }
}
