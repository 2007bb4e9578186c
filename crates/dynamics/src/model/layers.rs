//! Collision layers: a few bits that say quickly who meets whom, beside the rules of the [filter](super::filter).
//!
//! Every collider is in some layers and meets some layers. Two colliders meet if each of them meets a layer the other is in:
//!
//! ```text
//! (a.layers & b.mask) ≠ 0   and   (b.layers & a.mask) ≠ 0
//! ```
//!
//! That is one operation for a pair, where a rule of the filter is a look into a table. Both have to allow a pair: layers can
//! keep apart what the filter lets collide, and the other way round.
//!
//! ```
//! use tumble_dynamics::model::Layers;
//!
//! const GHOSTS: u32 = 1 << 3;
//! let ghost = Layers::new(GHOSTS, Layers::ALL & !GHOSTS); // meets everybody but other ghosts
//! assert!(ghost.meets(Layers::default()) && !ghost.meets(ghost));
//! ```

use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// The layers a collider is in and those it meets. Default: in the first layer, meets all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Layers {
    /// The layers it is in, one bit each. Default 1: the first.
    pub layers: u32,
    /// The layers it meets, one bit each. Default: all.
    pub mask: u32,
}

impl Default for Layers {
    fn default() -> Self {
        Self { layers: 1, mask: Self::ALL }
    }
}

impl Layers {
    /// All layers.
    pub const ALL: u32 = u32::MAX;

    /// In these layers, meeting those.
    pub const fn new(layers: u32, mask: u32) -> Self {
        Self { layers, mask }
    }

    /// Whether each of the two meets a layer the other is in.
    pub const fn meets(self, other: Self) -> bool {
        self.layers & other.mask != 0 && other.layers & self.mask != 0
    }
}
