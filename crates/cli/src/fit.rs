//! `tumble fit`: bodies for a skinned figure from a modeller.

use crate::args::Fit;
use crate::failure::{Failure, print};
use crate::files::{refuse_ending, refuse_inputs};
use std::path::Path;
use tumble_scene::draft::Draft;
use tumble_scene::fit::{Parts, fit};
use tumble_scene::mesh::Folder;

pub(crate) fn run(options: &Fit) -> Result<(), Failure> {
    let is_scene = options.out.extension().is_some_and(|ending| ending == "toml");
    refuse_ending(("out", &options.out), is_scene, "a skeleton is written to a file that ends with .toml")?;
    refuse_inputs(&[("out", options.out.as_path())], std::slice::from_ref(&options.file))?;
    let folder = options.out.parent().unwrap_or(Path::new(""));
    // The figure names its skin as seen from where it stands itself.
    let file = options.file.strip_prefix(folder).unwrap_or(&options.file).display().to_string();
    let stem = options.file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let name = options.name.clone().unwrap_or(stem);
    let parts = options.spheres.map_or(Parts::Convex, Parts::Spheres);
    let files = Folder(folder.to_path_buf());
    let skeleton = fit(&files, &file, &name, parts, options.mass).map_err(Failure::Request)?;
    let out = options.out.display();
    let text = format!("# A figure fitted to {file} by `tumble fit`. Give its bones joints with limits.\n\n{skeleton}");
    Draft::write(&options.out, text.as_bytes()).map_err(|error| Failure::Write(format!("{out}: {error}")))?;
    print(&format!(
        "wrote {out}; a scene beside it uses it with\n\n  include = [{:?}]\n\n  [instances.one]\n  template = {name:?}\n",
        options.out.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    ))
}
