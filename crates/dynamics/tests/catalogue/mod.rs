//! Every joint and limit of the catalogue once or more, with what it promises.
//!
//! A joint is made at the origin with its main axis along x. From then on each body carries a copy of that frame, and what a
//! joint forbids is a statement about the second copy as the first sees it: where it is, d, and how it is turned, q. These
//! statements are written here once more, as geometry and not by the joint's own rows.

#![allow(dead_code, reason = "not every test uses all of it")]

pub(crate) mod rig;

use glam::{DQuat, DVec3, Vec3Swizzles};
use std::f64::consts::TAU;
use std::sync::Arc;
use tumble_dynamics::constraint::discrepancy::Pairs;
use tumble_dynamics::constraint::limit::{
    AngularLimit, AxisLimits, ConeLimit, EllipticConeLimit, ReachCone, SwingTwist, TwistLimit, WedgeLimit,
};
use tumble_dynamics::constraint::{
    Attach, Ball, ConstantVelocity, Cylindrical, Distance, Freedom, Gear, Hinge, HingeForm, Joystick, Lines, Nail,
    OnPlane, OrientationLock, Planar, Pulley, RackAndPinion, Screw, SixAxes, Slider, Softness, Universal, Weld, Wheel,
};
use tumble_dynamics::geometry::Transform;
use tumble_dynamics::geometry::math::angle_between;

/// By how much a joint is open, in metres or radians, seen from the frames it was made in, as the two ends carry them.
type Opening = fn(&[Transform; 2]) -> f64;

/// What another joint connects that stands beside the one in question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    Each,
    WorldAndFirst,
    WorldAndSecond,
}

pub(crate) struct Case {
    /// The registered name.
    pub(crate) name: &'static str,
    /// Which of several.
    pub(crate) kind: &'static str,
    pub(crate) joint: Arc<dyn Attach>,
    /// What else holds the bodies.
    pub(crate) beside: Vec<(Beside, Arc<dyn Attach>)>,
    /// How many ways to move against each other it takes away, with what stands beside it, where it was made. What a limit is
    /// reached by is not taken away: there is a way back.
    pub(crate) takes: usize,
    pub(crate) opening: Opening,
    /// How strong the forces are that drive it, in N.
    pub(crate) force: f64,
    /// The stiffness in N m/rad of a damped torque that turns the bodies back to how they were: it keeps lines from becoming
    /// parallel, and what has a singular place from that.
    pub(crate) upright: f64,
    /// Whether it has limits: what is left depends on where it is.
    pub(crate) is_limited: bool,
}

impl Case {
    fn limited(self) -> Self {
        Self { is_limited: true, ..self }
    }

    fn upright(self, upright: f64) -> Self {
        Self { upright, ..self }
    }

    fn beside(mut self, what: Beside, joint: impl Attach + 'static) -> Self {
        self.beside.push((what, Arc::new(joint)));
        self
    }

    /// Whether both ends must be bodies.
    pub(crate) fn needs_two_bodies(&self) -> bool {
        self.beside.iter().any(|(what, _)| *what != Beside::Each)
    }
}

fn case(name: &'static str, kind: &'static str, joint: impl Attach + 'static, takes: usize, opening: Opening) -> Case {
    let (joint, beside): (Arc<dyn Attach>, _) = (Arc::new(joint), Vec::new());
    Case { name, kind, joint, beside, takes, opening, force: 50.0, upright: 0.0, is_limited: false }
}

/// d and q.
fn relative(frames: &[Transform; 2]) -> (DVec3, DQuat) {
    let relative = frames[0].to_local(&frames[1]);
    (relative.translation, relative.rotation)
}

fn offset(frames: &[Transform; 2]) -> DVec3 {
    relative(frames).0
}

/// By how much the main axis has left its own direction.
fn tilt(frames: &[Transform; 2]) -> f64 {
    (axis(frames) - DVec3::X).length()
}

