//! A joint that can be recognised gives the numbers of its rows: c and J are written here once more from these numbers alone, by
//! hand, and are those that the joint writes.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod moving;

use glam::{DQuat, DVec3};
use moving::{Moving, random_vector};
use std::f64::consts::TAU;
use tumble_dynamics::constraint::limit::{AxisLimits, ConeLimit, TwistLimit};
use tumble_dynamics::constraint::{
    Attach, Ball, BodyView, ConstantVelocity, Cylindrical, Distance, Drive, Freedom, Hinge, HingeForm, Jacobian,
    JointForm, JointFrame, JointView, Limit, Nail, OnPlane, OrientationLock, Planar, Row, Slider, Softness, Universal,
    Weld, WeldForm, Wheel,
};

const X: DVec3 = DVec3::X;
const Y: DVec3 = DVec3::Y;
const Z: DVec3 = DVec3::Z;

/// A value and its gradient.
#[derive(Clone, Copy)]
struct Value(f64, Jacobian);

impl Value {
    fn scaled(self, factor: f64) -> Self {
        let Jacobian { linear, angular } = self.1;
        let jacobian = Jacobian { linear: linear.map(|v| v * factor), angular: angular.map(|v| v * factor) };
        Self(self.0 * factor, jacobian)
    }

    fn plus(self, constant: f64) -> Self {
        Self(self.0 + constant, self.1)
    }

    /// The angle of the point (cos, sin): dφ = (cos d sin − sin d cos)/r².
    fn angle(sin: Self, cos: Self) -> Self {
        let square = sin.0 * sin.0 + cos.0 * cos.0;
        let (a, b) = (sin.scaled(cos.0 / square).1, cos.scaled(-sin.0 / square).1);
        let sum = |a: [DVec3; 2], b: [DVec3; 2]| [a[0] + b[0], a[1] + b[1]];
        let jacobian = Jacobian { linear: sum(a.linear, b.linear), angular: sum(a.angular, b.angular) };
        Self(libm::atan2(sin.0, cos.0), jacobian)
    }

    /// On the turn that is nearest to a known angle.
    fn counted(self, known: f64) -> Self {
        self.plus(TAU * ((known - self.0) / TAU).round())
    }
}

/// The two bodies, and a frame on them.
struct Kernel<'a> {
    bodies: &'a [BodyView; 2],
    anchors: [DVec3; 2],
    rotations: [DQuat; 2],
}

impl<'a> Kernel<'a> {
    fn new(bodies: &'a [BodyView; 2], frame: &JointFrame) -> Self {
        Self { bodies, anchors: frame.anchors, rotations: frame.rotations }
    }

    fn at(bodies: &'a [BodyView; 2], anchors: [DVec3; 2]) -> Self {
        Self { bodies, anchors, rotations: [DQuat::IDENTITY; 2] }
    }

    /// The same with the anchors at another place of the frame.
    fn moved(&self, place: DVec3) -> Self {
        let anchors = [0, 1].map(|k| self.anchors[k] + self.rotations[k] * place);
        Self { bodies: self.bodies, anchors, rotations: self.rotations }
    }

    /// The levers from the centres of mass, and d.
    fn levers(&self) -> ([DVec3; 2], DVec3) {
        let points = [0, 1].map(|k| self.bodies[k].pose.point(self.anchors[k]));
        ([0, 1].map(|k| points[k] - self.bodies[k].center), points[1] - points[0])
    }

    /// An axis of a copy, in world coordinates.
    fn axis(&self, body: usize, axis: DVec3) -> DVec3 {
        self.bodies[body].pose.rotation * (self.rotations[body] * axis)
    }

    /// d along a direction of the world: ċ = e·(v₂ + ω₂×r₂ − v₁ − ω₁×r₁).
    fn along_world(&self, e: DVec3) -> Value {
        let ([r1, r2], d) = self.levers();
        Value(d.dot(e), Jacobian { linear: [-e, e], angular: [-r1.cross(e), r2.cross(e)] })
    }

