//! Impacts: everything that touches and approaches, with the joints in one system (K 3.7).
//!
//! The pair of bodies that approaches fastest hits first, at all its points at once; then the next, until nothing approaches any more. So a
//! row of balls that touch passes an impulse on (Newton's cradle: 0, 0, 0, 0, 1). Below the speed of rest everything that touches is stopped
//! at once and bounces no more: a ball that hops ever faster comes to rest (Zeno).
//!
//! A single point follows [Routh's path](super::routh). Several points of a pair are brought to a stop together, with friction
//! within its cones; then restitution gives back the part e of each normal impulse (Poisson), friction again within its cones, and where a
//! point would still approach it is stopped once more. With Newton's law the speeds are demanded instead. Whatever the law, if energy came
//! out of nothing there is less restitution, until none does.

use super::cone::{self, Block};
use super::element::{Against, Mode, What};
use super::equations::{COUPLING, motion, view};
use super::line::{Line, Twist};
use super::routh::Hit;
use super::run::Run;
use super::settings::ImpactLaw;
use super::signals::joint_row;
use super::touch::{Coupled, TouchRow, push};
use crate::event::ImpactEvent;
use crate::{BodyId, ColliderId};
use glam::{DMat3, DVec3};

/// How many impacts happen at one moment, at most, for each point that touches and in all; then everything stops at once.
const ROUNDS: usize = 200;
const MOST_ROUNDS: usize = 4000;

/// A point that touches.
struct Spot {
    element: usize,
    /// The normal and two tangents, or the normal alone.
    lines: Vec<Line>,
    /// The rates of these where nothing slides.
    wanted: Vec<f64>,
    stick: f64,
    slip: f64,
    restitution: f64,
    /// Who meets: points with equal names hit together.
    pair: [usize; 2],
    told: Option<Told>,
}

/// What an event tells.
struct Told {
    colliders: [ColliderId; 2],
    bodies: [BodyId; 2],
    place: DVec3,
    normal: DVec3,
}

