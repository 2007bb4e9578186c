//! What a scene file says is what the world does.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use glam::DVec3;
use tumble_dynamics::{BodyId, World};
use tumble_scene::{Loader, Scene};

#[track_caller]
fn load(text: &str) -> Scene {
    match Loader::new().load_text("scene.toml", text) {
        Ok(scene) => scene,
        Err(report) => panic!("{report}"),
    }
}

fn body(world: &World, name: &str) -> BodyId {
    world.body_named(name).unwrap_or_else(|| panic!("no body {name}"))
}

fn position(world: &World, name: &str) -> DVec3 {
    world.body(body(world, name)).unwrap().position()
}

fn run(scene: &mut Scene, seconds: f64) {
    for _ in 0..(seconds / scene.dt).round() as usize {
        scene.world.step(scene.dt).unwrap();
    }
}

#[test]
fn a_body_falls_as_the_file_says() {
    let mut scene = load(
        "title = 'Moon'\ngravity = [0, -1.62, 0]\ndt = 0.01\n[bodies.stone]\nshape.box.size = [1, 2, 3]\nmaterial = 'ice'\nposition = [1, 10, 0]\nvelocity = [0, 0, 2]\n",
    );
    let stone = scene.world.body(body(&scene.world, "stone")).unwrap();
    assert!((stone.mass() - 6.0 * 917.0).abs() < 1e-9);
    run(&mut scene, 2.0);
    assert!((position(&scene.world, "stone") - DVec3::new(1.0, 10.0 - 1.62 * 2.0, 4.0)).length() < 1e-12);
}

#[test]
fn a_chain_from_a_template_hangs_together_wherever_it_is() {
    // Five links, turned by 90° about y and moved: they swing in another plane but stay joined.
    let mut scene = load(
        "title = 'Chain'\ndt = 0.001\n[templates.link]\nbodies.rod = { shape.box.size = [1, 0.1, 0.1], position = [0.5, 0, 0] }\n\
         joints.pin = { between = ['previous/rod', 'rod'], hinge.anchor = [0, 0, 0] }\n\
         [templates.chain]\ninstances.links = { template = 'link', repeat.line = { count = 5, step = [1, 0, 0] } }\n\
         joints.hook = { between = ['world', 'links/0/rod'], hinge.anchor = [0, 0, 0] }\n\
         [instances.chain]\ntemplate = 'chain'\nposition = [10, 3, 0]\nrotation.y_deg = 90\n",
    );
    assert_eq!(scene.world.model().joints().len(), 5);
    assert!((position(&scene.world, "chain/links/2/rod") - DVec3::new(10.0, 3.0, -2.5)).length() < 1e-12);
    run(&mut scene, 1.0);
    let end = |name: &str, x: f64| scene.world.body(body(&scene.world, name)).unwrap().pose().point(DVec3::X * x);
    assert!((end("chain/links/0/rod", -0.5) - DVec3::new(10.0, 3.0, 0.0)).length() < 1e-4);
    for link in 1..5 {
        let gap = end(&format!("chain/links/{}/rod", link - 1), 0.5) - end(&format!("chain/links/{link}/rod"), -0.5);
        assert!(gap.length() < 1e-4, "{gap}");
    }
    assert!(position(&scene.world, "chain/links/4/rod").y < 2.0);
    assert!((position(&scene.world, "chain/links/4/rod").x - 10.0).abs() < 1e-9, "swings in its plane");
}

#[test]
fn an_instance_moves_as_a_whole() {
    // Two balls a metre from the origin of an instance that spins with 3 rad/s and drifts with 1 m/s.
    let scene = load(
        "title = 't'\n[templates.pair]\nbodies.a = { shape.sphere.radius = 0.1, position = [1, 0, 0] }\nbodies.b = { shape.sphere.radius = 0.1, position = [-1, 0, 0], velocity = [5, 0, 0] }\n\
         [instances.i]\ntemplate = 'pair'\nposition = [7, 0, 0]\nrotation.y_deg = 90\nvelocity = [0, 1, 0]\nangular_velocity = [0, 3, 0]\n",
    );
    let velocity = |name| scene.world.body(body(&scene.world, name)).unwrap().velocity();
    // Turned by 90° about y, a is at z = −1 of the instance: ω × r = (0, 3, 0) × (0, 0, −1) = (−3, 0, 0).
    assert!((velocity("i/a") - DVec3::new(-3.0, 1.0, 0.0)).length() < 1e-12);
    assert!((velocity("i/b") - DVec3::new(3.0, 1.0, -5.0)).length() < 1e-12);
    assert_eq!(scene.world.body(body(&scene.world, "i/a")).unwrap().angular_velocity(), DVec3::Y * 3.0);
}

