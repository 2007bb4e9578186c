//! Small numerics shared by all modules, reproducible to the bit on every machine: rotations and angles through
//! `libm` instead of the platform's functions, and orthonormal frames.

use glam::{DQuat, DVec3};

/// The unit vector along `vector`, of whatever length, the shortest and the longest included. `None` for zero and for what
/// is not finite.
pub fn direction(vector: DVec3) -> Option<DVec3> {
    // Squares of numbers below 1e-154 or above 1e154 leave the range of f64; numbers near one do not.
    let largest = vector.abs().max_element();
    (vector.is_finite() && largest > 0.0).then(|| (vector / largest).normalize())
}

/// The rotation by `angle` radians about the unit vector `axis`.
#[inline]
pub fn rotation_about(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// The rotation about `vector` by its length in radians: the exponential map.
#[inline]
pub fn rotation_from_vector(vector: DVec3) -> DQuat {
    let angle = vector.length();
    // sin(φ/2)/φ, by its series where the quotient would lose digits.
    let (scale, cos) = if angle < 1e-4 {
        let square = angle * angle;
        (0.5 - square / 48.0, 1.0 - square / 8.0)
    } else {
        let (sin, cos) = libm::sincos(0.5 * angle);
        (sin / angle, cos)
    };
    DQuat::from_xyzw(vector.x * scale, vector.y * scale, vector.z * scale, cos).normalize()
}

/// The rotation vector (axis times angle, angle in [0, π]) of a unit quaternion: the inverse of [`rotation_from_vector`].
#[inline]
pub fn rotation_vector(rotation: DQuat) -> DVec3 {
    // q and −q are the same rotation; the one with w ≥ 0 turns by at most π.
    let q = if rotation.w < 0.0 { -rotation } else { rotation };
    let imaginary = DVec3::new(q.x, q.y, q.z);
    let sin = imaginary.length();
    if sin < 1e-12 {
        return imaginary * 2.0;
    }
    imaginary * (2.0 * libm::atan2(sin, q.w) / sin)
}

/// The angle between two vectors in radians, accurate for nearly parallel ones too.
pub fn angle_between(a: DVec3, b: DVec3) -> f64 {
    libm::atan2(a.cross(b).length(), a.dot(b))
}

/// Two unit vectors that complete the unit vector `normal` to a right-handed frame: `(u, v)` with `u × v = normal`.
///
/// Continuous except where `normal.z` changes sign (Duff et al. 2017).
pub fn orthonormal_pair(normal: DVec3) -> (DVec3, DVec3) {
    let sign = 1.0_f64.copysign(normal.z);
    let a = -1.0 / (sign + normal.z);
    let b = normal.x * normal.y * a;
    let u = DVec3::new(1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x);
    let v = DVec3::new(b, sign + normal.y * normal.y * a, -normal.y);
    (u, v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vector_inverts_the_exponential_map() {
        for v in [DVec3::new(0.3, -1.2, 2.0), DVec3::new(1e-9, 0.0, 2e-9), DVec3::X * 3.1, DVec3::new(5e-5, 7e-5, 0.0)]
        {
            assert!((rotation_vector(rotation_from_vector(v)) - v).length() < 1e-15 + 1e-14 * v.length(), "{v}");
        }
    }

    #[test]
    fn directions_of_the_shortest_and_the_longest_vectors() {
        for length in [5e-324, 1e-300, 1e-162, 1.0, 1e200, 1e308] {
            assert_eq!(direction(DVec3::new(0.0, -length, 0.0)), Some(DVec3::NEG_Y));
        }
        for bad in [DVec3::ZERO, DVec3::NAN, DVec3::X * f64::INFINITY, DVec3::new(f64::NAN, 1.0, 0.0)] {
            assert_eq!(direction(bad), None);
        }
    }

    #[test]
    fn orthonormal_pair_is_right_handed() {
        for n in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Z, DVec3::new(1.0, -2.0, 3.0).normalize()] {
            let (u, v) = orthonormal_pair(n);
            assert!((u.cross(v) - n).length() < 1e-15);
            assert!(u.dot(n).abs() < 1e-15 && v.dot(n).abs() < 1e-15);
        }
    }
}
