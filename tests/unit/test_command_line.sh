#!/usr/bin/env bash
# Tests the command line: exit codes, one-line error messages, output files.
# usage: test_command_line.sh TREELIGHT SOURCE_DIR
set -uo pipefail
treelight=$1 source_dir=$2
box=$source_dir/scenes/cornell-box.toml
# shellcheck source=tests/unit/command_line_checks.sh
. "$source_dir/tests/unit/command_line_checks.sh"

expect 0 'render' --help
expect 0 'treelight 1' --version
expect 0 '--whitted-max-depth' render --help-all
expect 0 '--spp' render --help
# Mesa's libraries leak a few bytes when they are unloaded.
ASAN_OPTIONS=detect_leaks=0 expect 0 'lbvh' info
ASAN_OPTIONS=detect_leaks=0 expect 0 'Singular value decomposition' info
for word in auto off; do grep -q "or $word; default $word)" out.txt || fail "info names no default '$word'"; done
! grep -q 'or auto; default 0' out.txt || fail 'info prints 0 for auto'
# A driver that is older than the program, in place of the machine's.
if ! grep -q 'built without CUDA' out.txt && command -v cc > /dev/null; then
    mkdir driver
    echo 'int cuInit(unsigned flags) { return 0; } int cuDriverGetVersion(int* v) { return *v = 11080, 0; }
          int cuGetProcAddress(const char* name, void** f, int v, unsigned long flags) { return *f = 0, 500; }' |
        cc -w -shared -fPIC -x c - -o driver/libcuda.so.1
    LD_LIBRARY_PATH=driver expect 1 'the NVIDIA driver is for CUDA 11.8 and this program needs' render "$box" \
        --device cuda -o x.png
fi
expect 2 'known: view, render, compare, export, bench, solve, generate-solver, tune, info, completion, manual, help' no-such-command
expect 2 "did you mean 'render'?" rnder
expect 2 "unknown command 'foo' of 'treelight bench'; known: frame, trees, photons, octree, fmm, radiosity, queries, clouds, svd, svd-errors, eig, pose" bench foo
expect 2 "'treelight solve' needs a command; known: svd, eig, pose, lu, rref, solve, inverse, lstsq, pinv, matmul, water, sparse, fmm, form-factors, system, ransac" solve
expect 2 "unknown flag --spq of 'render'; did you mean '--spp'?" render "$box" --spq 3
expect 2 "unexpected argument 'extra' of 'render'" render "$box" extra
expect 2 '--spp needs a value: N' render "$box" --spp
expect 2 '--eye needs 3 values: X,Y,Z' render "$box" --eye 1,2
expect 2 '--spp is given more than once' render "$box" --spp 1 --spp 2
expect 2 "--seed: -1 is no whole number from 0" render "$box" --seed -1
expect 2 "--seed: 'x' is no number that it takes" render "$box" --seed x
expect 2 "'compare' needs test: the picture to compare" compare x.png
expect 0 'default 64' render --help
expect 2 'no-such-flag' render "$box" --no-such-flag
expect 2 "known: hploc" render "$box" --builder nope
expect 2 "known: whitted" render "$box" --renderer nope
expect 2 'WIDTHxHEIGHT' render "$box" --size 12
expect 2 'WIDTHxHEIGHT' render "$box" --size 0x10
expect 2 'integer 0 to 32' render "$box" --whitted-max-depth 99
expect 2 'known: .png, .jpg, .exr, .hdr' render "$box" -o picture.gif
expect 2 'needs a scene' render
expect 2 'unknown flag --foo' --foo
expect 2 'not finite' render "$box" --eye nan,1,1
for wrong in nan inf -inf 1e400; do
    for flag in fov lens-radius focus-distance time; do
        expect 2 "--$flag" render "$box" "--$flag=$wrong"
    done
    expect 2 '--ui-scale' view "$box" --offscreen --frames 1 "--ui-scale=$wrong"
    expect 2 '--time' export "$box" -o x.glb "--time=$wrong"
    expect 2 '--distance' solve form-factors "$box" --out x.npy "--distance=$wrong"
    expect 2 '--time' solve form-factors "$box" --out x.npy "--time=$wrong"
    expect 2 '--seconds' bench svd "--seconds=$wrong"
    expect 2 '--most' compare x.png y.png "--most=$wrong"
done
expect 2 '--ui-scale' view "$box" --offscreen --frames 1 --ui-scale 0.001
for wrong in -1 99999999999 nan; do
    expect 2 '--frames' view "$box" --offscreen "--frames=$wrong"
    expect 2 '--spp' view "$box" --offscreen --frames 1 "--spp=$wrong"
    expect 2 '--spp' render "$box" "--spp=$wrong"
    expect 2 '--frames' bench frame "$box" "--frames=$wrong"
done
expect 2 '-1 is no whole number from 0' render "$box" --seed=-1
mkfifo pipe.mtx
expect 1 'pipe.mtx: is not a regular file but a pipe' solve svd --input pipe.mtx
expect 1 'pipe.mtx: is not a regular file but a pipe' compare pipe.mtx pipe.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n900000 900000 0\n' >huge.mtx
expect 1 'huge.mtx:2: a matrix of 900000x900000' solve svd --input huge.mtx
expect 2 'same point' render "$box" --eye 1,1,1 --target 1,1,1
expect 2 'up has no length' render "$box" --up 0,0,0
expect 2 '.png' view "$box" --offscreen --frames 1 --screenshot-ui x.hdr
printf '[render]\nrenderer = "nobody"\n' >wrong.toml
expect 1 "wrong.toml:1: [render] unknown renderer 'nobody'; known: whitted" render wrong.toml
printf '[whitted]\nmax-depth = 99\n' >wrong.toml
expect 1 'wrong.toml:1: [whitted] setting max-depth' render wrong.toml
# Errors about the camera in a file name the file and line, not the camera flags.
printf '[camera]\nlens-radius = 1\n\nup = [0, 0, 0]\n' >wrong.toml
expect 1 'wrong.toml:4: [camera] up has no length' render wrong.toml
printf 'v 1e15 1e15 1e15\nv -1e15 1e15 1e15\nv 1e15 -1e15 1e15\nf 1 2 3\n' >far.obj
expect 1 'far.obj: no camera can be placed that shows all of it' render far.obj
# Control characters from files are escaped in messages.
printf '[render]\nrenderer = "a\\u001b[31m\\nb"\n' >wrong.toml
expect 1 "unknown renderer 'a\\x1b[31m b'; known: whitted" render wrong.toml
printf '"a\\u001b\\nb" = 1\n[[sphere]]\ncenter = [0, 0, 0]\nradius = 1\n' >odd.toml
"$treelight" render odd.toml --size 8x8 --spp 1 --device cpu >out.txt 2>err.txt
grep -qF "treelight: warning: odd.toml:1: unknown key 'a\x1b\x0ab'" err.txt || fail "a warning: $(cat err.txt)"
[[ $(wc -l <err.txt) == 1 ]] || fail "a warning is not one line: $(cat err.txt)"
expect 1 'missing.toml' render missing.toml
expect 1 'known:' render generate:nothing
expect 1 'no-such-folder' render "$box" --size 8x8 --spp 1 -o no-such-folder/x.png


# Unwritable output files are refused before the work starts, and a failed write to standard output is an error.
mkdir folder.png
before=$SECONDS
expect 1 'folder.png: cannot be written: Is a directory' render "$box" --spp 100000 -o folder.png
expect 1 'no/b.json: cannot be written' bench frame "$box" --frames 100000 --json no/b.json
expect 1 'no/b.json: cannot be written' bench trees --json no/b.json
expect 1 'no/b.json: cannot be written' bench photons --points 10000000 --json no/b.json
expect 1 'no/b.json: cannot be written' bench svd --sizes 2048x2048 --device cpu --json no/b.json
expect 1 'no/s_U.npy: cannot be written' solve svd --rows 2048 --device cpu --out no/s
expect 1 'no/F.npy: cannot be written' solve form-factors "$box" --samples 4096 --device cpu --out no/F.npy
expect 2 'it is written as .npy' solve form-factors "$box" --out F.txt
expect 1 'no/d.png: cannot be written' compare missing.exr missing.exr -o no/d.png
((SECONDS - before < 20)) || fail 'the work was done before the file was tried'
if [[ -e /dev/full ]]; then
    for command in --help --version 'info --json' 'solve svd --rows 8 --device cpu'; do
        # shellcheck disable=SC2086
        ASAN_OPTIONS=detect_leaks=0 "$treelight" $command >/dev/full 2>err.txt
        got=$?
        [[ $got == 1 && $(cat err.txt) == 'treelight: standard output cannot be written'* &&
            $(wc -l <err.txt) == 1 ]] || fail "treelight $command >/dev/full: exit $got, $(cat err.txt)"
    done
fi

# Commands end with a message under any limit of address space. Skipped with sanitizers, which reserve terabytes.
limits=(200000 300000 440000 700000)
(ulimit -v 4000000 && "$treelight" --version) >/dev/null 2>&1 || limits=()
for limit in "${limits[@]}"; do
    for command in info "render $box --size 8x8 --spp 1 --device cpu" 'solve lu --rows 64 --device cpu' \
        "view $box --offscreen --frames 1 --size 64x64"; do
        # shellcheck disable=SC2086
        (ulimit -v $limit && timeout 60 "$treelight" $command) >out.txt 2>&1
        got=$?
        [[ $got == 0 || $got == 1 || $got == 127 ]] && [[ -s out.txt ]] ||
            fail "treelight $command within $limit kB: exit $got, $(cat out.txt)"
    done
done

# Content that the renderer cannot show is a warning.
{
    printf 'ply\nformat ascii 1.0\nelement vertex 1\n'
    printf 'property float %s\n' x y z f_dc_0 f_dc_1 f_dc_2 opacity scale_0 scale_1 scale_2 rot_0 rot_1 rot_2 rot_3
    printf 'end_header\n0 0 0 1 1 1 5 -1 -1 -1 1 0 0 0\n'
} >gs.ply
unshown="treelight: warning: the renderer 'points' does not show the scene's Gaussians; the renderers path, photon"
expect 0 "$unshown" render gs.ply --renderer points --size 8x8 --spp 1 --device cpu -o gs.png
expect 0 "$unshown" render gs.ply --renderer points --size 8x8 --spp 1 --device cpu --frames 0:0 -o gs%d.png
expect 0 "$unshown" bench frame gs.ply --renderer points --size 8x8 --frames 1 --warmup 0 --device cpu
"$treelight" render gs.ply --size 8x8 --spp 1 --device cpu -o gs.png 2>err.txt >/dev/null
[[ ! -s err.txt ]] || fail "a warning without cause: $(cat err.txt)"
expect 0 'samples a pixel' render "$box" --renderer photon --photon-mode vcm --photon-max-depth 0 --size 8x8 --spp 2 \
    --device cpu -o vcm.exr

