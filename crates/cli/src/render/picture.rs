//! Draws a state of a scene: one sun with shadows, light from the sky, and a ground that fades into the distance.

use super::camera::Camera;
use super::light::{Light, Shade};
use super::raster::{Canvas, Corner, NOTHING};
use glam::{DVec3, Mat3, Mat4, Vec3, Vec4};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tumble_dynamics::model::JointEnd;
use tumble_dynamics::{BodyId, Id, JointId, Snapshot, State, World};
use tumble_geometry::{Plane, Shape, Transform};
use tumble_scene::look::{Surface, color, likeness};
use tumble_scene::record::Recording;
use tumble_scene::skin::Skin;
use tumble_scene::strands::{Strand, StrandKind, coil, strands};
use tumble_scene::{Color, Scene};

/// Each pixel is the mean of this many squared.
const SAMPLES: usize = 2;
/// Where the sun is.
pub(super) const SUN: Vec3 = Vec3::new(0.45, 0.85, 0.5);
/// The width and height of the picture of depths that the sun sees.
pub(super) const SHADOW: usize = 1024;
const SKY: [Vec3; 2] = [Vec3::new(0.93, 0.95, 0.97), Vec3::new(0.62, 0.75, 0.88)];

/// A body ready to be drawn.
struct Drawn {
    slot: usize,
    /// Where the centre of mass is, in the body's frame.
    center: DVec3,
    /// The frames in which it is there.
    stay: Range<u64>,
    surface: usize,
    color: Vec3,
    /// Endless ground has a pattern and casts no shadow.
    ground: bool,
    /// Whether it never moves, nor comes or goes.
    still: bool,
}

/// A rod from the middle of a body to where a joint holds it, in the body's frame.
struct Rod {
    joint: JointId,
    slot: usize,
    /// From the centre of mass, along the axes of the body.
    ends: [DVec3; 2],
}

/// A skin with the bodies that bend it.
struct Bent {
    skin: Arc<Skin>,
    /// The slots of the bodies, and where their centres of mass are in their frames.
    bones: Vec<(usize, DVec3)>,
    color: Vec3,
}

impl Bent {
    fn surface(&self, state: &State) -> Surface {
        let poses: Vec<Transform> = self.bones.iter().map(|&(slot, center)| frame_of(slot, center, state)).collect();
        self.skin.surface(&poses)
    }
}

/// Draws states of one scene.
pub(super) struct Painter {
    bodies: Vec<Drawn>,
    rods: Vec<Rod>,
    figures: Vec<Bent>,
    /// The bodies of the scene that are there in the present picture, with their joints and forces; and all of them.
    world: World,
    whole: Snapshot,
    /// Who goes when, in the order of frames; and how many have gone from `world`.
    departures: Vec<(u64, BodyId)>,
    gone: usize,
    surfaces: Vec<Surface>,
    camera: Camera,
    width: usize,
    height: usize,
    /// Surfaces of fluids.
    fluids: Vec<Plane>,
    canvas: Canvas,
    shadow: Canvas,
    /// What is known of pixels that show something still: the triangle, and how it looks. Only shadows come and go there.
    still: Vec<(u32, Shade)>,
}

/// The radius of a coil, as a multiple of how thick its wire is.
const WIDE: f32 = 7.0;
/// What stands for a rod and for a skin among the numbers of bodies.
const ROD: u32 = u32::MAX;
const SKIN: u32 = u32::MAX - 1;