impl Run<'_> {
    /// Lets everything that touches and approaches collide.
    pub(super) fn collide(&mut self) {
        let spots = self.spots();
        if spots.is_empty() {
            return;
        }
        let bodies = self.state.bodies.clone();
        let scenery =
            super::equations::Scenery { model: self.model, state: &self.state, drift: self.settings.chosen_drift() };
        self.equations.prepare(&scenery, &bodies);
        let mut velocities: Vec<Twist> = bodies.iter().map(motion).collect();
        let rounding = 1e-15 * self.scale.speed;
        let mut hit = false;
        let rounds = (ROUNDS * spots.len()).min(MOST_ROUNDS);
        for round in 0..rounds {
            let rates: Vec<f64> = spots.iter().map(|spot| spot.lines[0].rate(&velocities)).collect();
            let Some(fastest) = (0..spots.len()).min_by(|&a, &b| rates[a].total_cmp(&rates[b])) else { break };
            if rates[fastest] >= -rounding {
                break;
            }
            hit = true;
            let resting = rates[fastest] >= -self.scale.resting() || round + 1 == rounds;
            let chosen: Vec<usize> = match resting {
                true => (0..spots.len()).filter(|&index| rates[index] <= self.scale.resting()).collect(),
                false => (0..spots.len()).filter(|&index| spots[index].pair == spots[fastest].pair).collect(),
            };
            let impulses = self.impulses(&spots, &chosen, &velocities, resting);
            for (rows, row_impulses) in &impulses {
                push(&self.equations.ground(), rows, row_impulses, &mut velocities);
            }
            self.equations.hold(&mut velocities, |_, row, _| -row.target_rate);
            if !resting {
                self.tell(&spots, &chosen, -rates[fastest], &impulses);
            } else if self.scale.resting() > 0.0 {
                break;
            }
        }
        if hit {
            self.tally.events += 1;
            for &slot in &self.equations.movable {
                let body = &mut self.state.bodies[slot];
                (body.velocity, body.angular_velocity) = (velocities[slot].linear, velocities[slot].angular);
            }
        }
    }

    /// Where friction presses what slides into the ground, and the more so the harder it presses, no force will do (Painlevé 1895). Then
    /// there is an impact without a collision: an impulse that stops the sliding at once. Whether there was one.
    pub(super) fn jam(&mut self) -> bool {
        let spots = self.spots();
        let bodies = self.state.bodies.clone();
        let scenery =
            super::equations::Scenery { model: self.model, state: &self.state, drift: self.settings.chosen_drift() };
        self.equations.prepare(&scenery, &bodies);
        let mut velocities: Vec<Twist> = bodies.iter().map(motion).collect();
        let mut jammed = false;
        for (index, spot) in spots.iter().enumerate().filter(|(_, spot)| spot.lines.len() == 3) {
            let u: Vec<f64> =
                spot.lines.iter().zip(&spot.wanted).map(|(line, wanted)| line.rate(&velocities) - wanted).collect();
            if u[0].abs() > 2.0 * self.scale.resting() || (u[1] * u[1] + u[2] * u[2]).sqrt() <= self.scale.holding() {
                continue;
            }
            let mut found = self.impulses(&spots, &[index], &velocities, false);
            // The path begins where nothing approaches.
            for (rows, impulses) in &mut found {
                let ground = self.equations.ground();
                let group: Vec<usize> = (0..rows.len()).collect();
                let matrix = Coupled::new(&ground, rows, &group).matrix;
                *impulses = single(spot, &matrix, &[0.0, u[1], u[2]], self.settings.impact_law);
                jammed |= impulses[0] > 0.0;
                push(&ground, rows, impulses, &mut velocities);
            }
            self.equations.hold(&mut velocities, |_, row, _| -row.target_rate);
        }
        if jammed {
            for &slot in &self.equations.movable {
                let body = &mut self.state.bodies[slot];
                (body.velocity, body.angular_velocity) = (velocities[slot].linear, velocities[slot].angular);
            }
        }
        jammed
    }

    /// The points that touch.
    fn spots(&self) -> Vec<Spot> {
        let (scenery, bodies, band) = (self.scenery(), &self.state.bodies, self.scale.touching());
        let mut spots = Vec::new();
        for (index, element) in self.elements.iter().enumerate() {
            let hops = element.hop.is_some_and(|until| until > self.time);
            match &element.what {
                What::Stop { joint, row } => {
                    let Some((line, row)) = joint_row(&scenery, self.equations, bodies, *joint, *row) else { continue };
                    if row.error - element.offset <= band && !hops {
                        spots.push(Spot {
                            element: index,
                            lines: vec![line],
                            wanted: vec![0.0],
                            stick: 0.0,
                            slip: 0.0,
                            restitution: row.restitution,
                            pair: [usize::MAX, index],
                            told: None,
                        });
                    }
                }
                What::Contact(contact) => {
                    let views = contact.bodies.map(|id| view(self.model, bodies, id));
                    let reading = contact.read(&views);
                    let apart = reading.gap.value - element.offset > band || contact.slips_past(&views);
                    if (apart && element.mode != Mode::On) || hops {
                        continue;
                    }
                    let mut lines = vec![Line::new(contact.slots, &reading.gap.jacobian)];
                    let mut wanted = vec![0.0];
                    let sliding = contact.frictions.iter().find(|friction| friction.against == Against::Sliding);
                    if sliding.is_some() {
                        for direction in reading.directions(Against::Sliding) {
                            lines.push(reading.line(contact, &views, Against::Sliding, direction).0);
                            wanted.push(reading.wanted(Against::Sliding, direction));
                        }
                    }
                    spots.push(Spot {
                        element: index,
                        lines,
                        wanted,
                        stick: sliding.map_or(0.0, |friction| friction.stick),
                        slip: sliding.map_or(0.0, |friction| friction.slip),
                        restitution: contact.material.restitution,
                        pair: contact.slots,
                        told: Some(Told {
                            colliders: contact.colliders,
                            bodies: contact.bodies,
                            place: reading.place,
                            normal: reading.normal,
                        }),
                    });
                }
                What::Motor { .. } => {}
            }
        }
        spots
    }

    /// The impulses of points that hit at once: rows, with an impulse for each.
    fn impulses(
        &self,
        spots: &[Spot],
        chosen: &[usize],
        velocities: &[Twist],
        resting: bool,
    ) -> Vec<(Vec<TouchRow>, Vec<f64>)> {
        let rows: Vec<TouchRow> = chosen
            .iter()
            .flat_map(|&index| spots[index].lines.iter().zip(&spots[index].wanted).map(move |row| (index, row)))
            .map(|(index, (&line, &wanted))| TouchRow {
                element: index,
                line,
                push: line,
                skewed: false,
                bias: 0.0,
                wanted,
            })
            .collect();
        let ground = self.equations.ground();
        let list = super::touch::groups(&ground, &rows);
        let solve = |group: Vec<usize>| {
            let matrix = Coupled::new(&ground, &rows, &group).matrix;
            self.equations.count((COUPLING + 400) * group.len() * group.len() + 8 * group.len().pow(3));
            let u: Vec<f64> = group.iter().map(|&row| rows[row].line.rate(velocities) - rows[row].wanted).collect();
            let of: Vec<&Spot> = {
                let mut of: Vec<usize> = group.iter().map(|&row| rows[row].element).collect();
                of.dedup();
                of.into_iter().map(|index| &spots[index]).collect()
            };
            let impulses = match (&of[..], resting) {
                ([spot], false) => single(spot, &matrix, &u, self.settings.impact_law),
                _ => several(&of, &matrix, &u, if resting { None } else { Some(self.settings.impact_law) }),
            };
            (group.iter().map(|&row| rows[row]).collect(), impulses)
        };
        list.into_iter().map(solve).collect()
    }

    /// Tells of an impact.
    fn tell(&mut self, spots: &[Spot], chosen: &[usize], speed: f64, impulses: &[(Vec<TouchRow>, Vec<f64>)]) {
        self.hits.extend(chosen.iter().map(|&index| spots[index].element));
        let Some(told) = chosen.iter().find_map(|&index| spots[index].told.as_ref()) else { return };
        let mut impulse = DVec3::ZERO;
        for (rows, impulses) in impulses {
            for (row, size) in rows.iter().zip(impulses) {
                impulse += row.push.jacobian[1].linear * *size;
            }
        }
        self.impacts.push(ImpactEvent {
            time: self.time,
            colliders: told.colliders,
            bodies: told.bodies,
            position: told.place,
            normal: told.normal,
            speed,
            impulse,
        });
    }
}

