//! The thread that owns the world: obeys requests, lets time pass, and publishes the state of affairs.
//!
//! Sixty times a second it takes as many steps as the speed asks for, or as many as fit into a frame, and publishes. When
//! nothing moves, because it is paused or nobody looks, it waits for requests and costs nothing.

use crate::between::Between;
use crate::drawings;
use crate::frame::{Pose, unit_for};
use crate::hand::Hand;
use crate::history::{History, Inputs};
use crate::inspect::inspect;
use crate::limits::Limits;
use crate::looks::Bodies;
use crate::protocol::{Choice, Instrumented, Interest, Request};
use crate::published::Published;
use crate::runs::{Chosen, Runs, States, StepProblem, Whole};
use crate::strands::{tell_strands, thickness};
use crate::subject::{Subject, load_method};
use crate::tell::{extent_size, problem, scene_problem, smallest, tell_scene, tell_status};
use glam::DVec3;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};
use tumble_dynamics::method::{VerletLoop, VerletSettings};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{Body, Cancel, Id, Snapshot, State, World};
use tumble_geometry::Shape;
use tumble_scene::behave::Track;
use tumble_scene::record::Header;
use tumble_scene::{Report, Scene};

/// The time between two frames.
const TICK: Duration = Duration::from_micros(16_667);
/// Steps are taken for this long before the next frame is due.
const BUDGET: Duration = Duration::from_millis(14);
/// The time between two messages of numbers for the plots.
const STATUS: Duration = Duration::from_millis(60);
/// How many requests are obeyed before the next frame.
const BATCH: usize = 256;
/// The slowest and fastest that time may pass.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=100.0;
/// The speed of a shot ball in m/s, and the most bodies there may be for one more to be shot.
const SHOT_SPEED: f64 = 15.0;
const MOST_BODIES: usize = 20_000;
/// How many of the lines that a script said last are shown.
const MOST_SAID: usize = 6;
/// How many numbers may come from outside.
const MOST_INPUTS: usize = 200;

/// How long nobody goes back or forth in time before the moment that is shown is worked out.
const REST: Duration = Duration::from_millis(150);
/// The shortest and longest step in seconds.
const STEPS: std::ops::RangeInclusive<f64> = 1e-6..=1.0;

/// Which tab a request is from.
pub(crate) type ClientId = u64;
/// What the tabs are interested in.
pub(crate) type Interests = Arc<Mutex<BTreeMap<ClientId, Interest>>>;

/// What the thread is told.
#[derive(Debug)]
pub(crate) enum Command {
    /// Somebody came, or became interested in something else.
    Look,
    /// A request, and where an answer to it goes.
    Request(ClientId, Box<Request>, mpsc::Sender<String>),
    /// A tab was closed.
    Left(ClientId),
    /// Somebody wants to save the last minute.
    Record(oneshot::Sender<Minute>),
    /// It is over.
    Stop,
}

/// The last minute of a scene.
#[derive(Debug)]
pub(crate) struct Minute {
    pub(crate) header: Header,
    /// The world at the start of the scene.
    pub(crate) start: Snapshot,
    /// Where everything was, and who was there.
    pub(crate) moments: Vec<(Arc<States>, Arc<Whole>)>,
}

pub(crate) struct Simulation {
    /// What the sandbox was started with.
    given: Subject,
    /// Where the scene comes from.
    subject: Subject,
    runs: Runs,
    /// The world at the start of the scene.
    start: Snapshot,
    history: History,
    hands: BTreeMap<ClientId, Hand>,
    /// What comes from outside, by name, and all that came since the start.
    inputs: Arc<Inputs>,
    track: Track,
    /// What the script said last.
    said: VecDeque<String>,
    playing: bool,
    speed: f64,
    /// How much simulated time is owed, in seconds.
    debt: f64,
    /// Simulated per real time, lately.
    pace: f64,
    /// Why a step could not be taken.
    error: Option<String>,
    unit: f64,
    shots: u64,
    limits: Limits,
    /// Moments inside the last step.
    between: Between,
    now: Published,
    told: Option<Instant>,
    publisher: watch::Sender<Arc<Published>>,
    interests: Interests,
    /// Whether it is over, whatever waits.
    over: Arc<AtomicBool>,
    /// Ends the step under way, because something else is wanted.
    interrupt: Cancel,
}

