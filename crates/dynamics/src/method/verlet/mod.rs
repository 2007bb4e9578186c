//! The Verlet loop: B's method for games, where constraints are put right by moving bodies.
//!
//! Baltman and Radeztsky (2004), after Jakobsen (2001): integrate as if nothing held the bodies, then move them to where the constraints want
//! them, one constraint after the other, and over again. A constraint that comes later in the list undoes what earlier ones did,
//! so it is stronger; more iterations make all of them stronger. Nothing is solved, so nothing can fail.
//!
//! A step is `n = ⌈f h⌉` passes at least at the minimum frequency f (10.1; the print has ⌊f h⌋ + 1, which would be two passes for the rag-doll
//! that the document runs in one). Each pass:
//!
//! 1. **forces**, among them those of contacts at rest, and impulses for faster ones (`rest`, B 5);
//! 2. **motion** (`bodies`, B 4), with velocities or without;
//! 3. **constraints**, `iterations` times:
//!    - **figures**: trees of bodies that pins join, with the limits of their angles and their contacts, put right as a whole (`figures`);
//!    - **the list**: all other joints in the order in which they were added (in scene files: as they stand there), and all other collisions
//!      before or after them (`order`): distances between particles (`distance`, B 6), pins (`pin`, B 7), angles (`angle`, B 8), every other
//!      joint by its rows (`rows`), contacts of jointed bodies (`collision`, B 9).
//!
//! In the document everything stands in the list; `figures = "by_the_list"` is its way. Two iterations then carry a correction two or three bodies
//! far, and the document's own rag-doll opens by a quarter of a metre where it hits the stairs.
//!
//! The strength k of a joint is its softness: rigid is 1, `baumgarte` gives it as β.
//!
//! What it is good for: ropes, cloth, jelly and rag-dolls that look right and cost little. What it is not: friction that holds (there is no
//! static friction), exact energy, stacks that do not sag.

mod angle;
mod bodies;
mod collision;
mod correction;
mod distance;
mod elimination;
mod figures;
mod pin;
mod rest;
mod rows;
mod trees;

use self::angle::Angle;
use self::bodies::{Bodies, Motion};
use self::collision::Collision;
use self::distance::Distance;
use self::figures::What;
use self::pin::Pin;
use self::rest::{Rest, largest_acceleration};
use self::rows::{Pass, Rows, strength};
use self::trees::{Grove, Link};
use super::classic::{Classic, Contacts, Pair, Rule, Step};
use crate::constraint::{JointForm, Row, Softness};
use crate::event::Reaction;
use crate::force::Wrenches;
use crate::model::{BodyKind, BodyModel, JointEnd, JointModel};
use crate::parts::{forces, scripts};
use crate::report::Stopwatch;
use crate::schema::JsonSchema;
use crate::{BodyId, Id, JointId, Model, State, StepError, Wrench};
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// The Verlet loop. See the module's documentation.
pub type VerletLoop = Classic<VerletSettings>;

/// The most passes of a step; longer steps take longer passes.
const MOST_PASSES: f64 = 1000.0;

/// How near surfaces are that collide, as a part of the size of the smaller collider.
const MARGIN: f64 = 0.02;

/// Which of B's equations of motion move the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// With velocities (B 4.6–4.8): smooth rates, constraints cost twice as much (default).
    #[default]
    Velocity,
    /// From the last two positions (B 4.1–4.5): simple and fast, rates are differences.
    VelocityLess,
}

/// How collisions are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Collisions {
    /// Bodies with joints by constraints, others by forces and impulses (default).
    #[default]
    Automatic,
    /// By springs where bodies rest and impulses where they hit (B 5).
    Forces,
    /// By constraints that are iterated with the joints (B 9).
    Constraints,
}

/// Where collisions stand in the list of constraints. What comes last is strongest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// After the joints: bodies are not inside each other, joints that were torn stay open for a while.
    CollisionsLast,
    /// Before the joints: they hold, and pull bodies into each other for a while (default).
    #[default]
    CollisionsFirst,
}