/// Where the second copy's main axis points, seen from the first.
fn axis(frames: &[Transform; 2]) -> DVec3 {
    relative(frames).1 * DVec3::X
}

fn angle(frames: &[Transform; 2]) -> f64 {
    2.0 * relative(frames).1.xyz().length()
}

/// The twist about the main axis, from −π to π.
fn twist(frames: &[Transform; 2]) -> f64 {
    let (_, q) = relative(frames);
    let turn = 2.0 * libm::atan2(q.x, q.w);
    turn - TAU * (turn / TAU).round()
}

/// How far a value is beyond an interval.
fn beyond(value: f64, min: f64, max: f64) -> f64 {
    (min - value).max(value - max).max(0.0)
}

/// How far a value that is known up to a period is from zero.
fn modulo(value: f64, period: f64) -> f64 {
    (value - period * (value / period).round()).abs()
}

const O: DVec3 = DVec3::ZERO;
const X: DVec3 = DVec3::X;
const Y: DVec3 = DVec3::Y;
const Z: DVec3 = DVec3::Z;

/// The ends of a rod, in the frame of the joint, and its length.
const ROD: [DVec3; 2] = [DVec3::new(-0.2, 0.1, 0.0), DVec3::new(0.5, 0.2, 0.3)];

fn length_of_rod(frames: &[Transform; 2]) -> f64 {
    (frames[1].point(ROD[1]) - frames[0].point(ROD[0])).length()
}

fn rod() -> f64 {
    (ROD[1] - ROD[0]).length()
}

/// The directions of two lines through the origin.
const LINES: [DVec3; 2] = [X, Z];

/// Where a pulley's ropes are tied, and its wheels.
const TIED: [DVec3; 2] = [DVec3::new(-0.4, 0.3, 0.2), DVec3::new(0.5, 0.4, -0.1)];
const WHEELS: [DVec3; 2] = [DVec3::new(-0.5, 2.0, 0.0), DVec3::new(0.6, 2.0, 0.0)];
const ROPE: f64 = 3.6;

/// The centres of two gears.
const CENTERS: [DVec3; 2] = [DVec3::new(-0.4, 0.1, 0.2), DVec3::new(0.5, 0.2, -0.1)];
const RADIUS: f64 = 0.2;
const PITCH: f64 = 0.3;

/// The second centre of mass, seen from the joint (as the test places it).
pub(crate) const SECOND_CENTER: DVec3 = DVec3::new(0.5, 0.2, -0.1);

/// Every joint of the catalogue.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = joints();
    cases.extend(limited_joints());
    cases.extend(limits());
    cases.extend(transmissions());
    cases
}

