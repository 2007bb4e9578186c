//! The bodies of nets, as little of each as the sweeps need: rows of eight numbers in single precision.
//!
//! Where a body is, is how far it has gone since the sweeps began: a shift d and a turn as a unit quaternion. Both are small, so single
//! precision loses nothing that matters, wherever in a large world the net hangs.
//!
//! Most bodies of a net are round and touch nothing: eight of them are moved at once (`quick`). The others are moved in
//! double precision like those of heaps, and shown to the joints again and again (`shown`).

use super::super::bodies::{Bodies, Body, Spin, WORLD};
use super::super::lanes::{LANES, Lanes, Vector, all, gather_all, load, scatter_all, store};
use crate::integrator::Decay;
use fearless_simd::{Level, Simd, dispatch, prelude::*};
use glam::{DMat3, DQuat, DVec3};

/// The row of what nothing moves.
pub(super) const UNMOVED: u32 = 0;

/// A body that has not gone anywhere.
const HERE: Lanes = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];

/// The bodies of nets.
#[derive(Clone, Debug, Default)]
pub(super) struct Hot {
    /// Velocity and angular velocity: (v, –, ω, –).
    pub(super) motions: Vec<Lanes>,
    /// How far the body has turned and gone since the sweeps began: (x, y, z, w, d, –).
    pub(super) poses: Vec<Lanes>,
    /// The inverse inertia along the axes of the world and the inverse mass: (xx, xy, xz, yy, yz, zz, 1/m, –).
    pub(super) masses: Vec<Lanes>,
    /// What forces give the quick bodies in a substep, and what damping leaves: v ← kept v + kick.
    kicks: Vec<Lanes>,
    kept: Vec<Lanes>,
    /// Whether some quick body is damped.
    damped: bool,
    /// By number of a body: its row.
    rows: Vec<u32>,
    /// The bodies by row, up to the last quick one; the row of one that is not there has the number of the world.
    quick: Vec<u32>,
    /// The bodies that are shown to the joints, with their rows, and what they were shown with.
    shown: Vec<(u32, u32)>,
    /// The rotations of these where the sweeps began.
    starts: Vec<DQuat>,
    before: Vec<Lanes>,
}

impl Hot {
    /// Takes over these bodies, which joints hold; `slow` tells which of them are moved in double precision. `h` is the length of a substep.
    pub(super) fn load(&mut self, bodies: &Bodies, held: &[u32], slow: &[bool], h: f64) {
        self.rows.clear();
        self.rows.resize(bodies.list.len(), UNMOVED);
        self.quick.clear();
        self.quick.resize(LANES, WORLD);
        self.quick.extend(held.iter().filter(|&&number| !slow[number as usize]));
        for (row, &number) in self.quick.iter().enumerate().filter(|(_, number)| **number != WORLD) {
            self.rows[number as usize] = row as u32;
        }
        self.quick.resize(self.quick.len().next_multiple_of(LANES), WORLD);
        self.shown.clear();
        self.starts.clear();
        for &number in held.iter().filter(|&&number| slow[number as usize]) {
            let row = (self.quick.len() + self.shown.len()) as u32;
            self.rows[number as usize] = row;
            self.shown.push((number, row));
            self.starts.push(bodies.list[number as usize].rotation);
        }
        self.fill(bodies, h);
    }

    fn fill(&mut self, bodies: &Bodies, h: f64) {
        let count = self.quick.len() + self.shown.len();
        for rows in [&mut self.motions, &mut self.masses, &mut self.before] {
            rows.clear();
            rows.resize(count, [0.0; LANES]);
        }
        self.poses.clear();
        self.poses.resize(count, HERE);
        self.damped = false;
        self.kicks.clear();
        self.kept.clear();
        for (row, &number) in self.quick.iter().enumerate() {
            let body = &bodies.list[number as usize];
            let [(kept, kick), (kept_spin, kick_spin)] =
                [(body.damping[0], body.acceleration), (body.damping[1], body.angular_acceleration)].map(
                    |(rate, acceleration)| {
                        let Decay { kept, mean } = Decay::over(rate, h);
                        (DVec3::splat(kept), acceleration * (h * mean))
                    },
                );
            self.damped |= body.damping != [0.0; 2];
            self.kicks.push(as_row(kick, kick_spin));
            self.kept.push(as_row(kept, kept_spin));
            self.motions[row] = as_row(body.velocity, body.angular_velocity);
            self.masses[row] = mass_row(body);
        }
        self.show(bodies);
    }

    /// The row of a body.
    pub(super) fn row(&self, number: u32) -> u32 {
        self.rows[number as usize]
    }

    /// Whether a body is moved here.
    pub(super) fn is_quick(&self, number: u32) -> bool {
        (1..self.quick.len() as u32).contains(&self.row(number))
    }

    /// Shows the joints where the other bodies are, how they move and what resists.
    pub(super) fn show(&mut self, bodies: &Bodies) {
        for (&(number, row), start) in self.shown.iter().zip(&self.starts) {
            let body = &bodies.list[number as usize];
            self.masses[row as usize] = mass_row(body);
            let [x, y, z, w] = (body.rotation * start.conjugate()).to_array().map(|part| part as f32);
            let [p, q, r] = body.shift.to_array().map(|part| part as f32);
            self.poses[row as usize] = [x, y, z, w, p, q, r, 0.0];
        }
        self.show_velocities(bodies);
    }

