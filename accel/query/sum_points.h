// Points of a set and queries of a caller as input of sums over pairs, and their sums as results.
#pragma once

#include "accel/query/point_set.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes a set's finite points and their weights, one of `given` for each point of the array;
    /// 1 without data. Sets first_bad[0], ~0 at the start, to the first point whose weight is not
    /// finite.
    void copy_sum_points(Stream& stream, View<const vec3> points, View<const std::uint32_t> ids,
                         const StridedFloats& given, View<double> positions, View<double> weights,
                         View<std::uint64_t> first_bad);
    /// Lists the queries that are finite, in order.
    void find_sum_targets(Scratch& scratch, const StridedFloats& queries, std::uint32_t count,
                          View<std::uint32_t> targets, View<std::uint32_t> n_targets);
    void copy_sum_targets(Stream& stream, const StridedFloats& queries,
                          View<const std::uint32_t> targets, View<double> positions);
    /// Writes the sums of the targets, `per` each, to those of all `count` queries; NaN elsewhere.
    void write_sums(Scratch& scratch, View<const std::uint32_t> targets, View<const double> found,
                    std::uint32_t per, std::uint32_t count, float* out);
)
// clang-format on
