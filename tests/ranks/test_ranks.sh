#!/usr/bin/env bash
# Jobs of several processes: dense systems over ranks. Leaves with 77, which skips the test, where mpirun is missing.
# usage: test_ranks.sh PROGRAM RANK_TESTS FOLDER
set -u
program=$1 tests=$2 folder=$3
if ! command -v mpirun > /dev/null; then
    echo "skipped: mpirun is missing (openmpi-bin)"
    exit 77
fi
if [ ! -e "$(dirname "$program")/treelight_mpi.so" ]; then
    echo "skipped: treelight_mpi.so was not built (libopenmpi-dev)"
    exit 77
fi
rm -rf "$folder" && mkdir -p "$folder"
# Works without a network, as root, and with more ranks than cores.
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_plm_rsh_agent=false OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_oob_tcp_if_include=lo
export OPENBLAS_NUM_THREADS=1 TREELIGHT_MPI="$(dirname "$program")/treelight_mpi.so"
export TREELIGHT_RANK_TESTS=$folder
# MPI and its plugins do not free all of their memory.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
failures=0

job() {  # job RANKS COMMAND...
    timeout 300 mpirun --oversubscribe --allow-run-as-root -n "$@"
}
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

for ranks in 2 4 6; do
    job $ranks "$tests" --gtest_brief=1 > "$folder/tests_$ranks.txt" 2>&1 ||
        { fail "$ranks ranks"; grep -vE "^\[ *(OK|RUN|-+)" "$folder/tests_$ranks.txt" | head -60; }
done

# expect TEXT FILE: a file has a line that matches.
expect() {
    grep -qE "$1" "$2" || { fail "no '$1' in $2"; head -20 "$2"; }
}
# below LIMIT NAME FILE: the figure of that name in a report, a number or multiple of eps n, is below the limit.
below() {
    awk -v limit="$1" -v name="$2" 'index($0, name " ") == 1 { sub(/ x eps n$/, ""); found = $NF < limit && $NF ~ /^[0-9.e+-]+$/ }
        END { exit !found }' "$3" || { fail "$2 is not below $1 in $3"; head -20 "$3"; }
}
# refuse RANKS TEXT COMMAND...: the job fails, and tells why in one line.
refuse() {
    local ranks=$1 text=$2
    shift 2
    if job "$ranks" "$@" > "$folder/refused.txt" 2>&1; then fail "accepted: $*"; fi
    expect "$text" "$folder/refused.txt"
    [ "$(grep -c "^treelight: " "$folder/refused.txt")" = 1 ] ||
        { fail "not one line of error: $*"; head -20 "$folder/refused.txt"; }
}

# Factors of ranks have the pivots of one process, and solve later systems.
job 4 "$program" solve lu --grid 2x2 --block 24 --rows 100 --seed 3 --out "$folder/lu" > "$folder/lu.txt" 2>&1 ||
    fail "solve lu --grid 2x2"
below 5 "backward error" "$folder/lu.txt"
expect "^lu of 100x100 double by lookahead on cpu" "$folder/lu.txt"
"$program" solve lu --mode lapack-getrf --rows 100 --seed 3 --packed --out "$folder/one" --device cpu > /dev/null
cmp "$folder/lu_p.npy" "$folder/one_p.npy" || fail "other pivots than one process"
"$program" solve solve --factors "$folder/lu" --rows 100 --seed 3 --device cpu > "$folder/factors.txt" ||
    fail "solve solve --factors"
below 5 "backward error" "$folder/factors.txt"

# A matrix of a file, in blocks that do not divide it.
"$program" solve matmul --rows 61 --seed 5 --device cpu --out "$folder/a" > /dev/null
job 6 "$program" solve solve --grid 2x3 --block 7 --input "$folder/a_X.npy" --known-solution \
    --out "$folder/x" > "$folder/x.txt" 2>&1 || fail "solve solve --grid 2x3"
below 1e-8 "largest error" "$folder/x.txt"
job 2 "$program" solve solve --grid 2x1 --block 16 --rows 80 --precision float --mode thesis --sides 2 \
    > "$folder/thesis.txt" 2>&1 || fail "solve solve --mode thesis"
below 10 "backward error" "$folder/thesis.txt"
expect "by thesis on cpu" "$folder/thesis.txt"
job 2 "$program" solve lu --grid 1x2 --block 8 --rows 20 --cols 33 > "$folder/wide.txt" 2>&1 ||
    fail "solve lu --grid 1x2 of a wide matrix"
if ldconfig -p | grep -q "libscalapack-openmpi.so.2.2"; then
    job 4 "$program" solve solve --grid 2x2 --block 16 --rows 150 --peers > "$folder/peers.txt" 2>&1 ||
        fail "solve solve --peers"
    expect "^other pivots than scalapack +0$" "$folder/peers.txt"
fi

# Errors: one line, whichever ranks have them.
{
    printf '\x93NUMPY\x01\x00\x76\x00'
    printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (8, 8), }"
    head -c 512 /dev/zero
} > "$folder/zeros.npy"
refuse 2 "the pivot of column 0, counted from 0, is zero" "$program" solve solve --grid 2x1 --input "$folder/zeros.npy"
refuse 2 "needs 6 ranks, but the job has 2" "$program" solve lu --grid 2x3 --rows 9
refuse 1 "rank 1: .*missing.npy" "$program" solve lu --grid 1x2 --input "$folder/zeros.npy" : \
    -n 1 "$program" solve lu --grid 1x2 --input "$folder/missing.npy"
printf '%%%%MatrixMarket matrix array real general\n2 2\n4\n1\n2\n5\n' > "$folder/dense.mtx"
refuse 2 "dense.mtx: --grid reads .npy files" "$program" solve lu --grid 2x1 --input "$folder/dense.mtx"
refuse 2 "grid takes real matrices" "$program" solve lu --grid 2x1 --rows 9 --complex
refuse 1 "grid 1x1 is one process" "$program" solve lu --grid 1x1 --rows 9
if "$program" solve lu --grid 2x2 --rows 9 > "$folder/alone.txt" 2>&1; then fail "--grid without mpirun"; fi
expect "^treelight: --grid 2x2 needs a job of 4 processes: start the command by mpirun -n 4" "$folder/alone.txt"
[ $failures = 0 ]