/// How the two bodies of an angle constraint share a correction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shares {
    /// By their moments of inertia about its axis (B 8.8, default).
    #[default]
    AboutTheAxis,
    /// By the size of their inverse inertia tensors (B 8.10): cheaper.
    BySize,
}

/// How the joints of figures are put right: trees of bodies that turn, joined by pins, with the limits of their angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Figures {
    /// All bodies of a figure share every correction (default): two iterations hold a figure of any size.
    #[default]
    Whole,
    /// One after the other, each shared by its two bodies, as in the document.
    ByTheList,
}

/// Positions are put right until joints and contacts hold, and velocities follow from them (Verlet's scheme). A classic, for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VerletSettings {
    /// The equations of motion. Default "velocity".
    pub form: Form,
    /// How often all constraints are corrected in a pass. Default 2.
    #[schemars(range(min = 0, max = 10000))]
    pub iterations: u32,
    /// Passes are at least so many per second of simulated time. Default 60.
    #[schemars(range(min = 0.0), extend("unit" = "Hz"))]
    pub frequency: f64,
    /// ξ: the part of a body's velocity that a pass leaves, from 0 to 1. Default 1: no damping.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub keep_velocity: f64,
    /// ξ of the angular velocity, from 0 to 1. Default 1.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub keep_angular_velocity: f64,
    /// How collisions are answered. Default "automatic".
    pub collisions: Collisions,
    /// Where collisions stand among the constraints. Default "collisions_first".
    pub order: Order,
    /// How figures are put right. Default "whole".
    pub figures: Figures,
    /// How angle constraints of the list are shared. Default "about_the_axis".
    pub shares: Shares,
    /// Impacts slower than this rest instead of bouncing, in m/s; `null` (default) for twice what the forces change the speed by in a pass.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub rest_speed: Option<f64>,
    /// The eye for which details matter, in metres; in the sandbox it is where the camera is. `null` (default) for the same detail everywhere.
    #[schemars(with = "Option<[f64; 3]>", extend("unit" = "m"))]
    pub eye: Option<DVec3>,
    /// Constraints farther from the eye than this get fewer iterations, in inverse proportion, and at least one, in metres. Default 10.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub detail_distance: f64,
}

impl Default for VerletSettings {
    fn default() -> Self {
        Self {
            form: Form::default(),
            iterations: 2,
            frequency: 60.0,
            keep_velocity: 1.0,
            keep_angular_velocity: 1.0,
            collisions: Collisions::default(),
            order: Order::default(),
            figures: Figures::default(),
            shares: Shares::default(),
            rest_speed: None,
            eye: None,
            detail_distance: 10.0,
        }
    }
}

/// What the method remembers: the motions it left, by slot. A body that moves otherwise was moved by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Left(Vec<Option<[DVec3; 3]>>);

/// A joint as a constraint.
#[derive(Clone, Debug)]
enum Constraint {
    Distance(Distance),
    Pin(Pin),
    Angle(Box<Angle>),
    Rows(Box<Rows>),
}

/// Room to work in.
#[derive(Debug, Default)]
pub struct Room {
    bodies: Bodies,
    constraints: Vec<(JointId, Constraint)>,
    /// Impulses on the second bodies, by constraint.
    exerted: Vec<Wrench>,
    /// How often a constraint is corrected.
    iterations: Vec<u32>,
    figures: figures::Figures,
    collisions: Vec<Collision>,
    wrenches: Wrenches,
    spent: Vec<f64>,
    rows: Vec<Row>,
    crowd: Vec<u32>,
    broken: Vec<bool>,
    /// How figures were put right when the joints were translated.
    compiled: Option<Figures>,
}

impl Rule for VerletSettings {
    const NAME: &'static str = "verlet";
    type Mark = ();
    type Memory = Left;
    type Room = Room;

