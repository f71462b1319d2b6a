#include "accel/bvh/traversal/trace_rays_pass.h"

TL_DEVICE_BEGIN

void trace_closest(Scratch& scratch, const char* name, const TreeView& tree, const RayRecords& rays,
                   const HitRecords& hits, RayLaunch launch) {
    TL_ASSERT_OP(hits.hits.empty() ? rays.size : hits.hits.size, >=, rays.size);
    TL_ASSERT_OP(hits.probe_hits.empty() ? rays.size : hits.probe_hits.size, >=, rays.size);
    TL_ASSERT_OP(hits.found.empty() ? rays.size : hits.found.size, >=, rays.size);
    trace_rays<false>(scratch, name, tree, rays, hits, launch);
}

TL_DEVICE_END
