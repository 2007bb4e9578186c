//! What a scene costs, told before it runs, and the budget it must keep to.
//!
//! A text of a few lines can ask for more memory and time than any machine has: thousands of bodies inside each other, meshes
//! of millions of triangles. So what there is to do is counted first, as far as it can be counted quickly:
//!
//! - **triangles** of all different meshes, while they are read, and **faces**, those of all bodies together: each body is weighed;
//! - **neighbours**: pairs of colliders whose boxes meet within the first step, and of these the **pairs** that may collide. A box has
//!   the room around it in which methods look for contacts, and is as long as the way of its body: what lies a little apart, and what
//!   is fast, costs as much as what touches;
//! - **crowding**: Σ min(dₐ, d_b) over the pairs a, b of moving bodies that are inside each other, the middle of one within the
//!   other, with dₐ and d_b such pairs each. Bodies beside each other have none, however many they are; n bodies in the same
//!   place have n each, and it takes n³ to move them apart;
//! - **triangle pairs**: for two meshes, how many boxes of their triangles meet, estimated from samples;
//! - **touches**: the same for what makes a contact wherever boxes meet: triangles inside a convex shape, parts of compounds;
//! - **memory**, about, from all of these.
//!
//! The limits of a [`Budget`] can be raised for those who know what they do and have the machine for it.

use glam::DVec3;
use std::collections::BTreeMap;
use std::fmt;
use tumble_dynamics::parts::regions::reach;
use tumble_dynamics::{BodyId, ColliderId, Id, World};
use tumble_geometry::shape::{Compound, HeightField, Mesh};
use tumble_geometry::{Aabb, Shape, Transform, Triangle};

/// What a scene may cost: a factor on the usual limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The factor. Default 1.
    pub factor: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { factor: 1.0 }
    }
}

/// The usual limits.
const BODIES: f64 = 100_000.0;
const JOINTS: f64 = 200_000.0;
const TRIANGLES: f64 = 6e6;
const FACES: f64 = 2e7;
const NEIGHBOURS: f64 = 2e7;
const PAIRS: f64 = 50_000.0;
const CONTACTS: f64 = 200_000.0;
const TRIANGLE_PAIRS: f64 = 2e6;
const TOUCHES: f64 = 1e5;
const MEMORY: f64 = 2e9;
/// How crowded a scene may be whatever its size, and for each pair of bodies inside each other besides.
const CROWDING: [f64; 2] = [1e6, 10.0];

/// What a body, a triangle, a pair, a touch and two neighbours take, in bytes, about.
const OF_BODY: f64 = 4000.0;
const OF_TRIANGLE: f64 = 250.0;
const OF_PAIR: f64 = 6500.0;
const OF_TOUCH: f64 = 6500.0;
const OF_NEIGHBOURS: f64 = 40.0;

/// Of a pair that is near within a step, whatever becomes of it: what methods note of it before they know that it does not touch.
const OF_NEAR: f64 = 650.0;

/// Half of the acceleration that methods expect, in m/s².
const FALL: f64 = 25.0;
/// Longer steps count as so long, in seconds: methods for such steps do not look that far ahead.
const LONGEST_STEP: f64 = 0.1;

/// How many triangles of a mesh are sampled, of small and of large ones, and how many boxes are compared in all.
const FEW: usize = 32;
const MANY: usize = 256;
const COMPARED: usize = 50_000_000;

impl Budget {
    fn limit(self, usual: f64) -> usize {
        (usual * self.factor.max(0.0)) as usize
    }

    /// The most bodies.
    pub fn bodies(self) -> usize {
        self.limit(BODIES)
    }

    /// The most joints.
    pub fn joints(self) -> usize {
        self.limit(JOINTS)
    }

    /// The most triangles of all different meshes together.
    pub fn triangles(self) -> usize {
        self.limit(TRIANGLES)
    }

    /// The most triangles and parts of all bodies together.
    pub fn faces(self) -> usize {
        self.limit(FACES)
    }

    /// The most pairs that may collide at the start.
    pub fn pairs(self) -> usize {
        self.limit(PAIRS)
    }

    /// The most pairs that may touch at any time.
    pub fn contacts(self) -> usize {
        self.limit(CONTACTS)
    }