    fn advance(&self, step: &mut Step<'_, Self>, room: &mut Room) -> Result<(), StepError> {
        if room.compiled != Some(self.figures) || step.changed || room.broken != step.state.broken {
            room.compile(step, self.figures);
        }
        let passes = (self.frequency * step.dt * (1.0 - 1e-12)).ceil();
        // What is not a number is one pass.
        let passes = if passes > 1.0 { passes.min(MOST_PASSES) } else { 1.0 };
        let h = step.dt / passes;
        let start = step.state.time;
        room.bodies.load(step.state);
        room.exerted.iter_mut().for_each(|wrench| *wrench = Wrench::default());
        for pass in 0..passes as u32 {
            step.state.time = start + h * f64::from(pass);
            let result = self.pass(step, room, h, pass == 0);
            step.state.time = start;
            result?;
        }
        self.remember(step);
        room.tell_reactions(step.model, step.state, step.dt, step.reactions);
        Ok(())
    }

    fn check(memory: &Left, _model: &Model, state: &State) -> Result<(), String> {
        let (known, bodies) = (memory.0.len(), state.bodies.len());
        match memory.0.iter().flatten().flatten().all(|vector| vector.is_finite()) {
            _ if known > bodies => Err(format!("the memory knows {known} bodies, but the state has {bodies}")),
            false => Err("a motion that the method remembers is not finite".into()),
            true => Ok(()),
        }
    }
}

impl VerletSettings {
    /// One pass: forces, motion, constraints.
    fn pass(&self, step: &mut Step<'_, Self>, room: &mut Room, h: f64, is_first: bool) -> Result<(), StepError> {
        let watch = Stopwatch::start();
        let model = step.model;
        let by_constraint = |pair: &Pair<()>| match self.collisions {
            Collisions::Forces => false,
            Collisions::Constraints => true,
            Collisions::Automatic => pair.bodies.iter().any(|&id| has_joints(model, id)),
        };
        forces::sum(model, step.state.time, &step.state.bodies, &mut room.wrenches);
        for (slot, wrench) in step.state.applied.iter() {
            room.wrenches.add_force(slot, wrench.force);
            room.wrenches.add_torque(slot, wrench.torque);
        }
        let pull = largest_acceleration(&room.bodies, &room.wrenches);
        let rest_speed = self.rest_speed.unwrap_or(2.0 * pull * h);
        step.contacts.find_pairs(model, step.state, h, step.roster, step.index)?;
        room.respond(step.contacts, model, step.state, (h, rest_speed), |pair| !by_constraint(pair));
        step.report.times.detect += watch.elapsed();

        let watch = Stopwatch::start();
        let motion = Motion { form: self.form, keep: [self.keep_velocity, self.keep_angular_velocity], h };
        let (state, memory) = (&*step.state, &*step.memory);
        let fresh =
            |slot: usize| is_first && memory.0.get(slot).is_none_or(|left| *left != Some(motion_of(state, slot)));
        room.bodies.advance(model, &room.wrenches, &motion, fresh);
        room.bodies.store(step.state);
        step.check_finite()?;
        scripts::follow(model, &step.roster.scripted, step.state.time + h, &mut step.state.bodies);
        room.follow_scripts(step.roster.scripted.iter().map(|id| id.slot()), step.state);
        step.report.times.integrate += watch.elapsed();

        let watch = Stopwatch::start();
        room.find_collisions(step.contacts, model, step.state, rest_speed, by_constraint);
        step.report.times.detect += watch.elapsed();

        let watch = Stopwatch::start();
        self.count_iterations(room);
        room.iterate(self, step.state, h);
        room.give_impulses(step.contacts);
        room.bodies.store(step.state);
        step.report.times.solve += watch.elapsed();
        Ok(())
    }

    /// How often each constraint is corrected, by its distance from the eye.
    fn count_iterations(&self, room: &mut Room) {
        room.iterations.clear();
        let Some(eye) = self.eye.filter(|eye| eye.is_finite()) else {
            room.iterations.resize(room.constraints.len(), self.iterations);
            return;
        };
        let bodies = &room.bodies;
        room.iterations.extend(room.constraints.iter().map(|(_, constraint)| {
            let place = constraint.bodies().map(|i| i as usize).into_iter().find(|&i| bodies.inverse_mass[i] > 0.0);
            let far = place.map_or(0.0, |i| (bodies.x[i] - eye).length());
            let share = if far > self.detail_distance { self.detail_distance / far } else { 1.0 };
            ((f64::from(self.iterations) * share).round() as u32).max(self.iterations.min(1))
        }));
    }

