//! Terrain: heights on a regular grid.
//!
//! The grid lies in the xz plane with its middle at the origin; rows follow each other along z, columns along x, heights
//! are along y. Grid point (row r, column c) is at
//!
//! ```text
//! x = (c − (columns − 1)/2) · spacing[0],   y = heights[r · columns + c],   z = (r − (rows − 1)/2) · spacing[1]
//! ```
//!
//! Each cell between four grid points p(r, c) is cut in two along the diagonal from p(r, c) to p(r+1, c+1):
//! triangle `2 · cell` is p(r, c), p(r+1, c), p(r+1, c+1) and triangle `2 · cell + 1` is p(r, c), p(r+1, c+1), p(r, c+1),
//! with `cell = r · (columns − 1) + c`. All normals point up.
//!
//! The terrain is solid: every point below the surface within
//! the rectangle of the grid belongs to it, however deep. Its upright sides are no surface, though: distances, contacts and
//! rays know the surface only.

mod query;

use super::flats::Flats;
use super::patches::smooth_patches;
use crate::bvh::Bvh;
use crate::error::{MAX_SIZE, checked_length};
use crate::{Aabb, GeometryError, Triangle};
use glam::DVec3;
use std::ops::Range;

/// How many cells the tiles that the hierarchy is built over have along x and z.
const TILE: usize = 4;

/// A terrain: heights above the xz plane on a regular grid, two triangles per cell. A surface, solid below.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    rows: usize,
    columns: usize,
    heights: Vec<f64>,
    spacing: [f64; 2],
    /// A hierarchy over tiles of 4 × 4 cells, for distances and for pairs of surfaces.
    tiles: Bvh,
    /// For each triangle its smooth patch.
    patches: Vec<u32>,
    flats: Flats,
}

impl HeightField {
    /// The terrain with `rows` grid points along z and `columns` along x, at least two each; `heights` in metres, row by row;
    /// `spacing` between grid points along x and along z in metres.
    pub fn new(rows: usize, columns: usize, heights: Vec<f64>, spacing: [f64; 2]) -> Result<Self, GeometryError> {
        for (what, count) in [("height field rows", rows), ("height field columns", columns)] {
            if count < 2 {
                return Err(GeometryError::TooFew { what, count, needed: 2 });
            }
        }
        // Triangles are numbered in 32 bits.
        let points =
            rows.checked_mul(columns).filter(|&n| n <= (u32::MAX / 2) as usize).ok_or(GeometryError::OutOfRange {
                what: "number of height field points",
                value: rows as f64 * columns as f64,
                allowed: "at most 2.1e9",
            })?;
        if heights.len() != points {
            return Err(GeometryError::OutOfRange {
                what: "number of heights",
                value: heights.len() as f64,
                allowed: "the number of rows times the number of columns",
            });
        }
        if let Some(&value) = heights.iter().find(|h| !h.is_finite() || h.abs() > MAX_SIZE) {
            return Err(GeometryError::OutOfRange { what: "height", value, allowed: "between -1e9 and 1e9 metres" });
        }
        checked_length("height field spacing along x", spacing[0])?;
        checked_length("height field spacing along z", spacing[1])?;
        checked_length("height field width", (columns - 1) as f64 * spacing[0])?;
        checked_length("height field length", (rows - 1) as f64 * spacing[1])?;
        let (tiles, flats) = (Bvh::build(&[]), Flats::default());
        let mut field = Self { rows, columns, heights, spacing, tiles, patches: Vec::new(), flats };
        let tile_boxes: Vec<Aabb> = (0..field.tile_count()).map(|tile| field.tile_aabb(tile)).collect();
        field.tiles = Bvh::build(&tile_boxes);
        let (normal, neighbor) = (|i| field.triangle(i).normal(), |i, edge| field.neighbor(i, edge));
        let patches = smooth_patches(field.triangle_count(), normal, neighbor);
        let flats = Flats::new(field.triangle_count(), |i| field.triangle(i), neighbor);
        (field.patches, field.flats) = (patches, flats);
        Ok(field)
    }

    /// How many grid points there are along z and along x.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The heights in metres, row by row (z), column by column (x).
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// The distance of grid points along x and along z in metres.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// The position of a grid point.
    pub fn point(&self, row: usize, column: usize) -> DVec3 {
        let x = (column as f64 - 0.5 * (self.columns - 1) as f64) * self.spacing[0];
        let z = (row as f64 - 0.5 * (self.rows - 1) as f64) * self.spacing[1];
        DVec3::new(x, self.heights[row * self.columns + column], z)
    }

    /// How many triangles there are: two per cell.
    pub fn triangle_count(&self) -> usize {
        2 * (self.rows - 1) * (self.columns - 1)
    }

    /// The triangle with number `index`, counter-clockwise as seen from above.
    pub fn triangle(&self, index: usize) -> Triangle {
        let (row, column) = self.cell_of(index);
        let (near, far) = (self.point(row, column), self.point(row + 1, column + 1));
        if index.is_multiple_of(2) {
            Triangle::new(near, self.point(row + 1, column), far)
        } else {
            Triangle::new(near, far, self.point(row, column + 1))
        }
    }

