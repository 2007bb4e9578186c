//! A heap: contacts in blocks by colour, and the bodies they act on as rows.

use super::super::bodies::Bodies;
use super::super::colours::{Colours, Spans};
use super::super::contact::Contact;
use super::super::impact;
use super::super::lanes::LANES;
use super::super::nets::{Nets, Shared, Spring, Sweep};
use super::super::pairs::Pair;
use super::block::{ABSENT, Block};
use super::rows::BodyRows;
use super::{Stiffness, Surroundings, sweep};
use crate::Workers;
use crate::workers::{Disjoint, Member};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The fewest blocks that are worth a thread of their own.
const LEAST_BLOCKS: usize = 16;

/// A patch of contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    /// Which pair, and which of its patches.
    pub(super) pair: u32,
    pub(super) patch: u32,
    /// The rows of the bodies.
    pub(super) rows: [u32; 2],
}

/// One island of many contacts, or several of few.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    pub(super) substeps: u32,
    /// Whether all threads solve it together.
    pub(super) by_all: bool,
    patches: Vec<Patch>,
    colours: Colours,
    spans: Spans,
    /// In the order in which they are solved: one colour after the other.
    blocks: Vec<Block>,
    /// By patch: where it is, as the number of its block times the number of lanes, plus its lane.
    places: Vec<u32>,
    rows: BodyRows,
    /// The rows of bodies that are not moved, by their numbers: other heaps have rows of their own for them.
    unmoved: BTreeMap<u32, u32>,
    /// The contacts that bounce, between bodies by row, and these bodies.
    contacts: Vec<Contact>,
    numbers: Vec<u32>,
    bouncing: Bodies,
}

impl Heap {
    /// Forgets everything.
    pub(super) fn clear(&mut self, substeps: u32, by_all: bool) {
        (self.substeps, self.by_all) = (substeps, by_all);
        self.patches.clear();
        self.rows.clear();
        self.unmoved.clear();
        self.contacts.clear();
    }

    /// How many contacts there are.
    pub(super) fn contacts(&self) -> usize {
        self.patches.len()
    }

    /// How many colours they had the last time.
    pub(super) fn colours(&self) -> usize {
        self.spans.len()
    }

    /// A row for a body that impulses move.
    pub(super) fn row_of_moved(&mut self, number: u32) -> u32 {
        self.rows.add(number, true)
    }

    /// The row of a body that nothing moves.
    pub(super) fn row_of_unmoved(&mut self, number: u32) -> u32 {
        let Self { rows, unmoved, .. } = self;
        *unmoved.entry(number).or_insert_with(|| rows.add(number, false))
    }

    /// Takes over a patch of a pair; its number.
    pub(super) fn add(&mut self, pair: u32, patch: u32, rows: [u32; 2]) -> u32 {
        self.patches.push(Patch { pair, patch, rows });
        self.patches.len() as u32 - 1
    }

    pub(super) fn add_bouncing(&mut self, contact: Contact) {
        self.contacts.push(contact);
    }

    /// The contacts that bounce.
    pub(super) fn bouncing(&self) -> impl Iterator<Item = &Contact> {
        self.contacts.iter()
    }

    /// Lets a part of a step pass.
    pub(super) fn pass(&mut self, around: &Surroundings<'_>, bodies: &Bodies, nets: &mut Nets, workers: &Workers) {
        let stiffness = Stiffness { h: around.part / f64::from(self.substeps), push: around.push };
        self.arrange();
        self.rows.load(bodies, stiffness.h, self.substeps);
        self.rows.note_bouncing(self.contacts.iter().flat_map(|contact| contact.bodies));
        self.numbers.clear();
        self.numbers.extend(0..self.contacts.len() as u32);
        self.bouncing.list.clear();
        if !self.contacts.is_empty() {
            let numbers = self.rows.numbers().iter();
            self.bouncing.list.extend(numbers.map(|&number| bodies.list[number as usize]));
        }
        self.fill(around, &stiffness, workers);
        if !nets.is_empty() {
            let spring = Spring::new(stiffness.h, around.threshold);
            nets.load(&self.rows, bodies, around.world, &spring, self.substeps);
        }
        self.step(around, nets, &stiffness, workers);
    }

    /// Gives every contact its colour and its place.
    fn arrange(&mut self) {
        let Self { patches, colours, spans, blocks, places, rows, .. } = self;
        colours.reset(rows.len());
        let colour = patches.iter().map(|patch| colours.next(patch.rows, patch.rows.map(|row| rows.is_moved(row))));
        let count = spans.arrange(colour, LANES as u32, places);
        blocks.resize(count, Block::EMPTY);
        blocks.iter_mut().for_each(|block| block.links = [ABSENT; LANES]);
        for (patch, &place) in places.iter().enumerate() {
            blocks[place as usize / LANES].links[place as usize % LANES] = patch as u32;
        }
    }

