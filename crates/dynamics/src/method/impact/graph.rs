//! The contact graph (H 5.4): in which order contacts are handled, and who is backed up.
//!
//! Nodes are bodies, edges are pairs that touch; all immovable bodies together are one node. Handled breadth first from there, each pair has a
//! near end, which is held by what was handled before, and a far end, which gives way; so nothing is pushed into the floor. Without
//! an immovable body the search starts anywhere. A pair that closes a cycle has two ends that were placed already, the far one by somebody else:
//! neither may simply be backed into its neighbours, so both give way, and the pairs are gone through again. Two bodies that touch with several
//! shapes have several pairs, and these are one edge: it closes no cycle.

/// A pair that touches, with its ends in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::method) struct Edge {
    /// The number of the pair.
    pub(in crate::method) pair: usize,
    /// Which of its two bodies is the far one: 0 or 1; none if it closes a cycle.
    pub(in crate::method) far: Option<usize>,
}

/// The pairs in the order of a breadth-first search. `bodies` are the ends of the pairs, `movable` says who moves.
pub(in crate::method) fn breadth_first(
    slots: usize,
    bodies: &[(usize, [usize; 2])],
    movable: impl Fn(usize) -> bool,
) -> Vec<Edge> {
    const FAR: u32 = u32::MAX;
    // The node of everything immovable.
    const GROUND: usize = usize::MAX;
    let node_of = |slot: usize| if movable(slot) { slot } else { GROUND };
    let mut level = vec![FAR; slots];
    // From which node a body was reached first.
    let mut placed_by: Vec<Option<usize>> = vec![None; slots];
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); slots];
    for (edge, (_, ends)) in bodies.iter().enumerate() {
        ends.iter().for_each(|&end| neighbors[end].push(edge));
    }
    let mut done = vec![false; bodies.len()];
    let mut order = Vec::with_capacity(bodies.len());
    let immovable: Vec<usize> = (0..slots).filter(|&slot| !movable(slot) && !neighbors[slot].is_empty()).collect();
    immovable.iter().for_each(|&slot| level[slot] = 0);
    let mut queue = immovable;
    let mut next = 0;
    loop {
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &edge in &neighbors[node] {
                if std::mem::replace(&mut done[edge], true) {
                    continue;
                }
                let (pair, ends) = bodies[edge];
                let far = usize::from(ends[0] == node);
                let other = ends[far];
                let is_new = level[other] == FAR;
                if is_new {
                    level[other] = level[node] + 1;
                    placed_by[other] = Some(node_of(node));
                    queue.push(other);
                }
                let closes_no_cycle = placed_by[other] == Some(node_of(node));
                order.push(Edge { pair, far: closes_no_cycle.then_some(far) });
            }
        }
        // Another part of the graph, without a floor: any node will do.
        match (0..slots).find(|&slot| level[slot] == FAR && !neighbors[slot].is_empty()) {
            Some(slot) => {
                level[slot] = 0;
                queue.push(slot);
            }
            None => return order,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stack of three on the floor with a plank across the upper two: outward from the floor, and the last pair closes the cycle.
    #[test]
    fn contacts_are_handled_outward_from_what_does_not_move() {
        let pairs = [(10, [3, 2]), (11, [2, 1]), (12, [0, 1]), (13, [2, 4]), (14, [3, 4])];
        let order = breadth_first(5, &pairs, |slot| slot != 0);
        let pairs: Vec<usize> = order.iter().map(|edge| edge.pair).collect();
        assert_eq!(pairs, [12, 11, 10, 13, 14]);
        let far: Vec<Option<usize>> = order.iter().map(|edge| edge.far).collect();
        assert_eq!(far, [Some(1), Some(0), Some(0), Some(1), None]);
    }

    /// A chain of two links that touch with two shapes each, the first against floor and wall: nobody is shared.
    #[test]
    fn several_pairs_of_the_same_bodies_close_no_cycle() {
        let pairs = [(0, [0, 2]), (1, [1, 2]), (2, [2, 3]), (3, [3, 2])];
        let order = breadth_first(4, &pairs, |slot| slot > 1);
        let far: Vec<Option<usize>> = order.iter().map(|edge| edge.far).collect();
        assert_eq!(far, [Some(1), Some(1), Some(1), Some(0)]);
    }

    #[test]
    fn parts_without_a_floor_are_handled_too() {
        let order = breadth_first(4, &[(0, [2, 3]), (1, [0, 1])], |_| true);
        assert_eq!(order.len(), 2);
        assert!(order.iter().all(|edge| edge.far.is_some()));
    }
}
