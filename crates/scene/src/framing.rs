//! What a picture of a scene should show, if the scene does not say: what moves, where it will go, and what stands near.
//!
//! Where it will go is tried out: the scene runs ahead for a moment in long steps of the real-time method, as far as that is cheap.

use crate::load::Scene;
use crate::look::Surface;
use glam::DVec3;
use tumble_dynamics::method::Realtime;
use tumble_dynamics::{BodyId, BodyRef, EnergyWatch, World};
use tumble_geometry::{Aabb, Shape};

/// What does not move is of interest if it is at most this many times as large as what moves, or as far away.
const VAST: f64 = 20.0;
/// Boxes so many times as large as everything at the start: who leaves the larger one is seen only within the smaller.
const NEAR: f64 = 3.0;
const FAR: f64 = 12.0;
/// The steps in which is looked ahead, in seconds, and how many steps of one body that may cost.
const AHEAD: f64 = 1.0 / 60.0;
const COST: usize = 60_000;

/// The box around all that moves, and around what stands near it: the ground below, a slope, a table; but not what is
/// vastly larger.
pub fn of_interest(scene: &Scene) -> Aabb {
    let (mut moving, mut fixed, mut grounds) = (Aabb::EMPTY, Vec::new(), Vec::new());
    for (id, body) in scene.world.bodies() {
        let pose = body.pose();
        let colliders = body.model().colliders.iter().filter_map(|&id| scene.world.model().colliders().get(id));
        let ground = colliders.filter(|collider| !collider.sensor).find_map(|collider| match &collider.shape {
            Shape::HalfSpace(half_space) => {
                let pose = pose * collider.pose;
                Some((pose.translation, pose.vector(half_space.normal())))
            }
            _ => None,
        });
        if let Some(ground) = ground {
            grounds.push(ground);
            continue;
        }
        let surface = match scene.visual(id) {
            // Who is seen as part of a skin is where its shapes are.
            Some(visual) if visual.positions.is_empty() => Surface::of_colliders(scene, id),
            _ => Surface::of_body(scene, id),
        };
        let surface = surface.positions.iter().map(|corner| pose.point(corner.as_dvec3()));
        let extent = Aabb::from_points(surface.chain([body.position()]).filter(|point| point.is_finite()));
        if body.model().kind.moves() {
            moving = moving.merged(&extent);
        } else {
            fixed.push(extent);
        }
    }
    let unit = Aabb::from_center(DVec3::ZERO, DVec3::ONE);
    let all = |boxes: Vec<Aabb>| boxes.iter().fold(Aabb::EMPTY, |whole, one| whole.merged(one));
    if moving == Aabb::EMPTY {
        let fixed = all(fixed);
        return if fixed == Aabb::EMPTY { unit } else { fixed };
    }
    let size = |extent: &Aabb| extent.extents().length();
    // Points without a surface have no size.
    let reach = VAST * if size(&moving) > 0.0 { size(&moving) } else { size(&unit) };
    let below = grounds.into_iter().map(|(point, normal): (DVec3, DVec3)| {
        Aabb::from_points(corners(&moving).map(|corner| corner - normal * normal.dot(corner - point)))
    });
    let near = fixed.into_iter().chain(below).filter(|extent| size(&moving.merged(extent)) <= reach);
    let whole = near.fold(moving, |whole, extent| whole.merged(&extent));
    foreseen(scene, if size(&whole) > 0.0 { whole } else { whole.expanded(1.0) })
}

/// The same box, and around it all places where bodies will be. Who leaves for ever is followed only for a little while.
fn foreseen(scene: &Scene, whole: Aabb) -> Aabb {
    let at_least = DVec3::splat(0.3 * whole.extents().length());
    let around = |factor: f64| Aabb::from_center(whole.center(), whole.half_extents().max(at_least) * factor);
    let [near, far] = [around(NEAR), around(FAR)];
    let mut world = World::new();
    world.restore(&scene.world.snapshot());
    world.set_method(Realtime::new());
    world.set_energy_watch(EnergyWatch::Off);
    let moving = world.bodies().filter(|(_, body)| body.model().kind.moves());
    let mut ways: Vec<Way> = moving.map(|(id, body)| Way::new(&world, id, &body)).collect();
    let steps = (scene.duration / AHEAD).min((COST / ways.len().max(1)) as f64) as usize;
    for _ in 0..steps {
        if world.step(AHEAD).is_err() {
            break;
        }
        for way in &mut ways {
            let Ok(body) = world.body(way.body) else { continue };
            let place = Aabb::from_center(body.position(), DVec3::splat(way.size));
            way.stays = far.contains_point(body.position());
            if way.stays {
                way.all = way.all.merged(&place);
            }
            if near.contains_point(body.position()) {
                way.first = way.first.merged(&place);
            }
        }
    }
    ways.iter().fold(whole, |seen, way| seen.merged(if way.stays { &way.all } else { &way.first }))
}

