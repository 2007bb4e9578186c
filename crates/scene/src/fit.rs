//! Bodies fitted to a skinned figure: what collides, and what it weighs, from what is seen.
//!
//! A glTF file of a modeller has a mesh, bones, and how much each vertex goes with each bone. Each bone gets the vertices that go with
//! it more than with any other. Their convex hull is the *part* of the bone: it collides as it is, or it is filled with balls
//! ([`sphere_packing`]), which are faster and round. Balls are shared out by the surface of the parts, V^⅔, at least one each; the
//! mass of the whole is shared out by their volume V. What comes out is the text of a skeleton with the skin and no joints but
//! ball joints: limits are for who knows the figure.

use crate::mesh::{Files, VisualMesh};
use crate::skin::Skin;
use glam::DVec3;
use std::fmt::Write as _;
use tumble_geometry::approximate::{PackingOptions, sphere_packing};
use tumble_geometry::shape::{Hull, Mesh};

/// What collides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// The convex part of each bone.
    Convex,
    /// So many balls in all, at least one for each bone.
    Spheres(usize),
}

/// How far balls may stick out of a part, as a fraction of its size.
const STICK_OUT: f64 = 0.04;
/// Cells along the longest edge of a part.
const CELLS: usize = 24;
/// The radius of the ball that stands for a bone without flesh, in metres, and its volume.
const BONE: f64 = 0.01;
/// The most balls.
const MOST: usize = 10_000;

/// The text of a skeleton called `name` for the skinned figure in a glTF file.
pub fn fit(files: &dyn Files, file: &str, name: &str, parts: Parts, mass: f64) -> Result<String, String> {
    if !(mass > 0.0 && mass.is_finite()) {
        return Err(format!("the mass is {mass} kg, but must be above 0"));
    }
    let mesh = VisualMesh::read(files, file)?;
    let skin = Skin::of(mesh).ok_or_else(|| format!("{file} has no skin: its meshes are bound to no bones"))?;
    if let Parts::Spheres(count) = parts
        && !(skin.bones.len()..=MOST).contains(&count)
    {
        let bones = skin.bones.len();
        return Err(format!("{count} balls are asked for, but {bones} bones want from {bones} to {MOST}"));
    }
    let hulls: Vec<Option<Hull>> = (0..skin.bones.len()).map(|bone| hull_of(&skin, bone)).collect();
    let volumes: Vec<f64> = hulls.iter().map(|hull| hull.as_ref().map_or(BONE * BONE * BONE, Hull::volume)).collect();
    let whole: f64 = volumes.iter().sum();
    let counts = match parts {
        Parts::Convex => vec![0; hulls.len()],
        Parts::Spheres(count) => shared_out(&volumes, count),
    };
    let mut text = format!("[skeletons.{name:?}]\nskin.file = {file:?}\n");
    for (bone, hull) in hulls.iter().enumerate() {
        let _infallible = write!(
            text,
            "\n[skeletons.{name:?}.bones.{:?}]\nbody.mass = {}\n",
            skin.bones[bone],
            rounded(mass * volumes[bone] / whole)
        );
        let shape = match (hull, parts) {
            (None, _) => ball(&(DVec3::ZERO, BONE)),
            (Some(hull), Parts::Convex) => convex(hull),
            (Some(hull), Parts::Spheres(_)) => balls(hull, counts[bone])?,
        };
        text.push_str(&shape);
    }
    Ok(text)
}

/// The convex hull of the vertices that go with a bone, in the axes of the bone; none if they enclose nothing.
fn hull_of(skin: &Skin, bone: usize) -> Option<Hull> {
    let points: Vec<DVec3> = skin.of_bone(bone).map(|point| skin.rest[bone].inverse_point(point.as_dvec3())).collect();
    Hull::new(&points).ok()
}

/// Shares out a number of balls by the surfaces of parts of these volumes: each gets one, and the others go one by one to the part that
/// has the most surface for each of its balls.
fn shared_out(volumes: &[f64], count: usize) -> Vec<usize> {
    let surfaces: Vec<f64> = volumes.iter().map(|volume| libm::pow(*volume, 2.0 / 3.0)).collect();
    let mut counts = vec![1; volumes.len()];
    for _ in volumes.len()..count {
        let need = |part: usize| surfaces[part] / (counts[part] as f64 + 0.5);
        let neediest = (0..counts.len()).fold(0, |best, part| if need(part) > need(best) { part } else { best });
        counts[neediest] += 1;
    }
    counts
}

fn convex(hull: &Hull) -> String {
    let points: Vec<String> = hull.vertices().iter().map(|point| vector(*point)).collect();
    format!("body.shape.hull.points = [{}]\n", points.join(", "))
}