    /// d along an axis of the first body, which turns with it: ċ has also d·(ω₁×a).
    fn along_first(&self, axis: DVec3) -> Value {
        let a = self.axis(0, axis);
        let ([r1, r2], d) = self.levers();
        Value(d.dot(a), Jacobian { linear: [-a, a], angular: [-(r1 + d).cross(a), r2.cross(a)] })
    }

    /// The length of d: along its own direction, which makes no difference where it is stationary.
    fn distance(&self) -> Value {
        let (_, d) = self.levers();
        let Value(length, jacobian) = self.along_world(d.normalize());
        Value(length, jacobian)
    }

    /// An axis of the first times one of the second: ċ = (ω₁×a)·b + a·(ω₂×b).
    fn dot(&self, first: DVec3, second: DVec3) -> Value {
        let (a, b) = (self.axis(0, first), self.axis(1, second));
        Value(a.dot(b), Jacobian { linear: [DVec3::ZERO; 2], angular: [a.cross(b), b.cross(a)] })
    }

    /// q and the rotation of the first copy.
    fn quaternion(&self) -> (DQuat, DQuat) {
        let [first, second] = [0, 1].map(|k| self.bodies[k].pose.rotation * self.rotations[k]);
        (first.conjugate() * second, first)
    }

    /// An imaginary part of q: q̇ = ½(w q_w + w×q_v) with w the relative angular velocity seen from the first copy.
    fn imaginary(&self, axis: DVec3) -> Value {
        let (q, first) = self.quaternion();
        let gradient = first * (0.5 * (q.w * axis + q.xyz().cross(axis)));
        let jacobian = Jacobian { linear: [DVec3::ZERO; 2], angular: [-gradient, gradient] };
        Value(q.xyz().dot(axis), jacobian)
    }

    /// The real part: q̇_w = −½ w·q_v.
    fn real(&self) -> Value {
        let (q, first) = self.quaternion();
        let gradient = first * (-0.5 * q.xyz());
        Value(q.w, Jacobian { linear: [DVec3::ZERO; 2], angular: [-gradient, gradient] })
    }

    fn turn(&self) -> Value {
        Value::angle(self.dot(Z, Y), self.dot(Y, Y))
    }
}

fn row(value: Value, limit: Limit, softness: Softness) -> Row {
    Row { jacobian: value.1, error: value.0, limit, softness, ..Row::default() }
}

fn held(softness: Softness, values: impl IntoIterator<Item = Value>) -> Vec<Row> {
    values.into_iter().map(|value| row(value, Limit::Equality, softness)).collect()
}

/// What acts on a free coordinate.
fn acting(freedom: &Freedom, q: Value) -> Vec<Row> {
    let mut rows = Vec::new();
    let bounded = |most: Option<f64>| {
        let max = most.unwrap_or(f64::INFINITY);
        Limit::Force { min: -max, max }
    };
    let limit =
        |value: Value| Row { restitution: freedom.restitution, ..row(value, Limit::AtLeastZero, Softness::Rigid) };
    if let Some(locked) = freedom.min.filter(|&min| freedom.max == Some(min)) {
        rows.push(row(q.plus(-locked), Limit::Equality, Softness::Rigid));
    } else {
        rows.extend(freedom.min.map(|min| limit(q.plus(-min))));
        rows.extend(freedom.max.map(|max| limit(q.scaled(-1.0).plus(max))));
    }
    if let Some(motor) = freedom.motor {
        rows.push(Row { target_rate: motor.speed, ..row(q, bounded(motor.max_force), Softness::Rigid) });
    }
    if let Some(drive) = freedom.drive {
        rows.push(row(q.plus(-drive.target), bounded(drive.max_force), drive.spring));
    }
    if freedom.friction > 0.0 {
        rows.push(row(q, bounded(Some(freedom.friction)), Softness::Rigid));
    }
    rows
}