/// Where a body goes.
struct Way {
    body: BodyId,
    /// How far it reaches around its middle, at least, in metres.
    size: f64,
    /// Where it is as long as it is near, and wherever it is.
    first: Aabb,
    all: Aabb,
    /// Whether it is still there in the end.
    stays: bool,
}

impl Way {
    fn new(world: &World, id: BodyId, body: &BodyRef<'_>) -> Self {
        let colliders = body.model().colliders.iter().filter_map(|&id| {
            let collider = world.model().colliders().get(id)?;
            let bounds = collider.shape.aabb(&(body.pose() * collider.pose));
            Some(0.5 * bounds.extents().min_element()).filter(|size| size.is_finite())
        });
        Self { body: id, size: colliders.fold(0.0, f64::max), first: Aabb::EMPTY, all: Aabb::EMPTY, stays: false }
    }
}

fn corners(extent: &Aabb) -> [DVec3; 8] {
    std::array::from_fn(|index| extent.corner(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loader;

    fn of(text: &str) -> Aabb {
        let scene = Loader::new().load_text("x", &format!("title = 'x'\n{text}"));
        of_interest(&scene.unwrap_or_else(|report| panic!("{report}")))
    }

    /// Without gravity nothing goes anywhere.
    fn extent(bodies: &str) -> Aabb {
        of(&format!("gravity = [0, 0, 0]\n{bodies}"))
    }

    /// A ball of radius 1 at (0, 5, 0), and what is around it.
    #[test]
    fn the_camera_sees_what_moves_and_what_is_near() {
        let ball = "[bodies.ball]\nshape.sphere.radius = 1\nposition = [0, 5, 0]\n";
        let near = |extent: Aabb, low: [f64; 3], high: [f64; 3]| {
            let apart = (extent.min - DVec3::from(low)).abs().max((extent.max - DVec3::from(high)).abs());
            assert!(apart.max_element() < 0.05, "{extent:?}");
        };
        near(extent(ball), [-1.0, 4.0, -1.0], [1.0, 6.0, 1.0]);
        let table = "[bodies.table]\nkind = 'fixed'\nshape.box.size = [6, 1, 6]\n";
        near(extent(&format!("{ball}{table}")), [-3.0, -0.5, -3.0], [3.0, 6.0, 3.0]);
        let vast = "[bodies.table]\nkind = 'fixed'\nshape.box.size = [1000, 1, 1000]\n";
        near(extent(&format!("{ball}{vast}")), [-1.0, 4.0, -1.0], [1.0, 6.0, 1.0]);
        let ground = "[bodies.ground]\nkind = 'fixed'\nshape.half_space = {}\nposition = [0, 1, 0]\n";
        near(extent(&format!("{ball}{ground}")), [-1.0, 1.0, -1.0], [1.0, 6.0, 1.0]);
        near(extent(""), [-1.0; 3], [1.0; 3]);
    }

    /// A ball that is thrown 5 m high over the ground, and comes down 8 m away; one that falls for ever leaves the picture.
    #[test]
    fn the_camera_sees_where_things_will_go() {
        let ground = "[bodies.ground]\nkind = 'fixed'\nshape.half_space = {}\n";
        let ball = "[bodies.ball]\nshape.sphere.radius = 0.5\nposition = [0, 2, 0]\nvelocity = [4, 7.67, 0]\n";
        let extent = of(&format!("duration = 2\n{ground}{ball}"));
        assert!((extent.max.y - 5.5).abs() < 0.1 && extent.max.x > 8.0 && extent.max.x < 9.0, "{extent:?}");
        let extent = of("duration = 60\n[bodies.ball]\nshape.sphere.radius = 0.5\n");
        assert!(extent.min.y > -10.0, "{extent:?}");
    }
}
