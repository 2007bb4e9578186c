//! Meshes, height fields and compounds against everything: held to the convex kernels, to looking at every triangle, and
//! to what the answers mean.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod composite_shapes;

use composite_shapes::{
    Random, as_mesh, ball_mesh, box_mesh, box_triangles, cases, composite_shapes, convex_shapes, hills, name, torus,
};
use glam::{DVec3, dvec3};
use tumble_geometry::query::{distance, intersects, penetration};
use tumble_geometry::{Shape, Transform, glam};

#[test]
fn a_mesh_of_a_box_is_as_far_from_everything_as_the_box() {
    let half = dvec3(0.6, 0.4, 0.5);
    let (mesh, cuboid) = (box_mesh(half), Shape::cuboid(half).unwrap());
    let mut random = Random::new(1);
    for other in convex_shapes() {
        for case in 0..cases(400) {
            let pose = random.pose(2.0);
            let (by_mesh, by_box) = (distance(&mesh, &other, &pose), distance(&cuboid, &other, &pose));
            assert!((by_mesh.distance - by_box.distance).abs() < 1e-9, "{case} {other:?} {by_mesh:?} {by_box:?}");
            let length = (by_mesh.point_b - by_mesh.point_a).length();
            assert!((length - by_mesh.distance).abs() < 1e-9, "{case} {other:?}");
            assert_eq!(intersects(&mesh, &other, &pose), intersects(&cuboid, &other, &pose), "{case} {other:?}");
            // And the other way round.
            let flipped = distance(&other, &mesh, &pose.inverse());
            assert!((flipped.distance - by_box.distance).abs() < 1e-9, "{case} {other:?}");
            if by_box.distance > 1e-3 {
                assert!((pose.point(flipped.point_a) - by_mesh.point_b).length() < 1e-4, "{case} {other:?}");
            }
        }
    }
}

#[test]
fn moving_by_the_depth_frees_and_moving_less_does_not() {
    let mut random = Random::new(2);
    let convex = convex_shapes();
    let composite = composite_shapes();
    let mut overlaps = 0;
    for a in &composite {
        for b in convex.iter().chain(&composite) {
            for case in 0..cases(6) {
                let pose = random.pose(0.9);
                for (a, b, pose) in [(a, b, pose), (b, a, pose.inverse())] {
                    let Some(p) = penetration(a, b, &pose) else {
                        assert!(!intersects(a, b, &pose), "{case} {a:?} {b:?}");
                        continue;
                    };
                    overlaps += 1;
                    assert!(intersects(a, b, &pose));
                    assert!((p.normal.length() - 1.0).abs() < 1e-12 && p.depth >= 0.0 && p.depth < 20.0, "{p:?}");
                    assert!((p.point_a - p.normal * p.depth - p.point_b).length() < 1e-12);
                    let moved = |way: f64| Transform::new(pose.rotation, pose.translation + p.normal * way);
                    assert!(
                        !intersects(a, b, &moved(p.depth + 1e-8)),
                        "{case} {p:?} {pose:?} {} {} {:?}",
                        name(a),
                        name(b),
                        distance(a, b, &moved(p.depth + 1e-8))
                    );
                    // Out of a terrain the way may lead through its upright side, which is no surface.
                    let terrain = |shape: &Shape| matches!(shape, Shape::HeightField(_));
                    let sideways =
                        |a: &Shape, b: &Shape| terrain(a) && matches!(b, Shape::Mesh(_) | Shape::Compound(_));
                    assert!(
                        intersects(a, b, &moved(p.depth * 0.999)) || sideways(a, b) || sideways(b, a),
                        "{case} {p:?} {pose:?} {} {}",
                        name(a),
                        name(b)
                    );
                }
            }
        }
    }
    assert!(overlaps > 150, "{overlaps}");
}

#[test]
fn the_depth_of_a_box_mesh_is_close_to_that_of_the_box() {
    let half = dvec3(0.6, 0.4, 0.5);
    let (mesh, cuboid) = (box_mesh(half), Shape::cuboid(half).unwrap());
    let mut random = Random::new(3);
    let mut others = convex_shapes();
    others.push(box_mesh(dvec3(0.3, 0.5, 0.2)));
    for other in others {
        let exact_other =
            if let Shape::Mesh(_) = other { Shape::cuboid([0.3, 0.5, 0.2]).unwrap() } else { other.clone() };
        let (mut equal, mut count, mut worst) = (0, 0, 1.0_f64);
        for _ in 0..cases(200) {
            let pose = random.pose(0.9);
            let Some(exact) = penetration(&cuboid, &exact_other, &pose) else { continue };
            let found = penetration(&mesh, &other, &pose).unwrap();
            assert!(found.depth >= exact.depth - 1e-9, "{other:?} {pose:?} {found:?} {exact:?}");
            count += 1;
            equal += usize::from(found.depth <= exact.depth + 1e-9);
            worst = worst.max(found.depth / exact.depth.max(1e-3));
        }
        println!("{equal} of {count} equal, worst ratio {worst}: {}", name(&other));
        assert!(equal * 10 >= count * 9 && worst < 1.5, "{equal} of {count}, {worst}: {}", name(&other));
    }
}

