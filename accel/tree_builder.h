// A tree builder sees boxes only, so triangles, spheres, patches, splats and photons share every
// builder. To add one: a file for the algorithm and a row in the table of tree_builders.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accel/bvh/layouts/binary_tree.h"
#include "accel/parallel/settings.h"

namespace tl {

/// Triangles for builders and passes that clip them; primitives from `count` on are not triangles
/// and are split as boxes.
struct TriangleSource {
    const vec3* positions = nullptr;
    const glm::uvec3* triangles = nullptr;
    std::uint32_t count = 0;
};

/// What a tree is built over, in device memory.
struct BuildInput {
    View<const Box> boxes;  ///< one for each reference; at most kMaxPrimitives
    /// Primitive of each reference; empty where reference i is primitive i.
    View<const std::uint32_t> primitive_of;
    TriangleSource triangles;
    LeafPolicy leaves;
    /// Leaves of the tree are no larger than this, whatever its config says: 1 where primitives are
    /// dear to test.
    std::uint32_t leaf_limit = NodeRef::kMaxLeafSize;
    /// Whether some primitives are instances, whose tracer knows layout bvh2 only.
    bool has_instances = false;
};

class TreeBuilder {
  public:
    virtual ~TreeBuilder() = default;

    /// References that a tree over `n` boxes may come to: more than `n` for builders that split.
    [[nodiscard]] virtual std::size_t max_references(std::size_t n) const { return n; }

    /// Builds over at least one box on the scratch's stream, without waiting. Boxes that are not
    /// valid (Box::is_valid) are left out and counted. A rebuild of the same size allocates
    /// nothing.
    virtual void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) = 0;

    /// What can be chosen, bound to this builder's Config.
    [[nodiscard]] virtual Settings settings() { return {}; }
};

/// A row of the table of builders; make_cuda is null where the build has no CUDA.
struct TreeBuilderRow {
    std::string id;     ///< for flags and files: "lbvh"
    std::string title;  ///< for people
    std::string help;   ///< one sentence with the source
    std::unique_ptr<TreeBuilder> (*make_cpu)();
    std::unique_ptr<TreeBuilder> (*make_cuda)();
};

[[nodiscard]] const std::vector<TreeBuilderRow>& tree_builders();
/// The builder `id` for a device. Throws UsageError listing the known ids.
[[nodiscard]] std::unique_ptr<TreeBuilder> make_tree_builder(const std::string& id,
                                                             const Device& device);

}  // namespace tl
