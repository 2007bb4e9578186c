//! What acts in a scene before every step: first its [controls], then its script.
//!
//! Both are a [`Behavior`] of the world, so they act alike in every run: by command, in the sandbox, in comparisons, by all
//! methods. What they remember is part of snapshots and saved states.

pub mod controls;
mod happened;
mod keep;
mod lent;
mod program;
mod speech;
mod track;

pub use controls::{Act, Control, Pointer};
pub use program::Text;
pub use track::Track;

use controls::value_of;
use happened::Happened;
use keep::Kept;
use program::Program;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{Behavior, ModelError, World};

/// The name under which worlds are saved with it.
const NAME: &str = "scene";

/// The most lines a script says before somebody asks for them.
const MOST_MESSAGES: usize = 200;

/// The controls and the script of a scene.
#[derive(Clone)]
pub struct SceneBehavior {
    plan: Arc<Plan>,
    program: Option<Program>,
    memory: Memory,
    messages: Vec<String>,
}

/// What it is made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The controls by name.
    pub controls: BTreeMap<String, Control>,
    /// The script.
    pub script: Option<Text>,
    /// Other numbers from outside (the pointer's), as times and values.
    pub others: BTreeMap<String, Vec<[f64; 2]>>,
}

/// What it remembers from step to step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Memory {
    /// Whether the script has begun.
    started: bool,
    /// `this` in the script.
    state: Kept,
    /// The state of its random numbers.
    random: u64,
    /// What happened in the last step.
    happened: Happened,
}

/// What is wrong with a script, and where: line and column from 1, if that is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flaw {
    pub(crate) message: String,
    pub(crate) place: Option<(usize, usize)>,
}

impl SceneBehavior {
    /// From controls and a script; none if the script is none.
    pub(crate) fn new(plan: Plan) -> Result<Self, Flaw> {
        let program = plan.script.as_ref().map(Program::new).transpose()?;
        let memory = Memory { random: plan.script.as_ref().map_or(0, |text| text.seed), ..Memory::default() };
        Ok(Self { plan: Arc::new(plan), program, memory, messages: Vec::new() })
    }

    /// The controls by name.
    pub fn controls(&self) -> &BTreeMap<String, Control> {
        &self.plan.controls
    }

    /// Replaces the values that a control (or another number from outside, such as `pointer.from.x`) has while nobody touches it: pairs
    /// of time and value, in the order of time.
    pub fn set_frames(&mut self, control: &str, frames: Vec<[f64; 2]>) -> Result<(), ModelError> {
        controls::check_frames(&frames).map_err(ModelError::Invalid)?;
        let plan = Arc::make_mut(&mut self.plan);
        if control.starts_with("pointer.") {
            plan.others.insert(control.to_owned(), frames);
            return Ok(());
        }
        let Some(control) = plan.controls.get_mut(control) else {
            let known = plan.controls.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(ModelError::UnknownName { kind: "control", name: control.to_owned(), known });
        };
        control.frames = frames;
        Ok(())
    }
}

impl fmt::Debug for SceneBehavior {
    /// What it is made from; not what it remembers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt(f)
    }
}

impl Behavior for SceneBehavior {
    fn act(&mut self, world: &mut World, dt: f64) -> Result<(), String> {
        let time = world.time();
        for (name, frames) in &self.plan.others {
            if let Some(value) = controls::begun(frames, time) {
                world.set_input(name, value).map_err(|error| error.to_string())?;
            }
        }
        let values: BTreeMap<String, f64> = self
            .plan
            .controls
            .iter()
            .map(|(name, control)| (name.clone(), value_of(name, control, world, time)))
            .collect();
        for (name, control) in &self.plan.controls {
            let value = values.get(name).copied().unwrap_or(0.0);
            control
                .acts
                .iter()
                .try_for_each(|act| act.apply(world, value))
                .map_err(|e| format!("control \"{name}\": {e}"))?;
        }
        let (Some(program), Some(text)) = (&self.program, &self.plan.script) else { return Ok(()) };
        let said = program.run(&mut self.memory, world, dt, values);
        let said = said.map_err(|flaw| text.place(&flaw))?;
        let room = MOST_MESSAGES.saturating_sub(self.messages.len());
        self.messages.extend(said.into_iter().take(room));
        Ok(())
    }

    fn after(&mut self, world: &World) {
        if self.program.is_some() {
            self.memory.happened = Happened::of(world);
        }
    }

    fn clone_box(&self) -> Box<dyn Behavior> {
        Box::new(self.clone())
    }

    fn memory(&self) -> Vec<u8> {
        // Writing to memory does not fail.
        postcard::to_stdvec(&self.memory).unwrap_or_default()
    }

    fn load(&mut self, memory: &[u8]) -> Result<(), ModelError> {
        let read = postcard::from_bytes(memory);
        self.memory =
            read.map_err(|error| ModelError::Invalid(format!("the memory of the script cannot be read: {error}")))?;
        Ok(())
    }

    fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }
}

impl Serialize for SceneBehavior {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.plan.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SceneBehavior {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let plan = Plan::deserialize(deserializer)?;
        let text = plan.script.clone();
        Self::new(plan).map_err(|flaw| {
            serde::de::Error::custom(text.map_or_else(|| flaw.message.clone(), |text| text.place(&flaw)))
        })
    }
}

/// Lets saved worlds have the controls and scripts of scenes.
pub fn register(registry: &mut Registry) {
    registry.behaviors.register_saved(NAME, |behavior: SceneBehavior| Ok(Box::new(behavior) as Box<dyn Behavior>));
}
