#!/usr/bin/env bash
# Random input test of the viewer: it ends cleanly, writes only into a temporary folder, removes that folder, and prints
# the last events before a crash.
# usage: random_input.sh TREELIGHT SOURCE_DIR
set -euo pipefail
treelight=$1 source_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset DISPLAY WAYLAND_DISPLAY
mkdir temporary scenes
export TMPDIR=$work/temporary
cp "$source_dir"/scenes/{cornell-box,cornell-box-moving,furnace}.toml scenes
options=(--offscreen --size 240x180 --device cpu)

try() {
    local scene=$1
    shift
    if ! "$treelight" view "$scene" "${options[@]}" "$@" >out.txt 2>error.txt; then
        tail -n 60 error.txt
        grep -q 'finds no OpenGL' error.txt && echo 'skipped: EGL gives no OpenGL 4.5 here' && exit 77
        echo "failed: view $scene $*"
        exit 1
    fi
}
before=$(sha256sum scenes/*)
for seed in 1 2; do
    try scenes/cornell-box.toml --random-input "$seed" --frames 150
    grep -q "^random input: seed $seed, [0-9]* events, 150 frames of the interface" out.txt
    grep -q '^longest frames: ' out.txt
    grep -q '^resident memory: ' out.txt
done
# Memory is reported after each 1,000 events and at the end. With seed 7 the last frame comes before these are settled.
for seed in 9 7; do
    try scenes/cornell-box.toml --random-input $seed --frames 1000
    (($(grep -cE '^ *[0-9]+ events: [0-9.]+ \(' out.txt) == 2))
done
try scenes/cornell-box-moving.toml --play --random-input 3 --frames 100 --compare lbvh
[[ $(sha256sum scenes/*) == "$before" && $(ls) == $'error.txt\nout.txt\nscenes\ntemporary' ]]
[[ -z $(ls -A temporary) ]]

# The last events are printed when a signal ends the program.
ulimit -c 0
"$treelight" view scenes/cornell-box.toml "${options[@]}" --random-input 4 --frames 1000000 >out.txt 2>error.txt &
viewer=$!
for ((i = 0; i < 600; ++i)); do
    [[ -n $(ls -A temporary) ]] && break
    sleep 0.1
done
sleep 5  # the window needs this time on a busy machine
kill -ABRT $viewer
status=0
wait $viewer 2>/dev/null || status=$?
((status != 0))
grep -q '^random input: seed 4; the last events were:' error.txt

status=0
"$treelight" view scenes/cornell-box.toml --offscreen --random-input 1 2>error.txt || status=$?
[[ $status == 2 ]]
grep -q -- '--frames' error.txt
echo passed
