#!/usr/bin/env bash
# Tests image sequences: file names, camera paths, videos, and that an interrupted sequence resumes with the same
# pictures.
# usage: test_sequences.sh TREELIGHT
set -uo pipefail
treelight=$1
# shellcheck source=tests/unit/command_line_checks.sh
. "$(dirname "$0")/command_line_checks.sh"

moving=generate:explosion,triangles=500
small=(--device cpu --size 24x16 --spp 2)

# Ten frames, killed during rendering and resumed, equal those of an uninterrupted run.
expect 0 'whole_%04d.png: frames 0 to 9, 24x16' render "$moving" "${small[@]}" --frames 0:9 -o whole_%04d.png
grep -qF 'ffmpeg -framerate 30 -i whole_%04d.png -pix_fmt yuv420p whole.mp4' out.txt ||
    fail "no command for a video: $(cat out.txt)"
# A write into a pipe waits for its reader, so this run stops at its fifth frame.
mkfifo part_0004.png
"$treelight" render "$moving" "${small[@]}" --frames 0:9 -o part_%04d.png >out.txt 2>err.txt &
renderer=$!
for ((i = 0; i < 200; ++i)); do
    [[ -s part_0003.png ]] && break
    sleep 0.05
done
kill -KILL "$renderer"
wait "$renderer" 2>/dev/null
rm part_0004.png
[[ -s part_0003.png && ! -e part_0005.png ]] || fail "not interrupted where planned: $(ls)"
expect 0 '4 of 10 frames were there already' render "$moving" "${small[@]}" --frames 0:9 --resume -o part_%04d.png
for ((i = 0; i < 10; ++i)); do
    cmp -s "whole_000$i.png" "part_000$i.png" || fail "frame $i of the interrupted sequence is another one"
done
[[ $(find . -name 'part_*' | wc -l) == 10 ]] || fail "other files than the frames: $(ls)"
cmp -s whole_0000.png whole_0009.png && fail 'the scene does not move'
# A frame of a sequence equals the single picture of the same time.
expect 0 alone.png render "$moving" "${small[@]}" --time 0.1 -o alone.png
cmp -s alone.png whole_0003.png || fail 'a frame of a sequence is not the picture of its time'

# Ctrl+C leaves no file with fewer samples than requested.
"$treelight" render "$moving" --device cpu --size 64x64 --spp 100000 --frames 0:3 -o c%d.png >out.txt 2>err.txt &
renderer=$!
sleep 3
kill -INT "$renderer"
wait "$renderer"
got=$?
[[ $got == 1 && ! -e c0.png ]] || fail "a sequence stopped by Ctrl+C: exit $got, $(ls)"
grep -q 'stopped by Ctrl+C after 0 of 4 frames' err.txt || fail "a sequence stopped by Ctrl+C: $(cat err.txt)"

# Turntable: half a turn and a whole one.
expect 0 't%d.png: frames 0 to 3' render generate:blob "${small[@]}" --eye 0,0,4 --target 0,0,0 --turntable 4 -o t%d.png
expect 0 'b.png' render generate:blob "${small[@]}" --eye 4,0,0 --target 0,0,0 -o b.png
expect 0 'flip ' compare t1.png b.png --most 0.02
expect 0 'frames 4 to 4' render generate:blob "${small[@]}" --eye 0,0,4 --target 0,0,0 --turntable 4 --frames 4:4 -o t%d.png
cmp -s t0.png t4.png || fail 'a whole turn does not lead back'

# Camera paths in TOML and JSON.
printf '[[camera]]\ntime = 0\neye = [0, 0, 4]\ntarget = [0, 0, 0]\n[[camera]]\ntime = 1\neye = [4, 0, 0]\ntarget = [0, 0, 0]\n' >path.toml
printf '{"camera": [{"time": 0, "eye": [0, 0, 4], "target": [0, 0, 0]},
 {"time": 1, "eye": [4, 0, 0], "target": [0, 0, 0]}]}' >path.json
for format in toml json; do
    expect 0 "$format-%d.png: frames 0 to 3" render generate:blob "${small[@]}" --camera-path "path.$format" \
        --fps 2 --frames 0:3 -o "$format-%d.png"
done
for ((i = 0; i < 4; ++i)); do
    cmp -s "toml-$i.png" "json-$i.png" || fail "frame $i of the two camera paths differs"
