//! `tumble limits`: which relative rotations a joint allows, as numbers, as a table and as a map (K 3.3.4, Fig. 3.8).

mod map;

use crate::args::Limits;
use crate::failure::{Failure, print};
use crate::files::{Wanted, refuse_doubles, refuse_inputs};
use crate::scene;
use glam::DVec3;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use tumble_dynamics::constraint::{BodyView, Constraint, Swings, Turn, allowed_swings, allowed_turn};
use tumble_dynamics::model::JointEnd;
use tumble_scene::draft::Draft;
use tumble_scene::{Scene, gallery};

pub(crate) fn limits(options: &Limits) -> Result<(), Failure> {
    for file in &options.outputs {
        if !matches!(ending(file), Some("svg" | "csv")) {
            let message = format!("--out {}: unknown kind of file; known are .svg and .csv", file.display());
            return Err(Failure::Request(message));
        }
    }
    let (scene, joint) = match &options.names[..] {
        [kind] => (alone(kind, &options.settings)?, "joint"),
        [name, joint, ..] => (scene::load(name, &options.settings)?, joint.as_str()),
        [] => return Err(Failure::Request("which joint?".into())),
    };
    let region = Region::of(&scene, joint, options)?;
    let wanted: Vec<Wanted<'_>> = options.outputs.iter().map(|file| ("out", file.as_path())).collect();
    refuse_doubles(&wanted)?;
    refuse_inputs(&wanted, &scene.files)?;
    // All are written before any is moved to its place.
    let drafts = options.outputs.iter().map(|file| {
        let text = if ending(file) == Some("svg") { map::to_svg(&region) } else { region.to_csv() };
        let draft = Draft::beside(file).and_then(|mut draft| draft.write_all(text.as_bytes()).map(|()| draft));
        Ok((file, draft.map_err(|error| failed(file, &error))?))
    });
    for (file, mut draft) in drafts.collect::<Result<Vec<_>, Failure>>()? {
        draft.finish().map_err(|error| failed(file, &error))?;
    }
    if options.json {
        return print(&format!("{:#}\n", region.to_json()));
    }
    print(&region.summary())?;
    options.outputs.iter().try_for_each(|file| print(&format!("wrote {}\n", file.display())))
}

fn ending(file: &Path) -> Option<&str> {
    file.extension().and_then(|ending| ending.to_str())
}

fn failed(file: &Path, error: &std::io::Error) -> Failure {
    Failure::Write(format!("{}: {error}", file.display()))
}

/// A joint of a registered kind between two bodies, to the left and the right of the origin.
fn alone(kind: &str, settings: &[String]) -> Result<Scene, Failure> {
    let registry = crate::plugins::registry();
    if registry.joints.part(kind).is_none() {
        if gallery::find(kind).is_some() || scene::is_file(kind) {
            let scene = scene::load(kind, settings)?;
            let joints = joints_of(&scene);
            return Err(Failure::Request(format!("which joint of `{kind}`? Give its name after the scene; {joints}")));
        }
        return Err(scene::unknown("kind of joint", kind, registry.joints.parts().map(|part| part.name.as_str())));
    }
    let text = format!(
        "title = \"{kind}\"\n\
         [bodies.first]\nkind = \"fixed\"\nshape.box.size = [0.5, 0.2, 0.2]\nposition = [-0.5, 0, 0]\n\
         [bodies.second]\nshape.box.size = [0.5, 0.2, 0.2]\nposition = [0.5, 0, 0]\n\
         [joints.joint]\nbetween = [\"first\", \"second\"]\n{kind} = {{}}\n"
    );
    let loader = settings
        .iter()
        .fold(scene::loader(), |loader, setting| loader.with_setting(format!("joints.joint.{kind}.{setting}")));
    Ok(loader.load_text(kind, &text)?)
}

/// The names of the joints of a scene, in words.
fn joints_of(scene: &Scene) -> String {
    let names: Vec<&str> = scene.world.joints().map(|(_, joint)| joint.model().name.as_str()).collect();
    if names.is_empty() { "it has none".into() } else { format!("its joints are {}", names.join(", ")) }
}

/// What a joint allows, and where.
struct Region {
    title: String,
    /// The names of the two bodies.
    bodies: [String; 2],
    /// The axis in world coordinates, before anything turned.
    axis: DVec3,
    swings: Swings,
    turn: Option<Turn>,
}

impl Region {
    fn of(scene: &Scene, name: &str, options: &Limits) -> Result<Self, Failure> {
        let world = &scene.world;
        let Some(id) = world.joint_named(name) else {
            return Err(Failure::Request(format!("there is no joint `{name}` in this scene; {}", joints_of(scene))));
        };
        let refuse = |error: tumble_dynamics::ModelError| Failure::Request(error.to_string());
        let chosen = world.joint(id).map_err(refuse)?.model();
        let same = |ends: [JointEnd; 2]| ends == chosen.ends;
        let all: Vec<Arc<dyn Constraint>> = world
            .joints()
            .filter(|(other, joint)| *other == id || (options.together && same(joint.model().ends)))
            .map(|(_, joint)| joint.model().constraint.clone())
            .collect();
        let constraints: Vec<&dyn Constraint> = all.iter().map(AsRef::as_ref).collect();
        let views = chosen.ends.map(|end| BodyView::of(world.model(), &world.state().bodies, end));
        let axis = match &options.axis {
            Some(axis) => DVec3::from_array(*axis),
            None => usual_axis(&constraints, &views),
        };
        let swings = allowed_swings(&constraints, &views, axis, options.resolution).map_err(refuse)?;
        let body = |end: JointEnd| match end {
            JointEnd::World => "world".to_owned(),
            JointEnd::Body(id) => world.body(id).map_or(String::new(), |body| body.model().name.clone()),
        };
        let others = if options.together { " and what else joins them" } else { "" };
        let title = if options.names.len() == 1 { options.names[0].clone() } else { format!("{name}{others}") };
        let turn = allowed_turn(&constraints, &views);
        Ok(Self { title, bodies: chosen.ends.map(body), axis: axis.normalize_or_zero(), swings, turn })
    }

