//! The same bits on every machine: the fingerprints of ten scenes after a number of steps.
//!
//! They change only when the physics changes, which is done on purpose or is a mistake. If it is on purpose,
//!
//! ```sh
//! TUMBLE_PRINT_GOLDEN=1 cargo test -p tumble-scene --test golden -- --nocapture
//! ```
//!
//! prints the table anew. If only some machines or builds disagree, look for mathematics of the platform, the order of hash
//! maps, and multiplications fused with additions.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail, and this one may print")]

use tumble_scene::{Loader, gallery};

/// Scene, steps, and the fingerprint of the state then.
const GOLDEN: [(&str, u64, u64); 10] = [
    ("bouncing-balls", 400, 0x5b0a50a51ea12aed),
    ("boxes-table", 300, 0x7305bd55fb179814),
    ("buoyancy", 200, 0x86e8399a6cdc1449),
    ("cradle-2", 300, 0x5635e728353d7746),
    ("dominoes", 150, 0xdbbebf7db6f9afea),
    ("gyroscope", 300, 0x38d4681104fbf9f6),
    ("pendulum-8", 150, 0xaef4754812570a7d),
    ("rag-doll", 100, 0xa912ae2897a6a9f1),
    ("stairs", 300, 0xacef62fddfd91568),
    ("constraints/wheel", 100, 0x3a4c10d03b4483d4),
];

fn fingerprint(name: &str, steps: u64) -> u64 {
    let mut scene = gallery::find(name).unwrap().load(&Loader::new()).unwrap();
    (0..steps).for_each(|_| scene.world.step(scene.dt).unwrap());
    scene.world.state().fingerprint()
}

#[test]
fn scenes_end_in_the_same_bits_on_every_machine() {
    let now = GOLDEN.map(|(name, steps, _)| (name, steps, fingerprint(name, steps)));
    if std::env::var_os("TUMBLE_PRINT_GOLDEN").is_some() {
        now.iter().for_each(|(name, steps, print)| println!("    ({name:?}, {steps}, {print:#018x}),"));
    } else {
        assert_eq!(now, GOLDEN);
    }
}
