//! Quickhull: a tetrahedron grows, point by point, into the hull.
//!
//! Every triangle keeps the points above it that it is responsible for. The farthest of them is added: the triangles
//! that see it are replaced by a cone from their outline (the horizon) to the point, and their points are handed on to
//! the new triangles. With exact orientation (see [`Lattice`]) this cannot fail: the triangles that see a point strictly
//! from above always form a disc, and a point above a removed triangle that is still outside sees a new one.
//!
//! Points no farther than a tolerance from the hull as it has grown so far are left out; since the hull only grows, they
//! stay that near. This keeps noise on flat faces from becoming a crust of splinters.

use super::lattice::Lattice;
use crate::primitive::Segment;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// No point, no triangle, no edge.
const NONE: u32 = u32::MAX;

/// A closed convex surface of triangles. Half-edge `3 t + k` runs from corner `k` of triangle `t` to the next.
pub(super) struct Surface {
    /// The corners of each triangle, counter-clockwise as seen from outside.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The unit normal of each triangle.
    pub(super) normals: Vec<DVec3>,
    /// The opposite of each half-edge.
    pub(super) twins: Vec<u32>,
}

impl Surface {
    /// The half-edge that follows in the same triangle.
    pub(super) fn next(half_edge: u32) -> u32 {
        if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
    }

    /// The half-edges of a triangle.
    pub(super) fn half_edges(triangle: u32) -> [u32; 3] {
        [3 * triangle, 3 * triangle + 1, 3 * triangle + 2]
    }

    /// The vertex where a half-edge begins.
    pub(super) fn origin(&self, half_edge: u32) -> u32 {
        self.triangles[half_edge as usize / 3][half_edge as usize % 3]
    }

    /// The corner opposite to a half-edge in the triangle on its other side.
    pub(super) fn corner_beyond(&self, half_edge: u32) -> u32 {
        self.origin(Self::next(Self::next(self.twins[half_edge as usize])))
    }

    /// How far that corner lies above the plane of the triangle on this side, in metres: hardly above zero, since the
    /// surface is convex.
    pub(super) fn height_beyond(&self, lattice: &Lattice, half_edge: u32) -> f64 {
        let triangle = half_edge as usize / 3;
        lattice.height(self.normals[triangle], self.triangles[triangle][0], self.corner_beyond(half_edge))
    }
}

/// A triangle of the growing hull.
#[derive(Clone)]
struct Facet {
    corners: [u32; 3],
    /// The opposite of each of its half-edges.
    twins: [u32; 3],
    normal: DVec3,
    /// The first of the points it is responsible for (a linked list), and the farthest of them.
    outside: u32,
    farthest: u32,
    farthest_height: f64,
    /// The last round in which it was asked whether it sees the new point, and the answer.
    asked: u32,
    sees: bool,
    alive: bool,
}

/// The convex hull of the points of a lattice, beginning with a tetrahedron of four of them that is not flat and
/// whose fourth point lies above the first three. Points within `tolerance` metres are left out.
pub(super) fn quickhull(lattice: &Lattice, tetrahedron: [u32; 4], tolerance: f64) -> Surface {
    let mut growth = Growth::new(lattice, tetrahedron, tolerance);
    while let Some(facet) = growth.pending.pop_front() {
        if growth.facets[facet as usize].alive
            && let Some(apex) = growth.next_apex(facet)
        {
            growth.add(apex);
        }
    }
    growth.finish()
}

/// An edge between a facet that sees the new point and one that does not.
#[derive(Clone, Copy)]
struct Seam {
    /// Its ends, in order around the facet that sees the point.
    from: u32,
    to: u32,
    /// Its half-edge in the other facet.
    hidden: u32,
}

struct Growth<'a> {
    lattice: &'a Lattice,
    tolerance: f64,
    facets: Vec<Facet>,
    /// Places in `facets` that can be used again.
    free: Vec<u32>,
    /// The next point in the list of outside points each point is in.
    next_outside: Vec<u32>,
    /// Facets that may have points outside, the oldest first. Taking turns keeps the hull evenly fine: if one side of a
    /// cylinder's wall had all its points first, each point of the other side would see nearly all of them.
    pending: VecDeque<u32>,
    round: u32,
    /// The facets that see the point under consideration.
    visible: Vec<u32>,
    /// Their outline.
    horizon: Vec<Seam>,
    /// The new facet whose horizon edge begins at each point; valid during [`add`](Self::add) only.
    facet_from: Vec<u32>,
    new_facets: Vec<u32>,
    orphans: Vec<u32>,
}

