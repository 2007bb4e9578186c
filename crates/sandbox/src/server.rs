//! The server: HTTP for the page, a WebSocket for everything else, and who may connect.
//!
//! Pages of other sites can reach servers on the own machine, so every connection is checked: the host it names must be
//! this server (or else a foreign name may have been made to point here), and the page it comes from must be ours. Beyond
//! the own machine a random token is asked for, which the address that is printed contains.

use crate::assets::asset;
use crate::client::{Hub, command, serve};
use crate::gate::Gate;
use crate::preview::preview;
use crate::protocol::MAX_MESSAGE;
use crate::recording::recording;
use crate::simulation::{Command, Interests, Simulation};
use crate::subject::Subject;
use crate::tell::hello;
use axum::Router;
use axum::extract::{Query, State, WebSocketUpgrade};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;
use tokio::sync::{oneshot, watch};
use tumble_dynamics::Cancel;
use tumble_scene::Report;

/// The most tabs at once.
const MOST_CLIENTS: usize = 64;
/// How many commands wait for the simulation before those who give them have to.
const COMMANDS: usize = 256;

/// Where to listen.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The address. Default: the own machine only. With any other, pages need the token in [`Sandbox::url`].
    pub host: IpAddr,
    /// The port; 0 for any that is free (default).
    pub port: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self { host: Ipv4Addr::LOCALHOST.into(), port: 0 }
    }
}

/// Why a sandbox could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The scene is wrong.
    #[error("{0}")]
    Scene(Box<Report>),
    /// The system refused.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The system has no random numbers for a token.
    #[error("cannot make a token: {0}")]
    Token(String),
    /// The system refused a thread.
    #[error("cannot start: {0}")]
    Start(std::io::Error),
}

/// A server that runs.
#[derive(Debug)]
pub struct Sandbox {
    address: SocketAddr,
    token: Option<String>,
    commands: std::sync::mpsc::SyncSender<Command>,
    over: Arc<AtomicBool>,
    interrupt: Cancel,
    stop: Option<oneshot::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Sandbox {
    /// Reads the scene and starts to listen.
    pub fn start(subject: Subject, options: &Options) -> Result<Self, SandboxError> {
        let (publisher, published) = watch::channel(Arc::default());
        let interests = Interests::default();
        let hello = hello(&subject).into();
        let first = subject.clone();
        let over = Arc::new(AtomicBool::new(false));
        let interrupt = Cancel::new();
        let simulation = Simulation::new(subject, publisher, interests.clone(), over.clone(), interrupt.clone());
        let simulation = simulation.map_err(|report| SandboxError::Scene(Box::new(report)))?;

        let address = SocketAddr::new(options.host, options.port);
        let refused = |source| SandboxError::Listen { address, source };
        let listener = std::net::TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let token = if options.host.is_loopback() { None } else { Some(random_token()?) };

        let (commands, given) = sync_channel(COMMANDS);
        let hub = Hub { commands: commands.clone(), published, interests, hello, interrupt: interrupt.clone() };
        let door = Arc::new(Door {
            hub,
            given: first,
            address,
            token: token.clone(),
            visits: AtomicU64::new(0),
            inside: AtomicUsize::new(0),
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(SandboxError::Start)?;
        let serving = move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let router = Router::new()
                    .route("/socket", any(socket))
                    .route("/preview", get(look_ahead))
                    .route("/recording", get(save))
                    .fallback(get(page))
                    .with_state(door);
                let serving = axum::serve(Gate::new(listener), router).into_future();
                // Tabs may stay open for ever, so ending does not wait for them.
                futures_util::future::select(Box::pin(serving), stopped).await;
            });
        };
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let threads = vec![
            named("simulation").spawn(move || simulation.run(&given)).map_err(SandboxError::Start)?,
            named("server").spawn(serving).map_err(SandboxError::Start)?,
        ];
        Ok(Self { address, token, commands, over, interrupt, stop: Some(stop), threads })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open in a browser.
    pub fn url(&self) -> String {
        match &self.token {
            Some(token) => format!("http://{}/?token={token}", self.address),
            None => format!("http://{}/", self.address),
        }
    }

    /// Waits until the simulation has ended, which it does by itself only if something is badly wrong.
    pub fn wait(mut self) {
        if let Some(simulation) = self.threads.drain(..1).next() {
            let _ended = simulation.join();
        }
    }

    /// Whether the simulation is still there.
    pub fn is_running(&self) -> bool {
        self.threads.first().is_some_and(|simulation| !simulation.is_finished())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ended = stop.send(());
        }
        // Whatever waits to be done is left. If it waits for commands, this wakes it up.
        self.over.store(true, Ordering::Relaxed);
        self.interrupt.cancel();
        let _ended_or_busy = self.commands.try_send(Command::Stop);
        for thread in self.threads.drain(..) {
            let _ended = thread.join();
        }
    }
}

