//! The moments a film shows, whatever the moments of which there are recorded frames.
//!
//! Picture k of a film shows the time k/(fps·slow) after the first frame: pictures are equally far apart, and the film lasts
//! as long as what it shows, times `slow`. Between two frames bodies are drawn on the straight way from one to the other.

use std::collections::BTreeSet;
use tumble_dynamics::{Id, State};
use tumble_scene::Scene;
use tumble_scene::record::{RecordError, Recording};

/// States of a recording at any time.
pub(super) struct Moments<'a> {
    recording: &'a mut Recording,
    /// Frames with the slots of bodies that come or go with them: these have no way from the frame before.
    changes: BTreeSet<(u64, usize)>,
    /// The first and the last time to show, in seconds.
    start: f64,
    end: f64,
    /// How many pictures there are for a simulated second.
    rate: f64,
    /// The frame that was shown last; searched from here, since films go forwards.
    frame: u64,
}

impl<'a> Moments<'a> {
    /// Of all that is recorded until a time; `rate` is the number of pictures for a simulated second. The first frame must be
    /// readable.
    pub(super) fn new(scene: &Scene, recording: &'a mut Recording, until: f64, rate: f64) -> Result<Self, RecordError> {
        let of_scene = scene.world.bodies().map(|(id, _)| (id.slot(), recording.stay(id)));
        let stays = of_scene.chain(recording.newcomers().into_iter().map(|(body, stay)| (body.slot(), stay)));
        let changes = stays.flat_map(|(slot, stay)| [(stay.start, slot), (stay.end, slot)]).collect();
        let start = recording.frame(0)?.time;
        let end = last_time(recording, start).min(until).max(start);
        Ok(Self { recording, changes, start, end, rate, frame: 0 })
    }

    /// The last time there is.
    pub(super) fn end(&self) -> f64 {
        self.end
    }

    /// How many pictures the film has: the last shows the end, or what is less than a picture before it.
    pub(super) fn count(&self) -> u64 {
        // Times are sums of steps, and rounded.
        (((self.end - self.start) * self.rate + 1e-6).floor() as u64).saturating_add(1)
    }

    /// The state that a picture of the film shows, and the frame that says who is there.
    pub(super) fn picture(&mut self, picture: u64) -> Result<(u64, State), RecordError> {
        self.at(self.start + picture as f64 / self.rate)
    }

    /// The state at a time, and the last frame before it, which says who is there.
    pub(super) fn at(&mut self, time: f64) -> Result<(u64, State), RecordError> {
        if self.recording.frame(self.frame)?.time > time {
            self.frame = self.recording.frame_at(time)?;
        }
        let mut state = self.recording.frame(self.frame)?.clone();
        while self.frame + 1 < self.recording.len() {
            let next = self.recording.frame(self.frame + 1)?;
            if next.time > time {
                let part = (time - state.time) / (next.time - state.time);
                if part > 0.0 {
                    move_towards(&mut state, next, part, |slot| !self.changes.contains(&(self.frame + 1, slot)));
                }
                break;
            }
            state.clone_from(next);
            self.frame += 1;
        }
        Ok((self.frame, state))
    }
}

/// The time of the last frame; where it is damaged, what it should be: the film ends at the damage anyway.
fn last_time(recording: &mut Recording, start: f64) -> f64 {
    let last = recording.len().saturating_sub(1);
    let rate = recording.header().rate;
    recording.frame(last).map_or(start + last as f64 / rate, |state| state.time)
}

/// Moves those bodies that stay a part of the way to the next state.
fn move_towards(state: &mut State, next: &State, part: f64, stays: impl Fn(usize) -> bool) {
    let bodies = state.bodies.iter_mut().zip(&next.bodies).enumerate();
    for (_, (body, next)) in bodies.filter(|(slot, _)| stays(*slot)) {
        body.position += (next.position - body.position) * part;
        if body.rotation != next.rotation {
            // q and −q mean the same; the shorter way is meant.
            let turned = if body.rotation.dot(next.rotation) < 0.0 { -next.rotation } else { next.rotation };
            body.rotation = (body.rotation + (turned - body.rotation) * part).normalize();
        }
    }
    state.time += (next.time - state.time) * part;
}