#[test]
fn surfaces_are_as_far_apart_as_their_closest_triangles() {
    let mut random = Random::new(4);
    let (a, b) = (torus(0.8, 0.3, 12, 6), ball_mesh(0.5, 3));
    let (mesh_a, mesh_b) = (as_mesh(&a), as_mesh(&b));
    for case in 0..cases(150) {
        let pose = random.pose(2.0);
        let mut least = f64::INFINITY;
        for i in 0..mesh_a.triangles().len() {
            for j in 0..mesh_b.triangles().len() {
                let connection = mesh_a.triangle(i).closest_to_triangle(&mesh_b.triangle(j).transformed(&pose));
                least = least.min(connection.length());
            }
        }
        let found = distance(&a, &b, &pose);
        // Neither fits into the other, so there is no inside to think of.
        assert!((found.distance - least).abs() < 1e-12, "{case}: {} {least}", found.distance);
        assert_eq!(intersects(&a, &b, &pose), least < 1e-15, "{case}");
    }
}

#[test]
fn a_ball_is_as_far_from_a_surface_as_its_centre_less_its_radius() {
    let mut random = Random::new(5);
    let ball = Shape::sphere(0.3).unwrap();
    let (ring, field) = (torus(0.8, 0.3, 24, 12), hills(9, 12, 4));
    for _ in 0..cases(2000) {
        let pose = random.pose(1.8);
        let center = pose.translation;
        let from_ring = as_mesh(&ring).closest_point(center).unwrap().distance;
        let found = distance(&ring, &ball, &pose).distance;
        assert!((found - (from_ring - 0.3).max(0.0)).abs() < 1e-12, "{found} {from_ring}");
        assert_eq!(intersects(&ring, &ball, &pose), from_ring <= 0.3);
        let Shape::HeightField(heights) = &field else { unreachable!() };
        let from_field = heights.closest_point(center).unwrap().distance;
        let found = distance(&field, &ball, &pose).distance;
        assert!((found - (from_field - 0.3).max(0.0)).abs() < 1e-12, "{found} {from_field}");
        assert_eq!(intersects(&field, &ball, &pose), from_field <= 0.3);
    }
}

#[test]
fn a_compound_is_as_far_away_as_its_closest_part() {
    let mut random = Random::new(6);
    let parts: Vec<(Transform, Shape)> = (0..12).map(|i| (random.pose(2.0), convex_shapes()[i % 7].clone())).collect();
    let compound = Shape::compound(parts.clone()).unwrap();
    for other in convex_shapes().iter().chain(&composite_shapes()) {
        for _ in 0..cases(40) {
            let pose = random.pose(4.0);
            let each = parts.iter().map(|(part_pose, part)| distance(part, other, &part_pose.to_local(&pose)).distance);
            let least = each.fold(f64::INFINITY, f64::min);
            let found = distance(&compound, other, &pose).distance;
            assert!((found - least).abs() < 1e-12, "{found} {least}");
            assert_eq!(intersects(&compound, other, &pose), least <= 0.0);
        }
    }
}

#[test]
fn what_is_inside_a_closed_mesh_is_pushed_out_and_a_room_is_hollow() {
    let cube = box_mesh(DVec3::ONE);
    let (vertices, triangles) = box_triangles(DVec3::ONE);
    let room = Shape::mesh(vertices, triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()).unwrap();
    let at = Transform::from_translation(dvec3(0.5, 0.1, -0.2));
    for small in [Shape::sphere(0.1).unwrap(), box_mesh(DVec3::splat(0.1)), Shape::cuboid([0.1; 3]).unwrap()] {
        assert!(intersects(&cube, &small, &at));
        assert_eq!(distance(&cube, &small, &at).distance, 0.0);
        let out = penetration(&cube, &small, &at).unwrap();
        assert!((out.depth - 0.6).abs() < 1e-9 && (out.normal - DVec3::X).length() < 1e-9, "{out:?}");
        let out = penetration(&small, &cube, &at.inverse()).unwrap();
        assert!((out.depth - 0.6).abs() < 1e-9 && (out.normal + DVec3::X).length() < 1e-9, "{out:?}");

        assert!(!intersects(&room, &small, &at));
        assert!(penetration(&room, &small, &at).is_none());
        assert!((distance(&room, &small, &at).distance - 0.4).abs() < 1e-12);
    }
}

