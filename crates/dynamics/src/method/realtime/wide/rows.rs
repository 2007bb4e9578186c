//! The bodies of heaps while substeps are taken: rows of eight single-precision numbers, a vector and a turn in each.
//!
//! Row 0 is the world. Rows of bodies that nothing moves (scripts) have velocities, and nobody writes them.

use super::super::bodies::{Bodies, Spin};
use super::super::lanes::{LANES, Lanes};
use super::super::motion::small_rotation;
use crate::integrator::Decay;
use crate::workers::{Member, Rows};
use glam::{DMat3, DVec3};

/// What turns by less than this in radians, until contacts are looked at anew, does not tumble.
const SLOW_TURN: f64 = 1e-4;

/// The rows of all bodies of heaps.
#[derive(Clone, Debug, Default)]
pub(in crate::method::realtime) struct BodyRows {
    /// By row: the number of the body, and whether impulses move it.
    numbers: Vec<u32>,
    moved: Vec<bool>,
    /// By row: where the body was when contacts were found.
    positions: Vec<DVec3>,
    /// The velocities of the bodies in the beginning, now, and before the sweep under way.
    start: Vec<Lanes>,
    motions: Vec<Lanes>,
    before: Vec<Lanes>,
    /// What contacts give each body in a substep.
    given: Vec<Lanes>,
    /// How far the bodies have gone since contacts were found.
    offsets: Vec<Lanes>,
    /// What forces give each body in a substep, and what damping leaves of its velocities.
    kicks: Vec<Lanes>,
    kept: Vec<Lanes>,
    damped: bool,
    /// 1/m, and the entries xx, xy, xz, yy, yz, zz of the inverse inertia.
    mobility: Vec<Lanes>,
    /// The rows of bodies that may bounce.
    bouncing: Vec<u32>,
}

/// A vector and a turn as a row.
fn row(linear: DVec3, angular: DVec3) -> Lanes {
    let [x, y, z] = linear.to_array().map(|part| part as f32);
    let [p, q, r] = angular.to_array().map(|part| part as f32);
    [x, y, z, 0.0, p, q, r, 0.0]
}

fn vectors(&[x, y, z, _, p, q, r, _]: &Lanes) -> [DVec3; 2] {
    [DVec3::new(x.into(), y.into(), z.into()), DVec3::new(p.into(), q.into(), r.into())]
}

impl BodyRows {
    pub(in crate::method::realtime) fn clear(&mut self) {
        self.numbers.clear();
        self.numbers.push(0);
        self.moved.clear();
        self.moved.push(false);
    }

    pub(in crate::method::realtime) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(in crate::method::realtime) fn is_moved(&self, row: u32) -> bool {
        self.moved[row as usize]
    }

    pub(in crate::method::realtime) fn mobility(&self, row: u32) -> &Lanes {
        &self.mobility[row as usize]
    }

    /// Where the centre of mass of a body is.
    pub(super) fn position(&self, row: u32) -> DVec3 {
        self.positions[row as usize]
    }

    /// The numbers of the bodies, by row.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// A row for a body that has none.
    pub(in crate::method::realtime) fn add(&mut self, number: u32, moved: bool) -> u32 {
        self.numbers.push(number);
        self.moved.push(moved);
        self.numbers.len() as u32 - 1
    }
}

impl BodyRows {
    /// Takes over the bodies for `substeps` substeps of `h` seconds.
    pub(in crate::method::realtime) fn load(&mut self, bodies: &Bodies, h: f64, substeps: u32) {
        let part = h * f64::from(substeps);
        let lists = [&mut self.start, &mut self.kicks, &mut self.kept, &mut self.mobility];
        lists.into_iter().for_each(Vec::clear);
        self.positions.clear();
        self.damped = false;
        for &number in &self.numbers {
            let body = &bodies.list[number as usize];
            let mut spin = body.angular_acceleration;
            if matches!(body.spin, Spin::Euler { .. }) && body.angular_velocity.length() * part > SLOW_TURN {
                // It tumbles as if it were free: the mean of the gyroscopic acceleration.
                let mut ahead = *body;
                ahead.drift(part);
                spin += (ahead.angular_velocity - body.angular_velocity) / part;
            }
            let [linear, angular] = body.damping.map(|rate| Decay::over(rate, h));
            self.damped |= body.damping != [0.0; 2];
            self.kicks.push(row(body.acceleration * (h * linear.mean), spin * (h * angular.mean)));
            self.kept.push(row(DVec3::splat(linear.kept), DVec3::splat(angular.kept)));
            self.start.push(row(body.velocity, body.angular_velocity));
            let DMat3 { x_axis: x, y_axis: y, z_axis: z } = body.inverse_inertia;
            let mobility = [body.inverse_mass, x.x, x.y, x.z, y.y, y.z, z.z, 0.0];
            self.mobility.push(mobility.map(|entry| entry as f32));
            self.positions.push(body.position);
        }
        self.motions.clone_from(&self.start);
        for list in [&mut self.before, &mut self.given, &mut self.offsets] {
            list.clear();
            list.resize(self.numbers.len(), [0.0; LANES]);
        }
    }

