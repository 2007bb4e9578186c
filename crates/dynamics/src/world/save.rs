//! Saved states: everything of a world but the model, as bytes for a file or a network.
//!
//! ```text
//! "tumble\0" | version (u8) | CRC-32 of the rest (u32) | the rest: size (u32), content in LZ4
//! content: method, fingerprint of the model, state, journal, contact rate, energy watch, courses, memory, inputs, memory of the behaviour, in postcard's encoding
//! ```
//!
//! All numbers little-endian, so that a state saved on one machine is read on every other. What rests is full of zeros and of
//! numbers that come again; LZ4 makes less than half of it in little time.

use super::watch::Tally;
use super::{World, checked_rate};
use crate::journal::Journal;
use crate::model::Course;
use crate::{BodyId, Id, Model, ModelError, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a saved state begins with.
const MAGIC: &[u8; 7] = b"tumble\0";

/// The version of the format; grows when the format changes.
const VERSION: u8 = 6;

/// A byte of LZ4 stands for so many at most; bytes that promise more are none that were saved.
const MOST_PER_BYTE: usize = 256;

/// Where the checksum ends and what it is about begins.
const HEADER: usize = MAGIC.len() + 1 + 4;

/// As bytes that begin with `magic`, compressed and with a checksum.
pub(super) fn pack(magic: &[u8; 7], content: &impl Serialize) -> Vec<u8> {
    // Writing to memory does not fail.
    let content = postcard::to_extend(content, Vec::new()).unwrap_or_default();
    let packed = lz4_flex::compress_prepend_size(&content);
    let mut bytes = Vec::from(magic);
    bytes.push(VERSION);
    bytes.extend(crc32fast::hash(&packed).to_le_bytes());
    bytes.extend(packed);
    bytes
}

/// From bytes; refused if they are not what [`pack`] gave. `what` names it in messages.
pub(super) fn unpack<T: serde::de::DeserializeOwned>(
    magic: &[u8; 7],
    what: &str,
    bytes: &[u8],
) -> Result<T, ModelError> {
    let invalid = |problem: String| Err(ModelError::Invalid(problem));
    let Some((header, packed)) = bytes.split_at_checked(HEADER).filter(|(header, _)| header.starts_with(magic)) else {
        return invalid(format!("these bytes are no {what}"));
    };
    let version = header[MAGIC.len()];
    if version != VERSION {
        return invalid(format!("the {what} is of version {version}, but only {VERSION} is understood"));
    }
    if header[HEADER - 4..] != crc32fast::hash(packed).to_le_bytes() {
        return invalid(format!("the {what} is damaged: its checksum is wrong"));
    }
    let unpack = |error| ModelError::Invalid(format!("the {what} cannot be unpacked: {error}"));
    let (size, block) = lz4_flex::block::uncompressed_size(packed).map_err(unpack)?;
    if size > MOST_PER_BYTE * block.len() {
        return invalid(format!("the {what} cannot be unpacked: it is too short for {size} bytes"));
    }
    let content = lz4_flex::decompress(block, size).map_err(unpack)?;
    postcard::from_bytes(&content).or_else(|error| invalid(format!("the {what} cannot be read: {error}")))
}

/// Everything of a world but the model: the state, what was changed since the last step, what the method and the
/// behaviour remember, inputs, how often
/// contacts are told and who watches over the energy. A world built in the same way that loads it goes on bit for bit as the one
/// that saved it.
///
/// ```
/// use tumble_dynamics::{Body, SavedState, World, geometry::Shape};
///
/// fn build() -> Result<World, tumble_dynamics::ModelError> {
///     let mut world = World::new();
///     world.add_body(Body::fixed().with_shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
///     world.add_body(Body::dynamic().with_shape(Shape::sphere(0.5)?).at([0.0, 2.0, 0.0]))?;
///     Ok(world)
/// }
///
/// let mut world = build()?;
/// world.step(1.0 / 60.0)?;
/// let bytes: Vec<u8> = world.save().to_bytes();
///
/// let mut other = build()?;
/// other.load(&SavedState::from_bytes(&bytes)?)?;
/// world.step(1.0 / 60.0)?;
/// other.step(1.0 / 60.0)?;
/// assert_eq!(world.state(), other.state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedState {
    method: String,
    /// The fingerprint of the model it is a state of.
    model: u64,
    state: State,
    journal: Journal,
    contact_rate: f64,
    watch: Tally,
    /// How kinematic bodies move.
    courses: Vec<(BodyId, Course)>,
    /// What the method remembers, in postcard's encoding.
    #[serde(with = "bytes")]
    memory: Vec<u8>,
    /// What comes from outside, by name.
    inputs: BTreeMap<String, f64>,
    /// What the behaviour remembers, if something acts.
    behavior: Option<Vec<u8>>,
}

/// A list of bytes as such, and not as a list of numbers.
mod bytes {
    use serde::de::{Error, SeqAccess, Visitor};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_byte_buf(Bytes)
    }

    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        /// Formats without bytes have a list of numbers.
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = list.next_element()? {
                bytes.push(byte);
            }
            Ok(bytes)
        }
    }
}

impl SavedState {
    /// How kinematic bodies move.
    #[cfg(feature = "registry")]
    pub(super) fn courses(&self) -> &[(BodyId, Course)] {
        &self.courses
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// As bytes, compressed and with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        pack(MAGIC, self)
    }

    /// From bytes; refused if they are not what [`to_bytes`](Self::to_bytes) gave.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        unpack(MAGIC, "saved state", bytes)
    }
}

