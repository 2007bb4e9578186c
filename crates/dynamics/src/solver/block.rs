//! Solving one row, or the rows of a friction vector together, with all else held fixed: what every iterative solver
//! does again and again.

use super::contacts::{Contacts, is_contact_point};
use super::normals::{Normals, is_frictionless};
use super::system::System;
use super::{Bounds, SolverRow};
use glam::DMat3;

/// One row, or the rows of a friction vector, solved together. With K = J W Jᵀ + γ of these rows:
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// The first row.
    pub(super) first: u32,
    /// Which of the cones it is, or [`NO_CONE`].
    cone: u32,
    /// A bound of the largest eigenvalue of K from above; of one row, K itself.
    pub(super) largest: f64,
    /// Its reciprocal: the step of a gradient that cannot overshoot. Zero if nothing can change the rows.
    pub(super) step: f64,
    /// The bounds of a single row.
    min: f64,
    max: f64,
}

const NO_CONE: u32 = u32::MAX;

/// A friction vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    /// How many rows it has.
    size: usize,
    /// The row of the normal impulse.
    normal: usize,
    pub(super) stick: f64,
    pub(super) slip: f64,
    /// K⁻¹.
    pub(super) inverse: [[f64; 3]; 3],
}

/// The blocks of a system.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    list: Vec<Block>,
    cones: Vec<Cone>,
    /// Those of contacts that are solved in groups, and the groups.
    grouped: Vec<Block>,
    contacts: Contacts,
    /// The same for contacts without friction.
    frictionless: Vec<Block>,
    normals: Normals,
    /// How much each block's impulses are to change, for solvers that compute all changes before they make one.
    changes: Vec<[f64; 3]>,
}

/// Whether what begins with a row is solved apart from the list of blocks.
enum Apart {
    No,
    WithFriction,
    WithoutFriction,
}

impl Blocks {
    /// The blocks of those rows that `counts` says, in the order of the rows.
    pub(super) fn load(&mut self, system: &System, rows: &[SolverRow], counts: impl Fn(&SolverRow) -> bool) {
        self.load_apart(system, rows, counts, |_| Apart::No);
    }

    /// As [`Self::load`], but contacts are solved after all others, and in groups if there are enough of them.
    pub(super) fn load_in_groups(&mut self, system: &System, rows: &[SolverRow], counts: impl Fn(&SolverRow) -> bool) {
        self.load_apart(system, rows, counts, |first| match () {
            () if is_contact_point(rows, first) => Apart::WithFriction,
            () if is_frictionless(rows, first) => Apart::WithoutFriction,
            () => Apart::No,
        });
        if !self.contacts.form_groups(system, rows) {
            self.list.append(&mut self.grouped);
        }
        if !self.normals.form_groups(system, rows) {
            self.list.append(&mut self.frictionless);
        }
    }

    fn load_apart(
        &mut self,
        system: &System,
        rows: &[SolverRow],
        counts: impl Fn(&SolverRow) -> bool,
        apart: impl Fn(usize) -> Apart,
    ) {
        self.list.clear();
        self.cones.clear();
        self.grouped.clear();
        self.contacts.clear();
        self.frictionless.clear();
        self.normals.clear();
        let mut first = 0;
        while first < rows.len() {
            let size = match rows[first].bounds {
                Bounds::Cone { rows: size, .. } => size.clamp(1, 3).min(rows.len() - first),
                _ => 1,
            };
            if !counts(&rows[first]) {
                first += size;
                continue;
            }
            match apart(first) {
                Apart::WithFriction => {
                    self.add_contact_point(system, rows, first);
                    first += 3;
                }
                Apart::WithoutFriction => {
                    let block = self.block(system, rows, first, 1);
                    self.normals.add(rows, block);
                    self.frictionless.push(block);
                    first += 1;
                }
                Apart::No => {
                    let block = self.block(system, rows, first, size);
                    self.list.push(block);
                    first += size;
                }
            }
        }
    }

    fn add_contact_point(&mut self, system: &System, rows: &[SolverRow], first: usize) {
        let normal = self.block(system, rows, first, 1);
        let friction = self.block(system, rows, first + 1, 2);
        self.contacts.add(rows, normal, friction, self.cones[friction.cone as usize]);
        self.grouped.extend([normal, friction]);
    }

