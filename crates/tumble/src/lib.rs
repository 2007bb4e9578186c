//! tumble simulates colliding, jointed rigid bodies in three dimensions.
//!
//! # A first world
//!
//! ```
//! use tumble::prelude::*;
//!
//! let mut world = World::new();
//! world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
//! let ball = Body::dynamic().at([0.0, 5.0, 0.0]).with_shape(Shape::sphere(0.5)?).with_material(Material::RUBBER);
//! let ball = world.add_body(ball)?;
//! while world.time() < 2.0 {
//!     world.step(1.0 / 60.0)?;
//! }
//! println!("the ball is at {}", world.body(ball)?.position());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Scenes from text
//!
//! With the feature `scene` (`tumble = { version = "0.1", features = ["scene"] }`) a world can come from a scene file, and
//! a run can be written to tables, recordings and animations:
//!
#![cfg_attr(feature = "scene", doc = "```")]
#![cfg_attr(not(feature = "scene"), doc = "```ignore")]
//! use tumble::scene::Loader;
//! use tumble::scene::run::Runner;
//!
//! let text = r#"
//!     title = "A ball falls on a floor"
//!     duration = 2
//!     [bodies.floor]
//!     kind = "fixed"
//!     shape.half_space = {}
//!     [bodies.ball]
//!     shape.sphere.radius = 0.5
//!     position = [0, 5, 0]
//!     material = "rubber"
//! "#;
//! let mut scene = Loader::new().load_text("ball.toml", text)?;
//! let summary = Runner::default().run(&mut scene);
//! let ball = scene.world.body_named("ball").unwrap();
//! println!("after {} steps the ball is at {}", summary.steps, scene.world.body(ball)?.position());
//! # assert!(summary.step_error.is_none() && scene.world.body(ball)?.position().y > 0.49);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without default features (`default-features = false`) there is no `Registry` of parts by name and no export to JSON, and the
//! tree of dependencies is a third smaller.
//!
//! # The three ideas
//!
//! - The **model** is everything that does not change as time passes: bodies with their mass, colliders, materials,
//!   joints, forces, filters. You add to it, remove from it and change it between steps; [`World`](prelude::World)
//!   checks every number and answers with an error that names it.
//! - The **state** is everything that does: positions, orientations, velocities, who sleeps, which joints broke. It is
//!   plain data; clone it, compare it, hash it, save it.
//! - A **method** is how time passes. The default, [`Realtime`](prelude::Realtime), is made for games and animations;
//!   [`Retroactive`](prelude::Retroactive) is the readable reference, and takes any integrator, solver and broad phase.
//!
//! # Conventions
//!
//! SI units throughout, right-handed axes, y up, angles in radians. A body's frame is where you put it; its centre of
//! mass follows from its colliders. Everything is `f64` and reproducible to the bit: the same input gives the same
//! output on every machine. Nothing you pass in makes tumble panic.
//!
//! # Where to go on
//!
//! - The manual, from a ball that falls to forces, constraints and methods of your own: [`dynamics`].
//! - Shapes, mass properties and collision queries: [`geometry`].
//! - All a world can do: [`World`](prelude::World).
//! - Scene files, recordings and exports, with the feature `scene`: the crate `tumble-scene`.
//! - `examples/` in the repository: a ball, a pile, a pendulum, a car, a force and a constraint of your own, events,
//!   questions, snapshots; for games a loop with interpolation, kinematic bodies, layers, contact rules, locks, a portal.

pub use tumble_dynamics as dynamics;
pub use tumble_geometry as geometry;
#[cfg(feature = "plugins")]
pub use tumble_plugin as plugin;
#[cfg(feature = "scene")]
pub use tumble_scene as scene;

/// What most programs need.
pub mod prelude {
    pub use tumble_dynamics::constraint::limit::{
        AngularLimit, AxisLimits, ConeLimit, EllipticConeLimit, ReachCone, SwingTwist, TwistLimit, WedgeLimit,
    };
    pub use tumble_dynamics::constraint::{
        Attach, Ball, ConstantVelocity, Constraint, Coordinate, Cylindrical, Distance, Drive, Freedom, Gear, Hinge,
        Joystick, Lines, Motor, Nail, OnPlane, OrientationLock, Planar, Pulley, RackAndPinion, Screw, SixAxes, Slider,
        Softness, Universal, Weld, Wheel,
    };
    pub use tumble_dynamics::event::{ContactEvent, Events, Phase, Reaction, SensorEvent};
    pub use tumble_dynamics::force::{
        Aerodynamic, Buoyancy, CentralGravity, Drag, FnForce, Force, ForceContext, Gravity, PointForce, Spring, Target,
        Vortex, Wrenches,
    };
    pub use tumble_dynamics::method::{Method, Realtime, RealtimeSettings, Retroactive};
    pub use tumble_dynamics::model::{
        BodyKind, Breaking, CollisionFilter, ContactChange, ContactMaterial, ContactPair, Course, Joint, JointEnd,
        Layers, Locks, MaterialMixing, Script, ScriptMotion, Sleep,
    };
    #[cfg(feature = "registry")]
    pub use tumble_dynamics::registry::Registry;
    pub use tumble_dynamics::{
        Body, BodyId, BodyMut, BodyRef, BodyState, Collider, ColliderId, Energy, EnergyWatch, ForceId, Hit, JointId,
        Material, Model, ModelError, Query, SavedState, Snapshot, State, StepError, StepReport, Workers, World, Wrench,
    };
    pub use tumble_geometry::glam::{DMat3, DQuat, DVec3};
    pub use tumble_geometry::math::rotation_about;
    pub use tumble_geometry::{Aabb, GeometryError, MassProperties, Ray, Shape, Transform};
}

/// The examples of the book must run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Book;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides.md")]
struct Guides;
