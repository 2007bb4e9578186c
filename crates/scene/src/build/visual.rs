//! What is seen of a body in place of its shapes.

use super::body::parse_color;
use super::shape::{Shapes, pose};
use super::{Context, Reported};
use crate::format::{BodyFile, VisualFile};
use crate::load::Color;
use crate::look::Surface;
use crate::tree::Node;
use std::sync::Arc;

/// The surface the file gives to a body that stands at `node`; none if its shapes are seen.
pub(super) fn read(
    context: &mut Context<'_>,
    shapes: &mut Shapes<'_>,
    file: &BodyFile,
    node: &Node,
    color: Option<Color>,
) -> Result<Option<Arc<Surface>>, Reported> {
    let Some(parts) = &file.visual else { return Ok(None) };
    let nodes = node.get("visual").map_or(&[][..], Node::elements);
    let mut whole = Surface::default();
    for (part, node) in parts.iter().zip(nodes) {
        let surface = part_of(context, shapes, part, node)?;
        whole.join(surface, color.unwrap_or([0xc0; 3]));
    }
    Ok(Some(Arc::new(whole)))
}

fn part_of(
    context: &mut Context<'_>,
    shapes: &mut Shapes<'_>,
    part: &VisualFile,
    node: &Node,
) -> Result<Surface, Reported> {
    let place = pose(context, node, node.span, part.position, part.rotation.as_ref())?;
    let surface = match (&part.file, &part.shape) {
        (Some(name), None) => {
            let mesh = shapes.visual(context, name);
            let mesh = context.accept(node.place(&["file"], node.span), mesh)?;
            Surface::of_mesh(&mesh, &place, part.scale.unwrap_or(1.0))
        }
        (None, Some(shape)) if part.scale.is_none() => {
            let shape = shapes.get(context, shape, node.get("shape").unwrap_or(node))?;
            Surface::of(&shape, &place)
        }
        _ => {
            let message = "what is seen is either a `file`, with a `scale` if need be, or a `shape`";
            context.report.push(node.span, message, "");
            return Err(Reported);
        }
    };
    match &part.color {
        Some(text) => Ok(surface.painted(context.accept(node.place(&["color"], node.span), parse_color(text))?)),
        None => Ok(surface),
    }
}
