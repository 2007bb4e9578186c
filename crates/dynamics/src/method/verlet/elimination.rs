//! A tree of pinned bodies as one system of equations, solved from the leaves to the root and back.
//!
//! Put right with the least motion: find shifts x and turns θ of all bodies that minimise
//!
//! ```text
//! Σ ½ m x² + ½ θ·I θ  +  Σ ½ k (n·x + a·θ − d)²,      where   x_p + θ_p × r_p + gap = x_c + θ_c × r_c   at every pin.
//! ```
//!
//! The first sum makes it the share by masses and inertias that B's formulas give two bodies (7.3), for all bodies at once; the second
//! are conditions, stiff springs: limits of angles, which act on the turn of a body against its parent, and contacts. With velocities
//! for x and θ it is the impulse that makes the rates of all pins, limits and contacts what they should be.
//!
//! A body at the end of a branch depends on its parent only by where the pin goes, u. In terms of u and its own turn, `x = u + r × θ`, its
//! share is a quadratic function; its minimum over θ is a quadratic function of u and, if there are limits, of the parent's turn θ_p:
//!
//! ```text
//! θ = H⁻¹ (b + w − Cᵀ u + K θ_p),   H = T + K,   K = Σ k a aᵀ,   w = Σ k d a
//! ½ u·P u + u·Q θ_p + ½ θ_p·R θ_p − p·u − s·θ_p,
//! P = U − C H⁻¹ Cᵀ,   Q = C H⁻¹ K,   R = K − K H⁻¹ K,   p = b_u − C H⁻¹ (b + w),   s = K H⁻¹ (b + w) − w
//! ```
//!
//! with the blocks U, C, T of the body about its pin. Conditions are millions of times stiffer than bodies, and differences of such numbers
//! must be small where the body is free; so nothing is inverted, but with Cholesky's `H = L Lᵀ`, `Y = C L⁻ᵀ`, `Z = K L⁻ᵀ`, `t = L⁻¹ (b + w)`:
//!
//! ```text
//! P = U − Y Yᵀ,   Q = Y Zᵀ,   R = K − Z Zᵀ,   p = b_u − Y t,   s = Z t − w,   θ = L⁻ᵀ (t − Yᵀ u + Zᵀ θ_p)
//! ```
//!
//! That is added to the parent with `u = x_p + θ_p × r_p + gap`, and so on to the root:
//! the articulated-body algorithm of Featherstone (1983). Its cost is linear in the number of bodies.

use glam::{DMat3, DVec3};

/// No parent.
pub(super) const NONE: usize = usize::MAX;

/// A body of a tree with what has been gathered of those beyond it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limb {
    /// Its parent's place in the list, which is smaller than its own.
    pub(super) parent: usize,
    /// Whether its pin is to something that does not give way; `parent` is none then.
    pub(super) is_held: bool,
    /// From the parent's centre of mass and from its own to the pin.
    pub(super) levers: [DVec3; 2],
    /// What its end of the pin has to move to meet the parent's.
    pub(super) gap: DVec3,
    /// The quadratic function of its shift and turn: ½ x·X x + x·M θ + ½ θ·T θ − f·x − t·θ.
    xx: DMat3,
    xt: DMat3,
    tt: DMat3,
    force: DVec3,
    torque: DVec3,
    /// K and w of its limits; most have none.
    limits: Option<(DMat3, DVec3)>,
    /// L, Y, Z and t about the pin.
    root: Cholesky,
    reduced: DMat3,
    reduced_limits: DMat3,
    wish: DVec3,
    /// P, Q, p as the parent sees it.
    seen: [DMat3; 2],
    pull: DVec3,
    /// The solution.
    pub(super) shift: DVec3,
    pub(super) turn: DVec3,
    /// The impulse of the parent on it at the pin.
    pub(super) impulse: DVec3,
}

