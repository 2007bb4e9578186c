//! Contacts without friction solved side by side, four at a time, as [contacts](super::contacts) with friction are: what pushes
//! bodies out of each other has only normal rows, `λ ← max(0, λ − e / K)`.

use super::block::Block;
use super::contacts::{ROUNDING, angular, dot, gather, scatter};
use super::grouping::{Grouping, Sides};
use super::lanes::{Lanes, WIDTH};
use super::system::System;
use super::{Bounds, SolverRow};

/// Four contacts between different bodies.
#[derive(Clone, Debug)]
struct Group {
    sides: Sides,
    axis: [Lanes; 3],
    /// How many rows each contact has.
    rows: usize,
}

/// One row of each contact of a group. Where there is none, all numbers are zero.
#[derive(Clone, Debug)]
struct Rows {
    rows: [u32; WIDTH],
    /// The angular parts of A, of each body.
    turning: [[Lanes; 3]; 2],
    /// c.
    bias: Lanes,
    /// K and its inverse.
    normal: Lanes,
    step: Lanes,
}

/// The normal rows of a system in groups.
#[derive(Debug, Default)]
pub(super) struct Normals {
    groups: Vec<Group>,
    rows: Vec<Rows>,
    /// What they are made of.
    found: Vec<Block>,
    grouping: Grouping,
}

/// Whether a row is a rigid contact without friction.
pub(super) fn is_frictionless(rows: &[SolverRow], index: usize) -> bool {
    let row = &rows[index];
    let [first, second] = row.jacobian.linear;
    let has_friction =
        rows.get(index + 1).is_some_and(|next| matches!(next.bounds, Bounds::Cone { normal, .. } if normal == index));
    let is_contact = row.bounds == Bounds::NonNegative && row.gamma == 0.0 && !has_friction;
    is_contact && row.bodies[0] != row.bodies[1] && first == -second && (second.dot(second) - 1.0).abs() <= ROUNDING
}

impl Normals {
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.rows.clear();
        self.found.clear();
        self.grouping.clear();
    }

    /// Adds a row, of which the block is this.
    pub(super) fn add(&mut self, rows: &[SolverRow], block: Block) {
        let row = &rows[block.first as usize];
        self.grouping.add(|point| {
            let before = &rows[self.found[point].first as usize];
            before.bodies == row.bodies && before.jacobian.linear == row.jacobian.linear
        });
        self.found.push(block);
    }

    /// Forms groups of what was added. Whether it is worth it.
    pub(super) fn form_groups(&mut self, system: &System, rows: &[SolverRow]) -> bool {
        let Self { found, grouping, groups, rows: own } = self;
        let row = |point: usize| found[point].first as usize;
        if !grouping.form(system, row) {
            return false;
        }
        for plan in &grouping.plans {
            let mut group = Group { sides: Sides::nobody(system), axis: [Lanes::default(); 3], rows: plan.points };
            let start = own.len();
            own.resize(start + plan.points, Rows::nowhere(system.rows.len() as u32));
            for (lane, contact) in grouping.members(plan).enumerate() {
                group.put(lane, system, rows, row(contact.start));
                own[start..].iter_mut().zip(&found[contact]).for_each(|(rows, found)| rows.put(lane, system, found));
            }
            groups.push(group);
        }
        true
    }

    /// Solves one group after the other; returns the largest change of a row's velocity.
    pub(super) fn sweep(&self, system: &mut System) -> f64 {
        let mut residual = Lanes::default();
        let mut rows = self.rows.as_slice();
        for group in &self.groups {
            let (own, others) = rows.split_at(group.rows);
            rows = others;
            residual = group.solve(own, system).max(residual);
        }
        residual.0.into_iter().fold(0.0, f64::max).sqrt()
    }
}

impl Group {
    /// Puts the contact whose first row this is into a lane.
    fn put(&mut self, lane: usize, system: &System, rows: &[SolverRow], first: usize) {
        self.sides.put(lane, system, first);
        (0..3).for_each(|k| self.axis[k].0[lane] = rows[first].jacobian.linear[1][k]);
    }

    /// Solves the rows one after the other; returns the squares of the largest changes of velocity.
    fn solve(&self, rows: &[Rows], system: &mut System) -> Lanes {
        let [mut a, mut b] =
            [gather(&system.motions, self.sides.bodies[0]), gather(&system.motions, self.sides.bodies[1])];
        let [scale_a, scale_b] = self.sides.scales;
        let along = |motion: &[Lanes; 6]| dot(&self.axis, &[motion[0], motion[1], motion[2]]);
        // Along the normal: the relative linear velocity, and the impulse so far.
        let mut linear = scale_b * along(&b) - scale_a * along(&a);
        let mut impulse = Lanes::default();
        let mut residual = Lanes::default();
        for row in rows {
            let [turning_a, turning_b] = &row.turning;
            let excess = (linear + row.bias) + (dot(turning_a, angular(&a)) + dot(turning_b, angular(&b)));
            let change = row.solve(excess, &mut system.impulses);
            let speed = row.normal * change;
            residual = (speed * speed).max(residual);
            linear += self.sides.inverse_mass * change;
            impulse += change;
            for k in 0..3 {
                a[3 + k] += turning_a[k] * change;
                b[3 + k] += turning_b[k] * change;
            }
        }
        for k in 0..3 {
            let push = self.axis[k] * impulse;
            a[k] = a[k] - scale_a * push;
            b[k] += scale_b * push;
        }
        scatter(&a, &mut system.motions, self.sides.bodies[0]);
        scatter(&b, &mut system.motions, self.sides.bodies[1]);
        residual
    }
}

