//! Instrumentation for the page: what the world draws, as lines and points in a message.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | the kind of the message, 3 |
//! | 1 | which instrument |
//! | 4, 4 | the numbers of lines and points, `u32` |
//! | 28 each | a line: two ends (`f32`), colour (four bytes) |
//! | 20 each | a point: centre, radius (`f32`), colour (four bytes) |

use crate::protocol::Instrumented;
use glam::DVec3;
use std::sync::Arc;
use tumble_dynamics::World;
use tumble_dynamics::instrument::{Color, Instrument, InstrumentFlags};
use tumble_geometry::Transform;

/// The first byte of a drawing.
const DRAWING: u8 = 3;
/// The most lines, and the most points, that are drawn; more would only be a tangle.
const MOST: usize = 20_000;
/// The head of an arrow, as a part of its length.
const HEAD: f64 = 0.22;

/// Draws what a world shows of itself.
pub(crate) fn draw(world: &World, what: Instrumented) -> Arc<[u8]> {
    drawing(what, |sheet| world.draw(flags(what), sheet))
}

/// What is drawn on an instrument, as a message.
pub(crate) fn drawing(what: Instrumented, draw: impl FnOnce(&mut dyn Instrument)) -> Arc<[u8]> {
    let mut sheet = Sheet::default();
    draw(&mut sheet);
    let mut bytes = vec![DRAWING, what as u8];
    bytes.extend(((sheet.lines.len() / 28) as u32).to_le_bytes());
    bytes.extend(((sheet.points.len() / 20) as u32).to_le_bytes());
    bytes.extend(sheet.lines);
    bytes.extend(sheet.points);
    bytes.into()
}

fn flags(what: Instrumented) -> InstrumentFlags {
    let mut flags = InstrumentFlags::default();
    let flag = match what {
        // Not a matter of the world alone.
        Instrumented::Limits => return flags,
        Instrumented::Contacts => &mut flags.contacts,
        Instrumented::ContactForces => &mut flags.contact_forces,
        Instrumented::Forces => &mut flags.forces,
        Instrumented::Joints => &mut flags.joints,
        Instrumented::Reactions => &mut flags.reactions,
        Instrumented::Aabbs => &mut flags.aabbs,
        Instrumented::BroadPhase => &mut flags.broad_phase,
        Instrumented::Velocities => &mut flags.velocities,
        Instrumented::CentersOfMass => &mut flags.centers_of_mass,
        Instrumented::Islands => &mut flags.islands,
    };
    *flag = true;
    flags
}

/// Lines and points, already as bytes.
#[derive(Default)]
struct Sheet {
    lines: Vec<u8>,
    points: Vec<u8>,
}

fn vector(bytes: &mut Vec<u8>, vector: DVec3) {
    vector.as_vec3().to_array().into_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
}

fn color(bytes: &mut Vec<u8>, Color(channels): Color) {
    bytes.extend(channels.map(|channel| (255.0 * channel.clamp(0.0, 1.0)) as u8));
}

impl Instrument for Sheet {
    fn line(&mut self, from: DVec3, to: DVec3, paint: Color) {
        if self.lines.len() < 28 * MOST {
            vector(&mut self.lines, from);
            vector(&mut self.lines, to);
            color(&mut self.lines, paint);
        }
    }

    fn arrow(&mut self, from: DVec3, along: DVec3, paint: Color) {
        let tip = from + along;
        self.line(from, tip, paint);
        let Some(direction) = along.try_normalize() else { return };
        let (side, _) = tumble_geometry::math::orthonormal_pair(direction);
        let back = -HEAD * along;
        let out = 0.5 * HEAD * along.length() * side;
        self.line(tip, tip + back + out, paint);
        self.line(tip, tip + back - out, paint);
    }

    fn cuboid(&mut self, pose: &Transform, half: DVec3, paint: Color) {
        let corner = |bits: usize| {
            let sign = |bit: usize| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
            pose.point(half * DVec3::new(sign(0), sign(1), sign(2)))
        };
        // An edge goes from every corner along each axis on whose low side it is.
        for bits in 0..8 {
            for bit in (0..3).filter(|bit| bits >> bit & 1 == 0) {
                self.line(corner(bits), corner(bits | 1 << bit), paint);
            }
        }
    }

    fn sphere(&mut self, center: DVec3, radius: f64, paint: Color) {
        if self.points.len() < 20 * MOST {
            vector(&mut self.points, center);
            self.points.extend((radius as f32).to_le_bytes());
            color(&mut self.points, paint);
        }
    }

    /// Words are the page's business: it shows who sleeps by itself.
    fn text(&mut self, _at: DVec3, _text: &str, _color: Color) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_dynamics::Body;
    use tumble_geometry::Shape;

    #[test]
    fn a_box_has_twelve_edges_and_an_arrow_three_lines() {
        let mut world = World::new();
        let shape = Shape::cuboid([1.0, 2.0, 3.0]).unwrap();
        world.add_body(Body::dynamic().with_shape(shape).with_velocity([1.0, 0.0, 0.0])).unwrap();
        let count = |what| {
            let bytes = draw(&world, what);
            let lines = u32::from_le_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]);
            let points = u32::from_le_bytes([bytes[6], bytes[7], bytes[8], bytes[9]]);
            assert_eq!(bytes.len(), 10 + 28 * lines as usize + 20 * points as usize);
            (lines, points)
        };
        assert_eq!(count(Instrumented::Aabbs), (12, 0));
        assert_eq!(count(Instrumented::Velocities), (3, 0));
        assert_eq!(count(Instrumented::CentersOfMass), (0, 1));
    }
}