expect 2 'one of box, tent, blackman-harris' render "$box" --sampling-filter gauss
expect 0 ', 1 sample a pixel' render "$box" --size 24x16 --spp 1 --device cpu
# Several devices share a picture, which is that of one.
expect 0 ' on 2 x ' render "$box" --renderer path --size 50x40 --spp 2 --device cpu,cpu -o two.exr
expect 0 'on ' render "$box" --renderer path --size 50x40 --spp 2 --device cpu -o one.exr
cmp -s one.exr two.exr || fail 'two devices make another picture than one'
expect 0 'frames in flight' bench frame "$box" --size 8x8 --frames 1 --warmup 0 --device cpu,cpu
expect 2 "unknown device 'gpu'" render "$box" --size 8x8 --spp 1 --device cpu,gpu
expect 2 "one device, not 'cpu,cpu'" solve svd --rows 8 --device cpu,cpu

# Names of former settings and values are accepted, each with one warning.
expect 0 'setting whitted.packets no longer exists' render "$box" --size 8x8 --spp 1 --device cpu --whitted-packets false
expect 0 "'cwbvh' no longer exists; 'auto' is used" render "$box" --size 8x8 --spp 1 --device cpu --tree-layout cwbvh
expect 0 "auto" bench trees --mesh generate:sphere-flake,depth=1 --builders lbvh --layouts cwbvh --size 8x8 --repeat 1 \
    --device cpu --json former.json
! grep -q cwbvh former.json || fail 'a retired layout stands in a report'
! "$treelight" render --help-all | grep -q -e whitted-packets -e cwbvh || fail 'former settings are listed'
sed 's/^\[whitted\]/[tree]\nlayout = "cwbvh"\n\n[whitted]\norder = "row"/' "$box" >former.toml
expect 0 'setting whitted.order no longer exists' render former.toml --size 8x8 --spp 1 --device cpu
[[ $(grep -c 'no longer exists' err.txt) == 2 ]] || fail "two warnings of former settings: $(cat err.txt)"
expect 0 'samples a pixel' render "$box" --size 24x16 --spp 64 --device cpu --sampling-error 0.05
grep -q '(at most' out.txt || fail "no mean of the samples: $(cat out.txt)"
printf '[sampling]\nerror = 2\n' >wrong.toml
expect 1 'wrong.toml:1: [sampling] setting error' render wrong.toml
expect 1 'no-such.hdr' render "$box" --environment no-such.hdr
"$treelight" render "$box" --size 24x16 --spp 1 --device cpu -o sky.hdr >/dev/null
expect 0 'x.png' render generate:blob --environment sky.hdr --lens-radius 0.1 --focus-distance 2 \
    --size 24x16 --spp 1 --device cpu -o x.png
expect 2 '--lens-radius' render "$box" --lens-radius -1

for ending in png jpg jpeg hdr exr; do
    expect 0 "x.$ending" render "$box" --size 24x16 --spp 1 --device cpu -o "x.$ending"
    [[ -s x.$ending ]] || fail "x.$ending was not written"
done
# PNG of 16 bits: the byte of the header that has the bits of a channel.
small=(--size 24x16 --spp 2 --device cpu)
bits_of() { od -An -j24 -N1 -tu1 "$1" | tr -d ' '; }
expect 0 'deep.png' render "$box" "${small[@]}" --png-bits 16 -o deep.png
expect 0 'deep%d.png' render "$box" "${small[@]}" --png-bits 16 --frames 0:0 -o deep%d.png
expect 0 'plain.png' render "$box" "${small[@]}" -o plain.png
[[ $(bits_of deep.png) == 16 && $(bits_of deep0.png) == 16 && $(bits_of plain.png) == 8 ]] ||
    fail "bits of PNGs: $(bits_of deep.png) $(bits_of deep0.png) $(bits_of plain.png)"
expect 0 'psnr' compare deep.png plain.png --metric psnr --most 45
expect 2 '--png-bits is for .png' render "$box" --png-bits 16 -o x.exr
expect 2 '--png-bits' render "$box" --png-bits 12 -o x.png

# A region: its pixels are sampled, and the rest is black.
expect 0 'only 5,4 to 20,12' render "$box" "${small[@]}" --renderer path --region 5,4,20,12 -o part.exr
expect 0 'all.exr' render "$box" "${small[@]}" --renderer path -o all.exr
expect 0 'whole.exr' render "$box" "${small[@]}" --renderer path --region 0,0,24,16 -o whole.exr
cmp -s all.exr whole.exr || fail 'a region of all pixels makes another picture'
! cmp -s all.exr part.exr || fail 'a region leaves no pixels out'
expect 0 'part%d.exr' render "$box" "${small[@]}" --renderer path --region 5,4,20,12 --frames 0:0 -o part%d.exr
cmp -s part.exr part0.exr || fail 'a sequence has another region'
expect 2 'the picture has 24x16 pixels' render "$box" "${small[@]}" --region 5,4,25,12
expect 2 'it has no pixels' render "$box" "${small[@]}" --region 5,4,5,12
expect 2 '--region needs 4 values: X0,Y0,X1,Y1' render "$box" --region 5,4
expect 1 "the renderer 'heat-map' shows numbers" render "$box" "${small[@]}" --renderer heat-map --region 0,0,5,5
expect 0 'first.png' render "$box" --size 24x16 --spp 2 --seed 5 --device cpu -o first.png
expect 0 'again.png' render "$box" --size 24x16 --spp 2 --seed 5 --device cpu -o again.png
cmp -s first.png again.png || fail 'the same seed gave two pictures'

# A picture that is compared is read before anything else.
expect 1 'none.exr: no such file' view "$box" --offscreen --frames 1 --compare-picture none.exr
expect 2 'side B is a picture or has settings' view "$box" --offscreen --frames 1 --compare-picture x.png --compare lbvh
expect 2 'a picture from a file has no settings' view "$box" --offscreen --frames 1 \
    --compare-with picture=plain.png,renderer=path
expect 2 'need --compare-with SETTINGS or --compare-picture FILE' view "$box" --offscreen --frames 1 --difference

expect 2 '--motion-samples' view "$box" --offscreen --frames 1 --motion-samples 2
expect 2 '--motion-resolution' view "$box" --offscreen --frames 1 --motion-resolution sometimes

# A long render prints only its result into a pipe, and keeps its samples on Ctrl+C.
"$treelight" render "$box" --device cpu --size 16x16 --spp 40 -o quiet.exr >out.txt 2>err.txt
[[ ! -s err.txt && $(wc -l <out.txt) == 1 ]] || fail "render writes more than its result: $(cat out.txt err.txt)"
"$treelight" render "$box" --device cpu --size 64x64 --spp 1000000 -o stopped.exr >out.txt 2>err.txt &
renderer=$!
sleep 3
kill -INT "$renderer"
wait "$renderer"
got=$?
[[ $got == 1 && -s stopped.exr ]] || fail "render, stopped by Ctrl+C: exit $got, $(ls -l stopped.exr)"
grep -q 'stopped by Ctrl+C after [0-9]* of 1000000 samples; stopped.exr holds these' err.txt ||
    fail "render, stopped by Ctrl+C: $(cat err.txt)"

# Files outside of a scene's folder are read only with --allow-outside.
mkdir strange
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >apart.obj
printf '[[mesh]]\nfile = "../apart.obj"\n' >strange/scene.toml
apart="strange/scene.toml:2: '../apart.obj' lies outside of the scene's folder: --allow-outside"
picture=(--size 8x8 --spp 1 --device cpu)
expect 1 "$apart" render strange/scene.toml "${picture[@]}" -o x.png
expect 0 'x.png' render strange/scene.toml "${picture[@]}" -o x.png --allow-outside
expect 1 "$apart" export strange/scene.toml -o x.glb
expect 0 'x.glb: ' export strange/scene.toml -o x.glb --allow-outside
expect 1 "$apart" bench trees --mesh strange/scene.toml --device cpu
expect 1 "$apart" solve form-factors strange/scene.toml --out f.npy --device cpu
expect 0 '--allow-outside' view --help-all
expect 0 '--allow-outside' bench frame --help-all
expect 0 '--allow-outside' solve form-factors --help-all

# Comparison of two pictures.
for seed in 1 2; do
    "$treelight" render "$box" --device cpu --size 32x24 --spp 1 --seed "$seed" -o "$seed.exr" >out.txt
    "$treelight" render "$box" --device cpu --size 32x24 --spp 1 --seed "$seed" -o "$seed.png" >out.txt
done
expect 0 'flip 0' compare 1.exr 1.exr --most 0
expect 0 'psnr inf' compare 1.png 1.png --metric psnr --most 50
expect 0 'relmse ' compare 1.exr 2.exr --metric relmse -o difference.png --most 100
[[ $(head -c 8 difference.png) == $(printf '\x89PNG\r\n\x1a\n') ]] || fail 'the picture of errors is no PNG'
expect 1 'more than 0.0001' compare 1.exr 2.exr --most 0.0001
expect 1 'less than 90' compare 1.png 2.png --metric psnr --most 90
expect 1 'two of a kind' compare 1.exr 1.png
"$treelight" render "$box" --device cpu --size 16x16 --spp 1 -o small.exr >out.txt
expect 1 'pictures of one size' compare 1.exr small.exr
expect 1 'none.exr' compare none.exr 1.exr
expect 2 'nope' compare 1.exr 2.exr --metric nope

