//! One tab: what it asks for goes to the simulation, what it gets is the difference between the state of affairs and what
//! it was sent before.
//!
//! There is no queue of frames: while a message is under way the state of affairs moves on, and the next difference goes
//! from what was sent to what is then. A tab that says what it has seen is never more than two differences behind,
//! however slow it is, and a tab that is hidden costs nothing. A tab that asks for more than [`RATE`] things per second, sends what is
//! not a request, or does not take what it is sent is shut out.

use crate::frame::{FRAME, FrameEncoder, SECOND, SECOND_FRAME};
use crate::protocol::Request;
use crate::published::Published;
use crate::simulation::{ClientId, Command, Interests};
use crate::strands::is_empty;
use crate::tell::problem;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tumble_dynamics::{BodyId, Cancel, Id};

/// How many requests a tab may make per second, in the long run and in one go.
const RATE: f64 = 250.0;
const BURST: f64 = 500.0;
/// A tab that does not take a message for this long is gone.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number that says why a connection is closed: it broke the rules.
const POLICY: u16 = 1008;
/// How many answers wait for a tab.
const ANSWERS: usize = 16;

/// What tabs and the simulation share.
#[derive(Clone, Debug)]
pub(crate) struct Hub {
    pub(crate) commands: SyncSender<Command>,
    pub(crate) published: watch::Receiver<Arc<Published>>,
    pub(crate) interests: Interests,
    pub(crate) hello: Arc<str>,
    /// Ends the step under way.
    pub(crate) interrupt: Cancel,
}

/// Serves a tab until it leaves.
pub(crate) async fn serve(socket: WebSocket, client: ClientId, hub: Hub) {
    let (sink, stream) = socket.split();
    let (answers, heard) = mpsc::channel(ANSWERS);
    let (interested, interest) = watch::channel(Vec::new());
    let (saw, seen) = watch::channel(None);
    let listener = Listener { client, hub: hub.clone(), answers, interested, saw };
    let teller = Teller {
        sink,
        published: hub.published.clone(),
        answers: heard,
        drawn: interest,
        seen,
        sent: 0,
        told: [0; 2],
        echoed: None,
        known: Known::default(),
    };
    let (hello, interests, commands) = (hub.hello.clone(), hub.interests.clone(), hub.commands.clone());
    interests.lock().unwrap_or_else(PoisonError::into_inner).insert(client, Default::default());
    command(&commands, Command::Look).await;
    let listening = std::pin::pin!(listener.listen(stream));
    let telling = std::pin::pin!(teller.tell(client, &interests, hello));
    futures_util::future::select(listening, telling).await;
    interests.lock().unwrap_or_else(PoisonError::into_inner).remove(&client);
    command(&commands, Command::Left(client)).await;
}

