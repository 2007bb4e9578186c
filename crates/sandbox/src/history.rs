//! The states of the last minute, to go back to.
//!
//! A moment is a [`State`], and the [`Snapshot`] of the world when its bodies were last added or removed, which many
//! moments share. Of small scenes sixty moments per second are kept, of large ones as many as fit into the memory
//! allowed.

use std::collections::VecDeque;
use std::sync::Arc;
use tumble_dynamics::{BodyState, Snapshot, State, World, Wrench};

/// How far back it goes, in seconds of simulated time.
const SPAN: f64 = 60.0;
/// The shortest time between two moments, in seconds.
const SHORTEST: f64 = 1.0 / 60.0;
/// How many bytes all moments together take, about.
const MEMORY: f64 = 128e6;
/// How many different sets of bodies are remembered.
const SETS: usize = 100;

#[derive(Debug)]
struct Moment {
    state: State,
    bodies: Arc<Snapshot>,
}

/// Moments in the order of time.
#[derive(Debug)]
pub(crate) struct History {
    moments: VecDeque<Moment>,
    /// The world when its bodies were last added or removed.
    bodies: Arc<Snapshot>,
    /// How many sets of bodies were begun since the oldest moment.
    sets: usize,
}

impl History {
    /// Begins with the world as it is.
    pub(crate) fn new(world: &World) -> Self {
        let mut history = Self { moments: VecDeque::new(), bodies: Arc::new(world.snapshot()), sets: 1 };
        history.record(world);
        history
    }

    /// Bodies were added or removed.
    pub(crate) fn bodies_changed(&mut self, world: &World) {
        self.bodies = Arc::new(world.snapshot());
        self.sets += 1;
        while self.sets > SETS && self.moments.len() > 1 {
            self.forget_oldest();
        }
        self.record(world);
    }

    /// Keeps this moment if enough time has passed since the last one.
    pub(crate) fn record_at_times(&mut self, world: &World) {
        let size = std::mem::size_of::<BodyState>() + std::mem::size_of::<Wrench>();
        let all = (size * world.state().bodies.len()) as f64;
        let distance = SHORTEST.max(SPAN * all / MEMORY);
        // After a step back the world may be before the last moment.
        if self.range()[1] > world.time() || world.time() - self.range()[1] >= 0.999 * distance {
            self.record(world);
        }
    }

    /// Keeps this moment. Moments that come after it are forgotten: they have become a different future.
    pub(crate) fn record(&mut self, world: &World) {
        while self.moments.back().is_some_and(|last| last.state.time >= world.time()) {
            self.moments.pop_back();
        }
        self.moments.push_back(Moment { state: world.state().clone(), bodies: self.bodies.clone() });
        while self.moments.front().is_some_and(|first| first.state.time < world.time() - SPAN) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some(oldest) = self.moments.pop_front() else { return };
        if self.moments.front().is_some_and(|next| !Arc::ptr_eq(&next.bodies, &oldest.bodies)) {
            self.sets = self.sets.saturating_sub(1);
        }
    }

    /// The times of the first and last moment.
    pub(crate) fn range(&self) -> [f64; 2] {
        [self.moments.front(), self.moments.back()].map(|moment| moment.map_or(0.0, |moment| moment.state.time))
    }

    /// Takes the world to the moment nearest to a time. The method stays the one the world has, but forgets what it
    /// remembers of contacts. True if the set of bodies is another one.
    pub(crate) fn go_to(&mut self, time: f64, world: &mut World) -> bool {
        let after = self.moments.partition_point(|moment| moment.state.time < time);
        let near = |index: &usize| self.moments.get(*index).map_or(f64::INFINITY, |m| (m.state.time - time).abs());
        let candidates = [after.saturating_sub(1), after];
        let nearest = candidates.into_iter().min_by(|a, b| near(a).total_cmp(&near(b)));
        let Some(moment) = nearest.and_then(|index| self.moments.get(index)) else { return false };
        let other = !Arc::ptr_eq(&moment.bodies, &self.bodies);
        if other {
            let method = world.method().clone_box();
            world.restore(&moment.bodies);
            world.set_boxed_method(method);
            self.bodies = moment.bodies.clone();
        }
        // A state of the same bodies always fits.
        let _fits = world.set_state(&moment.state);
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_dynamics::Body;
    use tumble_geometry::Shape;

    fn world() -> World {
        let mut world = World::new();
        world.add_body(Body::dynamic().with_shape(Shape::sphere(1.0).unwrap())).unwrap();
        world
    }

    #[test]
    fn every_moment_of_the_last_minute_can_be_gone_back_to() {
        let mut world = world();
        let mut history = History::new(&world);
        let mut states = vec![world.state().clone()];
        for _ in 0..120 {
            world.step(1.0 / 60.0).unwrap();
            history.record_at_times(&world);
            states.push(world.state().clone());
        }
        for state in states.iter().rev().chain(&states) {
            assert!(!history.go_to(state.time, &mut world));
            assert_eq!(world.state(), state);
        }
    }

    #[test]
    fn what_is_older_than_a_minute_is_forgotten() {
        let mut world = world();
        let mut history = History::new(&world);
        for _ in 0..700 {
            world.step(0.1).unwrap();
            history.record_at_times(&world);
        }
        let [first, last] = history.range();
        assert!((last - 70.0).abs() < 1e-6 && (first - 10.0).abs() < 0.2, "{first} to {last}");
    }

    #[test]
    fn a_new_future_replaces_the_old_one() {
        let mut world = world();
        let mut history = History::new(&world);
        for _ in 0..60 {
            world.step(1.0 / 60.0).unwrap();
            history.record_at_times(&world);
        }
        history.go_to(0.5, &mut world);
        assert!((history.range()[1] - 1.0).abs() < 1e-9);
        world.step(1.0 / 60.0).unwrap();
        history.record_at_times(&world);
        assert!((history.range()[1] - 0.5 - 1.0 / 60.0).abs() < 1e-9);
    }

    #[test]
    fn bodies_come_and_go_with_time() {
        let mut world = world();
        let mut history = History::new(&world);
        world.step(0.1).unwrap();
        world.add_body(Body::dynamic().with_shape(Shape::sphere(1.0).unwrap()).at([5.0, 0.0, 0.0])).unwrap();
        history.bodies_changed(&world);
        world.step(0.1).unwrap();
        history.record_at_times(&world);
        assert!(history.go_to(0.0, &mut world));
        assert_eq!(world.model().bodies().len(), 1);
        assert!(history.go_to(0.2, &mut world));
        assert_eq!(world.model().bodies().len(), 2);
    }
}
