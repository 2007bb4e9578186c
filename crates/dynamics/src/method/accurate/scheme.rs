//! Embedded Runge–Kutta methods with dense output: a step of `ẏ = f(t, y)`, an estimate of its error, and y anywhere within it.
//!
//! A [`Tableau`] is a method as data. Its stages are `kᵢ = f(t + cᵢ h, y + h Σ aᵢⱼ kⱼ)`. The stage `end` is computed at the end of the
//! step, y₁, so that it is the first of the next one; those after it serve dense output alone and are computed when it is asked for.
//!
//! **Dense output.** With Δ = y₁ − y₀, the cubic of Hermite through both ends, and for DOP853 four more terms (Hairer, Nørsett,
//! Wanner II.6):
//!
//! ```text
//! y(θ) = y₀ + θ (Δ + (1 − θ)(h k₀ − Δ + θ (2Δ − h(k₀ + k₁) + (1 − θ)(d₀ + θ (d₁ + (1 − θ)(d₂ + θ d₃))))))
//! ```

use super::dop853::DOP853;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// Earlier stages by number, with weights.
pub(super) type Weights = &'static [(usize, f64)];

/// An embedded Runge–Kutta method.
#[derive(Debug)]
pub(super) struct Tableau {
    /// When each stage is computed, of the step.
    pub(super) times: &'static [f64],
    /// What each stage is computed from.
    pub(super) stages: &'static [Weights],
    /// Which stage is the end of the step.
    pub(super) end: usize,
    /// The error estimate; a second one of lower order, with which it is combined, may be empty.
    pub(super) errors: [Weights; 2],
    /// The weights of d₀ to d₃ in dense output; none for Hermite's cubic.
    pub(super) dense: &'static [Weights],
    /// The error estimate falls with this power of h.
    pub(super) error_order: f64,
}

/// Which method integrates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// Dormand and Prince's method of order 8(5,3), with dense output of seventh order (default).
    #[default]
    Dop853,
    /// Dormand and Prince's method of order 5(4).
    DormandPrince,
    /// Cash and Karp's method of order 5(4), which K used.
    CashKarp,
}

impl Scheme {
    pub(super) fn tableau(self) -> &'static Tableau {
        match self {
            Self::Dop853 => &DOP853,
            Self::DormandPrince => &DORMAND_PRINCE,
            Self::CashKarp => &CASH_KARP,
        }
    }
}

const DORMAND_PRINCE: Tableau = Tableau {
    times: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    stages: &[
        &[],
        &[(0, 0.2)],
        &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)],
        &[(0, 44.0 / 45.0), (1, -56.0 / 15.0), (2, 32.0 / 9.0)],
        &[(0, 19372.0 / 6561.0), (1, -25360.0 / 2187.0), (2, 64448.0 / 6561.0), (3, -212.0 / 729.0)],
        &[(0, 9017.0 / 3168.0), (1, -355.0 / 33.0), (2, 46732.0 / 5247.0), (3, 49.0 / 176.0), (4, -5103.0 / 18656.0)],
        &[(0, 35.0 / 384.0), (2, 500.0 / 1113.0), (3, 125.0 / 192.0), (4, -2187.0 / 6784.0), (5, 11.0 / 84.0)],
    ],
    end: 6,
    errors: [
        &[
            (0, 71.0 / 57600.0),
            (2, -71.0 / 16695.0),
            (3, 71.0 / 1920.0),
            (4, -17253.0 / 339200.0),
            (5, 22.0 / 525.0),
            (6, -1.0 / 40.0),
        ],
        &[],
    ],
    dense: &[&[
        (0, -12715105075.0 / 11282082432.0),
        (2, 87487479700.0 / 32700410799.0),
        (3, -10690763975.0 / 1880347072.0),
        (4, 701980252875.0 / 199316789632.0),
        (5, -1453857185.0 / 822651844.0),
        (6, 69997945.0 / 29380423.0),
    ]],
    error_order: 5.0,
};

