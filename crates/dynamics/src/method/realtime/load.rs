//! Substeps by load: heaps in which something heavy lies on something light take more of them.
//!
//! A soft contact gives way by what it bears over its stiffness. That is `s ∝ ρ h²` for the ratio ρ of what the contact bears to the weight of
//! the lighter of its bodies: smaller substeps are the cure, and more sweeps are not. For overlaps of no more than δ, a step of n₀ substeps
//! in which contacts give way by g for each unit of ρ becomes one of
//!
//! ```text
//! n = n₀ √(ρ g/δ) substeps,   ρ = max F / (m g).
//! ```
//!
//! ρ follows at once when it rises and falls slowly. **n is sticky**: with another n, contacts give way by another distance, and the heap
//! moves; a heap in which n went to and fro between two numbers would never come to rest.
//!
//! While things crash about, impacts make ρ large, and many substeps then cost more than they help: there are no more than twice the usual
//! number. What helps then is to look at the contacts more often, since a body that turns grows into its neighbours from one look to the
//! next. Where nothing moves by much, one look is enough.

use super::RealtimeSettings;
use serde::{Deserialize, Serialize};

/// At [`USUAL`] substeps in a step contacts give way by so many millimetres for each unit of ρ.
const GIVES_WAY: f64 = 0.07;
const USUAL: f64 = 8.0;

/// By how many millimetres they may. Where masses differ by much, what is heavy sinks into all that is below it, and each contact gives
/// way by the same; where they do not, ρ is the number of bodies that lie on one another, and few contacts bear the most.
const STRICT: f64 = 1.5;
const MILD: f64 = 6.0;

/// The fewest substeps that heaps take in a step; and large ones in which masses do not differ by much: a tower of twenty in the middle
/// of them sags by less than two centimetres.
const FEWEST: f64 = 5.0;
const FEWEST_MILD: f64 = 8.0;

/// A number of substeps is kept while what is wanted lies between this part of it and all of it; a new one has this much in reserve.
/// After a while, which becomes twice as long each time, less is enough to change it.
const STICKY: f64 = 0.5;
const LOOSE: f64 = 0.8;
const PATIENCE: u16 = 20;
const RESERVE: f64 = 1.15;

/// The part by which ρ falls from one look at the contacts to the next.
const FALLS: f64 = 0.05;

/// In a crash no more than this is taken note of, in m/s²: it makes for twice the usual number of substeps under our gravity.
const MOST_IN_A_CRASH: f64 = 4.0 * STRICT / GIVES_WAY * 9.81;

/// What is faster than this, in m/s, crashes about.
pub(super) const CRASH: f64 = 1.0;

/// One look at the contacts is enough for a step in which no pair moves by more than the first part of its size. Where heaps crash about
/// and a pair moves by more than the second, contacts are looked at [`LOOKS`] times as often as usual.
const SLOW: f64 = 0.05;
pub(super) const FAST: f64 = 0.2;
const LOOKS: u32 = 2;

/// What a pair has to bear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Burden {
    /// The force over the mass of the lighter body, in m/s².
    heaviest: f64,
    /// In how many substeps its island was swept in a step, for how many looks at the contacts that has been so, and for how many it is
    /// not to be fewer.
    substeps: f64,
    age: u16,
    patience: u16,
    /// Whether its island crashes about.
    #[serde(skip)]
    pub(super) crashes: bool,
}

impl Burden {
    /// Takes note of how often its island was swept from one of so many looks to the next.
    pub(super) fn swept(&mut self, substeps: u32, rhythm: &Rhythm) {
        let in_a_step = f64::from(substeps) * f64::from(rhythm.refreshes);
        match in_a_step == self.substeps {
            true => self.age = self.age.saturating_add(1),
            false => (self.age, self.patience) = (0, self.patience.saturating_mul(2).max(PATIENCE)),
        }
        self.substeps = in_a_step;
    }

    /// Takes note of a force over the mass of the lighter body.
    pub(super) fn follow(&mut self, found: f64) {
        let found = if self.crashes { found.min(MOST_IN_A_CRASH) } else { found };
        // What is no number is taken for none.
        let rises = found > self.heaviest;
        self.heaviest = if rises { found } else { (self.heaviest + FALLS * (found - self.heaviest)).max(0.0) };
    }
}

/// How heaps fare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Load {
    /// Whether heaps of more than a few contacts crash about.
    pub(super) crashes: bool,
}

/// How a step is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rhythm {
    /// How often contacts are looked at.
    pub(super) refreshes: u32,
    /// The substeps in between, of exact islands and what is free.
    pub(super) substeps: u32,
    /// By how much of its size the liveliest pair moves in the step, where nothing moves by much; as good as nothing in a calm.
    pub(super) stir: Option<f64>,
}

impl Load {
    /// How the next step is divided, in which the liveliest pair moves by `motion` of its size.
    pub(super) fn rhythm(&self, settings: &RealtimeSettings, motion: f64) -> Rhythm {
        let (refreshes, substeps) = (settings.refreshes.max(1), settings.substeps.max(1));
        let stir = (motion <= SLOW).then_some(if motion <= 0.5 * settings.keep { 0.0 } else { motion });
        if motion <= SLOW {
            Rhythm { refreshes: 1, substeps: refreshes * substeps, stir }
        } else if motion <= FAST || !self.crashes {
            Rhythm { refreshes, substeps, stir }
        } else {
            Rhythm { refreshes: refreshes * LOOKS, substeps: substeps.div_ceil(LOOKS), stir }
        }
    }
}

/// The number of substeps of an island from one look at the contacts to the next, where forces accelerate by no more than `gravity`
/// and masses do not differ by much if it `is_mild`.
pub(super) fn substeps<'a>(
    burdens: impl Iterator<Item = &'a Burden>,
    (gravity, is_mild): (f64, bool),
    rhythm: &Rhythm,
    settings: &RealtimeSettings,
) -> u32 {
    let (mut heaviest, mut known, mut sticky) = (0.0_f64, 0.0_f64, STICKY);
    for burden in burdens {
        heaviest = heaviest.max(burden.heaviest);
        if burden.substeps > known {
            known = burden.substeps;
            sticky = if burden.age > burden.patience { LOOSE } else { STICKY };
        }
    }
    let (may_give, fewest) = if is_mild { (MILD, FEWEST_MILD) } else { (STRICT, FEWEST) };
    let wanted = (USUAL * (GIVES_WAY / may_give * heaviest / gravity.max(1.0)).sqrt()).max(fewest);
    let is_kept = (sticky * known..=known).contains(&wanted);
    let in_a_step = if is_kept { known } else { (RESERVE * wanted).ceil() };
    let looks = f64::from(rhythm.refreshes);
    (in_a_step.min(f64::from(u32::MAX)) / looks).ceil().min(f64::from(settings.most_substeps)).max(1.0) as u32
}
