//! Drawing what only this method knows: its islands and the structure of its broad phase.

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
    if flags.broad_phase {
        method.broad_phase().structure(&mut |aabb| draw_aabb(&aabb, Color::GREY, instrument));
    }
    if flags.islands {
        for (number, island) in method.islands.iter().enumerate() {
            let bodies = island.bodies.iter().filter_map(|&id| model.bodies().get(id));
            for collider in bodies.flat_map(|body| &body.colliders).filter_map(|&id| model.colliders().get(id)) {
                draw_aabb(&collider.shape.aabb(&collider.pose_in(state)), Color::numbered(number), instrument);
            }
        }
    }
}