/// The rows of a form, from its numbers alone.
fn kernel_rows(form: &JointForm, joint: &JointView) -> Option<Vec<Row>> {
    let at = |frame: &JointFrame| Kernel::new(&joint.bodies, frame);
    let point = |kernel: &Kernel<'_>| [X, Y, Z].map(|e| kernel.along_world(e));
    let twice = |kernel: &Kernel<'_>, axis: DVec3| kernel.imaginary(axis).scaled(2.0);
    Some(match *form {
        JointForm::Generic => return None,
        JointForm::Ball { anchors, softness } => held(softness, point(&Kernel::at(&joint.bodies, anchors))),
        JointForm::Hinge { frame, form, turn, softness } => {
            let kernel = at(&frame);
            let along = match form {
                HingeForm::DotProduct => [kernel.dot(Y, X), kernel.dot(Z, X)],
                HingeForm::TwoPositions => [Y, Z].map(|axis| kernel.moved(X).along_first(axis)),
                HingeForm::Quaternion => [Y, Z].map(|axis| twice(&kernel, axis)),
                HingeForm::TwoJoysticks => [Y, Z].map(|axis| twice(&kernel, axis).scaled(-1.0)),
            };
            let mut rows = held(softness, point(&kernel).into_iter().chain(along));
            rows.extend(acting(&turn, kernel.turn().counted(joint.angle)));
            rows
        }
        JointForm::Slider { frame, slide, softness } => {
            let kernel = at(&frame);
            let across = [Y, Z].map(|axis| kernel.along_first(axis));
            let mut rows = held(softness, across.into_iter().chain([X, Y, Z].map(|axis| twice(&kernel, axis))));
            rows.extend(acting(&slide, kernel.along_first(X)));
            rows
        }
        JointForm::Weld { frame, form, softness } => {
            let kernel = at(&frame);
            let rest = match form {
                WeldForm::Orientation => [X, Y, Z].map(|axis| twice(&kernel, axis)),
                WeldForm::ThreePoints => {
                    let [x, y] = [kernel.moved(X), kernel.moved(Y)];
                    [x.along_first(Y), x.along_first(Z), y.along_first(Z)]
                }
            };
            held(softness, point(&kernel).into_iter().chain(rest))
        }
        JointForm::Distance { anchors, min, max, softness } => {
            let length = Kernel::at(&joint.bodies, anchors).distance();
            let limit = |value: Value| row(value, Limit::AtLeastZero, softness);
            match (min, max) {
                (min, max) if min == max => held(softness, [length.plus(-min)]),
                (0.0, max) => vec![limit(length.scaled(-1.0).plus(max))],
                (min, max) => vec![limit(length.plus(-min)), limit(length.scaled(-1.0).plus(max))],
            }
        }
        JointForm::Universal { frame, softness } => {
            let kernel = at(&frame);
            held(softness, point(&kernel).into_iter().chain([kernel.dot(X, Y)]))
        }
        JointForm::ConstantVelocity { frame, softness } => {
            let kernel = at(&frame);
            held(softness, point(&kernel).into_iter().chain([twice(&kernel, X)]))
        }
        JointForm::Cylindrical { frame, slide, turn, softness } => {
            let kernel = at(&frame);
            let [y, z] = [Y, Z].map(|axis| kernel.along_first(axis));
            let mut rows = held(softness, [y, z, kernel.dot(Y, X), kernel.dot(Z, X)]);
            rows.extend(acting(&slide, kernel.along_first(X)));
            rows.extend(acting(&turn, kernel.turn().counted(joint.angle)));
            rows
        }
        JointForm::Planar { frame, softness } => {
            let kernel = at(&frame);
            held(softness, [kernel.along_first(X), kernel.dot(Y, X), kernel.dot(Z, X)])
        }
        JointForm::OnPlane { frame, one_sided, softness } => {
            let limit = if one_sided { Limit::AtLeastZero } else { Limit::Equality };
            vec![row(at(&frame).along_first(X), limit, softness)]
        }
        JointForm::OrientationLock { frame, softness } => {
            let kernel = at(&frame);
            held(softness, [X, Y, Z].map(|axis| twice(&kernel, axis)))
        }
        JointForm::Wheel { frame, travel, steering, spin, softness } => {
            let kernel = at(&frame);
            let mut rows = held(softness, [kernel.along_first(Y), kernel.along_first(Z), kernel.dot(X, Y)]);
            rows.extend(acting(&travel, kernel.along_first(X)));
            rows.extend(acting(&steering, kernel.turn()));
            rows.extend(acting(&spin, Value::angle(kernel.dot(X, Z), kernel.dot(X, X)).counted(joint.angle)));
            rows
        }
        JointForm::TwistLimit { frame, interval: [min, max], stop } => {
            let kernel = at(&frame);
            let twist = Value::angle(kernel.imaginary(X), kernel.real()).scaled(2.0).counted(joint.angle);
            let limit = |value| Row { restitution: stop.restitution, ..row(value, Limit::AtLeastZero, stop.softness) };
            vec![limit(twist.plus(-min)), limit(twist.scaled(-1.0).plus(max))]
        }
        JointForm::AxisLimits { frame, min, max, stop } => {
            let kernel = at(&frame);
            let side = 1.0_f64.copysign(kernel.real().0);
            let limit = |value| Row { restitution: stop.restitution, ..row(value, Limit::AtLeastZero, stop.softness) };
            let bounds = |k: usize, axis: DVec3| {
                let part = twice(&kernel, axis).scaled(side);
                match min[k] == max[k] {
                    true => vec![row(part.plus(-2.0 * min[k]), Limit::Equality, stop.softness)],
                    false => vec![limit(part.plus(-2.0 * min[k])), limit(part.scaled(-1.0).plus(2.0 * max[k]))],
                }
            };
            [bounds(0, X), bounds(1, Y), bounds(2, Z)].concat()
        }
    })
}

