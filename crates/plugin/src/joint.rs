//! Joints that are plug-ins.
//!
//! A joint has an anchor and a main axis, given in the world when it is made; from then on each body carries its own copy, a frame
//! whose x axis is the main axis and whose y axis points as far up (along the y axis of the world) as that allows; if the main axis is nearly
//! upright itself, along z. `rows(properties, ends, out)` sees both copies as they are now and says how much they disagree.
//! `ends` is 16 numbers for each body, in world coordinates: its copy of the anchor (3), the rotation of its copy of the frame as a
//! quaternion (4), its centre of mass (3), velocity (3) and angular velocity (3). For each row of its description it writes 14
//! numbers to `out`, which is zero at first:
//!
//! ```text
//! c, J = (linear 1, angular 1, linear 2, angular 2: 3 numbers each), J̇ẋ
//! ```
//!
//! with `ċ = J ẋ`: the factors of the velocities of both centres of mass and of both angular velocities. J̇ẋ counts only if the
//! description says `jdot = true`. Otherwise it is found here as the change of `J ẋ` along the motion with constant velocities,
//!
//! ```text
//! J̇ẋ ≈ (J(x + τẋ) ẋ − J(x − τẋ) ẋ) / 2τ,
//! ```
//!
//! with an error of the order τ²: τ is chosen so that nothing moves by more than 10⁻⁵ radians or metres.

use crate::description::RowKind;
use crate::layout::{quaternion, vector};
use crate::part::{Program, Settings};
use glam::{DMat3, DQuat, DVec3};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;
use tumble_dynamics::ModelError;
use tumble_dynamics::constraint::{Attach, BodyView, Constraint, Jacobian, JointView, Limit, Row, Softness};
use tumble_dynamics::registry::Table;
use tumble_geometry::{Fuse, Transform};

/// Numbers of one end, and of one row.
const END: usize = 16;
const ROW: usize = 14;
/// Instructions for a call.
const FUEL: u64 = 1_000_000;
/// An axis is nearly upright if it rises more than this, of its own length.
const NEARLY_UPRIGHT: f64 = 0.999;
/// How far bodies move for differences of J, in metres or radians.
const NUDGE: f64 = 1e-5;

/// A joint that is a plug-in, before it is attached.
#[derive(Clone, Debug)]
pub struct PluginJoint {
    settings: Settings,
    anchor: DVec3,
    axis: DVec3,
    softness: Softness,
}

pub(crate) fn register(program: Program, table: &mut Table<Arc<dyn Attach>>) {
    let part = program.part.clone();
    let other = program.clone();
    table.register_described(
        part,
        move |given| {
            let anchor = read(given, "anchor", [0.0; 3])?;
            let axis = read(given, "axis", [1.0, 0.0, 0.0])?;
            let softness = read(given, "softness", Softness::Rigid)?;
            let settings = program.with(given)?;
            Ok(Arc::new(PluginJoint { settings, anchor: anchor.into(), axis: axis.into(), softness }) as _)
        },
        move |part| part.downcast_ref::<PluginJoint>()?.settings.saved_by(&other),
    );
}

fn read<T: DeserializeOwned>(given: &Map<String, Value>, name: &str, default: T) -> Result<T, String> {
    let Some(value) = given.get(name) else { return Ok(default) };
    serde_json::from_value(value.clone()).map_err(|error| format!("`{name}`: {error}"))
}

impl Attach for PluginJoint {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        let refuse = |what, value: DVec3, allowed| ModelError::OutOfRange { what, value: value.to_string(), allowed };
        self.softness.validate()?;
        if !self.anchor.is_finite() {
            return Err(refuse("the anchor of a joint", self.anchor, "finite"));
        }
        let along = self.axis.try_normalize();
        let x = along.ok_or_else(|| refuse("the axis of a joint", self.axis, "finite and not zero"))?;
        let up = if x.y.abs() < NEARLY_UPRIGHT { DVec3::Y } else { DVec3::Z };
        let y = up.reject_from_normalized(x).normalize();
        let axes = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
        let frame = Transform::new(axes, self.anchor);
        let joint = PluginConstraint {
            settings: Settings { fuse: Fuse::new(), ..self.settings.clone() },
            copies: bodies.map(|body| body.pose.to_local(&frame)),
            softness: self.softness,
        };
        // A plug-in that cannot even say how it stands now is refused at once.
        let view = JointView { bodies: *bodies, angle: 0.0 };
        joint.numbers(&view).map_err(ModelError::Invalid)?;
        Ok(Arc::new(joint))
    }
}

/// A joint that is a plug-in and holds two bodies.
#[derive(Clone, Debug)]
struct PluginConstraint {
    settings: Settings,
    /// The frame of the joint in those of the bodies.
    copies: [Transform; 2],
    softness: Softness,
}