    /// Shows the joints how the other bodies move.
    pub(super) fn show_velocities(&mut self, bodies: &Bodies) {
        for &(number, row) in &self.shown {
            let body = &bodies.list[number as usize];
            let motion = as_row(body.velocity, body.angular_velocity);
            (self.motions[row as usize], self.before[row as usize]) = (motion, motion);
        }
    }

    /// Gives the other bodies what the joints changed of their velocities.
    pub(super) fn give(&self, bodies: &mut Bodies) {
        for &(number, row) in &self.shown {
            let body = &mut bodies.list[number as usize];
            if !body.is_movable() {
                continue;
            }
            let (now, before) = (&self.motions[row as usize], &self.before[row as usize]);
            let change: Lanes = std::array::from_fn(|part| now[part] - before[part]);
            body.velocity += DVec3::new(change[0].into(), change[1].into(), change[2].into());
            body.angular_velocity += DVec3::new(change[4].into(), change[5].into(), change[6].into());
        }
    }

    /// Forces and damping act on the quick bodies.
    pub(super) fn kick(&mut self, level: Level) {
        let Self { motions, kicks, kept, damped, quick, .. } = self;
        let motions = &mut motions[..quick.len()];
        match damped {
            true => dispatch!(level, simd => kick_rows::<_, true>(simd, motions, kicks, kept)),
            false => dispatch!(level, simd => kick_rows::<_, false>(simd, motions, kicks, kept)),
        }
    }

    /// The quick bodies move with their velocities for `h` seconds.
    pub(super) fn drift(&mut self, h: f64, level: Level) {
        let count = self.quick.len();
        let (motions, poses) = (&self.motions[..count], &mut self.poses[..count]);
        dispatch!(level, simd => drift_rows(simd, motions, poses, h as f32));
    }

    /// Gives the quick bodies back where they are and how they move.
    pub(super) fn store(&self, bodies: &mut Bodies) {
        for (row, &number) in self.quick.iter().enumerate().filter(|(_, number)| **number != WORLD) {
            let body = &mut bodies.list[number as usize];
            let [a, b, c, _, p, q, r, _] = self.motions[row].map(f64::from);
            (body.velocity, body.angular_velocity) = (DVec3::new(a, b, c), DVec3::new(p, q, r));
            let [x, y, z, w, a, b, c, _] = self.poses[row].map(f64::from);
            let way = DVec3::new(a, b, c);
            body.position += way;
            body.shift += way;
            body.turn += 2.0 * DVec3::new(x, y, z);
            body.rotation = (DQuat::from_xyzw(x, y, z, w) * body.rotation).normalize();
        }
    }
}

impl Body {
    /// Whether eight of its kind can be moved at once.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.spin, Spin::Given | Spin::Steady)
    }
}

pub(super) fn as_row(linear: DVec3, angular: DVec3) -> Lanes {
    let [x, y, z] = linear.to_array().map(|part| part as f32);
    let [p, q, r] = angular.to_array().map(|part| part as f32);
    [x, y, z, 0.0, p, q, r, 0.0]
}

fn mass_row(body: &Body) -> Lanes {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = body.inverse_inertia;
    [x.x, x.y, x.z, y.y, y.z, z.z, body.inverse_mass, 0.0].map(|part| part as f32)
}

#[inline(always)]
fn kick_rows<S: Simd, const DAMPED: bool>(simd: S, motions: &mut [Lanes], kicks: &[Lanes], kept: &[Lanes]) {
    for (row, motion) in motions.iter_mut().enumerate() {
        let mut value = load(simd, motion);
        if DAMPED {
            value *= load(simd, &kept[row]);
        }
        store(value + load(simd, &kicks[row]), motion);
    }
}

/// Eight bodies at a time: `d ← d + h v`, and the turn by ω h. With x = ω h/2 the unit quaternion along (x tan|x|/|x|, 1) is that turn.
#[inline(always)]
fn drift_rows<S: Simd>(simd: S, motions: &[Lanes], poses: &mut [Lanes], h: f32) {
    let (time, half, one) = (all(simd, h), all(simd, 0.5 * h), all(simd, 1.0));
    let (third, two_fifths) = (all(simd, 1.0 / 3.0), all(simd, 0.4));
    let mut first = 0;
    while first < motions.len() as u32 {
        let mut numbers = [first; LANES];
        let mut lane = 0;
        while lane < LANES {
            numbers[lane] += lane as u32;
            lane += 1;
        }
        let [a, b, c, _, p, q, r, _] = gather_all(simd, motions, &numbers);
        let [x, y, z, w, d, e, f, none] = gather_all(simd, poses, &numbers);
        let turn = Vector { x: p, y: q, z: r }.times(half);
        let square = turn.dot(turn);
        let tangent = turn.times(one + square * third * (one + square * two_fifths));
        let before = Vector { x, y, z };
        let v = tangent.times(w).plus(before).plus(tangent.cross(before));
        let w = w - tangent.dot(before);
        let scale = one / (v.dot(v) + w * w).sqrt();
        let v = v.times(scale);
        let moved = [v.x, v.y, v.z, w * scale, d + a * time, e + b * time, f + c * time, none];
        scatter_all(moved, poses, &numbers);
        first += LANES as u32;
    }
}
