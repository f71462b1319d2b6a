#!/usr/bin/env bash
# Tests checkpoints of pictures: a picture that was interrupted and continued has the bits of one that was not, with
# every renderer that can be continued; files of other pictures and damaged ones are refused; full disks lose nothing.
# usage: test_checkpoints.sh TREELIGHT SOURCE_DIR [few]
# few: only a few renderers, for sanitized builds.
set -uo pipefail
treelight=$1 source_dir=$2 scope=${3:-all}
# shellcheck source=tests/unit/command_line_checks.sh
. "$(dirname "$0")/command_line_checks.sh"

box=$source_dir/scenes/cornell-box.toml
small=(--device cpu --size 33x21)
# A device that is always full: the picture cannot be written, so that its samples stay in the checkpoint.
ln -s /dev/full full.exr

# continued FIRST ALL NAME ARGS...: FIRST samples, continued to ALL, are the picture of ALL samples.
continued() {
    local first=$1 all=$2 name=$3
    shift 3
    rm -f c.ckpt ./*."$name".exr
    expect 0 whole render "$@" "${small[@]}" --spp "$all" -o "whole.$name.exr"
    expect 1 'c.ckpt holds its samples' render "$@" "${small[@]}" --spp "$first" --checkpoint c.ckpt -o full.exr
    expect 0 "c.ckpt: continues after $first of $all samples" render "$@" "${small[@]}" --spp "$all" \
        --checkpoint c.ckpt -o "part.$name.exr"
    cmp -s "whole.$name.exr" "part.$name.exr" || fail "$name: the continued picture is another one"
    [[ ! -e c.ckpt ]] || fail "$name: the checkpoint stays after the picture is written"
}
continued 3 8 whitted "$box" --renderer whitted
continued 5 9 path "$box" --renderer path
continued 3 6 photon "$box" --renderer photon --photon-photons 9000
continued 21 61 adaptive "$box" --renderer path --sampling-error 0.1
if [[ $scope == all ]]; then
    for pipeline in single-kernel wavefront; do
        continued 3 7 "path-$pipeline" "$box" --renderer path --path-pipeline "$pipeline"
    done
    for mode in vcm thesis; do
        continued 2 5 "photon-$mode" "$box" --renderer photon --photon-mode "$mode" --photon-photons 9000
    done
    continued 2 5 photon-cull "$box" --renderer photon --photon-cull true --photon-photons 9000
    continued 2 5 photon-edges "$box" --renderer photon --photon-edges true --photon-photons 9000
    continued 2 5 photon-contrast "$box" --renderer photon --photon-contrast-samples 2 --photon-photons 9000
    continued 2 5 bezier "$source_dir/scenes/teapot.toml" --renderer bezier
    continued 3 8 radiosity "$box" --renderer radiosity --radiosity-points 500
    continued 2 6 caustics "$box" --renderer radiosity --radiosity-points 500 --radiosity-caustic-photons 2000
    continued 3 8 blurred generate:explosion,triangles=500 --renderer whitted --sampling-shutter 0.5
    continued 3 8 parts generate:explosion,triangles=500 --renderer path --sampling-shutter 0.5 \
        --sampling-shutter-times 3
    continued 3 8 layers "$box" --renderer path --aov all
    continued 3 8 random "$box" --renderer path --sampling-pattern random --seed 5
    continued 3 8 denoised "$box" --renderer path --film-biased-denoise true
    continued 8 8 nothing-left "$box" --renderer path
fi

# Renderers that keep more than the film are refused before any work.
refused() {
    expect 1 "--checkpoint: $1" render "$box" "${small[@]}" --spp 2 --checkpoint c.ckpt -o x.exr "${@:2}"
}
refused 'heat-map keeps numbers' --renderer heat-map
refused 'aov keeps numbers' --renderer aov
refused '--photon-mode sppm keeps a radius' --renderer photon --photon-mode sppm
refused 'the photon mapper estimates errors' --renderer photon --photon-estimate-error true
refused 'the photon mapper estimates errors' --renderer photon --sampling-error 0.1
expect 1 '--checkpoint: a picture of several devices is not saved' render "$box" --device cpu,cpu --size 33x21 --spp 2 \
    --checkpoint c.ckpt -o x.exr
[[ ! -e c.ckpt && ! -e x.exr ]] || fail 'a refused picture leaves files'
expect 2 'for one picture' render generate:explosion --frames 0:3 --checkpoint c.ckpt -o x%d.png
expect 2 'name the same file' render "$box" --checkpoint x.exr -o x.exr
expect 2 '--checkpoint' render "$box" --checkpoint-every 5 -o x.exr

# wait_for_state: waits until the program, which writes a checkpoint each second, has written the first one.
wait_for_state() {
    for ((i = 0; i < 600; ++i)); do
        [[ -s c.ckpt ]] && break
        sleep 0.05
    done
}

# Ctrl+C and SIGTERM keep the samples so far.
cut=(render "$box" "${small[@]}" --spp 1000000 --renderer path --checkpoint c.ckpt --checkpoint-every 1 -o cut.exr)
for signal in INT TERM; do
    rm -f c.ckpt
    "$treelight" "${cut[@]}" >out.txt 2>err.txt &
    renderer=$!
    wait_for_state
    kill "-$signal" "$renderer"
    wait "$renderer"
    got=$?
    n=$(grep -o 'after [0-9]* of 1000000' err.txt | grep -o '[0-9]*' | head -1)
    [[ $got == 1 && -s c.ckpt && -n $n ]] || fail "SIG$signal: exit $got: $(cat err.txt)"
    grep -qF 'the same command continues c.ckpt' err.txt || fail "SIG$signal: $(cat err.txt)"
    [[ -n $n ]] || continue
    expect 0 "continues after $n of $((n + 2)) samples" render "$box" "${small[@]}" --spp $((n + 2)) --renderer path \
        --checkpoint c.ckpt -o part.exr
    expect 0 whole render "$box" "${small[@]}" --spp $((n + 2)) --renderer path -o whole.exr
    cmp -s whole.exr part.exr || fail "SIG$signal: another picture"
done

# A run that is killed leaves the newest state whole.
rm -f c.ckpt
"$treelight" "${cut[@]}" >out.txt 2>err.txt &
renderer=$!
wait_for_state
kill -KILL "$renderer"
wait "$renderer" 2>/dev/null
cp c.ckpt newest.ckpt
"$treelight" render "$box" "${small[@]}" --spp 1 --renderer path --checkpoint c.ckpt -o x.exr >out.txt 2>err.txt &&
    fail 'more samples than wanted are no error'
n=$(grep -o 'holds [0-9]* samples a pixel, more than the wanted 1' err.txt | grep -o '[0-9]*' | head -1)
if [[ -n $n ]]; then
    expect 0 "continues after $n" render "$box" "${small[@]}" --spp $((n + 1)) --renderer path --checkpoint c.ckpt -o part.exr
    expect 0 whole render "$box" "${small[@]}" --spp $((n + 1)) --renderer path -o whole.exr
    cmp -s whole.exr part.exr || fail 'killed: another picture'
else
    fail "no number of samples: $(cat err.txt)"
fi

# Another picture, another scene, damage: one error that says so; the file stays as it is.
cp "$box" box.toml
of_box=(render box.toml "${small[@]}" --renderer path --checkpoint c.ckpt)
expect 1 'holds its samples' "${of_box[@]}" --spp 3 -o full.exr
cp c.ckpt kept.ckpt
expect 1 'is of another picture: --seed is 7 instead of 0; repeat its command' "${of_box[@]}" --spp 5 --seed 7 -o x.exr
expect 1 '--path-max-depth is 3 instead of' "${of_box[@]}" --spp 5 --path-max-depth 3 -o x.exr
expect 1 'is of another picture: --size is 8x8 instead of 33x21' render box.toml --device cpu --size 8x8 --renderer path \
    --checkpoint c.ckpt --spp 5 -o x.exr
expect 1 '--eye is 0,1,4' "${of_box[@]}" --eye 0,1,4 --spp 5 -o x.exr
expect 1 '--aov is depth instead of none' "${of_box[@]}" --aov depth --spp 5 -o x.exr
printf '\n# changed\n' >>box.toml
expect 1 'box.toml is contents of checksum' "${of_box[@]}" --spp 5 -o x.exr
cp "$box" box.toml
for at in 5 40 1000 5000 $(($(stat -c %s c.ckpt) - 3)); do
    cp kept.ckpt c.ckpt
    printf '\xa5' | dd of=c.ckpt bs=1 seek="$at" conv=notrunc 2>/dev/null
    cmp -s kept.ckpt c.ckpt && continue
    "$treelight" "${of_box[@]}" --spp 5 -o x.exr >out.txt 2>err.txt && fail "damage at byte $at is not noticed"
    grep -Eq 'c.ckpt: (is damaged|is no checkpoint|is a checkpoint of another version)' err.txt ||
        fail "damage at byte $at: $(cat err.txt)"
done
for size in 10 100 5000; do
    head -c "$size" kept.ckpt >c.ckpt
    "$treelight" "${of_box[@]}" --spp 5 -o x.exr >out.txt 2>err.txt && fail "a part of $size bytes is not noticed"
    grep -Eq 'c.ckpt: is (damaged|no checkpoint)' err.txt || fail "a part of $size bytes: $(cat err.txt)"
done
[[ ! -e x.exr ]] || fail 'a picture in spite of an error'
cp "$box" c.ckpt
expect 1 'c.ckpt: is no checkpoint of treelight' "${of_box[@]}" --spp 5 -o x.exr
cmp -s "$box" c.ckpt || fail 'a file that is no checkpoint is overwritten'
expect 1 'cannot be written' render box.toml "${small[@]}" --checkpoint no-folder/c.ckpt -o x.exr
# The display is no part of the samples.
cp kept.ckpt c.ckpt
expect 0 'continues after 3 of 4' "${of_box[@]}" --spp 4 --film-exposure 1 -o x.exr
finish
