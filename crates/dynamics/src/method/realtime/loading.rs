//! Tiers: which islands are solved exactly and which by sweeps, and their contacts and joints made ready for it.

use super::Realtime;
use super::contact::Contact;
use super::exact::{JointWorld, Members};
use super::load;
use super::nets;
use super::pairs::{Pair, Patch};
use super::passing::Pace;
use super::wide::Newcomer;
use crate::parts::islands::Island;
use crate::{BodyId, Id, Model, State};
use glam::DVec3;

/// Islands of no more contacts than this are solved exactly even while they crash about.
const FEW_CONTACTS: usize = 4;

/// What is slower than this, in m/s and rad/s, is calm.
const CALM: f64 = 0.05;

/// The most bodies that are solved exactly of islands in which there are joints and contacts.
const CROWD: usize = 120;

/// Where more islands without joints than this move, they are swept even if they are small: an exact solve of a body that comes and goes
/// costs ten times as much. Each of them obeys the same laws; what differs is that it sinks in by a fraction of a millimetre.
const THRONG: usize = 48;

/// Masses that differ by no more than this factor are mild.
const MILD: f64 = 50.0;

/// The fewest substeps in a step of islands with joints that are swept: the gaps of joints fall with their square.
const FIGURE_SUBSTEPS: u32 = 8;

/// The most substeps in a step on account of the gaps of joints, while figures crash about: blows open joints for a moment, whatever is done.
const MOST_IN_A_CRASH: u32 = 16;

/// How an island is solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tier {
    /// Its number among the islands, and how many contacts it has.
    island: usize,
    contacts: usize,
    pace: Pace,
    /// How many substeps it takes from one look at the contacts to the next, if it is swept.
    substeps: u32,
}

impl Realtime {
    /// Takes over contacts and joints for the next `part` seconds.
    pub(super) fn load_contacts(&mut self, model: &Model, state: &State, part: f64) {
        self.bodies.lay_belts(&mut self.memory.pairs);
        let world = self.joint_world(model, state, part / f64::from(self.rhythm.substeps));
        let work = &mut self.report.work;
        (work.heaps, work.exact_islands, work.resting_islands) = (0, 0, 0);
        self.exact.clear(self.bodies.list.len());
        self.heaps.clear(self.bodies.list.len());
        // Where this is done again, or a step failed, pairs may know links that are gone.
        self.memory.pairs.list.iter_mut().for_each(|pair| pair.link = None);
        self.nets.clear();
        let islands = std::mem::take(&mut self.islands);
        self.choose_tiers(model, islands.as_slice());
        for number in 0..self.plan.len() {
            let tier = self.plan[number];
            let island = &islands.as_slice()[tier.island];
            let work = &mut self.report.work;
            work.heaps += usize::from(tier.pace == Pace::Heap);
            work.exact_islands += usize::from(matches!(tier.pace, Pace::Exact | Pace::Resting));
            work.resting_islands += usize::from(tier.pace == Pace::Resting);
            match tier.pace {
                Pace::Alone => self.let_go(island),
                Pace::Heap => self.load_heap(island, &tier, &world, part),
                Pace::Exact | Pace::Resting => self.load_exact(island, tier.pace, &world, part),
            }
        }
        self.islands = islands;
    }

    /// Nothing acts in an island: its bodies fly, and its contacts bear nothing.
    fn let_go(&mut self, island: &Island) {
        for &index in &island.contacts {
            self.memory.pairs.list[index].burden.crashes = false;
            for patch in &mut self.memory.pairs.list[index].patches {
                patch.spots_mut().iter_mut().for_each(|spot| spot.load = 0.0);
                (patch.friction, patch.twist, patch.roll) = Default::default();
            }
        }
    }

