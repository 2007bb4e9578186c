//! The server as pages see it, and as those see it who wish it ill.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail in its helpers, too")]

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};
use tumble_sandbox::{Options, Sandbox, Subject};
use tumble_scene::record::Recording;
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long a message may take, on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// A page without a face.
struct Page {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
}

fn start(name: &str) -> Sandbox {
    Sandbox::start(Subject::gallery(name).unwrap(), &Options::default()).unwrap()
}

fn socket_url(sandbox: &Sandbox) -> String {
    sandbox.url().replace("http://", "ws://").replacen("/?", "/socket?", 1).trim_end_matches('/').to_owned()
}

impl Page {
    fn open(sandbox: &Sandbox) -> Self {
        let mut url = socket_url(sandbox);
        if !url.contains("/socket") {
            url += "/socket";
        }
        let (socket, _) = tungstenite::connect(url).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        Self { socket }
    }

    fn ask(&mut self, request: &Value) {
        self.socket.send(Message::text(request.to_string())).unwrap();
    }

    /// The next message of a type; binary ones have the type "frame" (1), "surface" (2), "drawing" (3) and so on.
    fn next(&mut self, wanted: &str) -> (Value, Vec<u8>) {
        self.next_where(wanted, |_, _| true)
    }

    fn next_where(&mut self, wanted: &str, accept: impl Fn(&Value, &[u8]) -> bool) -> (Value, Vec<u8>) {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let (kind, json, bytes) = match self.socket.read().unwrap() {
                Message::Text(text) => {
                    let json: Value = serde_json::from_str(&text).unwrap();
                    (json["type"].as_str().unwrap().to_owned(), json, Vec::new())
                }
                Message::Binary(bytes) => {
                    let kind =
                        ["", "frame", "surface", "drawing", "second frame", "second", "strands"][usize::from(bytes[0])];
                    (kind.to_owned(), Value::Null, bytes.to_vec())
                }
                _ => continue,
            };
            if kind == wanted && accept(&json, &bytes) {
                return (json, bytes);
            }
        }
        panic!("no message \"{wanted}\" came");
    }

    fn status_where(&mut self, accept: impl Fn(&Value) -> bool) -> Value {
        self.next_where("status", |status, _| accept(status)).0
    }
}

fn steps(status: &Value) -> u64 {
    status["steps"].as_u64().unwrap()
}

/// The status code of the answer to a plain request with these headers.
fn code(sandbox: &Sandbox, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", sandbox.address().port())).unwrap();
    // A connection that there is no room for may be closed before the request is out.
    if write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").is_err() {
        return String::new();
    }
    let mut answer = Vec::new();
    stream.take(4000).read_to_end(&mut answer).unwrap_or_default();
    String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn a_page_is_told_the_scene_and_where_its_bodies_are() {
    let sandbox = start("dominoes");
    let mut page = Page::open(&sandbox);
    let (hello, _) = page.next("hello");
    assert!(hello["scenes"].as_array().unwrap().iter().any(|scene| scene["name"] == "pendulum-2"));
    let (scene, _) = page.next("scene");
    assert_eq!(scene["title"], "Dominoes");
    let (bodies, _) = page.next("bodies");
    assert_eq!(bodies["add"].as_array().unwrap().len(), 31);
    let (_, frame) = page.next("frame");
    assert_eq!(u32::from_le_bytes(frame[17..21].try_into().unwrap()), 31);
}

#[test]
fn time_passes_when_playing_only_and_one_step_is_one_step() {
    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    page.status_where(|status| steps(status) > 3);
    page.ask(&json!({ "do": "pause" }));
    let stopped = steps(&page.status_where(|status| status["playing"] == false));
    page.ask(&json!({ "do": "step" }));
    page.status_where(|status| steps(status) == stopped + 1);
    std::thread::sleep(Duration::from_millis(200));
    page.ask(&json!({ "do": "step" }));
    page.status_where(|status| steps(status) == stopped + 2);
    page.ask(&json!({ "do": "reset" }));
    let start = page.status_where(|status| steps(status) == 0);
    assert_eq!(start["playing"], false);
    page.ask(&json!({ "do": "play" }));
    page.status_where(|status| steps(status) > 10);
}

