//! Time, what happened in the last step, what comes from outside, and rays, in scripts.

use super::super::lent::{Lent, Told, reach, refuse, told};
use super::number;
use glam::DVec3;
use rhai::{Array, Dynamic, Engine, Map};
use tumble_dynamics::BodyId;
use tumble_geometry::Ray;

/// The inputs that tell where the pointer is: the eye, and the way it looks.
const POINTER: [&str; 6] = [
    "pointer.from.x",
    "pointer.from.y",
    "pointer.from.z",
    "pointer.towards.x",
    "pointer.towards.y",
    "pointer.towards.z",
];

pub(super) fn teach(engine: &mut Engine) {
    engine.register_fn("time", || reach(|lent| Ok(lent.world.time())));
    engine.register_fn("dt", || reach(|lent| Ok(lent.given.dt)));
    engine.register_fn("steps", || reach(|lent| Ok(lent.world.state().steps as i64)));
    inputs(engine);
    happened(engine);
    engine.register_fn("ray", |from: DVec3, towards: DVec3, most: Dynamic| -> Told<Dynamic> {
        let most = number(&most)?;
        let Some(ray) = Ray::new(from, towards) else {
            return refuse(format!("no ray goes from {from} towards {towards}"));
        };
        reach(|lent| Ok(cast(lent, &ray, most)))
    });
}

/// What a ray meets: a map, or nothing.
fn cast(lent: &Lent, ray: &Ray, most: f64) -> Dynamic {
    let Some(hit) = lent.world.cast_ray(ray, most, |_| true) else { return Dynamic::UNIT };
    map([
        ("body", Dynamic::from(hit.body)),
        ("point", Dynamic::from(hit.point)),
        ("normal", Dynamic::from(hit.normal)),
        ("distance", hit.distance.into()),
    ])
}

fn inputs(engine: &mut Engine) {
    engine.register_fn("input", |name: &str| {
        reach(|lent| match lent.given.controls.get(name) {
            Some(value) => Ok(*value),
            None => {
                let names = lent.given.controls.keys().map(String::as_str);
                let known = crate::nearest::suggestion(name, names);
                refuse(format!("there is no control \"{name}\"; {known}"))
            }
        })
    });
    // The ray under the pointer: its origin and direction; nothing before the pointer has ever been over the picture.
    engine.register_fn("pointer", || {
        reach(|lent| {
            let mut numbers = [0.0; 6];
            for (number, name) in numbers.iter_mut().zip(POINTER) {
                let Some(value) = lent.world.input(name) else { return Ok(Dynamic::UNIT) };
                *number = value;
            }
            let [x, y, z, ..] = numbers;
            let [.., u, v, w] = numbers;
            let (from, towards) = (DVec3::new(x, y, z), DVec3::new(u, v, w));
            Ok(map([("from", Dynamic::from(from)), ("towards", Dynamic::from(towards.normalize_or_zero()))]))
        })
    });
}

fn happened(engine: &mut Engine) {
    engine.register_fn("contacts", || {
        reach(|lent| {
            let list = lent.given.happened.contacts.iter().map(|&(time, bodies, began)| meeting(time, bodies, began));
            Ok(list.collect::<Array>())
        })
    });
    engine.register_fn("sensors", || {
        reach(|lent| {
            let list = lent.given.happened.sensors.iter().map(|&(time, bodies, began)| meeting(time, bodies, began));
            Ok(list.collect::<Array>())
        })
    });
    engine.register_fn("impacts", || {
        reach(|lent| {
            let list = lent.given.happened.impacts.iter().map(|impact| {
                map([
                    ("time", impact.time.into()),
                    ("a", Dynamic::from(impact.bodies[0])),
                    ("b", Dynamic::from(impact.bodies[1])),
                    ("position", Dynamic::from(impact.position)),
                    ("speed", impact.speed.into()),
                    ("impulse", Dynamic::from(impact.impulse)),
                ])
            });
            Ok(list.collect::<Array>())
        })
    });
    engine.register_fn("broken", || {
        reach(|lent| {
            let list = lent.given.happened.broken.iter();
            let list = list.map(|&(time, joint)| map([("time", time.into()), ("joint", Dynamic::from(joint))]));
            Ok(list.collect::<Array>())
        })
    });
    // Whether two bodies began to touch in the last step, and whether they touch.
    engine.register_fn("met", |a: BodyId, b: BodyId| {
        reach(|lent| {
            let contacts = &lent.given.happened.contacts;
            Ok(contacts.iter().any(|&(_, bodies, began)| began && (bodies == [a, b] || bodies == [b, a])))
        })
    });
    engine.register_fn("touch", |a: BodyId, b: BodyId| {
        reach(|lent| {
            told(lent.world.body(a).map(drop))?;
            let mut touch = false;
            lent.world.visit_contacts_of(a, |contact| touch |= contact.bodies.contains(&b));
            Ok(touch)
        })
    });
    engine.register_fn("touched", |a: BodyId| {
        reach(|lent| {
            told(lent.world.body(a).map(drop))?;
            let mut others: Vec<BodyId> = Vec::new();
            lent.world.visit_contacts_of(a, |contact| others.extend(contact.bodies.iter().filter(|&&body| body != a)));
            others.sort_unstable();
            others.dedup();
            Ok(others.into_iter().map(Dynamic::from).collect::<Array>())
        })
    });
}

/// Two bodies began to touch, or came apart.
fn meeting(time: f64, [a, b]: [BodyId; 2], began: bool) -> Dynamic {
    map([("time", time.into()), ("a", Dynamic::from(a)), ("b", Dynamic::from(b)), ("began", began.into())])
}

fn map<const N: usize>(entries: [(&str, Dynamic); N]) -> Dynamic {
    Dynamic::from_map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect::<Map>())
}