    fn block(&mut self, system: &System, rows: &[SolverRow], first: usize, size: usize) -> Block {
        let mut k = [[0.0; 3]; 3];
        for (i, line) in k.iter_mut().enumerate() {
            line[i] = 1.0;
            for (j, entry) in line.iter_mut().enumerate().filter(|&(j, _)| i < size && j < size) {
                let (row, other) = (&system.rows[first + i], &system.rows[first + j]);
                debug_assert_eq!(row.bodies, other.bodies, "the rows of a vector are between the same bodies");
                *entry = row.coupling(other) + if i == j { row.gamma } else { 0.0 };
            }
        }
        // The largest eigenvalue is at most the largest sum of a line (Gershgorin).
        let largest = k[..size].iter().map(|line| line[..size].iter().map(|x| x.abs()).sum()).fold(0.0, f64::max);
        let step = if largest > f64::MIN_POSITIVE { 1.0 / largest } else { 0.0 };
        let (min, max) = rows[first].bounds.range();
        let mut block = Block { first: first as u32, cone: NO_CONE, largest, step, min, max };
        if let Bounds::Cone { normal, stick, slip, .. } = rows[first].bounds {
            block.cone = self.cones.len() as u32;
            let inverse = inverse(&k, size, largest);
            // Without a normal row there is no pressure.
            let (stick, slip) = if normal < rows.len() { (stick, slip) } else { (0.0, 0.0) };
            self.cones.push(Cone { size, normal: normal.min(rows.len() - 1), stick, slip, inverse });
        }
        block
    }

    /// The groups of contacts.
    #[cfg(test)]
    pub(super) fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// The groups of contacts without friction.
    #[cfg(test)]
    pub(super) fn normals(&self) -> &Normals {
        &self.normals
    }

    /// All blocks, whether they are solved one by one or in groups.
    fn all(&self) -> impl Iterator<Item = &Block> {
        self.list.iter().chain(&self.grouped).chain(&self.frictionless)
    }

    /// Puts the blocks of the deepest rows first; of equally deep ones, and within a contact, they stay in order.
    pub(super) fn sort_by_depth(&mut self, rows: &[SolverRow]) {
        let depth = |block: &Block| depth(rows, block.first as usize);
        self.list.sort_unstable_by(|a, b| depth(b).total_cmp(&depth(a)).then(a.first.cmp(&b.first)));
    }

    /// Solves one block after the other; returns the largest change of a row's velocity.
    pub(super) fn sweep(&self, system: &mut System) -> f64 {
        self.sweep_in_part(system, |_| 1.0).max(self.contacts.sweep(system)).max(self.normals.sweep(system))
    }

    /// As [`Self::sweep`] of what is in no group, but takes only a part of each change, which `part` tells for the first row of
    /// the block. (Part of the way to a point within bounds is within bounds.)
    pub(super) fn sweep_in_part(&self, system: &mut System, part: impl Fn(usize) -> f64) -> f64 {
        let mut residual: f64 = 0.0;
        for block in &self.list {
            let part = part(block.first as usize);
            let speed = match self.cones.get(block.cone as usize) {
                None => {
                    let change = block.change(system);
                    system.push(block.first as usize, part * change);
                    block.largest * change.abs()
                }
                Some(cone) => match cone.size {
                    1 => block.solve_cone::<1>(cone, system, part),
                    2 => block.solve_cone::<2>(cone, system, part),
                    _ => block.solve_cone::<3>(cone, system, part),
                },
            };
            residual = residual.max(speed);
        }
        residual
    }

    /// Adds the rows that hold to a list: single rows strictly within their bounds, and friction that sticks.
    pub(super) fn collect_holding(&self, system: &System, rows: &mut Vec<usize>) {
        for block in self.all() {
            let first = block.first as usize;
            match self.cones.get(block.cone as usize) {
                None if block.min < system.impulses[first] && system.impulses[first] < block.max => rows.push(first),
                None => (),
                Some(cone) if block.sticks(cone, system) => rows.extend(first..first + cone.size),
                Some(_) => (),
            }
        }
    }

    /// Brings the impulses back within their bounds.
    pub(super) fn project(&self, system: &mut System) {
        for block in self.all() {
            let first = block.first as usize;
            match self.cones.get(block.cone as usize) {
                None => {
                    let impulse = system.impulses[first];
                    system.push(first, impulse.max(block.min).min(block.max) - impulse);
                }
                Some(cone) => {
                    let rows = first..first + cone.size;
                    let length = system.impulses[rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
                    let largest = cone.stick * system.impulses[cone.normal].max(0.0);
                    if length > largest {
                        rows.for_each(|row| system.push(row, (largest / length - 1.0) * system.impulses[row]));
                    }
                }
            }
        }
    }

    /// Takes a part of what each block demands, all from the same velocities; returns the largest change that was demanded.
    pub(super) fn relax(&mut self, system: &mut System, part: f64) -> f64 {
        let Self { list, cones, changes, .. } = self;
        let mut residual: f64 = 0.0;
        changes.clear();
        for block in list.iter() {
            let mut change = [0.0; 3];
            match cones.get(block.cone as usize) {
                None => change[0] = block.change(system),
                Some(cone) => match cone.size {
                    1 => change[..1].copy_from_slice(&block.cone_change::<1>(cone, system)),
                    2 => change[..2].copy_from_slice(&block.cone_change::<2>(cone, system)),
                    _ => change = block.cone_change::<3>(cone, system),
                },
            }
            residual = residual.max(block.largest * length(&change));
            changes.push(change);
        }
        for (block, change) in list.iter().zip(changes) {
            let size = cones.get(block.cone as usize).map_or(1, |cone| cone.size);
            for (k, change) in change[..size].iter().enumerate() {
                system.push(block.first as usize + k, part * change);
            }
        }
        residual
    }
}

impl Block {
    /// By how much the impulse of a single row must change to solve it alone, within its bounds.
    #[inline]
    fn change(&self, system: &System) -> f64 {
        let impulse = system.impulses[self.first as usize];
        let wanted = impulse - self.step * system.excess(self.first as usize);
        wanted.max(self.min).min(self.max) - impulse
    }