fn check(name: &str, make: impl Fn(&mut fastrand::Rng) -> Box<dyn Attach>) {
    let mut random = fastrand::Rng::with_seed(23);
    for case in 0..300 {
        let made = [Moving::random(&mut random), Moving::random(&mut random)].map(|body| body.at(0.0));
        let constraint = make(&mut random).attach(&made).unwrap();
        let bodies = [Moving::random(&mut random), Moving::random(&mut random)].map(|body| body.at(0.0));
        let joint = JointView { bodies, angle: 20.0 * (random.f64() - 0.5) };
        let mut rows = Vec::new();
        constraint.rows(&joint, &mut rows);
        let expected = kernel_rows(&constraint.form(), &joint).expect(name);
        assert_eq!(rows.len(), expected.len(), "{name}");
        for (index, (row, expected)) in rows.iter().zip(&expected).enumerate() {
            let what = format!("{name}, case {case}, row {index}");
            assert_eq!((row.limit, row.softness), (expected.limit, expected.softness), "{what}");
            assert_eq!((row.target_rate, row.restitution), (expected.target_rate, expected.restitution), "{what}");
            // An angle has a gradient as long as its axes are close to parallel.
            let scale = 1.0 + row.jacobian.angular[1].length();
            assert!((row.error - expected.error).abs() < 1e-12 * scale, "{what}: c {} {}", row.error, expected.error);
            for k in 0..2 {
                let off = row.jacobian.linear[k] - expected.jacobian.linear[k];
                let turned = row.jacobian.angular[k] - expected.jacobian.angular[k];
                assert!(off.length().max(turned.length()) < 1e-12 * scale * scale, "{what}: J off by {off}, {turned}");
            }
        }
    }
}

/// A softness, limits and what drives, of some kind.
fn softness(random: &mut fastrand::Rng) -> Softness {
    let kinds = [
        Softness::Rigid,
        Softness::Baumgarte { beta: 0.3 },
        Softness::Stiffness { stiffness: 30.0, damping: 2.0 },
        Softness::Spring { frequency: 3.0, damping_ratio: 0.5 },
    ];
    kinds[random.usize(0..4)]
}

