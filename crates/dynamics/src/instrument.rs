//! Instrumentation: every part can draw its state on an abstract device.

use glam::DVec3;
use tumble_geometry::Transform;

/// A colour, red, green, blue, opacity from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color(pub [f32; 4]);

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
