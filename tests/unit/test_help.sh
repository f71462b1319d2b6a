#!/usr/bin/env bash
# Tests help texts, suggestions for mistyped words, completion in shells, and the manual.
# usage: test_help.sh TREELIGHT SOURCE_DIR
set -uo pipefail
treelight=$1 source_dir=$2
box=$source_dir/scenes/cornell-box.toml
# shellcheck source=tests/unit/command_line_checks.sh
. "$source_dir/tests/unit/command_line_checks.sh"

# Without arguments the program tells how it is used.
expect 0 'treelight render scenes/bunny.toml -o bunny.png'
expect 0 'treelight help render'
[[ ! -s err.txt ]] || fail "usage on standard error: $(cat err.txt)"

# help and --help print the same.
for command in render view 'bench frame' 'solve svd' solve; do
    # shellcheck disable=SC2086
    "$treelight" help $command >a.txt && "$treelight" $command --help >b.txt
    diff a.txt b.txt >diff.txt || fail "help $command differs from --help: $(cat diff.txt)"
done
"$treelight" help --all render >a.txt && "$treelight" render --help-all >b.txt
cmp a.txt b.txt || fail 'help --all differs from --help-all'
expect 0 'Commands:' help
expect 2 "unknown command 'rendre' of 'treelight'; known: view" help rendre
expect 2 "did you mean 'frame'?" help bench frmae
expect 2 "'treelight render' has no commands, such as 'now'" help render now
expect 2 "'$box' is a file, but no command; to see a scene: 'treelight view $box'" "$box"

# Help is short: common flags in groups; --help-all lists the others.
for command in view render 'bench frame'; do
    # shellcheck disable=SC2086
    "$treelight" $command --help >short.txt
    (($(wc -l <short.txt) <= 60)) || fail "$command --help has $(wc -l <short.txt) lines"
    grep -q -- '--path-max-depth' short.txt && fail "$command --help lists settings"
    grep -qF "\`treelight $command --help-all\` also lists" short.txt || fail "$command --help does not name --help-all"
    # shellcheck disable=SC2086
    "$treelight" $command --help-all >all.txt
    grep -q -- '--path-max-depth' all.txt || fail "$command --help-all lists no settings"
    grep -q '^Settings of path:' all.txt || fail "$command --help-all does not group settings"
done
"$treelight" render --help >short.txt
for group in Flags Camera Output Sequences; do
    grep -q "^$group:" short.txt || fail "render --help has no group $group"
done
! "$treelight" compare --help | grep -q help-all || fail 'compare --help lists --help-all'
expect 0 '--metric' compare --help-all
# A flag that --help leaves out works, and its errors name it.
expect 0 'samples a pixel' render "$box" --size 8x8 --spp 2 --device cpu --path-max-depth 2 -o x.png
expect 2 '--path-max-depth: setting max-depth does not accept' render "$box" --path-max-depth 200
expect 2 '--rank-timeout: 0 is no number from 1' render "$box" --rank-timeout 0

# Mistyped words.
expect 2 "did you mean 'solve'?" slove
expect 2 "did you mean 'lstsq'?" solve lstq
expect 2 "did you mean '--path-max-depth'?" render "$box" --path-max-dpth 3
expect 2 "did you mean one of '--whitted-max-depth', '--path-max-depth', '--photon-max-depth'" render "$box" --max-depth 3
expect 2 "known: whitted, path, photon, heat-map, aov, bezier, radiosity, points; did you mean 'path'?" render "$box" --renderer pth
expect 2 "did you mean 'hploc'?" render "$box" --builder hplco
expect 2 "did you mean 'auto'?" render "$box" --device auot
expect 2 "did you mean 'wavefront'?" render "$box" --path-pipeline wavefornt
expect 2 "did you mean 'blackman-harris'?" render "$box" --sampling-filter blackman-haris
expect 2 "did you mean 'flip'?" compare a.png b.png --metric filp
expect 2 "did you mean 'albedo'?" render "$box" --aov albdeo -o x.exr
expect 2 "did you mean 'double'?" solve svd --rows 8 --precision duoble
expect 2 "did you mean 'golub-reinsch'?" solve svd --rows 8 --mode golub-rainsch --device cpu
expect 2 "did you mean 'gaussian'?" solve fmm --random 10 --kernel gausian
expect 2 "did you mean 'adi'?" solve water --mode add
expect 1 "did you mean 'terrain'?" render generate:terain
expect 1 "did you mean 'triangles'?" render generate:terrain,triangels=5
mkdir scenes
cp "$box" scenes/box.toml
expect 1 "scenes/bxo.toml: no such file; did you mean 'scenes/box.toml'?" render scenes/bxo.toml
expect 1 "scene/box.toml: no such file; did you mean 'scenes/box.toml'?" render scene/box.toml
expect 1 "scenes/other.toml: no such file" render scenes/other.toml
# Scenes that come along: by their name alone, or nearly.
expect 0 'x.png' render scene:cornell-box --size 8x8 --spp 1 --device cpu -o x.png
expect 0 'x.png' render scene:gallery/teapots --size 8x8 --spp 1 --device cpu -o x.png
expect 1 "did you mean 'scene:cornell-box'?" render scene:cornel-box
expect 1 "did you mean 'scene:gallery/forest'?" render scene:gallery/forets
expect 1 "did you mean 'asset:teapot'?" render asset:taepot
expect 1 "names the program's folders" render scene:nothing-like-it
expect 1 "cornell-box: no such file; did you mean 'scene:cornell-box'?" render cornell-box
expect 1 "teapot.bpt: no such file; did you mean 'asset:teapot.bpt'?" render teapot.bpt

