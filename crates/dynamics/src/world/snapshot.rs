//! Snapshots: the whole world at a moment, to return to. Saved states: what of it goes into a file.

use super::World;
use crate::method::Method;
use crate::{ForceId, Id, Model, ModelError, State};
use serde::{Deserialize, Serialize};

/// The whole world at a moment: model, state and the method with its caches. A run resumed from it is bit for bit the
/// run that was not interrupted.
#[derive(Debug)]
pub struct Snapshot {
    model: Model,
    state: State,
    method: Box<dyn Method>,
    gravity: ForceId,
}

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        let (model, state, method) = (self.model.clone(), self.state.clone(), self.method.clone_box());
        Self { model, state, method, gravity: self.gravity }
    }
}

impl Snapshot {
    /// The state at that moment.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The model at that moment.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

/// Everything of a world but the model, as plain data for a file or a network: the state and what the method remembers.
/// A world built in the same way that loads it goes on bit for bit as the one that saved it.
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
/// let text = serde_json::to_string(&world.save())?;
///
/// let mut other = build()?;
/// other.load(&serde_json::from_str::<SavedState>(&text)?)?;
/// world.step(1.0 / 60.0)?;
/// other.step(1.0 / 60.0)?;
/// assert_eq!(world.state(), other.state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedState {
    state: State,
    method: String,
    /// JSON in a string, so that it fits into every format.
    memory: String,
}

impl SavedState {
    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl World {
    /// The state and what the method remembers, as plain data.
    pub fn save(&self) -> SavedState {
        let memory = self.method.save(&self.model).to_string();
        SavedState { state: self.state.clone(), method: self.method.name().to_owned(), memory }
    }

    /// Returns to a saved state of a world with the same model, refused if it does not fit. Events of the last step are
    /// forgotten.
    pub fn load(&mut self, saved: &SavedState) -> Result<(), ModelError> {
        let SavedState { state, method, memory } = saved;
        if method != self.method.name() {
            let own = self.method.name();
            return Err(ModelError::Invalid(format!(
                "the state was saved by the method \"{method}\", this is \"{own}\""
            )));
        }
        check_fit(&self.model, state)?;
        let wrong = |error: serde_json::Error| ModelError::BadProperties {
            part: format!("the memory of the method \"{method}\""),
            problem: error.to_string(),
        };
        let memory = serde_json::from_str(memory).map_err(wrong)?;
        let mut loaded = self.method.clone_box();
        loaded.load(&self.model, state, &memory)?;
        (self.method, self.state) = (loaded, state.clone());
        self.events.clear();
        self.places.all_changed();
        Ok(())
    }

    /// Goes on from another state of the same model, refused if it does not fit. The method forgets what it remembers, and
    /// events of the last step are forgotten.
    pub fn set_state(&mut self, state: &State) -> Result<(), ModelError> {
        check_fit(&self.model, state)?;
        self.method.reset();
        self.state.clone_from(state);
        self.events.clear();
        self.places.all_changed();
        Ok(())
    }

    /// The world as it is now.
    pub fn snapshot(&self) -> Snapshot {
        let (model, state, method) = (self.model.clone(), self.state.clone(), self.method.clone_box());
        Snapshot { model, state, method, gravity: self.gravity }
    }

    /// Returns to a moment. Events of the last step are forgotten.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot { model, state, method, gravity } = snapshot.clone();
        (self.model, self.state, self.method, self.gravity) = (model, state, method, gravity);
        self.events.clear();
        self.places.all_changed();
    }
}

/// Whether a state can be one of a model.
fn check_fit(model: &Model, state: &State) -> Result<(), ModelError> {
    let counts = [
        ("bodies", state.bodies.len(), model.bodies.slot_count()),
        ("applied forces", state.applied.len(), model.bodies.slot_count()),
        ("joints", state.broken.len(), model.joints.slot_count()),
        ("joint angles", state.angles.len(), model.joints.slot_count()),
    ];
    for (what, saved, own) in counts {
        if saved != own {
            return Err(ModelError::Invalid(format!("the saved state has {saved} rows of {what}, the model {own}")));
        }
    }
    let sound = |slot: usize| {
        let (body, wrench) = (&state.bodies[slot], &state.applied[slot]);
        let finite = body.is_finite() && body.quiet_time.is_finite();
        finite && body.center_pose().is_valid() && wrench.force.is_finite() && wrench.torque.is_finite()
    };
    let broken = model.bodies.ids().find(|id| !sound(id.slot()));
    if let Some(id) = broken {
        let value = format!("{:?}", state.bodies[id.slot()]);
        let allowed = "finite, with a unit quaternion";
        return Err(ModelError::OutOfRange { what: "saved motion of a body", value, allowed });
    }
    crate::error::checked("saved time", state.time, .., "finite").map(|_| ())
}