impl Limb {
    /// A body on its own, with its inertia in world axes; `levers` and `gap` are those of its pin.
    #[inline]
    pub(super) fn new(
        (parent, is_held): (usize, bool),
        mass: f64,
        inertia: DMat3,
        levers: [DVec3; 2],
        gap: DVec3,
    ) -> Self {
        Self {
            parent,
            is_held,
            levers,
            gap,
            xx: DMat3::from_diagonal(DVec3::splat(mass)),
            xt: DMat3::ZERO,
            tt: inertia,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            limits: None,
            root: Cholesky::default(),
            reduced: DMat3::ZERO,
            reduced_limits: DMat3::ZERO,
            wish: DVec3::ZERO,
            seen: [DMat3::ZERO; 2],
            pull: DVec3::ZERO,
            shift: DVec3::ZERO,
            turn: DVec3::ZERO,
            impulse: DVec3::ZERO,
        }
    }

    /// Wants `n·x + a·θ = d` with the stiffness k.
    #[inline]
    pub(super) fn want(&mut self, normal: DVec3, arm: DVec3, amount: f64, stiffness: f64) {
        let (kn, ka) = (normal * stiffness, arm * stiffness);
        self.xx += outer(kn, normal);
        self.xt += outer(kn, arm);
        self.tt += outer(ka, arm);
        self.force += kn * amount;
        self.torque += ka * amount;
    }

    /// Wants `a·(θ − θ_p) = d` with the stiffness k.
    #[inline]
    pub(super) fn want_angle(&mut self, axis: DVec3, amount: f64, stiffness: f64) {
        let (matrix, vector) = self.limits.get_or_insert((DMat3::ZERO, DVec3::ZERO));
        let scaled = axis * stiffness;
        *matrix += outer(scaled, axis);
        *vector += scaled * amount;
    }

    /// Minimises over its own turn: sets L, Y, Z, t, P, Q, p, and gives R and s.
    fn reduce(&mut self) -> (DMat3, DVec3) {
        let r = self.levers[1];
        // With S v = r × v: x = u + S θ.
        let coupling = self.xt + minus_cross(r, self.xx).transpose();
        let own = self.tt + minus_cross(r, coupling) + minus_cross(r, self.xt).transpose();
        let torque = self.torque - r.cross(self.force);
        let (stiff, wish) = self.limits.unwrap_or((DMat3::ZERO, DVec3::ZERO));
        self.root = Cholesky::of(&(own + stiff));
        self.reduced = self.root.divide(&coupling);
        self.wish = self.root.divide_vector(torque + wish);
        self.seen[0] = self.xx - times_transposed(&self.reduced, &self.reduced);
        self.pull = self.force - self.reduced * self.wish;
        if self.limits.is_none() {
            return (DMat3::ZERO, DVec3::ZERO);
        }
        self.reduced_limits = self.root.divide(&stiff);
        self.seen[1] = times_transposed(&self.reduced, &self.reduced_limits);
        let limits = &self.reduced_limits;
        (stiff - times_transposed(limits, limits), *limits * self.wish - wish)
    }

    /// Its own motion once it is known where its pin goes and how its parent turns.
    fn follow(&mut self, pin: DVec3, turn_of_parent: DVec3) {
        let mut wish = self.wish - self.reduced.transpose() * pin;
        self.impulse = self.seen[0] * pin - self.pull;
        if self.limits.is_some() {
            wish += self.reduced_limits.transpose() * turn_of_parent;
            self.impulse += self.seen[1] * turn_of_parent;
        }
        self.turn = self.root.divide_transposed(wish);
        self.shift = pin + self.levers[1].cross(self.turn);
    }
}

/// A lower triangular matrix L with `L Lᵀ` a given positive definite one: below the diagonal, and one over the diagonal.
#[derive(Clone, Copy, Debug, Default)]
struct Cholesky {
    /// The second row's first, the third row's first and second number.
    below: [f64; 3],
    inverse: [f64; 3],
}

impl Cholesky {
    /// What has lost its definiteness to rounding is as stiff as it can be in that direction.
    #[inline]
    fn of(m: &DMat3) -> Self {
        let inverse_root = |square: f64| if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        let a = inverse_root(m.x_axis.x);
        let [ba, ca] = [m.x_axis.y * a, m.x_axis.z * a];
        let b = inverse_root(m.y_axis.y - ba * ba);
        let cb = (m.y_axis.z - ca * ba) * b;
        let c = inverse_root(m.z_axis.z - ca * ca - cb * cb);
        Self { below: [ba, ca, cb], inverse: [a, b, c] }
    }

