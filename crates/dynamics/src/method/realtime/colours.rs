//! Graph colouring: contacts that share no moving body have the same colour and can be solved side by side, in lanes or
//! threads, as if one after the other.
//!
//! Greedy, in the order of the contacts, so that the colours depend on nothing else. Contacts with what nothing moves are given the
//! last colours: what the floor says is heard last.

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

#[cfg(test)]
mod tests {
    use super::*;

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
