#!/usr/bin/env bash
# Everything that must hold before a change lands: formatting, lints, all tests with documentation examples, docs.
# Needs a Rust toolchain and Node with npm; installs what else is missing.
set -euo pipefail
cd "$(dirname "$0")"

# Says what begins, and how long what was before took.
begun=-1
step() {
    if [ "$begun" -ge 0 ]; then printf -- '-- %s s\n' "$((SECONDS - begun))"; fi
    begun=$SECONDS
    printf '\n== %s\n' "$*"
}

step "toolchain"
if ! command -v cargo >/dev/null; then
    echo "cargo is missing: install Rust from your package manager or with rustup, then run this again" >&2
    exit 1
fi
for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

step "formatting"
cargo fmt --all -- --check

step "lints"
cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings

step "a game's share: no default features"
cargo clippy --package tumble --package tumble-dynamics --no-default-features --all-targets --quiet -- -D warnings

step "tests"
cargo test --workspace --all-features --quiet

step "the sandbox in a browser"
# The command that the tests were made with, wherever cargo puts it: CARGO_TARGET_DIR, its configuration, or target.
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
crates/sandbox/e2e/run.sh "$target/debug/tumble"

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --no-deps --quiet

step "all passed in $((SECONDS / 60)) min $((SECONDS % 60)) s"
