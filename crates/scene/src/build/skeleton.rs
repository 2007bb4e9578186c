//! Skeletons: each becomes a template of bodies and joints, so that whatever is true of templates is true of them.
//!
//! The rest pose of a bone is `R = R_parent · offset · rotation`, from the roots down. A bone b with a joint becomes
//!
//! ```text
//! bodies.b             the body, at R
//! joints.NAME          its joint, described in R
//! joints.NAME.tone     a spring that keeps the orientation           τ = −k 2 sin(θ/2) − d ω
//! joints.NAME.comfort  limits at a part of the angles, with a spring τ = −k (θ − θ_c) − d ω   beyond θ_c
//! ```

use super::group::Templates;
use super::shape::{Shapes, pose};
use super::{Context, Reported};
use crate::format::{BoneFile, ComfortFile, SkeletonFile, ToneFile};
use crate::mesh::VisualMesh;
use crate::nearest::suggestion;
use crate::skin::Skin;
use crate::source::Span;
use crate::tree::{Content, Entry, Node};
use glam::DVec3;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_geometry::{Shape, Transform};

/// The most bones a skeleton may have.
const MAX_BONES: usize = 4096;

/// A table of bodies and joints, and what is said of it elsewhere.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) node: Node,
    /// The coordinates in which joints are described, where these are not those of the template.
    pub(super) frames: BTreeMap<String, Transform>,
    pub(super) skin: Option<SkinPlan>,
}

/// A skin and the names of the bodies it goes with.
#[derive(Clone, Debug)]
pub(super) struct SkinPlan {
    pub(super) name: String,
    pub(super) skin: Arc<Skin>,
    pub(super) bodies: Vec<String>,
}

impl Templates<'_, '_, '_, '_> {
    /// The template that a skeleton stands for.
    pub(super) fn skeleton(&mut self, entry: &Entry) -> Result<Source, Reported> {
        let file: SkeletonFile = self.context.decode(entry.key_span, &entry.node)?;
        let node_of = |bone: &str| entry.node.at(&["bones", bone]);
        let span_of = |bone: &str| entry.node.place(&["bones", bone], entry.key_span);
        let skin = file.skin.as_ref().map(|skin| {
            let span = entry.node.place(&["skin", "file"], entry.key_span);
            let read = self.shapes.skin(&skin.file);
            self.context.accept(span, read)
        });
        let skin = skin.transpose()?;
        let mut bones = file.bones.clone();
        if let Some(skin) = &skin {
            add_bones_of_skin(skin, &mut bones);
        }
        if bones.len() > MAX_BONES {
            let message = format!("a skeleton has {} bones, and {MAX_BONES} are allowed", bones.len());
            self.context.report.push(entry.key_span, message, "");
            return Err(Reported);
        }
        let order = in_order(self.context, &bones, &span_of)?;
        let mut rest: BTreeMap<&str, Transform> = BTreeMap::new();
        for name in &order {
            let bone = &bones[*name];
            let empty = Node::new(span_of(name), Content::Table(Vec::new()));
            let node = node_of(name).unwrap_or(&empty);
            let own = pose(self.context, node, span_of(name), bone.offset, bone.rotation.as_ref())?;
            let parent = bone.parent.as_deref().and_then(|parent| rest.get(parent)).copied();
            rest.insert(name, parent.unwrap_or(Transform::IDENTITY) * own);
        }
        let hulls = match &skin {
            Some(skin) => hulls(skin, &rest),
            None => BTreeMap::new(),
        };
        let factor = file.mass.map(|mass| self.mass_factor(&file, &bones, &hulls, mass, entry.key_span)).transpose()?;
        let (mut bodies, mut joints, mut frames) = (Vec::new(), Vec::new(), BTreeMap::new());
        for name in &order {
            let (bone, span, pose) = (&bones[*name], span_of(name), rest[name]);
            let mut body = entry.node.get("body").cloned().unwrap_or_else(|| table(span));
            if let Some(own) = node_of(name).and_then(|node| node.get("body")) {
                body = body.overlaid(own);
            }
            let put = |body: &mut Node, key: &str, value: Value| {
                let laid = Node::of_json(&json!({ key: value }), span);
                *body = body.overlaid(&Node { state: body.state, ..laid });
            };
            let place = pose.point(bone.body.position);
            put(&mut body, "position", json!(place.to_array()));
            if bone.body.rotation.is_some() {
                let message = format!("the bone \"{name}\" has a rotation of its own, not one of its body");
                self.context.report.push(span, message, format!("write `bones.{name}.rotation`"));
                return Err(Reported);
            }
            put(&mut body, "rotation", json!({ "quaternion": pose.rotation.to_array() }));
            if let Some(points) = hulls.get(*name).filter(|_| has_no_shape(bone)) {
                put(&mut body, "shape", json!({ "hull": { "points": points } }));
            }
            if let Some((factor, mass)) =
                factor.as_ref().and_then(|(factor, masses)| Some((factor, masses.get(*name)?)))
            {
                put(&mut body, "mass", json!(factor * mass));
            }
            if skin.is_some() && bone.body.visual.is_none() && file.body.visual.is_none() {
                put(&mut body, "visual", json!([]));
            }
            bodies.push(Entry { key: (*name).to_owned(), key_span: span, node: body });
            let Some(parent) = &bone.parent else { continue };
            let joint = bone.joint.as_ref();
            let called = joint.and_then(|joint| joint.name.clone()).unwrap_or_else(|| (*name).to_owned());
            let mut own = node_of(name)
                .and_then(|node| node.get("joint"))
                .cloned()
                .unwrap_or_else(|| Node::of_json(&json!({ "ball": {} }), span));
            if let Content::Table(entries) = &mut own.content {
                entries.retain(|entry| entry.key != "name");
            }
            let between = |node: Node| node.overlaid(&Node::of_json(&json!({ "between": [parent, name] }), span));
            let tone = bone.tone.or(file.tone).map(tone);
            let comfort = bone.comfort.or(file.comfort);
            let comfort = comfort.zip(joint).map_or(Vec::new(), |(comfort, joint)| comforts(comfort, &joint.part));
            let springs = tone.into_iter().map(|part| ("tone".to_owned(), part));
            let springs = springs.chain(
                comfort
                    .into_iter()
                    .enumerate()
                    .map(|(i, part)| (if i == 0 { "comfort".to_owned() } else { format!("comfort.{i}") }, part)),
            );
            for (what, part) in springs {
                let node = Node { state: own.state, ..Node::of_json(&part, span) };
                joints.push((format!("{called}.{what}"), span, between(node)));
            }
            joints.push((called, span, between(own)));
            for (name, ..) in joints.iter().skip(frames.len()) {
                frames.insert(name.clone(), pose);
            }
        }
        let table_of = |entries: Vec<Entry>| Node::new(entry.key_span, Content::Table(entries));
        let joints = joints.into_iter().map(|(key, key_span, node)| Entry { key, key_span, node }).collect();
        let sections = [("bodies", table_of(bodies)), ("joints", table_of(joints))];
        let sections = sections.map(|(key, node)| Entry { key: key.into(), key_span: entry.key_span, node });
        let node = Node { state: entry.node.state, ..table_of(sections.into()) };
        let skin = skin.map(|skin| {
            let places = skin.bones.iter().map(|bone| rest[bone.as_str()]).collect();
            let bodies = skin.bones.clone();
            let skin = if skin.rest == places { skin } else { Arc::new(Skin { rest: places, ..(*skin).clone() }) };
            SkinPlan { name: String::new(), skin, bodies }
        });
        Ok(Source { node, frames, skin })
    }

