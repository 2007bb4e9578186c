//! The equations of motion with everything that constrains them, in given modes: from positions and velocities to accelerations and
//! multipliers (K 2.13).
//!
//! ```text
//! M ẍ = Φ + Jᵀλ,     J ẍ + J̇ẋ = 0      for every row that holds
//! ```
//!
//! **What softness means without steps.** A row with a spring pushes with λ = −k c − d ċ. Given by frequency and damping ratio, k and d come
//! from the mass that the row feels at the moment, 1/(J W Jᵀ). T's coefficients γ and β are those of a step; that step is taken to
//! be 1/60 s: k = β/(γ h), d = 1/γ. A row with Baumgarte's factor is rigid: it says how fast errors go, and there are none.

use super::element::{Element, Mode, What};
use super::line::{Line, Mobility, NOBODY, Twist};
use super::settings::{Drift, LinearSolver};
use super::touch::{Coupled, Ground, TouchRow, groups, push};
use super::tree::{REDUNDANT, Tree};
use crate::constraint::{BodyView, JointView, Limit, Row, Softness};
use crate::event::Reaction;
use crate::force::Wrenches;
use crate::model::{BodyKind, JointEnd};
use crate::parts::{forces, scripts};
use crate::{BodyId, BodyState, Id, JointId, Model, State};
use glam::DVec3;
use std::f64::consts::TAU;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The step that T's coefficients of softness are taken to be for, in seconds.
const NOMINAL_STEP: f64 = 1.0 / 60.0;

/// Loops with smaller pivots than this are nearly stretched out: that of a parallelogram is the square of the sine of its angle.
const TIGHT: f64 = 0.05;

/// Operations for a body and for a row of a joint, about.
const OF_BODY: usize = 500;
const OF_ROW: usize = 1500;

/// Operations to couple a pair of rows of elements, about.
pub(super) const COUPLING: usize = 60;

/// What a row of a joint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Holds whatever it takes; `position` if it holds a value and not only a rate.
    Hold { position: bool },
    /// A spring and damper.
    Soft,
    /// An element: a limit or a motor.
    Element,
    /// Not for joints.
    Nothing,
}

impl Kind {
    fn of(row: &Row) -> Self {
        let rigid = match row.softness {
            Softness::Rigid | Softness::Baumgarte { .. } => true,
            Softness::Coefficients { gamma, .. } => gamma == 0.0,
            Softness::Stiffness { .. } | Softness::Spring { .. } => false,
        };
        match row.limit {
            Limit::Cone { .. } | Limit::ConeMember => Self::Nothing,
            _ if !rigid => Self::Soft,
            Limit::Equality => Self::Hold { position: row.target_rate == 0.0 },
            Limit::Force { min: f64::NEG_INFINITY, max: f64::INFINITY } => Self::Hold { position: false },
            Limit::AtLeastZero | Limit::Force { .. } => Self::Element,
        }
    }
}

/// A joint that is whole.
#[derive(Clone, Debug)]
pub(super) struct PlannedJoint {
    pub(super) id: JointId,
    pub(super) slots: [usize; 2],
    pub(super) kinds: Vec<Kind>,
    /// Its rows at the moment looked at last.
    pub(super) rows: Vec<Row>,
    /// Their multipliers then, in N or N m.
    pub(super) multipliers: Vec<f64>,
    tree: usize,
    /// Where its rows that hold begin among those of the tree.
    first: usize,
}

/// What is integrated, and with what.
#[derive(Clone, Copy)]
pub(super) struct Scenery<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) drift: Drift,
}

/// The bodies that move, the joints that hold them, and what is computed of them at a moment.
#[derive(Debug, Default)]
pub(super) struct Equations {
    /// The slots of the bodies that forces move.
    pub(super) movable: Vec<usize>,
    scripted: Vec<BodyId>,
    pub(super) joints: Vec<PlannedJoint>,
    pub(super) trees: Vec<Tree>,
    pub(super) tree_of: Vec<usize>,
    pub(super) mobilities: Vec<Mobility>,
    /// By tree, how many rows that hold each of its joints has.
    sizes: Vec<Vec<usize>>,
    wrenches: Wrenches,
    /// The accelerations by slot; those of scripted bodies, too.
    pub(super) accelerations: Vec<Twist>,
    /// The rows of the elements that hold, their multipliers, and which rows each element has.
    pub(super) rows: Vec<TouchRow>,
    pub(super) multipliers: Vec<f64>,
    pub(super) rows_of: Vec<Range<usize>>,
    /// Whether the multipliers of the elements are the only possible ones, by row.
    pub(super) unique: Vec<bool>,
    /// Whether friction left no solution.
    pub(super) stuck: bool,
    /// What slides more slowly than this, in m/s, goes on in the direction it had: see [`slipping`](super::element::ContactReading::slipping).
    pub(super) blur: f64,
    /// How often accelerations were computed.
    pub(super) evaluations: u64,
    solver: LinearSolver,
    /// About how many operations were done so far.
    work: AtomicU64,
}

