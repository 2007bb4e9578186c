//! STL, binary (80 bytes of anything, the number of triangles, 50 bytes for each) and as text.

use super::MeshData;
use glam::DVec3;

const HEADER: usize = 84;
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8]) -> Result<MeshData, String> {
    let count = bytes.get(80..HEADER).and_then(|b| <[u8; 4]>::try_from(b).ok()).map(|b| u32::from_le_bytes(b) as usize);
    let fits = |count: usize| count.checked_mul(TRIANGLE).is_some_and(|length| bytes.len() - HEADER >= length);
    let mesh = match count {
        Some(count) if fits(count) && !looks_like_text(bytes) => read_binary(&bytes[HEADER..], count),
        _ if looks_like_text(bytes) => read_text(&String::from_utf8_lossy(bytes))?,
        Some(count) => return Err(format!("the file ends before its {count} triangles do")),
        None => return Err("the file is shorter than the header of an STL file".into()),
    };
    Ok(mesh.welded())
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
    start.trim_ascii_start().starts_with(b"solid") && start.is_ascii() && !start.contains(&0)
}

fn read_binary(bytes: &[u8], count: usize) -> MeshData {
    let mut mesh = MeshData::default();
    for triangle in bytes.chunks_exact(TRIANGLE).take(count) {
        // Twelve numbers: the normal, which follows from the corners, and the corners.
        let number = |i: usize| {
            let at = 4 * i;
            f64::from(f32::from_le_bytes([triangle[at], triangle[at + 1], triangle[at + 2], triangle[at + 3]]))
        };
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend((1..4).map(|c| DVec3::new(number(3 * c), number(3 * c + 1), number(3 * c + 2))));
        mesh.push_triangle([first, first + 1, first + 2]);
    }
    mesh
}

fn read_text(text: &str) -> Result<MeshData, String> {
    let mut mesh = MeshData::default();
    for (index, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("vertex") {
            continue;
        }
        let numbers = words.map(str::parse::<f64>).collect::<Result<Vec<_>, _>>();
        match numbers.as_deref() {
            Ok(&[x, y, z]) => mesh.vertices.push(DVec3::new(x, y, z)),
            _ => return Err(format!("line {}: a vertex has three numbers", index + 1)),
        }
    }
    if mesh.vertices.len() % 3 != 0 {
        return Err("the number of vertices is not a multiple of three".into());
    }
    mesh.triangles = (0..mesh.vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron, corner by corner.
    fn corners() -> Vec<[f32; 3]> {
        let v = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].iter().flatten().map(|&i| v[i as usize]).collect()
    }

    #[test]
    fn text_and_binary_give_the_same_welded_mesh() {
        let (mut text, mut binary) = (String::from("solid t\n"), vec![0; 80]);
        binary.extend(4_u32.to_le_bytes());
        for triangle in corners().chunks(3) {
            binary.extend([0; 12]);
            for corner in triangle {
                text += &format!("vertex {} {} {}\n", corner[0], corner[1], corner[2]);
                corner.iter().for_each(|x| binary.extend(x.to_le_bytes()));
            }
            binary.extend([0; 2]);
        }
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
        assert_eq!(read(&binary).unwrap(), mesh);
        binary.truncate(200);
        assert_eq!(read(&binary).unwrap_err(), "the file ends before its 4 triangles do");
    }
}
