//! What a scene is made of.

use glam::{DQuat, DVec3};
use std::sync::Arc;
use tumble_geometry::Shape;

/// A shape, in the frame of its body.
#[derive(Clone, Debug)]
pub enum ShapeDesc {
    /// A box with these half-extents in metres.
    Cuboid(DVec3),
    /// A ball.
    Sphere(f64),
    /// A capsule along y: half the length of its segment, and its radius.
    Capsule(f64, f64),
    /// The convex hull of some points.
    Hull(Arc<[DVec3]>),
    /// A surface of triangles; only for what does not move.
    Mesh(Arc<[DVec3]>, Arc<[[u32; 3]]>),
    /// Several boxes: half-extents and centres. A hollow drum, for example.
    Boxes(Arc<[(DVec3, DVec3, DQuat)]>),
}

impl ShapeDesc {
    /// The same shape in tumble's geometry, for the judge and for tumble itself.
    pub fn shape(&self) -> Shape {
        let made = match self {
            Self::Cuboid(half) => Shape::cuboid(*half),
            Self::Sphere(radius) => Shape::sphere(*radius),
            Self::Capsule(half, radius) => Shape::capsule(*half, *radius),
            Self::Hull(points) => Shape::hull(points),
            Self::Mesh(vertices, triangles) => Shape::mesh(vertices.to_vec(), triangles.to_vec()),
            Self::Boxes(boxes) => Shape::compound(
                boxes
                    .iter()
                    .map(|(half, center, turn)| {
                        (tumble_geometry::Transform::new(*turn, *center), Shape::cuboid(*half).expect("a sound box"))
                    })
                    .collect(),
            ),
        };
        made.expect("the shapes of the scenes are sound")
    }
}

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Forces and contacts.
    Dynamic,
    /// Nothing.
    Fixed,
    /// Its velocity, steadily, whatever it meets.
    Kinematic,
}

/// A body. Its origin is its centre of mass.
#[derive(Clone, Debug)]
pub struct BodyDesc {
    pub kind: Kind,
    pub shape: ShapeDesc,
    pub position: DVec3,
    pub rotation: DQuat,
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
    /// In kg; zero for what is not dynamic.
    pub mass: f64,
    pub friction: f64,
    pub restitution: f64,
    /// Whether it must not pass through thin things.
    pub fast: bool,
    /// Whether it meets nothing.
    pub ghost: bool,
}

/// A joint that keeps a point of two bodies together; none is the world.
#[derive(Clone, Copy, Debug)]
pub struct JointDesc {
    pub bodies: [Option<usize>; 2],
    /// Where, in world coordinates, at the start.
    pub anchor: DVec3,
}

/// A scene.
#[derive(Clone, Debug)]
pub struct Scene {
    pub name: String,
    pub gravity: DVec3,
    pub bodies: Vec<BodyDesc>,
    pub joints: Vec<JointDesc>,
    /// How many steps are taken before and while the time is measured.
    pub steps: [usize; 2],
    /// Rays that are cast when the steps are done: origins and directions with their lengths.
    pub rays: Vec<(DVec3, DVec3)>,
}

/// The step of every scene, in seconds.
pub const DT: f64 = 1.0 / 60.0;

impl Scene {
    pub fn new(name: &str, steps: [usize; 2]) -> Self {
        Self {
            name: name.into(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            bodies: Vec::new(),
            joints: Vec::new(),
            steps,
            rays: Vec::new(),
        }
    }

    /// Adds a body with the density of water; its number.
    pub fn add(&mut self, shape: ShapeDesc, position: DVec3) -> usize {
        let mass = shape.shape().mass_properties(1000.0).map_or(0.0, |properties| properties.mass);
        self.bodies.push(BodyDesc {
            kind: Kind::Dynamic,
            shape,
            position,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            mass,
            friction: 0.5,
            restitution: 0.0,
            fast: false,
            ghost: false,
        });
        self.bodies.len() - 1
    }

    /// Adds a body that does not move; its number.
    pub fn fix(&mut self, shape: ShapeDesc, position: DVec3) -> usize {
        let number = self.add(shape, position);
        (self.bodies[number].kind, self.bodies[number].mass) = (Kind::Fixed, 0.0);
        number
    }

    /// A floor whose top is at y = 0.
    pub fn floor(&mut self, half_width: f64) -> usize {
        self.fix(ShapeDesc::Cuboid(DVec3::new(half_width, 1.0, half_width)), DVec3::NEG_Y)
    }

    /// Keeps a point of two bodies together.
    pub fn join(&mut self, first: Option<usize>, second: usize, anchor: DVec3) {
        self.joints.push(JointDesc { bodies: [first, Some(second)], anchor });
    }

    /// The last body that was added.
    pub fn last(&mut self) -> &mut BodyDesc {
        self.bodies.last_mut().expect("a body was added")
    }
}