fn freedom(random: &mut fastrand::Rng) -> Freedom {
    let mut freedom = Freedom { restitution: random.f64(), ..Freedom::FREE };
    freedom.min = random.bool().then(|| -random.f64());
    freedom.max = random.bool().then(|| random.f64());
    if random.u32(0..5) == 0 {
        freedom.max = freedom.min;
    }
    if random.bool() {
        freedom = freedom.with_motor(random.f64(), 3.0);
    }
    if random.bool() {
        freedom = freedom.with_drive(Drive { target: random.f64(), ..Drive::default() });
    }
    freedom.with_friction(if random.bool() { random.f64() } else { 0.0 })
}

#[test]
fn kernels_of_points_write_the_rows_of_their_joints() {
    check("ball", |random| Box::new(Ball { softness: softness(random), ..Ball::at(random_vector(random)) }));
    check("nail", |random| Box::new(Nail { softness: softness(random), ..Nail::at(random_vector(random)) }));
    check("on_plane", |random| {
        let joint = OnPlane::at(random_vector(random), random_vector(random));
        Box::new(OnPlane { one_sided: random.bool(), softness: softness(random), ..joint })
    });
    check("distance", |random| {
        let rod = Distance::rod(random_vector(random), random_vector(random)).with_softness(softness(random));
        let (min, max) = ([0.0, 0.5][random.usize(0..2)], 1.0 + random.f64());
        Box::new(if random.bool() { rod } else { rod.between(min, max) })
    });
}

#[test]
fn kernels_of_axes_write_the_rows_of_their_joints() {
    for form in [HingeForm::DotProduct, HingeForm::TwoPositions, HingeForm::Quaternion, HingeForm::TwoJoysticks] {
        check("hinge", |random| {
            let hinge = Hinge::at(random_vector(random), random_vector(random)).with_form(form);
            Box::new(Hinge { turn: freedom(random), softness: softness(random), ..hinge })
        });
    }
    for form in [WeldForm::Orientation, WeldForm::ThreePoints] {
        check("weld", |random| Box::new(Weld { form, softness: softness(random), ..Weld::at(random_vector(random)) }));
    }
    check("slider", |random| {
        let slider = Slider::at(random_vector(random), random_vector(random));
        Box::new(Slider { slide: freedom(random), softness: softness(random), ..slider })
    });
    check("cylindrical", |random| {
        let joint = Cylindrical::at(random_vector(random), random_vector(random));
        Box::new(Cylindrical { slide: freedom(random), turn: freedom(random), softness: softness(random), ..joint })
    });
    check("planar", |random| {
        let joint = Planar::at(random_vector(random), random_vector(random));
        Box::new(Planar { softness: softness(random), ..joint })
    });
    check("universal", |random| {
        let arm = random_vector(random);
        let joint = Universal::at(random_vector(random), arm, arm.any_orthogonal_vector());
        Box::new(Universal { softness: softness(random), ..joint })
    });
    check("constant_velocity", |random| {
        let joint = ConstantVelocity::at(random_vector(random), random_vector(random));
        Box::new(ConstantVelocity { softness: softness(random), ..joint })
    });
    check("orientation_lock", |random| Box::new(OrientationLock { softness: softness(random) }));
}

#[test]
fn kernels_of_wheels_and_twists_write_the_rows_of_their_joints() {
    check("wheel", |random| {
        let wheel = Wheel::at(random_vector(random), random_vector(random), random_vector(random));
        let wheel = wheel.with_travel(freedom(random)).with_steering(freedom(random)).with_spin(freedom(random));
        Box::new(Wheel { softness: softness(random), ..wheel })
    });
    check("twist_limit", |random| {
        Box::new(TwistLimit::about(random_vector(random), -random.f64(), 1.0 + random.f64()))
    });
    check("axis_limits", |random| {
        let mut angles = || [0; 3].map(|_| if random.bool() { 0.0 } else { random.f64() });
        let (below, above) = (angles(), angles());
        Box::new(AxisLimits::between(below.map(|angle| -angle), above))
    });
}

#[test]
fn others_are_generic() {
    let cone = ConeLimit::around(X, 0.5).attach(&[BodyView::WORLD; 2]).unwrap();
    assert_eq!(cone.form(), JointForm::Generic);
}
