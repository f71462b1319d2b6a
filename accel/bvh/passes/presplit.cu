// Triangle pre-splitting: Karras & Aila 2013 ("Fast parallel construction of high-quality bounding
// volume hierarchies"), section 5. A triangle is cut floor(D p) times, at the most important
// spatial median planes through it. Its priority is p = cbrt(importance * (area of its box - least
// area of its boxes after infinitely many cuts)). D is chosen to use up the budget. Departs from
// the paper in three points. The least area is that of the parallelogram that the triangle spans,
// so that flat walls are not split. Pieces are clipped exactly, each by its own thread, which
// follows the cuts down to it. The device finds D by testing sixteen values at a time.
#include "accel/bvh/passes/presplit.h"

#include <algorithm>

#include "accel/bvh/passes/box_union.h"
#include "accel/bvh/passes/split_pieces.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#if defined(__CUDACC__)
#include "core/device/launch_cuda.h"
#include "core/device/warp.h"
#else
#include <tbb/parallel_reduce.h>
#endif

TL_DEVICE_BEGIN

namespace {

/// Maximum number of cuts of one triangle; limits the loop that finds a piece.
constexpr float kMaxCuts = 4096;

TL_HD std::uint32_t cuts_of(float priority, float scale) {
    float cuts = priority * scale;
    return cuts >= 1 ? static_cast<std::uint32_t>(minimum(cuts, kMaxCuts)) : 0;
}

/// Total number of cuts for each of sixteen scales.
struct CutCounts {
    static constexpr int kScales = 16;
    std::uint32_t n[kScales] = {};
};

/// Searches the largest scale D within the budget, in ever finer steps.
struct ScaleSearch {
    static constexpr int kRounds = 3;
    float scale;  ///< largest scale known to be within the budget
    float step;
    CutCounts counts;

    /// Initial interval: since floor(D p) > D p - 1, the scale is bounded from both sides.
    TL_HD static ScaleSearch start(float sum, std::size_t n, std::size_t budget) {
        ScaleSearch search{};
        if (!(sum > 0)) return search;
        search.scale = static_cast<float>(budget) / sum;
        search.step = static_cast<float>(n) / sum / CutCounts::kScales;
        return search;
    }
    [[nodiscard]] TL_HD float candidate(int k) const {
        return scale + static_cast<float>(k) * step;
    }
    TL_HD void narrow(std::size_t budget) {
        int best = 0;
        for (int k = 1; k < CutCounts::kScales; ++k)
            if (counts.n[k] <= budget) best = k;
        scale = candidate(best);
        step /= CutCounts::kScales;
        counts = {};
    }
};

#if defined(__CUDACC__)

constexpr int kCountBlock = 256;
constexpr std::size_t kCountGrid = 1056;  // eight blocks for each of 132 SMs, grid-stride loop

__global__ void __launch_bounds__(kCountBlock)
    count_cuts_kernel(View<const float> priorities, ScaleSearch* search) {
    __shared__ std::uint32_t of_block[CutCounts::kScales];
    if (threadIdx.x < CutCounts::kScales) of_block[threadIdx.x] = 0;
    __syncthreads();
    ScaleSearch scales{search->scale, search->step, {}};
    std::uint32_t n[CutCounts::kScales] = {};
    std::size_t stride = std::size_t(gridDim.x) * kCountBlock;
    for (std::size_t i = blockIdx.x * kCountBlock + threadIdx.x; i < priorities.size; i += stride) {
        float priority = priorities[i];
#pragma unroll
        for (int k = 0; k < CutCounts::kScales; ++k) n[k] += cuts_of(priority, scales.candidate(k));
    }
    // Called by all lanes.
#pragma unroll
    for (int k = 0; k < CutCounts::kScales; ++k) {
        std::uint32_t of_warp = warp_sum(n[k]);
        if (threadIdx.x % 32 == 0 && of_warp) atomicAdd(&of_block[k], of_warp);
    }
    __syncthreads();
    if (threadIdx.x < CutCounts::kScales)
        atomicAdd(&search->counts.n[threadIdx.x], of_block[threadIdx.x]);
}

void count_cuts(Stream& stream, View<const float> priorities, View<ScaleSearch> search) {
    launch(stream, "count cuts", blocks_for(priorities.size, kCountBlock, kCountGrid), kCountBlock,
           count_cuts_kernel, priorities, search.data);
}

#else

void count_cuts(Stream&, View<const float> priorities, View<ScaleSearch> search) {
    using Range = tbb::blocked_range<std::size_t>;
    search[0].counts = tbb::parallel_reduce(
        Range(0, priorities.size, 4096), CutCounts{},
        [&](const Range& range, CutCounts counts) {
            for (std::size_t i = range.begin(); i < range.end(); ++i)
                for (int k = 0; k < CutCounts::kScales; ++k)
                    counts.n[k] += cuts_of(priorities[i], search[0].candidate(k));
            return counts;
        },
        [](CutCounts a, const CutCounts& b) {
            for (int k = 0; k < CutCounts::kScales; ++k) a.n[k] += b.n[k];
            return a;
        });
}

#endif

struct Splitter {
    BuildInput input;
    View<const TreeHeader> bounds;  ///< its center_union is the union of the boxes
    View<TreeHeader> header;
    View<Box> boxes;
    View<std::uint32_t> primitive_of;

