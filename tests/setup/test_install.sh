#!/usr/bin/env bash
# Installs the program into a new folder, moves that, and uses it from elsewhere while the sources are hidden.
# usage: test_install.sh CMAKE BUILD_DIR SOURCE_DIR
set -euo pipefail
cmake=$1 build=$2 source_dir=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}

# Runs a command with an empty folder in place of the sources: a mount that only its processes see.
without_sources() {
    # shellcheck disable=SC2016
    "${unshare[@]}" bash -c 'mount -t tmpfs none "$0" && exec "$@"' "$source_dir" "$@"
}

unshare=(unshare --mount)
((EUID == 0)) || unshare+=(--user --map-root-user)
if [[ $folder == "$source_dir"/* ]] || ! without_sources true 2> /dev/null; then
    echo "the sources cannot be hidden here"
    exit 77
fi

"$cmake" --install "$build" --prefix "$folder/staging" > /dev/null
mv "$folder/staging" "$folder/prefix"
mkdir "$folder/elsewhere"
cd "$folder/elsewhere"
cp -r "$folder/prefix/share/treelight/scenes" copied
program=$folder/prefix/bin/treelight

for scene in "$folder/prefix/share/treelight/scenes/teapot.toml" copied/teapot.toml scene:textures.toml \
    asset:teapot.bpt; do
    rm -f picture.png
    without_sources "$program" render "$scene" --device cpu --size 32x24 --spp 1 -o picture.png 2> said.txt ||
        fail "render $scene: $(cat said.txt)"
    [[ -s picture.png ]] || fail "render $scene wrote no picture"
    ! grep -i warning said.txt || fail "render $scene warns"
done
without_sources "$program" info > info.txt
for kind in scenes assets; do
    grep -qE "^  $kind +$folder/prefix/share/treelight/$kind\$" info.txt ||
        fail "info does not name the installed $kind: $(grep -A 3 '^folders' info.txt)"
done
# A scene whose model has to be fetched names the installed tool for it.
fetch=$folder/prefix/share/treelight/tools/fetch-models
if TREELIGHT_MODELS=$folder/models without_sources "$program" render scene:bunny.toml -o x.png 2> said.txt; then
    fail "a model came from nowhere"
fi
grep -qF "; run $fetch" said.txt || fail "$(cat said.txt)"
mkdir "$folder/models"
echo here > "$folder/models/bunny.obj"
without_sources env TREELIGHT_MODELS="$folder/models" "$fetch" > said.txt 2>&1 || fail "$(cat said.txt)"
mv "$folder/prefix/share" "$folder/taken"
if without_sources "$program" render scene:teapot.toml -o x.png 2> said.txt; then fail "a scene came from nowhere"; fi
grep -qF "the scene 'scene:teapot.toml' is not in any folder of the program" said.txt || fail "$(cat said.txt)"
mv "$folder/taken" "$folder/prefix/share"

# Files for desktops, where the programs that check them are installed.
share=$folder/prefix/share
if command -v desktop-file-validate > /dev/null; then
    desktop-file-validate "$share/applications/treelight.desktop" > said.txt || fail "$(cat said.txt)"
fi
if command -v appstreamcli > /dev/null; then
    appstreamcli validate --no-net "$share"/metainfo/*.xml > said.txt || fail "$(cat said.txt)"
fi
if command -v update-mime-database > /dev/null; then
    update-mime-database "$share/mime" 2> said.txt || fail "$(cat said.txt)"
    grep -qx 'model/x-ply:\*.ply' "$share/mime/globs" || fail "*.ply has no type"
fi
for file in README.md LICENSE THIRD_PARTY.md docs/scene-files.md; do
    [[ -s $share/doc/treelight/$file ]] || fail "$file is not installed"
done
find "$folder/prefix" -type d | sed "s:$folder/prefix:.:" | sort
