#!/usr/bin/env bash
# Makes a .deb and a tar of a finished build, unpacks both and renders with them in an empty environment.
# usage: test_package.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$1 source_dir=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}

for tool in dpkg-deb patchelf xz; do
    command -v "$tool" > /dev/null || { echo "$tool is not installed" && exit 77; }
done

# use PROGRAM SHARE: renders a scene of the package, and tells where its files lie.
use() {
    cd "$folder"
    rm -f picture.png
    env -i HOME="$folder" PATH=/usr/bin:/bin "$1" render scene:teapot.toml --device cpu --size 32x24 --spp 1 \
        -o picture.png > said.txt 2>&1 || fail "$1: $(cat said.txt)"
    [[ -s picture.png ]] || fail "$1 wrote no picture"
    env -i HOME="$folder" PATH=/usr/bin:/bin "$1" info > said.txt
    grep -qE " $2/scenes\$" said.txt || fail "$1 does not use $2"
}

tar=$("$source_dir/tools/package" tar --build "$build" --to "$folder" | tail -n 1)
tar -C "$folder" -xf "$tar"
root=$(basename "$tar" .tar.xz)
use "$folder/$root/bin/treelight" "$folder/$root/share/treelight"
ln -s "$folder/$root/bin/treelight" "$folder/link"
use "$folder/link" "$folder/$root/share/treelight"
# require_own_libraries FOLDER NAME: fails if the program needs libraries of the system that not all systems have.
require_own_libraries() {
    local outside
    outside=$(ldd "$1/lib/treelight/treelight" | awk -v own="$folder" \
        '$2 == "=>" && $3 != "" && index($3, own) != 1 { print $1 }' |
        grep -vE '^(lib(c|m|mvec|dl|pthread|rt|gcc_s|stdc\+\+|z|EGL|GLdispatch|X11|xcb|Xau|Xdmcp|bsd|md)\.so|linux-vdso)' || true)
    [[ -z $outside ]] || fail "the $2 lacks $outside"
}
require_own_libraries "$folder/$root" tar
grep -q 'glibc [0-9.]* or later' "$folder/$root/README.txt" || fail "README.txt names no C library"

deb=$("$source_dir/tools/package" deb --build "$build" --to "$folder" | tail -n 1)
dpkg-deb -x "$deb" "$folder/deb"
use "$folder/deb/usr/bin/treelight" "$folder/deb/usr/share/treelight"
require_own_libraries "$folder/deb/usr" .deb
dpkg-deb -f "$deb" Depends | grep -qE '^libc6 \(>= [0-9.]+\), libstdc\+\+6 \(>= [0-9]+\), libgcc-s1, zlib1g$' ||
    fail "the .deb depends on other packages than all systems have: $(dpkg-deb -f "$deb" Depends)"
[[ -s $folder/deb/usr/share/doc/treelight/copyright ]] || fail "the .deb has no copyright file"
(cd "$folder/deb" && dpkg-deb -I "$deb" md5sums | md5sum --quiet -c) || fail "the sums of the .deb do not fit"
# The wheel, where the build has the Python module.
python=$(sed -n 's/^TL_PYTHON:INTERNAL=//p' "$build/CMakeCache.txt")
if compgen -G "$build/python/treelight/_treelight*.so" > /dev/null; then
    wheel=$("$source_dir/tools/build-wheel" --build "$build" --to "$folder" | tail -n 1)
    mkdir "$folder/empty"
    cd "$folder/empty"
    if "$python" -m venv --system-site-packages venv > /dev/null 2>&1; then
        own=(env -i HOME="$folder" PATH=/usr/bin:/bin OPENBLAS_NUM_THREADS=1 venv/bin/python)
        "${own[@]}" -m pip install --quiet --no-index "$wheel" || fail "pip does not install $(basename "$wheel")"
    else  # python3-venv is not installed
        "$python" -m zipfile -e "$wheel" wheel
        own=(env -i HOME="$folder" PATH=/usr/bin:/bin OPENBLAS_NUM_THREADS=1 PYTHONPATH=wheel "$python")
    fi
    "${own[@]}" -c '
import treelight
assert treelight.__file__.startswith("'"$folder"'/empty/")
hits = treelight.Tree([[0, 0, 0], [1, 0, 0], [0, 1, 0]]).closest([[0.2, 0.2, 1]], [[0, 0, -1]])
assert hits.t[0] == 1 and hits.primitive[0] == 0
picture = treelight.render(treelight.Scene("scene:teapot.toml"), width=32, height=24, spp=1)
values = treelight.svdvals([[3.0, 0.0], [0.0, 2.0]])
assert picture.shape == (24, 32, 3) and picture.max() > 0 and abs(values - [3, 2]).max() < 1e-12' ||
        fail "the module of $(basename "$wheel") does not work"
fi
echo "the packages are whole:$(find "$folder" -maxdepth 1 -type f -name 'treelight*' -printf ' %f')"
