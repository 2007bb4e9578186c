//! Examples for the reference of scene files: a line or two for every kind whose keys are more than a few numbers. A test loads them all.

/// By section, the kinds and what is written after them.
type Examples = (&'static str, &'static [(&'static str, &'static str)]);

const EXAMPLES: [Examples; 4] = [
    (
        "Shapes",
        &[
            ("height_field", "{ heights = [[0, 1, 0], [1, 2, 1]], spacing = [0.5, 0.5] }"),
            ("hull", "{ points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }"),
            ("mesh", "{ spiral = { turns = 2, radius = [1, 3] } }"),
            (
                "compound",
                "{ parts = [{ shape.sphere.radius = 1 }, { shape.box.size = [3, 1, 1], position = [1, 0, 0] }] }",
            ),
        ],
    ),
    (
        "Joints and limits",
        &[
            ("angular_limit", "{ axis = [0, 0, 1], pointer = [1, 0, 0], min_deg = -30, max_deg = 90 }"),
            ("axis_limits", "{ min_deg = [-20, -60, -10], max_deg = [20, 60, 45] }"),
            ("ball", "{ anchor = [1, 0.5, 0] }"),
            ("cone_limit", "{ axis = [0, -1, 0], angle_deg = 30 }"),
            ("constant_velocity", "{ anchor = [1, 0.5, 0], axis = [1, 0, 0] }"),
            ("cylindrical", "{ anchor = [1, 0, 0], slide = { min = -0.2, max = 0.5 }, turn.friction = 0.1 }"),
            ("discrepancy", "{ pairs = [{ point = [1, 0, 0] }, { point = [1, 1, 0] }] }"),
            ("discrepancy_motor", "{ points = [[0, 0, 0], [0, 0, 1]], speed = 3 }"),
            ("distance", "{ anchors = [[0, 0, 0], [2, 1, 1]], min = 0, max = 3 }"),
            ("elliptic_cone_limit", "{ axis = [0, -1, 0], towards = [1, 0, 0], angles_deg = [60, 20] }"),
            ("gear", "{ centers = [[0, 0, 0], [3, 0, 0]], teeth = [20, 40] }"),
            (
                "hinge",
                "{ anchor = [1, 0, 0], axis = [0, 1, 0], turn = { min_deg = 0, max_deg = 110, friction = 0.5 } }",
            ),
            ("joystick", "{ axis = [0, 1, 0], min = -0.5, max = 0.5 }"),
            ("lines", "{ points = [[0, 0, 0], [0, 0, 0]], directions = [[1, 0, 0], [0, 0, 1]] }"),
            ("nail", "{ point = [1, 0, 0] }"),
            ("on_plane", "{ point = [2, 1, 1], normal = [0, 1, 0], one_sided = true }"),
            ("orientation_lock", "{ softness = { frequency = 5, damping_ratio = 1 } }"),
            ("planar", "{ anchor = [2, 1, 1], normal = [0, 1, 0] }"),
            ("pulley", "{ wheels = [[0, 3, 0], [2, 3, 1]], points = [[0, 0, 0], [2, 1, 1]], ratio = 2 }"),
            ("rack_and_pinion", "{ center = [0, 0, 0], point = [0, -0.1, 0], direction = [1, 0, 0] }"),
            ("reach_cone", "{ corners = [[1, 1, 0], [1, 0, 1], [1, -1, 0], [1, 0, -1]] }"),
            ("screw", "{ anchor = [1, 0, 0], pitch = 0.02, turn.motor = { speed = 3, max_force = 10 } }"),
            ("six_axes", "{ anchor = [1, 0, 0], slide = [{}, { min = 0, max = 0 }, { min = -0.1, max = 0.1 }] }"),
            (
                "slider",
                "{ axis = [1, 0, 0], slide = { min = -0.5, max = 0.5, motor = { speed = 0.2, max_force = 100 } } }",
            ),
            ("spring", "{ points = [[0, 0, 0], [2, 1, 1]], stiffness = 500, damping = 5 }"),
            ("study_cross_hinge", "{ anchor = [1, 0, 0], axis = [0, 1, 0] }"),
            ("study_cross_matrix_hinge", "{ anchor = [1, 0, 0], axis = [0, 1, 0] }"),
            ("swing_twist", "{ axis = [0, -1, 0], towards = [1, 0, 0], swing_deg = [80, 40], twist_deg = [-30, 30] }"),
            ("twist_limit", "{ axis = [1, 0, 0], min_deg = -30, max_deg = 60 }"),
            ("universal", "{ anchor = [1, 0, 0], first_arm = [0, 0, 1], second_arm = [0, 1, 0] }"),
            ("wedge_limit", "{ axis = [1, 0, 0], edge = [0, 1, 0], min_deg = -25, max_deg = 25 }"),
            ("weld", "{ anchor = [1, 0, 0] }"),
            ("wheel", "{ anchor = [2, 1, 1], travel.drive.spring = { frequency = 1.5, damping_ratio = 0.4 } }"),
        ],
    ),
    (
        "Forces",
        &[
            ("aerodynamic", "{ wind = [5, 0, 0], skin = 0.005 }"),
            ("buoyancy", "{ level = 0.5, quadratic_drag = 1 }"),
            ("central_gravity", "{ center = [0, 0, 0], parameter = 10 }"),
            ("coulomb", "{ charges = { a = 1e-5, b = -1e-5 } }"),
            ("drag", "{ wind = [5, 0, 0], quadratic = 0.6, on = { named = \"a\" } }"),
            ("gravitation", "{ constant = 1, softening = 0.01 }"),
            ("gravity", "{ acceleration = [0, -1.62, 0] }"),
            ("point", "{ force = [0, 50, 0], point = [0.1, 0, 0], axes = \"body\", on = { named = \"a\" } }"),
            ("spring", "{ ends = [{ named = \"a\" }, \"world\"], points = [[0, 0, 0], [0, 2, 0]], stiffness = 500 }"),
            ("timed", "{ force = [0, 100, 0], times = [0, 1, 2], values = [0, 1, 0] }"),
            ("vortex", "{ pull = 2, swirl = 1, lift = 3, radius = 5 }"),
        ],
    ),
    (
        "Methods",
        &[
            ("accurate", "tolerance = 1e-10"),
            ("advancing", "most_contacts = 5000"),
            ("impact", "rounds = 400"),
            ("penalty", "sink = 0.005"),
            ("realtime", "time_to_sleep = \"never\""),
            ("retroactive", "integrator = \"runge_kutta_4\""),
            ("verlet", "iterations = 20"),
        ],
    ),
];

/// What is written after a kind of a section; none if its keys say enough.
pub(super) fn of(section: &str, kind: &str) -> Option<&'static str> {
    let (_, kinds) = EXAMPLES.iter().find(|(name, _)| *name == section)?;
    kinds.iter().find(|(name, _)| *name == kind).map(|(_, written)| *written)
}