    fn summary(&self) -> String {
        let vector = |v: DVec3| {
            let part = |x: f64| format!("{}", (x * 1e4).round() / 1e4 + 0.0);
            format!("({}, {}, {})", part(v.x), part(v.y), part(v.z))
        };
        let [first, second] = &self.bodies;
        let mut text = format!("{}, between {first} and {second}\n", self.title);
        let mut line = |name: &str, what: String| text += &format!("  {name:<11} {what}\n");
        line("axis", format!("{} of {second}", vector(self.axis)));
        match self.swings.held {
            0 => {}
            1 => line("held", "one way of turning of three: a surface of rotations is left".into()),
            2 => line("held", "two ways of turning of three: a line of rotations is left".into()),
            _ => line("held", "all ways of turning: it does not turn".into()),
        }
        let percent = |part: f64| format!("{:.1} %", 100.0 * part);
        if let Some(part) = self.swings.part_of_directions() {
            line("directions", format!("{} of all the axis could point to", percent(part)));
        }
        if let Some(part) = self.swings.part_of_rotations() {
            line("rotations", format!("{} of all there are", percent(part)));
        }
        if self.swings.held < 2 {
            let degrees = |pick: fn(f64, f64) -> f64, start: f64| {
                self.swings.reach.iter().map(|reach| reach.to_degrees()).fold(start, pick)
            };
            let (least, most) = (degrees(f64::min, 180.0), degrees(f64::max, 0.0));
            line(
                "swing",
                match most - least {
                    _ if least > 179.9 => "free".to_owned(),
                    difference if difference < 0.1 => format!("up to {most:.1}° to all sides"),
                    _ => format!("up to {least:.1}° where that is least, {most:.1}° where it is most"),
                },
            );
        }
        if let (Some([low, high]), 0) = (self.swings.twist(), self.swings.held) {
            let [low, high] = [low, high].map(f64::to_degrees);
            let free = high - low > 359.9;
            line("twist", if free { "free".to_owned() } else { format!("{low:.1}° to {high:.1}°") });
        }
        if let Some(turn) = &self.turn {
            let end = |limit: Option<f64>, free: &str| {
                limit.map_or(free.to_owned(), |limit| format!("{:.1}°", limit.to_degrees()))
            };
            let (low, high) = (end(turn.limits[0], "any"), end(turn.limits[1], "any"));
            line("turn", format!("{low} to {high} about {} of {first}", vector(turn.axis)));
        }
        text
    }

    fn to_csv(&self) -> String {
        let mut text = String::from(
            "map_x,map_y,direction_x,direction_y,direction_z,swing_deg,allowed,twist_min_deg,twist_max_deg,twist_share\n",
        );
        for sample in &self.swings.samples {
            let (place, d) = (sample.place, sample.direction);
            let twist = sample.twist.map(|twist| twist.map(f64::to_degrees));
            let twists = twist.map_or(",".into(), |[low, high]| format!("{low:.4},{high:.4}"));
            text += &format!(
                "{:.6},{:.6},{:.6},{:.6},{:.6},{:.4},{},{twists},{:.6}\n",
                place.x,
                place.y,
                d.x,
                d.y,
                d.z,
                sample.swing.to_degrees(),
                u8::from(twist.is_some()),
                sample.share
            );
        }
        text
    }

    fn to_json(&self) -> Value {
        let vector = |v: DVec3| json!(v.to_array());
        let degrees = |pair: [f64; 2]| json!(pair.map(f64::to_degrees));
        let swings = &self.swings;
        let samples: Vec<Value> = swings
            .samples
            .iter()
            .map(|sample| {
                json!({
                    "place": sample.place.to_array(),
                    "direction": vector(sample.direction),
                    "swing_deg": sample.swing.to_degrees(),
                    "twist_deg": sample.twist.map(degrees),
                    "twist_share": sample.share,
                })
            })
            .collect();
        let turn = self.turn.map(|turn| {
            let limits = turn.limits.map(|limit| limit.map(f64::to_degrees));
            json!({ "axis": vector(turn.axis), "angle_deg": turn.angle.to_degrees(), "limits_deg": limits })
        });
        json!({
            "joint": self.title,
            "bodies": self.bodies,
            "axis": vector(swings.axis),
            "across": swings.across.map(vector),
            "held": swings.held,
            "directions": swings.part_of_directions(),
            "rotations": swings.part_of_rotations(),
            "twist_deg": swings.twist().map(degrees),
            "turn": turn,
            "reach_deg": swings.reach.iter().map(|reach| reach.to_degrees()).collect::<Vec<_>>(),
            "spacing": swings.spacing,
            "samples": samples,
        })
    }
}

/// The axis a person means: the one the joint itself limits, else from the joint to the middle of the second body, else x.
fn usual_axis(constraints: &[&dyn Constraint], views: &[BodyView; 2]) -> DVec3 {
    let own = constraints.iter().find_map(|constraint| constraint.axis(views));
    let along = constraints.iter().map(|constraint| views[1].center - constraint.anchors(views)[1]);
    own.or_else(|| along.into_iter().find(|arm| arm.length() > 1e-9)).unwrap_or(views[1].pose.vector(DVec3::X))
}
