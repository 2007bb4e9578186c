//! Contacts solved side by side, in groups of four that have no body in common (graph colouring).
//!
//! What takes time in a sweep is not the arithmetic but waiting: each block needs the velocities that the one before
//! left behind. Contacts between different bodies do not, so four of them are solved at once, in the [lanes](super::lanes) of one
//! computation. What each does is what [blocks](super::block) do, first the normal row, then the friction vector of every point:
//!
//! ```text
//! λₙ ← max(0, λₙ − eₙ / Kₙₙ),    eₜ ← eₜ + Kₜₙ Δλₙ,    λₜ ← λₜ − Kₜₜ⁻¹ eₜ, or slipping,
//! ```
//!
//! with the excess e = A z + c of all three rows taken at once. All points of a contact share their directions n, u, v. Along
//! these the linear velocity of one body relative to the other has three numbers; an impulse changes each by
//! (1/m₁ + 1/m₂) λ and leaves the other two alone. So the linear velocities are read and written once for all points.

use super::block::{Block, Cone};
use super::grouping::{Grouping, Sides};
use super::lanes::{Lanes, WIDTH};
use super::system::{Motion, System};
use super::{Bounds, SolverRow};
use glam::DVec3;

/// Directions whose products differ from those of unit vectors at right angles by no more than this are such vectors.
pub(super) const ROUNDING: f64 = 1e-12;

/// A point of contact as a problem has it: three rows, solved as two blocks.
#[derive(Clone, Copy, Debug)]
struct Point {
    normal: Block,
    friction: Block,
    cone: Cone,
}

/// Four contacts between different bodies.
#[derive(Clone, Debug)]
struct Group {
    sides: Sides,
    /// The directions n, u, v.
    axes: [[Lanes; 3]; 3],
    /// How many points each contact has.
    points: usize,
}

/// One point of each contact of a group. Where there is none, all numbers are zero.
#[derive(Clone, Debug)]
struct Points {
    /// The normal rows; the two of friction follow.
    rows: [u32; WIDTH],
    /// The angular parts of A: of each body, for each direction.
    turning: [[[Lanes; 3]; 3]; 2],
    /// c of the three rows.
    bias: [Lanes; 3],
    /// Kₙₙ and its inverse.
    normal: Lanes,
    normal_step: Lanes,
    /// Kₜₙ.
    coupling: [Lanes; 2],
    /// Kₜₜ⁻¹: its diagonal, and what is beside it.
    inverse: [Lanes; 2],
    inverse_beside: Lanes,
    /// A bound of the largest eigenvalue of Kₜₜ from above, and its inverse.
    friction: Lanes,
    friction_step: Lanes,
    stick: Lanes,
    slip: Lanes,
}

/// The contacts of a system in groups.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    groups: Vec<Group>,
    points: Vec<Points>,
    /// What they are made of.
    found: Vec<Point>,
    grouping: Grouping,
}

/// Whether rows from `first` on are a point of contact as groups can solve it.
pub(super) fn is_contact_point(rows: &[SolverRow], first: usize) -> bool {
    let Some([normal, u, v]) = rows.get(first..first + 3) else { return false };
    let is_vector = matches!(u.bounds, Bounds::Cone { normal, rows: 2, .. } if normal == first);
    let bounded = normal.bounds == Bounds::NonNegative && is_vector && v.bounds == Bounds::ConeMember;
    let rigid = [normal, u, v].iter().all(|row| row.gamma == 0.0 && row.bodies == normal.bodies);
    let opposite = [normal, u, v].iter().all(|row| row.jacobian.linear[0] == -row.jacobian.linear[1]);
    bounded && rigid && opposite && normal.bodies[0] != normal.bodies[1] && are_axes(directions(rows, first))
}

fn directions(rows: &[SolverRow], first: usize) -> [DVec3; 3] {
    std::array::from_fn(|k| rows[first + k].jacobian.linear[1])
}

/// Whether they are unit vectors at right angles.
fn are_axes([n, u, v]: [DVec3; 3]) -> bool {
    let products = [n.dot(n) - 1.0, u.dot(u) - 1.0, v.dot(v) - 1.0, n.dot(u), n.dot(v), u.dot(v)];
    products.iter().all(|product| product.abs() <= ROUNDING)
}

