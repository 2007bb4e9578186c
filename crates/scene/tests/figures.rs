//! Figures: skeletons, skins, and Alfred on the stairs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use glam::{DVec3, Vec3};
use tumble_dynamics::model::JointEnd;
use tumble_dynamics::{Id, World};
use tumble_geometry::Transform;
use tumble_geometry::math::rotation_about;
use tumble_scene::gallery::find;
use tumble_scene::skin::Figure;
use tumble_scene::{Loader, Scene};

fn load(name: &str) -> Scene {
    find(name).unwrap().load(&Loader::new()).unwrap_or_else(|report| panic!("{report}"))
}

fn read(text: &str) -> Result<Scene, String> {
    Loader::new().load_text("figure.toml", text).map_err(|report| report.to_string())
}

/// Two bones: an upper arm down from the origin, turned by 30°, and a forearm at its end.
const ARM: &str = r#"
    title = "An arm"
    gravity = [0, 0, 0]

    [skeletons.limb.bones.upper]
    body = { mass = 2, shape.box.size = [0.1, 0.1, 0.1] }
    rotation.z_deg = 30

    [skeletons.limb.bones."lower"]
    parent = "upper"
    offset = [0, -0.4, 0]
    body = { mass = 1, position = [0, -0.1, 0], shape.box.size = [0.1, 0.1, 0.1] }
    joint = { name = "elbow.left", hinge = { axis = [0, 0, 1], turn = { min_deg = -10, max_deg = 90 } } }

    [instances.one]
    template = "limb"
    position = [1, 2, 3]

    [instances.many]
    template = "limb"
    repeat.line = { count = 3, step = [5, 0, 0] }
"#;

#[test]
fn bones_are_placed_along_the_tree_and_found_by_their_paths() {
    let scene = read(ARM).unwrap();
    assert_eq!(scene.world.bodies().count(), 8);
    let lower = scene.world.body(scene.body_named("one.lower").unwrap()).unwrap();
    let turned = rotation_about(DVec3::Z, 30.0_f64.to_radians());
    let joint = DVec3::new(1.0, 2.0, 3.0) + turned * DVec3::new(0.0, -0.4, 0.0);
    assert!((lower.pose().translation - joint - turned * DVec3::new(0.0, -0.1, 0.0)).length() < 1e-12);
    let elbow = scene.world.joint(scene.joint_named("one.elbow.left").unwrap()).unwrap();
    assert!((elbow.anchors()[0] - joint).length() < 1e-12, "{}", elbow.anchors()[0]);
    assert!(scene.joint_named("many.2.elbow.left").is_some());
    assert!(scene.joint_named("many.3.elbow.left").is_none());
}

#[test]
fn mistakes_in_skeletons_are_told() {
    let says = |from: &str, to: &str, what: &str| {
        assert!(ARM.contains(from));
        let problem = read(&ARM.replace(from, to)).unwrap_err();
        assert!(problem.contains(what), "{problem}");
    };
    says("parent = \"upper\"", "parent = \"uper\"", "hangs on \"uper\"");
    says("parent = \"upper\"", "parent = \"lower\"", "hangs on itself");
    says("offset = [0, -0.4, 0]", "ofset = [0, -0.4, 0]", "ofset");
    says("title = \"An arm\"", "title = \"An arm\"\n[templates.limb]", "a template and a skeleton");
    says("hinge =", "hingo =", "hingo");
}

