//! Heaps: islands of many contacts, eight contacts at once, soft, in small substeps (the "soft step" of Catto 2024, with the substeps of
//! Macklin 2019).
//!
//! **Soft contacts.** A contact that overlaps by s pushes back like a damped spring of frequency ω and damping ratio ζ, integrated
//! implicitly over the substep h: with a₁ = 2ζ + hω, a₂ = hω a₁, a₃ = 1/(1 + a₂)
//!
//! ```text
//! Δλ = −m_eff a₂a₃ (v_n + s ω/a₁) − a₃ λ,   λ ≥ 0.
//! ```
//!
//! A gap s > 0 is a speculative contact: it lets the surfaces approach by s and no more, `v_n ≥ −s/h`.
//!
//! **Relaxing.** What the springs pushed must not remain as velocity. After the bodies have moved, the contacts are solved once more
//! without springs, now with friction: so stacks neither bounce nor creep.
//!
//! **Two rounds in registers.** The rows of a patch are solved twice before its bodies are put back: bodies are read and written
//! once, and corners that fight over one box agree sooner ([`sweep`]).
//!
//! **Warm starting by body.** All impulses of the last substep act again at the beginning of the next. Their sum is kept for each
//! body ([`rows`]): what a substep's sweeps change of a velocity they change of the sum, so no pass over the contacts is needed.
//!
//! **Colours.** Contacts that share no moving body are solved side by side, in lanes and on threads; between two colours all threads meet
//! ([`colours`](super::colours)). Who solves what does not matter then, so the bits do not depend on the number of threads.
//!
//! A substep is: kick, impacts, a sweep that pushes, drift, a sweep that relaxes. In it the bodies of heaps are rows of eight single-precision
//! numbers, differences from where they were when contacts were found; the double precision of positions and velocities is touched only before
//! and after.

mod block;
mod rows;
mod sweep;

use self::block::{ABSENT, Block};
use self::rows::BodyRows;
use super::bodies::{Bodies, WORLD};
use super::colours::{Colours, Spans};
use super::contact::Contact;
use super::impact;
use super::lanes::LANES;
use super::pairs::Pair;
use crate::workers::{Disjoint, Member};
use crate::{Cancel, Workers};
use fearless_simd::Level;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The fewest blocks that are worth a thread of their own.
const LEAST_BLOCKS: usize = 16;

/// The fewest pairs that are worth a thread of their own.
const LEAST_PAIRS: usize = 128;

/// How stiff contacts are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stiffness {
    /// The length of a substep in seconds.
    pub(super) h: f64,
    /// The fastest that overlaps are pushed out, in m/s.
    pub(super) push: f64,
}

/// The frequency of contacts as a share of the substeps' rate; against what does not move it is twice that.
const FREQUENCY: f64 = 0.125;
const DAMPING_RATIO: f64 = 10.0;

impl Stiffness {
    /// ω/a₁, a₂a₃ and a₃.
    fn spring(&self, against_fixed: bool) -> [f32; 3] {
        let omega = std::f64::consts::TAU * FREQUENCY / self.h * if against_fixed { 2.0 } else { 1.0 };
        let a1 = 2.0 * DAMPING_RATIO + self.h * omega;
        let a2 = self.h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        [(omega / a1) as f32, (a2 * a3) as f32, a3 as f32]
    }
}

/// A patch of contact in a heap.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Which pair, and which of its patches.
    pair: u32,
    patch: u32,
    /// The rows of the bodies.
    rows: [u32; 2],
}

/// The contacts of heaps.
#[derive(Clone, Debug, Default)]
pub(super) struct WideContacts {
    links: Vec<Link>,
    colours: Colours,
    spans: Spans,
    /// In the order in which they are solved: one colour after the other.
    blocks: Vec<Block>,
    /// By link: where it is, as the number of its block times the number of lanes, plus its lane.
    places: Vec<u32>,
    rows: BodyRows,
}

/// What passes with heaps.
pub(super) struct Heaps<'a> {
    pub(super) pairs: &'a [Pair],
    pub(super) bodies: &'a mut Bodies,
    /// The contacts that bounce, as numbers of `contacts`.
    pub(super) contacts: &'a mut [Contact],
    pub(super) bouncing: &'a [u32],
    /// The slowest impact that bounces, in m/s.
    pub(super) threshold: f64,
    pub(super) level: Level,
    pub(super) workers: &'a Workers,
    pub(super) cancel: &'a Cancel,
}

impl WideContacts {
    /// Forgets everything; there are so many bodies.
    pub(super) fn clear(&mut self, bodies: usize) {
        self.links.clear();
        self.rows.clear(bodies);
    }

    /// How many contacts there are.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// How many colours they had the last time.
    pub(super) fn colours(&self) -> usize {
        self.spans.len()
    }

    /// Takes over a patch of a pair. One more than its number.
    pub(super) fn add(&mut self, [pair, patch]: [u32; 2], numbers: [u32; 2], bodies: &Bodies) -> Option<NonZeroU32> {
        let rows = numbers.map(|number| if number == WORLD { 0 } else { self.rows.of(number, bodies) });
        self.links.push(Link { pair, patch, rows });
        NonZeroU32::new(self.links.len() as u32)
    }

