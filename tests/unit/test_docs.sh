#!/usr/bin/env bash
# Checks that links and file names in the documents exist, and that the documents describe the program, not its
# development.
# usage: test_docs.sh SOURCE_DIR
set -uo pipefail
cd "$1" || exit 1
failures=0
names=$(find . \( -path ./build -o -path ./out -o -path ./.git \) -prune -o -type f -printf '%f\n' | sort -u)

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# paths_in DOCUMENT: prints paths relative to the repository, with or without backquotes.
paths_in() {
    grep -oE '(^|[^A-Za-z0-9_./~$-])(accel|app|assets|cmake|docs|renderer|scenes|shaders|solvers|tests|third_party|tools)/[A-Za-z0-9_./-]*' "$1" |
        sed -E 's/^[^a-z]//; s/[.]+$//'
}
# sources_in DOCUMENT: prints names of source files in backquotes without a folder.
sources_in() {
    # shellcheck disable=SC2016
    grep -oE '`[a-z0-9_]+\.(h|cu|cpp|sh)`' "$1" | tr -d '`'
}

# anchors_of DOCUMENT: prints the link anchors of its headings.
anchors_of() {
    grep -E '^#+ ' "$1" | sed -E 's/^#+ //' | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for document in *.md docs/*.md docs/*/*.md; do
    folder=$(dirname "$document")
    while IFS= read -r link; do
        target=$folder/${link%%#*}
        [[ -n ${link%%#*} ]] || target=$document
        if [[ ! -e $target ]]; then
            fail "$document links to $link, which is not there"
        elif [[ $link == *#* ]] && ! anchors_of "$target" | grep -qxF "${link#*#}"; then
            fail "$document links to $link, but there is no such heading"
        fi
    done < <(grep -oE '\]\([^) ]+\)' "$document" | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:')
    while IFS= read -r path; do
        # scenes/S.toml and scenes/SCENE.toml are placeholders for any scene.
        [[ -e $path || $path == scenes/@(S|SCENE).toml ]] || fail "$document names $path, which is not there"
    done < <(paths_in "$document" | sort -u)
    while IFS= read -r source; do
        grep -qxF "$source" <<< "$names" || fail "$document names $source, which is nowhere"
    done < <(sources_in "$document" | sort -u)
    ! grep -nE '@[A-Z_]+@' "$document" || fail "$document has a mark left to be filled in"
    ! grep -nwiE 'issues?|TODO' "$document" || fail "$document tells of work instead of the program"
done
! grep -rnE '\.\./shared|shared/anchors' --include='*' . --exclude-dir=build --exclude-dir=out --exclude-dir=.git \
    --exclude=test_docs.sh || fail 'files outside of the sources are named'
((failures == 0)) && echo 'all documents are whole'
exit "$((failures > 0))"
