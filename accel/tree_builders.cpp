#include "accel/bvh/lbvh.h"
#include "accel/parallel/registry.h"
#include "accel/tree_builder.h"

namespace tl {

const std::vector<TreeBuilderRow>& tree_builders() {
    static const std::vector<TreeBuilderRow> table{
        {"lbvh", "LBVH",
         "Linear BVH over 63-bit Morton codes (Karras 2012, emitted bottom-up as Apetrei 2014)",
         &cpu::make_lbvh_builder, TL_CUDA_ONLY(&cuda::make_lbvh_builder)},
    };
    return table;
}

std::unique_ptr<TreeBuilder> make_tree_builder(const std::string& id, const Device& device) {
    return make_from_row(tree_builders(), id, device, "tree builder");
}

}  // namespace tl