    /// Notes how the bodies were left, for the form without velocities.
    fn remember(&self, step: &mut Step<'_, Self>) {
        step.memory.0.clear();
        if self.form == Form::VelocityLess {
            step.memory.0.resize(step.state.bodies.len(), None);
            for id in &step.roster.movable {
                step.memory.0[id.slot()] = Some(motion_of(step.state, id.slot()));
            }
        }
    }
}

fn motion_of(state: &State, slot: usize) -> [DVec3; 3] {
    let body = &state.bodies[slot];
    [body.position, body.velocity, body.angular_velocity]
}

fn has_joints(model: &Model, id: BodyId) -> bool {
    model.bodies().get(id).is_some_and(|body| !body.joints.is_empty())
}

impl Constraint {
    fn bodies(&self) -> [u32; 2] {
        match self {
            Self::Distance(distance) => distance.bodies,
            Self::Pin(pin) => pin.bodies,
            Self::Angle(angle) => angle.bodies,
            Self::Rows(rows) => rows.bodies,
        }
    }
}

impl Room {
    /// Translates the joints into constraints, in the order of their slots.
    fn compile(&mut self, step: &Step<'_, VerletSettings>, figures: Figures) {
        let model = step.model;
        self.bodies.weigh(model, step.roster);
        self.broken.clone_from(&step.state.broken);
        self.constraints.clear();
        let mut spent = 0;
        for (id, joint) in model.joints().iter().filter(|(id, _)| !step.state.broken[id.slot()]) {
            let constraint = constraint_of(model, step.state, joint, spent);
            if let Constraint::Rows(rows) = &constraint {
                self.rows.clear();
                self.bodies.load(step.state);
                joint.constraint.rows(&rows.view(&self.bodies, 0.0), &mut self.rows);
                spent += self.rows.len();
            }
            self.constraints.push((id, constraint));
        }
        self.spent.resize(spent, 0.0);
        self.exerted.resize(self.constraints.len(), Wrench::default());
        let links = self.constraints.iter().enumerate().filter_map(|(number, (_, constraint))| match constraint {
            _ if figures == Figures::ByTheList => None,
            Constraint::Pin(pin) => Some((number, Link::Pin(pin))),
            Constraint::Angle(angle) => Some((number, Link::Angle(angle))),
            Constraint::Distance(_) | Constraint::Rows(_) => None,
        });
        self.bodies.load(step.state);
        self.figures = figures::Figures::new(Grove::new(&self.bodies, links), &self.bodies);
        self.compiled = Some(figures);
    }

    /// Answers those contacts that are answered by forces and impulses (B 5).
    fn respond(
        &mut self,
        contacts: &mut Contacts<()>,
        model: &Model,
        state: &State,
        (h, rest_speed): (f64, f64),
        chosen: impl Fn(&Pair<()>) -> bool,
    ) {
        contacts.find_points_of(model, state, 0.0, &chosen);
        self.crowd.clear();
        self.crowd.resize(state.bodies.len(), 0);
        for pair in contacts.list.iter().filter(|pair| chosen(pair)) {
            let pressing = pair.points.iter().filter(|point| point.geometry.gap < 0.0).count() as u32;
            pair.bodies.iter().for_each(|id| self.crowd[id.slot()] += pressing);
        }
        let rest = Rest { h, rest_speed, crowd: &self.crowd };
        for pair in contacts.list.iter_mut().filter(|pair| chosen(pair)) {
            let places = pair.bodies.map(Id::slot);
            rest.respond(&mut self.bodies, places, pair, &mut self.wrenches);
        }
    }

    fn follow_scripts(&mut self, scripted: impl Iterator<Item = usize>, state: &State) {
        for i in scripted {
            let body = &state.bodies[i];
            (self.bodies.x[i], self.bodies.v[i]) = (body.position, body.velocity);
            (self.bodies.q[i], self.bodies.w[i]) = (body.rotation, body.angular_velocity);
        }
    }

