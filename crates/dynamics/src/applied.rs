//! Forces and torques applied by hand, which act on their bodies during the next step only.
//!
//! Most bodies have none. They are kept by slot, with a list of those that have some, so that taking them all back after a
//! step costs as much as there were.

use crate::Wrench;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Forces and torques that act on bodies during the next step only, by slot of the body.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// By slot; slots beyond its end have none.
    wrenches: Vec<Wrench>,
    /// The slots that may have some, in the order in which they got it.
    loaded: Vec<u32>,
}

impl Applied {
    /// What acts on the body in a slot.
    pub fn get(&self, slot: usize) -> Wrench {
        self.wrenches.get(slot).copied().unwrap_or_default()
    }

    /// Lets this act on the body in a slot, instead of what was there.
    pub fn set(&mut self, slot: usize, wrench: Wrench) {
        if wrench == Wrench::default() && slot >= self.wrenches.len() {
            return;
        }
        if slot >= self.wrenches.len() {
            self.wrenches.resize(slot + 1, Wrench::default());
        }
        if self.wrenches[slot] == Wrench::default() {
            self.loaded.push(slot as u32);
        }
        self.wrenches[slot] = wrench;
    }

    /// Takes everything back.
    pub fn clear(&mut self) {
        for slot in self.loaded.drain(..) {
            self.wrenches[slot as usize] = Wrench::default();
        }
    }

    /// The slots on which something acts, and what, in ascending order of the slots.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Wrench)> {
        let mut slots = self.loaded.clone();
        slots.sort_unstable();
        slots.dedup();
        let acting = slots.into_iter().map(|slot| (slot as usize, self.wrenches[slot as usize]));
        acting.filter(|(_, wrench)| *wrench != Wrench::default())
    }

    /// Whether something may act on some body.
    pub(crate) fn may_act(&self) -> bool {
        !self.loaded.is_empty()
    }

    /// Whether nothing acts on any body.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl PartialEq for Applied {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// As the list of slots that have some.
impl Serialize for Applied {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let list: Vec<(u32, Wrench)> = self.iter().map(|(slot, wrench)| (slot as u32, wrench)).collect();
        list.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Applied {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// More bodies than any state has, so that a damaged file cannot ask for all memory there is.
        const MOST_SLOTS: u32 = 1 << 26;
        let list = Vec::<(u32, Wrench)>::deserialize(deserializer)?;
        let mut applied = Self::default();
        for (slot, wrench) in list {
            if slot >= MOST_SLOTS {
                return Err(serde::de::Error::custom(format!("a force acts on body {slot}, which no state has")));
            }
            applied.set(slot as usize, wrench);
        }
        Ok(applied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn what_was_applied_is_told_until_it_is_taken_back() {
        let push = Wrench { force: DVec3::X, torque: DVec3::ZERO };
        let mut applied = Applied::default();
        applied.set(5, push);
        applied.set(2, push);
        applied.set(2, Wrench::default());
        assert!(applied.iter().eq([(5, push)]));
        let text = serde_json::to_string(&applied).unwrap();
        assert_eq!(serde_json::from_str::<Applied>(&text).unwrap(), applied);
        applied.clear();
        assert!(applied.is_empty() && applied == Applied::default());
        applied.set(2, push);
        assert!(applied.iter().eq([(2, push)]));
    }
}
