//! How far ahead a pair is certainly free, judged along one fixed direction.
//!
//! The gap between two convex shapes along a direction n is what a slab of that normal between them shows:
//!
//! ```text
//! g(t) = min over b of n·b(t) − max over a of n·a(t) = min over pairs (a, b) of f_ab(t),   f_ab = n·(b(t) − a(t))
//! ```
//!
//! The shapes are apart as long as g > 0. Each f_ab is smooth, with `|f″_ab| ≤ K` for all pairs, because a point at
//! distance ρ from its axis feels an acceleration of at most ω² ρ. Take two times, h apart, and the chord between the
//! values of g there. At both times every f_ab lies on or above the chord, and a function with `f″ ≤ K` sinks below its
//! own chord by no more than `½ K x (h − x)`. Hence g, the least of them, cannot either:
//!
//! ```text
//! g(t₁ + x) ≥ g(t₁) + (g(t₂) − g(t₁)) x/h − ½ K x (h − x)
//! ```
//!
//! Two values of g thus certify an interval, though g has kinks where other points take over, and no derivative of g is
//! trusted. In pure translation K is zero and the step goes exactly to where the gap closes; near an impact the steps
//! become those of Newton's method; and in a spin they grow with `√(g/K)`, not with g.

/// The gap at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) time: f64,
    /// The gap g.
    pub(super) value: f64,
    /// How fast the points that make the gap move apart; only used to choose a good step.
    pub(super) slope: f64,
}

/// The gap along a direction, as a function of time.
pub(super) trait Gap {
    fn sample(&self, time: f64) -> Sample;

    /// The bound K on the second derivative of the distance of any two points along the direction.
    fn curvature(&self) -> f64;

    /// A straight line below g for all times: its value at `time` and its slope. Minus infinity if none is known.
    fn envelope(&self, time: f64) -> (f64, f64);

    /// Until when curvature and envelope hold.
    fn horizon(&self) -> f64 {
        f64::INFINITY
    }
}

/// What a march finds.
#[derive(Clone, Copy, Debug)]
pub(super) enum March {
    /// Apart for the whole time asked about.
    Clear,
    /// Apart until this time at least, later than where it began.
    Until(f64),
    /// The gap is not above the aim to begin with.
    Stuck,
}

/// Steps along one direction before it is time to look for a better one.
const MAX_STEPS: usize = 16;

/// Marches from the sample `first` towards the time `end` as long as the gap is certainly above `aim`. Counts evaluations
/// down from `budget`.
pub(super) fn march(gap: &impl Gap, first: Sample, end: f64, aim: f64, budget: &mut usize) -> March {
    let from = first.time;
    if first.value.is_nan() || first.value <= aim {
        return March::Stuck;
    }
    let stop = end.min(gap.horizon());
    let arrived = if stop < end { March::Until(stop) } else { March::Clear };

    let (envelope, closing) = gap.envelope(from);
    if envelope > aim {
        let free = if closing < 0.0 { (envelope - aim) / -closing } else { f64::INFINITY };
        if from + free >= stop {
            return arrived;
        }
        if from + free > from {
            return March::Until(from + free);
        }
    }

    let curvature = gap.curvature();
    let mut here = first;
    for _ in 0..MAX_STEPS {
        let step = promising_step(here.value - aim, here.slope, curvature);
        let target = (here.time + step).min(stop);
        if target.is_infinite() {
            return arrived;
        }
        if target <= here.time || *budget == 0 {
            break;
        }
        *budget -= 1;
        let there = gap.sample(target);
        let certain = certain_part(here.value - aim, there.value - aim, curvature, target - here.time);
        if certain < 1.0 {
            let time = here.time + certain * (target - here.time);
            return if time > from { March::Until(time) } else { March::Stuck };
        }
        here = there;
        if here.time >= stop {
            return arrived;
        }
        // Along a direction that is getting worse another one shows more of the gap.
        if here.value - aim < 0.5 * (first.value - aim) {
            break;
        }
    }
    if here.time > from { March::Until(here.time) } else { March::Stuck }
}

/// How far a march from a sample is likely to get in one step.
pub(super) fn promise(gap: &impl Gap, here: Sample, aim: f64) -> f64 {
    if here.value > aim { promising_step(here.value - aim, here.slope, gap.curvature()) } else { 0.0 }
}

