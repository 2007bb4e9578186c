//! Dynamics of colliding, jointed rigid bodies.
//!
//! This page is the manual: from a ball that falls to forces, constraints and methods of your own. Everything is in
//! SI units (metres, kilograms, seconds, newtons, radians), `f64`, right-handed, y up. What you pass in is checked
//! where it enters (forces: by the step they would spoil); an error names the thing, its value and what is allowed,
//! and nothing has changed.
//!
//! # Hello, world
//!
//! ```
//! use tumble_dynamics::{Body, Material, World, geometry::Shape};
//!
//! let mut world = World::new(); // gravity of 9.81 m/s² downwards
//! world.add_body(Body::fixed().with_shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
//! let ball = Body::dynamic().with_shape(Shape::sphere(0.5)?).with_material(Material::RUBBER).at([0.0, 5.0, 0.0]);
//! let ball = world.add_body(ball)?;
//! while world.time() < 10.0 {
//!     world.step(1.0 / 60.0)?;
//! }
//! assert!((world.body(ball)?.position().y - 0.5).abs() < 1e-3); // it lies on the ground
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Three ideas
//!
//! - The [`Model`] is everything that does not change as time passes: bodies, colliders, joints, forces, rules.
//! - The [`State`] is everything that does: positions, velocities, who sleeps, which joints broke. It is plain data.
//! - A [`Method`](method::Method) is how time passes. The default is [`Realtime`](method::Realtime), made for steps of 1/60 s;
//!   [`Retroactive`](method::Retroactive) is the reference it is measured against.
//!
//! A [`World`] holds one of each, and is what a program keeps. Things in it are addressed by ids ([`BodyId`],
//! [`ColliderId`], [`JointId`], [`ForceId`]); the id of something removed finds nothing.
//!
//! # Bodies
//!
//! A [`Body`] is described by a sentence and added; what is not said has a default.
//!
//! | | default | |
//! |---|---|---|
//! | kind | – | [`dynamic`](Body::dynamic), [`fixed`](Body::fixed), [`scripted`](Body::scripted), [`particle`](Body::particle) |
//! | [`at`](Body::at), [`rotated`](Body::rotated) | the origin, not rotated | the pose of the body frame |
//! | [`with_velocity`](Body::with_velocity), [`with_angular_velocity`](Body::with_angular_velocity) | at rest | m/s, rad/s |
//! | [`with_shape`](Body::with_shape), [`with_collider`](Body::with_collider) | none | any number of them, at poses in the body frame |
//! | [`with_material`](Body::with_material) | [`Material::default`]: 1000 kg/m³, friction 0.5, no bounce | density, friction, restitution |
//! | [`with_mass`](Body::with_mass), [`with_mass_properties`](Body::with_mass_properties) | from shapes and densities | kg; centre of mass, kg m² |
//! | [`with_linear_damping`](Body::with_linear_damping), [`with_angular_damping`](Body::with_angular_damping) | 0 | 1/s |
//! | [`with_gravity_scale`](Body::with_gravity_scale) | 1 | a factor |
//! | [`without_sleep`](Body::without_sleep) | quiet bodies fall asleep | |
//! | [`in_group`](Body::in_group) | none | for the [`CollisionFilter`](model::CollisionFilter) |
//!
//! # Joints and forces
//!
//! A joint holds two bodies, or a body and the world, as they are when it is added: [`Ball`](constraint::Ball),
//! [`Hinge`](constraint::Hinge), [`Slider`](constraint::Slider), [`Wheel`](constraint::Wheel) and [many more](constraint). It
//! tells what it bears, and can [break](model::Breaking). What it leaves free may be limited, driven and braked
//! ([`Freedom`](constraint::Freedom)), and [steered](world::JointMut::set_freedom) while the world runs. [Forces](force) act on all bodies or on some; those applied to a body by
//! hand last for one step.
//!
//! ```
//! use tumble_dynamics::constraint::Ball;
//! use tumble_dynamics::force::Drag;
//! use tumble_dynamics::model::{Joint, JointEnd};
//! use tumble_dynamics::{Body, World};
//!
//! let mut world = World::new();
//! let bob = world.add_body(Body::dynamic().with_mass(2.0).at([1.0, 0.0, 0.0]))?;
//! let hook = world.add_joint(Joint::new(JointEnd::World, bob, Ball::at([0.0, 0.0, 0.0])))?;
//! world.add_force(Drag { linear: 4.0, ..Drag::default() });
//! world.body_mut(bob)?.apply_force([0.0, 0.0, 1.0])?;
//! for _ in 0..6000 {
//!     world.step(1.0 / 100.0)?;
//! }
//! // At rest the hook bears the weight.
//! assert!((world.joint(hook)?.reaction().force.y - 2.0 * 9.81).abs() < 1e-2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What happened, and where things are
//!
//! After a step, [`World::events`] lists contacts and sensors that began and ended, joints that broke, bodies that
//! fell asleep or woke. [`World::contacts_of`] and [`World::contact_wrench`] tell who presses on whom and how hard,
//! [`World::report`] how much there was to do. At any time a world answers [rays](World::cast_ray), [moving
//! shapes](World::cast_shape), [overlaps](World::overlaps) and [nearest surfaces](World::closest_to) in time that
//! grows with the logarithm of the number of colliders (about a million rays per second on one core among a thousand
//! bodies), and tells its [energy](World::energy) and [momentum](World::momentum). [`World::draw`] draws all of it on
//! an [`Instrument`](instrument::Instrument).
//!
//! ```
//! use tumble_dynamics::geometry::{Ray, Shape, glam::DVec3};
//! use tumble_dynamics::{Body, World, event::Phase};
//!
//! let mut world = World::new();
//! let ground = world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
//! let cube = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5; 3])?).at([0.0, 0.6, 0.0]))?;
//! let landed = loop {
//!     world.step(1.0 / 60.0)?;
//!     if let Some(contact) = world.events().contacts.iter().find(|contact| contact.phase == Phase::Begin) {
//!         break contact.bodies;
//!     }
//! };
//! assert_eq!(landed, [ground, cube]);
//!
//! let down = Ray::new(DVec3::Y * 10.0, DVec3::NEG_Y).expect("finite and not zero");
//! let hit = world.cast_ray(&down, 100.0, |_| true).expect("the cube lies below");
//! assert_eq!(hit.body, cube);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Changing a world
//!
//! Between steps everything may be added, removed and changed: [`World::body_mut`], [`World::collider_mut`],
//! [`World::joint_mut`]. Masses follow, and what was touched wakes up. A [`Snapshot`] is the whole world at a moment,
//! to return to; a [`SavedState`] is all of it but the model, for a file. From both a run continues bit for bit.
//!
//! ```
//! use tumble_dynamics::model::BodyKind;
//! use tumble_dynamics::{Body, World, geometry::Shape};
//!
//! let mut world = World::new();
//! let cube = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5; 3])?))?;
//! let moment = world.snapshot();
//! world.body_mut(cube)?.set_mass(3.0)?;
//! world.body_mut(cube)?.set_kind(BodyKind::Fixed)?;
//! world.step(0.1)?;
//! assert_eq!(world.body(cube)?.position().y, 0.0);
//! world.restore(&moment);
//! world.step(0.1)?;
//! assert!(world.body(cube)?.position().y < 0.0);
//! let refused = world.body_mut(cube)?.set_mass(-3.0).unwrap_err();
//! assert_eq!(refused.to_string(), "body mass is -3, but must be greater than 0 kg");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A force of your own
//!
//! [`FnForce`](force::FnForce) makes one of a closure; a type of its own can also tell its potential energy.
//!
//! ```
//! use tumble_dynamics::force::{Force, ForceContext, Wrenches};
//! use tumble_dynamics::{Body, World};
//!
//! /// Pulls every body to the origin with `stiffness` newtons per metre.
//! #[derive(Debug)]
//! struct Trap {
//!     stiffness: f64,
//! }
//!
//! impl Force for Trap {
//!     fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
//!         for (slot, body) in context.bodies.iter().enumerate() {
//!             wrenches.add_force(slot, -self.stiffness * body.position);
//!         }
//!     }
//!
//!     fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
//!         Some(context.bodies.iter().map(|body| 0.5 * self.stiffness * body.position.length_squared()).sum())
//!     }
//! }
//!
//! let mut world = World::new();
//! world.set_gravity([0.0; 3]);
//! let atom = world.add_body(Body::particle(1.0).at([1.0, 0.0, 0.0]))?;
//! world.add_force(Trap { stiffness: 1.0 });
//! while world.time() < std::f64::consts::PI {
//!     world.step(0.001)?;
//! }
//! assert!((world.body(atom)?.position().x + 1.0).abs() < 1e-3); // half a period later on the other side
//! assert!((world.energy().total() - 0.5).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A constraint of your own
//!
//! A [`Constraint`](constraint::Constraint) writes rows: conditions `c = 0` or `c ≥ 0` with their Jacobian. All solvers
//! understand them; see the [module](constraint) for what belongs into a row.
//!
//! ```
//! use std::sync::Arc;
//! use tumble_dynamics::constraint::{Attach, BodyView, Constraint, Jacobian, JointView, Limit, Row};
//! use tumble_dynamics::geometry::glam::DVec3;
//! use tumble_dynamics::model::{Joint, JointEnd};
//! use tumble_dynamics::{Body, ModelError, World};
//!
//! /// Keeps the centre of the first body above y = 0, without any collider: c = y ≥ 0.
//! #[derive(Clone, Copy, Debug)]
//! struct Floor;
//!
//! impl Constraint for Floor {
//!     fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
//!         let jacobian = Jacobian { linear: [DVec3::Y, DVec3::ZERO], angular: [DVec3::ZERO; 2] };
//!         rows.push(Row { jacobian, error: bodies[0].center.y, limit: Limit::AtLeastZero, ..Row::default() });
//!     }
//!
//!     fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
//!         [bodies[0].center; 2]
//!     }
//! }
//!
//! impl Attach for Floor {
//!     fn attach(&self, _bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
//!         Ok(Arc::new(*self))
//!     }
//! }
//!
//! let mut world = World::new();
//! let point = world.add_body(Body::particle(1.0).at([0.0, 1.0, 0.0]))?;
//! world.add_joint(Joint::new(point, JointEnd::World, Floor))?;
//! for _ in 0..120 {
//!     world.step(1.0 / 60.0)?;
//! }
//! assert!(world.body(point)?.position().y.abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A method of your own
//!
//! A [`Method`](method::Method) takes a state to the next. It may remember things between steps; a snapshot holds
//! them too.
//!
//! ```
//! use tumble_dynamics::force::Wrenches;
//! use tumble_dynamics::method::{Method, StepContext};
//! use tumble_dynamics::parts::{finite, forces};
//! use tumble_dynamics::{Body, Id, StepError, World};
//!
//! /// Points that fly under forces and pass through each other (semi-implicit Euler).
//! #[derive(Clone, Debug)]
//! struct Ballistic;
//!
//! impl Method for Ballistic {
//!     fn name(&self) -> &'static str {
//!         "ballistic"
//!     }
//!
//!     fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
//!         let (model, dt, state) = (context.model, context.dt, &*context.state);
//!         let mut wrenches = Wrenches::default();
//!         forces::sum(model, state.time, &state.bodies, &mut wrenches);
//!         let mut bodies = state.bodies.clone();
//!         for (id, body) in model.bodies().iter() {
//!             let motion = &mut bodies[id.slot()];
//!             motion.velocity += dt * body.inverse_mass * wrenches.as_slice()[id.slot()].force;
//!             motion.position += dt * motion.velocity;
//!         }
//!         // A step is a transaction: only what is finite is handed over.
//!         finite::check(model, &model.bodies().ids().collect::<Vec<_>>(), &bodies)?;
//!         context.state.bodies = bodies;
//!         context.index.all_moved();
//!         Ok(()) // the world itself lets the clock tick
//!     }
//!
//!     fn reset(&mut self) {}
//!
//!     fn clone_box(&self) -> Box<dyn Method> {
//!         Box::new(self.clone())
//!     }
//! }
//!
//! let mut world = World::with_method(Ballistic);
//! let shot = world.add_body(Body::particle(1.0).with_velocity([1.0, 9.81, 0.0]))?;
//! for _ in 0..2000 {
//!     world.step(0.001)?;
//! }
//! assert!((world.body(shot)?.position().x - 2.0).abs() < 1e-9 && world.body(shot)?.position().y.abs() < 0.02);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # By name
//!
//! Forces, joints, integrators, solvers, broad phases and methods are also made by name with properties, as in scene
//! files, from a [`Registry`](registry::Registry) to which you add your own; each property carries its unit, default
//! and range. That is the feature `registry`, which is on by default.
//!
//! ```
//! use serde_json::json;
//! use tumble_dynamics::{World, registry::Registry};
//!
//! let registry = Registry::default();
//! let mut world = World::new();
//! let method = json!({ "integrator": { "name": "runge_kutta_4" }, "settings": { "time_to_sleep": 2.0 } });
//! world.set_boxed_method(registry.method("retroactive", &method)?);
//! let unknown = registry.method("retroactve", &json!(null)).unwrap_err();
//! assert!(unknown.to_string().starts_with("there is no method named \"retroactve\"; known are accurate, advancing,"));
//! # Ok::<(), tumble_dynamics::ModelError>(())
//! ```
//!
//! # The same bits
//!
//! The same input gives the same output to the last bit, on every machine: [`State::fingerprint`] tells whether two
//! runs agree. A step that would give a body a motion that is not finite is refused with a [`StepError`] that names
//! the body or the force, and the state is as it was.

