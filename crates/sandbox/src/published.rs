//! The state of affairs: everything there is to be seen at one moment, shared by all tabs.

use crate::frame::Pose;
use crate::looks::Bodies;
use crate::protocol::Instrumented;
use crate::simulation::ClientId;
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_dynamics::BodyId;

/// A text for pages, and a number that changes when it does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Versioned {
    pub(crate) version: u64,
    pub(crate) json: Arc<str>,
}

impl Versioned {
    /// Replaces the text.
    pub(crate) fn set(&mut self, json: String) {
        *self = Self { version: self.version + 1, json: json.into() };
    }
}

/// Everything there is to be seen at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    /// The scene: title, text, camera. A new version is a new scene, of which pages know nothing.
    pub(crate) scene: Versioned,
    /// The bodies and what they look like.
    pub(crate) bodies: Arc<Bodies>,
    /// Where they are, by slot.
    pub(crate) poses: Arc<[Option<Pose>]>,
    /// Where they are in the second run, if there is one.
    pub(crate) second: Option<Arc<[Option<Pose>]>>,
    /// What is stretched between them, as messages: of the first run, and of the second if there is one.
    pub(crate) strands: Vec<Arc<[u8]>>,
    pub(crate) time: f64,
    pub(crate) steps: u64,
    /// Playing or not, the method, energy and so on.
    pub(crate) status: Versioned,
    /// The last number that each tab wanted to hear when what it asked for before has happened.
    pub(crate) echoes: BTreeMap<ClientId, u64>,
    /// All about the bodies that somebody inspects.
    pub(crate) inspected: BTreeMap<BodyId, Arc<str>>,
    /// The instruments that somebody wants drawn, as messages.
    pub(crate) drawings: BTreeMap<Instrumented, Arc<[u8]>>,
}
