//! Storms of events, told without a flood: the first at once, the rest summed up at the end.

use serde::Serialize;
use tumble_dynamics::World;
use tumble_dynamics::event::StormEvent;

/// Stretches of a run that the accurate method did not follow event by event. Nothing for other methods.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StormTally {
    /// How many stretches.
    pub times: u64,
    /// How much of the time they are, in seconds.
    pub seconds: f64,
    /// When the first began and the last ended, in seconds.
    pub span: [f64; 2],
    /// Bodies that were involved, up to eight.
    pub bodies: Vec<String>,
    /// What happened, and what to change.
    pub advice: Vec<&'static str>,
}

impl StormTally {
    /// How many bodies are named.
    const MOST: usize = 8;

    /// Adds what the last step of a world told. Whether that was the first time.
    pub fn note(&mut self, world: &World) -> bool {
        let was_calm = self.times == 0;
        for storm in &world.events().storms {
            self.add(world, storm);
        }
        was_calm && self.times > 0
    }

    fn add(&mut self, world: &World, storm: &StormEvent) {
        self.span = [if self.times == 0 { storm.time } else { self.span[0] }, storm.until];
        self.times += 1;
        self.seconds += storm.until - storm.time;
        let advice = storm.cause.advice();
        if !self.advice.contains(&advice) {
            self.advice.push(advice);
        }
        for id in storm.bodies.into_iter().flatten() {
            let Ok(body) = world.body(id) else { continue };
            let name = &body.model().name;
            if self.bodies.len() < Self::MOST && !name.is_empty() && !self.bodies.contains(name) {
                self.bodies.push(name.clone());
            }
        }
    }

    /// All of it in one sentence; none if there is nothing to warn of.
    pub fn warning(&self) -> Option<String> {
        if self.times == 0 {
            return None;
        }
        let ([first, last], seconds) = (self.span, self.seconds);
        let names: Vec<String> = self.bodies.iter().map(|name| format!("{name:?}")).collect();
        let place = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        Some(format!(
            "between {first:.4} s and {last:.4} s, {seconds:.4} s were taken in small steps{place}: {}",
            self.advice.join("; ")
        ))
    }
}