impl Painter {
    pub(super) fn new(scene: &Scene, recording: &Recording, width: usize, height: usize) -> Self {
        let (mut bodies, mut surfaces, mut known) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut departures = Vec::new();
        let model = scene.world.model();
        for (id, body) in scene.world.bodies() {
            let surface = *known.entry(likeness(scene, id)).or_insert_with(|| {
                surfaces.push(Surface::of_body(scene, id));
                surfaces.len() - 1
            });
            let colliders = body.model().colliders.iter().filter_map(|&id| model.colliders().get(id));
            let stay = recording.stay(id);
            departures.extend((stay.end < recording.len()).then_some((stay.end, id)));
            bodies.push(Drawn {
                slot: id.slot(),
                center: body.model().mass.center,
                surface,
                color: linear(color(scene, id)),
                ground: colliders.map(|collider| &collider.shape).any(|shape| matches!(shape, Shape::HalfSpace(_))),
                still: !body.model().kind.moves() && stay.end >= recording.len(),
                stay,
            });
        }
        departures.sort_unstable();
        for (newcomer, stay) in recording.newcomers() {
            surfaces.push(newcomer.surface());
            bodies.push(Drawn {
                slot: newcomer.slot(),
                center: newcomer.center(),
                surface: surfaces.len() - 1,
                color: linear(newcomer.color),
                ground: false,
                still: false,
                stay,
            });
        }
        let figures = scene.figures.iter().map(|figure| {
            let center = |id| scene.world.body(id).map_or(DVec3::ZERO, |body| body.model().mass.center);
            let bones = figure.bodies.iter().map(|&id| (id.slot(), center(id))).collect();
            let color = figure.bodies.first().map_or(Vec3::ONE, |&id| linear(color(scene, id)));
            Bent { skin: figure.skin.clone(), bones, color }
        });
        let figures = figures.collect();
        // What is still is drawn first, so that its triangles have the same numbers in all pictures.
        bodies.sort_by_key(|body| !body.still);
        let (columns, rows) = (width * SAMPLES, height * SAMPLES);
        let whole = scene.world.snapshot();
        let mut world = World::new();
        world.restore(&whole);
        Self {
            bodies,
            rods: rods(scene),
            figures,
            world,
            whole,
            departures,
            gone: 0,
            surfaces,
            camera: Camera::of(scene, width as f32 / height as f32),
            width,
            height,
            fluids: scene.world.model().forces().iter().filter_map(|(_, force)| force.surface()).collect(),
            canvas: Canvas::new(columns, rows),
            shadow: Canvas::new(SHADOW, SHADOW),
            still: vec![(NOTHING, Shade::default()); width * height],
        }
    }

    /// Lets those go who are not there in a frame.
    fn set_frame(&mut self, frame: u64) {
        if self.gone > 0 && self.departures[self.gone - 1].0 > frame {
            self.world.restore(&self.whole);
            self.gone = 0;
        }
        while let Some(&(_, id)) = self.departures.get(self.gone).filter(|&&(from, _)| from <= frame) {
            // It may have been named twice by a file that makes no sense.
            let _gone_already = self.world.remove_body(id);
            self.gone += 1;
        }
    }

