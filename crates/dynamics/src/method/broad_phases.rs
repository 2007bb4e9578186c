//! The broad phases of the geometry crate as registered parts.

use crate::registry::Table;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};
use tumble_geometry::broad_phase::{BroadPhase, BroadPhaseKind, FatMargin};

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

/// Registers the five broad phases.
pub(crate) fn register(table: &mut Table<Box<dyn BroadPhase>>) {
    for (name, kind) in [
        ("brute_force", BroadPhaseKind::BruteForce),
        ("hash_grid", BroadPhaseKind::HashGrid),
        ("kd_tree", BroadPhaseKind::KdTree),
        ("sweep_and_prune", BroadPhaseKind::SweepAndPrune),
        ("dynamic_tree", BroadPhaseKind::DynamicTree),
    ] {
        table.register(name, move |description: BroadPhaseDescription| {
            let BroadPhaseDescription { relative, minimum, maximum, stretch } = description;
            Ok(kind.build(FatMargin { relative, minimum, maximum, stretch }).clone_box())
        });
    }
}