# Scenes exported as binary glTF look the same when loaded again.
same=(--device cpu --size 48x36 --spp 4)
# looks_the_same SCENE RENDERER MOST FLAGS...: checks that pictures of a scene and of its export differ by at most MOST.
looks_the_same() {
    local scene=$1 renderer=$2 most=$3
    shift 3
    expect 0 'x.glb: ' export "$scene" -o x.glb
    expect 0 'r.exr' render "$scene" "${same[@]}" --renderer "$renderer" "$@" -o r.exr
    expect 0 't.exr' render x.glb "${same[@]}" --renderer "$renderer" "$@" -o t.exr
    expect 0 'flip ' compare r.exr t.exr --most "$most"
}
looks_the_same "$box" path 0.0001
looks_the_same "$box" whitted 0.0001 --whitted-ambient 0
looks_the_same "$source_dir/scenes/textures.toml" aov 0.001 --aov-channel uv
# The mirror is a metal in the exported file, which consumes other random numbers: the noise differs.
looks_the_same "$source_dir/scenes/textures.toml" path 0.01
looks_the_same "$source_dir/scenes/sphere-flake.toml" aov 0.001 --aov-channel shading-normal
looks_the_same "$source_dir/scenes/toasters.toml" whitted 0.001 --whitted-ambient 0 --time 5
looks_the_same generate:crowd,count=100,walk=false aov 0.001 --aov-channel shading-normal
looks_the_same "$source_dir/scenes/teapot.toml" aov 0.01 --aov-channel shading-normal
looks_the_same generate:waves,triangles=2000 aov 0.002 --aov-channel shading-normal
expect 0 'x.glb: ' export generate:waves,triangles=2000 --time 2.5 -o x.glb
expect 0 'r.exr' render generate:waves,triangles=2000 "${same[@]}" --renderer aov --time 2.5 -o r.exr
expect 0 't.exr' render x.glb "${same[@]}" --renderer aov -o t.exr
expect 0 'flip ' compare r.exr t.exr --most 0.0001
expect 2 '--time' export "$box" --time -1 -o x.glb
expect 0 'Bezier patches as' export "$source_dir/scenes/teapot.toml" -o x.glb
expect 2 'export needs a scene' export
expect 2 'name it .glb' export "$box" -o x.obj
expect 0 'x.toml: refers to ' export "$box" -o x.toml
expect 0 'y.toml: refers to ' export x.toml -o y.toml
cmp x.toml y.toml || fail 'a scene file that is written again differs'
expect 1 'choose another name' export y.toml -o "$box"
expect 2 '--time is for glTF' export "$box" -o x.toml --time 1
rm -f x.toml y.toml
expect 0 'x.ply: 500 points on ' export "$box" --points 500 -o x.ply
expect 0 'y.ply: 500 points on ' export "$box" --points 500 -o y.ply
cmp x.ply y.ply || fail 'points that are sampled again differ'
expect 0 '' render x.ply --size 16x16 --spp 1 -o x.png
expect 2 'say how many' export "$box" -o x.ply
expect 2 'written as .ply' export "$box" --points 5 -o x.glb
expect 2 '--points' export "$box" --points 0 -o x.ply
expect 0 'x.ply: light at ' export "$box" --illumination --radiosity-points 300 -o x.ply --device cpu
head -n 25 x.ply | grep -qa 'property float radiosity_blue' || fail 'an illumination map without radiosity'
expect 0 '' render x.ply --size 16x16 --spp 1 -o x.png
expect 0 'allows more' export "$box" --illumination --radiosity-points 300 --radiosity-bounces 1 -o x.ply --device cpu
expect 2 'written as .ply' export "$box" --illumination -o x.glb
expect 2 '--radiosity-points' export "$box" --illumination --points 5 -o x.ply
expect 2 'always the same' export "$box" --illumination --seed 5 -o x.ply
expect 2 '--radiosity-bounces is for --illumination' export "$box" --radiosity-bounces 5 -o x.glb
expect 2 'octree-levels' render "$box" --radiosity-octree-levels 22
rm -f x.ply y.ply x.png
expect 1 'no-such-folder/x.glb: cannot be written: No such file' export "$box" -o no-such-folder/x.glb
expect 1 'missing.toml' export missing.toml -o y.glb
[[ ! -e y.glb ]] || fail 'an export that failed left a file'
expect 0 '-o,--output' export --help
# Models of further formats, in builds with assimp.
printf 'OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' >t.off
printf 'solid nothing' >t.stl
ASAN_OPTIONS=detect_leaks=0 "$treelight" info >out.txt
if grep -qF .off out.txt; then
    grep -qF .fbx out.txt || fail 'info lists no .fbx'
    expect 0 'x.glb: 1 triangles' export t.off -o x.glb
    expect 1 't.stl' render t.stl
else
    expect 1 'libassimp-dev' render t.off
fi

# Auxiliary pictures: additional layers leave the picture unchanged.
expect 0 'a.exr' render "$box" --size 24x16 --spp 2 --device cpu --aov depth,shading-normal,instance -o a.exr
for channel in depth.Z shading-normal.X instance.ID; do
    head -c 600 a.exr | grep -qaF "$channel" || fail "a.exr has no channel $channel"
done
head -c 600 a.exr | grep -qaF albedo && fail 'a.exr has a layer that nobody asked for'
expect 2 'known: all, depth' render "$box" --aov depth,colour -o a.exr
expect 2 'which only .exr has' render "$box" --aov all -o a.png

expect 0 'Mrays/s' bench frame "$box" --size 32x24 --frames 3 --warmup 1 --device cpu --json b.json
python=$(command -v /usr/bin/python3 || command -v python3)
"$python" - <<'PY' || fail 'the benchmark report is not as documented'
import json
report = json.load(open("b.json"))
assert report["schema"] == 1 and report["kind"] == "frame" and report["frames"] == 3
names = [stage["name"] for stage in report["stages"]]
assert names == ["boxes", "build tree", "gather primitives", "trace and shade", "tone map", "frame"], names
assert all(0 <= s["median_ms"] <= s["p95_ms"] for s in report["stages"])
assert report["rays_per_frame"] >= 32 * 24 and report["mrays_per_s"] > 0
assert report["steady_state_allocations"] == 0
PY

# Rays of a frame traced without shading: their number and hits are those of the frame.
expect 0 'tracing and shading took' bench frame "$box" --size 32x24 --frames 2 --warmup 1 --device cpu \
    --tree-layout bvh2 --rays-alone --json r.json
"$python" - <<'PY' || fail 'the report on rays alone is not as documented'
import json
report = json.load(open("r.json"))
alone = report["rays_alone"]
kinds = {row["kind"]: row for row in alone["kinds"]}
assert list(kinds) == ["camera", "secondary", "shadow"], list(kinds)
assert kinds["camera"]["rays"] == 32 * 24
assert sum(row["rays"] for row in alone["kinds"]) == alone["counted_rays"] == report["rays_per_frame"]
assert all(row["different"] == 0 and row["hits"] > 0 and row["median_ms"] > 0 for row in alone["kinds"])
assert abs(alone["sum_ms"] * alone["ratio"] - alone["trace_and_shade_ms"]) < 1e-6
PY
expect 1 'choose a smaller size' bench frame "$box" --size 320x240 --frames 1 --warmup 0 --device cpu \
    --rays-alone --rays-memory 1
expect 1 'records no rays' bench frame "$box" --size 8x8 --frames 1 --renderer heat-map --device cpu --rays-alone

expect 0 'primary hits' bench trees --mesh generate:soup,triangles=500 \
    --mesh generate:blob,triangles=320 --size 32x24 --repeat 2 --device cpu --builders lbvh --json t.json
"$python" - <<'PY' || fail 'the report on trees is not as documented'
import json
report = json.load(open("t.json"))
assert report["schema"] == 1 and report["kind"] == "trees" and len(report["scenes"]) == 2
blob = report["scenes"][1]
assert blob["triangles"] == 320, blob["triangles"]
for row in blob["rows"]:
    assert row["builder"] == "lbvh" and row["primitives_in_leaves"] == 320 and row["errors"] == 0
    primary = row["primary"]
    assert primary["rays"] == 32 * 24 and 0 < primary["hits"] < primary["rays"]
    assert primary["hits"] < primary["sum_of_distances"] < 4 * primary["hits"]
    assert row["shadow"]["rays"] == row["diffuse"]["rays"] == primary["hits"]
    assert primary["steps_per_ray"] >= 1 and row["construct"]["median_ms"] > 0
PY
expect 0 'mean farthest' bench photons --points 2000 --places 500 --repeat 1 --device cpu \
    --json photons.json
"$python" - <<'PY' || fail 'the report on structures of photons is not as documented'
import json
report = json.load(open("photons.json"))
assert report["schema"] == 1 and report["kind"] == "photons" and report["points"] == 2000
rows = {row["structure"]: row for row in report["structures"]}
assert {"kd-tree", "grid", "cells", "octree", "windows", "hash", "bvh-lbvh"} <= set(rows)
assert rows["octree"]["mean_farthest"] == rows["kd-tree"]["mean_farthest"]
found = {row["mean_within"] for name, row in rows.items() if name != "hash"}
assert len(found) == 1 and rows["hash"]["mean_within"] <= found.pop(), rows
assert 0.5 < rows["hash"]["recall"] < 1 and "mean_farthest" not in rows["hash"]
assert 0.1 < rows["kd-tree"]["mean_farthest"] < 1 and rows["kd-tree"]["build_ms"] > 0
PY
"$treelight" bench photons --points 2000 --places 500 --repeat 1 --device cpu --json - >out.txt 2>err.txt
"$python" -c 'import json, sys; assert json.load(sys.stdin)["kind"] == "photons"' <out.txt ||
    fail "--json -: $(cat out.txt)"
grep -q 'mean farthest' err.txt || fail "--json -: no table: $(cat err.txt)"
expect 0 'signed distances of 9' bench queries --mesh generate:blob,triangles=1280 --points 200 --grid 9 --repeat 1 \
    --size 32x24 --device cpu --json queries.json
"$python" - <<'PY' || fail 'the report on queries is not as documented'
import json
report = json.load(open("queries.json"))
assert report["schema"] == 1 and report["kind"] == "queries" and report["points"] == 200
rows = {row["query"]: row for row in report["scenes"][0]["rows"]}
for ours, theirs in (("closest hits, camera", "camera"), ("closest hits, diffuse", "diffuse"), ("occluded", "occluded")):
    assert rows[ours]["found"] == rows["bench trees: " + theirs]["found"] > 0, ours
assert rows["closest points"]["found"] == 200 and rows["signed distances of 9^3"]["found"] == 9**3
assert rows["nearest 8 points"]["found"] == 1600 and rows["build"]["ms"] > 0
PY
if "$treelight" bench queries --mesh generate:blob,triangles=1280 --points 200 --grid 9 --repeat 1 --size 32x24 \
    --device cpu --peers --json peers.json >out.txt 2>err.txt; then
    "$python" - <<'PY' || fail 'the peers of queries find something else'
import json
rows = {row["query"]: row for row in json.load(open("peers.json"))["scenes"][0]["rows"]}
for peer in ("embree: ", "cgal: "):
    if peer + "camera" not in rows:
        continue
    for ours, theirs in (("closest hits, camera", "camera"), ("occluded", "occluded"), ("closest points",) * 2):
        assert abs(rows[ours]["found"] - rows[peer + theirs]["found"]) <= 2, peer + ours
PY
else
    grep -q 'this build has no Embree or no nanoflann' err.txt || fail "bench queries --peers: $(cat err.txt)"
fi
expect 2 'neighbours' bench queries --neighbours 129
expect 1 'no triangles to query' bench queries --mesh generate:patch-knot --device cpu --repeat 1 --size 8x8
expect 2 'known: kd-tree, grid' bench photons --points 10 --places 10 --structures nope
expect 2 'nearest' bench photons --nearest 129
for given in 'thesis radius' 'thesis density' 'vcm radius' 'vcm direct'; do
    expect 1 "photon: mode ${given% *} cannot show ${given#* }: take mode progressive or sppm" render "$box" \
        --renderer photon --photon-mode "${given% *}" --photon-show "${given#* }" --size 8x8 --spp 1 -o shown.png
