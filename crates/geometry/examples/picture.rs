//! Draws a still life of every shape with the crate's own queries and writes `out/shapes.png`.
//!
//! Ray casts through a dynamic tree find what is seen, what lies in shadow and what is mirrored; closest points tell how
//! much of the sky is covered near a surface. Run it with
//!
//! ```text
//! cargo run --release --example picture
//! ```

use std::error::Error;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tumble_geometry::broad_phase::{BroadPhase, DynamicTree, Mobility, ProxyId};
use tumble_geometry::glam::{DVec3, dvec3};
use tumble_geometry::query::RayHit;
use tumble_geometry::shape::{HeightField, SupportMap};
use tumble_geometry::{GeometryError, Ray, Shape, Transform, math};

const WIDTH: usize = 960;
const HEIGHT: usize = 540;
/// Farther away than this (in metres), or in a mirror, nobody sees how much of the sky a surface sees.
const NEAR: f64 = 13.2;
/// Rays per pixel and direction where pixels nearby differ.
const FINE: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let scene = still_life()?;
    let start = Instant::now();
    let picture = render(&scene);
    let path = Path::new("out/shapes.png");
    write_png(path, &picture)?;
    println!(
        "drew {} shapes in {WIDTH} × {HEIGHT} pixels in {:.1} s: {}",
        scene.bodies.len(),
        start.elapsed().as_secs_f64(),
        path.display()
    );
    Ok(())
}

/// A shape with its place and its looks.
struct Body {
    shape: Shape,
    pose: Transform,
    color: DVec3,
    /// How much a surface seen straight on mirrors, 0 to 1.
    gloss: f64,
}

#[derive(Default)]
struct Scene {
    bodies: Vec<Body>,
    space: DynamicTree,
}

impl Scene {
    fn add(&mut self, shape: Shape, pose: Transform, color: u32, gloss: f64) {
        // Proxies are numbered in the order in which they come, as bodies are.
        self.space.insert(shape.aabb(&pose), Mobility::Fixed);
        self.bodies.push(Body { shape, pose, color: linear(color), gloss });
    }

    /// Adds a shape turned by `turn` that stands on the ground (the plane y = 0) at `x`, `z`.
    fn stand(&mut self, shape: Shape, turn: Transform, [x, z]: [f64; 2], color: u32, gloss: f64) {
        let lowest = shape.aabb(&turn).min.y;
        let pose = Transform::new(turn.rotation, dvec3(x, -lowest, z));
        self.add(shape, pose, color, gloss);
    }

    fn body(&self, id: ProxyId) -> &Body {
        &self.bodies[id.0 as usize]
    }

    /// The nearest body along the ray and where it is met.
    fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<(&Body, RayHit)> {
        let mut nearest = None;
        let mut limit = max_distance;
        self.space.query_ray(ray, max_distance, &mut |id| {
            let body = self.body(id);
            if let Some(hit) = body.shape.cast_ray(&ray.to_local(&body.pose), limit) {
                limit = hit.distance;
                nearest = Some((body, hit.transformed(&body.pose)));
            }
            limit
        });
        nearest
    }

    /// How far the nearest body is from `point`, if less than `limit`; negative inside.
    fn distance(&self, point: DVec3, limit: f64) -> f64 {
        let mut nearest = limit;
        self.space.query_nearest(point, limit, &mut |id| {
            let body = self.body(id);
            if let Some(closest) = body.shape.closest_point(body.pose.inverse_point(point)) {
                nearest = nearest.min(closest.distance);
            }
            nearest.max(0.0)
        });
        nearest
    }
}

/// A convex shape of our own.
#[derive(Debug)]
struct Ellipsoid(DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * (self.0 * direction).normalize_or_zero()
    }
}

