//! Draws a state of a scene: one sun with shadows, light from the sky, and a ground that fades into the distance.

use super::raster::{Canvas, Corner};
use glam::{DVec3, Mat3, Mat4, Vec2, Vec3, Vec4};
use std::collections::BTreeMap;
use tumble_dynamics::model::{BodyModel, JointEnd};
use tumble_dynamics::{Id, State};
use tumble_geometry::{Shape, Transform};
use tumble_scene::look::{Surface, color, likeness};
use tumble_scene::{Color, Scene};

/// Each pixel is the mean of this many squared.
const SAMPLES: usize = 2;
/// Where the sun is.
const SUN: Vec3 = Vec3::new(0.45, 0.85, 0.5);
/// The width and height of the picture of depths that the sun sees.
const SHADOW: usize = 1024;
const SKY: [Vec3; 2] = [Vec3::new(0.93, 0.95, 0.97), Vec3::new(0.62, 0.75, 0.88)];

/// Where to look from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    from: Vec3,
    to: Vec3,
    view: f32,
}

impl Camera {
    /// The scene's camera, or one that sees every body that moves.
    pub(super) fn of(scene: &Scene) -> Self {
        if let Some(camera) = scene.camera {
            let view = camera.view_deg.to_radians() as f32;
            return Self { from: camera.from.as_vec3(), to: camera.to.as_vec3(), view };
        }
        let moving = scene.world.bodies().filter(|(_, body)| body.model().kind.moves());
        let places: Vec<Vec3> = moving.map(|(_, body)| body.position().as_vec3()).collect();
        let low = places.iter().copied().reduce(Vec3::min).unwrap_or(Vec3::ZERO);
        let high = places.iter().copied().reduce(Vec3::max).unwrap_or(Vec3::ZERO);
        let (middle, size) = (0.5 * (low + high), 2.0 + (high - low).length());
        Self { from: middle + Vec3::new(0.5, 0.35, 1.0) * 1.4 * size, to: middle, view: 0.7 }
    }
}

/// A body ready to be drawn.
struct Drawn {
    slot: usize,
    model: BodyModel,
    surface: usize,
    color: Vec3,
    /// Endless ground has a pattern and casts no shadow.
    ground: bool,
}

/// A rod from the middle of a body to where a joint holds it, in the body's frame.
struct Rod {
    slot: usize,
    model: BodyModel,
    ends: [DVec3; 2],
}

/// Draws states of one scene.
pub(super) struct Painter {
    bodies: Vec<Drawn>,
    rods: Vec<Rod>,
    surfaces: Vec<Surface>,
    camera: Camera,
    width: usize,
    height: usize,
    canvas: Canvas,
    shadow: Canvas,
    /// What each sample shows: the number of a body, or one of the two below.
    seen: Vec<u32>,
    /// Where.
    points: Vec<Corner>,
}

const NOTHING: u32 = u32::MAX;
const ROD: u32 = u32::MAX - 1;

impl Painter {
    pub(super) fn new(scene: &Scene, width: usize, height: usize) -> Self {
        let (mut bodies, mut surfaces, mut known) = (Vec::new(), Vec::new(), BTreeMap::new());
        let model = scene.world.model();
        for (id, body) in scene.world.bodies() {
            let surface = *known.entry(likeness(scene, id)).or_insert_with(|| {
                surfaces.push(Surface::of_body(scene, id));
                surfaces.len() - 1
            });
            let colliders = body.model().colliders.iter().filter_map(|&id| model.colliders().get(id));
            bodies.push(Drawn {
                slot: id.slot(),
                model: body.model().clone(),
                surface,
                color: linear(color(scene, id)),
                ground: colliders.map(|collider| &collider.shape).any(|shape| matches!(shape, Shape::HalfSpace(_))),
            });
        }
        let (columns, rows) = (width * SAMPLES, height * SAMPLES);
        Self {
            bodies,
            rods: rods(scene),
            surfaces,
            camera: Camera::of(scene),
            width,
            height,
            canvas: Canvas::new(columns, rows),
            shadow: Canvas::new(SHADOW, SHADOW),
            seen: vec![NOTHING; columns * rows],
            points: vec![Corner::default(); columns * rows],
        }
    }