#[test]
fn what_is_below_a_terrain_is_lifted_above_it() {
    let flat = Shape::height_field(5, 5, vec![0.0; 25], [1.0, 1.0]).unwrap();
    for (y, depth) in [(0.05, 0.05), (-0.05, 0.15), (-3.0, 3.1)] {
        let at = Transform::from_translation(dvec3(0.3, y, 0.2));
        let out = penetration(&flat, &Shape::sphere(0.1).unwrap(), &at).unwrap();
        assert!((out.depth - depth).abs() < 1e-9 && (out.normal - DVec3::Y).length() < 1e-9, "{y} {out:?}");
    }
    assert!(!intersects(&flat, &Shape::sphere(0.1).unwrap(), &Transform::from_translation(dvec3(9.0, -1.0, 0.0))));
}

#[test]
fn ground_below_everything_is_exact() {
    let mut random = Random::new(7);
    let ground = Shape::half_space(dvec3(0.2, 1.0, -0.3)).unwrap();
    let normal = dvec3(0.2, 1.0, -0.3).normalize();
    let ring = torus(0.8, 0.3, 24, 12);
    for _ in 0..cases(300) {
        let pose = random.pose(1.5);
        let lowest = as_mesh(&ring).vertices().iter().map(|v| pose.point(*v).dot(normal)).fold(f64::INFINITY, f64::min);
        let found = distance(&ground, &ring, &pose);
        assert!((found.distance - lowest.max(0.0)).abs() < 1e-12);
        assert_eq!(intersects(&ground, &ring, &pose), lowest <= 0.0);
        match penetration(&ring, &ground, &pose.inverse()) {
            Some(p) => assert!((p.depth + lowest).abs() < 1e-12 && (pose.vector(p.normal) + normal).length() < 1e-12),
            None => assert!(lowest > 0.0),
        }
    }
}

#[test]
fn poses_that_are_not_finite_touch_nothing() {
    let bad = [Transform::from_translation(DVec3::NAN), Transform::from_translation(DVec3::splat(f64::INFINITY))];
    for a in composite_shapes() {
        for b in convex_shapes().iter().chain(&composite_shapes()) {
            for pose in &bad {
                assert!(!intersects(&a, b, pose) && !intersects(b, &a, pose));
                assert!(penetration(&a, b, pose).is_none() && penetration(b, &a, pose).is_none());
                assert!(distance(&a, b, pose).distance == f64::INFINITY);
            }
        }
    }
}

#[test]
fn hostile_meshes_are_refused_or_answer() {
    let mut random = Random::new(8);
    let strange = [0.0, -0.0, 1.0, 1e-300, 1e9, -1e9, 1e10, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1.0 + 1e-16];
    let ball = Shape::sphere(0.5).unwrap();
    let mut built = 0;
    for case in 0..cases(3000) {
        let coordinate = |r: &mut Random| {
            let tame = case % 3 == 0 || r.0.u32(0..12) > 0;
            if tame { f64::from(r.0.i32(-2..3)) * 0.5 } else { strange[r.0.usize(0..strange.len())] }
        };
        let vertices: Vec<DVec3> = (0..random.0.usize(0..9))
            .map(|_| dvec3(coordinate(&mut random), coordinate(&mut random), coordinate(&mut random)))
            .collect();
        let count = vertices.len() as u32 + u32::from(case % 5 == 0);
        let triangles: Vec<[u32; 3]> =
            (0..random.0.usize(0..12)).map(|_| [(); 3].map(|()| random.0.u32(0..count.max(1)))).collect();
        let Ok(mesh) = Shape::mesh(vertices, triangles) else { continue };
        built += 1;
        let pose = random.pose(1.0);
        let d = distance(&mesh, &ball, &pose);
        assert!(d.distance >= 0.0);
        if let Some(p) = penetration(&mesh, &ball, &pose) {
            assert!(p.depth >= 0.0 && p.normal.is_finite(), "{p:?}");
        }
        penetration(&mesh, &mesh, &pose);
    }
    assert!(built > 500, "{built}");
}
