// Measures Embree and CGAL (rays, closest points) and nanoflann (neighbours) on the CPU with the
// queries of `bench queries`, as references in the same run. Builds may lack CGAL.
#pragma once

#include <vector>

#include "app/commands/query_bench.h"

namespace tl {

/// Throws UserError in builds without Embree or nanoflann.
void require_query_peers();

/// Measures on all cores. `trees` has traced the rays before.
[[nodiscard]] std::vector<QueryMeasurement> measure_query_peers(const TreeBench& trees,
                                                                const QueryBenchPlan& plan,
                                                                int repeat,
                                                                const ReadProgress& progress);

}  // namespace tl
