//! Energy that came out of nothing, told without a flood: the first time at once, the rest summed up at the end.

use serde::Serialize;
use tumble_dynamics::World;
use tumble_dynamics::event::EnergyEvent;

/// What helps against energy out of nothing.
const ADVICE: &str = "take shorter steps";

/// What the [energy watch](World::set_energy_watch) told in a run. Nothing if nobody watches.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EnergyTally {
    /// How often it told.
    pub times: u64,
    /// How much came out of nothing, in joules.
    pub joules: f64,
    /// When it told first and last, in seconds.
    pub span: [f64; 2],
    /// The most that was told at once, in joules.
    pub most: f64,
    /// The bodies that gained most then.
    pub bodies: Vec<String>,
}

impl EnergyTally {
    /// Adds what the last step of a world told. Whether that was the first time.
    pub fn note(&mut self, world: &World) -> bool {
        let was_silent = self.times == 0;
        for event in &world.events().energy {
            self.add(world, event);
        }
        was_silent && self.times > 0
    }

    fn add(&mut self, world: &World, event: &EnergyEvent) {
        let name = |id| Some(world.body(id).ok()?.model().name.clone()).filter(|name| !name.is_empty());
        self.span = [if self.times == 0 { event.time } else { self.span[0] }, event.time];
        self.times += 1;
        self.joules += event.excess;
        // An energy that is no number counts as the most.
        if self.times == 1 || event.excess > self.most || event.excess.is_nan() {
            self.most = event.excess;
            self.bodies = event.bodies.into_iter().flatten().filter_map(name).collect();
        }
    }

    /// All of it in one sentence; none if there is nothing to warn of.
    pub fn warning(&self) -> Option<String> {
        let (times, [first, last]) = (self.times, self.span);
        let (all, most, place) = (amount(self.joules), amount(self.most), self.place());
        match times {
            0 => None,
            1 => Some(format!("by {first:.3} s, {all} came out of nothing{place}: {ADVICE}")),
            _ => Some(format!(
                "{all} came out of nothing, noticed {times} times from {first:.3} s to {last:.3} s, at most {most}{place}: {ADVICE}"
            )),
        }
    }

    fn place(&self) -> String {
        let names: Vec<String> = self.bodies.iter().map(|name| format!("{name:?}")).collect();
        if names.is_empty() { String::new() } else { format!(", mostly in {}", names.join(", ")) }
    }
}

/// Joules with about three digits.
fn amount(joules: f64) -> String {
    match joules.abs() {
        size if (100.0..1e6).contains(&size) => format!("{joules:.0} J"),
        size if (0.1..100.0).contains(&size) => format!("{joules:.2} J"),
        _ => format!("{joules:.2e} J"),
    }
}
