//! Random bodies, joints, forces and numbers: usually sensible or extreme, now and then nonsense.

use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;
use tumble_dynamics::constraint::{
    Ball, ConstantVelocity, Cylindrical, Distance, Drive, Freedom, Hinge, HingeForm, Joystick, Lines, OnPlane,
    OrientationLock, Planar, Screw, Slider, Softness, Universal, Weld,
};
use tumble_dynamics::force::{
    CentralGravity, Drag, FnForce, Force, ForceContext, Gravity, PointForce, Spring, Vortex, Wrenches,
};
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::geometry::{MassProperties, Shape, Transform};
use tumble_dynamics::model::{
    BodyKind, Breaking, CollisionFilter, ContactMaterial, Joint, JointEnd, MaterialMixing, Script,
};
use tumble_dynamics::{Body, BodyId, Collider, Material};

pub(crate) struct Chaos {
    pub(crate) random: fastrand::Rng,
}

/// A script that wanders about, or that one must not trust.
#[derive(Debug)]
pub(crate) enum Wander {
    Circle,
    Jumps,
    Nowhere,
    NotUnit,
}

impl Script for Wander {
    fn pose(&self, time: f64) -> Transform {
        let (sin, cos) = libm::sincos(time);
        match self {
            Self::Circle => Transform::new(rotation_from_vector(DVec3::Y * time), DVec3::new(cos, 0.5, sin)),
            Self::Jumps => Transform::from_translation(DVec3::X * (10.0 * time).floor()),
            Self::Nowhere if time > 0.5 => Transform::from_translation(DVec3::NAN),
            Self::Nowhere => Transform::IDENTITY,
            Self::NotUnit => Transform::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.0 + time), DVec3::ZERO),
        }
    }
}

