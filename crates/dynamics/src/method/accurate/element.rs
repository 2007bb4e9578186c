//! What acts one way, within bounds, or by friction: limits of joints, motors and brakes, points of contact. Each is in a mode, and while
//! its mode lasts it is a set of equations (`touch.rs`).
//!
//! | element | modes |
//! |---|---|
//! | limit of a joint, c ≥ 0 | off: λ = 0; on: c̈ = 0 |
//! | motor or brake, λ between bounds | on: keeps its speed; least, most: as strong as it can |
//! | contact, g ≥ 0 | off: λ = 0; on: g̈ = 0, and each kind of friction sticks or slips |
//!
//! A contact knows three kinds of friction: against sliding, rolling and spinning. One that sticks holds a relative velocity at zero with a
//! force up to μ N; one that slips pushes with μ N against it.

use super::extent::Bound;
use super::face::{Border, Face};
use super::line::Line;
use crate::constraint::contact::{angular_jacobian, point_jacobian};
use crate::constraint::feature::{ContactFeature, Gap};
use crate::constraint::{BodyView, End, Measure};
use crate::model::ContactMaterial;
use crate::{BodyId, ColliderId};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::math::orthonormal_pair;
use tumble_geometry::query::{Feature, FeatureId};

/// What an element does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Mode {
    /// Nothing.
    #[default]
    Off,
    /// Holds.
    On,
    /// A motor that pushes with its smallest force: it is too fast.
    Least,
    /// A motor that pushes with its largest force: it is too slow.
    Most,
}

/// What a kind of friction does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Grip {
    /// Holds.
    Stick,
    /// Pushes against a direction, a unit vector. Nascent: there is no speed yet to tell it, and it stays what the forces made it.
    Slip { direction: DVec3, nascent: bool },
    /// Pushes with μ N v/√(v² + s²) against the velocity v, where s is `below`, in m/s: smoothed friction, which never holds.
    Smooth { below: f64 },
}

/// Against what a friction acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against {
    Sliding,
    Rolling,
    Spinning,
}

/// One kind of friction of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Friction {
    pub(super) against: Against,
    /// The coefficient while it holds, and while it slips.
    pub(super) stick: f64,
    pub(super) slip: f64,
    pub(super) grip: Grip,
}

/// The name of a contact point: its parts and feature.
pub(super) type PointKey = (u32, u32, FeatureId);

/// A point of contact.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub(super) colliders: [ColliderId; 2],
    pub(super) bodies: [BodyId; 2],
    pub(super) slots: [usize; 2],
    pub(super) key: PointKey,
    pub(super) feature: ContactFeature,
    pub(super) material: ContactMaterial,
    /// How fast the surface of the first runs along itself over that of the second, in m/s: belts.
    surface: DVec3,
    pub(super) frictions: Vec<Friction>,
    /// The face that the other body touches, if it has an end.
    pub(super) face: Option<Face>,
    /// Where the lines that touch end.
    pub(super) bounds: Vec<Bound>,
    /// It has just left that face and goes round this border of it.
    pub(super) rounds: Option<Border>,
}

/// What is no farther than this from the end of a face, in sizes of the face, is at the end.
const AT_THE_END: f64 = 1e-7;

/// How a contact is at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactReading {
    pub(super) gap: Measure,
    /// The unit normal out of the first body into the second.
    pub(super) normal: DVec3,
    pub(super) place: DVec3,
    place_rate: DVec3,
    /// The relative velocity at the place, and the relative angular velocity.
    slip: DVec3,
    turn: DVec3,
    surface: DVec3,
}

impl Contact {
    pub(super) fn new(
        colliders: [ColliderId; 2],
        bodies: [BodyId; 2],
        slots: [usize; 2],
        key: PointKey,
        feature: ContactFeature,
        (material, surface): (ContactMaterial, DVec3),
        smoothing: Option<f64>,
    ) -> Self {
        let kinds = [
            (Against::Sliding, material.static_friction, material.dynamic_friction),
            (Against::Rolling, material.rolling_friction, material.rolling_friction),
            (Against::Spinning, material.spinning_friction, material.spinning_friction),
        ];
        let frictions = kinds.into_iter().filter(|&(_, stick, _)| stick > 0.0).map(|(against, stick, slip)| Friction {
            against,
            stick,
            slip,
            grip: match smoothing {
                Some(below) if against == Against::Sliding => Grip::Smooth { below },
                _ => Grip::Stick,
            },
        });
        Self {
            colliders,
            bodies,
            slots,
            key,
            feature,
            material,
            surface,
            frictions: frictions.collect(),
            face: None,
            bounds: Vec::new(),
            rounds: None,
        }
    }

