//! Whatever a page of the sandbox says, in whatever order, the simulation obeys or complains, and goes on.
//!
//! An input is a row of requests: some are made from its bytes, with numbers of every kind, some are its bytes as they are.
#![no_main]

mod input;

use input::Numbers;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::time::Duration;
use tumble_sandbox::Subject;
use tumble_sandbox::rehearsal::Rehearsal;

const TEXTS: [&str; 4] = [
    "title = 'x'",
    "title = 'x'\n[bodies.a]\nshape.sphere.radius = 1\n[bodies.floor]\nkind = 'fixed'\nshape.half_space = {}\nposition = [0, -1, 0]",
    "[[[",
    "title = 'x'\n[bodies.a]\nshape.box.size = [1, 1, 1]\nvelocity = [1e9, 0, 0]\n[joints.j]\nball = { bodies = ['a', 'world'], at = [0, 1, 0] }",
];
const METHODS: [&str; 6] = ["realtime", "retroactive", "accurate", "verlet", "penalty", "none"];

fn number(u: &mut Unstructured) -> Result<String> {
    let number = Numbers::Wild.coordinate(u)?;
    Ok(if number.is_finite() { format!("{number:e}") } else { "1e308".into() })
}

fn vector(u: &mut Unstructured) -> Result<String> {
    Ok(format!("[{},{},{}]", number(u)?, number(u)?, number(u)?))
}

fn body(u: &mut Unstructured) -> Result<String> {
    Ok(format!(r#"{{"slot":{},"generation":{}}}"#, u.int_in_range(0..=6)?, u.int_in_range(0..=2)?))
}

fn choice(u: &mut Unstructured) -> Result<String> {
    let dt = if u.arbitrary()? { number(u)? } else { "0.01".into() };
    Ok(format!("\"method\":{{\"{}\":{{}}}},\"dt\":{dt}", u.choose(&METHODS)?))
}

fn request(u: &mut Unstructured) -> Result<String> {
    Ok(match u.int_in_range(0..=18)? {
        0 => r#"{"do":"play"}"#.into(),
        1 => r#"{"do":"pause"}"#.into(),
        2 | 3 => r#"{"do":"step"}"#.into(),
        4 => r#"{"do":"reset"}"#.into(),
        5 => format!(r#"{{"do":"speed","factor":{}}}"#, number(u)?),
        6 => format!(r#"{{"do":"text","text":{:?}}}"#, u.choose(&TEXTS)?),
        7 => format!(r#"{{"do":"method",{}}}"#, choice(u)?),
        8 => format!(r#"{{"do":"compare","second":{{{}}}}}"#, choice(u)?),
        9 => r#"{"do":"compare","second":null}"#.into(),
        10 => format!(r#"{{"do":"grab","body":{},"point":{}}}"#, body(u)?, vector(u)?),
        11 => format!(r#"{{"do":"drag","to":{}}}"#, vector(u)?),
        12 => r#"{"do":"release"}"#.into(),
        13 => format!(r#"{{"do":"shoot","from":{},"towards":{}}}"#, vector(u)?, vector(u)?),
        14 => format!(r#"{{"do":"delete","body":{}}}"#, body(u)?),
        15 => format!(r#"{{"do":"seek","time":{}}}"#, number(u)?),
        16 => format!(r#"{{"do":"inspect","body":{}}}"#, body(u)?),
        17 => {
            let all = ["contacts", "contact_forces", "forces", "joints", "reactions", "aabbs", "broad_phase"];
            let more = ["velocities", "centers_of_mass", "islands", "limits"];
            let what: Vec<&str> = all.into_iter().chain(more).filter(|_| u.arbitrary().unwrap_or(false)).collect();
            format!(r#"{{"do":"draw","what":{what:?}}}"#)
        }
        _ => String::from_utf8_lossy(u.bytes(u.len().min(40))?).into_owned(),
    })
}

fuzz_target!(|bytes: &[u8]| {
    let mut u = Unstructured::new(bytes);
    let scene = Subject::gallery("two-spheres").expect("the scene is in the gallery");
    let Ok(mut rehearsal) = Rehearsal::new(scene) else { return };
    for _ in 0..12 {
        if u.is_empty() {
            break;
        }
        let Ok(request) = request(&mut u) else { break };
        let _complaint = rehearsal.say(&request);
        if u.ratio(1, 3).unwrap_or(false) {
            rehearsal.wait(Duration::from_millis(2));
        }
        assert!(rehearsal.time().is_finite(), "{request}");
    }
});
