//! Principal axes and moments: the eigen-decomposition `I = R diag(I₁, I₂, I₃) Rᵀ` of the inertia tensor.
//!
//! Jacobi's method turns the tensor step by step, each time by the plane rotation of at most 45° that makes one
//! off-diagonal element vanish. For three rows that takes a handful of sweeps, never fails, and is accurate to the last
//! digits even where moments coincide or differ by many orders of magnitude. R is a product of small rotations, hence
//! itself a proper rotation that stays near the identity: a diagonal tensor gives exactly the identity.

use glam::{DMat3, DQuat, DVec3};

/// The principal moments of inertia and the axes they belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrincipalInertia {
    /// The moments about the x, y and z axis of the principal frame, in kg m². They come in the order of the axes, not
    /// sorted: the principal frame is the body's frame turned no more than needed.
    pub moments: DVec3,
    /// The rotation R from the principal frame to the body's: `R x`, `R y`, `R z` are the principal axes.
    pub axes: DQuat,
}

impl PrincipalInertia {
    /// The tensor along the body's axes: `R diag(moments) Rᵀ`.
    pub fn tensor(&self) -> DMat3 {
        let r = DMat3::from_quat(self.axes);
        r * DMat3::from_diagonal(self.moments) * r.transpose()
    }

    /// The same with the moments in ascending order and the axes exchanged accordingly (still right-handed).
    pub fn ascending(&self) -> Self {
        let r = DMat3::from_quat(self.axes);
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| self.moments[i].total_cmp(&self.moments[j]));
        let [first, second, third] = order;
        let (x, y) = (r.col(first), r.col(second));
        Self {
            moments: DVec3::new(self.moments[first], self.moments[second], self.moments[third]),
            axes: DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize(),
        }
    }
}

/// More sweeps than any matrix needs (convergence is quadratic: five or six do); the bound makes the loop finite.
const MAX_SWEEPS: usize = 32;

/// Diagonalises a symmetric tensor. One that is not finite is returned as it is on the diagonal, with the identity.
pub(super) fn principal(inertia: DMat3) -> PrincipalInertia {
    let diagonal = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
    let magnitude = inertia.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if !inertia.is_finite() || magnitude == 0.0 {
        return PrincipalInertia { moments: diagonal, axes: DQuat::IDENTITY };
    }
    // Scaled to about one, so that no square overflows or vanishes.
    let mut a = ((inertia + inertia.transpose()) * (0.5 / magnitude)).to_cols_array_2d();
    let mut axes = DVec3::AXES;
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            turned |= annihilate(&mut a, &mut axes, p, q);
        }
        if !turned {
            break;
        }
    }
    PrincipalInertia {
        moments: DVec3::new(a[0][0], a[1][1], a[2][2]) * magnitude,
        axes: DQuat::from_mat3(&DMat3::from_cols(axes[0], axes[1], axes[2])).normalize(),
    }
}

/// One Jacobi rotation: `a ↦ Jᵀ a J`, `axes ↦ axes J` with `a[p][q] = 0` afterwards. `false` if that element is
/// already as small as rounding can make it, `|a_pq| ≤ 4ε √|a_pp a_qq|`.
fn annihilate(a: &mut [[f64; 3]; 3], axes: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let off = a[p][q];
    if off.abs() <= 4.0 * f64::EPSILON * (a[p][p] * a[q][q]).abs().sqrt() {
        return false;
    }
    // tan φ is the smaller root of t² + 2 θ t − 1 = 0, θ = (a_qq − a_pp) / (2 a_pq).
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let tan = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cos = 1.0 / (tan * tan + 1.0).sqrt();
    let sin = tan * cos;
    let r = 3 - p - q;
    let (rp, rq) = (a[r][p], a[r][q]);
    a[p][p] -= tan * off;
    a[q][q] += tan * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    (a[r][p], a[r][q]) = (cos * rp - sin * rq, sin * rp + cos * rq);
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    (axes[p], axes[q]) = (cos * axes[p] - sin * axes[q], sin * axes[p] + cos * axes[q]);
    true
}
