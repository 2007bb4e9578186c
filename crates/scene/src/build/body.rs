//! What bodies are made of: everything about a body but where it is. Copies share it.

use super::material::Materials;
use super::script::Path;
use super::shape::{Shapes, pose};
use super::{Context, Reported};
use crate::cost::faces;
use crate::format::{BodyFile, BodyKindFile, ColliderFile, LockFile, MassFile};
use crate::load::Color;
use crate::look::Surface;
use crate::source::Span;
use crate::tree::Node;
use glam::DMat3;
use std::sync::Arc;
use tumble_dynamics::model::{Layers, Locks, Script};
use tumble_dynamics::{Body, Collider, Material};
use tumble_geometry::shape::EdgeKind;
use tumble_geometry::{MassProperties, Shape};

/// Everything about a body but its name, place and motion.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    kind: BodyKindFile,
    colliders: Vec<Collider>,
    /// How many triangles and parts they have.
    pub(super) faces: usize,
    material: Option<Material>,
    mass: Option<f64>,
    mass_properties: Option<MassProperties>,
    linear_damping: f64,
    angular_damping: f64,
    gravity_scale: f64,
    sleep: bool,
    layers: Layers,
    locks: Locks,
    user_data: u64,
    pub(super) path: Option<Path>,
    pub(super) color: Option<Color>,
    pub(super) visual: Option<Arc<Surface>>,
}

impl Parts {
    pub(super) fn read(
        context: &mut Context<'_>,
        shapes: &mut Shapes<'_>,
        materials: &Materials,
        file: &BodyFile,
        node: &Node,
        span: Span,
    ) -> Result<Self, Reported> {
        let span_of = |key: &str| node.get(key).map_or(span, |node| node.span);
        // Everything is looked at before anything is refused, so that all that is wrong is said at once.
        let forces_move_it = file.kind == BodyKindFile::Dynamic && file.script.is_none();
        let weighed = node.is_sound() && forces_move_it && file.mass.is_none() && file.mass_properties.is_none();
        let shape = file.shape.as_ref().zip(node.get("shape"));
        let shape = shape.map(|(shape, node)| {
            let shape = shapes.get(context, shape, node)?;
            if weighed {
                solid(context, &shape, node)?
            }
            let faces = faces(&shape);
            Ok((Collider::new(shape), faces))
        });
        let nodes = node.get("colliders").map_or(&[][..], Node::elements);
        let parts = file.colliders.iter().zip(nodes);
        let layers = layers_of(file.layers.as_deref(), file.meets.as_deref(), Layers::default());
        let parts: Vec<_> =
            parts.map(|(part, node)| collider(context, shapes, materials, (part, layers), node, weighed)).collect();
        // A body of another material or colour is still a body: what is attached to it can be looked at.
        let material = file.material.as_ref().and_then(|name| materials.get(context, name, span_of("material")).ok());
        let color = file.color.as_ref().and_then(|text| context.accept(span_of("color"), parse_color(text)).ok());
        let visual = super::visual::read(context, shapes, file, node, color);
        let script = file.script.as_ref().zip(node.get("script"));
        let path = script.map(|(script, node)| context.accept_of(node, span_of("script"), Path::read(script)));
        if path.is_some() && file.kind != BodyKindFile::Dynamic {
            let message = "a body with a script is neither fixed nor a particle";
            context.report.push(span_of("kind"), message, "leave `kind` out");
            return Err(Reported);
        }
        let colliders = shape.into_iter().chain(parts).collect::<Result<Vec<(Collider, usize)>, Reported>>()?;
        let faces = colliders.iter().map(|(_, faces)| faces).sum();
        let colliders = colliders.into_iter().map(|(collider, _)| collider).collect();
        let path = path.transpose()?;
        Ok(Self {
            kind: file.kind,
            colliders,
            faces,
            material,
            mass: file.mass,
            mass_properties: file.mass_properties.as_ref().map(mass_properties),
            linear_damping: file.linear_damping,
            angular_damping: file.angular_damping,
            gravity_scale: file.gravity_scale.unwrap_or(1.0),
            sleep: file.sleep.unwrap_or(true),
            layers,
            locks: file.locked.iter().fold(Locks::NONE, |locks, lock| locks | locks_of(*lock)),
            user_data: file.user_data,
            path,
            color,
            visual: visual?,
        })
    }

    /// A body made of this, at the origin.
    pub(super) fn body(&self, script: Option<impl Script + 'static>) -> Body {
        let mut body = match (script, self.kind) {
            (Some(script), _) => Body::scripted(script),
            (None, BodyKindFile::Dynamic) => Body::dynamic(),
            (None, BodyKindFile::Fixed) => Body::fixed(),
            (None, BodyKindFile::Particle) => Body::particle(self.mass.unwrap_or(1.0)),
        };
        for collider in &self.colliders {
            body = body.with_collider(collider.clone());
        }
        if let Some(material) = self.material {
            body = body.with_material(material);
        }
        if let Some(mass) = self.mass {
            body = body.with_mass(mass);
        }
        if let Some(properties) = self.mass_properties {
            body = body.with_mass_properties(properties);
        }
        body = body
            .with_linear_damping(self.linear_damping)
            .with_angular_damping(self.angular_damping)
            .with_gravity_scale(self.gravity_scale)
            .with_layers(self.layers)
            .with_locks(self.locks)
            .with_user_data(self.user_data);
        if self.sleep { body } else { body.without_sleep() }
    }
}

