#!/usr/bin/env bash
# CMake joins sources to groups that depend on the preset and on the packages that were found. Checks the sources of
# each library joined to one, so that no name in an unnamed namespace is used twice, whatever the groups.
# usage: test_joined_sources.sh BUILD_DIR; 77 where sources are not joined
set -euo pipefail
cd "$1"
status=77
for folder in */CMakeFiles/*.dir/Unity; do
    mapfile -t groups < <(ninja -t targets all | sed -n "s#^\($folder/unity_[0-9]*_cxx.cxx\)\.o: .*#\1#p" | sort -V)
    ((${#groups[@]} > 0)) || continue
    ((status == 1)) || status=0
    cat "${groups[@]}" > "$folder/all.cxx"
    command=$(ninja -t commands -s "${groups[0]}.o" |
        sed "s#-MD .* -c .*#-fsyntax-only '$folder/all.cxx'#; s#^.*/ccache ##")
    if ! bash -c "$command"; then
        echo "FAILED: $folder"
        status=1
    fi
done
exit "$status"