#[test]
fn changes_replace_what_the_template_says() {
    let scene = load(
        "title = 't'\n[templates.t.bodies]\na = { shape.sphere.radius = 1, mass = 2 }\nb = { shape.sphere.radius = 1, mass = 3 }\n\
         [instances.plain]\ntemplate = 't'\n[instances.heavy]\ntemplate = 't'\nchange.a = { mass = 20, shape.box.size = [1, 1, 1] }\n",
    );
    let mass = |name| scene.world.body(body(&scene.world, name)).unwrap().mass();
    assert_eq!([mass("plain/a"), mass("plain/b"), mass("heavy/a"), mass("heavy/b")], [2.0, 3.0, 20.0, 3.0]);
}

#[test]
fn a_spring_rests_where_the_file_puts_it() {
    // k = 100 N/m and 1 kg: in equilibrium the spring is longer by m g / k.
    let mut scene = load(
        "title = 't'\ndt = 0.001\n[bodies.bob]\nkind = 'particle'\nmass = 1\nposition = [0, -1.0981, 0]\n\
         [joints.spring]\nbetween = ['world', 'bob']\nspring = { points = [[0, 0, 0], [0, -1.0981, 0]], stiffness = 100, rest_length = 1 }\n\
         [forces.none]\ndrag.linear = 0\n",
    );
    scene.world.set_gravity([0.0, -9.81, 0.0]);
    run(&mut scene, 1.0);
    assert!((position(&scene.world, "bob").y + 1.0981).abs() < 1e-9);
}

#[test]
fn angles_of_joints_are_in_degrees() {
    // A rod on a hinge that stops 30° below the horizontal.
    let mut scene = load(
        "title = 't'\ndt = 0.001\n[bodies.rod]\nshape.box.size = [1, 0.1, 0.1]\nposition = [0.5, 0, 0]\n\
         [joints.j]\nbetween = ['world', 'rod']\nhinge = { anchor = [0, 0, 0], turn = { min_deg = -30, max_deg = 10 } }\n",
    );
    run(&mut scene, 2.0);
    let at = position(&scene.world, "rod");
    assert!((libm::atan2(at.y, at.x).to_degrees() + 30.0).abs() < 0.1, "{at}");
    // In radians, and for a slider in degrees, the key is unknown.
    for wrong in ["hinge = { turn.min = -1 }", "slider = { slide.min_deg = -1 }"] {
        let text = format!("title = 't'\n[bodies.a]\nmass = 1\n[joints.j]\nbetween = ['world', 'a']\n{wrong}\n");
        let report = Loader::new().load_text("s", &text).unwrap_err().to_string();
        assert!(report.contains("unknown key `min"), "{report}");
    }
}

#[test]
fn scripts_move_bodies() {
    let mut scene = load(
        "title = 't'\ndt = 0.01\n[bodies.wheel]\nshape.box.size = [1, 1, 1]\nposition = [2, 0, 0]\nscript.turn = { rate = 1.5707963267948966, about = [0, 0, 0] }\n\
         [bodies.piston]\nshape.box.size = [1, 1, 1]\nposition = [5, 0, 0]\nscript.swing = { amplitude = [0, 2, 0], period = 4 }\n\
         [bodies.lift]\nshape.box.size = [1, 1, 1]\nscript.key_frames.frames = [{ time = 0, position = [9, 0, 0] }, { time = 1, position = [9, 4, 0] }]\n",
    );
    run(&mut scene, 1.0);
    assert!((position(&scene.world, "wheel") - DVec3::new(0.0, 0.0, -2.0)).length() < 1e-9);
    assert!((position(&scene.world, "piston") - DVec3::new(5.0, 2.0, 0.0)).length() < 1e-9);
    assert!((position(&scene.world, "lift") - DVec3::new(9.0, 4.0, 0.0)).length() < 1e-9);
}

