//! The world of the scene and, beside it, perhaps the same world by another method or with other steps.
//!
//! The second run takes a whole number of steps for each step of the first, or one step for a whole number of them, so
//! that both meet again and again and can be compared. Hands pull bodies in both, each from where the body is there.

use crate::hand::Hand;
use crate::subject::described_method;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_dynamics::method::{Method, NobodyWatches, Observer};
use tumble_dynamics::{BodyState, Cancel, EnergyWatch, Id, Model, Snapshot, State, StepError, World, Wrench};
use tumble_scene::energy::EnergyTally;
use tumble_scene::{Loader, Scene};

/// The most steps of one run for each step of the other.
const MOST_STEPS: f64 = 1000.0;

/// A method as a scene file has it, and one that has seen nothing yet.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) description: Value,
    fresh: Box<dyn Method>,
}

impl Chosen {
    pub(crate) fn new(description: Value, fresh: &dyn Method) -> Arc<Self> {
        let mut fresh = fresh.clone_box();
        fresh.reset();
        Arc::new(Self { description, fresh })
    }

    /// Lets time pass in a world this way from now on. If only settings of the method at work change, it keeps all it
    /// remembers of contacts and impulses, and what rests goes on resting.
    fn take_over(&self, world: &mut World) {
        let index = |method: &dyn Method| method.new_broad_phase().name();
        let is_same = index(world.method()) == index(self.fresh.as_ref());
        if !(is_same && Loader::new().configure(world, &self.description).is_ok()) {
            self.begin(world);
        }
    }

    /// Likewise, with a method that has seen nothing yet.
    fn begin(&self, world: &mut World) {
        world.set_boxed_method(self.fresh.clone_box());
    }
}

/// How the steps of the second run go with those of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rhythm {
    /// So many steps of the second …
    own: u32,
    /// … for so many of the first. One of the two numbers is one.
    each: u32,
    /// The number of the step of the first run from which this is counted.
    since: u64,
}

impl Rhythm {
    /// The rhythm that is nearest to steps of these lengths, from a step of the first run on.
    fn new(first: f64, second: f64, since: u64) -> Self {
        let times = |ratio: f64| ratio.round().clamp(1.0, MOST_STEPS) as u32;
        Self { own: times(first / second), each: times(second / first), since }
    }

    /// The length of the second run's steps.
    fn dt(self, first: f64) -> f64 {
        first * f64::from(self.each) / f64::from(self.own)
    }

    /// Whether the two runs are at the same time when the first has taken so many steps.
    fn meets(self, steps: u64) -> bool {
        steps.saturating_sub(self.since).is_multiple_of(u64::from(self.each))
    }
}

/// The run beside the first.
#[derive(Debug)]
pub(crate) struct Second {
    pub(crate) world: World,
    pub(crate) method: Arc<Chosen>,
    rhythm: Rhythm,
    /// How many steps it has to take to be where the first is: more than none after an interruption.
    owed: u32,
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StepProblem {
    /// Something else is wanted.
    Interrupted,
    /// It cannot be taken, and why.
    Broken(String),
}

/// How far the bodies of the two runs are apart, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Apart {
    pub(crate) largest: f64,
    /// The root of the mean square.
    pub(crate) mean: f64,
}

/// The scene, and perhaps a second run of it.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(crate) scene: Scene,
    pub(crate) method: Arc<Chosen>,
    pub(crate) second: Option<Second>,
    watch: EnergyWatch,
    /// Who may end steps.
    interrupt: Cancel,
    /// Energy that came out of nothing in the two runs, since somebody last changed how time passes.
    out_of_nothing: [EnergyTally; 2],
    /// The distances when the two last met.
    pub(crate) apart: Apart,
}

/// Where everything was at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct States {
    pub(crate) first: State,
    second: Option<State>,
}

/// Everything at a moment, with all the methods remember: to go on from as if nothing had happened.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    first: Snapshot,
    method: Arc<Chosen>,
    dt: f64,
    second: Option<(Snapshot, Arc<Chosen>, Rhythm, u32)>,
    size: f64,
}

/// What a body and a contact take in a whole, in bytes, about: model, state and what methods remember.
const WHOLE_BODY: f64 = 3000.0;
const WHOLE_CONTACT: f64 = 2500.0;

impl States {
    /// What the states of so many bodies take, in bytes.
    pub(crate) fn size_of(bodies: f64) -> f64 {
        (std::mem::size_of::<BodyState>() + std::mem::size_of::<Wrench>()) as f64 * bodies
    }

    /// What they take, in bytes.
    pub(crate) fn size(&self) -> f64 {
        let bodies = |state: &State| state.bodies.len() as f64;
        Self::size_of(bodies(&self.first) + self.second.as_ref().map_or(0.0, bodies))
    }
}

