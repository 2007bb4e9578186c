//! Methods: how time passes.
//!
//! A [`Method`] takes a [`State`] to the next. Each step it gets a [`StepContext`]: the model, what the user changed since
//! its last step, the state, the spatial index, the list of events, the workers and an observer. What is of use to more
//! than one method lies in [`parts`](crate::parts).

pub mod accurate;
pub mod advancing;
#[cfg(feature = "registry")]
mod broad_phases;
pub mod classic;
mod context;
pub mod impact;
pub mod penalty;
pub mod realtime;
pub mod retroactive;
pub mod verlet;

pub use accurate::{Accurate, AccurateSettings};
pub use advancing::{Advancing, AdvancingSettings};
#[cfg(feature = "registry")]
pub(crate) use broad_phases::register as register_broad_phases;
#[cfg(feature = "registry")]
pub use broad_phases::{BroadPhaseDescription, HashGridDescription, KdTreeDescription};
pub use context::{NobodyWatches, Observer, StepContext};
pub use impact::{ImpactDynamics, ImpactSettings};
pub use penalty::{Penalty, PenaltySettings};
pub use realtime::{Realtime, RealtimeSettings};
#[cfg(feature = "registry")]
pub use retroactive::RetroactiveDescription;
pub use retroactive::{ContactModel, Retroactive};
pub use verlet::{VerletLoop, VerletSettings};

use crate::contact::Contact;
use crate::event::Reaction;
use crate::instrument::{Instrument, InstrumentFlags};
#[cfg(feature = "registry")]
use crate::registry::{DescribeMethod, Table};
use crate::{BodyId, JointId, Model, ModelError, State, StepError, StepReport};
use tumble_geometry::broad_phase::{BroadPhase, DynamicTree};

/// How time passes: takes a state to the next.
///
/// **A step is a transaction.** If it returns an error, state, events and all the method remembers are as before the step,
/// and the next step gives the bits of a run in which the failed one was never tried. The world does not help: it keeps no
/// copy of the state and looks at nothing after the step. So a method checks that numbers are finite where it
/// writes them ([`parts::finite`](crate::parts::finite)).
pub trait Method: std::any::Any + std::fmt::Debug + Send + Sync {
    /// The name it is registered under.
    fn name(&self) -> &'static str;

    /// Advances the state by `context.dt` seconds and tells what happened.
    ///
    /// What belongs to a step: [scripted](crate::parts::scripts) bodies follow their scripts, joints that turn have their
    /// [turns](crate::parts::turns) counted, and the [index](crate::ColliderIndex) is told what moved (or that
    /// [all](crate::ColliderIndex::all_moved) did). The world advances the clock itself.
    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError>;

    /// An empty broad phase of the kind that the world is to keep its colliders in for this method. Default: a dynamic tree.
    fn new_broad_phase(&self) -> Box<dyn BroadPhase> {
        Box::new(DynamicTree::default())
    }

    /// Calls `visit` with all contacts of the last step, by ids of the colliders. Default: none.
    fn visit_contacts<'a>(&'a self, _visit: &mut dyn FnMut(Contact<'a>)) {}

    /// Calls `visit` with the contacts of one body in the last step, in a time that depends on how many that are.
    /// Default: looks at all.
    fn visit_contacts_of<'a>(&'a self, body: BodyId, visit: &mut dyn FnMut(Contact<'a>)) {
        self.visit_contacts(&mut |contact| {
            if contact.bodies.contains(&body) {
                visit(contact);
            }
        });
    }

    /// What a joint exerted during the last step. Default: unknown.
    fn reaction(&self, _joint: JointId) -> Option<Reaction> {
        None
    }

    /// What the last step did. Default: all zero, also right after [`reset`](Self::reset): the method remembers no step, and
    /// every change by the user then wakes all bodies.
    fn report(&self) -> StepReport {
        StepReport::default()
    }

    /// The energy in joules that the method itself keeps, neither in the motion of bodies nor in forces: in the springs of contacts that are
    /// pressed. Default: none.
    fn stored_energy(&self) -> f64 {
        0.0
    }

    /// Draws what only the method knows, where the flags ask for it. Default: nothing.
    fn draw(&self, _model: &Model, _state: &State, _flags: InstrumentFlags, _instrument: &mut dyn Instrument) {}

    /// Forgets everything remembered from earlier steps.
    fn reset(&mut self);

    /// All it remembers from earlier steps, as plain data for any format. A method of the same kind and settings that
    /// [loads](Self::load) it for the same model and state goes on bit for bit as this one. Default: nothing.
    fn memory<'a>(&'a self, _model: &'a Model) -> Box<dyn erased_serde::Serialize + 'a> {
        Box::new(())
    }

    /// The same in postcard's encoding, for saves. By default through [`memory`](Self::memory), which asks a table of functions for every
    /// number; a method that remembers much writes its own types, in a third of the time.
    fn memory_as_bytes(&self, model: &Model) -> Vec<u8> {
        // Writing to memory does not fail.
        postcard::to_extend(&self.memory(model), Vec::new()).unwrap_or_default()
    }

    /// Takes over what another method of the same kind remembered of the same model and state. On an error it is as before.
    /// Default: forgets everything, which is all there is to do for a method that remembers nothing.
    fn load(
        &mut self,
        _model: &Model,
        _state: &State,
        _memory: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<(), ModelError> {
        self.reset();
        Ok(())
    }

    /// Checks what it remembers against the model and the state; says what is not sound. For tests. Default: all is well.
    fn validate(&self, _model: &Model, _state: &State) -> Result<(), String> {
        Ok(())
    }

    /// A copy in a box, with all its caches, so that a run resumed from it is bit for bit the run that went on.
    fn clone_box(&self) -> Box<dyn Method>;
}

/// Registers the built-in methods.
#[cfg(feature = "registry")]
pub(crate) fn register(table: &mut Table<Box<dyn DescribeMethod>>) {
    table.register("accurate", |settings: AccurateSettings| Ok(Box::new(settings) as _));
    table.register("realtime", |settings: RealtimeSettings| Ok(Box::new(settings) as _));
    table.register("advancing", |settings: AdvancingSettings| Ok(Box::new(classic::Described(settings)) as _));
    table.register("impact", |settings: ImpactSettings| {
        settings.validate()?;
        Ok(Box::new(classic::Described(settings)) as _)
    });
    table.register("penalty", |settings: PenaltySettings| Ok(Box::new(classic::Described(settings)) as _));
    table.register("verlet", |settings: VerletSettings| Ok(Box::new(classic::Described(settings)) as _));
    table.register("retroactive", |description: RetroactiveDescription| Ok(Box::new(description) as _));
}