    /// The most pairs that may be near each other at any time: what takes all the memory there is to be had.
    pub fn near(self) -> usize {
        self.limit(MEMORY / OF_NEAR)
    }
}

/// What a scene costs at its start. Numbers beyond a limit are counted no further.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Cost {
    /// Bodies.
    pub bodies: usize,
    /// Joints.
    pub joints: usize,
    /// Triangles of all different meshes.
    pub triangles: usize,
    /// Pairs of colliders whose boxes meet.
    pub neighbours: usize,
    /// Those of them that may collide.
    pub pairs: usize,
    /// How many pairs of bodies are inside each other.
    pub inside: usize,
    /// How crowded these are.
    pub crowding: f64,
    /// Pairs of triangles of meshes that meet, about.
    pub triangle_pairs: f64,
    /// Triangles inside convex shapes, and parts of compounds that meet, about.
    pub touches: f64,
    /// Memory in bytes, about.
    pub memory: f64,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bodies, joints, triangles, pairs, memory, .. } = self;
        let memory = (memory / 1e6).ceil();
        write!(
            f,
            "{bodies} bodies, {joints} joints, {triangles} triangles, {pairs} pairs near each other, ~{memory} MB"
        )
    }
}

impl Cost {
    /// Counts what a world costs whose meshes have so many triangles, and whose steps are so long.
    pub(crate) fn of(world: &World, dt: f64, triangles: usize, budget: Budget) -> Self {
        let model = world.model();
        let mut cost =
            Self { bodies: model.bodies().len(), joints: model.joints().len(), triangles, ..Self::default() };
        let dt = dt.min(LONGEST_STEP);
        let pairs = cost.count_pairs(world, dt, budget);
        cost.pairs = pairs.len();
        (cost.inside, cost.crowding) = crowding(world, &pairs);
        [cost.triangle_pairs, cost.touches] =
            meetings(world, dt, &pairs, [TRIANGLE_PAIRS * budget.factor, TOUCHES * budget.factor]);
        cost.memory = OF_BODY * cost.bodies as f64
            + OF_TRIANGLE * triangles as f64
            + OF_PAIR * cost.pairs as f64
            + OF_TOUCH * cost.touches
            + OF_NEIGHBOURS * cost.neighbours as f64;
        cost
    }

    /// The pairs that may collide, until there are too many.
    fn count_pairs(&mut self, world: &World, dt: f64, budget: Budget) -> Vec<[ColliderId; 2]> {
        let model = world.model();
        let mut colliders = Vec::with_capacity(model.colliders().len());
        for (id, collider) in model.colliders().iter() {
            let moves = model.bodies().get(collider.body).is_some_and(|body| body.kind.moves());
            let place = world.collider_pose(id).unwrap_or(Transform::IDENTITY);
            let bounds = Room::of(world, id, dt).around(&collider.shape.aabb(&place));
            colliders.push((id, collider.body, moves, bounds));
        }
        let boxes: Vec<Aabb> = colliders.iter().map(|(_, _, _, bounds)| *bounds).collect();
        let space = Boxes::new(&boxes);
        let (most_neighbours, most_pairs) = (budget.limit(NEIGHBOURS), budget.pairs());
        let mut pairs = Vec::new();
        for (index, &(id, body, moves, bounds)) in colliders.iter().enumerate().filter(|(_, (_, _, moves, _))| *moves) {
            space.meet(&bounds, &mut |other| {
                let (other_id, other_body, other_moves, _) = colliders[other];
                // Two that move find each other; each pair counts once.
                if other_body == body || (moves && other_moves && other <= index) {
                    return true;
                }
                self.neighbours += 1;
                if model.may_collide([body, other_body]) {
                    pairs.push([id, other_id]);
                }
                self.neighbours <= most_neighbours && pairs.len() <= most_pairs
            });
            if self.neighbours > most_neighbours || pairs.len() > most_pairs {
                break;
            }
        }
        pairs
    }

