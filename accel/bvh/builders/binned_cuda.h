// Shared code of the kernels for binned SAH: bins, and the choice of a node's split by one warp.
#pragma once

#include "accel/bvh/builders/binned.h"
#include "accel/bvh/builders/ordered_box.h"
#include "core/device/launch_cuda.h"
#include "core/device/warp.h"

namespace tl::cuda {

/// Keeps these names apart from the same ones in other builders.
inline namespace binned {

inline constexpr unsigned kAllLanes = 0xffffffffu;

/// Maps a centre to its bin along each axis. A code holds three bin numbers, five bits each.
struct BinGrid {
    vec3 lo, scale;
    int last;

    TL_D BinGrid(const OrderedBox& centers, int n_bins) : last(n_bins - 1) {
        Box box = centers.box();
        lo = box.lo;
        for (int axis = 0; axis < 3; ++axis) {
            float extent = box.hi[axis] - box.lo[axis];
            scale[axis] = extent > 0 ? static_cast<float>(n_bins) * 0.9999f / extent : 0.0f;
            // An axis so nearly flat that the scale overflows: all in the first bin.
            if (!(scale[axis] < kInfinity)) scale[axis] = 0;
        }
    }
    [[nodiscard]] TL_D std::uint32_t code_of(vec3 center) const {
        std::uint32_t code = 0;
        for (int axis = 0; axis < 3; ++axis) {
            int bin = static_cast<int>((center[axis] - lo[axis]) * scale[axis]);
            code |= static_cast<std::uint32_t>(min(max(bin, 0), last)) << (5 * axis);
        }
        return code;
    }
};
TL_D inline std::uint32_t bin_of(std::uint32_t code, std::uint32_t axis) {
    return code >> (5 * axis) & 31u;
}

/// Words of one bin: the six fields of an OrderedBox, then the number of references. A bin of zeros
/// is empty.
inline constexpr int kBinFields = 7;
/// Words of a node's bins along all three axes.
inline constexpr int kBinWords = 3 * kBinFields * BinsConfig::kMaxBins;

/// Index of a bin's word: axis-major, then by field, then by bin.
TL_D constexpr int bin_word(int axis, int field, int bin) {
    return (axis * kBinFields + field) * BinsConfig::kMaxBins + bin;
}

/// Adds the boxes of active lanes to bins in shared memory; called by all lanes of the warp. On
/// axes where the warp's boxes share a bin, one lane adds their union.
TL_D inline void add_to_bins(std::uint32_t* bins, const Box& box, std::uint32_t code, bool active) {
    unsigned active_lanes = __ballot_sync(kAllLanes, active);
    if (active_lanes == 0) return;
    int leader = __ffs(static_cast<int>(active_lanes)) - 1;
    std::uint32_t leader_code = __shfl_sync(kAllLanes, code, leader);
    std::uint32_t differing = warp_or(active ? code ^ leader_code : 0u);
    OrderedBox ordered = active ? OrderedBox::from(box) : OrderedBox();
    bool shared_bin = false;
    for (int axis = 0; axis < 3; ++axis) shared_bin |= bin_of(differing, axis) == 0;
    OrderedBox united;
    if (shared_bin)
        for (int f = 0; f < 6; ++f) united.maxima[f] = warp_maximum(ordered.maxima[f]);
    bool is_leader = static_cast<int>(threadIdx.x % 32) == leader;
    for (int axis = 0; axis < 3; ++axis) {
        int bin = static_cast<int>(bin_of(code, axis));
        if (bin_of(differing, axis) == 0) {
            if (!is_leader) continue;
            for (int f = 0; f < 6; ++f) atomicMax(&bins[bin_word(axis, f, bin)], united.maxima[f]);
            atomicAdd(&bins[bin_word(axis, 6, bin)],
                      static_cast<std::uint32_t>(__popc(active_lanes)));
        } else if (active) {
            for (int f = 0; f < 6; ++f) atomicMax(&bins[bin_word(axis, f, bin)], ordered.maxima[f]);
            atomicAdd(&bins[bin_word(axis, 6, bin)], 1u);
        }
    }
}

/// Split of a node: references in bins up to and including `last_left` along `axis` go left. With
/// axis 3 no plane splits the node, and its first n_left references in order go left.
struct Split {
    static constexpr std::uint32_t kNoPlane = 3;
    std::uint32_t axis = kNoPlane;
    std::uint32_t last_left = 0;
    std::uint32_t n_left = 0;

    [[nodiscard]] TL_D bool goes_left(std::uint32_t code, std::uint32_t offset) const {
        return axis == kNoPlane ? offset < n_left : bin_of(code, axis) <= last_left;
    }
};

/// Difference in size between the two sides of a split. Breaks ties of cost, so that boxes of zero
/// area make no deep tree.
TL_D inline std::uint32_t skew_of(std::uint32_t n_left, std::uint32_t count) {
    return n_left > count - n_left ? 2 * n_left - count : count - 2 * n_left;
}

/// Returns the plane of least SAH cost between the bins of `count` references. Called by all lanes
/// of a warp; every lane gets the result, and the union of all boxes in `node_box`. With one bin
/// per lane, prefix scans give the left sides and suffix scans the right sides.
TL_D inline Split choose_split(const std::uint32_t* bins, std::uint32_t count, Box& node_box) {
    int lane = static_cast<int>(threadIdx.x % 32);
    std::uint32_t least = kAllLanes, least_skew = kAllLanes, least_at = kAllLanes;
    std::uint32_t least_n_left = 0;
    for (int axis = 0; axis < 3; ++axis) {
        OrderedBox left, right;
        for (int f = 0; f < 6; ++f)
            left.maxima[f] = right.maxima[f] = bins[bin_word(axis, f, lane)];
        std::uint32_t n_left = bins[bin_word(axis, 6, lane)];
        for (int step = 1; step < 32; step *= 2) {
            for (int f = 0; f < 6; ++f) {
                std::uint32_t below = __shfl_up_sync(kAllLanes, left.maxima[f], step);
                std::uint32_t above = __shfl_down_sync(kAllLanes, right.maxima[f], step);
                if (lane >= step) left.maxima[f] = max(left.maxima[f], below);
                if (lane + step < 32) right.maxima[f] = max(right.maxima[f], above);
            }
            std::uint32_t below = __shfl_up_sync(kAllLanes, n_left, step);
            if (lane >= step) n_left += below;
        }
        OrderedBox all;
        for (int f = 0; f < 6; ++f) {
            all.maxima[f] = __shfl_sync(kAllLanes, left.maxima[f], 31);
            right.maxima[f] = __shfl_down_sync(kAllLanes, right.maxima[f], 1);
        }
        node_box = all.box();
        // A plane at or after the last non-empty bin leaves the right side empty.
        bool parts = n_left > 0 && n_left < count;
        float cost = static_cast<float>(n_left) * left.box().half_area() +
                     static_cast<float>(count - n_left) * right.box().half_area();
        std::uint32_t bits = parts ? __float_as_uint(cost) : kAllLanes;
        std::uint32_t skew = skew_of(n_left, count);
        if (bits < least || (bits == least && skew < least_skew)) {
            least = bits;
            least_skew = skew;
            least_at = static_cast<std::uint32_t>(axis * 32 + lane);
            least_n_left = n_left;
        }
    }
    std::uint32_t least_of_all = warp_minimum(least);
    if (least != least_of_all) least_skew = kAllLanes;
    std::uint32_t skew = warp_minimum(least_skew);
    bool is_best = least == least_of_all && least_skew == skew;
    std::uint32_t at = warp_minimum(is_best ? least_at : kAllLanes);
    std::uint32_t n_left = __shfl_sync(kAllLanes, least_n_left, static_cast<int>(at % 32));
    if (least_of_all == kAllLanes) return {Split::kNoPlane, 0, count / 2};
    return {at / 32, at % 32, n_left};
}

TL_D inline void write_box(const BinaryTree& tree, std::uint32_t node, const Box& box) {
    tree.nodes[node].lo = box.lo;
    tree.nodes[node].hi = box.hi;
}

/// SubtreeTask whose references are in buffer number `buffer` of Orders.
struct StagedTask {
    std::uint32_t first, count, parent, buffer;
};

/// Append-only list of tasks in device memory.
struct StagedTasks {
    View<StagedTask> tasks;
    std::uint32_t* n_tasks = nullptr;

    TL_D void push(const StagedTask& task) const { tasks[atomicAdd(n_tasks, 1u)] = task; }
};

/// Double buffer of references: each level of large nodes moves them from one buffer to the other.
struct Orders {
    std::uint32_t* buffers[2];
};

}  // namespace binned

/// Splits all tasks of more than kSmallBinnedNode references. The whole device splits n_levels
/// levels breadth first; one block then finishes each remaining large node. Appends all smaller
/// tasks to `small`.
void split_large_tasks(Scratch& scratch, View<const Box> boxes, const SubtreeTasks& tasks,
                       int n_bins, int n_levels, const BinaryTree& tree, Orders orders,
                       StagedTasks small);

/// Builds the subtrees of tasks of up to kSmallBinnedNode references, one warp each. `n_taken`, the
/// counter of claimed tasks, is one element set to zero.
void finish_small_tasks(Stream& stream, View<const Box> boxes, int n_bins, const BinaryTree& tree,
                        Orders orders, StagedTasks small, View<std::uint32_t> n_taken);

}  // namespace tl::cuda