    /// The picture of a frame with its state: red, green, blue for each pixel, row by row.
    pub(super) fn paint(&mut self, frame: u64, state: &State) -> Vec<u8> {
        self.set_frame(frame);
        let Camera { from, to, view } = self.camera;
        let aspect = self.width as f32 / self.height as f32;
        let eye = perspective(view, aspect) * look_from(from, to, self.camera.up());
        let skins: Vec<(Surface, Vec3)> =
            self.figures.iter().map(|figure| (figure.surface(state), figure.color)).collect();
        let sun = self.paint_shadow(frame, state, &skins);
        self.canvas.clear();
        let mut still = 0;
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.stay.contains(&frame)) {
            let pose = pose_of(body, state);
            let surface = triangles(&self.surfaces[body.surface], &pose, body.color);
            surface.for_each(|corners| self.canvas.triangle(&eye, index as u32, corners));
            if body.still {
                still = self.canvas.facets();
            }
        }
        for (skin, color) in &skins {
            let surface = triangles(skin, &Transform::IDENTITY, *color);
            surface.for_each(|corners| self.canvas.triangle(&eye, SKIN, corners));
        }
        let model = self.world.model();
        for rod in self.rods.iter().filter(|rod| model.joints().get(rod.joint).is_some()) {
            let pose = state.bodies.get(rod.slot).map_or(Transform::IDENTITY, |state| state.center_pose());
            let ends = rod.ends.map(|end| pose.point(end).as_vec3());
            let surface = tube(ends, 0.0016 * (from - to).length());
            surface.into_iter().for_each(|corners| self.canvas.triangle(&eye, ROD, corners));
        }
        let thickness = 0.0016 * (from - to).length();
        for Strand { kind, ends } in strands(model, state) {
            let line = match kind {
                StrandKind::Wire => ends.to_vec(),
                StrandKind::Coil => coil(ends, f64::from(WIDE * thickness)),
            };
            for piece in line.windows(2) {
                let surface = tube([piece[0].as_vec3(), piece[1].as_vec3()], thickness);
                surface.into_iter().for_each(|corners| self.canvas.triangle(&eye, ROD, corners));
            }
        }
        let mut known = std::mem::take(&mut self.still);
        let picture = self.shade(&Light::new(&self.camera, &sun, &self.shadow), still, &mut known);
        self.still = known;
        picture
    }

    /// Colours for what is seen. Samples of a pixel that show the same smooth surface are shaded once; those that show one
    /// of the first `still` triangles once for all pictures.
    fn shade(&self, light: &Light<'_>, still: u32, known: &mut [(u32, Shade)]) -> Vec<u8> {
        let columns = self.width * SAMPLES;
        let rays = Rays::new(&self.camera, self.width * SAMPLES, self.height * SAMPLES);
        let mut picture = Vec::with_capacity(3 * self.width * self.height);
        for y in 0..self.height {
            let sky = self.sky(y);
            for x in 0..self.width {
                let first = y * SAMPLES * columns + x * SAMPLES;
                let samples = [first, first + 1, first + columns, first + columns + 1];
                let color = |sample: usize| self.color(light, &rays, sample, sky);
                let facet = self.canvas.facet(first);
                let mean = if !self.is_smooth(samples) {
                    samples.into_iter().map(color).sum::<Vec3>() * 0.25
                } else if facet < still && self.fluids.is_empty() {
                    let (shown, shade) = &mut known[y * self.width + x];
                    if *shown != facet {
                        // Two samples, because the pattern of the ground has edges of its own.
                        let look = |sample: usize| self.look(light, self.canvas.seen(sample), sky);
                        (*shown, *shade) = (facet, look(samples[0]).mean(look(samples[3])));
                    }
                    light.color(shade)
                } else {
                    color(first)
                };
                picture.extend(mean.to_array().map(|part| (255.0 * part.clamp(0.0, 1.0).sqrt() + 0.5) as u8));
            }
        }
        picture
    }

    /// Whether all samples of a pixel show one surface without an edge.
    fn is_smooth(&self, [first, rest @ ..]: [usize; SAMPLES * SAMPLES]) -> bool {
        let alike = |&other: &usize| {
            self.canvas.facet(first) == self.canvas.facet(other)
                || match (self.canvas.seen(first), self.canvas.seen(other)) {
                    (Some((what, a)), Some((other, b))) => {
                        what == other && a.normal.dot(b.normal) > 0.97 && (a.color - b.color).length_squared() < 1e-3
                    }
                    _ => false,
                }
        };
        rest.iter().all(alike)
    }

    fn look(&self, light: &Light<'_>, seen: Option<(u32, Corner)>, sky: Vec3) -> Shade {
        match seen {
            Some((ROD, point)) => light.body(Vec3::splat(0.05), point),
            Some((SKIN, point)) => light.body(point.color, point),
            Some((what, point)) => match &self.bodies[what as usize] {
                body if body.ground => light.ground(body.color, point, sky),
                _ => light.body(point.color, point),
            },
            None => Shade::shining(sky),
        }
    }

    fn color(&self, light: &Light<'_>, rays: &Rays, sample: usize, sky: Vec3) -> Vec3 {
        let seen = self.canvas.seen(sample);
        let color = light.color(&self.look(light, seen, sky));
        self.fluids.iter().fold(color, |color, surface| {
            light.through_fluid(surface, color, rays.at(sample), seen.map(|(_, point)| point.position), sky)
        })
    }

    /// The colour of the sky in a row of the picture.
    fn sky(&self, row: usize) -> Vec3 {
        let ahead = (self.camera.to - self.camera.from).normalize_or(Vec3::Z);
        let tilt = (0.5 - row as f32 / self.height as f32) * self.camera.view + ahead.y;
        let color = SKY[0].lerp(SKY[1], (0.5 + 1.2 * tilt).clamp(0.0, 1.0));
        color * color
    }

    /// What the sun sees of the bodies; gives the view it has.
    fn paint_shadow(&mut self, frame: u64, state: &State, skins: &[(Surface, Vec3)]) -> Mat4 {
        // The sun looks at what the camera looks at, as far as that is from it.
        let reach = (1.2 * (self.camera.from - self.camera.to).length()).clamp(2.0, 60.0);
        let scale = Mat4::from_scale(Vec3::new(1.0 / reach, 1.0 / reach, -1.0 / 400.0));
        let sun = scale * look_from(self.camera.to + SUN.normalize() * 200.0, self.camera.to, Vec3::X);
        self.shadow.clear();
        for body in self.bodies.iter().filter(|body| !body.ground && body.stay.contains(&frame)) {
            let pose = pose_of(body, state);
            for corners in triangles(&self.surfaces[body.surface], &pose, body.color) {
                self.shadow.flat(&sun, corners.map(|corner| corner.position));
            }
        }
        for (skin, color) in skins {
            for corners in triangles(skin, &Transform::IDENTITY, *color) {
                self.shadow.flat(&sun, corners.map(|corner| corner.position));
            }
        }
        sun
    }
}