    /// Notes the rows of bodies that may bounce.
    pub(super) fn note_bouncing(&mut self, rows: impl Iterator<Item = u32>) {
        self.bouncing.clear();
        self.bouncing.extend(rows.filter(|&row| row != 0));
        self.bouncing.sort_unstable();
        self.bouncing.dedup();
    }

    /// Gives the motions back.
    pub(super) fn store(&self, bodies: &mut Bodies) {
        for (row, &number) in self.numbers.iter().enumerate().filter(|(row, _)| self.moved[*row]) {
            let body = &mut bodies.list[number as usize];
            let ([shift, turn], [from, to]) =
                (vectors(&self.offsets[row]), [&self.start, &self.motions].map(|rows| vectors(&rows[row])));
            // Single precision holds the changes, and double precision what they are added to.
            body.velocity += to[0] - from[0];
            body.angular_velocity += to[1] - from[1];
            (body.shift, body.turn) = (shift, turn);
            body.position = self.positions[row] + shift;
            body.rotation = (small_rotation(turn) * body.rotation).normalize();
        }
    }

    /// The rows, to be used by several threads at once.
    ///
    /// # Safety
    ///
    /// As for [`Rows::new`].
    #[expect(unsafe_code, reason = "passes the promise on")]
    pub(super) unsafe fn share(&mut self) -> SharedRows<'_> {
        // SAFETY: the caller promises it.
        unsafe {
            SharedRows {
                motions: Rows::new(&mut self.motions),
                before: Rows::new(&mut self.before),
                given: Rows::new(&mut self.given),
                offsets: Rows::new(&mut self.offsets),
                kicks: &self.kicks,
                kept: self.damped.then_some(&self.kept[..]),
                bouncing: &self.bouncing,
            }
        }
    }
}

/// The rows while threads work on them.
pub(super) struct SharedRows<'a> {
    pub(super) motions: Rows<'a, Lanes>,
    before: Rows<'a, Lanes>,
    pub(super) given: Rows<'a, Lanes>,
    pub(super) offsets: Rows<'a, Lanes>,
    kicks: &'a [Lanes],
    kept: Option<&'a [Lanes]>,
    bouncing: &'a [u32],
}

// Loops and not closures: of loops the compiler makes vector instructions, whoever calls them.

#[inline(always)]
fn plus(mut a: Lanes, b: Lanes) -> Lanes {
    for (a, b) in a.iter_mut().zip(&b) {
        *a += b;
    }
    a
}

#[inline(always)]
fn minus(mut a: Lanes, b: Lanes) -> Lanes {
    for (a, b) in a.iter_mut().zip(&b) {
        *a -= b;
    }
    a
}

#[inline(always)]
fn times(mut a: Lanes, b: Lanes) -> Lanes {
    for (a, b) in a.iter_mut().zip(&b) {
        *a *= b;
    }
    a
}

impl SharedRows<'_> {
    /// Forces act, and contacts give what they gave in the last substep; `relaxed` if there was one.
    pub(super) fn kick(&self, member: &Member<'_>, relaxed: bool) {
        for row in member.share(self.motions.len()) {
            let (now, mut given) = (self.motions.get(row), self.given.get(row));
            if relaxed {
                given = plus(given, minus(now, self.before.get(row)));
                self.given.set(row, given);
            }
            let slowed = match self.kept {
                Some(kept) => times(now, kept[row]),
                None => now,
            };
            let kicked = plus(slowed, self.kicks[row]);
            self.before.set(row, kicked);
            self.motions.set(row, plus(kicked, given));
        }
    }

    /// Bodies move for `h` seconds. What nothing has touched follows its parabola.
    pub(super) fn drift(&self, member: &Member<'_>, h: f64) {
        let (h, half) = ([h as f32; LANES], [0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
        for row in member.share(self.motions.len()) {
            let now = self.motions.get(row);
            let given = minus(now, self.before.get(row));
            let way = match given == [0.0; LANES] {
                true => times(minus(now, times(half, self.kicks[row])), h),
                false => times(now, h),
            };
            self.offsets.set(row, plus(self.offsets.get(row), way));
            self.given.set(row, given);
            self.before.set(row, now);
        }
    }

    /// Lends the bodies that may bounce, by row, kicked and without what contacts give. One thread at a time.
    pub(super) fn lend(&self, bodies: &mut Bodies, bounce: impl FnOnce(&mut Bodies)) {
        for &row in self.bouncing {
            let body = &mut bodies.list[row as usize];
            [body.velocity, body.angular_velocity] = vectors(&self.before.get(row as usize));
            [body.shift, body.turn] = vectors(&self.offsets.get(row as usize));
        }
        bounce(bodies);
        for &row in self.bouncing {
            let row = row as usize;
            let body = &bodies.list[row];
            let kicked = super::rows::row(body.velocity, body.angular_velocity);
            if kicked != self.before.get(row) && body.is_movable() {
                self.before.set(row, kicked);
                self.motions.set(row, plus(kicked, self.given.get(row)));
                self.offsets.set(row, super::rows::row(body.shift, body.turn));
            }
        }
    }
}
