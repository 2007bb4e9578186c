//! What is remembered from step to step, as plain data: the modes of everything that touches, and the length of the next step of the
//! integration. Elements themselves are found anew at the beginning of every step of the world, so that a run can be resumed.

use super::element::{Element, Grip, Mode, PointKey, What};
use super::equations::Equations;
use crate::event::Reaction;
use crate::{ColliderId, JointId};
use serde::{Deserialize, Serialize};

/// Everything remembered from step to step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    /// The length of the integration's next step, in seconds; zero before the first.
    pub(super) h: f64,
    /// How long that may be while something holds, in seconds; zero for as long as at first.
    pub(super) holding: f64,
    /// The elements that are not just off.
    pub(super) elements: Vec<Remembered>,
    /// Pairs of colliders that touch.
    pub(super) touching: Vec<[ColliderId; 2]>,
    /// Sensors and what they overlap, the smaller id first.
    pub(super) overlaps: Vec<[ColliderId; 2]>,
    /// By slot, what joints exerted at the end of the last step.
    pub(super) reactions: Vec<Option<(JointId, Reaction)>>,
    /// The sum of the estimated errors of all steps so far, relative to the scales of the scene.
    pub(super) error: f64,
    /// Operations beyond the budget.
    #[serde(default)]
    pub(super) debt: f64,
    /// Whether the last step ended in a crowd.
    #[serde(default)]
    pub(super) crowded: bool,
}

/// Which element.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Name {
    /// The row of a joint.
    Row(JointId, usize),
    /// A contact point.
    Point([ColliderId; 2], PointKey),
}

/// What is remembered of an element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Remembered {
    name: Name,
    mode: Mode,
    offset: f64,
    left: Option<f64>,
    hop: Option<f64>,
    grips: Vec<Grip>,
}

fn name(element: &Element, equations: &Equations) -> Option<Name> {
    match &element.what {
        What::Stop { joint, row } | What::Motor { joint, row } => {
            equations.joints.get(*joint).map(|joint| Name::Row(joint.id, *row))
        }
        What::Contact(contact) => Some(Name::Point(contact.colliders, contact.key)),
    }
}

/// What is worth remembering of elements.
pub(super) fn remember(elements: &[Element], equations: &Equations) -> Vec<Remembered> {
    let is_something =
        |element: &&Element| element.mode != Mode::Off || element.left.is_some() || element.offset != 0.0;
    let of = |element: &Element| {
        let grips = element.contact().map(|contact| contact.frictions.iter().map(|friction| friction.grip).collect());
        Some(Remembered {
            name: name(element, equations)?,
            mode: element.mode,
            offset: element.offset,
            left: element.left,
            hop: element.hop,
            grips: grips.unwrap_or_default(),
        })
    };
    elements.iter().filter(is_something).filter_map(of).collect()
}

/// Gives elements the modes they had. Whether all were found again that held.
pub(super) fn recall(remembered: &[Remembered], elements: &mut [Element], equations: &Equations) -> bool {
    let mut found = 0;
    for element in elements.iter_mut() {
        let known = name(element, equations);
        let Some(old) = remembered.iter().find(|old| Some(old.name) == known) else { continue };
        (element.mode, element.left, element.hop) = (old.mode, old.left, old.hop);
        if old.offset < 0.0 {
            element.offset = old.offset;
        }
        if let Some(contact) = element.contact_mut() {
            // Whether friction is smoothed is a setting, which may have been changed meanwhile.
            let smooth = |grip: &Grip| matches!(grip, Grip::Smooth { .. });
            let known = contact.frictions.iter_mut().zip(&old.grips);
            known.filter(|(friction, grip)| !smooth(&friction.grip) && !smooth(grip)).for_each(|(friction, grip)| {
                friction.grip = *grip;
            });
        }
        found += usize::from(old.mode != Mode::Off);
    }
    found == remembered.iter().filter(|old| old.mode != Mode::Off).count()
}