impl<'a> Growth<'a> {
    fn new(lattice: &'a Lattice, [a, b, c, d]: [u32; 4], tolerance: f64) -> Self {
        let count = lattice.positions.len();
        let mut growth = Self {
            lattice,
            tolerance,
            facets: Vec::new(),
            free: Vec::new(),
            next_outside: vec![NONE; count],
            pending: VecDeque::new(),
            round: 0,
            visible: Vec::new(),
            horizon: Vec::new(),
            facet_from: vec![NONE; count],
            new_facets: Vec::new(),
            orphans: Vec::new(),
        };
        // Seen from outside: the base is clockwise as seen from d.
        let base = growth.new_facet([a, c, b]);
        for (side, [from, to]) in [[c, a], [b, c], [a, b]].into_iter().enumerate() {
            let facet = growth.new_facet([from, to, d]);
            // Base half-edges a→c, c→b, b→a are opposite to c→a, b→c, a→b.
            growth.join(3 * base + side as u32, 3 * facet);
        }
        // Facets 1, 2, 3 stand on c→a, b→c, a→b; b→d of the one is opposite to d→b of the other.
        for (facet, following) in [(1, 3), (3, 2), (2, 1)] {
            growth.join(3 * facet + 1, 3 * following + 2);
        }
        growth.new_facets = vec![0, 1, 2, 3];
        for point in (0..count as u32).rev().filter(|p| ![a, b, c, d].contains(p)) {
            growth.hand_on(point);
        }
        growth.pending.extend([0, 1, 2, 3]);
        growth
    }

    fn new_facet(&mut self, corners: [u32; 3]) -> u32 {
        let facet = Facet {
            corners,
            twins: [NONE; 3],
            normal: self.lattice.normal(corners),
            outside: NONE,
            farthest: NONE,
            farthest_height: 0.0,
            asked: 0,
            sees: false,
            alive: true,
        };
        if let Some(place) = self.free.pop() {
            self.facets[place as usize] = facet;
            place
        } else {
            self.facets.push(facet);
            self.facets.len() as u32 - 1
        }
    }

    fn join(&mut self, half_edge: u32, twin: u32) {
        self.facets[half_edge as usize / 3].twins[half_edge as usize % 3] = twin;
        self.facets[twin as usize / 3].twins[twin as usize % 3] = half_edge;
    }

    /// The point of `facet`'s outside points to add next, removed from their list, with [`visible`](Self::visible) and
    /// [`horizon`](Self::horizon) set up for it.
    fn next_apex(&mut self, facet: u32) -> Option<u32> {
        let Facet { outside, farthest, farthest_height, .. } = self.facets[facet as usize];
        if farthest_height > self.tolerance {
            self.look_from(farthest, facet);
            return Some(farthest);
        }
        // All of them are within the tolerance of the plane: take the first that is not near any facet it sees.
        let mut point = outside;
        while point != NONE {
            self.facets[facet as usize].outside = point;
            self.look_from(point, facet);
            if !self.visible.iter().any(|&seen| self.is_near(seen, point)) {
                return Some(point);
            }
            point = self.next_outside[point as usize];
        }
        self.facets[facet as usize].outside = NONE;
        None
    }

    /// Finds the facets that see `point`, connected to `start` which does, and their outline.
    fn look_from(&mut self, point: u32, start: u32) {
        self.round += 1;
        self.visible.clear();
        self.horizon.clear();
        self.visible.push(start);
        self.facets[start as usize].asked = self.round;
        self.facets[start as usize].sees = true;
        let mut done = 0;
        while done < self.visible.len() {
            let facet = self.visible[done];
            done += 1;
            for side in 0..3 {
                let beyond = self.facets[facet as usize].twins[side] / 3;
                if self.facets[beyond as usize].asked != self.round {
                    let sees = self.side(beyond, point) == Ordering::Greater;
                    self.facets[beyond as usize].asked = self.round;
                    self.facets[beyond as usize].sees = sees;
                    if sees {
                        self.visible.push(beyond);
                    }
                }
                if !self.facets[beyond as usize].sees {
                    let Facet { corners, twins, .. } = &self.facets[facet as usize];
                    self.horizon.push(Seam { from: corners[side], to: corners[(side + 1) % 3], hidden: twins[side] });
                }
            }
        }
    }

