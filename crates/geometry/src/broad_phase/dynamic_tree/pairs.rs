//! Pairs from a descent into two subtrees at once: two nodes are entered together if their boxes overlap and a
//! leaf of at least one has moved.
//!
//! Whether two boxes overlap cannot be predicted, and a wrong guess costs the processor more than the test.
//! The descent therefore does not branch on the answer: every candidate is written to the stack, and the stack grows by
//! one or by nothing.

use super::node::Node;
use super::tree::{MAX_HEIGHT, Tree};
use crate::broad_phase::pairs::FoundPairs;
use crate::broad_phase::proxies::Proxies;

/// Pairs of nodes to be entered: each step takes one and leaves at most two that are one level lower, in one tree or
/// the other. One place more is written to, though not kept.
const STACK: usize = 3 * MAX_HEIGHT + 5;

impl Tree {
    /// The pairs within this tree with a moved member.
    pub(super) fn pairs_within(&self, proxies: &Proxies, found: &mut FoundPairs) {
        if self.len() > 0 {
            self.pairs_below(0, proxies, found, &mut [(0, 0); STACK]);
        }
    }

    fn pairs_below(&self, index: u32, proxies: &Proxies, found: &mut FoundPairs, stack: &mut [(u32, u32); STACK]) {
        let node = self.node(index);
        if let (true, Ok(first)) = (node.moved(), node.link()) {
            stack[0] = (first, first + 1);
            pairs_between(self, self, proxies, found, stack);
            self.pairs_below(first, proxies, found, stack);
            self.pairs_below(first + 1, proxies, found, stack);
        }
    }

    /// The pairs of one box here and one in `other` with a moved member.
    pub(super) fn pairs_with(&self, other: &Tree, proxies: &Proxies, found: &mut FoundPairs) {
        if self.len() > 0 && other.len() > 0 && (self.node(0).moved() || other.node(0).moved()) {
            pairs_between(self, other, proxies, found, &mut [(0, 0); STACK]);
        }
    }
}

/// The pairs with a moved member of one leaf below each of the two nodes at the bottom of the stack, which are not above one another.
fn pairs_between(
    tree_a: &Tree,
    tree_b: &Tree,
    proxies: &Proxies,
    found: &mut FoundPairs,
    stack: &mut [(u32, u32); STACK],
) {
    let promising = |a: &Node, b: &Node| usize::from((a.moved() | b.moved()) & a.overlaps(b));
    let (a, b) = stack[0];
    let mut count = promising(tree_a.node(a), tree_b.node(b));
    while count > 0 {
        count -= 1;
        let (a, b) = stack[count];
        let (node_a, node_b) = (tree_a.node(a), tree_b.node(b));
        match (node_a.link(), node_b.link()) {
            (Err(proxy_a), Err(proxy_b)) => {
                if node_a.surely_overlaps(node_b) || proxies.fat(proxy_a).overlaps(proxies.fat(proxy_b)) {
                    found.push(proxy_a, proxy_b);
                }
            }
            (Ok(first), Err(_)) => {
                for (child, index) in tree_a.siblings(first).iter().zip(first..) {
                    stack[count] = (index, b);
                    count += promising(child, node_b);
                }
            }
            (Err(_), Ok(first)) => {
                for (child, index) in tree_b.siblings(first).iter().zip(first..) {
                    stack[count] = (a, index);
                    count += promising(node_a, child);
                }
            }
            (Ok(first_a), Ok(first_b)) => {
                let ([a0, a1], [b0, b1]) = (tree_a.siblings(first_a), tree_b.siblings(first_b));
                for (a, b, index_a, index_b) in [
                    (a0, b0, first_a, first_b),
                    (a0, b1, first_a, first_b + 1),
                    (a1, b0, first_a + 1, first_b),
                    (a1, b1, first_a + 1, first_b + 1),
                ] {
                    stack[count] = (index_a, index_b);
                    count += promising(a, b);
                }
            }
        }
    }
}