    /// The place of a corner of a triangle in [`HeightField::heights`].
    pub(crate) fn vertex_number(&self, index: usize, corner: usize) -> u32 {
        let (row, column) = self.cell_of(index);
        let (down, right) = match (index % 2, corner % 3) {
            (_, 0) => (0, 0),
            (0, 1) => (1, 0),
            (0, _) | (_, 1) => (1, 1),
            _ => (0, 1),
        };
        ((row + down) * self.columns + column + right) as u32
    }

    /// The triangle on the other side of edge `edge` (0, 1 or 2: from corner `edge` to the next) of triangle `index`, and the
    /// number of the edge there; `None` at the border.
    pub fn neighbor(&self, index: usize, edge: usize) -> Option<(usize, usize)> {
        let (row, column) = self.cell_of(index);
        let row_step = 2 * (self.columns - 1);
        match (index % 2, edge % 3) {
            (0, 0) => (column > 0).then(|| (index - 1, 1)),
            (0, 1) => (row + 2 < self.rows).then(|| (index + row_step + 1, 2)),
            (0, _) => Some((index + 1, 0)),
            (_, 0) => Some((index - 1, 2)),
            (_, 1) => (column + 2 < self.columns).then(|| (index + 1, 0)),
            _ => (row > 0).then(|| (index - row_step - 1, 1)),
        }
    }

    /// The smooth patch that a triangle belongs to: the surface bends by less than 10° at every edge between its triangles. It is
    /// named by its lowest triangle.
    pub fn patch(&self, index: usize) -> u32 {
        self.patches[index]
    }

    /// The seed of the flat region that a triangle belongs to.
    pub(crate) fn flat_seed(&self, index: usize) -> u32 {
        self.flats.seed(index)
    }

    /// Whether that region goes on all around the triangle.
    pub(crate) fn is_amid_flat(&self, index: usize) -> bool {
        self.flats.is_amid(index)
    }

    /// The edges, as bits, beyond which that region goes on.
    pub(crate) fn level_edges(&self, index: usize) -> u8 {
        self.flats.level_edges(index)
    }

    /// The smallest box around the surface.
    pub fn aabb(&self) -> Aabb {
        self.tiles.aabb()
    }

    /// The row and column of the cell of a triangle.
    fn cell_of(&self, triangle: usize) -> (usize, usize) {
        let cell = triangle / 2;
        (cell / (self.columns - 1), cell % (self.columns - 1))
    }

    /// The cells along one axis (their number, spacing and range) that `low..=high` touches, one more on either side where
    /// rounding could decide.
    fn cell_range(cells: usize, spacing: f64, low: f64, high: f64) -> Range<usize> {
        let half = 0.5 * cells as f64;
        // Casts of floats to integers saturate; NaN becomes zero.
        let cell = |x: f64, nudge: f64| (x / spacing + half + nudge).max(0.0) as usize;
        cell(low, -1e-9 * (1.0 + half)).min(cells)..(cell(high, 1e-9 * (1.0 + half)).saturating_add(1)).min(cells)
    }

