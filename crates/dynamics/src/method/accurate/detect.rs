//! Which points may touch within the next step, as gap functions.
//!
//! Points are found as ever, broad phase and manifolds, up to the distance that their bodies may close until the next look. Each
//! becomes the exact gap function of the features that make it ([`ContactFeature`]), which is followed through the step.

use super::crowd::is_crowd;
use super::element::{Contact, Element, Mode, What};
use super::equations::view;
use super::extent::Bound;
use super::face::Face;
use super::run::Run;
use super::settings::ContactPlane;
use super::signals::BEYOND;
use crate::constraint::feature::{ContactFeature, ContactSide};
use crate::parts::pairs;
use crate::parts::regions::{reach, relocate, world_pose};
use crate::{ColliderId, Id, StepError};
use glam::DVec3;
use tumble_geometry::query::{self, Feature, ManifoldOptions, PairCache};

/// Up to this distance, in lengths of the scene, points are looked for by themselves.
const NEAR: f64 = 1e-5;

/// What goes round an edge has clearly turned at this sine of the angle.
const CLEARLY_TURNED: f64 = 1e-3;

/// What a look at the contacts found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Look {
    /// Whether what touches is not what touched before.
    pub(super) changed: bool,
    /// The deepest overlap of a point that nobody saw coming, in metres.
    pub(super) surprise: f64,
    /// Whether so much touches that it is a [crowd](super::crowd).
    pub(super) crowded: bool,
}

