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
    /// The orders of elimination found so far; none where it would take more multiplications than the budget of then.
    known: BTreeMap<Vec<u32>, (f64, Option<Elimination>)>,
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
        self.known.get(&self.nodes).and_then(|(_, elimination)| elimination.as_ref())
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
        if self.known.get(&self.nodes).is_some_and(|(of_then, _)| *of_then == budget) {
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
        self.known.insert(self.nodes.clone(), (budget, Elimination::new(&sizes, &groups, budget)));
    }
}