#[test]
fn filters_let_bodies_pass() {
    let mut scene = load(
        "title = 't'\n[bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\n\
         [bodies.ghost]\nshape.sphere.radius = 0.5\nposition = [0, 1, 0]\ngroups = ['ghosts']\n\
         [bodies.ball]\nshape.sphere.radius = 0.5\nposition = [3, 1, 0]\n\
         [filter]\nrules = [{ ignore.group = 'ghosts' }]\n",
    );
    run(&mut scene, 1.0);
    assert!(position(&scene.world, "ghost").y < -3.0);
    assert!((position(&scene.world, "ball").y - 0.5).abs() < 1e-3);
}

#[test]
fn a_method_is_made_of_parts_by_name() {
    let scene = load(
        "title = 't'\n[method.retroactive]\nintegrator = 'runge_kutta_4'\nsolver.sequential_impulses = {}\nsettings.time_to_sleep = 9\n",
    );
    let method = format!("{:?}", scene.world.method());
    assert!(method.contains("RungeKutta4") && method.contains("time_to_sleep: 9"), "{method}");
    let wrong = Loader::new().load_text("s", "title = 't'\nmethod.retroactive.integrator = 'euler'\n").unwrap_err();
    assert!(wrong.to_string().contains("explicit_euler"), "{wrong}");
}

#[test]
fn a_pulley_in_a_template_takes_its_wheels_along() {
    // Atwood's machine, turned and moved: masses 3 and 1 kg fall with g (3 − 1)/(3 + 1).
    let mut scene = load(
        "title = 't'\ndt = 0.001\n[templates.atwood]\n\
         bodies.heavy = { shape.sphere.radius = 0.1, mass = 3, position = [-1, -1, 0] }\n\
         bodies.light = { shape.sphere.radius = 0.1, mass = 1, position = [1, -1, 0] }\n\
         joints.rope = { between = ['heavy', 'light'], pulley = { points = [[-1, -1, 0], [1, -1, 0]], wheels = [[-1, 0, 0], [1, 0, 0]] } }\n\
         [instances.a]\ntemplate = 'atwood'\nposition = [50, 20, 0]\nrotation.y_deg = 90\n",
    );
    run(&mut scene, 0.5);
    let fallen = 0.5 * 9.81 * 0.5 * 0.5 * 0.5;
    let (heavy, light) = (position(&scene.world, "a/heavy"), position(&scene.world, "a/light"));
    assert!((heavy - DVec3::new(50.0, 19.0 - fallen, 1.0)).length() < 1e-4, "{heavy}");
    assert!((light - DVec3::new(50.0, 19.0 + fallen, -1.0)).length() < 1e-4, "{light}");
}

#[test]
fn a_scene_says_who_watches_over_its_energy() {
    use tumble_dynamics::EnergyWatch;
    // Explicit Euler gains energy in every swing of a stiff spring.
    let text = |watch: &str| {
        format!(
            "title = 'Gain'\ndt = 0.0166\nduration = 1\ngravity = [0, 0, 0]\n{watch}\n\
             method.retroactive.integrator = 'explicit_euler'\n\
             [bodies.bob]\nshape.sphere.radius = 0.1\nmass = 1\nposition = [1, 0, 0]\n\
             [joints.spring]\nbetween = ['world', 'bob']\n\
             spring = {{ points = [[0, 0, 0], [1, 0, 0]], stiffness = 400, rest_length = 0.5 }}\n"
        )
    };
    let run = |watch: &str| {
        let mut scene = load(&text(watch));
        let mut heard = Vec::new();
        let summary = tumble_scene::run::Runner::default().warning(|text| heard.push(text.to_owned())).run(&mut scene);
        (summary, heard)
    };
    for silent in ["", "energy_watch = 'off'"] {
        let (summary, heard) = run(silent);
        assert_eq!((summary.energy_out_of_nothing.times, heard.len(), summary.step_error), (0, 0, None), "{silent}");
    }
    let (summary, heard) = run("energy_watch = 'warn'");
    let all = &summary.energy_out_of_nothing;
    assert!(all.times > 3 && all.joules > 10.0, "{all:?}");
    assert!(heard.len() == 1 && heard[0].contains("mostly in \"bob\""), "once: {heard:?}");
    assert!(all.warning().unwrap().contains(&format!("{} times", all.times)), "{all:?}");
    let (summary, _) = run("energy_watch = 'refuse'");
    assert!(summary.step_error.unwrap().to_string().contains("came out of nothing"));
    let mut scene = load(&text("energy_watch = 'off'"));
    scene.watch_energy(EnergyWatch::Refuse);
    assert_eq!(scene.energy_watch, Some(EnergyWatch::Off), "the file has the last word");
    assert!(tumble_scene::run::Runner::default().run(&mut scene).step_error.is_none());
}

