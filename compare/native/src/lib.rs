//! The scenes in an engine of C++ that offers the table of functions of `include/peer.h`.
//!
//! Everything here calls through that table; what is passed in lives as long as the call, shapes and worlds as long as the program.
#![allow(unsafe_code, reason = "the functions of a C++ library")]

use compare_scenes::{BodyDesc, Engine, Kind, Motion, Scene, ShapeDesc};
use glam::{DQuat, DVec3};
use std::os::raw::c_void;

/// A body as `peer.h` wants it.
#[repr(C)]
pub struct PeerBody {
    position: [f32; 3],
    rotation: [f32; 4],
    velocity: [f32; 3],
    spin: [f32; 3],
    mass: f32,
    friction: f32,
    restitution: f32,
    kind: i32,
    fast: i32,
    ghost: i32,
}

/// How a body moves, as `peer.h` tells it.
#[repr(C)]
#[derive(Default)]
pub struct PeerMotion {
    position: [f32; 3],
    rotation: [f32; 4],
    velocity: [f32; 3],
    spin: [f32; 3],
}

/// The table of functions.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Peer {
    world: unsafe extern "C" fn(*const f32, usize, i32) -> *mut c_void,
    cuboid: unsafe extern "C" fn(*const f32, f32) -> *mut c_void,
    sphere: unsafe extern "C" fn(f32, f32) -> *mut c_void,
    capsule: unsafe extern "C" fn(f32, f32, f32) -> *mut c_void,
    hull: unsafe extern "C" fn(*const f32, usize, f32) -> *mut c_void,
    mesh: unsafe extern "C" fn(*const f32, usize, *const u32, usize) -> *mut c_void,
    compound: unsafe extern "C" fn(*const *mut c_void, *const f32, *const f32, usize) -> *mut c_void,
    add: unsafe extern "C" fn(*mut c_void, *mut c_void, *const PeerBody) -> i32,
    join: unsafe extern "C" fn(*mut c_void, i64, i64, *const f32),
    start: unsafe extern "C" fn(*mut c_void),
    step: unsafe extern "C" fn(*mut c_void, f32),
    read: unsafe extern "C" fn(*mut c_void, usize, *mut PeerMotion),
    cast: unsafe extern "C" fn(*mut c_void, *const f32, *const f32) -> f32,
    dropped: unsafe extern "C" fn(*mut c_void) -> i64,
}

struct Native {
    peer: Peer,
    world: *mut c_void,
    bodies: usize,
}

fn vector(v: DVec3) -> [f32; 3] {
    v.as_vec3().to_array()
}

fn quaternion(q: DQuat) -> [f32; 4] {
    q.as_quat().to_array()
}

fn double(v: [f32; 3]) -> DVec3 {
    glam::Vec3::from_array(v).as_dvec3()
}

unsafe fn shape(peer: &Peer, described: &ShapeDesc, density: f32) -> Result<*mut c_void, String> {
    let flat = |points: &[DVec3]| points.iter().flat_map(|point| vector(*point)).collect::<Vec<f32>>();
    let made = unsafe {
        match described {
            ShapeDesc::Cuboid(half) => (peer.cuboid)(vector(*half).as_ptr(), density),
            ShapeDesc::Sphere(radius) => (peer.sphere)(*radius as f32, density),
            ShapeDesc::Capsule(half, radius) => (peer.capsule)(*half as f32, *radius as f32, density),
            ShapeDesc::Hull(points) => (peer.hull)(flat(points).as_ptr(), points.len(), density),
            ShapeDesc::Mesh(vertices, triangles) => {
                (peer.mesh)(flat(vertices).as_ptr(), vertices.len(), triangles.as_flattened().as_ptr(), triangles.len())
            }
            ShapeDesc::Boxes(boxes) => {
                let part = |half: &DVec3| shape(peer, &ShapeDesc::Cuboid(*half), density);
                let parts: Vec<_> = boxes.iter().map(|(half, ..)| part(half)).collect::<Result<_, _>>()?;
                let places: Vec<f32> = boxes.iter().flat_map(|(_, place, _)| vector(*place)).collect();
                let turns: Vec<f32> = boxes.iter().flat_map(|(.., turn)| quaternion(*turn)).collect();
                (peer.compound)(parts.as_ptr(), places.as_ptr(), turns.as_ptr(), parts.len())
            }
        }
    };
    if made.is_null() { Err("a shape is refused".into()) } else { Ok(made) }
}

fn described(body: &BodyDesc) -> PeerBody {
    PeerBody {
        position: vector(body.position),
        rotation: quaternion(body.rotation),
        velocity: vector(body.velocity),
        spin: vector(body.angular_velocity),
        mass: body.mass as f32,
        friction: body.friction as f32,
        restitution: body.restitution as f32,
        kind: match body.kind {
            Kind::Dynamic => 0,
            Kind::Fixed => 1,
            Kind::Kinematic => 2,
        },
        fast: body.fast.into(),
        ghost: body.ghost.into(),
    }
}

/// Makes a world of a scene with so many threads.
pub fn build(peer: Peer, scene: &Scene, threads: usize) -> Result<Box<dyn Engine>, String> {
    unsafe {
        let world = (peer.world)(vector(scene.gravity).as_ptr(), scene.bodies.len(), threads as i32);
        if world.is_null() {
            return Err(format!("cannot use {threads} threads"));
        }
        // Most scenes use one shape many times: a million boxes need not be a million shapes.
        let mut last: Option<(DVec3, f32, *mut c_void)> = None;
        for body in &scene.bodies {
            let volume = body.shape.shape().mass_properties(1.0).map_or(1.0, |properties| properties.mass);
            let density = if body.mass > 0.0 { (body.mass / volume) as f32 } else { 1000.0 };
            let made = match (&body.shape, last) {
                (ShapeDesc::Cuboid(half), Some((before, of, made))) if before == *half && of == density => made,
                _ => shape(&peer, &body.shape, density)?,
            };
            if let ShapeDesc::Cuboid(half) = body.shape {
                last = Some((half, density, made));
            }
            if (peer.add)(world, made, &described(body)) != 0 {
                return Err("no room for a body".into());
            }
        }
        let number = |body: Option<usize>| body.map_or(-1, |body| body as i64);
        for joint in &scene.joints {
            (peer.join)(world, number(joint.bodies[0]), number(joint.bodies[1]), vector(joint.anchor).as_ptr());
        }
        (peer.start)(world);
        Ok(Box::new(Native { peer, world, bodies: scene.bodies.len() }))
    }
}

impl Engine for Native {
    fn step(&mut self) {
        unsafe { (self.peer.step)(self.world, compare_scenes::scene::DT as f32) };
    }

    fn read(&mut self, motions: &mut Vec<Motion>) {
        motions.clear();
        motions.extend((0..self.bodies).map(|number| {
            let mut motion = PeerMotion::default();
            unsafe { (self.peer.read)(self.world, number, &mut motion) };
            Motion {
                position: double(motion.position),
                rotation: glam::Quat::from_array(motion.rotation).as_dquat(),
                velocity: double(motion.velocity),
                angular_velocity: double(motion.spin),
            }
        }));
    }

    fn cast(&mut self, origin: DVec3, way: DVec3) -> Option<f64> {
        let part = unsafe { (self.peer.cast)(self.world, vector(origin).as_ptr(), vector(way).as_ptr()) };
        (part >= 0.0).then_some(part.into())
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        let dropped = unsafe { (self.peer.dropped)(self.world) };
        if dropped > 0 {
            eprintln!("in {dropped} steps there was no room for all contacts");
        }
    }
}