impl Contacts {
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.points.clear();
        self.found.clear();
        self.grouping.clear();
    }

    /// Adds a point of contact, of which the blocks are these.
    pub(super) fn add(&mut self, rows: &[SolverRow], normal: Block, friction: Block, cone: Cone) {
        let first = normal.first as usize;
        self.grouping.add(|point| {
            let before = self.found[point].normal.first as usize;
            rows[before].bodies == rows[first].bodies && directions(rows, before) == directions(rows, first)
        });
        self.found.push(Point { normal, friction, cone });
    }

    /// Forms groups of what was added. Whether it is worth it.
    pub(super) fn form_groups(&mut self, system: &System, rows: &[SolverRow]) -> bool {
        let Self { found, grouping, groups, points } = self;
        let row = |point: usize| found[point].normal.first as usize;
        if !grouping.form(system, row) {
            return false;
        }
        for plan in &grouping.plans {
            let mut group =
                Group { sides: Sides::nobody(system), axes: [[Lanes::default(); 3]; 3], points: plan.points };
            let start = points.len();
            points.resize(start + plan.points, Points::nowhere(system.rows.len() as u32));
            for (lane, contact) in grouping.members(plan).enumerate() {
                group.put(lane, system, rows, row(contact.start));
                points[start..]
                    .iter_mut()
                    .zip(&found[contact])
                    .for_each(|(points, found)| points.put(lane, system, found));
            }
            groups.push(group);
        }
        true
    }

    /// Solves one group after the other; returns the largest change of a row's velocity.
    pub(super) fn sweep(&self, system: &mut System) -> f64 {
        let mut residual = Lanes::default();
        let mut points = self.points.as_slice();
        for group in &self.groups {
            let (own, others) = points.split_at(group.points);
            points = others;
            residual = group.solve(own, system).max(residual);
        }
        residual.0.into_iter().fold(0.0, f64::max).sqrt()
    }
}

impl Group {
    /// Puts the contact whose first point has these rows into a lane.
    fn put(&mut self, lane: usize, system: &System, rows: &[SolverRow], first: usize) {
        self.sides.put(lane, system, first);
        for (axis, direction) in self.axes.iter_mut().zip(directions(rows, first)) {
            (0..3).for_each(|k| axis[k].0[lane] = direction[k]);
        }
    }

    /// The linear velocity of the second body relative to the first, along n, u, v.
    #[inline(always)]
    fn relative(&self, a: &[Lanes; 6], b: &[Lanes; 6]) -> [Lanes; 3] {
        let mut relative = [Lanes::default(); 3];
        for k in 0..3 {
            relative[k] = self.sides.scales[1] * b[k] - self.sides.scales[0] * a[k];
        }
        [dot(&self.axes[0], &relative), dot(&self.axes[1], &relative), dot(&self.axes[2], &relative)]
    }

    /// Solves the points one after the other; returns the squares of the largest changes of velocity.
    fn solve(&self, points: &[Points], system: &mut System) -> Lanes {
        let [mut a, mut b] =
            [gather(&system.motions, self.sides.bodies[0]), gather(&system.motions, self.sides.bodies[1])];
        // Along n, u, v: the relative linear velocity, and the impulses so far.
        let mut linear = self.relative(&a, &b);
        let mut impulse = [Lanes::default(); 3];
        let mut residual = Lanes::default();
        for point in points {
            let [turning_a, turning_b] = &point.turning;
            let mut excess = [Lanes::default(); 3];
            for k in 0..3 {
                excess[k] =
                    (linear[k] + point.bias[k]) + (dot(&turning_a[k], angular(&a)) + dot(&turning_b[k], angular(&b)));
            }
            let (change, squares) = point.solve(excess, &mut system.impulses);
            residual = squares.max(residual);
            for k in 0..3 {
                linear[k] += self.sides.inverse_mass * change[k];
                impulse[k] += change[k];
                a[3 + k] += turning_a[0][k] * change[0] + turning_a[1][k] * change[1] + turning_a[2][k] * change[2];
                b[3 + k] += turning_b[0][k] * change[0] + turning_b[1][k] * change[1] + turning_b[2][k] * change[2];
            }
        }
        for k in 0..3 {
            let [n, u, v] = &self.axes;
            let push = n[k] * impulse[0] + u[k] * impulse[1] + v[k] * impulse[2];
            a[k] = a[k] - self.sides.scales[0] * push;
            b[k] += self.sides.scales[1] * push;
        }
        scatter(&a, &mut system.motions, self.sides.bodies[0]);
        scatter(&b, &mut system.motions, self.sides.bodies[1]);
        residual
    }
}

