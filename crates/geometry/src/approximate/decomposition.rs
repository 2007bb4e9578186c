//! Convex decomposition: nearly convex pieces of a solid mesh and their hulls.
//!
//! How far a piece is from convex is measured by its *excess*, the volume of its hull minus its own. The piece with the
//! greatest excess is cut in two by the plane that leaves the least excess, among planes along concave edges, planes
//! across the coordinate axes and, if those do not make it nearly convex, across its principal axes; until all are convex
//! enough. Cuts go through a whole piece and sometimes separate what belongs together; so in the end pairs whose common
//! hull has little excess are joined again.
//!
//! Every point of the solid lies in some piece and thus in some hull: the hulls contain the mesh, up to rounding.

use super::checked_solid;
use super::clip::Piece;
use super::join::join;
use super::planes::{Row, along_concave_edges, rows};
use crate::mass::polyhedron;
use crate::shape::{Compound, Hull, Mesh};
use crate::{Aabb, GeometryError, Plane, Shape, Transform};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// What [`convex_decomposition`] should aim for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecompositionOptions {
    /// At most this many parts, 1 to 256. Default 32.
    pub max_parts: usize,
    /// How much larger the hull of a part may be than what it contains of the mesh, as a fraction of the volume of the
    /// whole mesh. Default 0.01.
    pub tolerance: f64,
}

impl Default for DecompositionOptions {
    fn default() -> Self {
        Self { max_parts: 32, tolerance: 0.01 }
    }
}

/// A part of a [`ConvexDecomposition`].
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPart {
    /// The convex hull of a piece of the mesh.
    pub hull: Hull,
    /// The volume of that piece in m³; the hull's is at least as large.
    pub volume: f64,
}

/// The parts found by [`convex_decomposition`].
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexDecomposition {
    /// The parts. The hulls may overlap; together they contain the mesh.
    pub parts: Vec<ConvexPart>,
}

impl ConvexDecomposition {
    /// The volumes of the hulls, added up, over the volume of the mesh; 1 if every part is convex.
    pub fn volume_ratio(&self) -> f64 {
        let hulls: f64 = self.parts.iter().map(|part| part.hull.volume()).sum();
        let pieces: f64 = self.parts.iter().map(|part| part.volume).sum();
        hulls / pieces
    }

    /// The hulls as one shape.
    pub fn to_shape(&self) -> Result<Shape, GeometryError> {
        let part = |part: &ConvexPart| (Transform::IDENTITY, Shape::Hull(Arc::new(part.hull.clone())));
        let parts = self.parts.iter().map(part).collect();
        Ok(Shape::Compound(Arc::new(Compound::new(parts)?)))
    }
}

/// Cuts a solid mesh into nearly convex pieces.
///
/// ```
/// use tumble_geometry::approximate::{DecompositionOptions, convex_decomposition};
/// use tumble_geometry::{glam::dvec3, shape::Mesh};
///
/// let corners = vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, 0.0, 1.0)];
/// let tetrahedron = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let decomposition = convex_decomposition(&tetrahedron, &DecompositionOptions::default())?;
/// assert_eq!(decomposition.parts.len(), 1);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn convex_decomposition(mesh: &Mesh, options: &DecompositionOptions) -> Result<ConvexDecomposition, GeometryError> {
    let DecompositionOptions { max_parts, tolerance } = *options;
    if !(1..=256).contains(&max_parts) {
        let value = max_parts as f64;
        return Err(GeometryError::OutOfRange { what: "number of parts", value, allowed: "between 1 and 256" });
    }
    if !(0.0..=1e9).contains(&tolerance) {
        let (what, allowed) = ("decomposition tolerance", "between 0 and 1e9");
        return Err(GeometryError::OutOfRange { what, value: tolerance, allowed });
    }
    checked_solid(mesh)?;
    let whole = Part::new(Piece::whole(mesh))?;
    let cutter = Cutter {
        concave: along_concave_edges(mesh),
        // Never below what rounding leaves.
        enough: tolerance.max(1e-9) * whole.volume,
        least_volume: 1e-6 * whole.volume,
        snap: 1e-9 * mesh.aabb().extents().length(),
    };
    let pieces = cutter.cut(whole, max_parts + max_parts / 2);
    let mut parts = pieces.into_iter().map(|Part { hull, volume, .. }| ConvexPart { hull, volume }).collect();
    join(&mut parts, cutter.enough, max_parts);
    Ok(ConvexDecomposition { parts })
}