#[test]
fn a_scene_says_how_often_contacts_that_go_on_are_told() {
    use tumble_dynamics::event::Phase;
    for (rate, expected) in [("contact_rate = 0", 0), ("contact_rate = 20", 20), ("", 10)] {
        let mut scene = load(&format!(
            "title = 'Rest'\ndt = 0.01\n{rate}\nmethod.retroactive.settings.time_to_sleep = 'never'\n\
             [bodies.floor]\nkind = 'fixed'\nshape.half_space = {{}}\n\
             [bodies.box]\nshape.box.size = [1, 1, 1]\nposition = [0, 0.5, 0]\n"
        ));
        run(&mut scene, 0.5);
        let mut told = 0;
        for _ in 0..100 {
            scene.world.step(scene.dt).unwrap();
            told += scene.world.events().contacts.iter().filter(|event| event.phase == Phase::Persist).count();
        }
        assert_eq!(told, expected, "{rate}");
    }
}

#[test]
fn bodies_of_a_scene_that_never_sleeps_stay_awake() {
    for (time, asleep) in [("0.5", true), ("'never'", false), ("100", false)] {
        let mut scene = load(&format!(
            "title = 'Sleep'\n[bodies.floor]\nkind = 'fixed'\nshape.half_space = {{}}\n\
             [bodies.box]\nshape.box.size = [1, 1, 1]\nposition = [0, 0.5, 0]\n\
             [method.retroactive.settings]\ntime_to_sleep = {time}\n"
        ));
        run(&mut scene, 2.0);
        assert_eq!(scene.world.body(body(&scene.world, "box")).unwrap().is_asleep(), asleep, "{time}");
    }
}

/// Files by name.
struct Shelf(Vec<(&'static str, &'static str)>);

impl tumble_scene::mesh::Files for Shelf {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| format!("there is no file {name}"))
    }
}

#[test]
fn a_scene_in_several_files_is_one_scene() {
    let shelf = Shelf(vec![
        (
            "robot.toml",
            "include = ['arm.toml']\ndt = 0.5\ngravity = [0, -1, 0]\n[bodies.trunk]\nshape.sphere.radius = 1\n",
        ),
        ("arm.toml", "[templates.arm.bodies.hand]\nshape.sphere.radius = 0.1\n"),
        ("twice.toml", "[bodies.ball]\nshape.sphere.radius = 2\n"),
        ("wrong.toml", "[bodies.box]\nshap.box.size = [1, 1, 1]\n"),
        ("self.toml", "include = ['self.toml']\n"),
    ]);
    let load = |text: &str| tumble_scene::Loader::new().load_text_with("my scene.toml", text, &shelf);
    let own = "dt = 0.01\n[bodies.ball]\nshape.sphere.radius = 1\n[instances.left]\ntemplate = 'arm'\n";
    let scene = load(&format!("include = ['robot.toml']\n{own}")).unwrap();
    assert_eq!((scene.title.as_str(), scene.dt), ("my scene", 0.01));
    let names: Vec<&str> = scene.world.bodies().map(|(_, body)| body.model().name.as_str()).collect();
    assert_eq!(names.len(), 3);
    assert!(["ball", "trunk", "left/hand"].iter().all(|name| names.contains(name)), "{names:?}");
    for (file, message, place) in [
        ("twice", "there is a `ball` in `bodies` already", "twice.toml:1:9"),
        ("wrong", "unknown key `shap`", "wrong.toml:2:1"),
        ("self", "\"self.toml\" includes itself", "self.toml:1:12"),
        ("none", "there is no file none.toml", "my scene.toml:1:12"),
    ] {
        let problem = load(&format!("include = ['{file}.toml']\n{own}")).unwrap_err().to_string();
        assert!(problem.contains(message) && problem.contains(place), "{problem}");
    }
}