/// What shows how joints hold bodies where nothing else does: wires of pendulums, and arms of bodies that cannot be seen.
fn rods(scene: &Scene) -> Vec<Rod> {
    let world = &scene.world;
    let mut rods = Vec::new();
    for (joint_id, joint) in world.joints() {
        for (end, anchor) in joint.model().ends.into_iter().zip(joint.anchors()) {
            let JointEnd::Body(id) = end else { continue };
            let Ok(body) = world.body(id) else { continue };
            // Who is shown in another shape needs no arms.
            if scene.visual(id).is_some() {
                continue;
            }
            let surface = Surface::of_body(scene, id);
            if body.model().kind.moves() && is_apart(&surface, body.pose().inverse_point(anchor)) {
                let anchor = body.state().center_pose().inverse_point(anchor);
                rods.push(Rod { joint: joint_id, slot: id.slot(), ends: [DVec3::ZERO, anchor] });
            }
        }
    }
    rods
}

/// Whether a point is outside of the box around a surface by more than a tenth of its diagonal.
fn is_apart(surface: &Surface, point: DVec3) -> bool {
    let Some((low, high)) = surface.bounds() else { return true };
    let margin = 0.1 * (high - low).length();
    let point = point.as_vec3();
    (low - point).max(point - high).max_element() > margin
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
        Corner { position: end + normal * thickness, normal, color: Vec3::ZERO }
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

/// The directions that samples look in.
struct Rays {
    columns: usize,
    corner: Vec3,
    across: Vec3,
    down: Vec3,
}

impl Rays {
    fn new(camera: &Camera, columns: usize, rows: usize) -> Self {
        let back = (camera.from - camera.to).normalize_or(Vec3::Z);
        let right = camera.up().cross(back).normalize_or(Vec3::X);
        let half = libm::tanf(0.5 * camera.view);
        let (across, down) = (right * (2.0 * half / rows as f32), back.cross(right) * (-2.0 * half / rows as f32));
        let middle = -back - across * (0.5 * columns as f32) - down * (0.5 * rows as f32);
        Self { columns, corner: middle + 0.5 * (across + down), across, down }
    }

    fn at(&self, sample: usize) -> Vec3 {
        let (x, y) = (sample % self.columns, sample / self.columns);
        (self.corner + self.across * x as f32 + self.down * y as f32).normalize_or(Vec3::NEG_Y)
    }
}

/// A colour as amounts of light. The square is near enough to what screens do, and its inverse is cheap.
fn linear(color: Color) -> Vec3 {
    let screen = Vec3::from(color.map(|part| f32::from(part) / 255.0));
    screen * screen
}

fn pose_of(body: &Drawn, state: &State) -> Transform {
    frame_of(body.slot, body.center, state)
}

fn frame_of(slot: usize, center: DVec3, state: &State) -> Transform {
    let pose = state.bodies.get(slot).map_or(Transform::IDENTITY, |state| state.center_pose());
    Transform::new(pose.rotation, pose.translation - pose.rotation * center)
}

fn triangles<'a>(surface: &'a Surface, pose: &'a Transform, usual: Vec3) -> impl Iterator<Item = [Corner; 3]> + 'a {
    let place = Mat4::from_rotation_translation(pose.rotation.as_quat(), pose.translation.as_vec3());
    let corner = move |index: usize| Corner {
        position: place.transform_point3(surface.positions[index]),
        normal: place.transform_vector3(surface.normals[index]),
        color: surface.colors.get(index).map_or(usual, |&color| linear(color)),
    };
    (0..surface.positions.len() / 3).map(move |t| [corner(3 * t), corner(3 * t + 1), corner(3 * t + 2)])
}
