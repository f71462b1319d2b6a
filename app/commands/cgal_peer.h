// Measures CGAL's AABB tree on the CPU with the rays and points of `bench queries`, as a reference
// in the same run.
#pragma once

#include <vector>

#include "app/commands/query_bench.h"

namespace tl {

/// Measures camera, diffuse and occlusion rays and closest points on all cores, in double precision
/// without exact predicates; no rows in builds without CGAL.
[[nodiscard]] std::vector<QueryMeasurement> measure_cgal(const BenchGeometry& geometry,
                                                         const BenchRays& rays,
                                                         const std::vector<vec3>& points,
                                                         WorkTimer& timer, int repeat);

}  // namespace tl
