//! Locks: directions in which a body does not move and axes about which it does not turn.
//!
//! A game in a plane locks `Locks::PLANE_XY`, a figure that must not fall over locks `Locks::TURNS`. The axes are those of the
//! world. A lock is a condition on velocities, `v·e = 0` or `ω·e = 0`; because its direction never changes, the body also stays
//! where it is along it.
//!
//! A body all of whose turns are locked simply has no inverse inertia, which costs nothing. Every other lock is a joint between the
//! body and the world, named `locks`, which tells like every joint what it bears.

use serde::{Deserialize, Serialize};

/// Directions along which a body does not move, and axes about which it does not turn; join them with `|`. Default: none.
///
/// ```
/// use tumble_dynamics::model::Locks;
///
/// assert_eq!(Locks::PLANE_XY, Locks::Z | Locks::TURN_X | Locks::TURN_Y);
/// assert!(Locks::TURNS.contains(Locks::TURN_Y) && !Locks::TURNS.contains(Locks::X));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locks(u8);

impl Locks {
    /// Nothing is locked.
    pub const NONE: Self = Self(0);
    /// It does not move along x.
    pub const X: Self = Self(1);
    /// It does not move along y.
    pub const Y: Self = Self(1 << 1);
    /// It does not move along z.
    pub const Z: Self = Self(1 << 2);
    /// It does not turn about x.
    pub const TURN_X: Self = Self(1 << 3);
    /// It does not turn about y.
    pub const TURN_Y: Self = Self(1 << 4);
    /// It does not turn about z.
    pub const TURN_Z: Self = Self(1 << 5);
    /// It does not move at all, but may turn.
    pub const MOVES: Self = Self(0b111);
    /// It does not turn at all.
    pub const TURNS: Self = Self(0b11_1000);
    /// It moves in the plane of x and y and turns about z: games in two dimensions.
    pub const PLANE_XY: Self = Self(0b01_1100);

    /// Whether all of `other` is locked here.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is locked.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The moves along x, y and z, and the turns about them.
    pub(crate) fn axes(self) -> [[bool; 3]; 2] {
        [0, 3].map(|first| [0, 1, 2].map(|axis| self.0 >> (first + axis) & 1 == 1))
    }

    /// What of a velocity and an angular velocity is left.
    pub(crate) fn leave(self, velocity: glam::DVec3, angular_velocity: glam::DVec3) -> [glam::DVec3; 2] {
        let [moves, turns] = self.axes();
        let leave = |locked: [bool; 3], v: glam::DVec3| {
            glam::DVec3::from_array([0, 1, 2].map(|axis| if locked[axis] { 0.0 } else { v[axis] }))
        };
        [leave(moves, velocity), leave(turns, angular_velocity)]
    }

    /// Those that need a joint: all but the turns if all of them are locked.
    pub(crate) fn by_joint(self) -> Self {
        if self.contains(Self::TURNS) { Self(self.0 & Self::MOVES.0) } else { self }
    }
}

impl std::ops::BitOr for Locks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
