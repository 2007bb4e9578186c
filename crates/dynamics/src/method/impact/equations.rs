//! The impact of two rigid bodies with friction (H 5.1, after Routh).
//!
//! H writes 15 equations for 15 unknowns: the momentum and angular momentum of either body (8), Newton's rule along the normal N (9), and no
//! slip across it (11). The velocities after the impact can be eliminated by hand. With the relative velocity `u = u₂ − u₁` of the
//! points that touch and
//!
//! ```text
//! K = (1/m₁ + 1/m₂) 1 − Σ [R] I⁻¹ [R],       u' = u + K P
//! ```
//!
//! what is left are three equations for the impulse P on the second body:
//!
//! ```text
//! stick:  K P = −u − e u_n N,                 if |P_t| < μ P_n          (12)
//! slip:   P = P_n (N + μ r̂),  P_n = −(1 + e) u_n / (N·K (N + μ r̂))     (13)
//! ```
//!
//! with r̂ the tangential direction of the P that would make them stick. An immovable body has 1/m = 0 and I⁻¹ = 0: then H has 9 equations.
//!
//! Newton's rule relates velocities and not energies; with friction it can give back more energy than there was. `bounded` lowers e, and if
//! that is not enough μ, until it does not.

use glam::{DMat3, DVec3};

/// One of the two bodies at the point that is hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// 1/m in 1/kg; zero for an immovable body.
    pub inverse_mass: f64,
    /// I⁻¹ along world axes, in 1/(kg m²).
    pub inverse_inertia: DMat3,
    /// From the centre of mass to the point, in metres.
    pub lever: DVec3,
}

impl Side {
    /// `1/m − [R] I⁻¹ [R]`: what an impulse at the point does to its velocity.
    pub fn response(&self) -> DMat3 {
        let r = cross_matrix(self.lever);
        DMat3::from_diagonal(DVec3::splat(self.inverse_mass)) - r * self.inverse_inertia * r
    }
}

/// What is known before an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// K: the relative velocity per impulse.
    pub response: DMat3,
    /// u: how the point of the second body moves as seen from that of the first, in m/s.
    pub velocity: DVec3,
    /// N: the unit normal out of the first body into the second.
    pub normal: DVec3,
    /// e.
    pub restitution: f64,
    /// μ.
    pub friction: f64,
}

impl Impact {
    /// The impact of two bodies whose points have a relative velocity.
    pub fn between(sides: [Side; 2], velocity: DVec3, normal: DVec3, restitution: f64, friction: f64) -> Self {
        let response = sides[0].response() + sides[1].response();
        Self { response, velocity, normal, restitution, friction }
    }

    /// The impulse P on the second body, in N s, and whether the surfaces stick; none if they do not approach, or nothing moves.
    pub fn impulse(&self) -> Option<(DVec3, bool)> {
        let Self { response, velocity, normal, restitution, friction } = *self;
        let speed = velocity.dot(normal);
        let along = normal.dot(response * normal);
        if speed >= 0.0 || along <= f64::MIN_POSITIVE {
            return None;
        }
        // Point masses can be pushed in every direction, so that K has an inverse wherever something moves.
        let stick = response.inverse() * (-velocity - normal * (restitution * speed));
        let tangential = stick - normal * stick.dot(normal);
        if stick.is_finite() && tangential.length() < friction * stick.dot(normal).abs() {
            return Some((stick, true));
        }
        let direction = normal + tangential.normalize_or_zero() * friction;
        let gives = normal.dot(response * direction);
        // Where friction alone would drive the surfaces together (Painlevé), the impact is taken without it.
        let (direction, gives) = if gives > 1e-9 * along { (direction, gives) } else { (normal, along) };
        Some((direction * (-(1.0 + restitution) * speed / gives), false))
    }

    /// The change of kinetic energy by an impulse: `P·u + ½ P·K P`, in joules.
    pub fn energy(&self, impulse: DVec3) -> f64 {
        impulse.dot(self.velocity) + 0.5 * impulse.dot(self.response * impulse)
    }