    /// Why it is too much, if it is: what, and what to do about it.
    pub(crate) fn refusal(&self, budget: Budget) -> Option<(String, String)> {
        let (pairs, most_pairs) = (self.pairs, budget.pairs());
        let crowded = CROWDING[0] * budget.factor + CROWDING[1] * self.inside as f64;
        let what = if self.neighbours > budget.limit(NEIGHBOURS) {
            format!("more than {} pairs of shapes are near each other at the start", budget.limit(NEIGHBOURS))
        } else if pairs > most_pairs {
            format!("more than {most_pairs} pairs of shapes may collide at the start")
        } else if self.crowding > crowded {
            let (inside, each) = (self.inside, self.crowding / self.inside.max(1) as f64);
            format!(
                "bodies are inside each other at the start: {inside} pairs, in which each has {each:.0} others on it"
            )
        } else if self.triangle_pairs > TRIANGLE_PAIRS * budget.factor {
            let count = self.triangle_pairs;
            format!("meshes are inside each other at the start: about {count:.0e} pairs of triangles meet")
        } else if self.touches > TOUCHES * budget.factor {
            let count = self.touches;
            format!("bodies are inside meshes and compounds at the start: about {count:.0e} triangles and parts touch")
        } else if self.memory > MEMORY * budget.factor {
            format!("it would take about {:.1} GB of memory ({self})", self.memory / 1e9)
        } else {
            return None;
        };
        let more = (10.0 * budget.factor).max(10.0);
        let help = format!("move them apart, or leave some out; `--budget {more}` allows more");
        Some((format!("the scene costs too much: {what}"), help))
    }
}

/// The room that a collider takes within a step beyond where it is.
#[derive(Clone, Copy)]
struct Room {
    reach: f64,
    travel: DVec3,
}

impl Room {
    fn of(world: &World, id: ColliderId, dt: f64) -> Self {
        let model = world.model();
        let Some(collider) = model.colliders().get(id) else { return Self { reach: 0.0, travel: DVec3::ZERO } };
        let motion = &world.state().bodies[collider.body.slot()];
        let moves = model.bodies().get(collider.body).is_some_and(|body| body.kind.moves());
        let travel = if moves { motion.velocity * dt } else { DVec3::ZERO };
        Self { reach: reach(model, collider, motion, dt), travel }
    }

    /// That of each triangle: as far as it can accelerate within the step.
    fn of_faces(world: &World, id: ColliderId, dt: f64) -> Self {
        let room = Self::of(world, id, dt);
        Self { reach: room.reach.min(FALL * dt * dt), ..room }
    }

    fn around(&self, bounds: &Aabb) -> Aabb {
        let here = bounds.expanded(self.reach);
        here.merged(&Aabb::new(here.min + self.travel, here.max + self.travel))
    }
}

/// Boxes in a tree of equal halves: as deep for boxes in one place as for others, which matters here.
struct Boxes<'a> {
    boxes: &'a [Aabb],
    order: Vec<usize>,
    /// The box around each half of a half, before those of its own halves, and where that of the second of them is.
    around: Vec<(Aabb, usize)>,
    /// Boxes without an end, such as that of a floor.
    endless: Vec<usize>,
}

/// So many boxes are looked at one by one.
const LEAF: usize = 8;

impl<'a> Boxes<'a> {
    fn new(boxes: &'a [Aabb]) -> Self {
        let has_end = |&index: &usize| boxes[index].min.is_finite() && boxes[index].max.is_finite();
        let (mut order, endless): (Vec<usize>, Vec<usize>) = (0..boxes.len()).partition(has_end);
        let mut around = Vec::new();
        halve(boxes, &mut order, &mut around);
        Self { boxes, order, around, endless }
    }

    /// Calls `visit` for every box that meets one, until it returns false.
    fn meet(&self, wanted: &Aabb, visit: &mut dyn FnMut(usize) -> bool) {
        let endless = self.endless.iter().filter(|&&index| self.boxes[index].overlaps(wanted));
        for &index in endless {
            if !visit(index) {
                return;
            }
        }
        self.meet_in(0, &self.order, wanted, visit);
    }

