//! The collision filter: what each kind of rule covers, which rule decides, and that its compiled form agrees with it.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::model::CollisionFilter;
use tumble_dynamics::model::filter::{Scope, Verdict};
use tumble_dynamics::{Body, BodyId, World};

fn ball(groups: &[&str]) -> Body {
    let body = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap());
    groups.iter().fold(body, |body, &group| body.in_group(group))
}

/// Bodies in no group, in "red", in "blue", in both.
fn four() -> (World, [BodyId; 4]) {
    let mut world = World::new();
    let ids = [&[] as &[&str], &["red"], &["blue"], &["red", "blue"]].map(|g| world.add_body(ball(g)).unwrap());
    (world, ids)
}

/// The pairs, as indices, that a filter lets collide; both forms must agree, in either order of the bodies.
fn colliding(world: &mut World, ids: &[BodyId; 4], filter: CollisionFilter) -> Vec<(usize, usize)> {
    world.set_filter(filter.clone());
    let mut pairs = Vec::new();
    for i in 0..4 {
        for j in i + 1..4 {
            let answer = filter.allows(world.model(), [ids[i], ids[j]]);
            assert_eq!(answer, filter.allows(world.model(), [ids[j], ids[i]]));
            assert_eq!(answer, world.model().may_collide([ids[i], ids[j]]));
            assert_eq!(answer, world.model().may_collide([ids[j], ids[i]]));
            if answer {
                pairs.push((i, j));
            }
        }
    }
    pairs
}

#[test]
fn each_kind_of_rule_covers_its_pairs() {
    let (mut world, ids) = four();
    let none = || CollisionFilter::new().otherwise(Verdict::Ignore);
    let mut check = |filter, expected: &[(usize, usize)]| assert_eq!(colliding(&mut world, &ids, filter), expected);
    check(CollisionFilter::new(), &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    check(none(), &[]);
    check(none().collide(ids[2]), &[(0, 2), (1, 2), (2, 3)]);
    check(none().collide((ids[2], ids[0])), &[(0, 2)]);
    check(none().collide("red"), &[(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)]);
    check(none().collide(("red", "red")), &[(1, 3)]);
    check(none().collide(("red", "blue")), &[(1, 2), (1, 3), (2, 3)]);
    check(CollisionFilter::new().ignore("red"), &[(0, 2)]);
    check(none().collide("unheard of"), &[]);
}

#[test]
fn exceptions_beat_rules_and_the_specific_beats_the_general() {
    let (mut world, ids) = four();
    let pair = (ids[1], ids[3]);
    let mut collide = |filter| colliding(&mut world, &ids, filter).contains(&(1, 3));
    let general_to_specific: [Scope; 4] = ["red".into(), ("red", "red").into(), ids[1].into(), pair.into()];
    for (i, general) in general_to_specific.iter().enumerate() {
        for specific in &general_to_specific[i + 1..] {
            let (general, specific) = (|| general.clone(), || specific.clone());
            assert!(collide(CollisionFilter::new().collide(specific()).ignore(general())));
            assert!(!collide(CollisionFilter::new().ignore(specific()).collide(general())));
            assert!(collide(CollisionFilter::new().except_collide(general()).ignore(specific())));
            assert!(!collide(CollisionFilter::new().except_ignore(general()).collide(specific())));
            assert!(collide(CollisionFilter::new().except_collide(specific()).except_ignore(general())));
        }
        let general = || general.clone();
        assert!(!collide(CollisionFilter::new().collide(general()).ignore(general())));
        assert!(!collide(CollisionFilter::new().ignore(general()).collide(general())));
    }
}

#[test]
fn the_callback_overrides_where_it_answers() {
    let (mut world, ids) = four();
    let first = ids[0];
    let filter = CollisionFilter::new()
        .otherwise(Verdict::Ignore)
        .except_ignore(first)
        .asking(move |_, bodies| bodies.contains(&first).then_some(true));
    assert_eq!(colliding(&mut world, &ids, filter), [(0, 1), (0, 2), (0, 3)]);
}

#[test]
fn masks_agree_with_names_for_random_rules_and_more_groups_than_bits_in_a_word() {
    let mut random = fastrand::Rng::with_seed(7);
    let names: Vec<String> = (0..150).map(|n| format!("group {n}")).collect();
    for _ in 0..20 {
        let mut world = World::new();
        let add = |world: &mut World, random: &mut fastrand::Rng| {
            let groups: Vec<&str> = (0..random.usize(..6)).map(|_| names[random.usize(..150)].as_str()).collect();
            world.add_body(ball(&groups)).unwrap()
        };
        let mut ids: Vec<BodyId> = (0..20).map(|_| add(&mut world, &mut random)).collect();
        let mut filter = CollisionFilter::new().otherwise(random.choice([Verdict::Ignore, Verdict::Collide]).unwrap());
        for _ in 0..200 {
            let group = |random: &mut fastrand::Rng| names[random.usize(..150)].as_str();
            let scope: Scope = match random.usize(..20) {
                0 => ids[random.usize(..20)].into(),
                1..3 => (ids[random.usize(..20)], ids[random.usize(..20)]).into(),
                3..5 => group(&mut random).into(),
                _ => (group(&mut random), group(&mut random)).into(),
            };
            filter = match random.usize(..4) {
                0 => filter.ignore(scope),
                1 => filter.collide(scope),
                2 => filter.except_ignore(scope),
                _ => filter.except_collide(scope),
            };
        }
        world.set_filter(filter.clone());
        // Bodies that come and go after the filter was set count like the others.
        for _ in 0..5 {
            world.remove_body(ids.swap_remove(random.usize(..ids.len()))).unwrap();
            ids.push(add(&mut world, &mut random));
        }
        for &a in &ids {
            for &b in ids.iter().filter(|&&b| b != a) {
                assert_eq!(filter.allows(world.model(), [a, b]), world.model().may_collide([a, b]));
            }
        }
    }
}

#[test]
fn rocks_of_an_avalanche_hit_the_wall_but_not_each_other() {
    let mut world = World::new();
    let wall = Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).in_group("cliff");
    let wall = world.add_body(wall).unwrap();
    let rocks: Vec<BodyId> =
        (0..3).map(|n| world.add_body(ball(&["rocks"]).at([0.0, 0.6 + 0.3 * f64::from(n), 0.0])).unwrap()).collect();
    world.set_filter(CollisionFilter::new().ignore(("rocks", "rocks")));
    for _ in 0..240 {
        world.step(1.0 / 120.0).unwrap();
        assert!(world.contacts().all(|contact| contact.bodies.contains(&wall)));
    }
    // Each rests on the wall, all in the same place.
    for &rock in &rocks {
        let position = world.body(rock).unwrap().position();
        assert!((position - DVec3::new(0.0, 0.5, 0.0)).length() < 1e-3, "{position}");
    }
    // Without a filter they part again: setting it wakes them.
    world.set_filter(CollisionFilter::new());
    world.step(1.0 / 120.0).unwrap();
    assert!(world.contacts().any(|contact| !contact.bodies.contains(&wall)));
}
