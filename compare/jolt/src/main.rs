//! The scenes in Jolt, at its default settings but for sleeping and damping. Its C bindings (JoltC) have neither joints nor meshes: scenes
//! with those are refused.
//!
//! Everything here calls C; what is passed in lives as long as the call, and the system as long as the program.
#![allow(unsafe_code, reason = "the bindings of a C library")]

use compare_scenes::{BodyDesc, Engine, Kind, Motion, Scene, ShapeDesc, serve};
use glam::{DQuat, DVec3};
use joltc_sys::*;
use std::mem::zeroed;
use std::os::raw::c_void;
use std::ptr::{null, null_mut};

/// Layers of objects and of the broad phase: what does not move, and what does.
const FIXED: u16 = 0;
const MOVING: u16 = 1;

unsafe extern "C" fn count(_: *const c_void) -> u32 {
    2
}

unsafe extern "C" fn layer_of(_: *const c_void, layer: JPC_ObjectLayer) -> JPC_BroadPhaseLayer {
    layer as JPC_BroadPhaseLayer
}

unsafe extern "C" fn meets_layer(_: *const c_void, object: JPC_ObjectLayer, layer: JPC_BroadPhaseLayer) -> bool {
    object == MOVING || layer == MOVING as JPC_BroadPhaseLayer
}

unsafe extern "C" fn meets(_: *const c_void, a: JPC_ObjectLayer, b: JPC_ObjectLayer) -> bool {
    a == MOVING || b == MOVING
}

struct Jolt {
    system: *mut JPC_PhysicsSystem,
    bodies: *mut JPC_BodyInterface,
    allocator: *mut JPC_TempAllocatorImpl,
    jobs: *mut JPC_JobSystemThreadPool,
    ids: Vec<JPC_BodyID>,
}

fn vector(v: DVec3) -> JPC_Vec3 {
    JPC_Vec3 { x: v.x as f32, y: v.y as f32, z: v.z as f32, _w: v.z as f32 }
}

fn quaternion(q: DQuat) -> JPC_Quat {
    JPC_Quat { x: q.x as f32, y: q.y as f32, z: q.z as f32, w: q.w as f32 }
}

fn double(v: JPC_Vec3) -> DVec3 {
    DVec3::new(v.x.into(), v.y.into(), v.z.into())
}

/// A shape of a density in kg/m³.
unsafe fn shape(described: &ShapeDesc, density: f32) -> Result<*mut JPC_Shape, String> {
    let (mut made, mut error) = (null_mut(), null_mut());
    let done = unsafe {
        match described {
            ShapeDesc::Cuboid(half) => {
                let mut settings: JPC_BoxShapeSettings = zeroed();
                JPC_BoxShapeSettings_default(&mut settings);
                (settings.HalfExtent, settings.Density) = (vector(*half), density);
                // The default radius of edges must fit into thin plates.
                settings.ConvexRadius = settings.ConvexRadius.min(0.9 * half.min_element() as f32);
                JPC_BoxShapeSettings_Create(&settings, &mut made, &mut error)
            }
            ShapeDesc::Sphere(radius) => {
                let mut settings: JPC_SphereShapeSettings = zeroed();
                JPC_SphereShapeSettings_default(&mut settings);
                (settings.Radius, settings.Density) = (*radius as f32, density);
                JPC_SphereShapeSettings_Create(&settings, &mut made, &mut error)
            }
            ShapeDesc::Capsule(half, radius) => {
                let mut settings: JPC_CapsuleShapeSettings = zeroed();
                JPC_CapsuleShapeSettings_default(&mut settings);
                (settings.HalfHeightOfCylinder, settings.Radius) = (*half as f32, *radius as f32);
                settings.Density = density;
                JPC_CapsuleShapeSettings_Create(&settings, &mut made, &mut error)
            }
            ShapeDesc::Hull(points) => {
                let points: Vec<JPC_Vec3> = points.iter().map(|point| vector(*point)).collect();
                let mut settings: JPC_ConvexHullShapeSettings = zeroed();
                JPC_ConvexHullShapeSettings_default(&mut settings);
                (settings.Points, settings.PointsLen) = (points.as_ptr(), points.len());
                settings.Density = density;
                JPC_ConvexHullShapeSettings_Create(&settings, &mut made, &mut error)
            }
            ShapeDesc::Boxes(boxes) => {
                let mut parts = Vec::new();
                for (half, center, turn) in boxes.iter() {
                    let mut part: JPC_SubShapeSettings = zeroed();
                    JPC_SubShapeSettings_default(&mut part);
                    part.Shape = shape(&ShapeDesc::Cuboid(*half), density)?;
                    (part.Position, part.Rotation) = (vector(*center), quaternion(*turn));
                    parts.push(part);
                }
                let mut settings: JPC_StaticCompoundShapeSettings = zeroed();
                JPC_StaticCompoundShapeSettings_default(&mut settings);
                (settings.SubShapes, settings.SubShapesLen) = (parts.as_ptr(), parts.len());
                JPC_StaticCompoundShapeSettings_Create(&settings, &mut made, &mut error)
            }
            ShapeDesc::Mesh(..) => return Err("its C bindings have no meshes".into()),
        }
    };
    if done { Ok(made) } else { Err("Jolt refuses a shape".into()) }
}