impl Equations {
    /// Looks at the model anew: who moves, which joints are whole.
    pub(super) fn plan(&mut self, model: &Model, state: &State) {
        let slots = state.bodies.len();
        self.movable.clear();
        self.scripted.clear();
        for (id, body) in model.bodies().iter() {
            if body.kind.is_movable() {
                self.movable.push(id.slot());
            } else if matches!(body.kind, BodyKind::Scripted(_)) {
                self.scripted.push(id);
            }
        }
        let mut root: Vec<usize> = (0..slots).collect();
        let mut is_movable = vec![false; slots];
        self.movable.iter().for_each(|&slot| is_movable[slot] = true);
        self.joints.clear();
        let slot_of = |end: JointEnd| match end {
            JointEnd::Body(id) => id.slot(),
            JointEnd::World => NOBODY,
        };
        for (id, joint) in model.joints().iter().filter(|(id, _)| !state.broken[id.slot()]) {
            let ends = joint.ends.map(slot_of);
            let moves = |slot: usize| slot != NOBODY && is_movable[slot];
            if !ends.into_iter().any(moves) {
                continue;
            }
            if ends.into_iter().all(moves) {
                let [a, b] = ends.map(|slot| find(&mut root, slot));
                root[a.max(b)] = a.min(b);
            }
            let mut rows = Vec::new();
            if let Some(view) = JointView::of(model, &state.bodies, &state.angles, id) {
                joint.constraint.rows(&view, &mut rows);
            }
            let kinds: Vec<Kind> = rows.iter().map(Kind::of).collect();
            let multipliers = vec![0.0; rows.len()];
            self.joints.push(PlannedJoint { id, slots: ends, kinds, rows, multipliers, tree: 0, first: 0 });
        }
        self.plant(slots, &mut root);
    }

    /// Groups the bodies into trees.
    fn plant(&mut self, slots: usize, root: &mut [usize]) {
        self.tree_of.clear();
        self.tree_of.resize(slots, NOBODY);
        self.trees.clear();
        let mut bodies: Vec<Vec<usize>> = Vec::new();
        for &slot in &self.movable {
            let top = find(root, slot);
            if self.tree_of[top] == NOBODY {
                self.tree_of[top] = bodies.len();
                bodies.push(Vec::new());
            }
            let tree = self.tree_of[top];
            self.tree_of[slot] = tree;
            bodies[tree].push(slot);
        }
        self.trees.extend(bodies.into_iter().map(Tree::of));
        self.sizes.clear();
        self.sizes.resize(self.trees.len(), Vec::new());
        for joint in &mut self.joints {
            let tree = joint.slots.iter().filter_map(|&slot| self.tree_of.get(slot)).copied().find(|&t| t != NOBODY);
            joint.tree = tree.unwrap_or(0);
            let holds = joint.kinds.iter().filter(|kind| matches!(kind, Kind::Hold { .. })).count();
            joint.first = self.sizes[joint.tree].iter().sum();
            if holds > 0 {
                self.sizes[joint.tree].push(holds);
            }
        }
        for tree in &mut self.trees {
            tree.forget();
            tree.loops = false;
            tree.iterative = self.solver == LinearSolver::BiconjugateGradients;
        }
        // A tree with as many joints as bodies and ground together has a closed loop.
        let mut grounded = vec![false; self.trees.len()];
        for joint in &self.joints {
            grounded[joint.tree] |= joint.slots.iter().any(|&slot| self.tree_of.get(slot).is_none_or(|&t| t == NOBODY));
        }
        for (index, tree) in self.trees.iter_mut().enumerate() {
            tree.loops = self.sizes[index].len() >= tree.bodies.len() + usize::from(grounded[index]);
        }
    }

