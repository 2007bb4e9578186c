//! All broad phases follow one rule: the same random history, run on all five and on a naive model, gives the same ids,
//! pairs, changes and answers everywhere.
//!
//! `TUMBLE_CASES` sets the number of histories (default 2000).

#![allow(clippy::panic, reason = "a test may fail")]

use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use tumble_geometry::broad_phase::{
    AnyBroadPhase, BroadPhase, BroadPhaseKind, Buckets, Crew, FatMargin, FoundPairs, Grid, HashGrid, KdTree, Mobility,
    ProxyId, TreeLimits,
};
use tumble_geometry::glam::DVec3;
use tumble_geometry::{Aabb, Ray};

fn cases() -> u64 {
    std::env::var("TUMBLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

/// What the broad phases should be, without any structure: a map from ids to boxes with a serial number for each proxy.
#[derive(Default)]
struct Model {
    proxies: BTreeMap<u32, Proxy>,
    free: Vec<u32>,
    born: u64,
    /// The pairs at the last update, with the serial numbers of their members.
    pairs: BTreeSet<(u32, u32, u64, u64)>,
}

#[derive(Clone, Copy)]
struct Proxy {
    serial: u64,
    tight: Aabb,
    fat: Aabb,
    mobility: Mobility,
}

fn contains_a_point(aabb: &Aabb) -> bool {
    (0..3).all(|i| aabb.min[i] <= aabb.max[i] && aabb.min[i] != f64::INFINITY && aabb.max[i] != f64::NEG_INFINITY)
}

fn share_a_point(a: &Aabb, b: &Aabb) -> bool {
    contains_a_point(a) && contains_a_point(b) && (0..3).all(|i| a.min[i].max(b.min[i]) <= a.max[i].min(b.max[i]))
}

impl Model {
    fn insert(&mut self, tight: Aabb, mobility: Mobility) -> u32 {
        let id = self.free.pop().unwrap_or(self.proxies.len() as u32);
        self.born += 1;
        self.proxies.insert(id, Proxy { serial: self.born, tight, fat: tight, mobility });
        id
    }

    fn remove(&mut self, id: u32) -> bool {
        let known = self.proxies.remove(&id).is_some();
        if known {
            self.free.push(id);
        }
        known
    }

    fn overlaps(&self) -> BTreeSet<(u32, u32, u64, u64)> {
        let mut pairs = BTreeSet::new();
        for (&i, a) in &self.proxies {
            for (&j, b) in self.proxies.range(i + 1..) {
                if (a.mobility, b.mobility) != (Mobility::Fixed, Mobility::Fixed) && share_a_point(&a.fat, &b.fat) {
                    pairs.insert((i, j, a.serial, b.serial));
                }
            }
        }
        pairs
    }
}

fn without_serials<'a>(pairs: impl IntoIterator<Item = &'a (u32, u32, u64, u64)>) -> Vec<(ProxyId, ProxyId)> {
    pairs.into_iter().map(|&(a, b, ..)| (ProxyId(a), ProxyId(b))).collect()
}

/// Does so many parts one after the other, the last first.
struct Backwards(usize);

impl Crew for Backwards {
    fn count(&self) -> usize {
        self.0
    }

    fn for_each(&self, parts: &mut [FoundPairs], work: &(dyn Fn(usize, &mut FoundPairs) + Sync)) {
        parts.iter_mut().enumerate().rev().for_each(|(part, found)| work(part, found));
    }
}

/// Compares lists of pairs, and shows where they begin to differ.
fn assert_same(name: &str, which: &str, found: &[(ProxyId, ProxyId)], expected: &[(ProxyId, ProxyId)]) {
    let differing = found.iter().zip(expected).position(|(a, b)| a != b);
    let start = differing.unwrap_or(found.len().min(expected.len()));
    let next = |list: &[(ProxyId, ProxyId)]| list.get(start).copied();
    assert!(
        found == expected,
        "{name}, {which} pairs: {} instead of {}; at {start} {:?} instead of {:?}",
        found.len(),
        expected.len(),
        next(found),
        next(expected)
    );
}

/// The flavour of a history: where boxes are and how large.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scene {
    Scattered,
    Clustered,
    AllEqual,
    Collinear,
    Lattice,
    HugeAmongTiny,
    FarAway,
}