impl Points {
    /// No points; `row` has no impulse.
    fn nowhere(row: u32) -> Self {
        let zero = Lanes::default();
        Self {
            rows: [row; WIDTH],
            turning: [[[zero; 3]; 3]; 2],
            bias: [zero; 3],
            normal: zero,
            normal_step: zero,
            coupling: [zero; 2],
            inverse: [zero; 2],
            inverse_beside: zero,
            friction: zero,
            friction_step: zero,
            stick: zero,
            slip: zero,
        }
    }

    fn put(&mut self, lane: usize, system: &System, Point { normal, friction, cone }: &Point) {
        let first = normal.first as usize;
        let rows = &system.rows[first..first + 3];
        self.rows[lane] = normal.first;
        for (k, row) in rows.iter().enumerate() {
            self.bias[k].0[lane] = row.bias;
            for (turning, scaled) in self.turning.iter_mut().zip(&row.scaled) {
                (0..3).for_each(|axis| turning[k][axis].0[lane] = scaled[3 + axis]);
            }
        }
        (self.normal.0[lane], self.normal_step.0[lane]) = (normal.largest, normal.step);
        (self.friction.0[lane], self.friction_step.0[lane]) = (friction.largest, friction.step);
        (self.stick.0[lane], self.slip.0[lane]) = (cone.stick, cone.slip);
        for k in 0..2 {
            self.coupling[k].0[lane] = rows[0].coupling(&rows[1 + k]);
            self.inverse[k].0[lane] = cone.inverse[k][k];
        }
        self.inverse_beside.0[lane] = cone.inverse[0][1];
    }

    /// By how much the impulses change, which `excess` is the excess of, and the squares of the changes of velocity.
    #[inline(always)]
    fn solve(&self, excess: [Lanes; 3], impulses: &mut [f64]) -> ([Lanes; 3], Lanes) {
        let [n, u, v] = gather_impulses(impulses, self.rows);
        let pressure = (n - self.normal_step * excess[0]).max(Lanes::default());
        let change = pressure - n;
        let excess = [excess[1] + self.coupling[0] * change, excess[2] + self.coupling[1] * change];
        let mut friction = [
            u - (self.inverse[0] * excess[0] + self.inverse_beside * excess[1]),
            v - (self.inverse_beside * excess[0] + self.inverse[1] * excess[1]),
        ];
        let most = self.stick * pressure;
        let (square, most) = (square(&friction), most * most);
        let sticks = square.at_most(most);
        if !sticks.is_full() {
            let [x, y] = self.slipping([u, v], excess, pressure);
            friction = [friction[0].or(sticks, x), friction[1].or(sticks, y)];
        }
        let changes = [change, friction[0] - u, friction[1] - v];
        scatter_impulses([pressure, friction[0], friction[1]], impulses, self.rows);
        let speed = self.normal * change;
        let squares = (self.friction * self.friction * self::square(&[changes[1], changes[2]])).max(speed * speed);
        (changes, squares)
    }

    /// The friction vector where it does not stick: it opposes the velocity, the fixed point of a projected gradient step.
    #[inline(always)]
    fn slipping(&self, [u, v]: [Lanes; 2], excess: [Lanes; 2], pressure: Lanes) -> [Lanes; 2] {
        let gradient = [u - self.friction_step * excess[0], v - self.friction_step * excess[1]];
        let length = square(&gradient).sqrt();
        let scale = self.slip * pressure / length;
        // Without a direction, or where numbers overflow, there is no friction.
        let has_direction = Lanes([f64::MIN_POSITIVE; WIDTH]).at_most(length);
        let is_finite = length.at_most(Lanes([f64::MAX; WIDTH]));
        let none = Lanes::default();
        [
            (scale * gradient[0]).or(has_direction, none).or(is_finite, none),
            (scale * gradient[1]).or(has_direction, none).or(is_finite, none),
        ]
    }
}

#[inline(always)]
pub(super) fn dot(a: &[Lanes; 3], b: &[Lanes; 3]) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn square(vector: &[Lanes; 2]) -> Lanes {
    vector[0] * vector[0] + vector[1] * vector[1]
}

/// The angular part of a motion.
#[inline(always)]
pub(super) fn angular(motion: &[Lanes; 6]) -> &[Lanes; 3] {
    let [_, _, _, angular @ ..] = motion;
    angular
}

/// The motions of four bodies.
#[inline(always)]
pub(super) fn gather(motions: &[Motion], [a, b, c, d]: [u32; WIDTH]) -> [Lanes; 6] {
    let (a, b, c, d) = (&motions[a as usize], &motions[b as usize], &motions[c as usize], &motions[d as usize]);
    let mut values = [Lanes::default(); 6];
    for k in 0..6 {
        values[k] = Lanes([a[k], b[k], c[k], d[k]]);
    }
    values
}

