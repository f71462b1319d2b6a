// Binned SAH of one node in shared memory: bins of counts and boxes along the three axes, and the
// best split between bins. It is the surface-area heuristic at uniformly sampled planes.
#pragma once

#include "accel/bvh/builders/ordered_box.h"

TL_DEVICE_BEGIN

/// SAH cost as an integer that compares like it. Infinite costs and NaN count as the largest float.
TL_HD inline std::uint32_t cost_bits(float cost) {
    cost = minimum(cost, std::numeric_limits<float>::max());
    std::uint32_t bits;
    memcpy(&bits, &cost, sizeof bits);
    return bits;
}

/// Maps a node's centres to bins. A point has the same bin in every kernel, since products and sums
/// are not fused.
struct BinGrid {
    vec3 lo;
    vec3 scale;  ///< bins per length; 0 for an axis without extent
    int n_bins;

    TL_HD static BinGrid make(const Box& centers, int n_bins) {
        BinGrid grid{centers.lo, vec3(0), n_bins};
        for (int axis = 0; axis < 3; ++axis) {
            float extent = centers.hi[axis] - centers.lo[axis];
            float scale = extent > 0 ? static_cast<float>(n_bins) / extent : 0.0f;
            grid.scale[axis] = scale < kInfinity ? scale : 0.0f;
        }
        return grid;
    }
    TL_D int bin(vec3 center, int axis) const {
#if defined(__CUDACC__)
        float position = __fmul_rn(__fsub_rn(center[axis], lo[axis]), scale[axis]);
#else
        float position = (center[axis] - lo[axis]) * scale[axis];
#endif
        return static_cast<int>(minimum(maximum(position, 0.0f), static_cast<float>(n_bins - 1)));
    }
};

/// Best split: references in bins up to and including `last_left` along `axis` go left.
struct BinSplit {
    std::uint32_t axis;
    std::uint32_t last_left;
    std::uint32_t n_left;
};

/// Bins in shared memory, and the sweeps over them.
template <int kMaxBins>
struct SahBins {
    static constexpr std::uint32_t kWords = 7;  ///< words per bin: maxima of its box, count
    static constexpr std::uint64_t kNone = ~0ull;

    std::uint32_t words[3 * kMaxBins * kWords];
    /// Number of references from either end of each axis up to each bin.
    std::uint32_t n_swept[3][2][kMaxBins];
    /// SAH cost of one side of a split: n_swept times the area of these references' box.
    float swept[3][2][kMaxBins];
    std::uint64_t best;  ///< cost, unevenness, axis and bin of the best plane; kNone if none

    TL_D std::uint32_t* at(int axis, int bin) { return words + (axis * kMaxBins + bin) * kWords; }

    template <class Block>
    TL_D void clear(const Block& block) {
        for (std::uint32_t i = block.rank; i < 3 * kMaxBins * kWords; i += block.size) words[i] = 0;
        if (block.rank == 0) best = kNone;
    }
    TL_D void add(const Box& box, vec3 center, const BinGrid& grid) {
        OrderedBox ordered = OrderedBox::from(box);
        for (int axis = 0; axis < 3; ++axis) {
            std::uint32_t* bin = at(axis, grid.bin(center, axis));
            for (int k = 0; k < 6; ++k) block_max(&bin[k], ordered.maxima[k]);
            block_add(&bin[6], 1);
        }
    }
    /// Accumulates the bins along an axis from one end. There are six sweeps, two per axis.
    TL_D void sweep(int axis, int backward, int n_bins) {
        Box box;
        std::uint32_t n = 0;
        for (int k = 0; k < n_bins; ++k) {
            int bin = backward ? n_bins - 1 - k : k;
            OrderedBox ordered;
            const std::uint32_t* from = at(axis, bin);
            for (int m = 0; m < 6; ++m) ordered.maxima[m] = from[m];
            box.extend(ordered.box());
            n += from[6];
            n_swept[axis][backward][bin] = n;
            swept[axis][backward][bin] = static_cast<float>(n) * box.half_area();
        }
    }
    /// Evaluates all planes. Called by all threads, after a sync; best_split() returns the result
    /// after another sync.
    template <class Block>
    TL_D void evaluate(const Block& block, int n_bins, std::uint32_t count) {
        for (std::uint32_t i = block.rank; i < 6; i += block.size)
            sweep(static_cast<int>(i >> 1), static_cast<int>(i & 1), n_bins);
        block.sync();
        auto n_planes = static_cast<std::uint32_t>(n_bins - 1);
        for (std::uint32_t i = block.rank; i < 3 * n_planes; i += block.size) {
            std::uint32_t axis = i / n_planes, bin = i % n_planes;
            std::uint32_t n_left = n_swept[axis][0][bin];
            if (n_left == 0 || n_left == count) continue;
            float cost = swept[axis][0][bin] + swept[axis][1][bin + 1];
            // Ties go to the most even split.
            std::uint32_t n_most = n_left < count - n_left ? count - n_left : n_left;
            auto unevenness = static_cast<std::uint32_t>(1023.0f * static_cast<float>(n_most) /
                                                         static_cast<float>(count));
            std::uint64_t key =
                std::uint64_t(cost_bits(cost)) << 32 | unevenness << 16 | axis << 8 | bin;
            block_min(&best, key);
        }
    }
    /// Whether any plane separates the centres; if so, returns the best one.
    TL_D bool best_split(BinSplit& split) const {
        if (best == kNone) return false;
        split.axis = static_cast<std::uint32_t>(best) >> 8 & 0xff;
        split.last_left = static_cast<std::uint32_t>(best) & 0xff;
        split.n_left = n_swept[split.axis][0][split.last_left];
        return true;
    }
};

TL_DEVICE_END
