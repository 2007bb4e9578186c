//! The library speaks of angles in radians, a scene of degrees: what the library says, in the unit of the scene.

use crate::source::Span;
use crate::tree::{Content, Node};
use std::f64::consts::PI;
use tumble_dynamics::ModelError;

/// What a number of degrees is multiplied by.
pub(crate) const RADIANS: f64 = PI / 180.0;

/// Degrees as a person writes them: four digits are enough.
pub(crate) fn shown(degrees: f64) -> String {
    format!("{degrees:.3e}").parse::<f64>().unwrap_or(degrees).to_string()
}

/// A text about angles with all its angles in degrees, each followed by `unit`: numbers and multiples of π.
pub(crate) fn in_words(text: &str, unit: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', '.', ';', ')']);
        radians(bare).map_or_else(
            || word.to_owned(),
            |angle| format!("{}{unit}{}", shown(angle / RADIANS).replace('-', "−"), &word[bare.len()..]),
        )
    };
    let text = text.replace("metres or radians", "degrees").replace("radians", "degrees");
    text.split_inclusive([' ', '\n'])
        .map(|piece| {
            let bare = piece.trim_end();
            word(bare) + &piece[bare.len()..]
        })
        .collect()
}

/// "3.1", "1e-3", "−π/4" or "2π" as a number.
fn radians(word: &str) -> Option<f64> {
    let (sign, size) = word.strip_prefix(['-', '−']).map_or((1.0, word), |size| (-1.0, size));
    let number = |text: &str| if text.is_empty() { Some(1.0) } else { text.parse::<f64>().ok() };
    let size = match size.split_once('π') {
        Some((factor, "")) => number(factor)? * PI,
        Some((factor, divisor)) => number(factor)? * PI / number(divisor.strip_prefix('/')?)?,
        None => size.parse::<f64>().ok().filter(|size| size.is_finite())?,
    };
    Some(sign * size)
}

/// An angle of a scene, and what the library knows it as.
#[derive(Clone, Debug)]
pub(crate) struct Angle {
    degrees: f64,
    radians: f64,
    span: Span,
}

/// All angles in a table, and how far the least and the largest of each pair of limits are apart.
pub(crate) fn angles(node: &Node) -> Vec<Angle> {
    let mut found = Vec::new();
    for entry in node.entries() {
        if entry.key.ends_with("_deg") {
            let values = if entry.node.elements().is_empty() {
                std::slice::from_ref(&entry.node)
            } else {
                entry.node.elements()
            };
            found.extend(values.iter().filter_map(angle));
        } else {
            found.extend(angles(&entry.node));
        }
    }
    let limit = |key: &str| node.get(key).and_then(angle);
    if let (Some(min), Some(max)) = (limit("min_deg"), limit("max_deg")) {
        found.push(Angle { degrees: max.degrees - min.degrees, radians: max.radians - min.radians, span: max.span });
    }
    found.extend(node.elements().iter().flat_map(angles));
    found
}

fn angle(node: &Node) -> Option<Angle> {
    let degrees = match node.content {
        Content::Integer(number) => number as f64,
        Content::Float(number) => number,
        _ => return None,
    };
    Some(Angle { degrees, radians: degrees * RADIANS, span: node.span })
}

/// What is wrong in the degrees of the scene, and where that stands; none if it is not about one of these angles.
pub(crate) fn problem_in_degrees(problem: &ModelError, angles: &[Angle]) -> Option<(String, Span)> {
    let ModelError::OutOfRange { what, value, allowed } = problem else { return None };
    let mut first = None;
    let mut word = |word: &str| {
        let known = angles.iter().find(|angle| angle.radians.to_string() == word && angle.radians != 0.0)?;
        first = first.or(Some(known.span));
        Some(format!("{}°", known.degrees))
    };
    let value: Vec<String> = value.split(' ').map(|text| word(text).unwrap_or_else(|| text.to_owned())).collect();
    first.map(|span| (format!("{what} is {}, but must be {}", value.join(" "), in_words(allowed, "°")), span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_about_angles_are_turned_into_degrees() {
        assert_eq!(
            in_words("The largest angles, in radians from 1e-3 to 3.1, towards that.\nDefault −π/4, π/4.", ""),
            "The largest angles, in degrees from 0.0573 to 177.6, towards that.\nDefault −45, 45."
        );
        assert_eq!(in_words("at most a full turn, 2π", "°"), "at most a full turn, 360°");
        assert_eq!(in_words("two numbers, the smaller first", "°"), "two numbers, the smaller first");
    }
}