    /// Lets `substeps` substeps pass.
    pub(super) fn pass(&mut self, heaps: &mut Heaps<'_>, substeps: u32, stiffness: &Stiffness) {
        self.arrange();
        self.rows.load(heaps.bodies, stiffness.h, substeps);
        let bouncing = heaps.bouncing.iter().flat_map(|&number| heaps.contacts[number as usize].bodies);
        self.rows.note_bouncing(bouncing);
        self.fill(heaps, stiffness);
        self.step(heaps, substeps, stiffness);
        self.rows.store(heaps.bodies);
    }

    /// Gives every contact its colour and its place.
    fn arrange(&mut self) {
        let Self { links, colours, spans, blocks, places, rows } = self;
        colours.reset(rows.len());
        let colour = links.iter().map(|link| colours.next(link.rows, link.rows.map(|row| rows.is_moved(row))));
        let count = spans.arrange(colour, LANES as u32, places);
        blocks.resize(count, Block::EMPTY);
        blocks.iter_mut().for_each(|block| block.links = [ABSENT; LANES]);
        for (link, &place) in places.iter().enumerate() {
            blocks[place as usize / LANES].links[place as usize % LANES] = link as u32;
        }
    }

    fn fill(&mut self, heaps: &Heaps<'_>, stiffness: &Stiffness) {
        let Self { links, blocks, rows, .. } = self;
        let (links, rows, level) = (&*links, &*rows, heaps.level);
        let springs = [stiffness.spring(false), stiffness.spring(true)];
        let members = blocks.len() / LEAST_BLOCKS;
        heaps.workers.shares(members, blocks, |_, blocks| {
            for block in &mut *blocks {
                block.fill(links, heaps.pairs, rows, &springs, stiffness.h);
            }
            sweep::prepare(level, blocks);
        });
    }

    fn step(&mut self, heaps: &mut Heaps<'_>, substeps: u32, stiffness: &Stiffness) {
        let Self { blocks, spans, rows, .. } = self;
        let members = blocks.len() / LEAST_BLOCKS;
        let Heaps { contacts, bodies, bouncing, threshold, level, .. } = heaps;
        let (level, bouncing, threshold) = (*level, *bouncing, *threshold);
        let impacts = Mutex::new((&mut **contacts, &mut **bodies));
        let (spans, cancel, cancelled) = (&*spans, heaps.cancel, AtomicBool::new(false));
        // SAFETY: between two barriers the members share the rows, or they share the blocks of one colour, of which no two have a moving body
        // in common, and rows of bodies that are not moved are not written by blocks; or one member alone does all the work.
        #[expect(unsafe_code, reason = "contacts of one colour have no moving body in common")]
        let (shared, blocks) = unsafe { (rows.share(), Disjoint::new(&mut blocks[..])) };
        let sweep = |member: &Member<'_>, work: &dyn Fn(&mut [Block])| {
            for span in spans.iter() {
                let range = match span.serial {
                    true if member.index() > 0 => 0..0,
                    true => span.range.clone(),
                    false => {
                        let share = member.share(span.range.len());
                        span.range.start + share.start..span.range.start + share.end
                    }
                };
                work(blocks.part(range));
                member.wait();
            }
        };
        let kernel = sweep::Kernel { level, motions: &shared.motions, offsets: &shared.offsets, stiffness: *stiffness };
        heaps.workers.team(members, |member| {
            sweep(member, &|blocks| sweep::warm(level, blocks, &shared.given));
            for substep in 0..substeps {
                shared.kick(member, substep > 0);
                if member.index() == 0 {
                    // All members hear the same, whenever it comes.
                    cancelled.store(cancel.is_cancelled(), Ordering::Relaxed);
                }
                member.wait();
                if cancelled.load(Ordering::Relaxed) {
                    break;
                }
                if !bouncing.is_empty() {
                    if member.index() == 0 {
                        let mut impacts = impacts.lock().unwrap_or_else(PoisonError::into_inner);
                        let (contacts, bodies) = &mut *impacts;
                        shared
                            .lend(bodies, |bodies| impact::bounce(contacts, bouncing, bodies, stiffness.h, threshold));
                    }
                    member.wait();
                }
                sweep(member, &|blocks| kernel.push(blocks));
                shared.drift(member, stiffness.h);
                member.wait();
                sweep(member, &|blocks| kernel.relax(blocks));
            }
        });
    }

    /// Gives the impulses back to the pairs.
    pub(super) fn store(&self, pairs: &mut [Pair], h: f64, workers: &Workers) {
        let members = pairs.len() / LEAST_PAIRS;
        workers.shares(members, pairs, |_, pairs| {
            for pair in pairs {
                let Some(first) = pair.link.take() else { continue };
                let real = pair.patches.iter_mut().filter(|patch| !patch.ghost);
                for (link, patch) in (first.get() as usize - 1..).zip(real) {
                    let place = self.places[link] as usize;
                    self.blocks[place / LANES].store(place % LANES, patch, h);
                }
            }
        });
    }

    /// The greatest force of a contact over the mass of the lighter of its bodies, in m/s², and the square of the greatest speed.
    pub(super) fn burden(&self, h: f64) -> [f64; 2] {
        let heaviest = self.blocks.iter().map(|block| block.burden()).fold(0.0, f32::max);
        [f64::from(heaviest) / h, f64::from(self.rows.fastest())]
    }
}