mod applied;
mod behavior;
mod cancel;
pub mod constraint;
pub mod contact;
pub mod curve;
mod error;
pub mod event;
pub mod force;
mod id;
mod index;
pub mod instrument;
pub mod integrator;
pub mod journal;
pub mod method;
pub mod model;
pub mod parts;
#[cfg(feature = "registry")]
pub mod registry;
mod report;
mod schema;
pub mod solver;
mod state;
mod workers;
mod world;

pub use applied::Applied;
pub use behavior::Behavior;
pub use cancel::Cancel;
pub use error::{ModelError, StepError};
pub use id::{Arena, BodyId, ColliderId, ForceId, Id, JointId};
pub use index::{ColliderIndex, MOST_PAIRS};
pub use model::{Body, Collider, Material, Model};
pub use report::{AccuracyReport, Convergence, StageTimes, StepReport, StepTimes, StepWork};
pub use state::{BodyState, Clock, State, Wrench};
pub use tumble_geometry as geometry;
pub use workers::Workers;
#[cfg(feature = "registry")]
pub use world::SavedWorld;
pub use world::{
    BodyMut, BodyRef, ColliderMut, ColliderRef, Energy, EnergyWatch, Hit, JointMut, JointRef, Query, SavedState,
    Snapshot, World,
};
