//! Construction, neighbourhood and validation of meshes.

use super::samples::{box_mesh, box_triangles, torus};
use super::*;
use glam::dvec3;

/// How many edges of all triangles are of a kind.
fn count(mesh: &Mesh, kind: EdgeKind) -> usize {
    (0..mesh.triangles().len())
        .flat_map(|t| (0..3).map(move |e| (t, e)))
        .filter(|&(t, e)| mesh.edge_kind(t, e) == kind)
        .count()
}

fn assert_neighbors_are_mutual(mesh: &Mesh) {
    for triangle in 0..mesh.triangles().len() {
        for edge in 0..3 {
            if let Some((neighbor, across)) = mesh.neighbor(triangle, edge) {
                assert_eq!(mesh.neighbor(neighbor, across), Some((triangle, edge)));
            }
        }
    }
}

#[test]
fn a_cube_is_a_solid_of_convex_edges_and_flat_diagonals() {
    let cube = box_mesh(DVec3::splat(0.5));
    assert!(cube.is_closed() && cube.is_oriented() && cube.is_solid());
    assert!((cube.signed_volume() - 1.0).abs() < 1e-15);
    assert_eq!((count(&cube, EdgeKind::Convex), count(&cube, EdgeKind::Flat)), (24, 12));
    assert_eq!(cube.piece_vertices().len(), 1);
    assert_neighbors_are_mutual(&cube);
}

#[test]
fn a_cube_turned_inside_out_is_a_room_and_not_solid() {
    let (vertices, triangles) = box_triangles(DVec3::ONE);
    let room = Mesh::new(vertices, triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()).unwrap();
    assert!(room.is_closed() && room.is_oriented() && !room.is_solid());
    assert!((room.signed_volume() + 8.0).abs() < 1e-14);
    assert_eq!(count(&room, EdgeKind::Concave), 24);
}

#[test]
fn repeated_vertices_do_not_tear_a_mesh() {
    let (vertices, triangles) = box_triangles(DVec3::ONE);
    // As in STL: each triangle brings its own corners. And a zero may have either sign.
    let soup: Vec<DVec3> = triangles.iter().flatten().map(|&v| vertices[v as usize] - DVec3::ONE).collect();
    let soup: Vec<DVec3> =
        soup.iter().enumerate().map(|(i, v)| v.map(|x| if x == 0.0 && i % 2 == 0 { -0.0 } else { x })).collect();
    let own = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = Mesh::new(soup, own).unwrap();
    assert!(mesh.is_solid());
    assert_eq!((count(&mesh, EdgeKind::Convex), count(&mesh, EdgeKind::Flat)), (24, 12));
}

#[test]
fn a_torus_is_convex_outside_and_concave_along_its_inner_circles() {
    let torus = torus(1.0, 0.25, 24, 12);
    assert!(torus.is_solid());
    assert_neighbors_are_mutual(&torus);
    assert!(count(&torus, EdgeKind::Concave) > 0 && count(&torus, EdgeKind::Convex) > 0);
    assert_eq!(count(&torus, EdgeKind::Boundary), 0);
    // The volume of the polyhedron lies a little below that of the true torus, 2π² R r².
    let exact = 2.0 * std::f64::consts::PI * std::f64::consts::PI * 0.0625;
    assert!(torus.signed_volume() < exact && torus.signed_volume() > 0.9 * exact);
}

#[test]
fn an_l_shaped_floor_and_wall_meet_in_a_concave_edge() {
    let vertices = vec![
        dvec3(0.0, 0.0, 0.0),
        dvec3(0.0, 0.0, 1.0),
        dvec3(1.0, 0.0, 1.0),
        dvec3(1.0, 0.0, 0.0),
        dvec3(0.0, 1.0, 0.0),
        dvec3(0.0, 1.0, 1.0),
    ];
    let mesh = Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [1, 0, 4], [1, 4, 5]]).unwrap();
    assert_eq!(mesh.normal(0), Some(DVec3::Y));
    assert_eq!(mesh.normal(2), Some(DVec3::X));
    assert_eq!(mesh.edge_kind(0, 0), EdgeKind::Concave);
    assert_eq!(mesh.edge_kind(2, 0), EdgeKind::Concave);
    assert_eq!(mesh.edge_kind(0, 2), EdgeKind::Flat);
    assert_eq!(count(&mesh, EdgeKind::Boundary), 6);
    assert!(!mesh.is_closed() && mesh.is_oriented());
}

#[test]
fn a_moebius_strip_has_neighbours_but_no_orientation() {
    let n = 20;
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        let u = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let ((sin, cos), (sin_half, cos_half)) = (libm::sincos(u), libm::sincos(0.5 * u));
        for side in [-0.3, 0.3] {
            vertices.push(dvec3((1.0 + side * cos_half) * cos, side * sin_half, (1.0 + side * cos_half) * sin));
        }
        let i = i as u32;
        let n = n as u32;
        // After one turn the sides have changed places.
        let [c, d] = if i + 1 < n { [2 * i + 2, 2 * i + 3] } else { [1, 0] };
        triangles.extend([[2 * i, 2 * i + 1, d], [2 * i, d, c]]);
    }
    let strip = Mesh::new(vertices, triangles).unwrap();
    assert!(!strip.is_oriented() && !strip.is_closed() && !strip.is_solid());
    assert_eq!(count(&strip, EdgeKind::Boundary), 40);
    assert_neighbors_are_mutual(&strip);
}

#[test]
fn three_pages_of_a_book_have_no_neighbours_at_the_spine() {
    let vertices = vec![DVec3::ZERO, DVec3::Y, dvec3(1.0, 0.0, 0.0), dvec3(0.0, 0.0, 1.0), dvec3(-1.0, 0.0, 0.0)];
    let book = Mesh::new(vertices, vec![[0, 1, 2], [0, 1, 3], [1, 0, 4]]).unwrap();
    assert_eq!(count(&book, EdgeKind::NonManifold), 3);
    assert_eq!(book.neighbor(0, 0), None);
    assert!(!book.is_closed());
}

#[test]
fn triangles_without_area_are_left_out_but_keep_their_numbers() {
    let (mut vertices, mut triangles) = box_triangles(DVec3::ONE);
    vertices.push(DVec3::ZERO);
    triangles.insert(0, [3, 3, 5]);
    triangles.push([8, 8, 8]);
    let mesh = Mesh::new(vertices, triangles).unwrap();
    assert_eq!(mesh.degenerate_count(), 2);
    assert!(mesh.is_solid());
    assert_eq!(mesh.neighbor(0, 0), None);
    let mut items = mesh.bvh().items().to_vec();
    items.sort_unstable();
    assert_eq!(items, (1..13).collect::<Vec<u32>>());
}

#[test]
fn errors_name_the_triangle_and_the_value() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let error = Mesh::new(corners.clone(), vec![[0, 1, 2], [0, 7, 2]]).unwrap_err();
    assert_eq!(error.to_string(), "triangle 1 refers to vertex 7, but there are only 3 vertices");
    let error = Mesh::new(corners.clone(), vec![]).unwrap_err();
    assert_eq!(error.to_string(), "mesh triangles: 0 given, but at least 1 needed");
    let error = Mesh::new(corners.clone(), vec![[0, 1, 1], [2, 2, 2]]).unwrap_err();
    assert!(error.to_string().contains("each of its 2 triangles"), "{error}");
    let error = Mesh::new(vec![DVec3::ZERO, DVec3::NAN, DVec3::Y], vec![[0, 1, 2]]).unwrap_err();
    assert!(error.to_string().starts_with("mesh vertex 1 is"), "{error}");
}
