//! The choice between the implementations as data: by name, and as one type that can be saved.

use super::{BroadPhase, BruteForce, DynamicTree, FatMargin, HashGrid, KdTree, SweepAndPrune};
use std::ops::{Deref, DerefMut};

/// Which implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BroadPhaseKind {
    /// [`BruteForce`].
    BruteForce,
    /// [`HashGrid`] with an automatic cell size.
    HashGrid,
    /// [`KdTree`].
    KdTree,
    /// [`SweepAndPrune`].
    SweepAndPrune,
    /// [`DynamicTree`], the default.
    #[default]
    DynamicTree,
}

impl BroadPhaseKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::BruteForce, Self::HashGrid, Self::KdTree, Self::SweepAndPrune, Self::DynamicTree];

    /// An empty broad phase of this kind.
    pub fn build(self, margin: FatMargin) -> AnyBroadPhase {
        match self {
            Self::BruteForce => AnyBroadPhase::BruteForce(BruteForce::new(margin)),
            Self::HashGrid => AnyBroadPhase::HashGrid(HashGrid::new(margin)),
            Self::KdTree => AnyBroadPhase::KdTree(KdTree::new(margin)),
            Self::SweepAndPrune => AnyBroadPhase::SweepAndPrune(SweepAndPrune::new(margin)),
            Self::DynamicTree => AnyBroadPhase::DynamicTree(DynamicTree::new(margin)),
        }
    }
}

/// A broad phase of any of the five kinds, for a world that is saved and restored; use it as the [`BroadPhase`] it
/// dereferences to. A clone and a restored copy go on exactly as the original does.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(clippy::large_enum_variant, reason = "a world has one of them, not a list")]
pub enum AnyBroadPhase {
    /// Compares all boxes.
    BruteForce(BruteForce),
    /// Cells of equal size.
    HashGrid(HashGrid),
    /// Splitting planes.
    KdTree(KdTree),
    /// Boxes sorted along an axis.
    SweepAndPrune(SweepAndPrune),
    /// A hierarchy of boxes.
    DynamicTree(DynamicTree),
}

impl Default for AnyBroadPhase {
    fn default() -> Self {
        BroadPhaseKind::default().build(FatMargin::default())
    }
}

impl AnyBroadPhase {
    /// Which one it is.
    pub fn kind(&self) -> BroadPhaseKind {
        match self {
            Self::BruteForce(_) => BroadPhaseKind::BruteForce,
            Self::HashGrid(_) => BroadPhaseKind::HashGrid,
            Self::KdTree(_) => BroadPhaseKind::KdTree,
            Self::SweepAndPrune(_) => BroadPhaseKind::SweepAndPrune,
            Self::DynamicTree(_) => BroadPhaseKind::DynamicTree,
        }
    }
}

impl Deref for AnyBroadPhase {
    type Target = dyn BroadPhase;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::BruteForce(space) => space,
            Self::HashGrid(space) => space,
            Self::KdTree(space) => space,
            Self::SweepAndPrune(space) => space,
            Self::DynamicTree(space) => space,
        }
    }
}

impl DerefMut for AnyBroadPhase {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::BruteForce(space) => space,
            Self::HashGrid(space) => space,
            Self::KdTree(space) => space,
            Self::SweepAndPrune(space) => space,
            Self::DynamicTree(space) => space,
        }
    }
}
