#include "accel/octree/octree_builder.h"
#include "core/base/macros.h"
#include "core/device/registry.h"

// Factories of the builders, each defined in the builder's own file.
// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<OctreeBuilder> make_modern_octree_builder();
    std::unique_ptr<OctreeBuilder> make_direct_octree_builder();
    std::unique_ptr<OctreeBuilder> make_bottom_up_octree_builder();
    std::unique_ptr<OctreeBuilder> make_top_down_octree_builder();
)
// clang-format on

namespace tl {

const std::vector<OctreeBuilderRow>& octree_builders() {
    static const std::vector<OctreeBuilderRow> table{
        {"modern", "One pass over keys",
         "One radix sort of 63-bit keys, all nodes by their ranks on each level in one kernel "
         "(after Karras 2012 and Keller 2023)",
         &cpu::make_modern_octree_builder, TL_CUDA_ONLY(&cuda::make_modern_octree_builder)},
        {"direct", "Full tree",
         "A full tree of at most 8 levels, whose nodes' places are computed from their paths "
         "(Goradia 2008)",
         &cpu::make_direct_octree_builder, TL_CUDA_ONLY(&cuda::make_direct_octree_builder)},
        {"bottom-up", "Bottom-up",
         "Leaves along the curve, a compressed octree of what pairs of them share, and the cells "
         "between (Goradia 2008)",
         &cpu::make_bottom_up_octree_builder, TL_CUDA_ONLY(&cuda::make_bottom_up_octree_builder)},
        {"top-down", "Top-down",
         "Clusters of points are parted into eight, level by level, without sorting (Goradia 2008)",
         &cpu::make_top_down_octree_builder, TL_CUDA_ONLY(&cuda::make_top_down_octree_builder)},
    };
    return table;
}

std::unique_ptr<OctreeBuilder> make_octree_builder(const std::string& id, const Device& device) {
    return make_from_row(octree_builders(), id, device, "octree builder");
}

}  // namespace tl