const CASH_KARP: Tableau = Tableau {
    times: &[0.0, 0.2, 0.3, 0.6, 1.0, 0.875, 1.0],
    stages: &[
        &[],
        &[(0, 0.2)],
        &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)],
        &[(0, 0.3), (1, -0.9), (2, 1.2)],
        &[(0, -11.0 / 54.0), (1, 2.5), (2, -70.0 / 27.0), (3, 35.0 / 27.0)],
        &[
            (0, 1631.0 / 55296.0),
            (1, 175.0 / 512.0),
            (2, 575.0 / 13824.0),
            (3, 44275.0 / 110592.0),
            (4, 253.0 / 4096.0),
        ],
        &[(0, 37.0 / 378.0), (2, 250.0 / 621.0), (3, 125.0 / 594.0), (5, 512.0 / 1771.0)],
    ],
    end: 6,
    errors: [
        &[
            (0, 37.0 / 378.0 - 2825.0 / 27648.0),
            (2, 250.0 / 621.0 - 18575.0 / 48384.0),
            (3, 125.0 / 594.0 - 13525.0 / 55296.0),
            (4, -277.0 / 14336.0),
            (5, 512.0 / 1771.0 - 0.25),
        ],
        &[],
    ],
    dense: &[],
    error_order: 5.0,
};

/// A step that was tried: its stages and where it ends. It begins at y₀ = `start`.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    /// The length of the step in seconds.
    pub(super) h: f64,
    /// y at the beginning.
    pub(super) start: Vec<f64>,
    /// y at the end.
    pub(super) end: Vec<f64>,
    stages: Vec<Vec<f64>>,
    /// d₀ to d₃; empty until they are needed.
    dense: Vec<Vec<f64>>,
    buffer: Vec<f64>,
}

/// Computes ẏ at the time c of a step, counted from 0 to 1: `rates(c, y, ẏ)`.
pub(super) type Rates<'a> = dyn FnMut(f64, &[f64], &mut [f64]) + 'a;

impl Trial {
    /// Takes a step from `start`, where ẏ is `first`. `rates(c, y, ẏ)` computes ẏ at the time c of the step, counted from 0 to 1.
    pub(super) fn take(&mut self, tableau: &Tableau, (start, first): (&[f64], &[f64]), h: f64, rates: &mut Rates<'_>) {
        self.h = h;
        self.start.clear();
        self.start.extend_from_slice(start);
        self.stages.resize_with(tableau.stages.len(), Vec::new);
        self.stages.iter_mut().for_each(|stage| stage.resize(start.len(), 0.0));
        self.stages[0].copy_from_slice(first);
        self.dense.clear();
        for stage in 1..=tableau.end {
            self.stage(tableau, stage, rates);
        }
        std::mem::swap(&mut self.end, &mut self.buffer);
    }

    /// Computes a stage; where it is computed stays in the buffer.
    fn stage(&mut self, tableau: &Tableau, stage: usize, rates: &mut Rates<'_>) {
        let (done, rest) = self.stages.split_at_mut(stage);
        combine(&self.start, tableau.stages[stage], self.h, done, &mut self.buffer);
        rates(tableau.times[stage], &self.buffer, &mut rest[0]);
    }

    /// The estimate of the error as a norm: `measure` gives the norm of an error, where 1 is the largest that is allowed.
    pub(super) fn error(&mut self, tableau: &Tableau, measure: impl Fn(&[f64]) -> f64) -> f64 {
        let mut of = |weights: Weights| {
            self.buffer.clear();
            self.buffer.resize(self.start.len(), 0.0);
            for &(stage, weight) in weights {
                let weight = self.h * weight;
                self.buffer.iter_mut().zip(&self.stages[stage]).for_each(|(sum, k)| *sum += weight * k);
            }
            measure(&self.buffer)
        };
        let high = of(tableau.errors[0]);
        if tableau.errors[1].is_empty() || high == 0.0 {
            return high;
        }
        // Hairer's combination: of eighth order where both are small.
        let low = of(tableau.errors[1]);
        high * high / (high * high + 0.01 * low * low).sqrt()
    }

