//! The thread that owns the world: obeys requests, lets time pass, and publishes the state of affairs.
//!
//! Sixty times a second it takes as many steps as the speed asks for, or as many as fit into a frame, and publishes. When
//! nothing moves, because it is paused or nobody looks, it waits for requests and costs nothing.

use crate::drawings;
use crate::frame::{Pose, unit_for};
use crate::hand::Hand;
use crate::history::History;
use crate::inspect::inspect;
use crate::looks::Bodies;
use crate::protocol::{Interest, Request};
use crate::published::Published;
use crate::subject::{Subject, load_method};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tumble_dynamics::method::Method;
use tumble_dynamics::{Body, Id, Snapshot, World};
use tumble_geometry::Shape;
use tumble_scene::{Report, Scene, gallery};

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
    /// It is over.
    Stop,
}

pub(crate) struct Simulation {
    /// What the sandbox was started with.
    given: Subject,
    /// Where the scene comes from.
    subject: Subject,
    scene: Scene,
    /// The world at the start of the scene.
    start: Snapshot,
    /// The chosen method as a scene file has it, and one that has seen nothing yet.
    method: (Value, Box<dyn Method>),
    history: History,
    hands: BTreeMap<ClientId, Hand>,
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
    now: Published,
    told: Option<Instant>,
    publisher: watch::Sender<Arc<Published>>,
    interests: Interests,
}

