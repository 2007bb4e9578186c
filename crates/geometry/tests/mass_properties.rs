//! Mass properties against published values, closed forms and the laws they must obey.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod solids;

use solids::Solid;
use std::f64::consts::PI;
use std::sync::Arc;
use tumble_geometry::glam::{DMat3, DQuat, DVec3, dvec3};
use tumble_geometry::shape::{Capsule, Cone, Convex, Cuboid, Cylinder, HeightField, Hull, SupportMap};
use tumble_geometry::{Aabb, GeometryError, MassProperties, Shape, Transform, mass, math};

fn mesh_properties(solid: &Solid) -> MassProperties {
    Shape::mesh(solid.vertices.clone(), solid.triangles.clone()).unwrap().mass_properties(1.0).unwrap()
}

/// Compares to `tolerance`, relative to the mass, to the size for the centre, to the largest moment for the inertia.
fn assert_same(what: &str, actual: &MassProperties, expected: &MassProperties, tolerance: f64) {
    let moment = expected.inertia.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let size = (moment / expected.mass).sqrt();
    let mass = (actual.mass - expected.mass).abs() / expected.mass;
    let center = (actual.center - expected.center).abs().max_element() / size;
    let difference = actual.inertia - expected.inertia;
    let inertia = difference.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs())) / moment;
    assert!(
        mass <= tolerance && center <= tolerance && inertia <= tolerance,
        "{what}: off by {mass:e} in mass, {center:e} in centre, {inertia:e} in inertia"
    );
}

fn properties(mass: f64, center: DVec3, moments: DVec3) -> MassProperties {
    MassProperties { mass, center, inertia: DMat3::from_diagonal(moments) }
}

/// Polyhedra whose integrals were summed in 80-bit arithmetic; the flag says which are convex.
fn reference_solids() -> Vec<(&'static str, Solid, bool, MassProperties)> {
    let phi = 0.5 * (1.0 + 5.0_f64.sqrt());
    let icosahedron: Vec<_> = [(1.0, phi), (1.0, -phi), (-1.0, phi), (-1.0, -phi)]
        .into_iter()
        .flat_map(|(a, b)| [dvec3(0.0, a, b), dvec3(a, b, 0.0), dvec3(b, 0.0, a)])
        .collect();
    let octahedron = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    let tetrahedron = [dvec3(1.0, 1.0, 1.0), dvec3(1.0, -1.0, -1.0), dvec3(-1.0, 1.0, -1.0), dvec3(-1.0, -1.0, 1.0)];
    let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let brick = solids::cuboid(dvec3(-0.5, -1.0, -1.5), dvec3(0.5, 1.0, 1.5));
    let pose = Transform::new(math::rotation_about(DVec3::X, 0.3), dvec3(1.0, 2.0, 3.0));
    let (diagonal, product) = (1.0 / 80.0, 1.0 / 480.0);
    let corner_inertia = DMat3::from_cols(
        dvec3(diagonal, product, product),
        dvec3(product, diagonal, product),
        dvec3(product, product, diagonal),
    );
    let turned_inertia = DMat3::from_cols(
        dvec3(6.5, 0.0, 0.0),
        dvec3(0.0, 4.781669518637098, 0.7058030917437942),
        dvec3(0.0, 0.7058030917437942, 2.7183304813629015),
    );
    let round = |mass, across, along| properties(mass, DVec3::ZERO, dvec3(across, across, along));
    vec![
        ("regular tetrahedron", solids::simplicial(&tetrahedron), true, round(8.0 / 3.0, 16.0 / 15.0, 16.0 / 15.0)),
        (
            "corner of the unit cube",
            solids::simplicial(&corner),
            true,
            MassProperties { mass: 1.0 / 6.0, center: DVec3::splat(0.25), inertia: corner_inertia },
        ),
        (
            "unit cube",
            solids::cuboid(DVec3::splat(-0.5), DVec3::splat(0.5)),
            true,
            round(1.0, 0.16666666666666666, 0.16666666666666666),
        ),
        ("box 1×2×3", brick.clone(), true, properties(6.0, DVec3::ZERO, dvec3(6.5, 5.0, 2.5))),
        ("octahedron", solids::simplicial(&octahedron), true, round(4.0 / 3.0, 4.0 / 15.0, 4.0 / 15.0)),
        (
            "icosahedron",
            solids::simplicial(&icosahedron),
            true,
            round(17.4535599249993, 18.277605243332495, 18.277605243332495),
        ),
        (
            "torus 32×16",
            solids::torus(1.0, 0.25, 32, 16),
            false,
            round(1.1945253448054818, 0.6387396847112407, 1.2410976172689112),
        ),
        (
            "torus 256×128",
            solids::torus(1.0, 0.25, 256, 128),
            false,
            round(1.23308135296717, 0.6646237798926208, 1.290729239385145),
        ),
        (
            "ball of 32×64",
            solids::uv_sphere(32, 64),
            true,
            round(4.1719957618693275, 1.6647820544262433, 1.663446534027059),
        ),
        (
            "prism with 32 sides",
            solids::regular_prism(32, 0.5, 2.0),
            true,
            round(1.5607225761290262, 0.6171612520788089, 0.19384078673826713),
        ),
        (
            "turned and moved box",
            brick.map(|v| pose.point(v)),
            true,
            MassProperties { mass: 6.0, center: dvec3(1.0, 2.0, 3.0), inertia: turned_inertia },
        ),
    ]
}

