//! Convex shapes that users define by a support mapping.
//!
//! A support mapping can be wrong in ways that no algorithm survives. It is therefore asked in a fixed set of directions
//! when the shape is made, and the answers are held against each other: of all points it has named, the one for direction
//! d must reach farthest along d.

use super::Convex;
use crate::{Fuse, GeometryError, MAX_SIZE, MIN_SIZE};
use glam::DVec3;
use std::fmt::Debug;
use std::sync::Arc;

/// A convex shape given by its support mapping. Implement it to bring a shape of your own.
///
/// ```
/// use tumble_geometry::{Shape, glam::DVec3, shape::SupportMap};
///
/// /// The points with (x/a)² + (y/b)² + (z/c)² ≤ 1.
/// #[derive(Debug)]
/// struct Ellipsoid(DVec3);
///
/// impl SupportMap for Ellipsoid {
///     fn support(&self, direction: DVec3) -> DVec3 {
///         self.0 * (self.0 * direction).normalize_or_zero()
///     }
/// }
///
/// let egg = Shape::custom(Ellipsoid(DVec3::new(1.0, 1.5, 1.0)))?;
/// assert!(egg.contains_point(DVec3::Y * 1.4) && !egg.contains_point(DVec3::X * 1.4));
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub trait SupportMap: std::any::Any + Debug + Send + Sync {
    /// The point of the shape farthest along `direction` (not zero, not necessarily of unit length).
    ///
    /// It must depend on nothing but `direction`: equal questions, equal answers.
    fn support(&self, direction: DVec3) -> DVec3;

    /// A point inside the shape. Default: the origin.
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    /// The [fuse](Fuse) it blows when it fails, if it can fail: a world takes back the step in which that happens. Default: none.
    fn fuse(&self) -> Option<&Fuse> {
        None
    }
}

/// A user-defined convex shape, checked when it was made.
#[derive(Clone, Debug)]
pub struct Custom {
    map: Arc<dyn SupportMap>,
}

impl Custom {
    /// Accepts a support mapping whose answers in a set of test directions are finite and consistent with a convex
    /// shape of positive size (1e-9 to 1e9 metres) around its centre.
    pub fn new(map: Arc<dyn SupportMap>) -> Result<Self, GeometryError> {
        check(map.as_ref())?;
        Ok(Self { map })
    }

    /// The support mapping.
    pub fn map(&self) -> &Arc<dyn SupportMap> {
        &self.map
    }
}

impl Convex for Custom {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.map.support(direction)
    }

    fn center(&self) -> DVec3 {
        self.map.center()
    }
}

/// How far, relative to the size, answers may contradict each other.
const TOLERANCE: f64 = 1e-9;

/// The directions a mapping is asked for: the 26 neighbours of a cube's middle (unit length or not), and 38 spread over
/// the sphere along a spiral.
fn test_directions() -> Vec<DVec3> {
    let sides = [-1.0, 0.0, 1.0];
    let cube = (0..27).map(|i| DVec3::new(sides[i % 3], sides[i / 3 % 3], sides[i / 9])).filter(|d| *d != DVec3::ZERO);
    let spiral = (0..38).map(|i| {
        let z = (2.0 * f64::from(i) + 1.0) / 38.0 - 1.0;
        let (sin, cos) = libm::sincos(2.399_963_229_728_653 * f64::from(i));
        DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z)
    });
    cube.chain(spiral).collect()
}

fn check(map: &dyn SupportMap) -> Result<(), GeometryError> {
    let directions = test_directions();
    let mut points = Vec::with_capacity(directions.len());
    for &direction in &directions {
        let point = map.support(direction);
        if !(point.abs().max_element() <= MAX_SIZE && point.is_finite()) {
            return Err(fault(format!(
                "has the support point {point} along {direction}; it must be finite and within 1e9 metres"
            )));
        }
        points.push(point);
    }
    let center = map.center();
    let size = points.iter().fold(0.0, |size: f64, &point| size.max(point.distance(center)));
    let slack = TOLERANCE * size + f64::EPSILON * center.abs().max_element();
    for (i, &direction) in directions.iter().enumerate() {
        let unit = direction.normalize();
        let reach = points[i].dot(unit);
        if let Some(farther) = points.iter().find(|point| point.dot(unit) > reach + slack) {
            let why = format!(
                "has the support point {} along {direction}, but {farther}, a support point too, lies farther that way",
                points[i]
            );
            return Err(fault(why));
        }
        // The length of the direction must not matter.
        let again = map.support(direction * 1e-3);
        if again.is_nan() || (again.dot(unit) - reach).abs() > slack {
            let why = format!(
                "has the support point {} along {direction}, but {again} along a thousandth of that",
                points[i]
            );
            return Err(fault(why));
        }
        let inside = center.dot(unit);
        if inside.is_nan() || inside > reach + slack {
            let why = format!("has its centre {center} outside: the shape ends at {} along {direction}", points[i]);
            return Err(fault(why));
        }
        let width = reach + map.support(-direction).dot(-unit);
        if width < MIN_SIZE {
            return Err(fault(format!("is {width} metres wide along {direction}, but must be at least 1e-9 metres")));
        }
    }
    Ok(())
}

fn fault(why: String) -> GeometryError {
    GeometryError::Degenerate { what: "custom shape", why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    #[derive(Debug)]
    struct Map(fn(DVec3) -> DVec3, DVec3);

    impl SupportMap for Map {
        fn support(&self, direction: DVec3) -> DVec3 {
            (self.0)(direction)
        }

        fn center(&self) -> DVec3 {
            self.1
        }
    }

    fn error(map: fn(DVec3) -> DVec3, center: DVec3) -> String {
        Shape::custom(Map(map, center)).expect_err("the mapping is wrong").to_string()
    }

    #[test]
    fn sound_mappings_are_accepted() {
        assert!(Shape::custom(Map(|d| d.normalize(), DVec3::ZERO)).is_ok());
        assert!(
            Shape::custom(Map(|d| DVec3::splat(7.0) + d.signum() * DVec3::new(1e-3, 1.0, 1e3), DVec3::splat(7.0)))
                .is_ok()
        );
    }

    #[test]
    fn every_kind_of_wrong_mapping_is_named() {
        let zero = DVec3::ZERO;
        assert!(error(|_| DVec3::NAN, zero).contains("[NaN, NaN, NaN] along"));
        assert!(error(|d| d.normalize() * 1e10, zero).contains("within 1e9 metres"));
        assert!(error(|d| -d.normalize(), zero).contains("lies farther that way"));
        assert!(error(|d| d, zero).contains("farther that way") || error(|d| d, zero).contains("a thousandth"));
        assert!(error(|d| d.normalize(), DVec3::X * 2.0).contains("has its centre [2, 0, 0] outside"));
        assert!(error(|d| d.normalize(), DVec3::NAN).contains("centre"));
        assert!(error(|d| d.signum() * DVec3::new(1.0, 0.0, 1.0), zero).contains("0 metres wide along"));
        assert!(error(|_| DVec3::ZERO, zero).contains("0 metres wide"));
    }
}