    /// Chooses how the forces of joints are found.
    pub(super) fn set_solver(&mut self, solver: LinearSolver) {
        for tree in &mut self.trees {
            tree.iterative = solver == LinearSolver::BiconjugateGradients;
            // A step of the world begins without a guess, so that a run that is resumed goes on bit for bit.
            tree.guess.clear();
        }
        self.solver = solver;
    }

    /// The elements that joints bring along.
    pub(super) fn elements_of_joints(&self) -> Vec<Element> {
        let mut elements = Vec::new();
        for (joint, planned) in self.joints.iter().enumerate() {
            for (row, _) in planned.kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Element) {
                let is_limit = planned.rows[row].limit == Limit::AtLeastZero;
                elements.push(Element::new(if is_limit {
                    What::Stop { joint, row }
                } else {
                    What::Motor { joint, row }
                }));
            }
        }
        elements
    }

    /// Puts scripted bodies where they are at a time.
    pub(super) fn follow_scripts(&self, model: &Model, time: f64, bodies: &mut [BodyState]) {
        scripts::follow(model, &self.scripted, time, bodies);
    }

    /// The first time after `time` at which a script jumps.
    pub(super) fn next_break(&self, model: &Model, time: f64) -> f64 {
        let of = |id: &BodyId| match &model.bodies().get(*id)?.kind {
            BodyKind::Scripted(script) => script.next_break(time),
            _ => None,
        };
        self.scripted.iter().filter_map(of).filter(|&at| at > time).fold(f64::INFINITY, f64::min)
    }

    /// The masses where the bodies are.
    pub(super) fn weigh(&mut self, model: &Model, bodies: &[BodyState]) {
        self.mobilities.clear();
        self.mobilities.resize(bodies.len(), Mobility::NONE);
        for &slot in &self.movable {
            if let Some(body) = model.bodies().in_slot(slot) {
                self.mobilities[slot] = Mobility::of(body, &bodies[slot]);
            }
        }
    }

    /// About how many operations were done so far: what is counted grows with the cost, the same on every machine.
    pub(super) fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// Counts operations.
    pub(super) fn count(&self, operations: usize) {
        self.work.fetch_add(operations as u64, Ordering::Relaxed);
    }

    /// Whether a closed loop is near a position in which one of its joints says nothing new, where the bodies were looked at last.
    pub(super) fn is_tight(&self) -> bool {
        self.trees.iter().any(|tree| tree.loops && tree.smallest < TIGHT)
    }

    /// The ground that elements stand on, once the trees are factored.
    pub(super) fn ground(&self) -> Ground<'_> {
        Ground { trees: &self.trees, tree_of: &self.tree_of, mobilities: &self.mobilities }
    }

    /// What forces alone do to the bodies, with damping and the gyroscopic torque; scripted bodies accelerate as their scripts say.
    fn free(&mut self, scenery: &Scenery<'_>, time: f64, bodies: &[BodyState]) {
        let Scenery { model, state, .. } = *scenery;
        forces::sum(model, time, bodies, &mut self.wrenches);
        self.accelerations.clear();
        self.accelerations.resize(bodies.len(), Twist::default());
        for &slot in &self.movable {
            let Some(body) = model.bodies().in_slot(slot) else { continue };
            let (motion, mut wrench) = (&bodies[slot], self.wrenches.as_slice()[slot]);
            wrench += state.applied.get(slot);
            let omega = motion.angular_velocity;
            let mobility = &self.mobilities[slot];
            let turns = mobility.inertia != glam::DMat3::ZERO;
            let spin = if turns { body.world_inertia(motion.rotation) * omega } else { DVec3::ZERO };
            self.accelerations[slot] = Twist {
                linear: wrench.force * mobility.mass - motion.velocity * body.linear_damping,
                angular: mobility.inertia * (wrench.torque - omega.cross(spin))
                    - if turns { omega * body.angular_damping } else { DVec3::ZERO },
            };
        }
        for &id in &self.scripted {
            let Some(body) = model.bodies().get(id) else { continue };
            if let BodyKind::Scripted(script) = &body.kind {
                let motion = script.motion(time);
                self.accelerations[id.slot()] = Twist {
                    linear: motion.acceleration_at(motion.pose.point(body.mass.center)),
                    angular: motion.angular_acceleration,
                };
            }
        }
    }

    /// Writes the rows of the joints where the bodies are, and factors those that hold.
    pub(super) fn prepare(&mut self, scenery: &Scenery<'_>, bodies: &[BodyState]) {
        self.prepare_but(scenery, bodies, REDUNDANT);
    }

    /// The same without rows that nearly say what others say: those whose pivots are below `least`.
    pub(super) fn prepare_but(&mut self, scenery: &Scenery<'_>, bodies: &[BodyState], least: f64) {
        let Scenery { model, state, .. } = *scenery;
        self.weigh(model, bodies);
        self.trees.iter_mut().for_each(|tree| tree.lines.clear());
        for joint in &mut self.joints {
            joint.rows.clear();
            joint.multipliers.iter_mut().for_each(|multiplier| *multiplier = 0.0);
            let Some(planned) = model.joints().get(joint.id) else { continue };
            if let Some(view) = JointView::of(model, bodies, &state.angles, joint.id) {
                planned.constraint.rows(&view, &mut joint.rows);
            }
            joint.rows.resize(joint.kinds.len(), Row::default());
            let holds = joint.rows.iter().zip(&joint.kinds).filter(|(_, kind)| matches!(kind, Kind::Hold { .. }));
            let lines = holds.map(|(row, _)| Line::new(joint.slots, &row.jacobian));
            self.trees[joint.tree].lines.extend(lines);
        }
        let rows: usize = self.trees.iter().map(|tree| tree.lines.len()).sum();
        self.count(OF_BODY * self.movable.len() + OF_ROW * rows);
        for (tree, sizes) in self.trees.iter_mut().zip(&self.sizes) {
            tree.factor(sizes, &self.mobilities, least);
        }
    }

    /// Lets the joints hold: `J x + b = 0` for their rows, where `b` is made of a row and its kind. Multipliers are added to theirs.
    pub(super) fn hold(&mut self, motions: &mut [Twist], bias: impl Fn([usize; 2], &Row, Kind) -> f64) {
        let Self { trees, joints, .. } = self;
        let mut biases: Vec<Vec<f64>> = trees.iter().map(|tree| Vec::with_capacity(tree.lines.len())).collect();
        for joint in joints.iter() {
            for (row, &kind) in joint.rows.iter().zip(&joint.kinds) {
                if matches!(kind, Kind::Hold { .. }) {
                    biases[joint.tree].push(bias(joint.slots, row, kind));
                }
            }
        }
        let mut multipliers: Vec<Vec<f64>> = trees.iter().map(|tree| vec![0.0; tree.lines.len()]).collect();
        for (index, tree) in trees.iter().enumerate().filter(|(_, tree)| !tree.lines.is_empty()) {
            tree.hold(motions, |row| biases[index][row], &mut multipliers[index]);
        }
        for (tree, multipliers) in trees.iter_mut().zip(&multipliers).filter(|(tree, _)| tree.iterative) {
            tree.guess.clone_from(multipliers);
        }
        for joint in joints {
            let of_tree = multipliers[joint.tree].get(joint.first..).unwrap_or(&[]);
            let holds = joint.kinds.iter().enumerate().filter(|(_, kind)| matches!(kind, Kind::Hold { .. }));
            for ((row, _), multiplier) in holds.zip(of_tree) {
                joint.multipliers[row] += multiplier;
            }
        }
    }

    /// Forces of springs, and of motors that do what they can.
    fn push_softly(&mut self, bodies: &[BodyState], elements: &[Element]) {
        let Self { joints, mobilities, accelerations, .. } = self;
        let mut push = |joint: &mut PlannedJoint, row: usize, force: f64| {
            joint.multipliers[row] = force;
            let line = Line::new(joint.slots, &joint.rows[row].jacobian);
            let response = line.response(mobilities);
            for (&body, response) in line.bodies.iter().zip(&response) {
                if let Some(motion) = accelerations.get_mut(body).filter(|_| force != 0.0) {
                    motion.add(response, force);
                }
            }
        };
        for joint in joints.iter_mut() {
            for index in 0..joint.kinds.len() {
                if joint.kinds[index] == Kind::Soft {
                    let row = &joint.rows[index];
                    let line = Line::new(joint.slots, &row.jacobian);
                    let rate = rate(&line, bodies);
                    let felt = line.response(mobilities);
                    let mobility = line.jacobian[0].dot(&felt[0]) + line.jacobian[1].dot(&felt[1]);
                    let force = soft_force(row, rate, mobility);
                    push(joint, index, force);
                }
            }
        }
        for element in elements {
            if let What::Motor { joint, row } = element.what {
                let Some(planned) = joints.get_mut(joint) else { continue };
                let Limit::Force { min, max } = planned.rows[row].limit else { continue };
                match element.mode {
                    Mode::Least => push(planned, row, min),
                    Mode::Most => push(planned, row, max),
                    Mode::On | Mode::Off => {}
                }
            }
        }
    }

    /// The rows of the elements that hold.
    pub(super) fn assemble(&mut self, model: &Model, bodies: &[BodyState], elements: &[Element]) {
        let Self { rows, rows_of, joints, blur, .. } = self;
        rows.clear();
        rows_of.clear();
        for (index, element) in elements.iter().enumerate() {
            let first = rows.len();
            if element.mode == Mode::On {
                match &element.what {
                    What::Stop { joint, row } | What::Motor { joint, row } => {
                        if let Some(joint) = joints.get(*joint) {
                            let line = Line::new(joint.slots, &joint.rows[*row].jacobian);
                            let (bias, target) = (joint.rows[*row].jdot_v, joint.rows[*row].target_rate);
                            let wanted = if matches!(element.what, What::Motor { .. }) { target } else { 0.0 };
                            rows.push(TouchRow { element: index, line, push: line, skewed: false, bias, wanted });
                        }
                    }
                    What::Contact(contact) => {
                        let views = contact.bodies.map(|id| view(model, bodies, id));
                        let reading = contact.read(&views);
                        let line = Line::new(contact.slots, &reading.gap.jacobian);
                        let bias = reading.gap.curvature;
                        rows.push(TouchRow { element: index, line, push: line, skewed: false, bias, wanted: 0.0 });
                        for friction in &contact.frictions {
                            match reading.opposed(friction, *blur) {
                                Some(opposed) => {
                                    let (along, _) = reading.line(contact, &views, friction.against, opposed);
                                    let row = &mut rows[first];
                                    row.push = row.push.plus(&along, -friction.slip);
                                    row.skewed |= friction.slip > 0.0;
                                }
                                None => {
                                    for direction in reading.directions(friction.against) {
                                        let (line, bias) = reading.line(contact, &views, friction.against, direction);
                                        rows.push(TouchRow {
                                            element: index,
                                            line,
                                            push: line,
                                            skewed: false,
                                            bias,
                                            wanted: reading.wanted(friction.against, direction),
                                        });
                                    }
                                }
                            }
                        }
                    }
                }
            }
            rows_of.push(first..rows.len());
        }
    }

    /// Accelerations and multipliers of bodies that move in a given way, with elements in given modes.
    pub(super) fn evaluate(&mut self, scenery: &Scenery<'_>, time: f64, bodies: &[BodyState], elements: &[Element]) {
        self.evaluations += 1;
        self.prepare(scenery, bodies);
        self.free(scenery, time, bodies);
        self.push_softly(bodies, elements);
        self.assemble(scenery.model, bodies, elements);
        let (k, d) = match scenery.drift {
            Drift::Feedback { k, d } => (k, d),
            Drift::Projection | Drift::Nothing => (0.0, 0.0),
        };
        let feedback = |slots: [usize; 2], row: &Row, kind: Kind| {
            let position = if kind == (Kind::Hold { position: true }) { k * row.error } else { 0.0 };
            let speed = || rate(&Line::new(slots, &row.jacobian), bodies) - row.target_rate;
            row.jdot_v + position + if d == 0.0 { 0.0 } else { d * speed() }
        };
        let mut motions = std::mem::take(&mut self.accelerations);
        self.solve(&mut motions, feedback);
        self.note_elements(elements);
        self.accelerations = motions;
    }

    /// Lets joints and elements hold: changes the motions so that `J x + b = 0` for all their rows.
    pub(super) fn solve(&mut self, motions: &mut Vec<Twist>, bias: impl Fn([usize; 2], &Row, Kind) -> f64) {
        let free = motions.clone();
        self.hold(motions, &bias);
        self.multipliers.clear();
        self.unique.clear();
        self.stuck = false;
        if self.rows.is_empty() {
            return;
        }
        self.solve_elements(motions);
        *motions = free;
        push(&self.ground(), &self.rows, &self.multipliers, motions);
        if self.trees.iter().any(|tree| !tree.lines.is_empty()) {
            for joint in &mut self.joints {
                for (multiplier, kind) in joint.multipliers.iter_mut().zip(&joint.kinds) {
                    if matches!(kind, Kind::Hold { .. }) {
                        *multiplier = 0.0;
                    }
                }
            }
            self.hold(motions, &bias);
        }
    }

    fn solve_elements(&mut self, motions: &[Twist]) {
        self.multipliers.resize(self.rows.len(), 0.0);
        self.unique.resize(self.rows.len(), true);
        for group in groups(&self.ground(), &self.rows) {
            let b: Vec<f64> =
                group.iter().map(|&row| self.rows[row].line.rate(motions) + self.rows[row].bias).collect();
            self.count(COUPLING * group.len() * group.len() + 4 * group.len().pow(3));
            match Coupled::new(&self.ground(), &self.rows, &group).solve(&b) {
                Some((lambda, unique)) => group.iter().zip(lambda).for_each(|(&row, lambda)| {
                    self.multipliers[row] = lambda;
                    self.unique[row] = unique;
                }),
                None => self.stuck = true,
            }
        }
    }

    /// Gives the multipliers of limits and motors to their joints.
    fn note_elements(&mut self, elements: &[Element]) {
        for (element, rows) in elements.iter().zip(&self.rows_of) {
            if let (What::Stop { joint, row } | What::Motor { joint, row }, false) = (&element.what, rows.is_empty())
                && let Some(joint) = self.joints.get_mut(*joint)
            {
                joint.multipliers[*row] = self.multipliers[rows.start];
            }
        }
    }

    /// What a joint exerts on its second end at the moment looked at last.
    pub(super) fn reaction(&self, model: &Model, bodies: &[BodyState], joint: &PlannedJoint) -> Option<Reaction> {
        let planned = model.joints().get(joint.id)?;
        let views = planned.ends.map(|end| BodyView::of(model, bodies, end));
        let lever = planned.constraint.anchors(&views)[1] - views[1].center;
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for (row, &multiplier) in joint.rows.iter().zip(&joint.multipliers) {
            force += row.jacobian.linear[1] * multiplier;
            torque += row.jacobian.angular[1] * multiplier;
        }
        Some(Reaction { force, torque: torque - lever.cross(force) })
    }
}

