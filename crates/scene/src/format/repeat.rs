//! Many copies of one thing: grids, stacks, lines and rings, moved from copy to copy and jittered by seed.

use super::RotationFile;
use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::Deserialize;
use tumble_geometry::Transform;
use tumble_geometry::math::{rotation_about, rotation_from_vector};

/// Several copies of a body or instance: exactly one of `grid`, `stack`, `line` and `ring`. Copies are counted from 0.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepeatFile {
    /// A block of rows, layers and columns, centred on the original in x and z and growing upwards from it.
    pub grid: Option<Grid>,
    /// One above the other.
    pub stack: Option<Stack>,
    /// One after the other in any direction.
    pub line: Option<Line>,
    /// On a circle about the vertical through the original.
    pub ring: Option<Ring>,
    /// What is added from copy to copy: copy k is moved and turned by k times this.
    pub each: Option<PerCopy>,
    /// Random displacements and turns.
    pub jitter: Option<Jitter>,
}

/// A block of copies.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// How many along x, y and z.
    pub count: [u32; 3],
    /// The distance of neighbours along x, y and z.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub spacing: DVec3,
}

/// Copies one above the other.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// How many.
    pub count: u32,
    /// From one to the next, upwards.
    #[schemars(range(min = -1e12, max = 1e12), extend("unit" = "m"))]
    pub height: f64,
}

/// Copies in a row.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// How many.
    pub count: u32,
    /// From one to the next.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub step: DVec3,
}

/// Copies on a circle. Copy 0 is at `from_deg`; angles turn from x towards −z, counter-clockwise as seen from above. Each
/// copy is turned along with its place.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// How many.
    pub count: u32,
    /// The radius.
    #[schemars(range(min = -1e12, max = 1e12), extend("unit" = "m"))]
    pub radius: f64,
    /// The angle of the first. Default 0.
    #[serde(default)]
    #[schemars(extend("unit" = "°"))]
    pub from_deg: f64,
    /// The angle over which they are spread. Default 360.
    #[serde(default = "full_turn")]
    #[schemars(extend("unit" = "°"))]
    pub sweep_deg: f64,
}

fn full_turn() -> f64 {
    360.0
}

/// What is added from copy to copy.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PerCopy {
    /// A displacement.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub position: DVec3,
    /// A turn.
    pub rotation: Option<RotationFile>,
}

/// Random displacements and turns, the same for the same seed on every machine.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Jitter {
    /// Displacements are uniform up to this, to either side: one number, or one for each axis.
    #[serde(default)]
    pub position: Spread,
    /// Turns about random axes are uniform up to this angle.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 180.0), extend("unit" = "°"))]
    pub angle_deg: f64,
    /// The seed.
    #[serde(default)]
    pub seed: u64,
}

/// A spread for all axes, or for each.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Spread {
    /// The same along all axes, in metres.
    All(f64),
    /// Along x, y and z, in metres.
    Each([f64; 3]),
}

impl Default for Spread {
    fn default() -> Self {
        Self::All(0.0)
    }
}

