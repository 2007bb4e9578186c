//! Skins: meshes bent by bones, by linear blend skinning (K 2.5.1).
//!
//! A vertex v of the mesh at rest goes with up to four bones b, with weights w_b that add up to one. With R_b the pose of a bone at
//! rest and P_b its pose now, it is at
//!
//! ```text
//! v' = Σ w_b P_b R_b⁻¹ v
//! ```
//!
//! and its normal turns with the same sum of rotations. This is what glTF and Blender do; it is exact for vertices of one bone, and
//! loses some volume where joints bend far.

use crate::load::Color;
use crate::look::Surface;
use crate::mesh::VisualMesh;
use glam::{Mat4, Vec3};
use std::sync::Arc;
use tumble_dynamics::{BodyId, World};
use tumble_geometry::Transform;

/// A mesh bound to bones.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// The vertices at rest.
    pub positions: Vec<Vec3>,
    /// The unit normals of the vertices at rest.
    pub normals: Vec<Vec3>,
    /// The colours of the vertices; empty if there are none.
    pub colors: Vec<Color>,
    /// The triangles, as indices of vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Four bones for each vertex.
    pub joints: Vec<[u16; 4]>,
    /// How much the vertex goes with each of the four.
    pub weights: Vec<[f32; 4]>,
    /// The names of the bones.
    pub bones: Vec<String>,
    /// On which bone each hangs.
    pub parents: Vec<Option<usize>>,
    /// Where the bones are at rest, as the mesh is.
    pub rest: Vec<Transform>,
}

/// A skin on bodies of a scene.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name of the instance.
    pub name: String,
    /// The skin, which instances share.
    pub skin: Arc<Skin>,
    /// The bodies that are its bones, in the order of the skin.
    pub bodies: Vec<BodyId>,
}

impl Skin {
    /// The skin of a mesh that is bound to bones; none if it is not.
    pub fn of(mesh: VisualMesh) -> Option<Self> {
        let VisualMesh { positions, normals, colors, triangles, binding } = mesh;
        let mut binding = binding?;
        binding.joints.resize(positions.len(), [0; 4]);
        binding.weights.resize(positions.len(), [1.0, 0.0, 0.0, 0.0]);
        let has_normals = normals.len() == positions.len() && !normals.contains(&Vec3::ZERO);
        let positions: Vec<Vec3> = positions.iter().map(|position| position.as_vec3()).collect();
        let normals = if has_normals { normals } else { smooth_normals(&positions, &triangles) };
        let colors = if colors.len() == positions.len() { colors } else { Vec::new() };
        Some(Self {
            positions,
            normals,
            colors,
            triangles,
            joints: binding.joints,
            weights: binding.weights,
            bones: binding.bones,
            parents: binding.parents,
            rest: binding.rest,
        })
    }

    /// Where each bone takes the mesh from how it is at rest: P_b R_b⁻¹.
    fn carriers(&self, poses: &[Transform]) -> Vec<Mat4> {
        let carrier = |(pose, rest): (&Transform, &Transform)| {
            let moved = *pose * rest.inverse();
            Mat4::from_rotation_translation(moved.rotation.as_quat(), moved.translation.as_vec3())
        };
        poses.iter().zip(&self.rest).map(carrier).collect()
    }

    /// The vertices and their normals when the bones have these poses.
    pub fn bent(&self, poses: &[Transform]) -> (Vec<Vec3>, Vec<Vec3>) {
        let carriers = self.carriers(poses);
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        for (vertex, (&position, &normal)) in self.positions.iter().zip(&self.normals).enumerate() {
            let mut matrix = Mat4::ZERO;
            for (&joint, &weight) in self.joints[vertex].iter().zip(&self.weights[vertex]) {
                if weight > 0.0 {
                    matrix += carriers.get(usize::from(joint)).copied().unwrap_or(Mat4::IDENTITY) * weight;
                }
            }
            positions.push(matrix.transform_point3(position));
            normals.push(matrix.transform_vector3(normal).normalize_or(Vec3::Y));
        }
        (positions, normals)
    }

    /// The surface when the bones have these poses.
    pub fn surface(&self, poses: &[Transform]) -> Surface {
        let (positions, normals) = self.bent(poses);
        let corners = || self.triangles.iter().flatten().map(|&index| index as usize);
        Surface {
            positions: corners().map(|index| positions[index]).collect(),
            normals: corners().map(|index| normals[index]).collect(),
            colors: if self.colors.is_empty() {
                Vec::new()
            } else {
                corners().map(|index| self.colors[index]).collect()
            },
        }
    }

    /// The vertices that go with a bone more than with any other.
    pub fn of_bone(&self, bone: usize) -> impl Iterator<Item = Vec3> + '_ {
        let strongest = move |vertex: usize| {
            let pairs = self.joints[vertex].iter().zip(&self.weights[vertex]);
            pairs.fold((0, 0.0), |best, (&joint, &weight)| if weight > best.1 { (joint, weight) } else { best }).0
        };
        let own = move |&vertex: &usize| usize::from(strongest(vertex)) == bone;
        (0..self.positions.len()).filter(own).map(|vertex| self.positions[vertex])
    }
}

impl Figure {
    /// Where its bones are; those that are gone stay at rest.
    pub fn poses(&self, world: &World) -> Vec<Transform> {
        let pose = |(&id, rest): (&BodyId, &Transform)| world.body(id).map_or(*rest, |body| body.pose());
        self.bodies.iter().zip(&self.skin.rest).map(pose).collect()
    }
}

/// The mean of the normals around each vertex, weighted by area.
fn smooth_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|index| positions[index as usize]);
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|&index| sums[index as usize] += normal);
    }
    sums.into_iter().map(|sum| sum.normalize_or(Vec3::Y)).collect()
}
