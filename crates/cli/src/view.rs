//! `tumble view`.

use crate::args::{Energy, View};
use crate::failure::{Failure, print};
use crate::run::stop_flag;
use crate::scene::{is_file, method_setting, not_in_gallery};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tumble_sandbox::{Options, Sandbox, SandboxError, Subject};

/// The scene to show if none is asked for.
const FIRST: &str = "alfred-stairs";

pub(crate) fn view(options: &View) -> Result<(), Failure> {
    let name = options.scene.as_deref().unwrap_or(FIRST);
    let subject = match Subject::gallery(name) {
        Some(subject) => subject,
        None if is_file(name) => Subject::file(name),
        None => return Err(not_in_gallery(name)),
    };
    // The method first, so that settings of the method apply to it.
    let method = options.method.as_deref().map(method_setting).transpose()?;
    let dt = options.dt.map(|dt| format!("dt={dt:?}"));
    let settings =
        method.into_iter().chain(options.settings.iter().cloned()).chain(dt).chain(options.energy.map(Energy::setting));
    let subject = subject.within(options.budget).with_registry(crate::plugins::registry().clone());
    let subject = settings.fold(subject, |subject, setting| subject.with_setting(setting));
    let sandbox = Sandbox::start(subject, &Options { host: options.host, port: options.port });
    let sandbox = sandbox.map_err(|error| match error {
        SandboxError::Scene(report) => Failure::Scene(report),
        other => Failure::Request(other.to_string()),
    })?;
    print(&format!("{}\nCtrl-C ends it.\n", sandbox.url()))?;
    if !options.no_open {
        open_browser(&sandbox.url());
    }
    let stop = stop_flag();
    while !stop.load(Ordering::Relaxed) {
        if !sandbox.is_running() {
            return Err(Failure::Request("the simulation has broken down".into()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Opens the address, if there is a browser; it has been printed in any case.
fn open_browser(url: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _no_browser = command.spawn();
}
