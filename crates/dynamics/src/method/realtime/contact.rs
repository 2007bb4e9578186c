//! A patch of contact as the solvers see it: up to four points with a common normal between two bodies, with the levers at which they
//! act and the impulses they exert in a substep.
//!
//! Friction acts at the middle of the patch, along two tangents, and as a torque about the normal: points that press with
//! λᵢ at the distances ℓᵢ from the middle resist turning with up to μ Σ λᵢ ℓᵢ.

use super::bodies::{Bodies, WORLD};
use super::pairs::{Pair, Patch};
use glam::DVec3;
use tumble_geometry::math::orthonormal_pair;

/// How many points a patch has at most.
pub(super) const MOST: usize = 4;

/// A patch of contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// Which pair, and which of its patches.
    pub(super) pair: u32,
    pub(super) patch: u32,
    /// The numbers of the bodies.
    pub(super) bodies: [u32; 2],
    /// Out of the first body into the second.
    pub(super) normal: DVec3,
    pub(super) tangents: [DVec3; 2],
    /// The radii of curvature of the two surfaces.
    pub(super) round: [f64; 2],
    pub(super) points: [Point; MOST],
    pub(super) count: usize,
    /// The middle of the points, from the centres of mass.
    pub(super) middle: [DVec3; 2],
    /// Coefficients of friction while it sticks and while it slips.
    pub(super) stick: f64,
    pub(super) slip: f64,
    /// Levers of rolling and spinning friction in metres.
    pub(super) rolling: f64,
    pub(super) spinning: f64,
    pub(super) restitution: f64,
    /// Impulses of friction in a substep: along the tangents, about the normal, against rolling.
    pub(super) friction: [f64; 2],
    /// What friction has exerted in all substeps since contacts were found.
    pub(super) dragged: [f64; 2],
    pub(super) twist: f64,
    pub(super) roll: DVec3,
    /// 1/m of the lighter body.
    lightness: f64,
    /// The length of a substep.
    h: f64,
}

/// A point of contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// From the centres of mass of the bodies to the surface of each.
    pub(super) arms: [DVec3; 2],
    /// The gap where contacts were found, in metres; negative for overlap.
    pub(super) gap: f64,
    /// The distance from the middle of the patch, in metres.
    pub(super) lever: f64,
    /// The impulse along the normal in a substep.
    pub(super) impulse: f64,
    /// What the point has exerted along the normal in all substeps since contacts were found.
    pub(super) total: f64,
    /// How fast it was hit, in m/s; zero if it was not.
    pub(super) hit: f64,
}

impl Contact {
    /// The patch of a pair between bodies where they are now; `h` is the length of a substep.
    pub(super) fn new((number, pair): (usize, &Pair), patch: usize, bodies: &Bodies, h: f64) -> Self {
        let mut numbers = pair.bodies.map(|id| bodies.number(id));
        if let Some((side, belt)) = pair.patches[patch].belt {
            numbers[usize::from(side)] = belt;
        }
        // The world has no centre of mass; nothing acts on it.
        let arm = |side: usize, surface: DVec3| match numbers[side] {
            WORLD => DVec3::ZERO,
            number => surface - bodies.list[number as usize].position,
        };
        let Patch { normal, round, friction, twist, roll, .. } = pair.patches[patch];
        let tangents = orthonormal_pair(normal);
        let mut points = [Point::default(); MOST];
        let spots = pair.patches[patch].spots();
        for (point, spot) in points.iter_mut().zip(spots) {
            // The surface of the first body lies half the gap before the spot, that of the second half behind it.
            let half = 0.5 * spot.gap * normal;
            let arms = [arm(0, spot.position - half), arm(1, spot.position + half)];
            *point = Point { arms, gap: spot.gap, impulse: spot.load * h, ..Point::default() };
        }
        let count = spots.len();
        let share = 1.0 / count as f64;
        let middle = [0, 1].map(|side| points[..count].iter().map(|point| point.arms[side]).sum::<DVec3>() * share);
        let center = spots.iter().map(|spot| spot.position).sum::<DVec3>() * share;
        for (point, spot) in points.iter_mut().zip(spots) {
            point.lever = (spot.position - center).length();
        }
        let material = &pair.material;
        Self {
            pair: number as u32,
            patch: patch as u32,
            bodies: numbers,
            normal,
            tangents: [tangents.0, tangents.1],
            round,
            points,
            count,
            middle,
            stick: material.static_friction,
            slip: material.dynamic_friction,
            rolling: material.rolling_friction,
            spinning: material.spinning_friction,
            restitution: material.restitution,
            friction: [tangents.0.dot(friction) * h, tangents.1.dot(friction) * h],
            dragged: [0.0; 2],
            twist: twist * h,
            roll: roll * h,
            lightness: numbers.map(|number| bodies.list[number as usize].inverse_mass).into_iter().fold(0.0, f64::max),
            h,
        }
    }

    /// The same between bodies with other numbers.
    pub(super) fn between(&self, bodies: [u32; 2]) -> Self {
        Self { bodies, ..*self }
    }

    /// The points.
    pub(super) fn points(&self) -> &[Point] {
        &self.points[..self.count]
    }

    /// The gap of a point where the bodies are now, in metres.
    pub(super) fn gap(&self, point: &Point, bodies: &Bodies) -> f64 {
        let [a, b] = self.bodies.map(|number| &bodies.list[number as usize]);
        let centers = [point.arms[0] - self.normal * self.round[0], point.arms[1] + self.normal * self.round[1]];
        let way = b.displacement(point.arms[1], centers[1]) - a.displacement(point.arms[0], centers[0]);
        point.gap + self.normal.dot(way)
    }

    /// How fast a point's gap opens, in m/s.
    pub(super) fn opening(&self, point: &Point, bodies: &Bodies) -> f64 {
        let [a, b] = self.bodies.map(|number| &bodies.list[number as usize]);
        self.normal.dot(b.velocity_at(point.arms[1]) - a.velocity_at(point.arms[0]))
    }

    /// Tells the pair what impacts exerted, which `store` tells with the rest.
    pub(super) fn store_impacts(&self, pair: &mut Pair) {
        let patch = &mut pair.patches[self.patch as usize];
        for (spot, point) in patch.spots_mut().iter_mut().zip(self.points()) {
            spot.exerted += point.total;
            spot.hit = spot.hit.max(point.hit);
        }
    }

    /// Tells the pair what its patch exerted.
    pub(super) fn store(&self, pair: &mut Pair) {
        let h = self.h;
        pair.burden.follow(self.points().iter().map(|point| point.impulse).sum::<f64>() * self.lightness / h);
        let patch = &mut pair.patches[self.patch as usize];
        patch.friction = (self.tangents[0] * self.friction[0] + self.tangents[1] * self.friction[1]) / h;
        patch.dragged += self.tangents[0] * self.dragged[0] + self.tangents[1] * self.dragged[1];
        (patch.twist, patch.roll) = (self.twist / h, self.roll / h);
        for (spot, point) in patch.spots_mut().iter_mut().zip(self.points()) {
            spot.load = point.impulse / h;
            spot.exerted += point.total;
            spot.hit = spot.hit.max(point.hit);
        }
    }
}