/// A leg that hangs straight down with its joint turned by a torque: tone k φ in balance with it, φ = τ/k.
#[test]
fn tone_and_comfort_are_the_springs_they_say() {
    let angle = |springs: &str, torque: f64| {
        let text = format!(
            r#"
            gravity = [0, 0, 0]
            dt = 0.01
            [skeletons.leg.bones.thigh]
            body = {{ mass_properties = {{ mass = 1, inertia = [1, 1, 1] }} }}
            [skeletons.leg.bones.shin]
            parent = "thigh"
            body = {{ mass_properties = {{ mass = 1, inertia = [0.1, 0.1, 0.1] }} }}
            joint = {{ hinge = {{ axis = [0, 0, 1], turn = {{ min_deg = -100, max_deg = 100 }} }} }}
            {springs}
            [instances.one]
            template = "leg"
            [joints.held]
            between = ["world", "one/thigh"]
            weld = {{}}
            "#
        );
        let mut scene = read(&text).unwrap_or_else(|report| panic!("{report}"));
        let shin = scene.body_named("one.shin").unwrap();
        let knee = scene.joint_named("one.shin").unwrap();
        for _ in 0..600 {
            scene.world.body_mut(shin).unwrap().apply_torque(DVec3::new(0.0, 0.0, torque)).unwrap();
            scene.world.step(1e-2).unwrap();
        }
        scene.world.joint(knee).unwrap().angle().unwrap()
    };
    let tone = angle("tone = { stiffness = 20, damping = 2.5 }", 2.0);
    // The spring of an orientation is 2 sin(φ/2).
    let expected = 2.0 * libm::asin(0.5 * 2.0 / 20.0);
    assert!((tone - expected).abs() < 1e-3, "{tone} for {expected}");
    // No torque until 70 % of the way to 100°, then a spring.
    let comfort = "comfort = { from = 0.7, stiffness = 50, damping = 4 }";
    let pressed = angle(comfort, 10.0).to_degrees();
    let expected = 70.0 + (10.0_f64 / 50.0).to_degrees();
    assert!((pressed - expected).abs() < 0.2, "{pressed} for {expected}");
}

#[test]
fn what_is_seen_is_not_what_collides() {
    let text =
        |visual: &str| format!("[bodies.ball]\nshape.sphere.radius = 0.5\ncolor = '#0000ff'\nvisual = [{visual}]\n");
    let look = |visual: &str| {
        let scene = read(&text(visual)).unwrap_or_else(|report| panic!("{report}"));
        let (id, body) = scene.world.bodies().next().unwrap();
        assert!((body.model().mass.mass - 1000.0 * std::f64::consts::PI / 6.0).abs() < 60.0, "weighed as a ball");
        tumble_scene::look::Surface::of_body(&scene, id)
    };
    assert!(look("").positions.is_empty());
    let cube =
        look("{ shape.box.size = [2, 2, 2], position = [1, 0, 0], color = '#ff0000' }, { shape.box.size = [1, 1, 1] }");
    assert_eq!(cube.positions.len(), 2 * 36);
    assert_eq!(cube.bounds().unwrap(), (Vec3::new(-0.5, -1.0, -1.0), Vec3::new(2.0, 1.0, 1.0)));
    assert_eq!((cube.colors[0], cube.colors[40]), ([255, 0, 0], [0, 0, 255]));
    assert!(read(&text("{ file = 'x.obj', shape.sphere.radius = 1 }")).unwrap_err().contains("either"));
    assert!(read(&text("{ file = 'x.obj' }")).is_err());
}

#[test]
fn alfred_is_a_person_of_25_bones() {
    for (name, least) in [("alfred-stairs", 25), ("alfred-spiral", 25)] {
        let scene = load(name);
        let [figure] = &scene.figures[..] else { panic!("one figure") };
        assert!(figure.bodies.len() >= least);
        let mass: f64 = figure.bodies.iter().map(|&id| scene.world.body(id).unwrap().model().mass.mass).sum();
        assert!((70.0..80.0).contains(&mass), "{mass} kg");
        let vertices = figure.skin.positions.len();
        assert!((2100..2500).contains(&vertices), "{vertices}");
        let heights = figure.skin.positions.iter().map(|place| place.y);
        let tall = heights.clone().fold(f32::MIN, f32::max) - heights.fold(f32::MAX, f32::min);
        assert!((1.75..1.85).contains(&tall), "{tall} m");
        assert!(scene.joint_named("alfred.knee.left").is_some());
        assert!(scene.body_named("alfred.shin.left").is_some());
    }
    let spheres = find("alfred-stairs").unwrap().text.replace("alfred.toml", "alfred-spheres.toml");
    let scene = Loader::new().load_text_with("spheres", &spheres, &tumble_scene::gallery::GalleryFiles);
    let scene = scene.unwrap_or_else(|report| panic!("{report}"));
    let count: usize =
        scene.figures[0].bodies.iter().map(|&id| scene.world.body(id).unwrap().model().colliders.len()).sum();
    assert_eq!(count, 252);
}

