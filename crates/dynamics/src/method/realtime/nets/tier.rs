//! Elimination or sweeps: which islands with joints are worth eliminating.
//!
//! Bodies in a chain or a tree are eliminated one after the other, and each leaves one neighbour to update: three multiplications of blocks
//! for each joint, however many there are. In a net of n by n, neighbours of what was eliminated are connected among themselves, and the
//! cost for each joint grows with n: 7 for n = 5, 16 for n = 10, 35 for n = 20. The limit is [`MOST`]. It depends on who is joined to
//! whom and on nothing else, so an island is not solved one way now and the other way in the next step.

use super::super::exact::elimination_cost;
use crate::model::JointEnd;
use crate::{BodyId, JointId, Model};
use std::collections::BTreeMap;

/// The most multiplications of blocks for each joint.
const MOST: usize = 8;

/// Islands of more bodies than this with more than seven joints for four bodies are nets; finding the order in which to eliminate
/// them would take long.
const MANY: usize = 400;

/// How many islands are remembered; beyond that, all are forgotten.
const ISLANDS: usize = 4096;

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub(in crate::method::realtime) struct Tiers {
    /// By the first joint of an island.
    known: BTreeMap<JointId, Known>,
}

#[derive(Clone, Debug)]
struct Known {
    joints: Vec<JointId>,
    eliminate: bool,
}

impl Tiers {
    /// Forgets everything: joints or bodies are not what they were.
    pub(in crate::method::realtime) fn clear(&mut self) {
        self.known.clear();
    }

    /// Whether the joints of an island are worth eliminating.
    pub(in crate::method::realtime) fn eliminate(&mut self, model: &Model, joints: &[JointId]) -> bool {
        let Some(first) = joints.first() else { return true };
        if let Some(known) = self.known.get(first).filter(|known| known.joints == joints) {
            return known.eliminate;
        }
        if self.known.len() >= ISLANDS {
            self.known.clear();
        }
        let eliminate = is_cheap(model, joints);
        self.known.insert(*first, Known { joints: joints.to_vec(), eliminate });
        eliminate
    }
}

fn is_cheap(model: &Model, joints: &[JointId]) -> bool {
    let mut numbers: BTreeMap<BodyId, u32> = BTreeMap::new();
    let mut edges = Vec::new();
    for joint in joints.iter().filter_map(|&id| model.joints().get(id)) {
        let ends = joint.ends.map(|end| match end {
            JointEnd::Body(id) if model.bodies().get(id).is_some_and(|body| body.kind.is_movable()) => {
                let next = numbers.len() as u32;
                Some(*numbers.entry(id).or_insert(next))
            }
            _ => None,
        });
        if let [Some(a), Some(b)] = ends {
            edges.push([a.min(b), a.max(b)]);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let count = numbers.len();
    if count > MANY && 4 * edges.len() > 7 * count {
        return false;
    }
    elimination_cost(count, &edges, MOST * joints.len()).is_some()
}
