//! How differences grow, so that chaos is told from error.
//!
//! The distance of two methods says nothing by itself: an error that was made once may have been multiplied since. How much a scene
//! multiplies differences is measured by a run of its own, with the method that is the yardstick: every body gets a nudge at the start, and
//! the distance of that run from the one without, divided by what the nudge alone comes to, is the *growth*:
//!
//! ```text
//! growth(t) = |x_nudged(t) − x(t)| / (u t),     u = 1 µm/s
//! ```
//!
//! It stays about 1 for a body in free flight and for whatever is held or comes to rest, grows like a power of t for a pendulum, and
//! exponentially where there is chaos: then its logarithm has a slope, Lyapunov's exponent.

use glam::DVec3;
use serde_json::{Value, json};
use tumble_dynamics::{ModelError, World};

/// How fast bodies are nudged, in m/s.
pub(super) const NUDGE: f64 = 1e-6;

/// From this growth on a scene is called chaotic, if it grew exponentially.
const MUCH: f64 = 100.0;

/// Distances beyond this, in metres, have nothing to grow into.
const SATURATED: f64 = 0.05;

/// Nudges every body that forces move, each in a direction of its own.
pub(super) fn nudge(world: &mut World) -> Result<(), ModelError> {
    let ids: Vec<_> = world.bodies().filter(|(_, body)| body.model().kind.is_movable()).map(|(id, _)| id).collect();
    for (index, id) in ids.into_iter().enumerate() {
        // Directions that never repeat: multiples of the golden angle around, of another irrational number up and down.
        let around = index as f64 * 2.399_963_229_728_653;
        let up = 2.0 * (0.5 + index as f64 * 0.754_877_666_246_692_7).fract() - 1.0;
        let across = (1.0 - up * up).max(0.0).sqrt();
        let direction = DVec3::new(across * libm::cos(around), up, across * libm::sin(around));
        let velocity = world.body(id)?.velocity();
        world.body_mut(id)?.set_velocity(velocity + direction * NUDGE)?;
    }
    Ok(())
}

/// What became of the nudge.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    /// Time and growth, for each frame.
    pub(super) frames: Vec<[f64; 2]>,
}

impl Growth {
    /// Notes the largest distance at a time.
    pub(super) fn note(&mut self, time: f64, largest: f64) {
        if time > 0.0 {
            self.frames.push([time, largest / (NUDGE * time)]);
        }
    }

    /// The largest growth up to a time.
    pub(super) fn until(&self, time: f64) -> f64 {
        self.frames.iter().filter(|[at, _]| *at <= time).fold(1.0, |most, [_, growth]| most.max(*growth))
    }

    /// Lyapunov's exponent in 1/s: the slope of the logarithm by least squares, from the first frame until the distance has nothing to
    /// grow into. None if it does not grow much.
    pub(super) fn exponent(&self) -> Option<f64> {
        let grows: Vec<[f64; 2]> = self
            .frames
            .iter()
            .take_while(|[time, growth]| growth * NUDGE * time < SATURATED)
            .filter(|[_, growth]| *growth > 0.0)
            .map(|&[time, growth]| [time, libm::log(growth)])
            .collect();
        let most = grows.iter().fold(f64::NEG_INFINITY, |most, [_, log]| most.max(*log));
        if grows.len() < 3 || most < libm::log(MUCH) {
            return None;
        }
        let count = grows.len() as f64;
        let mean = |k: usize| grows.iter().map(|point| point[k]).sum::<f64>() / count;
        let (t, y) = (mean(0), mean(1));
        let top: f64 = grows.iter().map(|point| (point[0] - t) * (point[1] - y)).sum();
        let below: f64 = grows.iter().map(|point| (point[0] - t) * (point[0] - t)).sum();
        Some(top / below).filter(|slope| *slope > 0.0)
    }

    /// In words: what the scene does to a difference.
    pub(super) fn tell(&self) -> String {
        let Some(&[end, _]) = self.frames.last() else { return String::new() };
        let growth = self.until(end);
        match self.exponent() {
            Some(exponent) => format!(
                "differences grow {growth:.2e}-fold until {end:.3} s, tenfold every {:.3} s: the scene is chaotic\n",
                std::f64::consts::LN_10 / exponent
            ),
            None => format!("differences grow {growth:.2e}-fold until {end:.3} s: the scene is not chaotic\n"),
        }
    }

    /// In words: how much of a distance at the end is the method's own error.
    pub(super) fn share(&self, largest: f64) -> String {
        let Some(&[end, _]) = self.frames.last() else { return String::new() };
        let growth = self.until(end);
        if growth < MUCH {
            format!("error {largest:.3e} m, of the method's own making")
        } else if largest > SATURATED {
            let parted = self.frames.iter().find(|[time, growth]| growth * NUDGE * time > SATURATED);
            let when =
                parted.map_or(String::new(), |[time, _]| format!("; a nudge of 1 µm/s does that in {time:.3} s"));
            format!("apart by {largest:.3e} m, which chaos makes of any error{when}")
        } else {
            format!("apart by {largest:.3e} m, which chaos made of an error of about {:.1e} m", largest / growth)
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let end = self.frames.last().map_or(0.0, |frame| frame[0]);
        json!({ "nudge": NUDGE, "frames": self.frames, "largest": self.until(end), "exponent": self.exponent() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_found_and_order_has_none() {
        let frames = |law: &dyn Fn(f64) -> f64| {
            let mut growth = Growth::default();
            (1..=100).map(|k| 0.05 * f64::from(k)).for_each(|time| growth.note(time, law(time)));
            growth
        };
        // |δ| = u t e^{2t}.
        let chaos = frames(&|t| NUDGE * t * libm::exp(2.0 * t));
        assert!((chaos.exponent().unwrap() - 2.0).abs() < 1e-9);
        assert!(chaos.tell().contains("tenfold every 1.151 s"), "{}", chaos.tell());
        assert!(chaos.share(1e-3).contains("of about 4.5e-8 m"), "{}", chaos.share(1e-3));
        // A pendulum: as t².
        let order = frames(&|t| NUDGE * t * (1.0 + t));
        assert_eq!(order.exponent(), None);
        assert!(order.tell().ends_with("not chaotic\n") && order.share(1e-3).contains("own making"));
    }
}