    /// Like [`impulse`](Self::impulse), but never one that adds energy.
    pub fn bounded(&self) -> Option<(DVec3, bool)> {
        let first = self.impulse()?;
        if self.energy(first.0) <= 0.0 {
            return Some(first);
        }
        // The energy falls with e; a dozen halvings find the largest that is allowed.
        let (mut low, mut high) = (0.0, self.restitution);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            let tried = Self { restitution: middle, ..*self }.impulse()?;
            if self.energy(tried.0) <= 0.0 { low = middle } else { high = middle }
        }
        let found = Self { restitution: low, ..*self }.impulse()?;
        let frictionless = || Self { friction: 0.0, ..*self }.impulse();
        if self.energy(found.0) <= 0.0 { Some(found) } else { frictionless() }
    }
}

/// The matrix [v] with `[v] w = v × w`.
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves H's 15 equations as they stand, by elimination with pivots: ΔV₁, ΔV₂, ΔW₁, ΔW₂, P. `rule` are the three rows for P: no slip, or a
    /// given direction of friction.
    fn fifteen(
        masses: [f64; 2],
        inertias: [DMat3; 2],
        levers: [DVec3; 2],
        rule: impl Fn(&mut [[f64; 16]; 3]),
    ) -> [f64; 15] {
        let mut rows = [[0.0; 16]; 15];
        for axis in 0..3 {
            // m₁ΔV₁ = −P, m₂ΔV₂ = P.
            rows[axis][axis] = masses[0];
            rows[axis][12 + axis] = 1.0;
            rows[3 + axis][3 + axis] = masses[1];
            rows[3 + axis][12 + axis] = -1.0;
            // I₁ΔW₁ = R₁×(−P), I₂ΔW₂ = R₂×P.
            for column in 0..3 {
                rows[6 + axis][6 + column] = inertias[0].col(column)[axis];
                rows[9 + axis][9 + column] = inertias[1].col(column)[axis];
                rows[6 + axis][12 + column] = cross_matrix(levers[0]).col(column)[axis];
                rows[9 + axis][12 + column] = -cross_matrix(levers[1]).col(column)[axis];
            }
        }
        let mut last = [[0.0; 16]; 3];
        rule(&mut last);
        rows[12..].copy_from_slice(&last);
        for pivot in 0..15 {
            let best = (pivot..15).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs())).unwrap();
            rows.swap(pivot, best);
            for row in 0..15 {
                if row != pivot {
                    let factor = rows[row][pivot] / rows[pivot][pivot];
                    let known = rows[pivot];
                    rows[row].iter_mut().zip(known).skip(pivot).for_each(|(entry, known)| *entry -= factor * known);
                }
            }
        }
        std::array::from_fn(|i| rows[i][15] / rows[i][i])
    }

    /// Writes into a row how `direction · (u₂ − u₁)` depends on the 15 unknowns.
    fn relative(row: &mut [f64; 16], levers: [DVec3; 2], direction: DVec3) {
        for axis in 0..3 {
            row[axis] = -direction[axis];
            row[3 + axis] = direction[axis];
            // d·(ΔW × R) = ΔW·(R × d).
            row[6 + axis] = -levers[0].cross(direction)[axis];
            row[9 + axis] = levers[1].cross(direction)[axis];
        }
    }

    /// Ten thousand impacts of random bodies: the closed form is the solution of the 15 equations, stick and slip.
    #[test]
    fn the_closed_form_solves_the_fifteen_equations() {
        let mut random = fastrand::Rng::with_seed(1988);
        let (mut stuck, mut slipped, mut worst) = (0, 0, 0.0_f64);
        for _ in 0..10_000 {
            let mut vector = || DVec3::from([0; 3].map(|_| 2.0 * random.f64() - 1.0));
            let (levers, velocity, normal) = ([vector(), vector()], 3.0 * vector(), vector().normalize());
            let axes =
                [vector(), vector()].map(|v| DMat3::from_quat(tumble_geometry::math::rotation_from_vector(3.0 * v)));
            let velocity = if velocity.dot(normal) > 0.0 { -velocity } else { velocity };
            let masses = [0; 2].map(|_| libm::exp(3.0 * random.f64() - 1.5));
            let inertias = [0, 1].map(|k| {
                let [a, b, c] = [0; 3].map(|_| masses[k] * (0.05 + random.f64()));
                // Moments as masses on three axes have them, which keep the triangle inequality.
                axes[k] * DMat3::from_diagonal(DVec3::new(b + c, c + a, a + b)) * axes[k].transpose()
            });
            let (restitution, friction) = (random.f64(), 1.5 * random.f64());
            let side = |k: usize| Side {
                inverse_mass: 1.0 / masses[k],
                inverse_inertia: inertias[k].inverse(),
                lever: levers[k],
            };
            let impact = Impact::between([side(0), side(1)], velocity, normal, restitution, friction);
            let Some((impulse, sticks)) = impact.impulse() else { continue };
            let speed = velocity.dot(normal);
            let (t, r) = tumble_geometry::math::orthonormal_pair(normal);
            let no_slip = |rows: &mut [[f64; 16]; 3]| {
                for (row, direction, wanted) in
                    [(0, normal, -(1.0 + restitution) * speed), (1, t, -velocity.dot(t)), (2, r, -velocity.dot(r))]
                {
                    relative(&mut rows[row], levers, direction);
                    rows[row][15] = wanted;
                }
            };
            let solution = fifteen(masses, inertias, levers, no_slip);
            let stick = DVec3::from_slice(&solution[12..]);
            let tangential = stick - normal * stick.dot(normal);
            let expected = if tangential.length() < friction * stick.dot(normal).abs() {
                stuck += 1;
                assert!(sticks);
                stick
            } else {
                slipped += 1;
                assert!(!sticks);
                let along = tangential.normalize();
                let slip = |rows: &mut [[f64; 16]; 3]| {
                    relative(&mut rows[0], levers, normal);
                    rows[0][15] = -(1.0 + restitution) * speed;
                    // P_r = μ P·N, P_t = 0.
                    for axis in 0..3 {
                        rows[1][12 + axis] = along[axis] - friction * normal[axis];
                        rows[2][12 + axis] = normal.cross(along)[axis];
                    }
                };
                let gives = normal.dot(impact.response * (normal + along * friction));
                if gives <= 1e-9 * normal.dot(impact.response * normal) {
                    continue;
                }
                DVec3::from_slice(&fifteen(masses, inertias, levers, slip)[12..])
            };
            worst = worst.max((impulse - expected).length() / expected.length());
        }
        assert!(stuck > 1000 && slipped > 1000, "{stuck} stuck, {slipped} slipped");
        assert!(worst < 1e-12, "{worst:e}");
    }

    /// Without friction Newton's rule loses energy whatever e is; with friction it may not, and the bounded impact never gains.
    #[test]
    fn energy_never_grows_where_it_is_bounded() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut gained = 0;
        for _ in 0..5_000 {
            let mut vector = || DVec3::from([0; 3].map(|_| 2.0 * random.f64() - 1.0));
            let (velocity, normal, levers) = (vector(), vector().normalize(), [vector(), vector()]);
            let inverse_inertia = DMat3::from_diagonal(DVec3::splat(5.0));
            let sides = levers.map(|lever| Side { inverse_mass: 1.0, inverse_inertia, lever });
            let (restitution, friction) = (random.f64(), random.f64());
            let impact = Impact::between(sides, velocity, normal, restitution, friction);
            let smooth = Impact { friction: 0.0, ..impact };
            if let Some((impulse, _)) = smooth.impulse() {
                assert!(smooth.energy(impulse) <= 1e-12);
            }
            if let (Some((free, _)), Some((bounded, _))) = (impact.impulse(), impact.bounded()) {
                gained += usize::from(impact.energy(free) > 1e-9);
                assert!(impact.energy(bounded) <= 1e-12, "{}", impact.energy(bounded));
            }
        }
        assert!(gained > 0, "the rule is known to gain energy now and then");
    }
}