const SCENES: [Scene; 7] = [
    Scene::Scattered,
    Scene::Clustered,
    Scene::AllEqual,
    Scene::Collinear,
    Scene::Lattice,
    Scene::HugeAmongTiny,
    Scene::FarAway,
];

fn vector(rng: &mut Rng, scale: f64) -> DVec3 {
    DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 2.0 * scale
}

fn place(rng: &mut Rng, scene: Scene) -> DVec3 {
    match scene {
        Scene::Scattered | Scene::HugeAmongTiny => vector(rng, 10.0),
        Scene::Clustered => DVec3::splat(f64::from(rng.u32(0..3)) * 50.0) + vector(rng, 1.0),
        Scene::AllEqual => DVec3::ONE,
        Scene::Collinear => DVec3::new(0.0, 10.0 * rng.f64(), 0.0),
        Scene::Lattice => vector(rng, 4.0).round(),
        Scene::FarAway => DVec3::new(1e9, -1e12, 1e6) + vector(rng, 10.0),
    }
}

fn random_box(rng: &mut Rng, scene: Scene) -> Aabb {
    let center = place(rng, scene);
    let half = match scene {
        Scene::AllEqual => DVec3::ONE,
        Scene::Lattice => DVec3::splat(0.5),
        Scene::HugeAmongTiny if rng.u32(0..8) == 0 => DVec3::splat(1e8),
        Scene::HugeAmongTiny => DVec3::splat(1e-3),
        _ => vector(rng, 1.0).abs(),
    };
    let aabb = Aabb::from_center(center, half);
    match rng.u32(0..60) {
        0 => Aabb::EVERYTHING,
        1 => Aabb::new(DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, center.y, f64::INFINITY)),
        2 => Aabb::new(aabb.min, DVec3::new(aabb.max.x, f64::NAN, aabb.max.z)),
        3 => Aabb::new(aabb.max, aabb.min - DVec3::X),
        4 => Aabb::EMPTY,
        5 => Aabb::new(center, center),
        6 => Aabb::new(DVec3::INFINITY, DVec3::INFINITY),
        7 => Aabb::new(DVec3::splat(-f64::MAX), DVec3::splat(f64::MAX)),
        8 => Aabb::from_center(DVec3::splat(1e200), DVec3::splat(1e190)),
        _ => aabb,
    }
}

fn random_mobility(rng: &mut Rng) -> Mobility {
    if rng.u32(0..3) == 0 { Mobility::Fixed } else { Mobility::Moving }
}

