//! Graph colouring: contacts that share no moving body have the same colour and can be solved side by side, in lanes or
//! threads, as if one after the other.
//!
//! Greedy, in the order of the contacts, so that the colours depend on nothing else. Contacts with what nothing moves are given the
//! last colours: what the floor says is heard last.

use std::ops::Range;

/// How many colours there are; contacts beyond that go one by one.
const COLOURS: u32 = 63;

/// The colours of contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// By number of a body: which colours its contacts have, one bit each.
    used: Vec<u64>,
}

/// The colour of contacts that are solved one by one.
pub(super) const NONE: u32 = COLOURS;

impl Colours {
    /// Starts anew with so many bodies.
    pub(super) fn reset(&mut self, bodies: usize) {
        self.used.clear();
        self.used.resize(bodies, 0);
    }

    /// The colour of the next contact, between two bodies that are moved or not.
    pub(super) fn next(&mut self, bodies: [u32; 2], moved: [bool; 2]) -> u32 {
        let of = |side: usize| if moved[side] { self.used[bodies[side] as usize] } else { 0 };
        let used = of(0) | of(1);
        let free = !used & ((1 << COLOURS) - 1);
        if free == 0 {
            return NONE;
        }
        let colour = if moved[0] && moved[1] { free.trailing_zeros() } else { 63 - free.leading_zeros() };
        for side in (0..2).filter(|&side| moved[side]) {
            self.used[bodies[side] as usize] |= 1 << colour;
        }
        colour
    }
}

/// A run of blocks that can be solved side by side; one after the other if it is `serial`.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) range: Range<usize>,
    pub(super) serial: bool,
}

/// The blocks of each colour.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    list: Vec<Span>,
    colours: Vec<u8>,
}

impl Spans {
    /// Puts contacts of these colours into blocks of `lanes`, each of one colour; those without a colour go one by one. `places`
    /// become the number of the block times `lanes`, plus the lane. How many blocks there are.
    pub(super) fn arrange(&mut self, colours: impl Iterator<Item = u32>, lanes: u32, places: &mut Vec<u32>) -> usize {
        let mut counts = [0; COLOURS as usize + 1];
        self.colours.clear();
        self.colours.extend(colours.inspect(|&colour| counts[colour as usize] += 1).map(|colour| colour as u8));
        self.list.clear();
        let mut blocks = 0;
        let mut next = [0; COLOURS as usize + 1];
        for (colour, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let serial = colour == NONE as usize;
            let size = if serial { count } else { u32::div_ceil(count, lanes) };
            next[colour] = blocks * lanes;
            self.list.push(Span { range: blocks as usize..(blocks + size) as usize, serial });
            blocks += size;
        }
        places.clear();
        places.extend(self.colours.iter().map(|&colour| {
            let next = &mut next[usize::from(colour)];
            let place = *next;
            *next += if u32::from(colour) == NONE { lanes } else { 1 };
            place
        }));
        blocks as usize
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Span> {
        self.list.iter()
    }

    /// How many colours there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contact_has_a_place_of_its_own_in_a_block_of_its_colour() {
        let mut random = fastrand::Rng::with_seed(2);
        let colours: Vec<u32> = (0..500).map(|_| random.u32(58..=NONE)).collect();
        let (mut spans, mut places) = (Spans::default(), Vec::new());
        let blocks = spans.arrange(colours.iter().copied(), 8, &mut places);
        let mut taken = vec![false; 8 * blocks];
        for (&colour, &place) in colours.iter().zip(&places) {
            assert!(!std::mem::replace(&mut taken[place as usize], true));
            let span = spans.iter().find(|span| span.range.contains(&(place as usize / 8))).unwrap();
            assert_eq!(span.serial, colour == NONE);
            assert!(colour != NONE || place % 8 == 0);
        }
        assert_eq!(spans.len(), 6);
    }

    #[test]
    fn contacts_of_one_colour_share_no_body() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut colours = Colours::default();
        colours.reset(50);
        let mut found: Vec<(u32, u32)> = Vec::new();
        for _ in 0..1000 {
            let (a, b) = (random.u32(0..50), random.u32(1..50));
            if a != b {
                let colour = colours.next([a, b], [a != 0, true]);
                let bodies = [a, b].into_iter().filter(|&body| body != 0);
                for body in bodies.filter(|_| colour != NONE) {
                    assert!(!found.contains(&(colour, body)), "{colour} {body}");
                    found.push((colour, body));
                }
            }
        }
        assert!(found.len() > 100);
    }
}