/// A piece with its hull.
struct Part {
    piece: Piece,
    corners: Vec<DVec3>,
    hull: Hull,
    volume: f64,
    /// No plane was found that improves it.
    is_final: bool,
}

impl Part {
    fn new(piece: Piece) -> Result<Self, GeometryError> {
        let corners = piece.corners();
        let hull = Hull::new(&corners)?;
        let volume = piece.volume();
        Ok(Self { piece, corners, hull, volume, is_final: false })
    }

    /// The diagonal of the bounding box.
    fn extent(&self) -> f64 {
        Aabb::from_points(self.hull.vertices().iter().copied()).extents().length()
    }

    /// The volume of the hull that is not the piece's.
    fn excess(&self) -> f64 {
        self.hull.volume() - self.volume
    }
}

struct Cutter {
    /// The planes along concave edges of the whole mesh.
    concave: Vec<Plane>,
    /// A part with no more excess than this is convex enough, m³.
    enough: f64,
    /// No piece smaller than this is cut off, m³.
    least_volume: f64,
    /// Corners this near to a plane lie in it, m.
    snap: f64,
}

/// Two parts and what speaks against this cut.
struct Cut {
    halves: [Part; 2],
    cost: f64,
    plane: Plane,
}

impl Cutter {
    /// Cuts until every part is convex enough or there are `limit` of them.
    fn cut(&self, whole: Part, limit: usize) -> Vec<Part> {
        let mut parts = vec![whole];
        while parts.len() < limit {
            let open = parts.iter_mut().enumerate().filter(|(_, part)| !part.is_final && part.excess() > self.enough);
            let Some((worst, part)) = open.max_by(|(_, one), (_, two)| one.excess().total_cmp(&two.excess())) else {
                break;
            };
            match self.best_cut(part) {
                Some(Cut { halves: [below, above], .. }) => {
                    parts[worst] = below;
                    parts.push(above);
                }
                None => part.is_final = true,
            }
        }
        parts
    }

    /// The cheapest cut of a part, if there is any. It need not reduce the excess at once: to open a ring takes two.
    fn best_cut(&self, part: &Part) -> Option<Cut> {
        let mut best = None;
        for plane in &self.concave {
            self.consider(part, *plane, &mut best);
        }
        self.consider_rows(part, &rows(&DMat3::IDENTITY, &part.corners), &mut best);
        if best.as_ref().is_none_or(|cut| cut.halves.iter().any(|half| half.excess() > self.enough))
            && let Ok(properties) = polyhedron::solid("piece", &part.piece.triangles)
        {
            let axes = DMat3::from_quat(properties.principal().axes);
            self.consider_rows(part, &rows(&axes, &part.corners), &mut best);
        }
        best
    }

    /// Tries evenly spaced planes, then ever closer ones around the best of them.
    fn consider_rows(&self, part: &Part, rows: &[Row; 3], best: &mut Option<Cut>) {
        for row in rows {
            let mut best_of_row = None;
            for plane in row.planes() {
                self.consider(part, plane, &mut best_of_row);
            }
            for step in [0.5, 0.25, 0.125] {
                let Some(Plane { normal, offset }) = best_of_row.as_ref().map(|cut| cut.plane) else { break };
                for offset in [offset - step * row.spacing, offset + step * row.spacing] {
                    self.consider(part, Plane { normal, offset }, &mut best_of_row);
                }
            }
            if let Some(cut) = best_of_row {
                keep_cheaper(best, cut);
            }
        }
    }

    /// Tries a plane and keeps the cut if it is the cheapest so far.
    fn consider(&self, part: &Part, plane: Plane, best: &mut Option<Cut>) {
        let halves = part.piece.split(&plane, self.snap);
        if halves.iter().any(|half| half.volume() < self.least_volume) {
            return;
        }
        let [below, above] = halves.map(Part::new);
        if let (Ok(below), Ok(above)) = (below, above) {
            // Between cuts that leave about the same excess, the one that leaves less, and less extended, to be cut.
            let left = |half: &Part| match half.excess() {
                excess if excess > self.enough => half.volume * half.extent() / (part.volume * part.extent()),
                _ => 0.0,
            };
            let excess = below.excess().max(0.0) + above.excess().max(0.0);
            let cost = excess * (1.0 + left(&below) + left(&above));
            keep_cheaper(best, Cut { halves: [below, above], cost, plane });
        }
    }
}

fn keep_cheaper(best: &mut Option<Cut>, cut: Cut) {
    if best.as_ref().is_none_or(|best| cut.cost < best.cost) {
        *best = Some(cut);
    }
}