impl Run<'_> {
    /// Finds the points that may touch within `ahead` seconds. Those known before keep their modes. An error if too many are near.
    pub(super) fn look(&mut self, ahead: f64, at_start: bool) -> Result<Look, StepError> {
        relocate(self.model, &self.state, ahead, self.roster.movers(), self.index);
        let mut near: Vec<[ColliderId; 2]> = Vec::new();
        self.index.pairs(self.model, |[a, b]| near.push(if a < b { [a, b] } else { [b, a] }))?;
        near.retain(|&pair| pairs::may_meet(self.model, pair));
        near.sort_unstable();
        let mut known = std::mem::take(&mut self.elements);
        let mut elements: Vec<Element> = Vec::new();
        known.retain(|element| {
            let stays = element.contact().is_none();
            if stays {
                elements.push(element.clone());
            }
            !stays
        });
        let mut look = Look::default();
        let mut touching: Vec<([usize; 2], usize)> = Vec::new();
        let band = self.scale.touching();
        for pair in near {
            if self.keep_rounding(pair, &mut known, &mut elements, &mut touching) {
                continue;
            }
            for contact in self.points(pair, ahead) {
                let before = known.iter().position(|element| {
                    element.contact().is_some_and(|old| old.colliders == contact.colliders && old.key == contact.key)
                });
                let gap = contact.feature.measure(&contact.bodies.map(|id| view(self.model, &self.state.bodies, id)));
                let mut element = Element::new(What::Contact(Box::new(contact)));
                match before {
                    Some(index) => self.carry_over(known.swap_remove(index), &mut element, gap.value, &mut look),
                    None if gap.value <= band => {
                        look.changed = true;
                        if gap.value < -band {
                            element.offset = gap.value;
                            look.surprise = if at_start { 0.0 } else { look.surprise.max(-gap.value) };
                        }
                    }
                    None => {}
                }
                if let Some(contact) = element.contact()
                    && (element.mode == Mode::On || gap.value - element.offset <= band)
                {
                    touching.push((contact.slots, 1));
                }
                elements.push(element);
            }
        }
        look.changed |= known.iter().any(|lost| lost.mode == Mode::On);
        self.elements = elements;
        look.crowded = is_crowd(self.equations, &touching);
        Ok(look)
    }

    /// What has just begun to go round an edge is told from what lies on the face only once it has turned a little. Until then its points are
    /// those that it has. Whether that is so.
    fn keep_rounding(
        &self,
        pair: [ColliderId; 2],
        known: &mut Vec<Element>,
        elements: &mut Vec<Element>,
        touching: &mut Vec<([usize; 2], usize)>,
    ) -> bool {
        let early = |element: &Element| {
            let Some(contact) =
                element.contact().filter(|contact| contact.rounds.is_some() && contact.colliders == pair)
            else {
                return false;
            };
            let views = contact.bodies.map(|id| view(self.model, &self.state.bodies, id));
            contact.turned(&views).is_some_and(|turned| turned < CLEARLY_TURNED)
                && contact.feature.measure(&views).value < NEAR * self.scale.length
        };
        if !known.iter().any(early) {
            return false;
        }
        let mut index = 0;
        while index < known.len() {
            if early(&known[index]) {
                let element = known.remove(index);
                if let (Some(contact), Mode::On) = (element.contact(), element.mode) {
                    touching.push((contact.slots, 1));
                }
                elements.push(element);
            } else {
                index += 1;
            }
        }
        true
    }

    /// The same point at another moment: it goes on in its mode.
    fn carry_over(&self, old: Element, element: &mut Element, gap: f64, look: &mut Look) {
        let band = self.scale.touching();
        (element.mode, element.left, element.hop) = (old.mode, old.left, old.hop);
        // What overlapped may come apart; it does not get deeper.
        element.offset = if old.offset < 0.0 { old.offset.max(gap.min(0.0)) } else { 0.0 };
        if let (Some(old), Some(new)) = (old.contact(), element.contact_mut()) {
            for friction in &mut new.frictions {
                if let Some(before) = old.frictions.iter().find(|before| before.against == friction.against) {
                    friction.grip = before.grip;
                }
            }
        }
        let apart = gap - element.offset;
        match element.mode {
            Mode::On if apart.abs() > 1e3 * band => {
                // Other features are opposite each other, and they do not touch where the old ones did.
                (element.mode, element.offset) = (Mode::Off, gap.min(0.0));
                look.changed = true;
            }
            Mode::On => {}
            _ if element.hop.is_some() => {}
            _ if apart < -10.0 * band => {
                look.surprise = look.surprise.max(-apart);
                (element.offset, look.changed) = (gap, true);
            }
            _ if apart > 2.0 * band => element.left = None,
            _ => look.changed |= element.left.is_none() && apart <= band,
        }
    }

    /// The points of a pair.
    fn points(&self, colliders: [ColliderId; 2], ahead: f64) -> Vec<Contact> {
        let [Some(a), Some(b)] = colliders.map(|id| self.model.colliders().get(id)) else { return Vec::new() };
        if a.sensor || b.sensor {
            return Vec::new();
        }
        let (body_a, body_b) = (&self.state.bodies[a.body.slot()], &self.state.bodies[b.body.slot()]);
        let b_in_a = world_pose(a, body_a).to_local(&world_pose(b, body_b));
        let speed = (body_b.velocity - body_a.velocity).length();
        let far = speed * ahead + reach(self.model, a, body_a, ahead) + reach(self.model, b, body_b, ahead);
        let find = |prediction: f64| {
            let (options, mut found) = (ManifoldOptions { prediction, ..ManifoldOptions::default() }, Vec::new());
            query::contact_manifolds(&a.shape, &b.shape, &b_in_a, &options, &mut PairCache::default(), &mut found);
            found
        };
        // A manifold has room for four points, and where it looks far some of those that touch give way to others: they come first.
        let mut manifolds = find(NEAR * self.scale.length);
        manifolds.extend(find(far.min(f64::MAX)));
        let sides = [ContactSide { shape: &a.shape, frame: a.pose }, ContactSide { shape: &b.shape, frame: b.pose }];
        let mut material = self.model.mixing().mix(&a.material, &b.material);
        let mut surface = DVec3::ZERO;
        let nearest = manifolds.iter().flat_map(|manifold| {
            let normal = world_pose(a, body_a).vector(manifold.normal);
            manifold.points().iter().map(move |point| (normal, -point.depth))
        });
        let Some(nearest) = nearest.min_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
        if let Some(change) = self.model.contact_change(&self.state, colliders, material, nearest) {
            if !change.solid {
                return Vec::new();
            }
            (material, surface) = (change.material, change.surface_velocity);
        }
        let mut points = Vec::new();
        for manifold in &manifolds {
            for point in manifold.points() {
                let feature = match self.settings.chosen_plane() {
                    ContactPlane::Features => ContactFeature::new(sides, &b_in_a, manifold, point),
                    ContactPlane::Fitted => ContactFeature::on_plane(sides, &b_in_a, fitted_plane(manifold), point),
                };
                let key = (manifold.part_a, manifold.part_b, point.feature);
                if points.iter().any(|known: &Contact| known.key == key) {
                    continue;
                }
                let (bodies, smoothing) = ([a.body, b.body], self.settings.friction_smoothing);
                let mut contact =
                    Contact::new(colliders, bodies, bodies.map(Id::slot), key, feature, (material, surface), smoothing);
                let parts = [manifold.part_a, manifold.part_b];
                contact.face = Face::of(&feature, &sides, parts);
                contact.bounds = Bound::of(&feature, &sides, parts);
                let views = contact.bodies.map(|id| view(self.model, &self.state.bodies, id));
                // What is at the end already has no moment at which it gets there.
                if contact.within(&views).is_some_and(|within| within <= 10.0 * BEYOND) {
                    contact.bounds.clear();
                }
                points.push(contact);
            }
        }
        self.put_beyond_edges(&mut points);
        points
    }

    /// A manifold prefers faces; what is round and beyond the end of one touches its edge. Of a capsule with something else on the face,
    /// the end beyond it touches nothing.
    fn put_beyond_edges(&self, points: &mut Vec<Contact>) {
        let within = |contact: &Contact| {
            let views = contact.bodies.map(|id| view(self.model, &self.state.bodies, id));
            contact.within_face(&views)
        };
        let parts = |contact: &Contact| (contact.key.0, contact.key.1);
        let others: Vec<_> =
            points.iter().filter(|point| within(point).is_none_or(|within| within >= 0.0)).map(parts).collect();
        points.retain_mut(|point| {
            if within(point).is_none_or(|within| within >= 0.0) {
                return true;
            }
            if others.contains(&parts(point))
                && point.features().iter().any(|feature| matches!(feature, Feature::End(_)))
            {
                return false;
            }
            let views = point.bodies.map(|id| view(self.model, &self.state.bodies, id));
            point.go_round_the_edge(&views);
            true
        });
    }
}

