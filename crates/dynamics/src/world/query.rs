//! Questions about where things are: rays, moving shapes, overlaps, the nearest surface, contacts.
//!
//! Answers are those of the bodies as they are now, also after bodies were moved, added or removed between steps, and
//! the same as if every collider were looked at, one by one. A tree of boxes makes sure that only few are: among a
//! thousand bodies a processor core follows about a million rays per second (`examples/queries.rs` of the crate
//! `tumble`). Sensors are not in the way of anything and are not found, unless they are [asked for](Query::with_sensors); leave
//! out anything else with the filter, which is asked about the few only. Of equally near colliders the one with the smaller id is
//! found. Numbers that are not finite find nothing.

use super::World;
use crate::contact::Contact;
use crate::index::roomy;
use crate::model::{ColliderModel, Layers};
use crate::{BodyId, ColliderId, ColliderIndex};
use glam::DVec3;
use tumble_geometry::broad_phase::ProxyId;
use tumble_geometry::query;
use tumble_geometry::{Ray, Shape, Transform};

/// A place on the surface of a collider that a question found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The collider.
    pub collider: ColliderId,
    /// Its body.
    pub body: BodyId,
    /// The point of its surface in metres, in world coordinates.
    pub point: DVec3,
    /// The unit normal there, in world coordinates, on the side the question came from.
    pub normal: DVec3,
    /// How far away it is in metres: along the ray, along the way of the moved shape, or from the point asked about.
    pub distance: f64,
    /// The part of the shape: the triangle of a mesh or height field, the member of a compound; zero otherwise.
    pub part: u32,
}

impl World {
    /// The pose of a collider in the world.
    pub fn collider_pose(&self, id: ColliderId) -> Option<Transform> {
        Some(self.pose_of(self.model.colliders.get(id)?))
    }

    pub(super) fn pose_of(&self, collider: &ColliderModel) -> Transform {
        collider.pose_in(&self.state)
    }

    /// What the ray meets first within `max_distance` metres, among the solid colliders the filter accepts. A ray that starts
    /// inside a solid meets it at distance zero. [`query`](Self::query) also finds sensors.
    pub fn cast_ray(&self, ray: &Ray, max_distance: f64, filter: impl Fn(ColliderId) -> bool) -> Option<Hit> {
        self.query().cast_ray(ray, max_distance, filter)
    }

    /// Everything the ray meets within `max_distance` metres, the nearest first: of each solid collider the first place.
    pub fn cast_ray_all(&self, ray: &Ray, max_distance: f64, filter: impl Fn(ColliderId) -> bool) -> Vec<Hit> {
        self.query().cast_ray_all(ray, max_distance, filter)
    }

    /// What a shape meets first on its way: see [`Query::cast_shape`].
    pub fn cast_shape(
        &self,
        shape: &Shape,
        pose: &Transform,
        translation: DVec3,
        filter: impl Fn(ColliderId) -> bool,
    ) -> Option<Hit> {
        self.query().cast_shape(shape, pose, translation, filter)
    }

    /// The solid colliders that a shape at `pose` overlaps or touches, in the order of their slots, among those the filter accepts.
    pub fn overlaps(&self, shape: &Shape, pose: &Transform, filter: impl Fn(ColliderId) -> bool) -> Vec<ColliderId> {
        self.query().overlaps(shape, pose, filter)
    }

    /// The solid collider nearest to a point: see [`Query::closest_to`].
    pub fn closest_to(
        &self,
        point: impl Into<DVec3>,
        max_distance: f64,
        filter: impl Fn(ColliderId) -> bool,
    ) -> Option<Hit> {
        self.query().closest_to(point, max_distance, filter)
    }

