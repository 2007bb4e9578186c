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
//! **Each heap by itself.** A large island is solved by all threads together. Small ones are put together, those with equally many
//! substeps, until they fill the lanes, and each such group is solved by one thread while it is in that thread's cache. Islands do not
//! touch each other, so it does not matter with whom they go.
//!
//! A substep is: kick, impacts, a sweep that pushes, drift, a sweep that relaxes. In it the bodies of heaps are rows of eight single-precision
//! numbers, differences from where they were when contacts were found; the double precision of positions and velocities is touched only before
//! and after.

mod block;
mod heap;
mod rows;
mod sweep;

pub(super) use self::rows::BodyRows;

use self::heap::Heap;
use super::bodies::{Bodies, WORLD};
use super::contact::Contact;
use super::exact::JointWorld;
use super::nets::Nets;
use super::pairs::Pair;
use crate::{Cancel, Workers};
use fearless_simd::Level;

/// Groups of small islands are closed once they have this many contacts: the blocks of so many are in the cache of one core, and fill
/// their lanes.
const GROUP: usize = 256;

/// Islands of more contacts than this are solved by all threads together.
const LARGE: usize = 2048;

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

/// Where a pair is solved: in which heap, and the number of its first contact there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    heap: u32,
    first: u32,
}

/// All heaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Heaps {
    /// The first `count` are those of this time; memory is used again.
    list: Vec<Heap>,
    count: usize,
    /// By number of a body that is moved: its row in its heap; zero if it has none.
    rows: Vec<u32>,
    /// The heap of all islands with joints, and groups of small islands that are not full.
    jointed: Option<u32>,
    open: Vec<u32>,
    alone: Workers,
}

/// What passes with heaps.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) pairs: &'a [Pair],
    /// The length of the part of a step in seconds.
    pub(super) part: f64,
    /// The fastest that overlaps are pushed out, and the slowest impact that bounces, in m/s.
    pub(super) push: f64,
    pub(super) threshold: f64,
    pub(super) level: Level,
    pub(super) world: &'a JointWorld<'a>,
    pub(super) cancel: &'a Cancel,
}

/// An island that goes into a heap.
#[derive(Clone, Copy)]
pub(super) struct Newcomer {
    pub(super) substeps: u32,
    pub(super) contacts: usize,
    pub(super) has_joints: bool,
}

impl Heaps {
    /// Forgets everything; there are so many bodies.
    pub(super) fn clear(&mut self, bodies: usize) {
        self.count = 0;
        self.rows.clear();
        self.rows.resize(bodies, 0);
        self.jointed = None;
        self.open.clear();
    }

    fn heaps(&self) -> &[Heap] {
        &self.list[..self.count]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many contacts there are.
    pub(super) fn contacts(&self) -> usize {
        self.heaps().iter().map(Heap::contacts).sum()
    }

    /// How many colours a heap has at most, and how many substeps.
    pub(super) fn colours(&self) -> usize {
        self.heaps().iter().map(Heap::colours).max().unwrap_or(0)
    }

    pub(super) fn substeps(&self) -> u32 {
        self.heaps().iter().map(|heap| heap.substeps).max().unwrap_or(0)
    }

    /// The heap for an island.
    pub(super) fn place(&mut self, island: Newcomer) -> u32 {
        if island.has_joints {
            let heap = self.jointed.unwrap_or_else(|| self.start(island.substeps, true));
            self.jointed = Some(heap);
            return heap;
        }
        if island.contacts > LARGE {
            return self.start(island.substeps, true);
        }
        let fits = |heap: &&u32| self.list[**heap as usize].substeps == island.substeps;
        if let Some(&heap) = self.open.iter().find(fits) {
            if self.list[heap as usize].contacts() < GROUP {
                return heap;
            }
            self.open.retain(|&open| open != heap);
        }
        let heap = self.start(island.substeps, false);
        self.open.push(heap);
        heap
    }

    fn start(&mut self, substeps: u32, by_all: bool) -> u32 {
        if self.count == self.list.len() {
            self.list.push(Heap::default());
        }
        self.list[self.count].clear(substeps, by_all);
        self.count += 1;
        self.count as u32 - 1
    }

    /// The row of a body in a heap, in which it takes part from now on.
    pub(super) fn row(&mut self, heap: u32, number: u32, bodies: &Bodies) -> u32 {
        let list = &mut self.list[heap as usize];
        match number {
            WORLD => 0,
            _ if !bodies.list[number as usize].is_movable() => list.row_of_unmoved(number),
            _ => {
                let row = &mut self.rows[number as usize];
                if *row == 0 {
                    *row = list.row_of_moved(number);
                }
                *row
            }
        }
    }

    /// Takes over a patch of a pair.
    pub(super) fn add(&mut self, heap: u32, [pair, patch]: [u32; 2], numbers: [u32; 2], bodies: &Bodies) -> Link {
        let rows = numbers.map(|number| self.row(heap, number, bodies));
        Link { heap, first: self.list[heap as usize].add(pair, patch, rows) }
    }

    /// Takes over a contact that bounces.
    pub(super) fn add_bouncing(&mut self, heap: u32, contact: &Contact, bodies: &Bodies) {
        let rows = contact.bodies.map(|number| self.row(heap, number, bodies));
        self.list[heap as usize].add_bouncing(contact.between(rows));
    }

    /// Lets a part of a step pass.
    pub(super) fn pass(&mut self, around: &Surroundings<'_>, bodies: &mut Bodies, nets: &mut Nets, workers: &Workers) {
        let Self { list, count, jointed, alone, .. } = self;
        let (heaps, jointed, before) = (&mut list[..*count], *jointed, &*bodies);
        for (number, heap) in heaps.iter_mut().enumerate().filter(|(_, heap)| heap.by_all) {
            let mut none = Nets::default();
            let nets = if jointed == Some(number as u32) { &mut *nets } else { &mut none };
            heap.pass(around, before, nets, workers);
        }
        let alone = &*alone;
        workers.for_each(
            heaps,
            1,
            || (),
            |(), heap| {
                if !heap.by_all {
                    heap.pass(around, before, &mut Nets::default(), alone);
                }
            },
        );
        heaps.iter().for_each(|heap| heap.store_motions(bodies));
    }

    /// Gives the impulses back to the pairs.
    pub(super) fn store(&self, pairs: &mut [Pair], part: f64, workers: &Workers) {
        let heaps = self.heaps();
        let members = pairs.len() / LEAST_PAIRS;
        workers.shares(members, pairs, |_, pairs| {
            for pair in pairs {
                let Some(Link { heap, first }) = pair.link.take() else { continue };
                heaps[heap as usize].store(first, pair, part);
            }
        });
        let bouncing = heaps.iter().flat_map(Heap::bouncing);
        bouncing.for_each(|contact| contact.store_impacts(&mut pairs[contact.pair as usize]));
    }
}
