//! The contacts of each body: for every body the numbers of the links it takes part in, side by side in one list
//! (compressed rows), so that asking for them takes no search.

use crate::{BodyId, Id};

/// For every slot of a body, the numbers of its links.
#[derive(Clone, Debug, Default)]
pub struct Adjacency {
    /// Where the numbers of slot `i` begin; one more than there are slots.
    first: Vec<u32>,
    numbers: Vec<u32>,
}

impl Adjacency {
    /// Takes note of links between bodies, each with its number, among `slots` slots. Numbers come in the order of the links.
    pub fn rebuild(&mut self, slots: usize, links: impl Iterator<Item = (u32, [BodyId; 2])> + Clone) {
        self.rebuild_rows(slots, links.map(|(number, bodies)| (number, bodies.map(Id::slot))));
    }

    /// The same for bodies that are told by other numbers than their slots.
    pub fn rebuild_rows(&mut self, slots: usize, links: impl Iterator<Item = (u32, [usize; 2])> + Clone) {
        self.first.clear();
        self.first.resize(slots + 1, 0);
        let ends = || links.clone().flat_map(|(number, rows)| rows.map(|row| (number, row)));
        for (_, slot) in ends().filter(|&(_, slot)| slot < slots) {
            self.first[slot + 1] += 1;
        }
        for slot in 0..slots {
            self.first[slot + 1] += self.first[slot];
        }
        self.numbers.clear();
        self.numbers.resize(self.first[slots] as usize, 0);
        for (number, slot) in ends().filter(|&(_, slot)| slot < slots) {
            self.numbers[self.first[slot] as usize] = number;
            self.first[slot] += 1;
        }
        // Filling has moved every beginning to the next one's place.
        self.first.copy_within(0..slots, 1);
        self.first[0] = 0;
        debug_assert!(
            self.first.is_sorted() && self.first[slots] as usize == self.numbers.len(),
            "rows follow each other"
        );
    }

    /// The links of a body.
    pub fn of(&self, body: BodyId) -> &[u32] {
        self.row(body.slot())
    }

    /// The same for a body that is told by another number.
    pub fn row(&self, row: usize) -> &[u32] {
        let range = self.first.get(row).zip(self.first.get(row + 1));
        range.map_or(&[], |(&first, &end)| &self.numbers[first as usize..end as usize])
    }

    /// Forgets all links.
    pub fn clear(&mut self) {
        self.first.clear();
        self.numbers.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_search_finds() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut adjacency = Adjacency::default();
        for _ in 0..100 {
            let slots = random.usize(1..20);
            let mut body = || BodyId::new(random.u32(0..slots as u32), 0);
            let links: Vec<(u32, [BodyId; 2])> = (0..30).map(|number| (number * 3, [body(), body()])).collect();
            let links: Vec<_> = links.into_iter().filter(|(_, [a, b])| a != b).collect();
            adjacency.rebuild(slots, links.iter().copied());
            for slot in 0..slots as u32 + 2 {
                let id = BodyId::new(slot, 0);
                let searched = links.iter().filter(|(_, bodies)| bodies.contains(&id)).map(|(number, _)| number);
                assert!(adjacency.of(id).iter().eq(searched));
            }
        }
    }
}
