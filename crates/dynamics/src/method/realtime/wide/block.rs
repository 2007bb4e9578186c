//! Blocks: eight patches of contact side by side, number by number.

use super::super::contact::MOST;
use super::super::lanes::{LANES, Lanes};
use super::super::pairs::{Pair, Patch};
use super::heap::Patch as Link;
use super::rows::BodyRows;
use glam::DVec3;
use tumble_geometry::math::orthonormal_pair;

/// The number of a link that is not there.
pub(super) const ABSENT: u32 = u32::MAX;

/// Eight points of contact.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Points {
    /// From the middle of the patch, along its two tangents.
    pub(super) place: [Lanes; 2],
    /// `c · n` for the ways from the centres of mass to the centres of curvature of the surfaces.
    pub(super) height: [Lanes; 2],
    /// The gap where contacts were found, and now.
    pub(super) start: Lanes,
    pub(super) gap: Lanes,
    /// 1/(J W Jᵀ); zero for a point that is not there.
    pub(super) mass: Lanes,
    pub(super) impulse: Lanes,
    pub(super) total: Lanes,
    pub(super) lever: Lanes,
}

/// Eight patches of contact of one colour.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Block {
    /// The rows of the bodies.
    pub(super) bodies: [[u32; LANES]; 2],
    /// Which links.
    pub(super) links: [u32; LANES],
    /// Which of the bodies are moved, one bit for each lane.
    pub(super) moved: [u8; 2],
    /// Whether one of the patches has rolling friction.
    pub(super) rolls: bool,
    /// The most points that one of them has.
    pub(super) count: usize,
    pub(super) inverse_mass: [Lanes; 2],
    pub(super) inverse_inertia: [[Lanes; 6]; 2],
    pub(super) normal: [Lanes; 3],
    pub(super) tangent: [Lanes; 3],
    /// From the centres of mass to the middle of the patch, along the normal and the two tangents.
    pub(super) middle: [[Lanes; 3]; 2],
    /// How the relative motion at the middle answers to impulses there ([`sweep`](super::sweep)): of what presses and tilts, of what slides
    /// and spins, and of the second by the first, row by row.
    pub(super) pressing: [Lanes; 6],
    pub(super) sliding: [Lanes; 6],
    pub(super) coupling: [[Lanes; 3]; 3],
    pub(super) points: [Points; MOST],
    /// ω/a₁, a₂a₃ and a₃ of the springs.
    pub(super) rate: Lanes,
    pub(super) mass_scale: Lanes,
    pub(super) impulse_scale: Lanes,
    pub(super) stick: Lanes,
    pub(super) slip: Lanes,
    /// The inverse of the 2 × 2 matrix of friction: its entries 11, 12, 22.
    pub(super) friction_mass: [Lanes; 3],
    pub(super) friction: [Lanes; 2],
    /// What friction has exerted in all substeps.
    pub(super) dragged: [Lanes; 2],
    pub(super) spinning: Lanes,
    pub(super) twist_mass: Lanes,
    pub(super) twist: Lanes,
    pub(super) rolling: Lanes,
    pub(super) roll_mass: Lanes,
    pub(super) roll: [Lanes; 2],
}

const ZERO: Lanes = [0.0; LANES];
const NO_POINTS: Points = Points {
    place: [ZERO; 2],
    height: [ZERO; 2],
    start: ZERO,
    gap: ZERO,
    mass: ZERO,
    impulse: ZERO,
    total: ZERO,
    lever: ZERO,
};

/// Puts a vector into a lane.
fn put(lanes: &mut [Lanes; 3], lane: usize, vector: DVec3) {
    lanes.iter_mut().zip(vector.to_array()).for_each(|(lanes, part)| lanes[lane] = part as f32);
}

impl Block {
    pub(super) const EMPTY: Self = Self {
        bodies: [[0; LANES]; 2],
        links: [ABSENT; LANES],
        moved: [0; 2],
        rolls: false,
        count: 0,
        inverse_mass: [ZERO; 2],
        inverse_inertia: [[ZERO; 6]; 2],
        normal: [ZERO; 3],
        tangent: [ZERO; 3],
        middle: [[ZERO; 3]; 2],
        pressing: [ZERO; 6],
        sliding: [ZERO; 6],
        coupling: [[ZERO; 3]; 3],
        points: [NO_POINTS; MOST],
        rate: ZERO,
        mass_scale: ZERO,
        impulse_scale: ZERO,
        stick: ZERO,
        slip: ZERO,
        friction_mass: [ZERO; 3],
        friction: [ZERO; 2],
        dragged: [ZERO; 2],
        spinning: ZERO,
        twist_mass: ZERO,
        twist: ZERO,
        rolling: ZERO,
        roll_mass: ZERO,
        roll: [ZERO; 2],
    };

    /// Takes over its links, for substeps of `h` seconds; `springs` are those between moving bodies and against what does not move.
    pub(super) fn fill(&mut self, links: &[Link], pairs: &[Pair], bodies: &BodyRows, springs: &[[f32; 3]; 2], h: f64) {
        // What is not there is nowhere written; nearly all blocks are full.
        if self.links.contains(&ABSENT) {
            *self = Self { links: self.links, ..Self::EMPTY };
        }
        (self.moved, self.rolls, self.count) = ([0; 2], false, 0);
        for lane in 0..LANES {
            if let Some(link) = links.get(self.links[lane] as usize) {
                self.fill_bodies(lane, link, bodies);
                self.fill_lane(lane, link, &pairs[link.pair as usize], bodies, h);
                let moved = link.rows.iter().all(|&row| bodies.is_moved(row));
                let spring = springs[usize::from(!moved)];
                [self.rate[lane], self.mass_scale[lane], self.impulse_scale[lane]] = spring;
            }
        }
    }