    /// `M L⁻ᵀ`.
    #[inline]
    fn divide(&self, m: &DMat3) -> DMat3 {
        let [ba, ca, cb] = self.below;
        let x = m.x_axis * self.inverse[0];
        let y = (m.y_axis - x * ba) * self.inverse[1];
        let z = (m.z_axis - x * ca - y * cb) * self.inverse[2];
        DMat3::from_cols(x, y, z)
    }

    /// `L⁻¹ v`.
    #[inline]
    fn divide_vector(&self, v: DVec3) -> DVec3 {
        let [ba, ca, cb] = self.below;
        let x = v.x * self.inverse[0];
        let y = (v.y - x * ba) * self.inverse[1];
        DVec3::new(x, y, (v.z - x * ca - y * cb) * self.inverse[2])
    }

    /// `L⁻ᵀ v`.
    #[inline]
    fn divide_transposed(&self, v: DVec3) -> DVec3 {
        let [ba, ca, cb] = self.below;
        let z = v.z * self.inverse[2];
        let y = (v.y - cb * z) * self.inverse[1];
        DVec3::new((v.x - ba * y - ca * z) * self.inverse[0], y, z)
    }
}

/// Solves for the shifts and turns of a tree, whose root is the first limb.
pub(super) fn solve(limbs: &mut [Limb]) {
    for i in (1..limbs.len()).rev() {
        let (before, rest) = limbs.split_at_mut(i);
        let child = &mut rest[0];
        let (turned, twist) = child.reduce();
        let parent = &mut before[child.parent];
        let (r, [p, q]) = (child.levers[0], child.seen);
        // With S v = r × v: u = x_p + Sᵀ θ_p + gap.
        let side = cross(r, p).transpose() + q;
        parent.xx += p;
        parent.xt += side;
        parent.tt += cross(r, side) + cross(r, q).transpose() + turned;
        let force = child.pull - p * child.gap;
        parent.force += force;
        parent.torque += twist + r.cross(force) - q.transpose() * child.gap;
    }
    let Some(root) = limbs.first_mut() else { return };
    if root.is_held {
        root.reduce();
        root.follow(root.gap, DVec3::ZERO);
    } else {
        // About its own centre of mass: the pin is a point that nobody holds, and goes where P u = p.
        root.levers[1] = DVec3::ZERO;
        root.reduce();
        let way = Cholesky::of(&root.seen[0]);
        root.follow(way.divide_transposed(way.divide_vector(root.pull)), DVec3::ZERO);
    }
    for i in 1..limbs.len() {
        let (before, rest) = limbs.split_at_mut(i);
        let child = &mut rest[0];
        let parent = &before[child.parent];
        let pin = parent.shift + parent.turn.cross(child.levers[0]) + child.gap;
        child.follow(pin, parent.turn);
    }
}

/// The matrix `a bᵀ`.
#[inline]
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The matrix whose columns are `r ×` those of another.
#[inline]
fn cross(r: DVec3, m: DMat3) -> DMat3 {
    DMat3::from_cols(r.cross(m.x_axis), r.cross(m.y_axis), r.cross(m.z_axis))
}

/// The matrix whose columns are those of another `× r`.
#[inline]
fn minus_cross(r: DVec3, m: DMat3) -> DMat3 {
    DMat3::from_cols(m.x_axis.cross(r), m.y_axis.cross(r), m.z_axis.cross(r))
}

