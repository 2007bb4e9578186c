//! The scenes in Box3D, at its default settings (four substeps) but for sleeping.
//!
//! Everything here calls C; what is passed in lives as long as the call, and the world as long as the program.
#![allow(unsafe_code, reason = "the bindings of a C library")]

use box3d_sys::*;
use compare_scenes::{Engine, Kind, Motion, Scene, ShapeDesc, serve};
use glam::{DQuat, DVec3};

struct Box3d {
    world: b3WorldId,
    bodies: Vec<b3BodyId>,
}

fn vector(v: DVec3) -> b3Vec3 {
    b3Vec3 { x: v.x as f32, y: v.y as f32, z: v.z as f32 }
}

fn quaternion(q: DQuat) -> b3Quat {
    b3Quat { v: b3Vec3 { x: q.x as f32, y: q.y as f32, z: q.z as f32 }, s: q.w as f32 }
}

fn double(v: b3Vec3) -> DVec3 {
    DVec3::new(v.x.into(), v.y.into(), v.z.into())
}

/// Adds a shape to a body.
unsafe fn add_shape(body: b3BodyId, definition: &b3ShapeDef, shape: &ShapeDesc) -> Result<(), String> {
    match shape {
        ShapeDesc::Cuboid(half) => {
            let hull = unsafe { b3MakeBoxHull(half.x as f32, half.y as f32, half.z as f32) };
            unsafe { b3CreateHullShape(body, definition, &hull.base) };
        }
        ShapeDesc::Sphere(radius) => {
            let sphere = b3Sphere { center: vector(DVec3::ZERO), radius: *radius as f32 };
            unsafe { b3CreateSphereShape(body, definition, &sphere) };
        }
        ShapeDesc::Capsule(half, radius) => {
            let [center1, center2] = [DVec3::Y * -half, DVec3::Y * *half].map(vector);
            let capsule = b3Capsule { center1, center2, radius: *radius as f32 };
            unsafe { b3CreateCapsuleShape(body, definition, &capsule) };
        }
        ShapeDesc::Hull(points) => {
            let points: Vec<b3Vec3> = points.iter().map(|point| vector(*point)).collect();
            let hull = unsafe { b3CreateHull(points.as_ptr(), points.len() as i32, points.len() as i32) };
            if hull.is_null() {
                return Err("no hull".into());
            }
            unsafe { b3CreateHullShape(body, definition, hull) };
        }
        ShapeDesc::Mesh(vertices, triangles) => {
            let mut vertices: Vec<b3Vec3> = vertices.iter().map(|vertex| vector(*vertex)).collect();
            let mut indices: Vec<i32> = triangles.iter().flatten().map(|index| *index as i32).collect();
            let mut mesh: b3MeshDef = unsafe { std::mem::zeroed() };
            mesh.vertices = vertices.as_mut_ptr();
            mesh.indices = indices.as_mut_ptr();
            (mesh.vertexCount, mesh.triangleCount) = (vertices.len() as i32, triangles.len() as i32);
            // Without it, edges inside of a flat surface stop what slides over them.
            mesh.identifyEdges = true;
            let data = unsafe { b3CreateMesh(&mesh, std::ptr::null_mut(), 0) };
            if data.is_null() {
                return Err("no mesh".into());
            }
            unsafe { b3CreateMeshShape(body, definition, data, vector(DVec3::ONE)) };
        }
        ShapeDesc::Boxes(boxes) => {
            for (half, center, turn) in boxes.iter() {
                let place = b3Transform { p: vector(*center), q: quaternion(*turn) };
                let hull = unsafe { b3MakeTransformedBoxHull(half.x as f32, half.y as f32, half.z as f32, place) };
                unsafe { b3CreateHullShape(body, definition, &hull.base) };
            }
        }
    }
    Ok(())
}

fn build(scene: &Scene, threads: usize) -> Result<Box<dyn Engine>, String> {
    let mut definition = unsafe { b3DefaultWorldDef() };
    definition.gravity = vector(scene.gravity);
    definition.enableSleep = false;
    definition.workerCount = threads as u32;
    let world = unsafe { b3CreateWorld(&definition) };
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for body in &scene.bodies {
        let mut definition = unsafe { b3DefaultBodyDef() };
        definition.type_ = match body.kind {
            Kind::Dynamic => b3BodyType_b3_dynamicBody,
            Kind::Fixed => b3BodyType_b3_staticBody,
            Kind::Kinematic => b3BodyType_b3_kinematicBody,
        };
        (definition.position, definition.rotation) = (vector(body.position), quaternion(body.rotation));
        definition.linearVelocity = vector(body.velocity);
        definition.angularVelocity = vector(body.angular_velocity);
        (definition.enableSleep, definition.isBullet) = (false, body.fast);
        let id = unsafe { b3CreateBody(world, &definition) };
        let mut shape = unsafe { b3DefaultShapeDef() };
        shape.baseMaterial.friction = body.friction as f32;
        shape.baseMaterial.restitution = body.restitution as f32;
        if body.ghost {
            (shape.filter.categoryBits, shape.filter.maskBits) = (0, 0);
        }
        let volume = body.shape.shape().mass_properties(1.0).map_or(1.0, |properties| properties.mass);
        shape.density = if body.mass > 0.0 { (body.mass / volume) as f32 } else { 1.0 };
        unsafe { add_shape(id, &shape, &body.shape)? };
        bodies.push(id);
    }
    let ground = unsafe { b3CreateBody(world, &b3DefaultBodyDef()) };
    for joint in &scene.joints {
        let mut definition = unsafe { b3DefaultSphericalJointDef() };
        let ends = joint.bodies.map(|body| body.map_or(ground, |body| bodies[body]));
        let frames = joint.bodies.map(|body| {
            let place = body.map_or(joint.anchor, |body| {
                let body = &scene.bodies[body];
                body.rotation.inverse() * (joint.anchor - body.position)
            });
            b3Transform { p: vector(place), q: quaternion(DQuat::IDENTITY) }
        });
        [definition.base.bodyIdA, definition.base.bodyIdB] = ends;
        [definition.base.localFrameA, definition.base.localFrameB] = frames;
        unsafe { b3CreateSphericalJoint(world, &definition) };
    }
    Ok(Box::new(Box3d { world, bodies }))
}

impl Engine for Box3d {
    fn step(&mut self) {
        unsafe { b3World_Step(self.world, compare_scenes::scene::DT as f32, 4) };
    }

    fn read(&mut self, motions: &mut Vec<Motion>) {
        motions.clear();
        motions.extend(self.bodies.iter().map(|&body| unsafe {
            let q = b3Body_GetRotation(body);
            Motion {
                position: double(b3Body_GetPosition(body)),
                rotation: DQuat::from_xyzw(q.v.x.into(), q.v.y.into(), q.v.z.into(), q.s.into()),
                velocity: double(b3Body_GetLinearVelocity(body)),
                angular_velocity: double(b3Body_GetAngularVelocity(body)),
            }
        }));
    }

    fn cast(&mut self, origin: DVec3, way: DVec3) -> Option<f64> {
        let hit = unsafe { b3World_CastRayClosest(self.world, vector(origin), vector(way), b3DefaultQueryFilter()) };
        hit.hit.then_some(hit.fraction.into())
    }
}

fn main() {
    serve("box3d", build);
}
