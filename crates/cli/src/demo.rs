//! `tumble` without a command: something worth seeing.

use crate::args::{Render, Run, SceneChoice, View};
use crate::failure::{Failure, print};
use std::io::IsTerminal;
use std::net::Ipv4Addr;
use std::path::PathBuf;

const SCENE: &str = "alfred-stairs";
const FOLDER: &str = "out";
/// Until he lies, in seconds.
const UNTIL: f64 = 4.0;
/// Pictures per second.
const RATE: f64 = 20.0;

/// Opens the sandbox for somebody who sits in front of a screen; draws into files for everybody else.
pub(crate) fn show() -> Result<(), Failure> {
    if !(std::io::stdout().is_terminal() && has_screen()) {
        return draw();
    }
    crate::view::view(&View {
        scene: Some(SCENE.into()),
        method: None,
        dt: None,
        settings: Vec::new(),
        energy: None,
        budget: 1.0,
        port: 0,
        host: Ipv4Addr::LOCALHOST.into(),
        no_open: false,
    })
}

/// Whether a browser could open a window. Only systems where there may be none tell.
fn has_screen() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", target_os = "windows")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

fn draw() -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Write(format!("{FOLDER}: {error}"));
    std::fs::create_dir_all(FOLDER).map_err(failed)?;
    let choice = |scene: &str, settings: Vec<String>| SceneChoice {
        scene: scene.into(),
        until: Some(UNTIL),
        dt: None,
        settings,
        energy: None,
        budget: 1.0,
        keys: None,
    };
    let file = |ending: &str| format!("{FOLDER}/{SCENE}.{ending}");
    crate::run::run(&Run {
        choice: choice(SCENE, vec![format!("recording.rate={RATE}")]),
        method: None,
        outputs: vec![PathBuf::from(file("glb")), PathBuf::from(file("tumble"))],
        plots: vec![format!("{}=kinetic,potential,energy", file("svg"))],
        profile: false,
        json: false,
        quiet: false,
    })?;
    crate::render::render(&Render {
        choice: choice(&file("tumble"), Vec::new()),
        out: PathBuf::from(file("gif")),
        size: "640x360".into(),
        fps: RATE,
        slow: 1.0,
        at: None,
        json: false,
        quiet: false,
    })?;
    print(&format!(
        "\nLook at {FOLDER}/{SCENE}.gif (the run), {FOLDER}/{SCENE}.svg (its energy) and {FOLDER}/{SCENE}.glb (for Blender).\n\
         Then try `tumble list`, `tumble run NAME`, `tumble view NAME`, `tumble new my.toml`; `tumble --help` tells the rest.\n"
    ))
}