    /// The picture of a state: red, green, blue for each pixel, row by row.
    pub(super) fn paint(&mut self, state: &State) -> Vec<u8> {
        let Camera { from, to, view } = self.camera;
        let aspect = self.width as f32 / self.height as f32;
        let up = if (to - from).normalize_or(Vec3::Z).cross(Vec3::Y).length() < 1e-3 { Vec3::Z } else { Vec3::Y };
        let eye = perspective(view, aspect) * look_from(from, to, up);
        let sun = self.paint_shadow(state);
        self.canvas.clear();
        self.seen.fill(NOTHING);
        let (canvas, seen, points) = (&mut self.canvas, &mut self.seen, &mut self.points);
        let mut draw = |what: u32, corners: [Corner; 3]| {
            canvas.triangle(&eye, corners, &mut |sample, point| (seen[sample], points[sample]) = (what, point));
        };
        for (index, body) in self.bodies.iter().enumerate() {
            let pose = pose_of(body, state);
            triangles(&self.surfaces[body.surface], &pose).for_each(|corners| draw(index as u32, corners));
        }
        for rod in &self.rods {
            let pose = state.bodies.get(rod.slot).map_or(Transform::IDENTITY, |state| rod.model.frame(state));
            let ends = rod.ends.map(|end| pose.point(end).as_vec3());
            tube(ends, 0.0016 * (from - to).length()).into_iter().for_each(|corners| draw(ROD, corners));
        }
        self.shade(&Light::new(&self.camera, &sun, &self.shadow))
    }

    /// Colours for what is seen. Samples of a pixel that show the same smooth surface are shaded once.
    fn shade(&self, light: &Light<'_>) -> Vec<u8> {
        let columns = self.width * SAMPLES;
        let mut picture = Vec::with_capacity(3 * self.width * self.height);
        for y in 0..self.height {
            let sky = self.sky(y);
            for x in 0..self.width {
                let first = y * SAMPLES * columns + x * SAMPLES;
                let samples = [first, first + 1, first + columns, first + columns + 1];
                let color = |sample: usize| self.color(light, self.seen[sample], self.points[sample], sky);
                let mean = if !self.is_smooth(samples) {
                    samples.into_iter().map(color).sum::<Vec3>() * 0.25
                } else if self.is_ground(self.seen[first]) {
                    // The pattern has edges of its own.
                    (color(samples[0]) + color(samples[3])) * 0.5
                } else {
                    color(first)
                };
                picture.extend(mean.to_array().map(|part| (255.0 * part.clamp(0.0, 1.0).sqrt() + 0.5) as u8));
            }
        }
        picture
    }

    /// Whether all samples of a pixel show one surface without an edge.
    fn is_smooth(&self, samples: [usize; SAMPLES * SAMPLES]) -> bool {
        let [first, rest @ ..] = samples;
        let alike = |&other: &usize| {
            self.seen[other] == self.seen[first]
                && (self.seen[first] == NOTHING || self.points[other].normal.dot(self.points[first].normal) > 0.97)
        };
        rest.iter().all(alike)
    }

    fn is_ground(&self, what: u32) -> bool {
        self.bodies.get(what as usize).is_some_and(|body| body.ground)
    }

    fn color(&self, light: &Light<'_>, what: u32, point: Corner, sky: Vec3) -> Vec3 {
        match self.bodies.get(what as usize) {
            Some(body) if body.ground => light.ground(body.color, point, sky),
            Some(body) => light.body(body.color, point),
            None if what == ROD => light.body(Vec3::splat(0.05), point),
            None => sky,
        }
    }

    /// The colour of the sky in a row of the picture.
    fn sky(&self, row: usize) -> Vec3 {
        let ahead = (self.camera.to - self.camera.from).normalize_or(Vec3::Z);
        let tilt = (0.5 - row as f32 / self.height as f32) * self.camera.view + ahead.y;
        let color = SKY[0].lerp(SKY[1], (0.5 + 1.2 * tilt).clamp(0.0, 1.0));
        color * color
    }

    /// What the sun sees of the bodies; gives the view it has.
    fn paint_shadow(&mut self, state: &State) -> Mat4 {
        // The sun looks at what the camera looks at, as far as that is from it.
        let reach = (1.2 * (self.camera.from - self.camera.to).length()).clamp(2.0, 60.0);
        let scale = Mat4::from_scale(Vec3::new(1.0 / reach, 1.0 / reach, -1.0 / 400.0));
        let sun = scale * look_from(self.camera.to + SUN.normalize() * 200.0, self.camera.to, Vec3::X);
        self.shadow.clear();
        for body in self.bodies.iter().filter(|body| !body.ground) {
            let pose = pose_of(body, state);
            for corners in triangles(&self.surfaces[body.surface], &pose) {
                self.shadow.flat(&sun, corners.map(|corner| corner.position));
            }
        }
        sun
    }
}

