//! The dynamic tree with ten thousand moving boxes.
//!
//! The boxes (0.5 to 1.5 m, about as many pairs as boxes or three times as many) fly straight on by 2 to 10 % of a metre
//! a frame for 64 frames and back again, which mixes them thoroughly. In each frame those that move are given their new
//! boxes, the tree is updated, and all pairs of overlapping boxes are wanted. Both must find the same, checked in every frame of
//! one period; ours are also sorted and come with the differences from the frame before.
//!
//! - `exact`: no margin, so every box changes in every frame. Parry's tree: update of all leaves, incremental
//!   optimisation, refit, traversal of the whole tree against itself.
//! - `fat`: a margin of 0.1 m for both, renewed when a box leaves it. Parry's tree as Rapier uses it: leaves within their margin
//!   stay, the traversal follows what has changed, a hash map and lists of neighbours keep the pairs. (A traversal of the whole tree in
//!   each frame instead is measured too.)
//! - `a tenth moves`: the same, and nine boxes of ten stand still.

use crate::table::Table;
use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhLeafUpdateStatus, BvhWorkspace};
use parry3d_f64::utils::hashmap::HashMap;
use std::hint::black_box;
use tumble_geometry::Aabb;
use tumble_geometry::broad_phase::{BroadPhase, DynamicTree, FatMargin, Mobility, ProxyId};
use tumble_geometry::glam::DVec3;

const BOXES: usize = 10_000;
/// Frames in one direction.
const WAY: usize = 64;
/// Frames timed together, so that work that is not done in every frame is counted in full.
const SLICE: usize = 2;
const MARGIN: f64 = 0.1;

/// Measures all cases.
pub(crate) fn run(table: &mut Table) {
    for (density, side) in [("", 30.0), (", dense", 20.0)] {
        for (name, margin, moving, peer) in [
            ("exact", 0.0, BOXES, Pairing::Anew),
            ("fat", MARGIN, BOXES, Pairing::Kept),
            ("fat, found anew by parry", MARGIN, BOXES, Pairing::Anew),
            ("a tenth moves", MARGIN, BOXES / 10, Pairing::Kept),
            ("a tenth moves, found anew by parry", MARGIN, BOXES / 10, Pairing::Anew),
        ] {
            let name = format!("dynamic tree, {name}{density}");
            if table.wants(&name) {
                let scene = Scene::new(side, moving);
                scene.check_agreement(&name, margin, peer);
                scene.measure(table, &name, margin, peer);
            }
        }
    }
}

/// How Parry's side keeps its pairs.
#[derive(Clone, Copy, PartialEq)]
enum Pairing {
    /// As Rapier does: changes are followed.
    Kept,
    /// The whole tree is traversed in each frame.
    Anew,
}

struct Body {
    start: DVec3,
    half: DVec3,
    velocity: DVec3,
}

struct Scene {
    bodies: Vec<Body>,
    moving: usize,
}

impl Scene {
    fn new(side: f64, moving: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let mut vector = |low: f64, high: f64| DVec3::from_array([(); 3].map(|()| low + (high - low) * random.f64()));
        let bodies = (0..BOXES)
            .map(|_| Body {
                start: vector(0.0, side),
                half: vector(0.25, 0.75),
                velocity: vector(-1.0, 1.0).normalize() * (0.02 + 0.08 * vector(0.0, 1.0).x),
            })
            .collect();
        Self { bodies, moving }
    }

    /// Where a box is: forwards and backwards in turns.
    fn aabb(&self, body: usize, frame: usize) -> Aabb {
        let Body { start, half, velocity } = self.bodies[body];
        let phase = frame % (2 * WAY);
        Aabb::from_center(start + velocity * phase.min(2 * WAY - phase) as f64, half)
    }

    fn ours(&self, margin: f64) -> DynamicTree {
        let mut tree = DynamicTree::new(FatMargin::absolute(margin));
        for body in 0..BOXES {
            tree.insert(self.aabb(body, 0), Mobility::Moving);
        }
        tree.update_pairs();
        tree
    }

    fn advance_ours(&self, tree: &mut DynamicTree, frame: usize) {
        for body in 0..self.moving {
            tree.relocate(ProxyId(body as u32), self.aabb(body, frame), DVec3::ZERO);
        }
        tree.update_pairs();
    }

    fn check_agreement(&self, name: &str, margin: f64, pairing: Pairing) {
        let (mut ours, mut theirs) = (self.ours(margin), Parry::new(self, margin, pairing));
        for frame in 0..2 * WAY {
            self.advance_ours(&mut ours, frame);
            theirs.advance(self, frame);
            let ours: Vec<_> = ours.pairs().iter().map(|&(a, b)| (a.0, b.0)).collect();
            assert_eq!(ours, theirs.sorted_pairs(), "{name}: the pairs differ in frame {frame}");
        }
        eprintln!("{name}: {} pairs, wear {:.3}", ours.pairs().len(), ours.wear());
    }

