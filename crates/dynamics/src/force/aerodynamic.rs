//! Aerodynamic drag and lift, face by face.
//!
//! Air pushes against every piece of surface that moves into it. With the outward normal n, the velocity u(x) of the
//! surface relative to the wind and w = u·n:
//!
//! ```text
//! dF = −½ ρ C w² n dA  where w > 0,     dF = −½ ρ C_s |u_t| u_t dA  everywhere,
//! ```
//!
//! Newton's pressure on the windward side, and friction of the skin along u_t = u − w n. Lift needs no coefficient of its
//! own: a tilted plate is pushed along its normal, and so glides. Suction behind the body is part of C.
//!
//! On a triangle of a rigid body w is linear, so that the pressure and its moment are integrals of polynomials over the
//! windward part of the triangle and exact, however large the face and however fast the body turns. With the values w₁, w₂,
//! w₃ at the corners, s = Σ wᵢ and q = Σ wᵢ²:
//!
//! ```text
//! ∫w² dA = A/12 (s² + q),    ∫w² x dA = A/60 Σ xₖ (s² + q + 2 wₖ s + 2 wₖ²).
//! ```
//!
//! The friction is summed over the midpoints of the edges, A/3 each. Spheres are done in closed form (below); other round
//! shapes by the triangles of [`Shape::visit_surface`]. Each face is as good as if it were alone: nothing is hidden
//! behind something else.

use super::{Force, ForceContext, Target, Wrenches};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use tumble_geometry::{Shape, Transform, Triangle};

/// Air that presses on every face that moves into it.
///
/// ```
/// use tumble_dynamics::force::Aerodynamic;
/// use tumble_dynamics::geometry::Shape;
/// use tumble_dynamics::{Body, World};
///
/// // A sheet of 1 kg and 1 m² falls flat at √(2 m g / (ρ C A)), some 4 m/s.
/// let mut world = World::new();
/// world.add_force(Aerodynamic::default());
/// let sheet = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.005, 0.5])?).with_mass(1.0);
/// let sheet = world.add_body(sheet)?;
/// for _ in 0..240 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.body(sheet)?.velocity().y + 4.002).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Aerodynamic {
    /// The bodies it acts on. Default: all.
    pub on: Target,
    /// The density ρ of the air in kg/m³. Default 1.225 (at sea level and 15 °C).
    #[schemars(range(min = 0.0), extend("unit" = "kg/m³"))]
    pub density: f64,
    /// The velocity of the air in m/s. Default: zero.
    #[schemars(with = "[f64; 3]", extend("unit" = "m/s"))]
    pub wind: DVec3,
    /// The coefficient C of the pressure on faces that move into the wind. Default 1.
    #[schemars(range(min = 0.0))]
    pub pressure: f64,
    /// The coefficient C_s of the friction along all faces, for air 0.002 to 0.01. Default 0.
    #[schemars(range(min = 0.0))]
    pub skin: f64,
}

impl Default for Aerodynamic {
    fn default() -> Self {
        Self { on: Target::All, density: 1.225, wind: DVec3::ZERO, pressure: 1.0, skin: 0.0 }
    }
}

/// How a shape moves through the air, in its own frame.
#[derive(Clone, Copy)]
struct Motion {
    /// The velocity of the body's centre of mass relative to the wind.
    velocity: DVec3,
    omega: DVec3,
    /// The body's centre of mass.
    center: DVec3,
}

impl Motion {
    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.omega.cross(point - self.center)
    }

    /// The same motion seen from a part of the shape at `pose`.
    fn seen_from(&self, pose: &Transform) -> Self {
        Self {
            velocity: pose.inverse_vector(self.velocity),
            omega: pose.inverse_vector(self.omega),
            center: pose.inverse_point(self.center),
        }
    }
}

/// Force and torque about the body's centre of mass, both divided by −½ρ.
#[derive(Clone, Copy, Default)]
struct Push {
    force: DVec3,
    torque: DVec3,
}

impl Push {
    fn add(&mut self, other: Self) {
        self.force += other.force;
        self.torque += other.torque;
    }

    fn turned(&self, pose: &Transform) -> Self {
        Self { force: pose.vector(self.force), torque: pose.vector(self.torque) }
    }
}

impl Aerodynamic {
    /// What the air does to a shape, in the shape's frame.
    fn push(&self, shape: &Shape, motion: &Motion) -> Push {
        let mut sum = Push::default();
        match shape {
            Shape::Sphere(sphere) => sum.add(self.push_sphere(sphere.radius(), motion)),
            Shape::Compound(compound) => {
                for (pose, part) in compound.members() {
                    sum.add(self.push(part, &motion.seen_from(pose)).turned(pose));
                }
            }
            // A sheet feels the air on both its sides.
            Shape::HeightField(_) => shape.visit_surface(&mut |face| sum.add(self.push_sheet(face, motion))),
            Shape::Mesh(mesh) if !mesh.is_closed() => {
                shape.visit_surface(&mut |face| sum.add(self.push_sheet(face, motion)));
            }
            _ => shape.visit_surface(&mut |face| sum.add(self.push_face(face, motion))),
        }
        sum
    }