    /// Decides how all islands are solved. Those with joints that are swept go together, in as many substeps as the most demanding of them.
    fn choose_tiers(&mut self, model: &Model, islands: &[Island]) {
        self.plan.clear();
        let (mut heaps_crash, mut figures_crash) = (false, false);
        self.net_substeps = self.rhythm.substeps;
        let crowded = [self.is_crowded(islands), self.is_throng(islands)];
        for (number, island) in islands.iter().enumerate().filter(|(_, island)| island.needs_solving()) {
            let pairs = &self.memory.pairs.list;
            let contacts = island.contacts.iter().map(|&index| pairs[index].real as usize).sum::<usize>();
            let eliminate = self.tiers.eliminate(model, &island.joints);
            let pace = self.pace(island, contacts, eliminate, crowded);
            let mut substeps = 0;
            if pace == Pace::Heap {
                let crash = self.note_crash(island);
                match island.joints.is_empty() {
                    true => heaps_crash |= crash && contacts > FEW_CONTACTS,
                    false => figures_crash |= crash && contacts > 0,
                }
                let gravity = |id: &BodyId| self.bodies.list[self.bodies.number(*id) as usize].acceleration;
                let gravity = island.bodies.iter().map(|id| gravity(id).length_squared()).fold(0.0, f64::max).sqrt();
                let burdens = island.contacts.iter().map(|&index| &self.memory.pairs.list[index].burden);
                // Figures whose masses do not differ by much are soft as it is; small heaps are solved exactly as soon as they are calm.
                let large = contacts > self.settings.exact_contacts as usize && !crash;
                let is_mild = (large || !island.joints.is_empty()) && self.is_mild(island);
                substeps = load::substeps(burdens, (gravity, is_mild), &self.rhythm, &self.settings);
                if !island.joints.is_empty() {
                    substeps = substeps.max(FIGURE_SUBSTEPS.div_ceil(self.rhythm.refreshes));
                    self.net_substeps = self.net_substeps.max(substeps);
                }
            }
            self.plan.push(Tier { island: number, contacts, pace, substeps });
        }
        let most = if figures_crash { MOST_IN_A_CRASH } else { u32::MAX };
        let most = self.settings.most_substeps.min(most);
        self.net_substeps = self.net_substeps.max(self.memory.net_load.substeps(self.rhythm.refreshes, most));
        self.memory.load.crashes = heaps_crash;
    }

    /// Tells the pairs of an island in a heap whether it crashes about.
    fn note_crash(&mut self, island: &Island) -> bool {
        let speed = |id: &BodyId| self.bodies.list[self.bodies.number(*id) as usize].velocity.length_squared();
        let crashes = island.bodies.iter().any(|id| speed(id) > load::CRASH * load::CRASH);
        for &index in &island.contacts {
            self.memory.pairs.list[index].burden.crashes = crashes;
        }
        crashes
    }

    /// Takes over an island that is solved exactly.
    fn load_exact(&mut self, island: &Island, pace: Pace, world: &JointWorld<'_>, part: f64) {
        let substeps = if pace == Pace::Resting { 1 } else { self.rhythm.substeps };
        let h = part / f64::from(substeps);
        let Self { contacts, bodies, memory, exact, .. } = self;
        contacts.clear();
        for &index in &island.contacts {
            let pair = &mut memory.pairs.list[index];
            pair.burden.crashes = false;
            let pair = &*pair;
            contacts.extend(pair.real_patches().map(|patch| Contact::new((index, pair), patch, bodies, h)));
        }
        let members = Members { contacts, joints: &island.joints, pace };
        exact.add(&members, &memory.joints, bodies, world);
    }

    /// Takes over an island that is swept. Its bodies without a contact or joint fly alone.
    fn load_heap(&mut self, island: &Island, tier: &Tier, world: &JointWorld<'_>, part: f64) {
        let has_joints = !island.joints.is_empty();
        let substeps = if has_joints { self.net_substeps } else { tier.substeps };
        let heap = self.heaps.place(Newcomer { substeps, contacts: tier.contacts, has_joints });
        let h = part / f64::from(substeps);
        let Self { bodies, memory, heaps, nets, rhythm, .. } = self;
        for &index in &island.contacts {
            memory.pairs.list[index].burden.swept(substeps, rhythm);
            let pair = &memory.pairs.list[index];
            let mut first = None;
            let runs = pair.surface_velocity != DVec3::ZERO;
            let pair_numbers = pair.bodies.map(|id| bodies.number(id));
            for patch in pair.real_patches() {
                let mut numbers = pair_numbers;
                if pair.material.restitution > 0.0 {
                    heaps.add_bouncing(heap, &Contact::new((index, pair), patch, bodies, h), bodies);
                }
                if runs && let Some((side, belt)) = pair.patches[patch].belt {
                    numbers[usize::from(side)] = belt;
                }
                let link = heaps.add(heap, [index as u32, patch as u32], numbers, bodies);
                first = first.or(Some(link));
            }
            memory.pairs.list[index].link = first;
            if first.is_some() {
                bodies.set_pace(&memory.pairs.list[index].bodies, Pace::Heap);
            }
        }
        for &id in &island.joints {
            let Some(joint) = world.model.joints().get(id) else { continue };
            let numbers = joint.ends.map(|end| nets::number_of(end, bodies));
            let places = numbers.map(|number| heaps.row(heap, number, bodies));
            nets.add(id, [numbers, places], &memory.joints[id.slot()], bodies, world, h);
            for body in numbers.map(|number| number as usize) {
                if bodies.list[body].is_movable() {
                    bodies.list[body].pace = Pace::Heap;
                }
            }
        }
    }

