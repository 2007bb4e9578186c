//! The broad phases of the geometry crate as registered parts.

use crate::ModelError;
use crate::registry::Table;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use tumble_geometry::broad_phase::{
    AllBoxes, BroadPhase, Buckets, FatMargin, Grid, HashGrid, KdTree, SortedLists, Space, SpatialIndex, TreeLimits,
    TwoTrees,
};

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

impl BroadPhaseDescription {
    /// Registers a broad phase that has no settings of its own.
    fn register<I: SpatialIndex>(table: &mut Table<Box<dyn BroadPhase>>, name: &str) {
        let make = |description: Self| {
            let Self { relative, minimum, maximum, stretch } = description;
            Ok(Box::new(Space::<I>::new(FatMargin { relative, minimum, maximum, stretch })) as _)
        };
        table.register_read(name, make, |part| {
            let FatMargin { relative, minimum, maximum, stretch } = part.downcast_ref::<Space<I>>()?.proxies().margin();
            Some(Self { relative, minimum, maximum, stretch })
        });
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
    /// After how many steps cells that were left are cleared away; `null` (default) for when most cells are empty.
    pub clean_up: Option<NonZeroU32>,
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
        Self { cell_size: None, clean_up: None, relative, minimum, maximum, stretch }
    }
}

/// A KD-tree: space divided by planes into buckets. The margins are those of every broad phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KdTreeDescription {
    /// A bucket of more boxes is split. Default 16.
    pub leaf_size: NonZeroU32,
    /// The most planes above a bucket; `null` (default) for as many as it takes.
    pub depth: Option<u32>,
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

impl Default for KdTreeDescription {
    fn default() -> Self {
        let FatMargin { relative, minimum, maximum, stretch } = FatMargin::default();
        Self { leaf_size: TreeLimits::default().leaf_size, depth: None, relative, minimum, maximum, stretch }
    }
}

/// Registers the five broad phases.
pub(crate) fn register(table: &mut Table<Box<dyn BroadPhase>>) {
    BroadPhaseDescription::register::<AllBoxes>(table, "brute_force");
    BroadPhaseDescription::register::<SortedLists>(table, "sweep_and_prune");
    BroadPhaseDescription::register::<TwoTrees>(table, "dynamic_tree");
    let make = |description: KdTreeDescription| {
        let KdTreeDescription { leaf_size, depth, relative, minimum, maximum, stretch } = description;
        let index = Buckets::with_limits(TreeLimits { leaf_size, depth: depth.unwrap_or(u32::MAX) });
        Ok(Box::new(KdTree::with_index(FatMargin { relative, minimum, maximum, stretch }, index)) as _)
    };
    table.register_read("kd_tree", make, |part| {
        let space = part.downcast_ref::<KdTree>()?;
        let FatMargin { relative, minimum, maximum, stretch } = space.proxies().margin();
        let TreeLimits { leaf_size, depth } = space.index().limits();
        let depth = Some(depth).filter(|&depth| depth != u32::MAX);
        Some(KdTreeDescription { leaf_size, depth, relative, minimum, maximum, stretch })
    });
    let make = |description: HashGridDescription| {
        let HashGridDescription { cell_size, clean_up, relative, minimum, maximum, stretch } = description;
        let grid = cell_size.map_or(Ok(Grid::default()), Grid::with_cell_size);
        let grid = grid.map_err(|error| ModelError::Invalid(error.to_string()))?;
        let grid = clean_up.map_or(grid.clone(), |updates| grid.with_clean_up(updates));
        Ok(Box::new(HashGrid::with_index(FatMargin { relative, minimum, maximum, stretch }, grid)) as _)
    };
    table.register_read("hash_grid", make, |part| {
        let space = part.downcast_ref::<HashGrid>()?;
        let FatMargin { relative, minimum, maximum, stretch } = space.proxies().margin();
        let (cell_size, clean_up) = (space.index().given_cell_size(), space.index().clean_up());
        Some(HashGridDescription { cell_size, clean_up, relative, minimum, maximum, stretch })
    });
}
