//! Formulas of the time: `2 * sin(3 * t) + 0.5`.
//!
//! Grammar, the loosest first; `^` binds to the right and stronger than a sign before it, so −2^2 is −4:
//!
//! ```text
//! sum      = product { ("+" | "-") product }
//! product  = sign { ("*" | "/") sign }
//! sign     = "-" sign | power
//! power    = atom [ "^" sign ]
//! atom     = number | "t" | "pi" | function "(" sum { "," sum } ")" | "(" sum ")"
//! ```
//!
//! It is translated once into a program for a stack machine (reverse Polish notation), so that evaluating it needs neither recursion
//! nor memory beyond a small stack, and every function is libm's: the same bits everywhere.

use super::Curve;
use crate::error::ModelError;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest formula, in bytes.
const LONGEST: usize = 4096;

/// How deep brackets and signs may be nested, which is also how deep the stack gets, about.
const DEEPEST: usize = 64;

/// A formula of the time t in seconds: `+ - * / ^`, brackets, `pi`, and the functions sin, cos, tan, asin, acos, atan, exp, ln, sqrt, abs,
/// floor, step (0 below zero, else 1), min, max, mod and clamp(x, low, high). Angles are in radians.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Expression {
    text: String,
    program: Vec<Step>,
}

/// A formula as text.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Written {
    /// The formula of the time t in seconds.
    formula: String,
}

impl TryFrom<Written> for Expression {
    type Error = ModelError;

    fn try_from(written: Written) -> Result<Self, ModelError> {
        Self::new(&written.formula)
    }
}

impl From<Expression> for Written {
    fn from(expression: Expression) -> Self {
        Self { formula: expression.text }
    }
}

/// Always zero.
impl Default for Expression {
    fn default() -> Self {
        Self { text: "0".to_owned(), program: vec![Step::Number(0.0)] }
    }
}

#[cfg(feature = "registry")]
impl JsonSchema for Expression {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Written::json_schema(generator)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Number(f64),
    Time,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Call(Function),
}

macro_rules! functions {
    ($($variant:ident $name:literal $count:literal $body:expr;)*) => {
        /// A function of one, two or three numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Function { $($variant),* }

        impl Function {
            const ALL: &'static [(&'static str, Self)] = &[$(($name, Self::$variant)),*];

            fn count(self) -> usize {
                match self { $(Self::$variant => $count),* }
            }

            fn call(self, x: [f64; 3]) -> f64 {
                match self { $(Self::$variant => { let f: fn([f64; 3]) -> f64 = $body; f(x) }),* }
            }
        }
    };
}

functions! {
    Sin "sin" 1 |[x, ..]| libm::sin(x);
    Cos "cos" 1 |[x, ..]| libm::cos(x);
    Tan "tan" 1 |[x, ..]| libm::tan(x);
    Asin "asin" 1 |[x, ..]| libm::asin(x);
    Acos "acos" 1 |[x, ..]| libm::acos(x);
    Atan "atan" 1 |[x, ..]| libm::atan(x);
    Exp "exp" 1 |[x, ..]| libm::exp(x);
    Ln "ln" 1 |[x, ..]| libm::log(x);
    Sqrt "sqrt" 1 |[x, ..]| x.sqrt();
    Abs "abs" 1 |[x, ..]| x.abs();
    Floor "floor" 1 |[x, ..]| x.floor();
    Step "step" 1 |[x, ..]| if x < 0.0 { 0.0 } else { 1.0 };
    Min "min" 2 |[x, y, _]| x.min(y);
    Max "max" 2 |[x, y, _]| x.max(y);
    // The rest that has the sign of y, so that a saw does not fold over at zero.
    Mod "mod" 2 |[x, y, _]| x - y * (x / y).floor();
    Clamp "clamp" 3 |[x, low, high]| x.min(high).max(low);
}

