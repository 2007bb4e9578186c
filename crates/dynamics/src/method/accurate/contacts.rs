//! What others see of the contacts, and what is told of them.

use super::element::{Against, Element, Friction, Grip, Mode};
use super::equations::{Equations, view};
use super::memory::Memory;
use super::run::Run;
use crate::contact::{Contact as ContactView, ContactImpulse, ContactPoint, ContactPoints};
use crate::event::{self, Events, GripEvent, Phase};
use crate::method::StepContext;
use crate::model::ContactMaterial;
use crate::parts::regions::world_pose;
use crate::parts::{notices, pairs};
use crate::{BodyId, BodyState, ColliderId, Id, Model, StepError};
use glam::DVec3;
use tumble_geometry::query;

/// A pair of colliders that touch.
#[derive(Clone, Debug)]
pub(super) struct Touching {
    pub(super) colliders: [ColliderId; 2],
    pub(super) bodies: [BodyId; 2],
    material: ContactMaterial,
    dt: f64,
    points: Vec<ContactPoint>,
}

impl ContactPoints for Touching {
    fn count(&self) -> usize {
        self.points.len()
    }

    fn point(&self, index: usize) -> ContactPoint {
        self.points[index]
    }
}

impl Touching {
    /// What another method sees of a contact, with the impulses of `dt` seconds.
    pub(super) fn seen(contact: &ContactView<'_>, dt: f64) -> Self {
        let share = if contact.dt > 0.0 { dt / contact.dt } else { 0.0 };
        let scaled = |point: ContactPoint| {
            let ContactImpulse { normal, friction, rolling, spinning } = point.impulse;
            let impulse = ContactImpulse {
                normal: normal * share,
                friction: friction * share,
                rolling: rolling * share,
                spinning: spinning * share,
            };
            ContactPoint { impulse, ..point }
        };
        Self {
            colliders: contact.colliders,
            bodies: contact.bodies,
            material: contact.material,
            dt,
            points: contact.points().map(scaled).collect(),
        }
    }

    pub(super) fn view(&self) -> ContactView<'_> {
        ContactView::new(self.colliders, self.bodies, self.material, self.dt, self)
    }
}

/// The contacts at the end of a step of `dt` seconds, by ids of the colliders. Impulses are those of the forces at its end.
pub(super) fn touching(
    model: &Model,
    bodies: &[BodyState],
    equations: &Equations,
    elements: &[Element],
    dt: f64,
) -> Vec<Touching> {
    let mut list: Vec<Touching> = Vec::new();
    for (index, element) in elements.iter().enumerate().filter(|(_, element)| element.mode == Mode::On) {
        let Some(contact) = element.contact() else { continue };
        let views = contact.bodies.map(|id| view(model, bodies, id));
        let reading = contact.read(&views);
        let rows = equations.rows_of.get(index).cloned().unwrap_or(0..0);
        let multipliers = equations.multipliers.get(rows).unwrap_or(&[]);
        let normal = multipliers.first().copied().unwrap_or(0.0);
        let mut impulse = ContactImpulse { normal: normal * dt, ..ContactImpulse::default() };
        let mut next = 1;
        for friction in &contact.frictions {
            let force = match reading.opposed(friction, equations.blur) {
                Some(opposed) => -opposed * (friction.slip * normal),
                None => {
                    let directions = reading.directions(friction.against);
                    let force: DVec3 =
                        directions.iter().zip(multipliers.get(next..).unwrap_or(&[])).map(|(d, f)| *d * *f).sum();
                    next += directions.len();
                    force
                }
            };
            match friction.against {
                Against::Sliding => impulse.friction = force * dt,
                Against::Rolling => impulse.rolling = force * dt,
                Against::Spinning => impulse.spinning = force.dot(reading.normal) * dt,
            }
        }
        let point = ContactPoint {
            position: reading.place,
            normal: reading.normal,
            gap: reading.gap.value,
            impulse,
            parts: [contact.key.0, contact.key.1],
            feature: contact.key.2,
            features: contact.features(),
        };
        match list.iter_mut().find(|known| known.colliders == contact.colliders) {
            Some(known) => known.points.push(point),
            None => list.push(Touching {
                colliders: contact.colliders,
                bodies: contact.bodies,
                material: contact.material,
                dt,
                points: vec![point],
            }),
        }
    }
    list.sort_by_key(|touching| touching.colliders);
    list
}

/// The pairs that touch, and whether one of their points slides.
pub(super) fn grips(elements: &[Element]) -> Vec<GripEvent> {
    let mut list: Vec<GripEvent> = Vec::new();
    for contact in elements.iter().filter(|element| element.mode == Mode::On).filter_map(Element::contact) {
        let slides = |friction: &Friction| friction.against == Against::Sliding && friction.grip != Grip::Stick;
        let grip = if contact.frictions.iter().any(slides) { event::Grip::Slip } else { event::Grip::Stick };
        match list.iter_mut().find(|known| known.colliders == contact.colliders) {
            Some(known) if grip == event::Grip::Slip => known.grip = grip,
            Some(_) => {}
            None => list.push(GripEvent { time: 0.0, grip, colliders: contact.colliders, bodies: contact.bodies }),
        }
    }
    list
}

