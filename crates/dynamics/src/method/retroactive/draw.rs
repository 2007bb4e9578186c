//! Drawing what only this method knows: its islands.

use super::Retroactive;
use crate::instrument::{Color, Instrument, InstrumentFlags, draw_aabb};
use crate::{Model, State};

pub(super) fn draw(
    method: &Retroactive,
    model: &Model,
    state: &State,
    flags: InstrumentFlags,
    instrument: &mut dyn Instrument,
) {
    if flags.islands {
        for (number, island) in method.islands.as_slice().iter().enumerate() {
            let bodies = island.bodies.iter().filter_map(|&id| model.bodies().get(id));
            for collider in bodies.flat_map(|body| &body.colliders).filter_map(|&id| model.colliders().get(id)) {
                draw_aabb(&collider.shape.aabb(&collider.pose_in(state)), Color::numbered(number), instrument);
            }
        }
    }
}
