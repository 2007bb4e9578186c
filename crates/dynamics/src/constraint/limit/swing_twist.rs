//! Swing and twist: a ball joint with an elliptic cone and a limit of twist, the joint of shoulders, hips and necks.
//!
//! Three rows hold the point; one keeps the axis x₂ within the elliptic cone around x₁ and two limit the twist about it: see
//! there for the formulas (T 3.2.6, A.3.7).

use super::super::frame::{JointFrame, counted};
use super::elliptic_cone::Ellipse;
use super::{Stop, check_interval, push_interval};
use crate::constraint::{Attach, BodyView, Constraint, Freedom, JointView, Row, Softness};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

/// A ball joint with limits of swing and twist.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SwingTwist {
    /// The point it holds, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The axis of the second body, along the bone, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// The middle of the cone, fixed to the first body, in world coordinates. Default: the axis as it is.
    #[schemars(with = "Option<[f64; 3]>", extend("unit" = "1"))]
    pub center: Option<DVec3>,
    /// A direction across the axis, towards which the first angle of swing is measured; not parallel to it. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub towards: DVec3,
    /// The largest angles of swing, in radians from 1e-3 to 3.1, towards that direction and across it. Default π/4, π/4.
    #[schemars(extend("unit" = "rad"))]
    pub swing: [f64; 2],
    /// The smallest and the largest twist in radians; it is 0 where the joint was made if the cone is not moved. Default
    /// −π/4, π/4.
    #[schemars(extend("unit" = "rad"))]
    pub twist: [f64; 2],
    /// The friction against turning, about each of three axes, in N m. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "N m"))]
    pub friction: f64,
    /// What happens at the limits. Default: it stops, rigidly.
    pub stop: Stop,
    /// How hard it holds the point. Default: rigid.
    pub softness: Softness,
}

impl Default for SwingTwist {
    fn default() -> Self {
        Self {
            anchor: DVec3::ZERO,
            axis: DVec3::X,
            center: None,
            towards: DVec3::Y,
            swing: [FRAC_PI_4; 2],
            twist: [-FRAC_PI_4, FRAC_PI_4],
            friction: 0.0,
            stop: Stop::default(),
            softness: Softness::Rigid,
        }
    }
}

impl SwingTwist {
    /// At a world point, with the axis of the second body and a direction across it.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>, towards: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into(), towards: towards.into(), ..Self::default() }
    }

    /// With the largest angles of swing, in radians, towards the direction and across it.
    pub fn with_swing(self, towards: f64, across: f64) -> Self {
        Self { swing: [towards, across], ..self }
    }

    /// With limits of twist, in radians.
    pub fn with_twist(self, min: f64, max: f64) -> Self {
        Self { twist: [min, max], ..self }
    }

    /// With the middle of the cone elsewhere.
    pub fn with_center(self, center: impl Into<DVec3>) -> Self {
        Self { center: Some(center.into()), ..self }
    }

    /// With friction against turning, in N m.
    pub fn with_friction(self, friction: f64) -> Self {
        Self { friction, ..self }
    }

    /// With another behaviour at the limits.
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }
}

impl Attach for SwingTwist {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        self.stop.validate()?;
        let friction = checked("friction of a swing-twist joint", self.friction, 0.0.., "at least 0")?;
        let ellipse = Ellipse::new(self.swing)?;
        check_interval("limits of twist", self.twist[0], self.twist[1])?;
        let frame = JointFrame::new(
            "the pair `axis`, `towards` of a swing-twist joint",
            bodies,
            self.anchor,
            self.axis,
            Some(self.towards),
        )?;
        let frame = frame.centered("middle of a swing-twist joint", bodies, self.center)?;
        let Self { twist, stop, softness, .. } = *self;
        Ok(Arc::new(SwingTwistConstraint { frame, ellipse, twist, friction, stop, softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct SwingTwistConstraint {
    frame: JointFrame,
    ellipse: Ellipse,
    twist: [f64; 2],
    friction: f64,
    stop: Stop,
    softness: Softness,
}

impl Constraint for SwingTwistConstraint {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        self.frame.hold_point(joint, self.softness, rows);
        rows.push(self.stop.row(self.ellipse.room(&self.frame, joint)));
        push_interval(counted(self.frame.twist(joint), joint), self.twist, &self.stop, rows);
        let friction = Freedom::FREE.with_friction(self.friction);
        for turn in self.frame.rotation(joint) {
            friction.push_rows(turn, rows);
        }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn axis(&self, bodies: &[BodyView; 2]) -> Option<DVec3> {
        Some(self.frame.second(bodies)[0].value)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.frame.twist(bodies).value)
    }
}
