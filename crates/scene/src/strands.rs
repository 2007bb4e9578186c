//! What is stretched between bodies, for pictures: rods and ropes of joints, springs.

use glam::DVec3;
use tumble_dynamics::constraint::JointView;
use tumble_dynamics::force::ForceContext;
use tumble_dynamics::model::JointEnd;
use tumble_dynamics::{Id, Model, State};

/// More springs than this would be a tangle as coils: they are drawn as lines.
const MOST_COILS: usize = 60;
/// How often a coil winds around its axis.
pub const TURNS: usize = 12;
/// The part of a coil at each end that is a straight wire along the axis.
pub const LEAD: f64 = 0.08;

/// What a piece looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrandKind {
    /// A straight wire.
    Wire,
    /// A coil.
    Coil,
}

/// A straight piece of something that is stretched between bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strand {
    /// What it looks like.
    pub kind: StrandKind,
    /// Where it ends, in world coordinates.
    pub ends: [DVec3; 2],
}

/// All pieces there are in a state of a model: of joints that are whole, and of forces between two points.
pub fn strands(model: &Model, state: &State) -> Vec<Strand> {
    let mut strands = Vec::new();
    let whole = |slot: usize| !state.broken.get(slot).is_some_and(|&broken| broken);
    for (id, joint) in model.joints().iter().filter(|(id, _)| whole(id.slot())) {
        let Some(views) = JointView::of(model, &state.bodies, &state.angles, id) else { continue };
        let line = joint.constraint.line(&views);
        strands.extend(line.windows(2).map(|ends| Strand { kind: StrandKind::Wire, ends: [ends[0], ends[1]] }));
    }
    let context = ForceContext { model, time: state.time, bodies: &state.bodies };
    let springs: Vec<[DVec3; 2]> = model.forces().iter().filter_map(|(_, force)| force.ends(&context)).collect();
    let kind = if springs.len() > MOST_COILS { StrandKind::Wire } else { StrandKind::Coil };
    strands.extend(springs.into_iter().map(|ends| Strand { kind, ends }));
    strands
}

/// More joints than this would be a tangle of dots: their pins are not shown.
const MOST_PINS: usize = 300;

/// Where a joint holds its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// The place, in world coordinates.
    pub at: DVec3,
    /// Whether it is fixed to the world or to a body that does not move.
    pub fixed: bool,
}

/// The pivots and anchors of all joints that are whole, each place of a joint once.
pub fn pins(model: &Model, state: &State) -> Vec<Pin> {
    let mut pins = Vec::new();
    let stands = |end: &JointEnd| match end {
        JointEnd::World => true,
        JointEnd::Body(id) => model.bodies().get(*id).is_some_and(|body| !body.kind.moves()),
    };
    let whole = |slot: usize| !state.broken.get(slot).is_some_and(|&broken| broken);
    if model.joints().len() > MOST_PINS {
        return pins;
    }
    for (id, joint) in model.joints().iter().filter(|(id, joint)| whole(id.slot()) && !joint.is_lock) {
        let Some(views) = JointView::of(model, &state.bodies, &state.angles, id) else { continue };
        let fixed = [stands(&joint.ends[0]), stands(&joint.ends[1])];
        let [first, second] = joint.constraint.anchors(&views.bodies);
        if first.distance(second) > 1e-3 * (first.length() + 1.0) {
            pins.extend([Pin { at: first, fixed: fixed[0] }, Pin { at: second, fixed: fixed[1] }]);
        } else {
            pins.push(Pin { at: second, fixed: fixed[0] || fixed[1] });
        }
    }
    pins
}

/// The corners of a coil of this radius: a wire along the axis, turns around it, and a wire again.
pub fn coil([from, to]: [DVec3; 2], radius: f64) -> Vec<DVec3> {
    const CORNERS: usize = 14;
    let along = to - from;
    let Some(direction) = along.try_normalize() else { return Vec::new() };
    let (u, v) = tumble_geometry::math::orthonormal_pair(direction);
    let mut corners = vec![from, from + along * LEAD];
    for corner in 0..=TURNS * CORNERS {
        let part = corner as f64 / (TURNS * CORNERS) as f64;
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * corner as f64 / CORNERS as f64);
        corners.push(from + along * (LEAD + (1.0 - 2.0 * LEAD) * part) + radius * (u * cos + v * sin));
    }
    corners.extend([to - along * LEAD, to]);
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loader;

    /// A spring goes with its bodies, and is gone with one of them; a rod is a straight wire.
    #[test]
    fn springs_are_coils_between_their_points() {
        let text = "title = 'x'\n[bodies.a]\nshape.sphere.radius = 0.1\nposition = [1, 2, 3]\n\
                    [bodies.b]\nshape.sphere.radius = 0.1\nposition = [1, 1, 3]\n\
                    [joints.spring]\nbetween = ['world', 'a']\nspring = { points = [[1, 4, 3], [1, 2.1, 3]], stiffness = 9 }\n\
                    [joints.rod]\nbetween = ['a', 'b']\ndistance = { anchors = [[1, 2, 3], [1, 1, 3]] }\n";
        let mut scene = Loader::new().load_text("x", text).unwrap();
        let wire = Strand { kind: StrandKind::Wire, ends: [DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 1.0, 3.0)] };
        let spring = Strand { kind: StrandKind::Coil, ends: [DVec3::new(1.0, 4.0, 3.0), DVec3::new(1.0, 2.1, 3.0)] };
        let world = &mut scene.world;
        assert_eq!(strands(world.model(), world.state()), [wire, spring]);
        world.remove_body(world.body_named("b").unwrap()).unwrap();
        assert_eq!(strands(world.model(), world.state()), [spring]);
        world.remove_body(world.body_named("a").unwrap()).unwrap();
        assert_eq!(strands(world.model(), world.state()), []);
    }

    /// A hinge on the world is one fixed pin, a rod has one at each end, and a locked axis none.
    #[test]
    fn pins_are_where_joints_hold() {
        let text = "title = 'x'\n[bodies.a]\nshape.sphere.radius = 0.1\nposition = [1, 2, 3]\nlocked = ['turn_x']\n\
                    [bodies.b]\nshape.sphere.radius = 0.1\nposition = [1, 1, 3]\n\
                    [joints.hinge]\nbetween = ['world', 'a']\nhinge = { anchor = [1, 4, 3], axis = [0, 0, 1] }\n\
                    [joints.rod]\nbetween = ['a', 'b']\ndistance = { anchors = [[1, 2, 3], [1, 1, 3]] }\n";
        let scene = Loader::new().load_text("x", text).unwrap_or_else(|report| panic!("{report}"));
        let pin = |y: f64, fixed| Pin { at: DVec3::new(1.0, y, 3.0), fixed };
        let wanted = [pin(4.0, true), pin(2.0, false), pin(1.0, false)];
        assert_eq!(pins(scene.world.model(), scene.world.state()), wanted);
    }

    #[test]
    fn a_coil_winds_around_its_axis_at_its_radius() {
        let (from, to) = (DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 3.0, 0.0));
        let corners = coil([from, to], 0.2);
        assert_eq!((corners[0], corners[corners.len() - 1]), (from, to));
        for corner in &corners[2..corners.len() - 2] {
            let away = DVec3::new(corner.x - 1.0, 0.0, corner.z).length();
            assert!((away - 0.2).abs() < 1e-12 && corner.y > 0.0 && corner.y < 3.0, "{corner}");
        }
        assert!(coil([from, from], 0.2).is_empty());
    }
}
