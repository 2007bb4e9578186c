//! `tumble run --profile`: where the time of the steps went, as a bar for each stage.

use serde_json::{Value, json};
use std::time::Duration;
use tumble_dynamics::StepReport;

/// The reports of many steps, added up.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    steps: u32,
    total: Duration,
    longest: Duration,
    stages: Vec<(&'static str, Duration)>,
    /// Sums over all steps, with their names.
    counts: Vec<(&'static str, f64)>,
}

/// How wide the bars are, in characters.
const WIDTH: usize = 40;

impl Profile {
    /// Adds the report of a step.
    pub(crate) fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.total += report.times.total;
        self.longest = self.longest.max(report.times.total);
        let times = &report.times;
        let parts = [("detect", times.detect), ("solve", times.solve), ("integrate", times.integrate)];
        let told: Vec<_> = times.stages.iter().filter(|(_, time)| !time.is_zero()).collect();
        // A method that tells no stages tells at least these.
        for (stage, time) in if told.is_empty() { parts.to_vec() } else { told } {
            match self.stages.iter_mut().find(|(known, _)| *known == stage) {
                Some((_, sum)) => *sum += time,
                None => self.stages.push((stage, time)),
            }
        }
        let work = report.work;
        let counts = [
            ("bodies awake", report.awake as f64),
            ("pairs near", work.pairs as f64),
            ("contacts", report.contacts as f64),
            ("contact points", report.contact_points as f64),
            ("islands", report.islands as f64),
            ("islands exact", work.exact_islands as f64),
            ("islands at rest", work.resting_islands as f64),
            ("heaps", work.heaps as f64),
            ("contacts recycled", work.recycled as f64),
            ("contacts swept", work.swept_contacts as f64),
            ("looks at contacts", work.looks as f64),
            ("substeps exact", work.exact_substeps as f64),
            ("substeps of heaps", work.heap_substeps as f64),
            ("second thoughts", work.second_thoughts as f64),
            ("colours", work.colours as f64),
        ];
        if self.counts.is_empty() {
            self.counts.extend(counts.map(|(name, _)| (name, 0.0)));
        }
        self.counts.iter_mut().zip(counts).for_each(|((_, sum), (_, count))| *sum += count);
    }

    fn stages(&self) -> &[(&'static str, Duration)] {
        &self.stages
    }

    fn mean(&self, time: Duration) -> f64 {
        1e3 * time.as_secs_f64() / f64::from(self.steps.max(1))
    }

    fn share(&self, time: Duration) -> f64 {
        time.as_secs_f64() / self.total.as_secs_f64().max(1e-12)
    }

    /// Bars and counts, for people.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!(
            "profile   {:.4} ms a step on average, {:.4} ms the longest of {}\n",
            self.mean(self.total),
            1e3 * self.longest.as_secs_f64(),
            self.steps
        );
        for &(stage, time) in self.stages() {
            let share = self.share(time);
            let eighths = (share.clamp(0.0, 1.0) * (8 * WIDTH) as f64).round() as usize;
            let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
            let bar = format!("{}{part}", "█".repeat(eighths / 8));
            text += &format!("  {:12} {bar:WIDTH$} {:5.1} %  {:.4} ms\n", stage, 100.0 * share, self.mean(time));
        }
        let counted = self.counts.iter().filter(|(_, sum)| *sum > 0.0);
        for (name, sum) in counted {
            text += &format!("  {name:20} {:.1}\n", sum / f64::from(self.steps.max(1)));
        }
        text
    }

    /// The same for programs: means per step, in milliseconds.
    pub(crate) fn to_json(&self) -> Value {
        let stages: serde_json::Map<String, Value> =
            self.stages().iter().map(|&(stage, time)| (stage.into(), json!(self.mean(time)))).collect();
        let mean = |sum: f64| sum / f64::from(self.steps.max(1));
        let counts: serde_json::Map<String, Value> =
            self.counts.iter().map(|(name, sum)| (name.replace(' ', "_"), json!(mean(*sum)))).collect();
        json!({ "step_ms": self.mean(self.total), "stages_ms": stages, "counts": counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_dynamics::{Body, World, geometry::Shape};

    /// The stages make up the step, and a bar is as long as its share.
    #[test]
    fn stages_add_up_to_the_step() {
        for method in ["realtime", "retroactive"] {
            let mut world = World::new();
            let registry = tumble_dynamics::registry::Registry::default();
            world.set_boxed_method(registry.method(method, &Value::Null).unwrap());
            world.add_body(Body::fixed().with_shape(Shape::half_space([0.0, 1.0, 0.0]).unwrap())).unwrap();
            for i in 0..20 {
                let cube = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap());
                world.add_body(cube.at([0.0, 0.5 + f64::from(i), 0.0])).unwrap();
            }
            let mut profile = Profile::default();
            for _ in 0..20 {
                world.step(1.0 / 60.0).unwrap();
                profile.add(&world.report());
            }
            let sum: Duration = profile.stages().iter().map(|(_, time)| *time).sum();
            assert!(sum <= profile.total && sum > profile.total / 2, "{method}: {sum:?} of {:?}", profile.total);
            let text = profile.to_text();
            assert!(text.contains("solve") || text.contains("exact"), "{text}");
            assert_eq!(profile.to_json()["counts"]["bodies_awake"], 20.0);
        }
    }
}
