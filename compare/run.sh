#!/bin/sh
# Builds what can be built of the engines, runs all scenes in turn and writes docs/benchmarks.md.
#   compare/run.sh            everything: 15 scenes, 3 repetitions, 1 and 2 threads (an hour or more)
#   compare/run.sh --quick    a sign of life in minutes, into compare/benchmarks-quick.md
#   compare/run.sh --only box_pile --repeat 5
# What was measured is kept in compare/results*.jsonl; a run that was interrupted goes on there, --fresh begins anew.
# Box3D and Jolt need cmake, a C++ compiler and libclang (Debian: cmake clang libclang-dev); what does not build is left out.
set -eu
cd "$(dirname "$0")"
out=../docs/benchmarks.md
for word in "$@"; do
    if [ "$word" = --quick ]; then out=benchmarks-quick.md; fi
done
cargo build --release -p compare-tumble -p compare-report
engines="tumble=target/release/compare-tumble"
try() { # NAME PROGRAM COMMAND…
    name=$1 program=$2
    shift 2
    if "$@"; then engines="$engines $name=$program"; else echo "$name does not build here and is left out" >&2; fi
}
try rapier-4 target/release/compare-rapier cargo build --release -p compare-rapier
if grep -q avx2 /proc/cpuinfo 2>/dev/null; then
    try rapier-8 target/lanes8/release/compare-rapier \
        env RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --release -p compare-rapier --features lanes8 --target-dir target/lanes8
fi
try box3d target/release/compare-box3d cargo build --release -p compare-box3d
try jolt target/release/compare-jolt cargo build --release -p compare-jolt
# shellcheck disable=SC2086 # a list of words
exec target/release/compare-report --out "$out" "$@" $engines
