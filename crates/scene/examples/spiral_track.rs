//! Writes the mesh of the scene `spiral-track` as an OBJ file to standard output.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().lock().write_all(tumble_scene::mesh::spiral_track().to_obj().as_bytes())
}