impl Simulation {
    pub(crate) fn new(
        subject: Subject,
        publisher: watch::Sender<Arc<Published>>,
        interests: Interests,
        over: Arc<AtomicBool>,
        interrupt: Cancel,
    ) -> Result<Self, Report> {
        let scene = subject.load()?;
        let start = scene.world.snapshot();
        let runs = Runs::new(scene, interrupt.clone());
        let history = History::new(&runs);
        let mut new = Self {
            given: subject.clone(),
            subject,
            runs,
            start,
            history,
            hands: BTreeMap::new(),
            inputs: Arc::default(),
            track: Track::default(),
            said: VecDeque::new(),
            playing: true,
            speed: 1.0,
            debt: 0.0,
            pace: 0.0,
            error: None,
            unit: 1.0,
            shots: 0,
            limits: Limits::default(),
            between: Between::nothing(),
            now: Published::default(),
            told: None,
            publisher,
            interests,
            over,
            interrupt,
        };
        new.scene_opened();
        new.publish();
        Ok(new)
    }

    /// Obeys until it is told to stop, or nobody is left who could tell.
    pub(crate) fn run(mut self, commands: &Receiver<Command>) {
        let (mut last, mut due) = (Instant::now(), Instant::now());
        let mut ran = false;
        loop {
            let runs = self.playing && !self.interests().is_empty();
            if runs && !ran {
                (last, due) = (Instant::now(), Instant::now());
            }
            ran = runs;
            let first = if runs {
                commands.recv_timeout(due.saturating_duration_since(Instant::now()))
            } else if self.history.is_showing() {
                commands.recv_timeout(REST)
            } else {
                commands.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match first {
                Ok(command) => {
                    self.interrupt.clear();
                    let batch = std::iter::once(command).chain(commands.try_iter().take(BATCH)).collect();
                    for command in without_outdated(batch) {
                        if self.is_over() || !self.obey(command) {
                            return;
                        }
                    }
                    self.told = None;
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.interrupt.clear();
                    self.history.work_out(&mut self.runs);
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let time = Instant::now();
            if !self.playing || !runs {
                self.publish();
            } else if time >= due {
                self.advance(time - last);
                last = time;
                due = (due + TICK).max(time);
                self.publish();
            }
        }
    }

    /// Whether it was ended from outside, which overtakes all that waits.
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn interests(&self) -> std::sync::MutexGuard<'_, BTreeMap<ClientId, Interest>> {
        self.interests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False when it is over.
    pub(crate) fn obey(&mut self, command: Command) -> bool {
        match command {
            Command::Look => {}
            Command::Left(client) => {
                self.hands.remove(&client);
                self.now.echoes.remove(&client);
            }
            Command::Record(wanted) => {
                let header = Header::of_model(&self.runs.scene, self.start.model());
                let header = Header { rate: 60.0, ..header };
                let _gone = wanted.send(Minute { header, start: self.start.clone(), moments: self.history.moments() });
            }
            Command::Stop => return false,
            Command::Request(client, request, answers) => {
                if let Err(answer) = self.request(client, *request) {
                    // A page that does not listen does not need the answer.
                    let _unheard = answers.try_send(answer.to_string());
                }
            }
        }
        true
    }

    fn request(&mut self, client: ClientId, request: Request) -> Result<(), Value> {
        // Whoever changes something, or lets time pass, does so from the moment that is shown.
        if !(request.only_looks() || request.begins_anew()) {
            self.history.work_out(&mut self.runs);
            if self.history.is_showing() {
                // Interrupted: somebody wants something else already.
                return Ok(());
            }
        }
        match request {
            Request::Play => (self.playing, self.error) = (true, None),
            Request::Pause => self.playing = false,
            Request::Step => {
                (self.playing, self.error) = (false, None);
                self.step();
                self.history.record(&self.runs);
            }
            Request::Reset => self.reset(),
            Request::Speed { factor } => self.speed = factor.clamp(*SPEEDS.start(), *SPEEDS.end()),
            Request::Scene { name } => {
                let given = self.given.clone();
                let own = (given.name() == name).then_some(given);
                let subject = own.or_else(|| Subject::gallery(&name));
                let subject = subject.ok_or_else(|| problem(&format!("there is no scene \"{name}\"")))?;
                let scene = subject.load().map_err(|report| scene_problem(&report))?;
                self.subject = subject;
                self.open(scene);
            }
            Request::Text { text } => {
                let scene = self.subject.load_text(&text).map_err(|report| scene_problem(&report))?;
                self.open(scene);
            }
            Request::Method(choice) => self.choose_method(choice)?,
            Request::Compare { second } => self.compare(second)?,
            Request::Grab { body, point } => {
                let hand = Hand::grab(self.runs.world(), body, point);
                self.hands.extend(hand.map(|hand| (client, hand)));
            }
            Request::Drag { to } => {
                if let Some(hand) = self.hands.get_mut(&client) {
                    hand.drag(to);
                }
            }
            Request::Input { values } => self.set_inputs(&values).map_err(|text| problem(&text))?,
            // Asked for by somebody who waits for an answer.
            Request::Inputs => return Err(json!({ "type": "inputs", "text": self.track.to_toml() })),
            Request::Release => drop(self.hands.remove(&client)),
            Request::Shoot { from, towards } => self.shoot(from, towards).map_err(|text| problem(&text))?,
            Request::Delete { body } => {
                let removed = self.runs.change(|world| world.remove_body(body));
                removed.map_err(|error| problem(&error.to_string()))?;
                self.hands.retain(|_, hand| hand.body != body);
                self.bodies_changed();
            }
            Request::Seek { time } => self.seek(time),
            Request::Look { from } => self.look(from),
            Request::Echo { number } => drop(self.now.echoes.insert(client, number)),
            // These are between the tab and its own task.
            Request::Inspect { .. } | Request::Draw { .. } | Request::Seen { .. } => {}
        }
        Ok(())
    }

    /// Tells methods that have an eye where the camera is (B 10: iterations by distance from the camera). One that was given none has
    /// the same detail everywhere.
    fn look(&mut self, from: DVec3) {
        if !from.is_finite() || self.history.is_showing() {
            return;
        }
        for world in self.runs.worlds_mut() {
            if let Some(method) = world.method_mut::<VerletLoop>() {
                let settings = *method.settings();
                method.set_settings(VerletSettings { eye: settings.eye.map(|_| from), ..settings });
            }
        }
    }

    /// Takes down what comes from outside; it counts from the next step on.
    fn set_inputs(&mut self, values: &BTreeMap<String, f64>) -> Result<(), String> {
        let mut inputs = (*self.inputs).clone();
        inputs.extend(values.iter().map(|(name, &value)| (name.clone(), value)));
        // What a world would refuse is refused here, and not in a step.
        if inputs.len() > MOST_INPUTS || inputs.iter().any(|(name, value)| name.len() > 200 || !value.is_finite()) {
            return Err(format!("inputs are finite numbers with short names, at most {MOST_INPUTS}"));
        }
        self.inputs = Arc::new(inputs);
        Ok(())
    }

    /// Forgets what came from outside and what was said.
    fn forget_inputs(&mut self) {
        self.inputs = Arc::default();
        self.track = Track::default();
        self.said.clear();
    }

    fn reset(&mut self) {
        self.runs.reset(&self.start);
        self.history = History::new(&self.runs);
        self.hands.clear();
        self.forget_inputs();
        (self.debt, self.error, self.between) = (0.0, None, Between::nothing());
        self.now.bodies = Arc::new(Bodies::of(&self.runs.scene, &self.now.bodies));
    }

    fn open(&mut self, scene: Scene) {
        self.start = scene.world.snapshot();
        self.runs = Runs::new(scene, self.interrupt.clone());
        self.limits = Limits::default();
        self.history = History::new(&self.runs);
        self.hands.clear();
        self.forget_inputs();
        (self.debt, self.error, self.playing, self.between) = (0.0, None, true, Between::nothing());
        self.scene_opened();
    }

    /// Says everything about a scene that was just read.
    fn scene_opened(&mut self) {
        let scene = &self.runs.scene;
        self.unit = unit_for(smallest(&scene.world));
        self.now.scene.set(tell_scene(scene, &self.subject.name(), self.unit).to_string());
        let version = self.now.bodies.version;
        self.now.bodies = Arc::new(Bodies::of(scene, &Bodies { version, ..Bodies::default() }));
    }

    /// Another method, other settings, other steps; what is left out stays as it is.
    fn choose_method(&mut self, choice: Choice) -> Result<(), Value> {
        if let Some(method) = choice.method {
            self.runs.choose(make_method(method, self.subject.registry())?);
        }
        if let Some(dt) = choice.dt {
            self.runs.set_dt(dt.clamp(*STEPS.start(), *STEPS.end()));
        }
        self.history.record_whole(&self.runs);
        Ok(())
    }

    /// Begins a second run, lets it go on in another way, or ends it.
    fn compare(&mut self, second: Option<Choice>) -> Result<(), Value> {
        match second {
            Some(Choice { method, dt }) => {
                let known = self.runs.second.as_ref().map_or(&self.runs.method, |second| &second.method);
                let chosen =
                    method.map_or_else(|| Ok(known.clone()), |method| make_method(method, self.subject.registry()))?;
                let dt = dt.or(self.runs.second_dt()).unwrap_or(self.runs.scene.dt);
                self.runs.compare(chosen, dt.clamp(*STEPS.start(), *STEPS.end()));
            }
            None => self.runs.second = None,
        }
        self.history.record_whole(&self.runs);
        Ok(())
    }

    fn bodies_changed(&mut self) {
        self.between = Between::nothing();
        self.history.record_whole(&self.runs);
        self.now.bodies = Arc::new(Bodies::of(&self.runs.scene, &self.now.bodies));
    }

    fn shoot(&mut self, from: glam::DVec3, towards: glam::DVec3) -> Result<(), String> {
        if self.runs.world().model().bodies().len() >= MOST_BODIES {
            return Err(format!("there are {MOST_BODIES} bodies already"));
        }
        let direction = towards.try_normalize().ok_or("a shot needs a direction")?;
        // As large as fits the scene, heavy enough to be felt.
        let radius = (0.02 * extent_size(&self.start)).clamp(0.01, 0.5);
        let shape = Shape::sphere(radius).map_err(|error| error.to_string())?;
        self.shots += 1;
        let speed = SHOT_SPEED * (radius / 0.2).clamp(0.2, 1.0);
        let ball = Body::dynamic().named(format!("shot {}", self.shots)).with_shape(shape).at(from);
        let ball = ball.with_velocity(direction * speed);
        let shot = self.runs.change(|world| world.add_body(ball.clone()).map(|_| ()));
        shot.map_err(|error| error.to_string())?;
        self.bodies_changed();
        Ok(())
    }

    fn seek(&mut self, time: f64) {
        self.playing = false;
        self.hands.clear();
        let [_, last] = self.history.range();
        if !self.history.is_showing() && self.runs.world().time() > last {
            self.history.record(&self.runs);
        }
        self.history.show(time, &mut self.runs);
        let model = self.runs.world().model();
        let shown = &self.now.bodies.list;
        if !model.bodies().ids().eq(shown.iter().map(|look| look.id)) {
            self.now.bodies = Arc::new(Bodies::of(&self.runs.scene, &self.now.bodies));
        }
    }

    /// Lets as much time pass as has passed outside, or as much as can be computed.
    pub(crate) fn advance(&mut self, passed: Duration) {
        let dt = self.runs.scene.dt;
        let before = self.runs.world().time();
        // After a long pause (a laptop that slept) nobody wants to catch up.
        let passed = passed.as_secs_f64().min(0.25);
        self.debt += passed * self.speed;
        let begun = Instant::now();
        while self.playing && self.debt >= 0.999 * dt {
            if begun.elapsed() > BUDGET || self.is_over() || self.interrupt.is_cancelled() {
                self.debt = self.debt.min(dt);
                break;
            }
            self.step();
            self.debt -= dt;
        }
        if passed > 0.0 {
            let share = passed.min(1.0);
            let pace = (self.runs.world().time() - before) / passed;
            self.pace += share.min(0.1) * 10.0 * 0.2 * (pace - self.pace);
        }
    }

    fn step(&mut self) {
        let hands: Vec<Hand> = self.hands.values().copied().collect();
        self.history.pull(self.runs.world().state().steps, &hands);
        self.history.set(self.runs.world().state().steps, &self.inputs);
        self.track.note(self.runs.world().time(), &self.inputs);
        self.runs.set_inputs(&self.inputs);
        let was_compared = self.runs.second.is_some();
        // Beside a second run, which is seen where its steps end, so is the first.
        self.between = if was_compared || !self.playing {
            Between::nothing()
        } else {
            Between::of_step(self.runs.world().state(), self.runs.scene.dt, TICK.as_secs_f64() * self.speed)
        };
        let stepped = self.runs.step_watched(&hands, &mut self.between);
        match stepped {
            Ok(()) => {
                self.said.extend(self.runs.scene.world.take_messages());
                self.said.drain(..self.said.len().saturating_sub(MOST_SAID));
                self.history.record_at_times(&self.runs);
            }
            Err(StepProblem::Interrupted) => {}
            Err(StepProblem::Broken(error)) => {
                (self.playing, self.error) = (false, Some(error));
                if was_compared && self.runs.second.is_none() {
                    self.history.record_whole(&self.runs);
                }
            }
        }
    }

    /// Shows everybody how things are now.
    pub(crate) fn publish(&mut self) {
        let interests: Vec<Interest> = self.interests().values().cloned().collect();
        let world = self.runs.world();
        let is_due = self.told.is_none_or(|told| told.elapsed() >= STATUS);
        if is_due {
            self.told = Some(Instant::now());
            let bodies = interests.iter().filter_map(|interest| interest.body);
            let inspected = bodies.filter_map(|id| Some((id, inspect(world, id)?.to_string().into())));
            self.now.inspected = inspected.collect();
            self.now.status.set(self.status());
        }
        let shown = self.moment().cloned();
        let Self { runs, limits, now, unit, .. } = self;
        let thickness = thickness(&runs.scene);
        let mut show = |world: &World| {
            let mut drawings = BTreeMap::new();
            for what in interests.iter().flat_map(|interest| interest.drawn.iter().copied()) {
                drawings.entry(what).or_insert_with(|| match what {
                    Instrumented::Limits => drawings::drawing(what, |instrument| {
                        let selected = interests.iter().filter_map(|interest| interest.body);
                        selected.for_each(|body| limits.draw(world, body, instrument));
                    }),
                    _ => drawings::draw(world, what),
                });
            }
            now.drawings = drawings;
            (now.time, now.steps) = (world.time(), world.state().steps);
            now.poses = poses(world, *unit);
            now.strands = vec![tell_strands(world, 0, thickness)];
        };
        match &shown {
            Some(state) => runs.scene.world.shown_in(state, show),
            None => show(&runs.scene.world),
        }
        now.second = runs.second.as_ref().map(|second| poses(&second.world, *unit));
        now.strands.extend(runs.second.as_ref().map(|second| tell_strands(&second.world, 1, thickness)));
        self.publisher.send_replace(Arc::new(self.now.clone()));
    }

    /// The moment inside the last step whose time has come, where it is known.
    fn moment(&self) -> Option<&State> {
        let world = self.runs.world();
        let ahead = (self.runs.scene.dt - self.debt).max(0.0);
        let moment = self.between.at(world.time() - ahead).filter(|_| self.playing);
        // Who came since has no place in it.
        moment.filter(|state| state.bodies.len() == world.state().bodies.len())
    }

    fn status(&self) -> String {
        let mut status = tell_status(self.runs.world(), &self.runs.method.description, self.runs.scene.dt);
        status["type"] = json!("status");
        status["playing"] = json!(self.playing);
        status["speed"] = json!(self.speed);
        status["pace"] = json!(if self.playing { self.pace } else { 0.0 });
        status["history"] = json!(self.history.range());
        status["said"] = json!(self.said);
        status["error"] = json!(self.error);
        let [warning, second_warning] = self.runs.warnings();
        status["warning"] = json!(warning);
        if let (Some(run), Some(dt)) = (&self.runs.second, self.runs.second_dt()) {
            let mut second = tell_status(&run.world, &run.method.description, dt);
            second["largest"] = json!(self.runs.apart.largest);
            second["mean"] = json!(self.runs.apart.mean);
            second["warning"] = json!(second_warning);
            status["second"] = second;
        }
        status.to_string()
    }
}

/// What is left to do of commands in a row: who opens a scene or a text and then another one wants the last.
fn without_outdated(commands: Vec<Command>) -> Vec<Command> {
    let opens = |command: &Command| matches!(command, Command::Request(_, request, _) if matches!(**request, Request::Text { .. } | Request::Scene { .. }));
    let last = commands.iter().rposition(opens);
    // A text refers to files of the scene before it, so that one is opened in any case.
    let is_scene = |command: &Command| matches!(command, Command::Request(_, request, _) if matches!(**request, Request::Scene { .. }));
    let before = last.and_then(|last| commands[..=last].iter().rposition(is_scene));
    let kept = |index: &usize, command: &Command| !opens(command) || Some(*index) == last || Some(*index) == before;
    commands
        .into_iter()
        .enumerate()
        .filter(|(index, command)| kept(index, command))
        .map(|(_, command)| command)
        .collect()
}

/// Where the bodies of a world are, by slot.
fn poses(world: &World, unit: f64) -> Arc<[Option<Pose>]> {
    let mut poses = vec![None; world.model().bodies().slot_count()];
    for (id, body) in world.bodies() {
        poses[id.slot()] = Some(Pose::new(&body.pose(), body.is_asleep(), unit));
    }
    poses.into()
}

/// A method from its description in a request.
fn make_method(method: Value, registry: &Registry) -> Result<Arc<Chosen>, Value> {
    let loaded = load_method(&method, registry).map_err(|report| {
        let messages: Vec<String> = report.diagnostics.iter().map(|d| format!("{} {}", d.message, d.help)).collect();
        problem(messages.join("; ").trim())
    })?;
    Ok(Chosen::new(method, loaded.world.method()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Typing in the editor sends a text with every key: only the last is built, and all else is done in its order.
    #[test]
    fn only_the_last_text_is_opened() {
        let (answers, _heard) = mpsc::channel(1);
        let request = |request| Command::Request(1, Box::new(request), answers.clone());
        let text = |text: &str| request(Request::Text { text: text.into() });
        let scene = |name: &str| request(Request::Scene { name: name.into() });
        let told = |commands: Vec<Command>| -> Vec<String> {
            let left = without_outdated(commands).into_iter();
            let requests = left.filter_map(|command| match command {
                Command::Request(_, request, _) => Some(*request),
                _ => None,
            });
            let word = |request| match request {
                Request::Text { text } => text,
                Request::Scene { name } => name,
                other => format!("{other:?}"),
            };
            requests.map(word).collect()
        };
        assert_eq!(told(vec![text("a"), text("b"), request(Request::Play), text("c")]), ["Play", "c"]);
        assert_eq!(told(vec![scene("s"), text("a"), text("b"), request(Request::Pause)]), ["s", "b", "Pause"]);
        assert_eq!(told(vec![scene("s"), text("a"), scene("t")]), ["t"]);
        assert_eq!(told(vec![request(Request::Step), request(Request::Step)]), ["Step", "Step"]);
    }
}
