#!/usr/bin/env bash
# Configures as ./run and then ./test do on a machine that at first lacks the packages of the tests: the first
# configuration has no tests; the second, in the same build folder, has them.
# usage: test_configure.sh SOURCE_DIR EMPTY_WORK_DIR CMAKE EMBREE_DIR
# EMBREE_DIR: folder in which CMake found Embree's configuration file
set -euo pipefail
source=$(readlink -f "$1") work=$2 cmake=$3 embree=$4
rm -rf "$work"
mkdir -p "$work/tree"
work=$(readlink -f "$work")

# Makes a source folder with its own build/, and a wrapper of cmake whose options hide Embree and GoogleTest as if they
# were not installed.
for entry in "$source"/*; do
    [[ ${entry##*/} == @(build|out) ]] || ln -s "$entry" "$work/tree/"
done
# CMake also searches /lib, which links to /usr/lib: both paths are ignored.
cat > "$work/cmake" << END
#!/bin/sh
[ -e "$work/installed" ] || set -- "\$@" '-DCMAKE_IGNORE_PATH=$embree;${embree#/usr}' -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON
[ ! -e "$work/installed" ] || set -- "\$@" -UCMAKE_IGNORE_PATH -UCMAKE_DISABLE_FIND_PACKAGE_GTest
exec "$cmake" "\$@"
END
chmod +x "$work/cmake"

# shellcheck source=tools/lib.sh
. "$work/tree/tools/lib.sh"
# shellcheck disable=SC2034  # read by configure
CMAKE=$work/cmake
mkdir -p "$TL_ROOT/build"
cache=$TL_ROOT/build/cpu/CMakeCache.txt
failures=0

# check DESCRIPTION COMMAND...: runs the command and reports whether it succeeded.
check() {
    local what=$1
    shift
    if "$@"; then
        echo "ok: $what"
    else
        echo "FAILED: $what"
        failures=$((failures + 1))
    fi
}
# shellcheck disable=SC2317  # these are called by check
has() { grep -q "^$1$" "$cache"; }
# shellcheck disable=SC2317
lacks() { ! grep -q "$1" "$2"; }
# shellcheck disable=SC2317
fails() { ! "$@"; }

check 'the program configures without the packages of the tests' configure cpu build
check 'the tests are off' has TL_TESTS:INTERNAL=OFF
check 'Embree is off' has TL_EMBREE:INTERNAL=OFF
check 'the tests cannot be configured without their packages' fails configure cpu build test
check 'which is said' grep -q 'what belongs to one of these sets of packages: build test' "$TL_ROOT/build/configure.log"
check 'no result of a search is kept' lacks '^embree_FOUND\|^GTest_FOUND' "$cache"
touch "$work/installed"
check 'the tests configure once their packages are there' configure cpu build test
check 'nothing is said to be missing' lacks 'has not found what belongs' "$TL_ROOT/build/configure.log"
check 'the tests are on' has TL_TESTS:INTERNAL=ON
check 'Embree is on' has TL_EMBREE:INTERNAL=ON
check 'the program has a rule for its tests' grep -q 'unit_tests' "$TL_ROOT/build/cpu/build.ninja"
check 'a third call does nothing' test -z "$(configure cpu build test 2>&1)"
exit "$((failures > 0))"