#[test]
fn meshes_have_the_reference_properties() {
    for (name, solid, _, expected) in reference_solids() {
        assert_same(name, &mesh_properties(&solid), &expected, 1e-13);
    }
}

#[test]
fn primitives_have_the_reference_properties() {
    let round = |mass, across, along| properties(mass, DVec3::ZERO, dvec3(across, along, across));
    let cases = [
        ("sphere", Shape::sphere(1.0), round(4.1887902047863905, 1.6755160819145563, 1.6755160819145563)),
        ("cylinder", Shape::cylinder(1.0, 0.5), round(0.5 * PI, 0.6217735460229799, 0.19634954084936207)),
        ("capsule", Shape::capsule(0.5, 0.5), round(1.308996938995747, 0.39597157404621347, 0.1505346479845109)),
        (
            "cone",
            Shape::cone(0.5, 0.5),
            round(0.2617993877991494, 0.019634954084936204, 0.019634954084936204).translated([0.0, -0.25, 0.0]),
        ),
        // 4/3 π abc, m (b² + c²)/5; and for the torus 2π² R r², m (R²/2 + 5/8 r²), m (R² + 3/4 r²).
        (
            "ellipsoid",
            Shape::ellipsoid([1.0, 2.0, 3.0]),
            properties(8.0 * PI, DVec3::ZERO, dvec3(13.0, 10.0, 5.0) * (1.6 * PI)),
        ),
        ("torus", Shape::torus(1.0, 0.25), round(PI * PI / 8.0, 0.5390625 * PI * PI / 8.0, 1.046875 * PI * PI / 8.0)),
        ("box", Shape::cuboid([0.5, 1.0, 1.5]), properties(6.0, DVec3::ZERO, dvec3(6.5, 5.0, 2.5))),
    ];
    for (name, shape, expected) in cases {
        let shape = shape.unwrap();
        assert_same(name, &shape.mass_properties(1.0).unwrap(), &expected, 1e-15);
        assert_eq!(shape.volume(), Some(shape.mass_properties(1.0).unwrap().mass));
    }
}

#[test]
fn fine_meshes_tend_to_the_smooth_solid() {
    // The torus of radii 1 and 1/4: V = 2π² R r², Iz = m (R² + 3/4 r²), Ix = m (R²/2 + 5/8 r²). A mesh of n × m quads
    // is smaller by (2π/n)²/6-like terms; halving the quads' size must quarter the difference.
    let volume = 2.0 * PI * PI / 16.0;
    let smooth = properties(volume, DVec3::ZERO, dvec3(0.5390625, 0.5390625, 1.046875) * volume);
    let coarse = mesh_properties(&solids::torus(1.0, 0.25, 64, 64));
    let fine = mesh_properties(&solids::torus(1.0, 0.25, 128, 128));
    for (coarse, fine, smooth) in [
        (coarse.mass, fine.mass, smooth.mass),
        (coarse.inertia.x_axis.x, fine.inertia.x_axis.x, smooth.inertia.x_axis.x),
        (coarse.inertia.z_axis.z, fine.inertia.z_axis.z, smooth.inertia.z_axis.z),
    ] {
        let ratio = (smooth - coarse) / (smooth - fine);
        assert!((ratio - 4.0).abs() < 0.02, "{ratio}");
    }
}

