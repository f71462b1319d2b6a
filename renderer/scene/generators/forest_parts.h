// The parts of the forest: trees, and the creatures that fly among them.
#pragma once

#include "core/base/random.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {

struct TreeColors {
    std::int32_t bark;
    std::int32_t leaves[3];
};

/// Grows a tree with a trunk, two generations of branches, and leaves. Every tree has the same
/// number of triangles.
void grow_tree(Mesh& wood, Mesh& leaves, vec3 foot, float height, RandomStream& random,
               const TreeColors& colors);

/// Appends a leaf of two triangles that fold along the midrib, up to `ahead` and `aside`, and face
/// `up`.
void add_leaf(Mesh& mesh, vec3 stalk, vec3 ahead, vec3 aside, vec3 up, std::int32_t material);

/// Appends a fairy and a dragonfly that fly around the clearing, with beating wings, and return to
/// their start after the scene's duration.
void add_fairy(Scene& scene);
void add_dragonfly(Scene& scene);

}  // namespace tl