fn still_life() -> Result<Scene, GeometryError> {
    let upright = Transform::IDENTITY;
    let turned = |angle: f64| Transform::from_axis_angle(DVec3::Y, angle);
    let mut scene = Scene::default();
    scene.add(Shape::half_space(DVec3::Y)?, upright, 0xead9c0, 0.0);
    let hills = Transform::from_translation(dvec3(0.0, 0.0, -5.6));
    scene.add(terrain()?, hills, 0x6f9a6a, 0.0);

    // A ball in a ring: it touches where the distance from its centre to the ring's core is the sum of the radii.
    let (ball, major, minor) = (0.66, 0.78, 0.27);
    scene.stand(ring(major, minor)?, upright, [-3.05, 0.35], 0xe0a43a, 0.05);
    let reach: f64 = ball + minor;
    let height = minor + (reach * reach - major * major).sqrt();
    scene.add(Shape::sphere(ball)?, Transform::from_translation(dvec3(-3.05, height, 0.35)), 0xc8523c, 0.06);

    scene.stand(Shape::cone(0.85, 0.68)?, upright, [-1.15, -1.15], 0x1f7f80, 0.04);
    scene.stand(Shape::cuboid([0.62, 0.62, 0.62])?, turned(0.5), [0.75, -0.85], 0x2b5a94, 0.05);
    scene.stand(Shape::cylinder(1.0, 0.46)?, upright, [2.45, -1.25], 0xd9785f, 0.04);
    scene.stand(dodecahedron(0.66)?, turned(0.2), [-0.95, 1.05], 0xf2e9dc, 0.05);
    let lying = turned(-0.55) * Transform::from_axis_angle(DVec3::Z, FRAC_PI_2);
    scene.stand(Shape::capsule(0.52, 0.27)?, lying, [0.72, 1.45], 0xe9b7a2, 0.05);
    scene.stand(Shape::custom(Ellipsoid(dvec3(0.68, 0.44, 0.5)))?, turned(0.45), [2.2, 0.85], 0x5b93c4, 0.08);
    let tumbled = Transform::from_axis_angle(dvec3(1.0, 0.0, -1.0).normalize(), 0.955) * turned(0.4);
    scene.stand(jack()?, tumbled, [3.65, 0.05], 0x8a3f63, 0.05);
    scene.space.rebuild();
    Ok(scene)
}

/// Hills that are low in front and rise to the back.
fn terrain() -> Result<Shape, GeometryError> {
    let (rows, columns, spacing) = (61, 181, 0.1);
    let mut heights = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            let (x, z) = (column as f64 * spacing - 9.0, row as f64 * spacing);
            let back = 1.0 - z / 6.0;
            let waves =
                libm::sin(0.75 * x + 0.6) + 0.6 * libm::sin(1.7 * x - 1.1 * z) + 0.25 * libm::cos(3.3 * x + 2.0 * z);
            let height = (0.62 + 0.34 * waves) * back * (2.0 - back);
            heights.push(height.max(0.0) + 0.9 * back * back - 0.12);
        }
    }
    HeightField::new(rows, columns, heights, [spacing, spacing]).map(|field| Shape::HeightField(Arc::new(field)))
}

/// A torus around the y axis as a mesh.
fn ring(major: f64, minor: f64) -> Result<Shape, GeometryError> {
    let (around, across) = (160_u32, 72_u32);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        let (sin, cos) = libm::sincos(TAU * f64::from(i) / f64::from(around));
        for j in 0..across {
            let (up, out) = libm::sincos(TAU * f64::from(j) / f64::from(across));
            vertices.push(dvec3(cos * (major + minor * out), minor * up, sin * (major + minor * out)));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    Shape::mesh(vertices, triangles)
}

/// The corners are those of a cube and of three golden rectangles. Turned to lie on a face.
fn dodecahedron(radius: f64) -> Result<Shape, GeometryError> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut corners = Vec::new();
    for i in 0..8 {
        let sign = |bit: i32| if i & bit == 0 { -1.0 } else { 1.0 };
        corners.push(dvec3(sign(1), sign(2), sign(4)));
        if i < 4 {
            let (u, v) = (sign(1) / golden, sign(2) * golden);
            corners.extend([dvec3(0.0, u, v), dvec3(u, v, 0.0), dvec3(v, 0.0, u)]);
        }
    }
    // A face looks along (0, golden, 1).
    let to_floor = Transform::from_axis_angle(DVec3::X, -libm::atan2(1.0, golden));
    let place = |corner: DVec3| to_floor.point(corner) * (radius / 3.0_f64.sqrt());
    Shape::hull(&corners.into_iter().map(place).collect::<Vec<_>>())
}