#[test]
fn one_goes_back_in_time_and_on_from_there() {
    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    page.status_where(|status| status["time"].as_f64().unwrap() > 0.5);
    page.ask(&json!({ "do": "seek", "time": 0.25 }));
    let then = page.status_where(|status| status["playing"] == false);
    assert!((then["time"].as_f64().unwrap() - 0.25).abs() < 0.05, "{then}");
    assert!(then["history"][1].as_f64().unwrap() > 0.5);
    page.ask(&json!({ "do": "step" }));
    let after = page.status_where(|status| steps(status) == steps(&then) + 1);
    assert_eq!(after["history"][1], after["time"]);
}

/// Who asks for an echo hears it after all that became of what was asked for before.
#[test]
fn an_echo_comes_after_what_was_asked_for() {
    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    page.ask(&json!({ "do": "pause" }));
    page.ask(&json!({ "do": "reset" }));
    for number in 1..=20u64 {
        page.ask(&json!({ "do": "step" }));
        page.ask(&json!({ "do": "echo", "number": number }));
        let mut last = Value::Null;
        loop {
            let Message::Text(text) = page.socket.read().unwrap() else { continue };
            let message: Value = serde_json::from_str(&text).unwrap();
            match message["type"].as_str().unwrap() {
                "status" => last = message,
                "echo" if message["number"] == number => break,
                _ => {}
            }
        }
        assert_eq!(steps(&last), number);
    }
}