impl Simulation {
    pub(crate) fn new(
        subject: Subject,
        publisher: watch::Sender<Arc<Published>>,
        interests: Interests,
    ) -> Result<Self, Report> {
        let scene = subject.load()?;
        let start = scene.world.snapshot();
        let history = History::new(&scene.world);
        let method = (json!("retroactive"), scene.world.method().clone_box());
        let mut new = Self {
            given: subject.clone(),
            subject: subject.clone(),
            scene,
            start,
            method,
            history,
            hands: BTreeMap::new(),
            playing: true,
            speed: 1.0,
            debt: 0.0,
            pace: 0.0,
            error: None,
            unit: 1.0,
            shots: 0,
            now: Published::default(),
            told: None,
            publisher,
            interests,
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
            } else {
                commands.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match first {
                Ok(command) => {
                    for command in std::iter::once(command).chain(commands.try_iter().take(BATCH)) {
                        if !self.obey(command) {
                            return;
                        }
                    }
                    self.told = None;
                }
                Err(RecvTimeoutError::Timeout) => {}
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

    fn interests(&self) -> std::sync::MutexGuard<'_, BTreeMap<ClientId, Interest>> {
        self.interests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False when it is over.
    fn obey(&mut self, command: Command) -> bool {
        match command {
            Command::Look => {}
            Command::Left(client) => drop(self.hands.remove(&client)),
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
        match request {
            Request::Play => (self.playing, self.error) = (true, None),
            Request::Pause => self.playing = false,
            Request::Step => {
                (self.playing, self.error) = (false, None);
                self.step();
                self.history.record(&self.scene.world);
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
            Request::Method { method } => self.choose_method(method)?,
            Request::Grab { body, point } => {
                let hand = Hand::grab(&self.scene.world, body, point);
                self.hands.extend(hand.map(|hand| (client, hand)));
            }
            Request::Drag { to } => {
                if let Some(hand) = self.hands.get_mut(&client) {
                    hand.drag(to);
                }
            }
            Request::Release => drop(self.hands.remove(&client)),
            Request::Shoot { from, towards } => self.shoot(from, towards).map_err(|text| problem(&text))?,
            Request::Delete { body } => {
                self.scene.world.remove_body(body).map_err(|error| problem(&error.to_string()))?;
                self.bodies_changed();
            }
            Request::Seek { time } => self.seek(time),
            // These change an interest, which the tab's own task has seen to.
            Request::Inspect { .. } | Request::Draw { .. } => {}
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.scene.world.restore(&self.start);
        self.scene.world.set_boxed_method(self.method.1.clone_box());
        self.history = History::new(&self.scene.world);
        self.hands.clear();
        (self.debt, self.error) = (0.0, None);
        self.now.bodies = Arc::new(Bodies::of(&self.scene, &self.now.bodies));
    }

    fn open(&mut self, scene: Scene) {
        self.scene = scene;
        self.start = self.scene.world.snapshot();
        self.history = History::new(&self.scene.world);
        self.hands.clear();
        (self.debt, self.error, self.playing) = (0.0, None, true);
        self.scene_opened();
    }

    /// Says everything about a scene that was just read.
    fn scene_opened(&mut self) {
        let scene = &self.scene;
        let given: toml::Table = toml::from_str(&scene.source.text).unwrap_or_default();
        let method = given.get("method").and_then(|method| serde_json::to_value(method).ok());
        self.method = (method.unwrap_or_else(|| json!("retroactive")), scene.world.method().clone_box());
        self.unit = unit_for(smallest(&scene.world));
        self.now.scene.set(
            json!({
                "type": "scene",
                "name": self.subject.name(),
                "title": scene.title,
                "description": scene.description,
                "text": scene.source.text,
                "dt": scene.dt,
                "duration": scene.duration,
                "unit": self.unit,
                "camera": scene.camera.map(|camera| json!({
                    "from": camera.from, "to": camera.to, "view_deg": camera.view_deg,
                })),
                "extent": extent(&scene.world),
            })
            .to_string(),
        );
        let version = self.now.bodies.version;
        self.now.bodies = Arc::new(Bodies::of(scene, &Bodies { version, ..Bodies::default() }));
    }

    fn choose_method(&mut self, method: Value) -> Result<(), Value> {
        let chosen = load_method(&method).map_err(|report| {
            let messages: Vec<String> =
                report.diagnostics.iter().map(|d| format!("{} {}", d.message, d.help)).collect();
            problem(messages.join("; ").trim())
        })?;
        let chosen = chosen.world.method().clone_box();
        self.scene.world.set_boxed_method(chosen.clone_box());
        self.method = (method, chosen);
        Ok(())
    }

    fn bodies_changed(&mut self) {
        self.history.bodies_changed(&self.scene.world);
        self.now.bodies = Arc::new(Bodies::of(&self.scene, &self.now.bodies));
    }

    fn shoot(&mut self, from: glam::DVec3, towards: glam::DVec3) -> Result<(), String> {
        if self.scene.world.model().bodies().len() >= MOST_BODIES {
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
        self.scene.world.add_body(ball).map_err(|error| error.to_string())?;
        self.bodies_changed();
        Ok(())
    }

    fn seek(&mut self, time: f64) {
        self.playing = false;
        self.hands.clear();
        let [_, last] = self.history.range();
        if self.scene.world.time() > last {
            self.history.record(&self.scene.world);
        }
        if self.history.go_to(time, &mut self.scene.world) {
            self.now.bodies = Arc::new(Bodies::of(&self.scene, &self.now.bodies));
        }
    }

    /// Lets as much time pass as has passed outside, or as much as can be computed.
    fn advance(&mut self, passed: Duration) {
        let dt = self.scene.dt;
        let before = self.scene.world.time();
        // After a long pause (a laptop that slept) nobody wants to catch up.
        let passed = passed.as_secs_f64().min(0.25);
        self.debt += passed * self.speed;
        let begun = Instant::now();
        while self.playing && self.debt >= 0.999 * dt {
            if begun.elapsed() > BUDGET {
                self.debt = self.debt.min(dt);
                break;
            }
            self.step();
            self.debt -= dt;
        }
        self.history.record_at_times(&self.scene.world);
        if passed > 0.0 {
            let share = passed.min(1.0);
            self.pace += share.min(0.1) * 10.0 * 0.2 * ((self.scene.world.time() - before) / passed - self.pace);
        }
    }

    fn step(&mut self) {
        let (world, dt) = (&mut self.scene.world, self.scene.dt);
        self.hands.retain(|_, hand| hand.pull(world, dt));
        if let Err(error) = world.step(dt) {
            (self.playing, self.error) = (false, Some(error.to_string()));
        }
    }

    /// Shows everybody how things are now.
    fn publish(&mut self) {
        let world = &self.scene.world;
        let mut poses = vec![None; world.model().bodies().slot_count()];
        for (id, body) in world.bodies() {
            poses[id.slot()] = Some(Pose::new(&body.pose(), body.is_asleep(), self.unit));
        }
        let interests: Vec<Interest> = self.interests().values().cloned().collect();
        let is_due = self.told.is_none_or(|told| told.elapsed() >= STATUS);
        if is_due {
            self.told = Some(Instant::now());
            let bodies = interests.iter().filter_map(|interest| interest.body);
            let inspected = bodies.filter_map(|id| Some((id, inspect(&self.scene.world, id)?.to_string().into())));
            self.now.inspected = inspected.collect();
            let status = self.status();
            self.now.status.set(status);
        }
        let world = &self.scene.world;
        let mut drawings = BTreeMap::new();
        for what in interests.iter().flat_map(|interest| interest.drawn.iter().copied()) {
            drawings.entry(what).or_insert_with(|| drawings::draw(world, what));
        }
        self.now.drawings = drawings;
        (self.now.poses, self.now.time, self.now.steps) = (poses.into(), world.time(), world.state().steps);
        self.publisher.send_replace(Arc::new(self.now.clone()));
    }

    fn status(&self) -> String {
        let world = &self.scene.world;
        let energy = world.energy();
        let report = world.report();
        let milliseconds = |duration: Duration| 1e3 * duration.as_secs_f64();
        json!({
            "type": "status",
            "playing": self.playing,
            "speed": self.speed,
            "pace": if self.playing { self.pace } else { 0.0 },
            "time": world.time(),
            "steps": world.state().steps,
            "history": self.history.range(),
            "method": self.method.0,
            "error": self.error,
            "kinetic": energy.kinetic,
            "potential": energy.potential,
            "momentum": world.momentum().length(),
            "angular_momentum": world.angular_momentum(glam::DVec3::ZERO).length(),
            "contacts": report.contacts,
            "awake": report.awake,
            "asleep": report.asleep,
            "islands": report.islands,
            "step_ms": milliseconds(report.times.total),
            "detect_ms": milliseconds(report.times.detect),
            "solve_ms": milliseconds(report.times.solve),
            "bodies": world.model().bodies().len(),
            "joints": world.model().joints().len(),
        })
        .to_string()
    }
}

/// An answer that says what is wrong.
pub(crate) fn problem(message: &str) -> Value {
    json!({ "type": "problem", "message": message })
}

/// An answer that says what is wrong with a scene, and where.
fn scene_problem(report: &Report) -> Value {
    json!({ "type": "scene_problem", "diagnostics": report.to_json(), "more": report.more })
}

/// What pages are told first: the gallery and everything about methods.
pub(crate) fn hello(given: &Subject) -> String {
    let registry = tumble_dynamics::registry::Registry::default();
    let schema = tumble_scene::scene_schema(&registry);
    let scenes = gallery::SCENES.iter().map(|entry| {
        let (title, description) = entry.summary();
        json!({ "name": entry.name, "title": title, "description": description })
    });
    let mut scenes: Vec<Value> = scenes.collect();
    if gallery::find(&given.name()).is_none() {
        scenes.insert(0, json!({ "name": given.name(), "title": given.name(), "description": "The scene file." }));
    }
    let defaults: BTreeMap<&str, BTreeMap<&str, &Value>> = registry
        .methods
        .parts()
        .map(|part| (part.name.as_str(), part.properties.iter().map(|p| (p.name.as_str(), &p.default)).collect()))
        .collect();
    json!({
        "type": "hello",
        "version": env!("CARGO_PKG_VERSION"),
        "scenes": scenes,
        "method": schema.pointer("/properties/method"),
        "definitions": schema.get("$defs"),
        "defaults": defaults,
    })
    .to_string()
}

/// The size of the smallest body that moves, in metres; 1 if there is none.
fn smallest(world: &World) -> f64 {
    let sizes = world.bodies().filter(|(_, body)| body.model().kind.moves()).map(|(_, body)| {
        let colliders = body.model().colliders.iter();
        let sizes = colliders.filter_map(|&id| world.model().colliders().get(id)).map(|collider| {
            let aabb = collider.shape.aabb(&tumble_geometry::Transform::IDENTITY);
            2.0 * aabb.half_extents().max_element()
        });
        sizes.fold(0.0, f64::max)
    });
    let smallest = sizes.filter(|&size| size > 0.0).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 1.0 }
}

/// The box around everything finite: low and high corner; none if there is nothing.
fn extent(world: &World) -> Option<[glam::DVec3; 2]> {
    let boxes = world.model().colliders().iter().filter_map(|(id, collider)| {
        let aabb = collider.shape.aabb(&world.collider_pose(id)?);
        (aabb.min.is_finite() && aabb.max.is_finite()).then_some([aabb.min, aabb.max])
    });
    boxes.reduce(|[low, high], [min, max]| [low.min(min), high.max(max)])
}

/// The largest distance between bodies at the start, in metres.
fn extent_size(start: &Snapshot) -> f64 {
    let positions = start.model().bodies().ids().map(|id| start.state().bodies[id.slot()].position);
    let (low, high) = positions.fold((glam::DVec3::MAX, glam::DVec3::MIN), |(low, high), p| (low.min(p), high.max(p)));
    (high - low).max_element().max(0.0)
}
