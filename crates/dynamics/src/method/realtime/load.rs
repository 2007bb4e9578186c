//! Substeps by load: heaps in which something heavy lies on something light take more of them.
//!
//! A soft contact gives way by what it bears over its stiffness. That is `s ∝ ρ h²` for the ratio ρ of what the contact bears to the weight of
//! the lighter of its bodies: smaller substeps are the cure, and more sweeps are not. For overlaps of no more than a millimetre,
//!
//! ```text
//! n = n₀ √(0.07 ρ) substeps,   ρ = max F / (m g).
//! ```
//!
//! ρ follows at once when it rises and falls slowly. While things crash about, impacts make it large, and many substeps then cost more than
//! they help: there are no more than twice the usual number. What helps then is to look at the contacts more often, since a body that turns
//! grows into its neighbours from one look to the next. Where nothing moves, one look is enough.

use super::RealtimeSettings;
use serde::{Deserialize, Serialize};

/// Overlaps of soft contacts, in millimetres for each unit of ρ at the usual substeps.
const GIVES_WAY: f64 = 0.07;

/// The part by which ρ falls from one look at the contacts to the next.
const FALLS: f64 = 0.05;

/// In a crash no more than this is taken note of, in m/s²: it makes for twice the usual number of substeps under our gravity.
const MOST_IN_A_CRASH: f64 = 4.0 / GIVES_WAY * 9.81;

/// What is faster than this, in m/s, crashes about.
pub(super) const CRASH: f64 = 1.0;

/// How much more often contacts are looked at while things crash about.
const LOOKS: u32 = 2;

/// What a pair has to bear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Burden {
    /// The force over the mass of the lighter body, in m/s².
    heaviest: f64,
    /// Whether its island crashes about.
    #[serde(skip)]
    pub(super) crashes: bool,
}

impl Burden {
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
    /// Whether things crash about.
    pub(super) crashes: bool,
}

/// How a step is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rhythm {
    /// How often contacts are looked at.
    pub(super) refreshes: u32,
    /// The substeps in between, of exact islands and what is free.
    pub(super) substeps: u32,
    /// Whether nothing moves by much.
    pub(super) calm: bool,
}

impl Load {
    /// How the next step is divided, in which what is near each other hardly moves (`calm`) or does.
    pub(super) fn rhythm(&self, settings: &RealtimeSettings, calm: bool) -> Rhythm {
        let (refreshes, substeps) = (settings.refreshes.max(1), settings.substeps.max(1));
        match calm {
            true => Rhythm { refreshes: 1, substeps: refreshes * substeps, calm },
            false if self.crashes => Rhythm { refreshes: refreshes * LOOKS, substeps: substeps.div_ceil(LOOKS), calm },
            false => Rhythm { refreshes, substeps, calm },
        }
    }
}

/// The number of substeps of an island from one look at the contacts to the next, where forces accelerate by no more than `gravity`.
pub(super) fn substeps<'a>(
    burdens: impl Iterator<Item = &'a Burden>,
    gravity: f64,
    rhythm: &Rhythm,
    settings: &RealtimeSettings,
) -> u32 {
    let heaviest = burdens.map(|burden| burden.heaviest).fold(0.0, f64::max);
    let wanted = f64::from(rhythm.substeps) * (GIVES_WAY * heaviest / gravity.max(1.0)).sqrt();
    (wanted.ceil().min(f64::from(u32::MAX)) as u32).min(settings.most_substeps).max(rhythm.substeps)
}