/// The last minute as it is saved.
fn save(sandbox: &Sandbox, name: &str) -> Recording {
    let mut stream = TcpStream::connect(sandbox.address()).unwrap();
    let host = sandbox.address();
    write!(stream, "GET /recording HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let body = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let path = std::env::temp_dir().join(format!("tumble-sandbox-{}-{name}.tumble", std::process::id()));
    std::fs::write(&path, &answer[body..]).unwrap();
    let recording = Recording::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    recording
}

/// A minute that was saved can be read back, and is what happened.
#[test]
fn the_last_minute_is_saved_as_a_recording() {
    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    page.status_where(|status| status["time"].as_f64().unwrap() > 0.5);
    page.ask(&json!({ "do": "pause" }));
    let end = page.status_where(|status| status["playing"] == false);
    let mut recording = save(&sandbox, "minute");
    assert_eq!(recording.damage(), None);
    assert_eq!(recording.header().scene.name, "pendulum-2");
    let last = recording.frame(recording.len() - 1).unwrap().clone();
    assert!((last.time - end["time"].as_f64().unwrap()).abs() < 0.05, "{} against {end}", last.time);
    // The same steps from the start lead to the same bits.
    let mut scene = tumble_scene::gallery::find("pendulum-2").unwrap().load(&tumble_scene::Loader::new()).unwrap();
    while scene.world.state().steps < last.steps {
        scene.world.step(scene.dt).unwrap();
    }
    assert_eq!(scene.world.state().fingerprint(), last.fingerprint());
}

/// A recording knows which bodies were shot and deleted, and when.
#[test]
fn what_was_shot_and_deleted_is_in_the_recording() {
    let sandbox = start("dominoes");
    let mut page = Page::open(&sandbox);
    let (bodies, _) = page.next("bodies");
    let third: tumble_dynamics::BodyId = serde_json::from_value(bodies["add"][3]["id"].clone()).unwrap();
    let mut steps_taken = 0;
    let mut step = |page: &mut Page| {
        (0..40).for_each(|_| page.ask(&json!({ "do": "step" })));
        steps_taken += 40;
        page.status_where(|status| steps(status) == steps_taken)
    };
    page.ask(&json!({ "do": "pause" }));
    page.ask(&json!({ "do": "reset" }));
    let times = [
        step(&mut page)["time"].clone(),
        {
            page.ask(&json!({ "do": "delete", "body": third }));
            step(&mut page)["time"].clone()
        },
        {
            page.ask(&json!({ "do": "shoot", "from": [0, 5, 0], "towards": [0, 0, 1] }));
            step(&mut page)["time"].clone()
        },
    ];
    let mut recording = save(&sandbox, "shot");
    assert_eq!((recording.damage(), recording.header().bodies.len()), (None, 31));
    let gone = recording.stay(third).end;
    assert_eq!(recording.frame(gone).unwrap().time, times[0]);
    let (ball, stay) = recording.newcomers().first().map(|(ball, stay)| ((*ball).clone(), stay.clone())).unwrap();
    assert_eq!((ball.name.as_str(), stay.end), ("shot 1", u64::MAX));
    let came = recording.frame(stay.start).unwrap();
    assert_eq!(came.time, times[1]);
    assert_eq!(ball.frame(&came.bodies[ball.slot()]).translation, [0.0, 5.0, 0.0].into());
    assert_eq!(recording.frame(recording.len() - 1).unwrap().time, times[2]);
    let others =
        bodies["add"].as_array().unwrap().iter().map(|body| serde_json::from_value(body["id"].clone()).unwrap());
    assert!(others.filter(|&id| id != third).all(|id| recording.stay(id).end == u64::MAX));
}

/// Back to a moment and on from there: the same numbers at the same step, to the last bit.
#[test]
fn what_came_next_comes_next_again() {
    let sandbox = start("dominoes");
    let mut page = Page::open(&sandbox);
    page.status_where(|status| status["time"].as_f64().unwrap() > 0.7);
    page.ask(&json!({ "do": "pause" }));
    let end = page.status_where(|status| status["playing"] == false);
    page.ask(&json!({ "do": "seek", "time": 0.4 }));
    let mut again = page.status_where(|status| steps(status) < steps(&end));
    while steps(&again) < steps(&end) {
        let next = steps(&again) + 1;
        page.ask(&json!({ "do": "step" }));
        again = page.status_where(|status| steps(status) == next);
    }
    for what in ["time", "kinetic", "potential", "momentum", "angular_momentum", "contacts"] {
        assert_eq!(again[what], end[what], "{what}");
    }
}

#[test]
fn a_second_run_goes_beside_the_first() {
    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    assert_eq!(page.status_where(|_| true)["second"], Value::Null);
    page.ask(&json!({ "do": "compare", "second": { "dt": 0.0005 } }));
    page.next_where("second", |_, bytes| bytes[1] == 1);
    page.next("second frame");
    let apart = page.status_where(|status| status["second"]["largest"].as_f64().is_some_and(|far| far > 0.0));
    let (first, second) = (apart["time"].as_f64().unwrap(), apart["second"]["time"].as_f64().unwrap());
    assert!((first - second).abs() < 1e-9, "{first} and {second}");
    assert!(apart["second"]["mean"].as_f64().unwrap() <= apart["second"]["largest"].as_f64().unwrap());
    let method = json!({ "retroactive": { "integrator": "runge_kutta_4" } });
    page.ask(&json!({ "do": "compare", "second": { "method": method } }));
    let changed = page.status_where(|status| status["second"]["method"] == method);
    assert!((changed["second"]["dt"].as_f64().unwrap() - 0.0005).abs() < 1e-4, "{changed}");
    page.ask(&json!({ "do": "pause" }));
    page.ask(&json!({ "do": "reset" }));
    let start = page.status_where(|status| steps(status) == 0);
    assert_eq!((&start["second"]["largest"], &start["second"]["method"]), (&json!(0.0), &method));
    page.ask(&json!({ "do": "shoot", "from": [0, 9, 0], "towards": [0, 1, 0] }));
    let shot = page.status_where(|status| status["bodies"].as_u64() > start["bodies"].as_u64());
    assert_eq!(shot["second"]["bodies"], shot["bodies"], "the ball flies in both");
    page.ask(&json!({ "do": "compare", "second": null }));
    page.next_where("second", |_, bytes| bytes[1] == 0);
    page.ask(&json!({ "do": "compare", "second": { "method": "magic" } }));
    page.next("problem");
}

#[test]
fn scenes_texts_and_methods_are_changed_and_errors_have_their_line() {
    let sandbox = start("dominoes");
    let mut page = Page::open(&sandbox);
    page.ask(&json!({ "do": "scene", "name": "pendulum-2" }));
    page.next_where("scene", |scene, _| scene["name"] == "pendulum-2");
    page.ask(&json!({ "do": "text", "text": "title = \"x\"\n[bodies.a]\nshap.sphere.radius = 1\n" }));
    let (problem, _) = page.next("scene_problem");
    assert_eq!(problem["diagnostics"][0]["line"], 3, "{problem}");
    page.ask(&json!({ "do": "text", "text": "title = \"mine\"\n[bodies.a]\nshape.sphere.radius = 1\n" }));
    page.next_where("scene", |scene, _| scene["title"] == "mine");
    let method = json!({ "retroactive": { "integrator": "runge_kutta_4" } });
    page.ask(&json!({ "do": "method", "method": method }));
    page.status_where(|status| status["method"] == method);
    page.ask(&json!({ "do": "method", "method": { "retroactive": { "integrator": "magic" } } }));
    page.next("problem");
    page.ask(&json!({ "do": "scene", "name": "nowhere" }));
    page.next("problem");
}

#[test]
fn bodies_are_held_shot_deleted_and_inspected() {
    let sandbox = start("dominoes");
    let mut page = Page::open(&sandbox);
    page.ask(
        &json!({ "do": "text", "text": "title = \"one\"\ngravity = [0, 0, 0]\n[bodies.a]\nshape.sphere.radius = 1\n" }),
    );
    page.next_where("scene", |scene, _| scene["title"] == "one");
    let (bodies, _) = page.next("bodies");
    let ball = bodies["add"][0]["id"].clone();
    page.ask(&json!({ "do": "inspect", "body": ball }));
    page.ask(&json!({ "do": "grab", "body": ball, "point": [0, 0, 0] }));
    page.ask(&json!({ "do": "drag", "to": [2, 0, 0] }));
    page.next_where("body", |body, _| (body["position"][0].as_f64().unwrap() - 2.0).abs() < 0.01);
    page.ask(&json!({ "do": "release" }));
    page.ask(&json!({ "do": "shoot", "from": [0, 9, 0], "towards": [0, 0, 1] }));
    page.next_where("bodies", |change, _| change["add"][0]["name"] == "shot 1");
    page.ask(&json!({ "do": "draw", "what": ["aabbs"] }));
    page.next_where("drawing", |_, drawing| drawing[1] == 5 && drawing[2] == 24);
    page.ask(&json!({ "do": "delete", "body": ball }));
    page.next_where("bodies", |change, _| change["remove"][0] == 0);
    page.ask(&json!({ "do": "delete", "body": ball }));
    page.next("problem");
}

#[test]
fn garbage_floods_and_sudden_ends_harm_nobody() {
    let sandbox = start("pendulum-2");
    let mut good = Page::open(&sandbox);
    good.next("frame");

    let mut rude = Page::open(&sandbox);
    for text in ["", "{", "null", "[]", "{\"do\":\"fly\"}", "{\"do\":\"speed\",\"factor\":\"fast\"}", "\u{0}\u{ffff}"] {
        rude.socket.send(Message::text(text)).unwrap();
    }
    rude.socket.send(Message::binary(vec![0xff; 1000])).unwrap();
    rude.next("problem");
    let wild = json!({ "slot": 4_000_000_000u32, "generation": 7 });
    rude.ask(&json!({ "do": "delete", "body": wild }));
    rude.ask(&json!({ "do": "grab", "body": wild, "point": [1e308, -1e308, 0] }));
    rude.ask(&json!({ "do": "drag", "to": [1e308, 1e308, 1e308] }));
    rude.ask(&json!({ "do": "shoot", "from": [0, 0, 0], "towards": [0, 0, 0] }));
    rude.ask(&json!({ "do": "seek", "time": -1e300 }));
    rude.ask(&json!({ "do": "play" }));

    // A flood: the connection is closed, at the latest when everything has been sent.
    let mut flood = Page::open(&sandbox);
    let text = json!({ "do": "step" }).to_string();
    let sent = (0..20_000).take_while(|_| flood.socket.send(Message::text(text.as_str())).is_ok()).count();
    let begun = Instant::now();
    let closed = sent < 20_000
        || loop {
            match flood.socket.read() {
                Ok(Message::Close(_)) | Err(_) => break true,
                Ok(_) if begun.elapsed() > PATIENCE => break false,
                Ok(_) => {}
            }
        };
    assert!(closed, "a flood was let through");

    // A message beyond the limit, and connections that end in the middle of one.
    let mut large = Page::open(&sandbox);
    let _refused = large.socket.send(Message::text("x".repeat(8 << 20)));
    for _ in 0..20 {
        let mut half = Page::open(&sandbox);
        if let MaybeTlsStream::Plain(stream) = half.socket.get_mut() {
            stream.write_all(&[0x81, 0xfe, 0x10]).unwrap();
        }
    }
    let mut raw = TcpStream::connect(sandbox.address()).unwrap();
    raw.write_all(&[0; 3000]).unwrap();

    good.ask(&json!({ "do": "reset" }));
    good.ask(&json!({ "do": "play" }));
    good.status_where(|status| status["playing"] == true && steps(status) > 10);
    assert!(sandbox.is_running());
}

#[test]
fn a_tab_that_does_not_read_holds_up_nobody() {
    let sandbox = start("pile-1000");
    let _deaf: Vec<Page> = (0..3).map(|_| Page::open(&sandbox)).collect();
    let mut good = Page::open(&sandbox);
    let first = steps(&good.status_where(|_| true));
    good.status_where(|status| steps(status) > first + 5);
}

/// A tab that says what it has seen is sent two differences and then no more, until it has seen the first.
#[test]
fn a_slow_tab_is_not_flooded() {
    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    page.ask(&json!({ "do": "seen", "messages": 0 }));
    // What was told before it said so comes before the answer to what it says next.
    page.ask(&json!({ "do": "nonsense" }));
    page.next("problem");
    let mut others = Page::open(&sandbox);
    let first = steps(&others.status_where(|_| true));
    others.status_where(|status| steps(status) > first + 300);
    page.ask(&json!({ "do": "nonsense" }));
    let mut frames = 0;
    loop {
        match page.socket.read().unwrap() {
            Message::Binary(_) => frames += 1,
            Message::Text(text) if text.contains("problem") => break,
            _ => {}
        }
    }
    assert!(frames <= 2, "{frames} frames");
    page.ask(&json!({ "do": "seen", "messages": 1_000_000 }));
    page.next("frame");
}

#[test]
fn other_sites_are_refused() {
    let sandbox = start("pendulum-2");
    let port = sandbox.address().port();
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    assert_eq!(code(&sandbox, "/", &own), "200");
    assert_eq!(code(&sandbox, "/main.js", &format!("Host: localhost:{port}\r\n")), "200");
    assert_eq!(code(&sandbox, "/../Cargo.toml", &own), "404");
    assert_eq!(code(&sandbox, "/", "Host: evil.example\r\n"), "403");
    assert_eq!(code(&sandbox, "/socket", &format!("{own}Origin: http://evil.example\r\n")), "403");
    assert_eq!(code(&sandbox, "/socket", &format!("{own}Origin: null\r\n")), "403");
    assert_eq!(code(&sandbox, "/recording", &own), "200");
    assert_eq!(code(&sandbox, "/recording", &format!("{own}Sec-Fetch-Site: same-origin\r\n")), "200");
    for header in ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: http://127.0.0.1:1"] {
        assert_eq!(code(&sandbox, "/recording", &format!("{own}{header}\r\n")), "403", "{header}");
    }
    // One that cannot be read, and ours beside another.
    assert_eq!(code(&sandbox, "/recording", &format!("{own}Origin: http://ä\r\n")), "403");
    let both = format!("{own}Origin: http://127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n");
    assert_eq!(code(&sandbox, "/recording", &both), "403");

    let mut request = format!("ws://127.0.0.1:{port}/socket").into_client_request().unwrap();
    request.headers_mut().insert("Origin", "http://evil.example".parse().unwrap());
    assert!(tungstenite::connect(request).is_err());
    let mut request = format!("ws://127.0.0.1:{port}/socket").into_client_request().unwrap();
    request.headers_mut().insert("Origin", format!("http://127.0.0.1:{port}").parse().unwrap());
    assert!(tungstenite::connect(request).is_ok());
}

