// A tree builder sees boxes only, so triangles, spheres, patches, splats and photons share every
// builder. To add one: a file for the algorithm and a row in the table of tree_builders.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accel/box.h"
#include "accel/bvh/bvh2.h"
#include "accel/parallel/settings.h"

namespace tl {

class TreeBuilder {
  public:
    virtual ~TreeBuilder() = default;

    /// Builds over `boxes` (device memory, at most kMaxPrimitives) on the scratch's stream, without
    /// waiting. A rebuild of a tree of the same size allocates nothing.
    virtual void build(Scratch& scratch, View<const Box> boxes, Bvh2& tree) = 0;

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
