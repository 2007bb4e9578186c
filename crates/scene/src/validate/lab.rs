//! Where problems are measured: scenes are loaded under given conditions and run step by step.

use super::Trouble;
use crate::{Loader, Scene};
use glam::DVec3;
use tumble_dynamics::{BodyId, BodyRef, JointId, JointRef};

/// The method whose limits are known and whose settings the scenes hold.
const REFERENCE_METHOD: &str = "retroactive";

/// The tolerance of the method with error control.
const TOLERANCE: &str = "1e-12";

/// With what the problems are measured.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The name of the method. Default "retroactive".
    pub method: String,
    /// A time step in seconds, instead of those of the scenes.
    pub dt: Option<f64>,
}

impl Default for Conditions {
    fn default() -> Self {
        Self { method: REFERENCE_METHOD.to_owned(), dt: None }
    }
}

impl Conditions {
    /// Whether the method is the one whose limits are known and whose settings the scenes hold.
    pub(super) fn is_reference_method(&self) -> bool {
        self.method == REFERENCE_METHOD
    }

    /// Whether the tolerances are those of a method with error control.
    pub(super) fn is_accurate(&self) -> bool {
        self.method == "accurate"
    }
}

/// Loads scenes under given conditions.
#[derive(Clone, Debug)]
pub struct Lab {
    loader: Loader,
    conditions: Conditions,
}

impl Lab {
    /// A lab with these conditions.
    pub fn new(conditions: Conditions) -> Self {
        Self { loader: Loader::new(), conditions }
    }

    /// What the lab was made for.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Of two values the one for the method at hand: for one with error control, or for one that goes in steps.
    pub(super) fn either(&self, accurate: f64, stepping: f64) -> f64 {
        if self.conditions.is_accurate() { accurate } else { stepping }
    }

    /// The threshold between two values where `holds` turns from false (at `low`) to true, by bisection to a relative 1e-6, or
    /// 1e-11 with error control.
    pub(super) fn threshold(
        &self,
        [mut low, mut high]: [f64; 2],
        holds: impl Fn(f64) -> Result<bool, Trouble>,
    ) -> Result<f64, Trouble> {
        let fine = self.either(1e-11, 1e-6);
        while high - low > fine * high.abs() {
            let middle = 0.5 * (low + high);
            if holds(middle)? { high = middle } else { low = middle }
        }
        Ok(0.5 * (low + high))
    }

    /// A scene, ready to run.
    pub(super) fn scene(&self, text: &str) -> Result<Trial, Trouble> {
        self.scene_with(text, &[])
    }

    /// A scene with changes of keys, as `key=value`.
    pub(super) fn scene_with(&self, text: &str, settings: &[String]) -> Result<Trial, Trouble> {
        let mut loader = self.loader.clone();
        // The scenes may hold settings of the method they were made for; another method has its own.
        if self.conditions.is_accurate() {
            loader = loader.with_setting(format!("method={{ accurate = {{ tolerance = {TOLERANCE} }} }}"));
        }
        loader = settings.iter().fold(loader, |loader, setting| loader.with_setting(setting));
        if !self.conditions.is_reference_method() && !self.conditions.is_accurate() {
            loader = loader.with_setting(format!("method={}", self.conditions.method));
        }
        if let Some(dt) = self.conditions.dt {
            loader = loader.with_setting(format!("dt={dt:?}"));
        }
        let scene = loader.load_text("reference", text).map_err(|report| report.to_string())?;
        Ok(Trial { scene })
    }
}

/// A scene being run.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) scene: Scene,
}

impl Trial {
    pub(super) fn id(&self, name: &str) -> Result<BodyId, Trouble> {
        Ok(self.scene.world.body_named(name).ok_or_else(|| format!("no body {name}"))?)
    }

    pub(super) fn body(&self, name: &str) -> Result<BodyRef<'_>, Trouble> {
        Ok(self.scene.world.body(self.id(name)?)?)
    }

    pub(super) fn joint_id(&self, name: &str) -> Result<JointId, Trouble> {
        Ok(self.scene.world.joint_named(name).ok_or_else(|| format!("no joint {name}"))?)
    }

    pub(super) fn joint(&self, name: &str) -> Result<JointRef<'_>, Trouble> {
        Ok(self.scene.world.joint(self.joint_id(name)?)?)
    }

    pub(super) fn position(&self, name: &str) -> Result<DVec3, Trouble> {
        Ok(self.body(name)?.position())
    }

    /// The velocity of a body's centre of mass.
    pub(super) fn velocity(&self, name: &str) -> Result<DVec3, Trouble> {
        Ok(self.body(name)?.velocity())
    }

    pub(super) fn angular_velocity(&self, name: &str) -> Result<DVec3, Trouble> {
        Ok(self.body(name)?.angular_velocity())
    }

    pub(super) fn time(&self) -> f64 {
        self.scene.world.time()
    }

    pub(super) fn energy(&self) -> f64 {
        self.scene.world.energy().total()
    }

    pub(super) fn step(&mut self) -> Result<(), Trouble> {
        Ok(self.scene.world.step(self.scene.dt)?)
    }

    /// Runs to a time, in steps that are as long as asked for or a little shorter, so that the last ends just there.
    pub(super) fn run_to(&mut self, time: f64) -> Result<(), Trouble> {
        self.watch(time, |_| Ok(()))
    }

    /// Runs to the end of the scene.
    pub(super) fn run(&mut self) -> Result<(), Trouble> {
        self.run_to(self.scene.duration)
    }

    /// Runs to a time and looks after every step.
    pub(super) fn watch(
        &mut self,
        time: f64,
        mut look: impl FnMut(&mut Self) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let left = time - self.time();
        // A step that would be longer by a thousandth only is not divided.
        let steps = (left / self.scene.dt - 1e-3).ceil().max(0.0) as usize;
        let dt = left / steps as f64;
        for _ in 0..steps {
            self.scene.world.step(dt)?;
            look(self)?;
        }
        Ok(())
    }

    /// The times until `time` at which a quantity rises through zero, interpolated between steps.
    pub(super) fn rises(
        &mut self,
        time: f64,
        quantity: impl Fn(&Self) -> Result<f64, Trouble>,
    ) -> Result<Vec<f64>, Trouble> {
        let mut samples = vec![[self.time(), quantity(self)?]];
        self.watch(time, |trial| {
            samples.push([trial.time(), quantity(trial)?]);
            Ok(())
        })?;
        let rises = (1..samples.len()).filter(|&i| samples[i - 1][1] < 0.0 && samples[i][1] >= 0.0);
        Ok(rises.map(|i| crossing(&samples[i.saturating_sub(3)..(i + 3).min(samples.len())])).collect())
    }
}

/// When a quantity that rises is zero: the time as a polynomial of the quantity, through these moments (inverse interpolation, by
/// Neville's scheme).
fn crossing(samples: &[[f64; 2]]) -> f64 {
    let mut times: Vec<f64> = samples.iter().map(|sample| sample[0]).collect();
    for order in 1..samples.len() {
        for i in 0..samples.len() - order {
            let [low, high] = [samples[i][1], samples[i + order][1]];
            times[i] = (high * times[i] - low * times[i + 1]) / (high - low);
        }
    }
    times[0]
}

/// The mean distance between neighbours.
pub(super) fn mean_period(times: &[f64]) -> f64 {
    match times {
        [first, .., last] => (last - first) / (times.len() - 1) as f64,
        _ => f64::NAN,
    }
}
