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
# find_package() from CMake, and the traversal in C++.
mkdir "$folder/cmake"
cat > "$folder/cmake/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.20)
project(visit LANGUAGES CXX)
find_package(Treelight 1.0 REQUIRED)
add_executable(visit visit.cpp)
target_compile_options(visit PRIVATE -Wall -Wextra -Werror)
target_link_libraries(visit PRIVATE Treelight::treelight)
END
cat > "$folder/cmake/visit.cpp" << 'END'
#include <treelight_traversal.h>

#include <cstdio>

// How many of the boxes along the x axis a ray along it enters.
int main() {
    float lower[100][3], upper[100][3];
    for (int i = 0; i < 100; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            lower[i][axis] = axis == 0 ? 2.0f * static_cast<float>(i) : -1.0f;
            upper[i][axis] = lower[i][axis] + 1;
        }
    tl_geometry boxes{};
    boxes.kind = TL_BOXES;
    boxes.count = 100;
    boxes.positions = {lower[0], 0, 0};
    boxes.upper = {upper[0], 0, 0};
    tl_tree* tree = nullptr;
    tl_tree_nodes nodes{};
    if (tl_tree_create("cpu", nullptr, 0, &tree) || tl_tree_build(tree, &boxes, nullptr) ||
        tl_tree_pointers(tree, &nodes)) {
        std::puts(tl_last_error());
        return 1;
    }
    const float origin[3] = {-5, -0.5f, -0.5f}, direction[3] = {1, 0, 0}, t_max = 54.5f;
    int n = 0;
    treelight::for_each_on_ray(treelight::TreeView(nodes), origin, direction, 0.0f, t_max,
                               [&](std::uint32_t box) { return box < 25 ? ++n > 0 : true; });
    tl_tree_destroy(tree);
    return n == 25 ? 0 : 1;
}
END
"$1" -S "$folder/cmake" -B "$folder/cmake/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$folder/prefix" > /dev/null
"$1" --build "$folder/cmake/build" > /dev/null
"$folder/cmake/build/visit"
# The library exports only the symbols of its interface.
others=$(nm -D --defined-only "$(pkg-config --variable=libdir treelight)/libtreelight.so" | awk '{ print $3 }' | grep -v '^tl_' || true)
if [[ -n $others ]]; then
    echo "FAILED: the library exports $others"
    exit 1
fi
find "$folder/prefix" ! -type d | sort