/// The five under test (and a grid with a given cell size) and the model, run through the same history.
struct History {
    rng: Rng,
    scene: Scene,
    spaces: Vec<AnyBroadPhase>,
    model: Model,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let scene = SCENES[(seed % SCENES.len() as u64) as usize];
        let margin = match rng.u32(0..4) {
            0 => FatMargin::ZERO,
            1 => FatMargin::absolute(0.3),
            2 => FatMargin { relative: f64::NAN, minimum: -1.0, maximum: f64::INFINITY, stretch: 5.0 },
            _ => FatMargin::default(),
        };
        let mut spaces: Vec<_> = BroadPhaseKind::ALL.iter().map(|kind| kind.build(margin)).collect();
        let cell = [0.01, 1.0, 1e3][rng.usize(0..3)];
        spaces.push(AnyBroadPhase::HashGrid(HashGrid::with_index(
            margin,
            Grid::with_cell_size(cell).expect("a valid size").with_clean_up(NonZeroU32::MIN),
        )));
        let limits = TreeLimits {
            leaf_size: NonZeroU32::new(rng.u32(1..6)).expect("not zero"),
            depth: [0, 2, 5, u32::MAX][rng.usize(0..4)],
        };
        spaces.push(AnyBroadPhase::KdTree(KdTree::with_index(margin, Buckets::with_limits(limits))));
        Self { rng, scene, spaces, model: Model::default() }
    }

    fn some_id(&mut self) -> u32 {
        // Sometimes one that does not exist.
        self.rng.u32(0..(self.model.proxies.len() + self.model.free.len()) as u32 + 3)
    }

    /// The model learns the fat box from the first space; all must agree, and it must contain the tight one.
    fn learn_fat(&mut self, id: u32) {
        let fat = self.spaces[0].fat_aabb(ProxyId(id)).expect("it exists");
        for space in &self.spaces {
            assert_eq!(space.fat_aabb(ProxyId(id)), Some(fat), "{}", space.name());
        }
        let proxy = self.model.proxies.get_mut(&id).expect("it exists");
        assert_eq!(contains_a_point(&fat), contains_a_point(&proxy.tight));
        assert!(!contains_a_point(&fat) || fat.contains(&proxy.tight), "{fat:?} {:?}", proxy.tight);
        proxy.fat = fat;
    }

    fn step(&mut self) {
        match self.rng.u32(0..100) {
            0..25 => self.insert(),
            25..35 => self.remove(),
            35..70 => self.relocate(),
            70..73 => self.set_mobility(),
            73..75 => self.spaces.iter_mut().for_each(|space| space.rebuild()),
            75..88 => self.update(),
            88..91 => self.compare_box_query(),
            91..94 => self.compare_ray_query(),
            94..96 => self.compare_sweep_query(),
            96..98 => self.compare_nearest_query(),
            _ => self.jostle(),
        }
    }

    fn insert(&mut self) {
        for _ in 0..self.rng.u32(1..8) {
            let (aabb, mobility) = (random_box(&mut self.rng, self.scene), random_mobility(&mut self.rng));
            let id = self.model.insert(aabb, mobility);
            for space in &mut self.spaces {
                assert_eq!(space.insert(aabb, mobility), ProxyId(id), "{}", space.name());
            }
            self.learn_fat(id);
        }
    }

    fn remove(&mut self) {
        for _ in 0..self.rng.u32(1..8) {
            let id = self.some_id();
            self.remove_one(id);
        }
    }

    fn remove_one(&mut self, id: u32) {
        let known = self.model.remove(id);
        for space in &mut self.spaces {
            assert_eq!(space.remove(ProxyId(id)), known, "{}", space.name());
        }
    }

    fn relocate(&mut self) {
        let id = self.some_id();
        let displacement = match self.rng.u32(0..20) {
            0 => DVec3::splat(f64::NAN),
            1 => DVec3::new(f64::INFINITY, 0.0, -1.0),
            2..10 => DVec3::ZERO,
            _ => vector(&mut self.rng, 1.0),
        };
        let aabb = match self.model.proxies.get(&id) {
            Some(proxy) if self.rng.u32(0..4) > 0 => {
                let shift = vector(&mut self.rng, 0.2);
                Aabb::new(proxy.tight.min + shift, proxy.tight.max + shift)
            }
            _ => random_box(&mut self.rng, self.scene),
        };
        self.relocate_to(id, aabb, displacement);
    }

    fn relocate_to(&mut self, id: u32, aabb: Aabb, displacement: DVec3) {
        let known = self.model.proxies.get_mut(&id).map(|proxy| proxy.tight = aabb).is_some();
        for space in &mut self.spaces {
            assert_eq!(space.relocate(ProxyId(id), aabb, displacement), known, "{}", space.name());
        }
        if known {
            self.learn_fat(id);
        }
    }

    /// Everything moves a little, as in a simulation.
    fn jostle(&mut self) {
        for _ in 0..4 {
            for id in Vec::from_iter(self.model.proxies.keys().copied()) {
                let tight = self.model.proxies[&id].tight;
                let shift = vector(&mut self.rng, 0.1);
                self.relocate_to(id, Aabb::new(tight.min + shift, tight.max + shift), shift);
            }
            self.update();
        }
    }

    fn set_mobility(&mut self) {
        let (id, mobility) = (self.some_id(), random_mobility(&mut self.rng));
        let known = self.model.proxies.get_mut(&id).map(|proxy| proxy.mobility = mobility).is_some();
        for space in &mut self.spaces {
            assert_eq!(space.set_mobility(ProxyId(id), mobility), known);
            assert_eq!(space.mobility(ProxyId(id)), known.then_some(mobility));
        }
        if known {
            self.learn_fat(id);
        }
    }

    fn update(&mut self) {
        let pairs = self.model.overlaps();
        let known = without_serials(&self.model.pairs);
        let new = without_serials(pairs.difference(&self.model.pairs));
        let lost = without_serials(self.model.pairs.difference(&pairs));
        self.model.pairs = pairs;
        let all = without_serials(&self.model.pairs);
        for space in &mut self.spaces {
            let name = space.name();
            // One pair too many: nothing happens, and the next update is what this one would have been.
            if self.rng.bool() && !all.is_empty() {
                assert!(space.update_pairs_within(all.len() - 1).is_none(), "{name}");
                assert_same(name, "known", space.pairs(), &known);
                assert_eq!(space.validate(), Ok(()), "{name}");
            }
            // Alone, or divided among several.
            let changes = match self.rng.usize(..8) {
                0..3 => space.update_pairs(),
                3 => space.update_pairs_within(all.len()).unwrap_or_else(|| panic!("{name}: {} pairs", all.len())),
                count => space.update_pairs_with(&Backwards(count - 3)),
            };
            assert_same(name, "new", changes.new, &new);
            assert_same(name, "lost", changes.lost, &lost);
            assert_same(name, "all", space.pairs(), &all);
            assert_eq!(space.len(), self.model.proxies.len());
            assert_eq!(space.validate(), Ok(()), "{name}");
        }
    }

    fn compare_box_query(&mut self) {
        let region = random_box(&mut self.rng, self.scene);
        let expected: BTreeSet<u32> =
            self.model.proxies.iter().filter(|(_, p)| share_a_point(&p.tight, &region)).map(|(&id, _)| id).collect();
        for space in &self.spaces {
            let mut met = Vec::new();
            space.query_box(&region, &mut |id| {
                met.push(id.0);
                true
            });
            assert_eq!(met.len(), expected.len(), "{} finds a box twice, or one too few or many", space.name());
            assert_eq!(BTreeSet::from_iter(met), expected, "{}", space.name());
            let mut calls = 0;
            space.query_box(&region, &mut |_| {
                calls += 1;
                false
            });
            assert_eq!(calls, expected.len().min(1), "{} does not stop", space.name());
        }
    }

    /// Runs a query that visits everything and one that narrows down to the nearest, and compares them with bounds of the
    /// distance of each proxy: `distance` gives the least and the most it can be, up to rounding.
    fn compare_distance_query(
        &mut self,
        max: f64,
        query: impl Fn(&dyn BroadPhase, &mut dyn FnMut(ProxyId) -> f64),
        distance: impl Fn(&Aabb) -> (f64, f64),
    ) {
        let known: BTreeMap<u32, (f64, f64)> = self
            .model
            .proxies
            .iter()
            .filter(|(_, p)| contains_a_point(&p.tight))
            .map(|(&id, p)| (id, distance(&p.tight)))
            .collect();
        let mut first_set = None;
        for space in &self.spaces {
            let name = space.name();
            let mut met = BTreeSet::new();
            query(&**space, &mut |id| {
                assert!(met.insert(id.0), "{name} finds a box twice");
                max
            });
            for (id, &(least, most)) in &known {
                assert!(
                    met.contains(id) || most > max || most == f64::INFINITY,
                    "{name} misses {id} at {most} within {max}"
                );
                assert!(
                    !met.contains(id) || (least <= max && least < f64::INFINITY),
                    "{name} finds {id} at {least} beyond {max}"
                );
            }
            assert!(met.iter().all(|id| known.contains_key(id)));
            let first_set = first_set.get_or_insert_with(|| met.clone());
            assert_eq!(&met, first_set, "{name}");
            // Narrowing down must still find the nearest.
            let mut nearest = f64::INFINITY;
            query(&**space, &mut |id| {
                nearest = nearest.min(known[&id.0].1);
                nearest
            });
            let best = met.iter().map(|id| known[id].1).fold(f64::INFINITY, f64::min);
            assert!(nearest <= best, "{name} narrows down to {nearest}, not {best}");
        }
    }

    fn compare_ray_query(&mut self) {
        let mut direction = vector(&mut self.rng, 1.0);
        if self.rng.bool() {
            direction[self.rng.usize(0..3)] = 0.0;
            direction[self.rng.usize(0..3)] = 0.0;
        }
        let origin = place(&mut self.rng, self.scene) + vector(&mut self.rng, 3.0);
        let Ok(ray) = Ray::new(origin, direction) else { return };
        let max = [0.0, 5.0, 50.0, 1e15, f64::INFINITY][self.rng.usize(0..5)];
        let start = Aabb::new(origin, origin);
        self.compare_distance_query(
            max,
            |space, visit| space.query_ray(&ray, max, visit),
            |aabb| first_touch(&start, ray.direction, aabb),
        );
    }

    fn compare_sweep_query(&mut self) {
        let (start, translation) = (random_box(&mut self.rng, self.scene), vector(&mut self.rng, 10.0));
        if contains_a_point(&start) {
            self.compare_distance_query(
                1.0,
                |space, visit| space.query_sweep(&start, translation, visit),
                |aabb| first_touch(&start, translation, aabb),
            );
        }
    }

    fn compare_nearest_query(&mut self) {
        let point = place(&mut self.rng, self.scene) + vector(&mut self.rng, 3.0);
        let max = [0.0, 1.0, 30.0, f64::INFINITY][self.rng.usize(0..4)];
        self.compare_distance_query(
            max,
            |space, visit| space.query_nearest(point, max, visit),
            |aabb| {
                let nearest = point.max(aabb.min).min(aabb.max);
                let distance = (point - nearest).length();
                (distance * (1.0 - 1e-12), distance * (1.0 + 1e-12))
            },
        );
    }
}

