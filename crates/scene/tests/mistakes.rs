//! However many mistakes a scene has, each is reported at its line, and nothing else is: what is missing only because it
//! was refused is not missed. `TUMBLE_CASES` sets how often each scene of the gallery is broken (default 40).

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::collections::BTreeSet;
use tumble_scene::{Loader, Report, gallery};

/// The lines a report points at, and the report as a person sees it.
fn lines(report: &Report) -> BTreeSet<usize> {
    report.diagnostics.iter().map(|diagnostic| report.sources.place(diagnostic.span.unwrap()).line).collect()
}

/// A scene in which every line that ends in `# !` is a mistake. Each mistake makes something unusable that others refer to.
const EVERY_KIND: &str = r##"
title = 3                                         # !
duration = nan                                    # !
dt = -1                                           # !
gravty = [0, -1, 0]                               # !
recording.bodies = ["ball", "heavy", "sizes"]
method.retroactive.integrator = "runge_kutta_5"   # !
camera = { from = [0, 0, 0], to = [0, 0, 0] }     # !

[materials]
felt = { like = "wood", friction = "much" }       # !
silk = { like = "felt" }
odd = { like = "wod" }                            # !
slippery = { static_friction = 0.1, dynamic_friction = 0.2 } # !

[shapes]
brick.box.size = [1, 1]                           # !
lump.mesh.file = "no.obj"                         # !
knot.compound.parts = [{ shape = "lump" }, { shape = "knot" }, { shape = "brik" }] # !
number = 5                                        # !
ball.sphere.radius = 1

[bodies.ball]
shape = "ball"
color = "red"                                     # !
groups = ["balls"]

[bodies.heavy]
mass = "heavy"                                    # !
material = "silk"

[bodies.wall]
shape = "brick"
material = "steal"                                # !

[bodis.lost]                                      # !
shape = "ball"
velocty = [0, 0, 0]                               # !

[bodies.massless]                                 # !

[bodies.sized]
shape.spere.radius = 1                            # !
groups = "sizes"                                  # !

[bodies.row]
shape = "number"
repeat = { line = { count = 3 } }                 # !

[bodies.door]
shape.capsule = { radius = 1, height = 1 }        # !
rotation = { z_deg = 3, quaternion = [0, 0, 0, 1] } # !
script.turn = {}                                  # !

[templates.pair]
bodies.left = { shape = "ball", position = [-1, 0, 0] }
bodies.right = { shape = "ball", position = 7 }   # !
joints.rod = { between = ["left", "right"], distance = {} }
joints.rope = { between = ["lefd", "right"], distance = {} } # !

[instances.pair]
template = "pair"

[instances.other]
template = "pear"                                 # !

[instances.changed]
template = "pair"
change.middle.mass = 1                            # !

[joints.first]
between = ["ball", "heavy"]
hinge = { anchor = [0, 0, 0], axis = "x" }        # !

[joints.second]
between = ["wall", "boll"]                        # !
weld = {}

[joints.third]                                    # !
between = ["massless", "row/7"]

[joints.fourth]                                   # !
ball = {}

[joints.fifth]
between = ["ball", "lost"]
hinge.axis = [0, 0, 0]  # !

[joints.sixth]
between = ["pair/right", "other/anything"]
weld = {}

[joints.seventh]
between = ["pair/rihgt", "sized"]                 # !
weld = {}

[forces.wind]
drag = { wind = [1, 0], on.group = "anything" }   # !

[forces.nothing]                                  # !

[filter]
default = "colide"                                # !
rules = [
    { ignore.bodies = ["ball", "wall"] },
    { ignore.body = "bull" },                     # !
    { exception = 7 },                            # !
    { exception = true },                         # !
]
"##;

#[test]
fn every_kind_of_mistake_is_reported_at_once_and_nothing_else() {
    let marked = |(index, line): (usize, &str)| line.trim_end().ends_with("# !").then_some(index + 1);
    let expected: BTreeSet<usize> = EVERY_KIND.lines().enumerate().filter_map(marked).collect();
    let report = Loader::new().load_text("scene.toml", EVERY_KIND).unwrap_err();
    assert_eq!(lines(&report), expected, "\n{report}");
    for diagnostic in &report.diagnostics {
        assert!(!diagnostic.message.contains("invalid type") && !diagnostic.message.contains("missing field"));
    }
    let places: Vec<usize> =
        report.diagnostics.iter().map(|diagnostic| report.sources.place(diagnostic.span.unwrap()).line).collect();
    assert!(places.is_sorted(), "in the order of the text: {places:?}");
}