    /// Computes what dense output needs, unless that is known.
    pub(super) fn prepare_dense(&mut self, tableau: &Tableau, rates: &mut Rates<'_>) {
        if !self.dense.is_empty() || tableau.dense.is_empty() {
            return;
        }
        for stage in tableau.end + 1..tableau.stages.len() {
            self.stage(tableau, stage, rates);
        }
        let zero = vec![0.0; self.start.len()];
        for weights in tableau.dense {
            let mut term = Vec::new();
            combine(&zero, weights, self.h, &self.stages, &mut term);
            self.dense.push(term);
        }
    }

    /// y at the part θ of the step.
    pub(super) fn at(&self, tableau: &Tableau, theta: f64, y: &mut Vec<f64>) {
        let back = 1.0 - theta;
        let (first, last) = (&self.stages[0], &self.stages[tableau.end]);
        y.clear();
        y.extend((0..self.start.len()).map(|i| {
            // From the innermost bracket outwards.
            let more = self.dense.iter().enumerate().rev().fold(0.0, |inner, (term, d)| {
                let factor = if term % 2 == 0 { back } else { theta };
                factor * (d[i] + inner)
            });
            let change = self.end[i] - self.start[i];
            let (k0, k1) = (self.h * first[i], self.h * last[i]);
            self.start[i] + theta * (change + back * (k0 - change + theta * (2.0 * change - k0 - k1 + more)))
        }));
    }
}

/// `start + h Σ weight · stage`.
fn combine(start: &[f64], weights: Weights, h: f64, stages: &[Vec<f64>], sum: &mut Vec<f64>) {
    sum.clear();
    sum.extend_from_slice(start);
    for &(stage, weight) in weights {
        let weight = h * weight;
        sum.iter_mut().zip(&stages[stage]).for_each(|(sum, k)| *sum += weight * k);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ẏ = y (−sin t) has y = exp(cos t − 1).
    fn solve(scheme: Scheme, steps: u32) -> [f64; 2] {
        let tableau = scheme.tableau();
        let (mut trial, h, mut y, mut t) = (Trial::default(), 2.0 / f64::from(steps), vec![1.0], 0.0);
        let mut worst_inside: f64 = 0.0;
        let exact = |t: f64| libm::exp(libm::cos(t) - 1.0);
        for _ in 0..steps {
            let start = t;
            let mut rates = |c: f64, y: &[f64], dy: &mut [f64]| dy[0] = -y[0] * libm::sin(start + c * h);
            let mut first = vec![0.0];
            rates(0.0, &y, &mut first);
            trial.take(tableau, (&y, &first), h, &mut rates);
            trial.prepare_dense(tableau, &mut rates);
            let mut inside = Vec::new();
            for theta in [0.25, 0.5, 0.75] {
                trial.at(tableau, theta, &mut inside);
                worst_inside = worst_inside.max((inside[0] - exact(start + theta * h)).abs());
            }
            y.clone_from(&trial.end);
            t += h;
        }
        [(y[0] - exact(2.0)).abs(), worst_inside]
    }

    /// Halving the step divides the error at the end, and that within the step, by powers of two that the orders say.
    #[test]
    fn orders() {
        for (scheme, steps, order, dense_order) in
            [(Scheme::Dop853, 3, 8.0, 7.0), (Scheme::DormandPrince, 16, 5.0, 4.0), (Scheme::CashKarp, 16, 5.0, 3.0)]
        {
            let (coarse, fine) = (solve(scheme, steps), solve(scheme, 2 * steps));
            let slopes = [0, 1].map(|i| libm::log2(coarse[i] / fine[i]));
            assert!(slopes[0] > order - 0.8, "{scheme:?}: {slopes:?}, {coarse:?}, {fine:?}");
            assert!(slopes[1] > dense_order - 0.6, "{scheme:?}: {slopes:?}");
        }
    }
}