/// `A Bᵀ`.
#[inline]
fn times_transposed(a: &DMat3, b: &DMat3) -> DMat3 {
    outer(a.x_axis, b.x_axis) + outer(a.y_axis, b.y_axis) + outer(a.z_axis, b.z_axis)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Condition {
        node: usize,
        normal: DVec3,
        arm: DVec3,
        amount: f64,
        against_parent: bool,
    }

    /// A vector with coordinates in ±size.
    fn vector(random: &mut fastrand::Rng, size: f64) -> DVec3 {
        DVec3::from([0; 3].map(|_| size * (2.0 * random.f64() - 1.0)))
    }

    /// Newton's laws for impulses are what makes a motion the least one: what moves and turns each body is the impulses of its pins and
    /// conditions, and pins close.
    #[test]
    fn the_least_motion_balances_impulses_and_closes_pins() {
        let mut random = fastrand::Rng::with_seed(5);
        const STIFFNESS: f64 = 1e7;
        for case in 0..200 {
            let count = random.usize(1..20);
            let is_held = case % 2 == 0;
            let bodies: Vec<(f64, DMat3)> = (0..count)
                .map(|_| {
                    let (a, b) = (vector(&mut random, 0.3), vector(&mut random, 0.3));
                    let inertia = DMat3::from_diagonal(DVec3::splat(0.1)) + outer(a, a) + outer(b, b);
                    (0.1 + 10.0 * random.f64(), inertia)
                })
                .collect();
            let mut limbs: Vec<Limb> = (0..count)
                .map(|i| {
                    let parent = if i == 0 { NONE } else { random.usize(0..i) };
                    let levers = [vector(&mut random, 0.5), vector(&mut random, 0.5)];
                    let gap = vector(&mut random, 0.1);
                    Limb::new((parent, is_held && i == 0), bodies[i].0, bodies[i].1, levers, gap)
                })
                .collect();
            let conditions: Vec<Condition> = (0..random.usize(1..8))
                .map(|_| Condition {
                    node: random.usize(0..count),
                    normal: vector(&mut random, 1.0),
                    arm: vector(&mut random, 1.0),
                    amount: random.f64() * 0.1,
                    against_parent: random.bool(),
                })
                .collect();
            for condition in &conditions {
                let limb = &mut limbs[condition.node];
                match condition.against_parent {
                    true => limb.want_angle(condition.arm, condition.amount, STIFFNESS),
                    false => limb.want(condition.normal, condition.arm, condition.amount, STIFFNESS),
                }
            }
            solve(&mut limbs);
            let mut missing: Vec<[DVec3; 2]> =
                (0..count).map(|i| [limbs[i].shift * bodies[i].0, bodies[i].1 * limbs[i].turn]).collect();
            let turn_of_parent =
                |i: usize| if limbs[i].parent == NONE { DVec3::ZERO } else { limbs[limbs[i].parent].turn };
            for Condition { node, normal, arm, amount, against_parent } in conditions {
                let limb = &limbs[node];
                let (n, base) =
                    if against_parent { (DVec3::ZERO, turn_of_parent(node)) } else { (normal, DVec3::ZERO) };
                let push = STIFFNESS * (amount - n.dot(limb.shift) - arm.dot(limb.turn - base));
                missing[node][0] -= n * push;
                missing[node][1] -= arm * push;
                if against_parent && limb.parent != NONE {
                    missing[limb.parent][1] += arm * push;
                }
            }
            for (i, limb) in limbs.iter().enumerate() {
                let is_pinned = limb.parent != NONE || limb.is_held;
                if !is_pinned {
                    continue;
                }
                missing[i][0] -= limb.impulse;
                missing[i][1] -= limb.levers[1].cross(limb.impulse);
                let mut over = limb.gap;
                if limb.parent != NONE {
                    missing[limb.parent][0] += limb.impulse;
                    missing[limb.parent][1] += limb.levers[0].cross(limb.impulse);
                    let parent = &limbs[limb.parent];
                    over += parent.shift + parent.turn.cross(limb.levers[0]);
                }
                let open = over - (limb.shift + limb.turn.cross(limb.levers[1]));
                assert!(open.length() < 1e-12, "case {case}, pin {i}: {open}");
            }
            let worst = missing.iter().flatten().map(|v| v.length()).fold(0.0, f64::max);
            assert!(worst < 1e-7, "case {case}: {worst}");
        }
    }
}