    /// Replaces the visible facets by the cone from the horizon to `apex`.
    fn add(&mut self, apex: u32) {
        self.orphans.clear();
        for &facet in &self.visible {
            let facet = &mut self.facets[facet as usize];
            facet.alive = false;
            let mut point = facet.outside;
            while point != NONE {
                if point != apex {
                    self.orphans.push(point);
                }
                point = self.next_outside[point as usize];
            }
        }
        self.free.extend(self.visible.iter().rev());
        self.new_facets.clear();
        let horizon = std::mem::take(&mut self.horizon);
        for &Seam { from, to, hidden } in &horizon {
            let facet = self.new_facet([from, to, apex]);
            self.join(3 * facet, hidden);
            self.facet_from[from as usize] = facet;
            self.new_facets.push(facet);
        }
        for (index, seam) in horizon.iter().enumerate() {
            // to → apex of this one is opposite to apex → from of the one that begins where this one ends.
            self.join(3 * self.new_facets[index] + 1, 3 * self.facet_from[seam.to as usize] + 2);
        }
        self.horizon = horizon;
        let orphans = std::mem::take(&mut self.orphans);
        for &point in &orphans {
            self.hand_on(point);
        }
        self.orphans = orphans;
        let holders = self.new_facets.iter().filter(|&&f| self.facets[f as usize].outside != NONE);
        self.pending.extend(holders);
    }

    /// Gives `point` to one of the new facets that see it; if none does it is inside, and if it is near one it does
    /// not matter.
    fn hand_on(&mut self, point: u32) {
        let mut low = None;
        for index in 0..self.new_facets.len() {
            let facet = self.new_facets[index];
            let height = self.height(facet, point);
            if height > self.tolerance {
                return self.give(point, facet, height);
            }
            if self.lattice.side(self.facets[facet as usize].corners, point, height) == Ordering::Greater {
                if self.is_near(facet, point) {
                    return;
                }
                low = low.or(Some((facet, height)));
            }
        }
        if let Some((facet, height)) = low {
            self.give(point, facet, height);
        }
    }

    fn give(&mut self, point: u32, facet: u32, height: f64) {
        let facet = &mut self.facets[facet as usize];
        self.next_outside[point as usize] = facet.outside;
        facet.outside = point;
        if height > facet.farthest_height {
            facet.farthest_height = height;
            facet.farthest = point;
        }
    }

    fn height(&self, facet: u32, point: u32) -> f64 {
        let facet = &self.facets[facet as usize];
        self.lattice.height(facet.normal, facet.corners[0], point)
    }

    fn side(&self, facet: u32, point: u32) -> Ordering {
        self.lattice.side(self.facets[facet as usize].corners, point, self.height(facet, point))
    }

    /// Whether `point`, above `facet`, is no farther than the tolerance from it.
    fn is_near(&self, facet: u32, point: u32) -> bool {
        if self.height(facet, point) > self.tolerance {
            return false;
        }
        let facet = &self.facets[facet as usize];
        let p = self.lattice.positions[point as usize];
        let corners = facet.corners.map(|corner| self.lattice.positions[corner as usize]);
        let sides = [[corners[0], corners[1]], [corners[1], corners[2]], [corners[2], corners[0]]];
        // Inside by more than rounding: of a needle only the sides count.
        let inside =
            |&[a, b]: &[DVec3; 2]| (b - a).cross(facet.normal).dot(p - a) < -self.lattice.doubt * a.distance(b);
        sides.iter().all(inside) || sides.iter().any(|&[a, b]| Segment::new(a, b).distance(p) <= self.tolerance)
    }

    /// The facets that are left, numbered anew.
    fn finish(self) -> Surface {
        let mut renumbered = vec![NONE; self.facets.len()];
        let alive = || self.facets.iter().enumerate().filter(|(_, facet)| facet.alive);
        for (new, (old, _)) in alive().enumerate() {
            renumbered[old] = new as u32;
        }
        let renumber = |half_edge: u32| 3 * renumbered[half_edge as usize / 3] + half_edge % 3;
        Surface {
            triangles: alive().map(|(_, facet)| facet.corners).collect(),
            normals: alive().map(|(_, facet)| facet.normal).collect(),
            twins: alive().flat_map(|(_, facet)| facet.twins.map(renumber)).collect(),
        }
    }
}
