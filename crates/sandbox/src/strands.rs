//! Rods, ropes and springs between bodies, and the pins of joints, as a message:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | the kind of the message, 6 |
//! | 1 | the run: 0 for the first, 1 for the second |
//! | 4 | how thick a wire is, in metres, `f32` |
//! | 4 | the number of pieces that follow, `u32` |
//! | 25 each | 0 for a straight wire, 1 for a coil, 2 for a pin, 3 for a pin on what stands still; two ends (`f32`), of pins twice their place |

use glam::DVec3;
use std::sync::Arc;
use tumble_dynamics::World;
use tumble_scene::Scene;
use tumble_scene::strands::{StrandKind, pins, strands};

/// The first byte of the message.
const STRANDS: u8 = 6;

/// How thick wires are: well seen from where the scene is looked at, and no thicker.
pub(crate) fn thickness(scene: &Scene) -> f64 {
    0.0016 * scene.camera.map_or(5.0, |camera| camera.from.distance(camera.to))
}

/// All that is stretched between the bodies of a world.
pub(crate) fn tell_strands(world: &World, run: u8, thickness: f64) -> Arc<[u8]> {
    let strands = strands(world.model(), world.state())
        .into_iter()
        .map(|strand| (u8::from(strand.kind == StrandKind::Coil), strand.ends));
    let pins = pins(world.model(), world.state()).into_iter().map(|pin| (2 + u8::from(pin.fixed), [pin.at; 2]));
    let pieces: Vec<(u8, [DVec3; 2])> = strands.chain(pins).collect();
    let mut bytes = vec![STRANDS, run];
    bytes.extend((thickness as f32).to_le_bytes());
    bytes.extend((pieces.len() as u32).to_le_bytes());
    for (kind, ends) in pieces {
        bytes.push(kind);
        for end in ends {
            end.as_vec3().to_array().into_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        }
    }
    bytes.into()
}

/// Whether a message says that there is nothing.
pub(crate) fn is_empty(message: &[u8]) -> bool {
    message.get(6..10) == Some(&[0; 4])
}