impl Chaos {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed) }
    }

    /// True once in `n`.
    pub(crate) fn once_in(&mut self, n: u32) -> bool {
        self.random.u32(0..n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.usize(0..from.len())]
    }

    /// A positive number around `scale`, sometimes a million times smaller or larger, seldom nonsense.
    pub(crate) fn positive(&mut self, scale: f64) -> f64 {
        match self.random.u32(0..150) {
            0 => self.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -1.0, 1e300, f64::MIN_POSITIVE]),
            1 => 1e6 * scale,
            2 => 1e-6 * scale,
            _ => scale * (0.1 + self.random.f64()),
        }
    }

    pub(crate) fn signed(&mut self, scale: f64) -> f64 {
        if self.random.bool() { self.positive(scale) } else { -self.positive(scale) }
    }

    pub(crate) fn vector(&mut self, scale: f64) -> DVec3 {
        DVec3::new(self.signed(scale), self.signed(scale), self.signed(scale))
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        match self.random.u32(0..60) {
            0 => DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0),
            1 => DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            2 => DQuat::from_xyzw(1.0, 2.0, 3.0, 4.0),
            3..20 => DQuat::IDENTITY,
            _ => rotation_from_vector(DVec3::new(self.random.f64(), self.random.f64(), self.random.f64()) * 6.0),
        }
    }

    pub(crate) fn pose(&mut self, scale: f64) -> Transform {
        Transform::new(self.rotation(), self.vector(scale))
    }

    pub(crate) fn shape(&mut self) -> Option<Shape> {
        let (a, b) = (self.positive(0.5), self.positive(0.5));
        match self.random.u32(0..16) {
            0..=1 => Shape::sphere(a),
            2..=5 => Shape::cuboid(DVec3::new(a, b, self.positive(0.5))),
            6 => Shape::capsule(a, b),
            7 => Shape::cylinder(a, b),
            8 => Shape::cone(a, b),
            9 => Shape::half_space(self.vector(1.0) + DVec3::Y * 2.0),
            10..=11 => Shape::hull(&(0..self.random.usize(0..30)).map(|_| self.vector(0.5)).collect::<Vec<_>>()),
            12 => {
                let vertices = (0..8).map(|_| self.vector(0.7)).collect();
                let triangles = (0..self.random.usize(0..12)).map(|_| [0; 3].map(|_: u32| self.random.u32(0..9)));
                Shape::mesh(vertices, triangles.collect())
            }
            13 => {
                let corner = |i: u32| DVec3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { a } else { -a }));
                let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
                let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
                Shape::mesh((0..8).map(corner).collect(), triangles)
            }
            14 => {
                let parts = (0..self.random.usize(0..4)).filter_map(|_| Some((self.pose(0.4), self.shape()?)));
                Shape::compound(parts.collect::<Vec<_>>())
            }
            _ => {
                let (rows, columns) = (self.random.usize(0..6), self.random.usize(0..6));
                let heights = (0..rows * columns).map(|_| self.signed(0.3)).collect();
                Shape::height_field(rows, columns, heights, [a, b])
            }
        }
        .ok()
    }

    pub(crate) fn material(&mut self) -> Material {
        let friction = self.positive(0.8);
        Material {
            density: self.positive(1000.0),
            restitution: self.pick(&[0.0, 0.0, 0.3, 0.8, 1.0, 1.5, f64::NAN]),
            static_friction: friction,
            dynamic_friction: if self.once_in(10) { self.positive(1.0) } else { 0.8 * friction },
            rolling_friction: self.pick(&[0.0, 0.0, 0.01, 1.0, -1.0]),
            spinning_friction: self.pick(&[0.0, 0.0, 0.01, 1.0]),
            perturbation: self.pick(&[0.0, 0.0, 0.05, 1.0]),
        }
    }

    pub(crate) fn mass_properties(&mut self) -> MassProperties {
        let diagonal = DVec3::new(self.positive(1.0), self.positive(1.0), self.positive(1.0));
        let mut inertia = DMat3::from_diagonal(diagonal);
        if self.once_in(10) {
            inertia = DMat3::from_cols(self.vector(1.0), self.vector(1.0), self.vector(1.0));
        }
        MassProperties { mass: self.positive(1.0), center: self.vector(0.2), inertia }
    }

    pub(crate) fn kind(&mut self) -> BodyKind {
        match self.random.u32(0..8) {
            0 => BodyKind::Fixed,
            1 => BodyKind::Particle,
            2 => BodyKind::Scripted(Arc::new(self.script())),
            _ => BodyKind::Dynamic,
        }
    }

    fn script(&mut self) -> Wander {
        match self.random.u32(0..8) {
            0 => Wander::Nowhere,
            1 => Wander::NotUnit,
            2 => Wander::Jumps,
            _ => Wander::Circle,
        }
    }

    pub(crate) fn collider(&mut self) -> Option<Collider> {
        let mut collider = Collider::new(self.shape()?);
        if self.once_in(3) {
            collider = collider.with_pose(self.pose(0.3));
        }
        if self.once_in(4) {
            collider = collider.with_material(self.material());
        }
        if self.once_in(6) {
            collider = collider.with_density(self.positive(1e3));
        }
        Some(if self.once_in(12) { collider.as_sensor() } else { collider })
    }

    pub(crate) fn body(&mut self) -> Body {
        let mut body = match self.random.u32(0..12) {
            0..=1 => Body::fixed(),
            2 => Body::particle(self.positive(1.0)),
            3 => Body::scripted(self.script()),
            _ => Body::dynamic(),
        };
        for _ in 0..self.pick(&[0, 1, 1, 1, 1, 2, 4]) {
            if let Some(collider) = self.collider() {
                body = body.with_collider(collider);
            }
        }
        if self.once_in(4) {
            body = body.with_material(self.material());
        }
        match self.random.u32(0..8) {
            0..=2 => body = body.with_mass(self.positive(1.0)),
            3 => body = body.with_mass_properties(self.mass_properties()),
            _ => {}
        }
        if self.once_in(6) {
            body = body.with_linear_damping(self.positive(0.1)).with_angular_damping(self.positive(0.1));
        }
        if self.once_in(6) {
            body = body.with_gravity_scale(self.signed(1.0));
        }
        if self.once_in(3) {
            body = body.in_group(self.pick(&["a", "b", "c"]));
        }
        if self.once_in(2) {
            body = body.with_velocity(self.vector(3.0)).with_angular_velocity(self.vector(3.0));
        }
        // Crowded, so that much touches and overlaps; now and then a thousand kilometres away.
        let away = if self.once_in(20) { DVec3::X * 1e6 } else { DVec3::Y * 2.0 };
        body.at(self.vector(2.0) + away).rotated(self.rotation())
    }

    fn end(&mut self, bodies: &[BodyId]) -> JointEnd {
        match bodies.get(self.random.usize(0..bodies.len() + 1)) {
            Some(&id) => JointEnd::Body(id),
            None => JointEnd::World,
        }
    }

    fn softness(&mut self) -> Softness {
        match self.random.u32(0..8) {
            0 => Softness::Spring { frequency: self.positive(5.0), damping_ratio: self.positive(0.5) },
            1 => Softness::Baumgarte { beta: self.positive(0.5) },
            2 => Softness::Coefficients { gamma: self.positive(1.0), beta: self.positive(0.5) },
            _ => Softness::Rigid,
        }
    }

    fn hinge_form(&mut self) -> HingeForm {
        match self.random.u32(0..4) {
            0 => HingeForm::DotProduct,
            1 => HingeForm::TwoPositions,
            2 => HingeForm::TwoJoysticks,
            _ => HingeForm::Quaternion,
        }
    }

    fn freedom(&mut self) -> Freedom {
        match self.random.u32(0..6) {
            0 => Freedom::between(-self.positive(1.0), self.positive(1.0)),
            1 => Freedom::FREE.with_motor(self.vector(5.0).x, self.positive(100.0)),
            2 => Freedom::FREE.with_drive(Drive { target: self.vector(1.0).x, ..Drive::default() }),
            3 => Freedom { restitution: 1.0, friction: self.positive(10.0), ..Freedom::between(-0.1, 0.1) },
            4 => Freedom::LOCKED,
            _ => Freedom::FREE,
        }
    }

    pub(crate) fn joint(&mut self, bodies: &[BodyId]) -> Joint {
        let (a, b, softness) = (self.end(bodies), self.end(bodies), self.softness());
        let (at, axis) = (self.vector(2.0), self.vector(1.0));
        let turn = self.freedom();
        let mut joint = match self.random.u32(0..16) {
            0 => Joint::new(a, b, Ball { anchor: at, softness }),
            1 => Joint::new(a, b, Distance::rope(at, self.vector(2.0)).with_softness(softness)),
            2 => Joint::new(a, b, Distance::rod(at, self.vector(2.0)).with_softness(softness)),
            3 => Joint::new(a, b, Hinge { anchor: at, axis, softness, turn, form: self.hinge_form() }),
            4 => Joint::new(a, b, Slider { anchor: at, axis, softness, slide: turn }),
            5 => Joint::new(a, b, Cylindrical { anchor: at, axis, softness, slide: self.freedom(), turn }),
            6 => Joint::new(a, b, Screw { anchor: at, axis, softness, pitch: self.vector(1.0).x, turn }),
            7 => Joint::new(a, b, Planar { anchor: at, normal: axis, softness }),
            8 => Joint::new(a, b, OnPlane { point: at, normal: axis, softness, one_sided: self.once_in(2) }),
            9 => Joint::new(a, b, ConstantVelocity { anchor: at, axis, softness }),
            10 => Joint::new(a, b, Universal::at(at, axis, axis.any_orthogonal_vector())),
            11 => Joint::new(a, b, Joystick::about(axis).between(-self.positive(0.5), self.positive(0.5))),
            12 => Joint::new(a, b, OrientationLock { softness }),
            13 => Joint::new(a, b, Lines { points: [at; 2], directions: [axis, self.vector(1.0)], softness }),
            14 => Joint::new(a, b, Weld::at(at).by_three_points()),
            _ => Joint::new(a, b, Weld { softness, ..Weld::at(at) }),
        };
        if self.once_in(3) {
            joint = joint.breaking(self.breaking());
        }
        if self.once_in(2) { joint.colliding() } else { joint }
    }

    pub(crate) fn breaking(&mut self) -> Breaking {
        Breaking { force: self.positive(1e4), torque: self.positive(1e4), error: self.positive(1.0) }
    }

    pub(crate) fn force(&mut self, bodies: &[BodyId]) -> Arc<dyn Force> {
        match self.random.u32(0..8) {
            0 => Arc::new(PointForce { force: self.vector(10.0), ..PointForce::default() }),
            1 => Arc::new(CentralGravity { parameter: self.positive(10.0), ..CentralGravity::default() }),
            2 => Arc::new(Drag { linear: self.positive(0.1), quadratic: self.positive(0.1), ..Drag::default() }),
            3 => Arc::new(Vortex { axis: self.vector(1.0), ..Vortex::default() }),
            4 => Arc::new(Spring::new(self.end(bodies), self.end(bodies))),
            5 => Arc::new(Gravity { acceleration: self.vector(5.0) }),
            6 => Arc::new(FnForce::new("not a number", |_: &ForceContext<'_>, wrenches: &mut Wrenches| {
                wrenches.add_force(0, DVec3::NAN)
            })),
            _ => Arc::new(FnForce::new("brake", |context: &ForceContext<'_>, wrenches: &mut Wrenches| {
                for (slot, body) in context.bodies.iter().enumerate() {
                    wrenches.add_torque(slot, -body.angular_velocity * 0.1);
                }
            })),
        }
    }

    pub(crate) fn filter(&mut self, bodies: &[BodyId]) -> CollisionFilter {
        let (g, h) = (self.pick(&["a", "b", "c"]), self.pick(&["a", "b", "c"]));
        let filter = CollisionFilter::new().ignore((g, h)).except_collide((h, g));
        match bodies {
            [] => filter,
            _ => filter.ignore((self.pick(bodies), self.pick(bodies))).ignore(self.pick(bodies)),
        }
    }

    pub(crate) fn mixing(&mut self) -> MaterialMixing {
        let value = self.pick(&[0.0, 0.5, 1.0, -1.0, 2.0, f64::NAN, f64::INFINITY]);
        let rule = move |a: &Material, _: &Material| ContactMaterial {
            restitution: value,
            static_friction: a.static_friction,
            dynamic_friction: value,
            rolling_friction: value,
            spinning_friction: value,
            perturbation: 0.0,
        };
        if self.once_in(2) { MaterialMixing::Standard } else { MaterialMixing::Custom(Arc::new(rule)) }
    }
}