done
expect 0 'update' bench octree --points 3000 --levels 5 --repeat 1 --device cpu --motion 1e-4 --json octree.json
"$python" - <<'PY' || fail 'the report on octrees is not as documented'
import json
report = json.load(open("octree.json"))
assert report["schema"] == 1 and report["kind"] == "octree" and report["points"] == 3000
assert report["leaf"] == 16 and report["curve"] == "morton"
rows = {row["builder"]: row for row in report["builders"]}
modern = rows["modern"]
assert modern["build"]["median_ms"] > 0 and modern["stages_ms"]["sort"] >= 0
assert 3000 / 16 < modern["leaves"] < modern["nodes"] < 3000 and modern["dropped"] == 0
assert 12.5 < modern["area"] < 20, "the surface's, which is somewhat larger than a sphere's"
assert {"direct", "bottom-up", "top-down"} < set(rows)
assert len({rows[id]["nodes"] for id in ("modern", "direct", "bottom-up", "top-down")}) == 1
assert rows["update"]["points"] == 3000
PY
expect 0 'hilbert' bench octree --input generate:blob --order hilbert --leaf 8 --repeat 1 --device cpu --builders modern
expect 2 'known: modern' bench octree --builders nope
expect 0 '0 on the wrong side' bench clouds --points 3000 --noise 0.1 --repeat 1 --device cpu --json clouds.json
grep -q '"kind": "clouds"' clouds.json || fail 'bench clouds: no report'
expect 2 'leaf' bench octree --leaf 257
expect 0 'errors: rms' bench fmm --points 3000 --repeat 1 --device cpu --direct --json fmm.json
"$python" - <<'PY' || fail 'the report on sums by expansions is not as documented'
import json
report = json.load(open("fmm.json"))
assert report["schema"] == 1 and report["kind"] == "fmm"
sums = report["sums"]
assert sums["kernel"] == "radiosity" and sums["shape"] == "box" and sums["points"] == 3000
assert 0 < sums["error"]["rms"] < sums["asked_error"] and sums["error"]["median"] <= sums["error"]["p99"]
assert sums["near_links"] > 0 and 0 < sums["point_pairs"] < sums["all_pairs"] == 9e6
assert {"upward", "far", "near", "downward"} == set(sums["stages_ms"]) and sums["direct"]["median_ms"] > 0
PY
expect 0 'order 4' bench fmm --kernel inverse-distance --shape plummer --order 4 --points 2000 --repeat 1 --device cpu
expect 0 'harmonics of order 4' bench fmm --expansions harmonics --order 4 --points 2000 --repeat 1 --device cpu
expect 2 'order' bench fmm --order 9
expect 2 'order' bench fmm --order 8 --points 100 --repeat 1 --device cpu
expect 2 'expansions' bench fmm --expansions nope
expect 2 'error' bench fmm --error 1e-7
few_points=(--points 300 --modes fmm --bounces 1 --check 0 --repeat 1 --device cpu)
expect 0 'same pictures' bench radiosity --scene "$source_dir/scenes/two-rooms.toml" --frames 1 "${few_points[@]}" \
    --json radiosity.json
"$python" - <<'PY' || fail 'the report on links in motion is not as documented'
import json
motion = json.load(open("radiosity.json"))["modes"][0]["motion"]
assert motion["frames"] == motion["same_pictures"] == 1 and 0.5 < motion["known_share"] < 1
assert motion["rays"] < motion["rays_from_nothing"] and motion["links_ms"] > 0
PY
expect 1 'nothing moves' bench radiosity --frames 1 "${few_points[@]}"
expect 2 'known: hploc' bench trees --builders nope
expect 2 'layout' bench trees --layouts nope
expect 1 'depth' bench trees --mesh generate:sphere-flake,depth=nope

# Benchmarks print each row when it is measured, and show progress only on a terminal.
"$python" - "$treelight" <<'PY' || fail 'rows or progress of a benchmark do not come as documented'
import os, pty, subprocess, sys
command = [sys.argv[1], "bench", "photons", "--points", "20000", "--places", "20000", "--device", "cpu"]
bench = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
first = os.read(bench.stdout.fileno(), 1 << 16).decode()
rest, errors = bench.communicate()
rest = rest.decode()
assert bench.returncode == 0 and errors == b"", errors
assert "median of at most 10" in first and "bvh-lbvh" not in first and "bvh-lbvh" in rest, (first, rest)
master, terminal = pty.openpty()
environment = dict(os.environ, TERM="xterm")
bench = subprocess.Popen(command + ["--structures", "kd-tree,grid"], stdout=subprocess.DEVNULL,
                         stderr=terminal, env=environment)
os.close(terminal)
shown = b""
try:
    while block := os.read(master, 4096):
        shown += block
except OSError:
    pass  # the terminal has no writer any more
assert bench.wait() == 0 and b"0 of 2 rows, kd-tree" in shown and b"1 of 2 rows, grid" in shown, shown
assert b" left" in shown and shown.endswith(b"\x1b[K"), shown
PY