/// Tells which pairs came to hold or began to slide.
pub(super) fn tell_grips(before: &[GripEvent], now: &[GripEvent], time: f64, events: &mut Events) {
    for grip in now {
        let known = before.iter().find(|known| known.colliders == grip.colliders);
        if known.is_some_and(|known| known.grip != grip.grip) {
            events.grips.push(GripEvent { time, ..*grip });
        }
    }
}

/// When pairs began and ceased to touch within a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Diary {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    colliders: [ColliderId; 2],
    bodies: [BodyId; 2],
    material: ContactMaterial,
    first: f64,
    last: f64,
}

impl Diary {
    /// Notes who touches at a time: those that hold, and those that were hit.
    pub(super) fn note(&mut self, time: f64, elements: &[Element], hits: &[usize]) {
        for (index, element) in elements.iter().enumerate() {
            if element.mode != Mode::On && !hits.contains(&index) {
                continue;
            }
            let Some(contact) = element.contact() else { continue };
            self.enter(time, contact.colliders, contact.bodies, contact.material);
        }
    }

    /// Notes a list of pairs that touch at a time.
    pub(super) fn note_list(&mut self, time: f64, list: &[Touching]) {
        for touching in list {
            self.enter(time, touching.colliders, touching.bodies, touching.material);
        }
    }

    fn enter(&mut self, time: f64, colliders: [ColliderId; 2], bodies: [BodyId; 2], material: ContactMaterial) {
        match self.entries.iter_mut().find(|entry| entry.colliders == colliders) {
            Some(entry) => entry.last = time,
            None => self.entries.push(Entry { colliders, bodies, material, first: time, last: time }),
        }
    }

    /// Tells which contacts began, go on and ended; remembers those that there are.
    pub(super) fn tell(
        &self,
        list: &[Touching],
        memory: &mut Memory,
        (time, tell_ongoing): (f64, bool),
        events: &mut Events,
    ) {
        let touches = |colliders: &[ColliderId; 2]| list.iter().find(|touching| touching.colliders == *colliders);
        for entry in &self.entries {
            let before = memory.touching.contains(&entry.colliders);
            let now = touches(&entry.colliders);
            let none = Touching {
                colliders: entry.colliders,
                bodies: entry.bodies,
                material: entry.material,
                dt: 0.0,
                points: Vec::new(),
            };
            let shown = now.unwrap_or(&none);
            if before && now.is_some() {
                notices::tell_contact(events, time, Phase::Persist, tell_ongoing, &shown.view());
            }
            if !before {
                notices::tell_contact(events, entry.first, Phase::Begin, tell_ongoing, &shown.view());
            }
            if now.is_none() {
                notices::tell_contact(events, entry.last, Phase::End, tell_ongoing, &shown.view());
            }
        }
        memory.touching = list.iter().map(|touching| touching.colliders).collect();
    }
}

impl Run<'_> {
    /// Tells which sensors began and ceased to overlap something, at the end of a step.
    pub(super) fn tell_sensors(
        &mut self,
        memory: &mut Memory,
        time: f64,
        events: &mut Events,
    ) -> Result<(), StepError> {
        let model = self.model;
        let is_sensor = |id: ColliderId| model.colliders().get(id).is_some_and(|collider| collider.sensor);
        let mut near: Vec<[ColliderId; 2]> = Vec::new();
        if model.colliders().iter().any(|(_, collider)| collider.sensor) {
            crate::parts::regions::relocate(model, &self.state, 0.0, self.roster.movers(), self.index);
            self.index.pairs(model, |[a, b]| near.push(if a < b { [a, b] } else { [b, a] }))?;
        }
        near.retain(|&pair| pair.into_iter().any(is_sensor) && pairs::may_meet(model, pair));
        near.sort_unstable();
        near.retain(|&pair| {
            let [Some(a), Some(b)] = pair.map(|id| model.colliders().get(id)) else { return false };
            let pose =
                |collider: &crate::model::ColliderModel| world_pose(collider, &self.state.bodies[collider.body.slot()]);
            query::intersects(&a.shape, &b.shape, &pose(a).to_local(&pose(b)))
        });
        let sensor_first = |[a, b]: [ColliderId; 2]| if is_sensor(a) { [a, b] } else { [b, a] };
        for &pair in near.iter().filter(|pair| !memory.overlaps.contains(pair)) {
            notices::tell_sensor(events, time, Phase::Begin, sensor_first(pair));
        }
        for &pair in memory.overlaps.iter().filter(|pair| !near.contains(pair)) {
            notices::tell_sensor(events, time, Phase::End, sensor_first(pair));
        }
        memory.overlaps = near;
        Ok(())
    }
}

/// Wakes what sleeps: the accurate method lets nothing rest that it can follow.
pub(super) fn wake(context: &mut StepContext<'_>) {
    let time = context.state.time;
    for (id, _) in context.model.bodies().iter().filter(|(_, body)| body.kind.is_movable()) {
        let state = &mut context.state.bodies[id.slot()];
        if state.asleep {
            (state.asleep, state.quiet_time) = (false, 0.0);
            context.events.woke.push(crate::event::SleepEvent { time, body: id });
        }
    }
}
