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
    ("bouncing-balls", 400, 0xcfad1949d9bdc719),
    ("boxes-table", 300, 0xca9debf433901e9f),
    ("buoyancy", 200, 0x5d01253ccf25c57a),
    ("cradle-2", 300, 0xf85afa21cc8cd832),
    ("dominoes", 150, 0x26ed97fac00ccc5e),
    ("gyroscope", 300, 0x7a57c4941a91cc29),
    ("pendulum-8", 150, 0x9807236df97b5974),
    ("rag-doll", 100, 0x5fea0c239c980808),
    ("stairs", 300, 0xe5386cbc4b21b6d5),
    ("constraints/wheel", 100, 0xf6b828593b8d7aaa),
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
