//! A force as a plug-in for tumble: a wind that blows harder the higher it is.

/// What it is, for tumble: a custom section of the module.
#[used]
#[cfg_attr(target_family = "wasm", unsafe(link_section = "tumble"))]
static DESCRIPTION: [u8; TEXT.len()] = *TEXT;

const TEXT: &[u8; 312] = b"version = 1
kind = 'force'
name = 'wind_profile'
description = 'A wind along x that blows harder the higher it is.'
[[properties]]
name = 'shear'
unit = '1/s'
default = 2.0
description = 'Speed per height.'
[[properties]]
name = 'drag'
unit = 'N s/m'
default = 0.5
minimum = 0.0
description = 'Force per speed.'
";

/// A body as tumble shows it.
#[repr(C)]
pub struct Body {
    pub mass: f64,
    pub position: [f64; 3],
    pub rotation: [f64; 4],
    pub velocity: [f64; 3],
    pub angular_velocity: [f64; 3],
    pub moments: [f64; 3],
    pub axes: [f64; 4],
}

/// A force and a torque about the centre of mass.
#[repr(C)]
#[derive(Default)]
pub struct Wrench {
    pub force: [f64; 3],
    pub torque: [f64; 3],
}

/// The force on one body: `drag · (wind − v)`.
pub fn wind(shear: f64, drag: f64, body: &Body) -> Wrench {
    let [_, y, _] = body.position;
    let [vx, vy, vz] = body.velocity;
    Wrench { force: [drag * (shear * y - vx), -drag * vy, -drag * vz], ..Wrench::default() }
}

/// What tumble calls.
///
/// # Safety
/// `properties` points to two numbers, `bodies` and `out` to `count` bodies and wrenches; tumble sees to that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn force(properties: *const f64, _time: f64, count: u32, bodies: *const Body, out: *mut Wrench) {
    let (properties, bodies, out) = unsafe {
        (
            core::slice::from_raw_parts(properties, 2),
            core::slice::from_raw_parts(bodies, count as usize),
            core::slice::from_raw_parts_mut(out, count as usize),
        )
    };
    for (body, out) in bodies.iter().zip(out) {
        *out = wind(properties[0], properties[1], body);
    }
}