/// Bounds of the time at which a box in motion touches another, by clipping the interval of time axis by axis with a
/// tolerance either way.
fn first_touch(start: &Aabb, velocity: DVec3, target: &Aabb) -> (f64, f64) {
    let touch = |slack: f64| {
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let scale = [start.min, start.max, target.min, target.max]
                .map(|corner| if corner[axis].is_finite() { corner[axis].abs() } else { 0.0 })
                .into_iter()
                .fold(0.0, f64::max);
            let low = target.min[axis] - start.max[axis] - slack * scale;
            let high = target.max[axis] - start.min[axis] + slack * scale;
            let v = velocity[axis];
            if v == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return f64::INFINITY;
                }
            } else {
                let (enter, leave) = if v > 0.0 { (low / v, high / v) } else { (high / v, low / v) };
                from = from.max(enter * (1.0 - slack));
                to = to.min(leave * (1.0 + slack));
            }
        }
        if from <= to { from } else { f64::INFINITY }
    };
    (touch(1e-12), touch(-1e-12))
}

#[test]
fn all_five_agree_with_the_model_through_random_histories() {
    for seed in 0..cases() {
        let mut history = History::new(seed);
        for _ in 0..60 {
            history.step();
        }
        history.update();
        for id in 0..(history.model.proxies.len() + history.model.free.len()) as u32 {
            history.remove_one(id);
        }
        history.update();
    }
}