impl Whole {
    /// What a whole of so many bodies and contacts takes, in bytes, about.
    pub(crate) fn size_of(bodies: f64, contacts: f64) -> f64 {
        WHOLE_BODY * bodies + WHOLE_CONTACT * contacts
    }

    /// What it takes, in bytes, about.
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// How many steps the first run had taken.
    pub(crate) fn steps(&self) -> u64 {
        self.first.state().steps
    }

    /// Who was there, in the first run.
    pub(crate) fn model(&self) -> &Model {
        self.first.model()
    }

    /// When it was, in seconds.
    pub(crate) fn time(&self) -> f64 {
        self.first.state().time
    }
}

impl Runs {
    /// A scene at its start, with the method that it asks for.
    pub(crate) fn new(mut scene: Scene, interrupt: Cancel) -> Self {
        let watch = scene.energy_watch.unwrap_or(EnergyWatch::Warn);
        scene.world.set_energy_watch(watch);
        scene.world.set_cancel(interrupt.clone());
        let description = described_method(&scene.source).unwrap_or_else(|| scene.world.method().name().into());
        let method = Chosen::new(description, scene.world.method());
        Self {
            scene,
            method,
            second: None,
            watch,
            interrupt,
            out_of_nothing: Default::default(),
            apart: Apart::default(),
        }
    }

    /// The world of the first run.
    pub(crate) fn world(&self) -> &World {
        &self.scene.world
    }

    /// The worlds there are.
    pub(crate) fn worlds_mut(&mut self) -> impl Iterator<Item = &mut World> {
        std::iter::once(&mut self.scene.world).chain(self.second.as_mut().map(|second| &mut second.world))
    }

    /// What comes from outside, from the next step on: the same for both worlds.
    pub(crate) fn set_inputs(&mut self, inputs: &BTreeMap<String, f64>) {
        for world in self.worlds_mut() {
            if world.inputs() != inputs {
                world.clear_inputs();
                // They were looked at when they came.
                inputs.iter().for_each(|(name, &value)| drop(world.set_input(name, value)));
            }
        }
    }

    /// Does the same to both worlds.
    pub(crate) fn change<E>(&mut self, mut change: impl FnMut(&mut World) -> Result<(), E>) -> Result<(), E> {
        self.worlds_mut().try_for_each(&mut change)
    }

    /// One step of the first run, and those of the second that go with it. On an error of the second run it is given up; if it is
    /// interrupted, it takes the rest of its steps before the next one of the first.
    pub(crate) fn step(&mut self, hands: &[Hand]) -> Result<(), StepProblem> {
        self.step_watched(hands, &mut NobodyWatches)
    }

    /// The same, with somebody who watches moments inside the step of the first run.
    pub(crate) fn step_watched(&mut self, hands: &[Hand], observer: &mut dyn Observer) -> Result<(), StepProblem> {
        let dt = self.scene.dt;
        self.catch_up(hands)?;
        step(&mut self.scene.world, dt, hands, observer)?;
        self.out_of_nothing[0].note(&self.scene.world);
        let Some(second) = &mut self.second else { return Ok(()) };
        if second.rhythm.meets(self.scene.world.state().steps) {
            second.owed = second.rhythm.own;
        }
        self.catch_up(hands)
    }

    /// Takes the steps that the second run still owes the first.
    fn catch_up(&mut self, hands: &[Hand]) -> Result<(), StepProblem> {
        let dt = self.scene.dt;
        let Some(second) = self.second.as_mut().filter(|second| second.owed > 0) else { return Ok(()) };
        while second.owed > 0 {
            match step(&mut second.world, second.rhythm.dt(dt), hands, &mut NobodyWatches) {
                Ok(()) => second.owed -= 1,
                Err(StepProblem::Interrupted) => return Err(StepProblem::Interrupted),
                Err(StepProblem::Broken(error)) => {
                    self.second = None;
                    return Err(StepProblem::Broken(format!("the second run cannot go on: {error}")));
                }
            }
            self.out_of_nothing[1].note(&second.world);
        }
        self.measure();
        Ok(())
    }

    /// What is doubtful about the two runs.
    pub(crate) fn warnings(&self) -> [Option<String>; 2] {
        self.out_of_nothing.each_ref().map(EnergyTally::warning)
    }

    /// Begins to count anew what is doubtful.
    pub(crate) fn forget_warnings(&mut self) {
        self.out_of_nothing = Default::default();
    }

    /// Lets time pass in another way from now on.
    pub(crate) fn choose(&mut self, method: Arc<Chosen>) {
        method.take_over(&mut self.scene.world);
        self.method = method;
        self.forget_warnings();
    }

