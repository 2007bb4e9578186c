//! Builds the functions of `peer.cpp` against the PhysX that the crate physx-sys builds, if the feature `engine` is on.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=peer.cpp");
    println!("cargo:rerun-if-changed=../native/include/peer.h");
    if std::env::var_os("CARGO_FEATURE_ENGINE").is_none() {
        return;
    }
    let root = sources().join("physx");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .define("NDEBUG", None)
        .define("PX_PHYSX_STATIC_LIB", None)
        .file("peer.cpp")
        .include("../native/include")
        .include(root.join("physx/include"))
        // The headers of PhysX, not ours.
        .warnings(false)
        .compile("peer");
}

/// Where cargo keeps the crate physx-sys.
fn sources() -> PathBuf {
    let cargo = std::env::var_os("CARGO").expect("cargo runs this");
    let output = Command::new(cargo).args(["metadata", "--format-version=1", "--all-features"]).output();
    let output = output.expect("cargo metadata runs");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = told["packages"].as_array().expect("packages");
    let ours = packages.iter().find(|package| package["name"] == "physx-sys").expect("physx-sys is a dependency");
    let manifest = PathBuf::from(ours["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a folder").into()
}