/// Whether the gap is certainly above `least` from one time to another.
pub(super) fn stays_open(gap: &impl Gap, [from, to]: [f64; 2], least: f64) -> bool {
    let [first, last] = [to, from].map(|time| gap.sample(time).value - least);
    first > 0.0 && last > 0.0 && to <= gap.horizon() && certain_part(first, last, gap.curvature(), to - from) >= 1.0
}

/// The step after which a certificate is to be expected: where the gap may close if its second derivative is as bad as it
/// can be. For a gap that opens, half that curvature is left for the certificate itself.
fn promising_step(gap: f64, slope: f64, curvature: f64) -> f64 {
    if slope <= 0.0 {
        // gap + slope x − ½ K x² = 0; with K = 0 a division by zero gives infinity for a gap that stays.
        2.0 * gap / ((slope * slope + 2.0 * curvature * gap).sqrt() - slope)
    } else {
        // gap + slope x − K x² = 0
        (slope + (slope * slope + 4.0 * curvature * gap).sqrt()) / (2.0 * curvature)
    }
}

/// The fraction of an interval of length `h`, from its beginning, in which a gap with these values at the ends is certainly
/// not negative. `from` is positive.
fn certain_part(from: f64, to: f64, curvature: f64, h: f64) -> f64 {
    // The lower bound as a function of u = x/h: from + (to − from) u − k u (1 − u), with k = ½ K h².
    let k = 0.5 * curvature * h * h;
    let fall = from - to + k;
    let discriminant = fall * fall - 4.0 * k * from;
    if fall <= 0.0 || discriminant < 0.0 {
        return 1.0;
    }
    (2.0 * from / (fall + discriminant.sqrt())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The height of the lowest tip of a spinning rod, falling at `speed`: `h − v t − |cos(ω t)|`.
    struct Rod {
        height: f64,
        speed: f64,
        rate: f64,
    }

    impl Gap for Rod {
        fn sample(&self, time: f64) -> Sample {
            let (sin, cos) = libm::sincos(self.rate * time);
            let value = self.height - self.speed * time - cos.abs();
            Sample { time, value, slope: -self.speed + self.rate * sin * cos.signum() }
        }

        fn curvature(&self) -> f64 {
            self.rate * self.rate
        }

        fn envelope(&self, time: f64) -> (f64, f64) {
            (self.height - self.speed * time - 1.0, -self.speed)
        }
    }

    #[test]
    fn every_step_is_certain_and_the_first_contact_is_found() {
        for (height, speed, rate) in [(5.0, 1.0, 30.0), (1.5, 0.01, 3.0), (3.0, 2.0, 0.0), (0.9, 0.3, 0.7)] {
            let rod = Rod { height, speed, rate };
            let mut time = if height < 1.0 { std::f64::consts::FRAC_PI_2 / rate } else { 0.0 };
            let mut budget = 1000;
            for round in 0.. {
                assert!(round < 100);
                match march(&rod, rod.sample(time), 100.0, 1e-13, &mut budget) {
                    March::Until(next) => {
                        assert!(next > time);
                        for i in 0..1000 {
                            assert!(rod.sample(time + (next - time) * f64::from(i) / 1000.0).value > 0.0);
                        }
                        time = next;
                        if rod.sample(time).value < 1e-12 {
                            break;
                        }
                    }
                    other => panic!("{other:?} at {time}"),
                }
            }
            assert!(budget > 900, "{budget}");
        }
    }

    #[test]
    fn a_gap_that_stays_open_is_clear() {
        let mut budget = 1000;
        let rising = Rod { height: 1.1, speed: -0.1, rate: 5.0 };
        assert!(matches!(march(&rising, rising.sample(0.0), f64::INFINITY, 0.0, &mut budget), March::Clear));
        let resting = Rod { height: 1.1, speed: 0.0, rate: 0.0 };
        assert!(matches!(march(&resting, resting.sample(0.0), f64::INFINITY, 0.0, &mut budget), March::Clear));
        let closed = Rod { height: 0.9, speed: 0.0, rate: 0.0 };
        assert!(matches!(march(&closed, closed.sample(0.0), 1.0, 0.0, &mut budget), March::Stuck));
    }
}
