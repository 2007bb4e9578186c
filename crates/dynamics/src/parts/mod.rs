//! Parts that methods are made of: what every method needs and none should have to invent.
//!
//! | part | what it does |
//! |---|---|
//! | [`roster`] | who is who: the bodies that forces move, the scripted ones, the joints that turn, those that may break |
//! | [`scripts`] | puts scripted bodies where their scripts say |
//! | [`forces`] | sums all forces |
//! | [`free_motion`] | the equations of motion under forces alone, for integrators |
//! | [`pairs`] | which pairs of colliders may touch |
//! | [`regions`] | where colliders may get within a step |
//! | [`course`] | how bodies move through a step, and whether their colliders meet on the way |
//! | [`perturbation`] | rough surfaces: a tilt of the normal by chance |
//! | [`islands`] | groups of bodies that are connected |
//! | [`activity`] | who falls asleep and who wakes up |
//! | [`turns`] | how often joints have turned |
//! | [`breaking`] | joints that bear too much |
//! | [`notices`] | what is told of contacts, sensors and limits, and when |
//! | [`adjacency`] | the contacts of each body |
//! | [`finite`] | refuses motions that are not finite |

pub mod activity;
pub mod adjacency;
pub mod breaking;
pub mod course;
pub mod finite;
pub mod forces;
pub mod free_motion;
pub mod islands;
pub mod notices;
pub(crate) mod or_never;
pub mod pairs;
pub mod perturbation;
pub mod regions;
pub mod roster;
pub mod scripts;
pub mod turns;
