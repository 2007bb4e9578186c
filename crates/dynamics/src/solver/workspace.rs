//! What a solver keeps from solve to solve: memory to work in, and what it has found out about the structure of problems.
//!
//! None of it shows in results: a solver with an empty workspace gives the same bits as one that has worked for hours.

use super::block::Blocks;
use super::direct::{Holding, Joints};
use super::sweeps::Momentum;
use super::system::System;
use crate::Cancel;

/// Memory that a solver works in. Empty by default; a copy is empty too, and all are equal, because it means nothing.
#[derive(Default)]
pub struct Workspace {
    pub(super) system: System,
    pub(super) blocks: Blocks,
    pub(super) momentum: Momentum,
    pub(super) joints: Joints,
    pub(super) holding: Holding,
    /// Who may end the sweeps before their end.
    pub(super) cancel: Cancel,
}

impl Clone for Workspace {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Workspace {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Workspace")
    }
}
