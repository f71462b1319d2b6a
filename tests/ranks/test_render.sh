#!/usr/bin/env bash
# Tests rendering by several ranks of an MPI job on this machine: pictures equal those of one process, ranks that are
# killed cost no finished frame, and faults end all ranks with one error.
# usage: test_render.sh TREELIGHT SOURCE_DIR [KILLS [SECONDS]]
# SECONDS: time after which ranks of a small scene certainly sample.
set -uo pipefail
treelight=$1 source_dir=$2 kills=${3:-5} settle=${4:-3}
# shellcheck source=tests/unit/command_line_checks.sh
. "$source_dir/tests/unit/command_line_checks.sh"
if ! command -v mpirun >/dev/null || [[ ! -e $(dirname "$treelight")/treelight_mpi.so ]]; then
    echo 'skipped: there is no MPI'
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# Messages through memory: the machine may have no network, and a container no ptrace.
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent=false
export TMPDIR=${TMPDIR:-/tmp}
# The launcher's libraries leak.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0

# ranks N ARGS...: runs the program as a job; its output goes to out.txt and err.txt. No job may hang.
ranks() {
    local n=$1
    shift
    timeout -k 5 300 mpirun -n "$n" "$treelight" "$@" >out.txt 2>err.txt
}

# find_processes: sets `processes` to the processes of this test's job, no other test's: they run in its folder.
find_processes() {
    local process
    processes=()
    for process in $(pgrep -f "^$treelight render"); do
        [[ $(readlink "/proc/$process/cwd") != "$PWD" ]] || processes+=("$process")
    done
}

