//! Pairs from a descent into two subtrees at once: two nodes are entered together if their boxes overlap and a
//! leaf of at least one has moved.
//!
//! Whether two boxes overlap cannot be predicted, and a wrong guess costs the processor more than the test.
//! The descent therefore does not branch on the answer: every candidate is written to the stack, and the stack grows by
//! one or by nothing.
//!
//! For several workers the descent is cut into pieces a few levels below the roots, and every worker takes each so-manyeth of them.

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
        if let (true, false, Ok(first)) = (node.moved(), found.is_full(), node.link()) {
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

/// How many pieces each worker gets at least, as long as there are so many.
const PIECES: usize = 16;
/// How many levels below the roots the descent is cut at most.
const LEVELS: usize = 12;

/// A piece of the descent.
#[derive(Clone, Copy)]
enum Piece {
    /// The pairs below one node.
    Below(u32),
    /// The pairs of one leaf below each of two nodes.
    Between(u32, u32),
}

impl Tree {
    /// Part of [`pairs_within`](Self::pairs_within): of so many, this one.
    pub(super) fn part_of_pairs_within(
        &self,
        proxies: &Proxies,
        (part, parts): (usize, usize),
        found: &mut FoundPairs,
    ) {
        let root = (self.len() > 0).then_some(Piece::Below(0));
        self.do_part(self, root, proxies, (part, parts), found);
    }

    /// Part of [`pairs_with`](Self::pairs_with).
    pub(super) fn part_of_pairs_with(
        &self,
        other: &Tree,
        proxies: &Proxies,
        (part, parts): (usize, usize),
        found: &mut FoundPairs,
    ) {
        let roots = (self.len() > 0 && other.len() > 0).then_some(Piece::Between(0, 0));
        self.do_part(other, roots, proxies, (part, parts), found);
    }

    fn do_part(
        &self,
        other: &Tree,
        whole: Option<Piece>,
        proxies: &Proxies,
        (part, parts): (usize, usize),
        found: &mut FoundPairs,
    ) {
        let mut pieces = Vec::from_iter(whole);
        for _ in 0..LEVELS {
            if pieces.is_empty() || pieces.len() >= PIECES * parts {
                break;
            }
            let mut smaller = Vec::new();
            pieces.iter().for_each(|&piece| self.cut(other, piece, &mut smaller));
            pieces = smaller;
        }
        let mut stack = [(0, 0); STACK];
        for piece in pieces.into_iter().skip(part).step_by(parts.max(1)) {
            match piece {
                Piece::Below(index) => self.pairs_below(index, proxies, found, &mut stack),
                Piece::Between(a, b) => {
                    stack[0] = (a, b);
                    pairs_between(self, other, proxies, found, &mut stack);
                }
            }
        }
    }

    /// What a piece consists of, one level lower; two leaves stay as they are.
    fn cut(&self, other: &Tree, piece: Piece, smaller: &mut Vec<Piece>) {
        match piece {
            Piece::Below(index) => {
                let node = self.node(index);
                if let (true, Ok(first)) = (node.moved(), node.link()) {
                    smaller.extend([Piece::Below(first), Piece::Below(first + 1), Piece::Between(first, first + 1)]);
                }
            }
            Piece::Between(a, b) => {
                let (node_a, node_b) = (self.node(a), other.node(b));
                if !(node_a.moved() | node_b.moved()) || !node_a.overlaps(node_b) {
                    return;
                }
                match (node_a.link(), node_b.link()) {
                    (Err(_), Err(_)) => smaller.push(piece),
                    (Ok(first), Err(_)) => smaller.extend([first, first + 1].map(|a| Piece::Between(a, b))),
                    (Err(_), Ok(first)) => smaller.extend([first, first + 1].map(|b| Piece::Between(a, b))),
                    (Ok(fa), Ok(fb)) => {
                        let children = [(fa, fb), (fa, fb + 1), (fa + 1, fb), (fa + 1, fb + 1)];
                        smaller.extend(children.map(|(a, b)| Piece::Between(a, b)));
                    }
                }
            }
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
                    if found.is_full() {
                        return;
                    }
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
