#!/usr/bin/env bash
# Tests tools/build-times on a build log of three objects, one compiled twice and one deleted afterwards.
# usage: test_build_times.sh SOURCE_DIR EMPTY_WORK_DIR
set -euo pipefail
work=$2
build=$work/build/made-up
rm -rf "$work"
mkdir -p "$work/tools" "$build"
cp "$1/tools/build-times" "$work/tools/"

fast=renderer/CMakeFiles/renderer.dir/film/film.cpp.o
slow=renderer/CMakeFiles/renderer.dir/__/units/renderer/aov/aov_colors_cpu.cpp.o
gone=renderer/CMakeFiles/renderer.dir/film/gone.cpp.o
{
    echo '# ninja log v5'
    # Columns: start and end of each step in ms since the start of its build, and end by the clock in ns. The two builds
    # start at 100 s and 300 s.
    printf '%d\t%d\t%d000000000\t%s\t0\n' 0 2000 102 "$fast" 0 70000 170 "$slow" 0 90000 190 "$gone" \
        0 4000 304 "$fast"
} > "$build/.ninja_log"
mkdir -p "$(dirname "$build/$fast")" "$(dirname "$build/$slow")"
touch "$build/$fast" "$build/$slow"

failures=0
# expect PATTERN: checks that a line of the tool's output matches.
expect() {
    grep -qE -- "$1" <<< "$printed" && return
    echo "FAILED: no line $1"
    failures=$((failures + 1))
}
printed=$("$work/tools/build-times" --preset made-up)
expect '^renderer/film +1 +4 +0 '
expect '^renderer/aov +1 +70 +1 '
expect '^all +2 +74 '
expect '^ +70.0 s  renderer/aov/aov_colors.cu \(the CPU.s\)'
expect '^last build: 4 s, 1 steps'
# Objects over the limit are compiled again. Here one compilation only waits for 1 s, the other works for 1.2 s of
# processor time.
cat > "$build/build.ninja" <<EOF
rule wait
  command = sleep 1
rule work
  command = python3 -c 'while __import__("time").process_time() < 1.2: pass'
build $fast: wait
build $slow: work
EOF
"$work/tools/build-times" --preset made-up --limit 60 > /dev/null || failures=$((failures + 1))
printed=$("$work/tools/build-times" --preset made-up --limit 0.5 2>&1) && failures=$((failures + 1))
expect 'over the limit of 0.5 s: [0-9]+\.[0-9] s  renderer/aov/aov_colors.cu'
grep -q 'limit.*film.cpp' <<< "$printed" && failures=$((failures + 1))
((failures == 0)) || echo "$printed"
exit "$((failures > 0))"
