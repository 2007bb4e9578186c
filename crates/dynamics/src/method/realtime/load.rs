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
use super::bodies::Bodies;
use serde::{Deserialize, Serialize};

/// Overlaps of soft contacts, in millimetres for each unit of ρ at the usual substeps.
const GIVES_WAY: f64 = 0.07;

/// The part by which ρ falls from one look at the contacts to the next.
const FALLS: f64 = 0.05;

/// What is faster than this, in m/s, crashes about.
pub(super) const CRASH: f64 = 1.0;

/// How much more often contacts are looked at while things crash about.
const LOOKS: u32 = 2;

/// What heaps have to bear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Load {
    /// ρ.
    ratio: f64,
    /// Whether things crash about.
    crashes: bool,
}

/// How a step is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rhythm {
    /// How often contacts are looked at.
    pub(super) refreshes: u32,
    /// The substeps in between, of exact islands and what is free.
    pub(super) substeps: u32,
}

impl Load {
    /// How the next step is divided, in which what is near each other hardly moves (`calm`) or does.
    pub(super) fn rhythm(&self, settings: &RealtimeSettings, calm: bool) -> Rhythm {
        let (refreshes, substeps) = (settings.refreshes.max(1), settings.substeps.max(1));
        match calm {
            true => Rhythm { refreshes: 1, substeps: refreshes * substeps },
            false if self.crashes => Rhythm { refreshes: refreshes * LOOKS, substeps: substeps.div_ceil(LOOKS) },
            false => Rhythm { refreshes, substeps },
        }
    }

    /// The number of substeps of heaps from one look at the contacts to the next.
    pub(super) fn substeps(&self, rhythm: &Rhythm, settings: &RealtimeSettings) -> u32 {
        let wanted = f64::from(rhythm.substeps) * (GIVES_WAY * self.ratio).sqrt();
        (wanted.ceil().min(f64::from(u32::MAX)) as u32).min(settings.most_substeps).max(rhythm.substeps)
    }

    /// Takes note of heaps that have been solved: the greatest force of a contact over the mass of the lighter of its bodies, in m/s²,
    /// and the square of the greatest speed.
    pub(super) fn follow(&mut self, [heaviest, fastest]: [f64; 2], bodies: &Bodies) {
        let gravity = bodies.list.iter().map(|body| body.acceleration.length_squared()).fold(1.0, f64::max).sqrt();
        let mut found = heaviest / gravity;
        self.crashes = fastest > CRASH * CRASH;
        if self.crashes {
            found = found.min(4.0 / GIVES_WAY);
        }
        // What is no number is taken for none.
        self.ratio = if found > self.ratio { found } else { (self.ratio + FALLS * (found - self.ratio)).max(0.0) };
    }
}