#[test]
fn long_histories_with_many_boxes() {
    for seed in 0..cases() / 250 {
        let mut history = History::new(1_000_000 + seed);
        for _ in 0..60 {
            history.insert();
        }
        for _ in 0..400 {
            history.step();
        }
        history.update();
    }
}

#[test]
fn a_clone_goes_on_as_the_original() {
    for seed in 0..cases() / 20 {
        let mut history = History::new(2_000_000 + seed);
        for _ in 0..40 {
            history.step();
        }
        for space in &mut history.spaces {
            let (mut clone, mut boxed) = (space.clone(), space.clone_box());
            let future = future(&mut **space, seed);
            assert_eq!(self::future(&mut *clone, seed), future);
            assert_eq!(self::future(&mut *boxed, seed), future);
        }
    }
}

/// Continues a space and writes down everything to be seen, including the order of answers.
fn future(space: &mut dyn BroadPhase, seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let mut seen = Vec::new();
    for _ in 0..10 {
        let (aabb, mobility) = (random_box(&mut rng, Scene::Scattered), random_mobility(&mut rng));
        space.insert(aabb, mobility);
        space.relocate(ProxyId(rng.u32(0..40)), aabb, DVec3::ONE);
        space.query_box(&Aabb::EVERYTHING, &mut |id| {
            seen.push(format!("{id:?}"));
            true
        });
        space.structure(&mut |aabb| seen.push(format!("{aabb:?}")));
        seen.push(format!("{:?}", space.update_pairs()));
        seen.push(format!("{:?}", space.pairs()));
    }
    seen
}