/// 128 random bits.
fn random_token() -> Result<String, SandboxError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| SandboxError::Token(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What is needed to let somebody in.
struct Door {
    hub: Hub,
    /// What the sandbox was started with.
    given: Subject,
    address: SocketAddr,
    token: Option<String>,
    visits: AtomicU64,
    inside: AtomicUsize,
}

impl Door {
    /// Whether a request is for this server and from its own page.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(host) = text(header::HOST) else { return false };
        let port = self.address.port();
        let ours = [
            format!("127.0.0.1:{port}"),
            format!("localhost:{port}"),
            format!("[::1]:{port}"),
            self.address.to_string(),
        ];
        // Who has the token may call this machine by any name.
        let known = self.token.is_some() || ours.iter().any(|name| name == host);
        // One that cannot be read is not ours.
        let is_ours = |origin: &HeaderValue| origin.to_str().ok().and_then(|o| o.strip_prefix("http://")) == Some(host);
        known && headers.get_all(header::ORIGIN).iter().all(is_ours)
    }

    /// Why a request is turned away, if it is.
    fn refusal(&self, headers: &HeaderMap, words: &BTreeMap<String, String>) -> Option<Response> {
        // Browsers tell who asks even where they do not tell the origin, as for pictures and downloads.
        let mut asks = headers.get_all("sec-fetch-site").iter().map(HeaderValue::as_bytes);
        let foreign = asks.any(|site| ![&b"same-origin"[..], b"none"].contains(&site));
        if foreign || !self.admits(headers) {
            return Some(refusal("this server is not for other sites"));
        }
        let known = self.knows(words.get("token"));
        (!known).then(|| refusal("the address needs ?token=… as `tumble view` printed it"))
    }

    /// Whether the token was given, if one is needed. Takes equally long whatever is wrong with it.
    fn knows(&self, given: Option<&String>) -> bool {
        let Some(token) = &self.token else { return true };
        let given = given.map_or(&[][..], |given| given.as_bytes());
        let differences = token.bytes().zip(given.iter().chain(std::iter::repeat(&0))).map(|(a, &b)| a ^ b);
        differences.fold(0, |all, one| all | one) == 0 && given.len() == token.len()
    }
}

async fn page(State(door): State<Arc<Door>>, headers: HeaderMap, uri: Uri) -> Response {
    if door.admits(&headers) { asset(uri.path()) } else { refusal("this server is not for other sites") }
}

/// The words of an address behind the question mark.
type Words = Query<BTreeMap<String, String>>;

/// A scene at its start, for a thumbnail: `?scene=NAME`.
async fn look_ahead(State(door): State<Arc<Door>>, headers: HeaderMap, Query(words): Words) -> Response {
    if let Some(refusal) = door.refusal(&headers, &words) {
        return refusal;
    }
    let name = words.get("scene").map_or("", String::as_str);
    let own = (door.given.name() == name).then(|| door.given.clone());
    let Some(subject) = own.or_else(|| Subject::gallery(name)) else {
        return (StatusCode::NOT_FOUND, "there is no such scene").into_response();
    };
    match tokio::task::spawn_blocking(move || preview(&subject)).await {
        Ok(Some(bytes)) => (BINARY, bytes).into_response(),
        _ => (StatusCode::NOT_FOUND, "the scene cannot be read").into_response(),
    }
}

/// The last minute, as a file.
async fn save(State(door): State<Arc<Door>>, headers: HeaderMap, Query(words): Words) -> Response {
    if let Some(refusal) = door.refusal(&headers, &words) {
        return refusal;
    }
    let (wanted, given) = oneshot::channel();
    if !command(&door.hub.commands, Command::Record(wanted)).await {
        return (StatusCode::SERVICE_UNAVAILABLE, "the simulation is over").into_response();
    }
    let Ok(minute) = given.await else {
        return (StatusCode::SERVICE_UNAVAILABLE, "the simulation is over").into_response();
    };
    match tokio::task::spawn_blocking(move || recording(&minute)).await {
        Ok(Ok(bytes)) => (BINARY, [(header::CONTENT_DISPOSITION, "attachment; filename=\"recording.tumble\"")], bytes)
            .into_response(),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "the recording could not be written").into_response(),
    }
}

const BINARY: [(header::HeaderName, &str); 2] =
    [(header::CONTENT_TYPE, "application/octet-stream"), (header::CACHE_CONTROL, "no-store")];

async fn socket(
    State(door): State<Arc<Door>>,
    headers: HeaderMap,
    Query(words): Words,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if let Some(refusal) = door.refusal(&headers, &words) {
        return refusal;
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE),
        Err(rejection) => return rejection.into_response(),
    };
    if door.inside.fetch_add(1, Ordering::Relaxed) >= MOST_CLIENTS {
        door.inside.fetch_sub(1, Ordering::Relaxed);
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    }
    let client = door.visits.fetch_add(1, Ordering::Relaxed);
    let presence = Presence(door.clone());
    upgrade.on_upgrade(async move |socket| {
        let presence = presence;
        serve(socket, client, presence.0.hub.clone()).await;
    })
}

/// Counts a tab until it is gone, in whatever way.
struct Presence(Arc<Door>);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::Relaxed);
    }
}

fn refusal(why: &'static str) -> Response {
    (StatusCode::FORBIDDEN, why).into_response()
}