    /// Asks with more to say about who is meant than a filter: sensors too, or only what meets certain [layers](Layers).
    ///
    /// ```
    /// use tumble_dynamics::geometry::{Ray, Shape, glam::DVec3};
    /// use tumble_dynamics::{Body, Collider, World, model::Layers};
    ///
    /// let mut world = World::new();
    /// let zone = Collider::new(Shape::sphere(1.0)?).as_sensor();
    /// let zone = world.add_body(Body::fixed().with_collider(zone))?;
    /// let ray = Ray::new(DVec3::X * -5.0, DVec3::X).expect("finite and not zero");
    /// assert!(world.cast_ray(&ray, 10.0, |_| true).is_none()); // a sensor is in nobody's way
    /// let hit = world.query().with_sensors().cast_ray(&ray, 10.0, |_| true).expect("but it is there");
    /// assert_eq!(hit.body, zone);
    /// assert!(world.query().with_sensors().meeting(Layers::new(1, 0)).cast_ray(&ray, 10.0, |_| true).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn query(&self) -> Query<'_> {
        Query { world: self, sensors: false, layers: None }
    }

    /// Where the colliders are, up to date.
    pub fn index(&self) -> &ColliderIndex {
        self.places.index(&self.model, &self.state)
    }

    /// The contacts of a body, as of the last step, by ids of the colliders, in a list.
    pub fn contacts_of(&self, body: BodyId) -> impl Iterator<Item = Contact<'_>> {
        let mut contacts = Vec::new();
        self.visit_contacts_of(body, |contact| contacts.push(contact));
        contacts.into_iter()
    }

    /// All pairs of colliders that touched in the last step and still exist, by ids, in a list.
    pub fn contacts(&self) -> impl Iterator<Item = Contact<'_>> {
        let mut contacts = Vec::new();
        self.visit_contacts(|contact| contacts.push(contact));
        contacts.into_iter()
    }

    /// Calls `visit` with the [contacts of a body](Self::contacts_of). Needs no memory for a list.
    pub fn visit_contacts_of<'a>(&'a self, body: BodyId, mut visit: impl FnMut(Contact<'a>)) {
        self.method.visit_contacts_of(body, &mut |contact| {
            if self.is_there(&contact) {
                visit(contact);
            }
        });
    }

    /// Calls `visit` with [all contacts](Self::contacts). Needs no memory for a list.
    pub fn visit_contacts<'a>(&'a self, mut visit: impl FnMut(Contact<'a>)) {
        self.method.visit_contacts(&mut |contact| {
            if self.is_there(&contact) {
                visit(contact);
            }
        });
    }

    /// Whether both colliders of a contact still exist.
    fn is_there(&self, contact: &Contact<'_>) -> bool {
        contact.colliders.iter().all(|&id| self.model.colliders.get(id).is_some())
    }
}

/// Whom a question is about: by default all solid colliders. Made by [`World::query`].
#[derive(Clone, Copy, Debug)]
pub struct Query<'w> {
    world: &'w World,
    sensors: bool,
    layers: Option<Layers>,
}