    /// The masses of the bones and the factor that makes them add up to `whole`.
    fn mass_factor(
        &mut self,
        file: &SkeletonFile,
        bones: &BTreeMap<String, BoneFile>,
        hulls: &BTreeMap<String, Vec<[f64; 3]>>,
        whole: f64,
        span: Span,
    ) -> Result<(f64, BTreeMap<String, f64>), Reported> {
        let mut masses = BTreeMap::new();
        for (name, bone) in bones {
            let hull = || {
                let points: Vec<DVec3> = hulls.get(name)?.iter().map(|&point| DVec3::from(point)).collect();
                Some(Shape::hull(&points).ok()?.mass_properties(1000.0).ok()?.mass)
            };
            let mass = bone.body.mass.or(file.body.mass).or_else(|| if has_no_shape(bone) { hull() } else { None });
            let Some(mass) = mass else {
                let message = format!("the mass of the whole cannot be shared out: the bone \"{name}\" has none");
                self.context.report.push(span, message, "give every bone a `body.mass`, or none a shape but the skin");
                return Err(Reported);
            };
            masses.insert(name.clone(), mass);
        }
        let sum: f64 = masses.values().sum();
        Ok((if sum > 0.0 { whole / sum } else { 1.0 }, masses))
    }
}

impl Shapes<'_> {
    /// The skin in a glTF file.
    fn skin(&mut self, name: &str) -> Result<Arc<Skin>, String> {
        let mesh = VisualMesh::read(self.files(), name)?;
        Skin::of(mesh).map(Arc::new).ok_or_else(|| format!("{name} has no skin: its meshes are bound to no bones"))
    }
}

fn table(span: Span) -> Node {
    Node::new(span, Content::Table(Vec::new()))
}

fn has_no_shape(bone: &BoneFile) -> bool {
    bone.body.shape.is_none() && bone.body.colliders.is_empty() && bone.body.mass_properties.is_none()
}

/// Bones that only the file of the skin knows.
fn add_bones_of_skin(skin: &Skin, bones: &mut BTreeMap<String, BoneFile>) {
    for (index, name) in skin.bones.iter().enumerate() {
        let parent = skin.parents[index];
        let from = parent.map_or(Transform::IDENTITY, |parent| skin.rest[parent]);
        let own = from.inverse() * skin.rest[index];
        let bone = bones.entry(name.clone()).or_default();
        // A bone of the scene that says nothing about its place is where the file has it.
        if bone.parent.is_none() && bone.offset == DVec3::ZERO && bone.rotation.is_none() {
            bone.parent = parent.map(|parent| skin.bones[parent].clone());
            bone.offset = own.translation;
            bone.rotation =
                Some(crate::format::RotationFile { quaternion: Some(own.rotation.to_array()), ..Default::default() });
        }
    }
}

