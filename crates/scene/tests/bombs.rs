//! Resource bombs: small texts that ask for more than any machine has. Each is refused with the numbers, quickly, or is
//! harmless.

use std::time::{Duration, Instant};
use tumble_scene::{Budget, Loader, Scene};

/// Whatever is wrong is said within this time, on a slow machine that has much else to do.
const SOON: Duration = Duration::from_secs(20);

fn load(text: &str) -> Result<Scene, String> {
    Loader::new().load_text("bomb", text).map_err(|report| report.to_string())
}

#[track_caller]
fn refused(text: &str, why: &str) {
    let begun = Instant::now();
    let problem = load(text).err().unwrap_or_else(|| "nothing is refused".into());
    assert!(problem.contains("costs too much") && problem.contains(why), "{problem}");
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

fn balls(count: u32, step: f64) -> String {
    format!(
        "title = 'x'\n[bodies.ball]\nshape.sphere.radius = 1\nrepeat.line = {{ count = {count}, step = [{step}, 0, 0] }}\n"
    )
}

#[test]
fn bodies_in_the_same_place_are_refused() {
    refused(&balls(4000, 0.0), "pairs of shapes may collide");
    refused(&balls(100_000, 0.0), "pairs of shapes may collide");
    refused(&balls(200, 0.0), "inside each other");
    refused(&balls(200, 1e-3), "inside each other");
    // Beside each other they may be many; in the same place they may be if they pass through each other.
    load(&balls(20_000, 2.0)).unwrap();
    load(&(balls(400, 0.0) + "[filter]\ndefault = 'ignore'\n")).unwrap_or_else(|problem| panic!("{problem}"));
    refused(&(balls(20_000, 0.0) + "[filter]\ndefault = 'ignore'\n"), "near each other");
}

#[test]
fn a_large_plate_may_carry_many() {
    let plate = "[bodies.plate]\nshape.box.size = [900, 1, 900]\nposition = [0, -1.5, 0]\n";
    let grid = "repeat.grid = { count = [60, 1, 60], spacing = [2.1, 2.1, 2.1] }";
    load(&format!("title = 'x'\n{plate}[bodies.ball]\nshape.sphere.radius = 1\n{grid}\n")).unwrap();
}

#[test]
fn too_many_triangles_are_refused() {
    let spiral =
        |index: u32| format!("[bodies.b{index}]\nkind = 'fixed'\nshape.mesh.spiral = {{ strips = [50000, 10] }}\n");
    let spirals: String = (0..40).map(spiral).collect();
    refused(&format!("title = 'x'\n{spirals}"), "triangles");
}

#[test]
fn too_many_copies_of_large_meshes_are_refused() {
    let mesh = "shape.mesh.spiral = { strips = [50000, 10] }\nmass = 1\n";
    refused(
        &format!("title = 'x'\n[bodies.b]\n{mesh}repeat.line = {{ count = 50000, step = [99, 0, 0] }}\n"),
        "triangles and parts",
    );
}

#[test]
fn meshes_in_each_other_are_refused() {
    let triangles = "[0, 1, 2], ".repeat(60_000);
    let mesh =
        format!("[shapes.sheets.mesh]\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [{triangles}]\n");
    let bodies = "[bodies.a]\nshape = 'sheets'\nmass = 1\n[bodies.b]\nshape = 'sheets'\nkind = 'fixed'\n";
    refused(&format!("title = 'x'\n{mesh}{bodies}"), "pairs of triangles");
    // Two fine meshes that lie in each other as meshes do.
    let track = "[shapes.track.mesh.spiral]\nstrips = [3000, 10]\n";
    let bodies = "[bodies.a]\nshape = 'track'\nmass = 1\n[bodies.b]\nshape = 'track'\nkind = 'fixed'\n";
    load(&format!("title = 'x'\n{track}{bodies}")).unwrap();
}

#[test]
fn who_knows_better_may_raise_the_limit() {
    let text = balls(400, 0.0);
    let raised = Loader::new().with_budget(Budget { factor: 100.0 }).load_text("bomb", &text);
    let cost = raised.unwrap_or_else(|report| panic!("{report}")).cost;
    assert_eq!((cost.bodies, cost.pairs), (400, 400 * 399 / 2));
    let help = load(&text).unwrap_err();
    assert!(help.contains("--budget"), "{help}");
}

/// Balls that come together while the scene runs: it ends where there are too many contacts, and not in the middle of a step.
#[test]
fn a_run_with_too_many_contacts_ends() {
    let floor = "[bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\nposition = [0, -1.2, 0]\n";
    let mut scene = load(&(balls(3, 2.5) + floor)).unwrap();
    scene.duration = 2.0;
    scene.budget = Budget { factor: 2.0 / 200_000.0 };
    assert_eq!(scene.budget.contacts(), 2);
    let summary = tumble_scene::run::Runner::default().run(&mut scene);
    let reason = summary.over_budget.unwrap();
    assert!(reason.contains("3 contacts") && reason.contains("--budget"), "{reason}");
    assert!(summary.step_error.is_none() && summary.time > 0.1 && summary.time < 0.5, "{}", summary.time);
}

/// A text with numbers that are each likely to be too large.
fn bomb(random: &mut fastrand::Rng) -> String {
    let mut number = |most: f64| libm::exp(libm::log(most) * random.f64()) as u32;
    let mut text = String::from("title = 'bomb'\ndt = 0.01\nduration = 0.02\n");
    let kinds = 1 + number(3.0) / 2;
    for kind in 0..kinds {
        let strips = [1 + number(3e4), 1 + number(50.0)];
        let (copies, rows, parts) = (number(1e6), 1 + number(300.0), number(2000.0));
        let spacing = f64::from(number(1e6)) * 1e-3 - 1e-3;
        let triangle = number(4.0);
        let shape = match number(7.0) {
            1 => "sphere.radius = 1".to_owned(),
            2 => "box.size = [1, 2, 3]".to_owned(),
            3 => format!("mesh.spiral = {{ strips = [{}, {}], turns = {} }}", strips[0], strips[1], number(1e4)),
            4 => {
                let row = format!("[{}]", vec!["0"; rows as usize].join(","));
                format!("height_field = {{ heights = [{}], spacing = [0.1, 0.1] }}", vec![row; rows as usize].join(","))
            }
            5 => {
                let part = "{ shape.sphere.radius = 1 }";
                format!("compound.parts = [{}]", vec![part; parts as usize].join(","))
            }
            _ => {
                let faces = format!("[0, 1, {}], ", 2 + triangle % 2).repeat(parts as usize);
                format!("mesh = {{ vertices = [[0,0,0], [1,0,0], [0,1,0], [0,0,1]], triangles = [{faces}] }}")
            }
        };
        text += &format!("[templates.t{kind}.bodies.b]\nmass = 1\nshape.{shape}\n");
        if kind > 0 && copies % 3 == 0 {
            let (outer, inner) = (1 + copies % 100, kind - 1);
            text += &format!("[templates.t{kind}.instances.i]\ntemplate = 't{inner}'\n");
            text += &format!("repeat.line = {{ count = {outer}, step = [{spacing}, 0, 0] }}\n");
        }
        text += &format!("[instances.j{kind}]\ntemplate = 't{kind}'\n");
        if copies > 1 {
            text += &format!("repeat.line = {{ count = {copies}, step = [0, {spacing}, 0] }}\n");
        }
        if copies % 5 == 0 {
            text += &format!("[instances.j{kind}.change.b]\nkind = 'fixed'\n");
        }
    }
    text
}

/// Random bombs: each is refused, or read and, if it is small, takes a step. With `TUMBLE_CASES` there are so many, and all that
/// are not refused take a step.
#[test]
fn random_bombs_do_no_harm() {
    let wanted: Option<u32> = std::env::var("TUMBLE_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = wanted.unwrap_or(20);
    let mut random = fastrand::Rng::with_seed(11);
    let (mut refused, mut ran) = (0, 0);
    for case in 0..cases {
        let text = bomb(&mut random);
        let begun = Instant::now();
        match load(&text) {
            Err(problem) => {
                assert!(problem.len() < 20_000, "case {case}: {} bytes of problems", problem.len());
                refused += 1;
            }
            Ok(mut scene) => {
                ran += 1;
                assert!(scene.cost.memory < 2e9, "case {case}: {}", scene.cost);
                println!("case {case}, read in {:?}: {}", begun.elapsed(), scene.cost);
                if wanted.is_some() || scene.cost.pairs < 2000 {
                    let _taken_or_refused = scene.world.step(scene.dt);
                }
            }
        }
        if begun.elapsed() > Duration::from_secs(2) {
            println!("case {case}: {:?}\n{}", begun.elapsed(), &text[..text.len().min(700)]);
        }
    }
    println!("{refused} refused, {ran} ran");
    assert!(refused > cases / 5 && ran > cases / 5, "{refused} refused, {ran} ran");
}
