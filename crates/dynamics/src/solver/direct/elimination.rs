//! Symbolic analysis: in which order to eliminate the unknowns of a sparse symmetric system, and what that leaves.
//!
//! The unknowns come in nodes, small dense groups (the rows between two bodies). Eliminating a node couples all its
//! neighbours with each other, so the order decides how much there is to compute: a chain eliminated from one end stays
//! a chain, eliminated from the middle it fills. Taking the node with the fewest neighbours next (minimum degree) finds the
//! ends of chains and the leaves of trees by itself, so these take linear time, and it is good for loops and meshes.

use std::collections::BTreeSet;
use std::ops::Range;

/// An order of elimination, and where the blocks of the factor lie in one list of numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elimination {
    /// The nodes in the order in which they are eliminated.
    pub(crate) columns: Vec<Column>,
    /// The blocks below the columns, column after column.
    pub(crate) below: Vec<Below>,
    /// How many unknowns there are.
    pub(crate) unknowns: usize,
    /// How many numbers the factor has.
    pub(crate) numbers: usize,
}

/// A node as a column of the factor.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Its first unknown.
    pub(crate) first: usize,
    /// How many unknowns it has.
    pub(crate) size: usize,
    /// Where its own block begins, row by row.
    pub(crate) own: usize,
    /// Which blocks are below it.
    pub(crate) below: Range<usize>,
    /// Where the numbers of these blocks lie: together, row by row.
    pub(crate) rows: Range<usize>,
}

/// The block that couples a column to a later one when its turn comes.
#[derive(Clone, Debug)]
pub(crate) struct Below {
    /// The place of the later node in the order. Ascending within a column.
    pub(crate) later: usize,
    /// Where the block begins: the rows of the later node by the columns of this one.
    pub(crate) start: usize,
}

impl Elimination {
    /// For nodes of these sizes, of which those in one group are all coupled to each other. None if the elimination would
    /// take more than `budget` multiplications.
    pub(crate) fn new(sizes: &[usize], groups: &[Vec<usize>], budget: f64) -> Option<Self> {
        let unknowns = |nodes: &BTreeSet<usize>| -> usize { nodes.iter().map(|&node| sizes[node]).sum() };
        let mut neighbours = vec![BTreeSet::new(); sizes.len()];
        let mut spent = 0.0;
        for group in groups {
            spent += (group.len() * group.len()) as f64;
            if spent > budget {
                return None;
            }
            for &node in group {
                neighbours[node].extend(group.iter().copied().filter(|&other| other != node));
            }
        }
        let mut degrees: Vec<usize> = neighbours.iter().map(unknowns).collect();
        let mut waiting: BTreeSet<(usize, usize)> = degrees.iter().copied().zip(0..).collect();
        let (mut order, mut coupled) = (Vec::with_capacity(sizes.len()), Vec::with_capacity(sizes.len()));
        while let Some((degree, node)) = waiting.pop_first() {
            let own = sizes[node] as f64;
            spent += own * (own + degree as f64) * (own + degree as f64);
            if spent > budget {
                return None;
            }
            let front = std::mem::take(&mut neighbours[node]);
            for &one in &front {
                neighbours[one].remove(&node);
                neighbours[one].extend(front.iter().copied().filter(|&other| other != one));
                waiting.remove(&(degrees[one], one));
                degrees[one] = unknowns(&neighbours[one]);
                waiting.insert((degrees[one], one));
            }
            order.push(node);
            coupled.push(front);
        }
        Some(Self::in_order(sizes, &order, &coupled))
    }

    /// Lays the blocks out for nodes that are eliminated in this order, each coupled to those nodes then.
    fn in_order(sizes: &[usize], order: &[usize], coupled: &[BTreeSet<usize>]) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        let mut first = vec![0; sizes.len()];
        (1..sizes.len()).for_each(|node| first[node] = first[node - 1] + sizes[node - 1]);
        let mut layout = Self { unknowns: sizes.iter().sum(), ..Self::default() };
        for (&node, front) in order.iter().zip(coupled) {
            let size = sizes[node];
            let (own, start, below) = (layout.numbers, layout.numbers + size * size, layout.below.len());
            layout.numbers = start;
            let mut later: Vec<usize> = front.iter().map(|&node| place[node]).collect();
            later.sort_unstable();
            for later in later {
                layout.below.push(Below { later, start: layout.numbers });
                layout.numbers += sizes[order[later]] * size;
            }
            let (below, rows) = (below..layout.below.len(), start..layout.numbers);
            layout.columns.push(Column { first: first[node], size, own, below, rows });
        }
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::Elimination;

    /// The couplings of a factor: how many pairs of nodes.
    fn fill(nodes: usize, groups: &[Vec<usize>]) -> usize {
        Elimination::new(&vec![3; nodes], groups, f64::INFINITY).unwrap().below.len()
    }

    #[test]
    fn chains_and_trees_do_not_fill() {
        // A chain whose nodes are numbered at random.
        let number = |k: usize| k * 37 % 101;
        let chain: Vec<Vec<usize>> = (0..100).map(|k| vec![number(k), number(k + 1)]).collect();
        assert_eq!(fill(101, &chain), 100);
        let tree: Vec<Vec<usize>> = (1..127).map(|k| vec![k, (k - 1) / 2]).collect();
        assert_eq!(fill(127, &tree), 126);
        // A loop of n needs one more coupling for every node on the way round but the last three.
        let ring: Vec<Vec<usize>> = (0..50).map(|k| vec![k, (k + 1) % 50]).collect();
        assert_eq!(fill(50, &ring), 50 + 47);
    }

    #[test]
    fn what_would_take_too_long_is_refused() {
        let hub = [(0..2000).collect::<Vec<_>>()];
        assert!(Elimination::new(&[5; 2000], &hub, 1e6).is_none());
        assert!(Elimination::new(&[5; 2000], &[], 1e6).is_some());
    }
}
