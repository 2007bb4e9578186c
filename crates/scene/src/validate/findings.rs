//! What was measured, against what was expected.

use super::Conditions;

/// A quantity that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is, with its unit.
    pub quantity: String,
    /// What the simulation gives.
    pub measured: f64,
    /// What is known.
    pub expected: f64,
    /// How far apart they are: relative to what is expected, or absolute.
    pub error: f64,
    /// Whether the error is relative.
    pub relative: bool,
    /// How far apart they may be.
    pub tolerance: f64,
    /// What keeps the method from reaching the tolerance, where that is known.
    pub limit: Option<&'static str>,
}

/// What to say of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the tolerance.
    Passed,
    /// Beyond the tolerance, as is known of the method.
    NotReached,
    /// Beyond the tolerance.
    Failed,
}

impl Verdict {
    /// As a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::NotReached => "not reached",
            Self::Failed => "FAILED",
        }
    }
}

impl Finding {
    /// What to say of it. A number that is no number has failed, whatever is known of the method.
    pub fn verdict(&self) -> Verdict {
        if self.error <= self.tolerance {
            Verdict::Passed
        } else if self.limit.is_some() && self.error.is_finite() {
            Verdict::NotReached
        } else {
            Verdict::Failed
        }
    }
}

/// How far a quantity may be from what is expected, for both kinds of methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Within {
    accurate: f64,
    stepping: f64,
    limit: Option<&'static str>,
}

/// Tolerances of an accurate and of a stepping method.
pub(super) fn within(accurate: f64, stepping: f64) -> Within {
    Within { accurate, stepping, limit: None }
}

impl Within {
    /// The stepping method is known not to reach its tolerance, for this reason.
    pub(super) fn not_reached(self, reason: &'static str) -> Self {
        Self { limit: Some(reason), ..self }
    }

    /// Tolerances that are larger by a factor.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { accurate: factor * self.accurate, stepping: factor * self.stepping, ..self }
    }
}

/// The findings of a problem.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub(super) list: Vec<Finding>,
    /// Whether the tolerances are those of the accurate method.
    accurate: bool,
    /// Whether what is known to be out of reach applies: to the method it is known of.
    limits_apply: bool,
}

impl Findings {
    pub(super) fn new(conditions: &Conditions) -> Self {
        let (accurate, limits_apply) = (conditions.is_accurate(), conditions.is_reference_method());
        Self { list: Vec::new(), accurate, limits_apply }
    }

    /// A quantity, by its error relative to what is expected.
    pub(super) fn relative(&mut self, quantity: impl Into<String>, measured: f64, expected: f64, within: Within) {
        let error = ((measured - expected) / expected).abs();
        self.add(quantity.into(), [measured, expected, error], true, within);
    }

    /// A quantity, by its absolute error.
    pub(super) fn absolute(&mut self, quantity: impl Into<String>, measured: f64, expected: f64, within: Within) {
        self.add(quantity.into(), [measured, expected, (measured - expected).abs()], false, within);
    }

    /// A quantity that may be smaller than the bound, but larger only by the tolerance.
    pub(super) fn at_most(&mut self, quantity: impl Into<String>, measured: f64, bound: f64, within: Within) {
        // NaN, which `max` would swallow, must stay.
        let excess = if measured <= bound { 0.0 } else { measured - bound };
        self.add(quantity.into(), [measured, bound, excess], false, within);
    }

    /// Of many quantities the one with the largest absolute error.
    pub(super) fn worst(&mut self, quantity: &str, worst: Worst, within: Within) {
        let Worst { count, label, measured, expected } = worst;
        self.absolute(format!("{quantity} (worst of {count}: {label})"), measured, expected, within);
    }

    fn add(&mut self, quantity: String, [measured, expected, error]: [f64; 3], relative: bool, within: Within) {
        let tolerance = if self.accurate { within.accurate } else { within.stepping };
        let limit = within.limit.filter(|_| self.limits_apply);
        self.list.push(Finding { quantity, measured, expected, error, relative, tolerance, limit });
    }
}

/// Of many measured quantities the one with the largest absolute error.
#[derive(Clone, Debug, Default)]
pub(super) struct Worst {
    count: usize,
    label: String,
    measured: f64,
    expected: f64,
}

impl Worst {
    pub(super) fn see(&mut self, label: impl Into<String>, measured: f64, expected: f64) {
        let error = |measured: f64, expected: f64| (measured - expected).abs();
        self.count += 1;
        // Not `>`: the first counts, and what is no number is worse than everything.
        let is_better = error(measured, expected) <= error(self.measured, self.expected) && self.count > 1;
        if !is_better && !self.measured.is_nan() {
            (self.label, self.measured, self.expected) = (label.into(), measured, expected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(measured: f64, limit: Option<&'static str>) -> Finding {
        let mut findings = Findings { limits_apply: true, ..Findings::default() };
        findings.relative("x", measured, 2.0, Within { accurate: 0.0, stepping: 0.1, limit });
        findings.list.remove(0)
    }

    #[test]
    fn verdicts() {
        assert_eq!(finding(2.1, None).verdict(), Verdict::Passed);
        assert_eq!(finding(2.3, None).verdict(), Verdict::Failed);
        assert_eq!(finding(2.3, Some("why")).verdict(), Verdict::NotReached);
        assert_eq!(finding(f64::NAN, Some("why")).verdict(), Verdict::Failed);
    }

    #[test]
    fn the_worst_of_many() {
        let mut worst = Worst::default();
        for (measured, expected) in [(1.0, 1.0), (1.0, 3.0), (1.0, 2.0)] {
            worst.see("", measured, expected);
        }
        assert_eq!((worst.count, worst.expected), (3, 3.0));
        worst.see("", f64::NAN, 0.0);
        worst.see("", 9.0, 0.0);
        assert!(worst.measured.is_nan());
        let mut findings = Findings::default();
        findings.at_most("x", f64::NAN, 1.0, within(0.1, 0.1));
        assert_eq!(findings.list[0].verdict(), Verdict::Failed);
    }
}