#[test]
fn properties_do_not_depend_on_where_the_body_is() {
    // Coordinates with few binary digits, so that the moved vertices are the same body to the last bit.
    let round = |v: DVec3| (v * 1024.0).round() / 1024.0;
    let near = solids::torus(1.0, 0.25, 24, 12).map(round);
    let offset = dvec3(1e6, -2e6, 3e6);
    let here = mesh_properties(&near);
    let there = mesh_properties(&near.map(|v| v + offset));
    assert_eq!(near.map(|v| v + offset).map(|v| v - offset).vertices, near.vertices);
    let moved = here.translated(offset);
    assert!((there.center - moved.center).length() < 1e-9);
    assert_same("far torus", &MassProperties { center: moved.center, ..there }, &moved, 1e-13);
}

#[test]
fn properties_turn_with_the_body() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..200 {
        let pose = random_pose(&mut random);
        let solid = solids::l_shape();
        let turned = mesh_properties(&solid.map(|v| pose.point(v)));
        assert_same("turned L", &turned, &mesh_properties(&solid).transformed(&pose), 2e-14);
    }
}

#[test]
fn inside_out_is_the_same_body() {
    let solid = solids::torus(1.0, 0.25, 32, 16);
    assert_same("inside out", &mesh_properties(&solid.inside_out()), &mesh_properties(&solid), 1e-15);
}

#[test]
fn cavities_are_subtracted() {
    let cube = |half: f64| solids::cuboid(DVec3::splat(-half), DVec3::splat(half));
    let hollow = mesh_properties(&cube(1.0).with(&cube(0.5).inside_out()));
    // 2/3 · 8 − 2/3 · 1/4 for cubes of edge 2 and 1 and unit density: m a²/6.
    assert_same("hollow", &hollow, &properties(7.0, DVec3::ZERO, DVec3::splat(16.0 / 3.0 - 1.0 / 6.0)), 1e-14);
}

#[test]
fn halves_add_up_to_the_whole() {
    let cuboid = |x_min: f64, x_max: f64| solids::cuboid(dvec3(x_min, -2.0, 0.5), dvec3(x_max, 1.0, 7.0));
    let halves = mesh_properties(&cuboid(-1.0, 0.3)) + mesh_properties(&cuboid(0.3, 5.0));
    assert_same("box", &halves, &mesh_properties(&cuboid(-1.0, 5.0)), 1e-14);
    // The L is two boxes.
    let upright = mesh_properties(&solids::cuboid(DVec3::ZERO, dvec3(1.0, 2.0, 1.0)));
    let foot = mesh_properties(&solids::cuboid(DVec3::X, dvec3(2.0, 1.0, 1.0)));
    assert_same("L", &(upright + foot), &mesh_properties(&solids::l_shape()), 1e-14);
}

#[test]
fn compounds_are_the_sum_of_their_parts() {
    // A box cut into eight, each part turned by a half turn about its own axes.
    let half = dvec3(0.5, 1.0, 1.5);
    let parts = (0..8).map(|octant| {
        let side = dvec3(
            if octant & 1 == 0 { 0.5 } else { -0.5 },
            if octant & 2 == 0 { 0.5 } else { -0.5 },
            if octant & 4 == 0 { 0.5 } else { -0.5 },
        );
        let pose = Transform::new(math::rotation_about(DVec3::AXES[octant % 3], PI), side * half);
        (pose, Shape::cuboid(0.5 * half).unwrap())
    });
    let compound = Shape::compound(parts.collect()).unwrap();
    assert_same(
        "box",
        &compound.mass_properties(1.0).unwrap(),
        &properties(6.0, DVec3::ZERO, dvec3(6.5, 5.0, 2.5)),
        1e-15,
    );
    assert!((compound.volume().unwrap() - 6.0).abs() < 1e-14);

    // A capsule is a cylinder and two half balls; with whole balls the overlap counts twice.
    let ball = Shape::sphere(0.5).unwrap();
    let at = |y: f64| Transform::from_translation(DVec3::Y * y);
    let rod = Shape::cylinder(1.0, 0.5).unwrap();
    let overlapping = Shape::compound(vec![(at(1.0), ball.clone()), (at(-1.0), ball.clone()), (at(0.0), rod)]).unwrap();
    let excess = ball.volume().unwrap();
    let capsule = Shape::capsule(1.0, 0.5).unwrap();
    assert!((overlapping.volume().unwrap() - capsule.volume().unwrap() - excess).abs() < 1e-14);
}