/// A box that comes to reach into infinity between two updates is found wherever it reaches, and the structure stays sound.
#[test]
fn boxes_without_end_are_found_before_the_next_update() {
    for kind in BroadPhaseKind::ALL {
        let mut space = kind.build(FatMargin::default());
        let unit = |x: f64| Aabb::new(DVec3::splat(x), DVec3::splat(x + 1.0));
        let ids: Vec<ProxyId> = (0..20).map(|k| space.insert(unit(1.5 * f64::from(k)), Mobility::Moving)).collect();
        space.update_pairs();
        let all = Aabb::new(DVec3::splat(f64::NEG_INFINITY), DVec3::splat(f64::INFINITY));
        let half = Aabb::new(DVec3::new(f64::NEG_INFINITY, 3.0, 3.0), DVec3::splat(f64::INFINITY));
        for (&id, region) in ids[3..].iter().step_by(5).zip([all, half, all, half]) {
            space.relocate(id, region, DVec3::ZERO);
            assert_eq!(space.validate(), Ok(()), "{}", space.name());
            let mut found = false;
            space.query_point(DVec3::new(-1e6, 1e6, 1e6), &mut |other| {
                found |= other == id;
                true
            });
            assert!(found, "{}", space.name());
        }
    }
}

/// Equal boxes can be asked for before the first update, however many there are.
#[test]
fn equal_boxes_are_found_before_the_first_update() {
    for kind in BroadPhaseKind::ALL {
        let mut space = kind.build(FatMargin::default());
        let unit = Aabb::new(DVec3::ZERO, DVec3::ONE);
        for count in 1..=1000 {
            space.insert(unit, Mobility::Moving);
            if count % 100 == 0 {
                assert_eq!(space.validate(), Ok(()), "{}", space.name());
                let mut found = 0;
                space.query_point(DVec3::splat(0.5), &mut |_| {
                    found += 1;
                    true
                });
                assert_eq!(found, count, "{}", space.name());
            }
        }
    }
}