    /// Calls `visit` with the number of every triangle whose box overlaps `region` until it answers `false`. Answers `false` if
    /// it was stopped.
    pub(crate) fn overlapping(&self, region: &Aabb, visit: &mut dyn FnMut(u32) -> bool) -> bool {
        if !region.overlaps(&self.aabb()) {
            return true;
        }
        let rows = Self::cell_range(self.rows - 1, self.spacing[1], region.min.z, region.max.z);
        let columns = Self::cell_range(self.columns - 1, self.spacing[0], region.min.x, region.max.x);
        for row in rows {
            for column in columns.clone() {
                let (low, high) = self.cell_heights(row..row + 1, column..column + 1);
                if low > region.max.y || high < region.min.y {
                    continue;
                }
                let first = 2 * (row * (self.columns - 1) + column);
                for triangle in [first, first + 1] {
                    if self.triangle_aabb(triangle).overlaps(region) && !visit(triangle as u32) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn triangle_aabb(&self, triangle: usize) -> Aabb {
        Aabb::from_points(self.triangle(triangle).vertices)
    }

    /// The least and greatest height at the corners of a range of cells.
    fn cell_heights(&self, rows: Range<usize>, columns: Range<usize>) -> (f64, f64) {
        let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
        for row in rows.start..=rows.end {
            for height in &self.heights[row * self.columns + columns.start..=row * self.columns + columns.end] {
                bounds = (bounds.0.min(*height), bounds.1.max(*height));
            }
        }
        bounds
    }

    fn tile_columns(&self) -> usize {
        (self.columns - 1).div_ceil(TILE)
    }

    fn tile_count(&self) -> usize {
        self.tile_columns() * (self.rows - 1).div_ceil(TILE)
    }

    /// The rows and columns of cells of a tile.
    fn tile_cells(&self, tile: usize) -> (Range<usize>, Range<usize>) {
        let (row, column) = (TILE * (tile / self.tile_columns()), TILE * (tile % self.tile_columns()));
        (row..(row + TILE).min(self.rows - 1), column..(column + TILE).min(self.columns - 1))
    }

    fn tile_aabb(&self, tile: usize) -> Aabb {
        let (rows, columns) = self.tile_cells(tile);
        let (low, high) = self.cell_heights(rows.clone(), columns.clone());
        let (near, far) = (self.point(rows.start, columns.start), self.point(rows.end, columns.end));
        Aabb::new(near.with_y(low), far.with_y(high))
    }

    /// A hierarchy over tiles of cells; [`HeightField::tile_triangles`] tells what is in them.
    pub(crate) fn tiles(&self) -> &Bvh {
        &self.tiles
    }

    /// The numbers of the triangles in a tile.
    pub(crate) fn tile_triangles(&self, tile: u32) -> impl Iterator<Item = u32> {
        let (rows, columns) = self.tile_cells(tile as usize);
        let width = self.columns - 1;
        rows.flat_map(move |row| 2 * (row * width + columns.start)..2 * (row * width + columns.end)).map(|t| t as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    fn random_field(rows: usize, columns: usize, seed: u64) -> HeightField {
        let mut rng = fastrand::Rng::with_seed(seed);
        HeightField::new(rows, columns, (0..rows * columns).map(|_| rng.f64()).collect(), [0.5, 0.25]).unwrap()
    }

    #[test]
    fn the_grid_is_centred_and_its_triangles_face_up() {
        let field = HeightField::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 4.0]).unwrap();
        assert_eq!(field.point(0, 0), dvec3(-2.0, 1.0, -2.0));
        assert_eq!(field.point(1, 2), dvec3(2.0, 6.0, 2.0));
        assert_eq!(field.aabb(), Aabb::new(dvec3(-2.0, 1.0, -2.0), dvec3(2.0, 6.0, 2.0)));
        assert_eq!(field.triangle_count(), 4);
        for index in 0..4 {
            let [a, b, c] = field.triangle(index).vertices;
            assert!((b - a).cross(c - a).y > 0.0);
        }
    }

    #[test]
    fn neighbours_share_the_edge_they_are_said_to_share() {
        let field = random_field(4, 5, 1);
        let mut borders = 0;
        for index in 0..field.triangle_count() {
            for edge in 0..3 {
                let Some((neighbor, across)) = field.neighbor(index, edge) else {
                    borders += 1;
                    continue;
                };
                assert_eq!(field.neighbor(neighbor, across), Some((index, edge)));
                let (here, there) = (field.triangle(index).vertices, field.triangle(neighbor).vertices);
                assert_eq!(here[edge], there[(across + 1) % 3]);
                assert_eq!(here[(edge + 1) % 3], there[across]);
            }
        }
        assert_eq!(borders, 2 * (3 + 4));
    }

    #[test]
    fn regions_and_tiles_hold_exactly_their_triangles() {
        let field = random_field(7, 11, 2);
        let mut rng = fastrand::Rng::with_seed(3);
        let mut in_tiles: Vec<u32> =
            field.tiles().items().iter().flat_map(|&tile| field.tile_triangles(tile)).collect();
        in_tiles.sort_unstable();
        assert_eq!(in_tiles, (0..field.triangle_count() as u32).collect::<Vec<_>>());
        for _ in 0..500 {
            let mut point = || dvec3(rng.f64() - 0.5, rng.f64(), rng.f64() - 0.5) * dvec3(7.0, 1.0, 2.5);
            let region = Aabb::from_points([point(), point()]);
            let mut found = Vec::new();
            field.overlapping(&region, &mut |t| {
                found.push(t);
                true
            });
            let expected: Vec<u32> = (0..field.triangle_count() as u32)
                .filter(|&t| field.triangle_aabb(t as usize).overlaps(&region))
                .collect();
            assert_eq!(found, expected);
        }
        assert!(field.overlapping(&Aabb::EMPTY, &mut |_| false));
        assert!(field.overlapping(&Aabb::new(DVec3::NAN, DVec3::NAN), &mut |_| false));
        assert!(!field.overlapping(&Aabb::EVERYTHING, &mut |_| false));
    }

    #[test]
    fn bad_input_is_refused_by_name() {
        let flat = |n: usize| vec![0.0; n];
        assert!(HeightField::new(1, 5, flat(5), [1.0; 2]).is_err());
        assert!(HeightField::new(2, 2, flat(5), [1.0; 2]).is_err());
        assert!(HeightField::new(2, 2, vec![0.0, f64::NAN, 0.0, 0.0], [1.0; 2]).is_err());
        assert!(HeightField::new(2, 2, flat(4), [0.0, 1.0]).is_err());
        assert!(HeightField::new(usize::MAX, usize::MAX, flat(4), [1.0; 2]).is_err());
        let error = HeightField::new(2, 2, flat(4), [1.0, f64::NAN]).unwrap_err();
        assert_eq!(error.to_string(), "height field spacing along z is NaN, but must be between 1e-9 and 1e9 metres");
    }
}