    /// Both sides of a triangle.
    fn push_sheet(&self, face: Triangle, motion: &Motion) -> Push {
        let [a, b, c] = face.vertices;
        let mut sum = self.push_face(face, motion);
        sum.add(self.push_face(Triangle { vertices: [a, c, b] }, motion));
        sum
    }

    /// The outer side of a triangle.
    fn push_face(&self, face: Triangle, motion: &Motion) -> Push {
        let [a, b, c] = face.vertices;
        let doubled = (b - a).cross(c - a);
        let Some(normal) = doubled.try_normalize() else { return Push::default() };
        let area = 0.5 * doubled.length();
        // Corners from the centre of mass, with w there.
        let corners = face.vertices.map(|x| (x - motion.center, motion.velocity_at(x).dot(normal)));
        let (pressure, moment) = windward(corners, area);
        let mut sum = Push { force: normal * pressure, torque: moment.cross(normal) };
        sum.force *= self.pressure;
        sum.torque *= self.pressure;
        if self.skin > 0.0 {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let middle = 0.5 * (from + to);
                let along = motion.velocity_at(middle).reject_from_normalized(normal);
                let force = along * (along.length() * self.skin * area / 3.0);
                sum.add(Push { force, torque: (middle - motion.center).cross(force) });
            }
        }
        sum
    }

    /// A sphere of radius R whose middle moves with u. Turning does not move its surface outwards, so that the pressure is
    /// that of u alone, `∫w² n dA = ½ π R² |u| u`. The friction is `¾ π² R² |u| u` if it does not turn and has the moment
    /// `¾ π² R⁵ |ω| ω` if it only turns; in between, both are taken with the common speed √(u² + R²ω²).
    fn push_sphere(&self, radius: f64, motion: &Motion) -> Push {
        let (u, area) = (motion.velocity_at(DVec3::ZERO), radius * radius);
        let speed = (u.length_squared() + area * motion.omega.length_squared()).sqrt();
        let friction = 0.75 * PI * PI * area * self.skin * speed;
        let force = u * (0.5 * PI * area * self.pressure * u.length() + friction);
        Push { force, torque: (-motion.center).cross(force) + motion.omega * (friction * area) }
    }
}

/// `∫w² dA` and `∫w² x dA` over the part with w > 0 of a triangle, given by corners x with their w and its area.
fn windward(corners: [(DVec3, f64); 3], area: f64) -> (f64, DVec3) {
    let count = corners.iter().filter(|(_, w)| *w > 0.0).count();
    if count == 0 {
        return (0.0, DVec3::ZERO);
    }
    if count == 3 {
        return squared(corners, area);
    }
    // The corner that is alone on its side, and the other two in order; the share of each side up to w = 0.
    let alone = corners.iter().position(|(_, w)| (*w > 0.0) == (count == 1)).unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|k| corners[(alone + k) % 3]);
    let (to_b, to_c) = (a.1 / (a.1 - b.1), a.1 / (a.1 - c.1));
    let cut_b = (a.0 + (b.0 - a.0) * to_b, 0.0);
    let cut_c = (a.0 + (c.0 - a.0) * to_c, 0.0);
    let tip = area * to_b * to_c;
    if count == 1 {
        return squared([a, cut_b, cut_c], tip);
    }
    // The quadrilateral beyond the cuts as two triangles.
    let (first, first_moment) = squared([cut_b, b, c], area * (1.0 - to_b));
    let (second, second_moment) = squared([cut_b, c, cut_c], area * to_b * (1.0 - to_c));
    (first + second, first_moment + second_moment)
}

/// `∫w² dA` and `∫w² x dA` over a triangle.
fn squared(corners: [(DVec3, f64); 3], area: f64) -> (f64, DVec3) {
    let s: f64 = corners.iter().map(|(_, w)| w).sum();
    let q: f64 = corners.iter().map(|(_, w)| w * w).sum();
    let moment: DVec3 = corners.iter().map(|(x, w)| *x * (s * s + q + 2.0 * w * s + 2.0 * w * w)).sum();
    ((s * s + q) * area / 12.0, moment * (area / 60.0))
}

impl Force for Aerodynamic {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        for (slot, body, state) in self.on.bodies(context) {
            // In the frame at the centre of mass.
            let motion = Motion {
                velocity: state.rotation.conjugate() * (state.velocity - self.wind),
                omega: state.rotation.conjugate() * state.angular_velocity,
                center: DVec3::ZERO,
            };
            let colliders = body.colliders.iter().filter_map(|&id| context.model.colliders().get(id));
            for collider in colliders.filter(|collider| !collider.sensor) {
                let pose = &collider.center_pose;
                let push = self.push(&collider.shape, &motion.seen_from(pose)).turned(pose);
                wrenches.add_force(slot, state.rotation * push.force * (-0.5 * self.density));
                wrenches.add_torque(slot, state.rotation * push.torque * (-0.5 * self.density));
            }
        }
    }
}
