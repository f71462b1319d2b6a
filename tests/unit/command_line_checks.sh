#!/usr/bin/env bash
# Functions for tests of the command line, to be sourced with `treelight` set to the program. Changes into an empty
# folder, which is removed on exit.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE TEXT ARGS...: runs the program and checks its exit code and that its output contains TEXT. An error must
# be one line on stderr.
expect() {
    local code=$1 text=$2
    shift 2
    "${treelight:?}" "$@" >out.txt 2>err.txt
    local got=$?
    [[ $got == "$code" ]] || fail "treelight $*: exit $got, not $code: $(cat err.txt)"
    grep -qF -- "$text" out.txt err.txt || fail "treelight $*: no '$text' in: $(cat out.txt err.txt)"
    if [[ $code != 0 && $(wc -l <err.txt) != 1 ]]; then
        fail "treelight $*: the error is not one line: $(cat err.txt)"
    fi
}

finish() {
    if ((failures)); then
        echo "$failures checks failed"
        exit 1
    fi
    echo 'all checks passed'
}
