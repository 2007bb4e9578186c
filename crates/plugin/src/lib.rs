//! Plug-ins: forces, joints, convex shapes and methods that are loaded at run time.
//!
//! A plug-in is a WebAssembly module, as bytes (`.wasm`) or as text (`.wat`), with a description of itself in a custom section. What it
//! describes takes its place in a [`Registry`] beside the built-in parts: in the schema of scene files, in error messages, in lists.
//!
//! ```
//! use tumble_dynamics::registry::Registry;
//! use tumble_dynamics::{Body, World};
//! use tumble_plugin::{Plugin, template};
//!
//! let mut registry = Registry::default();
//! Plugin::read("updraft.wat", template::FORCE.as_bytes())?.register(&mut registry)?;
//! let mut world = World::new();
//! let leaf = world.add_body(Body::particle(0.001))?;
//! world.add_force(registry.forces.create("updraft", &serde_json::json!({ "strength": 10.0 }))?);
//! world.step(1.0 / 60.0)?;
//! assert!(world.body(leaf)?.velocity().y > 0.0); // it rises
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a plug-in can and cannot do
//!
//! **It cannot do harm.** A module has no access to anything: no files, no clock, no network, no memory but its own, of which it has
//! at most 16 MB, and instructions are counted ([`machine`]). Whatever goes wrong (a trap, an endless loop, numbers that are none)
//! is an error that names the plug-in, and the step is taken back.
//!
//! **It gives the same bits everywhere.** WebAssembly without relaxed SIMD, in its deterministic profile, defines every bit; what it lacks (sines,
//! logarithms) a module imports from tumble, which has its own. And a plug-in remembers nothing from call to call:
//! memory and globals are set back. So its results do not depend on which thread asked first, on snapshots or saves.
//!
//! # What a plug-in is made of
//!
//! A custom section named `tumble` with a text in TOML ([`Description`]), a memory named `memory` that may grow, and functions. Numbers are passed as
//! arrays of 64-bit floating-point numbers in that memory, to which the functions get pointers; `properties` points to the properties
//! in the order of the description, vectors as three numbers, yes and no as 1 and 0.
//!
//! | kind | functions |
//! |---|---|
//! | `force` | `force(properties, time: f64, count, bodies, out)`: 6 numbers a body, force and torque about the centre of mass, are written to `out`; and, if the force has a potential, `energy(properties, time: f64, count, bodies) -> f64` |
//! | `joint` | `rows(properties, ends, out)`: for each row 14 numbers, see [`joint`] |
//! | `shape` | `support(properties, x: f64, y: f64, z: f64, out)`: the point farthest along (x, y, z), 3 numbers; it need not have unit length |
//! | `method` | `stage(index, properties, dt: f64, count, bodies, forces, next) -> f64`, see [`method`] |
//!
//! A body is 21 numbers: mass; position of its centre of mass; rotation as a quaternion x, y, z, w; velocity; angular velocity, all
//! in the world; its principal moments of inertia, and the quaternion from their axes to those of the body.
//!
//! From the module `tumble` it may import `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `exp`, `log` (one number), `atan2` and `pow` (two).

mod description;
mod folder;
pub mod force;
pub mod joint;
mod layout;
pub mod machine;
pub mod method;
mod part;
mod pure;
pub mod shape;
pub mod template;

pub use description::{Description, INTERFACE, Kind, PropertyKind, PropertyText, RowKind};
pub use folder::{Plugins, read_folder};

use machine::Machine;
use std::path::Path;
use std::sync::Arc;
use tumble_dynamics::registry::{Part, Registry};

/// The longest file of a plug-in that is read, in bytes.
pub const MAX_FILE: u64 = 4 << 20;

/// Why a plug-in was refused: a sentence that names it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the plug-in {file}: {problem}")]
pub struct PluginError {
    /// The file it is from.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
}

/// A plug-in that was read and looks sound.
#[derive(Clone, Debug)]
pub struct Plugin {
    file: String,
    description: Description,
    machine: Arc<Machine>,
}

impl Plugin {
    /// Reads a plug-in from a file, `.wasm` or `.wat`.
    pub fn load(path: &Path) -> Result<Self, PluginError> {
        let file = path.display().to_string();
        let fail = |problem: String| PluginError { file: file.clone(), problem };
        let size = std::fs::metadata(path).map_err(|error| fail(error.to_string()))?.len();
        if size > MAX_FILE {
            return Err(fail(format!("it has {size} bytes, and {MAX_FILE} are allowed")));
        }
        let bytes = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
        Self::read(&file, &bytes)
    }

    /// Reads a plug-in from its bytes, WebAssembly or its text; `file` is for messages.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, PluginError> {
        let fail = |problem: String| PluginError { file: file.to_owned(), problem };
        if bytes.len() as u64 > MAX_FILE {
            return Err(fail(format!("it has {} bytes, and {MAX_FILE} are allowed", bytes.len())));
        }
        let binary = wat::parse_bytes(bytes).map_err(|error| fail(format!("it is not WebAssembly: {error}")))?;
        let module = pure::prepare(&binary).map_err(fail)?;
        let description = Description::read(&module.description).map_err(fail)?;
        let label = format!("the plug-in \"{}\" ({file})", description.name);
        let machine = Machine::new(label, &module, description.kind.exports()).map_err(fail)?;
        Ok(Self { file: file.to_owned(), description, machine: Arc::new(machine) })
    }

    /// What it says of itself.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The file it is from.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What the registry knows of it: its properties with those that every part of its kind has.
    pub fn part(&self) -> Part {
        part::describe(&self.description)
    }

    /// Gives it a place among the parts of a registry, under its own name. Refused if there is a part of its kind of that name.
    pub fn register(&self, registry: &mut Registry) -> Result<(), PluginError> {
        let name = &self.description.name;
        let taken = match self.description.kind {
            Kind::Force => registry.forces.part(name).is_some(),
            Kind::Joint => registry.joints.part(name).is_some(),
            Kind::Shape => registry.shapes.part(name).is_some() || shape::BUILT_IN.contains(&name.as_str()),
            Kind::Method => registry.methods.part(name).is_some(),
        };
        if taken {
            let problem = format!("there is a {} named \"{name}\" already", self.description.kind);
            return Err(PluginError { file: self.file.clone(), problem });
        }
        let program = part::Program::new(self);
        match self.description.kind {
            Kind::Force => force::register(program, &mut registry.forces),
            Kind::Joint => joint::register(program, &mut registry.joints),
            Kind::Shape => shape::register(program, &mut registry.shapes),
            Kind::Method => method::register(program, &mut registry.methods),
        }
        Ok(())
    }
}