    /// Those of a part of the tree, whose node has this number. False if nothing more is wanted.
    fn meet_in(&self, node: usize, order: &[usize], wanted: &Aabb, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        if order.is_empty() || !self.around[node].0.overlaps(wanted) {
            return true;
        }
        if order.len() <= LEAF {
            return order.iter().filter(|&&index| self.boxes[index].overlaps(wanted)).all(|&index| visit(index));
        }
        let (low, high) = order.split_at(order.len() / 2);
        self.meet_in(node + 1, low, wanted, visit) && self.meet_in(self.around[node].1, high, wanted, visit)
    }
}

/// Sorts boxes into halves along the longest way of all, and each half likewise.
fn halve(boxes: &[Aabb], order: &mut [usize], around: &mut Vec<(Aabb, usize)>) {
    let all = order.iter().fold(Aabb::EMPTY, |all, &index| all.merged(&boxes[index]));
    let node = around.len();
    around.push((all, 0));
    if order.len() <= LEAF {
        return;
    }
    let axis = all.extents().max_position();
    let middle = order.len() / 2;
    let place = |index: &usize| boxes[*index].center()[axis];
    order.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)));
    let (low, high) = order.split_at_mut(middle);
    halve(boxes, low, around);
    around[node].1 = around.len();
    halve(boxes, high, around);
}

/// The pairs of bodies that move and are inside each other, and Σ min(dₐ, d_b) over them.
fn crowding(world: &World, pairs: &[[ColliderId; 2]]) -> (usize, f64) {
    let model = world.model();
    let moving = |id: ColliderId| -> Option<BodyId> {
        let body = model.colliders().get(id)?.body;
        model.bodies().get(body).filter(|body| body.kind.moves()).map(|_| body)
    };
    let inside: Vec<[BodyId; 2]> = pairs
        .iter()
        .filter(|pair| is_inside(world, **pair))
        .filter_map(|&[a, b]| Some([moving(a)?, moving(b)?]))
        .collect();
    let mut degrees: BTreeMap<BodyId, f64> = BTreeMap::new();
    inside.iter().flatten().for_each(|&body| *degrees.entry(body).or_default() += 1.0);
    (inside.len(), inside.iter().map(|[a, b]| degrees[a].min(degrees[b])).sum())
}

/// Whether the middle of one of two colliders is within the other; within its box, if that has no inside.
fn is_inside(world: &World, pair: [ColliderId; 2]) -> bool {
    let [a, b] = pair.map(|id| {
        let pose = world.collider_pose(id).unwrap_or(Transform::IDENTITY);
        world.model().colliders().get(id).map(|collider| (&collider.shape, pose, collider.shape.aabb(&pose)))
    });
    let (Some(a), Some(b)) = (a, b) else { return false };
    let holds = |(shape, pose, bounds): &(&Shape, Transform, Aabb), middle: DVec3| match shape {
        Shape::HalfSpace(_) => false,
        Shape::Mesh(_) | Shape::HeightField(_) => bounds.contains_point(middle),
        _ => shape.contains_point(pose.inverse_point(middle)),
    };
    holds(&a, b.2.center()) || holds(&b, a.2.center())
}

/// How many triangles and parts a shape has.
pub(crate) fn faces(shape: &Shape) -> usize {
    match shape {
        Shape::Mesh(mesh) => mesh.triangles().len(),
        Shape::HeightField(field) => field.triangle_count(),
        Shape::Hull(hull) => hull.vertices().len(),
        // The sphere around all parts takes longer to find than a triangle to weigh.
        _ => shape.as_compound().map_or(1, |compound| compound.parts().iter().map(|(_, part)| 10 + faces(part)).sum()),
    }
}