impl World {
    /// Everything but the model.
    pub fn save(&self) -> SavedState {
        let memory = self.method.memory_as_bytes(&self.model);
        let method = self.method.name().to_owned();
        SavedState {
            method,
            model: self.model.fingerprint(),
            state: self.state.clone(),
            journal: self.journal.clone(),
            contact_rate: self.contact_rate,
            watch: self.watchman.tally,
            courses: self.courses(),
            memory,
            inputs: self.inputs.clone(),
            behavior: self.behavior.as_ref().map(|behavior| behavior.memory()),
        }
    }

    /// Returns to a saved state of a world with the same model, refused if it does not fit. Events of the last step are
    /// forgotten.
    pub fn load(&mut self, saved: &SavedState) -> Result<(), ModelError> {
        let SavedState { state, method, model, journal, contact_rate, watch, courses, memory, inputs, behavior } =
            saved;
        if method != self.method.name() {
            let own = self.method.name();
            return Err(ModelError::Invalid(format!(
                "the state was saved by the method \"{method}\", this is \"{own}\""
            )));
        }
        check_fit(&self.model, state)?;
        if *model != self.model.fingerprint() {
            return Err(ModelError::Invalid(
                "the state was saved with another model: bodies, joints, forces or their numbers are not the same"
                    .into(),
            ));
        }
        checked_rate(*contact_rate)?;
        if !watch.is_sound() {
            let value = format!("{watch:?}");
            return Err(ModelError::OutOfRange { what: "saved energy", value, allowed: "at least 0 J" });
        }
        if let Some((id, course)) = courses.iter().find(|(_, course)| !course.is_valid()) {
            let value = format!("{course:?} ({id:?})");
            return Err(ModelError::OutOfRange { what: "saved course of a body", value, allowed: "finite" });
        }
        let mut loaded = self.method.clone_box();
        let mut memory = postcard::Deserializer::from_bytes(memory);
        loaded.load(&self.model, state, &mut <dyn erased_serde::Deserializer<'_>>::erase(&mut memory))?;
        if inputs.values().any(|value| !value.is_finite()) {
            let value = format!("{inputs:?}");
            return Err(ModelError::OutOfRange { what: "saved input", value, allowed: "finite" });
        }
        let acting = match (&self.behavior, behavior) {
            (None, None) => None,
            (Some(own), Some(memory)) => {
                let mut acting = own.clone_box();
                acting.load(memory)?;
                Some(acting)
            }
            (own, _) => {
                let [saved, this] = if own.is_some() { ["without", "has one"] } else { ["with", "has none"] };
                return Err(ModelError::Invalid(format!("the state was saved {saved} a behaviour, this world {this}")));
            }
        };
        (self.inputs, self.behavior) = (inputs.clone(), acting);
        (self.method, self.state, self.journal) = (loaded, state.clone(), journal.clone());
        (self.contact_rate, self.watchman.tally) = (*contact_rate, *watch);
        self.set_courses(courses);
        self.past.forget();
        self.events.clear();
        self.places.lend().all_moved();
        Ok(())
    }

    /// Goes on from another state of the same model, refused if it does not fit. The method forgets what it remembers, and
    /// events of the last step are forgotten.
    pub fn set_state(&mut self, state: &State) -> Result<(), ModelError> {
        check_fit(&self.model, state)?;
        self.method.reset();
        self.state.clone_from(state);
        self.journal = Journal::everything();
        self.restart_courses();
        self.past.forget();
        self.events.clear();
        self.places.lend().all_moved();
        Ok(())
    }

    /// State and memory as JSON, for people to read; numbers that are not finite are null. To go on from, take
    /// [`save`](Self::save). With the feature `registry`.
    #[cfg(feature = "registry")]
    pub fn export(&self) -> serde_json::Value {
        let memory = serde_json::to_value(self.method.memory(&self.model)).unwrap_or_default();
        serde_json::json!({ "method": self.method.name(), "state": self.state, "memory": memory })
    }
}

/// Whether a state can be one of a model.
fn check_fit(model: &Model, state: &State) -> Result<(), ModelError> {
    let counts = [
        ("bodies", state.bodies.len(), model.bodies.slot_count()),
        ("joints", state.broken.len(), model.joints.slot_count()),
        ("joint angles", state.angles.len(), model.joints.slot_count()),
    ];
    for (what, saved, own) in counts {
        if saved != own {
            return Err(ModelError::Invalid(format!("the saved state has {saved} rows of {what}, the model {own}")));
        }
    }
    let sound = |slot: usize| {
        let body = &state.bodies[slot];
        body.is_finite() && body.quiet_time.is_finite() && body.center_pose().is_valid()
    };
    let broken = model.bodies.ids().find(|id| !sound(id.slot()));
    if let Some(id) = broken {
        let value = format!("{:?}", state.bodies[id.slot()]);
        let allowed = "finite, with a unit quaternion";
        return Err(ModelError::OutOfRange { what: "saved motion of a body", value, allowed });
    }
    for (slot, wrench) in state.applied.iter() {
        if slot >= state.bodies.len() {
            return Err(ModelError::Invalid(format!(
                "the saved state applies a force to body {slot}, which is not there"
            )));
        }
        if !(wrench.force.is_finite() && wrench.torque.is_finite()) {
            let value = format!("{wrench:?}");
            return Err(ModelError::OutOfRange { what: "saved force on a body", value, allowed: "finite" });
        }
    }
    if let Some((joint, angle)) = state.angles.iter().enumerate().find(|(_, angle)| !angle.is_finite()) {
        let value = format!("{angle} (joint {joint})");
        return Err(ModelError::OutOfRange { what: "saved angle of a joint", value, allowed: "finite" });
    }
    crate::error::checked("saved time", state.time, .., "finite").map(|_| ())
}
