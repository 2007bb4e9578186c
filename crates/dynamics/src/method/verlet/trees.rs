//! Which bodies form trees: found once, when joints change.
//!
//! Pins are taken in the order of the list; one that joins two bodies of the same tree would close a loop and stays in the list. What does not
//! move passes nothing on, so that a pin to it closes no loop, however many there are: the first of a tree holds its root, the others are
//! anchors. Limits of angles go with the pin between the same two bodies.

use super::angle::Angle;
use super::bodies::Bodies;
use super::elimination::NONE;
use super::pin::Pin;
use glam::DVec3;

/// A joint that a tree may hold.
#[derive(Clone, Copy)]
pub(super) enum Link<'a> {
    Pin(&'a Pin),
    Angle(&'a Angle),
}

/// A body of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) body: usize,
    /// Its parent's place among the nodes of the tree, or none.
    pub(super) parent: usize,
    /// The pin to its parent, or of the root to what does not move.
    pub(super) pin: Option<Fixture>,
}

/// A pin as a body of a tree sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixture {
    /// The body at the other end.
    pub(super) over: usize,
    /// The ends of the pin on that body and on its own, in body axes.
    pub(super) levers: [DVec3; 2],
    /// Its place in the list of constraints.
    pub(super) joint: usize,
    /// Whether the body is the second of the joint.
    pub(super) is_second: bool,
}

/// Limits of the angle of a body against its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinge {
    /// The body's place among the nodes of the tree.
    pub(super) node: usize,
    pub(super) angle: Angle,
    /// 1 if the body is the second of the joint, −1 if it is the first.
    pub(super) side: f64,
}

/// Bodies that pins join without a loop; parents come before their children.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Pins to what does not move beside that of the root, with the places of their bodies.
    pub(super) anchors: Vec<(usize, Fixture)>,
    /// In the order of their nodes.
    pub(super) hinges: Vec<Hinge>,
    /// The constraints it holds.
    pub(super) joints: Vec<usize>,
}

/// All trees.
#[derive(Debug, Default)]
pub(super) struct Grove {
    pub(super) trees: Vec<Tree>,
    /// By slot of the body: its tree and its place there.
    pub(super) place: Vec<Option<(usize, usize)>>,
    /// By constraint: whether a tree holds it.
    pub(super) holds: Vec<bool>,
}

/// A pin between two bodies of which at least one moves, by their places.
struct Edge {
    bodies: [usize; 2],
    levers: [DVec3; 2],
    joint: usize,
}

impl Edge {
    /// The pin as one of its bodies sees it.
    fn seen_from(&self, body: usize) -> Fixture {
        let own = usize::from(self.bodies[1] == body);
        let levers = [self.levers[1 - own], self.levers[own]];
        Fixture { over: self.bodies[1 - own], levers, joint: self.joint, is_second: own == 1 }
    }
}

/// Which edges there are, while trees are looked for.
struct Sown {
    edges: Vec<Edge>,
    /// By body: its edges.
    at: Vec<Vec<usize>>,
    moves: Vec<bool>,
}

impl Sown {
    /// The pins that close no loop.
    fn new<'a>(bodies: &Bodies, pins: impl Iterator<Item = (usize, &'a Pin)>) -> Self {
        let count = bodies.x.len();
        let moves: Vec<bool> = (0..count).map(|i| bodies.inverse_mass[i] > 0.0).collect();
        let turns = |i: usize| bodies.inverse_inertia[i].determinant() > 0.0;
        let mut sown = Self { edges: Vec::new(), at: vec![Vec::new(); count], moves };
        let mut groups: Vec<usize> = (0..count).collect();
        for (joint, pin) in pins.filter(|(_, pin)| pin.strength == 1.0) {
            let ends = pin.bodies.map(|i| i as usize);
            if ends.iter().any(|&i| sown.moves[i] && !turns(i)) || !ends.iter().any(|&i| sown.moves[i]) {
                continue;
            }
            if ends.iter().all(|&i| sown.moves[i]) {
                let [a, b] = ends.map(|i| group_of(&mut groups, i));
                if a == b {
                    continue;
                }
                groups[b] = a;
            }
            ends.into_iter().filter(|&i| sown.moves[i]).for_each(|i| sown.at[i].push(sown.edges.len()));
            sown.edges.push(Edge { bodies: ends, levers: pin.levers, joint });
        }
        sown
    }

    /// Whether a pin holds the body to what does not move.
    fn is_anchored(&self, body: usize) -> bool {
        self.at[body].iter().any(|&edge| self.edges[edge].bodies.iter().any(|&i| !self.moves[i]))
    }
}

