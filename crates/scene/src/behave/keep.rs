//! What a script keeps from step to step (`this`), as plain data: part of snapshots and saved states.
//!
//! Numbers, texts, vectors, handles of bodies and joints, and lists and maps of them can be kept; functions cannot.

use glam::{DQuat, DVec3};
use rhai::{Dynamic, Map};
use serde::{Deserialize, Serialize};
use tumble_dynamics::{BodyId, JointId};

/// How much may be kept, counted in values and bytes of text, and how deep lists and maps may be nested.
const MOST: usize = 200_000;
const DEEPEST: usize = 16;

/// A value that is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) enum Kept {
    #[default]
    Nothing,
    Truth(bool),
    Integer(i64),
    Number(f64),
    Character(char),
    Text(String),
    Vector(DVec3),
    Rotation(DQuat),
    Body(BodyId),
    Joint(JointId),
    List(Vec<Kept>),
    /// In the order of the keys.
    Map(Vec<(String, Kept)>),
}

impl Kept {
    /// From a value of a script.
    pub(super) fn of(value: &Dynamic) -> Result<Self, String> {
        let mut room = MOST;
        Self::read(value, DEEPEST, &mut room).map_err(|problem| format!("`this` cannot be kept: {problem}"))
    }

    fn read(value: &Dynamic, depth: usize, room: &mut usize) -> Result<Self, String> {
        let size = 1 + value.read_lock::<rhai::ImmutableString>().map_or(0, |text| text.len());
        *room = room.checked_sub(size).ok_or_else(|| format!("it has more than {MOST} values and letters"))?;
        let deeper = || depth.checked_sub(1).ok_or_else(|| format!("it is nested deeper than {DEEPEST}"));
        Ok(if value.is_unit() {
            Self::Nothing
        } else if let Ok(truth) = value.as_bool() {
            Self::Truth(truth)
        } else if let Ok(integer) = value.as_int() {
            Self::Integer(integer)
        } else if let Ok(number) = value.as_float() {
            Self::Number(number)
        } else if let Ok(character) = value.as_char() {
            Self::Character(character)
        } else if let Some(text) = value.read_lock::<rhai::ImmutableString>() {
            Self::Text(text.to_string())
        } else if let Some(list) = value.read_lock::<rhai::Array>() {
            let depth = deeper()?;
            Self::List(list.iter().map(|value| Self::read(value, depth, room)).collect::<Result<_, _>>()?)
        } else if let Some(map) = value.read_lock::<Map>() {
            let depth = deeper()?;
            let mut entries = Vec::with_capacity(map.len());
            for (key, value) in map.iter() {
                *room = room.checked_sub(key.len()).ok_or_else(|| format!("it has more than {MOST} letters"))?;
                let value = Self::read(value, depth, room).map_err(|problem| format!("`{key}`: {problem}"))?;
                entries.push((key.to_string(), value));
            }
            Self::Map(entries)
        } else if let Some(vector) = value.read_lock::<DVec3>() {
            Self::Vector(*vector)
        } else if let Some(rotation) = value.read_lock::<DQuat>() {
            Self::Rotation(*rotation)
        } else if let Some(body) = value.read_lock::<BodyId>() {
            Self::Body(*body)
        } else if let Some(joint) = value.read_lock::<JointId>() {
            Self::Joint(*joint)
        } else {
            return Err(format!("it is of the type {}", value.type_name()));
        })
    }

    /// As a value of a script.
    pub(super) fn to_value(&self) -> Dynamic {
        match self {
            Self::Nothing => Dynamic::UNIT,
            Self::Truth(truth) => (*truth).into(),
            Self::Integer(integer) => (*integer).into(),
            Self::Number(number) => (*number).into(),
            Self::Character(character) => (*character).into(),
            Self::Text(text) => text.clone().into(),
            Self::Vector(vector) => Dynamic::from(*vector),
            Self::Rotation(rotation) => Dynamic::from(*rotation),
            Self::Body(body) => Dynamic::from(*body),
            Self::Joint(joint) => Dynamic::from(*joint),
            Self::List(list) => Dynamic::from_array(list.iter().map(Self::to_value).collect()),
            Self::Map(entries) => {
                Dynamic::from_map(entries.iter().map(|(key, value)| (key.into(), value.to_value())).collect())
            }
        }
    }
}