/// One of several colliders of a body, described at `node`, and how many triangles and parts it has.
fn collider(
    context: &mut Context<'_>,
    shapes: &mut Shapes<'_>,
    materials: &Materials,
    (part, layers): (&ColliderFile, Layers),
    node: &Node,
    weighed: bool,
) -> Result<(Collider, usize), Reported> {
    let placed = pose(context, node, node.span, part.position, part.rotation.as_ref());
    let shape = shapes.get(context, &part.shape, node.get("shape").unwrap_or(node));
    let material =
        part.material.as_ref().map(|name| materials.get(context, name, node.place(&["material"], node.span)));
    let shape = shape?;
    if weighed && !part.sensor && part.density.is_none() {
        solid(context, &shape, node.get("shape").unwrap_or(node))?;
    }
    let faces = faces(&shape);
    let layers = layers_of(part.layers.as_deref(), part.meets.as_deref(), layers);
    let mut collider = Collider::new(shape).with_pose(placed?).with_layers(layers).with_user_data(part.user_data);
    if let Some(material) = material.transpose()? {
        collider = collider.with_material(material);
    }
    if let Some(density) = part.density {
        collider = collider.with_density(density);
    }
    Ok((if part.sensor { collider.as_sensor() } else { collider }, faces))
}

/// Layers by their numbers; what is not said is as in `default`.
fn layers_of(layers: Option<&[u32]>, meets: Option<&[u32]>, default: Layers) -> Layers {
    let bits = |numbers: &[u32]| numbers.iter().fold(0, |bits, number| bits | 1 << (number & 31));
    Layers::new(layers.map_or(default.layers, bits), meets.map_or(default.mask, bits))
}

fn locks_of(lock: LockFile) -> Locks {
    match lock {
        LockFile::X => Locks::X,
        LockFile::Y => Locks::Y,
        LockFile::Z => Locks::Z,
        LockFile::TurnX => Locks::TURN_X,
        LockFile::TurnY => Locks::TURN_Y,
        LockFile::TurnZ => Locks::TURN_Z,
    }
}

/// Refuses a surface that encloses nothing where a mass is to be found from a volume: it would weigh like a sheet of as many
/// kg/m² as the material has kg/m³.
fn solid(context: &mut Context<'_>, shape: &Shape, node: &Node) -> Result<(), Reported> {
    let Some(why) = hollow(shape) else { return Ok(()) };
    let file = node.at(&["mesh", "file"]).and_then(Node::text).map_or(String::new(), |file| format!(" {file}"));
    let help = "give the body a `mass`, or close the surface, or make the body `fixed`";
    let message =
        format!("{}: it encloses no volume that could have a mass", why.replacen("mesh", &format!("mesh{file}"), 1));
    context.report.push(node.place(&["mesh", "file"], node.span), message, help);
    Err(Reported)
}

/// Why a shape encloses no volume, if it does not for want of a closed surface.
fn hollow(shape: &Shape) -> Option<String> {
    match shape {
        Shape::Mesh(mesh) if !mesh.is_closed() => {
            let has_area = (0..mesh.triangles().len()).filter(|&index| mesh.normal(index).is_some());
            let is_open = |&(index, edge): &(usize, usize)| mesh.edge_kind(index, edge) == EdgeKind::Boundary;
            let edges: Vec<_> =
                has_area.flat_map(|index| [0, 1, 2].map(|edge| (index, edge))).filter(is_open).collect();
            let example = edges.first().map_or(String::new(), |&(index, edge)| {
                let corners = mesh.triangle(index).vertices;
                format!(", one from {} to {}", corners[edge], corners[(edge + 1) % 3])
            });
            Some(format!("the mesh is not closed ({} open edges{example})", edges.len()))
        }
        Shape::Mesh(mesh) if !mesh.is_oriented() => Some("the mesh has neighbouring faces of opposite sense".into()),
        Shape::HeightField(_) => Some("a height field is not closed".into()),
        Shape::Compound(compound) => compound.parts().iter().find_map(|(_, part)| hollow(part)),
        _ => None,
    }
}

fn mass_properties(file: &MassFile) -> MassProperties {
    let (moments, products) = (file.inertia, file.products);
    let inertia = DMat3::from_cols_array(&[
        moments.x, products.x, products.y, //
        products.x, moments.y, products.z, //
        products.y, products.z, moments.z,
    ]);
    MassProperties { mass: file.mass, center: file.center, inertia }
}

/// "#rrggbb" as numbers.
pub(super) fn parse_color(text: &str) -> Result<Color, String> {
    let wrong = || format!("\"{text}\" is no colour: expected \"#rrggbb\"");
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii()).ok_or_else(wrong)?;
    let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
    let [_, red, green, blue] = number.to_be_bytes();
    Ok([red, green, blue])
}
