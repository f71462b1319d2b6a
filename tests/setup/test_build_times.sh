#!/usr/bin/env bash
# tools/build-times on a build of three objects, of which one was compiled twice and one is no longer there.
# usage: test_build_times.sh SOURCE_DIR EMPTY_WORK_DIR
set -euo pipefail
work=$2
build=$work/build/made-up
rm -rf "$work"
mkdir -p "$work/tools" "$build"
cp "$1/tools/build-times" "$work/tools/"

fast=renderer/CMakeFiles/renderer.dir/film/film.cpp.o
slow=renderer/CMakeFiles/renderer.dir/__/cpu/renderer/aov/aov_colors_cpu.cpp.o
gone=renderer/CMakeFiles/renderer.dir/film/gone.cpp.o
{
    echo '# ninja log v5'
    printf '%d\t%d\t1\t%s\t0\n' 0 2000 "$fast" 100 70000 "$slow" 200 90000 "$gone" 0 4000 "$fast"
} > "$build/.ninja_log"
mkdir -p "$(dirname "$build/$fast")" "$(dirname "$build/$slow")"
touch "$build/$fast" "$build/$slow"

failures=0
# expect PATTERN: in what the tool prints.
expect() {
    grep -qE -- "$1" <<< "$printed" && return
    echo "FAILED: no line $1"
    failures=$((failures + 1))
}
printed=$("$work/tools/build-times" --preset made-up)
expect '^renderer/film +1 +4 +0 '
expect '^renderer/aov +1 +70 +1 '
expect '^all +2 +74 '
expect '^ +69.9 s  renderer/aov/aov_colors.cu \(the CPU.s\)'
expect '^last build: 4 s; all 2 builds in the log: 94 s'
printed=$("$work/tools/build-times" --preset made-up --limit 60 2>&1) && failures=$((failures + 1))
expect 'over the limit of 60 s: 69.9 s  renderer/aov/aov_colors.cu'
"$work/tools/build-times" --preset made-up --limit 70 > /dev/null || failures=$((failures + 1))
((failures == 0)) || echo "$printed"
exit "$((failures > 0))"
