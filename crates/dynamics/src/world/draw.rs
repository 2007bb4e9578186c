//! Drawing a world: what everybody has in common here, what belongs to the method through the method.

use super::World;
use crate::constraint::BodyView;
use crate::force::{ForceContext, Wrenches};
use crate::instrument::{
    ACCELERATION_SCALE, Color, Instrument, InstrumentFlags, NORMAL_LENGTH, VELOCITY_TIME, draw_aabb,
};
use crate::model::JointEnd;
use crate::{BodyId, Id};
use glam::DVec3;

/// The radius of the sphere that marks a point, in metres.
const POINT_RADIUS: f64 = 0.02;

impl World {
    /// Draws what the flags ask for. Contacts, islands and the broad phase are those of the last step.
    pub fn draw(&self, flags: InstrumentFlags, instrument: &mut dyn Instrument) {
        if flags.aabbs {
            for (_, collider) in self.model.colliders.iter() {
                draw_aabb(&collider.shape.aabb(&self.pose_of(collider)), Color::WHITE, instrument);
            }
        }
        if flags.contacts {
            self.draw_contacts(instrument);
        }
        if flags.contact_forces {
            self.draw_contact_forces(instrument);
        }
        if flags.joints {
            self.draw_joints(instrument);
        }
        if flags.reactions {
            self.draw_reactions(instrument);
        }
        if flags.forces {
            self.draw_forces(instrument);
        }
        for (id, _) in self.bodies() {
            self.draw_body(id, flags, instrument);
        }
        if flags.broad_phase {
            self.index().broad_phase().structure(&mut |aabb| draw_aabb(&aabb, Color::GREY, instrument));
        }
        self.method.draw(&self.model, &self.state, flags, instrument);
    }

    fn draw_body(&self, id: BodyId, flags: InstrumentFlags, instrument: &mut dyn Instrument) {
        let body = &self.state.bodies[id.slot()];
        if flags.centers_of_mass && self.model.bodies.get(id).is_some_and(|model| model.kind.is_movable()) {
            instrument.sphere(body.position, POINT_RADIUS, Color::YELLOW);
        }
        if flags.velocities && body.velocity != DVec3::ZERO {
            instrument.arrow(body.position, body.velocity * VELOCITY_TIME, Color::GREEN);
        }
        if flags.sleep && body.asleep {
            instrument.text(body.position, "asleep", Color::GREY);
        }
    }

    fn draw_contacts(&self, instrument: &mut dyn Instrument) {
        for point in self.contacts().flat_map(|contact| contact.points()) {
            instrument.sphere(point.position, POINT_RADIUS, Color::RED);
            instrument.arrow(point.position, point.normal * NORMAL_LENGTH, Color::RED);
        }
    }

    fn draw_contact_forces(&self, instrument: &mut dyn Instrument) {
        for contact in self.contacts() {
            for point in contact.points() {
                let force = contact.force_at(&point);
                self.draw_force(contact.bodies.map(JointEnd::Body), point.position, force, instrument);
            }
        }
    }

    fn draw_reactions(&self, instrument: &mut dyn Instrument) {
        for (_, joint) in self.joints() {
            self.draw_force(joint.model().ends, joint.anchors()[1], joint.reaction().force, instrument);
        }
    }

    /// A force on the second of two ends, or the opposite one on the first if the second cannot be moved.
    fn draw_force(&self, ends: [JointEnd; 2], at: DVec3, force: DVec3, instrument: &mut dyn Instrument) {
        let inverse_mass = ends.map(|end| match end {
            JointEnd::Body(id) => self.model.bodies.get(id).map_or(0.0, |body| body.inverse_mass),
            JointEnd::World => 0.0,
        });
        let acceleration = match inverse_mass {
            [first, 0.0] => -force * first,
            [_, second] => force * second,
        };
        if acceleration != DVec3::ZERO {
            instrument.arrow(at, acceleration * ACCELERATION_SCALE, Color::ORANGE);
        }
    }

    fn draw_joints(&self, instrument: &mut dyn Instrument) {
        for (_, joint) in self.model.joints.iter().filter(|(id, _)| !self.state.broken[id.slot()]) {
            let views = joint.ends.map(|end| BodyView::of(&self.model, &self.state.bodies, end));
            let anchors = joint.constraint.anchors(&views);
            for (end, (view, anchor)) in joint.ends.into_iter().zip(views.iter().zip(anchors)) {
                if end != JointEnd::World {
                    instrument.line(view.center, anchor, Color::BLUE);
                }
            }
            instrument.line(anchors[0], anchors[1], Color::BLUE);
        }
    }

    fn draw_forces(&self, instrument: &mut dyn Instrument) {
        let mut wrenches = Wrenches::zero(self.state.bodies.len());
        let context = ForceContext { model: &self.model, time: self.state.time, bodies: &self.state.bodies };
        for (_, force) in self.model.forces.iter() {
            force.apply(&context, &mut wrenches);
        }
        for (id, model) in self.model.bodies.iter() {
            let force = wrenches.as_slice()[id.slot()].force + self.state.applied.get(id.slot()).force;
            let acceleration = force * model.inverse_mass;
            if acceleration != DVec3::ZERO {
                instrument.arrow(
                    self.state.bodies[id.slot()].position,
                    acceleration * ACCELERATION_SCALE,
                    Color::ORANGE,
                );
            }
        }
    }
}
