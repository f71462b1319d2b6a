// The order in which threads take queries: neighbouring lanes of a GPU then visit the same nodes,
// and those of a CPU are in its caches.
#pragma once

#include "accel/query/query_points.h"
#include "accel/query/shape_tree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Sorts the queries of an array along a Morton curve, from the number on where the sort costs
    /// less than it gains. The order lies in scratch memory of the caller's scope. Never waits.
    void order_queries(Scratch& scratch, const ShapeTreeView& tree, QueryPoints& queries);
)
// clang-format on

TL_DEVICE_BEGIN

/// Runs of neighbouring queries that a thread takes one after another: those of a CPU begin with
/// what the last one found. On a GPU threads take one each.
struct QueryRuns {
#if defined(__CUDACC__)
    static constexpr std::uint32_t kLength = 1, kLanes = 32;
#else
    static constexpr std::uint32_t kLength = 16, kLanes = 1;
#endif
    /// The number of threads, of whole warps.
    [[nodiscard]] static std::uint32_t n_threads(const QueryPoints& queries) {
        const std::uint32_t per = kLanes * kLength;
        return (queries.n_threads() + per - 1) / per * kLanes;
    }
    /// The position of a thread's k-th query in the order of queries.
    [[nodiscard]] TL_HD static std::uint32_t turn_of(std::uint32_t thread, std::uint32_t k) {
        return thread * kLength + k;
    }
};

TL_DEVICE_END