    TL_D std::uint32_t primitive(std::uint32_t i) const {
        return input.primitive_of.empty() ? i : input.primitive_of[i];
    }
    TL_D float priority_of(std::uint32_t i) const {
        Box box = input.boxes[i];
        if (primitive(i) >= input.triangles.count || !box.is_valid()) return 0;
        glm::uvec3 t = input.triangles.triangles[primitive(i)];
        vec3 vertex = input.triangles.positions[t.x];
        vec3 normal = glm::cross(input.triangles.positions[t.y] - vertex,
                                 input.triangles.positions[t.z] - vertex);
        // Area of the parallelogram, since the other half of a flat box usually belongs to the next
        // triangle.
        float least_area = fabsf(normal.x) + fabsf(normal.y) + fabsf(normal.z);
        float importance = SplitGrid::make(center_union_of(bounds[0])).best_plane(box).importance;
        float priority = cbrtf(importance * maximum(box.half_area() - least_area, 0));
        return priority < kInfinity ? priority : 0;
    }

    /// Writes piece `k` of the `n_cuts` + 1 pieces of reference i to position `to`.
    TL_D void write(std::uint32_t to, std::uint32_t i, std::uint32_t n_cuts,
                    std::uint32_t k) const {
        primitive_of[to] = primitive(i);
        boxes[to] = input.boxes[i];
        if (n_cuts == 0) return;
        SplitGrid grid = SplitGrid::make(center_union_of(bounds[0]));
        TrianglePiece piece;
        piece.box = input.boxes[i];
        glm::uvec3 t = input.triangles.triangles[primitive(i)];
        for (int corner = 0; corner < 3; ++corner) piece.add(input.triangles.positions[t[corner]]);
        while (n_cuts > 0) {
            SplitPlane plane = grid.best_plane(piece.box);
            if (plane.axis < 0) break;
            TrianglePiece low = piece.side(plane, 0), high = piece.side(plane, 1);
            if (!low.box.is_valid() || !high.box.is_valid()) break;
            // The remaining cuts are divided between both sides in proportion to their boxes'
            // lengths.
            float length = longest(low.box), other = longest(high.box);
            std::uint32_t left = n_cuts - 1;
            float share = static_cast<float>(left) * length / (length + other) + 0.5f;
            auto n_low =
                share < static_cast<float>(left) ? static_cast<std::uint32_t>(share) : left;
            bool is_low = k <= n_low;
            piece = is_low ? low : high;
            if (!is_low) k -= n_low + 1;
            n_cuts = is_low ? n_low : left - n_low;
        }
        boxes[to] = k == 0 ? piece.box : Box{};
        if (k > 0) atomic_add(&header[0].n_padding, 1);
    }
    TL_D static float longest(const Box& box) {
        vec3 extent = box.hi - box.lo;
        return maximum(extent.x, maximum(extent.y, extent.z));
    }
};

/// Returns the index of the last of the ascending sums that is not above `value`; the first sum is
/// 0.
TL_D std::uint32_t owner_of(View<const std::uint32_t> sums, std::uint32_t value) {
    std::uint32_t first = 0, count = static_cast<std::uint32_t>(sums.size);
    while (count > 1) {
        std::uint32_t half = count / 2;
        if (sums[first + half] <= value) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

}  // namespace

BuildInput presplit(Scratch& scratch, const BuildInput& input, float budget,
                    View<TreeHeader> header) {
    std::size_t n = input.boxes.size;
    std::size_t n_extra = std::min(static_cast<std::size_t>(static_cast<double>(n) * budget),
                                   kMaxPrimitives - std::min(n, kMaxPrimitives));
    auto boxes = scratch.take<Box>(n + n_extra);
    auto primitive_of = scratch.take<std::uint32_t>(n + n_extra);
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto bounds = scratch.take<TreeHeader>(1);
    stream.device().fill_zero(stream, bounds.data, sizeof(TreeHeader));
    unite_boxes(stream, input.boxes, bounds);
    Splitter splitter{input, bounds, header, boxes, primitive_of};

    auto priorities = scratch.take<float>(n);
    parallel_for(
        stream, "split priorities", static_cast<std::uint32_t>(n),
        TL_LAMBDA(std::uint32_t i) { priorities[i] = splitter.priority_of(i); });
    auto sum = scratch.take<float>(1);
    reduce<float>(scratch, priorities, sum);
    auto search = scratch.take<ScaleSearch>(1);
    parallel_for(
        stream, "start scale", 1,
        TL_LAMBDA(std::uint32_t) { search[0] = ScaleSearch::start(sum[0], n, n_extra); });
    for (int round = 0; round < ScaleSearch::kRounds; ++round) {
        count_cuts(stream, priorities, search);
        parallel_for(
            stream, "narrow scale", 1, TL_LAMBDA(std::uint32_t) { search[0].narrow(n_extra); });
    }

    auto cuts = scratch.take<std::uint32_t>(n);
    auto sums = scratch.take<std::uint32_t>(n);
    parallel_for(
        stream, "cuts", static_cast<std::uint32_t>(n),
        TL_LAMBDA(std::uint32_t i) { cuts[i] = cuts_of(priorities[i], search[0].scale); });
    exclusive_scan<std::uint32_t>(scratch, cuts, sums);
    auto extra = static_cast<std::uint32_t>(n_extra);
    parallel_for(
        stream, "split triangles", static_cast<std::uint32_t>(n + n_extra),
        TL_LAMBDA(std::uint32_t to) {
            auto n_whole = static_cast<std::uint32_t>(n);
            std::uint32_t slot = to - n_whole;
            std::uint32_t i = to < n_whole ? to : owner_of(sums, slot);
            // Because the scale is rounded, the cuts may exceed the budget slightly.
            std::uint32_t room = extra - (sums[i] < extra ? sums[i] : extra);
            std::uint32_t n_cuts = cuts[i] < room ? cuts[i] : room;
            std::uint32_t k = to < n_whole ? 0 : slot - sums[i] + 1;
            if (k <= n_cuts) return splitter.write(to, i, n_cuts, k);
            splitter.boxes[to] = Box{};
            splitter.primitive_of[to] = splitter.primitive(i);
        });
    parallel_for(
        stream, "count padding", 1, TL_LAMBDA(std::uint32_t) {
            std::uint32_t used = sums[n - 1] + cuts[n - 1];
            if (used < extra) header[0].n_padding += extra - used;
        });
    BuildInput split = input;
    split.boxes = boxes;
    split.primitive_of = primitive_of;
    return split;
}

TL_DEVICE_END