done
cmp -s toml-2.png b.png || fail 'the path does not reach its second camera'
cmp -s toml-2.png toml-3.png || fail 'the camera does not rest at the end of its path'
cmp -s toml-1.png toml-2.png && fail 'the camera does not move'
printf '{"camera": [{"time": 0}]}' >wrong.json
expect 1 "wrong.json: [[camera]] 1 needs 'eye'" render generate:blob --camera-path wrong.json --frames 0:1 -o f%d.png
printf '[[camera]]\ntime = 0\neye = [0, 0, 4]\ntarget = [0, 0, 0]\n[[camera]]\ntime = 1\neye = [0, 0, -4]\ntarget = [0, 0, 0]\n' >through.toml
expect 1 'through.toml: at 0.5 s eye and target are the same point' render generate:blob --camera-path through.toml \
    --fps 2 --frames 0:3 -o f%d.png

# Camera path through the bookmarks of a scene file.
printf 'scene = "generate:blob"\n[[bookmark]]\nnumber = 3\neye = [4, 0, 0]\ntarget = [0, 0, 0]\n[[bookmark]]
number = 1\neye = [0, 0, 4]\ntarget = [0, 0, 0]\n' >marked.toml
expect 0 'm%d.png: frames 0 to 2' render marked.toml "${small[@]}" --bookmark-seconds 0.5 --fps 4 --frames 0:2 -o m%d.png
for ((i = 0; i < 3; ++i)); do
    cmp -s "toml-$i.png" "m$i.png" || fail "frame $i of the path through bookmarks is not that of the same path in a file"
done
expect 1 'two bookmarks at least' render generate:blob --bookmark-seconds 1 --frames 0:1 -o f%d.png

# Video by a stand-in for ffmpeg that stores its input: three frames of three bytes per pixel.
mkdir bin
printf '#!/bin/sh\nfor last; do :; done\ncat > "$last"\n' >bin/ffmpeg
chmod +x bin/ffmpeg
PATH=$PWD/bin:$PATH expect 0 'turn.mp4: frames 0 to 2, 24x16' render generate:blob "${small[@]}" --turntable 3 -o turn.mp4
[[ $(wc -c <turn.mp4) == $((3 * 24 * 16 * 3)) ]] || fail "a video of $(wc -c <turn.mp4) bytes"
printf '#!/bin/sh\necho "unknown encoder" >&2\nexit 1\n' >bin/ffmpeg
PATH=$PWD/bin:$PATH expect 1 'none.mp4: ffmpeg has failed' render generate:blob "${small[@]}" --frames 0:2 -o none.mp4
PATH=$PWD/nowhere "$treelight" render generate:blob "${small[@]}" --frames 0:2 -o none.mp4 >out.txt 2>err.txt &&
    fail 'a video without ffmpeg'
grep -q 'videos are made by ffmpeg' err.txt || fail "a video without ffmpeg: $(cat err.txt)"
[[ -z $(find . -name '*none*') ]] || fail "left of a video that failed: $(find . -name '*none*')"
expect 2 'cannot be resumed' render generate:blob --frames 0:2 --resume -o v.mkv
expect 2 'a video is a sequence' render generate:blob -o v.webm

expect 2 'without a number all frames would be one file' render generate:blob --frames 0:1 -o f.png
expect 2 'it has two numbers' render generate:blob --frames 0:1 -o f%d%d.png
expect 2 "'9:1' is not FIRST:LAST" render generate:blob --frames 9:1 -o f%d.png
expect 2 'written as .png, .jpg or .exr' render generate:blob --frames 0:1 -o f%d.hdr
expect 2 'are for sequences' render generate:blob --resume -o f.png
expect 2 'are for sequences' render generate:blob --bookmark-seconds 2 -o f.png
expect 2 'camera-path, bookmark-seconds and turntable exclude each other' render generate:blob --camera-path path.toml \
    --turntable 4 -o f%d.png
expect 2 'exclude eye and target' render generate:blob --camera-path path.toml --eye 1,2,3 --frames 0:1 -o f%d.png
expect 2 '--fps' render generate:blob --frames 0:1 --fps 0 -o f%d.png
expect 1 'no-such-folder/f0.png: cannot be written' render generate:blob --frames 0:1 -o no-such-folder/f%d.png

finish
