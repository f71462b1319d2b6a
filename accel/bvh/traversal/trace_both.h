// Traces two lists of rays in one GPU launch: rays of one list keep lanes busy during the last,
// long rays of the other.
#pragma once

#include "accel/bvh/traversal/trace_rays.h"

// clang-format off
TL_FOR_DEVICES(
    /// Performs trace_closest for some rays and trace_any for others (trace_rays.h).
    void trace_closest_and_any(Scratch& scratch, const char* name, const TreeView& tree,
                               const RayRecords& closest, const HitRecords& closest_hits,
                               const RayRecords& any, const HitRecords& any_hits,
                               RayLaunch launch = RayLaunch::queue);
)
// clang-format on
