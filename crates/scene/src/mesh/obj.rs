//! Wavefront OBJ: `v x y z` and `f a b c …` with corners as `vertex/texture/normal`, counted from 1 or from the end.

use super::MeshData;
use super::polygon::triangulate;
use glam::DVec3;

pub(super) fn read(bytes: &[u8]) -> Result<MeshData, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = MeshData::default();
    for (index, line) in text.lines().enumerate() {
        read_line(line, &mut mesh).map_err(|problem| format!("line {}: {problem}", index + 1))?;
    }
    Ok(mesh)
}

fn read_line(line: &str, mesh: &mut MeshData) -> Result<(), String> {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("v") => {
            let mut number = || -> Result<f64, String> {
                let word = words.next().ok_or("a vertex has fewer than three coordinates")?;
                word.parse().map_err(|_| format!("\"{word}\" is no number"))
            };
            mesh.vertices.push(DVec3::new(number()?, number()?, number()?));
        }
        Some("f") => {
            let corners = words.map(|word| corner(word, mesh.vertices.len())).collect::<Result<Vec<u32>, _>>()?;
            let places: Vec<DVec3> = corners.iter().map(|&corner| mesh.vertices[corner as usize]).collect();
            for triangle in triangulate(&places)? {
                mesh.push_triangle(triangle.map(|index| corners[index]));
            }
        }
        _ => {}
    }
    Ok(())
}

/// The vertex of a corner such as `7`, `7/1`, `7//2` or `-1`.
fn corner(word: &str, count: usize) -> Result<u32, String> {
    let number = word.split('/').next().unwrap_or_default();
    let given: i64 = number.parse().map_err(|_| format!("\"{word}\" is no corner of a face"))?;
    let index = if given < 0 { count as i64 + given } else { given - 1 };
    if (0..count as i64).contains(&index) {
        Ok(index as u32)
    } else {
        Err(format!("a face refers to vertex {given}, but there are {count} so far"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_and_negative_indices_are_read() {
        let text = b"# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf -4//1 -3//1 -2//1 -1//1\n";
        let mesh = read(text).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert_eq!(read(b"v 0 0 0\nf 1 2 3").unwrap_err(), "line 2: a face refers to vertex 2, but there are 1 so far");
        assert_eq!(read(b"v 0 0 zero").unwrap_err(), "line 1: \"zero\" is no number");
        assert_eq!(read(b"v 0 0 0\nf 1 1").unwrap_err(), "line 2: a face has 2 corners, but at least 3 are needed");
    }
}