impl Query<'_> {
    /// Sensors are found too.
    pub fn with_sensors(mut self) -> Self {
        self.sensors = true;
        self
    }

    /// Only colliders are found that a collider in these layers would meet.
    pub fn meeting(mut self, layers: Layers) -> Self {
        self.layers = Some(layers);
        self
    }

    fn accepts(&self, collider: &ColliderModel) -> bool {
        (self.sensors || !collider.sensor) && self.layers.is_none_or(|layers| layers.meets(collider.layers))
    }

    /// What the ray meets first within `max_distance` metres, among the colliders the filter accepts. A ray that starts
    /// inside a solid meets it at distance zero.
    pub fn cast_ray(&self, ray: &Ray, max_distance: f64, filter: impl Fn(ColliderId) -> bool) -> Option<Hit> {
        let mut nearest = Nearest::within(max_distance);
        self.world.index().broad_phase().query_ray(
            ray,
            max_distance,
            &mut self.look(max_distance, filter, |id, collider, pose| {
                nearest.offer(ray_hit(ray, max_distance, id, collider, pose));
                nearest.limit
            }),
        );
        nearest.hit
    }

    /// Everything the ray meets within `max_distance` metres, the nearest first: of each collider the first place.
    pub fn cast_ray_all(&self, ray: &Ray, max_distance: f64, filter: impl Fn(ColliderId) -> bool) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.world.index().broad_phase().query_ray(
            ray,
            max_distance,
            &mut self.look(max_distance, filter, |id, collider, pose| {
                hits.extend(ray_hit(ray, max_distance, id, collider, pose));
                max_distance
            }),
        );
        hits.sort_by(Hit::nearer);
        hits
    }

    /// What a shape meets first on its way from `pose` by `translation` metres, without turning, among the colliders the
    /// filter accepts. The point is that of the collider that was hit. A shape that overlaps something meets it at
    /// distance zero; one that touches and comes apart, or slides along, does not meet it.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        pose: &Transform,
        translation: DVec3,
        filter: impl Fn(ColliderId) -> bool,
    ) -> Option<Hit> {
        if !pose.is_valid() {
            return None;
        }
        let mut nearest = Nearest::within(f64::INFINITY);
        let mut limit: f64 = 1.0;
        let mut look = self.look(limit, filter, |id, collider, at| {
            let hit = collider.shape.cast_shape(shape, &at.to_local(pose), at.inverse_vector(translation));
            if let Some(hit) = hit {
                let (point, normal) = (at.point(hit.point_a), at.vector(hit.normal));
                let (distance, part) = (hit.distance, hit.part_a);
                nearest.offer(Some(Hit { collider: id, body: collider.body, point, normal, distance, part }));
                limit = limit.min(hit.fraction);
            }
            limit
        });
        self.world.index().broad_phase().query_sweep(&roomy(&shape.aabb(pose)), translation, &mut look);
        drop(look);
        nearest.hit
    }

    /// The colliders that a shape at `pose` overlaps or touches, in the order of their slots, among those the filter accepts.
    pub fn overlaps(&self, shape: &Shape, pose: &Transform, filter: impl Fn(ColliderId) -> bool) -> Vec<ColliderId> {
        let mut found = Vec::new();
        if pose.is_valid() {
            let mut look = self.look(0.0, filter, |id, collider, at| {
                found.extend(query::intersects(&collider.shape, shape, &at.to_local(pose)).then_some(id));
                0.0
            });
            let region = roomy(&shape.aabb(pose));
            self.world.index().broad_phase().query_box(&region, &mut |proxy| look(proxy) >= 0.0);
        }
        found.sort_unstable();
        found
    }

    /// The collider nearest to a point, at most `max_distance` metres away, among those the filter accepts. The distance is
    /// negative inside a solid; of several solids around the point, the one it is deepest in is found.
    pub fn closest_to(
        &self,
        point: impl Into<DVec3>,
        max_distance: f64,
        filter: impl Fn(ColliderId) -> bool,
    ) -> Option<Hit> {
        let asked = point.into();
        let mut nearest = Nearest::within(max_distance);
        // Boxes around the point are at distance zero, however deep in a solid the point may be.
        let reach = |limit: f64| limit.max(0.0) * (1.0 + 1e-9) + 1e-9 * asked.abs().max_element();
        if max_distance.is_nan() {
            return None;
        }
        let mut look = self.look(reach(max_distance), filter, |id, collider, pose| {
            if let Some(found) = collider.shape.closest_point(pose.inverse_point(asked)) {
                let found = found.transformed(pose);
                let (point, normal, distance, part) = (found.point, found.normal, found.distance, found.part);
                nearest.offer(Some(Hit { collider: id, body: collider.body, point, normal, distance, part }));
            }
            reach(nearest.limit)
        });
        self.world.index().broad_phase().query_nearest(asked, reach(max_distance), &mut look);
        drop(look);
        nearest.hit
    }

    /// What a search of the index calls with each proxy: shows `look` the collider if the filter accepts it, and answers
    /// with how far the search has to go from then on.
    fn look<'a>(
        &'a self,
        limit: f64,
        filter: impl Fn(ColliderId) -> bool + 'a,
        mut look: impl FnMut(ColliderId, &ColliderModel, &Transform) -> f64 + 'a,
    ) -> impl FnMut(ProxyId) -> f64 + 'a {
        let mut limit = limit;
        move |proxy| {
            let id = self.world.model.colliders.id_in_slot(proxy.0 as usize);
            let found = id.and_then(|id| Some((id, self.world.model.colliders.get(id)?)));
            if let Some((id, collider)) = found.filter(|(id, collider)| self.accepts(collider) && filter(*id)) {
                limit = look(id, collider, &self.world.pose_of(collider));
            }
            limit
        }
    }
}

/// The nearest hit so far.
struct Nearest {
    hit: Option<Hit>,
    /// How far away hits may be to be of interest, in metres.
    limit: f64,
}

impl Nearest {
    fn within(limit: f64) -> Self {
        Self { hit: None, limit }
    }

    fn offer(&mut self, hit: Option<Hit>) {
        let Some(hit) = hit.filter(|hit| hit.distance <= self.limit) else { return };
        if self.hit.is_none_or(|best| hit.nearer(&best).is_lt()) {
            self.limit = hit.distance;
            self.hit = Some(hit);
        }
    }
}

impl Hit {
    /// The order of hits: by distance, then by id.
    fn nearer(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.collider.cmp(&other.collider))
    }
}

fn ray_hit(ray: &Ray, max_distance: f64, id: ColliderId, collider: &ColliderModel, pose: &Transform) -> Option<Hit> {
    let hit = collider.shape.cast_ray(&ray.to_local(pose), max_distance)?.transformed(pose);
    let (distance, normal, part) = (hit.distance, hit.normal, hit.part);
    Some(Hit { collider: id, body: collider.body, point: ray.at(distance), normal, distance, part })
}