/// The representative of the group a body belongs to (disjoint sets with path halving).
fn group_of(groups: &mut [usize], mut i: usize) -> usize {
    while groups[i] != i {
        groups[i] = groups[groups[i]];
        i = groups[i];
    }
    i
}

impl Grove {
    /// Finds the trees among the joints.
    pub(super) fn new<'a>(bodies: &Bodies, links: impl Iterator<Item = (usize, Link<'a>)> + Clone) -> Self {
        let pins = links.clone().filter_map(|(joint, link)| match link {
            Link::Pin(pin) => Some((joint, pin)),
            Link::Angle(_) => None,
        });
        let sown = Sown::new(bodies, pins);
        let count = links.clone().map(|(joint, _)| joint + 1).max().unwrap_or(0);
        let mut grove = Self { trees: Vec::new(), place: vec![None; bodies.x.len()], holds: vec![false; count] };
        // What hangs grows from where it hangs, what flies from the body with the most pins.
        let mut roots: Vec<usize> = (0..bodies.x.len()).filter(|&i| !sown.at[i].is_empty()).collect();
        roots.sort_by_key(|&i| (!sown.is_anchored(i), usize::MAX - sown.at[i].len(), i));
        for root in roots {
            if grove.place[root].is_none() {
                grove.grow(&sown, root);
            }
        }
        for (joint, link) in links {
            if let Link::Angle(angle) = link
                && angle.strength == 1.0
            {
                grove.limit(joint, angle);
            }
        }
        grove.trees.iter_mut().for_each(|tree| tree.hinges.sort_by_key(|hinge| hinge.node));
        grove
    }

    /// The trees of two bodies and their places there.
    pub(super) fn places(&self, bodies: [u32; 2]) -> [Option<(usize, usize)>; 2] {
        bodies.map(|i| self.place.get(i as usize).copied().flatten())
    }

    /// Whether one of two bodies is of a tree to which the other does not belong.
    pub(super) fn parts(&self, bodies: [u32; 2]) -> bool {
        let [a, b] = self.places(bodies).map(|place| place.map(|(tree, _)| tree));
        a != b
    }

    /// Adds the tree that grows from a root.
    fn grow(&mut self, sown: &Sown, root: usize) {
        let (mut tree, number) = (Tree::default(), self.trees.len());
        self.place[root] = Some((number, 0));
        tree.nodes.push(Node { body: root, parent: NONE, pin: None });
        let mut next = 0;
        while next < tree.nodes.len() {
            let body = tree.nodes[next].body;
            for edge in sown.at[body].iter().map(|&edge| &sown.edges[edge]) {
                let pin = edge.seen_from(body);
                if !sown.moves[pin.over] {
                    tree.joints.push(edge.joint);
                    match &mut tree.nodes[0].pin {
                        own @ None if next == 0 => *own = Some(pin),
                        _ => tree.anchors.push((next, pin)),
                    }
                } else if self.place[pin.over].is_none() {
                    tree.joints.push(edge.joint);
                    self.place[pin.over] = Some((number, tree.nodes.len()));
                    tree.nodes.push(Node { body: pin.over, parent: next, pin: Some(edge.seen_from(pin.over)) });
                }
            }
            next += 1;
        }
        tree.joints.iter().for_each(|&joint| self.holds[joint] = true);
        self.trees.push(tree);
    }

    /// Gives an angle to the tree in which a pin joins the same two bodies, if there is one.
    fn limit(&mut self, joint: usize, angle: &Angle) {
        let ends = angle.bodies.map(|i| i as usize);
        for (own, side) in [(1, 1.0), (0, -1.0)] {
            let Some((number, node)) = self.place[ends[own]] else { continue };
            let tree = &mut self.trees[number];
            if tree.nodes[node].pin.is_some_and(|pin| pin.over == ends[1 - own]) {
                tree.hinges.push(Hinge { node, angle: *angle, side });
                tree.joints.push(joint);
                self.holds[joint] = true;
                return;
            }
        }
    }
}
