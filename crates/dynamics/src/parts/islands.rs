//! Islands: groups of bodies connected by joints and contacts (G 2.6.7.3, 3.5.3). What happens in one does not touch the
//! others, so each is solved, and sleeps, by itself. Fixed and scripted bodies do not connect
//! what touches them.

use crate::instrument::{Color, Instrument, draw_aabb};
use crate::model::JointEnd;
use crate::{BodyId, Id, JointId, Model, State};

/// Bodies connected by joints and contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Island {
    /// The bodies, in the order of their slots.
    pub bodies: Vec<BodyId>,
    /// The joints that are not broken.
    pub joints: Vec<JointId>,
    /// The numbers of the contacts.
    pub contacts: Vec<usize>,
    /// Whether a body of it is awake.
    pub awake: bool,
}

impl Island {
    /// Whether nothing constrains its bodies.
    pub fn is_free(&self) -> bool {
        self.joints.is_empty() && self.contacts.is_empty()
    }

    /// Whether it is awake and something constrains it.
    pub fn needs_solving(&self) -> bool {
        self.awake && !self.is_free()
    }

    /// Whether its joints form loops, with the world or with each other.
    pub fn has_loops(&self) -> bool {
        self.joints.len() > self.bodies.len()
    }

    fn clear(&mut self) {
        self.bodies.clear();
        self.joints.clear();
        self.contacts.clear();
        self.awake = false;
    }
}

/// A forest in which connected bodies have the same root (union–find with path halving).
#[derive(Clone, Debug, Default)]
struct Forest(Vec<u32>);

impl Forest {
    fn root(&mut self, node: usize) -> usize {
        let mut node = node as u32;
        while self.0[node as usize] != node {
            self.0[node as usize] = self.0[self.0[node as usize] as usize];
            node = self.0[node as usize];
        }
        node as usize
    }

    /// Connects two trees; the smaller root wins, so that the result does not depend on the order.
    fn connect(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        debug_assert!(self.0[a] as usize == a && self.0[b] as usize == b, "a root is its own parent");
        self.0[a.max(b)] = a.min(b) as u32;
    }
}

/// The islands of a world, ordered by the slot of their first body. Memory is used again from one search to the next.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    /// The first `count` are those found last.
    all: Vec<Island>,
    count: usize,
    forest: Forest,
    /// By slot of a body: the number of its island.
    number: Vec<u32>,
}

/// The number of the island of a body that is in none.
const NONE: u32 = u32::MAX;

impl Islands {
    /// Draws the boxes around the colliders of each island in a colour of its own.
    pub fn draw(&self, model: &Model, state: &State, instrument: &mut dyn Instrument) {
        for (number, island) in self.as_slice().iter().enumerate() {
            let bodies = island.bodies.iter().filter_map(|&id| model.bodies().get(id));
            for collider in bodies.flat_map(|body| &body.colliders).filter_map(|&id| model.colliders().get(id)) {
                draw_aabb(&collider.shape.aabb(&collider.pose_in(state)), Color::numbered(number), instrument);
            }
        }
    }

