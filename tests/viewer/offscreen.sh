#!/usr/bin/env bash
# Tests the viewer without window and X server: its last picture equals that of `render` with the same number of
# samples, and --screenshot-ui writes the whole window, panel included.
# usage: offscreen.sh TREELIGHT IMAGE_COMPARE SOURCE_DIR
set -euo pipefail
treelight=$1 compare=$2 source_dir=$3
box=$source_dir/scenes/cornell-box.toml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset DISPLAY WAYLAND_DISPLAY
options=(--size 160x120 --device cpu)

if ! "$treelight" view "$box" "${options[@]}" --offscreen --frames 40 --screenshot view.png \
    --screenshot-ui window.png --report report.json 2>error.txt; then
    cat error.txt
    grep -q 'finds no OpenGL' error.txt && echo 'skipped: EGL gives no OpenGL 4.5 here' && exit 77
    exit 1
fi
"$treelight" render "$box" "${options[@]}" --spp 40 -o render.png
"$compare" view.png render.png 0.5
grep -q '"samples": 40' report.json
grep -q '"way": "persistently mapped pixel buffer"' report.json

# Linear radiance equals that of `render` too, from a camera set by flags.
camera=(--eye 0.4,0.3,-0.7 --target 0.278,0.273,0.2 --fov 50)
"$treelight" view "$box" "${options[@]}" "${camera[@]}" --offscreen --frames 8 --hide-panel \
    --screenshot view.hdr --screenshot-ui bare.png
"$treelight" render "$box" "${options[@]}" "${camera[@]}" --spp 8 -o render.hdr
"$compare" view.hdr render.hdr 0.001
# The window shows only the picture when the panel is hidden.
"$treelight" render "$box" "${options[@]}" "${camera[@]}" --spp 8 -o bare-render.png
"$compare" bare.png bare-render.png 0.5

# The last frame waits for a decomposition, whose panel is in the window's picture.
"$treelight" view "$box" --size 160x400 --device cpu --offscreen --frames 4 --screenshot-ui before.png
"$treelight" view "$box" --size 160x400 --device cpu --offscreen --frames 4 --svd frame --svd-rank 4 \
    --screenshot-ui svd.png >svd.txt
grep -q '^svd: frame, ' svd.txt
"$compare" before.png svd.png 1 && exit 1
# --panel-tab opens a tab of the panel.
"$treelight" view "$box" --size 160x400 --device cpu --offscreen --frames 4 --panel-tab trees \
    --screenshot-ui trees.png
"$compare" before.png trees.png 1 && exit 1
# Frames may be dropped without vsync, except for the last one.
"$treelight" view "$box" "${options[@]}" --offscreen --no-vsync --frames 40 --screenshot-ui fast.png \
    --screenshot fast-view.png --report fast.json
"$compare" fast-view.png render.png 0.5
"$compare" fast.png window.png 8
grep -q '"samples": 40' fast.json
status=0
"$treelight" view "$box" --offscreen --frames 4 --svd nonsense 2>error.txt || status=$?
[[ $status == 2 ]]
grep -q 'known: uniform' error.txt

# Comparison: the report's errors equal those of `treelight compare` on the files of both sides.
"$treelight" view "$box" "${options[@]}" --offscreen --frames 6 --screenshot a.exr --report both.json \
    --compare-with renderer=path,path-max-depth=3,builder=lbvh --screenshot-ui both.png
"$treelight" render "$box" "${options[@]}" --renderer path --path-max-depth 3 --builder lbvh --spp 6 -o path.exr
"$compare" a-b.exr path.exr 0.001
number() { grep -o "\"$1\": [-+.e0-9]*" both.json | tail -1 | cut -d' ' -f2; }
for metric in relmse psnr flip; do
    found=$("$treelight" compare a-b.exr a.exr --metric "$metric" | cut -d' ' -f2)
    awk -v a="$found" -v b="$(number $metric)" 'BEGIN { d = a - b; exit !(a > 0 && d * d <= 1e-10 * a * a) }' ||
        { echo "$metric: $(number $metric) live, $found of the files"; exit 1; }
done
# Invalid settings of side B are one error before anything is drawn.
for wrong in renderer=none path-max-depth=many nonsense=1 film-exposure=2 path; do
    status=0
    "$treelight" view "$box" --offscreen --frames 2 --compare-with "$wrong" >out.txt 2>error.txt || status=$?
    [[ $status == 2 && $(wc -l <error.txt) == 1 && ! -s out.txt ]]
    grep -q '^treelight: side B: ' error.txt
done
status=0
"$treelight" view "$box" --offscreen --frames 2 --compare-view flip 2>error.txt || status=$?
[[ $status == 2 ]]
grep -q -- '--compare-with' error.txt

# Error messages name the flag to add.
status=0
"$treelight" view "$box" --no-config 2>error.txt || status=$?
[[ $status == 1 ]]
grep -q -- '--offscreen' error.txt
status=0
"$treelight" view "$box" --offscreen 2>error.txt || status=$?
[[ $status == 2 ]]
grep -q -- '--frames' error.txt
echo passed
