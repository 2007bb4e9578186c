//! A mesh made of simpler shapes: balls inside it, or convex parts that together contain it.
//!
//! A closed mesh can be as concave as it likes; collision with balls or convex parts is faster and gives better contacts.
//! [`sphere_packing`] fills the mesh with balls, as Kleppmann did with 252 of them for his falling figure (K 4.3.4);
//! [`convex_decomposition`] cuts it into nearly convex pieces and takes their hulls. Both report how well the result
//! matches the mesh, both give the same result every time, and both need a solid mesh
//! ([`Mesh::is_solid`](crate::shape::Mesh::is_solid)).

mod cap;
mod clip;
mod decomposition;
mod join;
mod planes;
mod spheres;

pub use decomposition::{ConvexDecomposition, ConvexPart, DecompositionOptions, convex_decomposition};
pub use spheres::{PackingOptions, SpherePacking, sphere_packing};

use crate::GeometryError;
use crate::shape::Mesh;

/// Accepts a mesh that encloses a volume.
fn checked_solid(mesh: &Mesh) -> Result<(), GeometryError> {
    let why = if !mesh.is_closed() {
        "is not closed: some edge has a triangle on one side only"
    } else if !mesh.is_oriented() {
        "is not oriented: neighbouring triangles disagree on which side is outside"
    } else if !mesh.is_solid() {
        "is inside out: its triangles are clockwise as seen from outside"
    } else {
        return Ok(());
    };
    Err(GeometryError::Degenerate { what: "mesh to approximate", why: why.into() })
}
