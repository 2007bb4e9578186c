//! Sphere packing: balls that together fill a solid mesh.
//!
//! The ball around a point p of the solid with radius `depth(p) + tolerance` sticks out by at most the tolerance. Among
//! those around the points of a regular grid, the one that covers the most points not yet covered is taken, again and
//! again. How much a ball would cover only shrinks as others are taken, so an old count is an upper bound: candidates
//! wait in a heap and only the foremost are counted anew.

use super::checked_solid;
use crate::shape::{Compound, Mesh};
use crate::{Aabb, GeometryError, MIN_SIZE, Shape, Transform};
use glam::DVec3;
use std::collections::BinaryHeap;
use std::f64::consts::PI;
use std::sync::Arc;

/// What [`sphere_packing`] should aim for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackingOptions {
    /// At most this many balls. Default 64.
    pub max_count: usize,
    /// How far a ball may stick out of the mesh, in metres. With the default 0 all balls lie inside; a few per cent of
    /// the size of the mesh let far fewer balls cover it.
    pub tolerance: f64,
    /// Stop when this fraction of the volume is covered. Default 0.99.
    pub coverage: f64,
    /// How many grid cells to use along the longest edge of the bounding box, 4 to 256. Details smaller than a cell are
    /// missed; memory and time grow with the third power and more. Default 32.
    pub resolution: usize,
}

impl Default for PackingOptions {
    fn default() -> Self {
        Self { max_count: 64, tolerance: 0.0, coverage: 0.99, resolution: 32 }
    }
}

/// The balls found by [`sphere_packing`], in the order of how much each adds.
#[derive(Clone, Debug, PartialEq)]
pub struct SpherePacking {
    /// Centres and radii in metres.
    pub spheres: Vec<(DVec3, f64)>,
    /// The fraction of the solid's volume that lies in some ball, measured on a grid other than the one used to choose
    /// the balls.
    pub coverage: f64,
    /// The most that any ball sticks out of the mesh, in metres: the greatest `radius − depth of the centre`.
    pub protrusion: f64,
}

impl SpherePacking {
    /// The balls as one shape.
    pub fn to_shape(&self) -> Result<Shape, GeometryError> {
        let part = |&(center, radius)| Ok((Transform::from_translation(center), Shape::sphere(radius)?));
        let parts = self.spheres.iter().map(part).collect::<Result<_, GeometryError>>()?;
        Ok(Shape::Compound(Arc::new(Compound::new(parts)?)))
    }
}

/// Fills a solid mesh with balls.
///
/// ```
/// use tumble_geometry::approximate::{PackingOptions, sphere_packing};
/// use tumble_geometry::{glam::dvec3, shape::Mesh};
///
/// let corners = vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, 0.0, 1.0)];
/// let tetrahedron = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let options = PackingOptions { max_count: 20, tolerance: 0.02, ..Default::default() };
/// let packing = sphere_packing(&tetrahedron, &options)?;
/// assert!(packing.spheres.len() <= 20 && packing.coverage > 0.8 && packing.protrusion <= 0.02);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn sphere_packing(mesh: &Mesh, options: &PackingOptions) -> Result<SpherePacking, GeometryError> {
    checked_options(options)?;
    checked_solid(mesh)?;
    let grid = Grid::new(mesh.aabb(), options.resolution);
    let candidates = candidates(mesh, &grid, options.tolerance);
    if candidates.is_empty() {
        let why = format!("is thinner than the grid of {} cells; raise the resolution", options.resolution);
        return Err(GeometryError::Degenerate { what: "mesh to approximate", why });
    }
    let spheres = choose(mesh, &grid, candidates, options);
    let protrusion = spheres.iter().map(|&(center, radius)| radius - depth(mesh, center)).fold(0.0, f64::max);
    let coverage = coverage(mesh, &spheres, options.resolution);
    Ok(SpherePacking { spheres, coverage, protrusion })
}

fn checked_options(options: &PackingOptions) -> Result<(), GeometryError> {
    let check = |what, value: f64, ok: bool, allowed| {
        if ok { Ok(()) } else { Err(GeometryError::OutOfRange { what, value, allowed }) }
    };
    let PackingOptions { max_count, tolerance, coverage, resolution } = *options;
    check("number of spheres", max_count as f64, max_count > 0, "at least 1")?;
    check("tolerance", tolerance, (0.0..=1e9).contains(&tolerance), "between 0 and 1e9 metres")?;
    check("coverage", coverage, (0.0..=1.0).contains(&coverage), "between 0 and 1")?;
    check("resolution", resolution as f64, (4..=256).contains(&resolution), "between 4 and 256")
}

/// How deep `point` lies inside the mesh; negative outside.
fn depth(mesh: &Mesh, point: DVec3) -> f64 {
    mesh.closest_point(point).map_or(f64::NEG_INFINITY, |projection| -projection.distance)
}

/// The midpoints of cubic cells that fill a box.
struct Grid {
    min: DVec3,
    cell: f64,
    count: [usize; 3],
}

