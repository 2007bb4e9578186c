//! Typed generational ids and the arena they point into.
//!
//! An id is a slot number and a generation. When a slot is reused its generation grows, so an id of something removed
//! finds nothing instead of a stranger. The slot number is also the row of a body in the [`State`](crate::State).

use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::sync::Arc;

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

/// How many slots share one allocation, and are copied together when a shared arena is changed.
const CHUNK: usize = 64;

/// Things of one kind, each under an id of its own. Slots of removed things are reused, the most recently freed first,
/// so that equal histories give equal ids.
///
/// Copy-on-write: a clone shares its things with the original, in chunks of 64, and a change copies one chunk. So a snapshot
/// of a large model costs next to nothing, and neither does changing one body afterwards.
#[derive(Clone, Debug)]
pub struct Arena<I, T> {
    chunks: Vec<Arc<Vec<Slot<T>>>>,
    slots: usize,
    free: Arc<Vec<u32>>,
    ids: PhantomData<I>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), slots: 0, free: Arc::default(), ids: PhantomData }
    }
}

impl<I: Id, T> Arena<I, T> {
    fn slot(&self, slot: usize) -> Option<&Slot<T>> {
        self.chunks.get(slot / CHUNK)?.get(slot % CHUNK)
    }

    /// The thing with this id.
    pub fn get(&self, id: I) -> Option<&T> {
        self.slot(id.slot()).filter(|slot| slot.generation == id.generation())?.value.as_ref()
    }

    /// The thing in a slot, whatever its generation.
    pub fn in_slot(&self, slot: usize) -> Option<&T> {
        self.slot(slot)?.value.as_ref()
    }

    /// The id of what is in a slot.
    pub fn id_in_slot(&self, slot: usize) -> Option<I> {
        let entry = self.slot(slot)?;
        entry.value.is_some().then(|| I::new(slot as u32, entry.generation))
    }

    /// All things with their ids, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        let slots = self.chunks.iter().flat_map(|chunk| chunk.iter()).enumerate();
        slots.filter_map(|(slot, entry)| Some((I::new(slot as u32, entry.generation), entry.value.as_ref()?)))
    }

    /// All ids, in the order of their slots.
    pub fn ids(&self) -> impl Iterator<Item = I> {
        self.iter().map(|(id, _)| id)
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.slots - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many slots there are, used or free: one more than the largest slot number.
    pub fn slot_count(&self) -> usize {
        self.slots
    }
}

/// Slot by slot, with what was removed: so ids mean the same when it is read again.
impl<I, T: Serialize> Serialize for Arena<I, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slots: Vec<&Slot<T>> = self.chunks.iter().flat_map(|chunk| chunk.iter()).collect();
        (slots, &*self.free).serialize(serializer)
    }
}

impl<'de, I: Id, T: Deserialize<'de>> Deserialize<'de> for Arena<I, T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (slots, free): (Vec<Slot<T>>, Vec<u32>) = Deserialize::deserialize(deserializer)?;
        let mut listed: Vec<u32> = free.clone();
        listed.sort_unstable();
        let empty = slots.iter().enumerate().filter(|(_, slot)| slot.value.is_none()).map(|(index, _)| index as u32);
        if !empty.eq(listed) {
            return Err(serde::de::Error::custom("the list of free slots is not that of the empty ones"));
        }
        Ok(Self::from_slots(slots, free))
    }
}

impl<I: Id, T> Arena<I, T> {
    fn from_slots(slots: Vec<Slot<T>>, free: Vec<u32>) -> Self {
        let (count, mut slots) = (slots.len(), slots.into_iter());
        let chunks = (0..count.div_ceil(CHUNK)).map(|_| Arc::new(slots.by_ref().take(CHUNK).collect())).collect();
        Self { chunks, slots: count, free: Arc::new(free), ids: PhantomData }
    }

    /// The same ids for what `change` makes of each thing, which may fail.
    #[cfg(feature = "registry")]
    pub(crate) fn try_map<U, E>(&self, mut change: impl FnMut(I, &T) -> Result<U, E>) -> Result<Arena<I, U>, E> {
        let slots = self.chunks.iter().flat_map(|chunk| chunk.iter()).enumerate();
        let changed = slots.map(|(slot, Slot { generation, value })| {
            let id = I::new(slot as u32, *generation);
            Ok(Slot { generation: *generation, value: value.as_ref().map(|value| change(id, value)).transpose()? })
        });
        Ok(Arena::from_slots(changed.collect::<Result<_, E>>()?, self.free.to_vec()))
    }
}

impl<I: Id, T: Clone> Arena<I, T> {
    fn slot_mut(&mut self, slot: usize) -> Option<&mut Slot<T>> {
        Arc::make_mut(self.chunks.get_mut(slot / CHUNK)?).get_mut(slot % CHUNK)
    }

    /// Adds a thing and gives its id.
    pub fn insert(&mut self, value: T) -> I {
        let reused = if self.free.is_empty() { None } else { Arc::make_mut(&mut self.free).pop() };
        if let Some((slot, entry)) = reused.and_then(|slot| Some((slot, self.slot_mut(slot as usize)?))) {
            entry.value = Some(value);
            return I::new(slot, entry.generation);
        }
        if self.slots.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::new(Vec::with_capacity(CHUNK)));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            Arc::make_mut(chunk).push(Slot { generation: 0, value: Some(value) });
        }
        self.slots += 1;
        I::new((self.slots - 1) as u32, 0)
    }

    /// Takes a thing out.
    pub fn remove(&mut self, id: I) -> Option<T> {
        self.get(id)?;
        let entry = self.slot_mut(id.slot())?;
        let value = entry.value.take()?;
        entry.generation = entry.generation.wrapping_add(1);
        Arc::make_mut(&mut self.free).push(id.slot() as u32);
        Some(value)
    }

    /// The thing with this id, to be changed; what clones of the arena hold stays as it is.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.get(id)?;
        self.slot_mut(id.slot())?.value.as_mut()
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

    #[test]
    fn a_clone_keeps_what_it_had_and_shares_what_was_not_changed() {
        let mut arena: Arena<BodyId, usize> = Arena::default();
        let ids: Vec<BodyId> = (0..1000).map(|value| arena.insert(value)).collect();
        let before = arena.clone();
        *arena.get_mut(ids[500]).unwrap() = 0;
        arena.remove(ids[700]);
        let added = arena.insert(7);
        assert_eq!(added.slot(), 700);
        assert!(before.iter().map(|(_, &value)| value).eq(0..1000));
        assert_eq!((arena.len(), before.len()), (1000, 1000));
        let shared = arena.chunks.iter().zip(&before.chunks).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, arena.chunks.len() - 2, "only the chunks of slots 500 and 700 were copied");
    }
}