    /// Begins the second run where the first is, or lets the one there is go on in another way.
    pub(crate) fn compare(&mut self, method: Arc<Chosen>, dt: f64) {
        let first = &self.scene.world;
        let rhythm = Rhythm::new(self.scene.dt, dt, first.state().steps);
        let mut world = match self.second.take() {
            Some(second) => second.world,
            None => self.copy(&first.snapshot()),
        };
        method.take_over(&mut world);
        self.second = Some(Second { world, method, rhythm, owed: 0 });
        self.out_of_nothing[1] = EnergyTally::default();
        self.measure();
    }

    /// Back to the start, with the methods and steps that are chosen now.
    pub(crate) fn reset(&mut self, start: &Snapshot) {
        self.scene.world.restore(start);
        self.method.begin(&mut self.scene.world);
        if let (Some(dt), Some(second)) = (self.second_dt(), self.second.take()) {
            self.compare(second.method, dt);
        }
        self.forget_warnings();
    }

    /// Takes steps of another length from now on.
    pub(crate) fn set_dt(&mut self, dt: f64) {
        let steps = self.scene.world.state().steps;
        if let Some(second) = &mut self.second {
            second.rhythm = Rhythm::new(dt, second.rhythm.dt(self.scene.dt), steps);
        }
        self.scene.dt = dt;
        self.forget_warnings();
    }

    /// The length of the second run's steps.
    pub(crate) fn second_dt(&self) -> Option<f64> {
        self.second.as_ref().map(|second| second.rhythm.dt(self.scene.dt))
    }

    /// A world of its own.
    fn copy(&self, snapshot: &Snapshot) -> World {
        let mut world = World::new();
        world.set_energy_watch(self.watch);
        world.set_cancel(self.interrupt.clone());
        world.restore(snapshot);
        world
    }

    fn measure(&mut self) {
        let Some(second) = &self.second else { return };
        let moving = self.scene.world.bodies().filter(|(_, body)| body.model().kind.moves());
        let distances = moving.filter_map(|(id, body)| {
            let other = second.world.state().bodies.get(id.slot())?;
            Some(body.state().position.distance(other.position))
        });
        let (mut largest, mut squares, mut count) = (0.0, 0.0, 0u32);
        for distance in distances {
            (largest, squares, count) = (f64::max(largest, distance), squares + distance * distance, count + 1);
        }
        self.apart = Apart { largest, mean: (squares / f64::from(count.max(1))).sqrt() };
    }

    /// Where everything is.
    pub(crate) fn states(&self) -> States {
        let second = self.second.as_ref().map(|second| second.world.state().clone());
        States { first: self.scene.world.state().clone(), second }
    }

    /// Whether everything is exactly there.
    pub(crate) fn is_at(&self, states: &States) -> bool {
        *self.world().state() == states.first
            && self.second.as_ref().map(|second| second.world.state()) == states.second.as_ref()
    }

    /// Puts everything somewhere else; the methods forget what they remember.
    pub(crate) fn put(&mut self, states: &States) {
        // States of the same bodies always fit.
        let _fits = self.scene.world.set_state(&states.first);
        if let (Some(second), Some(state)) = (&mut self.second, &states.second) {
            let _fits = second.world.set_state(state);
        }
        if self.second.as_ref().is_some_and(|second| second.rhythm.meets(states.first.steps)) {
            self.measure();
        }
    }

    /// Everything.
    pub(crate) fn whole(&self) -> Whole {
        let second = self.second.as_ref();
        let size = |world: &World| Whole::size_of(world.state().bodies.len() as f64, world.report().contacts as f64);
        Whole {
            size: size(&self.scene.world) + second.map_or(0.0, |second| size(&second.world)),
            first: self.scene.world.snapshot(),
            method: self.method.clone(),
            dt: self.scene.dt,
            second: second.map(|second| (second.world.snapshot(), second.method.clone(), second.rhythm, second.owed)),
        }
    }

    /// Returns to a moment.
    pub(crate) fn restore(&mut self, whole: &Whole) {
        self.scene.world.restore(&whole.first);
        (self.method, self.scene.dt) = (whole.method.clone(), whole.dt);
        self.second = whole.second.as_ref().map(|(snapshot, method, rhythm, owed)| {
            let (method, rhythm, owed) = (method.clone(), *rhythm, *owed);
            Second { world: self.copy(snapshot), method, rhythm, owed }
        });
        self.measure();
    }
}