/// The bones, each after its parent.
fn in_order<'b>(
    context: &mut Context<'_>,
    bones: &'b BTreeMap<String, BoneFile>,
    span_of: &impl Fn(&str) -> Span,
) -> Result<Vec<&'b str>, Reported> {
    let (mut order, mut placed) = (Vec::new(), std::collections::BTreeSet::new());
    for (name, bone) in bones {
        let Some(parent) = &bone.parent else { continue };
        if !bones.contains_key(parent) {
            let help = suggestion(parent, bones.keys().map(String::as_str));
            context.report.push(
                span_of(name),
                format!("the bone \"{name}\" hangs on \"{parent}\", which there is not"),
                help,
            );
            return Err(Reported);
        }
    }
    while order.len() < bones.len() {
        let before = order.len();
        for (name, bone) in bones {
            let hangs = bone.parent.as_ref().is_none_or(|parent| placed.contains(parent.as_str()));
            if hangs && placed.insert(name.as_str()) {
                order.push(name.as_str());
            }
        }
        if order.len() == before {
            let left = bones.keys().find(|name| !placed.contains(name.as_str())).map_or("", String::as_str);
            context.report.push(span_of(left), format!("the bone \"{left}\" hangs on itself"), "a skeleton is a tree");
            return Err(Reported);
        }
    }
    Ok(order)
}

/// The corners of the part of the skin that goes with each bone, in the bone's axes; none where these enclose nothing.
fn hulls(skin: &Skin, rest: &BTreeMap<&str, Transform>) -> BTreeMap<String, Vec<[f64; 3]>> {
    let mut hulls = BTreeMap::new();
    for (index, name) in skin.bones.iter().enumerate() {
        let Some(pose) = rest.get(name.as_str()) else { continue };
        let points: Vec<DVec3> = skin.of_bone(index).map(|point| pose.inverse_point(point.as_dvec3())).collect();
        let solid = Shape::hull(&points).ok();
        let corners = match &solid {
            Some(Shape::Hull(hull)) => hull.vertices().to_vec(),
            // A bone without flesh is a small box around its joint.
            _ => (0..8)
                .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 0.02 - 0.01)
                .collect(),
        };
        hulls.insert(name.clone(), corners.into_iter().map(|corner| corner.to_array()).collect());
    }
    hulls
}

fn tone(tone: ToneFile) -> Value {
    json!({ "orientation_lock": { "softness": { "stiffness": tone.stiffness, "damping": tone.damping } } })
}

/// Softer limits within the limits of a joint.
fn comforts(comfort: ComfortFile, part: &BTreeMap<String, Value>) -> Vec<Value> {
    let stop = json!({ "softness": { "stiffness": comfort.stiffness, "damping": comfort.damping } });
    let Some((kind, joint)) = part.iter().next() else { return Vec::new() };
    let scaled = |value: &Value| value.as_f64().map(|angle| angle * comfort.from);
    let chosen = |keys: &[&str]| {
        let pairs = keys.iter().filter_map(|&key| Some((key.to_owned(), joint.get(key)?.clone())));
        Value::Object(pairs.collect())
    };
    match kind.as_str() {
        "hinge" => {
            let end = |key: &str| joint.pointer(&format!("/turn/{key}")).and_then(scaled);
            let (Some(min), Some(max)) = (end("min_deg"), end("max_deg")) else { return Vec::new() };
            let axis = joint.get("axis").cloned().unwrap_or(json!([0, 0, 1]));
            // One degree is the least there can be between limits.
            let (min, max) = (min.min(-0.5), max.max(0.5));
            vec![json!({ "angular_limit": { "axis": axis, "min_deg": min, "max_deg": max, "stop": stop } })]
        }
        "swing_twist" => {
            let pair = |key: &str| {
                let usual = if key == "swing_deg" { [45.0, 45.0] } else { [-45.0, 45.0] };
                let given = joint.get(key).and_then(Value::as_array);
                let numbers = [0, 1].map(|i| given.and_then(|list| list.get(i)?.as_f64()).unwrap_or(usual[i]));
                numbers.map(|angle| angle * comfort.from)
            };
            let mut cone = chosen(&["axis", "center", "towards"]);
            cone["angles_deg"] = json!(pair("swing_deg").map(|angle| angle.max(0.1)));
            cone["stop"] = stop.clone();
            let [min, max] = pair("twist_deg");
            let mut twist = chosen(&["axis"]);
            twist["min_deg"] = json!(min.min(-0.5));
            twist["max_deg"] = json!(max.max(0.5));
            twist["stop"] = stop;
            vec![json!({ "elliptic_cone_limit": cone }), json!({ "twist_limit": twist })]
        }
        _ => Vec::new(),
    }
}
