#include "accel/bvh/builders/builder_configs.h"
#include "accel/octree/octree_tree_config.h"
#include "accel/tree_builder.h"
#include "core/base/macros.h"
#include "core/device/registry.h"

// The builders, each made in its own file.
// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<TreeBuilder> make_hploc_builder();
    std::unique_ptr<TreeBuilder> make_lbvh_builder();
    std::unique_ptr<TreeBuilder> make_sah_builder();
    std::unique_ptr<TreeBuilder> make_hybrid_sah_builder();
    std::unique_ptr<TreeBuilder> make_binned_builder();
    std::unique_ptr<TreeBuilder> make_hybrid_binned_builder();
    std::unique_ptr<TreeBuilder> make_hlbvh_builder();
    /// Its cells do not overlap, so a ray that visits them front to back can stop at the first one
    /// with a hit.
    std::unique_ptr<TreeBuilder> make_kd_sah_builder();
    std::unique_ptr<TreeBuilder> make_octree_tree_builder();
)
// clang-format on

namespace tl {

/// Takes seconds for millions of boxes, and waits for the device.
std::unique_ptr<TreeBuilder> make_sweep_builder();
/// Only in builds that found libembree.
std::unique_ptr<TreeBuilder> make_embree_builder();

namespace {

std::vector<TreeBuilderRow> make_table() {
    std::vector<TreeBuilderRow> table{
        {"hploc", "H-PLOC",
         "Hierarchical parallel locally-ordered clustering, built nearly as fast as a linear BVH "
         "(Benthin 2024)",
         &HplocConfig::declared_settings(), &cpu::make_hploc_builder,
         TL_CUDA_ONLY(&cuda::make_hploc_builder)},
        {"lbvh", "LBVH",
         "Linear BVH over Morton codes (Karras 2012, emitted bottom-up as Apetrei 2014)",
         &LbvhConfig::declared_settings(), &cpu::make_lbvh_builder,
         TL_CUDA_ONLY(&cuda::make_lbvh_builder)},
        {"sah", "SAH",
         "Top-down SAH: sampled planes for large nodes, full sweeps for small ones (Lauterbach "
         "2009)",
         &SahConfig::declared_settings(), &cpu::make_sah_builder,
         TL_CUDA_ONLY(&cuda::make_sah_builder)},
        {"hybrid-sah", "LBVH + SAH",
         "The top of a linear BVH, SAH subtrees below (Lauterbach 2009, Zeidan 2011)",
         &HybridSahConfig::declared_settings(), &cpu::make_hybrid_sah_builder,
         TL_CUDA_ONLY(&cuda::make_hybrid_sah_builder)},
        {"binned", "Binned SAH",
         "Top-down SAH over bins of centroids (Wald 2007; Zeidan 2011, section 4.6)",
         &BinnedConfig::declared_settings(), &cpu::make_binned_builder,
         TL_CUDA_ONLY(&cuda::make_binned_builder)},
        {"hybrid-binned", "Hybrid binned SAH",
         "Linear BVH on top, binned SAH below (Zeidan 2011, section 4.7.1)",
         &HybridBinnedConfig::declared_settings(), &cpu::make_hybrid_binned_builder,
         TL_CUDA_ONLY(&cuda::make_hybrid_binned_builder)},
        {"hlbvh", "HLBVH", "Linear BVHs in Morton clusters under a binned SAH top (Garanzha 2011)",
         &HlbvhConfig::declared_settings(), &cpu::make_hlbvh_builder,
         TL_CUDA_ONLY(&cuda::make_hlbvh_builder)},
        {"sweep", "Full-sweep SAH",
         "Evaluates every cut along every axis, in host memory: the quality reference "
         "(MacDonald & Booth 1990)",
         &SettingTable::none(), &make_sweep_builder, nullptr},
        {"kd-sah", "SAH kd-tree",
         "Disjoint cells, clipped triangles: median cuts at the top, bit masks below (Zhou 2008)",
         &KdSahConfig::declared_settings(), &cpu::make_kd_sah_builder,
         TL_CUDA_ONLY(&cuda::make_kd_sah_builder)},
        {"octree", "Octree",
         "Cells of an octree over the middles of boxes, into which the boxes are inserted (Goradia "
         "2008, chapter 7)",
         &OctreeTreeConfig::declared_settings(), &cpu::make_octree_tree_builder,
         TL_CUDA_ONLY(&cuda::make_octree_tree_builder)},
    };
#if defined(TL_HAS_EMBREE)
    table.push_back({"embree", "Embree",
                     "The binned SAH builder of Intel Embree (rtcBuildBVH), for comparison",
                     &EmbreeConfig::declared_settings(), &make_embree_builder, nullptr});
#endif
    return table;
}

}  // namespace

const std::vector<TreeBuilderRow>& tree_builders() {
    static const std::vector<TreeBuilderRow> table = make_table();
    return table;
}

std::unique_ptr<TreeBuilder> make_tree_builder(const std::string& id, const Device& device) {
    return make_from_row(tree_builders(), id, device, "tree builder");
}

}  // namespace tl
