#!/usr/bin/env bash
# Tests tools/try-corpus with a stand-in for treelight that loads, refuses, crashes or hangs by the name of the file.
# usage: test_try_corpus.sh SOURCE_DIR
set -uo pipefail
tool=$1/tools/try-corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat > treelight <<'EOF'
#!/usr/bin/env bash
if [[ $1 == info ]]; then
    echo '{"scene_files": [".obj", ".ply"]}'
    exit
fi
file=$2
case $(basename "$file") in
    good*) echo "warning: $file: a texture is missing" >&2 ;;
    bad*) echo "treelight: $file:3: is | bad" >&2 && exit 1 ;;
    crash*) kill -SEGV $$ ;;
    quiet*) exit 1 ;;
    hang*) exec sleep 60 ;;
esac
EOF
chmod +x treelight
mkdir -p models/deep/er all-is-well none
touch models/good.obj models/deep/bad.OBJ models/deep/er/crash.ply models/quiet.ply models/hang.obj models/texture.png
touch all-is-well/good.obj all-is-well/bad.ply

# expect CODE ARGUMENTS...: runs the tool, checks its exit code and stores its output in $printed.
expect() {
    local code=$1
    shift
    printed=$("$tool" --program ./treelight "$@" 2> errors.txt)
    local got=$?
    [[ $got == "$code" ]] && return
    echo "FAILED: try-corpus $*: exit $got, not $code: $printed $(cat errors.txt)"
    failures=$((failures + 1))
}
# has PATTERN: checks that a line of the output matches.
has() {
    grep -qE -- "$1" <<< "$printed" && return
    echo "FAILED: no line $1 in: $printed"
    failures=$((failures + 1))
}

expect 1 models --seconds 2
has '^good.obj +loaded +[0-9.]+ +[0-9]+ +1 warnings$'
has '^deep/bad.OBJ +refused +.* 3: is \| bad$'
has '^deep/er/crash.ply +crashed +.* signal 11$'
has '^quiet.ply +crashed +.* exit code 1$'
has '^hang.obj +hung +.* did not end within 2 s$'
has '^\.obj +3 +1 +1 +0 +1 '
has '^\.ply +2 +0 +0 +2 +0 '
has '^all +5 +1 +1 +2 +1 '

expect 0 all-is-well --markdown
has '^\| bad.ply \| refused \|.*3: is \\\| bad \|$'
has '^\| all \| 2 \| 1 \| 1 \| 0 \| 0 \|'
expect 0 all-is-well --summary
[[ $(wc -l <<< "$printed") == 4 ]] || failures=$((failures + 1))
expect 1 none
expect 1 no-such-folder
((failures == 0)) && echo 'the corpus tool tells what became of files'
exit "$((failures > 0))"
