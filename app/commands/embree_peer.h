// Intel Embree on the CPU, on the same triangles and rays as `bench trees`: the peer of the same
// run. Throws UserError in builds that did not find libembree.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/commands/tree_bench.h"

namespace tl {

/// What Embree makes of one scene at one build quality. Steps and tests are not known.
struct PeerMeasurement {
    std::string name;                         ///< "embree 3.13.5 medium"
    Timing build_ms;                          ///< rtcCommitScene of a scene of its own
    RayMeasurement primary, shadow, diffuse;  ///< rtcIntersect1 and rtcOccluded1
};

/// Whether this build has Embree.
[[nodiscard]] bool has_embree_peer();

/// At low, medium and high quality, each of `repeat` builds and traces, on all cores.
[[nodiscard]] std::vector<PeerMeasurement> measure_embree(const TreeBench& bench, int repeat);

}  // namespace tl