    /// Finds the contacts that are constraints, where the bodies are now.
    fn find_collisions(
        &mut self,
        contacts: &mut Contacts<()>,
        model: &Model,
        state: &State,
        rest_speed: f64,
        chosen: impl Fn(&Pair<()>) -> bool,
    ) {
        self.collisions.clear();
        contacts.find_points_of(model, state, MARGIN, &chosen);
        for (index, pair) in contacts.list.iter().enumerate().filter(|(_, pair)| chosen(pair)) {
            let places = pair.bodies.map(Id::slot);
            for (number, point) in pair.points.iter().enumerate() {
                let origin = (index, number);
                self.collisions.push(Collision::new(&self.bodies, places, (pair, point), origin, rest_speed));
            }
        }
        self.figures.touch(&self.collisions);
    }

    /// Corrects all constraints, over and over.
    fn iterate(&mut self, settings: &VerletSettings, state: &State, h: f64) {
        self.spent.iter_mut().for_each(|spent| *spent = 0.0);
        let with_velocities = settings.form == Form::Velocity;
        if !with_velocities {
            self.figures.weigh(&mut self.bodies, &self.collisions);
        }
        for iteration in 0..settings.iterations {
            if settings.order == Order::CollisionsFirst {
                self.correct_collisions(with_velocities, |figures, bodies| !figures.meet(bodies));
            }
            self.correct_figures(h, iteration, with_velocities);
            self.correct_joints(settings, state, h, iteration, (true, with_velocities));
            if settings.order == Order::CollisionsLast {
                self.correct_collisions(with_velocities, |_, _| true);
            }
        }
        if !with_velocities {
            self.bodies.differentiate(h);
            self.figures.calm(&mut self.bodies);
            // Motors, springs and friction act on rates, which are known only now.
            self.correct_forces(state, h);
            for collision in &mut self.collisions {
                collision.rub_after(&mut self.bodies, h);
            }
        }
    }

    fn correct_collisions(&mut self, with_velocities: bool, chosen: impl Fn(&figures::Figures, [u32; 2]) -> bool) {
        for collision in self.collisions.iter_mut().filter(|collision| chosen(&self.figures, collision.bodies)) {
            if with_velocities {
                collision.correct_velocities(&mut self.bodies);
            }
            collision.correct_positions(&mut self.bodies);
        }
    }

    /// Puts figures right.
    fn correct_figures(&mut self, h: f64, iteration: u32, with_velocities: bool) {
        let Self { bodies, figures, collisions, iterations, exerted, .. } = self;
        let turn = |joints: &[usize]| joints.iter().any(|&joint| iteration < iterations[joint]);
        let is_first = iteration == 0;
        if with_velocities {
            figures.correct(bodies, collisions, (What::Velocities, is_first), turn, (exerted, 1.0));
        }
        // Without velocities it is the shifts that are impulses, times the length of the pass.
        let rate = if with_velocities { 0.0 } else { 1.0 / h };
        figures.correct(bodies, collisions, (What::Positions, is_first), turn, (exerted, rate));
    }

    fn correct_joints(
        &mut self,
        settings: &VerletSettings,
        state: &State,
        h: f64,
        iteration: u32,
        (with_positions, with_velocities): (bool, bool),
    ) {
        let Self { bodies, constraints, exerted, iterations, spent, rows, figures, .. } = self;
        let list = constraints.iter().zip(exerted).zip(&*iterations).enumerate();
        for (number, ((&(id, ref constraint), exerted), &iterations)) in list {
            if iteration >= iterations || figures.hold(number) {
                continue;
            }
            match constraint {
                Constraint::Distance(distance) => {
                    if with_velocities {
                        exerted.force += distance.correct_velocities(bodies);
                    }
                    distance.correct_positions(bodies);
                }
                Constraint::Pin(pin) => {
                    if with_velocities {
                        exerted.force += pin.correct_velocities(bodies);
                    }
                    pin.correct_positions(bodies);
                }
                Constraint::Angle(angle) => angle.correct(bodies, settings.shares, with_velocities),
                Constraint::Rows(joint) => {
                    let angle = state.angles[id.slot()];
                    let mut pass = Pass { h, angle, with_velocities, with_positions, spent, rows };
                    *exerted += joint.correct(bodies, &mut pass);
                }
            }
        }
    }

