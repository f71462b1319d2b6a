// Binned SAH: top-down BVH builders that split each node at the plane of least cost between bins.
// Used alone, below the top of a linear BVH, and in HLBVH.
#pragma once

#include "accel/bvh/builders/subtree_task.h"
#include "accel/tree_builder.h"
#include "core/base/enum_names.h"
#include "core/base/settings.h"

namespace tl {

/// Algorithm that assigns references to the bins of a large node.
enum class BinProjection : int {
    k_scans,      ///< one scan of flags for each bin (Zeidan 2011, section 4.6)
    log2_splits,  ///< one stable segmented split for each bit of the bin number
    radix_sort,   ///< one radix sort on (node, bin)
    shared_bins,  ///< no sorting: boxes are accumulated in shared-memory bins
};
[[nodiscard]] constexpr auto names_of(BinProjection) {
    return std::to_array<EnumName<BinProjection>>({{BinProjection::k_scans, "k-scans"},
                                                   {BinProjection::log2_splits, "log2-splits"},
                                                   {BinProjection::radix_sort, "radix-sort"},
                                                   {BinProjection::shared_bins, "shared-bins"}});
}

/// Largest node (in references) that one warp finishes on CUDA, whatever the projection.
inline constexpr std::uint32_t kSmallBinnedNode = 256;

/// The setting of all builders that split between bins.
struct BinsConfig {
    static constexpr int kMaxBins = 32;
    int bins = 16;  ///< along an axis, 4 to kMaxBins

    [[nodiscard]] static const SettingsOf<BinsConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Builds each task's subtree down to single references, with bins along all three axes.
    /// Permutes tree.order within the tasks and writes nodes, numbered as for SubtreeTask; does not
    /// write tree.output_sizes. `boxes` are those that tree.order refers to, all valid. Tasks may have
    /// any size; on CUDA, tasks far above `usual_size` take longer.
    void build_binned_subtrees(Scratch& scratch, View<const Box> boxes, const SubtreeTasks& tasks,
                               std::size_t usual_size, int n_bins, const BinaryTree& tree);
)
// clang-format on