    /// Whether more figures touch something than can be solved exactly in time.
    fn is_crowded(&self, islands: &[Island]) -> bool {
        let figures = islands.iter().filter(|island| !island.joints.is_empty() && !island.contacts.is_empty());
        figures.map(|island| island.bodies.len()).sum::<usize>() > CROWD
    }

    /// Whether more small islands are in motion than can be solved exactly in time.
    fn is_throng(&self, islands: &[Island]) -> bool {
        let rests = |id: &BodyId| self.bodies.list[self.bodies.number(*id) as usize].rests();
        let moves = |island: &&Island| {
            island.joints.is_empty() && !island.contacts.is_empty() && !island.bodies.iter().all(rests)
        };
        islands.iter().filter(moves).nth(THRONG).is_some()
    }

    /// With whom the bodies of an island go that has so many contacts, and joints that are worth eliminating or not. Where figures are
    /// `crowded`, those that touch something and move are swept, unless their masses differ by much or the world holds them: their joints
    /// open by a millimetre or two in a crash then, and a crowd costs a twentieth.
    fn pace(&self, island: &Island, contacts: usize, eliminate: bool, [crowded, throng]: [bool; 2]) -> Pace {
        let rests = |id: &BodyId| self.bodies.list[self.bodies.number(*id) as usize].rests();
        let pairs = || island.contacts.iter().map(|&index| &self.memory.pairs.list[index]);
        let at_rest = || pairs().all(|pair| pair.bodies.iter().all(rests));
        // What was swept is swept until it is calm: soft contacts give way and exact ones do not, so changing over moves things.
        let speed = |id: BodyId| {
            let body = &self.bodies.list[self.bodies.number(id) as usize];
            body.velocity.length_squared().max(body.angular_velocity.length_squared())
        };
        let is_calm = |pair: &Pair| pair.bodies.into_iter().all(|id| speed(id) < CALM * CALM);
        let restless = || pairs().any(|pair| pair.unrest.steps > 0 || (pair.unrest.lasts && !is_calm(pair)));
        match island.joints.is_empty() {
            true if contacts == 0 || !pairs().any(|pair| pair.acts) => Pace::Alone,
            true if contacts > self.settings.exact_contacts as usize => Pace::Heap,
            true if contacts > FEW_CONTACTS && (self.crashes(island) || restless()) => Pace::Heap,
            true if at_rest() => Pace::Resting,
            true if throng && self.is_mild(island) => Pace::Heap,
            false if !eliminate || contacts > self.settings.exact_contacts as usize => Pace::Heap,
            false if crowded && contacts > 0 && !at_rest() && self.is_mild(island) => Pace::Heap,
            _ => Pace::Exact,
        }
    }

    /// Whether no body of an island is much heavier than another.
    fn is_mild(&self, island: &Island) -> bool {
        let bodies = island.bodies.iter().map(|&id| &self.bodies.list[self.bodies.number(id) as usize]);
        let inverse = bodies.filter(|body| body.is_movable()).map(|body| body.inverse_mass);
        let (least, most) = inverse.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), m| (a.min(m), b.max(m)));
        most <= MILD * least
    }

    /// Whether bodies of an island run into each other or fly apart: then contacts come and go, and an exact solve goes to waste.
    fn crashes(&self, island: &Island) -> bool {
        let body = |id: BodyId| &self.bodies.list[self.bodies.number(id) as usize];
        island.contacts.iter().map(|&index| &self.memory.pairs.list[index]).any(|pair| {
            let [a, b] = pair.bodies.map(body);
            let opening = |patch: &Patch| patch.normal.dot(b.velocity - a.velocity);
            pair.patches.iter().any(|patch| opening(patch).abs() > load::CRASH)
        })
    }
}
