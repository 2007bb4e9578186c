//! The scenes in PhysX, at its default settings (the solver PGS) but for sleeping and damping. What it is asked is in `peer.cpp`.
//! Without the feature `engine` there is no PhysX in it, and all it does is to say so.
#![cfg_attr(feature = "engine", allow(unsafe_code, reason = "the functions of a C++ library"))]

#[cfg(feature = "engine")]
use physx_sys as _;

#[cfg(feature = "engine")]
unsafe extern "C" {
    fn peer() -> compare_native::Peer;
}

fn main() {
    #[cfg(feature = "engine")]
    compare_scenes::serve("physx", |scene, threads| compare_native::build(unsafe { peer() }, scene, threads));
    #[cfg(not(feature = "engine"))]
    compare_scenes::serve("physx", |_, _| Err("built without the feature engine".into()));
}
