//! Scene files, meshes from files, recordings and exports.
//!
//! A scene is one TOML file that a person can read and write: [`format`](mod@format) is what may stand in it, [`Loader`]
//! turns it into a [`World`](tumble_dynamics::World), and a [`Report`] says what is wrong with it, all at once, with line
//! and column.
//!
//! ```
//! use tumble_scene::Loader;
//!
//! let text = r#"
//!     title = "A ball falls"
//!     [bodies.ball]
//!     shape.sphere.radius = 0.5
//!     position = [0, 10, 0]
//! "#;
//! let mut scene = Loader::new().load_text("ball.toml", text)?;
//! scene.world.step(scene.dt)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod behave;
mod build;
mod check;
pub mod cost;
mod degrees;
pub mod draft;
pub mod edit;
pub mod energy;
mod fault;
pub mod fit;
pub mod format;
pub mod framing;
pub mod gallery;
pub mod goal;
mod include;
pub mod inverse;
mod kind;
mod load;
pub mod look;
pub mod mesh;
mod nearest;
pub mod plot;
mod plugins;
pub mod record;
mod reference;
mod refers;
mod registry;
mod report;
pub mod run;
mod schema;
pub mod skin;
pub mod source;
pub mod storms;
pub mod strands;
mod tree;
pub mod validate;

pub use cost::{Budget, Cost};
pub use load::{Color, Loader, MAX_SCENE, Scene, SceneSource};
pub use nearest::suggestion;
pub use reference::scene_reference;
pub use registry::registry;
pub use report::{Diagnostic, Report};
pub use schema::scene_schema;