fn joints() -> Vec<Case> {
    let hinge = |form| Hinge::at(O, X).with_form(form);
    let opening_of_hinge: Opening = |f| offset(f).length().max(tilt(f));
    let opening_of_weld: Opening = |f| offset(f).length().max(angle(f));
    vec![
        case("ball", "", Ball::at(O), 3, |f| offset(f).length()),
        case("nail", "", Nail::at(O), 3, |f| offset(f).length()),
        case("distance", "rod", Distance::rod(ROD[0], ROD[1]), 1, |f| (length_of_rod(f) - rod()).abs()),
        case("hinge", "dot products", hinge(HingeForm::DotProduct), 5, opening_of_hinge),
        case("hinge", "two positions", hinge(HingeForm::TwoPositions), 5, opening_of_hinge),
        case("hinge", "quaternion", hinge(HingeForm::Quaternion), 5, opening_of_hinge),
        case("hinge", "two joysticks", hinge(HingeForm::TwoJoysticks), 5, opening_of_hinge),
        case("weld", "", Weld::at(O), 6, opening_of_weld),
        case("weld", "three points", Weld::at(O).by_three_points(), 6, opening_of_weld),
        case("slider", "", Slider::at(O, X), 5, |f| offset(f).yz().length().max(angle(f))),
        case("cylindrical", "", Cylindrical::at(O, X), 4, |f| offset(f).yz().length().max(tilt(f))),
        case("planar", "", Planar::at(O, X), 3, |f| offset(f).x.abs().max(tilt(f))),
        case("screw", "", Screw::at(O, X, PITCH), 5, |f| {
            let lag = modulo(offset(f).x - PITCH * twist(f) / TAU, PITCH);
            offset(f).yz().length().max(tilt(f)).max(lag)
        }),
        case("universal", "", Universal::at(O, X, Y), 4, |f| offset(f).length().max(X.dot(relative(f).1 * Y).abs())),
        case("constant_velocity", "", ConstantVelocity::at(O, X), 4, |f| {
            let (d, q) = relative(f);
            d.length().max((Y.dot(q * Z) - Z.dot(q * Y)).abs())
        }),
        case("joystick", "", Joystick::about(X), 1, |f| 2.0 * relative(f).1.x.abs()),
        case("orientation_lock", "", OrientationLock::default(), 3, angle),
        case("on_plane", "", OnPlane::at(O, X), 1, |f| offset(f).x.abs()),
        Case {
            force: 10.0,
            ..case("lines", "", Lines { directions: LINES, ..Lines::default() }, 1, |f| {
                let (d, q) = relative(f);
                d.dot(LINES[0].cross(q * LINES[1]).normalize()).abs()
            })
        }
        .upright(30.0),
        case("six_axes", "locked", SixAxes::at(O), 6, opening_of_weld),
        case("discrepancy", "one pair", Pairs::at([O]), 3, |f| offset(f).length()),
        case("discrepancy", "two pairs", Pairs::at([-0.5 * X, 0.5 * X]), 5, opening_of_hinge),
        case("discrepancy", "three pairs", Pairs::at([-0.5 * X, 0.5 * X, 0.5 * Y]), 6, opening_of_weld),
    ]
}

fn limited_joints() -> Vec<Case> {
    let spring = Softness::Stiffness { stiffness: 100.0, damping: 2.0 };
    let rod_between = |min: f64, max: f64| Distance::rod(ROD[0], ROD[1]).between(min * rod(), max * rod());
    let one_sided = OnPlane { one_sided: true, ..OnPlane::at(O, X) };
    let limits = Freedom::between(-0.3, 0.4);
    let mixed = SixAxes::at(O).with_slide([Freedom::FREE, limits, Freedom::LOCKED]).with_turn([
        Freedom::FREE,
        limits,
        Freedom::LOCKED,
    ]);
    vec![
        case("distance", "rope", rod_between(0.0, 1.1), 0, |f| beyond(length_of_rod(f), 0.0, 1.1 * rod())).limited(),
        case("distance", "strut", rod_between(0.9, 1e3), 0, |f| beyond(length_of_rod(f), 0.9 * rod(), 1e3)).limited(),
        case("distance", "between two", rod_between(0.9, 1.1), 0, |f| {
            beyond(length_of_rod(f), 0.9 * rod(), 1.1 * rod())
        })
        .limited(),
        // A spring holds nothing and gives way to everything; its law is checked elsewhere.
        case("distance", "spring", Distance::rod(ROD[0], ROD[1]).with_softness(spring), 0, |_| 0.0).limited(),
        case("on_plane", "one side", one_sided, 0, |f| beyond(offset(f).x, 0.0, f64::INFINITY)).limited(),
        case("hinge", "limited", Hinge::at(O, X).with_turn(limits), 5, |f| {
            offset(f).length().max(tilt(f)).max(beyond(twist(f), -0.3, 0.4))
        })
        .limited(),
        case("slider", "limited", Slider::at(O, X).with_slide(limits), 5, |f| {
            offset(f).yz().length().max(angle(f)).max(beyond(offset(f).x, -0.3, 0.4))
        })
        .limited(),
        case("cylindrical", "limited", Cylindrical { slide: limits, turn: limits, ..Cylindrical::at(O, X) }, 4, |f| {
            let free = beyond(offset(f).x, -0.3, 0.4).max(beyond(twist(f), -0.3, 0.4));
            offset(f).yz().length().max(tilt(f)).max(free)
        })
        .limited(),
        case("joystick", "limited", Joystick::about(X).between(-0.5, 1.0), 0, |f| {
            let (_, q) = relative(f);
            beyond(2.0 * q.x * q.w.signum(), -0.5, 1.0)
        })
        .limited()
        .upright(2.0),
        case("six_axes", "free, limited and locked", mixed, 2, |f| {
            let (d, q) = relative(f);
            let (about_y, about_z) = (libm::asin((q * Z).x.clamp(-1.0, 1.0)), libm::atan2(-(q * Y).x, (q * X).x));
            d.z.abs().max(about_z.abs()).max(beyond(d.y, -0.3, 0.4)).max(beyond(about_y, -0.3, 0.4))
        })
        .limited(),
        case("wheel", "", Wheel::at(O, X, Y), 4, |f| {
            let (d, q) = relative(f);
            d.yz().length().max((q * Y - Y).length()).max(beyond(d.x, -0.1, 0.1))
        })
        .limited(),
    ]
}