/// A statement that stands in one line, and the table it is in.
struct Statement<'a> {
    line: usize,
    table: usize,
    key: &'a str,
    /// None is the header of a table.
    value: Option<&'a str>,
    /// Whether the key is a name of the author's.
    named: bool,
}

/// The statements of a scene that stand in one line each.
fn statements(text: &str) -> Vec<Statement<'_>> {
    let sections = ["materials", "shapes", "bodies", "joints", "forces", "templates", "instances"];
    let (mut found, mut table, mut named, mut open) = (Vec::new(), 0, false, String::new());
    for (line, content) in text.lines().enumerate() {
        let single = open.is_empty();
        open += content;
        open += "\n";
        if toml::from_str::<toml::Table>(&open).is_err() {
            continue;
        }
        open.clear();
        let content = content.split(" #").next().unwrap_or_default().trim_end();
        if let Some(key) = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            table += 1;
            named = sections.contains(&key.rsplit('.').next().unwrap_or_default());
            found.push(Statement { line, table, key, value: None, named: false });
        } else if let Some((key, value)) = content.split_once(" = ").filter(|_| single && !content.starts_with('#')) {
            found.push(Statement { line, table, key, value: Some(value), named });
        }
    }
    found
}

/// The line with a mistake in it; none if this is not the place for a mistake of this kind.
fn broken(statement: &Statement<'_>, kind: u8) -> Option<String> {
    let Statement { key, value, .. } = statement;
    let rest = key.find('.').map_or("", |dot| &key[dot..]);
    let first = &key[..key.len() - rest.len()];
    let slip = char::from(b'a' + (statement.table % 26) as u8);
    match (kind, value) {
        // A letter too many, another one in every table: a key that is misspelt alike twice is one key.
        (0, Some(value)) if !statement.named => Some(format!("{first}{slip}{rest} = {value}")),
        (0, None) => Some(format!("[{first}{slip}{rest}]")),
        // Another kind of value.
        (1, Some(value)) => Some(format!("{key} = {}", if value.starts_with(['"', '\'', '{']) { "17" } else { "'x'" })),
        (2, Some(value)) => Some(format!("{key} = {}", if value.starts_with('[') { "{}" } else { "[true]" })),
        // A number that is none.
        (3, Some(value)) if value.parse::<f64>().is_ok() => Some(format!("{key} = -inf")),
        (4, Some(_)) if ["mass", "dt", "duration", "density", "radius"].iter().any(|name| key.ends_with(name)) => {
            Some(format!("{key} = -1"))
        }
        // A name that means nothing.
        (5, Some(_)) if ["shape", "material", "template"].contains(key) => Some(format!("{key} = 'nonsense'")),
        _ => None,
    }
}

#[test]
fn every_broken_line_of_a_gallery_scene_is_reported_and_no_other() {
    let cases = std::env::var("TUMBLE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let mut random = fastrand::Rng::with_seed(3);
    let loader = Loader::new();
    let mut mistakes = 0;
    // Scenes in several files have consequences of their mistakes elsewhere.
    for scene in gallery::SCENES.iter().filter(|scene| !scene.text.contains("\ninclude")) {
        let statements = statements(scene.text);
        for _ in 0..cases {
            let (mut text, mut used): (Vec<String>, _) =
                (scene.text.lines().map(str::to_owned).collect(), BTreeSet::new());
            let mut expected = BTreeSet::new();
            for _ in 0..random.usize(1..=4) {
                let statement = &statements[random.usize(..statements.len())];
                let Some(line) = broken(statement, random.u8(..6)) else { continue };
                // Several mistakes are in several tables.
                if used.insert(statement.table) {
                    text[statement.line] = line;
                    expected.insert(statement.line + 1);
                }
            }
            if expected.is_empty() {
                continue;
            }
            mistakes += expected.len();
            let text = text.join("\n");
            let report = match loader.load_text("scene.toml", &text) {
                Ok(_) => panic!("{}: lines {expected:?} are wrong\n{text}", scene.name),
                Err(report) => report,
            };
            assert_eq!(lines(&report), expected, "{}\n{report}\n{text}", scene.name);
        }
    }
    assert!(mistakes > 40 * cases, "only {mistakes} mistakes were made");
}
