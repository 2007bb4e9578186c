//! The same scenes for every engine, and one judge for all of them.
//!
//! A [`Scene`] is a plain list of bodies and joints. A program for each engine makes it its own (the trait [`Engine`]), and the loop
//! in [`measure`] times its steps and reads poses back. How deep things overlap, how far they drifted and how wide joints gape is then
//! worked out here, from the poses alone and with the geometry of tumble: so that every engine is judged by the same measure,
//! whatever it believes of itself.

pub mod judge;
pub mod measure;
mod piles;
pub mod scene;
pub mod scenes;
pub mod truth;

pub use measure::{Engine, Motion, serve};
pub use scene::{BodyDesc, JointDesc, Kind, Scene, ShapeDesc};
