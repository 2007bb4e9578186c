//! Pairs from a descent into two subtrees at once: two nodes are entered together if their boxes overlap and a
//! leaf of at least one has moved.

use super::tree::{Node, Tree};
use crate::broad_phase::pairs::FoundPairs;

impl Tree {
    /// The pairs within this tree with a moved member.
    pub(super) fn pairs_within(&self, found: &mut FoundPairs) {
        if let Some(root) = self.root() {
            self.self_pairs(root, found);
        }
    }

    /// The pairs of one box here and one in `other` with a moved member.
    pub(super) fn pairs_with(&self, other: &Tree, found: &mut FoundPairs) {
        if let (Some(a), Some(b)) = (self.root(), other.root()) {
            cross_pairs(self, a, other, b, found);
        }
    }

    fn self_pairs(&self, node: &Node, found: &mut FoundPairs) {
        if let (true, Some(first)) = (node.moved, node.children()) {
            let (a, b) = (self.node(first), self.node(first + 1));
            self.self_pairs(a, found);
            self.self_pairs(b, found);
            cross_pairs(self, a, self, b, found);
        }
    }
}

fn cross_pairs(tree_a: &Tree, a: &Node, tree_b: &Tree, b: &Node, found: &mut FoundPairs) {
    if !(a.moved | b.moved) || !a.aabb.overlaps(&b.aabb) {
        return;
    }
    match (a.children(), b.children()) {
        (None, None) => {
            if let (Some(a), Some(b)) = (a.proxy(), b.proxy()) {
                found.push(a, b);
            }
        }
        (Some(first), None) => {
            for child in [first, first + 1] {
                cross_pairs(tree_a, tree_a.node(child), tree_b, b, found);
            }
        }
        (None, Some(first)) => {
            for child in [first, first + 1] {
                cross_pairs(tree_a, a, tree_b, tree_b.node(child), found);
            }
        }
        (Some(first_a), Some(first_b)) => {
            for child_a in [first_a, first_a + 1] {
                for child_b in [first_b, first_b + 1] {
                    cross_pairs(tree_a, tree_a.node(child_a), tree_b, tree_b.node(child_b), found);
                }
            }
        }
    }
}
