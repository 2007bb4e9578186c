//! The scenes in Rapier, at its default settings but for sleeping.

use compare_scenes::{Engine, Kind, Motion, Scene, ShapeDesc, serve};
use glam::{DQuat, DVec3};
use rapier3d::prelude::*;

struct Rapier {
    gravity: Vector,
    parameters: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad_phase: DefaultBroadPhase,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    joints: ImpulseJointSet,
    multibodies: MultibodyJointSet,
    soft_bodies: SoftBodySet,
    ccd: CCDSolver,
    handles: Vec<RigidBodyHandle>,
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn pose(position: DVec3, rotation: DQuat) -> Pose {
    let r = Rotation::from_xyzw(rotation.x as f32, rotation.y as f32, rotation.z as f32, rotation.w as f32);
    Pose::from_parts(vector(position), r)
}

fn shape(shape: &ShapeDesc) -> Result<SharedShape, String> {
    Ok(match shape {
        ShapeDesc::Cuboid(half) => SharedShape::cuboid(half.x as f32, half.y as f32, half.z as f32),
        ShapeDesc::Sphere(radius) => SharedShape::ball(*radius as f32),
        ShapeDesc::Capsule(half, radius) => SharedShape::capsule_y(*half as f32, *radius as f32),
        ShapeDesc::Hull(points) => {
            let points: Vec<Vector> = points.iter().map(|point| vector(*point)).collect();
            SharedShape::convex_hull(&points).ok_or("no hull")?
        }
        ShapeDesc::Mesh(vertices, triangles) => {
            let vertices = vertices.iter().map(|vertex| vector(*vertex)).collect();
            SharedShape::trimesh(vertices, triangles.to_vec()).map_err(|error| error.to_string())?
        }
        ShapeDesc::Boxes(boxes) => SharedShape::compound(
            boxes
                .iter()
                .map(|(half, center, turn)| {
                    let shape = SharedShape::cuboid(half.x as f32, half.y as f32, half.z as f32);
                    (pose(*center, *turn), shape)
                })
                .collect(),
        ),
    })
}

fn build(scene: &Scene, threads: usize) -> Result<Box<dyn Engine>, String> {
    let mut engine = Rapier {
        gravity: vector(scene.gravity),
        parameters: IntegrationParameters { dt: compare_scenes::scene::DT as f32, ..Default::default() },
        pipeline: PhysicsPipeline::new(),
        islands: IslandManager::new(),
        broad_phase: DefaultBroadPhase::new(),
        narrow_phase: NarrowPhase::new(),
        bodies: RigidBodySet::new(),
        colliders: ColliderSet::new(),
        joints: ImpulseJointSet::new(),
        multibodies: MultibodyJointSet::new(),
        soft_bodies: SoftBodySet::new(),
        ccd: CCDSolver::new(),
        handles: Vec::new(),
    };
    engine.pipeline.configure_thread_pool(threads).map_err(|error| error.to_string())?;
    for body in &scene.bodies {
        let made = match body.kind {
            Kind::Dynamic => RigidBodyBuilder::dynamic(),
            Kind::Fixed => RigidBodyBuilder::fixed(),
            Kind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
        };
        let made = made
            .pose(pose(body.position, body.rotation))
            .linvel(vector(body.velocity))
            .angvel(vector(body.angular_velocity))
            .can_sleep(false)
            .gyroscopic_forces_enabled(true)
            .ccd_enabled(body.fast);
        let handle = engine.bodies.insert(made);
        let mut collider = ColliderBuilder::new(shape(&body.shape)?)
            .friction(body.friction as f32)
            .restitution(body.restitution as f32);
        if body.ghost {
            collider = collider.collision_groups(InteractionGroups::none());
        }
        if body.mass > 0.0 {
            collider = collider.mass(body.mass as f32);
        }
        engine.colliders.insert_with_parent(collider, handle, &mut engine.bodies);
        engine.handles.push(handle);
    }
    let ground = engine.bodies.insert(RigidBodyBuilder::fixed());
    for joint in &scene.joints {
        let handles = joint.bodies.map(|body| body.map_or(ground, |body| engine.handles[body]));
        let anchors =
            handles.map(|handle| engine.bodies[handle].position().inverse_transform_point(vector(joint.anchor)));
        let made =
            SphericalJointBuilder::new().local_anchor1(anchors[0]).local_anchor2(anchors[1]).contacts_enabled(false);
        engine.joints.insert(handles[0], handles[1], made, true);
    }
    Ok(Box::new(engine))
}

impl Engine for Rapier {
    fn step(&mut self) {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.joints,
            &mut self.multibodies,
            &mut self.soft_bodies,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    fn read(&mut self, motions: &mut Vec<Motion>) {
        motions.clear();
        let double = |v: Vector| DVec3::new(v.x.into(), v.y.into(), v.z.into());
        motions.extend(self.handles.iter().map(|handle| {
            let body = &self.bodies[*handle];
            let r = body.rotation();
            Motion {
                position: double(body.translation()),
                rotation: DQuat::from_xyzw(r.x.into(), r.y.into(), r.z.into(), r.w.into()),
                velocity: double(body.linvel()),
                angular_velocity: double(body.angvel()),
            }
        }));
    }

    fn cast(&mut self, origin: DVec3, way: DVec3) -> Option<f64> {
        let query = self.broad_phase.as_query_pipeline(
            self.narrow_phase.query_dispatcher(),
            &self.bodies,
            &self.colliders,
            QueryFilter::default(),
        );
        query.cast_ray(&Ray::new(vector(origin), vector(way)), 1.0, true).map(|(_, part)| part.into())
    }
}

fn main() {
    serve(if cfg!(feature = "lanes8") { "rapier-8" } else { "rapier-4" }, build);
}
