//! Which contact normals a surface can have, as a whole.
//!
//! At a point p of a surface, u can be a contact normal only if nothing of the surface near p rises above the plane across u:
//! `u · (w − p) ≤ 0` for every direction in which the surface goes on (u is a *proximal normal*). Inside a triangle that leaves
//! its own normal; at an edge, also those between the normals of the two triangles if the edge is convex, and again only the
//! common one if it is flat, none if it is concave; at a corner it is enough to look along the edges that meet there.

use super::surface::Surface;
use crate::Triangle;
use crate::primitive::TriangleFeature;
use crate::query::manifold::feature_along;
use glam::DVec3;

/// How far (sine) the surface may rise above the plane across the normal: the resolution of a contact normal.
const RISE: f64 = 1e-3;
/// How many triangles around a corner are looked at.
const MAX_FAN: usize = 64;

/// A contact of one triangle of a surface.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) surface: Surface<'a>,
    pub(super) index: u32,
    /// The triangle, in the frame of the surface.
    pub(super) triangle: &'a Triangle,
    /// What of the triangle is touched.
    pub(super) feature: TriangleFeature,
}

impl Place<'_> {
    /// Whether `u` (in the frame of the surface) can be the outward contact normal here.
    pub(super) fn admits(&self, u: DVec3) -> bool {
        let corners = self.triangle.vertices;
        let Some(face) = self.triangle.normal() else { return false };
        // A solid is not left through its inside: u must point to the outer side of the triangles that meet here.
        let mut outwards = face;
        let mut rises = false;
        let mut look = |at: DVec3, towards: DVec3| {
            let edge = towards - at;
            rises |= u.dot(edge) > RISE * edge.length();
        };
        match self.feature {
            TriangleFeature::Face => {}
            TriangleFeature::Edge(edge) => {
                let edge = usize::from(edge);
                let (start, end) = (corners[edge], corners[(edge + 1) % 3]);
                if let Some((neighbor, across)) = self.surface.neighbor(self.index, edge) {
                    let other = self.surface.triangle(neighbor);
                    let w = other.vertices[(across + 2) % 3];
                    // Straight across the edge.
                    let along = end - start;
                    let foot = start + along * ((w - start).dot(along) / along.length_squared());
                    look(foot, w);
                    outwards += other.normal().unwrap_or(face);
                }
            }
            TriangleFeature::Vertex(corner) => {
                let corner = usize::from(corner);
                let at = corners[corner];
                self.fan(corner, &mut |triangle, towards| {
                    look(at, towards);
                    outwards += triangle.normal().unwrap_or(DVec3::ZERO);
                });
            }
        }
        !rises && (!self.surface.is_solid() || u.dot(outwards) > 0.0)
    }

    /// Whether the triangle can be left along the normal of one that shares a corner with it, a normal that the surface can have
    /// there, with less than `depth`. Then the other triangle has the contact. `depth_along` tells how deep the shapes
    /// overlap along a direction.
    pub(super) fn neighbors_part_sooner(&self, depth: f64, depth_along: impl Fn(DVec3) -> f64) -> bool {
        let Some(face) = self.triangle.normal() else { return false };
        let mut sooner = false;
        for corner in 0..3 {
            self.fan(corner, &mut |triangle, _| {
                let Some(normal) = triangle.normal() else { return };
                let differs = normal.dot(face) < 0.9999;
                if differs && !sooner && depth_along(normal) < 0.99 * depth {
                    let feature = feature_along(self.triangle, normal);
                    sooner = Place { feature, ..*self }.admits(normal);
                }
            });
        }
        sooner
    }

    /// Calls `visit` with the other triangles around a corner, and the corner each shares with the one before but the middle.
    fn fan(&self, corner: usize, visit: &mut dyn FnMut(&Triangle, DVec3)) {
        let middle = self.triangle.vertices[corner];
        // Out through one edge at the corner and round; if the surface ends, also through the other.
        for first in [corner, (corner + 2) % 3] {
            let (mut index, mut edge) = (self.index, first);
            for _ in 0..MAX_FAN {
                let Some((neighbor, across)) = self.surface.neighbor(index, edge) else { break };
                if neighbor == self.index {
                    return;
                }
                let triangle = self.surface.triangle(neighbor);
                let far = triangle.vertices[(across + 2) % 3];
                visit(&triangle, far);
                // The other edge at the corner: it joins the corner and the far vertex.
                let starts_here = triangle.vertices[across] == middle;
                edge = if starts_here { (across + 2) % 3 } else { (across + 1) % 3 };
                index = neighbor;
            }
        }
    }
}

/// The normal of a triangle on the side where contacts push: outwards from a solid; from a sheet, on the side of the other
/// shape's centre.
pub(super) fn facing(surface: Surface, triangle: &Triangle, center: DVec3) -> Option<DVec3> {
    let face = triangle.normal()?;
    let in_front = surface.is_solid() || face.dot(center - triangle.vertices[0]) >= 0.0;
    Some(if in_front { face } else { -face })
}