/// Who sends half a request, or a byte now and then, is shut out; a page that says nothing is not.
#[test]
fn half_a_request_is_not_waited_for() {
    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    let mut slow = TcpStream::connect(("127.0.0.1", sandbox.address().port())).unwrap();
    write!(slow, "GET / HTTP/1.1\r\nHost: ").unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let begun = Instant::now();
    let closed = loop {
        assert!(begun.elapsed() < PATIENCE, "it is still waited for");
        let mut answer = [0; 100];
        match slow.read(&mut answer) {
            Ok(_) => break true,
            Err(error) if [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut].contains(&error.kind()) => {}
            Err(_) => break true,
        }
        // Whether this fails does not matter: it is about being closed.
        let _ = slow.write_all(b"1");
    };
    assert!(closed);
    page.ask(&json!({ "do": "pause" }));
    page.status_where(|status| status["playing"] == false);
}

/// One address does not get all connections, and they are given back.
#[test]
fn connections_from_one_address_are_bounded() {
    let sandbox = start("pendulum-2");
    let port = sandbox.address().port();
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let held: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    assert_eq!(code(&sandbox, "/", &own), "", "there is no room for one more");
    drop(held);
    let begun = Instant::now();
    while code(&sandbox, "/", &own) != "200" {
        assert!(begun.elapsed() < PATIENCE, "they are not given back");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A sandbox ends at once, whatever waits to be done.
#[test]
fn the_end_overtakes_what_waits() {
    let sandbox = start("pile-1000");
    let mut page = Page::open(&sandbox);
    page.status_where(|_| true);
    for _ in 0..400 {
        page.ask(&json!({ "do": "step" }));
    }
    drop(sandbox);
    // What the page is told until its connection ends.
    let mut taken = 0;
    while let Ok(message) = page.socket.read() {
        if let Message::Text(text) = message {
            let told: Value = serde_json::from_str(&text).unwrap();
            taken = if told["type"] == "status" { steps(&told) } else { taken };
        }
    }
    assert!(taken < 400, "all {taken} steps were taken first");
}

#[test]
fn beyond_this_machine_a_token_is_needed() {
    let options = Options { host: Ipv4Addr::UNSPECIFIED.into(), port: 0 };
    let sandbox = Sandbox::start(Subject::gallery("pendulum-2").unwrap(), &options).unwrap();
    let (_, token) = sandbox.url().split_once("?token=").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert_eq!(token.len(), 32);
    let base = format!("ws://127.0.0.1:{}/socket", sandbox.address().port());
    assert!(tungstenite::connect(&base).is_err());
    assert!(tungstenite::connect(format!("{base}?token={}0", &token[..31])).is_err() || token.ends_with('0'));
    assert!(tungstenite::connect(format!("{base}?token={token}0")).is_err());
    assert!(tungstenite::connect(format!("{base}?token={token}")).is_ok());
}

/// A thousand boxes that fly apart, turning.
const MANY: &str = r#"
    title = "many"
    dt = 0.01
    gravity = [0, 0, 0]
    [bodies.box]
    shape.box.size = [0.5, 0.5, 0.5]
    velocity = [7, 11, 13]
    angular_velocity = [1, 2, 3]
    repeat = { grid = { count = [10, 10, 10], spacing = [3, 3, 3] }, jitter = { position = 0.1, angle_deg = 180 } }
"#;

/// At most 20 kB a frame for a thousand bodies that all move and turn, fast.
#[test]
fn a_thousand_moving_bodies_fit_into_twenty_kilobytes() {
    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    page.ask(&json!({ "do": "text", "text": MANY }));
    page.next_where("scene", |scene, _| scene["title"] == "many");
    let mut largest = 0;
    for _ in 0..20 {
        let moving = |frame: &[u8]| u32::from_le_bytes(frame[17..21].try_into().unwrap()) == 1000;
        let (_, frame) = page.next_where("frame", |_, frame| moving(frame));
        largest = largest.max(frame.len());
    }
    println!("{largest} bytes a frame");
    assert!(largest <= 20_000, "{largest} bytes");
}

/// The processor time of this process's threads with a name, in seconds.
#[cfg(target_os = "linux")]
fn thread_time(name: &str) -> f64 {
    let mut ticks = 0.0;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let stat = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
        let (before, after) = stat.rsplit_once(')').unwrap_or_default();
        if before.ends_with(&format!("({name}")) {
            let fields: Vec<f64> = after.split_whitespace().map(|field| field.parse().unwrap_or_default()).collect();
            ticks += fields[11] + fields[12];
        }
    }
    // In hundredths of a second, as everywhere.
    ticks / 100.0
}

/// What it costs to show a thousand moving bodies to a tab sixty times a second, beyond simulating them. Not for machines that
/// have other things to do: `cargo test -p tumble-sandbox --release --test server -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[cfg(target_os = "linux")]
fn showing_costs_less_than_a_twentieth_of_a_core() {
    let mut scene = tumble_scene::Loader::new().load_text("many", MANY).unwrap();
    let steps_taken = 1500;
    let alone = std::thread::Builder::new().name("alone".into()).spawn(move || {
        for _ in 0..steps_taken {
            scene.world.step(scene.dt).unwrap();
        }
        thread_time("alone")
    });
    let per_step = alone.unwrap().join().unwrap() / f64::from(steps_taken);

    let sandbox = start("pendulum-2");
    let mut page = Page::open(&sandbox);
    page.ask(&json!({ "do": "text", "text": MANY }));
    page.next_where("scene", |scene, _| scene["title"] == "many");
    let first = page.status_where(|status| steps(status) > 100);
    let before = [thread_time("simulation"), thread_time("server")];
    let begun = Instant::now();
    let (mut frames, mut bytes, mut last) = (0, 0, first.clone());
    while begun.elapsed() < Duration::from_secs(10) {
        match page.socket.read().unwrap() {
            Message::Binary(frame) => (frames, bytes) = (frames + 1, bytes + frame.len()),
            Message::Text(text) => last = serde_json::from_str(&text).unwrap(),
            _ => {}
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let simulation = thread_time("simulation") - before[0];
    let server = thread_time("server") - before[1];
    let stepping = per_step * (steps(&last) - steps(&first)) as f64;
    println!(
        "{:.1} frames a second of {} bytes; of a core: steps {:.1} %, the rest of the simulation thread {:.1} %, the server {:.1} %",
        f64::from(frames) / seconds,
        bytes / frames.max(1) as usize,
        100.0 * stepping / seconds,
        100.0 * (simulation - stepping) / seconds,
        100.0 * server / seconds,
    );
    let cost = (simulation - stepping + server) / seconds;
    assert!(cost < 0.05, "{:.1} % of a core", 100.0 * cost);
}