/// What shows how joints hold bodies: wires of pendulums, arms of hinges.
fn rods(scene: &Scene) -> Vec<Rod> {
    let world = &scene.world;
    let mut rods = Vec::new();
    for (_, joint) in world.joints() {
        for (end, anchor) in joint.model().ends.into_iter().zip(joint.anchors()) {
            let JointEnd::Body(id) = end else { continue };
            let Ok(body) = world.body(id) else { continue };
            let ends = [body.model().mass.center, body.pose().inverse_point(anchor)];
            rods.push(Rod { slot: id.slot(), model: body.model().clone(), ends });
        }
    }
    rods
}

/// A tube of six sides.
fn tube([from, to]: [Vec3; 2], thickness: f32) -> Vec<[Corner; 3]> {
    const SIDES: usize = 6;
    let Some(along) = (to - from).try_normalize() else { return Vec::new() };
    let (u, v) = tumble_geometry::math::orthonormal_pair(along.as_dvec3());
    let direction = |side: usize| {
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * side as f64 / SIDES as f64);
        (u * cos + v * sin).as_vec3()
    };
    let corner = |end: Vec3, side: usize| {
        let normal = direction(side);
        Corner { position: end + normal * thickness, normal }
    };
    let quad = |side: usize| {
        let [a, b, c, d] = [corner(from, side), corner(from, side + 1), corner(to, side + 1), corner(to, side)];
        [[a, b, c], [a, c, d]]
    };
    (0..SIDES).flat_map(quad).collect()
}

/// The world as seen from a point: x to the right, y up, −z ahead.
fn look_from(from: Vec3, to: Vec3, up: Vec3) -> Mat4 {
    let back = (from - to).normalize_or(Vec3::Z);
    let right = up.cross(back).normalize_or(Vec3::X);
    let turn = Mat3::from_cols(right, back.cross(right), back).transpose();
    Mat4::from_mat3(turn) * Mat4::from_translation(-from)
}

/// What is seen under a vertical angle, from −1 to 1 after division by the distance, which is the last component.
fn perspective(view: f32, aspect: f32) -> Mat4 {
    let f = 1.0 / libm::tanf(0.5 * view);
    Mat4::from_cols(Vec4::X * (f / aspect), Vec4::Y * f, Vec4::new(0.0, 0.0, -1.0, -1.0), Vec4::ZERO)
}

/// A colour as amounts of light. The square is near enough to what screens do, and its inverse is cheap.
fn linear(color: Color) -> Vec3 {
    let screen = Vec3::from(color.map(|part| f32::from(part) / 255.0));
    screen * screen
}

fn pose_of(body: &Drawn, state: &State) -> Transform {
    state.bodies.get(body.slot).map_or(Transform::IDENTITY, |state| body.model.frame(state))
}

fn triangles<'a>(surface: &'a Surface, pose: &'a Transform) -> impl Iterator<Item = [Corner; 3]> + 'a {
    let place = Mat4::from_rotation_translation(pose.rotation.as_quat(), pose.translation.as_vec3());
    let corner = move |index: usize| Corner {
        position: place.transform_point3(surface.positions[index]),
        normal: place.transform_vector3(surface.normals[index]),
    };
    (0..surface.positions.len() / 3).map(move |t| [corner(3 * t), corner(3 * t + 1), corner(3 * t + 2)])
}

/// What is needed to shade a point.
struct Light<'a> {
    eye: Vec3,
    /// How far the eye is from what it looks at.
    around: f32,
    /// The edge of the tiles on the ground: a metre, or a power of ten that suits the scene.
    tile: f32,
    sun: &'a Mat4,
    towards_sun: Vec3,
    shadow: &'a Canvas,
}

impl<'a> Light<'a> {
    fn new(camera: &Camera, sun: &'a Mat4, shadow: &'a Canvas) -> Self {
        let around = (camera.from - camera.to).length().max(1e-3);
        let tile = libm::powf(10.0, libm::log10f(around / 6.0).round());
        Self { eye: camera.from, around, tile, sun, towards_sun: SUN.normalize(), shadow }
    }

