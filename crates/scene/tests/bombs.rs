//! Resource bombs: small texts that ask for more than any machine has. Each is refused with the numbers, quickly, or is
//! harmless.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod clock;

use clock::{allowed, within};
use std::time::Duration;
use tumble_scene::{Budget, Loader, Scene};

/// Whatever is wrong is said within this time.
const SOON: Duration = Duration::from_secs(2);

fn load(text: &str) -> Result<Scene, String> {
    Loader::new().load_text("bomb", text).map_err(|report| report.to_string())
}

#[track_caller]
fn refused(text: &str, why: &str) {
    let loaded = within(SOON, why, || load(text));
    let problem = loaded.err().unwrap_or_else(|| "nothing is refused".into());
    assert!(problem.contains("costs too much") && problem.contains(why), "{problem}");
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
fn what_touches_too_much_is_refused() {
    let track = "[bodies.track]\nkind = 'fixed'\nshape.mesh.spiral = { strips = [50000, 10] }\n";
    refused(&format!("title = 'x'\n{track}[bodies.ball]\nshape.sphere.radius = 5\n"), "triangles and parts touch");
    load(&format!("title = 'x'\n{track}[bodies.ball]\nshape.sphere.radius = 0.05\n")).unwrap();
    let cluster = format!("shape.compound.parts = [{}]\n", "{ shape.sphere.radius = 1 }, ".repeat(100));
    let copies = |count: u32| {
        format!("title = 'x'\n[bodies.b]\n{cluster}repeat.line = {{ count = {count}, step = [0, 0, 0] }}\n")
    };
    refused(&copies(10), "triangles and parts touch");
    load(&copies(3)).unwrap();
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

/// Balls that are so fast that each comes near every other within a step: refused at the start, and where they become so fast later,
/// the run ends with an error.
#[test]
fn bodies_that_are_too_fast_are_refused() {
    let fast = balls(4000, 2.1).replace("repeat", "velocity = [1e6, 0, 0]\nrepeat");
    refused(&fast, "pairs of shapes may collide");
    let wind = "[forces.wind.drag]\nwind = [1e6, 0, 0]\nlinear = 1e6\n";
    let mut scene = load(&(balls(4000, 2.1) + wind)).unwrap();
    scene.duration = 1.0;
    let summary = tumble_scene::run::Runner::default().run(&mut scene);
    let error = summary.step_error.map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("pairs of shapes come near each other"), "{error}");
}

/// Sheets that lie a little apart cost as much as sheets that touch.
#[test]
fn sheets_that_are_near_each_other_are_refused() {
    let triangles = "[0, 1, 2], ".repeat(800);
    let mesh = format!("shape.mesh = {{ vertices = [[0, 0, 0], [1, 0, 0], [0, 0, 1]], triangles = [{triangles}] }}\n");
    let sheets = |step: f64| {
        format!("title = 'x'\n[bodies.sheet]\nmass = 1\n{mesh}repeat.line = {{ count = 13, step = [0, {step}, 0] }}\n")
    };
    refused(&sheets(1e-4), "pairs of triangles");
    load(&sheets(0.5)).unwrap();
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

/// What one bomb did: how it ended, the processor time in seconds and the most memory in MB.
#[derive(Debug)]
struct Harm {
    ending: String,
    seconds: f64,
    megabytes: f64,
}

/// The bar for each: 2 GB and 10 s of processor time.
const MOST_MEGABYTES: f64 = 2000.0;
const MOST_TIME: Duration = Duration::from_secs(10);

/// Lets off a bomb in a process of its own, which the system ends beyond twice the processor time or 6 GB of addresses.
fn let_off(case: u64) -> Harm {
    let program = std::env::current_exe().unwrap();
    let most = 2 * allowed(MOST_TIME).as_secs();
    let limited = &format!("ulimit -t {most}; ulimit -v 6000000; exec \"$0\" \"$@\"");
    let arguments = ["a_bomb_in_a_process_of_its_own", "--exact", "--ignored", "--nocapture", "--test-threads=1"];
    let output = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(program)
        .args(arguments)
        .env("TUMBLE_BOMB", case.to_string())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(told) = text.lines().find_map(|line| line.split_once("bomb: ")).map(|(_, told)| told) else {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let ending = format!("{}: {}", output.status, complaint.lines().take(3).collect::<Vec<_>>().join(" "));
        return Harm { ending, seconds: f64::INFINITY, megabytes: f64::INFINITY };
    };
    let numbers: Vec<f64> = told.split_whitespace().take(2).map(|number| number.parse().unwrap()).collect();
    let ending = told.splitn(3, ' ').nth(2).unwrap_or_default().to_owned();
    Harm { ending, seconds: numbers[0], megabytes: numbers[1] }
}

/// Processor time and peak memory of this process, as Linux tells them.
fn spent() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: f64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // The whole process with all its threads: user and system time in ticks of 10 ms, after the name in brackets.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<f64>().unwrap();
    (0.01 * (ticks(11) + ticks(12)), kilobytes / 1000.0)
}

/// One bomb: read, and run if it is not refused. Not a test of its own: [`random_bombs_do_no_harm`] starts it.
#[test]
#[ignore = "started by another test, with the number of a bomb"]
fn a_bomb_in_a_process_of_its_own() {
    let Some(case) = std::env::var("TUMBLE_BOMB").ok().and_then(|case| case.parse().ok()) else { return };
    let text = bomb(&mut fastrand::Rng::with_seed(case));
    let ending = match load(&text) {
        Err(problem) => {
            assert!(problem.len() < 20_000, "{} bytes of problems", problem.len());
            format!("refused: {}", problem.lines().next().unwrap_or_default())
        }
        Ok(mut scene) => {
            let cost = scene.cost;
            let summary = tumble_scene::run::Runner::default().run(&mut scene);
            let end = summary.step_error.map(|error| error.to_string()).or(summary.over_budget);
            format!("ran {} s{}: {cost}", summary.time, end.map_or(String::new(), |end| format!(" until {end}")))
        }
    };
    let (seconds, megabytes) = spent();
    println!("bomb: {seconds} {megabytes} {ending}");
}

/// Random bombs, each in a process of its own: refused, or run within 2 GB and 10 s. With `TUMBLE_CASES` there are so many;
/// `TUMBLE_FIRST` is the number of the first; `TUMBLE_QUIET=1` holds a machine that has nothing else to do to the time.
#[test]
#[cfg(target_os = "linux")]
fn random_bombs_do_no_harm() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (usual, most) = (MOST_TIME.as_secs_f64(), allowed(MOST_TIME).as_secs_f64());
    let (first, cases) = (number("TUMBLE_FIRST").unwrap_or(0), number("TUMBLE_CASES").unwrap_or(20));
    let (mut refused, mut ran) = (0, 0);
    let (mut slowest, mut largest): (f64, f64) = (0.0, 0.0);
    let mut harmful = Vec::new();
    for case in first..first + cases {
        let harm = let_off(case);
        *(if harm.ending.starts_with("refused") { &mut refused } else { &mut ran }) += 1;
        if harm.seconds > 0.3 * usual || harm.megabytes > 0.5 * MOST_MEGABYTES {
            let text = bomb(&mut fastrand::Rng::with_seed(case));
            println!("case {case}: {harm:?}\n{:.600}", text);
        }
        (slowest, largest) = (slowest.max(harm.seconds), largest.max(harm.megabytes));
        if harm.seconds > most || harm.megabytes > MOST_MEGABYTES {
            harmful.push((case, harm));
        }
    }
    println!("{refused} refused, {ran} ran; at most {slowest:.1} s and {largest:.0} MB");
    assert!(harmful.is_empty(), "{harmful:#?}");
    assert!(refused > cases / 5 && ran > cases / 5, "{refused} refused, {ran} ran");
}
