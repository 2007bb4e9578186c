//! The broad phases of the geometry crate as registered parts.

use crate::ModelError;
use crate::registry::Table;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};
use tumble_geometry::broad_phase::{BroadPhase, BroadPhaseKind, FatMargin, Grid, HashGrid};

/// How much larger than the colliders the boxes of a broad phase are, so that they need not be renewed at every step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BroadPhaseDescription {
    /// The margin as a fraction of the box's size.
    #[schemars(range(min = 0.0))]
    pub relative: f64,
    /// The smallest margin.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub minimum: f64,
    /// The largest margin.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub maximum: f64,
    /// How many steps ahead the box is stretched along its motion.
    #[schemars(range(min = 0.0))]
    pub stretch: f64,
}

impl Default for BroadPhaseDescription {
    fn default() -> Self {
        let FatMargin { relative, minimum, maximum, stretch } = FatMargin::default();
        Self { relative, minimum, maximum, stretch }
    }
}

/// A hash grid: space in cubes of equal size, and which of them are taken. The margins are those of every broad phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HashGridDescription {
    /// The edge of a cell; `null` (default) for one and a half times the length that nine tenths of the boxes do not exceed. Boxes longer than
    /// a cell are compared with everything.
    #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
    pub cell_size: Option<f64>,
    /// The margin as a fraction of the box's size.
    #[schemars(range(min = 0.0))]
    pub relative: f64,
    /// The smallest margin.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub minimum: f64,
    /// The largest margin.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub maximum: f64,
    /// How many steps ahead the box is stretched along its motion.
    #[schemars(range(min = 0.0))]
    pub stretch: f64,
}

impl Default for HashGridDescription {
    fn default() -> Self {
        let FatMargin { relative, minimum, maximum, stretch } = FatMargin::default();
        Self { cell_size: None, relative, minimum, maximum, stretch }
    }
}

/// Registers the five broad phases.
pub(crate) fn register(table: &mut Table<Box<dyn BroadPhase>>) {
    for (name, kind) in [
        ("brute_force", BroadPhaseKind::BruteForce),
        ("kd_tree", BroadPhaseKind::KdTree),
        ("sweep_and_prune", BroadPhaseKind::SweepAndPrune),
        ("dynamic_tree", BroadPhaseKind::DynamicTree),
    ] {
        table.register(name, move |description: BroadPhaseDescription| {
            let BroadPhaseDescription { relative, minimum, maximum, stretch } = description;
            Ok(kind.build(FatMargin { relative, minimum, maximum, stretch }).clone_box())
        });
    }
    table.register("hash_grid", |description: HashGridDescription| {
        let HashGridDescription { cell_size, relative, minimum, maximum, stretch } = description;
        let grid = cell_size.map_or(Ok(Grid::default()), Grid::with_cell_size);
        let grid = grid.map_err(|error| ModelError::Invalid(error.to_string()))?;
        Ok(Box::new(HashGrid::with_index(FatMargin { relative, minimum, maximum, stretch }, grid)) as _)
    });
}
