//! Every joint and limit of the catalogue tells what it exerts, and breaks by force, torque or error when it should.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod catalogue;

use catalogue::rig::{DT, Rig};
use catalogue::{Case, cases};
use glam::DVec3;
use tumble_dynamics::geometry::Transform;
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::model::Breaking;

/// Shakes a joint for some seconds; whether it broke, and how many events told so. Once broken it exerts nothing.
fn breaks(case: &Case, breaking: Breaking) -> bool {
    let mut rig = Rig::new(case, false, breaking);
    let mut events = 0;
    rig.shake(case, 4.0, |rig| {
        events += rig.world.events().broken.iter().filter(|event| event.joint == rig.joint).count();
        assert!(!rig.world.joint(rig.joint).unwrap().is_broken() || rig.effort() == [0.0; 2], "{}", case.name);
    });
    let broken = rig.world.joint(rig.joint).unwrap().is_broken();
    assert_eq!(events, usize::from(broken), "{} {}", case.name, case.kind);
    broken
}

#[test]
fn every_joint_breaks_by_the_force_or_torque_it_exerts() {
    for case in cases() {
        let mut most = [0.0_f64; 2];
        Rig::new(&case, false, Breaking::default()).shake(&case, 4.0, |rig| {
            most = [0, 1].map(|k| most[k].max(rig.effort()[k]));
        });
        let [force, torque] = most;
        assert!(force > 1.0 || torque > 1.0, "{} {} exerts nothing", case.name, case.kind);
        for factor in [0.999, 1.001] {
            // What exerts forces only, or torques only, cannot break by the other.
            let by_force = Breaking { force: factor * force.max(1e-3), ..Breaking::default() };
            let by_torque = Breaking { torque: factor * torque.max(1e-3), ..Breaking::default() };
            let name = format!("{} {} at {factor} of {force} N, {torque} N m", case.name, case.kind);
            assert_eq!(breaks(&case, by_force), factor < 1.0 && force > 1e-3, "{name}, by force");
            assert_eq!(breaks(&case, by_torque), factor < 1.0 && torque > 1e-3, "{name}, by torque");
        }
    }
}

/// A joint whose bodies were put where it cannot hold them breaks by its error, and not if it may be open as far.
#[test]
fn every_joint_breaks_by_its_error() {
    for case in cases() {
        for (error, breaks) in [(0.01, true), (100.0, false)] {
            let mut rig = Rig::new(&case, false, Breaking { error, ..Breaking::default() });
            let id = rig.bodies[1];
            let Transform { rotation, translation } = rig.world.body(id).unwrap().pose();
            // Some pose that the joint forbids.
            let mut random = fastrand::Rng::with_seed(1);
            let mut vector = |size: f64| DVec3::from_array([0; 3].map(|_| (2.0 * random.f64() - 1.0) * size));
            let mut open = 0.0;
            for _ in 0..100 {
                let turn = rotation_from_vector(vector(3.0));
                let pose = Transform::new(turn * rotation, translation + vector(1.0));
                rig.world.body_mut(id).unwrap().set_pose(pose).unwrap();
                open = rig.world.joint(rig.joint).unwrap().error();
                if open > 0.1 {
                    break;
                }
            }
            assert!(open > 0.1, "{} {} forbids nothing", case.name, case.kind);
            rig.world.step(DT).unwrap();
            let events = rig.world.events().broken.len();
            assert_eq!(
                (rig.world.joint(rig.joint).unwrap().is_broken(), events),
                (breaks, usize::from(breaks)),
                "{} {}, open by {open}",
                case.name,
                case.kind
            );
        }
    }
}

/// Newton's second law for a body on the world: what changes its momentum is what was applied and what the joint says it exerts.
#[test]
fn every_joint_tells_the_force_that_moves_the_body() {
    for case in cases().iter().filter(|case| !case.needs_two_bodies() && case.beside.is_empty()) {
        let mut rig = Rig::new(case, true, Breaking::default());
        for step in 0..240 {
            let force = DVec3::new(40.0, -30.0, 20.0) * libm::sin(0.1 * f64::from(step));
            let mut body = rig.world.body_mut(rig.bodies[0]).unwrap();
            let before = body.read().velocity();
            body.apply_force(force).unwrap();
            rig.world.step(DT).unwrap();
            let (body, reaction) =
                (rig.world.body(rig.bodies[0]).unwrap(), rig.world.joint(rig.joint).unwrap().reaction());
            let change = (body.velocity() - before) * body.mass() / DT;
            let missing = change - force - reaction.force;
            assert!(
                missing.length() < 1e-6 * (1.0 + reaction.force.length()),
                "{} {}: {missing}",
                case.name,
                case.kind
            );
        }
    }
}
