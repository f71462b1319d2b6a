#!/usr/bin/env bash
# Controls the viewer's window under Xvfb by real key and mouse events, and checks the screenshots that F12 writes.
# Screenshots are taken at 8 samples, where the viewer stops, so that they are reproducible.
# usage: drive_window.sh TREELIGHT IMAGE_COMPARE SOURCE_DIR
set -uo pipefail
if [[ ${1:-} != --inside ]]; then
    for tool in Xvfb xvfb-run xdotool; do
        command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
    done
    # -noreset: without it the server resets when its last client disconnects, such as xdotool while the viewer starts,
    # and rejects clients that connect at that moment.
    exec xvfb-run -a -s '-screen 0 1024x768x24 -noreset' "$0" --inside "$@"
fi
treelight=$2 compare=$3 box=$4/scenes/cornell-box.toml
work=$(mktemp -d)
export XDG_CONFIG_HOME=$work/config
mkdir "$work/shots"
viewer=
trap '[[ -n $viewer ]] && kill "$viewer" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
camera=(--size 320x240 --device cpu)

die() {
    echo "FAILED: $*"
    cat viewer.txt
    exit 1
}
alive() { kill -0 "$viewer" 2>/dev/null || die "the viewer is gone after: $*"; }
key() { xdotool key "$@"; }
newest() { find shots -name "$1" -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-; }

# shot NAME [SCENE]: presses F12 until a screenshot of the scene has all 8 samples, and stores it as NAME.png. Waits up
# to 10 s for each screenshot: a late one would be mistaken for that of the next call.
shot() {
    local scene=${2:-Cornell}
    for _ in $(seq 60); do
        local before after
        before=$(newest '*.png')
        key F12
        for _ in $(seq 200); do
            after=$(newest '*.png')
            [[ $after != "$before" ]] && break
            sleep 0.05
        done
        alive "$1"
        if [[ $after != "$before" && $after == */"$scene"*_8spp_* ]]; then
            sleep 0.05
            mv "$after" "$1.png"
            rm -f shots/*.png
            return
        fi
        sleep 0.1
    done
    die "no finished picture for $1"
}
same() { "$compare" "$1.png" "$2.png" 0.5 || die "$1 should look like $2"; }
differs() { "$compare" "$1.png" "$2.png" 1 && die "$1 should differ from $2"; true; }

"$treelight" render "$box" "${camera[@]}" --spp 8 -o expected.png || die render
# open SCENE [FLAGS]: starts the viewer and gives its window the keyboard focus.
open() {
    "$treelight" view "$@" "${camera[@]}" --spp 8 --no-vsync --screenshot-dir shots >viewer.txt 2>&1 &
    viewer=$!
    window=
    for _ in $(seq 100); do
        window=$(xdotool search --name Treelight 2>/dev/null | head -1)
        [[ -n $window ]] && break
        alive start
        sleep 0.1
    done
    [[ -n $window ]] || die 'no window'
    xdotool windowmove "$window" 10 10
    xdotool windowfocus "$window"
}
# quits: waits for the viewer to close after a request, and checks its exit code.
quits() {
    wait "$viewer"
    status=$?
    viewer=
    [[ $status == 0 ]] || die "exit code $status"
}
open "$box"

echo 'F12 writes what render makes'
shot start
same start expected

echo 'dragging orbits, the wheel zooms, Home returns'
xdotool mousemove 150 150 mousedown 1
for _ in 1 2 3 4; do xdotool mousemove_relative 15 4; sleep 0.05; done
xdotool mouseup 1
shot orbit
differs orbit start
xdotool click 4 click 4 click 4
shot zoom
differs zoom orbit
key w
shot flown
differs flown zoom
key Home
shot home
same home expected

echo 'Tab hides and shows the panel; the picture takes its room'
key Tab
shot wide
[[ $("$compare" wide.png expected.png 255) == 'sizes differ'* ]] || die 'the panel is still there'
key Tab
shot panel
same panel expected

echo 'H shows the heat map and the picture again; boxes leave it as it is; C puts the path tracer beside it'
key h
shot heat
differs heat expected
key h
key b
key plus
shot boxes
same boxes expected
key shift+b
key b
key c
sleep 0.3
# Dragging the split, in the middle of the picture, leaves the camera unchanged.
eval "$(xdotool getwindowgeometry --shell "$window" | grep '^[XY]=')"
xdotool mousemove $((X + 160)) $((Y + 120)) mousedown 1
for _ in 1 2 3; do xdotool mousemove_relative 15 4; sleep 0.05; done
xdotool mouseup 1
shot split
differs split expected
key x
shot difference
differs difference expected
key shift+x
shot flip
differs flip expected
key shift+x
key c
key p
shot still
same still expected

echo 'decompositions leave the picture as it is'
key shift+v
sleep 0.5
key bracketright
key g
sleep 0.5
key v
key k
shot solved
same solved expected

echo 'a number opens a tab of the panel, which is there again the next time'
key 3
shot trees
same trees expected

echo 'a broken file leaves the scene and says why'
echo 'meshes = [' >broken.toml
key ctrl+o
sleep 0.5
xdotool type --delay 10 "$work/broken.toml"
key Return
for _ in $(seq 50); do grep -q 'Cannot open broken.toml' viewer.txt && break; sleep 0.1; done
grep -q 'Cannot open broken.toml: .*broken.toml' viewer.txt || die 'no error for the broken file'
key Escape
shot broken
same broken expected

echo 'Shift+F12 writes radiance'
key shift+F12
for _ in $(seq 50); do [[ -n $(newest '*.hdr') ]] && break; sleep 0.1; done
"$treelight" render "$box" "${camera[@]}" --spp 8 -o expected.hdr >/dev/null
sleep 0.2
"$compare" "$(newest '*.hdr')" expected.hdr 0.001 || die 'radiance differs'

echo 'tiny, hidden and back'
full=$(xdotool getwindowgeometry --shell "$window" | sed -n 's/^\(WIDTH\|HEIGHT\)=//p' | tr '\n' ' ')
xdotool windowsize "$window" 60 40
sleep 0.3
xdotool windowsize "$window" 1 1
sleep 0.3
alive 'resizing to one pixel'
xdotool windowunmap "$window"
sleep 0.3
xdotool windowmap --sync "$window"
# shellcheck disable=SC2086
xdotool windowsize "$window" $full
xdotool windowfocus "$window"
sleep 0.3
shot back
same back expected

echo 'another scene opens; Ctrl+Q during a load ends well'
key ctrl+o
sleep 0.5
xdotool type --delay 10 'generate:terrain,triangles=2000'
key Return
shot terrain terrain
differs terrain expected
key ctrl+o
sleep 0.5
xdotool type --delay 10 'generate:terrain,triangles=1000000'
key Return
key ctrl+q
quits
grep -q '"panel": true' config/treelight/viewer.json || die 'the settings were not kept'
grep -q '"panel-tab": "trees"' config/treelight/viewer.json || die 'the open tab was not kept'

echo 'O shows single points; links are on the window alone, and a click pins'
points=('generate:cornell-box,blocks=true' --renderer radiosity --radiosity-points 300 --panel-tab render)
for view in picture cells; do
    "$treelight" render "${points[@]:0:5}" --radiosity-view $view "${camera[@]}" --spp 8 -o $view.png || die render
done
open "${points[@]}"
shot points cornell-box
same points picture
key o
shot single cornell-box
same single cells
key o o j
xdotool mousemove 150 200
sleep 0.3
xdotool click 1
key u shift+u
shot linked cornell-box
same linked picture
key shift+j Escape j ctrl+q
quits
echo passed
