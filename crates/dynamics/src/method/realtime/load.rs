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
//! they help: there are no more than twice the usual number.

use super::bodies::Bodies;
use super::contact::Contact;

/// Overlaps of soft contacts, in millimetres for each unit of ρ at the usual substeps.
const GIVES_WAY: f64 = 0.07;

/// The part by which ρ falls from one look at the contacts to the next.
const FALLS: f64 = 0.05;

/// What is faster than this, in m/s, crashes about.
const CRASH: f64 = 1.0;

/// The number of substeps of heaps that have to bear ρ.
pub(super) fn substeps(load: f64, least: u32, most: u32) -> u32 {
    let wanted = f64::from(least) * (GIVES_WAY * load).sqrt();
    (wanted.ceil().min(f64::from(u32::MAX)) as u32).min(most).max(least)
}

/// ρ, which was `load`, after the heaps of these contacts have been solved.
pub(super) fn follow(load: f64, contacts: &[Contact], swept: &[u32], bodies: &Bodies) -> f64 {
    let gravity = bodies.list.iter().map(|body| body.acceleration.length()).fold(1.0, f64::max);
    let mut found: f64 = 0.0;
    let mut fastest: f64 = 0.0;
    for contact in swept.iter().map(|&number| &contacts[number as usize]) {
        let pair = contact.bodies.map(|number| &bodies.list[number as usize]);
        let lighter = pair[0].inverse_mass.max(pair[1].inverse_mass);
        found = found.max(contact.force() * lighter / gravity);
        fastest = fastest.max(pair[0].velocity.length_squared()).max(pair[1].velocity.length_squared());
    }
    if fastest > CRASH * CRASH {
        found = found.min(4.0 / GIVES_WAY);
    }
    // What is no number is taken for none.
    if found > load { found } else { (load + FALLS * (found - load)).max(0.0) }
}