/// Vertices of one bone go with it rigidly; a figure that is moved as a whole is moved as a whole.
#[test]
fn skins_bend_as_bones_do() {
    let scene = load("alfred-stairs");
    let Figure { skin, .. } = &scene.figures[0];
    let motion = Transform::new(rotation_about(DVec3::new(0.6, 0.0, 0.8), 2.0), DVec3::new(1.0, -2.0, 0.5));
    let poses: Vec<Transform> = skin.rest.iter().map(|rest| motion * *rest).collect();
    let (bent, normals) = skin.bent(&poses);
    for (index, (place, normal)) in bent.iter().zip(&normals).enumerate() {
        let expected = motion.point(skin.positions[index].as_dvec3()).as_vec3();
        assert!((*place - expected).length() < 2e-6);
        assert!((*normal - motion.vector(skin.normals[index].as_dvec3()).as_vec3()).length() < 1e-5);
    }
    let shin = skin.bones.iter().position(|bone| bone == "shin.left").unwrap();
    let mut poses = skin.rest.clone();
    poses[shin] = poses[shin] * Transform::new(rotation_about(DVec3::Z, -1.0), DVec3::ZERO);
    let (bent, _) = skin.bent(&poses);
    let own = (0..bent.len())
        .filter(|&v| skin.joints[v].iter().zip(&skin.weights[v]).any(|(&j, &w)| usize::from(j) == shin && w > 0.999));
    let mut count = 0;
    for vertex in own {
        let local = skin.rest[shin].inverse_point(skin.positions[vertex].as_dvec3());
        assert!((bent[vertex].as_dvec3() - poses[shin].point(local)).length() < 1e-5);
        count += 1;
    }
    assert!(count > 0);
}

/// By how much the joints of a figure are open, in metres, and by how much their limits are passed, in radians.
fn strain(world: &World) -> (f64, f64) {
    let (mut open, mut passed) = (0.0_f64, 0.0_f64);
    for (_, joint) in world.joints() {
        let name = &joint.model().name;
        let held = joint.model().ends.iter().all(|end| matches!(end, JointEnd::Body(_)));
        if name.ends_with(".tone") || name.contains(".comfort") || !held {
            continue;
        }
        let [a, b] = joint.anchors();
        open = open.max((a - b).length());
        let limit = joint.error();
        // The larger of the two.
        passed = passed.max(if limit > (a - b).length() + 1e-9 { limit } else { 0.0 });
    }
    (open, passed)
}

