// Traces two lists of rays in one launch of a GPU: while the last rays of one take their time,
// there are others to trace.
#pragma once

#include "accel/bvh/traversal/trace_rays.h"

// clang-format off
TL_FOR_DEVICES(
    /// trace_closest of some rays and trace_any of others (trace_rays.h).
    void trace_closest_and_any(Scratch& scratch, const char* name, const TreeView& tree,
                               const RayRecords& closest, const HitRecords& closest_hits,
                               const RayRecords& any, const HitRecords& any_hits,
                               RayLaunch launch = RayLaunch::queue);
)
// clang-format on
