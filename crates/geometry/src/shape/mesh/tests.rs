//! Construction, neighbourhood and validation of meshes.

use super::samples::{box_mesh, box_triangles, torus};
use super::*;
use crate::Ray;
use crate::primitive::Culling;
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

#[test]
fn rays_and_points_agree_with_looking_at_every_triangle() {
    let mesh = torus(1.0, 0.4, 40, 20);
    let mut rng = fastrand::Rng::with_seed(1);
    let mut hits = 0;
    for case in 0..5000 {
        let mut point = |scale: f64| (dvec3(rng.f64(), rng.f64(), rng.f64()) * 2.0 - DVec3::ONE) * scale;
        let origin = point(2.0);
        // A third of the rays aim at a vertex exactly.
        let target = if case % 3 == 0 { mesh.vertices()[case % mesh.vertices().len()] } else { point(1.0) };
        let ray = Ray::towards(origin, target).unwrap();
        let triangles = || (0..mesh.triangles().len()).map(|t| mesh.triangle(t));
        let nearest =
            triangles().filter_map(|t| t.cast_ray(&ray, 50.0, Culling::None)).map(|hit| hit.distance).reduce(f64::min);
        let inside = winding_number(&mesh, origin) > 0.5;
        let found = mesh.cast_ray(&ray, 50.0);
        let expected = if inside { Some(0.0) } else { nearest };
        assert_eq!(found.map(|hit| hit.distance), expected, "case {case}");
        assert!(found.is_none_or(|hit| hit.normal.dot(ray.direction) <= 0.0));
        hits += usize::from(found.is_some());

        let closest = mesh.closest_point(origin).unwrap();
        let distance = triangles().map(|t| t.distance(origin)).fold(f64::INFINITY, f64::min);
        assert!((closest.distance.abs() - distance).abs() < 1e-12);
        assert_eq!(closest.distance < 0.0, inside);
        assert_eq!(mesh.contains_point(origin), inside);
        assert!((closest.point + closest.normal * closest.distance - origin).length() < 1e-12);
    }
    assert!(hits > 2000);
}

/// The solid angle of the mesh as seen from `point`, over 4π (Van Oosterom and Strackee): 1 inside, 0 outside.
fn winding_number(mesh: &Mesh, point: DVec3) -> f64 {
    let mut sum = 0.0;
    for index in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.triangle(index).vertices.map(|v| v - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        sum += 2.0 * libm::atan2(a.dot(b.cross(c)), denominator);
    }
    sum / (4.0 * std::f64::consts::PI)
}

#[test]
fn overlapping_pieces_are_one_solid() {
    let (mut vertices, mut triangles) = box_triangles(DVec3::ONE);
    vertices.extend(box_triangles(DVec3::ONE).0.iter().map(|v| *v + DVec3::X));
    triangles.extend(box_triangles(DVec3::ONE).1.iter().map(|t| t.map(|v| v + 8)));
    let mesh = Mesh::new(vertices, triangles).unwrap();
    assert_eq!(mesh.piece_vertices().len(), 2);
    for (x, inside) in [(-1.1, false), (-0.5, true), (0.5, true), (1.5, true), (2.1, false)] {
        let point = dvec3(x, 0.25, 0.125);
        assert_eq!(mesh.contains_point(point), inside, "{x}");
        let hit = mesh.cast_ray(&Ray { origin: point, direction: DVec3::X }, 10.0);
        assert_eq!(hit.is_some_and(|hit| hit.distance == 0.0), inside, "{x}");
    }
}

#[test]
fn points_on_the_faces_of_a_cube_are_inside_and_numbers_that_are_not_finite_are_nowhere() {
    let cube = box_mesh(DVec3::ONE);
    for point in [DVec3::X, DVec3::ONE, dvec3(0.3, -1.0, 0.2), DVec3::ZERO] {
        assert!(cube.contains_point(point), "{point}");
    }
    assert!(!cube.contains_point(DVec3::NAN) && !cube.contains_point(DVec3::INFINITY));
    assert!(cube.closest_point(DVec3::NAN).is_none());
    assert!(cube.cast_ray(&Ray { origin: DVec3::NAN, direction: DVec3::X }, 1.0).is_none());
    assert!(cube.cast_ray(&Ray { origin: DVec3::Y * 3.0, direction: DVec3::NAN }, 1.0).is_none());
    assert!(cube.cast_ray(&Ray { origin: DVec3::Y * 3.0, direction: -DVec3::Y }, f64::NAN).is_none());
    assert!(cube.cast_ray(&Ray { origin: DVec3::Y * 3.0, direction: -DVec3::Y }, 1.9).is_none());
    assert_eq!(cube.cast_ray(&Ray { origin: DVec3::Y * 3.0, direction: -DVec3::Y }, 2.0).unwrap().normal, DVec3::Y);
}

#[test]
fn a_point_hardly_off_the_surface_gets_a_unit_normal() {
    let (corners, triangles) = box_triangles(DVec3::ONE);
    let at_the_origin = corners.into_iter().map(|v| v + DVec3::ONE).collect();
    let mesh = Mesh::new(at_the_origin, triangles).unwrap();
    for offset in [5e-324, 3.4e-161, 1e-155, 1e-140] {
        for sign in [-1.0, 1.0] {
            let closest = mesh.closest_point(DVec3::splat(sign * offset)).unwrap();
            assert!(closest.normal.is_normalized(), "{offset}: {closest:?}");
        }
    }
}

#[test]
fn outside_of_a_fold_a_ray_is_outside_though_it_meets_the_back_of_a_triangle() {
    // A cube with one corner pulled far through the opposite faces.
    let (mut corners, triangles) = box_triangles(DVec3::ONE);
    corners[0] = dvec3(0.0, 1.0, -8.0);
    corners[2] = dvec3(1.0, 0.0, 0.0);
    corners[7] = dvec3(5.0, 5.0, -2.5);
    let mesh = Mesh::new(corners, triangles).unwrap();
    assert!(mesh.is_solid());
    let mut rng = fastrand::Rng::with_seed(11);
    let mut backs = 0;
    for _ in 0..2000 {
        let mut coordinate = || 8.0 * (rng.f64() - 0.5);
        let origin = dvec3(coordinate(), coordinate(), coordinate());
        let Ok(ray) = Ray::new(origin, dvec3(coordinate(), coordinate(), coordinate())) else { continue };
        if let Some(hit) = mesh.cast_ray(&ray, 100.0) {
            let gap = mesh.closest_point(origin).unwrap().distance;
            assert!(hit.distance >= gap - 1e-9, "{hit:?} is closer than {gap} from {origin}");
            backs += usize::from(gap > 0.0 && hit.normal.dot(mesh.normal(hit.part as usize).unwrap()) < 0.0);
        }
    }
    assert!(backs > 0, "no ray met a back from outside");
}