# find_ranks N: sets `processes` to the N ranks of the job that has just been started, once they are at work.
find_ranks() {
    for ((i = 0; i < 600; ++i)); do
        find_processes
        ((${#processes[@]} == $1)) && break
        sleep 0.1
    done
    sleep "$settle"
}

# same N NAME ARGS...: the picture of N ranks has the bytes of that of one process.
same() {
    local n=$1 name=$2
    shift 2
    [[ -e alone_$name ]] || "$treelight" render "$@" --device cpu -o "alone_$name" >out.txt 2>err.txt ||
        fail "$name alone: $(cat err.txt)"
    ranks "$n" render "$@" --device cpu -o "ranks_$name" || fail "$name by $n ranks: $(cat err.txt)"
    grep -qF "by $n ranks" out.txt || fail "no number of ranks: $(cat out.txt)"
    [[ $(grep -c "ranks_$name" out.txt) == 1 ]] || fail "not one result: $(cat out.txt)"
    # Packets of rays on the CPU add up a pixel's light in an order that depends on the pixels around it.
    if [[ $name == whitted.exr ]]; then
        "$treelight" compare --most 1e-6 "alone_$name" "ranks_$name" >out.txt || fail "$name: $(cat out.txt)"
    else
        cmp -s "alone_$name" "ranks_$name" || fail "$name: another picture by $n ranks"
    fi
}

# error N CODE TEXT ARGS...: the job ends with an error of the program, in one line.
error() {
    local n=$1 text=$2
    shift 2
    ranks "$n" "$@" && fail "treelight $*: no error"
    [[ $(grep -c '^treelight: ' err.txt) == 1 ]] || fail "treelight $*: not one error: $(cat err.txt)"
    grep -F -- "$text" err.txt | grep -q '^treelight: ' || fail "treelight $*: no '$text' in: $(cat err.txt)"
}

box=$source_dir/scenes/cornell-box.toml
small=(--size 70x45 --spp 3)
for renderer in $("$treelight" info | awk '/^renderers/ { found = 1; next } /^[^ ]/ { found = 0 } found && /^  [a-z]/ { print $1 }'); do
    same 3 "$renderer.exr" "$box" "${small[@]}" --renderer "$renderer"
done
same 2 path.exr "$box" "${small[@]}" --renderer path
same 4 denoised.png "$box" "${small[@]}" --renderer path --film-biased-denoise true
same 3 layers.exr "$box" "${small[@]}" --renderer path --aov all
same 2 adaptive.exr "$box" --size 40x30 --spp 200 --renderer path --sampling-error 0.1
same 3 adaptive.exr "$box" --size 40x30 --spp 200 --renderer path --sampling-error 0.1
same 3 blurred.exr generate:explosion,triangles=500 "${small[@]}" --renderer whitted --sampling-shutter 0.5
same 2 one-tile.png "$box" --size 5x3 --spp 1

# Sequences: frames are dealt to the ranks, and missing ones rendered by a second job.
moving=(generate:explosion,triangles=500 --size 24x16 --spp 2 --device cpu)
"$treelight" render "${moving[@]}" --frames 0:11 -o alone_%02d.png >out.txt 2>err.txt || fail "$(cat err.txt)"
same_frames() {
    for ((i = 0; i < 12; ++i)); do
        cmp -s "$(printf 'alone_%02d.png' "$i")" "$(printf 'ranks_%02d.png' "$i")" || fail "$1: frame $i"
    done
}
ranks 3 render "${moving[@]}" --frames 0:11 -o ranks_%02d.png || fail "a sequence: $(cat err.txt)"
grep -q 'frames 0 to 11.* by 3 ranks' out.txt || fail "the report of a sequence: $(cat out.txt)"
same_frames 'three ranks'
rm ranks_03.png ranks_08.png
ranks 2 render "${moving[@]}" --frames 0:11 --resume -o ranks_%02d.png || fail "resumed: $(cat err.txt)"
grep -q '10 of 12 frames were there already' out.txt || fail "resumed: $(cat out.txt)"
same_frames resumed

# A rank that is killed costs no finished frame, whichever it is and whenever.
rm -f ranks_*.png
slow=(generate:explosion,triangles=500 --size 24x16 --device cpu --spp 2 --frames 0:11 -o ranks_%02d.png --resume)
for ((k = 0; k < kills; ++k)); do
    rm -f ranks_*.png
    timeout -k 5 120 mpirun -n 3 "$treelight" render "${slow[@]}" >out.txt 2>err.txt &
    job=$!
    sleep "0.$((RANDOM % 9))$((RANDOM % 9))"
    find_processes
    ((${#processes[@]} == 0)) || kill -KILL "${processes[RANDOM % ${#processes[@]}]}" 2>/dev/null
    wait "$job"
    (($? != 124)) || fail 'a job hangs after a rank was killed'
    for file in ranks_*.png; do
        [[ ! -e $file ]] || cmp -s "$file" "${file/ranks/alone}" || fail "a broken frame: $file"
    done
    rm -f .ranks_* ranks_*.tmp*
    ranks 2 render "${slow[@]}" || fail "after a kill: $(cat err.txt)"
    same_frames 'after a kill'
done

# A signal to one rank ends its share early, and the job says so.
signal_rank() {
    timeout -k 5 120 mpirun -n 3 "$treelight" render "$box" --size 60x40 --spp 1000000 --device cpu --renderer path \
        "${@:2}" -o x.png >out.txt 2>err.txt &
    job=$!
    find_ranks 3
    kill -TERM "${processes[$1]}"
    sleep 1
    # A second signal would end the rank at once.
    unset "processes[$1]"
    for process in "${processes[@]}"; do kill -TERM "$process" 2>/dev/null; done
    wait "$job" && fail "no error after a signal: $(cat err.txt)"
    grep -Eq 'treelight: stopped by (SIGTERM|a signal to another rank) after [1-9][0-9]* of 1000000' err.txt ||
        fail "a signal to rank $1: $(cat err.txt)"
    [[ -s x.png ]] || fail 'a signal costs the picture'
    rm -f x.png
}
signal_rank 1
signal_rank 0 --sampling-error 0.00001
# Checkpoints: the picture of a job that was interrupted and continued is that of one process, also by fewer ranks where
# all have as many samples.
ln -s /dev/full full.exr
of_box=(render "$box" --size 70x45 --device cpu --renderer path --checkpoint c.ckpt)
continued() {
    local n=$1 more=$2 name=$3
    shift 3
    "$treelight" render "$box" --size 70x45 --device cpu --renderer path --spp 9 "$@" -o "alone_$name" \
        >out.txt 2>err.txt || fail "$name: $(cat err.txt)"
    error "$n" 'c.ckpt holds its samples' "${of_box[@]}" --spp 4 "$@" -o full.exr
    ranks "$more" "${of_box[@]}" --spp 9 "$@" -o "ranks_$name" || fail "$name continued: $(cat err.txt)"
    grep -qF 'continues after 4 of 9 samples' out.txt || fail "$name: not continued: $(cat out.txt)"
    cmp -s "alone_$name" "ranks_$name" || fail "$name: another picture after a checkpoint"
    [[ ! -e c.ckpt ]] || fail "$name: the checkpoint stays"
}
continued 3 3 continued.exr
continued 3 2 fewer.exr
continued 1 4 more.exr
continued 3 3 layered.exr --aov depth,bounces
# A rank is killed; the newest state goes on, of ranks that need not have as many samples.
kill_one() {
    rm -f c.ckpt
    timeout -k 5 120 mpirun -n 3 "$treelight" "${of_box[@]}" --spp 1000000 --checkpoint-every 1 "$@" -o x.exr \
        >out.txt 2>err.txt &
    job=$!
    for ((i = 0; i < 600; ++i)); do
        [[ -s c.ckpt ]] && break
        sleep 0.1
    done
    find_processes
    kill -KILL "${processes[1]}"
    wait "$job" && fail 'no error after a kill'
    ranks 3 "${of_box[@]}" "$@" --spp 1 -o x.exr && fail 'more samples than wanted are no error'
    n=$(grep -o 'holds [0-9]* samples a pixel' err.txt | grep -o '[0-9]*' | head -1)
    [[ -n $n ]] || fail "no number of samples: $(cat err.txt)"
    ranks 3 "${of_box[@]}" "$@" --spp $((n + 2)) -o ranks_killed.exr || fail "continued after a kill: $(cat err.txt)"
    "$treelight" render "$box" --size 70x45 --device cpu --renderer path "$@" --spp $((n + 2)) -o alone_killed.exr \
        >out.txt 2>err.txt || fail "$(cat err.txt)"
    cmp -s alone_killed.exr ranks_killed.exr || fail 'another picture after a kill'
}
kill_one
kill_one --sampling-error 0.00001
# SIGTERM to the ranks: each has its own number of samples.
signal_rank 1 --checkpoint c.ckpt
[[ -s c.ckpt ]] || fail 'no checkpoint after a signal'
grep -qF 'the same command continues c.ckpt' err.txt || fail "a signal: $(cat err.txt)"
error 3 'c.ckpt: is of another picture: --size is 8x8 instead of 60x40' render "$box" --size 8x8 --spp 1000000 \
    --device cpu --renderer path --checkpoint c.ckpt -o x.png
# Faults: one error, of the root.
error 3 "no-scene.toml: no such file" render no-scene.toml -o x.png
error 2 'need the pixels of all ranks' render "$box" --renderer photon --photon-contrast-samples 4 -o x.png
error 3 'cannot be written' render "$box" -o no-folder/x.png
TREELIGHT_MPI=$PWD/nothing.so ranks 2 render "$box" -o x.png && fail 'a job without MPI'
grep -q 'treelight: this is rank 0 of 2, but MPI cannot be loaded' err.txt || fail "no MPI: $(cat err.txt)"
error 2 "unknown flag --spq of 'render'" render "$box" --spq 3
[[ ! -e x.png ]] || fail 'a picture in spite of an error'
# A rank that stands still: its time is limited.
timeout -k 5 120 mpirun -n 2 "$treelight" render "$box" --size 400x300 --spp 100000 --device cpu --renderer path \
    --rank-timeout 2 -o x.png >out.txt 2>err.txt &
job=$!
find_ranks 2
kill -STOP "${processes[1]}"
sleep 4
kill -INT "${processes[0]}"
wait "$job"
(($? != 124)) || fail 'a job hangs while a rank stands still'
grep -q 'no sign of rank [01] for 2 s' err.txt || fail "no error for a rank that stands still: $(cat err.txt)"
finish