/// A point that hits alone.
fn single(spot: &Spot, matrix: &super::dense::Matrix, u: &[f64], law: ImpactLaw) -> Vec<f64> {
    if u.len() < 3 {
        return vec![-(1.0 + spot.restitution) * u[0] / matrix.get(0, 0)];
    }
    let column = |j: usize| DVec3::new(matrix.get(0, j), matrix.get(1, j), matrix.get(2, j));
    let hit = Hit {
        mobility: DMat3::from_cols(column(0), column(1), column(2)),
        velocity: DVec3::new(u[0], u[1], u[2]),
        stick: spot.stick,
        slip: spot.slip,
        restitution: spot.restitution,
    };
    hit.impulse(law).to_array().to_vec()
}

/// Points that hit together; without a law they just stop.
fn several(spots: &[&Spot], matrix: &super::dense::Matrix, u: &[f64], law: Option<ImpactLaw>) -> Vec<f64> {
    let (mut blocks, mut normals, mut at) = (Vec::new(), Vec::new(), 0);
    for spot in spots {
        let frictions = if spot.lines.len() == 3 { vec![(at + 1..at + 3, spot.stick)] } else { Vec::new() };
        blocks.push(Block::Contact { normal: at, frictions });
        normals.push(at);
        at += spot.lines.len();
    }
    let stop = |u: &[f64]| cone::solve(matrix, u, &blocks).map_or_else(|| vec![0.0; u.len()], |found| found.lambda);
    let moved = |impulse: &[f64]| -> Vec<f64> { matrix.times(impulse).iter().zip(u).map(|(a, u)| a + u).collect() };
    let bounce = |scale: f64| {
        if law == Some(ImpactLaw::Newton) {
            let mut wanted = u.to_vec();
            for (spot, &normal) in spots.iter().zip(&normals) {
                wanted[normal] += scale * spot.restitution * u[normal].min(0.0);
            }
            return stop(&wanted);
        }
        let mut impulse = stop(u);
        if law.is_none() || scale == 0.0 {
            return impulse;
        }
        // What comes back along the normals; friction then holds what it can.
        let mut back = vec![0.0; u.len()];
        let mut limits = Vec::new();
        for (spot, &normal) in spots.iter().zip(&normals) {
            back[normal] = scale * spot.restitution * impulse[normal];
            if spot.lines.len() == 3 {
                limits.push((normal, spot.stick * back[normal]));
            }
        }
        rub(matrix, &moved(&impulse), &limits, &mut back);
        impulse.iter_mut().zip(&back).for_each(|(impulse, back)| *impulse += back);
        let after = moved(&impulse);
        if normals.iter().any(|&normal| after[normal] < -1e-14) {
            impulse.iter_mut().zip(stop(&after)).for_each(|(impulse, more)| *impulse += more);
        }
        impulse
    };
    let gain = |impulse: &[f64]| -> f64 {
        let answer = matrix.times(impulse);
        impulse.iter().zip(u).map(|(p, u)| p * u).sum::<f64>()
            + 0.5 * impulse.iter().zip(&answer).map(|(p, a)| p * a).sum::<f64>()
    };
    let impulse = bounce(1.0);
    if gain(&impulse) <= 0.0 || law.is_none() {
        return impulse;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if gain(&bounce(middle)) > 0.0 { high = middle } else { low = middle }
    }
    bounce(low)
}

/// Friction for given normal impulses: each point holds as far as its limit allows, in turns.
fn rub(matrix: &super::dense::Matrix, u: &[f64], limits: &[(usize, f64)], impulse: &mut [f64]) {
    for _ in 0..2000 {
        let mut changed = 0.0_f64;
        for &(normal, most) in limits {
            let [a, b] = [normal + 1, normal + 2];
            let slip = [a, b].map(|row| u[row] + (0..u.len()).map(|j| matrix.get(row, j) * impulse[j]).sum::<f64>());
            let weight = 0.5 * (matrix.get(a, a) + matrix.get(b, b));
            if weight <= 0.0 {
                continue;
            }
            let mut next = [impulse[a] - slip[0] / weight, impulse[b] - slip[1] / weight];
            let size = (next[0] * next[0] + next[1] * next[1]).sqrt();
            if size > most {
                let share = if size > 0.0 { most / size } else { 0.0 };
                next = next.map(|x| x * share);
            }
            changed = changed.max((next[0] - impulse[a]).abs()).max((next[1] - impulse[b]).abs());
            (impulse[a], impulse[b]) = (next[0], next[1]);
        }
        if changed < 1e-15 {
            break;
        }
    }
}