/// How many triangles a shape has, and the box of each.
enum Faces<'a> {
    Mesh(&'a Mesh),
    Terrain(&'a HeightField),
    /// The parts of a compound count as triangles.
    Parts(&'a Compound),
    /// A convex shape, which is one.
    Convex(&'a Shape),
}

impl Faces<'_> {
    /// The surfaces of triangles in a shape, and where they are.
    fn of(shape: &Shape, pose: Transform) -> Vec<(Faces<'_>, Transform)> {
        match shape {
            Shape::Mesh(mesh) => vec![(Faces::Mesh(mesh), pose)],
            Shape::HeightField(field) => vec![(Faces::Terrain(field), pose)],
            Shape::Torus(torus) => vec![(Faces::Parts(torus.parts()), pose)],
            // Endless: what is below it is found quickly.
            Shape::HalfSpace(_) => Vec::new(),
            Shape::Compound(compound) => {
                let meshes =
                    compound.parts().iter().filter(|(_, part)| matches!(part, Shape::Mesh(_) | Shape::HeightField(_)));
                let within = meshes.flat_map(|(place, part)| Faces::of(part, pose * *place));
                std::iter::once((Faces::Parts(compound), pose)).chain(within).collect()
            }
            convex => vec![(Faces::Convex(convex), pose)],
        }
    }

    /// Whether it is thin: two such touch in few of the places where their boxes meet.
    fn is_sheet(&self) -> bool {
        matches!(self, Self::Mesh(_) | Self::Terrain(_))
    }

    fn count(&self) -> usize {
        match self {
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::Terrain(field) => field.triangle_count(),
            Self::Parts(compound) => compound.parts().len(),
            Self::Convex(_) => 1,
        }
    }

    /// The boxes of so many triangles, evenly picked, beginning with the one at this share of the way to the second. Two
    /// meshes that are alike must not be sampled at the same places: each triangle meets its own copy, which says nothing.
    fn samples(&self, pose: &Transform, most: usize, begin: f64) -> Vec<Aabb> {
        let (count, taken) = (self.count(), self.count().min(most));
        let around = |triangle: Triangle| Aabb::from_points(triangle.vertices.map(|corner| pose.point(corner)));
        let bounds = |index: usize| match self {
            Self::Mesh(mesh) => around(mesh.triangle(index)),
            Self::Terrain(field) => around(field.triangle(index)),
            Self::Parts(compound) => {
                compound.parts().get(index).map_or(Aabb::EMPTY, |(place, part)| part.aabb(&(*pose * *place)))
            }
            Self::Convex(shape) => shape.aabb(pose),
        };
        let first = (begin * count as f64 / taken.max(1) as f64) as usize;
        (0..taken).map(|index| bounds(first + index * count / taken)).collect()
    }
}

/// The pairs of triangles of meshes that meet, and the triangles and parts that touch, about, until there are too many.
fn meetings(world: &World, dt: f64, pairs: &[[ColliderId; 2]], most: [f64; 2]) -> [f64; 2] {
    let model = world.model();
    let surfaces = |id: ColliderId| -> Vec<(Faces<'_>, Transform)> {
        let pose = world.collider_pose(id).unwrap_or(Transform::IDENTITY);
        model.colliders().get(id).map_or(Vec::new(), |collider| Faces::of(&collider.shape, pose))
    };
    let (mut sums, mut compared) = ([0.0, 0.0], 0);
    for &[a, b] in pairs {
        let (first, second) = (surfaces(a), surfaces(b));
        let rooms = [a, b].map(|id| Room::of_faces(world, id, dt));
        for (one, pose_one) in &first {
            for (other, pose_other) in &second {
                if matches!((one, other), (Faces::Convex(_), Faces::Convex(_))) {
                    continue;
                }
                let all = one.count() as f64 * other.count() as f64;
                let kind = usize::from(!(one.is_sheet() && other.is_sheet()));
                let samples = if all > 0.01 * most[kind] && compared < COMPARED { MANY } else { FEW };
                let mut boxes = [one.samples(pose_one, samples, 0.0), other.samples(pose_other, samples, 0.5)];
                for (boxes, room) in boxes.iter_mut().zip(&rooms) {
                    boxes.iter_mut().for_each(|bounds| *bounds = room.around(bounds));
                }
                compared += boxes[0].len() * boxes[1].len();
                let meet = boxes[0].iter().map(|a| boxes[1].iter().filter(|b| a.overlaps(b)).count()).sum::<usize>();
                let sampled = (boxes[0].len() * boxes[1].len()).max(1);
                // One meeting says little about how many there are; several say more.
                let known = if sampled as f64 == all { meet } else { meet.saturating_sub(2) };
                sums[kind] += all * known as f64 / sampled as f64;
            }
        }
        if sums[0] > most[0] || sums[1] > most[1] || compared > 4 * COMPARED {
            break;
        }
    }
    sums
}