/// Falls to the end: joints are open by no more than so many millimetres and limits passed by so many degrees, nothing goes through the stairs or into the ground, and he comes to rest below.
fn falls(name: &str, method: &str, [gap_mm, limit]: [f64; 2], lower: f64) {
    let loader = Loader::new().with_setting(method);
    let mut scene = find(name).unwrap().load(&loader).unwrap_or_else(|report| panic!("{report}"));
    let (mut open, mut passed) = (0.0_f64, 0.0_f64);
    let start = scene.world.body(scene.body_named("alfred.pelvis").unwrap()).unwrap().position().y;
    while scene.world.time() < scene.duration - 1e-9 {
        scene.world.step(scene.dt).unwrap();
        let (gap, beyond) = strain(&scene.world);
        (open, passed) = (open.max(gap), passed.max(beyond));
        for (id, body) in scene.world.bodies() {
            let low = body.position().y;
            assert!(!body.model().kind.moves() || low > 0.005, "{} is at {low} m", id.slot());
        }
    }
    let pelvis = scene.world.body(scene.body_named("alfred.pelvis").unwrap()).unwrap();
    println!(
        "{name}: open {:.2} mm, passed {:.2}°, fell {:.2} m, moves at {:.4} m/s",
        1e3 * open,
        passed.to_degrees(),
        start - pelvis.position().y,
        pelvis.velocity().length()
    );
    assert!(1e3 * open < gap_mm, "{open}");
    assert!(passed.to_degrees() < limit, "{}", passed.to_degrees());
    assert!(start - pelvis.position().y > lower);
    for &id in &scene.figures[0].bodies {
        let body = scene.world.body(id).unwrap();
        assert!(body.velocity().length() < 0.01, "{} still moves at {}", body.model().name, body.velocity().length());
    }
}

const EXACT: &str = "method.realtime.exact_contacts=64";

#[test]
fn alfred_falls_down_the_stairs() {
    falls("alfred-stairs", EXACT, [2.0, 3.0], 1.2);
}

/// As the scene has it: by sweeps, an order of magnitude faster, in which limits give way a little when he hits the stairs.
#[test]
fn alfred_falls_down_the_stairs_fast() {
    falls("alfred-stairs", "duration=8", [5.0, 10.0], 1.2);
}

#[test]
fn alfred_falls_down_the_spiral_staircase() {
    falls("alfred-spiral", EXACT, [2.0, 3.0], 0.7);
}

/// So many Alfreds, each on a flight of stairs of his own, as they begin to fall.
fn crowd(count: usize) -> Scene {
    let text = format!(
        r#"
        include = ["figures/alfred.toml"]
        dt = 0.016666666666666666
        method.realtime = {{ exact_contacts = 0, refreshes = 4 }}
        bodies.floor = {{ kind = "fixed", shape.half_space = {{}} }}
        shapes.stairs.mesh.file = "figures/stairs.obj"
        templates.flight.bodies.stairs = {{ kind = "fixed", shape = "stairs" }}
        instances.flight = {{ template = "flight", repeat.line = {{ count = {count}, step = [0, 0, 12] }} }}
        [instances.alfred]
        template = "alfred"
        position = [-0.2, 2.185, 0]
        rotation.z_deg = -6
        velocity = [1.3, 0, 0.1]
        angular_velocity = [0.1, 0.3, -1.6]
        repeat.line = {{ count = {count}, step = [0, 0, 12] }}
        "#
    );
    let loader = Loader::new().with_budget(tumble_scene::Budget { factor: 100.0 });
    let scene = loader.load_text_with("crowd.toml", &text, &tumble_scene::gallery::GalleryFiles);
    scene.unwrap_or_else(|report| panic!("{report}"))
}

/// What there is to do grows in proportion to the number of figures: pairs that are near, each as often as it is looked at, and patches of
/// contact, each as often as it is swept. Nothing that depends on the machine is counted.
#[test]
fn a_hundred_alfreds_are_a_hundred_times_the_work_of_one() {
    let work = |count: usize| {
        let mut scene = crowd(count);
        let (mut looked, mut swept, mut islands) = (0, 0, 0);
        for _ in 0..30 {
            scene.world.step(scene.dt).unwrap();
            let report = scene.world.report();
            looked += report.work.pairs * report.work.looks;
            swept += (report.work.swept_contacts + report.contact_points) * report.work.heap_substeps.max(1);
            islands += report.islands;
        }
        [looked, swept, islands].map(|sum| sum as f64 / count as f64)
    };
    let [one, many] = [5, 100].map(work);
    for (one, many) in one.iter().zip(many) {
        assert!(*one > 0.0 && (0.8 * one..1.2 * one).contains(&many), "{one} each for five, {many} each for a hundred");
    }
}

