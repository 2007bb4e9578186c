//! The sandbox without a server and without a clock: one tab says something, and the simulation obeys at once.
//!
//! For tests and the fuzzer (the feature `fuzzing`): whatever a page sends, there is an answer and no panic.

use crate::Subject;
use crate::protocol::{MAX_MESSAGE, Request};
use crate::published::Published;
use crate::simulation::{Command, Interests, Simulation};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tumble_dynamics::Cancel;
use tumble_scene::Report;

/// The only tab there is.
const CLIENT: u64 = 1;

/// A simulation and one tab.
pub struct Rehearsal {
    simulation: Simulation,
    interests: Interests,
    answers: (mpsc::Sender<String>, mpsc::Receiver<String>),
    shown: watch::Receiver<Arc<Published>>,
}

impl std::fmt::Debug for Rehearsal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rehearsal").finish_non_exhaustive()
    }
}

impl Rehearsal {
    /// Opens a scene.
    pub fn new(subject: Subject) -> Result<Self, Report> {
        let (publisher, shown) = watch::channel(Arc::new(Published::default()));
        let interests = Interests::default();
        let simulation = Simulation::new(subject, publisher, interests.clone(), Arc::default(), Cancel::default())?;
        Ok(Self { simulation, interests, answers: mpsc::channel(16), shown })
    }

    /// Says something, as a page would: text that should be a request. Returns the complaint, if there is one.
    pub fn say(&mut self, message: &str) -> Option<String> {
        if message.len() > MAX_MESSAGE {
            return Some("too long".into());
        }
        let request: Request = match serde_json::from_str(message) {
            Ok(request) => request,
            Err(error) => return Some(format!("not a request: {error}")),
        };
        self.interests.lock().unwrap_or_else(PoisonError::into_inner).entry(CLIENT).or_default().note(&request);
        self.simulation.obey(Command::Request(CLIENT, Box::new(request), self.answers.0.clone()));
        self.simulation.publish();
        self.answers.1.try_recv().ok()
    }

    /// Lets so much time pass, as if it had passed outside.
    pub fn wait(&mut self, time: Duration) {
        self.simulation.advance(time);
        self.simulation.publish();
    }

    /// The time that is shown, in seconds.
    pub fn time(&self) -> f64 {
        self.shown.borrow().time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_page_says_is_answered() {
        let mut rehearsal = Rehearsal::new(Subject::gallery("cradle-3").unwrap()).unwrap();
        let step = r#"{"do":"step"}"#;
        for nonsense in [
            r#"{"do":"seek","time":-1e300}"#,
            r#"{"do":"speed","factor":-1e300}"#,
            r#"{"do":"method","dt":-1}"#,
            r#"{"do":"method","method":{"type":"none"}}"#,
            r#"{"do":"compare","second":{"dt":1e300}}"#,
            r#"{"do":"shoot","from":[1e300,0,0],"towards":[0,0,0]}"#,
            r#"{"do":"shoot","from":[0,0,0],"towards":[0,0,0]}"#,
            r#"{"do":"scene","name":"../../etc/passwd"}"#,
            r#"{"do":"text","text":"[[["}"#,
            "",
        ] {
            rehearsal.say(nonsense);
            rehearsal.say(step);
            assert!(rehearsal.time().is_finite(), "{nonsense}");
        }
        assert!(rehearsal.say(r#"{"do":"shoot","from":[0,0,0],"towards":[0,0,0]}"#).is_some());
        assert!(rehearsal.say("{}").unwrap().starts_with("not a request"));
        // And it still runs.
        let before = rehearsal.time();
        assert_eq!(rehearsal.say(step), None);
        assert!(rehearsal.time() > before, "{before}");
    }
}