#[test]
fn open_meshes_weigh_by_area() {
    // A square sheet of edge 2 and mass 4: Ix = m a²/12, about the normal the sum.
    let square = vec![dvec3(-1.0, -1.0, 5.0), dvec3(1.0, -1.0, 5.0), dvec3(1.0, 1.0, 5.0), dvec3(-1.0, 1.0, 5.0)];
    let sheet = Shape::mesh(square, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let expected = properties(4.0, dvec3(0.0, 0.0, 5.0), dvec3(4.0 / 3.0, 4.0 / 3.0, 8.0 / 3.0));
    assert_same("sheet", &sheet.mass_properties(1.0).unwrap(), &expected, 1e-15);
    assert_eq!(sheet.volume(), None);

    // A hollow ball tends to 4 π r² and 2/3 m r², with the square of the triangles' size.
    let off = |stacks: usize| {
        let shell = solids::uv_sphere(stacks, 2 * stacks).mesh().shell_mass_properties(1.0).unwrap();
        let ball = shell.scaled_to_mass(1.0).unwrap();
        [4.0 * PI - shell.mass, 2.0 / 3.0 - ball.inertia.z_axis.z, 2.0 / 3.0 - ball.inertia.x_axis.x]
    };
    for (coarse, fine) in off(32).into_iter().zip(off(64)) {
        assert!(fine > 0.0 && fine < 1e-2 && (coarse / fine - 4.0).abs() < 0.05, "{coarse} {fine}");
    }
}

#[test]
fn properties_scale_with_density_and_size() {
    let solid = solids::l_shape();
    let unit = mesh_properties(&solid);
    for scale in [1e-6, 0.1, 3.0, 1e6] {
        let scaled = mesh_properties(&solid.map(|v| v * scale));
        let cube = scale * scale * scale;
        let expected = MassProperties {
            mass: unit.mass * cube,
            center: unit.center * scale,
            inertia: unit.inertia * (cube * scale * scale),
        };
        assert_same("scaled L", &scaled, &expected, 1e-14);
    }
    let shape = Shape::mesh(solid.vertices, solid.triangles).unwrap();
    let dense = shape.mass_properties(7800.0).unwrap();
    let expected = MassProperties { mass: unit.mass * 7800.0, inertia: unit.inertia * 7800.0, ..unit };
    assert_same("dense L", &dense, &expected, 1e-15);
    assert_same("weighed L", &shape.mass_properties_with_mass(dense.mass).unwrap(), &dense, 1e-15);
}

#[test]
fn thin_bodies_keep_their_small_moment() {
    // A needle 1000 m long and 1 mm thick: its moment about its axis is 12 orders of magnitude below the others.
    let needle = mesh_properties(&solids::cuboid(dvec3(-500.0, 3.0, -7.0), dvec3(500.0, 3.001, -6.999)));
    let expected = Shape::cuboid([500.0, 0.0005, 0.0005]).unwrap().mass_properties(1.0).unwrap();
    let error = needle.inertia.x_axis.x / expected.inertia.x_axis.x - 1.0;
    // 3.001 − 3 and 7 − 6.999 carry 13 digits.
    assert!(error.abs() < 1e-11, "{error:e}");
    assert!(needle.is_valid());
}

#[test]
fn principal_axes_reconstruct_the_tensor() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut worst = 0.0_f64;
    for case in 0..20_000 {
        // Any three non-negative second moments make a body; some equal, some of very different size, some zero.
        let mut spread = DVec3::new(random_size(&mut random), random_size(&mut random), random_size(&mut random));
        match case % 5 {
            0 => spread.y = spread.x,
            1 => spread = DVec3::splat(spread.x),
            2 => spread.z = 0.0,
            _ => {}
        }
        let moments = DVec3::splat(spread.element_sum()) - spread;
        let body = properties(1.0, DVec3::ZERO, moments).rotated(random_rotation(&mut random));
        let principal = body.principal();
        let error = (principal.tensor() - body.inertia).to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        worst = worst.max(error / moments.max_element());
        assert!((principal.axes.length() - 1.0).abs() < 1e-15);

        let sorted = principal.ascending();
        let error = (sorted.tensor() - body.inertia).to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(error < 1e-14 * moments.max_element());
        let mut expected = moments.to_array();
        expected.sort_by(f64::total_cmp);
        assert!((sorted.moments - DVec3::from(expected)).length() < 1e-14 * moments.max_element());
        assert!(body.is_valid());
    }
    assert!(worst < 5e-15, "{worst:e}");
}