/// A figure of which the scene says nothing but the file: bones, places, shapes and masses come from there, and it falls like one that was described.
#[test]
fn a_skinned_figure_is_imported_from_its_file_alone() {
    let text = |bones: &str| {
        format!(
            "bodies.floor = {{ kind = \"fixed\", shape.half_space = {{}} }}\ndt = 0.016666666666666666\n\
             [skeletons.hero]\nskin.file = \"figures/alfred.glb\"\nmass = 80\n{bones}\n\
             [instances.hero]\ntemplate = \"hero\"\nposition = [0, 0.3, 0]\n"
        )
    };
    let read = |text: &str| Loader::new().load_text_with("hero.toml", text, &tumble_scene::gallery::GalleryFiles);
    let mut scene = read(&text("")).unwrap_or_else(|report| panic!("{report}"));
    let described = load("alfred-stairs");
    let (imported, known) = (&scene.figures[0], &described.figures[0]);
    assert_eq!(imported.skin.bones, known.skin.bones);
    assert_eq!(imported.bodies.len(), 25);
    let mass: f64 = imported.bodies.iter().map(|&id| scene.world.body(id).unwrap().model().mass.mass).sum();
    assert!((mass - 80.0).abs() < 1e-9, "{mass}");
    // The bones are where the figure that was described has them.
    for (here, there) in imported.skin.rest.iter().zip(&known.skin.rest) {
        let apart = (here.translation - imported.skin.rest[0].translation)
            - (there.translation - known.skin.rest[0].translation);
        assert!(apart.length() < 1e-3, "{apart}");
    }
    let head = scene.body_named("hero.head").unwrap();
    for _ in 0..240 {
        scene.world.step(scene.dt).unwrap();
        assert!(scene.world.joints().all(|(_, joint)| joint.error() < 0.05));
    }
    let y = scene.world.body(head).unwrap().center_of_mass().y;
    assert!((0.0..0.6).contains(&y), "nothing holds it up: its head is at {y}");
    // What the scene says of single bones holds.
    let limited = text("[skeletons.hero.bones.\"shin.left\"]\njoint.hinge = { axis = [0, 0, 1] }");
    let scene = read(&limited).unwrap_or_else(|report| panic!("{report}"));
    let joint = scene.world.joint(scene.joint_named("hero.shin.left").unwrap()).unwrap();
    assert!(joint.angle().is_some(), "it is a hinge now");
}

/// A figure as modellers write them: bound in centimetres with z up, under an armature that turns and shrinks it, with a node between two
/// joints, a joint at the end to which nothing is bound, and a second mesh with a skin of its own that lists the joints in another order.
struct Modeller;

