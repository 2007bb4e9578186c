//! Contact manifolds of meshes, height fields and compounds: no ghost bumps, few manifolds, depths and normals as the convex
//! kernels find them where both apply.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod composite_shapes;

use composite_shapes::{Random, ball_mesh, box_mesh, cases, composite_shapes, convex_shapes, name, torus};
use glam::{DVec3, dvec3};
use tumble_geometry::math::rotation_about;
use tumble_geometry::query::{
    InternalEdges, Manifold, ManifoldOptions, PairCache, contact_manifolds, intersects, penetration,
};
use tumble_geometry::{Shape, Transform, glam};

fn manifolds(a: &Shape, b: &Shape, b_in_a: &Transform) -> Vec<Manifold> {
    let mut manifolds = Vec::new();
    contact_manifolds(a, b, b_in_a, &ManifoldOptions::default(), &mut PairCache::default(), &mut manifolds);
    manifolds
}

fn deepest(manifolds: &[Manifold]) -> f64 {
    manifolds.iter().map(Manifold::max_depth).fold(f64::NEG_INFINITY, f64::max)
}

/// A flat floor at y = 0 of squares cut along either diagonal: open, as the top of a slab, and as a height field.
fn floors(half_cells: i32, cell: f64) -> Vec<(&'static str, Shape)> {
    let side = 2 * half_cells + 1;
    let mut vertices = Vec::new();
    for row in -half_cells..=half_cells {
        for column in -half_cells..=half_cells {
            vertices.push(dvec3(f64::from(column) * cell, 0.0, f64::from(row) * cell));
        }
    }
    let mut random = Random::new(12);
    let mut triangles = Vec::new();
    for row in 0..side - 1 {
        for column in 0..side - 1 {
            let at = |r: i32, c: i32| ((row + r) * side + column + c) as u32;
            let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
            if random.0.bool() {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    let open = Shape::mesh(vertices.clone(), triangles.clone()).unwrap();

    // The border goes down to a point below, which closes it.
    let bottom = vertices.len() as u32;
    vertices.push(dvec3(0.0, -5.0, 0.0));
    let last = side - 1;
    let at = |r: i32, c: i32| (r * side + c) as u32;
    for i in 0..last {
        triangles.extend([
            [at(0, i), at(0, i + 1), bottom],
            [at(last, i + 1), at(last, i), bottom],
            [at(i + 1, 0), at(i, 0), bottom],
            [at(i, last), at(i + 1, last), bottom],
        ]);
    }
    let solid = Shape::mesh(vertices, triangles).unwrap();
    let Shape::Mesh(mesh) = &solid else { unreachable!() };
    assert!(mesh.is_solid());
    let count = side as usize;
    let field = Shape::height_field(count, count, vec![0.0; count * count], [cell, cell]).unwrap();
    vec![("open", open), ("solid", solid), ("field", field)]
}

#[test]
fn a_box_on_a_tessellated_floor_stands_on_its_corners_wherever_it_is() {
    let half = dvec3(0.5, 0.25, 0.4);
    let cuboid = Shape::cuboid(half).unwrap();
    let mut random = Random::new(1);
    for cell in [0.3, 0.05, 1.7] {
        for (kind, floor) in floors((5.0 / cell) as i32 + 1, cell) {
            for case in 0..cases(400) {
                let depth = [0.0, 1e-6, 0.004, 0.02, 0.1, -0.01][case % 6];
                let yaw = if case % 7 == 0 { 0.0 } else { random.between(-4.0, 4.0) };
                let place = if case % 5 == 0 {
                    dvec3(cell * f64::from(case as u32 % 3), 0.0, 0.0)
                } else {
                    random.point(1.0) * dvec3(1.0, 0.0, 1.0)
                };
                let pose = Transform::new(rotation_about(DVec3::Y, yaw), place + DVec3::Y * (half.y - depth));
                let found = manifolds(&floor, &cuboid, &pose);
                let context = || format!("{kind} {cell} case {case} depth {depth} {pose:?} {found:?}");
                assert_eq!(found.len(), 1, "{}", context());
                assert_eq!(found[0].points().len(), 4, "{}", context());
                assert!((found[0].normal - DVec3::Y).length() < 1e-9, "{}", context());
                for point in found[0].points() {
                    assert!((point.depth - depth).abs() < 1e-9, "{}", context());
                    // A corner of the box, or so close to it that it bears its name.
                    let local = pose.inverse_point(point.position) + DVec3::Y * half.y;
                    assert!((local.x.abs() - half.x).abs() < 0.02, "{}", context());
                    assert!((local.z.abs() - half.z).abs() < 0.02, "{}", context());
                }
                let mut names: Vec<_> = found[0].points().iter().map(|p| p.feature).collect();
                names.sort();
                names.dedup();
                assert_eq!(names.len(), 4, "{}", context());
            }
        }
    }
}

#[test]
fn everything_rolls_and_slides_over_a_tessellated_floor_as_over_a_plane() {
    let mut random = Random::new(2);
    let ground = Shape::half_space(DVec3::Y).unwrap();
    for cell in [0.3, 0.07] {
        for (kind, floor) in floors((5.0 / cell) as i32 + 1, cell) {
            for shape in convex_shapes() {
                for case in 0..cases(60) {
                    let mut pose = random.pose(0.5);
                    let lift = penetration(&ground, &shape, &Transform::from_rotation(pose.rotation)).unwrap().depth;
                    let depth = [0.0, 1e-4, 0.01, 0.05][case % 4];
                    pose.translation.y = lift - depth;
                    let found = manifolds(&floor, &shape, &pose);
                    let context =
                        || format!("{kind} {cell} case {case} depth {depth} {} {pose:?} {found:?}", name(&shape));
                    assert!(!found.is_empty(), "{}", context());
                    for manifold in &found {
                        // Curved shapes are found with GJK, to 1e-7 or so.
                        assert!((manifold.normal - DVec3::Y).length() < 1e-5, "{}", context());
                    }
                    assert!((deepest(&found) - depth).abs() < 2e-5, "{}", context());
                }
            }
        }
    }
}

#[test]
fn without_correction_inner_edges_show() {
    let (_, floor) = floors(10, 0.3).swap_remove(0);
    let ball = Shape::sphere(0.25).unwrap();
    let options = ManifoldOptions { internal_edges: InternalEdges::Keep, ..ManifoldOptions::default() };
    let pose = Transform::from_translation(dvec3(0.02, 0.24, 0.07));
    let mut found = Vec::new();
    contact_manifolds(&floor, &ball, &pose, &options, &mut PairCache::default(), &mut found);
    assert!(found.iter().any(|m| m.normal.y < 0.999));
    assert!(manifolds(&floor, &ball, &pose).iter().all(|m| m.normal.y > 1.0 - 1e-12));
}

#[test]
fn floor_and_wall_hold_a_box_in_the_corner_and_the_edge_of_a_table_holds_a_ball_askew() {
    // An L: a floor at y = 0 for x > 0, a wall at x = 0 for y > 0.
    let l_shape = vec![
        (Transform::from_translation(dvec3(2.0, -0.5, 0.0)), Shape::cuboid([2.0, 0.5, 2.0]).unwrap()),
        (Transform::from_translation(dvec3(-0.5, 1.0, 0.0)), Shape::cuboid([0.5, 2.0, 2.0]).unwrap()),
    ];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let profile = [(0.0, 2.0), (0.0, 0.0), (4.0, 0.0), (4.0, -1.0), (-1.0, -1.0), (-1.0, 2.0)];
    for z in [-2.0, 2.0] {
        vertices.extend(profile.iter().map(|&(x, y)| dvec3(x, y, z)));
    }
    for i in 0..6_u32 {
        let j = (i + 1) % 6;
        triangles.extend([[i, i + 6, j + 6], [i, j + 6, j]]);
    }
    for [a, b, c] in [[0, 1, 5], [1, 4, 5], [1, 2, 4], [2, 3, 4]] {
        triangles.push([a, b, c]);
        triangles.push([a + 6, c + 6, b + 6]);
    }
    let mesh = Shape::mesh(vertices, triangles).unwrap();
    let Shape::Mesh(inner) = &mesh else { unreachable!() };
    assert!(inner.is_solid(), "{} {} {}", inner.is_closed(), inner.is_oriented(), inner.signed_volume());

    let cuboid = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    let pose = Transform::from_translation(dvec3(0.49, 0.495, 0.1));
    let mut found = manifolds(&mesh, &cuboid, &pose);
    found.sort_by(|x, y| x.normal.x.total_cmp(&y.normal.x));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!((found[0].normal - DVec3::Y).length() < 1e-9 && (found[1].normal - DVec3::X).length() < 1e-9);
    assert!((found[0].max_depth() - 0.005).abs() < 1e-9 && (found[1].max_depth() - 0.01).abs() < 1e-9, "{found:?}");
    assert!(found.iter().all(|m| m.points().len() == 4));
    let compound = Shape::compound(l_shape).unwrap();
    let mut parts = manifolds(&compound, &cuboid, &pose);
    parts.sort_by(|x, y| x.normal.x.total_cmp(&y.normal.x));
    assert_eq!(parts.iter().map(|m| m.part_a).collect::<Vec<_>>(), [0, 1]);

    // Beyond the edge at x = 4 the ball hangs on it, the normal through its centre.
    let ball = Shape::sphere(0.5).unwrap();
    let center = dvec3(4.2, 0.4, 0.3);
    let found = manifolds(&mesh, &ball, &Transform::from_translation(center));
    assert_eq!(found.len(), 1, "{found:?}");
    let expected = center - dvec3(4.0, 0.0, 0.3);
    assert!((found[0].normal - expected.normalize()).length() < 1e-12);
    assert!((found[0].max_depth() - (0.5 - expected.length())).abs() < 1e-12);
}

#[test]
fn a_box_that_slides_up_to_a_step_meets_its_front_and_not_its_top() {
    // A step of height 0.1: tread at y = 0.1 for x < 0, floor at y = 0 for x > 0, both of several triangles.
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let columns = [(-2.0, 0.1), (-1.0, 0.1), (0.0, 0.1), (0.0, 0.0), (1.0, 0.0), (2.0, 0.0)];
    for row in 0..9_u32 {
        vertices.extend(columns.iter().map(|&(x, y)| dvec3(x, y, 0.5 * f64::from(row) - 2.0)));
    }
    for row in 0..8_u32 {
        for column in 0..5_u32 {
            let at = |r: u32, c: u32| (row + r) * 6 + column + c;
            triangles.extend([[at(0, 0), at(1, 0), at(1, 1)], [at(0, 0), at(1, 1), at(0, 1)]]);
        }
    }
    let steps = Shape::mesh(vertices, triangles).unwrap();
    let cuboid = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    for i in 0..200 {
        let pose = Transform::from_translation(dvec3(0.5 - 0.002, 0.5 - 0.001, 0.01 * f64::from(i) - 1.0));
        for manifold in manifolds(&steps, &cuboid, &pose) {
            let upright = (manifold.normal - DVec3::Y).length() < 1e-6;
            let forward = (manifold.normal - DVec3::X).length() < 1e-6;
            assert!(upright || forward, "{manifold:?}");
            assert!(manifold.max_depth() < 0.0021, "{i} {manifold:?}");
        }
    }
}

#[test]
fn what_has_sunk_into_a_solid_is_pushed_out_of_it() {
    let ball = Shape::sphere(0.3).unwrap();
    for (kind, floor) in floors(6, 0.3).into_iter().skip(1) {
        for y in [0.1, -0.05, -0.2, -0.4, -0.8] {
            let found = manifolds(&floor, &ball, &Transform::from_translation(dvec3(0.1, y, 0.04)));
            assert_eq!(found.len(), 1, "{kind} {y} {found:?}");
            assert!((found[0].normal - DVec3::Y).length() < 1e-9, "{kind} {y} {found:?}");
            assert!((found[0].max_depth() - (0.3 - y)).abs() < 1e-9, "{kind} {y} {found:?}");
        }
    }
    // A thin plate: the far side does not pull.
    let plate = box_mesh(dvec3(2.0, 0.05, 2.0));
    let cuboid = Shape::cuboid([0.3, 0.3, 0.3]).unwrap();
    for sink in [0.01, 0.06, 0.09, 0.105] {
        let pose = Transform::from_translation(dvec3(0.1, 0.05 + 0.3 - sink, 0.2));
        let found = manifolds(&plate, &cuboid, &pose);
        assert_eq!(found.len(), 1, "{sink} {found:?}");
        assert!(
            (found[0].normal - DVec3::Y).length() < 1e-9 && (found[0].max_depth() - sink).abs() < 1e-9,
            "{found:?}"
        );
    }
}

#[test]
fn a_box_mesh_on_a_box_mesh_is_held_like_a_box_on_a_box() {
    let (half_a, half_b) = (dvec3(1.0, 0.5, 0.8), dvec3(0.4, 0.3, 0.5));
    let (mesh_a, mesh_b) = (box_mesh(half_a), box_mesh(half_b));
    let (box_a, box_b) = (Shape::cuboid(half_a).unwrap(), Shape::cuboid(half_b).unwrap());
    let mut random = Random::new(3);
    for case in 0..cases(500) {
        let depth = [0.0, 1e-5, 0.01, 0.05, -0.01][case % 5];
        let place = dvec3(random.between(-1.2, 1.2), half_a.y + half_b.y - depth, random.between(-1.0, 1.0));
        let pose = Transform::new(rotation_about(DVec3::Y, random.between(-3.0, 3.0)), place);
        let expected = manifolds(&box_a, &box_b, &pose);
        if expected.is_empty() || (expected[0].normal - DVec3::Y).length() > 1e-9 {
            continue;
        }
        for (a, b) in [(&mesh_a, &mesh_b), (&mesh_a, &box_b), (&box_a, &mesh_b)] {
            let found = manifolds(a, b, &pose);
            let upright: Vec<_> = found.iter().filter(|m| (m.normal - DVec3::Y).length() < 1e-6).collect();
            let context = || format!("{case} {depth} {pose:?}\n{expected:?}\n{found:?} {} {}", name(a), name(b));
            assert_eq!(upright.len(), 1, "{}", context());
            assert!((upright[0].max_depth() - depth).abs() < 1e-9, "{}", context());
            assert!(deepest(&found) < depth + 1e-9, "{}", context());
            let area = |m: &Manifold| {
                let p: Vec<DVec3> = m.points().iter().map(|p| p.position).collect();
                let around = |i: usize, j: usize, k: usize| (p[j] - p[i]).cross(p[k] - p[i]).length();
                let mut area: f64 = 0.0;
                for i in 0..p.len() {
                    for j in 0..i {
                        for k in 0..j {
                            area = area.max(around(i, j, k));
                        }
                    }
                }
                area
            };
            assert!(area(upright[0]) > 0.3 * area(&expected[0]), "{}", context());
        }
    }
}

#[test]
fn pushing_two_closed_meshes_along_the_deepest_contact_parts_them() {
    let shapes = [box_mesh(dvec3(0.6, 0.4, 0.5)), ball_mesh(0.6, 8), torus(0.8, 0.3, 32, 16), ball_mesh(0.3, 4)];
    let mut random = Random::new(4);
    let (mut tried, mut failed) = (0, 0);
    for a in &shapes {
        for b in &shapes {
            for _ in 0..cases(12) {
                let mut pose = random.pose(1.0);
                if !intersects(a, b, &pose) {
                    continue;
                }
                tried += 1;
                // As a solver would: out of the deepest contact, again and again.
                for _ in 0..30 {
                    let found = manifolds(a, b, &pose);
                    let Some(m) = found.iter().max_by(|x, y| x.max_depth().total_cmp(&y.max_depth())) else { break };
                    assert!((m.normal.length() - 1.0).abs() < 1e-9);
                    if m.max_depth() <= 1e-4 {
                        break;
                    }
                    pose.translation += m.normal * m.max_depth();
                }
                let left = penetration(a, b, &pose).map_or(0.0, |p| p.depth);
                failed += usize::from(left > 2e-3);
            }
        }
    }
    println!("{failed} of {tried} not parted");
    assert!(tried > 80 && failed * 50 <= tried, "{failed} of {tried}");
}

#[test]
fn both_orders_give_the_same_contacts() {
    let mut random = Random::new(5);
    let composite = composite_shapes();
    let ground = Shape::half_space(dvec3(0.1, 1.0, 0.2)).unwrap();
    for a in &composite {
        for b in convex_shapes().iter().chain([&ground]) {
            for _ in 0..cases(15) {
                let pose = random.pose(1.0);
                let (ab, ba) = (manifolds(a, b, &pose), manifolds(b, a, &pose.inverse()));
                assert_eq!(ab.is_empty(), ba.is_empty(), "{} {} {pose:?}", name(a), name(b));
                assert!(
                    ab.is_empty() || (deepest(&ab) - deepest(&ba)).abs() < 1e-5,
                    "{} {} {pose:?} {ab:?} {ba:?}",
                    name(a),
                    name(b)
                );
                for m in &ab {
                    let same = |n: &&Manifold| {
                        // The last digit decides which of two as deep gives the normal.
                        (m.normal + pose.vector(n.normal)).length() < 0.05
                    };
                    assert!(ba.iter().any(|n| same(&n)), "{m:?} {ba:?}");
                }
            }
        }
    }
}

#[test]
fn every_pair_answers_and_contacts_lie_where_the_shapes_are() {
    let mut random = Random::new(6);
    let composite = composite_shapes();
    let mut others = convex_shapes();
    others.extend(composite_shapes());
    others.push(Shape::half_space(DVec3::Y).unwrap());
    let mut touching = 0;
    for a in &composite {
        for b in &others {
            for _ in 0..cases(8) {
                let pose = random.pose(1.2);
                let found = manifolds(a, b, &pose);
                touching += usize::from(!found.is_empty());
                for m in &found {
                    assert!((m.normal.length() - 1.0).abs() < 1e-9, "{m:?}");
                    assert!(!m.points().is_empty(), "{m:?}");
                    for p in m.points() {
                        assert!(p.position.is_finite() && p.depth.is_finite() && p.depth >= -0.02 - 1e-9, "{m:?}");
                    }
                }
                let overlap = intersects(a, b, &pose);
                if !found.is_empty() && deepest(&found) > 1e-6 {
                    assert!(overlap, "{} {} {pose:?} {found:?}", name(a), name(b));
                }
                if overlap && penetration(a, b, &pose).is_some_and(|p| p.depth > 1e-3) {
                    assert!(!found.is_empty(), "{} {} {pose:?}", name(a), name(b));
                }
                assert!(manifolds(a, b, &Transform::from_translation(DVec3::NAN)).is_empty());
            }
        }
    }
    assert!(touching > 120, "{touching}");
}

#[test]
fn a_sliding_box_keeps_the_names_of_its_corners() {
    let (_, floor) = floors(30, 0.1).swap_remove(1);
    let cuboid = Shape::cuboid([0.5, 0.25, 0.4]).unwrap();
    let mut before: Option<Vec<_>> = None;
    for i in 0..400 {
        let place = dvec3(0.003 * f64::from(i) - 0.6, 0.249, 0.001 * f64::from(i));
        let found = manifolds(&floor, &cuboid, &Transform::new(rotation_about(DVec3::Y, 0.3), place));
        let mut names: Vec<_> = found[0].points().iter().map(|p| p.feature).collect();
        names.sort();
        if let Some(before) = &before {
            assert_eq!(*before, names, "{i}");
        }
        before = Some(names);
    }
}