# Flags as other programs call them.
expect 2 "did you mean '--version'?" version
expect 2 "did you mean '--version'?" -v
expect 2 "unknown flag --width of 'render'; did you mean '--size'?" render "$box" --width 8
expect 2 "unknown flag --samples of 'render'; did you mean '--spp'?" render "$box" --samples=8
expect 2 "unknown flag --gpu of 'svd'; did you mean '--device'?" solve svd --gpu
expect 2 "unexpected argument '--size' of 'render': what follows -- is no flag" render -- "$box" --size 8x8

# A picture whose place has no room is kept.
if [[ -c /dev/full ]]; then
    ln -s /dev/full full.png
    mkdir temporary
    TMPDIR=$PWD/temporary expect 1 'the picture is in' render "$box" --size 8x8 --spp 1 --device cpu -o full.png
    kept=(temporary/treelight-*-full.png)
    [[ -s ${kept[0]} ]] || fail 'the picture without room is lost'
fi
! grep -q 'did you mean' err.txt || fail "a far name is suggested: $(cat err.txt)"
printf '[film]\nexposur = 1\n' >wrong.toml
expect 1 "did you mean 'exposure'?" render wrong.toml
printf '[render]\nrenderer = "whited"\n' >wrong.toml
expect 1 "did you mean 'whitted'?" render wrong.toml
printf '[[sphere]]\ncenter = [0, 0, 0]\nradius = 1\nmaterail = "a"\n' >wrong.toml
expect 0 "did you mean 'material'?" render wrong.toml --size 8x8 --spp 1 --device cpu

# Words for special numbers.
expect 0 'default off' view --help
expect 0 'or auto; default auto' render --help-all
expect 0 'x.png' render "$box" --size 8x8 --spp 1 --device cpu --sampling-error off --photon-radius auto -o x.png
expect 2 'or off' render "$box" --sampling-error of
expect 0 '8 values' solve svd --rows 8 --rank all --device cpu
cp "$box" auto.toml
printf '\n[photon]\nradius = "auto"\n' >>auto.toml
expect 0 '' render auto.toml --renderer photon --photon-photons 100 --size 8x8 --spp 1 --device cpu