    /// Lets motors and springs act on the velocities.
    fn correct_forces(&mut self, state: &State, h: f64) {
        let Self { bodies, constraints, exerted, spent, rows, .. } = self;
        for (&(id, ref constraint), exerted) in constraints.iter().zip(exerted) {
            if let Constraint::Rows(joint) = constraint {
                let angle = state.angles[id.slot()];
                let mut pass = Pass { h, angle, with_velocities: true, with_positions: false, spent, rows };
                *exerted += joint.correct(bodies, &mut pass);
            }
        }
    }

    fn give_impulses(&self, contacts: &mut Contacts<()>) {
        for collision in &self.collisions {
            let point = &mut contacts.list[collision.origin.0].points[collision.origin.1];
            point.impulse = point.impulse + collision.impulse;
            point.met = point.met.max(collision.met);
        }
    }

    /// What the joints exerted on the mean: impulses over the step. A pin has none about its anchor; rows are moved there.
    fn tell_reactions(&self, model: &Model, state: &State, dt: f64, reactions: &mut [Reaction]) {
        for ((id, constraint), wrench) in self.constraints.iter().zip(&self.exerted) {
            let Some(joint) = model.joints().get(*id) else { continue };
            let mut torque = wrench.torque;
            if let Constraint::Rows(_) = constraint {
                let views = joint.ends.map(|end| crate::constraint::BodyView::of(model, &state.bodies, end));
                torque -= (joint.constraint.anchors(&views)[1] - views[1].center).cross(wrench.force);
            }
            reactions[id.slot()] = Reaction { force: wrench.force / dt, torque: torque / dt };
        }
    }
}

/// The constraint for a joint: one of B's where it is one of them, else its rows.
fn constraint_of(model: &Model, state: &State, joint: &JointModel, spent: usize) -> Constraint {
    let body = |end: JointEnd| match end {
        JointEnd::Body(id) => model.bodies().get(id),
        JointEnd::World => None,
    };
    let place = |end: JointEnd| match end {
        JointEnd::Body(id) => id.slot() as u32,
        JointEnd::World => model.bodies().slot_count() as u32,
    };
    let ends = joint.ends.map(body);
    let bodies = joint.ends.map(place);
    let center = |end: Option<&BodyModel>| end.map_or(DVec3::ZERO, |body| body.mass.center);
    let inertia = |end: Option<&BodyModel>| end.map_or(DMat3::ZERO, |body| body.mass.inertia);
    let hard = |softness: Softness| matches!(softness, Softness::Rigid | Softness::Baumgarte { .. });
    let turns = |body: &&BodyModel| body.inverse_inertia != DMat3::ZERO || matches!(body.kind, BodyKind::Scripted(_));
    let turns = ends.iter().flatten().any(turns);
    let rotation = |end: JointEnd| match end {
        JointEnd::Body(id) => state.bodies[id.slot()].rotation,
        JointEnd::World => DQuat::IDENTITY,
    };
    let centers = ends.map(center);
    match joint.constraint.form() {
        JointForm::Distance { anchors, min, max, softness } if hard(softness) && !turns => {
            let [first, second] = [0, 1].map(|k| rotation(joint.ends[k]) * (anchors[k] - centers[k]));
            let offset = second - first;
            Constraint::Distance(Distance { bodies, offset, min, max, strength: strength(softness) })
        }
        JointForm::Ball { anchors, softness } if hard(softness) => {
            let levers = [0, 1].map(|k| anchors[k] - centers[k]);
            Constraint::Pin(Pin { bodies, levers, strength: strength(softness) })
        }
        JointForm::AxisLimits { frame, min, max, stop } if hard(stop.softness) => {
            let axes: [DQuat; 2] = frame.rotations;
            let (inertia, strength) = (ends.map(inertia), strength(stop.softness));
            Constraint::Angle(Box::new(Angle { bodies, axes, min, max, stop, strength, inertia }))
        }
        _ => {
            let constraint = joint.constraint.clone();
            Constraint::Rows(Box::new(Rows { bodies, centers, constraint, spent }))
        }
    }
}