/// Three crossed rods with a ball at each end.
fn jack() -> Result<Shape, GeometryError> {
    let mut parts = Vec::new();
    for axis in DVec3::AXES {
        let along = Transform::from_rotation(tumble_geometry::glam::DQuat::from_rotation_arc(DVec3::Y, axis));
        parts.push((along, Shape::capsule(0.55, 0.1)?));
        for end in [axis, -axis] {
            parts.push((Transform::from_translation(end * 0.6), Shape::sphere(0.2)?));
        }
    }
    Shape::compound(parts)
}

/// The light that comes along a ray.
fn light(scene: &Scene, ray: &Ray, sun: DVec3, bounces: u32) -> DVec3 {
    let Some((body, hit)) = scene.cast_ray(ray, 200.0) else { return sky(ray.direction) };
    let point = ray.at(hit.distance) + hit.normal * 1e-6;
    let normal = hit.normal;

    let facing = normal.dot(sun).max(0.0);
    let shadow_ray = Ray { origin: point, direction: sun };
    let sunlit = facing > 0.0 && scene.cast_ray(&shadow_ray, 100.0).is_none();
    let direct = if sunlit { dvec3(3.3, 2.85, 2.25) * facing } else { DVec3::ZERO };
    // Blue from above, warm from the ground.
    let open = if hit.distance < NEAR && bounces > 0 { openness(scene, point, normal) } else { 0.85 };
    let up = 0.5 + 0.5 * normal.y;
    let ambient = (dvec3(0.3, 0.4, 0.6) * up + dvec3(0.34, 0.26, 0.2) * (1.0 - up)) * open;
    let mut color = body.color * (direct + ambient) * 0.55;

    if body.gloss > 0.0 && bounces > 0 {
        let mirrored = ray.direction - normal * (2.0 * ray.direction.dot(normal));
        // Schlick's approximation: everything mirrors at a grazing angle.
        let grazing = 1.0 + ray.direction.dot(normal);
        let share = body.gloss + (1.0 - body.gloss) * 0.6 * libm::pow(grazing.clamp(0.0, 1.0), 5.0);
        let reflected = light(scene, &Ray { origin: point, direction: mirrored }, sun, bounces - 1);
        let highlight = if sunlit { libm::pow(mirrored.dot(sun).max(0.0), 220.0) * 3.0 } else { 0.0 };
        color = color * (1.0 - share) + (reflected + DVec3::splat(highlight)) * share.min(0.5);
    }
    // The air takes on the colour of the horizon.
    let haze = 1.0 - libm::exp(-(hit.distance / 36.0) * (hit.distance / 36.0));
    color.lerp(sky(ray.direction.with_y(0.0)), haze)
}

/// How much of the sky a surface sees: going out along the normal, how soon does something else come close?
fn openness(scene: &Scene, point: DVec3, normal: DVec3) -> f64 {
    let mut covered = 0.0;
    for (height, weight) in [(0.06, 0.24), (0.18, 0.3), (0.4, 0.3), (0.8, 0.26)] {
        let free = scene.distance(point + normal * height, height);
        covered += weight * (1.0 - (free / height).max(0.0));
    }
    1.0 - covered
}

fn sky(direction: DVec3) -> DVec3 {
    let height = direction.y.clamp(0.0, 1.0);
    dvec3(0.93, 0.9, 0.86).lerp(dvec3(0.12, 0.4, 0.82), 1.0 - libm::exp(-13.0 * height))
}

/// A colour given as 0xRRGGBB in linear light.
fn linear(color: u32) -> DVec3 {
    let channel = |shift: u32| libm::pow(f64::from((color >> shift) & 0xff) / 255.0, 2.2);
    dvec3(channel(16), channel(8), channel(0))
}