    fn fill_bodies(&mut self, lane: usize, link: &Link, bodies: &BodyRows) {
        for (side, &row) in link.rows.iter().enumerate() {
            self.bodies[side][lane] = row;
            self.moved[side] |= u8::from(bodies.is_moved(row)) << lane;
            let [mass, inertia @ .., _] = bodies.mobility(row);
            self.inverse_mass[side][lane] = *mass;
            self.inverse_inertia[side].iter_mut().zip(inertia).for_each(|(lanes, entry)| lanes[lane] = *entry);
        }
    }

    fn fill_lane(&mut self, lane: usize, link: &Link, pair: &Pair, bodies: &BodyRows, h: f64) {
        let patch = &pair.patches[link.patch as usize];
        let Patch { normal, round, friction, twist, roll, .. } = *patch;
        let (u, v) = orthonormal_pair(normal);
        put(&mut self.normal, lane, normal);
        put(&mut self.tangent, lane, u);
        let spots = patch.spots();
        self.count = self.count.max(spots.len());
        let share = 1.0 / spots.len() as f64;
        let center = spots.iter().map(|spot| spot.position).sum::<DVec3>() * share;
        let half = 0.5 * share * spots.iter().map(|spot| spot.gap).sum::<f64>();
        for (wide, spot) in self.points.iter_mut().zip(spots) {
            let place = spot.position - center;
            (wide.place[0][lane], wide.place[1][lane]) = (u.dot(place) as f32, v.dot(place) as f32);
            // The surface of the first body lies half the gap before the spot, that of the second half behind it.
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let arm = arm(bodies, link.rows[side], spot.position + normal * (0.5 * sign * spot.gap));
                wide.height[side][lane] = (arm.dot(normal) + sign * round[side]) as f32;
            }
            (wide.start[lane], wide.gap[lane]) = (spot.gap as f32, spot.gap as f32);
            // Which points there are; `prepare` makes masses of them.
            wide.mass[lane] = 1.0;
            wide.impulse[lane] = (spot.load * h) as f32;
            wide.lever[lane] = place.length() as f32;
            wide.total[lane] = 0.0;
        }
        for wide in &mut self.points[spots.len()..] {
            (wide.mass[lane], wide.impulse[lane], wide.total[lane], wide.lever[lane]) = (0.0, 0.0, 0.0, 0.0);
            (wide.start[lane], wide.gap[lane]) = (0.0, 0.0);
            for lanes in wide.place.iter_mut().chain(&mut wide.height) {
                lanes[lane] = 0.0;
            }
        }
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let arm = arm(bodies, link.rows[side], center + normal * (sign * half));
            put(&mut self.middle[side], lane, DVec3::new(normal.dot(arm), u.dot(arm), v.dot(arm)));
        }
        let material = &pair.material;
        (self.stick[lane], self.slip[lane]) = (material.static_friction as f32, material.dynamic_friction as f32);
        self.spinning[lane] = material.spinning_friction as f32;
        self.rolling[lane] = material.rolling_friction as f32;
        self.rolls |= material.rolling_friction > 0.0;
        (self.friction[0][lane], self.friction[1][lane]) = ((u.dot(friction) * h) as f32, (v.dot(friction) * h) as f32);
        self.dragged.iter_mut().for_each(|dragged| dragged[lane] = 0.0);
        self.twist[lane] = (twist * h) as f32;
        (self.roll[0][lane], self.roll[1][lane]) = ((u.dot(roll) * h) as f32, (v.dot(roll) * h) as f32);
    }

    /// Tells a patch what it exerted.
    pub(super) fn store(&self, lane: usize, patch: &mut Patch, h: f64) {
        let inverse = 1.0 / h;
        let (u, v) = orthonormal_pair(patch.normal);
        let along = |lanes: &[Lanes; 2]| u * f64::from(lanes[0][lane]) + v * f64::from(lanes[1][lane]);
        patch.friction = along(&self.friction) * inverse;
        patch.dragged += along(&self.dragged);
        patch.twist = f64::from(self.twist[lane]) * inverse;
        patch.roll = along(&self.roll) * inverse;
        for (spot, wide) in patch.spots_mut().iter_mut().zip(&self.points) {
            spot.load = f64::from(wide.impulse[lane]) * inverse;
            spot.exerted += f64::from(wide.total[lane]);
        }
    }

    /// The impulse of a patch along its normal over the mass of the lighter of its bodies, in m/s.
    pub(super) fn burden(&self, lane: usize) -> f64 {
        let impulse: f32 = self.points[..self.count].iter().map(|points| points.impulse[lane]).sum();
        f64::from(impulse * f32::max(self.inverse_mass[0][lane], self.inverse_mass[1][lane]))
    }
}

/// From the centre of mass of a body to a place; the world has no centre of mass, and nothing acts on it.
fn arm(bodies: &BodyRows, row: u32, surface: DVec3) -> DVec3 {
    if row == 0 { DVec3::ZERO } else { surface - bodies.position(row) }
}
