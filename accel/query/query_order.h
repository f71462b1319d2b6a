// The order in which threads take queries: neighbouring lanes of a GPU then visit the same nodes.
#pragma once

#include "accel/query/query_points.h"
#include "accel/query/shape_tree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Sorts the queries of an array along a Morton curve, on a GPU, from the number on where
    /// the sort costs less than it gains. The order lies in scratch memory of the caller's scope. Never waits.
    void order_queries(Scratch& scratch, const ShapeTreeView& tree, QueryPoints& queries);
)
// clang-format on

TL_DEVICE_BEGIN

/// Runs of queries that a thread takes one after another. Neighbouring lanes take neighbouring
/// queries at a time.
struct QueryRuns {
#if defined(__CUDACC__)
    static constexpr std::uint32_t kLanes = 32;
#else
    static constexpr std::uint32_t kLanes = 1;
#endif
    std::uint32_t length = 1;

    /// The number of threads, of whole warps.
    [[nodiscard]] std::uint32_t n_threads(const QueryPoints& queries) const {
        const std::uint32_t per = kLanes * length;
        return (queries.n_threads() + per - 1) / per * kLanes;
    }
    /// The position of a thread's k-th query in the order of queries.
    [[nodiscard]] TL_HD std::uint32_t turn_of(std::uint32_t thread, std::uint32_t k) const {
        return (thread / kLanes * length + k) * kLanes + thread % kLanes;
    }
};

/// Runs that are as long as there are queries to keep the device busy. Those of a grid on a GPU are
/// single: tiles that a warp searches together are far from each other.
[[nodiscard]] inline QueryRuns runs_of(const QueryPoints& queries) {
#if defined(__CUDACC__)
    constexpr std::uint32_t kThreads = 1u << 19, kLongest = 4;
    if (!queries.order) return {1};
#else
    constexpr std::uint32_t kThreads = 1u << 8, kLongest = 16;
#endif
    std::uint32_t length = queries.n_threads() / kThreads;
    return {length < 1 ? 1 : length > kLongest ? kLongest : length};
}

TL_DEVICE_END
