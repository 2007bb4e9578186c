//! Reach cone: how far the second body may bend at a joint, seen by its centre of mass (G 2.7.5.6).
//!
//! G compares the direction from the joint to the second centre with the one from the first centre to the joint, the straight
//! arm, and pushes the second centre back to the surface of a regular cone (G 2.87). The direction is fixed to the second body,
//! so that the regular reach cone is a cone limit of it:
//!
//! ```text
//! x₂ = (center₂ − p)/|…|,   x₁ = (p − center₁)/|…|,        angle(x₁, x₂) ≤ θ
//! ```
//!
//! An irregular one, as of a shoulder, is given by its corners, directions on the first body: a polygon on the sphere. Between
//! neighbouring corners runs a great circle, and with its normal nᵢ = aᵢ × aᵢ₊₁, of length one, `nᵢ·x₂` is the sine of the
//! angle to that side (T 3.40). If the polygon is convex, each side is a row `nᵢ·x₂ ≥ 0`. Sides that meet in a corner that
//! juts inwards are one row together: x₂ is outside only if it is beyond all of them, so that, as in a wide wedge,
//!
//! ```text
//! c = max nᵢ·x₂ ≥ 0       over a chain of sides from one outward corner to the next
//! ```
//!
//! That covers every polygon of which no part lies behind a whole chain: notched, L-shaped and star-shaped ones.

use super::super::frame::JointFrame;
use super::Stop;
use super::cone::room_in_cone;
use crate::constraint::{
    Arrow, Attach, BodyView, Constraint, End, JointView, Measure, Row, check_direction, check_points,
};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_4, PI};
use std::sync::Arc;

/// Keeps the centre of the second body within reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReachCone {
    /// Where the bodies are joined, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The middle of the cone, fixed to the first body, in world coordinates. Default: from the first body's centre of mass to
    /// the anchor.
    #[schemars(with = "Option<[f64; 3]>", extend("unit" = "1"))]
    pub center: Option<DVec3>,
    /// The angle of a regular cone, in radians, from 1e-6 to π. Default π/4.
    #[schemars(range(min = 1e-6, max = PI), extend("unit" = "rad"))]
    pub angle: f64,
    /// The corners of an irregular cone, three or more directions in world coordinates, fixed to the first body: a
    /// polygon, counterclockwise as seen from outside the sphere they lie on. It may have corners that jut inwards. Default: none, the cone is regular.
    #[schemars(with = "Vec<[f64; 3]>", extend("unit" = "1"))]
    pub corners: Vec<DVec3>,
    /// What happens at the limit. Default: it stops, rigidly.
    pub stop: Stop,
}

impl Default for ReachCone {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, center: None, angle: FRAC_PI_4, corners: Vec::new(), stop: Stop::default() }
    }
}

impl ReachCone {
    /// A regular cone at a world point, of an angle in radians.
    pub fn regular(anchor: impl Into<DVec3>, angle: f64) -> Self {
        Self { anchor: anchor.into(), angle, ..Self::default() }
    }

    /// An irregular cone at a world point, with corners in these directions.
    pub fn irregular(anchor: impl Into<DVec3>, corners: Vec<DVec3>) -> Self {
        Self { anchor: anchor.into(), corners, ..Self::default() }
    }

    /// With the middle of a regular cone in a given direction.
    pub fn with_center(self, center: impl Into<DVec3>) -> Self {
        Self { center: Some(center.into()), ..self }
    }

    /// With another behaviour at the limit.
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }
}

impl Attach for ReachCone {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.stop.validate()?;
        check_points("anchor of a reach cone", &[self.anchor])?;
        let angle = checked("angle of a reach cone", self.angle, 1e-6..=PI, "between 1e-6 and π")?;
        let what = "the direction from the anchor of a reach cone to the second centre of mass";
        let frame = JointFrame::new(what, bodies, self.anchor, bodies[1].center - self.anchor, None)?;
        if self.corners.is_empty() {
            let center = self.center.unwrap_or(self.anchor - bodies[0].center);
            let frame = frame.centered("middle of a reach cone", bodies, Some(center))?;
            return Ok(Arc::new(ReachConeConstraint { frame, angle, chains: Vec::new(), stop: self.stop }));
        }
        let mut chains = chains(&self.corners)?;
        chains.iter_mut().flatten().for_each(|side| *side = bodies[0].pose.inverse_vector(*side));
        Ok(Arc::new(ReachConeConstraint { frame, angle, chains, stop: self.stop }))
    }
}

