//! `tumble` without a command: something worth seeing.

use crate::args::{Render, Run, SceneChoice};
use crate::failure::{Failure, print};
use std::path::PathBuf;

const SCENE: &str = "dominoes";
const FOLDER: &str = "out";

pub(crate) fn demo() -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Write(format!("{FOLDER}: {error}"));
    std::fs::create_dir_all(FOLDER).map_err(failed)?;
    let choice = || SceneChoice { scene: SCENE.into(), until: None, dt: None, settings: Vec::new() };
    crate::run::run(&Run {
        choice: choice(),
        method: None,
        outputs: vec![PathBuf::from(format!("{FOLDER}/{SCENE}.glb"))],
        plots: vec![format!("{FOLDER}/{SCENE}.svg=kinetic,potential,energy")],
        json: false,
        quiet: false,
    })?;
    crate::render::render(&Render {
        choice: choice(),
        out: PathBuf::from(format!("{FOLDER}/{SCENE}.gif")),
        size: "640x360".into(),
        fps: 25.0,
        slow: 1.0,
        at: None,
        quiet: false,
    })?;
    print(&format!(
        "\nLook at {FOLDER}/{SCENE}.gif (the run), {FOLDER}/{SCENE}.svg (its energy) and {FOLDER}/{SCENE}.glb (for Blender).\n\
         Then try `tumble list`, `tumble run NAME`, `tumble new my.toml`; `tumble --help` tells the rest.\n"
    ))
}