/// The first of the nodes that are joined with one.
pub(super) fn find(root: &mut [usize], mut node: usize) -> usize {
    while root[node] != node {
        root[node] = root[root[node]];
        node = root[node];
    }
    node
}

/// A body as constraints see it.
pub(super) fn view(model: &Model, bodies: &[BodyState], id: BodyId) -> BodyView {
    model.bodies().get(id).map_or(BodyView::WORLD, |body| BodyView::new(body, &bodies[id.slot()]))
}

/// The velocity of a body as a motion.
pub(super) fn motion(body: &BodyState) -> Twist {
    Twist { linear: body.velocity, angular: body.angular_velocity }
}

/// How fast the value of a row changes.
pub(super) fn rate(line: &Line, bodies: &[BodyState]) -> f64 {
    let part = |k: usize| bodies.get(line.bodies[k]).map_or(0.0, |body| line.jacobian[k].dot(&motion(body)));
    part(0) + part(1)
}

/// The force of a spring and damper.
fn soft_force(row: &Row, rate: f64, mobility: f64) -> f64 {
    let mass = if mobility > f64::MIN_POSITIVE { 1.0 / mobility } else { 0.0 };
    let (stiffness, damping) = match row.softness {
        Softness::Rigid | Softness::Baumgarte { .. } => (0.0, 0.0),
        Softness::Coefficients { gamma, beta } => (beta / (gamma * NOMINAL_STEP), 1.0 / gamma),
        Softness::Stiffness { stiffness, damping } => (stiffness, damping),
        Softness::Spring { frequency, damping_ratio } => {
            let omega = TAU * frequency;
            (mass * omega * omega, 2.0 * mass * damping_ratio * omega)
        }
    };
    let force = -stiffness * row.error - damping * (rate - row.target_rate);
    match row.limit {
        Limit::AtLeastZero => {
            if row.error < 0.0 {
                force.max(0.0)
            } else {
                0.0
            }
        }
        Limit::Force { min, max } => force.max(min).min(max),
        Limit::Equality | Limit::Cone { .. } | Limit::ConeMember => force,
    }
}
