#!/bin/sh
# Builds what can be built of the engines, runs all scenes in turn and writes docs/benchmarks.md.
#   compare/run.sh                         everything: 17 scenes and 26 tests, 3 repetitions, 1 and 2 threads (two hours or so)
#   compare/run.sh --brief                 everything once, a quarter of the timed steps, 20 s for each measurement (20 minutes or so)
#   compare/run.sh --quick                 a sign of life in minutes, into compare/benchmarks-quick.md
#   compare/run.sh --only box_pile,cradle --repeat 5 --engines tumble,box3d --out some-page.md
#   compare/run.sh --threads 1 --limit 60  so many threads; each measurement is ended after so many seconds
#   compare/run.sh --built                 runs what was built before, without looking whether it is up to date
# Engines: tumble, rapier-4, rapier-8, box3d, jolt, bullet; and physx if --engines names it, since it takes a quarter of an hour to build. What does not build is left out; what crashes or takes too long loses a row.
# What was measured is kept in compare/results*.jsonl; a run that was interrupted goes on there, --fresh begins anew.
# Box3D and Jolt need cmake, a C++ compiler and libclang (Debian: cmake clang libclang-dev), Bullet is Debian's libbullet-dev.
set -eu
cd "$(dirname "$0")"
out=../docs/benchmarks.md wanted=tumble,rapier-4,rapier-8,box3d,jolt,bullet before='' build=yes
for word in "$@"; do
    shift
    if [ "$before" = --engines ]; then
        wanted=$word
    elif [ "$word" = --built ]; then
        build=no
    elif [ "$word" != --engines ]; then
        set -- "$@" "$word"
    fi
    if [ "$word" = --quick ]; then out=benchmarks-quick.md; fi
    before=$word
done
engines=
try() { # NAME PROGRAM COMMAND…
    name=$1 program=$2
    shift 2
    case ",$wanted," in *",$name,"*) ;; *) return 0 ;; esac
    if [ $build = yes ] && ! "$@"; then
        echo "$name does not build here and is left out" >&2
    elif [ ! -x "$program" ]; then
        echo "$name has not been built and is left out" >&2
    else
        engines="$engines $name=$program"
    fi
}
if [ $build = yes ]; then cargo build --release -p compare-report; fi
try tumble target/release/compare-tumble cargo build --release -p compare-tumble
try rapier-4 target/release/compare-rapier cargo build --release -p compare-rapier
if grep -q avx2 /proc/cpuinfo 2>/dev/null; then
    try rapier-8 target/lanes8/release/compare-rapier \
        env RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --release -p compare-rapier --features lanes8 --target-dir target/lanes8
fi
try box3d target/release/compare-box3d cargo build --release -p compare-box3d
try jolt target/release/compare-jolt cargo build --release -p compare-jolt
try bullet target/release/compare-bullet cargo build --release -p compare-bullet
try physx target/physx/release/compare-physx \
    cargo build --release -p compare-physx --features engine --target-dir target/physx
# shellcheck disable=SC2086 # a list of words
exec target/release/compare-report --out "$out" "$@" $engines
