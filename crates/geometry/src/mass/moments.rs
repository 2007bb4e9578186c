//! The moments `∫dV`, `∫x dV`, `∫x xᵀ dV` of a distribution about a reference point, summed with compensation.
//!
//! Tens of thousands of triangles give tens of thousands of roundings. Each of the ten sums therefore carries along
//! what every addition loses (Knuth's error-free sum), so that the result is as good as its terms.

use super::MassProperties;
use super::properties::point_inertia;
use glam::{DMat3, DVec3, Vec3Swizzles};

/// Ten sums with their rounding errors.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MomentSum {
    sums: [f64; 10],
    lost: [f64; 10],
}

/// The moments of a distribution of unit density about a reference point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    /// `∫dV`
    pub(super) measure: f64,
    /// `∫x dV`
    first: DVec3,
    /// The diagonal of `∫x xᵀ dV`: xx, yy, zz.
    squares: DVec3,
    /// What is beside it: yz, zx, xy.
    products: DVec3,
}

impl MomentSum {
    /// Adds a simplex with the given `corners` (relative to the reference point) and the signed volume or area
    /// `measure`: with n the number of corners and `s` their sum,
    ///
    /// ```text
    /// ∫x dV = V/n s,    ∫x xᵀ dV = V / (n (n + 1)) (s sᵀ + Σ v vᵀ).
    /// ```
    ///
    /// That is V/20 for tetrahedra and V/12 for triangles.
    pub(super) fn add_simplex<const N: usize>(&mut self, measure: f64, corners: [DVec3; N]) {
        let count = N as f64;
        let sum: DVec3 = corners.iter().sum();
        let (mut squares, mut products) = (sum * sum, cyclic_products(sum));
        for corner in corners {
            squares += corner * corner;
            products += cyclic_products(corner);
        }
        let (first_weight, second_weight) = (measure / count, measure / (count * (count + 1.0)));
        let (f, s, p) = (sum * first_weight, squares * second_weight, products * second_weight);
        self.add([measure, f.x, f.y, f.z, s.x, s.y, s.z, p.x, p.y, p.z]);
    }

    /// Adds a box of the given `volume` and edge lengths around `center` (relative to the reference point):
    /// `∫x xᵀ dV = V (c cᵀ + diag(edges²) / 12)`.
    pub(super) fn add_box(&mut self, volume: f64, center: DVec3, edges: DVec3) {
        let f = volume * center;
        let (s, p) = (volume * (center * center + edges * edges / 12.0), volume * cyclic_products(center));
        self.add([volume, f.x, f.y, f.z, s.x, s.y, s.z, p.x, p.y, p.z]);
    }

    /// Adds the cone from the reference point over a small piece of surface at `position` with the vector area `area`.
    pub(super) fn add_cone(&mut self, position: DVec3, area: DVec3) {
        let flux = position.dot(area);
        let f = position * (flux / 4.0);
        let (s, p) = (position * position * (flux / 5.0), cyclic_products(position) * (flux / 5.0));
        self.add([flux / 3.0, f.x, f.y, f.z, s.x, s.y, s.z, p.x, p.y, p.z]);
    }

    fn add(&mut self, terms: [f64; 10]) {
        for ((sum, lost), term) in self.sums.iter_mut().zip(&mut self.lost).zip(terms) {
            let total = *sum + term;
            let part = total - *sum;
            *lost += (*sum - (total - part)) + (term - part);
            *sum = total;
        }
    }

    /// The moments; those of the negative of the distribution if it is inside out, that is, its measure negative.
    pub(super) fn moments(&self) -> Moments {
        let sign = 1.0_f64.copysign(self.sums[0] + self.lost[0]);
        let [measure, fx, fy, fz, xx, yy, zz, yz, zx, xy] =
            std::array::from_fn(|i| sign * (self.sums[i] + self.lost[i]));
        Moments {
            measure,
            first: DVec3::new(fx, fy, fz),
            squares: DVec3::new(xx, yy, zz),
            products: DVec3::new(yz, zx, xy),
        }
    }
}

impl Moments {
    /// The centre relative to the reference point.
    pub(super) fn centroid(&self) -> DVec3 {
        self.first / self.measure
    }

    /// The mass properties at unit density, given where the reference point is.
    pub(super) fn properties(&self, reference: DVec3) -> MassProperties {
        let (s, p) = (self.squares, self.products);
        // I = tr(S) 1 − S about the reference point, then Steiner back to the centre.
        let inertia = DMat3::from_cols(
            DVec3::new(s.y + s.z, -p.z, -p.y),
            DVec3::new(-p.z, s.x + s.z, -p.x),
            DVec3::new(-p.y, -p.x, s.x + s.y),
        );
        let offset = self.centroid();
        MassProperties {
            mass: self.measure,
            center: reference + offset,
            inertia: inertia - point_inertia(self.measure, offset),
        }
    }
}

/// (yz, zx, xy)
fn cyclic_products(v: DVec3) -> DVec3 {
    v.yzx() * v.zxy()
}
