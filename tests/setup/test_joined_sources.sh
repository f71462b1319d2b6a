#!/usr/bin/env bash
# CMake joins sources to groups that depend on the preset and on the packages that were found. Checks the sources of
# each library joined to one, so that no name in an unnamed namespace is used twice, whatever the groups. Most files of
# tests have a namespace each, which is faster to check.
# usage: test_joined_sources.sh BUILD_DIR; 77 where sources are not joined
set -euo pipefail
cd "$1"
status=77

# Whether every source of these groups has the namespace that is called after it.
have_own_namespaces() {
    local source name
    while IFS= read -r source; do
        name=$(basename "$source" .cpp)
        grep -qF "namespace tl::${name#test_}_tests " "$source" || return 1
    done < <(sed -n 's/^#include "\(.*\)"$/\1/p' "$@")
}
for folder in */CMakeFiles/*.dir/Unity; do
    mapfile -t groups < <(ninja -t targets all | sed -n "s#^\($folder/unity_[0-9]*_cxx.cxx\)\.o: .*#\1#p" | sort -V)
    ((${#groups[@]} > 0)) || continue
    ((status == 1)) || status=0
    if [[ $folder == tests/* ]] && have_own_namespaces "${groups[@]}"; then continue; fi
    cat "${groups[@]}" > "$folder/all.cxx"
    command=$(ninja -t commands -s "${groups[0]}.o" |
        sed "s#-MD .* -c .*#-fsyntax-only '$folder/all.cxx'#; s#^.*/ccache ##")
    if ! bash -c "$command"; then
        echo "FAILED: $folder"
        status=1
    fi
done
exit "$status"
