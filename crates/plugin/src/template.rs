//! Plug-ins to start from, as WebAssembly text: small ones of each kind, which tests run.

/// A force: an updraft that fades with height.
pub const FORCE: &str = include_str!("../templates/force.wat");
/// A joint: a bead on a wire that is bent to a parabola.
pub const JOINT: &str = include_str!("../templates/joint.wat");
/// A shape: a superellipsoid.
pub const SHAPE: &str = include_str!("../templates/shape.wat");
/// A method: the leapfrog.
pub const METHOD: &str = include_str!("../templates/method.wat");
