//! Several shapes as one.

use super::Shape;
use crate::bvh::Bvh;
use crate::{Aabb, GeometryError, Transform};
use glam::DVec3;

/// Farther away than anything that has a size.
const ENDLESS: DVec3 = DVec3::splat(1e10);

/// Several shapes, each at its own pose, that move as one: the union of its parts.
///
/// Parts may be of any kind but the half-space, which has no size. Compounds and tori among the parts are replaced by their own
/// parts, so the part numbers that queries report are those of [`Compound::parts`]: the order given, with every nested
/// compound spelled out in its place.
#[derive(Clone, Debug)]
pub struct Compound {
    parts: Vec<(Transform, Shape)>,
    /// The same with every torus in one piece, if there is one.
    members: Option<Vec<(Transform, Shape)>>,
    aabb: Aabb,
    bvh: Bvh,
}

impl Compound {
    /// The union of `parts`: at least one; poses finite with rotations of unit length.
    pub fn new(parts: Vec<(Transform, Shape)>) -> Result<Self, GeometryError> {
        let mut flat = Vec::with_capacity(parts.len());
        let mut members = Vec::new();
        let mut is_made_up = false;
        for (index, (pose, shape)) in parts.into_iter().enumerate() {
            checked_pose(index, &pose)?;
            match shape {
                // What is inside was flattened when it was made, so one level is all there is.
                Shape::Compound(inner) => {
                    let placed = |(inner_pose, part): &(Transform, Shape)| (pose * *inner_pose, part.clone());
                    flat.extend(inner.parts.iter().map(placed));
                    members.extend(inner.members().iter().map(placed));
                    is_made_up |= inner.members.is_some();
                }
                Shape::Torus(torus) => {
                    let ring = torus.parts().parts.iter();
                    flat.extend(ring.map(|(inner_pose, part)| (pose * *inner_pose, part.clone())));
                    members.push((pose, Shape::Torus(torus)));
                    is_made_up = true;
                }
                Shape::HalfSpace(_) => {
                    let why = format!("part {index} is a half-space, which has no size; make it a shape of its own");
                    return Err(GeometryError::Degenerate { what: "compound", why });
                }
                shape => {
                    flat.push((pose, shape.clone()));
                    members.push((pose, shape));
                }
            }
        }
        if flat.is_empty() {
            return Err(GeometryError::TooFew { what: "compound parts", count: 0, needed: 1 });
        }
        let boxes: Vec<Aabb> = flat.iter().map(|(pose, shape)| shape.aabb(pose)).collect();
        let aabb = boxes.iter().fold(Aabb::EMPTY, |all, part| all.merged(part));
        // Height fields are endless; the hierarchy computes with numbers.
        let finite = |part: &Aabb| Aabb::new(part.min.max(-ENDLESS), part.max.min(ENDLESS));
        let boxes: Vec<Aabb> = boxes.iter().map(finite).collect();
        Ok(Self { parts: flat, members: is_made_up.then_some(members), aabb, bvh: Bvh::build(&boxes) })
    }

    /// The parts and their poses.
    pub fn parts(&self) -> &[(Transform, Shape)] {
        &self.parts
    }

    /// What it was made of: compounds spelled out, but each torus in one piece. Volume, mass and pictures come from these.
    pub fn members(&self) -> &[(Transform, Shape)] {
        self.members.as_deref().unwrap_or(&self.parts)
    }

    /// The smallest box around the boxes of all parts.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    pub(crate) fn bvh(&self) -> &Bvh {
        &self.bvh
    }
}

fn checked_pose(index: usize, pose: &Transform) -> Result<(), GeometryError> {
    if pose.is_valid() && pose.translation.abs().max_element() <= crate::MAX_SIZE {
        return Ok(());
    }
    let why = format!(
        "part {index} has translation {} and rotation {}, but poses must be finite and rotations of unit length",
        pose.translation, pose.rotation
    );
    Err(GeometryError::Degenerate { what: "compound", why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_compounds_are_spelled_out_in_place() {
        let ball = Shape::sphere(1.0).unwrap();
        let at = |x: f64| Transform::from_translation(DVec3::X * x);
        let inner = Shape::compound(vec![(at(1.0), ball.clone()), (at(2.0), ball.clone())]).unwrap();
        let outer = Compound::new(vec![(at(0.0), ball.clone()), (at(10.0), inner), (at(5.0), ball)]).unwrap();
        let places: Vec<f64> = outer.parts().iter().map(|(pose, _)| pose.translation.x).collect();
        assert_eq!(places, [0.0, 11.0, 12.0, 5.0]);
        assert_eq!(outer.aabb(), Aabb::new(DVec3::new(-1.0, -1.0, -1.0), DVec3::new(13.0, 1.0, 1.0)));
    }

    #[test]
    fn bad_input_is_refused_by_name() {
        let ball = Shape::sphere(1.0).unwrap();
        assert!(Compound::new(vec![]).is_err());
        let ground = Shape::half_space(DVec3::Y).unwrap();
        let error =
            Compound::new(vec![(Transform::IDENTITY, ball.clone()), (Transform::IDENTITY, ground)]).unwrap_err();
        assert!(error.to_string().contains("part 1 is a half-space"), "{error}");
        let error = Compound::new(vec![(Transform::from_translation(DVec3::NAN), ball)]).unwrap_err();
        assert!(error.to_string().contains("part 0 has translation [NaN"), "{error}");
    }
}