    /// Finds the islands of the bodies `movable`, which forces move: all of them or, if no others are connected with them, some.
    /// `contacts` are the numbers of the contacts that connect, with their bodies. It takes a time that depends on how many bodies,
    /// joints and contacts these are, not on how many there are in the world.
    pub fn find(
        &mut self,
        model: &Model,
        state: &State,
        movable: &[BodyId],
        contacts: impl Iterator<Item = (usize, [BodyId; 2])> + Clone,
    ) {
        for id in self.all[..self.count].iter().flat_map(|island| &island.bodies) {
            self.number[id.slot()] = NONE;
        }
        self.number.resize(state.bodies.len(), NONE);
        self.forest.0.resize(state.bodies.len(), 0);
        // Until its island has a number, a movable body has its own slot.
        for slot in movable.iter().map(|id| id.slot()) {
            (self.number[slot], self.forest.0[slot]) = (slot as u32, slot as u32);
        }
        let of_body = |id: &BodyId| model.bodies().get(*id).map_or(&[][..], |body| &body.joints);
        let whole =
            |id: &JointId| model.joints().get(*id).filter(|_| !state.broken[id.slot()]).map(|joint| (*id, joint));
        let joints =
            || movable.iter().flat_map(|id| of_body(id).iter().filter_map(whole).map(move |found| (*id, found)));
        let body_of = |end: JointEnd| match end {
            JointEnd::Body(id) => Some(id),
            JointEnd::World => None,
        };
        for (_, (_, joint)) in joints() {
            self.connect(joint.ends.map(body_of));
        }
        for (_, bodies) in contacts.clone() {
            self.connect(bodies.map(Some));
        }
        self.count = 0;
        for &id in movable {
            let root = self.forest.root(id.slot());
            if root == id.slot() {
                self.start_island(root);
            }
            let number = self.number[root];
            self.number[id.slot()] = number;
            let island = &mut self.all[number as usize];
            island.awake |= !state.bodies[id.slot()].asleep;
            island.bodies.push(id);
        }
        for (body, (id, joint)) in joints() {
            // A joint between two of them is met twice.
            let is_movable = |end: &BodyId| self.number[end.slot()] != NONE;
            if joint.ends.into_iter().filter_map(body_of).find(is_movable) == Some(body)
                && let Some(island) = self.of_either([Some(body), None])
            {
                island.joints.push(id);
            }
        }
        self.all[..self.count].iter_mut().for_each(|island| island.joints.sort_unstable());
        for (number, bodies) in contacts {
            if let Some(island) = self.of_either(bodies.map(Some)) {
                debug_assert!(island.contacts.last().is_none_or(|&last| last < number), "contacts come in order, once");
                island.contacts.push(number);
            }
        }
    }

    fn connect(&mut self, bodies: [Option<BodyId>; 2]) {
        if let [Some(a), Some(b)] = bodies.map(|id| id.map(Id::slot).filter(|&slot| self.number[slot] != NONE)) {
            self.forest.connect(a, b);
        }
    }

    fn start_island(&mut self, root: usize) {
        if self.count == self.all.len() {
            self.all.push(Island::default());
        }
        self.all[self.count].clear();
        self.number[root] = self.count as u32;
        self.count += 1;
    }

    fn of_either(&mut self, bodies: [Option<BodyId>; 2]) -> Option<&mut Island> {
        let number = bodies.into_iter().flatten().map(|id| self.number[id.slot()]).find(|&number| number != NONE)?;
        self.all.get_mut(number as usize)
    }

    /// The islands found last.
    pub fn as_slice(&self) -> &[Island] {
        &self.all[..self.count]
    }

    /// The number of the island that the body in a slot is in; none for what forces do not move.
    pub fn number_of(&self, slot: usize) -> Option<usize> {
        self.number.get(slot).filter(|&&number| number != NONE).map(|&number| number as usize)
    }

    /// Forgets all islands.
    pub fn clear(&mut self) {
        self.count = 0;
        self.number.clear();
    }

    /// Checks that every body is in one island, and joints and contacts in the island of their bodies; says what is not.
    /// For tests.
    pub fn validate(&self, model: &Model) -> Result<(), String> {
        for (number, island) in self.as_slice().iter().enumerate() {
            if !island.bodies.is_sorted() || island.bodies.is_empty() {
                return Err(format!("island {number} is empty or not in order"));
            }
            for id in &island.bodies {
                if model.bodies().get(*id).is_some() && self.number[id.slot()] != number as u32 {
                    return Err(format!("{id:?} is in island {number} and in another"));
                }
            }
            for joint in island.joints.iter().filter_map(|&id| model.joints().get(id)) {
                let inside = |end: &JointEnd| match end {
                    JointEnd::Body(id) => island.bodies.binary_search(id).is_ok(),
                    JointEnd::World => false,
                };
                if !joint.ends.iter().any(inside) {
                    return Err(format!("island {number} has a joint of other bodies"));
                }
            }
        }
        Ok(())
    }
}
