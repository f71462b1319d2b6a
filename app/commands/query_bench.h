// Measures the queries of accel/query, which the library offers, on one mesh.
#pragma once

#include <string>
#include <vector>

#include "app/commands/tree_bench.h"

namespace tl {

/// Numbers of queries.
struct QueryBenchPlan {
    int points = 0;          ///< closest points and neighbours
    int grid = 0;            ///< points along an edge of the grid of signed distances
    float distance = 0.01f;  ///< largest offset of a query from a vertex, along each axis
    int neighbours = 8;
    std::string builder = "binned";
};

/// One kind of query.
struct QueryMeasurement {
    std::string name;
    Timing ms;
    double n_queries = 0;  ///< 0 where only the time counts
    double n_found = 0;
    double sum = 0;  ///< of the distances found, by which implementations are compared

    [[nodiscard]] double mqueries_per_s() const {
        return ms.median > 0 ? n_queries / ms.median / 1000 : 0;
    }
};

/// Points near random vertices.
[[nodiscard]] std::vector<vec3> points_near(const std::vector<vec3>& vertices, std::size_t n,
                                            float distance, std::uint64_t seed);

/// Builds a tree over the geometry and measures queries of it. Builds and refits come first, then
/// rays, closest points, neighbours among the vertices and a grid of signed distances. The last are
/// pairs with a copy that is moved by a thousandth of the extent.
[[nodiscard]] std::vector<QueryMeasurement> measure_queries(
    Device& device, const BenchGeometry& geometry, const BenchRays& rays,
    const QueryBenchPlan& plan, const TreeBenchPlan& trees, const ReadProgress& progress);

}  // namespace tl