#[test]
fn aligned_bodies_have_the_identity_as_principal_axes() {
    for moments in [dvec3(3.0, 2.0, 4.0), DVec3::splat(0.4), dvec3(1.0, 1.0, 1.5), DVec3::ZERO] {
        let principal = properties(1.0, DVec3::ZERO, moments).principal();
        assert_eq!((principal.axes, principal.moments), (DQuat::IDENTITY, moments));
    }
    // A ball with rounding noise beside the diagonal is still a ball.
    let mut ball = properties(1.0, DVec3::ZERO, DVec3::splat(0.4));
    ball.inertia.x_axis.y = 3e-17;
    ball.inertia.y_axis.x = 3e-17;
    assert_eq!(ball.principal().axes, DQuat::IDENTITY);
    // Principal axes of the corner tetrahedron: the diagonal of the cube and the plane across it.
    let corner = solids::simplicial(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
    let principal = mesh_properties(&corner).principal().ascending();
    let expected = dvec3(0.0125 - 1.0 / 480.0, 0.0125 - 1.0 / 480.0, 0.0125 + 2.0 / 480.0);
    assert!((principal.moments - expected).length() < 1e-16);
    assert!(((principal.axes * DVec3::Z).dot(DVec3::ONE.normalize()).abs() - 1.0).abs() < 1e-15);
}

#[test]
fn inverse_inertia_inverts_or_is_zero() {
    let body = mesh_properties(&solids::l_shape());
    let error = body.inverse_inertia() * body.inertia - DMat3::IDENTITY;
    assert!(error.to_cols_array().iter().all(|x| x.abs() < 1e-14));
    assert_eq!(body.inverse_mass(), 1.0 / 3.0);
    assert_eq!(MassProperties::INFINITE.inverse_mass(), 0.0);
    assert_eq!(MassProperties::INFINITE.inverse_inertia(), DMat3::ZERO);
    assert_eq!(MassProperties::point(2.0, DVec3::X).inverse_inertia(), DMat3::ZERO);
    // Two particles on a line spin about anything but the line.
    let line = MassProperties::point(1.0, DVec3::X) + MassProperties::point(1.0, DVec3::NEG_X);
    assert_eq!(line.inverse_inertia(), DMat3::from_diagonal(dvec3(0.0, 0.5, 0.5)));
    // Steiner about the end of the line: m₂ 2².
    assert_eq!(line.inertia_about(DVec3::X).y_axis.y, 4.0);
}

#[test]
fn infinite_mass_stays_infinite() {
    let ball = Shape::sphere(1.0).unwrap().mass_properties(1.0).unwrap();
    let ground = MassProperties::INFINITE.translated(DVec3::Y);
    assert_eq!(ground + ball, ground);
    assert_eq!(ball + ground, ground);
    assert!(ground.rotated(math::rotation_about(DVec3::X, 1.0)).is_valid());
    assert!(ground.inertia_about(DVec3::X) == ground.inertia);
}

#[test]
fn impossible_bodies_are_not_valid() {
    let valid = properties(1.0, DVec3::ZERO, dvec3(1.0, 1.0, 2.0));
    assert!(valid.is_valid());
    assert!(MassProperties::point(1.0, DVec3::X).is_valid());
    assert!(!properties(1.0, DVec3::ZERO, dvec3(1.0, 1.0, 2.01)).is_valid(), "triangle inequality");
    assert!(!properties(1.0, DVec3::ZERO, dvec3(-1.0, 1.0, 1.0)).is_valid());
    assert!(!properties(0.0, DVec3::ZERO, DVec3::ONE).is_valid());
    assert!(!properties(f64::NAN, DVec3::ZERO, DVec3::ONE).is_valid());
    assert!(!properties(1.0, DVec3::NAN, DVec3::ONE).is_valid());
    assert!(!properties(1.0, DVec3::ZERO, DVec3::INFINITY).is_valid());
    let mut skew = valid;
    skew.inertia.x_axis.y = 0.5;
    assert!(!skew.is_valid());
    for broken in [f64::NAN, f64::INFINITY] {
        let body = properties(broken, DVec3::splat(broken), DVec3::splat(broken));
        let _ = (body.principal(), body.inverse_inertia(), body.inverse_mass(), body.rotated(DQuat::IDENTITY));
        let _ = (body + body, body.scaled_to_mass(1.0).unwrap_err());
    }
}

#[test]
fn senseless_requests_are_errors() {
    let ball = Shape::sphere(1.0).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(ball.mass_properties(bad), Err(GeometryError::OutOfRange { what: "density", .. })));
        assert!(matches!(ball.mass_properties_with_mass(bad), Err(GeometryError::OutOfRange { what: "mass", .. })));
    }
    assert!(ball.mass_properties(1e308).is_err(), "overflow is reported");
    let ground = Shape::half_space(DVec3::Y).unwrap();
    assert_eq!(ground.volume(), None);
    let message = ground.mass_properties(1.0).unwrap_err().to_string();
    assert!(message.starts_with("half-space is endless"), "{message}");
    // A leaf: closed, but without volume.
    let leaf = solids::cuboid(DVec3::ZERO, dvec3(1.0, 1.0, 0.0)).map(|v| dvec3(v.x, v.y, 0.3 * v.x + 0.7 * v.y));
    if let Ok(shape) = Shape::mesh(leaf.vertices, leaf.triangles) {
        let error = shape.mass_properties(1.0).unwrap_err().to_string();
        assert!(error.contains("no volume"), "{error}");
    }
}

