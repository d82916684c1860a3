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

failed=0
for source in "$top"/tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    module=${target#fuzz_}
    mkdir -p "$build/corpus/$module" "$build/crashes"
    committed=$top/tests/fuzz/corpus/$module
    [ -d "$committed" ] || committed=
    # shellcheck disable=SC2086
    if "$build/tests/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/crashes/$target-" "$build/corpus/$module" $committed >"$build/$target.log" 2>&1; then
        result=ok
    else
        result=FAILED
        failed=1
        grep -A 12 'ERROR\|runtime error' "$build/$target.log" || tail "$build/$target.log"
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$build/$target.log")
    echo "$target: $result, ${runs:-?} runs, ${speed:-?} a second"
done
exit $failed
