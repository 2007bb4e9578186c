//! Dynamics of colliding, jointed rigid bodies.
//!
//! Everything that does not change as time passes is the [`Model`]; everything that does is the [`State`]; how time
//! passes is a [`Method`](method::Method). A [`World`] holds one of each and is what a game keeps.

pub mod constraint;
mod error;
pub mod event;
pub mod force;
mod id;
pub mod instrument;
pub mod integrator;
pub mod method;
pub mod model;
pub mod registry;
mod report;
pub mod solver;
mod state;
mod world;

pub use error::{ModelError, StepError};
pub use id::{Arena, BodyId, ColliderId, ForceId, Id, JointId};
pub use model::{Body, Collider, Material, Model};
pub use report::{Convergence, StepReport, StepTimes};
pub use state::{BodyState, State, Wrench};
pub use tumble_geometry as geometry;
pub use world::{
    BodyMut, BodyRef, ColliderMut, ColliderRef, Energy, Hit, JointMut, JointRef, SavedState, Snapshot, World,
};
