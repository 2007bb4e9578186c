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
    /// How far apart they may be with a method that controls its error.
    pub accurate_tolerance: f64,
    /// What keeps the method from reaching the tolerance, where that is known.
    pub limit: Option<Limit>,
}

/// Why a method does not reach a tolerance, and how far from the expected value it is known to end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The reason.
    pub reason: &'static str,
    /// The error that was measured when the reason was found, relative or absolute as that of the finding.
    pub known_error: f64,
}

impl Limit {
    /// How far beyond the known error an error may be: what is worse than that has another reason.
    pub const MARGIN: f64 = 1.5;

    /// The largest error the reason explains.
    pub fn largest_error(self) -> f64 {
        Self::MARGIN * self.known_error
    }
}

/// What to say of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the tolerance.
    Passed,
    /// Beyond the tolerance, by about as much as is known of the method.
    NotReached,
    /// Beyond the tolerance, and beyond what is known.
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
    /// What to say of it. A number that is no number is beyond everything and has failed.
    pub fn verdict(&self) -> Verdict {
        if self.error <= self.tolerance {
            Verdict::Passed
        } else if self.limit.is_some_and(|limit| self.error <= limit.largest_error()) {
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
    limit: Option<Limit>,
}

/// Tolerances of an accurate and of a stepping method.
pub(super) fn within(accurate: f64, stepping: f64) -> Within {
    Within { accurate, stepping, limit: None }
}

impl Within {
    /// The stepping method is known not to reach its tolerance, for this reason, and to end with about this error.
    pub(super) fn not_reached(self, reason: &'static str, known_error: f64) -> Self {
        Self { limit: Some(Limit { reason, known_error }), ..self }
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
        self.compare(quantity.into(), measured, expected, true, within);
    }

    /// A quantity, by its absolute error.
    pub(super) fn absolute(&mut self, quantity: impl Into<String>, measured: f64, expected: f64, within: Within) {
        self.compare(quantity.into(), measured, expected, false, within);
    }

    /// A quantity that may be smaller than the bound, but larger only by the tolerance.
    pub(super) fn at_most(&mut self, quantity: impl Into<String>, measured: f64, bound: f64, within: Within) {
        // NaN, which `max` would swallow, must stay.
        let excess = if measured <= bound { 0.0 } else { measured - bound };
        self.add(quantity.into(), [measured, bound, excess], false, within);
    }

    /// Of many quantities the one with the largest error.
    pub(super) fn worst(&mut self, quantity: &str, worst: Worst, within: Within) {
        let Worst { count, label, measured, expected, relative } = worst;
        let quantity = format!("{quantity} (worst of {count}: {label})");
        self.compare(quantity, measured, expected, relative, within);
    }

    fn compare(&mut self, quantity: String, measured: f64, expected: f64, relative: bool, within: Within) {
        let error = error_of(measured, expected, relative);
        self.add(quantity, [measured, expected, error], relative, within);
    }

    fn add(&mut self, quantity: String, [measured, expected, error]: [f64; 3], relative: bool, within: Within) {
        let tolerance = if self.accurate { within.accurate } else { within.stepping };
        let limit = within.limit.filter(|_| self.limits_apply);
        let accurate_tolerance = within.accurate;
        self.list.push(Finding { quantity, measured, expected, error, relative, tolerance, accurate_tolerance, limit });
    }
}

fn error_of(measured: f64, expected: f64, relative: bool) -> f64 {
    ((measured - expected) / if relative { expected } else { 1.0 }).abs()
}

/// Of many measured quantities the one with the largest error: absolute, unless asked for relative ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Worst {
    count: usize,
    label: String,
    measured: f64,
    expected: f64,
    relative: bool,
}

impl Worst {
    /// By errors relative to what is expected.
    pub(super) fn relative() -> Self {
        Self { relative: true, ..Self::default() }
    }

    pub(super) fn see(&mut self, label: impl Into<String>, measured: f64, expected: f64) {
        let error = |measured: f64, expected: f64| error_of(measured, expected, self.relative);
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

    fn verdict(measured: f64, within: Within) -> Verdict {
        let mut findings = Findings { limits_apply: true, ..Findings::default() };
        findings.relative("x", measured, 2.0, within);
        findings.list.remove(0).verdict()
    }

    #[test]
    fn verdicts() {
        let plain = within(0.0, 0.1);
        assert_eq!(verdict(2.1, plain), Verdict::Passed);
        assert_eq!(verdict(2.3, plain), Verdict::Failed);
        // Off by 0.2 of the expected value, as far as is known; up to 0.3 is as before, and no more.
        let limited = plain.not_reached("why", 0.2);
        assert_eq!(verdict(2.1, limited), Verdict::Passed);
        assert_eq!(verdict(2.4, limited), Verdict::NotReached);
        assert_eq!(verdict(2.59, limited), Verdict::NotReached);
        assert_eq!(verdict(2.61, limited), Verdict::Failed);
        assert_eq!(verdict(1.39, limited), Verdict::Failed);
        assert_eq!(verdict(f64::NAN, limited), Verdict::Failed);
        assert_eq!(verdict(f64::INFINITY, limited), Verdict::Failed);
    }

    /// What is known of one method excuses no other.
    #[test]
    fn limits_are_those_of_the_reference_method() {
        let conditions = Conditions { method: "another".into(), dt: None };
        let mut findings = Findings::new(&conditions);
        findings.relative("x", 2.4, 2.0, within(0.0, 0.1).not_reached("why", 0.2));
        assert_eq!(findings.list[0].verdict(), Verdict::Failed);
    }

    #[test]
    fn the_worst_of_many() {
        let mut worst = Worst::default();
        for (measured, expected) in [(1.0, 1.0), (1.0, 3.0), (1.0, 2.0)] {
            worst.see("", measured, expected);
        }
        assert_eq!((worst.count, worst.expected), (3, 3.0));
        let mut relative = Worst::relative();
        for (measured, expected) in [(101.0, 100.0), (0.2, 0.1), (13.0, 10.0)] {
            relative.see("", measured, expected);
        }
        assert_eq!((relative.count, relative.expected), (3, 0.1));
        worst.see("", f64::NAN, 0.0);
        worst.see("", 9.0, 0.0);
        assert!(worst.measured.is_nan());
        let mut findings = Findings::default();
        findings.at_most("x", f64::NAN, 1.0, within(0.1, 0.1));
        assert_eq!(findings.list[0].verdict(), Verdict::Failed);
    }
}