fn balls(hull: &Hull, count: usize) -> Result<String, String> {
    let size = hull.bounding_radius();
    let options = PackingOptions { max_count: count, tolerance: STICK_OUT * size, coverage: 1.0, resolution: CELLS };
    let packing = sphere_packing(&mesh_of(hull)?, &options).map_err(|problem| problem.to_string())?;
    let mut text = String::from("body.colliders = [\n");
    for (center, radius) in &packing.spheres {
        let (radius, center) = (rounded(*radius), vector(*center));
        let _infallible = writeln!(text, "  {{ shape.sphere.radius = {radius}, position = {center} }},");
    }
    text.push_str("]\n");
    Ok(text)
}

fn ball((center, radius): &(DVec3, f64)) -> String {
    format!("body.colliders = [{{ shape.sphere.radius = {radius}, position = {} }}]\n", vector(*center))
}

/// The surface of a hull: each face as a fan of triangles.
fn mesh_of(hull: &Hull) -> Result<Mesh, String> {
    let mut triangles = Vec::new();
    for face in 0..hull.face_count() {
        let corners = hull.face_vertices(face);
        triangles.extend((2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]));
    }
    Mesh::new(hull.vertices().to_vec(), triangles).map_err(|problem| problem.to_string())
}

/// To a hundredth of a millimetre (or a hundredth of a gram), which is less than anybody sees.
fn rounded(number: f64) -> f64 {
    let rounded = (number * 1e5).round() / 1e5;
    if rounded == 0.0 && number > 0.0 { number } else { rounded + 0.0 }
}

fn vector(point: DVec3) -> String {
    let [x, y, z] = point.to_array().map(rounded);
    format!("[{x}, {y}, {z}]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gallery::GalleryFiles;
    use crate::{Loader, Scene};

    const SPHERES: Parts = Parts::Spheres(252);

    fn fitted(parts: Parts) -> Scene {
        let text = fit(&GalleryFiles, "figures/alfred.glb", "alfred", parts, 75.0).unwrap();
        let text = format!("{text}\n[instances.one]\ntemplate = \"alfred\"\nposition = [0, 0.5, 0]\n");
        Loader::new().load_text_with("fitted", &text, &GalleryFiles).unwrap_or_else(|report| panic!("{report}"))
    }

    #[test]
    fn alfred_is_fitted_with_balls_and_with_convex_parts() {
        for (parts, colliders) in [(SPHERES, 252), (Parts::Convex, 25)] {
            let scene = fitted(parts);
            assert_eq!(scene.figures.len(), 1);
            assert_eq!(scene.world.bodies().count(), 25);
            let count = scene.world.model().colliders().len();
            assert!(count <= colliders && count >= colliders * 9 / 10, "{count} of {colliders} colliders");
            let mass: f64 = scene.world.bodies().map(|(_, body)| body.model().mass.mass).sum();
            assert!((mass - 75.0).abs() < 1e-3, "{mass}");
        }
    }

    /// What collides is where the skin is: of the vertices of the skin hardly any is farther than 3 cm from what collides for its bone.
    #[test]
    fn what_collides_is_where_the_skin_is() {
        for parts in [SPHERES, Parts::Convex] {
            let scene = fitted(parts);
            let figure = &scene.figures[0];
            let poses = figure.poses(&scene.world);
            let (mut far, mut all) = (0, 0);
            for (bone, body) in figure.bodies.iter().enumerate() {
                let colliders = &scene.world.body(*body).unwrap().model().colliders;
                for point in figure.skin.of_bone(bone) {
                    let moved = poses[bone].point(figure.skin.rest[bone].inverse_point(point.as_dvec3()));
                    let away = colliders.iter().map(|&id| {
                        let shape = &scene.world.collider(id).unwrap().model().shape;
                        let pose = scene.world.collider_pose(id).unwrap();
                        shape.closest_point(pose.inverse_point(moved)).map_or(1.0, |found| found.distance.abs())
                    });
                    all += 1;
                    far += usize::from(away.fold(f64::INFINITY, f64::min) > 0.03);
                }
            }
            assert!(all > 2000 && far * 20 < all, "{far} of {all} vertices are far from what collides");
        }
    }

    #[test]
    fn what_cannot_be_fitted_is_said() {
        let refused = |file: &str, parts, mass| fit(&GalleryFiles, file, "x", parts, mass).unwrap_err();
        assert!(refused("figures/stairs.obj", Parts::Convex, 1.0).contains("no skin"));
        assert!(refused("figures/none.glb", Parts::Convex, 1.0).contains("none.glb"));
        assert!(refused("figures/alfred.glb", Parts::Spheres(3), 1.0).contains("25 bones"));
        assert!(refused("figures/alfred.glb", SPHERES, f64::NAN).contains("NaN"));
    }
}