impl tumble_scene::mesh::Files for Modeller {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        // Two boxes: a thigh from 60 to 100 cm and a shin from 10 to 50 cm above the ground, 20 cm wide.
        let corners = |low: f32| -> Vec<f32> {
            (0..8)
                .flat_map(|i| {
                    [0, 1, 2]
                        .map(|k| if i >> k & 1 == 1 { [10.0, 10.0, low + 40.0][k] } else { [-10.0, -10.0, low][k] })
                })
                .collect()
        };
        let faces: [u16; 36] = [
            0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
        ];
        let below = |z: f32| -> Vec<f32> { vec![1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., -z, 1.] };
        let mut bytes: Vec<u8> = Vec::new();
        let mut floats = |numbers: &[f32]| numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        floats(&corners(60.0));
        floats(&corners(10.0));
        floats(&[below(100.0), below(50.0), below(10.0)].concat());
        floats(&[below(50.0), below(100.0)].concat());
        floats(&[[1.0_f32, 0.0, 0.0, 0.0]; 8].concat());
        faces.iter().for_each(|index| bytes.extend(index.to_le_bytes()));
        bytes.extend([0_u8; 32]);
        let text = r#"{
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [
                {"name": "Armature", "rotation": [-0.7071067811865476, 0, 0, 0.7071067811865476], "scale": [0.01, 0.01, 0.01], "children": [1, 2, 3]},
                {"name": "upper", "mesh": 0, "skin": 0, "translation": [700, 0, 0]}, {"name": "lower", "mesh": 1, "skin": 1},
                {"name": "rig:Thigh", "translation": [0, 0, 100], "children": [4]}, {"name": "twist", "translation": [0, 0, -20], "children": [5]},
                {"name": "rig:Shin", "translation": [0, 0, -30], "children": [6]}, {"name": "rig:Shin_end", "translation": [0, 0, -40]}],
            "skins": [{"joints": [3, 5, 6], "inverseBindMatrices": 2}, {"joints": [5, 3], "inverseBindMatrices": 3}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 6, "WEIGHTS_0": 4}, "indices": 5}]},
                {"primitives": [{"attributes": {"POSITION": 1, "JOINTS_0": 6, "WEIGHTS_0": 4}, "indices": 5}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 8},
                {"bufferView": 0, "byteOffset": 96, "componentType": 5126, "type": "VEC3", "count": 8},
                {"bufferView": 0, "byteOffset": 192, "componentType": 5126, "type": "MAT4", "count": 3},
                {"bufferView": 0, "byteOffset": 384, "componentType": 5126, "type": "MAT4", "count": 2},
                {"bufferView": 0, "byteOffset": 512, "componentType": 5126, "type": "VEC4", "count": 8},
                {"bufferView": 0, "byteOffset": 640, "componentType": 5123, "type": "SCALAR", "count": 36},
                {"bufferView": 0, "byteOffset": 712, "componentType": 5121, "type": "VEC4", "count": 8}],
            "bufferViews": [{"buffer": 0, "byteLength": 744}], "buffers": [{"byteLength": 744, "uri": "hero.bin"}]
        }"#;
        match name {
            "hero.gltf" => Ok(text.into()),
            "hero.bin" => Ok(bytes),
            _ => Err(format!("there is no file {name}")),
        }
    }
}

/// It is imported as a viewer shows it: in metres, upright, each part on its bone.
#[test]
fn figures_of_modellers_stand_upright_in_metres() {
    let text = "gravity = [0, 0, 0]\n[skeletons.hero]\nskin.file = \"hero.gltf\"\nmass = 30\n[instances.hero]\ntemplate = \"hero\"\n";
    let scene = Loader::new().load_text_with("hero.toml", text, &Modeller).unwrap_or_else(|report| panic!("{report}"));
    let figure = &scene.figures[0];
    assert_eq!(figure.skin.bones[..2], ["rig:Thigh", "rig:Shin"]);
    assert_eq!(figure.skin.parents[..2], [None, Some(0)]);
    for (bone, height) in [(0, 1.0), (1, 0.5)] {
        let joint = figure.skin.rest[bone].translation;
        assert!((joint - DVec3::Y * height).length() < 1e-6, "{joint}");
        // The middle of its part of the mesh.
        let middle = scene.world.body(figure.bodies[bone]).unwrap().center_of_mass();
        assert!((middle - DVec3::Y * (height - 0.2)).length() < 1e-6, "{middle}");
        let mass = scene.world.body(figure.bodies[bone]).unwrap().model().mass.mass;
        // The joint at the end is a small box.
        assert!((mass - 15.0).abs() < 0.01, "{mass}");
    }
    let heights = || figure.skin.positions.iter().map(|place| place.y);
    let (low, high) = (heights().fold(f32::MAX, f32::min), heights().fold(f32::MIN, f32::max));
    assert!((low - 0.1).abs() < 1e-6 && (high - 1.0).abs() < 1e-6, "from {low} to {high}");
    assert!(figure.skin.positions.iter().all(|place| place.x.abs() < 0.11 && place.z.abs() < 0.11));
}