/// The angle by which a direction is beyond an elliptic cone around x with these angles towards y and z.
fn beyond_ellipse(x2: DVec3, angles: [f64; 2]) -> f64 {
    let p = x2.yz() / (1.0 + x2.x);
    let [a, b] = angles.map(|angle| libm::tan(0.5 * angle));
    let stretched = (p.x * p.x / (a * a) + p.y * p.y / (b * b)).sqrt();
    let reached = p.length();
    if stretched <= 1.0 { 0.0 } else { 2.0 * (libm::atan(reached) - libm::atan(reached / stretched)) }
}

/// The angles of the sides of a wedge about y.
fn beyond_wedge(x2: DVec3, min: f64, max: f64) -> f64 {
    // The side at an angle φ holds (cos φ, 0, −sin φ) and y.
    let inside = |angle: f64, sign: f64| {
        let (sin, cos) = libm::sincos(angle);
        sign * x2.dot(DVec3::new(-sin, 0.0, -cos))
    };
    let (low, high) = (inside(min, 1.0), inside(max, -1.0));
    let inside = if max - min > 0.5 * TAU { low.max(high) } else { low.min(high) };
    (-inside).max(0.0)
}

/// A reach cone whose third corner juts inwards.
const NOTCHED: [[f64; 3]; 4] = [[1.0, 0.0, -1.2], [1.0, 1.2, 0.8], [1.0, 0.2, 0.2], [1.0, -1.2, 0.8]];