# Singular values of a generated matrix and of the program's own output file, written as files that NumPy can read.
expect 0 'divide-conquer' solve svd --kind geometric --rows 40 --cols 30 --cond 1e14 --seed 3 --device cpu --out s
expect 0 'backward error' solve svd --input s_U.npy --mode golub-reinsch --vectors full --device cpu --precision float --out t
"$python" - <<'PY' || fail 'the decomposition is not as documented'
import ast, json, struct
def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    size = struct.unpack("<H", data[8:10])[0]
    assert (10 + size) % 64 == 0
    header = ast.literal_eval(data[10:10 + size].decode())
    assert header["fortran_order"]
    kind = {"<f8": "d", "<f4": "f"}[header["descr"]]
    return header["shape"], struct.unpack("<%d%s" % ((len(data) - 10 - size) // struct.calcsize(kind), kind), data[10 + size:])
shape, u = read("s_U.npy")
assert shape == (40, 30) and len(u) == 1200
assert read("s_V.npy")[0] == (30, 30)
shape, s = read("s_S.npy")
assert shape == (30,) and abs(s[0] - 1) < 1e-13 and abs(s[29] - 1e-14) < 1e-15
assert read("t_U.npy")[0] == (40, 40) and all(abs(x - 1) < 1e-5 for x in read("t_S.npy")[1])
report = json.load(open("s.json"))
assert report["schema"] == 1 and report["kind"] == "svd" and report["mode"] == "divide-conquer"
accuracy = report["accuracy"]
assert 0 < accuracy["residual"] < 1e-14 and 0 < accuracy["orthogonality_u"] < 1e-14
assert accuracy["value_error"] < 1e-14 and report["stages"][-1]["name"] == "total"
PY
# Results of several files replace older ones all together, or not at all.
[[ $(find . -name '*.part') == '' ]] || fail "an unfinished file was left: $(ls -a)"
expect 1 's_U.npy: is of an earlier decomposition' solve svd --rows 4 --vectors none --device cpu --out s
cp s_S.npy kept.npy
(ulimit -f 16; exec "$treelight" solve svd --rows 200 --device cpu --out s) >out.txt 2>err.txt
got=$?
[[ $got == 1 && $(wc -l <err.txt) == 1 ]] || fail "a result that does not fit: exit $got, $(cat err.txt)"
cmp -s s_S.npy kept.npy || fail "a result that does not fit has replaced a part of an older one: $(ls -la)"
[[ $(find . -name '*.part') == '' ]] || fail "an unfinished file was left: $(ls -a)"
expect 0 'randomised' solve svd --rows 400 --rank 5 --vectors none --device cpu
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n' >short.mtx
expect 1 'short.mtx:6: the file ends early' solve svd --input short.mtx
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n0\nnan\n1\n' >nan.mtx
expect 1 'nan.mtx:5: element (0, 1), counted from 0, is not finite' solve svd --input nan.mtx --device cpu
expect 1 'MB are free' solve svd --rows 1000000 --device cpu
expect 2 'needs a matrix' solve svd
expect 2 'known: auto, divide-conquer' solve svd --rows 4 --mode nope --device cpu
expect 2 'known: uniform' solve svd --rows 4 --kind nope --device cpu
expect 1 'does not run on cpu' solve svd --rows 4 --mode cusolver-gesvd --device cpu
expect 2 'it may be 0 (all) to 4' solve svd --rows 4 --rank 5 --device cpu
expect 2 'integer 0 to 64' solve svd --rows 4 --divide-conquer-block 99
expect 0 'lapack-gesvd' bench svd --sizes 40x40,60x20 --kinds uniform,clustered --peers --repeat 2 --device cpu --json v.json
"$python" - <<'PY' || fail 'the report on decompositions is not as documented'
import json
report = json.load(open("v.json"))
assert report["schema"] == 1 and report["kind"] == "svd" and len(report["matrices"]) == 4
for matrix in report["matrices"]:
    modes = [row["mode"] for row in matrix["modes"]]
    assert modes == ["divide-conquer", "golub-reinsch", "lapack-gesdd", "lapack-gesvd"], modes
    for row in matrix["modes"]:
        assert 0 < row["median_s"] <= row["p95_s"] and row["repeats"] == 2
        assert 0 < row["accuracy"]["residual"] < 1e-13
PY
expect 0 '90x30 uniform' bench svd --vectors full --modes golub-reinsch --golub-reinsch-qr-ratio 1000 --sizes 90x30 \
    --repeat 1 --device cpu --json vf.json
"$python" - <<'PY' || fail 'a tall matrix with full vectors is not decomposed as it is'
import json
row = json.load(open("vf.json"))["matrices"][0]["modes"][0]
assert "QR" not in [stage["name"] for stage in row["stages"]] and row["accuracy"]["orthogonality_u"] < 1e-13
PY
expect 2 '--rank: -1 is no number from 0' bench svd --rank -1 --sizes 8x8 --device cpu
expect 2 'it may be 0 (all) to 8' bench svd --rank 9 --sizes 20x20,8x8 --device cpu
expect 1 'decompositions that failed: 1; the table tells why' bench svd --modes randomised,divide-conquer \
    --sizes 8x8 --repeat 1 --device cpu --json f.json
grep -q 'needs a rank' f.json || fail "the report of a failed mode: $(cat f.json)"
expect 2 'condition number' bench svd --cond nan --sizes 8x8 --device cpu
expect 2 'ROWSxCOLS' bench svd --sizes 12 --device cpu
expect 0 'against extended precision' bench svd-errors --sizes 24x16 --seeds 3 --kinds uniform,zero --device cpu \
    --json e.json --csv e.csv
"$python" - <<'PY' || fail 'the errors of singular values are not as documented'
import csv, json
report = json.load(open("e.json"))
assert report["schema"] == 1 and report["kind"] == "svd-errors" and report["seeds"] == 3
uniform, zero = report["matrices"]
assert len(uniform["values"]) == 16
for mode in uniform["modes"]:
    values = mode["values"]
    assert max(values["relative_max"]) == mode["relative_max"] < 1e-13, mode
    assert all(0 < mean <= most for mean, most in zip(values["relative_mean"], values["relative_max"]))
    assert len(values["u_max"]) == 16 and max(values["v_max"]) == mode["v_max"] < 1e-12, mode
    assert 0 < mode["u_mean"] < mode["u_max"] < 1e-12 and 0 < mode["residual_mean"] <= mode["residual_max"] < 1e-14
    assert 0 < mode["product_mean"] < mode["product_max"] < 1e-13, mode
assert uniform["vectors"]["pairs"] == 48 and uniform["vectors"]["left_out"] == 0
assert zero["vectors"]["left_out"] == 48 and zero["modes"][0]["u_mean"] is None
assert zero["modes"][0]["relative_mean"] is None and zero["modes"][0]["absolute_max"] == 0
rows = list(csv.DictReader(open("e.csv")))
assert len(rows) == 2 * 2 * 16
assert float(rows[0]["relative_mean"]) > 0 and rows[-1]["relative_mean"] == ""
assert float(rows[0]["u_max"]) > 0 and rows[0]["left_out"] == "0" and float(rows[0]["residual_mean"]) > 0
assert rows[-1]["v_max"] == "" and rows[-1]["left_out"] == "3"
PY
expect 2 '--seeds' bench svd-errors --seeds 0
expect 1 'modes that failed: 1' bench svd-errors --sizes 8x8 --modes randomised --seeds 1 --device cpu --csv e.csv
"$python" -c 'import csv; row, = csv.DictReader(open("e.csv")); assert "needs a rank" in row["error"] and not row["residual_max"], row' ||
    fail "the row of a failed mode: $(cat e.csv)"
expect 0 'pairs of vectors are left out' bench svd-errors --sizes 9x5 --seeds 2 --precision float --device cpu
expect 1 'no/e.csv: cannot be written' bench svd-errors --csv no/e.csv --device cpu

# Dense algebra: factors, row echelon forms, solutions and inverses, written as files that NumPy can read.
printf '%%%%MatrixMarket matrix array real general\n3 3\n0\n4\n8\n1\n1\n7\n2\n6\n3\n' >d.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n8\n24\n31\n' >rhs.mtx
expect 0 'zero pivot           none' solve lu --input d.mtx --device cpu --out d
grep -qE '^determinant +[0-9.]+ \* 2\^' out.txt || fail "a determinant: $(cat out.txt)"
expect 0 'zero pivot           column 0, counted from 0' solve lu --kind zero --rows 4 --device cpu
expect 0 'devices              3' solve lu --input d.mtx --device cpu,cpu,cpu --blocked-leaf 2 --blocked-block 2 --out parts
expect 0 'rank                 3' solve rref --input d.mtx --device cpu --out r
expect 0 'backward error' solve solve --input d.mtx --rhs rhs.mtx --device cpu --out x
expect 0 'condition' solve inverse --input d.mtx --device cpu --precision float --out i
"$python" - <<'PY' || fail 'the results of dense algebra are not as documented'
import ast, json, struct
def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    kind = {"<f8": "d", "<f4": "f", "<i4": "i"}[header["descr"]]
    count = (len(data) - 10 - size) // struct.calcsize(kind)
    flat = struct.unpack("<%d%s" % (count, kind), data[10 + size:])
    if len(header["shape"]) == 1: return list(flat)
    rows, cols = header["shape"]
    return [[flat[i + j * rows] for j in range(cols)] for i in range(rows)]
a = [[0, 1, 2], [4, 1, 6], [8, 7, 3]]
times = lambda x, y: [[sum(p * q for p, q in zip(row, col)) for col in zip(*y)] for row in x]
near = lambda x, y, e: all(abs(p - q) <= e for r, s in zip(x, y) for p, q in zip(r, s))
for lu in "d", "parts":
    assert near(times(read(lu + "_L.npy"), read(lu + "_U.npy")), [a[i] for i in read(lu + "_p.npy")], 1e-14)
one = [[float(i == j) for j in range(3)] for i in range(3)]
assert read("r_R.npy") == one and near(times(a, read("i_X.npy")), one, 1e-5)
assert near(read("x_X.npy"), [[1], [2], [3]], 1e-14)
report = json.load(open("d.json"))
assert report["schema"] == 1 and report["kind"] == "lu" and report["mode"] == "blocked"
determinant = report["results"]["determinant"]
assert abs(determinant["mantissa"] * 2 ** determinant["exponent"] - 76) < 1e-12
parts = json.load(open("parts.json"))
assert parts["device"] == "cpu,cpu,cpu"
assert abs(parts["results"]["determinant"]["mantissa"] - determinant["mantissa"]) < 1e-14
assert json.load(open("r.json"))["results"]["pivots"] == [0, 1, 2]
PY
expect 1 'nan.mtx:5: element (0, 1), counted from 0, is not finite' solve lu --input nan.mtx --device cpu
XDG_CACHE_HOME=$PWD/tuned expect 0 'kept in' tune --device cpu --sizes 40 --repeat 1
XDG_CACHE_HOME=$PWD/tuned expect 0 'x eps n' solve lu --rows 40 --device cpu
echo damaged > "$PWD/tuned/treelight/tuning.txt"
XDG_CACHE_HOME=$PWD/tuned expect 0 'tuning.txt:1: this is no line' solve lu --rows 40 --device cpu
XDG_CACHE_HOME=$PWD/tuned expect 0 'kept in' tune --device cpu --sizes 40 --repeat 1
expect 0 'panels               3' solve lu --rows 300 --device cpu --out-of-core --device-memory 0.0007 --out ooc
expect 0 'backward error' solve solve --factors ooc --rows 300 --known-solution --device cpu
expect 1 'out of core: a panel of 128 columns' solve lu --rows 300 --device cpu --out-of-core --device-memory 0.0001
expect 1 'a matrix of kind linear is a product' solve lu --rows 30 --kind linear --device cpu --out-of-core
expect 0 'backward error' solve lu --rows 200 --device cpu,cpu --blocked-block 32 --blocked-leaf 16 --packed --out spread
expect 0 'backward error' solve solve --factors spread --rows 200 --known-solution --device cpu
expect 0 'largest error' solve solve --rows 90 --known-solution --sides 3 --precision float --device cpu,cpu
expect 0 'backward error' solve solve --input d.mtx --rhs rhs.mtx --device cpu,cpu --out spread_x
expect 1 'the pivot of column 0' solve solve --kind zero --rows 4 --device cpu,cpu
expect 1 'only square ones' solve solve --rows 9 --cols 8 --device cpu,cpu
expect 2 '--out-of-core takes one device' solve lu --rows 9 --out-of-core --device cpu,cpu
expect 2 '--factors takes one device' solve solve --factors spread --device cpu,cpu
expect 2 '--grid takes one device' solve lu --rows 9 --grid 1x1 --device cpu,cpu
expect 2 'takes real matrices' solve lu --rows 9 --complex --device cpu,cpu
expect 2 "mode 'pairs' does not run on a list" solve lu --rows 9 --mode pairs --device cpu,cpu
expect 2 'does not take sparse.' solve solve --rows 9 --sparse-tolerance 1e-3 --device cpu,cpu
expect 2 'unknown device' solve lu --rows 9 --device cpu,
expect 2 'requires --out-of-core' solve lu --rows 30 --device cpu --device-memory 1
expect 1 'nan.mtx:5: element' solve solve --input d.mtx --rhs nan.mtx --device cpu
# Sparse systems: a chain of 1200 points, with one right side of ones.
python3 - << 'PY'
n = 1200
with open("chain.mtx", "w") as file:
    print("%%MatrixMarket matrix coordinate real symmetric", file=file)
    print(n, n, 2 * n - 1, file=file)
    for i in range(1, n + 1):
        print(i, i, 2, file=file)
        if i < n:
            print(i + 1, i, -1, file=file)
with open("ones.mtx", "w") as file:
    print("%%MatrixMarket matrix array real general", f"{n} 1", *[1] * n, sep="\n", file=file)
PY
expect 0 'by cg, preconditioner amg, format dia' solve solve --input chain.mtx --rhs ones.mtx --sparse-tolerance 1e-10 --device cpu --out chain
expect 0 'backward error' solve solve --input chain.mtx --rhs ones.mtx --mode lu --device cpu --out full
python3 - << 'PY' || failures=$((failures + 1))
import json, struct
def read(path):
    data = open(path, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{(len(data) - start) // 8}d", data[start:])
sparse, full = read("chain_X.npy"), read("full_X.npy")
assert len(sparse) == 1200
assert max(abs(p - q) for p, q in zip(sparse, full)) < 1e-4 * max(full)
report = json.load(open("chain.json"))
assert report["kind"] == "sparse" and report["entries"] == 3598 and report["accuracy"]["residual"] < 1.1e-10
PY
expect 0 'largest error' solve sparse --kind convection --rows 900 --known-solution --device cpu --precision float
expect 0 'levels of rows' solve solve --input chain.mtx --mode sparse --sparse-preconditioner ilu0 --device cpu
expect 1 'no convergence after 3 iterations' solve sparse --input chain.mtx --sparse-preconditioner none --sparse-most-iterations 3 --device cpu
expect 1 'the right side has 3 rows' solve sparse --input chain.mtx --rhs rhs.mtx --device cpu
expect 1 'only square ones' solve sparse --input ones.mtx --device cpu
expect 2 'solve sparse needs a matrix' solve sparse
expect 2 'needs --input' solve solve --mode sparse --rows 30
expect 2 'unknown sparse matrix kind' solve sparse --kind nope --rows 30 --device cpu
expect 1 'cusparse' solve sparse --kind banded --rows 30 --sparse-format cusparse --device cpu
expect 0 'bicgstab' bench sparse --kinds power-law --rows 2000 --modes product-csr,ilu0 --repeat 1 --device cpu
# Complex matrices: [1+i, 2; i, 3] has the determinant 3 + i, and [2, 1-i; 1+i, 3] the eigenvalues 1 and 4.
printf '%%%%MatrixMarket matrix array complex general\n2 2\n1 1\n0 1\n2 0\n3 0\n' >c.mtx
printf '%%%%MatrixMarket matrix array complex hermitian\n2 2\n2 0\n1 1\n3 0\n' >hermitian.mtx
printf '%%%%MatrixMarket matrix array complex general\n2 1\n3 1\n3 1\n' >c-rhs.mtx
expect 0 'complex double by blocked' solve lu --input c.mtx --device cpu --out c
grep -qE '^determinant +\([0-9.]+ \+[0-9.]+ i\) \* 2\^' out.txt || fail "a complex determinant: $(cat out.txt)"
expect 0 'complex double by lu' solve solve --input c.mtx --rhs c-rhs.mtx --device cpu --out c-solved
expect 0 'complex double by divide-conquer' solve svd --input c.mtx --device cpu --out c-svd
expect 0 'complex double, all by qr' solve eig --input hermitian.mtx --device cpu --out c-eig
python3 - << 'PY' || fail 'complex matrices are not solved'
import struct
def read(path, kind):
    data = open(path, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    assert f"'{kind}'".encode() in data[:start], path
    numbers = struct.unpack(f"<{(len(data) - start) // 8}d", data[start:])
    return [complex(*pair) for pair in zip(numbers[::2], numbers[1::2])] if kind == "<c16" else numbers
a, b = [[1 + 1j, 2], [1j, 3]], [3 + 1j, 3 + 1j]
x = read("c-solved_X.npy", "<c16")
for row, side in zip(a, b):
    assert abs(sum(p * q for p, q in zip(row, x)) - side) < 1e-14
lower, upper = read("c_L.npy", "<c16"), read("c_U.npy", "<c16")
assert abs(upper[0] * upper[3] - (3 + 1j)) < 1e-14 and lower[0] == lower[3] == 1
values = read("c-svd_S.npy", "<f8")
assert abs(values[0] * values[1] - abs(3 + 1j)) < 1e-14
assert len(read("c-svd_U.npy", "<c16")) == len(read("c-svd_V.npy", "<c16")) == 4
values = sorted(value.real for value in read("c-eig_values.npy", "<c16"))
assert abs(values[0] - 1) < 1e-14 and abs(values[1] - 4) < 1e-14
PY
expect 0 'complex float by lu' solve solve --complex --rows 30 --known-solution --precision float --device cpu
expect 0 'complex double by refined' solve solve --complex --rows 30 --mode refined --device cpu
expect 0 'complex double by lapack-gesvd' solve svd --complex --rows 30 --cols 20 --mode lapack-gesvd --device cpu
expect 0 '40x30 uniform complex double' bench svd --complex --sizes 40x30 --peers --repeat 2 --device cpu --json vc.json
"$python" - << 'PY' || fail 'the benchmark of complex matrices'
import json
report = json.load(open("vc.json"))
rows = report["matrices"][0]["modes"]
assert report["numbers"] == "complex" and [row["used"] for row in rows] == [
    "divide-conquer", "golub-reinsch", "lapack-gesdd", "lapack-gesvd"]
for row in rows:
    assert all(0 < row["accuracy"][name] < 1e-13 for name in ("residual", "orthogonality_u", "orthogonality_v"))
PY
expect 0 'complex double by randomised' solve svd --complex --rows 600 --cols 500 --rank 3 --device cpu
expect 0 'complex float, values by lapack' solve eig --complex --random 5,3 --values-only --mode lapack --precision float --device cpu
expect 1 'c.mtx:1: the numbers are complex' solve rref --input c.mtx --device cpu
expect 2 "no mode 'pairs' for complex matrices" solve lu --complex --rows 4 --mode pairs --device cpu
expect 2 'blocked-leaf is a setting of real matrices' solve lu --complex --rows 4 --blocked-leaf 8 --device cpu
expect 2 '--out-of-core takes real matrices' solve lu --complex --rows 4 --out-of-core --device cpu
expect 2 '--factors takes those of real matrices' solve solve --factors c --rhs rhs.mtx --device cpu
expect 2 '--factors takes those of real matrices' solve solve --factors d --rhs c-rhs.mtx --device cpu
expect 2 'cannot be used together with --complex' solve lu --complex --input c.mtx --device cpu
# Residuals and norms do not overflow for rows of 1e150 and 1e-150.
printf '%%%%MatrixMarket matrix array real general\n2 2\n2e150\n1e-150\n1e150\n1e-150\n' >rows.MTX
expect 0 'condition' solve inverse --input rows.MTX --device cpu --out rows
printf '%%%%MatrixMarket matrix array real general\n2 2\n2e-295\n1e-295\n1e-295\n3e-295\n' >tiny.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n3e-295\n4e-295\n' >tiny-rhs.mtx
expect 0 'backward error' solve solve --input tiny.mtx --rhs tiny-rhs.mtx --mode refined --device cpu --out tiny
expect 1 'rows.MTX: element (0, 0), counted from 0, is 2e+150, beyond the range of float' solve lu --input rows.MTX --precision float --device cpu
"$python" - <<'PY' || fail 'matrices of extreme sizes are not solved'
import json
rows, tiny = json.load(open("rows.json")), json.load(open("tiny.json"))
assert 0 <= rows["accuracy"]["residual"] < 1 and 0 <= tiny["accuracy"]["backward_error"] < 1e-15
PY
expect 1 'only square ones' solve inverse --rows 3 --cols 4 --device cpu
expect 1 'only square ones' solve solve --rows 3 --cols 4 --device cpu
expect 1 'the matrix has 4 rows' solve solve --rows 4 --rhs rhs.mtx --device cpu
expect 1 'singular' solve inverse --kind zero --rows 4 --device cpu
expect 1 'no/d_L.npy: cannot be written' solve lu --rows 4 --device cpu --out no/d
expect 2 'needs a matrix' solve rref
expect 2 'known: blocked, pairs' solve lu --rows 4 --mode nope --device cpu
expect 1 'does not run on cpu' solve solve --rows 4 --mode cusolver-irs --device cpu
expect 0 'solved in double, since' solve solve --kind geometric --rows 60 --cond 1e13 --mode refined --device cpu
expect 0 'lapack-getrf' bench lu --sizes 40,30 --kinds uniform,hilbert --peers --repeat 2 --device cpu --json lu.json
expect 0 'times as fast as lapack-getrf x1' bench lu --sizes 40,30x20 --peers --repeat 1 --device cpu,cpu --json spread.json
"$python" -c 'import json; rows = json.load(open("spread.json"))["matrices"][0]["modes"]; assert [r["mode"] for r in rows] == ["blocked x2", "blocked x1", "lapack-getrf x1"] and all(0 < r["accuracy"]["backward_error"] < 1e-14 for r in rows) and len(rows[0]["speed_over"]) == 2, rows' ||
    fail "the bench over devices: $(cat spread.json)"
expect 2 '--modes takes one device' bench lu --sizes 40 --modes blocked --device cpu,cpu
expect 2 '40x30x2 is not N or MxN' bench lu --sizes 40,40x30x2 --repeat 1 --device cpu
expect 2 '40x30x2x1 is not N, MxN or MxNxK' bench matmul --sizes 40x30x2x1 --repeat 1 --device cpu
expect 0 'openblas' bench matmul --sizes 40 --peers --repeat 1 --device cpu --precision float
expect 0 'refined' bench solve --sizes 40 --repeat 1 --device cpu
expect 0 '3 lu of 20x20' bench queue --sizes 20 --count 3 --elements 1000 --repeat 1 --device cpu --json queue.json
expect 2 "unknown operation 'upload'; known: matmul" bench queue --operation upload --sizes 4 --elements 10 --device cpu
expect 0 'full rank' bench rref --sizes 40 --repeat 1 --device cpu
expect 0 'pairs-geometric, full rank' bench rref --sizes 40 --modes pairs,pairs-geometric --repeat 1 --device cpu
expect 2 "unknown mode 'foo' of rref; known: blocked, pairs, pairs-geometric, complete" \
    bench rref --sizes 40 --modes pairs,foo --device cpu
expect 2 "unknown mode 'foo' of lu" bench lu --sizes 40 --modes foo --device cpu
"$python" - <<'PY' || fail 'the report on factorisations is not as documented'
import json
report = json.load(open("lu.json"))
assert report["schema"] == 1 and report["kind"] == "lu" and len(report["matrices"]) == 4
for matrix in report["matrices"]:
    assert [row["mode"] for row in matrix["modes"]] == ["blocked", "pairs", "pairs-geometric",
                                                      "complete", "lapack-getrf"]
    for row in matrix["modes"]: assert 0 <= row["accuracy"]["residual"] < 1 and row["repeats"] == 2
PY

# Shallow water: fields and pictures of a generated case, and a bed read from a file.
expect 0 "of the dam's depth" solve water --case dam-break --cells 60 --duration 5 --device cpu --out w --frames 2
"$python" - <<'PY' || fail 'the fields of water are not as documented'
import ast, json, os, struct
def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    assert header["descr"] == "<f8" and not header["fortran_order"]
    return header["shape"], struct.unpack("<%dd" % ((len(data) - 10 - size) // 8), data[10 + size:])
report = json.load(open("w.json"))
nx, ny = report["nx"], report["ny"]
assert report["schema"] == 1 and report["kind"] == "water" and abs(report["volume_change"]) < 1e-12
for name, shape in ("z", (ny, nx)), ("bed", (ny, nx)), ("u", (ny, nx + 1)), ("v", (ny + 1, nx)):
    found, values = read("w_%s.npy" % name)
    assert found == shape and len(values) == shape[0] * shape[1], name
assert abs(read("w_z.npy")[1][0] - 10) < 1e-6 and max(read("w_u.npy")[1]) > 4
for name in "w.png", "w_0001.png", "w_0002.png": assert os.path.getsize(name) > 0
PY
expect 0 '60x8 cells' solve water --bed w_bed.npy --level 1 --drop 10,4,0.2,3 --mode pcg --device cpu
"$python" - <<'PY'
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + struct.pack(">8H", *range(1000 * y, 1000 * y + 8)) for y in range(8))
open("deep.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 16, 0, 0, 0, 0))
                             + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
PY
expect 0 '8x8 cells' solve water --bed deep.png --height 65535 --level 9000 --duration 0.01 --device cpu --out deep
"$python" - <<'PY' || fail 'a bed from a PNG of 16 bits has fewer'
import struct
values = struct.unpack("<64d", open("deep_bed.npy", "rb").read()[-512:])
for y in range(8):
    for x in range(8): assert abs(values[8 * y + x] - (1000 * (7 - y) + x)) < 1e-6, (x, y, values)
PY
expect 2 'known: thesis' solve water --case nope --device cpu
expect 0 'mean difference' \
    solve water --case thesis --cells 24 --duration 2 --device cpu --compare-mode plu --arrows 4 --out arrows
expect 2 '--compare-mode' solve water --case thesis --cells 24 --device cpu --compare-mode nope
"$python" - <<'PY' || fail 'water is not drawn with arrows, or its modes differ'
import json, struct
assert struct.unpack(">II", open("arrows.png", "rb").read(24)[16:]) == (72, 72)
compared = json.load(open("arrows.json"))["compared"]
assert compared["mode"] == "plu" and compared["device"] == "cpu"
for field in "zuv": assert 0 < compared[field]["mean"] < compared[field]["largest"] < 1e-4
PY
expect 2 'cells' solve water --bed w_bed.npy --cells 8
expect 1 'use mode adi or pcg' solve water --case seiche --cells 600 --mode plu --device cpu
{ printf '%%%%MatrixMarket matrix array real general\n8 8\nnan\n'; printf '0\n%.0s' {1..63}; } >nan8.mtx
expect 1 'nan8.mtx:3: element (0, 0), counted from 0, is not finite' solve water --bed nan8.mtx --device cpu
expect 1 'at least 8 a side' solve water --bed d.mtx --device cpu
expect 0 'adi' bench water --sizes 64 --repeat 2 --device cpu --json water.json

# Eigenpairs of a batch of matrices, generated and read from a file.
expect 0 '7 matrices of 4 x 4, double, all by simd on cpu' solve eig --random 4,7 --seed 3 --device cpu --out e
"$python" - <<'PY' || fail 'the eigenpairs are not as documented'
import ast, json, struct
def read(path, code):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    assert (10 + size) % 64 == 0 and not header["fortran_order"]
    body = data[10 + size:]
    count = len(body) // struct.calcsize(code)
    return header, struct.unpack("<%d%s" % (count, code), body)
header, values = read("e_values.npy", "d")
assert header["descr"] == "<c16" and header["shape"] == (7, 4) and len(values) == 7 * 4 * 2
header, vectors = read("e_vectors.npy", "d")
assert header["descr"] == "<c16" and header["shape"] == (7, 4, 4) and len(vectors) == 7 * 16 * 2
for column in range(4):
    assert abs(sum(x * x for row in range(4) for x in vectors[8 * row + 2 * column:][:2]) - 1) < 1e-14
report = json.load(open("e.json"))
assert report["schema"] == 1 and report["kind"] == "eig" and report["mode"] == "simd"
assert report["not_converged"] == 0 and report["accuracy"]["residual"] < 10
assert sum(report["sweeps"]["histogram"]) == 7
# Two float matrices: a rotation by 90 degrees, and one with the real eigenvalues 3 and 1.
text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2), }".ljust(117) + chr(10)
open("b.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.encode() +
                          struct.pack("<8f", 0, -1, 1, 0, 2, 1, 1, 2))
PY
expect 1 'e_vectors.npy: is of an earlier run' solve eig --random 4,7 --values-only --device cpu --out e
expect 0 '2 matrices of 2 x 2, float, real by scalar on cpu' solve eig --input b.npy --real-only --mode scalar --out r
"$python" - <<'PY' || fail 'the eigenvalues of the file are wrong'
import math, struct
values = struct.unpack("<8f", open("r_values.npy", "rb").read()[-32:])
assert sorted(values[1:4:2]) == [-1, 1] and values[0] == values[2] == 0
assert abs(max(values[4:]) - 3) < 1e-6 and values[5] == values[7] == 0
vectors = struct.unpack("<8f", open("r_vectors.npy", "rb").read()[-32:])
assert all(math.isnan(x) for x in vectors[:4]) and all(abs(abs(x) - math.sqrt(.5)) < 1e-6 for x in vectors[4:])
PY
expect 0 'did not converge: their results are NaN' solve eig --random 12,50 --eig-sweeps 1 --device cpu
expect 1 'b.npy: byte 10: the array has 3 dimensions' solve svd --input b.npy
expect 1 's_U.npy: byte 10: the array is no batch of square matrices' solve eig --input s_U.npy
expect 2 'solve eig needs matrices' solve eig
expect 2 'known: random, companion' solve eig --random 4,2 --kind nope
expect 2 'known: auto, simd' solve eig --random 4,2 --mode nope --device cpu
expect 1 'takes matrices of at most 1024 rows; these have 1025' solve eig --random 1025,1 --device cpu
expect 0 'lapack' bench eig --sizes 3,10 --batch 50 --modes own --peers --repeat 1 --device cpu --json g.json
expect 0 'with transfers' bench eig --sizes 4 --batch 1,20 --transfers --repeat 1 --device cpu
expect 2 '--sizes' bench eig --sizes 0 --device cpu

# Relative pose of two views with one outlier in four matches: the second camera is rotated by 0.1 rad about y and moved
# along x.
"$python" - <<'PY'
import math, random, struct
random.seed(1)
c, s = math.cos(.1), math.sin(.1)
def seen(x, y, z):
    return 800 * x / z + 500, 800 * y / z + 400
lines, rows = [], []
for i in range(200):
    p = random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(4, 8)
    q = c * p[0] + s * p[2] + 1, p[1], c * p[2] - s * p[0]
    a, b = seen(*p), seen(*q)
    if i % 4 == 0:
        b = random.uniform(0, 1000), random.uniform(0, 800)
    lines.append("%.9f, %.9f; %.9f\t%.9f" % (a + b))
    rows.append(seen(*q) + p)
open("m.csv", "w").write("x1,y1,x2,y2\n# a comment\n\n" + "\n".join(lines) + "\n")
open("p.txt", "w").write("".join("%.9f %.9f %.9f %.9f %.9f\n" % row for row in rows))
plane = []
for i in range(100):
    x, y = random.uniform(0, 1000), random.uniform(0, 800)
    w = 1e-5 * x + 2e-5 * y + 1
    b = (1.1 * x + .02 * y + 5) / w, (.95 * y - .03 * x - 8) / w
    plane.append((x, y) + (b if i % 4 else (random.uniform(0, 1000), random.uniform(0, 800))))
open("plane.csv", "w").write("".join("%.9f,%.9f,%.9f,%.9f\n" % row for row in plane))
open("short.csv", "w").write("1,2,3,4\n5,6,7\n")
open("word.csv", "w").write("1,2,3,4\n5,6,seven,8\n")
open("few.csv", "w").write("1,2,3,4\n" * 5)
open("noise.csv", "w").write("".join("%.3f,%.3f,%.3f,%.3f\n" % tuple(
    random.uniform(0, most) for most in (1000, 800, 1000, 800)) for _ in range(300)))
PY
expect 0 '200 matches, 150 inliers' solve pose --matches m.csv --camera 800,800,500,400 --pose-threshold 0.01 \
    --device cpu --out pose
expect 0 'doubtful: wrong matches alone' solve pose --matches noise.csv --camera 800,800,500,400 --pose-samples 3000 \
    --device cpu
expect 0 'focal length 800' solve pose --matches p.txt --camera 500,400 --kind absolute-focal --device cpu --out known
"$python" - <<'PY' || fail 'the poses are not as documented'
import json, math, struct
def read(path, code):
    data = open(path, "rb").read()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack("<%d%s" % (len(body) // struct.calcsize(code), code), body)
c, s = math.cos(.1), math.sin(.1)
right = c, 0, s, 0, 1, 0, -s, 0, c
for name in "pose", "known":
    assert max(abs(a - b) for a, b in zip(read(name + "_R.npy", "d"), right)) < 1e-6
    assert max(abs(a - b) for a, b in zip(read(name + "_t.npy", "d"), (1, 0, 0))) < 1e-5
e = read("pose_E.npy", "d")
assert abs(sum(x * x for x in e) - 1) < 1e-12
inliers = read("pose_inliers.npy", "?")
assert len(inliers) == 200 and all(inliers[i] for i in range(200) if i % 4)
points = read("pose_points.npy", "d")
assert len(points) == 600 and all(inliers[i] == (points[3 * i + 2] > 0) for i in range(200))
report = json.load(open("pose.json"))
assert report["schema"] == 1 and report["kind"] == "pose" and report["doubt"] == ""
assert report["inliers"] == sum(inliers) and report["matches"]["count"] == 200
PY
expect 0 '100 matches, 75 inliers' solve pose --matches plane.csv --kind homography --pose-threshold 0.01 --device cpu \
    --out plane
expect 0 'F =' solve pose --matches m.csv --kind fundamental --pose-threshold 0.01 --device cpu --out two
"$python" - <<'PY' || fail 'the matrices are not as documented'
import json, math, struct
def matrix(path):
    data = open(path, "rb").read()
    m = struct.unpack("<9d", data[10 + struct.unpack("<H", data[8:10])[0]:])
    assert abs(sum(x * x for x in m) - 1) < 1e-12
    return [m[i:i + 3] for i in (0, 3, 6)]
h = matrix("plane_H.npy")
truth = (1.1, .02, 5), (-.03, .95, -8), (1e-5, 2e-5, 1)
assert all(abs(h[i][j] / h[2][2] - truth[i][j]) < 1e-6 for i in range(3) for j in range(3))
assert json.load(open("plane.json"))["homography"] == [list(row) for row in h]
f = matrix("two_F.npy")
lines = [line for line in open("m.csv") if line[:1].isdigit()]
for i, line in enumerate(lines):
    x1, y1, x2, y2 = map(float, line.replace(",", " ").replace(";", " ").split())
    value = [sum(f[k][j] * (x1, y1, 1)[j] for j in range(3)) for k in range(3)]
    if i % 4:
        assert abs(x2 * value[0] + y2 * value[1] + value[2]) < 1e-5 * math.hypot(*value[:2])
PY
expect 2 'solve pose --kind homography takes no --camera' solve pose --matches plane.csv --kind homography --camera 1,1,0,0
expect 1 'plane_H.npy: is of an earlier run' solve pose --matches m.csv --kind fundamental --device cpu --out plane
expect 1 'plane.csv: samples of this kind of pose do not have the solver sturm' solve pose --matches plane.csv --kind homography \
    --pose-solver sturm --device cpu
expect 1 'pose_E.npy: is of an earlier run' solve pose --matches p.txt --camera 1,1,0,0 --kind absolute --device cpu --out pose
expect 1 'short.csv:2: has 3 numbers; matches of this kind have 4' solve pose --matches short.csv --camera 1,1,0,0 --device cpu
expect 1 'word.csv:2: "seven" is no finite number' solve pose --matches word.csv --camera 1,1,0,0 --device cpu
expect 1 'few.csv: 5 matches are too few: this pose needs at least 6' solve pose --matches few.csv --camera 1,1,0,0 --device cpu
expect 1 'missing.csv' solve pose --matches missing.csv --camera 1,1,0,0 --device cpu
expect 2 'solve pose needs matches' solve pose
expect 2 'needs --camera fx,fy,cx,cy' solve pose --matches m.csv
expect 2 'the focal lengths fx and fy must be above 0' solve pose --matches m.csv --camera 0,1,2,3
expect 2 'known: relative, relative-focal' solve pose --matches m.csv --kind nope
expect 2 'known: fused' solve pose --matches m.csv --camera 1,1,0,0 --mode nope --device cpu
expect 0 '100.0 %' bench pose --scenes 3 --matches 300 --outliers 0.5 --solves 200 --peers --device cpu \
    --json g.json
"$python" - <<'PY' || fail 'the report of bench pose is not as documented'
import json
report = json.load(open("g.json"))
assert report["kind"] == "pose" and all(row["lost"] == 0 for row in report["five_point"])
case = report["cases"][0]
assert case["matches"] == 300 and case["modes"][0]["rotation_degrees"]["median"] < 0.5
assert 0 < case["bound"]["rotation_degrees"]["median"] < 0.5
PY
expect 0 'left to the action matrix' bench pose --scenes 0 --views plane --solves 100 --device cpu
expect 0 'triangulate' bench pose --scenes 1 --matches 50 --outliers 0 --solves 0 --modes staged --stages --pose-batch 16 \
    --kind absolute-focal --views plane --device cpu
expect 2 'known: general, plane' bench pose --views nope --device cpu
expect 0 '100.0 %' bench pose --kind fundamental --scenes 3 --matches 300 --outliers 0.3 --device cpu
expect 0 '100.0 %' bench pose --kind homography --scenes 3 --matches 300 --outliers 0.5 --device cpu
expect 0 'solve on the host' bench pose --scenes 1 --matches 100 --outliers 0.3 --solves 0 --modes split,hybrid --stages \
    --device cpu
expect 2 'bench pose --kind homography needs --views plane' bench pose --kind homography --views general --device cpu
expect 2 'does not have the mode hybrid' bench pose --kind absolute --modes hybrid --device cpu
expect 2 '--outliers' bench pose --outliers 1 --device cpu

# Sums over all pairs of points.
python3 - << 'PY'
import struct
def save(name, shape, numbers, kind='<f8', code='d'):
    head = str({'descr': kind, 'fortran_order': False, 'shape': shape}).encode()
    head += b' ' * (63 - (10 + len(head)) % 64) + b'\n'
    with open(name, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head)
        file.write(struct.pack('<%d%s' % (len(numbers), code), *numbers))
save('p3.npy', (3, 3), [0, 0, 0, 3, 4, 0, 0, 0, 2])
save('w3.npy', (3,), [1, 10, 100])
save('w2.npy', (2,), [1, 10])
save('nan.npy', (3, 3), [0, 0, 0, 3, float('nan'), 0, 0, 0, 2])
save('flat.npy', (3, 2), [0] * 6)
save('none.npy', (0, 3), [])
PY
expect 0 'inverse-distance of 3 points at 3 targets, double, on cpu' solve fmm --points p3.npy --weights w3.npy --device cpu -o s3.npy
python3 - << 'PY' || fail 'sums of three points'
import struct
data = open('s3.npy', 'rb').read()
sums = struct.unpack('<3d', data[-24:])
truth = [10 / 5 + 100 / 2, 1 / 5 + 100 / 29 ** 0.5, 1 / 2 + 10 / 29 ** 0.5]
assert all(abs(a / b - 1) < 1e-12 for a, b in zip(sums, truth)), sums
PY
expect 0 'error of gradients' solve fmm --random 2000 --kernel gaussian --length 0.2 --gradient --device cpu
expect 0 'at 0 targets' solve fmm --points p3.npy --weights w3.npy --targets none.npy --device cpu
expect 2 'needs points' solve fmm
expect 2 "unknown kernel 'cubic'; known: inverse-distance" solve fmm --random 10 --kernel cubic --device cpu
expect 2 'sum in double precision' solve fmm --random 10 --precision float --tolerance 1e-8 --device cpu
expect 1 '3 points, but 2 weights' solve fmm --points p3.npy --weights w2.npy --device cpu
expect 1 'point 1, coordinate 1, counted from 0, is nan' solve fmm --points nan.npy --weights w3.npy --device cpu
expect 1 'has the shape (3, 2); it has to be (n, 3)' solve fmm --points flat.npy --weights w3.npy --device cpu

# Generated solvers of polynomial systems.
five=$source_dir/solvers/minimal/problems/five_point.txt
expect 0 'Elimination template: 10 x 20' generate-solver "$five"
expect 0 'five.h: struct FivePoint' generate-solver "$five" -o five.h
grep -q 'struct FivePoint' five.h || fail 'the header of a generated solver'
printf 'system s\nunknowns x\nequations x +\n' > bad.txt
expect 1 'bad.txt:3: a number, a name' generate-solver bad.txt
printf 'system s\nunknowns x y\nequations x*y - 1\nequations 2*x*y - 2\n' > curve.txt
expect 1 'curve.txt: the system has infinitely many solutions' generate-solver curve.txt
expect 1 'none.txt: no such file' generate-solver none.txt
printf 'system s\nunknowns x y\nparameters a b\nequations x*x - a\nequations y*y - b\n' > squares.txt
expect 0 'Multiplication by x + 3*y' generate-solver squares.txt --action 'x + 3*y'
expect 1 'squares.txt: the action x has 2 different values at 4 solutions' generate-solver squares.txt --action x
expect 1 "action variable 'z': 'z' is not known" generate-solver squares.txt --action z
printf '4,9\n1,4\n-1,4\n' > squares.csv
expect 0 '2 with 4 real solutions' solve system squares.txt --instances squares.csv -o roots.csv
expect 0 'compiled before' solve system squares.txt --instances squares.csv -o roots.npy
expect 0 'by hybrid on' solve system squares.txt --instances squares.csv --device cpu --mode hybrid --json system.json -o hybrid.csv
for roots in roots.csv hybrid.csv; do
    awk -F, 'NR > 1 { a = $1 ? 1 : 4; b = $1 ? 4 : 9; if (($2^2-a)^2 + ($3^2-b)^2 < 1e-20) n++ } END { exit n != 8 || NR != 9 }' \
        $roots || fail "the solutions of a table in $roots"
done
grep -q '"multiplication matrices"' system.json || fail 'the stages of a system'
expect 2 "unknown mode of systems 'gpu'; known: auto, threads, kernel, hybrid" solve system squares.txt --instances squares.csv --mode gpu
# Modes are checked before a solver is compiled.
CXX=no-such-compiler XDG_CACHE_HOME=$PWD/empty expect 1 'mode kernel of systems does not run on cpu' \
    solve system squares.txt --instances squares.csv --device cpu --mode kernel
CXX=no-such-compiler XDG_CACHE_HOME=$PWD/empty expect 2 "unknown mode of systems 'gpu'" \
    bench system squares.txt --device cpu --modes threads,gpu
CXX=no-such-compiler XDG_CACHE_HOME=$PWD/empty expect 1 'mode kernel of systems does not run on cpu' \
    bench system squares.txt --device cpu --modes kernel
expect 0 'that differ' bench system squares.txt --counts 10,100 --device cpu --repeat 1 --json bench.json
grep -q '"instances_per_s"' bench.json && ! grep -q '"different": [^0]' bench.json || fail 'the report of bench system'
expect 2 'solve system needs --instances FILE, with rows of 2 parameters: a, b' solve system squares.txt
printf '1,2,3\n' > three.csv
expect 1 'three.csv:1: has 3 numbers; instances of this system (a, b) have 2' solve system squares.txt --instances three.csv
CXX=no-such-compiler XDG_CACHE_HOME=$PWD/empty expect 1 "the compiler 'no-such-compiler' cannot be run" \
    solve system squares.txt --instances squares.csv
CXX='env c++ -O0' XDG_CACHE_HOME=$PWD/words expect 0 'compiled' solve system squares.txt --instances squares.csv
expect 2 'generate-solver needs a system' generate-solver

# RANSAC with a generated solver: the circle around (3, -1) of radius 2, and as many points elsewhere.
cat > circle.txt << 'END'
system circle
unknowns a b r
parameters P[3][2]
equations (P[0][0] - a)^2 + (P[0][1] - b)^2 - r^2
equations (P[1][0] - a)^2 + (P[1][1] - b)^2 - r^2
equations (P[2][0] - a)^2 + (P[2][1] - b)^2 - r^2
measurement x y
distance (x - a)^2 + (y - b)^2 - r^2
positive r
END
awk 'BEGIN { for (i = 0; i < 400; i++) if (i % 2) print 40 + i % 17, i % 13; else print 3 + 2 * cos(i), 2 * sin(i) - 1 }' > points.csv
expect 0 '400 measurements, 200 inliers (50.0 %)' solve ransac circle.txt --data points.csv --bound 1e-4 --device cpu -o circle --json ransac.json
awk -F, 'NR == 2 && ($1 - 3)^2 + ($2 + 1)^2 + ($3 - 2)^2 < 1e-9 { n++ } END { exit n != 1 }' circle_model.csv || fail 'the model of solve ransac'
head -1 circle_model.csv | grep -qx 'a,b,r' || fail 'the unknowns of solve ransac'
# The flags follow a header of 128 bytes.
[[ $(tail -c 400 circle_inliers.npy | od -An -v -t u1 -w2 | sort | uniq -c | tr -s ' ') == ' 200 1 0' ]] || fail 'the inliers of solve ransac'
grep -q '"samples_with_solutions"' ransac.json || fail 'the report of solve ransac'
expect 0 'compiled before' solve ransac circle.txt --data points.csv --bound 1e-4 --device cpu --mode hybrid --seed 7
expect 1 'points.csv: no model of 5 samples has more inliers than its sample of 3 within the bound 1e-100' \
    solve ransac circle.txt --data points.csv --bound 1e-100 --iterations 5 --device cpu
head -3 points.csv > three.csv
expect 1 'three.csv: the table has 3 measurements; a sample of circle has 3' solve ransac circle.txt --data three.csv --device cpu
printf '1,2,3\n' > flat.csv
expect 1 'flat.csv:1: has 3 numbers; measurements of this system (x, y) have 2' solve ransac circle.txt --data flat.csv
expect 1 "squares.txt: has no line 'measurement'" solve ransac squares.txt --data points.csv
expect 2 'solve ransac needs --data FILE, with rows of x, y' solve ransac circle.txt
expect 2 '--confidence' solve ransac circle.txt --data points.csv --confidence 1
expect 2 '--bound' solve ransac circle.txt --data points.csv --bound nan
grep -v 'distance' circle.txt > unmeasured.txt
expect 1 'unmeasured.txt: has measurements, but no error of one' solve ransac unmeasured.txt --data points.csv
sed 's/P\[3\]\[2\]/P[3][4]/' circle.txt > wide.txt
expect 1 'wide.txt: its parameters have 4 columns in all; a measurement has 2 (x, y)' solve ransac wide.txt --data points.csv
sed 's/^distance .*/residual r + (((x + y + 1)^10 + a)^10 + b)/' circle.txt > long.txt
CXX=no-such-compiler expect 1 'long.txt: an error of a measurement has more than 20000 terms; write it shorter' \
    solve ransac long.txt --data points.csv
# Points anywhere have no circle within the bound, so that the run goes on until it is stopped.
awk 'BEGIN { srand(1); for (i = 0; i < 1000; i++) print rand(), rand() }' > anywhere.csv
timeout -s INT 1 "$treelight" solve ransac circle.txt --data anywhere.csv --bound 1e-9 --iterations 2000000000 --device cpu > out.txt 2> err.txt
grep -q 'stopped by Ctrl+C; nothing is written' err.txt || fail "solve ransac, stopped by Ctrl+C: $(cat err.txt)"

# Form factors of a scene, decomposed by solve svd.
expect 0 'F.npy: 60x60, clusters' solve form-factors "$source_dir/scenes/cornell-box.toml" --samples 60 --device cpu --out F.npy
expect 0 '60x60 double by divide-conquer' solve svd --input F.npy --device cpu
expect 0 'clusters 0 and 3 of 4' solve form-factors "$source_dir/scenes/cornell-box.toml" --samples 20 --clusters 4 --pair 0,3 --device cpu --out F.npy
expect 2 'a power of two from 2 to 1024' solve form-factors "$source_dir/scenes/cornell-box.toml" --clusters 3 --out F.npy
expect 2 'there is no cluster 99' solve form-factors "$source_dir/scenes/cornell-box.toml" --pair 0,99 --out F.npy

# Animated scene: two times give different pictures, and every update policy reports its stage.
moving=generate:explosion,triangles=500
for time in 0 1.5; do
    expect 0 "at-$time.png" render "$moving" --size 24x16 --spp 1 --time $time --device cpu -o "at-$time.png"
done
cmp -s at-0.png at-1.5.png && fail 'a moving scene stands still'
expect 2 '--time' render "$moving" --time -1
expect 2 'one of static, refit, rebuild, auto' render "$moving" --tree-update never
expect 0 'refit tree' bench frame "$moving" --animate --tree-update refit --size 8x8 --frames 3 --warmup 2 \
    --device cpu --json m.json
"$python" - <<'PY' || fail 'the report of a moving scene is not as documented'
import json
report = json.load(open("m.json"))
assert [s["name"] for s in report["stages"]][:2] == ["animate", "refit tree"], report["stages"]
assert report["animate"] and report["tree_updates"] == {"none": 0, "refit": 3, "rebuild": 0}
settings = report["session"]["settings"]
assert list(settings) == ["whitted", "hploc", "tree", "film", "sampling"], list(settings)
assert settings["tree"]["update"] == "refit" and settings["sampling"]["pattern"] == "sobol", settings
assert report["steady_state_allocations"] == 0 and report["mtri_per_s"] > 0
assert report["in_flight_fps"] > 0 and report["build_ahead"] is False
PY
expect 0 'fps with two frames in flight, build ahead off' bench frame "$moving" --tree-build-ahead false \
    --size 8x8 --frames 3 --warmup 2
expect 2 'true or false' render "$moving" --tree-build-ahead maybe

if [[ ! -e /dev/nvidiactl ]]; then
    expect 1 'device cuda is not there' render "$box" --device cuda
    expect 1 'share needs the CPU and a GPU' \
        solve water --case thesis --cells 24 --duration 1 --mode plu --water-share true
    expect 1 'share needs the CPU and a GPU' bench water --modes plu --sizes 24 --water-share true
fi
finish
