// Measures Intel Embree on the CPU with the triangles and rays of `bench trees`, as a reference in
// the same run. Throws UserError in builds without libembree.
#pragma once

#include <string>
#include <vector>

#include "app/commands/tree_bench.h"

namespace tl {

/// Embree's results for one scene at one build quality. Its numbers of steps and tests are unknown.
struct PeerMeasurement {
    std::string name;                         ///< "embree 3.13.5 medium"
    Timing build_ms;                          ///< rtcCommitScene of a separate scene
    RayMeasurement primary, shadow, diffuse;  ///< rtcIntersect1 and rtcOccluded1
};

/// Whether this build has Embree.
[[nodiscard]] bool has_embree_peer();

/// Measures low, medium and high quality, each with `repeat` builds and traces, on all cores.
[[nodiscard]] std::vector<PeerMeasurement> measure_embree(const TreeBench& bench, int repeat);

}  // namespace tl
