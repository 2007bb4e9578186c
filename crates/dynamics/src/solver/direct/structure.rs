//! Which rows are between which bodies, and in which order that makes them be eliminated.
//!
//! The order of elimination depends on nothing else. It is found once for each such structure and used again in later steps, and
//! for all islands that are built alike.

use super::elimination::Elimination;
use crate::solver::system::System;
use std::collections::BTreeMap;

/// How many structures are remembered; beyond that, all are forgotten.
const STRUCTURES: usize = 256;

/// The structure of a system of rows, and those known so far.
#[derive(Debug, Default)]
pub(super) struct Structure {
    /// For each node, which is a run of rows between the same bodies: these bodies and the number of rows. Bodies are numbered
    /// from one in the order in which nodes touch them; those that nothing moves are zero.
    nodes: Vec<u32>,
    /// The numbers of the bodies of the system.
    numbers: Vec<u32>,
    /// What was found out so far.
    known: BTreeMap<Vec<u32>, Known>,
}

/// What is known of a structure.
#[derive(Debug)]
struct Known {
    budget: f64,
    /// The order of elimination; none where it would take more multiplications than the budget.
    elimination: Option<Elimination>,
    has_loops: bool,
}

impl Structure {
    /// Of no rows.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Takes over rows of a system and finds an order of elimination, if there is one within a budget of multiplications.
    pub(super) fn load(&mut self, system: &System, rows: &[usize], is_moved: impl Fn(usize) -> bool, budget: f64) {
        self.describe(system, rows, is_moved);
        self.analyse(budget);
    }

    /// The order of elimination.
    pub(super) fn elimination(&self) -> Option<&Elimination> {
        self.known.get(&self.nodes).and_then(|known| known.elimination.as_ref())
    }

    /// Whether the nodes connect bodies in loops, with each other or by way of what nothing moves.
    pub(super) fn has_loops(&self) -> bool {
        self.known.get(&self.nodes).is_some_and(|known| known.has_loops)
    }

    fn describe(&mut self, system: &System, rows: &[usize], is_moved: impl Fn(usize) -> bool) {
        self.nodes.clear();
        self.numbers.clear();
        self.numbers.resize(system.bodies.len(), 0);
        let mut last = None;
        let mut count = 0;
        for row in rows.iter().map(|&index| &system.rows[index]) {
            if last == Some(row.bodies) {
                if let Some(size) = self.nodes.last_mut() {
                    *size += 1;
                }
                continue;
            }
            last = Some(row.bodies);
            for body in row.bodies.map(|body| body as usize) {
                if is_moved(body) && self.numbers[body] == 0 {
                    count += 1;
                    self.numbers[body] = count;
                }
                self.nodes.push(self.numbers[body]);
            }
            self.nodes.push(1);
        }
    }

    fn analyse(&mut self, budget: f64) {
        if self.known.get(&self.nodes).is_some_and(|known| known.budget == budget) {
            return;
        }
        let nodes = || self.nodes.chunks_exact(3);
        let sizes: Vec<usize> = nodes().map(|node| node[2] as usize).collect();
        let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, node) in nodes().enumerate() {
            node[..2].iter().filter(|&&body| body > 0).for_each(|&body| groups.entry(body).or_default().push(number));
        }
        let groups: Vec<Vec<usize>> = groups.into_values().collect();
        if self.known.len() >= STRUCTURES {
            self.known.clear();
        }
        let elimination = Elimination::new(&sizes, &groups, budget);
        let has_loops = has_loops(nodes().map(|node| [node[0], node[1]]));
        self.known.insert(self.nodes.clone(), Known { budget, elimination, has_loops });
    }
}

/// Whether edges between numbered bodies form loops: whether one connects two that were connected before (union–find with path
/// halving).
fn has_loops(mut edges: impl Iterator<Item = [u32; 2]>) -> bool {
    let mut forest: Vec<u32> = Vec::new();
    edges.any(|edge| {
        let [a, b] = edge.map(|mut body| {
            forest.extend(forest.len() as u32..=body);
            while forest[body as usize] != body {
                forest[body as usize] = forest[forest[body as usize] as usize];
                body = forest[body as usize];
            }
            body
        });
        forest[a.max(b) as usize] = a.min(b);
        a == b
    })
}

#[cfg(test)]
mod tests {
    use super::has_loops;

    #[test]
    fn loops_are_found() {
        assert!(!has_loops([[0, 1], [1, 2], [0, 3], [3, 4], [4, 5]].into_iter()), "two chains that hang on the world");
        assert!(!has_loops([[4, 3], [2, 1], [3, 2]].into_iter()), "a chain in space");
        assert!(has_loops([[0, 1], [1, 2], [2, 0]].into_iter()), "a chain between two posts");
        assert!(has_loops([[1, 2], [3, 4], [2, 3], [4, 1]].into_iter()), "a ring in space");
        assert!(has_loops([[1, 2], [2, 3], [2, 1]].into_iter()), "two joints between two bodies");
    }
}