impl Grid {
    fn new(bounds: Aabb, resolution: usize) -> Self {
        let cell = bounds.extents().max_element() / resolution as f64;
        let count = bounds.extents().to_array().map(|extent| ((extent / cell).ceil() as usize).clamp(1, resolution));
        let min = bounds.center() - 0.5 * cell * as_vector(count);
        Self { min, cell, count }
    }

    fn len(&self) -> usize {
        self.count.iter().product()
    }

    fn point(&self, index: usize) -> DVec3 {
        let [_, ny, nz] = self.count;
        let place = [index / (ny * nz), index / nz % ny, index % nz];
        self.min + (as_vector(place) + 0.5) * self.cell
    }

    /// Calls `visit` with the index of every midpoint in a ball.
    fn visit_ball(&self, center: DVec3, radius: f64, mut visit: impl FnMut(usize)) {
        let [_, ny, nz] = self.count;
        let middle = (center - self.min) / self.cell - 0.5;
        let reach = radius / self.cell;
        let top = as_vector(self.count) - 1.0;
        let low = (middle - reach).ceil().clamp(DVec3::ZERO, top).to_array().map(|x| x as usize);
        let high = (middle + reach).floor().clamp(DVec3::ZERO, top).to_array().map(|x| x as usize);
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    if as_vector([x, y, z]).distance_squared(middle) <= reach * reach {
                        visit((x * ny + y) * nz + z);
                    }
                }
            }
        }
    }
}

fn as_vector(place: [usize; 3]) -> DVec3 {
    DVec3::from(place.map(|x| x as f64))
}

/// A ball that may be chosen. Ordered by how much it would cover, then by place, so that ties are always broken alike.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// At most this many uncovered points lie in it.
    gain: usize,
    index: usize,
}

/// The midpoints inside the mesh with the radius of the ball around each and an upper bound of what it covers.
fn candidates(mesh: &Mesh, grid: &Grid, tolerance: f64) -> Vec<(Candidate, f64)> {
    let inside = (0..grid.len()).filter_map(|index| {
        let radius = depth(mesh, grid.point(index)) + tolerance;
        // The cells of all covered points lie in the ball swollen by half a diagonal.
        let cells = radius / grid.cell + 0.87;
        let gain = (4.0 / 3.0 * PI * cells * cells * cells).ceil() as usize;
        (radius > tolerance.max(MIN_SIZE)).then_some((Candidate { gain, index }, radius))
    });
    inside.collect()
}

/// The greedy choice.
fn choose(mesh: &Mesh, grid: &Grid, candidates: Vec<(Candidate, f64)>, options: &PackingOptions) -> Vec<(DVec3, f64)> {
    let mut radii = vec![0.0; grid.len()];
    let mut uncovered = vec![false; grid.len()];
    for (candidate, radius) in &candidates {
        radii[candidate.index] = *radius;
        uncovered[candidate.index] = true;
    }
    let enough = ((1.0 - options.coverage) * candidates.len() as f64) as usize;
    let mut left = candidates.len();
    let mut heap: BinaryHeap<_> = candidates.into_iter().map(|(candidate, _)| candidate).collect();
    let mut spheres = Vec::new();
    while let Some(Candidate { index, .. }) = heap.pop() {
        if spheres.len() == options.max_count || left <= enough {
            break;
        }
        let mut gain = 0;
        grid.visit_ball(grid.point(index), radii[index], |point| gain += usize::from(uncovered[point]));
        if gain == 0 {
            continue;
        }
        let next = heap.peek().map_or(0, |next| next.gain);
        if gain < next {
            heap.push(Candidate { gain, index });
            continue;
        }
        let (center, radius) = deepened(mesh, grid, grid.point(index), options.tolerance);
        grid.visit_ball(center, radius, |point| left -= usize::from(std::mem::take(&mut uncovered[point])));
        spheres.push((center, radius));
    }
    spheres
}

/// Moves a centre off the grid, by at most a cell, to where it lies deepest.
fn deepened(mesh: &Mesh, grid: &Grid, start: DVec3, tolerance: f64) -> (DVec3, f64) {
    let mut best = (start, depth(mesh, start));
    for step in [0.5, 0.25, 0.125, 0.0625].map(|fraction| fraction * grid.cell) {
        for direction in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            let center = best.0 + step * direction;
            let depth = depth(mesh, center);
            if depth > best.1 {
                best = (center, depth);
            }
        }
    }
    // Rounded down, so that not even the last digit sticks out.
    (best.0, (best.1 + tolerance).next_down())
}

/// The fraction of the solid in the balls, counted on a grid with half as many cells again.
fn coverage(mesh: &Mesh, spheres: &[(DVec3, f64)], resolution: usize) -> f64 {
    let grid = Grid::new(mesh.aabb(), resolution + resolution / 2 + 1);
    let mut covered = vec![false; grid.len()];
    for &(center, radius) in spheres {
        grid.visit_ball(center, radius, |point| covered[point] = true);
    }
    let inside: Vec<_> = (0..grid.len()).filter(|&index| depth(mesh, grid.point(index)) > 0.0).collect();
    let hit = inside.iter().filter(|&&index| covered[index]).count();
    hit as f64 / inside.len().max(1) as f64
}