fn step(world: &mut World, dt: f64, hands: &[Hand], observer: &mut dyn Observer) -> Result<(), StepProblem> {
    for hand in hands {
        hand.pull(world, dt);
    }
    world.step_observed(dt, observer).map_err(|error| match error {
        StepError::Cancelled => StepProblem::Interrupted,
        other => StepProblem::Broken(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball() -> Runs {
        let text = "title = \"ball\"\ndt = 0.01\n[bodies.ball]\nshape.sphere.radius = 0.1\nvelocity = [1, 0, 0]\n\
                    [bodies.floor]\nkind = \"fixed\"\nshape.half_space = {}\nposition = [0, -0.2, 0]\n";
        Runs::new(tumble_scene::Loader::new().load_text("ball", text).unwrap(), Cancel::new())
    }

    #[test]
    fn the_same_twice_is_nowhere_apart() {
        let mut runs = ball();
        runs.compare(runs.method.clone(), 0.01);
        for _ in 0..100 {
            runs.step(&[]).unwrap();
        }
        assert_eq!(runs.apart, Apart::default());
    }

    #[test]
    fn runs_with_other_steps_meet_again_and_again() {
        for (dt, each, own) in [(0.01 / 16.0, 1, 16), (0.0098, 1, 1), (0.04, 4, 1), (1e-9, 1, 1000), (1e9, 1000, 1)] {
            let mut runs = ball();
            runs.compare(runs.method.clone(), dt);
            for _ in 0..8 {
                runs.step(&[]).unwrap();
            }
            let second = runs.second.as_ref().unwrap();
            assert_eq!((second.rhythm.each, second.rhythm.own), (each, own), "{dt}");
            assert_eq!(second.world.state().steps, u64::from(8 / each * own), "{dt}");
            if each < 8 {
                assert!((runs.world().time() - second.world.time()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_distance_is_that_of_the_bodies() {
        let mut runs = ball();
        runs.compare(runs.method.clone(), 0.01);
        let ball = runs.world().model().bodies().ids().next().unwrap();
        runs.second.as_mut().unwrap().world.body_mut(ball).unwrap().set_velocity([1.0, 0.0, 2.0]).unwrap();
        runs.step(&[]).unwrap();
        assert!((runs.apart.largest - 0.02).abs() < 1e-9 && (runs.apart.mean - 0.02).abs() < 1e-9, "{:?}", runs.apart);
    }

    /// A stack of boxes that rests, with steps taken until all contacts are known.
    fn stack() -> Runs {
        let scene = tumble_scene::gallery::find("stack").unwrap().load(&Loader::new()).unwrap();
        let mut runs = Runs::new(scene, Cancel::new());
        (0..20).for_each(|_| runs.step(&[]).unwrap());
        runs
    }

    fn chosen(settings: Value) -> Arc<Chosen> {
        let description = serde_json::json!({ "realtime": settings });
        let loaded = crate::subject::load_method(&description, &Default::default()).unwrap();
        Chosen::new(description, loaded.world.method())
    }

    fn fingerprint_after(runs: &mut Runs, steps: usize) -> u64 {
        (0..steps).for_each(|_| runs.step(&[]).unwrap());
        runs.world().state().fingerprint()
    }

    /// A setting that does not bear on what happens changes no bit of it: the method remembers its contacts.
    #[test]
    fn other_settings_do_not_make_the_method_forget() {
        let undisturbed = fingerprint_after(&mut stack(), 20);
        let mut runs = stack();
        runs.choose(chosen(serde_json::json!({ "max_push_speed": 2.5 })));
        assert_eq!(fingerprint_after(&mut runs, 20), undisturbed);
        // One that has to begin anew is off by a little: this is what is being tested.
        let mut runs = stack();
        runs.method.clone().begin(&mut runs.scene.world);
        assert_ne!(fingerprint_after(&mut runs, 20), undisturbed);
    }

    #[test]
    fn other_settings_take_effect() {
        let mut runs = stack();
        runs.choose(chosen(serde_json::json!({ "time_to_sleep": "never" })));
        (0..(2.0 / runs.scene.dt) as usize).for_each(|_| runs.step(&[]).unwrap());
        assert!(runs.world().bodies().all(|(_, body)| !body.is_asleep()));
    }

    #[test]
    fn energy_out_of_nothing_is_told_until_time_passes_in_another_way() {
        // With explicit Euler each step of a spring multiplies the energy of its swing by 1 + (k/m) dt².
        let euler = Loader::new().with_setting("method.retroactive.integrator=explicit_euler").with_setting("dt=0.02");
        let scene = tumble_scene::gallery::find("constraints/spring").unwrap().load(&euler).unwrap();
        let mut runs = Runs::new(scene, Cancel::new());
        (0..40).for_each(|_| runs.step(&[]).unwrap());
        assert!(runs.warnings()[0].as_ref().is_some_and(|text| text.contains("came out of nothing")));
        runs.set_dt(0.001);
        assert_eq!(runs.warnings(), [None, None]);
    }
}
