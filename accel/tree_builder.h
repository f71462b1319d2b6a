// A tree builder sees only boxes, so triangles, spheres, splats, patches and instances share
// every builder. To add one, write a file for the algorithm, and its declaration and a row in
// tree_builders.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accel/bvh/layouts/binary_tree.h"
#include "core/base/settings.h"

namespace tl {

/// Triangles for builders and passes that clip them. Primitives from `count` on are not triangles
/// and are split as boxes.
struct TriangleSource {
    const vec3* positions = nullptr;
    const glm::uvec3* triangles = nullptr;
    std::uint32_t count = 0;
};

/// Input of a tree build, in device memory.
struct BuildInput {
    View<const Box> boxes;  ///< one for each reference; at most kMaxPrimitives
    /// The primitive of each reference; if empty, reference i is primitive i.
    View<const std::uint32_t> primitive_of;
    TriangleSource triangles;
    LeafPolicy leaves;
    /// Upper bound of the leaf size, whatever the config says: 1 for primitives that are expensive
    /// to test.
    std::uint32_t leaf_limit = NodeRef::kMaxLeafSize;
    /// Whether some primitives are instances, whose tracer supports only layout bvh2.
    bool has_instances = false;
};

class TreeBuilder {
  public:
    virtual ~TreeBuilder() = default;

    /// Most references over `n` boxes: above `n` where splits are made; grows if a build needs it.
    [[nodiscard]] virtual std::size_t max_references(std::size_t n) const { return n; }

    /// Builds over at least one box on the scratch's stream; few rebuilds wait. Invalid boxes
    /// (Box::is_valid) are left out and counted. A rebuild of the same size allocates nothing.
    virtual void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) = 0;

    /// The builder's settings, bound to its Config.
    [[nodiscard]] virtual Settings settings() { return {}; }
};

/// A row of the table of builders; make_cuda is null where the build has no CUDA.
struct TreeBuilderRow {
    std::string id;                ///< identifier in flags and files: "lbvh"
    std::string title;             ///< displayed name
    std::string help;              ///< one sentence with the source
    const SettingTable* settings;  ///< declared by the builder's Config
    std::unique_ptr<TreeBuilder> (*make_cpu)();
    std::unique_ptr<TreeBuilder> (*make_cuda)();
};

[[nodiscard]] const std::vector<TreeBuilderRow>& tree_builders();
/// Creates the builder `id` for a device. Throws UsageError listing the known ids.
[[nodiscard]] std::unique_ptr<TreeBuilder> make_tree_builder(const std::string& id,
                                                             const Device& device);

}  // namespace tl
