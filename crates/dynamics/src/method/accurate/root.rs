//! Where a function goes below zero: a bracketing root finder.
//!
//! Regula falsi in the version of Illinois, and a bisection wherever that does not at least halve the bracket in two rounds: superlinear for
//! smooth functions, never slower than twice bisection for others.

/// The point between `low`, where `f` is at least zero, and `high`, where it is below: the last at which it is not, to `width`.
pub(super) fn crossing([mut low, mut high]: [f64; 2], width: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let (mut at_low, mut at_high) = (f(low).max(0.0), f(high));
    if at_high >= 0.0 {
        return high;
    }
    let mut before_last = high - low;
    // Which end was kept last: negative for the low one.
    let mut kept = 0;
    for round in 0..120 {
        if high - low <= width {
            break;
        }
        let guess = low + (high - low) * (at_low / (at_low - at_high));
        let falsi = round % 3 != 2 || high - low < 0.25 * before_last;
        if round % 3 == 2 {
            before_last = high - low;
        }
        let middle = if falsi && guess > low && guess < high { guess } else { 0.5 * (low + high) };
        if middle <= low || middle >= high {
            break;
        }
        let value = f(middle);
        if value.is_nan() || value < 0.0 {
            (high, at_high) = (middle, value);
            at_low *= if kept < 0 { 0.5 } else { 1.0 };
            kept = -1;
        } else {
            (low, at_low) = (middle, value);
            at_high *= if kept > 0 { 0.5 } else { 1.0 };
            kept = 1;
        }
    }
    low
}

/// The same by Newton's method: `f` gives a value and its derivative. A step that leaves the bracket, or does not halve it in three rounds, is
/// replaced by a bisection (K 3.2.2).
pub(super) fn newton([mut low, mut high]: [f64; 2], width: f64, mut f: impl FnMut(f64) -> [f64; 2]) -> f64 {
    let [at_high, slope] = f(high);
    if at_high >= 0.0 {
        return high;
    }
    let mut guess = high - at_high / slope;
    let mut before = high - low;
    for round in 0..120 {
        if high - low <= width {
            break;
        }
        let stalls = round % 3 == 2 && high - low > 0.5 * before;
        if round % 3 == 2 {
            before = high - low;
        }
        let inside = guess > low && guess < high;
        let at = if inside && !stalls { guess } else { 0.5 * (low + high) };
        if at <= low || at >= high {
            break;
        }
        let [value, slope] = f(at);
        if value.is_nan() || value < 0.0 {
            high = at
        } else {
            low = at
        }
        guess = at - value / slope;
        // The root is as close as Newton's step says: look just on its other side, so that the bracket closes.
        if (guess - at).abs() <= width {
            guess = if value < 0.0 { at - width } else { at + width };
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::{crossing, newton};

    #[test]
    fn newton_finds_the_same() {
        let mut calls = 0;
        let root = newton([0.0, 1.0], 1e-15, |x| {
            calls += 1;
            [libm::cos(2.0 * x), -2.0 * libm::sin(2.0 * x)]
        });
        assert!((root - std::f64::consts::FRAC_PI_4).abs() < 1e-14 && calls < 12, "{root} {calls}");
        // Where the slope is no help, bisection is.
        let root = newton([0.0, 1.0], 1e-15, |x| [if x < 0.3 { 1.0 } else { -1e-9 }, 0.0]);
        assert!((root - 0.3).abs() < 1e-14, "{root}");
        assert_eq!(newton([0.0, 1.0], 1e-15, |_| [1.0, 0.0]), 1.0);
    }

    #[test]
    fn smooth_steep_and_broken_functions() {
        let mut calls = 0;
        let root = crossing([0.0, 1.0], 1e-15, |x| {
            calls += 1;
            libm::cos(2.0 * x)
        });
        assert!((root - std::f64::consts::FRAC_PI_4).abs() < 1e-14 && calls < 40, "{root} {calls}");
        let root = crossing([0.0, 1.0], 1e-15, |x| if x < 0.3 { 1.0 } else { -1e-9 });
        assert!((root - 0.3).abs() < 1e-14, "{root}");
        let root = crossing([0.0, 1.0], 1e-15, |x| 1e-30 - x * x * x);
        assert!((root - 1e-10).abs() < 1e-14, "{root}");
        assert_eq!(crossing([0.0, 1.0], 1e-15, |_| 1.0), 1.0);
    }
}