impl Expression {
    /// Reads a formula; the error says where it is wrong.
    pub fn new(text: &str) -> Result<Self, ModelError> {
        if text.len() > LONGEST {
            return Err(ModelError::Invalid(format!(
                "a formula of {} bytes is too long; at most {LONGEST} are allowed",
                text.len()
            )));
        }
        let mut parser = Parser { text, at: 0, depth: 0, program: Vec::new() };
        let parsed = parser.sum().and_then(|()| match parser.peek() {
            None => Ok(()),
            Some(other) => Err(parser.wrong(&format!("`{other}` is not expected here"))),
        });
        parsed.map_err(ModelError::Invalid)?;
        Ok(Self { text: text.to_owned(), program: parser.program })
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Curve for Expression {
    fn value(&self, time: f64) -> f64 {
        // Each level of nesting holds at most five numbers: of a sum, a product and a power, and two of a function's.
        let mut stack = [0.0; 5 * DEEPEST + 8];
        let mut top = 0;
        for step in &self.program {
            let (used, result) = match *step {
                Step::Number(number) => (0, number),
                Step::Time => (0, time),
                Step::Negate => (1, -stack[top - 1]),
                Step::Add => (2, stack[top - 2] + stack[top - 1]),
                Step::Subtract => (2, stack[top - 2] - stack[top - 1]),
                Step::Multiply => (2, stack[top - 2] * stack[top - 1]),
                Step::Divide => (2, stack[top - 2] / stack[top - 1]),
                Step::Power => (2, libm::pow(stack[top - 2], stack[top - 1])),
                Step::Call(function) => {
                    let count = function.count();
                    (
                        count,
                        function.call(std::array::from_fn(|i| if i < count { stack[top - count + i] } else { 0.0 })),
                    )
                }
            };
            top -= used;
            stack[top] = result;
            top += 1;
        }
        stack[0]
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    program: Vec<Step>,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn wrong(&self, problem: &str) -> String {
        format!(
            "the formula \"{}\" is wrong at character {}: {problem}",
            self.text,
            self.text[..self.at].chars().count() + 1
        )
    }

    fn sum(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong(&format!("more than {DEEPEST} levels of brackets and signs")));
        }
        self.product()?;
        loop {
            let step = match () {
                () if self.accept('+') => Step::Add,
                () if self.accept('-') => Step::Subtract,
                () => break,
            };
            self.product()?;
            self.program.push(step);
        }
        self.depth -= 1;
        Ok(())
    }

    fn product(&mut self) -> Result<(), String> {
        self.sign()?;
        loop {
            let step = match () {
                () if self.accept('*') => Step::Multiply,
                () if self.accept('/') => Step::Divide,
                () => return Ok(()),
            };
            self.sign()?;
            self.program.push(step);
        }
    }

    fn sign(&mut self) -> Result<(), String> {
        if !self.accept('-') {
            return self.power();
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong(&format!("more than {DEEPEST} levels of brackets and signs")));
        }
        self.sign()?;
        self.depth -= 1;
        self.program.push(Step::Negate);
        Ok(())
    }

    fn power(&mut self) -> Result<(), String> {
        self.atom()?;
        if self.accept('^') {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(self.wrong(&format!("more than {DEEPEST} levels of brackets and signs")));
            }
            self.sign()?;
            self.depth -= 1;
            self.program.push(Step::Power);
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), String> {
        match self.peek() {
            Some('(') => {
                self.accept('(');
                self.sum()?;
                self.close()
            }
            Some(digit) if digit.is_ascii_digit() || digit == '.' => self.number(),
            Some(letter) if letter.is_ascii_alphabetic() => self.word(),
            Some(other) => Err(self.wrong(&format!("`{other}` is not expected here"))),
            None => Err(self.wrong("something is missing")),
        }
    }

    fn close(&mut self) -> Result<(), String> {
        if self.accept(')') { Ok(()) } else { Err(self.wrong("a closing bracket is missing")) }
    }

