//! Where the colliders of moving bodies are, how far they may get, and the ways they have come from look to look: worked out once for
//! all their pairs.
//!
//! Contacts are looked at several times in a step while things crash about, and most pairs are not part of the crash. What was apart by d
//! when the step began, and has gone a way w since, is still apart by `d − w`: if that is enough, there is nothing to look for. And
//! points of surfaces that have hardly moved against each other are taken along to first order, with their gaps:
//!
//! ```text
//! s ← s + n·(δ_b − δ_a),   δ = Δx + Δθ × (p − x).
//! ```

use crate::index::{REST_MARGIN, rest_margin};
use crate::model::ColliderModel;
use crate::parts::regions::{reach, world_pose};
use crate::{BodyId, BodyState, ColliderId, Id, Model, State};
use glam::{DQuat, DVec3};
use tumble_geometry::Transform;
use tumble_geometry::math::rotation_vector;

/// Room for rounding.
const ROUNDING: f64 = 1e-9;

/// A collider at a look at the contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Station {
    collider: ColliderId,
    pub(super) pose: Transform,
    /// How fast its body goes, and how much farther than that says it may get until the next look, in metres.
    pub(super) velocity: DVec3,
    pub(super) reach: f64,
    /// Where the centre of mass of its body is.
    center: DVec3,
    /// By how much that has changed since the last look: a vector and a rotation vector.
    shift: DVec3,
    turn: DVec3,
    /// How far a point of its surface has got by turning since the last look, at most, in metres.
    swept: f64,
    /// By how much its surface may have come nearer to others since the step began and may until the next look, but for its speed.
    most: f64,
    rotation: DQuat,
    /// Where its body was when the step began.
    outset: DVec3,
    outset_rotation: DQuat,
}

impl Station {
    /// When a step begins.
    pub(super) fn new(model: &Model, id: ColliderId, collider: &ColliderModel, body: &BodyState, dt: f64) -> Self {
        let reach = reach(model, collider, body, dt);
        Self {
            collider: id,
            pose: world_pose(collider, body),
            velocity: body.velocity,
            reach,
            center: body.position,
            shift: DVec3::ZERO,
            turn: DVec3::ZERO,
            swept: 0.0,
            most: reach,
            rotation: body.rotation,
            outset: body.position,
            outset_rotation: body.rotation,
        }
    }

    /// Its body has moved on.
    fn follow(&mut self, model: &Model, collider: &ColliderModel, body: &BodyState, dt: f64) {
        let turned = body.rotation * self.rotation.conjugate();
        (self.shift, self.turn) = (body.position - self.center, rotation_vector(turned));
        (self.center, self.rotation, self.velocity) = (body.position, body.rotation, body.velocity);
        (self.pose, self.reach) = (world_pose(collider, body), reach(model, collider, body, dt));
        // A point at a distance r moves along a chord of 2 r sin(θ/2).
        let [turned, whole] =
            [turned, body.rotation * self.outset_rotation.conjugate()].map(|turn| 2.0 * turn.xyz().length());
        let radius = rest_margin(collider) / REST_MARGIN;
        self.swept = turned * radius;
        self.most = (body.position - self.outset).length() + whole * radius + self.reach;
    }

    /// How far a point of its body has come since the last look, to first order.
    pub(super) fn way_of_point(&self, point: DVec3) -> DVec3 {
        // The point was given where the body was then.
        self.shift + self.turn.cross(point - (self.center - self.shift))
    }

    /// By how much a direction that is fixed to its body has turned.
    pub(super) fn way_of_direction(&self, direction: DVec3) -> DVec3 {
        self.turn.cross(direction)
    }
}

/// Up to which gap two colliders may touch before the next look in `dt` seconds.
pub(super) fn prediction([a, b]: [&Station; 2], dt: f64) -> f64 {
    ((b.velocity - a.velocity).length() * dt + a.reach + b.reach).min(f64::MAX)
}

/// Whether two colliders that were apart by so much when the step began are still out of each other's reach.
pub(super) fn keep_apart([a, b]: [&Station; 2], clear: f64, dt: f64) -> bool {
    clear > (a.most + b.most + (b.velocity - a.velocity).length() * dt) * (1.0 + ROUNDING)
}

/// How far two surfaces have moved against each other since the last look, at most, in metres.
pub(super) fn parted([a, b]: [&Station; 2]) -> f64 {
    (b.shift - a.shift).length() + a.swept + b.swept
}

/// The stations of all colliders of bodies that move.
#[derive(Clone, Debug, Default)]
pub(super) struct Stations {
    list: Vec<Station>,
    /// By slot of a collider: its number in the list, if it is there.
    numbers: Vec<u32>,
}

impl Stations {
    /// A look at the contacts, for the next `dt` seconds; the first of a step if it `begins`.
    pub(super) fn look<'a>(
        &mut self,
        (model, state): (&Model, &State),
        movers: impl Iterator<Item = &'a BodyId>,
        dt: f64,
        begins: bool,
    ) {
        if begins {
            self.list.clear();
            self.numbers.resize(model.colliders().slot_count(), 0);
        }
        for &id in movers {
            let Some(body) = model.bodies().get(id) else { continue };
            let motion = &state.bodies[id.slot()];
            for &id in &body.colliders {
                let Some(collider) = model.colliders().get(id) else { continue };
                match self.number(id) {
                    Some(number) => self.list[number].follow(model, collider, motion, dt),
                    None => {
                        self.numbers[id.slot()] = self.list.len() as u32;
                        // Who joins later has come from somewhere.
                        let most = if begins { 0.0 } else { f64::INFINITY };
                        let station = Station::new(model, id, collider, motion, dt);
                        self.list.push(Station { swept: most, most: station.most + most, ..station });
                    }
                }
            }
        }
    }

    fn number(&self, id: ColliderId) -> Option<usize> {
        let number = *self.numbers.get(id.slot())? as usize;
        self.list.get(number).is_some_and(|station| station.collider == id).then_some(number)
    }

    /// The station of a collider, if its body moves.
    pub(super) fn get(&self, id: ColliderId) -> Option<&Station> {
        self.number(id).map(|number| &self.list[number])
    }
}
