#!/usr/bin/env bash
# Installs the C library into a new folder, then compiles and runs a program against it as docs/api.md describes.
# usage: installed_for_c.sh CMAKE BUILD_DIR
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --install "$2" --component library --prefix "$folder/moved" > /dev/null
mv "$folder/moved" "$folder/prefix"  # the installed files must work after a move
packages=$(dirname "$(find "$folder/prefix" -name treelight.pc)")
cat > "$folder/program.c" << 'END'
#include <stdio.h>
#include <treelight.h>
int use_api_from_c(const char* device);
int solve_batch_from_c(const char* device);
int solve_complex_from_c(const char* device);
int render_from_c(const char* device);
int query_tree_from_c(const char* device);
int main(void) {
    int solver = use_api_from_c("cpu"), batch = solve_batch_from_c("cpu"), scene = render_from_c("cpu");
    int complex_step = solve_complex_from_c("cpu"), tree = query_tree_from_c("cpu");
    if (solver || batch || complex_step || scene || tree)
        printf("step %d of solvers, %d of batches, %d of complex matrices, %d of scenes, %d of trees: %s\n", solver,
               batch, complex_step, scene, tree, tl_last_error());
    return solver || batch || complex_step || scene || tree || tl_version_number() != TREELIGHT_VERSION_NUMBER;
}
END
mkdir -p "$folder/library/api"
ln -s "$folder"/prefix/include/treelight*.h "$folder/library/api/"
export PKG_CONFIG_PATH=$packages
read -ra flags <<< "$(pkg-config --cflags --libs treelight)"
cc -std=c99 -Wall -Wextra -Werror -I"$folder" "$folder/program.c" "$here/api_in_c.c" "${flags[@]}" -lm -o "$folder/program"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir treelight) "$folder/program"
# The example in C, against the installed files alone.
cp "$here/../../library/examples/ambient_occlusion.c" "$folder/"
cc -std=c99 -O2 -Wall -Wextra -Werror "$folder/ambient_occlusion.c" "${flags[@]}" -lm -o "$folder/ambient_occlusion"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir treelight) "$folder/ambient_occlusion" cpu
# The library exports only the symbols of its interface.
others=$(nm -D --defined-only "$(pkg-config --variable=libdir treelight)/libtreelight.so" | awk '{ print $3 }' | grep -v '^tl_' || true)
if [[ -n $others ]]; then
    echo "FAILED: the library exports $others"
    exit 1
fi
find "$folder/prefix" ! -type d | sort
