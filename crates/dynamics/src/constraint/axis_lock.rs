//! Axis lock: a body does not move along some axes of the world and does not turn about some (see [`Locks`]).
//!
//! ```text
//! ċ = e·v₂ = 0   or   ċ = e·ω₂ = 0,   with e along x, y or z
//! ```
//!
//! The directions never change, so what holds for the velocities holds for the place, and there is no error to measure: the lock
//! has no memory of a place and a body that is put elsewhere is locked there.

use super::{Attach, BodyView, Constraint, Jacobian, JointView, Row};
use crate::error::ModelError;
use crate::model::Locks;
use glam::DVec3;
use std::sync::Arc;

/// Locks the second body of a joint, whose first end is the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisLock(pub(crate) Locks);

impl Attach for AxisLock {
    fn attach(&self, _bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        Ok(Arc::new(*self))
    }
}

impl Constraint for AxisLock {
    fn rows(&self, _bodies: &JointView, rows: &mut Vec<Row>) {
        let [moves, turns] = self.0.axes();
        let locked =
            |of: [bool; 3]| DVec3::AXES.into_iter().zip(of).filter(|(_, locked)| *locked).map(|(axis, _)| axis);
        let mut push = |linear, angular| {
            let jacobian = Jacobian { linear: [DVec3::ZERO, linear], angular: [DVec3::ZERO, angular] };
            rows.push(Row { jacobian, ..Row::default() });
        };
        locked(moves).for_each(|axis| push(axis, DVec3::ZERO));
        locked(turns).for_each(|axis| push(DVec3::ZERO, axis));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[1].center; 2]
    }
}
