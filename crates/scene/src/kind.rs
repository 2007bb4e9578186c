//! Recognises files that are no scenes, by how they begin or by the end of their names, to say what they are good for.

use crate::record::tumble::MAGIC;
use std::path::Path;

/// How files of some kinds begin.
const BEGINNINGS: [(&[u8], &str); 8] = [
    (&MAGIC, "tumble"),
    (b"glTF", "glb"),
    (b"PK\x03\x04", "npz"),
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"<svg", "svg"),
    (b"<?xml", "svg"),
];

/// What a file is and who takes it, if it is clearly no scene: `head` is how it begins.
pub(crate) fn other_kind(path: &Path, head: &[u8]) -> Option<(&'static str, &'static str)> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let beginning = BEGINNINGS.iter().find(|(beginning, _)| head.starts_with(beginning)).map(|(_, kind)| *kind);
    let film = head.get(4..8) == Some(b"ftyp");
    Some(match beginning.or(film.then_some("mp4")).or(ending.as_deref())? {
        "tumble" => ("a recording", "`tumble render FILE` draws it; the scene it was made from can be run again"),
        "obj" | "stl" | "gltf" | "glb" => {
            ("a mesh or an animation", "a scene refers to a mesh: `shape.mesh.file = \"FILE\"` or `shape.hull.file`")
        }
        "csv" | "npz" => ("a table of numbers", "`tumble run` writes such tables and does not read them"),
        "json" | "jsonl" => ("JSON", "a scene is written in TOML; `tumble new FILE` writes one to start from"),
        "png" | "jpg" | "jpeg" | "gif" | "svg" | "mp4" => {
            ("a picture or a film", "`tumble render` and `--plot` write such files and do not read them")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_how_they_begin_or_end() {
        let kind = |name: &str, head: &[u8]| other_kind(Path::new(name), head).map(|(what, _)| what);
        assert_eq!(kind("scene.toml", b"title = 'a'"), None);
        assert_eq!(kind("scene", b""), None);
        assert_eq!(kind("own.CSV", b"time,x"), Some("a table of numbers"));
        assert_eq!(kind("renamed.toml", b"glTF\x02"), Some("a mesh or an animation"));
        assert_eq!(kind("renamed.csv", &MAGIC), Some("a recording"));
        assert_eq!(kind("film", b"\0\0\0\x20ftypisom"), Some("a picture or a film"));
    }
}