# Completion in bash: replies LINE prints what completes the line.
"$treelight" completion bash >treelight.bash || fail 'completion bash'
bash -n treelight.bash || fail 'the script for bash has a wrong syntax'
replies() {
    bash -c '. ./treelight.bash
        COMP_LINE=$1 COMP_POINT=${#1}
        read -ra COMP_WORDS <<<"$1"
        COMP_CWORD=${#COMP_WORDS[@]}
        _treelight
        printf "%s\n" "${COMPREPLY[@]}"' bash "$1" | sort | tr '\n' ' '
}
# completes LINE REPLY...: checks that these are the replies.
completes() {
    local line=$1 got wanted
    shift
    got=$(replies "$line") wanted=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
    [[ $got == "$wanted" ]] || fail "'$line' is completed by '$got', not by '$wanted'"
}
completes 'treelight ren' render
completes 'treelight bench tr' trees
completes 'treelight help ben' bench
completes 'treelight render --rend' --renderer
completes 'treelight render --renderer p' path photon points
completes 'treelight render --renderer=ph' photon
completes 'treelight render x.toml --path-max-d' --path-max-depth
completes 'treelight render --sampling-filter t' tent
completes 'treelight render --tree-build-ahead ' true false
completes 'treelight render --aov depth,al' depth,all depth,albedo
completes 'treelight solve svd --vectors ' thin full none
completes 'treelight bench svd --precision d' double
completes 'treelight completion ' bash zsh fish
completes 'treelight render scenes/b' scenes/box.toml
completes 'treelight render generate:ter' terrain
completes 'treelight solve svd --input scenes/' scenes/box.toml
completes 'treelight render --size ' ''
completes 'treelight render scene:gallery/in' gallery/interior
completes 'treelight render --allow-outside scenes/b' scenes/box.toml
completes 'treelight info --json --h' --help
[[ $(replies 'treelight render -') == *--spp* ]] || fail 'flags of render are not completed'
[[ $(replies 'treelight render -') != *--path-max-depth* ]] || fail 'settings are offered before others'
if command -v shellcheck >/dev/null; then
    shellcheck -s bash treelight.bash || fail 'shellcheck of the script for bash'
fi
"$treelight" completion zsh >_treelight || fail 'completion zsh'
grep -qF -- "'--renderer=[one of whitted" _treelight || fail 'the script for zsh has no renderers'
! grep -q 'allow-outside=' _treelight || fail 'zsh takes --allow-outside for a flag with a value'
if command -v zsh >/dev/null; then
    zsh -n _treelight || fail 'the script for zsh has a wrong syntax'
fi
"$treelight" completion fish >treelight.fish || fail 'completion fish'
grep -q -- "-l renderer -x -a 'whitted path" treelight.fish || fail 'the script for fish has no renderers'
! grep -q -- '-l allow-outside -x' treelight.fish || fail 'fish takes --allow-outside for a flag with a value'
if command -v fish >/dev/null; then
    fish --no-execute treelight.fish || fail 'the script for fish has a wrong syntax'
    [[ $(fish -c 'source treelight.fish; complete -C "treelight render --renderer pho"') == photon* ]] ||
        fail 'fish does not complete a renderer'
    [[ $(fish -c 'source treelight.fish; complete -C "treelight bench fra"') == frame* ]] ||
        fail 'fish does not complete a command'
fi
# Reports of solvers: to standard output alone, or to a file beside the text.
for solver in 'svd --rows 8' 'lu --rows 8' 'rref --rows 8' 'solve --rows 8' 'inverse --rows 8' 'lstsq --rows 9 --cols 4' \
    'pinv --rows 6' 'matmul --rows 8' 'eig --random 4,2' 'sparse --rows 900' water; do
    # shellcheck disable=SC2086
    "$treelight" solve $solver --json - >report.json 2>text.txt || fail "solve $solver --json -: $(cat text.txt)"
    python3 -m json.tool report.json >/dev/null || fail "solve $solver: standard output is no report"
    [[ -s text.txt ]] || fail "solve $solver: no text on standard error"
    # shellcheck disable=SC2086
    "$treelight" solve $solver --json file.json >text.txt || fail "solve $solver --json FILE"
    grep -q '"kind"' file.json && [[ -s text.txt ]] || fail "solve $solver: no report in its file"
done
"$treelight" solve svd --rows 8 --json - 2>/dev/null | grep -q '"values"' || fail 'the report of svd has no values'
expect 1 'cannot be written' solve lu --rows 8 --json /none/x.json
expect 2 '--grid takes no --json' solve lu --rows 8 --grid 1x1 --json x.json

expect 2 "did you mean 'fish'?" completion fihs
expect 2 "'completion' needs shell" completion

# The manual.
expect 0 '.TH TREELIGHT 1' manual
"$treelight" manual >treelight.1
! grep -qF '\fB\-\-allow\-outside\fR \fI' treelight.1 || fail 'the manual gives a flag a value'
grep -qF '\fB\-\-path\-max\-depth\fR' treelight.1 || fail 'the manual has no settings'
if command -v groff >/dev/null; then
    groff -man -ww -Tutf8 treelight.1 >manual.txt 2>warnings.txt
    [[ ! -s warnings.txt ]] || fail "the manual: $(head -5 warnings.txt)"
    grep -q 'bench frame' manual.txt || fail 'the manual does not name bench frame'
fi
finish
