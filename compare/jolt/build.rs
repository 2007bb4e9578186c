//! Builds Jolt (profile Distribution: no profiler, no debug renderer) from the sources inside of the crate joltc-sys, and the
//! functions of `peer.cpp` with the same flags.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=peer.cpp");
    println!("cargo:rerun-if-changed=CMakeLists.txt");
    println!("cargo:rerun-if-changed=../native/include/peer.h");
    let made = cmake::Config::new(".")
        .profile("Distribution")
        .define("JOLT", sources().join("JoltC/JoltPhysics"))
        .define("ENABLE_ALL_WARNINGS", "OFF")
        .define("GENERATE_DEBUG_SYMBOLS", "OFF")
        .define("INTERPROCEDURAL_OPTIMIZATION", "OFF")
        .build();
    println!("cargo:rustc-link-search=native={}", made.join("lib").display());
    println!("cargo:rustc-link-lib=static=peer");
    println!("cargo:rustc-link-lib=static=Jolt");
    println!("cargo:rustc-link-lib=stdc++");
}

/// Where cargo keeps the crate joltc-sys.
fn sources() -> PathBuf {
    let cargo = std::env::var_os("CARGO").expect("cargo runs this");
    let output = Command::new(cargo).args(["metadata", "--format-version=1", "--all-features"]).output();
    let output = output.expect("cargo metadata runs");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = told["packages"].as_array().expect("packages");
    let ours = packages.iter().find(|package| package["name"] == "joltc-sys").expect("joltc-sys is a dependency");
    let manifest = PathBuf::from(ours["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a folder").into()
}
