//! Builds the functions of `peer.cpp` against the Bullet of the system (Debian: libbullet-dev).

fn main() {
    println!("cargo:rerun-if-changed=peer.cpp");
    println!("cargo:rerun-if-changed=../native/include/peer.h");
    let told = std::process::Command::new("pkg-config").args(["--cflags-only-I", "bullet"]).output();
    let told = told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .file("peer.cpp")
        .include("../native/include")
        .includes(told.split_whitespace().filter_map(|word| word.strip_prefix("-I")))
        // Bullet's headers, not ours.
        .warnings(false)
        .compile("peer");
    for library in ["BulletDynamics", "BulletCollision", "LinearMath"] {
        println!("cargo:rustc-link-lib={library}");
    }
}
