//! Lattices: ropes, cloth, jelly and water surfaces of particles and rods (B 6).

use super::RotationFile;
use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;

/// Particles on a grid, joined to their neighbours by rods: a rope has them along x, a cloth along x and z, a jelly along all axes. They are called
/// "NAME/NUMBER", counted along x first, then y, then z, and are members of a group named like the lattice.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatticeFile {
    /// How many particles along x, y and z.
    pub count: [u32; 3],
    /// The distance of neighbours.
    #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
    pub spacing: f64,
    /// Where the first particle is. Default: the origin.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub position: DVec3,
    /// How the grid is turned about the first particle.
    pub rotation: Option<RotationFile>,
    /// The velocity of all particles.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e9, max = 1e9)), extend("unit" = "m/s"))]
    pub velocity: DVec3,
    /// The mass of all particles together. Default 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1e-9, max = 1e40), extend("unit" = "kg"))]
    pub mass: f64,
    /// The radius of the particles as balls; 0 (default) for points that touch nothing.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e9), extend("unit" = "m"))]
    pub radius: f64,
    /// Which neighbours are joined. Default: edges and the diagonals of squares.
    #[serde(default)]
    pub links: LinksFile,
    /// How much of a rod's error one correction makes up for, from 0 to 1. Default 1: rods are rigid.
    #[serde(default = "one")]
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub strength: f64,
    /// The length of the rods as a part of the distance of their ends where they begin. Default 1; less makes a skin under tension, which
    /// carries waves if its rim is held.
    #[serde(default = "one")]
    #[schemars(range(min = 0.01, max = 1.0), extend("unit" = "1"))]
    pub length: f64,
    /// The numbers of the particles that do not move. Default: none.
    #[serde(default)]
    pub held: Vec<u32>,
    /// Whether the particles at the ends along x and z, the rim of a cloth, do not move either. Default false.
    #[serde(default)]
    pub held_rim: bool,
    /// The frequency of a spring that draws each particle to where it began, as gravity draws the surface of water; 0 (default) for none.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e6), extend("unit" = "Hz"))]
    pub level_frequency: f64,
    /// How fast the particles' velocities decay by themselves. Default 0.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("unit" = "1/s"))]
    pub linear_damping: f64,
    /// The material of the particles: a built-in one or one under `[materials]`.
    pub material: Option<String>,
    /// The colour of the particles in pictures, as "#rrggbb".
    pub color: Option<String>,
}

fn one() -> f64 {
    1.0
}

/// Which neighbours of a lattice are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinksFile {
    /// Those along the axes: squares fold up.
    Edges,
    /// Those along the axes and the diagonals of squares (default).
    #[default]
    Squares,
    /// These and the diagonals of cubes.
    Cubes,
}

impl LatticeFile {
    /// How many particles there are.
    pub fn particles(&self) -> u64 {
        self.count.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul)
    }

    /// Whether a particle does not move.
    pub fn holds(&self, number: u32) -> bool {
        let [x, _, z] = self.cell(number);
        let at_an_end = |i: u32, n: u32| n > 1 && (i == 0 || i + 1 == n);
        let rim = self.held_rim && (at_an_end(x, self.count[0]) || at_an_end(z, self.count[2]));
        rim || self.held.contains(&number)
    }

    /// The place of a particle on the grid.
    pub fn cell(&self, number: u32) -> [u32; 3] {
        let [nx, ny, _] = self.count.map(|n| n.max(1));
        [number % nx, number / nx % ny, number / nx / ny]
    }

    /// The pairs of particles that are joined, by their numbers.
    pub fn rods(&self) -> Vec<[u32; 2]> {
        let [nx, ny, nz] = self.count;
        let most = match self.links {
            LinksFile::Edges => 1,
            LinksFile::Squares => 2,
            LinksFile::Cubes => 3,
        };
        let mut rods = Vec::new();
        for number in 0..self.particles() as u32 {
            let [x, y, z] = self.cell(number).map(i64::from);
            for (dx, dy, dz) in neighbors() {
                let (u, v, w) = (x + dx, y + dy, z + dz);
                let inside = |i: i64, n: u32| (0..i64::from(n)).contains(&i);
                if dx.abs() + dy.abs() + dz.abs() <= most && inside(u, nx) && inside(v, ny) && inside(w, nz) {
                    let other = u + i64::from(nx) * (v + i64::from(ny) * w);
                    rods.push([number, other as u32]);
                }
            }
        }
        rods
    }
}

/// Half of the 26 neighbours of a cell, so that each pair is counted once.
fn neighbors() -> impl Iterator<Item = (i64, i64, i64)> {
    let all = (-1..=1).flat_map(|z| (-1..=1).flat_map(move |y| (-1..=1).map(move |x| (x, y, z))));
    all.filter(|&(x, y, z)| (z, y, x) > (0, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(count: [u32; 3], links: &str) -> LatticeFile {
        let text = format!("count = {count:?}\nspacing = 0.5\nlinks = \"{links}\"");
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn ropes_cloths_and_jellies_have_as_many_rods_as_they_should() {
        assert_eq!(lattice([10, 1, 1], "edges").rods().len(), 9);
        // 2·3·2 edges of a 3 × 3 cloth and two diagonals for each of four squares.
        assert_eq!(lattice([3, 1, 3], "edges").rods().len(), 12);
        assert_eq!(lattice([3, 1, 3], "squares").rods().len(), 12 + 8);
        // A cube: 12 edges, 12 diagonals of faces, 4 of space.
        assert_eq!(lattice([2, 2, 2], "edges").rods().len(), 12);
        assert_eq!(lattice([2, 2, 2], "squares").rods().len(), 24);
        assert_eq!(lattice([2, 2, 2], "cubes").rods().len(), 28);
        assert_eq!(lattice([2, 3, 4], "edges").cell(2 * 3 + 2), [0, 1, 1]);
    }

    #[test]
    fn the_rim_of_a_cloth_is_held() {
        let mut cloth = lattice([3, 1, 4], "edges");
        (cloth.held_rim, cloth.held) = (true, vec![4]);
        let free: Vec<u32> = (0..12).filter(|&number| !cloth.holds(number)).collect();
        assert_eq!(free, [7]);
    }
}