/// The camera: a ray through a place in the picture, both coordinates from 0 to 1, from the top left.
fn camera(x: f64, y: f64) -> Ray {
    let (eye, target) = (dvec3(0.3, 3.0, 10.6), dvec3(0.14, 1.0, 0.0));
    let forward = (target - eye).normalize();
    let right = forward.cross(DVec3::Y).normalize();
    let up = right.cross(forward);
    let half_width = 0.425;
    let half_height = half_width * HEIGHT as f64 / WIDTH as f64;
    let direction = forward + right * (half_width * (2.0 * x - 1.0)) + up * (half_height * (1.0 - 2.0 * y));
    Ray { origin: eye, direction: direction.normalize() }
}

/// One of many directions to the sun, which is a disc.
fn sun(sample: usize, samples: usize) -> DVec3 {
    let middle = dvec3(-0.72, 0.66, 0.3).normalize();
    let (u, v) = math::orthonormal_pair(middle);
    // A spiral with the golden angle covers the disc evenly.
    let radius = 0.03 * (sample as f64 / samples as f64).sqrt();
    let (sin, cos) = libm::sincos(2.399_963_229_728_653 * sample as f64);
    (middle + (u * cos + v * sin) * radius).normalize()
}

/// The mean over `side` × `side` rays of a pixel, each with another point of the sun.
fn pixel(scene: &Scene, column: usize, row: usize, side: usize) -> DVec3 {
    let samples = side * side;
    let mut sum = DVec3::ZERO;
    for sample in 0..samples {
        let within = |i: usize| (i as f64 + 0.5) / side as f64;
        let x = (column as f64 + within(sample % side)) / WIDTH as f64;
        let y = (row as f64 + within(sample / side)) / HEIGHT as f64;
        // Steps through the sun in an order unlike that of the pixel; 7 shares no factor with the number of samples.
        sum += tone(light(scene, &camera(x, y), sun((7 * sample) % samples, samples), 1));
    }
    sum / samples as f64
}

/// From light to what a screen shows, 0 to 1: compresses what is bright.
fn tone(light: DVec3) -> DVec3 {
    let compress = |x: f64| (x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)).clamp(0.0, 1.0);
    let encode = |x: f64| libm::pow(compress(0.82 * x), 1.0 / 2.2);
    dvec3(encode(light.x), encode(light.y), encode(light.z))
}

/// Every pixel with one ray, then again with many where it differs from one nearby.
fn render(scene: &Scene) -> Vec<DVec3> {
    let coarse = in_parallel(|index| pixel(scene, index % WIDTH, index / WIDTH, 1));
    in_parallel(|index| {
        let (column, row) = (index % WIDTH, index / WIDTH);
        let rows = row.saturating_sub(2)..(row + 3).min(HEIGHT);
        let nearby = rows.flat_map(|r| (column.saturating_sub(2)..(column + 3).min(WIDTH)).map(move |c| r * WIDTH + c));
        let contrast = nearby.map(|n| (coarse[n] - coarse[index]).abs().max_element()).fold(0.0, f64::max);
        if contrast > 0.03 { pixel(scene, column, row, FINE) } else { coarse[index] }
    })
}

/// All pixels, computed on all processors. Each is a function of its index, so the picture is the same on any number.
fn in_parallel(pixel: impl Fn(usize) -> DVec3 + Sync) -> Vec<DVec3> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut picture = vec![DVec3::ZERO; WIDTH * HEIGHT];
    std::thread::scope(|scope| {
        // Rows in turn, so that every thread gets of the hard and of the easy ones.
        let mut rows: Vec<Vec<(usize, &mut [DVec3])>> = (0..threads).map(|_| Vec::new()).collect();
        for (row, line) in picture.chunks_mut(WIDTH).enumerate() {
            rows[row % threads].push((row, line));
        }
        for lines in rows {
            scope.spawn(|| {
                for (row, line) in lines {
                    for (column, value) in line.iter_mut().enumerate() {
                        *value = pixel(row * WIDTH + column);
                    }
                }
            });
        }
    });
    picture
}

fn write_png(path: &Path, picture: &[DVec3]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut encoder =
        png::Encoder::new(std::io::BufWriter::new(std::fs::File::create(path)?), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let bytes: Vec<u8> = picture.iter().flat_map(|c| c.to_array()).map(|c| (c * 255.0).round() as u8).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}
