//! What scripts can say: the functions and types they have besides the language itself.
//!
//! [`numbers`] has functions, vectors and rotations, [`things`] bodies and joints, [`events`] what happened and what comes from
//! outside.

mod events;
mod numbers;
mod things;

use super::lent::{Told, reach, refuse};
use rhai::{Dynamic, Engine};

/// The most lines a script says in one step, and the letters of a line that are shown.
const MOST_LINES: usize = 20;
const LONGEST_LINE: usize = 500;

/// Teaches the language what scenes need.
pub(super) fn teach(engine: &mut Engine) {
    numbers::teach(engine);
    things::teach(engine);
    events::teach(engine);
    engine.register_fn("sleep", |_: i64| super::program::forbid::<()>("sleep"));
    engine.register_fn("sleep", |_: f64| super::program::forbid::<()>("sleep"));
    engine.on_print(|text| {
        let _outside = reach(|lent| {
            if lent.given.said.len() < MOST_LINES {
                lent.given.said.push(text.chars().take(LONGEST_LINE).collect());
            }
            Ok(())
        });
    });
}

/// A number, whole or not.
fn number(value: &Dynamic) -> Told<f64> {
    match (value.as_float(), value.as_int()) {
        (Ok(number), _) => Ok(number),
        (_, Ok(integer)) => Ok(integer as f64),
        _ => refuse(format!("expected a number, but this is of the type {}", value.type_name())),
    }
}