impl PluginConstraint {
    /// What the plug-in says of two bodies.
    fn numbers(&self, bodies: &[BodyView; 2]) -> Result<Vec<f64>, String> {
        let program = &self.settings.program;
        let count = program.description.rows.len() * ROW;
        let values = &self.settings.values;
        let mut ends = Vec::with_capacity(2 * END);
        for (body, copy) in bodies.iter().zip(&self.copies) {
            ends.extend(body.pose.point(copy.translation).to_array());
            ends.extend((body.pose.rotation * copy.rotation).to_array());
            ends.extend(body.center.to_array());
            ends.extend(body.velocity.to_array());
            ends.extend(body.angular_velocity.to_array());
        }
        program.machine.run(values.len() + ends.len() + count, |session| {
            let (properties, ends) = (session.put(values)?, session.put(&ends)?);
            let out = session.room(count);
            session.call("rows", &[properties, ends, out.clone()], FUEL)?;
            session.get(&out, count, "a row")
        })
    }

    /// J̇ẋ of all rows, by differences.
    fn changes(&self, bodies: &[BodyView; 2]) -> Result<Vec<f64>, String> {
        let fastest = bodies
            .iter()
            .fold(0.0_f64, |speed, body| speed.max(body.velocity.length()).max(body.angular_velocity.length()));
        let count = self.settings.program.description.rows.len();
        if fastest == 0.0 {
            return Ok(vec![0.0; count]);
        }
        let time = NUDGE / fastest;
        let rates = |sign: f64| -> Result<Vec<f64>, String> {
            let moved = bodies.map(|body| moved(&body, sign * time));
            let numbers = self.numbers(&moved)?;
            Ok(numbers.chunks_exact(ROW).map(|row| rate(&jacobian(row), bodies)).collect())
        };
        let (ahead, behind) = (rates(1.0)?, rates(-1.0)?);
        Ok(ahead.iter().zip(&behind).map(|(ahead, behind)| (ahead - behind) / (2.0 * time)).collect())
    }

    fn all_rows(&self, bodies: &[BodyView; 2]) -> Result<Vec<Row>, String> {
        let description = &self.settings.program.description;
        let numbers = self.numbers(bodies)?;
        let changes = if description.jdot {
            numbers.chunks_exact(ROW).map(|row| row[ROW - 1]).collect()
        } else {
            self.changes(bodies)?
        };
        let row = |((kind, row), jdot_v): ((&RowKind, &[f64]), f64)| Row {
            jacobian: jacobian(row),
            error: row[0],
            jdot_v,
            limit: match kind {
                RowKind::Equality => Limit::Equality,
                RowKind::AtLeastZero => Limit::AtLeastZero,
            },
            softness: self.softness,
            ..Row::default()
        };
        Ok(description.rows.iter().zip(numbers.chunks_exact(ROW)).zip(changes).map(row).collect())
    }
}

impl Constraint for PluginConstraint {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        let count = self.settings.program.description.rows.len();
        let found = self.settings.or_blow(self.all_rows(&joint.bodies));
        // The number of rows does not change; rows of zeros demand nothing.
        rows.extend(found.unwrap_or_else(|| vec![Row::default(); count]));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [0, 1].map(|k| bodies[k].pose.point(self.copies[k].translation))
    }

    fn fuse(&self) -> Option<&Fuse> {
        Some(&self.settings.fuse)
    }
}

fn jacobian(row: &[f64]) -> Jacobian {
    Jacobian { linear: [vector(&row[1..]), vector(&row[7..])], angular: [vector(&row[4..]), vector(&row[10..])] }
}

fn rate(jacobian: &Jacobian, bodies: &[BodyView; 2]) -> f64 {
    jacobian.dot(bodies.map(|body| body.velocity), bodies.map(|body| body.angular_velocity))
}

/// A body after it has moved on for a time with the velocities it has.
fn moved(body: &BodyView, time: f64) -> BodyView {
    let [x, y, z] = (body.angular_velocity * time).to_array();
    let angle = body.angular_velocity.length() * time.abs();
    // The quaternion of a rotation vector, sin(θ/2)/θ by its series where θ is small.
    let (sin, cos) = libm::sincos(0.5 * angle);
    let factor = if angle > 1e-4 { sin / angle } else { 0.5 - angle * angle / 48.0 };
    let turn = quaternion(&[x * factor, y * factor, z * factor, cos]).normalize();
    let center = body.center + body.velocity * time;
    let arm = turn * (body.pose.translation - body.center);
    let pose = Transform::new((turn * body.pose.rotation).normalize(), center + arm);
    BodyView { pose, center, ..*body }
}