    fn measure(&self, table: &mut Table, name: &str, margin: f64, pairing: Pairing) {
        let (mut ours, mut theirs) = (self.ours(margin), Parry::new(self, margin, pairing));
        let frames = |slice: usize| slice * SLICE..(slice + 1) * SLICE;
        table.measure(
            name,
            2 * WAY / SLICE,
            SLICE,
            |slice| {
                for frame in frames(slice) {
                    self.advance_ours(&mut ours, frame);
                    black_box(ours.pairs());
                }
            },
            |slice| {
                for frame in frames(slice) {
                    theirs.advance(self, frame);
                    black_box(&theirs.pairs);
                }
            },
        );
    }
}

/// Parry's tree, and around it what Rapier's broad phase does.
struct Parry {
    tree: Bvh,
    workspace: BvhWorkspace,
    margin: f64,
    pairing: Pairing,
    /// The pairs reported by the last traversal.
    pairs: Vec<(u32, u32)>,
    kept: HashMap<(u32, u32), ()>,
    neighbours: Vec<Vec<u32>>,
    frame: usize,
    changed: Vec<u32>,
    changed_before: Vec<u32>,
    changes_since_optimization: usize,
}

impl Parry {
    fn new(scene: &Scene, margin: f64, pairing: Pairing) -> Self {
        let mut parry = Self {
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
            margin,
            pairing,
            pairs: Vec::new(),
            kept: HashMap::default(),
            neighbours: vec![Vec::new(); BOXES],
            frame: 0,
            changed: Vec::new(),
            changed_before: Vec::new(),
            changes_since_optimization: 0,
        };
        for body in 0..BOXES {
            let aabb = scene.aabb(body, 0).expanded(margin);
            parry.tree.insert(ParryAabb::new(vector(aabb.min), vector(aabb.max)), body as u32);
            parry.changed.push(body as u32);
        }
        parry.tree.refit(&mut parry.workspace);
        parry.find_pairs();
        parry
    }

    fn advance(&mut self, scene: &Scene, frame: usize) {
        self.frame += 1;
        std::mem::swap(&mut self.changed, &mut self.changed_before);
        self.changed.clear();
        for body in 0..scene.moving {
            let aabb = scene.aabb(body, frame);
            let aabb = ParryAabb::new(vector(aabb.min), vector(aabb.max));
            let status = self.tree.insert_or_update_partially(aabb, body as u32, self.margin);
            if !matches!(status, BvhLeafUpdateStatus::Unchanged) {
                self.changed.push(body as u32);
            }
        }
        self.refit();
        self.find_pairs();
    }

    /// When to optimise and how to refit, by the rules of Rapier's broad phase.
    fn refit(&mut self) {
        self.changes_since_optimization += self.changed.len();
        let many = self.changed.len() * 16 >= BOXES;
        let some = self.frame.is_multiple_of(8) && self.changes_since_optimization * 64 >= BOXES;
        let optimize = self.changes_since_optimization > 0 && (many || some);
        if optimize {
            self.changes_since_optimization = 0;
            self.tree.optimize_incremental(&mut self.workspace);
        }
        if optimize || (self.changed.len() + self.changed_before.len()) * 16 >= BOXES {
            self.tree.refit(&mut self.workspace);
        } else {
            self.tree.refit_partial(&self.changed_before, &self.changed);
        }
    }

    fn find_pairs(&mut self) {
        self.pairs.clear();
        let pairs = &mut self.pairs;
        let mut collect = |a: u32, b: u32| pairs.push((a.min(b), a.max(b)));
        match self.pairing {
            Pairing::Anew => self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut collect),
            Pairing::Kept => {
                self.tree.traverse_bvtt_single_tree::<true>(&mut self.workspace, &mut collect);
                self.keep_pairs();
            }
        }
    }

    fn keep_pairs(&mut self) {
        for &(a, b) in &self.pairs {
            if self.kept.insert((a, b), ()).is_none() {
                self.neighbours[a as usize].push(b);
                self.neighbours[b as usize].push(a);
            }
        }
        // A pair can only be lost if a member has changed.
        let mut lost = Vec::new();
        for &a in &self.changed {
            let Some(node) = self.tree.leaf_node(a) else { continue };
            for &b in &self.neighbours[a as usize] {
                if self.tree.leaf_node(b).is_none_or(|other| !node.intersects(other)) {
                    lost.push((a.min(b), a.max(b)));
                }
            }
        }
        for (a, b) in lost {
            if self.kept.remove(&(a, b)).is_some() {
                for (from, gone) in [(a, b), (b, a)] {
                    let list = &mut self.neighbours[from as usize];
                    if let Some(position) = list.iter().position(|&other| other == gone) {
                        list.swap_remove(position);
                    }
                }
            }
        }
    }

    fn sorted_pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs = match self.pairing {
            Pairing::Anew => self.pairs.clone(),
            Pairing::Kept => self.kept.keys().copied().collect(),
        };
        pairs.sort_unstable();
        pairs
    }
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}