    fn body(&self, color: Vec3, point: Corner) -> Vec3 {
        let towards = (self.eye - point.position).normalize_or(Vec3::Z);
        let mut normal = point.normal.normalize_or(Vec3::Y);
        if normal.dot(towards) < 0.0 {
            normal = -normal;
        }
        let sun = self.towards_sun;
        let direct = normal.dot(sun).max(0.0) * self.lit(point.position, normal);
        let sky = 0.5 + 0.5 * normal.y;
        let shine = (sun + towards).normalize_or(sun).dot(normal).max(0.0);
        let shine = shine * shine * shine * shine;
        let shine = shine * shine * shine * shine;
        color * (0.18 + 0.27 * sky + 0.75 * direct) + Vec3::splat(0.06 * shine * direct)
    }

    /// A pattern of tiles that fades with distance.
    fn ground(&self, color: Vec3, point: Corner, sky: Vec3) -> Vec3 {
        let distance = (point.position - self.eye).length();
        let fog = ((distance - 2.0 * self.around) / (6.0 * self.around)).clamp(0.0, 1.0);
        if fog >= 1.0 {
            return sky;
        }
        let normal = point.normal.normalize_or(Vec3::Y);
        let (u, v) = normal.any_orthonormal_pair();
        let place = Vec2::new(point.position.dot(u), point.position.dot(v)) / self.tile;
        let contrast = 0.07 * (1.0 - distance / (5.0 * self.around)).clamp(0.0, 1.0);
        let odd = (place.x.floor() + place.y.floor()).rem_euclid(2.0) > 0.5;
        let tile = if odd { 1.0 - contrast } else { 1.0 + contrast };
        let direct = normal.dot(self.towards_sun).max(0.0) * self.lit(point.position, normal);
        let lit = color * tile * (0.42 + 0.62 * direct);
        lit.lerp(sky, fog * fog * (3.0 - 2.0 * fog))
    }

    /// How much of the sun reaches a point: the mean over some neighbouring places of its picture.
    fn lit(&self, position: Vec3, normal: Vec3) -> f32 {
        // A little off the surface, so that it does not shade itself.
        let seen = *self.sun * (position + normal * 0.02).extend(1.0);
        let place = Vec2::new(0.5 + 0.5 * seen.x, 0.5 - 0.5 * seen.y) * SHADOW as f32;
        let mut sum = 0.0;
        for (dx, dy) in [(-0.7, -0.3), (0.3, -0.7), (0.7, 0.3), (-0.3, 0.7)] {
            let (x, y) = (place.x + dx, place.y + dy);
            let inside = x >= 0.0 && y >= 0.0 && x < SHADOW as f32 && y < SHADOW as f32;
            let depth = if inside { self.shadow.nearness[y as usize * SHADOW + x as usize] } else { 0.0 };
            // Nearness to the sun grows as depth falls: 1 − z.
            sum += if depth > 1.0 - seen.z + 2e-4 { 0.0 } else { 0.25 };
        }
        sum
    }
}

impl Canvas {
    /// Notes how near a triangle is in a view without perspective: 1 − z.
    fn flat(&mut self, view: &Mat4, corners: [Vec3; 3]) {
        let clip = corners.map(|corner| view.transform_point3(corner));
        let size = Vec2::new(self.width as f32, self.height as f32);
        let screen = clip.map(|c| Vec2::new(0.5 + 0.5 * c.x, 0.5 - 0.5 * c.y) * size);
        let area = (screen[1] - screen[0]).perp_dot(screen[2] - screen[0]);
        let low = screen[0].min(screen[1]).min(screen[2]).max(Vec2::ZERO);
        let high = screen[0].max(screen[1]).max(screen[2]).min(size - 1.0);
        if !area.is_finite() || area.abs() < 1e-9 || low.x > high.x || low.y > high.y {
            return;
        }
        for y in low.y as usize..=(high.y.ceil() as usize).min(self.height - 1) {
            for x in low.x as usize..=(high.x.ceil() as usize).min(self.width - 1) {
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let weight = |i: usize| {
                    let (a, b) = (screen[(i + 1) % 3], screen[(i + 2) % 3]);
                    (b - a).perp_dot(p - a) / area
                };
                let w = [weight(0), weight(1), weight(2)];
                if w.iter().all(|&w| w >= 0.0) {
                    let near = 1.0 - (w[0] * clip[0].z + w[1] * clip[1].z + w[2] * clip[2].z);
                    let pixel = y * self.width + x;
                    self.nearness[pixel] = self.nearness[pixel].max(near);
                }
            }
        }
    }
}