    /// Whether a friction vector would stick if it were solved alone.
    fn sticks(&self, cone: &Cone, system: &System) -> bool {
        match cone.size {
            1 => self.sticking::<1>(cone, system).1,
            2 => self.sticking::<2>(cone, system).1,
            _ => self.sticking::<3>(cone, system).1,
        }
    }

    #[inline]
    fn solve_cone<const N: usize>(&self, cone: &Cone, system: &mut System, part: f64) -> f64 {
        let change = self.cone_change::<N>(cone, system);
        for (k, change) in change.iter().enumerate() {
            system.push(self.first as usize + k, part * change);
        }
        self.largest * length(&change)
    }

    /// The impulses of a friction vector that would make its rows stick, and whether they are strong enough for that.
    #[inline]
    fn sticking<const N: usize>(&self, cone: &Cone, system: &System) -> ([f64; N], bool) {
        let first = self.first as usize;
        let excess: [f64; N] = std::array::from_fn(|k| system.excess(first + k));
        let sticking: [f64; N] = std::array::from_fn(|i| {
            let change: f64 = cone.inverse[i].iter().zip(&excess).map(|(k, excess)| k * excess).sum();
            system.impulses[first + i] - change
        });
        let pressure = system.impulses[cone.normal].max(0.0);
        (sticking, length(&sticking) <= cone.stick * pressure)
    }

    /// By how much the impulses of a friction vector must change to solve it alone.
    #[inline]
    fn cone_change<const N: usize>(&self, cone: &Cone, system: &System) -> [f64; N] {
        let first = self.first as usize;
        let impulse: [f64; N] = std::array::from_fn(|k| system.impulses[first + k]);
        let (sticking, sticks) = self.sticking::<N>(cone, system);
        if sticks {
            return std::array::from_fn(|k| sticking[k] - impulse[k]);
        }
        let excess: [f64; N] = std::array::from_fn(|k| system.excess(first + k));
        let pressure = system.impulses[cone.normal].max(0.0);
        // Slipping friction opposes the velocity: the fixed point of this projected gradient step.
        let slipping: [f64; N] = std::array::from_fn(|k| impulse[k] - self.step * excess[k]);
        let length = length(&slipping);
        // Without a direction, or where numbers overflow, there is no friction.
        if length == 0.0 || !length.is_finite() {
            return impulse.map(|impulse| -impulse);
        }
        let scale = cone.slip * pressure / length;
        std::array::from_fn(|k| scale * slipping[k] - impulse[k])
    }
}

#[inline]
fn length<const N: usize>(vector: &[f64; N]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// K⁻¹ of a friction vector; where K is singular, what makes a gradient step of it.
fn inverse(k: &[[f64; 3]; 3], size: usize, largest: f64) -> [[f64; 3]; 3] {
    let matrix = DMat3::from_cols_array_2d(k);
    let conditioned = matrix.determinant() > 1e-9 * (0..size).fold(1.0, |volume, _| volume * largest);
    if largest <= f64::MIN_POSITIVE {
        [[0.0; 3]; 3]
    } else if conditioned {
        matrix.inverse().to_cols_array_2d()
    } else {
        DMat3::from_diagonal(glam::DVec3::splat(1.0 / largest)).to_cols_array_2d()
    }
}

/// How deep a row is violated; of a friction vector, the normal row it belongs to.
fn depth(rows: &[SolverRow], first: usize) -> f64 {
    match rows[first].bounds {
        Bounds::Cone { normal, .. } => rows.get(normal).map_or(0.0, |row| -row.error),
        Bounds::Free => rows[first].error.abs(),
        Bounds::Range { min, .. } if min < 0.0 => rows[first].error.abs(),
        Bounds::NonNegative | Bounds::Range { .. } | Bounds::Nothing | Bounds::ConeMember => -rows[first].error,
    }
}
