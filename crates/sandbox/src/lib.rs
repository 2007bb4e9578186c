//! The sandbox: watch a simulation in the browser, drag and shoot at its bodies, question it and edit its scene.
//!
//! A [`Sandbox`] is a small web server with one simulation behind it. The parts, from the inside out:
//!
//! | module | what |
//! |---|---|
//! | `simulation` | the thread that owns the world, obeys requests and publishes what is to be seen |
//! | `runs` | the world, and perhaps a second one beside it with another method |
//! | `between` | moments inside the last step, with a method that knows them: slow motion as smooth as all else |
//! | `history` | the last minute, to go back to and to go on from, bit for bit |
//! | `hand` | the spring by which the mouse drags a body |
//! | `looks`, `drawings`, `limits`, `inspect`, `tell` | bodies, instrumentation and numbers in the words of the page |
//! | `frame` | poses in few bytes: only what moved, as differences to what this tab has |
//! | `protocol` | what pages may ask for |
//! | `client` | one tab: everything it gets is the latest state of things, never a queue |
//! | `server`, `gate`, `assets` | HTTP: who may connect, for how long without a word, and the page itself |
//! | `preview`, `recording` | what else can be fetched: a look at a scene for its thumbnail, the last minute as a file |
//!
//! The simulation publishes one value, its latest state of affairs; each tab compares it with what it
//! has been sent and gets the difference, when its connection has room. A slow tab skips frames and harms nobody.
//!
//! ```no_run
//! use tumble_sandbox::{Options, Sandbox, Subject};
//!
//! let sandbox = Sandbox::start(Subject::gallery("dominoes").unwrap(), &Options::default())?;
//! println!("look at {}", sandbox.url());
//! sandbox.wait();
//! # Ok::<(), tumble_sandbox::SandboxError>(())
//! ```

mod assets;
mod between;
mod client;
mod drawings;
mod frame;
mod gate;
mod hand;
mod history;
mod inspect;
mod limits;
mod looks;
mod preview;
mod protocol;
mod published;
mod recording;
#[cfg(any(test, feature = "fuzzing"))]
pub mod rehearsal;
mod runs;
mod server;
mod simulation;
mod strands;
mod subject;
mod tell;

pub use server::{Options, Sandbox, SandboxError};
pub use subject::Subject;