    fn number(&mut self) -> Result<(), String> {
        let digits = |text: &str| text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let rest = self.rest();
        let mut length = digits(rest);
        if let Some(exponent) = rest[length..].strip_prefix(['e', 'E']) {
            let sign = usize::from(exponent.starts_with(['+', '-']));
            let more = exponent[sign..].bytes().take_while(u8::is_ascii_digit).count();
            length += if more > 0 { 1 + sign + more } else { 0 };
        }
        let number = rest[..length].parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| self.wrong(&format!("`{}` is not a number", &self.rest()[..length])))?;
        self.at += length;
        self.program.push(Step::Number(number));
        Ok(())
    }

    fn word(&mut self) -> Result<(), String> {
        let length = self.rest().bytes().take_while(u8::is_ascii_alphanumeric).count();
        let word = &self.text[self.at..self.at + length];
        match word {
            "t" => self.program.push(Step::Time),
            "pi" => self.program.push(Step::Number(std::f64::consts::PI)),
            _ => {
                let Some(&(_, function)) = Function::ALL.iter().find(|(name, _)| *name == word) else {
                    let known: Vec<&str> = Function::ALL.iter().map(|(name, _)| *name).collect();
                    return Err(self.wrong(&format!("there is no `{word}`; known are t, pi, {}", known.join(", "))));
                };
                self.at += length;
                return self.arguments(function);
            }
        }
        self.at += length;
        Ok(())
    }

    fn arguments(&mut self, function: Function) -> Result<(), String> {
        if !self.accept('(') {
            return Err(self.wrong("a function is followed by a bracket"));
        }
        for index in 0..function.count() {
            if index > 0 && !self.accept(',') {
                return Err(
                    self.wrong(&format!("this function takes {} numbers, with commas between", function.count()))
                );
            }
            self.sum()?;
        }
        self.close()?;
        self.program.push(Step::Call(function));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn value(text: &str, time: f64) -> f64 {
        Expression::new(text).unwrap().value(time)
    }

    #[test]
    fn formulas_mean_what_they_say() {
        let t = 0.7;
        for (text, expected) in [
            ("2 * sin(3*t) + 0.5", 2.0 * libm::sin(2.1) + 0.5),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("1 - 2 - 3", -4.0),
            ("8/4/2", 1.0),
            ("--t", t),
            ("(1+2)*(3+4)", 21.0),
            ("1.5e2 + .5", 150.5),
            ("clamp(10*t, -1, 1)", 1.0),
            ("mod(-0.25, 1)", 0.75),
            ("step(t - 0.5) * max(t, 2) - min(t, pi)", 2.0 - t),
            (
                "atan(tan(0.3)) + acos(cos(0.3)) + asin(sin(0.3)) + ln(exp(t)) + sqrt(abs(-4)) + floor(2.9)",
                0.9 + t + 4.0,
            ),
            ("2 * pi", 2.0 * PI),
        ] {
            assert!((value(text, t) - expected).abs() < 1e-12, "{text}: {} {expected}", value(text, t));
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, part) in [
            ("", "character 1"),
            ("2 +", "missing"),
            ("2 ** 3", "character 4"),
            ("sin t", "bracket"),
            ("sin(t", "closing"),
            ("max(1)", "2 numbers"),
            ("foo(1)", "no `foo`"),
            ("1.2.3", "not a number"),
            ("1e999", "not a number"),
            ("t t", "not expected"),
            ("2 × t", "`×`"),
        ] {
            let message = Expression::new(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    /// Whatever is nested, and however long it is: an answer or a message.
    #[test]
    fn nothing_overflows() {
        for (open, close) in [
            ("(", ")"),
            ("-", ""),
            ("sin(", ")"),
            ("1+(", ")"),
            ("1-2*max(3,", ")"),
            ("2^", ""),
            ("clamp(1,2,3+4*(", "))"),
        ] {
            for depth in [1, 10, 31, 60, 63, 64, 65, 300, 5000] {
                let text = open.repeat(depth) + "t" + &close.repeat(depth);
                if let Ok(formula) = Expression::new(&text) {
                    assert!(!formula.value(0.3).is_nan() || open == "-", "{text}");
                }
            }
        }
        assert!(Expression::new(&"1+".repeat(3000)).is_err());
        let mut random = fastrand::Rng::with_seed(4);
        let pieces =
            ["t", "pi", "1", "2.5", "+", "-", "*", "/", "^", "(", ")", ",", "sin(", "max(", "clamp(", " ", "é", "e5"];
        for _ in 0..20_000 {
            let text: String = (0..random.usize(..40)).map(|_| pieces[random.usize(..pieces.len())]).collect();
            if let Ok(formula) = Expression::new(&text) {
                let _any = formula.value(random.f64());
            }
        }
    }
}
