//! Terrain: heights on a regular grid.

/// A terrain: heights above the xz plane on a regular grid, two triangles per cell. A surface, solid below.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    rows: usize,
    columns: usize,
    heights: Vec<f64>,
}

impl HeightField {
    /// How many grid points there are along z and along x.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The heights in metres, row by row (z), column by column (x).
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }
}