    /// Something round that comes to the end of a face goes round the edge there from now on: the distance from that line takes the place of
    /// that from the plane, with the same value and rate. Whether there is something round, and parallel to the edge.
    pub(super) fn go_round_the_edge(&mut self, views: &[BodyView; 2]) -> bool {
        let Some(face) = &self.face else { return false };
        let (on, point, reach, axis) = match self.feature.gap {
            Gap::PointPlane { on, point, reach, .. } if reach > 0.0 => (on, point, reach, None),
            // A torus, whose circle is thick, ends at the edge in another way.
            Gap::CirclePlane { on, center, axis, radius, reach: 0.0, .. } => (on, center, radius, Some(axis)),
            _ => return false,
        };
        let (place, _) = self.feature.place(views);
        let Some(&border) = face.nearest(views[face.side].pose.inverse_point(place)) else { return false };
        let parallel = axis.is_none_or(|axis| {
            let [edge, axis] = [views[face.side].pose.vector(border.direction), views[1 - face.side].pose.vector(axis)];
            edge.cross(axis).length() < 1e-9
        });
        if parallel {
            let gap = Gap::PointLine { on, line: border.point, direction: border.direction, point, reach };
            let radii = if on == End::Second { [reach, 0.0] } else { [0.0, reach] };
            self.feature = self.feature.with_gap(gap, radii);
            self.rounds = Some(border);
        }
        parallel
    }

    /// For what goes round an edge: the sine of the angle by which its normal has turned from that of the face, negative where it is back.
    pub(super) fn turned(&self, views: &[BodyView; 2]) -> Option<f64> {
        let (border, Gap::PointLine { point, on, .. }) = (self.rounds?, self.feature.gap) else {
            return None;
        };
        let flat = &views[usize::from(on == End::Second)];
        let other = &views[usize::from(on != End::Second)];
        let offset = flat.pose.inverse_point(other.pose.point(point)) - border.point;
        let offset = offset - border.direction * border.direction.dot(offset);
        Some(-offset.dot(border.inward) / offset.length())
    }

    /// How far the place of contact is within its face, or within the lines that touch, in metres; none if there is no end to them.
    pub(super) fn within(&self, views: &[BodyView; 2]) -> Option<f64> {
        if self.rounds.is_some() || self.bounds.is_empty() {
            return self.within_face(views);
        }
        let (place, _) = self.feature.place(views);
        self.bounds.iter().map(|bound| bound.within(place, views)).reduce(f64::min)
    }

    /// How far within its face the place of contact is, in metres; none if there is no end to it.
    pub(super) fn within_face(&self, views: &[BodyView; 2]) -> Option<f64> {
        let face = self.face.as_ref().filter(|_| self.rounds.is_none())?;
        let (place, _) = self.feature.place(views);
        Some(face.within(views[face.side].pose.inverse_point(place)))
    }

    /// Whether a corner is at the end of its face and on its way beyond. What slides over an edge passes there with its last corner, which
    /// comes down to the plane of the face just where that ends: it hits nothing.
    pub(super) fn slips_past(&self, views: &[BodyView; 2]) -> bool {
        let Gap::PointPlane { reach: 0.0, .. } = self.feature.gap else { return false };
        let Some(face) = self.face.as_ref().filter(|_| self.rounds.is_none()) else { return false };
        let (place, rate) = self.feature.place(views);
        let view = &views[face.side];
        let at = view.pose.inverse_point(place);
        let outwards = |border: &Border| (rate - view.velocity_at(place)).dot(view.pose.vector(border.inward)) < 0.0;
        face.nearest(at).is_some_and(|border| border.within(at) <= AT_THE_END * face.size && outwards(border))
    }

    pub(super) fn features(&self) -> [Feature; 2] {
        self.feature.features
    }

    pub(super) fn read(&self, views: &[BodyView; 2]) -> ContactReading {
        let gap = self.feature.measure(views);
        let (place, place_rate) = self.feature.place(views);
        let slip = views[1].velocity_at(place) - views[0].velocity_at(place) - self.surface;
        let turn = views[1].angular_velocity - views[0].angular_velocity;
        ContactReading { gap, normal: gap.jacobian.linear[1], place, place_rate, slip, turn, surface: self.surface }
    }
}

