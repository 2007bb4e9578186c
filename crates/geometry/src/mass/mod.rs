//! Mass, centre of mass and inertia of every shape.
//!
//! A body of density ρ is described by its moments of order zero, one and two,
//!
//! ```text
//! m = ∫ρ dV,    m c = ∫ρ x dV,    S = ∫ρ (x − c)(x − c)ᵀ dV,    I = tr(S) 1 − S,
//! ```
//!
//! and [`MassProperties`] holds m, c and I. [`Shape::mass_properties`](crate::Shape::mass_properties) computes them:
//!
//! | shape | volume | centre | inertia about the centre | |
//! |---|---|---|---|---|
//! | sphere | 4/3 π r³ | 0 | 2/5 m r² | exact |
//! | box, half extents a, b, c | 8 a b c | 0 | Ix = m/3 (b² + c²), … | exact |
//! | cylinder, half height h | 2 π r² h | 0 | Iy = m/2 r², Ix = Iz = m (r²/4 + h²/3) | exact |
//! | capsule | cylinder + sphere | 0 | Iy = mc/2 r² + 2/5 ms r², Ix = Iz = mc (r²/4 + h²/3) + ms (2/5 r² + h² + 3/4 h r) | exact |
//! | cone, height 2 h | 2/3 π r² h | −h/2 | Iy = 3/10 m r², Ix = Iz = 3/20 m (r² + h²) | exact |
//! | hull, closed mesh | sums over tetrahedra | same | same | exact |
//! | open mesh, height field | none | sums over triangles | same | exact for a thin sheet |
//! | compound | sum over the parts | weighted mean | parallel axes | exact if no parts overlap |
//! | custom | from the support mapping | same | same | exact for polyhedra (to 2000 corners), to about 1e-5 for round ones |
//! | half-space | none | none | none | an error |
//! | anything else | [`sample`] | same | same | error falls with the number of cells |
//!
//! How much of a shape lies below a plane, and where, says [`Shape::below`](crate::Shape::below).
//!
//! Exact means: up to rounding, 1e-13 of the result or better unless the shape is so thin that its own coordinates do
//! not carry that many digits. Two conventions:
//!
//! - **Surfaces weigh by area.** An open mesh or height field has no volume; for these `density` means kg/m², that is
//!   the density of the material times the thickness of the sheet. The inertia is that of the infinitely thin sheet,
//!   integrated over each triangle. [`Mesh::shell_mass_properties`](crate::shape::Mesh::shell_mass_properties) treats a
//!   closed mesh as hollow the same way.
//! - **Parts of a compound add up**, also where they overlap; there the mass counts twice.

mod below;
mod below_polyhedron;
mod below_round;
mod below_torus;
mod convex;
mod moments;
pub(crate) mod polyhedron;
mod primitive;
mod principal;
mod properties;
mod sampling;
mod shape;

pub use below::Submerged;
pub use principal::PrincipalInertia;
pub use properties::MassProperties;
pub use sampling::sample;
