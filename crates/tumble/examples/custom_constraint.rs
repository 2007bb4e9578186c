//! A constraint of your own: a bead on a wire in the shape of a sine.
//!
//! The bead's centre x must satisfy c(x) = y − A sin(k x) = 0 and z = 0. With n = ∇c = (−A k cos kx, 1, 0):
//! J = n for the bead, and J̇ẋ = A k² sin(kx) ẋ².

use std::sync::Arc;
use tumble::dynamics::constraint::{BodyView, Jacobian, JointView, Row};
use tumble::prelude::*;

/// The wire y = A sin(k x).
#[derive(Clone, Copy, Debug)]
struct SineWire {
    amplitude: f64,
    wave_number: f64,
}

impl SineWire {
    /// The height of the wire and its slope at `x`.
    fn at(&self, x: f64) -> (f64, f64) {
        // Through libm instead of the platform's functions, so that every machine computes the same.
        let (sin, cos) = libm::sincos(self.wave_number * x);
        (self.amplitude * sin, self.amplitude * self.wave_number * cos)
    }

    fn row(direction: DVec3, error: f64, jdot_v: f64) -> Row {
        // The bead is the first body; the world does not move.
        let jacobian = Jacobian { linear: [direction, DVec3::ZERO], angular: [DVec3::ZERO; 2] };
        Row { jacobian, error, jdot_v, ..Row::default() }
    }
}

impl Constraint for SineWire {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let (position, velocity) = (bodies[0].center, bodies[0].velocity);
        let (height, slope) = self.at(position.x);
        let curvature = self.wave_number * self.wave_number * height;
        let normal = DVec3::new(-slope, 1.0, 0.0);
        rows.push(Self::row(normal, position.y - height, curvature * velocity.x * velocity.x));
        rows.push(Self::row(DVec3::Z, position.z, 0.0));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[0].center; 2]
    }
}

impl Attach for SineWire {
    fn attach(&self, _bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        Ok(Arc::new(*self))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wire = SineWire { amplitude: 0.5, wave_number: 2.0 };
    let mut world = World::new();
    // Released on the slope just below the crest at x = π/4.
    let x = std::f64::consts::FRAC_PI_4 + 0.1;
    let (y, _) = wire.at(x);
    let bead = world.add_body(Body::particle(0.1).at([x, y, 0.0]).without_sleep())?;
    world.add_joint(Joint::new(bead, JointEnd::World, wire))?;
    let start = world.energy().total();
    for tenth in 1..=20 {
        while world.time() < 0.1 * f64::from(tenth) {
            world.step(1.0 / 1000.0)?;
        }
        let p = world.body(bead)?.position();
        let off = p.y - wire.at(p.x).0;
        println!(
            "{:4.1} s  x {:6.3}  off the wire by {off:+.1e} m  energy {:+.1e} J",
            world.time(),
            p.x,
            world.energy().total() - start
        );
    }
    Ok(())
}
