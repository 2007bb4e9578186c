//! Typed generational ids and the arena they point into.
//!
//! An id is a slot number and a generation. When a slot is reused its generation grows, so an id of something removed
//! finds nothing instead of a stranger. The slot number is also the row of a body in the [`State`](crate::State).

use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// What all typed ids have in common.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug {
    /// The id for a slot and generation.
    fn new(slot: u32, generation: u32) -> Self;
    /// The slot number, as an index.
    fn slot(self) -> usize;
    /// How often the slot was used before.
    fn generation(self) -> u32;
}

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name {
            slot: u32,
            generation: u32,
        }

        impl Id for $name {
            fn new(slot: u32, generation: u32) -> Self {
                Self { slot, generation }
            }

            fn slot(self) -> usize {
                self.slot as usize
            }

            fn generation(self) -> u32 {
                self.generation
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($letter, "{}.{}"), self.slot, self.generation)
            }
        }
    };
}

typed_id!(
    /// A body in a model.
    BodyId, "body "
);
typed_id!(
    /// A collider in a model.
    ColliderId, "collider "
);
typed_id!(
    /// A joint in a model.
    JointId, "joint "
);
typed_id!(
    /// A force in a model.
    ForceId, "force "
);

/// Things of one kind, each under an id of its own. Slots of removed things are reused, the most recently freed first,
/// so that equal histories give equal ids.
#[derive(Clone, Debug)]
pub struct Arena<I, T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    ids: PhantomData<I>,
}

#[derive(Clone, Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id, T> Arena<I, T> {
    /// Adds a thing and gives its id.
    pub fn insert(&mut self, value: T) -> I {
        if let Some(slot) = self.free.pop() {
            let entry = &mut self.slots[slot as usize];
            entry.value = Some(value);
            I::new(slot, entry.generation)
        } else {
            self.slots.push(Slot { generation: 0, value: Some(value) });
            I::new((self.slots.len() - 1) as u32, 0)
        }
    }

    /// Takes a thing out.
    pub fn remove(&mut self, id: I) -> Option<T> {
        let entry = self.slots.get_mut(id.slot()).filter(|slot| slot.generation == id.generation())?;
        let value = entry.value.take()?;
        entry.generation = entry.generation.wrapping_add(1);
        self.free.push(id.slot() as u32);
        Some(value)
    }

    /// The thing with this id.
    pub fn get(&self, id: I) -> Option<&T> {
        self.slots.get(id.slot()).filter(|slot| slot.generation == id.generation())?.value.as_ref()
    }

    /// The thing with this id, to be changed.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.slots.get_mut(id.slot()).filter(|slot| slot.generation == id.generation())?.value.as_mut()
    }

    /// The thing in a slot, whatever its generation.
    pub fn in_slot(&self, slot: usize) -> Option<&T> {
        self.slots.get(slot)?.value.as_ref()
    }

    /// The id of what is in a slot.
    pub fn id_in_slot(&self, slot: usize) -> Option<I> {
        let entry = self.slots.get(slot)?;
        entry.value.is_some().then(|| I::new(slot as u32, entry.generation))
    }

    /// All things with their ids, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(slot, entry)| Some((I::new(slot as u32, entry.generation), entry.value.as_ref()?)))
    }

    /// All ids, in the order of their slots.
    pub fn ids(&self) -> impl Iterator<Item = I> {
        self.iter().map(|(id, _)| id)
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many slots there are, used or free: one more than the largest slot number.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_something_removed_finds_nothing() {
        let mut arena: Arena<BodyId, &str> = Arena::default();
        let first = arena.insert("first");
        assert_eq!(arena.remove(first), Some("first"));
        let second = arena.insert("second");
        assert_eq!(second.slot(), first.slot());
        assert_eq!(arena.get(first), None);
        assert_eq!(arena.get(second), Some(&"second"));
        assert_eq!(arena.remove(first), None);
        assert_eq!(arena.len(), 1);
    }
}
