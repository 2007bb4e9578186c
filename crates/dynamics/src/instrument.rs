//! Instrumentation: every part can draw its state on an abstract device.
//!
//! [`World::draw`](crate::World::draw) draws what [`InstrumentFlags`] asks for on an [`Instrument`]: a window, a file, or a
//! [`Recorder`] in a test. Quantities that are not lengths become arrows of these lengths:
//!
//! | what | arrow |
//! |---|---|
//! | contact normal | [`NORMAL_LENGTH`] |
//! | velocity | the way in [`VELOCITY_TIME`] |
//! | force | the acceleration it causes, times [`ACCELERATION_SCALE`] |
//! | contact force, reaction of a joint | likewise, of the second body, or of the first if forces do not move the second |

use glam::DVec3;
use tumble_geometry::{Aabb, Transform};

/// The length of the arrow of a contact normal, in metres.
pub const NORMAL_LENGTH: f64 = 0.25;
/// A velocity is drawn as the way in this time, in seconds.
pub const VELOCITY_TIME: f64 = 0.1;
/// An acceleration is drawn with this many metres per m/s².
pub const ACCELERATION_SCALE: f64 = 0.1;

/// A colour, red, green, blue, opacity from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color(pub [f32; 4]);

impl Color {
    /// Red: contacts.
    pub const RED: Self = Self([1.0, 0.2, 0.2, 1.0]);
    /// Green: velocities.
    pub const GREEN: Self = Self([0.2, 0.9, 0.3, 1.0]);
    /// Blue: joints.
    pub const BLUE: Self = Self([0.3, 0.5, 1.0, 1.0]);
    /// Yellow: centres of mass.
    pub const YELLOW: Self = Self([1.0, 0.9, 0.2, 1.0]);
    /// Orange: forces.
    pub const ORANGE: Self = Self([1.0, 0.6, 0.1, 1.0]);
    /// White: boxes around colliders.
    pub const WHITE: Self = Self([1.0, 1.0, 1.0, 1.0]);
    /// Grey: what sleeps, and the structure of the broad phase.
    pub const GREY: Self = Self([0.5, 0.5, 0.5, 1.0]);

    /// The `n`-th of a sequence of bright colours in which neighbours differ: hues a golden section of the circle apart.
    pub fn numbered(n: usize) -> Self {
        let turns = (n % 10_000) as f32 * 0.618_034;
        let hue = 6.0 * (turns - turns.floor());
        // A channel is full within one sixth of the circle on either side of its own hue and fades over the next.
        let channel = |own: f32| {
            let apart = (hue - own).abs();
            (2.0 - apart.min(6.0 - apart)).clamp(0.0, 1.0)
        };
        Self([channel(0.0), channel(2.0), channel(4.0), 1.0])
    }
}

/// What to draw. Default: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstrumentFlags {
    /// Contact points as spheres, normals as arrows out of the first collider into the second.
    pub contacts: bool,
    /// The force of each contact point during the last step, as an arrow from the point.
    pub contact_forces: bool,
    /// The sum of the forces on each body, without joints and contacts, as an arrow at its centre of mass.
    pub forces: bool,
    /// Joints that are not broken, as lines from the centres of mass to the anchors and between the anchors.
    pub joints: bool,
    /// The reaction force of each joint during the last step, as an arrow from its anchor.
    pub reactions: bool,
    /// Boxes around the colliders, where they are finite.
    pub aabbs: bool,
    /// The cells or nodes of the method's broad phase, where they are finite.
    pub broad_phase: bool,
    /// Velocities of the centres of mass, as arrows.
    pub velocities: bool,
    /// Centres of mass, as spheres.
    pub centers_of_mass: bool,
    /// The colliders' boxes in a colour for each of the method's islands.
    pub islands: bool,
    /// Which bodies sleep, as text at their centre of mass.
    pub sleep: bool,
}

impl InstrumentFlags {
    /// Everything.
    pub const ALL: Self = Self {
        contacts: true,
        contact_forces: true,
        forces: true,
        joints: true,
        reactions: true,
        aabbs: true,
        broad_phase: true,
        velocities: true,
        centers_of_mass: true,
        islands: true,
        sleep: true,
    };
}

/// A device to draw on.
pub trait Instrument {
    /// A line between two points.
    fn line(&mut self, from: DVec3, to: DVec3, color: Color);
    /// An arrow from a point along a vector.
    fn arrow(&mut self, from: DVec3, vector: DVec3, color: Color);
    /// A box by its pose and half extents.
    fn cuboid(&mut self, pose: &Transform, half_extents: DVec3, color: Color);
    /// A sphere.
    fn sphere(&mut self, center: DVec3, radius: f64, color: Color);
    /// A text at a point.
    fn text(&mut self, at: DVec3, text: &str, color: Color);
}

/// Draws a box if it is finite and not empty.
pub(crate) fn draw_aabb(aabb: &Aabb, color: Color, instrument: &mut dyn Instrument) {
    if aabb.min.is_finite() && aabb.max.is_finite() && aabb.min.cmple(aabb.max).all() {
        instrument.cuboid(&Transform::from_translation(aabb.center()), aabb.half_extents(), color);
    }
}

/// What was drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawn {
    /// A line from, to.
    Line(DVec3, DVec3, Color),
    /// An arrow from, along.
    Arrow(DVec3, DVec3, Color),
    /// A box by pose and half extents.
    Cuboid(Transform, DVec3, Color),
    /// A sphere by centre and radius.
    Sphere(DVec3, f64, Color),
    /// A text at a point.
    Text(DVec3, String, Color),
}

/// An instrument that remembers what was drawn, in order: for tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorder {
    /// What was drawn.
    pub drawn: Vec<Drawn>,
}

impl Instrument for Recorder {
    fn line(&mut self, from: DVec3, to: DVec3, color: Color) {
        self.drawn.push(Drawn::Line(from, to, color));
    }

    fn arrow(&mut self, from: DVec3, vector: DVec3, color: Color) {
        self.drawn.push(Drawn::Arrow(from, vector, color));
    }

    fn cuboid(&mut self, pose: &Transform, half_extents: DVec3, color: Color) {
        self.drawn.push(Drawn::Cuboid(*pose, half_extents, color));
    }

    fn sphere(&mut self, center: DVec3, radius: f64, color: Color) {
        self.drawn.push(Drawn::Sphere(center, radius, color));
    }

    fn text(&mut self, at: DVec3, text: &str, color: Color) {
        self.drawn.push(Drawn::Text(at, text.into(), color));
    }
}