unsafe fn settings(body: &BodyDesc, gravity: f64, fluid: f64) -> Result<JPC_BodyCreationSettings, String> {
    let volume = body.shape.shape().mass_properties(1.0).map_or(1.0, |properties| properties.mass);
    let density = if body.mass > 0.0 { body.mass / volume } else { fluid };
    let mut settings: JPC_BodyCreationSettings = unsafe { zeroed() };
    unsafe { JPC_BodyCreationSettings_default(&mut settings) };
    settings.Position = vector(body.position);
    settings.Rotation = quaternion(body.rotation);
    settings.LinearVelocity = vector(body.velocity);
    settings.AngularVelocity = vector(body.angular_velocity);
    (settings.MotionType, settings.ObjectLayer) = match body.kind {
        Kind::Dynamic => (JPC_MOTION_TYPE_DYNAMIC, MOVING),
        Kind::Fixed => (JPC_MOTION_TYPE_STATIC, FIXED),
        Kind::Kinematic => (JPC_MOTION_TYPE_KINEMATIC, MOVING),
    };
    settings.MotionQuality = if body.fast { JPC_MOTION_QUALITY_LINEAR_CAST } else { JPC_MOTION_QUALITY_DISCRETE };
    (settings.AllowSleeping, settings.ApplyGyroscopicForce) = (false, true);
    (settings.Friction, settings.Restitution) = (body.friction as f32, body.restitution as f32);
    (settings.LinearDamping, settings.AngularDamping) = (0.0, 0.0);
    settings.MaxLinearVelocity = 1000.0;
    settings.GravityFactor = gravity as f32;
    settings.Shape = unsafe { shape(&body.shape, density as f32)? };
    Ok(settings)
}

fn build(scene: &Scene, threads: usize) -> Result<Box<dyn Engine>, String> {
    if !scene.joints.is_empty() {
        return Err("its C bindings have no joints".into());
    }
    // The system's gravity cannot be changed through C; each body has a factor.
    let factor = scene.gravity.length() / 9.81;
    unsafe {
        JPC_RegisterDefaultAllocator();
        JPC_FactoryInit();
        JPC_RegisterTypes();
        let layers = JPC_BroadPhaseLayerInterface_new(
            null(),
            JPC_BroadPhaseLayerInterfaceFns { GetNumBroadPhaseLayers: Some(count), GetBroadPhaseLayer: Some(layer_of) },
        );
        let by_layer = JPC_ObjectVsBroadPhaseLayerFilter_new(
            null(),
            JPC_ObjectVsBroadPhaseLayerFilterFns { ShouldCollide: Some(meets_layer) },
        );
        let by_pair =
            JPC_ObjectLayerPairFilter_new(null(), JPC_ObjectLayerPairFilterFns { ShouldCollide: Some(meets) });
        let system = JPC_PhysicsSystem_new();
        let most = scene.bodies.len() as u32 + 16;
        JPC_PhysicsSystem_Init(system, most, 0, 262_144, 131_072, layers, by_layer, by_pair);
        let bodies = JPC_PhysicsSystem_GetBodyInterface(system);
        let mut engine = Jolt {
            system,
            bodies,
            allocator: JPC_TempAllocatorImpl_new(512 << 20),
            jobs: JPC_JobSystemThreadPool_new3(2048, 8, threads as i32 - 1),
            ids: Vec::with_capacity(scene.bodies.len()),
        };
        for body in &scene.bodies {
            let made = JPC_BodyInterface_CreateBody(bodies, &settings(body, factor, 1000.0)?);
            if made.is_null() {
                return Err("Jolt has no room for a body".into());
            }
            let id = JPC_Body_GetID(made);
            JPC_BodyInterface_AddBody(bodies, id, JPC_ACTIVATION_ACTIVATE);
            engine.ids.push(id);
        }
        JPC_PhysicsSystem_OptimizeBroadPhase(system);
        Ok(Box::new(engine))
    }
}

impl Engine for Jolt {
    fn step(&mut self) {
        let dt = compare_scenes::scene::DT as f32;
        unsafe { JPC_PhysicsSystem_Update(self.system, dt, 1, self.allocator, self.jobs) };
    }

    fn read(&mut self, motions: &mut Vec<Motion>) {
        motions.clear();
        motions.extend(self.ids.iter().map(|&id| unsafe {
            let q = JPC_BodyInterface_GetRotation(self.bodies, id);
            Motion {
                position: double(JPC_BodyInterface_GetCenterOfMassPosition(self.bodies, id)),
                rotation: DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()),
                velocity: double(JPC_BodyInterface_GetLinearVelocity(self.bodies, id)),
                angular_velocity: double(JPC_BodyInterface_GetAngularVelocity(self.bodies, id)),
            }
        }));
    }

    fn cast(&mut self, origin: DVec3, way: DVec3) -> Option<f64> {
        unsafe {
            let mut question: JPC_NarrowPhaseQuery_CastRayArgs = zeroed();
            question.Ray = JPC_RRayCast { Origin: vector(origin), Direction: vector(way) };
            question.Result.Fraction = 1.0 + f32::EPSILON;
            let query = JPC_PhysicsSystem_GetNarrowPhaseQuery(self.system);
            JPC_NarrowPhaseQuery_CastRay(query, &mut question).then_some(question.Result.Fraction.into())
        }
    }
}

fn main() {
    serve("jolt", build);
}