/// Writes the motions of four bodies. Only one that nothing moves may be among them more than once.
#[inline(always)]
pub(super) fn scatter(values: &[Lanes; 6], motions: &mut [Motion], bodies: [u32; WIDTH]) {
    for lane in 0..WIDTH {
        let motion = &mut motions[bodies[lane] as usize];
        for k in 0..6 {
            motion[k] = values[k].0[lane];
        }
    }
}

/// The impulses of three consecutive rows each.
#[inline(always)]
fn gather_impulses(impulses: &[f64], [a, b, c, d]: [u32; WIDTH]) -> [Lanes; 3] {
    let three = |first: u32| &impulses[first as usize..first as usize + 3];
    let (a, b, c, d) = (three(a), three(b), three(c), three(d));
    let mut values = [Lanes::default(); 3];
    for k in 0..3 {
        values[k] = Lanes([a[k], b[k], c[k], d[k]]);
    }
    values
}

/// Writes the impulses of three consecutive rows each.
#[inline(always)]
fn scatter_impulses(values: [Lanes; 3], impulses: &mut [f64], rows: [u32; WIDTH]) {
    for lane in 0..WIDTH {
        let impulses = &mut impulses[rows[lane] as usize..rows[lane] as usize + 3];
        for k in 0..3 {
            impulses[k] = values[k].0[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Jacobian;
    use crate::solver::block::Blocks;
    use crate::solver::system::Scale;
    use crate::solver::{Problem, SolverBody};
    use glam::DMat3;

    /// A wall of boxes that all touch their neighbours and the floor, which is the first body.
    fn wall(width: usize, height: usize) -> (Vec<SolverBody>, Vec<SolverRow>) {
        let body = |mass: f64| SolverBody {
            inverse_mass: mass,
            inverse_inertia: DMat3::IDENTITY * mass,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        };
        let bodies = std::iter::once(body(0.0)).chain((0..width * height).map(|_| body(1.0))).collect();
        let mut rows = Vec::new();
        let mut touch = |one: usize, other: usize, n: DVec3, points: usize| {
            for _ in 0..points {
                let normal = rows.len();
                let friction = Bounds::Cone { normal, rows: 2, stick: 0.5, slip: 0.5 };
                let directions = [n, DVec3::Z, n.cross(DVec3::Z)].into_iter();
                rows.extend(directions.zip([Bounds::NonNegative, friction, Bounds::ConeMember]).map(
                    |(direction, bounds)| SolverRow {
                        bodies: [one, other],
                        jacobian: Jacobian { linear: [-direction, direction], angular: [DVec3::ZERO; 2] },
                        bias: 0.0,
                        gamma: 0.0,
                        bounds,
                        error: 0.0,
                        weight: 1.0,
                        turn: 0.0,
                        impulse: 0.0,
                    },
                ));
            }
        };
        for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
            let number = |x: usize, y: usize| 1 + x * height + y;
            touch(if y == 0 { 0 } else { number(x, y - 1) }, number(x, y), DVec3::Y, 1 + (x + y) % 6);
            if x > 0 {
                touch(number(x - 1, y), number(x, y), DVec3::X, 2);
            }
        }
        (bodies, rows)
    }

    #[test]
    fn every_point_is_in_one_group_and_every_moved_body_once_in_each() {
        let (mut bodies, mut rows) = wall(9, 7);
        let (mut system, mut blocks) = (System::default(), Blocks::default());
        system.load(&Problem { bodies: &mut bodies, rows: &mut rows });
        blocks.load_in_groups(&system, &rows, |_| true);
        let Contacts { groups, points, .. } = blocks.contacts();
        let none = system.rows.len() as u32;
        let mut found: Vec<u32> = points.iter().flat_map(|points| points.rows).filter(|&row| row != none).collect();
        found.sort_unstable();
        assert!(found.into_iter().eq((0..none).step_by(3)));
        for group in groups {
            let moved = |body: &u32| system.scales.get(*body as usize).is_some_and(Scale::moves);
            let mut bodies: Vec<u32> = group.sides.bodies.into_iter().flatten().filter(moved).collect();
            let count = bodies.len();
            bodies.sort_unstable();
            bodies.dedup();
            assert_eq!(bodies.len(), count);
        }
        // More than half of the places are taken, of three rows each.
        assert!(WIDTH * points.len() < 2 * (system.rows.len() / 3));
    }
}