#[test]
fn sampling_approaches_the_exact_properties() {
    let bounds = Aabb::from_center(DVec3::ZERO, DVec3::splat(1.0));
    let ball = Shape::sphere(1.0).unwrap().mass_properties(3.0).unwrap();
    let sampled = mass::sample(|p| p.length_squared() <= 1.0, &bounds, 128, 3.0).unwrap();
    assert_same("ball", &sampled, &ball, 2e-3);
    // A box that fills its bounds is exact at any resolution, because every cell is a solid cell.
    let bounds = Aabb::new(dvec3(1.0, 2.0, 3.0), dvec3(2.0, 4.0, 6.0));
    let brick = properties(6.0, dvec3(1.5, 3.0, 4.5), dvec3(6.5, 5.0, 2.5));
    for cells in [0, 1, 7, 30] {
        assert_same("box", &mass::sample(|_| true, &bounds, cells, 1.0).unwrap(), &brick, 1e-14);
    }
    assert!(mass::sample(|_| false, &bounds, 10, 1.0).is_err());
    assert!(mass::sample(|_| true, &bounds, 10, -1.0).is_err());
    assert!(mass::sample(|_| true, &Aabb::EVERYTHING, 10, 1.0).is_err());
    assert!(mass::sample(|_| true, &Aabb::EMPTY, 10, 1.0).is_err());
    assert!(mass::sample(|_| true, &Aabb::from_center(DVec3::NAN, DVec3::ONE), 10, 1.0).is_err());
}

fn random_size(random: &mut fastrand::Rng) -> f64 {
    libm::exp(20.0 * (random.f64() - 0.5))
}

fn random_vector(random: &mut fastrand::Rng) -> DVec3 {
    dvec3(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5)
}

fn random_rotation(random: &mut fastrand::Rng) -> DQuat {
    math::rotation_from_vector(random_vector(random) * 6.0)
}

