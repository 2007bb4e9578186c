//! The scenes in Bullet, at its default settings but for sleeping and damping. What it is asked is in `peer.cpp`.
#![allow(unsafe_code, reason = "the functions of a C++ library")]

use compare_native::{Peer, build};

unsafe extern "C" {
    fn peer() -> Peer;
}

fn main() {
    compare_scenes::serve("bullet", |scene, threads| build(unsafe { peer() }, scene, threads));
}
