//! For study: forms of constraints that do not work, each with what goes wrong (T 3.3).
//!
//! Their formulas and derivatives are right, and yet they do not hold. They are here to be seen failing beside the forms that
//! work, and for nothing else.

mod cross_hinge;
mod cross_matrix_hinge;
mod quaternion_lock;

pub use cross_hinge::CrossHinge;
pub use cross_matrix_hinge::CrossMatrixHinge;
pub use quaternion_lock::QuaternionLock;
