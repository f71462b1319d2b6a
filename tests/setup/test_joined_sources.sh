#!/usr/bin/env bash
# Compiles all sources of each library as one unity build, to check that no name in an unnamed namespace is defined
# twice. CMake's own batches are smaller and depend on the preset and on the packages found. Most test sources have a
# namespace each; checking for that is faster than compiling them.
# usage: test_joined_sources.sh BUILD_DIR
# Exit code 77 (skipped) where the build has no unity builds.
set -euo pipefail
cd "$1"
status=77

# have_own_namespaces UNITY_FILE...: whether each included test source has a namespace named after it.
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