/// The normals of the sides, pointing inwards, in chains from one outward corner to the next.
fn chains(corners: &[DVec3]) -> Result<Vec<Vec<DVec3>>, ModelError> {
    let what = "one of the corners of a reach cone";
    let refuse = |value: String, allowed: &'static str| ModelError::OutOfRange { what, value, allowed };
    if corners.len() < 3 {
        let (what, value) = ("the number of corners of a reach cone", corners.len().to_string());
        return Err(ModelError::OutOfRange { what, value, allowed: "at least 3" });
    }
    let corners = corners.iter().map(|&corner| check_direction(what, corner)).collect::<Result<Vec<_>, _>>()?;
    let next = |index: usize| corners[(index + 1) % corners.len()];
    let mut sides = Vec::with_capacity(corners.len());
    for (index, a) in corners.iter().enumerate() {
        let side = a.cross(next(index));
        if side.length() < 1e-9 {
            return Err(refuse(format!("{a} beside {}", next(index)), "neither parallel nor opposed to its neighbour"));
        }
        sides.push(side.normalize());
    }
    // A corner juts inwards if the next one is beyond the side before it.
    let juts_inwards = |index: usize| sides[(index + sides.len() - 1) % sides.len()].dot(next(index)) < -1e-9;
    let counterclockwise = "a polygon, counterclockwise as seen from outside";
    let Some(start) = (0..sides.len()).find(|&index| !juts_inwards(index)) else {
        return Err(refuse(format!("{} that all jut inwards", corners.len()), counterclockwise));
    };
    let mut chains: Vec<Vec<DVec3>> = Vec::new();
    for index in (start..start + sides.len()).map(|index| index % sides.len()) {
        match chains.last_mut() {
            Some(chain) if juts_inwards(index) => chain.push(sides[index]),
            _ => chains.push(vec![sides[index]]),
        }
    }
    for (index, a) in corners.iter().enumerate() {
        for part in 0..PROBES {
            let point = a.lerp(next(index), f64::from(part) / f64::from(PROBES));
            let is_beyond = |chain: &Vec<DVec3>| chain.iter().all(|side| side.dot(point) < -1e-9);
            if chains.iter().any(is_beyond) {
                let value = format!("{point} of the boundary beyond other sides");
                return Err(refuse(
                    value,
                    "a polygon, counterclockwise as seen from outside, that does not wind around itself",
                ));
            }
        }
    }
    Ok(chains)
}

/// How many points of each side are looked at to see whether they lie behind others.
const PROBES: u32 = 8;

#[derive(Clone, Debug)]
struct ReachConeConstraint {
    frame: JointFrame,
    angle: f64,
    /// The inward normals of an irregular cone in the frame of the first body, in chains; none for a regular one.
    chains: Vec<Vec<DVec3>>,
    stop: Stop,
}

impl Constraint for ReachConeConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let ([x1, y1, _], [x2, ..]) = (self.frame.first(bodies), self.frame.second(bodies));
        if self.chains.is_empty() {
            rows.push(self.stop.row(room_in_cone(&x1, &y1, &x2, self.angle)));
        }
        let room = |side: &DVec3| Arrow::axis(bodies, End::First, *side).dot(&x2);
        let wider = |a: Measure, b: Measure| if a.value > b.value { a } else { b };
        let chain = |chain: &Vec<DVec3>| chain.iter().map(room).reduce(wider);
        rows.extend(self.chains.iter().filter_map(chain).map(|room| self.stop.row(room)));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn axis(&self, bodies: &[BodyView; 2]) -> Option<DVec3> {
        Some(self.frame.second(bodies)[0].value)
    }
}