fn limits() -> Vec<Case> {
    let swing_twist = SwingTwist::at(O, X, Y).with_swing(0.9, 0.4).with_twist(-0.3, 0.6);
    let reach = ReachCone::regular(O, 0.9).with_center(X);
    let corners = vec![DVec3::new(1.0, 1.5, -1.0), DVec3::new(1.0, 0.3, 1.5), DVec3::new(1.0, -1.5, -1.0)];
    vec![
        case("twist_limit", "", TwistLimit::about(X, -0.5, 0.8), 0, |f| beyond(twist(f), -0.5, 0.8)).upright(2.0),
        case("angular_limit", "", AngularLimit::about(X, -0.5, 0.8), 5, |f| beyond(twist(f), -0.5, 0.8))
            .beside(Beside::Each, Hinge::at(O, X)),
        case("axis_limits", "", AxisLimits::between([-0.5, -0.6, -0.4], [0.8, 0.5, 0.6]), 0, |f| {
            let turn = relative(f).1;
            let turn = if turn.w < 0.0 { -turn } else { turn };
            let bounds = [(turn.x, -0.5, 0.8), (turn.y, -0.6, 0.5), (turn.z, -0.4, 0.6)];
            bounds.map(|(part, min, max)| beyond(2.0 * libm::asin(part), min, max)).into_iter().fold(0.0, f64::max)
        }),
        case("cone_limit", "", ConeLimit::around(X, 0.7), 0, |f| beyond(angle_between(axis(f), X), 0.0, 0.7)),
        case("cone_limit", "wide", ConeLimit::around(X, 2.5), 0, |f| beyond(angle_between(axis(f), X), 0.0, 2.5)),
        case("elliptic_cone_limit", "", EllipticConeLimit::around(X, Y, [0.9, 0.3]), 0, |f| {
            beyond_ellipse(axis(f), [0.9, 0.3])
        }),
        case("wedge_limit", "", WedgeLimit::about(Y, X, -0.5, 0.7), 0, |f| beyond_wedge(axis(f), -0.5, 0.7)),
        case("wedge_limit", "wide", WedgeLimit::about(Y, X, -2.0, 2.2), 0, |f| beyond_wedge(axis(f), -2.0, 2.2)),
        case("reach_cone", "regular", reach, 0, |f| beyond(angle_between(relative(f).1 * SECOND_CENTER, X), 0.0, 0.9)),
        case("reach_cone", "irregular", ReachCone::irregular(O, corners.clone()), 0, |f| {
            let corners = [DVec3::new(1.0, 1.5, -1.0), DVec3::new(1.0, 0.3, 1.5), DVec3::new(1.0, -1.5, -1.0)];
            let direction = relative(f).1 * SECOND_CENTER.normalize();
            let side = |k: usize| corners[k].cross(corners[(k + 1) % 3]).normalize().dot(direction);
            (-side(0).min(side(1)).min(side(2))).max(0.0)
        }),
        case("reach_cone", "notched", ReachCone::irregular(O, NOTCHED.map(DVec3::from).to_vec()), 0, |f| {
            let corners = NOTCHED.map(DVec3::from);
            let direction = relative(f).1 * SECOND_CENTER.normalize();
            let side = |k: usize| corners[k].cross(corners[(k + 1) % 4]).normalize().dot(direction);
            (-side(0).min(side(3)).min(side(1).max(side(2)))).max(0.0)
        }),
        case("swing_twist", "", swing_twist, 3, |f| {
            let limits = beyond_ellipse(axis(f), [0.9, 0.4]).max(beyond(twist(f), -0.3, 0.6));
            offset(f).length().max(limits)
        }),
    ]
    .into_iter()
    .map(Case::limited)
    .collect()
}

fn transmissions() -> Vec<Case> {
    let hinges = |case: Case, axes: [DVec3; 2]| {
        case.beside(Beside::WorldAndFirst, Hinge::at(CENTERS[0], axes[0]))
            .beside(Beside::WorldAndSecond, Hinge::at(CENTERS[1], axes[1]))
    };
    let gear = case("gear", "", Gear::with_axes(CENTERS, [Z, Z], [12, 30]), 11, |f| {
        let turn = |k: usize| 2.0 * libm::atan2(f[k].rotation.z, f[k].rotation.w);
        modulo(12.0 * turn(0) + 30.0 * turn(1), TAU) / 12.0
    });
    let rack = RackAndPinion::at(CENTERS[0], Z, CENTERS[0] - Y * RADIUS, X);
    let rack = case("rack_and_pinion", "", rack, 11, |f| {
        let turn = 2.0 * libm::atan2(f[0].rotation.z, f[0].rotation.w);
        modulo(f[1].translation.x - RADIUS * turn, TAU * RADIUS)
    });
    let pulley = Pulley::over(WHEELS, TIED).with_length(ROPE);
    vec![
        hinges(gear, [Z, Z]),
        rack.beside(Beside::WorldAndFirst, Hinge::at(CENTERS[0], Z))
            .beside(Beside::WorldAndSecond, Slider::at(CENTERS[1], X)),
        case("pulley", "", pulley, 0, |f| {
            let length = |k: usize| (f[k].point(TIED[k]) - WHEELS[k]).length();
            beyond(length(0) + length(1), 0.0, ROPE)
        })
        .limited(),
    ]
}
