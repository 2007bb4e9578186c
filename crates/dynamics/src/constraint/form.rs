//! Joints that can be recognised: what a kernel made for one kind of joint needs to know to write the same rows.
//!
//! [`Constraint::rows`](super::Constraint::rows) says everything about a joint, row by row. A solver that treats many equal joints
//! at once rather wants to know that they are hinges, and where. Anchors and axes are given as the bodies carry them
//! ([`JointFrame`]), with d the arrow between the anchors, xₖ, yₖ, zₖ the axes of the copy on body k and q the quaternion from
//! the first copy to the second. The rows come in the order in which they stand here; what acts on a free coordinate follows in the
//! order of its [`Freedom`]: smallest value, largest value (one row if they are equal), motor, drive, friction.

use super::limit::Stop;
use super::{Freedom, HingeForm, JointFrame, Softness, WeldForm};
use glam::DVec3;

/// A well-known joint and its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum JointForm {
    /// None of the others: only its rows tell (default).
    #[default]
    Generic,
    /// `d = 0` along the axes of the world.
    Ball {
        /// The anchors in the frames of the bodies, in metres.
        anchors: [DVec3; 2],
        /// How hard it holds.
        softness: Softness,
    },
    /// `d = 0`, and two rows that keep x₂ along x₁; the angle of y₂ about x₁ is free and counts whole turns.
    Hinge {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// Which two rows.
        form: HingeForm,
        /// What acts on the angle `atan2(z₁·y₂, y₁·y₂)`.
        turn: Freedom,
        /// How hard it holds.
        softness: Softness,
    },
    /// `d·y₁ = d·z₁ = 0` and `2 q_x = 2 q_y = 2 q_z = 0`; `d·x₁` is free.
    Slider {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// What acts on `d·x₁`.
        slide: Freedom,
        /// How hard it holds.
        softness: Softness,
    },
    /// `d = 0`, and three rows that hold the rotation.
    Weld {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// Which three rows.
        form: WeldForm,
        /// How hard it holds.
        softness: Softness,
    },
    /// `|d| = min` if both are equal; else `|d| ≥ min` unless that is 0, and `|d| ≤ max`: rods, ropes and springs.
    Distance {
        /// The anchors in the frames of the bodies, in metres.
        anchors: [DVec3; 2],
        /// The smallest distance in metres.
        min: f64,
        /// The largest distance in metres.
        max: f64,
        /// How hard it holds.
        softness: Softness,
    },
    /// `d = 0` and `x₁·y₂ = 0`.
    Universal {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// How hard it holds.
        softness: Softness,
    },
    /// `d = 0` and `2 q_x = 0`.
    ConstantVelocity {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// How hard it holds.
        softness: Softness,
    },
    /// `d·y₁ = d·z₁ = 0` and `x₂·y₁ = x₂·z₁ = 0`; `d·x₁` is free, and the angle of y₂ about x₁, which counts whole turns.
    Cylindrical {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// What acts on `d·x₁`.
        slide: Freedom,
        /// What acts on the angle `atan2(z₁·y₂, y₁·y₂)`.
        turn: Freedom,
        /// How hard it holds.
        softness: Softness,
    },
    /// `d·x₁ = 0` and `x₂·y₁ = x₂·z₁ = 0`.
    Planar {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// How hard it holds.
        softness: Softness,
    },
    /// `d·x₁ = 0`, or at least zero.
    OnPlane {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// Whether it may be more than zero.
        one_sided: bool,
        /// How hard it holds.
        softness: Softness,
    },
    /// `2 q_x = 2 q_y = 2 q_z = 0`.
    OrientationLock {
        /// The axes.
        frame: JointFrame,
        /// How hard it holds.
        softness: Softness,
    },
    /// `d·y₁ = d·z₁ = 0` and `y₂·x₁ = 0`; free are travel, steering and spin.
    Wheel {
        /// Where it holds the bodies.
        frame: JointFrame,
        /// What acts on `d·x₁`.
        travel: Freedom,
        /// What acts on the angle `atan2(z₁·y₂, y₁·y₂)`, within a turn.
        steering: Freedom,
        /// What acts on the angle `atan2(x₁·z₂, x₁·x₂)`, which counts whole turns.
        spin: Freedom,
        /// How hard it holds.
        softness: Softness,
    },
    /// `2 q_k` is at least twice the first and at most twice the second of two numbers for each of k = x, y, z, with q_w ≥ 0; one row where
    /// they are equal.
    AxisLimits {
        /// The axes.
        frame: JointFrame,
        /// The smallest q_x, q_y, q_z.
        min: [f64; 3],
        /// The largest.
        max: [f64; 3],
        /// What happens there.
        stop: Stop,
    },
    /// `2 atan2(q_x, q_w)` is at least the first and at most the second of two angles, and counts whole turns.
    TwistLimit {
        /// The axes.
        frame: JointFrame,
        /// The smallest and the largest angle in radians.
        interval: [f64; 2],
        /// What happens there.
        stop: Stop,
    },
}