impl Rows {
    /// No rows; `row` has no impulse.
    fn nowhere(row: u32) -> Self {
        let zero = Lanes::default();
        Self { rows: [row; WIDTH], turning: [[zero; 3]; 2], bias: zero, normal: zero, step: zero }
    }

    fn put(&mut self, lane: usize, system: &System, block: &Block) {
        let row = &system.rows[block.first as usize];
        self.rows[lane] = block.first;
        self.bias.0[lane] = row.bias;
        for (turning, scaled) in self.turning.iter_mut().zip(&row.scaled) {
            (0..3).for_each(|axis| turning[axis].0[lane] = scaled[3 + axis]);
        }
        (self.normal.0[lane], self.step.0[lane]) = (block.largest, block.step);
    }

    /// By how much the impulses change, which `excess` is the excess of.
    #[inline(always)]
    fn solve(&self, excess: Lanes, impulses: &mut [f64]) -> Lanes {
        let before = Lanes(self.rows.map(|row| impulses[row as usize]));
        let after = (before - self.step * excess).max(Lanes::default());
        for (row, impulse) in self.rows.into_iter().zip(after.0) {
            impulses[row as usize] = impulse;
        }
        after - before
    }
}

#[cfg(test)]
mod tests {
    use crate::constraint::Jacobian;
    use crate::solver::block::Blocks;
    use crate::solver::system::System;
    use crate::solver::{Bounds, Problem, SolverBody, SolverRow};
    use glam::{DMat3, DVec3};

    /// A pyramid of boxes that fall onto each other with a metre per second, each on two points of either of two boxes below;
    /// the floor is the first body.
    fn pyramid(height: usize) -> (Vec<SolverBody>, Vec<SolverRow>) {
        let body = |mass: f64, speed: f64| SolverBody {
            inverse_mass: mass,
            inverse_inertia: DMat3::from_diagonal(DVec3::new(3.0, 4.0, 5.0) * mass),
            velocity: DVec3::NEG_Y * speed,
            angular_velocity: DVec3::ZERO,
        };
        let mut bodies = vec![body(0.0, 0.0)];
        let mut rows = Vec::new();
        let number = |level: usize, place: usize| 1 + (0..level).map(|level| height - level).sum::<usize>() + place;
        for (level, place) in (0..height).flat_map(|level| (0..height - level).map(move |place| (level, place))) {
            bodies.push(body(1.0 + (level * 7 + place) as f64 % 3.0, 1.0));
            for (side, z) in [(-0.25, -0.5), (-0.25, 0.5), (0.25, -0.5), (0.25, 0.5)] {
                let below = if level == 0 { 0 } else { number(level - 1, place + usize::from(side > 0.0)) };
                let (arm, arm_below) = (DVec3::new(side, -0.5, z), DVec3::new(-side, 0.5, z));
                let angular = [arm_below.cross(DVec3::NEG_Y), arm.cross(DVec3::Y)];
                rows.push(SolverRow {
                    bodies: [below, number(level, place)],
                    jacobian: Jacobian { linear: [DVec3::NEG_Y, DVec3::Y], angular },
                    bias: 0.01 * z,
                    gamma: 0.0,
                    bounds: Bounds::NonNegative,
                    error: 0.0,
                    weight: 1.0,
                    turn: 0.0,
                    impulse: 0.0,
                });
            }
        }
        (bodies, rows)
    }

    #[test]
    fn four_at_a_time_find_what_one_by_one_do() {
        let (mut bodies, mut rows) = pyramid(9);
        let solve = |system: &mut System, blocks: &Blocks| (0..20_000).fold(0.0, |_, _| blocks.sweep(system));
        let (mut system, mut blocks) = (System::default(), Blocks::default());
        system.load(&Problem { bodies: &mut bodies, rows: &mut rows });
        blocks.load(&system, &rows, |_| true);
        assert!(solve(&mut system, &blocks) < 1e-12);
        let one_by_one = system.motions.clone();
        system.load(&Problem { bodies: &mut bodies, rows: &mut rows });
        blocks.load_in_groups(&system, &rows, |_| true);
        assert!(!blocks.normals().groups.is_empty());
        assert!(solve(&mut system, &blocks) < 1e-12);
        for (one, other) in one_by_one.as_flattened().iter().zip(system.motions.as_flattened()) {
            assert!((one - other).abs() < 1e-9, "{one} {other}");
        }
    }
}