    fn fill(&mut self, around: &Surroundings<'_>, stiffness: &Stiffness, workers: &Workers) {
        let Self { patches, blocks, rows, .. } = self;
        let (patches, rows, level) = (&*patches, &*rows, around.level);
        let springs = [stiffness.spring(false), stiffness.spring(true)];
        workers.shares(blocks.len() / LEAST_BLOCKS, blocks, |_, blocks| {
            for block in &mut *blocks {
                block.fill(patches, around.pairs, rows, &springs, stiffness.h);
            }
            sweep::prepare(level, blocks);
        });
    }

    fn step(&mut self, around: &Surroundings<'_>, nets: &mut Nets, stiffness: &Stiffness, workers: &Workers) {
        let Self { blocks, spans, rows, substeps, contacts, numbers, bouncing, .. } = self;
        let members = blocks.len().max(nets.blocks()) / LEAST_BLOCKS;
        let Surroundings { level, threshold, cancel, .. } = *around;
        let bounces = !contacts.is_empty();
        let impacts = Mutex::new((contacts, bouncing));
        let (spans, numbers, cancelled) = (&*spans, &*numbers, AtomicBool::new(false));
        // SAFETY: between two barriers the members share the rows, or they share the blocks of one colour, of which no two have a moving body
        // in common, and rows of bodies that are not moved are not written by blocks; or one member alone does all the work.
        #[expect(unsafe_code, reason = "contacts of one colour have no moving body in common")]
        let (shared, blocks, nets) = unsafe {
            let nets = nets.share(level, Spring::new(stiffness.h, threshold));
            (rows.share(), Disjoint::new(&mut blocks[..]), nets)
        };
        let sweep = |member: &Member<'_>, work: &dyn Fn(&mut [Block], bool)| {
            for span in spans.iter() {
                let range = match span.serial {
                    true if member.index() > 0 => 0..0,
                    true => span.range.clone(),
                    false => {
                        let share = member.share(span.range.len());
                        span.range.start + share.start..span.range.start + share.end
                    }
                };
                work(blocks.part(range), span.serial);
                member.wait();
            }
        };
        let kernel = sweep::Kernel { level, motions: &shared.motions, offsets: &shared.offsets, stiffness: *stiffness };
        workers.team(members, |member| {
            sweep(member, &|blocks, _| sweep::warm(level, blocks, &shared.given));
            nets.sweep(member, &Shared { motions: &shared.given, offsets: &shared.offsets }, Sweep::Warm);
            let moving = Shared { motions: &shared.motions, offsets: &shared.offsets };
            for substep in 0..*substeps {
                shared.kick(member, substep > 0);
                if member.index() == 0 {
                    // All members hear the same, whenever it comes.
                    cancelled.store(cancel.is_cancelled(), Ordering::Relaxed);
                }
                member.wait();
                if cancelled.load(Ordering::Relaxed) {
                    break;
                }
                if bounces {
                    if member.index() == 0 {
                        let mut impacts = impacts.lock().unwrap_or_else(PoisonError::into_inner);
                        let (contacts, bodies) = &mut *impacts;
                        shared.lend(bodies, |bodies| {
                            impact::bounce(contacts, numbers, bodies, stiffness.h, threshold);
                        });
                    }
                    member.wait();
                }
                nets.sweep(member, &moving, Sweep::Spring);
                sweep(member, &|blocks, serial| kernel.push(blocks, serial));
                shared.drift(member, stiffness.h);
                member.wait();
                nets.sweep(member, &moving, Sweep::Relax);
                sweep(member, &|blocks, serial| kernel.relax(blocks, serial));
            }
        });
    }

    /// Gives the motions back to the bodies.
    pub(super) fn store_motions(&self, bodies: &mut Bodies) {
        self.rows.store(bodies);
    }

    /// Gives the impulses of its patches, of which the first has this number, back to a pair.
    pub(super) fn store(&self, first: u32, pair: &mut Pair, part: f64) {
        let h = part / f64::from(self.substeps);
        let mut heaviest = 0.0_f64;
        let real = pair.patches.iter_mut().filter(|patch| !patch.ghost);
        for (number, patch) in (first as usize..).zip(real) {
            let place = self.places[number] as usize;
            let block = &self.blocks[place / LANES];
            block.store(place % LANES, patch, h);
            heaviest = heaviest.max(block.burden(place % LANES) / h);
        }
        pair.burden.follow(heaviest);
    }
}