impl ContactReading {
    /// The relative velocity that a friction acts against, in m/s or rad/s.
    pub(super) fn speed(&self, against: Against) -> DVec3 {
        let along = |v: DVec3| self.normal * v.dot(self.normal);
        match against {
            Against::Sliding => self.slip - along(self.slip),
            Against::Rolling => self.turn - along(self.turn),
            Against::Spinning => along(self.turn),
        }
    }

    /// The directions that a friction which sticks holds.
    pub(super) fn directions(&self, against: Against) -> Vec<DVec3> {
        let (u, v) = orthonormal_pair(self.normal);
        match against {
            Against::Sliding | Against::Rolling => vec![u, v],
            Against::Spinning => vec![self.normal],
        }
    }

    /// The rate that the row along a direction has where nothing slides.
    pub(super) fn wanted(&self, against: Against, direction: DVec3) -> f64 {
        if against == Against::Sliding { self.surface.dot(direction) } else { 0.0 }
    }

    /// The row of the relative velocity along a direction, and its J̇ẋ.
    pub(super) fn line(
        &self,
        contact: &Contact,
        views: &[BodyView; 2],
        against: Against,
        direction: DVec3,
    ) -> (Line, f64) {
        match against {
            Against::Sliding => {
                let whirl = |view: &BodyView| view.angular_velocity.cross(self.place_rate - view.velocity);
                let bias = direction.dot(whirl(&views[1]) - whirl(&views[0]));
                (Line::new(contact.slots, &point_jacobian(views, self.place, direction)), bias)
            }
            Against::Rolling | Against::Spinning => (Line::new(contact.slots, &angular_jacobian(direction)), 0.0),
        }
    }

    /// What a friction pushes against with μ N: a direction, or less where it is smoothed; none while it holds.
    pub(super) fn opposed(&self, friction: &Friction, blur: f64) -> Option<DVec3> {
        match friction.grip {
            Grip::Stick => None,
            Grip::Slip { direction, nascent } => Some(self.slipping(friction.against, direction, nascent, blur).0),
            Grip::Smooth { below } => {
                let velocity = self.speed(friction.against);
                Some(velocity / (velocity.length_squared() + below * below).sqrt())
            }
        }
    }

    /// The direction in which a friction slips, and how fast along the direction it began with: negative once it has turned round.
    ///
    /// At the turning point a speed is nothing but rounding, and so is its direction: u/|u| of the last stage of a step would push
    /// anywhere. So a little of the direction it began with, `blur` in m/s, is added to the velocity: û = (±u + ε û₀)/|±u + ε û₀|, which
    /// is the same for what slides straight on, and nearly so for what is faster than ε.
    pub(super) fn slipping(&self, against: Against, began: DVec3, nascent: bool, blur: f64) -> (DVec3, f64) {
        let velocity = self.speed(against);
        let along = velocity.dot(began);
        if nascent {
            return (began, along);
        }
        // Continued through zero, so that the force stays smooth until the turning point is found.
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        ((velocity * sign + began * blur).try_normalize().unwrap_or(began), along)
    }
}

/// What an element is.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A limit of a joint: the joint's place among those of the plan, and the row.
    Stop { joint: usize, row: usize },
    /// A motor or brake.
    Motor { joint: usize, row: usize },
    /// A point of contact.
    Contact(Box<Contact>),
}

/// Something with modes.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) what: What,
    pub(super) mode: Mode,
    /// A gap that is negative when the element is first seen is kept: it may close, and does not get deeper. Metres or radians, at most 0.
    pub(super) offset: f64,
    /// It just left: until it has clearly done so it does not come back unless its gap is this much below zero, in metres.
    pub(super) left: Option<f64>,
    /// It hops so little that the parabola says exactly when it comes back, in seconds since the start.
    pub(super) hop: Option<f64>,
}

impl Element {
    pub(super) fn new(what: What) -> Self {
        Self { what, mode: Mode::Off, offset: 0.0, left: None, hop: None }
    }

    pub(super) fn contact(&self) -> Option<&Contact> {
        match &self.what {
            What::Contact(contact) => Some(contact),
            What::Stop { .. } | What::Motor { .. } => None,
        }
    }

    pub(super) fn contact_mut(&mut self) -> Option<&mut Contact> {
        match &mut self.what {
            What::Contact(contact) => Some(contact),
            What::Stop { .. } | What::Motor { .. } => None,
        }
    }

    /// Whether it is in touch: it holds, or could at once.
    pub(super) fn is_gap(&self) -> bool {
        !matches!(self.what, What::Motor { .. })
    }
}
