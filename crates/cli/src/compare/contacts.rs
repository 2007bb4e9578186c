//! Where two runs part: the first contact that one of them has and the other has not.
//!
//! The contacts of a run are told as they begin. Those of the same two bodies are matched in their order, the first with the first; two
//! that began within a few steps of each other are the same.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use tumble_dynamics::event::Phase;
use tumble_dynamics::{BodyId, World};

/// Contacts that begin within so many steps of the coarser run are the same.
const STEPS: f64 = 4.0;

/// When contacts began in a run, by the bodies that touch.
#[derive(Debug, Default)]
pub(super) struct Begins {
    of_pair: BTreeMap<[BodyId; 2], Vec<f64>>,
}

/// A contact that only one run has, or that began at quite another time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parting {
    pub(super) bodies: [BodyId; 2],
    /// Which of the contacts of these two bodies it is, from 1.
    pub(super) number: usize,
    /// When it begins in the first run and in the other; none if it never does.
    pub(super) times: [Option<f64>; 2],
}

impl Begins {
    /// Notes what began in the last step.
    pub(super) fn note(&mut self, world: &World) {
        for event in world.events().contacts.iter().filter(|event| event.phase == Phase::Begin) {
            let mut bodies = event.bodies;
            bodies.sort_unstable();
            self.of_pair.entry(bodies).or_default().push(event.time);
        }
    }

    /// The first contact that another run has not, or has at quite another time. `step` is the longer of the two steps, in seconds;
    /// what begins in the last moments before `end` may be missing in the other.
    pub(super) fn parting(&self, other: &Self, step: f64, end: f64) -> Option<Parting> {
        let width = STEPS * step;
        let none = Vec::new();
        let mut first: Option<Parting> = None;
        for bodies in self.of_pair.keys().chain(other.of_pair.keys()) {
            let [a, b] = [self, other].map(|run| run.of_pair.get(bodies).unwrap_or(&none));
            for number in 0..a.len().max(b.len()) {
                let times = [a.get(number).copied(), b.get(number).copied()];
                let same = match times {
                    [Some(a), Some(b)] => (a - b).abs() <= width,
                    [Some(alone), None] | [None, Some(alone)] => alone > end - width,
                    [None, None] => true,
                };
                if !same {
                    let found = Parting { bodies: *bodies, number: number + 1, times };
                    if first.as_ref().is_none_or(|first| found.time() < first.time()) {
                        first = Some(found);
                    }
                    break;
                }
            }
        }
        first
    }
}

impl Parting {
    /// When the runs part.
    pub(super) fn time(&self) -> f64 {
        self.times.into_iter().flatten().fold(f64::INFINITY, f64::min)
    }

    /// In words, given the names of the runs.
    pub(super) fn tell(&self, world: &World, labels: [&str; 2]) -> String {
        let [a, b] = self.names(world);
        let when = |k: usize| match self.times[k] {
            Some(time) => format!("at {time:.6} s with {}", labels[k]),
            None => format!("never with {}", labels[k]),
        };
        format!("contact {} of {a} and {b} begins {}, {}", self.number, when(0), when(1))
    }

    pub(super) fn to_json(&self, world: &World) -> Value {
        json!({ "bodies": self.names(world), "number": self.number, "times": self.times })
    }

    fn names(&self, world: &World) -> [String; 2] {
        self.bodies.map(|id| world.body(id).map_or_else(|_| "?".to_owned(), |body| body.model().name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_dynamics::Body;

    fn begins(list: &[([BodyId; 2], f64)]) -> Begins {
        let mut begins = Begins::default();
        list.iter().for_each(|&(pair, time)| begins.of_pair.entry(pair).or_default().push(time));
        begins
    }

    #[test]
    fn the_first_contact_that_differs_is_found() {
        let mut world = World::new();
        let ids: Vec<BodyId> =
            ["a", "b", "c"].iter().map(|name| world.add_body(Body::fixed().named(*name)).unwrap()).collect();
        let (ab, ac) = ([ids[0], ids[1]], [ids[0], ids[2]]);
        let one = begins(&[(ab, 0.1), (ac, 0.2), (ab, 0.5), (ac, 0.9)]);
        let same = begins(&[(ab, 0.101), (ac, 0.199), (ab, 0.502), (ac, 0.9)]);
        assert_eq!(one.parting(&same, 0.001, 1.0), None);
        // The second contact of a and b is missing, and that of a and c comes too late.
        let other = begins(&[(ab, 0.1), (ac, 0.2), (ac, 0.95)]);
        let parting = one.parting(&other, 0.001, 1.0).unwrap();
        assert_eq!(parting, Parting { bodies: ab, number: 2, times: [Some(0.5), None] });
        assert_eq!(parting.tell(&world, ["x", "y"]), "contact 2 of a and b begins at 0.500000 s with x, never with y");
        // What only the other has counts as well; what begins at the very end does not.
        let more = begins(&[(ab, 0.1), (ac, 0.2), (ac, 0.3), (ab, 0.5), (ac, 0.9)]);
        assert_eq!(one.parting(&more, 0.001, 1.0).unwrap().times, [Some(0.9), Some(0.3)]);
        let late = begins(&[(ab, 0.1), (ac, 0.2), (ab, 0.5), (ac, 0.9), (ab, 0.999)]);
        assert_eq!(one.parting(&late, 0.001, 1.0), None);
    }
}