fn random_pose(random: &mut fastrand::Rng) -> Transform {
    Transform::new(random_rotation(random), random_vector(random) * 5.0)
}

#[test]
fn hulls_have_the_reference_properties() {
    for (name, solid, convex, expected) in reference_solids() {
        if convex {
            let hull = Shape::hull(&solid.vertices).unwrap();
            assert_same(name, &hull.mass_properties(1.0).unwrap(), &expected, 1e-13);
        }
    }
}

#[test]
fn height_fields_weigh_by_area() {
    // A slope of 45° over 4 m × 6 m: a rectangle of 4 m × 6√2 m.
    let heights = (0..4).flat_map(|row| [2.0 * row as f64; 3]).collect();
    let field = HeightField::new(4, 3, heights, [2.0, 2.0]).unwrap();
    let slope = Shape::HeightField(Arc::new(field));
    let properties = slope.mass_properties(1.0).unwrap();
    let (short, long) = (4.0, 6.0 * 2.0_f64.sqrt());
    let mass = short * long;
    assert!((properties.mass - mass).abs() < 1e-13);
    let expected = [short * short, long * long, short * short + long * long].map(|square| mass * square / 12.0);
    assert!((properties.principal().ascending().moments - DVec3::from(expected)).length() < 1e-12 * mass);
    assert_eq!(slope.volume(), None);
}

/// An ellipsoid with axes of any length.
#[derive(Debug)]
struct Ellipsoid {
    center: DVec3,
    axes: DVec3,
}

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.center + self.axes * (self.axes * direction).normalize()
    }

    fn center(&self) -> DVec3 {
        self.center
    }
}

/// A shape of the library as a custom one.
#[derive(Debug)]
struct Wrapped<T>(T);

impl<T: Convex + std::fmt::Debug + Send + Sync + 'static> SupportMap for Wrapped<T> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0.support(direction) + self.0.radius() * direction.normalize()
    }

    fn center(&self) -> DVec3 {
        self.0.center()
    }
}

#[test]
fn custom_shapes_are_integrated_from_their_support_mapping() {
    for axes in [dvec3(1.0, 1.0, 1.0), dvec3(1.0, 2.0, 3.0), dvec3(0.1, 5.0, 1.0)] {
        let center = dvec3(10.0, -3.0, 2.0);
        let mass = 4.0 / 3.0 * PI * axes.x * axes.y * axes.z;
        let square = axes * axes;
        let moments = (DVec3::splat(square.element_sum()) - square) * (mass / 5.0);
        let shape = Shape::custom(Ellipsoid { center, axes }).unwrap();
        assert_same("ellipsoid", &shape.mass_properties(1.0).unwrap(), &properties(mass, center, moments), 1e-5);
    }
    let cuboid = Cuboid::new(dvec3(0.5, 1.0, 1.5)).unwrap();
    let cylinder = Cylinder::new(1.0, 0.5).unwrap();
    let cone = Cone::new(1.0, 0.5).unwrap();
    let capsule = Capsule::new(1.0, 0.5).unwrap();
    let cases = [
        ("box", Shape::custom(Wrapped(cuboid)), Shape::Cuboid(cuboid), 1e-14),
        ("cylinder", Shape::custom(Wrapped(cylinder)), Shape::Cylinder(cylinder), 1e-6),
        ("cone", Shape::custom(Wrapped(cone)), Shape::Cone(cone), 1e-6),
        ("capsule", Shape::custom(Wrapped(capsule)), Shape::Capsule(capsule), 5e-5),
    ];
    for (name, custom, exact, tolerance) in cases {
        let custom = custom.unwrap().mass_properties(2.0).unwrap();
        assert_same(name, &custom, &exact.mass_properties(2.0).unwrap(), tolerance);
    }
}

#[test]
fn custom_polyhedra_are_exact() {
    for (name, solid, convex, expected) in reference_solids() {
        if convex {
            let hull = Hull::new(&solid.vertices).unwrap();
            let custom = Shape::custom(Wrapped(hull)).unwrap().mass_properties(1.0).unwrap();
            assert_same(name, &custom, &expected, 1e-13);
        }
    }
}
