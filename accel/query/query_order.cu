#include "accel/query/query_order.h"

#include "accel/morton.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Number of queries from which a sort costs less than it gains.
#if defined(__CUDACC__)
constexpr std::uint32_t kLeastOrdered = 1u << 16;
#else
constexpr std::uint32_t kLeastOrdered = 1u << 12;
#endif
/// Bits of a Morton code: three passes of a radix sort.
constexpr int kCodeBits = 24;

}  // namespace

void order_queries(Scratch& scratch, const ShapeTreeView& tree, QueryPoints& queries) {
    if (queries.size.x != 0 || queries.count < kLeastOrdered) return;
    auto& stream = scratch.stream();
    const std::uint32_t n = queries.count;
    Pairs<std::uint32_t> pairs{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    auto grid = scratch.take<MortonGrid>(1);
    const Bvh2View nodes = tree.tree.bvh2;
    parallel_for(
        stream, "grid of queries", 1, TL_LAMBDA(std::uint32_t) {
            const BvhNode& root = nodes.nodes[nodes.header->root];
            Box bounds = root.box(0);
            if (!root.child1.is_missing()) bounds.extend(root.box(1));
            grid[0] = MortonGrid::make(bounds, kCodeBits);
        });
    const QueryPoints points = queries;
    parallel_for(
        stream, "codes of queries", n, TL_LAMBDA(std::uint32_t i) {
            pairs.keys[i] = grid[0].template code<std::uint32_t>(points(i));
            pairs.values[i] = i;
        });
    queries.order = sort_pairs(scratch, pairs, spare, 0, kCodeBits).values.data;
}

TL_DEVICE_END
