//! Questions about where things are: rays, moving shapes, overlaps, the nearest surface, contacts.
//!
//! Answers are those of the bodies as they are now, also after bodies were moved, added or removed between steps: every
//! question looks at every collider. Sensors are found like all others; leave them, or anything else, out with the filter.
//! Of equally near colliders the one with the smaller id is found. Numbers that are not finite find nothing.

use super::World;
use crate::method::Contact;
use crate::model::ColliderModel;
use crate::{BodyId, ColliderId, Id};
use glam::DVec3;
use tumble_geometry::query;
use tumble_geometry::{Ray, Shape, Transform};

/// A place on the surface of a collider that a question found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The collider.
    pub collider: ColliderId,
    /// Its body.
    pub body: BodyId,
    /// The point of its surface, in world coordinates.
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
        self.state.bodies[collider.body.slot()].center_pose() * collider.center_pose
    }

    /// What the ray meets first within `max_distance` metres, among the colliders the filter accepts. A ray that starts
    /// inside a solid meets it at distance zero.
    pub fn cast_ray(&self, ray: &Ray, max_distance: f64, filter: impl Fn(ColliderId) -> bool) -> Option<Hit> {
        nearest(self.ray_hits(ray, max_distance, filter))
    }

    /// Everything the ray meets within `max_distance` metres, the nearest first: of each collider the first place.
    pub fn cast_ray_all(&self, ray: &Ray, max_distance: f64, filter: impl Fn(ColliderId) -> bool) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.ray_hits(ray, max_distance, filter).collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        hits
    }

    fn ray_hits(&self, ray: &Ray, max_distance: f64, filter: impl Fn(ColliderId) -> bool) -> impl Iterator<Item = Hit> {
        self.accepted(filter).filter_map(move |(id, collider, pose)| {
            let hit = collider.shape.cast_ray(&ray.to_local(&pose), max_distance)?.transformed(&pose);
            let (distance, normal, part) = (hit.distance, hit.normal, hit.part);
            Some(Hit { collider: id, body: collider.body, point: ray.at(distance), normal, distance, part })
        })
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
        if !(pose.is_valid() && translation.is_finite()) {
            return None;
        }
        nearest(self.accepted(filter).filter_map(|(id, collider, at)| {
            let hit = collider.shape.cast_shape(shape, &at.to_local(pose), at.inverse_vector(translation))?;
            let (point, normal) = (at.point(hit.point_a), at.vector(hit.normal));
            Some(Hit { collider: id, body: collider.body, point, normal, distance: hit.distance, part: hit.part_a })
        }))
    }

    /// The colliders that a shape at `pose` overlaps or touches, in the order of their slots, among those the filter accepts.
    pub fn overlaps(&self, shape: &Shape, pose: &Transform, filter: impl Fn(ColliderId) -> bool) -> Vec<ColliderId> {
        if !pose.is_valid() {
            return Vec::new();
        }
        self.accepted(filter)
            .filter(|(_, collider, at)| query::intersects(&collider.shape, shape, &at.to_local(pose)))
            .map(|(id, ..)| id)
            .collect()
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
        nearest(self.accepted(filter).filter_map(|(id, collider, pose)| {
            let found = collider.shape.closest_point(pose.inverse_point(asked))?.transformed(&pose);
            let (point, normal, distance, part) = (found.point, found.normal, found.distance, found.part);
            (distance <= max_distance).then_some(Hit {
                collider: id,
                body: collider.body,
                point,
                normal,
                distance,
                part,
            })
        }))
    }

    /// The contacts of a body with points where it touches others, as of the last step, by ids of the colliders.
    pub fn contacts_of(&self, body: BodyId) -> impl Iterator<Item = &Contact> {
        self.contacts().filter(move |contact| contact.bodies.contains(&body))
    }

    /// All pairs of colliders that touched in the last step and still exist, by ids.
    pub fn contacts(&self) -> impl Iterator<Item = &Contact> {
        let exists =
            move |contact: &&Contact| contact.colliders.iter().all(|&id| self.model.colliders.get(id).is_some());
        self.method.contacts().iter().filter(|contact| contact.touching && !contact.points.is_empty()).filter(exists)
    }

    fn accepted(
        &self,
        filter: impl Fn(ColliderId) -> bool,
    ) -> impl Iterator<Item = (ColliderId, &ColliderModel, Transform)> {
        let colliders = self.model.colliders.iter().filter(move |&(id, _)| filter(id));
        colliders.map(move |(id, collider)| (id, collider, self.pose_of(collider)))
    }
}

/// The hit with the least distance, the first of equals.
fn nearest(hits: impl Iterator<Item = Hit>) -> Option<Hit> {
    hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
}
