//! The scenes in tumble, with the real-time method.

use compare_scenes::{Engine, Kind, Motion, Scene, serve};
use glam::DVec3;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::model::{Joint, JointEnd, Layers};
use tumble_dynamics::{Body, BodyId, Material, Workers, World};
use tumble_geometry::{MassProperties, Ray};

struct Tumble {
    world: World,
    ids: Vec<BodyId>,
}

fn build(scene: &Scene, threads: usize) -> Result<Box<dyn Engine>, String> {
    // Sleeping is off, as for all engines.
    let settings = RealtimeSettings { time_to_sleep: f64::INFINITY, ..RealtimeSettings::default() };
    let mut world = World::with_method(Realtime::new().with_settings(settings));
    world.set_workers(Workers::new(threads));
    world.set_gravity(scene.gravity);
    let wrong = |error: tumble_dynamics::ModelError| error.to_string();
    let mut ids = Vec::with_capacity(scene.bodies.len());
    for body in &scene.bodies {
        let shape = body.shape.shape();
        let made = match body.kind {
            Kind::Dynamic => Body::dynamic(),
            Kind::Fixed => Body::fixed(),
            Kind::Kinematic => Body::kinematic(),
        };
        let material = Material {
            static_friction: body.friction,
            dynamic_friction: body.friction,
            restitution: body.restitution,
            ..Material::default()
        };
        let mut made = made.with_shape(shape.clone()).with_material(material).at(body.position).rotated(body.rotation);
        made = made.with_velocity(body.velocity).with_angular_velocity(body.angular_velocity);
        if body.ghost {
            made = made.with_layers(Layers::new(0, 0));
        }
        if body.kind == Kind::Dynamic {
            let whole = shape.mass_properties(1000.0).and_then(|whole| whole.scaled_to_mass(body.mass));
            let MassProperties { mass, inertia, .. } = whole.map_err(|error| error.to_string())?;
            made = made.with_mass_properties(MassProperties { mass, center: DVec3::ZERO, inertia });
        }
        ids.push(world.add_body(made).map_err(wrong)?);
    }
    for joint in &scene.joints {
        let ends = joint.bodies.map(|body| body.map_or(JointEnd::World, |body| JointEnd::Body(ids[body])));
        let fixed = |body: Option<usize>| body.is_none_or(|body| scene.bodies[body].kind != Kind::Dynamic);
        if !joint.bodies.into_iter().all(fixed) {
            world.add_joint(Joint::new(ends[0], ends[1], Ball::at(joint.anchor))).map_err(wrong)?;
        }
    }
    Ok(Box::new(Tumble { world, ids }))
}

impl Engine for Tumble {
    fn step(&mut self) {
        if let Err(error) = self.world.step(compare_scenes::scene::DT) {
            eprintln!("tumble: {error}");
        }
        if std::env::var_os("TUMBLE_REPORT").is_some() {
            let (stages, report) = (self.world.report().times.stages, self.world.report());
            let stages: Vec<String> =
                stages.iter().map(|(name, time)| format!("{name} {:.2}", time.as_secs_f64() * 1e3)).collect();
            eprintln!("{} contacts; ms: {}; {:?}", report.contacts, stages.join(", "), report.work);
        }
    }

    fn read(&mut self, motions: &mut Vec<Motion>) {
        motions.clear();
        motions.extend(self.ids.iter().map(|id| {
            let state = &self.world.state().bodies[tumble_dynamics::Id::slot(*id)];
            Motion {
                position: state.position,
                rotation: state.rotation,
                velocity: state.velocity,
                angular_velocity: state.angular_velocity,
            }
        }));
    }

    fn cast(&mut self, origin: DVec3, way: DVec3) -> Option<f64> {
        let length = way.length();
        Some(self.world.cast_ray(&Ray::new(origin, way).ok()?, length, |_| true)?.distance / length)
    }
}

fn main() {
    serve("tumble", build);
}