/// Gives a command to the simulation, waiting while it is busy. False if it is over.
pub(crate) async fn command(commands: &SyncSender<Command>, mut command: Command) -> bool {
    loop {
        match commands.try_send(command) {
            Ok(()) => return true,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(back)) => command = back,
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Hears what a tab asks for.
struct Listener {
    client: ClientId,
    hub: Hub,
    answers: mpsc::Sender<String>,
    interested: watch::Sender<Vec<crate::protocol::Instrumented>>,
    saw: watch::Sender<Option<u64>>,
}

impl Listener {
    /// Until the tab leaves or breaks the rules.
    async fn listen(self, mut stream: SplitStream<WebSocket>) {
        let (mut allowed, mut last) = (BURST, Instant::now());
        while let Some(Ok(message)) = stream.next().await {
            allowed = (allowed + RATE * last.elapsed().as_secs_f64()).min(BURST) - 1.0;
            last = Instant::now();
            if allowed < 0.0 {
                let _unheard = self.answers.try_send(problem("too many requests").to_string());
                return;
            }
            let Message::Text(text) = message else { continue };
            match serde_json::from_str(&text) {
                Ok(request) => {
                    if !self.pass_on(request).await {
                        return;
                    }
                }
                Err(error) => {
                    let _unheard = self.answers.try_send(problem(&format!("not a request: {error}")).to_string());
                }
            }
        }
    }

    async fn pass_on(&self, request: Request) -> bool {
        if let Request::Seen { messages } = request {
            self.saw.send_replace(Some(messages));
            return true;
        }
        {
            let mut interests = self.hub.interests.lock().unwrap_or_else(PoisonError::into_inner);
            let interest = interests.entry(self.client).or_default();
            interest.note(&request);
            if matches!(request, Request::Draw { .. }) {
                self.interested.send_replace(interest.drawn.clone());
            }
        }
        let interrupts = request.interrupts();
        let request = Command::Request(self.client, Box::new(request), self.answers.clone());
        let is_heard = command(&self.hub.commands, request).await;
        // Only now, so that the simulation finds the request when it looks up from its step.
        if interrupts {
            self.hub.interrupt.cancel();
        }
        is_heard
    }
}

/// What a tab has been sent.
#[derive(Default)]
struct Known {
    scene: u64,
    bodies_version: u64,
    /// The bodies by slot.
    bodies: BTreeMap<usize, BodyId>,
    surfaces: BTreeSet<u32>,
    status: u64,
    frames: FrameEncoder,
    /// The frames of the second run, if it knows of one.
    second: Option<FrameEncoder>,
    /// What is stretched between the bodies of the two runs.
    strands: [Arc<[u8]>; 2],
    /// Time and steps of the last frame.
    frame: Option<(f64, u64)>,
}

/// Tells a tab how things are.
struct Teller {
    sink: SplitSink<WebSocket, Message>,
    published: watch::Receiver<Arc<Published>>,
    answers: mpsc::Receiver<String>,
    drawn: watch::Receiver<Vec<crate::protocol::Instrumented>>,
    /// How many messages the tab has seen, if it says so.
    seen: watch::Receiver<Option<u64>>,
    /// How many it has been sent.
    sent: u64,
    /// How many those were when the last difference but one was sent, and after the last one.
    told: [u64; 2],
    /// The last number it was told because it wanted to hear it.
    echoed: Option<u64>,
    known: Known,
}

/// The tab is gone.
struct Gone;

impl Teller {
    async fn tell(mut self, client: ClientId, interests: &Interests, hello: Arc<str>) {
        if self.send(Message::Text(hello.as_ref().into())).await.is_err() {
            return;
        }
        self.published.mark_changed();
        loop {
            let is_ready = self.seen.borrow_and_update().is_none_or(|seen| seen >= self.told[0]);
            let done = tokio::select! {
                changed = self.published.changed(), if is_ready => match changed {
                    Ok(()) => self.tell_changes(client, interests).await,
                    Err(_) => Err(Gone),
                },
                saw = self.seen.changed(), if !is_ready => saw.map_err(|_| Gone),
                answer = self.answers.recv() => match answer {
                    Some(answer) => self.send(Message::Text(answer.into())).await,
                    None => Err(Gone),
                },
            };
            if done.is_err() {
                break;
            }
        }
        let goodbye = CloseFrame { code: POLICY, reason: "goodbye".into() };
        let _gone = self.send(Message::Close(Some(goodbye))).await;
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        self.sent += 1;
        let sent = tokio::time::timeout(PATIENCE, self.sink.send(message)).await;
        sent.map_err(|_| Gone)?.map_err(|_| Gone)
    }

    async fn tell_changes(&mut self, client: ClientId, interests: &Interests) -> Result<(), Gone> {
        let now = self.published.borrow_and_update().clone();
        if self.known.scene != now.scene.version {
            self.known = Known { scene: now.scene.version, ..Known::default() };
            self.send(Message::Text(now.scene.json.as_ref().into())).await?;
        }
        if self.known.bodies_version != now.bodies.version {
            self.tell_bodies(&now).await?;
        }
        let frame = Some((now.time, now.steps));
        let bytes = self.known.frames.encode(FRAME, now.time, now.steps, &now.poses);
        if self.known.frame != frame || bytes.len() > 21 {
            self.known.frame = frame;
            self.send(Message::Binary(bytes.into())).await?;
        }
        self.tell_second(&now).await?;
        for (run, strands) in now.strands.iter().enumerate().take(2) {
            // A page that was told nothing has none.
            let news =
                self.known.strands[run] != *strands && !(self.known.strands[run].is_empty() && is_empty(strands));
            if news {
                self.known.strands[run] = strands.clone();
                self.send(Message::Binary(strands.to_vec().into())).await?;
            }
        }
        let drawn = self.drawn.borrow().clone();
        for what in drawn {
            if let Some(drawing) = now.drawings.get(&what) {
                self.send(Message::Binary(drawing.to_vec().into())).await?;
            }
        }
        if self.known.status != now.status.version {
            self.known.status = now.status.version;
            self.send(Message::Text(now.status.json.as_ref().into())).await?;
            let body = interests.lock().unwrap_or_else(PoisonError::into_inner).get(&client).and_then(|i| i.body);
            if let Some(body) = body.and_then(|body| now.inspected.get(&body)) {
                self.send(Message::Text(body.as_ref().into())).await?;
            }
        }
        let echo = now.echoes.get(&client).copied();
        if let Some(number) = echo.filter(|_| echo != self.echoed) {
            self.echoed = echo;
            self.send(Message::Text(json!({ "type": "echo", "number": number }).to_string().into())).await?;
        }
        self.told = [self.told[1], self.sent];
        Ok(())
    }

    /// Whether there is a second run, and where its bodies are.
    async fn tell_second(&mut self, now: &Published) -> Result<(), Gone> {
        if self.known.second.is_some() != now.second.is_some() {
            self.known.second = now.second.as_ref().map(|_| FrameEncoder::default());
            self.known.strands[1] = Arc::default();
            self.send(Message::Binary(vec![SECOND, u8::from(now.second.is_some())].into())).await?;
        }
        let (Some(encoder), Some(poses)) = (&mut self.known.second, &now.second) else { return Ok(()) };
        let bytes = encoder.encode(SECOND_FRAME, now.time, now.steps, poses);
        if bytes.len() > 21 {
            self.send(Message::Binary(bytes.into())).await?;
        }
        Ok(())
    }

    /// Which bodies came and went, with the surfaces that are new.
    async fn tell_bodies(&mut self, now: &Published) -> Result<(), Gone> {
        let known = &mut self.known;
        known.bodies_version = now.bodies.version;
        let there: BTreeMap<usize, BodyId> = now.bodies.list.iter().map(|look| (look.id.slot(), look.id)).collect();
        let removed: Vec<usize> =
            known.bodies.iter().filter(|&(slot, id)| there.get(slot) != Some(id)).map(|(&slot, _)| slot).collect();
        let added: Vec<_> =
            now.bodies.list.iter().filter(|look| known.bodies.get(&look.id.slot()) != Some(&look.id)).collect();
        for &slot in &removed {
            known.frames.forget(slot);
            known.second.iter_mut().for_each(|second| second.forget(slot));
        }
        let needed = added.iter().flat_map(|look| &look.surfaces);
        let surfaces: Vec<u32> = needed.copied().filter(|&surface| known.surfaces.insert(surface)).collect();
        let added: Vec<&Value> = added.iter().map(|look| &look.json).collect();
        let message = json!({ "type": "bodies", "remove": removed, "add": added }).to_string();
        known.bodies = there;
        for surface in surfaces {
            if let Some(bytes) = now.bodies.surfaces.get(&surface) {
                self.send(Message::Binary(bytes.to_vec().into())).await?;
            }
        }
        self.send(Message::Text(message.into())).await
    }
}
