//! Moments inside the last step, for pictures between the ends of steps.
//!
//! A method that knows the motion within its steps (`accurate`, by dense output) shows any moment of them. So slow motion, and
//! steps that are longer than a frame, look as smooth as all else: a picture is that of the last moment whose time has come. Other
//! methods do not ask who [wants](Observer::wants) to see what, and there is nothing between.

use tumble_dynamics::State;
use tumble_dynamics::method::Observer;

/// So many moments of a step are kept at most: a second at sixty frames a second.
const MOST: usize = 60;

/// The moments of the last step.
#[derive(Debug)]
pub(crate) struct Between {
    /// The time from a picture to the next, in simulated seconds.
    interval: f64,
    /// When the next one is due.
    due: f64,
    /// The end of the step, as near as matters: that is no moment between.
    end: f64,
    /// The beginning of the step, and what was seen.
    states: Vec<State>,
}

impl Between {
    /// Nothing to be seen.
    pub(crate) fn nothing() -> Self {
        Self { interval: f64::INFINITY, due: f64::INFINITY, end: f64::NEG_INFINITY, states: Vec::new() }
    }

    /// For a step of `dt` seconds from a state on, with a picture every `interval` seconds.
    pub(crate) fn of_step(from: &State, dt: f64, interval: f64) -> Self {
        if 1.5 * interval > dt {
            return Self::nothing();
        }
        // No more moments than are kept, spread over the whole step.
        let interval = interval.max(dt / MOST as f64);
        Self { interval, due: from.time + interval, end: from.time + dt - 0.5 * interval, states: vec![from.clone()] }
    }

    /// The last moment that is not after `time`; none if only the beginning of the step is known.
    pub(crate) fn at(&self, time: f64) -> Option<&State> {
        let after = self.states.partition_point(|state| state.time <= time);
        self.states.get(after.saturating_sub(1)).filter(|state| self.states.len() > 1 && state.time <= time)
    }
}

impl Observer for Between {
    fn moment(&mut self, time: f64, state: &State) {
        if time >= self.due && time < self.end {
            self.states.push(State { time, ..state.clone() });
            while self.due <= time {
                self.due += self.interval;
            }
        }
    }

    fn wants(&self, after: f64) -> f64 {
        after + self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::Runs;
    use tumble_dynamics::Cancel;
    use tumble_scene::Loader;

    /// A ball in free fall, in steps of half a second.
    fn fall(method: &str) -> Runs {
        let text = format!("title = 'fall'\ndt = 0.5\nmethod = '{method}'\n[bodies.ball]\nshape.sphere.radius = 0.1\n");
        Runs::new(Loader::new().load_text("fall", &text).unwrap(), Cancel::new())
    }

    #[test]
    fn pictures_inside_a_step_lie_on_the_parabola() {
        let mut runs = fall("accurate");
        for step in 0..3 {
            let from = 0.5 * f64::from(step);
            let mut between = Between::of_step(runs.world().state(), 0.5, 0.02);
            runs.step_watched(&[], &mut between).unwrap();
            assert_eq!(between.at(from - 1e-6), None);
            for time in [0.0, 0.01, 0.1, 0.25, 0.39].map(|ahead| from + ahead) {
                let seen = between.at(time).unwrap();
                assert!(seen.time <= time && seen.time > time - 0.0201, "{} at {time}", seen.time);
                let height = seen.bodies[0].position.y;
                assert!((height + 0.5 * 9.81 * seen.time * seen.time).abs() < 1e-9, "{height} at {}", seen.time);
            }
        }
    }

    #[test]
    fn nothing_is_between_where_nobody_knows_or_nobody_could_see() {
        let mut runs = fall("realtime");
        let mut between = Between::of_step(runs.world().state(), 0.5, 0.02);
        runs.step_watched(&[], &mut between).unwrap();
        assert_eq!(between.at(0.3), None);
        let mut runs = fall("accurate");
        let mut between = Between::of_step(runs.world().state(), 0.5, 0.4);
        runs.step_watched(&[], &mut between).unwrap();
        assert_eq!(between.at(0.45), None, "the next picture shows the end of the step");
    }

    #[test]
    fn a_step_of_many_frames_keeps_few() {
        let mut runs = fall("accurate");
        let mut between = Between::of_step(runs.world().state(), 0.5, 1e-6);
        runs.step_watched(&[], &mut between).unwrap();
        assert!(between.states.len() <= MOST, "{}", between.states.len());
        assert!(between.at(0.4999).unwrap().time > 0.47);
    }
}
