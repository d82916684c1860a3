#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs every fuzz target for that long: run.sh [SECONDS [BUILD_DIR]]
#
# Without a build folder it configures and builds one (build-fuzz). The committed corpus is read, never written: what a run
# finds goes to BUILD_DIR/corpus, crashes to BUILD_DIR/crashes. Ends with 1 when a target crashed.
set -eu

seconds=${1:-10}
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${2:-$top/build-fuzz}

if [ $# -lt 2 ]; then
    cmake -S "$top" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKAFKA_FUZZ=ON >/dev/null
    cmake --build "$build"
fi

# One target, in a shell of its own.
fuzz() {
    target=$(basename "$1" .c)
    module=${target#fuzz_}
    mkdir -p "$build/corpus/$module" "$build/crashes"
    committed=$top/tests/fuzz/corpus/$module
    [ -d "$committed" ] || committed=
    status=0
    # shellcheck disable=SC2086
    "$build/tests/$target" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/crashes/$target-" "$build/corpus/$module" $committed >"$build/$target.log" 2>&1 ||
        status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$build/$target.log")
    if [ $status -eq 0 ]; then
        echo "$target: ok, ${runs:-?} runs, ${speed:-?} a second"
    else
        grep -A 12 'ERROR\|runtime error' "$build/$target.log" || tail "$build/$target.log"
        echo "$target: FAILED, ${runs:-?} runs, ${speed:-?} a second"
    fi
    return $status
}

if [ "${FUZZ_ONE:-}" ]; then
    fuzz "$FUZZ_ONE"
else
    find "$top/tests/fuzz" -name 'fuzz_*.c' | sort |
        xargs -P "$(nproc)" -I '{}' env FUZZ_ONE='{}' "$0" "$seconds" "$build"
fi