impl RepeatFile {
    /// How many copies; the error says why there are none.
    pub fn count(&self) -> Result<u64, String> {
        let counts = [
            self.grid.as_ref().map(|grid| grid.count.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul)),
            self.stack.as_ref().map(|stack| stack.count.into()),
            self.line.as_ref().map(|line| line.count.into()),
            self.ring.as_ref().map(|ring| ring.count.into()),
        ];
        match counts.into_iter().flatten().collect::<Vec<u64>>()[..] {
            [count] => Ok(count),
            [] => Err("a repeat needs one of `grid`, `stack`, `line` and `ring`".into()),
            _ => Err("a repeat has only one of `grid`, `stack`, `line` and `ring`".into()),
        }
    }

    /// What copy `index` is moved by, relative to the original and in the axes of the surroundings: first turned about
    /// itself, then displaced.
    pub fn placement(&self, index: u32) -> Result<Transform, String> {
        let mut placement = self.pattern(index);
        if let Some(each) = &self.each {
            let k = f64::from(index);
            placement.translation += each.position * k;
            if let Some(rotation) = &each.rotation {
                let turn = tumble_geometry::math::rotation_vector(rotation.to_quaternion()?);
                placement.rotation *= rotation_from_vector(turn * k);
            }
        }
        if let Some(jitter) = &self.jitter {
            let (offset, turn) = jitter.draw(index);
            placement = Transform::new(turn * placement.rotation, placement.translation + offset);
        }
        Ok(placement.normalized())
    }

    fn pattern(&self, index: u32) -> Transform {
        let k = f64::from(index);
        if let Some(grid) = &self.grid {
            let [nx, _, nz] = grid.count.map(|n| n.max(1));
            let (x, rest) = (index % nx, index / nx);
            let (z, y) = (rest % nz, rest / nz);
            let centred = |i: u32, n: u32| f64::from(i) - 0.5 * f64::from(n - 1);
            let place = DVec3::new(centred(x, nx), f64::from(y), centred(z, nz));
            Transform::from_translation(place * grid.spacing)
        } else if let Some(stack) = &self.stack {
            Transform::from_translation(DVec3::Y * (stack.height * k))
        } else if let Some(line) = &self.line {
            Transform::from_translation(line.step * k)
        } else if let Some(ring) = &self.ring {
            // A full circle does not repeat its first place; an arc has a copy on either end.
            let closed = ring.sweep_deg.abs() >= 360.0;
            let parts = f64::from(if closed { ring.count } else { ring.count.saturating_sub(1) }.max(1));
            let angle = (ring.from_deg + ring.sweep_deg * k / parts).to_radians();
            let turn = rotation_about(DVec3::Y, angle);
            Transform::new(turn, turn * DVec3::X * ring.radius)
        } else {
            Transform::IDENTITY
        }
    }
}

impl Jitter {
    /// The displacement and turn of copy `index`.
    fn draw(&self, index: u32) -> (DVec3, DQuat) {
        let mut random = Random(self.seed ^ (u64::from(index) + 1).wrapping_mul(0xd1b5_4a32_d192_ed03));
        let spread = match self.position {
            Spread::All(width) => DVec3::splat(width),
            Spread::Each(widths) => DVec3::from_array(widths),
        };
        let offset = DVec3::from_array([(); 3].map(|()| random.symmetric())) * spread;
        let axis = DVec3::from_array([(); 3].map(|()| random.symmetric())).normalize_or(DVec3::Y);
        let angle = self.angle_deg.to_radians() * random.symmetric();
        (offset, rotation_about(axis, angle))
    }
}

/// The generator splitmix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    /// Uniform between −1 and 1.
    fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_centred_and_grows_upwards() {
        let grid = Grid { count: [3, 2, 2], spacing: DVec3::new(1.0, 2.0, 4.0) };
        let repeat = RepeatFile { grid: Some(grid), ..RepeatFile::default() };
        assert_eq!(repeat.count(), Ok(12));
        let places: Vec<DVec3> = (0..12).map(|i| repeat.placement(i).unwrap().translation).collect();
        assert_eq!(places[0], DVec3::new(-1.0, 0.0, -2.0));
        assert_eq!(places[11], DVec3::new(1.0, 2.0, 2.0));
        assert_eq!(places.iter().sum::<DVec3>() / 12.0, DVec3::new(0.0, 1.0, 0.0));
    }

    #[test]
    fn a_ring_closes_and_an_arc_has_two_ends() {
        let ring = |sweep_deg| RepeatFile {
            ring: Some(Ring { count: 4, radius: 2.0, from_deg: 0.0, sweep_deg }),
            ..RepeatFile::default()
        };
        let at = |repeat: &RepeatFile, i| repeat.placement(i).unwrap().translation;
        assert!((at(&ring(360.0), 1) - DVec3::new(0.0, 0.0, -2.0)).length() < 1e-15);
        assert!((at(&ring(90.0), 3) - DVec3::new(0.0, 0.0, -2.0)).length() < 1e-15);
    }

    #[test]
    fn jitter_stays_within_its_bounds_and_repeats() {
        let jitter = Jitter { position: Spread::Each([0.1, 0.0, 2.0]), angle_deg: 30.0, seed: 5 };
        let mut largest = DVec3::ZERO;
        for index in 0..1000 {
            let (offset, turn) = jitter.draw(index);
            largest = largest.max(offset.abs());
            assert!(tumble_geometry::math::rotation_vector(turn).length() <= 30.0_f64.to_radians() + 1e-12);
            assert_eq!(jitter.draw(index), (offset, turn));
        }
        assert!(largest.x > 0.099 && largest.x <= 0.1 && largest.y == 0.0 && largest.z > 1.98 && largest.z <= 2.0);
    }
}