/// The plane that the points of a manifold are nearest to (least squares), as a unit normal out of the first shape; for fewer than three
/// points, or points in a line, that of the manifold.
fn fitted_plane(manifold: &query::Manifold) -> DVec3 {
    let points = manifold.points();
    let middle = points.iter().map(|point| point.position).sum::<DVec3>() / points.len().max(1) as f64;
    // With axes u, v in the plane of the manifold and w = n·(p − m): w ≈ a u + b v, and the plane's normal is n − a u − b v.
    let (u, v) = tumble_geometry::math::orthonormal_pair(manifold.normal);
    let (mut uu, mut uv, mut vv, mut uw, mut vw) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points {
        let offset = point.position - middle;
        let (x, y, z) = (offset.dot(u), offset.dot(v), offset.dot(manifold.normal));
        (uu, uv, vv, uw, vw) = (uu + x * x, uv + x * y, vv + y * y, uw + x * z, vw + y * z);
    }
    let determinant = uu * vv - uv * uv;
    if points.len() < 3 || determinant <= 1e-6 * (uu + vv) * (uu + vv) {
        return manifold.normal;
    }
    let (a, b) = ((uw * vv - vw * uv) / determinant, (vw * uu - uw * uv) / determinant);
    (manifold.normal - u * a - v * b).normalize()
}
