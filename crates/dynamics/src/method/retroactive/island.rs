//! Islands: groups of bodies connected by joints and contacts (G 2.6.7.3, 3.5.3). What happens in one does not touch the
//! others, so each is solved, and sleeps, by itself. Bodies that nothing moves connect nobody.

use super::contact::Contact;
use crate::model::JointEnd;
use crate::{BodyId, Id, JointId, Model, State};

/// Bodies connected by joints and contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Island {
    /// The bodies, in the order of their slots.
    pub(super) bodies: Vec<BodyId>,
    /// The joints that are not broken.
    pub(super) joints: Vec<JointId>,
    /// The contacts, as indices.
    pub(super) contacts: Vec<usize>,
    /// Whether a body of it is awake.
    pub(super) awake: bool,
}

impl Island {
    /// Whether nothing constrains its bodies.
    pub(super) fn is_free(&self) -> bool {
        self.joints.is_empty() && self.contacts.is_empty()
    }

    /// Whether it is awake and something constrains it.
    pub(super) fn needs_solving(&self) -> bool {
        self.awake && !self.is_free()
    }
}

/// A forest in which connected bodies have the same root (union–find with path halving).
struct Forest(Vec<usize>);

impl Forest {
    fn root(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    /// Connects two trees; the smaller root wins, so that the result does not depend on the order.
    fn connect(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The islands, ordered by the slot of their first body.
pub(super) fn find(model: &Model, state: &State, contacts: &[Contact]) -> Vec<Island> {
    let movable = |id: BodyId| model.bodies().get(id).is_some_and(|body| body.kind.is_movable());
    let slot_of = |end: JointEnd| match end {
        JointEnd::Body(id) if movable(id) => Some(id.slot()),
        _ => None,
    };
    let joints = || model.joints().iter().filter(|(id, _)| !state.broken[id.slot()]);
    let joint_slots = |ends: [JointEnd; 2]| ends.map(slot_of);
    let contact_slots = |contact: &Contact| contact.bodies.map(|id| movable(id).then(|| id.slot()));

    let mut forest = Forest((0..state.bodies.len()).collect());
    let pairs = joints().map(|(_, joint)| joint_slots(joint.ends));
    let active = |contact: &&Contact| !contact.points.is_empty();
    for pair in pairs.chain(contacts.iter().filter(active).map(contact_slots)) {
        if let [Some(a), Some(b)] = pair {
            forest.connect(a, b);
        }
    }

    let mut islands: Vec<Island> = Vec::new();
    let mut number = vec![usize::MAX; state.bodies.len()];
    for id in model.bodies().ids().filter(|&id| movable(id)) {
        let root = forest.root(id.slot());
        if number[root] == usize::MAX {
            number[root] = islands.len();
            islands.push(Island::default());
        }
        number[id.slot()] = number[root];
        let island = &mut islands[number[root]];
        island.awake |= !state.bodies[id.slot()].asleep;
        island.bodies.push(id);
    }
    for (id, joint) in joints() {
        if let Some(slot) = joint_slots(joint.ends).into_iter().flatten().next() {
            islands[number[slot]].joints.push(id);
        }
    }
    for (index, contact) in contacts.iter().enumerate().filter(|(_, contact)| active(contact)) {
        if let Some(slot) = contact_slots(contact).into_iter().flatten().next() {
            islands[number[slot]].contacts.push(index);
        }
    }
    islands
}
